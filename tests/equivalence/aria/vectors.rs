//! Published vectors: RFC 5794, KISA's, and faults that others shipped.

use byways::ctr::Field;
use byways::verify::aria::{Direction, Way};
use byways_codegen::spec::AriaMode;
use byways_kernels::inout::InOutBuf;

use super::calls::Subject;
use crate::cases::{self, Blocks, Case, ctr};

/// Every line of the kernel's mode that is one message, whole and block by block; and blocks back again.
pub(crate) fn check(subject: &Subject, way: &Way) -> Result<(), String> {
    let mut checked = [0; 3];
    for case in cases::all()? {
        let key_len = match (case, subject.mode) {
            (Case::Blocks(case), AriaMode::Ecb) => blocks(way, &case)?,
            (Case::Stream(case), AriaMode::Ctr) if case.is_one_message() => stream(way, &case)?,
            _ => continue,
        };
        checked[key_len / 8 - 2] += 1;
    }
    // each key size has its lines
    if checked.into_iter().all(|lines| lines >= 3) { Ok(()) } else { Err(format!("only {checked:?} vectors")) }
}

fn blocks(way: &Way, case: &Blocks) -> Result<usize, String> {
    let Blocks { id, source, direction, key, input, expected } = case;
    for (direction, input, expected) in [(*direction, input, expected), (direction.inverse(), expected, input)] {
        let direction = match direction {
            cases::Direction::Encrypt => Direction::Encrypt,
            cases::Direction::Decrypt => Direction::Decrypt,
        };
        let mut out = vec![0; input.len()];
        way.run(key, direction, 0, InOutBuf::new(input, &mut out).map_err(|error| error.to_string())?);
        let mut in_place = input.clone();
        in_place.chunks_mut(16).for_each(|block| way.run(key, direction, 0, block.into()));
        if out != *expected || in_place != *expected {
            return Err(format!("{id} ({source}) does not {} as it should", direction.name()));
        }
    }
    Ok(key.len())
}

fn stream(way: &Way, case: &ctr::Case) -> Result<usize, String> {
    let ctr::Case { id, source, key, field, input, expected, .. } = case;
    // kernels count in 64 bits, so that another field's counter goes block by block where it carries
    let blocks = input.len().div_ceil(16) as u128;
    let carries = |bits: u32| blocks > 0 && case.counter >> bits != (case.counter.wrapping_add(blocks - 1)) >> bits;
    let whole = *field == Field::Bits64 || ![32, 64].into_iter().any(carries);
    if whole {
        let mut out = vec![0; input.len()];
        let data = InOutBuf::new(input, &mut out).map_err(|error| error.to_string())?;
        way.run(key, Direction::Encrypt, case.counter, data);
        if out != *expected {
            return Err(format!("{id} ({source}) comes out wrong"));
        }
    }
    let mut in_place = input.clone();
    for (i, block) in in_place.chunks_mut(16).enumerate() {
        way.run(key, Direction::Encrypt, field.add(case.counter, i as u128), block.into());
    }
    if in_place != *expected {
        return Err(format!("{id} ({source}) comes out wrong block by block"));
    }
    Ok(key.len())
}
