//! Files of records, taken apart: FASTA, FASTQ, GenBank, EMBL, and a sequence without a header.
//!
//! ```text
//! FASTA    (> name, lines of letters)*      ; comments and empty lines anywhere, # comments before the first record
//! FASTQ    (@ name, lines of letters, + …, lines of as many qualities)*
//! GenBank  (LOCUS name …, lines, ORIGIN, lines of a number and letters, //)*
//! EMBL     (ID name; …, lines, SQ …, lines of letters and a number, //)*
//! ```
//!
//! A line ends with LF, CR LF or CR. White space at its end does not count. A file that is found without being asked for must be one
//! beyond doubt. FASTA is if names follow their `>` at once and the lines of a sequence are letters, `*` and `-`. Everyday FASTA has
//! other headers, blanks or numbers between letters, or points: it is beyond doubt if its letters are those of nucleotides, or of proteins in
//! capitals.
//!
//! - [`fastq`]: FASTQ, with the record that is bad
//! - [`flat`]: GenBank and EMBL

use serde::{Deserialize, Serialize};

use crate::cbor_enum;

use super::Format;
use super::lines::{Line, Lines, is_blank};

pub(super) mod fastq;
pub(super) mod flat;

/// A record of a file, as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ChosenRecord))]
#[serde(untagged)]
pub enum Record {
    /// Its number, from 0.
    Number(u64),
    /// Its header, or the first word of it. Of several with the same name the first.
    Name(String),
}

cbor_enum!(Record { 0 Number(number), 1 Name(name) });

/// Byte ranges of a file's parts.
#[derive(Debug)]
pub(crate) struct File {
    /// What it is.
    pub(super) format: Format,
    /// Its records, in order.
    pub(super) records: Vec<FileRecord>,
    /// Byte ranges of the letters, in order: lines, or parts of them where a line has white space inside.
    pub(super) lines: Vec<(u32, u32)>,
    /// Its lines have letters, `*`, `-` and points only.
    pub(super) is_strict: bool,
    /// The first byte of the first line of which numbers or blanks were left out.
    pub(super) numbers: Option<usize>,
    /// The first byte of the first line with points.
    pub(super) gaps: Option<usize>,
    /// Whether the last record has no end.
    pub(super) breaks_off: bool,
}

/// Where a record lies in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileRecord {
    /// Its first byte: the `>` or `@`, where there is one.
    pub(super) at: u32,
    /// Byte range of its header, without that and white space around it; empty for a sequence without one.
    header: (u32, u32),
    /// Where its lines begin among those of the file.
    pub(super) first_line: u32,
}

impl File {
    fn new(format: Format) -> Self {
        Self { format, records: Vec::new(), lines: Vec::new(), is_strict: true, numbers: None, gaps: None, breaks_off: false }
    }

    fn open(&mut self, at: usize, header: (usize, usize)) {
        let header = (header.0 as u32, header.1 as u32);
        self.records.push(FileRecord { at: at as u32, header, first_line: self.lines.len() as u32 });
    }

    fn push(&mut self, start: usize, end: usize) {
        if start < end {
            self.lines.push((start as u32, end as u32));
        }
    }

    /// Whether nothing but a file of records looks like this: headers, and letters under one of them at least.
    pub(super) fn is_beyond_doubt(&self) -> bool {
        self.format != Format::Sequence && !self.lines.is_empty()
    }

    /// Whether its records have headers.
    pub(super) fn has_names(&self) -> bool {
        self.format != Format::Sequence
    }

    /// Header of a record, so many characters of it at most.
    pub(super) fn name(&self, text: &[u8], number: usize, most: usize) -> String {
        let header = self.header(text, number);
        // A character has four bytes at most.
        String::from_utf8_lossy(&header[..header.len().min(most.saturating_mul(4))]).chars().take(most).collect()
    }

    /// Number of the record that is meant.
    pub(super) fn find(&self, text: &[u8], record: &Record) -> Option<usize> {
        match record {
            Record::Number(number) => usize::try_from(*number).ok().filter(|number| *number < self.records.len()),
            Record::Name(name) => (0..self.records.len()).filter(|_| self.has_names()).find(|&number| {
                let header = self.header(text, number);
                let word = header.split(u8::is_ascii_whitespace).next().unwrap_or_default();
                header == name.as_bytes() || word == name.as_bytes()
            }),
        }
    }

    /// Byte ranges of all headers.
    pub(super) fn headers(&self) -> Vec<(u32, u32)> {
        self.records.iter().map(|record| record.header).collect()
    }

    fn header<'t>(&self, text: &'t [u8], number: usize) -> &'t [u8] {
        let (start, end) = self.records[number].header;
        &text[start as usize..end as usize]
    }

    /// The lines of a record.
    pub(super) fn lines_of(&self, record: usize) -> &[(u32, u32)] {
        let from = self.records[record].first_line as usize;
        let end = self.records.get(record + 1).map_or(self.lines.len(), |next| next.first_line as usize);
        &self.lines[from..end]
    }
}

/// Reads FASTA from this byte on, or letters without a header.
///
/// # Errors
/// The first byte of the first line that is neither, or that is neither beyond doubt.
pub(super) fn fasta(text: &[u8], from: usize) -> Result<File, usize> {
    let mut file = File::new(Format::Sequence);
    let mut everyday = Everyday::default();
    for line in Lines::new(text, from) {
        let Line { start, end, is_letters } = line;
        match text[start..end] {
            [] | [b';', ..] if file.format == Format::Fasta || file.lines.is_empty() => {}
            [] => {}
            [b'#', ..] if file.format == Format::Sequence && file.lines.is_empty() => everyday.note(start),
            [b'>', ..] => {
                // Letters before the first header are no file.
                if file.format == Format::Sequence && !file.lines.is_empty() {
                    return Err(start);
                }
                let blanks = text[start + 1..end].iter().take_while(|byte| is_blank(**byte)).count();
                if blanks > 0 || !begins_with_letter(&text[start + 1..end]) {
                    everyday.note(start);
                }
                file.format = Format::Fasta;
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
    if file.format == Format::Sequence {
        // Comments without a header below them are text.
        if matches!(text[from..].iter().find(|byte| !byte.is_ascii_whitespace()), Some(b';' | b'#')) {
            return Err(from);
        }
        file.records.push(FileRecord { at: from as u32, header: (from as u32, from as u32), first_line: 0 });
    }
    Ok(file)
}

/// Pieces of a line between blanks: those that are a sequence, without a number at its begin and at its end.
#[derive(Debug, Default)]
struct Pieces {
    pieces: Vec<(usize, usize)>,
    /// A number was left out.
    has_numbers: bool,
    /// There are points among the letters.
    has_points: bool,
}

impl Pieces {
    /// Takes a line apart. Returns whether it has nothing but letters, `*`, `-` and points beside numbers and blanks.
    fn of(&mut self, text: &[u8], line: Line) -> bool {
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
        let bytes = || self.pieces.iter().flat_map(|&(start, end)| &text[start..end]);
        self.has_points = bytes().any(|byte| *byte == b'.');
        bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'*' | b'-' | b'.'))
    }

    fn between_blanks(&mut self, text: &[u8], Line { start, end, .. }: Line) {
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

/// Lines and headers that FASTA has in everyday files, and that other texts have too.
#[derive(Debug)]
struct Everyday {
    /// The first byte of the first one.
    first: Option<usize>,
    /// All pieces between blanks but the last of a line are of one length, of 5 letters at least.
    is_even: bool,
    pieces: Pieces,
}

impl Default for Everyday {
    fn default() -> Self {
        Self { first: None, is_even: true, pieces: Pieces::default() }
    }
}

/// Letters that nucleotides must have at least, and proteins.
const MIN_NUCLEOTIDES: usize = 8;
const MIN_RESIDUES: usize = 20;

/// Letters of a file that are looked at.
const MAX_LOOKED_AT: usize = 1 << 20;

impl Everyday {
    fn note(&mut self, at: usize) {
        self.first = self.first.or(Some(at));
    }

    /// Hands the letters of a line to the file, if it has no other symbols but numbers at its ends and blanks.
    fn take(&mut self, text: &[u8], line: Line, file: &mut File) -> bool {
        let is_sequence = self.pieces.of(text, line);
        let Pieces { pieces, has_numbers, has_points } = &self.pieces;
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
        if *has_points {
            file.gaps = file.gaps.or(Some(line.start));
        }
        pieces.iter().for_each(|&(start, end)| file.push(start, end));
        self.note(line.start);
        true
    }

    /// Whether the letters of the file are those of nucleotides, or capitals of a protein in lines or even blocks.
    fn is_beyond_doubt(&self, text: &[u8], file: &File) -> bool {
        let letters = || file.lines.iter().flat_map(|&(start, end)| &text[start as usize..end as usize]).take(MAX_LOOKED_AT);
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

/// Lines that are looked at.
const MAX_LINES: usize = 200;

/// Whether somebody who looks at the first lines of a text takes it for FASTA: a header, and below it mostly letters of nucleotides, or
/// capitals without blanks between words.
pub(super) fn looks_like_fasta(text: &[u8], from: usize) -> bool {
    let mut has_header = false;
    let (mut all, mut fitting) = (0, 0);
    for Line { start, end, .. } in Lines::new(text, from).filter(|line| line.start < line.end).take(MAX_LINES) {
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

/// Reads any text from this byte on, since somebody says that it is FASTA: lines that begin with `>` are headers, those with `;` comments, as are
/// those with `#` before the first header; all others are sequence without its white space, and without numbers at the ends of lines.
pub(super) fn lenient(text: &[u8], from: usize) -> File {
    let mut file = File { is_strict: false, ..File::new(Format::Sequence) };
    let mut pieces = Pieces::default();
    for line in Lines::new(text, from) {
        let Line { start, end, is_letters } = line;
        match text[start..end] {
            [] | [b';', ..] => {}
            [b'#', ..] if file.records.is_empty() => {}
            [b'>', ..] => {
                file.format = Format::Fasta;
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

/// Whether a header begins with a letter or a digit.
fn begins_with_letter(header: &[u8]) -> bool {
    let first = &header[..header.len().min(4)];
    String::from_utf8_lossy(first).chars().next().is_some_and(char::is_alphanumeric)
}
