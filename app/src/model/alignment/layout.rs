//! Positions of an alignment's rows in the scroll area, so that only visible rows are drawn: [`ScrollLayout`].
//!
//! Browsers limit the height of an element (about 33 million pixels in Chromium, 18 million in Firefox). A taller
//! alignment is scaled: the scroll bar covers the whole of it, and rows are drawn relative to the visible part.

/// Maximum height of the scroll area, in pixels.
const MAX_SCROLL_HEIGHT: f64 = 15e6;

/// Heights of the scroll area's items in pixels, margins included, as measured on the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowHeights {
    /// Height of a row of the alignment.
    pub row: f64,
    /// Height of a fold: the placeholder that replaces rows without differences.
    pub fold: f64,
}

/// An item of the scroll area: a row, or a fold that replaces several rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScrollItem {
    /// The row with this number.
    Row(u64),
    /// A fold of rows without differences: the number of its first row, and the number of rows.
    Fold(u64, u64),
}

impl ScrollItem {
    /// Returns the number of the item's first row.
    pub fn first(self) -> u64 {
        match self {
            Self::Row(row) | Self::Fold(row, _) => row,
        }
    }

    /// Returns the number of the row after the item's last row.
    pub fn end(self) -> u64 {
        match self {
            Self::Row(row) => row + 1,
            Self::Fold(first, rows) => first + rows,
        }
    }
}

/// The positions of all rows and folds of an alignment, from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct ScrollLayout {
    heights: RowHeights,
    rows: u64,
    /// Folds and rows from top to bottom, each with the pixel position of its upper edge. `None` if no rows are folded,
    /// so that every row is an item.
    folded: Option<Vec<(f64, ScrollItem)>>,
    tall: f64,
}

/// A visible item and its position in the scroll area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedItem {
    pub item: ScrollItem,
    /// Distance from the top of the scroll area, in pixels.
    pub top: f64,
}

impl ScrollLayout {
    /// Creates the layout of `rows` rows without folds.
    pub fn open(rows: u64, heights: RowHeights) -> Self {
        Self { heights, rows, folded: None, tall: rows as f64 * heights.row }
    }

    /// Creates the layout of `rows` rows, in which rows without differences are folded. `different` are the numbers of
    /// the rows with differences, ascending. A single row between them is not folded, because its fold would save
    /// nothing.
    pub fn folded(rows: u64, different: &[u32], heights: RowHeights) -> Self {
        let mut items: Vec<(f64, ScrollItem)> = Vec::new();
        let (mut next, mut top) = (0u64, 0.0);
        let push = |items: &mut Vec<(f64, ScrollItem)>, top: &mut f64, item: ScrollItem| {
            items.push((*top, item));
            *top += match item {
                ScrollItem::Row(_) => heights.row,
                ScrollItem::Fold(..) => heights.fold,
            };
        };
        let ends = different.iter().map(|&row| u64::from(row)).filter(|&row| row < rows);
        for row in ends.chain([rows]) {
            match row - next {
                0 => {}
                1 => push(&mut items, &mut top, ScrollItem::Row(next)),
                equal => push(&mut items, &mut top, ScrollItem::Fold(next, equal)),
            }
            if row < rows {
                push(&mut items, &mut top, ScrollItem::Row(row));
            }
            next = row + 1;
        }
        Self { heights, rows, folded: Some(items), tall: top }
    }

    /// Returns the height of the scroll area, in pixels.
    pub fn height(&self) -> f64 {
        self.tall.min(MAX_SCROLL_HEIGHT)
    }

    /// Returns the items that are at least partly visible in a view of `view` pixels height at the scroll position
    /// `scroll`, or less than `margin` pixels above or below it.
    pub fn visible(&self, scroll: f64, view: f64, margin: f64) -> Vec<PlacedItem> {
        let offset = self.offset(scroll, view);
        let (from, to) = ((offset - margin).max(0.0), offset + view + margin);
        let placed = |(top, item): (f64, ScrollItem)| PlacedItem { item, top: top - offset + scroll };
        match &self.folded {
            None => {
                let first = (from / self.heights.row) as u64;
                let last = ((to / self.heights.row).ceil() as u64).min(self.rows);
                (first..last).map(|row| placed((row as f64 * self.heights.row, ScrollItem::Row(row)))).collect()
            }
            Some(items) => {
                let first = items.partition_point(|&(top, _)| top <= from).saturating_sub(1);
                items[first..].iter().take_while(|&&(top, _)| top < to).copied().map(placed).collect()
            }
        }
    }

    /// Returns the scroll position at which `row` is a third of the way down a view of `view` pixels height.
    pub fn scroll_to(&self, row: u64, view: f64) -> f64 {
        self.scroll_for(self.top_of(row) - view / 3.0, view)
    }

    /// Returns the scroll position at which `row`, or the fold that contains it, is at the upper edge of a view of
    /// `view` pixels height.
    pub fn scroll_to_top(&self, row: u64, view: f64) -> f64 {
        self.scroll_for(self.top_of(row), view)
    }

    /// Converts `offset`, a distance from the top in pixels of the alignment before scaling, into a scroll position for
    /// a view of `view` pixels height.
    fn scroll_for(&self, offset: f64, view: f64) -> f64 {
        let offset = offset.clamp(0.0, (self.tall - view).max(0.0));
        if self.tall <= MAX_SCROLL_HEIGHT { offset } else { offset * (MAX_SCROLL_HEIGHT - view) / (self.tall - view) }
    }

    /// Returns the distance of `item` from the top of the scroll area, in pixels, for a view of `view` pixels height at
    /// the scroll position `scroll`.
    pub fn top(&self, item: ScrollItem, scroll: f64, view: f64) -> f64 {
        self.top_of(item.first()) - self.offset(scroll, view) + scroll
    }

    /// Returns the upper edge of the item that contains `row`, in pixels of the alignment before scaling.
    fn top_of(&self, row: u64) -> f64 {
        match &self.folded {
            None => row as f64 * self.heights.row,
            Some(items) => {
                let at = items.partition_point(|(_, item)| item.first() <= row).saturating_sub(1);
                items.get(at).map_or(0.0, |(top, _)| *top)
            }
        }
    }

    /// Converts the scroll position `scroll` of a view of `view` pixels height into a distance from the top, in pixels
    /// of the alignment before scaling.
    fn offset(&self, scroll: f64, view: f64) -> f64 {
        if self.tall <= MAX_SCROLL_HEIGHT { scroll } else { scroll * (self.tall - view) / (MAX_SCROLL_HEIGHT - view) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHTS: RowHeights = RowHeights { row: 100.0, fold: 30.0 };

    fn items(layout: &ScrollLayout, scroll: f64) -> Vec<ScrollItem> {
        layout.visible(scroll, 250.0, 0.0).iter().map(|placed| placed.item).collect()
    }

    #[test]
    fn only_visible_rows_are_placed() {
        let layout = ScrollLayout::open(10_000, HEIGHTS);
        assert_eq!(layout.height(), 1e6);
        assert_eq!(items(&layout, 0.0), [ScrollItem::Row(0), ScrollItem::Row(1), ScrollItem::Row(2)]);
        assert_eq!(items(&layout, 999_750.0), [ScrollItem::Row(9_997), ScrollItem::Row(9_998), ScrollItem::Row(9_999)]);
        assert_eq!(layout.visible(550.0, 250.0, 0.0)[0], PlacedItem { item: ScrollItem::Row(5), top: 500.0 });
    }

    #[test]
    fn row_scrolled_to_the_top_is_the_first_visible_row() {
        let (open, folded) = (ScrollLayout::open(10_000, HEIGHTS), ScrollLayout::folded(900, &[3, 5, 6, 170, 300, 500], HEIGHTS));
        for row in [0, 7, 700] {
            assert_eq!(open.visible(open.scroll_to_top(row, 250.0), 250.0, 0.0)[0].item, ScrollItem::Row(row));
        }
        let fold = folded.visible(folded.scroll_to_top(99, 250.0), 250.0, 0.0)[0].item;
        assert_eq!(fold, ScrollItem::Fold(7, 163));
        assert_eq!(
            folded.scroll_to_top(fold.first(), 250.0),
            folded.scroll_to_top(99, 250.0),
            "scrolling to the fold again changes nothing"
        );
    }

    #[test]
    fn equal_rows_fold_unless_there_is_only_one() {
        use ScrollItem::{Fold, Row};
        let layout = ScrollLayout::folded(20, &[3, 5, 6, 17], HEIGHTS);
        let all: Vec<ScrollItem> = layout.visible(0.0, 1e4, 0.0).iter().map(|placed| placed.item).collect();
        assert_eq!(all, [Fold(0, 3), Row(3), Row(4), Row(5), Row(6), Fold(7, 10), Row(17), Fold(18, 2)]);
        assert_eq!(layout.height(), 5.0 * 100.0 + 3.0 * 30.0);
        assert_eq!(layout.visible(140.0, 10.0, 0.0), [PlacedItem { item: Row(4), top: 130.0 }]);
        assert_eq!(ScrollLayout::folded(5, &[], HEIGHTS).visible(0.0, 9.0, 0.0)[0].item, Fold(0, 5));
        assert!(ScrollLayout::folded(0, &[], HEIGHTS).visible(0.0, 9.0, 0.0).is_empty());
    }

    #[test]
    fn very_tall_alignment_is_scaled_to_the_scroll_height() {
        let layout = ScrollLayout::open(800_000, HEIGHTS);
        assert_eq!(layout.height(), MAX_SCROLL_HEIGHT);
        assert_eq!(items(&layout, 0.0)[0], ScrollItem::Row(0));
        assert_eq!(*items(&layout, MAX_SCROLL_HEIGHT - 250.0).last().unwrap(), ScrollItem::Row(799_999));
        for placed in layout.visible(7e6, 250.0, 0.0) {
            assert!((6_999_900.0..7_000_250.0).contains(&placed.top), "{placed:?}");
        }
    }

    #[test]
    fn scrolling_to_a_row_shows_it() {
        for layout in
            [ScrollLayout::open(800_000, HEIGHTS), ScrollLayout::open(500, HEIGHTS), ScrollLayout::folded(500, &[7, 90, 91, 400], HEIGHTS)]
        {
            for row in [0, 7, 90, 400, 499] {
                let scroll = layout.scroll_to(row, 250.0);
                let shows = |item: &ScrollItem| match *item {
                    ScrollItem::Row(at) => at == row,
                    ScrollItem::Fold(first, rows) => (first..first + rows).contains(&row),
                };
                assert!(items(&layout, scroll).iter().any(shows), "row {row} at {scroll}: {:?}", items(&layout, scroll));
            }
        }
    }
}
