//! Counter blocks, a register a byte.

use super::packed::{NAMES, PairSums, diffuse_pair, in_register, pair_matrices};
use super::places::{Shuffle, place_packed};
use crate::gf2::aria::{CELL, place};
use crate::ir::{Builder, Compute, RoundKey, Value};
use crate::spec::BLOCK;

/// The byte of a counter block that counts by itself.
pub(super) const LOWEST: usize = BLOCK - 1;

/// Byte i of the counter's block, everywhere.
pub(super) fn byte_of(p: &mut Builder, name: &str, counter: Value, i: usize) -> Value {
    let index = p.index(u128::from_le_bytes([(LOWEST - i) as u8; BLOCK]));
    p.compute(name, Compute::Shuffle8, [counter, index])
}

/// The bytes of counter blocks, a register each. The lowest counts by itself; where it `wrapped`, the seven above are those
/// of the counter 256 further; the upper eight are the same everywhere.
pub(super) fn planes(p: &mut Builder, [counter, further]: [Value; 2], wrapped: Value, low: Value) -> Vec<Value> {
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
pub(super) struct FirstRound {
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
    pub(super) fn new(p: &mut Builder) -> Self {
        let load = [0, 1].map(|block| {
            [0, 1].map(|register| {
                // the counter has the lowest byte first
                let places = in_register(register, block).map(|(at, i)| (at, LOWEST - i));
                Shuffle::of(places).constant(p, &format!("load{block}{}", NAMES[register]))
            })
        });
        let sub = pair_matrices(p, true);
        let lowest = [0, 1].map(|block| place_packed(LOWEST, block)[1]);
        let others = std::array::from_fn(|at| if lowest.contains(&at) { 0 } else { 0xff });
        let others = p.constant("others", vec![u128::from_le_bytes(others)]);
        let sums = PairSums::both(p);
        let over = place_packed(0, 1)[1] - place_packed(0, 0)[1];
        let over = p.constant("over", vec![u128::from_le_bytes([over as u8; BLOCK])]);
        FirstRound { load, sub, others, sums, over }
    }

    /// The state behind the round. `low` is what the S-box makes of the lowest byte.
    pub(super) fn round(&self, p: &mut Builder, counters: [Value; 2], wrapped: Value, low: Value) -> Vec<Value> {
        let pair = [0, 1].map(|register| {
            let [a, b] =
                [0, 1].map(|i| p.compute(["a", "b"][i], Compute::Shuffle8, [counters[i], self.load[i][register]]));
            let k = p.round("k", RoundKey::FirstPacked, register);
            let x = p.xor3(NAMES[register], a, b, k);
            let [before, after] = self.sub[register];
            let x = p.again(x, Compute::Affine, before);
            let x = p.again(x, Compute::AffineInv, after);
            if register == place_packed(LOWEST, 0)[0] { p.again(x, Compute::And, self.others) } else { x }
        });
        let pair = diffuse_pair(p, &self.sums, pair, NAMES.map(str::to_owned), RoundKey::SecondPacked);
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
