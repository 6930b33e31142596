//! Request: a question about a collection in JSON, as a client sends it.

use kernels::collection::{KeptPairs, MemberSplit};
use kernels::job::{JobOptions, Task};
use serde::{Deserialize, Serialize};

/// A request to compare the texts of one collection with each other, or with those of another one.
///
/// ```
/// use explain::collection::request::CollectionRequest;
/// use kernels::collection::KeptPairs;
///
/// let request: CollectionRequest =
///     serde_json::from_str(r#"{"task": "edit-distance", "a": {"texts": ["kitten", "sitting"]}, "keep": {"within": 2}}"#).unwrap();
/// assert_eq!(request.keep.pairs(), Ok(KeptPairs::Within(2)));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = CollectionJob))]
#[serde(deny_unknown_fields)]
pub struct CollectionRequest {
    /// Task that compares two texts: `edit-distance`, `lcs` or `sequence-alignment`. With `exact-search` or
    /// `approximate-search`, `a` has patterns and `b` has the texts to search.
    pub task: Task,
    /// Options of the task, as those of a job.
    #[serde(default, deserialize_with = "kernels::job::strict_options")]
    pub options: JobOptions,
    /// First collection. Without `b`, each text is compared with every other one.
    pub a: GivenTexts,
    /// Second collection, whose texts are compared with those of `a`.
    #[serde(default)]
    pub b: Option<GivenTexts>,
    /// Pairs of the answer. Without it, the answer has the scores of all pairs.
    #[serde(default)]
    pub keep: KeepRule,
    /// Texts whose lines, and five or more of whose words in a row, do not count, such as a starter file. The texts of `a` and
    /// `b` are then files or lines in UTF-8. If they are lines, these words are in one line.
    #[serde(default)]
    pub template: Option<GivenTemplate>,
}

/// The texts of a template: sent with the request, or uploaded before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GivenTemplate {
    /// Texts, each with or without a name.
    pub texts: Vec<GivenText>,
    /// Id of an upload, instead of `texts`.
    pub upload: Option<String>,
}

impl From<GivenTemplate> for GivenTexts {
    fn from(GivenTemplate { texts, upload }: GivenTemplate) -> Self {
        Self { texts, upload, split: MemberSplit::default() }
    }
}

/// The texts of a collection: sent with the request, or uploaded before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GivenTexts {
    /// Texts, each with or without a name.
    pub texts: Vec<GivenText>,
    /// Id of an upload, instead of `texts`.
    pub upload: Option<String>,
    /// Rule by which each text is divided: `files` (each is one member), `lines`, `records`, `blank` (at blank lines) or `plain`
    /// (each is one member, and no file of records).
    pub split: MemberSplit,
}

/// A text of a collection, in JSON a string or an object with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged, expecting = "expected a text, or an object with name and text")]
pub enum GivenText {
    /// A text without a name.
    Text(String),
    /// A text with a name.
    Named(NamedText),
}

/// A text with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NamedText {
    /// Name, such as that of a file.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The pairs that an answer keeps. At most one field is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct KeepRule {
    /// Whether the scores of all pairs are kept. This is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Largest number of edits of a kept pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
    /// Number of nearest texts that are kept for each text of `a`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<u32>,
    /// Least similarity of a kept pair, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

/// Error for a rule that does not have exactly one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("keep has one rule: all (true), within, nearest or similarity.")]
pub struct KeepRuleError;

impl KeepRule {
    /// Returns the pairs that this rule keeps.
    ///
    /// # Errors
    /// Returns an error if more than one field is set, or if `all` is `false`.
    pub fn pairs(self) -> Result<KeptPairs, KeepRuleError> {
        let all = self.all.map(|_| KeptPairs::All);
        let rules =
            [all, self.within.map(KeptPairs::Within), self.nearest.map(KeptPairs::Nearest), self.similarity.map(KeptPairs::Similarity)];
        let mut given = rules.into_iter().flatten();
        match (given.next(), given.next()) {
            _ if self.all == Some(false) => Err(KeepRuleError),
            (rule, None) => Ok(rule.unwrap_or_default()),
            (_, Some(_)) => Err(KeepRuleError),
        }
    }
}

impl From<KeptPairs> for KeepRule {
    fn from(keep: KeptPairs) -> Self {
        match keep {
            KeptPairs::All => Self { all: Some(true), ..Self::default() },
            KeptPairs::Within(most) => Self { within: Some(most), ..Self::default() },
            KeptPairs::Nearest(count) => Self { nearest: Some(count), ..Self::default() },
            KeptPairs::Similarity(least) => Self { similarity: Some(least), ..Self::default() },
        }
    }
}
