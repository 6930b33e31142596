//! FASTA input: lines of letters under header lines that begin with `>`.

use std::ops::Range;

/// A FASTA file's parts.
pub(super) struct Fasta {
    /// The first header, without `>` and without white space around it.
    pub(super) name: String,
    /// Byte ranges that hold sequence lines, in order; line ends may be inside.
    pub(super) sequence: Vec<Range<usize>>,
}

/// Recognises FASTA by its first byte, `>`, and a second line. Several records become one sequence. Time O(bytes).
pub(super) fn parse(bytes: &[u8]) -> Option<Fasta> {
    if bytes.first() != Some(&b'>') || !bytes.contains(&b'\n') {
        return None;
    }
    let mut name = None;
    let mut sequence: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let end = start + line.len();
        if let Some(header) = line.strip_prefix(b">") {
            name.get_or_insert_with(|| String::from_utf8_lossy(header).trim().to_owned());
        } else {
            match sequence.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => sequence.push(start..end),
            }
        }
        start = end;
    }
    Some(Fasta { name: name.unwrap_or_default(), sequence })
}
