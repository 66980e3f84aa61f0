//! Counter mode (NIST SP 800-38A, section 6.5) with counters of 32, 64 and 128 bits, on one kernel.
//!
//! A kernel counts in the low 64 bits and leaves the others alone. So a call is split where the counter does something
//! else:
//!
//! ```text
//! while data is left:
//!     blocks = how many until the field wraps (32 bits) or the low 64 bits carry (128 bits)
//!     run the kernel over at most so many blocks
//!     counter += blocks, within the field
//! ```
//! A call is split about once in 2^32 or 2^64 blocks, so the split costs nothing that can be measured.

use byways_kernels::cpu::Proven;
use byways_kernels::ctr::Ctr;
use byways_kernels::inout::InOutBuf;
use byways_kernels::keys::{AesKeys, KeyError};

/// Bytes in a block.
const BLOCK: usize = 16;

/// How many low bits of the counter block count. They wrap among themselves; the others never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The low 32 bits, as in RFC 3686 and GCM.
    Bits32,
    /// The low 64 bits.
    Bits64,
    /// All 128, as in NIST SP 800-38A.
    Bits128,
}

impl Field {
    /// Every field, narrowest first.
    pub const ALL: [Field; 3] = [Field::Bits32, Field::Bits64, Field::Bits128];

    /// How many bits count.
    pub const fn bits(self) -> u32 {
        match self {
            Field::Bits32 => 32,
            Field::Bits64 => 64,
            Field::Bits128 => 128,
        }
    }

    /// The counter `blocks` blocks on.
    pub const fn add(self, counter: u128, blocks: u128) -> u128 {
        let mask = u128::MAX >> (128 - self.bits());
        (counter & !mask) | (counter.wrapping_add(blocks) & mask)
    }

    /// Whether a kernel counts as this field does over so many bytes from `counter` on.
    #[inline]
    const fn whole(self, counter: u128, bytes: usize) -> bool {
        let blocks = bytes.div_ceil(BLOCK) as u128;
        match self.unsplit(counter) {
            Some(unsplit) => blocks <= unsplit,
            None => true,
        }
    }

    /// For how many blocks from `counter` on a kernel counts as this field does; none if for ever.
    const fn unsplit(self, counter: u128) -> Option<u128> {
        match self {
            Field::Bits32 => Some((1 << 32) - (counter & u32::MAX as u128)),
            Field::Bits64 => None,
            Field::Bits128 => Some((1 << 64) - (counter & u64::MAX as u128)),
        }
    }
}

/// Xors the keystream that starts at `counter` into the data: of any length, at any alignment, in place or from one
/// buffer to another. A last block that is not whole uses the head of its keystream block.
///
/// ```
/// # #[cfg(target_arch = "x86_64")] {
/// use byways::ctr::{Field, xor_keystream};
/// use byways::keys::AesKeys;
///
/// let cpu = byways::cpu::Detected::get();
/// for kernel in byways::kernels() {
///     let byways::Registered::Ctr(kernel) = kernel else { continue };
///     let (Ok(run), Some(aes)) = (kernel.prove(cpu), cpu.aes()) else { continue };
///     if kernel.function().key_len() != 16 {
///         continue;
///     }
///     // RFC 3686, test vector 1: nonce, IV and a 32-bit counter that starts at 1
///     let keys = AesKeys::new(&0xae6852f8121067cc4bf7a5765577f39e_u128.to_be_bytes(), aes)?;
///     let mut data = *b"Single block msg";
///     xor_keystream(run, &keys, 0x00000030_0000000000000000_00000001, Field::Bits32, data[..].as_mut().into())?;
///     assert_eq!(u128::from_be_bytes(data), 0xe4095d4fb7a7b3792d6175a3261311b8);
/// }
/// # }
/// # Ok::<(), byways::keys::KeyError>(())
/// ```
///
/// # Errors
/// If the keys are of another size than the kernel's; the data are then as they were.
#[inline]
pub fn xor_keystream(
    kernel: Proven<Ctr>,
    keys: &AesKeys,
    counter: u128,
    field: Field,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), KeyError> {
    if field.whole(counter, data.len()) {
        return kernel.run(keys, counter, data);
    }
    // whatever is wrong with the keys shows at the first piece
    let mut result = Ok(());
    split(counter, field, data, |counter, piece| {
        result = kernel.run(keys, counter, piece);
        result.is_ok()
    });
    result
}

/// Hands the data on in pieces within which a kernel counts as the field does, while `run` wants more.
pub(crate) fn split(
    mut counter: u128,
    field: Field,
    mut data: InOutBuf<'_, '_, u8>,
    mut run: impl FnMut(u128, InOutBuf<'_, '_, u8>) -> bool,
) {
    while !field.whole(counter, data.len()) {
        let blocks = field.unsplit(counter).expect("what is split has an end");
        let (now, later) = data.split_at(blocks as usize * BLOCK);
        if !run(counter, now) {
            return;
        }
        counter = field.add(counter, blocks);
        data = later;
    }
    run(counter, data);
}
