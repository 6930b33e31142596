//! Collection: the run of a comparison of many texts (`solve`). At intervals it stores the answer for the finished rows with the
//! row of the job, so that a later attempt continues there.

use std::ops::Range;
use std::sync::PoisonError;
use std::time::Instant;

use explain::collection::snapshot::CollectionSummary;
use kernels::cbor::to_bytes;
use kernels::collection::{AnsweredRows, Collection, CollectionAnswer, FinishedRows, PatternCollection, RowSteps};
use kernels::event::RunStage;
use kernels::failure::JobFailure;
use kernels::job::Task;
use kernels::plan::EngineName;
use kernels::run::{Halt, Run};
use tracing::warn;

use super::JobServiceState;
use super::job_handle::JobHandle;
use crate::engines::DeviceLease;
use crate::error::{ApiProblem, ProblemKind};
use crate::results::collection::{self, CollectionTexts, part};
use crate::storage::ports::rows::PutOutcome;
use crate::store::record::StoredResult;
use crate::store::record::collection::{StoredCollection, StoredPart};

/// The end of a comparison: the last part of its answer, which is not stored yet.
pub(super) struct ComparedTexts {
    pub(super) rows: Range<u64>,
    /// Content of the file of the part.
    pub(super) part: Vec<u8>,
    pub(super) summary: CollectionSummary,
}

/// Minimum number of cells of a comparison whose rate is recorded.
const MIN_RATED_CELLS: u64 = 1_000_000_000;

/// Records the rate of a comparison, which has computed `cells` cells in `ms` milliseconds.
pub(super) fn record_rate(shared: &JobServiceState, engine: EngineName, task: Task, cells: u64, ms: f64) {
    if cells < MIN_RATED_CELLS || ms <= 0.0 {
        return;
    }
    // Each change is one number or one push, so that the list is valid after a panic.
    let mut rates = shared.collection_rates.lock().unwrap_or_else(PoisonError::into_inner);
    rates.retain(|(of, _)| *of != (engine, task));
    rates.push(((engine, task), 1e3 * cells as f64 / ms));
}

/// Answers the question of the job `live` on `engine`. Continues after the rows that an earlier attempt has stored.
pub(super) fn solve(shared: &JobServiceState, live: &JobHandle, engine: &DeviceLease, run: &Run<'_>) -> Result<ComparedTexts, Halt> {
    run.stage(RunStage::Read)?;
    if !live.is_claimed() {
        note_begin(shared, live);
    }
    let record = live.record();
    let stored = record.collection.as_deref().ok_or_else(|| JobFailure::engine("The job has no collection."))?;
    let texts = shared.results.read_collection(&record, stored).map_err(unread)?;
    run.stage(RunStage::Compute)?;
    match texts {
        CollectionTexts::Pairs(texts) => compare(shared, live, (&record, stored), &texts, engine, run),
        CollectionTexts::Patterns(patterns) => find(shared, &patterns, engine, run),
    }
}

/// Stores that the run of the job `live` has begun, so that a restart counts the attempt. If that fails, the attempt does
/// not count.
fn note_begin(shared: &JobServiceState, live: &JobHandle) {
    if let Err(cause) = shared.runtime.block_on(shared.write_open_row(live.id, &live.state())) {
        warn!("begin of a comparison cannot be stored: {cause:#}");
    }
}

fn compare(
    shared: &JobServiceState,
    live: &JobHandle,
    (record, stored): (&StoredResult, &StoredCollection),
    texts: &Collection,
    engine: &DeviceLease,
    run: &Run<'_>,
) -> Result<ComparedTexts, Halt> {
    let question = collection::question(record, stored, texts)?;
    let limits = &shared.answer_limits;
    let done = shared.results.collection_parts(stored).map_err(unread)?;
    let (start, base) = (stored.stored_rows() as usize, stored.share_left());
    let mut checkpoint = Checkpoint { shared, live, last: Instant::now(), start, base };
    let mut receive = |rows: &FinishedRows<'_>| checkpoint.receive(rows);
    let answer = engine.compare(&question, texts, limits, &mut RowSteps::new(done, &mut receive), run)?;
    let kept = match &answer {
        CollectionAnswer::Scores(_) => texts.pairs(),
        // A pair of texts may stand for many pairs of members, which the export lists.
        pairs => pairs.member_pairs(texts, question.task(), question.keep(), limits.max_pairs)?.len() as u64,
    };
    let distinct = texts.a().distinct().len() + texts.b().map_or(0, |b| b.distinct().len());
    let summary = CollectionSummary { distinct: distinct as u64, kept };
    let last = rest(answer, checkpoint.start, texts);
    Ok(ComparedTexts { rows: last.rows.start as u64..last.rows.end as u64, part: part::write(&last), summary })
}

/// Returns the part of the whole answer that begins with the row `start`. The nearest texts are one part.
fn rest(answer: CollectionAnswer, start: usize, texts: &Collection) -> AnsweredRows {
    let end = texts.a().distinct().end;
    let (start, answer) = match answer {
        CollectionAnswer::Scores(mut scores) => {
            (start, CollectionAnswer::Scores(scores.split_off(start * texts.columns().distinct().len())))
        }
        CollectionAnswer::Pairs(mut pairs) => {
            pairs.retain(|pair| pair.a as usize >= start);
            (start, CollectionAnswer::Pairs(pairs))
        }
        nearest @ CollectionAnswer::Nearest(_) => (0, nearest),
    };
    AnsweredRows { rows: start..end, answer }
}

fn find(shared: &JobServiceState, patterns: &PatternCollection, engine: &DeviceLease, run: &Run<'_>) -> Result<ComparedTexts, Halt> {
    let hits = engine.find(patterns, shared.answer_limits.max_pairs, run)?;
    let kept = hits.iter().map(|found| found.total).sum();
    let count = patterns.pairs().len() as u64;
    Ok(ComparedTexts { rows: 0..count, part: to_bytes(&hits), summary: CollectionSummary { distinct: count, kept } })
}

/// Converts the problem of reading texts or parts to a failure of the job.
fn unread(problem: ApiProblem) -> JobFailure {
    match problem.kind {
        ProblemKind::BadInput => JobFailure::bad_input(problem.detail),
        _ => JobFailure::engine(format!("The texts could not be read. {}", problem.detail)),
    }
}

/// The storage of finished rows while the run continues.
struct Checkpoint<'c> {
    shared: &'c JobServiceState,
    live: &'c JobHandle,
    last: Instant,
    /// Number of the first row that is not stored.
    start: usize,
    /// Share of the whole work that was left when this run began.
    base: f64,
}

impl Checkpoint<'_> {
    /// Stores the finished rows if the last ones were stored long ago. If that fails, the run goes on, and the next call tries
    /// again after the interval.
    ///
    /// # Errors
    /// Returns `Stopped` if the job was deleted or another process runs it.
    fn receive(&mut self, rows: &FinishedRows<'_>) -> Result<(), Halt> {
        // The rest is stored at the end of the run.
        if rows.left() <= 0.0 || self.last.elapsed() < self.shared.checkpoint_interval {
            return Ok(());
        }
        let part = rows.since(self.start);
        let stored = self.shared.runtime.block_on(self.store(&part, self.base * rows.left()));
        self.last = Instant::now();
        match stored {
            Ok(PutOutcome::Written) => self.start = rows.end(),
            Ok(PutOutcome::Refused) => return Err(Halt::Stopped),
            Err(cause) => warn!("finished part of a comparison cannot be stored now: {cause:#}"),
        }
        Ok(())
    }

    async fn store(&self, part: &AnsweredRows, left: f64) -> anyhow::Result<PutOutcome> {
        let file = self.shared.put(vec![part::write(part)]).await?.pop().ok_or_else(|| anyhow::anyhow!("no file was written"))?;
        let part = StoredPart { rows: part.rows.start as u64..part.rows.end as u64, file, left };
        let mut state = self.live.state();
        let attempt = state.ring.attempt();
        let add = |record: &mut StoredResult| {
            // Earlier attempts have brought the job forward, so that they do not count.
            record.given_up_at = attempt;
            if let Some(collection) = &mut record.collection {
                collection.add_part(part.clone());
            }
        };
        add(&mut state.record);
        let put = self.shared.write_open_row(self.live.id, &state).await?;
        self.live.change_record(add);
        Ok(put)
    }
}
