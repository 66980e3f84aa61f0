//! How wide registers may be: by CPU, by request, by compile-time configuration.

use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU8, Ordering};

use byways_kernels::cpu::Detected;

/// A tier: the widest registers that are used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// None of ours: the crates that stand in where there are no kernels, which look at the CPU themselves.
    Fallback,
    /// 128 bits: AES-NI, or PCLMULQDQ.
    Xmm,
    /// 256 bits: VAES, or VPCLMULQDQ, with AVX2.
    Ymm,
    /// 512 bits: the same with AVX-512.
    Zmm,
}

impl Width {
    /// Every width, narrowest first.
    pub const ALL: [Width; 4] = [Width::Fallback, Width::Xmm, Width::Ymm, Width::Zmm];

    /// The name, as the environment and the command line take it.
    pub const fn name(self) -> &'static str {
        match self {
            Width::Fallback => "fallback",
            Width::Xmm => "xmm",
            Width::Ymm => "ymm",
            Width::Zmm => "zmm",
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A width of no known name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownWidth;

impl fmt::Display for UnknownWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown width; there are `fallback`, `xmm`, `ymm`, `zmm`")
    }
}

impl core::error::Error for UnknownWidth {}

impl FromStr for Width {
    type Err = UnknownWidth;

    fn from_str(name: &str) -> Result<Self, UnknownWidth> {
        Width::ALL.into_iter().find(|width| width.name() == name).ok_or(UnknownWidth)
    }
}

/// The environment's limit, which [`limit_width`] replaces.
#[cfg(feature = "std")]
pub const VARIABLE: &str = "BYWAYS_MAX_WIDTH";

/// What was asked for: [`UNREAD`], [`UNLIMITED`], or a width's place in [`Width::ALL`].
static LIMIT: AtomicU8 = AtomicU8::new(UNREAD);
const UNREAD: u8 = u8::MAX;
const UNLIMITED: u8 = u8::MAX - 1;

/// The widest that was compiled in: `--cfg byways_max_width="xmm"`, or another width's name, in `RUSTFLAGS`.
const COMPILED: Width = if cfg!(byways_max_width = "fallback") {
    Width::Fallback
} else if cfg!(byways_max_width = "xmm") {
    Width::Xmm
} else if cfg!(byways_max_width = "ymm") {
    Width::Ymm
} else {
    Width::Zmm
};

/// Limits the width of what is built from now on, since keyed objects take their plan when they are built, and of CRCs
/// from now on.
///
/// It replaces the limit that the environment variable `BYWAYS_MAX_WIDTH` sets (with feature `std`; a value that is no
/// width's name is ignored). `Width::Zmm` lifts the limit, also on CPUs whose clock drops while zmm registers are used
/// and that go by ymm unless asked. It cannot lift `--cfg byways_max_width="…"`.
///
/// ```
/// use byways::{Aes128, Width, cipher::KeyInit, limit_width};
/// limit_width(Width::Xmm);
/// assert!(Aes128::new(&[0; 16].into()).width() <= Width::Xmm);
/// ```
pub fn limit_width(width: Width) {
    LIMIT.store(width as u8, Ordering::SeqCst);
    crate::crc::choose_anew();
}

/// The limit that was asked for, by [`limit_width`] or the environment.
pub fn width_limit() -> Option<Width> {
    let mut limit = LIMIT.load(Ordering::SeqCst);
    if limit == UNREAD {
        limit = environment().map_or(UNLIMITED, |width| width as u8);
        // a limit that was set in between stays
        limit = LIMIT
            .compare_exchange(UNREAD, limit, Ordering::Relaxed, Ordering::Relaxed)
            .map_or_else(|set| set, |_| limit);
    }
    Width::ALL.get(usize::from(limit)).copied()
}

#[cfg(feature = "std")]
fn environment() -> Option<Width> {
    std::env::var(VARIABLE).ok()?.parse().ok()
}

#[cfg(not(feature = "std"))]
fn environment() -> Option<Width> {
    None
}

/// The widest that an object may take which was asked to be at most `object` wide.
pub(crate) fn widest(object: Option<Width>, cpu: Detected) -> Width {
    widest_of([object, width_limit()], cpu)
}

/// The widest within these limits.
pub(crate) fn widest_of(limits: [Option<Width>; 2], cpu: Detected) -> Width {
    let asked = limits.into_iter().flatten().min();
    let default = if cpu.slows_for_zmm() { Width::Ymm } else { Width::Zmm };
    asked.unwrap_or(default).min(COMPILED)
}
