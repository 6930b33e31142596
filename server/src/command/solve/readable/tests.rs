use kernels::engine::Engine;
use kernels::job::GapPoints;
use kernels::run::{NoObserver, Run};

use super::*;

/// Returns the answer of `task` as it is printed, without colors and without the last line, which has the duration.
fn printed(task: Task, options: JobOptions, a: &str, b: &str, screen: TerminalFormat) -> String {
    let cpu = Cpu { threads: 1 };
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &options.reading()).unwrap();
    let solution = Engine::Cpu(cpu).run(task, &options, &pair, &Run::new(&NoObserver)).unwrap();
    let solved = SolvedJob {
        task,
        options: &options,
        pair: &pair,
        solution: &solution,
        names: ["old.txt", "new.txt"],
        cpu: &cpu,
        took: "no time".into(),
    };
    let mut out = Vec::new();
    write(&mut out, &solved, screen).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.ends_with("Computed in no time.\n"), "{out}");
    out.strip_suffix("Computed in no time.\n").unwrap().to_owned()
}

const SCREEN: TerminalFormat = TerminalFormat { width: 60, is_coloured: false, shows_all: false };

fn of(unit: Unit) -> JobOptions {
    JobOptions { unit, ..JobOptions::default() }
}

#[test]
fn each_word_has_its_own_cell() {
    let out = printed(Task::EditDistance, of(Unit::Words), "the quick brown fox jumps", "the slow fox jumps high", SCREEN);
    assert_eq!(
        out,
        "3 word edits turn old.txt into new.txt.\n\
         40.0% similar (1 − 3/5). 1 substituted, 1 inserted, 1 deleted, 3 equal. Compared by words.\n\
         \n\
         a 0  the quick brown fox jumps –   \n     |   −     ×     |   |     +\nb 0  the –     slow  fox jumps high\n"
    );
}

#[test]
fn changed_lines_are_listed_and_equal_lines_are_folded() {
    let old = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
    let out = printed(Task::EditDistance, of(Unit::Lines), old, &old.replace("six", "6\u{1b}"), SCREEN);
    let body = out.split_once("\n\n").unwrap().1;
    assert_eq!(body, "  ⋯ 4 equal lines\n  five\n− six\n+ 6␛\n  seven\n");
}

#[test]
fn long_alignment_is_cut_to_20_lines_with_a_hint() {
    let a = "ACGTACGTAC".repeat(500);
    let mut b = a.clone().into_bytes();
    (0..50).for_each(|at| b[at * 100 + 50] = b'N');
    let b = String::from_utf8(b).unwrap();
    let out = printed(Task::EditDistance, of(Unit::Bytes), &a, &b, SCREEN);
    assert!(out.lines().count() < MAX_PRINTED_LINES, "{out}");
    assert!(out.contains("more places differ. --all prints them; --cigar FILE saves the alignment.\n"), "{out}");
    assert!(out.lines().skip(2).all(|line| width(line) <= 80), "{out}");
    let all = printed(Task::EditDistance, of(Unit::Bytes), &a, &b, TerminalFormat { shows_all: true, ..SCREEN });
    assert_eq!(all.matches('×').count(), 50);
    assert!(!all.contains("--all"));
}

#[test]
fn equal_texts_and_ignored_differences_are_stated() {
    assert!(printed(Task::EditDistance, of(Unit::Bytes), "same", "same", SCREEN).starts_with("0 edits: same and same are equal.\n"));
    let options = JobOptions { case_insensitive: true, ..of(Unit::Bytes) };
    let out = printed(Task::EditDistance, options, "Same", "same", SCREEN);
    assert!(out.contains("Their bytes differ; ignored: upper and lower case."), "{out}");
    let out = printed(Task::Lcs, of(Unit::Graphemes), "kitten", "sitting", SCREEN);
    assert!(out.starts_with("4 characters in common, in the same order: ittn.\n57.1% of the longer text."), "{out}");
}

#[test]
fn ambiguity_codes_match_and_are_not_called_equal() {
    let options = JobOptions { ambiguity: true, ..of(Unit::Bytes) };
    let out = printed(Task::EditDistance, options.clone(), "RN", "GC", SCREEN);
    assert!(out.starts_with("0 edits: all letters of RN and GC match.\n") && !out.contains("equal") && !out.contains("differ"), "{out}");
    let (a, b) = ("R".repeat(100) + "A", "G".repeat(100) + "C");
    let out = printed(Task::EditDistance, options.clone(), &a, &b, SCREEN);
    assert!(out.contains("1 substituted, 100 matching.") && out.contains("⋯ 90 matching bytes") && !out.contains("equal"), "{out}");
    let out = printed(Task::SequenceAlignment, options, &a, &b, SCREEN);
    assert!(out.contains("101 columns: 100 matching, ") && !out.contains("equal"), "{out}");
}

#[test]
fn hits_are_shown_in_their_lines() {
    let text = "Shall I compare thee to a summer's day?\nRough winds\nAnd sommer's lease \u{1b}[2J hath\n";
    let options = JobOptions { max_distance: Some(1), local_minima: true, ..of(Unit::Graphemes) };
    let out = printed(Task::ApproximateSearch, options, "summer", text, SCREEN);
    assert!(out.starts_with("2 places match summer within 1 edit.\nThe best match is exact. Compared by characters.\n\n"), "{out}");
    let rows: Vec<&str> = out.lines().skip(3).collect();
    assert!(rows[0].starts_with("  line 1, 26–32  0 edits  ") && rows[0].contains("to a [summer]'s day?"), "{out}");
    assert!(rows[1].starts_with("  line 3, 56–62  1 edit   And [sommer]'s lease ␛[2J"), "{out}");
    let out = printed(Task::ExactSearch, of(Unit::Bytes), "e", &"e\n".repeat(100), SCREEN);
    assert!(out.lines().count() < MAX_PRINTED_LINES && out.contains("more places. --all prints them; --hits FILE saves them.\n"), "{out}");
    let out = printed(Task::ExactSearch, of(Unit::Bytes), "zzz", text, SCREEN);
    assert!(out.starts_with("No occurrence of zzz in new.txt.\n"), "{out}");
    let out = printed(Task::MatchCount, of(Unit::Bytes), "GATTACA", "GATGACAT", SCREEN);
    assert!(out.starts_with("6 of 7 bytes match at best, at 1 of 2 offsets.\n"), "{out}");
    let out = printed(Task::MatchCount, of(Unit::Bytes), "GATTACA", "GAT", SCREEN);
    assert!(out.starts_with("The pattern is longer than the text"), "{out}");
}

#[test]
fn sum_of_costs_is_printed_with_the_number_of_edits() {
    let with = |costs| JobOptions { costs, ..of(Unit::Bytes) };
    let out = printed(Task::EditDistance, with(EditCosts { substitute: 3, ..EditCosts::OSA }), "freind", "friends", SCREEN);
    let head: Vec<&str> = out.lines().take(2).collect();
    assert_eq!(
        head,
        [
            "2 is the least sum of costs of edits that turn freind into friends.",
            "2 edits cost 2 in sum: 1 inserted, 1 transposed, 4 equal. Costs: substitute 3, insert 1, delete 1, transpose 1. Compared by bytes.",
        ]
    );
    assert!(out.contains("⇄⇄") && !out.contains("similar"), "{out}");
    let free = EditCosts { insert: 0, ..EditCosts::LEVENSHTEIN };
    assert!(printed(Task::EditDistance, with(free), "a", "ab", SCREEN).starts_with("0 is the least sum of costs"));
    assert!(printed(Task::EditDistance, with(free), "ab", "ab", SCREEN).starts_with("0 edits: ab and ab are equal."));
    assert!(printed(Task::EditDistance, JobOptions { alignment: false, ..with(free) }, "a", "ab", SCREEN).starts_with("0 is the least"));
}

#[test]
fn similarity_is_printed_with_enough_digits() {
    assert_eq!(
        (percent(4, 7), percent(999_999, 1_000_000), percent(3, 3), percent(0, 0)),
        ("57.1%".into(), "99.9999%".into(), "100%".into(), "100%".into())
    );
}

#[test]
fn score_is_printed_with_its_pieces_and_points() {
    let local = JobOptions {
        mode: AlignmentMode::Local,
        equal: 2.into(),
        different: Points::whole(-3),
        gap: GapPoints::whole(2, 1),
        ..of(Unit::Bytes)
    };
    let out = printed(Task::SequenceAlignment, local, "TTTGATTACAGG", "CCGATACACC", SCREEN);
    assert_eq!(
        out,
        "9 is the highest score of a local alignment of TTTGATTACAGG and CCGATACACC.\n\
         Aligned: 3–10 of TTTGATTACAGG, 2–8 of CCGATACACC. 7 columns: 6 equal, 6 with points above 0, 1 gap with 1 symbol. \
         Points: match 2, mismatch −3, gap of n symbols −(2 + 1 · n). Compared by bytes.\n\
         \n\
         a  3  GATTACA\n      ||−||||\nb  2  GA–TACA\n"
    );
    let out = printed(Task::SequenceAlignment, of(Unit::Bytes), "ab", "cd", SCREEN);
    assert!(out.starts_with("−2 is the highest score of a global alignment of ab and cd.\n2 columns: 0 equal, "), "{out}");
}
