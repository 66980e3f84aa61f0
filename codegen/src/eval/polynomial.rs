//! What a CRC's program has of its polynomial.

use std::collections::BTreeMap;

use crate::gf2::Modulus;
use crate::ir::Order;

/// What a CRC's program has of its polynomial.
pub(super) struct Polynomial {
    pub(super) modulus: Modulus,
    pub(super) order: Order,
    /// Those that were asked for, by the k of x^(64k).
    pub(super) powers: BTreeMap<usize, u64>,
}

impl Polynomial {
    /// x^(64k) mod M, as it is multiplied with: in the reflected order a product has a factor x too many.
    pub(super) fn power(&mut self, k: usize) -> u64 {
        let Polynomial { modulus, order, .. } = *self;
        *self.powers.entry(k).or_insert_with(|| match order {
            Order::Reflected => modulus.power(64 * k as u64 - 1).reverse_bits(),
            Order::Plain => modulus.power(64 * k as u64),
        })
    }

    /// The constants of the reduction, the lower half first.
    pub(super) fn quotient(&self) -> [u64; 2] {
        let m = self.modulus;
        match self.order {
            // floor(x^127 / M), which has 64 terms, and M without its term 1, over x
            Order::Reflected => [m.divide(1 << 127).1.reverse_bits(), m.halved().reverse_bits()],
            // floor(x^128 / M) and M, each without its highest term: x^128 = x^64 · M + x^64 · (M − x^64)
            Order::Plain => [m.divide(u128::from(m.low()) << 64).1, m.low()],
        }
    }

    pub(super) fn unit(&self) -> u64 {
        if self.modulus.low() & 1 == 1 { u64::MAX } else { 0 }
    }
}
