//! What the lines of all families are made of.
#![allow(dead_code)] // each test uses a part of it

use serde_json::{Map, Value};

/// The object, which has no fields but these.
pub(crate) fn known<'a>(object: &'a Value, fields: &[&[&str]]) -> Result<&'a Map<String, Value>, String> {
    let object = object.as_object().ok_or_else(|| format!("`{object}` is no object"))?;
    match object.keys().find(|key| !fields.iter().any(|fields| fields.contains(&key.as_str()))) {
        Some(key) => Err(format!("unknown field `{key}`")),
        None => Ok(object),
    }
}

/// The input of a line: its bytes, or how they are made.
pub(crate) fn input(line: &Value) -> Result<Vec<u8>, String> {
    let made = &line["input"];
    let len = || made["len"].as_u64().map(|len| len as usize).ok_or("input without len");
    if made.is_null() {
        hex(&line["input_hex"])
    } else if let Some(seed) = made["xorshift_seed"].as_u64() {
        known(made, &[&["xorshift_seed", "len"]])?;
        Ok(noise(seed).take(len()?).collect())
    } else {
        known(made, &[&["repeat", "len"]])?;
        Ok(hex(&made["repeat"])?.into_iter().cycle().take(len()?).collect())
    }
}

/// Bytes of a xorshift generator; the seed must not be 0.
pub(crate) fn noise(seed: u64) -> impl Iterator<Item = u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    });
    words.flat_map(u64::to_le_bytes)
}

pub(crate) fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("`{value}` is no text"))
}

pub(crate) fn hex(value: &Value) -> Result<Vec<u8>, String> {
    let digits = text(value)?;
    let byte = |i| digits.get(i..i + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let bytes: Option<_> = (0..digits.len()).step_by(2).map(byte).collect();
    bytes.ok_or_else(|| format!("`{value}` is not hexadecimal"))
}
