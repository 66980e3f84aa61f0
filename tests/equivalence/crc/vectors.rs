//! Published vectors, and faults that others shipped.

use byways::verify::crc::{Generator, Way, check};

use super::calls::Subject;
use super::cases::{self, Case, Operation};

/// Every line that is the CRC of one message, of a model that takes the bits of a byte as the kernel does.
pub(crate) fn check_all(subject: &Subject, way: &Way) -> Result<(), String> {
    let mut checked = 0;
    for Case { id, source, model, operation, input, expected, .. } in cases::all()? {
        let generator = Generator::new(model.width, model.poly);
        let one_message = operation == Operation::Checksum(None);
        if !one_message
            || (model.refin, model.refout) != (subject.lsb, subject.lsb)
            || !generator.suits(subject.variant)
        {
            continue;
        }
        let unused = 64 - model.width;
        let register = |crc: u64| if subject.lsb { crc } else { crc << unused };
        let state = register(if subject.lsb { model.init.reverse_bits() >> unused } else { model.init });
        check(way, &generator, state, &input, register(expected[0] ^ model.xorout))
            .map_err(|fault| format!("{id} ({source}): {fault}"))?;
        checked += 1;
    }
    if checked == 0 { Err("no line is for this kernel".to_owned()) } else { Ok(()) }
}
