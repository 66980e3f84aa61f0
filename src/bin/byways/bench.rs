//! `byways bench`: kernels side by side, in cycles an operation.

use std::io::Write;
use std::str::FromStr;

use byways::measure::Cycles;
use byways_codegen::spec::{Algorithm, CtrForm, Variant, Width};

use crate::catalogue::{self, Catalogue, Entry, one_of};
use crate::progress::Progress;
use crate::table::{Align, Table};
use crate::{Failure, run};

/// Measures kernels side by side, in cycles an operation.
///
/// Without names, the table that this family grew from: by8 at xmm against by16 at zmm, for every key size. With names,
/// those kernels, and what each gains on the first.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
In place, a fresh IV a message, the round keys made before; eight buffers in turn. Kernels take turns round after round,
and what is shown is the lower quartile of the rounds, and the distance to the upper one.

Examples:
  byways bench ctr
  byways bench ctr aes128_ctr_by8_ymm aes128_ctr_by16_ymm
  byways bench ctr --size 1500 --size 65536 --rounds 1000"
)]
pub(crate) struct Args {
    /// What to measure: `ctr`, AES in counter mode
    family: Family,
    /// Kernels, as <algorithm>_by<N>_<width>; the first is what the others are compared with
    #[arg(value_name = "NAME", value_parser = catalogue::variant)]
    names: Vec<Variant>,
    /// How often each kernel has its turn
    #[arg(long, default_value = "500", value_parser = rounds)]
    rounds: usize,
    /// Bytes in a message; can be given several times
    #[arg(long, value_name = "BYTES", default_values = ["16", "64", "256", "1024", "1472", "8192"], value_parser = size)]
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

/// Whether it is the form that the table without names is about.
const fn is_plain(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::AesCtr(_, CtrForm::Plain))
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

/// Kernels to be measured side by side.
struct Group<'a> {
    /// What its rows begin with, if there are more groups.
    label: Option<Algorithm>,
    entries: Vec<&'a Entry>,
}

/// Measures, and prints the table.
pub(crate) fn run(args: &Args, catalogue: &Catalogue, out: &mut dyn Write) -> Result<(), Failure> {
    run::possible()?;
    let (heads, groups) = match args.names.as_slice() {
        [] => {
            let [old, new] = usual(args.family, catalogue, out)?;
            let groups = catalogue.algorithms().filter(|&a| Family::of(a) == args.family && is_plain(a));
            let find = |algorithm, (by, width)| Variant::new(algorithm, by, width).ok().and_then(|v| catalogue.find(v));
            let groups = groups.filter_map(|algorithm| {
                Some(Group { label: Some(algorithm), entries: vec![find(algorithm, old)?, find(algorithm, new)?] })
            });
            ([old, new].map(|(by, width)| format!("by{by} {width}")).to_vec(), groups.collect())
        }
        names => {
            let entries = names.iter().map(|&name| chosen(args.family, name, catalogue)).collect::<Result<_, _>>()?;
            (names.iter().map(Variant::to_string).collect(), vec![Group { label: None, entries }])
        }
    };
    let progress = Progress::new("measuring", groups.len() * args.size.len() * args.rounds);
    let mut table = head(groups[0].label.is_some(), heads);
    for group in &groups {
        for &size in &args.size {
            let label = group.label.map(|algorithm| algorithm.to_string());
            progress.now(format!("{size} bytes {}", label.as_deref().unwrap_or_default()));
            let cycles = run::race(&group.entries, size, args.rounds, || progress.step());
            table.row(label.into_iter().chain([size.to_string()]).chain(cells(&cycles)));
        }
    }
    drop(progress);
    let rounds = if args.rounds == 1 { "one round".to_owned() } else { format!("{} rounds", args.rounds) };
    writeln!(out, "cycles an operation, lower quartile of {rounds}, and how far above it the upper one is\n")?;
    Ok(write!(out, "{table}")?)
}

/// The two kernels of the table without names: by8 at xmm, and by16 at the widest that runs here.
fn usual(family: Family, catalogue: &Catalogue, out: &mut dyn Write) -> Result<[(usize, Width); 2], Failure> {
    let entries: Vec<&Entry> =
        catalogue.entries.iter().filter(|entry| Family::of(entry.variant.algorithm()) == family).collect();
    let shaped = |by, width| entries.iter().find(|e| (e.variant.by(), e.variant.width()) == (by, width));
    let widths = Width::ALL.into_iter().rev();
    let mut new = widths.filter_map(|width| shaped(16, width)).skip_while(|entry| !entry.runs());
    let (Some(old), Some(wanted)) = (shaped(8, Width::Xmm), shaped(16, Width::Zmm)) else {
        return Err(Failure::Cannot("`by8` at xmm and `by16` at zmm were not generated; name two kernels".to_owned()));
    };
    let (true, Some(new)) = (old.runs(), new.next()) else {
        return Err(Failure::Cannot(format!("no kernel of this family can run here: {}", old.why_not())));
    };
    if !wanted.runs() {
        let (by, width) = (new.variant.by(), new.variant.width());
        writeln!(out, "by16 zmm cannot run here: {}; by{by} {width} instead, the widest that can\n", wanted.why_not())?;
    }
    Ok([old, new].map(|entry| (entry.variant.by(), entry.variant.width())))
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

fn head(labelled: bool, kernels: Vec<String>) -> Table {
    let label = labelled.then(|| ("algorithm".to_owned(), Align::Left));
    let compared = kernels.into_iter().enumerate().flat_map(|(i, kernel)| {
        let gain = (i > 0).then(|| ("gain".to_owned(), Align::Right));
        [(kernel, Align::Right), (String::new(), Align::Left)].into_iter().chain(gain)
    });
    Table::new(label.into_iter().chain([("bytes".to_owned(), Align::Right)]).chain(compared))
}

/// For each kernel its cycles, their spread, and, but for the first, what it gains on the first.
fn cells(cycles: &[Cycles]) -> Vec<String> {
    let first = cycles[0].quartile;
    let each = cycles.iter().enumerate().flat_map(|(i, cycles)| {
        let gain = (i > 0).then(|| format!("{:.1} %", 100.0 * (1.0 - cycles.quartile / first)));
        [format!("{:.1}", cycles.quartile), format!("+{:.0} %", 100.0 * cycles.spread())].into_iter().chain(gain)
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    use byways::cpu::{Detected, Features};

    use super::*;

    #[test]
    fn gain_is_what_the_first_loses() {
        let cycles = [40.0, 30.0, 44.0].map(|c| Cycles { best: c, quartile: c, median: c, upper: c * 1.25 });
        assert_eq!(cells(&cycles), ["40.0", "+25 %", "30.0", "+25 %", "25.0 %", "44.0", "+25 %", "-10.0 %"]);
    }

    /// The usual two on a CPU that lacks some features, and what is said of it.
    #[cfg(target_arch = "x86_64")]
    fn usual_without(lacks: &str) -> (Result<[(usize, Width); 2], Failure>, String) {
        let cpu = Detected::get().only(Features::all().without(Features::named(lacks)));
        let mut out = Vec::new();
        let usual = usual(Family::Ctr, &Catalogue::new(cpu), &mut out);
        (usual, String::from_utf8(out).unwrap())
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_cannot_run_is_named_and_replaced() {
        let (usual, _) = usual_without("aes");
        let Err(Failure::Cannot(why)) = usual else { panic!("{:?}", usual.ok()) };
        assert!(why.ends_with("this CPU has no aes"), "{why}");
        if Detected::get().aes().is_some() {
            let (usual, said) = usual_without("vaes");
            assert_eq!(usual.unwrap(), [(8, Width::Xmm), (16, Width::Xmm)]);
            assert!(said.starts_with("by16 zmm cannot run here: this CPU has no vaes"), "{said}");
            assert!(said.contains("; by16 xmm instead"), "{said}");
        }
        if Detected::get().features().contains(Features::named("vaes,avx2")) {
            let (usual, said) = usual_without("avx512bw");
            assert_eq!(usual.unwrap(), [(8, Width::Xmm), (16, Width::Ymm)]);
            assert!(said.contains("avx512bw"), "{said}");
        }
    }
}
