//! Size: the lengths of two texts and what else is known of them before they are compared, which every estimate begins with.

use crate::job::Task;
use crate::plan::{Effort, Work};
use crate::text::Pair;

/// What the planner knows of two texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Symbols of `a`.
    pub a: u64,
    /// Symbols of `b`.
    pub b: u64,
    /// Distinct symbols in both, or 1 where they are not known yet.
    pub alphabet: u64,
    /// Bytes of both.
    pub bytes: u64,
}

impl Size {
    /// |a|·|b|.
    pub fn cells(&self) -> u64 {
        self.a.saturating_mul(self.b)
    }

    /// So many cells of `task`, as far as lengths tell, each of which takes as long as so many; with what an offer is asked about
    /// beside them.
    pub fn work(&self, task: Task, cells: u64, passes: u64) -> Work {
        let effort = Effort { rated: cells.saturating_mul(passes), ..Effort::of(cells) };
        let symbols = self.a.max(self.b);
        Work { cpu: effort, cuda: effort, is_known: false, symbols, alphabet: self.alphabet, bytes: self.bytes, ..Work::of(task, cells) }
    }
}

impl From<&Pair> for Size {
    fn from(pair: &Pair) -> Self {
        let bytes = (pair.a.bytes().len() + pair.b.bytes().len()) as u64;
        Self { a: pair.a.len() as u64, b: pair.b.len() as u64, alphabet: pair.alphabet.into(), bytes }
    }
}
