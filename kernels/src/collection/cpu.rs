//! The CPU engine of collections: computes the scores of a tile of pairs.

use super::Corpus;
use super::tile::{PairScore, Tile};
use crate::cpu::{Cpu, try_spread};
use crate::pair::cpu::PairOutput;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::sequence_alignment::engine as alignment;
use crate::task::{edit_distance, lcs};
use crate::with_corpus_symbols;

/// Computes the score of each pair of `tile`, row by row.
///
/// Reports the cells of the matrices of all pairs to `run`, at least once for each row.
///
/// # Errors
/// Returns `Stopped` if the run is stopped.
pub(crate) fn scores(corpus: &Corpus, tile: &Tile, score: &PairScore, cpu: &Cpu, run: &Run) -> Result<Vec<i32>, Halt> {
    let rows: Vec<usize> = tile.rows.clone().collect();
    let scores = with_corpus_symbols!(corpus, |symbols| try_spread(&rows, cpu.threads, |&row| {
        let of = |column| one(&symbols[corpus.range(row)], &symbols[corpus.range(column)], corpus.alphabet(), score, run);
        tile.columns.clone().map(of).collect::<Result<Vec<i32>, Halt>>()
    })?);
    Ok(scores.concat())
}

/// Computes the score of one pair by the engine of its task.
fn one<T: Symbol>(a: &[T], b: &[T], alphabet: u32, score: &PairScore, run: &Run) -> Result<i32, Halt> {
    let cpu = &Cpu::SINGLE;
    let number = match score {
        PairScore::EditDistance { .. } => edit_distance::distance(a, b, alphabet, cpu, run)? as i64,
        PairScore::Lcs => lcs::solve(a, b, alphabet, PairOutput::Distance.into(), cpu, run)?.0 as i64,
        PairScore::Alignment(model) => alignment::solve(a, b, model, PairOutput::Distance, cpu, run)?.score,
    };
    // Members and points are bounded, so that every score fits.
    Ok(number as i32)
}
