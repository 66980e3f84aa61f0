//! Counter mode where a register is of blocks.

use super::super::REVERSE;
use crate::ir::{Argument, Builder, Compute, Extent, State, Stmt, Value};
use crate::spec::{AriaMode, Variant};

/// The counter in every lane, as a little-endian number.
pub(super) fn counter(p: &mut Builder) -> Value {
    let low = p.argument("low", Argument::CounterLow);
    let high = p.argument("high", Argument::CounterHigh);
    p.compute("counter", Compute::Pair, [high, low])
}

/// In counter mode, what makes blocks of the counter.
pub(super) struct Counted(Option<[Value; 3]>);

impl Counted {
    pub(super) fn new(p: &mut Builder, variant: Variant, mode: AriaMode) -> Self {
        let lanes = variant.width().lanes() as u128;
        Counted((mode == AriaMode::Ctr).then(|| {
            let swap = p.constant("swap", vec![REVERSE]);
            let lane = p.constant("lane", (0..lanes).collect());
            [swap, lane, p.constant("step", vec![lanes])]
        }))
    }

    pub(super) fn start(&self, p: &mut Builder) -> (Vec<Stmt>, Vec<State>) {
        let c = self.0.map(|[_, lane, _]| {
            let c = counter(p);
            p.again(c, Compute::Add64, lane)
        });
        let start = p.take();
        (start, c.into_iter().map(|c| p.state(c)).collect())
    }

    /// The next register of blocks: of the counter, or register i of the data.
    pub(super) fn block(&self, p: &mut Builder, c: &mut Option<Value>, name: &str, i: usize) -> Value {
        match (self.0, *c) {
            (Some([swap, _, step]), Some(counter)) => {
                let block = p.compute(name, Compute::Shuffle8, [counter, swap]);
                *c = Some(p.again(counter, Compute::Add64, step));
                block
            }
            _ => p.load(name, i, Extent::Whole),
        }
    }

    /// What register i of the data becomes: the blocks, or the data xored with them.
    pub(super) fn out(&self, p: &mut Builder, blocks: Value, i: usize) -> Value {
        if self.0.is_none() {
            return blocks;
        }
        let d = p.load("d", i, Extent::Whole);
        p.again(blocks, Compute::Xor, d)
    }
}
