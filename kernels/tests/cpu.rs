//! Detection: the pure function against machines that are odd, and against the standard library on this one.
#![cfg(target_arch = "x86_64")]

use byways_kernels::aes_ctr::KERNELS;
use byways_kernels::cpu::{Detected, Features, Leaves, Registers};

/// CPUID leaf 1, ecx.
const LEAF1: [(&str, u32); 9] = [
    ("sse3", 0),
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
const LEAF7: [(&str, u32); 5] = [("avx2", 5), ("avx512f", 16), ("avx512bw", 30), ("avx512vl", 31), ("vaes", 109)];

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

fn widths(features: Features) -> Vec<&'static str> {
    let can = |width: &&str| {
        let mut kernels = KERNELS.iter().filter(|kernel| kernel.name().ends_with(*width));
        kernels.clone().count() > 0 && kernels.all(|kernel| features.contains(kernel.features()))
    };
    ["xmm", "ymm", "zmm"].into_iter().filter(can).collect()
}

/// A CPU bit counts only if the operating system saves the registers, and only with what the compiler takes it to imply.
#[test]
fn odd_machines() {
    const ALL: u64 = 0xe7;
    let cases: &[(&str, &[&str], u64, &[&str])] = &[
        ("everything", &[], ALL, &["xmm", "ymm", "zmm"]),
        ("CPUID all set, the system saves xmm only", &[], 0x3, &["xmm"]),
        ("CPUID all set, the system saves ymm", &[], 0x7, &["xmm", "ymm"]),
        ("masks and zmm without ymm", &[], 0xe3, &["xmm"]),
        ("ymm without xmm", &[], 0x4, &["xmm"]),
        ("no masks", &[], 0xc7, &["xmm", "ymm"]),
        ("no upper zmm registers", &[], 0x67, &["xmm", "ymm"]),
        ("no OSXSAVE: XCR0 means nothing", &["osxsave"], ALL, &["xmm"]),
        ("VAES with AVX2 only (Zen 3, Alder Lake)", &["avx512f", "avx512bw", "avx512vl"], 0x7, &["xmm", "ymm"]),
        ("AVX-512 without VAES (Skylake-X)", &["vaes"], ALL, &["xmm"]),
        ("AVX-512F alone (Knights Landing)", &["avx512bw", "avx512vl", "vaes"], ALL, &["xmm"]),
        ("no AVX-512VL", &["avx512vl"], ALL, &["xmm", "ymm"]),
        ("AVX masked by a hypervisor, the rest shown", &["avx"], ALL, &["xmm"]),
        ("no AVX2", &["avx2"], ALL, &["xmm"]),
        ("no FMA, which AVX-512 implies to the compiler", &["fma"], ALL, &["xmm", "ymm"]),
        ("no AES-NI", &["aes"], ALL, &[]),
        ("no SSSE3", &["ssse3"], ALL, &[]),
        ("nothing", &["aes", "ssse3", "avx"], 0, &[]),
    ];
    for &(what, without, xcr0, expected) in cases {
        assert_eq!(widths(machine(without, xcr0)), expected, "{what}");
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
    assert_eq!(Features::all().names().count(), 13, "a feature is not compared");
}

/// Crate `cpufeatures` knows all of them but f16c, and shows VAES only where the zmm registers are saved.
#[test]
fn this_machine_is_as_cpufeatures_says() {
    let ours = Detected::get().features();
    let mut compared = vec!["f16c"];
    macro_rules! same {
        ($($module:ident $name:tt)*) => {
            $(
                cpufeatures::new!($module, $name);
                let stricter = $name == "vaes" && !ours.has("avx512f");
                assert!($module::get() == ours.has($name) || stricter && !$module::get(), $name);
                compared.push($name);
            )*
        };
    }
    same!(sse3 "sse3" ssse3 "ssse3" sse41 "sse4.1" sse42 "sse4.2" aes "aes" avx "avx" fma "fma" avx2 "avx2");
    same!(vaes "vaes" avx512f "avx512f" avx512bw "avx512bw" avx512vl "avx512vl");
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
    let none = Detected::get().only(Features::NONE);
    assert!(none.aes().is_none());
    for kernel in KERNELS {
        let missing = kernel.prove(none).map(|_| ()).unwrap_err();
        assert_eq!(missing.0, kernel.features(), "{}", kernel.name());
        let quoted: Vec<String> = kernel.features().names().map(|name| format!("`{name}`")).collect();
        assert_eq!(missing.to_string(), format!("this CPU has no {}", quoted.join(", ")));
        let without = Detected::get().features().without(kernel.features());
        assert!(kernel.prove(Detected::get().only(without)).is_err(), "{}", kernel.name());
    }
}
