//! Stacks and objects, and what is looked for in them.

use std::collections::HashMap;
use std::ffi::c_void;
use std::mem::{MaybeUninit, size_of_val};
use std::{ptr, slice};

use byways::Width;
use byways::cipher::{InnerIvInit, StreamCipher, StreamCipherSeek};
use byways::ctr::Ctr128BE;

use crate::subject::{COUNTER, Subject};

/// Runs it on a new stack, and gives all that is written there.
pub(crate) fn stack_after<F: FnOnce() + Send>(body: F) -> Vec<u8> {
    extern "C" fn start<F: FnOnce()>(body: *mut c_void) -> *mut c_void {
        // SAFETY: the option below, which nobody else uses while this thread runs.
        let body = unsafe { &mut *body.cast::<Option<F>>() };
        body.take().expect("started once")();
        ptr::null_mut()
    }
    let mut stack = vec![0_u128; 1 << 15];
    let bytes = size_of_val(stack.as_slice());
    let mut body = Some(body);
    // SAFETY: initialised before use; the stack and the option outlive the thread, which is joined here.
    unsafe {
        let mut attributes = MaybeUninit::uninit();
        let mut thread = MaybeUninit::uninit();
        assert_eq!(libc::pthread_attr_init(attributes.as_mut_ptr()), 0);
        assert_eq!(libc::pthread_attr_setstack(attributes.as_mut_ptr(), stack.as_mut_ptr().cast(), bytes), 0);
        let body = (&raw mut body).cast();
        assert_eq!(libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), start::<F>, body), 0);
        assert_eq!(libc::pthread_join(thread.assume_init(), ptr::null_mut()), 0);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    let used = stack.iter().position(|&word| word != 0).expect("a thread uses its stack");
    assert!(used > 0, "the stack was too small");
    stack.into_iter().skip(used).flat_map(u128::to_ne_bytes).collect()
}

/// What must not be found: halves of blocks, and what they are of.
#[derive(Default)]
pub(crate) struct Secrets(HashMap<u64, &'static str>);

impl Secrets {
    /// The keystream behind byte `from`.
    pub(crate) fn keystream<S: Subject>(mut self, from: usize) -> Self {
        // as many as a batch may have
        let mut keystream = [0; 16 * 70];
        let mut stream = Ctr128BE::inner_iv_init(S::build(Width::Fallback), &COUNTER.into());
        let block = from / 16 * 16;
        stream.seek(block);
        stream.apply_keystream(&mut keystream);
        for half in keystream[(from - block).next_multiple_of(8)..].as_chunks().0 {
            self.add_half(u64::from_ne_bytes(*half), "keystream that is not used");
        }
        self
    }

    /// Both halves of a block.
    pub(crate) fn add(&mut self, block: u128, what: &'static str) {
        for half in block.to_ne_bytes().as_chunks().0 {
            self.add_half(u64::from_ne_bytes(*half), what);
        }
    }

    pub(crate) fn add_half(&mut self, half: u64, what: &'static str) {
        self.0.insert(half, what);
    }

    /// Where they are, and what they are of.
    pub(crate) fn find(&self, bytes: &[u8]) -> Vec<(usize, &'static str)> {
        let known = |(at, half): (usize, &[u8])| {
            let half = u64::from_ne_bytes(half.try_into().expect("8 bytes"));
            Some((at, *self.0.get(&half)?))
        };
        bytes.windows(8).enumerate().filter_map(known).collect()
    }

    /// None of them.
    #[track_caller]
    pub(crate) fn are_not_in(&self, bytes: &[u8], where_to: &str) {
        let found = self.find(bytes);
        let mut kinds: Vec<_> = found.iter().map(|(_, what)| what).collect();
        kinds.dedup();
        assert!(found.is_empty(), "{where_to}: {} halves of blocks are left: {kinds:?}", found.len());
    }
}

/// All of a value's bytes.
pub(crate) fn bytes_of<T>(value: &T) -> Vec<u8> {
    // SAFETY: the value's own bytes. Some may be padding, which is only looked at in what was zeros before.
    unsafe { slice::from_raw_parts(ptr::from_ref(value).cast(), size_of_val(value)) }.to_vec()
}

/// What a value's place holds after it was used, and after the drop.
pub(crate) fn before_and_after_drop<T>(
    make: impl FnOnce() -> T + Send,
    use_it: impl FnOnce(&mut T) + Send,
) -> [Vec<u8>; 2] {
    on_a_clean_stack(|| {
        let mut slot = Box::new(MaybeUninit::<T>::zeroed());
        // SAFETY: written before it is used, and not used after the drop.
        unsafe {
            use_it(slot.write(make()));
            let before = bytes_of(&*slot);
            slot.assume_init_drop();
            [before, bytes_of(&*slot)]
        }
    })
}

/// What the place of a key holds before and after the drop, for two keys. Bytes that differ tell something of them.
pub(crate) fn images<S: Subject>(width: Width, use_it: impl Fn(&S) + Sync) -> [[Vec<u8>; 2]; 2] {
    let other: Vec<u8> = S::KEY.iter().map(|byte| !byte).collect();
    on_a_clean_stack(|| {
        let mut slot = Box::new(MaybeUninit::<S>::uninit());
        [S::KEY, &other].map(|key| {
            // what the other key left is no matter here
            zeroize::zeroize_stack::<{ 64 << 10 }>();
            *slot = MaybeUninit::zeroed();
            // SAFETY: written before it is used, and not used after the drop.
            unsafe {
                use_it(slot.write(S::of(key, width)));
                let before = bytes_of(&*slot);
                slot.assume_init_drop();
                [before, bytes_of(&*slot)]
            }
        })
    })
}

/// Without optimisation a move copies what is unused of a value, too: so not with what other tests left on a stack.
pub(crate) fn on_a_clean_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(run).join().expect("no panic"))
}
