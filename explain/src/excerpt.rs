//! Excerpt: of a unit that is shown so much as anybody reads. A line or a word may be the whole text, and a window has many of them.

use std::ops::Range;

use kernels::text::Text;

/// Most bytes of a unit that are shown.
pub const MOST: usize = 1000;

/// Most bytes of all units of one text that are shown in a window. As JSON they take up to six times as many, where they are control characters.
pub const MOST_IN_ALL: u64 = 2 << 20;

/// Bytes of each unit that are shown where units of so many bytes are: [`MOST`], or, where that would be more than [`MOST_IN_ALL`] together, an equal
/// part of these for each. Time O(units).
pub fn of_each(units: impl ExactSizeIterator<Item = u64>) -> usize {
    let number = units.len().max(1) as u64;
    let all: u64 = units.map(|bytes| bytes.min(MOST as u64)).sum();
    if all <= MOST_IN_ALL { MOST } else { ((MOST_IN_ALL / number) as usize).min(MOST) }
}

/// The unit as it is, or its first `most` bytes and an ellipsis.
pub fn cut(mut unit: String, most: usize) -> String {
    if unit.len() > most {
        unit.truncate(unit.floor_char_boundary(most));
        unit.shrink_to_fit();
        unit.push('…');
    }
    unit
}

/// The unit as it is, or its first [`MOST`] bytes and an ellipsis.
pub fn excerpt(unit: String) -> String {
    cut(unit, MOST)
}

/// These units of a text as they are shown in a window. Time O(length of the units), memory [`MOST_IN_ALL`] and one unit.
///
/// # Panics
/// When the text has not so many units.
pub fn shown(text: &Text, units: Range<u64>) -> Vec<String> {
    let units = units.start as usize..units.end as usize;
    let most = of_each(units.clone().map(|at| text.range(at).len() as u64));
    units.map(|at| cut(text.show(at), most)).collect()
}

#[cfg(test)]
mod tests {
    use kernels::text::{Pair, Reading, Unit};

    use super::*;

    #[test]
    fn long_units_end_with_a_whole_letter() {
        for unit in ["", "a line\n", &"é".repeat(MOST / 2)] {
            assert_eq!(excerpt(unit.to_owned()), unit);
        }
        assert_eq!(excerpt("x".repeat(MOST + 1)), "x".repeat(MOST) + "…");
        assert_eq!(excerpt(format!("x{}", "é".repeat(MOST))), format!("x{}…", "é".repeat((MOST - 1) / 2)));
    }

    #[test]
    fn many_long_units_share_what_a_window_may_have() {
        let line = "x".repeat(900) + "\n";
        let pair = Pair::parse(line.repeat(20_000).into_bytes(), &b""[..], &Reading { unit: Unit::Lines, ..Reading::default() }).unwrap();
        let bytes = |lines: u64| shown(&pair.a, 0..lines).iter().map(String::len).collect::<Vec<_>>();
        assert!(bytes(2_000).iter().all(|bytes| *bytes == line.len()), "so few are shown whole");
        let all = bytes(20_000);
        let part = MOST_IN_ALL as usize / 20_000;
        assert!(all.iter().all(|bytes| *bytes == part + '…'.len_utf8()), "{part} bytes each: {:?}", &all[..3]);
    }
}
