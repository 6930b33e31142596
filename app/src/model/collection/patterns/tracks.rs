//! Tracks: the marks of a pattern on its lane ([`TrackMark`]), and the labels of the axis.

use kernels::strand::Strand;

use super::answer::{SearchedTexts, place_of};

/// Number of intervals of a track. Places of one interval share a mark, so that a lane has a bounded number of marks.
const INTERVALS: u64 = 500;

/// Maximum number of labels of the axis.
const MAX_LABELS: u64 = 6;

/// The side of the line of a track on which a mark stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackSide {
    /// The forward strand, or any place of a search on one strand.
    Above,
    Below,
    /// A palindrome, which occurs on both strands.
    Across,
}

/// A mark for one place, or for neighbouring places on one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackMark {
    /// Position from 0 to 1.
    pub at: f64,
    pub side: TrackSide,
    /// Whether one of the places has no edits.
    pub is_exact: bool,
    /// Number of the first hit.
    pub hit: usize,
    /// Number of places.
    pub places: usize,
}

impl SearchedTexts {
    /// Returns the marks of the pattern `pattern`.
    pub fn track(&self, pattern: usize) -> Vec<TrackMark> {
        let hits = &self.pattern(pattern).hits;
        let all = self.symbols().max(1);
        let mut marks: Vec<(u64, TrackMark)> = Vec::new();
        let mut number = 0;
        while let Some(hit) = hits.get(number) {
            let is_same = |next: &kernels::found::Hit| place_of(next) == place_of(hit) && next.strand != hit.strand;
            let is_palindrome = hit.strand.is_some() && hits.get(number + 1).is_some_and(is_same);
            let side = match hit.strand {
                _ if is_palindrome => TrackSide::Across,
                Some(Strand::Reverse) => TrackSide::Below,
                Some(Strand::Forward) | None => TrackSide::Above,
            };
            let at = self.position(hit);
            let interval = at * INTERVALS / all;
            // Hits are in the order of the texts, so that earlier marks of this interval are the last ones.
            let same = marks.iter_mut().rev().take_while(|(other, _)| *other == interval).find(|(_, mark)| mark.side == side);
            match same {
                Some((_, mark)) => {
                    mark.places += 1;
                    mark.is_exact |= hit.distance == 0;
                }
                None => {
                    let at = at as f64 / all as f64;
                    marks.push((interval, TrackMark { at, side, is_exact: hit.distance == 0, hit: number, places: 1 }));
                }
            }
            number += 1 + usize::from(is_palindrome);
        }
        marks.into_iter().map(|(_, mark)| mark).collect()
    }

    /// Returns the labels of the axis: positions of one text, or the borders of several texts. Each has a place from 0 to 1.
    /// Borders have the number of the text.
    pub fn axis(&self) -> Vec<(f64, AxisLabel)> {
        let all = self.symbols().max(1) as f64;
        if self.report.texts.len() > 1 {
            let mut labels: Vec<(f64, AxisLabel)> = Vec::new();
            for text in 0..self.report.texts.len() {
                let at = self.offset(text) as f64 / all;
                // Labels of short texts would cover each other.
                if labels.last().is_none_or(|(last, _)| at - last >= 1.0 / MAX_LABELS as f64) {
                    labels.push((at, AxisLabel::Text(text)));
                }
            }
            return labels;
        }
        let step = round_step(self.symbols() / MAX_LABELS);
        (0..MAX_LABELS * 2)
            .map(|number| number * step)
            .take_while(|at| *at < self.symbols().max(1))
            .map(|at| (at as f64 / all, AxisLabel::Position(at)))
            .collect()
    }
}

/// A label of the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisLabel {
    Position(u64),
    /// The beginning of the text with this number.
    Text(usize),
}

/// Returns the smallest of 1, 2, 5, 10, 20, 50 and so on that exceeds `least`.
fn round_step(least: u64) -> u64 {
    let mut unit = 1;
    loop {
        if let Some(step) = [1, 2, 5].map(|step| step * unit).into_iter().find(|step| *step > least) {
            return step;
        }
        unit *= 10;
    }
}

#[cfg(test)]
mod tests {
    use explain::worker_protocol::patterns::{PatternReport, SearchedText};
    use kernels::found::Hit;

    use super::super::answer::tests::{pattern, searched};
    use super::super::form::PatternForm;
    use super::*;

    fn of_hits(symbols: u64, hits: Vec<Hit>) -> SearchedTexts {
        let texts = vec![SearchedText { name: String::new(), symbols }];
        let report = PatternReport { patterns: vec![pattern("x", hits, None)], texts, cells: 1, took_ms: 1.0 };
        SearchedTexts::new(PatternForm::default(), report).unwrap()
    }

    fn on(strand: Strand, start: u64, distance: u64) -> Hit {
        Hit { strand: Some(strand), ..Hit::new(start, start + 4, distance) }
    }

    #[test]
    fn marks_have_the_side_of_their_strand_and_palindromes_both() {
        let hits = vec![on(Strand::Forward, 10, 1), on(Strand::Reverse, 30, 0), on(Strand::Forward, 50, 0), on(Strand::Reverse, 50, 0)];
        let marks = of_hits(100, hits).track(0);
        let sides: Vec<_> = marks.iter().map(|mark| (mark.at, mark.side, mark.is_exact, mark.hit)).collect();
        assert_eq!(sides, [(0.1, TrackSide::Above, false, 0), (0.3, TrackSide::Below, true, 1), (0.5, TrackSide::Across, true, 2)]);
    }

    #[test]
    fn lane_has_a_bounded_number_of_marks() {
        let hits: Vec<Hit> = (0..10_000).map(|at| Hit::new(at * 10, at * 10 + 4, u64::from(at != 5_000))).collect();
        let marks = of_hits(100_004, hits).track(0);
        assert_eq!(marks.len() as u64, INTERVALS);
        assert_eq!(marks.iter().map(|mark| mark.places).sum::<usize>(), 10_000);
        assert_eq!(marks.iter().filter(|mark| mark.is_exact).count(), 1);
    }

    #[test]
    fn axis_has_round_positions_or_the_borders_of_texts() {
        let positions = |symbols| of_hits(symbols, Vec::new()).axis().into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(positions(94_481), [0, 20_000, 40_000, 60_000, 80_000].map(AxisLabel::Position));
        assert_eq!(positions(7), [0, 2, 4, 6].map(AxisLabel::Position));
        assert_eq!(positions(0), [AxisLabel::Position(0)]);
        assert_eq!(searched().axis(), [(0.0, AxisLabel::Text(0)), (100.0 / 150.0, AxisLabel::Text(1))]);
    }
}
