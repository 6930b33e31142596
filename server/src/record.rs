//! Record: one result with everything it needs, whether a job holds it or a link. Texts, alignments and
//! what was found are files named by their content, so a link costs no copy.

use kernels::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

use crate::store::blobs::Hash;

/// A job's request and, when it is done, its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// What everybody may see.
    pub snapshot: Snapshot,
    /// File of the first text.
    pub a: Hash,
    /// File of the second text.
    pub b: Hash,
    /// File of the alignment, as a CIGAR.
    pub alignment: Option<Hash>,
    /// File of what a search has found.
    #[serde(default)]
    pub found: Option<Hash>,
}

impl Record {
    /// The files that must stay while this record does.
    pub fn files(&self) -> impl Iterator<Item = Hash> {
        [self.a, self.b].into_iter().chain(self.alignment).chain(self.found)
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::{Options, Task};
    use kernels::snapshot::TextInfo;
    use serde_json::json;

    use super::*;

    #[test]
    fn records_from_before_searches_are_read() {
        let snapshot = Snapshot::new("1".into(), Task::EditDistance, Options::default(), TextInfo::default(), TextInfo::default());
        let [a, b, alignment] = [b"a", b"b", b"c"].map(|bytes| Hash::of(bytes));
        let old = json!({ "snapshot": snapshot, "a": a, "b": b, "alignment": alignment });
        let record: Record = serde_json::from_value(old).unwrap();
        assert_eq!(record.files().collect::<Vec<_>>(), [a, b, alignment]);
        let found = Hash::of(b"d");
        assert_eq!(Record { found: Some(found), ..record }.files().last(), Some(found));
    }
}
