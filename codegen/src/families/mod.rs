//! The descriptions: one a family, for every N and width. What else is not the same in every family, how its kernels
//! look from outside, stands beside it.

mod aes_ctr;

use proc_macro2::{Ident, TokenStream};

use crate::ir::Program;
use crate::spec::{Algorithm, Variant};

/// The variant as a program.
pub fn program(variant: Variant) -> Program {
    match variant.algorithm() {
        Algorithm::AesCtr(key, form) => aes_ctr::program(variant, key, form),
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
    /// The type that the registry keeps functions of its family as.
    pub signature: TokenStream,
    /// The function as a value of that type.
    pub registered: TokenStream,
}

/// The variant's kernel from outside, as a function of the name `function`; `krate` is the path of `byways_kernels`.
pub fn outside(variant: Variant, function: &Ident, krate: &TokenStream) -> Outside {
    match variant.algorithm() {
        Algorithm::AesCtr(key, form) => aes_ctr::outside(variant, key, form, function, krate),
    }
}
