//! Tables: finds positions of a text at which some row may begin, by shuffles, 64 positions at a time. A row is a
//! sequence of a few consecutive symbols of a piece of the pattern.
//!
//! Eight bits of a byte represent the pieces, or groups of pieces. For each position in a row, a table lists the groups
//! that have a certain symbol there. A shuffle of bytes looks up 64 symbols of the text. A position of the text is a
//! candidate for the groups that all symbols of the row allow; most positions have none (the idea of Teddy in
//! Hyperscan, Wang et al. 2019). Tables have 16 entries. Larger alphabets are looked up by their low and high halves,
//! which mixes the symbols of a group, or by their low halves alone if these differ in frequent symbols.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};

use super::super::rows::WORD;

/// Number of groups into which the pieces of a pattern are divided, one for each bit of a byte.
pub(in super::super) const GROUPS: usize = 8;

/// Number of distinct entries in a table.
const ENTRIES: usize = 16;

/// Number of words of 64 text positions between two checks whether any of these positions is still a candidate.
const WORDS_PER_CHECK: usize = 4;

/// Possible numbers of symbols of a row that are looked up before the first check for candidates.
const HEADS: [usize; 3] = [4, 6, 8];
/// Maximum expected number of positions that are still candidates at the first check, of all positions in
/// [`WORDS_PER_CHECK`] words.
const MAX_POSITIONS_LEFT: f64 = 0.1;

/// The tables in which consecutive symbols of a text are looked up, to find positions at which a row may begin. A row
/// is the sequence of symbols of one piece that are looked up.
pub(super) struct ShuffleTables {
    /// For each position in a row, a table for the low halves of symbols and a table for the high halves. An entry has
    /// a bit for each group that has a symbol with this half there.
    rows: Vec<[[u8; WORD]; 2]>,
    /// Number of symbols of a row that are looked up before the first check for candidates.
    head: usize,
    /// The halves of symbols that are looked up.
    halves: SymbolHalves,
    /// Expected number of groups per position of the text whose rows may begin there, after all symbols of the row are
    /// looked up.
    pub(super) left: f64,
}

/// The halves of symbols that are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SymbolHalves {
    /// Symbols are below 16, so that they have no high half.
    Whole,
    /// Low halves distinguish the frequent symbols of the text, as they do for the letters of nucleotides.
    Low,
    /// Both halves are needed.
    Both,
}

/// Maximum number of candidates of the low halves of symbols for one candidate of both halves, so that the high halves are
/// not looked up.
const MAX_LOW_CANDIDATES: f64 = 2.0;
/// Expected number of candidates of the low halves per position of the text that is always small enough.
const FEW_LOW_CANDIDATES: f64 = 1e-4;

/// Returns a byte with a bit for each group that has `symbol` at one position in the row, given the two tables of this
/// position. If not `is_whole`, only the low half of the symbol is looked up.
fn groups([low, high]: &[[u8; WORD]; 2], symbol: u8, is_whole: bool) -> u8 {
    let groups = low[usize::from(symbol) % ENTRIES];
    if is_whole { groups & high[usize::from(symbol) / ENTRIES] } else { groups }
}

/// Returns for each prefix of the row the expected number of groups per position of the text whose rows may begin there.
/// `tables` are those of all positions in the row, and `often` holds the frequencies of bytes in the text. If not
/// `is_whole`, only the low halves of symbols are looked up.
fn expected_groups(tables: &[[[u8; WORD]; 2]], often: &[f64; 256], is_whole: bool) -> Vec<f64> {
    // For each group, the probability that a position of the text is still a candidate after the row so far.
    let mut left = [1.0; GROUPS];
    let sums = tables.iter().map(|table| {
        let mut accepted = [0.0; GROUPS];
        for (symbol, often) in (0..=u8::MAX).zip(often) {
            let groups = groups(table, symbol, is_whole);
            (0..GROUPS).filter(|group| groups >> group & 1 == 1).for_each(|group| accepted[group] += often);
        }
        left.iter_mut().zip(accepted).for_each(|(left, accepted)| *left *= accepted);
        left.iter().sum()
    });
    sums.collect()
}

impl ShuffleTables {
    /// Builds the tables of `rows`, all of which have `len` symbols, at least 4. Symbols are bytes below `alphabet`, or
    /// are lowest bytes of symbols. `often` holds the frequencies of bytes in the text. Takes O(total length) time.
    pub(super) fn new<'r>(
        rows: impl ExactSizeIterator<Item = impl Iterator<Item = u8> + 'r>,
        len: usize,
        alphabet: u32,
        often: &[f64; 256],
    ) -> Self {
        let mut tables = vec![[[0; WORD]; 2]; len];
        let number = rows.len();
        for (at, row) in rows.enumerate() {
            let group = 1 << (at * GROUPS.min(number) / number);
            for (table, symbol) in tables.iter_mut().zip(row) {
                let halves = [usize::from(symbol) % ENTRIES, usize::from(symbol) / ENTRIES];
                for (table, half) in table.iter_mut().zip(halves) {
                    // The entry is repeated in each block of the vector.
                    (half..WORD).step_by(ENTRIES).for_each(|at| table[at] |= group);
                }
            }
        }
        let last = |sums: &[f64]| sums.last().copied().unwrap_or(1.0);
        let mut sums = expected_groups(&tables, often, true);
        let mut halves = SymbolHalves::Whole;
        if alphabet as usize > ENTRIES {
            let low = expected_groups(&tables, often, false);
            let is_enough = last(&low) <= (MAX_LOW_CANDIDATES * last(&sums)).max(FEW_LOW_CANDIDATES);
            halves = if is_enough { SymbolHalves::Low } else { SymbolHalves::Both };
            sums = if is_enough { low } else { sums };
        }
        let mut fits = HEADS.into_iter().filter(|&head| head <= len);
        let few = |head: &usize| sums[head - 1] * (WORDS_PER_CHECK * WORD) as f64 <= MAX_POSITIONS_LEFT;
        let head = fits.clone().find(few).or(fits.next_back()).unwrap_or(HEADS[0]);
        Self { left: last(&sums), rows: tables, head, halves }
    }

    /// Returns the number of symbols in each row.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Sets the bits in `words` of the positions of `text` at which a row may begin. Bit `i` of word `w` stands for
    /// position `64·w + i`. Wrong positions come from mixing the rows of a group, and from symbols with equal halves.
    pub(super) fn find(&self, text: &[u8], words: &mut [u64]) {
        let level = Level::new();
        match self.halves {
            SymbolHalves::Whole => dispatch!(level, s => by_head::<_, WHOLE>(s, self, text, words)),
            SymbolHalves::Low => dispatch!(level, s => by_head::<_, LOW>(s, self, text, words)),
            SymbolHalves::Both => dispatch!(level, s => by_head::<_, BOTH>(s, self, text, words)),
        }
    }
}

/// [`SymbolHalves`] as numbers, which can be parameters of a type.
const WHOLE: u8 = SymbolHalves::Whole as u8;
const LOW: u8 = SymbolHalves::Low as u8;
const BOTH: u8 = SymbolHalves::Both as u8;

#[inline(always)]
fn by_head<S: Simd, const HALVES: u8>(s: S, tables: &ShuffleTables, text: &[u8], words: &mut [u64]) {
    match tables.head {
        4 => scan::<_, 4, HALVES>(s, tables, text, words),
        6 => scan::<_, 6, HALVES>(s, tables, text, words),
        _ => scan::<_, 8, HALVES>(s, tables, text, words),
    }
}

/// Looks up 64 symbols of a text in the tables of one position in the row. Returns for each symbol a byte with a bit
/// for each group that has it.
#[inline(always)]
fn look_up<S: Simd, const HALVES: u8>(s: S, [low, high]: &[u8x64<S>; 2], text: &[u8; WORD]) -> u8x64<S> {
    let symbols = u8x64::from_slice(s, text);
    match HALVES {
        WHOLE => low.swizzle_dyn_within_blocks(symbols),
        LOW => low.swizzle_dyn_within_blocks(symbols & 15),
        _ => low.swizzle_dyn_within_blocks(symbols & 15) & high.swizzle_dyn_within_blocks(symbols >> 4),
    }
}

/// Computes the positions like [`find`](ShuffleTables::find): whole words by vectors, and the remaining positions one
/// by one.
#[inline(always)]
fn scan<S: Simd, const HEAD: usize, const HALVES: u8>(s: S, tables: &ShuffleTables, text: &[u8], words: &mut [u64]) {
    let positions = text.len() + 1 - tables.len();
    let full = positions / WORD / WORDS_PER_CHECK * WORDS_PER_CHECK;
    let mut head = [[u8x64::splat(s, 0); 2]; HEAD];
    let mut texts: [&[[u8; WORD]]; HEAD] = [&[]; HEAD];
    for at in 0..HEAD {
        head[at] = [u8x64::from_slice(s, &tables.rows[at][0]), u8x64::from_slice(s, &tables.rows[at][1])];
        texts[at] = &text[at..at + WORD * full].as_chunks::<WORD>().0[..full];
    }
    for first in (0..full).step_by(WORDS_PER_CHECK) {
        let mut left = [u8x64::splat(s, 0); WORDS_PER_CHECK];
        let mut any = u8x64::splat(s, 0);
        for word in 0..WORDS_PER_CHECK {
            let mut groups = look_up::<S, HALVES>(s, &head[0], &texts[0][first + word]);
            for at in 1..HEAD {
                groups &= look_up::<S, HALVES>(s, &head[at], &texts[at][first + word]);
            }
            left[word] = groups;
            any |= groups;
        }
        if any.simd_eq(u8x64::splat(s, 0)).all_true() {
            continue;
        }
        for word in 0..WORDS_PER_CHECK {
            let mut groups = left[word];
            for (at, [low, high]) in tables.rows.iter().enumerate().skip(HEAD) {
                let table = [u8x64::from_slice(s, low), u8x64::from_slice(s, high)];
                if let Some(text) = text[at + WORD * (first + word)..].first_chunk() {
                    groups &= look_up::<S, HALVES>(s, &table, text);
                }
            }
            words[first + word] = !groups.simd_eq(u8x64::splat(s, 0)).to_bitmask();
        }
    }
    for position in WORD * full..positions {
        let groups =
            tables.rows.iter().zip(&text[position..]).fold(!0, |left, (table, &symbol)| left & groups(table, symbol, HALVES != LOW));
        words[position / WORD] |= u64::from(groups != 0) << (position % WORD);
    }
}
