//! Cyclic redundancy checks of up to 64 bits by carry-less multiplication, N lanes of 128 bits at a time (V. Gopal and
//! others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009).
//!
//! ```text
//! M = G · x^(64 − n)                       G: the generator, of degree n. What is computed modulo M is the CRC times
//!                                          x^(64 − n), so n needs no code of its own
//! message = lanes L_0 .. L_m−1             the register xored into the message's first 64 bits, zeros in front of them
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

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::{Outside, Registry};
use crate::ir::{Argument, Block, Builder, Compute, Extent, Fold, Half, Order, Program, Skeleton, State, Value};
use crate::spec::{CrcForm, Variant, Width};

/// Registers of the longest message that has a block of its own.
const SHORT: usize = 8;

/// How far ahead of a batch its successors' data are asked for, in bytes.
const AHEAD: usize = 2048;

/// Bytes in a cache line.
const LINE: usize = 64;

pub(super) fn program(variant: Variant, form: CrcForm) -> Program {
    let mut p = Builder::new(variant.width());
    let number = p.argument("state", Argument::State);
    let state = match form {
        CrcForm::Lsb => number,
        CrcForm::MsbRev | CrcForm::MsbSwap => p.compute("bytes", Compute::SwapBytes, [number]),
    };
    let pre = match form {
        CrcForm::Lsb => None,
        CrcForm::MsbRev => Some((Compute::Affine, p.constant("rev", vec![REVERSE_BITS]))),
        CrcForm::MsbSwap => Some((Compute::Shuffle8, p.constant("swap", vec![REVERSE]))),
    };
    let kernel = Kernel { variant, form, state, pre };
    let setup = p.take();

    let short = (1..=SHORT).map(|registers| kernel.short(&mut p, registers)).collect();
    let begin = kernel.begin(&mut p);
    let state: Vec<State> = begin.next.iter().map(|&x| p.state(x)).collect();
    let batch = kernel.batch(&mut p, &state);
    let finish = kernel.finish(&mut p, &state);
    let sum = p.state(finish.next[0]);
    let lone = (variant.registers() > SHORT + 1).then(|| kernel.lone(&mut p));
    let each = kernel.each(&mut p, sum.param);
    let end = kernel.end(&mut p, sum.param);
    let fold = Fold { order: order(form), short, begin, batch, finish, lone, sum, each, end };
    p.finish(variant, setup, state, Skeleton::Fold(Box::new(fold)))
}

pub(super) fn outside(variant: Variant, form: CrcForm, lanes: usize, function: &Ident, krate: &TokenStream) -> Outside {
    let (by, width) = (variant.by(), variant.width());
    let lanes = Literal::usize_unsuffixed(lanes);
    let u64 = quote!(#krate::core::primitive::u64);
    let state = Ident::new("state", Span::mixed_site());
    let (first, register, kind) = match form {
        CrcForm::Lsb => ("lowest", "the low bits", quote!(Lsb)),
        CrcForm::MsbRev | CrcForm::MsbSwap => ("highest", "the high bits", quote!(Msb)),
    };
    Outside {
        macro_call: format!("crc_fold! {{ form: [{}], by: [{by}], width: [{width}] }}", form.name()),
        documentation: vec![
            format!(" A CRC that takes the {first} bit of a byte first, {by} lanes of 16 bytes in flight in {width} registers."),
            String::new(),
            format!(" `state` is the CRC's register before the data, in {register}; the result is the register after them."),
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
        CrcForm::Lsb | CrcForm::MsbRev => Order::Reflected,
        CrcForm::MsbSwap => Order::Plain,
    }
}

/// Byte i is byte 15 − i.
const REVERSE: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;

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
    /// The register's bytes as they are xored into the message's first.
    state: Value,
    /// What is done with data before all else.
    pre: Option<(Compute, Value)>,
}

impl Kernel {
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
            if self.form != CrcForm::Lsb {
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
        for line in (0..state.len() * self.variant.width().bytes()).step_by(LINE) {
            p.prefetch(AHEAD + line);
        }
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
        let mut v = None;
        for (i, x) in state.iter().enumerate() {
            let k = p.distance("k", state.len() - 1 - i);
            v = Some(match v {
                None => self.product(p, x.param, k),
                Some(v) => self.add_product(p, v, x.param, k),
            });
        }
        Block { registers: 0, body: p.take(), next: v.into_iter().collect() }
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
                if self.form == CrcForm::Lsb {
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
