//! A message that is read from its start, whose first register need not be whole, and powers of x for its registers.

use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::ptr;

use super::{Vector, Whole, beyond_whole, load_16, load_up_to_8, load_up_to_16, vector};

/// What is left of a message.
#[derive(Debug)]
pub struct Message<'a> {
    data: *const u8,
    left: usize,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> Message<'a> {
    /// All of it.
    #[inline]
    pub fn new(data: &'a [u8]) -> Self {
        Message { data: data.as_ptr(), left: data.len(), bytes: PhantomData }
    }

    /// How many registers what is left reaches into.
    #[inline]
    pub fn registers<V: Vector>(&self) -> usize {
        self.left.div_ceil(size_of::<V>())
    }

    /// All of the message, if it is 1 byte to a whole register and `K` whole registers more.
    #[inline]
    pub fn all<V: Vector, const K: usize>(self) -> Option<Start<'a, V, K>> {
        let bytes = beyond_whole::<V, K>(self.left)?;
        Some(Start { data: self.data, bytes, registers: PhantomData })
    }

    /// 1 byte to a whole register and `K` whole registers, if as much is left, so that whole registers are left behind.
    #[inline]
    pub fn begin<V: Vector, const K: usize>(&mut self) -> Option<Start<'a, V, K>> {
        const { assert!(K < isize::MAX as usize / size_of::<V>(), "no memory has so many registers") }
        let whole = const { K * size_of::<V>() };
        if self.left <= whole {
            return None;
        }
        let bytes = (self.left - 1) % size_of::<V>() + 1;
        let start = Start { data: self.data, bytes, registers: PhantomData };
        // SAFETY: more than K registers are left, and `bytes` is what they are more than a multiple of a register, or
        // one: not more than is left.
        self.data = unsafe { self.data.add(bytes + whole) };
        self.left = self.left.wrapping_sub(bytes + whole);
        Some(start)
    }

    /// The next `K` registers, if as much is left.
    #[inline]
    pub fn batch<V: Vector, const K: usize>(&mut self) -> Option<Whole<'a, V, K>> {
        const { assert!(K <= isize::MAX as usize / size_of::<V>(), "no memory has so many registers") }
        let bytes = const { K * size_of::<V>() };
        if self.left < bytes {
            return None;
        }
        let whole = Whole { data: self.data, registers: PhantomData };
        // SAFETY: so many bytes are left.
        self.data = unsafe { self.data.add(bytes) };
        self.left -= bytes;
        Some(whole)
    }

    /// The next chunk, if as much is left: `STEPS` times `R` registers, and behind them `C` chains of `STEPS` times `K`
    /// words.
    #[inline]
    pub fn chunk<V: Vector, const R: usize, const C: usize, const K: usize, const STEPS: usize>(
        &mut self,
    ) -> Option<Chunk<'a, V, R, C, K, STEPS>> {
        let folded = const { folded_and_chains::<V>(R, 0, 0, STEPS).expect("no memory has so many registers") };
        let bytes = const { folded_and_chains::<V>(R, C, K, STEPS).expect("no memory has so large a chunk") };
        if self.left < bytes {
            return None;
        }
        let data = self.data;
        // SAFETY: so many bytes are left, and the folded ones are a part of them.
        let words = unsafe {
            self.data = data.add(bytes);
            data.add(folded)
        };
        self.left -= bytes;
        Some(Chunk { data, words, left: STEPS, registers: PhantomData })
    }

    /// How many words what is left reaches into.
    #[inline]
    pub fn words(&self) -> usize {
        self.left.div_ceil(WORD)
    }

    /// All of the message, if it is 1 byte to a whole word and `K` whole words more.
    #[inline]
    pub fn all_words<const K: usize>(self) -> Option<StartWords<'a, K>> {
        let bytes = beyond_whole::<u64, K>(self.left)?;
        Some(StartWords { data: self.data, bytes, words: PhantomData })
    }

    /// What is left as whole registers, if they are fewer than `MOST`, and their powers of x, and those of `MOST`
    /// registers before them.
    #[inline]
    pub fn rest<V: Vector, const MOST: usize, const LANES: usize>(
        self,
        powers: &'a Powers<LANES>,
    ) -> Option<Left<'a, V, MOST>> {
        const { assert!((2 * MOST - 1) * size_of::<V>() <= size_of::<[[u64; 2]; LANES]>(), "too few powers of x") }
        let left = self.left / size_of::<V>();
        (left < MOST).then_some(Left { data: self.data, left, end: powers.end().cast(), registers: PhantomData })
    }
}

/// The start of a message: `bytes`, 1 to a register's, and `K` whole registers behind them are readable at `data`.
#[derive(Debug)]
pub struct Start<'a, V, const K: usize> {
    data: *const u8,
    bytes: usize,
    registers: PhantomData<&'a [V]>,
}

impl<V: Vector, const K: usize> Start<'_, V, K> {
    /// Register `I`, which is not the first.
    #[inline]
    pub fn load<const I: usize>(&self) -> V {
        const { assert!(I >= 1 && I <= K) }
        // SAFETY: behind the first register's bytes, register I of K is readable, and any bytes are a vector.
        unsafe { self.data.add(self.bytes + (I - 1) * size_of::<V>()).cast::<V>().read_unaligned() }
    }

    /// What of the state's bytes finds no place in the first register.
    #[inline]
    pub fn beyond(&self, state: u64) -> u64 {
        beyond(state, self.bytes)
    }
}

impl<V, const K: usize> Start<'_, V, K> {
    /// Whether the first register is whole, too. As most lengths are chosen, it is.
    #[inline]
    fn is_whole(&self) -> bool {
        self.bytes == size_of::<V>()
    }
}

impl<const K: usize> Start<'_, __m128i, K> {
    /// The first register, its bytes behind zeros, with the state xored into the first of them.
    #[inline]
    #[target_feature(enable = "ssse3")]
    pub fn first(&self, state: u64) -> __m128i {
        if self.is_whole() {
            // SAFETY: a whole register's bytes are readable.
            return _mm_xor_si128(unsafe { load_16(self.data) }, vector(u128::from(state)));
        }
        let bytes = if K > 0 {
            // SAFETY: a whole register's bytes are readable.
            unsafe { load_16(self.data) }
        } else {
            // SAFETY: 1 to 16 bytes are readable.
            unsafe { load_up_to_16(self.data, self.bytes) }
        };
        slide(_mm_xor_si128(bytes, vector(u128::from(state))), self.bytes)
    }

    /// The second register, with what of the state found no place in the first xored into its first bytes.
    #[inline]
    #[target_feature(enable = "ssse3")]
    pub fn second(&self, state: u64) -> __m128i {
        const { assert!(K > 0) }
        let bytes = self.load::<1>();
        if self.is_whole() { bytes } else { _mm_xor_si128(bytes, vector(u128::from(self.beyond(state)))) }
    }
}

impl<const K: usize> Start<'_, __m256i, K> {
    /// The first register, its bytes behind zeros, with the state xored into the first of them.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn first(&self, state: u64) -> __m256i {
        let xored = vector(u128::from(state));
        if self.is_whole() {
            // SAFETY: a whole register's bytes are readable.
            let bytes = unsafe { self.data.cast::<__m256i>().read_unaligned() };
            return _mm256_xor_si256(bytes, _mm256_zextsi128_si256(xored));
        }
        if self.bytes >= 16 {
            let before = self.bytes - 16;
            // SAFETY: 16 bytes are readable, and those that end with the first register's.
            let (low, high) = unsafe { (load_16(self.data), load_16(self.data.add(before))) };
            // the state's bytes that are in both, so to speak, belong to the lower lane
            let high = _mm_xor_si128(high, vector(u128::from(beyond(state, before))));
            _mm256_set_m128i(high, slide(_mm_xor_si128(low, xored), before))
        } else {
            let bytes = if K > 0 {
                // SAFETY: a whole register's bytes are readable.
                unsafe { load_16(self.data) }
            } else {
                // SAFETY: 1 to 15 bytes are readable.
                unsafe { load_up_to_16(self.data, self.bytes) }
            };
            _mm256_set_m128i(slide(_mm_xor_si128(bytes, xored), self.bytes), _mm_setzero_si128())
        }
    }

    /// The second register, with what of the state found no place in the first xored into its first bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn second(&self, state: u64) -> __m256i {
        const { assert!(K > 0) }
        let bytes = self.load::<1>();
        if self.is_whole() {
            return bytes;
        }
        _mm256_xor_si256(bytes, _mm256_zextsi128_si256(vector(u128::from(self.beyond(state)))))
    }
}

/// Bytes in a word.
const WORD: usize = size_of::<u64>();

/// What of the state's bytes is beyond the first so many.
#[inline]
fn beyond(state: u64, bytes: usize) -> u64 {
    if bytes < WORD { state >> (8 * bytes) } else { 0 }
}

/// Bytes of so many registers and chains of words, so many times; none where no memory has as many.
const fn folded_and_chains<V: Vector>(registers: usize, chains: usize, words: usize, steps: usize) -> Option<usize> {
    let Some(folded) = registers.checked_mul(size_of::<V>()) else { return None };
    let Some(words) = chains.checked_mul(words) else { return None };
    let Some(words) = words.checked_mul(WORD) else { return None };
    let Some(step) = folded.checked_add(words) else { return None };
    match step.checked_mul(steps) {
        Some(bytes) if bytes <= isize::MAX as usize => Some(bytes),
        _ => None,
    }
}

/// A chunk: `left` times `R` registers are readable at `data`, and at `words` `left` times `K` words of each of `C` chains,
/// the words of each chain `STEPS` times `K` words behind those of the one before.
#[derive(Debug)]
pub struct Chunk<'a, V, const R: usize, const C: usize, const K: usize, const STEPS: usize> {
    data: *const u8,
    words: *const u8,
    left: usize,
    registers: PhantomData<&'a [V]>,
}

impl<'a, V: Vector, const R: usize, const C: usize, const K: usize, const STEPS: usize> Chunk<'a, V, R, C, K, STEPS> {
    /// The next `R` registers, and the next `K` words of each chain.
    #[inline]
    #[allow(clippy::should_implement_trait)] // generated code must not count on a trait in scope
    pub fn next(&mut self) -> Option<Step<'a, V, R, C, K, STEPS>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let step = Step { whole: Whole { data: self.data, registers: PhantomData }, words: self.words };
        // SAFETY: a step was left of both.
        unsafe {
            self.data = self.data.add(const { R * size_of::<V>() });
            self.words = self.words.add(const { K * WORD });
        }
        Some(step)
    }
}

/// A step of a chunk: `R` registers, and at `words` `K` words of each of `C` chains are readable, the words of each
/// chain `STEPS` times `K` words behind those of the one before.
#[derive(Debug)]
pub struct Step<'a, V, const R: usize, const C: usize, const K: usize, const STEPS: usize> {
    whole: Whole<'a, V, R>,
    words: *const u8,
}

impl<V: Vector, const R: usize, const C: usize, const K: usize, const STEPS: usize> Step<'_, V, R, C, K, STEPS> {
    /// Register `I`.
    #[inline]
    pub fn load<const I: usize>(&self) -> V {
        self.whole.load::<I>()
    }

    /// As [`Whole::prefetch`].
    #[inline]
    pub fn prefetch<const AHEAD: usize>(&self) {
        self.whole.prefetch::<AHEAD>();
    }

    /// Word `I` of chain `CHAIN`.
    #[inline]
    pub fn word<const CHAIN: usize, const I: usize>(&self) -> u64 {
        const { assert!(CHAIN < C && I < K) }
        // SAFETY: word I of K is readable, of chain CHAIN of C.
        unsafe { self.words.add(const { (CHAIN * STEPS * K + I) * WORD }).cast::<u64>().read_unaligned() }
    }
}

/// The start of a message: `bytes`, 1 to 8, and `K` whole words behind them are readable at `data`.
#[derive(Debug)]
pub struct StartWords<'a, const K: usize> {
    data: *const u8,
    bytes: usize,
    words: PhantomData<&'a [u64]>,
}

impl<const K: usize> StartWords<'_, K> {
    /// The first word, its bytes behind zeros, with the state xored into the first of them.
    #[inline]
    pub fn first_word(&self, state: u64) -> u64 {
        let word = if K > 0 {
            // SAFETY: a whole word's bytes are readable.
            unsafe { self.data.cast::<u64>().read_unaligned() }
        } else {
            // SAFETY: 1 to 8 bytes are readable.
            unsafe { load_up_to_8(self.data, self.bytes) }
        };
        (word ^ state) << (8 * (WORD - self.bytes))
    }

    /// What of the state's bytes finds no place in it.
    #[inline]
    pub fn beyond(&self, state: u64) -> u64 {
        beyond(state, self.bytes)
    }

    /// Word `I`, which is not the first; there are no chains but one.
    #[inline]
    pub fn word<const CHAIN: usize, const I: usize>(&self) -> u64 {
        const { assert!(CHAIN == 0 && I >= 1 && I <= K) }
        // SAFETY: behind the first word's bytes, word I of K is readable.
        unsafe { self.data.add(self.bytes + (I - 1) * WORD).cast::<u64>().read_unaligned() }
    }
}

/// Bytes in a page: less of a buffer than that and more is there or not as a whole.
const PAGE: usize = 4096;

impl<const K: usize> Start<'_, __m512i, K> {
    /// The first register, its bytes behind zeros, with the state xored into the first of them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    pub fn first(&self, state: u64) -> __m512i {
        let state = _mm512_zextsi128_si512(vector(u128::from(state)));
        if self.is_whole() {
            // SAFETY: a whole register's bytes are readable.
            return _mm512_xor_si512(unsafe { self.data.cast::<__m512i>().read_unaligned() }, state);
        }
        let last = u64::MAX << (64 - self.bytes);
        let bytes = if K > 0 {
            // SAFETY: a whole register's bytes are readable.
            unsafe { self.data.cast::<__m512i>().read_unaligned() }
        } else if self.data.addr() % PAGE <= PAGE - 64 {
            let first = u64::MAX >> (64 - self.bytes);
            // SAFETY: 1 to 64 bytes are readable, and no byte is that the mask leaves out.
            unsafe { _mm512_maskz_loadu_epi8(first, self.data.cast()) }
        } else {
            // A masked load is slow where what it leaves out is in a page that is not there: better before the bytes than
            // behind them, where the next page starts.
            let before = self.data.wrapping_sub(64 - self.bytes);
            // SAFETY: as above.
            let bytes = unsafe { _mm512_maskz_loadu_epi8(last, before.cast()) };
            return _mm512_xor_si512(bytes, _mm512_maskz_expand_epi8(last, state));
        };
        _mm512_maskz_expand_epi8(last, _mm512_xor_si512(bytes, state))
    }

    /// The second register, with what of the state found no place in the first xored into its first bytes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn second(&self, state: u64) -> __m512i {
        const { assert!(K > 0) }
        let bytes = self.load::<1>();
        if self.is_whole() {
            return bytes;
        }
        _mm512_xor_si512(bytes, _mm512_zextsi128_si512(vector(u128::from(self.beyond(state)))))
    }
}

/// The first `bytes` of the vector, up to 16, behind zeros.
#[inline]
#[target_feature(enable = "ssse3")]
fn slide(vector: __m128i, bytes: usize) -> __m128i {
    /// An index with the highest bit set makes a zero.
    static INDICES: [u8; 32] = {
        let (mut indices, mut i) = ([0x80; 32], 16);
        while i < 32 {
            indices[i] = i as u8 - 16;
            i += 1;
        }
        indices
    };
    // SAFETY: the 16 bytes from any of the first 17 on are readable.
    let indices = unsafe { load_16(INDICES.as_ptr().add(if bytes < 16 { bytes } else { 16 })) };
    _mm_shuffle_epi8(vector, indices)
}

/// Whole registers at the end of a message, fewer than `MOST`: `left` of them are readable at `data`, and the powers of x
/// for `left + MOST` registers before `end`.
#[derive(Debug)]
pub struct Left<'a, V, const MOST: usize> {
    data: *const u8,
    left: usize,
    end: *const V,
    registers: PhantomData<&'a [V]>,
}

impl<'a, V: Vector, const MOST: usize> Left<'a, V, MOST> {
    /// The powers of x for `MOST` registers before all that are left.
    #[inline]
    pub fn distances(&self) -> Distances<'a, V, MOST> {
        // SAFETY: there are powers for `left + MOST` registers before the end.
        Distances { end: unsafe { self.end.sub(self.left) }, registers: PhantomData }
    }

    /// The next register, and the powers of x for it.
    #[inline]
    #[allow(clippy::should_implement_trait)] // generated code must not count on a trait in scope
    pub fn next(&mut self) -> Option<(Whole<'a, V, 1>, Distances<'a, V, 1>)> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let register = Whole { data: self.data, registers: PhantomData };
        // SAFETY: a register was left, and powers for more registers than are.
        let end = unsafe {
            self.data = self.data.add(size_of::<V>());
            self.end.sub(self.left)
        };
        Some((register, Distances { end, registers: PhantomData }))
    }
}

/// Powers of x for `D` registers, those of the last one before `end`.
#[derive(Debug)]
pub struct Distances<'a, V, const D: usize> {
    end: *const V,
    registers: PhantomData<&'a [V]>,
}

impl<V: Vector, const D: usize> Distances<'_, V, D> {
    /// Those for the register that `I` others are behind.
    #[inline]
    pub fn at<const I: usize>(&self) -> V {
        const { assert!(I < D) }
        // SAFETY: the powers of D registers are readable before the end, and any bytes are a vector.
        unsafe { self.end.sub(I + 1).read_unaligned() }
    }
}

/// Powers of x in one order of bits, and what a reduction takes.
///
/// In `distances` stand the powers 2·`LANES` to 1; the halves of the lane that j others are behind are multiplied with
/// the powers 2j + 2 and 2j + 1.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Powers<const LANES: usize> {
    distances: [[u64; 2]; LANES],
    quotient: [u64; 2],
    unit: [u64; 2],
}

impl<const LANES: usize> Powers<LANES> {
    pub(crate) const fn new(distances: [[u64; 2]; LANES], quotient: [u64; 2], unit: u64) -> Self {
        Powers { distances, quotient, unit: [unit; 2] }
    }

    /// The powers 2·`LANES` to 1, two a lane.
    pub const fn lanes(&self) -> &[[u64; 2]; LANES] {
        &self.distances
    }

    #[inline]
    fn end(&self) -> *const [u64; 2] {
        self.distances.as_ptr_range().end
    }

    /// Those for `D` registers.
    #[inline]
    pub fn distances<V: Vector, const D: usize>(&self) -> Distances<'_, V, D> {
        const { assert!(D * size_of::<V>() <= size_of::<[[u64; 2]; LANES]>(), "too few powers of x") }
        Distances { end: self.end().cast(), registers: PhantomData }
    }

    /// The quotient and the modulus.
    #[inline]
    pub fn quotient(&self) -> __m128i {
        read(&self.quotient)
    }

    /// All ones if the modulus has the term 1.
    #[inline]
    pub fn unit(&self) -> __m128i {
        read(&self.unit)
    }

    /// The powers 2·`N` + 1 and 2·`N`: for a step of `N` lanes.
    #[inline]
    fn step<const N: usize>(&self) -> &[u64; 2] {
        const { assert!(N >= 1 && N < LANES, "too few powers of x") }
        let powers = self.distances.as_flattened();
        // SAFETY: power k stands at 2·LANES − k, and both are there.
        unsafe { &*powers.as_ptr().add(2 * LANES - 2 * N - 1).cast() }
    }

    /// For a step of `N` lanes, in an xmm register.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn stride_xmm<const N: usize>(&self) -> __m128i {
        read(self.step::<N>())
    }

    /// For a step of `N` lanes, in both lanes of a ymm register.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn stride_ymm<const N: usize>(&self) -> __m256i {
        _mm256_broadcastsi128_si256(read(self.step::<N>()))
    }

    /// For a step of `N` lanes, in all lanes of a zmm register.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn stride_zmm<const N: usize>(&self) -> __m512i {
        _mm512_broadcast_i32x4(read(self.step::<N>()))
    }
}

/// The high half of the register. The compiler does not see that it could as well take the halves of what the register
/// was made of, one by one.
#[inline]
#[target_feature(enable = "sse4.1")]
pub fn high(mut vector: __m128i) -> u64 {
    // SAFETY: there is no instruction in it, and the register comes out as it went in.
    unsafe { asm!("/* {0} */", inout(xmm_reg) vector, options(pure, nomem, nostack, preserves_flags)) }
    _mm_extract_epi64::<1>(vector) as u64
}

#[inline(always)]
fn read(halves: &[u64; 2]) -> __m128i {
    // SAFETY: 16 bytes, and any bytes are a vector.
    unsafe { ptr::from_ref(halves).cast::<__m128i>().read_unaligned() }
}
