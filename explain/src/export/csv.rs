//! Hits ([`hits`]) and scores ([`scores`]) of a search as comma-separated values. Callers write a file page by page, so
//! that a large file needs little memory.
//!
//! If a text has several records, each line names the record and gives positions within the record. For a search on
//! both strands, each line names the strand. Each record gets a distinct name; its whole header is in a column of its
//! own.
//!
//! ```
//! use explain::export::csv;
//! use kernels::found::Hit;
//! use kernels::strand::SearchStrands;
//! use kernels::text::{Pair, ReadingOptions};
//!
//! let b = Pair::parse(&b""[..], &b"some text"[..], &ReadingOptions::default()).unwrap().b;
//! let mut out = csv::head_of_hits(&b, SearchStrands::Forward);
//! csv::hits(&mut out, &b, &csv::RecordNames::of(&b), &[Hit::new(3, 9, 1)]).unwrap();
//! assert_eq!(out, "start,end,distance\n3,9,1\n");
//! ```

use std::borrow::Cow;
use std::fmt::{self, Write};

use kernels::found::{Hit, ScoreSpan};
use kernels::strand::SearchStrands;
use kernels::text::{Pair, Text};

use super::names::NameRule;

/// The byte order mark of UTF-8, by which Excel recognizes the encoding of a file that begins with it.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Distinct names of the records of a text, by number; empty unless the records are searched separately.
#[derive(Debug, Default)]
pub struct RecordNames(Vec<String>);

impl RecordNames {
    /// Returns the names of the records of `b`. Each is the first word of the record's header, made distinct, or the
    /// record's number from 0 if the header is empty. Takes O(records) time.
    pub fn from_text(b: &Text) -> Self {
        let numbered = |(number, name): (usize, super::names::ExportedName)| match b.record_name(number as u64) {
            Some(header) if !header.trim().is_empty() => name.name,
            _ => number.to_string(),
        };
        let names = if b.has_separate_records() { NameRule::Word.of_records(b, "") } else { Vec::new() };
        Self(names.into_iter().enumerate().map(numbered).collect())
    }

    fn field(&self, number: u64) -> Cow<'_, str> {
        self.0.get(number as usize).map_or(Cow::Borrowed(""), |name| field(name))
    }
}

/// Returns the header line of a file of hits in `b`. It has a column for the strand if both `strands` were searched. It
/// has columns for the name and the header of the record if the records of `b` are searched separately.
pub fn hits_header(b: &Text, strands: SearchStrands) -> String {
    let record = if b.has_separate_records() { "record," } else { "" };
    let strand = if strands.is_forward() { "" } else { ",strand" };
    let header = if b.has_separate_records() { ",header" } else { "" };
    format!("{record}start,end,distance{strand}{header}\n")
}

/// Returns the header line of a file of scores. It has a column for the record if the records of `b` are searched
/// separately.
pub fn scores_header(b: &Text) -> &'static str {
    if b.has_separate_records() { "record,offset,matches\n" } else { "offset,matches\n" }
}

/// Writes one line for each of the `hits` in `b`. `names` are the names of the records of `b`.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn hits(out: &mut dyn Write, b: &Text, names: &RecordNames, hits: &[Hit]) -> fmt::Result {
    hits.iter().try_for_each(|hit| {
        let place = b.in_record(hit.start, hit.end);
        match &place {
            None => write!(out, "{},{},{}", hit.start, hit.end, hit.distance)?,
            Some(place) => write!(out, "{},{},{},{}", names.field(place.number), place.start, place.end, hit.distance)?,
        }
        hit.strand.map_or(Ok(()), |strand| write!(out, ",{}", strand.sign()))?;
        if let Some(place) = place {
            write!(out, ",{}", field(b.record_name(place.number).as_deref().unwrap_or_default()))?;
        }
        out.write_char('\n')
    })
}

/// Writes one line for each of the `spans`, with the score of one offset (a position of `a` along `b`). Each span must
/// cover exactly one offset; the first span has offset `from`. `names` are the names of the records of `b`. Skips
/// offsets at which `a` would cross a border between records.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn scores(out: &mut dyn Write, Pair { a, b, .. }: &Pair, names: &RecordNames, from: u64, spans: &[ScoreSpan]) -> fmt::Result {
    let lies_in_one =
        |offset: u64| !b.has_separate_records() || offset as usize + a.len() <= b.record_range(b.record_at(offset as usize)).end;
    let mut scored = (from..).zip(spans).filter(|(offset, _)| lies_in_one(*offset));
    scored.try_for_each(|(offset, span)| match b.in_record(offset, offset) {
        None => writeln!(out, "{offset},{}", span.most),
        Some(place) => writeln!(out, "{},{},{}", names.field(place.number), place.start, span.most),
    })
}

/// Returns a text as a field of CSV (RFC 4180), quoted if necessary.
///
/// A spreadsheet must not run text from another person's file. A text that begins like a formula (`=`, `+`, `-`, `@`,
/// tab or carriage return), also after apostrophes, gets another apostrophe in front. Removing one apostrophe before
/// such a beginning restores the text.
///
/// ```
/// use explain::export::csv::field;
///
/// assert_eq!((field("a,b").as_ref(), field("=1+1").as_ref(), field("a=b").as_ref()), ("\"a,b\"", "'=1+1", "a=b"));
/// assert_eq!((field("'=1").as_ref(), field("'tis").as_ref()), ("''=1", "'tis"));
/// ```
pub fn field(text: &str) -> Cow<'_, str> {
    let text = if text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    };
    if text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use kernels::reading::{FastaMode, PairRecordChoices, ReadingOptions};

    use super::*;

    /// Checks the size of a page in memory, in which each hit names its record.
    #[test]
    fn header_of_megabytes_is_not_written_for_every_hit() {
        let text = format!(">{}\n{}\n>other\nG\n", "x".repeat(1_000_000), "A".repeat(100));
        let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
        let pair = Pair::parse_records(&b"A"[..], text.into_bytes(), &ReadingOptions::default(), &choices).unwrap();
        let found: Vec<Hit> = (0..100).map(|start| Hit::new(start, start + 1, 0)).collect();
        let mut out = String::new();
        hits(&mut out, &pair.b, &RecordNames::from_text(&pair.b), &found).unwrap();
        assert!(out.starts_with("xxx") && out.len() < 300_000, "{} bytes", out.len());
    }

    #[test]
    fn names_are_escaped_so_that_spreadsheets_run_no_formula() {
        let names = ["=HYPERLINK(\"x\",1)", "+1", "-1", "@SUM(A1)", "a,b", "it's", "a=b"];
        let text: String = names.iter().map(|name| format!(">{name}\nTACT\n")).collect();
        let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
        let reading = ReadingOptions { fasta: FastaMode::Always, ..ReadingOptions::default() };
        let pair = Pair::parse_records(&b"AC"[..], text.as_bytes(), &reading, &choices).unwrap();
        let found: Vec<Hit> = (0..names.len() as u64).map(|record| Hit::new(5 * record + 1, 5 * record + 3, 0)).collect();
        let (mut as_hits, mut as_scores) = (String::new(), String::new());
        let of_records = RecordNames::from_text(&pair.b);
        hits(&mut as_hits, &pair.b, &of_records, &found).unwrap();
        let expected = ["\"'=HYPERLINK(\"\"x\"\",1)\"", "'+1", "'-1", "'@SUM(A1)", "\"a,b\"", "it's", "a=b"];
        assert_eq!(as_hits, expected.map(|name| format!("{name},1,3,0,{name}\n")).concat());
        scores(&mut as_scores, &pair, &of_records, 5, &[ScoreSpan { offsets: 1, least: 2, most: 2, sum: 2 }]).unwrap();
        assert_eq!(as_scores, "'+1,0,2\n");
    }
}
