//! The descriptions: one a family, for every N and width. What else is not the same in every family, how its kernels
//! look from outside, stands beside it.

mod aes_ctr;
pub mod aria;
mod crc_fold;

use proc_macro2::{Ident, TokenStream};

use crate::ir::{Builder, Program};
use crate::spec::{Algorithm, Variant, Width};

/// A shuffle: byte i is byte 15 − i.
const REVERSE: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;

/// Bytes in a cache line.
const LINE: usize = 64;

/// The variant as a program.
pub fn program(variant: Variant) -> Program {
    match variant.algorithm() {
        Algorithm::AesCtr(key, form) => aes_ctr::program(variant, key, form),
        Algorithm::Crc(form) => crc_fold::program(variant, form),
        Algorithm::Aria(mode, form) => aria::program(variant, mode, form),
    }
}

/// A kernel from outside.
#[derive(Clone, Debug)]
pub struct Outside {
    /// The macro call that makes it alone.
    pub macro_call: String,
    /// Its documentation, by lines.
    pub documentation: Vec<String>,
    /// The function's parameters.
    pub parameters: TokenStream,
    /// The arrow and type of what it returns, if it does.
    pub returns: TokenStream,
    /// The function as a value of the registry's type.
    pub registered: TokenStream,
}

/// What the kernels of one macro call have in common.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The type that functions are kept as.
    pub signature: TokenStream,
    /// Items beside the registry.
    pub items: TokenStream,
}

/// The variant's kernel from outside, as a function of the name `function`, one of those of `among`; `krate` is the path
/// of `byways_kernels`.
pub fn outside(variant: Variant, among: &[Variant], function: &Ident, krate: &TokenStream) -> Outside {
    match variant.algorithm() {
        Algorithm::AesCtr(key, form) => aes_ctr::outside(variant, key, form, function, krate),
        Algorithm::Aria(mode, form) => aria::outside(variant, mode, form, function, krate),
        Algorithm::Crc(form) => crc_fold::outside(variant, form, crc_fold::lanes(among), function, krate),
    }
}

/// What these kernels, all of one family, have in common; nothing without kernels.
pub fn registry(variants: &[Variant], krate: &TokenStream) -> Option<Registry> {
    Some(match variants.first()?.algorithm() {
        Algorithm::AesCtr(..) => aes_ctr::registry(krate),
        Algorithm::Crc(_) => crc_fold::registry(variants, krate),
        Algorithm::Aria(..) => aria::registry(krate),
    })
}

/// 128-bit lanes that the constants of a CRC must have powers of x for, so that each of these kernels finds them.
pub fn lanes(variants: &[Variant]) -> usize {
    crc_fold::lanes(variants)
}

/// Asks for the cache lines of so many registers of data, `ahead` bytes after the start of the block.
fn prefetch(p: &mut Builder, width: Width, registers: usize, ahead: usize) {
    for line in (0..registers * width.bytes()).step_by(LINE) {
        p.prefetch(ahead + line);
    }
}
