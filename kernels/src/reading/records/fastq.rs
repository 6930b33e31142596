//! FASTQ: parses FASTQ, and finds the first record that violates the format.

use super::super::ReadFormat;
use super::super::lines::{TextLine, TextLines};
use super::{BadRecord, RecordFile, is_nucleotide};
use crate::failure::RecordFault;

/// Minimum number of nucleotide letters with which an incomplete record proves that a text is FASTQ.
const MIN_LETTERS: usize = 4;

/// Parses FASTQ from byte `from` of `text` on. Qualities may begin with `@` or `+`, because they end when there are as
/// many qualities as letters.
///
/// # Errors
/// Returns the first bad record, or `None` if there is no record.
pub(in super::super) fn fastq(text: &[u8], from: usize) -> Result<RecordFile, Option<BadRecord>> {
    let mut file = RecordFile::new(ReadFormat::Fastq);
    let mut lines = TextLines::new(text, from).filter(|line| line.start < line.end);
    let (mut is_beyond_doubt, mut has_plus) = (false, false);
    while let Some(TextLine { start, end, .. }) = lines.next() {
        let number = file.records.len();
        let bad = |header: (usize, usize), fault, (is_beyond_doubt, has_plus)| {
            Err(Some(BadRecord { number, at: start, header, fault, is_beyond_doubt, has_plus }))
        };
        let header = match text[start..end] {
            [b'@', first, ..] if !first.is_ascii_whitespace() => (start + 1, end),
            _ if number == 0 => return Err(None),
            _ => return bad((start, start), RecordFault::Line, (is_beyond_doubt, has_plus)),
        };
        file.open(start, header);
        let (mut letters, mut nucleotides) = (0, 0);
        loop {
            let Some(TextLine { start, end, is_letters }) = lines.next() else {
                return bad(header, RecordFault::BreaksOff, (is_beyond_doubt, has_plus));
            };
            match text[start..end] {
                [b'+', ref again @ ..] => {
                    let is_plus = again.is_empty() || *again == text[header.0..header.1];
                    has_plus |= is_plus && letters > 0;
                    is_beyond_doubt |= is_plus && letters >= MIN_LETTERS && 10 * nucleotides >= 9 * letters;
                    break;
                }
                ref line if is_letters => {
                    file.push(start, end);
                    // The first record decides, so that later records need not be examined.
                    nucleotides += if is_beyond_doubt { 0 } else { line.iter().filter(|letter| is_nucleotide(**letter)).count() };
                }
                _ => return bad(header, RecordFault::Line, (is_beyond_doubt, has_plus)),
            }
            letters += end - start;
        }
        let mut left = letters;
        while left > 0 {
            let Some(TextLine { start, end, .. }) = lines.next() else {
                return bad(header, RecordFault::BreaksOff, (is_beyond_doubt, has_plus));
            };
            if !text[start..end].iter().all(u8::is_ascii_graphic) {
                return bad(header, RecordFault::Line, (is_beyond_doubt, has_plus));
            }
            left = match left.checked_sub(end - start) {
                Some(left) => left,
                None => return bad(header, RecordFault::Qualities, (is_beyond_doubt, has_plus)),
            };
        }
        is_beyond_doubt |= letters > 0;
    }
    if file.records.is_empty() { Err(None) } else { Ok(file) }
}
