//! Carries and wraps in the middle of long messages.

use byways::ctr::Field;
use byways::verify::noise;

use crate::family::oracle;
use crate::subject::{SIZES, keys};

/// The counter passes 2^32, 2^40, 2^64 and 2^128 behind so many blocks of messages of these lengths.
#[test]
fn in_long_messages() {
    const SHORT: usize = (20 << 10) + 13;
    const LONG: usize = (200 << 10) - 5;
    let message: Vec<u8> = noise(11).take(LONG).collect();
    let keys: Vec<_> = keys().collect();
    for (i, bits) in [32, 40, 64, 128].into_iter().enumerate() {
        // all ones below 2^bits, and some pattern above
        let last = 0x89ab_cdef_0123_4567_0246_8ace_1357_9bdf_u128 | u128::MAX >> (128 - bits);
        for (j, field) in Field::ALL.into_iter().enumerate() {
            let far = [3000, 4096, 8111, 12799][(i + j) % 4];
            for (len, blocks) in [(SHORT, 1), (SHORT, 256), (SHORT, 700), (SHORT, 1280), (LONG, far)] {
                let counter = last.wrapping_sub(blocks - 1);
                for size in SIZES {
                    let same_size = || keys.iter().filter(|(_, bytes, _)| bytes.len() == size);
                    let (_, key, _) = same_size().next().expect("a key of every size");
                    let mut wanted = message[..len].to_vec();
                    oracle(key, counter, field, &mut wanted);
                    for (key, _, what) in same_size() {
                        let what = || format!("{what}, {field:?}: carry of bit {bits} behind block {blocks}");
                        let mut out = message[..len].to_vec();
                        key.lend(field, counter).apply_keystream(&mut out);
                        assert!(out == wanted, "{}", what());
                        // in pieces, one of which ends within the block before the carry
                        let mut stream = key.lend(field, counter);
                        let (head, rest) = (16 * blocks as usize - 7, &message[..len]);
                        let (mut first, mut second) = (vec![0; head], vec![0; len - head]);
                        stream.apply_keystream_b2b(&rest[..head], &mut first);
                        stream.apply_keystream_b2b(&rest[head..], &mut second);
                        assert!(first == wanted[..head] && second == wanted[head..], "{}, in pieces", what());
                    }
                }
            }
        }
    }
}
