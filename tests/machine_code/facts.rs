//! What a kernel's machine code should be, and what of that it is not.

use std::fmt;

use byways_codegen::cost::cost;
use byways_codegen::ir::Program;
use byways_codegen::spec::Width;
use iced_x86::EncodingKind;

use crate::listing::{Class, Line, Listing, Place, text};

/// What everything is compiled for, whatever a kernel asks for.
#[derive(Clone, Copy)]
pub(crate) struct Build {
    /// More than every x86-64 CPU has; then also the compiler may unroll a batch loop as it likes.
    pub(crate) tuned: bool,
    pub(crate) avx: bool,
    pub(crate) avx512: bool,
}

impl Build {
    pub(crate) const PLAIN: Build = Build { tuned: false, avx: false, avx512: false };
    pub(crate) const THIS: Build = Build {
        tuned: cfg!(target_feature = "sse3"),
        avx: cfg!(target_feature = "avx"),
        avx512: cfg!(target_feature = "avx512f"),
    };
}

/// What a kernel's machine code should be.
pub(crate) struct Expected {
    aesenc: usize,
    aesenclast: usize,
    stores: usize,
    may_unroll: bool,
    may_spill: bool,
    encodings: Vec<EncodingKind>,
}

impl Expected {
    pub(crate) fn of(program: &Program, build: Build) -> Self {
        let cost = cost(program);
        let count = |names: &[&str]| names.iter().filter_map(|&name| cost.counts.get(name)).sum();
        let mut encodings = match program.variant.width() {
            Width::Xmm => vec![EncodingKind::Legacy],
            Width::Ymm => vec![EncodingKind::VEX],
            Width::Zmm => vec![EncodingKind::VEX, EncodingKind::EVEX],
        };
        encodings.extend(build.avx.then_some(EncodingKind::VEX));
        encodings.extend(build.avx512.then_some(EncodingKind::EVEX));
        Expected {
            aesenc: count(&["aesenc", "vaesenc"]),
            aesenclast: count(&["aesenclast", "vaesenclast"]),
            stores: count(&["store"]),
            may_unroll: build.tuned,
            may_spill: !cost.fits(),
            encodings,
        }
    }
}

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    BatchLoop,
    AesEnc,
    AesEncLast,
    Stores,
    Calls,
    Spills,
    LegacySse,
    Vex,
    Evex,
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fact::BatchLoop => "loops with AES rounds",
            Fact::AesEnc => "aesenc in the batch loop",
            Fact::AesEncLast => "aesenclast in the batch loop",
            Fact::Stores => "data stores in the batch loop",
            Fact::Calls => "calls",
            Fact::Spills => "vector operands on the stack",
            Fact::LegacySse => "SSE instructions without VEX",
            Fact::Vex => "VEX instructions",
            Fact::Evex => "EVEX instructions",
        })
    }
}

/// A fact that is not as expected.
pub(crate) struct Fault {
    function: String,
    pub(crate) fact: Fact,
    expected: usize,
    /// What was found.
    lines: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let Fault { function, fact, expected, lines } = self;
        let found = lines.len();
        write!(f, "{function}: {fact}: expected {expected}, found {found}")?;
        for line in lines.iter().take(SHOWN) {
            write!(f, "\n    {line}")?;
        }
        match found.saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n    and {more} more"),
        }
    }
}

/// Every fact that is not as expected.
pub(crate) fn check(listing: &Listing<'_>, expected: &Expected) -> Vec<Fault> {
    let encoded = |line: &Line, kind| line.instruction.encoding() == kind && !expected.encodings.contains(&kind);
    let mut faults = batch_loop(listing, expected);
    faults.extend([
        none(listing, Fact::Calls, |line| line.class == Class::Call),
        none(listing, Fact::Spills, |line| line.stack && !expected.may_spill),
        none(listing, Fact::LegacySse, |line| line.vector && encoded(line, EncodingKind::Legacy)),
        none(listing, Fact::Vex, |line| encoded(line, EncodingKind::VEX)),
        none(listing, Fact::Evex, |line| encoded(line, EncodingKind::EVEX)),
    ]);
    faults.into_iter().flatten().collect()
}

fn batch_loop(listing: &Listing<'_>, expected: &Expected) -> Vec<Option<Fault>> {
    if listing.batch().next().is_none() {
        return vec![fault(listing, Fact::BatchLoop, 1, vec![])];
    }
    let of_class = |class| listing.batch().filter(|line| line.class == class).collect::<Vec<_>>();
    let (aesenc, aesenclast, stores) = (of_class(Class::AesEnc), of_class(Class::AesEncLast), of_class(Class::Store));
    let unrolled = aesenclast.len().checked_div(expected.aesenclast).filter(|_| expected.may_unroll);
    let batches = unrolled.unwrap_or(1).max(1);
    let rounds = instructions(&aesenc, expected.aesenc * batches);
    vec![
        fault(listing, Fact::AesEnc, rounds, aesenc),
        fault(listing, Fact::AesEncLast, expected.aesenclast * batches, aesenclast),
        fault(listing, Fact::Stores, expected.stores * batches, stores),
    ]
}

/// How many instructions make so many rounds. Where some are in a loop of their own, how often it runs is taken from
/// the number of rounds: it must come out whole.
fn instructions(aesenc: &[&Line], rounds: usize) -> usize {
    let rolled = aesenc.iter().filter(|line| line.place == Place::Rolled).count();
    let once = aesenc.len() - rolled;
    let whole = rolled > 0 && rounds > once && (rounds - once).is_multiple_of(rolled);
    if whole { once + rolled } else { rounds }
}

fn none(listing: &Listing<'_>, fact: Fact, counts: impl Fn(&Line) -> bool) -> Option<Fault> {
    fault(listing, fact, 0, listing.lines.iter().filter(|line| counts(line)).collect())
}

fn fault(listing: &Listing<'_>, fact: Fact, expected: usize, lines: Vec<&Line>) -> Option<Fault> {
    let function = listing.function;
    (lines.len() != expected).then(|| Fault {
        function: function.path.clone(),
        fact,
        expected,
        lines: lines.into_iter().map(|line| text(function, &line.instruction)).collect(),
    })
}
