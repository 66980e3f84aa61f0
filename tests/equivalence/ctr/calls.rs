//! The calls that are checked.

use byways::cpu::Kernel;
use byways::ctr::Field;
use byways::verify::ctr::{Bench, Call, Fault, Way, every_length};
use byways::verify::noise;
use byways_codegen::spec::{Algorithm, CtrForm, KeySize, Variant, Width};
use byways_kernels::ctr::Ctr;

use super::{page_ends, vectors};
use crate::trials::Checks;

/// A kernel under test.
pub(crate) struct Subject {
    pub(crate) variant: Variant,
    pub(crate) key_len: usize,
}

impl Subject {
    pub(crate) fn new(kernel: &Kernel<Ctr>) -> Self {
        let variant = kernel.name().parse().expect("a registered name is a variant's");
        Subject { variant, key_len: kernel.function().key_len() }
    }

    fn batch(&self) -> usize {
        self.variant.by() * 16
    }

    /// Bytes that take the kernel through all of its code: some batches and a rest, and in the cached form two runs of
    /// 256 blocks and more wherever the counter starts.
    pub(crate) fn thorough(&self) -> usize {
        let runs = match self.variant.algorithm() {
            Algorithm::AesCtr(_, CtrForm::Plain) => 0,
            Algorithm::AesCtr(_, CtrForm::Cached) => 4 * 4096,
            Algorithm::Crc(_) | Algorithm::Aria(..) => unreachable!("a kernel of AES in counter mode is nothing else"),
        };
        runs + self.batch() + 150
    }
}

pub(crate) const CHECKS: Checks<Subject, Way> = Checks {
    both: &[
        ("every_length", |subject, way| text(every_length(way, subject.key_len, || {}))),
        ("wraps_in_every_lane", |subject, way| text(wraps_in_every_lane(subject, way))),
        ("long_messages", |subject, way| text(long_messages(subject, way))),
        ("carries_in_long_messages", |subject, way| text(carries_in_long_messages(subject, way))),
        ("vectors", vectors::check),
    ],
    native: &[("every_offset", |subject, way| text(every_offset(subject, way))), ("page_ends", page_ends::check)],
};

/// Every N that the width allows, generated or not, over batches and a rest of every number of registers, and in the
/// cached form over three runs and more.
pub(crate) fn every_unroll(width: Width) -> Result<(), String> {
    let algorithm = Algorithm::AesCtr(KeySize::Aes128, CtrForm::Plain);
    for by in algorithm.unrolls(width) {
        let variant = Variant::new(algorithm, by, width).expect("an allowed N");
        let way = Way::interpreted(variant);
        let longest = 3 * by * 16;
        let mut bench = Bench::new(16, longest);
        for len in (0..=longest).step_by(width.bytes()).map(|len| len.saturating_sub(len % 7)) {
            let call = Call { len, counter: 9, field: Field::Bits64, input_offset: 0, output_offset: None };
            bench.check(&way, call).map_err(|fault| format!("{variant}: {fault}"))?;
        }
    }
    let algorithm = Algorithm::AesCtr(KeySize::Aes256, CtrForm::Cached);
    for by in algorithm.unrolls(width) {
        let variant = Variant::new(algorithm, by, width).expect("an allowed N");
        let mut bench = Bench::new(32, 5 * 4096);
        let call = Call { len: 5 * 4096, counter: 250, field: Field::Bits64, input_offset: 0, output_offset: None };
        bench.check(&Way::interpreted(variant), call).map_err(|fault| format!("{variant}: {fault}"))?;
    }
    Ok(())
}

fn text(result: Result<(), Fault>) -> Result<(), String> {
    result.map_err(|fault| fault.to_string())
}

/// Counters that wrap at 2^32, 2^64 and 2^128, or carry there, at every block of two batches and a rest.
fn wraps_in_every_lane(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let len = 2 * subject.batch() + 3 * 16 + 5;
    let mut bench = Bench::new(subject.key_len, len);
    for field in Field::ALL {
        for bits in [32, 64, 128] {
            // all ones below 2^bits, and some pattern above
            let last = 0x89ab_cdef_0123_4567_0246_8ace_1357_9bdf_u128 | u128::MAX >> (128 - bits);
            for blocks in 0..=len as u128 / 16 + 1 {
                let counter = last.wrapping_sub(blocks);
                for output_offset in [None, Some(0)] {
                    bench.check(way, Call { len, counter, field, input_offset: 0, output_offset })?;
                }
            }
        }
    }
    Ok(())
}

/// Counters that carry out of bit 8, 32, 40, 64 or 128, in the first run of 256 blocks, at its end, in later ones and in
/// what is left.
fn carries_in_long_messages(subject: &Subject, way: &Way) -> Result<(), Fault> {
    const RUN: usize = 256;
    let longest = 200 * 1024;
    let mut bench = Bench::new(subject.key_len, longest);
    let ends = [1, 9, RUN - 1, RUN, RUN + 1, 2 * RUN, 3 * RUN - 1, 3 * RUN, 4 * RUN + 77, 5 * RUN, 1279];
    for bits in [8, 32, 40, 64, 128] {
        let last = 0x89ab_cdef_0123_4567_0246_8ace_1357_9bdf_u128 | u128::MAX >> (128 - bits);
        for (i, blocks) in ends.into_iter().enumerate() {
            let field = Field::ALL[i % 3];
            // one in each bit position is really long
            let len = if i == 8 { longest - 21 } else { 20 * 1024 + 31 * i };
            let call = Call {
                len,
                counter: last.wrapping_sub(blocks as u128 - 1),
                field,
                input_offset: 5 * i,
                output_offset: (i % 2 == 1).then_some(7 * i % 64),
            };
            bench.check(way, call)?;
        }
    }
    Ok(())
}

/// Random lengths up to 20 batches and more, and random counters.
fn long_messages(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let longest = 2 * subject.thorough() + 20 * subject.batch();
    let mut bench = Bench::new(subject.key_len, longest);
    let mut noise = noise(0x5eed);
    let mut random = move || u128::from_le_bytes(std::array::from_fn(|_| noise.next().expect("endless")));
    for _ in 0..40 {
        let len = (random() % (longest as u128 + 1)) as usize;
        let (input_offset, other) = ((random() % 64) as usize, (random() % 64) as usize);
        let output_offset = (random() % 2 == 0).then_some(other);
        let field = Field::ALL[(random() % 3) as usize];
        bench.check(way, Call { len, counter: random(), field, input_offset, output_offset })?;
    }
    Ok(())
}

/// Every offset of the input against every offset of the output, and in place, with lengths that go round.
fn every_offset(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let longest = subject.thorough();
    let short = subject.batch() + 150;
    let mut bench = Bench::new(subject.key_len, longest);
    for input_offset in 0..64 {
        for output_offset in std::iter::once(None).chain((0..64).map(Some)) {
            let spread = input_offset * 67 + output_offset.unwrap_or(7) * 13;
            // each input offset meets a message through all of the code, and so does each output offset
            let len =
                if output_offset == Some(63 - input_offset) { longest - spread % 64 } else { spread % (short + 1) };
            let counter = (input_offset as u128) << 77 | 0xffff_fff0;
            bench.check(way, Call { len, counter, field: Field::Bits128, input_offset, output_offset })?;
        }
    }
    Ok(())
}
