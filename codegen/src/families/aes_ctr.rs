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
//!    every N. A round takes longer than the chain's step, so the chain is never waited for. (The compiler may make it an
//!    addition a register, with a constant each.)
//! 3. The data are xored into the last round key and not into the result: a last round takes `x` to `S(x) ^ key`, so
//!    `key ^ data` gives the output at once, and the xor does not wait for the rounds.
//! 4. All registers of the rest are in flight at once. Where a batch is longer than what keeps the AES ports busy, the
//!    rest first goes by shorter batches.
//!
//! The cached form, for long messages (counter-mode caching: Bernstein and Schwabe, INDOCRYPT 2008; FACE, CHES 2018):
//!
//! ```text
//! for each run of 256 blocks whose counters differ in the lowest byte alone:
//!     w = the state after round 2 of the run's first block
//!     for each block i of the run:               first run: state after round 2 = as above
//!         state after round 2 = w ⊕ T[i]                    T[i] = state after round 2 ⊕ w
//!         rounds 3.. as above
//! ```
//! T serves every run, since the difference that byte 15 makes after round 2 does not depend on the other bytes that
//! change. In round 1, ShiftRows takes byte 15 to column 0, and bytes 14, 13, 12 and 11 to columns 1, 2, 3 and 3. So after
//! round 1 column 0 depends on bytes 0, 5, 10 and 15, of which only 15 changes, and no other column depends on byte 15.
//! Round 2 takes each byte through its S-box alone and then is linear. Byte 10 shares byte 15's column: where a carry
//! reaches it, every 2^40 blocks, T is made anew, as [`cut`](crate::runs::cut) says. The index is the public counter.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Outside, REVERSE, Registry, prefetch};
use crate::cost;
use crate::ir::{
    Argument, Block, Builder, Compute, Counter, Extent, Flow, Keys, Program, Runs, Skeleton, State, Value,
};
use crate::spec::{CtrForm, KeySize, Variant};

/// Registers that keep the AES ports busy, and then some: a round takes 3 cycles and 2 can start in each.
const BUSY: usize = 8;

/// How far ahead of a batch its successors' data are asked for, in bytes: some 200 cycles at full speed.
const AHEAD: usize = 1536;

pub(super) fn program(variant: Variant, key: KeySize, form: CtrForm) -> Program {
    let streamed = describe(variant, key, form, Keys::Streamed);
    let held = describe(variant, key, form, Keys::Held);
    if cost::cost(&held).fits() { held } else { streamed }
}

pub(super) fn outside(variant: Variant, key: KeySize, form: CtrForm, function: &Ident, krate: &TokenStream) -> Outside {
    let (bits, by, width) = (key.bits(), variant.by(), variant.width());
    let (form, cached) = match form {
        CtrForm::Plain => (String::new(), ""),
        CtrForm::Cached => (format!("form: [{}], ", form.name()), ", rounds 1 and 2 of long messages from a table"),
    };
    let round_keys = Literal::usize_unsuffixed(key.round_keys());
    let size = format_ident!("{key:?}");
    Outside {
        macro_call: format!("aes_ctr! {{ key: [{bits}], {form}by: [{by}], width: [{width}] }}"),
        documentation: vec![
            format!(" AES-{bits} in counter mode, {by} blocks in flight in {width} registers{cached}."),
            String::new(),
            " `counter` is the first counter block as a big-endian number; its low 64 bits count, modulo 2^64."
                .to_owned(),
        ],
        parameters: quote! {
            keys: &#krate::keys::RoundKeys<#round_keys>,
            counter: #krate::core::primitive::u128,
            data: #krate::inout::InOutBuf<'_, '_, #krate::core::primitive::u8>,
        },
        returns: TokenStream::new(),
        registered: quote!(#krate::ctr::Ctr::#size(#function)),
    }
}

pub(super) fn registry(krate: &TokenStream) -> Registry {
    Registry { signature: quote!(#krate::ctr::Ctr), items: TokenStream::new() }
}

fn describe(variant: Variant, key: KeySize, form: CtrForm, keys: Keys) -> Program {
    let mut p = Builder::new(variant.width());
    let lanes = variant.width().lanes();
    let kernel = Kernel {
        variant,
        rounds: key.rounds(),
        swap: p.constant("swap", vec![REVERSE]),
        step: p.constant("step", vec![lanes as u128]),
    };
    let lane = (lanes > 1).then(|| p.constant("lane", (0..lanes as u128).collect()));
    let setup = p.take();

    let mut c = kernel.first_counter(&mut p, "c");
    if let Some(lane) = lane {
        c = p.compute("c", Compute::Add64, [c, lane]);
    }
    let start = p.take();
    let state = p.state(c);

    let registers = variant.registers();
    let mut flows = vec![Flow::While(kernel.batch(&mut p, state, registers))];
    if registers > BUSY {
        flows.push(Flow::While(kernel.batch(&mut p, state, BUSY)));
    }
    let rest = (1..=registers.min(BUSY)).map(|r| kernel.rest(&mut p, state, r));
    flows.push(Flow::Rest(rest.collect()));
    let runs = (form == CtrForm::Cached).then(|| kernel.runs(&mut p, state));
    let counter = Counter { round_keys: key.round_keys(), keys, start, flows, runs };
    p.finish(variant, setup, vec![state], Skeleton::Counter(counter))
}

/// Rounds that the cached form has a table for.
const CACHED: usize = 2;

struct Kernel {
    variant: Variant,
    rounds: usize,
    swap: Value,
    step: Value,
}

impl Kernel {
    fn batch(&self, p: &mut Builder, state: State, registers: usize) -> Block {
        let (b, next) = self.counters(p, state.param, registers, registers);
        let b = self.rounds(p, b, 1);
        self.last_round(p, b, Extent::Whole);
        Block { registers, body: p.take(), next: vec![next] }
    }

    fn rest(&self, p: &mut Builder, state: State, registers: usize) -> Block {
        let (b, _) = self.counters(p, state.param, registers, registers - 1);
        let b = self.rounds(p, b, 1);
        self.last_round(p, b, Extent::Last);
        Block { registers, body: p.take(), next: vec![] }
    }

    fn runs(&self, p: &mut Builder, state: State) -> Runs {
        let registers = self.variant.registers();
        let first = self.first_counter(p, "first");
        let w = p.compute("w", Compute::Shuffle8, [first, self.swap]);
        let w = self.whiten(p, vec![w]);
        let w = self.cached_rounds(p, w)[0];
        let enter = p.take();

        let (b, next) = self.counters(p, state.param, registers, registers);
        let b = self.cached_rounds(p, b);
        let t = b.iter().enumerate().map(|(i, &b)| p.compute(&format!("t{i}"), Compute::Xor, [b, w])).collect();
        p.save(t);
        let b = self.rounds(p, b, CACHED + 1);
        self.last_round(p, b, Extent::Whole);
        let build = Block { registers, body: p.take(), next: vec![next] };

        prefetch(p, self.variant.width(), registers, AHEAD);
        let mut b = Vec::new();
        for i in 0..registers {
            let t = p.table("t", i);
            b.push(p.compute(&format!("b{i}"), Compute::Xor, [w, t]));
        }
        let b = self.rounds(p, b, CACHED + 1);
        self.last_round(p, b, Extent::Whole);
        let reuse = Block { registers, body: p.take(), next: vec![] };
        Runs { enter, build, reuse }
    }

    /// The first counter in every lane.
    fn first_counter(&self, p: &mut Builder, name: &str) -> Value {
        let low = p.argument("low", Argument::CounterLow);
        let high = p.argument("high", Argument::CounterHigh);
        p.compute(name, Compute::Pair, [high, low])
    }

    /// As many registers of counter blocks, xored with the first round key, and the counter after `steps` of them.
    fn counters(&self, p: &mut Builder, mut c: Value, registers: usize, steps: usize) -> (Vec<Value>, Value) {
        let mut b = Vec::new();
        for i in 0..registers {
            b.push(p.compute(&format!("b{i}"), Compute::Shuffle8, [c, self.swap]));
            if i < steps {
                c = p.compute("c", Compute::Add64, [c, self.step]);
            }
        }
        (self.whiten(p, b), c)
    }

    fn whiten(&self, p: &mut Builder, b: Vec<Value>) -> Vec<Value> {
        let first = p.key("k", 0);
        b.into_iter().map(|b| p.again(b, Compute::Xor, first)).collect()
    }

    fn cached_rounds(&self, p: &mut Builder, b: Vec<Value>) -> Vec<Value> {
        p.each_key(1..CACHED + 1, &b, |p, b, key| p.again(b, Compute::AesEnc, key))
    }

    fn rounds(&self, p: &mut Builder, b: Vec<Value>, from: usize) -> Vec<Value> {
        p.each_key(from..self.rounds, &b, |p, b, key| p.again(b, Compute::AesEnc, key))
    }

    /// The last round over all registers of data, the last of them to `extent`.
    fn last_round(&self, p: &mut Builder, b: Vec<Value>, extent: Extent) {
        let last = p.key("k", self.rounds);
        let extents: Vec<Extent> = (1..=b.len()).map(|i| if i < b.len() { Extent::Whole } else { extent }).collect();
        let mut out = Vec::new();
        for (i, &b) in b.iter().enumerate() {
            let d = p.load("d", i, extents[i]);
            let d = p.again(d, Compute::Xor, last);
            out.push(p.again(b, Compute::AesEncLast, d));
        }
        for (i, out) in out.into_iter().enumerate() {
            p.store(i, extents[i], out);
        }
    }
}
