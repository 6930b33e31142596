//! Both texts of a form, deflated and encoded in base64url, for texts that are too long to stand in an address as plain
//! text: [`PackedTexts`].
//!
//! The browser deflates and inflates the texts ([`backend::deflate`](crate::backend::deflate)). This module prepares
//! the bytes to deflate ([`frame`]) and parses the inflated ones ([`unframe`]).
//!
//! ```text
//! letters:  base64url of: 1 | zlib of the frame
//! frame:    bytes of a, 4 | bytes of b, 4 | 8,192 bytes of a | 8,192 bytes of b | the next 8,192 bytes of a | …
//! ```
//!
//! Numbers are little-endian, texts UTF-8. The texts alternate in blocks because deflate looks back over 32 KiB, so
//! that a similar second text costs little. zlib ends with a checksum of the frame, which detects changed letters.

use std::sync::Arc;

use crate::model::form::{FormState, TYPED_BYTES};
use crate::model::link::base64url;
use crate::model::problem::Problem;
use crate::model::text::humanize;
use crate::tr;
use crate::tr::t;

/// Version of the format, which is the first encoded byte.
const VERSION: u8 = 1;

/// The greatest first byte that later versions of the format may have. A greater byte means a damaged link.
const LATER_VERSION: u8 = 15;

/// Size of a block, in bytes. Blocks of both texts alternate in a frame.
const TEXT_BLOCK_BYTES: usize = 8_192;

/// Size of the two length fields at the beginning of a frame together, in bytes.
const HEAD: usize = 8;

/// Maximum size of both texts together, in bytes, up to which they are deflated. Deflating longer texts would delay
/// typing, and the result would rarely fit into an address.
pub const MAX_DEFLATED_BYTES: usize = 256_000;

/// Maximum size of a frame (both texts and their lengths), in bytes. Inflating stops at this size, because a link of a
/// few thousand letters may contain gigabytes of zeros.
pub const MAX_INFLATED_BYTES: u64 = 2 * TYPED_BYTES + HEAD as u64;

/// Maximum number of letters that are decoded. Inflating more letters would take long.
const MAX_PACKED_LETTERS: usize = 64_000;

/// The texts `a` and `b`.
pub type TextPair = [Arc<str>; 2];

/// Two texts and the letters that encode them in an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedTexts {
    texts: TextPair,
    /// The letters that encode the texts, or `None` if the browser cannot deflate.
    letters: Option<Arc<str>>,
}

impl PackedTexts {
    /// Creates the encoding of `texts`. `deflated` is their deflated [`frame`], or `None` if the browser cannot
    /// deflate.
    pub fn new(texts: TextPair, deflated: Option<&[u8]>) -> Self {
        let letters = deflated.map(|deflated| base64url::encode(&[&[VERSION], deflated].concat()).into());
        Self { texts, letters }
    }

    /// Creates the encoding of texts that were decoded from `letters`, and keeps these letters.
    pub fn opened(texts: TextPair, letters: &str) -> Self {
        Self { texts, letters: Some(letters.into()) }
    }

    /// Returns whether the texts of `form` are the encoded ones.
    pub fn matches_form(&self, form: &FormState) -> bool {
        texts_of(form).is_some_and(|texts| texts == self.texts)
    }

    /// Returns the letters that encode the texts, or `None` if the browser cannot deflate.
    pub fn letters(&self) -> Option<&str> {
        self.letters.as_deref()
    }
}

/// Returns both texts of a form, or `None` if one of them was not typed.
pub fn texts_of(form: &FormState) -> Option<TextPair> {
    Some([form.a.shared_text()?, form.b.shared_text()?])
}

/// Joins two texts into one frame to deflate: their lengths, then alternating blocks of both.
pub fn frame(texts: &TextPair) -> Vec<u8> {
    let [a, b] = [&texts[0], &texts[1]].map(|text| text.as_bytes());
    let mut frame = Vec::with_capacity(HEAD + a.len() + b.len());
    for text in [a, b] {
        frame.extend((text.len() as u32).to_le_bytes());
    }
    let (mut a, mut b) = (a.chunks(TEXT_BLOCK_BYTES), b.chunks(TEXT_BLOCK_BYTES));
    loop {
        let turn = [a.next(), b.next()];
        if turn == [None, None] {
            return frame;
        }
        turn.into_iter().flatten().for_each(|bytes| frame.extend(bytes));
    }
}

/// Splits an inflated [`frame`] into its two texts.
///
/// # Errors
/// Returns an error if the frame is malformed, or if a text is longer than a text area may hold.
pub fn unframe(frame: &[u8]) -> Result<TextPair, PackedTextsError> {
    let (head, mut rest) = frame.split_first_chunk::<HEAD>().ok_or(PackedTextsError::Damaged)?;
    let [a, b] = [[head[0], head[1], head[2], head[3]], [head[4], head[5], head[6], head[7]]].map(u32::from_le_bytes);
    if u64::from(a.max(b)) > TYPED_BYTES {
        return Err(PackedTextsError::TooLong);
    }
    let lens = [a as usize, b as usize];
    if rest.len() != lens[0] + lens[1] {
        return Err(PackedTextsError::Damaged);
    }
    let mut texts = lens.map(Vec::with_capacity);
    while !rest.is_empty() {
        for (text, len) in texts.iter_mut().zip(lens) {
            let (turn, left) = rest.split_at(TEXT_BLOCK_BYTES.min(len - text.len()));
            text.extend(turn);
            rest = left;
        }
    }
    let [a, b] = texts.map(|text| String::from_utf8(text).map(Arc::from).map_err(|_| PackedTextsError::Damaged));
    Ok([a?, b?])
}

/// Decodes letters of an address into the bytes to inflate.
///
/// # Errors
/// Returns an error if the letters are malformed, too many, or in the format of a later version.
pub fn deflated(letters: &str) -> Result<Vec<u8>, PackedTextsError> {
    if letters.len() > MAX_PACKED_LETTERS {
        return Err(PackedTextsError::TooLong);
    }
    let mut bytes = base64url::decode(letters).ok_or(PackedTextsError::Damaged)?;
    match bytes.first() {
        Some(&VERSION) => Ok(bytes.split_off(1)),
        Some(2..=LATER_VERSION) => Err(PackedTextsError::Newer),
        Some(_) | None => Err(PackedTextsError::Damaged),
    }
}

/// The reason why the texts of an address cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedTextsError {
    /// The texts have the format of a later version.
    Newer,
    /// The encoded texts were changed or cut off.
    Damaged,
    /// A text is longer than a text area may hold, or its encoding has too many letters.
    TooLong,
    /// The browser cannot inflate.
    Unable,
}

impl From<PackedTextsError> for Problem {
    fn from(unreadable: PackedTextsError) -> Self {
        let unread = |detail: String| Self::new("unreadable-link", t("This link cannot be read"), detail);
        match unreadable {
            PackedTextsError::Newer => Self::newer_link(),
            PackedTextsError::Damaged => {
                Self::new("unreadable-link", t("This link is incomplete"), t("Part of it was cut off. Ask for the whole link."))
            }
            PackedTextsError::TooLong => unread(tr!(
                "It has more text than a field takes: at most {most}. Ask for a stored result, or for the files.",
                most = humanize::bytes(TYPED_BYTES)
            )),
            PackedTextsError::Unable => unread(
                t("Its texts are compressed, and this browser cannot unpack them. Open it in a newer browser, or ask for a stored result.")
                    .into(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::local_file::LocalFile;
    use crate::model::form::{FormText, TextContent};

    fn texts(a: &str, b: &str) -> TextPair {
        [a.into(), b.into()]
    }

    #[test]
    fn both_texts_are_restored_at_any_block_border() {
        let long = "naïve 字 👩‍🚀\r\n".repeat(3_000);
        let lens = [0, 1, TEXT_BLOCK_BYTES - 1, TEXT_BLOCK_BYTES, TEXT_BLOCK_BYTES + 1, 3 * TEXT_BLOCK_BYTES];
        for (a, b) in lens.into_iter().flat_map(|a| lens.map(|b| (a, b))) {
            let texts = texts(&"x".repeat(a), &"y".repeat(b));
            assert_eq!(unframe(&frame(&texts)), Ok(texts), "{a}, {b}");
        }
        for (a, b) in [(long.as_str(), ""), ("", long.as_str()), (long.as_str(), "kitten"), (long.as_str(), &long[..40_002])] {
            assert_eq!(unframe(&frame(&texts(a, b))), Ok(texts(a, b)));
        }
    }

    #[test]
    fn long_texts_alternate_in_blocks() {
        let frame = frame(&texts(&"a".repeat(10_000), &"b".repeat(20_000)));
        let runs: Vec<(u8, usize)> = frame[HEAD..].chunk_by(|one, next| one == next).map(|run| (run[0], run.len())).collect();
        assert_eq!(
            runs,
            [(b'a', TEXT_BLOCK_BYTES), (b'b', TEXT_BLOCK_BYTES), (b'a', 10_000 - TEXT_BLOCK_BYTES), (b'b', 20_000 - TEXT_BLOCK_BYTES)]
        );
    }

    #[test]
    fn invalid_frames_are_damaged_and_oversized_ones_too_long() {
        let whole = frame(&texts("kitten", "sitting"));
        for bad in [&b""[..], b"1234567", &whole[..whole.len() - 1], &[&whole[..], b"x"].concat(), &[1, 0, 0, 0, 0, 0, 0, 0, 0xff]] {
            assert_eq!(unframe(bad), Err(PackedTextsError::Damaged), "{bad:?}");
        }
        let huge = [&1_000_001_u32.to_le_bytes()[..], &[0; 4], b"x"].concat();
        assert_eq!(unframe(&huge), Err(PackedTextsError::TooLong));
        assert_eq!(unframe(&[0xff; 40]), Err(PackedTextsError::TooLong), "the sum of the lengths overflows");
    }

    #[test]
    fn packed_letters_have_a_version() {
        let packed = PackedTexts::new(texts("a", "b"), Some(&[7, 8, 9]));
        let letters = packed.letters().unwrap();
        assert_eq!((letters, deflated(letters)), ("AQcICQ", Ok(vec![7, 8, 9])));
        assert_eq!(deflated(&base64url::encode(&[2, 7, 8, 9])), Err(PackedTextsError::Newer));
        for damaged in ["", "A", "AQc*", "AQc=", "字", &base64url::encode(&[0, 7]), "broken"] {
            assert_eq!(deflated(damaged), Err(PackedTextsError::Damaged), "{damaged}");
        }
        assert_eq!(deflated(&"A".repeat(MAX_PACKED_LETTERS + 1)), Err(PackedTextsError::TooLong));
        assert_eq!(PackedTexts::new(texts("a", "b"), None).letters(), None);
    }

    #[test]
    fn packed_texts_belong_to_one_pair_of_texts() {
        let form = FormState { a: FormText::typed("a"), b: FormText::typed("b"), ..FormState::new(Task::Lcs) };
        let packed = PackedTexts::opened(texts("a", "b"), "AQ");
        assert!(packed.matches_form(&form) && packed.matches_form(&FormState { task: Task::MatchCount, ..form.clone() }));
        assert!(!packed.matches_form(&FormState { b: FormText::typed("a"), ..form.clone() }));
        let file = TextContent::File { file: LocalFile::default(), bytes: 1, head: "b".into() };
        assert!(!packed.matches_form(&FormState { b: FormText { content: file, ..FormText::default() }, ..form }));
    }

    #[test]
    fn unreadable_packed_texts_are_explained() {
        for unreadable in [PackedTextsError::Damaged, PackedTextsError::TooLong, PackedTextsError::Unable, PackedTextsError::Newer] {
            let problem = Problem::from(unreadable);
            assert!(problem.title.contains("link") && !problem.detail.is_empty() && problem.remedies().is_empty(), "{problem:?}");
        }
        assert!(Problem::from(PackedTextsError::TooLong).detail.contains("1\u{a0}MB"));
    }
}
