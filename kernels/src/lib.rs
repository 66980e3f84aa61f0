//! The generated kernels of [byways](https://docs.rs/byways).
//!
//! This crate holds descriptions, AES in counter mode ([`mod@aes_ctr`]), CRCs ([`mod@crc_fold`]) and ARIA
//! ([`mod@aria`]), and what they need from outside: round keys ([`keys`]), constants of polynomials ([`crc`]), memory
//! access ([`mem`]) and the proof that a CPU has what a kernel was compiled for ([`cpu`]). The kernels exist on x86-64
//! only; on other architectures those modules are left out. It is `no_std`.
//!
//! # Kernels of one's own
//!
//! [`aes_ctr!`], [`crc_fold!`] and [`aria!`] make kernels for any N that fits, in any crate, also under
//! `#![forbid(unsafe_code)]`:
//!
//! ```
//! # #[cfg(target_arch = "x86_64")] {
//! use byways_kernels::cpu::Detected;
//! use byways_kernels::keys::AesKeys;
//!
//! mod kernels {
//!     byways_kernels::aes_ctr! { key: [128], by: [12], width: [xmm, ymm, zmm] }
//! }
//!
//! // NIST SP 800-38A, F.5.1, block 1
//! let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
//! let counter = 0xf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff;
//! let cpu = Detected::get();
//! for kernel in kernels::KERNELS {
//!     let Ok(kernel) = kernel.prove(cpu) else { continue };
//!     let keys = AesKeys::new(&key, cpu.aes().expect("a kernel's CPU has AES-NI"))?;
//!     let mut block = 0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes();
//!     kernel.run(&keys, counter, block.as_mut_slice().into())?;
//!     assert_eq!(u128::from_be_bytes(block), 0x874d6191b620e3261bef6864990db6ce);
//! }
//! # }
//! # Ok::<(), byways_kernels::keys::KeyError>(())
//! ```

#![no_std]

#[cfg(target_arch = "x86_64")]
pub mod aes_ctr;
#[cfg(target_arch = "x86_64")]
pub mod aria;
#[allow(unsafe_code)]
pub mod cpu;
#[cfg(target_arch = "x86_64")]
pub mod crc;
#[cfg(target_arch = "x86_64")]
pub mod crc_fold;
#[cfg(target_arch = "x86_64")]
pub mod ctr;
#[cfg(target_arch = "x86_64")]
pub mod keys;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub mod mem;

/// Which of a counter's data are in runs of blocks, which the cached form has a table for.
#[cfg(target_arch = "x86_64")]
pub mod runs {
    byways_macros::runs!();
}

pub use inout;

/// For generated code.
#[doc(hidden)]
pub use core;
/// For generated code.
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
pub use core::arch::x86_64 as x86;

/// For the doors.
#[doc(hidden)]
pub mod __macros {
    pub use byways_macros::{aes_ctr, aria, crc_fold};
}

/// AES-CTR kernels of one's own: a function a kernel, and `KERNELS`, the registry of them.
///
/// ```text
/// aes_ctr! { key: [128, 192, 256], by: [4, 8, 12], width: [xmm, ymm, zmm] }
/// ```
/// `by` counts 16-byte blocks in flight: any number that fills whole registers of the width, up to its register file
/// (16; 32 at zmm). `form: [cached]` makes kernels for long messages, which take rounds 1 and 2 from a table; `plain` is
/// the other form, and meant where none is given. Groups of lists are separated by semicolons. Call it in a module of
/// its own.
///
/// Where N needs more registers than there are (the cost in a snapshot's head says so), cipher state goes to the stack and
/// is not wiped.
///
/// Without optimisation every instruction of a kernel is a function call: let the crate that calls this be optimised in
/// dev builds too.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! aes_ctr {
    ($($description:tt)*) => {
        $crate::__macros::aes_ctr! { crate = $crate; $($description)* }
    };
}

/// CRC kernels of one's own: a function a kernel, `KERNELS`, the registry of them, and `LANES`, what their
/// [constants](crc::Constants) must have.
///
/// ```text
/// crc_fold! { form: [lsb, msb_rev, msb_swap], by: [4, 8, 12], width: [xmm, ymm, zmm] }
/// ```
/// `form` says which bit of a byte comes first: the lowest (`lsb`), or the highest, by reversing the bits of each byte
/// (`msb_rev`, which takes GFNI) or the bytes of each lane (`msb_swap`). `by` counts 128-bit lanes in flight. The rest is
/// as in [`aes_ctr!`]. One kernel serves every generator of 1 to 64 bits; but `crc32c` and `crc32c_fused`, which use the
/// instruction that x86 has for it, are for CRC-32C alone.
///
/// ```
/// # #[cfg(target_arch = "x86_64")] {
/// use byways_kernels::{cpu::Detected, crc::Constants};
///
/// mod kernels {
///     byways_kernels::crc_fold! { form: [lsb], by: [12], width: [xmm, ymm, zmm] }
/// }
///
/// static CRC32: Constants<{ kernels::LANES }> = Constants::new(32, 0x04c11db7);
/// for kernel in kernels::KERNELS {
///     let Ok(kernel) = kernel.prove(Detected::get()) else { continue };
///     assert_eq!(!kernel.run(&CRC32, 0xffffffff, b"123456789") as u32, 0xcbf43926);
/// }
/// # }
/// ```
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! crc_fold {
    ($($description:tt)*) => {
        $crate::__macros::crc_fold! { crate = $crate; $($description)* }
    };
}

/// ARIA kernels of one's own: a function a kernel, and `KERNELS`, the registry of them.
///
/// ```text
/// aria! { mode: [ecb, ctr], form: [gfni], by: [4, 8, 16], width: [xmm, ymm, zmm] }
/// ```
/// `mode` is `ecb`, each block by itself, in the direction of the keys, or `ctr`, counter mode; `odd` and `even` are one
/// round alone, for the key schedule of this crate. `form` says how S-boxes are computed: `gfni`, meant where none is given, or `aessub`, by
/// AES rounds; `xor3` is GFNI with AVX-512's xors of three inputs in registers narrower than zmm. `by` counts blocks in
/// flight, in 2, 4, 8 or 16 registers (at zmm also in one, which takes VBMI); of `aessub` 4, 8 or 16 at xmm, of `xor3` in 2, 4 or 8 registers.
/// The rest is as in [`aes_ctr!`]. One kernel serves keys of every size: [`Keys`](keys::aria::Keys) of the layout that its
/// function takes.
///
/// Below zmm there are too few registers for what a kernel works with: state and parts of round keys go to the stack, and
/// are not wiped by it.
///
/// ```
/// # #[cfg(target_arch = "x86_64")] {
/// use byways_kernels::cpu::Detected;
/// use byways_kernels::keys::aria::{Keys, Schedule};
///
/// mod kernels {
///     byways_kernels::aria! { mode: [ecb], by: [4], width: [xmm, ymm] }
/// }
///
/// let cpu = Detected::get();
/// for kernel in kernels::KERNELS {
///     let (Some(rounds), Some(Ok(kernel))) = (cpu.aria_rounds(), kernel.packed().map(|kernel| kernel.prove(cpu))) else {
///         continue;
///     };
///     // RFC 5794, appendix A.1
///     let key = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
///     let mut block = 0x00112233445566778899aabbccddeeff_u128.to_be_bytes();
///     kernel.run(&Keys::encryption(&Schedule::new(&key, rounds)?), block.as_mut_slice().into());
///     assert_eq!(u128::from_be_bytes(block), 0xd718fbd6ab644c739da95f3be6451778);
/// }
/// # }
/// # Ok::<(), byways_kernels::keys::KeyError>(())
/// ```
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! aria {
    ($($description:tt)*) => {
        $crate::__macros::aria! { crate = $crate; $($description)* }
    };
}
