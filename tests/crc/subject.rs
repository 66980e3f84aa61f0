//! What is under test, and what it is compared with, chosen at run time: any model in any integer that holds it.

use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use byways::crc::Algorithm;
use byways::{Width, limit_width};

use crate::json::noise;

/// Makes the check on one tier after the other. A limit holds for the whole process, so other checks wait.
pub(crate) fn on_every_tier(mut check: impl FnMut(Width)) {
    static LIMIT: Mutex<()> = Mutex::new(());
    let _held = LIMIT.lock().unwrap_or_else(PoisonError::into_inner);
    for width in Width::ALL {
        limit_width(width);
        check(width);
    }
}

/// Bits of the integers that hold a CRC of this width.
pub(crate) fn integers(width: u8) -> impl Iterator<Item = u32> {
    [8, 16, 32, 64].into_iter().filter(move |bits| u32::from(width) <= *bits)
}

/// A `Crc` of `byways`, in an integer of any size.
pub(crate) trait Subject: Debug + Send + Sync {
    fn algorithm(&self) -> Algorithm<u64>;
    fn checksum(&self, bytes: &[u8]) -> u64;
    fn digest(&self) -> Box<dyn Running + '_>;
    fn digest_with_initial(&self, initial: u64) -> Box<dyn Running + '_>;
    fn resume(&self, crc: u64) -> Box<dyn Running + '_>;
    fn combine(&self, a: u64, b: u64, len_b: u64) -> u64;
    fn zeros(&self, len: u64) -> u64;
    fn copy(&self, src: &[u8], dst: &mut [u8]) -> u64;
    #[cfg(feature = "parallel")]
    fn par_checksum(&self, bytes: &[u8]) -> u64;
    fn another(&self) -> Box<dyn Subject>;
}

/// The CRC of the pieces in a row.
pub(crate) fn of_pieces<'a>(mut digest: Box<dyn Running + '_>, pieces: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    for piece in pieces {
        digest.update(piece);
    }
    digest.so_far()
}

/// A `Crc` of crate `crc`.
pub(crate) trait Theirs {
    fn digest_with_initial(&self, initial: u64) -> Box<dyn Running + '_>;

    /// The CRC of every prefix.
    fn prefixes(&self, init: u64, bytes: &[u8]) -> Vec<u64> {
        let mut digest = self.digest_with_initial(init);
        let mut crcs = vec![digest.so_far()];
        for byte in bytes {
            digest.update(&[*byte]);
            crcs.push(digest.so_far());
        }
        crcs
    }
}

/// A `Digest` of either.
pub(crate) trait Running {
    fn update(&mut self, bytes: &[u8]);
    /// The CRC of the bytes up to now.
    fn so_far(&self) -> u64;
}

macro_rules! integers {
    ($($word:ident)*) => {
        $(
            impl Subject for byways::crc::Crc<$word> {
                fn algorithm(&self) -> Algorithm<u64> {
                    assert!(std::ptr::eq(self.algorithm(), self.algorithm));
                    let &Algorithm { width, poly, init, refin, refout, xorout, check, residue } = self.algorithm();
                    let (poly, init, xorout) = (poly.into(), init.into(), xorout.into());
                    Algorithm { width, poly, init, refin, refout, xorout, check: check.into(), residue: residue.into() }
                }
                fn checksum(&self, bytes: &[u8]) -> u64 {
                    self.checksum(bytes).into()
                }
                fn digest(&self) -> Box<dyn Running + '_> {
                    Box::new(self.digest())
                }
                fn digest_with_initial(&self, initial: u64) -> Box<dyn Running + '_> {
                    Box::new(self.digest_with_initial(initial as $word))
                }
                fn resume(&self, crc: u64) -> Box<dyn Running + '_> {
                    Box::new(self.resume(crc as $word))
                }
                fn combine(&self, a: u64, b: u64, len_b: u64) -> u64 {
                    self.combine(a as $word, b as $word, len_b).into()
                }
                fn zeros(&self, len: u64) -> u64 {
                    self.zeros(len).into()
                }
                fn copy(&self, src: &[u8], dst: &mut [u8]) -> u64 {
                    self.copy(src, dst).into()
                }
                #[cfg(feature = "parallel")]
                fn par_checksum(&self, bytes: &[u8]) -> u64 {
                    self.par_checksum(bytes).into()
                }
                fn another(&self) -> Box<dyn Subject> {
                    Box::new(self.clone())
                }
            }

            impl Running for byways::crc::Digest<'_, $word> {
                fn update(&mut self, bytes: &[u8]) {
                    self.update(bytes);
                }
                fn so_far(&self) -> u64 {
                    self.clone().finalize().into()
                }
            }

            impl Theirs for ::crc::Crc<$word> {
                fn digest_with_initial(&self, initial: u64) -> Box<dyn Running + '_> {
                    Box::new(self.digest_with_initial(initial as $word))
                }
            }

            impl Running for ::crc::Digest<'_, $word> {
                fn update(&mut self, bytes: &[u8]) {
                    self.update(bytes);
                }
                fn so_far(&self) -> u64 {
                    self.clone().finalize().into()
                }
            }
        )*

        /// The model in an integer of so many bits: ours and theirs.
        pub(crate) fn both(bits: u32, model: &Algorithm<u64>) -> (Box<dyn Subject>, Box<dyn Theirs>) {
            let &Algorithm { width, poly, init, refin, refout, xorout, check, residue } = model;
            match bits {
                $(
                    $word::BITS => {
                        let (poly, init, xorout) = (poly as $word, init as $word, xorout as $word);
                        let (check, residue) = (check as $word, residue as $word);
                        let algorithm = Algorithm { width, poly, init, refin, refout, xorout, check, residue };
                        let algorithm = Box::leak(Box::new(algorithm));
                        let ours = byways::crc::Crc::<$word>::new(algorithm);
                        (Box::new(ours), Box::new(::crc::Crc::<$word>::new(algorithm)))
                    }
                )*
                _ => panic!("no integer has `{bits}` bits"),
            }
        }
    };
}

integers!(u8 u16 u32 u64);

/// Ours alone.
pub(crate) fn ours(bits: u32, model: &Algorithm<u64>) -> Box<dyn Subject> {
    both(bits, model).0
}

/// Numbers at random.
pub(crate) struct Random<I>(I);

pub(crate) fn random(seed: u64) -> Random<impl Iterator<Item = u8>> {
    Random(noise(seed))
}

impl<I: Iterator<Item = u8>> Random<I> {
    pub(crate) fn number(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.0.next().expect("endless")))
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        self.0.by_ref().take(len).collect()
    }

    /// A model of this width and reflection in an integer of so many bits. It need not make sense: the polynomial may be
    /// even, and often there are bits above the width.
    pub(crate) fn model(&mut self, width: u8, bits: u32, refin: bool, refout: bool) -> Algorithm<u64> {
        let all = u64::MAX >> (64 - if self.below(4) == 0 { bits } else { width.into() });
        let (poly, init, xorout) = (self.number() & all, self.number() & all, self.number() & all);
        // most polynomials are odd
        let poly = if self.below(4) == 0 { poly } else { poly | 1 };
        Algorithm { width, poly, init, refin, refout, xorout, check: 0, residue: 0 }
    }

    /// `bytes` cut in pieces, some of them empty.
    pub(crate) fn pieces<'a>(&mut self, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        while !bytes.is_empty() {
            let longest = [1, 9, 40, 400][self.below(4)];
            let (piece, rest) = bytes.split_at(self.below(bytes.len().min(longest) + 1));
            pieces.push(piece);
            bytes = rest;
        }
        pieces
    }
}

/// Bytes behind a 64-byte boundary by `offset`, between others that must stay.
pub(crate) struct Fenced {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

const FENCE: [u8; 64] = [0xa5; 64];

impl Fenced {
    pub(crate) fn new(content: &[u8], offset: usize) -> Self {
        let len = content.len();
        let mut bytes = vec![FENCE[0]; len + offset + 3 * FENCE.len()];
        let start = FENCE.len() + bytes.as_ptr().addr().wrapping_neg() % 64 + offset;
        bytes[start..start + len].copy_from_slice(content);
        Fenced { bytes, start, len }
    }

    pub(crate) fn inside(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    pub(crate) fn inside_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }

    /// Whether the bytes around are as they were.
    pub(crate) fn stands(&self) -> bool {
        let (before, behind) = (self.start - FENCE.len(), self.start + self.len);
        self.bytes[before..self.start] == FENCE && self.bytes[behind..behind + FENCE.len()] == FENCE
    }
}
