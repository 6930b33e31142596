//! Found: where a search has found something, in little memory however much it is. Pages of hits are made of it on demand.
//!
//! - [`positions`]: ascending positions, as lists and bit sets
//! - [`profile`]: a score at every offset, down-sampled

use serde::{Deserialize, Serialize};

use crate::cbor_struct;
use crate::strand::Strand;

pub(crate) use positions::{CHUNK, CHUNK_WORDS, Chunk};
pub use positions::{Positions, PositionsBuilder};
pub(crate) use profile::in_spans;
pub use profile::{Profile, Span};

mod positions;
mod profile;

/// A place where `a` is found: `b[start..end]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hit {
    /// Its first symbol in `b`.
    pub start: u64,
    /// The end, not included.
    pub end: u64,
    /// Edits between `a` and it; unequal symbols in `match-count`; 0 in `exact-search`.
    pub distance: u64,
    /// The record that it lies in, where `b` has several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub record: Option<InRecord>,
    /// The strand of `b` that `a` lies on, where both are searched. On the other one it is the reverse complement of `a` that lies here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strand: Option<Strand>,
}

cbor_struct!(Hit { start, end, distance, record, strand });

/// A place in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InRecord {
    /// The record's number in its file, from 0.
    pub number: u64,
    /// Its first symbol in the record.
    pub start: u64,
    /// The end, not included.
    pub end: u64,
}

cbor_struct!(InRecord { number, start, end });

impl Hit {
    /// A hit without a record, of a search on one strand.
    pub const fn new(start: u64, end: u64, distance: u64) -> Self {
        Self { start, end, distance, record: None, strand: None }
    }
}

/// What a run of a search has found. The task makes pages of hits of it: [`Search::hits`](crate::task::Search::hits).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Where: ends of `approximate-search`, else starts. Of a search on both strands [`Strand::at`] of them.
    pub positions: Positions,
    /// The score vector of `match-count`, down-sampled.
    #[serde(default)]
    pub profile: Option<Profile>,
}
