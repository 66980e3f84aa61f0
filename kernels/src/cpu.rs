//! What a CPU can do, by a pure function of CPUID and XCR0, and the proof that a kernel may run.
//!
//! A [`Features`] is just a set. A [`Detected`] is one that this CPU has; it can be had by detection only, and narrowed.
//! A [`Kernel`] gives up its function as [`Proven`] against a `Detected` only, which is what makes calling it safe.

use core::fmt;
#[cfg(target_arch = "x86_64")]
use core::sync::atomic::{AtomicU32, Ordering};

pub use model::Model;
pub use plan::{ByLength, Chosen, ProvenByLength};

#[cfg(target_arch = "x86_64")]
use crate::aria;
#[cfg(target_arch = "x86_64")]
use crate::keys::{
    self, RoundKey,
    aria::{MOST, Rounds},
};

mod model;
mod plan;

/// A row of the table that `byways-codegen` keeps.
struct Row {
    name: &'static str,
    shown: fn(&Leaves) -> bool,
    saved: Saved,
    implies: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Saved {
    Sse,
    Avx,
    Avx512,
}

const ROWS: &[Row] = &byways_macros::features!();

/// The four registers that a CPUID leaf gives.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs)]
pub struct Registers {
    pub eax: u32,
    pub ebx: u32,
    pub ecx: u32,
    pub edx: u32,
}

/// A CPUID leaf, its subleaf 0.
#[cfg(target_arch = "x86_64")]
fn cpuid(leaf: u32) -> Registers {
    // SAFETY: every x86-64 CPU has CPUID.
    #[allow(unused_unsafe)]
    let found = unsafe { core::arch::x86_64::__cpuid_count(leaf, 0) };
    Registers { eax: found.eax, ebx: found.ebx, ecx: found.ecx, edx: found.edx }
}

/// What detection looks at: CPUID leaves 1 and 7 (subleaf 0), zero where there is no such leaf, and XCR0, zero where the
/// operating system does not use XSAVE.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs)]
pub struct Leaves {
    pub leaf1: Registers,
    pub leaf7: Registers,
    pub xcr0: u64,
}

/// In CPUID leaf 1, ecx: there is XSAVE.
#[cfg(target_arch = "x86_64")]
const XSAVE: u32 = 1 << 26;

/// In CPUID leaf 1, ecx: the operating system uses it.
const OSXSAVE: u32 = 1 << 27;

impl Leaves {
    fn leaf(&self, leaf: u32) -> Registers {
        match leaf {
            1 => self.leaf1,
            7 => self.leaf7,
            _ => Registers::default(),
        }
    }

    /// Whether the operating system saves these registers (Intel SDM volume 1, section 13.3): XCR0 counts only where
    /// CPUID shows OSXSAVE, and the zmm bits only together with those of xmm and ymm.
    fn saves(&self, saved: Saved) -> bool {
        let bits = match saved {
            Saved::Sse => return true,
            Saved::Avx => 0b0000_0110,
            Saved::Avx512 => 0b1110_0110,
        };
        self.leaf1.ecx & OSXSAVE != 0 && self.xcr0 & bits == bits
    }

    /// Whether the CPU lowers its clock while zmm registers are used, so that ymm are the better default: Skylake-X,
    /// Cascade and Cooper Lake; Ice Lake; Tiger Lake (the list that Linux keeps as `zmm_exclusion_list`).
    pub const fn slows_for_zmm(&self) -> bool {
        matches!(model::family_model(self.leaf1.eax), (6, 0x55 | 0x6a | 0x6c | 0x7d | 0x7e | 0x8c | 0x8d | 0x9d))
    }

    /// Of the CPU that this runs on.
    #[cfg(target_arch = "x86_64")]
    fn read() -> Self {
        use core::arch::x86_64::_xgetbv;

        #[target_feature(enable = "xsave")]
        fn xcr0() -> u64 {
            // SAFETY: XCR0 is there wherever XSAVE is.
            #[allow(unused_unsafe)]
            unsafe {
                _xgetbv(0)
            }
        }
        let leaf7 = if cpuid(0).eax >= 7 { cpuid(7) } else { Registers::default() };
        let mut leaves = Leaves { leaf1: cpuid(1), leaf7, xcr0: 0 };
        if leaves.leaf1.ecx & XSAVE != 0 && leaves.leaf1.ecx & OSXSAVE != 0 {
            // SAFETY: the CPU has XSAVE and the operating system uses it.
            leaves.xcr0 = unsafe { xcr0() };
        }
        leaves
    }
}

/// A set of CPU features, out of those that some kernel needs or the compiler may use in one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Features(u32);

impl Features {
    /// None.
    pub const NONE: Features = Features(0);

    /// Those that these leaves show, that the operating system saves the registers of, and for which the same holds of
    /// every feature that the compiler takes them to imply.
    ///
    /// ```
    /// use byways_kernels::cpu::{Features, Leaves, Registers};
    /// let all = Registers { eax: !0, ebx: !0, ecx: !0, edx: !0 };
    /// let of = |xcr0| Features::of(&Leaves { leaf1: all, leaf7: all, xcr0 });
    /// assert!(of(0x3).has("aes") && !of(0x3).has("avx2"));
    /// assert!(of(0x7).has("vaes") && !of(0x7).has("avx512f"));
    /// assert!(of(0xe7).has("avx512f"));
    /// ```
    pub fn of(leaves: &Leaves) -> Self {
        ROWS.iter().enumerate().fold(Features::NONE, |features, (i, row)| {
            let implied = row.implies.iter().all(|implied| features.has(implied));
            let has = (row.shown)(leaves) && leaves.saves(row.saved) && implied;
            Features(features.0 | u32::from(has) << i)
        })
    }

    /// Those of a list as `#[target_feature]` takes it: names with commas between them.
    ///
    /// # Panics
    /// If a name is unknown. In a constant, that is a compile error.
    pub const fn named(list: &str) -> Self {
        let list = list.as_bytes();
        let (mut features, mut start, mut end) = (0, 0, 0);
        while end <= list.len() {
            if end == list.len() || list[end] == b',' {
                let mut i = 0;
                while !equal(ROWS[i].name.as_bytes(), list, start, end) {
                    i += 1;
                    assert!(i < ROWS.len(), "no such CPU feature");
                }
                features |= 1 << i;
                start = end + 1;
            }
            end += 1;
        }
        Features(features)
    }

    /// Whether the feature of this name is among them.
    pub fn has(self, name: &str) -> bool {
        self.names().any(|other| other == name)
    }

    /// Whether all of `other` are among them.
    pub const fn contains(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }

    /// Those that are not in `other`.
    pub const fn without(self, other: Features) -> Self {
        Features(self.0 & !other.0)
    }

    /// Those that are in `other` as well.
    pub const fn and(self, other: Features) -> Self {
        Features(self.0 & other.0)
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        ROWS.iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, row)| row.name)
    }

    /// All that can be told apart here.
    pub const fn all() -> Self {
        Features(((1_u64 << ROWS.len()) - 1) as u32)
    }
}

const fn equal(name: &[u8], list: &[u8], start: usize, end: usize) -> bool {
    if name.len() != end - start {
        return false;
    }
    let mut i = 0;
    while i < name.len() {
        if name[i] != list[start + i] {
            return false;
        }
        i += 1;
    }
    true
}

impl fmt::Display for Features {
    /// The names, with commas between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// What was detected: features, and the bits below.
#[cfg(target_arch = "x86_64")]
static FOUND: AtomicU32 = AtomicU32::new(0);

/// In [`FOUND`]: the CPU was asked.
#[cfg(target_arch = "x86_64")]
const ASKED: u32 = 1 << 31;

/// In [`FOUND`]: it slows down for zmm.
#[cfg(target_arch = "x86_64")]
const SLOWS: u32 = 1 << 30;

const _: () = assert!(ROWS.len() <= 30, "the features leave no room for the other bits");

/// Features that the CPU has: a proof that they were detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detected {
    features: Features,
    slows_for_zmm: bool,
}

impl Detected {
    /// All of this CPU's. The CPU is asked once; later calls read what was found.
    #[inline]
    pub fn get() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let found = FOUND.load(Ordering::Relaxed);
            let found = if found & ASKED == 0 { Self::ask() } else { found };
            Detected { features: Features(found & !(ASKED | SLOWS)), slows_for_zmm: found & SLOWS != 0 }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Detected { features: Features::NONE, slows_for_zmm: false }
    }

    #[cfg(target_arch = "x86_64")]
    #[cold]
    fn ask() -> u32 {
        let leaves = Leaves::read();
        let slows = if leaves.slows_for_zmm() { SLOWS } else { 0 };
        let found = Features::of(&leaves).0 | slows | ASKED;
        // threads that ask at the same time find the same
        FOUND.store(found, Ordering::Relaxed);
        found
    }

    /// Only those that are in `features` as well, as if the CPU had no others.
    pub const fn only(self, features: Features) -> Self {
        Detected { features: self.features.and(features), ..self }
    }

    /// The set.
    pub const fn features(self) -> Features {
        self.features
    }

    /// Whether the CPU lowers its clock while zmm registers are used: see [`Leaves::slows_for_zmm`].
    pub const fn slows_for_zmm(self) -> bool {
        self.slows_for_zmm
    }

    /// Proof of what ARIA's key schedule needs, if it is there: GFNI or AES-NI, and SSSE3.
    #[cfg(target_arch = "x86_64")]
    pub fn aria_rounds(self) -> Option<AriaRounds> {
        let gfni = self.features.contains(const { of_rounds(["aria_odd_by2_xmm", "aria_even_by2_xmm"]) });
        let aes = self.features.contains(const { of_rounds(["aria_odd_aessub_by4_xmm", "aria_even_aessub_by4_xmm"]) });
        (gfni || aes).then_some(AriaRounds { gfni })
    }

    /// Proof of AES-NI (and SSSE3), if it is there.
    #[cfg(target_arch = "x86_64")]
    pub fn aes(self) -> Option<Aes> {
        self.features.contains(const { Features::named("aes,ssse3") }).then_some(Aes(()))
    }
}

/// What two kernels of ARIA were compiled for, and the SSSE3 that laying out keys takes.
#[cfg(target_arch = "x86_64")]
const fn of_rounds(names: [&str; 2]) -> Features {
    let (mut features, mut i, mut found) = (Features::named("ssse3").0, 0, 0);
    while i < aria::KERNELS.len() {
        let (kernel, mut j) = (&aria::KERNELS[i], 0);
        while j < names.len() {
            let name = names[j].as_bytes();
            if equal(kernel.name.as_bytes(), name, 0, name.len()) {
                features |= kernel.features.0;
                found += 1;
            }
            j += 1;
        }
        i += 1;
    }
    assert!(found == names.len(), "a kernel of the key schedule was not generated");
    Features(features)
}

/// Proof that the CPU has AES-NI, and SSSE3, which all CPUs with it have.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Aes(());

#[cfg(target_arch = "x86_64")]
impl Aes {
    #[inline]
    pub(crate) fn expand_128(self, key: &[u8; 16]) -> [RoundKey; 11] {
        // SAFETY: an `Aes` is made where its features were detected, and nowhere else.
        unsafe { keys::expand_128(key) }
    }

    #[inline]
    pub(crate) fn expand_192(self, key: &[u8; 24]) -> [RoundKey; 13] {
        // SAFETY: as above.
        unsafe { keys::expand_192(key) }
    }

    #[inline]
    pub(crate) fn expand_256(self, key: &[u8; 32]) -> [RoundKey; 15] {
        // SAFETY: as above.
        unsafe { keys::expand_256(key) }
    }
}

/// Proof that the CPU has what the rounds of ARIA's key schedule were compiled for, in one of two forms.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct AriaRounds {
    gfni: bool,
}

#[cfg(target_arch = "x86_64")]
impl AriaRounds {
    /// A round of ARIA alone.
    #[inline]
    pub(crate) fn round(self, mut block: [u8; 16], odd: bool) -> [u8; 16] {
        let data = block.as_mut_slice().into();
        // SAFETY: an `AriaRounds` is made where the features of the form's functions were detected, and nowhere else.
        unsafe {
            match (self.gfni, odd) {
                (true, true) => aria::aria_odd_by2_xmm(&keys::aria::AROUND_ODD, data),
                (true, false) => aria::aria_even_by2_xmm(&keys::aria::AROUND_EVEN, data),
                (false, true) => aria::aria_odd_aessub_by4_xmm(&keys::aria::AROUND, data),
                (false, false) => aria::aria_even_aessub_by4_xmm(&keys::aria::AROUND, data),
            }
        }
        block
    }

    /// ARIA's keys of encryption.
    #[inline]
    pub(crate) fn expand(self, padded: &[u8; 32], constants: &[[u8; 16]; 3], encryption: &mut [[u8; 16]]) {
        // SAFETY: as above; each form has SSSE3.
        unsafe { keys::aria::expand(self, padded, constants, encryption) }
    }

    /// Lays out round keys.
    #[inline]
    pub(crate) fn lay_out<L: keys::aria::Layout>(
        self,
        plain: &[[u8; 16]; MOST],
        rounds: Rounds,
        to: &mut [L; MOST],
        packed: &mut [keys::aria::Packed; 2],
    ) {
        // SAFETY: as above; each form has SSSE3.
        unsafe { keys::aria::lay_out(plain, rounds, to, packed) }
    }

    /// ARIA's keys of decryption.
    #[inline]
    pub(crate) fn reverse(self, encryption: &[[u8; 16]], decryption: &mut [[u8; 16]]) {
        // SAFETY: as above; each form has SSSE3.
        unsafe { keys::aria::reverse(encryption, decryption) }
    }
}

/// A generated kernel: its name, the features it was compiled for and the function.
///
/// `F` is the signature: [`ctr::Ctr`](crate::ctr::Ctr) for AES in counter mode, [`crc::Fold`](crate::crc::Fold) for CRCs,
/// [`keys::aria::Aria`] for ARIA; or that of one kind of them.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<F> {
    name: &'static str,
    features: Features,
    function: F,
}

impl<F: Copy> Kernel<F> {
    /// For generated code. `features` is a list as `#[target_feature]` takes it.
    ///
    /// # Safety
    /// The function is compiled for these features and no others, and asks nothing of its caller but that the CPU has
    /// them.
    pub const unsafe fn new(name: &'static str, features: &str, function: F) -> Self {
        Kernel { name, features: Features::named(features), function }
    }

    /// `<algorithm>_by<N>_<width>`, the name of the function, too.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What the CPU must have.
    pub const fn features(&self) -> Features {
        self.features
    }

    /// The function, to be called where its features are known to be there.
    pub const fn function(&self) -> F {
        self.function
    }

    /// The kernel as one that this CPU can run.
    ///
    /// # Errors
    /// The features that are missing.
    pub fn prove(&self, cpu: Detected) -> Result<Proven<F>, Missing> {
        let missing = self.features.without(cpu.features);
        if missing.is_empty() { Ok(Proven(self.function)) } else { Err(Missing(missing)) }
    }
}

impl<F: Copy> Kernel<F> {
    /// The same function, which its features belong to, by its own type.
    #[cfg(target_arch = "x86_64")]
    const fn with<G>(self, function: G) -> Kernel<G> {
        Kernel { name: self.name, features: self.features, function }
    }
}

/// Features that a kernel needs and the CPU lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing(pub Features);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this CPU has no ")?;
        for (i, name) in self.0.names().enumerate() {
            write!(f, "{}`{name}`", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for Missing {}

/// A function whose features the CPU has.
#[derive(Clone, Copy, Debug)]
pub struct Proven<F>(F);

#[cfg(target_arch = "x86_64")]
mod ctr {
    use inout::InOutBuf;

    use super::{Kernel, Proven};
    use crate::ctr::{Ctr, CtrFn};
    use crate::keys::{AesKeys, KeyError, RoundKeys};

    impl<const R: usize> Proven<CtrFn<R>> {
        /// Xors the keystream that starts at `counter` into the data, of any length, in place or from one buffer to
        /// another.
        ///
        /// The low 64 bits of the counter count, modulo 2^64; the others stay as they are.
        #[inline]
        pub fn run(self, keys: &RoundKeys<R>, counter: u128, data: InOutBuf<'_, '_, u8>) {
            // SAFETY: the CPU has the function's features, or it would not be proven.
            unsafe { (self.0)(keys, counter, data) }
        }
    }

    impl Kernel<Ctr> {
        /// The kernel as one for AES-128, if it is.
        pub const fn aes128(self) -> Option<Kernel<CtrFn<11>>> {
            match self.function {
                Ctr::Aes128(function) => Some(self.with(function)),
                _ => None,
            }
        }

        /// The kernel as one for AES-192, if it is.
        pub const fn aes192(self) -> Option<Kernel<CtrFn<13>>> {
            match self.function {
                Ctr::Aes192(function) => Some(self.with(function)),
                _ => None,
            }
        }

        /// The kernel as one for AES-256, if it is.
        pub const fn aes256(self) -> Option<Kernel<CtrFn<15>>> {
            match self.function {
                Ctr::Aes256(function) => Some(self.with(function)),
                _ => None,
            }
        }
    }

    impl Proven<Ctr> {
        /// As the function of the kernel's own key size does.
        ///
        /// # Errors
        /// If the keys are of another size than the kernel's; the data are then as they were.
        #[inline]
        pub fn run(self, keys: &AesKeys, counter: u128, data: InOutBuf<'_, '_, u8>) -> Result<(), KeyError> {
            match (self.0, keys) {
                (Ctr::Aes128(f), AesKeys::Aes128(keys)) => Proven(f).run(keys, counter, data),
                (Ctr::Aes192(f), AesKeys::Aes192(keys)) => Proven(f).run(keys, counter, data),
                (Ctr::Aes256(f), AesKeys::Aes256(keys)) => Proven(f).run(keys, counter, data),
                _ => return Err(KeyError { bits: keys.bits() }),
            }
            Ok(())
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod crc {
    use super::{Kernel, Proven};
    use crate::crc::{Constants, Fold, FoldFn};

    impl<const LANES: usize> Proven<FoldFn<LANES>> {
        /// The register after the data, if it was `state` before.
        #[inline]
        pub fn run(self, constants: &Constants<LANES>, state: u64, data: &[u8]) -> u64 {
            // SAFETY: the CPU has the function's features, or it would not be proven.
            unsafe { (self.0)(constants, state, data) }
        }
    }

    impl<const LANES: usize> Proven<Fold<LANES>> {
        /// As the kernel's function does.
        #[inline]
        pub fn run(self, constants: &Constants<LANES>, state: u64, data: &[u8]) -> u64 {
            Proven(self.0.function()).run(constants, state, data)
        }
    }

    impl<const LANES: usize> Kernel<Fold<LANES>> {
        /// The kernel as one that takes the lowest bit of a byte first, if it does.
        pub const fn lsb(self) -> Option<Kernel<FoldFn<LANES>>> {
            match self.function {
                Fold::Lsb(function) => Some(self.with(function)),
                Fold::Msb(_) | Fold::Crc32c(_) => None,
            }
        }

        /// The kernel as one that takes the highest bit of a byte first, if it does.
        pub const fn msb(self) -> Option<Kernel<FoldFn<LANES>>> {
            match self.function {
                Fold::Msb(function) => Some(self.with(function)),
                Fold::Lsb(_) | Fold::Crc32c(_) => None,
            }
        }

        /// The kernel as one for CRC-32C, if it can be.
        pub const fn crc32c(self) -> Option<Kernel<FoldFn<LANES>>> {
            match self.function {
                Fold::Lsb(function) | Fold::Crc32c(function) => Some(self.with(function)),
                Fold::Msb(_) => None,
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod aria_kernels {
    use inout::InOutBuf;

    use super::{Kernel, Proven};
    use crate::keys::aria::{AesDwords, Aria, CtrFn, Dwords, EcbFn, Grid, Keys, Layout, Packed};

    impl<L: Layout> Proven<EcbFn<L>> {
        /// Whole blocks, each by itself, in the direction of the keys. If there is a part of one behind them, it comes out as
        /// nothing in particular.
        #[inline]
        pub fn run(self, keys: &Keys<L>, data: InOutBuf<'_, '_, u8>) {
            // SAFETY: the CPU has the function's features, or it would not be proven.
            unsafe { (self.0)(keys, data) }
        }
    }

    impl<L: Layout> Proven<CtrFn<L>> {
        /// Xors the keystream that starts at `counter` into the data, of any length.
        ///
        /// The low 64 bits of the counter count, modulo 2^64; the others stay as they are.
        #[inline]
        pub fn run(self, keys: &Keys<L>, counter: u128, data: InOutBuf<'_, '_, u8>) {
            // SAFETY: the CPU has the function's features, or it would not be proven.
            unsafe { (self.0)(keys, counter, data) }
        }
    }

    macro_rules! narrow {
        ($($(#[$doc:meta])* $name:ident: $variant:ident, $function:ty;)*) => {
            impl Kernel<Aria> {
                $(
                    $(#[$doc])*
                    pub const fn $name(self) -> Option<Kernel<$function>> {
                        match self.function {
                            Aria::$variant(function) => Some(self.with(function)),
                            _ => None,
                        }
                    }
                )*
            }
        };
    }

    narrow! {
        /// The kernel as one for blocks by themselves that takes packed keys, if it is.
        packed: Packed, EcbFn<Packed>;
        /// The kernel as one for counter mode that takes packed keys, if it is.
        packed_ctr: PackedCtr, CtrFn<Packed>;
        /// The kernel as one for blocks by themselves that takes keys by dwords, if it is.
        dwords: Dwords, EcbFn<Dwords>;
        /// The kernel as one for counter mode that takes keys by dwords, if it is.
        dwords_ctr: DwordsCtr, CtrFn<Dwords>;
        /// The kernel as one for blocks by themselves that takes keys by dwords for S-boxes by AES rounds, if it is.
        aes_dwords: AesDwords, EcbFn<AesDwords>;
        /// The kernel as one for counter mode that takes keys by dwords for S-boxes by AES rounds, if it is.
        aes_dwords_ctr: AesDwordsCtr, CtrFn<AesDwords>;
        /// The kernel as one for blocks by themselves that takes keys in the grid's order, if it is.
        grid: Grid, EcbFn<Grid>;
        /// The kernel as one for counter mode that takes keys in the grid's order, if it is.
        grid_ctr: GridCtr, CtrFn<Grid>;
    }
}
