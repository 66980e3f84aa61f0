//! What a kernel is called and which kernels can be: [`Width`], [`Algorithm`] and [`Variant`].

use std::fmt;
use std::str::FromStr;

use crate::runs::RUN;

/// A register width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// 128 bits, SSE encoding, 16 registers.
    Xmm,
    /// 256 bits, VEX encoding, 16 registers.
    Ymm,
    /// 512 bits, EVEX encoding, 32 registers.
    Zmm,
}

impl Width {
    /// Every width, narrowest first.
    pub const ALL: [Width; 3] = [Width::Xmm, Width::Ymm, Width::Zmm];

    /// The name as it stands in kernel names and macro calls.
    pub const fn name(self) -> &'static str {
        match self {
            Width::Xmm => "xmm",
            Width::Ymm => "ymm",
            Width::Zmm => "zmm",
        }
    }

    /// Bytes in a register.
    pub const fn bytes(self) -> usize {
        match self {
            Width::Xmm => 16,
            Width::Ymm => 32,
            Width::Zmm => 64,
        }
    }

    /// 16-byte blocks in a register.
    pub const fn lanes(self) -> usize {
        self.bytes() / BLOCK
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Bytes in a block, the unit that N counts.
pub const BLOCK: usize = 16;

/// An AES key size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KeySize {
    /// 128 bits, 10 rounds.
    Aes128,
    /// 192 bits, 12 rounds.
    Aes192,
    /// 256 bits, 14 rounds.
    Aes256,
}

impl KeySize {
    /// Every key size, smallest first.
    pub const ALL: [KeySize; 3] = [KeySize::Aes128, KeySize::Aes192, KeySize::Aes256];

    /// Bits in a key.
    pub const fn bits(self) -> usize {
        match self {
            KeySize::Aes128 => 128,
            KeySize::Aes192 => 192,
            KeySize::Aes256 => 256,
        }
    }

    /// Rounds: Nr = Nk + 6, where Nk is the key's length in 32-bit words (FIPS 197, section 5).
    pub const fn rounds(self) -> usize {
        self.bits() / 32 + 6
    }

    /// Round keys: one before the first round and one a round.
    pub const fn round_keys(self) -> usize {
        self.rounds() + 1
    }
}

/// Which algorithm, where a family has several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CtrForm {
    /// Every round of every block.
    Plain,
    /// Rounds 1 and 2 from a table, within runs of 256 blocks whose counters differ in the lowest byte alone.
    Cached,
}

impl CtrForm {
    /// Every form.
    pub const ALL: [CtrForm; 2] = [CtrForm::Plain, CtrForm::Cached];

    /// The name as it stands in macro calls, and in kernel names where it is not the plain form.
    pub const fn name(self) -> &'static str {
        match self {
            CtrForm::Plain => "plain",
            CtrForm::Cached => "cached",
        }
    }
}

/// The generator of CRC-32C (RFC 3720, section 12.1), of degree 32, without its highest term.
pub const CRC32C: u64 = 0x1edc_6f41;

/// Which bit of a byte a CRC takes first, how kernels bring it to where carry-less multiplication wants it, and what else
/// they use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CrcForm {
    /// The lowest bit first.
    Lsb,
    /// The highest bit first: the bits of each byte are reversed (GFNI), and what follows is as in [`CrcForm::Lsb`].
    MsbRev,
    /// The highest bit first: the bytes of each 128-bit lane are reversed.
    MsbSwap,
    /// CRC-32C alone, whose lowest bit comes first: x86's CRC instruction for short messages.
    Crc32c,
    /// CRC-32C alone: that instruction beside the multiplications for long messages.
    Crc32cFused,
}

impl CrcForm {
    /// Every form.
    pub const ALL: [CrcForm; 5] =
        [CrcForm::Lsb, CrcForm::MsbRev, CrcForm::MsbSwap, CrcForm::Crc32c, CrcForm::Crc32cFused];

    /// Whether the lowest bit of a byte comes first.
    pub const fn is_lsb(self) -> bool {
        !matches!(self, CrcForm::MsbRev | CrcForm::MsbSwap)
    }

    /// Whether it is for CRC-32C alone, and not for every generator.
    pub const fn is_crc32c(self) -> bool {
        matches!(self, CrcForm::Crc32c | CrcForm::Crc32cFused)
    }

    /// The name as it stands in macro calls, and in kernel names, where `crc_` comes before it if it does not say so
    /// itself.
    pub const fn name(self) -> &'static str {
        match self {
            CrcForm::Lsb => "lsb",
            CrcForm::MsbRev => "msb_rev",
            CrcForm::MsbSwap => "msb_swap",
            CrcForm::Crc32c => "crc32c",
            CrcForm::Crc32cFused => "crc32c_fused",
        }
    }
}

/// How blocks of ARIA are used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AriaMode {
    /// Each block by itself.
    Ecb,
    /// Counter mode.
    Ctr,
    /// An odd round alone: key, substitution, diffusion.
    Odd,
    /// An even round alone.
    Even,
}

impl AriaMode {
    /// Every mode.
    pub const ALL: [AriaMode; 4] = [AriaMode::Ecb, AriaMode::Ctr, AriaMode::Odd, AriaMode::Even];

    /// The name as it stands in macro calls and kernel names.
    pub const fn name(self) -> &'static str {
        match self {
            AriaMode::Ecb => "ecb",
            AriaMode::Ctr => "ctr",
            AriaMode::Odd => "odd",
            AriaMode::Even => "even",
        }
    }
}

/// How the S-boxes of ARIA are computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AriaForm {
    /// By GFNI: the inverse in AES's field between two matrices.
    Gfni,
    /// By AES rounds, for CPUs without GFNI.
    AesSub,
    /// By GFNI, in registers narrower than zmm, with the xors of three inputs that zmm kernels have anyway: for few blocks on
    /// CPUs with AVX-512.
    Xor3,
}

impl AriaForm {
    /// Every form.
    pub const ALL: [AriaForm; 3] = [AriaForm::Gfni, AriaForm::AesSub, AriaForm::Xor3];

    /// The name as it stands in macro calls, and in kernel names where it is not GFNI's.
    pub const fn name(self) -> &'static str {
        match self {
            AriaForm::Gfni => "gfni",
            AriaForm::AesSub => "aessub",
            AriaForm::Xor3 => "xor3",
        }
    }
}

/// What a kernel computes: the part of its name before `_by`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Algorithm {
    /// AES in counter mode.
    AesCtr(KeySize, CtrForm),
    /// A CRC of up to 64 bits.
    Crc(CrcForm),
    /// ARIA, with keys of any size.
    Aria(AriaMode, AriaForm),
}

impl Algorithm {
    /// Every algorithm of every family.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        let ctr = |form| KeySize::ALL.into_iter().map(move |key| Algorithm::AesCtr(key, form));
        let crc = CrcForm::ALL.into_iter().map(Algorithm::Crc);
        let aria = |form| AriaMode::ALL.into_iter().map(move |mode| Algorithm::Aria(mode, form));
        let aria = AriaForm::ALL.into_iter().flat_map(aria);
        CtrForm::ALL.into_iter().flat_map(ctr).chain(crc).chain(aria)
    }

    /// Every N that it allows at `width`, smallest first: whole numbers of registers, 1 to the register file, of which
    /// the cached form takes those that divide a run, and ARIA those that there is a layout for.
    pub fn unrolls(self, width: Width) -> impl Iterator<Item = usize> {
        let fits = move |n: &usize| match self {
            Algorithm::AesCtr(_, CtrForm::Plain) | Algorithm::Crc(_) => true,
            Algorithm::AesCtr(_, CtrForm::Cached) => RUN.is_multiple_of(*n),
            // pairs of registers, a register a byte, or one whose lanes are the classes
            Algorithm::Aria(_, AriaForm::Gfni) => {
                [2, 4, 8, BLOCK].contains(&(n / width.lanes())) || *n == width.lanes() && width.lanes() == 4
            }
            Algorithm::Aria(_, AriaForm::Xor3) => width != Width::Zmm && [2, 4, 8].contains(&(n / width.lanes())),
            // a register a class, twice that, or a register a byte
            Algorithm::Aria(_, AriaForm::AesSub) => width == Width::Xmm && [4, 8, BLOCK].contains(n),
        };
        (1..=width.registers()).map(move |registers| registers * width.lanes()).filter(fits)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::AesCtr(key, CtrForm::Plain) => write!(f, "aes{}_ctr", key.bits()),
            Algorithm::AesCtr(key, form) => write!(f, "aes{}_ctr_{}", key.bits(), form.name()),
            Algorithm::Aria(mode, AriaForm::Gfni) => write!(f, "aria_{}", mode.name()),
            Algorithm::Aria(mode, form) => write!(f, "aria_{}_{}", mode.name(), form.name()),
            Algorithm::Crc(form) if form.is_crc32c() => f.write_str(form.name()),
            Algorithm::Crc(form) => write!(f, "crc_{}", form.name()),
        }
    }
}

/// One kernel: an algorithm, the number of 16-byte blocks in flight, and a register width that allows it.
///
/// ```
/// use byways_codegen::spec::{Variant, Width};
/// let variant: Variant = "aes128_ctr_by12_zmm".parse()?;
/// assert_eq!((variant.by(), variant.width(), variant.registers()), (12, Width::Zmm, 3));
/// let error = "aes128_ctr_by13_zmm".parse::<Variant>().unwrap_err();
/// assert!(error.to_string().contains("`by12`"));
/// # Ok::<(), byways_codegen::spec::NameError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variant {
    algorithm: Algorithm,
    by: usize,
    width: Width,
}

impl Variant {
    /// The variant by-`by` at `width`.
    ///
    /// # Errors
    /// [`Misfit`] where [`Algorithm::unrolls`] has no such N.
    pub fn new(algorithm: Algorithm, by: usize, width: Width) -> Result<Self, Misfit> {
        let fits = algorithm.unrolls(width).any(|n| n == by);
        if fits { Ok(Variant { algorithm, by, width }) } else { Err(Misfit { algorithm, by, width }) }
    }

    /// What it computes.
    pub const fn algorithm(self) -> Algorithm {
        self.algorithm
    }

    /// N: 16-byte blocks in flight.
    pub const fn by(self) -> usize {
        self.by
    }

    /// The register width.
    pub const fn width(self) -> Width {
        self.width
    }

    /// Registers that hold the N blocks: N·128/W.
    pub const fn registers(self) -> usize {
        self.by / self.width.lanes()
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_by{}_{}", self.algorithm, self.by, self.width)
    }
}

impl FromStr for Variant {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        let unknown = || NameError::Unknown(name.to_owned());
        let (algorithm, tail) = name.rsplit_once("_by").ok_or_else(unknown)?;
        let (by, width) = tail.split_once('_').ok_or_else(unknown)?;
        let algorithm = Algorithm::all().find(|a| a.to_string() == algorithm);
        let width = Width::ALL.into_iter().find(|w| w.name() == width);
        // `by08` and `by+8` are not names
        let by = by.parse().ok().filter(|n: &usize| n.to_string() == by);
        match (algorithm, by, width) {
            (Some(algorithm), Some(by), Some(width)) => {
                Variant::new(algorithm, by, width).map_err(|misfit| NameError::Misfit { name: name.to_owned(), misfit })
            }
            _ => Err(unknown()),
        }
    }
}

/// An N that an algorithm does not allow at a width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The N asked for.
    pub by: usize,
    /// The register width.
    pub width: Width,
}

impl Misfit {
    /// The nearest that the width allows: one, or two where two are equally near.
    pub fn nearest(self) -> Vec<Variant> {
        let Misfit { algorithm, by, width } = self;
        let nearest = algorithm.unrolls(width).map(|n| n.abs_diff(by)).min();
        let near = algorithm.unrolls(width).filter(|n| Some(n.abs_diff(by)) == nearest);
        near.map(|by| Variant { algorithm, by, width }).collect()
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misfit { by, width, .. } = *self;
        let (lanes, file) = (width.lanes(), width.registers());
        if by == 0 {
            write!(f, "`by0` holds no block")?;
        } else if by % lanes != 0 {
            write!(f, "`by{by}` does not fill whole registers of {lanes} blocks")?;
        } else if by / lanes > file {
            write!(f, "`by{by}` needs {} registers of {file}", by / lanes)?;
        } else if matches!(self.algorithm, Algorithm::Aria(..)) {
            write!(f, "`by{by}` has no layout in {width} registers")?;
        } else {
            write!(f, "`by{by}` does not divide a run of {RUN} blocks")?;
        }
        let nearest: Vec<String> = self.nearest().iter().map(|variant| format!("`by{}`", variant.by)).collect();
        if nearest.is_empty() {
            return write!(f, "; nothing works at {width}");
        }
        write!(f, "; nearest that works at {width}: {}", nearest.join(" or "))
    }
}

impl std::error::Error for Misfit {}

/// A name that is no kernel's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NameError {
    /// It is not of the form `<algorithm>_by<N>_<width>` with a known algorithm and width.
    Unknown(String),
    /// It is, but the width does not allow this N.
    Misfit {
        /// The name asked for.
        name: String,
        /// Why not.
        misfit: Misfit,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameError::Unknown(name) => {
                let algorithms: Vec<String> = Algorithm::all().map(|a| format!("`{a}`")).collect();
                let widths: Vec<String> = Width::ALL.iter().map(|w| format!("`{w}`")).collect();
                write!(
                    f,
                    "unknown kernel `{name}`; kernels are called <algorithm>_by<N>_<width>, with algorithm {}, width {}",
                    algorithms.join(", "),
                    widths.join(", ")
                )
            }
            NameError::Misfit { name, misfit } => write!(f, "impossible kernel `{name}`: {misfit}"),
        }
    }
}

impl std::error::Error for NameError {}
