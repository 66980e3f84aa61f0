//! CRCs of 16, 32 and 64 bits: the library, ISA-L, and crates `crc-fast`, `crc32fast` and `crc`.

#[allow(unsafe_code)]
mod isal;
mod peers;
mod slower;

use std::hint::black_box;
use std::io::Write;
use std::iter::repeat_n;
use std::ops::RangeInclusive;

use byways::measure::{Contestant, Cycles, race};
use byways::verify::noise;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use crate::messages::{Buffers, LONGEST_MIXED, Mixed};
use crate::options::{Common, Length, check_filters, chosen, distinct, parse_range, rounds_of};
use crate::table::{self, Table, by_rows};
use crate::{Failure, progress};

/// What the tables show unless asked for something else.
const LENGTHS: [Length; 11] = [
    Length::Bytes(16),
    Length::Bytes(64),
    Length::Bytes(256),
    Length::Bytes(512),
    Length::Bytes(1024),
    Length::Bytes(1472),
    Length::Bytes(4096),
    Length::Bytes(8192),
    Length::Bytes(65536),
    Length::Bytes(1 << 20),
    Length::Mixed,
];

/// The arguments.
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    common: Common,

    /// The CRC, also as t10-dif, crc-32, crc-32c, nvme or xz; repeatable; without it all
    #[arg(long = "algorithm", value_name = "NAME", ignore_case = true)]
    algorithms: Vec<Algorithm>,

    /// Each call goes on from the result of the call before
    #[arg(long)]
    dependent: bool,

    /// Instead of tables by length, the best, mean and worst of every length from LO to HI; one algorithm
    #[arg(long, value_name = "LO..HI", value_parser = parse_range, conflicts_with = "lengths")]
    sweep: Option<RangeInclusive<usize>>,
}

/// The CRCs that are compared.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Algorithm {
    #[value(name = "crc-16/t10-dif", alias = "t10-dif")]
    T10Dif,
    #[value(name = "crc-32/iso-hdlc", aliases = ["iso-hdlc", "crc-32"])]
    IsoHdlc,
    #[value(name = "crc-32/iscsi", aliases = ["iscsi", "crc-32c"])]
    Iscsi,
    #[value(name = "crc-64/nvme", alias = "nvme")]
    Nvme,
    #[value(name = "crc-64/xz", alias = "xz")]
    Xz,
}

/// An algorithm and its contestants.
struct Model {
    /// As the catalogue has it.
    name: &'static str,
    /// Crate `crc`, byte by byte.
    reference: fn(&[u8]) -> u64,
    peers: Vec<Peer>,
}

/// An implementation of an algorithm.
struct Peer {
    /// What it is called in tables.
    name: &'static str,
    /// What it is, and of which version.
    about: fn() -> String,
    /// The CRC of the data.
    checksum: fn(&[u8]) -> u64,
    /// The CRC of something and then the data, from the CRC of the former.
    resume: fn(u64, &[u8]) -> u64,
}

/// Whether a call waits for the one before.
#[derive(Clone, Copy)]
enum Mode {
    Independent,
    Dependent,
}

/// Where a contestant is in its sequence of messages.
#[derive(Default)]
struct Turn {
    messages: usize,
    crc: u64,
}

/// Compares, measures and shows.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Failure> {
    let Options { common: Common { filters, lengths, rounds }, algorithms, dependent, sweep } = options;
    let asked = distinct(algorithms.iter().copied());
    let algorithms = if asked.is_empty() { Algorithm::value_variants() } else { &asked };
    let asked = distinct(lengths.iter().copied());
    let lengths = if asked.is_empty() { LENGTHS.to_vec() } else { asked };
    let mode = if *dependent { Mode::Dependent } else { Mode::Independent };

    let mut models: Vec<Model> = algorithms.iter().map(|&algorithm| peers::model(algorithm)).collect();
    let names = distinct(models.iter().flat_map(|model| model.names()));
    check_filters(filters, &names).map_err(Failure::Arguments)?;
    for model in &mut models {
        model.peers.retain(|peer| chosen(filters, peer.name));
    }
    models.retain(|model| !model.peers.is_empty());
    if let (Some(_), [_, another, ..]) = (sweep, &*models) {
        let error = format!("`--sweep` is for one algorithm, and `{}` is another; see `--algorithm`", another.name);
        return Err(Failure::Arguments(error));
    }

    header(out, &models, mode, sweep.is_none())?;
    let bar = progress(sweep.as_ref().map_or(models.len() * lengths.len(), |sweep| sweep.clone().count()));
    for model in &models {
        match sweep {
            Some(sweep) => compare(model, sweep.clone()),
            None => compare(model, distinct(lengths.iter().flat_map(near))),
        }
        .map_err(Failure::Contestant)?;
    }
    for model in &models {
        let shown = match sweep {
            Some(sweep) => self::sweep(model, mode, sweep.clone(), *rounds, &bar),
            None => measure(model, mode, &lengths, *rounds, &bar),
        };
        bar.suspend(|| write!(out, "{shown}").and_then(|()| out.flush()))?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Says who takes part, on what, and what the numbers are.
fn header(out: &mut impl Write, models: &[Model], mode: Mode, spread: bool) -> std::io::Result<()> {
    let peers = models.iter().flat_map(|model| &model.peers);
    let abouts = distinct(peers.map(|peer| (peer.name, (peer.about)())));
    writeln!(out, "CRCs on {}", table::cpu_model())?;
    abouts.iter().try_for_each(|(name, about)| writeln!(out, "  {name:<12} {about}"))?;
    match mode {
        Mode::Independent => writeln!(out, "Every call is independent of the one before.")?,
        Mode::Dependent => writeln!(out, "Every call goes on from the result of the one before.")?,
    }
    if spread {
        writeln!(out, "mixed: every length from 1 to {LONGEST_MIXED}, in random order.")?;
        writeln!(out, "A cell is the lowest quartile of the rounds, and how much higher the upper quartile is.")
    } else {
        writeln!(out, "The rate at a length is that of the lowest quartile of the rounds.")
    }
}

impl Model {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.peers.iter().map(|peer| peer.name)
    }
}

/// The lengths to be compared before this one is measured.
fn near(length: &Length) -> RangeInclusive<usize> {
    match *length {
        Length::Bytes(len) => len - 1..=len + 1,
        Length::Mixed => 1..=LONGEST_MIXED,
    }
}

/// Every contestant at these lengths, in one call and in two, against crate `crc`.
fn compare(model: &Model, lengths: impl IntoIterator<Item = usize>) -> Result<(), String> {
    for len in lengths {
        let message: Vec<u8> = noise(len as u64 + 1).take(len).collect();
        let (head, tail) = message.split_at(len / 3);
        let (wanted, before) = ((model.reference)(&message), (model.reference)(head));
        for peer in &model.peers {
            let found = [((peer.checksum)(&message), ""), ((peer.resume)(before, tail), ", from its third on,")];
            if let Some((found, from)) = found.into_iter().find(|(found, _)| *found != wanted) {
                return Err(format!(
                    "`{}` is wrong, so nothing was timed: the {} of {len} bytes{from} is {found:#x} instead of \
                     {wanted:#x}",
                    peer.name, model.name,
                ));
            }
        }
    }
    Ok(())
}

/// The tables of an algorithm.
fn measure(model: &Model, mode: Mode, lengths: &[Length], rounds: usize, bar: &ProgressBar) -> String {
    let (mut cycles, mut rates, mut slower) = (Vec::new(), Vec::new(), Vec::new());
    for &length in lengths {
        bar.set_message(format!("{}, {length}", model.name));
        let (measured, mean) = match length {
            Length::Bytes(len) => {
                let buffers = Buffers::new(len);
                let run = |peer: &_, turn: &mut _, times| call(peer, mode, &buffers, turn, repeat_n(len, times));
                (each(model, rounds_of(len, rounds), run), len as f64)
            }
            Length::Mixed => {
                let (buffers, mixed) = (Buffers::new(LONGEST_MIXED), Mixed::new());
                let run = |peer: &_, turn: &mut Turn, times| {
                    for _ in 0..times {
                        call(peer, mode, &buffers, turn, mixed.shuffle_at(turn.messages));
                    }
                };
                let mean = (1 + LONGEST_MIXED) as f64 / 2.0;
                let turns = each(model, rounds_of(LONGEST_MIXED * LONGEST_MIXED / 2, rounds), run);
                (turns.into_iter().map(Mixed::a_message).collect(), mean)
            }
        };
        let label = length.to_string();
        cycles.push((label.clone(), measured.iter().map(table::cell).collect()));
        rates.push((label.clone(), measured.iter().map(|cycles| rate(mean / cycles.quartile)).collect()));
        slower.push((label, measured.iter().map(|cycles| cycles.quartile).collect()));
        bar.inc(1);
    }
    let names: Vec<&str> = model.names().collect();
    let mut shown = format!(
        "\n{}\n{}",
        by_rows(format!("{}, cycles a message", model.name), &names, &cycles),
        by_rows(format!("{}, bytes a cycle", model.name), &names, &rates)
    );
    if let Some(slower) = slower::table(model.name, &names, &slower) {
        shown.push_str(&format!("\n{slower}"));
    }
    shown
}

/// What the rates of all these lengths come to.
fn sweep(model: &Model, mode: Mode, lengths: RangeInclusive<usize>, rounds: usize, bar: &ProgressBar) -> String {
    let (low, high) = (*lengths.start(), *lengths.end());
    let buffers = Buffers::new(high);
    let mut measured = Vec::new();
    for len in lengths {
        bar.set_message(format!("{}, {len}", model.name));
        let run = |peer: &_, turn: &mut _, times| call(peer, mode, &buffers, turn, repeat_n(len, times));
        measured.push((len, each(model, rounds_of(len, rounds), run)));
        bar.inc(1);
    }
    let names: Vec<&str> = model.names().collect();
    let title = format!("{}, bytes a cycle over every length from {low} to {high}", model.name);
    let columns = ["mean", "worst", "at", "best", "at", "worst/mean"];
    let mut table = Table::new(title, columns.map(str::to_owned));
    for (i, name) in names.iter().enumerate() {
        let rates = measured.iter().map(|(len, cycles)| (*len, *len as f64 / cycles[i].quartile)).collect::<Vec<_>>();
        table.row(name, row_of_sweep(&rates));
    }
    let mut shown = format!("\n{table}");
    let cycles = measured.iter().map(|(len, cycles)| (*len, cycles.iter().map(|cycles| cycles.quartile).collect()));
    if let Some(slower) = slower::line(&names, &cycles.collect::<Vec<_>>()) {
        shown.push_str(&format!("{slower}\n"));
    }
    shown
}

/// Of lengths and the rates there: mean, worst and where, best and where, and the worst as a part of the mean.
fn row_of_sweep(rates: &[(usize, f64)]) -> [String; 6] {
    let mean = rates.iter().map(|(_, rate)| rate).sum::<f64>() / rates.len() as f64;
    let by_rate = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    let (worst_at, worst) = *rates.iter().min_by(by_rate).expect("a length");
    let (best_at, best) = *rates.iter().max_by(by_rate).expect("a length");
    [rate(mean), rate(worst), worst_at.to_string(), rate(best), best_at.to_string(), format!("{:.3}", worst / mean)]
}

fn rate(rate: f64) -> String {
    format!("{rate:.2}")
}

/// Races the contestants in one kind of run. All of them use the same buffers, in the same order.
fn each(model: &Model, rounds: usize, run: impl Fn(&Peer, &mut Turn, usize)) -> Vec<Cycles> {
    let run = &run;
    let contestants = model.peers.iter().map(|peer| {
        let mut turn = Turn::default();
        Contestant::new(peer.name, move |times| run(peer, &mut turn, times))
    });
    race(&mut contestants.collect::<Vec<_>>(), rounds, || ())
}

/// Hands messages of these lengths to a contestant: one indirect call a message, and the same code around it for
/// everybody.
fn call(peer: &Peer, mode: Mode, buffers: &Buffers, turn: &mut Turn, lengths: impl Iterator<Item = usize>) {
    match mode {
        Mode::Independent => {
            for len in lengths {
                turn.messages = turn.messages.wrapping_add(1);
                black_box((peer.checksum)(buffers.message(turn.messages, len)));
            }
        }
        Mode::Dependent => {
            for len in lengths {
                turn.messages = turn.messages.wrapping_add(1);
                turn.crc = (peer.resume)(turn.crc, buffers.message(turn.messages, len));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_agree_on_every_length() {
        for &algorithm in Algorithm::value_variants() {
            assert_eq!(compare(&peers::model(algorithm), 0..=600), Ok(()));
            assert_eq!(compare(&peers::model(algorithm), [1472, 4096, 8191, 65537, 1 << 20]), Ok(()));
        }
    }

    #[test]
    fn everybody_takes_part() {
        let names = |algorithm| peers::model(algorithm).names().collect::<Vec<_>>().join(", ");
        assert_eq!(names(Algorithm::T10Dif), "byways, byways ymm, byways xmm, isa-l, crc-fast, crc table16");
        assert_eq!(
            names(Algorithm::IsoHdlc),
            "byways, byways ymm, byways xmm, isa-l, crc32fast, crc-fast, crc table16"
        );
        assert_eq!(names(Algorithm::Iscsi), "byways, byways ymm, byways xmm, isa-l, crc-fast, crc table16");
        assert_eq!(names(Algorithm::Nvme), "byways, byways ymm, byways xmm, crc-fast, crc table16");
        assert_eq!(names(Algorithm::Xz), "byways, byways ymm, byways xmm, isa-l, crc-fast, crc table16");
    }

    /// An algorithm of which one contestant is right, and `peer`.
    fn with(peer: Peer) -> Model {
        let mut model = peers::model(Algorithm::Nvme);
        model.peers.truncate(1);
        model.peers.push(peer);
        model
    }

    fn about() -> String {
        String::new()
    }

    #[test]
    fn who_is_wrong_is_named() {
        let zero = with(Peer { name: "zero", about, checksum: |_| 0, resume: |_, _| 0 });
        let error = compare(&zero, near(&Length::Bytes(16))).unwrap_err();
        let start = "`zero` is wrong, so nothing was timed: the CRC-64/NVME of 15 bytes is 0x0 instead of 0x";
        assert!(error.starts_with(start), "{error}");

        let nvme = zero.reference;
        let checksum = peers::model(Algorithm::Nvme).peers[0].checksum;
        assert_eq!(checksum(b"123456789"), nvme(b"123456789"));
        let forgetful = with(Peer { name: "forgetful", about, checksum, resume: |_, _| 0 });
        let error = compare(&forgetful, [9]).unwrap_err();
        assert!(
            error.starts_with("`forgetful` is wrong") && error.contains("9 bytes, from its third on, is"),
            "{error}"
        );
    }

    #[test]
    fn dependent_calls_take_the_last_result() {
        // the number of calls in the high half, of bytes in the low one
        let resume = |crc, data: &[u8]| crc + (1 << 32) + data.len() as u64;
        let peer = Peer { name: "counter", about, checksum: |_| 0, resume };
        let (buffers, mut turn) = (Buffers::new(100), Turn::default());
        call(&peer, Mode::Dependent, &buffers, &mut turn, repeat_n(100, 5));
        call(&peer, Mode::Dependent, &buffers, &mut turn, [1, 2].into_iter());
        assert_eq!((turn.crc >> 32, turn.crc as u32), (7, 503));
        call(&peer, Mode::Independent, &buffers, &mut turn, repeat_n(100, 5));
        assert_eq!((turn.messages, turn.crc as u32), (12, 503));
    }

    #[test]
    fn a_sweep_has_its_extremes() {
        let row = row_of_sweep(&[(10, 2.0), (11, 1.0), (12, 3.0), (13, 2.0)]);
        assert_eq!(row, ["2.00", "1.00", "11", "3.00", "12", "0.500"]);
    }
}
