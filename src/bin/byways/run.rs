//! Running kernels, to verify and to measure them: the one place here that knows each family's signature.

use std::cell::RefCell;

use byways::Registered;
use byways::cipher::{InnerIvInit, StreamCipher};
use byways::cpu::{Detected, Kernel};
use byways::ctr::{Ctr128BE, Keystream};
use byways::keys::AesKeys;
use byways::measure::{Contestant, Cycles};
use byways::verify::ctr::{LONGEST, Way, every_length};
use byways::verify::noise;
use byways_codegen::spec::{Algorithm, Variant};

use crate::Failure;
use crate::catalogue::Entry;
use crate::keyed::{Aes, of_any_size};

/// Whether kernels can be verified and measured at all: on this architecture they can.
pub(crate) fn possible() -> Result<(), Failure> {
    Ok(())
}

/// What kernels are verified against.
pub(crate) fn oracle() -> String {
    format!("crates `aes` and `ctr`, at every length from 0 to {LONGEST} bytes")
}

/// Verifies the variant's program, interpreted; the error is what it computed wrong.
pub(crate) fn interpreted(variant: Variant) -> Result<(), String> {
    let Algorithm::AesCtr(key, _) = variant.algorithm();
    every_length(&Way::interpreted(variant), key.bits() / 8, || ()).map_err(|fault| fault.to_string())
}

/// Verifies a kernel that runs here; the error is what it computed wrong.
pub(crate) fn native(entry: &Entry) -> Result<(), String> {
    match entry.kernel {
        Registered::Ctr(kernel) => {
            let way = Way::native(kernel).expect("a kernel that runs here");
            every_length(&way, kernel.function().key_len(), || ()).map_err(|fault| fault.to_string())
        }
        _ => unreachable!("a family without a command line: {}", entry.kernel.name()),
    }
}

/// Measures kernels that run here, and behind them the library with this key, side by side over messages of `size`
/// bytes; `progress` is called after each round.
pub(crate) fn race(
    entries: &[&Entry],
    library: Option<&Aes>,
    size: usize,
    rounds: usize,
    progress: impl FnMut(),
) -> Vec<Cycles> {
    let buffers = RefCell::new(Buffers::new(size));
    let kernels = entries.iter().map(|entry| contestant(entry, &buffers));
    let library = library.map(|aes| of_any_size!(aes, aes => Contestant::new("library", messages(aes, &buffers))));
    byways::measure::race(&mut kernels.chain(library).collect::<Vec<_>>(), rounds, progress)
}

fn contestant<'a>(entry: &Entry, buffers: &'a RefCell<Buffers>) -> Contestant<'a> {
    match entry.kernel {
        Registered::Ctr(kernel) => Contestant::new(kernel.name(), ctr(kernel, buffers)),
        _ => unreachable!("a family without a command line: {}", entry.kernel.name()),
    }
}

/// From one IV to the next: odd, and in all bytes.
const STEP: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// In place, a fresh IV a message, the round keys made before.
fn ctr<'a>(kernel: &Kernel<byways_kernels::ctr::Ctr>, buffers: &'a RefCell<Buffers>) -> impl FnMut(usize) + 'a {
    let cpu = Detected::get();
    let run = kernel.prove(cpu).expect("a kernel that runs here");
    let key: Vec<u8> = noise(1).take(kernel.function().key_len()).collect();
    let keys = AesKeys::new(&key, cpu.aes().expect("who can run a kernel has AES-NI")).expect("an AES key");
    let mut iv = 0_u128;
    move |times| {
        let mut buffers = buffers.borrow_mut();
        for i in 0..times {
            iv = iv.wrapping_add(STEP);
            run.run(&keys, iv, buffers.turn(i).into()).expect("a key of the kernel's length");
        }
    }
}

/// The same through the library's types: a cipher a message.
fn messages<'a, C: Keystream>(aes: &'a C, buffers: &'a RefCell<Buffers>) -> impl FnMut(usize) + 'a {
    let mut iv = 0_u128;
    move |times| {
        let mut buffers = buffers.borrow_mut();
        for i in 0..times {
            iv = iv.wrapping_add(STEP);
            Ctr128BE::inner_iv_init(aes, &iv.to_be_bytes().into()).apply_keystream(buffers.turn(i));
        }
    }
}

/// Messages, each at a 64-byte boundary. Contestants share them, so that none has the better place.
struct Buffers {
    bytes: Vec<u8>,
    start: usize,
    stride: usize,
    size: usize,
}

impl Buffers {
    const COUNT: usize = 8;
    const LINE: usize = 64;

    fn new(size: usize) -> Self {
        let stride = size.next_multiple_of(Self::LINE);
        let bytes = vec![0; Self::COUNT * stride + Self::LINE];
        let start = bytes.as_ptr().align_offset(Self::LINE);
        Buffers { bytes, start, stride, size }
    }

    fn turn(&mut self, i: usize) -> &mut [u8] {
        let at = self.start + i % Self::COUNT * self.stride;
        &mut self.bytes[at..at + self.size]
    }
}
