//! Key schedules. Round keys are wiped when they are dropped.
//!
//! The key expansion of FIPS 197, section 5.2, with Nk words in the key:
//!
//! ```text
//! w[i] = key[i]                                             i < Nk
//! w[i] = w[i − Nk] ⊕ SubWord(RotWord(w[i − 1])) ⊕ rcon      i ≡ 0 modulo Nk; rcon = x^(i/Nk − 1)
//! w[i] = w[i − Nk] ⊕ SubWord(w[i − 1])                      Nk > 6 and i ≡ 4 modulo Nk
//! w[i] = w[i − Nk] ⊕ w[i − 1]                               else
//! ```
//! Departures from it:
//! 1. Four words at a time: the last line over four words xors into each all words before it, which is `prefix`.
//! 2. SubWord is the last AES round of a state whose columns are all that word: ShiftRows then changes nothing, and the
//!    round key is rcon. No table is indexed by the key.

use core::arch::x86_64::*;
use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

pub mod aria;

use crate::cpu::Aes;
use crate::mem::{number, vector};

/// A round key: its 16 bytes as a little-endian number, which is wiped in two stores.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct RoundKey(pub(crate) u128);

impl RoundKey {
    const ZERO: RoundKey = RoundKey(0);

    #[inline]
    fn new(words: __m128i) -> Self {
        RoundKey(number(words))
    }

    /// Its bytes, in the order of FIPS 197.
    pub const fn bytes(&self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

/// The `R` round keys of an AES key: 11, 13 or 15 for 128, 192 or 256 bits. Wiped on drop.
#[derive(Clone)]
#[repr(C)]
pub struct RoundKeys<const R: usize>(pub(crate) [RoundKey; R]);

impl RoundKeys<11> {
    /// Of an AES-128 key.
    pub fn new(key: &[u8; 16], aes: Aes) -> Self {
        RoundKeys(aes.expand_128(key))
    }
}

impl RoundKeys<13> {
    /// Of an AES-192 key.
    pub fn new(key: &[u8; 24], aes: Aes) -> Self {
        RoundKeys(aes.expand_192(key))
    }
}

impl RoundKeys<15> {
    /// Of an AES-256 key.
    pub fn new(key: &[u8; 32], aes: Aes) -> Self {
        RoundKeys(aes.expand_256(key))
    }
}

impl<const R: usize> RoundKeys<R> {
    /// Zeros.
    pub const fn empty() -> Self {
        RoundKeys([RoundKey::ZERO; R])
    }

    /// The round keys, first to last.
    pub const fn as_slice(&self) -> &[RoundKey] {
        &self.0
    }
}

/// The last word of four in each of four words, its bytes moved up by one as RotWord does.
const ROTATED_LAST: u128 = each_word([13, 14, 15, 12]);
/// The last word of four in each of four words.
const LAST: u128 = each_word([12, 13, 14, 15]);
/// The second word of four in each of four words, as RotWord does.
const ROTATED_SECOND: u128 = each_word([5, 6, 7, 4]);

const fn each_word(bytes: [u8; 4]) -> u128 {
    u32::from_le_bytes(bytes) as u128 * 0x0000_0001_0000_0001_0000_0001_0000_0001
}

/// SubWord of a word of `words` that `index` puts into each place, and `rcon` in the first byte of each xored into it.
#[inline]
#[target_feature(enable = "aes,ssse3")]
fn sub_word(words: __m128i, index: u128, rcon: i32) -> __m128i {
    _mm_aesenclast_si128(_mm_shuffle_epi8(words, vector(index)), _mm_set1_epi32(rcon))
}

/// Each word xored with all words before it.
#[inline]
#[target_feature(enable = "sse2")]
fn prefix(words: __m128i) -> __m128i {
    let words = _mm_xor_si128(words, _mm_slli_si128::<4>(words));
    _mm_xor_si128(words, _mm_slli_si128::<8>(words))
}

/// The constants x^i of AES's field, i from 0.
const RCON: [i32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

#[target_feature(enable = "aes,ssse3")]
pub(crate) fn expand_128(key: &[u8; 16]) -> [RoundKey; 11] {
    let mut keys = [RoundKey::ZERO; 11];
    let mut words = vector(u128::from_le_bytes(*key));
    keys[0] = RoundKey::new(words);
    for (key, rcon) in keys[1..].iter_mut().zip(RCON) {
        words = _mm_xor_si128(prefix(words), sub_word(words, ROTATED_LAST, rcon));
        *key = RoundKey::new(words);
    }
    keys
}

/// Six words at a time, four in `low` and two in the low half of `high`; three round keys are twelve words.
#[target_feature(enable = "aes,ssse3")]
pub(crate) fn expand_192(key: &[u8; 24]) -> [RoundKey; 13] {
    let mut keys = [RoundKey::ZERO; 13];
    #[inline]
    #[target_feature(enable = "aes,ssse3")]
    fn next(low: __m128i, high: __m128i, rcon: i32) -> (__m128i, __m128i) {
        let low = _mm_xor_si128(prefix(low), sub_word(high, ROTATED_SECOND, rcon));
        let high = _mm_xor_si128(high, _mm_slli_si128::<4>(high));
        (low, _mm_xor_si128(high, _mm_shuffle_epi32::<0xff>(low)))
    }
    let words = key.as_chunks().0;
    let word = |i: usize| u128::from(u64::from_le_bytes(words[i]));
    let (mut low, mut high) = (vector(word(1) << 64 | word(0)), vector(word(2)));
    keys[0] = RoundKey::new(low);
    for (keys, rcon) in keys[1..].as_chunks_mut::<3>().0.iter_mut().zip(RCON.as_chunks::<2>().0) {
        let (low_1, high_1) = next(low, high, rcon[0]);
        keys[0] = RoundKey::new(_mm_unpacklo_epi64(high, low_1));
        keys[1] = RoundKey::new(_mm_alignr_epi8::<8>(high_1, low_1));
        (low, high) = next(low_1, high_1, rcon[1]);
        keys[2] = RoundKey::new(low);
    }
    keys
}

#[target_feature(enable = "aes,ssse3")]
pub(crate) fn expand_256(key: &[u8; 32]) -> [RoundKey; 15] {
    let mut keys = [RoundKey::ZERO; 15];
    let halves = key.as_chunks().0;
    let [mut even, mut odd] = [0, 1].map(|i| vector(u128::from_le_bytes(halves[i])));
    keys[0] = RoundKey::new(even);
    keys[1] = RoundKey::new(odd);
    for (i, rcon) in RCON[..7].iter().enumerate() {
        even = _mm_xor_si128(prefix(even), sub_word(odd, ROTATED_LAST, *rcon));
        keys[2 * i + 2] = RoundKey::new(even);
        if let Some(key) = keys.get_mut(2 * i + 3) {
            odd = _mm_xor_si128(prefix(odd), sub_word(even, LAST, 0));
            *key = RoundKey::new(odd);
        }
    }
    keys
}

impl<const R: usize> Drop for RoundKeys<R> {
    fn drop(&mut self) {
        for key in &mut self.0 {
            key.0.zeroize();
        }
    }
}

impl<const R: usize> ZeroizeOnDrop for RoundKeys<R> {}

impl<const R: usize> fmt::Debug for RoundKeys<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoundKeys").finish_non_exhaustive()
    }
}

/// The round keys of an AES key of any size. Wiped on drop.
#[derive(Clone, Debug)]
pub enum AesKeys {
    /// Of a 128-bit key.
    Aes128(RoundKeys<11>),
    /// Of a 192-bit key.
    Aes192(RoundKeys<13>),
    /// Of a 256-bit key.
    Aes256(RoundKeys<15>),
}

impl AesKeys {
    /// Of a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// If the key has another length.
    pub fn new(key: &[u8], aes: Aes) -> Result<Self, KeyError> {
        if let Ok(key) = key.try_into() {
            Ok(AesKeys::Aes128(RoundKeys::<11>::new(key, aes)))
        } else if let Ok(key) = key.try_into() {
            Ok(AesKeys::Aes192(RoundKeys::<13>::new(key, aes)))
        } else if let Ok(key) = key.try_into() {
            Ok(AesKeys::Aes256(RoundKeys::<15>::new(key, aes)))
        } else {
            Err(KeyError { bits: key.len() * 8 })
        }
    }

    /// Bits in the key.
    pub const fn bits(&self) -> usize {
        match self {
            AesKeys::Aes128(_) => 128,
            AesKeys::Aes192(_) => 192,
            AesKeys::Aes256(_) => 256,
        }
    }

    /// The round keys, first to last.
    pub const fn as_slice(&self) -> &[RoundKey] {
        match self {
            AesKeys::Aes128(keys) => keys.as_slice(),
            AesKeys::Aes192(keys) => keys.as_slice(),
            AesKeys::Aes256(keys) => keys.as_slice(),
        }
    }
}

/// A key of a size that does not go with what it was given to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyError {
    /// Bits in the key.
    pub bits: usize,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a key of `{}` bits does not fit here; keys have 128, 192 or 256 bits, and a kernel of AES takes one size",
            self.bits
        )
    }
}

impl core::error::Error for KeyError {}
