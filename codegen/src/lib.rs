//! The generator behind [byways](https://docs.rs/byways): a description becomes a [`Program`](ir::Program), and a
//! program becomes Rust ([`emit`]), a result ([`eval`]) and a cost ([`cost`](mod@cost)).
//!
//! ```
//! use byways_codegen::{cost, families, spec::Variant};
//! let program = families::program("aes128_ctr_by16_zmm".parse::<Variant>()?);
//! let cost = cost::cost(&program);
//! assert_eq!((cost.counts["vaesenc"], cost.cycles, cost.bytes), (36, 40.0, 256));
//! # Ok::<(), byways_codegen::spec::NameError>(())
//! ```
//!
//! A family is a description in [`families`], its operations in [`ir`], and how these are done in [`isa`].

#![forbid(unsafe_code)]

pub mod cost;
pub mod emit;
pub mod eval;
pub mod families;
pub mod gf2;
pub mod ir;
pub mod isa;
mod parse;
#[cfg(feature = "pretty")]
pub mod pretty;
/// Which of a counter's data are in runs of blocks. This is ordinary code that the interpreter calls and, through
/// `runs!`, the kernels do.
pub mod runs;
pub mod spec;

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

pub use parse::{Description, aes_ctr as parse_aes_ctr, aria as parse_aria, crc_fold as parse_crc_fold};

/// What `aes_ctr!` expands to: the kernels of its description and their registry, or its errors.
pub fn aes_ctr(input: TokenStream) -> TokenStream {
    kernels(parse_aes_ctr(input))
}

/// What `crc_fold!` expands to: the kernels of its description and their registry, or its errors.
pub fn crc_fold(input: TokenStream) -> TokenStream {
    kernels(parse_crc_fold(input))
}

/// What `aria!` expands to: the kernels of its description and their registry, or its errors.
pub fn aria(input: TokenStream) -> TokenStream {
    kernels(parse_aria(input))
}

fn kernels(description: syn::Result<Description>) -> TokenStream {
    match description {
        Ok(Description { krate, variants }) => emit::items(&variants, &krate),
        Err(errors) => errors.into_compile_error(),
    }
}

/// What `runs!` expands to: the source text of [`runs`](mod@runs).
pub fn runs(_: TokenStream) -> TokenStream {
    include_str!("runs.rs").parse().expect("a module of this crate is Rust")
}

/// What `aria_layouts!` expands to, from [`gf2::aria`]: `FOLDED`, what is xored into the first round key, one before an
/// even round, one before an odd round, and the last; `is_folded`, which of the types of round keys have that in them, and
/// `shares_first_round`, which are of kernels that take the first two packed, too; `PACKED`, the register and the place of each byte of the first block; and `GRID` and `CELL`.
pub fn aria_layouts(_: TokenStream) -> TokenStream {
    use gf2::aria::{CELL, GRID, folded};
    let number = |n: usize| Literal::usize_unsuffixed(n);
    // of 4 rounds: before rounds 1, 2, 3 and after round 4
    let folded = [0, 1, 2, 4].map(|before| {
        let bytes = folded(before, 4);
        quote!([#(#bytes),*])
    });
    let packed = (0..spec::BLOCK).map(|i| {
        let place = families::aria::place_packed(i, 0).map(number);
        quote!([#(#place),*])
    });
    let mut types = BTreeMap::new();
    for layout in ir::KeyLayout::ALL {
        let (is_folded, shares) = types.entry(layout.name()).or_insert((layout.is_folded(), false));
        assert_eq!(*is_folded, layout.is_folded(), "one type for layouts that differ: {layout:?}");
        *shares |= layout.shares_first_round();
    }
    let constants = |of: fn(&(bool, bool)) -> bool| {
        let constants = types.iter().map(|(name, layouts)| {
            let (name, value) = (format_ident!("{name}"), of(layouts));
            quote!(pub(super) const #name: bool = #value;)
        });
        constants.collect::<TokenStream>()
    };
    let (is_folded, shares_first_round) = (constants(|of| of.0), constants(|of| of.1));
    let [grid, cell] = [GRID.as_flattened(), &CELL].map(|bytes| bytes.iter().map(|&byte| number(byte)));
    quote! {
        const FOLDED: [[u8; 16]; 4] = [#(#folded),*];
        #[allow(non_upper_case_globals)]
        mod is_folded {
            #is_folded
        }
        #[allow(non_upper_case_globals)]
        mod shares_first_round {
            #shares_first_round
        }
        const PACKED: [[usize; 2]; 16] = [#(#packed),*];
        const GRID: [usize; 16] = [#(#grid),*];
        const CELL: [usize; 16] = [#(#cell),*];
    }
}

/// What `features!` expands to: the table of [`isa::FEATURES`] for run-time detection, as an array of the rows that
/// `byways_kernels::cpu` declares.
pub fn features(_: TokenStream) -> TokenStream {
    let rows = isa::FEATURES.iter().map(|feature| {
        let isa::Feature { name, leaf, register, bit, saved, implies } = *feature;
        let (register, saved) = (format_ident!("{register}"), format_ident!("{saved:?}"));
        let (leaf, bit) = (Literal::u32_unsuffixed(leaf), Literal::u32_unsuffixed(bit));
        quote! {
            Row {
                name: #name,
                shown: |leaves| leaves.leaf(#leaf).#register >> #bit & 1 == 1,
                saved: Saved::#saved,
                implies: &[#(#implies),*],
            }
        }
    });
    quote!([#(#rows),*])
}
