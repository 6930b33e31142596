//! Approximate search by the methods of papers 000 and 003: which ends count is seen from the distances at all of them.

use super::{ApproximateSearch, Hits};
use crate::cpu::Cpu;
use crate::found::Positions;
use crate::job::{Method, Options};
use crate::methods::approximate_search::{diagonal::diagonal, sequential::sequential, slices::slices};
use crate::run::{Halt, Run};
use crate::task::by_method::{Published, unknown};
use crate::task::{Size, Solution};
use crate::text::Pair;
use crate::with_symbols;

/// Slices of a text, D: the best number for most patterns of the papers' Table 1.
const SLICES: usize = 128;

impl Published for ApproximateSearch {
    fn by(&self, method: Method, cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt> {
        let tick = &mut |steps| run.tick(steps);
        let ends = with_symbols!(pair, |x, y| match method {
            Method::Sequential => sequential(x, y, tick)?,
            Method::Diagonal => diagonal(x, y, tick)?,
            Method::Slices => slices(x, y, SLICES, tick)?.ends,
            _ => return Err(unknown(method)),
        });
        self.solution(pair, options, hits(&ends.distances, options), cpu, run)
    }

    fn steps(&self, method: Method, size: &Size, _options: &Options) -> (u64, f64) {
        let overlap = if size.b > 2 * size.a { 2 * size.a * (SLICES as u64 - 1).min(size.b - 2 * size.a) } else { 0 };
        match method {
            Method::Sequential => (size.cells(), 1.3),
            Method::Slices => (size.a.saturating_mul(size.b.saturating_add(overlap)), 3.0),
            _ => (size.cells(), 3.0),
        }
    }
}

/// The ends that count, of the distances at all.
fn hits(distances: &[u32], options: &Options) -> Hits {
    let least = distances.iter().copied().min().unwrap_or_default();
    let most = options.max_distance.unwrap_or(least.into());
    let mut ends = Vec::new();
    // The nearest end before with another distance is farther away, or there is none.
    let mut is_descending = true;
    for (end, distance) in distances.iter().enumerate() {
        if let Some(before) = end.checked_sub(1).map(|before| distances[before]).filter(|before| before != distance) {
            is_descending = before > *distance;
        }
        let is_lowest = is_descending && distances.get(end + 1).is_none_or(|after| after > distance);
        if u64::from(*distance) <= most && (is_lowest || !options.local_minima) {
            ends.push(end);
        }
    }
    let distance = ends.iter().map(|end| u64::from(distances[*end])).min();
    let total = ends.len() as u64;
    let positions = if options.count_only { Vec::new() } else { ends.into_iter().map(|end| end as u64).collect() };
    Hits { distance, total, positions: Positions::from_list(positions) }
}
