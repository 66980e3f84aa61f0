//! A14: no instruction is executed that was not detected. A tier's plan holds kernels of machines that end at that tier.

use byways::cpu::{Detected, Features, Kernel};
use byways::{Registered, Width};

use crate::subject::{keys, tiers};

/// What the CPUs of a tier have at least: the first Core i5; Zen 3 and Alder Lake; Ice Lake and Zen 4.
fn machine(width: Width) -> Features {
    let sse = "sse3,ssse3,sse4.1,sse4.2,aes";
    let avx = "sse3,ssse3,sse4.1,sse4.2,aes,avx,f16c,fma,avx2,vaes";
    match width {
        Width::Fallback => Features::NONE,
        Width::Xmm => Features::named(sse),
        Width::Ymm => Features::named(avx),
        Width::Zmm => Features::all(),
    }
}

fn kernel(name: &str) -> &'static Kernel<impl Copy + use<>> {
    let found = byways::kernels().find(|kernel| kernel.name() == name);
    let Some(Registered::Ctr(kernel)) = found else { panic!("{name} is planned, and not registered") };
    kernel
}

#[test]
fn a14_a_plan_has_only_kernels_that_its_cpu_can_run() {
    for &width in tiers() {
        let cpu = Detected::get().only(machine(width));
        assert_eq!(cpu.features(), machine(width), "a tier runs where a part of its features is missing");
    }
    for (key, _, what) in keys() {
        let cpu = Detected::get().only(machine(key.width()));
        for (_, name) in key.plan() {
            let kernel = kernel(name);
            assert!(kernel.prove(cpu).is_ok(), "{what}: {name} needs {}", kernel.features());
            let other = Width::ALL.into_iter().find(|width| name.ends_with(&format!("_{width}")));
            assert!(other.is_some_and(|other| other <= key.width()), "{what}: {name}");
        }
    }
}

/// The table above tells machines apart: what a tier adds does not run on the one below.
#[test]
fn a14_a_wider_kernel_is_refused_on_a_narrower_machine() {
    for (narrow, wide) in [(Width::Fallback, Width::Xmm), (Width::Xmm, Width::Ymm), (Width::Ymm, Width::Zmm)] {
        let cpu = Detected::get().only(machine(narrow));
        let mut kernels = byways::kernels().filter(|kernel| kernel.name().ends_with(&format!("_{wide}"))).peekable();
        assert!(kernels.peek().is_some(), "there are {wide} kernels");
        for registered in kernels {
            let Registered::Ctr(kernel) = registered else { continue };
            assert!(kernel.prove(cpu).is_err(), "{}", kernel.name());
        }
    }
}

/// One row follows the other, and the last takes all lengths; the fallback has none.
#[test]
fn a_plan_covers_every_length() {
    for (key, bytes, what) in keys() {
        let plan = key.plan();
        if key.width() == Width::Fallback {
            assert!(plan.is_empty(), "{what}: {plan:?}");
            continue;
        }
        assert!(plan.is_sorted_by(|a, b| a.0 < b.0), "{what}: {plan:?}");
        assert_eq!(plan.last().map(|row| row.0), Some(usize::MAX), "{what}");
        let prefix = format!("aes{}_ctr_", bytes.len() * 8);
        assert!(plan.iter().all(|(_, name)| name.starts_with(&prefix)), "{what}: {plan:?}");
    }
}
