//! Flat: parses GenBank and EMBL files, whose records consist of annotated lines. Reads only the name and the sequence
//! of each record.

use super::super::ReadFormat;
use super::super::lines::{TextLines, is_blank};
use super::{BadRecord, RecordFile, SequenceLinePieces};

/// The reason why a text is not read as GenBank or EMBL.
#[derive(Debug)]
pub(in super::super) enum FlatError {
    /// A line does not fit. The number is the position of its first byte.
    Line(usize),
    /// No record has a sequence. This is the first one.
    NoSequence(BadRecord),
}

/// The part of a record to which the current line belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlatRecordPart {
    /// Outside of records: before the first record, or after the `//` that ends a record.
    Outside,
    /// Head of a record: name and description, before the letters.
    Head,
    /// Letters of a record, with numbers that are dropped.
    Sequence,
}

/// Detects the format of `text` by its first line from byte `from` on: `LOCUS … bp` for GenBank or `ID   …; … BP.` for
/// EMBL, with `aa` instead of `bp` for proteins. Returns `None` for any other line.
pub(in super::super) fn begins_as(text: &[u8], from: usize) -> Option<ReadFormat> {
    let first = TextLines::new(&text[..text.len().min(from + 4096)], from).find(|line| line.start < line.end)?;
    let line = &text[first.start..first.end];
    let has_word = |words: [&[u8]; 2]| line.split(|byte| is_blank(*byte)).any(|word| words.contains(&word));
    match line {
        [b'L', b'O', b'C', b'U', b'S', b' ', ..] if has_word([b"bp", b"aa"]) => Some(ReadFormat::Genbank),
        [b'I', b'D', b' ', b' ', b' ', ..] if has_word([b"BP.", b"AA."]) => Some(ReadFormat::Embl),
        _ => None,
    }
}

/// Parses GenBank or EMBL, depending on `format`, from byte `from` of `text` on. Takes O(bytes) time.
///
/// # Errors
/// Returns the first line that does not fit, or the first record if no record has a sequence.
pub(in super::super) fn flat(text: &[u8], from: usize, format: ReadFormat) -> Result<RecordFile, FlatError> {
    let (name, sequence): (&[u8], &[u8]) = if format == ReadFormat::Embl { (b"ID ", b"SQ ") } else { (b"LOCUS ", b"ORIGIN") };
    let mut file = RecordFile::new(format);
    let (mut part, mut pieces) = (FlatRecordPart::Outside, SequenceLinePieces::default());
    for line in TextLines::new(text, from) {
        let content = &text[line.start..line.end];
        match part {
            _ if content.is_empty() => {}
            FlatRecordPart::Outside if content.starts_with(name) => {
                let blanks = content[name.len()..].iter().take_while(|byte| is_blank(**byte)).count();
                let start = line.start + name.len() + blanks;
                let len = text[start..line.end].iter().take_while(|byte| !is_blank(**byte) && **byte != b';').count();
                // The blank before the name stands for the border between records, because it is not a letter.
                file.open(start - 1, (start, start + len));
                part = FlatRecordPart::Head;
            }
            FlatRecordPart::Outside => return Err(FlatError::Line(line.start)),
            FlatRecordPart::Head | FlatRecordPart::Sequence if content == b"//" => part = FlatRecordPart::Outside,
            FlatRecordPart::Head if content.starts_with(sequence) => part = FlatRecordPart::Sequence,
            // A record without an end must not be read as the head of the next one.
            FlatRecordPart::Head if content.starts_with(name) => return Err(FlatError::Line(line.start)),
            FlatRecordPart::Head => {}
            FlatRecordPart::Sequence if pieces.of(text, line) => pieces.pieces.iter().for_each(|&(start, end)| file.push(start, end)),
            FlatRecordPart::Sequence => return Err(FlatError::Line(line.start)),
        }
    }
    file.breaks_off = part != FlatRecordPart::Outside;
    match (file.lines.is_empty(), file.records.is_empty()) {
        (false, _) => Ok(file),
        // A whole record proves the format.
        (true, false) => Err(FlatError::NoSequence(file.bad_record(0, !file.breaks_off))),
        (true, true) => Err(FlatError::Line(from)),
    }
}
