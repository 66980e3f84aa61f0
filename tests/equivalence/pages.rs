//! Buffers between pages that may not be touched: one byte outside them and the process dies.
#![allow(unsafe_code)]

use std::ptr;

use byways::ctr::Field;
use byways::verify::ctr::{Way, oracle};
use byways::verify::noise;
use byways_kernels::inout::InOutBuf;

use crate::calls::Subject;

/// Some pages with a forbidden one on either side.
struct Pages {
    base: *mut u8,
    page: usize,
    bytes: usize,
}

impl Pages {
    fn new(bytes: usize) -> Self {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let bytes = bytes.next_multiple_of(page);
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

    /// All bytes between the forbidden pages.
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

/// Every length up to 1100, and some that take the kernel through all of its code, with the input and the output each at the first or the last bytes of pages, and in place.
pub(crate) fn check(subject: &Subject, way: &Way) -> Result<(), String> {
    const LONGEST: usize = 1100;
    let thorough = subject.thorough();
    let room = thorough.max(LONGEST);
    let (mut input, mut output) = (Pages::new(room), Pages::new(room));
    let (input, output) = (input.open(), output.open());
    let key: Vec<u8> = noise(5).take(subject.key_len).collect();
    let (counter, field) = (u128::MAX - 20, Field::Bits128);
    for len in (0..=LONGEST).chain([thorough - 64, thorough - 1, thorough]) {
        let message: Vec<u8> = noise(len as u64 + 1).take(len).collect();
        let mut expected = message.clone();
        oracle(&key, counter, field, &mut expected);
        let places = |room: usize| [0, room - len];
        for from in places(input.len()) {
            for to in places(output.len()) {
                input[from..from + len].copy_from_slice(&message);
                let out = &mut output[to..to + len];
                way.run(&key, counter, field, InOutBuf::new(&input[from..from + len], &mut *out).expect("one length"));
                if *out != expected {
                    return Err(format!("{len} bytes from {from} to {to} of the pages come out wrong"));
                }
            }
            input[from..from + len].copy_from_slice(&message);
            way.run(&key, counter, field, input[from..from + len].as_mut().into());
            if input[from..from + len] != expected {
                return Err(format!("{len} bytes in place at {from} of the page come out wrong"));
            }
        }
    }
    Ok(())
}
