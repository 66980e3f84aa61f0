//! The signature of counter-mode kernels.

use inout::InOutBuf;

use crate::keys::RoundKeys;

/// A counter-mode kernel that takes `R` round keys.
///
/// It xors the keystream into the data. The counter is the first counter block as a big-endian number; its low 64 bits
/// count, modulo 2^64. To call it, the CPU must have the features it was compiled for.
pub type CtrFn<const R: usize> = unsafe fn(&RoundKeys<R>, u128, InOutBuf<'_, '_, u8>);

/// A counter-mode kernel, by what it computes.
#[derive(Clone, Copy, Debug)]
pub enum Ctr {
    /// AES with a 128-bit key.
    Aes128(CtrFn<11>),
    /// AES with a 192-bit key.
    Aes192(CtrFn<13>),
    /// AES with a 256-bit key.
    Aes256(CtrFn<15>),
}

impl Ctr {
    /// Bytes in a key.
    pub const fn key_len(self) -> usize {
        match self {
            Ctr::Aes128(_) => 16,
            Ctr::Aes192(_) => 24,
            Ctr::Aes256(_) => 32,
        }
    }
}
