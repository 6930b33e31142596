//! The sorted list of pairs of a collection: [`PairList`].

use super::answer::ComparedTexts;
use super::measure::Threshold;

/// Maximum number of pairs that are listed. Of more pairs, the nearest ones are listed.
pub const MAX_LISTED: usize = 200_000;

/// The column by which pairs are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairColumn {
    Nearness,
    Score,
    Name,
    Length,
}

/// The choices of the visitor in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairChoices {
    pub column: PairColumn,
    /// Whether the order of the column is reversed. Near, few, first and short come first otherwise.
    pub is_reversed: bool,
    pub only_alike: bool,
    /// A part of the name of one of both texts, in any case.
    pub part: String,
}

impl Default for PairChoices {
    fn default() -> Self {
        Self { column: PairColumn::Nearness, is_reversed: false, only_alike: false, part: String::new() }
    }
}

/// Two texts, the first one given before the second one, and how near they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedPair {
    pub a: usize,
    pub b: usize,
    pub nearness: f64,
}

/// The nearest pairs of a collection, the nearest one first. Equally near pairs are in the order given.
#[derive(Clone, Debug, PartialEq)]
pub struct PairList {
    pairs: Vec<ListedPair>,
    /// Number of all pairs.
    pub all: u64,
}

impl PairList {
    /// Lists the nearest pairs, at most about `most`. Takes O(n²) time.
    pub fn new(texts: &ComparedTexts, most: usize) -> Self {
        let mut pairs: Vec<ListedPair> = Vec::new();
        let mut least = f64::NEG_INFINITY;
        let order = |x: &ListedPair, y: &ListedPair| y.nearness.total_cmp(&x.nearness).then((x.a, x.b).cmp(&(y.a, y.b)));
        for a in 0..texts.len() {
            for b in texts.partners_after(a) {
                let nearness = texts.nearness(a, b);
                if nearness >= least {
                    pairs.push(ListedPair { a, b, nearness });
                }
            }
            // Drops the most distant ones whenever twice as many pairs are listed.
            if pairs.len() >= 2 * most.max(1) {
                pairs.select_nth_unstable_by(most.max(1) - 1, order);
                pairs.truncate(most.max(1));
                least = pairs.last().map_or(least, |pair| pair.nearness);
            }
        }
        pairs.sort_by(order);
        pairs.truncate(most);
        Self { pairs, all: texts.pairs() }
    }

    /// Returns the number of listed pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the listed pairs that match `choices`, in the chosen order. `name` returns the name of a text.
    pub fn shown(
        &self,
        texts: &ComparedTexts,
        threshold: Threshold,
        choices: &PairChoices,
        name: &dyn Fn(usize) -> String,
    ) -> Vec<ListedPair> {
        let part = choices.part.trim().to_lowercase();
        let has_part = |text: usize| name(text).to_lowercase().contains(&part);
        let is_shown = |pair: &&ListedPair| {
            (!choices.only_alike || pair.nearness >= threshold.nearness()) && (part.is_empty() || has_part(pair.a) || has_part(pair.b))
        };
        let mut shown: Vec<ListedPair> = self.pairs.iter().filter(is_shown).copied().collect();
        match choices.column {
            PairColumn::Nearness => {}
            PairColumn::Score => shown.sort_by_key(|pair| texts.score(pair.a, pair.b)),
            PairColumn::Name => shown.sort_by_cached_key(|pair| [pair.a, pair.b].map(|text| name(text).to_lowercase())),
            PairColumn::Length => shown.sort_by_key(|pair| texts.symbols(pair.a).max(texts.symbols(pair.b))),
        }
        if choices.is_reversed {
            shown.reverse();
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::compared;
    use super::super::measure::Measure;
    use super::*;

    fn pairs(shown: &[ListedPair]) -> Vec<(usize, usize)> {
        shown.iter().map(|pair| (pair.a, pair.b)).collect()
    }

    #[test]
    fn pairs_are_sorted_and_filtered() {
        let texts = compared(&["kitten", "Sitting", "mitten", "m"], Measure::Similarity);
        let list = PairList::new(&texts, MAX_LISTED);
        let shown = |choices: PairChoices| {
            pairs(&list.shown(&texts, Threshold::Percent(50), &choices, &|text| texts.report.members[text].name.clone()))
        };
        let usual = PairChoices::default();
        assert_eq!(shown(usual.clone()), [(0, 2), (0, 1), (1, 2), (2, 3), (0, 3), (1, 3)]);
        assert_eq!(shown(PairChoices { only_alike: true, ..usual.clone() }), [(0, 2), (0, 1), (1, 2)]);
        assert_eq!(shown(PairChoices { part: " SIT ".into(), ..usual.clone() }), [(0, 1), (1, 2), (1, 3)]);
        assert_eq!(shown(PairChoices { column: PairColumn::Name, ..usual.clone() }), [(0, 3), (0, 2), (0, 1), (2, 3), (1, 3), (1, 2)]);
        assert_eq!(shown(PairChoices { column: PairColumn::Length, ..usual.clone() })[0], (0, 2));
        assert_eq!(shown(PairChoices { is_reversed: true, ..usual })[0], (1, 3));
    }

    #[test]
    fn nearest_pairs_of_many_are_listed() {
        let lines: Vec<String> = (0..60_u32).map(|number| format!("{:x}", number.wrapping_mul(2_654_435_761))).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let texts = compared(&lines, Measure::Edits);
        let (all, some) = (PairList::new(&texts, MAX_LISTED), PairList::new(&texts, 20));
        assert_eq!((all.len() as u64, some.all, some.len()), (texts.pairs(), texts.pairs(), 20));
        assert_eq!(pairs(&some.pairs), pairs(&all.pairs[..20]));
    }
}
