//! Values that must not be left behind.

/// What `make` makes. Copies of it that are left on the stack, less than `USED` bytes deep, are wiped; there are some
/// wherever the compiler returns a value that it built elsewhere, and more where nothing is optimised.
#[inline(never)]
pub(crate) fn without_copies<const USED: usize, T>(make: impl FnOnce() -> T) -> T {
    struct Wipe<const USED: usize>;

    impl<const USED: usize> Drop for Wipe<USED> {
        #[inline(always)]
        fn drop(&mut self) {
            wipe_stack::<USED>();
        }
    }

    #[inline(never)]
    fn apart<T>(make: impl FnOnce() -> T) -> T {
        make()
    }

    // on drop, for a result with a name would be one copy more
    let _wipe = Wipe::<USED>;
    apart(make)
}

/// Wipes what calls before it have left on the stack, less than `USED` bytes deep; deeper, where nothing is optimised.
#[inline(always)]
pub(crate) fn wipe_stack<const USED: usize>() {
    if cfg!(debug_assertions) {
        zeroize::zeroize_stack::<{ 96 << 10 }>();
    } else {
        zeroize::zeroize_stack::<USED>();
    }
}
