//! Counter mode on several cores: as on one.

use byways::cipher::{InnerIvInit, StreamCipher, StreamCipherSeek};
use byways::ctr::{Bits32, Bits64, Bits128, Counter, Ctr};
use byways::verify::noise;
use byways::{Aes128, Aes256, Width};

use crate::subject::tiers;

/// From so many bytes on, data are shared out, as the docs say.
const LARGE: usize = 8 << 20;

/// Lengths around where that begins, and where parts do.
const LENGTHS: [usize; 8] =
    [0, 1, 700 << 10, LARGE - 1, LARGE, LARGE + 1, LARGE + (772 << 10) + 17, LARGE + (3 << 20) + 4096];

/// Where to begin, in bytes.
const STARTS: [u128; 5] = [0, 16, 5, 4099, 15];

fn equals_serial<F: Counter>(width: Width) {
    let message: Vec<u8> = noise(21).take(4096).collect::<Vec<_>>().repeat(LENGTHS[LENGTHS.len() - 1] / 4096);
    let key = Aes128::with_max_width(&[0x31; 16].into(), width);
    let ones = u128::MAX >> (128 - F::FIELD.bits());
    // unoptimised, the crates that stand in are slow: one length that is shared out, and some that are not
    let lengths = if width == Width::Fallback { &LENGTHS[..5] } else { &LENGTHS };
    for (i, &len) in lengths.iter().enumerate().filter(|(_, len)| width != Width::Fallback || **len != LARGE - 1) {
        let starts = if width == Width::Fallback { 1 } else { 2 };
        for start in [STARTS[i % 5], STARTS[(i + 2) % 5]].into_iter().take(starts) {
            // the field wraps, or the low 64 bits carry, in the middle of the message
            let wrap = (len / 2 / 16) as u128;
            let counter = 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef | ones;
            let counter = F::FIELD.add(counter, wrap.wrapping_neg());
            let mut serial = Ctr::<_, F>::inner_iv_init(&key, &counter.to_be_bytes().into());
            serial.seek(start);
            // so that a block is kept
            serial.apply_keystream(&mut [0; 2][..i % 3]);
            let mut parallel = serial.clone();
            let (mut wanted, mut found) = (message[..len].to_vec(), message[..len].to_vec());
            assert!(serial.try_apply_keystream(&mut wanted).is_ok());
            assert!(parallel.try_par_apply_keystream(&mut found).is_ok());
            let what = || format!("{width}, {:?}: {len} bytes from {start}", F::FIELD);
            assert!(found == wanted, "{}", what());
            assert_eq!(parallel.current_pos::<u128>(), serial.current_pos::<u128>(), "{}", what());
            // and it goes on
            let (mut wanted, mut found) = ([0; 50], [0; 50]);
            serial.apply_keystream(&mut wanted);
            parallel.apply_keystream(&mut found);
            assert_eq!(found, wanted, "{}", what());
        }
    }
}

#[test]
fn equals_serial_with_32_bits() {
    tiers().iter().for_each(|&width| equals_serial::<Bits32>(width));
}

#[test]
fn equals_serial_with_64_bits() {
    tiers().iter().for_each(|&width| equals_serial::<Bits64>(width));
}

#[test]
fn equals_serial_with_128_bits() {
    tiers().iter().for_each(|&width| equals_serial::<Bits128>(width));
}

/// Also with a key of its own instead of a borrowed one.
#[test]
fn at_the_end_of_the_keystream() {
    fn check<F: Counter>(end: u128, len: usize) {
        let mut stream =
            Ctr::<Aes256, F>::inner_iv_init(Aes256::with_max_width(&[0x31; 32].into(), Width::Zmm), &[0x8f; 16].into());
        let message: Vec<u8> = noise(22).take(len + 1).collect();
        stream.seek(end - len as u128);
        let mut serial = stream.clone();
        let mut data = message.clone();
        assert!(stream.try_par_apply_keystream(&mut data).is_err());
        assert!(data == message, "data changed");
        assert_eq!(stream.current_pos::<u128>(), end - len as u128);
        assert!(stream.try_par_apply_keystream(&mut data[1..]).is_ok());
        let mut wanted = message.clone();
        serial.apply_keystream(&mut wanted[1..]);
        assert!(data == wanted, "{len} bytes before the end");
        assert_eq!(stream.current_pos::<u128>(), end);
        assert!(stream.try_par_apply_keystream(&mut data[..1]).is_err());
        assert!(stream.try_par_apply_keystream(&mut []).is_ok());
    }
    for len in [3, 5000, LARGE + 5] {
        check::<Bits32>(1 << 36, len);
        check::<Bits64>(1 << 68, len);
    }
}
