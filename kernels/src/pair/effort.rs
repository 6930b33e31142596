//! Expected cost of a pair of texts: the number of matrix cells that its method fills, derived from the estimated
//! distance.
//!
//! The processor sweeps a [band](super::cpu) of as many diagonals as the distance, which seeds (short pieces of a text
//! that occur in the other one) narrow to a corridor. A GPU sweeps a slightly wider corridor. The formulas follow these
//! methods. The constants were fitted to random and real DNA of 100,000 to 5,000,000 letters with up to 30 % edits.

use super::common_symbols::{self, PairCost};
use super::cpu::WORD;
use super::cpu::affix::CommonAffix;
use super::cpu::grid::BORDERS_BYTES;
use super::cpu::tiling::MAX_NARROW_EDITS;
use super::cpu::widen::{FIRST_BAND, GROWTH, MAX_TRUSTED_RATIO, UNPROVEN_BAND_DIVISOR};
use super::sample::{DistanceEstimate, MIN_SAMPLED_SYMBOLS, estimate_distance};
use crate::plan::EngineEffort;
use crate::symbol::Symbol;

/// Numbers `[few, many]` of rows in a strip (a row of tiles) of the matrix, if few or if many edits are expected.
const STRIP_ROWS: [u64; 2] = if cfg!(target_family = "wasm") { [512, 512] } else { [1024, 2048] };

/// Nanoseconds on one thread to prepare one symbol of the longer text: bit planes, a first upper bound, and seeds.
const PREPARATION_NS: f64 = 35.0;
/// Nanoseconds on one thread to read one symbol of the longer text for the first time.
const FIRST_LOOK_NS: f64 = 0.3;
/// Nanoseconds on one thread for one step of a search for few edits: one diagonal for one number of edits.
const DIAGONAL_NS: f64 = 6.0;

/// Nanoseconds on one thread per symbol of both texts, if the answer follows from how often symbols occur.
const SYMBOL_COUNT_NS: f64 = 5.0;

/// Nanoseconds per symbol of the longer text for a distance, if the shorter text fits a machine word.
const WORD_NS: f64 = 1.5;
/// Nanoseconds per symbol of the longer text for an alignment, if the shorter text fits a machine word.
const WORD_ALIGNED_NS: f64 = 8.0;

/// Numbers `[each, edit, most]`: the traceback of one symbol takes as long as min(each + edit · e, most) cells, where e
/// is the number of edits per symbol. See `LongPair::traced`.
const TRACEBACK_CELLS: [f64; 3] = [2_000.0, 150_000.0, 35_000.0];

/// Number of diagonals of the widest slanted band.
const SLANTED_DIAGONALS: f64 = 2080.0;
/// Minimum number of symbols of the shorter text from which a slanted band is proven by a second sweep.
const MIN_PROVEN_SYMBOLS: f64 = 65_536.0;
/// Maximum size of an alphabet for which this proof is tried.
const MAX_PROVEN_ALPHABET: u32 = 4;
/// Maximum share of symbols with edits up to which this proof mostly succeeds.
const MAX_PROVEN_SHARE: f64 = 0.1;

/// Factor by which the last band costs more if its border rows (bottom rows of strips) exceed [`BORDERS_BYTES`],
/// because much of it is then swept twice.
const RESWEEP_FACTOR: f64 = 1.6;

/// Nanoseconds per symbol of the longer text on a GPU, for its transfer and for waiting for neighbouring row bands.
const DEVICE_NS: f64 = 16.0;
/// Additional nanoseconds per symbol of the longer text on a GPU for an alignment.
const DEVICE_ALIGNED_NS: f64 = 8.0;

/// Number of diagonals per edit in a GPU's corridor. With d expected edits, the corridor has this many times d, plus
/// the difference of the texts' lengths, plus [`CORRIDOR_ROWS`] diagonals.
pub(super) const CORRIDOR_WIDTH_FACTOR: f64 = 1.25;
/// Number of additional diagonals that a GPU's corridor covers, because it consists of row bands of some height.
const CORRIDOR_ROWS: f64 = 3000.0;
/// Maximum share of the matrix that a corridor of diagonals may cover. Beyond this share the GPU sweeps the whole
/// matrix.
const MAX_CORRIDOR_AREA_SHARE: f64 = 0.7;

/// The properties of a task on which the cost of its matrix depends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairMethod {
    /// Whether one edit can substitute a symbol.
    pub(crate) substitutes: bool,
    /// Whether only equal symbols match. Otherwise, the method compares no runs of equal symbols, counts no symbols, and has
    /// neither words nor slanted bands.
    pub(crate) compares_equal: bool,
    /// Whether an alignment is requested.
    pub(crate) aligned: bool,
    /// Function from the lengths of both texts, in ascending order, to the maximum number of edits that are searched
    /// diagonal by diagonal.
    pub(crate) max_searched_edits: fn(usize, usize) -> u64,
    /// Number of diagonals visited by a search for few edits, divided by the square of the number of edits.
    pub(crate) diagonals: f64,
    /// Greatest distance of interest, or `None` if every distance is of interest. Only the processor stops early.
    pub(crate) limit: Option<u64>,
}

/// Expected costs of a pair on the processor and on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairEfforts {
    pub(crate) cpu: EngineEffort,
    pub(crate) cuda: EngineEffort,
}

/// Estimates the cost of solving two texts whose symbols are below `alphabet`, without their common prefix and suffix,
/// which the methods cut off. The estimate depends on the length of the shorter text:
///
/// - at most [`WORD`] symbols: a time per symbol of the longer text on the processor, and the number of all cells on a
///   GPU
/// - fewer than [`MIN_SAMPLED_SYMBOLS`] symbols: the number of all cells, twice with an alignment
/// - otherwise: follows from the estimated distance, unless the answer follows from how often symbols occur
///
/// Takes O(1) time after the cut, unless the texts have little in common.
pub(crate) fn efforts<T: Symbol>(a: &[T], b: &[T], alphabet: u32, method: PairMethod) -> PairEfforts {
    let all = a.len().max(b.len()) as f64;
    let (a, b) = if method.compares_equal {
        let (_, a, b) = CommonAffix::cut(a, b);
        (a, b)
    } else {
        (a, b)
    };
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (m, n) = (a.len() as u64, b.len() as u64);
    let looked_ns = (FIRST_LOOK_NS * all) as u64;
    let whole = EngineEffort { overhead_ns: looked_ns, ..EngineEffort::from_cells(m.saturating_mul(n)) };
    if method.compares_equal && a.len() <= WORD {
        return of_word(whole, n, method.aligned);
    }
    if a.len() < MIN_SAMPLED_SYMBOLS {
        let rated = if method.aligned { 2 * whole.cells } else { whole.cells };
        return PairEfforts { cpu: EngineEffort { cost_cells: rated, ..whole }, cuda: EngineEffort { cost_cells: rated, ..whole } };
    }
    let cost = if method.substitutes { PairCost::EditDistance } else { PairCost::Subsequence };
    if method.compares_equal && common_symbols::is_known(a, b, alphabet, cost) {
        let effort = EngineEffort { overhead_ns: looked_ns + (SYMBOL_COUNT_NS * (m + n) as f64) as u64, ..EngineEffort::from_cells(0) };
        return PairEfforts { cpu: effort, cuda: effort };
    }
    let size = LongPair { m: m as f64, n: n as f64, alphabet, method };
    let apart = estimate_distance(a, b, method.substitutes);
    let few = (method.max_searched_edits)(a.len(), b.len());
    let within = DistanceEstimate { distance: method.limit.map_or(apart.distance, |limit| limit.min(apart.distance)), ..apart };
    let mut cpu = if method.compares_equal && within.distance <= few { size.diagonals(within.distance) } else { size.bands(within) };
    cpu.overhead_ns += looked_ns;
    PairEfforts { cpu, cuda: size.device(apart.distance) }
}

/// Estimates the cost of solving two texts of which the shorter one fits a machine word, with an alignment if
/// `aligned`. The common prefix and suffix of both are left out.
pub(crate) fn word_efforts<T: Symbol>(a: &[T], b: &[T], aligned: bool) -> PairEfforts {
    let all = a.len().max(b.len()) as f64;
    let (_, a, b) = CommonAffix::cut(a, b);
    let whole = EngineEffort { overhead_ns: (FIRST_LOOK_NS * all) as u64, ..EngineEffort::from_cells(a.len() as u64 * b.len() as u64) };
    of_word(whole, a.len().max(b.len()) as u64, aligned)
}

fn of_word(whole: EngineEffort, n: u64, aligned: bool) -> PairEfforts {
    let ns = if aligned { WORD_ALIGNED_NS } else { WORD_NS };
    PairEfforts { cpu: EngineEffort { cost_cells: 0, overhead_ns: whole.overhead_ns + (ns * n as f64) as u64, ..whole }, cuda: whole }
}

/// A pair of long texts of `m` and `n` symbols, with `m` ≤ `n`.
#[derive(Clone, Copy, Debug)]
struct LongPair {
    m: f64,
    n: f64,
    alphabet: u32,
    method: PairMethod,
}

impl LongPair {
    /// Estimates the cost of a search for at most `distance` edits, diagonal by diagonal.
    fn diagonals(self, distance: u64) -> EngineEffort {
        let steps = self.method.diagonals * (distance + 1) as f64 * (distance + 1) as f64;
        EngineEffort { cells: steps as u64, cost_cells: 0, overhead_ns: (DIAGONAL_NS * steps) as u64 }
    }

    /// Estimates the cost of diagonal bands that widen until one allows as many edits as the expected distance in
    /// `apart`.
    fn bands(self, apart: DistanceEstimate) -> EngineEffort {
        let distance = apart.distance as f64;
        if let Some(sweeps) = self.slanted_sweeps(distance) {
            let cells = sweeps * (self.n * SLANTED_DIAGONALS).min(self.m * self.n);
            let traced = if self.method.aligned { self.traced(distance) } else { 0.0 };
            return EngineEffort {
                cells: cells as u64,
                cost_cells: (cells + traced) as u64,
                overhead_ns: (PREPARATION_NS * self.n) as u64,
            };
        }
        let has_seeds = self.method.compares_equal;
        let bounded = has_seeds && self.method.substitutes && apart.is_even && distance < 0.18 * self.m;
        let rows = STRIP_ROWS[usize::from(!(bounded && apart.distance <= MAX_NARROW_EDITS))] as f64;
        let mut k = (self.n - self.m + FIRST_BAND as f64).max(rows / 2.0);
        let mut cells = 0.0;
        if !bounded {
            while k < distance {
                cells += self.area(k, rows);
                let wider = GROWTH as f64 * k;
                let trusted =
                    distance <= MAX_TRUSTED_RATIO as f64 * k || self.area(wider, rows) > self.m * self.n / UNPROVEN_BAND_DIVISOR as f64;
                k = if trusted { distance } else { wider };
                if trusted {
                    break;
                }
            }
        }
        let last = if k > distance {
            self.area(k, rows)
        } else if has_seeds {
            self.corridor(distance, rows)
        } else {
            self.area(distance, rows)
        };
        let traced = if self.method.aligned { self.traced(distance) } else { 0.0 };
        let borders = last / rows * if self.method.substitutes { 0.38 } else { 0.19 };
        let again = if self.method.aligned && borders > BORDERS_BYTES as f64 { RESWEEP_FACTOR } else { 1.0 };
        let cells = cells + again * last;
        EngineEffort { cells: cells as u64, cost_cells: (cells + traced) as u64, overhead_ns: (PREPARATION_NS * self.n) as u64 }
    }

    /// Returns the number of sweeps of a slanted band that compute the distance, probably `distance`. Returns `None` if tiles
    /// compute it.
    fn slanted_sweeps(self, distance: f64) -> Option<f64> {
        let is_slanted = self.method.substitutes && self.method.compares_equal;
        if cfg!(target_family = "wasm") || !is_slanted || self.method.limit.is_some() {
            return None;
        }
        let is_narrow = 1.125 * distance + (self.n - self.m) <= SLANTED_DIAGONALS;
        let is_proven = self.alphabet <= MAX_PROVEN_ALPHABET
            && self.m >= MIN_PROVEN_SYMBOLS
            && distance <= MAX_PROVEN_SHARE * self.m
            && self.n - self.m <= SLANTED_DIAGONALS / 2.0;
        if is_narrow { Some(1.0) } else { is_proven.then_some(2.0) }
    }

    /// Returns the number of cells in the diagonal band for `k` edits, in strips of `rows` rows.
    fn area(self, k: f64, rows: f64) -> f64 {
        let beside = (k - (self.n - self.m)).max(0.0) / 2.0 + rows / 2.0;
        let left = (self.m - beside).max(0.0);
        self.m * self.n - left * left
    }

    /// Returns the number of cells in the diagonal band for `distance` edits that remain after seeds have narrowed the
    /// band, in strips of `rows` rows.
    fn corridor(self, distance: f64, rows: f64) -> f64 {
        let rate = distance / self.n;
        let band = self.area(distance, rows);
        if self.m < 2.0 * MIN_SAMPLED_SYMBOLS as f64 {
            band
        } else if rate <= 0.15 {
            (self.n * (1.5 * rows + (0.25 + 28.0 * rate * rate) * distance)).min(band)
        } else {
            band * (0.5 + 0.7 * rate).min(1.0)
        }
    }

    /// Returns the number of cells that take as long as the traceback of an alignment with `distance` edits.
    fn traced(self, distance: f64) -> f64 {
        let [each, edit, most] = TRACEBACK_CELLS;
        self.n * (each + edit * distance / self.n).min(most)
    }

    /// Estimates the cost on a GPU, which sweeps a corridor of diagonals for `distance` edits, or the whole matrix.
    fn device(self, distance: u64) -> EngineEffort {
        let whole = self.m * self.n;
        let corridor = self.n * (CORRIDOR_WIDTH_FACTOR * distance as f64 + (self.n - self.m) + CORRIDOR_ROWS);
        let cells = if corridor > MAX_CORRIDOR_AREA_SHARE * whole || CORRIDOR_WIDTH_FACTOR * distance as f64 > 0.4 * self.m {
            whole
        } else {
            corridor
        };
        let ns = DEVICE_NS + if self.method.aligned { DEVICE_ALIGNED_NS } else { 0.0 };
        EngineEffort { overhead_ns: (ns * self.n) as u64, ..EngineEffort::from_cells(cells as u64) }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Cpu, Engine};
    use crate::job::{JobOptions, Task};
    use crate::oracle::{bytes, mutated, random};
    use crate::run::{NoObserver, Run};
    use crate::task::solver;

    /// Compares the expected with the filled cells. They agree within a factor of three, the spread of texts with
    /// random edits, and stay far below the whole matrix for similar texts.
    #[test]
    fn expected_cells_are_close_to_the_filled_cells() {
        let a = random(b"ACGT", 200_000, 1);
        for (rate, task) in [0.005, 0.03, 0.1, 0.25].into_iter().flat_map(|rate| [(rate, Task::EditDistance), (rate, Task::Lcs)]) {
            let pair = bytes(&a, &mutated(&a, b"ACGT", rate, 2));
            let options = JobOptions { alignment: false, ..JobOptions::default() };
            let expected = solver(task).work_for(&pair, &options).cpu.cells as f64;
            let run = Run::new(&NoObserver);
            Engine::Cpu(Cpu::SINGLE).run(task, &options, &pair, &run).unwrap();
            let filled = run.cells() as f64;
            assert!((filled / 3.0..filled * 3.0).contains(&expected), "{task:?}, {rate}: {expected:e} for {filled:e}");
        }
    }

    #[test]
    fn texts_without_a_common_symbol_cost_almost_nothing() {
        let [a, b, c] = [b'a', b'b', b'c'].map(|letter| vec![letter; 2_000_000]);
        let mixed = [&b[..1_000_000], &a[..1_000_000]].concat();
        for (a, b, distance, length) in [(&a, &b, 2_000_000, 0), (&mixed, &c, 2_000_000, 0), (&mixed, &b, 1_000_000, 1_000_000)] {
            for (task, expected) in [(Task::EditDistance, distance), (Task::Lcs, length)] {
                let pair = bytes(a, &[&b[..], b"c"].concat());
                let effort = solver(task).work_for(&pair, &JobOptions::default()).cpu;
                assert!(effort.cost_cells == 0 && effort.overhead_ns < 100_000_000, "{task:?}, {effort:?}");
                let run = Run::new(&NoObserver);
                let solution = Engine::Cpu(Cpu::SINGLE).run(task, &JobOptions::default(), &pair, &run).unwrap();
                let found = match solution.answer {
                    crate::event::TaskAnswer::EditDistance { distance: Some(distance), .. } => distance - 1,
                    crate::event::TaskAnswer::Lcs { length, .. } => length,
                    other => panic!("{other:?}"),
                };
                assert_eq!((found, run.cells()), (expected, 0), "{task:?}");
            }
        }
    }

    #[test]
    fn short_and_equal_texts_cost_almost_nothing() {
        let a = random(b"ACGT", 1_000_000, 1);
        let mut b = a.clone();
        b[500_000] ^= 2;
        for (a, b, most_ms) in [(&a[..], &a[..], 2.0), (&a, &b, 2.0), (&a[..60], &b, 10.0)] {
            for task in [Task::EditDistance, Task::Lcs] {
                let effort = solver(task).work_for(&bytes(a, b), &JobOptions::default()).cpu;
                assert!(effort.cost_cells == 0 && effort.overhead_ns as f64 <= most_ms * 1e6, "{task:?}, {effort:?}");
            }
        }
    }
}
