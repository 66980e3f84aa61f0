//! ARIA, as the checks of counter mode take it.

use byways::cipher::{KeyIvInit, StreamCipher};
use byways::ctr::Field;

pub(crate) use byways::{Aria128 as Key128, Aria192 as Key192, Aria256 as Key256};

/// What crate `ctr` is used with in its place.
pub(crate) mod theirs {
    pub(crate) use aria::{Aria128 as Key128, Aria192 as Key192, Aria256 as Key256};
}

/// The cipher's name.
pub(crate) const NAME: &str = "ARIA";

/// What crates `aria` and `ctr` make of the data.
///
/// # Panics
/// If the key has not 16, 24 or 32 bytes.
pub(crate) fn oracle(key: &[u8], counter: u128, field: Field, data: &mut [u8]) {
    fn apply<C: KeyIvInit + StreamCipher>(key: &[u8], counter: u128, data: &mut [u8]) {
        let mut cipher = C::new_from_slices(key, &counter.to_be_bytes()).expect("an ARIA key and a block");
        cipher.apply_keystream(data);
    }
    macro_rules! by_field {
        ($cipher:ty) => {
            match field {
                Field::Bits32 => apply::<ctr::Ctr32BE<$cipher>>(key, counter, data),
                Field::Bits64 => apply::<ctr::Ctr64BE<$cipher>>(key, counter, data),
                Field::Bits128 => apply::<ctr::Ctr128BE<$cipher>>(key, counter, data),
            }
        };
    }
    match key.len() {
        16 => by_field!(aria::Aria128),
        24 => by_field!(aria::Aria192),
        32 => by_field!(aria::Aria256),
        bytes => panic!("no ARIA key has {bytes} bytes"),
    }
}
