//! What is under test, in both layouts at once.

use byways::crc::t10::{Mismatch, Protection, ProtectionType, SectorSize, VerifyError};

use crate::model::Call;

/// Bytes at random, and numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((self.number() >> 32) as usize) % end
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| (self.number() >> 56) as u8).collect()
    }
}

/// Every type with every size.
pub(crate) fn kinds() -> impl Iterator<Item = (ProtectionType, SectorSize)> {
    ProtectionType::ALL.into_iter().flat_map(|kind| SectorSize::ALL.into_iter().map(move |size| (kind, size)))
}

/// Sectors and their tuples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sectors {
    pub(crate) size: SectorSize,
    pub(crate) data: Vec<u8>,
    pub(crate) tuples: Vec<u8>,
}

impl Sectors {
    /// With tuples as they should be, by the model.
    pub(crate) fn new(size: SectorSize, data: Vec<u8>, call: &Call) -> Self {
        let tuples = data.chunks(size.bytes()).enumerate().flat_map(|(i, data)| call.tuple(i, data)).collect();
        Sectors { size, data, tuples }
    }

    /// Sector by sector, its data and its tuple.
    pub(crate) fn interleaved(&self) -> Vec<u8> {
        let sectors = self.data.chunks(self.size.bytes()).zip(self.tuples.chunks(8));
        sectors.flat_map(|(data, tuple)| [data, tuple].concat()).collect()
    }

    /// The result of both layouts, which is one.
    pub(crate) fn verify(&self, call: &Call) -> Result<(), Mismatch> {
        let protection = protection(call, self.size);
        let separate = protection.verify(&self.data, &self.tuples, call.application, call.reference);
        let interleaved = protection.verify_interleaved(&self.interleaved(), call.application, call.reference);
        assert_eq!(separate, interleaved, "{call:?}, {:?}", self.size);
        separate.map_err(|error| match error {
            VerifyError::Mismatch(mismatch) => mismatch,
            VerifyError::Length(error) => panic!("{error}"),
        })
    }

    /// The model's result.
    pub(crate) fn wanted(&self, call: &Call) -> Result<(), Mismatch> {
        let mut sectors = self.data.chunks(self.size.bytes()).zip(self.tuples.chunks(8)).enumerate();
        sectors.find_map(|(i, (data, tuple))| call.mismatch(i, data, tuple)).map_or(Ok(()), Err)
    }
}

/// A call that checks everything.
pub(crate) fn call(protection_type: ProtectionType, application: u16, reference: u32) -> Call {
    Call { protection_type, application, reference, guard_checked: true, mask: 0xffff, reference_checked: true }
}

pub(crate) fn protection(call: &Call, size: SectorSize) -> Protection {
    Protection::new(call.protection_type, size)
        .check_guard(call.guard_checked)
        .check_application(call.mask)
        .check_reference(call.reference_checked)
}
