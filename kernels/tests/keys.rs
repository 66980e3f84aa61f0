//! Key schedules: against the interpreter's, which has no instruction in common with them, and against FIPS 197.
#![allow(unsafe_code)]
#![cfg(target_arch = "x86_64")]

use byways_codegen::eval::aes_round_keys;
use byways_codegen::spec::KeySize;
use byways_kernels::cpu::{Aes, Detected};
use byways_kernels::keys::{AesKeys, KeyError};

fn aes() -> Option<Aes> {
    let aes = Detected::get().aes();
    if aes.is_none() {
        println!("not run on this CPU, which has no AES-NI: key schedules");
    }
    aes
}

fn key(bytes: usize, seed: u64) -> Vec<u8> {
    (0..bytes as u64).map(|i| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * i as u32) ^ i) as u8).collect()
}

#[test]
fn round_keys_are_those_of_the_interpreter() {
    let Some(aes) = aes() else { return };
    for size in KeySize::ALL {
        for seed in 0..200 {
            let key = key(size.bits() / 8, seed);
            let keys = AesKeys::new(&key, aes).unwrap();
            let found: Vec<[u8; 16]> = keys.as_slice().iter().map(|key| key.bytes()).collect();
            assert_eq!(Some(found), aes_round_keys(size, &key), "{size:?}");
        }
    }
}

/// FIPS 197, appendix A: the last round key of each example.
#[test]
fn published_round_keys() {
    let Some(aes) = aes() else { return };
    let hex = |digits: &str| -> Vec<u8> {
        (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
    };
    let examples = [
        ("2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"),
        ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202"),
        ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "fe4890d1e6188d0b046df344706c631e"),
    ];
    for (key, last) in examples {
        let keys = AesKeys::new(&hex(key), aes).unwrap();
        assert_eq!(keys.as_slice().last().unwrap().bytes()[..], hex(last));
        assert_eq!(keys.as_slice()[0].bytes()[..], hex(key)[..16]);
    }
}

#[test]
fn keys_of_other_lengths_are_refused() {
    let Some(aes) = aes() else { return };
    for len in (0..70).filter(|len| ![16, 24, 32].contains(len)) {
        assert_eq!(AesKeys::new(&key(len, 1), aes).map(|_| ()), Err(KeyError { bits: 8 * len }), "{len}");
    }
    assert!(AesKeys::new(&[], aes).unwrap_err().to_string().contains("`0` bits"));
}

#[test]
fn nothing_prints_a_key() {
    let Some(aes) = aes() else { return };
    let shown = format!("{:?}", AesKeys::new(&[0xab; 16], aes).unwrap());
    assert_eq!(shown, "Aes128(RoundKeys { .. })");
}

/// What is dropped in place is zeros afterwards.
#[test]
fn keys_are_wiped_on_drop() {
    let Some(aes) = aes() else { return };
    for bytes in [16, 24, 32] {
        let mut slot = std::mem::MaybeUninit::<AesKeys>::zeroed();
        slot.write(AesKeys::new(&key(bytes, 3), aes).unwrap());
        let round_keys = {
            // SAFETY: just written.
            let keys = unsafe { slot.assume_init_ref() };
            keys.as_slice().as_ptr_range()
        };
        // SAFETY: initialised, and not used as keys any more.
        unsafe { slot.assume_init_drop() };
        let len = (round_keys.end as usize) - (round_keys.start as usize);
        // SAFETY: the bytes of `slot`, which is still there; zeros were in it before the keys.
        let left = unsafe { std::slice::from_raw_parts(round_keys.start.cast::<u8>(), len) };
        assert_eq!(len, (bytes / 4 + 7) * 16);
        assert!(left.iter().all(|&byte| byte == 0), "{bytes}");
    }
}
