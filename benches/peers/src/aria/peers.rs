//! The library, crate `aria`, and OpenSSL by its EVP interface, each with a key.

use std::hint::black_box;

use byways::cipher::array::Array;
use byways::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, InnerIvInit, Key, KeyInit, StreamCipher, consts::U16,
};
use byways::ctr::{Ctr128BE, Keystream};
use byways::{Aria128, Aria192, Aria256, Width};
use ctr::CtrCore;
use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;
use openssl::error::ErrorStack;

use super::Task;

/// The library as users have it, and with registers at most so wide.
const LIBRARY: [(&str, Option<Width>); 3] =
    [("byways", None), ("byways ymm", Some(Width::Ymm)), ("byways xmm", Some(Width::Xmm))];

/// An implementation with an expanded key, for one task.
pub(super) struct Peer {
    /// What it is called in tables.
    pub(super) name: &'static str,
    /// What it is, and of which version.
    pub(super) about: String,
    /// Does the task to a message in place.
    pub(super) run: Run,
}

/// Takes a first counter block, which counter mode alone heeds; a buffer; and how many of its bytes are the message. There
/// are 16 bytes more, since crate `openssl` asks for them where messages are blocks.
pub(super) type Run = Box<dyn FnMut(&[u8; 16], &mut [u8], usize)>;

/// Makes and drops a key.
pub(super) type Setup = Box<dyn FnMut(&[u8])>;

/// Everybody who can do this with this key, of 16, 24 or 32 bytes: of the library's widths, those that are narrower than
/// what it takes here by itself.
pub(super) fn all(task: Task, key: &[u8]) -> Result<Vec<Peer>, String> {
    macro_rules! sized {
        ($name:ident) => {{
            let of_library = LIBRARY.into_iter().filter_map(|(name, limit)| {
                let key = <&Key<$name>>::try_from(key).expect("a key of the cipher's length");
                let cipher = limit.map_or_else(|| $name::new(key), |width| $name::with_max_width(key, width));
                let (width, widest) = (cipher.width(), $name::new(key).width());
                let about = format!("byways {}, {width}", env!("CARGO_PKG_VERSION"));
                let fits = limit.is_none_or(|limit| limit == width && limit < widest);
                fits.then(|| Peer { name, about, run: library(task, cipher) })
            });
            let mut peers: Vec<Peer> = of_library.collect();
            let cipher = ::aria::$name::new_from_slice(key).expect("a key of the cipher's length");
            let about = format!("crates aria {} and ctr {}", env!("ARIA_VERSION"), env!("CTR_VERSION"));
            peers.push(Peer { name: "rustcrypto", about, run: rustcrypto(task, cipher) });
            peers
        }};
    }
    let mut peers = match key.len() {
        16 => sized!(Aria128),
        24 => sized!(Aria192),
        32 => sized!(Aria256),
        bytes => panic!("no ARIA key has {bytes} bytes"),
    };
    let run = openssl(task, key).map_err(|error| format!("openssl does not do {}: {error}", task.title(key)))?;
    peers.push(Peer { name: "openssl", about: format!("{}, EVP", openssl::version::version()), run });
    Ok(peers)
}

/// Key setup of those who make the keys of both directions at once.
pub(super) fn setups(bits: u16) -> [(&'static str, Setup); 2] {
    fn setup<C: KeyInit + 'static>() -> Setup {
        // by reference: to move it elsewhere is no part of it
        Box::new(|key| {
            black_box(&C::new(key.try_into().expect("a key of the cipher's length")));
        })
    }
    let [library, rustcrypto] = match bits {
        128 => [setup::<Aria128>(), setup::<::aria::Aria128>()],
        192 => [setup::<Aria192>(), setup::<::aria::Aria192>()],
        256 => [setup::<Aria256>(), setup::<::aria::Aria256>()],
        _ => panic!("no ARIA key has {bits} bits"),
    };
    [("byways", library), ("rustcrypto", rustcrypto)]
}

/// Blocks by themselves, through the traits that the library and crate `aria` share; none in counter mode.
fn blocks<C>(task: Task, cipher: C) -> Result<Run, C>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + 'static,
{
    match task {
        Task::Encrypt => Ok(Box::new(move |_, room, len| {
            cipher.encrypt_blocks(Array::slice_as_chunks_mut(&mut room[..len]).0);
        })),
        Task::Decrypt => Ok(Box::new(move |_, room, len| {
            cipher.decrypt_blocks(Array::slice_as_chunks_mut(&mut room[..len]).0);
        })),
        Task::Ctr => Err(cipher),
    }
}

fn library<C>(task: Task, cipher: C) -> Run
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + Keystream + 'static,
{
    blocks(task, cipher).unwrap_or_else(|cipher| {
        Box::new(move |iv, room, len| {
            Ctr128BE::inner_iv_init(&cipher, iv.into()).apply_keystream(&mut room[..len]);
        })
    })
}

fn rustcrypto<C>(task: Task, cipher: C) -> Run
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + 'static,
{
    blocks(task, cipher).unwrap_or_else(|cipher| {
        Box::new(move |iv, room, len| {
            let core = CtrCore::inner_iv_init(&cipher, iv.into());
            ctr::Ctr128BE::from_core(core).apply_keystream(&mut room[..len]);
        })
    })
}

/// A context a key, without padding; in counter mode it takes the IV of a message without the key.
fn openssl(task: Task, key: &[u8]) -> Result<Run, ErrorStack> {
    let mode = if task == Task::Ctr { "CTR" } else { "ECB" };
    let cipher = Cipher::fetch(None, &format!("ARIA-{}-{mode}", key.len() * 8), None)?;
    let mut context = CipherCtx::new()?;
    if task == Task::Decrypt {
        context.decrypt_init(Some(&cipher), Some(key), None)?;
    } else {
        context.encrypt_init(Some(&cipher), Some(key), None)?;
    }
    context.set_padding(false);
    Ok(Box::new(move |iv, room, len| {
        if task == Task::Ctr {
            context.encrypt_init(None, None, Some(iv)).expect("an IV for the context's cipher");
        }
        context.cipher_update_inplace(room, len).expect("whole blocks, or counter mode");
    }))
}
