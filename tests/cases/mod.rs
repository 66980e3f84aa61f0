//! The lines of `ctr.jsonl`: published vectors, and faults that others shipped.
#![allow(dead_code)] // each test uses a part of it

use byways::ctr::Field;
use serde_json::Value;

use crate::json::{hex, input, known, text};

const LINES: &str = include_str!("ctr.jsonl");

/// What a line may hold. Another field would ask for something that nobody checks.
const FIELDS: [&str; 9] =
    ["id", "family", "params", "input", "input_hex", "expected_hex", "counter_after_hex", "source", "note"];

/// A line.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) key: Vec<u8>,
    pub(crate) counter: u128,
    pub(crate) field: Field,
    pub(crate) steps: Vec<Step>,
    pub(crate) input: Vec<u8>,
    /// The output of all [`Step::Apply`], joined.
    pub(crate) expected: Vec<u8>,
    /// The counter of the next whole block.
    pub(crate) counter_after: Option<u128>,
}

/// What is done with a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The next so many bytes of the input.
    Apply(usize),
    /// Go to this byte.
    Seek(u128),
    /// The position must be this.
    ExpectPos(u128),
    /// Start afresh with this counter and the same key.
    Reinit(u128),
}

impl Case {
    /// Whether all is done in one call.
    pub(crate) fn is_one_message(&self) -> bool {
        matches!(self.steps[..], [Step::Apply(_)])
    }
}

/// Every line.
///
/// # Errors
/// A line that cannot be read.
pub(crate) fn all() -> Result<Vec<Case>, String> {
    LINES.lines().map(|line| case(line).map_err(|what| format!("{what}: `{line}`"))).collect()
}

fn case(line: &str) -> Result<Case, String> {
    let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if line["family"] != "ctr" || line["params"]["cipher"] != "aes" {
        return Err("not AES in counter mode".into());
    }
    stream(&line)
}

/// What a line says of counter mode, with whichever cipher.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn stream(line: &Value) -> Result<Case, String> {
    let fields = known(line, &[&FIELDS])?;
    let params = &line["params"];
    let bits = params["counter_bits"].as_u64();
    let field = Field::ALL.into_iter().find(|field| Some(u64::from(field.bits())) == bits);
    let input = input(line)?;
    let steps = match &params["steps"] {
        Value::Null => vec![Step::Apply(input.len())],
        steps => steps.as_array().ok_or("steps are no list")?.iter().map(step).collect::<Result<_, _>>()?,
    };
    Ok(Case {
        id: text(&line["id"])?.into(),
        source: text(&line["source"])?.into(),
        key: hex(&params["key_hex"])?,
        counter: block(&params["counter_hex"])?,
        field: field.ok_or("no such counter_bits")?,
        steps,
        input,
        expected: hex(&line["expected_hex"])?,
        counter_after: fields.get("counter_after_hex").map(block).transpose()?,
    })
}

fn step(step: &Value) -> Result<Step, String> {
    let (name, value) = step.as_object().and_then(|step| step.iter().next()).ok_or("an empty step")?;
    // numbers that JSON readers would round are strings
    let number = || match value {
        Value::String(digits) => digits.parse().map_err(|_| "no number"),
        value => value.as_u64().map(u128::from).ok_or("no number"),
    };
    match name.as_str() {
        "apply" => Ok(Step::Apply(number()? as usize)),
        "seek" => Ok(Step::Seek(number()?)),
        "expect_pos" => Ok(Step::ExpectPos(number()?)),
        "reinit_counter_hex" => Ok(Step::Reinit(block(value)?)),
        other => Err(format!("unknown step {other}")),
    }
}

fn block(value: &Value) -> Result<u128, String> {
    let bytes = hex(value)?.try_into().map_err(|_| format!("{value} is no block"))?;
    Ok(u128::from_be_bytes(bytes))
}
