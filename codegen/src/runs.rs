/// Blocks in a run: as many as the lowest byte of a counter tells apart.
pub const RUN: usize = 256;

/// Fewer whole runs than this are none: the first makes the table, and the others must make up for it.
pub const LEAST: usize = 2;

/// Bytes in a run.
pub const RUN_BYTES: usize = 16 * RUN;

/// Blocks after which byte 10 of the counter block changes, which holds bits 40 to 47: a table that was made before is
/// stale then.
const STALE: u64 = 1 << 40;

/// How data go on: so many bytes of them, and whether these are whole runs under one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// How many bytes.
    pub bytes: usize,
    /// Whether they are whole runs, at least [`LEAST`], throughout which a table stays right.
    pub runs: bool,
}

/// The next cut of the `left` bytes that start at `counter`.
pub const fn cut(counter: u128, left: usize) -> Cut {
    let low = counter as u64;
    let lead = low.wrapping_neg() as usize % RUN * 16;
    if left < lead || left - lead < LEAST * RUN_BYTES {
        return Cut { bytes: left, runs: false };
    }
    if lead > 0 {
        return Cut { bytes: lead, runs: false };
    }
    let fresh = (STALE - low % STALE) / RUN as u64;
    let mut runs = left / RUN_BYTES;
    if runs as u64 > fresh {
        runs = fresh as usize;
    }
    Cut { bytes: runs * RUN_BYTES, runs: runs >= LEAST }
}

/// The counter after so many bytes: its low 64 bits count, the others stay.
pub const fn step(counter: u128, bytes: usize) -> u128 {
    let low = (counter as u64).wrapping_add((bytes / 16) as u64);
    counter >> 64 << 64 | low as u128
}
