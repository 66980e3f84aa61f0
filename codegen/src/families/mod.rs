//! The descriptions: one a family, for every N and width.

mod aes_ctr;

use crate::ir::Program;
use crate::spec::{Algorithm, Variant};

/// The variant as a program.
pub fn program(variant: Variant) -> Program {
    match variant.algorithm() {
        Algorithm::AesCtr(key, form) => aes_ctr::program(variant, key, form),
    }
}
