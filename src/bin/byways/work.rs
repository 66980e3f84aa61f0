//! What is measured, and who is.

use byways::crc::catalogue::AnyAlgorithm;

use crate::catalogue::Entry;
use crate::library::Subject;

/// Messages.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// Bytes in each.
    pub(crate) size: usize,
    /// Bytes that it is fed in pieces of.
    pub(crate) update: usize,
    /// The CRC that its kernels compute; none for any that they are for, all of which take as long.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    pub(crate) crc: Option<AnyAlgorithm>,
}

impl Work {
    /// In one piece each.
    pub(crate) fn whole(size: usize) -> Self {
        Work { size, update: size, crc: None }
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
