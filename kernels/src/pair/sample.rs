//! Estimates the distance of two long texts from a sample, before anything is computed.
//!
//! At some positions of `a`, short pieces are searched in `b` near the diagonal on which the previous piece was found.
//! From each piece found, both texts are compared for some symbols, and the edits are counted. If texts are alike
//! everywhere, their distance is the edits per symbol times the length.
//!
//! If few pieces are found, parts of the texts may have moved. Then longer pieces are searched once in the whole of
//! `b`. The differences between the diagonals on which pieces were found bound the number of symbols that are inserted
//! or deleted in one block.
//!
//! Takes O(1) time for similar texts, and O(|b|) time for other texts, whose jobs take seconds.

use crate::symbol::Symbol;

/// Minimum number of symbols of the shorter text of a pair that is sampled. Shorter pairs are cheap to solve.
pub(crate) const MIN_SAMPLED_SYMBOLS: usize = 1 << 14;

/// Approximate number of symbols sampled to estimate the effective number of letters of a text.
const LETTER_SAMPLE_SYMBOLS: usize = 4096;

/// Number of symbols of `a` for each position at which a piece is searched.
const SYMBOLS_PER_PLACE: usize = 2048;
/// Maximum number of positions of `a` at which pieces are searched near the expected diagonal.
const MAX_SAMPLE_PLACES: usize = 32;

/// Maximum number of symbols of `a` that are compared with `b` from each piece found, to count edits.
const FOLLOWED_SYMBOLS: usize = 512;
/// Maximum number of edits that are counted from each piece found.
const MAX_FOLLOWED_EDITS: usize = 64;

/// Number of consecutive pieces of `a` that are tried at a sampled position until one is found in `b`.
const PIECES_PER_PLACE: usize = 16;
/// Number of diagonals on either side of the expected one on which a piece is searched.
const SEARCHED_DIAGONALS: usize = 512;

/// Number of pieces of `a` that are searched in the whole of `b`, if few are found near the expected diagonal.
const WIDE_PIECES: usize = 128;
/// Minimum number of the pieces searched in the whole of `b` that must be found there in the same order as in `a`. With
/// fewer, the texts are regarded as unrelated.
const MIN_WIDE_PIECES: usize = 8;

/// Reciprocal of the probability with which a piece of a random text occurs by chance near the expected diagonal. For a
/// search in the whole of `b`, the probability is that any of the [`WIDE_PIECES`] pieces occurs by chance. The length
/// of pieces follows from it.
const POSITIONS_PER_CHANCE_PIECE: f64 = 1000.0;

/// Factor by which pieces are longer than [`POSITIONS_PER_CHANCE_PIECE`] requires in random texts, because real texts
/// repeat themselves.
const PIECE_LENGTH_FACTOR: f64 = 1.25;

/// Approximate number of symbols of each text that are counted to estimate frequencies.
const COUNTED_SYMBOLS: usize = 4096;

/// Minimum share of `a`, as estimated from the pieces found near the expected diagonal, that must be similar to `b`.
/// With less, pieces are searched in the whole of `b`.
const MIN_FOUND_SHARE: f64 = 0.6;

/// Maximum share of `a` without a similar part of `b` in texts that are alike everywhere.
const MAX_MISSING_SHARE: f64 = 0.2;

/// Estimated distance and similarity of two texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DistanceEstimate {
    /// Estimated number of edits between the texts.
    pub(crate) distance: u64,
    /// Whether the texts are alike everywhere, and no part has moved by many symbols.
    pub(crate) is_even: bool,
}

/// A position in `a` and a position in `b` at which equal pieces begin.
type TextAnchor = (usize, usize);

/// Returns the effective number of letters of `text`: the size of an alphabet of equally frequent letters in which two
/// symbols are equal as often as in `text`.
pub(crate) fn letters<T: Symbol>(text: &[T]) -> f64 {
    let mut counts = [0u32; 256];
    text.iter().step_by(1 + text.len() / LETTER_SAMPLE_SYMBOLS).for_each(|symbol| counts[symbol.number() as usize % 256] += 1);
    let size: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    let pairs: f64 = counts.iter().map(|&count| f64::from(count) * f64::from(count)).sum();
    (size * size / pairs.max(1.0)).max(1.01)
}

/// Estimates the distance of `a` and `b`: the number of insertions and deletions, and also of substitutions if
/// `substitutes`.
pub(crate) fn estimate_distance<T: Symbol>(a: &[T], b: &[T], substitutes: bool) -> DistanceEstimate {
    let sample = PairSample { a, b, letters: letters(a), common: common_letters(a, b), substitutes };
    let places = (a.len() / SYMBOLS_PER_PLACE).clamp(1, MAX_SAMPLE_PLACES);
    let near = sample.find_near_anchors(places);
    let rate = sample.rate(&near);
    let found = near.len() as f64 / places as f64;
    let piece = sample.piece(2 * SEARCHED_DIAGONALS);
    let expected = rate.map_or(1.0, |rate| 1.0 - (1.0 - (1.0 - rate).powf(piece as f64)).powi(PIECES_PER_PLACE as i32)).max(0.05);
    // Adds 1.5 to the pieces found, because up to two are missed by chance.
    let missing = (1.0 - (found + 1.5 / places as f64) / expected).max(0.0);
    if let Some(rate) = rate.filter(|_| 1.0 - missing >= MIN_FOUND_SHARE) {
        return sample.sum(&near, rate, missing);
    }
    let wide = in_order(&sample.find_wide_anchors());
    match sample.rate(&wide) {
        Some(rate) if wide.len() >= MIN_WIDE_PIECES => {
            let expected = (1.0 - rate).powf(sample.piece(WIDE_PIECES * b.len()) as f64).max(0.05);
            let missing = (1.0 - wide.len() as f64 / (WIDE_PIECES as f64 * expected)).max(0.0);
            DistanceEstimate { is_even: false, ..sample.sum(&wide, rate, missing) }
        }
        _ => DistanceEstimate { distance: sample.unrelated(a.len().max(b.len())), is_even: false },
    }
}

struct PairSample<'t, T> {
    a: &'t [T],
    b: &'t [T],
    /// Effective number of letters of `a`: the size of an alphabet of equally frequent letters in which two symbols are
    /// equal as often as in `a`.
    letters: f64,
    /// Effective number of letters of both texts: of all pairs of a symbol of `a` and a symbol of `b`, one in `common`
    /// is equal.
    common: f64,
    substitutes: bool,
}

impl<T: Symbol> PairSample<'_, T> {
    /// Returns the length of a piece that rarely occurs by chance if it is searched at `places` positions.
    fn piece(&self, places: usize) -> usize {
        ((POSITIONS_PER_CHANCE_PIECE * places as f64).ln() / self.letters.ln() * PIECE_LENGTH_FACTOR).ceil().clamp(2.0, 64.0) as usize
    }

    /// Returns the expected distance of two unrelated texts of length `len`, plus the difference of the lengths of `a`
    /// and `b`. The formulas are correct within a tenth for random texts of 2 to 64 letters.
    fn unrelated(&self, len: usize) -> u64 {
        let letters = self.common.sqrt();
        let rate = if self.substitutes { 1.0 - 0.97 / letters } else { 2.0 - 4.0 / (letters + 1.05) };
        (rate.max(0.02) * len as f64) as u64 + self.a.len().abs_diff(self.b.len()) as u64
    }

    /// Searches pieces from `places` positions of `a` near the diagonal of the previous piece found. A piece that is
    /// not there is searched near the line from corner to corner. Returns the positions of the pieces found.
    fn find_near_anchors(&self, places: usize) -> Vec<TextAnchor> {
        let (m, n) = (self.a.len(), self.b.len());
        let piece = self.piece(2 * SEARCHED_DIAGONALS);
        let mut anchors: Vec<TextAnchor> = Vec::new();
        for place in 0..places {
            let first = m * (2 * place + 1) / (2 * places);
            let last = anchors.last().map_or(0, |&(i, j)| j as i64 - i as i64);
            let along = (first as u128 * n as u128 / m as u128) as i64 - first as i64;
            let mut found = self.find_anchor(first, last, piece);
            if found.is_none() && last.abs_diff(along) > SEARCHED_DIAGONALS as u64 {
                found = self.find_anchor(first, along, piece);
            }
            anchors.extend(found);
        }
        anchors
    }

    /// Searches up to [`PIECES_PER_PLACE`] consecutive pieces of `a`, each of `piece` symbols, the first at position
    /// `first`. Searches each near `diagonal`, that is, near the position in `b` that is this much greater. Returns the
    /// positions of the first piece that is found.
    fn find_anchor(&self, first: usize, diagonal: i64, piece: usize) -> Option<TextAnchor> {
        (0..PIECES_PER_PLACE).map(|attempt| first + attempt * piece).find_map(|i| {
            let sought = self.a.get(i..i + piece)?;
            let from = (i as i64 + diagonal - SEARCHED_DIAGONALS as i64).clamp(0, self.b.len() as i64) as usize;
            let text = &self.b[from..(from + 2 * SEARCHED_DIAGONALS + piece).min(self.b.len())];
            text.windows(piece).position(|window| window == sought).map(|at| (i, from + at))
        })
    }

    /// Searches [`WIDE_PIECES`] pieces of `a` in the whole of `b`. Returns the first occurrence of each piece found, in
    /// the order of `a`. Makes one pass over `b`, with rolling hashes of pieces of equal length.
    fn find_wide_anchors(&self) -> Vec<TextAnchor> {
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        const FILTER: usize = 1 << 14;
        let (m, n) = (self.a.len(), self.b.len());
        let piece = self.piece(WIDE_PIECES * n);
        if m < piece || n < piece {
            return Vec::new();
        }
        let add = |hash: u64, symbol: &T| hash.wrapping_mul(FACTOR).wrapping_add(u64::from(symbol.number()) + 1);
        let place = |hash: u64| ((hash ^ hash >> 32).wrapping_mul(FACTOR) >> 50) as usize % FILTER;
        let starts = (0..WIDE_PIECES).map(|number| (m - piece) * number / WIDE_PIECES);
        let mut pieces: Vec<(u64, usize)> = starts.map(|i| (self.a[i..i + piece].iter().fold(0, add), i)).collect();
        pieces.sort_unstable();
        pieces.dedup_by_key(|piece| piece.0);
        let mut filter = vec![false; FILTER];
        pieces.iter().for_each(|&(hash, _)| filter[place(hash)] = true);
        let mut found: Vec<Option<usize>> = vec![None; pieces.len()];
        let leaving = (0..piece).fold(1u64, |power, _| power.wrapping_mul(FACTOR));
        let mut hash = self.b[..piece].iter().fold(0, add);
        for j in 0..=n - piece {
            if filter[place(hash)]
                && let Ok(at) = pieces.binary_search_by_key(&hash, |piece| piece.0)
                && found[at].is_none()
            {
                found[at] = Some(j);
            }
            if let Some(next) = self.b.get(j + piece) {
                hash = add(hash, next).wrapping_sub((u64::from(self.b[j].number()) + 1).wrapping_mul(leaving));
            }
        }
        let mut anchors: Vec<TextAnchor> = pieces.iter().zip(found).filter_map(|(&(_, i), j)| Some((i, j?))).collect();
        anchors.sort_unstable();
        anchors
    }

    /// Returns the number of edits per compared symbol of `a`, or `None` if no symbol was compared. Compares the
    /// symbols that follow at most [`MAX_SAMPLE_PLACES`] of `anchors`.
    fn rate(&self, anchors: &[TextAnchor]) -> Option<f64> {
        let step = anchors.len().div_ceil(MAX_SAMPLE_PLACES).max(1);
        let (mut edits, mut symbols) = (0, 0);
        for &(i, j) in anchors.iter().step_by(step) {
            let len = FOLLOWED_SYMBOLS.min(self.a.len() - i).min(self.b.len() - j);
            let followed = self.follow(&self.a[i..i + len], &self.b[j..]);
            edits += followed.0;
            symbols += followed.1;
        }
        (symbols > 0).then(|| edits as f64 / symbols as f64)
    }

    /// Aligns `a` to any prefix of `b`. Returns the least number of edits and the length of the aligned prefix of `a`.
    /// The length is less than that of `a` only if more than [`MAX_FOLLOWED_EDITS`] edits are needed. Computes the
    /// furthest row that is reached on each diagonal (Ukkonen 1985).
    fn follow(&self, a: &[T], b: &[T]) -> (usize, usize) {
        const NOWHERE: i64 = i64::MIN / 2;
        let m = a.len() as i64;
        let b = &b[..b.len().min(2 * a.len())];
        let slide = |i: i64, x: i64| i + T::common_prefix(&a[i as usize..], &b[(i + x) as usize..]) as i64;
        let mut reached = vec![slide(0, 0)];
        while !reached.contains(&m) {
            let edits = reached.len() / 2 + 1;
            let before = |x: i64| usize::try_from(x + edits as i64 - 1).ok().and_then(|at| reached.get(at)).copied().unwrap_or(NOWHERE);
            let cost = edits as i64;
            let next = (-cost..=cost).map(|x| {
                let substituted = if self.substitutes { before(x) + 1 } else { NOWHERE };
                let from = substituted.max(before(x - 1)).max(before(x + 1) + 1).min(m).min(b.len() as i64 - x);
                if from < 0 || from + x < 0 { NOWHERE } else { slide(from, x) }
            });
            reached = next.collect();
            if edits >= MAX_FOLLOWED_EDITS {
                break;
            }
        }
        (reached.len() / 2, reached.into_iter().max().map_or(0, |row| row.max(1) as usize))
    }

    /// Estimates the distance from `rate`, the edits per symbol in similar parts, and `missing`, the share of `a`
    /// without a similar part of `b`. The diagonals of `anchors` (pairs of positions) show how far parts have moved.
    fn sum(&self, anchors: &[TextAnchor], rate: f64, missing: f64) -> DistanceEstimate {
        let (m, n) = (self.a.len() as i64, self.b.len() as i64);
        let diagonals = anchors.iter().map(|&(i, j)| j as i64 - i as i64).chain([n - m]);
        let mut last = 0;
        let moves: Vec<u64> = diagonals.map(|diagonal| std::mem::replace(&mut last, diagonal).abs_diff(diagonal)).collect();
        // Smaller moves are the result of single insertions and deletions.
        let moved = moves.iter().filter(|&&by| by > SEARCHED_DIAGONALS as u64).sum::<u64>();
        let alike = rate * (1.0 - missing) * m as f64;
        let unlike = missing * self.unrelated(m as usize) as f64;
        let distance = (alike + unlike.max(moved as f64)) as u64;
        let distance = distance.min(self.unrelated(self.a.len().max(self.b.len()))).max(n.abs_diff(m));
        DistanceEstimate { distance, is_even: moved == 0 && missing < MAX_MISSING_SHARE }
    }
}

/// Returns the number n such that one in n pairs of a symbol of `a` and a symbol of `b` is equal, over all pairs of
/// positions.
fn common_letters<T: Symbol>(a: &[T], b: &[T]) -> f64 {
    let counts = |text: &[T]| {
        let mut counts = [0.0; 256];
        text.iter().step_by(1 + text.len() / COUNTED_SYMBOLS).for_each(|symbol| counts[symbol.number() as usize % 256] += 1.0);
        counts
    };
    let (one, other) = (counts(a), counts(b));
    let pairs: f64 = one.iter().zip(&other).map(|(one, other)| one * other).sum();
    (one.iter().sum::<f64>() * other.iter().sum::<f64>() / pairs.max(1e-3)).max(1.02)
}

/// Returns the longest sequence of `anchors` whose order in `a` is also their order in `b`.
fn in_order(anchors: &[TextAnchor]) -> Vec<TextAnchor> {
    // Length of the longest sequence that ends at each anchor, and its previous anchor.
    let mut longest: Vec<(usize, usize)> = Vec::with_capacity(anchors.len());
    for (at, anchor) in anchors.iter().enumerate() {
        let before = (0..at).filter(|&before| anchors[before].1 < anchor.1).max_by_key(|&before| longest[before].0);
        longest.push(before.map_or((1, at), |before| (longest[before].0 + 1, before)));
    }
    let Some(mut at) = (0..longest.len()).max_by_key(|&at| longest[at].0) else { return Vec::new() };
    let mut backwards = vec![anchors[at]];
    while longest[at].1 != at {
        at = longest[at].1;
        backwards.push(anchors[at]);
    }
    backwards.reverse();
    backwards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{mutated, random};

    /// Compares with the number of edits of `mutated` texts, which is a little above the true distance.
    #[test]
    fn distance_of_similar_texts_is_estimated() {
        for (letters, seed) in [(&b"ACGT"[..], 1), (b"abcdefghijklmnopqrstuvwxyz", 2)] {
            let a = random(letters, 300_000, seed);
            for rate in [0.001, 0.01, 0.05, 0.1] {
                let b = mutated(&a, letters, rate, seed + 1);
                let edits = rate * a.len() as f64;
                let apart = estimate_distance(&a, &b, true);
                assert!(apart.is_even, "{rate}");
                let about = apart.distance as f64 / edits;
                assert!((0.5..1.5).contains(&about), "{} letters, {rate}: {apart:?} for {edits}", letters.len());
                let by_gaps = super::estimate_distance(&a, &b, false).distance as f64 / edits;
                assert!((0.6..2.0).contains(&by_gaps), "{} letters, {rate}: {by_gaps} times as many without substitutions", letters.len());
            }
        }
        let a = random(b"ACGT", 100_000, 3);
        assert_eq!(estimate_distance(&a, &a, true), DistanceEstimate { distance: 0, is_even: true });
    }

    #[test]
    fn moved_and_inserted_parts_are_detected() {
        let a = random(b"ACGT", 300_000, 1);
        let gap = [&mutated(&a[..100_000], b"ACGT", 0.01, 2)[..], &random(b"ACGT", 20_000, 3), &a[100_000..]].concat();
        let apart = estimate_distance(&a, &gap, true);
        assert!(!apart.is_even && (18_000..26_000).contains(&apart.distance), "{apart:?}");
        let turned = [&a[150_000..], &a[..150_000]].concat();
        let apart = super::estimate_distance(&a, &turned, true);
        assert!(!apart.is_even && apart.distance > 60_000, "{apart:?}");
    }

    #[test]
    fn estimate_for_unrelated_texts_equals_that_of_random_texts() {
        for (letters, rate, by_gaps) in [(&b"ACGT"[..], 0.51, 0.69), (b"ab", 0.29, 0.38), (b"abcdefghijklmnopqrstuvwxyz", 0.80, 1.28)] {
            let (a, b) = (random(letters, 100_000, 1), random(letters, 100_000, 2));
            for (substitutes, rate) in [(true, rate), (false, by_gaps)] {
                let apart = estimate_distance(&a, &b, substitutes);
                let about = apart.distance as f64 / (rate * 100_000.0);
                assert!(!apart.is_even && (0.75..1.33).contains(&about), "{} letters, {substitutes}: {apart:?}", letters.len());
            }
        }
    }
}
