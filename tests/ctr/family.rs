//! AES, as the checks of counter mode take it.

pub(crate) use byways::verify::ctr::oracle;
pub(crate) use byways::{Aes128 as Key128, Aes192 as Key192, Aes256 as Key256};

/// What crate `ctr` is used with in its place.
pub(crate) mod theirs {
    pub(crate) use aes::{Aes128 as Key128, Aes192 as Key192, Aes256 as Key256};
}

/// The cipher's name.
pub(crate) const NAME: &str = "AES";
