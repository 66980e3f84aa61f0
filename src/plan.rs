//! Which kernel for which length: one table a family and tier.
//!
//! A longer message never pays for a kernel that a shorter one would not: each row is measured against its neighbours
//! (`byways bench <family> --api`), so that no length is slower than with narrower registers.

use byways_kernels::cpu::{ByLength, Detected, Kernel, ProvenByLength};
use byways_kernels::crc::FoldFn;
use byways_kernels::crc_fold::LANES;
use byways_kernels::ctr::CtrFn;
use byways_kernels::keys::aria::{AesDwords, CtrFn as AriaCtrFn, Dwords, EcbFn, Grid, Packed};
use byways_kernels::{aes_ctr, aria, crc_fold};

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

/// CRCs that take the lowest bit of a byte first. Up to four blocks are quickest in xmm registers, most of all where a
/// call needs the result of the one before.
const CRC_LSB: [(Width, &[Row]); 3] = [
    (Width::Zmm, &[(64, "_by4_xmm"), (MORE, "_by32_zmm")]),
    (Width::Ymm, &[(64, "_by4_xmm"), (384, "_by4_ymm"), (MORE, "_by16_ymm")]),
    (Width::Xmm, &[(MORE, "_by8_xmm")]),
];

/// CRCs that take the highest bit of a byte first. To reverse bits takes another port than to multiply, but longer than to
/// swap bytes, and GFNI, which not every CPU has that multiplies in ymm registers.
const CRC_MSB: [(Width, &[Row]); 4] = [
    (Width::Zmm, &[(64, "_swap_by4_xmm"), (767, "_swap_by16_zmm"), (MORE, "_rev_by32_zmm")]),
    (Width::Ymm, &[(64, "_swap_by4_xmm"), (1023, "_swap_by8_ymm"), (MORE, "_rev_by16_ymm")]),
    (Width::Ymm, &[(64, "_swap_by4_xmm"), (MORE, "_swap_by8_ymm")]),
    (Width::Xmm, &[(MORE, "_swap_by8_xmm")]),
];

/// CRC-32C, which has an instruction of its own: for what is not longer than a cache line, and for what is long.
const CRC32C_BY_LENGTH: [(Width, &[Row]); 3] = [
    (Width::Zmm, &[(64, "32c_by4_xmm"), (65535, "_lsb_by32_zmm"), (MORE, "32c_fused_by32_zmm")]),
    (Width::Ymm, &[(64, "32c_by4_xmm"), (384, "_lsb_by4_ymm"), (65535, "_lsb_by16_ymm"), (MORE, "32c_fused_by16_ymm")]),
    (Width::Xmm, &[(64, "32c_by4_xmm"), (65535, "_lsb_by8_xmm"), (MORE, "32c_fused_by8_xmm")]),
];

/// ARIA at zmm, for what is left when the widest kernel has taken its batches, or all of a short message: the kernel that
/// takes so many bytes in one batch.
const ARIA_ZMM: [(Width, &[Row]); 1] = [(
    Width::Zmm,
    &[(32, "_xor3_by2_xmm"), (64, "_xor3_by4_ymm"), (128, "_by8_zmm"), (256, "_by16_zmm"), (MORE, "_by32_zmm")],
)];

/// The same in counter mode, where the widest kernel does the first round once for all blocks, and is quicker than the one of
/// half as many.
const ARIA_ZMM_CTR: [(Width, &[Row]); 1] =
    [(Width::Zmm, &[(32, "_xor3_by2_xmm"), (64, "_xor3_by4_ymm"), (128, "_by8_zmm"), (MORE, "_by16_zmm")])];

/// The same at less.
const ARIA_LESS: [(Width, &[Row]); 2] = [
    (Width::Ymm, &[(32, "_by2_xmm"), (64, "_by4_ymm"), (128, "_by8_ymm"), (MORE, "_by16_ymm")]),
    (Width::Xmm, &[(32, "_by2_xmm"), (MORE, "_by4_xmm")]),
];

/// The same without GFNI.
const ARIA_AESSUB: [(Width, &[Row]); 1] = [(Width::Xmm, &[(64, "_by4_xmm"), (MORE, "_by8_xmm")])];

/// ARIA's widest kernels, where xors have three inputs.
const ARIA_GRID: [(Width, &[Row]); 1] = [(Width::Zmm, &[(MORE, "_by64_zmm")])];

/// ARIA's widest kernels, where they have two.
const ARIA_SLICED: [(Width, &[Row]); 2] = [(Width::Ymm, &[(MORE, "_by32_ymm")]), (Width::Xmm, &[(MORE, "_by16_xmm")])];

/// ARIA's widest kernel without GFNI.
const ARIA_BYTES: [(Width, &[Row]); 1] = [(Width::Xmm, &[(MORE, "_by16_xmm")])];

/// How many bytes go to which of a tier's ARIA kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AriaSizes {
    /// Bytes in a batch of the widest.
    wide: u32,
    /// Bytes that the others take at once.
    narrow: u32,
}

impl AriaSizes {
    /// Of the tiers of these kernels: by the last of each, which takes the most at once.
    pub(crate) const fn new<W, N>(widest: &Tier<W>, others: &Tier<N>) -> Self {
        assert!(widest.batch.is_power_of_two(), "to divide by it is quick");
        AriaSizes { wide: widest.batch as u32, narrow: others.batch as u32 }
    }

    /// Bytes that the others take at once.
    pub(crate) const fn narrow(self) -> usize {
        self.narrow as usize
    }

    /// How many of so many bytes the widest kernel takes: all whole batches, and what is left if it is more than the
    /// others take at once.
    #[inline]
    pub(crate) const fn wide_bytes(self, bytes: usize) -> usize {
        let left = bytes & (self.wide as usize - 1);
        if left > self.narrow() { bytes } else { bytes - left }
    }
}

/// Bytes in a batch of the kernel of this name: 16 times the number behind its last `_by`.
const fn batch(name: &str) -> usize {
    let name = name.as_bytes();
    let (mut at, mut by) = (name.len(), 0);
    while at > 3 && !(name[at - 3] == b'_' && name[at - 2] == b'b' && name[at - 1] == b'y') {
        at -= 1;
    }
    while at < name.len() && name[at].is_ascii_digit() {
        by = 10 * by + (name[at] - b'0') as usize;
        at += 1;
    }
    assert!(by > 0, "a kernel's name says how many blocks it takes");
    16 * by
}

/// The most rows in a table. One that has fewer repeats its last.
pub(crate) const ROWS: usize = 5;

/// The rows, which go up, take all lengths and are not more than there is room for.
const fn checked(rows: &[Row]) -> &[Row] {
    assert!(rows.len() <= ROWS, "a table has more rows than there is room for");
    assert!(rows[rows.len() - 1].0 == MORE, "a table's last row takes all lengths");
    let mut i = 1;
    while i < rows.len() {
        assert!(rows[i - 1].0 < rows[i].0, "a table's rows go up");
        i += 1;
    }
    rows
}

/// A tier's table with its kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier<F> {
    width: Width,
    rows: ByLength<F, ROWS>,
    /// Bytes in a batch of the last row's kernel.
    batch: usize,
}

/// Kernels by length, all of which the CPU can run.
pub(crate) type Plan<F> = ProvenByLength<F, ROWS>;

/// The widest tier up to `limit` whose kernels this CPU can all run.
pub(crate) fn plan<F: Copy>(
    tiers: &'static [Tier<F>],
    limit: Width,
    cpu: Detected,
) -> Option<(&'static Tier<F>, &'static Plan<F>)> {
    let allowed = tiers.iter().filter(|tier| tier.width <= limit);
    allowed.filter_map(|tier| Some((tier, tier.rows.prove(cpu).ok()?))).next()
}

impl<F: Copy> Tier<F> {
    /// Its width.
    pub(crate) const fn width(&self) -> Width {
        self.width
    }

    /// Up to so many bytes, the kernel of this name.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let rows = self.rows.rows().position(|(bytes, _)| bytes == MORE).map_or(ROWS, |last| last + 1);
        self.rows.rows().take(rows).map(|(bytes, kernel)| (bytes, kernel.name()))
    }
}

macro_rules! tiers {
    ($($(#[$doc:meta])* $tiers:ident: $table:ident of $registry:path, $head:literal, $narrow:ident, $function:ty;)*) => {
        $(
            $(#[$doc])*
            pub(crate) static $tiers: [Tier<$function>; $table.len()] = {
                const fn kernel(tail: &str) -> Kernel<$function> {
                    let mut i = 0;
                    while i < $registry.len() {
                        if is_joined($registry[i].name(), $head, tail) {
                            return $registry[i].$narrow().expect("a kernel of this kind");
                        }
                        i += 1;
                    }
                    panic!("a kernel of the plan was not generated")
                }
                const fn tier((width, rows): (Width, &[Row])) -> Tier<$function> {
                    let rows = checked(rows);
                    let mut kernels = [(MORE, kernel(rows[0].1)); ROWS];
                    let mut i = 0;
                    while i < ROWS {
                        let (bytes, tail) = rows[if i < rows.len() { i } else { rows.len() - 1 }];
                        kernels[i] = (bytes, kernel(tail));
                        i += 1;
                    }
                    let batch = batch(kernels[ROWS - 1].1.name());
                    Tier { width, rows: ByLength::new(kernels), batch }
                }
                let mut tiers = [const { tier($table[0]) }; $table.len()];
                let mut i = 1;
                while i < $table.len() {
                    tiers[i] = tier($table[i]);
                    i += 1;
                }
                tiers
            };
        )*
    };
}

tiers! {
    /// AES-128.
    AES128: AES_CTR of aes_ctr::KERNELS, "aes128", aes128, CtrFn<11>;
    /// AES-192.
    AES192: AES_CTR of aes_ctr::KERNELS, "aes192", aes192, CtrFn<13>;
    /// AES-256.
    AES256: AES_CTR of aes_ctr::KERNELS, "aes256", aes256, CtrFn<15>;
    /// CRCs that take the lowest bit of a byte first.
    LSB: CRC_LSB of crc_fold::KERNELS, "crc_lsb", lsb, FoldFn<LANES>;
    /// CRCs that take the highest bit of a byte first.
    MSB: CRC_MSB of crc_fold::KERNELS, "crc_msb", msb, FoldFn<LANES>;
    /// CRC-32C.
    CRC32C: CRC32C_BY_LENGTH of crc_fold::KERNELS, "crc", crc32c, FoldFn<LANES>;
    /// ARIA, blocks by themselves.
    ARIA_ECB_ZMM: ARIA_ZMM of aria::KERNELS, "aria_ecb", packed, EcbFn<Packed>;
    /// ARIA in counter mode.
    ARIA_CTR_ZMM: ARIA_ZMM_CTR of aria::KERNELS, "aria_ctr", packed_ctr, AriaCtrFn<Packed>;
    /// ARIA, blocks by themselves.
    ARIA_ECB_LESS: ARIA_LESS of aria::KERNELS, "aria_ecb", packed, EcbFn<Packed>;
    /// ARIA in counter mode.
    ARIA_CTR_LESS: ARIA_LESS of aria::KERNELS, "aria_ctr", packed_ctr, AriaCtrFn<Packed>;
    /// ARIA, blocks by themselves.
    ARIA_ECB_AESSUB: ARIA_AESSUB of aria::KERNELS, "aria_ecb_aessub", aes_dwords, EcbFn<AesDwords>;
    /// ARIA in counter mode.
    ARIA_CTR_AESSUB: ARIA_AESSUB of aria::KERNELS, "aria_ctr_aessub", aes_dwords_ctr, AriaCtrFn<AesDwords>;
    /// ARIA, blocks by themselves.
    ARIA_ECB_GRID: ARIA_GRID of aria::KERNELS, "aria_ecb", grid, EcbFn<Grid>;
    /// ARIA in counter mode.
    ARIA_CTR_GRID: ARIA_GRID of aria::KERNELS, "aria_ctr", grid_ctr, AriaCtrFn<Grid>;
    /// ARIA, blocks by themselves.
    ARIA_ECB_SLICED: ARIA_SLICED of aria::KERNELS, "aria_ecb", dwords, EcbFn<Dwords>;
    /// ARIA in counter mode.
    ARIA_CTR_SLICED: ARIA_SLICED of aria::KERNELS, "aria_ctr", dwords_ctr, AriaCtrFn<Dwords>;
    /// ARIA, blocks by themselves.
    ARIA_ECB_BYTES: ARIA_BYTES of aria::KERNELS, "aria_ecb_aessub", aes_dwords, EcbFn<AesDwords>;
    /// ARIA in counter mode.
    ARIA_CTR_BYTES: ARIA_BYTES of aria::KERNELS, "aria_ctr_aessub", aes_dwords_ctr, AriaCtrFn<AesDwords>;
}

/// Whether `name` is `head` and `tail`.
const fn is_joined(name: &str, head: &str, tail: &str) -> bool {
    if name.len() != head.len() + tail.len() {
        return false;
    }
    let (a, b) = name.as_bytes().split_at(head.len());
    equal(a, head.as_bytes()) && equal(b, tail.as_bytes())
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len()
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use byways_kernels::cpu::Features;

    use super::*;

    /// The tier's table, if a tier is planned.
    fn planned<F: Copy>(tiers: &'static [Tier<F>], limit: Width, cpu: Detected) -> Option<Vec<(usize, &'static str)>> {
        plan(tiers, limit, cpu).map(|(tier, _)| tier.rows().collect())
    }

    #[test]
    fn cpus_without_gfni_have_rows_of_their_own() {
        let cpu = Detected::get().only(Features::all().without(Features::named("gfni")));
        let has = |features| cpu.features().contains(Features::named(features));
        if has("avx2,vpclmulqdq") {
            let bytes_swapped = vec![(64, "crc_msb_swap_by4_xmm"), (MORE, "crc_msb_swap_by8_ymm")];
            for limit in [Width::Zmm, Width::Ymm] {
                assert_eq!(planned(&MSB, limit, cpu).as_ref(), Some(&bytes_swapped));
            }
        }
        if has("pclmulqdq,ssse3") {
            assert_eq!(planned(&MSB, Width::Xmm, cpu), Some(vec![(MORE, "crc_msb_swap_by8_xmm")]));
        }
        for tiers in [&ARIA_ECB_ZMM[..], &ARIA_ECB_LESS] {
            assert_eq!(planned(tiers, Width::Zmm, cpu), None);
        }
        if has("aes,ssse3") {
            let by_aes = vec![(64, "aria_ecb_aessub_by4_xmm"), (MORE, "aria_ecb_aessub_by8_xmm")];
            assert_eq!(planned(&ARIA_ECB_AESSUB, Width::Zmm, cpu), Some(by_aes));
        }
    }
}
