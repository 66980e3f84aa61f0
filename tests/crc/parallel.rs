//! CRCs on several cores: as on one.

use crate::subject::{both, on_every_tier, random};

/// From so many bytes on, data are shared out, as the docs say.
const LARGE: usize = 8 << 20;

/// Lengths around where that begins, and where parts do.
const LENGTHS: [usize; 7] = [0, 1, 100_000, LARGE - 1, LARGE, LARGE + 1, LARGE + (512 << 10) * 3 - 1];

#[test]
fn equals_serial() {
    let bytes = random(51).bytes(4099).repeat(LENGTHS[LENGTHS.len() - 1] / 4099 + 1);
    on_every_tier(|tier| {
        let mut random = random(52);
        for (width, refin, refout) in [(16, false, false), (32, true, true), (64, true, false), (7, false, true)] {
            let model = random.model(width, 64, refin, refout);
            let (ours, theirs) = both(64, &model);
            let mut digest = theirs.digest_with_initial(model.init);
            let mut done = 0;
            for len in LENGTHS {
                digest.update(&bytes[done..len]);
                done = len;
                assert_eq!(ours.par_checksum(&bytes[..len]), digest.so_far(), "{tier}, {model:x?}, {len} bytes");
            }
        }
    });
}
