//! Excerpt: of a unit that is shown so much as anybody reads. A line or a word may be the whole text.

/// Most bytes of a unit that are shown.
const MOST: usize = 1000;

/// The unit as it is, or its first bytes and an ellipsis.
pub(crate) fn excerpt(mut unit: String) -> String {
    if unit.len() > MOST {
        unit.truncate(unit.floor_char_boundary(MOST));
        unit.shrink_to_fit();
        unit.push('…');
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_units_end_with_a_whole_letter() {
        for unit in ["", "a line\n", &"é".repeat(MOST / 2)] {
            assert_eq!(excerpt(unit.to_owned()), unit);
        }
        assert_eq!(excerpt("x".repeat(MOST + 1)), "x".repeat(MOST) + "…");
        assert_eq!(excerpt(format!("x{}", "é".repeat(MOST))), format!("x{}…", "é".repeat((MOST - 1) / 2)));
    }
}
