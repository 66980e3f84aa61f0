//! What a polynomial's constants are, against the formulas by long division and squaring, and against published values.
#![allow(unsafe_code)]
#![cfg(target_arch = "x86_64")]

use std::arch::x86_64::*;
use std::panic::catch_unwind;

use byways_codegen::gf2::{Modulus, product};
use byways_kernels::cpu::{Detected, Features};
use byways_kernels::crc::Constants;
use byways_kernels::crc_fold::LANES;
use byways_kernels::mem::Powers;

/// Numbers at random, by SplitMix64.
fn random(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = state;
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb)] {
            number = (number ^ number >> shift).wrapping_mul(factor);
        }
        number ^ number >> 31
    })
}

/// Widths and polynomials: those of well-known CRCs, for each width those with few and with all terms, and some at
/// random.
fn polynomials() -> Vec<(u8, u64)> {
    let known =
        [(16, 0x8bb7), (32, 0x04c1_1db7), (32, 0x1edc_6f41), (64, 0x42f0_e1eb_a9ea_3693), (64, 0xad93_d235_94c9_3659)];
    let mut polynomials = known.to_vec();
    let mut random = random(1);
    for width in 1..=64 {
        let ones = u64::MAX >> (64 - width);
        polynomials.extend([0, 1, ones].map(|poly| (width, poly)));
        polynomials.extend(random.by_ref().take(2).map(|poly| (width, poly & ones)));
    }
    polynomials
}

/// The halves, the lower one first.
fn halves(vector: __m128i) -> [u64; 2] {
    // SAFETY: every x86-64 CPU has SSE2.
    let [low, high] = unsafe { [_mm_cvtsi128_si64(vector), _mm_cvtsi128_si64(_mm_unpackhi_epi64(vector, vector))] };
    [low.cast_unsigned(), high.cast_unsigned()]
}

#[test]
fn powers_of_x() {
    for (width, poly) in polynomials() {
        let constants = Constants::<LANES>::new(width, poly);
        let modulus = Modulus::new(width, poly);
        let [reflected, plain] = [constants.reflected(), constants.plain()].map(|powers| powers.lanes().as_flattened());
        assert_eq!([reflected.len(), plain.len()], [2 * LANES; 2]);
        for k in 1..=2 * LANES {
            let what = format!("power {k} for {width} bits, {poly:#x}");
            let power = modulus.power(64 * k as u64 - 1);
            assert_eq!(reflected[2 * LANES - k], power.reverse_bits(), "reflected {what}");
            // once more by x
            let power = modulus.divide(u128::from(power) << 1).0;
            assert_eq!(plain[2 * LANES - k], power, "plain {what}");
            assert_eq!(power, modulus.power(64 * k as u64), "{what}");
        }
    }
}

#[test]
fn what_a_reduction_takes() {
    for (width, poly) in polynomials() {
        let what = format!("{width} bits, {poly:#x}");
        let constants = Constants::<LANES>::new(width, poly);
        let modulus = Modulus::new(width, poly);
        let (reflected, plain) = (constants.reflected(), constants.plain());

        let quotient = modulus.divide(1 << 127).1;
        let halved = 1 << 63 | modulus.low() >> 1;
        assert_eq!(modulus.halved(), halved, "{what}");
        assert_eq!(halves(reflected.quotient()), [quotient.reverse_bits(), halved.reverse_bits()], "{what}");

        // (x^64 + q) · (x^64 + m) = x^128 + rest, where the rest is below x^64: there is one such q
        let [q, m] = halves(plain.quotient());
        assert_eq!(m, modulus.low(), "{what}");
        assert_eq!((product(q, m) >> 64) as u64, q ^ m, "{what}");

        let unit = if width == 64 && poly & 1 == 1 { u64::MAX } else { 0 };
        assert_eq!(halves(reflected.unit()), [unit; 2], "{what}");
    }
}

/// Linux, `crc-pclmul-consts.h`: CRC-64/NVME in the reflected order, CRC-64/ECMA-182 in the plain one.
#[test]
fn published_values() {
    let nvme = Constants::<LANES>::new(64, 0xad93_d235_94c9_3659);
    // x^1087 and x^1023, x^575 and x^511, x^319 and x^255, x^191 and x^127
    let steps = [
        (8, [0xa1ca_681e_733f_9c40, 0x5f85_2fb6_1e8d_92dc]),
        (4, [0x0c32_cdb3_1e18_a84a, 0x6224_2240_ace5_045a]),
        (2, [0xb0bc_2e58_9204_f500, 0xe1e0_bb9d_45d7_a44c]),
        (1, [0xeadc_41fd_2ba3_d420, 0x21e9_761e_2526_21ac]),
    ];
    for (lanes, powers) in steps {
        assert_eq!(step(nvme.reflected(), lanes), powers, "{lanes}");
    }
    assert_eq!(halves(nvme.reflected().quotient()), [0x27ec_fa32_9aef_9f77, 0x34d9_2653_5897_936b]);

    let ecma = Constants::<LANES>::new(64, 0x42f0_e1eb_a9ea_3693);
    // x^1088 and x^1024, x^576 and x^512, x^320 and x^256, x^192 and x^128
    let steps = [
        (8, [0x0010_67e5_71d7_d5c2, 0x05cf_79de_a9ac_37d6]),
        (4, [0xddf4_b698_1205_b83f, 0x5f68_43ca_540d_f020]),
        (2, [0x44be_f2a2_01b5_200c, 0x571b_ee0a_227e_f92b]),
        (1, [0x4eb9_38a7_d257_740e, 0x05f5_c3c7_eb52_fab6]),
    ];
    for (lanes, powers) in steps {
        assert_eq!(step(ecma.plain(), lanes), powers, "{lanes}");
    }
    assert_eq!(halves(ecma.plain().quotient()), [0x578d_29d0_6cc4_f872, 0x42f0_e1eb_a9ea_3693]);
}

/// The powers for a step of so many lanes, as the list has them.
fn step<const LANES: usize>(powers: &Powers<LANES>, lanes: usize) -> [u64; 2] {
    let powers = powers.lanes().as_flattened();
    [powers[2 * (LANES - lanes) - 1], powers[2 * (LANES - lanes)]]
}

/// As kernels take them: for a step in every lane, and for a register by those behind it.
#[test]
fn registers_of_powers() {
    #[target_feature(enable = "sse2")]
    fn xmm(powers: &Powers<LANES>) {
        let steps = [
            (1, powers.stride_xmm::<1>()),
            (12, powers.stride_xmm::<12>()),
            (LANES - 1, powers.stride_xmm::<{ LANES - 1 }>()),
        ];
        for (lanes, found) in steps {
            assert_eq!(halves(found), step(powers, lanes));
        }
        let distances = powers.distances::<__m128i, LANES>();
        assert_eq!(halves(distances.at::<0>()), powers.lanes()[LANES - 1]);
        assert_eq!(halves(distances.at::<7>()), powers.lanes()[LANES - 8]);
        assert_eq!(halves(distances.at::<{ LANES - 1 }>()), powers.lanes()[0]);
    }
    #[target_feature(enable = "avx2")]
    fn ymm(powers: &Powers<LANES>) {
        let lanes = |vector| [_mm256_castsi256_si128(vector), _mm256_extracti128_si256::<1>(vector)].map(halves);
        assert_eq!(lanes(powers.stride_ymm::<12>()), [step(powers, 12); 2]);
        let distances = powers.distances::<__m256i, { LANES / 2 }>();
        assert_eq!(lanes(distances.at::<0>()), powers.lanes()[LANES - 2..]);
        assert_eq!(lanes(distances.at::<{ LANES / 2 - 1 }>()), powers.lanes()[..2]);
    }
    #[target_feature(enable = "avx512f")]
    fn zmm(powers: &Powers<LANES>) {
        let lanes = |vector| {
            let (low, high) = (_mm512_castsi512_si256(vector), _mm512_extracti64x4_epi64::<1>(vector));
            let [a, c] = [low, high].map(|half| _mm256_castsi256_si128(half));
            let [b, d] = [low, high].map(|half| _mm256_extracti128_si256::<1>(half));
            [a, b, c, d].map(halves)
        };
        assert_eq!(lanes(powers.stride_zmm::<12>()), [step(powers, 12); 4]);
        let distances = powers.distances::<__m512i, { LANES / 4 }>();
        assert_eq!(lanes(distances.at::<0>()), powers.lanes()[LANES - 4..]);
        assert_eq!(lanes(distances.at::<{ LANES / 4 - 1 }>()), powers.lanes()[..4]);
    }
    let widths: [(_, unsafe fn(&Powers<LANES>)); 3] = [("sse3", xmm), ("avx2", ymm), ("avx512f", zmm)];
    for (feature, check) in widths {
        if !Detected::get().features().contains(Features::named(feature)) {
            println!("not run on this CPU, which has no {feature}: registers of powers");
            continue;
        }
        for (width, poly) in [(32, 0x04c1_1db7), (64, 0x42f0_e1eb_a9ea_3693)] {
            let constants = Constants::new(width, poly);
            for powers in [constants.reflected(), constants.plain()] {
                // SAFETY: the CPU has the feature.
                unsafe { check(powers) }
            }
        }
    }
}

/// Fewer lanes are the last of more, and constants of a constant are those of a call.
#[test]
fn any_number_of_lanes() {
    static FEW: Constants<3> = Constants::new(16, 0x8bb7);
    let many = Constants::<LANES>::new(16, 0x8bb7);
    for (few, many) in [(FEW.reflected(), many.reflected()), (FEW.plain(), many.plain())] {
        assert_eq!(few.lanes()[..], many.lanes()[LANES - 3..]);
        assert_eq!(halves(few.quotient()), halves(many.quotient()));
    }
    assert!(Constants::<0>::new(16, 0x8bb7).plain().lanes().is_empty());
}

#[test]
fn a_width_is_1_to_64_bits() {
    for width in [0, 65, 255] {
        let panic = catch_unwind(|| Constants::<1>::new(width, 1)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"a generator's width is 1 to 64 bits"), "{width}");
    }
}
