//! Where no kernel exists: none is verified, none measured.

use byways::measure::Cycles;
use byways_codegen::spec::Variant;

use crate::Failure;
use crate::catalogue::Entry;
use crate::family::Family;
use crate::work::{Rival, Work};

const ONLY: &str = "kernels exist on x86-64 only; here are `kernels`, `expand`, `cost`, `ctr`, `sum` and `algorithms`";

pub(crate) fn oracle(_: Family, _: &[Variant]) -> String {
    "nothing: kernels exist on x86-64 only".to_owned()
}

pub(crate) fn possible() -> Result<(), Failure> {
    Err(Failure::Cannot(ONLY.to_owned()))
}

pub(crate) fn interpreted(_: Variant) -> Result<(), String> {
    Err(ONLY.to_owned())
}

pub(crate) fn native(_: &Entry) -> Result<(), String> {
    Err(ONLY.to_owned())
}

pub(crate) fn race(_: &[Rival<'_>], _: Work, _: usize, _: impl FnMut()) -> Vec<Cycles> {
    Vec::new()
}
