//! Cost model: chooses the fastest method to count a pattern, from the frequencies of symbols.
//!
//! Time per offset for a pattern of m symbols, in nanoseconds:
//!
//! - comparing: m / 170, divided by the symbols per table lookup
//! - adding bits: less for each symbol of the pattern, plus some for each distinct symbol
//! - lists of occurrences: [`LIST_NS`], plus 1 for each pair of equal symbols
//! - Fourier transforms: some for each transform
//!
//! Symbols use lists if lists are the fastest method for them. The other symbols are all compared, all added or all
//! transformed. Only the ratios of these times matter. The example `crossover` measures whether the choice is right.

use super::adders;
use super::compare::CompareKernel;
use super::spectrum::TransformShape;
use super::symbol_counts::SymbolCounts;

/// Time to compare one symbol of the pattern at one offset, in nanoseconds (170 GCUPS on one core with AVX-512).
const COMPARE_NS: f64 = 1.0 / 170.0;

/// Time to add one symbol of the pattern at one offset by its bit of equality, in nanoseconds.
const ADD_NS: f64 = COMPARE_NS / 5.6;
/// Time to fill the bit planes of one symbol for one position of the text, in nanoseconds.
const PLANE_NS: f64 = 0.024;
/// Time per offset of a count by adding bits that does not depend on the pattern, in nanoseconds.
const OFFSET_OVERHEAD_NS: f64 = 0.13;

/// Maximum total size of the bit planes and their shifted copies with which [`ScoreMethod::Add`] is chosen, in bytes.
const MAX_PLANES_BYTES: usize = 32 << 20;

/// Time to add 1 to a score for one pair of equal symbols in lists, in nanoseconds.
const PAIR_NS: f64 = 1.0;

/// Time to look up the list of occurrences for one symbol of the text, in nanoseconds.
const LIST_NS: f64 = 2.0;

/// Maximum number of symbols that have codes if symbols are not bytes. One more code stands for all other symbols.
const MAX_CODED_SYMBOLS: usize = 255;

/// Returns the time for one offset of a pattern of `m` sets of bases, in nanoseconds. Only comparing supports sets.
pub(super) fn sets_ns(m: usize) -> f64 {
    m as f64 * COMPARE_NS
}

/// A method to compute the scores of all symbols that do not use lists of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreMethod {
    /// Compares every symbol of the pattern at every offset.
    Compare,
    /// Adds one bit of equality for each symbol of the pattern, for many offsets at a time.
    Add,
    /// Multiplies Fourier transforms of the pattern and the text.
    Transform,
}

/// A method to count a pattern, with its parameters and its time per offset.
pub(super) struct ScorePlan {
    /// For each symbol number, whether the symbol uses a list of its occurrences instead of `method`.
    pub(super) listed: Vec<bool>,
    pub(super) method: ScoreMethod,
    pub(super) shape: TransformShape,
    pub(super) ns: f64,
}

/// The facts on which the choice of a method depends, in addition to the frequencies of symbols.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoreCostInput {
    /// Number of symbols in the pattern.
    pub(super) m: usize,
    /// Whether the text has symbols that the pattern does not have.
    pub(super) has_others: bool,
    /// Whether symbols are bytes.
    pub(super) is_byte: bool,
    /// Number of offsets in the text, if known.
    pub(super) offsets: Option<u64>,
}

/// The rule by which symbols use lists of occurrences instead of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListedSymbols {
    /// Only symbols for which no code is left use lists.
    Needed,
    /// Symbols for which a list is faster than a code also use lists.
    Cheaper,
}

impl SymbolCounts {
    /// Chooses the plan with the least time for the facts `given`. If `method` is given and possible, only plans with
    /// this method are compared.
    pub(super) fn cheapest(&self, method: Option<ScoreMethod>, given: ScoreCostInput) -> ScorePlan {
        let methods = [ScoreMethod::Compare, ScoreMethod::Add, ScoreMethod::Transform]
            .into_iter()
            .filter(|one| method.is_none_or(|method| method == *one));
        let ways =
            methods.flat_map(|method| [ListedSymbols::Needed, ListedSymbols::Cheaper].map(|lists| self.plan_method(method, lists, given)));
        let cheapest = ways.min_by(|one, other| one.ns.total_cmp(&other.ns)).expect("there is a way by every method");
        // The requested method may not support a pattern of this length, but another one does.
        if cheapest.ns.is_infinite() && method.is_some() { self.cheapest(None, given) } else { cheapest }
    }

    /// Plans the count with `method` for the facts `given`, where `lists` is the rule for symbols with lists of
    /// occurrences. If there are more distinct symbols than codes (256 for bytes, otherwise [`MAX_CODED_SYMBOLS`]), the
    /// symbols with the most expected pairs of equal symbols get codes.
    fn plan_method(&self, method: ScoreMethod, lists: ListedSymbols, given: ScoreCostInput) -> ScorePlan {
        let ScoreCostInput { m, has_others, is_byte, offsets } = given;
        let most = if is_byte { 256 } else { MAX_CODED_SYMBOLS };
        let (shape, transform_ns) = TransformShape::cheapest(m, self.distinct.min(most), offsets);
        let mut symbols: Vec<usize> = (0..self.rows.len()).filter(|&symbol| self.rows[symbol] > 0).collect();
        symbols.sort_by(|&one, &other| self.pairs(other).total_cmp(&self.pairs(one)).then(one.cmp(&other)));
        let mut listed = vec![false; self.rows.len()];
        let mut ns = 0.0;
        for (rank, &symbol) in symbols.iter().enumerate() {
            let dense_ns = match method {
                // Bytes are compared directly, and a pass for lists costs more than it saves.
                ScoreMethod::Compare if self.distinct <= most => 0.0,
                ScoreMethod::Compare => f64::from(self.rows[symbol]) * COMPARE_NS,
                ScoreMethod::Add => f64::from(self.rows[symbol]) * ADD_NS + PLANE_NS,
                ScoreMethod::Transform => transform_ns,
            };
            if rank >= most || (lists == ListedSymbols::Cheaper && self.pairs(symbol) * PAIR_NS < dense_ns) {
                listed[symbol] = true;
                ns += self.pairs(symbol) * PAIR_NS;
            }
        }
        if listed.contains(&true) {
            ns += LIST_NS;
        }
        let coded: Vec<usize> = symbols.into_iter().filter(|&symbol| !listed[symbol]).collect();
        let rows: f64 = coded.iter().map(|&symbol| f64::from(self.rows[symbol])).sum();
        let codes = coded.len() + usize::from(has_others || coded.len() < self.distinct);
        ns += match method {
            ScoreMethod::Compare => rows * COMPARE_NS / CompareKernel::at_once_with(codes) as f64,
            ScoreMethod::Add => {
                let block = adders::block(m, coded.len());
                let again = (block + m) as f64 / block as f64;
                let fits = coded.len() * (block + m) <= MAX_PLANES_BYTES;
                if !adders::can_address(m, coded.len(), block) {
                    f64::INFINITY
                } else if fits {
                    rows * ADD_NS + coded.len() as f64 * PLANE_NS * again + OFFSET_OVERHEAD_NS
                } else {
                    f64::MAX
                }
            }
            // Spectra of the pattern that are not stored are computed again for each block.
            ScoreMethod::Transform if !shape.keeps(m, coded.len()) => (2 * coded.len() + 1) as f64 * transform_ns,
            ScoreMethod::Transform => (coded.len() + 1) as f64 * transform_ns,
        };
        ScorePlan { listed, method, shape, ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 256 symbols, each with eight planes of two and a half megabytes.
    #[test]
    fn planes_beyond_32_bit_addresses_are_not_chosen() {
        let symbols: Vec<u8> = (0..20_000_000u32).map(|row| row as u8).collect();
        let way = |m: usize| {
            let given = ScoreCostInput { m, has_others: false, is_byte: true, offsets: None };
            SymbolCounts::new(&symbols[..m], &[]).cheapest(Some(ScoreMethod::Add), given).method
        };
        assert_eq!(way(100_000), ScoreMethod::Add);
        assert_ne!(way(20_000_000), ScoreMethod::Add);
    }
}
