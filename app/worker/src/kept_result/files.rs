//! Exports of the solver's last result: [`aligned`] writes an alignment, and [`hits`] the hits of a search. Each file
//! is built in memory, because the page hands it to the browser as a whole.

use std::fmt;

use explain::export::hit_file::HitFile;
use explain::export::{blast, blocks, diff, edits, emboss, fasta, mapping, picture, report, subsequence, vcf};
use explain::format::AlignmentFormat;
use explain::window::AlignmentWindow;
use kernels::alignment::Alignment;
use kernels::event::LocalPiece;
use kernels::failure::JobFailure;
use kernels::found::Hit;
use kernels::job::{EditCosts, Points, Scoring};
use kernels::run::Halt;
use kernels::text::Pair;

/// Maximum number of alignment columns in a picture.
const MAX_PICTURE_COLUMNS: u64 = 20_000;

/// Writes an alignment in the format `form`, with its score and scoring, if it has them, and the further pieces of a local
/// alignment. `columns` are the first column and the number of columns, which only a picture uses. Every format except
/// CIGAR needs the texts, `pair`. `costs` are those of an edit distance.
pub(super) fn aligned(
    form: AlignmentFormat,
    pair: Option<&Pair>,
    (alignment, scored, next): (&Alignment, Option<(Points, Scoring)>, &[LocalPiece]),
    columns: (u64, u64),
    costs: Option<&EditCosts>,
) -> Result<Vec<u8>, JobFailure> {
    let with_texts = || pair.ok_or_else(|| JobFailure::engine("The texts are not on this device."));
    let score = scored.as_ref().map(|(score, _)| *score);
    let mut out = String::new();
    let written = match form {
        AlignmentFormat::Cigar => fmt::Write::write_fmt(&mut out, format_args!("{alignment}\n")),
        AlignmentFormat::Text => blocks(&mut out, with_texts()?, alignment, score),
        AlignmentFormat::Edits => edits::csv(&mut out, with_texts()?, alignment),
        AlignmentFormat::Vcf => {
            let alignment = alignment.clone().left_aligned_in(with_texts()?)?;
            vcf::check(with_texts()?, &alignment).map_err(|cause| JobFailure::bad_input(cause.to_string()))?;
            vcf::write(&mut out, with_texts()?, &alignment)
        }
        AlignmentFormat::Fasta => {
            fasta::check(with_texts()?, alignment).map_err(|cause| JobFailure::bad_input(cause.to_string()))?;
            fasta::write(&mut out, with_texts()?, alignment)
        }
        AlignmentFormat::Emboss => {
            emboss::check(with_texts()?, alignment).map_err(|cause| JobFailure::bad_input(cause.to_string()))?;
            emboss::write(&mut out, with_texts()?, alignment, scored.as_ref().map(|(score, scoring)| (*score, scoring)))
        }
        AlignmentFormat::Blast => blast::write(&mut out, with_texts()?, alignment, score.unwrap_or_default(), next),
        AlignmentFormat::Report => report::write(&mut out, with_texts()?, alignment, score, costs),
        AlignmentFormat::Paf => mapping::write_paf(&mut out, with_texts()?, alignment, score, next),
        AlignmentFormat::Sam => mapping::write_sam(&mut out, with_texts()?, alignment, score, next),
        AlignmentFormat::Diff => diff::write_unified_diff(&mut out, with_texts()?, alignment),
        AlignmentFormat::Subsequence => return Ok(subsequence::pieces(with_texts()?, alignment).collect::<Vec<_>>().concat()),
        AlignmentFormat::Picture => {
            let pair = with_texts()?;
            picture::write_svg(&mut out, &AlignmentWindow::new(alignment, pair, columns.0, columns.1.min(MAX_PICTURE_COLUMNS)), pair)
        }
    };
    written.map_err(not_written)?;
    Ok(out.into_bytes())
}

/// Writes the `total` hits of a search. `page` returns hits, given the number of the first one and a maximum count.
/// Calls `align` for each hit if the format contains alignments.
pub(super) fn hits(
    file: &HitFile<'_>,
    total: u64,
    page: impl Fn(u64, u64) -> Result<Vec<Hit>, JobFailure>,
    align: &dyn Fn(Hit) -> Result<Alignment, Halt>,
) -> Result<Vec<u8>, JobFailure> {
    let (mut out, mut has_line) = (file.header(total), false);
    for from in (0..total).step_by(file.max_hits_per_page() as usize) {
        out += &file.page(&mut has_line, &page(from, file.max_hits_per_page())?, align).map_err(Halt::failure)?;
    }
    Ok(out.into_bytes())
}

fn not_written(_: fmt::Error) -> JobFailure {
    JobFailure::engine("The file could not be written.")
}
