//! Records: parsers for files of records: FASTA, FASTQ, GenBank, EMBL, and a sequence without a header.
//!
//! ```text
//! FASTA    (> name, lines of letters)*      ; comments and empty lines anywhere, # comments before the first record
//! FASTQ    (@ name, lines of letters, + …, lines of as many qualities)*
//! GenBank  (LOCUS name …, lines, ORIGIN, lines of a number and letters, //)*
//! EMBL     (ID name; …, lines, SQ …, lines of letters and a number, //)*
//! ```
//!
//! LF, CR LF or CR ends a line. Trailing white space is ignored. Without an explicit request, a text is read as a file
//! only if it certainly is one. FASTA certainly is one if names directly follow their `>` and sequence lines consist of
//! letters, `*` and `-`. Everyday FASTA also has other headers, blanks or numbers between letters, or points as gaps.
//! Such a text certainly is FASTA if its letters are those of nucleotides, or of proteins in upper case.
//!
//! - [`fastq`]: FASTQ, and its first bad record
//! - [`flat`]: GenBank and EMBL

use serde::{Deserialize, Serialize};

use crate::cbor_enum;
use crate::failure::RecordFault;

use super::ReadFormat;
use super::lines::{TextLine, TextLines, is_blank};

pub(super) mod fastq;
pub(super) mod flat;

/// A request for one record of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged, expecting = "a record is chosen by its number, from 0, or by its name")]
pub enum ChosenRecord {
    /// Number of the record, from 0.
    Number(u64),
    /// Header of the record, or its first word. If several records have the same name, the first one. If none has it, digits
    /// are the number of a record.
    Name(String),
}

cbor_enum!(ChosenRecord { 0 Number(number), 1 Name(name) });

/// The records of a file, as positions in its bytes.
#[derive(Debug)]
pub(crate) struct RecordFile {
    /// Format of the file.
    pub(super) format: ReadFormat,
    /// Records of the file, in order.
    pub(super) records: Vec<RecordInFile>,
    /// Byte ranges of the letters of all records, in order, as start and end. A line with white space inside has
    /// several ranges.
    pub(super) lines: Vec<(u32, u32)>,
    /// Whether the letter lines of all records consist of letters, `*`, `-` and points only.
    pub(super) is_strict: bool,
    /// Position of the first line in which numbers or blanks were dropped, if any.
    pub(super) numbers: Option<usize>,
    /// Whether the end of the last record (`//` in GenBank and EMBL) is missing.
    pub(super) breaks_off: bool,
}

/// A record of a file that violates the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadRecord {
    /// Number of the record, from 0.
    pub(super) number: usize,
    /// Position of the first byte of the record.
    pub(super) at: usize,
    /// Byte range of the record's header, as start and end.
    pub(super) header: (usize, usize),
    pub(super) fault: RecordFault,
    /// Whether the text up to the violation certainly has its format: it has a whole record, or the start of one of FASTQ with
    /// nucleotide letters.
    pub(super) is_beyond_doubt: bool,
    /// Whether this or an earlier record has a header, letters and the `+` below them.
    pub(super) has_plus: bool,
}

/// The position of a record in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordInFile {
    /// Position of the byte that can stand for the border before this record. This is the `>` or `@`, in GenBank and
    /// EMBL the blank before the name, and without a header the first byte.
    pub(super) at: u32,
    /// Byte range of the header, without `>` or `@` and surrounding white space. Empty for a sequence without a header.
    header: (u32, u32),
    /// Index in the file's `lines` of the first range of letters of the record.
    pub(super) first_line: u32,
}

impl RecordFile {
    fn new(format: ReadFormat) -> Self {
        Self { format, records: Vec::new(), lines: Vec::new(), is_strict: true, numbers: None, breaks_off: false }
    }

    fn open(&mut self, at: usize, header: (usize, usize)) {
        let header = (header.0 as u32, header.1 as u32);
        self.records.push(RecordInFile { at: at as u32, header, first_line: self.lines.len() as u32 });
    }

    fn push(&mut self, start: usize, end: usize) {
        if start < end {
            self.lines.push((start as u32, end as u32));
        }
    }

    /// Returns whether the text is certainly a file of records: it has headers, and letters below at least one of them.
    pub(super) fn is_beyond_doubt(&self) -> bool {
        self.format != ReadFormat::Sequence && !self.lines.is_empty()
    }

    /// Returns whether the records have headers. A single sequence may have none.
    pub(super) fn has_names(&self) -> bool {
        self.format != ReadFormat::Sequence
    }

    /// Returns the header of the record with the number `number`, cut to at most `most` characters. `text` is the
    /// content of the file.
    pub(super) fn name(&self, text: &[u8], number: usize, most: usize) -> String {
        let header = self.header(text, number);
        // A character has at most four bytes.
        String::from_utf8_lossy(&header[..header.len().min(most.saturating_mul(4))]).chars().take(most).collect()
    }

    /// Returns the number of the record that `record` requests by number or name, or `None` if the file has none.
    /// `text` is the content of the file.
    pub(super) fn find(&self, text: &[u8], record: &ChosenRecord) -> Option<usize> {
        let numbered = |number: u64| usize::try_from(number).ok().filter(|number| *number < self.records.len());
        match record {
            ChosenRecord::Number(number) => numbered(*number),
            ChosenRecord::Name(name) => {
                let is_named = |&number: &usize| {
                    let header = self.header(text, number);
                    let word = header.split(u8::is_ascii_whitespace).next().unwrap_or_default();
                    header == name.as_bytes() || word == name.as_bytes()
                };
                let named = (0..self.records.len()).filter(|_| self.has_names()).find(is_named);
                // A sign is no digit, though a parsed number may have one.
                let has_digits = name.bytes().all(|byte| byte.is_ascii_digit());
                named.or_else(|| numbered(name.parse().ok().filter(|_| has_digits)?))
            }
        }
    }

    /// Returns the byte range of the header of each record.
    pub(super) fn headers(&self) -> Vec<(u32, u32)> {
        self.records.iter().map(|record| record.header).collect()
    }

    fn header<'t>(&self, text: &'t [u8], number: usize) -> &'t [u8] {
        let (start, end) = self.records[number].header;
        &text[start as usize..end as usize]
    }

    /// Returns the number of the first record without a sequence. Returns `None` if there is none, or if records of the format may be
    /// empty.
    pub(super) fn first_without_sequence(&self) -> Option<usize> {
        (0..self.records.len()).find(|record| self.lacks_sequence(*record))
    }

    /// Returns whether the record with the number `record` has no sequence, although records of the format have one.
    pub(super) fn lacks_sequence(&self, record: usize) -> bool {
        matches!(self.format, ReadFormat::Genbank | ReadFormat::Embl) && self.lines_of(record).is_empty()
    }

    /// Returns the record with the number `number` as one that has no sequence. `is_beyond_doubt` says that the text certainly has
    /// the format.
    pub(super) fn bad_record(&self, number: usize, is_beyond_doubt: bool) -> BadRecord {
        let RecordInFile { at, header: (start, end), .. } = self.records[number];
        let header = (start as usize, end as usize);
        BadRecord { number, at: at as usize, header, fault: RecordFault::NoSequence, is_beyond_doubt, has_plus: false }
    }

    /// Returns the position of the first gap among the letters, `-` or a point, or `None` if there is none. `text` is the content
    /// of the file. Takes O(bytes) time.
    pub(super) fn first_gap(&self, text: &[u8]) -> Option<usize> {
        let find = |start: u32, end: u32| Some(start as usize + memchr::memchr2(b'-', b'.', &text[start as usize..end as usize])?);
        (0..self.records.len()).find_map(|record| {
            let lines = self.lines_of(record);
            // Most records have neither sign between their first and last letter, and one pass over them is fastest.
            let (first, last) = (lines.first()?, lines.last()?);
            find(first.0, last.1)?;
            lines.iter().find_map(|&(start, end)| find(start, end))
        })
    }

    /// Returns the byte ranges of the letters of the record with the number `record`.
    pub(super) fn lines_of(&self, record: usize) -> &[(u32, u32)] {
        let from = self.records[record].first_line as usize;
        let end = self.records.get(record + 1).map_or(self.lines.len(), |next| next.first_line as usize);
        &self.lines[from..end]
    }
}

/// Parses FASTA, or letters without a header, from byte `from` of `text` on.
///
/// # Errors
/// Returns the position of the first line that does not fit, or that makes the format uncertain.
pub(super) fn fasta(text: &[u8], from: usize) -> Result<RecordFile, usize> {
    let mut file = RecordFile::new(ReadFormat::Sequence);
    let mut everyday = FastaEvidence::default();
    for line in TextLines::new(text, from) {
        let TextLine { start, end, is_letters } = line;
        match text[start..end] {
            [] | [b';', ..] if file.format == ReadFormat::Fasta || file.lines.is_empty() => {}
            [] => {}
            [b'#', ..] if file.format == ReadFormat::Sequence && file.lines.is_empty() => everyday.note(start),
            [b'>', ..] => {
                // A file has no letters before the first header.
                if file.format == ReadFormat::Sequence && !file.lines.is_empty() {
                    return Err(start);
                }
                let blanks = text[start + 1..end].iter().take_while(|byte| is_blank(**byte)).count();
                if blanks > 0 || !begins_with_letter(&text[start + 1..end]) {
                    everyday.note(start);
                }
                file.format = ReadFormat::Fasta;
                file.open(start, (start + 1 + blanks, end));
            }
            _ if is_letters => file.push(start, end),
            _ if everyday.take(text, line, &mut file) => {}
            _ => return Err(start),
        }
    }
    if let Some(first) = everyday.first
        && !everyday.is_beyond_doubt(text, &file)
    {
        return Err(first);
    }
    if file.format == ReadFormat::Sequence {
        // Comments without a header below them make the text plain text.
        if matches!(text[from..].iter().find(|byte| !byte.is_ascii_whitespace()), Some(b';' | b'#')) {
            return Err(from);
        }
        file.records.push(RecordInFile { at: from as u32, header: (from as u32, from as u32), first_line: 0 });
    }
    Ok(file)
}

/// The parts of a sequence line between white space, as byte ranges. If the line begins or ends with a number, the
/// number is dropped.
#[derive(Debug, Default)]
struct SequenceLinePieces {
    pieces: Vec<(usize, usize)>,
    /// Whether a number was dropped from the line.
    has_numbers: bool,
}

impl SequenceLinePieces {
    /// Replaces the contents by the parts of `line` of `text` between white space, without numbers at the beginning and
    /// the end of the line. Returns whether these parts consist of letters, `*`, `-` and points.
    fn of(&mut self, text: &[u8], line: TextLine) -> bool {
        self.between_blanks(text, line);
        let is_number = |&(start, end): &(usize, usize)| text[start..end].iter().all(u8::is_ascii_digit);
        let all = self.pieces.len();
        if self.pieces.len() > 1 && self.pieces.first().is_some_and(is_number) {
            self.pieces.remove(0);
        }
        if self.pieces.len() > 1 && self.pieces.last().is_some_and(is_number) {
            self.pieces.pop();
        }
        self.has_numbers = self.pieces.len() < all;
        let mut bytes = self.pieces.iter().flat_map(|&(start, end)| &text[start..end]);
        bytes.all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'*' | b'-' | b'.'))
    }

    fn between_blanks(&mut self, text: &[u8], TextLine { start, end, .. }: TextLine) {
        self.pieces.clear();
        let mut from = start;
        for at in (start..end).filter(|&at| is_blank(text[at])).chain(std::iter::once(end)) {
            if from < at {
                self.pieces.push((from, at));
            }
            from = at + 1;
        }
    }
}

/// Evidence whether a text is FASTA. It is collected from lines and headers that occur in everyday FASTA, but also in
/// other texts.
#[derive(Debug)]
struct FastaEvidence {
    /// Position of the first line that could also belong to a text other than FASTA, if any.
    first: Option<usize>,
    /// Whether all lines consist of even blocks: all parts between blanks except for the last have equal lengths of at
    /// least 5 letters.
    is_even: bool,
    /// Buffer for the parts of the current line.
    pieces: SequenceLinePieces,
}

impl Default for FastaEvidence {
    fn default() -> Self {
        Self { first: None, is_even: true, pieces: SequenceLinePieces::default() }
    }
}

/// Minimum number of letters with which nucleotides prove that a text is FASTA.
const MIN_NUCLEOTIDES: usize = 8;
/// Minimum number of letters with which a protein proves that a text is FASTA.
const MIN_RESIDUES: usize = 20;

/// Maximum number of letters that are examined to tell sequences from other texts.
const MAX_SEQUENCE_SAMPLE: usize = 1 << 20;

impl FastaEvidence {
    fn note(&mut self, at: usize) {
        self.first = self.first.or(Some(at));
    }

    /// Adds the letters of `line` to the last record of `file`, and notes what the line shows about the format. Returns
    /// `false` if the line has other symbols, except for blanks and numbers at its ends.
    fn take(&mut self, text: &[u8], line: TextLine, file: &mut RecordFile) -> bool {
        let is_sequence = self.pieces.of(text, line);
        let SequenceLinePieces { pieces, has_numbers } = &self.pieces;
        if !is_sequence {
            return false;
        }
        let lens = || pieces.iter().map(|(start, end)| end - start);
        let len = lens().next().unwrap_or(0);
        self.is_even &= pieces.len() == 1 || len >= 5 && lens().rev().skip(1).all(|other| other == len) && lens().all(|other| other <= len);
        let has_blanks = pieces.len() > 1 || pieces.first().is_some_and(|(start, _)| *start > line.start);
        if *has_numbers || has_blanks {
            file.numbers = file.numbers.or(Some(line.start));
        }
        pieces.iter().for_each(|&(start, end)| file.push(start, end));
        self.note(line.start);
        true
    }

    /// Returns whether the letters of `file` prove that it is FASTA. At least 90 % must be nucleotides, or all must be
    /// upper case, as in a protein, and stand in whole lines or even blocks.
    fn is_beyond_doubt(&self, text: &[u8], file: &RecordFile) -> bool {
        let letters = || file.lines.iter().flat_map(|&(start, end)| &text[start as usize..end as usize]).take(MAX_SEQUENCE_SAMPLE);
        let (mut all, mut nucleotides, mut small) = (0, 0, 0);
        for letter in letters().filter(|letter| letter.is_ascii_alphabetic()) {
            all += 1;
            nucleotides += usize::from(is_nucleotide(*letter));
            small += usize::from(letter.is_ascii_lowercase());
        }
        all >= MIN_NUCLEOTIDES && 10 * nucleotides >= 9 * all || all >= MIN_RESIDUES && small == 0 && self.is_even
    }
}

fn is_nucleotide(letter: u8) -> bool {
    matches!(letter.to_ascii_uppercase(), b'A' | b'C' | b'G' | b'T' | b'U' | b'N')
}

/// Maximum number of lines that are examined to tell whether a text resembles FASTA.
const MAX_EXAMINED_LINES: usize = 200;

/// Returns whether the first lines of `text` from byte `from` on resemble FASTA to a human reader. They must be a
/// header, and below it mostly nucleotide letters, or upper-case letters without blanks between words.
pub(super) fn looks_like_fasta(text: &[u8], from: usize) -> bool {
    let mut has_header = false;
    let (mut all, mut fitting) = (0, 0);
    for TextLine { start, end, .. } in TextLines::new(text, from).filter(|line| line.start < line.end).take(MAX_EXAMINED_LINES) {
        let line = &text[start..end];
        match line[0] {
            b';' | b'#' if !has_header => {}
            b'>' => has_header = true,
            _ if !has_header => return false,
            _ => {
                let letters = line.iter().filter(|byte| !is_blank(**byte) && !byte.is_ascii_digit()).count();
                let nucleotides = line.iter().filter(|byte| is_nucleotide(**byte)).count();
                let capitals = line.iter().filter(|byte| byte.is_ascii_uppercase()).count();
                all += 1;
                fitting +=
                    usize::from(letters > 1 && (5 * nucleotides >= 4 * letters || capitals >= 10 && 10 * capitals >= 9 * line.len()));
            }
        }
    }
    has_header && 2 * fitting > all
}

/// Reads any text from byte `from` on as FASTA, because the client requested it.
///
/// Lines that begin with `>` are headers. Lines with `;` are comments, as are lines with `#` before the first header.
/// All other lines are sequence; white space is dropped, and so are numbers at the ends of lines that otherwise consist
/// of letters.
pub(super) fn lenient(text: &[u8], from: usize) -> RecordFile {
    let mut file = RecordFile { is_strict: false, ..RecordFile::new(ReadFormat::Sequence) };
    let mut pieces = SequenceLinePieces::default();
    for line in TextLines::new(text, from) {
        let TextLine { start, end, is_letters } = line;
        match text[start..end] {
            [] | [b';', ..] => {}
            [b'#', ..] if file.records.is_empty() => {}
            [b'>', ..] => {
                file.format = ReadFormat::Fasta;
                let blanks = text[start + 1..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                file.open(start, (start + 1 + blanks, end));
            }
            _ => {
                if file.records.is_empty() {
                    file.open(start, (start, start));
                }
                if is_letters {
                    file.push(start, end);
                    continue;
                }
                if pieces.of(text, line) {
                    if pieces.has_numbers {
                        file.numbers = file.numbers.or(Some(start));
                    }
                } else {
                    pieces.between_blanks(text, line);
                }
                pieces.pieces.iter().for_each(|&(start, end)| file.push(start, end));
            }
        }
    }
    if file.records.is_empty() {
        file.open(from, (from, from));
    }
    file
}

/// Returns whether a header begins with a letter or a digit.
fn begins_with_letter(header: &[u8]) -> bool {
    let first = &header[..header.len().min(4)];
    String::from_utf8_lossy(first).chars().next().is_some_and(char::is_alphanumeric)
}
