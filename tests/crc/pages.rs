//! Bytes beside pages that may not be touched: one read outside them and the process dies.
#![allow(unsafe_code)]

use std::ptr;

/// Some pages between two that cannot be read.
pub(crate) struct Pages {
    base: *mut u8,
    page: usize,
    bytes: usize,
}

impl Pages {
    /// At least so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let bytes = bytes.max(1).next_multiple_of(page);
        let (all, flags) = (bytes + 2 * page, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, where the system likes.
        let base = unsafe { libc::mmap(ptr::null_mut(), all, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(base, libc::MAP_FAILED, "no memory to map");
        let base = base.cast::<u8>();
        // SAFETY: the pages between the first and the last of that mapping.
        let opened = unsafe { libc::mprotect(base.add(page).cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(opened, 0, "pages cannot be opened");
        Pages { base, page, bytes }
    }

    /// `content` as the last bytes before the page that cannot be read.
    pub(crate) fn at_end(&mut self, content: &[u8]) -> &mut [u8] {
        let place = self.bytes - content.len();
        let bytes = &mut self.open()[place..];
        bytes.copy_from_slice(content);
        bytes
    }

    /// `content` as the first bytes behind the page that cannot be read.
    pub(crate) fn at_start(&mut self, content: &[u8]) -> &mut [u8] {
        let bytes = &mut self.open()[..content.len()];
        bytes.copy_from_slice(content);
        bytes
    }

    fn open(&mut self) -> &mut [u8] {
        // SAFETY: mapped, readable and writable, as long as `self` lives and borrowed from it.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(self.page), self.bytes) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made, which nothing borrows any more.
        unsafe { libc::munmap(self.base.cast(), self.bytes + 2 * self.page) };
    }
}
