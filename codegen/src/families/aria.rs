//! ARIA (RFC 5794), N blocks at a time, byte-sliced: a byte of one index meets only bytes of some other index, each from
//! the same block, so that no table is needed and no address depends on a secret.
//!
//! ```text
//! x ^= key 0
//! for each round r from 1 to n − 1:        x = diffuse(substitute(x)) ^ key r          classes of bytes: see below
//! x = substitute(x) ^ key n
//! substitute: byte i goes through S1, S2, S1⁻¹ or S2⁻¹ as i mod 4 is 0, 1, 2, 3; in even rounds as it is 2, 3, 0, 1
//! ```
//! Departures from it:
//! 1. An S-box is a matrix, the inverse in AES's field (whose modulus GFNI has, too) and another matrix. What is added
//!    before and after is in the round keys, diffused where it must be ([`folded`](crate::gf2::aria::folded)).
//! 2. On a square of the bytes ([`GRID`](crate::gf2::aria::GRID)) each of the diffusion's results is a cell ⊕ its row's sum
//!    ⊕ its column's sum ([`CELL`](crate::gf2::aria::CELL)): three-input xors, the round key among them. Sliced without
//!    these, it is by fewer xors of two ([`XORS`](crate::gf2::aria::XORS)).
//! 3. Everything moves by the layout, a map from the index of a byte and a block to a register and a place in it:
//!
//! | layout | registers | a byte's register | its place in a 128-bit lane |
//! |---|---|---|---|
//! | lanes | 1 of 4 lanes | one, its class the lane | its row in the grid, then the block |
//! | classed | fours | its class | its row in the grid, then the block of four |
//! | packed | pairs | its class modulo 2 | its class's half, then the lane's two blocks, then its row in the grid |
//! | sliced | 16 | its index | one for each of 16 blocks |
//!
//! 4. Without GFNI (`aessub`), AES's last round is S1, and that of decryption its inverse, both in a register of one class;
//!    S2 and its inverse are those behind or after an affine map, by two look-ups of half a byte in registers. What is
//!    added stays where it is. The rounds also shift the state's rows: shuffles that come behind undo it, or, sliced,
//!    where all that matters is that all registers have the same block in a place, half of the registers follow the
//!    others in an odd round and the other way in an even one, which undo each other.
//! 5. Sliced, a transposition of 16 × 16 bytes is four stages of unpacking registers i and i + 8. Classed, blocks with
//!    their bytes sorted by class, or classes with theirs by block, are two such stages apart. Packed, a row's sum is that
//!    of two registers and their halves, and so is a column's after a shuffle.
//! 6. Sliced, counter mode transposes nothing before the rounds: the bytes of counters are made in their registers. With
//!    GFNI even the first round is done once for all blocks, which differ in the lowest byte alone (`FirstRound`). The last
//!    key goes to the blocks behind the transposition, with the data.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{Outside, Registry};
use crate::ir::{Block, Builder, Compute, KeyLayout, Program, RoundKey, Rounds, Skeleton, State, Stmt, Value};
use crate::isa::{self, Instruction};
use crate::spec::{AriaForm, AriaMode, BLOCK, Variant};

mod aessub;
mod classed;
mod counted;
mod lanes;
mod packed;
mod places;
mod planes;
mod sliced;

pub use places::{place_classed, place_packed};

pub(super) fn program(variant: Variant, mode: AriaMode, form: AriaForm) -> Program {
    let mut p = Builder::new(variant.width());
    if form == AriaForm::Xor3 {
        p.take_xor3();
    }
    let layout = layout(variant, form);
    let (setup, start, state, batch) = match layout {
        KeyLayout::Lanes => lanes::parts(&mut p, variant, mode),
        KeyLayout::Classed => classed::parts(&mut p, variant, mode),
        KeyLayout::Packed => packed::parts(&mut p, variant, mode),
        KeyLayout::Sliced | KeyLayout::Bytes | KeyLayout::Grid => sliced::parts(&mut p, variant, layout, mode),
    };
    p.finish(variant, setup, state, Skeleton::Rounds(Rounds { layout, start, batch }))
}

/// How the variant's keys lie in memory.
pub(super) fn layout(variant: Variant, form: AriaForm) -> KeyLayout {
    match (form, variant.registers()) {
        (AriaForm::AesSub, BLOCK) => KeyLayout::Bytes,
        (AriaForm::AesSub, _) => KeyLayout::Classed,
        (AriaForm::Gfni, 1) => KeyLayout::Lanes,
        (AriaForm::Gfni, BLOCK) if isa::has(Instruction::Compute(Compute::Xor3), variant.width()) => KeyLayout::Grid,
        (AriaForm::Gfni, BLOCK) => KeyLayout::Sliced,
        (AriaForm::Gfni | AriaForm::Xor3, _) => KeyLayout::Packed,
    }
}

pub(super) fn outside(
    variant: Variant,
    mode: AriaMode,
    form: AriaForm,
    function: &Ident,
    krate: &TokenStream,
) -> Outside {
    let (by, width) = (variant.by(), variant.width());
    let layout = Ident::new(layout(variant, form).name(), Span::call_site());
    let (counter, kind) = match mode {
        AriaMode::Ctr => (quote!(counter: #krate::core::primitive::u128,), quote::format_ident!("{layout}Ctr")),
        _ => (TokenStream::new(), layout.clone()),
    };
    let what = match mode {
        AriaMode::Ctr => "ARIA in counter mode",
        AriaMode::Ecb => "ARIA of blocks by themselves, in the direction of the keys",
        AriaMode::Odd => "An odd round of ARIA, between two keys",
        AriaMode::Even => "An even round of ARIA, between two keys",
    };
    Outside {
        macro_call: match form {
            AriaForm::Gfni => format!("aria! {{ mode: [{}], by: [{by}], width: [{width}] }}", mode.name()),
            AriaForm::AesSub | AriaForm::Xor3 => {
                format!("aria! {{ mode: [{}], form: [{}], by: [{by}], width: [{width}] }}", mode.name(), form.name())
            }
        },
        documentation: vec![
            format!(
                " {what}, {by} blocks in flight in {width} registers{}.",
                match form {
                    AriaForm::Gfni => "",
                    AriaForm::AesSub => ", S-boxes by AES rounds",
                    AriaForm::Xor3 => ", xors of three inputs",
                }
            ),
            String::new(),
            match mode {
                AriaMode::Ctr => {
                    " `counter` is the first counter block as a big-endian number; its low 64 bits count, modulo 2^64."
                }
                _ => " The data are whole blocks; what is no whole block comes out as nothing in particular.",
            }
            .to_owned(),
        ],
        parameters: quote! {
            keys: &#krate::keys::aria::Keys<#krate::keys::aria::#layout>,
            #counter
            data: #krate::inout::InOutBuf<'_, '_, #krate::core::primitive::u8>,
        },
        returns: TokenStream::new(),
        registered: quote!(#krate::keys::aria::Aria::#kind(#function)),
    }
}

pub(super) fn registry(krate: &TokenStream) -> Registry {
    Registry { signature: quote!(#krate::keys::aria::Aria), items: TokenStream::new() }
}

/// Setup, what is made of the counter, what batches hand on, and a batch.
type Parts = (Vec<Stmt>, Vec<Stmt>, Vec<State>, Block);

/// A layer of the odd rounds or of the even ones, on the whole state.
type Layer<'a> = &'a dyn Fn(&mut Builder, Vec<Value>, bool) -> Vec<Value>;

/// The same, with a round key.
type KeyedLayer<'a> = &'a dyn Fn(&mut Builder, Vec<Value>, bool, RoundKey) -> Vec<Value>;

/// What is between the first key and the last: all rounds behind so many, or the one that the mode is.
fn rounds(
    p: &mut Builder,
    mode: AriaMode,
    done: usize,
    state: Vec<Value>,
    substitute: Layer<'_>,
    diffuse: KeyedLayer<'_>,
) -> Vec<Value> {
    let round = |odd: bool, key: RoundKey| {
        move |p: &mut Builder, state: Vec<Value>| {
            let state = substitute(p, state, odd);
            diffuse(p, state, odd, key)
        }
    };
    match mode {
        AriaMode::Ecb | AriaMode::Ctr => {
            let is_odd = done.is_multiple_of(2);
            let (former, latter) = (round(is_odd, RoundKey::Former), round(!is_odd, RoundKey::Latter));
            let state = p.each_pair(1 + done, &state, former, latter);
            substitute(p, state, false)
        }
        AriaMode::Odd => round(true, RoundKey::LastButOne)(p, state),
        AriaMode::Even => round(false, RoundKey::LastButOne)(p, state),
    }
}
