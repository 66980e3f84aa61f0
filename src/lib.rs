//! AES-CTR by generated SIMD kernels: from one description, a kernel for every number of blocks in flight and every
//! register width.
//!
//! [`kernels()`] lists them, [`cpu`] says what this CPU has, and [`ctr`] runs one. The kernels are those of
//! [`byways_kernels`], which also makes kernels for an unroll factor of one's own.

#![cfg_attr(not(feature = "std"), no_std)]

mod aes;
pub mod ctr;
mod dispatch;
#[cfg(feature = "cli")]
pub mod measure;
#[cfg(target_arch = "x86_64")]
mod plan;
#[cfg(all(feature = "cli", target_arch = "x86_64"))]
pub mod verify;

pub use aes::{Aes128, Aes192, Aes256};
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
}

impl Registered {
    /// `<algorithm>_by<N>_<width>`.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Registered::Ctr(kernel) => kernel.name(),
        }
    }

    /// What a CPU must have to run it.
    pub const fn features(self) -> cpu::Features {
        match self {
            #[cfg(target_arch = "x86_64")]
            Registered::Ctr(kernel) => kernel.features(),
        }
    }
}

/// Every kernel that was generated, whether or not this CPU can run it; none on other architectures than x86-64.
pub fn kernels() -> impl Iterator<Item = Registered> {
    #[cfg(target_arch = "x86_64")]
    let ctr = byways_kernels::aes_ctr::KERNELS.iter().map(Registered::Ctr);
    #[cfg(not(target_arch = "x86_64"))]
    let ctr = core::iter::empty();
    ctr
}
