//! The two back ends of the page: the solver in this browser's worker, and the server.
//!
//! All functions of this module run in a browser only, except [`document::current`], which also works while the server
//! renders.
//!
//! - [`local`]: the worker; [`worker`]: its start
//! - [`remote`]: the API of the server
//! - [`sealed_links`]: results that the server cannot read
//! - [`tokens`]: tokens to delete what this browser stored on the server
//! - [`http`]: a single request
//! - [`document`]: settings of the visit, and choices that are remembered for the next one
//! - [`latest`]: finds out which of several requests is the latest
//! - [`clipboard`]: copies text
//! - [`wire`]: decodes messages of worker and server
//! - [`language`]: the page's texts in another language
//! - [`first_visit`]: whether this browser has opened the page before
//! - [`files`]: files on the visitor's computer, read when they are needed
//! - [`handed_files`]: files for another page of this site
//! - [`deflate`]: long texts in an address; [`streams`]: the browser's own compression
//! - [`recent`]: the comparisons that this browser remembers
//! - [`queue`]: requests that wait for the worker
//! - [`offline`]: the service worker that makes the page work without network

use std::pin::Pin;

use explain::difference_filter::{DifferencePosition, DifferenceQuery, EditKinds};
use explain::format::ExportFormat;
use explain::hit_page::HitPage;
use explain::worker_protocol::query::{
    ChangedRowsQuery, KeepQuery, NearestQuery, OpenHitQuery, OverlayQuery, PlaceQuery, ServedQuery, WorkerQuery,
};
use explain::worker_protocol::{OpenedAlignment, RequestKind, ResultId};
use kernels::alignment::AlignmentSummary;
use kernels::event::TaskAnswer;
use kernels::found::Hit;
use kernels::job::JobOptions;

use crate::model::problem::Problem;
use crate::model::run::location::ResultLocation;

pub mod clipboard;
pub mod deflate;
pub mod document;
pub mod files;
pub mod first_visit;
pub mod handed_files;
pub mod http;
pub mod language;
pub mod latest;
pub mod local;
pub mod offline;
pub mod queue;
pub mod recent;
pub mod remote;
pub mod sealed_links;
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
    fn worker_result_id(&self) -> Option<ResultId> {
        let part = |of: &Self, opened| of.worker_result_id().map(|of| ResultId { opened: Some(opened), ..of });
        match self {
            Self::Here(ask) => Some(ResultId { ask: *ask, opened: None }),
            Self::Hit(of, number) if of.is_here() => part(of, OpenedAlignment::Hit(*number)),
            Self::Offset(of, offset) if of.is_here() => part(of, OpenedAlignment::Offset(*offset)),
            Self::Job(_) | Self::Link(_) | Self::Hit(..) | Self::Offset(..) => {
                local::copy_of(self).map(|ask| ResultId { ask, opened: None })
            }
        }
    }

    /// Sends a query about this result to the worker, even if the worker has only a copy of the alignment.
    async fn query_worker<Q: WorkerQuery>(&self, query: Q) -> Result<Q::Reply, Problem> {
        decode_reply::<Q>(&local::query_result(query.into(), self.worker_result_id()).await?)
    }

    /// Sends a query about this result to the worker if the result was computed there, else to the server.
    pub async fn query<Q: ServedQuery>(&self, query: Q) -> Result<Q::Reply, Problem> {
        decode_reply::<Q>(&self.encoded_reply(query.into()).await?)
    }

    /// Returns the reply to the query `what`, encoded in the format of the worker's replies. The future is boxed, so
    /// that its code is not compiled again for each query.
    fn encoded_reply(&self, what: RequestKind) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, Problem>> + '_>> {
        Box::pin(async move {
            if self.is_here() {
                return local::query_result(what, self.worker_result_id()).await;
            }
            let (what, path) = wire::address(what).await?;
            wire::look(what, http::get_bytes(&self.part(&path)).await?.to_vec()).await
        })
    }

    /// Finds a difference, that is, a run of columns of the alignment that are not equal. Only differences with an edit
    /// of `kinds` are considered; `which` selects one of them, by its number or by a column. Returns `None` if there is
    /// no such difference.
    pub async fn find_difference(&self, kinds: EditKinds, which: DifferenceQuery) -> Result<Option<DifferencePosition>, Problem> {
        match self.query(PlaceQuery { kinds, which }).await {
            Err(problem) if problem.status == 404 => Ok(None),
            found => found,
        }
    }

    /// Finds the part of `b` that is nearest to `a`, with `context` symbols before and after it. Returns `None` unless
    /// the worker can do that quickly.
    pub async fn nearest(&self, context: u64) -> Option<HitPage> {
        if !self.is_here() {
            return None;
        }
        self.query_worker(NearestQuery { context }).await.ok().filter(|seen| !seen.hits.is_empty())
    }

    /// Loads the alignment of `hit`, which has the index `number` in the list of hits. Returns the location and the
    /// summary of the alignment. Checks that the edits in its columns add up to the hit's distance.
    pub async fn open(&self, number: u64, hit: Hit) -> Result<(Self, AlignmentSummary), Problem> {
        let place = Self::Hit(Box::new(self.clone()), number);
        let summary = if self.is_here() {
            match self.query_worker(OpenHitQuery { hit: number }).await? {
                (opened, summary) if opened == hit => summary,
                _ => return Err(Problem::not_checked()),
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
        let summary = if self.is_here() { self.query_worker(OverlayQuery { offset }).await? } else { place.copy_to_worker().await? };
        Ok((place, summary))
    }

    /// Copies this alignment from the server to the worker. Returns its summary, which the worker computes from the
    /// columns.
    async fn copy_to_worker(&self) -> Result<AlignmentSummary, Problem> {
        let cigar = http::get_bytes(&self.part("export?format=cigar")).await?;
        decode_reply::<KeepQuery>(&local::copy_alignment(self, &cigar).await?)
    }

    /// Checks the alignment of `answer` and returns its summary. Recomputes the summary from the alignment's columns in
    /// this browser, unless this browser computed the result. Returns `None` if the answer has no alignment or the
    /// alignment is too long to fetch.
    ///
    /// # Errors
    /// Returns an error if the recomputed summary differs from that of the answer or contradicts the answer's score, or
    /// if the alignment cannot be fetched.
    pub async fn check(&self, answer: &TaskAnswer, options: &JobOptions) -> Result<Option<AlignmentSummary>, Problem> {
        let Some(summary) = answer.alignment() else { return Ok(None) };
        let again = match self {
            _ if self.is_here() => summary,
            _ if summary.columns > KEPT_COLUMNS => return Ok(None),
            _ => self.copy_to_worker().await?,
        };
        if again == summary && adds_up(answer, &again, options) { Ok(Some(again)) } else { Err(Problem::not_checked()) }
    }

    /// Returns the numbers of the rows that contain a difference, if the alignment is broken into rows of `width`
    /// columns. Returns `None` if the worker does not have the alignment.
    pub async fn rows(&self, width: u64) -> Option<Vec<u32>> {
        self.worker_result_id()?;
        self.query_worker(ChangedRowsQuery { width }).await.ok()
    }

    /// Returns the server's address of an export of the result. Returns `None` if the result is not on the server.
    pub fn export_address(&self, format: ExportFormat) -> Option<String> {
        (!self.is_here()).then(|| self.part(&format!("export?format={}", format.name())))
    }

    /// Exports the result in `format`. `columns` is the first column of the alignment in a picture, and the number of
    /// columns. Other formats ignore it.
    pub async fn export(&self, format: ExportFormat, columns: (u64, u64)) -> Result<Vec<u8>, Problem> {
        if self.is_here() {
            return local::query_result(RequestKind::Export { format, columns }, self.worker_result_id()).await;
        }
        let path = format!("export?format={}&from={}&len={}", format.name(), columns.0, columns.1);
        Ok(http::get_bytes(&self.part(&path)).await?.to_vec())
    }
}

fn decode_reply<Q: WorkerQuery>(reply: &[u8]) -> Result<Q::Reply, Problem> {
    Q::decode(reply).ok_or_else(Problem::not_understood)
}

/// Returns whether the score of `answer` agrees with `summary`, which was computed from the columns of its alignment.
/// With a matrix of points, only the counts of columns are compared.
///
/// Returns `true` for answers without such an alignment.
fn adds_up(answer: &TaskAnswer, summary: &AlignmentSummary, options: &JobOptions) -> bool {
    match answer {
        TaskAnswer::EditDistance { distance, .. } => Some(options.costs.sum(summary)) == *distance,
        TaskAnswer::Lcs { length, .. } => summary.matches == *length && summary.mismatches == 0,
        TaskAnswer::SequenceAlignment { score, a, b, scored, .. } => {
            let Some(scored) = scored else { return true };
            let JobOptions { equal, different, matrix, gap, .. } = options;
            let points = equal.times(summary.matches) + different.times(summary.mismatches);
            let gaps = gap.open.times(scored.gap_openings) + gap.extend.times(scored.gaps);
            (summary.columns - summary.insertions, summary.columns - summary.deletions) == (a.len(), b.len())
                && summary.insertions + summary.deletions == scored.gaps
                && (matrix.is_some() || points - gaps == *score)
        }
        TaskAnswer::ApproximateSearch { .. } | TaskAnswer::MatchCount { .. } | TaskAnswer::ExactSearch { .. } => true,
    }
}

/// Returns the time since the page was opened, in milliseconds, from a clock that never jumps.
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Returns the address of the folder with this build's scripts, which the document names.
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
    use kernels::alignment::{ScoredColumns, SymbolRange};
    use kernels::job::{EditCosts, GapPoints};

    use super::*;

    #[test]
    fn address_of_a_hit_is_its_result_and_number() {
        let job = ResultLocation::Job("j".into());
        assert_eq!(job.part("differences/3"), "/api/v1/jobs/j/differences/3");
        let hit = ResultLocation::Hit(Box::new(job), 7);
        assert_eq!(hit.part("differences/3"), "/api/v1/jobs/j/differences/3?hit=7");
        assert_eq!(hit.export_address(ExportFormat::Aligned(AlignmentFormat::Cigar)).unwrap(), "/api/v1/jobs/j/export?format=cigar&hit=7");
        assert_eq!(
            ResultLocation::Offset(Box::new(ResultLocation::Link("l".into())), 9).part("alignment?from=0"),
            "/api/v1/links/l/alignment?from=0&offset=9"
        );
        assert!(ResultLocation::Hit(Box::new(ResultLocation::Here(1)), 7).export_address(ExportFormat::Json).is_none());
    }

    #[test]
    fn score_that_contradicts_its_alignment_is_rejected() {
        let summary = AlignmentSummary { columns: 9, matches: 4, insertions: 3, deletions: 2, ..AlignmentSummary::default() };
        let distance = |distance| TaskAnswer::from_distance(distance, Some(summary));
        let length = |length| TaskAnswer::Lcs { length, alignment: Some(summary) };
        let agrees = |answer: &TaskAnswer, summary: &AlignmentSummary| adds_up(answer, summary, &JobOptions::DEFAULT);
        assert!(agrees(&distance(5), &summary) && !agrees(&distance(4), &summary));
        assert!(agrees(&length(4), &summary) && !agrees(&length(5), &summary));
        assert!(!agrees(&length(4), &AlignmentSummary { mismatches: 1, ..summary }));
        let insert_twice = JobOptions { costs: EditCosts { insert: 2, ..EditCosts::LEVENSHTEIN }, ..JobOptions::DEFAULT };
        assert!(adds_up(&distance(8), &summary, &insert_twice) && !adds_up(&distance(5), &summary, &insert_twice));
        let scored = |score: i32, gap_openings| {
            let score = score.into();
            let (a, b) = (SymbolRange { start: 1, end: 7 }, SymbolRange { start: 0, end: 7 });
            let scored = Some(ScoredColumns { positives: 4, gaps: 5, gap_openings });
            TaskAnswer::SequenceAlignment { score, a, b, alignment: Some(summary), scored, next: Vec::new() }
        };
        let affine = JobOptions { equal: 2.into(), gap: GapPoints::whole(10, 1), ..JobOptions::DEFAULT };
        assert!(agrees(&scored(-1, 2), &summary) && !agrees(&scored(0, 2), &summary));
        assert!(adds_up(&scored(-17, 2), &summary, &affine) && !adds_up(&scored(-17, 1), &summary, &affine));
    }
}
