//! The form: texts and options that were typed, dropped or opened ([`FormState`]), and the step that follows a change
//! of it ([`NextStep`]). Computes nothing that needs the contents of files.
//!
//! - [`costs`]: named costs of edits
//! - [`local_file`]: files of this device that a form names
//! - [`text_genre`]: choice of the unit that suits the texts
//! - [`replacement`]: undo of a replaced text
//! - [`records`]: how the texts were read, and their records

use std::sync::Arc;

use kernels::job::{AlignmentMode, JobOptions, JobText, PaperMethod, RecordChoice, Scoring, Task, TextSource, Unit};
use kernels::reading::TextEncoding;
use kernels::strand::complement;

use self::local_file::LocalFile;
use crate::model::points::set_scoring;
use crate::model::problem::Problem;
use crate::model::task::samples::SamplePair;
use crate::model::task::{TaskDescription, TaskOption};

pub mod costs;
pub mod local_file;
pub mod records;
pub mod replacement;
#[cfg(test)]
mod tests;
pub mod text_genre;

/// Maximum size of a text that can be edited in the text area, in bytes. Only the first lines of longer texts are
/// shown.
pub const TYPED_BYTES: u64 = 1_000_000;

/// Maximum size of a text that is sent inside the job request, in bytes. Longer texts are uploaded first.
pub const INLINE_BYTES: u64 = 64_000;

/// Maximum size of both texts together that this device reads to plan a run, in bytes. Larger texts are planned from
/// their sizes.
pub const READ_BYTES: u64 = 32_000_000;

/// Maximum size of both texts of a stored result together, in bytes, up to which they are fetched when the visitor
/// changes the comparison.
pub const FETCHED_BYTES: u64 = 2_000_000;

/// Number of leading letters of a text that are examined to recognize DNA.
const DNA_SAMPLE_LETTERS: usize = 1_000;

/// One of the two texts of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormSide {
    A,
    B,
}

impl FormSide {
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// Returns the name of the text, `a` or `b`, on the page and in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// A reason why a file that is short enough to edit is shown read-only, judged by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// The lines end with CR LF.
    Crlf,
    /// The lines end with CR.
    Cr,
    /// The file is not UTF-8.
    Encoding,
    /// The file is marked as UTF-16, or a later part of it does not suit a text area.
    Other,
}

/// One text of the form: its content, name and chosen records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormText {
    /// Displayed origin of the text, for example the name of a file or a sample.
    pub name: Option<String>,
    pub content: TextContent,
    /// The records to compare, chosen by the visitor, if the text is a file of several records.
    pub choice: RecordChoice,
    /// Problem that makes the file unusable. There is no text then until the file is replaced.
    pub failure: Option<Arc<Problem>>,
}

/// Returns both lines of `text`, without line ends, if it consists of exactly two nonempty lines. Otherwise returns
/// `None`.
pub fn two_lines(text: &str) -> Option<(&str, &str)> {
    let mut lines = text.lines();
    let (first, second) = (lines.next()?, lines.next()?);
    (lines.next().is_none() && !first.is_empty() && !second.is_empty()).then_some((first, second))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextContent {
    /// A text in the text area, shared by the copies of a form.
    Typed(Arc<str>),
    /// A file of this device that cannot be edited, because it is not text or too long for a text area.
    File {
        file: LocalFile,
        /// Size in bytes.
        bytes: u64,
        /// The beginning of the file, decoded as far as it can be shown.
        head: String,
    },
    /// A text that is stored on the server.
    Stored {
        /// Id of the upload, or empty if only the job or result that uses the text is accessible.
        upload: String,
        /// Size in bytes.
        bytes: u64,
        /// Number of symbols, as counted by the job.
        symbols: u64,
        /// The beginning of the text.
        head: String,
        /// Address from which the server returns the text byte for byte.
        file: String,
    },
}

impl Default for TextContent {
    fn default() -> Self {
        Self::Typed(Arc::default())
    }
}

impl FormText {
    /// Creates a text of the form from typed or pasted text.
    pub fn typed(text: impl Into<Arc<str>>) -> Self {
        Self { content: TextContent::Typed(text.into()), ..Self::default() }
    }

    /// Creates a text of the form for a file called `name` that cannot be used because of `problem`.
    pub fn failed(name: String, problem: Problem) -> Self {
        Self { name: Some(name), failure: Some(Arc::new(problem)), ..Self::default() }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        match &self.content {
            TextContent::Typed(text) => text.len() as u64,
            TextContent::File { bytes, .. } | TextContent::Stored { bytes, .. } => *bytes,
        }
    }

    /// Returns this text of the form with its content replaced by `text`.
    ///
    /// The chosen records stay while the text is edited, but not for a different text. A text counts as edited if it
    /// begins with the same character.
    pub fn retyped(&self, text: String) -> Self {
        let begin = |text: &str| text.trim_start_matches('\u{feff}').trim_start().chars().next();
        let same_file = self.text().is_some_and(|before| begin(before) == begin(&text));
        let choice = if same_file { self.choice.clone() } else { RecordChoice::default() };
        Self { name: self.name.clone().filter(|_| !text.is_empty() && self.failure.is_none()), choice, ..Self::typed(text) }
    }

    /// Returns whether the text may have just two lines. Judges a file by its beginning.
    pub fn may_be_two_lines(&self) -> bool {
        match &self.content {
            TextContent::Typed(text) => two_lines(text).is_some(),
            TextContent::File { head, .. } => head.trim_end().lines().count() <= 2,
            TextContent::Stored { .. } => false,
        }
    }

    /// Returns the reason why the text area shows a short file read-only, or `None` if the file can be edited, is too
    /// long or has no text.
    pub fn read_only(&self) -> Option<ReadOnlyReason> {
        let TextContent::File { bytes, head, .. } = &self.content else { return None };
        let is_short = (1..=TYPED_BYTES).contains(bytes) && self.failure.is_none();
        match head {
            _ if !is_short => None,
            head if head.contains('\0') => TextEncoding::unmarked(head.as_bytes()).map(|_| ReadOnlyReason::Encoding),
            head if head.contains('\u{fffd}') => Some(ReadOnlyReason::Encoding),
            head if head.contains("\r\n") => Some(ReadOnlyReason::Crlf),
            head if head.contains('\r') => Some(ReadOnlyReason::Cr),
            _ => Some(ReadOnlyReason::Other),
        }
    }

    /// Returns whether the first `DNA_SAMPLE_LETTERS` letters of the text all stand for nucleotides. Header lines of
    /// records are skipped. Returns `false` for an empty text.
    pub fn may_be_dna(&self) -> bool {
        self.begins_with(|letter| complement(letter).is_some())
    }

    /// Returns whether the first `DNA_SAMPLE_LETTERS` characters of the text are all letters or `*`, which ends a
    /// protein. Header lines of records are skipped. Returns `false` for an empty text.
    pub fn may_be_sequence(&self) -> bool {
        self.begins_with(|letter| letter.is_ascii_alphabetic() || letter == b'*')
    }

    /// Returns the beginning of the text, as far as it is known without reading a file.
    pub fn head(&self) -> &str {
        match &self.content {
            TextContent::Typed(text) => text,
            TextContent::File { head, .. } | TextContent::Stored { head, .. } => head.as_str(),
        }
    }

    fn begins_with(&self, is_one: fn(u8) -> bool) -> bool {
        let text = self.head().trim_start_matches('\u{feff}').trim_end();
        let is_file = text.starts_with(['>', ';']);
        let lines = text.lines().filter(|line| !is_file || !line.starts_with(['>', ';']));
        // Sequences are broken into lines, but the words of other texts have spaces between them.
        let mut letters = lines.flat_map(str::bytes).take(DNA_SAMPLE_LETTERS).peekable();
        letters.peek().is_some() && letters.all(is_one)
    }

    /// Returns whether nothing was entered. An empty file counts as entered.
    pub fn is_blank(&self) -> bool {
        matches!(&self.content, TextContent::Typed(text) if text.is_empty()) && self.name.is_none()
    }

    /// Returns the whole text if it is in the text area, else `None`.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            TextContent::Typed(text) if self.failure.is_none() => Some(text),
            TextContent::Typed(_) | TextContent::File { .. } | TextContent::Stored { .. } => None,
        }
    }

    /// Returns the whole text if it is in the text area, else `None`. Shares it instead of copying it.
    pub fn shared_text(&self) -> Option<Arc<str>> {
        match &self.content {
            TextContent::Typed(text) if self.failure.is_none() => Some(text.clone()),
            TextContent::Typed(_) | TextContent::File { .. } | TextContent::Stored { .. } => None,
        }
    }
}

/// Everything that determines an answer: task, options and texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormState {
    pub task: Task,
    pub options: JobOptions,
    /// The first text.
    pub a: FormText,
    /// The second text.
    pub b: FormText,
}

/// The step that follows a change of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// No step, because nothing was entered or a file cannot be used.
    Nothing,
    /// This device reads both texts and plans from their contents.
    Read,
    /// This device plans from the sizes alone, because the texts are too long to read or are on the server.
    Measure,
}

impl FormState {
    /// Creates an empty form with graphemes as its unit.
    ///
    /// Graphemes match what readers call letters: an emoji or an accented letter is one, in any encoding. On ASCII and
    /// DNA they cost no more than bytes.
    pub fn new(task: Task) -> Self {
        Self {
            task,
            options: JobOptions { unit: Unit::Graphemes, ..JobOptions::default() },
            a: FormText::default(),
            b: FormText::default(),
        }
    }

    /// Creates the form that a sample of a task fills in.
    pub fn of_sample(task: Task, sample: &SamplePair) -> Self {
        let side = |(name, text): (&str, &str)| FormText { name: (!name.is_empty()).then(|| name.into()), ..FormText::typed(text) };
        let takes = |option| TaskDescription::of(task).takes.contains(&option);
        let max_distance = sample.within.filter(|_| task == Task::ApproximateSearch);
        let max_mismatches = sample.within.filter(|_| takes(TaskOption::MaxMismatches));
        let mut options = JobOptions { unit: sample.unit, max_distance, max_mismatches, ..JobOptions::default() };
        if let Some(preset) = sample.points.filter(|_| takes(TaskOption::Points)) {
            set_scoring(&mut options, preset.scoring());
        }
        Self { task, options, a: side(sample.a), b: side(sample.b) }
    }

    /// Returns whether positions in the texts of the earlier form `last` mean nothing in this form, because both texts
    /// or the unit changed.
    pub fn is_other_than(&self, last: &Self) -> bool {
        self.options.unit != last.options.unit || (self.a.content != last.a.content && self.b.content != last.b.content)
    }

    pub fn side(&self, which: FormSide) -> &FormText {
        match which {
            FormSide::A => &self.a,
            FormSide::B => &self.b,
        }
    }

    pub fn side_mut(&mut self, which: FormSide) -> &mut FormText {
        match which {
            FormSide::A => &mut self.a,
            FormSide::B => &mut self.b,
        }
    }

    /// Returns the options of the job that this form asks for. Options that only other tasks take have their defaults.
    pub fn job_options(&self) -> JobOptions {
        let method = self.options.method.filter(|method| PaperMethod::for_task(self.task).contains(method));
        let blocks = self.options.blocks.filter(|_| method == Some(PaperMethod::Slices));
        let JobOptions {
            alignment, costs, pieces, max_distance, local_minima, max_mismatches, ambiguity, strands, count_only, gaps, ..
        } = JobOptions::default();
        let mut shared = JobOptions {
            alignment,
            costs,
            pieces,
            max_distance,
            local_minima,
            max_mismatches,
            ambiguity,
            strands,
            count_only,
            gaps,
            method,
            blocks,
            ..self.options.clone()
        };
        set_scoring(&mut shared, Scoring::DEFAULT);
        TaskDescription::of(self.task).takes.iter().fold(shared, |mut asked, option| {
            let JobOptions { alignment, costs, local_minima, max_mismatches, ambiguity, strands, count_only, gaps, .. } = self.options;
            // The methods of edit distance have no limit.
            let max_distance = self.options.max_distance.filter(|_| self.task != Task::EditDistance || method.is_none());
            match option {
                TaskOption::Alignment => JobOptions { alignment, ..asked },
                TaskOption::Costs => JobOptions { costs, ..asked },
                TaskOption::Points => {
                    set_scoring(&mut asked, self.options.scoring());
                    let has_pieces = asked.mode == AlignmentMode::Local && self.options.alignment;
                    asked.pieces = if has_pieces { self.options.pieces } else { 1 };
                    asked
                }
                TaskOption::MaxDistance => JobOptions { max_distance, ..asked },
                TaskOption::LocalMinima => JobOptions { local_minima, ..asked },
                TaskOption::MaxMismatches => JobOptions { max_mismatches, ..asked },
                TaskOption::Ambiguity => JobOptions { ambiguity, ..asked },
                TaskOption::Strands => JobOptions { strands, ..asked },
                TaskOption::CountOnly => JobOptions { count_only, ..asked },
                TaskOption::Gaps => JobOptions { gaps, ..asked },
            }
        })
    }

    /// Selects another task for the same texts. The limit of edits does not pass from a search to an edit distance or
    /// back, because it means something else there.
    pub fn change_task(&mut self, task: Task) {
        if task != self.task && [task, self.task].contains(&Task::EditDistance) {
            self.options.max_distance = None;
        }
        self.task = task;
    }

    /// Returns whether to offer a search on both strands. True if the option is set, or if the task supports it and
    /// both texts look like DNA or RNA.
    pub fn offers_strands(&self) -> bool {
        let is_on = !self.options.strands.is_forward();
        Task::STRANDED.contains(&self.task) && (is_on || self.may_be_dna())
    }

    /// Returns whether to offer ambiguity codes. True if the option is set, or if both texts look like DNA or RNA.
    pub fn offers_ambiguity(&self) -> bool {
        self.options.ambiguity || self.may_be_dna()
    }

    /// Returns whether both texts look like DNA or RNA.
    fn may_be_dna(&self) -> bool {
        self.a.may_be_dna() && self.b.may_be_dna()
    }

    /// Returns the size of both texts in bytes.
    pub fn bytes(&self) -> u64 {
        self.a.bytes() + self.b.bytes()
    }

    /// Returns the problem that makes a file of the form unusable, if any. As long as there is one, the form has no
    /// answer.
    pub fn failure(&self) -> Option<&Arc<Problem>> {
        self.a.failure.as_ref().or(self.b.failure.as_ref())
    }

    /// Returns the form with bytes as its unit. That unit accepts every file, also files that were refused because they
    /// are not text.
    pub fn in_bytes(&self) -> Self {
        let options = JobOptions { unit: Unit::Bytes, normalize: false, ignore_accents: false, ..self.options.clone() };
        let side = |side: &FormText| FormText {
            failure: side.failure.clone().filter(|_| matches!(side.content, TextContent::Typed(_))),
            ..side.clone()
        };
        Self { options, a: side(&self.a), b: side(&self.b), ..self.clone() }
    }

    /// Returns whether the texts must be fetched to this device before they can be compared with other options.
    ///
    /// This is the case for a stored result whose texts a job cannot refer to, if they are small enough for this
    /// device.
    pub fn is_to_fetch(&self) -> bool {
        let bound = |side: &FormText| matches!(&side.content, TextContent::Stored { upload, .. } if upload.is_empty());
        (bound(&self.a) || bound(&self.b)) && self.bytes() <= FETCHED_BYTES
    }

    /// Returns the step that follows a change to this form.
    pub fn next(&self) -> NextStep {
        let here = |side: &FormText| !matches!(side.content, TextContent::Stored { .. });
        match self {
            form if form.a.is_blank() && form.b.is_blank() || form.failure().is_some() => NextStep::Nothing,
            form if here(&form.a) && here(&form.b) && form.bytes() <= READ_BYTES => NextStep::Read,
            _ => NextStep::Measure,
        }
    }

    /// Returns the chosen records of both texts.
    pub fn choices(&self) -> [RecordChoice; 2] {
        [self.a.choice.clone(), self.b.choice.clone()]
    }

    /// Returns the text `which` as part of a job request, or `None` if the text must be uploaded first.
    pub fn inline(&self, which: FormSide) -> Option<JobText> {
        let side = self.side(which);
        let given = match &side.content {
            TextContent::Typed(text) if text.len() as u64 <= INLINE_BYTES => TextSource::Text(text.as_ref().to_owned()),
            TextContent::Stored { upload, .. } if !upload.is_empty() => TextSource::Upload(upload.clone()),
            TextContent::Typed(_) | TextContent::File { .. } | TextContent::Stored { .. } => return None,
        };
        Some(JobText { given, choice: side.choice.clone() })
    }

    /// Returns the size of the text `which` as far as it is known without reading: in bytes for a local text, in
    /// symbols for one on the server.
    pub fn size(&self, which: FormSide) -> u64 {
        match &self.side(which).content {
            TextContent::Stored { symbols, .. } => *symbols,
            TextContent::Typed(_) | TextContent::File { .. } => self.side(which).bytes(),
        }
    }

    /// Returns whether both texts are on this device.
    pub fn is_on_this_device(&self) -> bool {
        [&self.a, &self.b].into_iter().all(|side| !matches!(side.content, TextContent::Stored { .. }))
    }

    /// Returns the number of bytes to upload for a job on the server.
    pub fn bytes_to_send(&self) -> u64 {
        let stored = |side: &FormText| matches!(side.content, TextContent::Stored { .. });
        [&self.a, &self.b].into_iter().filter(|side| !stored(side)).map(FormText::bytes).sum()
    }
}
