//! Deletions: two members with at most k edits become equal by at most k deletions in each of them.
//!
//! Each substitution is a deletion in both members. Two members become equal by exactly k deletions in the longer one,
//! and by fewer ones in the shorter one by the difference of their lengths, because equal symbols can be deleted in
//! both. So a member needs its variants with k deletions, and variants with fewer deletions if there are longer members
//! (Mor and Fraenkel 1982; Garbe's SymSpell makes all variants).
//!
//! The hash of a variant is a sum over its symbols, made in O(1) time from sums over parts of the member. Hashes are
//! made and compared in rounds, each of which takes a part of all hashes, so that the memory is bounded.

use super::{BoundedDistance, Join, NearPair};
use crate::cpu::try_spread;
use crate::run::Halt;
use crate::symbol::Symbol;

/// Maximum number of deletions.
const MAX_DELETIONS: usize = 3;

/// Maximum length of a member.
const MAX_LENGTH: usize = 64;

/// Estimated time of a variant, in nanoseconds.
const VARIANT_NS: f64 = 20.0;

/// Number of variants that a round takes on average. Each takes 16 bytes.
const ROUND: u64 = 1 << 23;

/// Maximum average number of hashes that are compared together, in a cache.
const BUCKET: usize = 1 << 10;

/// Number of members between two reports of progress.
const BLOCK: usize = 1 << 12;

/// Marks a member of the columns, if both sides differ.
const COLUMN: u32 = 1 << 31;

/// An odd number whose powers are the weights of the places of symbols.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the inverse of the odd number `x` modulo 2⁶⁴ (Newton's method).
const fn inverse(x: u64) -> u64 {
    let mut y = x;
    let mut round = 0;
    while round < 6 {
        y = y.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(y)));
        round += 1;
    }
    y
}

/// Sums over the first symbols of a member, for each number of deletions before them.
struct VariantHasher {
    sums: [[u64; MAX_LENGTH + 1]; MAX_DELETIONS + 1],
    is_repeated: [bool; MAX_LENGTH + 1],
    len: usize,
}

impl VariantHasher {
    fn new() -> Self {
        Self { sums: [[0; MAX_LENGTH + 1]; MAX_DELETIONS + 1], is_repeated: [false; MAX_LENGTH + 1], len: 0 }
    }

    /// Prepares variants of `member` with up to `deletions` deletions.
    fn prepare<T: Symbol>(&mut self, member: &[T], deletions: usize) {
        const INVERSE: u64 = inverse(BASE);
        self.len = member.len();
        let mut weight = 1u64;
        let mut before = None;
        for (place, symbol) in member.iter().enumerate() {
            let value = u64::from(symbol.number()).wrapping_add(1).wrapping_mul(0xd6e8_feb8_6659_fd93);
            let mut term = (value ^ value >> 32).wrapping_mul(weight);
            for sums in &mut self.sums[..=deletions] {
                sums[place + 1] = sums[place].wrapping_add(term);
                term = term.wrapping_mul(INVERSE);
            }
            weight = weight.wrapping_mul(BASE);
            self.is_repeated[place] = before == Some(symbol);
            before = Some(symbol);
        }
    }

    /// Calls `take` with the hash of each variant with `deletions` deletions, from the place `start` on after `done`
    /// deletions. Of a run of equal symbols, deletes the first ones only, because the variants are equal.
    fn variants(&self, deletions: usize, done: usize, start: usize, sum: u64, take: &mut impl FnMut(u32)) {
        if deletions == 0 {
            take(self.hash_of_rest(done, start, sum));
            return;
        }
        let sums = &self.sums[done];
        for place in start..=self.len - deletions {
            if place == start || !self.is_repeated[place] {
                let sum = sum.wrapping_add(sums[place]).wrapping_sub(sums[start]);
                // A call for each of the last deletions would take longer than the hash.
                match deletions {
                    1 => take(self.hash_of_rest(done + 1, place + 1, sum)),
                    _ => self.variants(deletions - 1, done + 1, place + 1, sum, take),
                }
            }
        }
    }

    /// Returns the hash of a variant that has all symbols from the place `start` on, after `done` deletions.
    fn hash_of_rest(&self, done: usize, start: usize, sum: u64) -> u32 {
        let sums = &self.sums[done];
        let hash = sum.wrapping_add(sums[self.len]).wrapping_sub(sums[start]);
        ((hash ^ hash >> 32).wrapping_mul(BASE) >> 32) as u32
    }
}

/// Returns the number of ways to choose `k` of `n` places.
fn choices(n: usize, k: usize) -> u64 {
    (0..k).fold(1, |choices, i| choices * (n.saturating_sub(i) as u64) / (i as u64 + 1))
}

impl<T: Symbol> Join<'_, T> {
    /// Estimates the time of this method in nanoseconds. Returns `None` if members are too long or `k` is too large.
    pub(super) fn deletions_ns(&self) -> Option<f64> {
        let is_short = |member: usize| self.corpus.member_len(member) <= MAX_LENGTH;
        let is_suitable = self.k <= MAX_DELETIONS && self.rows.clone().chain(self.columns.clone()).all(is_short);
        is_suitable.then(|| self.variants() as f64 * VARIANT_NS)
    }

    /// Returns the members of both sides, or of one.
    fn all_members(&self) -> impl Iterator<Item = u32> {
        let columns = if self.is_one_sided() { 0..0 } else { self.columns.clone() };
        self.rows.clone().map(|row| row as u32).chain(columns.map(|column| column as u32 | COLUMN))
    }

    /// Returns for each length the numbers of deletions, as bits, with which members of this length have variants.
    fn levels(&self) -> [u8; MAX_LENGTH + 1] {
        let mut is_length = [false; MAX_LENGTH + MAX_DELETIONS + 1];
        self.all_members().for_each(|member| is_length[self.len_of(member & !COLUMN)] = true);
        std::array::from_fn(|len| {
            let deletions = (0..=self.k).filter(|longer| is_length[len + longer]).map(|longer| (self.k - longer).min(len));
            deletions.fold(0, |levels, deletions| levels | 1 << deletions)
        })
    }

    /// Returns the maximum number of variants of all members.
    fn variants(&self) -> u64 {
        let levels = self.levels();
        let of_length = |len: usize| (0..=self.k).filter(|k| levels[len] >> k & 1 == 1).map(|k| choices(len, k)).sum::<u64>();
        self.all_members().map(|member| of_length(self.len_of(member & !COLUMN))).sum()
    }

    /// Finds all pairs by deletions.
    pub(super) fn solve_by_deletions(&self) -> Result<Vec<NearPair>, Halt> {
        let (levels, variants) = (self.levels(), self.variants());
        let rounds = variants.div_ceil(ROUND).max(self.cpu.threads as u64).next_multiple_of(self.cpu.threads as u64);
        let members: Vec<u32> = self.all_members().collect();
        let cells = self.symbols_of(&self.rows) * self.symbols_of(&self.columns) / rounds;
        self.run.raise_expected(cells * rounds);
        let rounds: Vec<std::ops::Range<u64>> =
            (0..rounds).map(|round| (round << 32).div_ceil(rounds)..((round + 1) << 32).div_ceil(rounds)).collect();
        let found = try_spread(&rounds, self.cpu.threads, |hashes| {
            let mut entries = Vec::with_capacity((variants / rounds.len() as u64) as usize);
            let mut hasher = VariantHasher::new();
            for block in members.chunks(BLOCK) {
                for &member in block {
                    let symbols = self.member(member & !COLUMN);
                    hasher.prepare(symbols, self.k);
                    for deletions in (0..=self.k).filter(|k| levels[symbols.len()] >> k & 1 == 1) {
                        hasher.variants(deletions, 0, 0, 0, &mut |hash| {
                            if hashes.contains(&u64::from(hash)) {
                                entries.push(u64::from(hash) << 32 | u64::from(member));
                            }
                        });
                    }
                }
                self.run.tick(0)?;
            }
            let found = self.pairs_of(&entries, hashes)?;
            self.run.tick(cells)?;
            Ok::<_, Halt>(found)
        })?;
        let mut near = found.concat();
        self.compact(&mut near)?;
        Ok(near)
    }

    /// Finds the pairs of members with a common hash. An entry is a hash, in the range `hashes`, and a member.
    fn pairs_of(&self, entries: &[u64], hashes: &std::ops::Range<u64>) -> Result<Vec<NearPair>, Halt> {
        // Buckets have a power of two of the hashes, because a division would take as long as the rest.
        let most = (entries.len() / BUCKET).max(1) as u64;
        let shift = ((hashes.end - hashes.start) / most).max(1).ilog2();
        let buckets = (hashes.end - hashes.start).div_ceil(1 << shift) as usize;
        let bucket_of = |entry: u64| (((entry >> 32) - hashes.start) >> shift) as usize;
        let mut ends = vec![0usize; buckets + 1];
        entries.iter().for_each(|&entry| ends[bucket_of(entry) + 1] += 1);
        for bucket in 1..ends.len() {
            ends[bucket] += ends[bucket - 1];
        }
        let mut sorted = vec![0; entries.len()];
        for &entry in entries {
            let next = &mut ends[bucket_of(entry)];
            sorted[*next] = entry;
            *next += 1;
        }
        let mut distance = BoundedDistance::new(self.k);
        let (mut near, mut allowed) = (Vec::new(), 1 << 20);
        let (mut heads, mut next) = (Vec::new(), Vec::new());
        let mut start = 0;
        for &end in &ends[..buckets] {
            let bucket = &sorted[start..end];
            start = end;
            // Chains of the entries with equal lowest bits of the hash. 0 ends a chain.
            heads.clear();
            heads.resize(bucket.len().next_power_of_two(), 0u32);
            next.clear();
            for (number, &entry) in (1..).zip(bucket) {
                let head = (entry >> 32) as usize & (heads.len() - 1);
                let mut other = std::mem::replace(&mut heads[head], number);
                next.push(other);
                while other != 0 {
                    let candidate = bucket[other as usize - 1];
                    if (candidate ^ entry) >> 32 == 0 {
                        self.check_marked(candidate as u32, entry as u32, &mut distance, &mut near)?;
                    }
                    other = next[other as usize - 1];
                }
            }
            if near.len() > allowed {
                self.run.tick(0)?;
                self.compact(&mut near)?;
                allowed = (2 * near.len()).max(1 << 20);
            }
        }
        Ok(near)
    }

    /// Checks two members with a common variant, which may be of the same side.
    fn check_marked(&self, x: u32, y: u32, distance: &mut BoundedDistance, near: &mut Vec<NearPair>) -> Result<(), Halt> {
        let is_pair = if self.is_one_sided() { x != y } else { (x ^ y) & COLUMN != 0 };
        if !is_pair {
            return Ok(());
        }
        let (row, column) = if x & COLUMN == 0 { (x, y & !COLUMN) } else { (y, x & !COLUMN) };
        self.check(row, column, distance, near)
    }
}
