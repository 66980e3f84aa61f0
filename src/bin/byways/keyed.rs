//! AES with a key of any size, as the library's users have it.

use byways::cipher::{Key, KeyInit};
use byways::{Aes128, Aes192, Aes256, Width};

/// A key, expanded.
pub(crate) enum Aes {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

/// The same expression for each type that a key may have.
macro_rules! of_any_size {
    ($key:expr, $aes:ident => $value:expr) => {
        match $key {
            $crate::keyed::Aes::Aes128($aes) => $value,
            $crate::keyed::Aes::Aes192($aes) => $value,
            $crate::keyed::Aes::Aes256($aes) => $value,
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use of_any_size;

impl Aes {
    /// With a key of 16, 24 or 32 bytes, for registers at most so wide; none if the key has another length.
    pub(crate) fn new(key: &[u8], width: Option<Width>) -> Option<Self> {
        macro_rules! sized {
            ($aes:ident) => {{
                let key = <&Key<$aes>>::try_from(key).ok()?;
                Aes::$aes(width.map_or_else(|| $aes::new(key), |width| $aes::with_max_width(key, width)))
            }};
        }
        Some(match key.len() {
            16 => sized!(Aes128),
            24 => sized!(Aes192),
            _ => sized!(Aes256),
        })
    }

    /// The widest registers that it uses.
    pub(crate) fn width(&self) -> Width {
        of_any_size!(self, aes => aes.width())
    }

    /// Up to so many bytes of a message, the kernel of this name; none on the fallback.
    pub(crate) fn plan(&self) -> Vec<(usize, &'static str)> {
        of_any_size!(self, aes => aes.plan().collect())
    }

    /// The kernel for a message of so many bytes; none on the fallback.
    pub(crate) fn kernel(&self, bytes: usize) -> Option<&'static str> {
        self.plan().into_iter().find(|&(most, _)| bytes <= most).map(|(_, name)| name)
    }
}
