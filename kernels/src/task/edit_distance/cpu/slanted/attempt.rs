//! The attempt to find a distance in a [slanted band](super): which band, how often, and when tiles are faster ([`solve`]).

use super::{MAX_ALPHABET, SlantedBand};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::pair::cpu::{NearEqualAttempt, PairOutput, PairRequest};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Minimum number of symbols per edit at which a slanted band is traced.
const MIN_SYMBOLS_PER_TRACED_EDIT: u64 = 6;

/// Divisor of the expected distance. A slanted band proves 1 / `SLANTED_SLACK_DIVISOR` of the expected distance more edits.
const SLANTED_SLACK_DIVISOR: u64 = 8;

/// Minimum length of the shorter text at which the value of a slanted band is proven by the costs of other paths.
const MIN_PROVEN_TEXT: usize = 1 << 16;

/// Maximum size of an alphabet for which such a proof is faster than tiles, because symbols are compared by few bit planes.
const MAX_PROVEN_ALPHABET: u32 = 4;

/// Minimum number of symbols per edit at which such a proof is likely to succeed.
const MIN_SYMBOLS_PER_PROVEN_EDIT: u64 = 10;

/// Maximum memory of the kept columns of a slanted band, in bytes. Tiles keep as much at most.
const MAX_KEPT_BYTES: u64 = 192 << 20;

/// Maximum number of threads with which long texts are compared in a slanted band, which one thread computes. Tiles use more
/// threads.
const MAX_SLANTED_THREADS: usize = 2;

/// Maximum number of columns of a slanted band that is the whole matrix, because a word of rows reports no progress.
const MAX_WHOLE_COLUMNS: usize = 1 << 18;

/// Solves like [`super::super::solve`] in a slanted band if one proves the distance, which is probably `about`. Otherwise returns `Far` with
/// an upper bound of the distance, if one was found. `a` must not be longer than `b`, and neither may be empty.
pub(in super::super) fn solve<T: Symbol>(
    [a, b]: [&[T]; 2],
    alphabet: u32,
    about: Option<u64>,
    request: PairRequest,
    cpu: &Cpu,
    run: &Run,
) -> Result<NearEqualAttempt<(u64, Option<Alignment>)>, Halt> {
    let longer = (b.len() - a.len()) as u64;
    let expected = about.map_or(longer, |about| about + about / SLANTED_SLACK_DIVISOR).max(longer);
    // Between many edits, the traceback through tiles is faster.
    let is_dense = request.want == PairOutput::Alignment && expected > b.len() as u64 / MIN_SYMBOLS_PER_TRACED_EDIT;
    let is_threaded = cpu.threads > MAX_SLANTED_THREADS && a.len() >= MIN_PROVEN_TEXT;
    let is_suitable = alphabet <= MAX_ALPHABET && !is_dense && !is_threaded;
    let mut next = if is_suitable { SlantedBand::for_edits(expected, a.len(), b.len()) } else { None };
    let mut bound = None;
    while let Some(band) = next {
        // A limit below the edits that the band proves is decided in fewer cells by a band as wide as the limit.
        if about.is_none() && !band.is_whole() || request.limit.is_some_and(|limit| limit < band.proven() && !band.is_whole()) {
            break;
        }
        let band = band.expecting(expected);
        let keeps_too_much = request.want == PairOutput::Alignment && band.kept_bytes() > MAX_KEPT_BYTES;
        if keeps_too_much || band.is_whole() && b.len() > MAX_WHOLE_COLUMNS {
            break;
        }
        let solved = band.solve([a, b], alphabet, request.want, run)?;
        if solved.value <= band.proven() {
            let is_wanted = request.limit.is_none_or(|limit| solved.value <= limit);
            let alignment = if is_wanted { solved.alignment([a, b], run)? } else { None };
            return Ok(NearEqualAttempt::Solved((solved.value, alignment)));
        }
        bound = Some(solved.value);
        next = SlantedBand::for_edits(solved.value, a.len(), b.len());
    }
    let is_tried = is_suitable && alphabet <= MAX_PROVEN_ALPHABET && request.limit.is_none() && a.len() >= MIN_PROVEN_TEXT;
    let is_near = |edits: u64| edits <= a.len() as u64 / MIN_SYMBOLS_PER_PROVEN_EDIT;
    if bound.is_none()
        && is_tried
        && let Some(about) = about
        && is_near(about - about / SLANTED_SLACK_DIVISOR)
        && let Some(band) = SlantedBand::for_proof(a.len(), b.len())
        && band.kept_bytes() <= MAX_KEPT_BYTES
        && band.can_prove(about)
    {
        let solved = band.solve([a, b], alphabet, PairOutput::Alignment, run)?;
        if is_near(solved.value) && band.is_distance(&solved, [a, b], alphabet, run)? {
            let alignment = if request.want == PairOutput::Alignment { solved.alignment([a, b], run)? } else { None };
            return Ok(NearEqualAttempt::Solved((solved.value, alignment)));
        }
        bound = Some(solved.value);
    }
    Ok(NearEqualAttempt::Far(bound))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;
    use crate::run::NoObserver;

    #[test]
    fn bands_that_report_no_progress_or_use_one_of_many_threads_are_left_to_tiles() {
        let run = Run::new(&NoObserver);
        let tried = |m: usize, n: usize, about, threads| {
            let texts = [random(b"\x00\x01\x02\x03", m, 1), random(b"\x00\x01\x02\x03", n, 2)];
            let request = PairRequest { want: PairOutput::Distance, limit: None };
            matches!(solve([&texts[0], &texts[1]], 4, about, request, &Cpu { threads }, &run), Ok(NearEqualAttempt::Solved(_)))
        };
        assert!(tried(600, MAX_WHOLE_COLUMNS, None, 1) && !tried(600, MAX_WHOLE_COLUMNS + 1, None, 1));
        let same = random(b"\x00\x01\x02\x03", MIN_PROVEN_TEXT, 1);
        let request = PairRequest { want: PairOutput::Distance, limit: None };
        for (threads, is_solved) in [(MAX_SLANTED_THREADS, true), (MAX_SLANTED_THREADS + 1, false)] {
            let found = solve([&same, &same], 4, Some(500), request, &Cpu { threads }, &run);
            assert_eq!(matches!(found, Ok(NearEqualAttempt::Solved((0, None)))), is_solved, "{threads} threads");
        }
    }
}
