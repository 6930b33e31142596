//! Units: cuts the compared bytes of a text into units.

use memchr::{memchr, memchr2_iter};

use super::text_format::{TextFormat, TextSegment};
use super::{NormalizedText, ReadReport, ReadingOptions, RecordLayout, SharedBytes, TextEncoding, Unit, unicode};
use crate::failure::{InputError, JobFailure};

/// A text that was cut into units (symbols), with the positions of all units in its bytes.
#[derive(Debug)]
pub(crate) struct CutText {
    pub(crate) bytes: SharedBytes,
    pub(crate) unit: Unit,
    pub(crate) spans: UnitSpans,
    /// Units after normalisation, or `None` if the units were cut from the bytes directly.
    pub(crate) normal: Option<NormalizedText>,
    pub(crate) layout: RecordLayout,
    /// Whether no unit of the text can equal the unit that stands for the border between separate records.
    pub(crate) is_strict: bool,
    pub(crate) read_as: ReadReport,
    /// Number of bytes of the text before it was decoded to UTF-8.
    pub(crate) original: usize,
}

/// The positions of all units of a text in its bytes.
#[derive(Clone, Debug)]
pub(crate) enum UnitSpans {
    /// Units of one byte each. An element of `starts` belongs to a piece of adjacent units: the number of its first
    /// unit, and the position of its first byte. `len` is the number of units.
    Pieces { starts: Vec<(u32, u32)>, len: usize },
    /// Units of any length: for each unit, the position of its first byte and the position after its last byte.
    Ranges(Vec<(u32, u32)>),
}

impl Default for UnitSpans {
    fn default() -> Self {
        Self::Ranges(Vec::new())
    }
}

/// Cuts `bytes` into units. `reading` sets the kind of unit and the ignored characters. Only the parts that `form`
/// selects are cut: a plain text without its byte order mark, or the chosen records of a file without their headers.
/// `who` names the text in errors.
///
/// # Errors
/// Returns `BadInput` if the bytes must be text and are not valid UTF-8.
pub(super) fn cut(who: &str, bytes: SharedBytes, form: TextFormat, reading: &ReadingOptions) -> Result<CutText, JobFailure> {
    let cutter = UnitCutter::new(reading, form.file.is_some());
    let mut made = CutTextBuilder::default();
    if reading.unit == Unit::Bytes {
        made.single(&bytes, &form, &cutter);
    } else {
        let text = utf8(who, &bytes)?;
        // CR LF is one grapheme cluster. Every other ASCII character is one cluster.
        let is_single = match reading.unit {
            Unit::Chars => text.is_ascii(),
            Unit::Graphemes => text.is_ascii() && (form.file.is_some() || memchr(b'\r', &bytes).is_none()),
            Unit::Bytes | Unit::Words | Unit::Lines => false,
        };
        let is_nfc = |part: TextSegment| match part {
            TextSegment::Range(start, end) => (unicode::given().is_nfc)(&text[start as usize..end as usize]),
            TextSegment::Record { .. } => true,
        };
        if is_single {
            made.single(&bytes, &form, &cutter);
        } else if reading.normalize && !text.is_ascii() && !form.parts(bytes.len()).all(is_nfc) {
            made.normalised(text, &form, &cutter);
        } else {
            made.as_is(text, &form, &cutter);
        }
    }
    let read_as = form.read_report(&bytes);
    let is_strict = form.is_strict();
    let CutTextBuilder { spans, normal, starts } = made;
    let layout = RecordLayout::new(form.file, &form.chosen, starts);
    Ok(CutText { original: bytes.len(), bytes, unit: reading.unit, spans, normal, layout, is_strict, read_as })
}

/// Returns the bytes of the text with the name `who` as a string.
///
/// # Errors
/// Returns `BadInput` with the first byte that is not UTF-8.
pub fn utf8<'t>(who: &str, bytes: &'t [u8]) -> Result<&'t str, JobFailure> {
    std::str::from_utf8(bytes).map_err(|error| {
        let byte = error.valid_up_to() as u64;
        let at = crate::humanize::grouped(byte);
        let utf16 = TextEncoding::unmarked(bytes).is_some();
        let but = if utf16 { " It looks like UTF-16 without a byte order mark." } else { "" };
        let message = format!("{who} is not valid UTF-8 at byte {at}.{but} Count in bytes, or save the file as UTF-8.");
        JobFailure::wrong(message, InputError::NotUtf8 { text: who.into(), byte, utf16 })
    })
}

/// A builder of a [`CutText`], with the units that were cut so far.
#[derive(Default)]
struct CutTextBuilder {
    spans: UnitSpans,
    normal: Option<NormalizedText>,
    /// Number of the first unit of each record so far.
    starts: Vec<u32>,
}

/// A cutter of texts into units, which drops the units that the options of the job ignore.
struct UnitCutter {
    unit: Unit,
    /// Whether white space is ignored.
    skips_blanks: bool,
    /// Whether punctuation is ignored.
    skips_punctuation: bool,
    /// Whether decimal digits are ignored.
    skips_digits: bool,
    /// Whether accents are ignored.
    skips_accents: bool,
    /// Whether blank lines, white space before line ends and the last line end are ignored.
    skips_line_ends: bool,
}

/// The white space after the last unit that is not white space. It is ignored if only white space follows in its line,
/// so that the decision waits for the text after it. Each range of bytes is one unit.
#[derive(Default)]
struct LineEnd {
    /// Line end that becomes a unit if another line follows that is not blank.
    line_end: Option<(usize, usize)>,
    /// White space that becomes units if another character follows in the same line.
    blanks: Vec<(usize, usize)>,
    /// Whether the text before contains any character that is not white space.
    has_letters: bool,
}

impl CutTextBuilder {
    /// Cuts a text into units of one byte each, in the fastest way for the options of `cutter`.
    fn single(&mut self, bytes: &[u8], form: &TextFormat, cutter: &UnitCutter) {
        if cutter.skips_punctuation || cutter.skips_digits || cutter.skips_line_ends {
            self.filtered(bytes, form, cutter);
        } else {
            // The letter ranges of a file contain no ASCII white space.
            self.pieces(bytes, form, cutter.skips_blanks && form.file.is_none());
        }
    }

    /// Cuts a text into units of one byte each, stored as pieces of adjacent bytes. If `skips`, drops white space.
    fn pieces(&mut self, bytes: &[u8], form: &TextFormat, skips: bool) {
        let (mut starts, mut len) = (Vec::new(), 0);
        for part in form.parts(bytes.len()) {
            match part {
                TextSegment::Record { border } => {
                    if let Some(at) = border {
                        starts.push((len, at));
                        len += 1;
                    }
                    self.starts.push(len);
                }
                TextSegment::Range(start, end) if skips => len = without_blanks(bytes, (start, end), len, &mut starts),
                TextSegment::Range(start, end) if start < end => {
                    starts.push((len, start));
                    len += end - start;
                }
                TextSegment::Range(..) => {}
            }
        }
        self.spans = UnitSpans::Pieces { starts, len: len as usize };
    }

    /// Cuts a text without records into units of one byte each, and drops those that `cutter` ignores.
    fn filtered(&mut self, bytes: &[u8], form: &TextFormat, cutter: &UnitCutter) {
        let (mut spans, mut line_end) = (Vec::new(), LineEnd::default());
        for part in form.parts(bytes.len()) {
            // Only a text without records is cut here.
            let TextSegment::Range(from, end) = part else { continue };
            for at in from as usize..end as usize {
                let byte = bytes.get(at..=at).and_then(|byte| str::from_utf8(byte).ok());
                cutter.take((at, at + 1), byte, &mut line_end, &mut |start, end| spans.push((start as u32, end as u32)));
            }
        }
        self.spans = UnitSpans::Ranges(spans);
    }

    /// Cuts a text into units of any length without normalising it.
    fn as_is(&mut self, text: &str, form: &TextFormat, cutter: &UnitCutter) {
        let mut spans = Vec::new();
        for part in form.parts(text.len()) {
            match part {
                TextSegment::Record { border } => {
                    spans.extend(border.map(|at| (at, at + 1)));
                    self.starts.push(spans.len() as u32);
                }
                TextSegment::Range(from, end) => {
                    cutter.for_each_unit(&text[from as usize..end as usize], |start, end| {
                        spans.push((from + start as u32, from + end as u32))
                    });
                }
            }
        }
        self.spans = UnitSpans::Ranges(spans);
    }

    /// Cuts a text into units of any length after converting it to normalisation form C.
    fn normalised(&mut self, text: &str, form: &TextFormat, cutter: &UnitCutter) {
        let (mut spans, mut normal) = (Vec::new(), NormalizedText::default());
        for part in form.parts(text.len()) {
            match part {
                TextSegment::Record { border } => {
                    if let Some(at) = border {
                        spans.push((at, at + 1));
                        normal.push(&text[at as usize..=at as usize]);
                    }
                    self.starts.push(spans.len() as u32);
                }
                TextSegment::Range(from, end) => {
                    let made = (unicode::given().nfc)(&text[from as usize..end as usize]);
                    let mut back = made.to_original();
                    cutter.for_each_unit(&made.text, |start, end| {
                        let (first, last) = back((start, end));
                        spans.push((from + first as u32, from + last as u32));
                        normal.push(&made.text[start..end]);
                    });
                }
            }
        }
        (self.spans, self.normal) = (UnitSpans::Ranges(spans), Some(normal));
    }
}

/// Finds the pieces between white space in the bytes from `start` to `end`. Appends to `starts` the number of the first
/// unit of each piece and the position of its first byte. `len` units come before this range. Returns the number of
/// units up to the end of the range.
fn without_blanks(bytes: &[u8], (start, end): (u32, u32), mut len: u32, starts: &mut Vec<(u32, u32)>) -> u32 {
    let mut inside = false;
    for at in start..end {
        // White space as defined by `char::is_whitespace` for ASCII, so that other characters in a text make no
        // difference.
        if matches!(bytes[at as usize], b'\t'..=b'\r' | b' ') {
            inside = false;
            continue;
        }
        if !inside {
            starts.push((len, at));
            inside = true;
        }
        len += 1;
    }
    len
}

impl UnitCutter {
    /// Creates the cutter of a text. A file of records (`is_file`) has no punctuation, no digits and no
    /// lines.
    fn new(reading: &ReadingOptions, is_file: bool) -> Self {
        Self {
            unit: reading.unit,
            skips_blanks: is_file || reading.ignore_whitespace,
            skips_punctuation: !is_file && reading.ignore_punctuation,
            skips_digits: !is_file && reading.ignore_digits,
            skips_accents: reading.ignore_accents,
            skips_line_ends: !is_file && reading.ignore_line_ends,
        }
    }

    /// Cuts `text` into units. Passes the start and the end of each unit that is not ignored to `push`, in bytes.
    fn for_each_unit(&self, text: &str, mut push: impl FnMut(usize, usize)) {
        let mut line_end = LineEnd::default();
        let mut take = |start: usize, piece: &str| {
            self.take((start, start + piece.len()), Some(piece), &mut line_end, &mut push);
        };
        match self.unit {
            Unit::Bytes | Unit::Chars => text.char_indices().for_each(|(at, char)| take(at, &text[at..at + char.len_utf8()])),
            Unit::Graphemes => (unicode::given().clusters)(text, &mut take),
            Unit::Words => {
                let mut take_word = |at: usize, word: &str| {
                    if !word.chars().all(char::is_whitespace) {
                        take(at, word);
                    }
                };
                (unicode::given().words)(text, &mut take_word);
            }
            Unit::Lines => {
                let mut start = 0;
                for at in memchr2_iter(b'\n', b'\r', text.as_bytes()) {
                    // The line feed of CR LF ends the line.
                    if text.as_bytes()[at] == b'\n' || text.as_bytes().get(at + 1) != Some(&b'\n') {
                        take(start, &text[start..=at]);
                        start = at + 1;
                    }
                }
                if start < text.len() {
                    take(start, &text[start..]);
                }
            }
        }
    }

    /// Passes the unit in `range` to `push` unless it is ignored. Before it, passes the line end and the blanks in
    /// `line` that this unit shows to be inside the text. `piece` is the unit, or `None` for a byte that is not ASCII.
    fn take(&self, range: (usize, usize), piece: Option<&str>, line: &mut LineEnd, push: &mut impl FnMut(usize, usize)) {
        if piece.is_some_and(|piece| self.skips(piece)) {
            return;
        }
        if !self.skips_line_ends || !self.unit.is_a_letter() {
            return push(range.0, range.1);
        }
        match piece {
            Some("\n" | "\r" | "\r\n") => {
                line.blanks.clear();
                if line.has_letters {
                    line.line_end.get_or_insert(range);
                }
            }
            Some(blank) if blank.chars().all(char::is_whitespace) => line.blanks.push(range),
            _ => {
                line.has_letters = true;
                for (start, end) in line.line_end.take().into_iter().chain(line.blanks.drain(..)).chain([range]) {
                    push(start, end);
                }
            }
        }
    }

    /// Returns whether the unit `piece` is ignored, because all of its characters are.
    fn skips(&self, piece: &str) -> bool {
        let is_line = self.unit == Unit::Lines;
        if is_line && piece.chars().all(char::is_whitespace) {
            return self.skips_blanks || self.skips_line_ends;
        }
        let piece = if is_line && self.skips_line_ends { piece.trim_end() } else { piece };
        // The line end of a line is always ignored.
        piece.chars().all(|char| match char {
            '\n' | '\r' if is_line => true,
            char if char.is_whitespace() => self.skips_blanks,
            char => {
                self.skips_punctuation && unicode::is_punctuation(char)
                    || self.skips_digits && unicode::is_digit(char)
                    || self.skips_accents && unicode::is_accent(char)
            }
        })
    }
}
