//! What a kernel's batch, or any block, costs: operation counts, live registers, and a lower bound in cycles.
//!
//! The bound is the larger of two: micro-operations against what the front end hands out in a cycle, and, over every
//! set of ports, the operations that only these ports can do against how many ports they are. It knows no latency and
//! no cache; a kernel cannot be faster, and a good one is near it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::ir::{Block, Class, Op, Program, Skeleton, Stmt, Value};
use crate::isa::{ISSUE, Instruction, PORTS, Row, look_up};

/// The cost of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// How often each instruction runs, by the assembler's name.
    pub counts: BTreeMap<&'static str, usize>,
    /// Vector registers live at once, held round keys included, constants not.
    pub live: usize,
    /// Constants that it uses. Each is in a register where there is one left, and else read from memory.
    pub constants: usize,
    /// Vector registers that there are.
    pub registers: usize,
    /// Round keys held in registers; none of what has no round keys.
    pub held_keys: Option<usize>,
    /// It takes no fewer cycles.
    pub cycles: f64,
    /// Bytes in the block.
    pub bytes: usize,
}

impl Cost {
    /// No long message goes through faster, in bytes a cycle.
    pub fn bytes_per_cycle(&self) -> f64 {
        self.bytes as f64 / self.cycles
    }

    /// Whether everything live has a register, and every constant, too, so that nothing is spilled.
    pub fn fits(&self) -> bool {
        self.live + self.constants <= self.registers
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.counts.iter().map(|(name, n)| format!("{n} {name}")).collect();
        writeln!(f, "batch of {} bytes: {}", self.bytes, counts.join(", "))?;
        let keys = match self.held_keys {
            None => String::new(),
            Some(0) => ", round keys from memory".to_owned(),
            Some(n) => format!(", {n} of them round keys"),
        };
        let constants = match self.constants {
            0 => String::new(),
            1 => ", and a constant".to_owned(),
            n => format!(", and {n} constants"),
        };
        writeln!(f, "{} of {} registers{keys}{constants}", self.live, self.registers)?;
        write!(f, "≥ {:.1} cycles a batch, ≤ {:.2} bytes a cycle", self.cycles, self.bytes_per_cycle())
    }
}

/// The cost of the program's batch; live is what the loop needs that needs the most.
pub fn cost(program: &Program) -> Cost {
    let needed = |block: &Block| (block_live(program, block), constants(program, block));
    let loops = program.skeleton.loops().into_iter().map(needed);
    let (live, constants) = loops.max_by_key(|(live, constants)| live + constants).unwrap_or_default();
    Cost { live, constants, ..of_block(program, program.batch()) }
}

/// The cost of a block of the program.
pub fn of_block(program: &Program, block: &Block) -> Cost {
    let width = program.variant.width();
    let mut rows = Vec::new();
    collect(program, &block.body, 1, &mut rows);
    let words = rows.iter().filter(|(row, _)| row.instruction == Instruction::Word).count();
    let mut counts = BTreeMap::new();
    for (row, times) in &rows {
        *counts.entry(row.mnemonic).or_default() += times;
    }
    Cost {
        counts,
        live: block_live(program, block),
        constants: constants(program, block),
        registers: width.registers(),
        held_keys: match &program.skeleton {
            Skeleton::Counter(_) => Some(program.skeleton.held_keys()),
            Skeleton::Fold(_) | Skeleton::Rounds(_) => None,
        },
        cycles: bound(&rows),
        bytes: block.registers * width.bytes() + words * size_of::<u64>(),
    }
}

/// Every row that runs, and how often.
fn collect(program: &Program, stmts: &[Stmt], times: usize, rows: &mut Vec<(&'static Row, usize)>) {
    for stmt in stmts {
        if let Stmt::EachKey { rounds, body, .. } = stmt {
            collect(program, body, times * rounds.len(), rows);
        }
        if let Stmt::EachPair { behind, former, latter, .. } = stmt {
            let keys = ROUND_KEYS - 1 - behind;
            collect(program, former, times * keys.div_ceil(2), rows);
            collect(program, latter, times * (keys / 2), rows);
        }
        for (instruction, each) in Instruction::of_stmt(stmt) {
            if instruction != Instruction::Key || program.skeleton.held_keys() == 0 {
                rows.push((look_up(instruction, program.width_of(stmt)), times * each));
            }
        }
    }
}

/// Round keys of ARIA-128. Longer keys have two or four more.
const ROUND_KEYS: usize = 13;

fn bound(rows: &[(&Row, usize)]) -> f64 {
    let issue = rows.iter().map(|(_, n)| n).sum::<usize>() as f64 / ISSUE as f64;
    (1..=PORTS)
        .map(|set| {
            let confined = rows.iter().filter(|(row, _)| row.ports & !set == 0).map(|(_, n)| n);
            confined.sum::<usize>() as f64 / f64::from(set.count_ones())
        })
        .fold(issue, f64::max)
}

/// Counts, between every two statements of the block, the values that were made before and are used after. What
/// `setup` made and the block uses, and held keys, are live throughout; a value that goes round a loop is one.
fn block_live(program: &Program, block: &Block) -> usize {
    let mut lives = Lives {
        program,
        spans: BTreeMap::new(),
        alias: BTreeMap::new(),
        held: BTreeSet::new(),
        constants: constants_of(&program.setup),
        at: 0,
    };
    for state in program.state.iter().chain(program.skeleton.states()) {
        lives.made(state.param);
    }
    lives.stmts(&block.body);
    lives.at += 1;
    for &next in &block.next {
        lives.used(next);
    }
    let end = lives.at;
    let spans: Vec<(usize, usize)> =
        lives.spans.values().map(|&(made, last)| made.map_or((0, end), |made| (made, last))).collect();
    let live_at = |at| spans.iter().filter(|&&(made, last)| made <= at && at < last).count();
    (0..end).map(live_at).max().unwrap_or(0) + program.skeleton.held_keys()
}

/// Constants that the block uses.
fn constants(program: &Program, block: &Block) -> usize {
    let constants = constants_of(&program.setup);
    let mut used = Vec::new();
    block.body.iter().for_each(|stmt| stmt.collect_used(&mut used));
    used.into_iter().filter(|value| constants.contains(value)).collect::<BTreeSet<_>>().len()
}

fn constants_of(stmts: &[Stmt]) -> BTreeSet<Value> {
    let constant = |stmt: &Stmt| match stmt {
        Stmt::Let(value, Op::Const(_)) => Some(*value),
        _ => None,
    };
    stmts.iter().filter_map(constant).collect()
}

struct Lives<'a> {
    program: &'a Program,
    /// At which statement a value is made (none: before the block) and last used.
    spans: BTreeMap<Value, (Option<usize>, usize)>,
    /// What goes round a loop, to the value that it was before.
    alias: BTreeMap<Value, Value>,
    /// Round keys that have a register of their own.
    held: BTreeSet<Value>,
    /// What need not have one.
    constants: BTreeSet<Value>,
    at: usize,
}

impl Lives<'_> {
    fn span(&mut self, value: Value, made: Option<usize>) -> Option<&mut usize> {
        let value = self.alias.get(&value).copied().unwrap_or(value);
        let counts = self.program.class(value) != Class::Scalar
            && !self.held.contains(&value)
            && !self.constants.contains(&value);
        counts.then(|| &mut self.spans.entry(value).or_insert((made, self.at)).1)
    }

    fn made(&mut self, value: Value) {
        self.span(value, Some(self.at));
    }

    fn used(&mut self, value: Value) {
        let at = self.at;
        if let Some(last) = self.span(value, None) {
            *last = at;
        }
    }

    /// A held key has a register from the setup on.
    fn key_made(&mut self, key: Value) {
        if self.program.skeleton.held_keys() == 0 {
            self.made(key);
        } else {
            self.held.insert(key);
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.at += 1;
            match stmt {
                Stmt::Let(key, Op::Key(_)) => self.key_made(*key),
                Stmt::Let(value, op) => {
                    for &operand in op.operands() {
                        self.used(operand);
                    }
                    self.made(*value);
                }
                Stmt::Store(_, _, value) => self.used(*value),
                Stmt::Save(values) => values.iter().for_each(|&value| self.used(value)),
                Stmt::Prefetch(_) => {}
                Stmt::EachPair { behind, carried, former, latter } => {
                    carried.iter().for_each(|c| self.used(c.initial));
                    self.at += 1;
                    carried.iter().for_each(|c| self.made(c.param));
                    self.stmts(former);
                    self.stmts(latter);
                    self.at += 1;
                    for c in carried {
                        self.used(c.next);
                        // what comes behind the loop is in the same register
                        self.alias.insert(if Stmt::ends_whole(*behind) { c.param } else { c.between }, c.next);
                    }
                }
                Stmt::EachKey { key, carried, body, .. } => {
                    for c in carried {
                        let root = self.alias.get(&c.initial).copied().unwrap_or(c.initial);
                        self.alias.insert(c.param, root);
                        self.alias.insert(c.next, root);
                    }
                    self.key_made(*key);
                    self.stmts(body);
                    self.at += 1;
                    for c in carried {
                        self.used(c.param);
                    }
                }
            }
        }
    }
}
