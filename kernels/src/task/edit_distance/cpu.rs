//! The fast engine on the CPU: bit-parallel words in SIMD lanes, inside a diagonal band of the matrix, with an
//! alignment in linear memory.
//!
//! Takes O(|a| · d / lanes·64) time for a distance d. A first sweep in a narrow band gives an upper bound of the
//! distance, because all its values are costs of real edit scripts. A band as wide as this bound contains an optimal
//! path (Ukkonen 1985). If the bound is much greater than expected, the band grows by a constant factor instead. A
//! common prefix and a common suffix never cost an edit and are cut off first.
//!
//! - [`word`]: the shorter text fits a word of 64 symbols, or a few words
//! - [`diagonal`]: few edits in texts of any length
//! - `slanted`: a moderate number of edits, in a band that is a few vectors wide
//! - [`guess`]: a first upper bound for long texts that are similar
//! - [`short_pairs`]: two short strings, for callers that compare many pairs
//!
//! The [recurrence](MyersRecurrence) runs on the words of a [wavefront](crate::pair::cpu).

use crate::alignment::{Alignment, CigarOp, EditKind};
use crate::base_set::SymbolMatch;
use crate::cpu::{self, Cpu};
use crate::event::{PartialAnswer, RunStage};
use crate::failure::JobFailure;
use crate::pair::common_symbols::{self, PairCost};
use crate::pair::cpu::affix::CommonAffix;
use crate::pair::cpu::grid::StripGrid;
use crate::pair::cpu::recurrence::unit_cost::MyersRecurrence;
use crate::pair::cpu::tiling::Tiling;
use crate::pair::cpu::{BitPlanes, KnownDistance, NearEqualAttempt, WORD};
pub(super) use crate::pair::cpu::{PairOutput, PairRequest};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

mod diagonal;
mod guess;
pub mod short_pairs;
#[cfg(not(target_family = "wasm"))]
mod slanted;
mod word;

/// Maximum length of the longer text if an alignment is computed with the shorter text in one machine word. This takes
/// 16 bytes per symbol of the longer text.
const MAX_WORD_ALIGNMENT_TEXT: usize = 1 << 20;

/// Returns the number of edits up to which [`diagonal`] searches. The texts have the lengths `m` ≤ `n`.
pub(crate) fn few_edits(m: usize, n: usize) -> u64 {
    diagonal::most(m, n) as u64
}

/// Minimum length of the shorter text at which a second thread prepares the texts. For shorter texts, the start of a
/// thread would take longer.
const MIN_THREADED_TEXT: usize = 1 << 16;

/// Maximum length of the longer text of a pair that [`short`] solves.
const MAX_SHORT_TEXT: usize = 1024;

/// Computes the distance of two byte strings, of which `pattern` has at most 64 bytes. Allocates no memory. Takes O(|text|)
/// time.
pub(super) fn word_distance(pattern: &[u8], text: &[u8]) -> u64 {
    if pattern.is_empty() { text.len() as u64 } else { word::distance(pattern, text, 1 << u8::BITS) }
}

/// Computes the distance of two short texts, the shorter of which fits a machine word. Returns `None` for other texts.
/// Unlike [`solve`], avoids all overhead that matters to a call of some nanoseconds. Symbols are below `alphabet`.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn short<T: Symbol>(a: &[T], b: &[T], alphabet: u32, run: &Run) -> Result<Option<u64>, Halt> {
    let Some((short, long)) = ordered_if_short(a, b, alphabet) else { return Ok(None) };
    run.stage(RunStage::Compute)?;
    let distance = word::distance(short, long, alphabet);
    run.tick(a.len() as u64 * b.len() as u64)?;
    Ok(Some(distance))
}

/// Computes an optimal alignment of two short texts, the shorter of which fits a machine word. Returns `None` for other
/// texts, like [`short`]. Symbols are below `alphabet`.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn short_alignment<T: Symbol>(a: &[T], b: &[T], alphabet: u32, run: &Run) -> Result<Option<Alignment>, Halt> {
    let Some((short, long)) = ordered_if_short(a, b, alphabet) else { return Ok(None) };
    run.stage(RunStage::Compute)?;
    run.hold(16 * long.len() as u64);
    let forwards = word::align(short, long, alphabet).into_iter().rev();
    let is_swapped = a.len() > b.len();
    let alignment =
        Alignment::new(forwards.map(|CigarOp { edit, len }| CigarOp { edit: if is_swapped { edit.swapped() } else { edit }, len }));
    run.tick(a.len() as u64 * b.len() as u64)?;
    Ok(Some(alignment))
}

/// Returns the shorter and the longer of two short texts if the shorter one is not empty and fits a machine word.
/// Returns `None` for other texts, and if `alphabet` exceeds 256.
#[inline]
fn ordered_if_short<'t, T: Symbol>(a: &'t [T], b: &'t [T], alphabet: u32) -> Option<(&'t [T], &'t [T])> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    (!short.is_empty() && short.len() <= WORD && long.len() <= MAX_SHORT_TEXT && alphabet <= 256).then_some((short, long))
}

/// Computes the distance of `a` and `b`, whose symbols are below `alphabet`, and an optimal alignment if `request`
/// contains it. If the distance exceeds the limit in `request`, returns a number above the limit, and no alignment unless
/// finding it took no time, as soon as this is certain. Takes O(|b| · limit / 64) word operations for texts of the
/// lengths |a| ≤ |b|.
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
    match solve_few_edits(a, b, alphabet, request, run)? {
        NearEqualAttempt::Solved(found) => Ok(found),
        NearEqualAttempt::Far(about) => solve_many_edits([a, b], alphabet, about, request, cpu, run),
    }
}

/// Solves like [`solve`] if the texts differ in few edits. Otherwise returns an estimate of the distance, for
/// [`solve_many_edits`]. Symbols may be of any alphabet below `bound`, with gaps between their numbers.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve_few_edits<T: Symbol>(
    a: &[T],
    b: &[T],
    bound: u32,
    request: PairRequest,
    run: &Run,
) -> Result<NearEqualAttempt<(u64, Option<Alignment>)>, Halt> {
    run.stage(RunStage::Compute)?;
    let (ends, a, b) = CommonAffix::cut(a, b);
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let is_limited = request.limit.is_some_and(|limit| (long.len() - short.len()) as u64 > limit);
    if short.len() <= WORD || word::suits(short.len(), long.len(), bound) || is_limited {
        return Ok(NearEqualAttempt::Far(None));
    }
    Ok(match diagonal::solve(short, long, request, run)? {
        NearEqualAttempt::Solved((distance, alignment)) => {
            let alignment = alignment.map(|middle| if a.len() <= b.len() { middle } else { middle.swapped() });
            NearEqualAttempt::Solved((distance, alignment.map(|middle| ends.around(middle))))
        }
        NearEqualAttempt::Far(about) => NearEqualAttempt::Far(about),
    })
}

/// Solves `texts` like [`solve`], after [`solve_few_edits`] has returned the estimate `about` of their distance.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve_many_edits<T: Symbol>(
    [a, b]: [&[T]; 2],
    alphabet: u32,
    about: Option<u64>,
    request: PairRequest,
    cpu: &Cpu,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    solve_between_ends(a, b, |a, b| ordered([a, b], alphabet, about, request, cpu, run))
}

/// Solves like [`solve`], for two texts of which the shorter one fits a machine word after their common prefix and
/// suffix are cut off.
///
/// # Errors
/// Returns an error if the run is stopped or the shorter text does not fit a word.
pub(super) fn solve_word<T: Symbol>(
    a: &[T],
    b: &[T],
    alphabet: u32,
    want: PairOutput,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    let of_word =
        |a: &[T], b: &[T]| by_word(a, b, alphabet, want, run)?.ok_or_else(|| JobFailure::engine("These texts are too long.").into());
    run.stage(RunStage::Compute)?;
    solve_between_ends(a, b, of_word)
}

/// The distance of two texts, and an optimal alignment if one was requested.
type DistanceResult = Result<(u64, Option<Alignment>), Halt>;

/// Cuts the common prefix and suffix off `a` and `b`, and calls `solve` with the remaining texts, the shorter one
/// first. Adds prefix and suffix to the alignment.
fn solve_between_ends<T: Symbol>(a: &[T], b: &[T], solve: impl Fn(&[T], &[T]) -> DistanceResult) -> DistanceResult {
    let (ends, a, b) = CommonAffix::cut(a, b);
    let middle = if a.len() <= b.len() {
        solve(a, b)?
    } else {
        let (distance, alignment) = solve(b, a)?;
        (distance, alignment.map(Alignment::swapped))
    };
    let (distance, Some(middle)) = middle else { return Ok(middle) };
    Ok((distance, Some(ends.around(middle))))
}

/// Solves like [`solve`] if `a` fits one or a few machine words. Returns `None` otherwise. `a` must not be longer than
/// `b`.
fn by_word<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: PairOutput, run: &Run) -> Result<Option<(u64, Option<Alignment>)>, Halt> {
    if a.is_empty() {
        let mut alignment = Alignment::default();
        alignment.push(EditKind::Insert, b.len() as u64);
        return Ok(Some((b.len() as u64, (want == PairOutput::Alignment).then_some(alignment))));
    }
    if want == PairOutput::Distance && word::suits(a.len(), b.len(), alphabet) {
        return Ok(Some((word::distance_of_long(a, b, alphabet, run)?, None)));
    }
    if a.len() <= WORD && b.len() <= MAX_WORD_ALIGNMENT_TEXT {
        run.hold(16 * b.len() as u64);
        let alignment = Alignment::new(word::align(a, b, alphabet).into_iter().rev());
        run.tick(a.len() as u64 * b.len() as u64)?;
        return Ok(Some((alignment.summary().distance(), Some(alignment))));
    }
    Ok(None)
}

/// Solves like [`solve`], by the fastest method for a distance of probably `about`. `a` must not be longer than `b`.
fn ordered<T: Symbol>([a, b]: [&[T]; 2], alphabet: u32, about: Option<u64>, request: PairRequest, cpu: &Cpu, run: &Run) -> DistanceResult {
    let PairRequest { want, limit } = request;
    let longer = (b.len() - a.len()) as u64;
    if limit.is_some_and(|limit| longer > limit) {
        return Ok((longer, None));
    }
    if let Some(found) = by_word(a, b, alphabet, want, run)? {
        return Ok(found);
    }
    if let Some(found) = common_symbols::solve(a, b, alphabet, PairCost::EditDistance, want == PairOutput::Alignment) {
        return Ok(found);
    }
    #[cfg(not(target_family = "wasm"))]
    let known = match slanted::solve([a, b], alphabet, about, request, cpu, run)? {
        NearEqualAttempt::Solved(found) => return Ok(found),
        NearEqualAttempt::Far(bound) => bound,
    };
    #[cfg(target_family = "wasm")]
    let known: Option<u64> = None;
    // Rows belong to the longer text, so that padding to whole tiles wastes the least.
    let threads = if a.len() < MIN_THREADED_TEXT { 1 } else { cpu.threads };
    let planes = || BitPlanes::new_with_checks(b, a, SymbolMatch::Equal, &mut || run.tick(0));
    let (planes, bound) = cpu::both(threads, planes, || guess::bound(b, a, run));
    let bound = bound?.into_iter().chain(known).min();
    let known = KnownDistance { bound, about, limit };
    let grid = StripGrid::of((b, a), planes?, Tiling::fitting::<MyersRecurrence, 2>(a.len(), want, bound), cpu.threads);
    let (distance, alignment) = banded(&grid, want, known, run)?;
    Ok((distance, alignment.map(Alignment::swapped)))
}

/// Solves the matrix of `grid` in diagonal bands of growing width, and reports bounds of the distance to the run.
/// `known` holds an upper bound and an estimate of the distance, as far as earlier searches found them. Returns the
/// distance, and an optimal alignment if `want` requests it.
fn banded<T: Symbol>(
    grid: &StripGrid<T, MyersRecurrence, 2>,
    want: PairOutput,
    known: KnownDistance,
    run: &Run,
) -> Result<(u64, Option<Alignment>), Halt> {
    grid.solve(want, known, &|at_least, at_most| PartialAnswer::Bounds { at_least, at_most }, run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{mutated, random};
    use crate::pair::cpu::band::Band;
    use crate::pair::cpu::border::StripBorder;
    use crate::pair::cpu::sweep::KeptBorders;
    use crate::run::NoObserver;

    /// Every strip begins at column 0, and more threads than cores delay some strips.
    #[test]
    fn threads_wait_for_the_value_of_the_strip_above() {
        let rows = random(b"ACGT", 60_000, 1);
        let columns = random(b"ACGT", 600, 2);
        let once = banded(
            &StripGrid::new(&rows, &columns, Tiling::LOW, 1),
            PairOutput::Distance,
            KnownDistance::default(),
            &Run::new(&NoObserver),
        )
        .unwrap();
        for _ in 0..20 {
            assert_eq!(
                banded(
                    &StripGrid::new(&rows, &columns, Tiling::LOW, 8),
                    PairOutput::Distance,
                    KnownDistance::default(),
                    &Run::new(&NoObserver)
                )
                .unwrap(),
                once
            );
        }
    }

    /// If not all borders are kept, groups of strips, and groups within groups, are swept again.
    #[test]
    fn little_memory_gives_the_same_alignment() {
        let long = random(b"ACGT", 160_000, 1);
        let short = random(b"ACGT", 130, 2);
        let middle = random(b"ACGT", 10_000, 3);
        for (a, b) in [(&long, &short), (&middle, &mutated(&middle, b"ACGT", 0.3, 4)), (&middle, &random(b"ACGT", 9000, 5))] {
            let mut grid = StripGrid::new(a, b, Tiling::LOW, 2);
            let run = Run::new(&NoObserver);
            let (distance, expected) = banded(
                &grid,
                PairOutput::Alignment,
                KnownDistance { bound: guess::bound(a, b, &run).unwrap(), ..KnownDistance::default() },
                &run,
            )
            .unwrap();
            let once = run.cells();
            grid.borders_bytes = 1000;
            let run = Run::new(&NoObserver);
            assert_eq!(
                banded(
                    &grid,
                    PairOutput::Alignment,
                    KnownDistance { bound: guess::bound(a, b, &run).unwrap(), ..KnownDistance::default() },
                    &run
                )
                .unwrap(),
                (distance, expected.clone())
            );
            assert!(run.cells() > once, "nothing was swept again");
            let alignment = expected.unwrap();
            assert_eq!(alignment.check(a, b), Ok(()));
            assert_eq!(alignment.summary().distance(), distance);
        }
    }

    /// A distance above the limit is found without its exact value, and mostly without its cells.
    #[test]
    fn limit_of_a_job_ends_the_search_early() {
        let a = random(b"ACGT", 30_000, 1);
        for b in [mutated(&a, b"ACGT", 0.1, 2), random(b"ACGT", 30_000, 3)] {
            let solve = |want, limit| {
                let run = Run::new(&NoObserver);
                let solved = solve(&a, &b, 256, PairRequest { want, limit }, &Cpu { threads: 2 }, &run).unwrap();
                (solved, run.cells())
            };
            let ((distance, _), whole) = solve(PairOutput::Distance, None);
            for limit in [0, 10, 400, 1_000, distance / 2, distance - 1] {
                for want in [PairOutput::Distance, PairOutput::Alignment] {
                    let ((above, _), cells) = solve(want, Some(limit));
                    assert!(above > limit, "{above} is not above {limit}");
                    let most = if limit <= 1_000 { whole / 2 } else { whole + whole / 4 };
                    assert!(cells < most, "{cells} of {whole} cells for the limit {limit} of {distance}");
                }
            }
            for limit in [distance, distance + 1, 2 * distance, u64::MAX] {
                let ((found, alignment), _) = solve(PairOutput::Alignment, Some(limit));
                assert_eq!((found, alignment.map(|alignment| alignment.check(&a, &b))), (distance, Some(Ok(()))), "{limit}");
            }
            let (_, cells) = solve(PairOutput::Distance, Some(400));
            assert!(cells < 8_000_000, "{cells} cells");
        }
    }

    /// Checks that cells are left out, because answers alone cannot show it.
    #[test]
    fn limit_excludes_cells() {
        let a = random(b"ACGT", 30_000, 1);
        let b = mutated(&a, b"ACGT", 0.15, 2);
        let grid = StripGrid::<u8, MyersRecurrence, 2>::new(&a, &b, Tiling::LOW, 1);
        let solve = |known| {
            let run = Run::new(&NoObserver);
            let part = |at_least, at_most| PartialAnswer::Bounds { at_least, at_most };
            let (distance, _) =
                grid.solve(PairOutput::Distance, KnownDistance { bound: Some(known), ..KnownDistance::default() }, &part, &run).unwrap();
            (distance, run.cells())
        };
        let (distance, _) = solve(30_000);
        let whole = Run::new(&NoObserver);
        let band = Band::for_edits(distance, a.len(), b.len());
        grid.sweep(0..grid.strips(), StripBorder::top(), band, b.len(), KeptBorders::Nothing, &whole).unwrap();
        let (again, cells) = solve(distance);
        assert_eq!(again, distance);
        assert!(3 * cells < 2 * whole.cells(), "{cells} of {} cells", whole.cells());
    }

    /// The corridor leaves out only cells that no optimal alignment needs, on any number of threads and in groups of
    /// strips.
    #[test]
    fn limit_does_not_change_the_result() {
        let random = |len, seed| random(b"ACGT", len, seed);
        let (a, other) = (random(14_000, 1), random(9_000, 2));
        let edited = mutated(&a, b"ACGT", 0.15, 3);
        let moved = [&a[6000..], &a[..6000]].concat();
        let gap = [&edited[..5000], &other[..1300], &edited[5000..]].concat();
        let repeats: Vec<u8> = b"ACGTTGCAAC".iter().copied().cycle().take(12_000).collect();
        let changed = mutated(&repeats, b"ACGT", 0.12, 4);
        let ends = [&other[..1200], &edited[..9000], &other[1200..2500]].concat();
        for b in [&edited, &moved, &gap, &other, &ends, &changed, &repeats] {
            let whole = StripGrid::<u8, MyersRecurrence, 2>::new(&a, b, Tiling::LOW, 1);
            let everything = Band::for_edits(u64::MAX / 4, a.len(), b.len());
            let expected = whole
                .sweep(0..whole.strips(), StripBorder::top(), everything, b.len(), KeptBorders::Nothing, &Run::new(&NoObserver))
                .unwrap()
                .corner;
            for (tiling, threads, bytes) in [
                (Tiling::LOW, 1, 1 << 20),
                (Tiling::LOW, 5, 1 << 20),
                (Tiling::fitting::<MyersRecurrence, 2>(a.len(), PairOutput::Alignment, None), 2, 1 << 20),
                (Tiling::fitting::<MyersRecurrence, 2>(1 << 20, PairOutput::Alignment, Some(1)), 2, 1 << 20),
                (Tiling::LOW, 2, 1000),
            ] {
                let mut grid = StripGrid::<u8, MyersRecurrence, 2>::new(&a, b, tiling, threads);
                grid.borders_bytes = bytes;
                let bounds = [None, Some(expected), Some(expected + 300), Some(a.len().max(b.len()) as u64)];
                let bounds = bounds.map(|bound| KnownDistance { bound, ..KnownDistance::default() });
                let abouts =
                    [expected / 2, expected, 2 * expected].map(|about| KnownDistance { about: Some(about), ..KnownDistance::default() });
                for known in bounds.into_iter().chain(abouts) {
                    let run = Run::new(&NoObserver);
                    let part = |at_least, at_most| PartialAnswer::Bounds { at_least, at_most };
                    let (distance, alignment) = grid.solve(PairOutput::Alignment, known, &part, &run).unwrap();
                    assert_eq!(distance, expected, "{tiling:?}, {threads} threads, known {known:?}");
                    let alignment = alignment.unwrap();
                    assert_eq!(alignment.check(&a, b), Ok(()));
                    assert_eq!(alignment.summary().distance(), expected);
                }
            }
        }
    }
}
