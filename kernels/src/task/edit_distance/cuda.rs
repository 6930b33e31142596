//! The CUDA engine: edit distance as a [pipeline of bands](crate::pair::cuda) (groups of rows of the matrix).
//!
//! There are two kernels. Kernels with rows [skewed] bit by bit, with many words per lane, serve pairs that keep the
//! GPU busy. Kernels with a lane's rows on one [carry](mod@carried) chain serve pairs in which each band waits for the
//! band above.
//!
//! Rows must come in whole bands. Therefore the same number of symbols 0 is appended to both texts; a common suffix
//! does not change the distance. An optimal path may then cross the last row of a band right of the last column. From
//! where the path first leaves the last column, it may as well go down to the end of the rows and then straight on.
//! Therefore such crossings are taken at the last column.

use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::gpu::compile::KernelSource;
use crate::pair::cpu::PairOutput;
use crate::pair::cuda::recurrence::{carried, skewed};
use crate::pair::cuda::{DeviceRecurrence, KernelSpec, KernelVariant};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::edit_distance::cpu;

pub use crate::pair::cuda::{MAX_DEVICE_DISTINCT_SYMBOLS, MAX_DEVICE_SYMBOLS};

/// The recurrence of the edit distance for GPUs, in bands of rows.
pub(crate) struct DeviceEditDistance;

impl DeviceRecurrence for DeviceEditDistance {
    const KERNEL_SPEC: KernelSpec = KernelSpec { layouts, pads_columns: true, rises: true };

    fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: PairOutput, run: &Run) -> Result<(i64, Option<Alignment>), Halt> {
        let (distance, alignment) = cpu::solve(a, b, alphabet, want.into(), &Cpu::SINGLE, run)?;
        Ok((distance as i64, alignment))
    }
}

/// Lists every variant of the kernels that an edit distance of Levenshtein can need.
pub fn variants() -> Vec<KernelSource> {
    DeviceEditDistance::KERNEL_SPEC.sources()
}

fn layouts() -> Vec<KernelVariant> {
    skewed::layouts().chain(carried::layouts()).collect()
}
