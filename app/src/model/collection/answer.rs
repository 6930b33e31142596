//! The answer about a collection: the scores of all pairs ([`ComparedTexts`]), and the groups of alike texts
//! ([`TextGroup`]).

use kernels::job::Points;
use std::ops::Range;
use std::sync::Arc;

use explain::worker_protocol::collection::{CollectionReport, LinkedOrder};
use kernels::collection::ScoreRule;

use super::choices::RowOrder;
use super::form::CollectionForm;
use super::measure::{Measure, Threshold};
use super::sources::{TextSide, TextSource};
use crate::model::form::FormSide;

/// The scores of all pairs of one or two collections, with the form that was compared. The texts of the second collection
/// are numbered after those of the first one.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedTexts {
    pub form: CollectionForm,
    pub report: CollectionReport,
    /// Scores of the distinct texts of the rows with those of the columns, row by row, 4 bytes each and little-endian.
    scores: Arc<[u8]>,
    /// The sources of both sides, as they were compared.
    sources: Arc<[Vec<TextSource>; 2]>,
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
    /// Share of equal symbols, the negative number of edits, or points.
    pub nearness: f64,
}

impl ComparedTexts {
    /// Decodes a reply of the solver to the request for `form`. Returns `None` if the reply is malformed.
    pub fn decode(form: CollectionForm, reply: &[u8]) -> Option<Self> {
        let (report, scores) = CollectionReport::decode(reply)?;
        let texts = report.members.len();
        let first = usize::try_from(report.first.unwrap_or(texts as u64)).ok().filter(|first| *first <= texts)?;
        let (rows, columns) = report.members.split_at(first);
        let is_linked = |linked: &LinkedOrder| {
            let leaves = if report.first.is_some() { 0 } else { texts };
            linked.order.len() == leaves && linked.links.len() + 1 == leaves.max(1) && linked.order.iter().all(|&at| (at as usize) < texts)
        };
        let is_whole = report.first.is_some() == form.b.is_some()
            && [(rows, report.distinct[0]), (columns, report.distinct[1])]
                .iter()
                .all(|(members, distinct)| members.iter().all(|member| u64::from(member.text) < *distinct))
            && report.twins.len() as u64 == report.first.map_or(0, |_| report.distinct[1])
            && [Some(&report.by_similarity), report.by_edits.as_ref()].into_iter().flatten().all(is_linked);
        let sources = FormSide::BOTH.map(|side| form.side(side).map(TextSide::texts).unwrap_or_default());
        is_whole.then(|| Self { form, scores: scores.into(), report, sources: sources.into() })
    }

    /// Returns the same scores, read by the measure of another form.
    pub fn with_form(&self, form: CollectionForm) -> Self {
        Self { form, ..self.clone() }
    }

    /// Returns the number of texts of both sides.
    pub fn len(&self) -> usize {
        self.report.members.len()
    }

    /// Returns whether two collections were compared.
    pub fn is_two(&self) -> bool {
        self.report.first.is_some()
    }

    /// Returns the numbers of the texts of a side. The second side of a single collection has none.
    pub fn side(&self, side: FormSide) -> Range<usize> {
        let first = self.report.first.map_or(self.len(), |first| first as usize);
        match side {
            FormSide::A => 0..first,
            FormSide::B => first..self.len(),
        }
    }

    /// Returns the number of pairs that were compared: of different texts of one collection, or of a text of each side.
    pub fn pairs(&self) -> u64 {
        let [a, b] = FormSide::BOTH.map(|side| self.side(side).len() as u64);
        if self.is_two() { a * b } else { a * a.saturating_sub(1) / 2 }
    }

    /// Returns the texts that make a compared pair with `text` and follow it. Each pair has one such first text.
    pub fn partners_after(&self, text: usize) -> Range<usize> {
        let columns = self.side(FormSide::B);
        if !self.is_two() {
            text + 1..self.len()
        } else if text < columns.start {
            columns
        } else {
            self.len()..self.len()
        }
    }

    /// Returns the pair with the numbers `(a, b)` within their sides. Returns `None` if there are no such texts.
    pub fn pair_at(&self, (a, b): (usize, usize)) -> Option<(usize, usize)> {
        let [rows, columns] = FormSide::BOTH.map(|side| self.side(side));
        let columns = if self.is_two() { columns } else { rows.clone() };
        (a < rows.len() && b < columns.len()).then(|| (a, columns.start + b))
    }

    /// Returns the numbers of a pair within its sides, which [`Self::pair_at`] accepts.
    pub fn place_of(&self, (a, b): (usize, usize)) -> (usize, usize) {
        (a, if self.is_two() { b.saturating_sub(self.side(FormSide::B).start) } else { b })
    }

    /// Returns the number of symbols of a text.
    pub fn symbols(&self, text: usize) -> u64 {
        self.report.members[text].symbols
    }

    /// Returns the number of edits between two texts, the sum of their costs, the length of their longest common subsequence,
    /// or the units of [`Self::points`]. The text given first is `a`, because the order may matter. If there are two
    /// collections, the texts are of different sides.
    pub fn score(&self, a: usize, b: usize) -> i32 {
        let (a, b) = (a.min(b), a.max(b));
        let [row, column] = [a, b].map(|text| self.report.members[text].text as usize);
        let at = 4 * (row * self.report.distinct[1] as usize + column);
        self.scores.get(at..).and_then(|scores| scores.first_chunk()).map_or(0, |bytes| i32::from_le_bytes(*bytes))
    }

    /// Returns the meaning of the scores by the measure of the form.
    fn rule(&self) -> ScoreRule {
        ScoreRule::new(self.form.measure.task(), &self.form.options)
    }

    /// Returns the points of the best alignment of two texts, if the measure is points.
    pub fn points(&self, a: usize, b: usize) -> Points {
        self.rule().number(self.score(a, b))
    }

    /// Returns the share of symbols that two texts have in common by the measure of the form, from 0 to 1. Points have none.
    pub fn similarity(&self, a: usize, b: usize) -> f64 {
        let [m, n] = [a.min(b), a.max(b)].map(|text| self.symbols(text) as usize);
        self.rule().similarity(self.score(a, b), m, n).unwrap_or(0.0)
    }

    /// Returns how near two texts are by the measure of the form: their similarity, the negative number of edits, or points.
    pub fn nearness(&self, a: usize, b: usize) -> f64 {
        match self.form.measure {
            Measure::Similarity | Measure::LcsRatio => self.similarity(a, b),
            Measure::Edits => -f64::from(self.score(a, b)),
            Measure::Points => self.points(a, b).approximate(),
        }
    }

    /// Returns whether two texts have the same symbols.
    pub fn is_equal(&self, a: usize, b: usize) -> bool {
        if !self.is_two() {
            return self.report.members[a].text == self.report.members[b].text;
        }
        let [row, column] = [a.min(b), a.max(b)].map(|text| self.report.members[text].text);
        self.report.twins.get(column as usize) == Some(&Some(row))
    }

    /// Returns the tree by the measure of the form.
    pub fn linked(&self) -> &LinkedOrder {
        match (&self.report.by_edits, self.form.measure) {
            (Some(linked), Measure::Edits) => linked,
            (_, Measure::Similarity | Measure::LcsRatio | Measure::Edits | Measure::Points) => &self.report.by_similarity,
        }
    }

    /// Returns the groups of alike texts, larger ones first. Two collections have none. Takes O(n log n) time.
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

    /// Returns the two nearest texts of each text, the nearest one first. Texts of two collections are near to texts of the
    /// other one. Takes O(n²) time.
    pub fn neighbours(&self) -> Vec<[Option<Neighbour>; 2]> {
        let mut nearest = vec![[None, None]; self.len()];
        for a in 0..self.len() {
            for b in self.partners_after(a) {
                let nearness = self.nearness(a, b);
                add(&mut nearest[a], Neighbour { text: b, nearness });
                add(&mut nearest[b], Neighbour { text: a, nearness });
            }
        }
        nearest
    }

    /// Returns the numbers of the texts of the first side in an order of rows. Two collections have no tree.
    pub fn rows(&self, order: RowOrder) -> Vec<usize> {
        let mut rows: Vec<usize> = self.side(FormSide::A).collect();
        match order {
            RowOrder::Tree if self.is_two() => {}
            RowOrder::Tree => rows = self.linked().order.iter().map(|&text| text as usize).collect(),
            RowOrder::Given => {}
            RowOrder::Name => rows.sort_by_key(|&text| self.report.members[text].name.to_lowercase()),
            RowOrder::Length => rows.sort_by_key(|&text| std::cmp::Reverse(self.symbols(text))),
        }
        rows
    }

    /// Returns the side of a text.
    pub fn side_of(&self, text: usize) -> FormSide {
        if self.side(FormSide::A).contains(&text) { FormSide::A } else { FormSide::B }
    }

    /// Returns the source of a text, which has the details of its hand-in.
    pub fn source(&self, text: usize) -> Option<&TextSource> {
        self.sources[usize::from(self.side_of(text) == FormSide::B)].get(self.report.members.get(text)?.source as usize)
    }

    /// Returns the text of the member `text`, as the two-text page opens it. A record has its name as a FASTA header.
    /// Returns `None` if it is not UTF-8.
    pub fn text(&self, text: usize) -> Option<String> {
        let member = &self.report.members[text];
        let side = self.form.side(self.side_of(text))?;
        let source = self.source(text)?;
        let bytes = source.bytes.get(usize::try_from(member.start).ok()?..usize::try_from(member.end).ok()?)?;
        let own = std::str::from_utf8(bytes).ok()?;
        let is_record = side.split() == kernels::collection::MemberSplit::Records;
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
    use kernels::collection::MemberSplit;

    use super::*;
    use crate::model::collection::hand_in::HandInTime;

    /// Describes lines as the solver does, and lists the distinct ones.
    fn members<'l>(lines: &[&'l str]) -> (Vec<MemberInfo>, Vec<&'l str>) {
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
            members.push(MemberInfo { name: (*line).to_owned(), symbols, left_out: 0, text: number as u32, source: 0, start, end });
            start = end + 1;
        }
        (members, distinct)
    }

    fn score(a: &str, b: &str) -> i32 {
        kernels::distance(a.as_bytes(), b.as_bytes()) as i32
    }

    fn side(lines: &[&str]) -> TextSide {
        TextSide { sources: vec![TextSource::typed(&lines.join("\n"))], ..TextSide::default() }
    }

    /// Compares lines as the solver does.
    pub fn compared(lines: &[&str], measure: Measure) -> ComparedTexts {
        let (members, distinct) = members(lines);
        let scores: Vec<i32> = distinct.iter().flat_map(|a| distinct.iter().map(|b| score(a, b)).collect::<Vec<_>>()).collect();
        let form = CollectionForm { a: side(lines), measure, ..CollectionForm::default() };
        let similarity = |a: usize, b: usize| {
            let longest = lines[a].len().max(lines[b].len());
            if longest == 0 { 1.0 } else { 1.0 - f64::from(score(lines[a], lines[b])) / longest as f64 }
        };
        let report = CollectionReport {
            members,
            first: None,
            distinct: [distinct.len() as u64; 2],
            cells: 9,
            took_ms: 1.0,
            twins: Vec::new(),
            by_similarity: linked(lines.len(), &|a, b| 1.0 - similarity(a, b), 1.0),
            by_edits: Some(linked(lines.len(), &|a, b| f64::from(score(lines[a], lines[b])), 0.0)),
        };
        ComparedTexts::decode(form, &report.encode(&scores)).unwrap()
    }

    /// Compares lines by points as the solver does: `points` are those of the different lines, row by row.
    pub fn compared_by_points(lines: &[&str], points: &[i32]) -> ComparedTexts {
        let (members, distinct) = members(lines);
        let form = CollectionForm { a: side(lines), measure: Measure::Points, ..CollectionForm::default() };
        let size = distinct.len();
        let of = |a: usize, b: usize| f64::from(points[a.min(b) * size + a.max(b)]);
        let report = CollectionReport {
            members,
            first: None,
            distinct: [size as u64; 2],
            cells: 9,
            took_ms: 1.0,
            twins: Vec::new(),
            by_similarity: linked(size, &|a, b| -of(a, b), 0.0),
            by_edits: None,
        };
        ComparedTexts::decode(form, &report.encode(points)).unwrap()
    }

    /// Compares the lines of two collections as the solver does.
    pub fn compared_two(a: &[&str], b: &[&str], measure: Measure) -> ComparedTexts {
        let ((rows, of_rows), (columns, of_columns)) = (members(a), members(b));
        let scores: Vec<i32> = of_rows.iter().flat_map(|a| of_columns.iter().map(|b| score(a, b)).collect::<Vec<_>>()).collect();
        let form = CollectionForm { a: side(a), b: Some(side(b)), measure, ..CollectionForm::default() };
        let report = CollectionReport {
            first: Some(rows.len() as u64),
            members: [rows, columns].concat(),
            distinct: [of_rows.len() as u64, of_columns.len() as u64],
            cells: 9,
            took_ms: 1.0,
            twins: of_columns.iter().map(|b| of_rows.iter().position(|a| a == b).map(|at| at as u32)).collect(),
            by_similarity: LinkedOrder::default(),
            by_edits: None,
        };
        ComparedTexts::decode(form, &report.encode(&scores)).unwrap()
    }

    /// Compares texts as files that were handed in at `times`, as the solver does.
    pub fn compared_files(lines: &[&str], times: &[&str], measure: Measure) -> ComparedTexts {
        let texts = compared(lines, measure);
        let mut report = texts.report.clone();
        let mut sources = Vec::new();
        for (number, (member, line)) in report.members.iter_mut().zip(lines).enumerate() {
            (member.source, member.start, member.end) = (number as u32, 0, line.len() as u64);
            let mut source = TextSource::file(&format!("{number}.txt"), line.as_bytes());
            source.about.handed_in = HandInTime::parse(times[number]);
            sources.push(source);
        }
        let form = CollectionForm { a: TextSide { sources, split: MemberSplit::Files, ..TextSide::default() }, ..texts.form.clone() };
        let scores: Vec<i32> = texts.scores.chunks(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect();
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
        assert_eq!((texts.len(), texts.pairs(), texts.report.distinct), (5, 10, [4, 4]));
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
    fn texts_of_two_collections_are_compared_with_those_of_the_other() {
        let texts = compared_two(&["kitten", "sitting"], &["mitten", "sitting", "mitten"], Measure::Edits);
        assert_eq!((texts.len(), texts.pairs(), texts.side(FormSide::A), texts.side(FormSide::B)), (5, 6, 0..2, 2..5));
        assert_eq!((texts.score(0, 2), texts.score(2, 0), texts.score(1, 3), texts.score(1, 4)), (1, 1, 0, 3));
        assert!(texts.is_equal(1, 3) && !texts.is_equal(0, 2));
        assert_eq!((texts.partners_after(1), texts.partners_after(3).len()), (2..5, 0));
        assert_eq!(
            (texts.pair_at((1, 2)), texts.pair_at((2, 0)), texts.pair_at((0, 3)), texts.place_of((1, 4))),
            (Some((1, 4)), None, None, (1, 2))
        );
        let nearest: Vec<_> = texts.neighbours().iter().map(|near| near[0].map(|near| (near.text, near.nearness))).collect();
        assert_eq!(nearest, [Some((2, -1.0)), Some((3, 0.0)), Some((0, -1.0)), Some((1, 0.0)), Some((0, -1.0))]);
        assert!(texts.groups(Threshold::Edits(9)).is_empty());
        assert_eq!(
            (texts.rows(RowOrder::Tree), texts.text(3).as_deref(), texts.text(0).as_deref()),
            (vec![0, 1], Some("sitting"), Some("kitten"))
        );
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
