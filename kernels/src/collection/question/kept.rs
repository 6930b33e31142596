//! Kept: the part of an answer that the tiles so far have (`Kept`).

use std::collections::BinaryHeap;
use std::ops::Range;

use super::{AnswerLimits, AnsweredRows, CollectionAnswer, CollectionQuestion, KeptPairs, ROUNDING, ScoredPair, rank};
use crate::collection::{Collection, Tile};
use crate::failure::{JobFailure, large};
use crate::run::Halt;

/// The part of the answer that the tiles so far have.
pub(super) struct Kept<'q> {
    question: &'q CollectionQuestion,
    collection: &'q Collection,
    max_pairs: u64,
    /// All scores, if all pairs are kept.
    scores: Vec<i32>,
    pub(super) pairs: Vec<ScoredPair>,
    /// For each row, the ranks, columns and scores of its best columns so far, the worst one on top.
    nearest: Vec<BinaryHeap<(i64, u32, i32)>>,
    /// For each text of the corpus, whether several members of `a` have it.
    has_copies: Vec<bool>,
    /// Whether each tile stands for its mirror image too: the tiles of one collection with symmetric scores.
    is_half: bool,
}

impl<'q> Kept<'q> {
    fn new(question: &'q CollectionQuestion, collection: &'q Collection, limits: &AnswerLimits) -> Self {
        let rows = collection.a().distinct().len();
        let (scores, nearest) = match question.keep {
            KeptPairs::All => (vec![0; rows * collection.columns().distinct().len()], Vec::new()),
            KeptPairs::Nearest(_) => (Vec::new(), vec![BinaryHeap::new(); rows]),
            KeptPairs::Within(_) | KeptPairs::Similarity(_) => (Vec::new(), Vec::new()),
        };
        let mut members = vec![0; collection.corpus().len()];
        collection.a().members().iter().for_each(|member| members[member.text] += 1);
        let has_copies = members.into_iter().map(|members| members > 1).collect();
        Self {
            question,
            collection,
            max_pairs: limits.max_pairs,
            scores,
            pairs: Vec::new(),
            nearest,
            has_copies,
            is_half: collection.b().is_none() && question.score.is_symmetric(),
        }
    }

    /// Creates the part of the answer that has the rows in `done`.
    ///
    /// # Errors
    /// Returns `Engine` if the rows do not belong to the question.
    pub(super) fn continued(
        question: &'q CollectionQuestion,
        collection: &'q Collection,
        limits: &AnswerLimits,
        done: &[AnsweredRows],
    ) -> Result<Self, Halt> {
        let mut kept = Self::new(question, collection, limits);
        let width = collection.columns().distinct().len();
        let mut start = 0;
        for AnsweredRows { rows, answer } in done {
            let is_whole = matches!(answer, CollectionAnswer::Nearest(_));
            let expected = if is_whole { 0 } else { start };
            let fits = rows.start == expected && rows.end <= collection.a().distinct().end;
            match (question.keep, answer) {
                (KeptPairs::All, CollectionAnswer::Scores(scores)) if fits && scores.len() == rows.len() * width => {
                    for (row, line) in rows.clone().zip(scores.chunks(width.max(1))) {
                        kept.scores[row * width..(row + 1) * width].copy_from_slice(line);
                        if kept.is_half {
                            line.iter().enumerate().for_each(|(column, score)| kept.scores[column * width + row] = *score);
                        }
                    }
                }
                (KeptPairs::Within(_) | KeptPairs::Similarity(_), CollectionAnswer::Pairs(pairs)) if fits => kept.pairs.extend(pairs),
                (KeptPairs::Nearest(count), CollectionAnswer::Nearest(pairs)) if fits => {
                    kept.nearest.iter_mut().for_each(BinaryHeap::clear);
                    for &ScoredPair { a, b, score } in pairs {
                        kept.add_neighbour(a as usize, b as usize, score, count);
                    }
                }
                _ => return Err(JobFailure::engine("The stored part of the answer does not belong to the question.").into()),
            }
            start = rows.end;
        }
        Ok(kept)
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
            KeptPairs::Nearest(_) => AnsweredRows { rows: 0..rows.end, answer: nearest(self.nearest.clone()) },
        }
    }

    /// Adds those of `pairs` that the question keeps.
    pub(super) fn add_pairs(&mut self, pairs: impl Iterator<Item = ScoredPair>) -> Result<(), Halt> {
        let mut added: Vec<ScoredPair> = pairs.filter(|pair| self.keeps(pair.a as usize, pair.b as usize, pair.score)).collect();
        self.pairs.append(&mut added);
        self.check_count()
    }

    fn check_count(&self) -> Result<(), Halt> {
        let (got, limit) = (self.pairs.len() as u64, self.max_pairs);
        if got > limit { Err(JobFailure::TooLarge { what: large::KEPT_PAIRS.into(), got, limit }.into()) } else { Ok(()) }
    }

    /// Adds the scores of the pairs of `tile`.
    pub(super) fn add(&mut self, tile: &Tile, scores: &[i32]) -> Result<(), Halt> {
        let columns = self.collection.columns().distinct();
        let is_one = self.collection.b().is_none();
        let rows = tile.rows.clone().zip(scores.chunks(tile.columns.len().max(1)));
        for (a, scores) in rows {
            for (b, &score) in tile.columns.clone().zip(scores) {
                // A tile on the diagonal has each pair twice, and pairs of a text with itself.
                if self.is_half && b < a {
                    continue;
                }
                match self.question.keep {
                    KeptPairs::All => {
                        self.scores[a * columns.len() + b - columns.start] = score;
                        if self.is_half {
                            self.scores[b * columns.len() + a] = score;
                        }
                    }
                    KeptPairs::Nearest(count) => {
                        if !is_one || a != b || self.has_copies[a] {
                            self.add_neighbour(a, b, score, count);
                        }
                        if self.is_half && a != b {
                            self.add_neighbour(b, a, score, count);
                        }
                    }
                    KeptPairs::Within(_) | KeptPairs::Similarity(_) => {
                        if (!is_one || a != b) && self.keeps(a, b, score) {
                            self.pairs.push(ScoredPair { a: a as u32, b: b as u32, score });
                        }
                    }
                }
            }
        }
        self.check_count()
    }

    fn keeps(&self, a: usize, b: usize, score: i32) -> bool {
        match self.question.keep {
            KeptPairs::All | KeptPairs::Nearest(_) => true,
            KeptPairs::Within(most) => score as u32 <= most,
            KeptPairs::Similarity(least) => {
                let corpus = self.collection.corpus();
                let [m, n] = [a, b].map(|text| corpus.member_len(text));
                // A distance above the limit of its tile is too large as well.
                self.question.similarity(score, m, n).is_some_and(|similarity| similarity + ROUNDING >= least)
            }
        }
    }

    fn add_neighbour(&mut self, row: usize, column: usize, score: i32, count: u32) {
        let [m, n] = [row, column].map(|text| self.collection.corpus().member_len(text));
        let best = &mut self.nearest[row];
        best.push((rank(self.question.task, score, m, n), column as u32, score));
        // The text itself stands for other members than one of them, so that one more text may be necessary.
        if best.len() > count as usize + usize::from(self.has_copies[row]) {
            best.pop();
        }
    }

    pub(super) fn answer(mut self) -> CollectionAnswer {
        match self.question.keep {
            KeptPairs::All => CollectionAnswer::Scores(self.scores),
            KeptPairs::Within(_) | KeptPairs::Similarity(_) => {
                self.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
                CollectionAnswer::Pairs(self.pairs)
            }
            KeptPairs::Nearest(_) => nearest(self.nearest),
        }
    }
}

/// Converts the nearest columns of each row to pairs.
fn nearest(rows: Vec<BinaryHeap<(i64, u32, i32)>>) -> CollectionAnswer {
    let of_row = |(a, best): (usize, BinaryHeap<(i64, u32, i32)>)| {
        best.into_sorted_vec().into_iter().map(move |(_, b, score)| ScoredPair { a: a as u32, b, score })
    };
    CollectionAnswer::Nearest(rows.into_iter().enumerate().flat_map(of_row).collect())
}
