//! What the macro says of wrong calls, as the compiler shows it: one expected text a case, in `tests/messages/`.
//!
//! `TRYBUILD=overwrite cargo test -p byways-kernels --test messages` writes them.

#[cfg(target_arch = "x86_64")]
#[test]
fn wrong_calls_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/messages/*.rs");
}
