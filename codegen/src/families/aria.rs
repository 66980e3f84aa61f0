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
//!    ([`GRID`](crate::gf2::aria::GRID), [`CELL`](crate::gf2::aria::CELL)): three-input xors, the round key among them.
//! 3. Everything moves by the layout, a map from the index of a byte and a block to a register and a place in it:
//!
//! | layout | registers | a byte's register | its place in a 128-bit lane |
//! |---|---|---|---|
//! | packed | pairs | its class modulo 2 | its class's half, then the lane's two blocks, then its row in the grid |
//! | sliced | 16 | its index | one for each of 16 blocks |
//!
//! 4. Sliced, a transposition of 16 × 16 bytes is four stages of unpacking registers i and i + 8. Packed, a row's sum is
//!    that of two registers and their halves, and so is a column's after a shuffle.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{Outside, Registry};
use crate::gf2::aria::{CELL, CLASSES, GRID, class, matrices, place};
use crate::ir::{
    Argument, Block, Builder, Compute, Extent, KeyLayout, Program, RoundKey, Rounds, Skeleton, State, Stmt, Value,
};
use crate::isa::{self, Instruction};
use crate::spec::{AriaMode, BLOCK, Variant};

pub(super) fn program(variant: Variant, mode: AriaMode) -> Program {
    let mut p = Builder::new(variant.width());
    let layout = layout(variant);
    let (setup, start, state, batch) = match layout {
        KeyLayout::Packed => packed(&mut p, variant, mode),
        KeyLayout::Sliced | KeyLayout::Grid => sliced(&mut p, variant, layout, mode),
    };
    p.finish(variant, setup, state, Skeleton::Rounds(Rounds { layout, start, batch }))
}

/// How the variant's keys lie in memory.
pub(super) fn layout(variant: Variant) -> KeyLayout {
    if variant.registers() < BLOCK {
        KeyLayout::Packed
    } else if isa::has(Instruction::Compute(Compute::Xor3), variant.width()) {
        KeyLayout::Grid
    } else {
        KeyLayout::Sliced
    }
}

pub(super) fn outside(variant: Variant, mode: AriaMode, function: &Ident, krate: &TokenStream) -> Outside {
    let (by, width) = (variant.by(), variant.width());
    let layout = Ident::new(&format!("{:?}", layout(variant)), Span::call_site());
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
        macro_call: format!("aria! {{ mode: [{}], by: [{by}], width: [{width}] }}", mode.name()),
        documentation: vec![
            format!(" {what}, {by} blocks in flight in {width} registers."),
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

/// Byte i is byte 15 − i.
const REVERSE: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;

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

/// A byte shuffle that leaves zero whatever it is not told to take.
struct Shuffle([u8; BLOCK]);

impl Shuffle {
    /// Place `to` takes what is at `from`, for each pair.
    fn of(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut from = [0x80; BLOCK];
        pairs.into_iter().for_each(|(to, place)| from[to] = place as u8);
        Shuffle(from)
    }

    fn constant(self, p: &mut Builder, name: &str) -> Value {
        p.constant(name, vec![u128::from_le_bytes(self.0)])
    }
}

/// Every byte of a lane's two blocks.
fn every() -> impl Iterator<Item = (usize, usize)> {
    (0..BLOCK).flat_map(|i| [(i, 0), (i, 1)])
}

fn packed(p: &mut Builder, variant: Variant, mode: AriaMode) -> Parts {
    let registers = variant.registers();
    let pairs = registers / 2;
    let names = ["x", "y"];

    // from a block to a register, and back
    let mut load = Vec::new();
    let mut store = Vec::new();
    for block in 0..2 {
        for register in 0..2 {
            let here = every().filter(|&(i, b)| b == block && place_packed(i, b)[0] == register);
            let places: Vec<(usize, usize)> = here.map(|(i, b)| (place_packed(i, b)[1], i)).collect();
            load.push(Shuffle::of(places.iter().copied()).constant(p, &format!("load{block}{}", names[register])));
            store.push(Shuffle::of(places.into_iter().map(|(at, i)| (i, at))).constant(p, &format!("store{block}{}", names[register])));
        }
    }
    // the matrices of a register's two halves, in odd rounds and in even ones
    let matrix = |p: &mut Builder, register: usize, odd: bool, which: usize, name: &str| {
        let of = |half: usize| matrices(class(register + 2 * half, odd))[which].0;
        p.constant(name, vec![u128::from(of(1)) << 64 | u128::from(of(0))])
    };
    let mut sub = Vec::new();
    for odd in [true, false] {
        let round = if odd { "odd" } else { "even" };
        for register in 0..2 {
            let before = matrix(p, register, odd, 0, &format!("before_{round}_{}", names[register]));
            let after = matrix(p, register, odd, 1, &format!("after_{round}_{}", names[register]));
            sub.push([before, after]);
        }
    }
    let mut diffusion = Vec::new();
    for to in 0..2 {
        let here = || every().filter(move |&(i, b)| place_packed(i, b)[0] == to);
        // a column's cells, each to the column's number in its own half
        let column = here().map(|(i, b)| (place_packed(i, b)[1] - place(i)[0] + place(i)[1], place_packed(i, b)[1]));
        let column = Shuffle::of(column).constant(p, &format!("column_{}", names[to]));
        // what each result takes: its cell, out of either register, its row's sum and its column's
        let cells = [0, 1].map(|from| {
            let cells = here().filter(move |&(i, b)| place_packed(CELL[i], b)[0] == from);
            let cells = cells.map(|(i, b)| (place_packed(i, b)[1], place_packed(CELL[i], b)[1]));
            Shuffle::of(cells).constant(p, &format!("cells_{}{}", names[to], names[from]))
        });
        let of_row = here().map(|(i, b)| (place_packed(i, b)[1], 4 * b + place(CELL[i])[0]));
        let of_row = Shuffle::of(of_row).constant(p, &format!("of_row_{}", names[to]));
        let of_column = here().map(|(i, b)| (place_packed(i, b)[1], 4 * b + place(CELL[i])[1]));
        let of_column = Shuffle::of(of_column).constant(p, &format!("of_column_{}", names[to]));
        diffusion.push((column, cells, of_row, of_column));
    }
    let lanes = variant.width().lanes();
    let counted = (mode == AriaMode::Ctr).then(|| {
        let swap = p.constant("swap", vec![REVERSE]);
        let lane = p.constant("lane", (0..lanes as u128).collect());
        (swap, lane, p.constant("step", vec![lanes as u128]))
    });
    let setup = p.take();
    let c = counted.map(|(_, lane, _)| {
        let c = counter(p);
        p.again(c, Compute::Add64, lane)
    });
    let start = p.take();
    let carried: Vec<State> = c.into_iter().map(|c| p.state(c)).collect();
    let mut c = carried.first().map(|c| c.param);

    let mut state = Vec::new();
    for pair in 0..pairs {
        let blocks = [0, 1].map(|i| match (counted, c) {
            (Some((swap, _, step)), Some(counter)) => {
                let block = p.compute(&format!("b{i}"), Compute::Shuffle8, [counter, swap]);
                c = Some(p.again(counter, Compute::Add64, step));
                block
            }
            _ => p.load(&format!("b{i}"), 2 * pair + i, Extent::Whole),
        });
        for (register, name) in names.iter().enumerate() {
            let a = p.compute("a", Compute::Shuffle8, [blocks[0], load[register]]);
            let b = p.compute("b", Compute::Shuffle8, [blocks[1], load[2 + register]]);
            let k = p.round("k", RoundKey::First, register);
            state.push(p.xor3(&format!("{name}{pair}"), a, b, k));
        }
    }
    let substitute = |p: &mut Builder, state: Vec<Value>, odd: bool| -> Vec<Value> {
        let matrices = if odd { &sub[..2] } else { &sub[2..] };
        let each = state.into_iter().enumerate().map(|(i, value)| {
            let [before, after] = matrices[i % 2];
            let value = p.again(value, Compute::Affine, before);
            p.again(value, Compute::AffineInv, after)
        });
        each.collect()
    };
    let diffuse = |p: &mut Builder, state: Vec<Value>, key: RoundKey| -> Vec<Value> {
        let mut out = Vec::new();
        for pair in 0..pairs {
            let from = [state[2 * pair], state[2 * pair + 1]];
            let row = p.compute("row", Compute::Xor, from);
            let across = p.compute("across", Compute::SwapHalves, [row]);
            let row = p.again(row, Compute::Xor, across);
            let columns = [0, 1].map(|i| p.compute(["a", "b"][i], Compute::Shuffle8, [from[i], diffusion[i].0]));
            let column = p.compute("column", Compute::Xor, columns);
            let across = p.compute("across", Compute::SwapHalves, [column]);
            let column = p.again(column, Compute::Xor, across);
            let cells = [0, 1].map(|to| {
                let (a, b) = (["a", "c"][to], ["b", "d"][to]);
                let a = p.compute(a, Compute::Shuffle8, [from[0], diffusion[to].1[0]]);
                let b = p.compute(b, Compute::Shuffle8, [from[1], diffusion[to].1[1]]);
                let k = p.round("k", key, to);
                p.xor3(["cells_x", "cells_y"][to], a, b, k)
            });
            for to in 0..2 {
                let row = p.compute("r", Compute::Shuffle8, [row, diffusion[to].2]);
                let column = p.compute("c", Compute::Shuffle8, [column, diffusion[to].3]);
                out.push(p.xor3(&format!("{}{pair}", names[to]), cells[to], row, column));
            }
        }
        out
    };
    let state = match mode {
        AriaMode::Ecb | AriaMode::Ctr => {
            let state = p.each_pair(&state, |p, state| {
                let state = substitute(p, state, true);
                let state = diffuse(p, state, RoundKey::Odd);
                let state = substitute(p, state, false);
                diffuse(p, state, RoundKey::Even)
            });
            let state = substitute(p, state, true);
            let state = diffuse(p, state, RoundKey::LastButOne);
            substitute(p, state, false)
        }
        AriaMode::Odd | AriaMode::Even => {
            let state = substitute(p, state, mode == AriaMode::Odd);
            diffuse(p, state, RoundKey::LastButOne)
        }
    };
    for pair in 0..pairs {
        let last = [0, 1].map(|i| {
            let k = p.round("k", RoundKey::Last, i);
            p.again(state[2 * pair + i], Compute::Xor, k)
        });
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

fn sliced(p: &mut Builder, variant: Variant, layout: KeyLayout, mode: AriaMode) -> Parts {
    let matrix = |p: &mut Builder, class: usize, which: usize, name: &str| {
        let matrix = matrices(class)[which].0;
        p.constant(name, vec![u128::from(matrix) << 64 | u128::from(matrix)])
    };
    // S1 and S2 have no matrix before the inverse, their inverses none behind it
    let identity = matrix(p, 0, 0, "identity");
    let s: Vec<Value> = (0..2).map(|class| matrix(p, class, 1, &format!("s{}", class + 1))).collect();
    let x: Vec<Value> = (2..CLASSES).map(|class| matrix(p, class, 0, &format!("x{}", class - 1))).collect();
    let lanes = variant.width().lanes();
    let counted = (mode == AriaMode::Ctr).then(|| {
        // a register's place p and lane l have block p · lanes + l
        let number = |lane: usize| u128::from_le_bytes(std::array::from_fn(|place| (place * lanes + lane) as u8));
        let numbers = p.constant("numbers", (0..lanes).map(number).collect());
        (numbers, p.constant("carry", vec![1 << 8]), p.constant("step", vec![variant.by() as u128]))
    });
    let setup = p.take();
    let c = counted.map(|_| counter(p));
    let start = p.take();
    let carried: Vec<State> = c.into_iter().map(|c| p.state(c)).collect();

    let substitute = |p: &mut Builder, state: Vec<Value>, odd: bool| -> Vec<Value> {
        let each = state.into_iter().enumerate().map(|(i, value)| match class(i, odd) {
            class @ 0..2 => p.again(value, Compute::AffineInv, s[class]),
            class => {
                let value = p.again(value, Compute::Affine, x[class - 2]);
                p.again(value, Compute::AffineInv, identity)
            }
        });
        each.collect()
    };
    let add = |p: &mut Builder, state: Vec<Value>, key: RoundKey| -> Vec<Value> {
        let each = state.into_iter().enumerate().map(|(i, value)| {
            let k = p.round("k", key, i);
            p.again(value, Compute::Xor, k)
        });
        each.collect()
    };
    let transpose = |p: &mut Builder, mut state: Vec<Value>, names: [char; 4]| -> Vec<Value> {
        for name in names {
            let mut unpacked = Vec::new();
            for i in 0..BLOCK / 2 {
                let both = [state[i], state[i + BLOCK / 2]];
                unpacked.push(p.compute(&format!("{name}{}", 2 * i), Compute::UnpackLow8, both));
                unpacked.push(p.compute(&format!("{name}{}", 2 * i + 1), Compute::UnpackHigh8, both));
            }
            state = unpacked;
        }
        state
    };

    let mut next = Vec::new();
    let state = if let (Some((numbers, carry, step)), Some(counter)) = (counted, carried.first()) {
        let counter = counter.param;
        let (planes, after) = planes(p, counter, numbers, carry, step);
        next.push(after);
        planes
    } else {
        let state = (0..BLOCK).map(|i| p.load(&format!("b{i}"), i, Extent::Whole)).collect();
        transpose(p, state, ['t', 'b', 't', 'b'])
    };
    let state = add(p, state, RoundKey::First);
    let state = match mode {
        AriaMode::Ecb | AriaMode::Ctr => {
            let state = p.each_pair(&state, |p, state| {
                let state = substitute(p, state, true);
                let state = diffuse(p, state, layout, RoundKey::Odd, 't');
                let state = substitute(p, state, false);
                diffuse(p, state, layout, RoundKey::Even, 'b')
            });
            let state = substitute(p, state, true);
            let state = diffuse(p, state, layout, RoundKey::LastButOne, 't');
            substitute(p, state, false)
        }
        AriaMode::Odd | AriaMode::Even => {
            let state = substitute(p, state, mode == AriaMode::Odd);
            diffuse(p, state, layout, RoundKey::LastButOne, 't')
        }
    };
    if mode == AriaMode::Ctr {
        // the last key goes to the blocks, with the data
        let state = transpose(p, state, ['b', 't', 'b', 't']);
        let k = p.round("k", RoundKey::Natural, 0);
        for (i, value) in state.into_iter().enumerate() {
            let d = p.load("d", i, Extent::Whole);
            let out = p.xor3("out", value, d, k);
            p.store(i, Extent::Whole, out);
        }
    } else {
        let state = add(p, state, RoundKey::Last);
        let state = transpose(p, state, ['b', 't', 'b', 't']);
        for (i, value) in state.into_iter().enumerate() {
            p.store(i, Extent::Whole, value);
        }
    }
    (setup, start, carried, Block { registers: variant.registers(), body: p.take(), next })
}

/// The bytes of counter blocks, a register each, and the counter behind them. The lowest byte counts by itself; where it
/// wraps, the seven above are those of the counter 256 further; the upper eight are the same everywhere.
fn planes(p: &mut Builder, counter: Value, numbers: Value, carry: Value, step: Value) -> (Vec<Value>, Value) {
    let further = p.compute("further", Compute::Add64, [counter, carry]);
    let byte = |p: &mut Builder, name: &str, counter: Value, i: usize| {
        // byte i of the big-endian block
        let index = p.constant("index", vec![u128::from_le_bytes([(BLOCK - 1 - i) as u8; BLOCK])]);
        p.compute(name, Compute::Shuffle8, [counter, index])
    };
    let low = byte(p, "b15", counter, BLOCK - 1);
    let low = p.again(low, Compute::Add8, numbers);
    let wrapped = p.compute("wrapped", Compute::Less8, [low, numbers]);
    let mut planes = Vec::new();
    for i in 0..BLOCK - 1 {
        let name = format!("b{i}");
        let here = byte(p, &name, counter, i);
        planes.push(if i < BLOCK / 2 {
            here
        } else {
            let there = byte(p, "there", further, i);
            p.compute(&name, Compute::Blend, [wrapped, there, here])
        });
    }
    planes.push(low);
    (planes, p.again(counter, Compute::Add64, step))
}

/// The diffusion with the key: byte i of the result goes by `name`.
fn diffuse(p: &mut Builder, x: Vec<Value>, layout: KeyLayout, key: RoundKey, name: char) -> Vec<Value> {
    let mut out = vec![None; BLOCK];
    let result = |cell: usize| CELL.iter().position(|&taken| taken == cell).expect("each cell is taken once");
    let mut columns = Vec::new();
    for column in 0..4 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| x[GRID[row][column]]);
        let name = format!("column{column}");
        let sum = p.xor3(&name, a, b, c);
        columns.push(if layout == KeyLayout::Grid {
            // the key of the first row's cell, which the keys of the others make up for
            let k = p.round("k", key, column);
            p.xor3(&name, sum, d, k)
        } else {
            p.compute(&name, Compute::Xor, [sum, d])
        });
    }
    for (row, cells) in GRID.into_iter().enumerate() {
        let [a, b, c, d] = cells.map(|cell| x[cell]);
        let sum = (layout != KeyLayout::Grid || row == 0).then(|| {
            let sum = p.xor3("row", a, b, c);
            p.compute("row", Compute::Xor, [sum, d])
        });
        for (column, &cell) in cells.iter().enumerate() {
            let name = format!("{name}{}", result(cell));
            let value = match (layout, sum) {
                (KeyLayout::Grid, Some(sum)) => p.xor3(&name, columns[column], x[cell], sum),
                (_, Some(sum)) => {
                    let k = p.round("k", key, result(cell));
                    let value = p.xor3(&name, columns[column], x[cell], sum);
                    p.again(value, Compute::Xor, k)
                }
                // the cell and its row's sum are the sum of the row's others
                (_, None) => {
                    let [a, b, c] = [1, 2, 3].map(|other| x[cells[(column + other) % 4]]);
                    let others = p.xor3(&name, a, b, c);
                    let k = p.round("k", key, 4 * row + column);
                    p.xor3(&name, others, columns[column], k)
                }
            };
            out[result(cell)] = Some(value);
        }
    }
    out.into_iter().map(|value| value.expect("a value for each byte")).collect()
}
