//! Lines: finds the lines of a text, 64 bytes at a time, and tells for each line whether it consists of letters.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};

use super::byte_order_mark::mark_len;

/// Number of bytes that are examined together: one for each bit of a word.
const LANES: usize = 64;

/// Number of 64-byte words whose marks (line ends, bytes that are no letters) are computed before lines are taken from
/// them.
const WORDS: usize = 64;

/// A line without its line end, trailing white space, and byte order marks at its start, which files have that were joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextLine {
    /// Position of the first byte of the line.
    pub(super) start: usize,
    /// Position after the last byte of the line, without trailing white space.
    pub(super) end: usize,
    /// Whether the line consists of letters, `*` and `-` only.
    pub(super) is_letters: bool,
}

/// An iterator over the lines of a text. LF or CR ends a line, so that CR LF gives one empty line in addition. Takes
/// O(bytes) time.
pub(super) struct TextLines<'t> {
    text: &'t [u8],
    /// Position of the first byte of the next line.
    start: usize,
    /// Whether the examined bytes of the next line include one that is neither a letter, `*` nor `-`.
    is_mixed: bool,
    /// Position of the first byte of the current 64-byte word.
    at: usize,
    /// Marks of the current word that are not processed yet.
    left: ByteMarks,
    /// Marks of the bytes around the current position, 64 bytes to a word.
    words: [ByteMarks; WORDS],
    /// Index in `words` of the current word.
    number: usize,
}

/// Two properties of each of 64 adjacent bytes, as bit sets: bit `i` of each field stands for byte `i`.
#[derive(Clone, Copy, Debug, Default)]
struct ByteMarks {
    /// A bit for each byte: whether it ends a line.
    ends: u64,
    /// A bit for each byte: whether it is neither a line end nor a letter, `*` or `-`.
    others: u64,
}

impl<'t> TextLines<'t> {
    pub(super) fn new(text: &'t [u8], from: usize) -> Self {
        let mut lines = Self {
            text,
            start: from,
            is_mixed: false,
            at: from,
            left: ByteMarks::default(),
            words: [ByteMarks::default(); WORDS],
            number: 0,
        };
        lines.mark();
        lines
    }

    /// Computes `words`, which say for each byte from position `at` on whether it ends a line or is not a letter.
    fn mark(&mut self) {
        let bytes = &self.text[self.at.min(self.text.len())..];
        let (whole, rest) = bytes[..bytes.len().min(WORDS * LANES)].as_chunks::<LANES>();
        dispatch!(Level::new(), s => marks(s, whole, &mut self.words));
        if let Some(last) = self.words.get_mut(whole.len())
            && !rest.is_empty()
        {
            let mut padded = [b'a'; LANES];
            padded[..rest.len()].copy_from_slice(rest);
            dispatch!(Level::new(), s => marks(s, &[padded], std::slice::from_mut(last)));
        }
        (self.number, self.left) = (0, self.words[0]);
    }

    fn line(&mut self, end: usize) -> TextLine {
        let (start, is_mixed) = (self.start, std::mem::take(&mut self.is_mixed));
        self.start = end + 1;
        if !is_mixed {
            return TextLine { start, end, is_letters: true };
        }
        let start = start + mark_len(&self.text[start..end]);
        let line = &self.text[start..end];
        let line = &line[..line.len() - line.iter().rev().take_while(|byte| is_blank(**byte)).count()];
        TextLine { start, end: start + line.len(), is_letters: are_letters(line) }
    }
}

impl Iterator for TextLines<'_> {
    type Item = TextLine;

    fn next(&mut self) -> Option<TextLine> {
        if self.start >= self.text.len() {
            return None;
        }
        while self.left.ends == 0 {
            self.is_mixed |= self.left.others != 0;
            self.at += LANES;
            if self.at >= self.text.len() {
                return Some(self.line(self.text.len()));
            }
            self.number += 1;
            match self.words.get(self.number) {
                Some(word) => self.left = *word,
                None => self.mark(),
            }
        }
        let end = self.left.ends.trailing_zeros();
        let before = (1 << end) - 1;
        self.is_mixed |= self.left.others & before != 0;
        self.left.others &= !before;
        self.left.ends &= self.left.ends - 1;
        Some(self.line(self.at + end as usize))
    }
}

#[inline(always)]
fn marks<S: Simd>(s: S, bytes: &[[u8; LANES]], words: &mut [ByteMarks]) {
    let splat = |byte: u8| u8x64::splat(s, byte);
    for (bytes, marks) in bytes.iter().zip(words) {
        let bytes = u8x64::from_slice(s, bytes);
        let ends = (bytes.simd_eq(splat(b'\n')) | bytes.simd_eq(splat(b'\r'))).to_bitmask();
        let is_letter = ((bytes | splat(0x20)) - splat(b'a')).simd_lt(splat(26));
        let letters = is_letter | bytes.simd_eq(splat(b'*')) | bytes.simd_eq(splat(b'-'));
        *marks = ByteMarks { ends, others: !(letters.to_bitmask() | ends) };
    }
}

/// Returns whether a byte is ASCII white space, as defined by `char::is_whitespace`.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

fn are_letters(line: &[u8]) -> bool {
    line.iter().all(|&byte| byte.is_ascii_alphabetic() || byte == b'*' || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    /// Finds the lines by examining one byte after the other.
    fn one_by_one(text: &[u8], from: usize) -> Vec<TextLine> {
        let mut lines = Vec::new();
        let mut start = from;
        while start < text.len() {
            let len = text[start..].iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len() - start);
            let end = start + len;
            while text[start..end].starts_with(b"\xef\xbb\xbf") {
                start += 3;
            }
            let line = &text[start..end];
            let kept = line.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1);
            lines.push(TextLine { start, end: start + kept, is_letters: are_letters(&line[..kept]) });
            start = end + 1;
        }
        lines
    }

    #[test]
    fn lines_of_every_length_are_split_from_every_offset() {
        for letters in [&b"ACGTacgt*-\n"[..], b"AC\n\r", b"ACGTNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n", b">1 A\n\t\r", b"A"]
        {
            for len in (0..140).chain([WORDS * LANES - 1, WORDS * LANES, WORDS * LANES + 1, 3 * WORDS * LANES + 70]) {
                let text = random(letters, len, len as u64);
                for from in [0, 1, 63, 64, len.saturating_sub(1), len] {
                    let lines: Vec<TextLine> = TextLines::new(&text, from.min(len)).collect();
                    assert_eq!(lines, one_by_one(&text, from.min(len)), "{} from {from}", String::from_utf8_lossy(&text));
                }
            }
        }
    }

    #[test]
    fn byte_order_marks_at_line_starts_belong_to_no_line() {
        let mark = "\u{feff}";
        for before in ["", "A", ">x\n", &"AC\n".repeat(30)] {
            for line in ["AC".to_owned(), format!("{mark}AC"), format!("{mark}{mark}>b \n{mark}"), format!("A{mark}C"), mark.to_owned()] {
                let text = format!("{before}{line}\n{mark}GT");
                assert_eq!(TextLines::new(text.as_bytes(), 0).collect::<Vec<_>>(), one_by_one(text.as_bytes(), 0), "{text:?}");
            }
        }
    }

    #[test]
    fn every_byte_value_is_classified_as_letter_or_not() {
        for byte in 0..=u8::MAX {
            let text = [&[b'A'; 70][..], &[byte], b"C\n", &[byte], b"\n"].concat();
            assert_eq!(TextLines::new(&text, 0).collect::<Vec<_>>(), one_by_one(&text, 0), "{byte}");
        }
    }
}
