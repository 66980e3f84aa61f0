//! ARIA's programs as the interpreter runs them, for every mode, N and width: against published values, and against the
//! definition byte by byte.

use std::sync::LazyLock;

use byways_codegen::gf2::aria::{CLASSES, class, diffuse, substitute};
use byways_codegen::spec::{Algorithm, AriaForm, AriaMode, BLOCK, Variant, Width};
use byways_codegen::{eval, families};

type Block = [u8; BLOCK];

fn variants(mode: AriaMode) -> impl Iterator<Item = Variant> {
    let of_mode = move |algorithm: &Algorithm| matches!(algorithm, Algorithm::Aria(of, ..) if *of == mode);
    Algorithm::all().filter(of_mode).flat_map(|algorithm| {
        Width::ALL.into_iter().flat_map(move |width| {
            algorithm.unrolls(width).map(move |by| Variant::new(algorithm, by, width).expect("an allowed N"))
        })
    })
}

fn xor(a: Block, b: Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// The substitution layer, by the S-boxes as tables.
fn substitute_all(block: Block, odd: bool) -> Block {
    static SBOXES: LazyLock<[[u8; 256]; CLASSES]> =
        LazyLock::new(|| std::array::from_fn(|class| std::array::from_fn(|byte| substitute(class, byte as u8))));
    std::array::from_fn(|i| SBOXES[class(i, odd)][usize::from(block[i])])
}

/// RFC 5794, section 2.3.1, with the round keys of either direction.
fn step_by_step(keys: &[Block], block: Block) -> Block {
    let last = keys.len() - 1;
    let state = (1..last)
        .fold(xor(block, keys[0]), |state, round| xor(diffuse(substitute_all(state, round % 2 == 1)), keys[round]));
    xor(substitute_all(state, false), keys[last])
}

/// Bytes that look random.
fn noise(seed: u64) -> impl Iterator<Item = u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    })
}

/// Round keys of every key size, in both directions.
fn round_keys(seed: u64) -> impl Iterator<Item = Vec<Block>> {
    [16, 24, 32].into_iter().flat_map(move |bytes| {
        let key: Vec<u8> = noise(seed + bytes as u64).take(bytes).collect();
        let keys = eval::aria_round_keys(&key).expect("a key of that length");
        assert_eq!(keys.len(), bytes / 4 + 9);
        [eval::aria_decryption_keys(&keys), keys]
    })
}

/// RFC 5794, appendix A: keys 00 01 02 .. and one plaintext.
const PLAIN: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;
const PUBLISHED: [(u8, u128); 3] = [
    (16, 0xd718_fbd6_ab64_4c73_9da9_5f3b_e645_1778),
    (24, 0x2644_9c18_05db_e7aa_25a4_68ce_263a_9e79),
    (32, 0xf92b_d7c7_9fb7_2e2f_2b8f_80c1_972d_24fc),
];

fn published_keys(bytes: u8) -> Vec<Block> {
    eval::aria_round_keys(&(0..bytes).collect::<Vec<u8>>()).expect("a key of that length")
}

#[test]
fn published_blocks() {
    for (bytes, cipher) in PUBLISHED {
        let (plain, cipher) = (PLAIN.to_be_bytes(), cipher.to_be_bytes());
        let keys = published_keys(bytes);
        let back = eval::aria_decryption_keys(&keys);
        assert_eq!(step_by_step(&keys, plain), cipher);
        assert_eq!(step_by_step(&back, cipher), plain);
        for variant in variants(AriaMode::Ecb) {
            let program = families::program(variant);
            let blocks = variant.by() + 1;
            let mut data = plain.repeat(blocks);
            eval::blocks(&program, &keys, &mut data);
            assert_eq!(data, cipher.repeat(blocks), "{variant}");
            eval::blocks(&program, &back, &mut data);
            assert_eq!(data, plain.repeat(blocks), "{variant}");
        }
        // the plaintext is the counter block
        for variant in variants(AriaMode::Ctr) {
            let mut data = [0; BLOCK];
            eval::block_counter(&families::program(variant), &keys, PLAIN, &mut data);
            assert_eq!(data, cipher, "{variant}");
        }
    }
}

/// RFC 5794, appendix A.1: the first two round keys of the 128-bit key. Keys of other lengths have none.
#[test]
fn published_round_keys() {
    let keys = published_keys(16).into_iter().map(u128::from_be_bytes).collect::<Vec<u128>>();
    assert_eq!(keys[0], 0xd415_a75c_794b_85c5_e0d2_a0b3_cb79_3bf6);
    assert_eq!(keys[1], 0x369c_65e4_b117_77ab_713a_3e1e_6601_b8f4);
    assert!([0, 15, 17, 20, 23, 25, 31, 33, 64].iter().all(|&bytes| eval::aria_round_keys(&vec![7; bytes]).is_none()));
}

#[test]
fn blocks_are_those_of_the_definition() {
    for variant in variants(AriaMode::Ecb) {
        let program = families::program(variant);
        // batches and what is left, and in turn what less than a batch can be
        let numbers = [0, 1, variant.by() / 2 + 1, variant.by() - 1, variant.by(), 2 * variant.by() + 1];
        for (i, keys) in round_keys(variant.by() as u64).enumerate() {
            let data: Vec<u8> = noise(i as u64 + 77).take(numbers[i] * BLOCK).collect();
            let expected: Vec<Block> = data.as_chunks().0.iter().map(|&block| step_by_step(&keys, block)).collect();
            let mut found = data;
            eval::blocks(&program, &keys, &mut found);
            assert_eq!(found, expected.as_flattened(), "{variant}, {} round keys", keys.len());
        }
    }
}

/// Counters that wrap in the lowest byte, the lowest two, four and eight, anywhere in two batches and more.
#[test]
fn counters_are_those_of_the_definition() {
    for variant in variants(AriaMode::Ctr) {
        let program = families::program(variant);
        let blocks = 2 * variant.by() + 3;
        for (i, keys) in round_keys(3).enumerate() {
            for bits in [8, 16, 32, 64] {
                let before = (i * 37 + bits) % blocks;
                let high = 0x89ab_cdef_0123_4567_u64;
                let low = (0x0246_8ace_1357_9bdf | u64::MAX >> (64 - bits)).wrapping_sub(before as u64);
                let len = blocks * BLOCK - i;
                let mut found: Vec<u8> = noise(5).take(len).collect();
                let mut expected = found.clone();
                for (number, block) in expected.chunks_mut(BLOCK).enumerate() {
                    let low = low.wrapping_add(number as u64);
                    let stream = step_by_step(&keys, (u128::from(high) << 64 | u128::from(low)).to_be_bytes());
                    block.iter_mut().zip(stream).for_each(|(byte, stream)| *byte ^= stream);
                }
                eval::block_counter(&program, &keys, u128::from(high) << 64 | u128::from(low), &mut found);
                assert_eq!(found, expected, "{variant}, {} round keys, {bits} bits", keys.len());
            }
        }
    }
}

/// With GFNI, a round alone has around it what [`folded`](byways_codegen::gf2::aria::folded) has of the first, the last but
/// one and the last key: what the S-boxes that are not there would add.
#[test]
fn rounds_alone_are_those_of_the_definition() {
    const ADDED: Block =
        [0x63, 0xe2, 0x63, 0xe2, 0x63, 0xe2, 0x63, 0xe2, 0x63, 0xe2, 0x63, 0xe2, 0x63, 0xe2, 0x63, 0xe2];
    for keys in round_keys(9) {
        let [first, .., last_but_one, last] = keys[..] else { panic!("three round keys and more") };
        let around = |block, odd, form| {
            let left = if form == AriaForm::AesSub { [0; BLOCK] } else { ADDED };
            let added = |block| if odd { block } else { xor(block, left) };
            let round = diffuse(added(substitute_all(added(xor(block, first)), odd)));
            [last_but_one, last, left].into_iter().fold(round, xor)
        };
        for (mode, odd) in [(AriaMode::Odd, true), (AriaMode::Even, false)] {
            for variant in variants(mode) {
                let Algorithm::Aria(_, form) = variant.algorithm() else { panic!("{variant} is no ARIA") };
                let data: Vec<u8> = noise(2).take((variant.by() + 1) * BLOCK).collect();
                let expected = data.as_chunks().0.iter().map(|&block| around(block, odd, form));
                let expected: Vec<Block> = expected.collect();
                let mut found = data;
                eval::blocks(&families::program(variant), &keys, &mut found);
                assert_eq!(found, expected.as_flattened(), "{variant}");
            }
        }
    }
}
