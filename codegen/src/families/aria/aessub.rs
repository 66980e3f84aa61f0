//! S-boxes by AES's rounds.

use crate::gf2::aria::substitute;
use crate::ir::{Builder, Compute, Value};

/// What AES's rounds make of the places of a register: a byte of a place is at another one afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shifted {
    /// As it was.
    Not,
    /// By ShiftRows (FIPS 197, section 5.1.2).
    Encrypting,
    /// By InvShiftRows (FIPS 197, section 5.3.1).
    Decrypting,
}

impl Shifted {
    /// Of a class, whose S-box is that of AES or its inverse.
    pub(super) const fn by(class: usize) -> Self {
        if class < 2 { Shifted::Encrypting } else { Shifted::Decrypting }
    }

    /// Where the byte of this place is.
    pub(super) const fn at(self, place: usize) -> usize {
        let (column, row) = (place / 4, place % 4);
        match self {
            Shifted::Not => place,
            Shifted::Encrypting => 4 * ((column + 4 - row) % 4) + row,
            Shifted::Decrypting => 4 * ((column + row) % 4) + row,
        }
    }
}

/// S-boxes by AES's rounds.
pub(super) struct AesSub {
    zero: Value,
    /// Affine maps as tables of the lower half of a byte and of the upper: from S1 to S2, and from S2's inverse to S1's.
    maps: [[Value; 2]; 2],
}

impl AesSub {
    pub(super) fn new(p: &mut Builder) -> Self {
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

    pub(super) fn substitute(&self, p: &mut Builder, name: &str, value: Value, class: usize) -> Value {
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
