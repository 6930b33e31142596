//! FASTQ, and the record at which a file stops being it.

use super::super::Format;
use super::super::lines::{Line, Lines};
use super::{File, is_nucleotide};
use crate::failure::RecordFault;

/// A record of a file that is not as its format asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct BadRecord {
    /// Its number, from 0.
    pub(in super::super) number: usize,
    /// Its first byte.
    pub(in super::super) at: usize,
    /// Byte range of its header.
    pub(in super::super) header: (usize, usize),
    pub(in super::super) fault: RecordFault,
    /// Whether nothing but FASTQ looks like what is before it: a whole record, or the begin of one with letters of nucleotides.
    pub(in super::super) is_beyond_doubt: bool,
    /// Whether this or an earlier record has a header, letters and the `+` below them.
    pub(in super::super) has_plus: bool,
}

/// Letters of nucleotides that make a record, which is not whole, one of FASTQ.
const MIN_LETTERS: usize = 4;

/// Reads FASTQ from this byte on. Qualities may begin with `@` or `+`: there are as many as letters.
///
/// # Errors
/// The first record that is not of it; none if there is no record.
pub(in super::super) fn fastq(text: &[u8], from: usize) -> Result<File, Option<BadRecord>> {
    let mut file = File::new(Format::Fastq);
    let mut lines = Lines::new(text, from).filter(|line| line.start < line.end);
    let (mut is_beyond_doubt, mut has_plus) = (false, false);
    while let Some(Line { start, end, .. }) = lines.next() {
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
            let Some(Line { start, end, is_letters }) = lines.next() else {
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
                    // The first record decides, and later ones need not be looked at.
                    nucleotides += if is_beyond_doubt { 0 } else { line.iter().filter(|letter| is_nucleotide(**letter)).count() };
                }
                _ => return bad(header, RecordFault::Line, (is_beyond_doubt, has_plus)),
            }
            letters += end - start;
        }
        let mut left = letters;
        while left > 0 {
            let Some(Line { start, end, .. }) = lines.next() else {
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
