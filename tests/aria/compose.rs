//! Modes of operation from other crates, on ARIA-256: GCM and CBC.
//!
//! The values are those of OpenSSL 3.0.22, `EVP_aria_256_gcm` and `EVP_aria_256_cbc` without padding, for key
//! `noise(256)`, nonce `noise(12)`, associated data `noise(13)`, text `noise(14)` and initialisation vector `noise(15)`.

use aes_gcm::AesGcm;
use aes_gcm::aead::AeadInOut;
use byways::cipher::array::Array;
use byways::cipher::consts::{U12, U16};
use byways::cipher::{BlockModeDecrypt, BlockModeEncrypt, InnerIvInit};
use byways::verify::noise;
use byways::{Aria256, Width};

use crate::subject::tiers;

type Gcm = AesGcm<Aria256, U12>;

fn bytes(seed: u64, len: usize) -> Vec<u8> {
    noise(seed).take(len).collect()
}

fn key(width: Width) -> Aria256 {
    Aria256::with_max_width(bytes(256, 32)[..].try_into().expect("32 bytes"), width)
}

/// The text's length, and the tag, which is of all of the ciphertext.
const GCM: [(usize, u128); 7] = [
    (0, 0x57c9820a74c3eea7e0ab50ec2f23bb10),
    (1, 0x756658bafd88508ccc287cb70a6b8225),
    (16, 0x22ce5b401164790441569904bd867627),
    (100, 0x54cf50771f9d6dbb9cc63f0e9243ae66),
    (1472, 0x5e32b3291953e6d1973c7a179ea5ad7f),
    (5000, 0xc37d1527fa59b8e3fbd7e4d07179424c),
    (70_000, 0x0b3fb5b75f45961e79c8295770bfe363),
];

#[test]
fn gcm_as_openssl() {
    let (nonce, data) = (bytes(12, 12), bytes(13, 20));
    let nonce = nonce[..].try_into().expect("12 bytes");
    for &width in tiers() {
        let gcm = Gcm::from(key(width));
        for (len, tag) in GCM {
            let text = bytes(14, len);
            let mut buffer = text.clone();
            let found = gcm.encrypt_inout_detached(nonce, &data, buffer[..].as_mut().into());
            let tag = Array::<u8, U16>::from(tag.to_be_bytes());
            assert_eq!(found, Ok(tag), "{width}: {len} bytes");
            // and back, unless a bit is wrong
            let mut wrong = tag;
            wrong[len % 16] ^= 0x10;
            let ciphertext = buffer.clone();
            assert!(gcm.decrypt_inout_detached(nonce, &data, buffer[..].as_mut().into(), &wrong).is_err());
            assert!(buffer == ciphertext, "{width}: {len} bytes are given out that were refused");
            let result = gcm.decrypt_inout_detached(nonce, &data, buffer[..].as_mut().into(), &tag);
            assert_eq!(result, Ok(()), "{width}: {len} bytes");
            assert!(buffer == text, "{width}: {len} bytes");
        }
    }
}

#[test]
fn gcm_as_openssl_byte_by_byte() {
    const CIPHERTEXT: &str = "d59c7334921971c9293ca43325ee41331b72719f94e7eb4e64d421b6205c836348035df82b127d86f96a03e9dfe6694989c5\
        f1b39ceced36c2a5d591bc1db7673f11dfa8954fb5621c2d2da500db4d1d90d9c6e9aaf751dbd3e261a6893bcbc45289a75a";
    for &width in tiers() {
        let mut buffer = bytes(14, 100);
        let nonce = bytes(12, 12);
        let gcm = Gcm::from(key(width));
        let nonce = nonce[..].try_into().expect("12 bytes");
        gcm.encrypt_inout_detached(nonce, &bytes(13, 20), buffer[..].as_mut().into()).expect("a short text");
        let hex: String = buffer.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, CIPHERTEXT, "{width}");
    }
}

/// The number of blocks, and the last of the ciphertext, which depends on all before.
const CBC: [(usize, u128); 8] = [
    (1, 0xe1527ed7caa49d34902b13aa26a8b91e),
    (2, 0x8cc986f422a24f98ea8ec69952541e48),
    (15, 0xc708822903c9eac8b0ca822bb7591aea),
    (16, 0x2e4fa784a61eff37f14e5e936577f84c),
    (17, 0xe67818e7a173cfa741f7fc16fce6fc64),
    (37, 0x62bdccb05250bd924d3955a871ebaae9),
    (100, 0x9ba4809c8f01a03cdc6d67bf74f029da),
    (1000, 0xc5d7cb4b606b7d399a450722f768cb8a),
];

#[test]
fn cbc_as_openssl() {
    let iv = bytes(15, 16);
    let iv = iv[..].try_into().expect("a block");
    for &width in tiers() {
        let key = key(width);
        for (blocks, last) in CBC {
            let text = bytes(14, 16 * blocks);
            let mut buffer = text.clone();
            let as_blocks = Array::slice_as_chunks_mut(&mut buffer).0;
            cbc::Encryptor::inner_iv_init(&key, iv).encrypt_blocks(as_blocks);
            assert_eq!(as_blocks[blocks - 1], last.to_be_bytes(), "{width}: {blocks} blocks");
            cbc::Decryptor::inner_iv_init(&key, iv).decrypt_blocks(as_blocks);
            assert!(buffer == text, "{width}: {blocks} blocks");
        }
    }
}
