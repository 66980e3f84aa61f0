//! The rule of names.

use std::collections::BTreeMap;

use super::{Block, Fold, Program, Skeleton, State, Stmt, Value};

impl Program {
    /// Holds the rule of names: whoever uses a value finds the latest of its name, and what goes round a loop
    /// keeps its name.
    ///
    /// # Errors
    /// The name that is used after it was shadowed, or that changes on its way round.
    pub fn check(&self) -> Result<(), String> {
        let mut scope = Scope { program: self, latest: BTreeMap::new() };
        scope.stmts(&self.setup)?;
        match &self.skeleton {
            Skeleton::Counter(counter) => {
                // a run is entered before `start`, and again without it
                if let Some(runs) = &counter.runs {
                    scope.stmts(&runs.enter)?;
                }
                scope.stmts(&counter.start)?;
                for state in &self.state {
                    scope.rename(state.initial, state.param)?;
                }
                for block in self.skeleton.blocks() {
                    scope.aside(|scope| scope.block(block, &self.state))?;
                }
            }
            Skeleton::Rounds(rounds) => {
                scope.stmts(&rounds.start)?;
                for state in &self.state {
                    scope.rename(state.initial, state.param)?;
                }
                scope.block(&rounds.batch, &self.state)?;
            }
            Skeleton::Fold(fold) => {
                if let Some(chunks) = &fold.chunks {
                    scope.rename(chunks.crc.initial, chunks.crc.param)?;
                    scope.aside(|scope| {
                        scope.block(&chunks.begin, &chunks.state)?;
                        scope.aside(|scope| scope.block(&chunks.batch, &chunks.state))?;
                        scope.block(&chunks.end, &[chunks.crc])
                    })?;
                }
                for block in fold.short.iter().chain(fold.words.iter().flat_map(|words| &words.short)) {
                    scope.aside(|scope| scope.block(block, &[]))?;
                }
                if let Some(lone) = &fold.lone {
                    scope.aside(|scope| scope.sum(fold, lone))?;
                }
                scope.block(&fold.begin, &self.state)?;
                scope.aside(|scope| scope.block(&fold.batch, &self.state))?;
                scope.sum(fold, &fold.finish)?;
            }
        }
        Ok(())
    }
}

struct Scope<'a> {
    program: &'a Program,
    latest: BTreeMap<&'a str, Value>,
}

impl<'a> Scope<'a> {
    /// What `check` finds, whose names are gone afterwards.
    fn aside(&mut self, check: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let before = self.latest.clone();
        let found = check(self);
        self.latest = before;
        found
    }

    /// The block that hands on the sum, and what comes behind it.
    fn sum(&mut self, fold: &'a Fold, block: &'a Block) -> Result<(), String> {
        let sum = [fold.sum];
        self.block(block, &sum)?;
        self.aside(|scope| scope.block(&fold.each, &sum))?;
        self.block(&fold.end, &[])
    }

    /// The block, and what it hands on as `state`.
    fn block(&mut self, block: &'a Block, state: &[State]) -> Result<(), String> {
        self.stmts(&block.body)?;
        for &next in &block.next {
            self.used(next)?;
        }
        block.next.iter().zip(state).try_for_each(|(&next, state)| self.rename(next, state.param))
    }

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
                Stmt::EachPair { behind, carried, former, latter } => {
                    for c in carried {
                        self.rename(c.initial, c.param)?;
                    }
                    self.stmts(former)?;
                    for c in carried {
                        self.rename(c.between, c.between)?;
                    }
                    let latter = |scope: &mut Self| {
                        scope.stmts(latter)?;
                        carried.iter().try_for_each(|c| scope.rename(c.next, c.param))
                    };
                    if Stmt::ends_whole(*behind) { latter(self)? } else { self.aside(latter)? }
                }
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
