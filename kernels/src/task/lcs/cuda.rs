//! The CUDA engine: the subsequence as a [pipeline of bands](crate::pair::cuda) (groups of rows of the matrix). Costs
//! are negative lengths.

use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::gpu::compile::KernelSource;
use crate::pair::cpu::PairOutput;
use crate::pair::cuda::{DeviceRecurrence, KernelSpec, recurrence::lcs::layouts};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::lcs::cpu;

/// The recurrence of the longest common subsequence for GPUs, in bands of rows.
pub(crate) struct DeviceLcs;

impl DeviceRecurrence for DeviceLcs {
    const KERNEL_SPEC: KernelSpec = KernelSpec { layouts, pads_columns: false, rises: false };

    fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: PairOutput, run: &Run) -> Result<(i64, Option<Alignment>), Halt> {
        let (length, alignment) = cpu::solve(a, b, alphabet, want.into(), &Cpu::SINGLE, run)?;
        Ok((-(length as i64), alignment))
    }
}

/// Lists every variant of the kernels that a longest common subsequence can need.
pub fn variants() -> Vec<KernelSource> {
    DeviceLcs::KERNEL_SPEC.sources()
}
