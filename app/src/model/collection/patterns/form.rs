//! The form of a search for many patterns ([`PatternForm`]): patterns, texts and options.

use explain::worker_protocol::collection::SourceInfo;
use explain::worker_protocol::patterns::{PatternNote, PatternRequest};
use kernels::collection::MemberSplit;
use kernels::job::{JobOptions, SearchStrands, Task, Unit};
use kernels::reading::mark_len;

use super::super::opened::{FileDecoder, convert, is_marked_or_utf8};
use super::super::sources::TextSource;

/// Patterns, texts and options of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternForm {
    /// Exact or approximate search.
    pub task: Task,
    /// The patterns: a line for each, or a file of records.
    pub patterns: TextSource,
    /// The texts in which the patterns are searched.
    pub texts: Vec<TextSource>,
    /// Rule by which each of the texts is divided.
    pub split: MemberSplit,
    /// Maximum number of edits of an approximate search, for patterns without a number of their own.
    pub max_distance: u64,
    pub has_both_strands: bool,
    pub has_ambiguity: bool,
    pub case_insensitive: bool,
}

/// Error for a line of the patterns that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternLineError {
    /// The number of edits of a line (counted from 1) is no whole number.
    Edits { line: usize, value: String },
    /// A line (counted from 1) has more than three columns.
    Columns { line: usize },
    /// A line (counted from 1) has no letters.
    NoLetters { line: usize },
}

/// The patterns as the solver reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedPatterns {
    pub split: MemberSplit,
    pub bytes: Vec<u8>,
    /// Names and limits of all patterns. Empty if no pattern has one.
    pub notes: Vec<PatternNote>,
}

impl Default for PatternForm {
    fn default() -> Self {
        Self {
            task: Task::ApproximateSearch,
            patterns: TextSource::typed(""),
            texts: Vec::new(),
            split: MemberSplit::Files,
            max_distance: 1,
            has_both_strands: false,
            has_ambiguity: false,
            case_insensitive: false,
        }
    }
}

impl PatternForm {
    /// Returns whether patterns or texts are missing.
    pub fn is_blank(&self) -> bool {
        self.patterns.bytes.is_empty() || self.texts.iter().all(|text| text.bytes.is_empty())
    }

    /// Returns whether there are neither patterns nor texts.
    pub fn is_empty(&self) -> bool {
        self.patterns.bytes.is_empty() && self.texts.iter().all(|text| text.bytes.is_empty())
    }

    /// Iterates over the patterns and the texts.
    pub fn sources(&self) -> impl Iterator<Item = &TextSource> {
        std::iter::once(&self.patterns).chain(&self.texts)
    }

    /// Decodes patterns and texts that are neither UTF-8 nor UTF-16 by `decode`. Returns a sentence about each.
    pub fn convert(&mut self, decode: FileDecoder) -> Vec<String> {
        convert(std::iter::once(&mut self.patterns).chain(&mut self.texts), is_marked_or_utf8, decode)
    }

    /// Returns the text of the editor of texts, or `None` if the texts are files that it cannot show.
    pub fn typed_text(&self) -> Option<&str> {
        match &self.texts[..] {
            [] => Some(""),
            [only] => only.text(),
            _ => None,
        }
    }

    /// Replaces the texts by the content of the editor.
    pub fn retype_text(&mut self, text: &str) {
        self.texts = if text.is_empty() { Vec::new() } else { vec![TextSource::typed(text)] };
    }

    /// Returns the options of the search.
    pub fn job_options(&self) -> JobOptions {
        let is_approximate = self.task == Task::ApproximateSearch;
        JobOptions {
            unit: Unit::Chars,
            case_insensitive: self.case_insensitive,
            ambiguity: self.has_ambiguity,
            strands: if self.has_both_strands { SearchStrands::Both } else { SearchStrands::Forward },
            max_distance: is_approximate.then_some(self.max_distance),
            // Neighbours of a place are within the limit too, and are no places of their own.
            local_minima: is_approximate,
            ..JobOptions::default()
        }
    }

    /// Returns the name of the patterns in failures.
    pub fn patterns_name(&self) -> &str {
        if self.patterns.name.is_empty() { "patterns" } else { &self.patterns.name }
    }

    /// Divides the patterns, and reads names and limits beside them.
    ///
    /// # Errors
    /// Returns the line that is not understood.
    pub fn parse_patterns(&self) -> Result<ParsedPatterns, PatternLineError> {
        let bytes = &self.patterns.bytes[mark_len(&self.patterns.bytes)..];
        let (mut parsed, is_whole) = match std::str::from_utf8(bytes) {
            Ok(text) if text.starts_with(['>', '@']) => (of_records(text)?, true),
            Ok(text) => (of_lines(text)?, false),
            // The solver names the byte that is no text.
            Err(_) => (ParsedPatterns { split: MemberSplit::Lines, bytes: bytes.to_vec(), notes: Vec::new() }, true),
        };
        if self.task == Task::ExactSearch {
            parsed.notes.iter_mut().for_each(|note| note.max_distance = None);
        }
        if is_whole && parsed.notes.iter().all(|note| note.max_distance.is_none() && note.name.is_none()) {
            parsed.notes.clear();
        }
        Ok(parsed)
    }

    /// Creates the request to search, with at most `max_cells` cells, and the bytes of all sources.
    ///
    /// # Errors
    /// Returns the line of the patterns that is not understood.
    pub fn request(&self, max_cells: u64) -> Result<(PatternRequest, Vec<u8>), PatternLineError> {
        let ParsedPatterns { split: pattern_split, mut bytes, notes } = self.parse_patterns()?;
        let info = |name: &str, otherwise: &str, bytes: &[u8]| {
            let name = if name.is_empty() { otherwise } else { name };
            SourceInfo { name: name.to_owned(), bytes: bytes.len() as u64 }
        };
        let request = PatternRequest {
            task: self.task,
            options: self.job_options(),
            pattern_split,
            split: self.split,
            labels: notes,
            max_cells,
            patterns: info(self.patterns_name(), "", &bytes),
            texts: self.texts.iter().map(|text| info(&text.name, "text", &text.bytes)).collect(),
        };
        self.texts.iter().for_each(|text| bytes.extend_from_slice(&text.bytes));
        Ok((request, bytes))
    }
}

/// Reads the limits `k=2` in the headers of records.
fn of_records(text: &str) -> Result<ParsedPatterns, PatternLineError> {
    let lines = text.lines().map(|line| &line[mark_len(line.as_bytes())..]);
    let headers = lines.enumerate().filter(|(_, line)| line.starts_with('>'));
    let note = |(number, header): (usize, &str)| {
        let value = header.split_whitespace().skip(1).find_map(|word| word.strip_prefix("k="));
        Ok(PatternNote { name: None, max_distance: value.map(|value| edits(number + 1, value)).transpose()? })
    };
    let notes = if text.starts_with('>') { headers.map(note).collect::<Result<_, _>>()? } else { Vec::new() };
    Ok(ParsedPatterns { split: MemberSplit::Records, bytes: text.as_bytes().to_vec(), notes })
}

/// Reads a pattern from each line that is not empty: its letters with or without ` k=2`, or its name, letters and limit
/// between tabs.
fn of_lines(text: &str) -> Result<ParsedPatterns, PatternLineError> {
    let (mut patterns, mut notes) = (Vec::new(), Vec::new());
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    // Joined files have byte order marks at the starts of lines.
    let lines = text.lines().map(|line| &line[mark_len(line.as_bytes())..]);
    for (number, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (name, letters, limit) = match columns[..] {
            [letters] => match letters.rsplit_once(" k=") {
                Some((letters, limit)) => ("", letters, limit),
                None => ("", letters, ""),
            },
            [name, letters] => (name, letters, ""),
            [name, letters, limit] => (name, letters, limit),
            _ => return Err(PatternLineError::Columns { line: number + 1 }),
        };
        if letters.is_empty() {
            return Err(PatternLineError::NoLetters { line: number + 1 });
        }
        patterns.push(letters);
        let max_distance = if limit.trim().is_empty() { None } else { Some(edits(number + 1, limit.trim())?) };
        notes.push(PatternNote { name: (!name.is_empty()).then(|| name.to_owned()), max_distance });
    }
    Ok(ParsedPatterns { split: MemberSplit::Lines, bytes: patterns.join("\n").into_bytes(), notes })
}

fn edits(line: usize, value: &str) -> Result<u64, PatternLineError> {
    value.parse().map_err(|_| PatternLineError::Edits { line, value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(task: Task, patterns: &str) -> Result<ParsedPatterns, PatternLineError> {
        PatternForm { task, patterns: TextSource::typed(patterns), ..PatternForm::default() }.parse_patterns()
    }

    fn note(name: &str, max_distance: Option<u64>) -> PatternNote {
        PatternNote { name: (!name.is_empty()).then(|| name.to_owned()), max_distance }
    }

    #[test]
    fn lines_end_at_any_line_end_and_need_letters() {
        assert_eq!(parsed(Task::ExactSearch, "n\tACGT\rTT").unwrap().bytes, b"ACGT\nTT");
        assert_eq!(parsed(Task::ExactSearch, "ACGT\r\nx\t").unwrap_err(), PatternLineError::NoLetters { line: 2 });
    }

    #[test]
    fn lines_have_letters_names_and_limits_between_tabs() {
        let read = parsed(Task::ApproximateSearch, "one two\n\nrep_F\tACGT\nrep_R\tGATT\t2\r\nA C k=3").unwrap();
        assert_eq!((read.split, &read.bytes[..]), (MemberSplit::Lines, &b"one two\nACGT\nGATT\nA C"[..]));
        assert_eq!(read.notes, [note("", None), note("rep_F", None), note("rep_R", Some(2)), note("", Some(3))]);
        assert_eq!(parsed(Task::ExactSearch, "rep_R\tGATT\t2").unwrap().notes, [note("rep_R", None)]);
    }

    #[test]
    fn byte_order_marks_at_line_starts_are_no_letters() {
        let read = parsed(Task::ApproximateSearch, "\u{feff}one\n\u{feff}rep_F\tACGT\n\u{feff}\nGATT").unwrap();
        assert_eq!((&read.bytes[..], read.notes), (&b"one\nACGT\nGATT"[..], vec![note("", None), note("rep_F", None), note("", None)]));
        let records = parsed(Task::ApproximateSearch, "\u{feff}>a k=0\nAC\n\u{feff}>b k=2\nGT").unwrap();
        assert_eq!(records.notes, [note("", Some(0)), note("", Some(2))]);
    }

    #[test]
    fn headers_of_records_have_limits() {
        let fasta = ">rep_F k=0\nACGT\n>rep_R forward k=3\nGATT\n>x\nAC\n";
        let read = parsed(Task::ApproximateSearch, fasta).unwrap();
        assert_eq!((read.split, &read.bytes[..]), (MemberSplit::Records, fasta.as_bytes()));
        assert_eq!(read.notes, [note("", Some(0)), note("", Some(3)), note("", None)]);
        assert!(parsed(Task::ApproximateSearch, ">x\nACGT\n").unwrap().notes.is_empty());
        assert!(parsed(Task::ExactSearch, fasta).unwrap().notes.is_empty());
    }

    #[test]
    fn bad_lines_are_named() {
        let edits = |line, value: &str| Err(PatternLineError::Edits { line, value: value.into() });
        assert_eq!(parsed(Task::ApproximateSearch, "a\nx\tACGT\tmany"), edits(2, "many"));
        assert_eq!(parsed(Task::ApproximateSearch, ">a\nAC\n>b k=-1\nAC"), edits(3, "-1"));
        assert_eq!(parsed(Task::ApproximateSearch, "a\tb\t1\t2"), Err(PatternLineError::Columns { line: 1 }));
    }

    #[test]
    fn request_has_patterns_before_the_texts() {
        let mut form = PatternForm { patterns: TextSource::typed("ab\nc"), has_both_strands: true, ..PatternForm::default() };
        assert!(form.is_blank() && !form.is_empty());
        form.retype_text("xyz");
        let (request, bytes) = form.request(9).unwrap();
        assert_eq!((&bytes[..], request.patterns.bytes, request.texts[0].bytes), (&b"ab\ncxyz"[..], 4, 3));
        assert_eq!((request.options.max_distance, request.options.local_minima), (Some(1), true));
        assert!(request.sides_of(&bytes).is_some() && !request.options.strands.is_forward() && !form.is_blank());
        form.task = Task::ExactSearch;
        let options = form.job_options();
        assert_eq!((options.check(Task::ExactSearch), options.max_distance), (Ok(()), None));
        form.retype_text("");
        assert_eq!(form.typed_text(), Some(""));
    }
}
