//! A register a byte.

use super::aessub::{AesSub, Shifted};
use super::counted::counter;
use super::places::Shuffle;
use super::planes::{FirstRound, LOWEST, byte_of, planes};
use super::{Parts, rounds};
use crate::gf2::aria::{CELL, GRID, XORED, XORS, class, matrices};
use crate::ir::{Block, Builder, Compute, Extent, KeyLayout, RoundKey, State, Value};
use crate::spec::{AriaMode, BLOCK, Variant};

/// The S-boxes of the sliced layouts.
enum Boxes {
    /// By matrices.
    Gfni { identity: Value, s: [Value; 2], x: [Value; 2] },
    /// By AES rounds, and what makes a register's places follow those of the others.
    Aes(AesSub, Value),
}

pub(super) fn parts(p: &mut Builder, variant: Variant, layout: KeyLayout, mode: AriaMode) -> Parts {
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
        let first = layout.shares_first_round().then(|| FirstRound::new(p));
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
