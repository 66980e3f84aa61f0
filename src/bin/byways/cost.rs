//! `byways cost`: what a kernel's batch costs.

use std::io::Write;

use byways_codegen::spec::Variant;
use byways_codegen::{cost, families, pretty};

use crate::{Failure, catalogue};

/// Prints what a kernel's batch costs: instructions, registers, and a lower bound in cycles.
#[derive(clap::Args)]
#[command(after_help = "\
The bound knows ports and the front end, no latency and no cache. Every N that fills whole registers will do.

Examples:
  byways cost aes128_ctr_by16_zmm
  byways cost crc_msb_rev_by32_zmm
  byways cost aes256_ctr_by12_ymm     # of no list yet")]
pub(crate) struct Args {
    /// <algorithm>_by<N>_<width>
    #[arg(value_parser = catalogue::variant)]
    name: Variant,
}

/// Prints the macro call and the cost.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{}\n", pretty::macro_call(args.name))?;
    Ok(writeln!(out, "{}", cost::cost(&families::program(args.name)))?)
}
