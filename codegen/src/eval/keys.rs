//! Round keys, to run programs where the CPU cannot make them, and how programs take them.

use crate::families::aria::{place_classed, place_packed};
use crate::gf2::{AES_SBOX, aria, xtime};
use crate::ir::{KeyLayout, RoundKey};
use crate::spec::{BLOCK, KeySize};

/// A vector of a folded round key in a layout: its bytes in a 128-bit lane.
pub(super) fn laid_out(layout: KeyLayout, key: [u8; BLOCK], which: RoundKey, i: usize) -> [u8; BLOCK] {
    let of_cell = |row: usize| {
        let cell = aria::GRID[row][i % 4];
        key[aria::CELL.iter().position(|&taken| taken == cell).expect("each cell is taken once")]
    };
    match (layout, which) {
        (_, RoundKey::Natural) => key,
        (KeyLayout::Packed, _) | (_, RoundKey::FirstPacked | RoundKey::SecondPacked) => {
            let mut lane = [0; BLOCK];
            for (byte, block) in (0..BLOCK).flat_map(|byte| [(byte, 0), (byte, 1)]) {
                let [register, at] = place_packed(byte, block);
                if register == i {
                    lane[at] = key[byte];
                }
            }
            lane
        }
        (KeyLayout::Grid, RoundKey::Former | RoundKey::Latter | RoundKey::LastButOne) => match i / 4 {
            0 => [of_cell(0); BLOCK],
            row => [of_cell(row) ^ of_cell(0); BLOCK],
        },
        (KeyLayout::Classed | KeyLayout::Lanes, _) => {
            let mut lane = [0; BLOCK];
            for (byte, block) in (0..BLOCK).flat_map(|byte| [0, 1, 2, 3].map(|block| (byte, block))) {
                let [register, at] = place_classed(byte, block);
                if register == i {
                    lane[at] = key[byte];
                }
            }
            lane
        }
        (KeyLayout::Sliced | KeyLayout::Bytes | KeyLayout::Grid, _) => [key[i]; BLOCK],
    }
}

/// ARIA's round keys for encryption (RFC 5794, section 2.2), to run programs where the CPU cannot make them; none where
/// the key has not 16, 24 or 32 bytes.
pub fn aria_round_keys(key: &[u8]) -> Option<Vec<[u8; BLOCK]>> {
    /// 1 / π, in 128-bit pieces.
    const CONSTANTS: [u128; 3] = [
        0x517c_c1b7_2722_0a94_fe13_abe8_fa9a_6ee0,
        0x6db1_4acc_9e21_c820_ff28_b1d5_ef5d_e2b0,
        0xdb92_371d_2126_e970_0324_9775_04e8_c90e,
    ];
    if !matches!(key.len(), 16 | 24 | 32) {
        return None;
    }
    let mut padded = [0; 2 * BLOCK];
    padded[..key.len()].copy_from_slice(key);
    let [left, right] = [0, BLOCK].map(|at| u128::from_be_bytes(*padded[at..].first_chunk().expect("a block")));
    let first = (key.len() - BLOCK) / 8;
    let round = |x: u128, constant: usize, odd: bool| {
        let x = x ^ CONSTANTS[(first + constant) % 3];
        u128::from_be_bytes(aria::diffuse(aria::substitute_all(x.to_be_bytes(), odd)))
    };
    let mut w = [left; 4];
    w[1] = round(w[0], 0, true) ^ right;
    w[2] = round(w[1], 1, false) ^ w[0];
    w[3] = round(w[2], 2, true) ^ w[1];
    let turns = [19, 31, 128 - 61, 128 - 31, 128 - 19];
    let keys = (0..key.len() / 4 + 9).map(|i| w[i % 4] ^ w[(i + 1) % 4].rotate_right(turns[i / 4]));
    Some(keys.map(u128::to_be_bytes).collect())
}

/// The round keys that decrypt, out of those that encrypt: in reverse, and but for the first and the last diffused (RFC
/// 5794, section 2.3.2).
pub fn aria_decryption_keys(keys: &[[u8; BLOCK]]) -> Vec<[u8; BLOCK]> {
    let last = keys.len() - 1;
    let key = |i: usize| if i == 0 || i == last { keys[last - i] } else { aria::diffuse(keys[last - i]) };
    (0..keys.len()).map(key).collect()
}

/// AES's round keys (FIPS 197, section 5.2), to run programs where the CPU cannot make them; none where the key has
/// another length than `size`.
pub fn aes_round_keys(size: KeySize, key: &[u8]) -> Option<Vec<[u8; BLOCK]>> {
    if key.len() * 8 != size.bits() {
        return None;
    }
    let words_in_key = key.len() / 4;
    let mut words: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
    let mut rcon = 1;
    for i in words_in_key..4 * size.round_keys() {
        let mut word = words[i - 1];
        if i % words_in_key == 0 {
            word.rotate_left(1);
        }
        if i % words_in_key == 0 || (words_in_key > 6 && i % words_in_key == 4) {
            word = word.map(|byte| AES_SBOX[usize::from(byte)]);
        }
        if i % words_in_key == 0 {
            word[0] ^= rcon;
            rcon = xtime(rcon);
        }
        words.push(std::array::from_fn(|k| words[i - words_in_key][k] ^ word[k]));
    }
    Some(
        words
            .as_chunks()
            .0
            .iter()
            .map(|column: &[[u8; 4]; 4]| column.as_flattened().try_into().expect("4 words"))
            .collect(),
    )
}
