//! Every model of the catalogue: what the catalogue says of it, and every length against crate `crc`.

use byways::crc::Algorithm;
use byways::crc::catalogue::{AnyAlgorithm, CATALOGUE};

use crate::subject::{Fenced, both, on_every_tier, ours, random};

/// Bits of the integer that the catalogue has the model in.
fn bits(algorithm: AnyAlgorithm) -> u32 {
    match algorithm {
        AnyAlgorithm::U8(_) => 8,
        AnyAlgorithm::U16(_) => 16,
        AnyAlgorithm::U32(_) => 32,
        AnyAlgorithm::U64(_) => 64,
    }
}

/// Calls `check` with each model on each tier.
fn with_every_model(check: impl Fn(&str, u32, &Algorithm<u64>)) {
    assert_eq!(CATALOGUE.len(), 112);
    on_every_tier(|width| {
        for model in CATALOGUE {
            check(&format!("{}, {width}", model.name), bits(model.algorithm), &model.algorithm.wide());
        }
    });
}

#[test]
fn check_values() {
    with_every_model(|what, bits, model| {
        let crc = ours(bits, model);
        assert_eq!(crc.checksum(b"123456789"), model.check, "{what}");
        assert_eq!(crc.another().checksum(b"123456789"), model.check, "{what}, a clone");
        assert_eq!(crc.algorithm(), *model, "{what}");
    });
}

/// The register after a message and its CRC is as if it had started as `xorout` and read as many zero bits as it has. So
/// it is, too, if it starts as 0 and reads `xorout` for the CRC, with zero bits before it that fill its first byte.
#[test]
fn residues() {
    with_every_model(|what, bits, model| {
        let unused = 64 - u32::from(model.width);
        let xorout = if model.refout { model.xorout.reverse_bits() >> unused } else { model.xorout };
        let mut codeword = xorout.to_be_bytes()[8 - usize::from(model.width).div_ceil(8)..].to_vec();
        if model.refin {
            codeword.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
        }
        let crc = ours(bits, model);
        let mut digest = crc.digest_with_initial(0);
        digest.update(&codeword);
        assert_eq!(digest.so_far() ^ model.xorout, model.residue, "{what}");
    });
}

#[test]
fn every_length() {
    const LONGEST: usize = 1600;
    let bytes = Fenced::new(&random(31).bytes(LONGEST), 0);
    with_every_model(|what, bits, model| {
        let (ours, theirs) = both(bits, model);
        for (len, wanted) in theirs.prefixes(model.init, bytes.inside()).into_iter().enumerate() {
            assert_eq!(ours.checksum(&bytes.inside()[..len]), wanted, "{what}, {len} bytes");
        }
    });
}
