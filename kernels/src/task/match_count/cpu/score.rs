//! Scores as numbers of 8, 16 or 32 bits, and operations on many of them together.

use fearless_simd::{Simd, prelude::*, u8x64, u16x32, u32x16, u64x8};

/// Number of neighbouring scores that are processed in one step.
pub(super) const SCORES_PER_STEP: usize = 64;

/// Summary of the scores at neighbouring offsets: the least score, the greatest score and the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockSummary {
    pub(super) least: u32,
    pub(super) most: u32,
    pub(super) sum: u64,
}

impl BlockSummary {
    /// Computes the summary of `scores`, one by one.
    #[inline(always)]
    pub(super) fn of<T: ScoreInteger>(scores: &[T]) -> Self {
        let mut piece = Self { least: u32::MAX, most: 0, sum: 0 };
        for score in scores {
            let score = score.number();
            piece.least = piece.least.min(score);
            piece.most = piece.most.max(score);
            piece.sum += u64::from(score);
        }
        piece
    }
}

/// A score as a number of 8, 16 or 32 bits. The functions are inlined into kernels that are compiled for every SIMD
/// level.
pub(super) trait ScoreInteger: Copy + Default {
    /// Converts the score to a number.
    fn number(self) -> u32;

    /// Adds to each entry of `scores` the byte of `sums` at the same index.
    fn add<S: Simd>(s: S, scores: &mut [Self], sums: &[u8]);

    /// Adds to each entry of `scores` 256 times the byte of `sums` at the same index. Scores of eight bits only have
    /// room for 0.
    fn add_high<S: Simd>(s: S, scores: &mut [Self], sums: &[u8]);

    /// Computes the summary of `scores`, whose number must be a multiple of [`SCORES_PER_STEP`] and at most 512.
    fn summarize_step<S: Simd>(s: S, scores: &[Self]) -> BlockSummary;

    /// Returns a word whose bit i is set if score i is at least `least`.
    fn at_least<S: Simd>(s: S, scores: &[Self; SCORES_PER_STEP], least: Self) -> u64;

    /// Converts `number` to a score. Numbers that do not fit become the greatest score.
    fn saturated(number: u32) -> Self;
}

impl ScoreInteger for u8 {
    #[inline(always)]
    fn number(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn add<S: Simd>(s: S, scores: &mut [Self], sums: &[u8]) {
        let (whole, rest) = scores.as_chunks_mut::<SCORES_PER_STEP>();
        let (whole_sums, rest_sums) = sums.split_at(whole.len() * SCORES_PER_STEP);
        for (scores, sums) in whole.iter_mut().zip(whole_sums.chunks_exact(SCORES_PER_STEP)) {
            (u8x64::from_slice(s, &scores[..]) + u8x64::from_slice(s, sums)).store_slice(&mut scores[..]);
        }
        rest.iter_mut().zip(rest_sums).for_each(|(score, sum)| *score += sum);
    }

    #[inline(always)]
    fn add_high<S: Simd>(_s: S, _scores: &mut [Self], _sums: &[u8]) {}

    #[inline(always)]
    fn summarize_step<S: Simd>(s: S, scores: &[Self]) -> BlockSummary {
        let (mut least, mut most, mut sum) = (u8x64::splat(s, Self::MAX), u8x64::splat(s, 0), u16x32::splat(s, 0));
        for scores in scores.chunks_exact(SCORES_PER_STEP) {
            let scores = u8x64::from_slice(s, scores);
            least = least.min(scores);
            most = most.max(scores);
            sum += s.pairwise_widening_add_u8x64(scores);
        }
        let sum = s.reduce_sum_u32x16(s.pairwise_widening_add_u16x32(sum));
        BlockSummary { least: s.reduce_min_u8x64(least).into(), most: s.reduce_max_u8x64(most).into(), sum: sum.into() }
    }

    #[inline(always)]
    fn at_least<S: Simd>(s: S, scores: &[Self; SCORES_PER_STEP], least: Self) -> u64 {
        u8x64::from_slice(s, &scores[..]).simd_ge(u8x64::splat(s, least)).to_bitmask()
    }

    fn saturated(number: u32) -> Self {
        number.min(Self::MAX.into()) as Self
    }
}

impl ScoreInteger for u16 {
    #[inline(always)]
    fn number(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn add<S: Simd>(s: S, scores: &mut [Self], sums: &[u8]) {
        let (whole, rest) = scores.as_chunks_mut::<SCORES_PER_STEP>();
        let (whole_sums, rest_sums) = sums.split_at(whole.len() * SCORES_PER_STEP);
        for (scores, sums) in whole.iter_mut().zip(whole_sums.chunks_exact(SCORES_PER_STEP)) {
            let (low, high) = s.widen_u8x64(u8x64::from_slice(s, sums));
            (u16x32::from_slice(s, &scores[..32]) + low).store_slice(&mut scores[..32]);
            (u16x32::from_slice(s, &scores[32..]) + high).store_slice(&mut scores[32..]);
        }
        rest.iter_mut().zip(rest_sums).for_each(|(score, &sum)| *score += Self::from(sum));
    }

    #[inline(always)]
    fn add_high<S: Simd>(_s: S, scores: &mut [Self], sums: &[u8]) {
        scores.iter_mut().zip(sums).for_each(|(score, &sum)| *score += Self::from(sum) << 8);
    }

    #[inline(always)]
    fn summarize_step<S: Simd>(s: S, scores: &[Self]) -> BlockSummary {
        let (mut least, mut most, mut sum) = (u16x32::splat(s, Self::MAX), u16x32::splat(s, 0), u32x16::splat(s, 0));
        for scores in scores.chunks_exact(32) {
            let scores = u16x32::from_slice(s, scores);
            least = least.min(scores);
            most = most.max(scores);
            sum += s.pairwise_widening_add_u16x32(scores);
        }
        let sum = s.reduce_sum_u32x16(sum);
        BlockSummary { least: s.reduce_min_u16x32(least).into(), most: s.reduce_max_u16x32(most).into(), sum: sum.into() }
    }

    #[inline(always)]
    fn at_least<S: Simd>(s: S, scores: &[Self; SCORES_PER_STEP], least: Self) -> u64 {
        let bits = |scores: &[Self]| u16x32::from_slice(s, scores).simd_ge(u16x32::splat(s, least)).to_bitmask();
        bits(&scores[..32]) | bits(&scores[32..]) << 32
    }

    fn saturated(number: u32) -> Self {
        number.min(Self::MAX.into()) as Self
    }
}

impl ScoreInteger for u32 {
    #[inline(always)]
    fn number(self) -> u32 {
        self
    }

    #[inline(always)]
    fn add<S: Simd>(s: S, scores: &mut [Self], sums: &[u8]) {
        let (whole, rest) = scores.as_chunks_mut::<SCORES_PER_STEP>();
        let (whole_sums, rest_sums) = sums.split_at(whole.len() * SCORES_PER_STEP);
        for (scores, sums) in whole.iter_mut().zip(whole_sums.chunks_exact(SCORES_PER_STEP)) {
            let (low, high) = s.widen_u8x64(u8x64::from_slice(s, sums));
            let ((one, two), (three, four)) = (s.widen_u16x32(low), s.widen_u16x32(high));
            for (scores, sums) in scores.chunks_exact_mut(16).zip([one, two, three, four]) {
                (u32x16::from_slice(s, scores) + sums).store_slice(scores);
            }
        }
        rest.iter_mut().zip(rest_sums).for_each(|(score, &sum)| *score += Self::from(sum));
    }

    #[inline(always)]
    fn add_high<S: Simd>(_s: S, scores: &mut [Self], sums: &[u8]) {
        scores.iter_mut().zip(sums).for_each(|(score, &sum)| *score += Self::from(sum) << 8);
    }

    #[inline(always)]
    fn summarize_step<S: Simd>(s: S, scores: &[Self]) -> BlockSummary {
        let (mut least, mut most, mut sum) = (u32x16::splat(s, Self::MAX), u32x16::splat(s, 0), u64x8::splat(s, 0));
        for scores in scores.chunks_exact(16) {
            let scores = u32x16::from_slice(s, scores);
            least = least.min(scores);
            most = most.max(scores);
            let (low, high) = s.widen_u32x16(scores);
            sum = sum + low + high;
        }
        BlockSummary { least: s.reduce_min_u32x16(least), most: s.reduce_max_u32x16(most), sum: s.reduce_sum_u64x8(sum) }
    }

    #[inline(always)]
    fn at_least<S: Simd>(s: S, scores: &[Self; SCORES_PER_STEP], least: Self) -> u64 {
        let bits = |scores: &[Self]| u32x16::from_slice(s, scores).simd_ge(u32x16::splat(s, least)).to_bitmask();
        bits(&scores[..16]) | bits(&scores[16..32]) << 16 | bits(&scores[32..48]) << 32 | bits(&scores[48..]) << 48
    }

    fn saturated(number: u32) -> Self {
        number
    }
}

/// Scores at neighbouring offsets, as numbers of the width that the length of the pattern needs.
#[derive(Clone, Copy, Debug)]
pub enum ScoreSlice<'s> {
    /// Scores of patterns of at most 255 symbols.
    Narrow(&'s [u8]),
    /// Scores of patterns of at most 65,535 symbols.
    Middle(&'s [u16]),
    /// Scores of patterns of more than 65,535 symbols, and of all patterns that are counted by Fourier transforms or
    /// have symbols that are counted by lists.
    Wide(&'s [u32]),
}

impl ScoreSlice<'_> {
    /// Returns the number of offsets.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(scores) => scores.len(),
            Self::Middle(scores) => scores.len(),
            Self::Wide(scores) => scores.len(),
        }
    }

    /// Returns whether there are no scores.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the scores in the order of their offsets.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        let (narrow, middle, wide) = match self {
            Self::Narrow(scores) => (*scores, &[][..], &[][..]),
            Self::Middle(scores) => (&[][..], *scores, &[][..]),
            Self::Wide(scores) => (&[][..], &[][..], *scores),
        };
        let (narrow, middle) = (narrow.iter().map(|&score| score.into()), middle.iter().map(|&score| score.into()));
        narrow.chain(middle).chain(wide.iter().map(|&score| score.into()))
    }
}
