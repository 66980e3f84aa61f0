//! Arithmetic over GF(2): the field of AES and its S-box.

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

    #[test]
    fn inverses() {
        assert_eq!(inverse(0), 0);
        assert!((1..=255).all(|a| mul(a, inverse(a)) == 1));
    }
}
