//! Operations on values that take more than one intrinsic, or have more than one result.

// clippy takes a safe function that needs a CPU feature to be an unsafe one
#![allow(clippy::missing_safety_doc)]

use core::arch::asm;
use core::arch::x86_64::*;

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

/// In each 128-bit lane, the bytes of the low halves in turn, one of `a` first; and the same of the high halves.
#[inline]
#[target_feature(enable = "sse2")]
pub fn unpack8_xmm(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
    (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b))
}

/// In each 128-bit lane, the bytes of the low halves in turn, one of `a` first; and the same of the high halves.
#[inline]
#[target_feature(enable = "avx2")]
pub fn unpack8_ymm(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b))
}

/// In each 128-bit lane, the bytes of the low halves in turn, one of `a` first; and the same of the high halves.
#[inline]
#[target_feature(enable = "avx512bw")]
pub fn unpack8_zmm(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    (_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b))
}

/// The same, both before anything that stands behind them: of many in a row the compiler would begin with one half of all,
/// and have no registers for that.
#[inline]
#[target_feature(enable = "avx512bw")]
pub fn unpack8_at_once_zmm(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    let (mut low, mut high) = unpack8_zmm(a, b);
    // SAFETY: there is no instruction in it, and the values come out as they went in.
    unsafe {
        asm!("/* {0} {1} */", inout(zmm_reg) low, inout(zmm_reg) high, options(nomem, nostack, preserves_flags));
    }
    (low, high)
}

/// For each byte of `a`, that of `low` at its lower half, xored with that of `high` at its upper.
#[inline]
#[target_feature(enable = "ssse3")]
pub fn halves8_xmm(a: __m128i, low: __m128i, high: __m128i) -> __m128i {
    let half = _mm_set1_epi8(0x0f);
    let upper = _mm_and_si128(_mm_srli_epi16::<4>(a), half);
    _mm_xor_si128(_mm_shuffle_epi8(low, _mm_and_si128(a, half)), _mm_shuffle_epi8(high, upper))
}
