//! The lines of `crc.jsonl`: published vectors, and faults that others shipped.

use byways::crc::Algorithm;
use serde_json::{Map, Value};

use crate::json::{input, known, text};

const LINES: &str = include_str!("crc.jsonl");

/// What a line may hold. Another field would ask for something that nobody checks.
const FIELDS: &[&str] =
    &["id", "family", "params", "input", "input_hex", "expected_hex", "source", "note", "placement", "align_offset"];

/// What every line's `params` hold; each operation has its own beside them.
const PARAMS: &[&str] = &["name", "width", "poly_hex", "init_hex", "refin", "refout", "xorout_hex", "op"];

/// A line.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) source: String,
    /// What the catalogue calls the model.
    pub(crate) name: String,
    /// The model; its `check` and `residue` are not in the line.
    pub(crate) model: Algorithm<u64>,
    pub(crate) operation: Operation,
    pub(crate) input: Vec<u8>,
    pub(crate) place: Place,
    /// One value, or as many as there are prefixes.
    pub(crate) expected: Vec<u64>,
}

/// What gives the expected value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    /// The CRC of the input, fed in pieces of these lengths, or whole.
    Checksum(Option<Vec<usize>>),
    /// The CRCs of the first so many bytes and of the others, combined.
    Combine { len_a: usize },
    /// Two values combined; there is no input.
    CombineValues { a: u64, b: u64, len_b: u64 },
    /// The CRC that goes on from a finished one.
    Continue { crc: u64 },
    /// The input and its own CRC, without `xorout`.
    Residue,
    /// The CRC of each prefix.
    Prefixes,
}

/// Where the input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// So many bytes behind a 64-byte boundary.
    Offset(usize),
    /// Before a page that cannot be read.
    PageEnd,
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
    let fields = known(&line, &[FIELDS])?;
    if line["family"] != "crc" {
        return Err("no CRC".into());
    }
    let (operation, own) = operation(&line["params"])?;
    let params = known(&line["params"], &[PARAMS, own])?;
    let model = model(params)?;
    let values = operation != Operation::Prefixes;
    let input = match operation {
        Operation::CombineValues { .. } if fields.contains_key("input") || fields.contains_key("input_hex") => {
            return Err("an operation on values has no input".into());
        }
        Operation::CombineValues { .. } => Vec::new(),
        _ => input(&line)?,
    };
    if operation == Operation::Residue && model.width % 8 != 0 {
        return Err("a CRC that is no whole bytes cannot be appended".into());
    }
    let place = match (fields.get("placement"), fields.get("align_offset")) {
        (None, None) => Place::Offset(0),
        (None, Some(offset)) => Place::Offset(number(offset)?),
        (Some(place), None) if place == "page_end" => Place::PageEnd,
        (place, offset) => return Err(format!("no place: `{place:?}`, `{offset:?}`")),
    };
    let digits = text(&line["expected_hex"])?;
    let len = usize::from(model.width).div_ceil(4);
    let expected: Vec<u64> = (0..digits.len())
        .step_by(len)
        .map(|i| wide(digits.get(i..i + len).ok_or("a value of another length than the width's")?))
        .collect::<Result<_, _>>()?;
    if expected.len() != if values { 1 } else { input.len() + 1 } {
        return Err(format!("`{}` values are expected", expected.len()));
    }
    Ok(Case {
        id: text(&line["id"])?.into(),
        source: text(&line["source"])?.into(),
        name: text(&params["name"])?.into(),
        model,
        operation,
        input,
        place,
        expected,
    })
}

/// What is done, and the fields that say more of it.
fn operation(params: &Value) -> Result<(Operation, &'static [&'static str]), String> {
    let value = |name: &str| wide(text(&params[name])?);
    Ok(match params.get("op").map(text).transpose()? {
        None => match params.get("steps") {
            None => (Operation::Checksum(None), &[]),
            Some(steps) => {
                let steps = steps.as_array().ok_or("steps are no list")?;
                let piece = |step| number(&known(step, &[&["update"]])?["update"]);
                (Operation::Checksum(Some(steps.iter().map(piece).collect::<Result<_, _>>()?)), &["steps"])
            }
        },
        Some("combine") => (Operation::Combine { len_a: number(&params["len_a"])? }, &["len_a"]),
        Some("combine_values") => {
            // a string, since JSON readers would round it
            let len_b = text(&params["len_b"])?.parse().map_err(|_| "`len_b` is no number of 64 bits")?;
            let operation = Operation::CombineValues { a: value("crc_a_hex")?, b: value("crc_b_hex")?, len_b };
            (operation, &["crc_a_hex", "crc_b_hex", "len_b"])
        }
        Some("continue") => (Operation::Continue { crc: value("crc_in_hex")? }, &["crc_in_hex"]),
        Some("residue") => (Operation::Residue, &[]),
        Some("prefixes") => (Operation::Prefixes, &[]),
        Some(other) => return Err(format!("unknown operation `{other}`")),
    })
}

fn model(params: &Map<String, Value>) -> Result<Algorithm<u64>, String> {
    let width = params["width"].as_u64().and_then(|width| u8::try_from(width).ok());
    let flag = |name: &str| params[name].as_bool().ok_or_else(|| format!("`{name}` is neither true nor false"));
    Ok(Algorithm {
        width: width.filter(|width| (1..=64).contains(width)).ok_or("no such width")?,
        poly: wide(text(&params["poly_hex"])?)?,
        init: wide(text(&params["init_hex"])?)?,
        refin: flag("refin")?,
        refout: flag("refout")?,
        xorout: wide(text(&params["xorout_hex"])?)?,
        check: 0,
        residue: 0,
    })
}

fn number(value: &Value) -> Result<usize, String> {
    value.as_u64().map(|number| number as usize).ok_or_else(|| format!("`{value}` is no number"))
}

fn wide(digits: &str) -> Result<u64, String> {
    u64::from_str_radix(digits, 16).map_err(|error| format!("`{digits}`: {error}"))
}
