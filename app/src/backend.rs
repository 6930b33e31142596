//! The two back ends of the page: the solver in this browser's worker, and the server.
//!
//! Everything here runs in a browser only, except [`document::current`], which also works while the server renders.
//!
//! - [`local`]: the worker; [`worker`]: its start
//! - [`remote`]: the API of the server
//! - [`sealed`]: results that the server cannot read
//! - [`tokens`]: tokens to delete what this browser stored on the server
//! - [`http`]: a single request
//! - [`document`]: settings of the visit, and choices that are remembered for the next one
//! - [`latest`]: finds out which of several requests is the latest
//! - [`clipboard`]: copies text
//! - [`wire`]: decodes messages of worker and server
//! - [`language`]: the page's texts in another language
//! - [`first_visit`]: whether this browser has been here before
//! - [`files`]: files on the visitor's computer, read when they are needed
//! - [`deflate`]: long texts in an address; [`streams`]: the browser's own compression
//! - [`recent`]: the comparisons that this browser remembers
//! - [`queue`]: requests that wait for the worker
//! - [`offline`]: the service worker that makes the page work without network

use explain::difference_filter::{DifferencePosition, DifferenceQuery, EditKinds};
use explain::dots::{DotPlot, DotPlotFrame};
use explain::format::ExportFormat;
use explain::hit_page::HitPage;
use explain::matrix::document::MatrixSymbols;
use explain::side_by_side::{RowPair, SideBySideOutline};
use explain::window::{AlignmentWindow, OverviewBin};
use explain::worker_protocol::{OpenedAlignment, RequestKind, ResultId, WorkerReply};
use kernels::alignment::AlignmentSummary;
use kernels::alignment::PairSide;
use kernels::event::TaskAnswer;
use kernels::found::{Hit, ScoreSpan};

use crate::model::problem::Problem;
use crate::model::run::at::ResultLocation;

pub mod clipboard;
pub mod deflate;
pub mod document;
pub mod files;
pub mod first_visit;
pub mod http;
pub mod language;
pub mod latest;
pub mod local;
pub mod offline;
pub mod queue;
pub mod recent;
pub mod remote;
pub mod sealed;
mod streams;
pub mod tokens;
pub mod wire;
pub mod worker;

/// Maximum number of columns of an alignment on the server that is copied to the worker, as a CIGAR string. With a
/// copy, equal rows can be folded and the distance can be checked.
const KEPT_COLUMNS: u64 = 16_000_000;

impl ResultLocation {
    /// Returns the id under which the worker has this result, or has a copy of it from the server. Returns `None` if it
    /// has neither.
    fn name_here(&self) -> Option<ResultId> {
        let part = |of: &Self, opened| of.name_here().map(|of| ResultId { opened: Some(opened), ..of });
        match self {
            Self::Here(ask) => Some(ResultId { ask: *ask, opened: None }),
            Self::Hit(of, number) if of.is_here() => part(of, OpenedAlignment::Hit(*number)),
            Self::Offset(of, offset) if of.is_here() => part(of, OpenedAlignment::Offset(*offset)),
            Self::Job(_) | Self::Link(_) | Self::Hit(..) | Self::Offset(..) => {
                local::copy_of(self).map(|ask| ResultId { ask, opened: None })
            }
        }
    }

    /// Sends the query `what` about this result to the worker. Returns the reply and the bytes that came with it.
    async fn look(&self, what: RequestKind) -> Result<(WorkerReply, Vec<u8>), Problem> {
        local::look(what, self.name_here()).await
    }

    /// Sends the query `what` about this result to the worker if the result was computed there. If not, fetches the
    /// address on the server that `part` returns. Returns the reply and the bytes that came with it.
    async fn look_at(&self, what: RequestKind, part: impl FnOnce(&Self) -> String) -> Result<(WorkerReply, Vec<u8>), Problem> {
        if self.is_here() {
            return self.look(what).await;
        }
        let json = http::get_bytes(&part(self)).await?;
        Ok((wire::look(what, json.to_vec()).await?, Vec::new()))
    }

    /// Returns the columns `from..from + len` of the alignment, with the symbols of both texts in them.
    pub async fn window(&self, from: u64, len: u64) -> Result<AlignmentWindow, Problem> {
        match self.look_at(RequestKind::Window { from, len }, |at| at.part("alignment", &format!("from={from}&len={len}"))).await? {
            (WorkerReply::Window(window), _) => Ok(window),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Counts the edits in each of `points` equal parts of the alignment, in the order of its columns.
    pub async fn overview(&self, points: usize) -> Result<Vec<OverviewBin>, Problem> {
        match self.look_at(RequestKind::Overview { points }, |at| at.part("overview", &format!("points={points}"))).await? {
            (WorkerReply::Overview(bins), _) => Ok(bins),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Finds a difference, that is, a run of columns of the alignment that are not equal. Only differences with an edit
    /// of `kinds` are considered; `which` selects one of them, by its number or by a column. Returns `None` if there is
    /// no such difference.
    pub async fn place(&self, kinds: EditKinds, which: DifferenceQuery) -> Result<Option<DifferencePosition>, Problem> {
        let part = |at: &Self| match which {
            DifferenceQuery::Number(number) => at.part(&format!("differences/{number}"), &format!("kinds={kinds}")),
            DifferenceQuery::At(column) => at.part("differences", &format!("at={column}&kinds={kinds}")),
        };
        match self.look_at(RequestKind::Place { kinds, which }, part).await {
            Ok((WorkerReply::Place(place), _)) => Ok(place),
            Ok((say, _)) => Err(unexpected(say)),
            Err(problem) if problem.status == 404 => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// Finds the number of the alignment column that has the symbol at `position` in the text `side`.
    pub async fn column(&self, side: PairSide, position: u64) -> Result<u64, Problem> {
        let name = if side == PairSide::A { "a" } else { "b" };
        match self.look_at(RequestKind::Column { side, position }, |at| at.part("column", &format!("{name}={position}"))).await? {
            (WorkerReply::Column(column), _) => Ok(column),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Returns the number of rows of the side-by-side view, and the rows that differ.
    pub async fn outline(&self) -> Result<SideBySideOutline, Problem> {
        match self.look_at(RequestKind::Outline, |at| at.part("editions", "")).await? {
            (WorkerReply::Outline(outline), _) => Ok(outline),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Returns the rows `from..from + len` of the side-by-side view, as far as they exist.
    pub async fn side_by_side(&self, from: u64, len: u64) -> Result<Vec<RowPair>, Problem> {
        match self.look_at(RequestKind::Editions { from, len }, |at| at.part("editions", &format!("from={from}&len={len}"))).await? {
            (WorkerReply::Editions(twins), _) => Ok(twins),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Returns the hits `from..from + len` of the list of hits, as far as they exist. Each comes with `context` symbols
    /// of the text before and after it.
    pub async fn hit_page(&self, from: u64, len: u64, context: u64) -> Result<HitPage, Problem> {
        let part = |at: &Self| at.part("hits", &format!("from={from}&len={len}&context={context}"));
        hit_page(self.look_at(RequestKind::Seen { from, len, context }, part).await?)
    }

    /// Finds the part of `b` that is nearest to `a`, with `context` symbols before and after it. Returns `None` if the
    /// result is not in the worker, or if the search would take long.
    pub async fn nearest(&self, context: u64) -> Option<HitPage> {
        if !self.is_here() {
            return None;
        }
        hit_page(self.look(RequestKind::Nearest { context }).await.ok()?).ok().filter(|seen| !seen.hits.is_empty())
    }

    /// Returns the number of hits with each distance: the entry with index d is for distance d.
    pub async fn counts(&self) -> Result<Vec<u64>, Problem> {
        match self.look_at(RequestKind::Counts, |at| at.part("counts", "")).await? {
            (WorkerReply::Counts(counts), _) => Ok(counts),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Returns the scores of match count at the offsets `from..from + len`, summarized in at most `points` spans of
    /// adjacent offsets.
    pub async fn profile(&self, from: u64, len: u64, points: usize) -> Result<Vec<ScoreSpan>, Problem> {
        let part = |at: &Self| at.part("profile", &format!("from={from}&len={len}&points={points}"));
        match self.look_at(RequestKind::Profile { from, len, points }, part).await? {
            (WorkerReply::Profile(spans), _) => Ok(spans),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Returns the symbols of both texts for a matrix. Returns a problem if the texts are too long for one.
    pub async fn matrix(&self) -> Result<MatrixSymbols, Problem> {
        match self.look_at(RequestKind::Matrix, |at| format!("{}/matrix?only=symbols", at.parts())).await? {
            (WorkerReply::Matrix(sheet), _) => Ok(sheet),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Returns the dots of the part of the dot plot that `frame` describes. A dot is a word that both texts have in
    /// common.
    pub async fn dots(&self, frame: DotPlotFrame) -> Result<DotPlot, Problem> {
        let part = |at: &Self| {
            let DotPlotFrame { from_a, to_a, from_b, to_b, width, height, word, inverted } = frame;
            let word = word.map(|word| format!("&word={word}")).unwrap_or_default();
            let asked =
                format!("from_a={from_a}&to_a={to_a}&from_b={from_b}&to_b={to_b}&width={width}&height={height}{word}&inverted={inverted}");
            format!("{}/dots?{asked}", at.parts())
        };
        match self.look_at(RequestKind::Dots(frame), part).await? {
            (WorkerReply::Dots(dots), _) if !self.is_here() => Ok(dots),
            (WorkerReply::Dots(dots), bytes) => {
                let mut counts: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|count| u32::from_le_bytes(*count)).collect();
                let parts = (dots.frame.width * dots.frame.height) as usize;
                let inverted_counts = counts.split_off(parts.min(counts.len()));
                Ok(DotPlot { counts, inverted_counts, ..dots })
            }
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Loads the alignment of `hit`, which has the index `number` in the list of hits. Returns the location and the
    /// summary of the alignment. Checks that the edits in its columns add up to the hit's distance.
    pub async fn open(&self, number: u64, hit: Hit) -> Result<(Self, AlignmentSummary), Problem> {
        let place = Self::Hit(Box::new(self.clone()), number);
        let summary = if self.is_here() {
            match self.look(RequestKind::Open { hit: number }).await? {
                (WorkerReply::Opened { hit: opened, summary }, _) if opened == hit => summary,
                (WorkerReply::Opened { .. }, _) => return Err(Problem::not_checked()),
                (say, _) => return Err(unexpected(say)),
            }
        } else {
            place.copy_to_worker().await?
        };
        if summary.distance() == hit.distance { Ok((place, summary)) } else { Err(Problem::not_checked()) }
    }

    /// Aligns `a` without gaps with the part of `b` that begins at `offset`. Returns the location and the summary of
    /// this alignment.
    pub async fn overlay(&self, offset: u64) -> Result<(Self, AlignmentSummary), Problem> {
        let place = Self::Offset(Box::new(self.clone()), offset);
        if !self.is_here() {
            let summary = place.copy_to_worker().await?;
            return Ok((place, summary));
        }
        match self.look(RequestKind::Lay { offset }).await? {
            (WorkerReply::Opened { summary, .. }, _) => Ok((place, summary)),
            (say, _) => Err(unexpected(say)),
        }
    }

    /// Copies this alignment from the server to the worker. Returns its summary, which the worker computes from the
    /// columns.
    async fn copy_to_worker(&self) -> Result<AlignmentSummary, Problem> {
        let cigar = http::get_bytes(&self.part("export", "format=cigar")).await?;
        match local::copy_alignment(self, &cigar).await? {
            WorkerReply::Kept(summary) => Ok(summary),
            say => Err(unexpected(say)),
        }
    }

    /// Checks the alignment of `answer` and returns its summary. Recomputes the summary from the alignment's columns in
    /// this browser, unless the result was computed here. Returns `None` if the answer has no alignment or the
    /// alignment is too long to fetch.
    ///
    /// # Errors
    /// Returns an error if the recomputed summary differs from that of the answer or contradicts the answer's score, or
    /// if the alignment cannot be fetched.
    pub async fn check(&self, answer: &TaskAnswer) -> Result<Option<AlignmentSummary>, Problem> {
        let Some(summary) = answer.alignment() else { return Ok(None) };
        let again = match self {
            _ if self.is_here() => summary,
            _ if summary.columns > KEPT_COLUMNS => return Ok(None),
            _ => self.copy_to_worker().await?,
        };
        if again == summary && adds_up(answer, &again) { Ok(Some(again)) } else { Err(Problem::not_checked()) }
    }

    /// Returns the numbers of the rows that have a difference, for rows of `width` columns. Returns `None` if the
    /// worker does not have the alignment.
    pub async fn rows(&self, width: u64) -> Option<Vec<u32>> {
        self.name_here()?;
        match self.look(RequestKind::Rows { width }).await {
            Ok((WorkerReply::Rows, bytes)) => Some(bytes.as_chunks::<4>().0.iter().map(|row| u32::from_le_bytes(*row)).collect()),
            _ => None,
        }
    }

    /// Returns the server's address of an export of the result. Returns `None` if the result is not on the server.
    pub fn export_address(&self, format: ExportFormat) -> Option<String> {
        (!self.is_here()).then(|| self.part("export", &format!("format={}", format.name())))
    }

    /// Exports the result in `format`. `columns` is the first column of the alignment in a picture, and the number of
    /// columns. Other formats ignore it.
    pub async fn export(&self, format: ExportFormat, columns: (u64, u64)) -> Result<Vec<u8>, Problem> {
        if !self.is_here() {
            let query = format!("format={}&from={}&len={}", format.name(), columns.0, columns.1);
            return Ok(http::get_bytes(&self.part("export", &query)).await?.to_vec());
        }
        match self.look(RequestKind::Export { format, columns }).await? {
            (WorkerReply::Export, bytes) => Ok(bytes),
            (say, _) => Err(unexpected(say)),
        }
    }
}

fn hit_page((say, _): (WorkerReply, Vec<u8>)) -> Result<HitPage, Problem> {
    match say {
        WorkerReply::Seen(seen) => Ok(seen),
        say => Err(unexpected(say)),
    }
}

/// Returns whether the score of `answer` agrees with `summary`, which was computed from the columns of its alignment.
/// Returns `true` for answers without such an alignment.
fn adds_up(answer: &TaskAnswer, summary: &AlignmentSummary) -> bool {
    match answer {
        TaskAnswer::EditDistance { distance, .. } => summary.distance() == *distance,
        TaskAnswer::Lcs { length, .. } => summary.matches == *length && summary.mismatches == 0,
        TaskAnswer::ApproximateSearch { .. } | TaskAnswer::MatchCount { .. } | TaskAnswer::ExactSearch { .. } => true,
    }
}

fn unexpected(say: WorkerReply) -> Problem {
    match say {
        WorkerReply::Refused(failure) => crate::model::problem::of_failure(&failure),
        _ => Problem::crashed("unexpected reply"),
    }
}

/// Returns the time since the page was opened, in milliseconds, from a clock that never jumps.
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Returns the folder of this build's scripts, read from the document.
pub fn pkg() -> Option<String> {
    let meta = web_sys::window()?.document()?.query_selector("meta[name=pkg]").ok()??;
    meta.get_attribute("content")
}

pub async fn sleep(ms: i32) {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        if let Some(window) = web_sys::window() {
            let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
        }
    });
    let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
}

#[cfg(test)]
mod tests {
    use explain::format::AlignmentFormat;

    use super::*;

    #[test]
    fn a_hit_is_asked_of_the_result_it_belongs_to() {
        let job = ResultLocation::Job("j".into());
        assert_eq!(job.part("differences/3", ""), "/api/v1/jobs/j/differences/3");
        let hit = ResultLocation::Hit(Box::new(job), 7);
        assert_eq!(hit.part("differences/3", ""), "/api/v1/jobs/j/differences/3?hit=7");
        assert_eq!(hit.export_address(ExportFormat::Aligned(AlignmentFormat::Cigar)).unwrap(), "/api/v1/jobs/j/export?format=cigar&hit=7");
        assert_eq!(
            ResultLocation::Offset(Box::new(ResultLocation::Link("l".into())), 9).part("alignment", "from=0"),
            "/api/v1/links/l/alignment?from=0&offset=9"
        );
        assert!(ResultLocation::Hit(Box::new(ResultLocation::Here(1)), 7).export_address(ExportFormat::Json).is_none());
    }

    #[test]
    fn a_score_that_its_alignment_does_not_have_is_not_trusted() {
        let summary = AlignmentSummary { columns: 9, matches: 4, insertions: 3, deletions: 2, ..AlignmentSummary::default() };
        let distance = |distance| TaskAnswer::EditDistance { distance, alignment: Some(summary) };
        let length = |length| TaskAnswer::Lcs { length, alignment: Some(summary) };
        assert!(adds_up(&distance(5), &summary) && !adds_up(&distance(4), &summary));
        assert!(adds_up(&length(4), &summary) && !adds_up(&length(5), &summary));
        assert!(!adds_up(&length(4), &AlignmentSummary { mismatches: 1, ..summary }));
    }
}
