//! Matches of a dot plot. [`matches()`] joins parts (cells of the picture) with dots that touch along a diagonal into
//! one [`DotMatch`].
//!
//! Beginning and end of a match are exact to the size of a part, and exact to the symbol if a part is one symbol.
//!
//! On the forward strand a part touches the parts to the right, below, and diagonally below right, if both have dots.
//! On the reverse strand, left takes the place of right. Touching parts that leave their diagonal are repeats of short
//! words and no match.

use explain::dots::{DotPlot, DotPlotFrame};
use kernels::strand::Strand;

use super::PositionPair;

/// Maximum number of matches in the list, which begins with the longest ones.
pub const MAX_LISTED_MATCHES: usize = 200;

/// Maximum distance between the outermost diagonals of a match's parts (cells of the picture), in parts.
const BESIDE: f64 = 3.0;

/// A range of `a` that also occurs in `b`, directly or as its reverse complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DotMatch {
    /// Range in `a`, half-open.
    pub a: PositionPair,
    /// Range in `b`, half-open.
    pub b: PositionPair,
    /// The strand: forward for a direct match, reverse for a reverse complement.
    pub strand: Strand,
}

impl DotMatch {
    /// Returns the number of symbols of the match in `a`.
    pub fn len(&self) -> u64 {
        self.a.1 - self.a.0
    }
}

/// A filter of matches by length and strand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchFilter {
    /// Minimum length of a match in `a`, in symbols.
    pub shortest: u64,
    /// The only strand whose matches are accepted, or `None` for both.
    pub strand: Option<Strand>,
}

impl MatchFilter {
    /// Returns whether the filter accepts a match.
    pub fn takes(&self, found: &DotMatch) -> bool {
        found.len() >= self.shortest && self.strand.is_none_or(|strand| strand == found.strand)
    }

    /// Returns whether the filter accepts all matches.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }
}

/// Returns the matches of a picture that `filter` accepts, longest first. Also returns a list with an entry for each
/// part (cell of the picture): the number of the match that contains the part, from 1, or 0 for none.
///
/// Takes time linear in the number of parts, apart from sorting the matches.
pub fn matches(dots: &DotPlot, filter: &MatchFilter) -> (Vec<DotMatch>, Vec<u32>) {
    let mut of_part = vec![0u32; dots.counts.len()];
    let mut found: Vec<(DotMatch, Vec<usize>)> = Vec::new();
    for (strand, counts) in [(Strand::Forward, &dots.counts), (Strand::Reverse, &dots.inverted_counts)] {
        found.extend(of_strand(dots, counts, strand).into_iter().filter(|(found, _)| filter.takes(found)));
    }
    found.sort_by_key(|(found, _)| (std::cmp::Reverse(found.len()), found.a, found.b));
    for ((_, parts), number) in found.iter().zip(1..) {
        parts.iter().for_each(|part| of_part[*part] = number);
    }
    (found.into_iter().map(|(found, _)| found).collect(), of_part)
}

/// Returns the matches of one strand, each with the indices of its parts (cells of the picture) in `counts`. `counts`
/// has the number of dots of each part on this strand.
fn of_strand(dots: &DotPlot, counts: &[u32], strand: Strand) -> Vec<(DotMatch, Vec<usize>)> {
    let DotPlotFrame { width, height, .. } = dots.frame;
    let (width, height) = (width as usize, height as usize);
    let mut seen = vec![false; counts.len()];
    let mut all = Vec::new();
    for (first, count) in counts.iter().enumerate() {
        if *count == 0 || seen[first] {
            continue;
        }
        seen[first] = true;
        let mut parts = vec![first];
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            let (row, column) = ((part / width) as isize, (part % width) as isize);
            let across = if strand == Strand::Forward { 1 } else { -1 };
            for (down, right) in [(1, across), (1, 0), (0, across), (-1, -across), (-1, 0), (0, -across)] {
                let (row, column) = (row + down, column + right);
                let is_in = (0..height as isize).contains(&row) && (0..width as isize).contains(&column);
                let part = (row * width as isize + column) as usize;
                if is_in && counts[part] > 0 && !seen[part] {
                    seen[part] = true;
                    parts.push(part);
                }
            }
        }
        all.extend(as_match(dots, &parts, strand).map(|found| (found, parts)));
    }
    all
}

/// Parses the name of a strand in an address or a menu.
pub fn strand_of(name: &str) -> Option<Strand> {
    match name {
        "forward" => Some(Strand::Forward),
        "reverse" => Some(Strand::Reverse),
        _ => None,
    }
}

/// Returns the name of a strand in an address or a menu, or `None` for both strands.
pub fn name_of(strand: Option<Strand>) -> Option<&'static str> {
    strand.map(|strand| match strand {
        Strand::Forward => "forward",
        Strand::Reverse => "reverse",
    })
}

/// Returns the request for a picture that shows a match, with a margin on each side of a quarter of the match's length,
/// at least 4 symbols. `of` are the lengths of the texts.
pub fn around(found: &DotMatch, of: PositionPair) -> DotPlotFrame {
    let margin = |len: u64| (len / 4).max(4);
    let (in_a, in_b) = (margin(found.a.1 - found.a.0), margin(found.b.1 - found.b.0));
    DotPlotFrame {
        from_a: found.a.0.saturating_sub(in_a),
        to_a: (found.a.1 + in_a).min(of.0),
        from_b: found.b.0.saturating_sub(in_b),
        to_b: (found.b.1 + in_b).min(of.1),
        ..DotPlotFrame::default()
    }
}

/// Converts the touching `parts`, given by their indices, into a match on `strand`. Returns `None` if the parts do not
/// lie along one diagonal.
fn as_match(dots: &DotPlot, parts: &[usize], strand: Strand) -> Option<DotMatch> {
    let DotPlotFrame { from_a, to_a, from_b, to_b, width, height, word, .. } = dots.frame;
    let begin = |number: u64, symbols: u64, parts: u64| (u128::from(number) * u128::from(symbols)).div_ceil(u128::from(parts)) as u64;
    let (row_of, column_of) = (|part: usize| part as u64 / width, |part: usize| part as u64 % width);
    let (top, bottom) = bounds(parts.iter().map(|part| row_of(*part)))?;
    let (left, right) = bounds(parts.iter().map(|part| column_of(*part)))?;
    // The diagonal of each part, as difference (forward strand) or sum (reverse strand) of its positions, in symbols.
    let (down, across) = ((to_a - from_a) as f64 / height as f64, (to_b - from_b) as f64 / width as f64);
    let diagonal = |part: usize| {
        let (a, b) = (row_of(part) as f64 * down, column_of(part) as f64 * across);
        if strand == Strand::Forward { b - a } else { b + a }
    };
    let (least, most) =
        parts.iter().fold((f64::MAX, f64::MIN), |(least, most), part| (least.min(diagonal(*part)), most.max(diagonal(*part))));
    if most - least > BESIDE * down.max(across) {
        return None;
    }
    // A dot is at the first symbol of a word, so that the last word ends after the last part.
    let rest = u64::from(word.unwrap_or(1)).saturating_sub(1);
    let a = (from_a + begin(top, to_a - from_a, height), from_a + begin(bottom + 1, to_a - from_a, height) + rest);
    let b = (from_b + begin(left, to_b - from_b, width), from_b + begin(right + 1, to_b - from_b, width) + rest);
    Some(DotMatch { a: (a.0, a.1.min(to_a)), b: (b.0, b.1.min(to_b)), strand })
}

fn bounds(numbers: impl Iterator<Item = u64>) -> Option<(u64, u64)> {
    numbers.fold(None, |bounds, number| {
        Some(bounds.map_or((number, number), |(least, most): (u64, u64)| (least.min(number), most.max(number))))
    })
}

/// Returns the larger of the width and the height of a part (cell of the picture), in symbols. Beginning and end of a
/// match are exact to this number of symbols.
pub fn part_symbols(frame: &DotPlotFrame) -> u64 {
    (frame.to_a - frame.from_a).div_ceil(frame.height.max(1)).max((frame.to_b - frame.from_b).div_ceil(frame.width.max(1)))
}

/// Returns the picture with the dots of `matches` only. For each part (cell of the picture), `of_part` has the number
/// of the part's match, as [`matches()`] returns it.
pub fn only(dots: &DotPlot, of_part: &[u32], matches: &[DotMatch]) -> DotPlot {
    let of = |part: usize| (of_part[part] as usize).checked_sub(1).and_then(|number| matches.get(number)).map(|found| found.strand);
    let keep = |counts: &[u32], strand: Strand| {
        counts.iter().enumerate().map(|(part, count)| if of(part) == Some(strand) { *count } else { 0 }).collect::<Vec<_>>()
    };
    DotPlot { counts: keep(&dots.counts, Strand::Forward), inverted_counts: keep(&dots.inverted_counts, Strand::Reverse), ..dots.clone() }
}

#[cfg(test)]
mod tests {
    use kernels::run::{NoObserver, Run};
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    fn drawn(a: &str, b: &str, word: u32, parts: u64) -> DotPlot {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        let (to_a, to_b) = (a.len() as u64, b.len() as u64);
        let frame = DotPlotFrame { to_a, to_b, width: parts, height: parts, word: Some(word), inverted: true, ..DotPlotFrame::default() };
        explain::dots::count_dots(&pair, &frame, &Run::new(&NoObserver)).unwrap()
    }

    fn found(dots: &DotPlot, shortest: u64) -> Vec<DotMatch> {
        matches(dots, &MatchFilter { shortest, strand: None }).0
    }

    #[test]
    fn match_is_shown_with_its_surroundings() {
        let found = DotMatch { a: (10, 50), b: (100, 140), strand: Strand::Forward };
        let DotPlotFrame { from_a, to_a, from_b, to_b, .. } = around(&found, (55, 1_000));
        assert_eq!((from_a, to_a, from_b, to_b), (0, 55, 90, 150));
    }

    #[test]
    fn strand_names_are_parsed_and_printed_without_loss() {
        for strand in [None, Some(Strand::Forward), Some(Strand::Reverse)] {
            assert_eq!(strand_of(name_of(strand).unwrap_or_default()), strand);
        }
    }

    const A: &str = "ACGTTGCAAGGCTTACCGATGGATCCTTAGACTGAACTCG";

    #[test]
    fn repeat_is_a_second_match_with_its_ends() {
        // The range 10..25 of a occurs again at 40 of b, preceded by letters that happen to be equal.
        let b = format!("{A}{}", &A[10..25]);
        let dots = drawn(A, &b, 6, 100);
        let forward = |a: PositionPair, b: PositionPair| DotMatch { a, b, strand: Strand::Forward };
        assert_eq!(found(&dots, 10), [forward((0, 40), (0, 40)), forward((9, 25), (39, 55))]);
        assert_eq!(found(&dots, 17), [forward((0, 40), (0, 40))]);
    }

    #[test]
    fn inverted_piece_is_a_match_on_the_reverse_strand() {
        let turned: String = A[5..30]
            .chars()
            .rev()
            .map(|base| match base {
                'A' => 'T',
                'C' => 'G',
                'G' => 'C',
                _ => 'A',
            })
            .collect();
        let dots = drawn(A, &turned, 8, 100);
        assert_eq!(found(&dots, 12), [DotMatch { a: (5, 30), b: (0, 25), strand: Strand::Reverse }]);
        let forward = MatchFilter { shortest: 12, strand: Some(Strand::Forward) };
        let (matches, of_part) = matches(&dots, &forward);
        assert!(matches.is_empty() && of_part.iter().all(|number| *number == 0));
    }

    #[test]
    fn square_of_dots_is_no_match_and_filters_remove_short_matches() {
        let dots = drawn("aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", 2, 16);
        assert!(dots.counts.iter().any(|count| *count > 0) && found(&dots, 0).is_empty());
        let dots = drawn(A, A, 3, 40);
        let filter = MatchFilter { shortest: 20, strand: None };
        let (matches, of_part) = matches(&dots, &filter);
        let kept = only(&dots, &of_part, &matches);
        let filled = |dots: &DotPlot| dots.counts.iter().filter(|count| **count > 0).count();
        assert!(matches.len() == 1 && filled(&kept) < filled(&dots) && filled(&kept) >= 38, "{matches:?}");
    }
}
