//! Job: a client's request in JSON ([`JobRequest`]): a [`Task`], its [`JobOptions`] and the two texts.

use serde::{Deserialize, Deserializer, Serialize};

pub use crate::alignment::GapPlacement;
use crate::failure::JobFailure;
pub use crate::reading::{ChosenRecord, FastaMode, PairRecordChoices, ReadingOptions, RecordChoice, Unit};
pub use crate::strand::SearchStrands;
use crate::{cbor_enum, cbor_struct};
pub use costs::EditCosts;
pub use custom_matrix::{CustomMatrix, MatrixFault, MatrixFaultKind};
pub use method::{MethodPublication, PaperMethod};
pub use points::{Points, PointsError};
pub use published_matrix::PublishedMatrix;
pub use scoring::{AlignmentMode, FreeEnd, FreeEnds, GapCosts, GapPoints, Scoring, ScoringNumbers};
pub use scoring_matrix::{ScoringMatrix, ScoringMatrixError};

mod costs;
mod custom_matrix;
mod method;
mod points;
mod published_matrix;
mod scoring;
mod scoring_matrix;

/// A question about two texts that Editscope answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Minimum number of edits that turn `a` into `b`.
    EditDistance,
    /// Substrings of `b` that are closest to `a`, or within a given number of edits.
    ApproximateSearch,
    /// Longest common subsequence of `a` and `b`.
    Lcs,
    /// Number of equal symbols at every offset of `a` in `b`.
    MatchCount,
    /// All occurrences of `a` in `b`.
    ExactSearch,
    /// Alignment of `a` and `b`, or of pieces of them, with the highest score.
    SequenceAlignment,
}

cbor_enum!(Task { 0 EditDistance, 1 ApproximateSearch, 2 Lcs, 3 MatchCount, 4 ExactSearch, 5 SequenceAlignment });

impl Task {
    /// All tasks.
    pub const ALL: [Self; 6] =
        [Self::EditDistance, Self::ApproximateSearch, Self::Lcs, Self::MatchCount, Self::ExactSearch, Self::SequenceAlignment];

    /// Tasks that search for `a` in `b`. Their results are lists of hits, that is, of positions in `b`.
    pub const SEARCHES: [Self; 3] = [Self::ApproximateSearch, Self::MatchCount, Self::ExactSearch];

    /// Tasks whose alignments have gaps. Those of the approximate search align hits.
    pub const ALIGNED: [Self; 4] = [Self::EditDistance, Self::ApproximateSearch, Self::Lcs, Self::SequenceAlignment];

    /// Tasks that can search both strands of DNA or RNA: the text as it stands and its reverse complement.
    pub const STRANDED: [Self; 2] = [Self::ApproximateSearch, Self::ExactSearch];

    /// Returns the name of the task in JSON, such as `edit-distance`.
    pub fn name(self) -> &'static str {
        match self {
            Self::EditDistance => "edit-distance",
            Self::ApproximateSearch => "approximate-search",
            Self::Lcs => "lcs",
            Self::MatchCount => "match-count",
            Self::ExactSearch => "exact-search",
            Self::SequenceAlignment => "sequence-alignment",
        }
    }
}

impl PairRecordChoices {
    /// Combines the choices of records in both texts for `task`. A task that searches may take several records of `b`;
    /// for any other task, `b` is one text.
    pub fn of(task: Task, a: RecordChoice, b: RecordChoice) -> Self {
        Self { a, b, allows_many: Task::SEARCHES.contains(&task) }
    }
}

/// The options of a job. Unknown options are ignored, so that results of other versions can be read. Only a
/// [`JobRequest`] with an unknown option is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
#[cfg_attr(feature = "schema", schema(as = Options))]
pub struct JobOptions {
    /// Unit that counts as one symbol.
    pub unit: Unit,
    /// Whether the texts are read as sequence files: FASTA, FASTQ, GenBank or EMBL.
    #[serde(skip_serializing_if = "FastaMode::is_auto")]
    pub fasta: FastaMode,
    /// Whether letters that differ only in case are equal.
    pub case_insensitive: bool,
    /// Whether white space is ignored.
    pub ignore_whitespace: bool,
    /// Whether blank lines, white space before line ends and the kind of a line end are ignored.
    #[serde(skip_serializing_if = "is_off")]
    pub ignore_line_ends: bool,
    /// Whether punctuation is ignored.
    #[serde(skip_serializing_if = "is_off")]
    pub ignore_punctuation: bool,
    /// Whether accents are ignored. Not available for bytes.
    #[serde(skip_serializing_if = "is_off")]
    pub ignore_accents: bool,
    /// Whether decimal digits are ignored.
    #[serde(skip_serializing_if = "is_off")]
    pub ignore_digits: bool,
    /// Whether Unicode text is converted to normalisation form C before it is divided into units.
    pub normalize: bool,
    /// `edit-distance`, `lcs`, `sequence-alignment`: whether to compute an optimal alignment in addition to the score.
    pub alignment: bool,
    /// `edit-distance`: cost of each kind of edit. The answer is the least sum of costs.
    #[serde(skip_serializing_if = "EditCosts::is_levenshtein")]
    pub costs: EditCosts,
    /// `sequence-alignment`: which parts of the texts are aligned.
    #[serde(skip_serializing_if = "is_default")]
    pub mode: AlignmentMode,
    /// `sequence-alignment` with the mode `semi-global`: the ends of texts that may be left out without costs. Without
    /// free ends, the alignment is global.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<FreeEnd>))]
    pub free_ends: FreeEnds,
    /// `sequence-alignment` with the mode `local`: number of pieces, from 1 to 100. Each further piece is the best one
    /// without the pairs of symbols of all better pieces. Default: 1.
    #[serde(skip_serializing_if = "is_one")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub pieces: u32,
    /// `sequence-alignment` without a matrix: points of two equal symbols, from -1,000 to 1,000. Points and costs may have
    /// one decimal, as 0.5; then all must be from -100 to 100. Default: 1.
    #[serde(rename = "match", skip_serializing_if = "is_usual_match")]
    pub equal: Points,
    /// `sequence-alignment` without a matrix: points of two different symbols, from -1,000 to 1,000. Default: -1.
    #[serde(rename = "mismatch", skip_serializing_if = "is_usual_mismatch")]
    pub different: Points,
    /// `sequence-alignment`: matrix with the points of two letters, instead of `match` and `mismatch`: the name of a
    /// published one, or the text of a custom one in NCBI's format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<ScoringMatrix>,
    /// `sequence-alignment`: points that a gap costs.
    #[serde(skip_serializing_if = "is_default")]
    pub gap: GapPoints,
    /// Tasks with an alignment: whether its gaps are as far left or as far right as possible. The score is the same.
    #[serde(skip_serializing_if = "GapPlacement::is_leftmost")]
    pub gaps: GapPlacement,
    /// `edit-distance`: find the distance only if it is at most this number. With `costs`, the limit applies to the sum
    /// of costs. `approximate-search`: find all ends within this number of edits. Without it, find the ends with the
    /// fewest edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_distance: Option<u64>,
    /// `approximate-search`: keep only local minima of the distance. Of neighbouring ends with equal distances, the
    /// last one is kept if the ends on both sides have greater distances or do not exist.
    #[serde(skip_serializing_if = "is_off")]
    pub local_minima: bool,
    /// `match-count`: find all offsets with at most this number of unequal symbols. Without it, find the offsets with
    /// the fewest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_mismatches: Option<u64>,
    /// Whether letters of DNA and RNA match if they have a base in common, as the codes of IUPAC define them. N, for example,
    /// matches every letter. Not available with `matrix`, with a cost of exchanges, or with a method.
    #[serde(skip_serializing_if = "is_off")]
    pub ambiguity: bool,
    /// `approximate-search`, `exact-search`: whether the reverse strand of DNA or RNA is searched too.
    #[serde(skip_serializing_if = "SearchStrands::is_forward")]
    pub strands: SearchStrands,
    /// Searches: whether to return only the number of hits, without their positions.
    #[serde(skip_serializing_if = "is_off")]
    pub count_only: bool,
    /// Method of a paper that replaces the default algorithm. It runs on one core of the processor, or on a GPU as the
    /// paper describes. The answer is the same, but takes more time. The alignment may be another optimal one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<PaperMethod>,
    /// `approximate-search` by the method `slices`: number of slices of the text (D in the papers), from 1 to 65,535.
    /// Default: 128.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u64>,
}

cbor_struct!(JobOptions {
    unit,
    fasta,
    case_insensitive,
    ignore_whitespace,
    ignore_line_ends,
    ignore_punctuation,
    ignore_accents,
    ignore_digits,
    normalize,
    alignment,
    costs,
    mode,
    free_ends,
    pieces,
    equal,
    different,
    matrix,
    gap,
    gaps,
    max_distance,
    local_minima,
    max_mismatches,
    strands,
    count_only,
    method,
    blocks,
    ambiguity,
});

/// The options of a job as a client sends them. An option of unknown name is an error, whereas [`JobOptions`] ignores
/// such options.
#[derive(Deserialize)]
#[serde(remote = "JobOptions", default = "JobOptions::default", deny_unknown_fields)]
struct StrictJobOptions {
    unit: Unit,
    fasta: FastaMode,
    case_insensitive: bool,
    ignore_whitespace: bool,
    ignore_line_ends: bool,
    ignore_punctuation: bool,
    ignore_accents: bool,
    ignore_digits: bool,
    normalize: bool,
    alignment: bool,
    costs: EditCosts,
    mode: AlignmentMode,
    free_ends: FreeEnds,
    pieces: u32,
    #[serde(rename = "match")]
    equal: Points,
    #[serde(rename = "mismatch")]
    different: Points,
    matrix: Option<ScoringMatrix>,
    gap: GapPoints,
    gaps: GapPlacement,
    max_distance: Option<u64>,
    local_minima: bool,
    max_mismatches: Option<u64>,
    ambiguity: bool,
    strands: SearchStrands,
    count_only: bool,
    method: Option<PaperMethod>,
    blocks: Option<u64>,
}

/// Reads the options of a job, for `serde(deserialize_with)`. An option of unknown name is an error.
///
/// # Errors
/// Returns the error of the deserializer.
pub fn strict_options<'de, D: Deserializer<'de>>(deserializer: D) -> Result<JobOptions, D::Error> {
    StrictJobOptions::deserialize(deserializer)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_off(option: &bool) -> bool {
    !option
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

fn is_default<T: Default + PartialEq>(option: &T) -> bool {
    *option == T::default()
}

#[cfg_attr(not(target_family = "wasm"), expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so"))]
fn is_usual_match(points: &Points) -> bool {
    *points == JobOptions::DEFAULT.equal
}

#[cfg_attr(not(target_family = "wasm"), expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so"))]
fn is_usual_mismatch(points: &Points) -> bool {
    *points == JobOptions::DEFAULT.different
}

impl Default for JobOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl JobOptions {
    /// The options of a job that sets no option.
    pub const DEFAULT: Self = Self {
        unit: Unit::Bytes,
        fasta: FastaMode::Auto,
        case_insensitive: false,
        ignore_whitespace: false,
        ignore_line_ends: false,
        ignore_punctuation: false,
        ignore_accents: false,
        ignore_digits: false,
        normalize: false,
        alignment: true,
        costs: EditCosts::LEVENSHTEIN,
        mode: Scoring::DEFAULT.mode,
        free_ends: Scoring::DEFAULT.free_ends,
        pieces: 1,
        equal: Points::whole(Scoring::DEFAULT.equal),
        different: Points::whole(Scoring::DEFAULT.different),
        matrix: Scoring::DEFAULT.matrix,
        gap: GapPoints::LINEAR,
        gaps: GapPlacement::Leftmost,
        max_distance: None,
        local_minima: false,
        max_mismatches: None,
        ambiguity: false,
        strands: SearchStrands::Forward,
        count_only: false,
        method: None,
        blocks: None,
    };

    /// Maximum number of pieces of a local alignment.
    pub const MAX_PIECES: u32 = 100;

    /// Maximum number of slices into which [`PaperMethod::Slices`] divides a text.
    pub const MAX_SLICE_BLOCKS: u64 = 65_535;

    /// Checks that `task` supports all options that are set, and the method. `alignment` is accepted for every task,
    /// because hits are aligned when they are displayed.
    ///
    /// # Errors
    /// Returns `BadInput` with the unsupported option and the tasks that support it, or with a cost that is too high.
    ///
    /// ```
    /// use kernels::job::{JobOptions, Task};
    ///
    /// let options = JobOptions { max_mismatches: Some(3), ..JobOptions::default() };
    /// assert!(options.check(Task::MatchCount).is_ok());
    /// assert_eq!(options.check(Task::Lcs).unwrap_err().to_string(), "lcs has no option max_mismatches. match-count has it.");
    /// ```
    pub fn check(&self, task: Task) -> Result<(), JobFailure> {
        self.costs.check()?;
        // Units cannot represent costs below 0, so that the numbers of the client are checked before.
        self.scoring_numbers().check(self.matrix.as_ref())?;
        let scoring = self.scoring();
        scoring.check()?;
        const SCORED: &[Task] = &[Task::SequenceAlignment];
        let rows: [(&str, bool, &[Task]); 14] = [
            ("costs", !self.costs.is_levenshtein(), &[Task::EditDistance]),
            ("mode", scoring.mode != Scoring::DEFAULT.mode, SCORED),
            ("free_ends", scoring.free_ends != Scoring::DEFAULT.free_ends, SCORED),
            ("pieces", self.pieces != 1, SCORED),
            ("match", self.equal != Self::DEFAULT.equal, SCORED),
            ("mismatch", self.different != Self::DEFAULT.different, SCORED),
            ("matrix", scoring.matrix.is_some(), SCORED),
            ("gap", self.gap != Self::DEFAULT.gap, SCORED),
            ("gaps", !self.gaps.is_leftmost(), &Task::ALIGNED),
            ("max_distance", self.max_distance.is_some(), &[Task::EditDistance, Task::ApproximateSearch]),
            ("local_minima", self.local_minima, &[Task::ApproximateSearch]),
            ("max_mismatches", self.max_mismatches.is_some(), &[Task::MatchCount]),
            ("strands", !self.strands.is_forward(), &Task::STRANDED),
            ("count_only", self.count_only, &Task::SEARCHES),
        ];
        match rows.iter().find(|(_, is_set, tasks)| *is_set && !tasks.contains(&task)) {
            None => match self.method.filter(|method| !PaperMethod::for_task(task).contains(method)) {
                None if self.method.is_some() && !self.costs.is_levenshtein() => {
                    Err(JobFailure::bad_input("The methods of the papers have costs of 1 only. Leave out costs or method."))
                }
                None if self.method.is_some() && task == Task::EditDistance && self.max_distance.is_some() => {
                    Err(JobFailure::bad_input("The methods of the papers compute the whole distance. Leave out max_distance or method."))
                }
                None if self.method.is_some() && self.ambiguity => {
                    Err(JobFailure::bad_input("The methods of the papers match equal symbols only. Leave out ambiguity or method."))
                }
                None => self
                    .check_ambiguity()
                    .and_then(|()| self.check_blocks())
                    .and_then(|()| self.check_matrix())
                    .and_then(|()| self.check_pieces()),
                Some(method) if PaperMethod::for_task(task).is_empty() => {
                    Err(JobFailure::bad_input(format!("{} has no methods. Leave out the method {}.", task.name(), method.name())))
                }
                Some(method) => {
                    let names: Vec<&str> = PaperMethod::for_task(task).iter().map(|method| method.name()).collect();
                    Err(JobFailure::bad_input(format!("{} has no method {}. It has {}.", task.name(), method.name(), names.join(", "))))
                }
            },
            Some((option, _, tasks)) => {
                let names: Vec<&str> = tasks.iter().map(|task| task.name()).collect();
                let have = if names.len() == 1 { "has" } else { "have" };
                Err(JobFailure::bad_input(format!("{} has no option {option}. {} {have} it.", task.name(), names.join(", "))))
            }
        }
    }

    /// Checks that no other option has points of codes or needs equal symbols.
    fn check_ambiguity(&self) -> Result<(), JobFailure> {
        let message = match self.ambiguity {
            true if self.matrix.is_some() => "The matrix has the points of all letters. Leave out ambiguity or matrix.",
            true if self.costs.transpose.is_some() => "Only equal symbols are exchanged. Leave out ambiguity or costs.transpose.",
            _ => return Ok(()),
        };
        Err(JobFailure::bad_input(message))
    }

    fn check_blocks(&self) -> Result<(), JobFailure> {
        let Some(blocks) = self.blocks else { return Ok(()) };
        if self.method != Some(PaperMethod::Slices) {
            return Err(JobFailure::bad_input("blocks is an option of the method slices of approximate-search."));
        }
        if (1..=Self::MAX_SLICE_BLOCKS).contains(&blocks) {
            return Ok(());
        }
        Err(JobFailure::bad_input(format!("blocks is {blocks}; it must be from 1 to {}.", Self::MAX_SLICE_BLOCKS)))
    }

    fn check_pieces(&self) -> Result<(), JobFailure> {
        let fault = match self.pieces {
            1 => return Ok(()),
            pieces if !(1..=Self::MAX_PIECES).contains(&pieces) => {
                format!("pieces is {pieces}; it must be from 1 to {}.", Self::MAX_PIECES)
            }
            _ if self.mode != AlignmentMode::Local => "pieces is an option of the mode local.".to_owned(),
            _ if !self.alignment => "pieces needs alignment, because each piece leaves out the pairs of better ones. \
                                     Leave out pieces, or set alignment to true."
                .to_owned(),
            _ => return Ok(()),
        };
        Err(JobFailure::bad_input(fault))
    }

    /// Checks that the symbols are letters if a matrix has their points.
    fn check_matrix(&self) -> Result<(), JobFailure> {
        if self.matrix.is_some() && matches!(self.unit, Unit::Words | Unit::Lines) {
            let message = format!("A matrix has points of letters, not of {}. Choose another unit, or leave out matrix.", self.unit.name());
            return Err(JobFailure::bad_input(message));
        }
        Ok(())
    }

    /// Returns the modes and points of `sequence-alignment`.
    pub fn scoring(&self) -> Scoring {
        let Self { mode, free_ends, ref matrix, .. } = *self;
        Scoring { mode, free_ends, matrix: matrix.clone(), ..Scoring::DEFAULT }.with_numbers(self.scoring_numbers())
    }

    /// Sets the modes and points of `sequence-alignment`.
    pub fn set_scoring(&mut self, scoring: Scoring) {
        let ScoringNumbers { equal, different, gap } = scoring.numbers();
        (self.mode, self.free_ends, self.equal, self.different, self.gap) = (scoring.mode, scoring.free_ends, equal, different, gap);
        self.matrix = scoring.matrix;
    }

    /// Returns the points of `sequence-alignment` as the client wrote them.
    pub(crate) fn scoring_numbers(&self) -> ScoringNumbers {
        ScoringNumbers { equal: self.equal, different: self.different, gap: self.gap }
    }

    /// Returns the options that decide how the texts are cut into units and which units are equal.
    pub fn reading(&self) -> ReadingOptions {
        ReadingOptions {
            unit: self.unit,
            fasta: self.fasta,
            case_insensitive: self.case_insensitive,
            ignore_whitespace: self.ignore_whitespace,
            ignore_line_ends: self.ignore_line_ends,
            ignore_punctuation: self.ignore_punctuation,
            ignore_accents: self.ignore_accents,
            ignore_digits: self.ignore_digits,
            normalize: self.normalize,
            ambiguity: self.ambiguity,
            strands: self.strands,
        }
    }
}

/// A text of a job: its origin and the selected records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "JobTextFields", into = "JobTextFields")]
pub struct JobText {
    /// Origin of the text.
    pub given: TextSource,
    /// Selected records, if the text is a file of several records.
    pub choice: RecordChoice,
}

/// The origin of a text: sent with the job, or uploaded before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSource {
    /// Text sent with the job.
    Text(String),
    /// Id that the upload returned.
    Upload(String),
}

impl From<TextSource> for JobText {
    fn from(given: TextSource) -> Self {
        Self { given, choice: RecordChoice::default() }
    }
}

/// The JSON form of a text of a job: either `text` or `upload`, with an optional choice of records.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
struct JobTextFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upload: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<ChosenRecord>,
    #[serde(skip_serializing_if = "is_off")]
    joined: bool,
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use utoipa::openapi::{RefOr, Schema};
    use utoipa::{PartialSchema, ToSchema};

    use super::{JobText, JobTextFields};

    impl PartialSchema for JobText {
        fn schema() -> RefOr<Schema> {
            JobTextFields::schema()
        }
    }

    impl ToSchema for JobText {
        fn name() -> Cow<'static, str> {
            "Source".into()
        }

        fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
            JobTextFields::schemas(schemas);
        }
    }
}

impl TryFrom<JobTextFields> for JobText {
    type Error = &'static str;

    fn try_from(fields: JobTextFields) -> Result<Self, Self::Error> {
        let JobTextFields { text, upload, record, joined } = fields;
        let given = match (text, upload) {
            (Some(text), None) => TextSource::Text(text),
            (None, Some(upload)) => TextSource::Upload(upload),
            _ => return Err("each text must be given either as text or as upload"),
        };
        Ok(Self { given, choice: RecordChoice { record, joined } })
    }
}

impl From<JobText> for JobTextFields {
    fn from(JobText { given, choice }: JobText) -> Self {
        let RecordChoice { record, joined } = choice;
        match given {
            TextSource::Text(text) => Self { text: Some(text), record, joined, ..Self::default() },
            TextSource::Upload(upload) => Self { upload: Some(upload), record, joined, ..Self::default() },
        }
    }
}

/// A request to solve a job. In JSON, it has the fields `task`, `options`, `a` and `b`.
///
/// ```
/// use kernels::job::{JobRequest, Task, TextSource};
///
/// let job: JobRequest = serde_json::from_str(r#"{"task": "edit-distance", "a": {"text": "kitten"}, "b": {"text": "sitting"}}"#).unwrap();
/// assert_eq!(job.task, Task::EditDistance);
/// assert_eq!(job.a.given, TextSource::Text("kitten".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schema(as = Job))]
pub struct JobRequest {
    /// Task to solve.
    pub task: Task,
    /// Options for reading the texts and for the result.
    #[serde(default, deserialize_with = "strict_options")]
    pub options: JobOptions,
    /// First text. For searches, the pattern.
    pub a: JobText,
    /// Second text.
    pub b: JobText,
}
