//! How kernels take a round key, and how it is laid out so.

// clippy takes a safe function that needs a CPU feature to be an unsafe one
#![allow(clippy::missing_safety_doc)]

use core::arch::x86_64::*;

use super::{CELL, FOLDED, GRID, MOST, PACKED, Plain, Rounds, is_folded, shares_first_round};
use crate::mem::{number, opaque, vector};

/// A round key as kernels take it: rows of 16 bytes, each made of the key's bytes by a shuffle.
pub trait Layout: Copy + sealed::Sealed + 'static {
    /// Nothing.
    #[doc(hidden)]
    const ZERO: Self;
    /// Whether what the S-boxes add is in the keys.
    #[doc(hidden)]
    const FOLDED: bool;
    /// Whether kernels take the first two keys for pairs of registers, too.
    #[doc(hidden)]
    const SHARES_FIRST_ROUND: bool;
    /// Which bytes the rows have.
    #[doc(hidden)]
    const ROWS: &'static [u128];
    /// The same of the keys that are neither the first nor the last.
    #[doc(hidden)]
    const INNER: &'static [u128];
    /// What is xored into those first: bytes of the same key, by a shuffle that leaves zeros elsewhere.
    #[doc(hidden)]
    const ADDED: Option<u128>;
    /// The rows.
    #[doc(hidden)]
    fn rows(&mut self) -> &mut [Plain];
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! layouts {
    ($($(#[$doc:meta])* $name:ident: $rows:literal at $align:literal, $of:expr, $inner:expr, $added:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            #[repr(C, align($align))]
            pub struct $name(pub(super) [Plain; $rows]);

            impl sealed::Sealed for $name {}

            impl Layout for $name {
                const ZERO: Self = $name([[0; 16]; $rows]);
                const FOLDED: bool = is_folded::$name;
                const SHARES_FIRST_ROUND: bool = shares_first_round::$name;
                const ROWS: &'static [u128] = const { &$of };
                const INNER: &'static [u128] = const { &$inner };
                const ADDED: Option<u128> = $added;

                #[inline]
                fn rows(&mut self) -> &mut [Plain] {
                    &mut self.0
                }
            }
        )*
    };
}

layouts! {
    /// A round key for pairs of registers.
    Packed: 2 at 16, PAIRS, PAIRS, None;
    /// A round key by classes, each byte four times: for a register whose lanes are the classes, and for a register a byte.
    Dwords: 4 at 64, CLASSES, CLASSES, None;
    /// The same for S-boxes by AES rounds: for a register a class, and for a register a byte.
    AesDwords: 4 at 64, CLASSES, CLASSES, None;
    /// A round key for a register a byte, in the order of the diffusion's grid, four times each; the first and the last in
    /// the order of the bytes.
    Grid: 4 at 64, four_times(EACH), four_times(RESULTS), Some(FIRST_ROW);
}

/// An index that leaves a zero.
pub(super) const ZERO: usize = 0x80;

/// Each byte in its register, for both blocks.
pub(super) const PAIRS: [u128; 2] = {
    let (mut rows, mut i) = ([[ZERO; 16]; 2], 0);
    while i < 16 {
        let [register, at] = PACKED[i];
        rows[register][at] = i;
        rows[register][at + 4] = i;
        i += 1;
    }
    [index(rows[0]), index(rows[1])]
};

/// Each byte in its class, at its row in the grid, for four blocks.
const CLASSES: [u128; 4] = {
    let (mut classes, mut at) = ([[ZERO; 16]; 4], 0);
    while at < 16 {
        let (byte, row) = (GRID[at], at / 4);
        let mut block = 0;
        while block < 4 {
            classes[byte % 4][4 * row + block] = byte;
            block += 1;
        }
        at += 1;
    }
    [index(classes[0]), index(classes[1]), index(classes[2]), index(classes[3])]
};

/// Which of the dwords of [`CLASSES`] a byte is.
const fn dword(byte: usize) -> usize {
    let mut at = 0;
    while GRID[at] != byte {
        at += 1;
    }
    4 * (byte % 4) + at / 4
}

/// These bytes four times each.
const fn four_times(bytes: [usize; 16]) -> [u128; 4] {
    let (mut rows, mut i) = ([[0; 16]; 4], 0);
    while i < 64 {
        rows[i / 16][i % 16] = bytes[i / 4];
        i += 1;
    }
    [index(rows[0]), index(rows[1]), index(rows[2]), index(rows[3])]
}

/// The bytes as they are.
const EACH: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The byte of the diffusion's result that takes each cell of the grid.
const RESULTS: [usize; 16] = {
    let (mut results, mut at) = ([0; 16], 0);
    while at < 16 {
        while CELL[results[at]] != GRID[at] {
            results[at] += 1;
        }
        at += 1;
    }
    results
};

/// For the bytes that take cells of the other rows, the byte that takes the first row's in the same column: its key is in
/// the column's sum, which they have, too.
const FIRST_ROW: u128 = {
    let (mut bytes, mut at) = ([ZERO; 16], 4);
    while at < 16 {
        bytes[RESULTS[at]] = RESULTS[at % 4];
        at += 1;
    }
    index(bytes)
};

/// Lays out keys, and the first two for pairs of registers. All but the first and the last are inner ones.
#[target_feature(enable = "ssse3")]
pub(crate) fn lay_out<L: Layout>(
    plain: &[Plain; MOST],
    rounds: Rounds,
    laid_out: &mut [L; MOST],
    packed: &mut [Packed; 2],
) {
    let bytes = |plain: &Plain| vector(u128::from_le_bytes(*plain));
    let [before, mut odd, mut even, after] = FOLDED.each_ref().map(bytes);
    let with = |key: &Plain, added: __m128i| if L::FOLDED { _mm_xor_si128(bytes(key), added) } else { bytes(key) };
    // opaque: of indices that it knows the compiler makes other shuffles, and more of them
    let indices = |rows: &'static [u128]| [0, 1, 2, 3].map(|i| vector(*opaque(rows.get(i).unwrap_or(&0))));
    let (outer, inner) = (indices(L::ROWS), indices(L::INNER));
    let put = |key: __m128i, indices: [__m128i; 4], rows: &mut [Plain]| {
        for (row, index) in rows.iter_mut().zip(indices) {
            *row = number(_mm_shuffle_epi8(key, index)).to_le_bytes();
        }
    };
    if L::SHARES_FIRST_ROUND {
        for (i, added) in [before, odd].into_iter().enumerate() {
            put(with(&plain[i], added), indices(Packed::ROWS), packed[i].rows());
        }
    }
    let ([first, plain @ .., last], [to_first, laid_out @ .., to_last]) =
        (rounds.keys(plain), rounds.keys_mut(laid_out))
    else {
        unreachable!("more than two round keys");
    };
    put(with(first, before), outer, to_first.rows());
    for (key, to) in plain.iter().zip(laid_out) {
        let mut key = with(key, odd);
        if let Some(added) = L::ADDED {
            key = _mm_xor_si128(key, _mm_shuffle_epi8(key, vector(added)));
        }
        put(key, inner, to.rows());
        (odd, even) = (even, odd);
    }
    put(with(last, after), outer, to_last.rows());
}

impl Packed {
    /// Register `I`'s part.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn xmm<const I: usize>(&self) -> __m128i {
        const { assert!(I < 2) }
        vector(u128::from_le_bytes(self.0[I]))
    }

    /// Register `I`'s part, in both lanes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn ymm<const I: usize>(&self) -> __m256i {
        _mm256_broadcastsi128_si256(self.xmm::<I>())
    }

    /// Register `I`'s part, in all lanes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn zmm<const I: usize>(&self) -> __m512i {
        _mm512_broadcast_i32x4(self.xmm::<I>())
    }
}

/// Byte `byte` out of its class's row, everywhere.
#[inline]
#[target_feature(enable = "sse2")]
fn byte_xmm(rows: &[Plain; 4], byte: usize) -> __m128i {
    let row = vector(u128::from_le_bytes(rows[dword(byte) / 4]));
    match dword(byte) % 4 {
        0 => _mm_shuffle_epi32::<0x00>(row),
        1 => _mm_shuffle_epi32::<0x55>(row),
        2 => _mm_shuffle_epi32::<0xaa>(row),
        _ => _mm_shuffle_epi32::<0xff>(row),
    }
}

impl Dwords {
    /// Byte `I`, everywhere.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn xmm<const I: usize>(&self) -> __m128i {
        const { assert!(I < 16) }
        byte_xmm(&self.0, I)
    }

    /// Byte `I`, everywhere.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn ymm<const I: usize>(&self) -> __m256i {
        const { assert!(I < 16) }
        _mm256_set1_epi32(i32::from_ne_bytes(*dword_of(&self.0, const { dword(I) })))
    }

    /// All of it.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn classes_zmm<const I: usize>(&self) -> __m512i {
        const { assert!(I == 0) }
        crate::mem::load_64(self.0.as_flattened().first_chunk().expect("64 bytes"))
    }
}

impl AesDwords {
    /// Byte `I`, everywhere.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn xmm<const I: usize>(&self) -> __m128i {
        const { assert!(I < 16) }
        byte_xmm(&self.0, I)
    }

    /// Class `I`'s part.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn class_xmm<const I: usize>(&self) -> __m128i {
        const { assert!(I < 4) }
        vector(u128::from_le_bytes(self.0[I]))
    }
}

impl Grid {
    /// Number `I`, four times.
    #[inline]
    pub fn dword<const I: usize>(&self) -> Dword<'_> {
        const { assert!(I < 16) }
        Dword(dword_of(&self.0, I))
    }
}

/// A dword of a round key, by itself: what takes the whole key makes the compiler load it in larger pieces, and take these
/// apart in registers.
#[derive(Clone, Copy)]
pub struct Dword<'a>(&'a [u8; 4]);

impl Dword<'_> {
    /// It, everywhere.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn zmm(self) -> __m512i {
        _mm512_set1_epi32(i32::from_ne_bytes(*self.0))
    }
}

#[inline]
fn dword_of(rows: &[Plain; 4], dword: usize) -> &[u8; 4] {
    rows[dword / 4].as_chunks().0.get(dword % 4).expect("16 bytes")
}

/// Indices as a byte shuffle takes them.
pub(super) const fn index(places: [usize; 16]) -> u128 {
    let (mut bytes, mut i) = ([0; 16], 0);
    while i < 16 {
        bytes[i] = places[i] as u8;
        i += 1;
    }
    u128::from_le_bytes(bytes)
}
