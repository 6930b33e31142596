//! Requests about many patterns, and the replies of the solver. They are bytes beside the messages of
//! [`RequestKind::Patterns`](super::RequestKind::Patterns).

use kernels::collection::{MemberSource, MemberSplit, PatternLabel, SideSources};
use kernels::found::Hit;
use kernels::job::{JobOptions, Task};
use kernels::{cbor_enum, cbor_struct};

use super::collection::SourceInfo;

/// Maximum number of hits of all patterns that a browser finds.
pub const MAX_HITS: u64 = 200_000;

/// Number of lines of the text around a place.
pub const CONTEXT_LINES: usize = 8;

/// Number of symbols of a line of the text around a place.
pub const LINE_SYMBOLS: usize = 60;

/// Maximum number of columns of the alignment of a place that are sent.
pub const MAX_COLUMNS: usize = 2_000;

/// The request to search for patterns in texts.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternRequest {
    /// Exact or approximate search.
    pub task: Task,
    /// Options of the task.
    pub options: JobOptions,
    /// Rule by which the source of the patterns is divided.
    pub pattern_split: MemberSplit,
    /// Rule by which the sources of the texts are divided.
    pub split: MemberSplit,
    /// Names and limits of all patterns, or empty.
    pub labels: Vec<PatternNote>,
    /// Maximum number of cells to compute.
    pub max_cells: u64,
    /// The source of the patterns.
    pub patterns: SourceInfo,
    /// The sources of the texts, whose bytes follow those of the patterns.
    pub texts: Vec<SourceInfo>,
}

cbor_struct!(PatternRequest { task, options, pattern_split, split, labels, max_cells, patterns, texts });

/// The name and the limit of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternNote {
    /// Name, or `None` for the one that is read.
    pub name: Option<String>,
    /// Maximum number of edits, or `None` for that of the options.
    pub max_distance: Option<u64>,
}

cbor_struct!(PatternNote { name, max_distance });

impl From<&PatternNote> for PatternLabel {
    fn from(note: &PatternNote) -> Self {
        Self { name: note.name.clone(), max_distance: note.max_distance }
    }
}

/// A request about many patterns.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(target_family = "wasm"), expect(clippy::large_enum_variant, reason = "one message is alive at a time"))]
pub enum PatternAsk {
    /// Searches for all patterns.
    Search(PatternRequest),
    /// Returns the place of a hit of the last answer.
    Place {
        /// Number of the pattern.
        pattern: u64,
        /// Number of the hit of this pattern. The nearest part of a pattern without hits has the number 0.
        hit: u64,
    },
    /// Writes the last answer as a file in the format with this name.
    Export {
        /// Name of a [`CollectionFormat`](crate::collection::CollectionFormat).
        format: String,
    },
}

cbor_enum!(PatternAsk { 0 Search(request), 1 Place { pattern, hit }, 2 Export { format } });

impl PatternRequest {
    /// Cuts `bytes`, those of the patterns and of all texts, into both sides. Returns `None` if their lengths do not add up.
    pub fn sides_of(&self, bytes: &[u8]) -> Option<(SideSources, SideSources)> {
        let mut rest = bytes;
        let mut cut = |info: &SourceInfo| {
            let (own, after) = rest.split_at_checked(usize::try_from(info.bytes).ok()?)?;
            rest = after;
            Some(MemberSource { name: info.name.clone(), bytes: own.into() })
        };
        let patterns = vec![cut(&self.patterns)?];
        let texts = self.texts.iter().map(cut).collect::<Option<Vec<_>>>()?;
        let sides = (SideSources { sources: patterns, split: self.pattern_split }, SideSources { sources: texts, split: self.split });
        rest.is_empty().then_some(sides)
    }
}

/// A pattern with its hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternInfo {
    /// Name, or empty.
    pub name: String,
    /// First letters of the pattern.
    pub letters: String,
    /// Number of symbols.
    pub symbols: u64,
    /// Maximum number of edits, or `None` if only the places with the fewest edits are hits.
    pub limit: Option<u64>,
    /// Hits, in the order of the texts.
    pub hits: Vec<Hit>,
    /// A part of the texts with the fewest edits, if there are no hits and the texts are not empty.
    pub nearest: Option<Hit>,
}

cbor_struct!(PatternInfo { name, letters, symbols, limit, hits, nearest });

/// A searched text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedText {
    /// Name of the record or file, or empty.
    pub name: String,
    /// Number of symbols.
    pub symbols: u64,
}

cbor_struct!(SearchedText { name, symbols });

/// The answer to a [`PatternRequest`].
#[derive(Clone, Debug, PartialEq)]
pub struct PatternReport {
    /// All patterns, in their order.
    pub patterns: Vec<PatternInfo>,
    /// All texts, in their order.
    pub texts: Vec<SearchedText>,
    /// Number of cells of all matrices.
    pub cells: u64,
    /// Duration of the search, in milliseconds.
    pub took_ms: f64,
}

cbor_struct!(PatternReport { patterns, texts, cells, took_ms });

/// A column of the alignment of a pattern to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceColumn {
    /// Symbol of the pattern, or empty for an insertion.
    pub pattern: String,
    /// Letter of the edit in CIGAR strings: `=`, `X`, `I` or `D`.
    pub edit: String,
    /// Symbol of the text, or empty for a deletion.
    pub text: String,
}

cbor_struct!(PlaceColumn { pattern, edit, text });

/// A line of the text around a place. The place is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceLine {
    /// Position of the first symbol in its text.
    pub start: u64,
    /// Symbols before the place.
    pub before: String,
    /// Symbols of the place.
    pub marked: String,
    /// Symbols after the place.
    pub after: String,
}

cbor_struct!(PlaceLine { start, before, marked, after });

/// A place of a pattern as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceReport {
    /// Columns of the alignment, at most [`MAX_COLUMNS`].
    pub columns: Vec<PlaceColumn>,
    /// Lines of the text around the place.
    pub lines: Vec<PlaceLine>,
}

cbor_struct!(PlaceReport { columns, lines });

#[cfg(test)]
mod tests {
    use kernels::cbor::{from_bytes, to_bytes};

    use super::*;

    #[test]
    fn request_and_replies_are_decoded_as_encoded() {
        let source = |name: &str, bytes| SourceInfo { name: name.into(), bytes };
        let request = PatternRequest {
            task: Task::ApproximateSearch,
            options: JobOptions::default(),
            pattern_split: MemberSplit::Lines,
            split: MemberSplit::Files,
            labels: vec![PatternNote { name: Some("x".into()), max_distance: Some(2) }, PatternNote::default()],
            max_cells: 9,
            patterns: source("p", 3),
            texts: vec![source("a", 1), source("b", 2)],
        };
        let place = PatternAsk::Place { pattern: 1, hit: 2 };
        for ask in [PatternAsk::Search(request.clone()), place, PatternAsk::Export { format: "bed".into() }] {
            assert_eq!(from_bytes(&to_bytes(&ask)), Some(ask));
        }
        let (patterns, texts) = request.sides_of(b"a\nbxyz").unwrap();
        assert_eq!((&patterns.sources[0].bytes[..], patterns.split), (&b"a\nb"[..], MemberSplit::Lines));
        assert_eq!(texts.sources.iter().map(|source| &source.bytes[..]).collect::<Vec<_>>(), [&b"x"[..], b"yz"]);
        assert!(request.sides_of(b"a\nbxy").is_none() && request.sides_of(b"a\nbwxyz").is_none());
        let hit = Hit::new(1, 3, 1);
        let report = PatternReport {
            patterns: vec![PatternInfo {
                name: "x".into(),
                letters: "ab".into(),
                symbols: 2,
                limit: None,
                hits: vec![hit],
                nearest: Some(hit),
            }],
            texts: vec![SearchedText { name: "t".into(), symbols: 7 }],
            cells: 14,
            took_ms: 0.5,
        };
        assert_eq!(from_bytes(&to_bytes(&report)), Some(report));
        let column = PlaceColumn { pattern: "a".into(), edit: "X".into(), text: "b".into() };
        let line = PlaceLine { start: 4, before: "a".into(), marked: "b".into(), after: "c".into() };
        let place = PlaceReport { columns: vec![column], lines: vec![line] };
        assert_eq!(from_bytes(&to_bytes(&place)), Some(place));
    }
}
