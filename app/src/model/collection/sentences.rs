//! Sentences about a collection and its answer.

use explain::worker_protocol::collection::{MAX_PAIRS, MAX_TEXTS, PAIRS, TEXTS};
use kernels::collection::MemberSplit;
use kernels::failure::{InputError, JobFailure, large};
use kernels::job::{EditCosts, Unit};

use super::answer::{ComparedTexts, TextGroup};
use super::assignment::Assignments;
use super::form::CollectionForm;
use super::measure::{Measure, Threshold, per_mille};
use super::member_edits::MemberEdits;
use super::pairs::{MAX_LISTED, PairList};
use super::sources::TextSide;
use super::threshold::{PairHistogram, SuggestionReason};
use crate::model::form::FormSide;
use crate::model::form::costs::{counts_edits, said};
use crate::model::points::sentences::said as said_points;
use crate::model::problem::{Problem, bad_record, of_failure};
use crate::model::text::humanize::{self, count, grouped, measured_time, percent_with_tenth, points, signed};
use crate::tr;
use crate::tr::{language, t};

/// The headline of an answer: a number, a sentence that goes on with it, and the measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionHeadline {
    pub number: String,
    pub says: String,
    pub formula: String,
}

/// Returns the headline of an answer with these `groups`.
pub fn headline(
    texts: &ComparedTexts,
    groups: &[TextGroup],
    threshold: Threshold,
    nearest: Option<(usize, usize)>,
    names: &dyn Fn(usize) -> String,
) -> CollectionHeadline {
    let alike = groups.iter().map(|group| group.members.len() as u64).sum::<u64>();
    let all = count(texts.len() as u64, "text", "texts");
    let costs = texts.form.options.costs;
    let in_groups = count(groups.len() as u64, "group", "groups");
    let says = match (threshold, nearest) {
        (Threshold::Percent(percent), _) if alike > 0 => tr!(
            "of {texts} are alike, in {groups}: each is at least {percent} similar to another.",
            texts = all,
            groups = in_groups,
            percent = language().percent(&percent.to_string())
        ),
        (Threshold::Edits(edits), _) if alike > 0 => tr!(
            "of {texts} are alike, in {groups}: each is within {edits} of another.",
            texts = all,
            groups = in_groups,
            edits = amount(edits.into(), costs)
        ),
        (Threshold::Points(least), _) if alike > 0 => tr!(
            "of {texts} are alike, in {groups}: each has at least {points} with another.",
            texts = all,
            groups = in_groups,
            points = points(least)
        ),
        (_, None) => t("One text has no pair. Add another one.").into(),
        (Threshold::Percent(percent), Some((a, b))) => tr!(
            "of {texts} are alike at {percent} or more; the nearest two reach {most}: {names}.",
            texts = all,
            percent = language().percent(&percent.to_string()),
            most = percent_of(texts, a, b),
            names = names_of(a, b, names)
        ),
        (Threshold::Edits(edits), Some((a, b))) => tr!(
            "of {texts} are alike within {edits}; the nearest two have {least}: {names}.",
            texts = all,
            edits = amount(edits.into(), costs),
            least = amount(texts.score(a, b).max(0) as u64, costs),
            names = names_of(a, b, names)
        ),
        (Threshold::Points(least), Some((a, b))) => tr!(
            "of {texts} are alike with {points} or more; the nearest two have {most}: {names}.",
            texts = all,
            points = points(least),
            most = points(texts.points(a, b)),
            names = names_of(a, b, names)
        ),
    };
    CollectionHeadline { number: grouped(alike), says, formula: formula(&texts.form) }
}

/// Returns the headline of an answer about two collections.
pub fn assigned_headline(texts: &ComparedTexts, assigned: &Assignments, threshold: Threshold) -> CollectionHeadline {
    let all = count(texts.side(FormSide::B).len() as u64, "text", "texts");
    let says = match threshold {
        Threshold::Percent(percent) => tr!(
            "of {texts} of b are nearest to exactly one text of a, at {percent} or more.",
            texts = all,
            percent = language().percent(&percent.to_string())
        ),
        Threshold::Edits(edits) => tr!(
            "of {texts} of b are nearest to exactly one text of a, within {edits}.",
            texts = all,
            edits = amount(edits.into(), texts.form.options.costs)
        ),
        Threshold::Points(least) => {
            tr!("of {texts} of b are nearest to exactly one text of a, with {points} or more.", texts = all, points = points(least))
        }
    };
    let mut rest = Vec::new();
    if !assigned.near_none.is_empty() {
        rest.push(tr!("Near no text of a: {texts}.", texts = count(assigned.near_none.len() as u64, "text", "texts")));
    }
    if !assigned.ties.is_empty() {
        rest.push(tr!("Equally near to several: {texts}.", texts = count(assigned.ties.len() as u64, "text", "texts")));
    }
    rest.push(formula(&texts.form));
    let formula = rest.join(" ");
    CollectionHeadline { number: grouped(assigned.assigned()), says, formula }
}

/// Returns a number of edits, or the sum of their costs, in words.
fn amount(sum: u64, costs: EditCosts) -> String {
    if counts_edits(costs) { count(sum, "edit", "edits") } else { count(sum, "unit of cost", "units of cost") }
}

/// Returns the measure, with the unit and other costs than those of Levenshtein in words.
fn formula(form: &CollectionForm) -> String {
    let costs = form.options.costs;
    match form.measure {
        Measure::Similarity | Measure::Edits if !costs.is_levenshtein() => {
            format!("{} {}.", formula_of_edits(form), said(costs).replace('*', ""))
        }
        Measure::Similarity | Measure::LcsRatio | Measure::Edits | Measure::Points => formula_of_edits(form),
    }
}

/// Returns the measure, with the unit in words.
fn formula_of_edits(form: &CollectionForm) -> String {
    let units = units(form.options.unit);
    match form.measure {
        Measure::Points => said_points(&form.options.scoring()).replace('*', ""),
        Measure::Similarity if !counts_edits(form.options.costs) => {
            t("Similarity is 1 − costs ÷ the highest costs of two texts of these lengths: 100% is equal.").into()
        }
        Measure::Edits if !counts_edits(form.options.costs) => {
            t("The value is the least sum of costs that turns the text given first into the other.").into()
        }
        Measure::Similarity => {
            tr!("Similarity is 1 − edits ÷ {units} of the longer text: 100% is equal, and moved passages count as edits.", units = units)
        }
        Measure::LcsRatio => {
            tr!("Similarity is 2 × common {units} in the same order ÷ {units} of both texts: 100% is equal.", units = units)
        }
        Measure::Edits => tr!("An edit inserts, deletes or replaces one of the {units}; moved passages count as edits.", units = units),
    }
}

/// Returns the plural of a unit.
fn units(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => t("bytes"),
        Unit::Chars => t("characters"),
        Unit::Graphemes => t("letters"),
        Unit::Words => t("words"),
        Unit::Lines => t("lines"),
    }
}

/// Returns the similarity of two texts: "92.2%", or "equal". It is cut and not rounded, so that only equal texts have
/// 100 %.
pub fn percent_of(texts: &ComparedTexts, a: usize, b: usize) -> String {
    if texts.is_equal(a, b) {
        return t("equal").into();
    }
    let share = per_mille(texts.similarity(a, b));
    percent_with_tenth(u64::from(share / 10), u64::from(share % 10))
}

/// Returns how near two texts are by the measure of the form: "92.2%", "3 edits", or "equal".
pub fn value_of(texts: &ComparedTexts, a: usize, b: usize) -> String {
    match texts.form.measure {
        Measure::Similarity | Measure::LcsRatio => percent_of(texts, a, b),
        Measure::Edits if texts.is_equal(a, b) => t("equal").into(),
        Measure::Edits => amount(texts.score(a, b).max(0) as u64, texts.form.options.costs),
        Measure::Points => points(texts.points(a, b)),
    }
}

/// Returns the similarity of two texts, or their points: "92.2%", "equal", or "11 points".
pub fn share_of(texts: &ComparedTexts, a: usize, b: usize) -> String {
    if texts.form.measure == Measure::Points { points(texts.points(a, b)) } else { percent_of(texts, a, b) }
}

fn names_of(a: usize, b: usize, names: &dyn Fn(usize) -> String) -> String {
    tr!("{a} and {b}", a = names(a), b = names(b))
}

/// Returns the numbers of a chosen pair after its similarity: "3 edits, and the longer text has 7 letters".
pub fn pair_says(texts: &ComparedTexts, a: usize, b: usize) -> String {
    let longest = humanize::symbols(texts.symbols(a).max(texts.symbols(b)), texts.form.options.unit);
    let score = texts.score(a, b).max(0) as u64;
    if a == b {
        return tr!("This is one text: {symbols}.", symbols = longest);
    }
    if texts.is_equal(a, b) {
        return tr!("Both texts are the same: {symbols}.", symbols = longest);
    }
    match texts.form.measure {
        Measure::Similarity | Measure::Edits => {
            let edits = amount(score, texts.form.options.costs);
            tr!("{edits}, and the longer text has {symbols}.", edits = edits, symbols = longest)
        }
        Measure::LcsRatio => tr!(
            "{common} in common, in the same order; the longer text has {symbols}.",
            common = humanize::symbols(score, texts.form.options.unit),
            symbols = longest
        ),
        Measure::Points => tr!("The longer text has {symbols}.", symbols = longest),
    }
}

/// Returns the sentence by which screen readers announce the chosen pair.
pub fn pair_spoken(texts: &ComparedTexts, (a, b): (usize, usize), group: Option<&str>, names: &dyn Fn(usize) -> String) -> String {
    let names = if a == b { names(a) } else { names_of(a, b, names) };
    let says = format!("{names}: {}. {}", value_of(texts, a, b), pair_says(texts, a, b));
    match group {
        Some(letter) => format!("{says} {}", tr!("Group {letter}.", letter = letter)),
        None => says,
    }
}

/// Returns the range of nearness within a group: "75.6–92.2%", "1 to 3 edits", or "equal".
pub fn range_says(texts: &ComparedTexts, group: &TextGroup) -> String {
    let (least, most) = texts.range_within(group);
    // Different texts have no distance if some edits cost nothing.
    let are_equal = group.members.windows(2).all(|pair| texts.is_equal(pair[0], pair[1]));
    match texts.form.measure {
        Measure::Similarity | Measure::LcsRatio => {
            let [least, most] = [least, most].map(per_mille);
            let text = |share: u32| percent_with_tenth(u64::from(share / 10), u64::from(share % 10));
            match (least, most) {
                (1000, _) if are_equal => t("equal").into(),
                (least, most) if least == most => text(least),
                (least, most) => tr!("{least} to {most}", least = text(least), most = text(most)),
            }
        }
        Measure::Edits if are_equal => t("equal").into(),
        Measure::Edits if least == most => amount(-least as u64, texts.form.options.costs),
        Measure::Edits => {
            tr!("{least} to {most}", least = grouped(-most as u64), most = amount(-least as u64, texts.form.options.costs))
        }
        Measure::Points if least == most => points(most as i64),
        Measure::Points => tr!("{least} to {most}", least = signed(least as i64), most = points(most as i64)),
    }
}

/// Returns the bold part of the sentence about a finished comparison, and the rest.
pub fn run_says(texts: &ComparedTexts) -> (String, String) {
    let pairs = count(texts.pairs(), "pair", "pairs");
    let work =
        tr!("{cells} in {time}.", cells = humanize::WorkUnit::Cells.work(texts.report.cells), time = measured_time(texts.report.took_ms));
    (tr!("Your browser compared {pairs},", pairs = pairs), work)
}

/// Returns the note on texts of a side that are empty or identical. Returns `None` if there are none.
pub fn exceptions(texts: &ComparedTexts, side: FormSide) -> Option<String> {
    let members = texts.report.members.get(texts.side(side)).unwrap_or_default();
    let empty = members.iter().filter(|member| member.symbols == 0).count() as u64;
    let distinct = texts.report.distinct[usize::from(side == FormSide::B)];
    let mut parts = Vec::new();
    let left_out = texts.form.side(side).and_then(TextSide::edits).map_or(0, MemberEdits::left_out);
    if left_out > 0 {
        parts.push(tr!("Left out: {texts}.", texts = count(left_out, "text", "texts")));
    }
    if empty > 0 {
        parts.push(tr!("Empty: {texts}.", texts = count(empty, "text", "texts")));
    }
    if distinct < members.len() as u64 {
        parts.push(tr!("Distinct texts: {n}. Only these are compared.", n = grouped(distinct)));
    }
    let left_out: u64 = members.iter().map(|member| member.left_out).sum();
    if !texts.form.template.is_empty() {
        parts.push(tr!("Of the template, and not counted: {symbols}.", symbols = humanize::symbols(left_out, texts.form.options.unit)));
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns the name of the texts of a side: that of the file, or the number of files.
pub fn name_of_side(side: &TextSide) -> String {
    match &side.sources[..] {
        [only] if !only.name.is_empty() => only.name.to_string(),
        [] | [_] => t("Typed texts").into(),
        files => count(files.len() as u64, "file", "files"),
    }
}

/// Returns the numbers of the texts of a side in the head of its editor: "30 texts · 12,040 words · 435 pairs". The pairs
/// of two collections are those of both.
pub fn counted(texts: &ComparedTexts, side: FormSide) -> String {
    let members = texts.report.members.get(texts.side(side)).unwrap_or_default();
    let symbols: u64 = members.iter().map(|member| member.symbols).sum();
    let mut parts = vec![count(members.len() as u64, "text", "texts"), humanize::symbols(symbols, texts.form.options.unit)];
    if !texts.is_two() {
        parts.push(count(texts.pairs(), "pair", "pairs"));
    }
    parts.join(" · ")
}

/// Returns the words in the head of the editor of a side whose texts were not compared yet: the number of several files, or nothing
/// for a single file or typed text.
pub fn uncounted(side: Option<&TextSide>) -> String {
    match side.filter(|side| !side.is_blank()).map(|side| side.sources.len()) {
        None => t("no texts yet").into(),
        Some(1) => String::new(),
        Some(files) => count(files as u64, "file", "files"),
    }
}

/// Returns the sentence about a suggested threshold.
pub fn suggestion_says(threshold: Threshold, reason: SuggestionReason, costs: EditCosts) -> String {
    let value = threshold_says(threshold, costs);
    match reason {
        SuggestionReason::Curves => tr!("Suggested: {value}, where two normal curves fitted to the bars cross.", value = value),
        SuggestionReason::Gap => tr!("Suggested: {value}, in the middle of the widest gap between the bars.", value = value),
        SuggestionReason::Usual => tr!("Suggested: {value}, because the bars show no gap.", value = value),
    }
}

/// Returns a threshold in words: "30%", "2 edits", "11 points".
pub fn threshold_says(threshold: Threshold, costs: EditCosts) -> String {
    match threshold {
        Threshold::Percent(percent) => language().percent(&percent.to_string()),
        Threshold::Edits(edits) => amount(edits.into(), costs),
        Threshold::Points(least) => points(least),
    }
}

/// Returns the label of the alike part of the histogram: "7 pairs at 30% or more".
pub fn alike_says(histogram: &PairHistogram, threshold: Threshold, costs: EditCosts) -> String {
    let pairs = count(histogram.alike(threshold), "pair", "pairs");
    let value = threshold_says(threshold, costs);
    match threshold {
        Threshold::Percent(_) | Threshold::Points(_) => tr!("{pairs} at {value} or more", pairs = pairs, value = value),
        Threshold::Edits(_) => tr!("{pairs} within {value}", pairs = pairs, value = value),
    }
}

/// Returns the note on a list that leaves out distant pairs.
pub fn list_says(list: &PairList) -> Option<String> {
    (list.len() as u64 != list.all)
        .then(|| tr!("The {n} nearest of {all} are listed.", n = grouped(MAX_LISTED as u64), all = count(list.all, "pair", "pairs")))
}

/// Returns the name of a rule by which texts are divided, after "Each text is".
pub fn split_says(split: MemberSplit) -> &'static str {
    match split {
        MemberSplit::Files | MemberSplit::Plain => t("one file"),
        MemberSplit::Lines => t("one line"),
        MemberSplit::Records => t("one record (FASTA)"),
        MemberSplit::Blank => t("what a blank line ends"),
    }
}

/// Returns the name of a measure.
pub fn measure_says(measure: Measure) -> &'static str {
    match measure {
        Measure::Similarity => t("Similarity"),
        Measure::LcsRatio => t("Similarity by common subsequence"),
        Measure::Edits => t("Edits"),
        Measure::Points => t("Points of an alignment"),
    }
}

/// Returns the heading of the values of a measure, and that of the scores beside similarities.
pub fn headings(measure: Measure, costs: EditCosts) -> [&'static str; 2] {
    let edits = if counts_edits(costs) { t("Edits") } else { t("Costs") };
    match measure {
        Measure::Similarity | Measure::Edits => [t("Similarity"), edits],
        Measure::LcsRatio => [t("Similarity"), t("Common")],
        Measure::Points => [t("Points"), t("Points")],
    }
}

/// Converts a failure of the solver into a problem. Failures about collections are told in their own words.
pub fn refusal(failure: &JobFailure) -> Problem {
    match failure {
        JobFailure::TooLarge { what, got, limit } if what == TEXTS => {
            let detail = tr!(
                "This browser compares up to {limit} texts, and these are {n}. Compare a part of them.",
                limit = grouped(MAX_TEXTS),
                n = grouped(*got)
            );
            Problem { limit: Some(*limit), ..Problem::new("too-large", t("Too many texts for this browser"), detail) }
        }
        JobFailure::TooLarge { what, got, .. } if what == PAIRS => {
            let detail = tr!(
                "This browser compares up to {limit}, and these texts make {n}. Compare a part of them.",
                limit = count(MAX_PAIRS, "pair", "pairs"),
                n = grouped(*got)
            );
            Problem { limit: Some(MAX_PAIRS), ..Problem::new("too-large", t("Too many texts for this browser"), detail) }
        }
        JobFailure::TooLarge { what, got, .. } if what == large::CELLS => {
            let detail =
                tr!("All pairs have {cells}. Compare fewer texts, or by words or lines.", cells = humanize::WorkUnit::Cells.work(*got));
            Problem::new("too-large", t("Too much work for this browser"), detail)
        }
        JobFailure::BadInput { wrong: Some(InputError::BadRecord { text, name, line, fault, .. }), .. } => {
            let remedy =
                tr!("Repair the file, or choose “{each} {line}”.", each = t("Each text is"), line = split_says(MemberSplit::Lines));
            bad_record(text, name, *line, *fault, &remedy)
        }
        failure => of_failure(failure),
    }
}

#[cfg(test)]
mod tests {
    use explain::worker_protocol::collection::LinkedOrder;
    use kernels::failure::RecordFault;

    use super::super::answer::tests::{compared, compared_by_points, compared_two};
    use super::super::sources::TextSource;
    use super::*;

    fn names(text: usize) -> String {
        format!("Text {}", text + 1)
    }

    #[test]
    fn side_with_texts_is_not_said_to_have_none_before_an_answer() {
        let side = |sources: Vec<TextSource>| TextSide { sources, ..TextSide::default() };
        let file = TextSource::file("a.txt", b"caf\xe9");
        let sides = [side(Vec::new()), side(vec![file.clone()]), side(vec![TextSource::typed("kitten")]), side(vec![file.clone(), file])];
        assert_eq!(sides.map(|side| uncounted(Some(&side))), ["no texts yet", "", "", "2 files"]);
        assert_eq!(uncounted(None), "no texts yet");
    }

    #[test]
    fn headline_counts_alike_texts_and_names_the_nearest_two_without_any() {
        let texts = compared(&["kitten", "sitting", "mitten"], Measure::Similarity);
        let says = |texts: &ComparedTexts, threshold| headline(texts, &texts.groups(threshold), threshold, Some((0, 2)), &names);
        let found = says(&texts, Threshold::Percent(80));
        assert_eq!(
            (found.number.as_str(), found.says.as_str()),
            ("2", "of 3 texts are alike, in 1 group: each is at least 80% similar to another.")
        );
        assert!(found.formula.starts_with("Similarity is 1 − edits ÷ letters of the longer text"), "{}", found.formula);
        let none = says(&texts, Threshold::Percent(90));
        assert_eq!(
            (none.number.as_str(), none.says.as_str()),
            ("0", "of 3 texts are alike at 90% or more; the nearest two reach 83.3%: Text 1 and Text 3.")
        );
        let edits = compared(&["kitten", "sitting", "mitten"], Measure::Edits);
        assert_eq!(says(&edits, Threshold::Edits(1)).says, "of 3 texts are alike, in 1 group: each is within 1 edit of another.");
        assert_eq!(
            says(&edits, Threshold::Edits(0)).says,
            "of 3 texts are alike within 0 edits; the nearest two have 1 edit: Text 1 and Text 3."
        );
        let one = compared(&["kitten"], Measure::Edits);
        assert_eq!(headline(&one, &[], Threshold::Edits(2), None, &names).says, "One text has no pair. Add another one.");
    }

    #[test]
    fn shares_are_cut_and_equal_texts_are_named() {
        let texts = compared(&["aaaaaa", "aaaaab", "aaaaaa"], Measure::Similarity);
        assert_eq!((percent_of(&texts, 0, 1), percent_of(&texts, 0, 2)), ("83.3%".into(), "equal".into()));
        assert_eq!(pair_says(&texts, 0, 1), "1 edit, and the longer text has 6 letters.");
        assert_eq!(pair_says(&texts, 0, 2), "Both texts are the same: 6 letters.");
        assert_eq!(
            pair_spoken(&texts, (0, 1), Some("A"), &names),
            "Text 1 and Text 2: 83.3%. 1 edit, and the longer text has 6 letters. Group A."
        );
        let groups = texts.groups(Threshold::Percent(50));
        assert_eq!(range_says(&texts, &groups[0]), "83.3% to 100.0%");
        assert_eq!(exceptions(&texts, FormSide::A).as_deref(), Some("Distinct texts: 2. Only these are compared."));
        let edits = compared(&["aaaaaa", "aaaaab", "aaaabb"], Measure::Edits);
        assert_eq!(range_says(&edits, &edits.groups(Threshold::Edits(1))[0]), "1 to 2 edits");
        assert_eq!(exceptions(&edits, FormSide::A), None);
    }

    #[test]
    fn points_have_no_similarity() {
        let texts = compared_by_points(&["abc", "abd", "xyz"], &[9, 4, -3, 4, 9, -2, -3, -2, 9]);
        let groups = texts.groups(Threshold::Points(4));
        assert_eq!(groups.len(), 1);
        let found = headline(&texts, &groups, Threshold::Points(4), Some((0, 1)), &names);
        assert_eq!(
            (found.number.as_str(), found.says.as_str(), found.formula.as_str()),
            (
                "2",
                "of 3 texts are alike, in 1 group: each has at least 4 points with another.",
                "Equal +1, different −1, −1 for each symbol of a gap. The largest sum wins."
            )
        );
        assert_eq!(
            headline(&texts, &[], Threshold::Points(5), Some((0, 1)), &names).says,
            "of 3 texts are alike with 5 points or more; the nearest two have 4 points: Text 1 and Text 2."
        );
        assert_eq!((value_of(&texts, 0, 2), share_of(&texts, 2, 0)), ("−3 points".into(), "−3 points".into()));
        assert_eq!(pair_says(&texts, 0, 1), "The longer text has 3 letters.");
        assert_eq!(range_says(&texts, &texts.groups(Threshold::Points(-2))[0]), "−3 to 4 points");
        assert_eq!(headings(Measure::Points, EditCosts::LEVENSHTEIN), ["Points", "Points"]);
    }

    #[test]
    fn sums_of_other_costs_are_not_called_edits() {
        let mut texts = compared(&["kitten", "sitting", "mitten"], Measure::Edits);
        texts.form.options.costs = EditCosts::INDEL;
        assert_eq!(
            (value_of(&texts, 0, 1), threshold_says(Threshold::Edits(2), EditCosts::INDEL)),
            ("3 units of cost".into(), "2 units of cost".into())
        );
        assert!(formula(&texts.form).ends_with("Costs: substitute 2, insert 1, delete 1."), "{}", formula(&texts.form));
        texts.form.options.costs = EditCosts::OSA;
        assert_eq!(value_of(&texts, 0, 1), "3 edits");
        texts.form.measure = Measure::Similarity;
        // The highest costs of texts of 6 and 7 letters are 7.
        assert_eq!(percent_of(&texts, 0, 1), "57.1%");
        texts.form.options.costs = EditCosts::INDEL;
        assert_eq!(percent_of(&texts, 0, 1), "76.9%");
    }

    #[test]
    fn different_texts_without_costs_are_not_equal() {
        let mut texts = compared_by_points(&["abc", "xyz"], &[0; 4]);
        texts.report.by_similarity.links = vec![1.0];
        texts.report.by_edits = Some(LinkedOrder { order: vec![0, 1], links: vec![0.0] });
        texts.form.measure = Measure::Edits;
        texts.form.options.costs = EditCosts { substitute: 0, ..EditCosts::LEVENSHTEIN };
        assert_eq!(range_says(&texts, &texts.groups(Threshold::Edits(0))[0]), "0 units of cost");
        texts.form.measure = Measure::Similarity;
        assert_eq!(range_says(&texts, &texts.groups(Threshold::Percent(100))[0]), "100.0%");
    }

    #[test]
    fn headline_of_two_collections_counts_assigned_texts() {
        let texts = compared_two(&["aaaa", "bbbb"], &["aaab", "aabb", "cccc", "bbbb"], Measure::Edits);
        let assigned = Assignments::new(&texts, &texts.neighbours(), Threshold::Edits(2));
        let headline = assigned_headline(&texts, &assigned, Threshold::Edits(2));
        assert_eq!(
            (headline.number.as_str(), headline.says.as_str()),
            ("2", "of 4 texts of b are nearest to exactly one text of a, within 2 edits.")
        );
        assert!(
            headline.formula.starts_with("Near no text of a: 1 text. Equally near to several: 1 text. An edit"),
            "{}",
            headline.formula
        );
        assert_eq!(FormSide::BOTH.map(|side| counted(&texts, side)), ["2 texts · 8 letters", "4 texts · 16 letters"]);
        assert_eq!(exceptions(&texts, FormSide::B), None);
        let share = compared_two(&["aaaa"], &["aaab"], Measure::Similarity);
        let headline = assigned_headline(&share, &Assignments::default(), Threshold::Percent(80));
        assert_eq!(headline.says, "of 1 text of b are nearest to exactly one text of a, at 80% or more.");
    }

    #[test]
    fn refusals_name_the_limit_and_a_remedy() {
        let texts = JobFailure::TooLarge { what: TEXTS.into(), got: 7_000, limit: MAX_TEXTS };
        assert_eq!(refusal(&texts).detail, "This browser compares up to 5,000 texts, and these are 7,000. Compare a part of them.");
        let pairs = JobFailure::TooLarge { what: PAIRS.into(), got: 30_000_000, limit: MAX_PAIRS };
        let says = "This browser compares up to 25,000,000 pairs, and these texts make 30,000,000. Compare a part of them.";
        assert_eq!(refusal(&pairs).detail, says);
        let cells = JobFailure::TooLarge { what: large::CELLS.into(), got: 2_000_000_000_000, limit: 1 };
        assert!(refusal(&cells).detail.contains("Compare fewer texts"), "{:?}", refusal(&cells));
        let bad = JobFailure::BadInput { message: "essay 2.txt is not valid UTF-8 at byte 2.".into(), wrong: None };
        assert!(refusal(&bad).detail.contains("essay 2.txt"));
        let record =
            InputError::BadRecord { text: "x.fastq".into(), record: Some(1), name: "r2".into(), line: 5, fault: RecordFault::BreaksOff };
        assert_eq!(
            refusal(&JobFailure::wrong("", record)).detail,
            "x.fastq is cut off: the record that begins in line 5 (r2) has no end. Repair the file, or choose “Each text is one line”."
        );
    }
}
