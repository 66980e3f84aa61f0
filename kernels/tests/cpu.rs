//! Detection: the pure function against machines that are odd, and against the standard library on this one.
#![cfg(target_arch = "x86_64")]

use byways_kernels::cpu::{Detected, Features, Kernel, Leaves, Registers};
use byways_kernels::{aes_ctr, aria, crc_fold};

/// CPUID leaf 1, ecx.
const LEAF1: [(&str, u32); 10] = [
    ("sse3", 0),
    ("pclmulqdq", 1),
    ("ssse3", 9),
    ("fma", 12),
    ("sse4.1", 19),
    ("sse4.2", 20),
    ("aes", 25),
    ("osxsave", 27),
    ("avx", 28),
    ("f16c", 29),
];
/// CPUID leaf 7, ebx (below 100) and ecx (from 100).
const LEAF7: [(&str, u32); 9] = [
    ("avx2", 5),
    ("avx512f", 16),
    ("avx512bw", 30),
    ("avx512vl", 31),
    ("avx512vbmi", 101),
    ("avx512vbmi2", 106),
    ("gfni", 108),
    ("vaes", 109),
    ("vpclmulqdq", 110),
];

/// A machine whose CPUID shows all of our features but `without`, and whose operating system set XCR0 so.
fn machine(without: &[&str], xcr0: u64) -> Features {
    let shown = |bits: &[(&str, u32)], from: u32| {
        let kept = bits.iter().filter(|(name, bit)| !without.contains(name) && (from..from + 100).contains(bit));
        kept.fold(0, |register, (_, bit)| register | 1 << (bit - from))
    };
    let leaf1 = Registers { ecx: shown(&LEAF1, 0), ..Default::default() };
    let leaf7 = Registers { ebx: shown(&LEAF7, 0), ecx: shown(&LEAF7, 100), ..Default::default() };
    Features::of(&Leaves { leaf1, leaf7, xcr0 })
}

/// The kernels of AES and of CRCs: name and features.
fn kernels() -> impl Iterator<Item = (&'static str, Features)> {
    fn of<F: Copy>(kernel: &Kernel<F>) -> (&'static str, Features) {
        (kernel.name(), kernel.features())
    }
    aes_ctr::KERNELS.iter().map(of).chain(crc_fold::KERNELS.iter().map(of))
}

/// Which kernels have something in their names.
const KINDS: [&str; 5] = ["_ctr_", "crc_lsb_", "crc_msb_rev_", "crc_msb_swap_", "crc32c_"];

/// For each kind, the widths at which all of its kernels run. At others none must.
fn widths(features: Features) -> [String; KINDS.len()] {
    KINDS.map(|kind| {
        let can = |width: &&str| {
            let of_it = kernels().filter(|(name, _)| name.contains(kind) && name.ends_with(*width));
            let (can, cannot): (Vec<_>, Vec<_>) = of_it.partition(|&(_, needed)| features.contains(needed));
            assert!(can.is_empty() != cannot.is_empty(), "{kind}{width}: {can:?} run, {cannot:?} do not");
            cannot.is_empty()
        };
        ["xmm", "ymm", "zmm"].into_iter().filter(can).collect::<Vec<_>>().join(" ")
    })
}

/// A CPU bit counts only if the operating system saves the registers, and only with what the compiler takes it to imply.
#[test]
fn odd_machines() {
    const ALL: u64 = 0xe7;
    const NONE: &str = "";
    const X: &str = "xmm";
    const XY: &str = "xmm ymm";
    const XYZ: &str = "xmm ymm zmm";
    let no_avx512 = ["avx512f", "avx512bw", "avx512vl", "avx512vbmi2"];
    let no_avx512_gfni = ["avx512f", "avx512bw", "avx512vl", "avx512vbmi2", "gfni"];
    let no_vectors = ["vaes", "vpclmulqdq", "gfni", "avx512vbmi2"];
    let knights_landing = ["vaes", "vpclmulqdq", "gfni", "avx512vbmi2", "avx512bw", "avx512vl"];
    // counter mode; CRCs: lowest bit first, highest first by reversing bits, by swapping bytes; CRC-32C
    let cases: &[(&str, &[&str], u64, [&str; KINDS.len()])] = &[
        ("everything (Ice Lake, Zen 4)", &[], ALL, [XYZ; 5]),
        ("CPUID all set, the system saves xmm only", &[], 0x3, [X; 5]),
        ("CPUID all set, the system saves ymm", &[], 0x7, [XY; 5]),
        ("masks and zmm without ymm", &[], 0xe3, [X; 5]),
        ("ymm without xmm", &[], 0x4, [X; 5]),
        ("no masks", &[], 0xc7, [XY; 5]),
        ("no upper zmm registers", &[], 0x67, [XY; 5]),
        ("no OSXSAVE: XCR0 means nothing", &["osxsave"], ALL, [X; 5]),
        ("VAES and VPCLMULQDQ with AVX2, and GFNI (Alder Lake)", &no_avx512, 0x7, [XY; 5]),
        ("VAES and VPCLMULQDQ with AVX2, no GFNI (Zen 3)", &no_avx512_gfni, 0x7, [XY, XY, NONE, XY, XY]),
        ("AVX-512 and PCLMULQDQ only (Skylake-X)", &no_vectors, ALL, [X, X, NONE, X, X]),
        ("AVX-512F alone (Knights Landing)", &knights_landing, ALL, [X, X, NONE, X, X]),
        ("GFNI without AVX (Tremont)", &["avx"], 0x3, [X; 5]),
        ("no AVX-512VL", &["avx512vl"], ALL, [XY; 5]),
        ("no AVX-512VBMI2", &["avx512vbmi2"], ALL, [XYZ, XY, XY, XY, XY]),
        ("AVX masked by a hypervisor, the rest shown", &["avx"], ALL, [X; 5]),
        ("no AVX2", &["avx2"], ALL, [X; 5]),
        ("no FMA, which AVX-512 implies to the compiler", &["fma"], ALL, [XY; 5]),
        ("no VAES", &["vaes"], ALL, [X, XYZ, XYZ, XYZ, XYZ]),
        ("no VPCLMULQDQ", &["vpclmulqdq"], ALL, [XYZ, X, X, X, X]),
        ("no GFNI", &["gfni"], ALL, [XYZ, XYZ, NONE, XYZ, XYZ]),
        ("no AES-NI", &["aes"], ALL, [NONE, XYZ, XYZ, XYZ, XYZ]),
        ("no PCLMULQDQ, which VPCLMULQDQ implies to the compiler", &["pclmulqdq"], ALL, [XYZ, NONE, NONE, NONE, NONE]),
        ("AES-NI alone", &["pclmulqdq", "avx", "gfni"], 0x3, [X, NONE, NONE, NONE, NONE]),
        // one form takes its result from the upper half of a register
        ("no SSE4.1, which AVX implies to the compiler", &["sse4.1"], ALL, [X, NONE, X, X, NONE]),
        ("no SSE4.2, which AVX implies to the compiler", &["sse4.2"], ALL, [X, X, X, X, NONE]),
        ("no SSSE3", &["ssse3"], ALL, [NONE; 5]),
        ("nothing", &["aes", "ssse3", "avx", "pclmulqdq"], 0, [NONE; 5]),
    ];
    for &(what, without, xcr0, expected) in cases {
        assert_eq!(widths(machine(without, xcr0)), expected, "{what}");
    }
}

/// ARIA's kernels at each width, of which one at zmm needs more than the others, and those without GFNI: which all run, and
/// of which none does.
#[test]
fn aria_on_odd_machines() {
    const ALL: u64 = 0xe7;
    let no_avx512 = ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2"];
    let kinds: [fn(&str) -> bool; 6] = [
        |name| name.ends_with("xmm") && !name.contains("aessub") && !name.contains("xor3"),
        |name| name.ends_with("ymm") && !name.contains("xor3"),
        |name| name.ends_with("zmm") && !name.ends_with("by4_zmm"),
        |name| name.ends_with("by4_zmm"),
        |name| name.contains("aessub"),
        |name| name.contains("xor3"),
    ];
    let cases: &[(&str, &[&str], u64, [bool; 6])] = &[
        ("everything (Ice Lake, Zen 4)", &[], ALL, [true; 6]),
        ("CPUID all set, the system saves xmm only", &[], 0x3, [true, false, false, false, true, false]),
        ("CPUID all set, the system saves ymm", &[], 0x7, [true, true, false, false, true, false]),
        ("AVX2 and GFNI (Alder Lake)", &no_avx512, 0x7, [true, true, false, false, true, false]),
        ("GFNI without AVX (Tremont)", &["avx"], 0x3, [true, false, false, false, true, false]),
        ("no AVX2", &["avx2"], ALL, [true, false, false, false, true, false]),
        ("no GFNI", &["gfni"], ALL, [false, false, false, false, true, false]),
        ("no AVX-512VL", &["avx512vl"], ALL, [true, true, false, false, true, false]),
        ("no AVX-512VBMI", &["avx512vbmi"], ALL, [true, true, true, false, true, true]),
        ("no AES-NI", &["aes"], ALL, [true, true, true, true, false, true]),
        ("no SSSE3", &["ssse3"], ALL, [false; 6]),
    ];
    for &(what, without, xcr0, expected) in cases {
        let features = machine(without, xcr0);
        let run = kinds.map(|kind| {
            let of_it = aria::KERNELS.iter().filter(|kernel| kind(kernel.name()));
            let of_it = of_it.map(|kernel| (kernel.name(), kernel.features()));
            let (can, cannot): (Vec<_>, Vec<_>) = of_it.partition(|&(_, needed)| features.contains(needed));
            assert!(can.is_empty() != cannot.is_empty(), "{what}: {can:?} run, {cannot:?} do not");
            cannot.is_empty()
        });
        assert_eq!(run, expected, "{what}");
    }
}

#[test]
fn this_machine_is_as_the_standard_library_says() {
    macro_rules! same {
        ($($name:tt)*) => {
            $(assert_eq!(Detected::get().features().has($name), std::is_x86_feature_detected!($name), $name);)*
        };
    }
    same!("sse3" "ssse3" "sse4.1" "sse4.2" "aes" "avx" "f16c" "fma" "avx2" "vaes" "avx512f" "avx512bw" "avx512vl");
    same!("pclmulqdq" "vpclmulqdq" "gfni" "avx512vbmi" "avx512vbmi2");
    assert_eq!(Features::all().names().count(), 18, "a feature is not compared");
}

/// Crate `cpufeatures` knows all of them but f16c, and shows VAES, VPCLMULQDQ and GFNI only where the zmm registers are
/// saved.
#[test]
fn this_machine_is_as_cpufeatures_says() {
    let ours = Detected::get().features();
    let mut compared = vec!["f16c"];
    macro_rules! same {
        ($($module:ident $name:tt)*) => {
            $(
                cpufeatures::new!($module, $name);
                let stricter = ["vaes", "vpclmulqdq", "gfni"].contains(&$name) && !ours.has("avx512f");
                assert!($module::get() == ours.has($name) || stricter && !$module::get(), $name);
                compared.push($name);
            )*
        };
    }
    same!(sse3 "sse3" ssse3 "ssse3" sse41 "sse4.1" sse42 "sse4.2" aes "aes" avx "avx" fma "fma" avx2 "avx2");
    same!(vaes "vaes" avx512f "avx512f" avx512bw "avx512bw" avx512vl "avx512vl");
    same!(pclmulqdq "pclmulqdq" vpclmulqdq "vpclmulqdq" gfni "gfni");
    same!(avx512vbmi "avx512vbmi" avx512vbmi2 "avx512vbmi2");
    assert!(Features::all().names().all(|name| compared.contains(&name)), "only {compared:?} are compared");
}

/// CPUs by register eax of CPUID leaf 1, and whether their clock drops while zmm registers are used.
#[test]
fn clocks_that_drop_for_zmm() {
    let cases = [
        ("Skylake-X", 0x50654, true),
        ("Cascade Lake", 0x50657, true),
        ("Cooper Lake", 0x5065b, true),
        ("Ice Lake-SP", 0x606a6, true),
        ("Ice Lake-D", 0x606c1, true),
        ("Ice Lake, mobile", 0x706e5, true),
        ("Tiger Lake", 0x806c1, true),
        ("Tiger Lake-H", 0x806d1, true),
        ("Sapphire Rapids", 0x806f8, false),
        ("Emerald Rapids", 0xc06f2, false),
        ("Alder Lake", 0x90672, false),
        ("Zen 3", 0xa20f10, false),
        ("Zen 4", 0xa60f12, false),
        ("Zen 5", 0xb40f40, false),
        ("nothing", 0, false),
        // the same model number in other families
        ("family 15 with Skylake-X's model", 0x50f54, false),
        ("family 25 with Ice Lake-SP's model", 0xa60fa6, false),
    ];
    for (name, eax, slows) in cases {
        let leaf1 = Registers { eax, ..Default::default() };
        assert_eq!(Leaves { leaf1, ..Default::default() }.slows_for_zmm(), slows, "{name}");
    }
}

#[test]
fn sets() {
    let some = Features::named("aes,avx2");
    assert_eq!(some.to_string(), "aes, avx2");
    assert_eq!(some.names().collect::<Vec<_>>(), ["aes", "avx2"]);
    assert!(Features::all().contains(some) && !some.contains(Features::all()));
    assert_eq!(some.without(Features::named("aes")), Features::named("avx2"));
    assert!(some.and(Features::named("vaes")).is_empty());
    assert!(std::panic::catch_unwind(|| Features::named("aes,mmx")).is_err());
}

/// A kernel is proven against what was detected, less what was taken away, and says what it lacks.
#[test]
fn kernels_are_proven_against_what_is_there() {
    fn check<F: Copy>(kernels: &[Kernel<F>]) {
        let all = Detected::get();
        let none = all.only(Features::NONE);
        for kernel in kernels {
            let missing = kernel.prove(none).map(|_| ()).unwrap_err();
            assert_eq!(missing.0, kernel.features(), "{}", kernel.name());
            let quoted: Vec<String> = kernel.features().names().map(|name| format!("`{name}`")).collect();
            assert_eq!(missing.to_string(), format!("this CPU has no {}", quoted.join(", ")));
            let without = all.features().without(kernel.features());
            assert!(kernel.prove(all.only(without)).is_err(), "{}", kernel.name());
            for name in kernel.features().names() {
                let without = all.only(all.features().without(Features::named(name)));
                assert!(kernel.prove(without).is_err_and(|missing| missing.0.has(name)), "{}", kernel.name());
            }
        }
    }
    assert!(Detected::get().only(Features::NONE).aes().is_none());
    check(aes_ctr::KERNELS);
    check(crc_fold::KERNELS);
}

/// A CRC kernel by its function is the kernel by its kind, with the features that go with it.
#[test]
fn crc_kernels_by_their_kind() {
    for kernel in crc_fold::KERNELS {
        let (lsb, msb, crc32c) = (kernel.lsb(), kernel.msb(), kernel.crc32c());
        let is = |kind| kernel.name().starts_with(kind);
        assert_eq!(lsb.is_some(), is("crc_lsb_"), "{}", kernel.name());
        assert_eq!(msb.is_some(), is("crc_msb_"), "{}", kernel.name());
        // which any does that takes the lowest bit first
        assert_eq!(crc32c.is_some(), is("crc32c_") || is("crc_lsb_"), "{}", kernel.name());
        assert_eq!(kernel.function().is_lsb(), crc32c.is_some(), "{}", kernel.name());
        let narrow = msb.or(crc32c).expect("one of the two");
        assert_eq!((narrow.name(), narrow.features()), (kernel.name(), kernel.features()));
        assert!(std::ptr::fn_addr_eq(narrow.function(), kernel.function().function()), "{}", kernel.name());
    }
}
