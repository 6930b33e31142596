//! The answer about a collection: the scores of all pairs ([`ComparedTexts`]), and the groups of alike texts
//! ([`TextGroup`]).

use std::sync::Arc;

use explain::worker_protocol::collection::{CollectionReport, LinkedOrder};
use kernels::collection::question::similarity;

use super::choices::RowOrder;
use super::form::CollectionForm;
use super::measure::{Measure, Threshold};

/// The scores of all pairs of a collection, with the form that was compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedTexts {
    pub form: CollectionForm,
    pub report: CollectionReport,
    /// Scores of all distinct texts (rows) with all distinct texts, row by row, 4 bytes each and little-endian.
    scores: Arc<[u8]>,
}

/// Texts that chains of alike pairs connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextGroup {
    /// Letter of the group: A to Z, then AA. Larger groups come first.
    pub letter: String,
    /// Numbers of the texts, in the order given.
    pub members: Vec<usize>,
}

/// A text near to another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    pub text: usize,
    /// Share of equal symbols, or the negative number of edits.
    pub nearness: f64,
}

impl ComparedTexts {
    /// Decodes a reply of the solver to the request for `form`. Returns `None` if the reply is malformed.
    pub fn decode(form: CollectionForm, reply: &[u8]) -> Option<Self> {
        let (report, scores) = CollectionReport::decode(reply)?;
        let texts = report.members.len();
        let is_whole = report.members.iter().all(|member| u64::from(member.text) < report.distinct)
            && [Some(&report.by_similarity), report.by_edits.as_ref()].into_iter().flatten().all(|linked| {
                linked.order.len() == texts
                    && linked.links.len() + 1 == texts.max(1)
                    && linked.order.iter().all(|&at| (at as usize) < texts)
            });
        is_whole.then(|| Self { form, scores: scores.into(), report })
    }

    /// Returns the same scores, read by the measure of another form.
    pub fn with_form(&self, form: CollectionForm) -> Self {
        Self { form, ..self.clone() }
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.report.members.len()
    }

    /// Returns the number of pairs of different texts.
    pub fn pairs(&self) -> u64 {
        let texts = self.len() as u64;
        texts * texts.saturating_sub(1) / 2
    }

    /// Returns the number of symbols of a text.
    pub fn symbols(&self, text: usize) -> u64 {
        self.report.members[text].symbols
    }

    /// Returns the number of edits between two texts, or the length of their longest common subsequence.
    pub fn score(&self, a: usize, b: usize) -> i32 {
        let [row, column] = [a, b].map(|text| self.report.members[text].text as usize);
        let at = 4 * (row * self.report.distinct as usize + column);
        self.scores[at..].first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes))
    }

    /// Returns the share of symbols that two texts have in common by the measure of the form, from 0 to 1.
    pub fn similarity(&self, a: usize, b: usize) -> f64 {
        let [m, n] = [a, b].map(|text| self.symbols(text) as usize);
        similarity(self.form.measure.task(), self.score(a, b), m, n).unwrap_or(0.0)
    }

    /// Returns how near two texts are by the measure of the form: their similarity, or the negative number of edits.
    pub fn nearness(&self, a: usize, b: usize) -> f64 {
        match self.form.measure {
            Measure::Similarity | Measure::LcsRatio => self.similarity(a, b),
            Measure::Edits => -f64::from(self.score(a, b)),
        }
    }

    /// Returns whether two texts have the same symbols.
    pub fn is_equal(&self, a: usize, b: usize) -> bool {
        self.report.members[a].text == self.report.members[b].text
    }

    /// Returns the tree by the measure of the form.
    pub fn linked(&self) -> &LinkedOrder {
        match (&self.report.by_edits, self.form.measure) {
            (Some(linked), Measure::Edits) => linked,
            (_, Measure::Similarity | Measure::LcsRatio | Measure::Edits) => &self.report.by_similarity,
        }
    }

    /// Returns the groups of alike texts, larger ones first. Takes O(n log n) time.
    pub fn groups(&self, threshold: Threshold) -> Vec<TextGroup> {
        let linked = self.linked();
        let least = threshold.nearness();
        let mut runs: Vec<Vec<usize>> = Vec::new();
        for (at, &text) in linked.order.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if linked.links[at - 1] >= least => run.push(text as usize),
                _ => runs.push(vec![text as usize]),
            }
        }
        runs.retain(|run| run.len() > 1);
        runs.iter_mut().for_each(|run| run.sort_unstable());
        runs.sort_by_key(|run| (std::cmp::Reverse(run.len()), run[0]));
        runs.into_iter().enumerate().map(|(number, members)| TextGroup { letter: letter(number), members }).collect()
    }

    /// Returns the least and the largest nearness of two different texts of a group. Takes O(n²) time.
    pub fn range_within(&self, group: &TextGroup) -> (f64, f64) {
        let pairs = group.members.iter().enumerate().flat_map(|(at, &a)| group.members[..at].iter().map(move |&b| (a, b)));
        pairs.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), (a, b)| {
            let nearness = self.nearness(a, b);
            (least.min(nearness), most.max(nearness))
        })
    }

    /// Returns the two nearest texts of each text, the nearest one first. Takes O(n²) time.
    pub fn neighbours(&self) -> Vec<[Option<Neighbour>; 2]> {
        let mut nearest = vec![[None, None]; self.len()];
        for a in 0..self.len() {
            for b in 0..a {
                let nearness = self.nearness(a, b);
                add(&mut nearest[a], Neighbour { text: b, nearness });
                add(&mut nearest[b], Neighbour { text: a, nearness });
            }
        }
        nearest
    }

    /// Returns the numbers of all texts in an order of rows.
    pub fn rows(&self, order: RowOrder) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.len()).collect();
        match order {
            RowOrder::Tree => rows = self.linked().order.iter().map(|&text| text as usize).collect(),
            RowOrder::Given => {}
            RowOrder::Name => rows.sort_by_key(|&text| self.report.members[text].name.to_lowercase()),
            RowOrder::Length => rows.sort_by_key(|&text| std::cmp::Reverse(self.symbols(text))),
        }
        rows
    }

    /// Returns the text of the member `text`, as the two-text page opens it. A record has its name as a FASTA header.
    /// Returns `None` if it is not UTF-8.
    pub fn text(&self, text: usize) -> Option<String> {
        let member = &self.report.members[text];
        let source = self.form.sources.get(member.source as usize)?;
        let bytes = source.bytes.get(usize::try_from(member.start).ok()?..usize::try_from(member.end).ok()?)?;
        let own = std::str::from_utf8(bytes).ok()?;
        let is_record = self.form.split == kernels::collection::MemberSplit::Records;
        Some(if is_record { format!(">{}\n{own}\n", member.name) } else { own.to_owned() })
    }
}

/// Adds a text to the two nearest ones. Of equally near texts, the first one stays.
fn add(nearest: &mut [Option<Neighbour>; 2], next: Neighbour) {
    let is_nearer = |than: &Option<Neighbour>| than.is_none_or(|than| next.nearness > than.nearness);
    if is_nearer(&nearest[0]) {
        *nearest = [Some(next), nearest[0]];
    } else if is_nearer(&nearest[1]) {
        nearest[1] = Some(next);
    }
}

/// Returns the letter of a group: A to Z, then AA.
fn letter(number: usize) -> String {
    let before = if number >= 26 { letter(number / 26 - 1) } else { String::new() };
    format!("{before}{}", char::from(b'A' + (number % 26) as u8))
}

#[cfg(test)]
pub mod tests {
    use explain::collection::tree::{leaf_links, leaf_order, single_linkage};
    use explain::worker_protocol::collection::MemberInfo;

    use super::*;
    use crate::model::collection::form::TextSource;

    /// Compares lines as the solver does.
    pub fn compared(lines: &[&str], measure: Measure) -> ComparedTexts {
        let text = lines.join("\n");
        let mut distinct: Vec<&str> = Vec::new();
        let mut members = Vec::new();
        let mut start = 0;
        for line in lines {
            let number = distinct.iter().position(|other| other == line).unwrap_or_else(|| {
                distinct.push(line);
                distinct.len() - 1
            });
            let end = start + line.len() as u64;
            let symbols = line.chars().count() as u64;
            members.push(MemberInfo { name: (*line).to_owned(), symbols, text: number as u32, source: 0, start, end });
            start = end + 1;
        }
        let score = |a: &str, b: &str| kernels::distance(a.as_bytes(), b.as_bytes()) as i32;
        let scores: Vec<i32> = distinct.iter().flat_map(|a| distinct.iter().map(|b| score(a, b)).collect::<Vec<_>>()).collect();
        let form = CollectionForm { sources: vec![TextSource::typed(&text)], measure, ..CollectionForm::default() };
        let similarity = |a: usize, b: usize| {
            let longest = lines[a].len().max(lines[b].len());
            if longest == 0 { 1.0 } else { 1.0 - f64::from(score(lines[a], lines[b])) / longest as f64 }
        };
        let report = CollectionReport {
            members,
            distinct: distinct.len() as u64,
            cells: 9,
            took_ms: 1.0,
            by_similarity: linked(lines.len(), &|a, b| 1.0 - similarity(a, b), 1.0),
            by_edits: Some(linked(lines.len(), &|a, b| f64::from(score(lines[a], lines[b])), 0.0)),
        };
        ComparedTexts::decode(form, &report.encode(&scores)).unwrap()
    }

    fn linked(texts: usize, distance: &dyn Fn(usize, usize) -> f64, most: f64) -> LinkedOrder {
        let tree = single_linkage(texts, distance);
        let order = leaf_order(texts, &tree).into_iter().map(|text| text as u32).collect();
        LinkedOrder { order, links: leaf_links(texts, &tree).into_iter().map(|distance| most - distance).collect() }
    }

    #[test]
    fn pairs_have_the_known_distances() {
        let texts = compared(&["kitten", "sitting", "kitten", "", "mitten"], Measure::Similarity);
        assert_eq!((texts.len(), texts.pairs(), texts.report.distinct), (5, 10, 4));
        assert_eq!((texts.score(0, 1), texts.score(1, 0), texts.score(0, 2), texts.score(3, 4)), (3, 3, 0, 6));
        assert_eq!((texts.similarity(0, 2), texts.similarity(0, 3)), (1.0, 0.0));
        assert!((texts.similarity(0, 1) - 4.0 / 7.0).abs() < 1e-12);
        assert!(texts.is_equal(0, 2) && !texts.is_equal(0, 1));
        assert_eq!((texts.text(1).as_deref(), texts.text(3).as_deref()), (Some("sitting"), Some("")));
    }

    #[test]
    fn groups_are_connected_by_chains_and_larger_ones_come_first() {
        let texts = compared(&["aaaa", "xyz", "aaab", "xyw", "aabb", "1234567"], Measure::Edits);
        let groups = texts.groups(Threshold::Edits(1));
        let members: Vec<_> = groups.iter().map(|group| (group.letter.as_str(), group.members.clone())).collect();
        assert_eq!(members, [("A", vec![0, 2, 4]), ("B", vec![1, 3])]);
        assert_eq!(texts.range_within(&groups[0]), (-2.0, -1.0));
        assert!(texts.groups(Threshold::Edits(0)).is_empty());
        assert_eq!(compared(&["a", "a"], Measure::Similarity).groups(Threshold::Percent(100)).len(), 1);
    }

    #[test]
    fn nearest_neighbours_and_orders_are_found() {
        let texts = compared(&["kitten", "sitting", "mitten"], Measure::Edits);
        let nearest = texts.neighbours();
        assert_eq!(nearest[0].map(|one| one.map(|one| one.text)), [Some(2), Some(1)]);
        assert_eq!(nearest[1].map(|one| one.map(|one| (one.text, one.nearness))), [Some((0, -3.0)), Some((2, -3.0))]);
        assert_eq!(texts.rows(RowOrder::Given), [0, 1, 2]);
        assert_eq!(texts.rows(RowOrder::Name), [0, 2, 1]);
        assert_eq!(texts.rows(RowOrder::Length), [1, 0, 2]);
        assert_eq!(texts.rows(RowOrder::Tree), [0, 2, 1]);
        assert_eq!(compared(&["a"], Measure::Edits).neighbours(), [[None, None]]);
    }

    #[test]
    fn letters_of_groups_go_on_after_z() {
        assert_eq!([0, 25, 26, 51, 52, 701, 702].map(letter), ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn malformed_replies_are_refused() {
        let texts = compared(&["a", "b"], Measure::Edits);
        let mut report = texts.report.clone();
        report.by_similarity.order[0] = 7;
        assert!(ComparedTexts::decode(texts.form.clone(), &report.encode(&[0; 4])).is_none());
        assert!(ComparedTexts::decode(texts.form, b"").is_none());
    }
}
