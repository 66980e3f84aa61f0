//! From a model's parameters to registers as kernels take them, and from these to CRCs.

use super::combine::Generator;

/// What a model says beside its polynomial, in the form that each call needs.
///
/// A register is reflected and in the low bits where the first bit of a byte is the lowest, and in the high bits of 64
/// where it is the highest.
#[derive(Clone)]
pub(crate) struct Conventions {
    /// The register before the first byte.
    initial: u64,
    xorout: u64,
    /// By how much the register, turned over if it must be, is above the CRC.
    shift: u8,
    /// Whether the CRC is the register turned over.
    crossed: bool,
    refin: bool,
    width: u8,
    generator: Generator,
}

impl Conventions {
    pub(crate) const fn new(width: u8, poly: u64, init: u64, refin: bool, refout: bool, xorout: u64) -> Self {
        Conventions {
            initial: register(width, refin, init),
            xorout,
            shift: if refout { 0 } else { 64 - width },
            crossed: refin != refout,
            refin,
            width,
            generator: Generator::new(width, poly),
        }
    }

    /// The register before the first byte.
    #[inline]
    pub(crate) const fn initial(&self) -> u64 {
        self.initial
    }

    /// The register that has `initial` in it as the model's `init` is meant.
    #[inline]
    pub(crate) const fn start(&self, initial: u64) -> u64 {
        register(self.width, self.refin, initial)
    }

    /// The inverse of [`Conventions::start`]: the `init` that makes this register.
    pub(crate) const fn init_of(&self, register: u64) -> u64 {
        let high = if self.refin { register.reverse_bits() } else { register };
        high >> (64 - self.width)
    }

    /// The CRC that the register makes when all data are in it.
    #[inline]
    pub(crate) fn finish(&self, register: u64) -> u64 {
        // a call, lest it be computed and thrown away
        let register = if self.crossed { turned_over(register) } else { register };
        (register >> self.shift) ^ self.xorout
    }

    /// The register that made the CRC. Bits above the width do not count.
    pub(crate) fn resume(&self, crc: u64) -> u64 {
        // clears what is above the width
        let high = (crc ^ self.xorout) << (64 - self.width);
        let register = high >> (64 - self.width - self.shift);
        if self.crossed { register.reverse_bits() } else { register }
    }

    /// The CRC of two messages in a row, by theirs and the second one's length in bytes.
    pub(crate) fn combine(&self, a: u64, b: u64, len_b: u64) -> u64 {
        let moved = self.shift_by(self.resume(a) ^ self.initial, self.x_to_bytes(len_b));
        self.finish(moved ^ self.resume(b))
    }

    /// The CRC of so many bytes that are zero.
    pub(crate) fn zeros(&self, len: u64) -> u64 {
        self.finish(self.shift_by(self.initial, self.x_to_bytes(len)))
    }

    /// What [`Conventions::shift_by`] needs for so many bytes.
    pub(crate) fn x_to_bytes(&self, len: u64) -> u64 {
        self.generator.x_to_bytes(len)
    }

    /// The register moved on by a power of *x*: what as many zero bits make of it.
    pub(crate) fn shift_by(&self, register: u64, power: u64) -> u64 {
        let either = |register: u64| if self.refin { register.reverse_bits() } else { register };
        either(self.generator.product(power, either(register)))
    }
}

const fn register(width: u8, refin: bool, initial: u64) -> u64 {
    let high = initial << (64 - width);
    if refin { high.reverse_bits() } else { high }
}

#[cold]
#[inline(never)]
fn turned_over(register: u64) -> u64 {
    register.reverse_bits()
}
