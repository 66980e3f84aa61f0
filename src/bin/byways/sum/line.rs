//! The lines of a list of sums, as `sha256sum` writes them, and as that and the tools of BSD write them for it to read.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use byways::crc::catalogue::Model;

/// What would break a line in two, or could be taken for an escape, and what stands for it after a backslash.
const ESCAPES: [(u8, u8); 3] = [(b'\\', b'\\'), (b'\n', b'n'), (b'\r', b'r')];

/// Writes a sum of so many hex digits, and whose it is.
pub(super) fn write(out: &mut dyn Write, digits: usize, sum: u64, path: &Path) -> io::Result<()> {
    let (mark, name) = escaped(path);
    write!(out, "{mark}{sum:0digits$x}  ")?;
    out.write_all(&name)?;
    writeln!(out)
}

/// Writes how a file fares.
pub(super) fn write_verdict(out: &mut dyn Write, path: &Path, verdict: &str) -> io::Result<()> {
    let (mark, name) = escaped(path);
    write!(out, "{mark}")?;
    out.write_all(&name)?;
    writeln!(out, ": {verdict}")
}

/// The name, for messages.
pub(super) fn shown(path: &Path) -> String {
    String::from_utf8_lossy(&escaped(path).1).into_owned()
}

/// The name in one line, and what has to stand before that.
fn escaped(path: &Path) -> (&'static str, Vec<u8>) {
    let name = path.as_os_str().as_encoded_bytes();
    let mut escaped = Vec::with_capacity(name.len());
    for &byte in name {
        match ESCAPES.iter().find(|(meant, _)| *meant == byte) {
            Some((_, letter)) => escaped.extend([b'\\', *letter]),
            None => escaped.push(byte),
        }
    }
    (if escaped.len() == name.len() { "" } else { "\\" }, escaped)
}

/// The name that is meant by an escaped one.
fn unescaped(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = escaped.iter();
    let mut name = Vec::with_capacity(escaped.len());
    while let Some(&byte) = bytes.next() {
        name.push(if byte == b'\\' {
            let letter = bytes.next()?;
            ESCAPES.iter().find(|(_, known)| known == letter)?.0
        } else {
            byte
        });
    }
    Some(name)
}

/// A line without its end: the sum by this algorithm, of so many hex digits, and whose it is.
pub(super) fn parse(line: &[u8], digits: usize, algorithm: &Model) -> Option<(u64, PathBuf)> {
    let line = unindented(line);
    let unmarked = line.strip_prefix(b"\\");
    let fields = unmarked.unwrap_or(line);
    let (hex, name) = untagged(fields, digits).or_else(|| tagged(fields, algorithm))?;
    if hex.len() != digits || name.is_empty() {
        return None;
    }
    let name = if unmarked.is_some() { unescaped(name)? } else { name.to_owned() };
    // `from_str_radix` takes a sign, too
    let hex = str::from_utf8(hex).ok().filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    Some((u64::from_str_radix(hex, 16).ok()?, path(name)?))
}

/// The fields of `e3069283  file`: the digits and the name.
fn untagged(fields: &[u8], digits: usize) -> Option<(&[u8], &[u8])> {
    let (hex, rest) = fields.split_at_checked(digits)?;
    Some((hex, rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b" *"))?))
}

/// The fields of `CRC-32C (file) = e3069283`, where the algorithm goes by any of its names: the digits and the name.
fn tagged<'a>(fields: &'a [u8], algorithm: &Model) -> Option<(&'a [u8], &'a [u8])> {
    let (tag, rest) = fields.split_at(fields.iter().position(|&byte| byte == b'(')?);
    let tag = tag.strip_suffix(b" ").unwrap_or(tag);
    algorithm.names().find(|name| name.as_bytes().eq_ignore_ascii_case(tag))?;
    // there may be others in the name
    let (name, rest) = rest[1..].split_at(rest[1..].iter().rposition(|&byte| byte == b')')?);
    let hex = unindented(&rest[1..]).strip_prefix(b"=")?;
    Some((unindented(hex), name))
}

/// Without the blanks that it begins with.
fn unindented(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()..]
}

#[cfg(unix)]
fn path(name: Vec<u8>) -> Option<PathBuf> {
    let name: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(name);
    Some(name.into())
}

#[cfg(not(unix))]
fn path(name: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(name).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use byways::crc::catalogue::find;

    use super::*;

    fn parse(line: &[u8], digits: usize) -> Option<(u64, PathBuf)> {
        let algorithm = find(if digits == 4 { "CRC-16/XMODEM" } else { "CRC-3/GSM" }).unwrap();
        super::parse(line, digits, algorithm)
    }

    fn written(sum: u64, name: &str) -> String {
        let mut out = Vec::new();
        write(&mut out, 4, sum, Path::new(name)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        for (name, line) in [
            ("a", "00ab  a\n"),
            (" a b ", "00ab   a b \n"),
            ("*", "00ab  *\n"),
            ("ö/'`\"", "00ab  ö/'`\"\n"),
            ("a\\n", "\\00ab  a\\\\n\n"),
            ("a\nb\r\\", "\\00ab  a\\nb\\r\\\\\n"),
        ] {
            assert_eq!(written(0xab, name), line);
            assert_eq!(parse(line.trim_end_matches('\n').as_bytes(), 4), Some((0xab, name.into())), "{line}");
        }
    }

    #[test]
    fn lines_of_others() {
        let a = |sum| Some((sum, PathBuf::from("a")));
        assert_eq!(parse(b"00aB *a", 4), a(0xab));
        assert_eq!(parse(b" \t00ab  a", 4), a(0xab));
        // a backslash means itself where none stands before the sum
        assert_eq!(parse(b"7  \\a\\", 1), Some((7, PathBuf::from("\\a\\"))));
        for wrong in [
            "",
            "00ab",
            "00ab  ",
            "00ab a",
            "00ab\ta",
            "0ab  a",
            "000ab  a",
            "+0ab  a",
            "00ag  a",
            "00\u{e4}  a",
            "\\00ab  a\\t",
            "\\00ab  a\\",
            "# 00ab  a",
        ] {
            assert_eq!(parse(wrong.as_bytes(), 4), None, "{wrong}");
        }
    }

    #[test]
    fn lines_with_the_algorithm() {
        for (line, name) in [
            ("CRC-16/XMODEM (a) = 00ab", "a"),
            // by an alias, in any case
            ("crc-16/ACORN (a) = 00AB", "a"),
            ("xmodem (a) = 00ab", "a"),
            (" \tXMODEM(a)=\t00ab", "a"),
            ("XMODEM ( (b) = 0012)  = 00ab", " (b) = 0012"),
            ("XMODEM (a\\n) = 00ab", "a\\n"),
            ("\\XMODEM (a\\n\\\\) = 00ab", "a\n\\"),
        ] {
            assert_eq!(parse(line.as_bytes(), 4), Some((0xab, name.into())), "{line}");
        }
        assert_eq!(parse(b"CRC-3/GSM (a) = 4", 1), Some((4, "a".into())));
        for wrong in [
            "CRC-16 (a) = 00ab",
            "CRC-16/XMODE (a) = 00ab",
            "CRC-16/XMODEMS (a) = 00ab",
            " (a) = 00ab",
            "(a) = 00ab",
            "XMODEM  (a) = 00ab",
            "XMODEM\t(a) = 00ab",
            "XMODEM () = 00ab",
            "XMODEM (a = 00ab",
            "XMODEM a) = 00ab",
            "XMODEM (a) 00ab",
            "XMODEM (a) =",
            "XMODEM (a) = 0ab",
            "XMODEM (a) = 000ab",
            "XMODEM (a) = 00ab ",
            "XMODEM (a) = +0ab",
            "XMODEM (a) = 00ag",
            "\\XMODEM (a\\t) = 00ab",
        ] {
            assert_eq!(parse(wrong.as_bytes(), 4), None, "{wrong}");
        }
    }
}
