//! Tuples as the model makes them, which then are found right.

use byways::crc::t10::{Protection, ProtectionType};

use crate::subject::{Random, Sectors, call, kinds};

const COUNTS: [usize; 10] = [0, 1, 2, 3, 7, 8, 9, 16, 17, 33];

#[test]
fn as_the_model_and_right() {
    let mut random = Random(1);
    for (kind, size) in kinds() {
        for count in COUNTS {
            for first in [0, 1, 0x1234_5678, 0x7fff_fffc, 0xffff_fffb, 0xffff_ffff] {
                let application = random.number() as u16;
                let what = format!("{kind:?}, {size:?}, {count} sectors from {first:#x}, {application:#x}");
                let call = call(kind, application, first);
                let data = random.bytes(count * size.bytes());
                let wanted = Sectors::new(size, data, &call);

                let protection = Protection::new(kind, size);
                let mut separate = Sectors { tuples: random.bytes(count * 8), ..wanted.clone() };
                let mut interleaved = separate.interleaved();
                protection.generate(&separate.data, &mut separate.tuples, application, first).unwrap();
                assert!(separate == wanted, "{what}");
                protection.generate_interleaved(&mut interleaved, application, first).unwrap();
                assert!(interleaved == wanted.interleaved(), "{what}, interleaved");

                assert_eq!(separate.verify(&call), Ok(()), "{what}");
            }
        }
    }
}

/// What is checked is no matter for what is written.
#[test]
fn checks_do_not_change_what_is_written() {
    let mut random = Random(2);
    for (kind, size) in kinds() {
        let call = call(kind, 0xabcd, 0xffff_ffff);
        let data = random.bytes(2 * size.bytes());
        let wanted = Sectors::new(size, data, &call);
        let off = Protection::new(kind, size).check_guard(false).check_application(0).check_reference(false);
        let mut tuples = [0x77; 16];
        off.generate(&wanted.data, &mut tuples, call.application, call.reference).unwrap();
        assert_eq!(tuples, *wanted.tuples);
        let mut interleaved = Sectors { tuples: vec![0x77; 16], ..wanted.clone() }.interleaved();
        off.generate_interleaved(&mut interleaved, call.application, call.reference).unwrap();
        assert!(interleaved == wanted.interleaved());
    }
}

/// After 0xffffffff comes 0: two calls that meet there make what one does.
#[test]
fn reference_tags_wrap() {
    for (kind, size) in kinds() {
        let protection = Protection::new(kind, size);
        let data = Random(3).bytes(4 * size.bytes());
        let (before, behind) = data.split_at(2 * size.bytes());
        let first = 0xffff_fffe;
        let next = if kind == ProtectionType::Type3 { first } else { 0 };
        let (mut whole, mut parts) = ([0; 32], [0; 32]);
        protection.generate(&data, &mut whole, 1, first).unwrap();
        protection.generate(before, &mut parts[..16], 1, first).unwrap();
        protection.generate(behind, &mut parts[16..], 1, next).unwrap();
        assert_eq!(whole, parts, "{kind:?}, {size:?}");
        assert_eq!(protection.verify(&data, &parts, 1, first), Ok(()), "{kind:?}, {size:?}");
        assert_eq!(protection.verify(behind, &whole[16..], 1, next), Ok(()), "{kind:?}, {size:?}");
    }
}
