//! The kernels behind a CRC, or none.

use crate::Width;

#[cfg(target_arch = "x86_64")]
use generated as here;
#[cfg(not(target_arch = "x86_64"))]
use nothing as here;

/// What kernels need of a polynomial, and which of them are used.
#[derive(Clone)]
pub(crate) struct Engine {
    kernels: here::Kernels,
}

impl Engine {
    /// For the polynomial of `width` bits, which is as in the catalogue, and the order of the bits in a byte.
    pub(crate) const fn new(width: u8, poly: u64, refin: bool) -> Self {
        Engine { kernels: here::Kernels::new(width, poly, refin) }
    }

    /// The same, with registers at most so wide.
    pub(crate) const fn limited(self, width: Width) -> Self {
        Engine { kernels: self.kernels.limited(width) }
    }

    /// The register after `bytes`; none if no kernels are chosen.
    #[inline]
    pub(crate) fn update(&self, register: u64, bytes: &[u8]) -> Option<u64> {
        self.kernels.update(register, bytes)
    }

    /// Chooses kernels, if the CPU has what they need and they are not too wide.
    pub(crate) fn choose(&self) {
        self.kernels.choose();
    }

    /// Whether it was found that there are none to choose.
    pub(crate) fn is_fallback(&self) -> bool {
        self.kernels.is_fallback()
    }

    /// The widest registers that it uses.
    pub(crate) fn width(&self) -> Width {
        self.kernels.tier().map_or(Width::Fallback, |tier| tier.width())
    }

    /// Up to so many bytes, the kernel of this name; none on the fallback.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.kernels.tier().into_iter().flat_map(|tier| tier.rows())
    }
}

/// Which kernels run is chosen anew when it is needed: after a limit was changed.
pub(crate) fn choose_anew() {
    here::choose_anew();
}

#[cfg(target_arch = "x86_64")]
mod generated {
    use core::sync::atomic::{AtomicBool, Ordering};

    use byways_kernels::cpu::{Chosen, Detected};
    use byways_kernels::crc::{CRC32C, Constants, FoldFn};
    use byways_kernels::crc_fold::LANES;

    use crate::dispatch::{Width, widest_of, width_limit};
    use crate::plan::{self, Plan, Tier};

    type Function = FoldFn<LANES>;

    /// What there are plans for.
    static KINDS: [&[Tier<Function>]; 3] = [&plan::LSB, &plan::MSB, &plan::CRC32C];

    /// Places for each kind: one for each limit that an object may have of its own, and one without.
    const PLACES: usize = 8;

    /// All places: a power of two, so that no index needs a test.
    const ALL_PLACES: usize = (KINDS.len() * PLACES).next_power_of_two();

    /// The plans in force. Nothing stands where nobody has asked yet, and for the fallback.
    static CHOSEN: [Chosen<Plan<Function>>; ALL_PLACES] = [const { Chosen::new() }; ALL_PLACES];

    /// Where the fallback was chosen.
    static FALLBACK: [AtomicBool; ALL_PLACES] = [const { AtomicBool::new(false) }; ALL_PLACES];

    #[derive(Clone)]
    pub(super) struct Kernels {
        /// A place in [`CHOSEN`]: [`PLACES`] times the kind, and the limit's place in [`Width::ALL`] or the one behind.
        place: u8,
        constants: Constants<LANES>,
    }

    impl Kernels {
        pub(super) const fn new(width: u8, poly: u64, refin: bool) -> Self {
            const { assert!(Width::ALL.len() < PLACES) }
            let kind = match (refin, width, poly) {
                (true, 32, CRC32C) => 2,
                (true, ..) => 0,
                (false, ..) => 1,
            };
            let place = (kind * PLACES + Width::ALL.len()) as u8;
            Kernels { place, constants: Constants::new(width, poly) }
        }

        pub(super) const fn limited(mut self, width: Width) -> Self {
            self.place = self.place / PLACES as u8 * PLACES as u8 + width as u8;
            self
        }

        #[inline]
        fn place(&self) -> usize {
            usize::from(self.place) % ALL_PLACES
        }

        #[inline]
        pub(super) fn update(&self, register: u64, bytes: &[u8]) -> Option<u64> {
            CHOSEN[self.place()].get().map(|plan| plan.kernel(bytes.len()).run(&self.constants, register, bytes))
        }

        pub(super) fn choose(&self) {
            let place = self.place();
            loop {
                let limit = width_limit();
                let plan = self.plan(limit).map(|(_, plan)| plan);
                CHOSEN[place].set(plan);
                FALLBACK[place].store(plan.is_none(), Ordering::SeqCst);
                // who changed the limit in between may have taken back what was not yet there
                if width_limit() == limit {
                    return;
                }
            }
        }

        pub(super) fn is_fallback(&self) -> bool {
            FALLBACK[self.place()].load(Ordering::Relaxed)
        }

        fn plan(&self, limit: Option<Width>) -> Option<(&'static Tier<Function>, &'static Plan<Function>)> {
            let (kind, own) = (usize::from(self.place) / PLACES, usize::from(self.place) % PLACES);
            let cpu = Detected::get();
            plan::plan(KINDS[kind], widest_of([Width::ALL.get(own).copied(), limit], cpu), cpu)
        }

        pub(super) fn tier(&self) -> Option<&'static Tier<Function>> {
            self.plan(width_limit()).map(|(tier, _)| tier)
        }
    }

    pub(super) fn choose_anew() {
        CHOSEN.iter().for_each(|chosen| chosen.set(None));
        FALLBACK.iter().for_each(|fallback| fallback.store(false, Ordering::SeqCst));
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

        pub(super) const fn limited(self, _: Width) -> Self {
            self
        }

        #[inline]
        pub(super) fn update(&self, _: u64, _: &[u8]) -> Option<u64> {
            None
        }

        pub(super) fn choose(&self) {}

        pub(super) fn is_fallback(&self) -> bool {
            true
        }

        pub(super) fn tier(&self) -> Option<Tier> {
            None
        }
    }

    pub(super) fn choose_anew() {}
}
