//! What messages are made of: buffers that take turns, and lengths in an order that no branch predictor remembers.

use byways::measure::Cycles;
use byways::verify::noise;

/// Longest message of mixed lengths.
pub(crate) const LONGEST_MIXED: usize = 1500;

/// How many times over all lengths come in the mixed ones. Far more messages than a branch predictor remembers.
pub(crate) const SHUFFLES: usize = 16;

/// Buffers that messages rotate among, so that none waits for the data of the one before.
const BUFFERS: usize = 8;

/// Longer messages do without: their own blocks are enough to keep the CPU busy.
const LONGEST_ROTATED: usize = 8192;

/// The buffers, each on a 64-byte boundary.
#[derive(Debug)]
pub(crate) struct Buffers {
    room: Vec<u8>,
    starts: [usize; BUFFERS],
}

impl Buffers {
    /// For messages of up to so many bytes.
    pub(crate) fn new(longest: usize) -> Self {
        let stride = longest.next_multiple_of(64);
        let buffers = if longest <= LONGEST_ROTATED { BUFFERS } else { 1 };
        let room: Vec<u8> = noise(5).take(stride * buffers + 64).collect();
        let first = (room.as_ptr() as usize).wrapping_neg() % 64;
        Buffers { room, starts: std::array::from_fn(|i| first + i % buffers * stride) }
    }

    /// The message of this number.
    pub(crate) fn message(&self, number: usize, len: usize) -> &[u8] {
        let start = self.starts[number % BUFFERS];
        &self.room[start..start + len]
    }

    /// The message of this number, to be changed.
    pub(crate) fn message_mut(&mut self, number: usize, len: usize) -> &mut [u8] {
        let start = self.starts[number % BUFFERS];
        &mut self.room[start..start + len]
    }

    /// The first 16 bytes of the buffer before, and the message of this number.
    pub(crate) fn message_and_last(&mut self, number: usize, len: usize) -> (&[u8; 16], &mut [u8]) {
        let [before, start] = [number.wrapping_sub(1), number].map(|number| self.starts[number % BUFFERS]);
        let parts = self.room.get_disjoint_mut([before..before + 16, start..start + len]);
        let [head, data] = parts.expect("buffers that do not overlap");
        (head.first_chunk().expect("16 bytes"), data)
    }
}

/// Every length from 1 to the longest, in one random order after the other.
///
/// Each order takes a turn of the race, so that all turns have the same work to do.
#[derive(Debug)]
pub(crate) struct Mixed(Vec<u16>);

impl Mixed {
    pub(crate) fn new() -> Self {
        let mut noise = noise(11);
        let mut random = || u64::from_le_bytes(std::array::from_fn(|_| noise.next().expect("without end")));
        let mut lengths = Vec::new();
        for _ in 0..SHUFFLES {
            let mut shuffle: Vec<u16> = (1..=LONGEST_MIXED as u16).collect();
            for left in (2..=shuffle.len()).rev() {
                shuffle.swap(left - 1, (random() % left as u64) as usize);
            }
            lengths.extend(shuffle);
        }
        Mixed(lengths)
    }

    /// The lengths of a turn, after so many messages.
    pub(crate) fn shuffle_at(&self, messages: usize) -> impl Iterator<Item = usize> {
        let mut shuffles = self.0.chunks_exact(LONGEST_MIXED);
        let shuffle = shuffles.nth(messages / LONGEST_MIXED % SHUFFLES).expect("so many shuffles");
        shuffle.iter().map(|&len| usize::from(len))
    }

    /// Of the cycles of a turn, those of a message.
    pub(crate) fn a_message(turn: Cycles) -> Cycles {
        let [best, quartile, median, upper] =
            [turn.best, turn.quartile, turn.median, turn.upper].map(|cycles| cycles / LONGEST_MIXED as f64);
        Cycles { best, quartile, median, upper }
    }
}
