//! `byways ctr`: a file through AES in counter mode.

use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;

use byways::cipher::{InnerIvInit, KeyInit, StreamCipher, StreamCipherError};
use byways::ctr::{Counter, Ctr, Ctr32BE, Ctr64BE, Ctr128BE, Field, Keystream};
use byways::{Aes128, Aes192, Aes256};

use crate::Failure;
use crate::progress::Progress;

mod files;
mod hex;
mod key;

use files::{Input, Output};

/// Encrypts or decrypts a file by AES in counter mode; the two are the same.
#[derive(clap::Args)]
#[command(after_help = "\
The key file's length says what is in it: 16, 24 or 32 bytes are the key itself; 32, 48 or 64 hex digits, with or
without a newline, are its hex. 32 hex digits without a newline could be either, and are refused.

OUT is not touched before all is done: what is written goes to a file `.byways-…` beside it, which is renamed at the
end. If anything goes wrong it is deleted, unless byways is killed.

Never use a key and IV for two different inputs. Counter mode does not show whether a file was tampered with.

Exit codes: 0 well; 1 an input or output failed, or the counter is used up; 2 arguments that make no sense.

Examples:
  byways ctr --key-file key --iv 000102030405060708090a0b0c0d0e0f plain secret
  byways ctr --key-file key --iv 000102030405060708090a0b0c0d0e0f secret - | tar t
  tar c . | byways ctr --key-file key --iv f0f1f2f3f4f5f6f7f8f9fafb00000001 --counter-bits 32 - tar.secret")]
pub(crate) struct Args {
    /// Where the key is: 16, 24 or 32 bytes, or the same in hex
    #[arg(long, value_name = "FILE")]
    key_file: PathBuf,
    /// The first counter block, 32 hex digits
    #[arg(long, value_name = "HEX", value_parser = iv)]
    iv: [u8; 16],
    /// How many low bits of the block count: 32, 64 or 128
    #[arg(long, value_name = "BITS", default_value = "128", value_parser = field)]
    counter_bits: Field,
    /// Replace OUT if it exists
    #[arg(long)]
    force: bool,
    /// What to read; `-` is the standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// What to write; `-` is the standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

fn iv(text: &str) -> Result<[u8; 16], String> {
    const WANTED: &str = "an IV is a block of 16 bytes, 32 hex digits";
    if let Some(odd) = text.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("`{}` in the IV `{text}` is no hex digit; {WANTED}", odd.escape_debug()));
    }
    let iv = hex::decode(&mut text.as_bytes().to_vec()).ok().and_then(|bytes| (&*bytes).try_into().ok());
    iv.ok_or_else(|| format!("the IV `{text}` has {} hex digits; {WANTED}", text.len()))
}

fn field(text: &str) -> Result<Field, String> {
    let field = Field::ALL.into_iter().find(|field| field.bits().to_string() == text);
    field.ok_or_else(|| format!("no counter has `{text}` bits; there are `32`, `64`, `128`"))
}

/// Encrypts, or decrypts.
pub(crate) fn run(args: &Args, stdout: &mut dyn Write) -> Result<(), Failure> {
    let mut buffer = key::buffer();
    let key = key::read(&args.key_file, &mut buffer)?;
    let input = Input::open(&args.input)?;
    let output = Output::open(args, &input, stdout)?;
    match key.len() {
        16 => keyed::<Aes128>(key, args, input, output),
        24 => keyed::<Aes192>(key, args, input, output),
        _ => keyed::<Aes256>(key, args, input, output),
    }
}

fn keyed<A: KeyInit + Keystream + Sync>(
    key: &[u8],
    args: &Args,
    input: Input,
    output: Output<'_>,
) -> Result<(), Failure> {
    let aes = A::new_from_slice(key).expect("a key of this size");
    let iv = &args.iv.into();
    match args.counter_bits {
        Field::Bits32 => apply(Ctr32BE::inner_iv_init(&aes, iv), input, output),
        Field::Bits64 => apply(Ctr64BE::inner_iv_init(&aes, iv), input, output),
        Field::Bits128 => apply(Ctr128BE::inner_iv_init(&aes, iv), input, output),
    }
}

fn apply<C: Keystream + Sync, F: Counter>(
    mut cipher: Ctr<C, F>,
    mut input: Input,
    mut output: Output<'_>,
) -> Result<(), Failure> {
    let exhausted = || {
        let blocks = 1_u128 << F::FIELD.bits();
        Failure::Cannot(format!(
            "`{}` is too long: a counter of {} bits comes round after {blocks} blocks, {} bytes; \
             take more `--counter-bits`",
            input.name,
            F::FIELD.bits(),
            blocks * 16
        ))
    };
    if input.left.is_some_and(|bytes| usize::try_from(bytes).is_ok_and(|b| cipher.check_remaining(b).is_err())) {
        return Err(exhausted());
    }
    let progress = Progress::of_bytes("ctr", input.left);
    let result = pump(&mut input.reader, &mut output, |data| keystream(&mut cipher, data), |n| progress.bytes(n));
    drop(progress);
    match result {
        Ok(()) => output.finish(),
        Err(Trouble::Read(error)) => Err(Failure::Cannot(format!("cannot read `{}`: {error}", input.name))),
        Err(Trouble::Write(error)) => Err(output.failed(error)),
        Err(Trouble::Exhausted) => Err(exhausted()),
    }
}

/// Bytes that are read at once: with several threads, enough for all of them.
const PIECE: usize = if cfg!(feature = "parallel") { 16 << 20 } else { 1 << 20 };

fn keystream<C: Keystream + Sync, F: Counter>(
    cipher: &mut Ctr<C, F>,
    data: &mut [u8],
) -> Result<(), StreamCipherError> {
    #[cfg(feature = "parallel")]
    return cipher.try_par_apply_keystream(data);
    #[cfg(not(feature = "parallel"))]
    cipher.try_apply_keystream(data)
}

/// What went wrong on the way.
#[derive(Debug)]
enum Trouble {
    Read(io::Error),
    Write(io::Error),
    Exhausted,
}

/// Reads to the end, a piece after the other, each as long as one call gives, and writes what `apply` makes of them.
fn pump(
    input: &mut dyn Read,
    output: &mut dyn Write,
    mut apply: impl FnMut(&mut [u8]) -> Result<(), StreamCipherError>,
    done: impl Fn(usize),
) -> Result<(), Trouble> {
    let mut buffer = vec![0; PIECE];
    loop {
        let piece = match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(bytes) => &mut buffer[..bytes],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(Trouble::Read(error)),
        };
        apply(piece).map_err(|_| Trouble::Exhausted)?;
        output.write_all(piece).and_then(|()| output.flush()).map_err(Trouble::Write)?;
        done(piece.len());
    }
}

#[cfg(test)]
mod tests {
    use byways::cipher::StreamCipherSeek;

    use super::*;
    use crate::drip::Drip;

    #[test]
    fn the_counter_goes_on_from_piece_to_piece() {
        let aes = Aes128::new(&[7; 16].into());
        let cipher = || Ctr32BE::inner_iv_init(&aes, &[0xff; 16].into());
        let (plain, mut wanted, mut found) = ([9; 1000], [9; 1000], Vec::new());
        cipher().apply_keystream(&mut wanted);
        let mut cipher = cipher();
        pump(&mut Drip::new(&plain), &mut found, |data| keystream(&mut cipher, data), |_| ()).unwrap();
        assert!(found == wanted);
    }

    #[test]
    fn a_counter_that_is_used_up_ends_it() {
        let aes = Aes128::new(&[7; 16].into());
        let mut cipher = Ctr32BE::inner_iv_init(&aes, &[0; 16].into());
        cipher.seek((16_u64 << 32) - 8);
        let (mut input, mut found) = ([1; 9].as_slice(), Vec::new());
        let result = pump(&mut input, &mut found, |data| keystream(&mut cipher, data), |_| ());
        assert!(matches!(result, Err(Trouble::Exhausted)) && found.is_empty(), "{result:?}");
    }

    #[test]
    fn ivs() {
        assert_eq!(iv("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeFF").unwrap()[14..], [0xfe, 0xff]);
        for (wrong, why) in [
            ("", "the IV `` has 0 hex digits; an IV is a block of 16 bytes, 32 hex digits"),
            ("000102030405060708090a0b", "has 24 hex digits"),
            ("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff0", "has 33 hex digits"),
            ("f0f1f2f3f4f5f6f7f8f9fafbfcfdfexf", "`x` in the IV `f0f1f2f3f4f5f6f7f8f9fafbfcfdfexf` is no hex digit"),
            ("öööööööööööööööö", "`ö` in the IV "),
        ] {
            let error = iv(wrong).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
