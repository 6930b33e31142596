//! Cutting bytes into units, and saying which units are equal.

use std::borrow::Cow;
use std::sync::Arc;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

use super::{Reading, Spans, Text, Unit, fasta};
use crate::failure::{Failure, Wrong, large};

/// Cuts `bytes` into units. `who` names the text in errors.
pub(super) fn cut(who: &str, bytes: Arc<[u8]>, reading: &Reading) -> Result<Text, Failure> {
    if bytes.len() > u32::MAX as usize {
        return Err(Failure::TooLarge { what: large::BYTES.into(), got: bytes.len() as u64, limit: u32::MAX.into() });
    }
    if reading.unit == Unit::Bytes && reading.normalize {
        let message = "Bytes cannot be normalised. Count in chars or graphemes, or leave normalisation off.";
        return Err(Failure::wrong(message, Wrong::BytesNormalised));
    }
    let fasta = matches!(reading.unit, Unit::Bytes | Unit::Chars | Unit::Graphemes).then(|| fasta::parse(&bytes)).flatten();
    let (name, ranges) = match fasta {
        Some(fasta) => (Some(fasta.name), fasta.sequence),
        None => (None, std::iter::once(0..bytes.len()).collect()),
    };
    // What `char::is_whitespace` says of ASCII, so that other letters in a text change nothing.
    let is_space = |byte: u8| matches!(byte, b'\t'..=b'\r' | b' ');
    let skip = |byte: u8| (name.is_some() || reading.ignore_whitespace) && is_space(byte);
    let spans = if reading.unit == Unit::Bytes {
        pieces(&bytes, &ranges, skip)
    } else {
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let byte = error.valid_up_to() as u64;
            let at = crate::words::grouped(byte);
            let message = format!("{who} is not valid UTF-8 at byte {at}. Count in bytes, or save the file as UTF-8.");
            Failure::wrong(message, Wrong::NotUtf8 { text: who.into(), byte })
        })?;
        let single =
            reading.unit == Unit::Chars && text.is_ascii() || reading.unit == Unit::Graphemes && text.is_ascii() && !bytes.contains(&b'\r');
        if single {
            pieces(&bytes, &ranges, skip)
        } else {
            let whitespace = name.is_some() || reading.ignore_whitespace;
            let mut spans = Vec::new();
            for range in ranges {
                push_units(
                    &mut spans,
                    &text[range.clone()],
                    range.start,
                    Cut { unit: reading.unit, skip_whitespace: whitespace, normalize: reading.normalize },
                );
            }
            Spans::Ranges(spans)
        }
    };
    Ok(Text { bytes, name, unit: reading.unit, spans })
}

struct Cut {
    unit: Unit,
    skip_whitespace: bool,
    normalize: bool,
}

/// Units of one byte each, without the bytes that `skip` names.
fn pieces(bytes: &[u8], ranges: &[std::ops::Range<usize>], skip: impl Fn(u8) -> bool) -> Spans {
    let mut starts = Vec::new();
    let mut len = 0usize;
    for range in ranges {
        let mut inside = false;
        for at in range.clone() {
            if skip(bytes[at]) {
                inside = false;
                continue;
            }
            if !inside {
                starts.push((len as u32, at as u32));
                inside = true;
            }
            len += 1;
        }
    }
    Spans::Pieces { starts, len }
}

/// Appends the units of `text`, which begins at byte `offset` of the original.
fn push_units(spans: &mut Vec<(u32, u32)>, text: &str, offset: usize, cut: Cut) {
    let mut push = |start: usize, piece: &str| {
        if !(cut.skip_whitespace && piece.chars().all(char::is_whitespace)) {
            spans.push(((offset + start) as u32, (offset + start + piece.len()) as u32));
        }
    };
    match cut.unit {
        Unit::Bytes | Unit::Chars if !cut.normalize => text.char_indices().for_each(|(at, char)| push(at, &text[at..at + char.len_utf8()])),
        // Form C joins scalar values within a cluster only, so a cluster that it changes becomes one unit.
        Unit::Bytes | Unit::Chars => {
            for (start, cluster) in text.grapheme_indices(true) {
                if is_nfc(cluster) {
                    cluster.char_indices().for_each(|(at, char)| push(start + at, &cluster[at..at + char.len_utf8()]));
                } else {
                    push(start, cluster);
                }
            }
        }
        Unit::Graphemes => text.grapheme_indices(true).for_each(|(at, cluster)| push(at, cluster)),
        Unit::Words => {
            text.split_word_bound_indices()
                .filter(|(_, word)| !word.chars().all(char::is_whitespace))
                .for_each(|(at, word)| push(at, word));
        }
        Unit::Lines => {
            let mut start = 0;
            for line in text.split_inclusive('\n') {
                push(start, line);
                start += line.len();
            }
        }
    }
}

fn is_nfc(text: &str) -> bool {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => true,
        IsNormalized::No => false,
        IsNormalized::Maybe => text.nfc().eq(text.chars()),
    }
}

/// What the unit at `at` is compared by.
pub(super) fn key<'t>(text: &'t Text, at: usize, reading: &Reading) -> Cow<'t, str> {
    // `cut` has checked that the whole text is UTF-8, and units end on its borders.
    let mut key: Cow<'t, str> = String::from_utf8_lossy(&text.bytes[text.range(at)]);
    if reading.unit == Unit::Lines {
        let end = key.trim_end_matches('\n').trim_end_matches('\r').len();
        key = cut_to(key, end);
    }
    if reading.ignore_whitespace && key.contains(char::is_whitespace) {
        key = Cow::Owned(key.chars().filter(|char| !char.is_whitespace()).collect());
    }
    if reading.normalize && !is_nfc(&key) {
        key = Cow::Owned(key.nfc().collect());
    }
    if text.name.is_some() && key.contains(|char: char| char.is_ascii_lowercase()) {
        key = Cow::Owned(key.to_ascii_uppercase());
    }
    if reading.case_insensitive && key.contains(char::is_uppercase) {
        key = Cow::Owned(key.to_lowercase());
    }
    key
}

fn cut_to(text: Cow<'_, str>, end: usize) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}
