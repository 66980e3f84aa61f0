//! Blocks in batches, the last of which is filled up with zeros.

use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use hybrid_array::{Array, ArraySize};
use inout::InOutBuf;

use super::{Data, Vector};

/// The bytes of blocks.
#[inline]
pub fn bytes<'inp, 'out, N: ArraySize>(blocks: InOutBuf<'inp, 'out, Array<u8, N>>) -> InOutBuf<'inp, 'out, u8> {
    let bytes = blocks.len() * N::USIZE;
    let (input, output) = blocks.into_raw();
    // SAFETY: the same memory, for as long; an array of bytes is its bytes.
    unsafe { InOutBuf::from_raw(input.cast(), output.cast(), bytes) }
}

/// What is left of the data, and room for a batch that they do not fill.
pub struct Blocks<'inp, 'out, V: Vector, const R: usize> {
    data: Data<'inp, 'out>,
    room: MaybeUninit<[V; R]>,
}

impl<'inp, 'out, V: Vector, const R: usize> Blocks<'inp, 'out, V, R> {
    /// All of the data.
    #[inline]
    pub fn new(data: InOutBuf<'inp, 'out, u8>) -> Self {
        Blocks { data: Data::new(data), room: MaybeUninit::uninit() }
    }

    /// The next batch of `R` registers; if less is left, that, and zeros behind it.
    #[inline]
    #[allow(clippy::should_implement_trait)] // generated code must not count on a trait in scope
    pub fn next(&mut self) -> Option<Padded<'_, V, R>> {
        let piece = |input, output, left| Padded { input, output, left, back: None, registers: PhantomData };
        let bytes = const { R * size_of::<V>() };
        let Data { input, output, left, .. } = self.data;
        if left >= bytes {
            let whole = self.data.split(bytes)?;
            return Some(piece(whole.input, whole.output, bytes));
        }
        if left == 0 {
            return None;
        }
        self.data.left = 0;
        let room = self.room.as_mut_ptr().cast::<u8>();
        // SAFETY: zeros are vectors; fewer bytes are readable at the input than there is room, which is elsewhere.
        unsafe {
            room.write_bytes(0, bytes);
            copy(input, room, left);
        }
        Some(Padded { back: Some(output), ..piece(room.cast_const(), room, left) })
    }
}

/// Copies bytes, 16 at a time as far as they go.
///
/// # Safety
/// So many are readable and writable, and they are not the same.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    let mut at = 0;
    // SAFETY: the caller's.
    unsafe {
        while at + 16 <= bytes {
            to.add(at).cast::<__m128i>().write_unaligned(from.add(at).cast::<__m128i>().read_unaligned());
            at += 16;
        }
        while at < bytes {
            to.add(at).write(from.add(at).read());
            at += 1;
        }
    }
}

/// `R` registers: as many are readable at `input` and writable at `output`. If they are no part of the data, `left` bytes of
/// them go `back` there on drop, and all of them are wiped.
#[derive(Debug)]
pub struct Padded<'a, V: Vector, const R: usize> {
    input: *const u8,
    output: *mut u8,
    left: usize,
    back: Option<*mut u8>,
    registers: PhantomData<&'a mut [V]>,
}

impl<V: Vector, const R: usize> Padded<'_, V, R> {
    /// Register `I`.
    #[inline]
    pub fn load<const I: usize>(&self) -> V {
        const { assert!(I < R) }
        // SAFETY: register I of R is readable, and any bytes are a vector.
        unsafe { self.input.add(I * size_of::<V>()).cast::<V>().read_unaligned() }
    }

    /// Register `I` becomes `vector`.
    #[inline]
    pub fn store<const I: usize>(&mut self, vector: V) {
        const { assert!(I < R) }
        // SAFETY: register I of R is writable.
        unsafe { self.output.add(I * size_of::<V>()).cast::<V>().write_unaligned(vector) }
    }
}

impl<V: Vector, const R: usize> Drop for Padded<'_, V, R> {
    #[inline]
    fn drop(&mut self) {
        let Some(back) = self.back else { return };
        // SAFETY: the room has more bytes than that, and they are as many as were left of the data, which are elsewhere.
        unsafe { copy(self.output, back, self.left) }
        let room = self.output.cast::<V>();
        for i in 0..R {
            // SAFETY: a register of the room, which is aligned for it, and zeros are a vector.
            unsafe { room.add(i).write_volatile(MaybeUninit::zeroed().assume_init()) };
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
