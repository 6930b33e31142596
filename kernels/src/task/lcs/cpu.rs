//! The fast engine on the CPU: bit-parallel words in SIMD lanes, inside a diagonal band of the matrix, with the
//! subsequence in linear memory.
//!
//! All computations use the distance by insertions and deletions, D = m + n − 2 L, where L is the length of the
//! subsequence. The proofs about bands for the edit distance therefore hold for D as well. Near-equal texts take O(m +
//! n + D²) time, others O((m + n) · D / lanes·64).
//!
//! - [`word`]: the shorter text fits a word of 64 symbols
//! - [`greedy`]: near-equal texts
//!
//! The [recurrence](HyyroRecurrence) runs on the words of a [wavefront](crate::pair::cpu).

use crate::alignment::{Alignment, EditKind};
use crate::cpu::Cpu;
use crate::event::{PartialAnswer, RunStage};
use crate::pair::common_symbols::{self, PairCost};
use crate::pair::cpu::affix::CommonAffix;
use crate::pair::cpu::grid::StripGrid;
use crate::pair::cpu::recurrence::lcs::HyyroRecurrence;
use crate::pair::cpu::tiling::Tiling;
use crate::pair::cpu::{KnownDistance, NearEqualAttempt, PairOutput, PairRequest, WORD};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

mod greedy;
mod word;

/// Maximum length of the longer text if an alignment is computed with the shorter text in one machine word. This takes
/// 8 bytes per symbol of the longer text.
const MAX_WORD_LCS_TEXT: usize = 1 << 20;

/// Returns the number of insertions and deletions up to which [`greedy`] searches. `n` is the length of the longer
/// text.
pub(super) fn few_edits(_: usize, n: usize) -> u64 {
    greedy::limit(n) as u64
}

/// Computes the length of the longest common subsequence of `a` and `b`, whose symbols are below `alphabet`, and an
/// optimal alignment if `request` contains it. The limit in `request` is that of the distance D. If D exceeds the limit,
/// returns a length whose distance exceeds it too, and no alignment unless finding it took no time, as soon as this is
/// certain.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve<T: Symbol>(
    a: &[T],
    b: &[T],
    alphabet: u32,
    request: PairRequest,
    cpu: &Cpu,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    run.stage(RunStage::Compute)?;
    let (ends, a, b) = CommonAffix::cut(a, b);
    let equal = (ends.prefix + ends.suffix) as u64;
    let PairRequest { want, limit } = request;
    let middle = LcsParameters { alphabet, want, limit, cpu, equal, run };
    let (length, alignment) = if a.len() <= b.len() {
        middle.solve(a, b)?
    } else {
        let (length, alignment) = middle.solve(b, a)?;
        (length, alignment.map(Alignment::swapped))
    };
    Ok((equal + length, alignment.map(|alignment| ends.around(alignment))))
}

/// Parameters for solving two texts after their common prefix and suffix have been cut off.
struct LcsParameters<'r> {
    alphabet: u32,
    want: PairOutput,
    /// Greatest distance of interest, if any.
    limit: Option<u64>,
    cpu: &'r Cpu,
    /// Number of symbols in the common prefix and suffix, which are part of the subsequence.
    equal: u64,
    run: &'r Run<'r>,
}

impl LcsParameters<'_> {
    /// Solves like [`solve`], by the fastest method. `a` must not be longer than `b`. The returned length does not
    /// include `equal`.
    fn solve<T: Symbol>(&self, a: &[T], b: &[T]) -> Result<(u64, Option<Alignment>), Halt> {
        let (m, n) = (a.len(), b.len());
        let wanted = self.want == PairOutput::Alignment;
        if a.is_empty() {
            let mut alignment = Alignment::default();
            alignment.push(EditKind::Insert, n as u64);
            return Ok((0, wanted.then_some(alignment)));
        }
        if m <= WORD && (!wanted || n <= MAX_WORD_LCS_TEXT) {
            return self.word(a, b);
        }
        if let Some(found) = common_symbols::solve(a, b, self.alphabet, PairCost::Subsequence, wanted) {
            return Ok(found);
        }
        let length = |distance: u64| (m as u64 + n as u64).saturating_sub(distance) / 2;
        let about = match greedy::solve(a, b, greedy::limit(n), self.run)? {
            NearEqualAttempt::Solved((distance, alignment)) => return Ok((length(distance), wanted.then_some(alignment))),
            NearEqualAttempt::Far(about) => about,
        };
        // Rows belong to the longer text, so that padding to whole tiles wastes the least.
        let grid: StripGrid<T, HyyroRecurrence, 1> =
            StripGrid::new(b, a, Tiling::fitting::<HyyroRecurrence, 1>(m, self.want, None), self.cpu.threads);
        let (distance, alignment) = self.banded(&grid, about)?;
        Ok((length(distance), alignment.map(Alignment::swapped)))
    }

    /// Solves the matrix of `grid` in diagonal bands of growing width. `about` is an estimate of the distance by
    /// insertions and deletions, if known. Returns this distance, and an optimal alignment if one is requested.
    fn banded<T: Symbol>(&self, grid: &StripGrid<T, HyyroRecurrence, 1>, about: Option<u64>) -> Result<(u64, Option<Alignment>), Halt> {
        let symbols = (grid.a.len() + grid.b.len()) as u64;
        let length = |distance: u64| self.equal + symbols.saturating_sub(distance) / 2;
        let bounds = |least, most| PartialAnswer::Bounds { at_least: length(most), at_most: length(least) };
        grid.solve(self.want, KnownDistance { bound: None, about, limit: self.limit }, &bounds, self.run)
    }

    fn word<T: Symbol>(&self, a: &[T], b: &[T]) -> Result<(u64, Option<Alignment>), Halt> {
        match self.want {
            PairOutput::Distance => Ok((word::length(a, b, self.alphabet, self.run)?, None)),
            PairOutput::Alignment => {
                let alignment = word::align(a, b, self.alphabet, self.run)?;
                Ok((alignment.summary().matches, Some(alignment)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{bytes, mutated, random, serial};
    use crate::run::NoObserver;

    fn with<T>(threads: usize, solve: impl FnOnce(&LcsParameters) -> T) -> T {
        let (cpu, run) = (Cpu { threads }, Run::new(&NoObserver));
        solve(&LcsParameters { alphabet: 256, want: PairOutput::Alignment, limit: None, cpu: &cpu, equal: 0, run: &run })
    }

    fn distance(a: &[u8], b: &[u8]) -> u64 {
        (a.len() + b.len()) as u64 - 2 * serial::lcs::align(&bytes(a, b)).0
    }

    #[test]
    fn lengths_around_words_and_strips_agree_for_every_height() {
        for height in [1, 1000, 100_000].map(|symbols| Tiling::fitting::<HyyroRecurrence, 1>(symbols, PairOutput::Distance, None)) {
            for rows in [1, 63, 64, 65, 511, 512, 513, 1025, 2047, 2048, 2049] {
                for columns in [1, 63, 65, 500, 1023, 1024, 1025] {
                    let a = random(b"ACGT", rows, 1);
                    let b = [&mutated(&a, b"ACGT", 0.1, 2)[..], &random(b"ACGT", columns, 3)].concat();
                    let b = &b[b.len() - columns..];
                    let (found, alignment) = with(2, |middle| middle.banded(&StripGrid::new(&a, b, height, 2), None)).unwrap();
                    assert_eq!(found, distance(&a, b), "{height:?}, {rows} by {columns}");
                    let alignment = alignment.unwrap();
                    assert_eq!(alignment.check(&a, b), Ok(()), "{height:?}, {rows} by {columns}");
                    assert_eq!((alignment.summary().distance(), alignment.summary().mismatches), (found, 0));
                }
            }
        }
    }

    /// Every strip begins at column 0, and more threads than cores delay some strips.
    #[test]
    fn threads_wait_for_the_value_of_the_strip_above() {
        let (rows, columns) = (random(b"ACGT", 60_000, 1), random(b"ACGT", 600, 2));
        let solve = |threads| with(threads, |middle| middle.banded(&StripGrid::new(&rows, &columns, Tiling::LOW, threads), None).unwrap());
        let once = solve(1);
        for _ in 0..20 {
            assert_eq!(solve(8), once);
        }
    }

    /// If not all borders are kept, groups of strips, and groups within groups, are swept again.
    #[test]
    fn little_memory_gives_the_same_alignment() {
        let middle = random(b"ACGT", 10_000, 3);
        let long = random(b"ACGT", 160_000, 1);
        for (a, b) in
            [(&long, &random(b"ACGT", 130, 2)), (&middle, &mutated(&middle, b"ACGT", 0.3, 4)), (&middle, &random(b"ACGT", 9000, 5))]
        {
            let mut grid = StripGrid::new(a, b, Tiling::LOW, 2);
            let (found, expected) = with(2, |middle| middle.banded(&grid, None)).unwrap();
            grid.borders_bytes = 1000;
            assert_eq!(with(2, |middle| middle.banded(&grid, None)).unwrap(), (found, expected.clone()));
            let alignment = expected.unwrap();
            assert_eq!(alignment.check(a, b), Ok(()));
            assert_eq!(alignment.summary().distance(), found);
        }
    }

    #[test]
    fn reported_bounds_enclose_the_length() {
        struct Bounds(std::sync::Mutex<Vec<(u64, u64)>>);
        impl crate::run::Observer for Bounds {
            fn on_signal(&self, signal: crate::event::RunSignal) -> std::ops::ControlFlow<()> {
                if let crate::event::RunSignal::Partial(PartialAnswer::Bounds { at_least, at_most }) = signal {
                    self.0.lock().unwrap().push((at_least, at_most));
                }
                std::ops::ControlFlow::Continue(())
            }
        }
        let (a, b) = (random(b"ACGT", 30_000, 1), random(b"ACGT", 30_000, 2));
        let around = |text: &[u8]| [b"same", text, b"end"].concat();
        let observer = Bounds(std::sync::Mutex::default());
        let (length, _) = solve(&around(&a), &around(&b), 256, PairOutput::Distance.into(), &Cpu::SINGLE, &Run::new(&observer)).unwrap();
        let bounds = observer.0.into_inner().unwrap();
        assert!(bounds.len() > 1, "{bounds:?}");
        assert!(bounds.iter().all(|&(least, most)| (least..=most).contains(&length)), "{bounds:?} around {length}");
        assert_eq!(bounds.last(), Some(&(length, length)));
    }
}
