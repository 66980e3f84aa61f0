//! What is under test, chosen at run time: a key of any size on any tier, and streams under it.

use std::io::Write;
use std::sync::OnceLock;

use byways::Width;
use byways::cipher::{InnerIvInit, StreamCipher, StreamCipherSeek};
use byways::ctr::{Ctr32BE, Ctr64BE, Ctr128BE, Field, Keystream};

use crate::family::{Key128, Key192, Key256, NAME};

/// Bytes in a key.
pub(crate) const SIZES: [usize; 3] = [16, 24, 32];

/// The tiers that this machine runs. The others are listed on standard error, around the capture of test output.
pub(crate) fn tiers() -> &'static [Width] {
    static TIERS: OnceLock<Vec<Width>> = OnceLock::new();
    TIERS.get_or_init(|| {
        let runs = |width: &Width| Key128::with_max_width(&Default::default(), *width).width() == *width;
        let (tiers, missing): (Vec<_>, Vec<_>) = Width::ALL.into_iter().partition(runs);
        for width in missing {
            let line = format!("not run, since this CPU or a limit does not allow it: tier {width}\n");
            std::io::stderr().write_all(line.as_bytes()).expect("standard error is there");
        }
        tiers
    })
}

/// A key of `byways`.
pub(crate) enum Key {
    Bits128(Key128),
    Bits192(Key192),
    Bits256(Key256),
}

impl Key {
    /// On one of the [`tiers`].
    pub(crate) fn new(bytes: &[u8], width: Width) -> Self {
        let key = match bytes.len() {
            16 => Key::Bits128(Key128::with_max_width(bytes.try_into().expect("16 bytes"), width)),
            24 => Key::Bits192(Key192::with_max_width(bytes.try_into().expect("24 bytes"), width)),
            32 => Key::Bits256(Key256::with_max_width(bytes.try_into().expect("32 bytes"), width)),
            len => panic!("no key has {len} bytes"),
        };
        assert_eq!(key.width(), width, "{} bits", bytes.len() * 8);
        key
    }

    /// Its tier.
    pub(crate) fn width(&self) -> Width {
        match self {
            Key::Bits128(key) => key.width(),
            Key::Bits192(key) => key.width(),
            Key::Bits256(key) => key.width(),
        }
    }

    /// Up to so many bytes, the kernel of this name.
    pub(crate) fn plan(&self) -> Vec<(usize, &'static str)> {
        match self {
            Key::Bits128(key) => key.plan().collect(),
            Key::Bits192(key) => key.plan().collect(),
            Key::Bits256(key) => key.plan().collect(),
        }
    }

    /// A stream that borrows the key.
    pub(crate) fn lend(&self, field: Field, counter: u128) -> Box<dyn Stream + '_> {
        match self {
            Key::Bits128(key) => stream(key, field, counter),
            Key::Bits192(key) => stream(key, field, counter),
            Key::Bits256(key) => stream(key, field, counter),
        }
    }

    /// A stream that has a copy of the key.
    pub(crate) fn copy(&self, field: Field, counter: u128) -> Box<dyn Stream> {
        match self {
            Key::Bits128(key) => stream(key.clone(), field, counter),
            Key::Bits192(key) => stream(key.clone(), field, counter),
            Key::Bits256(key) => stream(key.clone(), field, counter),
        }
    }
}

fn stream<'a, C: Keystream + 'a>(key: C, field: Field, counter: u128) -> Box<dyn Stream + 'a> {
    let iv = counter.to_be_bytes().into();
    match field {
        Field::Bits32 => Box::new(Ctr32BE::inner_iv_init(key, &iv)),
        Field::Bits64 => Box::new(Ctr64BE::inner_iv_init(key, &iv)),
        Field::Bits128 => Box::new(Ctr128BE::inner_iv_init(key, &iv)),
    }
}

/// A stream cipher of any type.
pub(crate) trait Stream: StreamCipher {
    /// Where it is, if a number can say that.
    fn position(&self) -> Option<u128>;

    /// Goes there, if it is within the keystream.
    #[must_use]
    fn go_to(&mut self, position: u128) -> bool;
}

impl<C: StreamCipher + StreamCipherSeek> Stream for C {
    fn position(&self) -> Option<u128> {
        self.try_current_pos().ok()
    }

    fn go_to(&mut self, position: u128) -> bool {
        self.try_seek(position).is_ok()
    }
}

/// Keys of every size on every tier, with their bytes and a text that says which.
pub(crate) fn keys() -> impl Iterator<Item = (Key, Vec<u8>, String)> {
    let pairs = SIZES.into_iter().flat_map(|size| tiers().iter().map(move |width| (size, *width)));
    pairs.map(|(size, width)| {
        let bytes: Vec<u8> = byways::verify::noise(size as u64).take(size).collect();
        (Key::new(&bytes, width), bytes, format!("{NAME}-{}, {width}", size * 8))
    })
}
