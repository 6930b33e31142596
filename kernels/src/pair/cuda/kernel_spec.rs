//! Kernel spec: properties of a recurrence that both the GPU and the host must know: the trait [`DeviceRecurrence`],
//! and the variants of its kernels ([`KernelSpec`], [`KernelVariant`]).

use std::fmt::{self, Debug, Formatter};

use super::shape::PairSize;
use crate::alignment::Alignment;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DONE, KEPT, OVER, SAID, STOP, TICKET, WISH};
use crate::pair::cpu::PairOutput;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Memory for the state of a thread that is interrupted before its end, in bytes: all of its registers.
pub(super) const THREAD_STATE_BYTES: u64 = 1056;

/// A recurrence that both the GPU and the host can solve. The result is a least cost: a distance, or the negative
/// length of a subsequence.
pub(crate) trait DeviceRecurrence: 'static {
    /// Properties of the kernels that compute this recurrence on a GPU.
    const KERNEL_SPEC: KernelSpec;

    /// Solves the matrix of `a` and `b` on one core of the host. Symbols must be below `alphabet`. Returns the least
    /// cost, and an optimal alignment if `want` requests it.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: PairOutput, run: &Run) -> Result<(i64, Option<Alignment>), Halt>;
}

/// Properties of a recurrence's kernels that the host must know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelSpec {
    /// Function that lists all variants of the kernels.
    pub(crate) layouts: fn() -> Vec<KernelVariant>,
    /// Whether the columns' text is padded by as many symbols as the rows' text.
    pub(crate) pads_columns: bool,
    /// Whether the cost rises by 1 per row down the left edge of the matrix. Otherwise it stays the same.
    pub(crate) rises: bool,
}

/// A kernel of a recurrence, from whose source all its variants are compiled.
#[derive(Clone, Copy)]
pub(crate) struct KernelTemplate {
    /// Name of the kernel, which also identifies it.
    pub(crate) name: &'static str,
    /// Source text: the files that the recurrence's own file needs, this file, `bands.cuh`, and, if paths are traced,
    /// `paths.cuh`.
    pub(crate) text: &'static str,
}

impl PartialEq for KernelTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name // comparing their texts takes longer than a small job
    }
}

impl Debug for KernelTemplate {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        to.write_str(self.name)
    }
}

/// A variant of a kernel: its compile-time layout, and its speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KernelVariant {
    /// Kernel from which the variant is compiled.
    pub(crate) kernel: KernelTemplate,
    /// Number of 32-row words that a lane processes.
    pub(crate) words: u32,
    /// Number of bits of a symbol number.
    pub(crate) planes: u32,
    /// Number of bits of a digit of a symbol number.
    pub(crate) bits: u32,
    /// Number of columns between two exchanges of results among the lanes of a warp.
    pub(crate) group: u32,
    /// Number of 32-column blocks between reading a word of the border row above a band and writing the same word of
    /// the band's own border row.
    pub(crate) lag: u32,
    /// Number of 32-bit words that store the symbols of a 32-column block.
    pub(crate) text_words: u32,
    /// Number of bit planes that store the symbols of the rows.
    pub(crate) row_planes: u32,
    /// Number of words that a warp records for each column, for the traceback.
    pub(crate) record_words: u32,
    /// Maximum number of warps in a block.
    pub(crate) warps: u32,
    /// Shared memory that each warp of a block needs, in bytes.
    pub(crate) shared: u32,
    /// Number of clock cycles per column for a warp that has a scheduler of the multiprocessor for itself.
    pub(crate) alone: f64,
    /// Number of clock cycles per column for which a warp keeps a scheduler busy.
    pub(crate) busy: f64,
}

impl KernelSpec {
    /// Lists the source text and constants of every variant of the kernels.
    pub(crate) fn sources(&self) -> Vec<KernelSource> {
        (self.layouts)().iter().map(|layout| self.source(layout)).collect()
    }

    /// Lists, for each kernel, the variants with the fewest bit planes, but at least `planes`, which distinguish `1 <<
    /// planes` symbols.
    pub(super) fn fitting(&self, planes: u32) -> impl Iterator<Item = KernelVariant> + use<> {
        let layouts = (self.layouts)();
        let fits = |layout: &KernelVariant| layout.planes >= planes;
        let least = |kernel: KernelTemplate| layouts.iter().filter(|one| one.kernel == kernel && fits(one)).map(|one| one.planes).min();
        let fitting: Vec<KernelVariant> =
            layouts.iter().filter(|one| fits(one) && least(one.kernel) == Some(one.planes)).copied().collect();
        fitting.into_iter()
    }

    pub(super) fn source(&self, layout: &KernelVariant) -> KernelSource {
        let defines = vec![
            ("WORDS", layout.words.into()),
            ("PLANES", layout.planes.into()),
            ("BITS", layout.bits.into()),
            ("GROUP", layout.group.into()),
            ("THREADS", (layout.warps * 32).into()),
            ("TICKET", TICKET),
            ("STOP", STOP),
            ("DONE", DONE),
            ("KEPT", KEPT),
            ("STATE", THREAD_STATE_BYTES),
            ("SAID", SAID),
            ("OVER", OVER),
            ("WISH", WISH),
        ];
        KernelSource { name: layout.kernel.name, text: layout.kernel.text, defines }
    }

    /// Converts `cost`, the cost of a path through a matrix of this `size`, to the path's number of insertions,
    /// deletions and substitutions.
    pub(super) fn distance(&self, cost: i64, size: PairSize) -> u64 {
        if self.rises { cost.unsigned_abs() } else { size.rows + size.columns - 2 * cost.unsigned_abs() }
    }

    /// Returns the cost of a path straight down `rows` rows, without a column.
    pub(super) fn edge(&self, rows: u64) -> i64 {
        if self.rises { rows as i64 } else { 0 }
    }
}
