//! How descriptions make programs.

use std::ops::Range;

use super::{Argument, Carried, Class, Compute, Extent, Op, Program, RoundKey, Skeleton, State, Stmt, Turned, Value};
use crate::isa::{self, Instruction};
use crate::spec::{Variant, Width};

/// Makes programs: gives out values and collects statements.
#[derive(Debug)]
pub struct Builder {
    width: Width,
    takes_xor3: bool,
    indices: Vec<(u128, Value)>,
    values: Vec<(String, Class)>,
    stmts: Vec<Stmt>,
}

impl Builder {
    /// For vectors of this width, unless another is asked for.
    pub fn new(width: Width) -> Self {
        Builder { width, takes_xor3: false, indices: Vec::new(), values: Vec::new(), stmts: Vec::new() }
    }

    /// Xors have three inputs from now on, whatever the width.
    pub fn take_xor3(&mut self) {
        self.takes_xor3 = true;
    }

    /// Vectors are of this width from now on.
    pub fn set_width(&mut self, width: Width) {
        self.width = width;
    }

    fn value(&mut self, name: &str, class: Class) -> Value {
        self.values.push((name.to_owned(), class));
        Value(self.values.len() - 1)
    }

    fn op(&mut self, name: &str, class: Class, op: Op) -> Value {
        let value = self.value(name, class);
        self.stmts.push(Stmt::Let(value, op));
        value
    }

    /// A scalar argument.
    pub fn argument(&mut self, name: &str, argument: Argument) -> Value {
        self.op(name, Class::Scalar, Op::Argument(argument))
    }

    /// A constant, its lanes lowest first.
    pub fn constant(&mut self, name: &str, lanes: Vec<u128>) -> Value {
        self.op(name, Class::Vector(self.width), Op::Const(lanes))
    }

    /// The index of a byte shuffle, in every lane: one constant for all that ask for the same, at the end of the setup.
    pub fn index(&mut self, lane: u128) -> Value {
        if let Some((_, value)) = self.indices.iter().find(|(known, _)| *known == lane) {
            return *value;
        }
        let value = self.value(&format!("at{}", self.indices.len()), Class::Vector(self.width));
        self.indices.push((lane, value));
        value
    }

    /// Round key `r`.
    pub fn key(&mut self, name: &str, r: usize) -> Value {
        self.op(name, Class::Vector(self.width), Op::Key(r))
    }

    /// Register `i` of the data.
    pub fn load(&mut self, name: &str, i: usize, extent: Extent) -> Value {
        self.op(name, Class::Vector(self.width), Op::Load(i, extent))
    }

    /// Register `i` of the block's part of the table.
    pub fn table(&mut self, name: &str, i: usize) -> Value {
        self.op(name, Class::Vector(self.width), Op::Table(i))
    }

    /// Saves the block's part of the table.
    pub fn save(&mut self, values: Vec<Value>) {
        self.stmts.push(Stmt::Save(values));
    }

    /// Prefetches data, so many bytes after the start of the block.
    pub fn prefetch(&mut self, bytes: usize) {
        self.stmts.push(Stmt::Prefetch(bytes));
    }

    /// Stores register `i` of the data.
    pub fn store(&mut self, i: usize, extent: Extent, value: Value) {
        self.stmts.push(Stmt::Store(i, extent, value));
    }

    /// An operation on values alone.
    pub fn compute<const K: usize>(&mut self, name: &str, compute: Compute, operands: [Value; K]) -> Value {
        let class = if compute.is_scalar() { Class::Scalar } else { Class::Vector(self.width) };
        self.op(name, class, Op::Compute(compute, operands.to_vec()))
    }

    /// `a ^ b ^ c` in as few instructions as the width has: b and c first, where these are two.
    pub fn xor3(&mut self, name: &str, a: Value, b: Value, c: Value) -> Value {
        if self.takes_xor3 || isa::has(Instruction::Compute(Compute::Xor3), self.width) {
            self.compute(name, Compute::Xor3, [a, b, c])
        } else {
            let both = self.compute("both", Compute::Xor, [b, c]);
            self.compute(name, Compute::Xor, [a, both])
        }
    }

    /// The first register of a message; see [`Op::First`].
    pub fn first(&mut self, name: &str, state: Value) -> Value {
        self.op(name, Class::Vector(self.width), Op::First(state))
    }

    /// The second register of a message; see [`Op::Second`].
    pub fn second(&mut self, name: &str, state: Value) -> Value {
        self.op(name, Class::Vector(self.width), Op::Second(state))
    }

    /// What of the state is beyond the first register.
    pub fn beyond(&mut self, name: &str, state: Value) -> Value {
        self.op(name, Class::Scalar, Op::Beyond(state))
    }

    /// The first word of a message; see [`Op::FirstWord`].
    pub fn first_word(&mut self, name: &str, state: Value) -> Value {
        self.op(name, Class::Scalar, Op::FirstWord(state))
    }

    /// A word of a chain.
    pub fn word(&mut self, name: &str, chain: usize, word: usize) -> Value {
        self.op(name, Class::Scalar, Op::Word { chain, word })
    }

    /// The powers of x for a register that so many are behind.
    pub fn distance(&mut self, name: &str, registers: usize) -> Value {
        self.op(name, Class::Vector(self.width), Op::Distance(registers))
    }

    /// The powers of x for a step of so many lanes.
    pub fn stride(&mut self, name: &str, lanes: usize) -> Value {
        self.op(name, Class::Vector(self.width), Op::Stride(lanes))
    }

    /// The constants of the reduction.
    pub fn quotient(&mut self, name: &str) -> Value {
        self.op(name, Class::Vector(self.width), Op::Quotient)
    }

    /// The mask of the modulus's term 1.
    pub fn unit(&mut self, name: &str) -> Value {
        self.op(name, Class::Vector(self.width), Op::Unit)
    }

    /// An operation on a value and another, whose result goes by the name of the first.
    pub fn again(&mut self, value: Value, compute: Compute, other: Value) -> Value {
        let name = self.values[value.0].0.clone();
        self.compute(&name, compute, [value, other])
    }

    /// For each round key of the range: every value becomes what `step` makes of it and the key. Gives the values
    /// after the last.
    pub fn each_key(
        &mut self,
        rounds: Range<usize>,
        initial: &[Value],
        mut step: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Vec<Value> {
        let outside = std::mem::take(&mut self.stmts);
        let key = self.value("k", Class::Vector(self.width));
        let carried = initial
            .iter()
            .map(|&initial| {
                let param = self.alike(initial);
                let next = step(self, param, key);
                Carried { initial, param, next }
            })
            .collect::<Vec<_>>();
        let after = carried.iter().map(|c| c.param).collect();
        let body = std::mem::replace(&mut self.stmts, outside);
        self.stmts.push(Stmt::EachKey { rounds, key, carried, body });
        after
    }

    /// Vector `i` of a round key.
    pub fn round(&mut self, name: &str, key: RoundKey, i: usize) -> Value {
        self.op(name, Class::Vector(self.width), Op::Round(key, i))
    }

    /// For each pair of round keys behind so many, but for the last key: the values become what `former` makes of them, and
    /// `latter` of that; see [`Stmt::EachPair`]. Gives the values after the last.
    pub fn each_pair(
        &mut self,
        behind: usize,
        initial: &[Value],
        former: impl FnOnce(&mut Self, Vec<Value>) -> Vec<Value>,
        latter: impl FnOnce(&mut Self, Vec<Value>) -> Vec<Value>,
    ) -> Vec<Value> {
        assert!(matches!(behind, 1 | 2), "{behind} round keys before the pairs");
        let outside = std::mem::take(&mut self.stmts);
        let params: Vec<Value> = initial.iter().map(|&initial| self.alike(initial)).collect();
        let between = former(self, params.clone());
        let former = std::mem::take(&mut self.stmts);
        let next = latter(self, between.clone());
        let latter = std::mem::replace(&mut self.stmts, outside);
        let carried = (0..initial.len()).map(|i| Turned {
            initial: initial[i],
            param: params[i],
            between: between[i],
            next: next[i],
        });
        self.stmts.push(Stmt::EachPair { behind, carried: carried.collect(), former, latter });
        if Stmt::ends_whole(behind) { params } else { between }
    }

    /// What goes from block to block, from its value after `setup`.
    pub fn state(&mut self, initial: Value) -> State {
        let param = self.alike(initial);
        State { initial, param }
    }

    /// A value of the same name and class.
    fn alike(&mut self, value: Value) -> Value {
        let (name, class) = self.values[value.0].clone();
        self.value(&name, class)
    }

    /// The statements so far, as a list of their own.
    pub fn take(&mut self) -> Vec<Stmt> {
        std::mem::take(&mut self.stmts)
    }

    /// The program of these parts.
    pub fn finish(self, variant: Variant, mut setup: Vec<Stmt>, state: Vec<State>, skeleton: Skeleton) -> Program {
        setup.extend(self.indices.into_iter().map(|(lane, value)| Stmt::Let(value, Op::Const(vec![lane]))));
        Program { variant, setup, state, skeleton, values: self.values }
    }
}
