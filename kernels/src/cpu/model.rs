//! Which CPU this is: for people to read, and for what CPUID has no feature bit for.

use core::fmt;

#[cfg(target_arch = "x86_64")]
use super::{Registers, cpuid};

/// Family and model of register eax of CPUID leaf 1, the extended fields added where they count.
pub(super) const fn family_model(eax: u32) -> (u32, u32) {
    let (base, model) = (eax >> 8 & 0xf, eax >> 4 & 0xf);
    let family = if base == 15 { base + (eax >> 20 & 0xff) } else { base };
    (family, if matches!(base, 6 | 15) { eax >> 12 & 0xf0 | model } else { model })
}

/// A CPU's own name, and the numbers of its design.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Model {
    name: [u8; 48],
    /// The family, the extended one included.
    pub family: u32,
    /// The model within the family, the extended one included.
    pub model: u32,
}

impl Model {
    /// Of register eax of CPUID leaf 1, and the twelve registers of leaves 0x8000_0002 to 0x8000_0004, zero where there
    /// are no such leaves (Intel SDM volume 2, CPUID).
    ///
    /// ```
    /// use byways_kernels::cpu::Model;
    /// let model = Model::of(0x000c_06f2, [0; 12]);
    /// assert_eq!((model.family, model.model, model.name()), (6, 207, ""));
    /// assert_eq!(Model::of(0x00a2_0f10, [0; 12]).family, 25);
    /// ```
    pub fn of(leaf1_eax: u32, name: [u32; 12]) -> Self {
        let (family, model) = family_model(leaf1_eax);
        let mut bytes = [0; 48];
        for (bytes, register) in bytes.as_chunks_mut().0.iter_mut().zip(name) {
            *bytes = register.to_le_bytes();
        }
        Model { name: bytes, family, model }
    }

    /// Of the CPU that this runs on; none on other architectures than x86-64.
    pub fn get() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            let mut name = [0; 12];
            if cpuid(0x8000_0000).eax >= 0x8000_0004 {
                for (registers, leaf) in name.as_chunks_mut().0.iter_mut().zip(0x8000_0002..) {
                    let Registers { eax, ebx, ecx, edx } = cpuid(leaf);
                    *registers = [eax, ebx, ecx, edx];
                }
            }
            Some(Model::of(cpuid(1).eax, name))
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// What it calls itself; empty if it does not say.
    pub fn name(&self) -> &str {
        let end = self.name.iter().position(|&byte| byte == 0).unwrap_or(self.name.len());
        core::str::from_utf8(&self.name[..end]).unwrap_or_default().trim()
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name().is_empty() { "a nameless CPU" } else { self.name() };
        write!(f, "{name} (family {}, model {})", self.family, self.model)
    }
}
