//! Some neighbouring units of a stored text as a text of their own, for what is computed of a part of it.

use std::io;
use std::ops::Range;

use explain::excerpt::MOST;
use kernels::text::{KnownUnit, Text, Unit};

use super::StoredText;
use crate::results::varint::broken;

/// A part of a text.
#[derive(Debug)]
pub struct TextPart {
    /// Its units, with what stands between the last one and the next, if there is one.
    pub text: Text,
    /// Its first byte in the whole.
    pub byte: u64,
}

impl StoredText {
    /// These units. One read of the text, and two of the index where there is one. `None` when they have more bytes than `most`, or one of them is
    /// so long that the index does not know all of it: then the text is to be read whole.
    ///
    /// # Errors
    /// When a file cannot be read; `InvalidData` when there are not so many units.
    pub fn part(&self, units: Range<u64>, unit: Unit, most: u64) -> io::Result<Option<TextPart>> {
        let has_next = units.end < self.units.len;
        let mut entries = self.entries(units.start..units.end + u64::from(has_next))?;
        let next = has_next.then(|| entries.pop()).flatten().map(|next| next.start);
        let byte = match (entries.first(), next) {
            (Some(first), _) => first.start,
            (None, Some(next)) => next,
            (None, None) => self.bytes.size()?,
        };
        // Units that came of the same bytes share them.
        let end = entries.iter().map(|entry| entry.start + entry.len).fold(next.unwrap_or(byte), u64::max);
        let is_cut = |normal: &String| normal.len() > MOST;
        if end.checked_sub(byte).is_none_or(|bytes| bytes > most) || entries.iter().any(|entry| entry.normal.as_ref().is_some_and(is_cut)) {
            return Ok(None);
        }
        let bytes = self.bytes.range(byte..end)?;
        let place = |at: u64| at.checked_sub(byte).and_then(|at| u32::try_from(at).ok()).ok_or_else(|| broken("the place of a unit"));
        let known: Vec<KnownUnit> = entries
            .into_iter()
            .map(|entry| Ok(KnownUnit { range: place(entry.start)?..place(entry.start + entry.len)?, normal: entry.normal }))
            .collect::<io::Result<_>>()?;
        let text = Text::of_known(bytes, &known, unit, self.units.folded).map_err(|_| broken("a unit"))?;
        Ok(Some(TextPart { text, byte }))
    }
}
