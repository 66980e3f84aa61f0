//! Lengths that do not fit: an error, and nothing is written.

use byways::crc::t10::{LengthError, Protection, SectorSize};

use crate::subject::kinds;

/// Lengths around that many units, and some more.
fn lengths(unit: usize) -> Vec<usize> {
    let near =
        (0..4).flat_map(|count| [count * unit, count * unit + 1, count * unit + unit / 2, count * unit + unit - 1]);
    near.chain([8, 16]).collect()
}

fn separate(protection: Protection, data: usize, tuples: usize) -> Result<(), LengthError> {
    let (data, before) = (vec![0x5a; data], vec![0x77; tuples]);
    let mut tuples = before.clone();
    let result = protection.generate(&data, &mut tuples, 0x1234, 9);
    assert!(result.is_ok() || tuples == before, "written in spite of an error");
    // a length is wrong, whatever is in the tuples
    for tuples in [&tuples, &before] {
        let verified = protection.verify(&data, tuples, 0x1234, 9);
        match result {
            Err(error) => assert_eq!(verified, Err(error.into())),
            Ok(()) => assert_eq!(verified.is_ok(), tuples.is_empty() || *tuples != before),
        }
    }
    result
}

#[test]
fn in_a_buffer_of_their_own() {
    for (kind, size) in kinds() {
        let protection = Protection::new(kind, size);
        for data in lengths(size.bytes()) {
            for tuples in lengths(8) {
                let wanted = if data % size.bytes() != 0 {
                    Err(LengthError::Sectors { bytes: data, sector_bytes: size.bytes() })
                } else if tuples != data / size.bytes() * 8 {
                    Err(LengthError::Tuples { bytes: tuples, sectors: data / size.bytes() })
                } else {
                    Ok(())
                };
                assert_eq!(separate(protection, data, tuples), wanted, "{kind:?}, {data} and {tuples} bytes");
            }
        }
    }
}

#[test]
fn interleaved() {
    for (kind, size) in kinds() {
        let protection = Protection::new(kind, size);
        let bytes = size.interleaved_bytes();
        for len in lengths(bytes).into_iter().chain(lengths(size.bytes())) {
            let before = vec![0x5a; len];
            let mut sectors = before.clone();
            let result = protection.generate_interleaved(&mut sectors, 0x1234, 9);
            let wrong = Err(LengthError::Sectors { bytes: len, sector_bytes: bytes });
            assert_eq!(result, if len % bytes == 0 { Ok(()) } else { wrong }, "{kind:?}, {len} bytes");
            assert_eq!(sectors != before, result.is_ok() && len > 0, "{kind:?}, {len} bytes");
            let verified = protection.verify_interleaved(&sectors, 0x1234, 9);
            assert_eq!(verified, result.map_err(Into::into));
        }
    }
}

/// No sectors are right, and their tuples are none.
#[test]
fn no_sectors() {
    for (kind, size) in kinds() {
        let protection = Protection::new(kind, size);
        assert_eq!(separate(protection, 0, 0), Ok(()));
        assert_eq!(separate(protection, 0, 8), Err(LengthError::Tuples { bytes: 8, sectors: 0 }));
        assert_eq!(separate(protection, size.bytes(), 0), Err(LengthError::Tuples { bytes: 0, sectors: 1 }));
        assert_eq!(protection.generate_interleaved(&mut [], 0x1234, 9), Ok(()));
        assert_eq!(protection.verify_interleaved(&[], 0x1234, 9), Ok(()));
    }
}

/// Sectors of one size are not taken for those of the other: their tuples are not as many.
#[test]
fn sectors_of_another_size() {
    for (kind, size) in kinds() {
        let (sectors, tuples) = match size {
            SectorSize::Bytes512 => (8, 8),
            SectorSize::Bytes4096 => (1, 64),
        };
        let result = separate(Protection::new(kind, size), 4096, tuples);
        assert_eq!(result, Err(LengthError::Tuples { bytes: tuples, sectors }), "{kind:?}, {size:?}");
    }
}
