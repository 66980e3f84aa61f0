//! The library, and our kernels by the names that the registry has for them.

use byways::cipher::{InnerIvInit, Key, KeyInit, StreamCipher};
use byways::cpu::{Detected, Kernel, Proven};
use byways::ctr::{Ctr128BE, Field, Keystream, xor_keystream};
use byways::keys::AesKeys;
use byways::{Aes128, Aes192, Aes256, Registered, Width, kernels};
use byways_kernels::ctr::Ctr;

use super::{LeftOut, Peer, Peers};
use crate::options::distinct;

/// Who is measured unless others are asked for: the library, and of the kernels those whose names end so.
const DEFAULTS: [&str; 4] = ["byways", "by8_xmm", "by16_ymm", "by16_zmm"];

/// The library as users have it, with registers as wide as it likes or at most so wide.
const LIBRARY: [(&str, Option<Width>); 5] = [
    ("byways", None),
    ("byways fallback", Some(Width::Fallback)),
    ("byways xmm", Some(Width::Xmm)),
    ("byways ymm", Some(Width::Ymm)),
    ("byways zmm", Some(Width::Zmm)),
];

/// The library with a key. A message is a `Ctr128BE<&Aes128>`, as of crates `aes` and `ctr`.
struct Library<C> {
    name: &'static str,
    width: Width,
    aes: C,
}

/// With a key of 16, 24 or 32 bytes.
fn library(name: &'static str, key: &[u8], limit: Option<Width>) -> Result<Box<dyn Peer>, String> {
    macro_rules! sized {
        ($aes:ident) => {{
            let key = <&Key<$aes>>::try_from(key).expect("a key of the cipher's length");
            let aes = limit.map_or_else(|| $aes::new(key), |width| $aes::with_max_width(key, width));
            let width = aes.width();
            (width, Box::new(Library { name, width, aes }) as Box<dyn Peer>)
        }};
    }
    let (width, peer) = match key.len() {
        16 => sized!(Aes128),
        24 => sized!(Aes192),
        32 => sized!(Aes256),
        bytes => panic!("no AES key has {bytes} bytes"),
    };
    if limit.is_some_and(|limit| width < limit) { Err(format!("here it goes up to {width} only")) } else { Ok(peer) }
}

impl<C: Keystream> Peer for Library<C> {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> String {
        format!("{:<15} byways {}, Ctr128BE<&Aes*>, {}", self.name, env!("CARGO_PKG_VERSION"), self.width)
    }

    fn apply(&mut self, iv: &[u8; 16], data: &mut [u8]) {
        Ctr128BE::inner_iv_init(&self.aes, iv.into()).apply_keystream(data);
    }
}

/// A kernel with a key.
#[derive(Debug)]
struct Ours {
    name: &'static str,
    kernel: Proven<Ctr>,
    keys: AesKeys,
}

impl Peer for Ours {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> String {
        concat!("aes*_ctr_*      byways ", env!("CARGO_PKG_VERSION"), ", byways::ctr::xor_keystream").to_owned()
    }

    fn apply(&mut self, iv: &[u8; 16], data: &mut [u8]) {
        let counter = u128::from_be_bytes(*iv);
        xor_keystream(self.kernel, &self.keys, counter, Field::Bits128, data.into())
            .expect("keys of the kernel's size");
    }
}

/// Those that are chosen for the key and can run, the library first; and those that are chosen and cannot.
pub(super) fn chosen(key: &[u8], names: &[String], cpu: Detected) -> (Peers, Vec<LeftOut>) {
    let (mut ours, mut missing): (Peers, _) = (Vec::new(), Vec::new());
    for (name, width) in LIBRARY.into_iter().filter(|(name, _)| is_chosen(name, names)) {
        match library(name, key, width) {
            Ok(peer) => ours.push(peer),
            Err(why) => missing.push((name, why)),
        }
    }
    for kernel in of_bits(key.len() * 8).filter(|kernel| is_chosen(kernel.name(), names)) {
        match (kernel.prove(cpu), cpu.aes()) {
            (Ok(proven), Some(aes)) => {
                let keys = AesKeys::new(key, aes).expect("a key of a kernel's length");
                ours.push(Box::new(Ours { name: kernel.name(), kernel: proven, keys }));
            }
            (Ok(_), None) => unreachable!("a kernel without AES-NI"),
            (Err(error), _) => missing.push((kernel.name(), error.to_string())),
        }
    }
    (ours, missing)
}

/// Fails if one of the names chooses nothing.
pub(super) fn check(names: &[String], bits: &[u16]) -> Result<(), String> {
    let all = || bits.iter().flat_map(|&bits| of_bits(bits.into()));
    let library = LIBRARY.map(|(name, _)| name);
    let is_none = |name: &&String| !all().map(Kernel::name).chain(library).any(|other| matches(other, name));
    match names.iter().find(is_none) {
        None => Ok(()),
        Some(name) => {
            let ends = distinct(all().filter_map(|kernel| kernel.name().split_once("_ctr_")).map(|(_, end)| end));
            let whole = all().next().map_or("", |kernel| kernel.name());
            let bits: Vec<String> = bits.iter().map(u16::to_string).collect();
            Err(format!(
                "no kernel for a key of {} bits is called `{name}`, or ends so; there are {}, whole names such as \
                 {whole}, and {}",
                bits.join(" or "),
                ends.join(", "),
                library.join(", ")
            ))
        }
    }
}

/// Whether one of the names chooses it, or, if there are none, it is one of the usual.
fn is_chosen(who: &str, names: &[String]) -> bool {
    if names.is_empty() {
        DEFAULTS.contains(&who.split_once("_ctr_").map_or(who, |(_, end)| end))
    } else {
        names.iter().any(|name| matches(who, name))
    }
}

/// Whether the kernel is called so, or its name ends so behind a `_`.
fn matches(kernel: &str, name: &str) -> bool {
    kernel.strip_suffix(name).is_some_and(|rest| rest.is_empty() || !name.is_empty() && rest.ends_with('_'))
}

fn of_bits(bits: usize) -> impl Iterator<Item = &'static Kernel<Ctr>> {
    kernels().filter_map(move |registered| match registered {
        Registered::Ctr(kernel) if kernel.function().key_len() * 8 == bits => Some(kernel),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use byways::cpu::Features;

    use super::*;

    fn names(peers: &Peers) -> Vec<&str> {
        peers.iter().map(|peer| peer.name()).collect()
    }

    #[test]
    fn what_cannot_run_is_named() {
        let none = Detected::get().only(Features::NONE);
        let (ours, missing) = chosen(&[0; 16], &[], none);
        assert_eq!(names(&ours), ["byways"]);
        assert_eq!(missing.len(), DEFAULTS.len() - 1);
        assert!(missing.iter().any(|(name, why)| *name == "aes128_ctr_by8_xmm" && why.contains("aes")), "{missing:?}");
        let (ours, missing) = chosen(&[0; 32], &["by32_zmm".to_owned()], none);
        assert!(ours.is_empty());
        assert!(missing.len() == 1 && missing[0].0 == "aes256_ctr_by32_zmm", "{missing:?}");
    }

    #[test]
    fn the_library_is_chosen_by_its_whole_name() {
        let choose = |name: &str| {
            let (ours, missing) = chosen(&[0; 24], &[name.to_owned()], Detected::get());
            let mut all: Vec<String> = names(&ours).into_iter().map(str::to_owned).collect();
            all.extend(missing.into_iter().map(|(name, _)| name.to_owned()));
            all
        };
        for (name, _) in LIBRARY {
            assert_eq!(choose(name), [name]);
        }
        assert!(choose("xmm").iter().all(|name| name.starts_with("aes192_ctr_")));
    }

    #[test]
    fn narrower_than_its_name_is_left_out() {
        let widest = Aes128::new(&[0; 16].into()).width();
        for (name, width) in LIBRARY {
            let fits = width.is_none_or(|width| width <= widest);
            match library(name, &[0; 16], width) {
                Ok(peer) => assert!(peer.about().contains(width.unwrap_or(widest).name())),
                Err(why) => assert!(!fits && why.contains("only"), "{name}: {why}"),
            }
        }
    }

    #[test]
    fn names_that_choose_nothing_are_refused() {
        let check = |name: &str, bits: &[u16]| check(&[name.to_owned()], bits);
        assert_eq!(check("by32_zmm", &[128]), Ok(()));
        assert_eq!(check("aes192_ctr_by16_ymm", &[128, 192]), Ok(()));
        assert_eq!(check("byways xmm", &[256]), Ok(()));
        assert!(check("aes192_ctr_by16_ymm", &[128]).is_err());
        for wrong in ["", "6_zmm", "_zmm", "by7_zmm", "aes128", "byways wmm"] {
            let error = check(wrong, &[128, 256]).unwrap_err();
            assert!(error.contains(&format!("`{wrong}`")) && error.contains("by16_zmm, "), "{error}");
            assert!(error.ends_with("and byways, byways fallback, byways xmm, byways ymm, byways zmm"), "{error}");
        }
    }
}
