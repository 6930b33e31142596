//! The dot plot as the page shows it: the visible area, zoom, labels, shades, and the path of the alignment.
//!
//! [`VisibleArea`] is the part of the plot that is shown, and [`VisibleArea::frame`] the request for its picture. The
//! plot is divided into parts, like the pixels of a picture, and each part has a number of dots. Lengths are in
//! symbols. Points in the picture are given as fractions of its width and height, from 0 to 1.
//!
//! - [`alignment_path`]: the alignment as points; [`lines`]: matches along diagonals; [`svg`]: the plot as a file

use explain::dots::{DotPlot, DotPlotFrame, MAX_PLOT_PARTS};

use crate::model::search::chart::round_up;

pub mod alignment_path;
pub mod lines;
pub mod svg;

/// Minimum length of the visible range of each text, in symbols. Zooming in further would show nothing more.
const MIN_VISIBLE_SYMBOLS: f64 = 12.0;

/// Shade of a part (a pixel of the plot) with a single dot, between 0 (no dots) and 255.
const FAINT: f64 = 72.0;

/// Names of the dot plot's settings in an address: visible area, word length, alignment, minimum length of matches, and
/// strand of matches.
pub const NAMES: [&str; 5] = ["window", "word", "way", "shortest", "strand"];

/// A range of positions in one text, in symbols. Its ends may lie within a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisRange {
    pub from: f64,
    /// End, exclusive.
    pub to: f64,
}

impl AxisRange {
    /// Returns the range of a whole text of `symbols` symbols.
    pub fn whole(symbols: u64) -> Self {
        Self { from: 0.0, to: symbols as f64 }
    }

    /// Returns the length in symbols.
    pub fn len(self) -> f64 {
        self.to - self.from
    }

    /// Returns the position at the fraction `share` of the range: 0 is the beginning, 1 the end.
    pub fn position_at(self, share: f64) -> f64 {
        self.from + share * self.len()
    }

    /// Returns the fraction of the range at which the position `at` is. The fraction is below 0 or above 1 for a
    /// position outside of the range.
    pub fn share(self, at: f64) -> f64 {
        (at - self.from) / self.len().max(f64::MIN_POSITIVE)
    }

    /// Creates a range of length `len` from the position `from` on. The range is extended to the minimum length, and
    /// moved and cut so that it lies in a text of `symbols` symbols.
    fn clamped(from: f64, len: f64, symbols: u64) -> Self {
        let all = symbols as f64;
        let len = len.clamp(MIN_VISIBLE_SYMBOLS.min(all), all);
        let from = from.clamp(0.0, all - len);
        Self { from, to: from + len }
    }

    /// Divides the length of the range by `factor`. The position at the fraction `share` of the range stays at that
    /// fraction, if possible. `symbols` is the length of the text.
    fn zoomed(self, factor: f64, share: f64, symbols: u64) -> Self {
        let all = symbols as f64;
        let len = (self.len() / factor).clamp(MIN_VISIBLE_SYMBOLS.min(all), all);
        Self::clamped(self.position_at(share) - share * len, len, symbols)
    }
}

/// The visible area of the plot: a range of positions in each text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VisibleArea {
    /// Range of `a`, from top to bottom.
    pub a: AxisRange,
    /// Range of `b`, from left to right.
    pub b: AxisRange,
}

/// A position in `a` and a position in `b`, or the lengths of `a` and `b`. In [`lines`], it can also be a range of
/// positions in one text.
pub type PositionPair = (u64, u64);

impl VisibleArea {
    /// Returns the area of both whole texts, which have the lengths `a` and `b`.
    pub fn whole((a, b): PositionPair) -> Self {
        Self { a: AxisRange::whole(a), b: AxisRange::whole(b) }
    }

    /// Zooms in by `factor` around the point `(x, y)` of the picture, given as fractions of its width and height. `of`
    /// are the lengths of the texts.
    #[must_use]
    pub fn zoomed(self, factor: f64, (x, y): (f64, f64), of: PositionPair) -> Self {
        Self { a: self.a.zoomed(factor, y, of.0), b: self.b.zoomed(factor, x, of.1) }
    }

    /// Moves the area to the right by the fraction `x` of its width, and down by the fraction `y` of its height.
    /// Negative fractions move it to the left and up. The area stays within the texts, whose lengths are `of`.
    #[must_use]
    pub fn moved(self, (x, y): (f64, f64), of: PositionPair) -> Self {
        let moved = |reach: AxisRange, by: f64, symbols: u64| AxisRange::clamped(reach.from + by * reach.len(), reach.len(), symbols);
        Self { a: moved(self.a, y, of.0), b: moved(self.b, x, of.1) }
    }

    /// Moves and cuts the area so that it lies in texts of the lengths `of`.
    #[must_use]
    pub fn within(self, of: PositionPair) -> Self {
        let within = |reach: AxisRange, symbols: u64| AxisRange::clamped(reach.from, reach.len(), symbols);
        Self { a: within(self.a, of.0), b: within(self.b, of.1) }
    }

    /// Returns the area of the rectangle whose opposite corners are the points `one` and `other` of the picture, given
    /// as fractions of its width and height. `of` are the lengths of the texts.
    #[must_use]
    pub fn between(self, one: (f64, f64), other: (f64, f64), of: PositionPair) -> Self {
        let cut = |reach: AxisRange, one: f64, other: f64, symbols: u64| {
            let (from, to) = (reach.position_at(one.min(other)), reach.position_at(one.max(other)));
            AxisRange::clamped(from, to - from, symbols)
        };
        Self { a: cut(self.a, one.1, other.1, of.0), b: cut(self.b, one.0, other.0, of.1) }
    }

    /// Moves the limit `end` of the area to the position `at`, and the opposite limit too if it would be passed. The
    /// area is extended to the minimum length. `of` are the lengths of the texts.
    #[must_use]
    pub fn ending(self, end: RangeEnd, at: u64, of: PositionPair) -> Self {
        let at = at as f64;
        let mut sight = self;
        let (reach, symbols) = match end {
            RangeEnd::FromA | RangeEnd::ToA => (&mut sight.a, of.0),
            RangeEnd::FromB | RangeEnd::ToB => (&mut sight.b, of.1),
        };
        let (from, to) = match end {
            RangeEnd::FromA | RangeEnd::FromB => (at, reach.to.max(at)),
            RangeEnd::ToA | RangeEnd::ToB => (reach.from.min(at), at),
        };
        *reach = AxisRange::clamped(from, to - from, symbols);
        sight
    }

    /// Returns the positions in both texts under the point `(x, y)` of the picture, given as fractions of its width and
    /// height. `of` are the lengths of the texts.
    pub fn spot(self, (x, y): (f64, f64), of: PositionPair) -> PositionPair {
        let at = |reach: AxisRange, share: f64, symbols: u64| (reach.position_at(share).max(0.0) as u64).min(symbols.saturating_sub(1));
        (at(self.a, y, of.0), at(self.b, x, of.1))
    }

    /// Returns the visible ranges as positions of whole symbols, rounded outwards: the begin and the end in `a`, then
    /// the begin and the end in `b`. The ends are exclusive.
    pub fn symbols(self) -> [u64; 4] {
        [self.a.from.floor() as u64, self.a.to.ceil() as u64, self.b.from.floor() as u64, self.b.to.ceil() as u64]
    }

    /// Returns the request for a picture of this area with `width` × `height` parts (pixels of the plot), at most
    /// [`MAX_PLOT_PARTS`] in each direction. A dot stands for a common word of `word` symbols. If `inverted` is set,
    /// the picture also has dots for reverse complements.
    pub fn frame(self, (width, height): (f64, f64), word: Option<u32>, inverted: bool) -> DotPlotFrame {
        let [from_a, to_a, from_b, to_b] = self.symbols();
        let parts = |pixels: f64| (pixels as u64).clamp(1, MAX_PLOT_PARTS);
        DotPlotFrame { from_a, to_a, from_b, to_b, width: parts(width), height: parts(height), word, inverted }
    }

    /// Formats the area for an address. Returns `None` if the area shows the whole texts, whose lengths are `of`.
    pub fn write(self, of: PositionPair) -> Option<String> {
        (self != Self::whole(of)).then(|| self.symbols().map(|at| at.to_string()).join(","))
    }

    /// Returns the area that `frame` shows, extended to the minimum length of a range. `of` are the lengths of the
    /// texts.
    pub fn of_frame(frame: &DotPlotFrame, of: PositionPair) -> Self {
        let reach = |from: u64, to: u64, symbols: u64| AxisRange::clamped(from as f64, (to - from) as f64, symbols);
        Self { a: reach(frame.from_a, frame.to_a, of.0), b: reach(frame.from_b, frame.to_b, of.1) }
    }

    /// Parses an area from the text `said` of an address. Returns the area of the whole plot if `said` is malformed or
    /// does not fit texts of the lengths `of`.
    pub fn read(said: &str, of: PositionPair) -> Self {
        let numbers: Vec<u64> = said.split(',').filter_map(|number| number.parse().ok()).collect();
        let within = |from: u64, to: u64, symbols: u64| from < to && to <= symbols;
        match numbers[..] {
            [from_a, to_a, from_b, to_b] if within(from_a, to_a, of.0) && within(from_b, to_b, of.1) => Self {
                a: AxisRange::clamped(from_a as f64, (to_a - from_a) as f64, of.0),
                b: AxisRange::clamped(from_b as f64, (to_b - from_b) as f64, of.1),
            },
            _ => Self::whole(of),
        }
    }
}

/// A limit of the visible area: where the range of a text begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// Upper limit: where the range of `a` begins.
    FromA,
    /// Lower limit: where the range of `a` ends.
    ToA,
    /// Left limit: where the range of `b` begins.
    FromB,
    /// Right limit: where the range of `b` ends.
    ToB,
}

impl RangeEnd {
    /// Returns whether this is the beginning of a range rather than its end.
    pub fn begins(self) -> bool {
        matches!(self, Self::FromA | Self::FromB)
    }
}

/// Returns the positions to label on an axis of `pixels` pixels that shows the range `reach`. They are multiples of a
/// round number, at least `apart` pixels from each other.
pub fn ticks(reach: AxisRange, pixels: f64, apart: f64) -> Vec<u64> {
    let step = round_up((reach.len() * apart / pixels.max(apart)).max(1.0));
    let first = (reach.from.ceil().max(0.0) as u64).div_ceil(step) * step;
    (first..=reach.to.floor().max(0.0) as u64).step_by(step as usize).collect()
}

/// Returns width and height of the picture, in pixels, for texts of `a` and `b` symbols. They are at most `width` and
/// `height`. The picture is to scale unless the lengths of the texts differ too much.
pub fn sides((a, b): PositionPair, (width, height): (f64, f64)) -> (f64, f64) {
    let ratio = (a as f64 / b.max(1) as f64).clamp(0.3, 2.0);
    let across = width.min(height / ratio).max(1.0);
    (across, (across * ratio).max(1.0))
}

/// Returns the smallest number of dots for which a part (a pixel of the plot) is drawn in the darkest shade.
///
/// This is the number of dots that a line without differences has in a part. If random matches alone would make
/// everything dark, it is twice the mean number instead. An example is a pattern in a text of millions of symbols.
pub fn full(dots: &DotPlot) -> u64 {
    let all: u64 = dots.counts.iter().map(|count| u64::from(*count)).sum();
    line(dots).max(2 * all / dots.counts.len().max(1) as u64)
}

/// Returns the maximum number of dots that a line without differences has in one part (pixel) of the plot.
pub fn line(dots: &DotPlot) -> u64 {
    let DotPlotFrame { from_a, to_a, from_b, to_b, width, height, .. } = dots.frame;
    let part = |symbols: u64, parts: u64| symbols.div_ceil(parts.max(1));
    part(to_a - from_a, height).min(part(to_b - from_b, width)).div_ceil(dots.one_in.max(1)).max(1)
}

/// Iterates over the parts (pixels of the plot), row by row. An item is the number of dots to draw, and whether they
/// are dots of reverse complements. A part with dots of both strands gets the larger of both numbers.
pub fn parts(dots: &DotPlot) -> impl Iterator<Item = (u32, bool)> + '_ {
    let inverted = dots.inverted_counts.iter().copied().chain(std::iter::repeat(0));
    dots.counts.iter().zip(inverted).map(|(&count, inverted)| (count.max(inverted), inverted > count))
}

/// Returns the shade of a part (a pixel of the plot) with `count` dots: 0 for none, 255 for `full` or more.
pub fn shade(count: u32, full: u64) -> u8 {
    match count {
        0 => 0,
        _ if full <= 1 => 255,
        count => {
            let share = (f64::from(count) - 1.0) / (full as f64 - 1.0);
            (FAINT + (255.0 - FAINT) * share.min(1.0).sqrt()) as u8
        }
    }
}

/// Statistics of the dots on the forward strand in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DotStatistics {
    /// Number of dots.
    pub dots: u64,
    /// Number of parts (pixels of the plot) with at least one dot.
    pub filled: usize,
    /// Maximum number of dots in one part (pixel) of the plot.
    pub most: u32,
    /// Positions in `a` and `b` of the first symbols in the part with the most dots.
    pub densest_position: PositionPair,
}

/// Computes the statistics of the dots on the forward strand in a picture.
pub fn figures(dots: &DotPlot) -> DotStatistics {
    let mut figures = DotStatistics::default();
    for (part, &count) in dots.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        figures.dots += u64::from(count);
        figures.filled += 1;
        if count > figures.most {
            (figures.most, figures.densest_position) = (count, spot_of(part, &dots.frame));
        }
    }
    figures
}

/// Returns the positions in `a` and `b` of the first symbols in the part (pixel of the plot) with the number `part`.
/// Parts of the plot `frame` are counted row by row from 0.
fn spot_of(part: usize, frame: &DotPlotFrame) -> PositionPair {
    let (row, column) = (part as u64 / frame.width, part as u64 % frame.width);
    let begin = |number: u64, symbols: u64, parts: u64| (u128::from(number) * u128::from(symbols)).div_ceil(u128::from(parts)) as u64;
    (
        frame.from_a + begin(row, frame.to_a - frame.from_a, frame.height),
        frame.from_b + begin(column, frame.to_b - frame.from_b, frame.width),
    )
}

/// Returns the number of dots in the part (pixel of the plot) with the position `a` of the first text and `b` of the
/// second. Also returns whether the dots stand for reverse complements. Returns `None` if the picture does not show
/// these positions.
pub fn count_at(dots: &DotPlot, (a, b): PositionPair) -> Option<(u32, bool)> {
    let frame = &dots.frame;
    if !(frame.from_a..frame.to_a).contains(&a) || !(frame.from_b..frame.to_b).contains(&b) {
        return None;
    }
    let part = |at: u64, symbols: u64, parts: u64| (u128::from(at) * u128::from(parts) / u128::from(symbols)) as usize;
    let row = part(a - frame.from_a, frame.to_a - frame.from_a, frame.height);
    let column = part(b - frame.from_b, frame.to_b - frame.from_b, frame.width);
    parts(dots).nth(row * frame.width as usize + column)
}

/// Lists the word lengths to choose from, up to `longest`.
pub fn words(longest: u32) -> Vec<u32> {
    [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32].into_iter().filter(|word| *word <= longest).collect()
}

#[cfg(test)]
mod tests {
    use kernels::run::{NoObserver, Run};
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    const OF: PositionPair = (1_000, 2_000);

    fn drawn(a: &str, b: &str, frame: DotPlotFrame) -> DotPlot {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        explain::dots::count_dots(&pair, &frame, &Run::new(&NoObserver)).unwrap()
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let whole = VisibleArea::whole(OF);
        let near = whole.zoomed(4.0, (0.25, 0.5), OF);
        assert_eq!((near.a, near.b), (AxisRange { from: 375.0, to: 625.0 }, AxisRange { from: 375.0, to: 875.0 }));
        assert_eq!((near.a.position_at(0.5), near.b.position_at(0.25)), (whole.a.position_at(0.5), whole.b.position_at(0.25)));
        assert_eq!(near.zoomed(0.01, (0.9, 0.1), OF), whole);
        let nearest = near.zoomed(1e9, (0.5, 0.5), OF);
        assert_eq!((nearest.a.len(), nearest.b.len()), (MIN_VISIBLE_SYMBOLS, MIN_VISIBLE_SYMBOLS));
        assert_eq!(VisibleArea::whole((3, 2_000)).zoomed(1e9, (0.5, 0.5), (3, 2_000)).a, AxisRange::whole(3));
    }

    #[test]
    fn visible_area_stays_inside_the_texts() {
        let near = VisibleArea::whole(OF).zoomed(2.0, (0.5, 0.5), OF);
        assert_eq!(
            near.moved((-9.0, 9.0), OF),
            VisibleArea { a: AxisRange { from: 500.0, to: 1000.0 }, b: AxisRange { from: 0.0, to: 1000.0 } }
        );
        assert_eq!(near.moved((0.1, 0.0), OF).b.from, 600.0);
        assert_eq!(near.spot((0.0, 1.0), OF), (750, 500));
        assert_eq!(VisibleArea::whole(OF).spot((1.0, -3.0), OF), (0, 1999));
        let brushed = near.between((1.0, 0.0), (0.5, 0.5), OF);
        assert_eq!(brushed, VisibleArea { a: AxisRange { from: 250.0, to: 500.0 }, b: AxisRange { from: 1000.0, to: 1500.0 } });
    }

    #[test]
    fn ends_of_the_visible_area_move_independently() {
        let near = VisibleArea::whole(OF).zoomed(2.0, (0.5, 0.5), OF);
        assert_eq!(near.ending(RangeEnd::FromA, 700, OF).a, AxisRange { from: 700.0, to: 750.0 });
        assert_eq!(near.ending(RangeEnd::ToB, 9_999, OF).b, AxisRange { from: 0.0, to: 2000.0 });
        assert_eq!(near.ending(RangeEnd::FromB, 1_990, OF).b, AxisRange { from: 1988.0, to: 2000.0 });
        assert_eq!(near.ending(RangeEnd::ToA, 0, OF).a, AxisRange { from: 0.0, to: MIN_VISIBLE_SYMBOLS });
    }

    #[test]
    fn visible_area_is_restored_from_the_address() {
        let near = VisibleArea::whole(OF).zoomed(4.0, (0.25, 0.5), OF);
        assert_eq!(near.write(OF).as_deref(), Some("375,625,375,875"));
        assert_eq!(VisibleArea::read("375,625,375,875", OF), near);
        assert_eq!(VisibleArea::whole(OF).write(OF), None);
        for said in ["", "tea", "1,2,3", "5,4,0,9", "0,1001,0,9", "0,9,0,9,9", "-1,9,0,9"] {
            assert_eq!(VisibleArea::read(said, OF), VisibleArea::whole(OF), "{said}");
        }
    }

    #[test]
    fn ticks_are_round_and_inside_the_range() {
        assert_eq!(ticks(AxisRange::whole(94_468), 900.0, 90.0), (0..=9).map(|at| at * 10_000).collect::<Vec<_>>());
        assert_eq!(ticks(AxisRange { from: 29_960.5, to: 30_051.0 }, 300.0, 90.0), [30_000, 30_050]);
        assert_eq!(ticks(AxisRange::whole(3), 300.0, 40.0), [0, 1, 2, 3]);
        assert_eq!(ticks(AxisRange::whole(0), 0.0, 40.0), [0]);
    }

    #[test]
    fn plot_is_to_scale_unless_a_side_would_be_too_short() {
        assert_eq!(sides((1_000, 2_000), (800.0, 600.0)), (800.0, 400.0));
        assert_eq!(sides((1_000, 1_000), (800.0, 600.0)), (600.0, 600.0));
        assert_eq!(sides((5, 1_000_000), (800.0, 600.0)), (800.0, 240.0));
        assert_eq!(sides((1_000_000, 5), (800.0, 600.0)), (300.0, 600.0));
    }

    #[test]
    fn unbroken_diagonal_has_the_darkest_shade() {
        let text = "abcdefghijklmnopqrst";
        let dots = drawn(text, text, DotPlotFrame { to_a: 20, to_b: 20, width: 4, height: 4, word: Some(2), ..DotPlotFrame::default() });
        assert_eq!(full(&dots), 5);
        assert_eq!((shade(dots.counts[0], 5), shade(dots.counts[1], 5), shade(1, 5), shade(9, 5)), (255, 0, FAINT as u8, 255));
        assert_eq!((shade(0, 1), shade(1, 1)), (0, 255));
        assert!((1..5).all(|count| shade(count, 5) < shade(count + 1, 5)));
        let both = DotPlot { counts: vec![1, 0, 2, 0], inverted_counts: vec![0, 3, 2, 0], ..dots.clone() };
        assert_eq!(parts(&both).collect::<Vec<_>>(), [(1, false), (3, true), (2, false), (0, false)]);
        assert_eq!(parts(&DotPlot { inverted_counts: Vec::new(), ..both }).filter(|(_, is_inverted)| *is_inverted).count(), 0);
        let crowded = DotPlot { counts: vec![10, 30, 20, 20], ..dots.clone() };
        assert_eq!((line(&crowded), full(&crowded)), (5, 40));
        let none = drawn("", "", DotPlotFrame { width: 4, height: 4, ..DotPlotFrame::default() });
        assert_eq!((full(&none), figures(&none)), (1, DotStatistics::default()));
    }

    #[test]
    fn statistics_agree_with_the_plot() {
        let dots =
            drawn("aaabcd", "xxaaxb", DotPlotFrame { to_a: 6, to_b: 6, width: 3, height: 2, word: Some(1), ..DotPlotFrame::default() });
        assert_eq!(dots.counts, [0, 6, 0, 0, 0, 1]);
        assert_eq!(figures(&dots), DotStatistics { dots: 7, filled: 2, most: 6, densest_position: (0, 2) });
        let counts = [(2, 3), (5, 5), (5, 0), (6, 0)].map(|spot| count_at(&dots, spot));
        assert_eq!(counts, [Some((6, false)), Some((1, false)), Some((0, false)), None]);
        let with_other_strand = DotPlot { inverted_counts: vec![0, 1, 0, 4, 0, 0], ..dots };
        let counts = [(2, 3), (5, 0)].map(|spot| count_at(&with_other_strand, spot));
        assert_eq!(counts, [Some((6, false)), Some((4, true))], "dots of the reverse complement are counted where they are drawn");
    }

    #[test]
    fn only_possible_word_lengths_are_offered() {
        assert_eq!(words(4), [1, 2, 3, 4]);
        assert_eq!(words(64).last(), Some(&32));
    }
}
