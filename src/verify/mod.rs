//! Kernels against independent implementations: what `byways verify` and the tests run.

pub mod aria;
pub mod crc;
pub mod ctr;

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
