//! `byways sum`: CRCs of files, and whether files still have theirs.

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use byways::crc::catalogue::{AnyAlgorithm, Model};
use byways::crc::{Crc, Width};

use crate::algorithms::model;
use crate::{Failure, say};

mod check;
mod line;
mod read;

/// Prints CRCs of files, or checks them.
#[derive(clap::Args)]
#[command(after_help = "\
Each line is the CRC in hex, most significant digit first, two blanks, and the file's name. In a line that begins with a
backslash, `\\n`, `\\r` and `\\\\` in the name stand for a newline, a carriage return and a backslash, as with `sha256sum`.

With `--check` each FILE is a list of such lines, or of lines like `CRC-32C (disk.img) = e3069283`, whose algorithm is the
one asked for, by any of its names. Blank lines and lines that begin with `#` are passed over.

Large files are read by several threads, in pieces that are joined; the CRC is the same.

A CRC finds accidents. Whoever wants to can change a file and leave its CRC as it was.

Exit codes: 0 well; 1 a file could not be read or does not match, or a list has nothing to check; 2 arguments that make
no sense.

Examples:
  byways sum --algorithm crc-32c disk.img
  byways sum --algorithm CRC-64/NVME *.bin > sums
  byways sum --algorithm CRC-64/NVME --check sums
  tar c . | byways sum --algorithm crc-32")]
pub(crate) struct Args {
    /// The CRC, by a name of `byways algorithms`, in any case
    #[arg(short, long, value_name = "NAME", value_parser = model)]
    algorithm: &'static Model,
    /// Read CRCs and file names from each FILE, and see whether they match
    #[arg(short, long)]
    check: bool,
    /// Print no `OK`
    #[arg(long, requires = "check")]
    quiet: bool,
    /// Say nothing of lines or sums that are wrong; the exit code does
    #[arg(long, requires = "check")]
    status: bool,
    /// Let a line of a wrong format be a failure, too
    #[arg(long, requires = "check")]
    strict: bool,
    /// How many threads may read one file; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// What to read; `-` is the standard input
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
}

impl Args {
    /// How many hex digits a CRC has.
    fn digits(&self) -> usize {
        usize::from(self.algorithm.algorithm.wide().width).div_ceil(4)
    }
}

fn threads(text: &str) -> Result<usize, String> {
    const MOST: usize = 1024;
    let threads = text.parse().ok().filter(|threads| (1..=MOST).contains(threads));
    threads.ok_or_else(|| format!("`{text}` is no number of threads; 1 to {MOST} are"))
}

/// Prints sums, or checks them.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    match args.algorithm.algorithm {
        AnyAlgorithm::U8(algorithm) => by(&Crc::<u8>::new(algorithm), args, out),
        AnyAlgorithm::U16(algorithm) => by(&Crc::<u16>::new(algorithm), args, out),
        AnyAlgorithm::U32(algorithm) => by(&Crc::<u32>::new(algorithm), args, out),
        AnyAlgorithm::U64(algorithm) => by(&Crc::<u64>::new(algorithm), args, out),
    }
}

fn by<W: Width + Into<u64>>(crc: &Crc<W>, args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let threads = args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    let sum = |path: &Path| read::sum(crc, path, threads).map(W::into);
    if args.check { check::lists(args, &sum, out) } else { print(args, &sum, out) }
}

/// What a file sums to, or why it cannot be read.
type Sum<'a> = dyn Fn(&Path) -> Result<u64, String> + 'a;

fn print(args: &Args, sum: &Sum<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut well = true;
    for path in &args.files {
        match sum(path) {
            Ok(sum) => line::write(out, args.digits(), sum, path)?,
            Err(why) => well = unreadable(path, &why),
        }
    }
    if well { Ok(()) } else { Err(Failure::Faults) }
}

/// Says that a file cannot be read: nothing is well any more.
fn unreadable(path: &Path, why: &str) -> bool {
    say(&format!("error: cannot read `{}`: {why}", line::shown(path)));
    false
}

#[cfg(test)]
mod tests {
    use super::threads;

    #[test]
    fn numbers_of_threads() {
        assert_eq!(threads("1024"), Ok(1024));
        for wrong in ["0", "1025", "-1", "many", ""] {
            assert_eq!(threads(wrong), Err(format!("`{wrong}` is no number of threads; 1 to 1024 are")));
        }
    }
}
