//! Values that must not be left behind.

/// What `make` makes. Unoptimised code leaves a copy on the stack wherever it returns a value; that is wiped.
#[inline(always)]
pub(crate) fn without_copies<T>(make: impl FnOnce() -> T) -> T {
    struct Wipe;

    impl Drop for Wipe {
        fn drop(&mut self) {
            zeroize::zeroize_stack::<{ 96 << 10 }>();
        }
    }

    #[inline(never)]
    fn apart<T>(make: impl FnOnce() -> T) -> T {
        make()
    }

    if !cfg!(debug_assertions) {
        return make();
    }
    // on drop, for a result with a name would be one copy more
    let _wipe = Wipe;
    apart(make)
}
