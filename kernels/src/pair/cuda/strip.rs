//! Strips: both texts in the form that the kernels read: the symbols of the rows as bit planes, and the symbols of the
//! columns in blocks of 32.

use std::ops::Range;

use cudarc::driver::CudaSlice;

use super::DeviceWorkError;
use super::grid::DeviceGrid;
use super::shape::SweepShape;
use crate::gpu::session::{KernelArguments, LaunchGrid};

/// Number of threads in a block of a kernel that packs symbols.
pub(super) const STRIP_PACK_THREADS: u32 = 128;

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct StripArguments {
    pub(super) symbols: u64,
    pub(super) planes: u64,
    pub(super) starts: u64,
    pub(super) length: i64,
    pub(super) padded: i64,
    pub(super) size: u32,
    pub(super) reversed: u32,
    pub(super) words: u32,
    /// Number of padding rows above the first row, for a search.
    pub(super) before: u32,
}

// SAFETY: the same fields in the same order as the struct `Strip` in bands.cuh, without padding; the addresses are of
// buffers that `DeviceGrid` or `LongPatternSearch` holds until the work stream has passed the launch.
unsafe impl KernelArguments for StripArguments {}

impl DeviceGrid<'_> {
    /// Packs the symbols of the rows of `part`, which holds a range of rows and a range of columns, into the bit planes
    /// `planes`. Rows are in the order of the pass: forwards if `reversed` is 0, backwards if it is 1.
    pub(super) fn pack_rows(
        &self,
        shape: &SweepShape,
        part: &[Range<u64>; 2],
        reversed: u32,
        planes: &CudaSlice<u32>,
    ) -> Result<(), DeviceWorkError> {
        let strip = StripArguments {
            symbols: self.rows + part[0].start * u64::from(self.size),
            planes: self.session.address(planes),
            starts: 0,
            length: (part[0].end - part[0].start) as i64,
            padded: shape.rows as i64,
            size: self.size,
            reversed,
            words: shape.bands * shape.layout.words * 32,
            before: 0,
        };
        let launch = LaunchGrid { blocks: [strip.words.div_ceil(STRIP_PACK_THREADS), 1], threads: STRIP_PACK_THREADS, shared: 0 };
        let kernel = self.kernel("pack_rows", shape)?;
        // SAFETY: a thread for each of `words` groups of planes, and a symbol is read only below `length`.
        unsafe { self.session.launch_as(&kernel, launch, strip)? };
        Ok(())
    }

    /// Packs windows of the columns of `part`, which holds a range of rows and a range of columns, one after another to
    /// the GPU address `planes`. Each window has `width` blocks of 32 columns, and `starts` holds the first column of
    /// each. Columns are counted in the order of the pass: forwards if `reversed` is 0, backwards if it is 1.
    pub(super) fn pack_windows(
        &self,
        shape: &SweepShape,
        part: &[Range<u64>; 2],
        reversed: u32,
        starts: &[i64],
        width: u32,
        planes: u64,
    ) -> Result<(), DeviceWorkError> {
        if starts.is_empty() {
            return Ok(());
        }
        let uploaded = self.session.values(starts)?;
        let strip = StripArguments {
            symbols: self.columns + part[1].start * u64::from(self.size),
            planes,
            starts: self.session.address(&uploaded),
            length: (part[1].end - part[1].start) as i64,
            padded: shape.columns as i64,
            size: self.size,
            reversed,
            words: width,
            before: 0,
        };
        // Only the first dimension of the grid is used, because it may have more blocks than the second one.
        let launch =
            LaunchGrid { blocks: [width.div_ceil(STRIP_PACK_THREADS) * starts.len() as u32, 1], threads: STRIP_PACK_THREADS, shared: 0 };
        let kernel = self.kernel("pack_text", shape)?;
        // SAFETY: a thread for each of `width` blocks of each window, for which there is room at `planes`.
        unsafe { self.session.launch_as(&kernel, launch, strip)? };
        Ok(())
    }
}
