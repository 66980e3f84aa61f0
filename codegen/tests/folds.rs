//! CRC programs as the interpreter runs them, for every form, N and width: against published values, and against the
//! definition bit by bit.

use byways_codegen::gf2::Modulus;
use byways_codegen::ir::Skeleton;
use byways_codegen::spec::{Algorithm, CrcForm, Variant, Width};
use byways_codegen::{eval, families};

/// A CRC by its parameters, which `byways::crc` knows under the same names. Output is reflected as input is.
struct Model {
    width: u8,
    poly: u64,
    init: u64,
    reflected: bool,
    xorout: u64,
}

const fn model(width: u8, poly: u64, init: u64, reflected: bool, xorout: u64) -> Model {
    Model { width, poly, init, reflected, xorout }
}

impl Model {
    /// The CRC, by what takes a register where kernels have it, and gives one there.
    fn crc(&self, update: impl Fn(u64) -> u64) -> u64 {
        let unused = 64 - u32::from(self.width);
        let low = if self.reflected {
            update((self.init << unused).reverse_bits())
        } else {
            update(self.init << unused) >> unused
        };
        low ^ self.xorout
    }
}

/// The register after the data by the definition: a bit is a step.
fn step_by_step(width: u8, poly: u64, reflected: bool, state: u64, data: &[u8]) -> u64 {
    let poly = poly << (64 - width);
    let mut register = if reflected { state.reverse_bits() } else { state };
    for &byte in data {
        let byte = if reflected { byte.reverse_bits() } else { byte };
        register ^= u64::from(byte) << 56;
        for _ in 0..8 {
            register = register << 1 ^ if register >> 63 == 1 { poly } else { 0 };
        }
    }
    if reflected { register.reverse_bits() } else { register }
}

fn variants(form: CrcForm) -> impl Iterator<Item = Variant> {
    let algorithm = Algorithm::Crc(form);
    Width::ALL.into_iter().flat_map(move |width| {
        algorithm.unrolls(width).map(move |by| Variant::new(algorithm, by, width).expect("an allowed N"))
    })
}

/// CRC-32C's polynomial, for which there are forms of its own.
const CRC32C: u64 = 0x1edc_6f41;

const fn is_reflected(form: CrcForm) -> bool {
    match form {
        CrcForm::Lsb | CrcForm::Crc32c | CrcForm::Crc32cFused => true,
        CrcForm::MsbRev | CrcForm::MsbSwap => false,
    }
}

/// The forms that compute it.
fn forms(model: &Model) -> impl Iterator<Item = CrcForm> {
    CrcForm::ALL.into_iter().filter(|&form| {
        is_reflected(form) == model.reflected && (!form.is_crc32c() || (model.width, model.poly) == (32, CRC32C))
    })
}

/// The CRC of some bytes.
type Value = (&'static [u8], u64);

#[rustfmt::skip]
const RISING: [u8; 32] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
];
/// RFC 3720, B.4: an iSCSI SCSI Read (10) command.
const READ_COMMAND: [u8; 48] = {
    let mut pdu = [0; 48];
    (pdu[0], pdu[1], pdu[16], pdu[22], pdu[27], pdu[31]) = (0x01, 0xc0, 0x14, 0x04, 0x14, 0x18);
    (pdu[32], pdu[40]) = (0x28, 0x02);
    pdu
};

/// The checks of G. Cook's catalogue; RFC 3720, B.4, and SBC-4's CRC test cases.
#[rustfmt::skip]
const PUBLISHED: [(Model, &[Value]); 10] = [
    (model(3, 0x3, 0x7, true, 0x0), &[(b"123456789", 0x6)]),
    (model(5, 0x09, 0x09, false, 0x00), &[(b"123456789", 0x00)]),
    (model(8, 0x07, 0x00, false, 0x00), &[(b"123456789", 0xf4)]),
    (model(16, 0x8bb7, 0, false, 0), &[
        (b"123456789", 0xd0db), (&[0x00; 32], 0), (&[0xff; 32], 0xa293), (&RISING, 0x0224),
    ]),
    (model(24, 0x86_4cfb, 0xb7_04ce, false, 0), &[(b"123456789", 0x21_cf02)]),
    (model(32, 0x04c1_1db7, 0xffff_ffff, true, 0xffff_ffff), &[(b"123456789", 0xcbf4_3926)]),
    (model(32, 0x04c1_1db7, 0xffff_ffff, false, 0xffff_ffff), &[(b"123456789", 0xfc89_1918)]),
    (model(32, CRC32C, 0xffff_ffff, true, 0xffff_ffff), &[
        (b"123456789", 0xe306_9283), (&[0x00; 32], 0x8a91_36aa), (&[0xff; 32], 0x62a8_ab43), (&RISING, 0x46dd_794e),
        (&READ_COMMAND, 0xd996_3a56),
    ]),
    (model(64, 0x42f0_e1eb_a9ea_3693, 0, false, 0), &[(b"123456789", 0x6c40_df5f_0b49_7347)]),
    (model(64, 0xad93_d235_94c9_3659, u64::MAX, true, u64::MAX), &[(b"123456789", 0xae8b_1486_0a79_9888)]),
];

#[test]
fn published_values() {
    for (model, values) in &PUBLISHED {
        let modulus = Modulus::new(model.width, model.poly);
        for &(data, value) in *values {
            let by_definition = |state| step_by_step(model.width, model.poly, model.reflected, state, data);
            assert_eq!(model.crc(by_definition), value, "{} bits, by the definition", model.width);
            for variant in forms(model).flat_map(variants) {
                let program = families::program(variant);
                let crc = model.crc(|state| eval::fold(&program, modulus, state, data));
                assert_eq!(crc, value, "{variant}, {} bits, {data:x?}", model.width);
            }
        }
    }
}

/// Lengths around each block's: a message of a few registers, of fewer than a batch, of one, two and three batches, and
/// with registers left; of some words; of a chunk.
#[test]
fn every_block_by_the_definition() {
    let data: Vec<u8> = (0_u32..140_000).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    for form in CrcForm::ALL {
        let reflected = is_reflected(form);
        for variant in variants(form) {
            let program = families::program(variant);
            let (register, batch) = (variant.width().bytes(), 16 * variant.by());
            let mut lengths = vec![0, 1, 7, 8, 9, 15];
            for whole in
                [register, 2 * register, 8 * register, 9 * register, batch, 2 * batch, 3 * batch + 2 * register]
            {
                lengths.extend([whole - 1, whole, whole + 1, whole + 7, whole + 9]);
            }
            if form == CrcForm::Crc32c {
                lengths.extend(16..=72);
            }
            if let Skeleton::Fold(fold) = &program.skeleton
                && let Some(chunks) = &fold.chunks
            {
                let chunk = chunks.steps * (batch + chunks.chains * chunks.words * size_of::<u64>());
                lengths.extend([chunk - 1, chunk, chunk + 1, chunk + batch + 3, 2 * chunk + 9]);
            }
            for (i, len) in lengths.into_iter().enumerate() {
                // another polynomial each time
                let width = 1 + ((7 * i + 13 * variant.by()) % 64) as u8;
                let any = (width, 0x9b60_b7a3_5ad9_3c47 >> (64 - width));
                let (width, poly) = if form.is_crc32c() { (32, CRC32C) } else { any };
                // bits of other than the register's width are not there
                let state = 0x0123_4567_89ab_cdef_u64 << (64 - width);
                let state = if reflected { state.reverse_bits() } else { state };
                let found = eval::fold(&program, Modulus::new(width, poly), state, &data[..len]);
                let wanted = step_by_step(width, poly, reflected, state, &data[..len]);
                assert_eq!(found, wanted, "{variant}, {len} bytes, {width} bits, {poly:#x}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "aes128_ctr_by4_xmm is no CRC")]
fn counter_mode_is_refused() {
    let program = families::program("aes128_ctr_by4_xmm".parse().unwrap());
    eval::fold(&program, Modulus::new(8, 7), 0, &[]);
}
