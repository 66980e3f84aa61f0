//! The end of the keystream: all 2^32 or 2^64 blocks can be had, and not one byte more.

use byways::ctr::Field;
use byways::verify::noise;

use crate::family::oracle;
use crate::subject::{Stream, keys};

/// Counters to start from: at the start of their field, in its middle and at its end.
const COUNTERS: [u128; 3] =
    [0x0123_4567_89ab_cdef << 64, 0x0123_4567_89ab_cdef_8234_5678_9abc_def1, 0x0123_4567_89ab_cdef_ffff_ffff_ffff_ffff];

/// The last so many bytes of the keystream.
fn last(key: &[u8], counter: u128, field: Field, bytes: usize) -> Vec<u8> {
    let blocks = bytes.div_ceil(16);
    let mut keystream = vec![0; 16 * blocks];
    oracle(key, field.add(counter, (blocks as u128).wrapping_neg()), field, &mut keystream);
    keystream.split_off(16 * blocks - bytes)
}

/// No call may give so many bytes: the data and the position stay.
fn refuses(stream: &mut dyn Stream, bytes: usize, what: &str) {
    let message: Vec<u8> = noise(5).take(bytes).collect();
    let position = stream.position();
    assert!(stream.check_remaining(bytes).is_err(), "{what}");
    let mut data = message.clone();
    assert!(stream.try_apply_keystream(&mut data).is_err(), "{what}");
    assert!(data == message, "{what}: data changed");
    assert!(stream.try_write_keystream(&mut data).is_err(), "{what}");
    assert!(data == message, "{what}: data changed");
    let mut out = vec![0x77; bytes];
    assert!(stream.try_apply_keystream_b2b(&message, &mut out).is_err(), "{what}");
    assert!(out.iter().all(|&byte| byte == 0x77), "{what}: output changed");
    assert_eq!(stream.position(), position, "{what}");
}

fn gives(stream: &mut dyn Stream, wanted: &[u8], what: &str) {
    let mut keystream = vec![0; wanted.len()];
    assert!(stream.check_remaining(wanted.len()).is_ok(), "{what}");
    assert!(stream.try_apply_keystream(&mut keystream).is_ok(), "{what}");
    assert!(keystream == wanted, "{what}");
}

#[test]
fn all_of_2_to_the_32_or_64_blocks_and_no_more() {
    for (key, bytes, what) in keys() {
        for (field, end) in [(Field::Bits32, 1_u128 << 36), (Field::Bits64, 1 << 68)] {
            for counter in COUNTERS {
                let what = &format!("{what}, {field:?} from {counter:#x}");
                let near = last(&bytes, counter, field, 5000);
                let block = &near[5000 - 16..];
                let mut start = [0; 40];
                oracle(&bytes, counter, field, &mut start);
                let mut stream = key.lend(field, counter);
                let stream = stream.as_mut();

                // beyond the end is nowhere
                gives(stream, &start[..21], what);
                for beyond in [end + 1, end + 15, end + 16, u128::MAX - 15, u128::MAX] {
                    assert!(!stream.go_to(beyond), "{what}: {beyond}");
                    assert_eq!(stream.position(), Some(21), "{what}");
                }
                gives(stream, &start[21..], what);

                // at the end there is nothing, which can be had
                assert!(stream.go_to(end), "{what}");
                assert_eq!(stream.position(), Some(end), "{what}");
                gives(stream, &[], what);
                for bytes in [1, 16, 5000] {
                    refuses(stream, bytes, what);
                }

                // the last block, whole
                assert!(stream.go_to(end - 16), "{what}");
                refuses(stream, 17, what);
                gives(stream, block, what);
                assert_eq!(stream.position(), Some(end), "{what}");
                refuses(stream, 1, what);
                gives(stream, &[], what);

                // and in pieces
                assert!(stream.go_to(end - 16), "{what}");
                gives(stream, &block[..5], what);
                refuses(stream, 12, what);
                gives(stream, &block[5..15], what);
                assert_eq!(stream.position(), Some(end - 1), "{what}");
                refuses(stream, 2, what);
                gives(stream, &block[15..], what);
                assert_eq!(stream.position(), Some(end), "{what}");
                refuses(stream, 1, what);
                assert!(stream.go_to(end - 3), "{what}");
                gives(stream, &block[13..], what);
                refuses(stream, 1, what);

                // many blocks that end there
                for from in [5000, 4999, 4096, 1024, 33] {
                    assert!(stream.go_to(end - from as u128), "{what}");
                    refuses(stream, from + 1, what);
                    gives(stream, &near[5000 - from..], what);
                    refuses(stream, 1, what);
                }

                // and then it goes on from elsewhere
                assert!(stream.go_to(7), "{what}");
                gives(stream, &start[7..], what);
            }
        }
    }
}

/// The unchecked calls go round, without a panic; then the checked ones refuse, until one seeks.
#[test]
fn unchecked_calls_go_round() {
    for (key, bytes, what) in keys() {
        for (field, end) in [(Field::Bits32, 1_u128 << 36), (Field::Bits64, 1 << 68)] {
            for counter in COUNTERS {
                let mut wanted = last(&bytes, counter, field, 100);
                let mut start = [0; 300];
                oracle(&bytes, counter, field, &mut start);
                wanted.extend(start);
                let mut stream = key.lend(field, counter);
                assert!(stream.go_to(end - 100), "{what}");
                let mut keystream = [0; 400];
                stream.unchecked_apply_keystream(&mut keystream[..350]);
                stream.unchecked_write_keystream(&mut keystream[350..]);
                assert!(keystream == wanted[..], "{what}, {field:?} from {counter:#x}");
                assert!(stream.check_remaining(1).is_err(), "{what}");
                assert!(stream.go_to(0), "{what}");
                gives(stream.as_mut(), &start, &what);
            }
        }
    }
}

/// The end of 2^128 blocks is further away than a number can say; where positions end, the keystream goes on.
#[test]
fn of_2_to_the_128_blocks_no_end_is_reached() {
    for (key, bytes, what) in keys() {
        for counter in COUNTERS {
            let mut wanted = [0; 3000];
            oracle(&bytes, counter.wrapping_add((1 << 124) - 1), Field::Bits128, &mut wanted);
            let mut stream = key.lend(Field::Bits128, counter);
            assert!(stream.go_to(u128::MAX), "{what}");
            // the trait's arithmetic takes it by the end of its block, which is one too far
            assert_eq!(stream.position(), None, "{what}");
            gives(stream.as_mut(), &wanted[15..20], &what);
            assert_eq!(stream.position(), None, "{what}");
            gives(stream.as_mut(), &wanted[20..], &what);
            assert!(stream.go_to(u128::MAX - 15), "{what}");
            assert_eq!(stream.position(), Some(u128::MAX - 15), "{what}");
            gives(stream.as_mut(), &wanted, &what);
        }
    }
}
