//! UTF-16: decodes texts with a byte order mark, and detects texts without one by their NUL bytes.

use memchr::memchr;
use serde::{Deserialize, Serialize};

use super::SharedBytes;
use crate::cbor_enum;
use crate::failure::{InputError, JobFailure, large};

/// An encoding that a text was decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum TextEncoding {
    /// UTF-16 with the lower byte first.
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16 with the higher byte first.
    #[serde(rename = "utf-16be")]
    Utf16Be,
}

cbor_enum!(TextEncoding { 0 Utf16Le, 1 Utf16Be });

/// Maximum number of bytes at the start of a text that are searched for NULs.
const SAMPLE_BYTES: usize = 1 << 16;

impl TextEncoding {
    /// Returns the encoding of a text that begins with a byte order mark of UTF-16. Returns `None` if there is no such
    /// mark.
    pub fn marked(bytes: &[u8]) -> Option<Self> {
        match bytes {
            // The mark of UTF-32 begins with that of UTF-16.
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// Guesses the encoding of a text without a byte order mark. Returns UTF-16 if the start of the text has NUL bytes
    /// at more than half of the even positions and at few odd positions, or the reverse. Returns `None` otherwise.
    pub fn unmarked(bytes: &[u8]) -> Option<Self> {
        let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
        memchr(0, sample)?;
        let (pairs, _) = sample.as_chunks::<2>();
        let [even, odd] = [0, 1].map(|at| pairs.iter().filter(|pair| pair[at] == 0).count());
        let is_one_sided = |most: usize, few: usize| pairs.len() > 1 && 2 * most > pairs.len() && 20 * few <= pairs.len();
        match () {
            () if is_one_sided(odd, even) => Some(Self::Utf16Le),
            () if is_one_sided(even, odd) => Some(Self::Utf16Be),
            () => None,
        }
    }

    /// Decodes the text `bytes` in this encoding to UTF-8. The byte order mark of the text becomes that of UTF-8. `who`
    /// names the text in errors. Takes O(bytes) time and memory.
    ///
    /// # Errors
    /// Returns `BadInput` with the first invalid byte, and `TooLarge` if the decoded text has 4 GiB or more.
    pub(super) fn decode(self, who: &str, bytes: &[u8]) -> Result<SharedBytes, JobFailure> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let unit = |pair: &[u8; 2]| match self {
            Self::Utf16Le => u16::from_le_bytes(*pair),
            Self::Utf16Be => u16::from_be_bytes(*pair),
        };
        let (mut text, mut byte) = (String::with_capacity(bytes.len()), 0);
        for decoded in char::decode_utf16(pairs.iter().map(unit)) {
            let char = decoded.map_err(|_| invalid(who, byte))?;
            text.push(char);
            byte += 2 * char.len_utf16() as u64;
        }
        if !rest.is_empty() {
            return Err(invalid(who, byte));
        }
        if text.len() > u32::MAX as usize {
            return Err(JobFailure::TooLarge { what: large::BYTES.into(), got: text.len() as u64, limit: u32::MAX.into() });
        }
        text.shrink_to_fit();
        Ok(text.into_bytes().into())
    }

    /// Decodes the start of a text in this encoding for display. Invalid characters become U+FFFD, and an odd last byte
    /// is dropped.
    pub fn decode_lossy(self, bytes: &[u8]) -> String {
        let (pairs, _) = bytes.as_chunks::<2>();
        let units: Vec<u16> =
            pairs.iter().map(|pair| if self == Self::Utf16Le { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) }).collect();
        String::from_utf16_lossy(&units)
    }
}

fn invalid(who: &str, byte: u64) -> JobFailure {
    let at = crate::humanize::grouped(byte);
    let message = format!(
        "{who} begins with the byte order mark of UTF-16, but is not valid UTF-16 at byte {at}. Count in bytes, or save the file as UTF-8."
    );
    JobFailure::wrong(message, InputError::NotUtf16 { text: who.into(), byte })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, encoding: TextEncoding) -> Vec<u8> {
        let bytes = |unit: u16| if encoding == TextEncoding::Utf16Le { unit.to_le_bytes() } else { unit.to_be_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn marked_text_is_decoded_and_invalid_text_is_refused_with_its_byte() {
        for encoding in [TextEncoding::Utf16Le, TextEncoding::Utf16Be] {
            let bytes = encoded("\u{feff}Müller;12,50 👍\r\n", encoding);
            assert_eq!(TextEncoding::marked(&bytes), Some(encoding));
            assert_eq!(&*encoding.decode("a", &bytes).unwrap(), "\u{feff}Müller;12,50 👍\r\n".as_bytes());
            assert_eq!(encoding.decode_lossy(&bytes[..9]), "\u{feff}Mül");
            let odd = encoding.decode("b", &bytes[..bytes.len() - 1]).unwrap_err();
            assert!(odd.to_string().contains("not valid UTF-16 at byte 34"), "{odd}");
            // The first half of a surrogate pair.
            let mut broken = encoded("\u{feff}ab", encoding);
            broken.extend(&encoded("👍", encoding)[..2]);
            broken.extend(encoded("c", encoding));
            let JobFailure::BadInput { wrong, .. } = encoding.decode("b", &broken).unwrap_err() else { panic!() };
            assert_eq!(wrong, Some(InputError::NotUtf16 { text: "b".into(), byte: 6 }));
        }
    }

    #[test]
    fn unmarked_utf16_is_detected_by_its_nul_bytes() {
        for encoding in [TextEncoding::Utf16Le, TextEncoding::Utf16Be] {
            for text in ["ab", "one\r\ntwo\r\n", "Name;Betrag\nMüller;1\n"] {
                assert_eq!(TextEncoding::unmarked(&encoded(text, encoding)), Some(encoding), "{text:?}");
            }
        }
        for text in [&b""[..], b"a", b"a\0", b"one two", b"\0\0\0\0", b"find -print0\0a\0bc\0", "\u{feff}Grüße".as_bytes()] {
            assert_eq!(TextEncoding::unmarked(text), None, "{text:?}");
        }
        assert_eq!(TextEncoding::marked(b"\xff\xfe\0\0a\0\0\0"), None, "UTF-32");
    }
}
