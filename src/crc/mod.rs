//! Cyclic redundancy checks of any Rocksoft model up to 64 bits: what crate `crc` does, under the same names, by
//! carry-less multiplication.
//!
//! ```
//! use byways::crc::{CRC_16_T10_DIF, Crc};
//!
//! static T10: Crc<u16> = Crc::<u16>::new(&CRC_16_T10_DIF);
//!
//! assert_eq!(T10.checksum(b"123456789"), 0xd0db);
//! let mut digest = T10.digest();
//! digest.update(b"1234");
//! digest.update(b"56789");
//! assert_eq!(digest.finalize(), 0xd0db);
//! ```
//!
//! An [`Algorithm`] has the parameters of R. Williams' model (“A painless guide to CRC error detection algorithms”,
//! 1993): width, polynomial, initial register, reflection of input and output, and what is xored in at the end. The
//! constants beside it, [`CRC_32_ISCSI`] and its like, are the models of G. Cook's “Catalogue of parametrised CRC
//! algorithms”, under their names there. Widths are 1 to 64 bits, also those that fill no byte, in any of `u8`, `u16`,
//! `u32` and `u64` that holds them; input and output may be reflected differently.
//!
//! A [`Crc`] has its constants and a table of 256 integers in it. It belongs in a `static`: a `const` is built again, or
//! copied, wherever it is used.
//!
//! Beyond crate `crc`, there are [`resume`](Crc::resume), [`combine`](Crc::combine), [`zeros`](Crc::zeros),
//! [`copy`](Crc::copy) and, with feature `parallel`, `par_checksum`.
//!
//! # What differs from crate `crc`
//!
//! [`Crc::checksum`], [`Digest::update`] and [`Digest::finalize`] are no `const fn`: which kernel runs is settled by the
//! CPU that the program runs on. There are no widths above 64 bits, and no choice of tables (`Table`, `NoTable`).

#[cfg(feature = "cli")]
pub mod catalogue;
mod combine;
mod conventions;
mod digest;
mod engine;
pub mod t10;
mod width;

use core::fmt;

pub use crc_catalog::Algorithm;
pub use crc_catalog::algorithm::*;

use conventions::Conventions;
pub use digest::Digest;
use engine::Engine;
pub(crate) use engine::choose_anew;
pub use width::Width;

/// A CRC algorithm with its constants.
///
/// ```
/// use byways::crc::{Algorithm, Crc};
///
/// // the CRC of a FlexRay frame's header: 11 bits, in the smallest integer that holds them
/// const CUSTOM: Algorithm<u16> = Algorithm {
///     width: 11,
///     poly: 0x385,
///     init: 0x01a,
///     refin: false,
///     refout: false,
///     xorout: 0x000,
///     check: 0x5a3,
///     residue: 0x000,
/// };
/// static CRC: Crc<u16> = Crc::<u16>::new(&CUSTOM);
/// assert_eq!(CRC.checksum(b"123456789"), CUSTOM.check);
/// ```
// what every call reads is in front of the table
#[derive(Clone)]
#[repr(C)]
pub struct Crc<W: Width> {
    conventions: Conventions,
    engine: Engine,
    /// What it computes. To put another algorithm here changes nothing that it does.
    pub algorithm: &'static Algorithm<W>,
    fallback: ::crc::Crc<W>,
}

macro_rules! constructors {
    ($($word:ident)*) => {
        $(
            impl Crc<$word> {
                /// The algorithm with its constants. `check` and `residue` are not looked at, nor are bits of `poly` and
                /// `init` above the width.
                ///
                /// ```
                /// use byways::crc::{CRC_32_ISCSI, Crc};
                /// static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
                /// assert_eq!(CRC.checksum(&[0; 32]), 0x8a9136aa); // RFC 3720, B.4
                /// ```
                ///
                /// # Panics
                /// If the width is 0 or more than the integer has bits. In a `static` or a `const` that is a compile
                /// error.
                pub const fn new(algorithm: &'static Algorithm<$word>) -> Self {
                    let &Algorithm { width, poly, init, refin, refout, xorout, .. } = algorithm;
                    assert!(
                        width > 0 && width as u32 <= $word::BITS,
                        concat!("the `width` of an algorithm in `", stringify!($word), "` is 1 to its bits"),
                    );
                    let poly = poly as u64 & u64::MAX >> (64 - width);
                    Crc {
                        conventions: Conventions::new(width, poly, init as u64, refin, refout, xorout as u64),
                        engine: Engine::new(width, poly, refin),
                        algorithm,
                        fallback: ::crc::Crc::<$word>::new(algorithm),
                    }
                }

                /// A [`Digest`] whose register starts as `initial` instead of the algorithm's `init`. It is meant as
                /// `init` is: not reflected, in the low bits.
                ///
                /// To go on from a finished CRC, see [`Crc::resume`].
                ///
                /// ```
                /// use byways::crc::{CRC_16_IBM_3740, CRC_16_XMODEM, Crc};
                /// // two algorithms that differ in `init` alone
                /// static IBM: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_3740);
                /// let mut digest = IBM.digest_with_initial(CRC_16_XMODEM.init);
                /// digest.update(b"123456789");
                /// assert_eq!(digest.finalize(), CRC_16_XMODEM.check);
                /// ```
                #[inline]
                pub const fn digest_with_initial(&self, initial: $word) -> Digest<'_, $word> {
                    Digest::new(self, self.conventions.start(initial as u64))
                }
            }
        )*
    };
}

constructors!(u8 u16 u32 u64);

impl<W: Width> Crc<W> {
    /// The same, for registers at most so wide: what [`limit_width`](crate::limit_width) does to all, for this one. A
    /// narrower limit there or at compile time holds, too.
    ///
    /// ```
    /// use byways::{Width, crc::{CRC_32_ISCSI, Crc}};
    /// static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI).with_max_width(Width::Ymm);
    /// assert!(CRC.width() <= Width::Ymm);
    /// ```
    pub const fn with_max_width(self, width: crate::Width) -> Self {
        let Crc { conventions, engine, algorithm, fallback } = self;
        Crc { conventions, engine: engine.limited(width), algorithm, fallback }
    }

    /// The widest registers that it uses.
    pub fn width(&self) -> crate::Width {
        self.engine.width()
    }

    /// Up to so many bytes, the kernel of this name; none on the fallback.
    pub fn plan(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.engine.rows()
    }

    /// What it computes.
    #[inline]
    pub const fn algorithm(&self) -> &'static Algorithm<W> {
        self.algorithm
    }

    /// The CRC of `bytes`, in the low bits.
    ///
    /// ```
    /// use byways::crc::{CRC_64_NVME, Crc};
    /// static CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_NVME);
    /// assert_eq!(CRC.checksum(b"123456789"), 0xae8b14860a799888);
    /// assert_eq!(CRC.checksum(b""), 0);
    /// ```
    #[inline]
    pub fn checksum(&self, bytes: &[u8]) -> W {
        self.finish(self.update(self.conventions.initial(), bytes))
    }

    /// A CRC to be fed in pieces.
    ///
    /// ```
    /// use byways::crc::{CRC_32_ISO_HDLC, Crc};
    /// static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
    /// let mut digest = CRC.digest();
    /// for piece in ["12", "", "3456789"] {
    ///     digest.update(piece.as_bytes());
    /// }
    /// assert_eq!(digest.finalize(), CRC.checksum(b"123456789"));
    /// ```
    #[inline]
    pub const fn digest(&self) -> Digest<'_, W> {
        Digest::new(self, self.conventions.initial())
    }

    /// Goes on from a finished CRC: what [`Crc::checksum`] or [`Digest::finalize`] gave for the bytes so far. Bits above
    /// the width do not count.
    ///
    /// ```
    /// use byways::crc::{CRC_32_ISO_HDLC, Crc};
    /// static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
    /// let stored = CRC.checksum(b"12345");
    /// let mut digest = CRC.resume(stored);
    /// digest.update(b"6789");
    /// assert_eq!(digest.finalize(), CRC.checksum(b"123456789"));
    /// ```
    #[inline]
    pub fn resume(&self, crc: W) -> Digest<'_, W> {
        Digest::new(self, self.conventions.resume(crc.to_u64()))
    }

    /// The CRC of two messages in a row, by the CRC of each and the second one's length in bytes, of which there are any
    /// number. It takes the longer the more digits the length has, not the longer the messages are.
    ///
    /// ```
    /// use byways::crc::{CRC_24_OPENPGP, Crc};
    /// static CRC: Crc<u32> = Crc::<u32>::new(&CRC_24_OPENPGP);
    /// let (a, b) = (CRC.checksum(b"1234"), CRC.checksum(b"56789"));
    /// assert_eq!(CRC.combine(a, b, 5), CRC.checksum(b"123456789"));
    /// assert_eq!(CRC.combine(a, CRC.checksum(b""), 0), a);
    /// ```
    pub fn combine(&self, crc_a: W, crc_b: W, len_b: u64) -> W {
        W::from_u64(self.conventions.combine(crc_a.to_u64(), crc_b.to_u64(), len_b))
    }

    /// The CRC of `len` bytes that are zero, without reading any: of a hole in a file, say. See [`Crc::combine`] for how
    /// long it takes.
    ///
    /// ```
    /// use byways::crc::{CRC_32_ISCSI, Crc};
    /// static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
    /// assert_eq!(CRC.zeros(1000), CRC.checksum(&[0; 1000]));
    /// // a tebibyte's hole behind some data
    /// let hole = 1 << 40;
    /// let crc = CRC.combine(CRC.checksum(b"data"), CRC.zeros(hole), hole);
    /// # assert_eq!(CRC.combine(CRC.combine(CRC.checksum(b"data"), CRC.zeros(1), 1), CRC.zeros(hole - 1), hole - 1), crc);
    /// ```
    pub fn zeros(&self, len: u64) -> W {
        W::from_u64(self.conventions.zeros(len))
    }

    /// Copies `src` to `dst` and gives the CRC of what it copied, with one pass over memory.
    ///
    /// ```
    /// use byways::crc::{CRC_16_T10_DIF, Crc};
    /// static CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_T10_DIF);
    /// let mut copy = [0; 9];
    /// assert_eq!(CRC.copy(b"123456789", &mut copy), 0xd0db);
    /// assert_eq!(&copy, b"123456789");
    /// ```
    ///
    /// # Panics
    /// If the two are not of one length; `dst` is then as it was.
    #[track_caller]
    pub fn copy(&self, src: &[u8], dst: &mut [u8]) -> W {
        /// Bytes of a piece. Two of them leave room in the smallest first-level cache of 32 KiB.
        const PIECE: usize = 8 << 10;

        let (from, to) = (src.len(), dst.len());
        assert!(from == to, "a source of `{from}` bytes is copied to as many, not to `{to}`");
        let mut register = self.conventions.initial();
        for (src, dst) in src.chunks(PIECE).zip(dst.chunks_mut(PIECE)) {
            register = self.update(register, src);
            dst.copy_from_slice(src);
        }
        self.finish(register)
    }

    /// The CRC that the register makes when all data are in it.
    #[inline]
    fn finish(&self, register: u64) -> W {
        W::from_u64(self.conventions.finish(register))
    }

    /// The register after `bytes`.
    #[inline]
    fn update(&self, register: u64, bytes: &[u8]) -> u64 {
        self.engine.update(register, bytes).unwrap_or_else(|| self.update_anew(register, bytes))
    }

    /// The same, where no kernels are chosen: not yet, or because there are none.
    #[cold]
    #[inline(never)]
    fn update_anew(&self, register: u64, bytes: &[u8]) -> u64 {
        if !self.engine.is_fallback() {
            self.engine.choose();
        }
        self.engine.update(register, bytes).unwrap_or_else(|| {
            let initial = W::from_u64(self.conventions.init_of(register));
            self.conventions.resume(W::fallback(&self.fallback, initial, bytes).to_u64())
        })
    }
}

/// Bytes in a part that a thread takes.
#[cfg(feature = "parallel")]
const PART: usize = 512 << 10;

/// From so many bytes on, data are shared out: waking threads takes as long as a megabyte or two.
#[cfg(feature = "parallel")]
const LARGE: usize = 8 << 20;

#[cfg(feature = "parallel")]
impl<W: Width> Crc<W> {
    /// As [`Crc::checksum`], on all threads of the current rayon pool from 8 MiB on.
    ///
    /// ```
    /// use byways::crc::{CRC_32_ISCSI, Crc};
    /// static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
    /// let data = vec![0x5a; 9 << 20];
    /// assert_eq!(CRC.par_checksum(&data), CRC.checksum(&data));
    /// ```
    pub fn par_checksum(&self, bytes: &[u8]) -> W {
        use rayon::prelude::*;

        if bytes.len() < LARGE {
            return self.checksum(bytes);
        }
        // all parts but the first are of one length, so that one power of x moves the register on over each
        let (head, rest) = bytes.split_at(bytes.len() % PART);
        let (head, parts) = rayon::join(
            || self.update(self.conventions.initial(), head),
            || rest.par_chunks_exact(PART).map(|part| self.update(0, part)).collect::<Vec<_>>(),
        );
        let power = self.conventions.x_to_bytes(PART as u64);
        let join = |before, part| self.conventions.shift_by(before, power) ^ part;
        self.finish(parts.into_iter().fold(head, join))
    }
}

impl<W: Width> fmt::Debug for Crc<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Algorithm { width, poly, .. } = self.algorithm;
        let poly = format_args!("{:#x}", poly.to_u64());
        f.debug_struct("Crc").field("width", &width).field("poly", &poly).finish_non_exhaustive()
    }
}
