//! Division of a part of the text into tiles (the offsets of one CUDA block), and the bits of a symbol code.

use crate::gpu::Gpu;

/// Supported numbers of bits of a symbol code. There is a kernel for each.
pub(super) const PLANES: [u32; 6] = [1, 2, 3, 5, 8, 12];

/// Possible numbers of words in a tile, each for 32 offsets. Small tiles share a multiprocessor, so that one builds its
/// bit vectors while others count. If there are many vectors, large tiles need to build fewer words of each.
pub(super) const TILES: [u32; 2] = [512, 2048];

/// Number of words of a tile (32 offsets each) that each thread counts.
pub(super) const WORDS: u32 = 4;

/// Number of blocks with small tiles that a multiprocessor runs at the same time.
const BLOCKS: u32 = 4;

/// The division of a part of the text into tiles, one for each CUDA block.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileShape {
    pub(super) offsets: u64,
    /// Number of words in a tile. Each word covers 32 offsets.
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

    /// Returns the shapes with both sizes of tiles, even if one of them would be slow.
    #[cfg(test)]
    pub(super) fn all(gpu: &Gpu, offsets: u64, m: u64) -> [Self; 2] {
        let shared = gpu.shared_bytes();
        let shape = |tile, shared_bytes| Self { offsets, tile, shared_bytes, narrow: m < 1 << 16 };
        [shape(TILES[0], shared / BLOCKS), shape(TILES[1], shared)]
    }

    /// Returns the number of tiles that cover all offsets of the part.
    pub(super) fn tiles(&self) -> u32 {
        (self.offsets as u32).div_ceil(32 * self.tile)
    }
}

/// Returns the number of bits in a code: the least of [`PLANES`] that suffices for `codes` codes, of which there are at
/// most 2^12.
pub(super) fn planes(codes: usize) -> u32 {
    let bits = codes.next_power_of_two().trailing_zeros();
    PLANES.into_iter().find(|&planes| planes >= bits).unwrap_or(PLANES[PLANES.len() - 1])
}
