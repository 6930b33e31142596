//! Rates: figures that relate the edits of an alignment to the lengths of the texts.

use crate::alignment::AlignmentSummary;
use crate::job::EditCosts;

/// Returns the normalised similarity of two texts of `m` and `n` symbols with the Levenshtein distance `distance`: from 0
/// if no symbol is equal to 1 if all are.
///
/// ```
/// assert_eq!(kernels::rates::similarity(3, (6, 8)), 0.625);
/// assert_eq!(kernels::rates::similarity(0, (0, 0)), 1.0);
/// ```
pub fn similarity(distance: u64, (m, n): (u64, u64)) -> f64 {
    let longer = m.max(n);
    if longer == 0 { 1.0 } else { longer.saturating_sub(distance) as f64 / longer as f64 }
}

/// The error rate of a text with another text as the reference. For words it is the word error rate (WER), for
/// characters the character error rate (CER).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorRate {
    /// Number of substitutions, deletions and insertions that turn the reference into the text.
    pub errors: u64,
    /// Length of the reference in symbols, at least 1.
    pub reference_length: u64,
}

impl ErrorRate {
    /// Counts the errors of an alignment of a reference of `reference_length` symbols, which is optimal for `costs`.
    /// Returns `None` if the reference is empty, or if exchanges count as one edit, because error rates have none.
    pub fn new(summary: &AlignmentSummary, reference_length: u64, costs: &EditCosts) -> Option<Self> {
        let is_defined = reference_length > 0 && costs.transpose.is_none();
        is_defined.then(|| Self { errors: summary.mismatches + summary.deletions + summary.insertions, reference_length })
    }

    /// Returns the rate as a number from 0, which may exceed 1.
    pub fn share(self) -> f64 {
        self.errors as f64 / self.reference_length as f64
    }

    /// Returns the rate in per cent, cut after one decimal: the whole number and the decimal.
    ///
    /// ```
    /// let rate = kernels::rates::ErrorRate { errors: 2, reference_length: 3 };
    /// assert_eq!(rate.percent(), (66, 6));
    /// ```
    pub fn percent(self) -> (u64, u64) {
        let tenths = 1000 * u128::from(self.errors) / u128::from(self.reference_length.max(1));
        (u64::try_from(tenths / 10).unwrap_or(u64::MAX), (tenths % 10) as u64)
    }
}
