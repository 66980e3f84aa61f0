//! ARIA's key schedules and round keys: what kernels make of them, against the definition with the interpreter's round keys,
//! and what is left of them.
#![allow(unsafe_code)]
#![cfg(target_arch = "x86_64")]

use byways_codegen::eval::{aria_decryption_keys, aria_round_keys};
use byways_codegen::gf2::aria::{diffuse, substitute_all};
use byways_kernels::aria::KERNELS;
use byways_kernels::cpu::{AriaRounds, Detected};
use byways_kernels::keys::KeyError;
use byways_kernels::keys::aria::{AesDwords, Dwords, Grid, Keys, Layout, Packed, Schedule};

/// What a key schedule can be made with: with GFNI and without.
fn rounds() -> Vec<AriaRounds> {
    let cpu = Detected::get();
    let without = cpu.only(cpu.features().without(byways_kernels::cpu::Features::named("gfni")));
    let found: Vec<AriaRounds> = [cpu.aria_rounds(), without.aria_rounds()].into_iter().flatten().collect();
    if found.is_empty() {
        println!("not run on this CPU, which has neither GFNI nor AES-NI: ARIA's key schedules");
    }
    found
}

fn key(bytes: usize, seed: u64) -> Vec<u8> {
    (0..bytes as u64).map(|i| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * i as u32) ^ i) as u8).collect()
}

type Block = [u8; 16];

fn xor(a: Block, b: Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// RFC 5794, section 2.3.1.
fn step_by_step(keys: &[Block], block: Block) -> Block {
    let last = keys.len() - 1;
    let state = (1..last)
        .fold(xor(block, keys[0]), |state, round| xor(diffuse(substitute_all(state, round % 2 == 1)), keys[round]));
    xor(substitute_all(state, false), keys[last])
}

/// What the kernels for blocks by themselves make of a block with round keys of each layout, in both directions.
fn blocks(schedule: &Schedule, block: Block) -> Vec<(&'static str, [Block; 2])> {
    let cpu = Detected::get();
    let mut made = Vec::new();
    macro_rules! of_layout {
        ($($narrow:ident)*) => {
            $(for kernel in KERNELS.iter().filter(|kernel| kernel.name().starts_with("aria_ecb_")) {
                let Some(Ok(run)) = kernel.$narrow().map(|kernel| kernel.prove(cpu)) else { continue };
                let both = [Keys::encryption(schedule), Keys::decryption(schedule)].map(|keys| {
                    let mut block = block;
                    run.run(&keys, block.as_mut_slice().into());
                    block
                });
                made.push((kernel.name(), both));
            })*
        };
    }
    of_layout! { packed dwords aes_dwords grid }
    made
}

#[test]
fn round_keys_are_those_of_the_interpreter() {
    let cpu = Detected::get();
    let runs = KERNELS.iter().filter(|kernel| kernel.name().starts_with("aria_ecb_") && kernel.prove(cpu).is_ok());
    let runs = runs.count();
    for rounds in rounds() {
        for (bytes, seed) in [16, 24, 32].into_iter().flat_map(|bytes| (0..20).map(move |seed| (bytes, seed))) {
            let key = key(bytes, seed);
            let block = *self::key(16, seed + 99).first_chunk().unwrap();
            let keys = aria_round_keys(&key).unwrap();
            let expected = [step_by_step(&keys, block), step_by_step(&aria_decryption_keys(&keys), block)];
            let made = blocks(&Schedule::new(&key, rounds).unwrap(), block);
            assert_eq!(made.len(), runs);
            for (name, found) in made {
                assert_eq!(found, expected, "{name}, {bytes} bytes, {rounds:?}");
            }
        }
    }
}

#[test]
fn keys_of_other_lengths_are_refused() {
    for rounds in rounds() {
        for len in (0..70).filter(|len| ![16, 24, 32].contains(len)) {
            let found = Schedule::new(&key(len, 1), rounds).map(|_| ());
            assert_eq!(found, Err(KeyError { bits: 8 * len }), "{len}");
        }
        assert!(Schedule::new(&[], rounds).unwrap_err().to_string().contains("`0` bits"));
    }
}

#[test]
fn nothing_prints_a_key() {
    let Some(&rounds) = rounds().first() else { return };
    let schedule = Schedule::new(&[0xab; 24], rounds).unwrap();
    assert_eq!(format!("{schedule:?}"), "Schedule { rounds: Fourteen, .. }");
    assert_eq!(format!("{:?}", Keys::<Grid>::encryption(&schedule)), "Keys { rounds: Fourteen, .. }");
}

/// The bytes that are there after a value was dropped in place.
fn after_drop<T>(value: T) -> Vec<u8> {
    let mut slot = std::mem::MaybeUninit::<T>::zeroed();
    slot.write(value);
    // SAFETY: just written, and not used as a value any more.
    unsafe { slot.assume_init_drop() };
    // SAFETY: the bytes of `slot`, which is still there; zeros were in it before, and no type here has padding but at its end.
    unsafe { std::slice::from_raw_parts(slot.as_ptr().cast::<u8>(), size_of::<T>()) }.to_vec()
}

/// What is dropped in place is zeros afterwards, but for the number of rounds.
#[test]
fn keys_are_wiped_on_drop() {
    fn of_layout<L: Layout>(schedule: &Schedule) {
        for keys in [Keys::<L>::encryption(schedule), Keys::decryption(schedule)] {
            // behind all keys the first two for pairs of registers, and the last in the order of its bytes
            let secret = 17 * size_of::<L>() + 2 * size_of::<Packed>() + 16;
            let left = after_drop(keys);
            // the number of rounds, and what is unused
            assert_eq!(left.len(), secret + 1 + 47);
            assert!(left[..secret].iter().all(|&byte| byte == 0), "{}", size_of::<L>());
            assert!(left[secret + 1..].iter().all(|&byte| byte == 0), "{}", size_of::<L>());
        }
    }
    let Some(&rounds) = rounds().first() else { return };
    for bytes in [16, 24, 32] {
        let schedule = Schedule::new(&key(bytes, 3), rounds).unwrap();
        of_layout::<Packed>(&schedule);
        of_layout::<Dwords>(&schedule);
        of_layout::<AesDwords>(&schedule);
        of_layout::<Grid>(&schedule);
        // the number of rounds, and with what they are made
        let left = after_drop(schedule);
        assert_eq!(left.len(), 2 * 17 * 16 + 2);
        assert!(left.iter().filter(|&&byte| byte != 0).count() <= 2, "{bytes}");
    }
}
