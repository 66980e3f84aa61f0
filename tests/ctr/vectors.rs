//! Every line of `ctr.jsonl`, on every tier: whole, cut at every place, in place and from one buffer to another.

use byways::Width;
use byways::verify::ctr::oracle;

use crate::cases::{self, Case, Step};
use crate::subject::{Key, Stream, tiers};

/// Where the bytes of a call are.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In place, so far behind a 64-byte boundary.
    Same(usize),
    /// From one offset to another.
    Apart(usize, usize),
}

impl Place {
    /// What the stream makes of the input. Nothing beside the output changes.
    fn apply(self, stream: &mut dyn Stream, input: &[u8]) -> Vec<u8> {
        let len = input.len();
        match self {
            Place::Same(offset) => {
                let mut buffer = Buffer::new(input, offset);
                stream.try_apply_keystream(buffer.inside(len)).expect("no line reaches the end of the keystream");
                buffer.take(len)
            }
            Place::Apart(from, to) => {
                let (mut source, mut target) = (Buffer::new(input, from), Buffer::new(&vec![0x99; len], to));
                stream
                    .try_apply_keystream_b2b(source.inside(len), target.inside(len))
                    .expect("no line reaches the end of the keystream");
                assert_eq!(source.take(len), input, "the input changed");
                target.take(len)
            }
        }
    }
}

/// Bytes with others around them that must stay.
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

const FENCE: [u8; 64] = [0xa5; 64];

impl Buffer {
    fn new(content: &[u8], offset: usize) -> Self {
        let len = content.len();
        let mut bytes = vec![0; len + offset + 3 * FENCE.len()];
        let start = FENCE.len() + bytes.as_ptr().addr().wrapping_neg() % 64 + offset;
        bytes[start - FENCE.len()..start].copy_from_slice(&FENCE);
        bytes[start..start + len].copy_from_slice(content);
        bytes[start + len..start + len + FENCE.len()].copy_from_slice(&FENCE);
        Buffer { bytes, start }
    }

    fn inside(&mut self, len: usize) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + len]
    }

    fn take(mut self, len: usize) -> Vec<u8> {
        let (before, behind) = (self.start - FENCE.len(), self.start + len);
        assert_eq!(self.bytes[before..self.start], FENCE, "a byte before the buffer changed");
        assert_eq!(self.bytes[behind..behind + FENCE.len()], FENCE, "a byte behind the buffer changed");
        self.inside(len).to_vec()
    }
}

/// Takes the case's steps, with the calls cut after so many bytes of the input, and checks what comes out.
fn play(case: &Case, key: &Key, borrowed: bool, place: Place, cuts: &[usize]) {
    let what = || format!("{} ({}), {place:?}, borrowed: {borrowed}", case.id, case.source);
    let start = |counter| if borrowed { key.lend(case.field, counter) } else { key.copy(case.field, counter) };
    let mut stream = start(case.counter);
    let (mut done, mut out) = (0, Vec::new());
    for step in &case.steps {
        match *step {
            Step::Apply(bytes) => {
                let end = done + bytes;
                // of nothing, too, there is a call
                let inside = done + 1..end;
                for to in cuts.iter().copied().filter(|cut| inside.contains(cut)).chain([end]) {
                    out.extend(place.apply(stream.as_mut(), &case.input[done..to]));
                    done = to;
                }
            }
            Step::Seek(position) => assert!(stream.go_to(position), "{}", what()),
            Step::ExpectPos(position) => assert_eq!(stream.position(), Some(position), "{}", what()),
            Step::Reinit(counter) => stream = start(counter),
        }
    }
    assert!(out == case.expected, "{}: wrong output", what());
    assert_eq!(done, case.input.len(), "{}: the steps do not use all of the input", what());
    if let Some(after) = case.counter_after {
        let position = stream.position().expect("a position near the start");
        assert!(stream.go_to(position.next_multiple_of(16)), "{}", what());
        let (mut next, mut wanted) = ([0; 16], [0; 16]);
        stream.apply_keystream(&mut next);
        oracle(&case.key, after, case.field, &mut wanted);
        assert_eq!(next, wanted, "{}: the next counter", what());
    }
}

fn on_every_tier(case: &Case, check: impl Fn(&Key)) {
    for &width in tiers() {
        check(&Key::new(&case.key, width));
    }
}

#[test]
fn every_line_whole() {
    let cases = cases::all().unwrap();
    assert!(cases.len() >= 90, "lines were lost");
    for case in &cases {
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
fn every_line_cut_at_every_place() {
    for case in &cases::all().unwrap() {
        on_every_tier(case, |key| {
            // unoptimised, the crates that stand in are slow
            let alternate = key.width() == Width::Fallback;
            for cut in 1..case.input.len() {
                if !alternate || cut % 2 == 0 {
                    play(case, key, true, Place::Same(cut * 5 % 64), &[cut]);
                }
                if !alternate || cut % 2 == 1 {
                    play(case, key, true, Place::Apart(cut * 7 % 64, cut * 3 % 64), &[cut]);
                }
            }
        });
    }
}

#[test]
fn every_line_in_many_pieces() {
    for case in &cases::all().unwrap() {
        on_every_tier(case, |key| {
            for piece in [1, 3, 15, 16, 17, 31, 64, 100, 1000] {
                let cuts: Vec<usize> = (1..case.input.len()).step_by(piece).collect();
                play(case, key, false, Place::Same(piece % 64), &cuts);
                play(case, key, true, Place::Apart(piece % 64, 0), &cuts);
            }
        });
    }
}

/// The lines of a requirement, all of which must be there.
fn requirement(ids: &[&str]) {
    let cases = cases::all().unwrap();
    for id in ids {
        let case = cases.iter().find(|case| case.id == *id).unwrap_or_else(|| panic!("the line {id} is missing"));
        on_every_tier(case, |key| {
            for cut in 0..case.input.len().min(200) {
                play(case, key, false, Place::Same(0), &[cut]);
                play(case, key, true, Place::Apart(1, 2), &[cut]);
            }
        });
    }
}

#[test]
fn a01_a_128_bit_counter_carries_through_all_bits() {
    requirement(&["A01-aes128", "A01-aes192", "A01-aes256"]);
}

#[test]
fn a02_each_counter_width_leaves_the_other_bytes_alone() {
    requirement(&["A02-lo32-width32", "A02-lo32-width64", "A02-lo32-width128"]);
    requirement(&["A02-lo64-width32", "A02-lo64-width64", "A02-lo64-width128"]);
}

#[test]
fn a03_a_counter_of_all_ones_is_like_any_other() {
    requirement(&["A03-width32-oneblock", "A03-width64-oneblock", "A03-width128-oneblock"]);
    requirement(&["A03-width32-allones", "A03-width64-allones", "A03-width128-allones"]);
}

#[test]
fn a04_one_pass_equals_many() {
    requirement(&["A04-96", "A04-32x3", "A04-11-56"]);
}

#[test]
fn a05_in_place_works_for_every_length() {
    requirement(&["A05-37", "A05-1"]);
}

#[test]
fn a06_a_new_counter_drops_what_was_left() {
    requirement(&["A06"]);
}

#[test]
fn a07_positions_are_right() {
    requirement(&["A07-seek16", "A07-pos4096", "A07-seek21"]);
}
