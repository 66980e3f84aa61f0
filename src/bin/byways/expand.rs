//! `byways expand`: a kernel's generated code.

use std::io::Write;

use byways_codegen::pretty::listing;
use byways_codegen::spec::Variant;

use crate::{Failure, catalogue};

/// Prints a kernel's code: the macro call that makes it, its cost, and the generated Rust.
#[derive(clap::Args)]
#[command(after_help = "\
Every N that fills whole registers will do, whether or not it was generated.

Examples:
  byways expand aes128_ctr_by16_zmm
  byways expand crc_lsb_by12_zmm        # of no list yet
  diff <(byways expand aes128_ctr_by8_ymm) <(byways expand aes128_ctr_by16_ymm)")]
pub(crate) struct Args {
    /// <algorithm>_by<N>_<width>
    #[arg(value_parser = catalogue::variant)]
    name: Variant,
}

/// Prints the listing.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    Ok(out.write_all(listing(args.name).as_bytes())?)
}
