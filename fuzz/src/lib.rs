//! Fuzz targets: each compares an engine with the oracle, or checks the guarantees of parsed texts.
//!
//! The folder `fuzz_targets` holds one line per target for libFuzzer. The tests of `explain`, a crate above `kernels`,
//! compile this module too. They run every input of the stored corpus without libFuzzer.
//!
//! - [`bytes`]: reads numbers from the input
//! - [`job`]: makes a job from the input: task, options and two texts
//! - [`look`]: checks pages, profiles and windows at any position of a result
//! - [`reading`]: parses the input as texts in every unit, and checks their invariants

use bytes::Bytes;
use job::Job;
use kernels::engine::{Cpu, Engine};
use kernels::job::{JobOptions, Task};
use kernels::text::Pair;
use oracle::{agree, solve_and_verify};

mod bytes;
mod job;
mod look;
mod reading;

/// A fuzz target: a function of the fuzzer's input that panics if it finds an error.
pub type Target = fn(&[u8]);

/// The fuzz targets. An entry is the name of a target's corpus, and the target.
pub const TARGETS: [(&str, Target); 7] = [
    ("edit_distance", edit_distance),
    ("approximate_search", approximate_search),
    ("lcs", lcs),
    ("match_count", match_count),
    ("exact_search", exact_search),
    ("sequence_alignment", sequence_alignment),
    ("text", text),
];

/// Makes a job of the task `edit-distance` from `data`, solves it and checks the answer. This is a fuzz target.
pub fn edit_distance(data: &[u8]) {
    solve(Task::EditDistance, data);
}

/// Makes a job of the task `approximate-search` from `data`, solves it and checks the answer. This is a fuzz target.
pub fn approximate_search(data: &[u8]) {
    solve(Task::ApproximateSearch, data);
}

/// Makes a job of the task `lcs` from `data`, solves it and checks the answer. This is a fuzz target.
pub fn lcs(data: &[u8]) {
    solve(Task::Lcs, data);
}

/// Makes a job of the task `match-count` from `data`, solves it and checks the answer. This is a fuzz target.
pub fn match_count(data: &[u8]) {
    solve(Task::MatchCount, data);
}

/// Makes a job of the task `exact-search` from `data`, solves it and checks the answer. This is a fuzz target.
pub fn exact_search(data: &[u8]) {
    solve(Task::ExactSearch, data);
}

/// Makes a job of the task `sequence-alignment` from `data`, solves it and checks the answer. This is a fuzz target.
pub fn sequence_alignment(data: &[u8]) {
    solve(Task::SequenceAlignment, data);
}

/// Parses two texts from `data` in every unit, and the first one also as a CIGAR, and checks the results. This is a
/// fuzz target.
pub fn text(data: &[u8]) {
    reading::check(data);
}

/// Returns whether the oracle solves `task` for `pair` within some tens of milliseconds.
fn is_small(task: Task, pair: &Pair) -> bool {
    let (a, b) = (pair.a.len(), pair.b.len());
    match task {
        Task::EditDistance | Task::Lcs => a * b <= 4 << 20,
        Task::SequenceAlignment => a * b <= 1 << 20,
        // With `local_minima`, the oracle scans all of `b` for each of its ends.
        Task::ApproximateSearch => (a + b) * b <= 8 << 20,
        Task::MatchCount | Task::ExactSearch => a * b <= 16 << 20,
    }
}

/// Makes a job of `task` from `data`, solves it, and checks the invariants of the answer. Also compares the answer with
/// the oracle's if the oracle is fast enough.
fn solve(task: Task, data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let job = Job::read(task, &mut bytes);
    let engine = Engine::Cpu(Cpu { threads: job.threads });
    let solution = if is_small(task, &job.pair) {
        agree(&engine, task, &job.pair, &job.options)
    } else {
        solve_and_verify(&engine, task, &job.pair, &job.options)
    };
    if !Task::SEARCHES.contains(&task) {
        // Without an alignment, the engine computes the score by another algorithm.
        let other = solve_and_verify(&engine, task, &job.pair, &JobOptions { alignment: !job.options.alignment, ..job.options.clone() });
        assert_eq!(look::score(&other.answer), look::score(&solution.answer), "with and without alignment");
    }
    look::anywhere(&job, &solution, &mut bytes);
}
