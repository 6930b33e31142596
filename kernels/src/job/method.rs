//! Method: the list of all published algorithms (methods) of papers 000 to 004, with names, tasks and publications.
//! Their implementations are in [`methods`](crate::methods).

use serde::{Deserialize, Serialize};

use crate::cbor_enum;

use super::Task;

/// A published algorithm (method) that can solve a task instead of the default algorithm. Methods of different tasks
/// may have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schema(as = Method))]
pub enum PaperMethod {
    /// Fills the matrix row by row.
    Sequential,
    /// Fills the matrix along its diagonals and stores three of them.
    Diagonal,
    /// Searches overlapping slices of the text, each along its diagonals.
    Slices,
    /// Stores two rows of the matrix of a longest common subsequence, and finds the subsequence by dividing a text in
    /// two.
    Hirschberg,
    /// Stores a column of the matrix of a longest common subsequence as a bit vector, and finds the subsequence by
    /// dividing a text in two.
    BitParallel,
    /// Stores the matrix of a longest common subsequence as bit vectors, in blocks of 1,024 bits and steps of 1,024
    /// columns.
    BitParallelBlocks,
    /// Compares the pattern with the text at every position, symbol by symbol.
    Naive,
    /// Stores the scores of several offsets in the bit fields of one long number, and adds to all of them at once for
    /// each symbol of the text.
    ShiftAdd,
    /// Stores a bit sequence for each distinct symbol of the pattern, which marks where the text has this symbol.
    ParallelShiftAdd,
    /// Uses the algorithm of Knuth, Morris and Pratt.
    Kmp,
    /// Uses the algorithm of Knuth, Morris and Pratt with a thread for each piece of the text.
    KmpBlocks,
}

cbor_enum!(PaperMethod {
    0 Sequential,
    1 Diagonal,
    2 Slices,
    3 Hirschberg,
    4 BitParallel,
    5 BitParallelBlocks,
    6 Naive,
    7 ShiftAdd,
    8 ParallelShiftAdd,
    9 Kmp,
    10 KmpBlocks,
});

/// The publication of a method for one task, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodPublication {
    /// Number of the paper in the table of [`methods`](crate::methods), such as `002`.
    pub paper: &'static str,
    /// Section of the paper, and the name of the pseudo-code in it.
    pub section: &'static str,
    /// Time on one core, as a formula of the text lengths m and n and the word length w in bits.
    pub time: &'static str,
}

impl PaperMethod {
    /// All methods of all tasks.
    pub const ALL: [Self; 11] = [
        Self::Sequential,
        Self::Diagonal,
        Self::Slices,
        Self::Hirschberg,
        Self::BitParallel,
        Self::BitParallelBlocks,
        Self::Naive,
        Self::ShiftAdd,
        Self::ParallelShiftAdd,
        Self::Kmp,
        Self::KmpBlocks,
    ];

    /// Returns the name in JSON, such as `bit-parallel`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Diagonal => "diagonal",
            Self::Slices => "slices",
            Self::Hirschberg => "hirschberg",
            Self::BitParallel => "bit-parallel",
            Self::BitParallelBlocks => "bit-parallel-blocks",
            Self::Naive => "naive",
            Self::ShiftAdd => "shift-add",
            Self::ParallelShiftAdd => "parallel-shift-add",
            Self::Kmp => "kmp",
            Self::KmpBlocks => "kmp-blocks",
        }
    }

    /// Returns the methods that solve `task`, the simplest first.
    pub fn for_task(task: Task) -> &'static [Self] {
        match task {
            Task::EditDistance => &[Self::Sequential, Self::Diagonal],
            Task::ApproximateSearch => &[Self::Sequential, Self::Diagonal, Self::Slices],
            Task::Lcs => &[Self::Hirschberg, Self::BitParallel, Self::BitParallelBlocks],
            Task::MatchCount => &[Self::Naive, Self::ShiftAdd, Self::ParallelShiftAdd],
            Task::ExactSearch => &[Self::Naive, Self::Kmp, Self::KmpBlocks],
            Task::SequenceAlignment => &[],
        }
    }

    /// Returns the publication of this method for a task, or `None` if the task has no such method.
    pub fn published(self, task: Task) -> Option<MethodPublication> {
        let (paper, section, time) = match (self, task) {
            (Self::Sequential, Task::EditDistance) => ("000", "4, the recurrence", "O(mn)"),
            (Self::Sequential, Task::ApproximateSearch) => ("000", "4, Algorithm ASM", "O(mn)"),
            (Self::Diagonal, Task::EditDistance | Task::ApproximateSearch) => ("000", "5, Improved parallel ASM algorithm", "O(mn)"),
            (Self::Slices, Task::ApproximateSearch) => ("000", "6, Parallel ASM algorithm on the HMM", "O(m(n + 2mD))"),
            (Self::Hirschberg, Task::Lcs) => ("001", "2.3, Listings 1 and 2", "O(mn)"),
            (Self::BitParallel, Task::Lcs) => ("001", "2.4, Listing 3", "O(⌈m/w⌉n)"),
            (Self::BitParallelBlocks, Task::Lcs) => ("001", "3, Listings 4 and 5", "O(⌈m/w⌉n)"),
            (Self::Naive, Task::MatchCount) => ("002", "3.1", "O(mn)"),
            (Self::ShiftAdd, Task::MatchCount) => ("002", "3.2, Figure 2", "O(mn log m / w)"),
            (Self::ParallelShiftAdd, Task::MatchCount) => ("002", "4.2, Figure 3", "O(m²n/w)"),
            (Self::Naive, Task::ExactSearch) => ("004", "V.A", "O((n − m + 1)m)"),
            (Self::Kmp, Task::ExactSearch) => ("004", "VI", "O(m + n)"),
            (Self::KmpBlocks, Task::ExactSearch) => ("004", "VII", "O(m + n)"),
            _ => return None,
        };
        Some(MethodPublication { paper, section, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobOptions;

    #[test]
    fn method_has_a_publication_for_exactly_its_tasks() {
        for task in Task::ALL {
            for method in PaperMethod::ALL {
                assert_eq!(
                    method.published(task).is_some(),
                    PaperMethod::for_task(task).contains(&method),
                    "{} {}",
                    task.name(),
                    method.name()
                );
            }
        }
    }

    #[test]
    fn job_that_names_a_method_of_another_task_is_refused() {
        let options = JobOptions { method: Some(PaperMethod::Kmp), ..JobOptions::default() };
        assert_eq!(options.check(Task::ExactSearch), Ok(()));
        let refused = options.check(Task::Lcs).unwrap_err().to_string();
        assert_eq!(refused, "lcs has no method kmp. It has hirschberg, bit-parallel, bit-parallel-blocks.");
    }

    #[test]
    fn blocks_option_is_limited_and_needs_the_slices_method() {
        let check = |method, blocks| {
            let options = JobOptions { method, blocks: Some(blocks), ..JobOptions::default() };
            options.check(Task::ApproximateSearch).map_err(|failure| failure.to_string())
        };
        assert_eq!([1, 2048, 65_535].map(|blocks| check(Some(PaperMethod::Slices), blocks)), [Ok(()), Ok(()), Ok(())]);
        for blocks in [0, 65_536, u64::MAX] {
            assert_eq!(check(Some(PaperMethod::Slices), blocks), Err(format!("blocks is {blocks}; it must be from 1 to 65535.")));
        }
        for method in [None, Some(PaperMethod::Diagonal)] {
            assert_eq!(check(method, 16).unwrap_err(), "blocks is an option of the method slices of approximate-search.");
        }
    }

    #[test]
    fn every_method_has_a_unique_name_and_a_task() {
        for (at, method) in PaperMethod::ALL.into_iter().enumerate() {
            assert!(PaperMethod::ALL[..at].iter().all(|other| other.name() != method.name()));
            assert!(Task::ALL.iter().any(|task| PaperMethod::for_task(*task).contains(&method)), "{}", method.name());
            assert_eq!(serde_json::to_value(method).unwrap(), method.name());
        }
    }
}
