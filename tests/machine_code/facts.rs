//! What a kernel's machine code should be, and what of that it is not.

use std::fmt;

use byways_codegen::cost::{Cost, cost, of_block};
use byways_codegen::emit::enabled;
use byways_codegen::ir::{Block, Flow, KeyLayout, Op, Program, Rounds, Skeleton, Stmt};
use byways_codegen::spec::Width;
use iced_x86::EncodingKind;

use crate::flow::Loop;
use crate::listing::{Class, Line, Listing, Stack, spilled, text};

/// What everything is compiled for, whatever a kernel asks for.
#[derive(Clone, Copy)]
pub(crate) struct Build {
    /// More than every x86-64 CPU has; then also the compiler may unroll a loop as it likes.
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
    loops: Vec<ExpectedLoop>,
    may_unroll: bool,
    may_spill: bool,
    /// Whether there may be something on the stack out of the loops that are counted: what is read before chunks of data
    /// waits for their ends, what fills no batch is in a room, or a batch is turned around its rounds.
    may_keep: bool,
    /// Registers of the room on the stack for what fills no batch, if there is such a room.
    room: Option<usize>,
    may_write: bool,
    encodings: Vec<EncodingKind>,
}

/// A loop over so many registers of data at a time.
struct ExpectedLoop {
    registers: usize,
    /// How often there is what is counted.
    counts: Vec<(Fact, usize)>,
    /// What tells how many rounds the compiler makes one.
    unit: Fact,
    may_unroll: bool,
    may_spill: bool,
    /// Whether the compiler may make three-operand logic of two xors.
    may_merge: bool,
}

/// What is counted in a loop over data, by its names in a cost.
type Counted = [(Fact, &'static [&'static str])];

const IN_COUNTER_MODE: &Counted = &[
    (Fact::AesEnc, &["aesenc", "vaesenc"]),
    (Fact::AesEncLast, &["aesenclast", "vaesenclast"]),
    (Fact::Stores, &["store"]),
    (Fact::TableLoads, &["table load"]),
    (Fact::TableStores, &["table store"]),
];

const IN_CRCS: &Counted = &[
    (Fact::Clmul, &["pclmulqdq", "vpclmulqdq"]),
    (Fact::Affine, &["gf2p8affineqb", "vgf2p8affineqb"]),
    (Fact::Shuffles, &["pshufb", "vpshufb"]),
    (Fact::Xors, &["pxor", "vpxor", "vpxorq"]),
    (Fact::Ternary, &["vpternlogq"]),
    (Fact::Loads, &["load", "power load"]),
    (Fact::Prefetches, &["prefetch"]),
    (Fact::Crc32, &["crc32"]),
    (Fact::WordLoads, &["word load"]),
];

/// Of round keys, which are xored in by two or three operands as the compiler likes.
const IN_ROUNDS: &Counted = &[
    (Fact::Affine, &["gf2p8affineqb", "vgf2p8affineqb"]),
    (Fact::AffineInv, &["gf2p8affineinvqb", "vgf2p8affineinvqb"]),
    (Fact::AesEncLast, &["aesenclast"]),
    (Fact::AesDecLast, &["aesdeclast"]),
    (Fact::Shuffles, &["pshufb", "vpshufb"]),
    (Fact::Stores, &["store"]),
];

/// The loops that go round more than once.
fn loops(program: &Program, build: Build) -> Vec<ExpectedLoop> {
    match &program.skeleton {
        Skeleton::Counter(counter) => {
            // after a longer batch a shorter one may be of use once at most
            let mut below = usize::MAX;
            let whiles = counter.flows.iter().filter_map(|flow| {
                let Flow::While(block) = flow else { return None };
                let before = std::mem::replace(&mut below, block.registers);
                (before > 2 * block.registers).then_some(block)
            });
            let runs = counter.runs.iter().flat_map(|runs| [&runs.build, &runs.reuse]);
            let of = |block| ExpectedLoop::of(program, block, build, Fact::AesEncLast, IN_COUNTER_MODE);
            whiles.chain(runs).map(of).collect()
        }
        Skeleton::Rounds(rounds) => vec![of_rounds(program, rounds, build)],
        Skeleton::Fold(fold) => {
            let of = |block| ExpectedLoop::of(program, block, build, Fact::Clmul, IN_CRCS);
            // less than a batch is left, behind batches and behind the start of a message that has none
            let lefts = if fold.batch.registers > 2 { 1 + usize::from(fold.lone.is_some()) } else { 0 };
            // the compiler makes one round of some as it likes
            let each = || ExpectedLoop { may_unroll: true, ..of(&fold.each) };
            let batches = fold.chunks.iter().map(|chunks| &chunks.batch).chain([&fold.batch]);
            batches.map(of).chain(std::iter::repeat_with(each).take(lefts)).collect()
        }
    }
}

/// The loop over pairs of round keys, where there is one.
fn of_rounds(program: &Program, rounds: &Rounds, build: Build) -> ExpectedLoop {
    let of = |block: &Block| {
        let mut all = ExpectedLoop::of(program, block, build, Fact::AffineInv, IN_ROUNDS);
        if all.count(Fact::AffineInv) == 0 {
            all.unit = Fact::AesEncLast;
        }
        all
    };
    let pair = rounds.batch.body.iter().find_map(|stmt| match stmt {
        Stmt::EachPair { former, latter, .. } => {
            let body = [former.as_slice(), latter].concat();
            let block = Block { registers: rounds.batch.registers, body, next: Vec::new() };
            // in the loop over batches, so that it is no part of the loops that costs know
            Some(ExpectedLoop { may_spill: !fits(program, &cost(program)), ..of(&block) })
        }
        _ => None,
    });
    // by the compiler, to shuffles that are cheaper there, and two that follow one another to one
    let are_changed = matches!(rounds.layout, KeyLayout::Lanes | KeyLayout::Classed | KeyLayout::Bytes);
    let unless_changed = |&(fact, _): &(Fact, usize)| !(are_changed && fact == Fact::Shuffles);
    // a loop over batches has each store twice, of a whole register and of a part, or in it what the room takes
    let over_batches = |mut all: ExpectedLoop| {
        all.counts.retain(|&(fact, _)| fact != Fact::Stores);
        ExpectedLoop { may_spill: !fits(program, &cost(program)) || room(program).is_some(), ..all }
    };
    let mut all = match pair {
        // so little that the compiler makes one piece of the most pairs that there can be
        Some(pair) if rounds.layout == KeyLayout::Lanes => {
            let mut batch = of(&rounds.batch);
            for (fact, count) in &mut batch.counts {
                *count += (MOST_PAIRS - PAIRS) * pair.count(*fact);
            }
            over_batches(batch)
        }
        Some(pair) => pair,
        // a round alone
        None => over_batches(of(&rounds.batch)),
    };
    all.counts.retain(unless_changed);
    all
}

/// Registers of the room on the stack for what fills no batch, if there is such a room: by the rule of
/// `kernels::mem::blocks::is_direct`, which is private. Without a room registers are loaded and stored in part.
fn room(program: &Program) -> Option<usize> {
    let Skeleton::Rounds(rounds) = &program.skeleton else { return None };
    let registers = rounds.batch.registers;
    (registers > 4 && program.variant.width() != Width::Zmm).then_some(registers)
}

/// Whether all that it works with has a register. Most of the constants of counter mode with a register a byte are for before
/// the rounds, so that they are read from memory; elsewhere the compiler may rather spill something for one.
fn fits(program: &Program, cost: &Cost) -> bool {
    match &program.skeleton {
        Skeleton::Rounds(rounds) if rounds.layout == KeyLayout::Grid => cost.live <= cost.registers,
        _ => cost.fits(),
    }
}

/// Pairs of round keys behind the first that a cost is of, and the most.
const PAIRS: usize = 6;
const MOST_PAIRS: usize = 8;

impl ExpectedLoop {
    fn of(program: &Program, block: &Block, build: Build, unit: Fact, counted: &Counted) -> Self {
        let cost = of_block(program, block);
        let may_spill = !fits(program, &cost);
        let count = |names: &[&str]| names.iter().filter_map(|&name| cost.counts.get(name)).sum::<usize>();
        let invariant = block.body.iter().filter(|stmt| matches!(stmt, Stmt::Let(_, Op::Stride(_)))).count();
        let counts = counted.iter().map(|&(fact, names)| match fact {
            Fact::Loads => (fact, count(names) - invariant),
            _ => (fact, count(names)),
        });
        ExpectedLoop {
            registers: block.registers,
            // where registers are short, what never changes is read again
            counts: counts.filter(|&(fact, _)| !(may_spill && fact == Fact::Loads)).collect(),
            unit,
            may_unroll: build.tuned,
            may_spill,
            may_merge: build.avx512,
        }
    }

    fn count(&self, fact: Fact) -> usize {
        let counted = self.counts.iter().find(|(counted, _)| *counted == fact);
        counted.map_or(0, |&(_, n)| n)
    }

    /// How many rounds these instructions make one.
    fn rounds(&self, found: &Found<'_>) -> usize {
        let unrolled = found.of(self.unit).len() / self.count(self.unit);
        if self.may_unroll { unrolled.max(1) } else { 1 }
    }

    /// By how many instructions it differs.
    fn distance(&self, found: &Found<'_>) -> usize {
        let rounds = self.rounds(found);
        self.counts.iter().map(|&(fact, n)| (n * rounds).abs_diff(found.of(fact).len())).sum()
    }
}

impl fmt::Display for ExpectedLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = match (self.count(Fact::TableLoads), self.count(Fact::TableStores)) {
            (0, 0) => "",
            (_, 0) => " that uses the table",
            _ => " that makes the table",
        };
        let words = if self.count(Fact::Crc32) > 0 { " and words" } else { "" };
        write!(f, "the loop over {} registers{words}{table}", self.registers)
    }
}

impl Expected {
    pub(crate) fn of(program: &Program, build: Build) -> Self {
        let mut encodings = match program.variant.width() {
            _ if enabled(program).contains("avx512") => vec![EncodingKind::VEX, EncodingKind::EVEX],
            Width::Xmm => vec![EncodingKind::Legacy],
            Width::Ymm => vec![EncodingKind::VEX],
            Width::Zmm => vec![EncodingKind::VEX, EncodingKind::EVEX],
        };
        encodings.extend(build.avx.then_some(EncodingKind::VEX));
        encodings.extend(build.avx512.then_some(EncodingKind::EVEX));
        Expected {
            loops: loops(program, build),
            may_unroll: build.tuned,
            may_spill: !fits(program, &cost(program)),
            may_keep: match &program.skeleton {
                Skeleton::Counter(_) => false,
                Skeleton::Fold(fold) => fold.chunks.is_some(),
                // the compiler keeps some of 16 blocks of data on the stack as they come, before they are turned to bytes
                Skeleton::Rounds(rounds) => {
                    room(program).is_some() || rounds.layout == KeyLayout::Grid && rounds.start.is_empty()
                }
            },
            room: room(program),
            may_write: !matches!(program.skeleton, Skeleton::Fold(_)),
            encodings,
        }
    }

    fn has_table(&self) -> bool {
        self.loops.iter().any(|expected| expected.count(Fact::TableStores) > 0)
    }
}

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    Loops,
    AesEnc,
    AesEncLast,
    Stores,
    TableLoads,
    TableStores,
    Clmul,
    Affine,
    AffineInv,
    AesDecLast,
    Shuffles,
    Xors,
    Ternary,
    Loads,
    Prefetches,
    Crc32,
    WordLoads,
    Wipes,
    RoomWipes,
    Writes,
    Calls,
    Spills,
    LegacySse,
    Vex,
    Evex,
}

impl Fact {
    fn counts(self, line: &Line) -> bool {
        match self {
            Fact::AesEnc => line.class == Class::AesEnc,
            Fact::AesEncLast => line.class == Class::AesEncLast,
            Fact::Stores => line.class == Class::Store,
            Fact::TableLoads => line.stack == Stack::Read,
            Fact::TableStores => matches!(line.stack, Stack::Write | Stack::Wipe),
            Fact::Clmul => line.class == Class::Clmul,
            Fact::Affine => line.class == Class::Affine,
            Fact::AffineInv => line.class == Class::AffineInv,
            Fact::AesDecLast => line.class == Class::AesDecLast,
            Fact::Shuffles => line.class == Class::Shuffle,
            Fact::Xors => line.class == Class::Xor,
            Fact::Ternary => line.class == Class::Ternary,
            Fact::Loads => line.vector && line.reads,
            Fact::Prefetches => line.class == Class::Prefetch,
            Fact::Crc32 => line.class == Class::Crc32,
            Fact::WordLoads => !line.vector && line.reads,
            _ => false,
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fact::Loops => "loops over data",
            Fact::AesEnc => "aesenc",
            Fact::AesEncLast => "aesenclast",
            Fact::Stores => "data stores",
            Fact::TableLoads => "table loads",
            Fact::TableStores => "table stores",
            Fact::Clmul => "pclmulqdq",
            Fact::Affine => "gf2p8affineqb",
            Fact::AffineInv => "gf2p8affineinvqb",
            Fact::AesDecLast => "aesdeclast",
            Fact::Shuffles => "shuffles",
            Fact::Xors => "xors",
            Fact::Ternary => "three-operand logic",
            Fact::Loads => "vector operands in memory",
            Fact::Prefetches => "prefetches",
            Fact::Crc32 => "crc32",
            Fact::WordLoads => "words in memory",
            Fact::Wipes => "loops that wipe the table",
            Fact::RoomWipes => "stores that wipe the room",
            Fact::Writes => "writes elsewhere than to the stack",
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
    /// The loop it is of, if it is of one.
    place: Option<String>,
    expected: usize,
    /// What was found.
    lines: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let Fault { function, fact, place, expected, lines } = self;
        let found = lines.len();
        write!(f, "{function}: {fact}")?;
        if let Some(place) = place {
            write!(f, " in {place}")?;
        }
        write!(f, ": expected {expected}, found {found}")?;
        for line in lines.iter().take(SHOWN) {
            write!(f, "\n    {line}")?;
        }
        match found.saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n    and {more} more"),
        }
    }
}

/// A loop over data, and what is in it.
struct Found<'a> {
    data: &'a Loop,
    lines: Vec<&'a Line>,
}

impl<'a> Found<'a> {
    fn new(listing: &'a Listing<'_>, data: &'a Loop) -> Self {
        Found { data, lines: listing.within(data).collect() }
    }

    /// What is counted.
    fn of(&self, fact: Fact) -> Vec<&'a Line> {
        self.lines.iter().copied().filter(|line| fact.counts(line)).collect()
    }
}

/// Every fact that is not as expected.
pub(crate) fn check(listing: &Listing<'_>, expected: &Expected) -> Vec<Fault> {
    let encoded = |line: &Line, kind| line.instruction.encoding() == kind && !expected.encodings.contains(&kind);
    let none = |fact, counts: &dyn Fn(&Line) -> bool| {
        fault(listing, fact, 0, &listing.lines.iter().filter(|line| counts(line)).collect::<Vec<_>>())
    };
    let starts: Vec<&Line> = listing.loops.iter().filter_map(|data| listing.within(data).next()).collect();
    let pairs = pairs(listing, expected);
    let loops = if expected.may_unroll { expected.loops.len().max(starts.len()) } else { expected.loops.len() };
    let mut faults = vec![fault(listing, Fact::Loops, loops, &starts)];
    for (expected_loop, found) in &pairs {
        faults.extend(in_loop(listing, expected_loop, found));
    }
    let wiped = !expected.has_table() || !listing.wipes.is_empty();
    // the room or the data, whichever the batch was, so that it is not known to be the stack
    let room_wipes = |line: &Line| line.zeros && line.class == Class::Store;
    let room_wipes: Vec<&Line> = listing.lines.iter().filter(|&line| room_wipes(line)).collect();
    faults.extend([
        fault(listing, Fact::Wipes, usize::from(!wiped), &[]),
        expected.room.and_then(|registers| fault(listing, Fact::RoomWipes, registers, &room_wipes)),
        none(Fact::Writes, &|line| line.writes && !expected.may_write),
        none(Fact::Calls, &|line| line.class == Class::Call),
        fault(listing, Fact::Spills, 0, &spills(listing, expected, &pairs)),
        none(Fact::LegacySse, &|line| line.vector && encoded(line, EncodingKind::Legacy)),
        none(Fact::Vex, &|line| encoded(line, EncodingKind::VEX)),
        none(Fact::Evex, &|line| encoded(line, EncodingKind::EVEX)),
    ]);
    faults.into_iter().flatten().collect()
}

/// What is spilled in the loops that do not fit the registers; nothing if all do. Where nothing is, what is spilled
/// elsewhere is left out: it depends on how the compiler cuts the crate into pieces.
pub(crate) fn spilling(listing: &Listing<'_>, expected: &Expected) -> Option<String> {
    let pairs = pairs(listing, expected);
    let loops = pairs.iter().filter(|(expected_loop, _)| expected_loop.may_spill).map(|(_, found)| found.data);
    let spilling: Vec<String> =
        loops.filter(|data| spilled(listing.within(data)) > 0).map(|data| listing.summary(data)).collect();
    expected.may_spill.then(|| match spilling.as_slice() {
        [] => "nothing in a loop".to_owned(),
        _ => format!("{}, {} in all", spilling.join("; "), spilled(&listing.lines)),
    })
}

/// The expected loops, each with the one that it is nearest to; what is left if the compiler unrolled a loop, too.
fn pairs<'a>(listing: &'a Listing<'_>, expected: &'a Expected) -> Vec<(&'a ExpectedLoop, Found<'a>)> {
    let mut left: Vec<Found<'_>> = listing.loops.iter().map(|data| Found::new(listing, data)).collect();
    let mut missing: Vec<&ExpectedLoop> = expected.loops.iter().collect();
    let mut pairs = vec![];
    loop {
        if missing.is_empty() && expected.may_unroll {
            missing.extend(&expected.loops);
        }
        let distances = missing.iter().enumerate().flat_map(|(e, expected_loop)| {
            left.iter().enumerate().map(move |(f, found)| (expected_loop.distance(found), e, f))
        });
        let Some((_, e, f)) = distances.min() else { return pairs };
        pairs.push((missing.remove(e), left.remove(f)));
    }
}

fn in_loop(listing: &Listing<'_>, expected: &ExpectedLoop, found: &Found<'_>) -> Vec<Option<Fault>> {
    let rounds = expected.rounds(found);
    let rolled = listing.rolled(found.data).filter(|line| Fact::AesEnc.counts(line)).count();
    let merged = if expected.may_merge {
        found.of(Fact::Ternary).len().saturating_sub(expected.count(Fact::Ternary) * rounds)
    } else {
        0
    };
    let counts = expected.counts.iter().map(|&(fact, count)| {
        let (lines, count) = (found.of(fact), count * rounds);
        let count = match fact {
            Fact::AesEnc => instructions(lines.len(), rolled, count),
            Fact::Xors => count.saturating_sub(2 * merged),
            Fact::Ternary => count + merged,
            _ => count,
        };
        let fault = fault(listing, fact, count, &lines)?;
        Some(Fault { place: Some(expected.to_string()), ..fault })
    });
    counts.collect()
}

/// How many instructions make so many rounds. Where some are in a loop of their own, how often it runs is taken from
/// the number of rounds: it must come out whole.
fn instructions(aesenc: usize, rolled: usize, rounds: usize) -> usize {
    let once = aesenc - rolled;
    let whole = rolled > 0 && rounds > once && (rounds - once).is_multiple_of(rolled);
    if whole { aesenc } else { rounds }
}

/// What is on the stack although there are registers for it. What is of a table is counted in the loops over data; out
/// of them it may only be wiped.
///
/// Where there is a table, loops follow one another in a loop, and the compiler makes constants, and what it needs of
/// the counter, before all of them. Which of these it keeps on the stack, out of the loops, is its business: that costs
/// next to nothing and betrays nothing. So it is with the powers of x that the end of each chunk needs, and with no secret
/// at all in CRCs.
fn spills<'a>(listing: &'a Listing<'_>, expected: &Expected, pairs: &[(&ExpectedLoop, Found<'_>)]) -> Vec<&'a Line> {
    let mut spills = vec![];
    for data in &listing.loops {
        let pair = pairs.iter().find(|(_, found)| std::ptr::eq(found.data, data));
        if !pair.map_or(expected.may_spill, |(expected_loop, _)| expected_loop.may_spill) {
            spills.extend(listing.within(data).filter(|line| line.spilled()));
        }
    }
    if !expected.may_spill {
        let of_table = expected.has_table();
        let may_be = |line: &Line| expected.may_keep || (of_table && public(listing, line.stack));
        let elsewhere = listing.elsewhere().filter(|line| !may_be(line));
        let wipes = listing.wipes.iter().flat_map(|wipes| listing.within(wipes));
        let wipes = wipes.filter(|line| !((of_table || expected.room.is_some()) && line.stack == Stack::Wipe));
        spills.extend(elsewhere.chain(wipes).filter(|line| line.stack != Stack::Nothing));
    }
    spills
}

/// Whether it is on a place to which public values go and no others.
fn public(listing: &Listing<'_>, stack: Stack) -> bool {
    let (Stack::Spill(place, _) | Stack::Reload(place)) = stack else { return false };
    let mut spills = listing.lines.iter().filter_map(|line| match line.stack {
        Stack::Spill(to, public) if to == place => Some(public),
        _ => None,
    });
    spills.next().is_some_and(|first| first && spills.all(|public| public))
}

fn fault(listing: &Listing<'_>, fact: Fact, expected: usize, lines: &[&Line]) -> Option<Fault> {
    let function = listing.function;
    (lines.len() != expected).then(|| Fault {
        function: function.path.clone(),
        fact,
        place: None,
        expected,
        lines: lines.iter().map(|line| text(function, &line.instruction)).collect(),
    })
}
