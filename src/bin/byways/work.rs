//! What is measured, and who is.

use byways::crc::catalogue::AnyAlgorithm;

use crate::catalogue::Entry;
use crate::library::Subject;

/// What kernels do with messages, where those of one signature do different things.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
pub(crate) enum Detail {
    /// Whatever the kernels are for, all of which takes as long.
    Any,
    /// The CRC that they compute.
    Crc(AnyAlgorithm),
    /// ARIA, with a key of so many bytes, in a direction.
    Aria { key_len: usize, decrypt: bool },
}

/// Messages.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// Bytes in each.
    pub(crate) size: usize,
    /// Bytes that it is fed in pieces of.
    pub(crate) update: usize,
    /// What is done with it.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    pub(crate) detail: Detail,
}

impl Work {
    /// In one piece each.
    pub(crate) fn whole(size: usize) -> Self {
        Work { size, update: size, detail: Detail::Any }
    }
}

/// Who takes part in a race: who runs here.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
pub(crate) enum Rival<'a> {
    /// A kernel by itself.
    Kernel(&'a Entry),
    /// The library, as a user calls it.
    Library(&'a Subject),
}
