//! What of the API is beside bytes: widths, plans, lengths that do not fit, what is printed.

use std::fmt::Debug;
use std::process::Command;

use byways::cipher::common::{InvalidLength, KeySizeUser};
use byways::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, InnerIvInit, Key, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek,
};
use byways::cpu::Detected;
use byways::ctr::{Ctr32BE, Ctr64BE, Ctr128BE, Keystream};
use byways::{Aria128, Aria192, Aria256, VARIABLE, Width, limit_width};

use crate::subject::{keys, tiers};

macro_rules! for_each_key {
    ($check:ident) => {
        $check::<Aria128>(Aria128::with_max_width);
        $check::<Aria192>(Aria192::with_max_width);
        $check::<Aria256>(Aria256::with_max_width);
    };
}

type Build<C> = fn(&Key<C>, Width) -> C;

/// The widest tier that runs here, up to this one.
fn up_to(width: Width) -> Width {
    *tiers().iter().rev().find(|&&tier| tier <= width).expect("the fallback runs")
}

const CHILD: &str = "BYWAYS_TEST_ARIA_LIMIT";

/// A limit holds for a process, so this one runs itself again: with each limit in its environment, and with another one
/// by a call.
#[test]
fn limits() {
    if let Ok(called) = std::env::var(CHILD) {
        // what there is, by size of key
        let say = || {
            let new = [
                Aria128::new(&[1; 16].into()).width(),
                Aria192::new(&[1; 24].into()).width(),
                Aria256::new(&[1; 32].into()).width(),
            ];
            let asked = Width::ALL.map(|width| Aria256::with_max_width(&[1; 32].into(), width).width());
            println!("widths {new:?} {asked:?}");
        };
        say();
        limit_width(called.parse().expect("a width"));
        say();
        return;
    }
    let expected = |limit: Width| {
        let asked = Width::ALL.map(|width| up_to(limit.min(width)));
        format!("widths {:?} {asked:?}", [up_to(limit); 3])
    };
    for width in Width::ALL {
        for called in Width::ALL {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", "api::limits", "--nocapture"]).env(VARIABLE, width.name()).env(CHILD, called.name());
            let output = child.output().unwrap();
            let stdout = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{output:?}");
            // the harness begins a line of its own
            let said: Vec<&str> = stdout.lines().filter_map(|line| Some(&line[line.find("widths ")?..])).collect();
            assert_eq!(said, [expected(width), expected(called)], "{width}, then {called}");
        }
    }
}

/// Only kernels that are registered, that this CPU can run, and that are no wider than the tier; of the fallback none.
#[test]
fn a14_a_plan_has_only_kernels_that_its_cpu_can_run() {
    for (key, _, what) in keys() {
        let plan = key.plan();
        assert_eq!(plan.is_empty(), key.width() == Width::Fallback, "{what}: {plan:?}");
        for (_, name) in plan {
            let kernel = byways::kernels().find(|kernel| kernel.name() == name);
            let kernel = kernel.unwrap_or_else(|| panic!("{name} is planned, and not registered"));
            assert!(
                Detected::get().features().contains(kernel.features()),
                "{what}: {name} needs {}",
                kernel.features()
            );
            let width = Width::ALL.into_iter().find(|width| name.ends_with(&format!("_{width}")));
            assert!(width.is_some_and(|width| width <= key.width()), "{what}: {name}");
        }
    }
}

#[test]
fn no_data_is_no_matter() {
    fn check<C: KeySizeUser + Keystream + BlockCipherEncrypt + BlockCipherDecrypt>(build: Build<C>) {
        for width in Width::ALL {
            let key = build(&Default::default(), width);
            key.encrypt_blocks(&mut []);
            key.decrypt_blocks(&mut []);
            // by the backend, too
            <&C>::encrypt_blocks(&&key, &mut []);
            <&C>::decrypt_blocks(&&key, &mut []);
            let mut stream = Ctr64BE::inner_iv_init(&key, &[0xff; 16].into());
            for position in [0_u64, 5, 16] {
                stream.seek(position);
                stream.apply_keystream(&mut []);
                assert_eq!(stream.current_pos::<u64>(), position);
            }
        }
    }
    for_each_key!(check);
}

#[test]
fn nothing_prints_a_key() {
    let key = Aria128::with_max_width(&[0xab; 16].into(), Width::Fallback);
    assert_eq!(format!("{key:?}"), "Aria128 { width: Fallback, .. }");
    fn check<C: KeySizeUser + Keystream + Debug>(build: Build<C>) {
        for width in Width::ALL {
            let key = build(&Key::<C>::try_from(&vec![0xab; C::key_size()][..]).expect("a key of this size"), width);
            let shown = format!("{key:?} {key:#?}");
            assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
            let mut stream = Ctr64BE::inner_iv_init(&key, &[0xcd; 16].into());
            stream.apply_keystream(&mut [0; 5]);
            assert_eq!(format!("{stream:?}"), "Ctr64BE { ... }");
        }
    }
    for_each_key!(check);
}

/// By an error, without a panic, and never by reading on.
#[test]
fn a19_keys_and_ivs_of_other_lengths_are_refused() {
    const BYTES: [u8; 40] = [7; 40];

    fn check<C: KeyInit + Keystream>(_: Build<C>) {
        fn streams<S: KeyIvInit>(right: usize) {
            for len in 0..=BYTES.len() {
                let result = S::new_from_slices(&BYTES[..len], &BYTES[..16]).map(|_| ());
                assert_eq!(result, if len == right { Ok(()) } else { Err(InvalidLength) }, "a key of {len} bytes");
                let result = S::new_from_slices(&BYTES[..right], &BYTES[..len]).map(|_| ());
                assert_eq!(result, if len == 16 { Ok(()) } else { Err(InvalidLength) }, "an IV of {len} bytes");
            }
        }
        let right = C::key_size();
        for len in 0..=BYTES.len() {
            let result = C::new_from_slice(&BYTES[..len]).map(|_| ());
            assert_eq!(result, if len == right { Ok(()) } else { Err(InvalidLength) }, "a key of {len} bytes");
        }
        streams::<Ctr32BE<C>>(right);
        streams::<Ctr64BE<C>>(right);
        streams::<Ctr128BE<C>>(right);
    }
    for_each_key!(check);
}
