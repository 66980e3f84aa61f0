//! `byways bench`: kernels side by side, in cycles an operation.

use std::io::Write;
use std::iter;

use byways::crc::catalogue::{self as crcs, Model};
use byways::measure::Cycles;
use byways_codegen::spec::Variant;

use crate::algorithms::model;
use crate::catalogue::{self, Catalogue, Entry, one_of};
use crate::family::{Family, Task};
use crate::library::Subject;
use crate::progress::Progress;
use crate::table::{Align, Table};
use crate::work::{Rival, Work};
use crate::{Failure, plan, run};

/// Measures kernels side by side, in cycles an operation.
///
/// Without names, the kernel that a family grew from against the one that the library's plan has for the size: of `ctr`
/// by8 at xmm, for every key size; of `crc` by4 at xmm, for one algorithm, by the size of a block and of the updates that
/// it is fed in; of `aria` by16 at xmm without GFNI, and crate `aria`, for every key size and direction. With names, those
/// kernels, and what each gains on the first.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
An operation is a message: with `ctr` in place, a fresh IV a message, the round keys made before; with `crc` the register
is handed on from update to update, the constants made before; with `aria` in place, the round keys made before, and
kernels that are named have a key of 128 bits and encrypt. Eight buffers in turn. Kernels take turns round after round,
and what is shown is the lower quartile of the rounds, and the distance to the upper one. Under `plan` stands which kernel
it is, then its cycles. With --api the plan's side is what a user of the library sees, a `Ctr128BE` or a `Digest` for each
message, and where there are no kernels, crates `aes`, `ctr` and `crc` take their place. With `aria` it always is that, as
a message may take several kernels.

Examples:
  byways bench ctr
  byways bench ctr --api --width ymm
  byways bench ctr aes128_ctr_by8_ymm aes128_ctr_by16_ymm
  byways bench ctr --size 1500 --size 65536 --rounds 1000
  byways bench crc
  byways bench crc --algorithm crc-32c --api --size 4096 --update 512 --update 4096
  byways bench crc crc_msb_swap_by16_zmm crc_msb_rev_by16_zmm
  byways bench aria
  byways bench aria aria_ecb_by32_ymm aria_ecb_by64_zmm"
)]
pub(crate) struct Args {
    /// What to measure: `ctr`, AES in counter mode; `crc`; or `aria`
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
    /// The CRC whose plan is measured, by a name of `byways algorithms`; CRC-16/T10-DIF if not given
    #[arg(long, value_name = "NAME", conflicts_with = "names", value_parser = model)]
    algorithm: Option<&'static Model>,
    /// How often each kernel has its turn
    #[arg(long, default_value = "500", value_parser = rounds)]
    rounds: usize,
    /// Bytes in a message; can be given several times. Without it there are several from 16 on
    #[arg(long, value_name = "BYTES", value_parser = size)]
    size: Vec<usize>,
    /// Bytes that a CRC takes at once, where they divide the size; can be given several times
    ///
    /// Without it the plan is measured with several, and kernels that are named with whole messages.
    #[arg(long, value_name = "BYTES", value_parser = update)]
    update: Vec<usize>,
}

impl Args {
    /// Refuses options that are for another family.
    fn check(&self) -> Result<(), Failure> {
        let name = self.family.facts().name;
        let foreign = match self.family {
            Family::Crc => None,
            Family::Ctr | Family::Aria if self.algorithm.is_some() => Some("`--algorithm` chooses a CRC"),
            Family::Ctr | Family::Aria if !self.update.is_empty() => Some("`--update` cuts what a CRC takes"),
            Family::Ctr | Family::Aria => None,
        };
        if let Some(what) = foreign {
            return Err(Failure::Usage(format!("{what}; it does not go with `{name}`")));
        }
        let unit = self.unit();
        let Some(size) = self.size.iter().find(|size| !size.is_multiple_of(unit)) else { return Ok(()) };
        let near = [size / unit, size / unit + 1].map(|blocks| blocks * unit);
        let near: Vec<String> = near.iter().filter(|&&size| size > 0).map(usize::to_string).collect();
        Err(Failure::Usage(format!("a message of `{size}` bytes is no whole blocks; {} would do", one_of(&near))))
    }

    /// Bytes that a message's length must be a multiple of.
    fn unit(&self) -> usize {
        let tasks: Vec<Task> = if self.names.is_empty() {
            self.subjects().iter().map(|subject| subject.task).collect()
        } else {
            self.names.iter().map(|name| Task::of(name.algorithm())).collect()
        };
        let its = tasks.into_iter().filter(|task| task.family() == self.family);
        its.map(Task::unit).max().unwrap_or(1)
    }

    /// Whether messages are fed in pieces.
    fn cuts(&self) -> bool {
        !self.update.is_empty() || self.names.is_empty() && !self.family.facts().updates.is_empty()
    }

    /// Sizes, each with the updates that divide it.
    fn works(&self) -> Result<Vec<Work>, Failure> {
        let facts = self.family.facts();
        let sizes = if self.size.is_empty() { facts.sizes } else { &self.size };
        let updates = |size: usize| -> Vec<usize> {
            if self.update.is_empty() {
                let pieces = if self.cuts() { facts.updates } else { &[] };
                pieces.iter().copied().filter(|&u| u < size && size.is_multiple_of(u)).chain([size]).collect()
            } else {
                self.update.iter().copied().filter(|&update| size.is_multiple_of(update)).collect()
            }
        };
        let asked = |numbers: &[usize]| one_of(&numbers.iter().map(usize::to_string).collect::<Vec<_>>());
        if let Some(size) = self.size.iter().find(|&&size| updates(size).is_empty()) {
            let updates = asked(&self.update);
            return Err(Failure::Usage(format!(
                "a message of `{size}` bytes cannot be cut into updates of {updates} bytes"
            )));
        }
        if let Some(update) = self.update.iter().find(|&&update| !sizes.iter().any(|s| s.is_multiple_of(update))) {
            let sizes = asked(sizes);
            return Err(Failure::Usage(format!(
                "no message of {sizes} bytes can be cut into updates of `{update}` bytes"
            )));
        }
        let works = |&size| updates(size).into_iter().map(move |update| Work { update, ..Work::whole(size) });
        Ok(sizes.iter().flat_map(works).collect())
    }

    /// Whose plan is measured.
    fn subjects(&self) -> Vec<Subject> {
        match self.family {
            Family::Ctr => Subject::all(self.family, self.width),
            Family::Crc => {
                let model = self.model();
                vec![Subject::crc(model.name, model.algorithm, self.width)]
            }
            Family::Aria => Subject::aria(self.width),
        }
    }

    fn model(&self) -> &'static Model {
        self.algorithm.unwrap_or_else(|| crcs::find("CRC-16/T10-DIF").expect("a model of the catalogue"))
    }
}

fn rounds(text: &str) -> Result<usize, String> {
    number(text, 100_000).ok_or_else(|| format!("`{text}` is no number of rounds; 1 to 100000 would do"))
}

fn size(text: &str) -> Result<usize, String> {
    number(text, 1 << 24).ok_or_else(|| format!("`{text}` is no message size; 1 to 16777216 bytes would do"))
}

fn update(text: &str) -> Result<usize, String> {
    number(text, 1 << 24).ok_or_else(|| format!("`{text}` is no update size; 1 to 16777216 bytes would do"))
}

fn number(text: &str, most: usize) -> Option<usize> {
    text.parse().ok().filter(|number| (1..=most).contains(number))
}

/// Measures, and prints the table.
pub(crate) fn run(args: &Args, catalogue: &Catalogue, out: &mut dyn Write) -> Result<(), Failure> {
    args.check()?;
    let works = args.works()?;
    run::possible()?;
    let (table, notes) = if args.names.is_empty() {
        planned(args, &works, catalogue)?
    } else {
        (named(args, &works, catalogue)?, vec![])
    };
    let rounds = if args.rounds == 1 { "one round".to_owned() } else { format!("{} rounds", args.rounds) };
    writeln!(out, "cycles an operation, lower quartile of {rounds}, and how far above it the upper one is")?;
    notes.iter().try_for_each(|note| writeln!(out, "{note}"))?;
    Ok(write!(out, "\n{table}")?)
}

/// The columns that say what is measured.
fn heads(args: &Args) -> impl Iterator<Item = (String, Align)> {
    let heads = [Some("bytes"), args.cuts().then_some("update")];
    heads.into_iter().flatten().map(|head| (head.to_owned(), Align::Right))
}

/// Their cells.
fn labels(args: &Args, work: &Work) -> impl Iterator<Item = String> {
    let labels = [Some(work.size), args.cuts().then_some(work.update)];
    labels.into_iter().flatten().map(|label| label.to_string())
}

/// The kernels that were named, and what each gains on the first.
fn named(args: &Args, works: &[Work], catalogue: &Catalogue) -> Result<Table, Failure> {
    let entries = args.names.iter().map(|&name| chosen(args.family, name, catalogue)).collect::<Result<Vec<_>, _>>()?;
    let rivals: Vec<Rival<'_>> = entries.into_iter().map(Rival::Kernel).collect();
    let columns = args.names.iter().enumerate().flat_map(|(i, name)| {
        let gain = (i > 0).then(|| ("gain".to_owned(), Align::Right));
        [(name.to_string(), Align::Right), (String::new(), Align::Left)].into_iter().chain(gain)
    });
    let mut table = Table::new(heads(args).chain(columns));
    let progress = Progress::new("measuring", works.len() * args.rounds);
    for work in works {
        progress.now(format!("{} bytes", work.size));
        let cycles = run::race(&rivals, *work, args.rounds, || progress.step());
        let cells = cycles.iter().enumerate().flat_map(|(i, each)| {
            let gain = (i > 0).then(|| gain(each, &cycles[0]));
            cells(each).into_iter().chain(gain)
        });
        table.row(labels(args, work).chain(cells));
    }
    Ok(table)
}

/// What the plan is compared with, and what the plan has for each size; and what is to be said of the plan.
fn planned(args: &Args, works: &[Work], catalogue: &Catalogue) -> Result<(Table, Vec<String>), Failure> {
    let subjects = args.subjects();
    let (facts, task) = (args.family.facts(), subjects[0].task);
    let fallbacks = if facts.by_library { Subject::aria(Some(byways::Width::Fallback)) } else { Vec::new() };
    // of one task all, so that these are the same kernels for each subject where there are fallbacks
    let kernels = subjects.iter().map(|subject| old(subject.task, catalogue));
    let kernels: Vec<Option<&Entry>> = if facts.by_library {
        kernels.map(Result::ok).collect()
    } else {
        kernels.map(|old| old.map(Some)).collect::<Result<_, _>>()?
    };
    let width = plan::explained(&subjects[0], args.width, catalogue);
    if !args.api && subjects[0].width() == byways::Width::Fallback {
        return Err(Failure::Usage(format!(
            "the plan has no kernels to measure: its width is {width}; `--api` measures what takes their place"
        )));
    }
    let by_library = args.api || facts.by_library;
    let how = if by_library { format!("; through {} a message", facts.object) } else { String::new() };
    let width = format!("the plan's width: {width}{how}");
    // of several subjects, each row begins with its task, which kernels' names then need not
    let several = subjects.len() > 1;
    let called = |task: Task, kernel: &str| if several { task.short(kernel) } else { kernel.to_owned() };
    let label = several.then(|| ("algorithm".to_owned(), Align::Left));
    let fallback = fallbacks.first().map(|_| "fallback".to_owned());
    let olds = fallback.into_iter().chain(kernels[0].map(|entry| called(task, entry.kernel.name())));
    let olds: Vec<String> = olds.collect();
    let gain_on = |old: &String| if olds.len() > 1 { format!("gain on {old}") } else { "gain".to_owned() };
    let columns = olds.iter().flat_map(|old| [(old.clone(), Align::Right), (String::new(), Align::Left)]);
    let plan = [("plan".to_owned(), Align::Left), (String::new(), Align::Right), (String::new(), Align::Left)];
    let gains = olds.iter().map(|old| (gain_on(old), Align::Right));
    let mut table = Table::new(label.into_iter().chain(heads(args)).chain(columns).chain(plan).chain(gains));
    let progress = Progress::new("measuring", subjects.len() * works.len() * args.rounds);
    for (i, (subject, old)) in iter::zip(&subjects, kernels).enumerate() {
        for work in works {
            progress.now(format!("{} bytes {}", work.size, subject.label()));
            let kernel = subject.kernel(work.update);
            let new = match kernel {
                Some(name) if !by_library => Rival::Kernel(catalogue.named(name)),
                _ => Rival::Library(subject),
            };
            let olds = fallbacks.get(i).map(Rival::Library).into_iter().chain(old.map(Rival::Kernel));
            let rivals: Vec<Rival<'_>> = olds.chain([new]).collect();
            let work = Work { detail: subject.detail, ..*work };
            let cycles = run::race(&rivals, work, args.rounds, || progress.step());
            let Some((new, olds)) = cycles.split_last() else { continue };
            let label = several.then(|| subject.label());
            let row = label.into_iter().chain(labels(args, &work)).chain(olds.iter().flat_map(cells));
            let row = row.chain([kernel.map_or("fallback".to_owned(), |name| called(subject.task, name))]);
            table.row(row.chain(cells(new)).chain(olds.iter().map(|old| gain(new, old))));
        }
    }
    let title = (!several).then(|| format!("algorithm: {}", subjects[0].title));
    Ok((table, title.into_iter().chain([width]).collect()))
}

/// The kernel that the plan is compared with.
fn old(task: Task, catalogue: &Catalogue) -> Result<&Entry, Failure> {
    match catalogue.find(task.first()) {
        Some(old) if old.runs() => Ok(old),
        Some(old) => Err(Failure::Cannot(format!("no kernel of this family can run here: {}", old.why_not()))),
        None => Err(Failure::Cannot(format!("`{}` was not generated; name two kernels", task.first()))),
    }
}

/// A kernel that was asked for by name.
fn chosen(family: Family, name: Variant, catalogue: &Catalogue) -> Result<&Entry, Failure> {
    let its = Family::of(name.algorithm());
    if its != family {
        let (family, its) = (family.facts().name, its.facts().name);
        return Err(Failure::Usage(format!(
            "`{name}` is no kernel of the family `{family}`; `byways bench {its}` measures it"
        )));
    }
    let Some(entry) = catalogue.find(name) else {
        let mut near = catalogue.variants();
        near.retain(|variant| variant.algorithm() == name.algorithm());
        near.sort_by_key(|v| (v.width().bytes().abs_diff(name.width().bytes()), v.by().abs_diff(name.by())));
        let near: Vec<String> = near.iter().take(2).map(Variant::to_string).collect();
        return Err(Failure::Usage(format!(
            "`{name}` was not generated, so there is nothing to measure; put {} into the list in {}, or try {}",
            name.by(),
            family.facts().list,
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
    #[cfg(target_arch = "x86_64")]
    use byways_codegen::spec::KeySize;

    use super::*;

    #[test]
    fn gain_is_what_the_first_loses() {
        let [old, new, newer] = [40.0, 30.0, 44.0].map(|c| Cycles { best: c, quartile: c, median: c, upper: c * 1.25 });
        assert_eq!(cells(&old), ["40.0", "+25 %"]);
        assert_eq!([new, newer].map(|cycles| gain(&cycles, &old)), ["25.0 %", "-10.0 %"]);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_cannot_run_is_named() {
        let cpu = Detected::get().only(Features::all().without(Features::named("aes")));
        let catalogue = Catalogue::new(cpu);
        let Err(Failure::Cannot(why)) = old(Task::Ctr(KeySize::Aes128), &catalogue).map(|_| ()) else {
            panic!("it runs")
        };
        assert!(why.starts_with("no kernel of this family can run here: this CPU has no "), "{why}");
    }
}
