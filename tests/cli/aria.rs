//! ARIA's kernels.

use byways::{Aria128, Width, limit_width};
use byways_codegen::pretty::listing;

use super::bench::{bench_table, runs};
use super::{command, finish, refused, run, variant, well};

/// The kernel that the library would use for so many bytes, as the table of `bench` calls it.
fn planned(width: Width, bytes: usize) -> String {
    // whatever the environment of the tests says: the command line's is cleared
    limit_width(Width::Zmm);
    let key = Aria128::with_max_width(&[0; 16].into(), width);
    let kernel = key.plan().find(|&(most, _)| bytes <= most).map(|(_, kernel)| kernel);
    kernel.map_or("fallback".to_owned(), |kernel| kernel["aria_ecb_".len()..].replace('_', " "))
}

/// The width that the plan has without a limit.
fn default_width() -> Width {
    let run = finish(command("bench aria --api --rounds 1 --size 16").env_remove("BYWAYS_MAX_WIDTH"));
    let width = run.out.split("the plan's width: ").nth(1).and_then(|rest| rest.split(',').next());
    width.unwrap_or_else(|| panic!("{}{}", run.out, run.err)).parse().unwrap()
}

/// A row a key size, direction and message, with the fallback, the kernel without GFNI if it runs, and the plan.
fn check_planned(args: &str, width: Width, sizes: &[usize]) {
    let out = well(args);
    assert!(out.contains("; through a call of `encrypt_blocks` or `decrypt_blocks` a message\n"), "{out}");
    let first = byways::kernels().find(|kernel| kernel.name() == "aria_ecb_aessub_by16_xmm").unwrap();
    let olds = if byways::cpu::Detected::get().features().contains(first.features()) { 2 } else { 1 };
    let (heading, rows) = bench_table(&out);
    let heads = match olds {
        1 => "algorithm bytes fallback plan gain",
        _ => "algorithm bytes fallback aessub by16 xmm plan gain on fallback gain on aessub by16 xmm",
    };
    assert_eq!(heading.join(" "), heads, "{out}");
    let mut labels = Vec::new();
    for key in ["aria128", "aria192", "aria256"] {
        for direction in ["encrypt", "decrypt"] {
            labels.extend(sizes.iter().map(|size| format!("{key} {direction} {size}")));
        }
    }
    assert_eq!(rows.iter().map(|row| row[..3].join(" ")).collect::<Vec<_>>(), labels, "{out}");
    for row in rows {
        let kernel = planned(width, row[2].parse().unwrap());
        let (words, at) = (kernel.split(' ').count(), 3 + 3 * olds);
        assert_eq!(row[at..at + words].join(" "), kernel, "{out}");
        // of each their cycles and spread, the kernel, and what the plan gains
        assert_eq!(row.len(), at + words + 3 + 2 * olds, "{out}");
        for number in [3, at + words, at + words + 3] {
            assert!(row[number].parse::<f64>().is_ok(), "{out}");
        }
    }
}

#[test]
fn bench_compares_with_the_fallback_and_aes_rounds() {
    let widest = default_width();
    if widest != Width::Fallback {
        check_planned("bench aria --rounds 1 --size 16 --size 4096", widest, &[16, 4096]);
    }
    for width in Width::ALL {
        check_planned(&format!("bench aria --rounds 1 --size 160 --api --width {width}"), width, &[160]);
    }
    let run = finish(command("bench aria --rounds 1").env("BYWAYS_MAX_WIDTH", "fallback"));
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    let start = "error: the plan has no kernels to measure: its width is fallback, the limit that `BYWAYS_MAX_WIDTH` ";
    assert!(run.err.starts_with(start) && run.err.contains("; `--api` measures "), "{}", run.err);
}

#[test]
fn bench_takes_any_kernels_that_run() {
    let names = ["aria_ecb_by2_xmm", "aria_ctr_by4_xmm"];
    let found = run(&format!("bench aria --rounds 1 --size 32 {}", names.join(" ")));
    if !names.iter().all(|name| runs(name, &found)) {
        return;
    }
    let (heading, rows) = bench_table(&found.out);
    assert_eq!(heading, ["bytes", names[0], names[1], "gain"], "{}", found.err);
    assert_eq!(rows.iter().map(|row| (row[0], row.len())).collect::<Vec<_>>(), [("32", 1 + 3 + 3 + 2)]);
    // counter mode alone takes any length
    let out = well("bench aria --rounds 1 --size 33 aria_ctr_by4_xmm");
    assert_eq!(bench_table(&out).1[0][0], "33", "{out}");
}

#[test]
fn mistakes_are_named() {
    for (args, error) in [
        ("aria --size 33", "a message of `33` bytes is no whole blocks; `32` or `48` would do\n"),
        ("aria --size 5 aria_ecb_by2_xmm", "a message of `5` bytes is no whole blocks; `16` would do\n"),
        ("aria --update 16", "`--update` cuts what a CRC takes; it does not go with `aria`\n"),
        ("aria --algorithm crc-32", "`--algorithm` chooses a CRC; it does not go with `aria`\n"),
        ("aria aria_ecb_by6_xmm", "impossible kernel `aria_ecb_by6_xmm`: `by6` has no layout in xmm registers; "),
        (
            "aria aria_odd_by8_zmm",
            "`aria_odd_by8_zmm` was not generated, so there is nothing to measure; \
             put 8 into the list in kernels/src/aria.rs, or try `aria_odd_by2_xmm`\n",
        ),
        ("aria aria_ecb_by8_zm", "unknown kernel `aria_ecb_by8_zm`; "),
        (
            "ctr aria_ecb_by2_xmm",
            "`aria_ecb_by2_xmm` is no kernel of the family `ctr`; `byways bench aria` measures it\n",
        ),
        (
            "aria crc_lsb_by4_xmm --size 5",
            "`crc_lsb_by4_xmm` is no kernel of the family `aria`; `byways bench crc` measures it\n",
        ),
    ] {
        let found = refused(&format!("bench {args}"));
        assert!(found.starts_with(&format!("error: {error}")), "{args}: {found}");
    }
}

#[test]
fn code_and_cost_of_any_layout() {
    for name in ["aria_ecb_by2_xmm", "aria_ctr_by64_zmm", "aria_odd_by4_ymm", "aria_ecb_aessub_by16_xmm"] {
        let out = well(&format!("expand {name}"));
        assert_eq!(out, listing(variant(name)));
        let cost = well(&format!("cost {name}"));
        assert!(cost.starts_with("aria! { mode: [") && cost.contains(" cycles a batch, "), "{cost}");
    }
}

#[test]
fn verify_says_how_blocks_are_verified() {
    let names = ["aria_ecb_by16_xmm", "aria_odd_by2_xmm", "aria_even_aessub_by4_xmm"];
    let out = well(&format!("verify {}", names.join(" ")));
    for name in names {
        let line = out.lines().find(|line| line.starts_with(name)).unwrap();
        let ends = ["interpreted: ok, native: ok", "interpreted: ok, native: – (this CPU has no "];
        assert!(ends.iter().any(|end| line.contains(end)), "{line}");
    }
    let against = "\nagainst crates `aria` and `ctr`, at every number of blocks from 0 to 200, in counter mode at every \
                   length from 0 to 1100 bytes\n";
    assert!(out.contains(against), "{out}");
}
