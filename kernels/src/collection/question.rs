//! Question: a question about a collection, and the solver of questions.
//!
//! - `effort`: the expected work for a planner
//! - `kept`: the parts of an answer, collected tile by tile
//! - `score_rule`: the meaning of the scores of an answer
//! - [`steps`]: the answer in parts that a caller stores

use std::cmp::Reverse;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use self::kept::AnswerParts;
pub use self::score_rule::ScoreRule;
use self::steps::{FinishedRows, RowSteps};
#[cfg(not(target_family = "wasm"))]
use super::cuda;
use super::tile::{PairScore, ScoreBounds, Tile, TileScores};
use super::{Collection, cpu, join};
use crate::cpu::Cpu;
use crate::failure::{JobFailure, large};
#[cfg(not(target_family = "wasm"))]
use crate::gpu::Gpu;
use crate::job::{JobOptions, Scoring, Task};
use crate::run::{Halt, Run};
use crate::task::cost_model::{CellCosts, CostModel, CostPoints};
use crate::task::progress_only::ProgressObserver;
use crate::task::sequence_alignment::engine::AlignmentModel;

mod effort;
mod kept;
mod score_rule;
pub mod steps;

/// The pairs whose scores are part of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KeptPairs {
    /// All pairs.
    #[default]
    All,
    /// Pairs with at most this number of edits, or with at most this sum of their costs.
    Within(u32),
    /// For each member of `a`, this number of nearest members: with the fewest edits, the greatest similarity by common
    /// subsequence, or the greatest score. Of equally near members, the first ones.
    Nearest(u32),
    /// Pairs with at least this similarity, from 0 to 1.
    Similarity(f64),
}

/// Limits of the answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimits {
    /// Maximum number of scores, if all pairs are kept.
    pub max_scores: u64,
    /// Maximum number of kept pairs otherwise.
    pub max_pairs: u64,
}

/// A question about a collection: the score of each pair, and the pairs to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionQuestion {
    rule: ScoreRule,
    /// The score that engines compute. Sums of costs may follow from it.
    score: PairScore,
    keep: KeptPairs,
}

/// A pair with its score. The members are numbers in the [`Corpus`](super::Corpus), so that a pair stands for all members
/// with these symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScoredPair {
    /// Number of the first text.
    pub a: u32,
    /// Number of the second text.
    pub b: u32,
    /// Distance, length or score, see [`ScoreRule`].
    pub score: i32,
}

/// The answer to a question. Texts are numbers in the [`Corpus`](super::Corpus).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CollectionAnswer {
    /// The score of every distinct text of `a` (rows) with every distinct text of the columns, row by row.
    Scores(Vec<i32>),
    /// The kept pairs, ordered by `a`, then `b`. One collection has only pairs with `a` < `b`, and no pair of a text with
    /// itself.
    Pairs(Vec<ScoredPair>),
    /// For every distinct text of `a`, enough of its nearest texts, best first. A text of one collection is its own neighbour if several
    /// members have it.
    Nearest(Vec<ScoredPair>),
}

/// The answer for some rows of a question, which are distinct texts of `a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredRows {
    /// Numbers of the rows.
    pub rows: Range<usize>,
    /// Scores or kept pairs of these rows. The nearest texts are those of all rows, of which `rows` are compared with all
    /// others, so that they replace earlier ones.
    pub answer: CollectionAnswer,
}

/// Number of cells that take the time of the setup of a pair.
pub const CELLS_PER_PAIR: u64 = 256;

/// The size of the tiles of an engine.
pub(super) struct TileSize {
    /// Maximum number of rows and of columns of a tile.
    pub(super) members: usize,
    /// Number of cells of all tiles with the same rows, above which a tile has fewer rows. The answer for finished rows can
    /// be stored.
    pub(super) row_cells: u64,
}

/// Tiles on the CPU. Those of tests have few rows, so that small collections have several.
const TILE: TileSize = TileSize { members: 1024, row_cells: if cfg!(test) { 1 << 12 } else { 1 << 40 } };

/// Tiles on a GPU, which fill a GPU also with short members.
#[cfg(not(target_family = "wasm"))]
const DEVICE_TILE: TileSize = TileSize { members: 8192, row_cells: 1 << 47 };

/// Minimum number of rows of a tile, except for the last rows.
const MIN_TILE_ROWS: usize = if cfg!(test) { 3 } else { 64 };

/// Estimated time of a search for near pairs, in nanoseconds, above which the rows are divided.
const MAX_JOIN_NS: f64 = if cfg!(test) { 1e3 } else { 10e9 };

/// Minimum number of rows of a part of a search for near pairs.
const MIN_JOIN_ROWS: usize = if cfg!(test) { 3 } else { 1024 };

/// Factor of the estimated time of a join, because the estimate holds for random texts.
#[cfg(not(target_family = "wasm"))]
const JOIN_MARGIN: f64 = 2.0;

/// Estimated number of cells of a collection that a GPU computes in a nanosecond.
#[cfg(not(target_family = "wasm"))]
const DEVICE_CELLS_NS: f64 = 3e4;

/// Maximum number of neighbours of a member.
pub const MAX_NEAREST: u32 = 1_000;

impl CollectionQuestion {
    /// The tasks that compare whole members.
    pub const TASKS: [Task; 3] = [Task::EditDistance, Task::Lcs, Task::SequenceAlignment];

    /// Creates the question of `task` with `options` about `collection`.
    ///
    /// # Errors
    /// Returns `BadInput` if the task does not compare whole texts, if it has no such option, or if `keep` does not fit it.
    pub fn new(task: Task, options: &JobOptions, keep: KeptPairs, collection: &Collection) -> Result<Self, JobFailure> {
        options.check(task)?;
        let name = task.name();
        if options.method.is_some() {
            return Err(JobFailure::bad_input("Collections are compared by the default method. Leave out `method`."));
        }
        if options.ambiguity {
            return Err(JobFailure::bad_input("Whole texts of collections match by equal symbols. Leave out `ambiguity`."));
        }
        if options.pieces != 1 {
            return Err(JobFailure::bad_input("Collections have the score of the best piece. Leave out `pieces`."));
        }
        let score = match task {
            Task::EditDistance if options.max_distance.is_some() => {
                return Err(JobFailure::bad_input("Pairs of collections are kept by `keep`. Leave out `max_distance`."));
            }
            Task::EditDistance => match CostModel::of(&options.costs) {
                CostModel::Levenshtein => PairScore::EditDistance { within: None },
                CostModel::Subsequence => PairScore::Lcs,
                CostModel::Weighted(cells) if cells.is_unit_osa() => PairScore::StringAlignment,
                CostModel::Weighted(CellCosts { transpose: None, .. }) => {
                    PairScore::Alignment(AlignmentModel::of_costs(&CostPoints::new(&options.costs)))
                }
                CostModel::Weighted(_) => PairScore::Weighted(options.costs),
            },
            Task::Lcs => PairScore::Lcs,
            Task::SequenceAlignment => PairScore::Alignment(model(&options.scoring(), collection)?),
            Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => {
                return Err(JobFailure::bad_input(format!(
                    "{name} compares no pairs of collections. edit-distance, lcs, sequence-alignment do; exact-search, approximate-search find patterns."
                )));
            }
        };
        match keep {
            KeptPairs::Within(_) if task != Task::EditDistance => {
                return Err(JobFailure::bad_input(format!("`keep.within` counts edits, and {name} has none. edit-distance has them.")));
            }
            KeptPairs::Similarity(_) if task == Task::SequenceAlignment => {
                return Err(JobFailure::bad_input("`keep.similarity` is a share of symbols. edit-distance, lcs have it."));
            }
            KeptPairs::Within(_) | KeptPairs::Similarity(_) if collection.b().is_none() && options.costs.insert != options.costs.delete => {
                return Err(JobFailure::bad_input(
                    "`keep.within` and `keep.similarity` have one distance for two texts in either order. Let `costs.insert` equal `costs.delete`, use `keep.all` or `keep.nearest`, or compare two collections.",
                ));
            }
            KeptPairs::Similarity(least) if !(0.0..=1.0).contains(&least) => {
                return Err(JobFailure::bad_input(format!("`keep.similarity` is {least}; it must be from 0 to 1.")));
            }
            KeptPairs::Nearest(count) if !(1..=MAX_NEAREST).contains(&count) => {
                return Err(JobFailure::bad_input(format!("`keep.nearest` is {count}; it must be from 1 to {MAX_NEAREST}.")));
            }
            KeptPairs::All | KeptPairs::Within(_) | KeptPairs::Nearest(_) | KeptPairs::Similarity(_) => {}
        }
        Ok(Self { rule: ScoreRule::new(task, options), score, keep })
    }

    /// Returns the pairs that the answer keeps.
    pub fn keep(&self) -> KeptPairs {
        self.keep
    }

    /// Returns the task that compares two members.
    pub fn task(&self) -> Task {
        self.rule.task
    }

    /// Returns the meaning of the scores of the answer.
    pub fn rule(&self) -> ScoreRule {
        self.rule
    }

    /// Checks that the answer does not exceed `limits`, as far as this is known before the run.
    ///
    /// # Errors
    /// Returns `TooLarge` with the limit.
    pub fn check_limits(&self, collection: &Collection, limits: &AnswerLimits) -> Result<(), JobFailure> {
        let [rows, columns] = [collection.a(), collection.columns()].map(|side| side.members().len() as u64);
        let (what, got, limit) = match self.keep {
            KeptPairs::All => (large::SCORES, rows * columns, limits.max_scores),
            KeptPairs::Nearest(count) => (large::KEPT_PAIRS, rows * u64::from(count), limits.max_pairs),
            KeptPairs::Within(_) | KeptPairs::Similarity(_) => return Ok(()),
        };
        if got > limit { Err(JobFailure::TooLarge { what: what.into(), got, limit }) } else { Ok(()) }
    }

    /// Answers the question on `cpu`.
    ///
    /// Takes O(cells) time for all pairs, or less for pairs within few edits. Takes the memory of the answer and of one
    /// tile of a million pairs.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped, and `TooLarge` if the answer exceeds `limits`.
    pub fn solve(&self, collection: &Collection, limits: &AnswerLimits, cpu: &Cpu, run: &Run) -> Result<CollectionAnswer, Halt> {
        self.solve_in_steps(collection, limits, cpu, &mut RowSteps::none(), run)
    }

    /// Answers the question on `cpu` like [`solve`](Self::solve). Continues after the rows that `steps` has, and calls it
    /// after further rows.
    ///
    /// # Errors
    /// Returns the errors of [`solve`](Self::solve) and of `steps`, and `Engine` if the rows do not belong to the question.
    pub fn solve_in_steps(
        &self,
        collection: &Collection,
        limits: &AnswerLimits,
        cpu: &Cpu,
        steps: &mut RowSteps,
        run: &Run,
    ) -> Result<CollectionAnswer, Halt> {
        self.check_limits(collection, limits)?;
        // Engines expect the cells of one tile. This function expects those of all.
        let observer = ProgressObserver::of(run);
        let engine_run = &Run::new(&observer);
        if let Some(most) = self.most_edits_of_all(collection) {
            return self.join(most, collection, limits, cpu, steps, (run, engine_run));
        }
        let corpus = collection.corpus();
        self.solve_by_tiles(&TILE, collection, limits, cpu, steps, run, |tile, score, _| {
            cpu::scores(corpus, tile, score, cpu, engine_run).map(TileScores::All)
        })
    }

    /// Divides all pairs of the question into at most `count` tiles, which take about the same time. A tile has at least one
    /// row, so that there may be fewer.
    pub fn tiles(&self, collection: &Collection, count: usize) -> Vec<Tile> {
        let (rows, columns, is_half) = (collection.a().distinct(), collection.columns().distinct(), self.is_half(collection));
        let len = |text: usize| collection.corpus().member_len(text) as u64;
        // Number of symbols of the columns before each one.
        let mut before = vec![0];
        columns.clone().for_each(|column| before.push(before.last().unwrap_or(&0) + len(column)));
        let cells = |row: usize| {
            let first = if is_half { row } else { 0 };
            let symbols = before[columns.len()] - before[first];
            symbols.saturating_mul(len(row)) + CELLS_PER_PAIR * (columns.len() - first) as u64
        };
        let each = rows.clone().map(cells).fold(0, u64::saturating_add).div_ceil(count.max(1) as u64).max(1);
        let (mut tiles, mut start, mut sum) = (Vec::new(), rows.start, 0_u64);
        for row in rows.clone() {
            sum = sum.saturating_add(cells(row));
            if sum >= each || row + 1 == rows.end {
                tiles.extend(tiles_of(start..row + 1, columns.len().max(1), collection, is_half));
                (start, sum) = (row + 1, 0);
            }
        }
        tiles
    }

    /// Computes the scores of `tile` on `cpu`, row by row, for [`answer_of_tiles`](Self::answer_of_tiles).
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped.
    pub fn tile_scores(&self, tile: &Tile, collection: &Collection, cpu: &Cpu, run: &Run) -> Result<Vec<i32>, Halt> {
        cpu::scores(collection.corpus(), tile, &self.score_of(tile, collection), cpu, run)
    }

    /// Returns the answer to the question, given the scores of all its [`tiles`](Self::tiles) in any order. Other programs may
    /// have computed them.
    ///
    /// # Errors
    /// Returns `TooLarge` if the answer exceeds `limits`, and `Engine` if a tile or a score is missing.
    pub fn answer_of_tiles(
        &self,
        collection: &Collection,
        limits: &AnswerLimits,
        tiles: impl IntoIterator<Item = (Tile, Vec<i32>)>,
    ) -> Result<CollectionAnswer, Halt> {
        self.check_limits(collection, limits)?;
        let mut parts = AnswerParts::continued(self, collection, limits, &Cpu::SINGLE, &[])?;
        let incomplete = || JobFailure::engine("A part of the answer is incomplete.");
        let is_half = self.is_half(collection);
        let rows = collection.a().distinct();
        let mut rows_left = rows.len();
        for (tile, scores) in tiles {
            rows_left = rows_left.saturating_sub(tile.rows.len());
            let columns = tiles_of(tile.rows.clone(), usize::MAX >> 1, collection, is_half);
            let is_own = tile.rows.end <= rows.end && columns.eq([tile.clone()]);
            if !is_own || scores.len() != tile.pairs() {
                return Err(incomplete().into());
            }
            parts.add(&tile, self.costed(&tile, collection, TileScores::All(scores)))?;
        }
        if rows_left > 0 {
            return Err(incomplete().into());
        }
        Ok(parts.answer())
    }

    /// Answers the question on `gpu`, in steps like [`solve_in_steps`](Self::solve_in_steps). Pairs that the GPU does not
    /// take are computed on `host`.
    ///
    /// # Errors
    /// Returns the errors of [`solve_in_steps`](Self::solve_in_steps), and `Engine` if the GPU fails.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn solve_on(
        &self,
        gpu: &Gpu,
        collection: &Collection,
        limits: &AnswerLimits,
        host: &Cpu,
        steps: &mut RowSteps,
        run: &Run,
    ) -> Result<CollectionAnswer, Halt> {
        let corpus = collection.corpus();
        if !cuda::takes(gpu, corpus, &self.score) || self.is_faster_on(host, collection, run) {
            return self.solve_in_steps(collection, limits, host, steps, run);
        }
        self.check_limits(collection, limits)?;
        let observer = ProgressObserver::of(run);
        let engine_run = &Run::new(&observer);
        let device = cuda::DeviceCorpus::new(gpu, corpus, engine_run)?;
        self.solve_by_tiles(&DEVICE_TILE, collection, limits, host, steps, run, |tile, score, bounds| match bounds {
            Some(bounds) => device.scores_within(tile, score, bounds, host, engine_run),
            None => device.scores(tile, score, host, engine_run).map(TileScores::All),
        })
    }

    /// Returns whether `host` finds the kept pairs before a GPU has computed all scores, because it skips most pairs.
    #[cfg(not(target_family = "wasm"))]
    fn is_faster_on(&self, host: &Cpu, collection: &Collection, run: &Run) -> bool {
        let Some(most) = self.most_edits_of_all(collection) else { return false };
        let (rows, columns) = (collection.a().distinct(), collection.columns().distinct());
        let host_ns = JOIN_MARGIN * join::expected_ns(collection.corpus(), rows, columns, most, host, run) / host.threads as f64;
        host_ns < self.cells(collection) as f64 / DEVICE_CELLS_NS
    }

    /// Answers the question tile by tile. `scores` computes a tile, and may leave out scores that do not reach the bounds.
    /// `host` collects the scores.
    #[expect(clippy::too_many_arguments, reason = "the parameters of a run and those of its engine")]
    pub(super) fn solve_by_tiles(
        &self,
        size: &TileSize,
        collection: &Collection,
        limits: &AnswerLimits,
        host: &Cpu,
        steps: &mut RowSteps,
        run: &Run,
        scores: impl Fn(&Tile, &PairScore, Option<&ScoreBounds>) -> Result<TileScores, Halt>,
    ) -> Result<CollectionAnswer, Halt> {
        let is_half = self.is_half(collection);
        let len = |texts: &Range<usize>| Self::symbols(texts.clone(), collection);
        let cells = |tile: &Tile| len(&tile.rows).saturating_mul(len(&tile.columns));
        let mut kept = AnswerParts::continued(self, collection, limits, host, steps.done())?;
        let mut tiles: Vec<Vec<Tile>> = Vec::new();
        let (mut start, end) = (steps.start(), collection.a().distinct().end);
        while start < end {
            let rows = size.rows_from(start, collection, is_half);
            start = rows.end;
            tiles.push(tiles_of(rows, size.members, collection, is_half).collect());
        }
        let total = tiles.iter().flatten().map(cells).fold(0, u64::saturating_add);
        run.raise_expected(total);
        let mut left = total;
        for row in tiles {
            for tile in &row {
                let bounds = kept.bounds(tile).filter(|_| self.rule.costs.is_levenshtein());
                let found = scores(tile, &self.score_of(tile, collection), bounds.as_ref())?;
                kept.add(tile, self.costed(tile, collection, found))?;
                left = left.saturating_sub(cells(tile));
            }
            if let Some(tile) = row.first() {
                steps.report(&FinishedRows::new(&kept, tile.rows.end, left as f64 / total.max(1) as f64))?;
            }
        }
        Ok(kept.answer())
    }

    /// Converts the scores of an engine to sums of costs, if the edits of the question have other costs than 1.
    fn costed(&self, tile: &Tile, collection: &Collection, found: TileScores) -> TileScores {
        if self.rule.task != Task::EditDistance || self.rule.costs.is_levenshtein() {
            return found;
        }
        let (corpus, costs) = (collection.corpus(), &self.rule.costs);
        // Number of half units of cost for each edit, or for each point.
        let halves = match self.score {
            PairScore::Alignment(_) => CostPoints::new(costs).halves,
            _ => costs.insert + costs.delete,
        };
        // Insertions and deletions cost the same, so that lengths do not matter.
        if costs.insert == costs.delete && !matches!(self.score, PairScore::Lcs | PairScore::Weighted(_)) {
            return found.map(|score| score.abs() * (halves / 2) as i32);
        }
        let cost = |a: usize, b: usize, score: i32| {
            let (m, n) = (corpus.member_len(a), corpus.member_len(b));
            match self.score {
                // The score counts edits, or is a sum of points, none of which is above 0.
                PairScore::EditDistance { .. } | PairScore::StringAlignment | PairScore::Alignment(_) => {
                    costs.of_halves(u64::from(score.unsigned_abs()) * u64::from(halves), m, n) as i32
                }
                PairScore::Lcs => costs.of_subsequence(score as u64, m, n) as i32,
                PairScore::Weighted(_) => score,
            }
        };
        match found {
            TileScores::All(mut scores) => {
                for (a, line) in tile.rows.clone().zip(scores.chunks_mut(tile.columns.len().max(1))) {
                    tile.columns.clone().zip(line).for_each(|(b, score)| *score = cost(a, b, *score));
                }
                TileScores::All(scores)
            }
            TileScores::Reaching(mut scores) => {
                for found in &mut scores {
                    found.score = cost(tile.rows.start + found.row as usize, tile.columns.start + found.column as usize, found.score);
                }
                TileScores::Reaching(scores)
            }
        }
    }

    /// Returns the largest number of edits of a kept pair, if edits decide which pairs are kept.
    fn most_edits_of_all(&self, collection: &Collection) -> Option<u32> {
        if !self.rule.costs.is_levenshtein() {
            return None;
        }
        let corpus = collection.corpus();
        match (self.keep, &self.score) {
            (KeptPairs::Within(most), PairScore::EditDistance { .. }) => Some(most),
            (KeptPairs::Similarity(least), PairScore::EditDistance { .. }) => {
                Some(most_edits(least, (0..corpus.len()).map(|text| corpus.member_len(text)).max().unwrap_or(0)))
            }
            _ => None,
        }
    }

    /// Finds the kept pairs, which have at most `most` edits, without the scores of all others. The engine reports to the
    /// second run, which forwards its progress to the first one.
    fn join(
        &self,
        most: u32,
        collection: &Collection,
        limits: &AnswerLimits,
        cpu: &Cpu,
        steps: &mut RowSteps,
        (run, engine_run): (&Run, &Run),
    ) -> Result<CollectionAnswer, Halt> {
        let (corpus, is_one) = (collection.corpus(), collection.b().is_none());
        let (rows, columns) = (collection.a().distinct(), collection.columns().distinct());
        let mut kept = AnswerParts::continued(self, collection, limits, cpu, steps.done())?;
        let (mut start, end) = (steps.start(), rows.end);
        let rest = |start: usize| {
            let share = (end - start) as f64 / rows.len().max(1) as f64;
            if is_one { share * share } else { share }
        };
        let first = rest(start);
        run.raise_expected((self.cells(collection) as f64 * first) as u64);
        while start < end {
            // Pairs of one collection have the smaller number first.
            let columns = if is_one { start..end } else { columns.clone() };
            let left = limits.max_pairs.saturating_sub(kept.pairs().len() as u64);
            let within = |rows: Range<usize>, columns: Range<usize>| join::within(corpus, rows, columns, most, left, cpu, engine_run);
            let parts = (join::expected_ns(corpus, start..end, columns.clone(), most, cpu, engine_run) / MAX_JOIN_NS).ceil().max(1.0);
            let height = ((end - start) as f64 / parts).ceil() as usize;
            let part = start..end.min(start + height.max(MIN_JOIN_ROWS));
            let near = match is_one && part.end < end {
                false => within(part.clone(), columns),
                true => within(part.clone(), part.clone()).and_then(|mut near| {
                    near.extend(within(part.clone(), part.end..end)?);
                    Ok(near)
                }),
            };
            let near = near.map_err(|halt| match halt {
                Halt::Failed(JobFailure::TooLarge { what, got, limit }) if what == large::KEPT_PAIRS => {
                    Halt::Failed(JobFailure::TooLarge { what, got: got + limits.max_pairs - limit, limit: limits.max_pairs })
                }
                other => other,
            })?;
            let pairs = near.into_iter().map(|(a, b, edits)| ScoredPair { a, b, score: edits as i32 });
            kept.extend(pairs)?;
            start = part.end;
            steps.report(&FinishedRows::new(&kept, start, rest(start) / first.max(f64::MIN_POSITIVE)))?;
        }
        Ok(kept.answer())
    }

    /// Returns the score that the engine computes in `tile`. The engine may stop early at pairs that are not kept.
    fn score_of(&self, tile: &Tile, collection: &Collection) -> PairScore {
        if !self.rule.costs.is_levenshtein() {
            return self.score.clone();
        }
        let within = match (self.keep, &self.score) {
            (KeptPairs::Within(most), PairScore::EditDistance { .. }) => most,
            (KeptPairs::Similarity(least), PairScore::EditDistance { .. }) => {
                let longest = tile.rows.clone().chain(tile.columns.clone()).map(|text| collection.corpus().member_len(text)).max();
                most_edits(least, longest.unwrap_or(0))
            }
            _ => return self.score.clone(),
        };
        PairScore::EditDistance { within: Some(within) }
    }

    /// Returns whether a pair of texts and the pair in the other order have one score, and both are pairs of the question.
    fn is_half(&self, collection: &Collection) -> bool {
        collection.b().is_none() && self.is_symmetric()
    }

    /// Returns the number of symbols of `texts`.
    fn symbols(texts: Range<usize>, collection: &Collection) -> u64 {
        texts.map(|text| collection.corpus().member_len(text) as u64).sum()
    }

    /// Returns whether the scores do not depend on the order of two texts.
    fn is_symmetric(&self) -> bool {
        self.score.is_symmetric() && (self.rule.task != Task::EditDistance || self.rule.costs.insert == self.rule.costs.delete)
    }

    /// Returns whether the answer keeps `pair` because of its score. Nearest texts depend on other pairs.
    fn keeps(&self, collection: &Collection, pair: &ScoredPair) -> bool {
        match self.keep {
            KeptPairs::All | KeptPairs::Nearest(_) => true,
            KeptPairs::Within(most) => pair.score as u32 <= most,
            KeptPairs::Similarity(least) => {
                let [m, n] = [pair.a, pair.b].map(|text| collection.corpus().member_len(text as usize));
                // A distance above the limit of its tile is too large as well.
                self.rule.similarity(pair.score, m, n).is_some_and(|similarity| similarity + ROUNDING >= least)
            }
        }
    }
}

/// Returns the rank of a pair of texts of `m` and `n` symbols among all pairs of the first one. Nearer texts have lower
/// ranks: fewer edits, a greater similarity by common subsequence, or a greater score.
pub(super) fn rank(task: Task, score: i32, m: usize, n: usize) -> i64 {
    match task {
        // Different fractions with denominators below 2²² differ by more than 2⁻⁴⁴.
        Task::Lcs if m + n > 0 => -(((2 * i128::from(score)) << 44) / (m + n) as i128) as i64,
        Task::Lcs => -(1 << 44),
        Task::EditDistance => score.into(),
        Task::SequenceAlignment | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => -i64::from(score),
    }
}

/// Returns the largest number of edits with which two texts have at least the similarity `least`, if the longer one has
/// `longest` symbols.
fn most_edits(least: f64, longest: usize) -> u32 {
    ((1.0 - least) * longest as f64 + ROUNDING).floor() as u32
}

/// Tolerance of comparisons with a similarity, which is a decimal fraction.
const ROUNDING: f64 = 1e-9;

/// Returns the points and the kind of the alignments of all pairs of `collection`.
fn model(scoring: &Scoring, collection: &Collection) -> Result<AlignmentModel, JobFailure> {
    let units = if scoring.matrix.is_some() { collection.units() } else { Vec::new() };
    AlignmentModel::of_units(scoring, &units)
}

impl TileSize {
    /// Returns the rows of the tiles that begin with the row `start`.
    fn rows_from(&self, start: usize, collection: &Collection, is_half: bool) -> Range<usize> {
        let corpus = collection.corpus();
        let columns = if is_half { start..collection.a().distinct().end } else { collection.columns().distinct() };
        let width: u64 = columns.map(|text| corpus.member_len(text) as u64).sum();
        let most = collection.a().distinct().end.min(start + self.members);
        let (mut end, mut cells) = (start, 0_u64);
        while end < most && (cells < self.row_cells || end < start + MIN_TILE_ROWS) {
            cells = cells.saturating_add((corpus.member_len(end) as u64).saturating_mul(width));
            end += 1;
        }
        start..end
    }
}

/// Iterates over the tiles with the rows `rows`, of at most `members` columns. If `is_half`, the tiles of all rows cover
/// the pairs with `a` ≤ `b`.
fn tiles_of(rows: Range<usize>, members: usize, collection: &Collection, is_half: bool) -> impl Iterator<Item = Tile> {
    let all = collection.columns().distinct();
    let columns = if is_half { rows.start..all.end } else { all };
    let end = columns.end;
    columns.step_by(members).map(move |start| Tile { rows: rows.clone(), columns: start..(start + members).min(end) })
}

/// Returns the groups of members that chains of `pairs` connect, largest first, of groups of equal size the one with the
/// first member. Members of a group are in ascending order. Members without a pair are in no group. Takes O(members +
/// pairs) time.
pub fn groups(members: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut parents: Vec<usize> = (0..members).collect();
    for (a, b) in pairs {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a.max(b)] = a.min(b);
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); members];
    for member in 0..members {
        let root = root(&mut parents, member);
        groups[root].push(member);
    }
    groups.retain(|group| group.len() > 1);
    groups.sort_by_key(|group| (Reverse(group.len()), group[0]));
    groups
}

/// Returns the representative of the group of `member`, and shortens the path to it.
fn root(parents: &mut [usize], mut member: usize) -> usize {
    while parents[member] != member {
        parents[member] = parents[parents[member]];
        member = parents[member];
    }
    member
}
