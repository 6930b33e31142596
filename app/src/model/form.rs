//! What was typed, dropped or opened, and what follows from it without asking anybody.
//!
//! - [`local_file`]: files of this device that a form names
//! - [`nature`]: the unit that suits its texts
//! - [`replaced`]: undo of a replaced text
//! - [`records`]: what its texts were read as

use std::sync::Arc;

use kernels::job::{Choice, Given, Method, Options, Source, Task, Unit};
use kernels::reading::Encoding;
use kernels::strand::complement;

use self::local_file::LocalFile;
use crate::model::problem::Problem;
use crate::model::task::samples::Sample;
use crate::model::task::{Described, Takes};

pub mod local_file;
pub mod nature;
pub mod records;
pub mod replaced;

/// Texts up to this many bytes are put into the text area; of longer ones only the first lines are shown.
pub const TYPED_BYTES: u64 = 1_000_000;

/// Texts up to this many bytes travel inside the job; longer ones are uploaded first.
pub const INLINE_BYTES: u64 = 64_000;

/// Texts up to this many bytes are read by this device for the plan; of longer ones only the size is looked at.
pub const READ_BYTES: u64 = 32_000_000;

/// Both texts of a stored result up to this many bytes are fetched as soon as they are to be compared in another way.
pub const FETCHED_BYTES: u64 = 2_000_000;

/// Letters of a text by which it is taken for DNA.
const LOOKED_AT: usize = 1_000;

/// Which of the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// The first.
    A,
    /// The second.
    B,
}

impl Which {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// Its name on the page and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// Why a short file is not put into a text area, as far as its begin tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnly {
    /// Its lines end with CR and LF.
    Crlf,
    /// Its lines end with CR.
    Cr,
    /// It is not UTF-8.
    Encoding,
    /// A later part of it is not what a text area holds, or it is marked as UTF-16.
    Other,
}

/// One text of the form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Where it came from, for people: a file's name, a sample's.
    pub name: Option<String>,
    /// The text or where it is.
    pub content: Content,
    /// Which of its records are meant, if it is a file of several.
    pub choice: Choice,
    /// Why the file that was opened for it cannot be used. There is no text then until another one takes its place.
    pub failure: Option<Arc<Problem>>,
}

/// Both lines of a text that has two and nothing else, without their ends.
pub fn two_lines(text: &str) -> Option<(&str, &str)> {
    let mut lines = text.lines();
    let (first, second) = (lines.next()?, lines.next()?);
    (lines.next().is_none() && !first.is_empty() && !second.is_empty()).then_some((first, second))
}

/// A text, or where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// In the text area. Copies of a form share it.
    Typed(Arc<str>),
    /// A file of this device that is not text or too long for a text area.
    File {
        /// The browser's file.
        file: LocalFile,
        /// Its size.
        bytes: u64,
        /// Its beginning, as far as it can be shown.
        head: String,
    },
    /// On the server.
    Stored {
        /// Id of the upload; empty where only its result may be seen.
        upload: String,
        /// Its size.
        bytes: u64,
        /// Symbols, as the job counted them.
        symbols: u64,
        /// Its beginning.
        head: String,
        /// Address under which the server hands it out, byte for byte.
        file: String,
    },
}

impl Default for Content {
    fn default() -> Self {
        Self::Typed(Arc::default())
    }
}

impl Side {
    /// A text that was typed or pasted.
    pub fn typed(text: impl Into<Arc<str>>) -> Self {
        Self { content: Content::Typed(text.into()), ..Self::default() }
    }

    /// A file that cannot be used, and why.
    pub fn failed(name: String, problem: Problem) -> Self {
        Self { name: Some(name), failure: Some(Arc::new(problem)), ..Self::default() }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        match &self.content {
            Content::Typed(text) => text.len() as u64,
            Content::File { bytes, .. } | Content::Stored { bytes, .. } => *bytes,
        }
    }

    /// The text in place of this one: what was chosen of a file's records still counts while it is edited, and not for another text.
    pub fn retyped(&self, text: String) -> Self {
        let begin = |text: &str| text.trim_start_matches('\u{feff}').trim_start().chars().next();
        let same_file = self.text().is_some_and(|before| begin(before) == begin(&text));
        let choice = if same_file { self.choice.clone() } else { Choice::default() };
        Self { name: self.name.clone().filter(|_| !text.is_empty() && self.failure.is_none()), choice, ..Self::typed(text) }
    }

    /// Whether it is a text of two lines, as far as is known without reading all of it.
    pub fn may_be_two_lines(&self) -> bool {
        match &self.content {
            Content::Typed(text) => two_lines(text).is_some(),
            Content::File { head, .. } => head.trim_end().lines().count() <= 2,
            Content::Stored { .. } => false,
        }
    }

    /// Returns why the text area shows this file read-only although it is short enough to edit, and nothing if the file has
    /// no text.
    pub fn read_only(&self) -> Option<ReadOnly> {
        let Content::File { bytes, head, .. } = &self.content else { return None };
        let is_short = (1..=TYPED_BYTES).contains(bytes) && self.failure.is_none();
        match head {
            _ if !is_short => None,
            head if head.contains('\0') => Encoding::unmarked(head.as_bytes()).map(|_| ReadOnly::Encoding),
            head if head.contains('\u{fffd}') => Some(ReadOnly::Encoding),
            head if head.contains("\r\n") => Some(ReadOnly::Crlf),
            head if head.contains('\r') => Some(ReadOnly::Cr),
            _ => Some(ReadOnly::Other),
        }
    }

    /// Whether its begin is nothing but letters of nucleotides, names of records left out.
    pub fn may_be_dna(&self) -> bool {
        self.begins_with(|letter| complement(letter).is_some())
    }

    /// Whether its begin is nothing but letters and the `*` that ends a protein, names of records left out.
    pub fn may_be_sequence(&self) -> bool {
        self.begins_with(|letter| letter.is_ascii_alphabetic() || letter == b'*')
    }

    /// How it begins, as far as that is known without reading it.
    pub fn head(&self) -> &str {
        match &self.content {
            Content::Typed(text) => text,
            Content::File { head, .. } | Content::Stored { head, .. } => head.as_str(),
        }
    }

    fn begins_with(&self, is_one: fn(u8) -> bool) -> bool {
        let text = self.head().trim_start_matches('\u{feff}').trim_end();
        let is_file = text.starts_with(['>', ';']);
        let lines = text.lines().filter(|line| !is_file || !line.starts_with(['>', ';']));
        // Lines of sequences are broken; words of texts have blanks between them.
        let mut letters = lines.flat_map(str::bytes).take(LOOKED_AT).peekable();
        letters.peek().is_some() && letters.all(is_one)
    }

    /// Whether nothing was entered. A file of no bytes is something.
    pub fn is_blank(&self) -> bool {
        matches!(&self.content, Content::Typed(text) if text.is_empty()) && self.name.is_none()
    }

    /// The text, when it is in the text area.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Typed(text) if self.failure.is_none() => Some(text),
            Content::Typed(_) | Content::File { .. } | Content::Stored { .. } => None,
        }
    }

    /// The same as the form shares it with its copies.
    pub fn shared_text(&self) -> Option<Arc<str>> {
        match &self.content {
            Content::Typed(text) if self.failure.is_none() => Some(text.clone()),
            Content::Typed(_) | Content::File { .. } | Content::Stored { .. } => None,
        }
    }
}

/// Everything that decides an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// What to compute.
    pub task: Task,
    /// How.
    pub options: Options,
    /// The first text.
    pub a: Side,
    /// The second.
    pub b: Side,
}

/// What is to be done with a form that has just changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing was entered, or a file cannot be used.
    Nothing,
    /// This device reads both texts and plans with what it finds.
    Read,
    /// This device plans by the sizes: the texts are too long to read, or not here.
    Measure,
}

impl Form {
    /// The empty form. Graphemes are what a reader calls letters: an emoji or an accented letter is one, however it is encoded,
    /// and on plain ASCII and DNA they cost no more than bytes.
    pub fn new(task: Task) -> Self {
        Self { task, options: Options { unit: Unit::Graphemes, ..Options::default() }, a: Side::default(), b: Side::default() }
    }

    /// What a sample of a task fills in.
    pub fn of_sample(task: Task, sample: &Sample) -> Self {
        let side = |(name, text): (&str, &str)| Side { name: (!name.is_empty()).then(|| name.into()), ..Side::typed(text) };
        let takes = |option| Described::of(task).takes.contains(&option);
        let max_distance = sample.within.filter(|_| takes(Takes::MaxDistance));
        let max_mismatches = sample.within.filter(|_| takes(Takes::MaxMismatches));
        let options = Options { unit: sample.unit, max_distance, max_mismatches, ..Options::default() };
        Self { task, options, a: side(sample.a), b: side(sample.b) }
    }

    /// Whether no place in the last form's texts is one in those of this: both are others, or are counted otherwise.
    pub fn is_other_than(&self, last: &Self) -> bool {
        self.options.unit != last.options.unit || (self.a.content != last.a.content && self.b.content != last.b.content)
    }

    /// One of the texts.
    pub fn side(&self, which: Which) -> &Side {
        match which {
            Which::A => &self.a,
            Which::B => &self.b,
        }
    }

    /// One of the texts, to change it.
    pub fn side_mut(&mut self, which: Which) -> &mut Side {
        match which {
            Which::A => &mut self.a,
            Which::B => &mut self.b,
        }
    }

    /// Returns the options of the form's task as they are chosen. Options that only other tasks take have their defaults.
    pub fn asked(&self) -> Options {
        let method = self.options.method.filter(|method| Method::of(self.task).contains(method));
        let blocks = self.options.blocks.filter(|_| method == Some(Method::Slices));
        let Options { alignment, max_distance, local_minima, max_mismatches, strands, count_only, .. } = Options::default();
        let shared = Options { alignment, max_distance, local_minima, max_mismatches, strands, count_only, method, blocks, ..self.options };
        Described::of(self.task).takes.iter().fold(shared, |asked, option| {
            let Options { alignment, max_distance, local_minima, max_mismatches, strands, count_only, .. } = self.options;
            match option {
                Takes::Alignment => Options { alignment, ..asked },
                Takes::MaxDistance => Options { max_distance, ..asked },
                Takes::LocalMinima => Options { local_minima, ..asked },
                Takes::MaxMismatches => Options { max_mismatches, ..asked },
                Takes::Strands => Options { strands, ..asked },
                Takes::CountOnly => Options { count_only, ..asked },
            }
        })
    }

    /// Whether somebody may want both strands: the task can search them, and both texts look like DNA or RNA, or they were asked for.
    pub fn offers_strands(&self) -> bool {
        let is_on = !self.options.strands.is_forward();
        Task::STRANDED.contains(&self.task) && (is_on || self.a.may_be_dna() && self.b.may_be_dna())
    }

    /// Bytes of both texts.
    pub fn bytes(&self) -> u64 {
        self.a.bytes() + self.b.bytes()
    }

    /// Why a file that was opened for one of the texts cannot be used. There is no answer meanwhile, whatever the other text is.
    pub fn failure(&self) -> Option<&Arc<Problem>> {
        self.a.failure.as_ref().or(self.b.failure.as_ref())
    }

    /// The form in bytes, where any file is valid: those that were refused, because they are no texts, are compared too.
    pub fn in_bytes(&self) -> Self {
        let options = Options { unit: Unit::Bytes, normalize: false, ignore_accents: false, ..self.options };
        let side =
            |side: &Side| Side { failure: side.failure.clone().filter(|_| matches!(side.content, Content::Typed(_))), ..side.clone() };
        Self { options, a: side(&self.a), b: side(&self.b), ..self.clone() }
    }

    /// Whether its texts are fetched before they are compared in another way: a stored result's cannot be named in a job, and are
    /// small enough for this device.
    pub fn is_to_fetch(&self) -> bool {
        let bound = |side: &Side| matches!(&side.content, Content::Stored { upload, .. } if upload.is_empty());
        (bound(&self.a) || bound(&self.b)) && self.bytes() <= FETCHED_BYTES
    }

    /// What is to be done with it.
    pub fn next(&self) -> Next {
        let here = |side: &Side| !matches!(side.content, Content::Stored { .. });
        match self {
            form if form.a.is_blank() && form.b.is_blank() || form.failure().is_some() => Next::Nothing,
            form if here(&form.a) && here(&form.b) && form.bytes() <= READ_BYTES => Next::Read,
            _ => Next::Measure,
        }
    }

    /// Which records of both texts are meant.
    pub fn choices(&self) -> [Choice; 2] {
        [self.a.choice.clone(), self.b.choice.clone()]
    }

    /// How a text goes into a job without being sent first: `None` when it must be uploaded.
    pub fn inline(&self, which: Which) -> Option<Source> {
        let side = self.side(which);
        let given = match &side.content {
            Content::Typed(text) if text.len() as u64 <= INLINE_BYTES => Given::Text(text.as_ref().to_owned()),
            Content::Stored { upload, .. } if !upload.is_empty() => Given::Upload(upload.clone()),
            Content::Typed(_) | Content::File { .. } | Content::Stored { .. } => return None,
        };
        Some(Source { given, choice: side.choice.clone() })
    }

    /// Symbols as far as they are known without reading: bytes of what is here, symbols of what is stored.
    pub fn size(&self, which: Which) -> u64 {
        match &self.side(which).content {
            Content::Stored { symbols, .. } => *symbols,
            Content::Typed(_) | Content::File { .. } => self.side(which).bytes(),
        }
    }

    /// Whether both texts are on this device, wherever else they are.
    pub fn is_on_this_device(&self) -> bool {
        [&self.a, &self.b].into_iter().all(|side| !matches!(side.content, Content::Stored { .. }))
    }

    /// Bytes that a job on the server would have to send.
    pub fn bytes_to_send(&self) -> u64 {
        let stored = |side: &Side| matches!(side.content, Content::Stored { .. });
        [&self.a, &self.b].into_iter().filter(|side| !stored(side)).map(Side::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::{Record, Strands};

    use super::*;

    fn form(a: Content, b: Content) -> Form {
        let side = |content| Side { content, ..Side::default() };
        Form { a: side(a), b: side(b), ..Form::new(Task::EditDistance) }
    }

    fn file(bytes: u64) -> Content {
        Content::File { file: LocalFile::default(), bytes, head: String::new() }
    }

    fn stored() -> Content {
        Content::Stored { upload: "u".into(), bytes: 2_000, symbols: 1_000, head: String::new(), file: "/f".into() }
    }

    #[test]
    fn short_texts_of_a_stored_result_are_fetched_and_others_named() {
        let of_link = |bytes| Content::Stored { upload: String::new(), bytes, symbols: 1, head: String::new(), file: "/f".into() };
        assert!(form(of_link(100_000), Content::default()).is_to_fetch());
        assert!(!form(of_link(FETCHED_BYTES + 1), Content::default()).is_to_fetch());
        assert!(!form(stored(), Content::Typed("a".into())).is_to_fetch());
    }

    #[test]
    fn a_short_file_says_why_it_is_read_only() {
        let reason = |head: &str, bytes: u64| {
            Side { content: Content::File { file: LocalFile::default(), bytes, head: head.into() }, ..Side::default() }.read_only()
        };
        assert_eq!(reason("one\r\ntwo\n", 9), Some(ReadOnly::Crlf));
        assert_eq!(reason("one\rtwo\r", 8), Some(ReadOnly::Cr));
        assert_eq!(reason("caf\u{fffd}\r\n", 6), Some(ReadOnly::Encoding));
        assert_eq!(reason("o\0n\0e\0", 6), Some(ReadOnly::Encoding), "UTF-16");
        assert_eq!(reason("one", 500_000), Some(ReadOnly::Other), "a later part has the reason");
        assert_eq!((reason("a\0\0\0b\0\0c", 8), reason("", 0), reason("one\r\n", TYPED_BYTES + 1)), (None, None, None));
        assert_eq!(Side::typed("one").read_only(), None);
    }

    #[test]
    fn a_text_of_two_lines_has_both_without_their_ends() {
        for text in ["ababa\naba", "ababa\naba\n", "ababa\r\naba\r\n"] {
            assert_eq!(two_lines(text), Some(("ababa", "aba")), "{text:?}");
        }
        for text in ["", "ababa", "ababa\n", "\naba", "ababa\n\n", "a\nb\nc", "a\nb\n\n"] {
            assert_eq!(two_lines(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_letter_leaves_the_texts_what_they_are_and_other_texts_or_units_do_not() {
        let typed = |a: &str, b: &str| form(Content::Typed(a.into()), Content::Typed(b.into()));
        let last = typed("kitten", "sitting");
        let lcs = Form { task: Task::Lcs, ..last.clone() };
        let mut words = last.clone();
        words.options.unit = Unit::Words;
        assert!(!last.is_other_than(&last) && !typed("kitten", "sittin").is_other_than(&last) && !lcs.is_other_than(&last));
        assert!(typed("sitting", "kitten").is_other_than(&last) && words.is_other_than(&last));
    }

    #[test]
    fn small_texts_are_read_here_and_large_or_distant_ones_measured() {
        assert_eq!(form(Content::default(), Content::default()).next(), Next::Nothing);
        assert_eq!(form(Content::Typed("a".into()), Content::default()).next(), Next::Read);
        assert_eq!(form(file(0), Content::default()).next(), Next::Read);
        assert_eq!(form(file(READ_BYTES + 1), Content::default()).next(), Next::Measure);
        assert_eq!(form(Content::Typed("a".into()), stored()).next(), Next::Measure);
    }

    #[test]
    fn an_empty_file_is_something_and_an_empty_text_area_is_not() {
        assert!(Side::default().is_blank());
        assert!(!Side { content: file(0), ..Side::default() }.is_blank());
        assert!(!Side { name: Some("empty.txt".into()), ..Side::default() }.is_blank());
    }

    #[test]
    fn only_small_typed_texts_travel_inside_a_job() {
        let long = "x".repeat(INLINE_BYTES as usize + 1);
        assert_eq!(form(Content::Typed("a".into()), stored()).inline(Which::A), Some(Given::Text("a".into()).into()));
        assert_eq!(form(Content::Typed("a".into()), stored()).inline(Which::B), Some(Given::Upload("u".into()).into()));
        assert_eq!(form(Content::Typed(long.into()), file(3)).inline(Which::A), None);
        assert_eq!(form(Content::default(), file(3)).inline(Which::B), None);
        assert_eq!(form(file(3), stored()).bytes_to_send(), 3);
    }

    #[test]
    fn a_choice_of_records_lasts_while_a_file_is_edited_and_goes_into_the_job() {
        let choice = Choice { record: Some(Record::Number(1)), joined: false };
        let of_file = Side { name: Some("two.fasta".into()), choice: choice.clone(), ..Side::typed(">x\nAC\n>y\nGT\n") };
        let form = Form { a: of_file.clone(), ..Form::new(Task::EditDistance) };
        assert_eq!(form.inline(Which::A).unwrap().choice, choice);
        assert_eq!(of_file.retyped(">x\nAC\n>y\nGTA\n".into()).choice, choice);
        let other = of_file.retyped("kitten".into());
        assert_eq!((other.choice, other.name.as_deref()), (Choice::default(), Some("two.fasta")));
        assert_eq!(of_file.retyped(String::new()), Side::default());
    }

    #[test]
    fn a_failed_file_has_no_text_until_another_takes_its_place() {
        let problem = Problem::new("not-text", "a.png is an image", "");
        let failed = Side::failed("a.png".into(), problem.clone());
        let form = Form { a: failed.clone(), b: Side::typed("kitten"), ..Form::new(Task::EditDistance) };
        assert_eq!((form.next(), form.failure().map(|problem| &**problem), failed.text()), (Next::Nothing, Some(&problem), None));
        assert_eq!(failed.retyped("sitting".into()), Side::typed("sitting"));
        assert_eq!(form.in_bytes().failure(), form.failure(), "an archive has no bytes to compare");
        let image = Side { content: file(9), ..failed };
        let form = Form { a: image, ..form }.in_bytes();
        assert_eq!((form.next(), form.options.unit, form.failure()), (Next::Read, Unit::Bytes, None));
    }

    #[test]
    fn both_strands_are_offered_for_dna() {
        let offers = |task, a: &str, b: &str| Form { a: Side::typed(a), b: Side::typed(b), ..Form::new(task) }.offers_strands();
        assert!(offers(Task::ExactSearch, "GATC", ">chr1 with a name\nacgtn\nGATTACA\n"));
        assert!(offers(Task::ApproximateSearch, "GAUUACA\n", "ACGRYSWKMBDHVN"));
        assert!(!offers(Task::MatchCount, "GATC", "GATC") && !offers(Task::Lcs, "GATC", "GATC"));
        for (a, b) in [("", "GATC"), ("GATC", ""), ("GATC", "some words"), ("hello", "GATC")] {
            assert!(!offers(Task::ExactSearch, a, b), "{a}, {b}");
        }
        let mut form = Form { a: Side::typed("hello"), ..Form::new(Task::ExactSearch) };
        form.options.strands = Strands::Both;
        assert!(form.offers_strands(), "it can be taken back");
    }

    #[test]
    fn options_of_other_tasks_go_nowhere() {
        let chosen = Options {
            unit: Unit::Words,
            alignment: false,
            max_distance: Some(2),
            local_minima: true,
            max_mismatches: Some(3),
            strands: Strands::Both,
            count_only: true,
            blocks: Some(16),
            ..Options::default()
        };
        let asked = |task| Form { options: chosen, ..Form::new(task) }.asked();
        let plain = Options { unit: Unit::Words, ..Options::default() };
        assert_eq!(asked(Task::EditDistance), Options { alignment: false, ..plain });
        assert_eq!(asked(Task::Lcs), Options { alignment: false, ..plain });
        let approximate = Options { max_distance: Some(2), local_minima: true, strands: Strands::Both, count_only: true, ..plain };
        assert_eq!(asked(Task::ApproximateSearch), approximate);
        assert_eq!(asked(Task::MatchCount), Options { max_mismatches: Some(3), count_only: true, ..plain });
        assert_eq!(asked(Task::ExactSearch), Options { strands: Strands::Both, count_only: true, ..plain });
        let sliced = Form { options: Options { method: Some(Method::Slices), ..chosen }, ..Form::new(Task::ApproximateSearch) };
        assert_eq!(sliced.asked(), Options { method: Some(Method::Slices), blocks: Some(16), ..approximate });
    }
}
