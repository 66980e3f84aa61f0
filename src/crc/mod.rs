//! Cyclic redundancy checks of any Rocksoft model up to 64 bits: what crate `crc` does, under the same names, by
//! carry-less multiplication.

mod engine;
mod width;

pub use crc_catalog::Algorithm;
pub use crc_catalog::algorithm::*;

use engine::Engine;
pub use width::Width;

/// A CRC algorithm with its constants.
#[derive(Clone)]
pub struct Crc<W: Width> {
    fallback: ::crc::Crc<W>,
    engine: Engine,
}

macro_rules! new {
    ($($word:ident)*) => {
        $(
            impl Crc<$word> {
                /// The algorithm with its constants.
                pub const fn new(algorithm: &'static Algorithm<$word>) -> Self {
                    assert!(
                        algorithm.width > 0 && algorithm.width as u32 <= $word::BITS,
                        "an algorithm's width is 1 to the bits of its type"
                    );
                    Crc {
                        fallback: ::crc::Crc::<$word>::new(algorithm),
                        engine: Engine::new(algorithm.width, algorithm.poly as u64, algorithm.refin),
                    }
                }
            }
        )*
    };
}

new!(u8 u16 u32 u64);

impl<W: Width> Crc<W> {
    /// The CRC of `bytes`.
    #[inline]
    pub fn checksum(&self, bytes: &[u8]) -> W {
        self.finish(self.update(self.start(self.fallback.algorithm.init), bytes))
    }

    /// The register, as kernels take it, that has `initial` in it as the model's `init` is meant: reflected and in the
    /// low bits where the first bit of a byte is the lowest, in the high bits of 64 where it is the highest.
    #[inline]
    fn start(&self, initial: W) -> u64 {
        let &Algorithm { width, refin, .. } = self.fallback.algorithm;
        let high = initial.to_u64() << (64 - width);
        if refin { high.reverse_bits() } else { high }
    }

    /// What the register says when all data are in it: reflected as the model asks, and xored with `xorout`.
    #[inline]
    fn finish(&self, register: u64) -> W {
        let &Algorithm { width, refin, refout, xorout, .. } = self.fallback.algorithm;
        let register = if refin == refout { register } else { register.reverse_bits() };
        let low = if refout { register } else { register >> (64 - width) };
        W::from_u64(low ^ xorout.to_u64())
    }

    /// The register after `bytes`.
    #[inline]
    fn update(&self, register: u64, bytes: &[u8]) -> u64 {
        self.engine.update(register, bytes).unwrap_or_else(|| W::fallback(&self.fallback, register, bytes))
    }
}
