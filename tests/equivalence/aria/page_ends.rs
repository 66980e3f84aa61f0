//! Data beside pages that may not be touched.

use byways::verify::aria::{KEY_LENS, Way, oracle};
use byways::verify::noise;
use byways_kernels::inout::InOutBuf;

use super::calls::Subject;
use crate::pages::Pages;

/// Every length up to 1100 and to two batches and a block more, so that a last batch has every number of blocks and of bytes,
/// with the input and the output each at the first or the last bytes of pages, and in place; and some lengths beyond. What is
/// no whole block counts in counter mode only, but may not be left, either.
pub(crate) fn check(subject: &Subject, way: &Way) -> Result<(), String> {
    const SHORT: usize = 1100;
    type Place = for<'a> fn(&'a mut Pages, &[u8]) -> &'a mut [u8];
    const PLACES: [Place; 2] = [Pages::at_start, Pages::at_end];
    let batches = 2 * subject.variant.by() * 16;
    let (longest, more) = (SHORT.max(batches + 17), batches + 150);
    let room = more.max(longest);
    let (mut input, mut output) = (Pages::new(room), Pages::new(room));
    for len in (0..=longest).chain([more - 64, more - 1, more]) {
        let key: Vec<u8> = noise(5).take(KEY_LENS[len % 3]).collect();
        let directions = subject.directions();
        let (direction, counter) = (directions[len / 3 % directions.len()], u128::from(u64::MAX - 20));
        let counted = subject.whole(len);
        let message: Vec<u8> = noise(len as u64 + 1).take(len).collect();
        let mut expected = message.clone();
        oracle(subject.variant, &key, direction, counter, &mut expected[..counted]);
        for (from, place) in PLACES.into_iter().enumerate() {
            for (to, other) in PLACES.into_iter().enumerate() {
                let (message, out) = (place(&mut input, &message), other(&mut output, &message));
                way.run(&key, direction, counter, InOutBuf::new(message, &mut *out).expect("one length"));
                if out[..counted] != expected[..counted] {
                    return Err(format!("{len} bytes from end {from} of pages to end {to} of others come out wrong"));
                }
            }
            let message = place(&mut input, &message);
            way.run(&key, direction, counter, (&mut *message).into());
            if message[..counted] != expected[..counted] {
                return Err(format!("{len} bytes in place at end {from} of pages come out wrong"));
            }
        }
    }
    Ok(())
}
