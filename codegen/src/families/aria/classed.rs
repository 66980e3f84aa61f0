//! A register a class of bytes, for S-boxes by AES's rounds.

use super::aessub::{AesSub, Shifted};
use super::counted::Counted;
use super::places::{Shuffle, Sums, every_of_four, place_classed};
use super::{Parts, rounds};
use crate::gf2::aria::{CELL, CLASSES, class, place};
use crate::ir::{Block, Builder, Compute, Extent, RoundKey, Value};
use crate::spec::{AriaMode, BLOCK, Variant};

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

pub(super) fn parts(p: &mut Builder, variant: Variant, mode: AriaMode) -> Parts {
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
