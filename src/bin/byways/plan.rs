//! What the library uses by itself: how wide registers, and why; which kernel for which length.

use std::collections::BTreeSet;
use std::env;

use byways::{VARIABLE, Width, width_limit};

use crate::Failure;
use crate::catalogue::Catalogue;
use crate::family::Task;
use crate::library::Subject;
use crate::table::{Align, Table};

/// The width of this name.
///
/// # Errors
/// That there is none, and which there are.
pub(crate) fn width(name: &str) -> Result<Width, String> {
    name.parse().map_err(|_| unknown(name, ""))
}

/// Refuses what the library would ignore: a limit in the environment that is no width. An empty one is none.
pub(crate) fn check_environment() -> Result<(), Failure> {
    let limit = env::var_os(VARIABLE).unwrap_or_default();
    let limit = limit.to_string_lossy();
    if limit.is_empty() || limit.parse::<Width>().is_ok() {
        return Ok(());
    }
    Err(Failure::Usage(unknown(&limit, &format!(" in `{VARIABLE}`"))))
}

fn unknown(name: &str, place: &str) -> String {
    let widths = Width::ALL.map(|width| format!("`{width}`"));
    format!("unknown width `{name}`{place}; there are {}", widths.join(", "))
}

/// A limit, and who set it.
type Limit = (Width, &'static str);

/// The limit that holds for objects which `--width` limits, too.
fn limit(option: Option<Width>) -> Option<Limit> {
    let option = option.map(|width| (width, "--width"));
    let environment = width_limit().map(|width| (width, VARIABLE));
    option.into_iter().chain(environment).min_by_key(|&(width, _)| width)
}

/// The subject's width, and why it uses no wider registers; `option` is what `--width` says.
pub(crate) fn explained(subject: &Subject, option: Option<Width>, catalogue: &Catalogue) -> String {
    let width = subject.width();
    format!("{width}, {}", why(width, subject.task, limit(option), catalogue.cpu.slows_for_zmm(), catalogue))
}

fn why(width: Width, task: Task, limit: Option<Limit>, slows: bool, catalogue: &Catalogue) -> String {
    let Some(wider) = Width::ALL.into_iter().find(|&wider| wider > width) else {
        let despite = limit.filter(|_| slows).map(|(_, who)| format!(": `{who}` asks for it, though the clock drops"));
        return format!("the widest there is{}", despite.unwrap_or_default());
    };
    let of_wider = catalogue.entries.iter().filter(|e| e.task() == task && e.variant.width().name() == wider.name());
    let lacking = of_wider.filter(|entry| !entry.runs()).min_by_key(|entry| entry.missing.names().count());
    match (limit, lacking) {
        (Some((limit, who)), _) if limit == width => format!("the limit that `{who}` sets"),
        (_, Some(entry)) => format!("because {}, which {wider} needs", entry.why_not()),
        (None, None) if slows && wider == Width::Zmm => {
            format!("because this CPU's clock drops while zmm are used (`{VARIABLE}=zmm` uses them)")
        }
        _ => "the limit that was compiled in".to_owned(),
    }
}

/// Which kernel the library uses for which length, by subject; none if it uses no kernels.
pub(crate) fn table(subjects: &[Subject]) -> Option<Table> {
    let ends: BTreeSet<usize> = subjects.iter().flat_map(Subject::plan).map(|(most, _)| most).collect();
    let heads = subjects.iter().map(|subject| (subject.title.clone(), Align::Left));
    let mut table = Table::new([("bytes".to_owned(), Align::Left)].into_iter().chain(heads));
    for &most in &ends {
        let bytes = match most {
            usize::MAX if ends.len() == 1 => "any".to_owned(),
            usize::MAX => "beyond".to_owned(),
            most => format!("up to {most}"),
        };
        let kernels = subjects.iter().map(|subject| subject.kernel(most).unwrap_or("fallback").to_owned());
        table.row([bytes].into_iter().chain(kernels));
    }
    (!ends.is_empty()).then_some(table)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use byways::cpu::{Detected, Features};
    use byways_codegen::spec::KeySize;

    use super::*;

    #[test]
    fn why_no_wider() {
        let lacks = |features| Catalogue::new(Detected::get().only(Features::all().without(Features::named(features))));
        let all = Catalogue { cpu: Detected::get(), entries: Vec::new() };
        let why = |width, limit, slows, catalogue: &Catalogue| {
            why(width, Task::Ctr(KeySize::Aes128), limit, slows, catalogue)
        };
        let asked = |width| Some((width, "--width"));
        assert_eq!(why(Width::Zmm, None, false, &all), "the widest there is");
        assert_eq!(why(Width::Zmm, asked(Width::Zmm), false, &all), "the widest there is");
        let despite = "the widest there is: `--width` asks for it, though the clock drops";
        assert_eq!(why(Width::Zmm, asked(Width::Zmm), true, &all), despite);
        assert_eq!(why(Width::Xmm, asked(Width::Xmm), false, &lacks("vaes")), "the limit that `--width` sets");
        assert!(why(Width::Ymm, None, true, &all).contains("`BYWAYS_MAX_WIDTH=zmm` uses them"));
        assert_eq!(why(Width::Ymm, None, false, &all), "the limit that was compiled in");
        assert_eq!(why(Width::Xmm, asked(Width::Zmm), true, &all), "the limit that was compiled in");
        let none = why(Width::Fallback, asked(Width::Ymm), false, &lacks("aes"));
        assert!(none.starts_with("because this CPU has no ") && none.ends_with(", which xmm needs"), "{none}");
        let narrow = why(Width::Xmm, None, true, &lacks("vaes"));
        assert!(narrow.contains("vaes") && narrow.ends_with(", which ymm needs"), "{narrow}");
    }
    #[test]
    fn each_task_lacks_what_it_needs_itself() {
        let cpu = Detected::get().only(Features::all().without(Features::named("gfni,vpclmulqdq")));
        let why = |task| why(Width::Xmm, task, None, false, &Catalogue::new(cpu));
        let crc = why(Task::CrcMsb);
        assert!(crc.contains("`vpclmulqdq`") && crc.ends_with(", which ymm needs"), "{crc}");
        assert!(!crc.contains("`gfni`"), "{crc}");
        assert!(!why(Task::Ctr(KeySize::Aes128)).contains("`vpclmulqdq`"));
    }
}
