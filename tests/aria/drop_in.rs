//! In the place of crate `aria`: the same source against either, with equal results and errors. Counter mode is in
//! `ctr_drop_in`.

use byways::verify::noise;

use crate::subject::SIZES;

/// What a user does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Block,
    BlockB2b,
    BlockInout,
    Blocks(usize),
    BlocksB2b(usize),
    BlocksInout(usize),
    /// From a buffer to one of another length.
    Unequal(usize),
    /// Go on with a clone.
    Clone,
}

/// The test source, as a user would write it.
macro_rules! user {
    ($module:ident: $($import:item)*) => {
        mod $module {
            $($import)*
            use std::fmt::{Debug, Display, Formatter, Result as Printed};
            use std::marker::PhantomData;

            use cipher::array::Array;
            use cipher::consts::U16;
            use cipher::zeroize::ZeroizeOnDrop;
            use cipher::{
                AlgorithmName, Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf, KeyInit,
            };

            use super::Step;

            /// The output of each step, or why there is none. Those marked decrypt.
            pub(super) fn outcomes(key: &[u8], script: &[(bool, Step)]) -> Vec<Result<Vec<u8>, String>> {
                match key.len() {
                    16 => run(&Aria128::new_from_slice(key).expect("16 bytes"), script),
                    24 => run(&Aria192::new_from_slice(key).expect("24 bytes"), script),
                    32 => run(&Aria256::new_from_slice(key).expect("32 bytes"), script),
                    len => panic!("no ARIA key has {len} bytes"),
                }
            }

            fn run<C>(cipher: &C, script: &[(bool, Step)]) -> Vec<Result<Vec<u8>, String>>
            where
                C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + Clone,
            {
                let mut cipher = cipher.clone();
                let mut outcomes = Vec::new();
                for (i, &(decrypt, step)) in script.iter().enumerate() {
                    let message = |blocks: usize| -> Vec<Block<C>> {
                        (0..blocks).map(|j| Array::from_fn(|k| (j * 37 + k * 11 + i) as u8)).collect()
                    };
                    let (mut one, mut out) = (message(1)[0], Block::<C>::default());
                    let from = message(match step {
                        Step::Blocks(n) | Step::BlocksB2b(n) | Step::BlocksInout(n) | Step::Unequal(n) => n,
                        _ => 0,
                    });
                    let (mut data, mut to) = (from.clone(), vec![Block::<C>::default(); from.len()]);
                    let mut result = Ok(());
                    match (step, decrypt) {
                        (Step::Block, false) => cipher.encrypt_block(&mut one),
                        (Step::Block, true) => cipher.decrypt_block(&mut one),
                        (Step::BlockB2b, false) => cipher.encrypt_block_b2b(&one, &mut out),
                        (Step::BlockB2b, true) => cipher.decrypt_block_b2b(&one, &mut out),
                        (Step::BlockInout, false) => cipher.encrypt_block_inout(InOut::from((&one, &mut out))),
                        (Step::BlockInout, true) => cipher.decrypt_block_inout(InOut::from((&one, &mut out))),
                        (Step::Blocks(_), false) => cipher.encrypt_blocks(&mut data),
                        (Step::Blocks(_), true) => cipher.decrypt_blocks(&mut data),
                        (Step::BlocksB2b(_), false) => result = cipher.encrypt_blocks_b2b(&from, &mut to),
                        (Step::BlocksB2b(_), true) => result = cipher.decrypt_blocks_b2b(&from, &mut to),
                        (Step::BlocksInout(_), _) => {
                            let both = InOutBuf::new(&from, &mut to).expect("equal lengths");
                            if decrypt { cipher.decrypt_blocks_inout(both) } else { cipher.encrypt_blocks_inout(both) }
                        }
                        (Step::Unequal(_), false) => result = cipher.encrypt_blocks_b2b(&from, &mut [to.as_slice(), &[out]].concat()),
                        (Step::Unequal(_), true) => result = cipher.decrypt_blocks_b2b(&from, &mut [to.as_slice(), &[out]].concat()),
                        (Step::Clone, _) => cipher = cipher.clone(),
                    }
                    let all = [vec![one, out], data, to].concat().concat();
                    outcomes.push(result.map(|()| all).map_err(|error| error.to_string()));
                }
                outcomes
            }

            /// Names, sizes, and what keys are refused.
            pub(super) fn facts() -> [[String; 3]; 3] {
                fn of<C>() -> [String; 3]
                where
                    C: KeyInit + BlockSizeUser + AlgorithmName + Debug + ZeroizeOnDrop + Send + Sync + 'static,
                {
                    struct Name<C>(PhantomData<C>);
                    impl<C: AlgorithmName> Display for Name<C> {
                        fn fmt(&self, f: &mut Formatter<'_>) -> Printed {
                            C::write_alg_name(f)
                        }
                    }
                    let lengths = (0..=40).map(|len| C::new_from_slice(&[9; 40][..len]).map(|_| len));
                    [
                        Name::<C>(PhantomData).to_string(),
                        format!("{} {}", C::key_size(), C::block_size()),
                        format!("{:?}", lengths.collect::<Vec<_>>()),
                    ]
                }
                [of::<Aria128>(), of::<Aria192>(), of::<Aria256>()]
            }
        }
    };
}

user! { theirs:
    use aria::cipher;
    use aria::{Aria128, Aria192, Aria256};
}

user! { ours:
    use byways::cipher;
    use byways::{Aria128, Aria192, Aria256};
}

/// Steps at random.
fn script(seed: u64) -> Vec<(bool, Step)> {
    let mut noise = noise(seed).skip(64);
    let mut number = || noise.next().expect("endless");
    let mut steps = Vec::new();
    for _ in 0..200 {
        let blocks = usize::from(number() % [4, 20, 80, 255][usize::from(number() % 4)]);
        let step = match number() % 8 {
            0 => Step::Block,
            1 => Step::BlockB2b,
            2 => Step::BlockInout,
            3 => Step::Blocks(blocks),
            4 => Step::BlocksB2b(blocks),
            5 => Step::BlocksInout(blocks),
            6 => Step::Unequal(blocks),
            _ => Step::Clone,
        };
        steps.push((number() % 2 == 0, step));
    }
    steps
}

#[test]
fn the_same_as_crate_aria() {
    for size in SIZES {
        for seed in 1..=8 {
            let key: Vec<u8> = noise(seed << 8 | size as u64).take(size).collect();
            let script = script(seed << 16 | size as u64);
            let (wanted, found) = (theirs::outcomes(&key, &script), ours::outcomes(&key, &script));
            assert_eq!(found.len(), script.len());
            let wrong = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
            assert_eq!(wrong, None, "{size} bytes, script {seed}: {script:?}");
            assert!(wanted.iter().any(Result::is_err), "some step fails");
        }
    }
}

#[test]
fn names_sizes_and_refused_keys_are_the_same() {
    let facts = ours::facts();
    assert_eq!(facts, theirs::facts());
    assert_eq!(facts[1][..2], ["Aria192", "24 16"]);
}
