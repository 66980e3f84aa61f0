//! Published vectors: NIST SP 800-38A, RFC 3686, and faults that others shipped, in `tests/cases/ctr.jsonl`.

use byways::ctr::Field;
use byways::verify::{Way, noise};
use byways_kernels::inout::InOutBuf;
use serde_json::Value;

use crate::calls::Subject;

const CASES: &str = include_str!("../cases/ctr.jsonl");

/// Every line for AES with the subject's key length that is one message, whole and cut at every block.
pub(crate) fn check(subject: &Subject, way: &Way) -> Result<(), String> {
    let mut checked = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).map_err(|error| format!("`{line}`: {error}"))?;
        let params = &case["params"];
        let key = hex(&params["key_hex"]);
        if params["cipher"] != "aes" || key.len() != subject.key_len || !params["steps"].is_null() {
            continue;
        }
        let field = match params["counter_bits"].as_u64() {
            Some(32) => Field::Bits32,
            Some(64) => Field::Bits64,
            Some(128) => Field::Bits128,
            other => return Err(format!("{}: counter of {other:?} bits", case["id"])),
        };
        let counter = number(&params["counter_hex"]);
        let (input, expected) = (input(&case), hex(&case["expected_hex"]));
        let mut out = vec![0; input.len()];
        way.run(&key, counter, field, InOutBuf::new(&input, &mut out).map_err(|error| error.to_string())?);
        let mut in_place = input.clone();
        for (i, block) in in_place.chunks_mut(16).enumerate() {
            way.run(&key, field.add(counter, i as u128), field, block.into());
        }
        let after = field.add(counter, input.len().div_ceil(16) as u128);
        let after_matches = case["counter_after_hex"].is_null() || number(&case["counter_after_hex"]) == after;
        if out != expected || in_place != expected || !after_matches {
            return Err(format!("{} ({}) comes out wrong", case["id"], case["source"]));
        }
        checked += 1;
    }
    // each key length has its NIST and RFC 3686 lines at least
    if checked < 5 { Err(format!("only {checked} vectors")) } else { Ok(()) }
}

fn hex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("hexadecimal digits");
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn number(value: &Value) -> u128 {
    u128::from_be_bytes(hex(value).try_into().expect("a block"))
}

fn input(case: &Value) -> Vec<u8> {
    let made = &case["input"];
    let len = || made["len"].as_u64().expect("a length") as usize;
    if let Some(seed) = made["xorshift_seed"].as_u64() {
        noise(seed).take(len()).collect()
    } else if !made["repeat"].is_null() {
        hex(&made["repeat"]).into_iter().cycle().take(len()).collect()
    } else {
        hex(&case["input_hex"])
    }
}
