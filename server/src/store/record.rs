//! Record: the stored form of a job with everything that its result needs ([`StoredResult`]). A job or a link holds it.
//! Texts, alignments and found positions are files named by their content, so a link costs no copy.
//!
//! - [`body`]: JSON form of rows, with versions
//! - [`collection`]: the question about a collection, and the parts of its answer
//! - [`units`]: locations of the units of a text

use explain::snapshot::JobSnapshot;
use explain::wire::DisplayNames;
use kernels::job::{PairRecordChoices, ReadingOptions};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::storage::ports::files::ContentHash;

use self::body::RowError;
use self::collection::StoredCollection;
use self::units::UnitPositions;

pub mod body;
pub mod collection;
pub mod units;

/// The files of a pair of texts, and how they are read: the cache key of the parsed pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PairKey {
    /// Hash of the file with the first text.
    pub a: ContentHash,
    /// Hash of the file with the second text.
    pub b: ContentHash,
    /// Options for reading both texts.
    pub reading: ReadingOptions,
    /// Selected record of each text, if the text is a file of records.
    pub choices: PairRecordChoices,
}

#[derive(Clone, Debug)]
pub enum LinkContent {
    /// A result in plain form, which the server can read.
    Result(Box<StoredResult>),
    /// Encrypted bytes of a private link, which only a browser with the key can read.
    Sealed {
        sealed: ContentHash,
        /// Number of encrypted bytes; unknown for older links.
        bytes: Option<u64>,
    },
}

/// The shared result of a link that exists and has not expired.
#[derive(Debug)]
pub struct SharedLink {
    pub record: StoredResult,
    /// Time of creation, in seconds since 1970.
    pub created_at: u64,
    /// Time of expiry in seconds since 1970, or `None` if the link stays until it is deleted.
    pub expires_at: Option<u64>,
}

/// The JSON body of the row of a link to encrypted bytes: the hash of their file, and their number.
#[derive(Serialize, Deserialize)]
struct SealedRow {
    sealed: ContentHash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// The member by which the row of a link to encrypted bytes is recognized.
#[derive(Deserialize)]
struct SealedMember {
    sealed: Option<IgnoredAny>,
}

impl LinkContent {
    /// Serializes the content of the link as the JSON of its row.
    ///
    /// # Errors
    /// Returns an error if the content cannot be written as JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        match self {
            Self::Result(record) => body::to_json(record),
            Self::Sealed { sealed, bytes } => body::to_json(&SealedRow { sealed: *sealed, bytes: *bytes }),
        }
    }

    /// Parses the JSON of a link's row. Unknown members are ignored.
    ///
    /// # Errors
    /// Returns an error if the row is broken, or if another version of the server wrote it in an unknown format.
    pub fn read(row: &str) -> Result<Self, RowError> {
        let SealedMember { sealed } = body::read(row)?;
        match sealed {
            Some(_) => body::read(row).map(|SealedRow { sealed, bytes }| Self::Sealed { sealed, bytes }),
            None => body::read(row).map(|record| Self::Result(Box::new(record))),
        }
    }

    /// Returns the number of encrypted bytes, or, for a plain result, the size of both texts in bytes. `None` if
    /// unknown.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Result(record) => Some(record.texts_with_bytes().iter().map(|(_, bytes)| bytes).sum()),
            Self::Sealed { bytes, .. } => *bytes,
        }
    }
}

/// The stored form of a job: its request and, when the job has ended, its result. A link has a copy of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredResult {
    /// Public part of the record, which clients can query.
    pub snapshot: JobSnapshot,
    /// Hash of the file with the first text.
    pub a: ContentHash,
    /// Hash of the file with the second text.
    pub b: ContentHash,
    /// Hash of the file with the alignment and its index. In older records, the file is a CIGAR.
    pub alignment: Option<ContentHash>,
    /// Hash of the file with the positions that a search found, if they were stored.
    #[serde(default)]
    pub found: Option<ContentHash>,
    /// Positions of the units of both texts, if the texts are large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<[UnitPositions; 2]>,
    /// Names of the texts, given by the user who shared the result.
    #[serde(default)]
    pub names: DisplayNames,
    /// View of the result that a class code opens, as the fragment of an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// Time at which the job was accepted, in seconds since 1970, or `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<u64>,
    /// Number of the last attempt whose failure does not count, because an operator retried the job after it, a
    /// worker left the job to a larger one, the job was brought forward, or its process stopped in an orderly way.
    #[serde(default, skip_serializing_if = "is_first")]
    pub given_up_at: u32,
    /// Id of the process of a cluster that accepted the job and solves it itself, so that the job has no message in the
    /// queue. The job is queued if that process is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// Question about many texts, if the job has one. The files `a` and `b` then have the texts of a side each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<Box<StoredCollection>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by a reference")]
fn is_first(attempt: &u32) -> bool {
    *attempt == 0
}

impl StoredResult {
    /// Creates the record of a job on the texts in the files `a` and `b`, without a result.
    pub fn new(snapshot: JobSnapshot, a: ContentHash, b: ContentHash) -> Self {
        Self {
            snapshot,
            a,
            b,
            alignment: None,
            found: None,
            units: None,
            names: DisplayNames::default(),
            view: None,
            taken_at: None,
            given_up_at: 0,
            process: None,
            collection: None,
        }
    }

    /// Returns the hashes of both text files with the options for reading them.
    pub fn texts(&self) -> PairKey {
        PairKey { a: self.a, b: self.b, reading: self.snapshot.options.reading(), choices: self.snapshot.choices() }
    }

    /// Returns the hashes of both text files, each with the size of the file in bytes.
    pub fn texts_with_bytes(&self) -> [(ContentHash, u64); 2] {
        [(self.a, self.snapshot.a.bytes), (self.b, self.snapshot.b.bytes)]
    }

    /// Returns the hashes of the files that must exist as long as this record does.
    pub fn files(&self) -> impl Iterator<Item = ContentHash> {
        let of_units = self.units.into_iter().flatten().flat_map(|units| units.files().collect::<Vec<_>>());
        let of_collection = self.collection.iter().flat_map(|collection| collection.files());
        [self.a, self.b].into_iter().chain(self.alignment).chain(self.found).chain(of_units).chain(of_collection)
    }
}

#[cfg(test)]
mod tests {
    use explain::snapshot::TextInfo;
    use kernels::job::{JobOptions, Task};
    use serde_json::json;

    use super::*;

    #[test]
    fn records_of_compatible_versions_are_read() {
        let snapshot = JobSnapshot::new("1".into(), Task::Lcs, JobOptions::default(), TextInfo::default(), TextInfo::default());
        let mut old =
            json!({ "snapshot": snapshot, "a": ContentHash::from_content(b"a"), "b": ContentHash::from_content(b"b"), "alignment": null });
        old["snapshot"]["options"]["speed"] = 9.into();
        let LinkContent::Result(record) = LinkContent::read(&old.to_string()).unwrap() else { panic!("{old}") };
        assert_eq!(record.snapshot.task, Task::Lcs);
        old["snapshot"]["task"] = "sort".into();
        assert!(matches!(LinkContent::read(&old.to_string()), Err(RowError::Broken(_))));
        old["version"] = (body::VERSION + 1).into();
        assert!(matches!(LinkContent::read(&old.to_string()), Err(RowError::Newer(_))));
    }

    #[test]
    fn links_to_results_and_to_sealed_bytes_are_distinguished() {
        let snapshot = JobSnapshot::new("1".into(), Task::Lcs, JobOptions::default(), TextInfo::default(), TextInfo::default());
        let [a, b, sealed] = [b"a", b"b", b"c"].map(|bytes| ContentHash::from_content(bytes));
        let result = LinkContent::Result(Box::new(StoredResult::new(snapshot, a, b))).to_json().unwrap();
        assert!(matches!(LinkContent::read(&result), Ok(LinkContent::Result(record)) if (record.a, record.b) == (a, b)));
        let row = LinkContent::Sealed { sealed, bytes: Some(7) }.to_json().unwrap();
        let said: serde_json::Value = serde_json::from_str(&row).unwrap();
        assert_eq!(said, json!({ "version": body::PAIR_VERSION, "sealed": sealed, "bytes": 7 }));
        assert!(matches!(LinkContent::read(&row), Ok(LinkContent::Sealed { sealed: read, bytes: Some(7) }) if read == sealed));
        assert!(
            matches!(LinkContent::read(&json!({ "sealed": sealed }).to_string()), Ok(LinkContent::Sealed { .. })),
            "rows without a version"
        );
    }

    #[test]
    fn records_older_than_searches_are_read() {
        let snapshot = JobSnapshot::new("1".into(), Task::EditDistance, JobOptions::default(), TextInfo::default(), TextInfo::default());
        let [a, b, alignment] = [b"a", b"b", b"c"].map(|bytes| ContentHash::from_content(bytes));
        let old = json!({ "snapshot": snapshot, "a": a, "b": b, "alignment": alignment });
        let record: StoredResult = serde_json::from_value(old).unwrap();
        assert_eq!(record.files().collect::<Vec<_>>(), [a, b, alignment]);
        let found = ContentHash::from_content(b"d");
        assert_eq!(StoredResult { found: Some(found), ..record }.files().last(), Some(found));
    }
}
