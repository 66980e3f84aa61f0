//! Keys, and what must not be left of them.

use std::arch::x86_64::*;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

use byways::cipher::array::Array;
use byways::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, KeyIvInit};
use byways::cpu::{Aes, Detected};
use byways::ctr::{Ctr128BE, Keystream};
use byways::keys::AesKeys;
use byways::{Aes128, Aes192, Aes256, Aria128, Aria192, Aria256, Width};

use crate::search::{Secrets, bytes_of, images, on_a_clean_stack};

pub(crate) const COUNTER: [u8; 16] = *b"\x10\x9f\x8e\x7d\x6c\x5b\x4a\x39\x28\x17\x06\xf5\xe4\xd3\xc2\xb1";

/// A message for which rounds are cached, and no multiple of anything.
pub(crate) const LONG: usize = (64 << 10) + 4096 + 5;

/// Not zeros, or what comes out would be keystream.
pub(crate) fn message() -> Vec<u8> {
    (0..LONG).map(|i| (i * 167 + i / 256 * 59 + 13) as u8).collect()
}

pub(crate) trait Subject: Keystream + KeyInit + Clone + Sync {
    const KEY: &'static [u8];
    /// How many round keys there are.
    const ROUND_KEYS: usize;

    fn of(key: &[u8], width: Width) -> Self;
    /// The widest registers that it uses.
    fn width_of(&self) -> Width;
    /// As a user does who owns the key.
    fn stream() -> Ctr128BE<Self>;
    /// What must not be left of the key on this tier, and one of its round keys.
    fn secrets(width: Width) -> (Secrets, [u8; 16]);

    fn build(width: Width) -> Self {
        Self::of(Self::KEY, width)
    }

    /// Which key, on which tier.
    fn name(width: Width) -> String {
        let name = std::any::type_name::<Self>();
        format!("{}, {width}", name.rsplit("::").next().expect("a name"))
    }
}

macro_rules! subjects {
    ($($name:ident, $rounds:literal, $secrets:expr, $key:literal;)*) => {
        $(
            impl Subject for $name {
                const KEY: &'static [u8] = $key;
                const ROUND_KEYS: usize = $rounds + 1;

                fn of(key: &[u8], width: Width) -> Self {
                    $name::with_max_width(key.try_into().expect("a key of this size"), width)
                }

                fn width_of(&self) -> Width {
                    self.width()
                }

                fn stream() -> Ctr128BE<Self> {
                    Ctr128BE::<$name>::new($key.into(), &COUNTER.into())
                }

                fn secrets(width: Width) -> (Secrets, [u8; 16]) {
                    $secrets(width)
                }
            }
        )*
    };
}

subjects! {
    Aes128, 10, of_aes::<Aes128>, b"\xc3\x5a\x81\x0e\x77\x42\xd9\x16\xa8\x3f\x94\x6d\xeb\x20\x5c\xf1";
    Aes192, 12, of_aes::<Aes192>, b"\x0b\xd4\x92\x6f\x38\xe1\x5d\xa7\x1c\x83\x4e\xf9\x60\xb5\x2a\xc7\x74\x19\xde\x8b\x45\xf2\x36\x9c";
    Aes256, 14, of_aes::<Aes256>, b"\x91\x27\xfc\x4b\xd8\x03\x6e\xb9\x52\xad\x18\xe5\x7a\xc4\x3f\x80\x1d\xe6\x59\xb2\x0f\x94\x6b\xd0\x35\xca\x87\x4c\xf3\x28\xa1\x5e";
    Aria128, 12, of_aria::<Aria128, aria::Aria128>, b"\x5d\xa2\x19\xe6\x70\x8b\xc4\x3f\xf5\x0a\x61\x9e\x2c\xd3\x48\xb7";
    Aria192, 14, of_aria::<Aria192, aria::Aria192>, b"\xe9\x16\x7b\x84\x30\xcf\x52\xad\x0d\xf2\x95\x6a\xc1\x3e\x58\xa7\x26\xd9\x4f\xb0\x8c\x73\x1f\xe0";
    Aria256, 16, of_aria::<Aria256, aria::Aria256>, b"\x37\xc8\x5b\xa4\x92\x6d\x0e\xf1\x29\xd6\x7c\x83\x45\xba\xe8\x17\x9f\x60\x33\xcc\x51\xae\x8a\x75\x04\xfb\xd2\x2d\x68\x97\xb6\x49";
}

fn aes() -> Aes {
    Detected::get().aes().expect("kernels need AES-NI")
}

/// The round keys, and rounds 1 and 2 as they are cached: the difference that each value of the lowest counter byte
/// makes to the state.
fn of_aes<S: Subject>(_: Width) -> (Secrets, [u8; 16]) {
    #[target_feature(enable = "aes")]
    fn two_rounds(counter: u128, [k0, k1, k2]: [u128; 3]) -> u128 {
        // SAFETY: any bytes are a vector, and a number.
        let [counter, k0, k1, k2] = unsafe { [counter, k0, k1, k2].map(|n| std::mem::transmute::<u128, __m128i>(n)) };
        let state = _mm_aesenc_si128(_mm_aesenc_si128(_mm_xor_si128(counter, k0), k1), k2);
        // SAFETY: as above.
        unsafe { std::mem::transmute::<__m128i, u128>(state) }
    }
    let keys = on_a_clean_stack(|| AesKeys::new(S::KEY, aes()).expect("a key of this size"));
    let keys: Vec<u128> = keys.as_slice().iter().map(|key| u128::from_ne_bytes(key.bytes())).collect();
    let mut secrets = Secrets::default();
    for &key in &keys {
        secrets.add(key, "a round key");
    }
    let state = |byte: u8| {
        let mut counter = COUNTER;
        counter[15] = byte;
        // SAFETY: there is proof of AES-NI.
        unsafe { two_rounds(u128::from_ne_bytes(counter), [keys[0], keys[1], keys[2]]) }
    };
    for byte in 1..=255 {
        secrets.add(state(0) ^ state(byte), "the table");
    }
    (secrets, keys[3].to_ne_bytes())
}

/// The round keys of both directions, what they are made of, and the block that zeros become, with which a call may be
/// filled up: also as the kernels of the tier keep them.
fn of_aria<S, T>(width: Width) -> (Secrets, [u8; 16])
where
    S: Subject,
    T: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + Send,
{
    let mut secrets = Secrets::default();
    for block in S::KEY.chunks(16).filter_map(|block| block.first_chunk()) {
        secrets.add(u128::from_ne_bytes(*block), "the key");
    }
    // two arrays of numbers, of which RFC 5794 has the highest byte first
    let keys = on_a_clean_stack(|| bytes_of(&T::new_from_slice(S::KEY).expect("a key of this size")));
    let keys: Vec<u128> = keys.as_chunks().0.iter().map(|key| u128::from_ne_bytes(*key)).collect();
    assert_eq!(keys.len(), 2 * S::ROUND_KEYS);
    for key in &keys {
        secrets.add(key.to_be(), "a round key");
        secrets.add(key.swap_bytes().to_be(), "a round key");
    }
    // RFC 5794, 2.2: the first round keys are W0 ^ (W1 >>> 19), W1 ^ (W2 >>> 19), W2 ^ (W3 >>> 19), W3 ^ (W0 >>> 19)
    let w0 = u128::from_be_bytes(*S::KEY.first_chunk().expect("16 bytes at least"));
    let words = keys.chunks(S::ROUND_KEYS).find_map(|keys| {
        let w1 = (keys[0] ^ w0).rotate_left(19);
        let w2 = (keys[1] ^ w1).rotate_left(19);
        let w3 = (keys[2] ^ w2).rotate_left(19);
        (keys[3] == w3 ^ w0.rotate_right(19)).then_some([w1, w2, w3])
    });
    for word in words.expect("one of the arrays is for encryption") {
        secrets.add(word.to_be(), "what round keys are made of");
    }
    let (mut encrypted, mut decrypted) = (Array::default(), Array::default());
    let cipher = T::new_from_slice(S::KEY).expect("a key of this size");
    cipher.encrypt_block(&mut encrypted);
    cipher.decrypt_block(&mut decrypted);
    for block in [encrypted, decrypted] {
        let block = block[..].try_into().expect("16 bytes");
        secrets.add(u128::from_ne_bytes(block), "zeros, encrypted or decrypted");
    }
    let [[one, _], [other, _]] = images::<S>(width, |_| {});
    for (one, other) in one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0) {
        let some = |bytes: &[u8; 8]| bytes.iter().filter(|&&byte| byte != 0).count() > 4 && *bytes != [bytes[0]; 8];
        if one != other && some(one) {
            secrets.add_half(u64::from_ne_bytes(*one), "a round key, as kernels take it");
        }
    }
    (secrets, keys[3].to_be_bytes())
}

/// Says it on standard error, once, around the capture of test output.
pub(crate) fn note(line: String) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().expect("no test panics here").insert(line.clone()) {
        std::io::stderr().write_all(format!("{line}\n").as_bytes()).expect("standard error is there");
    }
}

/// The tiers that this machine runs with kernels of ours.
pub(crate) fn tiers<S: Subject>() -> impl Iterator<Item = Width> {
    note(format!(
        "not searched, since the crates that stand in leave round keys there: the stack of {}",
        S::name(Width::Fallback)
    ));
    Width::ALL.into_iter().filter(|&width| width != Width::Fallback).filter(|&width| {
        let runs = S::build(width).width_of() == width;
        if !runs {
            note(format!("not run, since this CPU or a limit does not allow it: {}", S::name(width)));
        }
        runs
    })
}

/// Runs a check with every size of key of both ciphers.
macro_rules! for_every_key {
    ($check:ident) => {
        $check::<Aes128>();
        $check::<Aes192>();
        $check::<Aes256>();
        $check::<Aria128>();
        $check::<Aria192>();
        $check::<Aria256>();
    };
}

/// Runs a check with every size of key of both ciphers, on every tier of ours.
macro_rules! for_all {
    ($check:ident) => {{
        fn on_tiers<S: $crate::subject::Subject>() {
            $crate::subject::tiers::<S>().for_each($check::<S>);
        }
        $crate::subject::for_every_key!(on_tiers);
    }};
}

pub(crate) use {for_all, for_every_key};
