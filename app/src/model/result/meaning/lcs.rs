//! What an answer of the longest common subsequence means.

use kernels::job::Unit;

use super::Meaning;
use crate::model::text::words::{self, grouped};
use crate::tr;
use crate::tr::t;

/// What a length between texts of these lengths means.
pub fn meaning(length: u64, (a, b): (u64, u64), unit: Unit) -> Meaning {
    let name = match (unit, length) {
        (Unit::Bytes, 1) => t("byte"),
        (Unit::Bytes, _) => t("bytes"),
        (Unit::Chars, 1) => t("character"),
        (Unit::Chars, _) => t("characters"),
        (Unit::Graphemes, 1) => t("letter"),
        (Unit::Graphemes, _) => t("letters"),
        (Unit::Words, 1) => t("word"),
        (Unit::Words, _) => t("words"),
        (Unit::Lines, 1) => t("line"),
        (Unit::Lines, _) => t("lines"),
    };
    let says = match length {
        0 if a == 0 || b == 0 => tr!("{symbols}: nothing is common with an empty text.", symbols = name),
        0 => tr!("{symbols}: *a* and *b* have nothing in common.", symbols = name),
        _ if length == a && a == b => tr!("{symbols}: *a* and *b* are equal.", symbols = name),
        _ if length == a => tr!("{symbols}: all of *a* is in *b*, in the same order.", symbols = name),
        _ if length == b => tr!("{symbols}: all of *b* is in *a*, in the same order.", symbols = name),
        _ => tr!("{symbols} are in *a* and *b* in the same order.", symbols = name),
    };
    let aside = match a.max(b) {
        0 => String::new(),
        longer => {
            let share = words::percent(length as f64 / longer as f64);
            tr!("Similarity {share}, that is its length ÷ the longer length, {of}.", share = share, of = words::symbols(longer, unit))
        }
    };
    Meaning { number: grouped(length), says, aside }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(length: u64, symbols: (u64, u64)) -> String {
        let said = meaning(length, symbols, Unit::Graphemes);
        format!("{} {} {}", said.number, said.says.replace('*', ""), said.aside)
    }

    #[test]
    fn the_length_and_what_it_means() {
        let kitten = "4 letters are in a and b in the same order. Similarity 57.1%, that is its length ÷ the longer length, 7 letters.";
        assert_eq!(text(4, (6, 7)), kitten);
        assert!(text(3, (3, 9)).starts_with("3 letters: all of a is in b"));
        assert!(text(0, (3, 9)).starts_with("0 letters: a and b have nothing in common."));
        assert_eq!(text(0, (0, 0)), "0 letters: nothing is common with an empty text. ");
        assert!(text(5, (5, 5)).contains("are equal"));
    }
}
