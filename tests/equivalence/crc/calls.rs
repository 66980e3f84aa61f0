//! The calls that are checked.

use byways::cpu::Kernel;
use byways::verify::crc::{Fault, Generator, Oracle, Way, check, every_length};
use byways::verify::{noise, unit};
use byways_codegen::families;
use byways_codegen::ir::Skeleton;
use byways_codegen::spec::{Algorithm, Variant, Width};
use byways_kernels::crc::Fold;
use byways_kernels::crc_fold::LANES;

use super::{generators, page_ends, vectors};
use crate::trials::Checks;

/// A kernel under test.
pub(crate) struct Subject {
    pub(crate) variant: Variant,
    /// Whether it takes the lowest bit of a byte first.
    pub(crate) lsb: bool,
    pub(crate) generators: Vec<Generator>,
    /// Bytes of a chunk, where it takes long messages in chunks.
    pub(crate) chunk: usize,
    /// Bytes of the longest message that it takes word by word.
    by_words: usize,
}

impl Subject {
    pub(crate) fn new(variant: Variant) -> Self {
        let Algorithm::Crc(form) = variant.algorithm() else { panic!("{variant} is no CRC") };
        let program = families::program(variant);
        let Skeleton::Fold(fold) = &program.skeleton else { panic!("{variant} folds nothing") };
        Subject {
            variant,
            lsb: form.is_lsb(),
            generators: generators::of_variant(variant),
            chunk: unit(&program).unwrap_or(0),
            by_words: fold.words.as_ref().map_or(0, |words| words.short.len() * size_of::<u64>()),
        }
    }

    pub(crate) fn of_kernel(kernel: &Kernel<Fold<LANES>>) -> Self {
        let subject = Subject::new(kernel.name().parse().expect("a registered name is a variant's"));
        assert_eq!(subject.lsb, !matches!(kernel.function(), Fold::Msb(_)), "{}", subject.variant);
        subject
    }

    fn batch(&self) -> usize {
        self.variant.by() * 16
    }

    /// Bytes that take the kernel through all of its code but for chunks: more registers than a block for a whole message
    /// has, which are 8, and a batch to begin with, two more and any number of registers left.
    fn unchunked(&self) -> usize {
        (4 * self.batch()).max(10 * self.variant.width().bytes())
    }

    /// Bytes that take the kernel through all of its code.
    pub(crate) fn thorough(&self) -> usize {
        2 * self.chunk + self.unchunked()
    }

    /// Every number of words and of registers through all of the code, the first of them with so many bytes; behind chunks
    /// a few.
    fn lengths(&self, first: usize) -> impl Iterator<Item = usize> {
        let (register, longest) = (self.variant.width().bytes(), self.unchunked());
        let words = (first..=self.by_words).step_by(size_of::<u64>());
        let registers = (first..=longest).step_by(register);
        let chunks = (1..=2).map(|chunks| chunks * self.chunk).filter(|&bytes| bytes > 0);
        let few = (longest / 5).next_multiple_of(register);
        let behind = chunks.flat_map(move |bytes| (first..=longest).step_by(few).map(move |len| bytes + len));
        words.chain(registers).chain(behind)
    }

    /// The generator whose turn it is.
    fn generator(&self, turn: usize) -> &Generator {
        &self.generators[turn % self.generators.len()]
    }
}

/// What CRC kernels must stand.
pub(crate) const CHECKS: Checks<Subject, Way> = Checks {
    both: &[
        ("every_length", |subject, way| text(every_length(way, subject.lsb, &subject.generators, || {}))),
        ("splits", |subject, way| text(splits(subject, way))),
        ("states_beyond_the_first_register", |subject, way| text(states_beyond_the_first_register(subject, way))),
        ("long_messages", |subject, way| text(long_messages(subject, way))),
        ("vectors", vectors::check_all),
    ],
    native: &[("every_offset", |subject, way| text(every_offset(subject, way))), ("page_ends", page_ends::check_all)],
};

fn text(result: Result<(), Fault>) -> Result<(), String> {
    result.map_err(|fault| fault.to_string())
}

/// Numbers at random; the seed must not be 0.
pub(crate) fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut noise = noise(seed);
    move || u64::from_le_bytes(std::array::from_fn(|_| noise.next().expect("endless")))
}

/// As many, or where the interpreter would take too long a tenth.
fn times(way: &Way, natively: usize) -> usize {
    match way {
        Way::Interpreted(_) => natively / 10,
        Way::Native(_) => natively,
    }
}

/// Every N that the width allows, generated or not, with messages of a few bytes, and of registers of which the first one
/// has any number of bytes.
pub(crate) fn every_unroll(algorithm: Algorithm, width: Width) -> Result<(), String> {
    for by in algorithm.unrolls(width) {
        let variant = Variant::new(algorithm, by, width).expect("an allowed N");
        let (way, subject) = (Way::interpreted(variant), Subject::new(variant));
        let generator = subject.generator(by * 31);
        let data: Vec<u8> = noise(by as u64).take(subject.thorough()).collect();
        let state = generator.some_register(subject.lsb, by as u64);
        let registers = Oracle::new(generator, subject.lsb).registers(state, &data);
        // each number of registers left is behind one batch, two or three
        let once = |len: &usize| {
            let (batches, left) = (len / subject.batch(), len % subject.batch() / width.bytes());
            left % 3 == batches % 3
        };
        let lengths = subject.lengths(width.bytes()).filter(once).enumerate();
        let lengths = lengths.map(|(i, len)| len - i * 7 % width.bytes());
        for len in (0..=64).step_by(3).chain(lengths) {
            check(&way, generator, state, &data[..len], registers[len])
                .map_err(|fault| format!("{variant}: {fault}"))?;
        }
    }
    Ok(())
}

/// Messages in pieces, of which each goes on from the register that the one before left.
fn splits(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let mut random = numbers(0x5917);
    let data: Vec<u8> = noise(0xda7a).take(2 * subject.thorough()).collect();
    for turn in 0..times(way, 200) {
        let generator = subject.generator(random() as usize);
        let state = generator.some_register(subject.lsb, random());
        let longest = [9, 40, 400, 2 * subject.batch(), subject.thorough()][turn % 5];
        let data = &data[..random() as usize % (40 * longest).min(data.len() + 1)];
        let registers = Oracle::new(generator, subject.lsb).registers(state, data);
        check(way, generator, state, data, registers[data.len()])?;
        let mut from = 0;
        while from < data.len() {
            let to = data.len().min(from + random() as usize % (longest + 1));
            check(way, generator, registers[from], &data[from..to], registers[to])?;
            from = to;
        }
    }
    Ok(())
}

/// A register of all ones that does not fit into the first register or word of the message, or just does, before every
/// number of others: natively with each generator, interpreted with one of them in turn.
fn states_beyond_the_first_register(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let data: Vec<u8> = noise(0xbe40).take(subject.thorough()).collect();
    let from_ones = subject.generators.iter().map(|generator| {
        let state = generator.all_ones(subject.lsb);
        (generator, state, Oracle::new(generator, subject.lsb).registers(state, &data))
    });
    let from_ones: Vec<_> = from_ones.collect();
    let mut turn = 0;
    for first in 1..=8 {
        let filling = from_ones.iter().filter(|(_, state, _)| state.count_ones() as usize >= 8 * first);
        let filling: Vec<_> = filling.collect();
        for len in subject.lengths(first).filter(|_| !filling.is_empty()) {
            turn += 1;
            let chosen = match way {
                Way::Interpreted(_) => std::slice::from_ref(&filling[turn % filling.len()]),
                Way::Native(_) => &filling,
            };
            for (generator, state, registers) in chosen {
                check(way, generator, *state, &data[..len], registers[len])?;
            }
        }
    }
    Ok(())
}

/// Random lengths up to 20 batches and more, at random offsets.
fn long_messages(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let mut random = numbers(0x5eed);
    let longest = 2 * subject.thorough() + 20 * subject.batch();
    let data: Vec<u8> = noise(0x1049).take(64 + longest).collect();
    for _ in 0..times(way, 100) {
        let generator = subject.generator(random() as usize);
        let state = generator.some_register(subject.lsb, random());
        let message = &data[random() as usize % 64..][..random() as usize % (longest + 1)];
        let registers = Oracle::new(generator, subject.lsb).registers(state, message);
        check(way, generator, state, message, registers[message.len()])?;
    }
    Ok(())
}

/// Every offset behind a 64-byte boundary, with every number of registers and first registers of every length.
fn every_offset(subject: &Subject, way: &Way) -> Result<(), Fault> {
    let longest = subject.thorough();
    let data: Vec<u8> = noise(0x0ff5).take(longest + 128).collect();
    let boundary = data.as_ptr().addr().wrapping_neg() % 64;
    for offset in 0..64 {
        let generator = subject.generator(offset * 31);
        let state = generator.some_register(subject.lsb, offset as u64);
        let message = &data[boundary + offset..][..longest];
        let registers = Oracle::new(generator, subject.lsb).registers(state, message);
        for len in (1..=subject.variant.width().bytes()).flat_map(|first| subject.lengths(first)) {
            check(way, generator, state, &message[..len], registers[len])?;
        }
    }
    Ok(())
}
