//! AES keys: [`Aes128`], [`Aes192`], [`Aes256`].

use core::fmt;

use byways_kernels::cpu::Detected;
use byways_kernels::inout::InOutBuf;
use cipher::{AlgorithmName, InnerIvInit, Key, KeyInit, KeySizeUser, StreamCipher, consts};
use zeroize::ZeroizeOnDrop;

use crate::ctr::Keystream;
use crate::dispatch::{Width, widest};
#[cfg(target_arch = "x86_64")]
use crate::plan;
#[cfg(target_arch = "x86_64")]
use byways_kernels::{ctr::CtrFn, keys::RoundKeys};

macro_rules! aes {
    ($($name:ident, $bits:literal, $key_size:ty, $round_keys:literal, $tiers:ident;)*) => {
        $(
            #[doc = concat!("An AES key of ", $bits, " bits (FIPS 197), for counter mode: [`Ctr128BE`](crate::ctr::Ctr128BE) and its like.")]
            ///
            /// The round keys are wiped on drop. Which kernels it uses is settled when it is built. Share it by
            #[doc = concat!("reference: `Ctr128BE<&", stringify!($name), ">` takes messages under one key without copying it.")]
            pub struct $name(Engine<$round_keys, aes::$name>);

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
                    without_copies(|| Self::build(key, Some(width)))
                }

                fn build(key: &Key<Self>, width: Option<Width>) -> Self {
                    let cpu = Detected::get();
                    let limit = widest(width, cpu);
                    #[cfg(target_arch = "x86_64")]
                    if let (Some((tier, plan)), Some(aes)) = (plan::plan(&plan::$tiers, limit, cpu), cpu.aes()) {
                        return $name(Engine::Generated {
                            keys: RoundKeys::<$round_keys>::new(key.into(), aes),
                            plan: *plan,
                            tier,
                        });
                    }
                    let _ = limit;
                    $name(Engine::Fallback(aes::$name::new(key)))
                }

                /// The widest registers that it uses.
                pub fn width(&self) -> Width {
                    self.0.width()
                }

                /// Up to so many bytes of a message, the kernel of this name; none on the fallback.
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
                    without_copies(|| Self::build(key, None))
                }
            }

            impl Clone for $name {
                #[inline]
                fn clone(&self) -> Self {
                    // straight to the result: a place where both variants meet would keep a copy
                    without_copies(|| match &self.0 {
                        #[cfg(target_arch = "x86_64")]
                        Engine::Generated { keys, plan, tier } => {
                            $name(Engine::Generated { keys: keys.clone(), plan: *plan, tier })
                        }
                        Engine::Fallback(cipher) => $name(Engine::Fallback(cipher.clone())),
                    })
                }
            }

            impl Keystream for $name {
                #[inline]
                fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>) {
                    self.0.xor_keystream(counter, data)
                }
            }

            impl AlgorithmName for $name {
                fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(concat!("Aes", $bits))
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

aes! {
    Aes128, "128", consts::U16, 11, AES128;
    Aes192, "192", consts::U24, 13, AES192;
    Aes256, "256", consts::U32, 15, AES256;
}

/// What `make` makes. Unoptimised code leaves a copy on the stack wherever it returns a value; that is wiped.
#[inline(always)]
fn without_copies<T>(make: impl FnOnce() -> T) -> T {
    struct Wipe;

    impl Drop for Wipe {
        fn drop(&mut self) {
            zeroize::zeroize_stack::<8192>();
        }
    }

    #[inline(never)]
    fn apart<T>(make: impl FnOnce() -> T) -> T {
        make()
    }

    if !cfg!(debug_assertions) {
        return make();
    }
    // on drop, for a result with a name would be one copy more
    let _wipe = Wipe;
    apart(make)
}

/// Round keys, and who works with them.
enum Engine<const R: usize, F> {
    /// Our kernels.
    #[cfg(target_arch = "x86_64")]
    Generated { keys: RoundKeys<R>, plan: plan::Plan<CtrFn<R>>, tier: &'static plan::Tier<CtrFn<R>> },
    /// Crates `aes` and `ctr`.
    Fallback(F),
}

impl<const R: usize, F> Engine<R, F> {
    fn width(&self) -> Width {
        match self {
            #[cfg(target_arch = "x86_64")]
            Engine::Generated { tier, .. } => tier.width(),
            Engine::Fallback(_) => Width::Fallback,
        }
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> {
        #[cfg(target_arch = "x86_64")]
        let rows = match self {
            Engine::Generated { tier, .. } => Some(tier.rows()),
            Engine::Fallback(_) => None,
        };
        #[cfg(not(target_arch = "x86_64"))]
        let rows = None::<core::iter::Empty<_>>;
        rows.into_iter().flatten()
    }
}

impl<const R: usize, F: cipher::BlockCipherEncrypt + cipher::BlockSizeUser<BlockSize = consts::U16>> Engine<R, F> {
    /// As a kernel does: the low 64 bits of the counter count.
    #[inline]
    fn xor_keystream(&self, counter: u128, data: InOutBuf<'_, '_, u8>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Engine::Generated { keys, plan, .. } => plan.kernel(data.len()).run(keys, counter, data),
            Engine::Fallback(cipher) => fallback(cipher, counter, data),
        }
    }
}

#[cfg_attr(target_arch = "x86_64", cold)]
fn fallback<C: cipher::BlockCipherEncrypt + cipher::BlockSizeUser<BlockSize = consts::U16>>(
    cipher: &C,
    counter: u128,
    data: InOutBuf<'_, '_, u8>,
) {
    let core = ctr::CtrCore::<&C, ctr::flavors::Ctr64BE>::inner_iv_init(cipher, &counter.to_be_bytes().into());
    cipher::StreamCipherCoreWrapper::from_core(core).unchecked_apply_keystream_inout(data);
}
