//! Files of records, taken apart: FASTA, FASTQ, and a sequence without a header.
//!
//! ```text
//! FASTA   (> name, lines of letters)*      ; comments and empty lines anywhere
//! FASTQ   (@ name, lines of letters, + …, lines of as many qualities)*
//! ```
//!
//! A line ends with LF, CR LF or CR. White space at its end does not count. A file that is found without being asked for must be one
//! beyond doubt: names follow their `>` or `@` at once, and the lines of a sequence are letters, `*` and `-`.

use serde::{Deserialize, Serialize};

use crate::cbor_enum;

use super::Format;
use super::lines::{Line, Lines, is_blank};

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
    /// Its lines have letters, `*` and `-` only.
    pub(super) is_strict: bool,
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
        Self { format, records: Vec::new(), lines: Vec::new(), is_strict: true }
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

/// FASTA from this byte on, or letters without a header; none at the first line that is neither.
pub(super) fn fasta(text: &[u8], from: usize) -> Option<File> {
    let mut file = File::new(Format::Sequence);
    for Line { start, end, is_letters } in Lines::new(text, from) {
        match text[start..end] {
            [] | [b';', ..] if file.format == Format::Fasta || file.lines.is_empty() => {}
            [] => {}
            [b'>', ..] => {
                // Letters before the first header are no file.
                if !begins_with_letter(&text[start + 1..end]) || (file.format == Format::Sequence && !file.lines.is_empty()) {
                    return None;
                }
                file.format = Format::Fasta;
                file.open(start, (start + 1, end));
            }
            _ if is_letters => file.push(start, end),
            _ => return None,
        }
    }
    if file.format == Format::Sequence {
        // Comments without a header below them are text.
        if text[from..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b';') {
            return None;
        }
        file.records.push(FileRecord { at: from as u32, header: (from as u32, from as u32), first_line: 0 });
    }
    Some(file)
}

/// FASTQ from this byte on; none at the first line that is not of it. Qualities may begin with `@` or `+`: there are as many as letters.
pub(super) fn fastq(text: &[u8], from: usize) -> Option<File> {
    let mut file = File::new(Format::Fastq);
    let mut lines = Lines::new(text, from).filter(|line| line.start < line.end);
    while let Some(Line { start, end, .. }) = lines.next() {
        match text[start..end] {
            [b'@', first, ..] if !first.is_ascii_whitespace() => file.open(start, (start + 1, end)),
            _ => return None,
        }
        let mut letters = 0;
        loop {
            let Line { start, end, is_letters } = lines.next()?;
            match text[start] {
                b'+' => break,
                _ if is_letters => file.push(start, end),
                _ => return None,
            }
            letters += end - start;
        }
        while letters > 0 {
            let Line { start, end, .. } = lines.next()?;
            if !text[start..end].iter().all(u8::is_ascii_graphic) {
                return None;
            }
            letters = letters.checked_sub(end - start)?;
        }
    }
    (!file.records.is_empty()).then_some(file)
}

/// Any text from this byte on, since somebody says that it is FASTA: lines that begin with `>` are headers, those with `;` comments, all
/// others sequence without its white space.
pub(super) fn lenient(text: &[u8], from: usize) -> File {
    let mut file = File { is_strict: false, ..File::new(Format::Sequence) };
    for Line { start, end, .. } in Lines::new(text, from) {
        match text[start..end] {
            [] | [b';', ..] => {}
            [b'>', ..] => {
                file.format = Format::Fasta;
                let blanks = text[start + 1..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                file.open(start, (start + 1 + blanks, end));
            }
            _ => {
                if file.records.is_empty() {
                    file.open(start, (start, start));
                }
                let mut from = start;
                for at in (start..end).filter(|&at| is_blank(text[at])) {
                    file.push(from, at);
                    from = at + 1;
                }
                file.push(from, end);
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
