//! The meaning of an answer of exact search: the number of occurrences of the pattern.

use super::AnswerMeaning;
use crate::model::text::humanize::{self, grouped};
use crate::tr::t;

/// Returns the sentences about `total` occurrences of a pattern of `a` symbols in a text of `b` symbols.
pub fn meaning(total: u64, (a, b): (u64, u64)) -> AnswerMeaning {
    if a == 0 {
        return AnswerMeaning { says: t("Type a pattern to search for.").into(), ..AnswerMeaning::default() };
    }
    let (number, says, aside) = match total {
        0 if a > b => (t("No"), t("occurrence of *a*."), t("The pattern is longer than the text.")),
        0 => (t("No"), t("occurrence of *a*."), ""),
        _ if humanize::is_one(total) => ("", t("occurrence of *a*."), ""),
        _ => ("", t("occurrences of *a*."), t("Overlaps count.")),
    };
    let number = if number.is_empty() { grouped(total) } else { number.into() };
    AnswerMeaning { number, says: says.into(), aside: aside.into(), ..AnswerMeaning::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_occurrences_is_stated_also_if_zero() {
        let text = |total, symbols| {
            let said = meaning(total, symbols);
            format!("{} {} {}", said.number, said.says, said.aside)
        };
        assert_eq!(text(0, (6, 600)), "No occurrence of *a*. ");
        assert!(text(0, (6, 3)).ends_with("The pattern is longer than the text."));
        assert_eq!(text(2, (3, 5)), "2 occurrences of *a*. Overlaps count.");
        assert_eq!(text(1, (3, 5)), "1 occurrence of *a*. ");
        assert_eq!(text(6, (0, 5)), " Type a pattern to search for. ");
    }
}
