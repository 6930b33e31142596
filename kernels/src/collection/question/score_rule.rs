//! The meaning of the scores of an answer ([`ScoreRule`]).

use crate::job::{EditCosts, JobOptions, Points, Task};

/// The meaning of the scores of an answer, which are 32-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreRule {
    /// The task that compares two texts.
    pub task: Task,
    /// The costs of edits, which count for the task of edit distance.
    pub costs: EditCosts,
    /// Number of units of a point, in which scores of alignments are counted; see [`Scoring::scale`](crate::job::Scoring::scale).
    scale: u32,
}

impl ScoreRule {
    /// Returns the meaning of the scores of `task` with these options.
    pub fn new(task: Task, options: &JobOptions) -> Self {
        let scale = if task == Task::SequenceAlignment { options.scoring().scale } else { 1 };
        Self { task, costs: options.costs, scale }
    }

    /// Returns whether scores are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.scale == 1
    }

    /// Returns the number of edits, of symbols or of points that `score` stands for.
    pub fn number(&self, score: i32) -> Points {
        Points::from_units(score.into(), self.scale)
    }

    /// Returns the similarity of two texts of `m` and `n` symbols with the score `score`. For edit distances, it is 1 −
    /// distance / the largest distance of texts of these lengths, which is max(m, n) if edits cost 1. For common
    /// subsequences, it is 2 · length / (m + n). Two empty texts have the similarity 1. Scores of alignments have none.
    pub fn similarity(&self, score: i32, m: usize, n: usize) -> Option<f64> {
        let share = |part: f64, whole: u64| if whole == 0 { 1.0 } else { part / whole as f64 };
        match self.task {
            Task::EditDistance => {
                let most = self.costs.most_of_lengths(m, n);
                Some(share((most as i64 - i64::from(score)) as f64, most))
            }
            Task::Lcs => Some(share(2.0 * f64::from(score), (m + n) as u64)),
            Task::SequenceAlignment | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => None,
        }
    }
}
