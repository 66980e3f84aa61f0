//! CRCs of what is copied.

use std::panic::{AssertUnwindSafe, catch_unwind};

use byways::crc::{CRC_32_ISO_HDLC, Crc};

use crate::subject::{Fenced, both, of_pieces, on_every_tier, random};

#[test]
fn equals_checksum_and_copies() {
    on_every_tier(|tier| {
        let mut random = random(41);
        for (i, len) in [0, 1, 15, 16, 100, 8191, 8192, 8193, 16384, 16385, 20_011, 40_960].into_iter().enumerate() {
            for width in [5, 16, 32, 64] {
                let model = random.model(width, 64, i % 2 == 0, i / 2 % 2 == 0);
                let (ours, theirs) = both(64, &model);
                let src = Fenced::new(&random.bytes(len), random.below(64));
                let mut dst = Fenced::new(&random.bytes(len), random.below(64));
                let wanted = of_pieces(theirs.digest_with_initial(model.init), [src.inside()]);
                assert_eq!(ours.copy(src.inside(), dst.inside_mut()), wanted, "{tier}, {model:x?}, {len} bytes");
                assert!(dst.inside() == src.inside() && dst.stands(), "{tier}, {model:x?}, {len} bytes");
            }
        }
    });
}

/// Nothing is written, then.
#[test]
fn unequal_lengths_panic() {
    static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
    for (from, to) in [(0, 1), (1, 0), (20_000, 19_999), (20_000, 20_001), (8192, 16384)] {
        let mut dst = vec![0x3c; to];
        let panic = catch_unwind(AssertUnwindSafe(|| CRC.copy(&vec![7; from], &mut dst))).expect_err("unequal lengths");
        let message = panic.downcast_ref::<String>().expect("a message");
        assert!(message.contains(&format!("`{from}`")) && message.contains(&format!("`{to}`")), "{message}");
        assert!(dst.iter().all(|byte| *byte == 0x3c), "{from} bytes to {to}");
    }
}
