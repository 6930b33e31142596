//! A first upper bound of the distance for long texts that are similar: the cost of an alignment found by local
//! searches.
//!
//! Where two texts differ, short pieces of `a` are searched in `b` near the position at which they are expected. The
//! nearest match is assumed to correspond, and both texts are followed from there while they are equal. The parts
//! between two equal runs are aligned exactly. For random edits the bound is a few per cent above the distance, in
//! O(|a| + |b|) time. If no piece is found for long, there is no bound.

use super::word;
use crate::pair::cpu::WORD;
use crate::pair::sample::letters;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Minimum length of the shorter text for which an upper bound of the distance is computed. Shorter texts are solved in
/// one narrow band in any case.
const MIN_GUESSED_TEXT: usize = 4096;

/// Distance from the expected position within which the first piece is searched on both sides, in symbols. It doubles
/// after each piece that is not found.
const MIN_PIECE_REACH: usize = 4;

/// Maximum distance from the expected position within which a piece is searched on both sides, in symbols.
const MAX_PIECE_REACH: usize = 512;

/// Maximum number of consecutive pieces that are not found before the search for an upper bound is given up.
const MAX_MISSING_PIECES: usize = 48;

/// Number of positions at which the texts begin to differ, between two checks for a stop.
const PLACE_CHECK_INTERVAL: u32 = 1 << 12;

/// Returns the cost of some alignment of `a` and `b`, which is an upper bound of their distance. Returns `None` if a
/// text is short or the texts are hardly similar.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn bound<T: Symbol>(a: &[T], b: &[T], run: &Run) -> Result<Option<u64>, Halt> {
    if a.len().min(b.len()) < MIN_GUESSED_TEXT {
        return Ok(None);
    }
    let alphabet = a.iter().chain(b).map(|symbol| symbol.number()).max().unwrap_or(0).saturating_add(1);
    // Pieces hold about 24 bits, so that many contain no edit and few are found at wrong positions.
    match letters(a) {
        ..3.0 => bound_by_pieces::<T, 20>(a, b, alphabet, run),
        ..6.0 => bound_by_pieces::<T, 12>(a, b, alphabet, run),
        ..12.0 => bound_by_pieces::<T, 8>(a, b, alphabet, run),
        ..40.0 => bound_by_pieces::<T, 6>(a, b, alphabet, run),
        _ => bound_by_pieces::<T, 4>(a, b, alphabet, run),
    }
}

/// Computes the upper bound like [`bound`], with pieces of `PIECE` symbols. Symbols are below `alphabet`.
fn bound_by_pieces<T: Symbol, const PIECE: usize>(a: &[T], b: &[T], alphabet: u32, run: &Run) -> Result<Option<u64>, Halt> {
    let between = |a: &[T], b: &[T]| between(a, b, alphabet);
    let (mut i, mut j, mut cost) = (0, 0, 0);
    for parted in 0u32.. {
        if parted.is_multiple_of(PLACE_CHECK_INTERVAL) {
            run.tick(0)?;
        }
        let equal = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
        (i, j) = (i + equal, j + equal);
        let (next_i, next_j) = match meet::<T, PIECE>(&a[i..], &b[j..]) {
            MeetingPoint::At(di, dj) => (i + di, j + dj),
            MeetingPoint::End => return Ok(Some(cost + between(&a[i..], &b[j..]))),
            MeetingPoint::Nowhere => break,
        };
        cost += between(&a[i..next_i], &b[j..next_j]);
        (i, j) = (next_i, next_j);
    }
    Ok(None)
}

/// The next position at which two texts are probably equal again, after a position at which they differ.
enum MeetingPoint {
    /// The texts are equal after these numbers of symbols of the first and of the second text.
    At(usize, usize),
    /// A text ends before equal pieces are found.
    End,
    /// No equal pieces were found nearby, although the texts go on.
    Nowhere,
}

fn meet<T: Symbol, const PIECE: usize>(a: &[T], b: &[T]) -> MeetingPoint {
    let mut reach = MIN_PIECE_REACH;
    // Consecutive pieces start less than half a piece apart.
    let step = (5 * PIECE).div_ceil(12);
    for number in 0..MAX_MISSING_PIECES {
        // The first symbol differs, but after an insertion a piece that begins here may still follow.
        let at = if number == 0 { 0 } else { 1 + (number - 1) * step };
        let Some(piece) = a.get(at..at + PIECE) else { return MeetingPoint::End };
        if at >= b.len() {
            return MeetingPoint::End;
        }
        let equals = |place: &usize| b.get(*place..*place + PIECE) == Some(piece);
        let mut places = (0..=reach).flat_map(|away| [Some(at + away), at.checked_sub(away)]).flatten();
        if let Some(place) = places.find(equals) {
            return MeetingPoint::At(at, place);
        }
        reach = (2 * reach).min(MAX_PIECE_REACH);
    }
    MeetingPoint::Nowhere
}

/// Returns the cost of an alignment of `a` and `b`, whose symbols are below `alphabet`. It is the least cost if one of
/// the texts fits a machine word.
fn between<T: Symbol>(a: &[T], b: &[T], alphabet: u32) -> u64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    match short.len() {
        0 => long.len() as u64,
        1 => long.len() as u64 - u64::from(long.contains(&short[0])),
        2..=WORD if alphabet <= 256 => word::distance(short, long, alphabet),
        2..=WORD => word::distance_unnumbered(short, long),
        _ => long.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{bytes, mutated, random, serial};
    use crate::run::NoObserver;

    fn bound(a: &[u8], b: &[u8]) -> Option<u64> {
        super::bound(a, b, &Run::new(&NoObserver)).unwrap()
    }

    #[test]
    fn guess_is_an_upper_bound_close_to_the_distance() {
        for (seed, rate) in [(1, 0.01), (2, 0.05), (3, 0.1)] {
            let a = random(b"ACGT", 5000, seed);
            let b = mutated(&a, b"ACGT", rate, 7);
            let (distance, _) = serial::edit_distance::align(&bytes(&a, &b));
            let found = bound(&a, &b).unwrap();
            assert!((distance..=distance * 3 / 2 + 5).contains(&found), "{found} for {distance}");
        }
    }

    #[test]
    fn unrelated_and_short_texts_have_no_guess() {
        assert_eq!(bound(&random(b"ACGT", 5000, 1), &random(b"ACGT", 5000, 2)), None);
        assert_eq!(bound(&random(b"ACGT", 500, 1), &random(b"ACGT", 500, 1)), None);
    }

    #[test]
    fn guess_allows_texts_that_differ_at_their_ends() {
        let a = random(b"ACGT", 6000, 1);
        for (b, most) in [(a.clone(), 0), (a[..5000].to_vec(), 1000), ([&a[..], &random(b"ACGT", 400, 2)].concat(), 400)] {
            let found = bound(&a, &b).unwrap();
            assert!(found >= a.len().abs_diff(b.len()) as u64 && found <= most + 12, "{found}, not {most}");
        }
    }
}
