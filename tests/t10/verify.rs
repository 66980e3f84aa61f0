//! Every wrong bit is found, where it is and as what it is; the first of several; escapes.

use byways::crc::t10::{Mismatch, ProtectionType, Tag, Tuple};

use crate::model::Call;
use crate::subject::{Random, Sectors, call, kinds};

#[test]
fn every_bit_of_a_tuple() {
    let mut random = Random(4);
    for (kind, size) in kinds() {
        let call = call(kind, 0x1234, 0xffff_ffff);
        let right = Sectors::new(size, random.bytes(3 * size.bytes()), &call);
        for sector in 0..3 {
            for bit in 0..64 {
                let mut wrong = right.clone();
                wrong.tuples[sector * 8 + bit / 8] ^= 0x80 >> (bit % 8);
                let place = sector * 8;
                let tuple = |sectors: &Sectors| {
                    Tuple::from_bytes(sectors.tuples[place..place + 8].try_into().expect("8 bytes are a tuple"))
                };
                let (expected, found) = (tuple(&right), tuple(&wrong));
                let wanted = match bit {
                    0..16 => Some((Tag::Guard, expected.guard.into(), found.guard.into())),
                    16..32 => Some((Tag::Application, 0x1234, found.application.into())),
                    _ if kind == ProtectionType::Type3 => None,
                    _ => Some((Tag::Reference, expected.reference, found.reference)),
                };
                let wanted = wanted.map(|(tag, expected, found)| Mismatch { sector, tag, expected, found });
                assert_eq!(wrong.verify(&call).err(), wanted, "{kind:?}, {size:?}, bit {bit} of sector {sector}");
            }
        }
    }
}

#[test]
fn bits_of_data() {
    let mut random = Random(5);
    for (kind, size) in kinds() {
        let call = call(kind, 0x1234, 9);
        let right = Sectors::new(size, random.bytes(3 * size.bytes()), &call);
        let bits = 8 * size.bytes();
        for sector in 0..3 {
            for bit in (0..8).chain(bits - 8..bits).chain((0..30).map(|_| random.below(bits))) {
                let mut wrong = right.clone();
                let place = sector * size.bytes();
                wrong.data[place + bit / 8] ^= 0x80 >> (bit % 8);
                let tuple = call.tuple(sector, &wrong.data[place..place + size.bytes()]);
                let expected = u16::from_be_bytes([tuple[0], tuple[1]]).into();
                let found = u16::from_be_bytes([right.tuples[sector * 8], right.tuples[sector * 8 + 1]]).into();
                assert_ne!(expected, found, "a CRC finds every single bit");
                let wanted = Mismatch { sector, tag: Tag::Guard, expected, found };
                assert_eq!(wrong.verify(&call), Err(wanted), "{kind:?}, {size:?}, bit {bit} of sector {sector}");
            }
        }
    }
}

/// Tags that the sectors do not have.
#[test]
fn other_tags_than_expected() {
    for (kind, size) in kinds() {
        let right = call(kind, 0x1234, 9);
        let sectors = Sectors::new(size, Random(6).bytes(2 * size.bytes()), &right);
        let wanted = Mismatch { sector: 0, tag: Tag::Application, expected: 0x1235, found: 0x1234 };
        assert_eq!(sectors.verify(&Call { application: 0x1235, ..right }), Err(wanted));
        let wanted = Mismatch { sector: 0, tag: Tag::Reference, expected: 10, found: 9 };
        let wanted = if kind == ProtectionType::Type3 { Ok(()) } else { Err(wanted) };
        assert_eq!(sectors.verify(&Call { reference: 10, ..right }), wanted);
    }
}

/// The first sector with a wrong tag, and of it the first tag.
#[test]
fn the_first_of_several() {
    for (kind, size) in kinds() {
        let call = call(kind, 0x1234, 9);
        let mut sectors = Sectors::new(size, Random(7).bytes(20 * size.bytes()), &call);
        let mut wrong = |byte: usize, sector, tag| {
            sectors.tuples[byte] ^= 1;
            let error = sectors.verify(&call).unwrap_err();
            assert_eq!((error.sector, error.tag), (sector, tag), "{kind:?}, {size:?}");
        };
        wrong(19 * 8 + 1, 19, Tag::Guard);
        wrong(17 * 8 + 3, 17, Tag::Application);
        wrong(16 * 8 + 1, 16, Tag::Guard);
        wrong(9 * 8 + 3, 9, Tag::Application);
        wrong(9 * 8, 9, Tag::Guard);
        if kind != ProtectionType::Type3 {
            wrong(8 * 8 + 7, 8, Tag::Reference);
            wrong(8 * 8 + 2, 8, Tag::Application);
            wrong(8 * 8, 8, Tag::Guard);
        }
        wrong(1, 0, Tag::Guard);
    }
}

/// An escape is passed over, whatever else is in it; its neighbours are not, and the reference tag counts on.
#[test]
fn escapes() {
    for (kind, size) in kinds() {
        let call = call(kind, 0x1234, 0xffff_fffe);
        let right = Sectors::new(size, Random(8).bytes(5 * size.bytes()), &call);
        for sector in 0..5 {
            for (application, reference) in [
                (0xffff, 0xffff_ffff),
                (0xffff, 0),
                (0xffff, 0xffff_fffe),
                (0xfffe, 0xffff_ffff),
                (0x7fff, 0xffff_ffff),
            ] {
                let guard = wrong_guard(&right, sector);
                let mut sectors = right.clone();
                let tuple = Tuple { guard, application, reference };
                sectors.tuples[sector * 8..sector * 8 + 8].copy_from_slice(&tuple.to_bytes());
                let escape = match kind {
                    ProtectionType::Type1 | ProtectionType::Type2 => application == 0xffff,
                    ProtectionType::Type3 => application == 0xffff && reference == 0xffff_ffff,
                };
                assert_eq!(kind.escapes(tuple), escape);
                let what = format!("{kind:?}, {size:?}, {tuple:x?} in sector {sector}");
                let error = sectors.verify(&call).err();
                assert_eq!(
                    error.map(|error| (error.sector, error.tag)),
                    (!escape).then_some((sector, Tag::Guard)),
                    "{what}"
                );
                if escape {
                    for other in (0..5).filter(|&other| other != sector) {
                        let mut wrong = sectors.clone();
                        wrong.data[other * size.bytes()] ^= 1;
                        let error = wrong.verify(&call).unwrap_err();
                        assert_eq!((error.sector, error.tag), (other, Tag::Guard), "{what}");
                    }
                }
            }
        }
        let all = Sectors { tuples: vec![0xff; 40], ..right };
        assert_eq!(all.verify(&call), Ok(()));
    }
}

/// Another guard than the sector has.
fn wrong_guard(right: &Sectors, sector: usize) -> u16 {
    u16::from_be_bytes([right.tuples[sector * 8], right.tuples[sector * 8 + 1]]) ^ 0x0100
}

/// Tags and data at random, near enough to right that every tag is the first wrong one now and then.
#[test]
fn as_the_model() {
    let mut random = Random(9);
    // by tag, in three types; the last is for none
    let mut seen = [[0; 4]; 3];
    for (i, (kind, size)) in kinds().enumerate() {
        for _ in 0..400 {
            let call = Call {
                protection_type: kind,
                application: if random.below(4) == 0 { 0xffff } else { random.number() as u16 },
                reference: (random.below(40) as u32).wrapping_sub(20),
                guard_checked: random.below(3) > 0,
                mask: [0xffff, 0, 0x00ff, 0xff00, random.number() as u16][random.below(5)],
                reference_checked: random.below(3) > 0,
            };
            let count = random.below(12);
            let data = random.bytes(count * size.bytes());
            let mut sectors = Sectors::new(size, data, &call);
            for _ in 0..random.below(5) {
                if count == 0 {
                    break;
                }
                let sector = random.below(count);
                let tuple = &mut sectors.tuples[sector * 8..sector * 8 + 8];
                match random.below(6) {
                    0 => sectors.data[sector * size.bytes() + random.below(size.bytes())] ^= 4,
                    1 => tuple[2..4].fill(0xff),
                    2 => tuple[2..8].fill(0xff),
                    3 => tuple[random.below(2)] ^= 1 << random.below(8),
                    4 => tuple[2 + random.below(2)] ^= 1 << random.below(8),
                    _ => tuple[4 + random.below(4)] ^= 1 << random.below(8),
                }
            }
            let wanted = sectors.wanted(&call);
            assert_eq!(sectors.verify(&call), wanted, "{call:?}, {size:?}, tuples {:x?}", sectors.tuples);
            let tag = wanted.err().map_or(3, |error| error.tag as usize);
            seen[i / 2][tag] += 1;
        }
    }
    for (kind, seen) in ProtectionType::ALL.into_iter().zip(seen) {
        let references = kind != ProtectionType::Type3;
        assert!(seen[0] > 9 && seen[1] > 9 && seen[3] > 9 && (seen[2] > 9) == references, "{kind:?}: {seen:?}");
    }
}
