//! `byways ctr`: what comes out, and what is left behind when it does not.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use byways::cipher::{KeyIvInit, StreamCipher};
use byways::ctr::{Ctr32BE, Ctr64BE, Ctr128BE};
use byways::{Aes128, Aes256};
use tempfile::TempDir;

use super::{Run, command, finish};

/// NIST SP 800-38A, F.5.1: AES-128, four blocks.
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const IV: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
const PLAIN: [u128; 4] = [
    0x6bc1bee22e409f96e93d7e117393172a,
    0xae2d8a571e03ac9c9eb76fac45af8e51,
    0x30c81c46a35ce411e5fbc1191a0a52ef,
    0xf69f2445df4f9b17ad2b417be66c3710,
];
const SECRET: [u128; 4] = [
    0x874d6191b620e3261bef6864990db6ce,
    0x9806f66b7970fdff8617187bb9fffdff,
    0x5ae4df3edbd5d35e5b4f09020db03eab,
    0x1e031dda2fbe03d1792170a0f3009cee,
];

fn bytes(blocks: [u128; 4]) -> Vec<u8> {
    blocks.into_iter().flat_map(u128::to_be_bytes).collect()
}

fn key() -> [u8; 16] {
    u128::from_str_radix(KEY, 16).unwrap().to_be_bytes()
}

/// A folder with a key and a plain text.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("key"), format!("{KEY}\n")).unwrap();
    fs::write(folder.path().join("plain"), bytes(PLAIN)).unwrap();
    folder
}

/// `byways ctr` in the folder, under its key and the vector's IV.
fn ctr(folder: &TempDir, args: &str) -> Command {
    let mut command = command(&format!("ctr --key-file key --iv {IV} {args}"));
    command.current_dir(folder);
    command
}

fn well(command: &mut Command) -> Run {
    let run = finish(command);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{command:?}");
    run
}

/// What is said by a run that must fail and leave everything in the folder as it was.
fn fails(folder: &TempDir, code: i32, command: &mut Command) -> String {
    let before = contents(folder.path());
    let run = finish(command);
    assert_eq!((run.code, run.out.as_str()), (code, ""), "{command:?}: {}", run.err);
    assert!(run.err.starts_with("error: ") && !run.err.contains('\''), "{command:?}: {}", run.err);
    assert!(contents(folder.path()) == before, "{command:?} left something behind");
    run.err
}

/// Every name in a folder, and what is there, of long files their length.
fn contents(folder: &Path) -> Vec<(String, u64, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let len = path.metadata().map_or(0, |metadata| metadata.len());
        let data = if len < 1 << 20 { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        (path.display().to_string(), len, data)
    });
    let mut contents: Vec<_> = entries.collect();
    contents.sort();
    contents
}

#[test]
fn a_known_answer_at_every_width() {
    let folder = folder();
    for width in byways::Width::ALL {
        well(ctr(&folder, &format!("--force plain {width}")).env("BYWAYS_MAX_WIDTH", width.name()));
        assert_eq!(fs::read(folder.path().join(width.name())).unwrap(), bytes(SECRET), "{width}");
    }
    let run = well(&mut ctr(&folder, "plain secret"));
    assert_eq!(run.out, "");
    well(&mut ctr(&folder, "secret again"));
    assert_eq!(fs::read(folder.path().join("again")).unwrap(), bytes(PLAIN));
    // nothing but what was asked for
    assert_eq!(contents(folder.path()).len(), 2 + byways::Width::ALL.len() + 2);
}

/// Longer than what is read at once, and not a whole number of blocks.
fn long() -> Vec<u8> {
    (0..40_000_003_u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

#[test]
fn long_files_and_every_counter() {
    let folder = folder();
    let plain = long();
    fs::write(folder.path().join("long"), &plain).unwrap();
    // every counter wraps within the file
    let iv = "000102030405060708090a0bfffffff0";
    let wraps = "0001020304050607fffffffffffffff0";
    for (bits, iv) in [(32, iv), (64, wraps), (128, wraps)] {
        let block = u128::from_str_radix(iv, 16).unwrap().to_be_bytes();
        let mut wanted = plain.clone();
        let (key, block) = (&key().into(), &block.into());
        match bits {
            32 => Ctr32BE::<Aes128>::new(key, block).apply_keystream(&mut wanted),
            64 => Ctr64BE::<Aes128>::new(key, block).apply_keystream(&mut wanted),
            _ => Ctr128BE::<Aes128>::new(key, block).apply_keystream(&mut wanted),
        }
        let args = format!("ctr --key-file key --iv {iv} --counter-bits {bits} long {bits}");
        well(command(&args).current_dir(&folder));
        assert!(fs::read(folder.path().join(bits.to_string())).unwrap() == wanted, "{bits} bits");
    }
}

#[test]
fn pipes() {
    let folder = folder();
    let plain = long();
    let mut wanted = plain.clone();
    let iv = u128::from_str_radix(IV, 16).unwrap().to_be_bytes();
    Ctr128BE::<Aes128>::new(&key().into(), &iv.into()).apply_keystream(&mut wanted);
    let mut child = ctr(&folder, "- -").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        // pieces of all lengths
        let mut rest = plain.as_slice();
        for len in (1..).map_while(|i| (i * i <= rest.len()).then_some(i * i)).collect::<Vec<_>>() {
            let (now, later) = rest.split_at(len.min(rest.len()));
            stdin.write_all(now).unwrap();
            rest = later;
        }
        stdin.write_all(rest).unwrap();
    });
    let mut found = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut found).unwrap();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(found == wanted);
}

#[test]
fn a_key_is_bytes_or_hex() {
    let folder = folder();
    let write = |name: &str, data: &[u8]| fs::write(folder.path().join(name), data).unwrap();
    let with = |name: &str| command(&format!("ctr --force --key-file {name} --iv {IV} plain out"));
    let encrypted = |name: &str| {
        well(with(name).current_dir(&folder));
        fs::read(folder.path().join("out")).unwrap()
    };
    write("raw", &key());
    write("dos", format!("{}\r\n", KEY.to_uppercase()).as_bytes());
    assert_eq!([encrypted("raw"), encrypted("dos")], [bytes(SECRET), bytes(SECRET)]);

    let mut wanted = bytes(PLAIN);
    let iv = u128::from_str_radix(IV, 16).unwrap().to_be_bytes();
    Ctr128BE::<Aes256>::new(&[0xab; 32].into(), &iv.into()).apply_keystream(&mut wanted);
    write("long", &[0xab; 32]);
    write("hex", "ab".repeat(32).as_bytes());
    assert_eq!([encrypted("long"), encrypted("hex")], [wanted.clone(), wanted]);

    write("either", KEY.as_bytes());
    let error = fails(&folder, 2, with("either").current_dir(&folder));
    assert!(error.starts_with("error: key file `either` is 32 hex digits, which may be a key of 32 bytes"), "{error}");
    write("short", &key()[1..]);
    let error = fails(&folder, 2, with("short").current_dir(&folder));
    assert!(
        error.starts_with("error: key file `short` has 15 bytes; a key has 16, 24 or 32 bytes, or in hex "),
        "{error}"
    );
    write("odd", b"2b7e151628aed2a6abf7158809cf4f3x\n");
    let error = fails(&folder, 2, with("odd").current_dir(&folder));
    assert!(error.contains("`odd` has 33 bytes, of which number 32 is no hex digit; ") && !error.contains("2b7e"));
    let error = fails(&folder, 2, with("none").current_dir(&folder));
    assert!(error.starts_with("error: cannot read key file `none`: "), "{error}");
}

#[test]
fn a_file_is_replaced_only_by_force() {
    let folder = folder();
    let out = folder.path().join("out");
    fs::write(&out, "old").unwrap();
    let error = fails(&folder, 2, &mut ctr(&folder, "plain out"));
    assert_eq!(error, "error: `out` exists; `--force` replaces it\n");
    well(&mut ctr(&folder, "plain out --force"));
    assert_eq!(fs::read(&out).unwrap(), bytes(SECRET));
    assert_eq!(contents(folder.path()).len(), 3);
    fs::create_dir(folder.path().join("sub")).unwrap();
    let error = fails(&folder, 2, &mut ctr(&folder, "--force plain sub"));
    assert!(error.starts_with("error: cannot write `sub`: it is a folder; "), "{error}");
    let error = fails(&folder, 2, &mut ctr(&folder, "plain none/out"));
    assert!(error.starts_with("error: cannot write `none/out`: ") && !error.contains(".byways"), "{error}");
    let error = fails(&folder, 2, &mut ctr(&folder, "plain key/out"));
    assert!(error.starts_with("error: cannot write `key/out`: ") && !error.contains(".byways"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = folder();
    let [out, link] = ["out", "link"].map(|name| folder.path().join(name));
    fs::write(&out, "old").unwrap();
    fs::set_permissions(&out, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("out", &link).unwrap();
    well(&mut ctr(&folder, "plain link --force"));
    assert!(link.is_symlink());
    assert_eq!(fs::read(&out).unwrap(), bytes(SECRET));
    assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o640);

    // a new file has what any new file has
    well(&mut ctr(&folder, "plain new"));
    File::create(folder.path().join("any")).unwrap();
    let [new, any] = ["new", "any"].map(|name| fs::metadata(folder.path().join(name)).unwrap().permissions());
    assert_eq!(new, any);
    let error = fails(&folder, 2, &mut ctr(&folder, "--force plain /dev/null"));
    assert!(error.starts_with("error: cannot write `/dev/null`: it is no ordinary file; "), "{error}");
}

#[test]
fn input_and_output_must_differ() {
    let folder = folder();
    fs::hard_link(folder.path().join("plain"), folder.path().join("hard")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("plain", folder.path().join("soft")).unwrap();
    let soft: &[&str] = if cfg!(unix) { &["soft"] } else { &[] };
    for output in ["plain", "./plain", "hard"].iter().chain(soft) {
        for args in [format!("plain {output}"), format!("--force plain {output}"), format!("--force {output} plain")] {
            let error = fails(&folder, 2, &mut ctr(&folder, &args));
            assert!(error.ends_with(" are the same file; the output must be another\n"), "{error}");
        }
    }
    let error = fails(&folder, 2, &mut ctr(&folder, "--force plain key"));
    assert!(error.starts_with("error: `key` and `key` are the same file; "), "{error}");
    // redirected
    let plain = || File::options().read(true).append(true).open(folder.path().join("plain")).unwrap();
    let error = fails(&folder, 2, ctr(&folder, "--force - plain").stdin(plain()));
    assert!(error.starts_with("error: `standard input` and `plain` are the same file; "), "{error}");
    let error = fails(&folder, 2, ctr(&folder, "plain -").stdout(plain()));
    assert!(error.starts_with("error: `plain` and the standard output are the same file; "), "{error}");
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let folder = folder();
    let error = fails(&folder, 2, &mut ctr(&folder, "none out"));
    assert!(error.starts_with("error: cannot read `none`: "), "{error}");
    let error = fails(&folder, 2, &mut ctr(&folder, ". out"));
    assert!(error.starts_with("error: cannot read `.`: it is a folder"), "{error}");
    let error = fails(&folder, 2, &mut ctr(&folder, "--counter-bits 16 plain out"));
    assert_eq!(error, "error: no counter has `16` bits; there are `32`, `64`, `128`\n");
    for (iv, why) in [
        ("00010203", "the IV `00010203` has 8 hex digits; an IV is a block of 16 bytes, 32 hex digits\n"),
        (&format!("{IV}00"), "has 34 hex digits; "),
        (&IV.replace('f', "g"), "`g` in the IV `g0g1"),
    ] {
        let error = fails(&folder, 2, command(&format!("ctr --key-file key --iv {iv} plain out")).current_dir(&folder));
        assert!(error.contains(why), "{error}");
    }
    let error = fails(&folder, 2, command("ctr plain out").current_dir(&folder));
    assert!(error.starts_with("error: `--key-file <FILE>`, `--iv <HEX>` are missing; "), "{error}");
    let error = fails(&folder, 2, ctr(&folder, "plain out").env("BYWAYS_MAX_WIDTH", "foo"));
    assert!(error.starts_with("error: unknown width `foo` in `BYWAYS_MAX_WIDTH`; "), "{error}");
}

#[test]
fn a_counter_too_short_for_the_file_is_refused() {
    let folder = folder();
    // as long as 2^32 blocks and a byte more; nothing of it is on the disk
    File::create(folder.path().join("sparse")).unwrap().set_len((16 << 32) + 1).unwrap();
    for output in ["out", "-"] {
        let error = fails(&folder, 1, &mut ctr(&folder, &format!("--counter-bits 32 sparse {output}")));
        assert!(error.starts_with("error: `sparse` is too long: a counter of 32 bits comes round after 4294967296 "));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_fails_on_the_way_leaves_nothing() {
    let folder = folder();
    fs::write(folder.path().join("old"), "old").unwrap();
    // it opens, but its first page cannot be read
    for args in ["/proc/self/mem out", "--force /proc/self/mem old"] {
        let error = fails(&folder, 1, &mut ctr(&folder, args));
        assert!(error.starts_with("error: cannot read `/proc/self/mem`: "), "{error}");
    }
    let full = File::options().write(true).open("/dev/full").unwrap();
    let error = fails(&folder, 1, ctr(&folder, "plain -").stdout(full));
    assert!(error.starts_with("error: cannot write the output: "), "{error}");
}

#[test]
fn a_closed_pipe_is_an_error() {
    let folder = folder();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let error = fails(&folder, 1, ctr(&folder, "plain -").stdout(writer));
    assert!(error.starts_with("error: cannot write the output: "), "{error}");
}
