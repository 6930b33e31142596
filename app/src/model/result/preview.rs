//! Previews of a result: the title and description that other programs show for a link ([`link_preview`]), and the
//! short texts that they consist of.

use explain::snapshot::JobSnapshot;
use kernels::event::TaskAnswer;
use kernels::job::JobOptions;

use crate::model::alignment::rows::visible_text;
use crate::model::form::{FormSide, FormState};
use crate::model::result::meaning::approximate_search::MatchEnds;
use crate::model::result::meaning::meaning;
use crate::model::text::humanize::{self, grouped};
use crate::model::visit::LinkPreview;
use crate::tr;
use crate::tr::{Language, t};

/// Returns the preview of a result in the current language. `names` are the file names of the texts `a` and `b`,
/// `heads` the beginnings of the texts. Without an answer, returns the preview of the page.
pub fn link_preview(snapshot: &JobSnapshot, names: [Option<&str>; 2], heads: [&str; 2]) -> LinkPreview {
    let Some(answer) = &snapshot.answer else { return LinkPreview::of_page() };
    let (a, b) = (&snapshot.a, &snapshot.b);
    let symbols = (a.symbols, b.symbols);
    let description = meaning(answer, symbols, &snapshot.options).with_line_ends_note(answer, &snapshot.warnings).plain();
    let called = called_by([0, 1].map(|side| (names[side], heads[side])));
    LinkPreview { title: title(answer, symbols, &snapshot.options, called), description }
}

/// Maximum number of letters of a text's beginning that serves as the text's name.
const LETTERS: usize = 20;

/// Returns the page title for an answer. `symbols` are the lengths of the texts, and `[a, b]` their names.
pub fn title(answer: &TaskAnswer, symbols: (u64, u64), options: &JobOptions, [a, b]: [String; 2]) -> String {
    format!("{} · Editscope", tr!("{answer}: {a} and {b}", answer = briefly(answer, symbols, options), a = a, b = b))
}

/// Returns names for the texts of a form: their file names, or else their beginnings.
pub fn form_names(form: &FormState) -> [String; 2] {
    called_by(FormSide::BOTH.map(|which| {
        let side = form.side(which);
        (side.name.as_deref(), side.head())
    }))
}

/// Returns a name for each text, which is given as its file name and its beginning. The name is the file name, or else
/// the beginning, or else `a` or `b`. Equal names get `a` and `b` in brackets.
fn called_by(texts: [(Option<&str>, &str); 2]) -> [String; 2] {
    let [a, b] = texts.map(|(name, head)| name.map(str::to_owned).or_else(|| beginning(head)));
    distinct_names([a.unwrap_or_else(|| "a".into()), b.unwrap_or_else(|| "b".into())])
}

/// Appends `a` and `b` in brackets to the names of the two texts if they are equal, so that they differ.
fn distinct_names([a, b]: [String; 2]) -> [String; 2] {
    if a != b {
        return [a, b];
    }
    [(a, "a"), (b, "b")].map(|(name, side)| tr!("{name} ({side})", name = name, side = side))
}

/// Returns the beginning of a text, taken from its first line, or `None` if the text is blank.
fn beginning(text: &str) -> Option<String> {
    let text = text.trim();
    let line = text.lines().next()?.trim_end();
    let cut = line.char_indices().nth(LETTERS).map_or(line, |(at, _)| line[..at].trim_end());
    let more = if cut.len() < text.len() { "…" } else { "" };
    Some(format!("{}{more}", visible_text(cut)))
}

/// Returns the address of the preview picture of the stored result `id` on the server at `origin`. Languages other than
/// English, the server's default, are given as a parameter.
pub fn card(origin: &str, id: &str, language: Language) -> String {
    let asked = if language == Language::English { String::new() } else { format!("?language={}", language.tag()) };
    format!("{origin}/api/v1/links/{id}/card{asked}")
}

/// Formats an answer in a few words, for example "3 edits". `a` is the length of the first text, in symbols.
pub fn briefly(answer: &TaskAnswer, (a, _): (u64, u64), options: &JobOptions) -> String {
    match answer {
        TaskAnswer::EditDistance { distance, more_than, .. } => {
            let number = distance.or(*more_than).unwrap_or_default();
            match (distance, options.costs.is_levenshtein()) {
                (Some(_), true) => humanize::count(number, "edit", "edits"),
                (Some(_), false) => tr!("sum of costs {n}", n = grouped(number)),
                (None, true) => tr!("more than {edits}", edits = humanize::count(number, "edit", "edits")),
                (None, false) => tr!("sum of costs above {n}", n = grouped(number)),
            }
        }
        TaskAnswer::ApproximateSearch { distance: Some(distance), .. } if options.max_distance.is_none() => {
            tr!("closest match: {edits}", edits = humanize::count(*distance, "edit", "edits"))
        }
        TaskAnswer::ApproximateSearch { total: 0, .. } => humanize::count(0, "place", "places"),
        TaskAnswer::ApproximateSearch { total, hits, .. } => MatchEnds::new(*total, hits, options).in_words(),
        TaskAnswer::SequenceAlignment { score, .. } => humanize::points(*score),
        TaskAnswer::Lcs { length, .. } => tr!("{n} in common", n = grouped(*length)),
        TaskAnswer::MatchCount { best: Some(best), .. } => tr!("{n} of {all} equal", n = grouped(*best), all = grouped(a)),
        TaskAnswer::MatchCount { best: None, .. } => t("No offset").into(),
        TaskAnswer::ExactSearch { total, .. } => humanize::count(*total, "occurrence", "occurrences"),
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::FormText;

    #[test]
    fn preview_title_states_the_number() {
        let info = |symbols| explain::snapshot::TextInfo { symbols, ..Default::default() };
        let mut snapshot = JobSnapshot::new("1".into(), Task::EditDistance, Default::default(), info(6), info(7));
        assert_eq!(link_preview(&snapshot, [None; 2], [""; 2]), LinkPreview::of_page());
        snapshot.answer = Some(TaskAnswer::from_distance(3, None));
        assert_eq!(link_preview(&snapshot, [None; 2], [""; 2]).title, "3 edits: a and b · Editscope");
        assert_eq!(link_preview(&snapshot, [None; 2], ["kitten", "sitting"]).title, "3 edits: kitten and sitting · Editscope");
        let above = JobSnapshot { answer: Some(TaskAnswer::above_distance(2)), ..snapshot.clone() };
        assert_eq!(link_preview(&above, [None; 2], [""; 2]).title, "more than 2 edits: a and b · Editscope");
        assert_eq!(link_preview(&snapshot, [Some("1807"), None], ["kitten", "sitting"]).title, "3 edits: 1807 and sitting · Editscope");
        let long = link_preview(&snapshot, [None; 2], ["Shall I compare thee to a summer’s day?", "one\ntwo"]).title;
        assert_eq!(long, "3 edits: Shall I compare thee… and one… · Editscope");
        let description = "3 edits turn a into b. 57.1% similar (1 − 3/7)";
        assert_eq!(link_preview(&snapshot, [None; 2], [""; 2]).description, description);
    }

    #[test]
    fn texts_with_equal_names_are_marked_a_and_b() {
        let named = FormText { name: Some("chr1".into()), ..FormText::typed("x") };
        assert_eq!(form_names(&FormState { a: named.clone(), b: named, ..FormState::new(Task::EditDistance) }), ["chr1 (a)", "chr1 (b)"]);
    }

    #[test]
    fn text_without_a_name_is_named_by_its_beginning() {
        let of = |a: &str, b: &str| {
            form_names(&FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(Task::EditDistance) })
        };
        assert_eq!(of("kitten", "sitting"), ["kitten", "sitting"]);
        assert_eq!(of("", "\n  \n"), ["a", "b"]);
        assert_eq!(of("x", "x"), ["x (a)", "x (b)"]);
        assert_eq!(of("Shall I compare thee to a summer’s day?", "one\ntwo"), ["Shall I compare thee…", "one…"]);
        let named = FormText { name: Some("1807.txt".into()), ..FormText::typed("I wandered") };
        assert_eq!(form_names(&FormState { a: named, b: FormText::typed("b\u{202e}c"), ..FormState::new(Task::Lcs) })[0], "1807.txt");
    }

    #[cfg(feature = "ssr")]
    #[test]
    fn preview_is_translated_into_every_language() {
        use crate::tr::speaking;

        let info = |symbols| explain::snapshot::TextInfo { symbols, ..Default::default() };
        let mut snapshot = JobSnapshot::new("1".into(), Task::EditDistance, Default::default(), info(6), info(7));
        snapshot.answer = Some(TaskAnswer::from_distance(3, None));
        let of = |language| {
            speaking(language, || {
                [link_preview(&snapshot, [Some("1807"), None], [""; 2]), LinkPreview::of_page(), LinkPreview::of_sealed()]
            })
        };
        let titles = [
            (Language::German, "3 Änderungen: 1807 und b · Editscope"),
            (Language::Spanish, "3 ediciones: 1807 y b · Editscope"),
            (Language::French, "3 modifications\u{a0}: 1807 et b · Editscope"),
        ];
        for (language, title) in titles {
            assert_eq!(of(language)[0].title, title);
        }
        let english = of(Language::English);
        for language in Language::ALL.into_iter().filter(|language| *language != Language::English) {
            for (here, there) in english.iter().zip(of(language)) {
                assert_ne!(here.description, there.description, "{language:?}");
                assert!(there.title.ends_with("Editscope"), "{there:?}");
            }
        }
    }

    #[test]
    fn every_answer_has_a_short_form() {
        let said = |answer| briefly(&answer, (6, 9), &JobOptions::default());
        let search = |distance, max_distance, local_minima| {
            let options = JobOptions { max_distance, local_minima, ..JobOptions::default() };
            briefly(&TaskAnswer::ApproximateSearch { distance, total: 22, hits: Vec::new(), reverse: None }, (6, 9), &options)
        };
        assert_eq!(
            [search(Some(1), Some(8), false), search(Some(1), Some(8), true), search(Some(1), None, false)],
            ["22 end positions", "22 places", "closest match: 1 edit"]
        );
        assert_eq!(said(TaskAnswer::Lcs { length: 3, alignment: None }), "3 in common");
        let matches = |best, total_best| TaskAnswer::MatchCount {
            best,
            total_best,
            offsets: Vec::new(),
            within: None,
            top: Vec::new(),
            records: Vec::new(),
        };
        assert_eq!([said(matches(Some(4), 1)), said(matches(None, 0))], ["4 of 6 equal", "No offset"]);
        assert_eq!(
            said(TaskAnswer::ExactSearch { total: 1, positions: vec![2], records: Vec::new(), strands: Vec::new(), reverse: None }),
            "1 occurrence"
        );
    }
}
