//! Kernels by length, and which plan is in force.
#![allow(unsafe_code)]
#![cfg(target_arch = "x86_64")]

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use byways_kernels::cpu::{ByLength, Chosen, Detected, Features, Kernel, ProvenByLength};

/// A number in a kernel's place, so that it can be seen which was taken.
const fn kernel(features: &str, number: u32) -> Kernel<u32> {
    // SAFETY: a number is not compiled for anything.
    unsafe { Kernel::new("number", features, number) }
}

/// A CPU that has this and nothing else, so far as this one has it: every x86-64 since 2004 does.
fn sse3() -> Detected {
    let cpu = Detected::get().only(Features::named("sse3"));
    assert!(cpu.features().has("sse3"), "a CPU without SSE3");
    cpu
}

fn number(plan: &ProvenByLength<u32, 3>, bytes: usize) -> String {
    format!("{:?}", plan.kernel(bytes))
}

#[test]
fn a_row_ends_with_its_length() {
    let [one, two, three] = [1, 2, 3].map(|number| kernel("sse3", number));
    let plan = ByLength::new([(16, one), (100, two), (usize::MAX, three)]);
    let rows: Vec<_> = plan.rows().map(|(bytes, kernel)| (bytes, kernel.function())).collect();
    assert_eq!(rows, [(16, 1), (100, 2), (usize::MAX, 3)]);

    let plan = plan.prove(sse3()).unwrap();
    for (bytes, expected) in
        [(0, 1), (1, 1), (15, 1), (16, 1), (17, 2), (99, 2), (100, 2), (101, 3), (1 << 40, 3), (usize::MAX, 3)]
    {
        assert_eq!(number(plan, bytes), format!("Proven({expected})"), "{bytes}");
    }
}

#[test]
fn the_last_row_takes_what_is_longer() {
    let [one, two, three] = [1, 2, 3].map(|number| kernel("sse3", number));
    let plan = ByLength::new([(0, one), (1, two), (2, three)]);
    let plan = plan.prove(sse3()).unwrap();
    let found = [0, 1, 2, 3, usize::MAX].map(|bytes| number(plan, bytes));
    assert_eq!(found, ["Proven(1)", "Proven(2)", "Proven(3)", "Proven(3)", "Proven(3)"]);

    // a table that has fewer repeats its last
    let plan = ByLength::new([(16, one), (usize::MAX, two), (usize::MAX, two)]);
    let plan = plan.prove(sse3()).unwrap();
    let found = [16, 17, usize::MAX].map(|bytes| number(plan, bytes));
    assert_eq!(found, ["Proven(1)", "Proven(2)", "Proven(2)"]);

    let only = ByLength::new([(16, one)]);
    let only = only.prove(sse3()).unwrap();
    assert_eq!([0, 16, 17].map(|bytes| format!("{:?}", only.kernel(bytes))), ["Proven(1)"; 3]);
}

/// One kernel that cannot run is enough, wherever it stands, and it says what it lacks.
#[test]
fn every_kernel_must_run() {
    let plain = kernel("sse3", 0);
    let wide = kernel("sse3,avx2,gfni", 1);
    let missing = Features::named("avx2,gfni");
    for place in 0..3 {
        let mut rows = [(1, plain), (2, plain), (3, plain)];
        rows[place].1 = wide;
        let plan = ByLength::new(rows);
        assert_eq!(plan.prove(sse3()).unwrap_err().0, missing, "{place}");
        assert!(plan.prove(Detected::get().only(Features::NONE)).is_err(), "{place}");
        let runs = Detected::get().features().contains(missing);
        assert_eq!(plan.prove(Detected::get()).is_ok(), runs, "{place}");
    }
    let plan = ByLength::new([(1, plain), (2, plain)]);
    assert!(plan.prove(sse3()).is_ok());
    assert!(plan.prove(Detected::get().only(Features::NONE)).is_err());
}

#[test]
fn a_choice_is_taken_back() {
    static ONE: u32 = 1;
    static TWO: u32 = 2;
    let chosen = Chosen::new();
    let is = |choice: &'static u32| chosen.get().is_some_and(|found| ptr::eq(found, choice));
    assert!(chosen.get().is_none() && Chosen::<u32>::default().get().is_none());
    chosen.set(Some(&ONE));
    assert!(is(&ONE));
    chosen.set(Some(&TWO));
    assert!(is(&TWO) && !is(&ONE));
    chosen.set(None);
    assert!(chosen.get().is_none());
    chosen.set(Some(&ONE));
    assert!(is(&ONE));
}

/// Who reads while others choose finds one of their choices, whole, or none.
#[test]
fn choices_of_several_threads() {
    static PLANS: [[u64; 8]; 2] = [[1; 8], [2; 8]];
    static CHOSEN: Chosen<[u64; 8]> = Chosen::new();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if let Some(plan) = CHOSEN.get() {
                    assert!(PLANS.iter().any(|one| ptr::eq(one, plan)));
                    assert!(plan.iter().all(|&number| number == plan[0]));
                }
            }
        });
        for turn in 0..20_000 {
            CHOSEN.set([Some(&PLANS[0]), None, Some(&PLANS[1])][turn % 3]);
        }
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
}
