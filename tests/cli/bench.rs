//! `byways bench`.

use byways::cpu::Detected;
use byways::crc::{CRC_16_T10_DIF, CRC_32_ISCSI, CRC_32_ISO_HDLC, Crc};
use byways::{Aes128, Aes192, Aes256, Width, limit_width};

use super::{Run, command, finish, refused, run, well};

/// The rows under the heading, and the heading, as words.
pub(super) fn bench_table(out: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
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

/// The kernel that the library would use for so many bytes at once.
pub(super) fn planned_crc(algorithm: &str, width: Width, bytes: usize) -> String {
    limit_width(Width::Zmm);
    let plan: Vec<(usize, &str)> = match algorithm {
        "crc-16/t10-dif" => Crc::<u16>::new(&CRC_16_T10_DIF).with_max_width(width).plan().collect(),
        "crc-32c" => Crc::<u32>::new(&CRC_32_ISCSI).with_max_width(width).plan().collect(),
        _ => Crc::<u32>::new(&CRC_32_ISO_HDLC).with_max_width(width).plan().collect(),
    };
    let kernel = plan.into_iter().find(|&(most, _)| bytes <= most).map(|(_, kernel)| kernel);
    kernel.unwrap_or("fallback").to_owned()
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

/// Whether the CPU can run it; else `out` must say so.
pub(super) fn runs(kernel: &str, run: &Run) -> bool {
    let kernel = byways::kernels().find(|known| known.name() == kernel).unwrap();
    if Detected::get().features().contains(kernel.features()) {
        return true;
    }
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("this CPU has no "), "{}", run.err);
    false
}

/// A table of a CRC: a row a block and update, and the kernel that the plan has for the update.
fn check_crc(args: &str, algorithm: &str, old: &str, width: Width, wanted: &[[usize; 2]]) {
    let found = run(args);
    if !runs(old, &found) {
        return;
    }
    assert_eq!((found.code, found.err.as_str()), (0, ""), "{}", found.out);
    let (heading, rows) = bench_table(&found.out);
    assert_eq!(heading, ["bytes", "update", old, "plan", "gain"]);
    let labels: Vec<[usize; 2]> =
        rows.iter().map(|row| [0, 1].map(|column: usize| row[column].parse().unwrap())).collect();
    assert_eq!(labels, wanted, "{args}");
    for (row, [_, update]) in rows.iter().zip(labels) {
        assert_eq!((row.len(), row[5]), (2 + 3 + 1 + 3 + 2, &*planned_crc(algorithm, width, update)), "{}", found.out);
        assert!([2, 6, 9].iter().all(|&column| row[column].parse::<f64>().is_ok()), "{}", found.out);
    }
}

#[test]
fn bench_crc_has_a_row_a_block_and_update() {
    let widest = if Detected::get().slows_for_zmm() { Width::Ymm } else { Width::Zmm };
    let (t10, old) = ("crc-16/t10-dif", "crc_msb_swap_by4_xmm");
    let rows = [[16, 16], [64, 16], [64, 64], [100, 100]];
    check_crc("bench crc --rounds 1 --size 16 --size 64 --size 100", t10, old, widest, &rows);
    check_crc("bench crc --rounds 1 --size 64 --size 96 --update 32", t10, old, widest, &[[64, 32], [96, 32]]);
    // of the usual sizes, those that it divides
    let rows = [[1024, 1024], [2048, 1024], [4096, 1024], [8192, 1024]];
    check_crc("bench crc --rounds 1 --update 1024", t10, old, widest, &rows);
    let old = "crc_lsb_by4_xmm";
    let args = "bench crc --rounds 1 --size 32 --update 16 --algorithm";
    check_crc(&format!("{args} crc-32"), "crc-32", old, widest, &[[32, 16]]);
    for width in Width::ALL {
        check_crc(&format!("{args} CRC-32C --api --width {width}"), "crc-32c", old, width, &[[32, 16]]);
    }
}

#[test]
fn bench_crc_needs_a_plan() {
    let run = finish(command("bench crc --rounds 1").env("BYWAYS_MAX_WIDTH", "fallback"));
    if runs("crc_msb_swap_by4_xmm", &run) {
        let start =
            "error: the plan has no kernels to measure: its width is fallback, the limit that `BYWAYS_MAX_WIDTH` ";
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        assert!(run.err.starts_with(start) && run.err.contains("; `--api` measures "), "{}", run.err);
    }
}

#[test]
fn bench_crc_takes_any_kernels_that_run() {
    let names = ["crc_lsb_by4_xmm", "crc_msb_swap_by8_xmm"];
    let args = format!("bench crc --rounds 2 {}", names.join(" "));
    let whole = run(&format!("{args} --size 33 --size 5"));
    if !names.iter().all(|name| runs(name, &whole)) {
        return;
    }
    let (heading, rows) = bench_table(&whole.out);
    assert_eq!(heading, ["bytes", names[0], names[1], "gain"], "{}", whole.err);
    assert_eq!(rows.iter().map(|row| (row[0], row.len())).collect::<Vec<_>>(), [("33", 1 + 3 + 3 + 2), ("5", 9)]);
    let out = well(&format!("{args} --size 33 --update 11"));
    let (heading, rows) = bench_table(&out);
    assert_eq!(heading, ["bytes", "update", names[0], names[1], "gain"]);
    assert_eq!((rows.len(), &rows[0][..2]), (1, &["33", "11"][..]));
}

#[test]
fn families_are_not_mixed() {
    let error = refused("bench crc crc_lsb_by4_xmm aes128_ctr_by8_xmm");
    assert_eq!(error, "error: `aes128_ctr_by8_xmm` is no kernel of the family `crc`; `byways bench ctr` measures it\n");
    let error = refused("bench ctr crc_lsb_by4_xmm");
    assert_eq!(error, "error: `crc_lsb_by4_xmm` is no kernel of the family `ctr`; `byways bench crc` measures it\n");
}
