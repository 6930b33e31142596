//! What other programs show of a result before anybody opens it.

use explain::snapshot::Snapshot;
use kernels::event::Answer;

use crate::tr;
use crate::tr::t;
use crate::view::task::meaning;
use crate::visit::Preview;
use crate::words::{self, grouped};

/// Of a result, whose texts have these names.
pub fn of(snapshot: &Snapshot, [name_a, name_b]: [Option<&str>; 2]) -> Preview {
    let Some(answer) = &snapshot.answer else { return Preview::of_page() };
    let (a, b) = (&snapshot.a, &snapshot.b);
    let symbols = (a.symbols, b.symbols);
    let (brief, meaning) = (briefly(answer, symbols), meaning(answer, symbols, &snapshot.options).plain());
    let names = tr!("{a} and {b}", a = name_a.unwrap_or("a"), b = name_b.unwrap_or("b"));
    Preview { title: format!("{brief}: {names} · Editscope"), description: meaning }
}

/// An answer in a few words: "3 edits".
pub fn briefly(answer: &Answer, (a, _): (u64, u64)) -> String {
    match answer {
        Answer::EditDistance { distance, .. } => words::count(*distance, "edit", "edits"),
        Answer::ApproximateSearch { total, .. } => words::count(*total, "hit", "hits"),
        Answer::Lcs { length, .. } => tr!("{n} in common", n = grouped(*length)),
        Answer::MatchCount { best: Some(best), .. } => tr!("{n} of {all} equal", n = grouped(*best), all = grouped(a)),
        Answer::MatchCount { best: None, .. } => t("No offset").into(),
        Answer::ExactSearch { total, .. } => words::count(*total, "occurrence", "occurrences"),
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;

    #[test]
    fn a_preview_says_the_number() {
        let info = |symbols| explain::snapshot::TextInfo { symbols, ..Default::default() };
        let mut snapshot = Snapshot::new("1".into(), Task::EditDistance, Default::default(), info(6), info(7));
        assert_eq!(of(&snapshot, [None; 2]), Preview::of_page());
        snapshot.answer = Some(Answer::EditDistance { distance: 3, alignment: None });
        assert_eq!(of(&snapshot, [None; 2]).title, "3 edits: a and b · Editscope");
        assert_eq!(of(&snapshot, [Some("1807"), None]).title, "3 edits: 1807 and b · Editscope");
        let description = "3 edits turn a into b. Similarity 57.1\u{a0}%, that is 1 − distance ÷ the longer length, 7 bytes.";
        assert_eq!(of(&snapshot, [None; 2]).description, description);
    }

    #[test]
    fn every_answer_is_said_in_a_line() {
        let said = |answer| briefly(&answer, (6, 9));
        assert_eq!(said(Answer::ApproximateSearch { distance: Some(1), total: 2, hits: Vec::new() }), "2 hits");
        assert_eq!(said(Answer::Lcs { length: 3, alignment: None }), "3 in common");
        let matches = |best, total_best| Answer::MatchCount {
            best,
            total_best,
            offsets: Vec::new(),
            within: None,
            top: Vec::new(),
            records: Vec::new(),
        };
        assert_eq!([said(matches(Some(4), 1)), said(matches(None, 0))], ["4 of 6 equal", "No offset"]);
        assert_eq!(said(Answer::ExactSearch { total: 1, positions: vec![2], records: Vec::new() }), "1 occurrence");
    }
}
