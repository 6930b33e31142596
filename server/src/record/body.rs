//! What the row of a job or of a link says, as JSON with the version of its form.
//!
//! Processes of two versions may use the same rows while a site is upgraded. A version that adds a member keeps the number: those before pass the member
//! over, and rows from before lack it. One that changes what a member means raises the number, and reads the rows of the number before; a process that finds
//! a higher number than its own leaves the row to those who know it.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of the rows that this program writes. Rows from before versions were said have none, and are as those of the first.
pub const VERSION: u32 = 1;

/// Why a row is not read.
#[derive(Debug)]
pub enum Unread {
    /// A program that is newer than this one wrote it, in a form of this version.
    Newer(u32),
    /// It is broken, or of a version that no program writes any more.
    Broken(serde_json::Error),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer(version) => write!(f, "it has form {version}, and this version knows forms up to {VERSION}"),
            // What serde says may repeat what stands there.
            Self::Broken(cause) => write!(f, "{:?} error at byte {}", cause.classify(), cause.column()),
        }
    }
}

impl std::error::Error for Unread {}

impl From<serde_json::Error> for Unread {
    fn from(cause: serde_json::Error) -> Self {
        Self::Broken(cause)
    }
}

/// The version of any row.
#[derive(Deserialize)]
struct Head {
    #[serde(default = "first")]
    version: u32,
}

fn first() -> u32 {
    1
}

/// A row, to be written.
#[derive(Serialize)]
struct Row<'a, T> {
    version: u32,
    #[serde(flatten)]
    of: &'a T,
}

/// A row that says this.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn written<T: Serialize>(of: &T) -> serde_json::Result<String> {
    serde_json::to_string(&Row { version: VERSION, of })
}

/// What a row says. Members that this version does not know are passed over.
///
/// # Errors
/// `Newer` when it has a higher version than this program writes; `Broken` when it cannot be read.
pub fn read<T: DeserializeOwned>(row: &str) -> Result<T, Unread> {
    let Head { version } = serde_json::from_str(row)?;
    if version > VERSION {
        return Err(Unread::Newer(version));
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
        let row = written(&body).unwrap();
        assert_eq!(row, json!({ "version": VERSION, "word": "kitten" }).to_string());
        assert_eq!(read::<Body>(&row).unwrap(), body);
        let of_before = json!({ "word": "kitten" }).to_string();
        assert_eq!(read::<Body>(&of_before).unwrap(), body);
    }

    #[test]
    fn rows_of_a_higher_version_are_told_from_broken_ones() {
        let newer = json!({ "version": VERSION + 1, "words": ["kitten"] }).to_string();
        assert!(matches!(read::<Body>(&newer), Err(Unread::Newer(version)) if version == VERSION + 1));
        for broken in ["", "{}", r#"{"version":"one","word":"kitten"}"#, r#"{"version":1}"#, r#"{"word":"kit"#] {
            let unread = read::<Body>(broken).unwrap_err();
            assert!(matches!(unread, Unread::Broken(_)), "{broken}");
            assert!(!unread.to_string().contains("kit"), "{unread}");
        }
    }
}
