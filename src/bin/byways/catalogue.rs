//! Kernels by name: those of the registry, what this CPU lacks for them, and what somebody may have meant.

use std::collections::BTreeMap;

use byways::Registered;
use byways::cpu::{Detected, Features, Missing};
use byways_codegen::spec::{Algorithm, NameError, Variant, Width};

use crate::family::Task;

/// A kernel of the registry.
pub(crate) struct Entry {
    /// The kernel.
    pub(crate) kernel: Registered,
    /// The same, as the generator knows it.
    pub(crate) variant: Variant,
    /// What the CPU lacks for it.
    pub(crate) missing: Features,
}

impl Entry {
    /// What it computes.
    pub(crate) fn task(&self) -> Task {
        Task::of(self.variant.algorithm())
    }

    /// Whether the CPU can run it.
    pub(crate) fn runs(&self) -> bool {
        self.missing.is_empty()
    }

    /// Why it cannot run: what the CPU lacks, in words.
    pub(crate) fn why_not(&self) -> String {
        Missing(self.missing).to_string()
    }
}

/// Every kernel of the registry, as seen from a CPU.
pub(crate) struct Catalogue {
    /// What the CPU has.
    pub(crate) cpu: Detected,
    /// The kernels, in the registry's order.
    pub(crate) entries: Vec<Entry>,
}

impl Catalogue {
    /// As seen from this CPU.
    pub(crate) fn new(cpu: Detected) -> Self {
        let entries = byways::kernels().map(|kernel| Entry {
            kernel,
            variant: kernel.name().parse().expect("a kernel's name is a variant's"),
            missing: kernel.features().without(cpu.features()),
        });
        Catalogue { cpu, entries: entries.collect() }
    }

    /// The variants of which there are kernels.
    pub(crate) fn variants(&self) -> Vec<Variant> {
        self.entries.iter().map(|entry| entry.variant).collect()
    }

    /// The variant's kernel, if it was generated.
    pub(crate) fn find(&self, variant: Variant) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.variant == variant)
    }

    /// The kernel of this name, which the registry has.
    pub(crate) fn named(&self, name: &str) -> &Entry {
        self.entries.iter().find(|entry| entry.kernel.name() == name).expect("a kernel of the registry")
    }

    /// The kernels by task, whatever their form: narrowest first, then by form, then by N.
    pub(crate) fn groups(&self) -> Vec<(Task, Vec<&Entry>)> {
        let groups = Task::all().into_iter().map(|task| {
            let mut entries: Vec<&Entry> = self.entries.iter().filter(|entry| entry.task() == task).collect();
            entries.sort_by_key(|Entry { variant, .. }| (variant.width(), variant.algorithm(), variant.by()));
            (task, entries)
        });
        groups.filter(|(_, entries)| !entries.is_empty()).collect()
    }
}

/// Those of the kernels that cannot run, by name: a line for each set of features that the CPU lacks.
pub(crate) fn cannot_run<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<String> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for entry in entries.into_iter().filter(|entry| !entry.runs()) {
        groups.entry(entry.why_not()).or_default().push(entry.kernel.name());
    }
    groups.into_iter().map(|(why, names)| format!("{}: {why}", names.join(", "))).collect()
}

/// The variant of this name, generated or not.
///
/// # Errors
/// What is wrong with the name and which others are near it.
pub(crate) fn variant(name: &str) -> Result<Variant, String> {
    name.parse().map_err(|error: NameError| {
        let near = match &error {
            NameError::Misfit { misfit, .. } => misfit.nearest().iter().map(Variant::to_string).collect(),
            NameError::Unknown(_) => similar(name),
        };
        if near.is_empty() { error.to_string() } else { format!("{error}; try {}", one_of(&near)) }
    })
}

/// Names in backquotes, any of which will do.
pub(crate) fn one_of(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" or ")
}

/// Names that are a few letters from this one, or that it is a part of; nearest first, then those that were generated.
fn similar(name: &str) -> Vec<String> {
    const FEW: usize = 3;
    let mut near = Vec::new();
    for algorithm in Algorithm::all() {
        for width in Width::ALL {
            let unrolls = algorithm.unrolls(width);
            for variant in unrolls.filter_map(|by| Variant::new(algorithm, by, width).ok()) {
                let full = variant.to_string();
                let part = name.len() >= FEW && full.contains(name);
                let distance = if part { 0 } else { strsim::osa_distance(name, &full) };
                if distance <= FEW {
                    let generated = byways::kernels().any(|kernel| kernel.name() == full);
                    near.push((distance, !generated, variant, full));
                }
            }
        }
    }
    near.sort();
    near.into_iter().take(3).map(|(.., full)| full).collect()
}

#[cfg(test)]
mod tests {
    use byways::cpu::{Detected, Features};

    use super::{Catalogue, cannot_run, similar, variant};

    #[test]
    fn slips_are_understood() {
        assert_eq!(similar("aes128_ctr_by16_zm")[0], "aes128_ctr_by16_zmm");
        let mut parts = similar("by12_zmm");
        parts.sort();
        assert_eq!(parts, ["aes128_ctr_by12_zmm", "aes192_ctr_by12_zmm", "aes256_ctr_by12_zmm"]);
        assert_eq!(similar("crc_msb_by32_zmm")[0], "crc_lsb_by32_zmm");
        assert!(similar("chacha20").is_empty());
        assert!(similar("").is_empty());
    }

    #[test]
    fn of_equally_near_n_both_are_named() {
        let error = variant("aes192_ctr_by14_zmm").unwrap_err();
        assert!(error.ends_with("try `aes192_ctr_by12_zmm` or `aes192_ctr_by16_zmm`"), "{error}");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn forms_stand_together() {
        let catalogue = Catalogue::new(Detected::get());
        let groups = catalogue.groups();
        assert_eq!(groups.iter().map(|(_, entries)| entries.len()).sum::<usize>(), catalogue.entries.len());
        let (_, msb) = groups.iter().find(|(task, _)| task.to_string() == "crc_msb").unwrap();
        let names: Vec<&str> = msb.iter().map(|entry| entry.kernel.name()).collect();
        assert!(names.starts_with(&["crc_msb_rev_by4_xmm", "crc_msb_rev_by8_xmm"]), "{names:?}");
        assert!(names.ends_with(&["crc_msb_swap_by16_zmm", "crc_msb_swap_by32_zmm"]), "{names:?}");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_a_cpu_lacks_is_said_by_name() {
        let catalogue = Catalogue::new(Detected::get().only(Features::NONE));
        assert!(catalogue.entries.iter().all(|entry| !entry.runs()));
        let lines = cannot_run(&catalogue.entries);
        let line = lines.iter().find(|line| line.contains("aes128_ctr_by16_zmm")).unwrap();
        assert!(line.contains("aes256_ctr_by16_zmm"), "{line}");
        assert!(line.contains(": this CPU has no ") && line.contains("vaes") && line.contains("avx512f"), "{line}");
        assert!(!line.contains("ymm"), "{line}");
    }
}
