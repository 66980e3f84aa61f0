//! Where no kernel exists: none is verified, none measured.

use byways::measure::Cycles;
use byways_codegen::spec::Variant;

use crate::Failure;
use crate::catalogue::Entry;
use crate::keyed::Aes;

const ONLY: &str = "kernels exist on x86-64 only; here are `kernels`, `expand`, `cost` and `ctr`";

pub(crate) fn oracle() -> String {
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

pub(crate) fn race(_: &[&Entry], _: Option<&Aes>, _: usize, _: usize, _: impl FnMut()) -> Vec<Cycles> {
    Vec::new()
}
