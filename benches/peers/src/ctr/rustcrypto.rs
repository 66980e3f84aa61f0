//! Crates `aes` and `ctr`.
//!
//! The cipher of a message is a `Ctr128BE<&Aes128>`, made from a core that borrows the expanded key (`InnerIvInit`), so
//! that no round key is copied. Without the wrapper, by `CtrCore::apply_keystream_partial`, a message below one block
//! is faster, and one of several blocks and a part is slower; users have the wrapper.

use aes::cipher::{BlockCipherEncrypt, BlockSizeUser, InnerIvInit, KeyInit, StreamCipher, consts::U16};
use aes::{Aes128, Aes192, Aes256};
use ctr::{Ctr128BE, CtrCore};

use super::Peer;

/// The block cipher with a key.
struct RustCrypto<C>(C);

/// With a key of 16, 24 or 32 bytes.
pub(super) fn new(key: &[u8]) -> Box<dyn Peer> {
    fn with<C: KeyInit>(key: &[u8]) -> Box<RustCrypto<C>> {
        Box::new(RustCrypto(C::new_from_slice(key).expect("a key of the cipher's length")))
    }
    match key.len() {
        16 => with::<Aes128>(key),
        24 => with::<Aes192>(key),
        32 => with::<Aes256>(key),
        bytes => panic!("no AES key has {bytes} bytes"),
    }
}

impl<C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>> Peer for RustCrypto<C> {
    fn name(&self) -> &str {
        "rustcrypto"
    }

    fn about(&self) -> String {
        let (aes, ctr) = (env!("AES_VERSION"), env!("CTR_VERSION"));
        format!("rustcrypto      crates aes {aes} and ctr {ctr}, Ctr128BE<&Aes*>")
    }

    fn apply(&mut self, iv: &[u8; 16], data: &mut [u8]) {
        Ctr128BE::from_core(CtrCore::inner_iv_init(&self.0, iv.into())).apply_keystream(data);
    }
}
