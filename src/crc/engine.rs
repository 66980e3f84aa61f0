//! The kernels behind a CRC, or none.

use super::CRC_32_ISCSI;
use crate::Width;

#[cfg(target_arch = "x86_64")]
use generated as here;
#[cfg(not(target_arch = "x86_64"))]
use nothing as here;

/// Which kernels are for a CRC.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Those of CRCs that take the lowest bit of a byte first.
    Lsb,
    /// Those of CRCs that take the highest bit of a byte first.
    Msb,
    /// Those of CRC-32C.
    Crc32c,
}

impl Kind {
    /// For the polynomial of `width` bits, above which others do not count, and the order of the bits in a byte.
    pub(crate) const fn of(width: u8, poly: u64, refin: bool) -> Self {
        const CRC32C: u64 = CRC_32_ISCSI.poly as u64;
        match (refin, width, poly & u64::MAX >> (64 - width)) {
            (true, 32, CRC32C) => Kind::Crc32c,
            (true, ..) => Kind::Lsb,
            (false, ..) => Kind::Msb,
        }
    }
}

/// What kernels need of a polynomial, and which of them are used.
#[derive(Clone)]
pub(crate) struct Engine {
    kernels: here::Kernels,
}

impl Engine {
    /// For the polynomial of `width` bits, which is as in the catalogue, and the order of the bits in a byte.
    pub(crate) const fn new(width: u8, poly: u64, refin: bool) -> Self {
        Engine { kernels: here::Kernels::new(Kind::of(width, poly, refin), width, poly) }
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
    use byways_kernels::crc::{Constants, FoldFn};
    use byways_kernels::crc_fold::LANES;

    use super::Kind;
    use crate::dispatch::{Width, widest_of, width_limit};
    use crate::plan::{self, Plan, Tier};

    type Function = FoldFn<LANES>;

    /// Every kind.
    const KINDS: [Kind; 3] = [Kind::Lsb, Kind::Msb, Kind::Crc32c];

    const fn tiers(kind: Kind) -> &'static [Tier<Function>] {
        match kind {
            Kind::Lsb => &plan::LSB,
            Kind::Msb => &plan::MSB,
            Kind::Crc32c => &plan::CRC32C,
        }
    }

    /// Places for each kind: one for each limit that an object may have of its own, and one without.
    const PLACES: usize = 8;

    /// All places: a power of two, so that no index needs a test.
    const ALL_PLACES: usize = (KINDS.len() * PLACES).next_power_of_two();

    /// The plans in force. Nothing stands where nobody has asked yet, and for the fallback.
    static CHOSEN: [Chosen<Plan<Function>>; ALL_PLACES] = [const { Chosen::new() }; ALL_PLACES];

    /// Where the fallback was chosen.
    static FALLBACK: [AtomicBool; ALL_PLACES] = [const { AtomicBool::new(false) }; ALL_PLACES];

    const fn place(kind: Kind, limit: usize) -> u8 {
        (kind as usize * PLACES + limit) as u8
    }

    #[derive(Clone)]
    pub(super) struct Kernels {
        kind: Kind,
        /// A place in [`CHOSEN`]: [`PLACES`] times the kind, and the limit's place in [`Width::ALL`] or the one behind.
        place: u8,
        constants: Constants<LANES>,
    }

    impl Kernels {
        pub(super) const fn new(kind: Kind, width: u8, poly: u64) -> Self {
            const { assert!(Width::ALL.len() < PLACES) }
            Kernels { kind, place: place(kind, Width::ALL.len()), constants: Constants::new(width, poly) }
        }

        pub(super) const fn limited(mut self, width: Width) -> Self {
            self.place = place(self.kind, width as usize);
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
            let own = Width::ALL.get(usize::from(self.place) % PLACES).copied();
            let cpu = Detected::get();
            plan::plan(tiers(self.kind), widest_of([own, limit], cpu), cpu)
        }

        pub(super) fn tier(&self) -> Option<&'static Tier<Function>> {
            self.plan(width_limit()).map(|(tier, _)| tier)
        }
    }

    pub(super) fn choose_anew() {
        CHOSEN.iter().for_each(|chosen| chosen.set(None));
        FALLBACK.iter().for_each(|fallback| fallback.store(false, Ordering::SeqCst));
    }

    #[cfg(all(test, feature = "std"))]
    mod tests {
        use core::ptr;

        use super::*;
        use crate::crc::{CRC_32_BZIP2, CRC_32_ISCSI, CRC_32_ISO_HDLC, Crc};
        use crate::dispatch::limit_width;

        /// The rows of the plan that its data go by; none on the fallback.
        fn in_force(crc: &Crc<u32>) -> Vec<(usize, &'static str)> {
            let kernels = &crc.engine.kernels;
            let chosen = CHOSEN[kernels.place()].get();
            let plans = Width::ALL.map(|width| plan::plan(tiers(kernels.kind), width, Detected::get()));
            let plan =
                plans.into_iter().flatten().find(|(_, plan)| chosen.is_some_and(|chosen| ptr::eq(chosen, *plan)));
            assert_eq!(plan.is_none(), chosen.is_none(), "a plan of another kind");
            plan.into_iter().flat_map(|(tier, _)| tier.rows()).collect()
        }

        #[test]
        fn kernels_are_chosen_anew_under_another_limit() {
            let algorithms = [&CRC_32_ISO_HDLC, &CRC_32_BZIP2, &CRC_32_ISCSI];
            let crcs = algorithms.map(Crc::<u32>::new);
            assert!(crcs.iter().map(|crc| crc.engine.kernels.kind).eq(KINDS));
            let crcs = crcs.iter().cloned().chain(crcs.iter().cloned().map(|crc| crc.with_max_width(Width::Ymm)));
            let crcs: Vec<Crc<u32>> = crcs.collect();
            for limit in [Width::Zmm, Width::Xmm, Width::Fallback, Width::Ymm, Width::Zmm] {
                limit_width(limit);
                for crc in &crcs {
                    assert_eq!(crc.checksum(b"123456789"), crc.algorithm.check);
                    let rows = in_force(crc);
                    assert!(rows.iter().copied().eq(crc.plan()), "{limit}: {rows:?}");
                    let width = |name: &str| name.rsplit('_').next().unwrap().parse::<Width>().unwrap();
                    assert!(rows.iter().all(|(_, name)| width(name) <= limit), "{limit}: {rows:?}");
                }
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod nothing {
    use super::Kind;
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
        pub(super) const fn new(_: Kind, _: u8, _: u64) -> Self {
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
