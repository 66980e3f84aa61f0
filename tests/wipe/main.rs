//! A18: a key that is dropped leaves no copy of its round keys, neither where it was nor on the stack; nor does anything
//! else stay that tells keystream.
//!
//! What is looked at is done on a stack of its own, all of which is searched afterwards. A tier that cannot run here, and
//! what is not searched, is listed on standard error.
#![allow(unsafe_code)]
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod search;
mod subject;

use std::hint::black_box;
use std::mem::ManuallyDrop;

use byways::cipher::array::Array;
use byways::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, InnerIvInit, StreamCipher, StreamCipherSeek, consts};
use byways::cpu::Detected;
use byways::ctr::Ctr128BE;
use byways::keys::AesKeys;
use byways::keys::aria::Schedule;
use byways::{Aes128, Aes192, Aes256, Aria128, Aria192, Aria256, Width};

use search::{Secrets, before_and_after_drop, images, stack_after};
use subject::{COUNTER, LONG, Subject, for_all, for_every_key, message, note, tiers};

/// Without this, the searches below might find nothing anywhere.
#[test]
fn the_search_finds_what_is_left() {
    #[inline(never)]
    fn leave(block: &[u8; 16]) {
        black_box([*block; 3]);
    }
    fn check<S: Subject>(width: Width) {
        let (secrets, block) = S::secrets(width);
        let found = secrets.find(&stack_after(|| leave(&block)));
        assert!(found.len() >= 2 && found.iter().all(|(_, what)| *what == "a round key"), "{found:?}");
        // a key that is not dropped
        let found = secrets.find(&stack_after(|| {
            let key = ManuallyDrop::new(S::build(width));
            black_box(&key);
        }));
        assert!(found.len() >= 2 * S::ROUND_KEYS, "{}: {found:?}", S::name(width));
    }
    for_all!(check);
}

/// Whatever differs from key to key while there is one is zeros when there is none.
fn leaves_zeros<S: Subject>(width: Width) {
    let name = S::name(width);
    let use_it = |key: &S| {
        let mut stream = Ctr128BE::inner_iv_init(key, &COUNTER.into());
        let mut data = message();
        stream.apply_keystream(&mut data[..5]);
        stream.apply_keystream(&mut data[5..1000]);
        stream.apply_keystream(&mut data[1000..]);
    };
    let [[one, after_one], [other, after_other]] = images(width, use_it);
    let secret: Vec<usize> = (0..one.len()).filter(|&at| one[at] != other[at]).collect();
    assert!(secret.len() > 15 * S::ROUND_KEYS, "{name}: no round keys where they should be");
    let left = secret.iter().filter(|&&at| after_one[at] != 0 || after_other[at] != 0).count();
    assert_eq!(left, 0, "{name}: of {} bytes that differ from key to key", secret.len());
    assert!(after_one == after_other, "{name}: bytes differ from key to key that did not before");
}

#[test]
fn a18_where_a_key_was_there_are_zeros() {
    fn check<S: Subject>(width: Width) {
        leaves_zeros::<S>(width);
        let (secrets, _) = S::secrets(width);
        let [[_, after], _] = images::<S>(width, |_| {});
        secrets.are_not_in(&after, "the place of a key");
    }
    for_all!(check);
}

/// Also where other crates stand in.
#[test]
fn a18_where_a_fallback_key_was_there_are_zeros() {
    fn check<S: Subject>() {
        leaves_zeros::<S>(Width::Fallback);
    }
    for_every_key!(check);
}

/// Of a block that is not used up, the keystream is kept until it is, or until the position is elsewhere.
#[test]
fn a18_where_a_stream_was_there_is_no_keystream() {
    fn check<S: Subject>(width: Width) {
        let key = S::build(width);
        let keystream = Secrets::default().keystream::<S>(7);
        let start = || {
            let mut stream = Ctr128BE::inner_iv_init(&key, &COUNTER.into());
            stream.apply_keystream(&mut [0; 5]);
            stream.apply_keystream(&mut [0; 2]);
            stream
        };
        let [before, after] = before_and_after_drop(start, |_| {});
        assert_eq!(keystream.find(&before).len(), 1, "a block is kept");
        keystream.are_not_in(&after, "the place of a stream");
        let [used_up, _] = before_and_after_drop(start, |stream| stream.apply_keystream(&mut [0; 9]));
        keystream.are_not_in(&used_up, "a stream that used up its block");
        for position in [0_u32, 16, 1000] {
            let [elsewhere, _] = before_and_after_drop(start, |stream| stream.seek(position));
            keystream.are_not_in(&elsewhere, "a stream that is elsewhere");
        }
    }
    for_all!(check);
}

#[test]
fn a18_building_leaves_nothing_on_the_stack() {
    fn check<S: Subject>(width: Width) {
        let (secrets, _) = S::secrets(width);
        let what = |what: &str| format!("{what}, {}", S::name(width));
        let left = stack_after(|| {
            let key = S::build(width);
            black_box(&key);
        });
        secrets.are_not_in(&left, &what("a key"));
        let key = S::build(width);
        let left = stack_after(|| {
            let copy = key.clone();
            black_box(&copy);
        });
        secrets.are_not_in(&left, &what("a clone"));
        // a key that is handed on by value is moved, and where nothing is optimised a move is a copy
        if cfg!(debug_assertions) {
            note("not searched without optimisation: the stack after a stream was built that owns its key".into());
            return;
        }
        let left = stack_after(|| {
            let stream = S::stream();
            black_box(&stream);
        });
        secrets.are_not_in(&left, &what("a stream"));
    }
    for_all!(check);
}

/// As [`byways::keys`] has them.
#[test]
fn a18_building_round_keys_leaves_nothing_on_the_stack() {
    fn check<S: Subject>() {
        let aes = Detected::get().aes().expect("kernels need AES-NI");
        let (secrets, _) = S::secrets(Width::Xmm);
        let left = stack_after(|| {
            let keys = AesKeys::new(S::KEY, aes);
            black_box(&keys);
        });
        secrets.are_not_in(&left, &format!("round keys of {} bits", S::KEY.len() * 8));
    }
    // in place, for a schedule that is moved leaves a copy
    fn check_schedule<S: Subject>() {
        let Some(rounds) = Detected::get().aria_rounds() else { return };
        let (secrets, _) = S::secrets(Width::Xmm);
        let left = stack_after(|| {
            let mut schedule = Schedule::empty(rounds);
            schedule.fill(S::KEY).expect("a key of this size");
            black_box(&schedule);
        });
        secrets.are_not_in(&left, &format!("a schedule of {} bits", S::KEY.len() * 8));
    }
    if tiers::<Aria128>().next().is_some() {
        check_schedule::<Aria128>();
        check_schedule::<Aria192>();
        check_schedule::<Aria256>();
    }
    if tiers::<Aes128>().next().is_some() {
        check::<Aes128>();
        check::<Aes192>();
        check::<Aes256>();
    }
}

/// Each call alone, for the next one would write over what it left.
#[test]
fn a18_using_leaves_nothing_on_the_stack() {
    fn check<S: Subject>(width: Width) {
        let key = S::build(width);
        for calls in [
            &[0][..],
            &[1],
            &[5],
            &[16],
            &[19],
            &[33],
            &[100],
            &[117],
            &[500],
            &[1000],
            &[4096 + 3],
            &[LONG],
            // the rest of a block, or some of it
            &[5, 2],
            &[5, 11],
            &[5, 12],
            &[5, 2, 1],
            &[5, 2, 1000],
            &[5, LONG - 5],
        ] {
            let (last, before) = calls.split_last().expect("a call at least");
            let secrets = S::secrets(width).0.keystream::<S>(calls.iter().sum());
            let mut data = message();
            let mut stream = Box::new(Ctr128BE::inner_iv_init(&key, &COUNTER.into()));
            for &bytes in before {
                stream.apply_keystream(&mut data[..bytes]);
            }
            let (now, at) = (&mut data[..*last], &mut stream);
            let left = stack_after(move || at.apply_keystream(now));
            let what = || format!("{}, calls of {calls:?} bytes", S::name(width));
            secrets.are_not_in(&left, &what());
            let left = stack_after(|| drop(stream));
            secrets.are_not_in(&left, &format!("dropping, {}", what()));
        }
    }
    for_all!(check);
}

/// The same of blocks, by the slice and by the backend that mode crates use.
#[test]
fn a18_using_blocks_leaves_nothing_on_the_stack() {
    type Block = Array<u8, consts::U16>;

    fn on_tiers<S: Subject + BlockCipherEncrypt<BlockSize = consts::U16> + BlockCipherDecrypt>() {
        for width in tiers::<S>() {
            let (secrets, _) = S::secrets(width);
            let key = S::build(width);
            let calls: [fn(&S, &mut [Block]); 4] = [
                |key, blocks| key.encrypt_blocks(blocks),
                |key, blocks| key.decrypt_blocks(blocks),
                |key, blocks| <&S>::encrypt_blocks(&key, blocks),
                |key, blocks| <&S>::decrypt_blocks(&key, blocks),
            ];
            for (i, call) in calls.into_iter().enumerate() {
                for blocks in [0, 1, 2, 3, 5, 8, 13, 16, 31, 33, 64, 67, 92, 130, 1000] {
                    let mut data = message();
                    let (data, _) = Array::slice_as_chunks_mut(&mut data[..16 * blocks]);
                    let key = &key;
                    let left = stack_after(move || call(key, data));
                    secrets.are_not_in(&left, &format!("{}, call {i} of {blocks} blocks", S::name(width)));
                }
            }
        }
    }
    on_tiers::<Aria128>();
    on_tiers::<Aria192>();
    on_tiers::<Aria256>();
}

/// The widest kernels of ARIA have a register a byte: the same byte of so many blocks as a register has bytes, in some order.
/// Before the last key is added to it, that is keystream but for one value, so that who knows keystream knows the key.
#[test]
fn a18_using_leaves_no_bytes_of_blocks_on_the_stack() {
    fn on_tiers<S: Subject>() {
        for width in tiers::<S>() {
            let blocks = match width {
                Width::Xmm => 16,
                Width::Ymm => 32,
                _ => 64,
            };
            let mut keystream = vec![0; 16 * blocks];
            Ctr128BE::inner_iv_init(S::build(Width::Fallback), &COUNTER.into()).apply_keystream(&mut keystream);
            // differences, sorted by the first: the one value is not known
            let differences = |bytes: &[u8]| {
                let sorted = |value: u8| {
                    let mut all: Vec<u8> = bytes.iter().map(|byte| byte ^ value).collect();
                    all.sort_unstable();
                    all
                };
                bytes.iter().map(|&byte| sorted(byte)).min().expect("bytes")
            };
            let secrets: Vec<Vec<u8>> = (0..16)
                .map(|i| differences(&keystream.iter().skip(i).step_by(16).copied().collect::<Vec<_>>()))
                .collect();
            let key = S::build(width);
            let mut stream = Box::new(Ctr128BE::inner_iv_init(&key, &COUNTER.into()));
            let mut data = message();
            let (stream, data) = (&mut stream, &mut data[..16 * blocks]);
            let left = stack_after(move || stream.apply_keystream(data));
            let found = left.windows(blocks).step_by(8).filter(|bytes| secrets.contains(&differences(bytes))).count();
            assert_eq!(found, 0, "{}: registers of cipher state are left", S::name(width));
        }
    }
    on_tiers::<Aria128>();
    on_tiers::<Aria192>();
    on_tiers::<Aria256>();
}

/// All of it in one go: built, used and dropped.
#[test]
fn a18_from_building_to_dropping_nothing_is_left() {
    fn check<S: Subject>(width: Width) {
        let secrets = S::secrets(width).0.keystream::<S>(5 + 2 + 1000);
        for long in [false, true] {
            let mut data = message();
            let data = data.as_mut_slice();
            let left = stack_after(move || {
                let key = S::build(width);
                if long {
                    Ctr128BE::inner_iv_init(&key, &COUNTER.into()).apply_keystream(data);
                }
                let mut stream = Ctr128BE::inner_iv_init(&key, &COUNTER.into());
                stream.apply_keystream(&mut data[..5]);
                stream.apply_keystream(&mut data[5..7]);
                stream.apply_keystream(&mut data[7..1007]);
            });
            secrets.are_not_in(&left, &format!("{}, a long message: {long}", S::name(width)));
        }
    }
    for_all!(check);
}
