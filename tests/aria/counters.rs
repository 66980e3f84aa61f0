//! Counter mode beside what it shares with AES: wraps and carries in every lane, and every length.

use byways::ctr::Field;
use byways::verify::noise;

use crate::family::oracle;
use crate::play::Place;
use crate::subject::{SIZES, keys};

/// More blocks than two of the largest batches, and a part of one.
const BYTES: usize = 16 * 140 + 5;

/// The counter passes each power of 2^8 behind so many blocks: in every lane of a batch, of the next, and at its end.
#[test]
fn each_byte_carries_in_every_lane() {
    let message: Vec<u8> = noise(31).take(BYTES).collect();
    let keys: Vec<_> = keys().collect();
    for blocks in 0..=130 {
        for bits in (8..=128).step_by(8) {
            // all ones below 2^bits, and some pattern above
            let last = 0x89ab_cdef_0123_4567_0246_8ace_1357_9bdf_u128 | u128::MAX >> (128 - bits);
            let counter = last.wrapping_sub(blocks).wrapping_add(1);
            // those at which a field ends, for all of them
            let all = [32, 64, 128].contains(&bits);
            let turn = blocks as usize + bits / 8;
            for field in
                Field::ALL.into_iter().enumerate().filter(|(i, _)| all || turn % 3 == *i).map(|(_, field)| field)
            {
                for size in
                    SIZES.into_iter().enumerate().filter(|(i, _)| all || turn / 3 % 3 == *i).map(|(_, size)| size)
                {
                    let same_size = || keys.iter().filter(|(_, bytes, _)| bytes.len() == size);
                    let (_, key, _) = same_size().next().expect("a key of every size");
                    let mut wanted = message.clone();
                    oracle(key, counter, field, &mut wanted);
                    for (key, _, what) in same_size() {
                        let mut found = message.clone();
                        key.lend(field, counter).apply_keystream(&mut found);
                        let wrong = found.chunks(16).zip(wanted.chunks(16)).position(|(found, wanted)| found != wanted);
                        assert_eq!(wrong, None, "{what}, {field:?}: a carry of bit {bits} behind block {blocks}");
                    }
                }
            }
        }
    }
}

/// In place and from one buffer to another, at offsets that go round, with counters that wrap or carry on the way.
#[test]
fn every_length() {
    const LONGEST: usize = 16 * 140;
    let message: Vec<u8> = noise(32).take(LONGEST).collect();
    let keys: Vec<_> = keys().collect();
    for len in 0..=LONGEST {
        let field = Field::ALL[len % 3];
        let size = SIZES[len / 3 % 3];
        let before = (len * 7) as u128 % (len as u128 / 16 + 2);
        let wrap = field.add(0x0123_4567_89ab_cdef_ffff_ffff_ffff_ffff | u128::MAX >> (128 - field.bits()), 1);
        let counter = field.add(wrap, before.wrapping_neg());
        let same_size = || keys.iter().filter(|(_, bytes, _)| bytes.len() == size);
        let (_, key, _) = same_size().next().expect("a key of every size");
        let mut wanted = message[..len].to_vec();
        oracle(key, counter, field, &mut wanted);
        for (key, _, what) in same_size() {
            for place in [Place::Same(len * 5 % 64), Place::Apart(len * 5 % 64, len * 11 % 64)] {
                let found = place.apply(key.lend(field, counter).as_mut(), &message[..len]);
                assert!(found == wanted, "{what}, {field:?}: {len} bytes from {counter:#x}, {place:?}");
            }
        }
    }
}
