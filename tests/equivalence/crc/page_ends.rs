//! Data beside pages that may not be touched.

use byways::verify::crc::{Oracle, Way, check};
use byways::verify::noise;

use super::calls::Subject;
use crate::pages::Pages;

/// Every length up to 1100, and some that take the kernel through all of its code, as the first bytes of pages and as the
/// last ones; and short ones at every place near either end.
pub(crate) fn check_all(subject: &Subject, way: &Way) -> Result<(), String> {
    const LONGEST: usize = 1100;
    const SHORT: usize = 130;
    let thorough = subject.thorough();
    let room = thorough.max(LONGEST);
    let mut pages = Pages::new(room + 64);
    // a message is the start of it, so that one pass gives the register after each
    let data: Vec<u8> = noise(0xed6e).take(room + 64).collect();
    for generator in subject.generators.iter().step_by(subject.generators.len().div_ceil(4)) {
        let state = generator.all_ones(subject.lsb);
        let registers = Oracle::new(generator, subject.lsb).registers(state, &data);
        let mut run = |len: usize, gap: usize| {
            let message = &pages.at_end(&data[..len + gap])[..len];
            check(way, generator, state, message, registers[len])
                .map_err(|fault| format!("{gap} bytes before the end of a page: {fault}"))?;
            let message = &pages.at_start(&[&data[..gap], &data[..len]].concat())[gap..];
            check(way, generator, state, message, registers[len])
                .map_err(|fault| format!("{gap} bytes behind the start of a page: {fault}"))
        };
        let chunks = [subject.chunk, 2 * subject.chunk];
        for len in (0..=LONGEST).chain(chunks).chain([thorough - 64, thorough - 1, thorough]) {
            run(len, 0)?;
        }
        for gap in 1..64 {
            for len in 0..=SHORT {
                run(len, gap)?;
            }
        }
    }
    Ok(())
}
