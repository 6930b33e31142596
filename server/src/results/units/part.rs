//! Parts: adjacent units of a stored text as a text of their own, for computations on this part alone
//! ([`StoredTextPart`]).

use std::io;
use std::ops::Range;

use explain::excerpt::MAX_UNIT_BYTES;
use kernels::text::{KnownUnit, Text, Unit};

use super::StoredText;
use crate::results::varint::invalid_data;

/// Adjacent units of a stored text that were read as a text of their own.
#[derive(Debug)]
pub struct StoredTextPart {
    /// The part as a text. Its bytes end where the unit after the part begins, or at the last unit of the whole text.
    pub text: Text,
    /// Offset of the part's first byte in the bytes of the whole text.
    pub byte: u64,
}

impl StoredText {
    /// Reads the units with the numbers `units` as a text of their own. `unit` is their kind. Takes one read of the
    /// text, and two of the index if there is one.
    ///
    /// Returns `None` if the units have more than `most` bytes, or if a unit is too long for the index. Then the text
    /// must be read whole.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or `InvalidData` if the units do not exist.
    pub fn part(&self, units: Range<u64>, unit: Unit, most: u64) -> io::Result<Option<StoredTextPart>> {
        let has_next = units.end < self.units.len;
        let mut entries = self.entries(units.start..units.end + u64::from(has_next))?;
        let next = has_next.then(|| entries.pop()).flatten().map(|next| next.start);
        let byte = match (entries.first(), next) {
            (Some(first), _) => first.start,
            (None, Some(next)) => next,
            (None, None) => self.bytes.size()?,
        };
        // The maximum of all ends, because several units may stand for the same bytes.
        let end = entries.iter().map(|entry| entry.start + entry.len).fold(next.unwrap_or(byte), u64::max);
        let is_cut = |normal: &String| normal.len() > MAX_UNIT_BYTES;
        if end.checked_sub(byte).is_none_or(|bytes| bytes > most) || entries.iter().any(|entry| entry.normal.as_ref().is_some_and(is_cut)) {
            return Ok(None);
        }
        let bytes = self.bytes.range(byte..end)?;
        let place = |at: u64| at.checked_sub(byte).and_then(|at| u32::try_from(at).ok()).ok_or_else(|| invalid_data("the place of a unit"));
        let known: Vec<KnownUnit> = entries
            .into_iter()
            .map(|entry| Ok(KnownUnit { range: place(entry.start)?..place(entry.start + entry.len)?, normal: entry.normal }))
            .collect::<io::Result<_>>()?;
        let text = Text::from_known(bytes, &known, unit, self.units.folded).map_err(|_| invalid_data("a unit"))?;
        Ok(Some(StoredTextPart { text, byte }))
    }
}
