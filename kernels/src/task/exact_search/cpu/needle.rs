//! The prepared pattern: a choice of symbols to compare, and their order.
//!
//! A probe is one symbol of the pattern with its offset. All positions at which a few probes agree with the text are
//! found 64 at a time, and with well-chosen probes these positions are few. The text itself guides the choice: some of
//! its positions are sampled. The first probe agrees with the text at as few of these positions as possible. The second
//! probe agrees at as few of the remaining ones as possible, and so on. This handles rare letters, absent letters, and
//! letters that depend on each other, in any alphabet.

use std::sync::{Mutex, PoisonError};

use fearless_simd::{Level, Simd, dispatch};

use super::factors::CriticalFactorization;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::symbol::lanes::LANES;

/// Maximum length of a short pattern. All of its symbols are probes, so that every candidate is an occurrence.
pub(super) const MAX_SHORT_NEEDLE: usize = 32;

/// Number of probes of a pattern that is not short.
const PROBES: usize = 16;
/// Maximum number of offsets in the pattern among which the probes of a pattern that is not short are chosen.
const PROBE_CANDIDATES: usize = 64;

/// Possible numbers of probes that are compared before the first check whether any position is still a candidate (all
/// probes so far agree with the text there).
pub(super) const HEADS: [usize; 7] = [1, 2, 3, 4, 6, 8, 12];

/// Maximum number of windows of 64 positions that are sampled in the text.
const SAMPLED_WINDOWS: usize = 16;
/// Minimum number of 64-position windows in the text for each sampled window.
const MIN_WINDOWS_PER_SAMPLE: usize = 16;

/// Maximum number of sampled positions at which the first two probes agree with the text, if their symbols are to be
/// treated as rare.
const MAX_RARE_POSITIONS: u32 = 3;

/// Number of symbols at the start of a long pattern among which distinct symbols are searched as candidates for probes.
const MAX_KIND_SEARCH_SYMBOLS: usize = 1 << 14;

/// One symbol of the pattern and its offset, to be compared with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SymbolProbe<T> {
    pub(super) offset: usize,
    pub(super) symbol: T,
}

/// A pattern that is not empty, prepared for the search in a text.
pub(super) struct Needle<'p, T> {
    pub(super) pattern: &'p [T],
    /// Probes in the order in which to compare them. If the pattern is short, these are all of its symbols.
    pub(super) probes: Vec<SymbolProbe<T>>,
    /// Number of probes that are compared before the first check whether any position is still a candidate (all probes
    /// so far agree with the text there): one of [`HEADS`].
    pub(super) head: usize,
    /// Whether the first two probes (symbols of the pattern) agree with the text at no more than [`MAX_RARE_POSITIONS`]
    /// of the sampled positions. `false` if the text is too short for a whole sample.
    pub(super) is_rare: bool,
    factors: Mutex<Option<CriticalFactorization>>,
}

impl<'p, T: Symbol> Needle<'p, T> {
    /// Prepares `pattern` for the search in `text`, which must be at least as long. Takes O(1) time, apart from a scan
    /// of the first symbols of a long pattern.
    pub(super) fn new(pattern: &'p [T], text: &[T]) -> Self {
        let offsets = offsets(pattern);
        let wanted = if pattern.len() <= MAX_SHORT_NEEDLE { pattern.len() } else { PROBES };
        let all: Vec<SymbolProbe<T>> = offsets.iter().map(|&offset| SymbolProbe { offset, symbol: pattern[offset] }).collect();
        let ProbeOrder { order, needed, two_leave } =
            dispatch!(Level::new(), s => order(s, &all, text, text.len() - pattern.len() + 1, wanted));
        let probes: Vec<SymbolProbe<T>> = order.into_iter().map(|at| all[at]).collect();
        let mut fitting = HEADS.into_iter().filter(|&head| head <= probes.len());
        let head = fitting.clone().find(|&head| head >= needed).or_else(|| fitting.next_back()).unwrap_or(1);
        let is_rare = probes.len() >= 2 && two_leave.is_some_and(|left| left <= MAX_RARE_POSITIONS);
        Self { pattern, head, probes, is_rare, factors: Mutex::new(None) }
    }

    /// Returns whether the pattern is short, so that all of its symbols are probes.
    pub(super) fn is_short(&self) -> bool {
        self.pattern.len() <= MAX_SHORT_NEEDLE
    }

    /// Returns the critical factorization of the pattern. The first call computes it in O(m) time.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn factors(&self, run: &Run) -> Result<CriticalFactorization, Halt> {
        let mut factors = self.factors.lock().unwrap_or_else(PoisonError::into_inner);
        match *factors {
            Some(factors) => Ok(factors),
            None => Ok(*factors.insert(CriticalFactorization::of(self.pattern, run)?)),
        }
    }
}

/// Lists the offsets in the pattern whose symbols may become probes. For a long pattern these are the first occurrences
/// of distinct symbols, and some offsets at equal distances.
fn offsets<T: Symbol>(pattern: &[T]) -> Vec<usize> {
    if pattern.len() <= PROBE_CANDIDATES {
        return (0..pattern.len()).collect();
    }
    let mut kinds: Vec<T> = Vec::new();
    let mut offsets: Vec<usize> = (0..PROBE_CANDIDATES / 2).map(|at| at * (pattern.len() - 1) / (PROBE_CANDIDATES / 2 - 1)).collect();
    for (offset, symbol) in pattern.iter().take(MAX_KIND_SEARCH_SYMBOLS).enumerate() {
        if !kinds.contains(symbol) {
            kinds.push(*symbol);
            offsets.push(offset);
            if kinds.len() == PROBE_CANDIDATES / 2 {
                break;
            }
        }
    }
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}

/// The order in which to compare probes, and its expected effect.
struct ProbeOrder {
    /// Indices of the probes in the order of comparison.
    order: Vec<usize>,
    /// Number of probes that were chosen by the sample. There are hardly any sampled positions at which all of them
    /// agree with the text.
    needed: usize,
    /// Number of sampled positions at which the first two probes agree with the text, or `None` if the text is too
    /// short for a whole sample.
    two_leave: Option<u32>,
}

/// Chooses `wanted` of the `probes` and their order, by the number of sampled positions at which each agrees with
/// `text`. `positions` is the number of positions at which the pattern can occur.
#[inline(always)]
fn order<S: Simd, T: Symbol>(s: S, probes: &[SymbolProbe<T>], text: &[T], positions: usize, wanted: usize) -> ProbeOrder {
    let windows = SAMPLED_WINDOWS.min(positions / (MIN_WINDOWS_PER_SAMPLE * LANES));
    let start = |window: usize| window * (positions - LANES) / windows;
    // Rows of bits: for each probe, the sampled positions at which it agrees with the text.
    let mut agrees = Vec::with_capacity(probes.len() * windows);
    for probe in probes {
        let symbol = probe.symbol.splat(s);
        for window in 0..windows {
            let text = text[start(window) + probe.offset..].first_chunk();
            agrees.push(text.map_or(0, |text| T::bits(T::equal(s, text, symbol))));
        }
    }
    let mut left: Vec<u64> = vec![!0; windows];
    let mut order: Vec<usize> = Vec::with_capacity(wanted);
    let mut needed = 0;
    let mut two_leave = None;
    let mut rest: Vec<usize> = (0..probes.len()).collect();
    let mut enough = false;
    while order.len() < wanted && !enough {
        let leaves = |probe: usize| -> u32 {
            let agrees = &agrees[probe * windows..(probe + 1) * windows];
            left.iter().zip(agrees).map(|(left, agrees)| (left & agrees).count_ones()).sum()
        };
        let Some(best) = (0..rest.len()).min_by_key(|&at| leaves(rest[at])) else { break };
        let probe = rest.remove(best);
        // The sample favours probes that were chosen by it. If one position is still a candidate, one more probe is
        // taken.
        enough = left.iter().map(|left| left.count_ones()).sum::<u32>() <= 1;
        left.iter_mut().zip(&agrees[probe * windows..]).for_each(|(left, agrees)| *left &= agrees);
        let leaves: u32 = left.iter().map(|left| left.count_ones()).sum();
        enough |= leaves == 0;
        if windows == SAMPLED_WINDOWS && (order.len() == 1 || leaves == 0) && two_leave.is_none() {
            two_leave = Some(leaves);
        }
        order.push(probe);
        needed += 1;
    }
    // The remaining probes are taken in steps that spread them over the pattern.
    let missing = wanted - order.len();
    let step = (rest.len() / missing.max(1)).max(1);
    order.extend(rest.iter().step_by(step).take(missing));
    ProbeOrder { order, needed, two_leave }
}
