//! ARIA's round keys (RFC 5794), as kernels take them.

// clippy takes a safe function that needs a CPU feature to be an unsafe one
#![allow(clippy::missing_safety_doc)]

use core::arch::x86_64::*;
use core::fmt;

use zeroize::{ZeroizeOnDrop, optimization_barrier};

use crate::mem::vector;

mod layout;
mod schedule;

pub(crate) use layout::lay_out;
pub use layout::{AesDwords, Dword, Dwords, Grid, Layout, Packed};
pub use schedule::Schedule;
pub(crate) use schedule::{AROUND, AROUND_EVEN, AROUND_ODD, expand, reverse};

byways_macros::aria_layouts!();

/// The most round keys: those of 256-bit keys.
pub(crate) const MOST: usize = 17;

/// A round key in the order of its bytes.
pub(crate) type Plain = [u8; 16];

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

const fn xor(a: Plain, b: Plain) -> Plain {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
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
