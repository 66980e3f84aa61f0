//! In the place of the cipher's crate and `ctr`: the same source against either, with equal results, positions and errors.
//!
//! Their keystream ends one block before ours. The scripts go round that block; module `exhaustion` has it.

use byways::Width;
use byways::cipher::{InnerIvInit, SeekNum, StreamCipher, StreamCipherSeek};
use byways::ctr::Field;
use byways::verify::noise;

use crate::subject::{SIZES, tiers};

/// What a user does.
#[derive(Clone, Copy, Debug)]
enum Step {
    Apply(usize),
    ApplyB2b(usize),
    Write(usize),
    UncheckedApply(usize),
    UncheckedApplyB2b(usize),
    UncheckedWrite(usize),
    /// From a buffer to one of another length.
    Unequal(usize),
    CheckRemaining(usize),
    Seek(Number, u128),
    Position,
    /// Go on with a clone. The original is used up by so many bytes first, or not at all.
    Clone(Option<usize>),
}

/// The type of a position.
#[derive(Clone, Copy, Debug)]
enum Number {
    I32,
    U32,
    U64,
    U128,
    Usize,
}

/// What comes of it.
#[derive(PartialEq, Debug)]
enum Outcome {
    /// Whether it went well, and what was in the buffer then.
    Bytes(bool, Vec<u8>),
    Unequal,
    Result(bool),
    Position([Option<u128>; 5]),
}

/// The test source, as a user would write it. Theirs cannot be cloned, so that is given from outside.
macro_rules! user {
    ($module:ident, $bound:path, $copy:path: $($import:item)*) => {
        mod $module {
            $($import)*
            use super::{Outcome, Step, play};

            pub(super) fn outcomes(bits: u32, key: &[u8], iv: &[u8], script: &[Step]) -> Vec<Outcome> {
                fn run<C>(key: &[u8], iv: &[u8], script: &[Step]) -> Vec<Outcome>
                where
                    C: KeyIvInit + StreamCipher + StreamCipherSeek,
                    C: $bound,
                {
                    let new = || C::new_from_slices(key, iv).expect("lengths that fit");
                    play(new(), |old| $copy(old, new), script)
                }
                match (bits, key.len()) {
                    (32, 16) => run::<Ctr32BE<Key128>>(key, iv, script),
                    (32, 24) => run::<Ctr32BE<Key192>>(key, iv, script),
                    (32, 32) => run::<Ctr32BE<Key256>>(key, iv, script),
                    (64, 16) => run::<Ctr64BE<Key128>>(key, iv, script),
                    (64, 24) => run::<Ctr64BE<Key192>>(key, iv, script),
                    (64, 32) => run::<Ctr64BE<Key256>>(key, iv, script),
                    (128, 16) => run::<Ctr128BE<Key128>>(key, iv, script),
                    (128, 24) => run::<Ctr128BE<Key192>>(key, iv, script),
                    (128, 32) => run::<Ctr128BE<Key256>>(key, iv, script),
                    other => panic!("no such mode: {other:?}"),
                }
            }
        }
    };
}

user! { theirs, Sized, super::by_seek:
    use crate::family::theirs::{Key128, Key192, Key256};
    use ctr::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
    use ctr::{Ctr32BE, Ctr64BE, Ctr128BE};
}

user! { ours, Clone, super::by_clone:
    use crate::family::{Key128, Key192, Key256};
    use byways::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
    use byways::ctr::{Ctr32BE, Ctr64BE, Ctr128BE};
}

fn by_seek<C: StreamCipherSeek>(old: &C, new: impl Fn() -> C) -> C {
    let mut copy = new();
    copy.seek(old.current_pos::<u128>());
    copy
}

fn by_clone<C: Clone>(old: &C, _: impl Fn() -> C) -> C {
    old.clone()
}

/// Ours on a tier, with a key of its own or a borrowed one.
fn on_tier(field: Field, key: &[u8], iv: &[u8], width: Width, borrowed: bool, script: &[Step]) -> Vec<Outcome> {
    macro_rules! run {
        ($($ctr:ident)*) => {
            match (field, key.len(), borrowed) {
                $(
                    (Field::$ctr, 16, false) => run!(Key128, $ctr, |key| key),
                    (Field::$ctr, 24, false) => run!(Key192, $ctr, |key| key),
                    (Field::$ctr, 32, false) => run!(Key256, $ctr, |key| key),
                    (Field::$ctr, 16, true) => run!(Key128, $ctr, |key| &key),
                    (Field::$ctr, 24, true) => run!(Key192, $ctr, |key| &key),
                    (Field::$ctr, 32, true) => run!(Key256, $ctr, |key| &key),
                )*
                other => panic!("no such mode: {other:?}"),
            }
        };
        ($name:ident, $ctr:ident, |$key:ident| $inner:expr) => {{
            let $key = crate::family::$name::with_max_width(key.try_into().expect("a key of this size"), width);
            assert_eq!($key.width(), width);
            let iv = iv.try_into().expect("a block");
            play(byways::ctr::Ctr::<_, byways::ctr::$ctr>::inner_iv_init($inner, iv), Clone::clone, script)
        }};
    }
    run!(Bits32 Bits64 Bits128)
}

fn play<C>(mut cipher: C, copy: impl Fn(&C) -> C, script: &[Step]) -> Vec<Outcome>
where
    C: StreamCipher + StreamCipherSeek,
{
    let mut outcomes = Vec::new();
    for (i, step) in script.iter().enumerate() {
        let message = |bytes: usize| (0..bytes).map(|j| (j * 37 + i) as u8).collect::<Vec<_>>();
        outcomes.push(match *step {
            Step::Apply(bytes) => {
                let mut data = message(bytes);
                Outcome::Bytes(cipher.try_apply_keystream(&mut data).is_ok(), data)
            }
            Step::ApplyB2b(bytes) => {
                let mut out = vec![0x3c; bytes];
                Outcome::Bytes(cipher.try_apply_keystream_b2b(&message(bytes), &mut out).is_ok(), out)
            }
            Step::Write(bytes) => {
                let mut data = message(bytes);
                Outcome::Bytes(cipher.try_write_keystream(&mut data).is_ok(), data)
            }
            Step::UncheckedApply(bytes) => {
                let mut data = message(bytes);
                cipher.unchecked_apply_keystream(&mut data);
                Outcome::Bytes(true, data)
            }
            Step::UncheckedApplyB2b(bytes) => {
                let mut out = vec![0x3c; bytes];
                cipher.unchecked_apply_keystream_b2b(&message(bytes), &mut out).expect("equal lengths");
                Outcome::Bytes(true, out)
            }
            Step::UncheckedWrite(bytes) => {
                let mut data = message(bytes);
                cipher.unchecked_write_keystream(&mut data);
                Outcome::Bytes(true, data)
            }
            Step::Unequal(bytes) => {
                let (message, mut out) = (message(bytes), vec![0x3c; bytes + 1]);
                assert!(cipher.unchecked_apply_keystream_b2b(&message, &mut out).is_err());
                assert!(cipher.try_apply_keystream_b2b(&message, &mut out).is_err());
                assert!(out.iter().all(|&byte| byte == 0x3c));
                Outcome::Unequal
            }
            Step::CheckRemaining(bytes) => Outcome::Result(cipher.check_remaining(bytes).is_ok()),
            Step::Seek(number, position) => {
                let result = match number {
                    Number::I32 => cipher.try_seek(position as i32),
                    Number::U32 => cipher.try_seek(position as u32),
                    Number::U64 => cipher.try_seek(position as u64),
                    Number::U128 => cipher.try_seek(position),
                    Number::Usize => cipher.try_seek(position as usize),
                };
                Outcome::Result(result.is_ok())
            }
            Step::Position => {
                fn at<T: SeekNum + TryInto<u128>>(cipher: &impl StreamCipherSeek) -> Option<u128> {
                    cipher.try_current_pos::<T>().ok()?.try_into().ok()
                }
                Outcome::Position([
                    at::<i32>(&cipher),
                    at::<u32>(&cipher),
                    at::<u64>(&cipher),
                    at::<u128>(&cipher),
                    at::<usize>(&cipher),
                ])
            }
            Step::Clone(used) => {
                let copy = copy(&cipher);
                let mut data = message(used.unwrap_or(0));
                let went_well = used.is_none() || cipher.try_apply_keystream(&mut data).is_ok();
                cipher = copy;
                Outcome::Bytes(went_well, data)
            }
        });
    }
    outcomes
}

/// Numbers at random.
struct Random<I>(I);

impl<I: Iterator<Item = u8>> Random<I> {
    fn number(&mut self) -> u128 {
        u128::from_le_bytes(std::array::from_fn(|_| self.0.next().expect("endless")))
    }

    fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u128) as usize
    }

    /// Mostly short.
    fn len(&mut self) -> usize {
        match self.below(20) {
            0 => 0,
            1..11 => self.below(40),
            11..17 => self.below(300),
            17..19 => self.below(3000),
            _ => 14_000 + self.below(9000),
        }
    }

    /// Steps of which none ends in the last block, where the two differ.
    fn script(&mut self, field: Field, steps: usize) -> Vec<Step> {
        // where their keystream ends, and where ours does
        let (theirs, ours) = match field {
            Field::Bits32 => ((1 << 36) - 16, 1 << 36),
            Field::Bits64 => ((1 << 68) - 16, 1 << 68),
            Field::Bits128 => (u128::MAX, u128::MAX),
        };
        let mut position = 0_u128;
        let mut script = Vec::new();
        while script.len() < steps {
            let len = self.len();
            // beyond the last position of 128 bits it still goes on
            let end = position.saturating_add(len as u128);
            let (fits, differs) = (end <= theirs, end > theirs && end <= ours);
            let step = match self.below(16) {
                0..3 if !differs => Step::Apply(len),
                3..5 if !differs => Step::ApplyB2b(len),
                5..7 if !differs => Step::Write(len),
                7 if fits => Step::UncheckedApply(len),
                8 if fits => Step::UncheckedApplyB2b(len),
                9 if fits => Step::UncheckedWrite(len),
                10 if !differs => Step::CheckRemaining(len),
                11 if !differs && position < u128::MAX - (1 << 40) => {
                    Step::Clone((!len.is_multiple_of(3)).then_some(len))
                }
                12 => Step::Unequal(len),
                13 => Step::Position,
                14 | 15 => {
                    let to = self.target(position, theirs);
                    if to > theirs && to <= ours {
                        continue;
                    }
                    Step::Seek(self.type_for(to), to)
                }
                _ => continue,
            };
            match step {
                Step::Seek(_, to) if to <= theirs => position = to,
                Step::Apply(_) | Step::ApplyB2b(_) | Step::Write(_) if fits => position = end,
                Step::UncheckedApply(_) | Step::UncheckedApplyB2b(_) | Step::UncheckedWrite(_) => position = end,
                _ => {}
            }
            script.push(step);
        }
        script
    }

    /// A position to go to: near, in the same block, anywhere, near the end, beyond it.
    fn target(&mut self, position: u128, end: u128) -> u128 {
        match self.below(9) {
            0 => self.below(100) as u128,
            1 => position / 16 * 16,
            2 => position / 16 * 16 + self.below(16) as u128,
            3 => position.saturating_sub(self.below(40) as u128),
            4 => self.below(1 << 31) as u128,
            5 => self.number() >> self.below(128),
            6 => end.saturating_sub(self.below(400) as u128),
            7 => end.saturating_add(self.below(400) as u128),
            _ => (1_u128 << [31, 32, 36, 40, 63, 64, 67, 100][self.below(8)]) - self.below(3) as u128,
        }
    }

    /// A type that holds the number.
    fn type_for(&mut self, number: u128) -> Number {
        loop {
            let (number_type, fits) = match self.below(5) {
                0 => (Number::I32, i32::try_from(number).is_ok()),
                1 => (Number::U32, u32::try_from(number).is_ok()),
                2 => (Number::U64, u64::try_from(number).is_ok()),
                3 => (Number::Usize, usize::try_from(number).is_ok()),
                _ => (Number::U128, true),
            };
            if fits {
                return number_type;
            }
        }
    }

    /// A first counter, often shortly before it wraps or carries.
    fn counter(&mut self) -> u128 {
        let counter = self.number();
        match self.below(4) {
            0 => counter,
            i => (counter | u128::MAX >> (128 - (32 << (i - 1)))).wrapping_sub(self.below(500) as u128),
        }
    }
}

#[test]
fn the_same_as_those_crates() {
    const SCRIPTS: u64 = 12;
    const STEPS: usize = 60;
    for field in Field::ALL {
        for size in SIZES {
            for seed in 1..=SCRIPTS {
                let mut random = Random(noise(seed << 16 | u64::from(field.bits()) << 8 | size as u64));
                let key: Vec<u8> = random.0.by_ref().take(size).collect();
                let iv = random.counter().to_be_bytes();
                let script = random.script(field, STEPS);
                let wanted = theirs::outcomes(field.bits(), &key, &iv, &script);
                let same = |found: Vec<Outcome>, what: &str| {
                    let wrong = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
                    if let Some(i) = wrong {
                        panic!("{field:?}, {size} bytes, script {seed}, {what}: step {i} of {:?}", &script[..=i]);
                    }
                };
                same(ours::outcomes(field.bits(), &key, &iv, &script), "as a drop-in");
                for &width in tiers() {
                    for borrowed in [false, true] {
                        let found = on_tier(field, &key, &iv, width, borrowed, &script);
                        same(found, &format!("{width}, borrowed: {borrowed}"));
                    }
                }
            }
        }
    }
}

/// The scripts get everywhere: to errors, to the end, to positions that small types do not hold.
#[test]
fn scripts_reach_what_they_are_for() {
    let mut random = Random(noise(99));
    for field in Field::ALL {
        let script = random.script(field, 3000);
        let outcomes = theirs::outcomes(field.bits(), &[1; 16], &[2; 16], &script);
        let errors = |kind: fn(&Step) -> bool| {
            let failed = |outcome: &Outcome| {
                matches!(outcome, Outcome::Bytes(false, _) | Outcome::Result(false))
                    || matches!(outcome, Outcome::Position(positions) if positions.contains(&None))
            };
            script.iter().zip(&outcomes).filter(|(step, outcome)| kind(step) && failed(outcome)).count()
        };
        assert!(errors(|step| matches!(step, Step::Position)) > 20, "{field:?}");
        if field != Field::Bits128 {
            assert!(errors(|step| matches!(step, Step::Seek(..))) > 20, "{field:?}");
            assert!(errors(|step| matches!(step, Step::Apply(_))) > 2, "{field:?}");
            assert!(errors(|step| matches!(step, Step::Clone(_))) > 1, "{field:?}");
        }
    }
}
