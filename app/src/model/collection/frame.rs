//! The deflated texts of an address.
//!
//! The browser deflates and inflates the [`frame`] of all sources.
//!
//! ```text
//! letters:  base64url of: 1 | zlib of the frame
//! frame:    sources, 4 | (bytes of the name, 4 | bytes of the text, 4)* | names | texts
//! name:     file, or file NUL full name NUL label NUL time, or also NUL left-out texts NUL names of texts
//! ```

use super::hand_in::HandInTime;
use super::member_edits::MemberEdits;
use super::sources::{SourceDetails, TextSource};
use crate::model::link::base64url;
use crate::model::link::packed_texts::{PackedTextsError, deflated as zlib_of};

/// Maximum size of a frame that is inflated, in bytes.
pub const MAX_INFLATED_BYTES: u64 = 64_000_000;

/// Version of the deflated texts, which is the first encoded byte.
const VERSION: u8 = 1;

/// Joins the sources into one frame to deflate.
pub fn frame<'s>(sources: impl Iterator<Item = &'s TextSource>) -> Vec<u8> {
    let sources: Vec<(String, &[u8])> = sources.map(|source| (name_of(source), &source.bytes[..])).collect();
    let mut frame = Vec::new();
    frame.extend((sources.len() as u32).to_le_bytes());
    for (name, bytes) in &sources {
        frame.extend((name.len() as u32).to_le_bytes());
        frame.extend((bytes.len() as u32).to_le_bytes());
    }
    sources.iter().for_each(|(name, _)| frame.extend(name.as_bytes()));
    sources.iter().for_each(|(_, bytes)| frame.extend(*bytes));
    frame
}

/// Writes the name of a source with its details.
fn name_of(TextSource { name, about, edits, .. }: &TextSource) -> String {
    if *about == SourceDetails::default() && edits.is_empty() {
        return name.to_string();
    }
    let time = about.handed_in.map(HandInTime::written).unwrap_or_default();
    let details = [&**name, &about.full_name, &about.label, &time].join("\0");
    if edits.is_empty() {
        return details;
    }
    [details, edits.written_left_out().unwrap_or_default(), edits.written_names().unwrap_or_default()].join("\0")
}

/// Splits an inflated [`frame`] into its sources.
///
/// # Errors
/// Returns an error if the frame is malformed.
pub fn unframe(frame: &[u8]) -> Result<Vec<TextSource>, PackedTextsError> {
    parse(frame).ok_or(PackedTextsError::Damaged)
}

fn parse(mut frame: &[u8]) -> Option<Vec<TextSource>> {
    let number = |from: &mut &[u8]| {
        let (bytes, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(u32::from_le_bytes(*bytes) as usize)
    };
    let count = number(&mut frame)?;
    // Each source takes eight bytes, so that the lengths are bounded by the frame.
    let lens = (0..count).map(|_| Some((number(&mut frame)?, number(&mut frame)?))).collect::<Option<Vec<_>>>()?;
    let mut cut = |len: usize| {
        let (own, rest) = frame.split_at_checked(len)?;
        frame = rest;
        Some(own)
    };
    let names = lens.iter().map(|(name, _)| std::str::from_utf8(cut(*name)?).ok()).collect::<Option<Vec<_>>>()?;
    let texts = lens.iter().map(|(_, text)| cut(*text)).collect::<Option<Vec<_>>>()?;
    let source = |(name, bytes): (&str, &[u8])| {
        let mut parts = name.split('\0');
        let mut next = || parts.next().unwrap_or_default();
        let name = next().into();
        let about = SourceDetails { full_name: next().into(), label: next().into(), handed_in: HandInTime::parse(next()) };
        Some(TextSource { name, bytes: bytes.into(), about, edits: MemberEdits::parse(next(), next())? })
    };
    if frame.is_empty() { names.into_iter().zip(texts).map(source).collect() } else { None }
}

/// Encodes a deflated frame as letters of an address.
pub fn letters(deflated: &[u8]) -> String {
    base64url::encode(&[&[VERSION], deflated].concat())
}

/// Decodes letters of an address into the bytes to inflate.
///
/// # Errors
/// Returns an error if the letters are malformed, too many, or of a later version.
pub fn deflated(letters: &str) -> Result<Vec<u8>, PackedTextsError> {
    zlib_of(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_restored_from_their_frame() {
        let source = TextSource::file;
        let handed_in = HandInTime::parse("2026-11-14 14:06 +0100");
        let about = SourceDetails { full_name: "Bauer, Mia".into(), label: "9a".into(), handed_in };
        let detailed = TextSource { about, ..source("mia.txt", b"x") };
        let edits = MemberEdits::parse("1,3-4", "2,Mia").unwrap();
        let edited = TextSource { edits, ..source("", b"a\nb") };
        for sources in [
            vec![],
            vec![source("", b"a")],
            vec![detailed],
            vec![edited],
            vec![source("ä.txt", b"\xff\0"), source("b", b""), source("", b"ccc")],
        ] {
            let framed = frame(sources.iter());
            assert_eq!(unframe(&framed), Ok(sources));
            assert_eq!(unframe(&framed[..framed.len() - 1]), Err(PackedTextsError::Damaged));
            assert_eq!(unframe(&[&framed[..], b"x"].concat()), Err(PackedTextsError::Damaged));
        }
        assert_eq!(unframe(&[255; 8]), Err(PackedTextsError::Damaged));
        assert_eq!(deflated(&letters(&[7, 8])), Ok(vec![7, 8]));
    }
}
