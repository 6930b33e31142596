//! What the desk keeps, as files: whole in memory, since the page hands them to the browser as one piece.

use std::fmt;

use explain::export::{blocks, csv, diff, edits, mapped, picture, subsequence};
use explain::format::Aligned;
use explain::window::Window;
use kernels::alignment::Alignment;
use kernels::failure::Failure;
use kernels::found::Hit;
use kernels::text::{Pair, Text};

/// Hits that are written to a file at a time.
const HITS_AT_ONCE: u64 = 50_000;

/// Columns of one picture at most.
const MOST_COLUMNS: u64 = 20_000;

/// An alignment written like this. Only the CIGAR needs no texts.
pub(super) fn aligned(form: Aligned, pair: Option<&Pair>, alignment: &Alignment, columns: (u64, u64)) -> Result<Vec<u8>, Failure> {
    let with_texts = || pair.ok_or_else(|| Failure::engine("The texts are not on this device."));
    let mut out = String::new();
    let written = match form {
        Aligned::Cigar => fmt::Write::write_fmt(&mut out, format_args!("{alignment}\n")),
        Aligned::Text => blocks(&mut out, with_texts()?, alignment),
        Aligned::Edits => edits::csv(&mut out, with_texts()?, alignment),
        Aligned::Paf => mapped::paf(&mut out, with_texts()?, alignment),
        Aligned::Sam => mapped::sam(&mut out, with_texts()?, alignment),
        Aligned::Diff => diff::unified(&mut out, with_texts()?, alignment),
        Aligned::Subsequence => return Ok(subsequence::pieces(with_texts()?, alignment).collect::<Vec<_>>().concat()),
        Aligned::Picture => {
            let pair = with_texts()?;
            picture::svg(&mut out, &Window::new(alignment, pair, columns.0, columns.1.min(MOST_COLUMNS)), pair.a.unit())
        }
    };
    written.map_err(not_written)?;
    Ok(out.into_bytes())
}

/// All hits, a line each, asked for in pages.
pub(super) fn hits(b: &Text, total: u64, page: impl Fn(u64, u64) -> Result<Vec<Hit>, Failure>) -> Result<Vec<u8>, Failure> {
    let mut out = csv::head_of_hits(b).to_owned();
    for from in (0..total).step_by(HITS_AT_ONCE as usize) {
        csv::hits(&mut out, b, &page(from, HITS_AT_ONCE)?).map_err(not_written)?;
    }
    Ok(out.into_bytes())
}

fn not_written(_: fmt::Error) -> Failure {
    Failure::engine("The file could not be written.")
}
