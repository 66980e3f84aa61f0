//! AES in counter mode, CRCs and ARIA by generated SIMD kernels, by the fastest kernel for the CPU they run on and for
//! the length of each message.
//!
//! Counter mode ([`ctr`]) is what crates `aes` and `ctr` do together with a big-endian counter, under the same names and
//! traits:
//!
//! ```
//! use byways::cipher::{KeyIvInit, StreamCipher};
//! use byways::{Aes128, ctr::Ctr128BE};
//!
//! // RFC 3686, test vector 1
//! let key = 0xae6852f8121067cc4bf7a5765577f39e_u128.to_be_bytes();
//! let first_block = 0x00000030_0000000000000000_00000001_u128.to_be_bytes();
//! let mut data = *b"Single block msg";
//! Ctr128BE::<Aes128>::new(&key.into(), &first_block.into()).apply_keystream(&mut data);
//! assert_eq!(u128::from_be_bytes(data), 0xe4095d4fb7a7b3792d6175a3261311b8);
//! ```
//!
//! CRCs ([`crc`]) are what crate `crc` does, up to 64 bits, under the same names:
//!
//! ```
//! use byways::crc::{CRC_32_ISCSI, Crc};
//!
//! static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
//! // RFC 3720, B.4
//! assert_eq!(CRC.checksum(&[0xff; 32]), 0x62a8ab43);
//! ```
//!
//! [`crc::t10`] has T10 protection information.
//!
//! ARIA ([`Aria128`], [`Aria192`], [`Aria256`]) is what crate `aria` does, under the same names and traits, and has the
//! counter mode of [`ctr`], too:
//!
//! ```
//! use byways::Aria128;
//! use byways::cipher::{BlockCipherEncrypt, KeyInit};
//!
//! // RFC 5794, appendix A.1
//! let key = 0x00010203_04050607_08090a0b_0c0d0e0f_u128.to_be_bytes();
//! let mut blocks = [0x00112233_44556677_8899aabb_ccddeeff_u128.to_be_bytes().into(); 30];
//! Aria128::new(&key.into()).encrypt_blocks(&mut blocks);
//! assert_eq!(blocks, [0xd718fbd6_ab644c73_9da95f3b_e6451778_u128.to_be_bytes(); 30]);
//! ```
//!
//! What runs is settled by what the CPU has ([`cpu`]) and by how wide registers may be ([`Width`], [`limit_width`]), and
//! for each message by its length; an AES or ARIA key keeps what it was when the key was built.
//! [`kernels()`] lists all kernels there are. They come from [`byways_kernels`], which also makes kernels for an unroll
//! factor of one's own.
//!
//! # Features
//!
//! - `std` (default): reads the environment variable `BYWAYS_MAX_WIDTH`. Without it the crate is `no_std`.
//! - `parallel`: large buffers on all cores.
//! - `cli`: the command line `byways`, and the modules that it measures and verifies with.
//!
//! # Secrets
//!
//! In counter mode and ARIA, no branch and no address depends on a key, on data or on keystream, with one exception:
//! **ARIA's fallback, crate `aria`, looks S-boxes up in tables by secrets.** It runs where a key's
//! [`width`](Aria128::width) is [`Width::Fallback`]. Round keys, kept keystream and tables are wiped when they are
//! dropped. CRCs promise nothing about secrets, and protect from accidents only.

#![cfg_attr(not(feature = "std"), no_std)]

mod aes;
mod aria;
pub mod crc;
pub mod ctr;
mod dispatch;
#[cfg(feature = "cli")]
pub mod measure;
#[cfg(target_arch = "x86_64")]
mod plan;
mod secrets;
#[cfg(all(feature = "cli", target_arch = "x86_64"))]
pub mod verify;

pub use aes::{Aes128, Aes192, Aes256};
pub use aria::{Aria128, Aria192, Aria256};
pub use byways_kernels;
#[cfg(target_arch = "x86_64")]
pub use byways_kernels::keys;
pub use byways_kernels::{cpu, inout};
pub use cipher;
#[cfg(feature = "std")]
pub use dispatch::VARIABLE;
pub use dispatch::{UnknownWidth, Width, limit_width, width_limit};

/// A kernel of the registry, by its family.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Registered {
    /// Counter mode.
    #[cfg(target_arch = "x86_64")]
    Ctr(&'static cpu::Kernel<byways_kernels::ctr::Ctr>),
    /// CRCs.
    #[cfg(target_arch = "x86_64")]
    Crc(&'static cpu::Kernel<byways_kernels::crc::Fold<{ byways_kernels::crc_fold::LANES }>>),
    /// ARIA.
    #[cfg(target_arch = "x86_64")]
    Aria(&'static cpu::Kernel<byways_kernels::keys::aria::Aria>),
}

impl Registered {
    /// `<algorithm>_by<N>_<width>`.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Registered::Ctr(kernel) => kernel.name(),
            #[cfg(target_arch = "x86_64")]
            Registered::Crc(kernel) => kernel.name(),
            #[cfg(target_arch = "x86_64")]
            Registered::Aria(kernel) => kernel.name(),
        }
    }

    /// What a CPU must have to run it.
    pub const fn features(self) -> cpu::Features {
        match self {
            #[cfg(target_arch = "x86_64")]
            Registered::Ctr(kernel) => kernel.features(),
            #[cfg(target_arch = "x86_64")]
            Registered::Crc(kernel) => kernel.features(),
            #[cfg(target_arch = "x86_64")]
            Registered::Aria(kernel) => kernel.features(),
        }
    }
}

/// Every kernel that was generated, whether or not this CPU can run it; none on other architectures than x86-64.
pub fn kernels() -> impl Iterator<Item = Registered> {
    #[cfg(target_arch = "x86_64")]
    let kernels = {
        let ctr = byways_kernels::aes_ctr::KERNELS.iter().map(Registered::Ctr);
        let crc = byways_kernels::crc_fold::KERNELS.iter().map(Registered::Crc);
        ctr.chain(crc).chain(byways_kernels::aria::KERNELS.iter().map(Registered::Aria))
    };
    #[cfg(not(target_arch = "x86_64"))]
    let kernels = core::iter::empty();
    kernels
}
