//! Blocks in both directions: any number of them, at any place, by every way that leads to a kernel.

use byways::Width;
use byways::cipher::array::Array;
use byways::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit, consts};
use byways::inout::{InOutBuf, NotEqualError};
use byways::verify::noise;

use crate::cases_of_all_modes::Direction;
use crate::family::theirs;
use crate::play::Buffer;
use crate::subject::{Key, SIZES, keys};

pub(crate) const DIRECTIONS: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];

pub(crate) type Block = Array<u8, consts::U16>;

/// How blocks are handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// A slice of blocks.
    Slice,
    /// The same through a reference as the cipher, and so by the backend that mode crates use.
    Backend,
    /// One after the other.
    Alone,
}

pub(crate) const WAYS: [Way; 3] = [Way::Slice, Way::Backend, Way::Alone];

/// From one buffer to another.
type B2b<C> = fn(&C, &[Block], &mut [Block]) -> Result<(), NotEqualError>;

/// What there is of one direction, in place and from one buffer to another.
struct Calls<'a, C> {
    slice: fn(&C, &mut [Block]),
    slice_b2b: B2b<C>,
    backend: fn(&&'a C, &mut [Block]),
    backend_b2b: B2b<&'a C>,
    alone: fn(&C, &mut Block),
    alone_b2b: fn(&C, &Block, &mut Block),
}

impl<'a, C> Calls<'a, C>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = consts::U16>,
{
    fn of(direction: Direction) -> Self {
        match direction {
            Direction::Encrypt => Calls {
                slice: C::encrypt_blocks,
                slice_b2b: C::encrypt_blocks_b2b,
                backend: <&C>::encrypt_blocks,
                backend_b2b: <&C>::encrypt_blocks_b2b,
                alone: C::encrypt_block,
                alone_b2b: C::encrypt_block_b2b,
            },
            Direction::Decrypt => Calls {
                slice: C::decrypt_blocks,
                slice_b2b: C::decrypt_blocks_b2b,
                backend: <&C>::decrypt_blocks,
                backend_b2b: <&C>::decrypt_blocks_b2b,
                alone: C::decrypt_block,
                alone_b2b: C::decrypt_block_b2b,
            },
        }
    }

    fn in_place(&self, cipher: &'a C, way: Way, blocks: &mut [Block]) {
        match way {
            Way::Slice => (self.slice)(cipher, blocks),
            Way::Backend => (self.backend)(&cipher, blocks),
            Way::Alone => blocks.iter_mut().for_each(|block| (self.alone)(cipher, block)),
        }
    }

    fn b2b(&self, cipher: &'a C, way: Way, from: &[Block], to: &mut [Block]) -> Result<(), NotEqualError> {
        match way {
            Way::Slice => (self.slice_b2b)(cipher, from, to),
            Way::Backend => (self.backend_b2b)(&cipher, from, to),
            Way::Alone => {
                from.iter().zip(to).for_each(|(from, to)| (self.alone_b2b)(cipher, from, to));
                Ok(())
            }
        }
    }
}

fn in_place(key: &Key, direction: Direction, way: Way, blocks: &mut [Block]) {
    match key {
        Key::Bits128(key) => Calls::of(direction).in_place(key, way, blocks),
        Key::Bits192(key) => Calls::of(direction).in_place(key, way, blocks),
        Key::Bits256(key) => Calls::of(direction).in_place(key, way, blocks),
    }
}

fn b2b(key: &Key, direction: Direction, way: Way, from: &[Block], to: &mut [Block]) -> Result<(), NotEqualError> {
    match key {
        Key::Bits128(key) => Calls::of(direction).b2b(key, way, from, to),
        Key::Bits192(key) => Calls::of(direction).b2b(key, way, from, to),
        Key::Bits256(key) => Calls::of(direction).b2b(key, way, from, to),
    }
}

fn blocks_of(bytes: &mut [u8]) -> &mut [Block] {
    let (blocks, rest) = Array::slice_as_chunks_mut(bytes);
    assert!(rest.is_empty(), "no whole blocks");
    blocks
}

/// What becomes of the input, so far behind a 64-byte boundary, in place or at another offset. Nothing beside the output
/// changes.
#[track_caller]
pub(crate) fn check(key: &Key, direction: Direction, way: Way, places: (usize, Option<usize>), text: [&[u8]; 2]) {
    let [input, wanted] = text;
    let len = input.len();
    let mut source = Buffer::new(input, places.0);
    let found = match places.1 {
        None => {
            in_place(key, direction, way, blocks_of(source.inside(len)));
            source.take(len)
        }
        Some(offset) => {
            let mut target = Buffer::new(&vec![0x99; len], offset);
            let to = blocks_of(target.inside(len));
            b2b(key, direction, way, blocks_of(source.inside(len)), to).expect("equal lengths");
            assert!(source.take(len) == input, "the input changed");
            target.take(len)
        }
    };
    let wrong = found.chunks(16).zip(wanted.chunks(16)).position(|(found, wanted)| found != wanted);
    assert_eq!(wrong, None, "a wrong block of {}: {direction:?}, {}, {way:?}, {places:?}", len / 16, key.width());
}

/// Some blocks, and what crate `aria` makes of them.
fn oracle(key: &[u8], blocks: usize, direction: Direction) -> [Vec<u8>; 2] {
    fn run<C>(key: &[u8], blocks: &mut [Block], direction: Direction)
    where
        C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = consts::U16>,
    {
        let cipher = C::new_from_slice(key).expect("a key of this size");
        match direction {
            Direction::Encrypt => cipher.encrypt_blocks(blocks),
            Direction::Decrypt => cipher.decrypt_blocks(blocks),
        }
    }
    let input: Vec<u8> = noise(key.len() as u64 + direction as u64).take(16 * blocks).collect();
    let mut output = input.clone();
    match key.len() {
        16 => run::<theirs::Key128>(key, blocks_of(&mut output), direction),
        24 => run::<theirs::Key192>(key, blocks_of(&mut output), direction),
        32 => run::<theirs::Key256>(key, blocks_of(&mut output), direction),
        len => panic!("no ARIA key has {len} bytes"),
    }
    [input, output]
}

/// For every key and direction, and what crate `aria` makes of so many blocks.
fn each(blocks: usize, check: impl Fn(&Key, Direction, &[u8], &[u8])) {
    for (key, bytes, _) in keys() {
        for direction in DIRECTIONS {
            let [input, wanted] = oracle(&bytes, blocks, direction);
            check(&key, direction, &input, &wanted);
        }
    }
}

#[test]
fn none_to_200_blocks() {
    each(200, |key, direction, input, wanted| {
        for blocks in 0..=200 {
            let text = [&input[..16 * blocks], &wanted[..16 * blocks]];
            for (i, way) in WAYS.into_iter().enumerate() {
                let offset = (blocks * 5 + i) % 64;
                check(key, direction, way, (offset, None), text);
                check(key, direction, way, (offset, Some((blocks * 11 + 3 * i) % 64)), text);
            }
        }
    });
}

#[test]
fn many_blocks() {
    const MOST: usize = 5000;
    each(MOST, |key, direction, input, wanted| {
        for blocks in [255, 256, 257, 319, 320, 1000, 1023, 4096, 4099, MOST] {
            let text = [&input[..16 * blocks], &wanted[..16 * blocks]];
            for way in [Way::Slice, Way::Backend] {
                check(key, direction, way, (0, None), text);
                check(key, direction, way, (16, Some(48)), text);
            }
        }
    });
}

/// Each pair of offsets once, with numbers of blocks that go round.
#[test]
fn at_every_offset() {
    const BLOCKS: [usize; 11] = [1, 2, 3, 5, 8, 15, 16, 23, 40, 64, 92];
    each(92, |key, direction, input, wanted| {
        for from in 0..64 {
            for to in (0..64).map(Some).chain([None]) {
                let blocks = BLOCKS[(from * 3 + to.unwrap_or(64)) % BLOCKS.len()];
                // unoptimised, the crate that stands in is slow
                if key.width() == Width::Fallback && blocks > 5 {
                    continue;
                }
                let text = [&input[..16 * blocks], &wanted[..16 * blocks]];
                check(key, direction, Way::Slice, (from, to), text);
            }
        }
    });
}

/// A position among the blocks of a call makes no difference.
#[test]
fn equal_blocks_are_equal_everywhere() {
    for (key, bytes, what) in keys() {
        for direction in DIRECTIONS {
            let [input, wanted] = oracle(&bytes, 1, direction);
            for blocks in [2, 7, 16, 63, 64, 129] {
                let mut data = input.repeat(blocks);
                in_place(&key, direction, Way::Slice, blocks_of(&mut data));
                assert!(data == wanted.repeat(blocks), "{what}: {direction:?}, {blocks} blocks");
            }
        }
    }
}

/// What is in one buffer alone, in the middle of others that are not part of the call.
#[test]
fn parts_of_slices() {
    each(120, |key, direction, input, wanted| {
        for (start, end) in [(0, 1), (1, 17), (3, 67), (50, 119), (119, 120), (60, 60)] {
            let mut data = input.to_vec();
            let part = InOutBuf::from(&mut blocks_of(&mut data)[start..end]);
            match (key, direction) {
                (Key::Bits128(key), Direction::Encrypt) => key.encrypt_blocks_inout(part),
                (Key::Bits128(key), Direction::Decrypt) => key.decrypt_blocks_inout(part),
                (Key::Bits192(key), Direction::Encrypt) => key.encrypt_blocks_inout(part),
                (Key::Bits192(key), Direction::Decrypt) => key.decrypt_blocks_inout(part),
                (Key::Bits256(key), Direction::Encrypt) => key.encrypt_blocks_inout(part),
                (Key::Bits256(key), Direction::Decrypt) => key.decrypt_blocks_inout(part),
            }
            let expected = [&input[..16 * start], &wanted[16 * start..16 * end], &input[16 * end..]].concat();
            assert!(data == expected, "{direction:?}, {}: blocks {start} to {end}", key.width());
        }
    });
}

#[test]
fn buffers_of_unequal_lengths_are_refused() {
    for (key, _, what) in keys() {
        for direction in DIRECTIONS {
            for way in [Way::Slice, Way::Backend] {
                for (from, to) in [(0, 1), (1, 0), (5, 4), (63, 64), (200, 1)] {
                    let input = vec![Block::from([0x5a; 16]); from];
                    let mut output = vec![Block::from([0x3c; 16]); to];
                    let result = b2b(&key, direction, way, &input, &mut output);
                    assert!(matches!(result, Err(NotEqualError)), "{what}: {direction:?}, {way:?}, {from} to {to}");
                    assert!(output.iter().all(|block| *block == [0x3c; 16]), "{what}: output changed");
                }
            }
        }
    }
}

/// A clone works as what it is of, also when that is gone.
#[test]
fn clones() {
    for size in SIZES {
        for (key, bytes, what) in keys().filter(|(_, bytes, _)| bytes.len() == size) {
            let copy = match &key {
                Key::Bits128(key) => Key::Bits128(key.clone()),
                Key::Bits192(key) => Key::Bits192(key.clone()),
                Key::Bits256(key) => Key::Bits256(key.clone()),
            };
            assert_eq!(copy.width(), key.width(), "{what}");
            drop(key);
            for direction in DIRECTIONS {
                let [input, wanted] = oracle(&bytes, 70, direction);
                check(&copy, direction, Way::Slice, (0, None), [&input, &wanted]);
            }
        }
    }
}
