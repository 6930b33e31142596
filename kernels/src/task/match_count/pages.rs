//! What is looked at after a run: pages of hits, and the profile of any range of offsets.

use std::convert::Infallible;

use super::codes::Symbol;
use super::pattern::{Expected, Pattern};
use super::stream::Stream;
use super::sweep::offsets;
use crate::found::{Found, Hit, Profile, Span};

/// Offsets for each hit of a page up to which all of them are counted, which costs less than comparing at each hit alone.
const DENSE: u64 = 32;

/// The hits number `from..from + len`. Time O(|a|) a hit; O(1) where `distance` is known, the same for all of them.
pub(super) fn hits<T: Symbol>(a: &[T], b: &[T], found: &Found, from: u64, len: u64, distance: Option<u64>) -> Vec<Hit> {
    let m = a.len() as u64;
    let starts: Vec<u64> = found.positions.iter_from(from).take(usize::try_from(len).unwrap_or(usize::MAX)).collect();
    let hit = |start: u64, distance: u64| Hit { start, end: start + m, distance };
    if let Some(distance) = distance {
        return starts.into_iter().map(|start| hit(start, distance)).collect();
    }
    let (Some(&first), Some(&last)) = (starts.first(), starts.last()) else { return Vec::new() };
    if (last - first) / DENSE < starts.len() as u64 {
        let mut wanted = starts.iter().copied().peekable();
        let mut hits = Vec::with_capacity(starts.len());
        each(a, b, first, last + 1 - first, |start, score| {
            if wanted.next_if_eq(&start).is_some() {
                hits.push(hit(start, m - score));
            }
        });
        return hits;
    }
    let unequal = |start: u64| {
        let under = b.get(start as usize..).unwrap_or_default();
        // In parts whose counts fit a byte, which compilers bring into lanes.
        a.chunks(255).zip(under.chunks(255)).map(|(a, b)| u64::from(a.iter().zip(b).fold(0u8, |sum, (x, y)| sum + u8::from(x != y)))).sum()
    };
    starts.into_iter().map(|start| hit(start, unequal(start))).collect()
}

/// The scores at the offsets `from..from + len` in `points` spans at most, equal in width but for the last. Spans of the kept
/// profile are joined; where a wanted span begins or ends inside of a kept one, that part is counted again: at most the
/// offsets of one kept span for each border of a wanted one, and never more than the range has.
pub(super) fn profile<T: Symbol>(a: &[T], b: &[T], kept: &Profile, from: u64, len: u64, points: usize) -> Vec<Span> {
    let all = offsets(a.len(), b.len());
    let from = from.min(all);
    let len = len.min(all - from);
    let width = len.div_ceil(points.max(1) as u64).max(1);
    let mut spans = vec![Span::EMPTY; len.div_ceil(width) as usize];
    let span_at = |offset: u64| ((offset - from) / width) as usize;
    // Neighbouring parts that are counted again are counted together.
    let mut again: Vec<(u64, u64)> = Vec::new();
    let mut at = from;
    while at < from + len {
        let number = at / kept.width;
        let end = ((number + 1) * kept.width).min(from + len);
        let whole = kept.spans.get(number as usize).filter(|span| at == number * kept.width && span.offsets == end - at);
        match whole {
            Some(whole) if span_at(at) == span_at(end - 1) => spans[span_at(at)] = spans[span_at(at)].join(*whole),
            _ => match again.last_mut() {
                Some((_, last)) if *last == at => *last = end,
                _ => again.push((at, end)),
            },
        }
        at = end;
    }
    if !again.is_empty() {
        let most = again.iter().map(|(start, end)| end - start).max();
        let pattern = Pattern::new(a, &Expected { offsets: most, ..expected(b, all) });
        for (start, end) in again {
            each_of(&pattern, a, b, start, end - start, |offset, score| {
                let span = &mut spans[span_at(offset)];
                *span = span.join(Span::of(score));
            });
        }
    }
    spans
}

/// Hands on the score at each of these offsets.
fn each<T: Symbol>(a: &[T], b: &[T], from: u64, len: u64, with: impl FnMut(u64, u64)) {
    each_of(&Pattern::new(a, &expected(b, len)), a, b, from, len, with);
}

fn each_of<T: Symbol>(pattern: &Pattern, a: &[T], b: &[T], from: u64, len: u64, mut with: impl FnMut(u64, u64)) {
    let end = (from + len + a.len() as u64).saturating_sub(1) as usize;
    let mut stream = Stream::new(pattern);
    let mut take = |at: u64, scores: super::stream::Scores| {
        (from + at..).zip(scores.iter()).for_each(|(offset, score)| with(offset, score));
        Ok::<_, Infallible>(())
    };
    let Ok(()) = stream.push(b.get(from as usize..end).unwrap_or_default(), &mut take);
    let Ok(()) = stream.finish(&mut take);
}

/// What is known of a text that is there as a whole.
pub(super) fn expected<T: Symbol>(b: &[T], offsets: u64) -> Expected<'_, T> {
    Expected { alphabet: None, sample: &b[..b.len().min(SAMPLE)], offsets: Some(offsets), method: None }
}

/// Symbols of a sample.
const SAMPLE: usize = 1 << 16;
