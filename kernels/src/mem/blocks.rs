//! Blocks in batches, the last of which is filled up with zeros.

use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use hybrid_array::{Array, ArraySize};
use inout::InOutBuf;

use super::{Data, Vector, load_16, load_up_to_16, load_up_to_32, splat_ymm, store_up_to_16, store_up_to_32, vector};

/// The bytes of blocks.
#[inline]
pub fn bytes<'inp, 'out, N: ArraySize>(blocks: InOutBuf<'inp, 'out, Array<u8, N>>) -> InOutBuf<'inp, 'out, u8> {
    let bytes = blocks.len() * N::USIZE;
    let (input, output) = blocks.into_raw();
    // SAFETY: the same memory, for as long; an array of bytes is its bytes.
    unsafe { InOutBuf::from_raw(input.cast(), output.cast(), bytes) }
}

/// What is left of the data, and room for a batch that they do not fill.
pub struct Blocks<'inp, 'out, 'room, V: Vector, const R: usize> {
    data: Data<'inp, 'out>,
    room: &'room mut Room<V, R>,
}

/// Room for a batch, not initialised.
pub struct Room<V: Vector, const R: usize>(MaybeUninit<[V; R]>);

impl<V: Vector, const R: usize> Room<V, R> {
    /// Room that has nothing in it.
    #[inline]
    #[allow(clippy::new_without_default)] // for generated code
    pub fn new() -> Self {
        Room(MaybeUninit::uninit())
    }
}

impl<'inp, 'out, 'room, V: Lanes, const R: usize> Blocks<'inp, 'out, 'room, V, R> {
    /// All of the data. The room stands by itself, so that the rest is in registers.
    #[inline]
    pub fn new(data: InOutBuf<'inp, 'out, u8>, room: &'room mut Room<V, R>) -> Self {
        Blocks { data: Data::new(data), room }
    }

    /// The next batch of `R` registers; if less is left, that, and zeros behind it.
    #[inline(always)]
    #[allow(clippy::should_implement_trait)] // generated code must not count on a trait in scope
    pub fn next(&mut self) -> Option<Padded<'_, V, R>> {
        let bytes = const { R * size_of::<V>() };
        let left = self.data.left.min(bytes);
        if left == 0 {
            return None;
        }
        let Data { input, output, .. } = self.data.split(left)?;
        let data = Padded { input, output, left, back: None, registers: PhantomData };
        if const { is_direct::<V>(R) } || left == bytes {
            return Some(data);
        }
        let room = self.room.0.as_mut_ptr().cast::<V>();
        for i in 0..R {
            let at = i * size_of::<V>();
            // SAFETY: register i of the room, which is elsewhere; so many bytes are readable from there on. Zmm is direct.
            unsafe { room.add(i).write(V::part(input.wrapping_add(at), left.saturating_sub(at))) }
        }
        Some(Padded { input: room.cast_const().cast(), output: room.cast(), back: Some(output), ..data })
    }
}

/// Whether registers of a batch that the data do not fill come from the data and go there, each for as much as there is. Else
/// they are in the room: in many registers the cases would cost more than the way through memory.
const fn is_direct<V>(registers: usize) -> bool {
    size_of::<V>() == size_of::<__m512i>() || registers <= 4
}

/// Vectors that can be there in part.
pub trait Lanes: Vector {
    /// The first bytes, or as many as a vector has, and zeros above them: in one piece, so that a load of it need not wait
    /// when it went to memory.
    ///
    /// # Safety
    /// So many bytes are readable; for zmm the CPU has AVX-512F and BW.
    #[doc(hidden)]
    unsafe fn part(from: *const u8, bytes: usize) -> Self;

    /// Its first bytes, or all of them if there are not so many, go to memory.
    ///
    /// # Safety
    /// So many bytes are writable; for zmm the CPU has AVX-512F and BW.
    #[doc(hidden)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize);
}

impl Lanes for __m128i {
    #[inline(always)]
    unsafe fn part(from: *const u8, bytes: usize) -> Self {
        match bytes {
            0 => vector(0),
            // SAFETY: the caller's.
            1..16 => unsafe { load_up_to_16(from, bytes) },
            // SAFETY: the caller's.
            _ => unsafe { load_16(from) },
        }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        match bytes {
            0 => {}
            // SAFETY: the caller's.
            1..16 => unsafe { store_up_to_16(to, bytes, self) },
            // SAFETY: the caller's.
            _ => unsafe { to.cast::<Self>().write_unaligned(self) },
        }
    }
}

impl Lanes for __m256i {
    #[inline(always)]
    unsafe fn part(from: *const u8, bytes: usize) -> Self {
        match bytes {
            0 => splat_ymm(0),
            // SAFETY: the caller's.
            1..32 => unsafe { load_up_to_32(from, bytes) },
            // SAFETY: the caller's, and any bytes are a vector.
            _ => unsafe { from.cast::<Self>().read_unaligned() },
        }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        match bytes {
            0 => {}
            // SAFETY: the caller's.
            1..32 => unsafe { store_up_to_32(to, bytes, self) },
            // SAFETY: the caller's.
            _ => unsafe { to.cast::<Self>().write_unaligned(self) },
        }
    }
}

impl Lanes for __m512i {
    #[inline(always)]
    unsafe fn part(from: *const u8, bytes: usize) -> Self {
        if bytes >= 64 {
            // SAFETY: the caller's, and any bytes are a vector.
            return unsafe { from.cast::<Self>().read_unaligned() };
        }
        // SAFETY: the caller's; no byte is read that the mask leaves out.
        unsafe { _mm512_maskz_loadu_epi8(!(u64::MAX << bytes), from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        if bytes >= 64 {
            // SAFETY: the caller's.
            return unsafe { to.cast::<Self>().write_unaligned(self) };
        }
        // SAFETY: the caller's; no byte is written that the mask leaves out.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), !(u64::MAX << bytes), self) }
    }
}

/// `R` registers. If they are direct, `left` bytes of them, 1 to all, are readable at `input` and writable at `output`, and
/// the others are zeros that are not written. Else all of them are; and if they are no part of the data, `left` bytes of
/// them go `back` there at the end, and all of them are wiped.
#[derive(Debug)]
pub struct Padded<'a, V: Lanes, const R: usize> {
    input: *const u8,
    output: *mut u8,
    left: usize,
    back: Option<*mut u8>,
    registers: PhantomData<&'a mut [V]>,
}

impl<V: Lanes, const R: usize> Padded<'_, V, R> {
    /// Of register `I`, so many bytes are there, or all.
    #[inline(always)]
    const fn bytes<const I: usize>(&self) -> usize {
        const { assert!(I < R) }
        if is_direct::<V>(R) { self.left.saturating_sub(I * size_of::<V>()) } else { size_of::<V>() }
    }

    /// Ends the batch: what is in the room goes back, and the room is wiped. No drop, which the compiler would not always
    /// put in place.
    #[inline(always)]
    pub fn end(self) {
        if is_direct::<V>(R) {
            return;
        }
        let Some(back) = self.back else { return };
        let room = self.output.cast::<V>();
        for i in 0..R {
            let at = i * size_of::<V>();
            // SAFETY: register i of the room, which is aligned for it; so many bytes are writable from there on. Zmm is direct.
            unsafe { room.add(i).read().store_part(back.wrapping_add(at), self.left.saturating_sub(at)) };
        }
        for i in 0..R {
            // SAFETY: register i of the room, which is aligned for it, and zeros are a vector.
            unsafe { room.add(i).write_volatile(MaybeUninit::zeroed().assume_init()) };
        }
    }
}

macro_rules! access {
    ($($vector:ty: $(#[$attribute:meta])*;)*) => {
        $(
            impl<const R: usize> Padded<'_, $vector, R> {
                /// Register `I`.
                $(#[$attribute])*
                pub fn load<const I: usize>(&self) -> $vector {
                    let from = self.input.wrapping_add(I * size_of::<$vector>());
                    // SAFETY: so many bytes are readable from register I on, and at zmm the function has AVX-512F and BW.
                    unsafe { Lanes::part(from, self.bytes::<I>()) }
                }

                /// Register `I` becomes `vector`.
                $(#[$attribute])*
                pub fn store<const I: usize>(&mut self, vector: $vector) {
                    let to = self.output.wrapping_add(I * size_of::<$vector>());
                    // SAFETY: so many bytes are writable from register I on, and at zmm the function has AVX-512F and BW.
                    unsafe { vector.store_part(to, self.bytes::<I>()) }
                }
            }
        )*
    };
}

// moves of narrower ones are made of whatever the CPU has
access! {
    __m128i: #[inline(always)];
    __m256i: #[inline(always)];
    __m512i: #[inline] #[target_feature(enable = "avx512f,avx512bw")];
}

/// 64 bytes in a zmm register.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_64(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes, and any bytes are a vector.
    unsafe { bytes.as_ptr().cast::<__m512i>().read_unaligned() }
}
