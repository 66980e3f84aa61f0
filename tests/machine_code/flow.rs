//! How control goes through a function, and its loops.

use iced_x86::{FlowControl, Instruction, Mnemonic};

use crate::image::{Function, Image};

/// Which instructions come after which and before which.
pub(crate) struct Flow {
    pub(crate) after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

/// A loop, by its instructions.
pub(crate) struct Loop {
    pub(crate) lines: Vec<usize>,
    /// Those that are in a loop within it.
    pub(crate) rolled: Vec<usize>,
}

impl Flow {
    pub(crate) fn of(function: &Function, instructions: &[Instruction]) -> Self {
        let mut flow = Flow { after: vec![vec![]; instructions.len()], before: vec![vec![]; instructions.len()] };
        let at_address = |address: u64| instructions.binary_search_by_key(&address, Instruction::ip).ok();
        for (at, instruction) in instructions.iter().enumerate() {
            let padding = instruction.mnemonic() == Mnemonic::Nop && flow.before[at].is_empty();
            let next = Some(at + 1).filter(|&next| next < instructions.len());
            let jump = || at_address(instruction.near_branch_target());
            let to: Vec<usize> = match instruction.flow_control() {
                FlowControl::Next if padding => vec![],
                FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => next.into_iter().collect(),
                FlowControl::ConditionalBranch => next.into_iter().chain(jump()).collect(),
                FlowControl::UnconditionalBranch => jump().into_iter().collect(),
                FlowControl::IndirectBranch => jump_tables(function, instructions).filter_map(at_address).collect(),
                _ => vec![],
            };
            for to in to {
                flow.after[at].push(to);
                flow.before[to].push(at);
            }
        }
        flow
    }

    /// The innermost loops with a marked instruction.
    pub(crate) fn innermost(&self, marked: &dyn Fn(usize) -> bool) -> Vec<Loop> {
        let mut found = Vec::new();
        self.innermost_within(&vec![true; self.after.len()], marked, &mut found);
        found
    }

    /// Adds those in `within`, and tells whether there are any.
    fn innermost_within(&self, within: &[bool], marked: &dyn Fn(usize) -> bool, found: &mut Vec<Loop>) -> bool {
        let before = found.len();
        for lines in self.cycles(within) {
            if !lines.iter().any(|&line| marked(line)) {
                continue;
            }
            let inside = self.without_entries(&lines);
            if !self.innermost_within(&inside, marked, found) {
                let rolled = self.cycles(&inside).into_iter().flatten().collect();
                found.push(Loop { lines, rolled });
            }
        }
        found.len() > before
    }

    /// The loops in `within` that are in no other there. In each something leads back.
    fn cycles(&self, within: &[bool]) -> Vec<Vec<usize>> {
        let mut open = within.to_vec();
        let mut cycles = Vec::new();
        for head in 0..within.len() {
            if open[head] && self.before[head].iter().any(|&before| before >= head && within[before]) {
                let cycle = self.cycle(head, within);
                for &line in &cycle {
                    open[line] = false;
                }
                cycles.extend((!cycle.is_empty()).then_some(cycle));
            }
        }
        cycles
    }

    /// Without its entries a loop is none, and those within are left.
    fn without_entries(&self, cycle: &[usize]) -> Vec<bool> {
        let mut inside = vec![false; self.after.len()];
        for &line in cycle {
            inside[line] = true;
        }
        let entry = |line: usize| line == 0 || self.before[line].iter().any(|&before| !inside[before]);
        let mut entries: Vec<usize> = cycle.iter().copied().filter(|&line| entry(line)).collect();
        if entries.is_empty() {
            entries.extend(cycle.first());
        }
        for line in entries {
            inside[line] = false;
        }
        inside
    }

    /// The instructions of `within` on any way from `start` back to it.
    fn cycle(&self, start: usize, within: &[bool]) -> Vec<usize> {
        let [after, before] = [&self.after, &self.before].map(|edges| {
            let (mut reached, mut open) = (vec![false; edges.len()], vec![start]);
            while let Some(at) = open.pop() {
                for &to in edges[at].iter().filter(|&&to| within[to]) {
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

/// Where the jump tables lead whose addresses the function takes: each is of distances from its start, and ends where
/// one leads out of the function.
fn jump_tables<'a>(function: &'a Function, instructions: &'a [Instruction]) -> impl Iterator<Item = u64> + 'a {
    let tables = instructions.iter().filter(|one| one.mnemonic() == Mnemonic::Lea && one.is_ip_rel_memory_operand());
    tables.map(|one| one.ip_rel_memory_address()).flat_map(|table| {
        let entries = (table..).step_by(size_of::<i32>()).map_while(|entry| Image::own().i32_at(entry));
        entries
            .map(move |distance| table.wrapping_add_signed(i64::from(distance)))
            .take_while(|&target| function.contains(target))
    })
}
