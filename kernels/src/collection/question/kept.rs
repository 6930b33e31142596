//! Kept: the parts of an answer, collected tile by tile (`AnswerParts`).

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::{AnswerLimits, AnsweredRows, CollectionAnswer, CollectionQuestion, KeptPairs, ScoredPair, most_edits, rank};
use crate::collection::Collection;
use crate::collection::tile::{BoundedValue, ScoreBounds, Tile, TileScore, TileScores};
use crate::collection::zeros::zeros;
use crate::cpu::{Cpu, spread};
use crate::failure::{JobFailure, large};
use crate::job::Task;
use crate::run::Halt;

/// Number of rows, and of columns of mirrored scores, that a thread takes at a time. Their scores share cache lines.
const BLOCK: usize = 16;

/// Tolerance of a share in units of 2⁻³², which exceeds the tolerance of a similarity.
const SHARE_TOLERANCE: i64 = 16;

/// The parts of an answer that the tiles so far have given.
pub(super) struct AnswerParts<'q> {
    question: &'q CollectionQuestion,
    collection: &'q Collection,
    max_pairs: u64,
    threads: usize,
    /// All scores, if the answer has all pairs.
    scores: Vec<i32>,
    pairs: Vec<ScoredPair>,
    /// The nearest texts of each text of `a`, if the answer has these.
    nearest: Vec<Neighbours>,
    /// Whether each tile stands for its mirror image too: the tiles of one collection with symmetric scores. The columns of
    /// a tile begin with its rows or after them, and only pairs of a column after its rows are mirrored.
    is_half: bool,
}

/// The nearest texts of one text among the tiles so far.
struct Neighbours {
    /// Ranks, numbers and scores of the texts, the worst one on top.
    best: BinaryHeap<(i64, u32, i32)>,
    /// Maximum number of texts.
    max: usize,
    /// Whether several members of `a` have the text, so that it is a neighbour of itself.
    has_copies: bool,
}

impl Neighbours {
    /// Adds a text if it is among the nearest ones.
    fn add(&mut self, rank: i64, text: u32, score: i32) {
        if self.best.len() < self.max {
            self.best.push((rank, text, score));
        } else if let Some(mut worst) = self.best.peek_mut()
            && (rank, text) < (worst.0, worst.1)
        {
            *worst = (rank, text, score);
        }
    }

    /// Returns the rank of the worst text that further texts displace, if they have greater numbers and a lower rank.
    fn worst_rank(&self) -> Option<i64> {
        (self.best.len() == self.max).then(|| self.best.peek().map(|worst| worst.0)).flatten()
    }
}

impl<'q> AnswerParts<'q> {
    /// Creates the parts before the first tile. `host` has the number of threads that collect scores.
    fn new(question: &'q CollectionQuestion, collection: &'q Collection, limits: &AnswerLimits, host: &Cpu) -> Self {
        let rows = collection.a().distinct().len();
        let (mut scores, mut nearest) = (Vec::new(), Vec::new());
        match question.keep {
            KeptPairs::All => scores = zeros(rows * collection.columns().distinct().len()),
            KeptPairs::Nearest(count) => {
                let mut members = vec![0; collection.corpus().len()];
                collection.a().members().iter().for_each(|member| members[member.text] += 1);
                nearest.extend(collection.a().distinct().map(|text| {
                    let has_copies = members[text] > 1;
                    // The text itself stands for other members than one of them, so that one more text may be necessary.
                    Neighbours { best: BinaryHeap::new(), max: count as usize + usize::from(has_copies), has_copies }
                }));
            }
            KeptPairs::Within(_) | KeptPairs::Similarity(_) => {}
        }
        Self {
            question,
            collection,
            max_pairs: limits.max_pairs,
            threads: host.threads,
            scores,
            pairs: Vec::new(),
            nearest,
            is_half: question.is_half(collection),
        }
    }

    /// Creates the parts of an answer that has the rows in `done`. `host` has the number of threads that collect scores.
    ///
    /// # Errors
    /// Returns `Engine` if the rows do not belong to the question.
    pub(super) fn continued(
        question: &'q CollectionQuestion,
        collection: &'q Collection,
        limits: &AnswerLimits,
        host: &Cpu,
        done: &[AnsweredRows],
    ) -> Result<Self, Halt> {
        let mut parts = Self::new(question, collection, limits, host);
        let width = collection.columns().distinct().len();
        let mut start = 0;
        for AnsweredRows { rows, answer } in done {
            let is_whole = matches!(answer, CollectionAnswer::Nearest(_));
            let expected = if is_whole { 0 } else { start };
            let fits = rows.start == expected && rows.end <= collection.a().distinct().end;
            match (question.keep, answer) {
                (KeptPairs::All, CollectionAnswer::Scores(scores)) if fits && scores.len() == rows.len() * width => {
                    for (row, line) in rows.clone().zip(scores.chunks(width.max(1))) {
                        parts.scores[row * width..(row + 1) * width].copy_from_slice(line);
                        if parts.is_half {
                            line.iter().enumerate().for_each(|(column, score)| parts.scores[column * width + row] = *score);
                        }
                    }
                }
                (KeptPairs::Within(_) | KeptPairs::Similarity(_), CollectionAnswer::Pairs(pairs)) if fits => parts.pairs.extend(pairs),
                (KeptPairs::Nearest(_), CollectionAnswer::Nearest(pairs)) if fits => {
                    parts.nearest.iter_mut().for_each(|neighbours| neighbours.best.clear());
                    for &ScoredPair { a, b, score } in pairs {
                        let [m, n] = [a, b].map(|text| collection.corpus().member_len(text as usize));
                        let rank = parts.rank(score, m, n);
                        parts.nearest[a as usize].add(rank, b, score);
                    }
                }
                _ => return Err(JobFailure::engine("The stored part of the answer does not belong to the question.").into()),
            }
            start = rows.end;
        }
        Ok(parts)
    }

    /// Returns the part of the answer for `rows`. The nearest texts are those of all rows.
    pub(super) fn part(&self, rows: Range<usize>) -> AnsweredRows {
        let width = self.collection.columns().distinct().len();
        match self.question.keep {
            KeptPairs::All => {
                let scores = self.scores[rows.start * width..rows.end * width].to_vec();
                AnsweredRows { rows, answer: CollectionAnswer::Scores(scores) }
            }
            KeptPairs::Within(_) | KeptPairs::Similarity(_) => {
                let mut pairs: Vec<ScoredPair> = self.pairs.iter().filter(|pair| rows.contains(&(pair.a as usize))).copied().collect();
                pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
                AnsweredRows { rows, answer: CollectionAnswer::Pairs(pairs) }
            }
            KeptPairs::Nearest(_) => AnsweredRows { rows: 0..rows.end, answer: nearest(self.nearest.iter().map(|row| row.best.clone())) },
        }
    }

    /// Returns the kept pairs, in the order in which they were added.
    pub(super) fn pairs(&self) -> &[ScoredPair] {
        &self.pairs
    }

    /// Adds those of `pairs` that the question keeps.
    ///
    /// # Errors
    /// Returns `TooLarge` if there are too many kept pairs.
    pub(super) fn extend(&mut self, pairs: impl Iterator<Item = ScoredPair>) -> Result<(), Halt> {
        let (question, collection) = (self.question, self.collection);
        self.pairs.extend(pairs.filter(|pair| question.keeps(collection, pair)));
        self.check_count()
    }

    fn check_count(&self) -> Result<(), Halt> {
        let (got, limit) = (self.pairs.len() as u64, self.max_pairs);
        if got > limit { Err(JobFailure::TooLarge { what: large::KEPT_PAIRS.into(), got, limit }.into()) } else { Ok(()) }
    }

    /// Returns the bounds that the scores of `tile` must reach to change the answer, or `None` if each of them is a part.
    ///
    /// Tiles are added by rows and then by columns, so that each text meets the others in ascending order.
    pub(super) fn bounds(&self, tile: &Tile) -> Option<ScoreBounds> {
        let value = match self.question.rule.task {
            Task::EditDistance => BoundedValue::Edits,
            Task::Lcs => BoundedValue::Share,
            Task::SequenceAlignment | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => BoundedValue::Points,
        };
        let bound: &dyn Fn(usize) -> i64 = match self.question.keep {
            KeptPairs::All => return None,
            KeptPairs::Within(most) => &move |_| -i64::from(most),
            KeptPairs::Similarity(least) => &move |text| match value {
                BoundedValue::Edits => -i64::from(most_edits(least, self.collection.corpus().member_len(text))),
                BoundedValue::Share | BoundedValue::Points => (least * 2f64.powi(32)) as i64 - SHARE_TOLERANCE,
            },
            KeptPairs::Nearest(_) => &|text| match self.nearest.get(text).and_then(Neighbours::worst_rank) {
                // Equally near texts with greater numbers do not displace others. Shares are rounded, and may be greater.
                Some(rank) if value == BoundedValue::Share => (-rank >> 12) - SHARE_TOLERANCE,
                Some(rank) => 1 - rank,
                None => ScoreBounds::NONE,
            },
        };
        let mut columns: Vec<i64> = tile.columns.clone().map(bound).collect();
        if matches!(self.question.keep, KeptPairs::Nearest(_)) && !self.is_half {
            // Columns have no nearest texts.
            columns.fill(i64::MAX >> 16);
        }
        let wanted = match self.question.keep {
            // A text may be among its own nearest texts, although it is not a part, or is one that is left out.
            KeptPairs::Nearest(count) => Some(count + 2),
            KeptPairs::All | KeptPairs::Within(_) | KeptPairs::Similarity(_) => None,
        };
        Some(ScoreBounds { value, rows: tile.rows.clone().map(bound).collect(), columns, wanted })
    }

    /// Adds the scores of the pairs of `tile`.
    ///
    /// # Errors
    /// Returns `TooLarge` if there are too many kept pairs.
    pub(super) fn add(&mut self, tile: &Tile, scores: TileScores) -> Result<(), Halt> {
        match (scores, self.question.keep) {
            (TileScores::All(scores), KeptPairs::All) => self.add_scores(tile, scores),
            (TileScores::All(scores), KeptPairs::Nearest(_)) => self.add_neighbours(tile, &scores),
            (TileScores::All(scores), KeptPairs::Within(_) | KeptPairs::Similarity(_)) => self.add_pairs(tile, &scores),
            (TileScores::Reaching(scores), _) => scores.into_iter().for_each(|score| self.add_one(tile, score)),
        }
        self.check_count()
    }

    /// Returns the columns of `tile` whose scores are also those of the mirror image.
    fn mirrored(&self, tile: &Tile) -> Range<usize> {
        let end = tile.columns.end;
        let start = if self.is_half { tile.columns.start.max(tile.rows.end) } else { end };
        start.min(end)..end
    }

    /// Returns whether the pairs of a text with itself are no pairs of the answer.
    fn is_one_collection(&self) -> bool {
        self.collection.b().is_none()
    }

    fn rank(&self, score: i32, m: usize, n: usize) -> i64 {
        rank(self.question.rule.task, score, m, n)
    }

    /// Copies all scores of `tile`, and those of its mirror image.
    fn add_scores(&mut self, tile: &Tile, scores: Vec<i32>) {
        let columns = self.collection.columns().distinct();
        if scores.len() == self.scores.len() {
            self.scores = scores;
            return;
        }
        let (width, tile_width) = (columns.len(), tile.columns.len());
        let first = tile.columns.start - columns.start;
        let rows = &mut self.scores[tile.rows.start * width..tile.rows.end * width];
        for_each_block(rows, width, self.threads, |block, rows| {
            for (row, line) in rows.chunks_exact_mut(width).enumerate() {
                line[first..first + tile_width].copy_from_slice(&scores[(block + row) * tile_width..][..tile_width]);
            }
        });
        let mirrored = self.mirrored(tile);
        if mirrored.is_empty() {
            return;
        }
        let skipped = mirrored.start - tile.columns.start;
        let rows = &mut self.scores[mirrored.start * width..mirrored.end * width];
        for_each_block(rows, width, self.threads, |block, rows| {
            for (column, line) in scores.chunks_exact(tile_width).enumerate() {
                for (row, score) in line[skipped + block..].iter().take(rows.len() / width).enumerate() {
                    rows[row * width + tile.rows.start + column] = *score;
                }
            }
        });
    }

    /// Adds the kept pairs of `tile`, given the scores of all pairs.
    fn add_pairs(&mut self, tile: &Tile, scores: &[i32]) {
        let lines: Vec<(usize, &[i32])> = tile.rows.clone().zip(scores.chunks(tile.columns.len().max(1))).collect();
        let blocks: Vec<&[(usize, &[i32])]> = lines.chunks(BLOCK).collect();
        let this = &*self;
        let found = spread(&blocks, self.threads, |lines| {
            let pairs = |&(a, line): &(usize, &[i32])| {
                let pairs = tile.columns.clone().zip(line).map(move |(b, &score)| ScoredPair { a: a as u32, b: b as u32, score });
                pairs.filter(|pair| this.is_pair(pair) && this.question.keeps(this.collection, pair)).collect::<Vec<_>>()
            };
            lines.iter().flat_map(pairs).collect::<Vec<_>>()
        });
        self.pairs.extend(found.into_iter().flatten());
    }

    /// Returns whether the two texts are a pair of the answer. Tiles on the diagonal of one collection have each pair twice,
    /// and pairs of a text with itself.
    fn is_pair(&self, pair: &ScoredPair) -> bool {
        !self.is_one_collection() || pair.a < pair.b
    }

    /// Adds the nearest texts of each row, and those of each column if `tile` has a mirror image, given all scores.
    fn add_neighbours(&mut self, tile: &Tile, scores: &[i32]) {
        let mirrored = self.mirrored(tile);
        let width = tile.columns.len();
        if width == 0 {
            return;
        }
        let mut nearest = std::mem::take(&mut self.nearest);
        let this = &*self;
        let (is_one, corpus) = (self.is_one_collection(), self.collection.corpus());
        for_each_block(&mut nearest[tile.rows.clone()], 1, self.threads, |block, rows| {
            for (row, neighbours) in (block..).zip(rows) {
                let a = tile.rows.start + row;
                let m = corpus.member_len(a);
                for (b, &score) in tile.columns.clone().zip(&scores[row * width..][..width]) {
                    if !is_one || a != b || neighbours.has_copies {
                        neighbours.add(this.rank(score, m, corpus.member_len(b)), b as u32, score);
                    }
                }
            }
        });
        let skipped = mirrored.start - tile.columns.start;
        // Columns of a second collection have no nearest texts.
        let columns = if mirrored.is_empty() { &mut [] } else { &mut nearest[mirrored] };
        for_each_block(columns, 1, self.threads, |block, columns| {
            for (a, line) in tile.rows.clone().zip(scores.chunks_exact(width)) {
                let m = corpus.member_len(a);
                for (column, neighbours) in (skipped + block..).zip(columns.iter_mut()) {
                    let n = corpus.member_len(tile.columns.start + column);
                    neighbours.add(this.rank(line[column], n, m), a as u32, line[column]);
                }
            }
        });
        self.nearest = nearest;
    }

    /// Adds one pair of `tile`.
    fn add_one(&mut self, tile: &Tile, TileScore { row, column, score }: TileScore) {
        let (a, b) = (tile.rows.start + row as usize, tile.columns.start + column as usize);
        let pair = ScoredPair { a: a as u32, b: b as u32, score };
        match self.question.keep {
            KeptPairs::All => {
                let columns = self.collection.columns().distinct();
                self.scores[a * columns.len() + b - columns.start] = score;
                if self.is_half {
                    self.scores[b * columns.len() + a] = score;
                }
            }
            KeptPairs::Nearest(_) => {
                let [m, n] = [a, b].map(|text| self.collection.corpus().member_len(text));
                if !self.is_one_collection() || a != b || self.nearest[a].has_copies {
                    let rank = self.rank(score, m, n);
                    self.nearest[a].add(rank, pair.b, score);
                }
                if self.mirrored(tile).contains(&b) {
                    let rank = self.rank(score, n, m);
                    self.nearest[b].add(rank, pair.a, score);
                }
            }
            KeptPairs::Within(_) | KeptPairs::Similarity(_) => {
                if self.is_pair(&pair) && self.question.keeps(self.collection, &pair) {
                    self.pairs.push(pair);
                }
            }
        }
    }

    /// Returns the answer of all tiles.
    pub(super) fn answer(mut self) -> CollectionAnswer {
        match self.question.keep {
            KeptPairs::All => CollectionAnswer::Scores(self.scores),
            KeptPairs::Within(_) | KeptPairs::Similarity(_) => {
                self.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
                CollectionAnswer::Pairs(self.pairs)
            }
            KeptPairs::Nearest(_) => nearest(self.nearest.into_iter().map(|neighbours| neighbours.best)),
        }
    }
}

/// Converts the nearest texts of each row to pairs.
fn nearest(rows: impl Iterator<Item = BinaryHeap<(i64, u32, i32)>>) -> CollectionAnswer {
    let of_row = |(a, best): (usize, BinaryHeap<(i64, u32, i32)>)| {
        best.into_sorted_vec().into_iter().map(move |(_, b, score)| ScoredPair { a: a as u32, b, score })
    };
    CollectionAnswer::Nearest(rows.enumerate().flat_map(of_row).collect())
}

/// Calls `work` with blocks of `items`, on several threads. A block has up to [`BLOCK`] rows of `width` items, and comes with the
/// number of its first row.
fn for_each_block<T: Send>(items: &mut [T], width: usize, threads: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let blocks: Vec<(usize, Mutex<&mut [T]>)> = (0..).step_by(BLOCK).zip(items.chunks_mut(BLOCK * width).map(Mutex::new)).collect();
    spread(&blocks, threads, |(first, block)| work(*first, &mut block.lock().unwrap_or_else(PoisonError::into_inner)));
}
