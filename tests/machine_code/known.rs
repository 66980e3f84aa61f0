//! What is known of the registers of a function, whatever way it came.

use iced_x86::{Instruction, InstructionInfo, Mnemonic, OpAccess, Register, UsedMemory, UsedRegister};

use crate::flow::Flow;
use crate::listing::{Class, Stack, on_vectors};

/// What is known of the registers before an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    /// Those that point to a fixed place in the stack throughout.
    frame: General,
    /// Those that point into the stack.
    stack: General,
    zero: Vectors,
    /// Those that are made of constants and general registers alone, of the counter say, but of no key and no state,
    /// which only vectors hold.
    public: Vectors,
}

/// General registers, a bit each.
type General = u16;

/// Vector registers, a bit each.
type Vectors = u32;

/// The register, whatever part of it is named.
fn general(register: Register) -> General {
    if register.is_gpr() { 1 << register.full_register().number() } else { 0 }
}

/// The register, whatever part of it is named.
fn vector(register: Register) -> Vectors {
    if register.is_vector_register() { 1 << register.full_register().number() } else { 0 }
}

impl Known {
    pub(crate) fn on_stack(self, memory: &UsedMemory) -> bool {
        self.stack & (general(memory.base()) | general(memory.index())) != 0
    }

    /// Whether the place is the same whenever it is used.
    pub(crate) fn in_frame(self, memory: &UsedMemory) -> bool {
        self.frame & general(memory.base()) != 0 && memory.index() == Register::None
    }

    pub(crate) fn is_zero(self, register: Register) -> bool {
        self.zero & vector(register) != 0
    }

    pub(crate) fn is_public(self, register: Register) -> bool {
        self.public & vector(register) != 0
    }

    fn and(self, other: Known) -> Known {
        Known {
            frame: self.frame,
            stack: self.stack & other.stack,
            zero: self.zero & other.zero,
            public: self.public & other.public,
        }
    }
}

/// What an instruction does to what is known.
struct Effect {
    writes: (General, Vectors),
    /// This points into the stack afterwards if one of the others does.
    address: (General, General),
    /// This is zero afterwards if the other is, or anyway if there is no other.
    zero: (Vectors, Option<Vectors>),
    /// What it writes is public if it is made of these alone, and they are.
    public: Option<Vectors>,
}

impl Effect {
    fn of(instruction: &Instruction, info: &InstructionInfo) -> Self {
        let used = |accesses: fn(OpAccess) -> bool| {
            let used = info.used_registers().iter().filter(|used| accesses(used.access())).map(UsedRegister::register);
            used.fold((0, 0), |(general_registers, vectors), one| {
                (general_registers | general(one), vectors | vector(one))
            })
        };
        let (_, read) = used(reads);
        let [to, from] = [instruction.op0_register(), instruction.op1_register()];
        let address = match instruction.mnemonic() {
            Mnemonic::Lea => general(instruction.memory_base()) | general(instruction.memory_index()),
            Mnemonic::Mov => general(from),
            Mnemonic::Add => general(to) | general(from),
            Mnemonic::Sub | Mnemonic::Inc | Mnemonic::Dec => general(to),
            _ => 0,
        };
        let class = on_vectors(instruction, info, Stack::Nothing);
        let last_two = [2, 1].map(|back| instruction.op_register(instruction.op_count().saturating_sub(back)));
        let zero = match class {
            Class::Xor if last_two[0] == last_two[1] => (vector(to), None),
            Class::Move => (vector(to), Some(vector(from))),
            _ => (0, Some(0)),
        };
        let of_memory =
            info.used_memory().iter().any(|used| reads(used.access())) && !instruction.is_ip_rel_memory_operand();
        let of_aes = matches!(class, Class::AesEnc | Class::AesEncLast | Class::AesDecLast);
        Effect {
            writes: used(writes),
            address: (general(to), address),
            zero,
            public: (!of_memory && !of_aes).then_some(read),
        }
    }

    fn after(&self, before: Known) -> Known {
        let (general_registers, vectors) = self.writes;
        let mut after = Known {
            frame: before.frame,
            stack: before.stack & !general_registers | before.frame,
            zero: before.zero & !vectors,
            public: before.public & !vectors,
        };
        let (to, from) = self.address;
        if before.stack & from != 0 {
            after.stack |= to;
        }
        let (to, from) = self.zero;
        if from.is_none_or(|from| before.zero & from != 0) {
            after.zero |= to;
            after.public |= to;
        }
        if self.public.is_some_and(|reads| before.public & reads == reads) {
            after.public |= vectors;
        }
        after
    }
}

pub(crate) fn reads(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

pub(crate) fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// What is known before each instruction.
pub(crate) fn before(flow: &Flow, instructions: &[Instruction], infos: &[InstructionInfo]) -> Vec<Known> {
    let framed = instructions.iter().any(makes_frame);
    let frame = general(Register::RSP) | if framed { general(Register::RBP) } else { 0 };
    let nothing = Known { frame, stack: frame, zero: 0, public: 0 };
    let effects: Vec<Effect> = instructions.iter().zip(infos).map(|(one, info)| Effect::of(one, info)).collect();
    let mut known: Vec<Option<Known>> = vec![None; effects.len()];
    if let Some(first) = known.first_mut() {
        *first = Some(nothing);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (at, effect) in effects.iter().enumerate() {
            let Some(before) = known[at] else { continue };
            let after = effect.after(before);
            for &to in &flow.after[at] {
                let new = known[to].map_or(after, |old| old.and(after));
                changed |= known[to].replace(new) != Some(new);
            }
        }
    }
    known.into_iter().map(|known| known.unwrap_or(nothing)).collect()
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
