//! The path of an alignment through the dot plot, as points: [`AlignmentPath`]. A path from the overview of the
//! alignment is exact at the borders of the overview's bins; a path from a window of the alignment is exact everywhere.

use explain::window::{AlignmentWindow, OverviewBin};

/// Points of the path from its beginning to its end, as positions in `a` and in `b`.
pub type AlignmentPath = Vec<(f64, f64)>;

/// Returns the path of a whole alignment of `columns` columns, with a point at each border of its overview's `bins`
/// (equal parts of the alignment).
pub fn of_bins(bins: &[OverviewBin], columns: u64) -> AlignmentPath {
    let border = |part: usize| (u128::from(columns) * part as u128 / bins.len().max(1) as u128) as u64;
    let mut at = (0, 0);
    let mut way = vec![(0.0, 0.0)];
    for (part, bin) in bins.iter().enumerate() {
        let here = border(part + 1) - border(part);
        at = (at.0 + here - bin.insertions, at.1 + here - bin.deletions);
        way.push((at.0 as f64, at.1 as f64));
    }
    way
}

/// Returns the path through a window of the alignment, with a point at every change of direction.
pub fn of_window(window: &AlignmentWindow) -> AlignmentPath {
    let mut at = (window.a_start, window.b_start);
    let mut way = vec![(at.0 as f64, at.1 as f64)];
    for stretch in &window.stretches {
        let (takes, len) = (stretch.edit.consumed_symbols(), u64::from(stretch.len));
        at = (at.0 + takes.0 * len, at.1 + takes.1 * len);
        way.push((at.0 as f64, at.1 as f64));
    }
    way
}

#[cfg(test)]
mod tests {
    use kernels::alignment::Alignment;
    use kernels::text::{Pair, ReadingOptions};

    use explain::window::overview;

    use super::*;

    #[test]
    fn paths_from_window_and_overview_have_the_same_points() {
        let (a, b) = ("x".repeat(40), "x".repeat(50));
        let pair = Pair::parse(a.into_bytes(), b.into_bytes(), &ReadingOptions::default()).unwrap();
        let alignment: Alignment = "10=5D10=15I15=".parse().unwrap();
        let near = of_window(&AlignmentWindow::new(&alignment, &pair, 0, 100));
        assert_eq!(near, [(0.0, 0.0), (10.0, 10.0), (15.0, 10.0), (25.0, 20.0), (25.0, 35.0), (40.0, 50.0)]);
        let each = of_bins(&overview(&alignment, 1_000), 55);
        assert_eq!(each.len(), 56);
        assert!(near.iter().all(|point| each.contains(point)));
        let few = of_bins(&overview(&alignment, 4), 55);
        assert!(few.len() == 5 && few.iter().all(|point| each.contains(point)) && few.last() == near.last(), "{few:?}");
        assert_eq!(of_window(&AlignmentWindow::new(&alignment, &pair, 20, 3)), [(20.0, 15.0), (23.0, 18.0)]);
        assert_eq!(of_bins(&[], 0), [(0.0, 0.0)]);
    }
}
