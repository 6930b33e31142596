//! Excerpts: shortened displayed forms of units, that is, of the symbols of a text, such as lines or words. One unit
//! may be a whole text, and a window of an alignment may have many units.

use std::ops::Range;

use kernels::text::Text;

/// Maximum number of bytes shown of one unit, without the ellipsis.
pub const MAX_UNIT_BYTES: usize = 1000;

/// Maximum total size, in bytes, of the excerpts from one text in a window, without their ellipses. As JSON, excerpts
/// of control characters take six times as many bytes.
pub const MAX_UNITS_BYTES: u64 = 2 << 20;

/// Returns the maximum number of bytes to show of each unit, given the sizes of all units in bytes. This is
/// [`MAX_UNIT_BYTES`], or an equal share of [`MAX_UNITS_BYTES`] if the excerpts together would exceed this total. Takes
/// O(units) time.
pub fn max_bytes_of_each(units: impl ExactSizeIterator<Item = u64>) -> usize {
    let number = units.len().max(1) as u64;
    let all: u64 = units.map(|bytes| bytes.min(MAX_UNIT_BYTES as u64)).sum();
    if all <= MAX_UNITS_BYTES { MAX_UNIT_BYTES } else { ((MAX_UNITS_BYTES / number) as usize).min(MAX_UNIT_BYTES) }
}

/// Returns `unit` unchanged if it has at most `most` bytes. Otherwise returns its first `most` bytes, cut at a
/// character boundary, and an ellipsis.
pub fn truncate(mut unit: String, most: usize) -> String {
    if unit.len() > most {
        unit.truncate(unit.floor_char_boundary(most));
        unit.shrink_to_fit();
        unit.push('…');
    }
    unit
}

/// Returns `unit` unchanged if it has at most [`MAX_UNIT_BYTES`] bytes. Otherwise returns its first [`MAX_UNIT_BYTES`]
/// bytes, cut at a character boundary, and an ellipsis.
pub fn excerpt(unit: String) -> String {
    truncate(unit, MAX_UNIT_BYTES)
}

/// Returns the displayed form of each unit of `text` with a number in `units`. Units are shortened so that all together
/// have at most [`MAX_UNITS_BYTES`] bytes, without the ellipses. Takes time proportional to the length of the units,
/// and memory for the result and one whole unit.
///
/// # Panics
/// Panics if `units` reaches beyond the text.
pub fn display_units(text: &Text, units: Range<u64>) -> Vec<String> {
    let units = units.start as usize..units.end as usize;
    let most = max_bytes_of_each(units.clone().map(|at| text.range(at).len() as u64));
    units.map(|at| truncate(text.display_unit(at), most)).collect()
}

#[cfg(test)]
mod tests {
    use kernels::text::{Pair, ReadingOptions, Unit};

    use super::*;

    #[test]
    fn long_units_are_truncated_at_whole_letters() {
        for unit in ["", "a line\n", &"é".repeat(MAX_UNIT_BYTES / 2)] {
            assert_eq!(excerpt(unit.to_owned()), unit);
        }
        assert_eq!(excerpt("x".repeat(MAX_UNIT_BYTES + 1)), "x".repeat(MAX_UNIT_BYTES) + "…");
        assert_eq!(excerpt(format!("x{}", "é".repeat(MAX_UNIT_BYTES))), format!("x{}…", "é".repeat((MAX_UNIT_BYTES - 1) / 2)));
    }

    #[test]
    fn many_long_units_share_the_byte_limit_of_a_window() {
        let line = "x".repeat(900) + "\n";
        let pair =
            Pair::parse(line.repeat(20_000).into_bytes(), &b""[..], &ReadingOptions { unit: Unit::Lines, ..ReadingOptions::default() })
                .unwrap();
        let bytes = |lines: u64| display_units(&pair.a, 0..lines).iter().map(String::len).collect::<Vec<_>>();
        assert!(bytes(2_000).iter().all(|bytes| *bytes == line.len()), "2,000 units are shown whole");
        let all = bytes(20_000);
        let part = MAX_UNITS_BYTES as usize / 20_000;
        assert!(all.iter().all(|bytes| *bytes == part + '…'.len_utf8()), "{part} bytes each: {:?}", &all[..3]);
    }
}
