//! The signature of CRC kernels, and the constants that they take.

use crate::mem::Powers;

/// The generator of CRC-32C (RFC 3720, section 12.1), of degree 32, without its highest term.
pub const CRC32C: u64 = 0x1edc_6f41;

/// A CRC kernel, for constants with powers of x for so many lanes.
///
/// It takes the CRC's state before the data and gives the state after them: where the lowest bit of a byte comes
/// first, reflected and in the low bits; else in the high bits. To call it, the CPU must have the features it was
/// compiled for.
pub type FoldFn<const LANES: usize> = unsafe fn(&Constants<LANES>, u64, &[u8]) -> u64;

/// A CRC kernel, by the bit of a byte that it takes first.
#[derive(Clone, Copy, Debug)]
pub enum Fold<const LANES: usize> {
    /// The lowest bit first.
    Lsb(FoldFn<LANES>),
    /// The highest bit first.
    Msb(FoldFn<LANES>),
    /// The lowest bit first, of CRC-32C alone: with the constants of another generator, what comes out means nothing.
    Crc32c(FoldFn<LANES>),
}

impl<const LANES: usize> Fold<LANES> {
    /// Whether it takes the lowest bit of a byte first.
    pub const fn is_lsb(self) -> bool {
        match self {
            Fold::Lsb(_) | Fold::Crc32c(_) => true,
            Fold::Msb(_) => false,
        }
    }

    /// The function, whichever bit it takes first.
    pub const fn function(self) -> FoldFn<LANES> {
        match self {
            Fold::Lsb(function) | Fold::Msb(function) | Fold::Crc32c(function) => function,
        }
    }
}

/// What a generator polynomial G of degree n means to the kernels: powers of x modulo M = G · x^(64 − n), and what a
/// reduction modulo M takes.
///
/// Any kernel whose [`LANES`](crate::crc_fold::LANES) they have powers for takes them, in either order of bits.
///
/// | | reflected: the highest term has the lowest bit | plain |
/// |---|---|---|
/// | power k | x^(64k − 1) mod M | x^(64k) mod M |
/// | quotient | floor(x^127 / M) | floor(x^128 / M) − x^64 |
/// | modulus | floor(M / x) | M − x^64 |
/// | unit | ones if M has the term 1 | – |
///
/// In the reflected order, a product of two polynomials of 64 terms comes out with a factor x too many: the powers are
/// made up for it, and so are the quotient, which then has all of its 64 terms, and the modulus.
#[derive(Clone, Debug)]
pub struct Constants<const LANES: usize> {
    reflected: Powers<LANES>,
    plain: Powers<LANES>,
}

impl<const LANES: usize> Constants<LANES> {
    /// For the generator of degree `width` whose terms below x^`width` are the bits of `poly`, as catalogues give it.
    /// Each power is made of the one before, byte by byte.
    ///
    /// ```
    /// use byways_kernels::crc::Constants;
    /// static CRC32: Constants<{ byways_kernels::crc_fold::LANES }> = Constants::new(32, 0x04c11db7);
    /// ```
    ///
    /// # Panics
    /// If the width is not 1 to 64: in a constant, a compile error.
    pub const fn new(width: u8, poly: u64) -> Self {
        assert!(width >= 1 && width <= 64, "a generator's width is 1 to 64 bits");
        let modulus = poly << (64 - width);
        let multiples = multiples(modulus);
        let mut reflected = [[0; 2]; LANES];
        let mut plain = [[0; 2]; LANES];
        // x^63, of degree less than M's
        let mut power = 1_u64 << 63;
        let mut lane = LANES;
        while lane > 0 {
            lane -= 1;
            let mut half = 2;
            while half > 0 {
                half -= 1;
                reflected[lane][half] = power.reverse_bits();
                plain[lane][half] = times_x(power, modulus);
                power = times_x_to_64(power, &multiples);
            }
        }
        // x^63 times x^64 makes the quotient of x^127 by M, and a step more that of x^128, whose highest bit is gone
        let floor_127 = quotient(64, 1 << 63, modulus);
        let floor_128 = quotient(65, 1 << 63, modulus);
        let halved = 1 << 63 | modulus >> 1;
        let unit = if modulus & 1 == 1 { u64::MAX } else { 0 };
        Constants {
            reflected: Powers::new(reflected, [floor_127.reverse_bits(), halved.reverse_bits()], unit),
            plain: Powers::new(plain, [floor_128, modulus], unit),
        }
    }

    /// In the reflected order: the highest term has the lowest bit.
    #[inline]
    pub const fn reflected(&self) -> &Powers<LANES> {
        &self.reflected
    }

    /// In the plain order: the highest term has the highest bit.
    #[inline]
    pub const fn plain(&self) -> &Powers<LANES> {
        &self.plain
    }
}

/// a · x mod M.
const fn times_x(a: u64, modulus: u64) -> u64 {
    // all ones if the highest term is there
    a << 1 ^ (modulus & (a as i64 >> 63) as u64)
}

/// a · x^64 mod M for each polynomial a of 8 terms.
const fn multiples(modulus: u64) -> [u64; 256] {
    let (mut multiples, mut a) = ([0; 256], 1);
    while a < 256 {
        let even = times_x(multiples[a / 2], modulus);
        multiples[a] = if a % 2 == 0 { even } else { even ^ modulus };
        a += 1;
    }
    multiples
}

/// a · x^64 mod M, 8 terms at a time.
const fn times_x_to_64(mut a: u64, multiples: &[u64; 256]) -> u64 {
    let mut byte = 0;
    while byte < 8 {
        a = a << 8 ^ multiples[(a >> 56) as usize];
        byte += 1;
    }
    a
}

/// The last 64 terms of floor(a · x^`steps` / M).
const fn quotient(steps: u32, mut a: u64, modulus: u64) -> u64 {
    let (mut quotient, mut step) = (0, 0);
    while step < steps {
        quotient = quotient << 1 | a >> 63;
        a = times_x(a, modulus);
        step += 1;
    }
    quotient
}
