//! The vector program: what a description becomes, and what [`emit`](crate::emit), [`eval`](crate::eval) and
//! [`cost`](crate::cost) read.
//!
//! A [`Program`] is a straight-line `setup` and the blocks of its [`Skeleton`]. Blocks are lists of statements in
//! single-assignment form; the only construct is [`Stmt::EachKey`], "for each round key". There is no branch, no
//! pointer and no length arithmetic in them: when which block runs is the skeleton's business.
//!
//! Every value has a name, under which it is emitted. A later value of the same name shadows the earlier one, which
//! must not be used any more: [`Program::check`] holds that.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::spec::Variant;

/// A value of a program, an index into its table of values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(usize);

/// Where a value lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// In a vector register.
    Vector,
    /// In a 64-bit general register.
    Scalar,
}

/// A 64-bit argument of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Bits 63..0 of the first counter block, read as a big-endian number.
    CounterLow,
    /// Bits 127..64 of it.
    CounterHigh,
}

/// How much of a register's worth of data an access covers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Extent {
    /// All of it.
    Whole,
    /// What is left: 1 byte to all of it. The rest reads as zeros and is not written.
    Last,
}

/// An operation on values alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Compute {
    /// `(high, low)`: two scalars as one 128-bit number in every lane.
    Pair,
    /// `a ^ b`
    Xor,
    /// `a + b` in 64-bit lanes, wrapping.
    Add64,
    /// `(a, index)`: within each 128-bit lane, byte i is byte `index[i]` of `a`.
    Shuffle8,
    /// `(state, key)`: an AES round in each 128-bit lane.
    AesEnc,
    /// `(state, key)`: the last AES round, without MixColumns.
    AesEncLast,
}

/// What a value is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// A scalar argument.
    Argument(Argument),
    /// A constant: its 128-bit lanes, lowest first, one for all lanes or one each.
    Const(Vec<u128>),
    /// Round key `r` in every lane.
    Key(usize),
    /// Register `i` of the block's data.
    Load(usize, Extent),
    /// Register `i` of the block's part of the table.
    Table(usize),
    /// An operation on values alone.
    Compute(Compute, Vec<Value>),
}

/// A value that goes round a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// Its value before the loop.
    pub initial: Value,
    /// Its value at the start of each round, and after the loop.
    pub param: Value,
    /// Its value at the end of a round.
    pub next: Value,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// A new value.
    Let(Value, Op),
    /// Register `i` of the block's data becomes the value.
    Store(usize, Extent, Value),
    /// The values, one a register of the block, become its part of the table.
    Save(Vec<Value>),
    /// The data so many bytes after the start of the block will be used soon.
    Prefetch(usize),
    /// The body once for each round key of the range, with the key as a value.
    EachKey {
        /// Which round keys.
        rounds: Range<usize>,
        /// The round key.
        key: Value,
        /// What the body changes.
        carried: Vec<Carried>,
        /// What is done with each key.
        body: Vec<Stmt>,
    },
}

/// The work on `registers` registers of data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// How many registers of data it covers.
    pub registers: usize,
    /// What is done.
    pub body: Vec<Stmt>,
    /// The program's state afterwards, as [`Program::state`] lists it; empty where nothing follows.
    pub next: Vec<Value>,
}

/// A piece of a skeleton: when a block runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flow {
    /// While as much data is left as the block covers: the block, on the next of it.
    While(Block),
    /// If data is left: the block of as many registers as it reaches into, the last of them [`Extent::Last`].
    /// Block i covers i + 1 registers; more than the last block covers is never left.
    Rest(Vec<Block>),
}

/// How runs of blocks go whose counters differ in the lowest byte alone: each of the first run's batches makes its part
/// of a table, which the later runs' batches use. [`runs::cut`](crate::runs::cut) says which data are in runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Runs {
    /// What each run starts with.
    pub enter: Vec<Stmt>,
    /// A batch of the first run.
    pub build: Block,
    /// A batch of a later run.
    pub reuse: Block,
}

/// A family's control flow, hand-written once a family; it is both emitted and interpreted.
///
/// `start` and `flows` run over all data that are not in runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skeleton {
    /// What is made of the counter, before the flows and before the first run.
    pub start: Vec<Stmt>,
    /// One after the other.
    pub flows: Vec<Flow>,
    /// Runs, where the program has any.
    pub runs: Option<Runs>,
}

impl Skeleton {
    /// Every block in a loop.
    pub fn loops(&self) -> impl Iterator<Item = &Block> {
        let whiles = self.flows.iter().filter_map(|flow| match flow {
            Flow::While(block) => Some(block),
            Flow::Rest(_) => None,
        });
        whiles.chain(self.runs.iter().flat_map(|runs| [&runs.build, &runs.reuse]))
    }

    /// Every block.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let rests = self.flows.iter().filter_map(|flow| match flow {
            Flow::While(_) => None,
            Flow::Rest(blocks) => Some(blocks),
        });
        self.loops().chain(rests.flatten())
    }
}

/// A value that the skeleton's blocks hand on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// Its value after `start`.
    pub initial: Value,
    /// Its value at the start of each block.
    pub param: Value,
}

/// Where round keys are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keys {
    /// In registers, from `setup` on.
    Held,
    /// In memory, loaded once a block where they are used, so that none is spilled.
    Streamed,
}

/// One kernel as a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Which kernel.
    pub variant: Variant,
    /// How many round keys it takes.
    pub round_keys: usize,
    /// Where they are kept.
    pub keys: Keys,
    /// What runs first, once.
    pub setup: Vec<Stmt>,
    /// What the blocks hand on.
    pub state: Vec<State>,
    /// The blocks and when they run.
    pub skeleton: Skeleton,
    values: Vec<(String, Class)>,
}

impl Program {
    /// The value's name in emitted code.
    pub fn name(&self, value: Value) -> &str {
        &self.values[value.0].0
    }

    /// Where the value lives.
    pub fn class(&self, value: Value) -> Class {
        self.values[value.0].1
    }

    /// How many values there are; their indices are below it.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// The block that works on N blocks of 16 bytes: the one that long messages spend their time in.
    ///
    /// # Panics
    /// If the skeleton has none, which is a fault of the description.
    pub fn batch(&self) -> &Block {
        let runs = self.skeleton.runs.as_ref().map(|runs| &runs.reuse);
        let mut batches = runs.into_iter().chain(self.skeleton.loops());
        batches
            .find(|block| block.registers == self.variant.registers())
            .expect("a description has a batch of N blocks")
    }

    /// Holds the rule of names: whoever uses a value finds the latest of its name, and what goes round a loop
    /// keeps its name.
    ///
    /// # Errors
    /// The name that is used after it was shadowed, or that changes on its way round.
    pub fn check(&self) -> Result<(), String> {
        let mut scope = Scope { program: self, latest: BTreeMap::new() };
        scope.stmts(&self.setup)?;
        // a run is entered before `start`, and again without it
        if let Some(runs) = &self.skeleton.runs {
            scope.stmts(&runs.enter)?;
        }
        scope.stmts(&self.skeleton.start)?;
        for state in &self.state {
            scope.rename(state.initial, state.param)?;
        }
        for block in self.skeleton.blocks() {
            let before = scope.latest.clone();
            scope.stmts(&block.body)?;
            for (&next, state) in block.next.iter().zip(&self.state) {
                scope.rename(next, state.param)?;
            }
            scope.latest = before;
        }
        Ok(())
    }
}

struct Scope<'a> {
    program: &'a Program,
    latest: BTreeMap<&'a str, Value>,
}

impl<'a> Scope<'a> {
    fn stmts(&mut self, stmts: &'a [Stmt]) -> Result<(), String> {
        for stmt in stmts {
            match stmt {
                Stmt::Let(value, op) => {
                    for &operand in op.operands() {
                        self.used(operand)?;
                    }
                    self.latest.insert(self.program.name(*value), *value);
                }
                Stmt::Store(_, _, value) => self.used(*value)?,
                Stmt::Save(values) => values.iter().try_for_each(|&value| self.used(value))?,
                Stmt::Prefetch(_) => {}
                Stmt::EachKey { key, carried, body, .. } => {
                    for c in carried {
                        self.rename(c.initial, c.param)?;
                    }
                    self.latest.insert(self.program.name(*key), *key);
                    self.stmts(body)?;
                    for c in carried {
                        self.rename(c.next, c.param)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn used(&self, value: Value) -> Result<(), String> {
        let name = self.program.name(value);
        if self.latest.get(name) == Some(&value) {
            Ok(())
        } else {
            Err(format!("`{name}` is used after it was shadowed"))
        }
    }

    fn rename(&mut self, from: Value, to: Value) -> Result<(), String> {
        self.used(from)?;
        let (from, name) = (self.program.name(from), self.program.name(to));
        if from != name {
            return Err(format!("`{from}` is carried on as `{name}`"));
        }
        self.latest.insert(name, to);
        Ok(())
    }
}

impl Op {
    /// The values it reads.
    pub fn operands(&self) -> &[Value] {
        match self {
            Op::Compute(_, operands) => operands,
            Op::Argument(_) | Op::Const(_) | Op::Key(_) | Op::Load(..) | Op::Table(_) => &[],
        }
    }
}

/// Makes programs: gives out values and collects statements.
#[derive(Debug, Default)]
pub struct Builder {
    values: Vec<(String, Class)>,
    stmts: Vec<Stmt>,
}

impl Builder {
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
        self.op(name, Class::Vector, Op::Const(lanes))
    }

    /// Round key `r`.
    pub fn key(&mut self, name: &str, r: usize) -> Value {
        self.op(name, Class::Vector, Op::Key(r))
    }

    /// Register `i` of the data.
    pub fn load(&mut self, name: &str, i: usize, extent: Extent) -> Value {
        self.op(name, Class::Vector, Op::Load(i, extent))
    }

    /// Register `i` of the block's part of the table.
    pub fn table(&mut self, name: &str, i: usize) -> Value {
        self.op(name, Class::Vector, Op::Table(i))
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
        self.op(name, Class::Vector, Op::Compute(compute, operands.to_vec()))
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
        let key = self.value("k", Class::Vector);
        let carried = initial
            .iter()
            .map(|&initial| {
                let (name, class) = self.values[initial.0].clone();
                let param = self.value(&name, class);
                let next = step(self, param, key);
                Carried { initial, param, next }
            })
            .collect::<Vec<_>>();
        let after = carried.iter().map(|c| c.param).collect();
        let body = std::mem::replace(&mut self.stmts, outside);
        self.stmts.push(Stmt::EachKey { rounds, key, carried, body });
        after
    }

    /// What goes from block to block, from its value after `setup`.
    pub fn state(&mut self, initial: Value) -> State {
        let (name, class) = self.values[initial.0].clone();
        let param = self.value(&name, class);
        State { initial, param }
    }

    /// The statements so far, as a list of their own.
    pub fn take(&mut self) -> Vec<Stmt> {
        std::mem::take(&mut self.stmts)
    }

    /// The program of these parts.
    pub fn finish(
        self,
        variant: Variant,
        round_keys: usize,
        keys: Keys,
        setup: Vec<Stmt>,
        state: Vec<State>,
        skeleton: Skeleton,
    ) -> Program {
        Program { variant, round_keys, keys, setup, state, skeleton, values: self.values }
    }
}

impl Value {
    /// Its index, below [`Program::value_count`].
    pub const fn index(self) -> usize {
        self.0
    }
}
