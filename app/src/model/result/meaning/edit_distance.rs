//! What an answer of edit distance means.

use kernels::alignment::Summary;
use kernels::job::Unit;

use super::Meaning;
use crate::model::text::words::{self, grouped};
use crate::tr;
use crate::tr::t;

/// Columns for one edit from which on their distance is said, not their number.
const MANY: u64 = 10;

/// What a distance between texts of these lengths means.
pub fn meaning(distance: u64, symbols: (u64, u64), summary: Option<Summary>, unit: Unit) -> Meaning {
    let longer = symbols.0.max(symbols.1);
    let turned = turned(distance, unit);
    let says = match summary {
        _ if distance == 0 && longer == 0 => tr!("{turned}: both are empty.", turned = turned),
        _ if distance == 0 => tr!("{turned}: they are equal.", turned = turned),
        _ if symbols.0 == 0 => tr!("{turned}: every symbol is inserted, since it is empty.", turned = turned),
        _ if symbols.1 == 0 => tr!("{turned}: every symbol is deleted, since it is empty.", turned = turned),
        // A reader counts a few columns and wants their number; of many, how far they are apart.
        Some(Summary { columns, .. }) if columns < MANY * distance => {
            tr!("{turned}: {n} of {columns} columns.", turned = turned, n = grouped(distance), columns = grouped(columns))
        }
        Some(summary) => {
            let every = (summary.columns as f64 / distance as f64).round() as u64;
            tr!("{turned}: one in every {n} columns.", turned = turned, n = grouped(every))
        }
        None => tr!("{turned}.", turned = turned),
    };
    let aside = match longer {
        0 => String::new(),
        longer => {
            let share = words::percent(1.0 - distance as f64 / longer as f64);
            let of = words::symbols(longer, unit);
            tr!("Similarity {share}, that is 1 − distance ÷ the longer length, {of}.", share = share, of = of)
        }
    };
    Meaning { number: grouped(distance), says, aside }
}

/// What so many edits do, behind their number.
fn turned(distance: u64, unit: Unit) -> &'static str {
    match (unit, words::is_one(distance)) {
        (Unit::Words, true) => t("word edit turns *a* into *b*"),
        (Unit::Words, false) => t("word edits turn *a* into *b*"),
        (Unit::Lines, true) => t("line edit turns *a* into *b*"),
        (Unit::Lines, false) => t("line edits turn *a* into *b*"),
        (Unit::Bytes | Unit::Chars | Unit::Graphemes, true) => t("edit turns *a* into *b*"),
        (Unit::Bytes | Unit::Chars | Unit::Graphemes, false) => t("edits turn *a* into *b*"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(distance: u64, symbols: (u64, u64), columns: u64) -> String {
        let summary = Summary { columns, ..Summary::default() };
        let said = meaning(distance, symbols, Some(summary), Unit::Graphemes);
        format!("{} {} {}", said.number, said.says.replace('*', ""), said.aside)
    }

    #[test]
    fn the_number_and_what_it_means() {
        let megabase = text(9_927, (1_000_000, 1_000_206), 1_003_015);
        assert!(megabase.starts_with("9,927 edits turn a into b: one in every 101 columns. Similarity 99.01%"), "{megabase}");
        assert!(text(3, (6, 7), 7).starts_with("3 edits turn a into b: 3 of 7 columns. Similarity 57.1%"));
        assert!(text(1, (1, 1), 1).starts_with("1 edit turns a into b: 1 of 1 columns. "));
        assert!(text(10, (99, 99), 99).starts_with("10 edits turn a into b: 10 of 99 columns. "));
        assert!(text(10, (100, 100), 100).starts_with("10 edits turn a into b: one in every 10 columns. "));
    }

    #[test]
    fn empty_and_equal_texts_are_said_in_words() {
        assert_eq!(text(0, (0, 0), 0), "0 edits turn a into b: both are empty. ");
        assert!(text(0, (5, 5), 5).contains("they are equal. Similarity 100%"));
        assert!(text(5, (5, 0), 5).contains("every symbol is deleted"));
        assert_eq!(meaning(2, (4, 4), None, Unit::Words).says, "word edits turn *a* into *b*.");
    }
}
