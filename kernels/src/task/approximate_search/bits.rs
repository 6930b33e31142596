//! The fast path on the CPU: words of 64 text columns, in lanes that lie in different pieces of the text.
//!
//! - [`letter`]: where the pattern's symbols stand in the text
//! - [`rows`]: the kernel, and which rows of it can be left out
//! - [`sweep`]: a thread's part of the text
//! - [`long`]: long patterns
//! - [`ends`]: what it finds
//! - [`starts`]: distances and starts at given ends; [`bands`]: those of long patterns
//! - [`spread`]: parts of a work on all cores

use std::ops::Range;

use crate::cpu::Cpu;
use crate::event::Stage;
use crate::job::Options;
use crate::run::{Halt, Run};
pub(crate) use ends::Hits;
use ends::{Ends, Want};
pub(crate) use letter::Letter;
use letter::Pattern;
use spread::spread;
pub(crate) use starts::Page;
use sweep::Search;

mod bands;
mod ends;
mod letter;
mod long;
mod rows;
mod spread;
mod starts;
mod sweep;

/// Symbols of a pattern below which the whole text is always swept in pieces.
const SHORT: u64 = 512;

/// Symbols of a pattern above which the pieces' state takes more memory than it is worth.
const LONGEST: u64 = 1 << 18;

/// Cells from which a thread is worth its start.
const CELLS_A_THREAD: u64 = 1 << 22;

/// All ends that the options ask for. Symbols are below `alphabet`. Time O(m n / 64), less where the bound cuts rows off; memory
/// 128 bytes a symbol of `a` and thread at most, and n/4 bytes for the ends.
///
/// # Errors
/// When the run is stopped.
pub(crate) fn solve<T: Letter>(a: &[T], b: &[T], alphabet: u32, options: &Options, cpu: &Cpu, run: &Run) -> Result<Hits, Halt> {
    run.stage(Stage::Compute)?;
    let cells = a.len() as u64 * b.len() as u64;
    let threads = cpu.threads.min((cells / CELLS_A_THREAD) as usize).max(1);
    search(a, b, alphabet, options, threads, run)
}

/// As [`solve`], on exactly so many threads where there are words for them.
fn search<T: Letter>(a: &[T], b: &[T], alphabet: u32, options: &Options, threads: usize, run: &Run) -> Result<Hits, Halt> {
    let m = a.len() as u64;
    let want = Want { tighten: options.max_distance.is_none(), minima: options.local_minima, places: !options.count_only };
    let limit = options.max_distance.unwrap_or(m).min(m);
    let search = Search {
        pattern: Pattern::new(a.iter().copied(), alphabet),
        text: b,
        want,
        limit,
        bound: limit.into(),
        told: u64::MAX.into(),
        found: 0.into(),
    };
    let each = search.words().div_ceil(threads);
    let parts: Vec<Range<usize>> = (0..search.words()).step_by(each).map(|from| from..(from + each).min(search.words())).collect();
    let cells = parts.iter().map(|words| search.cells(words.len())).sum();
    let pieces = if m >= SHORT && !b.is_empty() && is_long(m, b.len() as u64, options, cells) {
        vec![long::sweep(a, b, want, limit, threads, run)?]
    } else {
        run.expect(cells);
        let bytes = search.bytes() * parts.len() as u64;
        run.hold(bytes);
        let pieces = spread(&parts, parts.len(), |words| search.sweep(words.clone(), run))?.concat();
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

/// Whether one wavefront costs less than pieces of so many cells.
fn is_long(m: u64, n: u64, options: &Options, cells: u64) -> bool {
    // Few rows of a piece come within a small bound.
    let rows = options.max_distance.map_or(m, |k| k.saturating_mul(4).saturating_add(64).min(m));
    let pieces = u128::from(cells) * u128::from(rows) / u128::from(m);
    let whole = u128::from(m) * u128::from(n);
    2 * pieces > 3 * whole || (m > LONGEST && 2 * pieces > whole)
}

#[cfg(test)]
mod tests;
