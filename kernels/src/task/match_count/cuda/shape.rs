//! Placement of a part of the text on a device: tiles of words, and bits of codes.

use crate::gpu::Gpu;

/// Bits of a code for which there are kernels.
pub(super) const PLANES: [u32; 6] = [1, 2, 3, 5, 8, 12];

/// Words of a tile. Small tiles share a multiprocessor, so that one builds its vectors while others count. If there are
/// many vectors, large tiles need to build fewer words of each.
pub(super) const TILES: [u32; 2] = [512, 2048];

/// Words of a tile for each thread.
pub(super) const WORDS: u32 = 4;

/// Blocks of small tiles that a multiprocessor runs at a time.
const BLOCKS: u32 = 4;

/// The placement of a part of the text on a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileShape {
    pub(super) offsets: u64,
    /// Words of a tile. Each word covers 32 offsets.
    pub(super) tile: u32,
    /// Shared memory of a block, in bytes.
    pub(super) shared_bytes: u32,
    /// Whether scores have 16 bits. Otherwise they have 32.
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

    /// Returns both shapes, whichever is better.
    #[cfg(test)]
    pub(super) fn all(gpu: &Gpu, offsets: u64, m: u64) -> [Self; 2] {
        let shared = gpu.shared_bytes();
        let shape = |tile, shared_bytes| Self { offsets, tile, shared_bytes, narrow: m < 1 << 16 };
        [shape(TILES[0], shared / BLOCKS), shape(TILES[1], shared)]
    }

    /// Returns the number of tiles that cover all offsets.
    pub(super) fn tiles(&self) -> u32 {
        (self.offsets as u32).div_ceil(32 * self.tile)
    }
}

/// Returns the bits of a code with a kernel for `codes` codes, at most 2^12.
pub(super) fn planes(codes: usize) -> u32 {
    let bits = codes.next_power_of_two().trailing_zeros();
    PLANES.into_iter().find(|&planes| planes >= bits).unwrap_or(PLANES[PLANES.len() - 1])
}
