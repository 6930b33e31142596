//! The form of a collection: its texts and the options of the comparison ([`CollectionForm`]).

use std::sync::Arc;

use explain::worker_protocol::collection::{CollectionRequest, SourceInfo};
use kernels::collection::MemberSplit;
use kernels::job::{JobOptions, Unit};

use super::measure::Measure;
use crate::model::form::TYPED_BYTES;

/// A text or file of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSource {
    /// Name of the file. Empty if the text was typed.
    pub name: Arc<str>,
    pub bytes: Arc<[u8]>,
}

impl TextSource {
    pub fn typed(text: &str) -> Self {
        Self { name: "".into(), bytes: text.as_bytes().into() }
    }

    /// Returns the text, if a text area can show it unchanged.
    pub fn text(&self) -> Option<&str> {
        // A text area replaces CR by LF.
        let fits = self.bytes.len() as u64 <= TYPED_BYTES && !self.bytes.contains(&b'\r') && !self.bytes.contains(&0);
        std::str::from_utf8(&self.bytes).ok().filter(|_| fits)
    }
}

/// The texts of a collection and the options of their comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionForm {
    pub sources: Vec<TextSource>,
    /// Rule by which each source is divided into texts.
    pub split: MemberSplit,
    pub measure: Measure,
    pub unit: Unit,
    pub case_insensitive: bool,
    pub ignore_whitespace: bool,
}

impl Default for CollectionForm {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
            split: MemberSplit::Lines,
            measure: Measure::Similarity,
            unit: Unit::Graphemes,
            case_insensitive: false,
            ignore_whitespace: false,
        }
    }
}

impl CollectionForm {
    /// Returns whether there are no texts.
    pub fn is_blank(&self) -> bool {
        self.sources.iter().all(|source| source.bytes.is_empty() && source.name.is_empty())
    }

    /// Returns the text of the text area, or `None` if the texts are files that it cannot show.
    pub fn typed(&self) -> Option<&str> {
        match &self.sources[..] {
            [] => Some(""),
            [only] => only.text(),
            _ => None,
        }
    }

    /// Replaces the texts by the content of the text area.
    pub fn retype(&mut self, text: &str) {
        self.sources = if text.is_empty() { Vec::new() } else { vec![TextSource::typed(text)] };
        if self.split == MemberSplit::Files {
            self.split = split_of(text.as_bytes());
        }
    }

    /// Replaces the texts by opened files. A single file is divided, because it is a collection only if it has several
    /// texts. Several files are compared by words if they are prose.
    pub fn open(&mut self, files: Vec<TextSource>) {
        match &files[..] {
            [] => return,
            [only] => self.split = split_of(&only.bytes),
            [first, ..] => {
                self.split = MemberSplit::Files;
                self.unit = if is_prose(&first.bytes) { Unit::Words } else { Unit::Graphemes };
            }
        }
        // Records have letters and no words.
        if self.split == MemberSplit::Records {
            self.unit = Unit::Graphemes;
        }
        self.sources = files;
    }

    /// Returns the options of the comparison.
    pub fn job_options(&self) -> JobOptions {
        JobOptions {
            unit: self.unit,
            case_insensitive: self.case_insensitive,
            ignore_whitespace: self.ignore_whitespace,
            alignment: false,
            ..JobOptions::default()
        }
    }

    /// Creates the request to compare the texts, with at most `max_cells` cells.
    pub fn request(&self, max_cells: u64) -> CollectionRequest {
        let source = |(number, source): (usize, &TextSource)| {
            let name = if source.name.is_empty() { format!("text {}", number + 1) } else { source.name.to_string() };
            SourceInfo { name, bytes: source.bytes.len() as u64 }
        };
        CollectionRequest {
            task: self.measure.task(),
            options: self.job_options(),
            split: self.split,
            max_cells,
            sources: self.sources.iter().enumerate().map(source).collect(),
        }
    }

    /// Returns whether the scores for `other` differ from those for this form. Edits and similarity have the same scores.
    pub fn needs_other_scores(&self, other: &Self) -> bool {
        Self { measure: other.measure, ..self.clone() } != *other || self.measure.task() != other.measure.task()
    }
}

/// Returns the rule by which a single file or typed text is divided.
fn split_of(text: &[u8]) -> MemberSplit {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if matches!(text.first(), Some(b'>' | b'@')) { MemberSplit::Records } else { MemberSplit::Lines }
}

/// Number of bytes at the beginning of a file in which [`is_prose`] looks for white space.
const PROSE_SAMPLE_BYTES: usize = 400;

/// Minimum size of prose, in bytes.
const MIN_PROSE_BYTES: usize = 100;

/// Returns whether a file has words: white space at usual distances.
fn is_prose(text: &[u8]) -> bool {
    let begin = &text[..text.len().min(PROSE_SAMPLE_BYTES)];
    let spaces = begin.iter().filter(|byte| byte.is_ascii_whitespace()).count();
    begin.len() >= MIN_PROSE_BYTES && spaces * 12 >= begin.len()
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;

    fn file(name: &str, text: &str) -> TextSource {
        TextSource { name: name.into(), bytes: text.as_bytes().into() }
    }

    #[test]
    fn typed_text_is_restored_and_a_file_with_carriage_returns_is_not_edited() {
        let mut form = CollectionForm::default();
        assert!(form.is_blank() && form.typed() == Some(""));
        form.retype("a\nb");
        assert_eq!((form.typed(), form.split, form.is_blank()), (Some("a\nb"), MemberSplit::Lines, false));
        form.open(vec![file("x.txt", "a\r\nb")]);
        assert_eq!((form.typed(), form.split), (None, MemberSplit::Lines));
        form.retype("");
        assert!(form.is_blank());
    }

    #[test]
    fn opened_files_choose_division_and_unit() {
        let mut form = CollectionForm::default();
        form.open(vec![file("x.fasta", ">a\nAC\n>b\nGT\n")]);
        assert_eq!((form.split, form.unit, form.typed()), (MemberSplit::Records, Unit::Graphemes, Some(">a\nAC\n>b\nGT\n")));
        let prose = "The council wants to know what we think about closing the High Street to cars, so here is my opinion. ".repeat(2);
        form.open(vec![file("a.txt", &prose), file("b.txt", "x")]);
        assert_eq!((form.split, form.unit, form.typed()), (MemberSplit::Files, Unit::Words, None));
        form.retype("line");
        assert_eq!(form.split, MemberSplit::Lines);
        let before = form.clone();
        form.open(Vec::new());
        assert_eq!(form, before);
    }

    #[test]
    fn request_has_the_names_and_sizes_of_all_sources() {
        let mut form = CollectionForm { measure: Measure::LcsRatio, ..CollectionForm::default() };
        form.open(vec![file("a.txt", "one"), file("", "two!")]);
        let request = form.request(7);
        assert_eq!((request.task, request.max_cells, request.options.alignment), (Task::Lcs, 7, false));
        let sources: Vec<_> = request.sources.iter().map(|source| (source.name.as_str(), source.bytes)).collect();
        assert_eq!(sources, [("a.txt", 3), ("text 2", 4)]);
    }

    #[test]
    fn edits_and_similarity_have_the_same_scores() {
        let form = CollectionForm::default();
        let edits = CollectionForm { measure: Measure::Edits, ..form.clone() };
        assert!(!form.needs_other_scores(&edits) && !form.needs_other_scores(&form));
        assert!(form.needs_other_scores(&CollectionForm { measure: Measure::LcsRatio, ..form.clone() }));
        assert!(form.needs_other_scores(&CollectionForm { unit: Unit::Words, ..form.clone() }));
    }
}
