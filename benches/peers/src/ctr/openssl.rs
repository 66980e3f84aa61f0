//! OpenSSL, by its EVP interface: a context a key, which takes the IV of a message without the key, and the data in
//! place.

use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;

use super::Peer;

/// A context with a key.
pub(super) struct OpenSsl(CipherCtx);

impl OpenSsl {
    /// With a key of 16, 24 or 32 bytes.
    pub(super) fn new(key: &[u8]) -> Result<Self, String> {
        let cipher = match key.len() {
            16 => Cipher::aes_128_ctr(),
            24 => Cipher::aes_192_ctr(),
            32 => Cipher::aes_256_ctr(),
            bytes => return Err(format!("no AES key has `{bytes}` bytes")),
        };
        let keyed = || {
            let mut context = CipherCtx::new()?;
            context.encrypt_init(Some(cipher), Some(key), None)?;
            Ok(OpenSsl(context))
        };
        keyed().map_err(|error: openssl::error::ErrorStack| format!("openssl takes no AES key for CTR: {error}"))
    }
}

impl Peer for OpenSsl {
    fn name(&self) -> &str {
        "openssl"
    }

    fn about(&self) -> String {
        format!("openssl         {}, EVP", openssl::version::version())
    }

    fn apply(&mut self, iv: &[u8; 16], data: &mut [u8]) {
        self.0.encrypt_init(None, None, Some(iv)).expect("an IV for the context's cipher");
        let len = data.len();
        self.0.cipher_update_inplace(data, len).expect("CTR takes data of any length");
    }
}
