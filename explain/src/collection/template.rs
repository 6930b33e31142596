//! Template: the text from which all texts of a collection began, such as a starter file. Its lines and words do not
//! count.
//!
//! A word of a text does not count in two cases, where a word is what stands between white space:
//!
//! - its line, without white space at both ends, is a line of the template
//! - it is part of a run of at least [`MIN_RUN`] words that is in the template
//!
//! A run lies within one text: of a side that is divided into lines, it crosses no line end. Thus a line has the same words if
//! it is sent apart with a name.

use std::collections::HashSet;
use std::ops::Range;

use kernels::collection::{MemberSource, MemberSplit, SideSources};
use kernels::failure::{InputError, JobFailure};
use kernels::reading::{mark_len, utf8};
use kernels::text::Unit;

/// Number of words in a row from which on they stem from the template.
pub const MIN_RUN: usize = 5;

/// A template, prepared for many texts.
#[derive(Debug, Default)]
pub struct TextTemplate<'t> {
    lines: HashSet<&'t [u8]>,
    runs: HashSet<[&'t [u8]; MIN_RUN]>,
}

impl<'t> TextTemplate<'t> {
    /// Prepares the sources of a template for texts whose symbols are of `unit`. Takes O(bytes) time and memory.
    ///
    /// # Errors
    /// Returns `BadInput` if a source is in UTF-16. Also returns it if a source is not UTF-8 and symbols are no bytes, because
    /// lines and words of the source would not be found in texts in UTF-8.
    pub fn of_sources(sources: &'t [MemberSource], unit: Unit) -> Result<Self, JobFailure> {
        for source in sources {
            check_encoding(source)?;
            if unit != Unit::Bytes {
                utf8(&source.name, &source.bytes)?;
            }
        }
        Ok(Self::new(sources.iter().map(|source| &source.bytes[..])))
    }

    /// Prepares the texts of a template. Takes O(bytes) time and memory.
    pub fn new(texts: impl IntoIterator<Item = &'t [u8]>) -> Self {
        let mut template = Self::default();
        for text in texts {
            template.lines.extend(text.split(is_line_end).map(trimmed).filter(|line| !line.is_empty()));
            let words: Vec<&[u8]> = words(text).map(|word| &text[word]).collect();
            template.runs.extend(words.windows(MIN_RUN).filter_map(|run| <[&[u8]; MIN_RUN]>::try_from(run).ok()));
        }
        template
    }

    /// Returns whether each word of `text` stems from the template, with the place of the word. Takes O(bytes) time.
    fn marked(&self, text: &[u8]) -> Vec<(Range<usize>, bool)> {
        let mut marked: Vec<(Range<usize>, bool)> = words(text).map(|word| (word, false)).collect();
        for at in 0..(marked.len() + 1).saturating_sub(MIN_RUN) {
            let run: [&[u8]; MIN_RUN] = std::array::from_fn(|word| &text[marked[at + word].0.clone()]);
            if self.runs.contains(&run) {
                marked[at..at + MIN_RUN].iter_mut().for_each(|(_, is_of_template)| *is_of_template = true);
            }
        }
        let mut next = 0;
        for line in line_ranges(text) {
            let first = next;
            while next < marked.len() && marked[next].0.start < line.end {
                next += 1;
            }
            if self.lines.contains(trimmed(&text[line])) {
                marked[first..next].iter_mut().for_each(|(_, is_of_template)| *is_of_template = true);
            }
        }
        marked
    }

    /// Returns `text` without the words that stem from the template, and without the white space after them. A line of
    /// which nothing remains is removed. Takes O(bytes) time.
    pub fn remove_from(&self, text: &[u8]) -> Vec<u8> {
        let marked = self.marked(text);
        let mut kept = Vec::with_capacity(text.len());
        let mut next = 0;
        for line in line_ranges(text) {
            let first = next;
            while next < marked.len() && marked[next].0.start < line.end {
                next += 1;
            }
            let own = &marked[first..next];
            let end = line_end(text, line.end);
            if !own.iter().any(|(_, is_of_template)| *is_of_template) {
                kept.extend_from_slice(&text[line.start..end]);
                continue;
            }
            if own.iter().all(|(_, is_of_template)| *is_of_template) {
                continue;
            }
            let start = kept.len();
            let mut at = line.start;
            for (number, (word, is_of_template)) in own.iter().enumerate() {
                let after = own.get(number + 1).map_or(line.end, |(next, _)| next.start);
                kept.extend_from_slice(&text[at..word.start]);
                if !is_of_template {
                    kept.extend_from_slice(&text[word.start..after]);
                }
                at = after;
            }
            if own.last().is_some_and(|(_, is_of_template)| *is_of_template) {
                while kept.len() > start && kept.last().is_some_and(u8::is_ascii_whitespace) {
                    kept.pop();
                }
            }
            kept.extend_from_slice(&text[line.end..end]);
        }
        kept
    }

    /// Returns `text`, whose lines are texts of their own, without the words that stem from the template. A line of which
    /// nothing remains is empty, so that the number of lines stays. Takes O(bytes) time.
    pub fn remove_from_lines(&self, text: &[u8]) -> Vec<u8> {
        let mut kept = Vec::with_capacity(text.len());
        for line in line_ranges(text) {
            let (rest, end) = (self.remove_from(&text[line.clone()]), line_end(text, line.end));
            kept.extend_from_slice(&rest);
            kept.extend_from_slice(match &text[line.end..end] {
                // The LF of an empty line would belong to the CR before it.
                b"" | b"\n" if rest.is_empty() && kept.ends_with(b"\r") => b"\r",
                // A last line without an end would be no line any more.
                b"" if rest.is_empty() => b"\n",
                line_end => line_end,
            });
        }
        kept
    }

    /// Returns the sources of a side without the words that stem from the template.
    ///
    /// # Errors
    /// Returns `BadInput` if a text is in UTF-16, or if the side is divided into records or at blank lines, because lines that are removed would change
    /// the division.
    pub fn remove_from_side(&self, mut side: SideSources) -> Result<SideSources, JobFailure> {
        let remove: fn(&Self, &[u8]) -> Vec<u8> = match side.split {
            MemberSplit::Files | MemberSplit::Plain => Self::remove_from,
            MemberSplit::Lines => Self::remove_from_lines,
            MemberSplit::Records | MemberSplit::Blank => {
                let message = "A template needs texts that are files or lines, and these are divided in another way.";
                return Err(JobFailure::bad_input(message.to_owned()));
            }
        };
        for source in &mut side.sources {
            check_encoding(source)?;
            source.bytes = remove(self, &source.bytes).into();
        }
        Ok(side)
    }
}

/// Checks that a source is not marked as UTF-16, whose bytes of white space belong to other characters.
fn check_encoding(source: &MemberSource) -> Result<(), JobFailure> {
    if ![&b"\xff\xfe"[..], b"\xfe\xff"].iter().any(|mark| source.bytes.starts_with(mark)) {
        return Ok(());
    }
    let name = &source.name;
    let message = format!("A template needs texts in UTF-8, and {name} is in UTF-16. Save it as UTF-8.");
    // No UTF-8 has the first byte of the mark.
    Err(JobFailure::wrong(message, InputError::NotUtf8 { text: name.clone(), byte: 0, utf16: false }))
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns a line without a byte order mark at its start, and without white space at both ends.
fn trimmed(line: &[u8]) -> &[u8] {
    line[mark_len(line)..].trim_ascii()
}

/// Iterates over the places of the words of a text. A byte order mark at the start of a line belongs to no word, because joined
/// files have it there.
fn words(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = mark_len(text);
    std::iter::from_fn(move || {
        while text.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
            if is_line_end(&text[at - 1]) {
                at += mark_len(&text[at..]);
            }
        }
        let start = at;
        at = text[start..].iter().position(u8::is_ascii_whitespace).map_or(text.len(), |len| start + len);
        (start < at).then_some(start..at)
    })
}

/// Returns the position after the line end at `at`, or `at` if the text ends there.
fn line_end(text: &[u8], at: usize) -> usize {
    at + text[at..].len().min(usize::from(text[at..].starts_with(b"\r\n")) + 1)
}

/// Iterates over the places of the lines of a text, without their ends. LF, CR LF or CR ends a line.
fn line_ranges(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let end = text[start..].iter().position(is_line_end).map_or(text.len(), |len| start + len);
        let line = start..end;
        start = if text[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use kernels::collection::MemberSource;

    use super::*;

    #[test]
    fn texts_in_utf_16_are_refused() {
        let template = TextTemplate::new([&b"pass"[..]]);
        let bytes: Vec<u8> = "\u{feff}pass\nkitten".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let side = SideSources { sources: vec![MemberSource { name: "a.txt".into(), bytes: bytes.into() }], split: MemberSplit::Files };
        let failure = TextTemplate::of_sources(&side.sources, Unit::Bytes).unwrap_err();
        assert_eq!(failure.to_string(), "A template needs texts in UTF-8, and a.txt is in UTF-16. Save it as UTF-8.");
        let wrong = InputError::NotUtf8 { text: "a.txt".into(), byte: 0, utf16: false };
        assert!(matches!(&failure, JobFailure::BadInput { wrong: Some(found), .. } if *found == wrong), "{failure:?}");
        assert_eq!(template.remove_from_side(side).unwrap_err(), failure);
    }

    #[test]
    fn templates_in_windows_1252_are_refused() {
        let sources = [MemberSource { name: "starter.txt".into(), bytes: b"caf\xe9 noir".as_slice().into() }];
        let failure = TextTemplate::of_sources(&sources, Unit::Words).unwrap_err();
        assert_eq!(failure.to_string(), "starter.txt is not valid UTF-8 at byte 3. Count in bytes, or save the file as UTF-8.");
        let wrong = InputError::NotUtf8 { text: "starter.txt".into(), byte: 3, utf16: false };
        assert!(matches!(&failure, JobFailure::BadInput { wrong: Some(found), .. } if *found == wrong), "{failure:?}");
        // Bytes are compared as they are.
        let template = TextTemplate::of_sources(&sources, Unit::Bytes).unwrap();
        let side = SideSources { sources: sources.to_vec(), split: MemberSplit::Files };
        assert_eq!(*template.remove_from_side(side).unwrap().sources[0].bytes, b""[..]);
    }

    /// Returns whether each word of `text` stems from `template`, by the definition.
    fn serial(text: &str, template: &str) -> Vec<bool> {
        let of_template: Vec<&str> = template.split_ascii_whitespace().collect();
        let words: Vec<(&str, bool)> = text
            .split(['\n', '\r'])
            .flat_map(|line| {
                let is_line =
                    template.split(['\n', '\r']).any(|other| !line.trim_ascii().is_empty() && other.trim_ascii() == line.trim_ascii());
                line.split_ascii_whitespace().map(move |word| (word, is_line)).collect::<Vec<_>>()
            })
            .collect();
        let is_in_run = |at: usize| {
            (0..=at).any(|from| {
                (at.max(from + MIN_RUN - 1)..words.len()).any(|last| {
                    let run: Vec<&str> = words[from..=last].iter().map(|(word, _)| *word).collect();
                    of_template.windows(run.len()).any(|other| other == run)
                })
            })
        };
        (0..words.len()).map(|at| words[at].1 || is_in_run(at)).collect()
    }

    #[test]
    fn words_of_the_template_are_those_of_the_definition() {
        let random = &mut fastrand::Rng::with_seed(39);
        let mut text = |len: usize| -> String {
            (0..len)
                .map(|_| ["a", "b", "c"][random.usize(..3)].to_owned() + [" ", " ", "  ", "\n", "\r\n", " \n\n"][random.usize(..6)])
                .collect()
        };
        for case in 0..2_000 {
            let (template, own) = (text(case % 40), text(case % 23));
            let prepared = TextTemplate::new([template.as_bytes()]);
            let marked: Vec<bool> = prepared.marked(own.as_bytes()).iter().map(|(_, is_of_template)| *is_of_template).collect();
            let expected = serial(&own, &template);
            assert_eq!(marked, expected, "{own:?} with {template:?}");
            let kept = String::from_utf8(prepared.remove_from(own.as_bytes())).unwrap();
            let words = own.split_ascii_whitespace().zip(&expected).filter(|(_, is_of_template)| !**is_of_template).map(|(word, _)| word);
            assert!(kept.split_ascii_whitespace().eq(words), "{own:?} with {template:?} gives {kept:?}");
        }
    }

    #[test]
    fn line_has_the_same_rest_within_its_text_and_apart() {
        let random = &mut fastrand::Rng::with_seed(93);
        let mut text = |len: usize| -> String {
            (0..len).map(|_| ["a", "b"][random.usize(..2)].to_owned() + [" ", " ", " ", "\n", "\r\n", "\r"][random.usize(..6)]).collect()
        };
        for case in 0..2_000 {
            let (template, own) = (text(case % 40), text(case % 31) + ["", "a b a b a"][case % 2]);
            let prepared = TextTemplate::new([template.as_bytes()]);
            let kept = prepared.remove_from_lines(own.as_bytes());
            let lines = |text: &[u8]| line_ranges(text).map(|line| text[line].to_vec()).collect::<Vec<_>>();
            let apart: Vec<Vec<u8>> = lines(own.as_bytes()).iter().map(|line| prepared.remove_from(line)).collect();
            assert_eq!(lines(&kept), apart, "{own:?} with {template:?}");
        }
        let template = TextTemplate::new([&b"one two three four five six"[..]]);
        assert_eq!(template.remove_from_lines(b"one two three\nfour five six\nx"), b"one two three\nfour five six\nx");
        assert_eq!(template.remove_from(b"one two three\nfour five six\nx"), b"x");
        // The lines of a template are those of one text.
        let wrapped = TextTemplate::new([&b"one two three\nfour five six"[..]]);
        assert_eq!(wrapped.remove_from_lines(b"x two three four five six y"), b"x y");
    }

    #[test]
    fn byte_order_marks_at_line_starts_belong_to_no_word() {
        let template = TextTemplate::new([&b"\xef\xbb\xbfpass\none two three four five\n\xef\xbb\xbfdef\n"[..]]);
        let removed = |text: &str| String::from_utf8(template.remove_from(text.as_bytes())).unwrap();
        assert_eq!(removed("\u{feff}pass\nx\n\u{feff}pass\n\u{feff}  def\ny"), "x\ny");
        assert_eq!(removed("\u{feff}one two three four five six"), "\u{feff}six");
        assert_eq!(removed("\u{feff}\nx \u{feff}pass"), "\u{feff}\nx \u{feff}pass");
        assert_eq!(template.remove_from_lines("\u{feff}pass\n\u{feff}pass".as_bytes()), b"\n\n");
    }

    #[test]
    fn rest_of_a_text_is_unchanged() {
        let template = TextTemplate::new([&b"def main():\n    pass\n\nWrite what you think of the street.\n"[..]]);
        let removed = |text: &str| String::from_utf8(template.remove_from(text.as_bytes())).unwrap();
        assert_eq!(removed("  def main():\n    print(1)\n\n    pass\n"), "    print(1)\n\n");
        assert_eq!(removed("I say: Write what you think of the street. So\r\nbe it"), "I say: So\r\nbe it");
        assert_eq!(removed("I write: what you think of the street.\nEnd"), "I write:\nEnd");
        assert_eq!(removed("what you think of\nnothing"), "what you think of\nnothing");
        assert_eq!((removed(""), removed("x"), removed("pass")), (String::new(), "x".into(), String::new()));
        assert_eq!(template.remove_from_lines(b"pass\nx\npass"), b"\nx\n\n");
    }

    #[test]
    fn sides_that_are_divided_otherwise_are_refused() {
        let template = TextTemplate::new([&b"kitten"[..]]);
        let side = |split| SideSources { sources: vec![MemberSource { name: "x".into(), bytes: b"kitten\nsitting"[..].into() }], split };
        let bytes = |split| template.remove_from_side(side(split)).map(|side| side.sources[0].bytes.to_vec());
        assert_eq!((bytes(MemberSplit::Files), bytes(MemberSplit::Lines)), (Ok(b"sitting".to_vec()), Ok(b"\nsitting".to_vec())));
        assert_eq!(bytes(MemberSplit::Plain), Ok(b"sitting".to_vec()));
        assert!(bytes(MemberSplit::Records).is_err() && bytes(MemberSplit::Blank).is_err());
    }
}
