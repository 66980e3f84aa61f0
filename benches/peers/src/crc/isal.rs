//! ISA-L, which has no CRC-64/NVME before version 2.31.
//!
//! Its functions take a CRC to go on from. `crc32_iscsi` alone takes and returns it without the final complement.

use std::ffi::{c_int, c_uint};

use super::Peer;

const ABOUT: &str =
    concat!("ISA-L ", env!("ISAL_VERSION"), ", crc16_t10dif, crc32_gzip_refl, crc32_iscsi, crc64_ecma_refl");

unsafe extern "C" {
    fn crc16_t10dif(crc: u16, data: *const u8, len: u64) -> u16;
    fn crc32_gzip_refl(crc: u32, data: *const u8, len: u64) -> u32;
    fn crc32_iscsi(data: *const u8, len: c_int, register: c_uint) -> c_uint;
    fn crc64_ecma_refl(crc: u64, data: *const u8, len: u64) -> u64;
}

fn t10_dif(crc: u64, data: &[u8]) -> u64 {
    // SAFETY: so many bytes are there to be read.
    unsafe { crc16_t10dif(crc as u16, data.as_ptr(), data.len() as u64) }.into()
}

fn iso_hdlc(crc: u64, data: &[u8]) -> u64 {
    // SAFETY: so many bytes are there to be read.
    unsafe { crc32_gzip_refl(crc as u32, data.as_ptr(), data.len() as u64) }.into()
}

fn iscsi(crc: u64, data: &[u8]) -> u64 {
    let len = data.len().try_into().expect("a length that is an `int`");
    // SAFETY: so many bytes are there to be read; they are not written, though the header lacks the `const`.
    u64::from(!unsafe { crc32_iscsi(data.as_ptr(), len, !(crc as u32)) })
}

fn xz(crc: u64, data: &[u8]) -> u64 {
    // SAFETY: so many bytes are there to be read.
    unsafe { crc64_ecma_refl(crc, data.as_ptr(), data.len() as u64) }
}

macro_rules! peer {
    ($peer:ident, $resume:ident) => {
        pub(super) const $peer: Peer =
            Peer { name: "isa-l", about: || ABOUT.to_owned(), checksum: |data| $resume(0, data), resume: $resume };
    };
}

peer!(T10_DIF, t10_dif);
peer!(ISO_HDLC, iso_hdlc);
peer!(ISCSI, iscsi);
peer!(XZ, xz);
