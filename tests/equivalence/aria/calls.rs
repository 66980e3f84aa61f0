//! The calls that are checked.

use byways::cpu::Kernel;
use byways::verify::aria::{Bench, Call, Direction, Fault, KEY_LENS, Way, every_length, oracle};
use byways::verify::noise;
use byways_codegen::spec::{Algorithm, AriaMode, Variant};
use byways_kernels::keys::aria::Aria;

use super::{page_ends, vectors};
use crate::trials::Checks;

/// A kernel under test.
pub(crate) struct Subject {
    pub(crate) variant: Variant,
    pub(crate) mode: AriaMode,
}

impl Subject {
    pub(crate) fn new(kernel: &Kernel<Aria>) -> Self {
        let variant: Variant = kernel.name().parse().expect("a registered name is a variant's");
        let Algorithm::Aria(mode, _) = variant.algorithm() else { panic!("{variant} is no ARIA") };
        Subject { variant, mode }
    }

    fn batch(&self) -> usize {
        self.variant.by() * 16
    }

    /// In which it can be used.
    pub(crate) fn directions(&self) -> &'static [Direction] {
        if self.mode == AriaMode::Ecb { &Direction::ALL } else { &[Direction::Encrypt] }
    }

    /// The longest of up to so many bytes that it takes.
    pub(crate) fn whole(&self, len: usize) -> usize {
        if self.mode == AriaMode::Ctr { len } else { len / 16 * 16 }
    }
}

/// What kernels of the mode must stand.
pub(crate) fn checks(mode: AriaMode) -> &'static Checks<Subject, Way> {
    match mode {
        AriaMode::Ecb => &IN_BLOCKS,
        AriaMode::Ctr => &IN_COUNTER_MODE,
        AriaMode::Odd | AriaMode::Even => &ALONE,
    }
}

const IN_BLOCKS: Checks<Subject, Way> = Checks {
    both: &[
        ("every_length", |_, way| text(every_length(way, || {}))),
        ("long_messages", |subject, way| text(long_messages(subject, way))),
        ("vectors", vectors::check),
    ],
    native: NATIVE,
};

const IN_COUNTER_MODE: Checks<Subject, Way> = Checks {
    both: &[
        ("every_length", |_, way| text(every_length(way, || {}))),
        ("wraps_in_every_lane", |subject, way| text(wraps_in_every_lane(subject, way))),
        ("long_messages", |subject, way| text(long_messages(subject, way))),
        ("vectors", vectors::check),
    ],
    native: NATIVE,
};

/// Of rounds for the key schedule.
const ALONE: Checks<Subject, Way> =
    Checks { both: &[("every_length", |_, way| text(every_length(way, || {})))], native: NATIVE };

const NATIVE: &[(&str, crate::trials::Check<Subject, Way>)] = &[
    ("every_offset", |subject, way| text(every_offset(subject, way))),
    ("every_cut", every_cut),
    ("many_keys", many_keys),
    ("page_ends", page_ends::check),
];

fn text(result: Result<(), Fault>) -> Result<(), String> {
    result.map_err(|fault| fault.to_string())
}

/// A bench for each key size.
fn benches(longest: usize) -> [Bench; 3] {
    KEY_LENS.map(|key_len| Bench::new(key_len, longest))
}

/// A counter that wraps in its low bits, so many blocks on.
fn wraps_after(blocks: usize, bits: u32) -> u128 {
    const HIGH: u128 = 0x89ab_cdef_0123_4567 << 64;
    let low = 0x0246_8ace_1357_9bdf | u64::MAX >> (64 - bits);
    HIGH | u128::from(low.wrapping_add(1).wrapping_sub(blocks as u64))
}

/// Where the lowest byte wraps, the lowest two, four, and all that count.
const WRAPS: [u32; 4] = [8, 16, 32, 64];

/// Counters that wrap at 2^8, 2^16, 2^32 or 2^64 at every block of a batch and a rest, natively of two.
fn wraps_in_every_lane(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let native = matches!(way, Way::Native(_));
    let len = if native { 2 } else { 1 } * subject.batch() + 3 * 16 + 5;
    let mut benches = benches(len);
    for bits in WRAPS {
        for blocks in 0..=len / 16 + 1 {
            let outputs = [None, Some(0)];
            let (key, output) = (blocks % benches.len(), blocks / benches.len() % outputs.len());
            for (i, bench) in benches.iter_mut().enumerate() {
                for (j, output_offset) in outputs.into_iter().enumerate() {
                    if native || (i, j) == (key, output) {
                        let counter = wraps_after(blocks, bits);
                        let direction = Direction::Encrypt;
                        bench.check(way, Call { len, direction, counter, input_offset: 0, output_offset })?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Random lengths up to 20 batches and more, interpreted up to 4, and counters of which many wrap.
fn long_messages(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let (batches, calls) = if matches!(way, Way::Native(_)) { (20, 240) } else { (4, 18) };
    let longest = batches * subject.batch() + 700;
    let mut benches = benches(longest);
    let mut noise = noise(0x5eed);
    let mut random = move |below: usize| {
        let random = u64::from_le_bytes(std::array::from_fn(|_| noise.next().expect("endless")));
        (random % below as u64) as usize
    };
    for i in 0..calls {
        let len = subject.whole(random(longest + 1));
        let counter = wraps_after(random(len / 16 + 20), WRAPS[random(WRAPS.len())]);
        let (input_offset, other) = (random(64), random(64));
        let output_offset = (random(2) == 0).then_some(other);
        let direction = subject.directions()[random(subject.directions().len())];
        benches[i % 3].check(way, Call { len, direction, counter, input_offset, output_offset })?;
    }
    Ok(())
}

/// Every offset of the input against every offset of the output, and in place, with lengths that go round.
fn every_offset(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let longest = subject.batch() + 150;
    let mut benches = benches(longest);
    for input_offset in 0..64 {
        for output_offset in std::iter::once(None).chain((0..64).map(Some)) {
            let spread = input_offset * 67 + output_offset.unwrap_or(7) * 13;
            // each input offset meets a message through all of the code, and so does each output offset
            let len =
                if output_offset == Some(63 - input_offset) { longest - spread % 64 } else { spread % (longest + 1) };
            let direction = subject.directions()[spread % subject.directions().len()];
            let (len, counter) = (subject.whole(len), wraps_after(9, 32));
            benches[spread % 3].check(way, Call { len, direction, counter, input_offset, output_offset })?;
        }
    }
    Ok(())
}

/// A message in two pieces, cut between any two blocks, and in small pieces.
fn every_cut(subject: &Subject, way: &Way) -> Result<(), String> {
    let len = subject.whole(subject.batch() + 5 * 16 + 9);
    let message: Vec<u8> = noise(11).take(len).collect();
    let counter = wraps_after(3, 64);
    let after = |blocks: usize| counter >> 64 << 64 | u128::from((counter as u64).wrapping_add(blocks as u64));
    for key_len in KEY_LENS {
        let key: Vec<u8> = noise(12).take(key_len).collect();
        for &direction in subject.directions() {
            let mut expected = message.clone();
            oracle(subject.variant, &key, direction, counter, &mut expected);
            let check = |found: &[u8], what: &str| {
                let wrong =
                    || format!("{len} bytes cut {what} come out wrong, key of {} bits, {direction:?}", 8 * key_len);
                if found == expected { Ok(()) } else { Err(wrong()) }
            };
            for cut in 0..=len / 16 {
                let mut found = message.clone();
                let (head, rest) = found.split_at_mut(cut * 16);
                way.run(&key, direction, after(cut), rest.into());
                way.run(&key, direction, counter, head.into());
                check(&found, &format!("after {cut} blocks"))?;
            }
            for blocks in [1, 2, 3, 7] {
                let mut found = message.clone();
                for (i, piece) in found.chunks_mut(16 * blocks).enumerate() {
                    way.run(&key, direction, after(i * blocks), piece.into());
                }
                check(&found, &format!("into pieces of {blocks} blocks"))?;
            }
        }
    }
    Ok(())
}

/// A batch and a rest under many keys of every size.
fn many_keys(subject: &Subject, way: &Way) -> Result<(), String> {
    let message: Vec<u8> = noise(21).take(subject.batch() + 48).collect();
    for seed in 1..=150 {
        for key_len in KEY_LENS {
            let key: Vec<u8> = noise(seed * 0x1_0001).skip(64).take(key_len).collect();
            for &direction in subject.directions() {
                let counter = u128::from(seed) << 64 | u128::from(u64::MAX - seed);
                let (mut found, mut expected) = (message.clone(), message.clone());
                way.run(&key, direction, counter, found.as_mut_slice().into());
                oracle(subject.variant, &key, direction, counter, &mut expected);
                if found != expected {
                    return Err(format!("the key {key:02x?} is not used as it should be to {}", direction.name()));
                }
            }
        }
    }
    Ok(())
}
