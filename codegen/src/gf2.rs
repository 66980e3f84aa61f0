//! Arithmetic over GF(2): the field of AES and its S-box, and the polynomials of CRCs.
//!
//! It is for tests and for the interpreter: slow, and by the definitions.

/// x^8 + x^4 + x^3 + x + 1, the modulus of AES's field without its top term (FIPS 197, section 4.2).
const AES_MODULUS: u8 = 0x1b;

/// `a · x` in AES's field.
pub(crate) const fn xtime(a: u8) -> u8 {
    (a << 1) ^ (AES_MODULUS * (a >> 7))
}

/// `a · b` in AES's field.
pub(crate) const fn mul(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = xtime(a);
        b >>= 1;
    }
    product
}

/// `1 / a` in AES's field, and 0 for 0: a^254.
const fn inverse(a: u8) -> u8 {
    let (mut power, mut square, mut i) = (1, a, 1);
    while i < 8 {
        square = mul(square, square);
        power = mul(power, square);
        i += 1;
    }
    power
}

/// The S-box of AES (FIPS 197, section 5.1.1): with y = 1/x, y ⊕ rotations of y by 1, 2, 3 and 4 ⊕ 63.
pub(crate) const AES_SBOX: [u8; 256] = {
    let mut sbox = [0; 256];
    let mut x = 0;
    while x < 256 {
        let y = inverse(x as u8);
        let rotations = y.rotate_left(1) ^ y.rotate_left(2) ^ y.rotate_left(3) ^ y.rotate_left(4);
        sbox[x] = y ^ rotations ^ 0x63;
        x += 1;
    }
    sbox
};

/// A CRC's generator G, of 1 to 64 bits, as the modulus M = G · x^(64 − n) of degree 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modulus(u128);

impl Modulus {
    /// For the generator whose terms below x^`width` are the bits of `poly`.
    ///
    /// # Panics
    /// If the width is not 1 to 64, or `poly` has more bits.
    pub fn new(width: u8, poly: u64) -> Self {
        assert!((1..=64).contains(&width) && u128::from(poly) >> width == 0, "no generator of `{width}` bits");
        Modulus((1 << width | u128::from(poly)) << (64 - width))
    }

    /// a mod M and floor(a / M), by long division.
    pub fn divide(self, mut a: u128) -> (u64, u64) {
        let mut quotient = 0;
        for bit in (0..64).rev() {
            if a >> (bit + 64) & 1 == 1 {
                a ^= self.0 << bit;
                quotient |= 1 << bit;
            }
        }
        (a as u64, quotient)
    }

    /// x^`exponent` mod M, by squaring.
    pub fn power(self, exponent: u64) -> u64 {
        let mut power = 1;
        for bit in (0..64 - exponent.leading_zeros()).rev() {
            power = self.divide(product(power, power)).0;
            if exponent >> bit & 1 == 1 {
                power = self.divide(u128::from(power) << 1).0;
            }
        }
        power
    }

    /// M below x^64.
    pub const fn low(self) -> u64 {
        self.0 as u64
    }

    /// floor(M / x).
    pub const fn halved(self) -> u64 {
        (self.0 >> 1) as u64
    }
}

/// a · b as polynomials.
pub fn product(a: u64, b: u64) -> u128 {
    (0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |product, bit| product ^ u128::from(a) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published values: the corners of FIPS 197, table 4, and the products of its sections 4.2 and 4.2.1.
    #[test]
    fn published_values() {
        assert_eq!([AES_SBOX[0x00], AES_SBOX[0x0f], AES_SBOX[0xf0], AES_SBOX[0xff]], [0x63, 0x76, 0x8c, 0x16]);
        assert_eq!(AES_SBOX[0x53], 0xed);
        assert_eq!(mul(0x57, 0x83), 0xc1);
        assert_eq!(mul(0x57, 0x13), 0xfe);
    }

    /// The register of CRC-32 after a byte 1 whose register was 0 is x^32 mod G; the quotient and the rest make the number
    /// again.
    #[test]
    fn division() {
        let g = Modulus::new(32, 0x04c1_1db7);
        assert_eq!(g.power(64), 0x04c1_1db7 << 32);
        assert_eq!(Modulus::new(64, 0x42f0_e1eb_a9ea_3693).power(64), 0x42f0_e1eb_a9ea_3693);
        for a in [1, 0x1234_5678 << 70, u128::MAX >> 1, u128::MAX] {
            let (rest, quotient) = g.divide(a);
            let multiple = (0..64).filter(|bit| quotient >> bit & 1 == 1).fold(0, |sum, bit| sum ^ g.0 << bit);
            assert_eq!(multiple ^ u128::from(rest), a);
        }
    }

    #[test]
    fn inverses() {
        assert_eq!(inverse(0), 0);
        assert!((1..=255).all(|a| mul(a, inverse(a)) == 1));
    }
}
