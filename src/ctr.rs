//! Counter mode (NIST SP 800-38A, section 6.5) with counters of 32, 64 and 128 bits, on one kernel.
//!
//! A kernel counts in the low 64 bits and leaves the others alone. So a call is split where the counter does something
//! else:
//!
//! ```text
//! while data is left:
//!     blocks = how many until the field wraps (32 bits) or the low 64 bits carry (128 bits)
//!     run the kernel over at most so many blocks
//!     counter += blocks, within the field
//! ```
//! A call is split about once in 2^32 or 2^64 blocks, so the split costs nothing that can be measured.

use core::fmt;
use core::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
use byways_kernels::cpu::Proven;
use byways_kernels::inout::InOutBuf;
#[cfg(target_arch = "x86_64")]
use byways_kernels::keys::{AesKeys, KeyError};
use cipher::common::InnerUser;
use cipher::{
    AlgorithmName, BlockCipherEncrypt, BlockSizeUser, InnerIvInit, Iv, IvSizeUser, OverflowError, SeekNum,
    StreamCipher, StreamCipherCoreWrapper, StreamCipherError, StreamCipherSeek, consts,
};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes in a block.
const BLOCK: usize = 16;

/// How many low bits of the counter block count. They wrap among themselves; the others never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The low 32 bits, as in RFC 3686 and GCM.
    Bits32,
    /// The low 64 bits.
    Bits64,
    /// All 128, as in NIST SP 800-38A.
    Bits128,
}

impl Field {
    /// Every field, narrowest first.
    pub const ALL: [Field; 3] = [Field::Bits32, Field::Bits64, Field::Bits128];

    /// How many bits count.
    pub const fn bits(self) -> u32 {
        match self {
            Field::Bits32 => 32,
            Field::Bits64 => 64,
            Field::Bits128 => 128,
        }
    }

    /// How many blocks there are before the counter comes round; none if more than a number holds.
    const fn blocks(self) -> Option<u128> {
        match self {
            Field::Bits32 | Field::Bits64 => Some(1 << self.bits()),
            Field::Bits128 => None,
        }
    }

    /// The counter `blocks` blocks on.
    #[inline]
    pub const fn add(self, counter: u128, blocks: u128) -> u128 {
        let mask = u128::MAX >> (128 - self.bits());
        (counter & !mask) | (counter.wrapping_add(blocks) & mask)
    }

    /// Positions below this many blocks are far from the end of a keystream of 64 or 128 bits.
    const PLENTY: u128 = 1 << 63;

    /// Whether so many bytes, after fewer than [`Field::PLENTY`] blocks, neither reach the end of the keystream nor are
    /// split. It says no to some of which that is true.
    #[inline]
    const fn plainly_whole(self, blocks: u128, counter: u128, bytes: usize) -> bool {
        // of bytes in memory there are less than 2^63
        let wanted = (bytes / BLOCK) as u64 + 1;
        match self {
            Field::Bits32 => blocks as u64 + wanted <= 1 << 32 && (counter as u32 as u64) + wanted <= 1 << 32,
            Field::Bits64 => true,
            Field::Bits128 => (counter as u64).checked_add(wanted).is_some(),
        }
    }

    /// Whether a kernel counts as this field does over so many bytes from `counter` on.
    #[inline]
    const fn whole(self, counter: u128, bytes: usize) -> bool {
        let blocks = bytes.div_ceil(BLOCK) as u128;
        match self.unsplit(counter) {
            Some(unsplit) => blocks <= unsplit,
            None => true,
        }
    }

    /// For how many blocks from `counter` on a kernel counts as this field does; none if for ever.
    const fn unsplit(self, counter: u128) -> Option<u128> {
        match self {
            Field::Bits32 => Some((1 << 32) - (counter & u32::MAX as u128)),
            Field::Bits64 => None,
            Field::Bits128 => Some((1 << 64) - (counter & u64::MAX as u128)),
        }
    }
}

/// Xors the keystream that starts at `counter` into the data: of any length, at any alignment, in place or from one
/// buffer to another. A last block that is not whole uses the head of its keystream block.
///
/// ```
/// # #[cfg(target_arch = "x86_64")] {
/// use byways::ctr::{Field, xor_keystream};
/// use byways::keys::AesKeys;
///
/// let cpu = byways::cpu::Detected::get();
/// for kernel in byways::kernels() {
///     let byways::Registered::Ctr(kernel) = kernel else { continue };
///     let (Ok(run), Some(aes)) = (kernel.prove(cpu), cpu.aes()) else { continue };
///     if kernel.function().key_len() != 16 {
///         continue;
///     }
///     // RFC 3686, test vector 1: nonce, IV and a 32-bit counter that starts at 1
///     let keys = AesKeys::new(&0xae6852f8121067cc4bf7a5765577f39e_u128.to_be_bytes(), aes)?;
///     let mut data = *b"Single block msg";
///     xor_keystream(run, &keys, 0x00000030_0000000000000000_00000001, Field::Bits32, data[..].as_mut().into())?;
///     assert_eq!(u128::from_be_bytes(data), 0xe4095d4fb7a7b3792d6175a3261311b8);
/// }
/// # }
/// # Ok::<(), byways::keys::KeyError>(())
/// ```
///
/// # Errors
/// If the keys are of another size than the kernel's; the data are then as they were.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn xor_keystream(
    kernel: Proven<byways_kernels::ctr::Ctr>,
    keys: &AesKeys,
    counter: u128,
    field: Field,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), KeyError> {
    if field.whole(counter, data.len()) {
        return kernel.run(keys, counter, data);
    }
    // whatever is wrong with the keys is wrong at every piece
    let mut result = Ok(());
    split(counter, field, data, |counter, piece| result = kernel.run(keys, counter, piece));
    result
}

/// Hands the data on in pieces within which a kernel counts as the field does.
pub(crate) fn split(
    mut counter: u128,
    field: Field,
    mut data: InOutBuf<'_, '_, u8>,
    mut run: impl FnMut(u128, InOutBuf<'_, '_, u8>),
) {
    while !field.whole(counter, data.len()) {
        let blocks = field.unsplit(counter).expect("what is split has an end");
        let (now, later) = data.split_at(blocks as usize * BLOCK);
        run(counter, now);
        counter = field.add(counter, blocks);
        data = later;
    }
    run(counter, data);
}

/// As a kernel does, by crate `ctr`.
#[cfg_attr(target_arch = "x86_64", cold)]
pub(crate) fn xor_keystream_of<C: BlockCipherEncrypt + BlockSizeUser<BlockSize = consts::U16>>(
    cipher: &C,
    counter: u128,
    data: InOutBuf<'_, '_, u8>,
) {
    let core = ::ctr::CtrCore::<&C, ::ctr::flavors::Ctr64BE>::inner_iv_init(cipher, &counter.to_be_bytes().into());
    StreamCipherCoreWrapper::from_core(core).unchecked_apply_keystream_inout(data);
}

/// A key that makes keystream: one of [`Aes128`](crate::Aes128), [`Aes192`](crate::Aes192), [`Aes256`](crate::Aes256),
/// [`Aria128`](crate::Aria128), [`Aria192`](crate::Aria192), [`Aria256`](crate::Aria256), a reference to one, or (with
/// feature `std`) an `Arc` of one.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use std::sync::Arc;
/// use byways::cipher::{InnerIvInit, KeyInit, StreamCipher};
/// use byways::{Aes256, ctr::Ctr64BE};
///
/// let key = Arc::new(Aes256::new(&[7; 32].into()));
/// let mut shared = Ctr64BE::inner_iv_init(Arc::clone(&key), &[0; 16].into());
/// let mut borrowed = Ctr64BE::inner_iv_init(&*key, &[0; 16].into());
/// let (mut a, mut b) = ([0; 100], [0; 100]);
/// shared.apply_keystream(&mut a);
/// borrowed.apply_keystream(&mut b);
/// assert_eq!(a, b);
/// # }
/// ```
pub trait Keystream: sealed::Sealed {
    /// Xors the keystream that starts at `counter`, a counter block as a big-endian number, into the data. Its low 64
    /// bits count, modulo 2^64.
    fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>);
}

impl<C: Keystream> Keystream for &C {
    #[inline]
    fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>) {
        (**self).xor_keystream(counter, data);
    }
}

/// A key that several threads or owners share.
#[cfg(feature = "std")]
impl<C: Keystream> Keystream for std::sync::Arc<C> {
    #[inline]
    fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>) {
        (**self).xor_keystream(counter, data);
    }
}

/// How many bits of the counter block count, as a type: [`Bits32`], [`Bits64`], [`Bits128`].
pub trait Counter: sealed::Sealed + 'static {
    /// The same as a value.
    const FIELD: Field;
}

mod sealed {
    pub trait Sealed {}
    impl<C: Sealed> Sealed for &C {}
    #[cfg(feature = "std")]
    impl<C: Sealed> Sealed for std::sync::Arc<C> {}
    impl Sealed for crate::Aes128 {}
    impl Sealed for crate::Aes192 {}
    impl Sealed for crate::Aes256 {}
    impl Sealed for crate::Aria128 {}
    impl Sealed for crate::Aria192 {}
    impl Sealed for crate::Aria256 {}
    impl Sealed for super::Bits32 {}
    impl Sealed for super::Bits64 {}
    impl Sealed for super::Bits128 {}
}

macro_rules! counters {
    ($($bits:ident, $alias:ident, $name:literal, $what:literal;)*) => {
        $(
            #[doc = concat!("The low ", $what, " count.")]
            #[derive(Clone, Copy, Debug)]
            pub enum $bits {}

            impl Counter for $bits {
                const FIELD: Field = Field::$bits;
            }

            #[doc = concat!("Counter mode with a big-endian counter in the low ", $what, " of the block: as crate `ctr`'s of the same name.")]
            pub type $alias<C> = Ctr<C, $bits>;
        )*
    };
}

counters! {
    Bits32, Ctr32BE, "Ctr32BE", "32 bits";
    Bits64, Ctr64BE, "Ctr64BE", "64 bits";
    Bits128, Ctr128BE, "Ctr128BE", "128 bits";
}

/// Counter mode: a key, a first counter block and a position.
///
/// It is used through the traits of crate [`cipher`]: [`StreamCipher`] in place and from one buffer to another, in pieces
/// of any length, and [`StreamCipherSeek`] by bytes.
///
/// ```
/// use byways::cipher::{KeyInit, InnerIvInit, KeyIvInit, StreamCipher, StreamCipherSeek};
/// use byways::{Aes128, ctr::Ctr128BE};
///
/// // NIST SP 800-38A, F.5.1
/// let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
/// let iv = 0xf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff_u128.to_be_bytes();
/// let mut data = 0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes();
/// let mut cipher = Ctr128BE::<Aes128>::new(&key.into(), &iv.into());
/// cipher.apply_keystream(&mut data);
/// assert_eq!(data, 0x874d6191b620e3261bef6864990db6ce_u128.to_be_bytes());
///
/// // decryption is the same; many messages under one key borrow it
/// let key = Aes128::new(&key.into());
/// let mut cipher = Ctr128BE::inner_iv_init(&key, &iv.into());
/// cipher.seek(7);
/// cipher.apply_keystream(&mut data[7..]);
/// assert_eq!(data[7..], 0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes()[7..]);
/// ```
///
/// The counter wraps within its bits. After 2^32, 2^64 or 2^128 blocks the checked calls return an error and leave the
/// data as they were; the keystream never comes round.
pub struct Ctr<C, F: Counter> {
    cipher: C,
    first: u128,
    /// Whole blocks before the position.
    blocks: u128,
    /// Bytes of the next block that are used up, below 16.
    used: u8,
    /// Whether `keystream` is that block's; zeros else. Never while no bytes of it are used.
    kept: bool,
    keystream: [u8; BLOCK],
    field: PhantomData<fn() -> F>,
}

impl<C: Keystream, F: Counter> Ctr<C, F> {
    #[inline]
    fn counter(&self) -> u128 {
        F::FIELD.add(self.first, self.blocks)
    }

    /// What all calls come to. Most start at a block, do not reach the end of the keystream and are not split; they go
    /// straight to the kernel.
    #[inline]
    fn apply(&mut self, data: InOutBuf<'_, '_, u8>, checked: bool) -> Result<(), StreamCipherError> {
        let (bytes, counter) = (data.len(), self.counter());
        let at_block = self.used == 0 && self.blocks < Field::PLENTY;
        if at_block && F::FIELD.plainly_whole(self.blocks, counter, bytes) {
            self.cipher.xor_keystream(counter, data);
            self.advance(bytes);
            Ok(())
        } else {
            self.apply_slowly(data, checked)
        }
    }

    #[cold]
    #[inline(never)]
    fn apply_slowly(&mut self, mut data: InOutBuf<'_, '_, u8>, checked: bool) -> Result<(), StreamCipherError> {
        if checked {
            self.check_remaining(data.len())?;
        }
        if self.used != 0 {
            data = self.finish_block(data);
        }
        if !data.is_empty() {
            let bytes = data.len();
            split(self.counter(), F::FIELD, data, |counter, piece| self.cipher.xor_keystream(counter, piece));
            self.advance(bytes);
        }
        Ok(())
    }

    /// Moves on by so many bytes from the start of a block.
    #[inline]
    fn advance(&mut self, bytes: usize) {
        self.blocks = self.blocks.wrapping_add((bytes / BLOCK) as u128);
        self.used = (bytes % BLOCK) as u8;
    }

    /// Uses up the rest of a block that an earlier call began, and gives what data are behind it.
    fn finish_block<'inp, 'out>(&mut self, data: InOutBuf<'inp, 'out, u8>) -> InOutBuf<'inp, 'out, u8> {
        if !self.kept {
            self.cipher.xor_keystream(self.counter(), self.keystream.as_mut_slice().into());
            self.kept = true;
        }
        let used = usize::from(self.used);
        let now = (BLOCK - used).min(data.len());
        let (mut head, rest) = data.split_at(now);
        head.xor_in2out(&self.keystream[used..used + now]);
        self.used = ((used + now) % BLOCK) as u8;
        if self.used == 0 {
            self.blocks = self.blocks.wrapping_add(1);
            self.forget();
        }
        rest
    }
}

impl<C, F: Counter> Ctr<C, F> {
    /// Wipes the keystream that is kept.
    #[inline]
    fn forget(&mut self) {
        if self.kept {
            self.keystream.zeroize();
            self.kept = false;
        }
    }
}

impl<C: Keystream, F: Counter> StreamCipher for Ctr<C, F> {
    #[inline]
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        let blocks = (u128::from(self.used) + data_len as u128).div_ceil(BLOCK as u128);
        let end = self.blocks.checked_add(blocks).ok_or(StreamCipherError)?;
        if F::FIELD.blocks().is_some_and(|all| end > all) { Err(StreamCipherError) } else { Ok(()) }
    }

    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        // nothing is checked, so nothing fails
        let _ = self.apply(data, false);
    }

    #[inline]
    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.unchecked_apply_keystream_inout(buf.into());
    }

    #[inline]
    fn try_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) -> Result<(), StreamCipherError> {
        self.apply(data, true)
    }
}

/// Bytes in a part that a thread takes: whole runs of blocks, and enough to be worth handing over.
#[cfg(feature = "parallel")]
const PART: usize = 256 << 10;

/// From so many bytes on, data are shared out: waking threads takes as long as a megabyte or two.
#[cfg(feature = "parallel")]
const LARGE: usize = 8 << 20;

#[cfg(feature = "parallel")]
impl<C: Keystream + Sync, F: Counter> Ctr<C, F> {
    /// As [`StreamCipher::try_apply_keystream`], on all threads of the current rayon pool from 8 MiB on: each part is a
    /// stretch of the keystream of its own.
    ///
    /// # Errors
    /// If the end of the keystream is reached; the data are then as they were.
    pub fn try_par_apply_keystream(&mut self, data: &mut [u8]) -> Result<(), StreamCipherError> {
        use rayon::prelude::*;

        self.check_remaining(data.len())?;
        // the first part ends where a run of blocks starts, and so do the others
        let to_run = (self.counter() as u8).wrapping_neg() as usize * BLOCK;
        let first = (PART + to_run).saturating_sub(self.used.into());
        if data.len() < LARGE {
            return self.try_apply_keystream(data);
        }
        let (head, rest) = data.split_at_mut(first);
        self.try_apply_keystream(head)?;
        let (cipher, counter, bytes) = (&self.cipher, self.counter(), rest.len());
        rest.par_chunks_mut(PART).enumerate().for_each(|(i, part)| {
            let counter = F::FIELD.add(counter, (i * (PART / BLOCK)) as u128);
            split(counter, F::FIELD, part.into(), |counter, piece| cipher.xor_keystream(counter, piece));
        });
        self.advance(bytes);
        Ok(())
    }
}

impl<C: Keystream, F: Counter> StreamCipherSeek for Ctr<C, F> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // the trait counts to the end of the block that the position is in
        match self.used {
            0 => T::from_block_byte(self.blocks, BLOCK as u8, BLOCK as u8),
            used => T::from_block_byte(self.blocks.checked_add(1).ok_or(OverflowError)?, used, BLOCK as u8),
        }
    }

    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        let (blocks, used) = pos.into_block_byte::<u128>(BLOCK as u8)?;
        if F::FIELD.blocks().is_some_and(|all| blocks > all || (blocks == all && used > 0)) {
            return Err(StreamCipherError);
        }
        if blocks != self.blocks || used == 0 {
            self.forget();
        }
        (self.blocks, self.used) = (blocks, used);
        Ok(())
    }
}

impl<C, F: Counter> InnerUser for Ctr<C, F> {
    type Inner = C;
}

impl<C, F: Counter> IvSizeUser for Ctr<C, F> {
    type IvSize = consts::U16;
}

impl<C: Keystream, F: Counter> InnerIvInit for Ctr<C, F> {
    #[inline]
    fn inner_iv_init(cipher: C, iv: &Iv<Self>) -> Self {
        let first = u128::from_be_bytes((*iv).into());
        Ctr { cipher, first, blocks: 0, used: 0, kept: false, keystream: [0; BLOCK], field: PhantomData }
    }
}

impl<C: Clone, F: Counter> Clone for Ctr<C, F> {
    fn clone(&self) -> Self {
        let Ctr { ref cipher, first, blocks, used, kept, keystream, field } = *self;
        Ctr { cipher: cipher.clone(), first, blocks, used, kept, keystream, field }
    }
}

impl<C, F: Counter> Drop for Ctr<C, F> {
    #[inline]
    fn drop(&mut self) {
        self.forget();
    }
}

impl<C: ZeroizeOnDrop, F: Counter> ZeroizeOnDrop for Ctr<C, F> {}

impl<C: AlgorithmName, F: Counter> AlgorithmName for Ctr<C, F> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ctr{}BE<", F::FIELD.bits())?;
        C::write_alg_name(f)?;
        f.write_str(">")
    }
}

impl<C, F: Counter> fmt::Debug for Ctr<C, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ctr{}BE {{ ... }}", F::FIELD.bits())
    }
}
