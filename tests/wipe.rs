//! A18: a key that is dropped leaves no copy of its round keys, neither where it was nor on the stack; nor does anything
//! else stay that tells keystream.
//!
//! What is looked at is done on a stack of its own, all of which is searched afterwards. A tier that cannot run here, and
//! what is not searched, is listed on standard error.
#![allow(unsafe_code)]
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::arch::x86_64::*;
use std::collections::{BTreeSet, HashMap};
use std::ffi::c_void;
use std::hint::black_box;
use std::io::Write;
use std::mem::{MaybeUninit, size_of_val};
use std::sync::Mutex;
use std::{ptr, slice};

use byways::cipher::{InnerIvInit, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};
use byways::cpu::{Aes, Detected};
use byways::ctr::{Ctr128BE, Keystream};
use byways::keys::AesKeys;
use byways::{Aes128, Aes192, Aes256, Width};

/// A message for which rounds are cached, and no multiple of anything.
const LONG: usize = (64 << 10) + 4096 + 5;

const COUNTER: [u8; 16] = *b"\x10\x9f\x8e\x7d\x6c\x5b\x4a\x39\x28\x17\x06\xf5\xe4\xd3\xc2\xb1";

/// Not zeros, or what comes out would be keystream.
fn message() -> Vec<u8> {
    (0..LONG).map(|i| (i * 167 + i / 256 * 59 + 13) as u8).collect()
}

trait Subject: Keystream + KeyInit + Clone + Sync {
    const KEY: &'static [u8];

    fn build(width: Width) -> Self;
    /// As a user does who owns the key.
    fn stream() -> Ctr128BE<Self>;
}

macro_rules! subjects {
    ($($name:ident, $key:literal;)*) => {
        $(
            impl Subject for $name {
                const KEY: &'static [u8] = $key;

                fn build(width: Width) -> Self {
                    $name::with_max_width($key.into(), width)
                }

                fn stream() -> Ctr128BE<Self> {
                    Ctr128BE::<$name>::new($key.into(), &COUNTER.into())
                }
            }
        )*
    };
}

subjects! {
    Aes128, b"\xc3\x5a\x81\x0e\x77\x42\xd9\x16\xa8\x3f\x94\x6d\xeb\x20\x5c\xf1";
    Aes192, b"\x0b\xd4\x92\x6f\x38\xe1\x5d\xa7\x1c\x83\x4e\xf9\x60\xb5\x2a\xc7\x74\x19\xde\x8b\x45\xf2\x36\x9c";
    Aes256, b"\x91\x27\xfc\x4b\xd8\x03\x6e\xb9\x52\xad\x18\xe5\x7a\xc4\x3f\x80\x1d\xe6\x59\xb2\x0f\x94\x6b\xd0\x35\xca\x87\x4c\xf3\x28\xa1\x5e";
}

/// Says it on standard error, once, around the capture of test output.
fn note(line: String) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().expect("no test panics here").insert(line.clone()) {
        std::io::stderr().write_all(format!("{line}\n").as_bytes()).expect("standard error is there");
    }
}

/// The tiers that this machine runs.
fn tiers() -> impl Iterator<Item = Width> {
    Width::ALL.into_iter().filter(|&width| {
        let runs = Aes128::with_max_width(Aes128::KEY.try_into().expect("16 bytes"), width).width() == width;
        if !runs {
            note(format!("not run, since this CPU or a limit does not allow it: tier {width}"));
        }
        runs
    })
}

/// The tiers with kernels of ours, and proof that there are round keys to look for.
fn our_tiers() -> impl Iterator<Item = (Width, Aes)> {
    note("not searched: the stack of tier fallback, on which crate aes leaves round keys".into());
    let aes = Detected::get().aes();
    tiers().filter(|&width| width != Width::Fallback).map(move |width| (width, aes.expect("kernels need AES-NI")))
}

/// Every size of key on every tier of ours.
macro_rules! for_all {
    ($check:ident) => {
        for (width, aes) in our_tiers() {
            $check::<Aes128>(width, aes);
            $check::<Aes192>(width, aes);
            $check::<Aes256>(width, aes);
        }
    };
}

/// Runs it on a new stack, and gives all that is written there.
fn stack_after<F: FnOnce() + Send>(body: F) -> Vec<u8> {
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
struct Secrets(HashMap<u64, &'static str>);

impl Secrets {
    /// The round keys, and rounds 1 and 2 as they are cached: the difference that each value of the lowest counter byte
    /// makes to the state.
    fn of_key<S: Subject>(aes: Aes) -> Self {
        #[target_feature(enable = "aes")]
        fn two_rounds(counter: u128, [k0, k1, k2]: [u128; 3]) -> u128 {
            // SAFETY: any bytes are a vector, and a number.
            let [counter, k0, k1, k2] =
                unsafe { [counter, k0, k1, k2].map(|n| std::mem::transmute::<u128, __m128i>(n)) };
            let state = _mm_aesenc_si128(_mm_aesenc_si128(_mm_xor_si128(counter, k0), k1), k2);
            // SAFETY: as above.
            unsafe { std::mem::transmute::<__m128i, u128>(state) }
        }
        let keys = on_a_clean_stack(|| AesKeys::new(S::KEY, aes).expect("a key of this size"));
        let keys: Vec<u128> = keys.as_slice().iter().map(|key| u128::from_ne_bytes(key.bytes())).collect();
        let mut secrets = Secrets::default();
        for &key in &keys {
            secrets.add(key, "a round key");
        }
        let state = |byte: u8| {
            let mut counter = COUNTER;
            counter[15] = byte;
            // SAFETY: there is proof of AES-NI.
            unsafe { two_rounds(u128::from_ne_bytes(counter), [keys[0], keys[1], keys[2]]) }
        };
        for byte in 1..=255 {
            secrets.add(state(0) ^ state(byte), "the table");
        }
        secrets
    }

    /// The keystream behind byte `from`, for some blocks.
    fn keystream<S: Subject>(mut self, from: usize) -> Self {
        let mut keystream = [0; 16 * 12];
        let mut stream = Ctr128BE::inner_iv_init(S::build(Width::Fallback), &COUNTER.into());
        let block = from / 16 * 16;
        stream.seek(block);
        stream.apply_keystream(&mut keystream);
        for half in keystream[(from - block).next_multiple_of(8)..].as_chunks().0 {
            self.0.insert(u64::from_ne_bytes(*half), "keystream that is not used");
        }
        self
    }

    fn add(&mut self, block: u128, what: &'static str) {
        for half in block.to_ne_bytes().as_chunks().0 {
            self.0.insert(u64::from_ne_bytes(*half), what);
        }
    }

    /// Where they are, and what they are of.
    fn find(&self, bytes: &[u8]) -> Vec<(usize, &'static str)> {
        let known = |(at, half): (usize, &[u8])| {
            let half = u64::from_ne_bytes(half.try_into().expect("8 bytes"));
            Some((at, *self.0.get(&half)?))
        };
        bytes.windows(8).enumerate().filter_map(known).collect()
    }

    #[track_caller]
    fn are_not_in(&self, bytes: &[u8], where_to: &str) {
        let found = self.find(bytes);
        let mut kinds: Vec<_> = found.iter().map(|(_, what)| what).collect();
        kinds.dedup();
        assert!(found.is_empty(), "{where_to}: {} halves of blocks are left: {kinds:?}", found.len());
    }
}

fn bytes_of<T>(value: &T) -> Vec<u8> {
    // SAFETY: the value's own bytes. Some may be padding, which is only looked at in what was zeros before.
    unsafe { slice::from_raw_parts(ptr::from_ref(value).cast(), size_of_val(value)) }.to_vec()
}

/// What a value's place holds after it was used, and after the drop.
fn before_and_after_drop<T>(make: impl FnOnce() -> T + Send, use_it: impl FnOnce(&mut T) + Send) -> [Vec<u8>; 2] {
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

/// Without optimisation a move copies what is unused of a value, too: so not with what other tests left on a stack.
fn on_a_clean_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(run).join().expect("no panic"))
}

/// Without this, the searches below might find nothing anywhere.
#[test]
fn the_search_finds_what_is_left() {
    #[inline(never)]
    fn leave(block: &[u8; 16]) {
        black_box([*block; 3]);
    }
    fn check<S: Subject>(width: Width, aes: Aes) {
        let secrets = Secrets::of_key::<S>(aes);
        let keys = AesKeys::new(S::KEY, aes).expect("a key of this size");
        let block = keys.as_slice()[3].bytes();
        let found = secrets.find(&stack_after(|| leave(&block)));
        assert!(found.len() >= 2 && found.iter().all(|(_, what)| *what == "a round key"), "{found:?}");
        // a key that is not dropped
        let found = secrets.find(&stack_after(|| {
            let key = std::mem::ManuallyDrop::new(S::build(width));
            black_box(&key);
        }));
        assert!(found.len() >= 2 * keys.as_slice().len(), "{width}: {found:?}");
    }
    for_all!(check);
}

#[test]
fn a18_where_a_key_was_there_are_zeros() {
    fn check<S: Subject>(width: Width, aes: Aes) {
        let secrets = Secrets::of_key::<S>(aes);
        let use_it = |key: &mut S| {
            let mut stream = Ctr128BE::inner_iv_init(&*key, &COUNTER.into());
            let mut data = message();
            stream.apply_keystream(&mut data[..5]);
            stream.apply_keystream(&mut data[5..1000]);
            stream.apply_keystream(&mut data[1000..]);
        };
        let [before, after] = before_and_after_drop(|| S::build(width), use_it);
        let round_keys = secrets.find(&before);
        assert!(round_keys.len() >= 2 * (S::KEY.len() / 4 + 7), "{width}: no round keys where they should be");
        for (at, _) in round_keys {
            assert_eq!(after[at..at + 8], [0; 8], "{width}: {} bits", S::KEY.len() * 8);
        }
        secrets.are_not_in(&after, "the place of a key");
    }
    for_all!(check);
}

/// Also where crates `aes` and `ctr` stand in.
#[test]
fn a18_where_a_fallback_key_was_there_are_zeros() {
    fn check<S: Subject>() {
        let use_it = |key: &mut S| Ctr128BE::inner_iv_init(&*key, &COUNTER.into()).apply_keystream(&mut message());
        let [before, after] = before_and_after_drop(|| S::build(Width::Fallback), use_it);
        let filled = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte != 0).count();
        // what says which variant it is, and padding
        assert!(filled(&before) > 150 && filled(&after) < 30, "{} bytes are left", filled(&after));
    }
    check::<Aes128>();
    check::<Aes192>();
    check::<Aes256>();
}

/// Of a block that is not used up, the keystream is kept until it is, or until the position is elsewhere.
#[test]
fn a18_where_a_stream_was_there_is_no_keystream() {
    fn check<S: Subject>(width: Width, _: Aes) {
        let key = S::build(width);
        let keystream = Secrets::default().keystream::<S>(7);
        let start = || {
            let mut stream = Ctr128BE::inner_iv_init(&key, &COUNTER.into());
            stream.apply_keystream(&mut [0; 5]);
            stream.apply_keystream(&mut [0; 2]);
            stream
        };
        let [before, after] = before_and_after_drop(start, |_| {});
        assert_eq!(keystream.find(&before).len(), 1, "a block is kept");
        keystream.are_not_in(&after, "the place of a stream");
        let [used_up, _] = before_and_after_drop(start, |stream| stream.apply_keystream(&mut [0; 9]));
        keystream.are_not_in(&used_up, "a stream that used up its block");
        for position in [0_u32, 16, 1000] {
            let [elsewhere, _] = before_and_after_drop(start, |stream| stream.seek(position));
            keystream.are_not_in(&elsewhere, "a stream that is elsewhere");
        }
    }
    for_all!(check);
}

#[test]
fn a18_building_leaves_nothing_on_the_stack() {
    fn check<S: Subject>(width: Width, aes: Aes) {
        let secrets = Secrets::of_key::<S>(aes);
        let what = |what: &str| format!("{what}, {} bits, {width}", S::KEY.len() * 8);
        let left = stack_after(|| {
            let key = S::build(width);
            black_box(&key);
        });
        secrets.are_not_in(&left, &what("a key"));
        let key = S::build(width);
        let left = stack_after(|| {
            let copy = key.clone();
            black_box(&copy);
        });
        secrets.are_not_in(&left, &what("a clone"));
        let left = stack_after(|| {
            let keys = AesKeys::new(S::KEY, aes);
            black_box(&keys);
        });
        secrets.are_not_in(&left, &what("round keys"));
        // a key that is handed on by value is moved, and where nothing is optimised a move is a copy
        if cfg!(debug_assertions) {
            note("not searched without optimisation: the stack after a stream was built that owns its key".into());
            return;
        }
        let left = stack_after(|| {
            let stream = S::stream();
            black_box(&stream);
        });
        secrets.are_not_in(&left, &what("a stream"));
    }
    for_all!(check);
}

/// Each call alone, for the next one would write over what it left.
#[test]
fn a18_using_leaves_nothing_on_the_stack() {
    fn check<S: Subject>(width: Width, aes: Aes) {
        let key = S::build(width);
        for calls in [
            &[0][..],
            &[1],
            &[5],
            &[16],
            &[19],
            &[33],
            &[100],
            &[117],
            &[500],
            &[1000],
            &[4096 + 3],
            &[LONG],
            // the rest of a block, or some of it
            &[5, 2],
            &[5, 11],
            &[5, 12],
            &[5, 2, 1],
            &[5, 2, 1000],
            &[5, LONG - 5],
        ] {
            let (last, before) = calls.split_last().expect("a call at least");
            let secrets = Secrets::of_key::<S>(aes).keystream::<S>(calls.iter().sum());
            let mut data = message();
            let mut stream = Box::new(Ctr128BE::inner_iv_init(&key, &COUNTER.into()));
            for &bytes in before {
                stream.apply_keystream(&mut data[..bytes]);
            }
            let (now, at) = (&mut data[..*last], &mut stream);
            let left = stack_after(move || at.apply_keystream(now));
            let what = || format!("{} bits, {width}, calls of {calls:?} bytes", S::KEY.len() * 8);
            secrets.are_not_in(&left, &what());
            let left = stack_after(|| drop(stream));
            secrets.are_not_in(&left, &format!("dropping, {}", what()));
        }
    }
    for_all!(check);
}

/// All of it in one go: built, used and dropped.
#[test]
fn a18_from_building_to_dropping_nothing_is_left() {
    fn check<S: Subject>(width: Width, aes: Aes) {
        let secrets = Secrets::of_key::<S>(aes).keystream::<S>(5 + 2 + 1000);
        for long in [false, true] {
            let mut data = message();
            let data = data.as_mut_slice();
            let left = stack_after(move || {
                let key = S::build(width);
                if long {
                    Ctr128BE::inner_iv_init(&key, &COUNTER.into()).apply_keystream(data);
                }
                let mut stream = Ctr128BE::inner_iv_init(&key, &COUNTER.into());
                stream.apply_keystream(&mut data[..5]);
                stream.apply_keystream(&mut data[5..7]);
                stream.apply_keystream(&mut data[7..1007]);
            });
            secrets.are_not_in(&left, &format!("{} bits, {width}, a long message: {long}", S::KEY.len() * 8));
        }
    }
    for_all!(check);
}
