//! The command line `byways`: arguments and exit codes. Each command has a module.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use byways::cpu::Detected;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

use crate::catalogue::Catalogue;

mod algorithms;
mod bench;
mod catalogue;
mod cost;
mod ctr;
#[cfg(test)]
mod drip;
mod expand;
mod family;
mod kernels;
mod library;
mod overview;
mod plan;
mod progress;
#[cfg(target_arch = "x86_64")]
mod run;
#[cfg(not(target_arch = "x86_64"))]
#[path = "run_elsewhere.rs"]
mod run;
mod sum;
mod table;
mod verify;
mod work;

/// Lists, verifies and measures the generated kernels; without a command, all of that for this CPU.
#[derive(Parser)]
#[command(version, after_help = HELP)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const HELP: &str = "\
A kernel is called <algorithm>_by<N>_<width>: aes128_ctr_by16_zmm keeps 16 blocks of 16 bytes in flight, in zmm
registers. Three families exist: `ctr`, AES in counter mode; `crc`, CRCs of up to 64 bits by carry-less multiplication,
such as crc_msb_rev_by32_zmm; and `aria`, blocks of ARIA by themselves or in counter mode, such as aria_ecb_by64_zmm.

Examples:
  byways                                every kernel, verified and timed on this CPU
  byways kernels                        what there is, and what runs here
  byways expand aes128_ctr_by12_zmm     the code of any N that fits, generated or not
  byways bench ctr                      what the library gains on by8 at xmm
  byways bench crc                      the same for T10-DIF, on by4 at xmm
  byways bench aria                     the same for ARIA, on crate `aria` and on by16 at xmm without GFNI
  byways ctr --key-file key --iv 000102030405060708090a0b0c0d0e0f plain secret
  byways sum --algorithm crc-32c file   its CRC; `byways algorithms` has more
In the repository, `cargo byways` builds it and runs it.

The environment variable BYWAYS_MAX_WIDTH, one of fallback, xmm, ymm and zmm, limits the registers of what the library
does by itself.

Exit codes: 0 well; 1 a kernel or a sum is wrong, or it cannot be done; 2 arguments that make no sense.";

#[derive(Subcommand)]
enum Command {
    Kernels(kernels::Args),
    Expand(expand::Args),
    Cost(cost::Args),
    Verify(verify::Args),
    Bench(bench::Args),
    Ctr(ctr::Args),
    Sum(sum::Args),
    Algorithms(algorithms::Args),
}

/// Why a command ended early.
#[derive(Debug)]
enum Failure {
    /// A kernel or a sum is wrong, or a file cannot be read; which and what has been said.
    Faults,
    /// This machine cannot do it.
    Cannot(String),
    /// The arguments make no sense.
    Usage(String),
    /// The output could not be written.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

const UNWELL: u8 = 1;
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    if let Err(Failure::Usage(why)) = plan::check_environment() {
        return complain(&why, USAGE);
    }
    // who reads has seen enough; but a verification or a file that ended early is none
    let whole = matches!(cli.command, Some(Command::Verify(_) | Command::Ctr(_) | Command::Sum(_)));
    let catalogue = Catalogue::new(Detected::get());
    let out = &mut io::stdout().lock();
    let result = match cli.command {
        None => overview::run(&catalogue, out),
        Some(Command::Kernels(args)) => kernels::run(&args, &catalogue, out),
        Some(Command::Expand(args)) => expand::run(&args, out),
        Some(Command::Cost(args)) => cost::run(&args, out),
        Some(Command::Verify(args)) => verify::run(&args, &catalogue, out),
        Some(Command::Bench(args)) => bench::run(&args, &catalogue, out),
        Some(Command::Ctr(args)) => ctr::run(&args, out),
        Some(Command::Sum(args)) => sum::run(&args, out),
        Some(Command::Algorithms(args)) => algorithms::run(&args, out),
    };
    match result.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Faults) => ExitCode::from(UNWELL),
        Err(Failure::Cannot(why)) => complain(&why, UNWELL),
        Err(Failure::Usage(why)) => complain(&why, USAGE),
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe && !whole => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => complain(&format!("cannot write the output: {error}"), UNWELL),
    }
}

/// Says why, and that with this code.
fn complain(why: &str, code: u8) -> ExitCode {
    say(&format!("error: {why}"));
    ExitCode::from(code)
}

/// Says it on the standard error; if that is closed, too, the exit code says it.
fn say(what: &str) {
    let _ = writeln!(io::stderr(), "{what}");
}

/// What clap has to say: help and version, or what is wrong with the arguments.
fn refused(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let why = match (error.kind(), error.source()) {
        (ErrorKind::ValueValidation, Some(source)) => source.to_string(),
        (ErrorKind::InvalidSubcommand, _) => {
            let commands = Cli::command();
            let names = commands.get_subcommands().map(|command| format!("`{}`", command.get_name()));
            let names: Vec<String> = names.collect();
            format!(
                "unknown command {}; there are {}",
                context(error, ContextKind::InvalidSubcommand),
                names.join(", ")
            )
        }
        (ErrorKind::MissingRequiredArgument, _) => {
            let usage = context(error, ContextKind::Usage).replace("Usage: ", "");
            let names = context(error, ContextKind::InvalidArg);
            let verb = if names.contains("`, `") { "are" } else { "is" };
            format!("{names} {verb} missing; the usage is {usage}, and `--help` says more")
        }
        _ => {
            let text = error.render().to_string().replace('\'', "`");
            text.trim_start_matches("error: ").trim_end().to_owned()
        }
    };
    complain(&why, USAGE)
}

/// What clap says of the error, in backquotes.
fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::Strings(names)) => format!("`{}`", names.join("`, `")),
        Some(value) => format!("`{value}`"),
        None => "something".to_owned(),
    }
}
