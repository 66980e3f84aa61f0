//! CRCs in pieces.

use core::fmt;

use super::{Crc, Width};

/// A CRC that is fed in pieces: how they are cut makes no difference.
///
/// It borrows its [`Crc`]. With feature `std` it is also a [`Write`](std::io::Write), which takes all that it is given
/// and never fails.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use byways::crc::{CRC_64_XZ, Crc};
///
/// static CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);
/// let mut file: &[u8] = b"123456789";
/// let mut digest = CRC.digest();
/// std::io::copy(&mut file, &mut digest)?;
/// assert_eq!(digest.finalize(), 0x995dc9bbdf1939fa);
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Digest<'a, W: Width> {
    crc: &'a Crc<W>,
    register: u64,
}

impl<'a, W: Width> Digest<'a, W> {
    #[inline]
    pub(super) const fn new(crc: &'a Crc<W>, register: u64) -> Self {
        Digest { crc, register }
    }

    /// Takes the next bytes in.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) {
        self.register = self.crc.update(self.register, bytes);
    }

    /// The CRC of all bytes that were taken in, in the low bits. For one in between, finish a clone.
    ///
    /// ```
    /// use byways::crc::{CRC_8_SMBUS, Crc};
    /// static CRC: Crc<u8> = Crc::<u8>::new(&CRC_8_SMBUS);
    /// let mut digest = CRC.digest();
    /// digest.update(b"12345");
    /// assert_eq!(digest.clone().finalize(), CRC.checksum(b"12345"));
    /// digest.update(b"6789");
    /// assert_eq!(digest.finalize(), CRC.checksum(b"123456789"));
    /// ```
    #[inline]
    pub fn finalize(self) -> W {
        self.crc.finish(self.register)
    }
}

#[cfg(feature = "std")]
impl<W: Width> std::io::Write for Digest<'_, W> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    #[inline]
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What it would give now.
impl<W: Width> fmt::Debug for Digest<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let crc = format_args!("{:#x}", self.clone().finalize().to_u64());
        f.debug_struct("Digest").field("crc", &crc).finish_non_exhaustive()
    }
}
