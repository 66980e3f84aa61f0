//! Every line of `crc.jsonl`, on every tier and in every integer that holds its width: where the line wants its input, at
//! every offset, beside pages that cannot be read, cut at every place, combined, copied.

use byways::Width;
use byways::crc::catalogue::CATALOGUE;

use crate::cases::{self, Case, Operation, Place};
#[cfg(unix)]
use crate::pages::Pages;
use crate::subject::{Fenced, Running, Subject, integers, on_every_tier, ours};

/// The bytes that are read: the input, and behind it what the operation appends.
fn message(case: &Case, crc: &dyn Subject) -> Vec<u8> {
    let mut message = case.input.clone();
    if case.operation == Operation::Residue {
        let bytes = usize::from(case.model.width / 8);
        let value = crc.checksum(&case.input);
        match case.model.refout {
            true => message.extend(&value.to_le_bytes()[..bytes]),
            false => message.extend(&value.to_be_bytes()[8 - bytes..]),
        }
    }
    message
}

/// Where the message's first byte goes.
fn start<'a>(case: &Case, crc: &'a dyn Subject) -> Box<dyn Running + 'a> {
    match case.operation {
        Operation::Continue { crc: before } => crc.resume(before),
        _ => crc.digest(),
    }
}

/// What is expected, of the CRC of the message.
fn expected(case: &Case) -> u64 {
    let last = *case.expected.last().expect("a line has a value");
    if case.operation == Operation::Residue { last ^ case.model.xorout } else { last }
}

/// The line's values as it says.
fn values(case: &Case, crc: &dyn Subject, message: &[u8]) -> Vec<u64> {
    match &case.operation {
        Operation::Checksum(None) => vec![crc.checksum(message)],
        Operation::Checksum(Some(pieces)) => {
            let (mut digest, mut rest) = (crc.digest(), message);
            for &bytes in pieces {
                let (piece, others) = rest.split_at(bytes);
                digest.update(piece);
                rest = others;
            }
            assert!(rest.is_empty(), "{}: the steps do not use all of the input", case.id);
            vec![digest.so_far()]
        }
        &Operation::Combine { len_a } => {
            let (a, b) = message.split_at(len_a);
            vec![crc.combine(crc.checksum(a), crc.checksum(b), b.len() as u64)]
        }
        &Operation::CombineValues { a, b, len_b } => vec![crc.combine(a, b, len_b)],
        &Operation::Continue { crc: before } => {
            let mut digest = crc.resume(before);
            digest.update(message);
            vec![digest.so_far()]
        }
        Operation::Residue => vec![crc.checksum(message) ^ case.model.xorout],
        Operation::Prefixes => (0..=message.len()).map(|len| crc.checksum(&message[..len])).collect(),
    }
}

/// Calls `check` with each line on each tier, in each integer.
fn with_every_line(check: impl Fn(&Case, &dyn Subject, &str)) {
    let cases = cases::all().unwrap();
    assert!(cases.len() >= 158, "lines were lost");
    on_every_tier(|width| {
        for case in &cases {
            for bits in integers(case.model.width) {
                let what = format!("{} ({}), {width}, {bits} bits", case.id, case.source);
                check(case, &*ours(bits, &case.model), &what);
            }
        }
    });
}

/// The line is right where it wants its input.
fn in_its_place(case: &Case, crc: &dyn Subject, what: &str) {
    let message = message(case, crc);
    match case.place {
        Place::Offset(offset) => {
            let message = Fenced::new(&message, offset);
            assert_eq!(values(case, crc, message.inside()), case.expected, "{what}");
        }
        #[cfg(unix)]
        Place::PageEnd => {
            let mut pages = Pages::new(message.len());
            assert_eq!(values(case, crc, pages.at_end(&message)), case.expected, "{what}");
        }
        #[cfg(not(unix))]
        Place::PageEnd => assert_eq!(values(case, crc, &message), case.expected, "{what}"),
    }
}

#[test]
fn every_line_in_its_place() {
    with_every_line(in_its_place);
}

#[test]
fn every_line_at_every_offset() {
    with_every_line(|case, crc, what| {
        let message = message(case, crc);
        // the same for all integers, and long
        let offsets = if case.operation == Operation::Prefixes { 1 } else { 64 };
        for offset in 0..offsets {
            let message = Fenced::new(&message, offset);
            assert_eq!(values(case, crc, message.inside()), case.expected, "{what}, offset {offset}");
        }
    });
}

#[cfg(unix)]
#[test]
fn every_line_beside_unreadable_pages() {
    with_every_line(|case, crc, what| {
        let message = message(case, crc);
        let mut pages = Pages::new(message.len());
        assert_eq!(values(case, crc, pages.at_end(&message)), case.expected, "{what}, at a page's end");
        assert_eq!(values(case, crc, pages.at_start(&message)), case.expected, "{what}, at a page's start");
    });
}

/// Every place to cut so many bytes, or some.
fn cuts(len: usize) -> impl Iterator<Item = usize> {
    (0..=len).step_by(if len > 700 { 61 } else { 1 })
}

/// Whether a line has a message whose CRC it is about.
fn has_message(case: &Case) -> bool {
    !matches!(case.operation, Operation::CombineValues { .. })
}

#[test]
fn every_line_cut_at_every_place() {
    with_every_line(|case, crc, what| {
        let message = message(case, crc);
        for cut in cuts(message.len()).filter(|_| has_message(case)) {
            let mut digest = start(case, crc);
            digest.update(&message[..cut]);
            let before = digest.so_far();
            digest.update(&message[cut..]);
            assert_eq!(digest.so_far(), expected(case), "{what}, cut at {cut}");
            let mut resumed = crc.resume(before);
            resumed.update(&message[cut..]);
            assert_eq!(resumed.so_far(), expected(case), "{what}, resumed at {cut}");
            if case.operation == Operation::Prefixes {
                assert_eq!(before, case.expected[cut], "{what}, a digest of {cut} bytes");
            }
        }
    });
}

#[test]
fn every_line_in_many_pieces() {
    with_every_line(|case, crc, what| {
        let message = message(case, crc);
        for bytes in [1, 3, 8, 15, 16, 17, 31, 64, 100, 1000].into_iter().filter(|_| has_message(case)) {
            let mut digest = start(case, crc);
            for piece in message.chunks(bytes) {
                digest.update(piece);
            }
            assert_eq!(digest.so_far(), expected(case), "{what}, pieces of {bytes} bytes");
        }
    });
}

#[test]
fn every_line_combined_at_every_place() {
    for case in cases::all().unwrap().iter().filter(|case| has_message(case)) {
        for bits in integers(case.model.width) {
            let crc = ours(bits, &case.model);
            let message = message(case, &*crc);
            for cut in cuts(message.len()) {
                let (a, b) = message.split_at(cut);
                let mut digest = start(case, &*crc);
                digest.update(a);
                let combined = crc.combine(digest.so_far(), crc.checksum(b), b.len() as u64);
                assert_eq!(combined, expected(case), "{} ({}), {bits} bits, cut at {cut}", case.id, case.source);
            }
        }
    }
}

#[test]
fn every_line_copied() {
    with_every_line(|case, crc, what| {
        let message = message(case, crc);
        if !matches!(case.operation, Operation::Continue { .. } | Operation::CombineValues { .. }) {
            for (from, to) in [(0, 0), (1, 0), (0, 13), (50, 7), (15, 16)] {
                let what = || format!("{what}, from offset {from} to {to}");
                let (src, mut dst) = (Fenced::new(&message, from), Fenced::new(&vec![0x99; message.len()], to));
                assert_eq!(crc.copy(src.inside(), dst.inside_mut()), expected(case), "{}", what());
                assert!(dst.inside() == message && dst.stands(), "{}", what());
            }
        }
    });
}

/// A13: a line's model is the one that the catalogue has under its name.
#[test]
fn names_mean_what_the_catalogue_says() {
    for case in cases::all().unwrap() {
        let named = CATALOGUE.iter().find(|model| model.names().any(|name| name == case.name));
        let found = named.unwrap_or_else(|| panic!("{}: no model `{}`", case.id, case.name)).algorithm.wide();
        let parameters = |model: &byways::crc::Algorithm<u64>| {
            (model.width, model.poly, model.init, model.refin, model.refout, model.xorout)
        };
        assert_eq!(parameters(&found), parameters(&case.model), "{}: {}", case.id, case.name);
    }
}

/// The lines of a requirement, all of which must be there.
fn requirement(prefix: &str, lines: usize, is_asked: impl Fn(&Case) -> bool) {
    let cases = cases::all().unwrap();
    let cases: Vec<_> = cases.iter().filter(|case| case.id.starts_with(prefix)).collect();
    assert_eq!(cases.len(), lines, "lines of {prefix}");
    for case in &cases {
        assert!(is_asked(case), "{}: not what the requirement asks for", case.id);
    }
    on_every_tier(|width: Width| {
        for case in &cases {
            for bits in integers(case.model.width) {
                in_its_place(case, &*ours(bits, &case.model), &format!("{}, {width}, {bits} bits", case.id));
            }
        }
    });
}

#[test]
fn a08_no_bytes_touch_no_memory() {
    requirement("A08-", 8, |case| case.input.is_empty() && case.place == Place::PageEnd);
}

#[test]
fn a09_short_inputs_are_not_read_past_their_end() {
    requirement("A09-", 18, |case| case.place == Place::PageEnd);
}

#[test]
fn a10_the_earlier_state_survives_any_alignment() {
    requirement("A10-", 12, |case| {
        matches!(case.place, Place::Offset(1..)) && matches!(case.operation, Operation::Continue { .. })
    });
}

#[test]
fn a11_combining_with_nothing_changes_nothing() {
    requirement("A11-", 21, |case| matches!(case.operation, Operation::Combine { .. }));
}

#[test]
fn a12_widths_below_8_are_right() {
    requirement("A12-", 9, |case| case.model.width < 8);
}

#[test]
fn a13_names_have_their_values() {
    requirement("A13-", 4, |case| case.model.width == 64);
}

/// What the reader must not pass over in silence.
#[test]
fn lines_that_ask_for_more_are_refused() {
    let line = include_str!("../cases/crc.jsonl").lines().next().unwrap();
    assert!(cases::case(line).is_ok());
    for (part, other, what) in [
        (r#""family":"#, r#""slow":true,"family":"#, "`slow`"),
        (r#""width":"#, r#""len_a":3,"width":"#, "`len_a`"),
        (r#""width":"#, r#""op":"sum","width":"#, "`sum`"),
        (r#""family":"#, r#""placement":"page_start","family":"#, "page_start"),
        (r#""expected_hex":""#, r#""expected_hex":"0"#, "`2` values"),
    ] {
        let changed = line.replacen(part, other, 1);
        assert_ne!(changed, line, "`{part}` is not in the line");
        let error = cases::case(&changed).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
}
