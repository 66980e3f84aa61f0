//! Byways, its kernels and their peers, measured side by side in one run.
//!
//! A family has a module: which contestants there are, which lengths, what must be equal before anything is timed, and
//! the tables. The arguments, the tables' layout and the machine are common to all.

mod aria;
mod crc;
mod ctr;
mod messages;
mod options;
mod table;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

const CTR_EXAMPLES: &str = "\
Examples:
  cargo run --release -p byways-peers -- ctr
  cargo run --release -p byways-peers -- ctr by16_zmm intel --key 128
  cargo run --release -p byways-peers -- ctr --size 64KiB --size mixed --rounds 200
  cargo run --release -p byways-peers -- ctr --kernels by8_ymm,by32_zmm openssl by
  cargo run --release -p byways-peers -- ctr --kernels 'byways,byways xmm,byways ymm' byways rustcrypto";

const CRC_EXAMPLES: &str = "\
Examples:
  cargo run --release -p byways-peers -- crc
  cargo run --release -p byways-peers -- crc byways isa-l --algorithm crc-32c
  cargo run --release -p byways-peers -- crc --size 64 --size mixed --dependent
  cargo run --release -p byways-peers -- crc --algorithm t10-dif --sweep 1024..1536 --rounds 200";

const ARIA_EXAMPLES: &str = "\
libgcrypt, which has ARIA from 1.11 on, is not among them: Debian's is older.

Examples:
  cargo run --release -p byways-peers -- aria
  cargo run --release -p byways-peers -- aria byways openssl --key 128 --mode ctr
  cargo run --release -p byways-peers -- aria --mode ecb --size 16 --size 1472 --dependent";

/// Measures byways, its kernels and their peers side by side.
#[derive(Parser)]
#[command(name = "byways-peers", version)]
struct Arguments {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// AES in counter mode: byways, crates aes and ctr, OpenSSL, intel-ipsec-mb
    #[command(after_help = CTR_EXAMPLES)]
    Ctr(ctr::Options),
    /// CRCs of 16, 32 and 64 bits: byways, ISA-L, crates crc-fast, crc32fast and crc
    #[command(after_help = CRC_EXAMPLES)]
    Crc(crc::Options),
    /// ARIA, blocks by themselves and in counter mode: byways, crate aria, OpenSSL
    #[command(after_help = ARIA_EXAMPLES)]
    Aria(aria::Options),
}

/// The bar of so many measurements.
fn progress(measurements: usize) -> ProgressBar {
    let bar = ProgressBar::new(measurements as u64);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").expect("a template"));
    bar.with_message("comparing")
}

/// Why there is nothing to show.
#[derive(Debug)]
enum Failure {
    /// The arguments ask for something that is not there.
    Arguments(String),
    /// A contestant is wrong, or cannot be had.
    Contestant(String),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(help) if !help.use_stderr() => help.exit(),
        Err(error) => {
            // clap quotes with apostrophes
            eprint!("{}", error.to_string().replace('\'', "`"));
            if error.kind() == ErrorKind::InvalidSubcommand {
                let command = Arguments::command();
                let families: Vec<&str> = command.get_subcommands().map(|family| family.get_name()).collect();
                eprintln!("The families are: {}.", families.join(", "));
            }
            return ExitCode::from(2);
        }
    };
    if cfg!(debug_assertions) {
        eprintln!("warning: built without optimisation, the numbers mean nothing; run with --release");
    }
    let mut out = io::stdout();
    let result = match arguments.family {
        Family::Ctr(options) => ctr::run(&options, &mut out),
        Family::Crc(options) => crc::run(&options, &mut out),
        Family::Aria(options) => aria::run(&options, &mut out),
    };
    let (error, code) = match result.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(Failure::Output(error)) => (format!("cannot write the output: {error}"), 1),
        Err(Failure::Contestant(error)) => (error, 1),
        Err(Failure::Arguments(error)) => (error, 2),
    };
    eprintln!("error: {error}");
    ExitCode::from(code)
}
