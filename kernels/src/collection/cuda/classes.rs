//! Classes: rows of similar lengths, which one launch computes with one variant of the kernel.

use std::ops::Range;

/// Lanes of a warp.
const LANES: usize = 32;

/// Shared memory of a block for a word of every lane, in bytes.
const LANE_BYTES: u64 = 128;

/// A variant of the kernel, by the layout of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowLayout {
    /// Number of 32-bit words of a thread.
    pub(super) words: u32,
    /// Number of rows in a word.
    pub(super) fields: u32,
}

/// All variants. Those with one row in a word also compute longer rows, in several strips.
pub(super) const LAYOUTS: [RowLayout; 24] = {
    const fn of(fields: u32, words: u32) -> RowLayout {
        RowLayout { words, fields }
    }
    [
        of(4, 1),
        of(4, 2),
        of(4, 3),
        of(4, 4),
        of(4, 5),
        of(4, 6),
        of(4, 8),
        of(4, 10),
        of(4, 13),
        of(4, 16),
        of(4, 19),
        of(2, 12),
        of(2, 16),
        of(2, 20),
        of(2, 26),
        of(1, 1),
        of(1, 2),
        of(1, 4),
        of(1, 8),
        of(1, 16),
        of(1, 20),
        of(1, 24),
        of(1, 28),
        of(1, 32),
    ]
};

impl RowLayout {
    /// Returns the number of symbols of a row in one strip.
    pub(super) fn symbols(self) -> u32 {
        self.words * (32 / self.fields)
    }

    /// Returns the number of rows that a warp computes together.
    pub(super) fn rows(self) -> usize {
        LANES * self.fields as usize
    }

    /// Returns the shared memory of a block in bytes, for symbols below `alphabet`.
    pub(super) fn shared_bytes(self, alphabet: u32) -> u64 {
        (u64::from(alphabet) + 1) * u64::from(self.words) * LANE_BYTES
    }

    /// Returns the number of strips for a row of `len` symbols, or `None` if this variant has only one and it is too short.
    fn strips(self, len: u32) -> Option<u32> {
        let strips = len.div_ceil(self.symbols()).max(1);
        (self.fields == 1 || strips == 1).then_some(strips)
    }

    /// Returns the relative time of a column.
    fn column_time(self) -> f64 {
        f64::from(self.words) * 5.5 + 12.0
    }
}

/// Consecutive rows, in the order of descending lengths, that one launch computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowClass {
    pub(super) layout: RowLayout,
    /// Number of strips of each row.
    pub(super) strips: u32,
    pub(super) rows: Range<usize>,
}

impl RowClass {
    /// Returns the number of groups of rows. All but the last one are full.
    pub(super) fn groups(&self) -> usize {
        self.rows.len().div_ceil(self.layout.rows())
    }
}

/// Divides rows into classes. `lens` are their lengths in descending order. The words of the symbols of a class fit into
/// `shared` bytes.
///
/// Takes the layout with the least time for each row, from the longest row on.
pub(super) fn classes(lens: &[u32], alphabet: u32, shared: u64) -> Vec<RowClass> {
    let mut classes: Vec<RowClass> = Vec::new();
    let mut from = 0;
    while from < lens.len() {
        let fitting = LAYOUTS.iter().filter(|layout| layout.shared_bytes(alphabet) <= shared);
        let timed = fitting.filter_map(|&layout| {
            let (strips, rows) = (layout.strips(lens[from])?, layout.rows().min(lens.len() - from));
            Some((f64::from(strips) * layout.column_time() / rows as f64, layout, strips, rows))
        });
        let Some((_, layout, strips, rows)) = timed.min_by(|one, other| one.0.total_cmp(&other.0)) else { break };
        match classes.last_mut() {
            Some(last) if last.layout == layout && last.strips == strips => last.rows.end += rows,
            _ => classes.push(RowClass { layout, strips, rows: from..from + rows }),
        }
        from += rows;
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_cover_all_rows_with_room_for_their_symbols() {
        for (alphabet, shared) in [(4, 227 << 10), (26, 64 << 10), (96, 99 << 10), (1500, 227 << 10)] {
            let mut lens: Vec<u32> = (0..3000).map(|at| at * at % 8192).chain([8, 8, 8, 0, 0, 16, 100, 1024]).collect();
            lens.sort_unstable_by(|one, other| other.cmp(one));
            let classes = classes(&lens, alphabet, shared);
            assert_eq!(classes.iter().flat_map(|class| class.rows.clone()).collect::<Vec<_>>(), (0..lens.len()).collect::<Vec<_>>());
            for class in &classes {
                let room = class.strips * class.layout.symbols();
                assert!(lens[class.rows.clone()].iter().all(|len| *len <= room), "{class:?}");
                assert!(class.strips == 1 || class.layout.fields == 1, "{class:?}");
                assert!(class.layout.shared_bytes(alphabet) <= shared, "{class:?}");
            }
        }
    }

    #[test]
    fn short_rows_share_words() {
        let of = |len, rows| classes(&vec![len; rows], 4, 227 << 10);
        assert_eq!(of(100, 1280), [RowClass { layout: RowLayout { words: 13, fields: 4 }, strips: 1, rows: 0..1280 }]);
        assert_eq!(of(1000, 64), [RowClass { layout: RowLayout { words: 32, fields: 1 }, strips: 1, rows: 0..64 }]);
        assert_eq!(of(4000, 64)[0].strips, 4);
    }
}
