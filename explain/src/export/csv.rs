//! Hits and scores as comma-separated values. Whoever writes a whole file asks for them in pages, so that its size costs no memory.
//! Of a text of several records each line names the record, and counts positions in it.
//!
//! ```
//! use explain::export::csv;
//! use kernels::found::Hit;
//! use kernels::text::{Pair, Reading};
//!
//! let b = Pair::parse(&b""[..], &b"some text"[..], &Reading::default()).unwrap().b;
//! let mut out = csv::head_of_hits(&b).to_owned();
//! csv::hits(&mut out, &b, &[Hit::new(3, 9, 1)]).unwrap();
//! assert_eq!(out, "start,end,distance\n3,9,1\n");
//! ```

use std::fmt::{self, Write};

use kernels::found::{Hit, Span};
use kernels::text::{Pair, Text};

/// First line of a file of hits in `b`.
pub fn head_of_hits(b: &Text) -> &'static str {
    if b.is_apart() { "record,start,end,distance\n" } else { "start,end,distance\n" }
}

/// First line of a file of scores at offsets of `b`.
pub fn head_of_scores(b: &Text) -> &'static str {
    if b.is_apart() { "record,offset,matches\n" } else { "offset,matches\n" }
}

/// A line for each hit in `b`.
///
/// # Errors
/// When `out` takes no more.
pub fn hits(out: &mut dyn Write, b: &Text, hits: &[Hit]) -> fmt::Result {
    hits.iter().try_for_each(|hit| match b.in_record(hit.start, hit.end) {
        None => writeln!(out, "{},{},{}", hit.start, hit.end, hit.distance),
        Some(place) => {
            field(out, &b.record_word(place.number))?;
            writeln!(out, ",{},{},{}", place.start, place.end, hit.distance)
        }
    })
}

/// A line for each span, which must be of one offset of `a` in `b`; the first one's offset is `from`. Offsets at which `a` would lie
/// across a border of records have none.
///
/// # Errors
/// When `out` takes no more.
pub fn scores(out: &mut dyn Write, Pair { a, b, .. }: &Pair, from: u64, spans: &[Span]) -> fmt::Result {
    let lies_in_one = |offset: u64| !b.is_apart() || offset as usize + a.len() <= b.part(b.part_at(offset as usize)).end;
    let mut scored = (from..).zip(spans).filter(|(offset, _)| lies_in_one(*offset));
    scored.try_for_each(|(offset, span)| match b.in_record(offset, offset) {
        None => writeln!(out, "{offset},{}", span.most),
        Some(place) => {
            field(out, &b.record_word(place.number))?;
            writeln!(out, ",{},{}", place.start, span.most)
        }
    })
}

/// A field, in quotation marks where it needs them.
fn field(out: &mut dyn Write, text: &str) -> fmt::Result {
    if text.contains([',', '"', '\n', '\r']) { write!(out, "\"{}\"", text.replace('"', "\"\"")) } else { out.write_str(text) }
}
