//! Blocks in batches, the last of which is filled up with zeros: in registers, so that nothing of them goes through memory
//! but the end of data that are no whole blocks.

use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::mem::transmute;

use hybrid_array::{Array, ArraySize};
use inout::InOutBuf;
use zeroize::Zeroize;

use super::{Data, Vector, load_16, load_up_to_16, number, store_up_to_16, vector};

/// The bytes of blocks.
#[inline]
pub fn bytes<'inp, 'out, N: ArraySize>(blocks: InOutBuf<'inp, 'out, Array<u8, N>>) -> InOutBuf<'inp, 'out, u8> {
    let bytes = blocks.len() * N::USIZE;
    let (input, output) = blocks.into_raw();
    // SAFETY: the same memory, for as long; an array of bytes is its bytes.
    unsafe { InOutBuf::from_raw(input.cast(), output.cast(), bytes) }
}

/// What is left of the data, in batches of `R` registers.
pub struct Blocks<'inp, 'out, 'room, V: Vector, const R: usize> {
    data: Data<'inp, 'out>,
    tail: &'room mut Tail,
    registers: PhantomData<[V; R]>,
}

/// Room for what data that are no whole blocks end with.
#[repr(C, align(16))]
pub struct Tail(u128);

impl Tail {
    /// Nothing.
    #[inline(always)]
    #[allow(clippy::new_without_default)] // for generated code
    pub const fn new() -> Self {
        Tail(0)
    }
}

impl<'inp, 'out, 'room, V: Vector, const R: usize> Blocks<'inp, 'out, 'room, V, R> {
    /// All of the data.
    #[inline]
    pub fn new(data: InOutBuf<'inp, 'out, u8>, tail: &'room mut Tail) -> Self {
        // it stays in memory, not in registers that hardly anybody needs it in
        Blocks { data: Data::new(data), tail: anew_mut(tail), registers: PhantomData }
    }

    /// The next batch: a whole one, or all that is left.
    #[inline]
    #[allow(clippy::should_implement_trait)] // generated code must not count on a trait in scope
    pub fn next(&mut self) -> Option<Padded<'_, V, R>> {
        let bytes = const { R * size_of::<V>() };
        let left = self.data.left.min(bytes);
        if left == 0 {
            return None;
        }
        let Data { input, output, .. } = self.data.split(left)?;
        let whole = left & !15;
        if size_of::<V>() < 64 && whole < left {
            // SAFETY: as many bytes are readable at the input.
            self.tail.0 = number(unsafe { load_up_to_16(input.add(whole), left - whole) });
        }
        Some(Padded { input, output, left, tail: self.tail, registers: PhantomData })
    }
}

/// The same, but it is not known to be.
#[inline]
#[allow(clippy::pointers_in_nomem_asm_block)] // nothing is read through it
fn anew_mut<T>(value: &mut T) -> &mut T {
    let mut value: *mut T = value;
    // SAFETY: there is no instruction in it, and the pointer comes out as it went in.
    unsafe { asm!("/* {0} */", inout(reg) value, options(nomem, nostack, preserves_flags)) }
    // SAFETY: it points to the value, borrowed as long as the result.
    unsafe { &mut *value }
}

/// `R` registers, the first `left` bytes of which, 1 to all, are readable at `input` and writable at `output`. The others
/// are zeros, and are not written. The last bytes, where they are no whole block, are in `tail`.
pub struct Padded<'a, V: Vector, const R: usize> {
    input: *const u8,
    output: *mut u8,
    left: usize,
    tail: &'a mut Tail,
    registers: PhantomData<&'a mut [V]>,
}

impl<V: Vector, const R: usize> Padded<'_, V, R> {
    /// Whether all of register `I` is there.
    #[inline(always)]
    const fn has<const I: usize>(&self) -> bool {
        const { assert!(I < R) }
        self.left >= const { (I + 1) * size_of::<V>() }
    }

    /// # Safety
    /// It is there.
    #[inline(always)]
    unsafe fn read<const I: usize>(&self) -> V {
        // SAFETY: the caller's; any bytes are a vector.
        unsafe { self.input.add(I * size_of::<V>()).cast::<V>().read_unaligned() }
    }

    /// # Safety
    /// It is there.
    #[inline(always)]
    unsafe fn write<const I: usize>(&mut self, vector: V) {
        // SAFETY: the caller's.
        unsafe { self.output.add(I * size_of::<V>()).cast::<V>().write_unaligned(vector) }
    }

    /// The block that begins at this byte, or as much as there is of it, and zeros.
    #[inline(always)]
    fn block(&self, at: usize) -> __m128i {
        if self.left >= at + 16 {
            // SAFETY: 16 bytes are there.
            unsafe { load_16(self.input.add(at)) }
        } else if self.left > at {
            vector(self.tail.0)
        } else {
            vector(0)
        }
    }

    /// As much as there is of it becomes the vector.
    #[inline(always)]
    fn set_block(&mut self, at: usize, block: __m128i) {
        if self.left >= at + 16 {
            // SAFETY: 16 bytes are there.
            unsafe { self.output.add(at).cast::<__m128i>().write_unaligned(block) }
        } else if self.left > at {
            self.tail.0 = number(block);
        }
    }
}

impl<const R: usize> Padded<'_, __m128i, R> {
    /// Register `I`.
    #[inline(always)]
    pub fn load<const I: usize>(&self) -> __m128i {
        self.block(16 * I)
    }

    /// Register `I` becomes `vector`.
    #[inline(always)]
    pub fn store<const I: usize>(&mut self, vector: __m128i) {
        self.set_block(16 * I, vector);
    }
}

impl<const R: usize> Padded<'_, __m256i, R> {
    /// Register `I`.
    #[inline(always)]
    pub fn load<const I: usize>(&self) -> __m256i {
        if self.has::<I>() {
            // SAFETY: it is there.
            return unsafe { self.read::<I>() };
        }
        let lanes = [self.block(32 * I), self.block(32 * I + 16)];
        // SAFETY: two halves are a whole, and any bytes are a vector.
        unsafe { transmute::<[__m128i; 2], __m256i>(lanes) }
    }

    /// Register `I` becomes `vector`.
    #[inline(always)]
    pub fn store<const I: usize>(&mut self, vector: __m256i) {
        if self.has::<I>() {
            // SAFETY: it is there.
            return unsafe { self.write::<I>(vector) };
        }
        // SAFETY: a whole is two halves, and any bytes are a vector.
        let [low, high] = unsafe { transmute::<__m256i, [__m128i; 2]>(vector) };
        self.set_block(32 * I, low);
        self.set_block(32 * I + 16, high);
    }
}

impl<const R: usize> Padded<'_, __m512i, R> {
    /// The bytes of register `I` that are there.
    #[inline(always)]
    const fn mask<const I: usize>(&self) -> __mmask64 {
        let bytes = self.left.saturating_sub(64 * I) as u32;
        // not called for whole registers
        !(u64::MAX << (bytes % 64))
    }

    /// Register `I`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn load<const I: usize>(&self) -> __m512i {
        if self.has::<I>() {
            // SAFETY: it is there.
            return unsafe { self.read::<I>() };
        }
        // SAFETY: no byte is read that the mask leaves out.
        unsafe { _mm512_maskz_loadu_epi8(self.mask::<I>(), self.input.wrapping_add(64 * I).cast()) }
    }

    /// Register `I` becomes `vector`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn store<const I: usize>(&mut self, vector: __m512i) {
        if self.has::<I>() {
            // SAFETY: it is there.
            return unsafe { self.write::<I>(vector) };
        }
        // SAFETY: no byte is written that the mask leaves out.
        unsafe { _mm512_mask_storeu_epi8(self.output.wrapping_add(64 * I).cast(), self.mask::<I>(), vector) }
    }
}

impl<V: Vector, const R: usize> Drop for Padded<'_, V, R> {
    #[inline]
    fn drop(&mut self) {
        let whole = self.left & !15;
        if size_of::<V>() < 64 && whole < self.left {
            // SAFETY: as many bytes are writable at the output.
            unsafe { store_up_to_16(self.output.add(whole), self.left - whole, vector(self.tail.0)) }
            self.tail.0.zeroize();
        }
    }
}

/// All ones in the bytes in which `a < b`, without signs.
#[inline]
#[target_feature(enable = "sse2")]
pub fn less8_xmm(a: __m128i, b: __m128i) -> __m128i {
    _mm_xor_si128(_mm_cmpeq_epi8(_mm_max_epu8(a, b), a), _mm_set1_epi8(-1))
}

/// All ones in the bytes in which `a < b`, without signs.
#[inline]
#[target_feature(enable = "avx2")]
pub fn less8_ymm(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(a, b), a), _mm256_set1_epi8(-1))
}

/// All ones in the bytes in which `a < b`, without signs.
#[inline]
#[target_feature(enable = "avx512bw")]
pub fn less8_zmm(a: __m512i, b: __m512i) -> __m512i {
    _mm512_movm_epi8(_mm512_cmplt_epu8_mask(a, b))
}

/// 64 bytes in a zmm register.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_64(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes, and any bytes are a vector.
    unsafe { bytes.as_ptr().cast::<__m512i>().read_unaligned() }
}
