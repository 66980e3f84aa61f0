//! The generated kernels, and which of them for how many blocks.
//!
//! The widest takes as many of its batches as there are; what is left, fewer blocks than that, goes to the cheapest kernel
//! that takes them all at once, filled up with zeros.

use byways_kernels::cpu::{Detected, Gfni, Proven};
use byways_kernels::inout::InOutBuf;
use byways_kernels::keys::aria::{CtrFn, EcbFn, Grid, Keys, Layout, Packed, Schedule, Sliced};
use byways_kernels::mem::bytes;

use super::Block;
use crate::dispatch::Width;
use crate::plan::{self, Tier};

/// Kernels that this CPU runs.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    ecb: &'static Tier<EcbFn<Packed>>,
    narrow: (&'static plan::Plan<EcbFn<Packed>>, &'static plan::Plan<CtrFn<Packed>>),
    wide: Wide<(Proven<EcbFn<Grid>>, Proven<CtrFn<Grid>>), (Proven<EcbFn<Sliced>>, Proven<CtrFn<Sliced>>)>,
    wide_name: &'static str,
    sizes: plan::AriaSizes,
    gfni: Gfni,
}

/// What is different with the layout of the widest kernel's keys.
#[derive(Clone, Copy)]
enum Wide<G, S> {
    Grid(G),
    Sliced(S),
}

impl Plan {
    /// Those of the widest tier up to `limit`, if there is one.
    pub(crate) fn new(limit: Width, cpu: Detected) -> Option<Self> {
        let gfni = cpu.gfni()?;
        let (ecb, narrow) = plan::plan(&plan::ARIA_ECB, limit, cpu)?;
        let (_, ctr) = plan::plan(&plan::ARIA_CTR, ecb.width(), cpu)?;
        let (wide, wide_name) = if ecb.width() == Width::Zmm {
            let (tier, ecb) = plan::plan(&plan::ARIA_ECB_GRID, limit, cpu)?;
            let (_, ctr) = plan::plan(&plan::ARIA_CTR_GRID, limit, cpu)?;
            (Wide::Grid((ecb.kernel(0), ctr.kernel(0))), tier.rows().next()?.1)
        } else {
            let (tier, of_ecb) = plan::plan(&plan::ARIA_ECB_SLICED, ecb.width(), cpu)?;
            let (_, of_ctr) = plan::plan(&plan::ARIA_CTR_SLICED, ecb.width(), cpu)?;
            (Wide::Sliced((of_ecb.kernel(0), of_ctr.kernel(0))), tier.rows().next()?.1)
        };
        let sizes = plan::aria_sizes(ecb.width());
        Some(Plan { ecb, narrow: (narrow, ctr), wide, wide_name, sizes, gfni })
    }
}

/// The round keys of both directions, wiped on drop, and the kernels that work with them.
#[derive(Clone)]
pub(crate) struct Kernels {
    plan: Plan,
    narrow: Directions<Packed>,
    wide: WideKeys,
}

/// The widest kernel's keys: of the layout that its tier has.
// they are used in place, so that no copy of one is left behind
#[allow(clippy::large_enum_variant)]
#[derive(Clone)]
enum WideKeys {
    Grid(Directions<Grid>),
    Sliced(Directions<Sliced>),
}

/// Round keys to encrypt and to decrypt.
#[derive(Clone)]
struct Directions<L: Layout> {
    encryption: Keys<L>,
    decryption: Keys<L>,
}

impl<L: Layout> Directions<L> {
    fn new(schedule: &Schedule) -> Self {
        Directions { encryption: Keys::encryption(schedule), decryption: Keys::decryption(schedule) }
    }

    #[inline]
    fn of(&self, encrypt: bool) -> &Keys<L> {
        if encrypt { &self.encryption } else { &self.decryption }
    }
}

impl Kernels {
    /// Of a key of 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8], plan: Plan) -> Self {
        let schedule = Schedule::new(key, plan.gfni).expect("an ARIA key");
        let wide = match plan.wide {
            Wide::Grid(_) => WideKeys::Grid(Directions::new(&schedule)),
            Wide::Sliced(_) => WideKeys::Sliced(Directions::new(&schedule)),
        };
        Kernels { plan, narrow: Directions::new(&schedule), wide }
    }

    /// Encrypts any number of blocks.
    #[inline]
    pub(crate) fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.blocks(true, bytes(blocks));
    }

    /// Decrypts any number of blocks.
    #[inline]
    pub(crate) fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.blocks(false, bytes(blocks));
    }

    #[inline]
    fn blocks(&self, encrypt: bool, data: InOutBuf<'_, '_, u8>) {
        let at = self.plan.sizes.wide_bytes(data.len());
        let (wide, narrow) = data.split_at(at);
        if !wide.is_empty() {
            match (&self.plan.wide, &self.wide) {
                (Wide::Grid((kernel, _)), WideKeys::Grid(keys)) => kernel.run(keys.of(encrypt), wide),
                (Wide::Sliced((kernel, _)), WideKeys::Sliced(keys)) => kernel.run(keys.of(encrypt), wide),
                _ => unreachable!("keys of the plan's layout"),
            }
        }
        if !narrow.is_empty() {
            self.plan.narrow.0.kernel(narrow.len()).run(self.narrow.of(encrypt), narrow);
        }
    }

    /// Xors the keystream that starts at `counter` into the data, of any length. The low 64 bits of the counter count.
    #[inline]
    pub(crate) fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>) {
        let at = self.plan.sizes.wide_bytes(data.len());
        let (wide, narrow) = data.split_at(at);
        let blocks = (wide.len() / 16) as u64;
        if !wide.is_empty() {
            match (&self.plan.wide, &self.wide) {
                (Wide::Grid((_, kernel)), WideKeys::Grid(keys)) => kernel.run(&keys.encryption, counter, wide),
                (Wide::Sliced((_, kernel)), WideKeys::Sliced(keys)) => kernel.run(&keys.encryption, counter, wide),
                _ => unreachable!("keys of the plan's layout"),
            }
        }
        if !narrow.is_empty() {
            let low = (counter as u64).wrapping_add(blocks);
            let counter = counter & !u128::from(u64::MAX) | u128::from(low);
            self.plan.narrow.1.kernel(narrow.len()).run(&self.narrow.encryption, counter, narrow);
        }
    }

    /// The widest registers that are used.
    pub(crate) fn width(&self) -> Width {
        self.plan.ecb.width()
    }

    /// Up to so many bytes at a time, the kernel of this name.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> + use<> {
        let most = self.plan.sizes.narrow;
        let narrow = self.plan.ecb.rows().map(move |(bytes, name)| (bytes.min(most), name));
        narrow.chain([(usize::MAX, self.plan.wide_name)])
    }
}
