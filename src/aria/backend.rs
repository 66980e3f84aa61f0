//! How mode crates get at the kernels.

use byways_kernels::inout::{InOut, InOutBuf};
use cipher::{BlockCipherDecBackend, BlockCipherEncBackend, BlockSizeUser, ParBlocks, ParBlocksSizeUser, consts};

use super::Block;
use super::engine::Kernels;

/// The kernels for one block, for a batch, and for what is left behind the last batch.
pub(super) struct Backend<'a>(pub(super) &'a Kernels);

impl BlockSizeUser for Backend<'_> {
    type BlockSize = consts::U16;
}

impl ParBlocksSizeUser for Backend<'_> {
    // Crates `ctr` and `cbc` take what is left behind the last batch block by block. A larger batch would make up for
    // that from 4 KiB on only.
    type ParBlocksSize = consts::U16;
}

impl BlockCipherEncBackend for Backend<'_> {
    #[inline]
    fn encrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.0.encrypt(alone(block));
    }

    #[inline]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.encrypt(blocks.into_buf());
    }

    #[inline]
    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.0.encrypt(blocks);
    }
}

impl BlockCipherDecBackend for Backend<'_> {
    #[inline]
    fn decrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.0.decrypt(alone(block));
    }

    #[inline]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.decrypt(blocks.into_buf());
    }

    #[inline]
    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.0.decrypt(blocks);
    }
}

/// One block, as any number of them.
#[inline]
fn alone<'i, 'o>(block: InOut<'i, 'o, Block>) -> InOutBuf<'i, 'o, Block> {
    block.into_buf().into_chunks().0
}
