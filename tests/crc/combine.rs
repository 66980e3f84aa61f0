//! What is said of bytes that are not read: combined, continued, zeros. Short ones against crate `crc`; lengths that
//! nobody reads against powers of a matrix.

use byways::crc::Algorithm;

use crate::models::every_kind;
use crate::subject::{both, of_pieces, on_every_tier, random};

#[test]
fn of_every_width_and_reflection() {
    let mut random = random(17);
    every_kind(|width, bits, refin, refout| {
        let model = random.model(width, bits, refin, refout);
        let (ours, theirs) = both(bits, &model);
        let bytes = random.bytes(700);
        let whole = theirs.prefixes(model.init, &bytes);
        let empty = whole[0];
        for i in 0..12 {
            let what = || format!("{bits} bits, {model:x?}");
            // empty halves among them
            let end = random.below(701);
            let cut = [0, end, random.below(end + 1), random.below(end + 1)][i % 4];
            let (a, b) = (whole[cut], of_pieces(theirs.digest_with_initial(model.init), [&bytes[cut..end]]));
            let len_b = (end - cut) as u64;
            assert_eq!(ours.combine(a, b, len_b), whole[end], "{}, {cut} + {len_b} bytes", what());
            assert_eq!(ours.combine(a, empty, 0), a, "{}, nothing behind {cut} bytes", what());
            assert_eq!(ours.combine(empty, b, len_b), b, "{}, nothing before {len_b} bytes", what());
            let resumed = of_pieces(ours.resume(a), [&bytes[cut..end]]);
            assert_eq!(resumed, whole[end], "{}, resumed at {cut} of {end} bytes", what());
            // what is above the width does not count
            let above = u64::MAX << (width - 1) << 1;
            let resumed = of_pieces(ours.resume(a ^ above), [&bytes[cut..end]]);
            assert_eq!(resumed, whole[end], "{}, resumed at {cut} of {end} bytes", what());
            let noise = random.number() & above;
            assert_eq!(ours.combine(a ^ noise, b ^ noise, len_b), whole[end], "{}, {cut} + {len_b} bytes", what());
        }
        let zeros = theirs.prefixes(model.init, &[0; 100]);
        for (len, &wanted) in zeros.iter().enumerate() {
            assert_eq!(ours.zeros(len as u64), wanted, "{bits} bits, {model:x?}: {len} zeros");
        }
    });
}

/// What a kernel makes of a resumed register, on every tier.
#[test]
fn resumed_on_every_tier() {
    on_every_tier(|tier| {
        let mut random = random(18);
        for width in 1..=64 {
            for (refin, refout) in [(false, false), (false, true), (true, false), (true, true)] {
                let model = random.model(width, 64, refin, refout);
                let (ours, theirs) = both(64, &model);
                let bytes = random.bytes(400);
                let whole = theirs.prefixes(model.init, &bytes);
                for cut in [0, 1, random.below(400), 400] {
                    let resumed = of_pieces(ours.resume(whole[cut]), random.pieces(&bytes[cut..]));
                    assert_eq!(resumed, whole[400], "{tier}, {model:x?}, cut at {cut}");
                }
            }
        }
    });
}

/// What bytes that are zero do to a register that is not reflected: a linear map, as the images of its bits.
#[derive(Clone)]
struct Matrix(Vec<u64>);

impl Matrix {
    /// Of one byte, by crate `crc`.
    fn byte(model: &Algorithm<u64>) -> Self {
        let &Algorithm { width, poly, .. } = model;
        let plain = Algorithm { width, poly, init: 0, refin: false, refout: false, xorout: 0, check: 0, residue: 0 };
        let (_, theirs) = both(64, &plain);
        Matrix((0..width).map(|bit| of_pieces(theirs.digest_with_initial(1 << bit), [&[0][..]])).collect())
    }

    fn apply(&self, register: u64) -> u64 {
        let images = self.0.iter().enumerate().filter(|(bit, _)| register >> bit & 1 != 0);
        images.fold(0, |sum, (_, image)| sum ^ image)
    }

    /// Of each power of two, the map of so many bytes.
    fn doubled(self) -> Vec<Matrix> {
        let double = |last: &Matrix| Some(Matrix(last.0.iter().map(|&image| last.apply(image)).collect()));
        std::iter::successors(Some(self), double).take(64).collect()
    }
}

/// The model's registers before and after so many zero bytes, and CRCs from and to registers, by definition.
struct Reference {
    model: Algorithm<u64>,
    powers: Vec<Matrix>,
}

impl Reference {
    fn new(model: Algorithm<u64>) -> Self {
        Reference { model, powers: Matrix::byte(&model).doubled() }
    }

    fn after_zeros(&self, register: u64, len: u64) -> u64 {
        let powers = self.powers.iter().enumerate().filter(|(i, _)| len >> i & 1 != 0);
        powers.fold(register, |register, (_, power)| power.apply(register))
    }

    fn reflected(&self, value: u64) -> u64 {
        if self.model.refout { value.reverse_bits() >> (64 - self.model.width) } else { value }
    }

    fn zeros(&self, len: u64) -> u64 {
        self.reflected(self.after_zeros(self.model.init, len)) ^ self.model.xorout
    }

    /// The second message's CRC, with what another register before it changes.
    fn combine(&self, a: u64, b: u64, len_b: u64) -> u64 {
        let before = self.reflected(a ^ self.model.xorout);
        b ^ self.reflected(self.after_zeros(before ^ self.model.init, len_b))
    }
}

#[test]
fn of_lengths_up_to_2_to_64() {
    let mut random = random(19);
    let lengths = |random: &mut crate::subject::Random<_>| {
        let edges = [u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, (1 << 32) + 1, 1 << 32, u32::MAX.into(), 1 << 61];
        let (all, some) = (random.number(), random.number() >> random.below(64));
        edges.into_iter().chain([all, some])
    };
    for width in 1..=64 {
        for (refin, refout) in [(false, false), (false, true), (true, false), (true, true)] {
            let bits = [8, 16, 32, 64].into_iter().find(|bits| u32::from(width) <= *bits).expect("64 hold all");
            let mut model = random.model(width, bits, refin, refout);
            let all = u64::MAX >> (64 - width);
            // the reference has no bits above the width
            (model.poly, model.init, model.xorout) = (model.poly & all, model.init & all, model.xorout & all);
            let (ours, _) = both(bits, &model);
            let reference = Reference::new(model);
            for len in lengths(&mut random) {
                let (a, b) = (random.number() & all, random.number() & all);
                let what = || format!("{model:x?}: {len} bytes");
                assert_eq!(ours.combine(a, b, len), reference.combine(a, b, len), "{}", what());
                assert_eq!(ours.zeros(len), reference.zeros(len), "{}", what());
            }
        }
    }
}

/// The reference is right where bytes can be read.
#[test]
fn the_reference_agrees_with_crate_crc() {
    let mut random = random(20);
    for width in 1..=64 {
        for (refin, refout) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut model = random.model(width, 64, refin, refout);
            let all = u64::MAX >> (64 - width);
            (model.poly, model.init, model.xorout) = (model.poly & all, model.init & all, model.xorout & all);
            let (_, theirs) = both(64, &model);
            let reference = Reference::new(model);
            let (bytes, cut) = (random.bytes(300), random.below(301));
            let crc = |bytes| of_pieces(theirs.digest_with_initial(model.init), [bytes]);
            let combined = reference.combine(crc(&bytes[..cut]), crc(&bytes[cut..]), 300 - cut as u64);
            assert_eq!(combined, crc(&bytes), "{model:x?}, cut at {cut}");
            assert_eq!(reference.zeros(300), crc(&[0; 300]), "{model:x?}");
        }
    }
}
