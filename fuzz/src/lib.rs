//! What the fuzz targets do with the bytes that they are given: an engine against the oracle, and texts against what they promise.
//!
//! libFuzzer's part is in `fuzz_targets`, a line each. The tests of `explain`, which stands on the kernels, compile this module too, and give every kept input
//! to its target, without libFuzzer.
//!
//! - [`bytes`]: numbers out of bytes
//! - [`job`]: bytes → two texts and options, on the CPU engine
//! - [`look`]: pages, profiles and windows at any place of what a run has found
//! - [`reading`]: bytes → texts in every unit, and what must hold of them

use bytes::Bytes;
use job::Job;
use kernels::engine::{Cpu, Engine};
use kernels::job::{Options, Task};
use kernels::text::Pair;
use oracle::{agree, verified};

mod bytes;
mod job;
mod look;
mod reading;

/// What is done with some bytes. Panics where something is wrong.
pub type Target = fn(&[u8]);

/// All targets, each with the name of its corpus.
pub const TARGETS: [(&str, Target); 6] = [
    ("edit_distance", edit_distance),
    ("approximate_search", approximate_search),
    ("lcs", lcs),
    ("match_count", match_count),
    ("exact_search", exact_search),
    ("text", text),
];

/// A job of the task `edit-distance`.
pub fn edit_distance(data: &[u8]) {
    solve(Task::EditDistance, data);
}

/// A job of the task `approximate-search`.
pub fn approximate_search(data: &[u8]) {
    solve(Task::ApproximateSearch, data);
}

/// A job of the task `lcs`.
pub fn lcs(data: &[u8]) {
    solve(Task::Lcs, data);
}

/// A job of the task `match-count`.
pub fn match_count(data: &[u8]) {
    solve(Task::MatchCount, data);
}

/// A job of the task `exact-search`.
pub fn exact_search(data: &[u8]) {
    solve(Task::ExactSearch, data);
}

/// Two texts in every unit, and a CIGAR.
pub fn text(data: &[u8]) {
    reading::check(data);
}

/// Whether the oracle of the task has an answer within some tens of milliseconds.
fn is_small(task: Task, pair: &Pair) -> bool {
    let (a, b) = (pair.a.len(), pair.b.len());
    match task {
        Task::EditDistance | Task::Lcs => a * b <= 4 << 20,
        // It may look for minima, each of them in all of `b`.
        Task::ApproximateSearch => (a + b) * b <= 8 << 20,
        Task::MatchCount | Task::ExactSearch => a * b <= 16 << 20,
    }
}

/// Solves the job, beside the oracle where that is quick; what an answer promises of itself is checked in any case.
fn solve(task: Task, data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let job = Job::read(task, &mut bytes);
    let engine = Engine::Cpu(Cpu { threads: job.threads });
    let solution = if is_small(task, &job.pair) {
        agree(&engine, task, &job.pair, &job.options)
    } else {
        verified(&engine, task, &job.pair, &job.options)
    };
    if !Task::SEARCHES.contains(&task) {
        // Where no alignment is wanted the score is found another way.
        let other = verified(&engine, task, &job.pair, &Options { alignment: !job.options.alignment, ..job.options });
        assert_eq!(look::score(&other.answer), look::score(&solution.answer), "with and without alignment");
    }
    look::anywhere(&job, &solution, &mut bytes);
}
