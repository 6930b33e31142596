//! The way to count a pattern that takes the least time, from how often symbols occur.
//!
//! Time per offset, in nanoseconds: m / 170 for comparing m rows, divided by the rows of one look; less for adding them up, and some
//! for each symbol; for lists 4, and 1 for each pair of equal symbols; and some for each transform. Symbols go by lists where that is
//! the least for them, the others are all compared, all added up or all transformed. The example `crossover` measures whether the choice is the better one; only the ratios of these times matter.

use super::adders;
use super::compare::Rows;
use super::spectrum::TransformShape;
use super::symbol_counts::SymbolCounts;

/// Time to compare one row at one offset, in nanoseconds (170 GCUPS on one core with AVX-512).
const COMPARE_NS: f64 = 1.0 / 170.0;

/// Time to add one row up, to make one symbol's planes, and what is left beside them, in nanoseconds.
const ADD_NS: f64 = COMPARE_NS / 5.6;
const PLANE_NS: f64 = 0.024;
const ADDED_NS: f64 = 0.13;

/// Most bytes of planes.
const PLANES: usize = 32 << 20;

/// Time to add 1 for one pair of equal symbols, in nanoseconds.
const PAIR_NS: f64 = 1.0;

/// Time to look up the list of one symbol of the text, in nanoseconds.
const LIST_NS: f64 = 2.0;

/// Most symbols that have codes: one more code stands for all others.
const CODED: usize = 255;

/// How scores are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every row is compared at every offset.
    Compare,
    /// As bits, which are added up.
    Add,
    /// Fourier transforms.
    Transform,
}

/// A way to count, and what it takes for one offset.
pub(super) struct Way {
    /// For each symbol of the pattern, whether it goes by lists.
    pub(super) listed: Vec<bool>,
    pub(super) method: Method,
    pub(super) shape: TransformShape,
    pub(super) ns: f64,
}

/// What a way depends on beside frequencies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// Symbols of the pattern.
    pub(super) m: usize,
    /// Whether the text has symbols that the pattern has not.
    pub(super) has_others: bool,
    /// Whether symbols are bytes.
    pub(super) is_byte: bool,
    /// Number of offsets, where it is known.
    pub(super) offsets: Option<u64>,
}

/// Which symbols go by lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    /// Those for which there is no code.
    Needed,
    /// Those too that take less time so.
    Cheaper,
}

impl SymbolCounts {
    /// The cheapest way, by a method where it is given.
    pub(super) fn cheapest(&self, method: Option<Method>, given: Circumstances) -> Way {
        let methods =
            [Method::Compare, Method::Add, Method::Transform].into_iter().filter(|one| method.is_none_or(|method| method == *one));
        let ways = methods.flat_map(|method| [Listed::Needed, Listed::Cheaper].map(|lists| self.way(method, lists, given)));
        let cheapest = ways.min_by(|one, other| one.ns.total_cmp(&other.ns)).expect("there is a way by every method");
        // A method that was asked for may have no room for a pattern so long; another one has.
        if cheapest.ns.is_infinite() && method.is_some() { self.cheapest(None, given) } else { cheapest }
    }

    /// A way by a method. Codes are given to at most [`CODED`] symbols, those with most pairs, if there are more.
    fn way(&self, method: Method, lists: Listed, given: Circumstances) -> Way {
        let Circumstances { m, has_others, is_byte, offsets } = given;
        let most = if is_byte { 256 } else { CODED };
        let (shape, transform_ns) = TransformShape::cheapest(m, self.distinct.min(most), offsets);
        let mut symbols: Vec<usize> = (0..self.rows.len()).filter(|&symbol| self.rows[symbol] > 0).collect();
        symbols.sort_by(|&one, &other| self.pairs(other).total_cmp(&self.pairs(one)).then(one.cmp(&other)));
        let mut listed = vec![false; self.rows.len()];
        let mut ns = 0.0;
        for (rank, &symbol) in symbols.iter().enumerate() {
            let dense_ns = match method {
                // Bytes are compared as they are, and a pass for lists costs more than it saves.
                Method::Compare if self.distinct <= most => 0.0,
                Method::Compare => f64::from(self.rows[symbol]) * COMPARE_NS,
                Method::Add => f64::from(self.rows[symbol]) * ADD_NS + PLANE_NS,
                Method::Transform => transform_ns,
            };
            if rank >= most || (lists == Listed::Cheaper && self.pairs(symbol) * PAIR_NS < dense_ns) {
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
            Method::Compare => rows * COMPARE_NS / Rows::at_once_with(codes) as f64,
            Method::Add => {
                let block = adders::block(m, coded.len());
                let again = (block + m) as f64 / block as f64;
                let fits = coded.len() * (block + m) <= PLANES;
                if !adders::can_address(m, coded.len(), block) {
                    f64::INFINITY
                } else if fits {
                    rows * ADD_NS + coded.len() as f64 * PLANE_NS * again + ADDED_NS
                } else {
                    f64::MAX
                }
            }
            // Spectra of the pattern that are not kept are made again for each block.
            Method::Transform if !shape.keeps(m, coded.len()) => (2 * coded.len() + 1) as f64 * transform_ns,
            Method::Transform => (coded.len() + 1) as f64 * transform_ns,
        };
        Way { listed, method, shape, ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 256 symbols, each with eight planes of two and a half megabytes.
    #[test]
    fn planes_that_32_bits_do_not_address_are_not_made() {
        let symbols: Vec<u8> = (0..20_000_000u32).map(|row| row as u8).collect();
        let way = |m: usize| {
            let given = Circumstances { m, has_others: false, is_byte: true, offsets: None };
            SymbolCounts::new(&symbols[..m], &[]).cheapest(Some(Method::Add), given).method
        };
        assert_eq!(way(100_000), Method::Add);
        assert_ne!(way(20_000_000), Method::Add);
    }
}
