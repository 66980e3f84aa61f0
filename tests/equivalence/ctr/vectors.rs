//! Published vectors: NIST SP 800-38A, RFC 3686, and faults that others shipped.

use byways::verify::ctr::Way;
use byways_kernels::inout::InOutBuf;

use super::calls::Subject;
use crate::cases::ctr::{self as cases, Case};

/// Every line for AES with the subject's key length that is one message, whole and cut at every block.
pub(crate) fn check(subject: &Subject, way: &Way) -> Result<(), String> {
    let mut checked = 0;
    for case in cases::all()?.iter().filter(|case| case.key.len() == subject.key_len && case.is_one_message()) {
        let &Case { ref key, counter, field, ref input, ref expected, .. } = case;
        let mut out = vec![0; input.len()];
        way.run(key, counter, field, InOutBuf::new(input, &mut out).map_err(|error| error.to_string())?);
        let mut in_place = input.clone();
        for (i, block) in in_place.chunks_mut(16).enumerate() {
            way.run(key, field.add(counter, i as u128), field, block.into());
        }
        let after = field.add(counter, input.len().div_ceil(16) as u128);
        if out != *expected || in_place != *expected || case.counter_after.is_some_and(|wanted| wanted != after) {
            return Err(format!("{} ({}) comes out wrong", case.id, case.source));
        }
        checked += 1;
    }
    // each key length has its NIST and RFC 3686 lines at least
    if checked < 5 { Err(format!("only {checked} vectors")) } else { Ok(()) }
}
