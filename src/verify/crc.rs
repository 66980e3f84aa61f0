//! CRC kernels against crate `crc`.

use std::fmt;

use ::crc::{Algorithm, Table};
use byways_codegen::gf2::Modulus;
use byways_codegen::ir::Program;
use byways_codegen::spec::{self, Variant};
use byways_codegen::{eval, families};
use byways_kernels::crc::{CRC32C, Constants, Fold};
use byways_kernels::crc_fold::LANES;

use crate::cpu::{Kernel, Missing};
use crate::verify::{FENCE, Native, around, fill, noise, start, unit};

const _: () = assert!(CRC32C == spec::CRC32C);

/// A generator polynomial, for kernels, for the interpreter and for crate `crc`.
#[derive(Clone, Debug)]
pub struct Generator {
    width: u8,
    poly: u64,
    constants: Constants<LANES>,
    modulus: Modulus,
}

impl Generator {
    /// That of degree `width` whose terms below x^`width` are the bits of `poly`.
    ///
    /// # Panics
    /// If the width is not 1 to 64, or `poly` has more bits.
    pub fn new(width: u8, poly: u64) -> Self {
        let modulus = Modulus::new(width, poly);
        Generator { width, poly, constants: Constants::new(width, poly), modulus }
    }

    /// Some register with it, as kernels take it.
    pub fn some_register(&self, lsb: bool, seed: u64) -> u64 {
        let unused = 64 - self.width;
        let register = noise(seed | 1).skip(64).take(8).fold(0, |register, byte| register << 8 | u64::from(byte));
        if lsb { register >> unused } else { register << unused }
    }

    /// The register with it that has all bits, as kernels take it.
    pub fn all_ones(&self, lsb: bool) -> u64 {
        let unused = 64 - self.width;
        if lsb { u64::MAX >> unused } else { u64::MAX << unused }
    }

    /// Whether kernels of the variant take it: some are made for one generator alone.
    pub fn suits(&self, variant: Variant) -> bool {
        match variant.algorithm() {
            spec::Algorithm::Crc(form) => !form.is_crc32c() || (self.width, self.poly) == (32, CRC32C),
            spec::Algorithm::AesCtr(..) | spec::Algorithm::Aria(..) => false,
        }
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "generator {:#x} of degree {}", self.poly, self.width)
    }
}

/// Generators of many degrees, among them those that T10-DIF, iSCSI, zip and NVMe use.
pub fn generators() -> Vec<Generator> {
    let known = [
        (16, 0x8bb7),
        (32, CRC32C),
        (32, 0x04c1_1db7),
        (64, 0xad93_d235_94c9_3659),
        (64, 0x42f0_e1eb_a9ea_3693),
        (1, 1),
        (3, 3),
        (8, 7),
        (24, 0x86_4cfb),
        (40, 0x48_2000_9001),
        (63, 0x1234_5678_8765_4321),
    ];
    known.into_iter().map(|(width, poly)| Generator::new(width, poly)).collect()
}

/// Those of the generators that the kernel is for.
pub fn generators_for(variant: Variant) -> Vec<Generator> {
    generators().into_iter().filter(|generator| generator.suits(variant)).collect()
}

/// What crate `crc` has of a generator and an order of bits, bytewise. The model is never freed.
#[derive(Clone, Debug)]
pub struct Oracle(&'static Algorithm<u64>);

impl Oracle {
    /// For registers with this generator; `lsb` says whether the lowest bit of a byte comes first.
    pub fn new(generator: &Generator, lsb: bool) -> Self {
        let &Generator { width, poly, .. } = generator;
        let model = Algorithm { width, poly, init: 0, refin: lsb, refout: lsb, xorout: 0, check: 0, residue: 0 };
        Oracle(Box::leak(Box::new(model)))
    }

    /// The register after each number of bytes, from none to all.
    pub fn registers(&self, state: u64, data: &[u8]) -> Vec<u64> {
        self.after_each(state, data.chunks(1))
    }

    /// The register after all of the data.
    pub fn register(&self, state: u64, data: &[u8]) -> u64 {
        self.after_each(state, [data])[1]
    }

    /// The register before the first piece and after each.
    fn after_each<'a>(&self, state: u64, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u64> {
        let &Algorithm { width, refin, .. } = self.0;
        let unused = 64 - width;
        let crc = ::crc::Crc::<u64, Table<1>>::new(self.0);
        let mut digest = crc.digest_with_initial(if refin { state.reverse_bits() } else { state } >> unused);
        let register = |crc: u64| if refin { crc } else { crc << unused };
        let mut registers = vec![register(digest.clone().finalize())];
        for piece in pieces {
            digest.update(piece);
            registers.push(register(digest.clone().finalize()));
        }
        registers
    }
}

/// A way to run a kernel.
#[derive(Debug)]
pub enum Way {
    /// Its program, interpreted: on any machine.
    Interpreted(Box<Program>),
    /// Its machine code, on a CPU that has the instructions.
    Native(Native<Fold<LANES>>),
}

impl Way {
    /// The variant's program, interpreted.
    pub fn interpreted(variant: Variant) -> Self {
        Way::Interpreted(Box::new(families::program(variant)))
    }

    /// The kernel itself.
    ///
    /// # Errors
    /// The features that this CPU lacks.
    pub fn native(kernel: &Kernel<Fold<LANES>>) -> Result<Self, Missing> {
        Native::new(kernel).map(Way::Native)
    }

    /// The register after the data.
    pub fn run(&self, generator: &Generator, state: u64, data: &[u8]) -> u64 {
        match self {
            Way::Interpreted(program) => eval::fold(program, generator.modulus, state, data),
            Way::Native(native) => native.kernel.run(&generator.constants, state, data),
        }
    }

    /// Bytes in a chunk, where there are any.
    fn chunk(&self) -> Option<usize> {
        match self {
            Way::Interpreted(program) => unit(program),
            Way::Native(native) => native.unit,
        }
    }
}

/// A call whose result was wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The generator.
    pub generator: String,
    /// Bytes in the message.
    pub len: usize,
    /// Where it started, behind a 64-byte boundary.
    pub offset: usize,
    /// The register before.
    pub state: u64,
    /// The register that came out.
    pub found: u64,
    /// The register that should have.
    pub wanted: u64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { generator, len, offset, state, found, wanted } = self;
        write!(f, "{found:#018x} instead of {wanted:#018x}: {len} bytes at offset {offset}, ")?;
        write!(f, "register {state:#x}, {generator}")
    }
}

impl std::error::Error for Fault {}

/// Up to so many bytes, [`every_length`] checks each length.
pub const LONGEST: usize = 1600;

/// Bytes behind the chunks of its longest message: more than a batch of most kernels.
pub const REST: usize = LONGEST - 1;

/// Every length up to [`LONGEST`] bytes, at offsets that go round: natively with each of the generators, interpreted with
/// one of them in turn. Where the program has chunks, a byte less than one has, as many and one more as well, and two
/// chunks and [`REST`] bytes. `progress` is called after each length.
///
/// # Errors
/// The first call whose result is wrong.
///
/// # Panics
/// If there are no generators.
pub fn every_length(way: &Way, lsb: bool, generators: &[Generator], mut progress: impl FnMut()) -> Result<(), Fault> {
    let beyond = way.chunk().map(|chunk| around(chunk, REST));
    let longest = beyond.map_or(LONGEST, |[.., longest]| longest);
    let mut buffer = vec![0; longest + 4 * FENCE];
    fill(&mut buffer, 0xc2c);
    let oracles = generators.iter().enumerate().map(|(i, generator)| {
        let (state, oracle) = (generator.some_register(lsb, i as u64), Oracle::new(generator, lsb));
        let registers = OFFSETS.map(|offset| oracle.registers(state, &buffer[start(&buffer, offset)..][..LONGEST]));
        (state, registers, oracle)
    });
    let oracles: Vec<_> = oracles.collect();
    for len in (0..=LONGEST).chain(beyond.into_iter().flatten()) {
        let turn = len % generators.len();
        let chosen = match way {
            Way::Interpreted(_) => turn..turn + 1,
            Way::Native(_) => 0..generators.len(),
        };
        for i in chosen {
            let at = (len / generators.len() + i) % OFFSETS.len();
            let (state, registers, oracle) = &oracles[i];
            let data = &buffer[start(&buffer, OFFSETS[at])..][..len];
            let wanted = registers[at].get(len).copied().unwrap_or_else(|| oracle.register(*state, data));
            check(way, &generators[i], *state, data, wanted)?;
        }
        progress();
    }
    Ok(())
}

/// Some offsets behind a 64-byte boundary.
const OFFSETS: [usize; 7] = [0, 1, 13, 16, 31, 56, 63];

/// Runs the kernel over the data, whose register comes out as `wanted`.
///
/// # Errors
/// If it does not.
pub fn check(way: &Way, generator: &Generator, state: u64, data: &[u8], wanted: u64) -> Result<(), Fault> {
    let found = way.run(generator, state, data);
    if found == wanted {
        return Ok(());
    }
    let offset = data.as_ptr().addr() % 64;
    Err(Fault { generator: generator.to_string(), len: data.len(), offset, state, found, wanted })
}

#[cfg(test)]
mod tests {
    use byways_codegen::ir::{Op, Skeleton, Stmt};

    use super::*;

    #[test]
    fn a_wrong_power_of_a_chunk_is_found() {
        let variant: Variant = "crc32c_fused_by32_zmm".parse().unwrap();
        let mut program = families::program(variant);
        let chunk = unit(&program).unwrap();
        let Skeleton::Fold(fold) = &mut program.skeleton else { panic!("no CRC") };
        let end = &mut fold.chunks.as_mut().expect("chunks").end;
        let powers = end.body.iter_mut().filter_map(|stmt| match stmt {
            Stmt::Let(_, Op::Const(lanes)) => lanes.first_mut(),
            _ => None,
        });
        *powers.last().expect("powers of x") ^= 1;
        let way = Way::Interpreted(Box::new(program));
        let fault = every_length(&way, true, &generators_for(variant), || ()).unwrap_err();
        assert_eq!(fault.len, chunk);
    }
}
