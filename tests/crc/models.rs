//! Models at random, of every width in every integer that holds it, against crate `crc`. And what a `Crc` is beside its
//! values: what it refuses, what it prints, where it can stand.

use std::io::Write;
use std::panic::catch_unwind;

use byways::crc::{Algorithm, CRC_7_MMC, CRC_32_ISCSI, CRC_32_MEF, CRC_64_MS, Crc, Digest};

use crate::subject::{both, integers, of_pieces, on_every_tier, random};

/// Calls `check` with every width, every integer that holds it, and every reflection.
pub(crate) fn every_kind(mut check: impl FnMut(u8, u32, bool, bool)) {
    for width in 1..=64 {
        for bits in integers(width) {
            for (refin, refout) in [(false, false), (false, true), (true, false), (true, true)] {
                check(width, bits, refin, refout);
            }
        }
    }
}

#[test]
fn of_every_width_and_reflection() {
    const LONGEST: usize = 300;
    on_every_tier(|tier| {
        let mut random = random(7);
        every_kind(|width, bits, refin, refout| {
            let model = random.model(width, bits, refin, refout);
            let what = format!("{tier}, {bits} bits, {model:x?}");
            let bytes = random.bytes(LONGEST);
            let (ours, theirs) = both(bits, &model);
            let wanted = theirs.prefixes(model.init, &bytes);
            for (len, &wanted) in wanted.iter().enumerate() {
                assert_eq!(ours.checksum(&bytes[..len]), wanted, "{what}, {len} bytes");
            }
            // in pieces, from `init` and from another initial register
            let initial = random.number();
            let started = theirs.prefixes(initial, &bytes);
            for _ in 0..8 {
                let len = random.below(LONGEST + 1);
                let pieces = random.pieces(&bytes[..len]);
                let what = || format!("{what}, {:?}", pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>());
                assert_eq!(of_pieces(ours.digest(), pieces.iter().copied()), wanted[len], "{}", what());
                let found = of_pieces(ours.digest_with_initial(initial), pieces.iter().copied());
                assert_eq!(found, started[len], "{}, from {initial:#x}", what());
            }
        });
    });
}

/// Long enough for every loop of a kernel.
#[test]
fn of_long_messages() {
    let bytes = random(8).bytes(70_000);
    on_every_tier(|tier| {
        let mut random = random(9);
        for width in [1, 3, 8, 13, 16, 24, 31, 32, 33, 40, 63, 64] {
            for (refin, refout) in [(false, false), (false, true), (true, false), (true, true)] {
                let bits = integers(width).next().expect("an integer that holds it");
                let model = random.model(width, bits, refin, refout);
                let (ours, theirs) = both(bits, &model);
                let len = bytes.len() - random.below(5000);
                let wanted = of_pieces(theirs.digest_with_initial(model.init), [&bytes[..len]]);
                let what = format!("{tier}, {model:x?}, {len} bytes");
                assert_eq!(ours.checksum(&bytes[..len]), wanted, "{what}");
                let cut = random.below(len);
                assert_eq!(of_pieces(ours.digest(), [&bytes[..cut], &bytes[cut..len]]), wanted, "{what}, cut at {cut}");
            }
        }
    });
}

/// Of the widths that an integer does not hold, none is taken.
#[test]
fn widths_that_do_not_fit_are_refused() {
    macro_rules! refused {
        ($($word:ident)*) => {
            $(
                for width in [0, $word::BITS as u8 + 1, 65, 128, 255] {
                    let algorithm: Algorithm<$word> = Algorithm {
                        width,
                        poly: 1,
                        init: 0,
                        refin: true,
                        refout: true,
                        xorout: 0,
                        check: 0,
                        residue: 0,
                    };
                    let algorithm = &*Box::leak(Box::new(algorithm));
                    let refused = catch_unwind(|| Crc::<$word>::new(algorithm)).expect_err("too wide");
                    let message = refused.downcast_ref::<&str>().expect("a message");
                    assert!(message.contains(concat!("`", stringify!($word), "`")), "{message}");
                }
            )*
        };
    }
    refused!(u8 u16 u32 u64);
}

#[test]
#[should_panic(expected = "the `width` of an algorithm in `u16` is 1 to its bits")]
fn a_width_of_17_bits_in_16_panics() {
    static TOO_WIDE: Algorithm<u16> = Algorithm { width: 17, ..byways::crc::CRC_16_ARC };
    let _ = Crc::<u16>::new(&TOO_WIDE);
}

#[test]
fn a_digest_is_a_writer() {
    static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
    let bytes = random(10).bytes(100_000);
    let mut digest = CRC.digest();
    assert_eq!(digest.write(&bytes[..5]).unwrap(), 5);
    assert_eq!(digest.write(&[]).unwrap(), 0);
    digest.write_all(&bytes[5..100]).unwrap();
    assert_eq!(std::io::copy(&mut &bytes[100..], &mut digest).unwrap(), 99_900);
    digest.flush().unwrap();
    assert_eq!(digest.finalize(), CRC.checksum(&bytes));
}

#[test]
fn what_is_printed() {
    let crc = Crc::<u32>::new(&CRC_32_MEF);
    assert_eq!(format!("{crc:?}"), "Crc { width: 32, poly: 0x741b8cd7, .. }");
    let mut digest = crc.digest();
    digest.update(b"123456789");
    assert_eq!(format!("{digest:?}"), format!("Digest {{ crc: {:#x}, .. }}", CRC_32_MEF.check));
}

/// In constants, in statics and across threads.
#[test]
fn where_it_can_stand() {
    const MMC: Crc<u8> = Crc::<u8>::new(&CRC_7_MMC);
    static MS: Crc<u64> = Crc::<u64>::new(&CRC_64_MS);
    static RUNNING: Digest<'static, u64> = MS.digest();
    static OTHER: Digest<'static, u64> = MS.digest_with_initial(CRC_64_MS.init);
    let check = std::thread::spawn(|| {
        let (mut digest, mut other) = (RUNNING.clone(), OTHER.clone());
        digest.update(b"123456789");
        other.update(b"123456789");
        (digest.finalize(), other.finalize())
    });
    assert_eq!(MMC.checksum(b"123456789"), CRC_7_MMC.check);
    assert_eq!(check.join().unwrap(), (CRC_64_MS.check, CRC_64_MS.check));
}
