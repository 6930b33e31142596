//! Rows: patterns as the rows of a word, and a sample of the distances that a text has to them.

use super::{SearchedText, ShortPattern};
use crate::cpu::spread;

/// Number of rows of a word.
pub(super) const WORD_ROWS: usize = 32;

/// Number of columns between two comparisons with a bound: usually, and for patterns that match many columns.
pub(super) const SPACINGS: [u32; 2] = [4, 1];

/// Number of stretches of a text that are sampled, and of columns of each.
const SAMPLE: [usize; 2] = [8, 256];

/// Number of columns before a sampled stretch, after which its distances are usual.
const SAMPLE_LEAD: usize = 64;

/// Minimum number of sampled columns for each candidate. With more candidates, their checks take as long as the search.
const MIN_CANDIDATE_COLUMNS: u64 = 128;

/// Minimum number of sampled columns for each column within the limit of a pattern. A pattern with more hits is left to the
/// processor, because the hits take too much memory.
const MIN_HIT_COLUMNS: u64 = 64;

/// The last rows of a pattern as the bits of a word, the last row in the highest bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WordRows {
    /// For each symbol, the rows that match. Padding rows match every symbol.
    pub(super) equal: Vec<u32>,
    /// The rows that belong to the pattern.
    pub(super) own: u32,
}

impl WordRows {
    pub(super) fn new(pattern: &ShortPattern, text: &SearchedText) -> Self {
        let own = !0 << WORD_ROWS.saturating_sub(pattern.symbols.len());
        let last = &pattern.symbols[pattern.symbols.len().saturating_sub(WORD_ROWS)..];
        let shift = WORD_ROWS - last.len();
        let masks = masks(last.iter().copied(), text);
        Self { equal: masks.into_iter().map(|mask| !own | (mask as u32) << shift).collect(), own }
    }

    /// Computes the next column, whose symbol has the rows `eq`. `column` has the rows in which the distance rises by 1, and
    /// those in which it falls.
    fn step([vp, vn]: [u32; 2], eq: u32) -> [u32; 2] {
        let d = (((eq & vp).wrapping_add(vp)) ^ vp) | eq | vn;
        let (hp, hn) = ((vn | !(d | vp)) << 1, (vp & d) << 1);
        [hn | !(d | hp), hp & d]
    }
}

/// Returns the rows of `symbols` that match each symbol, the first row in the lowest bit.
pub(super) fn masks(symbols: impl Iterator<Item = u8> + Clone, text: &SearchedText) -> Vec<u64> {
    let mut masks = vec![0; text.alphabet as usize];
    if text.symbol_match.is_equality() {
        symbols.enumerate().for_each(|(row, symbol)| masks[usize::from(symbol)] |= 1 << row);
        return masks;
    }
    for (number, mask) in (0..).zip(&mut masks) {
        for (row, symbol) in symbols.clone().enumerate() {
            *mask |= u64::from(text.symbol_match.matches(symbol.into(), number)) << row;
        }
    }
    masks
}

/// Returns the spacing for each of `patterns`, or `None` if the text has too many hits of it. Examines a sample of the text
/// on at most `threads` threads.
pub(super) fn spacings(patterns: &[ShortPattern], text: &SearchedText, threads: usize) -> Vec<Option<u32>> {
    let sample = sample(text.symbols);
    spread(patterns, threads, |pattern| {
        let rows = WordRows::new(pattern, text);
        let (mut columns, mut within) = (0_u64, SPACINGS.map(|_| 0_u64));
        for (stretch, lead) in &sample {
            let mut column = [rows.own, 0];
            for (at, symbol) in stretch.iter().enumerate() {
                column = WordRows::step(column, rows.equal[usize::from(*symbol)]);
                if at >= *lead {
                    let distance = column[0].count_ones() - column[1].count_ones();
                    columns += 1;
                    for (count, spacing) in within.iter_mut().zip(SPACINGS) {
                        *count += u64::from(distance < pattern.limit + spacing);
                    }
                }
            }
        }
        let [wide, narrow] = within;
        if wide * MIN_CANDIDATE_COLUMNS <= columns {
            Some(SPACINGS[0])
        } else {
            (narrow * MIN_HIT_COLUMNS <= columns).then_some(SPACINGS[1])
        }
    })
}

/// Returns stretches of a text at equal distances, each with the number of its first columns that do not count.
fn sample(text: &[u8]) -> Vec<(&[u8], usize)> {
    let [stretches, len] = SAMPLE;
    let all = SAMPLE_LEAD + len;
    if text.len() <= stretches * all {
        return vec![(text, 0)];
    }
    let apart = (text.len() - all) / (stretches - 1);
    (0..stretches).map(|number| (&text[number * apart..number * apart + all], SAMPLE_LEAD)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base_set::SymbolMatch;

    fn text(symbols: &[u8], symbol_match: SymbolMatch) -> SearchedText<'_> {
        SearchedText { symbols, alphabet: 16, symbol_match, border: None }
    }

    #[test]
    fn word_has_the_last_rows_of_a_pattern() {
        let pattern = |len: usize| ShortPattern { symbols: (0..len).map(|at| (at % 4) as u8).collect(), limit: 0 };
        let rows = |len| WordRows::new(&pattern(len), &text(&[], SymbolMatch::Equal));
        assert_eq!((rows(1).own, rows(1).equal[0], rows(1).equal[1]), (1 << 31, !0, !0 >> 1));
        assert_eq!((rows(32).own, rows(33).own), (!0, !0));
        assert_eq!((rows(32).equal[0], rows(33).equal[0], rows(33).equal[1]), (0x1111_1111, 0x8888_8888, 0x1111_1111));
        let sets = masks([1, 5, 15].into_iter(), &text(&[], SymbolMatch::Overlap));
        assert_eq!((sets[0], sets[1], sets[4], sets[2]), (0, 0b111, 0b110, 0b100));
    }

    #[test]
    fn distances_of_columns_are_those_of_the_matrix() {
        let mut rng = fastrand::Rng::with_seed(1);
        for len in [1, 2, 15, 31, 32] {
            let symbols: Vec<u8> = (0..200).map(|_| rng.u8(..3)).collect();
            let pattern = ShortPattern { symbols: (0..len).map(|_| rng.u8(..3)).collect(), limit: 0 };
            let rows = WordRows::new(&pattern, &text(&symbols, SymbolMatch::Equal));
            let (mut column, mut matrix) = ([rows.own, 0], (0..=len as u32).collect::<Vec<_>>());
            for symbol in &symbols {
                column = WordRows::step(column, rows.equal[usize::from(*symbol)]);
                let mut diagonal = 0;
                for row in 1..=len {
                    let cost = u32::from(pattern.symbols[row - 1] != *symbol);
                    let next = (diagonal + cost).min(matrix[row] + 1).min(matrix[row - 1] + 1);
                    diagonal = std::mem::replace(&mut matrix[row], next);
                }
                assert_eq!(column[0].count_ones() - column[1].count_ones(), matrix[len]);
            }
        }
    }

    #[test]
    fn patterns_with_many_hits_are_left_out() {
        let mut rng = fastrand::Rng::with_seed(2);
        let symbols: Vec<u8> = (0..100_000).map(|_| rng.u8(..4)).collect();
        let mut pattern = |len: usize, limit| ShortPattern { symbols: (0..len).map(|_| rng.u8(..4)).collect(), limit };
        let patterns = [pattern(23, 3), pattern(10, 1), pattern(3, 0), pattern(3, 1), pattern(64, 4), pattern(64, 32)];
        let spacings = spacings(&patterns, &text(&symbols, SymbolMatch::Equal), 2);
        assert_eq!((spacings[0], spacings[1], spacings[3], spacings[4], spacings[5]), (Some(4), Some(1), None, Some(4), None));
        assert_eq!(super::spacings(&patterns[..1], &text(&[], SymbolMatch::Equal), 1), [Some(4)]);
    }

    #[test]
    fn sample_lies_within_its_text() {
        let symbols: Vec<u8> = (0..10_000).map(|at| (at % 251) as u8).collect();
        for len in [0, 1, 2559, 2560, 2561, 10_000] {
            let sample = sample(&symbols[..len]);
            assert!(sample.iter().all(|(stretch, lead)| stretch.len() >= *lead));
            assert!(len <= 2560 || sample.len() == 8);
        }
        assert_eq!(sample(&symbols).last().unwrap().0, &symbols[7 * 1382..7 * 1382 + 320]);
    }
}
