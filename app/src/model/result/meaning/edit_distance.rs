//! The meaning of an edit distance.

use kernels::alignment::AlignmentSummary;
use kernels::job::{JobOptions, Unit};
use kernels::rates::{self, ErrorRate};

use super::{AnswerMeaning, symbols_noun};
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;

/// Minimum number of alignment columns per edit for which the average distance between edits is mentioned.
const MIN_COLUMNS_PER_EDIT: u64 = 10;

/// Maximum number of symbols of the longer text for which the formula of the similarity is shown.
const MAX_FORMULA_SYMBOLS: u64 = 99;

/// Returns the sentences about an edit distance. `symbols` are the lengths of the texts `a` and `b`, and `summary`
/// describes their alignment.
pub fn meaning(distance: u64, symbols: (u64, u64), summary: Option<AlignmentSummary>, options: &JobOptions) -> AnswerMeaning {
    let rate = summary.and_then(|summary| error_rate(&summary, symbols.0, options)).unwrap_or_default();
    AnswerMeaning { rate, ..distance_meaning(distance, symbols, summary, options) }
}

/// Returns the sentences about a distance that is more than `most`, the limit of the job.
pub fn above_limit(most: u64, options: &JobOptions) -> AnswerMeaning {
    let says = if options.costs.is_levenshtein() {
        tr!("More than {edits}.", edits = humanize::count(most, "edit", "edits"))
    } else {
        tr!("The least sum of costs is more than {n}.", n = grouped(most))
    };
    let aside = t("The exact number was not computed.").into();
    AnswerMeaning { number: format!(">{}", grouped(most)), says, is_apart: true, aside, ..AnswerMeaning::default() }
}

/// Returns the sentence about the error rate of `b` with `a` as the reference, which has `length` symbols. Returns `None`
/// for units other than words and characters.
fn error_rate(summary: &AlignmentSummary, length: u64, options: &JobOptions) -> Option<String> {
    let rate = ErrorRate::new(summary, length, &options.costs)?;
    let (whole, tenth) = rate.percent();
    let [s, d, i] = [summary.mismatches, summary.deletions, summary.insertions].map(grouped);
    let percent = humanize::percent_with_tenth(whole, tenth);
    let characters = if options.unit == Unit::Graphemes {
        humanize::count(length, "letter", "letters")
    } else {
        humanize::count(length, "character", "characters")
    };
    match options.unit {
        Unit::Words => Some(tr!(
            "Word error rate with *a* as reference: {percent} ({s} substituted, {d} deleted, {i} inserted, of {words})",
            percent = percent,
            s = s,
            d = d,
            i = i,
            words = humanize::count(length, "word", "words")
        )),
        Unit::Chars | Unit::Graphemes => Some(tr!(
            "Character error rate with *a* as reference: {percent} ({s} substituted, {d} deleted, {i} inserted, of {characters})",
            percent = percent,
            s = s,
            d = d,
            i = i,
            characters = characters
        )),
        Unit::Bytes | Unit::Lines => None,
    }
}

/// Returns the sentences about an edit distance, without its error rate. `symbols` are the lengths of the texts `a` and
/// `b`, and `summary` describes their alignment.
fn distance_meaning(distance: u64, symbols: (u64, u64), summary: Option<AlignmentSummary>, options: &JobOptions) -> AnswerMeaning {
    let JobOptions { unit, costs, .. } = *options;
    // Without edits, the sum of their costs is 0, and the sentence is that of 0 edits.
    let has_no_edit = distance == 0 && summary.map_or(!costs.has_free_edit(), |summary| summary.distance() == 0);
    if !costs.is_levenshtein() && !has_no_edit {
        return least_sum(distance, summary);
    }
    let longer = symbols.0.max(symbols.1);
    let number = grouped(distance);
    // If one text is empty, every symbol of the other text is an edit.
    if distance > 0 && (symbols.0 == 0 || symbols.1 == 0) {
        return AnswerMeaning { number, says: one_empty(distance, symbols.1 == 0, unit), aside: String::new(), ..AnswerMeaning::default() };
    }
    let says = match distance {
        0 if longer == 0 => t("edits: *a* and *b* are both empty."),
        0 if options.ambiguity => t("edits: all letters of *a* and *b* match."),
        0 => t("edits: *a* and *b* are equal."),
        _ => turned(distance, unit),
    };
    if distance == 0 || longer == 0 {
        return AnswerMeaning { number, says: says.into(), aside: String::new(), ..AnswerMeaning::default() };
    }
    let share = humanize::percent(rates::similarity(distance, symbols));
    let similar = if longer <= MAX_FORMULA_SYMBOLS {
        tr!("{share} similar (1 − {n}/{all})", share = share, n = grouped(distance), all = grouped(longer))
    } else {
        tr!("{share} similar", share = share)
    };
    let every = summary
        .filter(|summary| summary.columns >= MIN_COLUMNS_PER_EDIT * distance && longer > MAX_FORMULA_SYMBOLS)
        .filter(|_| !matches!(unit, Unit::Words | Unit::Lines))
        .map(|summary| (summary.columns as f64 / distance as f64).round() as u64);
    let aside = match every {
        Some(every) => format!("{similar} · {}", tr!("one edit every {n} columns", n = grouped(every))),
        None if unit == Unit::Lines && distance == longer => t("No line is equal.").into(),
        None => similar,
    };
    AnswerMeaning { number, says: says.into(), aside, ..AnswerMeaning::default() }
}

/// Returns the sentences about a least sum of costs, which is not a number of edits. A similarity is not defined.
fn least_sum(distance: u64, summary: Option<AlignmentSummary>) -> AnswerMeaning {
    let edits = summary.map(|summary| {
        let edits = humanize::count(summary.distance(), "edit", "edits");
        match humanize::is_one(summary.distance()) {
            true => tr!("{edits} costs {n}.", edits = edits, n = grouped(distance)),
            false => tr!("{edits} cost {n} in sum.", edits = edits, n = grouped(distance)),
        }
    });
    let says = t("is the least sum of costs that turns *a* into *b*.").into();
    AnswerMeaning { number: grouped(distance), says, aside: edits.unwrap_or_default(), ..AnswerMeaning::default() }
}

/// Returns the rest of the sentence that begins with the number of edits (`distance`), if one text is empty. `is_b`
/// tells whether `b` is the empty one.
fn one_empty(distance: u64, is_b: bool, unit: Unit) -> String {
    let symbols = symbols_noun(distance, unit);
    match (is_b, humanize::is_one(distance)) {
        (true, true) => tr!("{symbols} of *a* is deleted, because *b* is empty.", symbols = symbols),
        (true, false) => tr!("{symbols} of *a* are deleted, because *b* is empty.", symbols = symbols),
        (false, true) => tr!("{symbols} of *b* is inserted, because *a* is empty.", symbols = symbols),
        (false, false) => tr!("{symbols} of *b* are inserted, because *a* is empty.", symbols = symbols),
    }
}

/// Returns the rest of the sentence that begins with the number of edits (`distance`).
fn turned(distance: u64, unit: Unit) -> &'static str {
    match (unit, humanize::is_one(distance)) {
        (Unit::Words, true) => t("word edit turns *a* into *b*."),
        (Unit::Words, false) => t("word edits turn *a* into *b*."),
        (Unit::Lines, true) => t("line edit turns *a* into *b*."),
        (Unit::Lines, false) => t("line edits turn *a* into *b*."),
        (Unit::Bytes | Unit::Chars | Unit::Graphemes, true) => t("edit turns *a* into *b*."),
        (Unit::Bytes | Unit::Chars | Unit::Graphemes, false) => t("edits turn *a* into *b*."),
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::EditCosts;

    use super::*;

    fn of(unit: Unit) -> JobOptions {
        JobOptions { unit, ..JobOptions::default() }
    }

    fn text(distance: u64, symbols: (u64, u64), columns: u64) -> String {
        let summary = AlignmentSummary { columns, ..AlignmentSummary::default() };
        let said = meaning(distance, symbols, Some(summary), &of(Unit::Graphemes));
        format!("{} {} {}", said.number, said.says.replace('*', ""), said.aside)
    }

    #[test]
    fn distance_is_stated_with_its_similarity() {
        assert_eq!(text(3, (6, 7), 7), "3 edits turn a into b. 57.1% similar (1 − 3/7)");
        assert_eq!(text(1, (3, 4), 4), "1 edit turns a into b. 75% similar (1 − 1/4)");
        let megabase = text(9_927, (1_000_000, 1_000_206), 1_003_015);
        assert_eq!(megabase, "9,927 edits turn a into b. 99.01% similar · one edit every 101 columns");
        assert_eq!(text(60, (100, 100), 120), "60 edits turn a into b. 40% similar");
    }

    #[test]
    fn passed_limit_is_stated_without_a_similarity() {
        let said = |costs| above_limit(1_050, &JobOptions { costs, ..of(Unit::Words) });
        assert_eq!(said(EditCosts::LEVENSHTEIN).number, ">1,050");
        assert_eq!(said(EditCosts::LEVENSHTEIN).plain(), "More than 1,050 edits. The exact number was not computed.");
        assert_eq!(said(EditCosts::OSA).says, "The least sum of costs is more than 1,050.");
    }

    #[test]
    fn error_rate_names_its_reference_and_its_counts() {
        let summary = AlignmentSummary { columns: 32, matches: 28, mismatches: 3, deletions: 1, ..AlignmentSummary::default() };
        let said = |unit, a, costs| meaning(4, (a, 31), Some(summary), &JobOptions { costs, ..of(unit) }).rate.replace('*', "");
        let words = "Word error rate with a as reference: 12.5% (3 substituted, 1 deleted, 0 inserted, of 32 words)";
        assert_eq!(said(Unit::Words, 32, EditCosts::LEVENSHTEIN), words);
        let characters = "Character error rate with a as reference: 66.6% (3 substituted, 1 deleted, 0 inserted, of 6 letters)";
        assert_eq!(said(Unit::Graphemes, 6, EditCosts::INDEL), characters);
        for (unit, a, costs) in
            [(Unit::Words, 0, EditCosts::LEVENSHTEIN), (Unit::Bytes, 32, EditCosts::INDEL), (Unit::Chars, 32, EditCosts::OSA)]
        {
            assert_eq!(said(unit, a, costs), "", "{unit:?} {a} {costs:?}");
        }
    }

    #[test]
    fn sum_of_costs_is_not_called_a_number_of_edits() {
        let said = |distance, summary, costs| meaning(distance, (6, 7), summary, &JobOptions { costs, ..of(Unit::Graphemes) }).plain();
        let summary = AlignmentSummary { columns: 7, matches: 4, mismatches: 2, insertions: 1, ..AlignmentSummary::default() };
        let sum = "5 is the least sum of costs that turns a into b.";
        assert_eq!(said(5, Some(summary), EditCosts::INDEL), format!("{sum} 3 edits cost 5 in sum."));
        assert_eq!(said(5, None, EditCosts::OSA), sum);
        let swap = AlignmentSummary { columns: 7, matches: 5, transpositions: 1, ..AlignmentSummary::default() };
        assert!(said(5, Some(swap), EditCosts { transpose: Some(5), ..EditCosts::INDEL }).contains("1 edit costs 5."));
        let free = EditCosts { insert: 0, ..EditCosts::LEVENSHTEIN };
        assert!(said(0, Some(AlignmentSummary { insertions: 2, ..summary }), free).contains("4 edits cost 0 in sum."));
        assert!(said(0, None, free).starts_with("0 is the least sum"));
        assert_eq!(
            said(0, Some(AlignmentSummary { matches: 6, columns: 6, ..AlignmentSummary::default() }), free),
            "0 edits: a and b are equal."
        );
        assert_eq!(said(0, None, EditCosts::OSA), "0 edits: a and b are equal.");
    }

    #[test]
    fn empty_and_equal_texts_have_their_own_sentences() {
        assert_eq!(text(0, (0, 0), 0), "0 edits: a and b are both empty. ");
        assert_eq!(text(0, (5, 5), 5), "0 edits: a and b are equal. ");
        let codes = JobOptions { ambiguity: true, ..of(Unit::Graphemes) };
        assert_eq!(meaning(0, (5, 5), None, &codes).plain(), "0 edits: all letters of a and b match.");
        assert_eq!(text(6, (6, 0), 6), "6 letters of a are deleted, because b is empty. ");
        assert_eq!(text(1, (0, 1), 1), "1 letter of b is inserted, because a is empty. ");
        assert_eq!(meaning(2, (4, 4), None, &of(Unit::Words)).says, "word edits turn *a* into *b*.");
        assert_eq!(meaning(4, (4, 3), None, &of(Unit::Lines)).aside, "No line is equal.");
    }
}
