//! AES in counter mode (NIST SP 800-38A, section 6.5), by N blocks.
//!
//! ```text
//! for each block i of the data:                  counter + i as 16 big-endian bytes
//!     data[i] ^= AES(key, counter + i)           AES: xor key 0; rounds 1..; last round without MixColumns
//! ```
//! Departures from it:
//! 1. Counters stay in vector registers as little-endian numbers, one a lane; a 64-bit addition steps them, and a byte
//!    shuffle makes each a block. Nothing carries into the high half: the kernel counts modulo 2^64, and the caller
//!    splits its call where a narrower counter wraps or a wider one carries.
//! 2. The additions are a chain through the registers of the batch, so one constant, the lanes of a register, serves
//!    every N. A round takes longer than the chain's step, so the chain is never waited for.
//! 3. The data are xored into the last round key and not into the result: a last round takes `x` to `S(x) ^ key`, so
//!    `key ^ data` gives the output at once, and the xor does not wait for the rounds.
//! 4. All registers of the rest are in flight at once. Where a batch is longer than what keeps the AES ports busy, the
//!    rest first goes by shorter batches.

use crate::cost;
use crate::ir::{Argument, Block, Builder, Compute, Extent, Flow, Keys, Program, State, Value};
use crate::spec::{KeySize, Variant};

/// Registers that keep the AES ports busy, and then some: a round takes 3 cycles and 2 can start in each.
const BUSY: usize = 8;

pub(super) fn program(variant: Variant, key: KeySize) -> Program {
    let streamed = describe(variant, key, Keys::Streamed);
    let held = describe(variant, key, Keys::Held);
    if cost::live(&held) <= variant.width().registers() { held } else { streamed }
}

fn describe(variant: Variant, key: KeySize, keys: Keys) -> Program {
    let mut p = Builder::default();
    let lanes = variant.width().lanes();

    let low = p.argument("low", Argument::CounterLow);
    let high = p.argument("high", Argument::CounterHigh);
    let kernel = Kernel {
        rounds: key.rounds(),
        swap: p.constant("swap", vec![REVERSE]),
        step: p.constant("step", vec![lanes as u128]),
    };
    let mut counter = p.compute("counter", Compute::Pair, [high, low]);
    if lanes > 1 {
        let lane = p.constant("lane", (0..lanes as u128).collect());
        counter = p.compute("counter", Compute::Add64, [counter, lane]);
    }
    let setup = p.take();
    let state = p.state(counter);

    let registers = variant.registers();
    let mut skeleton = vec![Flow::While(kernel.batch(&mut p, state, registers))];
    if registers > BUSY {
        skeleton.push(Flow::While(kernel.batch(&mut p, state, BUSY)));
    }
    let rest = (1..=registers.min(BUSY)).map(|r| kernel.rest(&mut p, state, r));
    skeleton.push(Flow::Rest(rest.collect()));
    p.finish(variant, key.round_keys(), keys, setup, vec![state], skeleton)
}

/// Byte i is byte 15 − i.
const REVERSE: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;

struct Kernel {
    rounds: usize,
    swap: Value,
    step: Value,
}

impl Kernel {
    fn batch(&self, p: &mut Builder, state: State, registers: usize) -> Block {
        let next = self.blocks(p, state.param, registers, registers, Extent::Whole);
        Block { registers, body: p.take(), next: vec![next] }
    }

    fn rest(&self, p: &mut Builder, state: State, registers: usize) -> Block {
        self.blocks(p, state.param, registers, registers - 1, Extent::Last);
        Block { registers, body: p.take(), next: vec![] }
    }

    /// Encrypts `registers` registers of data, the last of them to `extent`, and steps the counter `steps` times.
    fn blocks(&self, p: &mut Builder, mut counter: Value, registers: usize, steps: usize, extent: Extent) -> Value {
        let b: Vec<String> = (0..registers).map(|i| format!("b{i}")).collect();
        let mut x = Vec::new();
        for (i, b) in b.iter().enumerate() {
            x.push(p.compute(b, Compute::Shuffle8, [counter, self.swap]));
            if i < steps {
                counter = p.compute("counter", Compute::Add64, [counter, self.step]);
            }
        }
        let first = p.key("k", 0);
        for (x, b) in x.iter_mut().zip(&b) {
            *x = p.compute(b, Compute::Xor, [*x, first]);
        }
        let x = p.each_key(1..self.rounds, &x, |p, b, x, key| p.compute(b, Compute::AesEnc, [x, key]));
        let last = p.key("k", self.rounds);
        let extents = (0..registers).map(|i| if i + 1 < registers { Extent::Whole } else { extent });
        let mut out = Vec::new();
        for (i, extent) in extents.clone().enumerate() {
            let d = p.load("d", i, extent);
            let d = p.compute("d", Compute::Xor, [d, last]);
            out.push(p.compute(&b[i], Compute::AesEncLast, [x[i], d]));
        }
        for (i, extent) in extents.enumerate() {
            p.store(i, extent, out[i]);
        }
        counter
    }
}
