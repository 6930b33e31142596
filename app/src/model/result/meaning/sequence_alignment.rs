//! The meaning of the highest score of an alignment.

use kernels::alignment::{AlignmentSummary, ScoredColumns, SymbolRange};
use kernels::job::{AlignmentMode, FreeEnds, JobOptions, Points, Unit};

use super::{AnswerMeaning, symbols_noun};
use crate::model::text::humanize::{self, grouped, signed};
use crate::tr;
use crate::tr::t;

/// The answer of sequence alignment.
#[derive(Clone, Copy, Debug)]
pub struct AlignmentAnswer {
    pub score: Points,
    /// Ranges of `a` and of `b` that the alignment covers.
    pub pieces: [SymbolRange; 2],
    /// The counts of columns, if the job asked for the alignment.
    pub columns: Option<(AlignmentSummary, ScoredColumns)>,
}

impl AlignmentAnswer {
    /// Returns the number of columns of similar symbols: different ones with points above 0. Only a matrix has them.
    pub fn similar(&self, options: &JobOptions) -> Option<u64> {
        let (summary, scored) = self.columns.filter(|_| options.matrix.is_some())?;
        Some(scored.positives.saturating_sub(summary.matches).min(summary.mismatches))
    }
}

/// Returns the sentences about the highest score, for texts of `symbols` symbols.
pub fn meaning(answer: &AlignmentAnswer, symbols: (u64, u64), options: &JobOptions) -> AnswerMeaning {
    let covered = covered(answer, options);
    let says = match humanize::is_one_point(answer.score) {
        true => tr!("point: {covered}", covered = covered),
        false => tr!("points: {covered}", covered = covered),
    };
    let mut parts = Vec::new();
    if let Some((summary, scored)) = answer.columns.filter(|(summary, _)| summary.columns > 0) {
        parts.extend(of_columns(&summary, scored, options));
    }
    if options.mode == AlignmentMode::SemiGlobal {
        parts.extend(outside(answer.pieces, symbols, options.unit));
    }
    AnswerMeaning { number: signed(answer.score), says, aside: parts.join(" · "), ..AnswerMeaning::default() }
}

/// Returns the part of a sentence that says what the best alignment covers.
fn covered(answer: &AlignmentAnswer, options: &JobOptions) -> String {
    let [a, b] = answer.pieces;
    let range = |piece: SymbolRange| {
        let (from, to) = humanize::range(piece.start, piece.end);
        format!("{from}–{to}")
    };
    let (xs, ys, symbols) = (range(a), range(b), symbols_noun(2, options.unit));
    match (options.mode, options.free_ends) {
        (AlignmentMode::Global, _) | (AlignmentMode::SemiGlobal, FreeEnds::NONE) => {
            t("the best alignment of all of *a* with all of *b*.").to_owned()
        }
        _ if a.is_empty() && b.is_empty() => t("no piece of *a* and *b* scores above 0.").to_owned(),
        (AlignmentMode::Local, _) => {
            tr!("{symbols} {xs} of *a* and {ys} of *b* are the best pieces.", symbols = symbols, xs = xs, ys = ys)
        }
        (AlignmentMode::SemiGlobal, FreeEnds::FIT) => tr!("all of *a* lies in {symbols} {ys} of *b*.", symbols = symbols, ys = ys),
        (AlignmentMode::SemiGlobal, FreeEnds::OVERLAP) => match answer.columns {
            Some((summary, _)) => {
                let columns = humanize::count(summary.columns, "column", "columns");
                tr!("the end of *a* overlaps the start of *b* by {columns}.", columns = columns)
            }
            None => t("the end of *a* overlaps the start of *b*.").to_owned(),
        },
        (AlignmentMode::SemiGlobal, _) => {
            tr!("{symbols} {xs} of *a* and {ys} of *b* are aligned.", symbols = symbols, xs = xs, ys = ys)
        }
    }
}

/// Lists identity, similarity and gaps of an alignment.
fn of_columns(summary: &AlignmentSummary, scored: ScoredColumns, options: &JobOptions) -> Vec<String> {
    let share = |columns: u64| humanize::percent(columns as f64 / summary.columns as f64);
    let all = humanize::count(summary.columns, "column", "columns");
    let (matches, n) = (share(summary.matches), grouped(summary.matches));
    let mut parts = vec![match options.ambiguity {
        true => tr!("Matching {share}, {n} of {columns}", share = matches, n = n, columns = all),
        false => tr!("Identity {share}, {n} of {columns}", share = matches, n = n, columns = all),
    }];
    if options.matrix.is_some() {
        let columns = humanize::count(scored.positives, "column", "columns");
        parts.push(tr!("Similar {share}, {columns} with points above 0", share = share(scored.positives), columns = columns));
    }
    parts.push(match scored.gaps {
        0 => t("no gap").to_owned(),
        gaps => {
            let columns = humanize::count(gaps, "column", "columns");
            tr!("{columns} in {gaps}", columns = columns, gaps = humanize::count(scored.gap_openings, "gap", "gaps"))
        }
    });
    parts
}

/// Returns how many symbols of each text lie outside of the alignment, or `None` if none do.
fn outside(pieces: [SymbolRange; 2], (a, b): (u64, u64), unit: Unit) -> Option<String> {
    let left = [a.saturating_sub(pieces[0].len()), b.saturating_sub(pieces[1].len())];
    let said = left.map(|symbols| format!("{} {}", grouped(symbols), symbols_noun(symbols, unit)));
    let parts = [tr!("{symbols} of *a*", symbols = said[0]), tr!("{symbols} of *b*", symbols = said[1])];
    let parts: Vec<String> = left.into_iter().zip(parts).filter(|(left, _)| *left > 0).map(|(_, part)| part).collect();
    (!parts.is_empty()).then(|| tr!("outside and free: {parts}", parts = humanize::list(&parts)))
}

#[cfg(test)]
mod tests {
    use kernels::job::ScoringMatrix;

    use super::*;

    fn said(score: i32, [a, b]: [[u64; 2]; 2], columns: Option<(AlignmentSummary, ScoredColumns)>, options: &JobOptions) -> String {
        let piece = |[start, end]: [u64; 2]| SymbolRange { start, end };
        let answer = AlignmentAnswer { score: score.into(), pieces: [piece(a), piece(b)], columns };
        meaning(&answer, (20, 17), &JobOptions { unit: Unit::Graphemes, ..options.clone() }).plain()
    }

    fn counts(matches: u64, mismatches: u64, gaps: u64, positives: u64) -> Option<(AlignmentSummary, ScoredColumns)> {
        let summary =
            AlignmentSummary { columns: matches + mismatches + gaps, matches, mismatches, insertions: gaps, ..AlignmentSummary::default() };
        Some((summary, ScoredColumns { positives, gaps, gap_openings: gaps.min(2) }))
    }

    fn semi(free_ends: FreeEnds) -> JobOptions {
        JobOptions { mode: AlignmentMode::SemiGlobal, free_ends, ..JobOptions::default() }
    }

    #[test]
    fn headline_says_what_is_aligned() {
        let (global, local) = (JobOptions::default(), JobOptions { mode: AlignmentMode::Local, ..JobOptions::default() });
        assert_eq!(said(-13, [[0, 20], [0, 17]], None, &global), "−13 points: the best alignment of all of a with all of b.");
        assert_eq!(said(1, [[0, 20], [0, 17]], None, &global), "1 point: the best alignment of all of a with all of b.");
        assert_eq!(said(11, [[2, 12], [2, 11]], None, &local), "11 points: letters 2–12 of a and 2–11 of b are the best pieces.");
        assert_eq!(said(0, [[0, 0], [0, 0]], None, &local), "0 points: no piece of a and b scores above 0.");
        let fit = said(6, [[0, 20], [7, 17]], None, &semi(FreeEnds::FIT));
        assert_eq!(fit, "6 points: all of a lies in letters 7–17 of b. outside and free: 7 letters of b");
        let overlap = said(20, [[10, 20], [0, 10]], counts(10, 0, 0, 10), &semi(FreeEnds::OVERLAP));
        assert!(
            overlap.starts_with(
                "20 points: the end of a overlaps the start of b by 10 columns. Identity 100%, 10 of 10 columns · no gap · outside and free: 10 letters of a, 7 letters of b"
            ),
            "{overlap}"
        );
    }

    #[test]
    fn second_line_has_the_divisor_of_the_identity() {
        let counts = counts(63, 77, 9, 88);
        let global = said(282, [[0, 20], [0, 17]], counts, &JobOptions::default());
        assert!(global.ends_with(" Identity 42.3%, 63 of 149 columns · 9 columns in 2 gaps"), "{global}");
        let codes = said(282, [[0, 20], [0, 17]], counts, &JobOptions { ambiguity: true, ..JobOptions::default() });
        assert!(codes.ends_with(" Matching 42.3%, 63 of 149 columns · 9 columns in 2 gaps"), "{codes}");
        let matrix = JobOptions { matrix: Some(ScoringMatrix::BLOSUM62), ..JobOptions::default() };
        let similar = said(282, [[0, 20], [0, 17]], counts, &matrix);
        assert!(similar.contains(" · Similar 59.1%, 88 columns with points above 0 · "), "{similar}");
        let answer = AlignmentAnswer { score: Points::whole(282), pieces: Default::default(), columns: counts };
        assert_eq!((answer.similar(&matrix), answer.similar(&JobOptions::default())), (Some(25), None));
    }
}
