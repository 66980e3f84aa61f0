//! The library as its users have it: a key or a CRC, which chooses kernels by itself.

use byways::cipher::{Key, KeyInit};
use byways::crc::Crc;
use byways::crc::catalogue::AnyAlgorithm;
use byways::{Aes128, Aes192, Aes256, Aria128, Aria192, Aria256, Width};
use byways_codegen::spec::{AriaMode, KeySize};

use crate::family::{Family, Task};
#[cfg(target_arch = "x86_64")]
use crate::run;
use crate::work::Detail;

/// Some key of this type, for registers at most so wide.
macro_rules! key {
    ($cipher:ident, $width:expr) => {{
        let key = &Key::<$cipher>::from_fn(|i| i as u8);
        Box::new($width.map_or_else(|| $cipher::new(key), |width| $cipher::with_max_width(key, width)))
    }};
}

/// What chooses kernels for a task.
pub(crate) struct Subject {
    /// What it is called.
    pub(crate) title: String,
    /// What it has kernels for.
    pub(crate) task: Task,
    /// What is measured of it.
    pub(crate) detail: Detail,
    library: Box<dyn Library>,
}

impl Subject {
    /// One for each of the family's tasks, for registers at most so wide.
    pub(crate) fn all(family: Family, width: Option<Width>) -> Vec<Self> {
        let tasks = Task::all().into_iter().filter(|task| task.family() == family);
        tasks.filter_map(|task| Self::of(task, width)).collect()
    }

    /// Some key or CRC of the task, for registers at most so wide; none if another task's has its kernels, too.
    pub(crate) fn of(task: Task, width: Option<Width>) -> Option<Self> {
        let keyed = |title, library| Self::new(title, task, Detail::Any, library);
        let crc = |title| Self::crc(title, task.crc().expect("a task of CRCs"), width);
        Some(match task {
            Task::Ctr(KeySize::Aes128) => keyed("Aes128", key!(Aes128, width)),
            Task::Ctr(KeySize::Aes192) => keyed("Aes192", key!(Aes192, width)),
            Task::Ctr(KeySize::Aes256) => keyed("Aes256", key!(Aes256, width)),
            Task::CrcLsb => crc("CRC, lsb first"),
            Task::CrcMsb => crc("CRC, msb first"),
            Task::Crc32c => crc("CRC-32C"),
            // of whatever size
            Task::Aria(AriaMode::Ecb) => keyed("ARIA", key!(Aria128, width)),
            Task::Aria(AriaMode::Ctr | AriaMode::Odd | AriaMode::Even) => return None,
        })
    }

    /// ARIA keys of every size in both directions, for registers at most so wide.
    pub(crate) fn aria(width: Option<Width>) -> Vec<Self> {
        let one = |key_len: usize, decrypt| {
            let library: Box<dyn Library> = match key_len {
                16 => key!(Aria128, width),
                24 => key!(Aria192, width),
                _ => key!(Aria256, width),
            };
            let title = format!("aria{} {}", 8 * key_len, if decrypt { "decrypt" } else { "encrypt" });
            Self::new(&title, Task::Aria(AriaMode::Ecb), Detail::Aria { key_len, decrypt }, library)
        };
        [16, 24, 32].into_iter().flat_map(|key_len| [one(key_len, false), one(key_len, true)]).collect()
    }

    /// The CRC of this algorithm, for registers at most so wide.
    pub(crate) fn crc(title: &str, algorithm: AnyAlgorithm, width: Option<Width>) -> Self {
        macro_rules! sized {
            ($word:ident, $algorithm:ident) => {{
                let crc = Crc::<$word>::new($algorithm);
                Box::new(if let Some(width) = width { crc.with_max_width(width) } else { crc })
            }};
        }
        let library: Box<dyn Library> = match algorithm {
            AnyAlgorithm::U8(algorithm) => sized!(u8, algorithm),
            AnyAlgorithm::U16(algorithm) => sized!(u16, algorithm),
            AnyAlgorithm::U32(algorithm) => sized!(u32, algorithm),
            AnyAlgorithm::U64(algorithm) => sized!(u64, algorithm),
        };
        Self::new(title, Task::of_crc(algorithm), Detail::Crc(algorithm), library)
    }

    fn new(title: &str, task: Task, detail: Detail, library: Box<dyn Library>) -> Self {
        Subject { title: title.to_owned(), task, detail, library }
    }

    /// What it is called among those of its family.
    pub(crate) fn label(&self) -> String {
        match self.detail {
            Detail::Aria { .. } => self.title.clone(),
            Detail::Any | Detail::Crc(_) => self.task.to_string(),
        }
    }

    /// The widest registers that it uses.
    pub(crate) fn width(&self) -> Width {
        self.library.width()
    }

    /// Up to so many bytes at once, the kernel of this name; none on the fallback.
    pub(crate) fn plan(&self) -> Vec<(usize, &'static str)> {
        self.library.plan()
    }

    /// The kernel for so many bytes at once; none on the fallback.
    pub(crate) fn kernel(&self, bytes: usize) -> Option<&'static str> {
        self.plan().into_iter().find(|&(most, _)| bytes <= most).map(|(_, name)| name)
    }

    /// Works on messages as a user would.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn works<'a>(&'a self, messages: &'a run::Shared) -> run::Works<'a> {
        self.library.works(messages)
    }
}

trait Library {
    fn width(&self) -> Width;
    fn plan(&self) -> Vec<(usize, &'static str)>;
    #[cfg(target_arch = "x86_64")]
    fn works<'a>(&'a self, messages: &'a run::Shared) -> run::Works<'a>;
}

/// By the type's own methods of these names.
macro_rules! library {
    ($works:ident) => {
        fn width(&self) -> Width {
            self.width()
        }

        fn plan(&self) -> Vec<(usize, &'static str)> {
            self.plan().collect()
        }

        #[cfg(target_arch = "x86_64")]
        fn works<'a>(&'a self, messages: &'a run::Shared) -> run::Works<'a> {
            Box::new(run::$works(self, messages))
        }
    };
}

impl Library for Aes128 {
    library!(ciphers);
}

impl Library for Aes192 {
    library!(ciphers);
}

impl Library for Aes256 {
    library!(ciphers);
}

impl Library for Aria128 {
    library!(blocks);
}

impl Library for Aria192 {
    library!(blocks);
}

impl Library for Aria256 {
    library!(blocks);
}

impl<W: byways::crc::Width> Library for Crc<W> {
    library!(digests);
}
