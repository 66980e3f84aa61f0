//! Arithmetic over GF(2): the field of AES and its S-box, the polynomials of CRCs, and what ARIA is made of.
//!
//! It is for the interpreter and for tests, slow and by the definitions; and descriptions and key layouts of ARIA are
//! made of its parts.

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
pub(crate) const fn inverse(a: u8) -> u8 {
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

/// A matrix over GF(2) that maps bytes, as `gf2p8affineqb` takes it: bit i of the result is the parity of the byte and
/// byte 7 − i of the matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrix(pub u64);

impl Matrix {
    /// Each byte as it is.
    pub const IDENTITY: Matrix = Matrix::of_columns([1, 2, 4, 8, 16, 32, 64, 128]);

    /// That whose image of `1 << j` is column j.
    pub const fn of_columns(columns: [u8; 8]) -> Self {
        let (mut rows, mut i) = (0, 0);
        while i < 64 {
            let (row, column) = (i / 8, i % 8);
            rows |= ((columns[column] >> row & 1) as u64) << (8 * (7 - row) + column);
            i += 1;
        }
        Matrix(rows)
    }

    /// The image of a byte.
    pub const fn map(self, byte: u8) -> u8 {
        let (mut image, mut row) = (0, 0);
        while row < 8 {
            image |= (((self.0 >> (8 * (7 - row))) as u8 & byte).count_ones() as u8 & 1) << row;
            row += 1;
        }
        image
    }

    /// The matrix that takes each image back, if there is one.
    pub fn inverse(self) -> Option<Self> {
        let preimage = |image| (0..=255).find(|&byte| self.map(byte) == image);
        let mut columns = [0; 8];
        for (j, column) in columns.iter_mut().enumerate() {
            *column = preimage(1 << j)?;
        }
        Some(Matrix::of_columns(columns))
    }
}

/// ARIA (RFC 5794), by its definitions, and what makes it fast.
pub mod aria {
    use super::{Matrix, inverse};

    /// The linear part of S1 = SB1, which is the S-box of AES: y ⊕ its rotations by 1, 2, 3 and 4.
    const S1: Matrix = {
        let (mut columns, mut j) = ([0; 8], 0);
        while j < 8 {
            let y: u8 = 1 << j;
            columns[j] = y ^ y.rotate_left(1) ^ y.rotate_left(2) ^ y.rotate_left(3) ^ y.rotate_left(4);
            j += 1;
        }
        Matrix::of_columns(columns)
    };

    /// The linear part of S2 = SB2, after the inverse in AES's field.
    const S2: Matrix = Matrix(0xeafc_b7c3_c273_c66f);

    /// What S1 and S2 add.
    const CONSTANTS: [u8; 2] = [0x63, 0xe2];

    /// Classes of bytes: 0 and 1 go through S1 and S2, 2 and 3 through their inverses.
    pub const CLASSES: usize = 4;

    /// The class that byte i has in an odd round, or in an even one (RFC 5794, section 2.4.2).
    pub const fn class(byte: usize, odd: bool) -> usize {
        (byte + if odd { 0 } else { 2 }) % CLASSES
    }

    /// A class's S-box as matrices before and after the inverse in AES's field, without what is added.
    pub fn matrices(class: usize) -> [Matrix; 2] {
        let linear = [S1, S2][class % 2];
        match class {
            0 | 1 => [Matrix::IDENTITY, linear],
            _ => [linear.inverse().expect("an S-box is a permutation"), Matrix::IDENTITY],
        }
    }

    /// What is added before a class's matrices, and what after them.
    pub const fn added(class: usize) -> [u8; 2] {
        match class {
            0 | 1 => [0, CONSTANTS[class]],
            _ => [CONSTANTS[class - 2], 0],
        }
    }

    /// A class's S-box.
    pub fn substitute(class: usize, byte: u8) -> u8 {
        let ([before, after], [add_before, add_after]) = (matrices(class), added(class));
        after.map(inverse(before.map(byte ^ add_before))) ^ add_after
    }

    /// The bytes of the state as a square. Each row has a byte of each class, and each column has.
    pub const GRID: [[usize; 4]; 4] = [[0, 10, 7, 13], [11, 1, 12, 6], [5, 15, 2, 8], [14, 4, 9, 3]];

    /// The cell that byte i of the diffusion's result takes: it is the cell ⊕ the sum of its row ⊕ the sum of its column.
    pub const CELL: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 10, 11, 8, 9, 12, 13, 14, 15];

    /// The row and the column of a byte.
    pub fn place(byte: usize) -> [usize; 2] {
        let at = GRID.iter().flatten().position(|&cell| cell == byte).expect("the grid has every byte");
        [at / 4, at % 4]
    }

    /// The diffusion layer (RFC 5794, section 2.4.3), by the grid.
    pub fn diffuse(x: [u8; 16]) -> [u8; 16] {
        let sum = |cells: [usize; 4]| cells.iter().fold(0, |sum, &cell| sum ^ x[cell]);
        std::array::from_fn(|i| {
            let [row, column] = place(CELL[i]);
            x[CELL[i]] ^ sum(GRID[row]) ^ sum([0, 1, 2, 3].map(|row| GRID[row][column]))
        })
    }

    /// The diffusion layer in 48 xors of two values each, those before it in order, the bytes first: found by search; the
    /// sums of the grid take 56.
    #[rustfmt::skip]
    pub const XORS: [[usize; 2]; 48] = [
        [1, 15], [4, 9], [0, 11], [3, 6], [10, 13], [14, 17], [2, 7], [12, 22],
        [8, 19], [5, 18], [10, 16], [14, 25], [4, 26], [3, 21], [26, 29], [23, 29],
        [25, 29], [13, 24], [21, 33], [9, 23], [6, 12], [7, 20], [27, 37], [2, 5],
        [8, 15], [0, 37], [24, 41], [1, 11], [5, 35], [40, 44], [7, 35], [41, 46],
        [28, 39], [8, 48], [16, 41], [4, 50], [33, 43], [12, 52], [1, 36], [27, 54],
        [15, 33], [39, 56], [2, 27], [40, 58], [28, 54], [43, 60], [6, 43], [35, 62],
    ];

    /// Which of the values are the results: the bytes, then the xors, from 16 on.
    pub const XORED: [usize; 16] = [34, 45, 61, 38, 59, 30, 47, 53, 51, 55, 57, 31, 63, 42, 32, 49];

    /// The substitution layer.
    pub fn substitute_all(x: [u8; 16], odd: bool) -> [u8; 16] {
        std::array::from_fn(|i| substitute(class(i, odd), x[i]))
    }

    /// What the S-boxes add, moved into the round keys: what is to be xored into the key of so many rounds before, of
    /// `rounds` in all, so that the rest of every S-box is linear but for the inverse.
    pub fn folded(before: usize, rounds: usize) -> [u8; 16] {
        // before round r + 1 its S-boxes add something, and round r's have added something that was diffused
        let of = |round: usize, which: usize| -> [u8; 16] {
            std::array::from_fn(|i| added(class(i, round % 2 == 1))[which])
        };
        let mut folded = if before < rounds { of(before + 1, 0) } else { [0; 16] };
        if before > 0 {
            let added = of(before, 1);
            let added = if before < rounds { diffuse(added) } else { added };
            folded.iter_mut().zip(added).for_each(|(folded, added)| *folded ^= added);
        }
        folded
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// RFC 5794, section 2.4.3: the bytes that each of the result's bytes is the sum of.
        const SUMS: [[usize; 7]; 16] = [
            [3, 4, 6, 8, 9, 13, 14],
            [2, 5, 7, 8, 9, 12, 15],
            [1, 4, 6, 10, 11, 12, 15],
            [0, 5, 7, 10, 11, 13, 14],
            [0, 2, 5, 8, 11, 14, 15],
            [1, 3, 4, 9, 10, 14, 15],
            [0, 2, 7, 9, 10, 12, 13],
            [1, 3, 6, 8, 11, 12, 13],
            [0, 1, 4, 7, 10, 13, 15],
            [0, 1, 5, 6, 11, 12, 14],
            [2, 3, 5, 6, 8, 13, 15],
            [2, 3, 4, 7, 9, 12, 14],
            [1, 2, 6, 7, 9, 11, 12],
            [0, 3, 6, 7, 8, 10, 13],
            [0, 3, 4, 5, 9, 11, 14],
            [1, 2, 4, 5, 8, 10, 15],
        ];

        #[test]
        fn the_grid_is_the_matrix() {
            for j in 0..16 {
                let unit = std::array::from_fn(|i| u8::from(i == j));
                let image = diffuse(unit);
                for (i, sum) in SUMS.iter().enumerate() {
                    assert_eq!(image[i] == 1, sum.contains(&j), "byte {j} in byte {i}");
                }
            }
        }

        #[test]
        fn the_xors_are_the_grid() {
            for j in 0..16 {
                let unit = std::array::from_fn(|i| u8::from(i == j));
                let mut values = unit.to_vec();
                XORS.iter().for_each(|&[a, b]| values.push(values[a] ^ values[b]));
                assert_eq!(XORED.map(|value| values[value]), diffuse(unit), "byte {j}");
            }
        }

        #[test]
        fn rows_and_columns_have_each_class_once() {
            for odd in [false, true] {
                for (i, row) in GRID.iter().enumerate() {
                    let mut row = row.map(|byte| class(byte, odd));
                    let mut column = GRID.map(|row| class(row[i], odd));
                    row.sort_unstable();
                    column.sort_unstable();
                    assert_eq!((row, column), ([0, 1, 2, 3], [0, 1, 2, 3]));
                }
            }
        }

        /// The first rows of the tables in RFC 5794, section 2.4.2.
        #[test]
        fn published_values() {
            let first = |class| [0, 1, 2, 3, 4, 5, 6, 7].map(|byte| substitute(class, byte));
            assert_eq!(first(0), [0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5]);
            assert_eq!(first(1), [0xe2, 0x4e, 0x54, 0xfc, 0x94, 0xc2, 0x4a, 0xcc]);
            assert_eq!(first(2), [0x52, 0x09, 0x6a, 0xd5, 0x30, 0x36, 0xa5, 0x38]);
            assert_eq!(first(3), [0x30, 0x68, 0x99, 0x1b, 0x87, 0xb9, 0x21, 0x78]);
            for byte in 0..=255 {
                assert_eq!(substitute(2, substitute(0, byte)), byte);
                assert_eq!(substitute(3, substitute(1, byte)), byte);
            }
        }
    }
}

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
