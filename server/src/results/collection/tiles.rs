//! Tiles: a rectangle of the answer as a map ([`ResultReader::collection_tile`]). Of the scores of all pairs, only the rows of
//! the rectangle are read.

use std::ops::Range;
use std::sync::Arc;

use explain::collection::snapshot::{CollectionTile, TextRange};
use kernels::collection::{Collection, KeptPairs, Member, ScoreRule, ScoredPair};
use kernels::job::Task;

use super::{CollectionResult, CollectionTexts, part};
use crate::error::{ApiProblem, ProblemKind};
use crate::results::{ResultReader, cached};
use crate::store::record::StoredResult;
use crate::store::record::collection::StoredCollection;

/// Maximum number of pairs of a tile, if the answer has the scores of all pairs.
const MAX_TILE_PAIRS: u64 = 1 << 26;

/// Maximum number of rows of a tile, if the answer has the scores of all pairs, because each row is one read of a file.
const MAX_TILE_ROWS: u64 = 1 << 13;

/// The rectangle of a tile: numbers of texts of `a`, and of texts of the other side.
#[derive(Clone, Debug)]
pub struct TileFrame {
    pub rows: Range<u64>,
    pub columns: Range<u64>,
    /// Maximum number of cells of a row, and of rows.
    pub size: u64,
}

/// The cells of a tile while pairs are added.
struct TileCells<'t> {
    collection: &'t Collection,
    rule: ScoreRule,
    frame: &'t TileFrame,
    /// Numbers of rows and of columns of cells.
    sizes: [u64; 2],
    /// Score of the most similar pair of each cell, with a rank that is greater for more similar pairs.
    cells: Vec<Option<(f64, i32)>>,
}

impl TileCells<'_> {
    /// Adds the pair of the members `a` and `b`. Ignores pairs outside of the tile. If a cell has several pairs, those of a
    /// text with itself do not count.
    fn add(&mut self, a: u64, b: u64, score: i32) {
        let [rows, columns] = [&self.frame.rows, &self.frame.columns];
        let is_single = [(rows, self.sizes[0]), (columns, self.sizes[1])].iter().all(|(range, size)| range.end - range.start == *size);
        let is_same = a == b && self.collection.b().is_none();
        if !rows.contains(&a) || !columns.contains(&b) || is_same && !is_single {
            return;
        }
        let place = |number: u64, range: &Range<u64>, size: u64| (number - range.start) * size / (range.end - range.start);
        let cell = place(a, rows, self.sizes[0]) * self.sizes[1] + place(b, columns, self.sizes[1]);
        let rank = self.similarity(a, b, score).unwrap_or_else(|| score.into());
        let cell = &mut self.cells[cell as usize];
        if cell.is_none_or(|(best, _)| rank > best) {
            *cell = Some((rank, score));
        }
    }

    fn similarity(&self, a: u64, b: u64, score: i32) -> Option<f64> {
        let [m, n] = [self.collection.a().member_len(a as usize), self.collection.columns().member_len(b as usize)];
        self.rule.similarity(score, m, n)
    }

    fn tile(self) -> CollectionTile {
        let TileFrame { rows, columns, .. } = self.frame;
        let width = self.sizes[1].max(1) as usize;
        let lines = || self.cells.chunks(width);
        let has_similarity = self.rule.task != Task::SequenceAlignment;
        let ranks = |line: &[Option<(f64, i32)>]| line.iter().map(|cell| cell.map(|(rank, _)| rank)).collect();
        CollectionTile {
            rows: TextRange { start: rows.start, end: rows.end },
            columns: TextRange { start: columns.start, end: columns.end },
            scores: lines().map(|line| line.iter().map(|cell| cell.map(|(_, score)| self.rule.number(score))).collect()).collect(),
            similarities: has_similarity.then(|| lines().map(ranks).collect()),
        }
    }
}

impl ResultReader {
    /// Returns the scores of the pairs in `frame`. If there are more pairs than cells, a cell has the most similar pair of its
    /// texts, or for alignments the pair with the greatest score. A cell without a kept pair is empty.
    ///
    /// # Errors
    /// Returns `NoResult` if the job is a search, `BadInput` if the frame is outside of the answer, `TooLarge` if it has more
    /// than 2²⁶ pairs or 2¹³ rows of an answer with all scores, and the errors of
    /// [`collection_texts`](Self::collection_texts).
    pub async fn collection_tile(
        &self,
        record: &StoredResult,
        stored: &StoredCollection,
        frame: TileFrame,
    ) -> Result<CollectionTile, ApiProblem> {
        let texts = self.collection_texts(record, stored).await?;
        let CollectionTexts::Pairs(collection) = &*texts else {
            return Err(ApiProblem::new(ProblemKind::NoResult, "A search has hits and no scores of pairs. Export its hits."));
        };
        check(collection, &frame)?;
        let rule = ScoreRule::new(record.snapshot.task, &record.snapshot.options);
        if stored.keep != KeptPairs::All {
            let pairs = self.member_pairs(record, stored, texts.clone()).await?;
            let is_mirrored = collection.b().is_none() && !matches!(stored.keep, KeptPairs::Nearest(_));
            return self.work(move || kept_tile(&texts, rule, &pairs, is_mirrored, &frame)).await;
        }
        let (got, limit) = ((frame.rows.end - frame.rows.start) * (frame.columns.end - frame.columns.start), MAX_TILE_PAIRS);
        if got > limit {
            let detail = format!("This tile has {got} pairs, and the limit is {limit}. Ask for fewer rows or columns.");
            return Err(ApiProblem::new(ProblemKind::TooLarge, detail).limit(limit, got));
        }
        let (got, limit) = (frame.rows.end - frame.rows.start, MAX_TILE_ROWS);
        if got > limit {
            let detail = format!("This tile has {got} rows, and the limit is {limit}. Ask for fewer rows.");
            return Err(ApiProblem::new(ProblemKind::TooLarge, detail).limit(limit, got));
        }
        let (results, stored) = (self.clone(), stored.clone());
        self.work(move || results.score_tile(&texts, rule, &stored, &frame)).await
    }

    /// Lists the kept pairs of members.
    async fn member_pairs(
        &self,
        record: &StoredResult,
        stored: &StoredCollection,
        texts: Arc<CollectionTexts>,
    ) -> Result<Arc<Vec<ScoredPair>>, ApiProblem> {
        let (keep, task) = (stored.keep, record.snapshot.task);
        let list = async {
            let result = self.collection_result(record, stored).await?;
            self.work(move || {
                let (CollectionTexts::Pairs(collection), CollectionResult::Pairs(answer)) = (&*texts, &*result) else {
                    return Err(ApiProblem::internal("a comparison of pairs has hits"));
                };
                Ok(Arc::new(answer.member_pairs(collection, task, keep, u64::MAX)?))
            })
            .await
        };
        cached(&self.collection_pairs, record.snapshot.id.clone(), || Ok(()), list).await
    }

    fn score_tile(
        &self,
        texts: &CollectionTexts,
        rule: ScoreRule,
        stored: &StoredCollection,
        frame: &TileFrame,
    ) -> Result<CollectionTile, ApiProblem> {
        let CollectionTexts::Pairs(collection) = texts else { return Err(ApiProblem::internal("a comparison of pairs has patterns")) };
        let mut cells = cells(collection, rule, frame);
        let distinct = collection.columns().distinct();
        let column = |member: &Member| (member.text - distinct.start) as u64;
        let columns: Vec<u64> = members(collection.columns().members(), &frame.columns).iter().map(column).collect();
        let (Some(first), Some(last)) = (columns.iter().min(), columns.iter().max()) else { return Ok(cells.tile()) };
        let read = *first..last + 1;
        for (a, member) in (frame.rows.start..).zip(members(collection.a().members(), &frame.rows)) {
            let row = member.text as u64;
            let part =
                stored.parts.iter().find(|part| part.rows.contains(&row)).ok_or_else(|| ApiProblem::internal("a row has no part"))?;
            let bytes = part::score_bytes(row - part.rows.start, &read, distinct.len() as u64);
            let scores = self.store.files.range(&part.file, bytes.start, bytes.end - bytes.start).map_err(ApiProblem::disk_failure)?;
            let scores = part::scores(&scores);
            for (b, column) in (frame.columns.start..).zip(&columns) {
                let score = scores.get((column - read.start) as usize).ok_or_else(|| ApiProblem::internal("a row is too short"))?;
                cells.add(a, b, *score);
            }
        }
        Ok(cells.tile())
    }
}

fn members<'m>(all: &'m [Member], range: &Range<u64>) -> &'m [Member] {
    &all[range.start as usize..range.end as usize]
}

fn cells<'t>(collection: &'t Collection, rule: ScoreRule, frame: &'t TileFrame) -> TileCells<'t> {
    let sizes = [&frame.rows, &frame.columns].map(|range| frame.size.min(range.end - range.start));
    TileCells { collection, rule, frame, sizes, cells: vec![None; (sizes[0] * sizes[1]) as usize] }
}

/// Returns the tile of an answer with the kept pairs `pairs` of members. If `is_mirrored`, each pair stands for both orders of
/// its members.
fn kept_tile(
    texts: &CollectionTexts,
    rule: ScoreRule,
    pairs: &[ScoredPair],
    is_mirrored: bool,
    frame: &TileFrame,
) -> Result<CollectionTile, ApiProblem> {
    let CollectionTexts::Pairs(collection) = texts else { return Err(ApiProblem::internal("a comparison of pairs has patterns")) };
    let mut cells = cells(collection, rule, frame);
    for pair in pairs {
        let (a, b) = (pair.a.into(), pair.b.into());
        cells.add(a, b, pair.score);
        if is_mirrored {
            cells.add(b, a, pair.score);
        }
    }
    Ok(cells.tile())
}

/// Checks that all texts of `frame` exist.
fn check(collection: &Collection, frame: &TileFrame) -> Result<(), ApiProblem> {
    let sides = [("rows", &frame.rows, collection.a()), ("columns", &frame.columns, collection.columns())];
    for (name, range, side) in sides {
        let texts = side.members().len() as u64;
        if range.start >= range.end || range.end > texts {
            let detail = format!("{name} is {}..{}. It must be a range within 0..{texts}.", range.start, range.end);
            return Err(ApiProblem::new(ProblemKind::BadInput, detail));
        }
    }
    Ok(())
}
