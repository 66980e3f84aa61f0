//! A line's steps, taken anywhere and in any pieces.

use crate::cases::{Case, Step};
use crate::family::oracle;
use crate::subject::{Key, Stream, tiers};

/// Where the bytes of a call are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// In place, so far behind a 64-byte boundary.
    Same(usize),
    /// From one offset to another.
    Apart(usize, usize),
}

impl Place {
    /// What the stream makes of the input. Nothing beside the output changes.
    pub(crate) fn apply(self, stream: &mut dyn Stream, input: &[u8]) -> Vec<u8> {
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
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

const FENCE: [u8; 64] = [0xa5; 64];

impl Buffer {
    /// So far behind a 64-byte boundary.
    pub(crate) fn new(content: &[u8], offset: usize) -> Self {
        let len = content.len();
        let mut bytes = vec![0; len + offset + 3 * FENCE.len()];
        let start = FENCE.len() + bytes.as_ptr().addr().wrapping_neg() % 64 + offset;
        bytes[start - FENCE.len()..start].copy_from_slice(&FENCE);
        bytes[start..start + len].copy_from_slice(content);
        bytes[start + len..start + len + FENCE.len()].copy_from_slice(&FENCE);
        Buffer { bytes, start }
    }

    /// The bytes themselves.
    pub(crate) fn inside(&mut self, len: usize) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + len]
    }

    /// The bytes, beside which nothing changed.
    pub(crate) fn take(mut self, len: usize) -> Vec<u8> {
        let (before, behind) = (self.start - FENCE.len(), self.start + len);
        assert_eq!(self.bytes[before..self.start], FENCE, "a byte before the buffer changed");
        assert_eq!(self.bytes[behind..behind + FENCE.len()], FENCE, "a byte behind the buffer changed");
        self.inside(len).to_vec()
    }
}

/// Takes the case's steps, with the calls cut after so many bytes of the input, and checks what comes out.
pub(crate) fn play(case: &Case, key: &Key, borrowed: bool, place: Place, cuts: &[usize]) {
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

/// With the case's key.
pub(crate) fn on_every_tier(case: &Case, check: impl Fn(&Key)) {
    for &width in tiers() {
        check(&Key::new(&case.key, width));
    }
}
