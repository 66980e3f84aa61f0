//! Two classes of bytes a register, in pairs.

use super::counted::Counted;
use super::places::{Shuffle, every, place_packed};
use super::{Parts, rounds};
use crate::gf2::aria::{CELL, class, matrices, place};
use crate::ir::{Block, Builder, Compute, Extent, RoundKey, Value};
use crate::spec::{AriaMode, Variant};

/// What a pair's registers are called.
pub(super) const NAMES: [&str; 2] = ["x", "y"];

/// Of byte i of a block, for those that are in one of a pair's registers: its place there, and i.
pub(super) fn in_register(register: usize, block: usize) -> impl Iterator<Item = (usize, usize)> {
    let here = every().filter(move |&(i, b)| b == block && place_packed(i, b)[0] == register);
    here.map(|(i, b)| (place_packed(i, b)[1], i))
}

/// Shuffles for one of a pair of registers.
pub(super) struct PairSums {
    /// Of it: a column's cells, each to the column's number in its own half.
    column: Value,
    /// Of either register to it: the cells.
    cells: [Value; 2],
    /// To it: the sum of its cell's row, and of its cell's column.
    of_row: Value,
    of_column: Value,
}

impl PairSums {
    pub(super) fn both(p: &mut Builder) -> [Self; 2] {
        [0, 1].map(|to| {
            let here = || every().filter(move |&(i, b)| place_packed(i, b)[0] == to);
            let column =
                here().map(|(i, b)| (place_packed(i, b)[1] - place(i)[0] + place(i)[1], place_packed(i, b)[1]));
            let column = Shuffle::of(column).constant(p, &format!("column_{}", NAMES[to]));
            let cells = [0, 1].map(|from| {
                let cells = here().filter(move |&(i, b)| place_packed(CELL[i], b)[0] == from);
                let cells = cells.map(|(i, b)| (place_packed(i, b)[1], place_packed(CELL[i], b)[1]));
                Shuffle::of(cells).constant(p, &format!("cells_{}{}", NAMES[to], NAMES[from]))
            });
            let of_row = here().map(|(i, b)| (place_packed(i, b)[1], 4 * b + place(CELL[i])[0]));
            let of_row = Shuffle::of(of_row).constant(p, &format!("of_row_{}", NAMES[to]));
            let of_column = here().map(|(i, b)| (place_packed(i, b)[1], 4 * b + place(CELL[i])[1]));
            let of_column = Shuffle::of(of_column).constant(p, &format!("of_column_{}", NAMES[to]));
            PairSums { column, cells, of_row, of_column }
        })
    }
}

/// The matrices before and behind the inverse, for a pair's two halves each, in odd rounds or in even ones.
pub(super) fn pair_matrices(p: &mut Builder, odd: bool) -> [[Value; 2]; 2] {
    let round = if odd { "odd" } else { "even" };
    [0, 1].map(|register| {
        ["before", "after"].map(|when| {
            let of =
                |half: usize| u128::from(matrices(class(register + 2 * half, odd))[usize::from(when == "after")].0);
            p.constant(&format!("{when}_{round}_{}", NAMES[register]), vec![of(1) << 64 | of(0)])
        })
    })
}

/// The diffusion of the pair `from` of registers; the results go by `names`.
pub(super) fn diffuse_pair(
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

pub(super) fn parts(p: &mut Builder, variant: Variant, mode: AriaMode) -> Parts {
    let registers = variant.registers();

    // from a block to a register, and back
    let mut load = Vec::new();
    let mut store = Vec::new();
    for block in 0..2 {
        for (register, name) in NAMES.iter().enumerate() {
            let there = in_register(register, block);
            load.push(Shuffle::of(there).constant(p, &format!("load{block}{name}")));
            let back = in_register(register, block).map(|(at, i)| (i, at));
            store.push(Shuffle::of(back).constant(p, &format!("store{block}{name}")));
        }
    }
    let sub = [true, false].map(|odd| pair_matrices(p, odd));
    let sums = PairSums::both(p);
    let counted = Counted::new(p, variant, mode);
    let setup = p.take();
    let (start, carried) = counted.start(p);
    let mut c = carried.first().map(|c| c.param);

    let mut state = Vec::new();
    // all of them before the first key, so that no key waits in a register, and goes to the stack
    let blocks: Vec<Value> = (0..registers).map(|i| counted.block(p, &mut c, &format!("b{i}"), i)).collect();
    for (pair, blocks) in blocks.as_chunks::<2>().0.iter().enumerate() {
        for (register, name) in NAMES.iter().enumerate() {
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
        each.flat_map(|(pair, &x)| diffuse_pair(p, &sums, x, NAMES.map(|name| format!("{name}{pair}")), key)).collect()
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
