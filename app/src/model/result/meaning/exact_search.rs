//! What an answer of exact search: how often means.

use super::Meaning;
use crate::model::text::words::grouped;
use crate::tr::t;

/// What so many occurrences mean, for texts of these lengths.
pub fn meaning(total: u64, (a, b): (u64, u64)) -> Meaning {
    let says = match total {
        0 => t("places: *a* does not occur in *b*."),
        1 => t("place in *b* holds *a*."),
        _ => t("places in *b* hold *a*, overlapping ones too."),
    };
    let aside = match total {
        0 if a > b => t("It is longer than *b*."),
        0 => "",
        _ if a == 0 => t("An empty text is at every position."),
        _ => "",
    };
    Meaning { number: grouped(total), says: says.into(), aside: aside.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_an_answer() {
        let text = |total, symbols| {
            let said = meaning(total, symbols);
            format!("{} {} {}", said.number, said.says, said.aside)
        };
        assert_eq!(text(0, (6, 600)), "0 places: *a* does not occur in *b*. ");
        assert!(text(0, (6, 3)).ends_with("It is longer than *b*."));
        assert_eq!(text(2, (3, 5)), "2 places in *b* hold *a*, overlapping ones too. ");
        assert_eq!(text(6, (0, 5)), "6 places in *b* hold *a*, overlapping ones too. An empty text is at every position.");
    }
}
