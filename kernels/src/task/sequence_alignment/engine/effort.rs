//! Expected cost of a sequence alignment, as numbers of cells of a global score with differences of 8 bits.

use super::{differences, values};
use crate::job::{AlignmentMode, Scoring, ScoringMatrix};
use crate::plan::EngineEffort;

/// Time of a cell with differences, as a percentage of that of the fastest ones: for points of equality, of bases, and of
/// amino acids, each with 8 and with 16 bits.
const DIFFERENCE_PERCENT: [[u64; 2]; 3] = [[100, 200], [165, 290], [315, 590]];

/// The same for a cell with values of 16 and of 32 bits.
const VALUE_PERCENT: [[u64; 2]; 3] = [[170, 340], [350, 700], [710, 1_420]];

/// Time of an alignment, as a percentage of that of its score.
const ALIGNED_PERCENT: u64 = 140;

/// Nanoseconds on one thread to trace an alignment, per symbol of both texts.
const TRACED_NS: u64 = 10;

/// Number of symbols of a text with free ends that are searched for the start of an alignment, for each symbol of the
/// other text.
const WINDOW_FACTOR: u64 = 2;

/// Estimates the cost of the best alignment of texts of `m` and `n` symbols with `alphabet` distinct symbols, and with its
/// columns if `aligned`. The pieces of a local alignment are assumed to be the whole texts.
pub(crate) fn effort(m: u64, n: u64, alphabet: u64, scoring: &Scoring, aligned: bool) -> EngineEffort {
    let (kind, points) = match scoring.matrix {
        None => (0, scoring.equal.max(scoring.different)),
        Some(matrix) => (if matrix == ScoringMatrix::Nuc44 { 1 } else { 2 }, matrix.max_points()),
    };
    let has_bytes = scoring.matrix.is_some() || alphabet <= 1 << 8;
    let has_words = scoring.matrix.is_some() || alphabet <= 1 << 16;
    let is_narrow = has_bytes && differences::fit(points, scoring.gap, i8::MAX.into());
    let difference = DIFFERENCE_PERCENT[kind][usize::from(!is_narrow)];
    let is_short = has_words && values::max_tile(points, scoring.gap, i16::MAX.into()).is_some();
    let value = VALUE_PERCENT[kind][usize::from(!is_short)];

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
    let (passes, each, piece) = match scoring.mode {
        AlignmentMode::Global => (if aligned { 0 } else { whole }, difference, whole),
        AlignmentMode::Local => (whole.saturating_mul(2), value, whole),
        AlignmentMode::SemiGlobal => {
            let start_pass = if !has_start_pass {
                0
            } else if has_end_pass {
                piece
            } else {
                whole
            };
            let end_pass = if has_end_pass || !has_start_pass { whole } else { 0 };
            (end_pass.saturating_add(start_pass), difference, piece)
        }
    };
    let traced = if aligned { piece } else { 0 };
    let cost = |cells: u64, percent: u64| (u128::from(cells) * u128::from(percent) / 100).min(u64::MAX.into()) as u64;
    let traced_cost = cost(cost(traced, difference), ALIGNED_PERCENT);
    EngineEffort {
        cells: passes.saturating_add(traced),
        cost_cells: cost(passes, each).saturating_add(traced_cost),
        overhead_ns: if aligned { TRACED_NS.saturating_mul(m.saturating_add(n)) } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{FreeEnds, GapCosts};

    #[test]
    fn cost_follows_passes_and_widths() {
        let cost = |m: u64, n: u64, scoring: Scoring, aligned: bool| effort(m, n, 4, &scoring, aligned).cost_cells;
        let global = Scoring::default();
        assert_eq!(cost(1_000, 2_000, global, false), 2_000_000);
        assert_eq!(cost(1_000, 2_000, global, true), 2_800_000);
        let wide = Scoring { gap: GapCosts { open: 100, extend: 1 }, ..global };
        assert_eq!(cost(1_000, 2_000, wide, false), 4_000_000);
        let protein = Scoring { matrix: Some(ScoringMatrix::Blosum62), ..global };
        assert_eq!(cost(1_000, 2_000, protein, false), 6_300_000);
        let local = Scoring { mode: AlignmentMode::Local, ..global };
        assert_eq!(cost(1_000, 2_000, local, false), 6_800_000);
        // A short text is searched in a long one once. The rest happens near the end of the best piece.
        let fit = Scoring { mode: AlignmentMode::SemiGlobal, free_ends: FreeEnds::FIT, ..global };
        assert_eq!(cost(1_000, 1_000_000, fit, false), 1_002_000_000);
        assert_eq!(effort(u64::MAX, u64::MAX, 4, &local, true).cost_cells, u64::MAX);
    }
}
