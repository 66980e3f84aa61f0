//! A function disassembled: what each instruction does, and where the loops over the data are.

use std::collections::BTreeMap;
use std::fmt;

use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, FlowControl, Formatter, Instruction, InstructionInfo,
    InstructionInfoFactory, IntelFormatter, MemorySizeOptions, Mnemonic, OpAccess, OpKind, Register, SymbolResolver,
    SymbolResult,
};

use crate::flow::{Flow, Loop};
use crate::image::{Function, Image};
use crate::known::{self, Known};

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    AesEnc,
    AesEncLast,
    Clmul,
    Affine,
    /// The same after the inverse.
    AffineInv,
    /// The last round of AES decryption.
    AesDecLast,
    Shuffle,
    Add,
    Xor,
    /// Logic of three operands.
    Ternary,
    /// Of a vector, from elsewhere than the stack.
    Load,
    /// Of a vector, to elsewhere than the stack.
    Store,
    /// Of a vector, from the stack.
    Reload,
    /// Of a vector, to the stack.
    Spill,
    /// Of a vector, from a table on the stack.
    TableLoad,
    /// Of a vector, to a table on the stack.
    TableStore,
    /// Of a vector, from register to register.
    Move,
    /// Any other on vectors.
    Vector,
    Prefetch,
    /// The CRC instruction.
    Crc32,
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
            Class::Clmul => "pclmulqdq",
            Class::Affine => "gf2p8affineqb",
            Class::AffineInv => "gf2p8affineinvqb",
            Class::AesDecLast => "aesdeclast",
            Class::Shuffle => "shuffle",
            Class::Add => "add",
            Class::Xor => "xor",
            Class::Ternary => "ternary logic",
            Class::Load => "load",
            Class::Store => "store",
            Class::Reload => "reload",
            Class::Spill => "spill",
            Class::TableLoad => "table load",
            Class::TableStore => "table store",
            Class::Move => "move",
            Class::Vector => "other vector",
            Class::Prefetch => "prefetch",
            Class::Crc32 => "crc32",
            Class::Scalar => "scalar",
            Class::Branch => "branch",
            Class::Call => "call",
        }
    }
}

/// What an instruction on vectors does with the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stack {
    Nothing,
    /// It writes a place that is always the same, as what is spilled has; and whether what it writes is public.
    Spill(Slot, bool),
    /// It reads such a place.
    Reload(Slot),
    /// It writes a place that is reckoned, as one in a table is.
    Write,
    /// It writes zeros to such a place.
    Wipe,
    /// It reads such a place.
    Read,
}

/// A place on the stack, by the register that points there and how far beyond it is.
pub(crate) type Slot = (Register, u64);

/// An instruction of a function, and what matters about it.
pub(crate) struct Line {
    pub(crate) instruction: Instruction,
    pub(crate) class: Class,
    pub(crate) vector: bool,
    pub(crate) stack: Stack,
    /// Whether it reads memory elsewhere than on the stack.
    pub(crate) reads: bool,
    /// Whether it writes memory elsewhere than on the stack.
    pub(crate) writes: bool,
    /// Whether it stores a vector of zeros.
    pub(crate) zeros: bool,
}

/// A disassembled function.
pub(crate) struct Listing<'a> {
    pub(crate) function: &'a Function,
    pub(crate) lines: Vec<Line>,
    /// The loops over data: the innermost with a last round, before which the rounds may be a loop of their own, with a
    /// carry-less product, or with an S-box of ARIA.
    pub(crate) loops: Vec<Loop>,
    /// The innermost loops that wipe a table.
    pub(crate) wipes: Vec<Loop>,
}

impl<'a> Listing<'a> {
    pub(crate) fn new(function: &'a Function) -> Self {
        let decoder = Decoder::with_ip(64, function.code, function.address, DecoderOptions::NONE);
        let instructions: Vec<Instruction> = decoder.into_iter().collect();
        for instruction in &instructions {
            assert!(!instruction.is_invalid(), "{}: cannot be disassembled", function.path);
        }
        let mut factory = InstructionInfoFactory::new();
        let infos: Vec<InstructionInfo> = instructions.iter().map(|one| factory.info(one).clone()).collect();
        let flow = Flow::of(function, &instructions);
        let known = known::before(&flow, &instructions, &infos);
        let lines: Vec<Line> = (instructions.into_iter().zip(&infos).zip(known))
            .map(|((instruction, info), known)| Line::new(function, instruction, info, known))
            .collect();
        let on_data = |line: usize| matches!(lines[line].class, Class::AesEncLast | Class::Clmul | Class::AffineInv);
        let wipe = |line: usize| lines[line].stack == Stack::Wipe;
        let loops = flow.innermost(&on_data);
        let mut wipes = flow.innermost(&wipe);
        wipes.retain(|wipe| !wipe.lines.iter().any(|&line| on_data(line)));
        Listing { function, lines, loops, wipes }
    }

    /// What is in the loop.
    pub(crate) fn within(&self, data: &Loop) -> impl Iterator<Item = &Line> {
        data.lines.iter().map(|&line| &self.lines[line])
    }

    /// What is in a loop within the loop.
    pub(crate) fn rolled(&self, data: &Loop) -> impl Iterator<Item = &Line> {
        data.rolled.iter().map(|&line| &self.lines[line])
    }

    /// What is in no loop over data and in none that wipes a table.
    pub(crate) fn elsewhere(&self) -> impl Iterator<Item = &Line> {
        let loops = self.loops.iter().chain(&self.wipes);
        let inside = move |at: usize| loops.clone().any(|data| data.lines.binary_search(&at).is_ok());
        self.lines.iter().enumerate().filter(move |&(at, _)| !inside(at)).map(|(_, line)| line)
    }

    /// The loop by classes, and how many vectors are spilled in it.
    pub(crate) fn summary(&self, data: &Loop) -> String {
        let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
        for line in self.within(data) {
            *classes.entry(line.class).or_default() += 1;
        }
        let classes: Vec<String> = classes.iter().map(|(class, n)| format!("{n} {}", class.name())).collect();
        format!("{}; on the stack {}", classes.join(", "), spilled(self.within(data)))
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoded =
            |kind| self.lines.iter().filter(|line| line.vector && line.instruction.encoding() == kind).count();
        let [sse, vex, evex] = [EncodingKind::Legacy, EncodingKind::VEX, EncodingKind::EVEX].map(encoded);
        write!(f, "{} bytes; {sse} SSE, {vex} VEX, {evex} EVEX", self.function.code.len())?;
        self.loops.iter().try_for_each(|data| write!(f, "; loop of {}", self.summary(data)))
    }
}

/// How many vector operands are on the stack, but for tables.
pub(crate) fn spilled<'a>(lines: impl IntoIterator<Item = &'a Line>) -> usize {
    lines.into_iter().filter(|line| line.spilled()).count()
}

impl Line {
    fn new(function: &Function, instruction: Instruction, info: &InstructionInfo, known: Known) -> Self {
        let vector = info.used_registers().iter().any(|used| used.register().is_vector_register());
        let stack = if vector { on_stack(&instruction, info, known) } else { Stack::Nothing };
        let elsewhere = |accesses: fn(OpAccess) -> bool| {
            info.used_memory().iter().any(|used| accesses(used.access()) && !known.on_stack(used))
        };
        let class = match instruction.flow_control() {
            FlowControl::Next if vector => on_vectors(&instruction, info, stack),
            FlowControl::Next => match instruction.mnemonic() {
                Mnemonic::Prefetcht0 => Class::Prefetch,
                Mnemonic::Crc32 => Class::Crc32,
                _ => Class::Scalar,
            },
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
        let (reads, writes) = (elsewhere(known::reads), elsewhere(known::writes));
        let zeros = vector && instruction.op0_kind() == OpKind::Memory && known.is_zero(instruction.op1_register());
        Line { instruction, class, vector, stack, reads, writes, zeros }
    }

    /// Whether it has an operand on the stack that is in no table.
    pub(crate) fn spilled(&self) -> bool {
        matches!(self.stack, Stack::Spill(..) | Stack::Reload(_))
    }
}

fn on_stack(instruction: &Instruction, info: &InstructionInfo, known: Known) -> Stack {
    let Some(used) = info.used_memory().iter().find(|used| known.on_stack(used)) else { return Stack::Nothing };
    let reads = matches!(used.access(), OpAccess::Read | OpAccess::CondRead);
    let written = instruction.op1_register();
    match (known.in_frame(used), reads) {
        (true, true) => Stack::Reload((used.base(), used.displacement())),
        (true, false) => Stack::Spill((used.base(), used.displacement()), known.is_public(written)),
        (false, true) => Stack::Read,
        (false, false) if known.is_zero(written) => Stack::Wipe,
        (false, false) => Stack::Write,
    }
}

/// What it does by its mnemonic and operands.
pub(crate) fn on_vectors(instruction: &Instruction, info: &InstructionInfo, stack: Stack) -> Class {
    match instruction.mnemonic() {
        Mnemonic::Aesenc | Mnemonic::Vaesenc => return Class::AesEnc,
        Mnemonic::Aesenclast | Mnemonic::Vaesenclast => return Class::AesEncLast,
        Mnemonic::Pclmulqdq | Mnemonic::Vpclmulqdq => return Class::Clmul,
        Mnemonic::Gf2p8affineqb | Mnemonic::Vgf2p8affineqb => return Class::Affine,
        Mnemonic::Gf2p8affineinvqb | Mnemonic::Vgf2p8affineinvqb => return Class::AffineInv,
        Mnemonic::Aesdeclast | Mnemonic::Vaesdeclast => return Class::AesDecLast,
        Mnemonic::Vpternlogd | Mnemonic::Vpternlogq => return Class::Ternary,
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
        (true, _, Stack::Nothing) => Class::Store,
        (true, _, Stack::Spill(..)) => Class::Spill,
        (true, _, _) => Class::TableStore,
        (_, true, Stack::Nothing) if copies => Class::Load,
        (_, true, Stack::Reload(_)) if copies => Class::Reload,
        (_, true, _) if copies => Class::TableLoad,
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
