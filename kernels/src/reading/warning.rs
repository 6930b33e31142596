//! Doubts about how two texts were read, told beside the answer: nothing is left out, folded or taken for something else in silence.

use serde::{Deserialize, Serialize};

use crate::{cbor_enum, cbor_struct};

/// What a doubt is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// The text looks like a file of sequences, but a line does not fit, so that both texts were read as plain text.
    ReadAsText,
    /// The text is a file of sequences, but the other is not, so that both were read as plain text. The line is that of the other text.
    OtherIsText,
    /// Numbers or blanks between the letters of a sequence were left out.
    NumbersSkipped,
    /// Gaps of a sequence, written as points, count as symbols.
    GapsCount,
    /// The file ends before its last record does.
    BreaksOff,
    /// The text looks like UTF-16 without a byte order mark, and was read as UTF-8.
    LooksLikeUtf16,
    /// The text is UTF-16, and its bytes are compared.
    Utf16AsBytes,
    /// The texts differ only in how their lines end.
    OnlyLineEnds,
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
});

/// A doubt about how texts were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ReadWarning))]
pub struct Warning {
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: WarningKind,
    /// Which text, `a` or `b`; none if it is about both.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text: Option<String>,
    /// The doubt and what to do about it, in a sentence or two.
    pub message: String,
    /// The line that it is about, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u64>,
}

cbor_struct!(Warning { kind, text, message, line });

impl Warning {
    /// Creates the warning of this kind about the text `who`, or about both.
    pub(crate) fn new(kind: WarningKind, who: Option<&str>, line: Option<u64>) -> Self {
        let who = who.unwrap_or("a");
        let other = if who == "a" { "b" } else { "a" };
        let at = line.map_or_else(String::new, |line| format!(" in line {}", crate::words::grouped(line)));
        let message = match kind {
            WarningKind::ReadAsText => format!(
                "{who} looks like a file of sequences, but something{at} does not fit. Both texts were read as plain text. To read both as FASTA, set fasta to always."
            ),
            WarningKind::OtherIsText => format!(
                "{who} is a file of sequences, but {other} is not, as one sees{at}. Both texts were read as plain text. To read both as FASTA, set fasta to always."
            ),
            WarningKind::NumbersSkipped => format!("Numbers and blanks between the letters of {who} were left out, the first{at}."),
            WarningKind::GapsCount => format!("Points between the letters of {who}, the first{at}, count as symbols."),
            WarningKind::BreaksOff => format!("{who} ends in the middle of its last record, without //. It may have been cut off."),
            WarningKind::LooksLikeUtf16 => {
                format!("{who} looks like UTF-16 without a byte order mark, and was read as UTF-8. Save it as UTF-8 and compare again.")
            }
            WarningKind::Utf16AsBytes => {
                format!("{who} is UTF-16, and its bytes are compared. To compare its letters, count in chars, graphemes, words or lines.")
            }
            WarningKind::OnlyLineEnds => "The texts differ only in how their lines end.".into(),
        };
        let text = (kind != WarningKind::OnlyLineEnds).then(|| who.to_owned());
        Self { kind, text, message, line }
    }
}

/// Number of the line that a byte lies in, from 1. A line ends with LF, CR LF or CR. Time O(bytes before it).
pub(super) fn line_of(text: &[u8], byte: usize) -> u64 {
    let before = &text[..byte.min(text.len())];
    let ends = memchr::memchr2_iter(b'\n', b'\r', before);
    1 + ends.filter(|&at| before[at] == b'\n' || text.get(at + 1) != Some(&b'\n')).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        let text = b"a\nb\r\nc\rd\r\r\ne";
        let lines: Vec<u64> = [0, 2, 5, 7, 9, 11].map(|byte| line_of(text, byte)).to_vec();
        assert_eq!(lines, [1, 2, 3, 4, 5, 6]);
        assert_eq!(line_of(text, 99), 6);
    }
}
