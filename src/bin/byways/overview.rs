//! `byways` alone: this CPU, and every kernel verified and timed on it.

use std::io::{self, Write};

use byways::cpu::{Features, Model};
use byways::measure::Cycles;
use byways_codegen::spec::Width;

use crate::catalogue::{Catalogue, Entry, cannot_run};
use crate::family::{Family, Task, form};
use crate::library::Subject;
use crate::progress::Progress;
use crate::table::{Align, Table};
use crate::verify::oracles;
use crate::work::{Rival, Work};
use crate::{Failure, plan, run};

/// Bytes in a message.
const SIZES: [usize; 7] = [16, 64, 256, 1024, 1472, 8192, 65536];

/// Rounds of measuring: a second or two for every kernel and size.
const ROUNDS: usize = 500;

/// Prints the overview.
pub(crate) fn run(catalogue: &Catalogue, out: &mut dyn Write) -> Result<(), Failure> {
    cpu(catalogue, out)?;
    if catalogue.entries.is_empty() {
        writeln!(out, "\nno kernels: they exist on x86-64 only")?;
        return Ok(());
    }
    plan(catalogue, out)?;
    let well = verify(catalogue, out)?;
    let groups = catalogue.groups();
    let progress = Progress::new("measuring", groups.len() * SIZES.len() * ROUNDS);
    let measured = groups.into_iter().map(|(task, entries)| (task, measure(task, entries, &progress)));
    let measured: Vec<(Task, Vec<Row<'_>>)> = measured.collect();
    drop(progress);
    writeln!(out, "\nCycles a message, by its bytes; * the fastest (lower quartile of {ROUNDS} rounds)")?;
    for (task, rows) in measured {
        write!(out, "\n{}", table(task, &rows))?;
        for line in cannot_run(rows.iter().map(|row| row.entry)) {
            writeln!(out, "– {line}")?;
        }
    }
    writeln!(out, "\nMore: `byways --help`; two kernels side by side: `byways bench FAMILY NAME NAME`")?;
    if well { Ok(()) } else { Err(Failure::Faults) }
}

fn cpu(catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
    let has = catalogue.cpu.features();
    let lacks = Features::all().without(has);
    match Model::get() {
        Some(model) => writeln!(out, "CPU    {model}")?,
        None => writeln!(out, "CPU    {}", std::env::consts::ARCH)?,
    }
    for (what, features) in [("has", has), ("lacks", lacks)] {
        if !features.is_empty() {
            writeln!(out, "{what:<5}  {features}")?;
        }
    }
    Ok(())
}

/// What the library uses on this CPU, by itself.
fn plan(catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
    let families = Family::ALL.map(|family| (family, Subject::all(family, None)));
    let mut widths: Vec<(String, Vec<&str>)> = Vec::new();
    for subject in families.iter().flat_map(|(_, subjects)| subjects) {
        let width = plan::explained(subject, None, catalogue);
        match widths.iter_mut().find(|(other, _)| *other == width) {
            Some((_, titles)) => titles.push(&subject.title),
            None => widths.push((width, vec![&subject.title])),
        }
    }
    for (i, (width, titles)) in widths.iter().enumerate() {
        let whose = if widths.len() > 1 { format!(" ({})", titles.join("; ")) } else { String::new() };
        writeln!(out, "{:<5}  {width}{whose}", if i == 0 { "width" } else { "" })?;
    }
    writeln!(out, "\nThe library's kernels, by the length of a message")?;
    for (family, subjects) in &families {
        match plan::table(subjects) {
            Some(table) => write!(out, "\n{table}")?,
            None => writeln!(out, "\n{}: none; in their place {}", family.facts().name, family.facts().peers)?,
        }
    }
    Ok(())
}

/// Verifies every kernel, natively if it runs here, and says so, a line each; gives whether all is well.
fn verify(catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<bool> {
    writeln!(out, "\n{} kernels, against {}\n", catalogue.entries.len(), oracles(&catalogue.variants()))?;
    let column = catalogue.entries.iter().map(|entry| entry.kernel.name().len()).max().unwrap_or(0);
    let progress = Progress::new("verifying", catalogue.entries.len());
    let mut well = true;
    for entry in catalogue.groups().into_iter().flat_map(|(_, entries)| entries) {
        let name = entry.kernel.name();
        progress.now(name);
        let (how, result) = if entry.runs() {
            ("runs here, verified".to_owned(), run::native(entry))
        } else {
            (format!("cannot run here, verified interpreted: {}", entry.why_not()), run::interpreted(entry.variant))
        };
        well &= result.is_ok();
        progress.aside(|| match result {
            Ok(()) => writeln!(out, "{name:<column$}  {how}"),
            Err(fault) => writeln!(out, "{name:<column$}  WRONG: {fault}"),
        })?;
        progress.step();
    }
    Ok(well)
}

/// A kernel's cycles by size; none if it does not run here.
struct Row<'a> {
    entry: &'a Entry,
    cycles: Option<Vec<Cycles>>,
}

/// The kernels of a group, measured side by side.
fn measure<'a>(task: Task, entries: Vec<&'a Entry>, progress: &Progress) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> =
        entries.into_iter().map(|entry| Row { entry, cycles: entry.runs().then(Vec::new) }).collect();
    let runnable: Vec<Rival<'_>> =
        rows.iter().filter(|row| row.cycles.is_some()).map(|row| Rival::Kernel(row.entry)).collect();
    for size in SIZES {
        progress.now(format!("{task}, {size} bytes"));
        let measured = run::race(&runnable, Work::whole(size), ROUNDS, || progress.step());
        for (cycles, measured) in rows.iter_mut().filter_map(|row| row.cycles.as_mut()).zip(measured) {
            cycles.push(measured);
        }
    }
    rows
}

fn table(task: Task, rows: &[Row<'_>]) -> Table {
    let sizes = SIZES.map(|size| (format!("{size} "), Align::Right));
    let heads = [(task.to_string(), Align::Left), ("form".to_owned(), Align::Left), (String::new(), Align::Right)];
    let mut table = Table::new(heads.into_iter().chain(sizes));
    let quartile = |row: &Row<'_>, size: usize| row.cycles.as_ref().map(|cycles| cycles[size].quartile.round());
    let fastest: Vec<f64> = (0..SIZES.len())
        .map(|size| rows.iter().filter_map(|row| quartile(row, size)).fold(f64::INFINITY, f64::min))
        .collect();
    let mut above: Option<Width> = None;
    for row in rows {
        let width = row.entry.variant.width();
        let group = if above.replace(width) == Some(width) { "" } else { width.name() };
        let cycles = (0..SIZES.len()).map(|size| match quartile(row, size) {
            Some(cycles) if cycles == fastest[size] => format!("{cycles:.0}*"),
            Some(cycles) => format!("{cycles:.0} "),
            None => "– ".to_owned(),
        });
        let (form, by) = (form(row.entry.variant.algorithm()), row.entry.variant.by());
        table.row([group.to_owned(), form.to_owned(), format!("by{by}")].into_iter().chain(cycles));
    }
    table
}
