//! `byways bench`.

use byways::cpu::Detected;
use byways::{Aes128, Aes192, Aes256, Width, limit_width};

use super::{Run, command, finish, run, well};

/// The rows under the heading, and the heading, as words.
fn bench_table(out: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = out.lines().skip_while(|line| !line.split_whitespace().any(|word| word == "bytes"));
    let heading = lines.next().unwrap_or_else(|| panic!("no heading: {out}")).split_whitespace().collect();
    (heading, lines.map(|line| line.split_whitespace().collect()).collect())
}

/// What the library would use for so many bytes, as the table of `bench` calls it: up to three words.
pub(super) fn planned(key: &str, width: Width, bytes: usize) -> String {
    // whatever the environment of the tests says: the command line's is cleared
    limit_width(Width::Zmm);
    let plan: Vec<(usize, &str)> = match key {
        "aes128_ctr" => Aes128::with_max_width(&[0; 16].into(), width).plan().collect(),
        "aes192_ctr" => Aes192::with_max_width(&[0; 24].into(), width).plan().collect(),
        _ => Aes256::with_max_width(&[0; 32].into(), width).plan().collect(),
    };
    let kernel = plan.into_iter().find(|&(most, _)| bytes <= most).map(|(_, kernel)| kernel);
    kernel.map_or("fallback".to_owned(), |kernel| kernel[key.len() + 1..].replace('_', " "))
}

/// Tables without names: a row a key and size, and the kernel that the plan has at this width. The fallback is measured
/// through the API only.
fn check_planned(run: &Run, width: Width, api: bool) {
    if Detected::get().aes().is_none() {
        assert_eq!((run.code, run.out.as_str()), (1, ""));
        assert!(run.err.contains("this CPU has no "), "{}", run.err);
        return;
    }
    if !api && planned("aes128_ctr", width, 16) == "fallback" {
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        let start = "error: the plan has no kernels to measure: its width is fallback, the limit that ";
        assert!(run.err.starts_with(start) && run.err.contains("; `--api` measures "), "{}", run.err);
        return;
    }
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("\nthe plan's width: "), "{}", run.out);
    let (heading, rows) = bench_table(&run.out);
    assert_eq!(heading, ["algorithm", "bytes", "by8", "xmm", "plan", "gain"]);
    let labels: Vec<[&str; 2]> = rows.iter().map(|row| [row[0], row[1]]).collect();
    let keys = ["aes128_ctr", "aes192_ctr", "aes256_ctr"];
    assert_eq!(labels, keys.map(|key| ["16", "20000"].map(|size| [key, size])).concat());
    for row in rows {
        let kernel = planned(row[0], width, row[1].parse().unwrap());
        // cycles and their spread, the kernel, the same again, and the gain
        let words = kernel.split(' ').count();
        assert_eq!(row.len(), 2 + 3 + words + 3 + 2, "{}", run.out);
        assert_eq!(row[5..5 + words].join(" "), kernel, "{}", run.out);
        for number in [2, 5 + words, 8 + words] {
            assert!(row[number].parse::<f64>().is_ok(), "{}", run.out);
        }
    }
}

/// The width that the plan has without a limit.
pub(super) fn default_width() -> Width {
    limit_width(Width::Zmm);
    let limit = if Detected::get().slows_for_zmm() { Width::Ymm } else { Width::Zmm };
    Aes128::with_max_width(&[0; 16].into(), limit).width()
}

#[test]
fn bench_compares_with_the_plan() {
    let args = "bench ctr --rounds 1 --size 16 --size 20000";
    check_planned(&run(args), default_width(), false);
    check_planned(&run(&format!("{args} --api")), default_width(), true);
}

#[test]
fn bench_is_limited_by_width() {
    let args = "bench ctr --rounds 1 --size 16 --size 20000";
    for width in Width::ALL {
        check_planned(&run(&format!("{args} --api --width {width}")), width, true);
        check_planned(&finish(command(args).env("BYWAYS_MAX_WIDTH", width.name())), width, false);
    }
}

#[test]
fn bench_takes_any_kernels_that_run() {
    if Detected::get().aes().is_none() {
        let run = run("bench ctr aes128_ctr_by4_xmm");
        assert_eq!(run.code, 1);
        assert!(run.err.contains("`aes128_ctr_by4_xmm` cannot run: this CPU has no `aes`"), "{}", run.err);
        return;
    }
    let out = well("bench ctr aes128_ctr_by4_xmm aes256_ctr_by8_xmm aes128_ctr_by16_xmm --rounds 2 --size 33");
    let (heading, rows) = bench_table(&out);
    let names = ["bytes", "aes128_ctr_by4_xmm", "aes256_ctr_by8_xmm", "gain", "aes128_ctr_by16_xmm", "gain"];
    assert_eq!(heading, names);
    assert_eq!(rows.len(), 1, "{out}");
    assert_eq!((rows[0][0], rows[0].len()), ("33", 1 + 3 + 3 + 2 + 3 + 2), "{out}");
}
