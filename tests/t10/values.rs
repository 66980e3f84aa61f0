//! Published values, and tuples written out.

use byways::crc::t10::{
    LengthError, Mismatch, Protection, ProtectionType, SectorSize, Tag, Tuple, UnsupportedSectorSize, VerifyError,
    guard,
};

/// SBC-4, table "CRC test cases": 32 bytes and their guard.
fn published() -> [([u8; 32], u16); 5] {
    let mut two = [0; 32];
    two[..2].fill(0xff);
    [
        ([0; 32], 0x0000),
        ([0xff; 32], 0xa293),
        (std::array::from_fn(|i| i as u8), 0x0224),
        (two, 0x21b8),
        (std::array::from_fn(|i| 0xff - i as u8), 0xa0b7),
    ]
}

/// Zeros before the data do not change a CRC that starts at zero, so the published ones are guards of sectors, too.
#[test]
fn published_guards() {
    for (bytes, wanted) in published() {
        assert_eq!(guard(&bytes), wanted);
        for size in SectorSize::ALL {
            let mut data = vec![0; size.bytes()];
            data[size.bytes() - 32..].copy_from_slice(&bytes);
            let mut tuples = [0x77; 8];
            Protection::new(ProtectionType::Type1, size).generate(&data, &mut tuples, 0, 0).unwrap();
            assert_eq!(u16::from_be_bytes([tuples[0], tuples[1]]), wanted, "{size:?}");
        }
    }
    // the check value of the CRC catalogue
    assert_eq!(guard(b"123456789"), 0xd0db);
    // by a bitwise reference
    assert_eq!(guard(&[0xff; 512]), 0xe6a1);
    assert_eq!(guard(&[0xff; 4096]), 0x8b5d);
}

#[test]
fn tuples_written_out() {
    let mut data = [0; 3 * 512];
    data[480..512].fill(0xff);
    data[1535] = 1;
    let generated = |protection_type| {
        let mut tuples = [0x77; 24];
        let protection = Protection::new(protection_type, SectorSize::Bytes512);
        protection.generate(&data, &mut tuples, 0x1234, 0xffff_fffe).unwrap();
        tuples
    };
    let counted = [
        [0xa2, 0x93, 0x12, 0x34, 0xff, 0xff, 0xff, 0xfe],
        [0x00, 0x00, 0x12, 0x34, 0xff, 0xff, 0xff, 0xff],
        [0x8b, 0xb7, 0x12, 0x34, 0x00, 0x00, 0x00, 0x00],
    ];
    assert_eq!(generated(ProtectionType::Type1), *counted.as_flattened());
    assert_eq!(generated(ProtectionType::Type2), *counted.as_flattened());
    let given = [
        [0xa2, 0x93, 0x12, 0x34, 0xff, 0xff, 0xff, 0xfe],
        [0x00, 0x00, 0x12, 0x34, 0xff, 0xff, 0xff, 0xfe],
        [0x8b, 0xb7, 0x12, 0x34, 0xff, 0xff, 0xff, 0xfe],
    ];
    assert_eq!(generated(ProtectionType::Type3), *given.as_flattened());
}

#[test]
fn tuples_from_bytes_and_to_bytes() {
    const TUPLE: Tuple = Tuple::from_bytes([0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]);
    assert_eq!(TUPLE, Tuple { guard: 0x0123, application: 0x4567, reference: 0x89ab_cdef });
    assert_eq!(TUPLE.to_bytes(), [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]);
    for bit in 0..64 {
        let bytes = (1_u64 << bit).to_be_bytes();
        let Tuple { guard, application, reference } = Tuple::from_bytes(bytes);
        let tags = [u64::from(guard) << 48, u64::from(application) << 32, reference.into()];
        assert_eq!(tags.iter().sum::<u64>(), 1 << bit);
        assert_eq!(Tuple { guard, application, reference }.to_bytes(), bytes);
    }
}

#[test]
fn sizes() {
    for (size, bytes, interleaved) in [(SectorSize::Bytes512, 512, 520), (SectorSize::Bytes4096, 4096, 4104)] {
        assert_eq!(SectorSize::new(bytes), Ok(size));
        assert_eq!((size.bytes(), size.interleaved_bytes()), (bytes, interleaved));
    }
    for bytes in [0, 1, 8, 511, 513, 520, 1024, 2048, 4095, 4104, 8192, usize::MAX] {
        assert_eq!(SectorSize::new(bytes), Err(UnsupportedSectorSize { bytes }));
    }
}

/// All of a configuration can be a constant, and says what it is.
#[test]
fn constants() {
    const PROTECTION: Protection = Protection::new(ProtectionType::Type3, SectorSize::Bytes4096)
        .check_guard(false)
        .check_application(0)
        .check_reference(false);
    assert_eq!(PROTECTION.protection_type(), ProtectionType::Type3);
    assert_eq!(PROTECTION.sector_size(), SectorSize::Bytes4096);
    assert_ne!(PROTECTION, Protection::new(ProtectionType::Type3, SectorSize::Bytes4096));
}

#[test]
fn errors_say_what_is_wrong() {
    let mismatch = |tag, expected, found| VerifyError::from(Mismatch { sector: 70, tag, expected, found }).to_string();
    assert_eq!(mismatch(Tag::Guard, 0xa293, 0x1), "guard tag of sector `70` is `0x0001`, expected `0xa293`");
    assert_eq!(mismatch(Tag::Application, 0, 0xffff), "application tag of sector `70` is `0xffff`, expected `0x0000`");
    assert_eq!(
        mismatch(Tag::Reference, 7, 0x8000_0000),
        "reference tag of sector `70` is `0x80000000`, expected `0x00000007`"
    );
    assert_eq!(
        VerifyError::from(LengthError::Sectors { bytes: 521, sector_bytes: 520 }).to_string(),
        "data of `521` bytes are not whole sectors of 520 bytes"
    );
    assert_eq!(
        LengthError::Tuples { bytes: 9, sectors: 2 }.to_string(),
        "tuples of `9` bytes do not fit 2 sectors, which have 8 bytes each"
    );
    assert_eq!(
        UnsupportedSectorSize { bytes: 520 }.to_string(),
        "unsupported sector size `520`; there are `512` and `4096`"
    );
}
