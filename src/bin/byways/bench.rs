//! `byways bench`: kernels side by side, in cycles an operation.

use std::io::Write;
use std::str::FromStr;

use byways::measure::Cycles;
use byways_codegen::spec::{Algorithm, CtrForm, Variant, Width};

use crate::catalogue::{self, Catalogue, Entry, form, one_of};
use crate::keyed::Aes;
use crate::progress::Progress;
use crate::table::{Align, Table};
use crate::{Failure, plan, run};

/// Bytes in a message, unless others are asked for.
const SIZES: [&str; 7] = ["16", "64", "256", "1024", "1472", "8192", "65536"];

/// Measures kernels side by side, in cycles an operation.
///
/// Without names, by8 at xmm, which this family grew from, against the kernel that the library's plan has for the size,
/// for every key size. With names, those kernels, and what each gains on the first.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
In place, a fresh IV a message, the round keys made before; eight buffers in turn. Kernels take turns round after round,
and what is shown is the lower quartile of the rounds, and the distance to the upper one. Under `plan` stands which
kernel it is, then its cycles. With --api the plan's side is what a user of the library sees: a `Ctr128BE` is made for
each message and the keystream applied, and where there are no kernels, crates `aes` and `ctr` take their place.

Examples:
  byways bench ctr
  byways bench ctr --api --width ymm
  byways bench ctr aes128_ctr_by8_ymm aes128_ctr_by16_ymm
  byways bench ctr --size 1500 --size 65536 --rounds 1000"
)]
pub(crate) struct Args {
    /// What to measure: `ctr`, AES in counter mode
    family: Family,
    /// Kernels, as <algorithm>_by<N>_<width>; the first is what the others are compared with
    #[arg(value_name = "NAME", value_parser = catalogue::variant)]
    names: Vec<Variant>,
    /// Measure the plan through the library's types instead of its kernels by themselves
    #[arg(long, conflicts_with = "names")]
    api: bool,
    /// With --api, registers at most so wide: `fallback`, `xmm`, `ymm` or `zmm`
    #[arg(long, requires = "api", value_parser = plan::width)]
    width: Option<byways::Width>,
    /// How often each kernel has its turn
    #[arg(long, default_value = "500", value_parser = rounds)]
    rounds: usize,
    /// Bytes in a message; can be given several times
    #[arg(long, value_name = "BYTES", default_values = SIZES, value_parser = size)]
    size: Vec<usize>,
}

/// Kernels that compute the like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Ctr,
}

impl Family {
    const fn of(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::AesCtr(..) => Family::Ctr,
        }
    }

    /// The file that lists what is generated.
    const fn list(self) -> &'static str {
        match self {
            Family::Ctr => "kernels/src/aes_ctr.rs",
        }
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "ctr" => Ok(Family::Ctr),
            _ => Err(format!("unknown family `{name}`; there is `ctr`")),
        }
    }
}

fn rounds(text: &str) -> Result<usize, String> {
    number(text, 100_000).ok_or_else(|| format!("`{text}` is no number of rounds; 1 to 100000 would do"))
}

fn size(text: &str) -> Result<usize, String> {
    number(text, 1 << 24).ok_or_else(|| format!("`{text}` is no message size; 1 to 16777216 bytes would do"))
}

fn number(text: &str, most: usize) -> Option<usize> {
    text.parse().ok().filter(|number| (1..=most).contains(number))
}

/// Measures, and prints the table.
pub(crate) fn run(args: &Args, catalogue: &Catalogue, out: &mut dyn Write) -> Result<(), Failure> {
    run::possible()?;
    let (table, note) = if args.names.is_empty() { planned(args, catalogue)? } else { (named(args, catalogue)?, None) };
    let rounds = if args.rounds == 1 { "one round".to_owned() } else { format!("{} rounds", args.rounds) };
    writeln!(out, "cycles an operation, lower quartile of {rounds}, and how far above it the upper one is")?;
    note.map_or(Ok(()), |note| writeln!(out, "{note}"))?;
    Ok(write!(out, "\n{table}")?)
}

/// The kernels that were named, and what each gains on the first.
fn named(args: &Args, catalogue: &Catalogue) -> Result<Table, Failure> {
    let entries = args.names.iter().map(|&name| chosen(args.family, name, catalogue)).collect::<Result<Vec<_>, _>>()?;
    let columns = args.names.iter().enumerate().flat_map(|(i, name)| {
        let gain = (i > 0).then(|| ("gain".to_owned(), Align::Right));
        [(name.to_string(), Align::Right), (String::new(), Align::Left)].into_iter().chain(gain)
    });
    let mut table = Table::new([("bytes".to_owned(), Align::Right)].into_iter().chain(columns));
    let progress = Progress::new("measuring", args.size.len() * args.rounds);
    for &size in &args.size {
        progress.now(format!("{size} bytes"));
        let cycles = run::race(&entries, None, size, args.rounds, || progress.step());
        let cells = cycles.iter().enumerate().flat_map(|(i, each)| {
            let gain = (i > 0).then(|| gain(each, &cycles[0]));
            cells(each).into_iter().chain(gain)
        });
        table.row([size.to_string()].into_iter().chain(cells));
    }
    Ok(table)
}

/// By8 at xmm, and what the plan has for each size; and what is to be said of the plan.
fn planned(args: &Args, catalogue: &Catalogue) -> Result<(Table, Option<String>), Failure> {
    let mut rows = Vec::new();
    for algorithm in catalogue.algorithms().filter(|&a| Family::of(a) == args.family && form(a) == CtrForm::Plain) {
        let Algorithm::AesCtr(key, _) = algorithm;
        let old = old(algorithm, catalogue)?;
        rows.push((algorithm, old, Aes::new(&vec![0x5a; key.bits() / 8], args.width).expect("an AES key")));
    }
    let width = rows[0].2.width();
    let explained = plan::explained(width, args.width, catalogue);
    if !args.api && width == byways::Width::Fallback {
        return Err(Failure::Usage(format!(
            "the plan has no kernels to measure: its width is {explained}; `--api` measures what takes their place"
        )));
    }
    let how = if args.api { "; through a `Ctr128BE` a message" } else { "" };
    let columns = ["algorithm", "bytes", "by8 xmm", "", "plan", "", "", "gain"];
    let aligns = [Align::Left, Align::Right, Align::Right, Align::Left, Align::Left, Align::Right, Align::Left];
    let mut table = Table::new(columns.into_iter().zip(aligns.into_iter().chain([Align::Right])));
    let progress = Progress::new("measuring", rows.len() * args.size.len() * args.rounds);
    for (algorithm, old, aes) in &rows {
        for &size in &args.size {
            progress.now(format!("{size} bytes {algorithm}"));
            let kernel = aes.kernel(size).map(|name| catalogue.named(name));
            let new = kernel.filter(|_| !args.api);
            let rivals: Vec<&Entry> = [*old].into_iter().chain(new).collect();
            let library = args.api.then_some(aes);
            let cycles = run::race(&rivals, library, size, args.rounds, || progress.step());
            let row = [algorithm.to_string(), size.to_string()].into_iter().chain(cells(&cycles[0]));
            let row = row.chain([kernel.map_or("fallback".to_owned(), |entry| short(entry.variant))]);
            table.row(row.chain(cells(&cycles[1])).chain([gain(&cycles[1], &cycles[0])]));
        }
    }
    Ok((table, Some(format!("the plan's width: {explained}{how}"))))
}

/// The kernel that the plan is compared with.
fn old(algorithm: Algorithm, catalogue: &Catalogue) -> Result<&Entry, Failure> {
    let old = Variant::new(algorithm, 8, Width::Xmm).ok().and_then(|variant| catalogue.find(variant));
    match old {
        Some(old) if old.runs() => Ok(old),
        Some(old) => Err(Failure::Cannot(format!("no kernel of this family can run here: {}", old.why_not()))),
        None => Err(Failure::Cannot("`by8` at xmm was not generated; name two kernels".to_owned())),
    }
}

/// What a kernel is called among those of its key size.
fn short(variant: Variant) -> String {
    let form = match form(variant.algorithm()) {
        CtrForm::Plain => "",
        CtrForm::Cached => "cached ",
    };
    format!("{form}by{} {}", variant.by(), variant.width())
}

/// A kernel that was asked for by name.
fn chosen(family: Family, name: Variant, catalogue: &Catalogue) -> Result<&Entry, Failure> {
    if Family::of(name.algorithm()) != family {
        return Err(Failure::Usage(format!("`{name}` is of another family")));
    }
    let Some(entry) = catalogue.find(name) else {
        let mut near: Vec<Variant> = catalogue.of(name.algorithm()).iter().map(|entry| entry.variant).collect();
        near.sort_by_key(|v| (v.width().bytes().abs_diff(name.width().bytes()), v.by().abs_diff(name.by())));
        let near: Vec<String> = near.iter().take(2).map(Variant::to_string).collect();
        return Err(Failure::Usage(format!(
            "`{name}` was not generated, so there is nothing to measure; put {} into the list in {}, or try {}",
            name.by(),
            family.list(),
            one_of(&near)
        )));
    };
    if entry.runs() { Ok(entry) } else { Err(Failure::Cannot(format!("`{name}` cannot run: {}", entry.why_not()))) }
}

/// The cycles and their spread.
fn cells(cycles: &Cycles) -> [String; 2] {
    [format!("{:.1}", cycles.quartile), format!("+{:.0} %", 100.0 * cycles.spread())]
}

fn gain(new: &Cycles, old: &Cycles) -> String {
    format!("{:.1} %", 100.0 * (1.0 - new.quartile / old.quartile))
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    use byways::cpu::{Detected, Features};

    use super::*;

    #[test]
    fn gain_is_what_the_first_loses() {
        let [old, new, newer] = [40.0, 30.0, 44.0].map(|c| Cycles { best: c, quartile: c, median: c, upper: c * 1.25 });
        assert_eq!(cells(&old), ["40.0", "+25 %"]);
        assert_eq!([new, newer].map(|cycles| gain(&cycles, &old)), ["25.0 %", "-10.0 %"]);
    }

    #[test]
    fn forms_are_told_apart() {
        let short = |name: &str| short(name.parse().unwrap());
        assert_eq!(short("aes192_ctr_by4_ymm"), "by4 ymm");
        assert_eq!(short("aes192_ctr_cached_by16_zmm"), "cached by16 zmm");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_cannot_run_is_named() {
        let cpu = Detected::get().only(Features::all().without(Features::named("aes")));
        let catalogue = Catalogue::new(cpu);
        let algorithm = "aes128_ctr_by8_xmm".parse::<Variant>().unwrap().algorithm();
        let Err(Failure::Cannot(why)) = old(algorithm, &catalogue).map(|_| ()) else { panic!("it runs") };
        assert!(why.starts_with("no kernel of this family can run here: this CPU has no "), "{why}");
    }
}
