//! Generated code where nothing has its usual name: the kernel crate is renamed, there is no prelude, `core`, `std`
//! and the primitive types are something else, and unsafe code is forbidden. It must compile without a warning, and
//! the kernels must run.

#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, unreachable_pub)]
#![cfg(target_arch = "x86_64")]

/// Not the usual one.
pub mod core {}
/// Not the usual one.
pub mod std {}
/// Not the usual one.
pub mod byways_kernels {}

macro_rules! shadow {
    ($($name:ident)*) => {
        $(
            /// Not the usual one.
            #[allow(non_camel_case_types)]
            pub struct $name;
        )*
    };
}

// not as structs: no variable can be called as one of those is
macro_rules! shadow_variables {
    ($($name:ident)*) => {
        $(
            /// Not a variable.
            pub const fn $name() {}
        )*
    };
}

/// Kernels among names that mean something else.
pub mod kernels {
    /// Not the usual one.
    pub mod core {}
    /// Not the usual one.
    pub mod alloc {}
    shadow! { u8 u128 i64 usize Option Some None Ok Err InOutBuf RoundKeys Kernel Ctr Data }
    shadow_variables! { data counter keys key b0 slots table part runs stretches }

    ::renamed::aes_ctr! {
        key: [128, 192, 256], by: [4, 12], width: [xmm, ymm, zmm];
        key: [128], by: [40], width: [zmm];
        key: [128, 192, 256], form: [cached], by: [16], width: [xmm, ymm, zmm];
    }
}

/// Kernels of the other family among names that mean something else.
pub mod folds {
    /// Not the usual one.
    pub mod core {}
    /// Not the usual one.
    pub mod crc {}
    shadow! { u8 u64 i64 usize Option Some None Ok Err Kernel Constants Fold Lsb Msb Crc32c Message Powers __m128i }
    shadow_variables! { state constants data bytes distances left first beyond x0 d k v early late rev swap q chunk w r0 }

    ::renamed::crc_fold! {
        form: [lsb, msb_rev, msb_swap], by: [4, 12], width: [xmm, ymm, zmm];
        form: [lsb, msb_rev, msb_swap], by: [1], width: [xmm];
        form: [msb_swap], by: [40], width: [zmm];
        form: [crc32c, crc32c_fused], by: [12], width: [xmm, ymm, zmm];
    }
}

/// Kernels of the third family among names that mean something else.
pub mod blocks {
    /// Not the usual one.
    pub mod core {}
    /// Not the usual one.
    pub mod aria {}
    shadow! { u8 u128 i64 usize Option Some None Ok Err InOutBuf Keys Kernel Aria Blocks Padded Packed Grid __m512i }
    shadow_variables! { data counter keys first pairs pair last x0 y0 b0 a k c t0 row column0 d out further wrapped }

    ::renamed::aria! {
        mode: [ecb, ctr, odd, even], by: [4, 16], width: [xmm, ymm, zmm];
        mode: [ecb, ctr], by: [2], width: [xmm];
        mode: [ecb, ctr], by: [32], width: [ymm];
        mode: [ecb, ctr], by: [64], width: [zmm];
        mode: [ecb, ctr], form: [xor3], by: [4], width: [xmm, ymm];
        mode: [ecb, ctr, odd, even], form: [aessub], by: [4, 16], width: [xmm];
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn kernels_run_where_nothing_has_its_usual_name() {
        use ::std::option::Option::Some;
        use ::std::result::Result::Ok;

        let cpu = ::renamed::cpu::Detected::get();
        ::std::assert_eq!(super::kernels::KERNELS.len(), 28);
        for kernel in super::kernels::KERNELS {
            let (Ok(run), Some(aes)) = (kernel.prove(cpu), cpu.aes()) else {
                ::std::println!("not run on this CPU: {}", kernel.name());
                continue;
            };
            // NIST SP 800-38A, F.5.1, F.5.3 and F.5.5, block 1
            let (key, expected): (&[u8], u128) = match kernel.function().key_len() {
                16 => (&NIST_128, 0x874d6191b620e3261bef6864990db6ce),
                24 => (&NIST_192, 0x1abc932417521ca24f2b0459fe7e6e0b),
                _ => (&NIST_256, 0x601ec313775789a5b7a7f504bbf3d228),
            };
            let keys = ::renamed::keys::AesKeys::new(key, aes).unwrap();
            let mut block = u128::to_be_bytes(0x6bc1bee22e409f96e93d7e117393172a);
            let data = ::std::convert::Into::into(&mut block[..]);
            run.run(&keys, 0xf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff, data).unwrap();
            ::std::assert_eq!(u128::from_be_bytes(block), expected, "{}", kernel.name());
        }
    }

    #[test]
    fn folds_run_where_nothing_has_its_usual_name() {
        use ::renamed::crc::{Constants, Fold};
        use ::std::result::Result::Ok;

        // 40 lanes are 10 registers, of which 9 may be left
        static CRC_32: Constants<{ super::folds::LANES }> = Constants::new(32, 0x04c1_1db7);
        ::std::assert_eq!(super::folds::LANES, 19 * 4);
        static CRC_32C: Constants<{ super::folds::LANES }> = Constants::new(32, 0x1edc_6f41);
        ::std::assert_eq!(super::folds::KERNELS.len(), 28);
        let cpu = ::renamed::cpu::Detected::get();
        // zeros before a message change nothing, if the register is zero
        let mut long = ::std::vec![0; 70_000];
        long[69_991..].copy_from_slice(b"123456789");
        for kernel in super::folds::KERNELS {
            let Ok(run) = kernel.prove(cpu) else {
                ::std::println!("not run on this CPU: {}", kernel.name());
                continue;
            };
            // the checks of CRC-32/ISO-HDLC, CRC-32/BZIP2 and CRC-32/ISCSI
            let (constants, bits_before, check) = match kernel.function() {
                Fold::Lsb(_) => (&CRC_32, 0, 0xcbf4_3926_u64),
                Fold::Msb(_) => (&CRC_32, 32, 0xfc89_1918),
                Fold::Crc32c(_) => (&CRC_32C, 0, 0xe306_9283),
            };
            let crc = run.run(constants, 0xffff_ffff << bits_before, b"123456789") >> bits_before;
            ::std::assert_eq!(crc ^ 0xffff_ffff, check, "{}", kernel.name());
            let short = run.run(constants, 0, b"123456789");
            ::std::assert_eq!(run.run(constants, 0, &long), short, "{}", kernel.name());
        }
    }

    #[test]
    fn blocks_run_where_nothing_has_its_usual_name() {
        use ::renamed::keys::aria::{Keys, Schedule};
        use ::std::iter::Iterator;
        use ::std::option::Option::Some;
        use ::std::result::Result::Ok;

        // RFC 5794, appendix A: the plaintext of blocks, and in counter mode the counter
        const PLAIN: u128 = 0x00112233445566778899aabbccddeeff;
        const CIPHER: [(u8, u128); 3] = [
            (16, 0xd718fbd6ab644c739da95f3be6451778),
            (24, 0x26449c1805dbe7aa25a468ce263a9e79),
            (32, 0xf92bd7c79fb72e2f2b8f80c1972d24fc),
        ];
        let cpu = ::renamed::cpu::Detected::get();
        ::std::assert_eq!(super::blocks::KERNELS.len(), 42);
        for kernel in super::blocks::KERNELS {
            // rounds alone are no more than compiled
            if !kernel.name().starts_with("aria_ecb_") && !kernel.name().starts_with("aria_ctr_") {
                continue;
            }
            let Some(rounds) = cpu.aria_rounds() else { continue };
            let mut ran = 0;
            for (bytes, cipher) in CIPHER {
                let key: ::std::vec::Vec<u8> = (0..bytes).collect();
                let schedule = Schedule::new(&key, rounds).unwrap();
                macro_rules! run {
                    ($($blocks:ident $counted:ident)*) => {
                        $(if let Some(Ok(run)) = kernel.$blocks().map(|kernel| kernel.prove(cpu)) {
                            let mut block = u128::to_be_bytes(PLAIN);
                            run.run(&Keys::encryption(&schedule), ::std::convert::Into::into(&mut block[..]));
                            ::std::assert_eq!(u128::from_be_bytes(block), cipher, "{}", kernel.name());
                            ran += 1;
                        }
                        if let Some(Ok(run)) = kernel.$counted().map(|kernel| kernel.prove(cpu)) {
                            let mut block = [0; 16];
                            run.run(&Keys::encryption(&schedule), PLAIN, ::std::convert::Into::into(&mut block[..]));
                            ::std::assert_eq!(u128::from_be_bytes(block), cipher, "{}", kernel.name());
                            ran += 1;
                        })*
                    };
                }
                run! { packed packed_ctr dwords dwords_ctr aes_dwords aes_dwords_ctr grid grid_ctr }
            }
            if kernel.prove(cpu).is_ok() {
                ::std::assert_eq!(ran, 3, "{}", kernel.name());
            } else {
                ::std::println!("not run on this CPU: {}", kernel.name());
            }
        }
    }

    const NIST_128: [u8; 16] = u128::to_be_bytes(0x2b7e151628aed2a6abf7158809cf4f3c);
    const NIST_192: [u8; 24] = [
        0x8e, 0x73, 0xb0, 0xf7, 0xda, 0x0e, 0x64, 0x52, 0xc8, 0x10, 0xf3, 0x2b, 0x80, 0x90, 0x79, 0xe5, 0x62, 0xf8,
        0xea, 0xd2, 0x52, 0x2c, 0x6b, 0x7b,
    ];
    const NIST_256: [u8; 32] = [
        0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81, 0x1f, 0x35,
        0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
    ];
}
