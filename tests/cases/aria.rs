//! The lines of `aria.jsonl`: published vectors, and faults that others shipped.

#[path = "mod.rs"]
pub(crate) mod ctr;

use serde_json::Value;

use crate::json::{hex, input, known, text};

const LINES: &str = include_str!("aria.jsonl");

/// What a line of blocks may hold. Another field would ask for something that nobody checks.
const FIELDS: &[&str] = &["id", "family", "params", "input", "input_hex", "expected_hex", "source", "note"];

/// What `params` hold, by mode.
const BLOCKS: &[&str] = &["cipher", "mode", "direction", "key_hex"];
const STREAM: &[&str] = &["cipher", "mode", "key_hex", "counter_hex", "counter_bits", "steps"];

/// A line.
#[derive(Debug)]
pub(crate) enum Case {
    Blocks(Blocks),
    Stream(ctr::Case),
}

/// A line of blocks, each for itself.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) direction: Direction,
    pub(crate) key: Vec<u8>,
    pub(crate) input: Vec<u8>,
    pub(crate) expected: Vec<u8>,
}

/// What is done with blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

impl Direction {
    /// The other one.
    pub(crate) fn inverse(self) -> Self {
        match self {
            Direction::Encrypt => Direction::Decrypt,
            Direction::Decrypt => Direction::Encrypt,
        }
    }
}

/// Every line.
///
/// # Errors
/// A line that cannot be read.
pub(crate) fn all() -> Result<Vec<Case>, String> {
    LINES.lines().map(|line| case(line).map_err(|what| format!("{what}: `{line}`"))).collect()
}

/// A line, read.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn case(line: &str) -> Result<Case, String> {
    let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let params = &line["params"];
    if line["family"] != "aria" || params["cipher"] != "aria" {
        return Err("not ARIA".into());
    }
    match text(&params["mode"])? {
        "ecb" => {
            known(&line, &[FIELDS])?;
            known(params, &[BLOCKS])?;
            blocks(&line).map(Case::Blocks)
        }
        "ctr" => {
            known(params, &[STREAM])?;
            ctr::stream(&line).map(Case::Stream)
        }
        other => Err(format!("unknown mode `{other}`")),
    }
}

fn blocks(line: &Value) -> Result<Blocks, String> {
    let params = &line["params"];
    let (input, expected) = (input(line)?, hex(&line["expected_hex"])?);
    if !input.len().is_multiple_of(16) || input.len() != expected.len() {
        return Err("input and output are no blocks".into());
    }
    Ok(Blocks {
        id: text(&line["id"])?.into(),
        source: text(&line["source"])?.into(),
        direction: match text(&params["direction"])? {
            "encrypt" => Direction::Encrypt,
            "decrypt" => Direction::Decrypt,
            other => return Err(format!("unknown direction `{other}`")),
        },
        key: hex(&params["key_hex"])?,
        input,
        expected,
    })
}
