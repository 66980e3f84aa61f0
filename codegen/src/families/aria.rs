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
//! 2. On a square of the bytes, each of the diffusion's results is a cell ⊕ its row's sum ⊕ its column's sum
//!    ([`GRID`], [`CELL`]): three-input xors, the round key among them. Sliced without these, it is by fewer xors of two
//!    ([`XORS`]).
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
//! 6. In counter mode nothing is transposed before the rounds. Sliced with GFNI, the first of these is done once for all
//!    blocks, which differ in the lowest byte alone (`FirstRound`). The last key goes to the blocks, with the data.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{Outside, REVERSE, Registry};
use crate::gf2::aria::{CELL, CLASSES, GRID, XORED, XORS, class, matrices, place, substitute};
use crate::ir::{
    Argument, Block, Builder, Compute, Extent, KeyLayout, Program, RoundKey, Rounds, Skeleton, State, Stmt, Value,
};
use crate::isa::{self, Instruction};
use crate::spec::{AriaForm, AriaMode, BLOCK, Variant};

pub(super) fn program(variant: Variant, mode: AriaMode, form: AriaForm) -> Program {
    let mut p = Builder::new(variant.width());
    if form == AriaForm::Xor3 {
        p.take_xor3();
    }
    let layout = layout(variant, form);
    let (setup, start, state, batch) = match layout {
        KeyLayout::Lanes => lanes(&mut p, variant, mode),
        KeyLayout::Classed => classed(&mut p, variant, mode),
        KeyLayout::Packed => packed(&mut p, variant, mode),
        KeyLayout::Sliced | KeyLayout::Bytes | KeyLayout::Grid => sliced(&mut p, variant, layout, mode),
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

/// The counter in every lane, as a little-endian number.
fn counter(p: &mut Builder) -> Value {
    let low = p.argument("low", Argument::CounterLow);
    let high = p.argument("high", Argument::CounterHigh);
    p.compute("counter", Compute::Pair, [high, low])
}

/// Where the packed layout has byte `i` of a lane's block 0 or 1: its register and its place.
pub fn place_packed(i: usize, block: usize) -> [usize; 2] {
    let class = class(i, true);
    [class % 2, 8 * (class / 2) + 4 * block + place(i)[0]]
}

/// Where the layouts by classes have byte `i` of block 0 to 3: its register or lane, and its place.
pub fn place_classed(i: usize, block: usize) -> [usize; 2] {
    [class(i, true), 4 * place(i)[0] + block]
}

/// A byte shuffle that leaves zero whatever it is not told to take.
struct Shuffle([u8; BLOCK]);

impl Shuffle {
    /// Place `to` takes what is at `from`, for each pair.
    fn of(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut from = [0x80; BLOCK];
        pairs.into_iter().for_each(|(to, place)| from[to] = place as u8);
        Shuffle(from)
    }

    const fn number(&self) -> u128 {
        u128::from_le_bytes(self.0)
    }

    fn constant(self, p: &mut Builder, name: &str) -> Value {
        p.constant(name, vec![u128::from_le_bytes(self.0)])
    }
}

/// Every byte of a lane's two blocks.
fn every() -> impl Iterator<Item = (usize, usize)> {
    (0..BLOCK).flat_map(|i| [(i, 0), (i, 1)])
}

/// Every byte of four blocks.
fn every_of_four() -> impl Iterator<Item = (usize, usize)> {
    (0..BLOCK).flat_map(|i| [0, 1, 2, 3].map(|block| (i, block)))
}

/// What the layouts by classes shuffle in the diffusion, besides the cells.
struct Sums {
    /// Out of a class's register: a column's cell to the column's number, for each block.
    column: Shuffle,
    /// Into a class's register: the sum of the row that a byte's cell is in, out of the sums by rows.
    of_row: Shuffle,
    /// The same of the sums by columns.
    of_column: Shuffle,
}

impl Sums {
    fn of(register: usize) -> Self {
        let here = || every_of_four().filter(move |&(i, b)| place_classed(i, b)[0] == register);
        let at = |(i, b): (usize, usize)| place_classed(i, b)[1];
        Sums {
            column: Shuffle::of(here().map(|(i, b)| (4 * place(i)[1] + b, at((i, b))))),
            of_row: Shuffle::of(here().map(|(i, b)| (at((i, b)), 4 * place(CELL[i])[0] + b))),
            of_column: Shuffle::of(here().map(|(i, b)| (at((i, b)), 4 * place(CELL[i])[1] + b))),
        }
    }
}

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

fn lanes(p: &mut Builder, variant: Variant, mode: AriaMode) -> Parts {
    let classes = [0, 1, 2, 3];
    let matrix = |p: &mut Builder, odd: bool, which: usize, name: &str| {
        let of = |lane: usize| u128::from(matrices(class(lane, odd))[which].0);
        p.constant(name, classes.map(|lane| of(lane) << 64 | of(lane)).to_vec())
    };
    // an index out of all four lanes for each byte
    let permutation = |p: &mut Builder, name: &str, pairs: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut index = [0; 4 * BLOCK];
        pairs.for_each(|(to, from)| index[to] = from as u8);
        let lanes = index.as_chunks::<BLOCK>().0.iter().map(|lane| u128::from_le_bytes(*lane));
        p.constant(name, lanes.collect())
    };
    let natural = |(i, b): (usize, usize)| BLOCK * b + i;
    let laid_out = |(i, b): (usize, usize)| {
        let [lane, at] = place_classed(i, b);
        BLOCK * lane + at
    };
    let load = permutation(p, "load", &mut every_of_four().map(|byte| (laid_out(byte), natural(byte))));
    let store = permutation(p, "store", &mut every_of_four().map(|byte| (natural(byte), laid_out(byte))));
    let sub = [true, false].map(|odd| {
        let round = if odd { "odd" } else { "even" };
        let before = matrix(p, odd, 0, &format!("before_{round}"));
        [before, matrix(p, odd, 1, &format!("after_{round}"))]
    });
    let cells = every_of_four().map(|(i, b)| (laid_out((i, b)), laid_out((CELL[i], b))));
    let cells = permutation(p, "cells", &mut { cells });
    let sums = classes.map(Sums::of);
    let of_column = p.constant("of_column", sums.iter().map(|sums| sums.of_column.number()).collect());
    let of_row = p.constant("of_row", sums.iter().map(|sums| sums.of_row.number()).collect());
    let to_column = p.constant("to_column", sums.iter().map(|sums| sums.column.number()).collect());
    let counted = Counted::new(p, variant, mode);
    let setup = p.take();
    let (start, carried) = counted.start(p);

    let mut c = carried.first().map(|c| c.param);
    let block = counted.block(p, &mut c, "b", 0);
    let x = p.compute("x", Compute::Permute8, [block, load]);
    let k = p.round("k", RoundKey::First, 0);
    let x = p.again(x, Compute::Xor, k);
    let substitute = |p: &mut Builder, x: Value, odd: bool| {
        let [before, after] = sub[usize::from(!odd)];
        let x = p.again(x, Compute::Affine, before);
        p.again(x, Compute::AffineInv, after)
    };
    // the sum of all lanes, in all of them
    let sum = |p: &mut Builder, name: &str, x: Value| {
        let swapped = p.compute("swapped", Compute::SwapLanes, [x]);
        let sum = p.compute(name, Compute::Xor, [x, swapped]);
        let rotated = p.compute("rotated", Compute::RotateLanes, [sum]);
        p.again(sum, Compute::Xor, rotated)
    };
    let diffuse = |p: &mut Builder, x: Value, key: RoundKey| {
        let row = sum(p, "row", x);
        let column = p.compute("column", Compute::Shuffle8, [x, to_column]);
        let column = sum(p, "column", column);
        let cell = p.compute("x", Compute::Permute8, [x, cells]);
        let k = p.round("k", key, 0);
        let cell = p.again(cell, Compute::Xor, k);
        let row = p.again(row, Compute::Shuffle8, of_row);
        let column = p.again(column, Compute::Shuffle8, of_column);
        p.xor3("x", cell, row, column)
    };
    let x = rounds(p, mode, 0, vec![x], &|p, x, odd| vec![substitute(p, x[0], odd)], &|p, x, _, key| {
        vec![diffuse(p, x[0], key)]
    })[0];
    let k = p.round("k", RoundKey::Last, 0);
    let x = p.again(x, Compute::Xor, k);
    let out = p.compute("out", Compute::Permute8, [x, store]);
    let out = counted.out(p, out, 0);
    p.store(0, Extent::Whole, out);
    (setup, start, carried, Block { registers: 1, body: p.take(), next: c.into_iter().collect() })
}

/// In counter mode, what makes blocks of the counter.
struct Counted(Option<[Value; 3]>);

impl Counted {
    fn new(p: &mut Builder, variant: Variant, mode: AriaMode) -> Self {
        let lanes = variant.width().lanes() as u128;
        Counted((mode == AriaMode::Ctr).then(|| {
            let swap = p.constant("swap", vec![REVERSE]);
            let lane = p.constant("lane", (0..lanes).collect());
            [swap, lane, p.constant("step", vec![lanes])]
        }))
    }

    fn start(&self, p: &mut Builder) -> (Vec<Stmt>, Vec<State>) {
        let c = self.0.map(|[_, lane, _]| {
            let c = counter(p);
            p.again(c, Compute::Add64, lane)
        });
        let start = p.take();
        (start, c.into_iter().map(|c| p.state(c)).collect())
    }

    /// The next register of blocks: of the counter, or register i of the data.
    fn block(&self, p: &mut Builder, c: &mut Option<Value>, name: &str, i: usize) -> Value {
        match (self.0, *c) {
            (Some([swap, _, step]), Some(counter)) => {
                let block = p.compute(name, Compute::Shuffle8, [counter, swap]);
                *c = Some(p.again(counter, Compute::Add64, step));
                block
            }
            _ => p.load(name, i, Extent::Whole),
        }
    }

    /// What register i of the data becomes: the blocks, or the data xored with them.
    fn out(&self, p: &mut Builder, blocks: Value, i: usize) -> Value {
        if self.0.is_none() {
            return blocks;
        }
        let d = p.load("d", i, Extent::Whole);
        p.again(blocks, Compute::Xor, d)
    }
}

/// What AES's rounds make of the places of a register: a byte of a place is at another one afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shifted {
    /// As it was.
    Not,
    /// By ShiftRows (FIPS 197, section 5.1.2).
    Encrypting,
    /// By InvShiftRows (FIPS 197, section 5.3.1).
    Decrypting,
}

impl Shifted {
    /// Of a class, whose S-box is that of AES or its inverse.
    const fn by(class: usize) -> Self {
        if class < 2 { Shifted::Encrypting } else { Shifted::Decrypting }
    }

    /// Where the byte of this place is.
    const fn at(self, place: usize) -> usize {
        let (column, row) = (place / 4, place % 4);
        match self {
            Shifted::Not => place,
            Shifted::Encrypting => 4 * ((column + 4 - row) % 4) + row,
            Shifted::Decrypting => 4 * ((column + row) % 4) + row,
        }
    }
}

/// The bytes of the low halves of two registers in turn, and those of the high halves.
fn unpack(p: &mut Builder, of: [Value; 2], names: [&str; 2]) -> [Value; 2] {
    let low = p.compute(names[0], Compute::UnpackLow8, of);
    [low, p.compute(names[1], Compute::UnpackHigh8, of)]
}

/// Four registers to four: the first has the first four bytes of each, which take turns, the second the next four, and so
/// on.
fn zip(p: &mut Builder, [a, b, c, d]: [Value; 4], names: [String; 4]) -> [Value; 4] {
    let [a, c] = unpack(p, [a, c], ["a", "c"]);
    let [b, d] = unpack(p, [b, d], ["b", "d"]);
    let [first, second, third, fourth] = names.each_ref().map(String::as_str);
    let [first, second] = unpack(p, [a, b], [first, second]);
    let [third, fourth] = unpack(p, [c, d], [third, fourth]);
    [first, second, third, fourth]
}

/// S-boxes by AES's rounds.
struct AesSub {
    zero: Value,
    /// Affine maps as tables of the lower half of a byte and of the upper: from S1 to S2, and from S2's inverse to S1's.
    maps: [[Value; 2]; 2],
}

impl AesSub {
    fn new(p: &mut Builder) -> Self {
        let zero = p.constant("zero", vec![0]);
        // S2 = map(S1), S2⁻¹ = S1⁻¹(map): S1⁻¹ is class 2's, S2⁻¹ class 3's
        let behind = |byte: u8| substitute(1, substitute(2, byte));
        let before = |byte: u8| substitute(0, substitute(3, byte));
        let table = |p: &mut Builder, name: &str, map: &dyn Fn(u8) -> u8| {
            let low = std::array::from_fn(|half| map(half as u8));
            let high = std::array::from_fn(|half| map((half as u8) << 4) ^ map(0));
            [("low", low), ("high", high)]
                .map(|(half, table)| p.constant(&format!("{name}_{half}"), vec![u128::from_le_bytes(table)]))
        };
        let maps = [table(p, "behind", &behind), table(p, "before", &before)];
        AesSub { zero, maps }
    }

    fn substitute(&self, p: &mut Builder, name: &str, value: Value, class: usize) -> Value {
        match class {
            0 => p.compute(name, Compute::AesEncLast, [value, self.zero]),
            1 => {
                let value = p.compute(name, Compute::AesEncLast, [value, self.zero]);
                let [low, high] = self.maps[0];
                p.compute(name, Compute::Halves8, [value, low, high])
            }
            2 => p.compute(name, Compute::AesDecLast, [value, self.zero]),
            _ => {
                let [low, high] = self.maps[1];
                let value = p.compute(name, Compute::Halves8, [value, low, high]);
                p.again(value, Compute::AesDecLast, self.zero)
            }
        }
    }
}

fn classed(p: &mut Builder, variant: Variant, mode: AriaMode) -> Parts {
    let registers = variant.registers();
    let sub = AesSub::new(p);
    let counted = Counted::new(p, variant, mode);
    let setup = p.take();
    let (start, carried) = counted.start(p);
    let mut c = carried.first().map(|c| c.param);
    // the sum of what a shuffle makes of each of the values
    let gather = |p: &mut Builder, name: &str, from: &[Value], shuffle: &mut dyn FnMut(usize) -> Shuffle| {
        let mut sum = None;
        for (i, &value) in from.iter().enumerate() {
            let index = p.index(shuffle(i).number());
            let part = p.compute(if sum.is_none() { name } else { "part" }, Compute::Shuffle8, [value, index]);
            sum = Some(sum.map_or(part, |sum| p.again(sum, Compute::Xor, part)));
        }
        sum.expect("a value")
    };

    let mut state = Vec::new();
    let by_class = p.index(Shuffle::of((0..BLOCK).map(|i| (4 * class(i, true) + place(i)[0], i))).number());
    let blocks: Vec<Value> = (0..registers).map(|i| counted.block(p, &mut c, &format!("b{i}"), i)).collect();
    for (four, blocks) in blocks.as_chunks::<4>().0.iter().enumerate() {
        let blocks = blocks.map(|block| p.again(block, Compute::Shuffle8, by_class));
        let names = [0, 1, 2, 3].map(|class| format!("x{}", 4 * four + class));
        for (class, x) in zip(p, blocks, names).into_iter().enumerate() {
            let k = p.round("k", RoundKey::First, class);
            state.push(p.again(x, Compute::Xor, k));
        }
    }
    let substitute = |p: &mut Builder, state: Vec<Value>, odd: bool| -> Vec<Value> {
        let each = state.into_iter().enumerate();
        each.map(|(i, value)| sub.substitute(p, &format!("y{i}"), value, class(i % CLASSES, odd))).collect()
    };
    let shifted = |register: usize, odd: bool| Shifted::by(class(register, odd));
    let diffuse = |p: &mut Builder, state: Vec<Value>, odd: bool, key: RoundKey| -> Vec<Value> {
        let mut out = Vec::new();
        for (four, x) in state.chunks_exact(CLASSES).enumerate() {
            let row = gather(p, "row", x, &mut |register| {
                Shuffle::of((0..BLOCK).map(|place| (place, shifted(register, odd).at(place))))
            });
            let column = gather(p, "column", x, &mut |register| {
                let Shuffle(column) = Sums::of(register).column;
                Shuffle::of((0..BLOCK).map(|to| (to, shifted(register, odd).at(usize::from(column[to])))))
            });
            for register in 0..CLASSES {
                let name = format!("x{}", CLASSES * four + register);
                let value = gather(p, &name, x, &mut |from| {
                    let here = every_of_four()
                        .filter(|&(i, b)| place_classed(i, b)[0] == register && place_classed(CELL[i], b)[0] == from);
                    let at = |i, b| shifted(from, odd).at(place_classed(CELL[i], b)[1]);
                    Shuffle::of(here.map(|(i, b)| (place_classed(i, b)[1], at(i, b))))
                });
                let sums = Sums::of(register);
                let of_row = p.index(sums.of_row.number());
                let part = p.compute("part", Compute::Shuffle8, [row, of_row]);
                let value = p.again(value, Compute::Xor, part);
                let of_column = p.index(sums.of_column.number());
                let part = p.compute("part", Compute::Shuffle8, [column, of_column]);
                let value = p.again(value, Compute::Xor, part);
                let k = p.round("k", key, register);
                out.push(p.again(value, Compute::Xor, k));
            }
        }
        out
    };
    let state = rounds(p, mode, 0, state, &substitute, &diffuse);
    // a round alone ends with its diffusion, which has undone what AES's rounds shift
    let last = matches!(mode, AriaMode::Odd | AriaMode::Even).then_some(Shifted::Not);
    let k = p.round("last", RoundKey::Natural, 0);
    for (four, x) in state.as_chunks::<CLASSES>().0.iter().enumerate() {
        // byte i is that of its class, and of the four in it number i / 4
        let x = [0, 1, 2, 3].map(|register| {
            let shifted = last.unwrap_or(shifted(register, false));
            let here = every_of_four().filter(|&(i, b)| place_classed(i, b)[0] == register);
            let here = here.map(|(i, b)| (4 * b + i / CLASSES, shifted.at(place_classed(i, b)[1])));
            let index = p.index(Shuffle::of(here).number());
            p.again(x[register], Compute::Shuffle8, index)
        });
        let names = [0, 1, 2, 3].map(|block| format!("b{}", 4 * four + block));
        for (block, out) in zip(p, x, names).into_iter().enumerate() {
            let out = p.again(out, Compute::Xor, k);
            let out = counted.out(p, out, 4 * four + block);
            p.store(4 * four + block, Extent::Whole, out);
        }
    }
    (setup, start, carried, Block { registers, body: p.take(), next: c.into_iter().collect() })
}

/// Shuffles for one of a pair of registers.
struct PairSums {
    /// Of it: a column's cells, each to the column's number in its own half.
    column: Value,
    /// Of either register to it: the cells.
    cells: [Value; 2],
    /// To it: the sum of its cell's row, and of its cell's column.
    of_row: Value,
    of_column: Value,
}

impl PairSums {
    fn both(p: &mut Builder, names: [&str; 2]) -> [Self; 2] {
        [0, 1].map(|to| {
            let here = || every().filter(move |&(i, b)| place_packed(i, b)[0] == to);
            let column =
                here().map(|(i, b)| (place_packed(i, b)[1] - place(i)[0] + place(i)[1], place_packed(i, b)[1]));
            let column = Shuffle::of(column).constant(p, &format!("column_{}", names[to]));
            let cells = [0, 1].map(|from| {
                let cells = here().filter(move |&(i, b)| place_packed(CELL[i], b)[0] == from);
                let cells = cells.map(|(i, b)| (place_packed(i, b)[1], place_packed(CELL[i], b)[1]));
                Shuffle::of(cells).constant(p, &format!("cells_{}{}", names[to], names[from]))
            });
            let of_row = here().map(|(i, b)| (place_packed(i, b)[1], 4 * b + place(CELL[i])[0]));
            let of_row = Shuffle::of(of_row).constant(p, &format!("of_row_{}", names[to]));
            let of_column = here().map(|(i, b)| (place_packed(i, b)[1], 4 * b + place(CELL[i])[1]));
            let of_column = Shuffle::of(of_column).constant(p, &format!("of_column_{}", names[to]));
            PairSums { column, cells, of_row, of_column }
        })
    }
}

/// The matrices before and behind the inverse, for a pair's two halves each, in odd rounds or in even ones.
fn pair_matrices(p: &mut Builder, names: [&str; 2], odd: bool) -> [[Value; 2]; 2] {
    let round = if odd { "odd" } else { "even" };
    [0, 1].map(|register| {
        ["before", "after"].map(|when| {
            let of =
                |half: usize| u128::from(matrices(class(register + 2 * half, odd))[usize::from(when == "after")].0);
            p.constant(&format!("{when}_{round}_{}", names[register]), vec![of(1) << 64 | of(0)])
        })
    })
}

/// The diffusion of the pair `from` of registers; the results go by `names`.
fn diffuse_pair(
    p: &mut Builder,
    of: &[PairSums; 2],
    from: [Value; 2],
    names: [String; 2],
    key: RoundKey,
) -> [Value; 2] {
    let row = p.compute("row", Compute::Xor, from);
    let across = p.compute("across", Compute::SwapHalves, [row]);
    let row = p.again(row, Compute::Xor, across);
    let columns = [0, 1].map(|i| p.compute(["a", "b"][i], Compute::Shuffle8, [from[i], of[i].column]));
    let column = p.compute("column", Compute::Xor, columns);
    let across = p.compute("across", Compute::SwapHalves, [column]);
    let column = p.again(column, Compute::Xor, across);
    let cells = [0, 1].map(|to| {
        let (a, b) = (["a", "c"][to], ["b", "d"][to]);
        let a = p.compute(a, Compute::Shuffle8, [from[0], of[to].cells[0]]);
        let b = p.compute(b, Compute::Shuffle8, [from[1], of[to].cells[1]]);
        let k = p.round("k", key, to);
        p.xor3(["cells_x", "cells_y"][to], a, b, k)
    });
    [0, 1].map(|to| {
        let row = p.compute("r", Compute::Shuffle8, [row, of[to].of_row]);
        let column = p.compute("c", Compute::Shuffle8, [column, of[to].of_column]);
        // the column's sum is the last to come
        p.xor3(&names[to], column, cells[to], row)
    })
}

fn packed(p: &mut Builder, variant: Variant, mode: AriaMode) -> Parts {
    let registers = variant.registers();
    let names = ["x", "y"];

    // from a block to a register, and back
    let mut load = Vec::new();
    let mut store = Vec::new();
    for block in 0..2 {
        for (register, name) in names.iter().enumerate() {
            let here = every().filter(|&(i, b)| b == block && place_packed(i, b)[0] == register);
            let places: Vec<(usize, usize)> = here.map(|(i, b)| (place_packed(i, b)[1], i)).collect();
            load.push(Shuffle::of(places.iter().copied()).constant(p, &format!("load{block}{name}")));
            store.push(
                Shuffle::of(places.into_iter().map(|(at, i)| (i, at))).constant(p, &format!("store{block}{name}")),
            );
        }
    }
    let sub = [true, false].map(|odd| pair_matrices(p, names, odd));
    let sums = PairSums::both(p, names);
    let counted = Counted::new(p, variant, mode);
    let setup = p.take();
    let (start, carried) = counted.start(p);
    let mut c = carried.first().map(|c| c.param);

    let mut state = Vec::new();
    // all of them before the first key, so that no key waits in a register, and goes to the stack
    let blocks: Vec<Value> = (0..registers).map(|i| counted.block(p, &mut c, &format!("b{i}"), i)).collect();
    for (pair, blocks) in blocks.as_chunks::<2>().0.iter().enumerate() {
        for (register, name) in names.iter().enumerate() {
            let a = p.compute("a", Compute::Shuffle8, [blocks[0], load[register]]);
            let b = p.compute("b", Compute::Shuffle8, [blocks[1], load[2 + register]]);
            let k = p.round("k", RoundKey::First, register);
            state.push(p.xor3(&format!("{name}{pair}"), a, b, k));
        }
    }
    let substitute = |p: &mut Builder, state: Vec<Value>, odd: bool| -> Vec<Value> {
        let each = state.into_iter().enumerate().map(|(i, value)| {
            let [before, after] = sub[usize::from(!odd)][i % 2];
            let value = p.again(value, Compute::Affine, before);
            p.again(value, Compute::AffineInv, after)
        });
        each.collect()
    };
    let diffuse = |p: &mut Builder, state: Vec<Value>, key: RoundKey| -> Vec<Value> {
        let each = state.as_chunks().0.iter().enumerate();
        each.flat_map(|(pair, &x)| diffuse_pair(p, &sums, x, names.map(|name| format!("{name}{pair}")), key)).collect()
    };
    let state = rounds(p, mode, 0, state, &substitute, &|p, state, _, key| diffuse(p, state, key));
    let state = state.into_iter().enumerate().map(|(i, value)| {
        let k = p.round("k", RoundKey::Last, i % 2);
        p.again(value, Compute::Xor, k)
    });
    let state: Vec<Value> = state.collect();
    for (pair, last) in state.as_chunks::<2>().0.iter().enumerate() {
        for block in 0..2 {
            let a = p.compute("a", Compute::Shuffle8, [last[0], store[2 * block]]);
            let b = p.compute("b", Compute::Shuffle8, [last[1], store[2 * block + 1]]);
            let out = if mode == AriaMode::Ctr {
                let d = p.load("d", 2 * pair + block, Extent::Whole);
                p.xor3("out", d, a, b)
            } else {
                p.compute("out", Compute::Xor, [a, b])
            };
            p.store(2 * pair + block, Extent::Whole, out);
        }
    }
    (setup, start, carried, Block { registers, body: p.take(), next: c.into_iter().collect() })
}

/// The S-boxes of the sliced layouts.
enum Boxes {
    /// By matrices.
    Gfni { identity: Value, s: [Value; 2], x: [Value; 2] },
    /// By AES rounds, and what makes a register's places follow those of the others.
    Aes(AesSub, Value),
}

fn sliced(p: &mut Builder, variant: Variant, layout: KeyLayout, mode: AriaMode) -> Parts {
    let matrix = |p: &mut Builder, class: usize, which: usize, name: &str| {
        let matrix = matrices(class)[which].0;
        p.constant(name, vec![u128::from(matrix) << 64 | u128::from(matrix)])
    };
    let boxes = if layout == KeyLayout::Bytes {
        let follow = Shuffle::of((0..BLOCK).map(|i| (i, (i + 8 * (i % 2)) % BLOCK)));
        Boxes::Aes(AesSub::new(p), follow.constant(p, "follow"))
    } else {
        // S1 and S2 have no matrix before the inverse, their inverses none behind it
        let identity = matrix(p, 0, 0, "identity");
        let s = [0, 1].map(|class| matrix(p, class, 1, &format!("s{}", class + 1)));
        let x = [2, 3].map(|class| matrix(p, class, 0, &format!("x{}", class - 1)));
        Boxes::Gfni { identity, s, x }
    };
    let lanes = variant.width().lanes();
    let counted = (mode == AriaMode::Ctr).then(|| {
        // a register's place p and lane l have block p · lanes + l
        let number = |lane: usize| u128::from_le_bytes(std::array::from_fn(|place| (place * lanes + lane) as u8));
        let numbers = p.constant("numbers", (0..lanes).map(number).collect());
        let first = matches!(boxes, Boxes::Gfni { .. }).then(|| FirstRound::new(p));
        (numbers, p.constant("carry", vec![1 << 8]), p.constant("step", vec![variant.by() as u128]), first)
    });
    let setup = p.take();
    let c = counted.as_ref().map(|_| counter(p));
    let start = p.take();
    let carried: Vec<State> = c.into_iter().map(|c| p.state(c)).collect();

    let substitute_byte = |p: &mut Builder, value: Value, i: usize, odd: bool| match (&boxes, class(i, odd)) {
        (Boxes::Gfni { s, .. }, class @ 0..2) => p.compute(&format!("t{i}"), Compute::AffineInv, [value, s[class]]),
        (Boxes::Gfni { identity, x, .. }, class) => {
            let value = p.compute(&format!("t{i}"), Compute::Affine, [value, x[class - 2]]);
            p.again(value, Compute::AffineInv, *identity)
        }
        (Boxes::Aes(aes, follow), class) => {
            let value = aes.substitute(p, &format!("t{i}"), value, class);
            let shifted = Shifted::by(class);
            if matches!(mode, AriaMode::Odd | AriaMode::Even) {
                let back = Shuffle::of((0..BLOCK).map(|place| (place, shifted.at(place))));
                let back = p.index(back.number());
                p.again(value, Compute::Shuffle8, back)
            } else if (shifted == Shifted::Encrypting) == odd {
                value
            } else {
                p.again(value, Compute::Shuffle8, *follow)
            }
        }
    };
    let substitute = |p: &mut Builder, mut state: Vec<Value>, odd: bool| -> Vec<Value> {
        // in the order in which they are summed
        for i in GRID.into_iter().flatten() {
            state[i] = substitute_byte(p, state[i], i, odd);
        }
        state
    };
    let add = |p: &mut Builder, state: Vec<Value>, key: RoundKey| -> Vec<Value> {
        let each = state.into_iter().enumerate().map(|(i, value)| {
            let k = p.round("k", key, i);
            p.again(value, Compute::Xor, k)
        });
        each.collect()
    };
    // register i of a stage of the transposition
    let unpack = |p: &mut Builder, state: &[Value], name: char, i: usize| {
        let both = [state[i / 2], state[i / 2 + BLOCK / 2]];
        p.compute(&format!("{name}{i}"), [Compute::UnpackLow8, Compute::UnpackHigh8][i % 2], both)
    };
    let transpose = |p: &mut Builder, state: Vec<Value>, names: &[char]| -> Vec<Value> {
        names.iter().fold(state, |state, &name| (0..BLOCK).map(|i| unpack(p, &state, name, i)).collect())
    };

    let mut next = Vec::new();
    let mut done = 0;
    let state = if let (Some((numbers, carry, step, first)), Some(counter)) = (counted, carried.first()) {
        let counter = counter.param;
        let further = p.compute("further", Compute::Add64, [counter, carry]);
        let low = byte_of(p, "b15", counter, LOWEST);
        let low = p.again(low, Compute::Add8, numbers);
        let wrapped = p.compute("wrapped", Compute::Less8, [low, numbers]);
        let state = if let Some(first) = first {
            done = 1;
            let k = p.round("k", RoundKey::First, LOWEST);
            let low = p.again(low, Compute::Xor, k);
            let low = substitute_byte(p, low, LOWEST, true);
            first.round(p, [counter, further], wrapped, low)
        } else {
            let state = planes(p, [counter, further], wrapped, low);
            add(p, state, RoundKey::First)
        };
        next.push(p.again(counter, Compute::Add64, step));
        state
    } else {
        let state = (0..BLOCK).map(|i| p.load(&format!("b{i}"), i, Extent::Whole)).collect();
        let state = transpose(p, state, &['t', 'b', 't', 'b']);
        add(p, state, RoundKey::First)
    };
    let state = rounds(p, mode, done, state, &substitute, &|p, state, _, key| diffuse(p, state, layout, key));
    if mode == AriaMode::Ctr {
        // the last key goes to the blocks, with the data
        let state = transpose(p, state, &['b', 't', 'b', 't']);
        let k = p.round("k", RoundKey::Natural, 0);
        for (i, value) in state.into_iter().enumerate() {
            let d = p.load("d", i, Extent::Whole);
            let out = p.xor3("out", value, d, k);
            p.store(i, Extent::Whole, out);
        }
    } else {
        let state = add(p, state, RoundKey::Last);
        let names = if mode == AriaMode::Ecb { ['b', 't', 'b', 't'] } else { ['t', 'b', 't', 'b'] };
        let [first @ .., last] = names;
        let state = transpose(p, state, &first);
        // the last stage, each block of which is stored at once
        for i in 0..BLOCK {
            let block = unpack(p, &state, last, i);
            p.store(i, Extent::Whole, block);
        }
    }
    (setup, start, carried, Block { registers: variant.registers(), body: p.take(), next })
}

/// The byte of a counter block that counts by itself.
const LOWEST: usize = BLOCK - 1;

/// Byte i of the counter's block, everywhere.
fn byte_of(p: &mut Builder, name: &str, counter: Value, i: usize) -> Value {
    let index = p.index(u128::from_le_bytes([(LOWEST - i) as u8; BLOCK]));
    p.compute(name, Compute::Shuffle8, [counter, index])
}

/// The bytes of counter blocks, a register each. The lowest counts by itself; where it `wrapped`, the seven above are those
/// of the counter 256 further; the upper eight are the same everywhere.
fn planes(p: &mut Builder, [counter, further]: [Value; 2], wrapped: Value, low: Value) -> Vec<Value> {
    let mut planes = Vec::new();
    for i in 0..LOWEST {
        let name = format!("b{i}");
        let here = byte_of(p, &name, counter, i);
        planes.push(if i < BLOCK / 2 {
            here
        } else {
            let there = byte_of(p, "there", further, i);
            p.compute(&name, Compute::Blend, [wrapped, there, here])
        });
    }
    planes.push(low);
    planes
}

/// What the first round takes in counter mode where a register is a byte.
///
/// All blocks have the same bytes but for the lowest, and where that wrapped those of the counter 256 further. So the
/// round is done on these two blocks, packed and without the lowest byte, and each register takes its byte of either; the
/// lowest byte's S-box comes to those that the diffusion brings it to.
struct FirstRound {
    /// From the counter, and from the one further, to either register.
    load: [[Value; 2]; 2],
    sub: [[Value; 2]; 2],
    /// All bytes but the lowest, in its register.
    others: Value,
    sums: [PairSums; 2],
    /// From a byte of the first block to that of the second.
    over: Value,
}

impl FirstRound {
    const NAMES: [&str; 2] = ["x", "y"];

    fn new(p: &mut Builder) -> Self {
        let load = [0, 1].map(|block| {
            [0, 1].map(|register| {
                let here = every().filter(|&(i, b)| b == block && place_packed(i, b)[0] == register);
                // the counter has the lowest byte first
                let places = here.map(|(i, b)| (place_packed(i, b)[1], LOWEST - i));
                Shuffle::of(places).constant(p, &format!("load{block}{}", Self::NAMES[register]))
            })
        });
        let sub = pair_matrices(p, Self::NAMES, true);
        let lowest = [0, 1].map(|block| place_packed(LOWEST, block)[1]);
        let others = std::array::from_fn(|at| if lowest.contains(&at) { 0 } else { 0xff });
        let others = p.constant("others", vec![u128::from_le_bytes(others)]);
        let sums = PairSums::both(p, Self::NAMES);
        let over = place_packed(0, 1)[1] - place_packed(0, 0)[1];
        let over = p.constant("over", vec![u128::from_le_bytes([over as u8; BLOCK])]);
        FirstRound { load, sub, others, sums, over }
    }

    /// The state behind the round. `low` is what the S-box makes of the lowest byte.
    fn round(&self, p: &mut Builder, counters: [Value; 2], wrapped: Value, low: Value) -> Vec<Value> {
        let pair = [0, 1].map(|register| {
            let [a, b] =
                [0, 1].map(|i| p.compute(["a", "b"][i], Compute::Shuffle8, [counters[i], self.load[i][register]]));
            let k = p.round("k", RoundKey::FirstPacked, register);
            let x = p.xor3(Self::NAMES[register], a, b, k);
            let [before, after] = self.sub[register];
            let x = p.again(x, Compute::Affine, before);
            let x = p.again(x, Compute::AffineInv, after);
            if register == place_packed(LOWEST, 0)[0] { p.again(x, Compute::And, self.others) } else { x }
        });
        let pair = diffuse_pair(p, &self.sums, pair, Self::NAMES.map(str::to_owned), RoundKey::SecondPacked);
        let over = p.compute("over", Compute::And, [wrapped, self.over]);
        let mut state = vec![None; BLOCK];
        // registers that have their byte at the same place one after the other, which share the index
        for at in 0..BLOCK {
            let here: Vec<usize> = (0..BLOCK).filter(|&i| place_packed(i, 0)[1] == at).collect();
            if here.is_empty() {
                continue;
            }
            let index = if at == 0 {
                over
            } else {
                let index = p.index(u128::from_le_bytes([at as u8; BLOCK]));
                p.compute("index", Compute::Add8, [over, index])
            };
            for i in here {
                let byte = p.compute(&format!("b{i}"), Compute::Shuffle8, [pair[place_packed(i, 0)[0]], index]);
                let [[row, column], [lowest_row, lowest_column]] = [place(CELL[i]), place(LOWEST)];
                let has_lowest = row == lowest_row || column == lowest_column;
                state[i] = Some(if has_lowest { p.again(byte, Compute::Xor, low) } else { byte });
            }
        }
        state.into_iter().map(|value| value.expect("a value for each byte")).collect()
    }
}

/// The diffusion with the key.
fn diffuse(p: &mut Builder, x: Vec<Value>, layout: KeyLayout, key: RoundKey) -> Vec<Value> {
    if layout == KeyLayout::Grid { by_grid(p, x, key) } else { by_xors(p, x, key) }
}

/// By xors of two.
fn by_xors(p: &mut Builder, mut values: Vec<Value>, key: RoundKey) -> Vec<Value> {
    let mut out = vec![None; BLOCK];
    for (n, [a, b]) in XORS.into_iter().enumerate() {
        let result = XORED.iter().position(|&value| value == BLOCK + n);
        let name = result.map_or(format!("g{n}"), |byte| format!("b{byte}"));
        let value = p.compute(&name, Compute::Xor, [values[a], values[b]]);
        values.push(value);
        if let Some(byte) = result {
            let k = p.round("k", key, byte);
            out[byte] = Some(p.again(value, Compute::Xor, k));
        }
    }
    out.into_iter().map(|value| value.expect("a value for each byte")).collect()
}

/// By xors of three: the sums of the grid, with the key among them.
fn by_grid(p: &mut Builder, x: Vec<Value>, key: RoundKey) -> Vec<Value> {
    let mut out = vec![None; BLOCK];
    let result = |cell: usize| CELL.iter().position(|&taken| taken == cell).expect("each cell is taken once");
    let columns = [0, 1, 2, 3].map(|column| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| x[GRID[row][column]]);
        let name = format!("c{column}");
        let sum = p.xor3(&name, a, b, c);
        // the key of the first row's cell, which the keys of the others make up for
        let k = p.round("k", key, column);
        p.xor3(&name, sum, d, k)
    });
    for (row, cells) in GRID.into_iter().enumerate() {
        let of_row = cells.map(|cell| x[cell]);
        let [a, b, c, d] = of_row;
        let names = cells.map(|cell| format!("b{}", result(cell)));
        let each = if row == 0 {
            let sum = p.xor3("row", a, b, c);
            let sum = p.again(sum, Compute::Xor, d);
            [0, 1, 2, 3].map(|column| p.xor3(&names[column], columns[column], of_row[column], sum))
        } else {
            // the cell and its row's sum are the sum of the row's others
            [0, 1, 2, 3].map(|column| {
                let [a, b, c] = [1, 2, 3].map(|other| of_row[(column + other) % 4]);
                let others = p.xor3(&names[column], a, b, c);
                let k = p.round("k", key, 4 * row + column);
                p.xor3(&names[column], others, columns[column], k)
            })
        };
        cells.iter().zip(each).for_each(|(&cell, value)| out[result(cell)] = Some(value));
    }
    out.into_iter().map(|value| value.expect("a value for each byte")).collect()
}
