//! Counter-mode kernels against crates `aes` and `ctr`.

use std::fmt;

use aes::cipher::{KeyIvInit, StreamCipher};
use byways_codegen::ir::Program;
use byways_codegen::runs::{LEAST, RUN};
use byways_codegen::spec::{Algorithm, Variant};
use byways_codegen::{eval, families};
use byways_kernels::ctr::Ctr;
use byways_kernels::inout::InOutBuf;
use byways_kernels::keys::AesKeys;

use crate::cpu::{Detected, Kernel, Missing};
use crate::ctr::{Field, split, xor_keystream};
use crate::verify::{FENCE, Native, around, fill, noise, start, unit};

/// A way to run a kernel.
#[derive(Debug)]
pub enum Way {
    /// Its program, interpreted: on any machine.
    Interpreted(Box<Program>),
    /// Its machine code, on a CPU that has the instructions.
    Native(Native<Ctr>),
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
    pub fn native(kernel: &Kernel<Ctr>) -> Result<Self, Missing> {
        Native::new(kernel).map(Way::Native)
    }

    /// Xors the keystream into the data.
    ///
    /// # Panics
    /// If the key has not the kernel's length.
    pub fn run(&self, key: &[u8], counter: u128, field: Field, mut data: InOutBuf<'_, '_, u8>) {
        match self {
            Way::Native(native) => {
                let aes = Detected::get().aes().expect("who can run a kernel has AES-NI");
                let keys = AesKeys::new(key, aes).expect("a key of the kernel's length");
                xor_keystream(native.kernel, &keys, counter, field, data).expect("a key of the kernel's length");
            }
            Way::Interpreted(program) => {
                let Algorithm::AesCtr(size, _) = program.variant.algorithm() else {
                    panic!("{} is no counter mode", program.variant)
                };
                let keys = eval::aes_round_keys(size, key).expect("a key of the kernel's length");
                let input = data.get_in().to_vec();
                data.get_out().copy_from_slice(&input);
                split(counter, field, data.get_out().into(), |counter, mut piece| {
                    eval::run(program, &eval::Inputs { keys: &keys, counter }, piece.get_out());
                });
            }
        }
    }

    /// Bytes in the fewest runs, where there are any.
    fn runs(&self) -> Option<usize> {
        match self {
            Way::Interpreted(program) => unit(program),
            Way::Native(native) => native.unit,
        }
    }
}

/// What crates `aes` and `ctr` make of the data.
///
/// # Panics
/// If the key has not 16, 24 or 32 bytes.
pub fn oracle(key: &[u8], counter: u128, field: Field, data: &mut [u8]) {
    fn apply<C: KeyIvInit + StreamCipher>(key: &[u8], counter: u128, data: &mut [u8]) {
        let mut cipher = C::new_from_slices(key, &counter.to_be_bytes()).expect("an AES key and a block");
        cipher.apply_keystream(data);
    }
    macro_rules! by_field {
        ($cipher:ty) => {
            match field {
                Field::Bits32 => apply::<ctr::Ctr32BE<$cipher>>(key, counter, data),
                Field::Bits64 => apply::<ctr::Ctr64BE<$cipher>>(key, counter, data),
                Field::Bits128 => apply::<ctr::Ctr128BE<$cipher>>(key, counter, data),
            }
        };
    }
    match key.len() {
        16 => by_field!(aes::Aes128),
        24 => by_field!(aes::Aes192),
        32 => by_field!(aes::Aes256),
        bytes => panic!("no AES key has {bytes} bytes"),
    }
}

/// A call to be checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Bytes in the message.
    pub len: usize,
    /// The first counter block.
    pub counter: u128,
    /// How much of it counts.
    pub field: Field,
    /// Where the input starts, behind a 64-byte boundary.
    pub input_offset: usize,
    /// Where the output starts, behind a 64-byte boundary; none in place.
    pub output_offset: Option<usize>,
}

/// A call whose result was wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The call.
    pub call: Call,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Call { len, counter, field, input_offset, output_offset } = self.call;
        write!(f, "{}: {len} bytes at offset {input_offset}, ", self.what)?;
        match output_offset {
            Some(offset) => write!(f, "to offset {offset}, ")?,
            None => write!(f, "in place, ")?,
        }
        write!(f, "counter {counter:#034x} of {} bits", field.bits())
    }
}

impl std::error::Error for Fault {}

/// Buffers to make calls in.
#[derive(Debug)]
pub struct Bench {
    key: Vec<u8>,
    input: Vec<u8>,
    output: Vec<u8>,
    longest: usize,
}

impl Bench {
    /// For messages up to `longest` bytes under an AES key of `key_len` bytes.
    pub fn new(key_len: usize, longest: usize) -> Self {
        let room = longest + 4 * FENCE;
        let key = noise(3).take(key_len).collect();
        Bench { key, input: vec![0; room], output: vec![0; room], longest }
    }

    /// Makes the call and compares all of both buffers with what they must be.
    ///
    /// # Errors
    /// If a byte is wrong: of the output, of the input that is not the output, or around either.
    ///
    /// # Panics
    /// If the message is longer than the buffers are for, or an offset is 64 or more.
    pub fn check(&mut self, way: &Way, call: Call) -> Result<(), Fault> {
        assert!(call.len <= self.longest && call.input_offset < 64 && call.output_offset.unwrap_or(0) < 64, "{call:?}");
        let seed = (call.len as u64) << 16 | (call.input_offset as u64) << 8 | 1;
        fill(&mut self.input, seed);
        fill(&mut self.output, seed + 2);
        let (from, to) = (start(&self.input, call.input_offset), start(&self.output, call.output_offset.unwrap_or(0)));
        let (mut input, mut output) = (self.input.clone(), self.output.clone());
        let mut message = input[from..from + call.len].to_vec();
        oracle(&self.key, call.counter, call.field, &mut message);
        let data = if call.output_offset.is_some() {
            output[to..to + call.len].copy_from_slice(&message);
            let out = &mut self.output[to..to + call.len];
            InOutBuf::new(&self.input[from..from + call.len], out).expect("buffers of one length")
        } else {
            input[from..from + call.len].copy_from_slice(&message);
            self.input[from..from + call.len].as_mut().into()
        };
        way.run(&self.key, call.counter, call.field, data);
        let found = [(&self.input, &input, from, "input"), (&self.output, &output, to, "output")];
        for (found, wanted, start, name) in found.into_iter().filter(|(found, wanted, ..)| found != wanted) {
            if let Some(at) = found.iter().zip(wanted).position(|(a, b)| a != b) {
                let place = at as i64 - start as i64;
                let what = format!("{name} byte {place} is {:#04x} instead of {:#04x}", found[at], wanted[at]);
                return Err(Fault { call, what });
            }
        }
        Ok(())
    }
}

/// Up to so many bytes, [`every_length`] checks each length.
pub const LONGEST: usize = 1100;

/// Bytes beyond the runs of its longest message, before and behind them.
pub const REST: usize = LONGEST - 1;

/// Every length up to [`LONGEST`] bytes, with counters of every field that wrap or carry on the way, in place and from
/// one buffer to another, at offsets that go round. Where the program has runs, a byte less than the fewest have, as many
/// and one more as well, and twice as many and [`REST`] bytes. `progress` is called after each length.
///
/// # Errors
/// The first call whose result is wrong.
pub fn every_length(way: &Way, key_len: usize, mut progress: impl FnMut()) -> Result<(), Fault> {
    let mut bench = Bench::new(key_len, LONGEST);
    for len in 0..=LONGEST {
        // wraps after 0 to all of the message's blocks
        every_field(&mut bench, way, len, |i| (len * 7 + i) % (len / 16 + 2))?;
        progress();
    }
    let Some(unit) = way.runs() else { return Ok(()) };
    let beyond @ [.., longest] = around(unit, REST);
    let mut bench = Bench::new(key_len, longest);
    for len in beyond {
        // a run starts where the counter's lowest byte is 0: at once, or after some blocks, of a message that wraps after
        // the fewest runs, after one more, or not at all
        every_field(&mut bench, way, len, |i| if len < longest { 0 } else { LEAD + (LEAST + i) * RUN })?;
        progress();
    }
    Ok(())
}

/// Blocks before the first run.
const LEAD: usize = 77;

/// Counters of every field, which wrap after so many blocks for each.
fn every_field(bench: &mut Bench, way: &Way, len: usize, before: impl Fn(usize) -> usize) -> Result<(), Fault> {
    for (i, field) in Field::ALL.into_iter().enumerate() {
        let counter = field.add(0x0123_4567_89ab_cdef_ffff_ffff_ffff_ffff | u128::MAX >> (128 - field.bits()), 1);
        let counter = field.add(counter, (before(i) as u128).wrapping_neg());
        let input_offset = (len * 5 + i) % 64;
        for output_offset in [None, Some((len * 11 + 3 * i) % 64)] {
            bench.check(way, Call { len, counter, field, input_offset, output_offset })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use byways_codegen::ir::{Op, Skeleton, Stmt};
    use byways_codegen::runs::RUN_BYTES;

    use super::*;

    #[test]
    fn a_wrong_part_of_the_table_is_found() {
        let mut program = families::program("aes128_ctr_cached_by8_xmm".parse().unwrap());
        let Skeleton::Counter(counter) = &mut program.skeleton else { panic!("no counter mode") };
        let reuse = &mut counter.runs.as_mut().expect("runs").reuse;
        let tables = reuse.body.iter_mut().filter_map(|stmt| match stmt {
            Stmt::Let(_, Op::Table(i)) => Some(i),
            _ => None,
        });
        *tables.last().expect("a table") = 0;
        let fault = every_length(&Way::Interpreted(Box::new(program)), 16, || ()).unwrap_err();
        assert_eq!(fault.call.len, LEAST * RUN_BYTES);
        // the first run makes the table, and the second takes it
        let place = RUN_BYTES + 7 * 16;
        assert!(fault.what.starts_with(&format!("input byte {place} is ")), "{fault}");
    }
}
