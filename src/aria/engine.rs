//! The generated kernels, and which of them for how many blocks.
//!
//! The widest takes as many of its batches as there are; what is left, fewer blocks than that, goes to the cheapest kernel
//! that takes them all at once, filled up with zeros.

use byways_kernels::cpu::{AriaRounds, Detected, Proven};
use byways_kernels::inout::InOutBuf;
use byways_kernels::keys::aria::{AesDwords, CtrFn, Dwords, EcbFn, Grid, Keys, Layout, Packed, Schedule};
use byways_kernels::mem::bytes;

use super::Block;
use crate::dispatch::Width;
use crate::plan::{self, AriaSizes, Tier};
use crate::secrets::wipe_stack;

/// More than kernels at xmm have of the stack, rooms and all: 0.7 KiB.
const SPILLED_XMM: usize = 1024;

/// More than those at ymm have, 1.6 KiB.
const SPILLED_YMM: usize = 2048;

/// Kernels that this CPU runs, and what makes round keys for them.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    tier: TierPlan,
    rounds: AriaRounds,
}

/// By the layouts of their keys: of the widest kernel behind those of the others.
#[derive(Clone, Copy)]
enum TierPlan {
    Zmm(Choice<Packed, Grid>),
    Less(Choice<Packed, Dwords>),
    AesSub(Choice<AesDwords, AesDwords>),
}

/// Kernels for any number of blocks.
#[derive(Clone, Copy)]
struct Choice<N: Layout, W: Layout> {
    tier: &'static Tier<EcbFn<N>>,
    narrow: (&'static plan::Plan<EcbFn<N>>, &'static plan::Plan<CtrFn<N>>),
    wide: (Proven<EcbFn<W>>, Proven<CtrFn<W>>),
    wide_tier: &'static Tier<EcbFn<W>>,
    sizes: (AriaSizes, AriaSizes),
}

/// For blocks by themselves, and for counter mode.
type Tiers<L> = (&'static [Tier<EcbFn<L>>], &'static [Tier<CtrFn<L>>]);

impl<N: Layout, W: Layout> Choice<N, W> {
    /// The widest up to `limit`.
    fn new(narrow: Tiers<N>, wide: Tiers<W>, limit: Width, cpu: Detected) -> Option<Self> {
        let (tier, ecb) = plan::plan(narrow.0, limit, cpu)?;
        let (ctr_tier, ctr) = plan::plan(narrow.1, tier.width(), cpu)?;
        let (wide_tier, wide_ecb) = plan::plan(wide.0, tier.width(), cpu)?;
        let (wide_ctr_tier, wide_ctr) = plan::plan(wide.1, tier.width(), cpu)?;
        Some(Choice {
            tier,
            narrow: (ecb, ctr),
            // they have one row
            wide: (wide_ecb.kernel(0), wide_ctr.kernel(0)),
            wide_tier,
            sizes: (AriaSizes::new(wide_tier, tier), AriaSizes::new(wide_ctr_tier, ctr_tier)),
        })
    }

    /// Wipes what kernels have put on the stack: those of 16 registers, which have no room for all that they work with, keys
    /// among it. At zmm there is nothing but data, before the first key or after the last.
    #[inline]
    fn wipe(&self) {
        match self.tier.width() {
            Width::Zmm => {}
            Width::Ymm => wipe_stack::<SPILLED_YMM>(),
            _ => wipe_stack::<SPILLED_XMM>(),
        }
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> + use<N, W> {
        let most = self.sizes.0.narrow();
        self.tier.rows().map(move |(bytes, name)| (bytes.min(most), name)).chain(self.wide_tier.rows())
    }
}

impl Plan {
    /// Those of the widest tier up to `limit`, if there is one.
    pub(crate) fn new(limit: Width, cpu: Detected) -> Option<Self> {
        use plan::{
            ARIA_CTR_AESSUB, ARIA_CTR_BYTES, ARIA_CTR_GRID, ARIA_CTR_LESS, ARIA_CTR_SLICED, ARIA_CTR_ZMM,
            ARIA_ECB_AESSUB, ARIA_ECB_BYTES, ARIA_ECB_GRID, ARIA_ECB_LESS, ARIA_ECB_SLICED, ARIA_ECB_ZMM,
        };
        let zmm = Choice::new((&ARIA_ECB_ZMM, &ARIA_CTR_ZMM), (&ARIA_ECB_GRID, &ARIA_CTR_GRID), limit, cpu);
        let tier = zmm.map(TierPlan::Zmm).or_else(|| {
            let narrow = (ARIA_ECB_LESS.as_slice(), ARIA_CTR_LESS.as_slice());
            Choice::new(narrow, (&ARIA_ECB_SLICED, &ARIA_CTR_SLICED), limit, cpu).map(TierPlan::Less)
        });
        let tier = tier.or_else(|| {
            let narrow = (ARIA_ECB_AESSUB.as_slice(), ARIA_CTR_AESSUB.as_slice());
            Choice::new(narrow, (&ARIA_ECB_BYTES, &ARIA_CTR_BYTES), limit, cpu).map(TierPlan::AesSub)
        });
        Some(Plan { tier: tier?, rounds: cpu.aria_rounds()? })
    }
}

/// The round keys of both directions, wiped on drop, and the kernels that work with them.
// keys are used in place, so that no copy of one is left behind
#[allow(clippy::large_enum_variant)]
#[expect(dead_code, reason = "what is unused is not read")]
#[repr(u8)]
pub(crate) enum Kernels {
    Zmm(Unused, Keyed<Each<Packed, Grid>>),
    Less(Unused, Keyed<Each<Packed, Dwords>>),
    AesSub(Unused, Keyed<Both<AesDwords>>, Tail),
}

/// Zeros instead of padding, which would keep what was on a stack: behind the kind, and behind keys that are smaller.
type Unused = [u8; 63];
type Tail = [u8; size_of::<Each<Packed, Grid>>() - size_of::<Both<AesDwords>>()];

const UNUSED: Unused = [0; 63];
const TAIL: Tail = [0; size_of::<Tail>()];

/// Whether it has no padding.
const fn is_dense<K: Stored>(keys: usize) -> bool {
    size_of::<Choice<K::Narrow, K::Wide>>() == 6 * size_of::<usize>() + 2 * size_of::<AriaSizes>()
        && size_of::<Keyed<K>>() == size_of::<Choice<K::Narrow, K::Wide>>() + keys
        && align_of::<Keyed<K>>() == size_of::<Unused>() + 1
}

const _: () = {
    let [packed, grid] = [size_of::<Keys<Packed>>(), size_of::<Keys<Grid>>()];
    assert!(is_dense::<Each<Packed, Grid>>(2 * packed + 2 * grid));
    assert!(is_dense::<Each<Packed, Dwords>>(2 * packed + 2 * size_of::<Keys<Dwords>>()));
    assert!(is_dense::<Both<AesDwords>>(2 * size_of::<Keys<AesDwords>>()));
    assert!(size_of::<Kernels>() == size_of::<Unused>() + 1 + size_of::<Keyed<Each<Packed, Grid>>>());
    assert!(size_of::<Keyed<Each<Packed, Dwords>>>() == size_of::<Keyed<Each<Packed, Grid>>>());
};

/// Kernels with their keys.
pub(crate) struct Keyed<K: Stored> {
    choice: Choice<K::Narrow, K::Wide>,
    keys: K,
}

/// Keys for the widest kernel and for the others.
pub(crate) trait Stored: Clone {
    type Narrow: Layout;
    type Wide: Layout;

    /// Zeros.
    const EMPTY: Self;
    fn fill(&mut self, schedule: &Schedule);
    fn narrow(&self, encrypt: bool) -> &Keys<Self::Narrow>;
    fn wide(&self, encrypt: bool) -> &Keys<Self::Wide>;
}

/// Of a layout each.
#[derive(Clone)]
pub(crate) struct Each<N: Layout, W: Layout> {
    narrow: Directions<N>,
    wide: Directions<W>,
}

impl<N: Layout, W: Layout> Stored for Each<N, W> {
    type Narrow = N;
    type Wide = W;

    const EMPTY: Self = Each { narrow: Directions::EMPTY, wide: Directions::EMPTY };

    fn fill(&mut self, schedule: &Schedule) {
        self.narrow.fill(schedule);
        self.wide.fill(schedule);
    }

    #[inline]
    fn narrow(&self, encrypt: bool) -> &Keys<N> {
        self.narrow.of(encrypt)
    }

    #[inline]
    fn wide(&self, encrypt: bool) -> &Keys<W> {
        self.wide.of(encrypt)
    }
}

/// Of the same layout.
#[derive(Clone)]
pub(crate) struct Both<L: Layout>(Directions<L>);

impl<L: Layout> Stored for Both<L> {
    type Narrow = L;
    type Wide = L;

    const EMPTY: Self = Both(Directions::EMPTY);

    fn fill(&mut self, schedule: &Schedule) {
        self.0.fill(schedule);
    }

    #[inline]
    fn narrow(&self, encrypt: bool) -> &Keys<L> {
        self.0.of(encrypt)
    }

    #[inline]
    fn wide(&self, encrypt: bool) -> &Keys<L> {
        self.0.of(encrypt)
    }
}

/// Round keys to encrypt and to decrypt.
#[derive(Clone)]
struct Directions<L: Layout> {
    encryption: Keys<L>,
    decryption: Keys<L>,
}

impl<L: Layout> Directions<L> {
    const EMPTY: Self = Directions { encryption: Keys::empty(), decryption: Keys::empty() };

    fn fill(&mut self, schedule: &Schedule) {
        self.encryption.encrypt_by(schedule);
        self.decryption.decrypt_by(schedule);
    }

    #[inline]
    fn of(&self, encrypt: bool) -> &Keys<L> {
        if encrypt { &self.encryption } else { &self.decryption }
    }
}

impl<K: Stored> Keyed<K> {
    #[inline(never)]
    fn new(choice: Choice<K::Narrow, K::Wide>, schedule: &Schedule) -> Self {
        let mut this = Keyed { choice, keys: K::EMPTY };
        this.keys.fill(schedule);
        this
    }

    #[inline(never)]
    fn copied(&self) -> Self {
        Keyed { choice: self.choice, keys: self.keys.clone() }
    }

    #[inline]
    fn blocks(&self, encrypt: bool, data: InOutBuf<'_, '_, u8>) {
        let Choice { narrow, wide, sizes, .. } = &self.choice;
        let at = sizes.0.wide_bytes(data.len());
        let (batches, left) = data.split_at(at);
        if !batches.is_empty() {
            wide.0.run(self.keys.wide(encrypt), batches);
        }
        if !left.is_empty() {
            narrow.0.kernel(left.len()).run(self.keys.narrow(encrypt), left);
        }
        self.choice.wipe();
    }

    #[inline]
    fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>) {
        let Choice { narrow, wide, sizes, .. } = &self.choice;
        let at = sizes.1.wide_bytes(data.len());
        let (batches, left) = data.split_at(at);
        let blocks = (batches.len() / size_of::<Block>()) as u64;
        if !batches.is_empty() {
            wide.1.run(self.keys.wide(true), counter, batches);
        }
        if !left.is_empty() {
            let low = (counter as u64).wrapping_add(blocks);
            let counter = counter & !u128::from(u64::MAX) | u128::from(low);
            narrow.1.kernel(left.len()).run(self.keys.narrow(true), counter, left);
        }
        self.choice.wipe();
    }
}

/// The same expression for kernels of each kind.
macro_rules! of_any_kind {
    ($kernels:expr, $keyed:ident => $value:expr) => {
        match $kernels {
            Kernels::Zmm(_, $keyed) => $value,
            Kernels::Less(_, $keyed) => $value,
            Kernels::AesSub(_, $keyed, _) => $value,
        }
    };
}

impl Clone for Kernels {
    #[inline(never)]
    fn clone(&self) -> Self {
        match self {
            Kernels::Zmm(_, keyed) => Kernels::Zmm(UNUSED, keyed.copied()),
            Kernels::Less(_, keyed) => Kernels::Less(UNUSED, keyed.copied()),
            Kernels::AesSub(_, keyed, _) => Kernels::AesSub(UNUSED, keyed.copied(), TAIL),
        }
    }
}

impl Kernels {
    /// Of a key of 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8], plan: Plan) -> Self {
        let mut schedule = Schedule::empty(plan.rounds);
        schedule.fill(key).expect("an ARIA key");
        Kernels::of(&schedule, plan)
    }

    // by itself, as `Keyed::new` is: where nothing is dropped, what a call gives goes straight to its place
    #[inline(never)]
    fn of(schedule: &Schedule, plan: Plan) -> Self {
        match plan.tier {
            TierPlan::Zmm(choice) => Kernels::Zmm(UNUSED, Keyed::new(choice, schedule)),
            TierPlan::Less(choice) => Kernels::Less(UNUSED, Keyed::new(choice, schedule)),
            TierPlan::AesSub(choice) => Kernels::AesSub(UNUSED, Keyed::new(choice, schedule), TAIL),
        }
    }

    /// Encrypts any number of blocks.
    #[inline]
    pub(crate) fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        of_any_kind!(self, keyed => keyed.blocks(true, bytes(blocks)));
    }

    /// Decrypts any number of blocks.
    #[inline]
    pub(crate) fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        of_any_kind!(self, keyed => keyed.blocks(false, bytes(blocks)));
    }

    /// Xors the keystream that starts at `counter` into the data, of any length. The low 64 bits of the counter count.
    #[inline]
    pub(crate) fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>) {
        of_any_kind!(self, keyed => keyed.xor_keystream(counter, data));
    }

    /// The widest registers that are used.
    pub(crate) fn width(&self) -> Width {
        of_any_kind!(self, keyed => keyed.choice.tier.width())
    }

    /// Up to so many bytes at a time, the kernel of this name.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> + use<> {
        // of one type whatever the kind: those of the tier and the widest's
        let mut rows = [None; plan::ROWS + 1];
        of_any_kind!(self, keyed => rows.iter_mut().zip(keyed.choice.rows()).for_each(|(to, row)| *to = Some(row)));
        rows.into_iter().flatten()
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use byways_kernels::cpu::Features;
    use cipher::{BlockCipherEncrypt, BlockSizeUser, KeyInit, consts};

    use super::*;

    /// Against crate `aria`, as if the CPU did not have a feature.
    fn check<C: BlockCipherEncrypt + BlockSizeUser<BlockSize = consts::U16> + KeyInit>(without: &str) {
        let cpu = Detected::get().only(Features::all().without(Features::named(without)));
        let has = |features| cpu.features().contains(Features::named(features));
        let width = match () {
            () if has("avx512f,avx512bw,avx512vl,gfni") => Width::Zmm,
            () if has("avx2,gfni") => Width::Ymm,
            () if has("gfni,ssse3") || has("aes,ssse3") => Width::Xmm,
            () => {
                std::eprintln!("not run, since no kernel of ARIA can: a CPU without `{without}`");
                return;
            }
        };
        let plan = Plan::new(Width::Zmm, cpu).expect("a tier for these features");
        let key: Vec<u8> = (0..C::key_size() as u8).map(|i| i.wrapping_mul(59) ^ 0xa6).collect();
        let kernels = Kernels::new(&key, plan);
        assert_eq!(kernels.width(), width, "without `{without}`");
        let names: Vec<&str> = kernels.rows().map(|(_, name)| name).collect();
        assert!(names.iter().all(|name| name.contains("_aessub_") != has("gfni")), "{names:?}");
        let oracle = C::new_from_slice(&key).expect("a key's length");
        let encrypted = |block: u128| {
            let mut block = block.to_be_bytes().into();
            oracle.encrypt_block(&mut block);
            block
        };
        for blocks in 0..=200_u64 {
            let plain: Vec<u128> = (0..blocks).map(|i| u128::from(i) << 70 | 0x5a5a).collect();
            let expected: Vec<Block> = plain.iter().copied().map(encrypted).collect();
            let plain: Vec<Block> = plain.into_iter().map(|block| block.to_be_bytes().into()).collect();
            let mut data = plain.clone();
            kernels.encrypt(data.as_mut_slice().into());
            assert_eq!(data, expected, "{blocks} blocks without `{without}`");
            kernels.decrypt(data.as_mut_slice().into());
            assert_eq!(data, plain, "{blocks} blocks without `{without}`, decryption");

            // the low half wraps amid it, two bytes of it, and one
            for end in [u64::MAX, 0x1234_5678_9abc_ffff, 0x1234_5678_9abc_deff] {
                let counter = |i| 7 << 64 | u128::from((end - blocks / 2).wrapping_add(i));
                let keystream: Vec<u8> = (0..blocks).flat_map(|i| encrypted(counter(i))).collect();
                let bytes = keystream.len().saturating_sub(blocks as usize % 16);
                let mut data = keystream[..bytes].to_vec();
                kernels.xor_keystream(counter(0), data.as_mut_slice().into());
                assert_eq!(data, vec![0; bytes], "{bytes} bytes of keystream without `{without}`, to {end:#x}");
            }
        }
    }

    /// On this CPU the tiers of others are never chosen, but where it cannot run them.
    #[test]
    fn every_tier_is_aria_on_a_cpu_that_has_no_more() {
        for without in ["gfni", "avx512f", "avx512f,avx2"] {
            check::<aria::Aria128>(without);
            check::<aria::Aria192>(without);
            check::<aria::Aria256>(without);
        }
    }
}
