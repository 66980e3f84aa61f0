//! `byways kernels`: what there is, and what runs here.

use std::io::Write;

use byways::cpu::Features;
use byways_codegen::cost::{Cost, cost};
use byways_codegen::families;
use serde_json::{Value, json};

use crate::Failure;
use crate::catalogue::{Catalogue, Entry};
use crate::family::form;
use crate::table::{Align, Table};

/// Lists every kernel: its shape, what it needs, whether it runs here, and what its batch costs.
#[derive(clap::Args)]
#[command(after_help = "\
Of AES in counter mode, the `cached` form takes rounds 1 and 2 from a table, which pays for long messages; `plain`
computes every round. CRCs of the form `lsb` take the lowest bit of a byte first, `msb_rev` and `msb_swap` the highest:
one turns the bits of each byte round, the other the bytes of each block. `crc32c` and `crc32c_fused` are for CRC-32C
alone and use the instruction that x86 has for it. ARIA's S-boxes are computed by GFNI (`gfni`), with xors of three
inputs also in narrow registers (`xor3`), or by AES rounds on CPUs without it (`aessub`); `aria_odd` and `aria_even` are
one round alone, for its key schedule.
`bound` is the fewest cycles that a batch can take; `live` is how many registers it needs at once.

Examples:
  byways kernels
  byways kernels --json | jq -r '.[] | select(.runnable) | .name'")]
pub(crate) struct Args {
    /// An array of objects for programs to read
    #[arg(long)]
    json: bool,
}

/// Lists the kernels.
pub(crate) fn run(args: &Args, catalogue: &Catalogue, out: &mut dyn Write) -> Result<(), Failure> {
    if args.json {
        let entries: Vec<Value> = catalogue.entries.iter().map(object).collect();
        writeln!(out, "{:#}", Value::from(entries))?;
    } else {
        write!(out, "{}", table(&catalogue.entries))?;
    }
    Ok(())
}

fn table(entries: &[Entry]) -> Table {
    let left = ["name", "algorithm", "form", "width"].map(|head| (head, Align::Left));
    let right = ["by", "registers", "live", "bound", "bytes/cycle"].map(|head| (head, Align::Right));
    let mut table = Table::new(left.into_iter().chain(right).chain([("needs", Align::Left), ("here", Align::Left)]));
    for entry in entries {
        let (variant, cost) = (entry.variant, cost_of(entry));
        table.row([
            variant.to_string(),
            variant.algorithm().to_string(),
            form(variant.algorithm()).to_owned(),
            variant.width().to_string(),
            variant.by().to_string(),
            variant.registers().to_string(),
            format!("{} of {}", cost.live, cost.registers),
            format!("≥ {:.1}", cost.cycles),
            format!("≤ {:.2}", cost.bytes_per_cycle()),
            entry.kernel.features().to_string(),
            if entry.runs() { "runs".to_owned() } else { entry.why_not() },
        ]);
    }
    table
}

fn object(entry: &Entry) -> Value {
    let (variant, cost) = (entry.variant, cost_of(entry));
    let names = |features: Features| features.names().collect::<Vec<_>>();
    json!({
        "name": entry.kernel.name(),
        "algorithm": variant.algorithm().to_string(),
        "form": form(variant.algorithm()),
        "by": variant.by(),
        "width": variant.width().name(),
        "registers": variant.registers(),
        "features": names(entry.kernel.features()),
        "runnable": entry.runs(),
        "missing": names(entry.missing),
        "cost": {
            "bytes": cost.bytes,
            "cycles": cost.cycles,
            "bytes_per_cycle": cost.bytes_per_cycle(),
            "counts": cost.counts,
            "live": cost.live,
            "constants": cost.constants,
            "registers": cost.registers,
            "held_keys": cost.held_keys,
        },
    })
}

fn cost_of(entry: &Entry) -> Cost {
    cost(&families::program(entry.variant))
}
