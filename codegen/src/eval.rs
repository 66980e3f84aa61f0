//! The interpreter: runs any kernel of any N and width, in plain Rust, on any machine.
//!
//! It walks the same skeleton and statements that [`emit`](crate::emit) writes down. Where the two disagree on a
//! machine that has the instructions, the lowering is wrong; where this one disagrees with an independent
//! implementation, the description is. It indexes tables by key and data: it is for tests, not for secrets.

use crate::gf2::{AES_SBOX, xtime};
use crate::ir::{Argument, Block, Class, Compute, Extent, Flow, Op, Program, Runs, Stmt, Value};
use crate::runs::{self, Cut, RUN_BYTES};
use crate::spec::{BLOCK, KeySize, Width};

/// A vector value: as many lanes as the width has, 16 bytes each.
type Lanes = [[u8; BLOCK]; Width::Zmm.lanes()];

/// What a kernel takes besides the data.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// The round keys.
    pub keys: &'a [[u8; BLOCK]],
    /// The first counter block, as a big-endian number.
    pub counter: u128,
}

/// Runs the program over `data`, in place.
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
/// If there are not as many round keys as the program takes.
pub fn run(program: &Program, inputs: &Inputs<'_>, data: &mut [u8]) {
    assert_eq!(inputs.keys.len(), program.round_keys, "round keys of {}", program.variant);
    let width = program.variant.width();
    let mut machine = Machine {
        keys: inputs.keys,
        counter: inputs.counter,
        lanes: width.lanes(),
        vectors: vec![Lanes::default(); program.value_count()],
        scalars: vec![0; program.value_count()],
        table: Vec::new(),
        part: 0,
    };
    machine.stmts(&program.setup, &mut []);
    let mut left = data;
    while !left.is_empty() {
        let whole = Cut { bytes: left.len(), runs: false };
        let cut = program.skeleton.runs.as_ref().map_or(whole, |_| runs::cut(machine.counter, left.len()));
        let (now, later) = left.split_at_mut(cut.bytes);
        match &program.skeleton.runs {
            Some(runs) if cut.runs => machine.runs(program, runs, now),
            _ => {
                machine.start(program);
                machine.flows(program, now);
                machine.counter = runs::step(machine.counter, cut.bytes);
            }
        }
        left = later;
    }
}

struct Machine<'a> {
    keys: &'a [[u8; BLOCK]],
    counter: u128,
    lanes: usize,
    vectors: Vec<Lanes>,
    scalars: Vec<u64>,
    table: Vec<Lanes>,
    /// Where in the table the block's part of it starts.
    part: usize,
}

impl Machine<'_> {
    fn copy(&mut self, program: &Program, from: Value, to: Value) {
        match program.class(from) {
            Class::Vector => self.vectors[to.index()] = self.vectors[from.index()],
            Class::Scalar => self.scalars[to.index()] = self.scalars[from.index()],
        }
    }

    fn start(&mut self, program: &Program) {
        self.stmts(&program.skeleton.start, &mut []);
        for state in &program.state {
            self.copy(program, state.initial, state.param);
        }
    }

    fn flows(&mut self, program: &Program, mut left: &mut [u8]) {
        let bytes = self.lanes * BLOCK;
        for flow in &program.skeleton.flows {
            match flow {
                Flow::While(block) => {
                    let covered = block.registers * bytes;
                    while left.len() >= covered {
                        let (now, later) = left.split_at_mut(covered);
                        self.block(program, block, now);
                        left = later;
                    }
                }
                Flow::Rest(blocks) => {
                    let reached = left.len().div_ceil(bytes);
                    if reached > 0 {
                        self.block(program, &blocks[reached - 1], left);
                        left = &mut [];
                    }
                }
            }
        }
        assert!(left.is_empty(), "{} leaves {} bytes", program.variant, left.len());
    }

    fn runs(&mut self, program: &Program, runs: &Runs, data: &mut [u8]) {
        self.table.clear();
        for (i, run) in data.chunks_exact_mut(RUN_BYTES).enumerate() {
            self.stmts(&runs.enter, &mut []);
            if i == 0 {
                self.start(program);
            }
            let block = if i == 0 { &runs.build } else { &runs.reuse };
            for (batch, data) in run.chunks_exact_mut(block.registers * self.lanes * BLOCK).enumerate() {
                self.part = batch * block.registers;
                self.block(program, block, data);
            }
            self.counter = runs::step(self.counter, RUN_BYTES);
        }
    }

    fn block(&mut self, program: &Program, block: &Block, data: &mut [u8]) {
        self.stmts(&block.body, data);
        for (&next, state) in block.next.iter().zip(&program.state) {
            self.copy(program, next, state.param);
        }
    }

    fn stmts(&mut self, stmts: &[Stmt], data: &mut [u8]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(value, Op::Argument(argument)) => {
                    self.scalars[value.index()] = match argument {
                        Argument::CounterLow => self.counter as u64,
                        Argument::CounterHigh => (self.counter >> 64) as u64,
                    };
                }
                Stmt::Let(value, op) => self.vectors[value.index()] = self.vector(op, data),
                Stmt::Store(register, extent, value) => {
                    let bytes = self.vectors[value.index()];
                    let to = self.register(*register, *extent, data);
                    to.copy_from_slice(&bytes.as_flattened()[..to.len()]);
                }
                Stmt::Save(values) => self.table.extend(values.iter().map(|value| self.vectors[value.index()])),
                Stmt::Prefetch(_) => {}
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
        let bytes = self.lanes * BLOCK;
        let data = &mut data[i * bytes..];
        match extent {
            Extent::Whole => &mut data[..bytes],
            Extent::Last => {
                assert!((1..=bytes).contains(&data.len()), "the last register has {} bytes", data.len());
                data
            }
        }
    }

    fn vector(&self, op: &Op, data: &mut [u8]) -> Lanes {
        let mut out = Lanes::default();
        match op {
            Op::Argument(_) => unreachable!("an argument is a scalar"),
            Op::Const(lanes) => {
                for (out, lane) in out.iter_mut().zip(lanes.iter().cycle()) {
                    *out = lane.to_le_bytes();
                }
            }
            Op::Table(i) => out = self.table[self.part + i],
            Op::Key(r) => out.fill(self.keys[*r]),
            Op::Load(register, extent) => {
                let from = self.register(*register, *extent, data);
                out.as_flattened_mut()[..from.len()].copy_from_slice(from);
            }
            Op::Compute(Compute::Pair, operands) => {
                let [high, low] = [0, 1].map(|i| u128::from(self.scalars[operands[i].index()]));
                out.fill((high << 64 | low).to_le_bytes());
            }
            Op::Compute(compute, operands) => {
                for (lane, out) in out.iter_mut().enumerate().take(self.lanes) {
                    let operand = |i: usize| self.vectors[operands[i].index()][lane];
                    let (a, b) = (operand(0), operand(1));
                    *out = match compute {
                        Compute::Pair => unreachable!("handled above"),
                        Compute::Xor => std::array::from_fn(|i| a[i] ^ b[i]),
                        Compute::Add64 => add64(a, b),
                        Compute::Shuffle8 => b.map(|i| if i < 0x80 { a[usize::from(i) % BLOCK] } else { 0 }),
                        Compute::AesEnc => xor(mix_columns(shifted_sub_bytes(a)), b),
                        Compute::AesEncLast => xor(shifted_sub_bytes(a), b),
                    };
                }
            }
        }
        out
    }
}

fn xor(a: [u8; BLOCK], b: [u8; BLOCK]) -> [u8; BLOCK] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

fn add64(a: [u8; BLOCK], b: [u8; BLOCK]) -> [u8; BLOCK] {
    let [a, b] = [a, b].map(u128::from_le_bytes);
    let low = (a as u64).wrapping_add(b as u64);
    let high = ((a >> 64) as u64).wrapping_add((b >> 64) as u64);
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

/// ShiftRows and SubBytes (FIPS 197, sections 5.1.2 and 5.1.1). Byte 4c + r is row r of column c.
fn shifted_sub_bytes(state: [u8; BLOCK]) -> [u8; BLOCK] {
    std::array::from_fn(|i| AES_SBOX[usize::from(state[(i + 4 * (i % 4)) % BLOCK])])
}

/// MixColumns (FIPS 197, section 5.1.3): each byte becomes 2a ⊕ 3b ⊕ c ⊕ d of its column, from itself downwards.
fn mix_columns(state: [u8; BLOCK]) -> [u8; BLOCK] {
    std::array::from_fn(|i| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| state[i / 4 * 4 + (i + k) % 4]);
        xtime(a ^ b) ^ b ^ c ^ d
    })
}

/// AES's round keys (FIPS 197, section 5.2), to run programs where the CPU cannot make them; none where the key has
/// another length than `size`.
pub fn aes_round_keys(size: KeySize, key: &[u8]) -> Option<Vec<[u8; BLOCK]>> {
    if key.len() * 8 != size.bits() {
        return None;
    }
    let words_in_key = key.len() / 4;
    let mut words: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
    let mut rcon = 1;
    for i in words_in_key..4 * size.round_keys() {
        let mut word = words[i - 1];
        if i % words_in_key == 0 {
            word.rotate_left(1);
        }
        if i % words_in_key == 0 || (words_in_key > 6 && i % words_in_key == 4) {
            word = word.map(|byte| AES_SBOX[usize::from(byte)]);
        }
        if i % words_in_key == 0 {
            word[0] ^= rcon;
            rcon = xtime(rcon);
        }
        words.push(std::array::from_fn(|k| words[i - words_in_key][k] ^ word[k]));
    }
    Some(
        words
            .as_chunks()
            .0
            .iter()
            .map(|column: &[[u8; 4]; 4]| column.as_flattened().try_into().expect("4 words"))
            .collect(),
    )
}
