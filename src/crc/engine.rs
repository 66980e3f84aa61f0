//! The kernels behind a CRC, or none.

use crate::Width;

#[cfg(target_arch = "x86_64")]
use generated as here;
#[cfg(not(target_arch = "x86_64"))]
use nothing as here;

/// What kernels need of a polynomial, and which of them are used.
#[derive(Clone)]
pub(crate) struct Engine {
    /// Registers at most so wide: a place in [`Width::ALL`], or [`UNLIMITED`].
    limit: u8,
    kernels: here::Kernels,
}

/// No limit of the object's own.
const UNLIMITED: u8 = Width::ALL.len() as u8;

impl Engine {
    /// For the polynomial of `width` bits, which is as in the catalogue, and the order of the bits in a byte.
    pub(crate) const fn new(width: u8, poly: u64, refin: bool) -> Self {
        Engine { limit: UNLIMITED, kernels: here::Kernels::new(width, poly, refin) }
    }

    /// The same, with registers at most so wide.
    pub(crate) const fn limited(mut self, width: Width) -> Self {
        self.limit = width as u8;
        self
    }

    /// The register after `bytes`; none if no kernel is used.
    #[inline]
    pub(crate) fn update(&self, register: u64, bytes: &[u8]) -> Option<u64> {
        self.kernels.update(self.limit, register, bytes)
    }

    /// The widest registers that it uses.
    pub(crate) fn width(&self) -> Width {
        self.kernels.tier(self.limit).map_or(Width::Fallback, |tier| tier.width())
    }

    /// Up to so many bytes, the kernel of this name; none on the fallback.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.kernels.tier(self.limit).into_iter().flat_map(|tier| tier.rows())
    }
}

/// Which kernels run is chosen anew when it is needed: after a limit was changed.
pub(crate) fn choose_anew() {
    here::choose_anew();
}

#[cfg(target_arch = "x86_64")]
mod generated {
    use byways_kernels::cpu::{Chosen, Detected};
    use byways_kernels::crc::{Constants, FoldFn};
    use byways_kernels::crc_fold::LANES;

    use super::UNLIMITED;
    use crate::dispatch::{Width, widest, width_limit};
    use crate::plan::{self, Plan, Tier};

    /// The plans in force, by kind and by the limit that a CRC has of its own. Nothing stands where nobody has asked
    /// yet, and for the fallback.
    static CHOSEN: [[Chosen<Plan<FoldFn<LANES>>>; LIMITS]; KINDS.len()] =
        [const { [const { Chosen::new() }; LIMITS] }; KINDS.len()];
    const LIMITS: usize = UNLIMITED as usize + 1;

    /// What there are plans for.
    static KINDS: [&[Tier<FoldFn<LANES>>]; 2] = [&plan::LSB, &plan::MSB];

    #[derive(Clone)]
    pub(super) struct Kernels {
        /// A place in [`KINDS`].
        kind: u8,
        constants: Constants<LANES>,
    }

    impl Kernels {
        pub(super) const fn new(width: u8, poly: u64, refin: bool) -> Self {
            Kernels { kind: if refin { 0 } else { 1 }, constants: Constants::new(width, poly) }
        }

        #[inline]
        pub(super) fn update(&self, limit: u8, register: u64, bytes: &[u8]) -> Option<u64> {
            let chosen = CHOSEN[usize::from(self.kind)][usize::from(limit)].get();
            let plan = match chosen {
                Some(plan) => plan,
                None => self.choose(limit)?,
            };
            Some(plan.kernel(bytes.len()).run(&self.constants, register, bytes))
        }

        #[cold]
        fn choose(&self, limit: u8) -> Option<&'static Plan<FoldFn<LANES>>> {
            let chosen = &CHOSEN[usize::from(self.kind)][usize::from(limit)];
            loop {
                let before = width_limit();
                let plan = self.plan(limit).map(|(_, plan)| plan);
                chosen.set(plan);
                // who changed the limit in between may have taken back what was not yet there
                if width_limit() == before {
                    return plan;
                }
            }
        }

        fn plan(&self, limit: u8) -> Option<(&'static Tier<FoldFn<LANES>>, &'static Plan<FoldFn<LANES>>)> {
            let cpu = Detected::get();
            let limit = widest(Width::ALL.get(usize::from(limit)).copied(), cpu);
            plan::plan(KINDS[usize::from(self.kind)], limit, cpu)
        }

        pub(super) fn tier(&self, limit: u8) -> Option<&'static Tier<FoldFn<LANES>>> {
            self.plan(limit).map(|(tier, _)| tier)
        }
    }

    pub(super) fn choose_anew() {
        CHOSEN.iter().flatten().for_each(|chosen| chosen.set(None));
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod nothing {
    use crate::Width;

    #[derive(Clone)]
    pub(super) struct Kernels;

    /// A tier that there is none of.
    pub(super) enum Tier {}

    impl Tier {
        pub(super) fn width(&self) -> Width {
            match *self {}
        }

        pub(super) fn rows(&self) -> core::iter::Empty<(usize, &'static str)> {
            match *self {}
        }
    }

    impl Kernels {
        pub(super) const fn new(_: u8, _: u64, _: bool) -> Self {
            Kernels
        }

        #[inline]
        pub(super) fn update(&self, _: u8, _: u64, _: &[u8]) -> Option<u64> {
            None
        }

        pub(super) fn tier(&self, _: u8) -> Option<Tier> {
            None
        }
    }

    pub(super) fn choose_anew() {}
}
