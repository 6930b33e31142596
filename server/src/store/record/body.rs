//! JSON form of the rows of jobs and links, with a version.
//!
//! Processes of two versions may use the same rows during an upgrade. A version that adds a member keeps the number:
//! older versions ignore the member, and older rows lack it. A version that changes the meaning of a member raises the
//! number and still reads the previous one. A process leaves a row with a higher number than its own to newer
//! processes.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Format version of rows without a collection. Older rows without a version count as version 1.
pub const PAIR_VERSION: u32 = 1;

/// Format version of rows with a collection, which older programs would read as a pair of texts.
pub const COLLECTION_VERSION: u32 = 2;

/// Highest format version that this program reads.
pub const VERSION: u32 = COLLECTION_VERSION;

/// The reasons why a row cannot be read.
#[derive(Debug)]
pub enum RowError {
    /// A newer program wrote the row. The field is the format version of the row.
    Newer(u32),
    /// The row is broken, or of a version that no program writes any more. The field is the parser's error.
    Broken(serde_json::Error),
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer(version) => write!(f, "it has form {version}, and this version knows forms up to {VERSION}"),
            // The error text of serde may quote the content of the row.
            Self::Broken(cause) => write!(f, "{:?} error at byte {}", cause.classify(), cause.column()),
        }
    }
}

impl std::error::Error for RowError {}

impl From<serde_json::Error> for RowError {
    fn from(cause: serde_json::Error) -> Self {
        Self::Broken(cause)
    }
}

/// The version member, the only one that rows of all versions have in common.
#[derive(Deserialize)]
struct RowVersion {
    #[serde(default = "first")]
    version: u32,
}

fn first() -> u32 {
    1
}

#[derive(Serialize)]
struct VersionedRow<'a, T> {
    version: u32,
    #[serde(flatten)]
    of: &'a T,
}

/// Serializes `of` as the JSON of a row without a collection.
///
/// # Errors
/// Returns an error if `of` cannot be written as JSON.
pub fn to_json<T: Serialize>(of: &T) -> serde_json::Result<String> {
    to_json_of_version(PAIR_VERSION, of)
}

/// Serializes `of` as the JSON of a row with the format version `version`.
///
/// # Errors
/// Returns an error if `of` cannot be written as JSON.
pub fn to_json_of_version<T: Serialize>(version: u32, of: &T) -> serde_json::Result<String> {
    serde_json::to_string(&VersionedRow { version, of })
}

/// Parses the JSON of a row. Unknown members are ignored.
///
/// # Errors
/// Returns [`RowError::Newer`] if the row has a version above [`VERSION`], and [`RowError::Broken`] if it cannot be parsed.
pub fn read<T: DeserializeOwned>(row: &str) -> Result<T, RowError> {
    let RowVersion { version } = serde_json::from_str(row)?;
    if version > VERSION {
        return Err(RowError::Newer(version));
    }
    Ok(serde_json::from_str(row)?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Body {
        word: String,
    }

    #[test]
    fn rows_have_a_version() {
        let body = Body { word: "kitten".into() };
        let row = to_json(&body).unwrap();
        assert_eq!(row, json!({ "version": PAIR_VERSION, "word": "kitten" }).to_string());
        assert_eq!(read::<Body>(&row).unwrap(), body);
        let of_before = json!({ "word": "kitten" }).to_string();
        assert_eq!(read::<Body>(&of_before).unwrap(), body);
    }

    #[test]
    fn rows_of_a_newer_version_are_distinguished_from_damaged_ones() {
        let newer = json!({ "version": VERSION + 1, "words": ["kitten"] }).to_string();
        assert!(matches!(read::<Body>(&newer), Err(RowError::Newer(version)) if version == VERSION + 1));
        for broken in ["", "{}", r#"{"version":"one","word":"kitten"}"#, r#"{"version":1}"#, r#"{"word":"kit"#] {
            let unread = read::<Body>(broken).unwrap_err();
            assert!(matches!(unread, RowError::Broken(_)), "{broken}");
            assert!(!unread.to_string().contains("kit"), "{unread}");
        }
    }
}
