//! Found: the results of a search in compact form ([`SearchResult`]), and one of its hits ([`Hit`]). Pages of hits are
//! computed from the compact form on demand.
//!
//! - [`positions`]: ascending positions, as lists and bit sets
//! - [`profile`]: a down-sampled score for every offset

use serde::{Deserialize, Serialize};

use crate::cbor_struct;
use crate::strand::Strand;

pub(crate) use positions::{CHUNK, CHUNK_WORDS, PositionChunk};
pub use positions::{PositionSet, PositionSetBuilder};
pub(crate) use profile::in_spans;
pub use profile::{ScoreProfile, ScoreSpan};

mod positions;
mod profile;

/// An occurrence of `a` in `b`, at `b[start..end]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hit {
    /// Position of the first symbol in `b`.
    pub start: u64,
    /// Position after the last symbol in `b`.
    pub end: u64,
    /// Edits between `a` and the occurrence. For `match-count`, the number of unequal symbols. For `exact-search`, 0.
    pub distance: u64,
    /// Record that contains the occurrence, if `b` has several records.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub record: Option<RecordRange>,
    /// Strand of `b` that `a` occurs on, if both strands were searched. On the reverse strand, the occurrence is one of
    /// the reverse complement of `a`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strand: Option<Strand>,
}

cbor_struct!(Hit { start, end, distance, record, strand });

/// A range of symbols within one record of a file, such as the symbols of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = InRecord))]
pub struct RecordRange {
    /// Number of the record in its file, from 0.
    pub number: u64,
    /// Position of the first symbol of the range, counted from the start of the record.
    pub start: u64,
    /// Position after the last symbol of the range, counted from the start of the record.
    pub end: u64,
}

cbor_struct!(RecordRange { number, start, end });

impl Hit {
    /// Creates a hit at `b[start..end]` with the distance `distance`, without a record or a strand.
    pub const fn new(start: u64, end: u64, distance: u64) -> Self {
        Self { start, end, distance, record: None, strand: None }
    }
}

/// The positions that a search found. The task computes pages of hits from them:
/// [`SearchTask::hits`](crate::task::SearchTask::hits).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResult {
    /// Positions of the hits in `b`: ends for `approximate-search`, otherwise starts. After a search on both strands,
    /// each value also contains the strand ([`Strand::encode_position`]).
    pub positions: PositionSet,
    /// The scores of `match-count` at all offsets of `a` in `b`, summarized for a plot.
    #[serde(default)]
    pub profile: Option<ScoreProfile>,
}

cbor_struct!(SearchResult { positions, profile });
