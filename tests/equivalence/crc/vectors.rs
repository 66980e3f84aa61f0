//! Published vectors, and faults that others shipped.

use byways::crc::Algorithm;
use byways::verify::crc::{Generator, Way, check};

use super::calls::Subject;
use super::cases::{self, Case, Operation};

/// Every line that is the CRC of one message, of a model that takes the bits of a byte as the kernel does.
pub(crate) fn check_all(subject: &Subject, way: &Way) -> Result<(), String> {
    let mut checked = 0;
    let takes = |model: &Algorithm<u64>| {
        (model.refin, model.refout) == (subject.lsb, subject.lsb)
            && Generator::new(model.width, model.poly).suits(subject.variant)
    };
    for Case { id, source, model, operation, input, expected, .. } in cases::all()? {
        if operation != Operation::Checksum(None) || !takes(&model) {
            continue;
        }
        let unused = 64 - model.width;
        let register = |crc: u64| if subject.lsb { crc } else { crc << unused };
        let state = register(if subject.lsb { model.init.reverse_bits() >> unused } else { model.init });
        check(way, &Generator::new(model.width, model.poly), state, &input, register(expected[0] ^ model.xorout))
            .map_err(|fault| format!("{id} ({source}): {fault}"))?;
        checked += 1;
    }
    // CRC-32C alone has its check value and the lines of RFC 3720 at least
    if checked < 5 { Err(format!("only {checked} vectors")) } else { Ok(()) }
}
