//! Export: a result as a file. The file is written while it is sent, so that it is never in memory as a whole.
//!
//! - [`format`](mod@format): formats that suit a result
//! - `pieces`: a response body that is written while it is sent

use std::fmt;
use std::io::{self, Write as _};
use std::sync::Arc;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use explain::export::csv::BYTE_ORDER_MARK;
use explain::export::document::ResultDocument;
use explain::export::hit_file::HitFile;
use explain::export::{blast, blocks, csv, diff, edits, emboss, fasta, mapping, picture, report, subsequence, vcf};
use explain::format::{AlignmentFormat, ExportFormat, FindingsFormat};
use explain::snapshot::JobSnapshot;
use explain::window::AlignmentWindow;
use kernels::alignment::Alignment;
use kernels::job::{JobOptions, Task};
use kernels::run::Run;

use self::pieces::body;
use crate::clients::budgets::RequestPayer;
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;
use crate::results::exporting::ExportSlot;
use crate::results::search::LoadedSearch;
use crate::results::{AlignedPair, AlignmentSelector, ResultReader};
use crate::store::record::StoredResult;

pub mod format;
pub(super) mod pieces;

/// The part of a result that an export contains, and details of the format.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportPart {
    /// Selected alignment of a search, by the number of its hit or by its offset. `None` selects the only alignment of
    /// the result, or that of the first hit.
    pub selector: Option<AlignmentSelector>,
    /// Columns of the alignment that a picture shows: the first column (from 0) and the number of columns.
    pub columns: (u64, u64),
    /// Whether comma-separated values begin with a byte order mark, by which Excel recognizes UTF-8.
    pub bom: bool,
}

/// Returns an answer with the result `record` as a file in the format `format`, which browsers save under a suggested
/// name. `part` selects the alignment of a search, and has details of the format.
///
/// # Errors
/// Returns `UnsupportedFormat` if the result cannot be written in this format, and `RateLimited` if the client has used
/// up its hourly budget of cells or bytes. Returns `NotReady` and `RateLimited` like [`ResultReader::begin_export`],
/// and `NoResult` and `NotFound` like [`ResultReader::alignment`].
pub async fn file(results: &ResultReader, record: StoredResult, format: ExportFormat, part: ExportPart) -> Result<Response, ApiProblem> {
    let (task, options) = (record.snapshot.task, record.snapshot.options.clone());
    format::check(format, task, &options)?;
    let place = results.begin_export()?;
    let before = if part.bom && format.is_comma_separated() { BYTE_ORDER_MARK } else { "" };
    let body = match format {
        ExportFormat::Json => document(place, results, record, part.selector).await?,
        ExportFormat::Aligned(form) => {
            let view = results.view(&record, part.selector).await?;
            let view = results.work(move || prepared(form, view)).await?;
            aligned(place, form, view, part.columns, before, (task, options))?
        }
        ExportFormat::Listed(FindingsFormat::Scores) => all_scores(place, results.clone(), results.search(&record).await?, before)?,
        ExportFormat::Listed(form) => all_hits(place, results.clone(), results.search(&record).await?, form, before)?,
    };
    let headers = [
        (header::CONTENT_TYPE, format.content_type().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", format.file_name(task))),
    ];
    Ok((headers, body).into_response())
}

/// Prepares two aligned texts for the format `form`, and checks that the format can express their symbols. Called before
/// any part of the file is sent. VCF gets every gap as far left as possible.
///
/// # Errors
/// Returns `UnsupportedFormat` with the reason if the format cannot express a symbol.
fn prepared(form: AlignmentFormat, view: AlignedPair) -> Result<AlignedPair, ApiProblem> {
    let refused = |cause: &dyn fmt::Display| ApiProblem::new(ProblemKind::UnsupportedFormat, cause.to_string());
    let AlignedPair { pair, mut alignment, score, next } = view;
    match form {
        AlignmentFormat::Vcf => {
            alignment = Arc::new(Alignment::clone(&alignment).left_aligned_in(&pair)?);
            vcf::check(&pair, &alignment).map_err(|cause| refused(&cause))?;
        }
        AlignmentFormat::Fasta => fasta::check(&pair, &alignment).map_err(|cause| refused(&cause))?,
        AlignmentFormat::Emboss => emboss::check(&pair, &alignment).map_err(|cause| refused(&cause))?,
        _ => {}
    }
    Ok(AlignedPair { pair, alignment, score, next })
}

fn aligned(
    place: ExportSlot,
    form: AlignmentFormat,
    AlignedPair { pair, alignment, score, next }: AlignedPair,
    (from, len): (u64, u64),
    before: &'static str,
    (task, options): (Task, JobOptions),
) -> Result<Body, ApiProblem> {
    let (costs, scoring) = ((task == Task::EditDistance).then_some(options.costs), options.scoring());
    body(place, move |out| match form {
        AlignmentFormat::Cigar => writeln!(out, "{alignment}"),
        AlignmentFormat::Text => text(blocks(out, &pair, &alignment, score)),
        AlignmentFormat::Emboss => text(emboss::write(out, &pair, &alignment, score.map(|score| (score, &scoring)))),
        AlignmentFormat::Blast => text(blast::write(out, &pair, &alignment, score.unwrap_or_default(), &next)),
        AlignmentFormat::Edits => {
            out.write_all(before.as_bytes())?;
            text(edits::csv(out, &pair, &alignment))
        }
        AlignmentFormat::Vcf => text(vcf::write(out, &pair, &alignment)),
        AlignmentFormat::Fasta => text(fasta::write(out, &pair, &alignment)),
        AlignmentFormat::Picture => text(picture::write_svg(out, &AlignmentWindow::new(&alignment, &pair, from, len), &pair)),
        AlignmentFormat::Report => text(report::write(out, &pair, &alignment, score, costs.as_ref())),
        AlignmentFormat::Paf => text(mapping::write_paf(out, &pair, &alignment, score, &next)),
        AlignmentFormat::Sam => text(mapping::write_sam(out, &pair, &alignment, score, &next)),
        AlignmentFormat::Diff => text(diff::write_unified_diff(out, &pair, &alignment)),
        AlignmentFormat::Subsequence => subsequence::pieces(&pair, &alignment).try_for_each(|piece| out.write_all(&piece)),
    })
}

/// Returns a body with all hits of `search` in the format `form`, written page by page. Each page is computed after the
/// previous page was written, in one of the slots that `results` has for reads. The body begins with `before`. `place`
/// is the client's export slot.
fn all_hits(
    place: ExportSlot,
    results: ResultReader,
    search: LoadedSearch,
    form: FindingsFormat,
    before: &'static str,
) -> Result<Body, ApiProblem> {
    let pair = search.pair.clone();
    // Checks that the format can express the texts, because later errors could only break off the file.
    HitFile::new(form, &pair, search.options.strands)?;
    let (client, payer) = request_payer()?;
    body(place, move |out| {
        let file = HitFile::new(form, &pair, search.options.strands).map_err(|failure| broken(failure.into()))?;
        out.write_all(before.as_bytes())?;
        out.write_all(file.header(search.total()).as_bytes())?;
        let reader = out.reader();
        let run = Run::new(&reader);
        let pages = &mut (0..search.total()).step_by(file.max_hits_per_page() as usize);
        let mut has_line = false;
        let mut page = || pages.next().map(|from| search.format_page(&file, from, &mut has_line, &run)).transpose();
        paid(payer, &run, || {
            while let Some(page) = results.work_here(client, &mut page).map_err(broken)? {
                out.write_all(page.as_bytes())?;
            }
            Ok(())
        })
    })
}

/// Returns a body with the scores of all offsets of `search` as comma-separated values, written page by page like the
/// body of [`all_hits`]. The body begins with `before`. `place` is the client's export slot.
fn all_scores(place: ExportSlot, results: ResultReader, search: LoadedSearch, before: &'static str) -> Result<Body, ApiProblem> {
    let (client, payer) = request_payer()?;
    body(place, move |out| {
        out.write_all(before.as_bytes())?;
        out.write_all(csv::scores_header(&search.pair.b).as_bytes())?;
        let names = csv::RecordNames::from_text(&search.pair.b);
        let reader = out.reader();
        let run = Run::new(&reader);
        let mut pages = search.scores(&run);
        paid(payer, &run, || {
            while let Some((from, spans)) = results.work_here(client, || pages.next().transpose()).map_err(broken)? {
                text(csv::scores(out, &search.pair, &names, from, &spans))?;
            }
            Ok(())
        })
    })
}

/// Returns the client of the current request, and the payer that is charged for the cells computed for its export. The
/// payer is `None` outside of requests.
///
/// # Errors
/// Returns `RateLimited` if the client has used up its hourly budget of cells.
fn request_payer() -> Result<(ClientIdentity, Option<RequestPayer>), ApiProblem> {
    let payer = RequestPayer::current();
    payer.as_ref().map_or(Ok(()), RequestPayer::check)?;
    Ok((RequestPayer::client(), payer))
}

/// Calls the function `write`, and then charges `payer` for the cells that `run` has filled, even if writing failed.
fn paid(payer: Option<RequestPayer>, run: &Run<'_>, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let written = write();
    if let Some(payer) = payer {
        payer.charge_cells(run.cells());
    }
    written
}

async fn document(
    place: ExportSlot,
    results: &ResultReader,
    record: StoredResult,
    which: Option<AlignmentSelector>,
) -> Result<Body, ApiProblem> {
    let view = match results.view(&record, which).await {
        Ok(view) => Some(view),
        // The JSON document may have an answer without an alignment. A missing alignment is an error only if the client
        // selected one.
        Err(problem) if which.is_some() || record.snapshot.answer.is_none() || problem.kind != ProblemKind::NoResult => {
            return Err(problem);
        }
        Err(_) => None,
    };
    body(place, move |out| {
        let JobSnapshot { task, options, a, b, reading, answer, metrics, .. } = record.snapshot;
        let cigar = view.as_ref().map(|view| &*view.alignment);
        let of_hit = record.found.and(cigar);
        let hit = match which.unwrap_or(AlignmentSelector::Hit(0)) {
            AlignmentSelector::Hit(number) => of_hit.map(|_| number),
            AlignmentSelector::Offset(_) => None,
        };
        let b_start = of_hit.map(Alignment::b_start);
        let document = ResultDocument { task, options, a, b, reading, answer, metrics, hit, b_start, cigar };
        serde_json::to_writer(out, &document).map_err(Into::into)
    })
}

/// Converts the result of formatting text into a [`PieceWriter`](pieces::PieceWriter). A formatting error becomes a
/// broken pipe, because it means that the client has disconnected.
fn text(written: fmt::Result) -> io::Result<()> {
    written.map_err(|_| io::ErrorKind::BrokenPipe.into())
}

fn broken(problem: ApiProblem) -> io::Error {
    io::Error::other(problem.detail)
}
