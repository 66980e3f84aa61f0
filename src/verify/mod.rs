//! Kernels against independent implementations: what `byways verify` and the tests run.

use byways_codegen::families;
use byways_codegen::ir::{Program, Skeleton};
use byways_codegen::runs::{LEAST, RUN_BYTES};
use byways_codegen::spec::Variant;
use byways_kernels::cpu::Proven;

use crate::cpu::{Detected, Kernel, Missing};

pub mod aria;
pub mod crc;
pub mod ctr;

/// The bytes that take a program into what it has for long messages alone: in counter mode the fewest runs, in a CRC a
/// chunk. None where it has nothing of that kind.
pub fn unit(program: &Program) -> Option<usize> {
    match &program.skeleton {
        Skeleton::Counter(counter) => counter.runs.as_ref().map(|_| LEAST * RUN_BYTES),
        Skeleton::Fold(fold) => fold.chunks.as_ref().map(|chunks| {
            let folded = program.variant.registers() * program.variant.width().bytes();
            chunks.steps * (folded + chunks.chains * chunks.words * size_of::<u64>())
        }),
        Skeleton::Rounds(_) => None,
    }
}

/// Lengths with one unit and two, the longest last: of that `rest` bytes are left.
const fn around(unit: usize, rest: usize) -> [usize; 4] {
    [unit - 1, unit, unit + 1, 2 * unit + rest]
}

/// The machine code of a kernel of this signature, on a CPU that has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Native<F> {
    kernel: Proven<F>,
    unit: Option<usize>,
}

impl<F: Copy> Native<F> {
    /// That of the kernel.
    ///
    /// # Errors
    /// The features that this CPU lacks.
    ///
    /// # Panics
    /// If the kernel has not the name of a variant.
    pub fn new(kernel: &Kernel<F>) -> Result<Self, Missing> {
        let variant: Variant = kernel.name().parse().expect("a kernel's name is a variant's");
        Ok(Native { kernel: kernel.prove(Detected::get())?, unit: unit(&families::program(variant)) })
    }
}

/// Bytes around each buffer that must stay as they are.
const FENCE: usize = 64;

/// Where in `buffer` to start, so as to be `offset` bytes behind a 64-byte boundary and a fence behind its start.
fn start(buffer: &[u8], offset: usize) -> usize {
    FENCE + (buffer.as_ptr() as usize + FENCE).wrapping_neg() % 64 + offset
}

/// Bytes of a xorshift generator; the seed must not be 0.
pub fn noise(seed: u64) -> impl Iterator<Item = u8> {
    noise_words(seed).flat_map(u64::to_le_bytes)
}

fn noise_words(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

/// The same bytes as from [`noise`], by words: much faster where nothing is optimised.
fn fill(buffer: &mut [u8], seed: u64) {
    for (bytes, word) in buffer.chunks_mut(8).zip(noise_words(seed)) {
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_what_is_for_long_messages() {
        for (name, bytes) in [
            ("aes128_ctr_by8_xmm", None),
            ("aes192_ctr_cached_by16_zmm", Some(8192)),
            ("crc_lsb_by4_xmm", None),
            ("crc32c_by4_xmm", None),
            ("crc32c_fused_by8_xmm", Some(64 << 10)),
            ("crc32c_fused_by32_zmm", Some(102 * (8 * 64 + 4 * 4 * 8))),
        ] {
            assert_eq!(unit(&families::program(name.parse().unwrap())), bytes, "{name}");
        }
    }
}
