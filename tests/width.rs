//! Which width is taken: by CPU, by the environment, by a call, by object. And what of the API is beside the keystream:
//! lengths that do not fit, what is printed, no data at all.
//!
//! A limit holds for a process, so processes are what is tested: this one runs itself again.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::iter;
use std::process::Command;

use byways::cipher::common::{InvalidLength, KeySizeUser};
use byways::cipher::{InnerIvInit, Key, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};
use byways::cpu::Detected;
use byways::crc::{self, CRC_16_T10_DIF, CRC_32_ISCSI, CRC_32_ISO_HDLC, Crc};
use byways::ctr::{Ctr32BE, Ctr64BE, Ctr128BE, Keystream};
use byways::{Aes128, Aes192, Aes256, Registered, VARIABLE, Width, limit_width, width_limit};

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

/// What has tiers of its own. A CPU may have what the one needs for a width, and not what the other does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Aes,
    Lsb,
    Msb,
    Crc32c,
}

impl Kind {
    /// Whether kernels of this algorithm are for it.
    fn takes(self, algorithm: &str) -> bool {
        match self {
            Kind::Aes => algorithm.starts_with("aes"),
            Kind::Lsb => algorithm == "crc_lsb",
            Kind::Msb => algorithm.starts_with("crc_msb_"),
            Kind::Crc32c => algorithm == "crc_lsb" || algorithm.starts_with("crc32c"),
        }
    }

    /// Whether its tier of this width cannot be without them: bits are reversed in ymm registers where there is GFNI, and
    /// there is another tier for where there is not.
    fn needs(self, algorithm: &str, width: Width) -> bool {
        self.takes(algorithm) && (algorithm != "crc_msb_rev" || width == Width::Zmm)
    }

    /// Whether this CPU runs the tier of this width, by its kernels' own features.
    fn runs(self, width: Width) -> bool {
        let needed = |kernel: &Registered| {
            let (algorithm, other) = parts(kernel.name());
            other <= width && self.needs(algorithm, width)
        };
        let mut kernels = byways::kernels().filter(needed).peekable();
        width == Width::Fallback || width <= COMPILED && kernels.peek().is_some() && kernels.all(runs)
    }

    /// The widest up to this that can be had here.
    fn up_to(self, width: Width) -> Width {
        Width::ALL.into_iter().rev().find(|&other| other <= width && self.runs(other)).expect("the fallback runs")
    }

    /// The width under these limits, or where nobody asks.
    fn width(self, limits: [Option<Width>; 2]) -> Width {
        let default = if Detected::get().slows_for_zmm() { Width::Ymm } else { Width::Zmm };
        self.up_to(limits.into_iter().flatten().min().unwrap_or(default))
    }
}

/// Whether this CPU has what the kernel needs.
fn runs(kernel: Registered) -> bool {
    Detected::get().features().contains(kernel.features())
}

/// A kernel's algorithm and width.
fn parts(name: &str) -> (&str, Width) {
    let (algorithm, tail) = name.rsplit_once("_by").expect("a kernel's name");
    (algorithm, tail.split_once('_').expect("a kernel's name").1.parse().expect("a width"))
}

macro_rules! for_each_crc {
    ($check:ident) => {{
        static LSB: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
        static MSB: Crc<u16> = Crc::<u16>::new(&CRC_16_T10_DIF);
        static CRC32C: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
        [
            $check(Kind::Lsb, &LSB, |bytes| ::crc::Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(bytes)),
            $check(Kind::Msb, &MSB, |bytes| ::crc::Crc::<u16>::new(&CRC_16_T10_DIF).checksum(bytes)),
            $check(Kind::Crc32c, &CRC32C, |bytes| ::crc::Crc::<u32>::new(&CRC_32_ISCSI).checksum(bytes)),
        ]
    }};
}

/// What computes the same CRC.
type Theirs<W> = fn(&[u8]) -> W;

/// It computes right, by each kernel of its plan.
fn computes<W: crc::Width + PartialEq + Debug>(crc: &Crc<W>, theirs: Theirs<W>) {
    let ends = crc.plan().filter(|&(most, _)| most < usize::MAX);
    for bytes in ends.flat_map(|(most, _)| [most, most + 1]).chain([0, 9, 1000]) {
        let data: Vec<u8> = (0..bytes).map(|i| (i * i / 8) as u8).collect();
        assert_eq!(crc.checksum(&data), theirs(&data), "{bytes} bytes at {}", crc.width());
    }
}

/// The widths of a kind: of what was not asked for any, and of what was.
fn widths(kind: Kind, new: Width, asked: [Width; 4]) -> String {
    format!("{kind:?} {new}, asked {}", asked.map(Width::name).join(" "))
}

/// What says the widths in force. Keys are built when it is called, except for one; of CRCs there are no others than those
/// of the beginning.
fn sayer() -> impl Fn() -> String {
    fn follower<W>(kind: Kind, crc: &'static Crc<W>, theirs: Theirs<W>) -> Box<dyn Fn() -> String>
    where
        W: crc::Width + PartialEq + Debug,
    {
        let limited = Width::ALL.map(|width| crc.clone().with_max_width(width));
        Box::new(move || {
            limited.iter().chain([crc]).for_each(|crc| computes(crc, theirs));
            widths(kind, crc.width(), limited.each_ref().map(Crc::width))
        })
    }

    let crcs = for_each_crc!(follower);
    let first = Aes192::new(&[0; 24].into());
    move || {
        let limit = width_limit().map_or("none", Width::name);
        let (one, two, three) =
            (Aes128::new(&[1; 16].into()), Aes192::new(&[1; 24].into()), Aes256::new(&[1; 32].into()));
        assert!(one.width() == two.width() && two.width() == three.width(), "widths differ by key size");
        let asked = Width::ALL.map(|width| Aes256::with_max_width(&[1; 32].into(), width).width());
        let crcs = crcs.each_ref().map(|crc| crc()).join("; ");
        format!("limit {limit}; first {}; {}; {crcs}", first.width(), widths(Kind::Aes, one.width(), asked))
    }
}

/// What it should say, with this in the environment and after each of these calls.
fn expected(environment: Option<Width>, calls: &[Width]) -> Vec<String> {
    let first = Kind::Aes.width([environment, None]);
    let limits = iter::once(environment).chain(calls.iter().copied().map(Some));
    let lines = limits.map(|limit| {
        let kinds = [Kind::Aes, Kind::Lsb, Kind::Msb, Kind::Crc32c].map(|kind| {
            let asked = Width::ALL.map(|width| kind.width([limit, Some(width)]));
            widths(kind, kind.width([limit, None]), asked)
        });
        format!("limit {}; first {first}; {}", limit.map_or("none", Width::name), kinds.join("; "))
    });
    lines.collect()
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
        let say = sayer();
        println!("{}", say());
        for name in limits.split_whitespace() {
            limit_width(name.parse().unwrap());
            println!("{}", say());
        }
        return;
    }
    assert_eq!(in_a_child(None, &[]), expected(None, &[]));
    // each name, in the environment and by a call
    for width in Width::ALL {
        assert_eq!(in_a_child(Some(width.name().as_ref()), &[]), expected(Some(width), &[]));
        assert_eq!(in_a_child(None, &[width]), expected(None, &[width]));
    }
    // the last call holds, also over the environment
    let calls = [Width::Fallback, Width::Zmm, Width::Xmm, Width::Ymm];
    assert_eq!(in_a_child(Some("xmm".as_ref()), &calls), expected(Some(Width::Xmm), &calls));
    // what is no name is no limit
    for unknown in ["", "ZMM", "xmm ", "avx512", "128", "none"] {
        assert_eq!(in_a_child(Some(unknown.as_ref()), &[]), expected(None, &[]), "{unknown:?}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(in_a_child(Some(OsStr::from_bytes(b"xmm\xff")), &[]), expected(None, &[]));
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

/// The width of the widest kernel that is planned.
fn widest(plan: &[(usize, &str)]) -> Width {
    plan.iter().map(|(_, name)| parts(name).1).max().unwrap_or(Width::Fallback)
}

/// The widest kernel that is planned has the width that is said.
#[test]
fn plan_and_width_agree() {
    fn check<C: KeySizeUser>(build: Build<C>, width: fn(&C) -> Width, plan: Plan<C>) {
        for asked in Width::ALL {
            let key = build(&Default::default(), asked);
            let (width, plan) = (width(&key), plan(&key));
            assert!(width <= asked);
            assert_eq!(widest(&plan), width, "{plan:?}");
        }
    }
    for_each_key!(check);
}

/// So it has with CRCs; and what is planned is of the CRC's kind, takes every length, and computes right.
#[test]
fn plan_and_width_of_crcs_agree() {
    fn check<W: crc::Width + PartialEq + Debug>(kind: Kind, crc: &Crc<W>, theirs: Theirs<W>) {
        for asked in Width::ALL {
            let crc = crc.clone().with_max_width(asked);
            let (width, plan) = (crc.width(), crc.plan().collect::<Vec<_>>());
            assert!(width <= asked);
            assert_eq!(widest(&plan), width, "{plan:?}");
            assert!(plan.iter().all(|(_, name)| kind.takes(parts(name).0)), "{kind:?}: {plan:?}");
            assert!(plan.is_sorted_by(|a, b| a.0 < b.0), "{plan:?}");
            assert!(plan.last().is_none_or(|&(most, _)| most == usize::MAX), "{plan:?}");
            // with GFNI, wide registers reverse bits
            let reverses = plan.iter().any(|(_, name)| parts(name).0 == "crc_msb_rev");
            let mut rev = byways::kernels().filter(|kernel| parts(kernel.name()) == ("crc_msb_rev", width));
            assert_eq!(reverses, kind == Kind::Msb && width >= Width::Ymm && rev.all(runs), "{plan:?}");
            computes(&crc, theirs);
        }
    }
    for_each_crc!(check);
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
