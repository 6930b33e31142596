//! Job: what a visitor asks for, as it stands on the wire. A task, its options and the two texts.

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
pub use crate::reading::{Choice, Choices, Fasta, Reading, Record, Unit};
pub use crate::strand::Strands;
use crate::{cbor_enum, cbor_struct};
pub use method::{Method, Published};

mod method;

/// The one list of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Least number of edits that turn `a` into `b`.
    EditDistance,
    /// Substrings of `b` that are nearest to `a`, or within some edits of it.
    ApproximateSearch,
    /// Longest common subsequence of `a` and `b`.
    Lcs,
    /// Equal symbols at every offset of `a` in `b`.
    MatchCount,
    /// Every occurrence of `a` in `b`.
    ExactSearch,
}

cbor_enum!(Task { 0 EditDistance, 1 ApproximateSearch, 2 Lcs, 3 MatchCount, 4 ExactSearch });

impl Task {
    /// All tasks.
    pub const ALL: [Self; 5] = [Self::EditDistance, Self::ApproximateSearch, Self::Lcs, Self::MatchCount, Self::ExactSearch];

    /// Those that look for `a` in `b`: what they find is a list of hits.
    pub const SEARCHES: [Self; 3] = [Self::ApproximateSearch, Self::MatchCount, Self::ExactSearch];

    /// Those that can look at the other strand of DNA too.
    pub const STRANDED: [Self; 2] = [Self::ApproximateSearch, Self::ExactSearch];

    /// Name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::EditDistance => "edit-distance",
            Self::ApproximateSearch => "approximate-search",
            Self::Lcs => "lcs",
            Self::MatchCount => "match-count",
            Self::ExactSearch => "exact-search",
        }
    }
}

impl Choices {
    /// For a task: those that search look through several records.
    pub fn of(task: Task, a: Choice, b: Choice) -> Self {
        Self { a, b, many: Task::SEARCHES.contains(&task) }
    }
}

/// What is asked about the two texts, beside the task itself. Options that this version does not know are passed over, so that results
/// of others are read; only a [`Job`] is refused for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Options {
    /// What counts as one symbol.
    pub unit: Unit,
    /// Whether the texts are read as FASTA or FASTQ.
    #[serde(skip_serializing_if = "Fasta::is_auto")]
    pub fasta: Fasta,
    /// Letters that differ only in case are equal.
    pub case_insensitive: bool,
    /// White space does not count.
    pub ignore_whitespace: bool,
    /// Blank lines, white space before line ends and the kind of a line end do not count.
    #[serde(skip_serializing_if = "is_off")]
    pub ignore_line_ends: bool,
    /// Punctuation does not count.
    #[serde(skip_serializing_if = "is_off")]
    pub ignore_punctuation: bool,
    /// Accents do not count; not for bytes.
    #[serde(skip_serializing_if = "is_off")]
    pub ignore_accents: bool,
    /// Unicode text is brought to normalisation form C before it is cut.
    pub normalize: bool,
    /// An optimal alignment is wanted, not only the score: of `edit-distance` and `lcs`.
    pub alignment: bool,
    /// `approximate-search`: all ends within so many edits; without it the ends with the fewest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_distance: Option<u64>,
    /// `approximate-search`: only ends whose distance no neighbouring end beats; the last one of equal neighbours.
    #[serde(skip_serializing_if = "is_off")]
    pub local_minima: bool,
    /// `match-count`: all offsets with at most so many unequal symbols; without it the offsets with the fewest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_mismatches: Option<u64>,
    /// `approximate-search`, `exact-search`: whether the other strand of DNA or RNA is searched too.
    #[serde(skip_serializing_if = "Strands::is_forward")]
    pub strands: Strands,
    /// Searches: how many, not where.
    #[serde(skip_serializing_if = "is_off")]
    pub count_only: bool,
    /// A paper's method in place of ours, on one core of the processor or as the paper maps it to a device: the same answer in more
    /// time. Of several optimal alignments it may find another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// `approximate-search` by the method `slices`: slices of the text, the papers' D, from 1 to 65,535; 128 where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u64>,
}

cbor_struct!(Options {
    unit,
    fasta,
    case_insensitive,
    ignore_whitespace,
    ignore_line_ends,
    ignore_punctuation,
    ignore_accents,
    normalize,
    alignment,
    max_distance,
    local_minima,
    max_mismatches,
    strands,
    count_only,
    method,
    blocks,
});

/// [`Options`] of a request: a name that is not known here is a mistake, and not left out in silence.
#[derive(Deserialize)]
#[serde(remote = "Options", default, deny_unknown_fields)]
struct KnownOptions {
    unit: Unit,
    fasta: Fasta,
    case_insensitive: bool,
    ignore_whitespace: bool,
    ignore_line_ends: bool,
    ignore_punctuation: bool,
    ignore_accents: bool,
    normalize: bool,
    alignment: bool,
    max_distance: Option<u64>,
    local_minima: bool,
    max_mismatches: Option<u64>,
    strands: Strands,
    count_only: bool,
    method: Option<Method>,
    blocks: Option<u64>,
}

impl Default for KnownOptions {
    fn default() -> Self {
        let Options {
            unit,
            fasta,
            case_insensitive,
            ignore_whitespace,
            ignore_line_ends,
            ignore_punctuation,
            ignore_accents,
            normalize,
            alignment,
            max_distance,
            local_minima,
            max_mismatches,
            strands,
            count_only,
            method,
            blocks,
        } = Options::DEFAULT;
        Self {
            unit,
            fasta,
            case_insensitive,
            ignore_whitespace,
            ignore_line_ends,
            ignore_punctuation,
            ignore_accents,
            normalize,
            alignment,
            max_distance,
            local_minima,
            max_mismatches,
            strands,
            count_only,
            method,
            blocks,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_off(option: &bool) -> bool {
    !option
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Options {
    /// What holds where nothing is said.
    pub const DEFAULT: Self = Self {
        unit: Unit::Bytes,
        fasta: Fasta::Auto,
        case_insensitive: false,
        ignore_whitespace: false,
        ignore_line_ends: false,
        ignore_punctuation: false,
        ignore_accents: false,
        normalize: false,
        alignment: true,
        max_distance: None,
        local_minima: false,
        max_mismatches: None,
        strands: Strands::Forward,
        count_only: false,
        method: None,
        blocks: None,
    };

    /// Most slices of a text.
    pub const MOST_BLOCKS: u64 = 65_535;

    /// Refuses options that only other tasks take, and methods that only other tasks have. `alignment` passes everywhere: hits are aligned when they are looked at.
    ///
    /// # Errors
    /// `BadInput` names the option and the tasks that take it.
    ///
    /// ```
    /// use kernels::job::{Options, Task};
    ///
    /// let options = Options { max_mismatches: Some(3), ..Options::default() };
    /// assert!(options.check(Task::MatchCount).is_ok());
    /// assert_eq!(options.check(Task::Lcs).unwrap_err().to_string(), "lcs has no option max_mismatches. match-count has it.");
    /// ```
    pub fn check(&self, task: Task) -> Result<(), Failure> {
        let rows: [(&str, bool, &[Task]); 5] = [
            ("max_distance", self.max_distance.is_some(), &[Task::ApproximateSearch]),
            ("local_minima", self.local_minima, &[Task::ApproximateSearch]),
            ("max_mismatches", self.max_mismatches.is_some(), &[Task::MatchCount]),
            ("strands", !self.strands.is_forward(), &Task::STRANDED),
            ("count_only", self.count_only, &Task::SEARCHES),
        ];
        match rows.iter().find(|(_, is_set, tasks)| *is_set && !tasks.contains(&task)) {
            None => match self.method.filter(|method| !Method::of(task).contains(method)) {
                None => self.check_blocks(),
                Some(method) => {
                    let names: Vec<&str> = Method::of(task).iter().map(|method| method.name()).collect();
                    Err(Failure::bad_input(format!("{} has no method {}. It has {}.", task.name(), method.name(), names.join(", "))))
                }
            },
            Some((option, _, tasks)) => {
                let names: Vec<&str> = tasks.iter().map(|task| task.name()).collect();
                let have = if names.len() == 1 { "has" } else { "have" };
                Err(Failure::bad_input(format!("{} has no option {option}. {} {have} it.", task.name(), names.join(", "))))
            }
        }
    }

    fn check_blocks(&self) -> Result<(), Failure> {
        let Some(blocks) = self.blocks else { return Ok(()) };
        if self.method != Some(Method::Slices) {
            return Err(Failure::bad_input("blocks is an option of the method slices of approximate-search."));
        }
        if (1..=Self::MOST_BLOCKS).contains(&blocks) {
            return Ok(());
        }
        Err(Failure::bad_input(format!("blocks is {blocks}; it must be from 1 to {}.", Self::MOST_BLOCKS)))
    }

    /// The part of the options that decides how a text becomes symbols.
    pub fn reading(&self) -> Reading {
        Reading {
            unit: self.unit,
            fasta: self.fasta,
            case_insensitive: self.case_insensitive,
            ignore_whitespace: self.ignore_whitespace,
            ignore_line_ends: self.ignore_line_ends,
            ignore_punctuation: self.ignore_punctuation,
            ignore_accents: self.ignore_accents,
            normalize: self.normalize,
            strands: self.strands,
        }
    }
}

/// A text of a job: where it comes from, and which records of it are meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub struct Source {
    /// Where it comes from.
    pub given: Given,
    /// Which of its records, if it is a file of several.
    pub choice: Choice,
}

/// Where a text comes from: typed into the job, or uploaded before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// The text itself.
    Text(String),
    /// The id that an upload answered with.
    Upload(String),
}

impl From<Given> for Source {
    fn from(given: Given) -> Self {
        Self { given, choice: Choice::default() }
    }
}

/// A text as it stands on the wire.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
struct Fields {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upload: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Record>,
    #[serde(skip_serializing_if = "is_off")]
    joined: bool,
}

#[cfg(feature = "schema")]
mod schema {
    use utoipa::openapi::{RefOr, Schema};
    use utoipa::{PartialSchema, ToSchema};

    use super::{Fields, Source};

    impl PartialSchema for Source {
        fn schema() -> RefOr<Schema> {
            Fields::schema()
        }
    }

    impl ToSchema for Source {
        fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
            Fields::schemas(schemas);
        }
    }
}

impl TryFrom<Fields> for Source {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let Fields { text, upload, record, joined } = fields;
        let given = match (text, upload) {
            (Some(text), None) => Given::Text(text),
            (None, Some(upload)) => Given::Upload(upload),
            _ => return Err("each text must be given either as text or as upload"),
        };
        Ok(Self { given, choice: Choice { record, joined } })
    }
}

impl From<Source> for Fields {
    fn from(Source { given, choice }: Source) -> Self {
        let Choice { record, joined } = choice;
        match given {
            Given::Text(text) => Self { text: Some(text), record, joined, ..Self::default() },
            Given::Upload(upload) => Self { upload: Some(upload), record, joined, ..Self::default() },
        }
    }
}

/// One piece of work: `{"task", "options", "a", "b"}`.
///
/// ```
/// use kernels::job::{Given, Job, Task};
///
/// let job: Job = serde_json::from_str(r#"{"task": "edit-distance", "a": {"text": "kitten"}, "b": {"text": "sitting"}}"#).unwrap();
/// assert_eq!(job.task, Task::EditDistance);
/// assert_eq!(job.a.given, Given::Text("kitten".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// What to compute.
    pub task: Task,
    /// How to read the texts and what to return.
    #[serde(default, deserialize_with = "KnownOptions::deserialize")]
    pub options: Options,
    /// The first text: the pattern in the asymmetric tasks.
    pub a: Source,
    /// The second text.
    pub b: Source,
}
