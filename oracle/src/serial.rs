//! Serial: solutions of each task by its definition ([`solve`]), which are obvious, slow and never optimised. Every
//! engine is checked against these solutions.
//!
//! - [`edit_distance`], [`lcs`], [`approximate_search`]: the plain recurrences
//! - [`match_count`], [`exact_search`]: the plain definitions
//! - [`sequence_alignment`]: the plain recurrences with three values for each cell
//! - [`strands`]: searches on both strands, made of two searches

use kernels::alignment::{Alignment, EditKind, ScoredColumns};
use kernels::event::TaskAnswer;
use kernels::job::{GapCosts, JobOptions, Points, Scoring, Task};
use kernels::task::Solution;
use kernels::text::{Pair, Text, TextSymbols};

pub mod approximate_search;
pub mod edit_distance;
pub mod exact_search;
pub mod lcs;
pub mod match_count;
pub mod sequence_alignment;
pub mod strands;

/// The letters of IUPAC for DNA and RNA, each with the bases for which it stands.
const BASES: [(char, &str); 16] = [
    ('A', "A"),
    ('C', "C"),
    ('G', "G"),
    ('T', "T"),
    ('U', "T"),
    ('R', "AG"),
    ('Y', "CT"),
    ('S', "CG"),
    ('W', "AT"),
    ('K', "GT"),
    ('M', "AC"),
    ('B', "CGT"),
    ('D', "AGT"),
    ('H', "ACT"),
    ('V', "ACG"),
    ('N', "ACGT"),
];

/// Returns whether symbol `i` of `a` matches symbol `j` of `b`: if both are equal, or with ambiguity codes if they have a base
/// in common.
pub fn matches(pair: &Pair, i: usize, j: usize) -> bool {
    if pair.symbol_match.is_equality() {
        return pair.a_symbols().symbol_at(i) == pair.b_symbols().symbol_at(j);
    }
    let bases = |text: &Text, at: usize| {
        let letter = text.display_unit(at).to_ascii_uppercase();
        BASES.iter().find(|(code, _)| letter == code.to_string()).map_or("", |(_, bases)| *bases)
    };
    let of_b = bases(&pair.b, j);
    bases(&pair.a, i).chars().any(|base| of_b.contains(base))
}

/// Solves `task` by its definition, with one thread and without any optimization. Takes O(|a||b|) time, and up to
/// O(|b|²) more for local minima.
pub fn solve(task: Task, pair: &Pair, options: &JobOptions) -> Solution {
    if !options.strands.is_forward() {
        return strands::solve(task, pair, options);
    }
    match task {
        Task::EditDistance => {
            let (distance, alignment) = edit_distance::align_with_costs(pair, options.costs);
            if let Some(most) = options.max_distance.filter(|most| distance > *most) {
                return Solution { answer: TaskAnswer::above_distance(most), alignment: None, found: None };
            }
            let alignment = options.alignment.then_some(alignment);
            let summary = alignment.as_ref().map(Alignment::summary);
            Solution { answer: TaskAnswer::from_distance(distance, summary), alignment, found: None }
        }
        Task::ApproximateSearch => approximate_search::solve(pair, options),
        Task::Lcs => lcs::solve(pair, options),
        Task::MatchCount => match_count::solve(pair, options),
        Task::ExactSearch => exact_search::solve(pair, options),
        Task::SequenceAlignment => solve_sequence_alignment(pair, options),
    }
}

/// Solves `sequence-alignment` for the points of `options`.
fn solve_sequence_alignment(pair: &Pair, options: &JobOptions) -> Solution {
    // All points are in tenths, unlike those of the engines.
    let cost = |points: Points| u32::try_from(points.tenths()).expect("costs are small and not negative");
    let gap = GapCosts { open: cost(options.gap.open), extend: cost(options.gap.extend) };
    let scoring = Scoring { gap, ..options.scoring() };
    let letters = letters(pair);
    let letter = |symbols: &TextSymbols, at: usize| letters[symbols.symbol_at(at) as usize];
    let points = |i: usize, j: usize| {
        let points = match &scoring.matrix {
            Some(matrix) => matrix.points(letter(pair.a_symbols(), i), letter(pair.b_symbols(), j)),
            None if matches(pair, i, j) => options.equal,
            None => options.different,
        };
        points.tenths()
    };
    let lens = [pair.a_symbols().len(), pair.b_symbols().len()];
    let is_equal = |i: usize, j: usize| matches(pair, i, j);
    let aligned = sequence_alignment::align_positions(lens, &|i, j| Some(points(i, j)), &is_equal, &scoring);
    let sequence_alignment::AlignedPieces { score, a, b, alignment } = aligned;
    let score = Points::from_tenths(score);
    let alignment = options.alignment.then(|| alignment.starting_at(a.start, b.start));
    let summary = alignment.as_ref().map(Alignment::summary);
    let scored = alignment.as_ref().map(|alignment| count_scored_columns(alignment, &points));
    let answer = TaskAnswer::SequenceAlignment { score, a: a.into(), b: b.into(), alignment: summary, scored, next: Vec::new() };
    Solution { answer, alignment, found: None }
}

/// Returns the letter of each symbol number, or `?` for a symbol that is not one character.
fn letters(pair: &Pair) -> Vec<char> {
    let mut letters = vec!['?'; pair.alphabet() as usize];
    for (text, symbols) in [(&pair.a, pair.a_symbols()), (&pair.b, pair.b_symbols())] {
        for at in 0..symbols.len() {
            let unit = text.display_unit(at);
            if let (Some(letter), 1) = (unit.chars().next(), unit.chars().count()) {
                letters[symbols.symbol_at(at) as usize] = letter;
            }
        }
    }
    letters
}

/// Counts the columns with points above 0, the columns of gaps, and the gaps, column by column.
fn count_scored_columns(alignment: &Alignment, points: &dyn Fn(usize, usize) -> i64) -> ScoredColumns {
    let (mut i, mut j, mut last) = (alignment.a_start() as usize, alignment.b_start() as usize, EditKind::Equal);
    let mut counts = ScoredColumns::default();
    for edit in alignment.cigar_ops().iter().flat_map(|op| (0..op.len).map(|_| op.edit)) {
        if matches!(edit, EditKind::Insert | EditKind::Delete) {
            counts.gaps += 1;
            counts.gap_openings += u64::from(edit != last);
        } else {
            counts.positives += u64::from(points(i, j) > 0);
        }
        let (of_a, of_b) = edit.consumed_symbols();
        (i, j, last) = (i + of_a as usize, j + of_b as usize, edit);
    }
    counts
}
