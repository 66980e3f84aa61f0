//! The generated kernels, and which of them for how many blocks.

use byways_kernels::cpu::Detected;
use byways_kernels::inout::InOutBuf;

use super::Block;
use crate::dispatch::Width;

/// Kernels that this CPU runs.
#[derive(Clone, Copy)]
pub(crate) enum Plan {}

impl Plan {
    /// Those of the widest tier up to `limit`, if there is one.
    pub(crate) fn new(_limit: Width, _cpu: Detected) -> Option<Self> {
        None
    }
}

/// The round keys of both directions, wiped on drop, and the kernels that work with them.
#[derive(Clone)]
pub(crate) struct Kernels {
    plan: Plan,
}

impl Kernels {
    /// Of a key of 16, 24 or 32 bytes.
    pub(crate) fn new(_key: &[u8], plan: Plan) -> Self {
        match plan {}
    }

    /// Encrypts any number of blocks.
    pub(crate) fn encrypt(&self, _blocks: InOutBuf<'_, '_, Block>) {
        match self.plan {}
    }

    /// Decrypts any number of blocks.
    pub(crate) fn decrypt(&self, _blocks: InOutBuf<'_, '_, Block>) {
        match self.plan {}
    }

    /// Xors the keystream that starts at `counter` into the data, of any length. The low 64 bits of the counter count.
    pub(crate) fn xor_keystream(&self, _counter: u128, _data: InOutBuf<'_, '_, u8>) {
        match self.plan {}
    }

    /// The widest registers that are used.
    pub(crate) fn width(&self) -> Width {
        match self.plan {}
    }

    /// Up to so many bytes at a time, the kernel of this name.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'static str)> + use<> {
        match self.plan {}
        #[allow(unreachable_code)]
        core::iter::empty()
    }
}
