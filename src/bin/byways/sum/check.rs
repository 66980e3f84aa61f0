//! Whether files have the sums that lists say.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use super::{Args, Sum, line, read, unreadable};
use crate::{Failure, say};

/// What came of the lines of a list.
#[derive(Default)]
struct Count {
    read: usize,
    malformed: usize,
    unreadable: usize,
    wrong: usize,
}

/// Checks every list.
pub(super) fn lists(args: &Args, sum: &Sum<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut well = true;
    for path in &args.files {
        well &= list(path, args, sum, out)?;
    }
    if well { Ok(()) } else { Err(Failure::Faults) }
}

/// Checks a list: whether all is well.
fn list(path: &Path, args: &Args, sum: &Sum<'_>, out: &mut dyn Write) -> Result<bool, Failure> {
    let standard = read::is_standard(path);
    let mut lines: Box<dyn BufRead> = if standard {
        Box::new(io::stdin().lock())
    } else {
        match read::open(path) {
            Ok(file) => Box::new(BufReader::new(file)),
            Err(why) => return Ok(unreadable(path, &why)),
        }
    };
    let list = line::shown(path);
    let (digits, algorithm) = (args.digits(), args.algorithm);
    let format = format!(
        "a line is {digits} hex {}, two blanks, and a name; or `{} (NAME) = ` and the {0}",
        plural(digits, "digit", "digits"),
        algorithm.name
    );
    let mut count = Count::default();
    let mut text = Vec::new();
    for number in 1.. {
        text.clear();
        match lines.read_until(b'\n', &mut text) {
            Ok(0) => break,
            Ok(_) => (),
            Err(error) => return Ok(unreadable(path, &error.to_string())),
        }
        let text = text.strip_suffix(b"\n").unwrap_or(&text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        // the standard input cannot be both the list and what is in it
        let entry = line::parse(text, digits, algorithm).filter(|(_, path)| !(standard && read::is_standard(path)));
        let Some((wanted, path)) = entry else {
            count.malformed += 1;
            if !args.status {
                say(&format!("warning: line {number} of `{list}` is improperly formatted; {format}"));
            }
            continue;
        };
        count.read += 1;
        let verdict = match sum(&path) {
            Ok(found) if found == wanted => "OK",
            Ok(_) => {
                count.wrong += 1;
                "FAILED"
            }
            Err(why) => {
                unreadable(&path, &why);
                count.unreadable += 1;
                "FAILED open or read"
            }
        };
        if !(args.status || args.quiet && verdict == "OK") {
            line::write_verdict(out, &path, verdict)?;
        }
    }
    if count.read == 0 {
        say(&format!("error: `{list}` has no line that is properly formatted; {format}"));
        return Ok(false);
    }
    if !args.status {
        count.warn();
    }
    Ok(count.unreadable == 0 && count.wrong == 0 && !(args.strict && count.malformed > 0))
}

impl Count {
    /// Says how many were not well.
    fn warn(&self) {
        for (count, one, several) in [
            (self.malformed, "line is improperly formatted", "lines are improperly formatted"),
            (self.unreadable, "listed file could not be read", "listed files could not be read"),
            (self.wrong, "computed checksum did NOT match", "computed checksums did NOT match"),
        ] {
            if count > 0 {
                say(&format!("warning: {count} {}", plural(count, one, several)));
            }
        }
    }
}

fn plural<'a>(count: usize, one: &'a str, several: &'a str) -> &'a str {
    if count == 1 { one } else { several }
}
