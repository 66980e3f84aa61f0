//! Checks that are switched off, and the mask.

use byways::crc::t10::{Mismatch, Protection, ProtectionType, Tag};

use crate::model::Call;
use crate::subject::{Random, Sectors, call, kinds};

/// A byte of each tag in the tuple of sector 1.
const PLACES: [(Tag, usize); 3] = [(Tag::Guard, 8), (Tag::Application, 11), (Tag::Reference, 12)];

#[test]
fn all_on_by_default() {
    for (kind, size) in kinds() {
        let default = Protection::new(kind, size);
        assert_eq!(default, default.check_guard(true).check_application(0xffff).check_reference(true));
        for off in [default.check_guard(false), default.check_application(0xfffe), default.check_reference(false)] {
            assert_ne!(default, off);
        }
    }
}

/// Of each set of checks, those find what is wrong that are on.
#[test]
fn each_on_and_off() {
    for (kind, size) in kinds() {
        let all = call(kind, 0x1234, 9);
        let right = Sectors::new(size, Random(10).bytes(3 * size.bytes()), &all);
        for set in 0..8 {
            let (guard_checked, mask) = (set & 4 != 0, if set & 2 != 0 { 0xffff } else { 0 });
            let call = Call { guard_checked, mask, reference_checked: set & 1 != 0, ..all };
            let on = |tag| match tag {
                Tag::Guard => call.guard_checked,
                Tag::Application => call.mask != 0,
                Tag::Reference => call.reference_checked && kind != ProtectionType::Type3,
            };
            assert_eq!(right.verify(&call), Ok(()), "{call:?}");
            let mut wrong_in_all = right.clone();
            for (tag, byte) in PLACES {
                let mut wrong = right.clone();
                wrong.tuples[byte] ^= 0x10;
                wrong_in_all.tuples[byte] ^= 0x10;
                let found = wrong.verify(&call).err().map(|error| (error.sector, error.tag));
                assert_eq!(found, on(tag).then_some((1, tag)), "{call:?}, {size:?}");
            }
            let found = wrong_in_all.verify(&call).err().map(|error| error.tag);
            let first = PLACES.into_iter().map(|(tag, _)| tag).find(|&tag| on(tag));
            assert_eq!(found, first, "{call:?}, {size:?}");
        }
    }
}

/// A bit is compared if it is set in the mask. Those that are not are as found in what is expected.
#[test]
fn masks() {
    for (kind, size) in kinds() {
        for mask in [0, 1, 0x8000, 0x00ff, 0xff00, 0x5a5a, 0xfffe, 0xffff] {
            let call = Call { mask, ..call(kind, 0x1234, 9) };
            let right = Sectors::new(size, Random(11).bytes(size.bytes()), &call);
            for bit in 0..16 {
                let found = 0x1234_u16 ^ 1 << bit;
                let mut wrong = right.clone();
                wrong.tuples[2..4].copy_from_slice(&found.to_be_bytes());
                let wanted = Mismatch { sector: 0, tag: Tag::Application, expected: 0x1234, found: found.into() };
                let wanted = if mask & 1 << bit != 0 { Err(wanted) } else { Ok(()) };
                assert_eq!(wrong.verify(&call), wanted, "{call:?}, {size:?}");
            }
            let mut wrong = right;
            wrong.tuples[2..4].copy_from_slice(&[0xed, 0xcb]);
            let expected = u32::from(0xedcb & !mask | 0x1234 & mask);
            let wanted = Mismatch { sector: 0, tag: Tag::Application, expected, found: 0xedcb };
            assert_eq!(wrong.verify(&call), if mask == 0 { Ok(()) } else { Err(wanted) }, "{call:?}, {size:?}");
        }
    }
}

/// With the guard check off, wrong data are no matter.
#[test]
fn data_without_guard_check() {
    for (kind, size) in kinds() {
        let on = call(kind, 0x1234, 9);
        let off = Call { guard_checked: false, ..on };
        let mut sectors = Sectors::new(size, Random(12).bytes(2 * size.bytes()), &on);
        sectors.data.fill(0);
        assert_eq!(sectors.verify(&off), Ok(()));
        assert_eq!(sectors.verify(&on).map_err(|error| error.tag), Err(Tag::Guard));
    }
}
