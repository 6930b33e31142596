//! Approximate search: the substrings of `b` with the least edit distance to `a`, or all ends of substrings within `max_distance`
//! edits (papers 000 and 003: ASM).
//!
//! ```text
//! D[0, j] = 0,  D[i, 0] = i
//! D[i, j] = min(D[i−1, j−1] + (a[i] ≠ b[j]),  D[i−1, j] + 1,  D[i, j−1] + 1)
//! distance at the end j = D[m, j], 0 ≤ j ≤ n
//! ```
//!
//! A hit is an end `j`, with its distance and the greatest start from which `b[start..j]` has that distance. An empty `a` is
//! found at every end with distance 0; in an empty `b` there is one end, 0, at distance m. Every end is within m edits, so that
//! a `max_distance` of m or more finds all n + 1 of them. With `local_minima` only ends count whose distance is not beaten by a
//! neighbour, and of neighbours with equal distances the last.
//!
//! - [`serial`]: the recurrence as it stands; the oracle
//! - [`bits`]: the fast path on the CPU

use super::{Size, Solution, Solve, under};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::{Answer, FIRST_PAGE};
use crate::failure::Failure;
use crate::found::{Found, Hit};
use crate::job::{Options, Task};
use crate::plan::Work;
use crate::run::{Halt, Run, Silent};
use crate::text::{Both, Pair};

mod bits;
pub mod serial;

/// The task `approximate-search`.
pub struct ApproximateSearch;

impl Solve for ApproximateSearch {
    fn work(&self, size: &Size, _options: &Options) -> Work {
        size.work(Task::ApproximateSearch, size.cells(), 1)
    }

    fn probe(&self, cells: u64) -> (usize, usize) {
        let pattern = cells.isqrt().clamp(1, 128);
        (pattern as usize, (cells / pattern) as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        let hits = match pair.both()? {
            Both::Narrow(a, b) => bits::solve(a, b, pair.alphabet, options, cpu, run)?,
            Both::Wide(a, b) => bits::solve(a, b, pair.alphabet, options, cpu, run)?,
        };
        let (distance, total) = (hits.distance, hits.total);
        let found = Found { positions: hits.positions, profile: None };
        let first = if options.count_only { Vec::new() } else { self.hits(pair, options, &found, 0, FIRST_PAGE as u64)? };
        let answer = Answer::ApproximateSearch { distance, total, hits: first };
        Ok(Solution { answer, alignment: None, found: (!options.count_only).then_some(found) })
    }

    fn hits(&self, pair: &Pair, options: &Options, found: &Found, from: u64, len: u64) -> Result<Vec<Hit>, Failure> {
        let len = len.min(found.positions.len().saturating_sub(from));
        let ends: Vec<u64> = found.positions.iter_from(from).take(len as usize).collect();
        if ends.last().is_some_and(|&end| end > pair.b_symbols.len() as u64) {
            return Err(Failure::engine("The hits are those of another text."));
        }
        let bound = options.max_distance.unwrap_or(u64::MAX);
        let hits = match pair.both()? {
            Both::Narrow(a, b) => bits::hits(a, b, &ends, bound),
            Both::Wide(a, b) => bits::hits(a, b, &ends, bound),
        };
        hits.map_err(failure)
    }

    fn align(&self, pair: &Pair, hit: Hit) -> Result<Alignment, Failure> {
        let run = Run::new(&Silent);
        let aligned = match pair.both()? {
            Both::Narrow(a, b) => super::edit_distance::align(a, under(b, hit)?, pair.alphabet, &run),
            Both::Wide(a, b) => super::edit_distance::align(a, under(b, hit)?, pair.alphabet, &run),
        };
        aligned.map(|alignment| alignment.starting_at(hit.start)).map_err(failure)
    }
}

/// Why a run that nobody can stop has ended.
fn failure(halt: Halt) -> Failure {
    match halt {
        Halt::Failed(failure) => failure,
        Halt::Stopped => Failure::engine("Nobody listens."),
    }
}
