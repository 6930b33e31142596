//! Hits and scores as comma-separated values. Whoever writes a whole file asks for them in pages, so that its size costs no memory.
//!
//! ```
//! use explain::export::csv;
//! use kernels::found::Hit;
//!
//! let mut out = String::from(csv::HITS);
//! csv::hits(&mut out, &[Hit { start: 3, end: 9, distance: 1 }]).unwrap();
//! assert_eq!(out, "start,end,distance\n3,9,1\n");
//! ```

use std::fmt::{self, Write};

use kernels::found::{Hit, Span};

/// First line of a file of hits.
pub const HITS: &str = "start,end,distance\n";

/// First line of a file of scores.
pub const SCORES: &str = "offset,matches\n";

/// A line for each hit.
///
/// # Errors
/// When `out` takes no more.
pub fn hits(out: &mut dyn Write, hits: &[Hit]) -> fmt::Result {
    hits.iter().try_for_each(|Hit { start, end, distance }| writeln!(out, "{start},{end},{distance}"))
}

/// A line for each span, which must be of one offset; the first one's offset is `from`.
///
/// # Errors
/// When `out` takes no more.
pub fn scores(out: &mut dyn Write, from: u64, spans: &[Span]) -> fmt::Result {
    (from..).zip(spans).try_for_each(|(offset, span)| writeln!(out, "{offset},{}", span.most))
}
