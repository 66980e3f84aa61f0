//! The command line, run as people run it: what it prints, how it exits, and what it says of mistakes.

#[cfg(target_arch = "x86_64")]
#[path = "cli/aria.rs"]
mod aria;
#[cfg(target_arch = "x86_64")]
#[path = "cli/bench.rs"]
mod bench;
#[path = "cli/ctr.rs"]
mod ctr;
#[path = "cli/sum.rs"]
mod sum;

use std::io;
use std::process::{Command, Output};

use byways_codegen::cost::cost;
use byways_codegen::families;
use byways_codegen::pretty::listing;
use byways_codegen::spec::{Variant, Width};
use serde_json::Value;

fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_byways"));
    command.args(args.split_whitespace()).env_remove("BYWAYS_MAX_WIDTH");
    command
}

/// What a run printed and how it exited. No run here is at a terminal, so none may colour or draw.
struct Run {
    code: i32,
    out: String,
    err: String,
}

fn run(args: &str) -> Run {
    finish(&mut command(args))
}

fn finish(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(!out.contains('\x1b') && !err.contains('\x1b'), "{command:?}: escape codes in {out}{err}");
    assert!(!err.contains("panicked"), "{command:?}: {err}");
    Run { code: status.code().unwrap(), out, err }
}

/// The output of a run that must go well and say nothing on the side.
fn well(args: &str) -> String {
    let run = run(args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args}: {}", run.out);
    run.out
}

/// What a run says that must be refused.
fn refused(args: &str) -> String {
    let run = run(args);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{args}: {}", run.err);
    assert!(run.err.starts_with("error: "), "{args}: {}", run.err);
    assert!(!run.err.contains('\''), "{args}: quotes other than backquotes: {}", run.err);
    run.err
}

fn variant(name: &str) -> Variant {
    name.parse().unwrap()
}

fn names() -> Vec<&'static str> {
    byways::kernels().map(|kernel| kernel.name()).collect()
}

/// The form that its macro call names.
fn form(kernel: &str) -> &str {
    let (algorithm, _) = kernel.split_once("_by").unwrap();
    if algorithm.starts_with("crc") {
        algorithm.strip_prefix("crc_").unwrap_or(algorithm)
    } else if algorithm.starts_with("aria_") {
        ["aessub", "xor3"].into_iter().find(|form| algorithm.ends_with(form)).unwrap_or("gfni")
    } else if algorithm.ends_with("_cached") {
        "cached"
    } else {
        "plain"
    }
}

/// A kernel that could be but was not generated, whatever else was.
fn absent() -> String {
    let algorithm = variant(names()[0]).algorithm();
    let mut possible = algorithm.unrolls(Width::Zmm).filter_map(|by| Variant::new(algorithm, by, Width::Zmm).ok());
    possible.find(|variant| !names().contains(&variant.to_string().as_str())).unwrap().to_string()
}

fn first_words(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn kernels_are_those_of_the_registry() {
    let out = well("kernels");
    let listed = first_words(&out);
    assert_eq!(listed[0], "name");
    assert_eq!(listed[1..], names());
    if cfg!(target_arch = "x86_64") {
        assert!(["aes128_ctr_by8_xmm", "crc_lsb_by16_zmm"].iter().all(|name| listed.contains(name)), "{out}");
    }
}

/// A number as it comes back from its text, which may be in the last place off.
fn reread(number: f64) -> Value {
    serde_json::from_str(&Value::from(number).to_string()).unwrap()
}

#[test]
fn kernels_as_json_agree_with_the_registry_and_the_generator() {
    let parsed: Value = serde_json::from_str(&well("kernels --json")).unwrap();
    let objects = parsed.as_array().unwrap();
    let listed: Vec<&str> = objects.iter().map(|object| object["name"].as_str().unwrap()).collect();
    assert_eq!(listed, names());
    let cpu = byways::cpu::Detected::get();
    for (object, kernel) in objects.iter().zip(byways::kernels()) {
        let variant = variant(kernel.name());
        assert_eq!(object["algorithm"], variant.algorithm().to_string());
        assert_eq!(object["form"], form(kernel.name()));
        assert_eq!(object["by"], variant.by());
        assert_eq!(object["width"], variant.width().name());
        assert_eq!(object["registers"], variant.registers());
        let missing = kernel.features().without(cpu.features());
        assert_eq!(object["features"], Value::from_iter(kernel.features().names()));
        assert_eq!(object["missing"], Value::from_iter(missing.names()));
        assert_eq!(object["runnable"], missing.is_empty());
        let cost = cost(&families::program(variant));
        assert_eq!(object["cost"]["bytes"], cost.bytes);
        assert_eq!(object["cost"]["cycles"], reread(cost.cycles));
        assert_eq!(object["cost"]["bytes_per_cycle"], reread(cost.bytes_per_cycle()));
        assert_eq!(object["cost"]["live"], cost.live);
        assert_eq!(object["cost"]["constants"], cost.constants);
        assert_eq!(object["cost"]["registers"], cost.registers);
        assert_eq!(object["cost"]["held_keys"], Value::from(cost.held_keys));
        assert_eq!(object["cost"]["counts"], Value::from_iter(cost.counts));
    }
}

#[test]
fn expand_prints_any_kernel_generated_or_not() {
    for name in ["aes128_ctr_by16_zmm", "crc_msb_swap_by4_xmm", "crc_lsb_by12_zmm", &absent()] {
        let out = well(&format!("expand {name}"));
        assert_eq!(out, listing(variant(name)));
        assert!(out.contains(&format!("pub fn {name}(")), "{out}");
    }
}

#[test]
fn cost_prints_the_head_of_the_listing() {
    for name in ["aes256_ctr_by8_xmm", "aes192_ctr_by12_ymm", "crc_lsb_by12_zmm", "crc_msb_rev_by32_zmm"] {
        let out = well(&format!("cost {name}"));
        let head: Vec<String> = out.lines().map(|line| format!("// {line}").trim_end().to_owned()).collect();
        assert!(listing(variant(name)).starts_with(&head.join("\n")), "{out}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn verify_has_a_line_a_kernel_and_names_what_has_not_run() {
    let cpu = byways::cpu::Detected::get().features();
    let generated = [
        "aes128_ctr_by8_xmm",
        "crc_lsb_by4_xmm",
        "aes128_ctr_cached_by8_xmm",
        "crc32c_fused_by8_xmm",
        "crc32c_fused_by32_zmm",
    ];
    let absent = absent();
    let out = well(&format!("verify {} {absent}", generated.join(" ")));
    let column = generated.iter().copied().chain([absent.as_str()]).map(str::len).max().unwrap();
    let mut count = 0;
    for name in generated {
        let kernel = byways::kernels().find(|kernel| kernel.name() == name).unwrap();
        let runs = cpu.contains(kernel.features());
        let native = if runs { "native: ok\n" } else { "native: – (this CPU has no " };
        assert!(out.contains(&format!("{name:<column$}  interpreted: ok, {native}")), "{out}");
        assert_eq!(out.contains(&format!("\nnot run natively: {name}: this CPU has no ")), !runs, "{out}");
        count += u8::from(runs);
    }
    assert!(out.contains(&format!("\n{absent:<column$}  interpreted: ok, native: – (not generated)\n")), "{out}");
    let against = "\nagainst crates `aes` and `ctr`, at every length from 0 to 1100 bytes, \
                   and at u − 1, u, u + 1 and 2u + 1099 bytes, where u = 8192 is 2 runs; \
                   crate `crc`, at every length from 0 to 1600 bytes, \
                   and at u − 1, u, u + 1 and 2u + 1599 bytes, where u = 65280 or 65536 is a chunk\n";
    assert!(out.contains(against), "{out}");
    assert!(out.contains(&format!("\nkernels: 6; interpreted: 6, natively: {count}, wrong: none\n")), "{out}");
    assert!(out.contains(&format!("\nnot run natively: {absent}: not generated\n")), "{out}");
    // without runs or chunks there is nothing beyond
    let out = well("verify crc_lsb_by4_xmm");
    assert!(out.contains("\nagainst crate `crc`, at every length from 0 to 1600 bytes\n"), "{out}");
}

#[test]
fn an_unknown_width_in_the_environment_is_refused() {
    for args in ["", "kernels", "bench ctr", "cost aes128_ctr_by8_xmm"] {
        let run = finish(command(args).env("BYWAYS_MAX_WIDTH", "foo"));
        let error = "error: unknown width `foo` in `BYWAYS_MAX_WIDTH`; there are `fallback`, `xmm`, `ymm`, `zmm`\n";
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (2, "", error));
    }
    let run = finish(command("kernels").env("BYWAYS_MAX_WIDTH", ""));
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

#[cfg(target_arch = "x86_64")]
#[test]
#[cfg_attr(debug_assertions, ignore = "verifies and times everything, which takes long unoptimised")]
fn without_a_command_every_kernel_is_verified_and_timed() {
    let out = well("");
    assert!(out.starts_with("CPU "), "{out}");
    for kernel in byways::kernels() {
        let line = out.lines().find(|line| first_words(line) == [kernel.name()]).unwrap();
        let missing = kernel.features().without(byways::cpu::Detected::get().features());
        let end = if missing.is_empty() {
            "  runs here, verified".to_owned()
        } else {
            format!("  cannot run here, verified interpreted: {}", byways::cpu::Missing(missing))
        };
        assert!(line.ends_with(&end), "{line}");
        let row = [form(kernel.name()).to_owned(), format!("by{}", variant(kernel.name()).by())];
        let has_row = |line: &str| line.split_whitespace().collect::<Vec<_>>().windows(2).any(|words| words == row);
        assert!(out.lines().any(has_row), "{row:?}: {out}");
    }
    let tables = out.lines().filter(|line| line.ends_with(" 65536"));
    assert_eq!(tables.count(), 10, "{out}");
    let width = bench::default_width();
    assert!(out.contains(&format!("\nwidth  {width}, ")), "{out}");
    for bytes in [16, 1000, 1 << 30] {
        let kernel = bench::planned("aes256_ctr", width, bytes).replace(' ', "_");
        let told = out.lines().any(|line| line.ends_with(&format!("  aes256_ctr_{kernel}")));
        assert!(told || width == byways::Width::Fallback, "{kernel}: {out}");
        for algorithm in ["crc-32", "crc-16/t10-dif", "crc-32c"] {
            let kernel = bench::planned_crc(algorithm, byways::Width::Zmm, bytes);
            let told = out.lines().any(|line| line.split_whitespace().skip(1).any(|word| word == kernel));
            assert!(told || kernel == "fallback" || width != byways::Width::Zmm, "{kernel}: {out}");
        }
    }
    assert_eq!(out.contains('–'), out.contains("cannot run here"), "{out}");
}

#[test]
fn an_impossible_n_is_refused_and_the_nearest_named() {
    for command in ["expand", "cost", "verify", "bench ctr"] {
        let error = refused(&format!("{command} aes128_ctr_by13_zmm"));
        assert!(error.starts_with("error: impossible kernel `aes128_ctr_by13_zmm`: `by13` "), "{error}");
        assert!(error.contains("try `aes128_ctr_by12_zmm`\n"), "{error}");
    }
    for command in ["expand", "bench crc"] {
        let error = refused(&format!("{command} crc_msb_rev_by14_zmm"));
        assert!(error.contains("try `crc_msb_rev_by12_zmm` or `crc_msb_rev_by16_zmm`\n"), "{error}");
    }
    let error = refused("expand aes256_ctr_by64_ymm");
    assert!(error.contains("try `aes256_ctr_by32_ymm`\n"), "{error}");
}

#[test]
fn an_unknown_kernel_is_refused_and_like_names_given() {
    let error = refused("verify aes128_ctr_by16_zm");
    assert!(error.starts_with("error: unknown kernel `aes128_ctr_by16_zm`; "), "{error}");
    assert!(error.contains("try `aes128_ctr_by16_zmm` or "), "{error}");
    let error = refused("expand aes128_ctr_by8_wmm");
    assert!(error.contains("`aes128_ctr_by8_wmm`") && error.contains("width `xmm`, `ymm`, `zmm`"), "{error}");
    assert!(error.contains("`aes128_ctr_by8_ymm`"), "{error}");
    let error = refused("cost chacha20_by8_xmm");
    assert!(error.contains("algorithm `aes128_ctr`, `aes192_ctr`, `aes256_ctr`"), "{error}");
    assert!(error.contains("`crc_lsb`, `crc_msb_rev`, `crc_msb_swap`"), "{error}");
    let error = refused("bench crc crc_lsb_by8_zm");
    assert!(
        error.starts_with("error: unknown kernel `crc_lsb_by8_zm`; ") && error.contains("try `crc_lsb_by8_zmm` or ")
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn what_was_not_generated_cannot_be_measured() {
    for (bench, generated, absent, list) in [
        ("ctr", "aes128_ctr_by8_xmm", absent().as_str(), "aes_ctr.rs"),
        ("crc", "crc_msb_rev_by4_xmm", "crc_lsb_by12_zmm", "crc_fold.rs"),
    ] {
        let error = refused(&format!("bench {bench} {absent} {generated}"));
        assert!(error.starts_with(&format!("error: `{absent}` was not generated")), "{error}");
        assert!(error.contains(&format!(" into the list in kernels/src/{list}, or try `")), "{error}");
        let tried: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
        assert!(tried.len() == 2 && tried.iter().all(|name| names().contains(name)), "{error}");
    }
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    assert_eq!(refused("bench crc64"), "error: unknown family `crc64`; there are `ctr`, `crc`, `aria`\n");
    assert!(refused("bench").starts_with("error: `<FAMILY>` is missing; "));
    assert!(refused("expand").starts_with("error: `<NAME>` is missing; "));
    let commands = "`kernels`, `expand`, `cost`, `verify`, `bench`, `ctr`, `sum`, `algorithms`";
    assert!(refused("kernel").starts_with(&format!("error: unknown command `kernel`; there are {commands}")));
    assert!(refused("kernels --jsom").contains("`--jsom`"));
    assert!(refused("bench ctr --size 0").contains("`0` is no message size; 1 to "));
    assert!(refused("bench ctr --api --width wide").contains("unknown width `wide`; there are `fallback`, "));
    assert!(refused("bench ctr --width ymm").starts_with("error: `--api` is missing; "));
    assert!(refused("bench ctr --api aes128_ctr_by8_xmm").contains("`--api` cannot be used with `[NAME]...`"));
    assert!(refused("bench ctr --rounds none").contains("`none` is no number of rounds; 1 to "));
    assert!(refused("bench crc --update 0").contains("`0` is no update size; 1 to "));
    assert!(
        refused("bench crc --algorithm crc-32 crc_lsb_by4_xmm").contains("`--algorithm <NAME>` cannot be used with ")
    );
    for (args, error) in [
        ("ctr --update 16", "`--update` cuts what a CRC takes; it does not go with `ctr`"),
        ("ctr --algorithm crc-32", "`--algorithm` chooses a CRC; it does not go with `ctr`"),
        ("crc --size 100 --update 16", "a message of `100` bytes cannot be cut into updates of `16` bytes"),
        ("crc --size 64 --update 16 --update 3", "no message of `64` bytes can be cut into updates of `3` bytes"),
        ("crc --algorithm crc-16/t10dif", "unknown algorithm `crc-16/t10dif`; try `CRC-16/T10-DIF`"),
        ("crc --algorithm md5", "unknown algorithm `md5`; `byways algorithms` lists them all"),
    ] {
        let found = refused(&format!("bench {args}"));
        assert!(found.starts_with(&format!("error: {error}")), "{args}: {found}");
    }
}

#[test]
fn every_help_has_examples() {
    for command in ["", "kernels ", "expand ", "cost ", "verify ", "bench ", "ctr ", "sum ", "algorithms "] {
        let out = well(&format!("{command}--help"));
        assert!(out.contains("\nExamples:\n  byways"), "{out}");
    }
    assert_eq!(well("--version"), concat!("byways ", env!("CARGO_PKG_VERSION"), "\n"));
}

/// As in `byways kernels | head -1`, where `head` is gone at once.
fn into_closed_pipe(args: &str) -> (Option<i32>, String) {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut command = command(args);
    let child = command.stdout(writer).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let kernels = ["kernels", "kernels --json", "expand aes256_ctr_by32_zmm", "cost aes128_ctr_by8_xmm"];
    for args in ["", "algorithms", "--help"].into_iter().chain(kernels) {
        assert_eq!(into_closed_pipe(args), (Some(0), String::new()), "{args}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_closed_pipe_verifies_nothing() {
    let (code, error) = into_closed_pipe("verify aes128_ctr_by12_zmm");
    assert_eq!(code, Some(1));
    assert!(error.starts_with("error: cannot write the output: "), "{error}");
}
