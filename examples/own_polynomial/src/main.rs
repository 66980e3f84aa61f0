//! A CRC of one's own polynomial by the library: it takes the same kernels as those of the catalogue.
//!
//! `cargo run --release -p own-polynomial [FILE]` prints the CRC of a file, or of the standard input.

use std::fs::File;
use std::io::{self, Read};

use byways::crc::{Algorithm, Crc};

/// CRC-32K of RFC 8163, which the catalogue does not have. The polynomial is P. Koopman's ("32-Bit Cyclic Redundancy Codes
/// for Internet Applications", 2002); all else is as in CRC-32.
const CRC_32K: Algorithm<u32> = Algorithm {
    width: 32,
    poly: 0x741b_8cd7,
    init: 0xffff_ffff,
    refin: true,
    refout: true,
    xorout: 0xffff_ffff,
    // these two say what comes out and are not needed for it
    check: 0x2d3d_d0ae,
    residue: 0x0843_323b,
};

/// The constants are in here: a `static` is made once, when the program is compiled.
static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32K);

/// The CRC of all that can be read.
fn sum(mut from: impl Read) -> io::Result<u32> {
    let mut digest = CRC.digest();
    io::copy(&mut from, &mut digest)?;
    Ok(digest.finalize())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // a slip in the parameters shows here
    assert_eq!(CRC.checksum(b"123456789"), CRC_32K.check);
    let sum = match std::env::args_os().nth(1) {
        Some(path) => sum(File::open(path)?)?,
        None => sum(io::stdin().lock())?,
    };
    println!("{sum:08x}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    static THEIRS: crc::Crc<u32> = crc::Crc::<u32>::new(&CRC_32K);

    fn data() -> Vec<u8> {
        (0..100_000_u32).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect()
    }

    #[test]
    fn as_crate_crc_does() {
        let data = data();
        for len in (0..300).chain([1024, 1500, 9000, 65_536, 100_000]) {
            assert_eq!(CRC.checksum(&data[..len]), THEIRS.checksum(&data[..len]), "{len}");
        }
        assert_eq!(sum(&data[..]).unwrap(), THEIRS.checksum(&data));
    }

    /// A message with its CRC behind it makes the residue.
    #[test]
    fn check_and_residue() {
        let mut message = b"123456789".to_vec();
        assert_eq!(CRC.checksum(&message), CRC_32K.check);
        message.extend(CRC_32K.check.to_le_bytes());
        assert_eq!(CRC.checksum(&message) ^ CRC_32K.xorout, CRC_32K.residue);
    }

    #[test]
    fn pieces_and_holes() {
        let data = data();
        let (a, b) = data.split_at(12_345);
        assert_eq!(CRC.combine(CRC.checksum(a), CRC.checksum(b), b.len() as u64), THEIRS.checksum(&data));
        assert_eq!(CRC.zeros(5000), THEIRS.checksum(&[0; 5000]));
    }
}
