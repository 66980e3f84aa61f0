//! The table of the instruction set, the one place where an operation's intrinsic, its CPU features, its ports and
//! the number of registers stand.

use std::collections::BTreeSet;

use crate::ir::{Compute, Extent, Half, Op, Stmt};
use crate::spec::Width;

/// What the machine does: an operation on values, or an access to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Instruction {
    /// An operation on values alone.
    Compute(Compute),
    /// A constant, or numbers put together to a vector.
    Set,
    /// A round key from memory, in every lane.
    Key,
    /// A part of a round key from memory, in every lane.
    RoundKey,
    /// A load of data, whole or not.
    Load,
    /// One of a message's first two registers and the state in it.
    First,
    /// A load of a word.
    Word,
    /// A load of powers of x, or of what else a polynomial has.
    Powers,
    /// A store of data, whole or not.
    Store,
    /// A load from the table.
    Table,
    /// A store to the table.
    Save,
    /// A prefetch of data.
    Prefetch,
}

impl Instruction {
    /// What an operation does; none where it costs nothing or a few scalar instructions.
    const fn of_op(op: &Op) -> Option<Self> {
        Some(match op {
            Op::Argument(_) | Op::Beyond(_) => return None,
            Op::FirstWord(_) | Op::Word { .. } => Instruction::Word,
            Op::Const(_) => Instruction::Set,
            Op::Key(_) => Instruction::Key,
            Op::Round(..) => Instruction::RoundKey,
            Op::Load(_, Extent::Whole | Extent::Last) => Instruction::Load,
            Op::Table(_) => Instruction::Table,
            Op::First(_) | Op::Second(_) => Instruction::First,
            Op::Distance(_) | Op::Stride(_) | Op::Quotient | Op::Unit => Instruction::Powers,
            Op::Compute(compute, _) => Instruction::Compute(*compute),
        })
    }

    /// What a statement does, and how often; of a loop over round keys, what it does by itself.
    pub fn of_stmt(stmt: &Stmt) -> Vec<(Self, usize)> {
        match stmt {
            Stmt::EachPair { .. } => Vec::new(),
            Stmt::Let(_, Op::Compute(compute, _)) if !compute.parts().is_empty() => {
                let parts = compute.parts().iter();
                parts.map(|&(part, times)| (Instruction::Compute(part), times)).collect()
            }
            Stmt::Let(_, op) => Instruction::of_op(op).into_iter().map(|instruction| (instruction, 1)).collect(),
            Stmt::Store(..) => vec![(Instruction::Store, 1)],
            Stmt::Save(values) => vec![(Instruction::Save, values.len())],
            Stmt::Prefetch(_) => vec![(Instruction::Prefetch, 1)],
            Stmt::EachKey { rounds, .. } => vec![(Instruction::Key, rounds.len())],
        }
    }
}

/// How an instruction is done at a width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The instruction.
    pub instruction: Instruction,
    /// The register width.
    pub width: Width,
    /// The function of `core::arch::x86_64`; none where memory is accessed through `byways_kernels::mem`.
    pub intrinsic: Option<&'static str>,
    /// The assembler's name, by which it is counted.
    pub mnemonic: &'static str,
    /// The CPU features it needs beyond those of its width.
    pub features: &'static [&'static str],
    /// The ports that can do it, in one cycle each.
    pub ports: Ports,
}

/// A set of execution ports.
pub type Ports = u16;

const P0: Ports = 1 << 0;
const P1: Ports = 1 << 1;
const P5: Ports = 1 << 2;
const LOAD_2: Ports = 0b0011 << 3;
const LOAD_3: Ports = 0b0111 << 3;
const STORE_1: Ports = 0b01 << 6;
const STORE_2: Ports = 0b11 << 6;

/// Every port of the model.
pub const PORTS: Ports = P0 | P1 | P5 | LOAD_3 | STORE_2;

/// Micro-operations that the front end hands out in a cycle.
pub const ISSUE: usize = 6;

use Instruction::{First, Key, Load, Powers, Prefetch, RoundKey, Save, Set, Store, Table, Word};
use Width::{Xmm, Ymm, Zmm};

const XOR: Instruction = Instruction::Compute(Compute::Xor);
const ADD64: Instruction = Instruction::Compute(Compute::Add64);
const SHUFFLE8: Instruction = Instruction::Compute(Compute::Shuffle8);
const PAIR: Instruction = Instruction::Compute(Compute::Pair);
const AESENC: Instruction = Instruction::Compute(Compute::AesEnc);
const AESENCLAST: Instruction = Instruction::Compute(Compute::AesEncLast);
const XOR3: Instruction = Instruction::Compute(Compute::Xor3);
const AND: Instruction = Instruction::Compute(Compute::And);
const CLMUL_LL: Instruction = Instruction::Compute(Compute::Clmul(Half::Low, Half::Low));
const CLMUL_HL: Instruction = Instruction::Compute(Compute::Clmul(Half::High, Half::Low));
const CLMUL_LH: Instruction = Instruction::Compute(Compute::Clmul(Half::Low, Half::High));
const CLMUL_HH: Instruction = Instruction::Compute(Compute::Clmul(Half::High, Half::High));
const AFFINE: Instruction = Instruction::Compute(Compute::Affine);
const AFFINEINV: Instruction = Instruction::Compute(Compute::AffineInv);
const UNPACK_L: Instruction = Instruction::Compute(Compute::UnpackLow8);
const UNPACK_H: Instruction = Instruction::Compute(Compute::UnpackHigh8);
const SWAP_HALVES: Instruction = Instruction::Compute(Compute::SwapHalves);
const ADD8: Instruction = Instruction::Compute(Compute::Add8);
const LESS8: Instruction = Instruction::Compute(Compute::Less8);
const BLEND: Instruction = Instruction::Compute(Compute::Blend);
const PERMUTE8: Instruction = Instruction::Compute(Compute::Permute8);
const ROTATE: Instruction = Instruction::Compute(Compute::RotateLanes);
const SWAP_LANES: Instruction = Instruction::Compute(Compute::SwapLanes);
const DOWN4: Instruction = Instruction::Compute(Compute::ShiftDown4);
const AESDECLAST: Instruction = Instruction::Compute(Compute::AesDecLast);
const UP: Instruction = Instruction::Compute(Compute::Up);
const WIDEN: Instruction = Instruction::Compute(Compute::Widen);
const CRC32: Instruction = Instruction::Compute(Compute::Crc32);
const LOWER: Instruction = Instruction::Compute(Compute::Lower);
const UPPER: Instruction = Instruction::Compute(Compute::Upper);
const EXTRACT_L: Instruction = Instruction::Compute(Compute::Extract(Half::Low));
const EXTRACT_H: Instruction = Instruction::Compute(Compute::Extract(Half::High));
const SCALAR_XOR: Instruction = Instruction::Compute(Compute::ScalarXor);
const SWAP_BYTES: Instruction = Instruction::Compute(Compute::SwapBytes);

/// Ports as measured on a 5th-generation Xeon Scalable core (Golden Cove): vaesenc twice a cycle at xmm and ymm, once
/// at zmm; a zmm operation takes port 0 and 1 together, or port 5. What makes a scalar stands at xmm.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    row(PAIR,       Xmm, Some("_mm_set_epi64x"),             "set",        &[],           P5),
    row(PAIR,       Ymm, Some("_mm256_set_epi64x"),          "set",        &[],           P5),
    row(PAIR,       Zmm, Some("_mm512_set_epi64"),           "set",        &[],           P5),
    row(Set,        Xmm, None,                               "set",        &[],           LOAD_3),
    row(Set,        Ymm, None,                               "set",        &[],           LOAD_3),
    row(Set,        Zmm, None,                               "set",        &[],           LOAD_2),
    row(Key,        Xmm, None,                               "key load",   &[],           LOAD_3),
    row(Key,        Ymm, None,                               "key load",   &[],           LOAD_3),
    row(Key,        Zmm, None,                               "key load",   &[],           LOAD_2),
    row(RoundKey,   Xmm, None,                               "key load",   &[],           LOAD_3),
    row(RoundKey,   Ymm, None,                               "key load",   &[],           LOAD_3),
    row(RoundKey,   Zmm, None,                               "key load",   &[],           LOAD_2),
    row(Load,       Xmm, None,                               "load",       &[],           LOAD_3),
    row(Load,       Ymm, None,                               "load",       &[],           LOAD_3),
    row(Load,       Zmm, None,                               "load",       &[],           LOAD_2),
    row(Store,      Xmm, None,                               "store",      &[],           STORE_2),
    row(Store,      Ymm, None,                               "store",      &[],           STORE_2),
    row(Store,      Zmm, None,                               "store",      &[],           STORE_1),
    row(Table,      Xmm, None,                               "table load", &[],           LOAD_3),
    row(Table,      Ymm, None,                               "table load", &[],           LOAD_3),
    row(Table,      Zmm, None,                               "table load", &[],           LOAD_2),
    row(Save,       Xmm, None,                               "table store",&[],           STORE_2),
    row(Save,       Ymm, None,                               "table store",&[],           STORE_2),
    row(Save,       Zmm, None,                               "table store",&[],           STORE_1),
    row(Prefetch,   Xmm, None,                               "prefetch",   &[],           LOAD_3),
    row(Prefetch,   Ymm, None,                               "prefetch",   &[],           LOAD_3),
    row(Prefetch,   Zmm, None,                               "prefetch",   &[],           LOAD_3),
    row(XOR,        Xmm, Some("_mm_xor_si128"),              "pxor",       &[],           P0 | P1 | P5),
    row(XOR,        Ymm, Some("_mm256_xor_si256"),           "vpxor",      &[],           P0 | P1 | P5),
    row(XOR,        Zmm, Some("_mm512_xor_si512"),           "vpxorq",     &[],           P0 | P5),
    row(ADD64,      Xmm, Some("_mm_add_epi64"),              "paddq",      &[],           P0 | P1 | P5),
    row(ADD64,      Ymm, Some("_mm256_add_epi64"),           "vpaddq",     &[],           P0 | P1 | P5),
    row(ADD64,      Zmm, Some("_mm512_add_epi64"),           "vpaddq",     &[],           P0 | P5),
    row(SHUFFLE8,   Xmm, Some("_mm_shuffle_epi8"),           "pshufb",     &[],           P1 | P5),
    row(SHUFFLE8,   Ymm, Some("_mm256_shuffle_epi8"),        "vpshufb",    &[],           P1 | P5),
    row(SHUFFLE8,   Zmm, Some("_mm512_shuffle_epi8"),        "vpshufb",    &[],           P5),
    row(AESENC,     Xmm, Some("_mm_aesenc_si128"),           "aesenc",     &["aes"],      P0 | P1),
    row(AESENC,     Ymm, Some("_mm256_aesenc_epi128"),       "vaesenc",    &["vaes"],     P0 | P1),
    row(AESENC,     Zmm, Some("_mm512_aesenc_epi128"),       "vaesenc",    &["vaes"],     P0),
    row(AESENCLAST, Xmm, Some("_mm_aesenclast_si128"),       "aesenclast", &["aes"],      P0 | P1),
    row(AESENCLAST, Ymm, Some("_mm256_aesenclast_epi128"),   "vaesenclast", &["vaes"],    P0 | P1),
    row(AESENCLAST, Zmm, Some("_mm512_aesenclast_epi128"),   "vaesenclast", &["vaes"],    P0),
    row(First,      Xmm, None,                               "first load", &[],           LOAD_3),
    row(First,      Ymm, None,                               "first load", &[],           LOAD_3),
    row(First,      Zmm, None,                               "first load", &["avx512vbmi2"], LOAD_2),
    row(Word,       Xmm, None,                               "word load",  &[],           LOAD_3),
    row(Powers,     Xmm, None,                               "power load", &[],           LOAD_3),
    row(Powers,     Ymm, None,                               "power load", &[],           LOAD_3),
    row(Powers,     Zmm, None,                               "power load", &[],           LOAD_2),
    row(XOR3,       Xmm, Some("_mm_ternarylogic_epi64::<0x96>"), "vpternlogq", &["avx512vl"], P0 | P1 | P5),
    row(XOR3,       Ymm, Some("_mm256_ternarylogic_epi64::<0x96>"), "vpternlogq", &["avx512vl"], P0 | P1 | P5),
    row(XOR3,       Zmm, Some("_mm512_ternarylogic_epi64::<0x96>"), "vpternlogq", &[],    P0 | P5),
    row(AND,        Xmm, Some("_mm_and_si128"),              "pand",       &[],           P0 | P1 | P5),
    row(AND,        Ymm, Some("_mm256_and_si256"),           "vpand",      &[],           P0 | P1 | P5),
    row(AND,        Zmm, Some("_mm512_and_si512"),           "vpandq",     &[],           P0 | P5),
    row(CLMUL_LL,   Xmm, Some("_mm_clmulepi64_si128::<0x00>"), "pclmulqdq", &["pclmulqdq"], P5),
    row(CLMUL_LL,   Ymm, Some("_mm256_clmulepi64_epi128::<0x00>"), "vpclmulqdq", &["vpclmulqdq"], P5),
    row(CLMUL_LL,   Zmm, Some("_mm512_clmulepi64_epi128::<0x00>"), "vpclmulqdq", &["vpclmulqdq"], P5),
    row(CLMUL_HL,   Xmm, Some("_mm_clmulepi64_si128::<0x01>"), "pclmulqdq", &["pclmulqdq"], P5),
    row(CLMUL_HL,   Ymm, Some("_mm256_clmulepi64_epi128::<0x01>"), "vpclmulqdq", &["vpclmulqdq"], P5),
    row(CLMUL_HL,   Zmm, Some("_mm512_clmulepi64_epi128::<0x01>"), "vpclmulqdq", &["vpclmulqdq"], P5),
    row(CLMUL_LH,   Xmm, Some("_mm_clmulepi64_si128::<0x10>"), "pclmulqdq", &["pclmulqdq"], P5),
    row(CLMUL_LH,   Ymm, Some("_mm256_clmulepi64_epi128::<0x10>"), "vpclmulqdq", &["vpclmulqdq"], P5),
    row(CLMUL_LH,   Zmm, Some("_mm512_clmulepi64_epi128::<0x10>"), "vpclmulqdq", &["vpclmulqdq"], P5),
    row(CLMUL_HH,   Xmm, Some("_mm_clmulepi64_si128::<0x11>"), "pclmulqdq", &["pclmulqdq"], P5),
    row(CLMUL_HH,   Ymm, Some("_mm256_clmulepi64_epi128::<0x11>"), "vpclmulqdq", &["vpclmulqdq"], P5),
    row(CLMUL_HH,   Zmm, Some("_mm512_clmulepi64_epi128::<0x11>"), "vpclmulqdq", &["vpclmulqdq"], P5),
    row(AFFINE,     Xmm, Some("_mm_gf2p8affine_epi64_epi8::<0>"), "gf2p8affineqb", &["gfni"], P0 | P1),
    row(AFFINE,     Ymm, Some("_mm256_gf2p8affine_epi64_epi8::<0>"), "vgf2p8affineqb", &["gfni"], P0 | P1),
    row(AFFINE,     Zmm, Some("_mm512_gf2p8affine_epi64_epi8::<0>"), "vgf2p8affineqb", &["gfni"], P0),
    row(AFFINEINV,  Xmm, Some("_mm_gf2p8affineinv_epi64_epi8::<0>"), "gf2p8affineinvqb", &["gfni"], P0 | P1),
    row(AFFINEINV,  Ymm, Some("_mm256_gf2p8affineinv_epi64_epi8::<0>"), "vgf2p8affineinvqb", &["gfni"], P0 | P1),
    row(AFFINEINV,  Zmm, Some("_mm512_gf2p8affineinv_epi64_epi8::<0>"), "vgf2p8affineinvqb", &["gfni"], P0),
    row(UNPACK_L,   Xmm, Some("_mm_unpacklo_epi8"),          "punpcklbw",  &[],           P1 | P5),
    row(UNPACK_L,   Ymm, Some("_mm256_unpacklo_epi8"),       "vpunpcklbw", &[],           P1 | P5),
    row(UNPACK_L,   Zmm, Some("_mm512_unpacklo_epi8"),       "vpunpcklbw", &[],           P5),
    row(UNPACK_H,   Xmm, Some("_mm_unpackhi_epi8"),          "punpckhbw",  &[],           P1 | P5),
    row(UNPACK_H,   Ymm, Some("_mm256_unpackhi_epi8"),       "vpunpckhbw", &[],           P1 | P5),
    row(UNPACK_H,   Zmm, Some("_mm512_unpackhi_epi8"),       "vpunpckhbw", &[],           P5),
    row(SWAP_HALVES, Xmm, Some("_mm_shuffle_epi32::<0x4e>"), "pshufd",     &[],           P1 | P5),
    row(SWAP_HALVES, Ymm, Some("_mm256_shuffle_epi32::<0x4e>"), "vpshufd", &[],           P1 | P5),
    row(SWAP_HALVES, Zmm, Some("_mm512_shuffle_epi32::<0x4e>"), "vpshufd", &[],           P5),
    row(ADD8,       Xmm, Some("_mm_add_epi8"),               "paddb",      &[],           P0 | P1 | P5),
    row(ADD8,       Ymm, Some("_mm256_add_epi8"),            "vpaddb",     &[],           P0 | P1 | P5),
    row(ADD8,       Zmm, Some("_mm512_add_epi8"),            "vpaddb",     &[],           P0 | P5),
    row(LESS8,      Xmm, None,                               "less",       &[],           P0 | P1 | P5),
    row(LESS8,      Ymm, None,                               "less",       &[],           P0 | P1 | P5),
    row(LESS8,      Zmm, None,                               "less",       &[],           P0 | P5),
    row(BLEND,      Xmm, Some("_mm_blendv_epi8"),            "pblendvb",   &["sse4.1"],   P0 | P1 | P5),
    row(BLEND,      Ymm, Some("_mm256_blendv_epi8"),         "vpblendvb",  &[],           P0 | P1 | P5),
    row(BLEND,      Zmm, Some("_mm512_ternarylogic_epi64::<0xca>"), "vpternlogq", &[],    P0 | P5),
    row(PERMUTE8,   Zmm, Some("_mm512_permutexvar_epi8"),    "vpermb",     &["avx512vbmi"], P5),
    row(ROTATE,     Zmm, Some("_mm512_shuffle_i64x2::<0x39>"), "vshufi64x2", &[],         P5),
    row(SWAP_LANES, Zmm, Some("_mm512_shuffle_i64x2::<0x4e>"), "vshufi64x2", &[],         P5),
    row(DOWN4,      Xmm, Some("_mm_srli_epi16::<4>"),        "psrlw",      &[],           P0 | P1),
    row(AESDECLAST, Xmm, Some("_mm_aesdeclast_si128"),       "aesdeclast", &["aes"],      P0 | P1),
    row(UP,         Xmm, Some("_mm_slli_si128::<8>"),        "pslldq",     &[],           P1 | P5),
    row(WIDEN,      Xmm, Some("_mm_cvtsi64_si128"),          "movq",       &[],           P5),
    row(CRC32,      Xmm, Some("_mm_crc32_u64"),              "crc32",      &["sse4.2"],   P1),
    row(LOWER,      Xmm, Some("_mm256_castsi256_si128"),     "low",        &[],           PORTS),
    row(LOWER,      Ymm, Some("_mm512_castsi512_si256"),     "low",        &[],           PORTS),
    row(UPPER,      Xmm, Some("_mm256_extracti128_si256::<1>"), "vextracti128", &[],      P5),
    row(UPPER,      Ymm, Some("_mm512_extracti64x4_epi64::<1>"), "vextracti64x4", &[],    P5),
    row(EXTRACT_L,  Xmm, Some("_mm_cvtsi128_si64"),          "movq",       &[],           P0),
    row(EXTRACT_H,  Xmm, None,                               "pextrq",     &["sse4.1"],   P0),
    row(SCALAR_XOR, Xmm, None,                               "xor",        &[],           P0 | P1 | P5),
    row(SWAP_BYTES, Xmm, None,                               "bswap",      &[],           P1),
];

const fn row(
    instruction: Instruction,
    width: Width,
    intrinsic: Option<&'static str>,
    mnemonic: &'static str,
    features: &'static [&'static str],
    ports: Ports,
) -> Row {
    Row { instruction, width, intrinsic, mnemonic, features, ports }
}

/// How `instruction` is done at `width`.
///
/// # Panics
/// If the table has no such row, which is a fault of the description that asks for it.
pub fn look_up(instruction: Instruction, width: Width) -> &'static Row {
    TABLE
        .iter()
        .find(|row| row.instruction == instruction && row.width == width)
        .unwrap_or_else(|| panic!("no {width} row for {instruction:?}"))
}

/// Whether every kernel of `width` has the instruction: it takes no feature besides the width's.
pub fn has(instruction: Instruction, width: Width) -> bool {
    let mut rows = TABLE.iter().filter(|row| row.instruction == instruction && row.width == width);
    rows.any(|row| row.features.iter().all(|feature| width.features().contains(feature)))
}

impl Width {
    /// Registers in the register file.
    pub const fn registers(self) -> usize {
        match self {
            Width::Xmm | Width::Ymm => 16,
            Width::Zmm => 32,
        }
    }

    /// The CPU features that every kernel of this width needs: for its loads, stores and byte shuffles.
    pub const fn features(self) -> &'static [&'static str] {
        match self {
            Width::Xmm => &["ssse3"],
            Width::Ymm => &["avx2"],
            Width::Zmm => &["avx512f", "avx512bw", "avx512vl"],
        }
    }

    /// The vector type of `core::arch::x86_64`.
    pub const fn vector(self) -> &'static str {
        match self {
            Width::Xmm => "__m128i",
            Width::Ymm => "__m256i",
            Width::Zmm => "__m512i",
        }
    }
}

/// The features that a kernel of `width` with these instructions, each of a width of its own, is compiled for, in
/// alphabetical order.
pub fn features(width: Width, instructions: impl IntoIterator<Item = (Instruction, Width)>) -> BTreeSet<&'static str> {
    instructions
        .into_iter()
        .flat_map(|(instruction, width)| look_up(instruction, width).features)
        .chain(width.features())
        .copied()
        .collect()
}

/// Registers whose saving the operating system announces in XCR0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saved {
    /// xmm: always, in 64-bit mode.
    Sse,
    /// ymm: XCR0 bits 1 and 2.
    Avx,
    /// zmm and masks: XCR0 bits 5, 6 and 7 as well.
    Avx512,
}

/// A CPU feature: where CPUID shows it and what must hold besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature {
    /// The name, as `#[target_feature]` takes it.
    pub name: &'static str,
    /// The CPUID leaf (subleaf 0).
    pub leaf: u32,
    /// The register: `eax`, `ebx`, `ecx` or `edx`.
    pub register: &'static str,
    /// The bit.
    pub bit: u32,
    /// What the operating system must save.
    pub saved: Saved,
    /// Features that the compiler may use wherever it may use this one.
    pub implies: &'static [&'static str],
}

/// Every feature that a kernel needs or the compiler may use in one (Intel SDM volume 2, CPUID). One comes after
/// those it implies.
#[rustfmt::skip]
pub const FEATURES: &[Feature] = &[
    feature("sse3",     1, "ecx", 0,  Saved::Sse,    &[]),
    feature("pclmulqdq", 1, "ecx", 1, Saved::Sse,    &[]),
    feature("ssse3",    1, "ecx", 9,  Saved::Sse,    &["sse3"]),
    feature("sse4.1",   1, "ecx", 19, Saved::Sse,    &["ssse3"]),
    feature("sse4.2",   1, "ecx", 20, Saved::Sse,    &["sse4.1"]),
    feature("aes",      1, "ecx", 25, Saved::Sse,    &[]),
    feature("avx",      1, "ecx", 28, Saved::Avx,    &["sse4.2"]),
    feature("f16c",     1, "ecx", 29, Saved::Avx,    &["avx"]),
    feature("fma",      1, "ecx", 12, Saved::Avx,    &["avx"]),
    feature("avx2",     7, "ebx", 5,  Saved::Avx,    &["avx"]),
    feature("vaes",     7, "ecx", 9,  Saved::Avx,    &["avx2", "aes"]),
    feature("vpclmulqdq", 7, "ecx", 10, Saved::Avx,  &["avx", "pclmulqdq"]),
    feature("gfni",     7, "ecx", 8,  Saved::Sse,    &[]),
    feature("avx512f",  7, "ebx", 16, Saved::Avx512, &["avx2", "fma", "f16c"]),
    feature("avx512bw", 7, "ebx", 30, Saved::Avx512, &["avx512f"]),
    feature("avx512vl", 7, "ebx", 31, Saved::Avx512, &["avx512f"]),
    feature("avx512vbmi", 7, "ecx", 1, Saved::Avx512, &["avx512bw"]),
    feature("avx512vbmi2", 7, "ecx", 6, Saved::Avx512, &["avx512bw"]),
];

const fn feature(
    name: &'static str,
    leaf: u32,
    register: &'static str,
    bit: u32,
    saved: Saved,
    implies: &'static [&'static str],
) -> Feature {
    Feature { name, leaf, register, bit, saved, implies }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a kernel is compiled for and what is detected come from one list: every name of either stands in it.
    #[test]
    fn every_feature_is_listed_once_after_what_it_implies() {
        let known = |name: &str, before: usize| FEATURES[..before].iter().any(|f| f.name == name);
        for (i, feature) in FEATURES.iter().enumerate() {
            assert!(!known(feature.name, i), "{} twice", feature.name);
            for implied in feature.implies {
                assert!(known(implied, i), "{} implies {implied}", feature.name);
            }
        }
        for name in TABLE.iter().flat_map(|row| row.features) {
            assert!(known(name, FEATURES.len()), "{name}");
        }
        for name in Width::ALL.iter().flat_map(|w| w.features()) {
            assert!(known(name, FEATURES.len()), "{name}");
        }
    }

    #[test]
    fn every_row_stands_once() {
        for (i, row) in TABLE.iter().enumerate() {
            let same = |other: &Row| other.instruction == row.instruction && other.width == row.width;
            assert_eq!(TABLE.iter().position(same), Some(i), "{row:?}");
        }
    }
}
