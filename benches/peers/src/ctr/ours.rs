//! Our kernels, by the names that the registry has for them.

use byways::cpu::{Detected, Kernel, Proven};
use byways::ctr::{Field, xor_keystream};
use byways::keys::AesKeys;
use byways::{Registered, kernels};
use byways_kernels::ctr::Ctr;

use super::{LeftOut, Peer};
use crate::options::distinct;

/// How the names end of those that are measured unless others are asked for.
const DEFAULTS: [&str; 3] = ["by8_xmm", "by16_ymm", "by16_zmm"];

/// A kernel with a key.
#[derive(Debug)]
pub(super) struct Ours {
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

/// Those that are chosen for the key and can run; and those that are chosen and cannot.
pub(super) fn chosen(key: &[u8], names: &[String], cpu: Detected) -> (Vec<Ours>, Vec<LeftOut>) {
    let (mut ours, mut missing) = (Vec::new(), Vec::new());
    for kernel in of_bits(key.len() * 8).filter(|kernel| is_chosen(kernel, names)) {
        match (kernel.prove(cpu), cpu.aes()) {
            (Ok(proven), Some(aes)) => {
                let keys = AesKeys::new(key, aes).expect("a key of a kernel's length");
                ours.push(Ours { name: kernel.name(), kernel: proven, keys });
            }
            (Ok(_), None) => unreachable!("a kernel without AES-NI"),
            (Err(error), _) => missing.push((kernel.name(), error)),
        }
    }
    (ours, missing)
}

/// Fails if one of the names chooses nothing.
pub(super) fn check(names: &[String], bits: &[u16]) -> Result<(), String> {
    let all = || bits.iter().flat_map(|&bits| of_bits(bits.into()));
    match names.iter().find(|name| !all().any(|kernel| matches(kernel.name(), name))) {
        None => Ok(()),
        Some(name) => {
            let ends = distinct(all().filter_map(|kernel| kernel.name().split_once("_ctr_")).map(|(_, end)| end));
            let whole = all().next().map_or("", |kernel| kernel.name());
            let bits: Vec<String> = bits.iter().map(u16::to_string).collect();
            Err(format!(
                "no kernel for a key of {} bits is called `{name}`, or ends so; there are {}, and whole names such as \
                 {whole}",
                bits.join(" or "),
                ends.join(", ")
            ))
        }
    }
}

fn is_chosen(kernel: &Kernel<Ctr>, names: &[String]) -> bool {
    if names.is_empty() {
        kernel.name().split_once("_ctr_").is_some_and(|(_, end)| DEFAULTS.contains(&end))
    } else {
        names.iter().any(|name| matches(kernel.name(), name))
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

    #[test]
    fn what_cannot_run_is_named() {
        let none = Detected::get().only(Features::NONE);
        let (ours, missing) = chosen(&[0; 16], &[], none);
        assert!(ours.is_empty());
        assert_eq!(missing.len(), DEFAULTS.len());
        assert!(missing.iter().any(|(name, missing)| *name == "aes128_ctr_by8_xmm" && missing.0.has("aes")));
        let (_, missing) = chosen(&[0; 32], &["by32_zmm".to_owned()], none);
        assert!(missing.len() == 1 && missing[0].0 == "aes256_ctr_by32_zmm", "{missing:?}");
    }

    #[test]
    fn names_that_choose_nothing_are_refused() {
        let check = |name: &str, bits: &[u16]| check(&[name.to_owned()], bits);
        assert_eq!(check("by32_zmm", &[128]), Ok(()));
        assert_eq!(check("aes192_ctr_by16_ymm", &[128, 192]), Ok(()));
        assert!(check("aes192_ctr_by16_ymm", &[128]).is_err());
        for wrong in ["", "6_zmm", "_zmm", "by7_zmm", "aes128"] {
            let error = check(wrong, &[128, 256]).unwrap_err();
            assert!(error.contains(&format!("`{wrong}`")) && error.contains("by16_zmm, "), "{error}");
        }
    }
}
