//! The generated Rust of every kernel against `tests/snapshots/`, one file a kernel and named like it.
//!
//! `INSTA_UPDATE=always cargo test --all-features --test snapshots` writes what is new or changed. A file whose kernel
//! is no longer generated is not removed by that: it fails here until it goes.

#![cfg(target_arch = "x86_64")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use byways_codegen::pretty::listing;

const SNAPSHOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");

#[test]
fn every_kernel_is_as_its_snapshot_says() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(SNAPSHOTS);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut changed = Vec::new();
    for kernel in byways::kernels() {
        let text = listing(kernel.name().parse().expect("a registered name is a variant's"));
        // all that changed are reported, not only the first
        let same = settings.bind(|| std::panic::catch_unwind(|| insta::assert_snapshot!(kernel.name(), text)));
        if same.is_err() {
            changed.push(kernel.name());
        }
    }
    assert!(changed.is_empty(), "not as their snapshots say: {}", changed.join(", "));
}

#[test]
fn no_snapshot_is_left_of_a_kernel_that_is_gone() {
    let kernels: BTreeSet<String> = byways::kernels().map(|kernel| kernel.name().to_owned()).collect();
    assert!(!kernels.is_empty());
    let orphans: Vec<String> = fs::read_dir(Path::new(SNAPSHOTS))
        .expect("tests/snapshots is there")
        .map(|entry| entry.expect("a readable folder").file_name().into_string().expect("a name in ASCII"))
        .filter(|file| !file.ends_with(".snap.new"))
        .filter(|file| !file.strip_suffix(".snap").is_some_and(|name| kernels.contains(name)))
        .collect();
    assert!(orphans.is_empty(), "no kernel is generated for these in tests/snapshots: {}", orphans.join(", "));
}

/// A snapshot of ARIA has fewer lines: an odd and an even round stand in it once, and not all of them.
const ARIA_LINES: usize = 400;

#[test]
fn snapshots_of_aria_are_short_enough_to_be_read() {
    let aria = byways::kernels().filter(|kernel| kernel.name().starts_with("aria_"));
    let lines = aria.map(|kernel| {
        let path = Path::new(SNAPSHOTS).join(format!("{}.snap", kernel.name()));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (kernel.name(), text.lines().count())
    });
    let lines: Vec<(&str, usize)> = lines.collect();
    assert!(!lines.is_empty());
    let long: Vec<_> = lines.into_iter().filter(|(_, lines)| *lines >= ARIA_LINES).collect();
    assert!(long.is_empty(), "`{ARIA_LINES}` lines or more: {long:?}");
}
