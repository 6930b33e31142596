//! Expected cost of a sequence alignment, as numbers of cells of a global score with linear gaps.

use super::coded::TREE_CLASSES;
use super::search::{max_gap_symbols, twice_score_of_edits};
use super::{differences, values};
use crate::job::{AlignmentMode, JobOptions, Scoring, ScoringMatrix};
use crate::pair::cpu::affix::CommonAffix;
use crate::pair::effort::{PairMethod, efforts};
use crate::pair::sample::{MIN_SAMPLED_SYMBOLS, estimate_distance};
use crate::plan::EngineEffort;
use crate::symbol::Symbol;
use crate::task::edit_distance;

/// Time of a cell with differences of 8 and of 16 bits, as a percentage of that with linear gaps and 8 bits. The rows are
/// equality with linear gaps, equality, a matrix of bases, and one of amino acids.
const DIFFERENCE_PERCENT: [[u64; 2]; 4] = [[100, 200], [280, 530], [440, 780], [860, 1_580]];

/// The same for a cell with values of 16 and of 32 bits.
const VALUE_PERCENT: [[u64; 2]; 4] = [[470, 930], [470, 930], [950, 1_680], [1_920, 3_330]];

/// Time of an alignment, as a percentage of that of its score.
const ALIGNED_PERCENT: u64 = 140;

/// Nanoseconds on one thread to trace an alignment, per symbol of both texts.
const TRACED_NS: u64 = 10;

/// Time of a cell on a GPU, as a percentage of that of a score with linear gaps: with linear gaps, with differences, and
/// with values.
const CUDA_PERCENT: [u64; 3] = [100, 165, 290];

/// Nanoseconds on one thread to trace an alignment from the edges that a GPU has kept, per symbol of both texts.
const CUDA_TRACED_NS: u64 = 500;

/// Maximum number of letters of a matrix that counts as one of bases.
const MAX_FEW_LETTERS: usize = 16;

/// Time of a cell on the host, as a multiple of that on a GPU.
const HOST_FACTOR: u64 = 50;

/// Maximum number of letters of a matrix that surely fits the shared memory of a GPU.
const MAX_DEVICE_LETTERS: usize = 32;

/// Number of cells of the bit-parallel edit distance that take as long as one cell with linear gaps.
const UNIT_COST_CELLS: u64 = 3;

/// Number of symbols of a text with free ends that are searched for the start of an alignment, for each symbol of the
/// other text.
const WINDOW_FACTOR: u64 = 2;

/// The properties of a job on which the cost of its matrix depends.
#[derive(Clone, Debug)]
pub(crate) struct EffortRequest {
    pub(crate) scoring: Scoring,
    /// Whether letters stand for sets of bases, whose points are in a table.
    pub(crate) has_sets: bool,
    /// Whether an alignment is requested.
    pub(crate) aligned: bool,
}

impl EffortRequest {
    pub(crate) fn of(options: &JobOptions) -> Self {
        Self { scoring: options.scoring(), has_sets: options.ambiguity, aligned: options.alignment }
    }

    /// Returns whether the points of pairs are in a table.
    fn has_table(&self) -> bool {
        self.has_sets || self.scoring.matrix.is_some()
    }
}

/// Estimates the cost of the best alignment of texts of `m` and `n` symbols with `alphabet` distinct symbols. The pieces of a
/// local alignment are assumed to be the whole texts.
pub(crate) fn effort(m: u64, n: u64, alphabet: u64, request: &EffortRequest) -> EngineEffort {
    let EffortRequest { scoring, has_sets, aligned } = request;
    let (has_table, aligned) = (request.has_table(), *aligned);
    let (kind, points) = match &scoring.matrix {
        None if *has_sets => (2, scoring.equal.max(scoring.different)),
        None if scoring.gap.open == 0 && scoring.mode == AlignmentMode::Global => (0, scoring.equal.max(scoring.different)),
        None => (1, scoring.equal.max(scoring.different)),
        Some(matrix) => (if matrix.letters().len() <= MAX_FEW_LETTERS { 2 } else { 3 }, scoring.units(matrix.max_points())),
    };
    // A lookup of points needs a tree for each 32 letters of b.
    let trees =
        scoring.matrix.as_ref().map_or(1, |matrix| (matrix.letters().len() as u64).min(alphabet).div_ceil(TREE_CLASSES as u64).max(1));
    let has_bytes = has_table || alphabet <= 1 << 8;
    let has_words = has_table || alphabet <= 1 << 16;
    let is_narrow = has_bytes && differences::fit(points, scoring.gap, i8::MAX.into());
    let difference = trees * DIFFERENCE_PERCENT[kind][usize::from(!is_narrow)];
    let is_short = has_words && values::max_tile(points, scoring.gap, i16::MAX.into()).is_some();
    let value = trees * VALUE_PERCENT[kind][usize::from(!is_short)];

    let passes = Passes::new(m, n, scoring, aligned);
    let (each, traced) = (if scoring.mode == AlignmentMode::Local { value } else { difference }, passes.traced);
    let traced_cost = cost(cost(traced, difference), ALIGNED_PERCENT);
    EngineEffort {
        cells: passes.cells.saturating_add(traced),
        cost_cells: cost(passes.cells, each).saturating_add(traced_cost),
        overhead_ns: if aligned { TRACED_NS.saturating_mul(m.saturating_add(n)) } else { 0 },
    }
}

/// Estimates the cost like [`effort`] for a GPU, whose cells cost the same for all symbols. Custom matrices with many
/// letters, and tables with high points, are computed by the host.
pub(crate) fn cuda_effort(m: u64, n: u64, request: &EffortRequest) -> EngineEffort {
    let EffortRequest { scoring, aligned, .. } = request;
    let (has_table, aligned) = (request.has_table(), *aligned);
    let passes = Passes::new(m, n, scoring, aligned);
    let is_linear = !has_table && scoring.gap.open == 0 && scoring.mode == AlignmentMode::Global;
    let [linear, difference, value] = if is_on_host(request) { CUDA_PERCENT.map(|percent| HOST_FACTOR * percent) } else { CUDA_PERCENT };
    let difference = if is_linear { linear } else { difference };
    let each = if scoring.mode == AlignmentMode::Local { value } else { difference };
    EngineEffort {
        cells: passes.cells.saturating_add(passes.traced),
        cost_cells: cost(passes.cells, each).saturating_add(cost(passes.traced, difference)),
        overhead_ns: if aligned { CUDA_TRACED_NS.saturating_mul(m.saturating_add(n)) } else { 0 },
    }
}

/// Returns whether the host may have to compute a matrix, because the points of a custom matrix or of sets do not fit the
/// tables of a GPU. Differences are raised to 0 at least, so that low points fit. Only a local score needs values.
fn is_on_host(request: &EffortRequest) -> bool {
    let EffortRequest { scoring, has_sets, aligned } = request;
    let raise = 2 * (scoring.gap.open + scoring.gap.extend) as i32;
    let has_values = scoring.mode == AlignmentMode::Local;
    let has_differences = *aligned || !has_values;
    let is_wide = |points: i32| {
        let [is_wide_value, is_wide_difference] = [i8::try_from(points).is_err(), points + raise > i8::MAX.into()];
        has_values && is_wide_value || has_differences && is_wide_difference
    };
    match &scoring.matrix {
        Some(ScoringMatrix::Custom(matrix)) => {
            matrix.letters().len() > MAX_DEVICE_LETTERS || matrix.points().iter().any(|points| is_wide(scoring.units(*points)))
        }
        Some(matrix @ ScoringMatrix::Published(_)) => is_wide(scoring.units(matrix.max_points())),
        None => *has_sets && [scoring.equal, scoring.different].into_iter().any(is_wide),
    }
}

/// Returns `percent` per cent of `cells`.
fn cost(cells: u64, percent: u64) -> u64 {
    (u128::from(cells) * u128::from(percent) / 100).min(u64::MAX.into()) as u64
}

/// The numbers of cells that an alignment needs.
struct Passes {
    /// Number of cells whose values or differences find the score, the end and the start.
    cells: u64,
    /// Number of cells of the pieces that are aligned.
    traced: u64,
}

impl Passes {
    /// Counts the cells for texts of `m` and `n` symbols. The pieces of a local alignment are assumed to be the whole texts.
    fn new(m: u64, n: u64, scoring: &Scoring, aligned: bool) -> Self {
        let whole = m.saturating_mul(n);
        let free = scoring.free();
        // The part of the matrix in which an alignment lies, if its start and its end are free in one text only.
        let within = |len: u64, other: u64| len.min(other.saturating_mul(WINDOW_FACTOR)).saturating_mul(other);
        let (starts, ends) = ([free.a_start, free.b_start], [free.a_end, free.b_end]);
        let piece = match (starts, ends) {
            ([false, true], [false, true]) => within(n, m),
            ([true, false], [true, false]) => within(m, n),
            _ => whole,
        };
        let has_end_pass = ends != [false, false];
        let has_start_pass = starts != [false, false];
        let (cells, piece) = match scoring.mode {
            AlignmentMode::Global => (if aligned { 0 } else { whole }, whole),
            AlignmentMode::Local => (whole.saturating_mul(2), whole),
            AlignmentMode::SemiGlobal => {
                let start_pass = if !has_start_pass {
                    0
                } else if has_end_pass {
                    piece
                } else {
                    whole
                };
                let end_pass = if has_end_pass || !has_start_pass { whole } else { 0 };
                (end_pass.saturating_add(start_pass), piece)
            }
        };
        Self { cells, traced: if aligned { piece } else { 0 } }
    }
}

/// Estimates the cost of the best alignment of `a` and `b`, whose symbols are below `alphabet`, like [`effort`]. Samples
/// the texts, because similar texts need few cells.
pub(crate) fn effort_of<T: Symbol>(a: &[T], b: &[T], alphabet: u32, request: &EffortRequest) -> EngineEffort {
    let scoring = &request.scoring;
    let all = effort(a.len() as u64, b.len() as u64, alphabet.into(), request);
    if scoring.mode != AlignmentMode::Global || scoring.matrix.is_some() || a.len().min(b.len()) < MIN_SAMPLED_SYMBOLS {
        return all;
    }
    let (_, a, b) = CommonAffix::cut(a, b);
    let (shorter, longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if shorter.len() < MIN_SAMPLED_SYMBOLS {
        return effort(a.len() as u64, b.len() as u64, alphabet.into(), request);
    }
    let symbols = (a.len() + b.len()) as u64;
    let edits = estimate_distance(shorter, longer, true).distance;
    let twice = twice_score_of_edits(scoring.equal, scoring.different, scoring.gap, symbols, edits);
    let gaps = max_gap_symbols(scoring.equal.max(scoring.different), scoring.gap, symbols, twice).unwrap_or(symbols);
    // The corridor consists of whole tiles.
    let width = (gaps + 2 * differences::MAX_TILE as u64).min(shorter.len() as u64);
    let EngineEffort { cells, cost_cells, .. } = effort(longer.len() as u64, width, alphabet.into(), request);
    let method = PairMethod {
        substitutes: true,
        compares_equal: true,
        aligned: false,
        max_searched_edits: edit_distance::cpu::few_edits,
        diagonals: 1.0,
        limit: None,
    };
    let levenshtein = efforts(a, b, alphabet, method).cpu;
    EngineEffort {
        cells: cells.saturating_add(levenshtein.cells),
        cost_cells: cost_cells.saturating_add(levenshtein.cost_cells / UNIT_COST_CELLS),
        overhead_ns: all.overhead_ns.saturating_add(levenshtein.overhead_ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{CustomMatrix, FreeEnds, GapCosts};
    use crate::oracle::{mutated, random};

    #[test]
    fn cost_follows_passes_and_widths() {
        let request = |scoring: &Scoring, aligned| EffortRequest { scoring: scoring.clone(), has_sets: false, aligned };
        let cost = |m: u64, n: u64, scoring: &Scoring, aligned: bool| effort(m, n, 4, &request(scoring, aligned)).cost_cells;
        let global = Scoring::default();
        assert_eq!(cost(1_000, 2_000, &global, false), 2_000_000);
        assert_eq!(cost(1_000, 2_000, &global, true), 2_800_000);
        let affine = Scoring { gap: GapCosts { open: 3, extend: 1 }, ..Scoring::default() };
        assert_eq!(cost(1_000, 2_000, &affine, false), 5_600_000);
        let wide = Scoring { gap: GapCosts { open: 100, extend: 1 }, ..Scoring::default() };
        assert_eq!(cost(1_000, 2_000, &wide, false), 10_600_000);
        let protein = Scoring { matrix: Some(ScoringMatrix::BLOSUM62), ..Scoring::default() };
        assert_eq!(cost(1_000, 2_000, &protein, false), 17_200_000);
        let local = Scoring { mode: AlignmentMode::Local, ..Scoring::default() };
        assert_eq!(cost(1_000, 2_000, &local, false), 18_800_000);
        // A short text is searched in a long one once. The rest happens near the end of the best piece.
        let fit = Scoring { mode: AlignmentMode::SemiGlobal, free_ends: FreeEnds::FIT, ..Scoring::default() };
        assert_eq!(cost(1_000, 1_000_000, &fit, false), 2_805_600_000);
        assert_eq!(effort(u64::MAX, u64::MAX, 4, &request(&local, true)).cost_cells, u64::MAX);
        // A GPU has one rate for all symbols.
        let cuda = |scoring: &Scoring, aligned: bool| cuda_effort(1_000, 2_000, &request(scoring, aligned)).cost_cells;
        assert_eq!((cuda(&global, true), cuda(&affine, false), cuda(&protein, true)), (2_000_000, 3_300_000, 3_300_000));
        assert_eq!(cuda(&local, false), 11_600_000);
        // The points of a custom matrix may not fit the tables of a GPU, and many letters take longer on a CPU.
        let custom = |letters: &str, points: i32| {
            let matrix = CustomMatrix::new(letters.into(), vec![points; letters.len() * letters.len()]).unwrap();
            Scoring { matrix: Some(matrix.into()), ..Scoring::default() }
        };
        assert_eq!((cuda(&custom("AC", 5), false), cuda(&custom("AC", 200), false)), (3_300_000, 165_000_000));
        let letters: String = ('A'..='z').collect();
        let of_letters = |alphabet: u64| effort(1_000, 2_000, alphabet, &request(&custom(&letters, 5), false)).cost_cells;
        assert_eq!((of_letters(20), of_letters(50)), (17_200_000, 34_400_000));
        // Sets of bases have points like those of a matrix of bases.
        let of_sets = |scoring: Scoring| {
            let request = EffortRequest { scoring, has_sets: true, aligned: false };
            [effort(1_000, 2_000, 16, &request), cuda_effort(1_000, 2_000, &request)].map(|effort| effort.cost_cells)
        };
        assert_eq!(of_sets(global), [8_800_000, 3_300_000]);
        // Low points fit the differences of a GPU, but not its values. High points fit its values only, without a gap's cost.
        let low = Scoring { different: -200, ..Scoring::default() };
        assert_eq!(of_sets(low.clone()), [8_800_000, 3_300_000]);
        assert_eq!(cuda(&custom("AC", -200), false), 3_300_000);
        let local_sets = |scoring: Scoring| of_sets(Scoring { mode: AlignmentMode::Local, ..scoring })[1];
        assert_eq!(local_sets(low), 580_000_000);
        assert_eq!(local_sets(Scoring { equal: 127, ..Scoring::default() }), 11_600_000);
        assert_eq!(of_sets(Scoring { equal: 127, ..Scoring::default() })[1], 165_000_000);
    }

    #[test]
    fn similar_texts_cost_less() {
        let letters = [0u8, 1, 2, 3];
        let a = random(&letters, 100_000, 1);
        let cost = |b: &[u8]| effort_of(&a, b, 4, &EffortRequest::of(&JobOptions::DEFAULT)).cost_cells;
        let (similar, other) = (cost(&mutated(&a, &letters, 0.01, 2)), cost(&random(&letters, 100_000, 3)));
        assert!(similar < 5_000_000_000, "{similar}");
        assert!(other > 10_000_000_000, "{other}");
    }
}
