//! CRC kernels, against crate `crc`.

mod calls;
#[path = "../../cases/crc.rs"]
#[allow(dead_code)] // tests of the API need more of it
mod cases;
mod generators;
mod page_ends;
mod vectors;

use byways::cpu::Kernel;
use byways::verify::crc::Way;
use byways_codegen::spec::{Algorithm, Width};
use byways_kernels::crc::Fold;
use byways_kernels::crc_fold::LANES;
use libtest_mimic::Trial;

use calls::{CHECKS, Subject, every_unroll};

/// What is checked of the kernel.
pub(crate) fn of_kernel(kernel: &'static Kernel<Fold<LANES>>) -> Vec<Trial> {
    let interpreted = |subject: &Subject| Way::interpreted(subject.variant);
    CHECKS.of_kernel(kernel.name(), || Subject::of_kernel(kernel), interpreted, || Way::native(kernel))
}

/// What is checked of every kernel that can be.
pub(crate) fn of_every_unroll() -> impl Iterator<Item = Trial> {
    let forms = Algorithm::all().filter(|algorithm| matches!(algorithm, Algorithm::Crc(_)));
    forms.flat_map(|form| {
        Width::ALL.into_iter().map(move |width| {
            let run = move || every_unroll(form, width).map_err(Into::into);
            Trial::test(format!("interpreted::every_unroll::{form}_{width}"), run)
        })
    })
}
