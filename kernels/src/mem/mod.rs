//! The loads and stores of generated code: safe, without a check or a call in what the compiler makes of them.
//!
//! The unsafe code of memory access is here and nowhere else. A [`Data`] holds what is left of a kernel's buffers and
//! gives it out in pieces; an access to a piece names its register as a constant, so that its bounds are checked when
//! the kernel is compiled.

// clippy takes a safe function that needs a CPU feature to be an unsafe one
#![allow(clippy::missing_safety_doc)]

use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::mem::{MaybeUninit, transmute};
use core::ops::Deref;
use core::slice;

use inout::InOutBuf;

/// For generated code, which must not count on a prelude.
#[doc(hidden)]
pub use core::option::Option::Some;

mod blocks;
mod compute;
mod message;

pub(crate) use blocks::load_64;
pub use blocks::{Blocks, Lanes, Padded, Room, bytes};
pub use compute::{
    halves8_xmm, less8_xmm, less8_ymm, less8_zmm, unpack8_at_once_zmm, unpack8_xmm, unpack8_ymm, unpack8_zmm,
};
pub use message::{Chunk, Distances, Left, Message, Powers, Start, StartWords, Step, high};

use crate::keys::{RoundKey, RoundKeys};
use crate::runs::{RUN_BYTES, cut, step};

/// A vector type.
pub trait Vector: Copy + sealed::Sealed {}

impl Vector for __m128i {}
impl Vector for __m256i {}
impl Vector for __m512i {}

mod sealed {
    use core::arch::x86_64::*;

    pub trait Sealed {}
    impl Sealed for __m128i {}
    impl Sealed for __m256i {}
    impl Sealed for __m512i {}
}

/// What is left of an input and an output buffer, which are the same one or apart.
#[derive(Debug)]
pub struct Data<'inp, 'out> {
    input: *const u8,
    output: *mut u8,
    left: usize,
    buffers: PhantomData<(&'inp [u8], &'out mut [u8])>,
}

impl<'inp, 'out> Data<'inp, 'out> {
    /// All of the buffers.
    #[inline]
    pub fn new(data: InOutBuf<'inp, 'out, u8>) -> Self {
        let left = data.len();
        let (input, output) = data.into_raw();
        Data { input, output, left, buffers: PhantomData }
    }

    /// The next `K` registers, if as much is left.
    #[inline]
    pub fn batch<V: Vector, const K: usize>(&mut self) -> Option<Piece<'inp, 'out, V, K>> {
        const { assert!(K <= isize::MAX as usize / size_of::<V>(), "no memory has so many registers") }
        let bytes = const { K * size_of::<V>() };
        let next = self.split(bytes)?;
        // SAFETY: K registers were split off.
        Some(unsafe { next.piece() })
    }

    /// How many registers what is left reaches into.
    #[inline]
    pub fn registers<V: Vector>(&self) -> usize {
        self.left.div_ceil(size_of::<V>())
    }

    /// All that is left, if it is `K` whole registers and 1 byte to a whole register more.
    #[inline]
    pub fn last<V: Vector, const K: usize>(self) -> Option<Last<'inp, 'out, V, K>> {
        let bytes = beyond_whole::<V, K>(self.left)?;
        // SAFETY: K registers are left, and `bytes` bytes behind them.
        let whole = unsafe { self.piece() };
        Some(Last { whole, bytes })
    }

    /// The first `K` registers.
    ///
    /// # Safety
    /// As much is left.
    #[inline]
    unsafe fn piece<V: Vector, const K: usize>(self) -> Piece<'inp, 'out, V, K> {
        let input = Whole { data: self.input, registers: PhantomData };
        Piece { input, output: self.output, registers: PhantomData }
    }

    /// The next run of blocks, if as much is left.
    #[inline]
    pub fn run(&mut self) -> Option<Self> {
        self.split(RUN_BYTES)
    }

    #[inline]
    fn split(&mut self, bytes: usize) -> Option<Self> {
        if self.left < bytes {
            return None;
        }
        let next = Data { input: self.input, output: self.output, left: bytes, buffers: PhantomData };
        // SAFETY: `bytes` bytes are left of both buffers, so the pointers stay in them or at their ends.
        unsafe {
            self.input = self.input.add(bytes);
            self.output = self.output.add(bytes);
        }
        self.left -= bytes;
        Some(next)
    }
}

/// How many bytes are left beyond `K` whole `T`, if that is 1 to a whole one.
#[inline]
fn beyond_whole<T, const K: usize>(left: usize) -> Option<usize> {
    const { assert!(K < isize::MAX as usize / size_of::<T>(), "no memory has so many registers") }
    let bytes = left.wrapping_sub(const { K * size_of::<T>() });
    if bytes.wrapping_sub(1) >= size_of::<T>() {
        return None;
    }
    Some(bytes)
}

/// Data cut into runs of blocks and what is between them.
#[derive(Debug)]
pub struct Stretches<'inp, 'out> {
    counter: u128,
    data: Data<'inp, 'out>,
}

impl<'inp, 'out> Stretches<'inp, 'out> {
    /// All of the buffers, whose first block's counter it is.
    #[inline]
    pub fn new(counter: u128, data: InOutBuf<'inp, 'out, u8>) -> Self {
        Stretches { counter, data: Data::new(data) }
    }

    /// The next stretch: its counter, its data, and whether they are whole runs under one table.
    #[inline]
    #[allow(clippy::should_implement_trait)] // generated code must not count on a trait in scope
    pub fn next(&mut self) -> Option<(u128, Data<'inp, 'out>, bool)> {
        let cut = cut(self.counter, self.data.left);
        if cut.bytes == 0 {
            return None;
        }
        let counter = anew(self.counter);
        self.counter = step(counter, cut.bytes);
        Some((counter, self.data.split(cut.bytes)?, cut.runs))
    }
}

/// The counter, but its high half, which is the same in all stretches, is not known to be: the compiler does not keep
/// what is made of it from one stretch to the next, in registers that the loops need.
#[inline]
fn anew(counter: u128) -> u128 {
    let mut high = (counter >> 64) as u64;
    // SAFETY: there is no instruction in it, and the number comes out as it went in.
    unsafe { asm!("/* {0} */", inout(reg) high, options(nomem, nostack, preserves_flags)) }
    u128::from(high) << 64 | u128::from(counter as u64)
}

/// Room for a [`Table`], not initialised.
#[repr(C, align(64))]
pub struct Slots(MaybeUninit<[u8; RUN_BYTES]>);

impl Slots {
    /// Room that has nothing in it.
    #[inline]
    #[allow(clippy::new_without_default)] // for generated code
    pub fn new() -> Self {
        Slots(MaybeUninit::uninit())
    }

    /// An empty table in it.
    #[inline]
    pub fn table<V: Vector>(&mut self) -> Table<'_, V> {
        Table { slots: self, len: 0, vectors: PhantomData }
    }
}

/// A table with a block for each value of the counter's lowest byte, made once and wiped on drop.
///
/// Invariant: the first `len` bytes of the slots are initialised, by vectors. The length stands outside of them, so that
/// the compiler does not copy a constant into them to set it.
pub struct Table<'a, V: Vector> {
    slots: &'a mut Slots,
    len: usize,
    vectors: PhantomData<V>,
}

impl<V: Vector> Table<'_, V> {
    /// The next vectors; beyond the table's end there are none.
    #[inline]
    pub fn push<const K: usize>(&mut self, vectors: [V; K]) {
        const { assert!(size_of::<[V; K]>() <= RUN_BYTES, "the table has not so many vectors") }
        if self.len > RUN_BYTES - size_of::<[V; K]>() {
            return;
        }
        // SAFETY: that many bytes are left behind `len`, which a multiple of a vector's size keeps aligned.
        unsafe { self.slots.0.as_mut_ptr().byte_add(self.len).cast::<[V; K]>().write(vectors) };
        self.len += size_of::<[V; K]>();
    }

    /// What was pushed, `K` vectors at a time.
    #[inline]
    pub fn parts<const K: usize>(&self) -> &[[V; K]] {
        const { assert!(K > 0) }
        // SAFETY: so many vectors were written, and the table is aligned for them.
        unsafe { slice::from_raw_parts(self.slots.0.as_ptr().cast(), self.len / size_of::<[V; K]>()) }
    }
}

impl<V: Vector> Drop for Table<'_, V> {
    #[inline]
    fn drop(&mut self) {
        let slots = self.slots.0.as_mut_ptr().cast::<V>();
        for i in 0..self.len / size_of::<V>() {
            // SAFETY: a slot of the table, and zeros are a vector.
            unsafe { slots.add(i).write_volatile(MaybeUninit::zeroed().assume_init()) };
        }
    }
}

/// `K` whole registers: as many are readable at `data`.
#[derive(Debug)]
pub struct Whole<'a, V, const K: usize> {
    data: *const u8,
    registers: PhantomData<&'a [V]>,
}

impl<V: Vector, const K: usize> Whole<'_, V, K> {
    /// Says that the data `AHEAD` bytes after the start of the registers will be used soon. They need not exist.
    #[inline]
    pub fn prefetch<const AHEAD: usize>(&self) {
        // SAFETY: a prefetch of any address is no access.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(self.data.wrapping_add(AHEAD).cast()) }
    }

    /// Register `I`.
    #[inline]
    pub fn load<const I: usize>(&self) -> V {
        const { assert!(I < K) }
        // SAFETY: register I of K is readable, and any bytes are a vector.
        unsafe { self.data.add(I * size_of::<V>()).cast::<V>().read_unaligned() }
    }
}

/// `K` whole registers of data: as many are readable as `input` and writable at `output`.
#[derive(Debug)]
pub struct Piece<'inp, 'out, V, const K: usize> {
    input: Whole<'inp, V, K>,
    output: *mut u8,
    registers: PhantomData<&'out mut [V]>,
}

impl<V: Vector, const K: usize> Piece<'_, '_, V, K> {
    /// Register `I`.
    #[inline]
    pub fn load<const I: usize>(&self) -> V {
        self.input.load::<I>()
    }

    /// As [`Whole::prefetch`].
    #[inline]
    pub fn prefetch<const AHEAD: usize>(&self) {
        self.input.prefetch::<AHEAD>();
    }

    /// Register `I` becomes `vector`.
    #[inline]
    pub fn store<const I: usize>(&mut self, vector: V) {
        const { assert!(I < K) }
        // SAFETY: register I of K is writable.
        unsafe { self.output.add(I * size_of::<V>()).cast::<V>().write_unaligned(vector) }
    }
}

/// `K` whole registers of data and a last one, of which `bytes`, 1 to all, are readable and writable behind the others.
#[derive(Debug)]
pub struct Last<'inp, 'out, V, const K: usize> {
    whole: Piece<'inp, 'out, V, K>,
    bytes: usize,
}

impl<'inp, 'out, V, const K: usize> Deref for Last<'inp, 'out, V, K> {
    type Target = Piece<'inp, 'out, V, K>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.whole
    }
}

impl<V: Vector, const K: usize> Last<'_, '_, V, K> {
    /// Register `I`, before the last, becomes `vector`.
    ///
    /// A `Last` gives out its whole registers to read only: what could be exchanged for another's would not go with
    /// `bytes` any more.
    #[inline]
    pub fn store<const I: usize>(&mut self, vector: V) {
        self.whole.store::<I>(vector);
    }

    #[inline]
    fn input(&self) -> *const u8 {
        // SAFETY: the last register's bytes are behind K whole ones.
        unsafe { self.whole.input.data.add(K * size_of::<V>()) }
    }

    #[inline]
    fn output(&mut self) -> *mut u8 {
        // SAFETY: as above.
        unsafe { self.whole.output.add(K * size_of::<V>()) }
    }
}

impl<const K: usize> Last<'_, '_, __m128i, K> {
    /// The last register's bytes, and zeros above them.
    #[inline(always)]
    pub fn load_last(&self) -> __m128i {
        // SAFETY: 1 to 16 bytes are readable.
        unsafe { load_up_to_16(self.input(), self.bytes) }
    }

    /// The last register's bytes become the vector's.
    #[inline(always)]
    pub fn store_last(&mut self, vector: __m128i) {
        // SAFETY: 1 to 16 bytes are writable.
        unsafe { store_up_to_16(self.output(), self.bytes, vector) }
    }
}

impl<const K: usize> Last<'_, '_, __m256i, K> {
    /// The last register's bytes, and zeros above them.
    #[inline(always)]
    pub fn load_last(&self) -> __m256i {
        // SAFETY: 1 to 32 bytes are readable.
        unsafe { load_up_to_32(self.input(), self.bytes) }
    }

    /// The last register's bytes become the vector's.
    #[inline(always)]
    pub fn store_last(&mut self, vector: __m256i) {
        // SAFETY: 1 to 32 bytes are writable.
        unsafe { store_up_to_32(self.output(), self.bytes, vector) }
    }
}

impl<const K: usize> Last<'_, '_, __m512i, K> {
    #[inline]
    fn mask(&self) -> __mmask64 {
        u64::MAX.wrapping_shr(self.bytes.wrapping_neg() as u32)
    }

    /// The last register's bytes, and zeros above them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn load_last(&self) -> __m512i {
        // SAFETY: 1 to 64 bytes are readable, and no byte is that the mask leaves out.
        unsafe { _mm512_maskz_loadu_epi8(self.mask(), self.input().cast()) }
    }

    /// The last register's bytes become the vector's.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn store_last(&mut self, vector: __m512i) {
        // SAFETY: 1 to 64 bytes are writable, and no byte is that the mask leaves out.
        unsafe { _mm512_mask_storeu_epi8(self.output().cast(), self.mask(), vector) }
    }
}

pub(crate) use splat_xmm as vector;

/// A lane as a vector: a number by its bytes, lowest first.
#[inline(always)]
pub const fn splat_xmm(lane: u128) -> __m128i {
    // SAFETY: any bytes are a vector.
    unsafe { transmute::<u128, __m128i>(lane) }
}

/// A vector of two lanes that are the same.
#[inline(always)]
pub const fn splat_ymm(lane: u128) -> __m256i {
    lanes_ymm([lane; 2])
}

/// A vector of four lanes that are the same.
#[inline(always)]
pub const fn splat_zmm(lane: u128) -> __m512i {
    lanes_zmm([lane; 4])
}

/// A vector of these lanes, lowest first.
#[inline(always)]
pub const fn lanes_ymm(lanes: [u128; 2]) -> __m256i {
    // SAFETY: any bytes are a vector.
    unsafe { transmute::<[u128; 2], __m256i>(lanes) }
}

/// A vector of these lanes, lowest first.
#[inline(always)]
pub const fn lanes_zmm(lanes: [u128; 4]) -> __m512i {
    // SAFETY: any bytes are a vector.
    unsafe { transmute::<[u128; 4], __m512i>(lanes) }
}

/// A vector as a number.
#[inline]
pub(crate) fn number(vector: __m128i) -> u128 {
    // SAFETY: any vector is a number.
    unsafe { transmute::<__m128i, u128>(vector) }
}

#[inline(always)]
fn halves([low, high]: [u64; 2]) -> __m128i {
    vector(u128::from(high) << 64 | u128::from(low))
}

/// The first bytes at `from`, and zeros above them.
///
/// # Safety
/// `bytes` bytes are readable, 1 to 32.
#[inline(always)]
unsafe fn load_up_to_32(from: *const u8, bytes: usize) -> __m256i {
    let zero = halves([0; 2]);
    let lanes = if bytes <= 16 {
        // SAFETY: 1 to 16 bytes are readable.
        [unsafe { load_up_to_16(from, bytes) }, zero]
    } else {
        // SAFETY: 17 to 32 bytes are readable: 16, and 1 to 16 behind them.
        unsafe { [load_16(from), load_up_to_16(from.add(16), bytes - 16)] }
    };
    // SAFETY: two halves are a whole, and any bytes are a vector.
    unsafe { transmute::<[__m128i; 2], __m256i>(lanes) }
}

/// The first bytes of the vector go to `to`.
///
/// # Safety
/// `bytes` bytes are writable, 1 to 32.
#[inline(always)]
unsafe fn store_up_to_32(to: *mut u8, bytes: usize, vector: __m256i) {
    // SAFETY: a whole is two halves, and any bytes are a vector.
    let [low, high] = unsafe { transmute::<__m256i, [__m128i; 2]>(vector) };
    if bytes <= 16 {
        // SAFETY: 1 to 16 bytes are writable.
        unsafe { store_up_to_16(to, bytes, low) }
    } else {
        // SAFETY: 17 to 32 bytes are writable: 16, and 1 to 16 behind them.
        unsafe {
            to.cast::<__m128i>().write_unaligned(low);
            store_up_to_16(to.add(16), bytes - 16, high);
        }
    }
}

/// # Safety
/// 16 bytes are readable.
#[inline(always)]
unsafe fn load_16(from: *const u8) -> __m128i {
    // SAFETY: the caller's.
    unsafe { from.cast::<__m128i>().read_unaligned() }
}

/// The first bytes at `from`, and zeros above them: two overlapping loads from 8 bytes up.
///
/// # Safety
/// `bytes` bytes are readable, 1 to 16.
#[inline(always)]
unsafe fn load_up_to_16(from: *const u8, bytes: usize) -> __m128i {
    // SAFETY: every access lies within the first `bytes` bytes.
    unsafe {
        if bytes == 16 {
            load_16(from)
        } else if bytes >= 8 {
            let low = from.cast::<u64>().read_unaligned();
            // of the last 8 bytes those behind the first 8, of which there may be none
            let high = from.add(bytes).sub(8).cast::<u64>().read_unaligned();
            halves([low, (high >> 1).wrapping_shr(127 - 8 * bytes as u32)])
        } else {
            halves([load_up_to_8(from, bytes), 0])
        }
    }
}

/// The first bytes at `from`, and zeros above them: two overlapping loads from 4 bytes up, three single bytes below.
///
/// # Safety
/// `bytes` bytes are readable, 1 to 8.
#[inline(always)]
unsafe fn load_up_to_8(from: *const u8, bytes: usize) -> u64 {
    let bits = 8 * bytes as u32;
    // SAFETY: every access lies within the first `bytes` bytes.
    unsafe {
        let end = from.add(bytes);
        if bytes >= 4 {
            let low = u64::from(from.cast::<u32>().read_unaligned());
            let high = u64::from(end.sub(4).cast::<u32>().read_unaligned());
            low | high.wrapping_shl(bits.wrapping_sub(32))
        } else {
            let (first, middle, last) = (from.read(), from.add(bytes / 2).read(), end.sub(1).read());
            let middle = u64::from(middle).wrapping_shl(bits / 16 * 8);
            u64::from(first) | middle | u64::from(last).wrapping_shl(bits.wrapping_sub(8))
        }
    }
}

/// The first bytes of `vector` to `to`, as [`load_up_to_16`] reads them.
///
/// # Safety
/// `bytes` bytes are writable, 1 to 16.
#[inline(always)]
unsafe fn store_up_to_16(to: *mut u8, bytes: usize, vector: __m128i) {
    let bits = 8 * bytes as u32;
    let number = number(vector);
    let low = number as u64;
    // SAFETY: every access lies within the first `bytes` bytes.
    unsafe {
        let end = to.add(bytes);
        if bytes == 16 {
            to.cast::<__m128i>().write_unaligned(vector);
        } else if bytes >= 8 {
            to.cast::<u64>().write_unaligned(low);
            end.sub(8).cast::<u64>().write_unaligned(number.wrapping_shr(bits.wrapping_sub(64)) as u64);
        } else if bytes >= 4 {
            to.cast::<u32>().write_unaligned(low as u32);
            end.sub(4).cast::<u32>().write_unaligned(low.wrapping_shr(bits.wrapping_sub(32)) as u32);
        } else {
            to.write(low as u8);
            to.add(bytes / 2).write(low.wrapping_shr(bits / 16 * 8) as u8);
            end.sub(1).write(low.wrapping_shr(bits.wrapping_sub(8)) as u8);
        }
    }
}

/// Round keys in memory, loaded where they are used.
pub struct Streamed<'a, const R: usize>(&'a [RoundKey; R]);

/// Round keys in registers.
pub struct Held<V, const R: usize>([V; R]);

impl<const R: usize> RoundKeys<R> {
    /// The round keys, to be loaded where they are used.
    #[inline]
    pub fn stream(&self) -> Streamed<'_, R> {
        Streamed(&self.0).stream()
    }

    /// The round keys in xmm registers.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn hold_xmm(&self) -> Held<__m128i, R> {
        let mut held = [_mm_setzero_si128(); R];
        let mut i = 0;
        while i < R {
            held[i] = broadcast_xmm(&self.0[i]);
            i += 1;
        }
        Held(held)
    }

    /// The round keys in both lanes of ymm registers.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn hold_ymm(&self) -> Held<__m256i, R> {
        let mut held = [_mm256_setzero_si256(); R];
        let mut i = 0;
        while i < R {
            held[i] = broadcast_ymm(&self.0[i]);
            i += 1;
        }
        Held(held)
    }

    /// The round keys in all lanes of zmm registers.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn hold_zmm(&self) -> Held<__m512i, R> {
        let mut held = [_mm512_setzero_si512(); R];
        let mut i = 0;
        while i < R {
            held[i] = broadcast_zmm(&self.0[i]);
            i += 1;
        }
        Held(held)
    }
}

impl<'a, const R: usize> Streamed<'a, R> {
    /// The round keys, to be loaded anew: what was read through an earlier borrow is not known to be the same, so the
    /// compiler does not keep more of them than there are registers, which would spill them to the stack.
    #[inline]
    pub fn stream(&self) -> Self {
        Streamed(opaque(self.0))
    }

    /// Round key `I`.
    #[inline]
    pub fn get<const I: usize>(&self) -> &'a RoundKey {
        const { assert!(I < R) }
        &self.0[I]
    }

    /// Round keys `FROM..TO`.
    #[inline]
    pub fn range<const FROM: usize, const TO: usize>(&self) -> &'a [RoundKey] {
        const { assert!(FROM <= TO && TO <= R) }
        &self.0[FROM..TO]
    }
}

impl<V: Vector, const R: usize> Held<V, R> {
    /// Round key `I`.
    #[inline]
    pub fn get<const I: usize>(&self) -> V {
        const { assert!(I < R) }
        self.0[I]
    }

    /// Round keys `FROM..TO`.
    #[inline]
    pub fn range<const FROM: usize, const TO: usize>(&self) -> &[V] {
        const { assert!(FROM <= TO && TO <= R) }
        &self.0[FROM..TO]
    }
}

/// A round key in an xmm register.
#[inline]
#[target_feature(enable = "sse2")]
pub fn broadcast_xmm(key: &RoundKey) -> __m128i {
    // SAFETY: a round key is 16 bytes, aligned to 16.
    unsafe { _mm_load_si128((&raw const key.0).cast()) }
}

/// A round key in both lanes of a ymm register.
#[inline]
#[target_feature(enable = "avx2")]
pub fn broadcast_ymm(key: &RoundKey) -> __m256i {
    _mm256_broadcastsi128_si256(broadcast_xmm(key))
}

/// A round key in all lanes of a zmm register.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn broadcast_zmm(key: &RoundKey) -> __m512i {
    _mm512_broadcast_i32x4(broadcast_xmm(key))
}

/// The same, of which the compiler knows nothing: what is read from it is read again in every batch, and not kept on the
/// stack from one to the next.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // nothing is read through it
pub fn opaque<T>(value: &T) -> &T {
    let mut value: *const T = value;
    // SAFETY: there is no instruction in it, and the pointer comes out as it went in.
    unsafe { asm!("/* {0} */", inout(reg) value, options(nomem, nostack, preserves_flags)) }
    // SAFETY: it points to the value, borrowed as long as the result.
    unsafe { &*value }
}
