//! ARIA, blocks by themselves and in counter mode: the library, crate `aria`, and OpenSSL.
//!
//! Every contestant has its key expanded beforehand and gets messages in place.

mod peers;

use std::cell::RefCell;
use std::io::Write;

use ::aria::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use byways::measure::{Contestant, Cycles, race};
use byways::verify::noise;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use crate::messages::{Buffers, LONGEST_MIXED, Mixed};
use crate::options::{Common, Length, check_filters, chosen, distinct, rounds_of};
use crate::table::{self, by_rows};
use crate::{Failure, progress};
use peers::Peer;

/// Bits in a key.
const KEYS: [u16; 3] = [128, 192, 256];

/// Bytes in a block.
const BLOCK: usize = 16;

/// What the tables show unless asked for something else.
const LENGTHS: [Length; 8] = [
    Length::Bytes(16),
    Length::Bytes(64),
    Length::Bytes(128),
    Length::Bytes(256),
    Length::Bytes(1024),
    Length::Bytes(1472),
    Length::Bytes(4096),
    Length::Bytes(65536),
];

/// How many keys, and counter blocks, are at hand.
const AT_HAND: usize = 256;

/// The arguments.
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    common: Common,

    /// Bits in the key; repeatable; without it all three
    #[arg(long = "key", value_name = "BITS", value_parser = ["128", "192", "256"])]
    keys: Vec<String>,

    /// Blocks by themselves in both directions, or counter mode; repeatable; without it both
    #[arg(long = "mode", value_name = "MODE")]
    modes: Vec<Mode>,

    /// Each message is the last output, and in counter mode the head of that is its counter block
    #[arg(long)]
    dependent: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Ecb,
    Ctr,
}

impl Mode {
    fn tasks(self) -> &'static [Task] {
        match self {
            Mode::Ecb => &[Task::Encrypt, Task::Decrypt],
            Mode::Ctr => &[Task::Ctr],
        }
    }
}

/// What is done to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Task {
    Encrypt,
    Decrypt,
    Ctr,
}

impl Task {
    /// With this key, as tables call it.
    fn title(self, key: &[u8]) -> String {
        let bits = key.len() * 8;
        match self {
            Task::Encrypt => format!("ARIA-{bits}-ECB, encryption"),
            Task::Decrypt => format!("ARIA-{bits}-ECB, decryption"),
            Task::Ctr => format!("ARIA-{bits}-CTR"),
        }
    }

    /// Of so many bytes, those that are a message.
    fn fit(self, len: usize) -> usize {
        if self == Task::Ctr { len } else { len.next_multiple_of(BLOCK) }
    }
}

/// A task with a key, and who does it.
struct Race {
    task: Task,
    key: Vec<u8>,
    peers: Vec<Peer>,
}

/// Compares, measures and shows.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Failure> {
    let Options { common: Common { filters, lengths, rounds }, keys, modes, dependent } = options;
    let asked = distinct(keys.iter().filter_map(|bits| bits.parse().ok()));
    let keys = if asked.is_empty() { KEYS.to_vec() } else { asked };
    let asked = distinct(modes.iter().copied());
    let modes = if asked.is_empty() { Mode::value_variants() } else { &asked };
    let asked = distinct(lengths.iter().copied());
    let lengths = if asked.is_empty() { LENGTHS.to_vec() } else { asked };
    if modes.contains(&Mode::Ecb) {
        check_blocks(&lengths).map_err(Failure::Arguments)?;
    }

    let mut races = Vec::new();
    for &bits in &keys {
        for &task in modes.iter().flat_map(|mode| mode.tasks()) {
            let key = key(bits, 0);
            let peers = peers::all(task, &key).map_err(Failure::Contestant)?;
            races.push(Race { task, key, peers });
        }
    }
    let names = distinct(races.iter().flat_map(|race| race.peers.iter().map(|peer| peer.name)));
    check_filters(filters, &names).map_err(Failure::Arguments)?;
    for race in &mut races {
        race.peers.retain(|peer| chosen(filters, peer.name));
    }

    header(out, &races, &lengths, *dependent)?;
    for race in &mut races {
        compare(race, &lengths).map_err(Failure::Contestant)?;
    }
    let bar = progress(races.len() * lengths.len());
    for race in &mut races {
        let shown = measure(race, *dependent, &lengths, *rounds, &bar);
        bar.suspend(|| write!(out, "{shown}").and_then(|()| out.flush()))?;
    }
    bar.finish_and_clear();
    if let Some(shown) = measure_setup(&keys, filters, *rounds) {
        write!(out, "{shown}")?;
    }
    Ok(())
}

/// Fails if one of the lengths is not that of whole blocks.
fn check_blocks(lengths: &[Length]) -> Result<(), String> {
    let wrong = lengths.iter().find(|length| matches!(length, Length::Bytes(len) if !len.is_multiple_of(BLOCK)));
    wrong.map_or(Ok(()), |length| {
        Err(format!("`{length}` bytes are no whole blocks of {BLOCK}, which ECB takes; see `--mode ctr`"))
    })
}

/// The key of this number.
fn key(bits: u16, number: usize) -> Vec<u8> {
    noise(u64::from(bits) + 1000 * number as u64).take(usize::from(bits) / 8).collect()
}

/// The counter block of this number. All of its bits count.
fn iv(number: usize) -> [u8; BLOCK] {
    let mut noise = noise(2 * number as u64 + 1).skip(32);
    std::array::from_fn(|_| noise.next().expect("without end"))
}

/// Says who takes part, on what, and what the numbers are.
fn header(out: &mut impl Write, races: &[Race], lengths: &[Length], dependent: bool) -> std::io::Result<()> {
    let peers = races.iter().flat_map(|race| &race.peers);
    let abouts = distinct(peers.map(|peer| (peer.name, &peer.about)));
    writeln!(out, "ARIA on {}", table::cpu_model())?;
    abouts.iter().try_for_each(|(name, about)| writeln!(out, "  {name:<12} {about}"))?;
    writeln!(out, "In place, keys expanded beforehand.")?;
    if dependent {
        writeln!(out, "Every message is the last output; in counter mode the head of that is the counter block.")?;
    } else {
        writeln!(out, "Every call is independent of the one before.")?;
    }
    if lengths.contains(&Length::Mixed) {
        writeln!(
            out,
            "mixed: every length from 1 to {LONGEST_MIXED}, in random order; in ECB up to the next block's end."
        )?;
    }
    writeln!(out, "A cell is the lowest quartile of the rounds, and how much higher the upper quartile is.")
}

/// Every contestant at every length, and in counter mode at those next to it, against crate `aria`, block by block.
fn compare(race: &mut Race, lengths: &[Length]) -> Result<(), String> {
    let near = |length: &Length| match *length {
        Length::Bytes(len) => len - 1..=len + 1,
        Length::Mixed => 1..=LONGEST_MIXED,
    };
    let task = race.task;
    for len in distinct(lengths.iter().flat_map(near).map(|len| task.fit(len))) {
        // a counter block whose low bits soon wrap is one of them
        for iv in [iv(len), (u128::from(len as u64) << 64 | u128::from(u64::MAX - 2)).to_be_bytes()] {
            let message: Vec<u8> = noise(len as u64 + 1).take(len).collect();
            agree(race, iv, &message)?;
        }
    }
    Ok(())
}

/// Fails if a contestant makes something else of the message than crate `aria` does.
fn agree(race: &mut Race, iv: [u8; BLOCK], message: &[u8]) -> Result<(), String> {
    let (len, mut wanted) = (message.len(), message.to_vec());
    oracle(race.task, &race.key, iv, &mut wanted);
    for peer in &mut race.peers {
        let mut found = message.to_vec();
        found.resize(len + BLOCK, 0x5a);
        (peer.run)(&iv, &mut found, len);
        if let Some(at) = found.iter().zip(&wanted).position(|(a, b)| a != b) {
            return Err(format!(
                "`{}` is wrong, so nothing was timed: {}, of {len} bytes with counter block {:#034x}, byte {at} is \
                 {:#04x} instead of {:#04x}",
                peer.name,
                race.task.title(&race.key),
                u128::from_be_bytes(iv),
                found[at],
                wanted[at],
            ));
        }
    }
    Ok(())
}

/// The task by crate `aria`, one block after the other.
fn oracle(task: Task, key: &[u8], iv: [u8; BLOCK], data: &mut [u8]) {
    fn with<C>(cipher: &C, task: Task, iv: [u8; BLOCK], data: &mut [u8])
    where
        C: BlockCipherEncrypt
            + BlockCipherDecrypt
            + byways::cipher::BlockSizeUser<BlockSize = ::aria::cipher::consts::U16>,
    {
        for (i, part) in data.chunks_mut(BLOCK).enumerate() {
            let mut block = match task {
                Task::Ctr => u128::from_be_bytes(iv).wrapping_add(i as u128).to_be_bytes(),
                Task::Encrypt | Task::Decrypt => *part.first_chunk().expect("whole blocks"),
            };
            match task {
                Task::Ctr | Task::Encrypt => cipher.encrypt_block((&mut block).into()),
                Task::Decrypt => cipher.decrypt_block((&mut block).into()),
            }
            for (byte, new) in part.iter_mut().zip(block) {
                *byte = if task == Task::Ctr { *byte ^ new } else { new };
            }
        }
    }
    macro_rules! sized {
        ($cipher:ident) => {
            with(&::aria::$cipher::new_from_slice(key).expect("a key of the cipher's length"), task, iv, data)
        };
    }
    match key.len() {
        16 => sized!(Aria128),
        24 => sized!(Aria192),
        32 => sized!(Aria256),
        bytes => panic!("no ARIA key has {bytes} bytes"),
    }
}

/// What the messages of a race are made of.
struct Rig {
    dependent: bool,
    buffers: Buffers,
    ivs: [[u8; BLOCK]; AT_HAND],
}

impl Rig {
    /// For messages of up to so many bytes.
    fn new(dependent: bool, longest: usize) -> Self {
        Rig { dependent, buffers: Buffers::new(longest + BLOCK), ivs: std::array::from_fn(iv) }
    }

    /// Hands messages of these lengths to a contestant: one dynamic call a message, and the same code around it for
    /// everybody.
    fn call(&mut self, peer: &mut Peer, turn: &mut usize, lengths: impl Iterator<Item = usize>) {
        for len in lengths {
            *turn = turn.wrapping_add(1);
            if self.dependent {
                let room = self.buffers.message_mut(0, len + BLOCK);
                let iv = *room.first_chunk().expect("a block, and a message before it");
                (peer.run)(&iv, room, len);
            } else {
                (peer.run)(&self.ivs[*turn % AT_HAND], self.buffers.message_mut(*turn, len + BLOCK), len);
            }
        }
    }
}

/// The tables of a task with a key.
fn measure(race: &mut Race, dependent: bool, lengths: &[Length], rounds: usize, bar: &ProgressBar) -> String {
    let (task, title) = (race.task, race.task.title(&race.key));
    let (mut cycles, mut rates) = (Vec::new(), Vec::new());
    for &length in lengths {
        bar.set_message(format!("{title}, {length}"));
        let (measured, mean) = match length {
            Length::Bytes(len) => {
                let rig = RefCell::new(Rig::new(dependent, len));
                let run = |peer: &mut _, turn: &mut _, times| {
                    rig.borrow_mut().call(peer, turn, std::iter::repeat_n(len, times));
                };
                (each(&mut race.peers, rounds_of(len, rounds), run), len as f64)
            }
            Length::Mixed => {
                let (rig, mixed) = (RefCell::new(Rig::new(dependent, task.fit(LONGEST_MIXED))), Mixed::new());
                let run = |peer: &mut _, turn: &mut usize, times| {
                    for _ in 0..times {
                        let shuffle = mixed.shuffle_at(*turn).map(|len| task.fit(len));
                        rig.borrow_mut().call(peer, turn, shuffle);
                    }
                };
                let turns = each(&mut race.peers, rounds_of(LONGEST_MIXED * LONGEST_MIXED / 2, rounds), run);
                let all: usize = (1..=LONGEST_MIXED).map(|len| task.fit(len)).sum();
                (turns.into_iter().map(Mixed::a_message).collect(), all as f64 / LONGEST_MIXED as f64)
            }
        };
        let label = length.to_string();
        cycles.push((label.clone(), measured.iter().map(table::cell).collect()));
        rates.push((label, measured.iter().map(|cycles| format!("{:.3}", mean / cycles.quartile)).collect()));
        bar.inc(1);
    }
    let names: Vec<&str> = race.peers.iter().map(|peer| peer.name).collect();
    format!(
        "\n{}\n{}",
        by_rows(format!("{title}, cycles a message"), &names, &cycles),
        by_rows(format!("{title}, bytes a cycle"), &names, &rates)
    )
}

/// Races the contestants in one kind of run. All of them use the same buffers, in the same order.
fn each(peers: &mut [Peer], rounds: usize, run: impl Fn(&mut Peer, &mut usize, usize)) -> Vec<Cycles> {
    let run = &run;
    let contestants = peers.iter_mut().map(|peer| {
        let mut turn = 0;
        Contestant::new(peer.name, move |times| run(peer, &mut turn, times))
    });
    race(&mut contestants.collect::<Vec<_>>(), rounds, || ())
}

/// The table of key setup; none if nobody in it is chosen.
fn measure_setup(keys: &[u16], filters: &[String], rounds: usize) -> Option<String> {
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for &bits in keys {
        let keys: Vec<Vec<u8>> = (0..AT_HAND).map(|number| key(bits, number)).collect();
        let mut setups: Vec<_> = peers::setups(bits).into_iter().filter(|(name, _)| chosen(filters, name)).collect();
        names = setups.iter().map(|(name, _)| *name).collect();
        let contestants = setups.iter_mut().map(|(name, setup)| {
            let (mut turn, keys) = (0_usize, &keys);
            Contestant::new(*name, move |times| {
                for _ in 0..times {
                    turn = turn.wrapping_add(1);
                    setup(&keys[turn % AT_HAND]);
                }
            })
        });
        let cycles = race(&mut contestants.collect::<Vec<_>>(), rounds, || ());
        columns.push((format!("{bits} bits"), cycles.iter().map(table::cell).collect()));
    }
    let title = "Key setup, for both directions, and wiping; cycles a key".to_owned();
    (!names.is_empty()).then(|| format!("\n{}", by_rows(title, &names, &columns)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: [Task; 3] = [Task::Encrypt, Task::Decrypt, Task::Ctr];

    fn everybody(task: Task, bits: u16) -> Race {
        let key = key(bits, 3);
        let peers = peers::all(task, &key).expect("all peers");
        Race { task, key, peers }
    }

    #[test]
    fn the_oracle_is_aria() {
        // RFC 5794, appendix A.1
        let key = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_be_bytes();
        let mut block = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes();
        oracle(Task::Encrypt, &key, [0; BLOCK], &mut block);
        assert_eq!(u128::from_be_bytes(block), 0xd718_fbd6_ab64_4c73_9da9_5f3b_e645_1778);
    }

    #[test]
    fn all_agree_on_every_length() {
        for bits in KEYS {
            for task in TASKS {
                let mut race = everybody(task, bits);
                let lengths: Vec<Length> = (1..=100).map(|i| Length::Bytes(16 * i)).collect();
                assert_eq!(compare(&mut race, &lengths), Ok(()));
                assert_eq!(compare(&mut race, &[4096, 8192, 65536].map(Length::Bytes)), Ok(()));
            }
        }
    }

    #[test]
    fn who_is_wrong_is_named() {
        let mut race = everybody(Task::Ctr, 192);
        race.peers[0].run = Box::new(|_, _, _| ());
        let error = compare(&mut race, &[Length::Bytes(16)]).unwrap_err();
        let start = "`byways` is wrong, so nothing was timed: ARIA-192-CTR, of 15 bytes with counter block 0x";
        assert!(error.starts_with(start), "{error}");
    }

    #[test]
    fn dependent_messages_are_the_last_output() {
        for len in [16, 1472, 65536] {
            let mut rig = Rig::new(true, len);
            let (mut calls, mut wrong) = (0_u8, 0);
            let seen = std::rc::Rc::new(RefCell::new(Vec::new()));
            let sees = seen.clone();
            let run: peers::Run = Box::new(move |iv, room, len| {
                sees.borrow_mut().push((*iv, room[len - 1]));
                calls += 1;
                room[..len].fill(calls);
            });
            let mut peer = Peer { name: "recorder", about: String::new(), run };
            rig.call(&mut peer, &mut 0, std::iter::repeat_n(len, 5));
            for (i, (iv, last)) in seen.borrow().iter().enumerate().skip(1) {
                wrong += usize::from(*iv != [i as u8; BLOCK] || *last != i as u8);
            }
            assert_eq!(wrong, 0);
        }
    }

    #[test]
    fn ecb_takes_whole_blocks() {
        assert_eq!(check_blocks(&LENGTHS), Ok(()));
        assert_eq!(check_blocks(&[Length::Mixed]), Ok(()));
        let error = check_blocks(&[Length::Bytes(32), Length::Bytes(100)]).unwrap_err();
        assert!(error.starts_with("`100` bytes are no whole blocks"), "{error}");
        assert_eq!([1, 16, 17].map(|len| Task::Encrypt.fit(len)), [16, 16, 32]);
        assert_eq!(Task::Ctr.fit(17), 17);
    }
}
