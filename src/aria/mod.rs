//! ARIA keys: [`Aria128`], [`Aria192`], [`Aria256`].

#[cfg(target_arch = "x86_64")]
mod backend;
#[cfg(target_arch = "x86_64")]
mod engine;

use core::fmt;

use byways_kernels::cpu::Detected;
use byways_kernels::inout::{InOutBuf, NotEqualError};
use cipher::array::Array;
use cipher::{
    AlgorithmName, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser,
    Key, KeyInit, KeySizeUser, consts,
};
use zeroize::ZeroizeOnDrop;

use crate::ctr::{Keystream, xor_keystream_of};
use crate::dispatch::{Width, widest};
use crate::secrets::without_copies;

/// More than building a key uses of the stack: 6.7 KiB, which are a copy of the object, its schedule, and what the fallback
/// would have.
const USED: usize = 8 << 10;

type Block = Array<u8, consts::U16>;

macro_rules! aria {
    ($($name:ident, $bits:literal, $key_size:ty;)*) => {
        $(
            #[doc = concat!("An ARIA key of ", $bits, " bits (RFC 5794), for blocks in both directions and for counter mode.")]
            ///
            /// It stands in for crate `aria`'s type of the same name: slices of blocks, in place and from one buffer to
            /// another, and modes of operation, of other crates, too. Counter mode is quickest through
            /// [`Ctr128BE`](crate::ctr::Ctr128BE) and its like.
            ///
            /// ```
            /// use byways::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
            #[doc = concat!("use byways::", stringify!($name), ";")]
            ///
            #[doc = concat!("let key = ", stringify!($name), "::new(&Default::default());")]
            /// let mut blocks = [[7; 16].into(); 30];
            /// key.encrypt_blocks(&mut blocks);
            /// key.decrypt_blocks(&mut blocks);
            /// assert_eq!(blocks, [[7; 16]; 30]);
            /// ```
            ///
            /// The round keys are wiped on drop. Which kernels it uses is settled when it is built.
            ///
            /// # Secrets
            /// No branch and no address depends on a key or on data, in the key schedule neither, where
            #[doc = concat!("[`width`](", stringify!($name), "::width) is not [`Width::Fallback`]. **The fallback, crate `aria`, is not constant time:** it")]
            /// looks S-boxes up in tables, so that who shares the CPU's caches may learn of keys and data.
            pub struct $name(Engine<aria::$name>);

            impl $name {
                /// The key, for registers at most so wide: what [`limit_width`](crate::limit_width) does to all, for
                /// this one. A narrower limit there or at compile time holds, too.
                ///
                /// ```
                #[doc = concat!("use byways::{", stringify!($name), ", Width};")]
                #[doc = concat!("let cipher = ", stringify!($name), "::with_max_width(&Default::default(), Width::Ymm);")]
                /// assert!(cipher.width() <= Width::Ymm);
                /// ```
                pub fn with_max_width(key: &Key<Self>, width: Width) -> Self {
                    without_copies::<USED, _>(|| Self::build(key, Some(width)))
                }

                fn build(key: &Key<Self>, width: Option<Width>) -> Self {
                    let cpu = Detected::get();
                    let limit = widest(width, cpu);
                    #[cfg(target_arch = "x86_64")]
                    if let Some(plan) = engine::Plan::new(limit, cpu) {
                        return Self::generated(key, plan);
                    }
                    let _ = limit;
                    $name(Engine::Fallback(aria::$name::new(key)))
                }

                // by itself, so that nobody else's frame has the place where it is built, which is moved from
                #[cfg(target_arch = "x86_64")]
                #[inline(never)]
                fn generated(key: &Key<Self>, plan: engine::Plan) -> Self {
                    $name(Engine::Generated(engine::Kernels::new(key, plan)))
                }

                /// The widest registers that it uses.
                pub fn width(&self) -> Width {
                    self.0.width()
                }

                /// Up to so many bytes at a time, the kernel of this name, for blocks by themselves; none on the fallback.
                pub fn plan(&self) -> impl Iterator<Item = (usize, &'static str)> {
                    self.0.rows()
                }
            }

            impl KeySizeUser for $name {
                type KeySize = $key_size;
            }

            impl KeyInit for $name {
                #[inline]
                fn new(key: &Key<Self>) -> Self {
                    without_copies::<USED, _>(|| Self::build(key, None))
                }
            }

            impl Clone for $name {
                #[inline]
                fn clone(&self) -> Self {
                    // straight to the result: a place where both variants meet would keep a copy
                    without_copies::<USED, _>(|| match &self.0 {
                        #[cfg(target_arch = "x86_64")]
                        Engine::Generated(kernels) => $name(Engine::Generated(kernels.clone())),
                        Engine::Fallback(cipher) => $name(Engine::Fallback(cipher.clone())),
                    })
                }
            }

            impl BlockSizeUser for $name {
                type BlockSize = consts::U16;
            }

            impl BlockCipherEncrypt for $name {
                #[inline]
                fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = Self::BlockSize>) {
                    match &self.0 {
                        #[cfg(target_arch = "x86_64")]
                        Engine::Generated(kernels) => f.call(&backend::Backend(kernels)),
                        Engine::Fallback(cipher) => cipher.encrypt_with_backend(f),
                    }
                }

                // slices whole, not by the backend's batches
                #[inline]
                fn encrypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Block>) {
                    match &self.0 {
                        #[cfg(target_arch = "x86_64")]
                        Engine::Generated(kernels) => kernels.encrypt(blocks),
                        Engine::Fallback(cipher) => cipher.encrypt_blocks_inout(blocks),
                    }
                }

                #[inline]
                fn encrypt_blocks(&self, blocks: &mut [Block]) {
                    self.encrypt_blocks_inout(blocks.into());
                }

                #[inline]
                fn encrypt_blocks_b2b(&self, in_blocks: &[Block], out_blocks: &mut [Block]) -> Result<(), NotEqualError> {
                    InOutBuf::new(in_blocks, out_blocks).map(|blocks| self.encrypt_blocks_inout(blocks))
                }
            }

            impl BlockCipherDecrypt for $name {
                #[inline]
                fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = Self::BlockSize>) {
                    match &self.0 {
                        #[cfg(target_arch = "x86_64")]
                        Engine::Generated(kernels) => f.call(&backend::Backend(kernels)),
                        Engine::Fallback(cipher) => cipher.decrypt_with_backend(f),
                    }
                }

                #[inline]
                fn decrypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Block>) {
                    match &self.0 {
                        #[cfg(target_arch = "x86_64")]
                        Engine::Generated(kernels) => kernels.decrypt(blocks),
                        Engine::Fallback(cipher) => cipher.decrypt_blocks_inout(blocks),
                    }
                }

                #[inline]
                fn decrypt_blocks(&self, blocks: &mut [Block]) {
                    self.decrypt_blocks_inout(blocks.into());
                }

                #[inline]
                fn decrypt_blocks_b2b(&self, in_blocks: &[Block], out_blocks: &mut [Block]) -> Result<(), NotEqualError> {
                    InOutBuf::new(in_blocks, out_blocks).map(|blocks| self.decrypt_blocks_inout(blocks))
                }
            }

            impl Keystream for $name {
                #[inline]
                fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>) {
                    match &self.0 {
                        #[cfg(target_arch = "x86_64")]
                        Engine::Generated(kernels) => kernels.xor_keystream(counter, data),
                        Engine::Fallback(cipher) => xor_keystream_of(cipher, counter, data),
                    }
                }
            }

            impl AlgorithmName for $name {
                fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(stringify!($name))
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($name)).field("width", &self.width()).finish_non_exhaustive()
                }
            }

            impl ZeroizeOnDrop for $name {}
        )*
    };
}

aria! {
    Aria128, "128", consts::U16;
    Aria192, "192", consts::U24;
    Aria256, "256", consts::U32;
}

/// Round keys, and who works with them.
// keys are used in place, so that no copy of one is left behind
#[allow(clippy::large_enum_variant)]
enum Engine<F> {
    /// Our kernels.
    #[cfg(target_arch = "x86_64")]
    Generated(engine::Kernels),
    /// Crate `aria`.
    Fallback(F),
}

impl<F> Engine<F> {
    fn width(&self) -> Width {
        match self {
            #[cfg(target_arch = "x86_64")]
            Engine::Generated(kernels) => kernels.width(),
            Engine::Fallback(_) => Width::Fallback,
        }
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> {
        #[cfg(target_arch = "x86_64")]
        let rows = match self {
            Engine::Generated(kernels) => Some(kernels.rows()),
            Engine::Fallback(_) => None,
        };
        #[cfg(not(target_arch = "x86_64"))]
        let rows = None::<core::iter::Empty<_>>;
        rows.into_iter().flatten()
    }
}
