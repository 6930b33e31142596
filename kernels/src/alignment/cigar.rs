//! Cigar: parses CIGAR strings, the usual notation of alignments.

use std::str::FromStr;

use super::{Alignment, EditKind};
use crate::failure::JobFailure;

/// Maximum number of columns of a parsed alignment: that of two texts of maximum length without equal symbols. Without
/// this limit, a few digits could stand for unlimited memory.
const MAX_CIGAR_COLUMNS: u64 = 2 * u32::MAX as u64;

/// Parses a CIGAR such as `1X3=1X1=1I`. Rejects the letter `M`, which other programs write for equal and unequal
/// symbols alike.
impl FromStr for Alignment {
    type Err = JobFailure;

    fn from_str(cigar: &str) -> Result<Self, JobFailure> {
        let mut alignment = Self::default();
        let mut len: Option<u64> = None;
        for (at, char) in cigar.char_indices() {
            let bad = |what: &str| JobFailure::bad_input(format!("The CIGAR is wrong at character {at}: {what}."));
            if let Some(digit) = char.to_digit(10) {
                let longer = len.unwrap_or(0).checked_mul(10).and_then(|len| len.checked_add(digit.into()));
                len = Some(longer.ok_or_else(|| bad("the number is too large"))?);
                continue;
            }
            let edit = match char {
                '=' => EditKind::Equal,
                'X' => EditKind::Substitute,
                'I' => EditKind::Insert,
                'D' => EditKind::Delete,
                'T' => EditKind::Transpose,
                'M' => return Err(bad("M does not say which columns are equal; use = and X")),
                _ => return Err(bad("only =, X, I, D and T are known")),
            };
            let len = len.take().ok_or_else(|| bad("a number must stand before the letter"))?;
            if alignment.summary.columns.saturating_add(len) > MAX_CIGAR_COLUMNS {
                return Err(bad("no two texts have so many columns"));
            }
            if edit == EditKind::Transpose && len % 2 == 1 {
                return Err(bad("T needs two columns for each exchange"));
            }
            alignment.push(edit, len);
        }
        match len {
            Some(_) => Err(JobFailure::bad_input("The CIGAR ends with a number.")),
            None => Ok(alignment),
        }
    }
}
