//! Text format: decides whether two texts are plain text or files of records. The decision is common to both texts. A
//! sequence is folded like the file with which it is compared, and a text that only resembles a file remains unchanged.

use std::iter::once;

use super::byte_order_mark::mark_len;
use super::choice::{RecordChoice, ResolvedChoice};
use super::records::flat::FlatError;
use super::records::{self, BadRecord, RecordFile};
use super::warning::{ReadWarning, WarningKind, line_of};
use super::{FastaMode, ReadFormat, ReadReport, ReadingOptions, SourceText, Unit};
use crate::failure::{InputError, JobFailure, RecordFault};

/// The form of a text: whether it is plain text or a file of records, and which of its records are compared.
#[derive(Debug)]
pub(crate) struct TextFormat {
    /// Length in bytes of the byte order marks at the start, which are dropped.
    pub(super) mark: usize,
    /// Records in the text, or `None` for plain text.
    pub(super) file: Option<RecordFile>,
    /// Records of the file that are compared.
    pub(super) chosen: ResolvedChoice,
}

/// A step in cutting a text into units: the start of a record, or a range of bytes that is cut.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextSegment {
    /// The start of a record.
    Record {
        /// Position of the byte that stands for the border to the previous record
        /// ([`RecordInFile::at`](super::records::RecordInFile::at)). `None` for the first record, and if records are
        /// not separate.
        border: Option<u32>,
    },
    /// Bytes to cut into units: the position of the first byte, and the position after the last byte.
    Range(u32, u32),
}

impl TextFormat {
    fn plain(text: &[u8], reading: &ReadingOptions) -> Self {
        // Reading as bytes removes no byte.
        let mark = if reading.unit == Unit::Bytes { 0 } else { mark_len(text) };
        Self { mark, file: None, chosen: ResolvedChoice::Joined }
    }

    fn of_file(text: &[u8], file: RecordFile) -> Self {
        Self { mark: mark_len(text), file: Some(file), chosen: ResolvedChoice::Apart }
    }

    /// Selects the records of `text` that `choice` names. `many` allows several separate records. `who` names the text
    /// in errors.
    ///
    /// # Errors
    /// Returns `BadInput` if the choice does not fit the text or the task, or if the only selected record has no sequence.
    pub(super) fn choose(self, who: &str, text: &[u8], choice: &RecordChoice, many: bool) -> Result<Self, JobFailure> {
        let chosen = choice.resolve(who, text, self.file.as_ref(), many)?;
        if let (Some(file), ResolvedChoice::One(number)) = (&self.file, &chosen)
            && file.lacks_sequence(*number as usize)
        {
            return Err(refused(who, text, file.bad_record(*number as usize, true), PAIR_REMEDY));
        }
        Ok(Self { chosen, ..self })
    }

    /// Selects all records of `text`, for a collection. `many` allows several separate records. `name` names the text in
    /// errors.
    ///
    /// # Errors
    /// Returns `BadInput` if there are several records, and `many` is not set.
    pub(super) fn choose_all(self, name: &str, text: &[u8], many: bool) -> Result<Self, JobFailure> {
        let records = self.file.as_ref().map_or(1, |file| file.records.len());
        if records > 1 && !many {
            let message = format!(
                "{name} holds {} records. Set `split` to records, so that each is compared.",
                crate::humanize::grouped(records as u64)
            );
            return Err(JobFailure::bad_input(message));
        }
        self.choose(name, text, &RecordChoice::default(), many)
    }

    /// Iterates over the record starts and ranges of bytes that are cut into units, in order. `bytes` is the length of
    /// the text.
    pub(super) fn parts(&self, bytes: usize) -> impl Iterator<Item = TextSegment> + '_ {
        let whole = self.file.is_none().then_some(TextSegment::Range(self.mark as u32, bytes as u32));
        let of_file = self.file.iter().flat_map(|file| {
            let is_apart = self.chosen == ResolvedChoice::Apart;
            self.chosen.range(file.records.len()).enumerate().flat_map(move |(before, record)| {
                let border = (is_apart && before > 0).then_some(file.records[record].at);
                once(TextSegment::Record { border }).chain(file.lines_of(record).iter().map(|&(start, end)| TextSegment::Range(start, end)))
            })
        });
        of_file.chain(whole)
    }

    /// Returns whether no unit of the text can equal the border between records: the text is plain, or all its letter
    /// lines consist of letters, `*`, `-` and points.
    pub(super) fn is_strict(&self) -> bool {
        self.file.as_ref().is_none_or(|file| file.is_strict)
    }

    /// Returns the report to the client on how `text` was read.
    pub(super) fn read_report(&self, text: &[u8]) -> ReadReport {
        let byte_order_mark = self.mark > 0;
        let Some(file) = &self.file else { return ReadReport { byte_order_mark, ..ReadReport::default() } };
        let records = file.records.len();
        let named = if file.has_names() { records.min(ReadReport::MAX_REPORTED_NAMES) } else { 0 };
        let record = match self.chosen {
            ResolvedChoice::One(number) if records > 1 => Some(number.into()),
            _ => None,
        };
        ReadReport {
            format: file.format,
            folded: true,
            byte_order_mark,
            records: records as u64,
            names: (0..named).map(|number| file.name(text, number, ReadReport::MAX_REPORTED_NAME_CHARS)).collect(),
            record,
            joined: records > 1 && self.chosen == ResolvedChoice::Joined,
            encoding: None,
        }
    }
}

/// The form that one text seems to have on its own. The final form also depends on the other text.
enum RecognizedFormat {
    /// A file of records, or a text of letters without a header.
    File(RecordFile),
    /// FASTQ with a record that violates the format, or GenBank or EMBL without a sequence.
    Bad(BadRecord),
    /// Neither a file of records nor letters only.
    Text {
        /// Position of the first byte of the first line that does not fit the file format.
        at: usize,
        /// Whether the text looks like a file of records, so that a warning should say that it was read as plain text.
        looks: bool,
    },
}

impl RecognizedFormat {
    fn recognize(text: &[u8]) -> Self {
        let from = mark_len(text);
        match begins_as(text) {
            Some(FormatCandidate::Fastq) => match records::fastq::fastq(text, from) {
                Ok(file) => Self::File(file),
                Err(Some(bad)) if bad.is_beyond_doubt => Self::Bad(bad),
                Err(bad) => Self::Text { at: bad.map_or(from, |bad| bad.at), looks: bad.is_some_and(|bad| bad.has_plus) },
            },
            Some(FormatCandidate::Flat(format)) => match records::flat::flat(text, from, format) {
                Ok(file) => Self::File(file),
                Err(FlatError::NoSequence(bad)) if bad.is_beyond_doubt => Self::Bad(bad),
                Err(FlatError::NoSequence(BadRecord { at, .. }) | FlatError::Line(at)) => Self::Text { at, looks: true },
            },
            Some(FormatCandidate::Fasta) | None => match records::fasta(text, from) {
                Ok(file) => Self::File(file),
                Err(at) => Self::Text { at, looks: records::looks_like_fasta(text, from) },
            },
        }
    }

    /// Returns whether the text is certainly a file of records, even if the client did not request one.
    fn is_beyond_doubt(&self) -> bool {
        match self {
            Self::File(file) => file.is_beyond_doubt(),
            Self::Bad(_) => true,
            Self::Text { .. } => false,
        }
    }
}

impl RecordFile {
    /// Returns the doubts about a file with the content `text`. `who` names the file.
    fn doubts(&self, who: &str, text: &[u8]) -> Vec<ReadWarning> {
        let warning = |kind, at: usize| ReadWarning::new(kind, Some(who), Some(line_of(text, at)));
        let no_sequence = |number: usize| {
            let line = line_of(text, self.records[number].at as usize);
            let name = Some(self.name(text, number, MAX_RECORD_NAME_CHARS)).filter(|name| !name.is_empty());
            ReadWarning::about(WarningKind::NoSequence, Some(who), Some(line), name)
        };
        let doubts = [
            self.numbers.map(|at| warning(WarningKind::NumbersSkipped, at)),
            self.first_gap(text).map(|at| warning(WarningKind::GapsCount, at)),
            self.breaks_off.then(|| ReadWarning::new(WarningKind::BreaksOff, Some(who), None)),
            self.first_without_sequence().map(no_sequence),
        ];
        doubts.into_iter().flatten().collect()
    }
}

/// Names of the first and the second text in errors.
const TEXT_NAMES: [&str; 2] = ["a", "b"];

/// Decides whether `texts` are read as plain text or as files of records; both are read alike. Adds doubts to
/// `warnings`.
///
/// Takes O(1) time if neither text begins like a file, otherwise the time to find all line ends.
///
/// # Errors
/// Returns `BadInput` if a text is certainly a file and has a bad record, or no sequence.
pub(super) fn choose_formats(
    texts: [&[u8]; 2],
    reading: &ReadingOptions,
    warnings: &mut Vec<ReadWarning>,
) -> Result<[TextFormat; 2], JobFailure> {
    let plain = || texts.map(|text| TextFormat::plain(text, reading));
    if !reading.unit.is_a_letter() {
        return Ok(plain());
    }
    let files = match reading.fasta {
        FastaMode::Never => return Ok(plain()),
        FastaMode::Always => [always("a", texts[0], PAIR_REMEDY)?, always("b", texts[1], PAIR_REMEDY)?],
        FastaMode::Auto => {
            let begins = texts.map(|text| begins_as(text).is_some());
            if begins == [false; 2] {
                return Ok(plain());
            }
            // Examines the possible file first, because most texts quickly turn out to be no file.
            let first = usize::from(!begins[0]);
            let one = RecognizedFormat::recognize(texts[first]);
            if let RecognizedFormat::Text { at, looks } = one
                && !begins[1 - first]
            {
                warnings.extend(looks.then(|| warning(WarningKind::ReadAsText, texts, first, Some(at))));
                return Ok(plain());
            }
            let other = RecognizedFormat::recognize(texts[1 - first]);
            let is_beyond_doubt = [one.is_beyond_doubt(), other.is_beyond_doubt()];
            match (one, other) {
                (RecognizedFormat::Bad(bad), RecognizedFormat::File(_) | RecognizedFormat::Bad(_)) => {
                    return Err(refused(TEXT_NAMES[first], texts[first], bad, PAIR_REMEDY));
                }
                (RecognizedFormat::File(_), RecognizedFormat::Bad(bad)) => {
                    return Err(refused(TEXT_NAMES[1 - first], texts[1 - first], bad, PAIR_REMEDY));
                }
                (RecognizedFormat::File(one), RecognizedFormat::File(other)) => {
                    // Headers alone may be quoted lines of one word each.
                    if is_beyond_doubt == [false; 2] {
                        return Ok(plain());
                    }
                    if first == 0 { [one, other] } else { [other, one] }
                }
                (one, other) => {
                    for (which, this, that, is_beyond_doubt) in
                        [(first, &one, &other, is_beyond_doubt[0]), (1 - first, &other, &one, is_beyond_doubt[1])]
                    {
                        match (this, that) {
                            (RecognizedFormat::Text { at, looks: true }, _) => {
                                warnings.push(warning(WarningKind::ReadAsText, texts, which, Some(*at)));
                            }
                            (_, RecognizedFormat::Text { at, looks: false }) if is_beyond_doubt => {
                                let line = line_of(texts[1 - which], *at);
                                warnings.push(ReadWarning::new(WarningKind::OtherIsText, Some(TEXT_NAMES[which]), Some(line)));
                            }
                            _ => {}
                        }
                    }
                    warnings.sort_by(|one, other| one.text.cmp(&other.text));
                    return Ok(plain());
                }
            }
        }
    };
    for (which, file) in files.iter().enumerate() {
        warnings.extend(file.doubts(TEXT_NAMES[which], texts[which]));
    }
    let [a, b] = files;
    Ok([TextFormat::of_file(texts[0], a), TextFormat::of_file(texts[1], b)])
}

/// Decides whether one text is plain text or a file of records. If `has_records`, it is a file with headers. Otherwise
/// `reading` decides, or the text alone. `name` names the text in errors. Adds doubts to `warnings`.
///
/// # Errors
/// Returns `BadInput` if the text is certainly a file and has a bad record or no sequence, or if `has_records` and the text has no
/// header or may have none.
pub(super) fn choose_format(
    name: &str,
    text: &[u8],
    reading: &ReadingOptions,
    has_records: bool,
    warnings: &mut Vec<ReadWarning>,
) -> Result<TextFormat, JobFailure> {
    if has_records && (!reading.unit.is_a_letter() || reading.fasta == FastaMode::Never) {
        let message = if reading.fasta == FastaMode::Never {
            "Records are read from sequence files, and `fasta` is never. Leave out `fasta`, or divide the texts by lines.".to_owned()
        } else {
            format!("Records consist of letters, and {} are to be compared. Count in bytes or chars.", reading.unit.name())
        };
        return Err(JobFailure::bad_input(message));
    }
    let is_file = has_records
        || match reading.fasta {
            FastaMode::Never => false,
            FastaMode::Always => true,
            FastaMode::Auto => begins_as(text).is_some() && is_file(name, text, RecognizedFormat::recognize(text))?,
        };
    if !is_file || !reading.unit.is_a_letter() {
        return Ok(TextFormat::plain(text, reading));
    }
    let file = always(name, text, COLLECTION_REMEDY)?;
    if has_records && !file.has_names() {
        let message = format!("{name} has no records, because no line begins with > or @. Divide it by lines instead.");
        return Err(JobFailure::bad_input(message));
    }
    warnings.extend(file.doubts(name, text));
    Ok(TextFormat::of_file(text, file))
}

fn is_file(name: &str, text: &[u8], format: RecognizedFormat) -> Result<bool, JobFailure> {
    match format {
        RecognizedFormat::Bad(bad) => Err(refused(name, text, bad, COLLECTION_REMEDY)),
        format => Ok(format.is_beyond_doubt()),
    }
}

/// Decides the mode of all texts of a collection, like [`choose_formats`] for two. `has_file` says that another text of the
/// collection is a file.
pub(super) fn common_mode(texts: &[&SourceText], has_file: bool) -> Result<FastaMode, JobFailure> {
    if !has_file && !texts.iter().any(|text| begins_as(&text.bytes).is_some()) {
        return Ok(FastaMode::Never);
    }
    let (mut is_beyond_doubt, mut bad) = (has_file, None);
    for text in texts {
        match RecognizedFormat::recognize(&text.bytes) {
            RecognizedFormat::Text { .. } => return Ok(FastaMode::Never),
            RecognizedFormat::File(file) => is_beyond_doubt |= file.is_beyond_doubt(),
            RecognizedFormat::Bad(record) => bad = bad.or(Some((text, record))),
        }
    }
    match bad {
        Some((text, record)) => Err(refused(&text.name, &text.bytes, record, COLLECTION_REMEDY)),
        None if is_beyond_doubt => Ok(FastaMode::Always),
        None => Ok(FastaMode::Never),
    }
}

/// The way to read a pair of texts as text, in errors.
const PAIR_REMEDY: &str = "use `fasta=never`";

/// The way to read the texts of a collection as text, in errors. It also replaces the division into records.
const COLLECTION_REMEDY: &str = "set `split` to plain";

/// Reads a text as a file of records, because the client requested it. Errors name the text `who` and the `remedy`.
fn always(who: &str, text: &[u8], remedy: &str) -> Result<RecordFile, JobFailure> {
    let from = mark_len(text);
    match begins_as(text) {
        Some(FormatCandidate::Fastq) => match records::fastq::fastq(text, from) {
            Ok(file) => return Ok(file),
            Err(Some(bad)) if bad.is_beyond_doubt || bad.has_plus => return Err(refused(who, text, bad, remedy)),
            Err(_) => {}
        },
        Some(FormatCandidate::Flat(format)) => {
            return records::flat::flat(text, from, format).map_err(|error| {
                let at = match error {
                    FlatError::Line(at) => at,
                    FlatError::NoSequence(bad) => return refused(who, text, bad, remedy),
                };
                let line = line_of(text, at);
                let message = format!(
                    "{who} cannot be read, because its line {} is none of its format. Repair the file, or {remedy} to compare it as text.",
                    crate::humanize::grouped(line)
                );
                let wrong = InputError::BadRecord { text: who.into(), record: None, name: String::new(), line, fault: RecordFault::Line };
                JobFailure::wrong(message, wrong)
            });
        }
        Some(FormatCandidate::Fasta) | None => {}
    }
    Ok(records::fasta(text, from).unwrap_or_else(|_| records::lenient(text, from)))
}

fn warning(kind: WarningKind, texts: [&[u8]; 2], which: usize, at: Option<usize>) -> ReadWarning {
    ReadWarning::new(kind, Some(TEXT_NAMES[which]), at.map(|at| line_of(texts[which], at)))
}

/// Maximum number of characters of a record's name in a message.
const MAX_RECORD_NAME_CHARS: usize = 60;

/// Returns the failure of a job whose text `who` has the bad record `bad`. `remedy` is the way to read it as text.
fn refused(who: &str, text: &[u8], bad: BadRecord, remedy: &str) -> JobFailure {
    let BadRecord { number, at, header, fault, .. } = bad;
    let line = line_of(text, at);
    let header = String::from_utf8_lossy(&text[header.0..header.1.min(header.0 + 4 * MAX_RECORD_NAME_CHARS)]);
    let name: String = header.split_whitespace().next().unwrap_or_default().chars().take(MAX_RECORD_NAME_CHARS).collect();
    let named = if name.is_empty() { String::new() } else { format!(" ({name})") };
    let record = crate::humanize::grouped(number as u64);
    let line_in_words = crate::humanize::grouped(line);
    let what = match fault {
        RecordFault::BreaksOff => "ends before it is whole",
        RecordFault::Qualities => "has not as many qualities as letters",
        RecordFault::Line => "has a line that is none of FASTQ",
        RecordFault::NoSequence => "has no sequence",
    };
    let (format, repair) = match fault {
        RecordFault::NoSequence => ("a sequence file", "Send a file with its sequence"),
        RecordFault::BreaksOff | RecordFault::Qualities | RecordFault::Line => ("FASTQ", "Repair the file"),
    };
    let message = format!(
        "{who} is {format}, and its record {record}{named}, counted from 0, which begins in line {line_in_words}, {what}. {repair}, or {remedy} to compare it as text."
    );
    JobFailure::wrong(message, InputError::BadRecord { text: who.into(), record: Some(number as u64), name, line, fault })
}

/// A file format that a text may have, judged by its start alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FormatCandidate {
    Fasta,
    Fastq,
    /// GenBank or EMBL.
    Flat(ReadFormat),
}

/// Guesses the file format of a text from its first byte that is not white space, or from its first line. Returns
/// `None` if the start of the text fits no format.
fn begins_as(text: &[u8]) -> Option<FormatCandidate> {
    let from = mark_len(text);
    match text[from..].iter().find(|byte| !byte.is_ascii_whitespace())? {
        b'>' | b';' | b'#' => Some(FormatCandidate::Fasta),
        b'@' => Some(FormatCandidate::Fastq),
        b'L' | b'I' => records::flat::begins_as(text, from).map(FormatCandidate::Flat),
        _ => None,
    }
}
