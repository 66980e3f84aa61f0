//! ARIA kernels, against crates `aria` and `ctr`.

mod calls;
mod page_ends;
mod vectors;

use byways::cpu::Kernel;
use byways::verify::aria::Way;
use byways_kernels::keys::aria::Aria;
use libtest_mimic::Trial;

use calls::{Subject, checks};

/// What is checked of the kernel.
pub(crate) fn of_kernel(kernel: &'static Kernel<Aria>) -> Vec<Trial> {
    let interpreted = |subject: &Subject| Way::interpreted(subject.variant);
    let checks = checks(Subject::new(kernel).mode);
    checks.of_kernel(kernel.name(), move || Subject::new(kernel), interpreted, move || Way::native(kernel))
}
