//! In the place of crate `crc`: the same source against either, with equal results.

use crate::subject::{on_every_tier, random};

/// What a user does.
#[derive(Clone, Copy, Debug)]
enum Step {
    Checksum(usize),
    Digest,
    DigestWithInitial(u64),
    Update(usize),
    /// Finishes a clone, which the original does not notice.
    Finalize,
    /// Goes on with a clone of the `Crc`.
    Clone,
}

/// The test source, as a user would write it.
macro_rules! user {
    ($module:ident: $import:item) => {
        mod $module {
            $import
            use super::Step;
            use subject::*;

            /// A model of the user's own: crossed, and of a width that fills no byte.
            const CUSTOM: Algorithm<u32> = Algorithm {
                width: 27,
                poly: 0x5e04635,
                init: 0x7abcdef,
                refin: true,
                refout: false,
                xorout: 0x1234567,
                check: 0,
                residue: 0,
            };

            static SMALL: Crc<u8> = Crc::<u8>::new(&CRC_5_USB);
            static MEDIUM: Crc<u16> = Crc::<u16>::new(&CRC_16_T10_DIF);
            const LARGE: Crc<u32> = Crc::<u32>::new(&CUSTOM);
            static HUGE: Crc<u64> = Crc::<u64>::new(&CRC_64_GO_ISO);
            static STARTED: Digest<'static, u64> = HUGE.digest();
            static AT_ONE: Digest<'static, u16> = MEDIUM.digest_with_initial(1);

            /// A digest that is kept, with what it borrows.
            struct Checked<'a, W: Width> {
                crc: &'a Crc<W>,
                digest: Digest<'a, W>,
            }

            /// What does not depend on the integer.
            fn model<W: Width + Copy + Into<u64>>(crc: &Crc<W>) -> [u64; 6] {
                let algorithm: &'static Algorithm<W> = crc.algorithm;
                let &Algorithm { width, poly, init, refin, refout, xorout, .. } = algorithm;
                [width.into(), poly.into(), init.into(), refin.into(), refout.into(), xorout.into()]
            }

            macro_rules! play {
                ($word:ident, $crc:expr, $script:expr, $bytes:expr, $outcomes:expr) => {{
                    let crc: Crc<$word> = $crc;
                    let (script, bytes): (&[Step], &[u8]) = ($script, $bytes);
                    let outcomes: &mut Vec<u64> = $outcomes;
                    outcomes.extend(model(&crc));
                    let mut own = Checked { crc: &crc, digest: crc.digest() };
                    let clone = crc.clone();
                    for (i, step) in script.iter().enumerate() {
                        match *step {
                            Step::Checksum(len) => outcomes.push(own.crc.checksum(&bytes[i..i + len]).into()),
                            Step::Digest => own.digest = own.crc.digest(),
                            Step::DigestWithInitial(to) => own.digest = own.crc.digest_with_initial(to as $word),
                            Step::Update(len) => own.digest.update(&bytes[i..i + len]),
                            Step::Finalize => outcomes.push(own.digest.clone().finalize().into()),
                            Step::Clone => own = Checked { crc: &clone, digest: clone.digest() },
                        }
                    }
                    outcomes.push(own.digest.finalize().into());
                }};
            }

            pub(super) fn outcomes(script: &[Step], bytes: &[u8]) -> Vec<u64> {
                let mut outcomes = Vec::new();
                play!(u8, SMALL.clone(), script, bytes, &mut outcomes);
                play!(u16, MEDIUM.clone(), script, bytes, &mut outcomes);
                play!(u32, LARGE, script, bytes, &mut outcomes);
                play!(u64, HUGE.clone(), script, bytes, &mut outcomes);
                play!(u16, Crc::<u16>::new(&CRC_12_UMTS), script, bytes, &mut outcomes);
                let (mut started, mut at_one) = (STARTED.clone(), AT_ONE.clone());
                started.update(bytes);
                at_one.update(bytes);
                outcomes.extend([started.finalize(), at_one.finalize().into()]);
                outcomes
            }
        }
    };
}

user!(theirs: use ::crc as subject;);
user!(ours: use byways::crc as subject;);

#[test]
fn the_same_as_crate_crc() {
    on_every_tier(|tier| {
        for seed in 1..=20 {
            let mut random = random(seed << 8);
            let script: Vec<Step> = (0..80)
                .map(|_| {
                    let longest = [1, 20, 200, 2000][random.below(4)];
                    let len = random.below(longest + 1);
                    match random.below(10) {
                        0 | 1 => Step::Checksum(len),
                        2 => Step::Digest,
                        3 => Step::DigestWithInitial(random.number()),
                        4..8 => Step::Update(len),
                        8 => Step::Finalize,
                        _ => Step::Clone,
                    }
                })
                .collect();
            let bytes = random.bytes(2200);
            let (found, wanted) = (ours::outcomes(&script, &bytes), theirs::outcomes(&script, &bytes));
            assert!(found == wanted, "{tier}: {script:?}");
        }
    });
}
