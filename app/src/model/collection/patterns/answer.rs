//! The answer to a search for many patterns ([`SearchedTexts`]): its places, and the order of its lanes ([`LaneOrder`]).

use explain::worker_protocol::patterns::{PatternInfo, PatternReport};
use kernels::cbor::from_bytes;
use kernels::found::Hit;

use super::form::PatternForm;

/// Order of the lanes of patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaneOrder {
    #[default]
    Given,
    /// By the first place.
    Place,
    /// By the number of places, largest first.
    Count,
    Name,
}

impl LaneOrder {
    pub const ALL: [Self; 4] = [Self::Given, Self::Place, Self::Count, Self::Name];

    /// Returns the name of the order in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Place => "place",
            Self::Count => "count",
            Self::Name => "name",
        }
    }
}

/// The places of all patterns, with the form that was searched.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchedTexts {
    pub form: PatternForm,
    pub report: PatternReport,
    /// For each text, the number of symbols of all texts before it.
    offsets: Vec<u64>,
    /// Number of symbols of all texts.
    symbols: u64,
}

/// A place of a pattern: the numbers of the pattern and of its hit.
pub type PlaceNumber = (usize, usize);

/// Returns the number of the text that has a hit, and the range of the hit in this text.
pub fn place_of(hit: &Hit) -> (usize, u64, u64) {
    hit.record.map_or((0, hit.start, hit.end), |record| (record.number as usize, record.start, record.end))
}

impl SearchedTexts {
    /// Decodes a reply of the solver to the request for `form`. Returns `None` if the reply is malformed.
    pub fn decode(form: PatternForm, reply: &[u8]) -> Option<Self> {
        Self::new(form, from_bytes(reply)?)
    }

    /// Creates the answer of a report. Returns `None` if a hit is in no text of the report.
    pub fn new(form: PatternForm, report: PatternReport) -> Option<Self> {
        let mut symbols = 0;
        let offset = |text: &explain::worker_protocol::patterns::SearchedText| {
            let before = symbols;
            symbols += text.symbols;
            before
        };
        let offsets: Vec<u64> = report.texts.iter().map(offset).collect();
        let has_text = |hit: &Hit| {
            let (text, start, end) = place_of(hit);
            start <= end && report.texts.get(text).is_some_and(|text| end <= text.symbols)
        };
        let is_whole = report.patterns.iter().all(|pattern| pattern.hits.iter().chain(&pattern.nearest).all(has_text));
        is_whole.then_some(Self { form, report, offsets, symbols })
    }

    /// Returns the number of symbols of all texts.
    pub fn symbols(&self) -> u64 {
        self.symbols
    }

    /// Returns the number of symbols of the texts before `text`.
    pub fn offset(&self, text: usize) -> u64 {
        self.offsets[text]
    }

    /// Returns the pattern with the number `pattern`.
    pub fn pattern(&self, pattern: usize) -> &PatternInfo {
        &self.report.patterns[pattern]
    }

    /// Returns the number of places of all patterns.
    pub fn places(&self) -> u64 {
        self.report.patterns.iter().map(|pattern| pattern.hits.len() as u64).sum()
    }

    /// Returns the number of patterns that occur.
    pub fn occurring(&self) -> usize {
        self.report.patterns.iter().filter(|pattern| !pattern.hits.is_empty()).count()
    }

    /// Returns the fewest edits of a place of the pattern `pattern`, or of its nearest part of the texts.
    pub fn least(&self, pattern: usize) -> Option<u64> {
        let PatternInfo { hits, nearest, .. } = self.pattern(pattern);
        hits.iter().chain(nearest).map(|hit| hit.distance).min()
    }

    /// Returns a place. A pattern without hits has its nearest part as hit 0. Returns `None` if there is no such place.
    pub fn hit(&self, (pattern, hit): PlaceNumber) -> Option<Hit> {
        let PatternInfo { hits, nearest, .. } = self.report.patterns.get(pattern)?;
        hits.get(hit).copied().or_else(|| nearest.filter(|_| hits.is_empty() && hit == 0))
    }

    /// Returns the numbers of all patterns in the order of the lanes.
    pub fn lanes(&self, order: LaneOrder) -> Vec<usize> {
        let mut lanes: Vec<usize> = (0..self.report.patterns.len()).collect();
        let first = |lane: &usize| self.pattern(*lane).hits.first().map(|hit| self.position(hit));
        match order {
            LaneOrder::Given => {}
            LaneOrder::Place => lanes.sort_by_key(|lane| (first(lane).is_none(), first(lane))),
            LaneOrder::Count => lanes.sort_by_key(|lane| std::cmp::Reverse(self.pattern(*lane).hits.len())),
            LaneOrder::Name => lanes.sort_by_key(|lane| self.pattern(*lane).name.to_lowercase()),
        }
        lanes
    }

    /// Returns the number of symbols of all texts before a hit.
    pub fn position(&self, hit: &Hit) -> u64 {
        let (text, start, _) = place_of(hit);
        self.offsets[text] + start
    }

    /// Returns the places of one pattern, or of all, in the order of the texts. Takes O(n log n) time.
    pub fn listed(&self, only: Option<usize>) -> Vec<PlaceNumber> {
        let patterns = self.report.patterns.iter().enumerate().filter(|(pattern, _)| only.is_none_or(|only| only == *pattern));
        let mut places: Vec<PlaceNumber> =
            patterns.flat_map(|(pattern, info)| (0..info.hits.len()).map(move |hit| (pattern, hit))).collect();
        places.sort_by_key(|&(pattern, hit)| {
            let hit = &self.pattern(pattern).hits[hit];
            (self.position(hit), place_of(hit).2, pattern)
        });
        places
    }
}

#[cfg(test)]
pub mod tests {
    use explain::worker_protocol::patterns::SearchedText;
    use kernels::found::RecordRange;

    use super::*;

    /// Returns a hit in the text `text`, whose symbols follow those of the texts before it.
    pub fn hit(text: u64, start: u64, end: u64, distance: u64) -> Hit {
        Hit { record: Some(RecordRange { number: text, start, end }), ..Hit::new(start, end, distance) }
    }

    pub fn pattern(name: &str, hits: Vec<Hit>, nearest: Option<Hit>) -> PatternInfo {
        PatternInfo { name: name.into(), letters: "ACGT".into(), symbols: 4, limit: Some(1), hits, nearest }
    }

    /// Returns an answer about two texts of 100 and 50 symbols.
    pub fn searched() -> SearchedTexts {
        let texts = [("chr1", 100), ("chr2", 50)].map(|(name, symbols)| SearchedText { name: name.into(), symbols });
        let patterns = vec![
            pattern("rep", vec![hit(0, 60, 64, 1), hit(1, 0, 4, 0)], None),
            pattern("Cre", vec![hit(0, 10, 14, 0)], None),
            pattern("none", Vec::new(), Some(hit(1, 30, 33, 3))),
        ];
        let report = PatternReport { patterns, texts: texts.to_vec(), cells: 1_800, took_ms: 1.0 };
        SearchedTexts::new(PatternForm::default(), report).unwrap()
    }

    #[test]
    fn places_are_counted_and_listed_in_the_order_of_the_texts() {
        let texts = searched();
        assert_eq!((texts.places(), texts.occurring(), texts.symbols(), texts.offset(1)), (3, 2, 150, 100));
        assert_eq!(texts.listed(None), [(1, 0), (0, 0), (0, 1)]);
        assert_eq!(texts.listed(Some(0)), [(0, 0), (0, 1)]);
        assert_eq!([0, 1, 2].map(|pattern| texts.least(pattern)), [Some(0), Some(0), Some(3)]);
        assert_eq!(texts.hit((2, 0)).map(|hit| hit.distance), Some(3));
        assert_eq!([texts.hit((2, 1)), texts.hit((0, 2)), texts.hit((3, 0))], [None; 3]);
    }

    #[test]
    fn lanes_are_sorted_and_patterns_without_places_come_last() {
        let texts = searched();
        assert_eq!(texts.lanes(LaneOrder::Given), [0, 1, 2]);
        assert_eq!(texts.lanes(LaneOrder::Place), [1, 0, 2]);
        assert_eq!(texts.lanes(LaneOrder::Count), [0, 1, 2]);
        assert_eq!(texts.lanes(LaneOrder::Name), [1, 2, 0]);
    }

    #[test]
    fn hits_outside_of_the_texts_are_refused() {
        let mut report = searched().report;
        assert!(SearchedTexts::decode(PatternForm::default(), &kernels::cbor::to_bytes(&report)).is_some());
        report.patterns[0].hits[0] = hit(2, 0, 1, 0);
        assert!(SearchedTexts::new(PatternForm::default(), report).is_none());
        assert!(SearchedTexts::decode(PatternForm::default(), b"").is_none());
    }
}
