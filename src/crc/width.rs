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
    /// The register after `bytes`, by crate `crc`.
    #[doc(hidden)]
    fn fallback(crc: &::crc::Crc<Self>, register: u64, bytes: &[u8]) -> u64;
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
                fn fallback(crc: &::crc::Crc<Self>, register: u64, bytes: &[u8]) -> u64 {
                    let algorithm = crc.algorithm;
                    let unused = 64 - u32::from(algorithm.width);
                    let initial = if algorithm.refin { register.reverse_bits() } else { register } >> unused;
                    let mut digest = crc.digest_with_initial(initial as $word);
                    digest.update(bytes);
                    let low = u64::from(digest.finalize() ^ algorithm.xorout);
                    match (algorithm.refin, algorithm.refout) {
                        (true, true) => low,
                        (false, false) => low << unused,
                        (true, false) => low.reverse_bits() >> unused,
                        (false, true) => low.reverse_bits(),
                    }
                }
            }
        )*
    };
}

words!(u8 u16 u32 u64);
