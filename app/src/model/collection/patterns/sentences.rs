//! Sentences about a search for many patterns.

use kernels::failure::{InputError, JobFailure, large};
use kernels::job::Task;

use super::super::sentences as of_collections;
use super::answer::{LaneOrder, SearchedTexts, place_of};
use super::form::PatternLineError;
use crate::model::problem::{Problem, bad_record};
use crate::model::text::humanize::{self, count, grouped, measured_time};
use crate::tr;
use crate::tr::t;

/// Maximum number of patterns without places that the headline names.
const MAX_NAMED: usize = 3;

/// The headline of an answer: a number, a sentence that goes on with it, and a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternHeadline {
    pub number: String,
    pub says: String,
    pub note: String,
}

/// Returns the headline of an answer.
pub fn headline(texts: &SearchedTexts) -> PatternHeadline {
    let (places, patterns) = (texts.places(), texts.report.patterns.len());
    let missing = patterns - texts.occurring();
    let counted = count(patterns as u64, "pattern", "patterns");
    let says = match (places, missing) {
        (1, 0) => tr!("place of {patterns}; every pattern occurs.", patterns = counted),
        (1, _) => tr!("place of {patterns}; patterns without a place: {n}.", patterns = counted, n = grouped(missing as u64)),
        (_, 0) => tr!("places of {patterns}; every pattern occurs.", patterns = counted),
        (_, _) => tr!("places of {patterns}; patterns without a place: {n}.", patterns = counted, n = grouped(missing as u64)),
    };
    let lacking = (0..patterns).filter(|pattern| texts.pattern(*pattern).hits.is_empty());
    let note = |pattern: usize| {
        let edits = texts.least(pattern)?;
        Some(tr!("{name} comes no nearer than {edits}.", name = name(texts, pattern), edits = count(edits, "edit", "edits")))
    };
    let note = lacking.filter_map(note).take(MAX_NAMED).collect::<Vec<_>>().join(" ");
    PatternHeadline { number: grouped(places), says, note }
}

/// Returns the name of a pattern, or its number if it has none.
pub fn name(texts: &SearchedTexts, pattern: usize) -> String {
    let name = &texts.pattern(pattern).name;
    // The first word of a header is the name. The rest is a description.
    let is_header = texts.form.patterns.text().is_some_and(|text| text.starts_with('>'));
    let own = if is_header { name.split_whitespace().next().unwrap_or_default() } else { name };
    if own.is_empty() { tr!("Pattern {n}", n = pattern + 1) } else { own.to_owned() }
}

/// Returns the name of a searched text, or its number if it has none.
pub fn text_name(texts: &SearchedTexts, text: usize) -> String {
    match texts.report.texts.get(text).map(|text| text.name.as_str()) {
        Some("") | None => tr!("Text {n}", n = text + 1),
        Some(name) => name.to_owned(),
    }
}

/// Returns a number of edits: "exact", "2 edits".
pub fn edits(distance: u64) -> String {
    if distance == 0 { t("exact").into() } else { count(distance, "edit", "edits") }
}

/// Returns the last column of a lane: the fewest edits of a place, or the distance of the nearest part.
pub fn least_says(texts: &SearchedTexts, pattern: usize) -> String {
    match (texts.least(pattern), texts.pattern(pattern).hits.is_empty()) {
        (Some(distance), false) => edits(distance),
        (Some(distance), true) => tr!("nearest: {n}", n = grouped(distance)),
        (None, _) => "–".into(),
    }
}

/// Returns a place in words: "cre_F at 436–455, + strand: 1 edit".
pub fn place_says(texts: &SearchedTexts, (pattern, hit): (usize, usize)) -> Option<String> {
    let found = texts.hit((pattern, hit))?;
    let at = at_says(texts, &found);
    let (name, edits) = (name(texts, pattern), edits(found.distance));
    Some(match found.strand {
        Some(strand) => tr!(
            "{name} at {place}, {sign} strand: {edits}",
            name = name,
            place = at,
            sign = if strand.sign() == '-' { '−' } else { '+' },
            edits = edits
        ),
        None => tr!("{name} at {place}: {edits}", name = name, place = at, edits = edits),
    })
}

/// Returns the positions of a hit, after the name of its text if there are several.
pub fn at_says(texts: &SearchedTexts, hit: &kernels::found::Hit) -> String {
    let (text, start, end) = place_of(hit);
    let (from, to) = humanize::range(start, end);
    let range = if end > start + 1 { format!("{from}–{to}") } else { from };
    if texts.report.texts.len() > 1 { format!("{} {range}", text_name(texts, text)) } else { range }
}

/// Returns the bold part of the sentence about a finished search, and the rest.
pub fn run_says(texts: &SearchedTexts) -> (String, String) {
    let work =
        tr!("{cells} in {time}.", cells = humanize::WorkUnit::Cells.work(texts.report.cells), time = measured_time(texts.report.took_ms));
    (tr!("Your browser searched for {patterns},", patterns = count(texts.report.patterns.len() as u64, "pattern", "patterns")), work)
}

/// Returns the numbers of the patterns: "12 patterns of 6 to 24 letters".
pub fn patterns_counted(texts: &SearchedTexts) -> String {
    let symbols = || texts.report.patterns.iter().map(|pattern| pattern.symbols);
    let (least, most) = (symbols().min().unwrap_or(0), symbols().max().unwrap_or(0));
    let patterns = count(texts.report.patterns.len() as u64, "pattern", "patterns");
    if least == most {
        tr!("{patterns} of {most}", patterns = patterns, most = count(most, "letter", "letters"))
    } else {
        tr!("{patterns} of {least} to {most}", patterns = patterns, least = grouped(least), most = count(most, "letter", "letters"))
    }
}

/// Returns the numbers of the texts: "94,481 letters", "2 texts · 94,481 letters".
pub fn texts_counted(texts: &SearchedTexts) -> String {
    let letters = count(texts.symbols(), "letter", "letters");
    match texts.report.texts.len() as u64 {
        1 => letters,
        texts => format!("{} · {letters}", count(texts, "text", "texts")),
    }
}

/// Returns the name of an order of lanes.
pub fn order_says(order: LaneOrder) -> &'static str {
    match order {
        LaneOrder::Given => t("As given"),
        LaneOrder::Place => t("By place"),
        LaneOrder::Count => t("By count"),
        LaneOrder::Name => t("By name"),
    }
}

/// Returns the name of a task that searches for patterns.
pub fn task_says(task: Task) -> &'static str {
    match task {
        Task::ExactSearch => t("Exact search"),
        Task::ApproximateSearch | Task::EditDistance | Task::Lcs | Task::MatchCount | Task::SequenceAlignment => t("Approximate search"),
    }
}

/// Converts a line of patterns that is not understood into a problem.
pub fn bad_line(error: &PatternLineError) -> Problem {
    let detail = match error {
        PatternLineError::Edits { line, value } => tr!(
            "Line {line} of the patterns allows “{value}” edits, and that is no whole number from 0.",
            line = grouped(*line as u64),
            value = value
        ),
        PatternLineError::Columns { line } => tr!(
            "Line {line} of the patterns has more than three columns. Between tabs stand its name, its letters and its number of edits.",
            line = grouped(*line as u64)
        ),
        PatternLineError::NoLetters { line } => tr!(
            "Line {line} of the patterns has no letters. Between tabs stand its name, its letters and its number of edits.",
            line = grouped(*line as u64)
        ),
    };
    Problem::new("bad-input", t("A pattern is not understood"), detail)
}

/// Converts a failure of the solver into a problem. Failures about patterns, which have the name `patterns`, are told in
/// their own words.
pub fn refusal(failure: &JobFailure, patterns: &str) -> Problem {
    match failure {
        JobFailure::TooLarge { what, got, limit } if what == large::HITS => {
            let detail = tr!(
                "This browser lists up to {limit} places, and there are at least {n}. Allow fewer edits, or search for longer patterns.",
                limit = grouped(*limit),
                n = grouped(*got)
            );
            Problem { limit: Some(*limit), ..Problem::new("too-large", t("Too many places"), detail) }
        }
        JobFailure::TooLarge { what, got, .. } if what == large::CELLS => {
            let detail = tr!(
                "This search has {cells}. Search for fewer patterns, or in a part of the texts.",
                cells = humanize::WorkUnit::Cells.work(*got)
            );
            Problem::new("too-large", t("Too much work for this browser"), detail)
        }
        // No rule divides the patterns, so that their file cannot be read as text.
        JobFailure::BadInput { wrong: Some(InputError::BadRecord { text, name, line, fault, .. }), .. } if text == patterns => {
            bad_record(text, name, *line, *fault, "")
        }
        failure => of_collections::refusal(failure),
    }
}

#[cfg(test)]
mod tests {
    use kernels::failure::RecordFault;

    use super::super::answer::tests::searched;
    use super::*;

    #[test]
    fn headline_counts_places_and_names_patterns_without_any() {
        let texts = searched();
        let found = headline(&texts);
        assert_eq!(
            (found.number.as_str(), found.says.as_str(), found.note.as_str()),
            ("3", "places of 3 patterns; patterns without a place: 1.", "none comes no nearer than 3 edits.")
        );
    }

    #[test]
    fn places_have_their_text_and_edits() {
        let texts = searched();
        assert_eq!(place_says(&texts, (0, 0)).as_deref(), Some("rep at chr1 60–64: 1 edit"));
        assert_eq!(place_says(&texts, (1, 0)).as_deref(), Some("Cre at chr1 10–14: exact"));
        assert_eq!(place_says(&texts, (0, 9)), None);
        assert_eq!([0, 1, 2].map(|pattern| least_says(&texts, pattern)), ["exact", "exact", "nearest: 3"]);
        assert_eq!(
            (patterns_counted(&texts).as_str(), texts_counted(&texts).as_str()),
            ("3 patterns of 4 letters", "2 texts · 150 letters")
        );
    }

    #[test]
    fn refusals_name_the_line_or_the_limit() {
        let refusal = |failure: &JobFailure| refusal(failure, "p");
        let line = bad_line(&PatternLineError::Edits { line: 3, value: "many".into() });
        assert_eq!(line.detail, "Line 3 of the patterns allows “many” edits, and that is no whole number from 0.");
        let hits = JobFailure::TooLarge { what: large::HITS.into(), got: 300_000, limit: 200_000 };
        assert!(refusal(&hits).detail.contains("up to 200,000 places, and there are at least 300,000"), "{:?}", refusal(&hits));
        let cells = JobFailure::TooLarge { what: large::CELLS.into(), got: 2_000_000_000_000, limit: 1 };
        assert!(refusal(&cells).detail.contains("fewer patterns"));
        assert!(refusal(&JobFailure::bad_input("p is not valid UTF-8 at byte 2.")).detail.contains("byte 2"));
    }

    #[test]
    fn only_searched_texts_are_read_as_text() {
        let fault = RecordFault::Line;
        let bad = |text: &str| InputError::BadRecord { text: text.into(), record: Some(0), name: String::new(), line: 3, fault };
        let says = |text| refusal(&JobFailure::wrong("", bad(text)), "patterns").detail;
        assert_eq!(says("patterns"), "In patterns, the record in line 3 does not follow the format of the file.");
        assert!(says("x.fastq").ends_with("Repair the file, or choose “Each text is one line”."), "{}", says("x.fastq"));
    }
}
