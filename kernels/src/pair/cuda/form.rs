//! Form: what a recurrence is to the device and to the host.

use std::fmt::{self, Debug, Formatter};

use super::shape::PairSize;
use crate::alignment::Alignment;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DONE, KEPT, OVER, SAID, STOP, TICKET, WISH};
use crate::pair::cpu::Want;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Room for the state of a thread that leaves before its end, in bytes: all of its registers.
pub(super) const STATE: u64 = 1056;

/// A recurrence, as the device and the host solve it. Costs are least: a distance, or the length of a subsequence, negative.
pub(crate) trait Rule: 'static {
    /// How its kernels work.
    const FORM: Form;

    /// Solves a part on one of the host's cores: its cost and, where wanted, its alignment.
    ///
    /// # Errors
    /// When the run is stopped.
    fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: Want, run: &Run) -> Result<(i64, Option<Alignment>), Halt>;
}

/// What the host must know of a rule's kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// Every variant.
    pub(crate) layouts: fn() -> Vec<Layout>,
    /// Whether columns are padded by as much as the rows.
    pub(crate) pads_columns: bool,
    /// Whether the cost rises down the left edge; else it stays the same.
    pub(crate) rises: bool,
}

/// A kernel of a rule, from which its variants are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    /// Its name.
    pub(crate) name: &'static str,
    /// The rule's own file, with what it needs before it, and `bands.cuh` and what needs that after it.
    pub(crate) text: &'static str,
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name // comparing their texts takes longer than a small job
    }
}

impl Debug for Kernel {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        to.write_str(self.name)
    }
}

/// A variant of a rule's kernel, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    /// What it is compiled from.
    pub(crate) kernel: Kernel,
    /// Words of 32 rows that a lane keeps.
    pub(crate) words: u32,
    /// Bits of a symbol number.
    pub(crate) planes: u32,
    /// Bits of a digit of it.
    pub(crate) bits: u32,
    /// Columns between two exchanges among the lanes.
    pub(crate) group: u32,
    /// Blocks of 32 columns from reading a word above to writing that word below.
    pub(crate) lag: u32,
    /// Words of a block of 32 columns.
    pub(crate) text_words: u32,
    /// Bit planes of the rows.
    pub(crate) row_planes: u32,
    /// Words that a warp leaves of a column for the way back.
    pub(crate) record_words: u32,
    /// Warps of the largest block.
    pub(crate) warps: u32,
    /// Shared memory of a warp in bytes.
    pub(crate) shared: u32,
    /// Clocks of a column in a warp that has its scheduler for itself.
    pub(crate) alone: f64,
    /// Clocks of a column that keep a scheduler busy.
    pub(crate) busy: f64,
}

impl Form {
    /// Every variant of the kernels, for a compiler.
    pub(crate) fn sources(&self) -> Vec<KernelSource> {
        (self.layouts)().iter().map(|layout| self.source(layout)).collect()
    }

    /// The variants of each kernel that tell `1 << planes` symbols apart with the fewest planes.
    pub(super) fn fitting(&self, planes: u32) -> impl Iterator<Item = Layout> + use<> {
        let layouts = (self.layouts)();
        let fits = |layout: &Layout| layout.planes >= planes;
        let least = |kernel: Kernel| layouts.iter().filter(|one| one.kernel == kernel && fits(one)).map(|one| one.planes).min();
        let fitting: Vec<Layout> = layouts.iter().filter(|one| fits(one) && least(one.kernel) == Some(one.planes)).copied().collect();
        fitting.into_iter()
    }

    pub(super) fn source(&self, layout: &Layout) -> KernelSource {
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
            ("STATE", STATE),
            ("SAID", SAID),
            ("OVER", OVER),
            ("WISH", WISH),
        ];
        KernelSource { name: layout.kernel.name, text: layout.kernel.text, defines }
    }

    /// Insertions, deletions and substitutions of a path of this cost.
    pub(super) fn distance(&self, cost: i64, size: PairSize) -> u64 {
        if self.rises { cost.unsigned_abs() } else { size.rows + size.columns - 2 * cost.unsigned_abs() }
    }

    /// Cost of so many rows without columns.
    pub(super) fn edge(&self, rows: u64) -> i64 {
        if self.rises { rows as i64 } else { 0 }
    }
}
