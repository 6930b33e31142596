//! The fast path on the CPU: words of 64 text columns, in lanes that lie in different pieces of the text.
//!
//! - [`masks`]: where the pattern's symbols stand in the text
//! - [`rows`]: the kernel, and which rows of it can be left out
//! - [`sweep`]: a thread's part of the text
//! - [`seeds`]: pieces of the pattern that occur as they are; [`filter`]: few edits, which leave some whole; [`first`]: a first bound
//! - [`long`]: long patterns
//! - [`ends`]: what it finds; [`best_so_far`]: what all threads have found
//! - [`starts`]: distances and starts at given ends; [`bands`]: those of long patterns
//! - [`distances`]: those at all ends, for profiles

use std::ops::Range;

use crate::cpu::Cpu;
use crate::cpu::try_spread;
use crate::event::{Partial, Stage};
use crate::job::Options;
use crate::plan::Effort;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::approximate_search::Hits;
use best_so_far::BestSoFar;
use ends::{EndFilter, Ends};
use masks::EncodedPattern;
use rows::{LANES, WORD};
pub(crate) use starts::Page;
use sweep::Query;

mod bands;
mod best_so_far;
pub(super) mod distances;
mod ends;
mod filter;
mod first;
mod long;
mod masks;
mod rows;
mod seeds;
mod starts;
mod sweep;

/// Rows, beside two for each edit, up to which a look whether some can be left out costs more than it saves.
const FEW_ROWS: u64 = 64;

/// Symbols of a pattern below which the whole text is always swept in pieces.
const SHORT: u64 = 512;

/// Symbols of a pattern above which the pieces' state takes more memory than it is worth.
const LONGEST: u64 = 1 << 18;

/// Cells from which a thread is worth its start.
const CELLS_A_THREAD: u64 = 1 << 22;

/// Parts for each thread, where they are longer by so much than what is swept before them.
const PARTS: usize = 4;
const LONGER: usize = 64;

/// All ends that the options ask for. Symbols are below `alphabet`. Time O(m n / 64), less where the bound cuts rows off; memory
/// 128 bytes a symbol of `a` and thread at most, and n/4 bytes for the ends.
///
/// # Errors
/// When the run is stopped.
pub(crate) fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, options: &Options, cpu: &Cpu, run: &Run) -> Result<Hits, Halt> {
    run.stage(Stage::Compute)?;
    let cells = a.len() as u64 * b.len() as u64;
    let threads = cpu.threads.min((cells / CELLS_A_THREAD) as usize).max(1);
    search(a, b, alphabet, options, threads, run)
}

/// As [`solve`], on exactly so many threads where there are words for them.
fn search<T: Symbol>(a: &[T], b: &[T], alphabet: u32, options: &Options, threads: usize, run: &Run) -> Result<Hits, Halt> {
    let m = a.len() as u64;
    let want = EndFilter { tighten: options.max_distance.is_none(), minima: options.local_minima, places: !options.count_only };
    let limit = options.max_distance.unwrap_or(m).min(m);
    let pattern = EncodedPattern::new(a.iter().copied(), alphabet);
    let cuts = !want.tighten && m > FEW_ROWS + 2 * limit;
    let mut query = Query { pattern, text: b, want, limit, cuts, best_so_far: BestSoFar::new(want.tighten, limit) };
    if want.tighten
        && let Some(bound) = first::bound(&query, a, alphabet, threads, run)?
    {
        run.partial(Partial::Best { score: bound })?;
        query = Query { limit: bound, cuts: true, best_so_far: BestSoFar::new(true, bound), ..query };
    }
    let seeds = if query.limit < m { filter::pieces(a, b, alphabet, query.limit) } else { None };
    // Pieces that are looked for come unevenly, and so do the cores that others use.
    let parts = if threads == 1 && seeds.is_none() { 1 } else { PARTS * threads };
    let each = query.words().div_ceil(parts).max(LONGER * LANES * query.early()).min(query.words().div_ceil(threads));
    let parts: Vec<Range<usize>> = (0..query.words()).step_by(each).map(|from| from..(from + each).min(query.words())).collect();
    let cells = parts.iter().map(|words| query.cells(words.len())).sum();
    let pieces = if m >= SHORT && !b.is_empty() && is_long(m, b.len() as u64, query.cuts.then_some(query.limit), cells) {
        vec![long::sweep(&query, a, threads, run)?]
    } else {
        run.expect(if seeds.is_some() { (query.words() * WORD) as u64 * m } else { cells });
        let bytes = query.bytes() * threads.min(parts.len()) as u64;
        run.hold(bytes);
        let pieces = try_spread(&parts, threads, |words| match &seeds {
            Some(seeds) => query.filtered(seeds, words, run),
            None => query.sweep(words, run),
        })?
        .concat();
        run.release(bytes);
        pieces
    };
    let list: u64 = pieces.iter().map(Ends::bytes).sum();
    run.hold(list);
    let hits = ends::join(pieces);
    run.hold(hits.positions.bytes());
    run.release(list + hits.positions.bytes());
    Ok(hits)
}

/// Rows that are left of a long pattern for each edit of a bound, and beside those; rows that a shorter pattern takes as long as.
const ROWS_AN_EDIT: f64 = 2.5;
const ROWS_BESIDE: f64 = 64.0;
const FEWEST_ROWS: f64 = 48.0;

/// Rows of a symbol of the text that take as long as looking for a pattern's pieces there: some, and more for each piece.
const LOOKED: [f64; 2] = [20.0, 3.5];

/// Pieces that a text is cut into, each with a pattern's length before it, and how much more than all cells that is at most.
const PIECES: f64 = 32.0;
const MOST_BEFORE: f64 = 0.5;

/// What a search is expected to take, by the way that it will go: pieces of the pattern that are looked for, rows that a bound leaves,
/// or all. What a first bound comes to is not known before it is looked for. Time O(m).
pub(super) fn effort<T: Symbol>(a: &[T], b: &[T], alphabet: u32, options: &Options) -> Effort {
    let (m, n) = (a.len() as f64, b.len() as f64);
    let limit = options.max_distance.unwrap_or(u64::MAX).min(a.len() as u64);
    let cells = a.len() as u64 * b.len() as u64;
    if limit < a.len() as u64 && filter::pieces(a, b, alphabet, limit).is_some() {
        let [all, piece] = LOOKED;
        return Effort { rated: (n * (all + piece * limit as f64)) as u64, ..Effort::of(cells) };
    }
    let rows = (ROWS_AN_EDIT * limit as f64 + ROWS_BESIDE).min(m);
    let before = (PIECES * (m + limit as f64) / n.max(1.0)).min(MOST_BEFORE);
    let filled = m * n * (1.0 + before);
    let rated = if limit < a.len() as u64 { rows * n * (1.0 + before) } else { filled };
    Effort { cells: filled as u64, rated: rated.max(FEWEST_ROWS.min(64.0 * m) * n) as u64, beside_ns: 0 }
}

/// Whether one wavefront costs less than pieces of so many cells, of which rows are left out where a bound is known.
fn is_long(m: u64, n: u64, within: Option<u64>, cells: u64) -> bool {
    // FewEnds rows of a piece come within a small bound.
    let rows = within.map_or(m, |k| k.saturating_mul(4).saturating_add(64).min(m));
    let pieces = u128::from(cells) * u128::from(rows) / u128::from(m);
    let whole = u128::from(m) * u128::from(n);
    2 * pieces > 3 * whole || (m > LONGEST && 2 * pieces > whole)
}

#[cfg(test)]
mod tests;
