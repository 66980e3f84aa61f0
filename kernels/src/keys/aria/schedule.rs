//! The key schedule (RFC 5794, section 2.2): round keys of both directions.
//!
//! ```text
//! W0 = the key's first half, KR = what is behind it and zeros
//! W1 = odd round(W0, CK1) ⊕ KR      W2 = even round(W1, CK2) ⊕ W0      W3 = odd round(W2, CK3) ⊕ W1
//! round key i = W(i mod 4) ⊕ (W(i + 1 mod 4) turned right by 19, 31, 67, 97 or 109 bits, a number for every four keys)
//! decryption: the same in reverse, diffused but for the first and the last
//! ```
//! Departures from it: the rounds are kernels, so that no table is indexed by the key; and the keys are
//! made and turned in vector registers.

use core::arch::x86_64::*;
use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, zeroize_stack};

use super::layout::{AesDwords, Layout, PAIRS, Packed, ZERO, index};
use super::{CELL, FOLDED, GRID, Keys, MOST, Plain, Rounds, xor};
use crate::cpu::AriaRounds;
use crate::keys::KeyError;
use crate::mem::{number, vector};

/// The round keys of both directions. Wiped on drop.
#[derive(Clone)]
pub struct Schedule {
    pub(super) encryption: [Plain; MOST],
    pub(super) decryption: [Plain; MOST],
    pub(super) rounds: Rounds,
    pub(super) by: AriaRounds,
}

/// 1 / π, in 128-bit pieces (RFC 5794, section 2.2): CK1, CK2 and CK3 of 128-bit keys, and from the second or the third on
/// of longer ones.
const CONSTANTS: [u128; 3] = [
    0x517c_c1b7_2722_0a94_fe13_abe8_fa9a_6ee0,
    0x6db1_4acc_9e21_c820_ff28_b1d5_ef5d_e2b0,
    0xdb92_371d_2126_e970_0324_9775_04e8_c90e,
];

/// More than [`expand`] and [`reverse`] have of the stack, parts of the key among it: 0.4 KiB.
const USED: usize = 1024;

impl Schedule {
    /// Zeros, to be filled in place: what is moved leaves a copy.
    pub const fn empty(rounds_by: AriaRounds) -> Self {
        let keys = [[0; 16]; MOST];
        Schedule { encryption: keys, decryption: keys, rounds: Rounds::Twelve, by: rounds_by }
    }

    /// Of a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// If it has another length.
    pub fn new(key: &[u8], rounds_by: AriaRounds) -> Result<Self, KeyError> {
        let mut schedule = Self::empty(rounds_by);
        schedule.fill(key)?;
        Ok(schedule)
    }

    /// Of a key of 16, 24 or 32 bytes, in place.
    ///
    /// # Errors
    /// If it has another length.
    pub fn fill(&mut self, key: &[u8]) -> Result<(), KeyError> {
        let rounds = match key.len() {
            16 => Rounds::Twelve,
            24 => Rounds::Fourteen,
            32 => Rounds::Sixteen,
            bytes => return Err(KeyError { bits: 8 * bytes }),
        };
        let mut padded = [0; 32];
        padded[..key.len()].copy_from_slice(key);
        self.rounds = rounds;
        let constants = [0, 1, 2].map(|i| CONSTANTS[(rounds.count() / 2 + i) % 3].to_be_bytes());
        self.by.expand(&padded, &constants, rounds.keys_mut(&mut self.encryption));
        self.by.reverse(rounds.keys(&self.encryption), rounds.keys_mut(&mut self.decryption));
        padded.zeroize();
        zeroize_stack::<USED>();
        Ok(())
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.encryption.as_flattened_mut().zeroize();
        self.decryption.as_flattened_mut().zeroize();
    }
}

impl ZeroizeOnDrop for Schedule {}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schedule").field("rounds", &self.rounds).finish_non_exhaustive()
    }
}

/// Keys around a round that stands alone: nothing in them but what its S-boxes add.
pub(crate) static AROUND_ODD: Keys<Packed> = around(FOLDED[0], xor(FOLDED[1], BEFORE_EVEN));

/// The same of an even round.
pub(crate) static AROUND_EVEN: Keys<Packed> = around(BEFORE_EVEN, xor(FOLDED[2], FOLDED[0]));

/// Keys around a round that stands alone, without GFNI: nothing.
pub(crate) static AROUND: Keys<AesDwords> = Keys {
    keys: [AesDwords::ZERO; MOST],
    packed: [Packed::ZERO; 2],
    last: [0; 16],
    rounds: Rounds::Twelve,
    unused: [0; 47],
};

const fn packed(key: Plain) -> Packed {
    let (mut packed, mut i) = ([[0; 16]; 2], 0);
    while i < 32 {
        let from = PAIRS[i / 16].to_le_bytes()[i % 16] as usize;
        if from != ZERO {
            packed[i / 16][i % 16] = key[from];
        }
        i += 1;
    }
    Packed(packed)
}

const fn around(before: Plain, after: Plain) -> Keys<Packed> {
    let mut keys = [Packed::ZERO; MOST];
    keys[0] = packed(before);
    keys[11] = packed(after);
    Keys { keys, packed: [Packed::ZERO; 2], last: [0; 16], rounds: Rounds::Twelve, unused: [0; 47] }
}

/// What an even round's S-boxes add before their matrices: the same as an odd one's, two bytes on.
const BEFORE_EVEN: Plain = {
    let (mut bytes, mut i) = ([0; 16], 0);
    while i < 16 {
        bytes[i] = FOLDED[0][(i + 2) % 16];
        i += 1;
    }
    bytes
};

/// Round keys for encryption, of a key with zeros behind it and the constants of its size.
#[target_feature(enable = "ssse3")]
pub(crate) fn expand(rounds: AriaRounds, padded: &[u8; 32], constants: &[Plain; 3], encryption: &mut [Plain]) {
    let bytes = |plain: &Plain| vector(u128::from_le_bytes(*plain));
    let round = |w: __m128i, constant: usize, odd: bool| {
        let x = _mm_xor_si128(w, bytes(&constants[constant]));
        bytes(&rounds.round(number(x).to_le_bytes(), odd))
    };
    let [first, rest] = [0, 16].map(|at| bytes(padded[at..].first_chunk().expect("16 bytes")));
    let mut w = [first; 4];
    w[1] = _mm_xor_si128(round(w[0], 0, true), rest);
    w[2] = _mm_xor_si128(round(w[1], 1, false), w[0]);
    w[3] = _mm_xor_si128(round(w[2], 2, true), w[1]);
    let reversed = |x| _mm_shuffle_epi8(x, vector(const { index(REVERSED) }));
    let w = w.map(reversed);
    for (turn, keys) in TURNS.into_iter().zip(encryption.chunks_mut(4)) {
        for (i, key) in keys.iter_mut().enumerate() {
            let x = _mm_xor_si128(w[i], turned_right(w[(i + 1) % 4], turn));
            *key = number(reversed(x)).to_le_bytes();
        }
    }
}

/// How far the other W is turned right, for every four keys.
const TURNS: [u32; 5] = [19, 31, 67, 97, 109];

/// Bytes as of a big-endian number.
const REVERSED: [usize; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/// A 128-bit number turned right by so many bits.
#[inline]
#[target_feature(enable = "sse2")]
fn turned_right(x: __m128i, bits: u32) -> __m128i {
    let across = _mm_shuffle_epi32::<0x4e>(x);
    let (near, far) = if bits < 64 { (x, across) } else { (across, x) };
    let count = |bits: u32| vector(u128::from(bits));
    _mm_or_si128(_mm_srl_epi64(near, count(bits % 64)), _mm_sll_epi64(far, count(64 - bits % 64)))
}

/// The keys of decryption: in reverse, diffused but for the first and the last.
#[target_feature(enable = "ssse3")]
pub(crate) fn reverse(encryption: &[Plain], decryption: &mut [Plain]) {
    let last = encryption.len() - 1;
    for (i, (key, of)) in decryption.iter_mut().zip(encryption.iter().rev()).enumerate() {
        *key = if i == 0 || i == last { *of } else { diffuse(*of) };
    }
}

/// The diffusion layer: each cell ⊕ its row's sum ⊕ its column's sum, to the bytes that take it. A sum is made of two
/// cells next to each other, and two more.
#[inline]
#[target_feature(enable = "ssse3")]
fn diffuse(bytes: Plain) -> Plain {
    let shuffle = |x, index: u128| _mm_shuffle_epi8(x, vector(index));
    let x = vector(u128::from_le_bytes(bytes));
    let sum = |[next, over]: [u128; 2]| {
        let two = _mm_xor_si128(x, shuffle(x, next));
        _mm_xor_si128(two, shuffle(two, over))
    };
    let cells = _mm_xor_si128(_mm_xor_si128(x, sum(const { steps(0) })), sum(const { steps(1) }));
    number(shuffle(cells, const { index(CELL) })).to_le_bytes()
}

/// For each byte the cell one further in its row, or in its column, and the one two further.
const fn steps(down: usize) -> [u128; 2] {
    let (mut next, mut over, mut at) = ([0; 16], [0; 16], 0);
    while at < 16 {
        let (row, column) = (at / 4, at % 4);
        let mut by = 1;
        while by <= 2 {
            let to = if down == 1 { (row + by) % 4 * 4 + column } else { row * 4 + (column + by) % 4 };
            if by == 1 {
                next[GRID[at]] = GRID[to];
            } else {
                over[GRID[at]] = GRID[to];
            }
            by += 1;
        }
        at += 1;
    }
    [index(next), index(over)]
}
