//! `byways sum`: CRCs of files, and lists of them; and `byways algorithms`, which it knows.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::process::Command;

use byways::crc::catalogue::{AnyAlgorithm, CATALOGUE, find};
use tempfile::TempDir;

use super::{Run, command, finish, first_words, refused, well};

const CHECKED: &str = "123456789";

/// A folder with `CHECKED` in `a` and in names that are no plain words.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b c", "*star", " -"] {
        fs::write(folder.path().join(name), CHECKED).unwrap();
    }
    folder
}

/// `byways sum` in the folder.
fn sum(folder: &TempDir, args: &str, files: &[&str]) -> Command {
    let mut command = command(&format!("sum {args}"));
    command.args(files).current_dir(folder);
    command
}

fn out(command: &mut Command) -> String {
    let Run { code, out, err } = finish(command);
    assert_eq!((code, err.as_str()), (0, ""), "{command:?}: {out}");
    out
}

/// With this on the standard input.
fn fed(command: &mut Command, input: &[u8]) -> Run {
    let (stdin, mut writer) = std::io::pipe().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || writer.write_all(input).unwrap());
        finish(command.stdin(stdin))
    })
}

#[test]
fn every_algorithm_has_its_check_value() {
    let folder = folder();
    for model in CATALOGUE {
        let algorithm = model.algorithm.wide();
        let digits = usize::from(algorithm.width).div_ceil(4);
        let wanted = format!("{:0digits$x}  a\n", algorithm.check);
        assert_eq!(out(&mut sum(&folder, &format!("--algorithm {}", model.name), &["a"])), wanted);
    }
}

#[test]
fn known_answers_by_any_name() {
    let folder = folder();
    for (name, hex) in [
        ("CRC-32/ISCSI", "e3069283"),
        ("crc-32c", "e3069283"),
        ("Crc-32/Castagnoli", "e3069283"),
        ("crc-32", "cbf43926"),
        ("crc-16/t10-dif", "d0db"),
        ("crc-64/nvme", "ae8b14860a799888"),
        ("crc-64/go-ecma", "995dc9bbdf1939fa"),
        ("crc-15", "059e"),
        ("crc-3/gsm", "4"),
    ] {
        assert_eq!(out(&mut sum(&folder, &format!("--algorithm {name}"), &["a"])), format!("{hex}  a\n"));
        assert_eq!(out(&mut sum(&folder, &format!("-a {name}"), &["./a"])), format!("{hex}  ./a\n"));
    }
}

#[test]
fn the_standard_input() {
    let folder = folder();
    for files in [&[] as &[&str], &["-"]] {
        let run = fed(&mut sum(&folder, "-a crc-32c", files), CHECKED.as_bytes());
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "e3069283  -\n", ""));
        let file = File::open(folder.path().join("a")).unwrap();
        assert_eq!(out(sum(&folder, "-a crc-32c", files).stdin(file)), "e3069283  -\n");
    }
    // what is read is read
    let file = File::open(folder.path().join("a")).unwrap();
    let lines = "e3069283  -\n00000000  -\ne3069283  a\n";
    assert_eq!(out(sum(&folder, "-a crc-32c", &["-", "-", "a"]).stdin(file)), lines);
    let file = File::open(folder.path().join("a")).unwrap();
    assert_eq!(out(sum(&folder, "-a crc-32c", &["-"]).stdin(file)), "e3069283  -\n");
}

#[test]
fn the_standard_input_is_summed_from_where_it_stands() {
    use std::io::{Seek, SeekFrom};

    let folder = folder();
    let mut file = File::open(folder.path().join("a")).unwrap();
    file.seek(SeekFrom::Start(4)).unwrap();
    let wanted = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI).checksum(b"56789");
    assert_eq!(out(sum(&folder, "-a crc-32c", &[]).stdin(file)), format!("{wanted:08x}  -\n"));
}

#[test]
fn what_cannot_be_read_is_named_and_the_others_summed() {
    let folder = folder();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let run = finish(&mut sum(&folder, "-a crc-32c", &["a", "none", "sub", "b c"]));
    assert_eq!((run.code, run.out.as_str()), (1, "e3069283  a\ne3069283  b c\n"));
    let errors: Vec<&str> = run.err.lines().collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("error: cannot read `none`: "), "{errors:?}");
    assert_eq!(errors[1], "error: cannot read `sub`: it is a folder");
}

#[cfg(target_os = "linux")]
#[test]
fn what_fails_on_the_way_has_no_sum() {
    let folder = folder();
    // it opens, but its first page cannot be read
    let run = finish(&mut sum(&folder, "-a crc-32c", &["/proc/self/mem", "a"]));
    assert_eq!((run.code, run.out.as_str()), (1, "e3069283  a\n"));
    assert!(run.err.starts_with("error: cannot read `/proc/self/mem`: "), "{}", run.err);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let run = finish(sum(&folder, "-a crc-32c", &["a"]).stdout(full));
    assert_eq!(run.code, 1);
    assert!(run.err.starts_with("error: cannot write the output: "), "{}", run.err);
}

#[cfg(target_os = "linux")]
#[test]
fn files_whose_length_is_a_guess() {
    let folder = folder();
    // one says that it has none, one that it has a page
    for path in ["/proc/sys/kernel/ostype", "/sys/kernel/mm/transparent_hugepage/enabled"] {
        let Ok(data) = fs::read(path) else { continue };
        let wanted = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI).checksum(&data);
        assert_eq!(out(&mut sum(&folder, "-a crc-32c", &[path])), format!("{wanted:08x}  {path}\n"));
    }
}

#[test]
fn a_closed_pipe_is_an_error() {
    let folder = folder();
    for args in ["-a crc-32c", "-a crc-32c --check"] {
        fs::write(folder.path().join("list"), "e3069283  a\n").unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = finish(sum(&folder, args, &["list"]).stdout(writer));
        assert_eq!(run.code, 1, "{args}");
        assert!(run.err.starts_with("error: cannot write the output: "), "{}", run.err);
    }
}

#[test]
fn a_long_file_by_any_number_of_threads() {
    let folder = folder();
    // chunks that do not fill the last one
    let data: Vec<u8> = (0..40_000_003_u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    let path = folder.path().join("long");
    fs::write(&path, &data).unwrap();
    for name in ["CRC-8/SMBUS", "CRC-12/UMTS", "CRC-32/ISCSI", "CRC-64/NVME"] {
        let wanted = match find(name).unwrap().algorithm {
            AnyAlgorithm::U8(algorithm) => format!("{:02x}", crc::Crc::<u8>::new(algorithm).checksum(&data)),
            AnyAlgorithm::U16(algorithm) => format!("{:03x}", crc::Crc::<u16>::new(algorithm).checksum(&data)),
            AnyAlgorithm::U32(algorithm) => format!("{:08x}", crc::Crc::<u32>::new(algorithm).checksum(&data)),
            AnyAlgorithm::U64(algorithm) => format!("{:016x}", crc::Crc::<u64>::new(algorithm).checksum(&data)),
        };
        for threads in ["", "--threads 1", "--threads 5"] {
            let args = format!("-a {name} {threads}");
            assert_eq!(out(&mut sum(&folder, &args, &["long"])), format!("{wanted}  long\n"), "{args}");
        }
        let args = format!("-a {name} --threads 3");
        assert_eq!(out(sum(&folder, &args, &[]).stdin(File::open(&path).unwrap())), format!("{wanted}  -\n"));
    }
    let run = fed(&mut sum(&folder, "-a crc-32/iscsi --threads 3", &[]), &data);
    let file = out(&mut sum(&folder, "-a crc-32/iscsi", &["long"]));
    assert_eq!((run.code, run.out, run.err), (0, file.replace("long", "-"), String::new()));
}

#[test]
fn a_sparse_file_is_zeros() {
    let folder = folder();
    let len = (200 << 20) + 1;
    File::create(folder.path().join("sparse")).unwrap().set_len(len).unwrap();
    let wanted = byways::crc::Crc::<u64>::new(&byways::crc::CRC_64_XZ).zeros(len);
    assert_eq!(out(&mut sum(&folder, "-a crc-64/xz --threads 4", &["sparse"])), format!("{wanted:016x}  sparse\n"));
}

#[test]
fn what_is_printed_can_be_checked() {
    let folder = folder();
    let names = ["a", "b c", "*star", " -"];
    let list = out(&mut sum(&folder, "-a crc-32c", &names));
    assert_eq!(list, "e3069283  a\ne3069283  b c\ne3069283  *star\ne3069283   -\n");
    fs::write(folder.path().join("list"), &list).unwrap();
    let verdicts = "a: OK\nb c: OK\n*star: OK\n -: OK\n";
    assert_eq!(out(&mut sum(&folder, "--algorithm crc-32c --check list", &[])), verdicts);
    assert_eq!(out(&mut sum(&folder, "-a crc-32c -c", &["list", "list"])), verdicts.repeat(2));
    for files in [&[] as &[&str], &["-"]] {
        let run = fed(&mut sum(&folder, "-a crc-32c -c", files), list.as_bytes());
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, verdicts, ""));
    }
    for silent in ["--quiet", "--status"] {
        assert_eq!(out(&mut sum(&folder, &format!("-a crc-32c -c list {silent}"), &[])), "");
    }
}

#[test]
fn lists_of_other_programs() {
    let folder = folder();
    let list = "# made by hand\r\n\n\r\n E3069283 *a\r\n\\e3069283  b c\ne3069283  a";
    fs::write(folder.path().join("list"), list).unwrap();
    assert_eq!(out(&mut sum(&folder, "-a crc-32c -c list --strict", &[])), "a: OK\nb c: OK\na: OK\n");
    // the algorithm's name is any of those of the one that is asked for
    let list = "CRC-32C (a) = e3069283\ncrc-32/iscsi (b c) = E3069283\r\n\\CRC-32/Castagnoli(*star)= e3069283\n";
    fs::write(folder.path().join("list"), list).unwrap();
    assert_eq!(out(&mut sum(&folder, "-a crc-32c -c list --strict", &[])), "a: OK\nb c: OK\n*star: OK\n");
    let run = finish(&mut sum(&folder, "-a crc-32 -c list", &[]));
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    let format = "improperly formatted; a line is 8 hex digits, two blanks, and a name; or `CRC-32/ISO-HDLC (NAME) = ` and \
                  the digits\n";
    assert!(run.err.starts_with(&format!("warning: line 1 of `list` is {format}")), "{}", run.err);
    // the file that is checked may be the standard input
    fs::write(folder.path().join("list"), "e3069283  -\n").unwrap();
    let run = fed(&mut sum(&folder, "-a crc-32c -c list", &[]), CHECKED.as_bytes());
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "-: OK\n", ""));
}

#[cfg(unix)]
#[test]
fn a_list_on_the_standard_input_is_no_file() {
    let folder = folder();
    // whoever opens it waits for who writes
    let made = Command::new("mkfifo").arg(folder.path().join("-")).status().unwrap();
    assert!(made.success());
    let run = fed(&mut sum(&folder, "-a crc-32c -c -", &[]), b"e3069283  a\n");
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "a: OK\n", ""));
}

#[test]
fn what_does_not_match_is_named() {
    let folder = folder();
    fs::write(folder.path().join("list"), "e3069283  a\ne3069284  b c\ne3069283  none\n").unwrap();
    let check = |args: &str| {
        let run = finish(&mut sum(&folder, &format!("-a crc-32c -c list {args}"), &[]));
        assert_eq!(run.code, 1, "{args}");
        (run.out, run.err)
    };
    let (out, err) = check("");
    assert_eq!(out, "a: OK\nb c: FAILED\nnone: FAILED open or read\n");
    let errors: Vec<&str> = err.lines().collect();
    assert!(errors[0].starts_with("error: cannot read `none`: "), "{err}");
    let warnings = ["warning: 1 listed file could not be read", "warning: 1 computed checksum did NOT match"];
    assert_eq!(errors[1..], warnings);
    let (out, quiet) = check("--quiet");
    assert_eq!((out.as_str(), quiet), ("b c: FAILED\nnone: FAILED open or read\n", err.clone()));
    let (out, status) = check("--status");
    assert_eq!((out.as_str(), status.lines().collect::<Vec<_>>()), ("", vec![errors[0]]));

    // one of either is enough
    for wrong in ["e3069284  a", "e3069283  none"] {
        fs::write(folder.path().join("list"), format!("{wrong}\ne3069283  a\n")).unwrap();
        check("");
    }
    // what is left of a file that was cut off is none
    fs::write(folder.path().join("list"), "e3069283  a\n").unwrap();
    fs::write(folder.path().join("a"), &CHECKED[..8]).unwrap();
    assert_eq!(check("").0, "a: FAILED\n");
}

#[test]
fn lines_of_a_wrong_format_are_counted_and_named() {
    let folder = folder();
    let list = "e306928  a\ne3069283  a\ne3069283 a\n\n\\e3069283  a\\x\n";
    fs::write(folder.path().join("list"), list).unwrap();
    let check = |args: &str, code| {
        let run = finish(&mut sum(&folder, &format!("-c list {args}"), &[]));
        assert_eq!(run.code, code, "{args}: {}", run.err);
        (run.out, run.err)
    };
    let line = |number| {
        format!(
            "warning: line {number} of `list` is improperly formatted; a line is 8 hex digits, two blanks, and a name; \
             or `CRC-32/ISCSI (NAME) = ` and the digits\n"
        )
    };
    let warnings = [line(1), line(3), line(5), "warning: 3 lines are improperly formatted\n".to_owned()].concat();
    assert_eq!(check("-a crc-32c", 0), ("a: OK\n".to_owned(), warnings.clone()));
    assert_eq!(check("-a crc-32c --strict", 1), ("a: OK\n".to_owned(), warnings));
    assert_eq!(check("-a crc-32c --status", 0), (String::new(), String::new()));
    assert_eq!(check("-a crc-32c --status --strict", 1), (String::new(), String::new()));

    // of another algorithm no line is left
    let (out, err) = check("-a crc-4/itu", 1);
    assert_eq!(out, "");
    let error = "error: `list` has no line that is properly formatted; a line is 1 hex digit, two blanks, and a name; \
                 or `CRC-4/G-704 (NAME) = ` and the digit\n";
    assert!(err.ends_with(error), "{err}");
    // a list on the standard input has that not in it
    let run = fed(&mut sum(&folder, "-a crc-32c -c", &[]), b"e3069283  -\n");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.starts_with("warning: line 1 of `-` is improperly formatted; "), "{}", run.err);
}

#[test]
fn a_list_that_cannot_be_read_fails_and_the_others_are_checked() {
    let folder = folder();
    fs::write(folder.path().join("list"), "e3069283  a\n").unwrap();
    fs::write(folder.path().join("empty"), "").unwrap();
    let run = finish(&mut sum(&folder, "-a crc-32c -c", &["none", ".", "empty", "list"]));
    assert_eq!((run.code, run.out.as_str()), (1, "a: OK\n"));
    let errors: Vec<&str> = run.err.lines().collect();
    assert!(errors[0].starts_with("error: cannot read `none`: "), "{errors:?}");
    assert_eq!(errors[1], "error: cannot read `.`: it is a folder");
    assert!(errors[2].starts_with("error: `empty` has no line "), "{errors:?}");
}

#[cfg(unix)]
#[test]
fn odd_names_are_escaped_and_understood() {
    use std::os::unix::ffi::OsStrExt;

    let folder = folder();
    let names: [(&[u8], &[u8]); 5] = [
        (b"new\nline", b"\\e3069283  new\\nline\n"),
        (b"back\\slash", b"\\e3069283  back\\\\slash\n"),
        (b"\r\\n", b"\\e3069283  \\r\\\\n\n"),
        (b"\xff\xfe", b"e3069283  \xff\xfe\n"),
        (b"'`\"\t", b"e3069283  '`\"\t\n"),
    ];
    let mut list = Vec::new();
    for (name, line) in names {
        let name = OsStr::from_bytes(name);
        if fs::write(folder.path().join(name), CHECKED).is_err() {
            continue; // some file systems want UTF-8
        }
        let output = sum(&folder, "-a crc-32c", &[]).arg(name).output().unwrap();
        assert!(output.status.success());
        assert_eq!(output.stdout, line, "{name:?}");
        list.extend(line);
    }
    fs::write(folder.path().join("list"), &list).unwrap();
    let output = sum(&folder, "-a crc-32c --strict -c list", &[]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(lines(&output.stdout), lines(&list), "{output:?}");
    assert!(output.stdout.starts_with(b"\\new\\nline: OK\n\\back\\\\slash: OK\n"), "{output:?}");
    // a message has one line, too
    let run = finish(&mut sum(&folder, "-a crc-32c", &["no\nne"]));
    assert!(run.err.starts_with("error: cannot read `no\\nne`: "), "{}", run.err);
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let error = refused("sum -a crc32c none");
    assert!(error.starts_with("error: unknown algorithm `crc32c`; try `CRC-32C` or `"), "{error}");
    assert_eq!(refused("sum -a md5"), "error: unknown algorithm `md5`; `byways algorithms` lists them all\n");
    assert!(refused("sum none").starts_with("error: `--algorithm <NAME>` is missing; "));
    for flag in ["--quiet", "--status", "--strict"] {
        assert!(refused(&format!("sum -a crc-32c {flag}")).starts_with("error: `--check` is missing; "));
    }
    assert!(refused("sum -a crc-32c --threads 0").starts_with("error: `0` is no number of threads; 1 to "));
}

#[test]
fn algorithms_are_those_of_the_catalogue() {
    let list = well("algorithms");
    let names: Vec<&str> = CATALOGUE.iter().map(|model| model.name).collect();
    assert_eq!(first_words(&list)[1..], names);
    let heads = "name width poly init refin refout xorout check aliases";
    assert_eq!(list.lines().next().unwrap().split_whitespace().collect::<Vec<_>>().join(" "), heads);
    let rows = |pattern: &str| -> Vec<String> {
        let list = well(&format!("algorithms {pattern}"));
        list.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let zeros = "0x0000000000000000";
    let redis = format!("CRC-64/REDIS 64 0xad93d23594c935a9 {zeros} true true {zeros} 0xe9c6d914c4b8d9ca");
    assert_eq!(rows("redis"), [redis]);
    let umts = "CRC-12/UMTS 12 0x80f 0x000 false true 0x000 0xdaf CRC-12/3GPP";
    assert_eq!(rows("3gpp"), [umts]);
    assert!(rows("CRC-32c").iter().any(|row| row.starts_with("CRC-32/ISCSI 32 0x1edc6f41 ")));
    let error = refused("algorithms crc32c");
    assert!(error.starts_with("error: no algorithm has `crc32c` in its name; try `CRC-32C` or `"), "{error}");
}
