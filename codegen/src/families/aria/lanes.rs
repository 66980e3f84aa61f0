//! Four blocks in one register, whose lanes are the classes of bytes.

use super::counted::Counted;
use super::places::{Sums, every_of_four, place_classed};
use super::{Parts, rounds};
use crate::gf2::aria::{CELL, class, matrices};
use crate::ir::{Block, Builder, Compute, Extent, RoundKey, Value};
use crate::spec::{AriaMode, BLOCK, Variant};

pub(super) fn parts(p: &mut Builder, variant: Variant, mode: AriaMode) -> Parts {
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
