//! Counter-mode kernels, against crates `aes` and `ctr`.

mod calls;
mod page_ends;
mod vectors;

use byways::cpu::Kernel;
use byways::verify::ctr::Way;
use byways_codegen::spec::Width;
use byways_kernels::ctr::Ctr;
use libtest_mimic::Trial;

use calls::{CHECKS, Subject, every_unroll};

/// What is checked of the kernel.
pub(crate) fn of_kernel(kernel: &'static Kernel<Ctr>) -> Vec<Trial> {
    let interpreted = |subject: &Subject| Way::interpreted(subject.variant);
    CHECKS.of_kernel(kernel.name(), || Subject::new(kernel), interpreted, || Way::native(kernel))
}

/// What is checked of every kernel that can be.
pub(crate) fn of_every_unroll() -> impl Iterator<Item = Trial> {
    Width::ALL.into_iter().map(|width| {
        Trial::test(format!("interpreted::every_unroll::aes_ctr_{width}"), move || {
            every_unroll(width).map_err(Into::into)
        })
    })
}
