//! Operations on values, as the instructions do them.

use super::{Lanes, Machine};
use crate::gf2::{AES_SBOX, inverse, product, xtime};
use crate::ir::{Compute, Half, Value};
use crate::spec::{BLOCK, Width};

impl Machine<'_> {
    pub(super) fn compute(&self, compute: Compute, operands: &[Value], width: Width) -> Lanes {
        let vector = |i: usize| self.vectors[operands[i].index()];
        let scalar = |i: usize| self.scalars[operands[i].index()];
        let lanes = width.lanes();
        let mut out = Lanes::default();
        match compute {
            Compute::Pair => out.fill(lane([scalar(1), scalar(0)])),
            Compute::Widen => out[0] = lane([scalar(0), 0]),
            Compute::Permute8 => {
                let (a, index) = (vector(0), vector(1));
                let bytes = lanes * BLOCK;
                let out = out.as_flattened_mut();
                for (out, index) in out.iter_mut().zip(index.as_flattened()).take(bytes) {
                    *out = a.as_flattened()[usize::from(*index) % bytes];
                }
            }
            Compute::RotateLanes => (0..lanes).for_each(|i| out[i] = vector(0)[(i + 1) % lanes]),
            Compute::SwapLanes => (0..lanes).for_each(|i| out[i] = vector(0)[(i + 2) % lanes]),
            Compute::Lower => out[..lanes].copy_from_slice(&vector(0)[..lanes]),
            Compute::Upper => out[..lanes].copy_from_slice(&vector(0)[lanes..2 * lanes]),
            _ => {
                for (i, out) in out.iter_mut().enumerate().take(lanes) {
                    let a = vector(0)[i];
                    let b = || vector(1)[i];
                    *out = match compute {
                        Compute::Xor => xor(a, b()),
                        Compute::Xor3 => xor(xor(a, b()), vector(2)[i]),
                        Compute::And => std::array::from_fn(|i| a[i] & b()[i]),
                        Compute::Add64 => add64(a, b()),
                        Compute::Add8 => std::array::from_fn(|i| a[i].wrapping_add(b()[i])),
                        Compute::Less8 => std::array::from_fn(|i| if a[i] < b()[i] { 0xff } else { 0 }),
                        Compute::Blend => {
                            let other = vector(2)[i];
                            std::array::from_fn(|i| if a[i] & 0x80 == 0 { other[i] } else { b()[i] })
                        }
                        Compute::Shuffle8 => b().map(|i| if i < 0x80 { a[usize::from(i) % BLOCK] } else { 0 }),
                        Compute::AesEnc => xor(mix_columns(shifted_sub_bytes(a)), b()),
                        Compute::AesEncLast => xor(shifted_sub_bytes(a), b()),
                        Compute::Clmul(of_a, of_b) => product(of_lane(of_a, a), of_lane(of_b, b())).to_le_bytes(),
                        Compute::Affine => affine(a, b()),
                        Compute::AffineInv => affine(a.map(inverse), b()),
                        Compute::UnpackLow8 => std::array::from_fn(|i| [a, b()][i % 2][i / 2]),
                        Compute::UnpackHigh8 => std::array::from_fn(|i| [a, b()][i % 2][8 + i / 2]),
                        Compute::SwapHalves => std::array::from_fn(|i| a[(i + 8) % BLOCK]),
                        Compute::ShiftDown4 => {
                            std::array::from_fn(|i| a[i] >> 4 | if i % 2 == 0 { a[i + 1] << 4 } else { 0 })
                        }
                        Compute::Halves8 => {
                            let (low, high) = (b(), vector(2)[i]);
                            a.map(|byte| low[usize::from(byte % 16)] ^ high[usize::from(byte / 16)])
                        }
                        Compute::AesDecLast => xor(shifted_inverse_sub_bytes(a), b()),
                        Compute::Up => lane([0, of_lane(Half::Low, a)]),
                        _ => unreachable!("{compute:?} is handled above or makes a scalar"),
                    };
                }
            }
        }
        out
    }
}

/// A lane of these halves, the lower one first.
pub(super) fn lane([low, high]: [u64; 2]) -> [u8; BLOCK] {
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

pub(super) fn of_lane(half: Half, lane: [u8; BLOCK]) -> u64 {
    let lane = u128::from_le_bytes(lane);
    match half {
        Half::Low => lane as u64,
        Half::High => (lane >> 64) as u64,
    }
}

/// `crc32` (Intel SDM volume 2): the register, of 32 bits, after 8 bytes more.
pub(super) fn crc32c(register: u64, word: u64) -> u64 {
    /// The generator, reflected.
    const CRC32C: u64 = 0x82f6_3b78;
    let step = |register: u64, _| register >> 1 ^ if register & 1 == 1 { CRC32C } else { 0 };
    (0..64).fold((register & u64::from(u32::MAX)) ^ word, step)
}

/// `gf2p8affineqb` (Intel SDM volume 2): bit i of a byte is the parity of the byte and byte 7 − i of the matrix.
fn affine(bytes: [u8; BLOCK], matrix: [u8; BLOCK]) -> [u8; BLOCK] {
    std::array::from_fn(|at| {
        let matrix = &matrix[at / 8 * 8..][..8];
        (0..8).fold(0, |out, i| out | (((bytes[at] & matrix[7 - i]).count_ones() & 1) as u8) << i)
    })
}

pub(super) fn xor(a: [u8; BLOCK], b: [u8; BLOCK]) -> [u8; BLOCK] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

fn add64(a: [u8; BLOCK], b: [u8; BLOCK]) -> [u8; BLOCK] {
    let [a, b] = [a, b].map(u128::from_le_bytes);
    let low = (a as u64).wrapping_add(b as u64);
    let high = ((a >> 64) as u64).wrapping_add((b >> 64) as u64);
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

/// ShiftRows and SubBytes (FIPS 197, sections 5.1.2 and 5.1.1). Byte 4c + r is row r of column c.
fn shifted_sub_bytes(state: [u8; BLOCK]) -> [u8; BLOCK] {
    std::array::from_fn(|i| AES_SBOX[usize::from(state[(i + 4 * (i % 4)) % BLOCK])])
}

/// InvShiftRows and InvSubBytes (FIPS 197, sections 5.3.1 and 5.3.2).
fn shifted_inverse_sub_bytes(state: [u8; BLOCK]) -> [u8; BLOCK] {
    let inverse = |byte: u8| (0..=255).find(|&x: &u8| AES_SBOX[usize::from(x)] == byte).expect("a permutation");
    std::array::from_fn(|i| inverse(state[(i + 12 * (i % 4)) % BLOCK]))
}

/// MixColumns (FIPS 197, section 5.1.3): each byte becomes 2a ⊕ 3b ⊕ c ⊕ d of its column, from itself downwards.
fn mix_columns(state: [u8; BLOCK]) -> [u8; BLOCK] {
    std::array::from_fn(|i| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| state[i / 4 * 4 + (i + k) % 4]);
        xtime(a ^ b) ^ b ^ c ^ d
    })
}
