//! AES in counter mode: the library and our kernels, crates `aes` and `ctr`, OpenSSL and intel-ipsec-mb.
//!
//! Every contestant has its key expanded beforehand, gets messages in place, and finds the first counter block of each
//! in memory: 16 bytes that were written long before, or that are the head of the message before.

#[allow(unsafe_code)]
mod ipsec_mb;
mod openssl;
mod ours;
mod rig;
mod rustcrypto;

use std::cell::RefCell;
use std::io::Write;

use byways::cpu::Detected;
use byways::ctr::Field;
use byways::measure::{Contestant, Cycles, race};
use byways::verify::ctr::oracle;
use byways::verify::noise;
use clap::Args;
use indicatif::ProgressBar;

use crate::messages::{LONGEST_MIXED, Mixed};
use crate::options::{Common, Length, check_filters, chosen, distinct, rounds_of};
use crate::table::{self, Table, by_rows};
use crate::{Failure, progress};
use rig::{Rig, Turn};

/// Bits in a key.
const KEYS: [u16; 3] = [128, 192, 256];

/// What the tables show unless asked for something else.
const LENGTHS: [Length; 10] = [
    Length::Bytes(16),
    Length::Bytes(64),
    Length::Bytes(256),
    Length::Bytes(1024),
    Length::Bytes(1472),
    Length::Bytes(8192),
    Length::Bytes(65536),
    Length::Bytes(1 << 20),
    Length::Bytes(64 << 20),
    Length::Mixed,
];

/// Up to this length, messages that wait for the one before are measured, too.
const LONGEST_DEPENDENT: usize = 1472;

/// From this length on, bytes a cycle are shown, too.
const SHORTEST_RATE: usize = 8192;

/// The arguments.
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    common: Common,

    /// Which of ours: byways is the library, and byways fallback, xmm, ymm or zmm the library with registers so wide;
    /// kernels by whole names, or how they end; without it byways,by8_xmm,by16_ymm,by16_zmm
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    kernels: Vec<String>,

    /// Bits in the key; repeatable; without it all three
    #[arg(long = "key", value_name = "BITS", value_parser = ["128", "192", "256"])]
    keys: Vec<String>,
}

/// An implementation with an expanded key.
trait Peer {
    /// What it is called in tables.
    fn name(&self) -> &str;

    /// What it is, and of which version.
    fn about(&self) -> String;

    /// How much of the counter block counts.
    fn field(&self) -> Field {
        Field::Bits128
    }

    /// Xors the keystream from the counter block `iv` on into the data.
    fn apply(&mut self, iv: &[u8; 16], data: &mut [u8]);
}

type Peers = Vec<Box<dyn Peer>>;

/// One of ours by its name, and why it cannot run here.
type LeftOut = (&'static str, String);

/// Everybody with this key, those of ours among them that the names choose; and those of ours that this CPU cannot run.
fn contestants(key: &[u8], names: &[String], cpu: Detected) -> Result<(Peers, Vec<LeftOut>), Failure> {
    let (mut all, missing) = ours::chosen(key, names, cpu);
    all.push(rustcrypto::new(key));
    all.push(Box::new(openssl::OpenSsl::new(key).map_err(Failure::Contestant)?));
    all.push(Box::new(ipsec_mb::IpsecMb::new(key).map_err(Failure::Contestant)?));
    Ok((all, missing))
}

/// Compares, measures and shows.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Failure> {
    let Options { common: Common { filters, lengths, rounds }, kernels, .. } = options;
    let asked = distinct(options.keys.iter().filter_map(|bits| bits.parse().ok()));
    let keys = if asked.is_empty() { KEYS.to_vec() } else { asked };
    let asked = distinct(lengths.iter().copied());
    let lengths = if asked.is_empty() { LENGTHS.to_vec() } else { asked };
    ours::check(kernels, &keys).map_err(Failure::Arguments)?;

    let (mut by_key, mut missing) = (Vec::new(), Vec::new());
    for &bits in &keys {
        let key: Vec<u8> = noise(u64::from(bits)).take(usize::from(bits) / 8).collect();
        let (all, cannot) = contestants(&key, kernels, Detected::get())?;
        by_key.push((bits, key, all));
        missing.extend(cannot.into_iter().filter(|left_out| !missing.contains(left_out)).collect::<Vec<_>>());
    }
    let names = by_key.iter().flat_map(|(_, _, all)| all.iter().map(|peer| peer.name()));
    let names = distinct(names.chain(missing.iter().map(|(name, _)| *name)));
    check_filters(filters, &names).map_err(Failure::Arguments)?;
    missing.retain(|(name, _)| chosen(filters, name));
    for (_, _, all) in &mut by_key {
        all.retain(|peer| chosen(filters, peer.name()));
    }
    by_key.retain(|(_, _, all)| !all.is_empty());
    let missing: Vec<String> = missing.iter().map(|(name, missing)| format!("`{name}`: {missing}")).collect();
    if by_key.is_empty() {
        return Err(Failure::Contestant(format!("nobody is left to be measured: {}", missing.join("; "))));
    }

    header(out, by_key.iter().flat_map(|(_, _, all)| all), &missing)?;
    let bar = progress(by_key.len() * lengths.len());
    for (_, key, all) in &mut by_key {
        compare(key, all, &lengths).map_err(Failure::Contestant)?;
    }
    for (bits, _, all) in &mut by_key {
        let title = format!("AES-{bits}-CTR");
        let tables = measure(&title, all, &lengths, *rounds, &bar);
        bar.suspend(|| tables.iter().try_for_each(|table| write!(out, "\n{table}").and_then(|()| out.flush())))?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Says who takes part, on what, and what the numbers are.
fn header<'a>(
    out: &mut impl Write,
    peers: impl Iterator<Item = &'a Box<dyn Peer>>,
    missing: &[String],
) -> std::io::Result<()> {
    let abouts = distinct(peers.map(|peer| peer.about()));
    writeln!(out, "AES-CTR on {}", table::cpu_model())?;
    abouts.iter().try_for_each(|about| writeln!(out, "  {about}"))?;
    missing.iter().try_for_each(|missing| writeln!(out, "left out: {missing}"))?;
    writeln!(out, "In place, keys expanded beforehand, a fresh counter block a message.")?;
    writeln!(out, "mixed: every length from 1 to {LONGEST_MIXED}, in random order.")?;
    writeln!(out, "A cell is the lowest quartile of the rounds, and how much higher the upper quartile is.")
}

/// Every contestant at every length, and those next to it, against crates `aes` and `ctr`.
fn compare(key: &[u8], peers: &mut [Box<dyn Peer>], lengths: &[Length]) -> Result<(), String> {
    let near = |length: &Length| match *length {
        Length::Bytes(len) => len - 1..=len + 1,
        Length::Mixed => 1..=LONGEST_MIXED,
    };
    for len in distinct(lengths.iter().flat_map(near)) {
        let message: Vec<u8> = noise(len as u64 + 1).take(len).collect();
        agree(key, rig::iv(len), &message, peers)?;
    }
    Ok(())
}

/// Fails if a contestant makes something else of the message than crates `aes` and `ctr` do.
fn agree(key: &[u8], iv: [u8; 16], message: &[u8], peers: &mut [Box<dyn Peer>]) -> Result<(), String> {
    let (mut wanted, mut found) = (message.to_vec(), Vec::new());
    let mut field = Field::Bits128;
    oracle(key, u128::from_be_bytes(iv), field, &mut wanted);
    for peer in peers {
        if peer.field() != field {
            field = peer.field();
            wanted.copy_from_slice(message);
            oracle(key, u128::from_be_bytes(iv), field, &mut wanted);
        }
        found.clear();
        found.extend_from_slice(message);
        peer.apply(&iv, &mut found);
        if let Some(at) = found.iter().zip(&wanted).position(|(a, b)| a != b) {
            return Err(format!(
                "`{}` is wrong, so nothing was timed: of {} bytes under a key of {} bits and counter {:#034x}, byte \
                 {at} is {:#04x} instead of {:#04x}",
                peer.name(),
                message.len(),
                key.len() * 8,
                u128::from_be_bytes(iv),
                found[at],
                wanted[at],
            ));
        }
    }
    Ok(())
}

/// The tables of a key size.
fn measure(
    title: &str,
    peers: &mut [Box<dyn Peer>],
    lengths: &[Length],
    rounds: usize,
    bar: &ProgressBar,
) -> Vec<Table> {
    let (mut independent, mut dependent, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for &length in lengths {
        bar.set_message(format!("{title}, {length}"));
        match length {
            Length::Bytes(len) => {
                let rig = RefCell::new(Rig::new(len));
                let rounds = rounds_of(len, rounds);
                let cycles = cell(peers, rounds, |peer, turn, times| rig.borrow_mut().independent(peer, turn, times));
                if len >= SHORTEST_RATE {
                    let rates_here = cycles.iter().map(|cycles| format!("{:.2}", len as f64 / cycles.quartile));
                    rates.push((length.to_string(), rates_here.collect()));
                }
                independent.push((length.to_string(), shown(&cycles)));
                if len <= LONGEST_DEPENDENT {
                    let cycles = cell(peers, rounds, |peer, turn, times| rig.borrow_mut().dependent(peer, turn, times));
                    dependent.push((length.to_string(), shown(&cycles)));
                }
            }
            Length::Mixed => {
                let rig = RefCell::new(Rig::new(LONGEST_MIXED));
                let mixed = Mixed::new();
                let rounds = rounds_of(LONGEST_MIXED * LONGEST_MIXED / 2, rounds);
                let turns = cell(peers, rounds, |peer, turn, times| {
                    rig.borrow_mut().mixed(peer, turn, times, &mixed);
                });
                let cycles: Vec<Cycles> = turns.into_iter().map(Mixed::a_message).collect();
                independent.push((length.to_string(), shown(&cycles)));
            }
        }
        bar.inc(1);
    }
    let names: Vec<&str> = peers.iter().map(|peer| peer.name()).collect();
    [
        (format!("{title}, cycles a message, each independent of the one before"), independent),
        (format!("{title}, cycles a message, each with the head of the last output as its counter block"), dependent),
        (format!("{title}, bytes a cycle"), rates),
    ]
    .into_iter()
    .filter(|(_, columns)| !columns.is_empty())
    .map(|(title, columns)| by_rows(title, &names, &columns))
    .collect()
}

/// Races the contestants in one kind of run. All of them use the same buffers, in the same order.
fn cell(peers: &mut [Box<dyn Peer>], rounds: usize, run: impl Fn(&mut dyn Peer, &mut Turn, usize)) -> Vec<Cycles> {
    let run = &run;
    let contestants = peers.iter_mut().map(|peer| {
        let mut turn = Turn::default();
        Contestant::new(peer.name().to_owned(), move |times| run(peer.as_mut(), &mut turn, times))
    });
    race(&mut contestants.collect::<Vec<_>>(), rounds, || ())
}

fn shown(cycles: &[Cycles]) -> Vec<String> {
    cycles.iter().map(table::cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everybody(bits: u16) -> (Vec<u8>, Peers) {
        let key: Vec<u8> = noise(9).take(usize::from(bits) / 8).collect();
        let names = ["xmm", "ymm", "zmm", "byways", "byways fallback", "byways xmm", "byways ymm", "byways zmm"];
        let (all, missing) = contestants(&key, &names.map(str::to_owned), Detected::get()).expect("all peers");
        missing.iter().for_each(|(name, missing)| println!("left out: {name}: {missing}"));
        (key, all)
    }

    #[test]
    fn all_agree_on_every_length() {
        for bits in KEYS {
            let (key, mut all) = everybody(bits);
            for len in 0..=300 {
                let message: Vec<u8> = noise(len as u64 + 1).take(len).collect();
                assert_eq!(agree(&key, rig::iv(len), &message, &mut all), Ok(()));
            }
        }
    }

    #[test]
    fn all_agree_where_the_counter_wraps() {
        const HIGH: u128 = 0x0123_4567_89ab_cdef << 64;
        for bits in KEYS {
            let (key, mut all) = everybody(bits);
            for len in [1, 16, 17, 63, 128, 255, 256, 300, 1000] {
                let message: Vec<u8> = noise(len as u64 + 1).take(len).collect();
                for before in 0..=len.div_ceil(16) as u128 + 1 {
                    for wraps_at in [1 << 32, HIGH + (1 << 64), 0] {
                        let counter = u128::wrapping_sub(wraps_at, before);
                        assert_eq!(agree(&key, counter.to_be_bytes(), &message, &mut all), Ok(()));
                    }
                }
            }
        }
    }

    /// Changes nothing.
    struct Idle;

    impl Peer for Idle {
        fn name(&self) -> &str {
            "idle"
        }

        fn about(&self) -> String {
            "idle".to_owned()
        }

        fn apply(&mut self, _: &[u8; 16], _: &mut [u8]) {}
    }

    #[test]
    fn who_is_wrong_is_named() {
        let mut peers: Peers = vec![rustcrypto::new(&[0; 24]), Box::new(Idle)];
        let error = compare(&[0; 24], &mut peers, &[Length::Bytes(16)]).unwrap_err();
        assert!(
            error.starts_with("`idle` is wrong, so nothing was timed: of 15 bytes under a key of 192 bits"),
            "{error}"
        );
        peers.pop();
        assert_eq!(compare(&[0; 24], &mut peers, &LENGTHS[..2]), Ok(()));
    }
}
