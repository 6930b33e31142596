//! The fast engine on the CPU: words of 64 text columns, in SIMD lanes that lie in different pieces of the text.
//!
//! - [`masks`]: positions of the pattern's symbols in the text
//! - [`rows`]: the kernel, and the choice of rows that can be left out
//! - [`sweep`]: the part of the text of one thread
//! - [`seeds`]: pieces of the pattern that occur exactly
//! - [`filter`]: searches with few edits, which leave some pieces intact
//! - [`first`]: a first bound of the least distance
//! - [`long`]: long patterns
//! - [`division`]: shares for engines without shared memory
//! - [`ends`]: the ends of hits
//! - [`mod@align`]: the alignment of a hit of letters that stand for sets of bases
//! - [`best_so_far`]: the results of all threads so far
//! - [`starts`]: distances and starts of hits, given their ends
//! - [`bands`]: distances and starts of hits of long patterns
//! - [`distances`]: distances at all ends, for profiles

use std::ops::Range;

use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::cpu::try_spread;
use crate::event::{PartialAnswer, RunStage};
use crate::job::JobOptions;
use crate::plan::EngineEffort;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::approximate_search::ApproximateHits;
use best_so_far::SharedBestEnds;
use ends::{EndFilter, PieceEnds};
use masks::EncodedPattern;
use rows::{LANES, WORD};
pub(crate) use starts::EndPage;
use sweep::ApproximateQuery;

pub(super) mod align;
mod bands;
mod best_so_far;
pub(super) mod distances;
pub(super) mod division;
mod ends;
mod filter;
mod first;
mod long;
mod masks;
mod rows;
mod seeds;
mod starts;
mod sweep;

/// Maximum length of a pattern of which all rows are swept if no edits are allowed. Each allowed edit adds two rows to
/// this length. For such a pattern, a check whether rows can be left out would cost more than it saves.
const MAX_UNCHECKED_ROWS: u64 = 64;

/// Minimum pattern length at which the whole matrix may be swept as one wavefront (all threads in one sweep). For
/// shorter patterns, the text is always cut into pieces.
const MIN_WAVEFRONT_PATTERN: u64 = 512;

/// Maximum length of a pattern for which the time alone decides between a wavefront and a sweep in pieces. For a longer
/// pattern, the text is only cut into pieces if this halves the number of swept cells, because the state of the pieces
/// needs much memory.
const MAX_PIECEWISE_PATTERN: u64 = 1 << 18;

/// Minimum number of matrix cells for each started thread.
const MIN_CELLS_PER_THREAD: u64 = 1 << 22;

/// Number of parts of the text per thread, unless [`MIN_PART_RATIO`] requires longer parts.
const PARTS_PER_THREAD: usize = 4;
/// Minimum length of a SIMD lane's share of a part of the text. The unit is the number of columns that are swept before
/// the share, so that its distances are exact. Shares are shorter if there would be fewer parts than threads.
const MIN_PART_RATIO: usize = 64;

/// Finds the ends of all hits that the options request. The symbols of both texts are below `alphabet` and match by
/// `symbol_match`. Takes O(m n / 64) time, or less if rows can be left out. Takes at most 128 bytes of memory per symbol of
/// `a` and thread, and n/4 bytes for the ends.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve<T: Symbol>(
    a: &[T],
    b: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    options: &JobOptions,
    cpu: &Cpu,
    run: &Run,
) -> Result<ApproximateHits, Halt> {
    run.stage(RunStage::Compute)?;
    let cells = a.len() as u64 * b.len() as u64;
    let threads = cpu.threads.min((cells / MIN_CELLS_PER_THREAD) as usize).max(1);
    search(a, b, (alphabet, symbol_match), options, threads, run)
}

/// Searches like [`solve`], on exactly `threads` threads if the text has at least this number of 64-column words.
fn search<T: Symbol>(
    a: &[T],
    b: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    options: &JobOptions,
    threads: usize,
    run: &Run,
) -> Result<ApproximateHits, Halt> {
    let m = a.len() as u64;
    let mut query = query_of(a, b, (alphabet, symbol_match), options);
    // Methods that look for equal pieces of both texts do not find pieces that match in another way.
    let has_pieces = symbol_match.is_equality();
    if let Some(bound) = first_bound(&query, a, (alphabet, symbol_match), threads, run)? {
        run.partial(PartialAnswer::Best { score: bound })?;
        query = query.within(bound);
    }
    let seeds = if query.limit < m && has_pieces { filter::pieces(a, b, alphabet, query.limit) } else { None };
    // Searches for exact pieces take uneven time, and other programs use cores unevenly.
    let parts = if threads == 1 && seeds.is_none() { 1 } else { PARTS_PER_THREAD * threads };
    let each = query.words().div_ceil(parts).max(MIN_PART_RATIO * LANES * query.warm_up_words()).min(query.words().div_ceil(threads));
    let parts: Vec<Range<usize>> = (0..query.words()).step_by(each).map(|from| from..(from + each).min(query.words())).collect();
    let cells = parts.iter().map(|words| query.cells(words.len())).sum();
    let is_long = || is_long(m, b.len() as u64, query.cuts.then_some(query.limit), cells);
    let pieces = if m >= MIN_WAVEFRONT_PATTERN && !b.is_empty() && symbol_match.is_equality() && is_long() {
        vec![long::sweep(&query, a, 0..query.words(), threads, run)?]
    } else {
        run.raise_expected(if seeds.is_some() { (query.words() * WORD) as u64 * m } else { cells });
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
    let list: u64 = pieces.iter().map(PieceEnds::bytes).sum();
    run.hold(list);
    let hits = ends::join(pieces);
    run.hold(hits.positions.bytes());
    run.release(list + hits.positions.bytes());
    Ok(hits)
}

/// Creates the search for `a` in `b` that the options request.
fn query_of<'t, T: Symbol>(
    a: &[T],
    b: &'t [T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    options: &JobOptions,
) -> ApproximateQuery<'t, T> {
    let m = a.len() as u64;
    let want = end_filter(options);
    let limit = options.max_distance.unwrap_or(m).min(m);
    let pattern = EncodedPattern::new(a.iter().copied(), alphabet, symbol_match);
    let cuts = !want.tighten && m > MAX_UNCHECKED_ROWS + 2 * limit;
    ApproximateQuery { pattern, text: b, want, limit, cuts, best_so_far: SharedBestEnds::new(want.tighten, limit) }
}

fn end_filter(options: &JobOptions) -> EndFilter {
    EndFilter { tighten: options.max_distance.is_none(), minima: options.local_minima, places: !options.count_only }
}

/// Returns a first bound of the least distance if only ends with this distance are hits.
fn first_bound<T: Symbol>(
    query: &ApproximateQuery<T>,
    a: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    threads: usize,
    run: &Run,
) -> Result<Option<u64>, Halt> {
    if query.want.tighten && symbol_match.is_equality() { first::bound(query, a, alphabet, threads, run) } else { Ok(None) }
}

/// Expected number of swept rows for each allowed edit, if the remaining rows of a long pattern are left out.
/// [`effort`] has the whole formula.
const ROWS_PER_EDIT: f64 = 2.5;
/// Expected number of swept rows that does not depend on the allowed edits, if the remaining rows of a long pattern are
/// left out. [`effort`] has the whole formula.
const ADDITIONAL_ROWS: f64 = 64.0;
/// Minimum cost of a sweep, in rows. The sweep of a shorter pattern takes as long as that of this number of rows.
const MIN_PATTERN_ROWS: f64 = 48.0;

/// Time of a search for exact pieces of the pattern, in swept rows: a constant, and an amount for each allowed edit.
const SEED_SEARCH_ROWS: [f64; 2] = [20.0, 3.5];

/// Expected number of pieces into which a text is cut. Before each piece, columns of about the length of the pattern
/// are swept.
const TEXT_PIECES: f64 = 32.0;
/// Maximum ratio of the columns that are swept before all pieces to the columns of the text.
const MAX_LEAD_SHARE: f64 = 0.5;

/// Estimates the cost of a search by its probable method.
///
/// - With k allowed edits, the search for exact pieces of the pattern costs as much as the sweep of
///   `SEED_SEARCH_ROWS[0] + SEED_SEARCH_ROWS[1] · k` rows.
/// - If rows can be left out, `ROWS_PER_EDIT · k + ADDITIONAL_ROWS` rows are swept, and some columns before each piece
///   of the text.
/// - Otherwise all rows are swept, and the columns before each piece.
///
/// The effect of a bound that is found during the search is unknown. Takes O(m) time.
pub(super) fn effort<T: Symbol>(a: &[T], b: &[T], (alphabet, symbol_match): (u32, SymbolMatch), options: &JobOptions) -> EngineEffort {
    let (m, n) = (a.len() as f64, b.len() as f64);
    let limit = options.max_distance.unwrap_or(u64::MAX).min(a.len() as u64);
    let cells = a.len() as u64 * b.len() as u64;
    if limit < a.len() as u64 && symbol_match.is_equality() && filter::pieces(a, b, alphabet, limit).is_some() {
        let [all, piece] = SEED_SEARCH_ROWS;
        return EngineEffort { cost_cells: (n * (all + piece * limit as f64)) as u64, ..EngineEffort::from_cells(cells) };
    }
    let rows = (ROWS_PER_EDIT * limit as f64 + ADDITIONAL_ROWS).min(m);
    let before = (TEXT_PIECES * (m + limit as f64) / n.max(1.0)).min(MAX_LEAD_SHARE);
    let filled = m * n * (1.0 + before);
    let rated = if limit < a.len() as u64 { rows * n * (1.0 + before) } else { filled };
    EngineEffort { cells: filled as u64, cost_cells: rated.max(MIN_PATTERN_ROWS.min(64.0 * m) * n) as u64, overhead_ns: 0 }
}

/// Returns whether one wavefront over the whole matrix (`m` rows, `n` columns) is preferred to a sweep in pieces.
/// `cells` is the number of cells of all pieces if no rows are left out. `within` is the maximum distance of a hit, or
/// `None` if no rows can be left out.
fn is_long(m: u64, n: u64, within: Option<u64>, cells: u64) -> bool {
    // With a small maximum distance, only the upper rows of a piece are swept.
    let rows = within.map_or(m, |k| k.saturating_mul(4).saturating_add(64).min(m));
    let pieces = u128::from(cells) * u128::from(rows) / u128::from(m);
    let whole = u128::from(m) * u128::from(n);
    2 * pieces > 3 * whole || (m > MAX_PIECEWISE_PATTERN && 2 * pieces > whole)
}

#[cfg(test)]
mod tests;
