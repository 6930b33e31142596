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

/// Name of the limit [`MAX_TEXTS`] in a failure.
pub const TEXTS: &str = "The number of texts";

/// A text or file of a collection. Its bytes follow those of the texts before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInfo {
    /// Name of the file, or of the text in errors.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
}

cbor_struct!(SourceInfo { name, bytes });

/// The request to compare each text of a collection with every other.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionRequest {
    /// The task that compares two texts: edit distance or longest common subsequence.
    pub task: Task,
    /// Options of the task.
    pub options: JobOptions,
    /// Rule by which the sources are divided into texts.
    pub split: MemberSplit,
    /// Maximum number of cells to compute.
    pub max_cells: u64,
    /// Texts or files, in the order of their bytes.
    pub sources: Vec<SourceInfo>,
}

cbor_struct!(CollectionRequest { task, options, split, max_cells, sources });

/// A request about a collection.
#[derive(Clone, Debug, PartialEq)]
pub enum CollectionAsk {
    /// Compares each text with every other.
    Compare(CollectionRequest),
    /// Writes the last answer as a file in the format with this name.
    Export {
        /// Name of a [`CollectionFormat`].
        format: String,
    },
}

cbor_enum!(CollectionAsk { 0 Compare(request), 1 Export { format } });

impl CollectionAsk {
    /// Creates the request for a file in `format`.
    pub fn export(format: CollectionFormat) -> Self {
        Self::Export { format: format.name().into() }
    }
}

impl CollectionRequest {
    /// Cuts `bytes`, those of all sources, into the sources. Returns `None` if their lengths do not add up.
    pub fn sources_of(&self, bytes: &[u8]) -> Option<SideSources> {
        let mut rest = bytes;
        let mut sources = Vec::with_capacity(self.sources.len());
        for SourceInfo { name, bytes } in &self.sources {
            let (own, after) = rest.split_at_checked(usize::try_from(*bytes).ok()?)?;
            sources.push(MemberSource { name: name.clone(), bytes: own.into() });
            rest = after;
        }
        rest.is_empty().then_some(SideSources { sources, split: self.split })
    }
}

/// A text of a collection, as the solver has read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberInfo {
    /// Name of the file, first word of the record's header, or first characters of the line.
    pub name: String,
    /// Number of symbols.
    pub symbols: u64,
    /// Number among the distinct texts. Texts with equal symbols share one.
    pub text: u32,
    /// Number of the source that has the text.
    pub source: u32,
    /// Position of the first byte of the text in its source, after decoding to UTF-8.
    pub start: u64,
    /// Position after the last byte of the text in its source, after decoding to UTF-8.
    pub end: u64,
}

cbor_struct!(MemberInfo { name, symbols, text, source, start, end });

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
    /// All texts, in their order.
    pub members: Vec<MemberInfo>,
    /// Number of distinct texts.
    pub distinct: u64,
    /// Number of computed cells.
    pub cells: u64,
    /// Duration of the comparison, in milliseconds.
    pub took_ms: f64,
    /// Order by similarity.
    pub by_similarity: LinkedOrder,
    /// Order by edits, whose nearness is the negative number of edits. `None` for other tasks than edit distance.
    pub by_edits: Option<LinkedOrder>,
}

cbor_struct!(CollectionReport { members, distinct, cells, took_ms, by_similarity, by_edits });

impl CollectionReport {
    /// Encodes the report and `scores`, the scores of all distinct texts (rows) with all distinct texts, row by row.
    pub fn encode(&self, scores: &[i32]) -> Vec<u8> {
        let mut out = to_bytes(self);
        out.reserve(4 * scores.len());
        scores.iter().for_each(|score| out.extend_from_slice(&score.to_le_bytes()));
        out
    }

    /// Decodes a report and the scores, 4 bytes each and little-endian. Returns `None` if `bytes` are malformed.
    pub fn decode(mut bytes: &[u8]) -> Option<(Self, &[u8])> {
        let report = Self::read(&mut bytes)?;
        let scores = usize::try_from(report.distinct).ok()?.checked_pow(2)?.checked_mul(4)?;
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
            split: MemberSplit::Lines,
            max_cells: MAX_UNASKED_CELLS,
            sources: vec![source("a", 2), source("b", 0), source("c", 1)],
        };
        for ask in [CollectionAsk::Compare(request.clone()), CollectionAsk::export(CollectionFormat::Newick)] {
            assert_eq!(from_bytes(&to_bytes(&ask)), Some(ask));
        }
        let cut = request.sources_of(b"xyz").unwrap();
        assert_eq!(cut.sources.iter().map(|source| &source.bytes[..]).collect::<Vec<_>>(), [&b"xy"[..], b"", b"z"]);
        assert!(request.sources_of(b"xy").is_none() && request.sources_of(b"wxyz").is_none());
        let member = MemberInfo { name: "ä".into(), symbols: 2, text: 0, source: 0, start: 0, end: 2 };
        let order = LinkedOrder { order: vec![1, 0], links: vec![0.5] };
        let report = CollectionReport {
            members: vec![member.clone(), MemberInfo { text: 1, ..member }],
            distinct: 2,
            cells: 4,
            took_ms: 0.25,
            by_similarity: order.clone(),
            by_edits: Some(order),
        };
        let bytes = report.encode(&[0, 1, -1, i32::MAX]);
        let (decoded, scores) = CollectionReport::decode(&bytes).unwrap();
        assert_eq!((decoded, scores.len(), &scores[8..12]), (report, 16, &[255; 4][..]));
        assert!(CollectionReport::decode(&bytes[..bytes.len() - 1]).is_none());
    }
}
