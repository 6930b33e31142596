//! Pages of hits, and the profile of any range of offsets, computed after a run.

use std::ops::Range;

use super::pattern::{ExpectedText, PreparedPattern};
use super::score::ScoreSlice;
use super::stream::ScoreStream;
use super::sweep::offsets;
use crate::base_set::SymbolMatch;
use crate::found::{Hit, ScoreProfile, ScoreSpan};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Greatest mean distance of requested hits, in offsets, at which the scores of all offsets from the first to the last
/// hit are computed. If hits are farther apart, the symbols are compared at each hit alone.
const MAX_DENSE_HIT_OFFSETS: u64 = 32;

/// A request for hits of a finished match count or for its profile: the texts of the search, and the run of the
/// request.
pub(in crate::task::match_count) struct ScorePages<'t, T> {
    pub(in crate::task::match_count) a: &'t [T],
    pub(in crate::task::match_count) b: &'t [T],
    pub(in crate::task::match_count) symbol_match: SymbolMatch,
    pub(in crate::task::match_count) run: &'t Run<'t>,
}

impl<T: Symbol> ScorePages<'_, T> {
    /// Returns the hits at the offsets `starts`, ascending. If `distance` is given, all of them have this number of
    /// unequal symbols, and each takes O(1) time. Otherwise each takes O(|a|) time.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(in crate::task::match_count) fn hits(&self, starts: &[u64], distance: Option<u64>) -> Result<Vec<Hit>, Halt> {
        let m = self.a.len() as u64;
        let hit = |start: u64, distance: u64| Hit::new(start, start + m, distance);
        if let Some(distance) = distance {
            return Ok(starts.iter().map(|&start| hit(start, distance)).collect());
        }
        let (Some(&first), Some(&last)) = (starts.first(), starts.last()) else { return Ok(Vec::new()) };
        if (last - first) / MAX_DENSE_HIT_OFFSETS < starts.len() as u64 {
            let mut wanted = starts.iter().copied().peekable();
            let mut hits = Vec::with_capacity(starts.len());
            let pattern = PreparedPattern::new(self.a, &expected(self.b, last + 1 - first, self.symbol_match));
            self.for_each_score(&pattern, first..last + 1, |start, score| {
                if wanted.next_if_eq(&start).is_some() {
                    hits.push(hit(start, m - score));
                }
            })?;
            return Ok(hits);
        }
        let unequal = |&start: &u64| {
            let under = self.b.get(start as usize..).unwrap_or_default();
            // Works in parts whose counts fit a byte, so that the compiler uses SIMD lanes.
            let parts = self.a.chunks(255).zip(under.chunks(255));
            let unequal = |a: &[T], b: &[T]| a.iter().zip(b).fold(0u8, |sum, (x, y)| sum + u8::from(x != y));
            let disjoint = |a: &[T], b: &[T]| a.iter().zip(b).fold(0u8, |sum, (x, y)| sum + u8::from(x.lowest() & y.lowest() == 0));
            let distance = match self.symbol_match {
                SymbolMatch::Equal => parts.map(|(a, b)| u64::from(unequal(a, b))).sum(),
                SymbolMatch::Overlap => parts.map(|(a, b)| u64::from(disjoint(a, b))).sum(),
            };
            self.run.tick(m)?;
            Ok(hit(start, distance))
        };
        self.run.raise_expected(m * starts.len() as u64);
        starts.iter().map(unequal).collect()
    }

    /// Returns the profile of the offsets `wanted`: at most `points` spans of scores, equal in width except the last.
    /// Joins the spans of `kept`, the profile of the whole search. If a wanted span begins or ends inside a span of
    /// `kept`, the scores of that part are computed again. For each border of a wanted span, this affects at most the
    /// offsets of one span of `kept`.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(in crate::task::match_count) fn profile(
        &self,
        kept: &ScoreProfile,
        wanted: Range<u64>,
        points: usize,
    ) -> Result<Vec<ScoreSpan>, Halt> {
        let all = offsets(self.a.len(), self.b.len());
        let Range { start: from, end } = wanted.start.min(all)..wanted.end.clamp(wanted.start.min(all), all);
        let width = (end - from).div_ceil(points.max(1) as u64).max(1);
        let mut spans = vec![ScoreSpan::EMPTY; (end - from).div_ceil(width) as usize];
        let span_at = |offset: u64| ((offset - from) / width) as usize;
        // Neighbouring parts whose scores are computed again are processed together.
        let mut again: Vec<Range<u64>> = Vec::new();
        let mut at = from;
        while at < end {
            let number = at / kept.width;
            let next = ((number + 1) * kept.width).min(end);
            let whole = kept.spans.get(number as usize).filter(|span| at == number * kept.width && span.offsets == next - at);
            match whole {
                Some(whole) if span_at(at) == span_at(next - 1) => spans[span_at(at)] = spans[span_at(at)].join(*whole),
                _ => match again.last_mut() {
                    Some(last) if last.end == at => last.end = next,
                    _ => again.push(at..next),
                },
            }
            at = next;
        }
        if !again.is_empty() {
            let most = again.iter().map(|part| part.end - part.start).max();
            let pattern = PreparedPattern::new(self.a, &ExpectedText { offsets: most, ..expected(self.b, all, self.symbol_match) });
            for part in again {
                self.for_each_score(&pattern, part, |offset, score| {
                    let span = &mut spans[span_at(offset)];
                    *span = span.join(ScoreSpan::of(score));
                })?;
            }
        }
        Ok(spans)
    }

    /// Calls `with` for each offset of `part`, with the offset and its score.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn for_each_score(&self, pattern: &PreparedPattern, part: Range<u64>, mut with: impl FnMut(u64, u64)) -> Result<(), Halt> {
        let m = self.a.len() as u64;
        self.run.raise_expected(m * (part.end - part.start));
        let end = (part.end + m).saturating_sub(1) as usize;
        let mut stream = ScoreStream::new(pattern);
        let mut take = |at: u64, scores: ScoreSlice| {
            (part.start + at..).zip(scores.iter()).for_each(|(offset, score)| with(offset, score));
            self.run.tick(m * scores.len() as u64)
        };
        stream.push(self.b.get(part.start as usize..end).unwrap_or_default(), &mut take)?;
        stream.finish(&mut take)
    }
}

/// Returns the properties of the text `b` for the choice of a method: a sample of its symbols, the number `offsets` of
/// offsets to compute, and the rule by which symbols match.
pub(super) fn expected<T: Symbol>(b: &[T], offsets: u64, symbol_match: SymbolMatch) -> ExpectedText<'_, T> {
    let sample = &b[..b.len().min(TEXT_SAMPLE_SYMBOLS)];
    ExpectedText { alphabet: None, sample, offsets: Some(offsets), method: None, symbol_match }
}

/// Maximum number of symbols in the sample of a text.
const TEXT_SAMPLE_SYMBOLS: usize = 1 << 16;
