//! The same, plainly: a sector at a time, by its bytes, with crate `crc`.

use byways::crc::t10::{Mismatch, ProtectionType, Tag};
use crc::{CRC_16_T10_DIF, Crc};

static CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_T10_DIF);

/// The tags that a call gives, and what is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) protection_type: ProtectionType,
    pub(crate) application: u16,
    pub(crate) reference: u32,
    pub(crate) guard_checked: bool,
    pub(crate) mask: u16,
    pub(crate) reference_checked: bool,
}

impl Call {
    /// The reference tag of a sector.
    pub(crate) fn reference(&self, sector: usize) -> u32 {
        match self.protection_type {
            ProtectionType::Type3 => self.reference,
            _ => ((u64::from(self.reference) + sector as u64) % (1 << 32)) as u32,
        }
    }

    /// The tuple of a sector.
    pub(crate) fn tuple(&self, sector: usize, data: &[u8]) -> [u8; 8] {
        let mut tuple = [0; 8];
        tuple[0..2].copy_from_slice(&CRC.checksum(data).to_be_bytes());
        tuple[2..4].copy_from_slice(&self.application.to_be_bytes());
        tuple[4..8].copy_from_slice(&self.reference(sector).to_be_bytes());
        tuple
    }

    /// What is wrong with a sector.
    pub(crate) fn mismatch(&self, sector: usize, data: &[u8], tuple: &[u8]) -> Option<Mismatch> {
        let escape = match self.protection_type {
            ProtectionType::Type1 | ProtectionType::Type2 => tuple[2..4] == [0xff; 2],
            ProtectionType::Type3 => tuple[2..8] == [0xff; 6],
        };
        if escape {
            return None;
        }
        let guard = u16::from_be_bytes([tuple[0], tuple[1]]);
        let wanted = CRC.checksum(data);
        if self.guard_checked && guard != wanted {
            return Some(Mismatch { sector, tag: Tag::Guard, expected: wanted.into(), found: guard.into() });
        }
        let application = u16::from_be_bytes([tuple[2], tuple[3]]);
        if application & self.mask != self.application & self.mask {
            let expected = (application & !self.mask) | (self.application & self.mask);
            let (expected, found) = (expected.into(), application.into());
            return Some(Mismatch { sector, tag: Tag::Application, expected, found });
        }
        let reference = u32::from_be_bytes([tuple[4], tuple[5], tuple[6], tuple[7]]);
        let checked = self.reference_checked && self.protection_type != ProtectionType::Type3;
        if checked && reference != self.reference(sector) {
            let expected = self.reference(sector);
            return Some(Mismatch { sector, tag: Tag::Reference, expected, found: reference });
        }
        None
    }
}
