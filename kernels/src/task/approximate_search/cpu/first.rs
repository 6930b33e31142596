//! A first bound where none is given: pieces of the pattern that occur in the text show where the pattern may be near.
//!
//! A bound that is small beside the pattern leaves out most rows of the sweep. Looking for pieces costs little beside sweeping all rows
//! of a long pattern; the text around the most promising occurrences is swept for the distances that are really there.

use std::ops::Range;

use super::rows::{LANES, WORD};
use super::seeds::{self, Frequencies, GROUPS, SHORTEST, Scratch, Seeds};
use super::sweep::{Pieces, Query};
use crate::cpu::try_spread;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Shortest pattern whose sweep takes much longer than a look for its pieces.
const SHORTEST_PATTERN: usize = 256;

/// Symbols of the text for each one of the pattern: below, the looks around occurrences take too long.
const LONGER: usize = 256;

/// How often a piece may be expected to occur in the whole text by chance.
const BY_CHANCE: f64 = 0.02;

/// Positions between two looks whether to stop, and occurrences that are taken of them at most.
const PART: usize = 1 << 20;
const TAKEN: usize = 64;

/// A part of the pattern: how much longer or shorter than it a substring is expected to be at most.
const SLACK: usize = 8;

/// The distance at some end, where one is found that leaves out much of the sweep. Time O(n / lanes + m²).
///
/// # Errors
/// When the run is stopped.
pub(super) fn bound<T: Symbol>(query: &Query<T>, a: &[T], alphabet: u32, threads: usize, run: &Run) -> Result<Option<u64>, Halt> {
    let (m, n) = (a.len(), query.text.len());
    let b = query.text;
    if !seeds::are_quick() || m < SHORTEST_PATTERN || n / LONGER < m {
        return Ok(None);
    }
    let frequencies = Frequencies::of(b);
    let expected = BY_CHANCE / (GROUPS as f64 * n as f64);
    let piece = |at: usize| {
        let place = m * at / GROUPS..m * (at + 1) / GROUPS;
        frequencies.rare(&a[place.clone()], expected).map(|len| place.start..place.start + len.max(SHORTEST))
    };
    let places: Vec<Range<usize>> = (0..GROUPS).filter_map(piece).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let seeds = Seeds::new(a, &places, alphabet, &frequencies);
    let parts: Vec<Range<isize>> =
        (0..n).step_by(PART).map(|from| from as isize - if from == 0 { m as isize } else { 0 }..(from + PART) as isize).collect();
    let starts = try_spread(&parts, threads, |part| {
        run.tick(0)?;
        let mut starts = Vec::new();
        seeds.find(b, part.clone(), &mut Scratch::default(), |start| {
            if starts.len() < TAKEN {
                starts.push(start);
            }
        });
        Ok::<_, Halt>(starts)
    })?;
    let pieces = promising(starts.concat(), m, query.words());
    if pieces.iter().all(Range::is_empty) {
        return Ok(None);
    }
    let ends = query.pieces(&pieces, &mut |_, _| {
        run.tick(0)?;
        Ok(query.limit)
    })?;
    Ok(ends.iter().map(|ends| ends.bound).min().filter(|bound| *bound <= (m / 4) as u64))
}

/// The words in which ends may lie, where most pieces of the pattern occur as if it began there.
fn promising(mut starts: Vec<isize>, m: usize, words: usize) -> Pieces {
    let slack = m / SLACK;
    starts.sort_unstable();
    let mut places: Vec<&[isize]> = starts.chunk_by(|one, next| next - one <= slack as isize / 2).collect();
    places.sort_by_key(|starts| std::cmp::Reverse(starts.len()));
    std::array::from_fn::<_, LANES, _>(|lane| match places.get(lane).and_then(|starts| starts.first()) {
        Some(&start) => {
            let end = (start + m as isize).max(0) as usize;
            (end.saturating_sub(slack) / WORD).min(words)..((end + slack) / WORD + 1).min(words)
        }
        None => 0..0,
    })
}
