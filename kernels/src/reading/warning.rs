//! Warning: doubts about how two texts were read, which are returned with the answer. Everything that is dropped,
//! folded or reinterpreted is mentioned there.

use serde::{Deserialize, Serialize};

use crate::{cbor_enum, cbor_struct};

/// The subject of a warning about how texts were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// The text looks like a file of sequences, but a line does not fit, so both texts were read as plain text.
    ReadAsText,
    /// The text is a file of sequences, but the other text is not, so that both were read as plain text. The line
    /// number is that of the line in the other text that is no sequence.
    OtherIsText,
    /// Numbers or blanks between the letters of a sequence were dropped.
    NumbersSkipped,
    /// Gaps of a sequence, which are written as `-` or points, are compared as symbols.
    GapsCount,
    /// A file in GenBank or EMBL format has no `//` at the end of its last record.
    BreaksOff,
    /// The text looks like UTF-16 without a byte order mark, and was read as UTF-8.
    LooksLikeUtf16,
    /// The text is UTF-16, and its bytes are compared.
    Utf16AsBytes,
    /// The texts differ only in their line ends.
    OnlyLineEnds,
    /// Records of a file in GenBank or EMBL format have no sequence and are read as empty ones.
    NoSequence,
}

cbor_enum!(WarningKind {
    0 ReadAsText,
    1 OtherIsText,
    2 NumbersSkipped,
    3 GapsCount,
    4 BreaksOff,
    5 LooksLikeUtf16,
    6 Utf16AsBytes,
    7 OnlyLineEnds,
    8 NoSequence,
});

/// A doubt about how texts were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReadWarning {
    /// Subject of the warning.
    #[serde(rename = "type")]
    pub kind: WarningKind,
    /// The text that the warning is about, `a` or `b`. Absent if it is about both.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text: Option<String>,
    /// The doubt and a remedy, in a sentence or two.
    pub message: String,
    /// Number of the line that the warning is about, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u64>,
    /// Name of the record that the warning is about: the first word of its header.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub record: Option<String>,
}

cbor_struct!(ReadWarning { kind, text, message, line, record });

impl ReadWarning {
    /// Creates a warning of this kind about the text `who` (`a` or `b`), or about both texts if `who` is `None`. `line`
    /// is the number of the line, from 1.
    pub(crate) fn new(kind: WarningKind, who: Option<&str>, line: Option<u64>) -> Self {
        Self::about(kind, who, line, None)
    }

    /// Creates a warning like [`new`](Self::new), about the record `record`, which begins in the line `line`.
    pub(super) fn about(kind: WarningKind, who: Option<&str>, line: Option<u64>, record: Option<String>) -> Self {
        let who = who.unwrap_or("a");
        let other = if who == "a" { "b" } else { "a" };
        let at = line.map_or_else(String::new, |line| format!(" in line {}", crate::humanize::grouped(line)));
        let message = match kind {
            WarningKind::ReadAsText => format!(
                "{who} looks like a file of sequences, but something{at} does not fit. Both texts were read as plain text. To read both as FASTA, use `fasta=always`."
            ),
            WarningKind::OtherIsText => format!(
                "{who} is a file of sequences, but {other} is not, as one sees{at}. Both texts were read as plain text. To read both as FASTA, use `fasta=always`."
            ),
            WarningKind::NumbersSkipped => format!("Numbers and blanks between the letters of {who} were left out, the first{at}."),
            WarningKind::GapsCount => format!("Gaps (- or .) in {who}, the first{at}, count as symbols."),
            WarningKind::BreaksOff => format!("{who} ends in the middle of its last record, without //. It may have been cut off."),
            WarningKind::LooksLikeUtf16 => {
                format!("{who} looks like UTF-16 without a byte order mark, and was read as UTF-8. Save it as UTF-8 and compare again.")
            }
            WarningKind::Utf16AsBytes => {
                format!("{who} is UTF-16, and its bytes are compared. To compare its letters, count in chars, graphemes, words or lines.")
            }
            WarningKind::NoSequence => {
                let named = record.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
                format!("Records of {who} without a sequence, the first{at}{named}, are empty.")
            }
            WarningKind::OnlyLineEnds => "The texts differ only in how their lines end.".into(),
        };
        let text = (kind != WarningKind::OnlyLineEnds).then(|| who.to_owned());
        Self { kind, text, message, line, record }
    }
}

/// Returns the number, from 1, of the line that contains the byte at position `byte`. LF, CR LF or CR ends a line.
/// Takes O(bytes before it) time.
pub(super) fn line_of(text: &[u8], byte: usize) -> u64 {
    let before = &text[..byte.min(text.len())];
    let ends = memchr::memchr2_iter(b'\n', b'\r', before);
    1 + ends.filter(|&at| before[at] == b'\n' || text.get(at + 1) != Some(&b'\n')).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_for_every_kind_of_line_end() {
        let text = b"a\nb\r\nc\rd\r\r\ne";
        let lines: Vec<u64> = [0, 2, 5, 7, 9, 11].map(|byte| line_of(text, byte)).to_vec();
        assert_eq!(lines, [1, 2, 3, 4, 5, 6]);
        assert_eq!(line_of(text, 99), 6);
    }
}
