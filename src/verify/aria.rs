//! ARIA kernels against crates `aria` and `ctr`, and those of a round alone against its definition.

use std::fmt;
use std::sync::LazyLock;

use byways_codegen::gf2::aria::{CLASSES, added, class, diffuse, folded, substitute};
use byways_codegen::ir::Program;
use byways_codegen::spec::{Algorithm, AriaForm, AriaMode, BLOCK, Variant};
use byways_codegen::{eval, families};
use byways_kernels::inout::InOutBuf;
use byways_kernels::keys::aria::{Aria, Keys, Layout, Schedule};
use cipher::array::Array;
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit, KeyIvInit, StreamCipher, consts};

use crate::cpu::{Detected, Kernel, Missing};
use crate::ctr::Field;
use crate::verify::{FENCE, fill, noise, start};

/// Which round keys a kernel for blocks by themselves has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Those that encrypt.
    Encrypt,
    /// Those that decrypt.
    Decrypt,
}

impl Direction {
    /// Both.
    pub const ALL: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];

    /// What it does.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Encrypt => "encrypt",
            Direction::Decrypt => "decrypt",
        }
    }

    fn keys<L: Layout>(self, schedule: &Schedule) -> Keys<L> {
        match self {
            Direction::Encrypt => Keys::encryption(schedule),
            Direction::Decrypt => Keys::decryption(schedule),
        }
    }

    /// Those of the cipher itself, which the interpreter takes.
    fn plain_keys(self, key: &[u8]) -> Vec<[u8; BLOCK]> {
        let keys = eval::aria_round_keys(key).expect("an ARIA key");
        match self {
            Direction::Encrypt => keys,
            Direction::Decrypt => eval::aria_decryption_keys(&keys),
        }
    }
}

/// Bytes in a key.
pub const KEY_LENS: [usize; 3] = [16, 24, 32];

/// A way to run a kernel.
#[derive(Debug)]
pub enum Way {
    /// Its program, interpreted: on any machine.
    Interpreted(Box<Program>),
    /// Its machine code, on a CPU that has the instructions.
    Native(&'static Kernel<Aria>),
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
    pub fn native(kernel: &'static Kernel<Aria>) -> Result<Self, Missing> {
        kernel.prove(Detected::get()).map(|_| Way::Native(kernel))
    }

    /// What is run.
    pub fn variant(&self) -> Variant {
        match self {
            Way::Interpreted(program) => program.variant,
            Way::Native(kernel) => kernel.name().parse().expect("a kernel's name is a variant's"),
        }
    }

    /// Runs over whole blocks, or in counter mode over data of any length. Only there the counter matters, and only
    /// elsewhere the direction.
    ///
    /// # Panics
    /// If the key has not 16, 24 or 32 bytes, or the CPU lacks what the kernel needs.
    pub fn run(&self, key: &[u8], direction: Direction, counter: u128, mut data: InOutBuf<'_, '_, u8>) {
        match self {
            Way::Native(kernel) => keyed(kernel, key, direction).expect("a kernel that runs here")(counter, data),
            Way::Interpreted(program) => {
                let input = data.get_in().to_vec();
                data.get_out().copy_from_slice(&input);
                if mode(program.variant).0 == AriaMode::Ctr {
                    eval::block_counter(program, &Direction::Encrypt.plain_keys(key), counter, data.get_out());
                } else {
                    eval::blocks(program, &direction.plain_keys(key), data.get_out());
                }
            }
        }
    }
}

fn mode(variant: Variant) -> (AriaMode, AriaForm) {
    let Algorithm::Aria(mode, form) = variant.algorithm() else { panic!("{variant} is not ARIA") };
    (mode, form)
}

/// A kernel with its round keys: it takes the first counter block, which only counter mode heeds, and the data.
pub type Keyed = Box<dyn Fn(u128, InOutBuf<'_, '_, u8>)>;

/// For each layout the kernels for blocks by themselves and those for counter mode, and how to get at either.
macro_rules! keyed {
    ($($blocks:ident: $narrow:ident, $counter:ident: $narrow_counter:ident;)*) => {
        /// The kernel with the round keys of a key; those of counter mode always encrypt.
        ///
        /// # Errors
        /// The features that this CPU lacks.
        ///
        /// # Panics
        /// If the key has not 16, 24 or 32 bytes.
        pub fn keyed(kernel: &Kernel<Aria>, key: &[u8], direction: Direction) -> Result<Keyed, Missing> {
            const KIND: &str = "a kernel of this kind";
            let cpu = Detected::get();
            kernel.prove(cpu)?;
            let schedule = schedule(key);
            Ok(match kernel.function() {
                $(
                    Aria::$blocks(_) => {
                        let run = kernel.$narrow().expect(KIND).prove(cpu)?;
                        let keys = direction.keys(&schedule);
                        Box::new(move |_, data| run.run(&keys, data))
                    }
                    Aria::$counter(_) => {
                        let run = kernel.$narrow_counter().expect(KIND).prove(cpu)?;
                        let keys = Keys::encryption(&schedule);
                        Box::new(move |counter, data| run.run(&keys, counter, data))
                    }
                )*
            })
        }
    };
}

keyed! {
    Packed: packed, PackedCtr: packed_ctr;
    Dwords: dwords, DwordsCtr: dwords_ctr;
    AesDwords: aes_dwords, AesDwordsCtr: aes_dwords_ctr;
    Grid: grid, GridCtr: grid_ctr;
}

/// The key's schedule, on a CPU that runs kernels.
fn schedule(key: &[u8]) -> Schedule {
    let rounds = Detected::get().aria_rounds().expect("who can run a kernel has what the key schedule needs");
    Schedule::new(key, rounds).expect("an ARIA key")
}

/// What crates `aria` and `ctr` make of the data, in place of the variant's kernel; of a round alone, what its definition
/// makes of them. They are whole blocks, but in counter mode.
///
/// # Panics
/// If the key has not 16, 24 or 32 bytes, or the variant is not ARIA.
pub fn oracle(variant: Variant, key: &[u8], direction: Direction, counter: u128, data: &mut [u8]) {
    fn blocks<C>(key: &[u8], direction: Direction, data: &mut [u8])
    where
        C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = consts::U16>,
    {
        let cipher = C::new_from_slice(key).expect("an ARIA key");
        let (blocks, rest) = Array::slice_as_chunks_mut(data);
        assert!(rest.is_empty(), "`{}` bytes behind the last block", rest.len());
        match direction {
            Direction::Encrypt => cipher.encrypt_blocks(blocks),
            Direction::Decrypt => cipher.decrypt_blocks(blocks),
        }
    }
    fn keystream<C: KeyIvInit + StreamCipher>(key: &[u8], counter: u128, data: &mut [u8]) {
        let mut cipher = C::new_from_slices(key, &counter.to_be_bytes()).expect("an ARIA key and a block");
        cipher.apply_keystream(data);
    }
    macro_rules! by_mode {
        ($cipher:ty) => {
            match mode(variant) {
                (AriaMode::Ecb, _) => blocks::<$cipher>(key, direction, data),
                (AriaMode::Ctr, _) => keystream::<ctr::Ctr64BE<$cipher>>(key, counter, data),
                (mode @ (AriaMode::Odd | AriaMode::Even), form) => {
                    round(&direction.plain_keys(key), mode == AriaMode::Odd, form, data);
                }
            }
        };
    }
    match key.len() {
        16 => by_mode!(::aria::Aria128),
        24 => by_mode!(::aria::Aria192),
        32 => by_mode!(::aria::Aria256),
        bytes => panic!("no ARIA key has {bytes} bytes"),
    }
}

/// A round alone, as kernels have it: between the first of the keys and the last two. With GFNI these have in them what is
/// to be added by S-boxes of whole ciphers, and the S-boxes add nothing.
fn round(keys: &[[u8; BLOCK]], odd: bool, form: AriaForm, data: &mut [u8]) {
    static SBOXES: LazyLock<[[u8; 256]; CLASSES]> =
        LazyLock::new(|| std::array::from_fn(|class| std::array::from_fn(|byte| substitute(class, byte as u8))));
    let last = keys.len() - 1;
    type Key<'a> = &'a dyn Fn(usize) -> [u8; BLOCK];
    let (key, substitute): (Key<'_>, fn(usize, u8) -> u8) = match form {
        AriaForm::Gfni | AriaForm::Xor3 => (&|i| xor(keys[i], folded(i, last)), |class, byte| {
            let [before, after] = added(class);
            SBOXES[class][usize::from(byte ^ before)] ^ after
        }),
        AriaForm::AesSub => (&|i| keys[i], |class, byte| SBOXES[class][usize::from(byte)]),
    };
    let (before, after) = (key(0), xor(key(last - 1), key(last)));
    for block in data.as_chunks_mut().0 {
        let x = xor(*block, before);
        *block = xor(diffuse(std::array::from_fn(|i| substitute(class(i, odd), x[i]))), after);
    }
}

fn xor(a: [u8; BLOCK], b: [u8; BLOCK]) -> [u8; BLOCK] {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

/// A call to be checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Bytes in the message: whole blocks, but in counter mode.
    pub len: usize,
    /// Which round keys; in counter mode always those that encrypt.
    pub direction: Direction,
    /// The first counter block, in counter mode; its low 64 bits count.
    pub counter: u128,
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
    /// Bytes in the key.
    pub key_len: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Call { len, direction, counter, input_offset, output_offset } = self.call;
        write!(f, "{}: {len} bytes at offset {input_offset}, ", self.what)?;
        match output_offset {
            Some(offset) => write!(f, "to offset {offset}, ")?,
            None => write!(f, "in place, ")?,
        }
        write!(f, "key of {} bits to {}, counter {counter:#034x}", 8 * self.key_len, direction.name())
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
    /// For messages up to `longest` bytes under a key of `key_len` bytes.
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
    /// If the message is longer than the buffers are for or is no whole blocks, or an offset is 64 or more.
    pub fn check(&mut self, way: &Way, call: Call) -> Result<(), Fault> {
        let Call { len, direction, counter, input_offset, output_offset } = call;
        assert!(len <= self.longest && input_offset < 64 && output_offset.unwrap_or(0) < 64, "{call:?}");
        let room = len + 4 * FENCE;
        let (source, target) = (&mut self.input[..room], &mut self.output[..room]);
        let seed = (len as u64) << 16 | (input_offset as u64) << 8 | 1;
        fill(source, seed);
        fill(target, seed + 2);
        let (from, to) = (start(source, input_offset), start(target, output_offset.unwrap_or(0)));
        let (mut input, mut output) = (source.to_vec(), target.to_vec());
        let mut message = input[from..from + len].to_vec();
        oracle(way.variant(), &self.key, direction, counter, &mut message);
        let data = if output_offset.is_some() {
            output[to..to + len].copy_from_slice(&message);
            let out = &mut target[to..to + len];
            InOutBuf::new(&source[from..from + len], out).expect("buffers of one length")
        } else {
            input[from..from + len].copy_from_slice(&message);
            source[from..from + len].as_mut().into()
        };
        way.run(&self.key, direction, counter, data);
        let found = [(source, input, from, "input"), (target, output, to, "output")];
        for (found, wanted, start, name) in found {
            if let Some(at) = found.iter().zip(&wanted).position(|(a, b)| a != b) {
                let place = at as i64 - start as i64;
                let what = format!("{name} byte {place} is {:#04x} instead of {:#04x}", found[at], wanted[at]);
                return Err(Fault { call, key_len: self.key.len(), what });
            }
        }
        Ok(())
    }
}

/// The most blocks of [`every_length`].
pub const MOST_BLOCKS: usize = 200;

/// The longest message of [`every_length`] in counter mode, in bytes, but for some that are longer.
pub const LONGEST: usize = 1100;

/// Bytes in longer messages in counter mode.
const LONGER: [usize; 6] = [1536, 2047, 2063, 4096, 4111, 6000];

/// Which bits of a counter become ones, one and all, before it wraps or carries.
const WRAPS: [u32; 3] = [8, 16, 64];

/// Every number of blocks up to [`MOST_BLOCKS`], encrypted and decrypted; in counter mode every length up to [`LONGEST`]
/// bytes, with counters that carry out of bits 8 and 16 and wrap at bit 64 on the way. With keys of each size, in place and
/// from one buffer to another, at offsets that go round: natively all of that for each length, interpreted in turn.
/// `progress` is called after each length.
///
/// # Errors
/// The first call whose result is wrong.
pub fn every_length(way: &Way, mut progress: impl FnMut()) -> Result<(), Fault> {
    let native = matches!(way, Way::Native(_));
    let counts = mode(way.variant()).0 == AriaMode::Ctr;
    let lengths: Vec<usize> = match counts {
        true => (0..=LONGEST).chain(LONGER).collect(),
        false => (0..=MOST_BLOCKS).map(|blocks| blocks * BLOCK).collect(),
    };
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut benches = KEY_LENS.map(|key_len| Bench::new(key_len, longest));
    for (turn, len) in lengths.into_iter().enumerate() {
        let wraps = WRAPS.into_iter().enumerate().map(|(i, bits)| {
            // after none to all of the message's blocks
            let before = (turn * 7 + i) as u128 % (len as u128 / 16 + 2);
            let last = 0x0123_4567_89ab_cdef_0246_8ace_1357_9bdf | u128::MAX >> (128 - bits);
            (Direction::Encrypt, Field::Bits64.add(last, before.wrapping_neg()))
        });
        let works: Vec<(Direction, u128)> = match counts {
            true => wraps.collect(),
            false => Direction::ALL.map(|direction| (direction, 0)).to_vec(),
        };
        let others = benches.len() * works.len();
        for (i, bench) in benches.iter_mut().enumerate() {
            for (j, &(direction, counter)) in works.iter().enumerate() {
                let input_offset = (turn * 5 + i + j) % 64;
                let outputs = [None, Some((turn * 11 + 3 * i + 7 * j) % 64)];
                for (k, output_offset) in outputs.into_iter().enumerate() {
                    let at = i * works.len() + j;
                    if native || (turn % others, turn / others % outputs.len()) == (at, k) {
                        bench.check(way, Call { len, direction, counter, input_offset, output_offset })?;
                    }
                }
            }
        }
        progress();
    }
    Ok(())
}
