//! Match count: the score vector C(b, a), the number of equal symbols at every offset of `a` in `b` (paper 002).
//!
//! ```text
//! c[s] = |{ i : a[i] = b[s + i] }|,  0 ≤ s ≤ n − m
//! ```
//!
//! `m − c[s]` is the Hamming distance at s. An `a` that is longer than `b` has no offset, which is an answer; an empty `a` has
//! n + 1 offsets with score 0. What is kept of the vector is its profile, the best offsets, and with `max_mismatches` all offsets
//! within.
//!
//! - [`serial`]: the definition as it stands; the oracle
//! - [`pattern`]: `a`, ready to be counted; [`census`]: the choice of how
//! - [`codes`] for its symbols; [`compare`] where few rows are compared, [`adders`] for more of them, [`spectrum`] for long patterns,
//!   [`lists`] where pairs of equal symbols are few
//! - [`score`]: scores in the width that they need
//! - [`stream`]: a text in pieces
//! - [`sweep`], [`tally`]: the whole text on all cores, and what is kept of its scores
//! - [`pages`]: hits and profiles of what was found
//! - [`cuda`]: the whole vector on a device

use std::ops::Range;

use super::{Searched, Size, Solution, Solve, side_by_side};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::{Answer, FIRST_PAGE, Stage};
use crate::failure::Failure;
use crate::found::{Found, Hit, Positions, Profile, Span};
use crate::job::{Options, Task};
use crate::plan::Work;
use crate::run::{Halt, Run};
use crate::text::{Both, Pair};
pub use codes::Symbol;
pub use pattern::{Expected, Method, Pattern};
pub use stream::{Scores, Stream};
use tally::{Shared, Tally, Wanted};

#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::Source};

mod adders;
mod census;
mod codes;
mod compare;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
mod lists;
mod pages;
mod pattern;
mod score;
pub mod serial;
mod spectrum;
mod stream;
mod sweep;
mod tally;

/// Best offsets that an answer names.
pub const TOP: usize = 100;

/// The task `match-count`.
pub struct MatchCount;

impl Solve for MatchCount {
    fn work(&self, size: &Size, _options: &Options) -> Work {
        size.work(Task::MatchCount, size.a.saturating_mul((size.b + 1).saturating_sub(size.a)), 1)
    }

    fn probe(&self, cells: u64) -> (usize, usize) {
        let pattern = cells.isqrt().clamp(1, 64);
        (pattern as usize, (cells / pattern + pattern) as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        run.stage(Stage::Compute)?;
        match pair.both()? {
            Both::Narrow(a, b) => solve(a, b, pair.alphabet, cpu, options, run),
            Both::Wide(a, b) => solve(a, b, pair.alphabet, cpu, options, run),
        }
    }

    fn has_cuda(&self) -> bool {
        true
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<Source> {
        cuda::variants().collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        let (m, n) = (pair.a_symbols.len(), pair.b_symbols.len());
        let cpu = Cpu::all_cores();
        if m == 0 || m > n || cuda::is_for_transforms(m, pair.alphabet, cpu.threads) {
            return self.cpu(&cpu, pair, options, run);
        }
        let wanted = wanted(m, sweep::offsets(m, n), options);
        let alphabet = pair.alphabet;
        let counted = match pair.both()? {
            Both::Narrow(a, b) => cuda::count(gpu, cuda::Texts { a, b, alphabet }, wanted, run)?,
            Both::Wide(a, b) => cuda::count(gpu, cuda::Texts { a, b, alphabet }, wanted, run)?,
        };
        Ok(on_device(counted, wanted))
    }

    fn hits(&self, searched: &Searched, page: Range<u64>, _cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        let Searched { pair, options, answer, found } = *searched;
        // Without a bound all hits have the best score.
        let best = match answer {
            Answer::MatchCount { best, .. } if options.max_mismatches.is_none() => *best,
            _ => None,
        };
        let distance = best.map(|best| pair.a_symbols.len() as u64 - best);
        let starts: Vec<u64> = found.positions.iter_page(&page).collect();
        match pair.both()? {
            Both::Narrow(a, b) => pages::Texts { a, b, run }.hits(&starts, distance),
            Both::Wide(a, b) => pages::Texts { a, b, run }.hits(&starts, distance),
        }
    }

    fn align(&self, pair: &Pair, hit: Hit, _cpu: &Cpu, _run: &Run) -> Result<Alignment, Halt> {
        let aligned = match pair.both()? {
            Both::Narrow(a, b) => side_by_side(a, b, hit),
            Both::Wide(a, b) => side_by_side(a, b, hit),
        };
        Ok(aligned?)
    }

    fn offsets(&self, searched: &Searched) -> Option<u64> {
        searched.found.profile.as_ref().map(|profile| profile.spans.iter().map(|span| span.offsets).sum())
    }

    fn profile(&self, searched: &Searched, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<Span>, Halt> {
        let Some(kept) = &searched.found.profile else { return Err(Failure::engine("The run kept no profile.").into()) };
        match searched.pair.both()? {
            Both::Narrow(a, b) => pages::Texts { a, b, run }.profile(kept, offsets, points),
            Both::Wide(a, b) => pages::Texts { a, b, run }.profile(kept, offsets, points),
        }
    }
}

/// The answer and what it was made of. Memory O(|a| + 16,384 spans + |b| / 4 bytes where nearly all offsets are kept).
fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, cpu: &Cpu, options: &Options, run: &Run) -> Result<Solution, Halt> {
    let all = sweep::offsets(a.len(), b.len());
    let wanted = wanted(a.len(), all, options);
    run.expect(wanted.m * all);
    let expected = Expected { alphabet: Some(alphabet), ..pages::expected(b, all) };
    let shared = Shared::default();
    let tallies = sweep::sweep(&Pattern::new(a, &expected), b, wanted, cpu.threads, &shared, run)?;
    Ok(sum(tallies, wanted))
}

/// What the options want of a vector of so many offsets.
fn wanted(m: usize, all: u64, options: &Options) -> Wanted {
    Wanted { m: m as u64, width: Profile::width_for(all), most: options.max_mismatches, count_only: options.count_only }
}

/// The solution of what a device has counted.
#[cfg(not(target_family = "wasm"))]
fn on_device(counted: cuda::Counted, wanted: Wanted) -> Solution {
    let cuda::Counted { best, total_best, within, top, positions, profile } = counted;
    let is_best = |(distance, _): &&(u64, u64)| *distance == wanted.m - best;
    let offsets = top.iter().take_while(is_best).map(|(_, start)| *start).take(FIRST_PAGE).collect();
    let top = top.into_iter().map(|(distance, start)| Hit { start, end: start + wanted.m, distance }).collect();
    let answer = Answer::MatchCount { best: Some(best), total_best, offsets, within, top };
    let found = (!wanted.count_only).then_some(Found { positions, profile: Some(profile) });
    Solution { answer, alignment: None, found }
}

/// The tallies of all threads together.
fn sum(tallies: Vec<Tally>, wanted: Wanted) -> Solution {
    let best = tallies.iter().filter_map(|tally| tally.best).max();
    let is_best = |tally: &Tally| tally.best == best;
    let total_best = tallies.iter().filter(|tally| is_best(tally)).map(|tally| tally.total_best).sum();
    let within = wanted.most.map(|_| tallies.iter().map(|tally| tally.within).sum());
    let mut top: Vec<(u64, u64)> = tallies.iter().flat_map(|tally| tally.top.iter().copied()).collect();
    top.sort_unstable();
    top.truncate(TOP);
    let best_distance = best.map(|best| wanted.m - u64::from(best));
    const { assert!(TOP >= FIRST_PAGE) };
    let offsets =
        top.iter().take_while(|(distance, _)| Some(*distance) == best_distance).map(|(_, start)| *start).take(FIRST_PAGE).collect();
    let top = top.into_iter().map(|(distance, start)| Hit { start, end: start + wanted.m, distance }).collect();
    let answer = Answer::MatchCount { best: best.map(u64::from), total_best, offsets, within, top };
    let mut kept = Vec::new();
    let mut spans = Vec::new();
    for tally in tallies {
        if wanted.most.is_some() || is_best(&tally) {
            kept.extend(tally.kept);
        }
        spans.extend(tally.spans);
    }
    kept.sort_unstable();
    spans.sort_unstable_by_key(|(number, _)| *number);
    let profile = Profile { width: wanted.width, spans: spans.into_iter().map(|(_, span)| span).collect() };
    let found = Found { positions: positions(&kept), profile: Some(profile) };
    Solution { answer, alignment: None, found: (!wanted.count_only).then_some(found) }
}

/// Positions from the words of a bit set that are not zero, ascending.
fn positions(words: &[(u64, u64)]) -> Positions {
    let len: u64 = words.iter().map(|(_, bits)| u64::from(bits.count_ones())).sum();
    let Some(&(last, _)) = words.last() else { return Positions::default() };
    let mut set = vec![0; if len > last { last as usize + 1 } else { 0 }];
    if !set.is_empty() {
        words.iter().for_each(|&(at, bits)| set[at as usize] = bits);
        return Positions::from_bits(set);
    }
    let ones = |&(at, bits): &(u64, u64)| (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 64 * at + bit);
    Positions::from_list(words.iter().flat_map(ones).collect())
}
