//! Effort: the expected work of a question, for a planner.

use std::ops::Range;

use super::{CELLS_PER_PAIR, CollectionQuestion};
use crate::collection::Collection;
use crate::collection::tile::PairScore;
use crate::job::Task;
use crate::plan::{EngineEffort, JobWork};

/// Number of cells with costs of 1 that take as long as a cell with other costs but without exchanges, on the processor and on a
/// GPU.
const COST_CELLS: [u64; 2] = [10, 8];

/// Number of cells with costs of 1 that take as long as a cell with exchanges and any costs, one pair at a time. Exchanges at
/// the cost of other edits take hardly more time than no exchanges.
const WEIGHTED_CELLS: u64 = 80;

/// Time of a GPU for a cell with exchanges, in tenths of its time for a cell without.
const EXCHANGE_TENTHS: u64 = 15;

/// Lower bound of the cells that a host computes in a nanosecond.
const HOST_CELLS_PER_NS: u64 = 1;

impl CollectionQuestion {
    /// Returns the work to compare all pairs of distinct texts: the number of cells in their matrices, and
    /// [`CELLS_PER_PAIR`] for each pair.
    pub fn cells(&self, collection: &Collection) -> u64 {
        let corpus = collection.corpus();
        let lens = |texts: Range<usize>| texts.map(|text| corpus.member_len(text) as u64);
        let sum = |texts: Range<usize>| lens(texts).fold(0, u64::saturating_add);
        let rows = collection.a().distinct();
        let (pairs, cells) = match collection.b() {
            Some(b) => ((rows.len() as u64) * b.distinct().len() as u64, sum(rows).saturating_mul(sum(b.distinct()))),
            None => {
                let squares = lens(rows.clone()).map(|len| len.saturating_mul(len)).fold(0, u64::saturating_add);
                let (all, count) = (sum(rows.clone()).saturating_mul(sum(rows.clone())), rows.len() as u64);
                match self.is_symmetric() {
                    true => (count * (count + 1) / 2, (all / 2).saturating_add(squares / 2)),
                    false => (count * count, all),
                }
            }
        };
        cells.saturating_add(pairs.saturating_mul(CELLS_PER_PAIR))
    }

    /// Returns the work of an engine for the question. Texts need not be sent to the engine.
    pub fn work(&self, collection: &Collection) -> JobWork {
        let corpus = collection.corpus();
        let longest = (0..corpus.len()).map(|text| corpus.member_len(text)).max().unwrap_or(0);
        let work = JobWork::from_cells(self.rule.task, self.cells(collection));
        let times = |each: u64| EngineEffort { cost_cells: work.cells.saturating_mul(each), ..work.cpu };
        let work = JobWork { symbols: longest as u64, alphabet: corpus.alphabet().into(), ..work };
        match &self.score {
            PairScore::Alignment(_) if self.rule.task == Task::EditDistance => {
                let [cpu, cuda] = COST_CELLS.map(times);
                JobWork { cpu, cuda, ..work }
            }
            PairScore::Weighted(_) => JobWork { cpu: times(WEIGHTED_CELLS), ..work }.on_host(HOST_CELLS_PER_NS),
            PairScore::StringAlignment => {
                let cost_cells = work.cells.saturating_mul(EXCHANGE_TENTHS) / 10;
                JobWork { cuda: EngineEffort { cost_cells, ..work.cuda }, ..work }
            }
            PairScore::EditDistance { .. } | PairScore::Lcs | PairScore::Alignment(_) => work,
        }
    }
}
