//! T10 protection information: 8 bytes a sector that say whether its data are whole, whose they are and where they
//! belong.
//!
//! | bytes | tag | what is in it |
//! |---|---|---|
//! | 0, 1 | guard | CRC-16/T10-DIF of the sector's data ([`guard`]) |
//! | 2, 3 | application | what the application likes; 0xffff is an escape |
//! | 4 to 7 | reference | which sector it is: [`ProtectionType`] says how |
//!
//! All are big-endian. With the first bit of the sector as the highest coefficient of a polynomial over GF(2),
//!
//! ```text
//! guard = data(x) · x^16 mod x^16 + x^15 + x^11 + x^9 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1
//! ```
//!
//! The tuples stand behind each sector's data (interleaved, as on the disk and in NVMe's extended LBAs) or all in a buffer
//! of their own (as in NVMe's metadata buffer and Linux's integrity payload).
//!
//! ```
//! use byways::crc::t10::{Mismatch, Protection, ProtectionType, SectorSize, Tag, Tuple};
//!
//! const PROTECTION: Protection = Protection::new(ProtectionType::Type1, SectorSize::Bytes512);
//! let lba = 0x1_ffff_ffff_u64;
//! let mut data = [0; 3 * 512];
//! let mut tuples = [0; 3 * Tuple::BYTES];
//! data[1535] = 1;
//! PROTECTION.generate(&data, &mut tuples, 0x1234, lba as u32)?;
//! assert_eq!(tuples[..8], [0x00, 0x00, 0x12, 0x34, 0xff, 0xff, 0xff, 0xff]);
//! assert_eq!(tuples[16..], [0x8b, 0xb7, 0x12, 0x34, 0x00, 0x00, 0x00, 0x01]);
//!
//! PROTECTION.verify(&data, &tuples, 0x1234, lba as u32)?;
//! data[700] ^= 0x80;
//! let error = PROTECTION.verify(&data, &tuples, 0x1234, lba as u32).unwrap_err();
//! assert!(matches!(error.mismatch(), Some(Mismatch { sector: 1, tag: Tag::Guard, found: 0, .. })));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Sources: T10, SCSI Block Commands 4 (SBC-4), 4.21 Protection information model; NVM Express, NVM Command Set
//! Specification, End-to-end Data Protection (there the 16b guard); Linux, Documentation/block/data-integrity.rst.

use core::fmt;

use super::{CRC_16_T10_DIF, Crc};

static GUARD: Crc<u16> = Crc::<u16>::new(&CRC_16_T10_DIF);

/// The guard tag of a sector's data: their CRC-16/T10-DIF.
///
/// ```
/// // SBC-4, CRC test cases
/// assert_eq!(byways::crc::t10::guard(&[0xff; 32]), 0xa293);
/// ```
#[inline]
pub fn guard(data: &[u8]) -> u16 {
    GUARD.checksum(data)
}

/// The protection information of a sector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tuple {
    /// The CRC of the sector's data.
    pub guard: u16,
    /// What the application likes.
    pub application: u16,
    /// Which sector it is.
    pub reference: u32,
}

impl Tuple {
    /// Bytes in a tuple.
    pub const BYTES: usize = 8;

    /// The tuple in these bytes.
    #[inline]
    pub const fn from_bytes(bytes: [u8; Tuple::BYTES]) -> Self {
        let number = u64::from_be_bytes(bytes);
        Tuple { guard: (number >> 48) as u16, application: (number >> 32) as u16, reference: number as u32 }
    }

    /// Its bytes, as on the disk and on the wire.
    #[inline]
    pub const fn to_bytes(self) -> [u8; Tuple::BYTES] {
        ((self.guard as u64) << 48 | (self.application as u64) << 32 | self.reference as u64).to_be_bytes()
    }
}

/// A part of a [`Tuple`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tag {
    /// The CRC of the sector's data, of 16 bits.
    Guard,
    /// What the application likes, of 16 bits.
    Application,
    /// Which sector it is, of 32 bits.
    Reference,
}

impl Tag {
    /// The name: `guard`, `application` or `reference`.
    pub const fn name(self) -> &'static str {
        match self {
            Tag::Guard => "guard",
            Tag::Application => "application",
            Tag::Reference => "reference",
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the reference tag means, and which tuples are escapes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProtectionType {
    /// The reference tag is the low 32 bits of the sector's logical block address.
    Type1,
    /// The reference tag of the first sector is in the command (expected initial logical block reference tag); from
    /// there on it is one more each sector, modulo 2^32.
    Type2,
    /// The reference tag is the application's as well: it does not count and is not checked.
    Type3,
}

impl ProtectionType {
    /// Every type.
    pub const ALL: [ProtectionType; 3] = [ProtectionType::Type1, ProtectionType::Type2, ProtectionType::Type3];

    /// Whether a sector with this tuple is not checked at all: by an application tag of 0xffff, for Type 3 together
    /// with a reference tag of 0xffffffff. Sectors that were formatted and not written yet are like that.
    #[inline]
    pub const fn escapes(self, tuple: Tuple) -> bool {
        let every_tag = matches!(self, ProtectionType::Type3);
        tuple.application == u16::MAX && (!every_tag || tuple.reference == u32::MAX)
    }

    /// The reference tag of the sector that is so many behind the first.
    #[inline]
    const fn reference(self, first: u32, sector: usize) -> u32 {
        match self {
            ProtectionType::Type1 | ProtectionType::Type2 => first.wrapping_add(sector as u32),
            ProtectionType::Type3 => first,
        }
    }
}

/// How many bytes of data a sector has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SectorSize {
    /// 512 bytes, 520 with their tuple.
    Bytes512,
    /// 4096 bytes, 4104 with their tuple.
    Bytes4096,
}

impl SectorSize {
    /// Every size, smallest first.
    pub const ALL: [SectorSize; 2] = [SectorSize::Bytes512, SectorSize::Bytes4096];

    /// The size of so many bytes of data.
    ///
    /// # Errors
    /// If `bytes` is neither 512 nor 4096.
    pub const fn new(bytes: usize) -> Result<Self, UnsupportedSectorSize> {
        match bytes {
            512 => Ok(SectorSize::Bytes512),
            4096 => Ok(SectorSize::Bytes4096),
            _ => Err(UnsupportedSectorSize { bytes }),
        }
    }

    /// Bytes of data, without the tuple.
    #[inline]
    pub const fn bytes(self) -> usize {
        match self {
            SectorSize::Bytes512 => 512,
            SectorSize::Bytes4096 => 4096,
        }
    }

    /// Bytes of data and tuple.
    #[inline]
    pub const fn interleaved_bytes(self) -> usize {
        self.bytes() + Tuple::BYTES
    }
}

/// A sector size that there is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnsupportedSectorSize {
    /// What was asked for.
    pub bytes: usize,
}

impl fmt::Display for UnsupportedSectorSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unsupported sector size `{}`; there are `512` and `4096`", self.bytes)
    }
}

impl core::error::Error for UnsupportedSectorSize {}

/// How sectors are protected, and what is checked.
///
/// Every tag is checked unless that is switched off; what is generated does not depend on it.
///
/// ```
/// use byways::crc::t10::{Protection, ProtectionType, SectorSize};
///
/// // the high byte of the application tag is somebody else's
/// const PROTECTION: Protection =
///     Protection::new(ProtectionType::Type2, SectorSize::Bytes4096).check_application(0x00ff);
/// let mut sectors = [0x5a; 2 * 4104];
/// PROTECTION.generate_interleaved(&mut sectors, 0xab12, 7)?;
/// PROTECTION.verify_interleaved(&sectors, 0x0012, 7)?;
///
/// let error = PROTECTION.verify_interleaved(&sectors, 0x0013, 7).unwrap_err();
/// assert_eq!(error.to_string(), "application tag of sector `0` is `0xab12`, expected `0xab13`");
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Protection {
    protection_type: ProtectionType,
    sector_size: SectorSize,
    check_guard: bool,
    application_mask: u16,
    check_reference: bool,
}

impl Protection {
    /// Protection with all checks on.
    pub const fn new(protection_type: ProtectionType, sector_size: SectorSize) -> Self {
        Protection {
            protection_type,
            sector_size,
            check_guard: true,
            application_mask: u16::MAX,
            check_reference: true,
        }
    }

    /// Whether the guard tag is checked (NVMe: PRCHK bit 2). Without it no data are read.
    pub const fn check_guard(self, check_guard: bool) -> Self {
        Protection { check_guard, ..self }
    }

    /// Which bits of the application tag are checked: those that are set in `mask` (SCSI: LOGICAL BLOCK APPLICATION TAG
    /// MASK; NVMe: LBATM); none for 0 (NVMe: PRCHK bit 1 clear).
    pub const fn check_application(self, mask: u16) -> Self {
        Protection { application_mask: mask, ..self }
    }

    /// Whether the reference tag is checked (NVMe: PRCHK bit 0). For Type 3 it never is.
    pub const fn check_reference(self, check_reference: bool) -> Self {
        Protection { check_reference, ..self }
    }

    /// The type.
    pub const fn protection_type(&self) -> ProtectionType {
        self.protection_type
    }

    /// The sector size.
    pub const fn sector_size(&self) -> SectorSize {
        self.sector_size
    }

    /// Writes the tuples of whole sectors of `data` to `tuples`, 8 bytes each.
    ///
    /// Each has the tag `application`, which may be an [escape](ProtectionType::escapes). `reference` is that of the
    /// first sector: for Type 1 the low 32 bits of its logical block address. For Type 3 all have it.
    ///
    /// # Errors
    /// If `data` are not whole sectors or `tuples` not 8 bytes for each; then nothing is written.
    pub fn generate(
        &self,
        data: &[u8],
        tuples: &mut [u8],
        application: u16,
        reference: u32,
    ) -> Result<(), LengthError> {
        self.check_lengths(data, tuples)?;
        let data = data.chunks_exact(self.sector_size.bytes());
        self.generate_each(data.zip(tuples.as_chunks_mut().0), application, reference);
        Ok(())
    }

    /// As [`generate`](Protection::generate), where each sector's tuple is behind its data: 520 or 4104 bytes a sector.
    ///
    /// # Errors
    /// If `sectors` are not whole sectors with tuples; then nothing is written.
    pub fn generate_interleaved(
        &self,
        sectors: &mut [u8],
        application: u16,
        reference: u32,
    ) -> Result<(), LengthError> {
        let bytes = self.sector_size.interleaved_bytes();
        whole_sectors(sectors, bytes)?;
        let sectors = sectors.chunks_exact_mut(bytes).map(|sector| {
            let (data, tuple) = sector.split_last_chunk_mut().expect(TUPLE_FITS);
            (&*data, tuple)
        });
        self.generate_each(sectors, application, reference);
        Ok(())
    }

    /// Checks whole sectors of `data` against their `tuples`, 8 bytes each.
    ///
    /// `application` and `reference` are as for [`generate`](Protection::generate). The tags of a sector are checked in
    /// their order. [Escapes](ProtectionType::escapes) are passed over; the reference tag counts on.
    ///
    /// # Errors
    /// If `data` are not whole sectors or `tuples` not 8 bytes for each, or else by the first sector that has a wrong
    /// tag.
    pub fn verify(&self, data: &[u8], tuples: &[u8], application: u16, reference: u32) -> Result<(), VerifyError> {
        self.check_lengths(data, tuples)?;
        let data = data.chunks_exact(self.sector_size.bytes());
        Ok(self.verify_each(data.zip(tuples.as_chunks().0), application, reference)?)
    }

    /// As [`verify`](Protection::verify), where each sector's tuple is behind its data: 520 or 4104 bytes a sector.
    ///
    /// # Errors
    /// If `sectors` are not whole sectors with tuples, or else by the first sector that has a wrong tag.
    pub fn verify_interleaved(&self, sectors: &[u8], application: u16, reference: u32) -> Result<(), VerifyError> {
        let bytes = self.sector_size.interleaved_bytes();
        whole_sectors(sectors, bytes)?;
        let sectors = sectors.chunks_exact(bytes).map(|sector| sector.split_last_chunk().expect(TUPLE_FITS));
        Ok(self.verify_each(sectors, application, reference)?)
    }

    fn check_lengths(&self, data: &[u8], tuples: &[u8]) -> Result<(), LengthError> {
        let sectors = whole_sectors(data, self.sector_size.bytes())?;
        if tuples.len() == sectors * Tuple::BYTES {
            Ok(())
        } else {
            Err(LengthError::Tuples { bytes: tuples.len(), sectors })
        }
    }

    // A CRC is a chain of dependent instructions, and no sector waits for another's: here and in `verify_each` the CPU
    // is in several at once. So what is found must not flow from sector to sector.
    fn generate_each<'a>(
        &self,
        sectors: impl Iterator<Item = (&'a [u8], &'a mut [u8; Tuple::BYTES])>,
        application: u16,
        reference: u32,
    ) {
        for (sector, (data, tuple)) in sectors.enumerate() {
            let reference = self.protection_type.reference(reference, sector);
            *tuple = Tuple { guard: guard(data), application, reference }.to_bytes();
        }
    }

    fn verify_each<'a>(
        &self,
        sectors: impl Iterator<Item = (&'a [u8], &'a [u8; Tuple::BYTES])>,
        application: u16,
        reference: u32,
    ) -> Result<(), Mismatch> {
        let check_reference = self.check_reference && self.protection_type != ProtectionType::Type3;
        for (sector, (data, tuple)) in sectors.enumerate() {
            let found = Tuple::from_bytes(*tuple);
            if self.protection_type.escapes(found) {
                continue;
            }
            // what is not checked is expected as it is
            let mut expected = found;
            if self.check_guard {
                expected.guard = guard(data);
            }
            expected.application ^= (found.application ^ application) & self.application_mask;
            if check_reference {
                expected.reference = self.protection_type.reference(reference, sector);
            }
            if expected != found {
                return Err(Mismatch::first(sector, expected, found));
            }
        }
        Ok(())
    }
}

const TUPLE_FITS: &str = "an interleaved sector is longer than its tuple";

/// How many sectors of so many bytes there are.
fn whole_sectors(data: &[u8], sector_bytes: usize) -> Result<usize, LengthError> {
    if data.len().is_multiple_of(sector_bytes) {
        Ok(data.len() / sector_bytes)
    } else {
        Err(LengthError::Sectors { bytes: data.len(), sector_bytes })
    }
}

/// A buffer of another length than its sectors need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LengthError {
    /// The sectors are not whole.
    Sectors {
        /// Bytes in the buffer.
        bytes: usize,
        /// Bytes in a sector, with the tuple if that is interleaved.
        sector_bytes: usize,
    },
    /// There are not as many tuples as sectors.
    Tuples {
        /// Bytes in the tuples' buffer.
        bytes: usize,
        /// How many sectors there are.
        sectors: usize,
    },
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LengthError::Sectors { bytes, sector_bytes } => {
                write!(f, "data of `{bytes}` bytes are not whole sectors of {sector_bytes} bytes")
            }
            LengthError::Tuples { bytes, sectors } => {
                write!(f, "tuples of `{bytes}` bytes do not fit {sectors} sectors, which have 8 bytes each")
            }
        }
    }
}

impl core::error::Error for LengthError {}

/// A tag that is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Which sector of the call, from 0 on: the first that has a wrong tag.
    pub sector: usize,
    /// The first of its tags that is wrong.
    pub tag: Tag,
    /// What the tag should be. Bits that are not checked are as found.
    pub expected: u32,
    /// What the tag is.
    pub found: u32,
}

impl Mismatch {
    /// Of tuples that differ.
    #[cold]
    fn first(sector: usize, expected: Tuple, found: Tuple) -> Self {
        let (tag, expected, found) = if expected.guard != found.guard {
            (Tag::Guard, expected.guard.into(), found.guard.into())
        } else if expected.application != found.application {
            (Tag::Application, expected.application.into(), found.application.into())
        } else {
            (Tag::Reference, expected.reference, found.reference)
        };
        Mismatch { sector, tag, expected, found }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Mismatch { sector, tag, expected, found } = self;
        let width = match tag {
            Tag::Guard | Tag::Application => 6,
            Tag::Reference => 10,
        };
        write!(f, "{tag} tag of sector `{sector}` is `{found:#0width$x}`, expected `{expected:#0width$x}`")
    }
}

impl core::error::Error for Mismatch {}

/// Why sectors are not verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VerifyError {
    /// A length is wrong; nothing was checked.
    Length(LengthError),
    /// A tag is wrong.
    Mismatch(Mismatch),
}

impl VerifyError {
    /// The tag that is wrong; none if a length is.
    pub const fn mismatch(self) -> Option<Mismatch> {
        match self {
            VerifyError::Length(_) => None,
            VerifyError::Mismatch(mismatch) => Some(mismatch),
        }
    }
}

impl From<LengthError> for VerifyError {
    fn from(error: LengthError) -> Self {
        VerifyError::Length(error)
    }
}

impl From<Mismatch> for VerifyError {
    fn from(mismatch: Mismatch) -> Self {
        VerifyError::Mismatch(mismatch)
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Length(error) => error.fmt(f),
            VerifyError::Mismatch(mismatch) => mismatch.fmt(f),
        }
    }
}

impl core::error::Error for VerifyError {}
