//! The key file.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use zeroize::Zeroizing;

use super::hex;
use crate::Failure;

/// The longest key file: a key of 32 bytes in hex, and a newline of two characters.
const LONGEST: usize = 2 * 32 + 2;

/// A file's bytes, as far as a key file can be long and one more, then the key. It is wiped on drop; do not move it.
pub(super) type Buffer = Zeroizing<[u8; LONGEST + 1]>;

/// Room for a key.
pub(super) fn buffer() -> Buffer {
    Buffer::new([0; LONGEST + 1])
}

/// The key in the file: 16, 24 or 32 bytes.
pub(super) fn read<'a>(path: &Path, buffer: &'a mut Buffer) -> Result<&'a [u8], Failure> {
    let name = path.display();
    let len = fill(path, buffer).map_err(|error| Failure::Usage(format!("cannot read key file `{name}`: {error}")))?;
    parse(&mut buffer[..len]).map_err(|why| {
        Failure::Usage(format!(
            "key file `{name}` {why}; a key has 16, 24 or 32 bytes, or in hex 32, 48 or 64 digits and perhaps a newline"
        ))
    })
}

fn fill(path: &Path, buffer: &mut Buffer) -> io::Result<usize> {
    let mut file = File::open(path)?;
    let mut len = 0;
    while len < buffer.len() {
        match file.read(&mut buffer[len..]) {
            Ok(0) => break,
            Ok(bytes) => len += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}

/// The key, or why it is none. Nothing of it is in the error.
fn parse(file: &mut [u8]) -> Result<&[u8], String> {
    let bytes = file.len();
    let line = file.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let digits = line.unwrap_or(file).len();
    match (bytes, digits) {
        (32, 32) if file.iter().all(u8::is_ascii_hexdigit) => {
            Err("is 32 hex digits, which may be a key of 32 bytes or the hex of 16: end hex with a newline, and write \
                 the bytes as 64 digits"
                .to_owned())
        }
        (16 | 24 | 32, _) => Ok(file),
        (_, 32 | 48 | 64) => match hex::decode(&mut file[..digits]) {
            Ok(key) => Ok(key),
            Err(odd) => Err(format!("has {bytes} bytes, of which number {} is no hex digit", odd + 1)),
        },
        _ if bytes > LONGEST => Err(format!("has more than {LONGEST} bytes")),
        _ => Err(format!("has {bytes} bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(file: &[u8]) -> Result<Vec<u8>, String> {
        parse(&mut file.to_vec()).map(<[u8]>::to_vec)
    }

    #[test]
    fn the_length_says_what_it_is() {
        for bytes in [16, 24, 32] {
            for byte in [0xa5, b'\n'] {
                assert_eq!(key(&vec![byte; bytes]), Ok(vec![byte; bytes]));
            }
            let hex = "aF".repeat(bytes);
            for newline in ["", "\n", "\r\n"] {
                if bytes > 16 || !newline.is_empty() {
                    assert_eq!(key(format!("{hex}{newline}").as_bytes()), Ok(vec![0xaf; bytes]));
                }
            }
        }
    }

    #[test]
    fn what_could_be_two_keys_is_none() {
        assert!(key(&[b'7'; 32]).unwrap_err().starts_with("is 32 hex digits"));
        let mut bytes = [b'7'; 32];
        bytes[31] = b'g';
        assert_eq!(key(&bytes), Ok(bytes.to_vec()));
    }

    #[test]
    fn other_lengths_and_letters_are_none() {
        for bytes in [0, 1, 15, 17, 31, 33, 47, 49, 63, 65, 66] {
            assert_eq!(key(&vec![b'7'; bytes]), Err(format!("has {bytes} bytes")));
        }
        assert_eq!(key(&[b'7'; LONGEST + 1]), Err("has more than 66 bytes".to_owned()));
        let mut hex = [b'7'; 49];
        hex[48] = b'\n';
        hex[20] = b' ';
        assert_eq!(key(&hex), Err("has 49 bytes, of which number 21 is no hex digit".to_owned()));
    }
}
