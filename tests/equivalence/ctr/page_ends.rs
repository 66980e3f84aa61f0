//! Data beside pages that may not be touched.

use byways::ctr::Field;
use byways::verify::ctr::{Way, oracle};
use byways::verify::noise;
use byways_kernels::inout::InOutBuf;

use super::calls::Subject;
use crate::pages::Pages;

/// Every length up to 1100, and some that take the kernel through all of its code, with the input and the output each at
/// the first or the last bytes of pages, and in place.
pub(crate) fn check(subject: &Subject, way: &Way) -> Result<(), String> {
    const LONGEST: usize = 1100;
    type Place = for<'a> fn(&'a mut Pages, &[u8]) -> &'a mut [u8];
    const PLACES: [Place; 2] = [Pages::at_start, Pages::at_end];
    let thorough = subject.thorough();
    let room = thorough.max(LONGEST);
    let (mut input, mut output) = (Pages::new(room), Pages::new(room));
    let key: Vec<u8> = noise(5).take(subject.key_len).collect();
    let (counter, field) = (u128::MAX - 20, Field::Bits128);
    for len in (0..=LONGEST).chain([thorough - 64, thorough - 1, thorough]) {
        let message: Vec<u8> = noise(len as u64 + 1).take(len).collect();
        let mut expected = message.clone();
        oracle(&key, counter, field, &mut expected);
        for (from, place) in PLACES.into_iter().enumerate() {
            for (to, other) in PLACES.into_iter().enumerate() {
                let (message, out) = (place(&mut input, &message), other(&mut output, &message));
                way.run(&key, counter, field, InOutBuf::new(message, &mut *out).expect("one length"));
                if *out != expected {
                    return Err(format!("{len} bytes from end {from} of pages to end {to} of others come out wrong"));
                }
            }
            let message = place(&mut input, &message);
            way.run(&key, counter, field, (&mut *message).into());
            if *message != expected {
                return Err(format!("{len} bytes in place at end {from} of pages come out wrong"));
            }
        }
    }
    Ok(())
}
