//! `byways verify`: kernels against an independent implementation, interpreted always and natively where possible.

use std::io::Write;

use byways_codegen::spec::Variant;

use crate::catalogue::{self, Catalogue, Entry, cannot_run};
use crate::family::Family;
use crate::progress::Progress;
use crate::{Failure, run};

/// Verifies kernels against an independent implementation: interpreted always, natively where this CPU can.
#[derive(clap::Args)]
#[command(after_help = "\
A kernel that was not generated has no machine code; its program is interpreted all the same.
Exit codes: 0 all is well; 1 a kernel computed something wrong.

Examples:
  byways verify                         every kernel
  byways verify crc_msb_rev_by32_zmm    one of them
  byways verify aes128_ctr_by12_zmm     a program of no list yet")]
pub(crate) struct Args {
    /// Kernels, as <algorithm>_by<N>_<width>; every generated one if none is named
    #[arg(value_name = "NAME", value_parser = catalogue::variant)]
    names: Vec<Variant>,
}

/// Verifies the kernels, a line each, and sums up.
pub(crate) fn run(args: &Args, catalogue: &Catalogue, out: &mut dyn Write) -> Result<(), Failure> {
    run::possible()?;
    let variants = match args.names.as_slice() {
        [] => catalogue.variants(),
        names => names.to_vec(),
    };
    let column = variants.iter().map(|variant| variant.to_string().len()).max().unwrap_or(0);
    let progress = Progress::new("verifying", variants.len());
    let (mut native, mut faulty) = (0, 0);
    for &variant in &variants {
        progress.now(variant.to_string());
        let interpreted = run::interpreted(variant);
        let machine = match catalogue.find(variant) {
            Some(entry) if entry.runs() => Machine::Ran(run::native(entry)),
            Some(entry) => Machine::Lacks(entry),
            None => Machine::NotGenerated,
        };
        native += usize::from(matches!(machine, Machine::Ran(_)));
        faulty += usize::from(interpreted.is_err() || matches!(machine, Machine::Ran(Err(_))));
        progress.aside(|| -> std::io::Result<()> {
            let name = variant.to_string();
            let (interpreted, interpreted_fault) = verdict(interpreted);
            let (machine, native_fault) = machine.verdict();
            writeln!(out, "{name:<column$}  interpreted: {interpreted}, native: {machine}")?;
            for fault in [interpreted_fault, native_fault].into_iter().flatten() {
                writeln!(out, "  {fault}")?;
            }
            Ok(())
        })?;
        progress.step();
    }
    drop(progress);
    summary(&variants, native, faulty, catalogue, out)?;
    if faulty == 0 { Ok(()) } else { Err(Failure::Faults) }
}

/// What became of a kernel's machine code.
enum Machine<'a> {
    Ran(Result<(), String>),
    Lacks(&'a Entry),
    NotGenerated,
}

impl Machine<'_> {
    fn verdict(self) -> (String, Option<String>) {
        match self {
            Machine::Ran(result) => verdict(result),
            Machine::Lacks(entry) => (format!("– ({})", entry.why_not()), None),
            Machine::NotGenerated => ("– (not generated)".to_owned(), None),
        }
    }
}

fn verdict(result: Result<(), String>) -> (String, Option<String>) {
    match result {
        Ok(()) => ("ok".to_owned(), None),
        Err(fault) => ("WRONG".to_owned(), Some(fault)),
    }
}

/// What these kernels are verified against.
pub(crate) fn oracles(variants: &[Variant]) -> String {
    let oracles = Family::ALL.into_iter().filter_map(|family| {
        let of_family = variants.iter().copied().filter(|variant| Family::of(variant.algorithm()) == family);
        let of_family: Vec<Variant> = of_family.collect();
        (!of_family.is_empty()).then(|| run::oracle(family, &of_family))
    });
    oracles.collect::<Vec<_>>().join("; ")
}

fn summary(
    variants: &[Variant],
    native: usize,
    faulty: usize,
    catalogue: &Catalogue,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    writeln!(out, "\nagainst {}", oracles(variants))?;
    let wrong = if faulty == 0 { "none".to_owned() } else { faulty.to_string() };
    writeln!(out, "kernels: {}; interpreted: {0}, natively: {native}, wrong: {wrong}", variants.len())?;
    let named = variants.iter().filter_map(|&variant| catalogue.find(variant));
    for line in cannot_run(named) {
        writeln!(out, "not run natively: {line}")?;
    }
    let absent = variants.iter().filter(|&&variant| catalogue.find(variant).is_none());
    let absent: Vec<String> = absent.map(Variant::to_string).collect();
    if !absent.is_empty() {
        writeln!(out, "not run natively: {}: not generated", absent.join(", "))?;
    }
    Ok(())
}
