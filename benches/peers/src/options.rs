//! What the command lines of all families have in common.

use std::fmt;
use std::ops::RangeInclusive;

use clap::Args;

use crate::table;

/// Longest message, in bytes.
const LONGEST: usize = 1 << 30;

/// A turn with more bytes than this comes less often.
const TURN: usize = 512 << 10;

/// Most rounds: all of them are kept until they are sorted.
const MOST_ROUNDS: usize = 1_000_000;

/// Who is measured, at which lengths, and how often.
#[derive(Args, Debug)]
pub(crate) struct Common {
    /// Only contestants whose name contains one of these
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,

    /// Length of a message, such as 1472 or 64KiB; mixed: 1 to 1500, in random order; repeatable
    #[arg(long = "size", value_name = "BYTES", value_parser = parse_length)]
    pub(crate) lengths: Vec<Length>,

    /// How often each contestant has its turn; less often where a turn is long
    #[arg(long, value_name = "N", default_value = "2000", value_parser = parse_rounds)]
    pub(crate) rounds: usize,
}

/// The lengths of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Length {
    /// All of so many bytes.
    Bytes(usize),
    /// Many lengths.
    Mixed,
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Length::Bytes(len) => f.pad(&table::bytes(len)),
            Length::Mixed => f.pad("mixed"),
        }
    }
}

fn parse_length(text: &str) -> Result<Length, String> {
    let lower = text.to_ascii_lowercase();
    if lower == "mixed" {
        return Ok(Length::Mixed);
    }
    let (digits, unit) = lower.split_at(lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len()));
    let unit = match unit.trim_start() {
        "" | "b" => Some(1),
        "kib" => Some(1 << 10),
        "mib" => Some(1 << 20),
        "gib" => Some(1 << 30),
        _ => None,
    };
    let bytes = unit.and_then(|unit: usize| digits.parse::<usize>().ok()?.checked_mul(unit));
    match bytes {
        Some(bytes @ 1..=LONGEST) => Ok(Length::Bytes(bytes)),
        _ => Err("accepted are 1 to 1GiB, in bytes, KiB, MiB or GiB, and mixed".to_owned()),
    }
}

/// `LO..HI`, with both ends.
pub(crate) fn parse_range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let ends = text.split_once("..").map(|(low, high)| (parse_length(low), parse_length(high)));
    match ends {
        Some((Ok(Length::Bytes(low)), Ok(Length::Bytes(high)))) if low <= high => Ok(low..=high),
        _ => Err("accepted are two lengths, the lower first, such as 1024..1536".to_owned()),
    }
}

fn parse_rounds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(rounds @ 1..=MOST_ROUNDS) => Ok(rounds),
        _ => Err(format!("accepted are 1 to {MOST_ROUNDS}")),
    }
}

/// Fewer rounds where a turn is long.
pub(crate) fn rounds_of(bytes: usize, rounds: usize) -> usize {
    (rounds * TURN / bytes.max(TURN)).max(rounds.min(5))
}

/// Whether one of the filters is in the name; no filter is in every name.
pub(crate) fn chosen(filters: &[String], name: &str) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
}

/// Fails if a filter is in no name.
pub(crate) fn check_filters(filters: &[String], names: &[&str]) -> Result<(), String> {
    match filters.iter().find(|filter| !names.iter().any(|name| name.contains(filter.as_str()))) {
        None => Ok(()),
        Some(filter) => {
            Err(format!("`{filter}` is in the name of no contestant; the contestants are {}", names.join(", ")))
        }
    }
}

/// The items without repetitions, in the order in which they come first.
pub(crate) fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        let bytes = |text| parse_length(text).ok();
        assert_eq!(bytes("1472"), Some(Length::Bytes(1472)));
        assert_eq!(bytes("64KiB"), Some(Length::Bytes(65536)));
        assert_eq!(bytes("64 mib"), Some(Length::Bytes(64 << 20)));
        assert_eq!(bytes("mixed"), Some(Length::Mixed));
        for wrong in ["", "0", "-1", "KiB", "64kB", "1.5KiB", "2GiB", "99999999999999999999", "18014398509481985KiB"] {
            assert!(parse_length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges() {
        assert_eq!(parse_range("1024..1536"), Ok(1024..=1536));
        assert_eq!(parse_range("1KiB..1KiB"), Ok(1024..=1024));
        for wrong in ["", "..", "1024", "1024..", "..1024", "2..1", "0..1", "1..mixed", "1-2", "1..2..3"] {
            assert!(parse_range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn long_turns_come_less_often() {
        let rounds = [16, 65536, 1 << 20, 64 << 20].map(|bytes| rounds_of(bytes, 2000));
        assert_eq!(rounds, [2000, 2000, 1000, 15]);
        assert_eq!([1, 20].map(|rounds| rounds_of(64 << 20, rounds)), [1, 5]);
    }

    #[test]
    fn filters() {
        let filters = ["zmm".to_owned(), "open".to_owned()];
        assert!(chosen(&[], "rustcrypto") && chosen(&filters, "openssl") && !chosen(&filters, "rustcrypto"));
        assert_eq!(check_filters(&filters, &["openssl", "aes128_ctr_by8_zmm"]), Ok(()));
        let error = check_filters(&filters, &["openssl", "rustcrypto"]).unwrap_err();
        assert_eq!(error, "`zmm` is in the name of no contestant; the contestants are openssl, rustcrypto");
    }
}
