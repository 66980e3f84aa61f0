//! Which kernel for which length: one table a family and tier.
//!
//! A longer message never pays for a kernel that a shorter one would not: each row is measured against its neighbours
//! (`byways bench ctr --api`), so that no length is slower than with narrower registers.

use byways_kernels::aes_ctr::KERNELS;
use byways_kernels::cpu::{Detected, Kernel, Proven};
use byways_kernels::ctr::{Ctr, CtrFn};

use crate::Width;

/// Up to so many bytes, the kernel whose name ends so.
type Row = (usize, &'static str);

/// Any length.
const MORE: usize = usize::MAX;

/// AES in counter mode, by tier, widest first.
///
/// Two or four registers in flight are enough where a CPU overlaps one batch with the next, and a short message leaves
/// them sooner; a block alone is quickest in an xmm register. The cached form pays from two runs of 256 blocks on.
const AES_CTR: [(Width, &[Row]); 3] = [
    (
        Width::Zmm,
        &[(16, "_ctr_by4_xmm"), (1535, "_ctr_by4_zmm"), (8191, "_ctr_by16_zmm"), (MORE, "_ctr_cached_by16_zmm")],
    ),
    (
        Width::Ymm,
        &[(16, "_ctr_by4_xmm"), (384, "_ctr_by4_ymm"), (16383, "_ctr_by16_ymm"), (MORE, "_ctr_cached_by16_ymm")],
    ),
    (Width::Xmm, &[(8191, "_ctr_by4_xmm"), (MORE, "_ctr_cached_by8_xmm")]),
];

/// The most rows in a table. One that has fewer repeats its last.
const ROWS: usize = {
    let (mut most, mut i) = (0, 0);
    while i < AES_CTR.len() {
        let rows = AES_CTR[i].1;
        assert!(rows[rows.len() - 1].0 == MORE, "a table's last row takes all lengths");
        let mut j = 1;
        while j < rows.len() {
            assert!(rows[j - 1].0 < rows[j].0, "a table's rows go up");
            j += 1;
        }
        if rows.len() > most {
            most = rows.len();
        }
        i += 1;
    }
    most
};

/// A tier's table with its kernels.
#[derive(Clone, Copy)]
pub(crate) struct Tier<const R: usize> {
    width: Width,
    rows: [(usize, Kernel<CtrFn<R>>); ROWS],
}

/// The kernels that an object uses, all of which its CPU can run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan<const R: usize> {
    rows: [(usize, Proven<CtrFn<R>>); ROWS],
}

impl<const R: usize> Plan<R> {
    /// For data of so many bytes.
    #[inline]
    pub(crate) fn kernel(&self, bytes: usize) -> Proven<CtrFn<R>> {
        let [rows @ .., (_, last)] = &self.rows;
        rows.iter().find(|(up_to, _)| bytes <= *up_to).map_or(*last, |(_, kernel)| *kernel)
    }
}

/// The widest tier up to `limit` whose kernels this CPU can all run.
pub(crate) fn plan<const R: usize>(tiers: &[Tier<R>], limit: Width, cpu: Detected) -> Option<(&Tier<R>, Plan<R>)> {
    tiers.iter().filter(|tier| tier.width <= limit).find_map(|tier| {
        let mut rows = [(MORE, tier.rows[ROWS - 1].1.prove(cpu).ok()?); ROWS];
        for (proven, (up_to, kernel)) in rows.iter_mut().zip(&tier.rows) {
            *proven = (*up_to, kernel.prove(cpu).ok()?);
        }
        Some((tier, Plan { rows }))
    })
}

impl<const R: usize> Tier<R> {
    /// Its width.
    pub(crate) const fn width(&self) -> Width {
        self.width
    }

    /// Up to so many bytes, the kernel of this name.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let rows = self.rows.iter().position(|(bytes, _)| *bytes == MORE).map_or(ROWS, |last| last + 1);
        self.rows[..rows].iter().map(|(bytes, kernel)| (*bytes, kernel.name()))
    }
}

macro_rules! tiers {
    ($($(#[$doc:meta])* $tiers:ident: $algorithm:literal, $round_keys:literal, $narrow:ident;)*) => {
        $(
            $(#[$doc])*
            pub(crate) static $tiers: [Tier<$round_keys>; AES_CTR.len()] = {
                const fn tier((width, rows): (Width, &[Row])) -> Tier<$round_keys> {
                    let kernel = find($algorithm, rows[0].1).$narrow().expect("a kernel of this key size");
                    let mut tier = Tier { width, rows: [(MORE, kernel); ROWS] };
                    let mut i = 0;
                    while i < ROWS {
                        let (bytes, tail) = rows[if i < rows.len() { i } else { rows.len() - 1 }];
                        tier.rows[i] = (bytes, find($algorithm, tail).$narrow().expect("a kernel of this key size"));
                        i += 1;
                    }
                    tier
                }
                let mut tiers = [const { tier(AES_CTR[0]) }; AES_CTR.len()];
                let mut i = 1;
                while i < AES_CTR.len() {
                    tiers[i] = tier(AES_CTR[i]);
                    i += 1;
                }
                tiers
            };
        )*
    };
}

tiers! {
    /// AES-128.
    AES128: "aes128", 11, aes128;
    /// AES-192.
    AES192: "aes192", 13, aes192;
    /// AES-256.
    AES256: "aes256", 15, aes256;
}

/// The kernel of this name, in two parts. One that was not generated is a compile error.
const fn find(head: &str, tail: &str) -> Kernel<Ctr> {
    let mut i = 0;
    while i < KERNELS.len() {
        let name = KERNELS[i].name().as_bytes();
        if name.len() == head.len() + tail.len() {
            let (a, b) = name.split_at(head.len());
            if equal(a, head.as_bytes()) && equal(b, tail.as_bytes()) {
                return KERNELS[i];
            }
        }
        i += 1;
    }
    panic!("a kernel of the plan was not generated")
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len()
}
