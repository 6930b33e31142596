//! Checks that pages made of windows equal those made of whole texts.

use kernels::reading::PairRecordChoices;
use kernels::run::NoObserver;
use kernels::strand::SearchStrands;
use kernels::task::{Solution, solver};
use kernels::text::ReadingOptions;
use proptest::prelude::*;

use super::*;
use crate::results::file::{self, TextIndex};
use crate::results::search::LoadedSearch;
use crate::results::source::ByteSource;
use crate::results::units::tests as units;

/// A search and the pages that are queried.
#[derive(Clone, Debug)]
struct Case {
    task: Task,
    options: JobOptions,
    a: String,
    b: String,
    near: u64,
    /// The queried pages: the number of the first hit, the number of hits, and the symbols of context.
    pages: Vec<(u64, u64, u64)>,
}

/// Generates texts with and without records, and one of few letters with many hits.
fn texts() -> impl Strategy<Value = String> {
    let records = prop::collection::vec("[ACGTacgt\n]{0,40}", 1..6);
    let records = records.prop_map(|records| records.iter().map(|letters| format!(">r x\n{letters}\n")).collect::<String>());
    let some = units::texts().prop_map(|text| text.chars().take(20_000).collect());
    prop_oneof![some, records, "[ab]{0,400}", "(a|b|é|\n|\r\n| |e\u{301}){0,300}"]
}

fn cases() -> impl Strategy<Value = Case> {
    let options = (units::readings(), any::<bool>(), prop::option::of(0u64..6), any::<bool>(), any::<bool>(), any::<bool>());
    let parts = (any::<prop::sample::Index>(), 0usize..12, any::<bool>());
    let pages = prop::collection::vec((0u64..200, 0u64..60, 0u64..40), 1..4);
    let task = prop::sample::select(Task::SEARCHES.to_vec());
    (task, options, texts(), parts, 0u64..20, pages).prop_map(|(task, options, b, (at, len, is_upper), near, pages)| {
        let (ReadingOptions { unit, fasta, ignore_whitespace, normalize, .. }, case_insensitive, most, local_minima, is_bounded, is_both) =
            options;
        // The pattern is a part of the text, so that there are hits.
        let letters: Vec<char> = b.chars().collect();
        let from = at.index(letters.len() + 1);
        let a: String = letters[from..].iter().filter(|letter| !matches!(letter, '>' | '@')).take(len).collect();
        let a = if is_upper { a.to_uppercase() } else { a };
        let mut options = JobOptions { unit, fasta, ignore_whitespace, normalize, case_insensitive, ..JobOptions::default() };
        match task {
            Task::ApproximateSearch => (options.max_distance, options.local_minima) = (most, local_minima),
            Task::MatchCount if is_bounded => options.max_mismatches = most,
            _ => {}
        }
        if is_both && Task::STRANDED.contains(&task) {
            options.strands = SearchStrands::Both;
        }
        Case { task, options, a, b, near, pages }
    })
}

/// Returns the search of `case` in both forms, with parsed texts and with windows. Returns `None` if the texts are
/// invalid for it.
fn both(case: &Case) -> Option<(LoadedSearch, WindowedSearch)> {
    let reading = case.options.reading();
    let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
    let pair = Pair::parse_records(case.a.as_bytes(), case.b.as_bytes(), &reading, &choices).ok()?;
    let run = Run::new(&NoObserver);
    let Solution { answer, found, .. } = solver(case.task).cpu(&Cpu::all_cores(), &pair, &case.options, &run).unwrap();
    let found = found?;
    let bytes = file::write(&found, &TextIndex::from_text(&pair.b)).unwrap();
    let stored = StoredHits::open(ByteSource::Memory(bytes.into())).unwrap().unwrap();
    let mut texts = Box::new([units::stored(&pair.a, &reading), units::stored(&pair.b, &reading)]);
    texts[0].units.rna = Some(pair.nucleic_acid() == NucleicAcid::Rna);
    let windows =
        WindowedSearch { near: case.near, ..WindowedSearch::new(texts, Arc::new(stored), answer.clone(), case.task, case.options.clone()) };
    let search = LoadedSearch { pair: Arc::new(pair), found: Arc::new(found), answer, task: case.task, options: case.options.clone() };
    Some((search, windows))
}

fn check(case: &Case) {
    let Some((search, windows)) = both(case) else { return };
    let run = Run::new(&NoObserver);
    for &(from, len, context) in case.pages.iter().chain(&[(search.total().saturating_sub(3), 9, 5)]) {
        let Some(seen) = windows.page(from..from + len, Some(context), &run).unwrap() else {
            // The index does not have the whole of such a long unit in form C.
            assert!(case.options.normalize, "{case:?}");
            continue;
        };
        assert_eq!(seen, search.hit_page(from..from + len, context, &run).unwrap(), "{len} from {from}, {context} around: {case:?}");
        let hits = windows.page(from..from + len, None, &run).unwrap().unwrap();
        assert_eq!(hits.hits, search.hits(from, len, &run).unwrap());
        match (windows.align(from, &run), search.align(from, &run)) {
            (Ok(Some(one)), Ok(two)) => assert_eq!(one, two, "hit {from} of {case:?}"),
            (Err(one), Err(two)) => assert_eq!((one.kind, one.detail), (two.kind, two.detail)),
            (Ok(None), Ok(_)) => assert!(case.options.normalize, "{case:?}"),
            (one, two) => panic!("{one:?} {two:?} of {case:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn pages_agree_with_whole_texts(case in cases()) {
        check(&case);
    }
}

/// Checks every search at both ends of records, and with windows that nearly touch.
#[test]
fn hits_at_record_ends_agree_with_whole_texts() {
    let b = ">one\nGATTACAGATTACA\n>two\n\n>three\nGATT\nACATTTTTTTTTTTTTTTTTTTTTTGATTACA\n>four\nG\n";
    for task in Task::SEARCHES {
        for (a, most) in
            [("GATTACA", Some(2)), ("GATTACA", None), ("G", Some(0)), ("", None), ("CATG", Some(9)), ("TTTTTTTTTTTTTTTTTTT", Some(18))]
        {
            for (near, context) in [(0, 0), (0, 3), (1, 4), (9, 100)] {
                let mut options = JobOptions::default();
                match task {
                    Task::ApproximateSearch => options.max_distance = most,
                    Task::MatchCount => options.max_mismatches = most,
                    _ => {}
                }
                let pages = vec![(0, 100, context), (3, 1, context), (1, 5, context)];
                for ambiguity in [false, true] {
                    let options = JobOptions { ambiguity, ..options.clone() };
                    check(&Case { task, options, a: a.into(), b: b.into(), near, pages: pages.clone() });
                }
                if Task::STRANDED.contains(&task) {
                    options.strands = SearchStrands::Both;
                    let b = b.replace(">four", ">both\nTGTAATCGATTACATGTAATC\n>four");
                    check(&Case { task, options, a: a.into(), b, near, pages });
                }
            }
        }
    }
}

/// Checks that adjacent hits share a window and distant ones do not, and that large windows are refused.
#[test]
fn only_windows_around_hits_are_read() {
    let filler = "x".repeat(20_000);
    let b = format!("{filler}needle needle{filler}needle{filler}");
    let case = |context| Case {
        task: Task::ApproximateSearch,
        options: JobOptions { max_distance: Some(1), ..JobOptions::default() },
        a: "needle".into(),
        b: b.clone(),
        near: MAX_WINDOW_GAP,
        pages: vec![(0, 100, context)],
    };
    let (_, windows) = both(&case(0)).unwrap();
    let positions = windows.found.hits.page(&windows.found.source, 0..100).unwrap();
    let ranges: Vec<_> = windows.windows(&positions, 10).unwrap().into_iter().map(|window| window.symbols).collect();
    assert_eq!(ranges.len(), 2, "{ranges:?}");
    assert!(ranges.iter().all(|range| range.end - range.start < 60), "{ranges:?}");
    check(&case(10));
    let long = Case {
        a: "x".repeat(MAX_WINDOW_SYMBOLS as usize / 100),
        b: "x".repeat(MAX_WINDOW_SYMBOLS as usize),
        task: Task::ExactSearch,
        options: JobOptions::default(),
        near: 0,
        pages: Vec::new(),
    };
    let (_, windows) = both(&long).unwrap();
    let run = Run::new(&NoObserver);
    assert!(windows.page(0..100, Some(10), &run).unwrap().is_some(), "overlapping windows are read");
    let (_, windows) = both(&Case { a: "x".repeat(MAX_WINDOW_SYMBOLS as usize - 50), ..long }).unwrap();
    assert!(windows.page(0..100, Some(10), &run).unwrap().is_none(), "a pattern of that size alone reaches the limit");
}
