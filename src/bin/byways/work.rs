//! What is measured, and who is.

use crate::catalogue::Entry;
use crate::library::Subject;

/// Messages.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// Bytes in each.
    pub(crate) size: usize,
    /// Bytes that it is fed in pieces of.
    pub(crate) update: usize,
    /// The degree of a CRC's generator, and its terms below.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    pub(crate) polynomial: (u8, u64),
}

impl Work {
    /// In one piece each; for a CRC by the generator of T10-DIF, which takes as long as any.
    pub(crate) fn whole(size: usize) -> Self {
        Work { size, update: size, polynomial: (16, 0x8bb7) }
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
