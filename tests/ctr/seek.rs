//! From any place to any other, with calls of any length on either side.

use byways::ctr::Field;

use crate::family::oracle;
use crate::subject::keys;

/// What was kept of a block that was begun is used for that block only.
#[test]
fn from_everywhere_to_everywhere() {
    const NEAR: usize = 35;
    for (i, (key, bytes, what)) in keys().enumerate() {
        let (field, counter) = (Field::ALL[i % 3], u128::MAX - 1);
        let mut keystream = [0; NEAR + 200];
        oracle(&bytes, counter, field, &mut keystream);
        for from in 0..NEAR {
            for to in 0..NEAR {
                let mut stream = key.lend(field, counter);
                let mut check = |calls: &[usize]| {
                    for &bytes in calls {
                        let at = stream.position().expect("a position near the start") as usize;
                        let mut data = [0; 100];
                        stream.apply_keystream(&mut data[..bytes]);
                        let wanted = &keystream[at..at + bytes];
                        assert_eq!(data[..bytes], *wanted, "{what}, {field:?}: from {from} to {to}, {bytes} at {at}");
                    }
                    assert!(stream.go_to(to as u128));
                };
                // in two calls, the second of which may keep a block
                check(&[from / 2, from - from / 2]);
                check(&[1 + from % 20, 3, 16 + from % 5, 2]);
                check(&[100, 1]);
            }
        }
    }
}
