//! intel-ipsec-mb: a job a message through its cipher burst call without checks, by way of `ipsec_mb.c`.
//!
//! It counts in the low 32 bits of the counter block.

use std::ffi::{CStr, c_char};
use std::ptr::NonNull;

use byways::ctr::Field;

use super::Peer;

/// `struct keyed` of `ipsec_mb.c`.
#[repr(C)]
struct Keyed {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn byways_ipsec_mb_new(key: *const u8, bytes: usize) -> *mut Keyed;
    fn byways_ipsec_mb_free(keyed: *mut Keyed);
    fn byways_ipsec_mb_apply(keyed: *mut Keyed, iv: *const u8, data: *mut u8, len: usize);
    fn byways_ipsec_mb_version() -> *const c_char;
    fn byways_ipsec_mb_arch(keyed: *const Keyed) -> *const c_char;
}

/// A manager with a key.
pub(super) struct IpsecMb(NonNull<Keyed>);

impl IpsecMb {
    /// With a key of 16, 24 or 32 bytes.
    pub(super) fn new(key: &[u8]) -> Result<Self, String> {
        // SAFETY: so many bytes of key are there to be read, and are not kept.
        let keyed = unsafe { byways_ipsec_mb_new(key.as_ptr(), key.len()) };
        NonNull::new(keyed).map(IpsecMb).ok_or_else(|| "intel-ipsec-mb cannot be set up on this CPU".to_owned())
    }
}

impl Drop for IpsecMb {
    fn drop(&mut self) {
        // SAFETY: `byways_ipsec_mb_new` made it, and nobody uses it after this.
        unsafe { byways_ipsec_mb_free(self.0.as_ptr()) }
    }
}

impl Peer for IpsecMb {
    fn name(&self) -> &str {
        "intel-ipsec-mb"
    }

    fn about(&self) -> String {
        // SAFETY: the manager lives, and both functions return strings that the program keeps for good.
        let [version, arch] = unsafe { [byways_ipsec_mb_version(), byways_ipsec_mb_arch(self.0.as_ptr())] }
            // SAFETY: as above; they end in a null byte, as strings in C do.
            .map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy());
        format!("intel-ipsec-mb  {version} for {arch}, cipher burst of one job")
    }

    fn field(&self) -> Field {
        Field::Bits32
    }

    fn apply(&mut self, iv: &[u8; 16], data: &mut [u8]) {
        // the library wants at least a byte
        if data.is_empty() {
            return;
        }
        // SAFETY: the manager lives and is this thread's alone; the IV has 16 bytes, the data so many, and neither is
        // used after the call: a burst does not queue.
        unsafe { byways_ipsec_mb_apply(self.0.as_ptr(), iv.as_ptr(), data.as_mut_ptr(), data.len()) }
    }
}
