//! ARIA's key schedule (RFC 5794, section 2.2), and round keys as kernels take them.
//!
//! ```text
//! W0 = the key's first half, KR = what is behind it and zeros
//! W1 = odd round(W0, CK1) ⊕ KR      W2 = even round(W1, CK2) ⊕ W0      W3 = odd round(W2, CK3) ⊕ W1
//! round key i = W(i mod 4) ⊕ (W(i + 1 mod 4) turned right by 19, 31, 67, 97 or 109 bits, a number for every four keys)
//! decryption: the same in reverse, diffused but for the first and the last
//! ```
//! Departures from it: the rounds are kernels, so that no table is indexed by the key; the keys are made and turned in vector
//! registers; and what the S-boxes add is in them, as the kernels want it.

// clippy takes a safe function that needs a CPU feature to be an unsafe one
#![allow(clippy::missing_safety_doc)]

use core::arch::x86_64::*;
use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, optimization_barrier, zeroize_stack};

use super::KeyError;
use crate::cpu::AriaRounds;
use crate::mem::{number, opaque, vector};

byways_macros::aria_layouts!();

/// The most round keys: those of 256-bit keys.
pub(crate) const MOST: usize = 17;

/// A round key in the order of its bytes.
pub(crate) type Plain = [u8; 16];

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
            pub struct $name([Plain; $rows]);

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
const ZERO: usize = 0x80;

/// Each byte in its register, for both blocks.
const PAIRS: [u128; 2] = {
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

/// The round keys of a key of any size, for one direction, as kernels of a layout take them. Wiped on drop.
#[derive(Clone)]
#[repr(C)]
pub struct Keys<L: Layout> {
    keys: [L; MOST],
    /// The first two for pairs of registers, for kernels of counter mode that do the first round in these; else zeros.
    packed: [Packed; 2],
    /// The last, in the order of its bytes.
    last: Plain,
    rounds: Rounds,
    /// Instead of padding, which would keep what was on a stack.
    unused: [u8; 47],
}

/// Rounds of a key size: 128, 192 and 256 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounds {
    Twelve,
    Fourteen,
    Sixteen,
}

/// Without padding, which would keep what was on a stack.
const fn is_dense<L: Layout>() -> bool {
    let parts = MOST * size_of::<L>() + 2 * size_of::<Packed>() + size_of::<Plain>() + size_of::<Rounds>() + 47;
    size_of::<Keys<L>>() == parts
}

const _: () = assert!(is_dense::<Packed>() && is_dense::<Dwords>() && is_dense::<AesDwords>() && is_dense::<Grid>());

impl<L: Layout> Keys<L> {
    /// Zeros, to be filled in place: a key that is moved leaves a copy.
    pub const fn empty() -> Self {
        Keys {
            keys: [L::ZERO; MOST],
            packed: [Packed::ZERO; 2],
            last: [0; 16],
            rounds: Rounds::Twelve,
            unused: [0; 47],
        }
    }

    /// Of a schedule, for encryption.
    pub fn encryption(schedule: &Schedule) -> Self {
        let mut keys = Self::empty();
        keys.encrypt_by(schedule);
        keys
    }

    /// Of a schedule, for decryption.
    pub fn decryption(schedule: &Schedule) -> Self {
        let mut keys = Self::empty();
        keys.decrypt_by(schedule);
        keys
    }

    /// Of a schedule, for encryption, in place.
    pub fn encrypt_by(&mut self, schedule: &Schedule) {
        self.fill(schedule, &schedule.encryption);
    }

    /// Of a schedule, for decryption, in place.
    pub fn decrypt_by(&mut self, schedule: &Schedule) {
        self.fill(schedule, &schedule.decryption);
    }

    fn fill(&mut self, schedule: &Schedule, plain: &[Plain; MOST]) {
        let [.., last] = schedule.rounds.keys(plain) else { unreachable!("more than two round keys") };
        self.last = if L::FOLDED { xor(*last, FOLDED[3]) } else { *last };
        self.rounds = schedule.rounds;
        schedule.by.lay_out(plain, schedule.rounds, &mut self.keys, &mut self.packed);
    }

    /// The first, the pairs behind it, and the last of these.
    #[inline]
    pub fn parts(&self) -> (&L, &[[L; 2]], &[L; 2]) {
        let [first, pairs @ ..] = self.rounds.keys(&self.keys) else { unreachable!("more than one round key") };
        let pairs = pairs.as_chunks().0;
        let [.., last] = pairs else { unreachable!("more than two round keys") };
        (first, pairs, last)
    }

    /// The first, it and the second for pairs of registers, and the pairs behind these two.
    #[inline]
    pub fn parts_behind_second(&self) -> (&L, &[Packed; 2], &[[L; 2]]) {
        const { assert!(L::SHARES_FIRST_ROUND, "no kernel of this layout does that") }
        let [first, _, pairs @ ..] = self.rounds.keys(&self.keys) else { unreachable!("more than two round keys") };
        (first, &self.packed, pairs.as_chunks().0)
    }
}

impl<L: Layout> Keys<L> {
    /// The last, in the order of its bytes.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn last_xmm(&self) -> __m128i {
        vector(u128::from_le_bytes(self.last))
    }

    /// The last, in the order of its bytes, in both lanes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn last_ymm(&self) -> __m256i {
        _mm256_broadcastsi128_si256(self.last_xmm())
    }

    /// The last, in the order of its bytes, in all lanes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn last_zmm(&self) -> __m512i {
        _mm512_broadcast_i32x4(self.last_xmm())
    }
}

impl<L: Layout> Drop for Keys<L> {
    fn drop(&mut self) {
        (self.keys, self.packed, self.last) = ([L::ZERO; MOST], [Packed::ZERO; 2], [0; 16]);
        // all at once; the compiler must take it that somebody reads the zeros
        optimization_barrier(self);
    }
}

impl<L: Layout> ZeroizeOnDrop for Keys<L> {}

impl<L: Layout> fmt::Debug for Keys<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("rounds", &self.rounds).finish_non_exhaustive()
    }
}

impl Rounds {
    const fn count(self) -> usize {
        match self {
            Rounds::Twelve => 12,
            Rounds::Fourteen => 14,
            Rounds::Sixteen => 16,
        }
    }

    /// As many as there are, one more than rounds.
    #[inline]
    fn keys<T>(self, keys: &[T; MOST]) -> &[T] {
        match self {
            Rounds::Twelve => &keys[..13],
            Rounds::Fourteen => &keys[..15],
            Rounds::Sixteen => &keys[..17],
        }
    }

    #[inline]
    fn keys_mut<T>(self, keys: &mut [T; MOST]) -> &mut [T] {
        match self {
            Rounds::Twelve => &mut keys[..13],
            Rounds::Fourteen => &mut keys[..15],
            Rounds::Sixteen => &mut keys[..17],
        }
    }
}

/// The round keys of both directions. Wiped on drop.
#[derive(Clone)]
pub struct Schedule {
    encryption: [Plain; MOST],
    decryption: [Plain; MOST],
    rounds: Rounds,
    by: AriaRounds,
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

const fn xor(a: Plain, b: Plain) -> Plain {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

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

/// Indices as a byte shuffle takes them.
const fn index(places: [usize; 16]) -> u128 {
    let (mut bytes, mut i) = ([0; 16], 0);
    while i < 16 {
        bytes[i] = places[i] as u8;
        i += 1;
    }
    u128::from_le_bytes(bytes)
}

/// An ARIA kernel, by the layout of its keys and by what it does.
#[derive(Clone, Copy, Debug)]
pub enum Aria {
    /// Blocks by themselves, in pairs of registers.
    Packed(EcbFn<Packed>),
    /// Counter mode, in pairs of registers.
    PackedCtr(CtrFn<Packed>),
    /// Blocks by themselves, a register a byte, or all classes.
    Dwords(EcbFn<Dwords>),
    /// Counter mode, a register a byte, or all classes.
    DwordsCtr(CtrFn<Dwords>),
    /// Blocks by themselves, a register a class or a byte, S-boxes by AES rounds.
    AesDwords(EcbFn<AesDwords>),
    /// Counter mode, a register a class or a byte, S-boxes by AES rounds.
    AesDwordsCtr(CtrFn<AesDwords>),
    /// Blocks by themselves, a register a byte, with three-input xors.
    Grid(EcbFn<Grid>),
    /// Counter mode, a register a byte, with three-input xors.
    GridCtr(CtrFn<Grid>),
}

/// An ARIA kernel for whole blocks by themselves, in the direction of the keys. To call it, the CPU must have the features
/// it was compiled for.
pub type EcbFn<L> = unsafe fn(&Keys<L>, inout::InOutBuf<'_, '_, u8>);

/// An ARIA kernel for counter mode. It xors the keystream into the data. The counter is the first counter block as a
/// big-endian number; its low 64 bits count, modulo 2^64. To call it, the CPU must have the features it was compiled for.
pub type CtrFn<L> = unsafe fn(&Keys<L>, u128, inout::InOutBuf<'_, '_, u8>);
