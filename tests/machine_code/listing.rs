//! A function disassembled: what each instruction does, and where the batch loop is.

use std::collections::BTreeMap;
use std::fmt;

use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, FlowControl, Formatter, Instruction, InstructionInfo,
    InstructionInfoFactory, IntelFormatter, MemorySizeOptions, Mnemonic, OpAccess, OpKind, Register, SymbolResolver,
    SymbolResult,
};

use crate::image::{Function, Image};

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    AesEnc,
    AesEncLast,
    Shuffle,
    Add,
    Xor,
    /// Of a vector, from elsewhere than the stack.
    Load,
    /// Of a vector, to elsewhere than the stack.
    Store,
    /// Of a vector, from the stack.
    Reload,
    /// Of a vector, to the stack.
    Spill,
    /// Of a vector, from register to register.
    Move,
    /// Any other on vectors.
    Vector,
    /// Any other on general registers.
    Scalar,
    Branch,
    /// A jump out of the function, too.
    Call,
}

impl Class {
    const fn name(self) -> &'static str {
        match self {
            Class::AesEnc => "aesenc",
            Class::AesEncLast => "aesenclast",
            Class::Shuffle => "shuffle",
            Class::Add => "add",
            Class::Xor => "xor",
            Class::Load => "load",
            Class::Store => "store",
            Class::Reload => "reload",
            Class::Spill => "spill",
            Class::Move => "move",
            Class::Vector => "other vector",
            Class::Scalar => "scalar",
            Class::Branch => "branch",
            Class::Call => "call",
        }
    }
}

/// An instruction of a function, and what matters about it.
pub(crate) struct Line {
    pub(crate) instruction: Instruction,
    pub(crate) class: Class,
    pub(crate) vector: bool,
    /// Whether it is on vectors and has an operand on the stack.
    pub(crate) stack: bool,
    pub(crate) place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Elsewhere,
    BatchLoop,
    /// In a loop within the batch loop.
    Rolled,
}

/// A disassembled function.
pub(crate) struct Listing<'a> {
    pub(crate) function: &'a Function,
    pub(crate) lines: Vec<Line>,
}

impl<'a> Listing<'a> {
    pub(crate) fn new(function: &'a Function) -> Self {
        let decoder = Decoder::with_ip(64, function.code, function.address, DecoderOptions::NONE);
        let instructions: Vec<Instruction> = decoder.into_iter().collect();
        let framed = instructions.iter().any(makes_frame);
        let mut factory = InstructionInfoFactory::new();
        let line = |instruction: Instruction| {
            assert!(!instruction.is_invalid(), "{}: cannot be disassembled", function.path);
            Line::new(function, instruction, factory.info(&instruction), framed)
        };
        let mut lines: Vec<Line> = instructions.into_iter().map(line).collect();
        place(&mut lines);
        Listing { function, lines }
    }

    /// What is in the batch loop.
    pub(crate) fn batch(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.place != Place::Elsewhere)
    }

    /// The batch loop by classes, and how many vector operands are on the stack.
    pub(crate) fn summary(&self) -> String {
        let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
        for line in self.batch() {
            *classes.entry(line.class).or_default() += 1;
        }
        let classes: Vec<String> = classes.iter().map(|(class, n)| format!("{n} {}", class.name())).collect();
        let stack = self.batch().filter(|line| line.stack).count();
        let in_all = self.lines.iter().filter(|line| line.stack).count();
        format!("{}; on the stack {stack}, {in_all} in all", classes.join(", "))
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoded =
            |kind| self.lines.iter().filter(|line| line.vector && line.instruction.encoding() == kind).count();
        let [sse, vex, evex] = [EncodingKind::Legacy, EncodingKind::VEX, EncodingKind::EVEX].map(encoded);
        let bytes = self.function.code.len();
        write!(f, "{bytes} bytes; {sse} SSE, {vex} VEX, {evex} EVEX; batch loop of {}", self.summary())
    }
}

/// Whether it makes `rbp` point into the stack.
fn makes_frame(instruction: &Instruction) -> bool {
    let source = match instruction.mnemonic() {
        Mnemonic::Mov => instruction.op1_register(),
        Mnemonic::Lea => instruction.memory_base(),
        _ => return false,
    };
    instruction.op0_register() == Register::RBP && source == Register::RSP
}

/// Finds the batch loop: of the loops with AES rounds that over the most registers. These are told by the last round,
/// which is not repeated where the rounds before it are a loop of their own.
fn place(lines: &mut [Line]) {
    let flow = Flow::of(lines);
    let count = |cycle: &[usize], class| cycle.iter().filter(|&&line| lines[line].class == class).count();
    let size = |cycle: &Vec<usize>| (count(cycle, Class::AesEncLast), count(cycle, Class::AesEnc));
    let cycles = flow.heads().map(|head| flow.cycle(head, |_| true));
    let Some(batch) = cycles.max_by_key(size).filter(|cycle| size(cycle) > (0, 0)) else { return };
    for &line in &batch {
        lines[line].place = Place::BatchLoop;
    }
    // without its entries it is no loop, and those within are left
    let inside = |line: usize| lines[line].place == Place::BatchLoop;
    let entry = |line: usize| flow.before[line].iter().any(|&before| !inside(before));
    let inner = |line: usize| inside(line) && !entry(line);
    let rolled: Vec<usize> =
        flow.heads().filter(|&head| inner(head)).flat_map(|head| flow.cycle(head, inner)).collect();
    for line in rolled {
        lines[line].place = Place::Rolled;
    }
}

/// Which instructions come after which and before which. Where a jump table leads is left out; it is out of any loop.
struct Flow {
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl Flow {
    fn of(lines: &[Line]) -> Self {
        let mut flow = Flow { after: vec![vec![]; lines.len()], before: vec![vec![]; lines.len()] };
        for (at, line) in lines.iter().enumerate() {
            let (goes_on, jumps) = match line.instruction.flow_control() {
                FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => (true, false),
                FlowControl::ConditionalBranch => (true, true),
                FlowControl::UnconditionalBranch => (false, true),
                _ => (false, false),
            };
            let target = line.instruction.near_branch_target();
            let jump = jumps.then(|| lines.binary_search_by_key(&target, |line| line.instruction.ip()).ok()).flatten();
            let next = Some(at + 1).filter(|&next| goes_on && next < lines.len());
            for to in next.into_iter().chain(jump) {
                flow.after[at].push(to);
                flow.before[to].push(at);
            }
        }
        flow
    }

    /// Where something leads back to, as it does in every loop.
    fn heads(&self) -> impl Iterator<Item = usize> {
        self.before.iter().enumerate().filter(|(at, before)| before.iter().any(|before| before >= at)).map(|(at, _)| at)
    }

    /// The instructions of `within` on any way from `start` back to it.
    fn cycle(&self, start: usize, within: impl Fn(usize) -> bool) -> Vec<usize> {
        let [after, before] = [&self.after, &self.before].map(|edges| {
            let (mut reached, mut open) = (vec![false; edges.len()], vec![start]);
            while let Some(at) = open.pop() {
                for &to in edges[at].iter().filter(|&&to| within(to)) {
                    if !std::mem::replace(&mut reached[to], true) {
                        open.push(to);
                    }
                }
            }
            reached
        });
        (0..after.len()).filter(|&at| after[at] && before[at]).collect()
    }
}

impl Line {
    fn new(function: &Function, instruction: Instruction, info: &InstructionInfo, framed: bool) -> Self {
        let vector = info.used_registers().iter().any(|used| used.register().is_vector_register());
        let on_stack = |base| base == Register::RSP || framed && base == Register::RBP;
        let stack = vector && info.used_memory().iter().any(|used| on_stack(used.base()));
        let class = match instruction.flow_control() {
            FlowControl::Next if vector => on_vectors(&instruction, info, stack),
            FlowControl::Next => Class::Scalar,
            FlowControl::Call | FlowControl::IndirectCall => Class::Call,
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
                if !function.contains(instruction.near_branch_target()) =>
            {
                Class::Call
            }
            // a jump table has an index
            FlowControl::IndirectBranch
                if instruction.op0_kind() == OpKind::Memory && instruction.memory_index() == Register::None =>
            {
                Class::Call
            }
            _ => Class::Branch,
        };
        Line { instruction, class, vector, stack, place: Place::Elsewhere }
    }
}

fn on_vectors(instruction: &Instruction, info: &InstructionInfo, stack: bool) -> Class {
    match instruction.mnemonic() {
        Mnemonic::Aesenc | Mnemonic::Vaesenc => return Class::AesEnc,
        Mnemonic::Aesenclast | Mnemonic::Vaesenclast => return Class::AesEncLast,
        Mnemonic::Pshufb | Mnemonic::Vpshufb => return Class::Shuffle,
        Mnemonic::Paddq | Mnemonic::Vpaddq => return Class::Add,
        Mnemonic::Pxor | Mnemonic::Vpxor | Mnemonic::Vpxord | Mnemonic::Vpxorq => return Class::Xor,
        Mnemonic::Xorps | Mnemonic::Vxorps | Mnemonic::Xorpd | Mnemonic::Vxorpd => return Class::Xor,
        _ => {}
    }
    let memory =
        |number| (0..instruction.op_count()).any(|op| op == number && instruction.op_kind(op) == OpKind::Memory);
    let copies = instruction.op_count() == 2 && info.op0_access() == OpAccess::Write;
    match (memory(0), memory(1), stack) {
        (true, _, true) => Class::Spill,
        (true, _, false) => Class::Store,
        (_, true, true) if copies => Class::Reload,
        (_, true, false) if copies => Class::Load,
        (_, false, _) if copies => Class::Move,
        _ => Class::Vector,
    }
}

/// The instruction after its offset in the function.
pub(crate) fn text(function: &Function, instruction: &Instruction) -> String {
    let mut formatter = IntelFormatter::with_options(Some(Box::new(Names)), None);
    formatter.options_mut().set_memory_size_options(MemorySizeOptions::Minimal);
    formatter.options_mut().set_rip_relative_addresses(true);
    formatter.options_mut().set_space_after_operand_separator(true);
    let mut text = format!("+{:#06x}  ", instruction.ip() - function.address);
    formatter.format(instruction, &mut text);
    text
}

/// Names the functions that are called.
struct Names;

impl SymbolResolver for Names {
    fn symbol(
        &mut self,
        instruction: &Instruction,
        _operand: u32,
        _instruction_operand: Option<u32>,
        address: u64,
        _address_size: u32,
    ) -> Option<SymbolResult<'_>> {
        let path = match instruction.flow_control() {
            FlowControl::IndirectCall | FlowControl::IndirectBranch => Image::own().path_by(address)?,
            FlowControl::Next => return None,
            _ => Image::own().path_at(address)?,
        };
        Some(SymbolResult::with_string(address, path.to_owned()))
    }
}
