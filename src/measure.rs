//! Core cycles, measured side by side on a machine that others use too.
//!
//! Each window of some microseconds stands between two chains of `imul`, which takes 3 cycles on every x86-64 CPU that
//! has AES; how long the chains took says how long a cycle is just then. Contestants run in turn, round after round, so
//! that a disturbance meets all of them. What is quoted is the lowest quartile, and the spread beside it.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Multiplications in each of the two chains around a window.
const CHAIN: u32 = 1500;

/// Cycles from a multiplication to the next that needs its result.
const MULTIPLICATION: f64 = 3.0;

/// How long a window takes, about.
const WINDOW: Duration = Duration::from_micros(6);

/// Something to be measured.
pub struct Contestant<'a> {
    /// What it is called.
    pub name: String,
    /// Does the operation so many times.
    pub run: Box<dyn FnMut(usize) + 'a>,
}

impl<'a> Contestant<'a> {
    /// The contestant `name`, whose `run` does the operation so many times.
    pub fn new(name: impl Into<String>, run: impl FnMut(usize) + 'a) -> Self {
        Contestant { name: name.into(), run: Box::new(run) }
    }
}

/// Cycles an operation, over the rounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cycles {
    /// The fastest round's.
    pub best: f64,
    /// A quarter of the rounds took less.
    pub quartile: f64,
    /// Half of the rounds took less.
    pub median: f64,
    /// Three quarters of the rounds took less.
    pub upper: f64,
}

impl Cycles {
    /// Of the rounds' cycles.
    ///
    /// # Panics
    /// If there are none.
    pub fn of(mut rounds: Vec<f64>) -> Self {
        rounds.sort_by(f64::total_cmp);
        let at = |quarter: usize| rounds[(rounds.len() - 1) * quarter / 4];
        Cycles { best: at(0), quartile: at(1), median: at(2), upper: at(3) }
    }

    /// The distance of the quartiles, as a part of the lower one.
    pub fn spread(&self) -> f64 {
        (self.upper - self.quartile) / self.quartile
    }
}

/// Runs the contestants in turn for so many rounds, and gives the cycles of each, in their order. Every other round goes
/// backwards, so that none always has the caches that the same other one leaves. `progress` is called after each round.
pub fn race(contestants: &mut [Contestant<'_>], rounds: usize, mut progress: impl FnMut()) -> Vec<Cycles> {
    let times: Vec<usize> = contestants.iter_mut().map(|contestant| times(&mut contestant.run)).collect();
    let mut cycles = vec![Vec::with_capacity(rounds); contestants.len()];
    let rounds = rounds.max(1);
    for round in 0..rounds {
        for turn in 0..contestants.len() {
            let i = if round % 2 == 0 { turn } else { contestants.len() - 1 - turn };
            cycles[i].push(window(|| (contestants[i].run)(times[i])) / times[i] as f64);
        }
        progress();
    }
    cycles.into_iter().map(Cycles::of).collect()
}

/// How often an operation runs in a window; it is warm afterwards.
fn times(run: &mut dyn FnMut(usize)) -> usize {
    let mut times = 1;
    loop {
        run(times);
        let start = Instant::now();
        run(times);
        let took = start.elapsed();
        if took >= WINDOW / 2 {
            let fit = times as f64 * WINDOW.as_secs_f64() / took.as_secs_f64();
            return (fit.round() as usize).max(1);
        }
        times *= 2;
    }
}

/// The cycles that `work` takes.
fn window(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    chain();
    let before = Instant::now();
    work();
    let after = Instant::now();
    chain();
    let end = Instant::now();
    // what reading the clock takes is in each of the three stretches; a chain that was disturbed took longer
    let read = clock();
    let chain = (before - begin).min(end - after);
    let cycle = (chain.as_secs_f64() - read) / f64::from(CHAIN) / MULTIPLICATION;
    ((after - before).as_secs_f64() - read) / cycle
}

/// Seconds between two readings of the clock with nothing between them.
fn clock() -> f64 {
    let begin = Instant::now();
    let _ = Instant::now();
    let _ = Instant::now();
    let _ = Instant::now();
    begin.elapsed().as_secs_f64() / 4.0
}

/// Squarings each of which needs the one before.
#[inline(never)]
fn chain() {
    let mut x = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..CHAIN {
        x = x.wrapping_mul(x);
    }
    black_box(x);
}
