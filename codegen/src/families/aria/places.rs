//! Where the layouts have the bytes of blocks, and the shuffles that follow from it.

use crate::gf2::aria::{CELL, class, place};
use crate::ir::{Builder, Value};
use crate::spec::BLOCK;

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
pub(super) struct Shuffle(pub(super) [u8; BLOCK]);

impl Shuffle {
    /// Place `to` takes what is at `from`, for each pair.
    pub(super) fn of(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut from = [0x80; BLOCK];
        pairs.into_iter().for_each(|(to, place)| from[to] = place as u8);
        Shuffle(from)
    }

    pub(super) const fn number(&self) -> u128 {
        u128::from_le_bytes(self.0)
    }

    pub(super) fn constant(self, p: &mut Builder, name: &str) -> Value {
        p.constant(name, vec![u128::from_le_bytes(self.0)])
    }
}

/// Every byte of a lane's two blocks.
pub(super) fn every() -> impl Iterator<Item = (usize, usize)> {
    (0..BLOCK).flat_map(|i| [(i, 0), (i, 1)])
}

/// Every byte of four blocks.
pub(super) fn every_of_four() -> impl Iterator<Item = (usize, usize)> {
    (0..BLOCK).flat_map(|i| [0, 1, 2, 3].map(|block| (i, block)))
}

/// What the layouts by classes shuffle in the diffusion, besides the cells.
pub(super) struct Sums {
    /// Out of a class's register: a column's cell to the column's number, for each block.
    pub(super) column: Shuffle,
    /// Into a class's register: the sum of the row that a byte's cell is in, out of the sums by rows.
    pub(super) of_row: Shuffle,
    /// The same of the sums by columns.
    pub(super) of_column: Shuffle,
}

impl Sums {
    pub(super) fn of(register: usize) -> Self {
        let here = || every_of_four().filter(move |&(i, b)| place_classed(i, b)[0] == register);
        let at = |(i, b): (usize, usize)| place_classed(i, b)[1];
        Sums {
            column: Shuffle::of(here().map(|(i, b)| (4 * place(i)[1] + b, at((i, b))))),
            of_row: Shuffle::of(here().map(|(i, b)| (at((i, b)), 4 * place(CELL[i])[0] + b))),
            of_column: Shuffle::of(here().map(|(i, b)| (at((i, b)), 4 * place(CELL[i])[1] + b))),
        }
    }
}
