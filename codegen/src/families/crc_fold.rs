//! Cyclic redundancy checks of up to 64 bits by carry-less multiplication, N lanes of 128 bits at a time (V. Gopal and
//! others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009).
//!
//! ```text
//! M = G · x^(64 − n)                       G: the generator, of degree n. What is computed modulo M is the CRC times
//!                                          x^(64 − n), so n needs no code of its own
//! message = lanes L_0 .. L_m−1             the state xored into the message's first 64 bits, zeros in front of them
//! for a step of N lanes:                   (H·x^64 + L) · x^128N  ≡  H · (x^(128N+64) mod M) + L · (x^128N mod M)
//!     A_i = A_i · x^128N + next lane
//! V = Σ H_j · (x^(128j+128) mod M) + L_j · (x^(128j+64) mod M)     over the lanes left, of which j others are behind
//! CRC · x^(64 − n) = V mod M               by Barrett: q = floor(V / M), V − q · M
//! ```
//! Departures from it:
//! 1. Zeros go in front of the message, not behind: they change nothing, and there is no tail. The first register has 1
//!    byte to all of it, every other is whole. Where the first has less than 8, what of the state finds no place in it
//!    is xored into the second, or into the result.
//! 2. Every lane goes straight to the end: it is multiplied by the power of x for its own distance and they are all
//!    added up, with no chain from lane to lane; the last is multiplied, too, so that one reduction of 64 bits does.
//!    One list of the powers x^(64k) mod M in descending order serves every register: the constants of its lanes stand
//!    in it one behind the other.
//! 3. A message of a few registers has a block of its own that is nothing but this.
//! 4. In the reflected order (the highest term in the lowest bit) a product has a factor x too many, so that the powers
//!    are x^(64k − 1); and as the quotient's constant, floor(x^127 / M) with its highest term does, so q needs no addition.
//!    A modulus has 65 terms. The constant is (M − (M mod x)) / x; the term 1, which M has only if n is 64, is added
//!    under a mask.
//! 5. Where the highest bit of a byte comes first, the bits of each byte are reversed and the result's, too, which takes
//!    another port than the multiplications (`rev`); or the bytes of each lane are, and the order is the plain one
//!    (`swap`).
//!
//! CRC-32C has an instruction, which takes 8 bytes a cycle on a port of its own. A form takes up to 64 bytes word by word
//! with it, with zeros in front of the first as in front of a register. The fused form uses it for long messages:
//!
//! ```text
//! for each chunk of the message:               chunk = F bytes in registers that are folded, then C chains of L bytes
//!     fold the registers, and beside it        r = the state after the registers, r_j = that after chain j's words,
//!                                              each from 0
//!     state = state · x^(8·(F+C·L)) + r · x^(8·C·L) + r_0 · x^(8·(C−1)·L) + … + r_C−1      modulo G
//! ```
//! 6. A product with x^(8k − 33) mod G has 64 terms; as a message of 8 bytes it gives the factor x^32 more, and one more
//!    is in the reflected product. So one instruction reduces the sum of all products.
//! 7. In a step each chain has as many words as keep its port as busy as the multiplications keep theirs.

use std::ops::Range;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::{Outside, REVERSE, Registry, prefetch};
use crate::gf2::Modulus;
use crate::ir::{
    Argument, Block, Builder, Chunks, Compute, Extent, Fold, Half, Order, Program, Skeleton, State, Value, Words,
};
use crate::spec::{CRC32C, CrcForm, Variant, Width};

/// Registers of the longest message that has a block of its own.
const SHORT: usize = 8;

/// How far ahead of a batch its successors' data are asked for, in bytes.
const AHEAD: usize = 2048;

pub(super) fn program(variant: Variant, form: CrcForm) -> Program {
    let mut p = Builder::new(variant.width());
    let number = p.argument("state", Argument::State);
    let carried = (form == CrcForm::Crc32cFused).then(|| p.state(number));
    let state = match form {
        CrcForm::Lsb | CrcForm::Crc32c | CrcForm::Crc32cFused => carried.map_or(number, |carried| carried.param),
        CrcForm::MsbRev | CrcForm::MsbSwap => p.compute("bytes", Compute::SwapBytes, [number]),
    };
    let pre = match form {
        CrcForm::Lsb | CrcForm::Crc32c | CrcForm::Crc32cFused => None,
        CrcForm::MsbRev => Some((Compute::Affine, p.constant("rev", vec![REVERSE_BITS]))),
        CrcForm::MsbSwap => Some((Compute::Shuffle8, p.constant("swap", vec![REVERSE]))),
    };
    let kernel = Kernel { variant, form, state, pre };
    let setup = p.take();

    let chunks = carried.map(|carried| kernel.chunks(&mut p, carried));
    let words = (form == CrcForm::Crc32c).then(|| kernel.words(&mut p));
    let short = (1..=SHORT).map(|registers| kernel.short(&mut p, registers)).collect();
    let begin = kernel.begin(&mut p);
    let state: Vec<State> = begin.next.iter().map(|&x| p.state(x)).collect();
    let batch = kernel.batch(&mut p, &state);
    let finish = kernel.finish(&mut p, &state);
    let sum = p.state(finish.next[0]);
    let lone = (variant.registers() > SHORT + 1).then(|| kernel.lone(&mut p));
    let each = kernel.each(&mut p, sum.param);
    let end = kernel.end(&mut p, sum.param);
    let fold = Fold { order: order(form), chunks, words, short, begin, batch, finish, lone, sum, each, end };
    p.finish(variant, setup, state, Skeleton::Fold(Box::new(fold)))
}

pub(super) fn outside(variant: Variant, form: CrcForm, lanes: usize, function: &Ident, krate: &TokenStream) -> Outside {
    let (by, width) = (variant.by(), variant.width());
    let lanes = Literal::usize_unsuffixed(lanes);
    let u64 = quote!(#krate::core::primitive::u64);
    let state = Ident::new("state", Span::mixed_site());
    let (what, first, register, kind) = match form {
        CrcForm::Lsb => ("A CRC that", "lowest", "low", quote!(Lsb)),
        CrcForm::MsbRev | CrcForm::MsbSwap => ("A CRC that", "highest", "high", quote!(Msb)),
        CrcForm::Crc32c | CrcForm::Crc32cFused => ("CRC-32C, which", "lowest", "low", quote!(Crc32c)),
    };
    Outside {
        macro_call: format!("crc_fold! {{ form: [{}], by: [{by}], width: [{width}] }}", form.name()),
        documentation: vec![
            format!(
                " {what} takes the {first} bit of a byte first, {by} lanes of 16 bytes in flight in {width} registers."
            ),
            String::new(),
            format!(
                " `state` is the CRC's register before the data, in the {register} bits; the result is the register after them."
            ),
        ],
        parameters: quote! {
            constants: &#krate::crc::Constants<#lanes>,
            #state: #u64,
            data: &[#krate::core::primitive::u8],
        },
        returns: quote!(-> #u64),
        registered: quote!(#krate::crc::Fold::#kind(#function)),
    }
}

pub(super) fn registry(variants: &[Variant], krate: &TokenStream) -> Registry {
    let lanes = Literal::usize_unsuffixed(lanes(variants));
    Registry {
        signature: quote!(#krate::crc::Fold<#lanes>),
        items: quote! {
            /// Lanes that the constants of these kernels have powers of x for.
            pub const LANES: #krate::core::primitive::usize = #lanes;
        },
    }
}

/// Lanes that powers of x are needed for, so that each of the variants finds them: of the longest message with a block
/// of its own, or of a batch and all registers that may be left. The list ends at a multiple of the widest register.
pub(super) fn lanes(variants: &[Variant]) -> usize {
    let lanes = |variant: &Variant| SHORT.max(2 * variant.registers() - 1) * variant.width().lanes();
    variants.iter().map(lanes).max().unwrap_or(0).next_multiple_of(Width::Zmm.lanes())
}

const fn order(form: CrcForm) -> Order {
    match form {
        CrcForm::Lsb | CrcForm::Crc32c | CrcForm::Crc32cFused | CrcForm::MsbRev => Order::Reflected,
        CrcForm::MsbSwap => Order::Plain,
    }
}

/// In each half, byte j is 1 << j: bit i of a result is bit 7 − i of its byte.
const REVERSE_BITS: u128 = {
    let (mut matrix, mut j) = (0, 0);
    while j < 16 {
        matrix |= 1 << (j % 8) << (8 * j);
        j += 1;
    }
    matrix
};

struct Kernel {
    variant: Variant,
    form: CrcForm,
    /// The CRC's state, its bytes as they are xored into the message's first.
    state: Value,
    /// What is done with data before all else.
    pre: Option<(Compute, Value)>,
}

/// Chains of words beside the folds: a word takes 3 cycles, and one can start in each.
const CHAINS: usize = 4;

/// Bytes in a chunk, at most.
const CHUNK: usize = 64 << 10;

/// Bytes of the longest message that goes by words.
const BY_WORDS: usize = 64;

impl Kernel {
    fn chunks(&self, p: &mut Builder, crc: State) -> Chunks {
        let registers = self.variant.registers();
        // the folds of a step take two multiplications a register
        let chains = CHAINS.min(2 * registers);
        let words = 2 * registers / chains;

        let mut next: Vec<Value> = (0..registers).map(|i| self.data(p, &format!("x{i}"), i)).collect();
        for chain in 0..chains {
            let word = p.word("w", chain, 0);
            let r = p.compute(&format!("r{chain}"), Compute::Crc32, [word]);
            next.push(self.chain(p, r, chain, 1..words));
        }
        let begin = Block { registers, body: p.take(), next };
        let state: Vec<State> = begin.next.iter().map(|&next| p.state(next)).collect();
        let (x, r) = state.split_at(registers);

        let mut batch = self.batch(p, x);
        batch.next.extend(r.iter().enumerate().map(|(chain, r)| self.chain(p, r.param, chain, 0..words)));
        batch.body.extend(p.take());

        let (chain, folded) = (words * size_of::<u64>(), registers * self.variant.width().bytes());
        let steps = CHUNK / (folded + chains * chain);
        let (chain, folded) = (steps * chain, steps * folded);
        let v = self.sum(p, x);
        let fold = self.reduce(p, v);
        let (last, others) = r.split_last().expect("a chain");
        let behind = (1..chains).rev().map(|chains| chains * chain);
        let terms = [(crc.param, folded + chains * chain), (fold, chains * chain)].into_iter();
        let terms = terms.chain(others.iter().map(|r| r.param).zip(behind));
        p.set_width(Width::Xmm);
        let mut sum = None;
        for (register, bytes) in terms {
            let name = if sum.is_some() { "product" } else { "sum" };
            let product = self.moved(p, name, register, bytes);
            sum = Some(sum.map_or(product, |sum| p.again(sum, Compute::Xor, product)));
        }
        let sum = p.compute("sum", Compute::Extract(Half::Low), [sum.expect("a term")]);
        p.set_width(self.variant.width());
        let sum = p.compute("sum", Compute::Crc32, [sum]);
        let after = p.compute("state", Compute::ScalarXor, [sum, last.param]);
        let end = Block { registers: 0, body: p.take(), next: vec![after] };
        Chunks { steps, chains, words, crc, begin, state, batch, end }
    }

    /// A chain's state after these of its words.
    fn chain(&self, p: &mut Builder, mut r: Value, chain: usize, words: Range<usize>) -> Value {
        for word in words {
            let word = p.word("w", chain, word);
            r = p.again(r, Compute::Crc32, word);
        }
        r
    }

    /// The state's product with the power of x that moves it on by so many bytes, but for what the CRC instruction
    /// and the reflected product add.
    fn moved(&self, p: &mut Builder, name: &str, register: Value, bytes: usize) -> Value {
        // modulo G · x^32, of which the power has the high half
        let power = Modulus::new(32, CRC32C).power(8 * bytes as u64 - 33 + 32) >> 32;
        let k = p.constant("k", vec![u128::from((power as u32).reverse_bits())]);
        let register = p.compute(name, Compute::Widen, [register]);
        p.compute(name, Compute::Clmul(Half::Low, Half::Low), [register, k])
    }

    fn words(&self, p: &mut Builder) -> Words {
        let short = (1..=BY_WORDS / size_of::<u64>()).map(|words| {
            let first = p.first_word("w", self.state);
            let crc = p.compute("crc", Compute::Crc32, [first]);
            let beyond = p.beyond("beyond", self.state);
            let mut crc = p.compute("crc", Compute::ScalarXor, [crc, beyond]);
            for word in 1..words {
                let word = p.word("w", 0, word);
                crc = p.again(crc, Compute::Crc32, word);
            }
            Block { registers: 0, body: p.take(), next: vec![crc] }
        });
        Words { registers: BY_WORDS / self.variant.width().bytes(), short: short.collect() }
    }

    fn short(&self, p: &mut Builder, registers: usize) -> Block {
        let first = self.first(p, "d");
        let k = p.distance("k", registers - 1);
        let mut v = self.product(p, first, k);
        for i in 1..registers {
            let d = if i == 1 { self.second(p, "d") } else { self.data(p, "d", i) };
            let k = p.distance("k", registers - 1 - i);
            v = self.add_product(p, v, d, k);
        }
        let mut crc = self.reduce(p, v);
        if registers == 1 {
            let mut beyond = p.beyond("beyond", self.state);
            if !self.form.is_lsb() {
                beyond = p.compute("beyond", Compute::SwapBytes, [beyond]);
            }
            crc = p.compute("crc", Compute::ScalarXor, [crc, beyond]);
        }
        Block { registers, body: p.take(), next: vec![crc] }
    }

    /// A batch of one register begins with two, since what of the state is beyond the first must go somewhere.
    fn begin(&self, p: &mut Builder) -> Block {
        let mut x = vec![self.first(p, "x0")];
        let second = self.second(p, if self.variant.registers() == 1 { "d" } else { "x1" });
        if self.variant.registers() == 1 {
            let k = p.stride("k", self.variant.by());
            let (early, late) = self.products(p, x[0], k);
            x[0] = p.xor3("x0", second, early, late);
        } else {
            x.push(second);
        }
        x.extend((2..self.variant.registers()).map(|i| self.data(p, &format!("x{i}"), i)));
        Block { registers: x.len().max(2), body: p.take(), next: x }
    }

    fn batch(&self, p: &mut Builder, state: &[State]) -> Block {
        prefetch(p, self.variant.width(), state.len(), AHEAD);
        let k = p.stride("k", self.variant.by());
        let mut next = Vec::new();
        for (i, x) in state.iter().enumerate() {
            let (early, late) = self.products(p, x.param, k);
            let d = self.data(p, "d", i);
            next.push(p.xor3(&format!("x{i}"), d, early, late));
        }
        Block { registers: state.len(), body: p.take(), next }
    }

    fn finish(&self, p: &mut Builder, state: &[State]) -> Block {
        let v = self.sum(p, state);
        Block { registers: 0, body: p.take(), next: vec![v] }
    }

    /// All registers of a batch, moved to the end and added up.
    fn sum(&self, p: &mut Builder, state: &[State]) -> Value {
        let mut v = None;
        for (i, x) in state.iter().enumerate() {
            let k = p.distance("k", state.len() - 1 - i);
            v = Some(match v {
                None => self.product(p, x.param, k),
                Some(v) => self.add_product(p, v, x.param, k),
            });
        }
        v.expect("a batch has a register")
    }

    fn lone(&self, p: &mut Builder) -> Block {
        let first = self.first(p, "d");
        let k = p.distance("k", 1);
        let v = self.product(p, first, k);
        let second = self.second(p, "d");
        let k = p.distance("k", 0);
        let v = self.add_product(p, v, second, k);
        Block { registers: 2, body: p.take(), next: vec![v] }
    }

    fn each(&self, p: &mut Builder, v: Value) -> Block {
        let d = self.data(p, "d", 0);
        let k = p.distance("k", 0);
        let v = self.add_product(p, v, d, k);
        Block { registers: 1, body: p.take(), next: vec![v] }
    }

    fn end(&self, p: &mut Builder, v: Value) -> Block {
        let crc = self.reduce(p, v);
        Block { registers: 0, body: p.take(), next: vec![crc] }
    }

    fn first(&self, p: &mut Builder, name: &str) -> Value {
        let d = p.first(name, self.state);
        self.pre(p, d)
    }

    fn second(&self, p: &mut Builder, name: &str) -> Value {
        let d = p.second(name, self.state);
        self.pre(p, d)
    }

    fn data(&self, p: &mut Builder, name: &str, i: usize) -> Value {
        let d = p.load(name, i, Extent::Whole);
        self.pre(p, d)
    }

    fn pre(&self, p: &mut Builder, d: Value) -> Value {
        self.pre.map_or(d, |(compute, constant)| p.again(d, compute, constant))
    }

    /// The products of the lanes' early and late halves. The early one's constant stands in the low half.
    fn products(&self, p: &mut Builder, d: Value, k: Value) -> (Value, Value) {
        let (early, late) = match order(self.form) {
            Order::Reflected => (Half::Low, Half::High),
            Order::Plain => (Half::High, Half::Low),
        };
        let early = p.compute("early", Compute::Clmul(early, Half::Low), [d, k]);
        (early, p.compute("late", Compute::Clmul(late, Half::High), [d, k]))
    }

    fn product(&self, p: &mut Builder, d: Value, k: Value) -> Value {
        let (early, late) = self.products(p, d, k);
        p.compute("v", Compute::Xor, [early, late])
    }

    fn add_product(&self, p: &mut Builder, v: Value, d: Value, k: Value) -> Value {
        let (early, late) = self.products(p, d, k);
        p.xor3("v", v, early, late)
    }

    /// The sum of the lanes, reduced.
    fn reduce(&self, p: &mut Builder, mut v: Value) -> Value {
        let width = self.variant.width();
        for half in Width::ALL.into_iter().rev().filter(|&half| half < width) {
            p.set_width(half);
            let upper = p.compute("upper", Compute::Upper, [v]);
            v = p.compute("v", Compute::Lower, [v]);
            v = p.compute("v", Compute::Xor, [v, upper]);
        }
        p.set_width(Width::Xmm);
        let m = p.quotient("m");
        let crc = match order(self.form) {
            Order::Reflected => {
                let q = p.compute("q", Compute::Clmul(Half::Low, Half::Low), [v, m]);
                let product = p.compute("product", Compute::Clmul(Half::Low, Half::High), [q, m]);
                let unit = p.unit("unit");
                let q = p.compute("q", Compute::And, [q, unit]);
                let v = p.compute("v", Compute::Xor, [v, product]);
                if self.form.is_lsb() {
                    let q = p.compute("q", Compute::Extract(Half::Low), [q]);
                    let crc = p.compute("crc", Compute::Extract(Half::High), [v]);
                    p.compute("crc", Compute::ScalarXor, [crc, q])
                } else {
                    let q = p.compute("q", Compute::Up, [q]);
                    let v = p.compute("v", Compute::Xor, [v, q]);
                    let rev = p.constant("rev", vec![REVERSE_BITS]);
                    let v = p.compute("v", Compute::Affine, [v, rev]);
                    let swap = p.constant("swap", vec![REVERSE]);
                    let v = p.compute("v", Compute::Shuffle8, [v, swap]);
                    p.compute("crc", Compute::Extract(Half::Low), [v])
                }
            }
            Order::Plain => {
                let q = p.compute("q", Compute::Clmul(Half::High, Half::Low), [v, m]);
                let q = p.compute("q", Compute::Xor, [q, v]);
                let product = p.compute("product", Compute::Clmul(Half::High, Half::High), [q, m]);
                let v = p.compute("v", Compute::Xor, [v, product]);
                p.compute("crc", Compute::Extract(Half::Low), [v])
            }
        };
        p.set_width(width);
        crc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_by_their_formulas() {
        assert_eq!(REVERSE_BITS as u64, 0x8040_2010_0804_0201);
        let by16: Variant = "crc_lsb_by16_zmm".parse().unwrap();
        assert_eq!(lanes(&[by16]), 8 * 4);
    }
}
