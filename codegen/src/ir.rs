//! The vector program: what a description becomes, and what [`emit`](crate::emit), [`eval`](crate::eval) and
//! [`cost`](crate::cost) read.
//!
//! A [`Program`] is a straight-line `setup` and the blocks of its [`Skeleton`]. Blocks are lists of statements in
//! single-assignment form; the only constructs are [`Stmt::EachKey`], "for each round key", and [`Stmt::EachPair`], "for
//! each pair of round keys". There is no branch, no pointer and no length arithmetic in them: when which block runs is
//! the skeleton's business.
//!
//! Every value has a name, under which it is emitted. A later value of the same name shadows the earlier one, which
//! must not be used any more: [`Program::check`] holds that.

use std::ops::Range;

use crate::spec::{Variant, Width};

mod builder;
mod check;

pub use builder::Builder;

/// A value of a program, an index into its table of values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(usize);

/// Where a value lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// In a vector register of this width.
    Vector(Width),
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
    /// A CRC's state before the data.
    State,
}

/// How much of a register's worth of data an access covers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Extent {
    /// All of it.
    Whole,
    /// What is left: 1 byte to all of it. The rest reads as zeros and is not written.
    Last,
}

/// A half of a 128-bit lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Half {
    /// Bits 63..0.
    Low,
    /// Bits 127..64.
    High,
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
    /// `a + b` in bytes, wrapping.
    Add8,
    /// All ones in the bytes in which `a < b`, without signs; zeros in the others.
    Less8,
    /// `(mask, a, b)`: `a` in the bytes in which the mask is all ones, `b` in those in which it is zeros.
    Blend,
    /// `(a, index)`: within each 128-bit lane, byte i is byte `index[i]` of `a`.
    Shuffle8,
    /// `(state, key)`: an AES round in each 128-bit lane.
    AesEnc,
    /// `(state, key)`: the last AES round, without MixColumns.
    AesEncLast,
    /// `a ^ b ^ c`
    Xor3,
    /// `a & b`
    And,
    /// `(a, b)`: in each 128-bit lane, the carry-less product of a half of `a` and a half of `b`.
    Clmul(Half, Half),
    /// `(a, m)`: bit i of each byte is the parity of the byte and byte 7 − i of `m`'s 64-bit lane.
    Affine,
    /// `(a, m)`: as [`Compute::Affine`], of the inverse of each byte in AES's field.
    AffineInv,
    /// `(a, b)`: in each 128-bit lane, the bytes of the low halves in turn, one of `a` first.
    UnpackLow8,
    /// `(a, b)`: the same of the high halves.
    UnpackHigh8,
    /// In each 128-bit lane, the halves in reverse.
    SwapHalves,
    /// `(a, index)`: byte i is byte `index[i]` of the whole of `a`, modulo its bytes.
    Permute8,
    /// Each 128-bit lane becomes the one before, the first the last.
    RotateLanes,
    /// The 128-bit lanes change places with those two further.
    SwapLanes,
    /// `(a, low, high)`: for each byte of `a`, that of `low` at its lower half, xored with that of `high` at its upper.
    Halves8,
    /// In each 16-bit lane, 4 bits down.
    ShiftDown4,
    /// `(state, key)`: the last round of AES decryption, without InvMixColumns.
    AesDecLast,
    /// In each 128-bit lane, the low half becomes the high one, above zeros.
    Up,
    /// A scalar in the low half of a 128-bit register, below zeros.
    Widen,
    /// `(crc, word)`, or `(word)` if it is 0: the state of CRC-32C after 8 bytes more (x86's CRC instruction).
    Crc32,
    /// The lower half of a register twice as wide.
    Lower,
    /// The upper half of a register twice as wide.
    Upper,
    /// A half of a 128-bit register as a scalar.
    Extract(Half),
    /// `a ^ b` of scalars.
    ScalarXor,
    /// The bytes of a scalar in reverse.
    SwapBytes,
}

impl Compute {
    /// What it is made of, and how often, where it is no instruction by itself.
    pub const fn parts(self) -> &'static [(Compute, usize)] {
        match self {
            Compute::Halves8 => {
                &[(Compute::ShiftDown4, 1), (Compute::And, 2), (Compute::Shuffle8, 2), (Compute::Xor, 1)]
            }
            _ => &[],
        }
    }

    /// Whether it makes a scalar.
    pub const fn is_scalar(self) -> bool {
        matches!(self, Compute::Extract(_) | Compute::ScalarXor | Compute::SwapBytes | Compute::Crc32)
    }
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
    /// Vector `i` of a round key, in the layout of [`Rounds::layout`].
    Round(RoundKey, usize),
    /// The first register of a message, which has 1 byte of it to all, with zeros in front, and with the scalar's bytes
    /// xored into the first 8 of the message's.
    First(Value),
    /// The second register of a message, with those of the scalar's bytes xored into its first that found no place in the
    /// first register.
    Second(Value),
    /// Those of the scalar's bytes that found no place in the first register, lowest first.
    Beyond(Value),
    /// As [`Op::First`], of a scalar instead of a register.
    FirstWord(Value),
    /// In the block's part of a chain of words, this word: a scalar.
    Word {
        /// Which chain.
        chain: usize,
        /// Which word.
        word: usize,
    },
    /// The powers of x for a register that so many whole ones are behind, besides those that the block leaves.
    Distance(usize),
    /// The powers of x, in every lane, for a step of so many 128-bit lanes.
    Stride(usize),
    /// The constants of the reduction: quotient and modulus.
    Quotient,
    /// All ones where the modulus has the term 1, which the constants leave out; else zeros.
    Unit,
    /// An operation on values alone.
    Compute(Compute, Vec<Value>),
}

/// Which round key, where their number is not known before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundKey {
    /// The first.
    First,
    /// In [`Stmt::EachPair`]: the pair's first.
    Former,
    /// In [`Stmt::EachPair`]: the pair's second.
    Latter,
    /// The last but one, where there is one round and no loop.
    LastButOne,
    /// The last.
    Last,
    /// The last, in the order of its bytes, whatever the layout.
    Natural,
    /// The first, in the layout [`KeyLayout::Packed`], whatever the program's is.
    FirstPacked,
    /// The one behind it, in that layout.
    SecondPacked,
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

/// A value that goes round the loop over pairs of round keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turned {
    /// Its value before the loop.
    pub initial: Value,
    /// Its value before what is done with a pair's first, and after the loop, if the last pair is whole.
    pub param: Value,
    /// Its value after that, and after the loop, if the last pair is not whole.
    pub between: Value,
    /// Its value after what is done with a pair's second.
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
    /// What is done with round keys in turn, in pairs, but for the last key. There is an even number of rounds.
    EachPair {
        /// Round keys before the pairs, 1 or 2. If it is 1, the last pair has but a first, since its second is the last key.
        behind: usize,
        /// What is changed.
        carried: Vec<Turned>,
        /// What is done with a pair's first.
        former: Vec<Stmt>,
        /// What is done with a pair's second.
        latter: Vec<Stmt>,
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Skeleton {
    /// Counter mode.
    Counter(Counter),
    /// A CRC.
    Fold(Box<Fold>),
    /// A block cipher.
    Rounds(Rounds),
}

/// A block cipher's control flow: while blocks are left, the batch, on as many as it covers, or on all that are left and
/// zeros behind them, of which nothing is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rounds {
    /// How a round key lies in memory.
    pub layout: KeyLayout,
    /// What is made of the counter before the first batch; nothing without a counter.
    pub start: Vec<Stmt>,
    /// The batch of N blocks.
    pub batch: Block,
}

/// How a kernel takes a round key of 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum KeyLayout {
    /// Two vectors of 128 bits: of byte i, for two blocks, at its [place](crate::families::aria::place_packed).
    Packed,
    /// A vector a byte, all of whose bytes are the same.
    Sliced,
    /// A vector a byte as the diffusion's grid has them, which all xors of three inputs in it share.
    Grid,
    /// A vector a class, of byte i for four blocks at its [place](crate::families::aria::place_classed).
    Classed,
    /// One vector whose lanes are the classes.
    Lanes,
    /// As [`KeyLayout::Sliced`], for S-boxes by AES rounds.
    Bytes,
}

impl KeyLayout {
    /// All of them.
    pub const ALL: [KeyLayout; 6] =
        [KeyLayout::Packed, KeyLayout::Sliced, KeyLayout::Grid, KeyLayout::Classed, KeyLayout::Lanes, KeyLayout::Bytes];

    /// Whether what the S-boxes add is in the keys: with GFNI it is, and AES's rounds do it themselves.
    pub const fn is_folded(self) -> bool {
        !matches!(self, KeyLayout::Classed | KeyLayout::Bytes)
    }

    /// Whether counter mode does its first round on a pair of registers, for which it takes two keys packed.
    pub const fn shares_first_round(self) -> bool {
        matches!(self, KeyLayout::Sliced | KeyLayout::Grid)
    }

    /// The type that has such keys in memory: those by the byte and by the class read the same.
    pub const fn name(self) -> &'static str {
        match self {
            KeyLayout::Packed => "Packed",
            KeyLayout::Grid => "Grid",
            KeyLayout::Sliced | KeyLayout::Lanes => "Dwords",
            KeyLayout::Classed | KeyLayout::Bytes => "AesDwords",
        }
    }

    /// What the type calls a vector of it, before the width: nothing, where it has but one kind at a width.
    pub const fn vector(self) -> &'static str {
        match self {
            KeyLayout::Packed | KeyLayout::Grid | KeyLayout::Sliced | KeyLayout::Bytes => "",
            KeyLayout::Classed => "class_",
            KeyLayout::Lanes => "classes_",
        }
    }
}

/// Counter mode's control flow. `start` and `flows` run over all data that are not in runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// How many round keys it takes.
    pub round_keys: usize,
    /// Where they are kept.
    pub keys: Keys,
    /// What is made of the counter, before the flows and before the first run.
    pub start: Vec<Stmt>,
    /// One after the other.
    pub flows: Vec<Flow>,
    /// Runs, where the program has any.
    pub runs: Option<Runs>,
}

/// A CRC's control flow: the message is cut into registers of which the first may be a part of one, with zeros in front
/// of it. Without a message the CRC's state stays as it is.
///
/// ```text
/// while a chunk is left:                              state = chunk
/// if there are words for so many registers:           word by word
/// else if there is a short block for so many:         the short block
/// else if they are fewer than the batch has:          sum = lone
/// else:                                               begin; while a batch is left: batch; sum = finish
///                                                     while a register is left: sum = each
///                                                     end
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    /// The order of the bits in the constants.
    pub order: Order,
    /// Chunks of long messages, where the program has any.
    pub chunks: Option<Chunks>,
    /// Short messages word by word, where the program has that.
    pub words: Option<Words>,
    /// All of a message of i + 1 registers; hands on the result.
    pub short: Vec<Block>,
    /// The first registers, as many as the batch has, but two at least; hands on [`Program::state`].
    pub begin: Block,
    /// The batch of N blocks of 16 bytes.
    pub batch: Block,
    /// No data, but the registers left count for [`Op::Distance`]; hands on the sum.
    pub finish: Block,
    /// The first two registers of a message that is longer than a short block has and shorter than a batch; hands on the
    /// sum. None where there is no such message.
    pub lone: Option<Block>,
    /// What the next blocks hand on: everything so far, as if nothing came behind it.
    pub sum: State,
    /// One of the registers left.
    pub each: Block,
    /// No data; hands on the result.
    pub end: Block,
}

/// A chunk of a message: registers that are folded, and behind them chains of words, all of which go on together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunks {
    /// How often `begin` or `batch` runs in a chunk.
    pub steps: usize,
    /// How many chains there are.
    pub chains: usize,
    /// Words of each chain in a step.
    pub words: usize,
    /// The CRC's state before the chunk, and after it.
    pub crc: State,
    /// The first step; hands on [`Chunks::state`].
    pub begin: Block,
    /// What the steps hand on: all registers and chains.
    pub state: Vec<State>,
    /// Every other step.
    pub batch: Block,
    /// No data; hands on the CRC's state.
    pub end: Block,
}

/// A short message word by word: the first word has 1 byte of it to 8, every other is whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words {
    /// The longest message that goes so, in vector registers.
    pub registers: usize,
    /// All of a message of i + 1 words; hands on the result.
    pub short: Vec<Block>,
}

/// The order of the bits in polynomials.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The highest term has the lowest bit.
    Reflected,
    /// The highest term has the highest bit.
    Plain,
}

impl Skeleton {
    /// Every block in a loop.
    pub fn loops(&self) -> Vec<&Block> {
        match self {
            Skeleton::Counter(Counter { flows, runs, .. }) => {
                let whiles = flows.iter().filter_map(|flow| match flow {
                    Flow::While(block) => Some(block),
                    Flow::Rest(_) => None,
                });
                whiles.chain(runs.iter().flat_map(|runs| [&runs.build, &runs.reuse])).collect()
            }
            Skeleton::Rounds(rounds) => vec![&rounds.batch],
            Skeleton::Fold(fold) => {
                let chunks = fold.chunks.iter().map(|chunks| &chunks.batch);
                chunks.chain([&fold.batch, &fold.each]).collect()
            }
        }
    }

    /// Every block.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Skeleton::Counter(Counter { flows, .. }) => {
                let rests = flows.iter().filter_map(|flow| match flow {
                    Flow::While(_) => None,
                    Flow::Rest(blocks) => Some(blocks),
                });
                self.loops().into_iter().chain(rests.flatten()).collect()
            }
            Skeleton::Rounds(rounds) => vec![&rounds.batch],
            Skeleton::Fold(fold) => {
                let others = [&fold.begin, &fold.batch, &fold.finish, &fold.each, &fold.end];
                let words = fold.words.iter().flat_map(|words| &words.short);
                let chunks = fold.chunks.iter().flat_map(|chunks| [&chunks.begin, &chunks.batch, &chunks.end]);
                fold.short.iter().chain(others).chain(&fold.lone).chain(words).chain(chunks).collect()
            }
        }
    }

    /// What blocks hand on besides [`Program::state`].
    pub fn states(&self) -> Vec<&State> {
        match self {
            Skeleton::Counter(_) | Skeleton::Rounds(_) => Vec::new(),
            Skeleton::Fold(fold) => {
                let chunks = fold.chunks.iter().flat_map(|chunks| chunks.state.iter().chain([&chunks.crc]));
                chunks.chain([&fold.sum]).collect()
            }
        }
    }

    /// Every list of statements.
    pub fn lists(&self) -> Vec<&[Stmt]> {
        let blocks = self.blocks().into_iter().map(|block| block.body.as_slice());
        match self {
            Skeleton::Counter(Counter { start, runs, .. }) => {
                let enter = runs.iter().map(|runs| runs.enter.as_slice());
                [start.as_slice()].into_iter().chain(enter).chain(blocks).collect()
            }
            Skeleton::Rounds(rounds) => [rounds.start.as_slice()].into_iter().chain(blocks).collect(),
            Skeleton::Fold(_) => blocks.collect(),
        }
    }

    /// Round keys that have a register each.
    pub fn held_keys(&self) -> usize {
        match self {
            Skeleton::Counter(Counter { round_keys, keys: Keys::Held, .. }) => *round_keys,
            Skeleton::Counter(_) | Skeleton::Fold(_) | Skeleton::Rounds(_) => 0,
        }
    }
}

/// A value that the skeleton's blocks hand on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// Its value before the first block.
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

    /// The width of what a statement works on: that of the vector that it makes, or else of the kernel; what makes a
    /// scalar stands at xmm.
    pub fn width_of(&self, stmt: &Stmt) -> Width {
        match stmt {
            Stmt::Let(value, _) => match self.class(*value) {
                Class::Vector(width) => width,
                Class::Scalar => Width::Xmm,
            },
            _ => self.variant.width(),
        }
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
        let reuse = match &self.skeleton {
            Skeleton::Counter(Counter { runs, .. }) => runs.as_ref().map(|runs| &runs.reuse),
            Skeleton::Fold(fold) => fold.chunks.as_ref().map(|chunks| &chunks.batch),
            Skeleton::Rounds(_) => None,
        };
        let mut batches = reuse.into_iter().chain(self.skeleton.loops());
        batches
            .find(|block| block.registers == self.variant.registers())
            .expect("a description has a batch of N blocks")
    }
}

impl Stmt {
    /// Of a loop over pairs, whether the last pair has a second.
    pub const fn ends_whole(behind: usize) -> bool {
        behind.is_multiple_of(2)
    }

    /// The values that it uses, or hands on, and in loops their statements, too: each as often as it does.
    pub fn collect_used(&self, used: &mut Vec<Value>) {
        match self {
            Stmt::Let(_, op) => used.extend(op.operands()),
            Stmt::Store(_, _, value) => used.push(*value),
            Stmt::Save(values) => used.extend(values),
            Stmt::Prefetch(_) => {}
            Stmt::EachKey { carried, body, .. } => {
                used.extend(carried.iter().flat_map(|c| [c.initial, c.next]));
                body.iter().for_each(|stmt| stmt.collect_used(used));
            }
            Stmt::EachPair { carried, former, latter, .. } => {
                used.extend(carried.iter().flat_map(|c| [c.initial, c.between, c.next]));
                former.iter().chain(latter).for_each(|stmt| stmt.collect_used(used));
            }
        }
    }
}

impl Op {
    /// The values it reads.
    pub fn operands(&self) -> &[Value] {
        match self {
            Op::Compute(_, operands) => operands,
            Op::First(operand) | Op::Second(operand) | Op::Beyond(operand) | Op::FirstWord(operand) => {
                std::slice::from_ref(operand)
            }
            Op::Argument(_) | Op::Const(_) | Op::Key(_) | Op::Load(..) | Op::Table(_) | Op::Round(..) => &[],
            Op::Distance(_) | Op::Stride(_) | Op::Quotient | Op::Unit | Op::Word { .. } => &[],
        }
    }
}

impl Value {
    /// Its index, below [`Program::value_count`].
    pub const fn index(self) -> usize {
        self.0
    }
}
