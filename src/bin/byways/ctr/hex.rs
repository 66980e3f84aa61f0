//! Bytes in hex.

/// Makes bytes of hex digits, in their place. The error is where the first is that is no digit, or how many there are
/// if they are odd.
pub(super) fn decode(text: &mut [u8]) -> Result<&mut [u8], usize> {
    let value = |digit: u8| char::from(digit).to_digit(16).expect("a hex digit") as u8;
    if let Some(odd) = text.iter().position(|c| !c.is_ascii_hexdigit()) {
        return Err(odd);
    }
    if text.len() % 2 == 1 {
        return Err(text.len());
    }
    let bytes = text.len() / 2;
    for i in 0..bytes {
        text[i] = value(text[2 * i]) << 4 | value(text[2 * i + 1]);
    }
    Ok(&mut text[..bytes])
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn digits_are_bytes() {
        let bytes = |hex: &str| decode(&mut hex.as_bytes().to_vec()).map(|bytes| bytes.to_vec());
        assert_eq!(bytes("09aFfF00"), Ok(vec![0x09, 0xaf, 0xff, 0x00]));
        assert_eq!(bytes(""), Ok(vec![]));
        for (wrong, at) in [("09a", 3), ("09ag", 3), ("+9af", 0), ("9 af", 1), ("é9a", 0)] {
            assert_eq!(bytes(wrong), Err(at), "{wrong}");
        }
    }
}
