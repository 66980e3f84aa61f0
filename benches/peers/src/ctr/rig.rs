//! Counter blocks, and the loops that hand messages to a contestant: one dynamic call a message, and the same code around
//! it for everybody.

use byways::verify::noise;

use super::Peer;
use crate::messages::{Buffers, Mixed};

/// How many counter blocks are at hand.
const IVS: usize = 256;

/// Where a contestant is in its sequence of messages.
#[derive(Default, Debug)]
pub(super) struct Turn(usize);

/// What the messages of a race are made of.
#[derive(Debug)]
pub(super) struct Rig {
    len: usize,
    buffers: Buffers,
    ivs: [[u8; 16]; IVS],
}

impl Rig {
    /// For messages of up to so many bytes.
    pub(super) fn new(len: usize) -> Self {
        Rig { len, buffers: Buffers::new(len), ivs: std::array::from_fn(iv) }
    }

    /// Messages whose counter blocks were written long before.
    pub(super) fn independent(&mut self, peer: &mut dyn Peer, turn: &mut Turn, times: usize) {
        for _ in 0..times {
            turn.0 = turn.0.wrapping_add(1);
            peer.apply(&self.ivs[turn.0 % IVS], self.buffers.message_mut(turn.0, self.len));
        }
    }

    /// Messages whose counter block is the first 16 bytes of the buffer before.
    pub(super) fn dependent(&mut self, peer: &mut dyn Peer, turn: &mut Turn, times: usize) {
        for _ in 0..times {
            turn.0 = turn.0.wrapping_add(1);
            let (iv, data) = self.buffers.message_and_last(turn.0, self.len);
            peer.apply(iv, data);
        }
    }

    /// As [`independent`](Rig::independent), but each time is a shuffle of all lengths.
    pub(super) fn mixed(&mut self, peer: &mut dyn Peer, turn: &mut Turn, times: usize, mixed: &Mixed) {
        for _ in 0..times {
            for len in mixed.shuffle_at(turn.0) {
                turn.0 = turn.0.wrapping_add(1);
                peer.apply(&self.ivs[turn.0 % IVS], self.buffers.message_mut(turn.0, len));
            }
        }
    }
}

/// A counter block as IPsec makes it (RFC 3686): anything, and a 32-bit counter that starts at 1.
///
/// So contestants agree that count in 32 bits and in 128.
pub(super) fn iv(message: usize) -> [u8; 16] {
    let mut iv = [0; 16];
    iv.iter_mut().zip(noise(message as u64 * 2 + 1).skip(32)).for_each(|(byte, new)| *byte = new);
    iv[12..].copy_from_slice(&1_u32.to_be_bytes());
    iv
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{LONGEST_MIXED, SHUFFLES};

    /// Notes what it is given, and writes the number of the call.
    #[derive(Default)]
    struct Recorder(Vec<([u8; 16], usize, usize)>);

    impl Peer for Recorder {
        fn name(&self) -> &str {
            "recorder"
        }

        fn about(&self) -> String {
            String::new()
        }

        fn apply(&mut self, iv: &[u8; 16], data: &mut [u8]) {
            self.0.push((*iv, data.as_ptr() as usize, data.len()));
            data.fill(self.0.len() as u8);
        }
    }

    #[test]
    fn messages_rotate() {
        for (len, buffers) in [(16, 8), (100, 8), (8192, 8), (8193, 1)] {
            let (mut rig, mut peer, mut turn) = (Rig::new(len), Recorder::default(), Turn::default());
            rig.independent(&mut peer, &mut turn, 10);
            rig.independent(&mut peer, &mut turn, 10);
            let mut places: Vec<usize> = peer.0.iter().map(|call| call.1).collect();
            assert!(places.iter().all(|place| place % 64 == 0) && peer.0.iter().all(|call| call.2 == len));
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), buffers);
            let mut ivs: Vec<[u8; 16]> = peer.0.iter().map(|call| call.0).collect();
            ivs.sort_unstable();
            ivs.dedup();
            assert_eq!(ivs.len(), 20);
        }
    }

    #[test]
    fn dependent_messages_start_at_the_last_output() {
        for len in [1, 16, 1472] {
            let (mut rig, mut peer, mut turn) = (Rig::new(len), Recorder::default(), Turn::default());
            rig.dependent(&mut peer, &mut turn, 30);
            for (call, (iv, _, _)) in peer.0.iter().enumerate().skip(1) {
                assert_eq!(iv[..len.min(16)], [call as u8; 16][..len.min(16)]);
            }
        }
    }

    #[test]
    fn a_turn_of_mixed_lengths_has_every_length() {
        let mixed = Mixed::new();
        let (mut rig, mut turn) = (Rig::new(LONGEST_MIXED), Turn::default());
        let mut turns = Vec::new();
        for _ in 0..SHUFFLES + 1 {
            let mut peer = Recorder::default();
            rig.mixed(&mut peer, &mut turn, 1, &mixed);
            let turn: Vec<usize> = peer.0.iter().map(|call| call.2).collect();
            let mut sorted = turn.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(1..=LONGEST_MIXED));
            turns.push(turn);
        }
        assert_eq!(turns.pop().as_ref(), turns.first());
        turns.sort();
        turns.dedup();
        assert_eq!(turns.len(), SHUFFLES);
    }
}
