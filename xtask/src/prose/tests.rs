//! Tests of the rules, of the comments that they read, and of the floors.

use super::{
    comments::{DocComment, ItemKind, first_sentence, parse_comments},
    rules::{
        ProseRule::{self, Dangling, Knot, Long, NoVerb, Opener, Stub},
        find_broken,
    },
    *,
};

/// Sentences and the rules that they break.
const SENTENCES: &[(ItemKind, &str, &[ProseRule])] = &[
    (ItemKind::Function, "Returns the distance of `a` and `b`.", &[]),
    (ItemKind::Function, "Applies the edits to a text.", &[]),
    (ItemKind::Function, "`O_TMPFILE` on Linux.", &[]),
    (ItemKind::Function, "Matches a pattern.", &[]),
    (ItemKind::Function, "Keeps the job counted until its end.", &[]),
    (ItemKind::Function, "Returns the number of items.", &[]),
    (ItemKind::Function, "", &[]),
    (ItemKind::Function, "The numbers of a text's symbols.", &[NoVerb]),
    (ItemKind::Function, "Matches of a pattern.", &[NoVerb]),
    (ItemKind::Function, "Of a client's job with this plan.", &[Opener, NoVerb]),
    (ItemKind::Function, "From the first row to the last.", &[Opener, NoVerb]),
    (ItemKind::Function, "Returns what is stored.", &[Opener]),
    (ItemKind::Function, "Returns it to the caller.", &[Dangling]),
    (ItemKind::Function, "Begins with the second.", &[Dangling]),
    (ItemKind::Function, "Waits until nobody reads.", &[Dangling]),
    (ItemKind::Function, "Deletes.", &[Stub]),
    (ItemKind::Function, "Returns rows that show what changed where the texts differ.", &[Knot]),
    (ItemKind::Type, "The solver of a task.", &[]),
    (ItemKind::Type, "The match and its alignment.", &[]),
    (ItemKind::Type, "What solves a task.", &[Opener]),
    (ItemKind::Type, "One of them, chosen by the planner.", &[Opener, Dangling]),
    (ItemKind::Type, "The rows.", &[Stub]),
    (ItemKind::Value, "Rows.", &[]),
    (ItemKind::Value, "In bytes, without the header.", &[]),
    (ItemKind::Value, "In bytes.", &[Opener]),
    (ItemKind::Value, "This is the last row.", &[Opener]),
    (ItemKind::Module, "Bus: messages between processes.", &[]),
    (ItemKind::Module, "Bus: what is told of jobs.", &[Opener]),
];

#[test]
fn sentences_break_the_listed_rules() {
    for (item, sentence, broken) in SENTENCES {
        let comment = DocComment { line: 1, body: vec![sentence], item: *item };
        assert_eq!(find_broken(&comment), *broken, "{item:?}: {sentence}");
    }
}

#[test]
fn long_sentence_has_more_than_32_words() {
    let broken = |words: usize| {
        let sentence = format!("Returns{}.", " text".repeat(words - 1));
        find_broken(&DocComment { line: 1, body: vec![&sentence], item: ItemKind::Function })
    };
    assert_eq!(broken(32), []);
    assert_eq!(broken(33), [Long]);
}

#[test]
fn first_sentence_ends_before_the_second_one() {
    let cases: &[(&[&str], &str)] = &[
        (&["Returns `a.b`. Then more."], "Returns `a.b`."),
        (&["Returns 0.5 of", "  the [`Width`](crate::Width) of a [box]. Costs O(n)."], "Returns 0.5 of the `Width` of a box."),
        (&["Writes `a. B` and ends! (Once.)"], "Writes `a_B` and ends!"),
        (&["No stop", "- a list"], "No stop"),
        (&["Paragraph", "", "Second."], "Paragraph"),
        (&["# Errors"], ""),
    ];
    for (body, sentence) in cases {
        assert_eq!(first_sentence(body), *sentence);
    }
}

#[test]
fn comments_are_assigned_to_their_items() {
    let text = "\
//! Module.

//// Four slashes.
/// Function
///  of two lines.
#[expect(
    lints[0],
)]
pub(crate) const fn one() {}
/// Test.
#[test]
fn two() {}
/// Type.
#[derive(Debug)]
pub struct Three {
    /// Field.
    pub four: fn(u8),
}
/// Constant.
static mut FIVE: u8 = 5;
/// Macro.
macro_rules! six {}
/// Last.";
    let comments = parse_comments(text);
    let found: Vec<_> = comments.iter().map(|comment| (comment.line, comment.body.join("|"), comment.item)).collect();
    let expected = [
        (1, "Module.", ItemKind::Module),
        (4, "Function| of two lines.", ItemKind::Function),
        (13, "Type.", ItemKind::Type),
        (16, "Field.", ItemKind::Value),
        (19, "Constant.", ItemKind::Value),
        (21, "Macro.", ItemKind::Module),
        (23, "Last.", ItemKind::Value),
    ];
    assert_eq!(found, expected.map(|(line, body, item)| (line, body.to_owned(), item)));
}

#[test]
fn files_of_tests_and_benchmarks_are_excluded() {
    let is_read = |path: &str| !LEFT_OUT.is_match(path);
    for path in ["/app/src/lib.rs", "/app/src/words.rs", "/kernels/src/gpu/testing.rs", "/server/src/latest.rs"] {
        assert!(is_read(path), "{path}");
    }
    for path in ["/app/tests/it/main.rs", "/app/src/tests.rs", "/kernels/benches/a.rs", "/server/src/storage/ports/rows/conformance.rs"] {
        assert!(!is_read(path), "{path}");
    }
}

#[test]
fn floors_apply_to_crates_with_at_least_20_comments() {
    assert!(!is_below(18, 19, 99));
    assert!(is_below(19, 20, 96));
    assert!(!is_below(19, 20, 95));
    assert_eq!(min_percent("a crate without a floor"), MIN_NEW_CRATE_PERCENT);
}

#[test]
fn floors_are_shares_for_new_crates_or_higher() {
    assert!(MIN_PLAIN_PERCENT.iter().all(|(_, floor)| (MIN_NEW_CRATE_PERCENT..=100).contains(floor)));
}
