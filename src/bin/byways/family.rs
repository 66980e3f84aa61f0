//! Families of kernels, and what each of them computes: the one place here that tells them apart.

use std::fmt;
use std::str::FromStr;

use byways::crc::catalogue::AnyAlgorithm;
use byways::crc::{CRC_16_T10_DIF, CRC_32_ISCSI, CRC_32_ISO_HDLC};
use byways_codegen::spec::{Algorithm, AriaForm, AriaMode, BLOCK, CrcForm, CtrForm, KeySize, Variant, Width};

/// Kernels of one signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Ctr,
    Crc,
    Aria,
}

/// What is to be known of a family.
pub(crate) struct Facts {
    /// What `byways bench` calls it.
    pub(crate) name: &'static str,
    /// The file that lists what is generated.
    pub(crate) list: &'static str,
    /// What its kernels are verified against, and what the library uses in their place.
    pub(crate) peers: &'static str,
    /// What of the library makes something of each message.
    pub(crate) object: &'static str,
    /// Whether the plan is measured through the library alone, as a message may take several of its kernels.
    pub(crate) by_library: bool,
    /// Bytes in a message, unless others are asked for.
    pub(crate) sizes: &'static [usize],
    /// Bytes that a message is fed in pieces of, unless others are asked for; none where that is not measured.
    pub(crate) updates: &'static [usize],
}

impl Family {
    pub(crate) const ALL: [Family; 3] = [Family::Ctr, Family::Crc, Family::Aria];

    pub(crate) const fn of(algorithm: Algorithm) -> Self {
        Task::of(algorithm).family()
    }

    pub(crate) const fn facts(self) -> &'static Facts {
        match self {
            Family::Ctr => &Facts {
                name: "ctr",
                list: "kernels/src/aes_ctr.rs",
                peers: "crates `aes` and `ctr`",
                object: "a `Ctr128BE`",
                by_library: false,
                sizes: &[16, 64, 256, 1024, 1472, 8192, 65536],
                updates: &[],
            },
            Family::Crc => &Facts {
                name: "crc",
                list: "kernels/src/crc_fold.rs",
                peers: "crate `crc`",
                object: "a `Digest`",
                by_library: false,
                sizes: &[16, 64, 256, 1024, 2048, 4096, 8192],
                updates: &[16, 64, 256, 1024],
            },
            Family::Aria => &Facts {
                name: "aria",
                list: "kernels/src/aria.rs",
                peers: "crates `aria` and `ctr`",
                object: "a call of `encrypt_blocks` or `decrypt_blocks`",
                by_library: true,
                sizes: &[16, 128, 256, 1024, 4096],
                updates: &[],
            },
        }
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Family::ALL.into_iter().find(|family| family.facts().name == name).ok_or_else(|| {
            let names = Family::ALL.map(|family| format!("`{}`", family.facts().name));
            format!("unknown family `{name}`; there are {}", names.join(", "))
        })
    }
}

/// What kernels compute, whatever their form: those of one task can be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    /// AES in counter mode.
    Ctr(KeySize),
    /// CRCs that take the lowest bit of a byte first.
    CrcLsb,
    /// CRCs that take the highest bit of a byte first.
    CrcMsb,
    /// CRC-32C, by kernels for no other CRC.
    Crc32c,
    /// ARIA, with keys of any size.
    Aria(AriaMode),
}

impl Task {
    pub(crate) const fn of(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::AesCtr(key, CtrForm::Plain | CtrForm::Cached) => Task::Ctr(key),
            Algorithm::Crc(form) if form.is_crc32c() => Task::Crc32c,
            Algorithm::Crc(form) if form.is_lsb() => Task::CrcLsb,
            Algorithm::Crc(_) => Task::CrcMsb,
            Algorithm::Aria(mode, AriaForm::Gfni | AriaForm::AesSub | AriaForm::Xor3) => Task::Aria(mode),
        }
    }

    /// Every task, in the order of the algorithms.
    pub(crate) fn all() -> Vec<Task> {
        let mut all = Vec::new();
        for task in Algorithm::all().map(Task::of) {
            if !all.contains(&task) {
                all.push(task);
            }
        }
        all
    }

    pub(crate) const fn family(self) -> Family {
        match self {
            Task::Ctr(_) => Family::Ctr,
            Task::CrcLsb | Task::CrcMsb | Task::Crc32c => Family::Crc,
            Task::Aria(_) => Family::Aria,
        }
    }

    /// The kernel that the family grew from, with which the plan is compared.
    pub(crate) fn first(self) -> Variant {
        let (algorithm, by) = match self {
            Task::Ctr(key) => (Algorithm::AesCtr(key, CtrForm::Plain), 8),
            Task::CrcLsb | Task::Crc32c => (Algorithm::Crc(CrcForm::Lsb), 4),
            Task::CrcMsb => (Algorithm::Crc(CrcForm::MsbSwap), 4),
            Task::Aria(mode) => (Algorithm::Aria(mode, AriaForm::AesSub), 16),
        };
        Variant::new(algorithm, by, Width::Xmm).expect("few registers")
    }

    /// Bytes that the length of a message must be a multiple of.
    pub(crate) const fn unit(self) -> usize {
        match self {
            Task::Ctr(_) | Task::CrcLsb | Task::CrcMsb | Task::Crc32c | Task::Aria(AriaMode::Ctr) => 1,
            Task::Aria(AriaMode::Ecb | AriaMode::Odd | AriaMode::Even) => BLOCK,
        }
    }

    /// A CRC that its kernels are for.
    pub(crate) const fn crc(self) -> Option<AnyAlgorithm> {
        match self {
            Task::Ctr(_) | Task::Aria(_) => None,
            Task::CrcLsb => Some(AnyAlgorithm::U32(&CRC_32_ISO_HDLC)),
            Task::CrcMsb => Some(AnyAlgorithm::U16(&CRC_16_T10_DIF)),
            Task::Crc32c => Some(AnyAlgorithm::U32(&CRC_32_ISCSI)),
        }
    }

    /// The task of a CRC's plan.
    pub(crate) fn of_crc(algorithm: AnyAlgorithm) -> Self {
        let tasks = [Task::CrcLsb, Task::CrcMsb, Task::Crc32c];
        let task = tasks.into_iter().find(|task| task.crc().is_some_and(|crc| crc.shares_kernels(algorithm)));
        task.expect("every kernel has a task")
    }

    /// What its kernels' names begin with.
    const fn name(self) -> &'static str {
        match self {
            Task::Ctr(KeySize::Aes128) => "aes128_ctr",
            Task::Ctr(KeySize::Aes192) => "aes192_ctr",
            Task::Ctr(KeySize::Aes256) => "aes256_ctr",
            Task::CrcLsb => "crc_lsb",
            Task::CrcMsb => "crc_msb",
            Task::Crc32c => "crc32c",
            Task::Aria(AriaMode::Ecb) => "aria_ecb",
            Task::Aria(AriaMode::Ctr) => "aria_ctr",
            Task::Aria(AriaMode::Odd) => "aria_odd",
            Task::Aria(AriaMode::Even) => "aria_even",
        }
    }

    /// What a kernel is called among those of the task: `cached by16 zmm`.
    pub(crate) fn short(self, kernel: &str) -> String {
        let rest = kernel.strip_prefix(self.name()).and_then(|rest| rest.strip_prefix('_'));
        rest.map_or_else(|| kernel.to_owned(), |rest| rest.replace('_', " "))
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of an algorithm's form, as it stands in macro calls.
pub(crate) const fn form(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::AesCtr(_, form) => form.name(),
        Algorithm::Crc(form) => form.name(),
        Algorithm::Aria(_, form) => form.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_are_named_after_their_task() {
        for algorithm in Algorithm::all() {
            let task = Task::of(algorithm);
            assert!(algorithm.to_string().starts_with(task.name()), "{algorithm}");
            assert_eq!(Family::of(task.first().algorithm()), task.family());
        }
        let tasks: Vec<String> = Task::all().iter().map(Task::to_string).collect();
        let ctr = ["aes128_ctr", "aes192_ctr", "aes256_ctr"];
        let aria = ["aria_ecb", "aria_ctr", "aria_odd", "aria_even"];
        assert_eq!(tasks, [&ctr[..], &["crc_lsb", "crc_msb", "crc32c"], &aria].concat());
    }

    #[test]
    fn tasks_of_crcs() {
        for task in [Task::CrcLsb, Task::CrcMsb, Task::Crc32c] {
            assert_eq!(task.crc().map(Task::of_crc), Some(task));
        }
        // where the library does not look
        static BEYOND: byways::crc::Algorithm<u64> = byways::crc::Algorithm {
            width: 32,
            poly: 1 << 32 | CRC_32_ISCSI.poly as u64,
            init: 0,
            refin: true,
            refout: true,
            xorout: 0,
            check: 0,
            residue: 0,
        };
        assert_eq!(Task::of_crc(AnyAlgorithm::U64(&BEYOND)), Task::Crc32c);
    }

    #[test]
    fn short_names_are_unlike() {
        let short = |name: &str| Task::of(name.parse::<Variant>().unwrap().algorithm()).short(name);
        assert_eq!(short("aes192_ctr_by4_ymm"), "by4 ymm");
        assert_eq!(short("aes192_ctr_cached_by16_zmm"), "cached by16 zmm");
        assert_eq!(short("crc_lsb_by4_xmm"), "by4 xmm");
        assert_eq!(short("crc_msb_rev_by32_zmm"), "rev by32 zmm");
        assert_eq!(short("crc32c_fused_by16_ymm"), "fused by16 ymm");
        assert_eq!(short("aria_ecb_by64_zmm"), "by64 zmm");
        assert_eq!(short("aria_ctr_aessub_by16_xmm"), "aessub by16 xmm");
        assert_eq!(Task::Crc32c.short("crc_lsb_by4_xmm"), "crc_lsb_by4_xmm");
    }
}
