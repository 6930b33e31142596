//! Snapshots: the state of a job on a server as one document, [`JobSnapshot`]. Applying the job's events one after the
//! other gives the snapshot.

use std::collections::BTreeMap;

use kernels::event::{JobEvent, PairReadReport, RunProgress, RunStage, TaskAnswer};
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, PairRecordChoices, RecordChoice, Task};
use kernels::plan::JobPlan;
use kernels::reading::ReadWarning;
use serde::{Deserialize, Serialize};

/// The state of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = JobState))]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// The job waits for an engine.
    #[default]
    Queued,
    /// An engine reads the texts or computes.
    Running,
    /// The job has an answer.
    Succeeded,
    /// The job has no answer, and `failure` gives the reason.
    Failed,
    /// A client cancelled the job.
    Cancelled,
}

impl JobStatus {
    /// Returns whether the state cannot change any more.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// A description of one text of a job: its name, sizes, chosen records and hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TextInfo {
    /// Header of the only record of the text, for example of a FASTA file, without `>`; cut if it is long. Absent for
    /// plain text and for several records.
    #[serde(default)]
    pub name: Option<String>,
    /// Length of the text, in units (symbols) of the job.
    pub symbols: u64,
    /// Size of the text as it was given, before it was decoded to UTF-8, in bytes.
    pub bytes: u64,
    /// The records of the text that the job uses.
    #[serde(flatten)]
    pub choice: RecordChoice,
    /// Id of the upload that contained the text; absent if the text was in the request.
    #[serde(default)]
    pub upload: Option<String>,
    /// BLAKE3 hash of the text as it was given, in hexadecimal, by which the owner of a file can recognise it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blake3: Option<String>,
}

/// The state of a job after its event number `seq`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Snapshot))]
pub struct JobSnapshot {
    /// Id of the job; in a shared result, id of the link.
    pub id: String,
    /// Task of the job.
    pub task: Task,
    /// Options of the job.
    pub options: JobOptions,
    /// State of the job.
    pub state: JobStatus,
    /// Number of jobs ahead of this one while it waits.
    #[serde(default)]
    pub queue_position: Option<u64>,
    /// Expected time until the start, in milliseconds, as last reported.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub queue_wait_ms: Option<f64>,
    /// The engine that runs the job, and the reason for this choice.
    #[serde(default)]
    pub plan: Option<JobPlan>,
    /// The format that was recognised in each text, such as plain text or FASTA.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reading: Option<PairReadReport>,
    /// Doubts about how the texts were parsed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<ReadWarning>,
    /// Last stage that the job reached.
    #[serde(default)]
    pub stage: Option<RunStage>,
    /// Progress of the run.
    #[serde(default)]
    pub progress: Option<RunProgress>,
    /// Measured metrics by name.
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
    /// Number of the last event that the snapshot includes.
    pub seq: u64,
    /// The answer of a job that succeeded.
    #[serde(default)]
    pub answer: Option<TaskAnswer>,
    /// The reason why a job failed.
    #[serde(default)]
    pub failure: Option<JobFailure>,
    /// The first text.
    pub a: TextInfo,
    /// The second text.
    pub b: TextInfo,
}

impl JobSnapshot {
    /// Creates the snapshot of a job that has no events yet, so that it is queued.
    pub fn new(id: String, task: Task, options: JobOptions, a: TextInfo, b: TextInfo) -> Self {
        Self {
            id,
            task,
            options,
            state: JobStatus::Queued,
            queue_position: None,
            queue_wait_ms: None,
            plan: None,
            reading: None,
            warnings: Vec::new(),
            stage: None,
            progress: None,
            metrics: BTreeMap::new(),
            seq: 0,
            answer: None,
            failure: None,
            a,
            b,
        }
    }

    /// Returns the records of both texts that the job compares.
    pub fn choices(&self) -> PairRecordChoices {
        PairRecordChoices::of(self.task, self.a.choice.clone(), self.b.choice.clone())
    }

    /// Returns the formats that were recognised in both texts, together with the warnings. Returns `None` if the texts
    /// are not read yet.
    pub fn read_texts(&self) -> Option<PairReadReport> {
        self.reading.clone().map(|reading| PairReadReport { warnings: self.warnings.clone(), ..reading })
    }

    /// Updates the snapshot by the next event of the job, which has number `seq`.
    pub fn apply(&mut self, seq: u64, event: &JobEvent) {
        self.seq = seq;
        match event {
            JobEvent::Queued { position, wait_ms } => {
                self.state = JobStatus::Queued;
                (self.queue_position, self.queue_wait_ms) = (Some(*position), *wait_ms);
            }
            JobEvent::Planned(plan) => {
                self.state = JobStatus::Running;
                (self.queue_position, self.queue_wait_ms, self.stage, self.progress) = (None, None, None, None);
                self.plan = Some(plan.clone());
            }
            JobEvent::Read(PairReadReport { a, b, warnings }) => {
                self.reading = Some(PairReadReport { a: a.clone(), b: b.clone(), warnings: Vec::new() });
                self.warnings = warnings.clone();
            }
            JobEvent::Stage { stage } => self.stage = Some(*stage),
            JobEvent::Progress(progress) => self.progress = Some(*progress),
            JobEvent::Metric(metric) => {
                self.metrics.insert(metric.name.clone(), metric.value);
            }
            JobEvent::Partial(_) => {}
            JobEvent::Answer(answer) => {
                self.state = JobStatus::Succeeded;
                self.answer = Some(answer.clone());
            }
            JobEvent::Compared => self.state = JobStatus::Succeeded,
            JobEvent::Failed(failure) => {
                (self.state, self.queue_position, self.queue_wait_ms) = (JobStatus::Failed, None, None);
                self.failure = Some(failure.clone());
            }
            JobEvent::Cancelled => (self.state, self.queue_position, self.queue_wait_ms) = (JobStatus::Cancelled, None, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::event::RunMetric;
    use kernels::plan::{EngineName, EnginePlace};
    use kernels::text::{Pair, ReadingOptions, Unit};

    use super::*;

    #[test]
    fn snapshot_sums_up_the_events_of_a_job() {
        let mut snapshot =
            JobSnapshot::new("1".into(), Task::EditDistance, JobOptions::default(), TextInfo::default(), TextInfo::default());
        snapshot.apply(1, &JobEvent::Queued { position: 2, wait_ms: Some(6e3) });
        assert_eq!((snapshot.state, snapshot.queue_position, snapshot.queue_wait_ms), (JobStatus::Queued, Some(2), Some(6e3)));
        let plan = JobPlan::unestimated(EngineName::Cpu, EnginePlace::Server);
        snapshot.apply(2, &JobEvent::Planned(plan));
        let pair = Pair::parse(&b"one\r\n"[..], &b"one"[..], &ReadingOptions { unit: Unit::Lines, ..ReadingOptions::default() }).unwrap();
        snapshot.apply(3, &JobEvent::Read((&pair).into()));
        assert_eq!((snapshot.warnings.as_slice(), snapshot.reading.clone().unwrap().warnings.len()), (pair.warnings(), 0));
        assert_eq!(snapshot.read_texts(), Some((&pair).into()));
        snapshot.apply(3, &JobEvent::Stage { stage: RunStage::Compute });
        snapshot.apply(4, &JobEvent::Metric(RunMetric { name: "cells".into(), value: 42.0, unit: "cells".into() }));
        assert_eq!((snapshot.state, snapshot.queue_position, snapshot.stage), (JobStatus::Running, None, Some(RunStage::Compute)));
        snapshot.apply(5, &JobEvent::Answer(TaskAnswer::from_distance(3, None)));
        assert!(snapshot.state.is_final());
        assert_eq!((snapshot.seq, snapshot.metrics["cells"]), (5, 42.0));
        let wire = serde_json::to_string(&snapshot).unwrap();
        assert_eq!(serde_json::from_str::<JobSnapshot>(&wire).unwrap(), snapshot);
    }
}
