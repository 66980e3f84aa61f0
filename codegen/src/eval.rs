//! The interpreter: runs any kernel of any N and width, in plain Rust, on any machine.
//!
//! It walks the same skeleton and statements that [`emit`](crate::emit) writes down. Where the two disagree on a
//! machine that has the instructions, the lowering is wrong; where this one disagrees with an independent
//! implementation, the description is. It indexes tables by key and data: it is for tests, not for secrets.

use std::collections::BTreeMap;

use crate::gf2::{Modulus, aria};
use crate::ir::{
    Argument, Block, Chunks, Class, Compute, Counter, Extent, Flow, Fold, KeyLayout, Op, Program, RoundKey, Runs,
    Skeleton, State, Stmt, Value,
};
use crate::runs::{self, Cut, RUN_BYTES};
use crate::spec::{BLOCK, Width};

mod compute;
mod keys;
mod polynomial;

pub use keys::{aes_round_keys, aria_decryption_keys, aria_round_keys};

use compute::{crc32c, lane, of_lane, xor};
use keys::laid_out;
use polynomial::Polynomial;

/// A vector value: as many lanes as the width has, 16 bytes each.
type Lanes = [[u8; BLOCK]; Width::Zmm.lanes()];

/// What a counter-mode kernel takes besides the data.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// The round keys.
    pub keys: &'a [[u8; BLOCK]],
    /// The first counter block, as a big-endian number.
    pub counter: u128,
}

/// Runs a counter-mode program over `data`, in place.
///
/// ```
/// use byways_codegen::{eval, families, spec::{KeySize, Variant}};
/// // NIST SP 800-38A, F.5.1, block 1
/// let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
/// let keys = eval::aes_round_keys(KeySize::Aes128, &key).unwrap();
/// let mut data = 0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes();
/// let inputs = eval::Inputs { keys: &keys, counter: 0xf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff };
/// let program = families::program("aes128_ctr_by12_zmm".parse::<Variant>()?);
/// eval::run(&program, &inputs, &mut data);
/// assert_eq!(u128::from_be_bytes(data), 0x874d6191b620e3261bef6864990db6ce);
/// # Ok::<(), byways_codegen::spec::NameError>(())
/// ```
///
/// # Panics
/// If it is no program for counter mode, or there are not as many round keys as it takes.
pub fn run(program: &Program, inputs: &Inputs<'_>, data: &mut [u8]) {
    let Skeleton::Counter(skeleton) = &program.skeleton else { panic!("{} is no counter mode", program.variant) };
    assert_eq!(inputs.keys.len(), skeleton.round_keys, "round keys of {}", program.variant);
    let mut machine = Machine::new(program);
    machine.keys = inputs.keys;
    machine.counter = inputs.counter;
    machine.stmts(&program.setup, &mut []);
    let mut left = data;
    while !left.is_empty() {
        let whole = Cut { bytes: left.len(), runs: false };
        let cut = skeleton.runs.as_ref().map_or(whole, |_| runs::cut(machine.counter, left.len()));
        let (now, later) = left.split_at_mut(cut.bytes);
        match &skeleton.runs {
            Some(runs) if cut.runs => machine.runs(skeleton, runs, now),
            _ => {
                machine.start(skeleton);
                machine.flows(skeleton, now);
                machine.counter = runs::step(machine.counter, cut.bytes);
            }
        }
        left = later;
    }
}

/// Runs a CRC's program over `data`: the register after them, if it was `state` before. In programs that take the lowest
/// bit of a byte first, it is reflected, in the low bits; in others it is in the high bits.
///
/// ```
/// use byways_codegen::{eval, families, gf2::Modulus, spec::Variant};
/// let program = families::program("crc_lsb_by12_zmm".parse::<Variant>()?);
/// let crc32 = Modulus::new(32, 0x04c11db7);
/// assert_eq!(eval::fold(&program, crc32, 0xffffffff, b"123456789") ^ 0xffffffff, 0xcbf43926);
/// # Ok::<(), byways_codegen::spec::NameError>(())
/// ```
///
/// # Panics
/// If it is no program for a CRC.
pub fn fold(program: &Program, modulus: Modulus, state: u64, data: &[u8]) -> u64 {
    let Skeleton::Fold(fold) = &program.skeleton else { panic!("{} is no CRC", program.variant) };
    let mut machine = Machine::new(program);
    machine.state = state;
    machine.polynomial = Some(Polynomial { modulus, order: fold.order, powers: BTreeMap::new() });
    machine.stmts(&program.setup, &mut []);
    machine.fold(fold, &mut data.to_vec())
}

/// Runs a block cipher's program over `data`, whole blocks, in place. The round keys are those of the cipher itself, as
/// many as the key's size has.
///
/// ```
/// use byways_codegen::{eval, families, spec::Variant};
/// // RFC 5794, appendix A.1
/// let key: Vec<u8> = (0x00..=0x0f).collect();
/// let mut block = 0x00112233445566778899aabbccddeeff_u128.to_be_bytes();
/// let program = families::program("aria_ecb_by8_zmm".parse::<Variant>()?);
/// eval::blocks(&program, &eval::aria_round_keys(&key).unwrap(), &mut block);
/// assert_eq!(u128::from_be_bytes(block), 0xd718fbd6ab644c739da95f3be6451778);
/// # Ok::<(), byways_codegen::spec::NameError>(())
/// ```
///
/// # Panics
/// If it is no program for a block cipher, there are not 13, 15 or 17 round keys, or the data are no whole blocks.
pub fn blocks(program: &Program, keys: &[[u8; BLOCK]], data: &mut [u8]) {
    counted_blocks(program, keys, 0, data);
}

/// Runs a block cipher's program for counter mode over `data`, of any length, in place: as [`blocks`], and the low 64 bits
/// of the counter count.
///
/// # Panics
/// As [`blocks`].
pub fn block_counter(program: &Program, keys: &[[u8; BLOCK]], counter: u128, data: &mut [u8]) {
    let whole = data.len().next_multiple_of(BLOCK);
    let mut padded = data.to_vec();
    padded.resize(whole, 0);
    counted_blocks(program, keys, counter, &mut padded);
    data.copy_from_slice(&padded[..data.len()]);
}

fn counted_blocks(program: &Program, keys: &[[u8; BLOCK]], counter: u128, data: &mut [u8]) {
    let Skeleton::Rounds(rounds) = &program.skeleton else { panic!("{} is no block cipher", program.variant) };
    assert!(matches!(keys.len(), 13 | 15 | 17), "`{}` round keys", keys.len());
    assert!(data.len().is_multiple_of(BLOCK), "`{}` bytes are no whole blocks", data.len());
    let last = keys.len() - 1;
    let added = |i| if rounds.layout.is_folded() { aria::folded(i, last) } else { [0; BLOCK] };
    let folded = keys.iter().enumerate().map(|(i, key)| xor(*key, added(i)));
    let folded: Vec<[u8; BLOCK]> = folded.collect();
    let mut machine = Machine::new(program);
    machine.keys = &folded;
    machine.counter = counter;
    machine.stmts(&program.setup, &mut []);
    machine.stmts(&rounds.start, &mut []);
    for state in &program.state {
        machine.copy(state.initial, state.param);
    }
    let bytes = rounds.batch.registers * program.variant.width().bytes();
    for blocks in data.chunks_mut(bytes) {
        let mut batch = blocks.to_vec();
        batch.resize(bytes, 0);
        machine.block(&rounds.batch, &program.state, &mut batch);
        blocks.copy_from_slice(&batch[..blocks.len()]);
    }
}

struct Machine<'a> {
    program: &'a Program,
    keys: &'a [[u8; BLOCK]],
    counter: u128,
    state: u64,
    polynomial: Option<Polynomial>,
    /// Bytes of a message's first register, where the block's data start with it; else those of every register.
    first: usize,
    /// Whole registers that the block leaves.
    left: usize,
    /// Where in the block's data the chains' words are, and from each to the next, in bytes.
    chains: usize,
    chain: usize,
    vectors: Vec<Lanes>,
    scalars: Vec<u64>,
    table: Vec<Lanes>,
    /// Which round key is the first of the pair.
    former: usize,
    /// Where in the table the block's part of it starts.
    part: usize,
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program) -> Self {
        Machine {
            program,
            keys: &[],
            counter: 0,
            state: 0,
            polynomial: None,
            first: program.variant.width().bytes(),
            left: 0,
            chains: 0,
            chain: 0,
            vectors: vec![Lanes::default(); program.value_count()],
            scalars: vec![0; program.value_count()],
            table: Vec::new(),
            former: 0,
            part: 0,
        }
    }

    /// A chunk: the folded registers, and behind them the chains, each with its words of every step.
    fn chunk(&mut self, chunks: &Chunks, data: &mut [u8]) {
        let registers = self.program.variant.registers() * self.program.variant.width().bytes();
        let words = chunks.words * size_of::<u64>();
        let (folded, chains) = data.split_at(chunks.steps * registers);
        (self.chains, self.chain) = (registers, words);
        for step in 0..chunks.steps {
            let mut now = folded[step * registers..][..registers].to_vec();
            for chain in chains.chunks_exact(chunks.steps * words) {
                now.extend(&chain[step * words..][..words]);
            }
            let block = if step == 0 { &chunks.begin } else { &chunks.batch };
            self.block(block, &chunks.state, &mut now);
        }
        self.block(&chunks.end, &[chunks.crc], &mut []);
        (self.chains, self.chain) = (0, 0);
    }

    fn fold(&mut self, fold: &Fold, mut data: &mut [u8]) -> u64 {
        if let Some(chunks) = &fold.chunks {
            self.copy(chunks.crc.initial, chunks.crc.param);
            let step = self.program.variant.by() * BLOCK + chunks.chains * chunks.words * size_of::<u64>();
            while data.len() >= chunks.steps * step {
                let (now, later) = data.split_at_mut(chunks.steps * step);
                self.chunk(chunks, now);
                data = later;
            }
            // without a register the state stays as it is
            self.state = self.scalars[chunks.crc.param.index()];
        }
        let bytes = self.program.variant.width().bytes();
        let batch = self.program.variant.registers();
        let registers = data.len().div_ceil(bytes);
        let Some(behind) = registers.checked_sub(1) else { return self.state };
        if let Some(words) = fold.words.as_ref().filter(|words| registers <= words.registers) {
            self.first = (data.len() - 1) % size_of::<u64>() + 1;
            (self.chains, self.chain) = (self.first, 0);
            let short = &words.short[(data.len() - 1) / size_of::<u64>()];
            self.stmts(&short.body, data);
            return self.scalars[short.next[0].index()];
        }
        self.first = data.len() - behind * bytes;
        if let Some(short) = fold.short.get(behind) {
            self.stmts(&short.body, data);
            return self.scalars[short.next[0].index()];
        }
        let begin = fold.lone.as_ref().filter(|_| registers < batch).unwrap_or(&fold.begin);
        let (now, mut left) = data.split_at_mut(self.first + (begin.registers - 1) * bytes);
        let sum = [fold.sum];
        if registers < batch {
            self.left = left.len() / bytes;
            self.block(begin, &sum, now);
        } else {
            let state = &self.program.state;
            self.block(begin, state, now);
            self.first = bytes;
            while left.len() >= batch * bytes {
                let (now, later) = left.split_at_mut(batch * bytes);
                self.block(&fold.batch, state, now);
                left = later;
            }
            self.left = left.len() / bytes;
            self.block(&fold.finish, &sum, &mut []);
        }
        self.first = bytes;
        for register in left.chunks_exact_mut(bytes) {
            self.left -= 1;
            self.block(&fold.each, &sum, register);
        }
        self.stmts(&fold.end.body, &mut []);
        self.scalars[fold.end.next[0].index()]
    }

    fn copy(&mut self, from: Value, to: Value) {
        match self.program.class(from) {
            Class::Vector(_) => self.vectors[to.index()] = self.vectors[from.index()],
            Class::Scalar => self.scalars[to.index()] = self.scalars[from.index()],
        }
    }

    fn start(&mut self, counter: &Counter) {
        self.stmts(&counter.start, &mut []);
        for state in &self.program.state {
            self.copy(state.initial, state.param);
        }
    }

    fn flows(&mut self, counter: &Counter, mut left: &mut [u8]) {
        let (bytes, state) = (self.program.variant.width().bytes(), &self.program.state);
        for flow in &counter.flows {
            match flow {
                Flow::While(block) => {
                    let covered = block.registers * bytes;
                    while left.len() >= covered {
                        let (now, later) = left.split_at_mut(covered);
                        self.block(block, state, now);
                        left = later;
                    }
                }
                Flow::Rest(blocks) => {
                    let reached = left.len().div_ceil(bytes);
                    if reached > 0 {
                        self.block(&blocks[reached - 1], state, left);
                        left = &mut [];
                    }
                }
            }
        }
        assert!(left.is_empty(), "{} leaves {} bytes", self.program.variant, left.len());
    }

    fn runs(&mut self, counter: &Counter, runs: &Runs, data: &mut [u8]) {
        self.table.clear();
        let (bytes, state) = (self.program.variant.width().bytes(), &self.program.state);
        for (i, run) in data.chunks_exact_mut(RUN_BYTES).enumerate() {
            self.stmts(&runs.enter, &mut []);
            if i == 0 {
                self.start(counter);
            }
            let block = if i == 0 { &runs.build } else { &runs.reuse };
            for (batch, data) in run.chunks_exact_mut(block.registers * bytes).enumerate() {
                self.part = batch * block.registers;
                self.block(block, state, data);
            }
            self.counter = runs::step(self.counter, RUN_BYTES);
        }
    }

    fn block(&mut self, block: &Block, state: &[State], data: &mut [u8]) {
        self.stmts(&block.body, data);
        for (&next, state) in block.next.iter().zip(state) {
            self.copy(next, state.param);
        }
    }

    fn stmts(&mut self, stmts: &[Stmt], data: &mut [u8]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(value, Op::Argument(argument)) => {
                    self.scalars[value.index()] = match argument {
                        Argument::CounterLow => self.counter as u64,
                        Argument::CounterHigh => (self.counter >> 64) as u64,
                        Argument::State => self.state,
                    };
                }
                Stmt::Let(value, op) => match self.program.class(*value) {
                    Class::Vector(width) => self.vectors[value.index()] = self.vector(op, width, data),
                    Class::Scalar => self.scalars[value.index()] = self.scalar(op, data),
                },
                Stmt::Store(register, extent, value) => {
                    let bytes = self.vectors[value.index()];
                    let to = self.register(*register, *extent, data);
                    to.copy_from_slice(&bytes.as_flattened()[..to.len()]);
                }
                Stmt::Save(values) => self.table.extend(values.iter().map(|value| self.vectors[value.index()])),
                Stmt::Prefetch(_) => {}
                Stmt::EachPair { behind, carried, former, latter } => {
                    for c in carried {
                        self.copy(c.initial, c.param);
                    }
                    let last = self.keys.len() - 1;
                    for former_key in (*behind..last).step_by(2) {
                        self.former = former_key;
                        self.stmts(former, data);
                        if former_key + 1 == last {
                            break;
                        }
                        self.stmts(latter, data);
                        for c in carried {
                            self.copy(c.next, c.param);
                        }
                    }
                }
                Stmt::EachKey { rounds, key, carried, body } => {
                    for c in carried {
                        self.vectors[c.param.index()] = self.vectors[c.initial.index()];
                    }
                    for r in rounds.clone() {
                        self.vectors[key.index()] = [self.keys[r]; 4];
                        self.stmts(body, data);
                        for c in carried {
                            self.vectors[c.param.index()] = self.vectors[c.next.index()];
                        }
                    }
                }
            }
        }
    }

    /// The bytes of register `i`, all of which there must be where the extent is whole.
    fn register<'d>(&self, i: usize, extent: Extent, data: &'d mut [u8]) -> &'d mut [u8] {
        let bytes = self.program.variant.width().bytes();
        let start = if i == 0 { 0 } else { self.first + (i - 1) * bytes };
        let data = &mut data[start..];
        match extent {
            Extent::Whole => &mut data[..bytes],
            Extent::Last => {
                assert!((1..=bytes).contains(&data.len()), "the last register has {} bytes", data.len());
                data
            }
        }
    }

    /// The state without the first register's bytes.
    fn beyond(&self, state: Value) -> u64 {
        self.scalars[state.index()].checked_shr(8 * self.first as u32).unwrap_or(0)
    }

    fn scalar(&self, op: &Op, data: &[u8]) -> u64 {
        let scalar = |value: &Value| self.scalars[value.index()];
        match op {
            Op::Beyond(state) => self.beyond(*state),
            Op::FirstWord(state) => {
                let (first, zeros) = (&data[..self.first], size_of::<u64>() - self.first);
                let mut word = [0; size_of::<u64>()];
                word[zeros..].copy_from_slice(first);
                u64::from_le_bytes(word) ^ scalar(state) << (8 * zeros)
            }
            Op::Word { chain, word } => {
                // words behind a first one count from it
                let word = if self.chain == 0 { word - 1 } else { *word };
                let bytes = &data[self.chains + chain * self.chain + word * size_of::<u64>()..];
                u64::from_le_bytes(*bytes.first_chunk().expect("a whole word"))
            }
            Op::Compute(Compute::Crc32, operands) => match &operands[..] {
                [word] => crc32c(0, scalar(word)),
                operands => crc32c(scalar(&operands[0]), scalar(&operands[1])),
            },
            Op::Compute(Compute::ScalarXor, operands) => scalar(&operands[0]) ^ scalar(&operands[1]),
            Op::Compute(Compute::SwapBytes, operands) => scalar(&operands[0]).swap_bytes(),
            Op::Compute(Compute::Extract(half), operands) => of_lane(*half, self.vectors[operands[0].index()][0]),
            op => unreachable!("{op:?} makes no scalar"),
        }
    }

    fn vector(&mut self, op: &Op, width: Width, data: &mut [u8]) -> Lanes {
        let mut out = Lanes::default();
        match op {
            Op::Argument(_) | Op::Beyond(_) | Op::FirstWord(_) | Op::Word { .. } => {
                unreachable!("{op:?} makes no vector")
            }
            Op::Const(lanes) => {
                for (out, lane) in out.iter_mut().zip(lanes.iter().cycle()) {
                    *out = lane.to_le_bytes();
                }
            }
            Op::Table(i) => out = self.table[self.part + i],
            Op::Key(r) => out.fill(self.keys[*r]),
            Op::Round(which, i) => {
                let last = self.keys.len() - 1;
                let key = match which {
                    RoundKey::First | RoundKey::FirstPacked => 0,
                    RoundKey::SecondPacked => 1,
                    RoundKey::Former => self.former,
                    RoundKey::Latter => self.former + 1,
                    RoundKey::LastButOne => last - 1,
                    RoundKey::Last | RoundKey::Natural => last,
                };
                let Skeleton::Rounds(rounds) = &self.program.skeleton else { unreachable!("a block cipher's") };
                let of = |i| laid_out(rounds.layout, self.keys[key], *which, i);
                match rounds.layout {
                    KeyLayout::Lanes if *which != RoundKey::Natural => {
                        out.iter_mut().enumerate().for_each(|(lane, out)| *out = of(lane));
                    }
                    _ => out.fill(of(*i)),
                }
            }
            Op::Load(register, extent) => {
                let from = self.register(*register, *extent, data);
                out.as_flattened_mut()[..from.len()].copy_from_slice(from);
            }
            Op::First(state) => {
                let (first, zeros) = (&data[..self.first], width.bytes() - self.first);
                let out = &mut out.as_flattened_mut()[zeros..];
                out[..first.len()].copy_from_slice(first);
                let state = self.scalars[state.index()].to_le_bytes();
                out.iter_mut().take(first.len()).zip(state).for_each(|(out, state)| *out ^= state);
            }
            Op::Second(state) => {
                out.as_flattened_mut()[..width.bytes()].copy_from_slice(self.register(1, Extent::Whole, data));
                let beyond = self.beyond(*state).to_le_bytes();
                out.as_flattened_mut().iter_mut().zip(beyond).for_each(|(out, beyond)| *out ^= beyond);
            }
            Op::Distance(registers) => {
                let last = (self.left + registers) * width.lanes();
                for (i, out) in out.iter_mut().enumerate().take(width.lanes()) {
                    let behind = last + width.lanes() - 1 - i;
                    *out = lane(self.powers([2 * behind + 2, 2 * behind + 1]));
                }
            }
            Op::Stride(lanes) => out.fill(lane(self.powers([2 * lanes + 1, 2 * lanes]))),
            Op::Quotient => out.fill(lane(self.polynomial.as_ref().expect("a CRC's").quotient())),
            Op::Unit => out.fill(lane([self.polynomial.as_ref().expect("a CRC's").unit(); 2])),
            Op::Compute(compute, operands) => return self.compute(*compute, operands, width),
        }
        out
    }

    fn powers(&mut self, exponents: [usize; 2]) -> [u64; 2] {
        let polynomial = self.polynomial.as_mut().expect("a CRC's program has a polynomial");
        exponents.map(|k| polynomial.power(k))
    }
}
