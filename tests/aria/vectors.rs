//! Every line of `aria.jsonl`, on every tier: whole, cut at every place, in place and from one buffer to another.

use byways::Width;

use crate::blocks::{WAYS, check};
use crate::cases::{self, Step};
use crate::cases_of_all_modes::{self as lines, Blocks, Case};
use crate::play::{Place, on_every_tier, play};
use crate::subject::{Key, tiers};

/// The lines of blocks.
fn blocks() -> impl Iterator<Item = Blocks> {
    lines::all().unwrap().into_iter().filter_map(|case| match case {
        Case::Blocks(case) => Some(case),
        Case::Stream(_) => None,
    })
}

/// The lines of counter mode.
fn streams() -> impl Iterator<Item = cases::Case> {
    lines::all().unwrap().into_iter().filter_map(|case| match case {
        Case::Blocks(_) => None,
        Case::Stream(case) => Some(case),
    })
}

#[test]
fn no_line_is_lost() {
    assert!(blocks().count() >= 12 && streams().count() >= 11);
}

/// As one call, as two that are cut anywhere, and with its blocks so many times over; and back again.
fn play_blocks(case: &Blocks) {
    for &width in tiers() {
        let key = Key::new(&case.key, width);
        for (i, way) in WAYS.into_iter().enumerate() {
            let check = |places, input: &[u8], expected: &[u8]| {
                check(&key, case.direction, way, places, [input, expected]);
                check(&key, case.direction.inverse(), way, places, [expected, input]);
            };
            for cut in (0..=case.input.len()).step_by(16) {
                let (head, rest) = (case.input.split_at(cut), case.expected.split_at(cut));
                check((cut % 64 + i, None), head.0, rest.0);
                check((i, Some(cut % 64)), head.1, rest.1);
            }
            for times in [7, 13] {
                check((0, None), &case.input.repeat(times), &case.expected.repeat(times));
            }
        }
    }
}

#[test]
fn every_line_of_blocks() {
    for case in blocks() {
        play_blocks(&case);
    }
}

#[test]
fn every_stream_whole() {
    for case in &streams().collect::<Vec<_>>() {
        on_every_tier(case, |key| {
            for borrowed in [false, true] {
                for place in [Place::Same(0), Place::Same(13), Place::Apart(0, 0), Place::Apart(7, 50)] {
                    play(case, key, borrowed, place, &[]);
                }
            }
        });
    }
}

#[test]
fn every_stream_cut_at_every_place() {
    for case in &streams().collect::<Vec<_>>() {
        on_every_tier(case, |key| {
            for cut in 1..case.input.len() {
                // unoptimised, the crates that stand in are slow
                if key.width() != Width::Fallback || cut % 2 == 0 {
                    play(case, key, true, Place::Same(cut * 5 % 64), &[cut]);
                }
                if key.width() != Width::Fallback || cut % 2 == 1 {
                    play(case, key, true, Place::Apart(cut * 7 % 64, cut * 3 % 64), &[cut]);
                }
            }
        });
    }
}

#[test]
fn every_stream_in_many_pieces() {
    for case in &streams().collect::<Vec<_>>() {
        on_every_tier(case, |key| {
            for piece in [1, 3, 15, 16, 17, 31, 64, 100] {
                let cuts: Vec<usize> = (1..case.input.len()).step_by(piece).collect();
                play(case, key, false, Place::Same(piece % 64), &cuts);
                play(case, key, true, Place::Apart(piece % 64, 0), &cuts);
            }
        });
    }
}

/// The prefix of a stream is the stream of a prefix.
#[test]
fn every_prefix_of_every_stream() {
    for case in &streams().collect::<Vec<_>>() {
        let [Step::Apply(len)] = case.steps[..] else { panic!("{} is of several steps", case.id) };
        assert_eq!(len, case.input.len(), "{}", case.id);
        on_every_tier(case, |key| {
            for len in 0..=len {
                let place = if len % 2 == 0 { Place::Same(len % 64) } else { Place::Apart(len % 64, len * 3 % 64) };
                let mut stream = key.lend(case.field, case.counter);
                let found = place.apply(stream.as_mut(), &case.input[..len]);
                assert!(found == case.expected[..len], "{}, {}: {len} bytes", case.id, key.width());
            }
        });
    }
}

#[test]
fn a16_decryption_keys_are_right() {
    for id in ["kisa-aria128-ecb-decrypt", "kisa-aria192-ecb-decrypt", "kisa-aria256-ecb-decrypt"] {
        let case = blocks().find(|case| case.id == id).unwrap_or_else(|| panic!("the line {id} is missing"));
        assert_eq!(case.input.len(), 160, "{} is of ten blocks", case.source);
        play_blocks(&case);
    }
}

#[test]
fn a17_in_place_equals_out_of_place() {
    for size in ["128", "192", "256"] {
        for id in [format!("A17-aria{size}"), format!("A17-aria{size}-long")] {
            let case = streams().find(|case| case.id == id).unwrap_or_else(|| panic!("the line {id} is missing"));
            on_every_tier(&case, |key| {
                for offset in 0..64 {
                    play(&case, key, false, Place::Same(offset), &[]);
                    play(&case, key, true, Place::Apart(offset, offset * 7 % 64), &[]);
                    play(&case, key, true, Place::Apart(offset * 5 % 64, offset), &[offset]);
                }
            });
        }
    }
}

/// What the reader must not pass over in silence.
#[test]
fn lines_that_ask_for_more_are_refused() {
    let text = include_str!("../cases/aria.jsonl");
    for mode in [r#""mode":"ecb""#, r#""mode":"ctr""#] {
        let line = text.lines().find(|line| line.contains(mode)).expect("a line of each mode");
        assert!(lines::case(line).is_ok());
        for (part, other, what) in [
            (r#""family":"#, r#""check_prefixes":"all","family":"#, "`check_prefixes`"),
            (r#""family":"#, r#""placement":"page_end","family":"#, "`placement`"),
            (mode, r#""mode":"cbc""#, "`cbc`"),
            (r#""mode":"#, r#""padding":1,"mode":"#, "`padding`"),
            (r#""cipher":"aria""#, r#""cipher":"aes""#, "not ARIA"),
            (r#""family":"aria""#, r#""family":"ctr""#, "not ARIA"),
        ] {
            let changed = line.replacen(part, other, 1);
            assert_ne!(changed, line, "`{part}` is not in the line");
            let error = lines::case(&changed).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }
    let blocks = text.lines().next().expect("a line");
    for (part, other, what) in [
        (r#""encrypt""#, r#""both""#, "`both`"),
        (r#""input_hex":""#, r#""input_hex":"00"#, "no blocks"),
        (r#""expected_hex":""#, r#""expected_hex":"00"#, "no blocks"),
    ] {
        let changed = blocks.replacen(part, other, 1);
        assert_ne!(changed, blocks, "`{part}` is not in the line");
        let error = lines::case(&changed).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
}
