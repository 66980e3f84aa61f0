//! Key schedules. Round keys are wiped when they are dropped.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::cpu::Aes;

/// A round key.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct RoundKey(pub(crate) [u8; 16]);

impl RoundKey {
    /// Its bytes, in the order of FIPS 197.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// The `R` round keys of an AES key: 11, 13 or 15 for 128, 192 or 256 bits. Wiped on drop.
#[derive(Clone)]
#[repr(C)]
pub struct RoundKeys<const R: usize>(pub(crate) [RoundKey; R]);

impl RoundKeys<11> {
    /// Of an AES-128 key.
    pub fn new(key: &[u8; 16], aes: Aes) -> Self {
        let mut keys = RoundKeys([RoundKey([0; 16]); 11]);
        keys.expand(key, aes);
        keys
    }
}

impl RoundKeys<13> {
    /// Of an AES-192 key.
    pub fn new(key: &[u8; 24], aes: Aes) -> Self {
        let mut keys = RoundKeys([RoundKey([0; 16]); 13]);
        keys.expand(key, aes);
        keys
    }
}

impl RoundKeys<15> {
    /// Of an AES-256 key.
    pub fn new(key: &[u8; 32], aes: Aes) -> Self {
        let mut keys = RoundKeys([RoundKey([0; 16]); 15]);
        keys.expand(key, aes);
        keys
    }
}

impl<const R: usize> RoundKeys<R> {
    /// The round keys, first to last.
    pub const fn as_slice(&self) -> &[RoundKey] {
        &self.0
    }

    /// The key expansion of FIPS 197, section 5.2: with Nk words in the key,
    ///
    /// ```text
    /// w[i] = key[i]                                             i < Nk
    /// w[i] = w[i − Nk] ⊕ SubWord(RotWord(w[i − 1])) ⊕ rcon      i ≡ 0 modulo Nk; rcon = x^(i/Nk − 1)
    /// w[i] = w[i − Nk] ⊕ SubWord(w[i − 1])                      Nk > 6 and i ≡ 4 modulo Nk
    /// w[i] = w[i − Nk] ⊕ w[i − 1]                               else
    /// ```
    /// Departure: SubWord is the instruction that does it, so that no table is indexed by the key. Words are
    /// little-endian here, which turns RotWord the other way.
    fn expand(&mut self, key: &[u8], aes: Aes) {
        let words_in_key = key.len() / 4;
        for (i, word) in key.as_chunks().0.iter().enumerate() {
            self.set_word(i, u32::from_le_bytes(*word));
        }
        let mut rcon: u32 = 1;
        for i in words_in_key..4 * R {
            let mut word = self.word(i - 1);
            if i % words_in_key == 0 {
                word = aes.sub_word(word).rotate_right(8) ^ rcon;
                rcon = (rcon << 1) ^ ((rcon >> 7) * 0x11b);
            } else if words_in_key > 6 && i % words_in_key == 4 {
                word = aes.sub_word(word);
            }
            self.set_word(i, self.word(i - words_in_key) ^ word);
        }
    }

    fn word(&self, i: usize) -> u32 {
        u32::from_le_bytes(self.0[i / 4].0.as_chunks().0[i % 4])
    }

    fn set_word(&mut self, i: usize, word: u32) {
        self.0[i / 4].0.as_chunks_mut().0[i % 4] = word.to_le_bytes();
    }
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
            "a key of `{}` bits does not fit here; AES keys have 128, 192 or 256 bits, and a kernel takes one size",
            self.bits
        )
    }
}

impl core::error::Error for KeyError {}
