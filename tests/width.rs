//! Which width is taken: by CPU, by the environment, by a call, by object. And what of the API is beside the keystream:
//! lengths that do not fit, what is printed, no data at all.
//!
//! A limit holds for a process, so processes are what is tested: this one runs itself again.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::process::Command;

use byways::cipher::common::{InvalidLength, KeySizeUser};
use byways::cipher::{InnerIvInit, Key, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};
use byways::cpu::Detected;
use byways::ctr::{Ctr32BE, Ctr64BE, Ctr128BE, Keystream};
use byways::{Aes128, Aes192, Aes256, VARIABLE, Width, limit_width, width_limit};

/// In the environment of a child: the widths to call [`limit_width`] with, after each of which it says what there is.
const CHILD: &str = "BYWAYS_TEST_LIMITS";

/// The widest that was compiled in.
const COMPILED: Width = if cfg!(byways_max_width = "fallback") {
    Width::Fallback
} else if cfg!(byways_max_width = "xmm") {
    Width::Xmm
} else if cfg!(byways_max_width = "ymm") {
    Width::Ymm
} else {
    Width::Zmm
};

/// Whether this CPU runs all kernels of this width, by their own features.
fn runs(width: Width) -> bool {
    let cpu = Detected::get().features();
    let mut kernels = byways::kernels().filter(|kernel| kernel.name().ends_with(&format!("_{width}"))).peekable();
    width == Width::Fallback
        || width <= COMPILED && kernels.peek().is_some() && kernels.all(|kernel| cpu.contains(kernel.features()))
}

/// The widest up to this that can be had here.
fn up_to(width: Width) -> Width {
    Width::ALL.into_iter().rev().find(|&other| other <= width && runs(other)).expect("the fallback runs")
}

/// What is taken where nobody asks.
fn default_width() -> Width {
    up_to(if Detected::get().slows_for_zmm() { Width::Ymm } else { Width::Zmm })
}

/// The widths in force, as the child says them.
fn said() -> String {
    let (one, two, three) = (Aes128::new(&[1; 16].into()), Aes192::new(&[1; 24].into()), Aes256::new(&[1; 32].into()));
    assert!(one.width() == two.width() && two.width() == three.width(), "widths differ by key size");
    let asked = Width::ALL.map(|width| Aes256::with_max_width(&[1; 32].into(), width).width().name());
    let limit = width_limit().map_or("none", Width::name);
    format!("limit {limit}, new {}, asked {}", one.width(), asked.join(" "))
}

/// The same, as it should be.
fn expected(limit: Option<Width>) -> String {
    let new = limit.map_or_else(default_width, up_to);
    let asked = Width::ALL.map(|width| up_to(limit.map_or(width, |limit| limit.min(width))).name());
    format!("limit {}, new {new}, asked {}", limit.map_or("none", Width::name), asked.join(" "))
}

/// What a new process says, with this in its environment and after these limits.
fn in_a_child(variable: Option<&OsStr>, limits: &[Width]) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap());
    let names: Vec<&str> = limits.iter().map(|width| width.name()).collect();
    child.args(["--exact", "limits", "--nocapture"]).env_remove(VARIABLE).env(CHILD, names.join(" "));
    if let Some(value) = variable {
        child.env(VARIABLE, value);
    }
    let output = child.output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    // the harness begins a line of its own
    stdout.lines().filter_map(|line| Some(line[line.find("limit ")?..].to_string())).collect()
}

#[test]
fn limits() {
    if let Ok(limits) = std::env::var(CHILD) {
        println!("{}", said());
        for name in limits.split_whitespace() {
            limit_width(name.parse().unwrap());
            println!("{}", said());
        }
        return;
    }
    assert_eq!(in_a_child(None, &[]), [expected(None)]);
    // each name, in the environment and by a call
    for width in Width::ALL {
        assert_eq!(in_a_child(Some(width.name().as_ref()), &[]), [expected(Some(width))]);
        assert_eq!(in_a_child(None, &[width]), [expected(None), expected(Some(width))]);
    }
    // the last call holds, also over the environment
    let calls = [Width::Fallback, Width::Zmm, Width::Xmm, Width::Ymm];
    let mut all = vec![expected(Some(Width::Xmm))];
    all.extend(calls.map(|width| expected(Some(width))));
    assert_eq!(in_a_child(Some("xmm".as_ref()), &calls), all);
    // what is no name is no limit
    for unknown in ["", "ZMM", "xmm ", "avx512", "128", "none"] {
        assert_eq!(in_a_child(Some(unknown.as_ref()), &[]), [expected(None)], "{unknown:?}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(in_a_child(Some(OsStr::from_bytes(b"xmm\xff")), &[]), [expected(None)]);
    }
}

#[test]
fn names() {
    for width in Width::ALL {
        assert_eq!(width.name().parse(), Ok(width));
        assert_eq!(format!("{width:>9}"), format!("{:>9}", width.name()));
    }
    assert!(Width::ALL.is_sorted());
    let unknown = "XMM".parse::<Width>().unwrap_err();
    assert!(Width::ALL.iter().all(|width| unknown.to_string().contains(&format!("`{width}`"))));
}

macro_rules! for_each_key {
    ($check:ident) => {
        $check::<Aes128>(Aes128::with_max_width, Aes128::width, |key| key.plan().collect());
        $check::<Aes192>(Aes192::with_max_width, Aes192::width, |key| key.plan().collect());
        $check::<Aes256>(Aes256::with_max_width, Aes256::width, |key| key.plan().collect());
    };
}

type Build<C> = fn(&Key<C>, Width) -> C;
type Plan<C> = fn(&C) -> Vec<(usize, &'static str)>;

/// The widest kernel that is planned has the width that is said.
#[test]
fn plan_and_width_agree() {
    fn check<C: KeySizeUser>(build: Build<C>, width: fn(&C) -> Width, plan: Plan<C>) {
        for asked in Width::ALL {
            let key = build(&Default::default(), asked);
            let (width, plan) = (width(&key), plan(&key));
            assert!(width <= asked);
            let width_of = |name: &str| name.rsplit('_').next().and_then(|end| end.parse::<Width>().ok());
            let widest = plan.iter().map(|(_, name)| width_of(name).expect("a kernel's name")).max();
            assert_eq!(widest.unwrap_or(Width::Fallback), width, "{plan:?}");
        }
    }
    for_each_key!(check);
}

#[test]
fn no_data_is_no_matter() {
    fn check<C: KeySizeUser + Keystream>(build: Build<C>, _: fn(&C) -> Width, _: Plan<C>) {
        fn nothing<S: StreamCipher + StreamCipherSeek>(mut stream: S) {
            for position in [0_u64, 5, 16] {
                stream.seek(position);
                stream.apply_keystream(&mut []);
                stream.apply_keystream_b2b(&[], &mut []);
                stream.write_keystream(&mut []);
                stream.unchecked_apply_keystream(&mut []);
                stream.unchecked_write_keystream(&mut []);
                assert!(stream.check_remaining(0).is_ok());
                assert_eq!(stream.current_pos::<u64>(), position);
            }
        }
        let iv = [0xff; 16].into();
        for width in Width::ALL {
            let key = build(&Default::default(), width);
            nothing(Ctr32BE::inner_iv_init(&key, &iv));
            nothing(Ctr64BE::inner_iv_init(&key, &iv));
            nothing(Ctr128BE::inner_iv_init(&key, &iv));
        }
    }
    for_each_key!(check);
}

#[test]
fn nothing_prints_a_key() {
    let key = Aes128::with_max_width(&[0xab; 16].into(), Width::Fallback);
    assert_eq!(format!("{key:?}"), "Aes128 { width: Fallback, .. }");
    fn check<C: KeySizeUser + Keystream + Debug>(build: Build<C>, _: fn(&C) -> Width, _: Plan<C>) {
        for width in Width::ALL {
            let key = build(&Key::<C>::try_from(&vec![0xab; C::key_size()][..]).expect("a key of this size"), width);
            let shown = format!("{key:?} {key:#?}");
            assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
            let mut stream = Ctr64BE::inner_iv_init(&key, &[0xcd; 16].into());
            stream.apply_keystream(&mut [0; 5]);
            stream.apply_keystream(&mut [0; 2]);
            assert_eq!(format!("{stream:?}"), "Ctr64BE { ... }");
        }
    }
    for_each_key!(check);
}

/// As A19: by an error, without a panic, and never by reading on.
#[test]
fn keys_and_ivs_of_other_lengths_are_refused() {
    const BYTES: [u8; 40] = [7; 40];
    const LENGTHS: [usize; 8] = [0, 1, 15, 17, 23, 25, 31, 33];

    fn check<C>(_: Build<C>, _: fn(&C) -> Width, _: Plan<C>)
    where
        C: KeyInit + KeySizeUser + Keystream,
    {
        fn streams<S: KeyIvInit>(right: usize) {
            for len in LENGTHS.into_iter().chain([16, 24, 32]) {
                let result = S::new_from_slices(&BYTES[..len], &BYTES[..16]).map(|_| ());
                assert_eq!(result, if len == right { Ok(()) } else { Err(InvalidLength) }, "a key of {len} bytes");
                let result = S::new_from_slices(&BYTES[..right], &BYTES[..len]).map(|_| ());
                assert_eq!(result, if len == 16 { Ok(()) } else { Err(InvalidLength) }, "an IV of {len} bytes");
            }
        }
        let right = C::key_size();
        for len in LENGTHS.into_iter().chain([16, 24, 32]) {
            let result = C::new_from_slice(&BYTES[..len]).map(|_| ());
            assert_eq!(result, if len == right { Ok(()) } else { Err(InvalidLength) }, "a key of {len} bytes");
        }
        for len in LENGTHS {
            let key = C::new_from_slice(&BYTES[..right]).expect("a key of this size");
            assert!(Ctr128BE::inner_iv_slice_init(&key, &BYTES[..len]).is_err(), "an IV of {len} bytes");
        }
        streams::<Ctr32BE<C>>(right);
        streams::<Ctr64BE<C>>(right);
        streams::<Ctr128BE<C>>(right);
    }
    for_each_key!(check);
}
