//! Assignment of the texts of a second collection to those of the first one: [`Assignments`].

use super::answer::{ComparedTexts, Neighbour};
use super::measure::Threshold;
use crate::model::form::FormSide;

/// The texts of the second collection by the text of the first one that each is nearest to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assignments {
    /// Numbers of assigned texts, for each text of the first collection.
    pub rows: Vec<AssignedCount>,
    /// Texts that no text is near enough to, the nearest ones first.
    pub near_none: Vec<usize>,
    /// Texts that are equally near to several texts. They count for none of them.
    pub ties: Vec<usize>,
}

/// The number of texts that are assigned to a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssignedCount {
    /// Number of texts that are equal to it.
    pub equal: u64,
    /// Number of all texts that are nearest to it alone.
    pub all: u64,
}

impl Assignments {
    /// Assigns the texts by their neighbours. Takes O(n log n) time.
    pub fn new(texts: &ComparedTexts, neighbours: &[[Option<Neighbour>; 2]], threshold: Threshold) -> Self {
        let [rows, columns] = FormSide::BOTH.map(|side| texts.side(side));
        let mut assigned = Self { rows: vec![AssignedCount::default(); rows.len()], ..Self::default() };
        let mut distant = Vec::new();
        for text in columns {
            let [first, second] = neighbours.get(text).copied().unwrap_or_default();
            match first {
                Some(first) if first.nearness >= threshold.nearness() => {
                    if second.is_some_and(|second| second.nearness == first.nearness) {
                        assigned.ties.push(text);
                    } else if let Some(row) = assigned.rows.get_mut(first.text) {
                        row.all += 1;
                        row.equal += u64::from(texts.is_equal(first.text, text));
                    }
                }
                first => distant.push((first.map_or(f64::NEG_INFINITY, |first| first.nearness), text)),
            }
        }
        distant.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        assigned.near_none = distant.into_iter().map(|(_, text)| text).collect();
        assigned
    }

    /// Returns the number of texts that are nearest to exactly one text.
    pub fn assigned(&self) -> u64 {
        self.rows.iter().map(|row| row.all).sum()
    }
}

/// Returns the texts of the second collection in the order of the texts that they are nearest to, near ones first. Texts
/// without a near text come last.
pub fn columns_by_nearest(
    texts: &ComparedTexts,
    neighbours: &[[Option<Neighbour>; 2]],
    rows: &[usize],
    threshold: Threshold,
) -> Vec<usize> {
    let mut places = vec![usize::MAX; texts.len()];
    rows.iter().enumerate().for_each(|(place, &text)| places[text] = place);
    let place = |text: usize| match neighbours.get(text).and_then(|near| near[0]) {
        Some(near) if near.nearness >= threshold.nearness() => (places[near.text], -near.nearness),
        Some(near) => (usize::MAX, -near.nearness),
        None => (usize::MAX, f64::INFINITY),
    };
    let mut columns: Vec<usize> = texts.side(FormSide::B).collect();
    columns.sort_by(|&x, &y| {
        let (x, y) = (place(x), place(y));
        x.0.cmp(&y.0).then(x.1.total_cmp(&y.1))
    });
    columns
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::compared_two;
    use super::super::measure::Measure;
    use super::*;

    #[test]
    fn texts_are_assigned_to_their_only_nearest_text() {
        let texts = compared_two(&["aaaa", "bbbb", "cccc"], &["bbbx", "aaaa", "xxxx", "aabb", "aaay", "xxxa"], Measure::Edits);
        let neighbours = texts.neighbours();
        let assigned = Assignments::new(&texts, &neighbours, Threshold::Edits(2));
        let counts: Vec<_> = assigned.rows.iter().map(|row| (row.equal, row.all)).collect();
        assert_eq!((counts, assigned.assigned()), (vec![(1, 2), (0, 1), (0, 0)], 3));
        assert_eq!((assigned.ties, assigned.near_none), (vec![6], vec![8, 5]));
        assert_eq!(columns_by_nearest(&texts, &neighbours, &[1, 0, 2], Threshold::Edits(1)), [3, 4, 7, 6, 8, 5]);
        let none = compared_two(&[""], &["ab"], Measure::Similarity);
        assert_eq!(Assignments::new(&none, &none.neighbours(), Threshold::Percent(50)).near_none, [1]);
    }
}
