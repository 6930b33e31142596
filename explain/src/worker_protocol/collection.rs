//! Requests about a collection, and the reply to the comparison of all its texts.
//!
//! Both are bytes beside their messages, so that only the parts of page and worker that handle collections have code for
//! them.

use kernels::cbor::{Cbor as _, to_bytes};
use kernels::collection::{MemberSource, MemberSplit, SideSources};
use kernels::job::{JobOptions, Task};
use kernels::{cbor_enum, cbor_struct};

use crate::collection::CollectionFormat;

/// Maximum number of texts of a collection whose scores are all computed in a browser.
pub const MAX_TEXTS: u64 = 5_000;

/// Maximum number of cells that a browser computes without being asked.
pub const MAX_UNASKED_CELLS: u64 = 10_000_000_000;

/// Maximum number of cells that a browser computes if it is asked.
pub const MAX_ASKED_CELLS: u64 = 1_000_000_000_000;

/// Maximum number of pairs of two collections whose scores are all computed in a browser.
pub const MAX_PAIRS: u64 = MAX_TEXTS * MAX_TEXTS;

/// Name of the limit [`MAX_TEXTS`] in a failure.
pub const TEXTS: &str = "The number of texts";

/// Name of the limit [`MAX_PAIRS`] in a failure.
pub const PAIRS: &str = "The number of pairs of texts";

/// A text or file of a collection. Its bytes follow those of the texts before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInfo {
    /// Name of the file, or of the text in errors.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
}

cbor_struct!(SourceInfo { name, bytes });

/// The texts of one side of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideInfo {
    /// Rule by which the sources are divided into texts.
    pub split: MemberSplit,
    /// Texts or files, in the order of their bytes.
    pub sources: Vec<SourceInfo>,
}

cbor_struct!(SideInfo { split, sources });

/// The request to compare each text of a collection with every other, or with each text of a second collection.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionRequest {
    /// The task that compares two texts: edit distance, longest common subsequence or sequence alignment.
    pub task: Task,
    /// Options of the task.
    pub options: JobOptions,
    /// Maximum number of cells to compute.
    pub max_cells: u64,
    /// The first collection.
    pub a: SideInfo,
    /// The second collection. `None` if all pairs of the first one are compared.
    pub b: Option<SideInfo>,
    /// Texts whose lines and words do not count.
    pub template: Vec<SourceInfo>,
}

cbor_struct!(CollectionRequest { task, options, max_cells, a, b, template });

/// The texts of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestTexts {
    /// The first collection.
    pub a: SideSources,
    /// The second collection.
    pub b: Option<SideSources>,
    /// Texts whose lines and words do not count.
    pub template: Vec<MemberSource>,
}

/// A request about a collection.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    not(target_family = "wasm"),
    expect(clippy::large_enum_variant, reason = "a request exists once at a time, and only until it is encoded or handled")
)]
pub enum CollectionAsk {
    /// Compares each text with every other.
    Compare(CollectionRequest),
    /// Writes the last answer as a file in the format with this name.
    Export {
        /// Name of a [`CollectionFormat`].
        format: String,
        /// Whether the file has the names of texts, in place of their numbers.
        has_names: bool,
    },
}

cbor_enum!(CollectionAsk { 0 Compare(request), 1 Export { format, has_names } });

impl CollectionAsk {
    /// Creates the request for a file in `format`, with the names of texts or with their numbers.
    pub fn export(format: CollectionFormat, has_names: bool) -> Self {
        Self::Export { format: format.name().into(), has_names }
    }
}

impl CollectionRequest {
    /// Cuts `bytes`, those of all sources of `a`, then of `b`, then of the template, into the sources. Returns `None` if
    /// their lengths do not add up.
    pub fn texts_of(&self, bytes: &[u8]) -> Option<RequestTexts> {
        let mut rest = bytes;
        let a = self.a.cut(&mut rest)?;
        let b = match &self.b {
            Some(b) => Some(b.cut(&mut rest)?),
            None => None,
        };
        let template = cut(&self.template, &mut rest)?;
        rest.is_empty().then_some(RequestTexts { a, b, template })
    }
}

impl SideInfo {
    fn cut(&self, rest: &mut &[u8]) -> Option<SideSources> {
        Some(SideSources { sources: cut(&self.sources, rest)?, split: self.split })
    }
}

/// Cuts the sources off the beginning of `rest`. Returns `None` if it is too short.
fn cut(infos: &[SourceInfo], rest: &mut &[u8]) -> Option<Vec<MemberSource>> {
    let mut sources = Vec::with_capacity(infos.len());
    for SourceInfo { name, bytes } in infos {
        let (own, after) = rest.split_at_checked(usize::try_from(*bytes).ok()?)?;
        sources.push(MemberSource { name: name.clone(), bytes: own.into() });
        *rest = after;
    }
    Some(sources)
}

/// A text of a collection, as the solver has read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberInfo {
    /// Name of the file, first word of the record's header, or first characters of the line.
    pub name: String,
    /// Number of symbols that count.
    pub symbols: u64,
    /// Number of symbols that do not count, because they stem from the template.
    pub left_out: u64,
    /// Number among the distinct texts of its side. Texts with equal symbols share one.
    pub text: u32,
    /// Number of the source that has the text, among those of its side.
    pub source: u32,
    /// Position of the first byte of the text in its source, after decoding to UTF-8.
    pub start: u64,
    /// Position after the last byte of the text in its source, after decoding to UTF-8.
    pub end: u64,
}

cbor_struct!(MemberInfo { name, symbols, left_out, text, source, start, end });

/// A tree of texts by single linkage, as the order of its leaves: a text joins the texts before it by the link between
/// them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkedOrder {
    /// Numbers of all texts, with near texts beside each other.
    pub order: Vec<u32>,
    /// For each text of `order` but the last: nearness at which the tree joins it with the next one. Texts between which
    /// all links have at least some nearness are connected by pairs with at least this nearness.
    pub links: Vec<f64>,
}

cbor_struct!(LinkedOrder { order, links });

/// The answer to a [`CollectionRequest`].
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionReport {
    /// All texts, in their order. Those of the second collection follow those of the first one.
    pub members: Vec<MemberInfo>,
    /// Number of texts of the first collection, if there are two.
    pub first: Option<u64>,
    /// Numbers of distinct texts: of the rows and of the columns of the scores. They are equal for one collection.
    pub distinct: [u64; 2],
    /// Number of computed cells.
    pub cells: u64,
    /// Duration of the comparison, in milliseconds.
    pub took_ms: f64,
    /// For each distinct text of the columns, if there are two collections: number of the row with the same symbols, if any.
    pub twins: Vec<Option<u32>>,
    /// Order by similarity, or by points, which are its nearness. Empty for two collections, which have no tree.
    pub by_similarity: LinkedOrder,
    /// Order by edits, whose nearness is the negative number of edits. `None` for other tasks than edit distance, and for two
    /// collections.
    pub by_edits: Option<LinkedOrder>,
}

cbor_struct!(CollectionReport { members, first, distinct, cells, took_ms, twins, by_similarity, by_edits });

impl CollectionReport {
    /// Encodes the report and `scores`, the scores of the distinct texts of the rows with those of the columns, row by row.
    pub fn encode(&self, scores: &[i32]) -> Vec<u8> {
        let mut out = to_bytes(self);
        out.reserve(4 * scores.len());
        scores.iter().for_each(|score| out.extend_from_slice(&score.to_le_bytes()));
        out
    }

    /// Decodes a report and the scores, 4 bytes each and little-endian. Returns `None` if `bytes` are malformed.
    pub fn decode(mut bytes: &[u8]) -> Option<(Self, &[u8])> {
        let report = Self::read(&mut bytes)?;
        let [rows, columns] = report.distinct;
        let scores = usize::try_from(rows.checked_mul(columns)?).ok()?.checked_mul(4)?;
        (bytes.len() == scores).then_some((report, bytes))
    }
}

#[cfg(test)]
mod tests {
    use kernels::cbor::from_bytes;

    use super::*;

    #[test]
    fn request_and_report_are_decoded_as_encoded() {
        let source = |name: &str, bytes| SourceInfo { name: name.into(), bytes };
        let request = CollectionRequest {
            task: Task::Lcs,
            options: JobOptions::default(),
            max_cells: MAX_UNASKED_CELLS,
            a: SideInfo { split: MemberSplit::Lines, sources: vec![source("a", 2), source("b", 0)] },
            b: Some(SideInfo { split: MemberSplit::Files, sources: vec![source("c", 1)] }),
            template: vec![source("t", 2)],
        };
        for ask in [CollectionAsk::Compare(request.clone()), CollectionAsk::export(CollectionFormat::Newick, true)] {
            assert_eq!(from_bytes(&to_bytes(&ask)), Some(ask));
        }
        let texts = request.texts_of(b"xyztt").unwrap();
        let bytes = |sources: &[MemberSource]| sources.iter().map(|source| source.bytes.to_vec()).collect::<Vec<_>>();
        assert_eq!((bytes(&texts.a.sources), bytes(&texts.template)), (vec![b"xy".to_vec(), Vec::new()], vec![b"tt".to_vec()]));
        assert_eq!(bytes(&texts.b.unwrap().sources), [b"z".to_vec()]);
        assert!(request.texts_of(b"xyzt").is_none() && request.texts_of(b"wxyztt").is_none());
        let member = MemberInfo { name: "ä".into(), symbols: 2, left_out: 1, text: 0, source: 0, start: 0, end: 2 };
        let order = LinkedOrder { order: vec![1, 0], links: vec![0.5] };
        let report = CollectionReport {
            members: vec![member.clone(), MemberInfo { text: 1, ..member }],
            first: None,
            distinct: [2, 2],
            cells: 4,
            took_ms: 0.25,
            twins: vec![None, Some(1)],
            by_similarity: order.clone(),
            by_edits: Some(order),
        };
        let bytes = report.encode(&[0, 1, -1, i32::MAX]);
        let (decoded, scores) = CollectionReport::decode(&bytes).unwrap();
        assert_eq!((decoded, scores.len(), &scores[8..12]), (report, 16, &[255; 4][..]));
        assert!(CollectionReport::decode(&bytes[..bytes.len() - 1]).is_none());
    }
}
