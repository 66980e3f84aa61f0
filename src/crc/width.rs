//! The integers that CRCs come in.

/// An integer that CRCs come in: `u8`, `u16`, `u32` or `u64`. No other type can be one.
///
/// ```
/// use byways::crc::{CRC_8_SMBUS, CRC_32_ISCSI, Crc, Width};
///
/// fn same<W: Width + PartialEq>(crc: &Crc<W>, one: &[u8], other: &[u8]) -> bool {
///     crc.checksum(one) == crc.checksum(other)
/// }
/// assert!(!same(&Crc::<u8>::new(&CRC_8_SMBUS), b"ab", b"ba"));
/// assert!(!same(&Crc::<u32>::new(&CRC_32_ISCSI), b"ab", b"ba"));
/// ```
pub trait Width: Copy + Send + Sync + crc_catalog::Width + sealed::Sealed {
    /// The number as a wide one.
    #[doc(hidden)]
    fn to_u64(self) -> u64;
    /// The low bits of a wide one.
    #[doc(hidden)]
    fn from_u64(wide: u64) -> Self;
    /// The CRC of `bytes` with `initial` instead of the algorithm's `init`, by crate `crc`.
    #[doc(hidden)]
    fn fallback(crc: &::crc::Crc<Self>, initial: Self, bytes: &[u8]) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! words {
    ($($word:ident)*) => {
        $(
            impl sealed::Sealed for $word {}
            impl Width for $word {
                #[inline]
                fn to_u64(self) -> u64 {
                    u64::from(self)
                }
                #[inline]
                fn from_u64(wide: u64) -> Self {
                    wide as $word
                }
                #[cold]
                fn fallback(crc: &::crc::Crc<Self>, initial: Self, bytes: &[u8]) -> Self {
                    let mut digest = crc.digest_with_initial(initial);
                    digest.update(bytes);
                    digest.finalize()
                }
            }
        )*
    };
}

words!(u8 u16 u32 u64);
