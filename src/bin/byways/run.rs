//! Running kernels, to verify and to measure them: the one place here that knows each family's signature.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hint::black_box;

use byways::Registered;
use byways::byways_kernels::crc::{Constants, Fold};
use byways::byways_kernels::crc_fold::LANES;
use byways::byways_kernels::ctr::Ctr;
use byways::byways_kernels::keys::aria::Aria;
use byways::cipher::array::Array;
use byways::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, InnerIvInit, StreamCipher, consts};
use byways::cpu::{Detected, Kernel};
use byways::crc::{Crc, Width};
use byways::ctr::{Ctr128BE, Keystream};
use byways::keys::AesKeys;
use byways::measure::{Contestant, Cycles};
use byways::verify::{self, aria, crc, ctr, noise};
use byways_codegen::spec::{Algorithm, Variant};
use byways_codegen::{families, runs};

use crate::Failure;
use crate::catalogue::Entry;
use crate::family::{Family, Task};
use crate::work::{Detail, Rival, Work};

/// Whether kernels can be verified and measured at all: on this architecture they can.
pub(crate) fn possible() -> Result<(), Failure> {
    Ok(())
}

/// What these variants, all of the family, are verified against.
pub(crate) fn oracle(family: Family, variants: &[Variant]) -> String {
    let peers = family.facts().peers;
    let (longest, rest, unit) = match family {
        Family::Ctr => (ctr::LONGEST, ctr::REST, format!("{} runs", runs::LEAST)),
        Family::Crc => (crc::LONGEST, crc::REST, "a chunk".to_owned()),
        Family::Aria => {
            return format!(
                "{peers}, at every number of blocks from 0 to {}, in counter mode at every length from 0 to {} bytes",
                aria::MOST_BLOCKS,
                aria::LONGEST
            );
        }
    };
    let mut oracle = format!("{peers}, at every length from 0 to {longest} bytes");
    let bytes: BTreeSet<usize> =
        variants.iter().filter_map(|&variant| verify::unit(&families::program(variant))).collect();
    if !bytes.is_empty() {
        let bytes: Vec<String> = bytes.iter().map(usize::to_string).collect();
        let bytes = bytes.join(" or ");
        oracle += &format!(", and at u − 1, u, u + 1 and 2u + {rest} bytes, where u = {bytes} is {unit}");
    }
    oracle
}

/// Verifies the variant's program, interpreted; the error is what it computed wrong.
pub(crate) fn interpreted(variant: Variant) -> Result<(), String> {
    match variant.algorithm() {
        Algorithm::AesCtr(key, _) => {
            let way = ctr::Way::interpreted(variant);
            ctr::every_length(&way, key.bits() / 8, || ()).map_err(|fault| fault.to_string())
        }
        Algorithm::Crc(form) => every_crc(&crc::Way::interpreted(variant), variant, form.is_lsb()),
        Algorithm::Aria(..) => every_aria(&aria::Way::interpreted(variant)),
    }
}

/// Verifies a kernel that runs here; the error is what it computed wrong.
pub(crate) fn native(entry: &Entry) -> Result<(), String> {
    match entry.kernel {
        Registered::Ctr(kernel) => {
            let way = ctr::Way::native(kernel).expect("a kernel that runs here");
            ctr::every_length(&way, kernel.function().key_len(), || ()).map_err(|fault| fault.to_string())
        }
        Registered::Crc(kernel) => {
            let way = crc::Way::native(kernel).expect("a kernel that runs here");
            every_crc(&way, entry.variant, kernel.function().is_lsb())
        }
        Registered::Aria(kernel) => every_aria(&aria::Way::native(kernel).expect("a kernel that runs here")),
        _ => unknown(entry),
    }
}

/// The CRCs that the variant is for; `lsb` says whether it takes the lowest bit of a byte first.
fn every_crc(way: &crc::Way, variant: Variant, lsb: bool) -> Result<(), String> {
    crc::every_length(way, lsb, &crc::generators_for(variant), || ()).map_err(|fault| fault.to_string())
}

fn every_aria(way: &aria::Way) -> Result<(), String> {
    aria::every_length(way, || ()).map_err(|fault| fault.to_string())
}

/// The registry's enum is open, so that the compiler does not see what is missing here.
fn unknown(entry: &Entry) -> ! {
    unreachable!("a family without a command line: {}", entry.kernel.name())
}

/// Measures rivals side by side, in cycles a message; `progress` is called after each round.
pub(crate) fn race(rivals: &[Rival<'_>], work: Work, rounds: usize, progress: impl FnMut()) -> Vec<Cycles> {
    let messages = RefCell::new(Messages::new(work));
    let contestants = rivals.iter().map(|rival| match rival {
        Rival::Kernel(entry) => Contestant { name: entry.kernel.name().to_owned(), run: kernel(entry, &messages) },
        Rival::Library(subject) => Contestant { name: subject.title.clone(), run: subject.works(&messages) },
    });
    byways::measure::race(&mut contestants.collect::<Vec<_>>(), rounds, progress)
}

/// What does so many messages.
pub(crate) type Works<'a> = Box<dyn FnMut(usize) + 'a>;

fn kernel<'a>(entry: &Entry, messages: &'a Shared) -> Works<'a> {
    match entry.kernel {
        Registered::Ctr(kernel) => Box::new(keystream(kernel, messages)),
        Registered::Crc(kernel) => Box::new(fold(kernel, entry.task(), messages)),
        Registered::Aria(kernel) => Box::new(rounds(kernel, messages)),
        _ => unknown(entry),
    }
}

/// From one IV to the next: odd, and in all bytes.
const STEP: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// In place, a fresh IV a message, the round keys made before.
fn keystream<'a>(kernel: &Kernel<Ctr>, messages: &'a Shared) -> impl FnMut(usize) + 'a {
    let cpu = Detected::get();
    let run = kernel.prove(cpu).expect("a kernel that runs here");
    let key: Vec<u8> = noise(1).take(kernel.function().key_len()).collect();
    let keys = AesKeys::new(&key, cpu.aes().expect("who can run a kernel has AES-NI")).expect("an AES key");
    let mut iv = 0_u128;
    move |times| {
        let mut messages = messages.borrow_mut();
        for i in 0..times {
            iv = iv.wrapping_add(STEP);
            run.run(&keys, iv, messages.turn(i).into()).expect("a key of the kernel's length");
        }
    }
}

/// The same through the library's types: a cipher a message.
pub(crate) fn ciphers<'a, C: Keystream>(aes: &'a C, messages: &'a Shared) -> impl FnMut(usize) + 'a {
    let mut iv = 0_u128;
    move |times| {
        let mut messages = messages.borrow_mut();
        for i in 0..times {
            iv = iv.wrapping_add(STEP);
            Ctr128BE::inner_iv_init(aes, &iv.to_be_bytes().into()).apply_keystream(messages.turn(i));
        }
    }
}

/// Each message in its pieces, the register handed on; the constants made before.
fn fold<'a>(kernel: &Kernel<Fold<LANES>>, task: Task, messages: &'a Shared) -> impl FnMut(usize) + 'a {
    let run = kernel.prove(Detected::get()).expect("a kernel that runs here");
    let Work { update, detail, .. } = messages.borrow().work;
    let asked = if let Detail::Crc(crc) = detail { Some(crc) } else { task.crc() };
    let crc = asked.expect("a task of CRCs").wide();
    let constants = Constants::new(crc.width, crc.poly);
    move |times| {
        let mut messages = messages.borrow_mut();
        for i in 0..times {
            let pieces = messages.turn(i).chunks(update);
            black_box(pieces.fold(0, |register, piece| run.run(&constants, register, piece)));
        }
    }
}

/// The same through the library's types: a digest a message.
pub(crate) fn digests<'a, W: Width>(crc: &'a Crc<W>, messages: &'a Shared) -> impl FnMut(usize) + 'a {
    let update = messages.borrow().work.update;
    move |times| {
        let mut messages = messages.borrow_mut();
        for i in 0..times {
            let mut digest = crc.digest();
            messages.turn(i).chunks(update).for_each(|piece| digest.update(piece));
            black_box(digest.finalize());
        }
    }
}

/// In place, the round keys made before, in counter mode a fresh IV a message.
fn rounds<'a>(kernel: &Kernel<Aria>, messages: &'a Shared) -> impl FnMut(usize) + 'a {
    let (key_len, direction) = aria_detail(messages);
    let key: Vec<u8> = noise(1).take(key_len).collect();
    let run = aria::keyed(kernel, &key, direction).expect("a kernel that runs here");
    let mut iv = 0_u128;
    move |times| {
        let mut messages = messages.borrow_mut();
        for i in 0..times {
            iv = iv.wrapping_add(STEP);
            run(iv, messages.turn(i).into());
        }
    }
}

/// The same through the library's types, blocks by themselves: a call a message.
pub(crate) fn blocks<'a, C>(cipher: &'a C, messages: &'a Shared) -> impl FnMut(usize) + 'a
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = consts::U16>,
{
    let (_, direction) = aria_detail(messages);
    move |times| {
        let mut messages = messages.borrow_mut();
        for i in 0..times {
            let (blocks, _) = Array::slice_as_chunks_mut(messages.turn(i));
            match direction {
                aria::Direction::Encrypt => cipher.encrypt_blocks(blocks),
                aria::Direction::Decrypt => cipher.decrypt_blocks(blocks),
            }
        }
    }
}

/// Bytes in the key, and the direction: if nobody asks for others, 16 bytes and to encrypt.
fn aria_detail(messages: &Shared) -> (usize, aria::Direction) {
    match messages.borrow().work.detail {
        Detail::Aria { key_len, decrypt: true } => (key_len, aria::Direction::Decrypt),
        Detail::Aria { key_len, decrypt: false } => (key_len, aria::Direction::Encrypt),
        Detail::Any | Detail::Crc(_) => (aria::KEY_LENS[0], aria::Direction::Encrypt),
    }
}

/// Messages that contestants share, so that none has the better place.
pub(crate) type Shared = RefCell<Messages>;

/// Messages, each at a 64-byte boundary.
pub(crate) struct Messages {
    bytes: Vec<u8>,
    start: usize,
    stride: usize,
    work: Work,
}

impl Messages {
    const COUNT: usize = 8;
    const LINE: usize = 64;

    fn new(work: Work) -> Self {
        let stride = work.size.next_multiple_of(Self::LINE);
        let bytes = vec![0; Self::COUNT * stride + Self::LINE];
        let start = bytes.as_ptr().align_offset(Self::LINE);
        Messages { bytes, start, stride, work }
    }

    fn turn(&mut self, i: usize) -> &mut [u8] {
        let at = self.start + i % Self::COUNT * self.stride;
        &mut self.bytes[at..at + self.work.size]
    }
}
