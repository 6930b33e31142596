//! How a part of the text is laid over a device: tiles of words, and bits of codes.

use crate::gpu::Gpu;

/// Bits of a code that there are kernels for.
pub(super) const PLANES: [u32; 6] = [1, 2, 3, 5, 8, 12];

/// Words of a tile. Small ones share a multiprocessor, so that one makes its vectors while others count; where there are many vectors
/// to make, large ones make fewer words of each.
pub(super) const TILES: [u32; 2] = [512, 2048];

/// Words of a tile for each thread.
pub(super) const WORDS: u32 = 4;

/// Blocks of small tiles that a multiprocessor has at a time.
const BLOCKS: u32 = 4;

/// How a part of the text is laid over a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileShape {
    pub(super) offsets: u64,
    /// Words of a tile, which is 32 times as many offsets.
    pub(super) tile: u32,
    /// Shared memory of a block.
    pub(super) shared_bytes: u32,
    /// Scores have 16 bits, else 32.
    pub(super) narrow: bool,
}

impl TileShape {
    pub(super) fn new(gpu: &Gpu, offsets: u64, m: u64) -> Self {
        let most = gpu.shared_bytes();
        let [small, large] = TILES;
        let fills = offsets >= 32 * u64::from(large) * u64::from(gpu.multiprocessors());
        let narrow = m < 1 << 16;
        // A vector of a large tile needs 16 KB.
        if fills && most >= 64 << 10 {
            Self { offsets, tile: large, shared_bytes: most, narrow }
        } else {
            Self { offsets, tile: small, shared_bytes: most / BLOCKS, narrow }
        }
    }

    /// Both shapes, whichever is the better one.
    #[cfg(test)]
    pub(super) fn all(gpu: &Gpu, offsets: u64, m: u64) -> [Self; 2] {
        let shared = gpu.shared_bytes();
        let shape = |tile, shared_bytes| Self { offsets, tile, shared_bytes, narrow: m < 1 << 16 };
        [shape(TILES[0], shared / BLOCKS), shape(TILES[1], shared)]
    }

    /// Tiles over all offsets.
    pub(super) fn tiles(&self) -> u32 {
        (self.offsets as u32).div_ceil(32 * self.tile)
    }
}

/// Bits of a code that there is a kernel for, for so many codes, at most 2^12.
pub(super) fn planes(codes: usize) -> u32 {
    let bits = codes.next_power_of_two().trailing_zeros();
    PLANES.into_iter().find(|&planes| planes >= bits).unwrap_or(PLANES[PLANES.len() - 1])
}
