//! Searches with ambiguity codes agree with the oracle on every engine. Texts with other symbols are rejected.

use kernels::engine::Engine;
use kernels::event::TaskAnswer;
use kernels::failure::{InputError, JobFailure, large};
use kernels::job::{GapPlacement, JobOptions, PairRecordChoices, PaperMethod, SearchStrands, Task, Unit};
use kernels::run::{NoObserver, Run};
use kernels::task::{searcher, solver};
use kernels::text::Pair;
use oracle::{agree, processors, random};
use proptest::prelude::*;

use crate::device::cuda;

const AMBIGUOUS: JobOptions = JobOptions { ambiguity: true, ..JobOptions::DEFAULT };

/// Letters of texts: mostly bases, and all other codes.
const LETTERS: &[u8] = b"ACGTACGTACGTACGTUacgtRYSWKMBDHVNnr";

fn choices(task: Task) -> Vec<JobOptions> {
    let one_strand = match task {
        Task::ApproximateSearch => {
            let with = |max_distance| JobOptions { max_distance: Some(max_distance), ..AMBIGUOUS };
            let minima = JobOptions { local_minima: true, gaps: GapPlacement::Rightmost, ..with(4) };
            vec![AMBIGUOUS, with(0), with(2), minima, JobOptions { count_only: true, ..with(3) }]
        }
        _ => vec![AMBIGUOUS, JobOptions { count_only: true, ..AMBIGUOUS }],
    };
    if !Task::STRANDED.contains(&task) {
        let with = |max_mismatches| JobOptions { max_mismatches: Some(max_mismatches), ..AMBIGUOUS };
        return vec![AMBIGUOUS, with(0), with(3), JobOptions { count_only: true, ..with(2) }];
    }
    let both = one_strand.iter().map(|options| JobOptions { strands: SearchStrands::Both, ..options.clone() });
    one_strand.iter().cloned().chain(both).collect()
}

fn read(a: &str, b: &str, options: &JobOptions) -> Pair {
    Pair::parse(a.as_bytes(), b.as_bytes(), &options.reading()).unwrap()
}

fn check(engine: &Engine, a: &str, b: &str) {
    for task in Task::SEARCHES {
        choices(task).iter().for_each(|options| drop(agree(engine, task, &read(a, b, options), options)));
    }
}

const EDGES: [(&str, &str); 9] = [
    ("", "ACGT"),
    ("", ""),
    ("N", ""),
    ("GTGYCAGC", "AAGTGCCAGCAAGCTGGCAC"),
    ("NNNN", "ACGTRYSWKMBDHVN"),
    ("ACGTRYSWKMBDHVN", "NVHDBMKWSYRTGCA"),
    ("gaNuaca", "ttGATTACAggautac"),
    ("SSSWWW", "GCGATACCCTTT"),
    ("RRR", ">one\nACGT\nAGA\n"),
];

#[test]
fn edge_cases_agree_with_the_oracle() {
    for (a, b) in EDGES {
        processors().iter().for_each(|engine| check(engine, a, b));
    }
}

#[test]
fn edge_cases_agree_with_the_oracle_on_a_device() {
    let Some(engine) = cuda() else { return };
    EDGES.iter().for_each(|(a, b)| check(engine, a, b));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn random_texts_agree_with_the_oracle(m in 0..140usize, n in 0..300usize, seed: u64) {
        let letters = |len, seed| String::from_utf8(random(LETTERS, len, seed)).unwrap();
        let (a, b) = (letters(m, seed), letters(n, !seed));
        processors().iter().for_each(|engine| check(engine, &a, &b));
    }
}

/// The pattern lies in the text with each base replaced by a code that contains the base, in pieces of three threads.
#[test]
fn long_text_agrees_with_the_oracle() {
    let b = String::from_utf8(random(b"ACGT", 3_000, 1)).unwrap();
    let code = |base: char| match base {
        'A' => 'R',
        'C' => 'M',
        'G' => 'N',
        _ => 'Y',
    };
    for range in [0..64, 1_000..1_070, 2_700..3_000] {
        let a: String = b[range.clone()].chars().map(code).collect();
        let pair = read(&a, &b, &AMBIGUOUS);
        for engine in processors() {
            let solution = agree(&engine, Task::ExactSearch, &pair, &AMBIGUOUS);
            let TaskAnswer::ExactSearch { positions, .. } = solution.answer else { panic!("no exact search") };
            assert!(positions.contains(&(range.start as u64)), "{range:?}");
            agree(&engine, Task::ApproximateSearch, &pair, &JobOptions { max_distance: Some(3), ..AMBIGUOUS });
        }
    }
}

/// A text of 16,000 letters and a pattern longer than [`MIN_BANDED_PATTERN`](8192), whose hits other searches find in bands.
#[test]
fn long_pattern_is_found_with_its_edits() {
    let b = random(b"ACGT", 16_000, 5);
    let mut a = b[3_000..12_000].to_vec();
    a[100] = b'N';
    a.remove(4_000);
    a.insert(7_000, b'R');
    a[8_500] = if a[8_500] == b'A' { b'Y' } else { b'A' };
    let options = JobOptions { max_distance: Some(5), local_minima: true, ..AMBIGUOUS };
    let pair = Pair::parse(a, b, &options.reading()).unwrap();
    for engine in processors() {
        let solution = engine.run(Task::ApproximateSearch, &options, &pair, &Run::new(&NoObserver)).unwrap();
        let TaskAnswer::ApproximateSearch { distance, total, hits, .. } = solution.answer else { panic!("no approximate search") };
        assert_eq!((distance, total, hits[0].start, hits[0].end), (Some(3), 1, 3_000, 12_000));
        let cpu = kernels::engine::Cpu::SINGLE;
        let search = searcher(Task::ApproximateSearch).unwrap();
        let alignment = search.align(&pair, hits[0], GapPlacement::Leftmost, &cpu, &Run::new(&NoObserver)).unwrap();
        let summary = alignment.summary();
        assert_eq!((summary.mismatches, summary.insertions, summary.deletions), (1, 1, 1));
    }
}

#[test]
fn pattern_that_is_too_long_is_rejected() {
    let parse = |len: usize| Pair::parse(vec![b'N'; len], &b"ACGT"[..], &AMBIGUOUS.reading());
    assert_eq!(parse(1 << 16).unwrap().a.len(), 1 << 16);
    let JobFailure::TooLarge { what, got, limit } = parse((1 << 16) + 1).unwrap_err() else { panic!("the pattern is not too long") };
    assert_eq!((what.as_str(), got, limit), (large::AMBIGUOUS_PATTERN, 65_537, 65_536));
}

/// A pattern of a thousand letters that all match takes more work than one whose letters match rarely. GPUs take longer than
/// the CPU, because they leave the work to their host.
#[test]
fn work_grows_with_letters_that_match_everywhere() {
    let b = random(b"ACGT", 100_000, 1);
    let work = |letter: u8| {
        let pair = Pair::parse(vec![letter; 1_000], b.clone(), &AMBIGUOUS.reading()).unwrap();
        solver(Task::ExactSearch).work_for(&pair, &AMBIGUOUS)
    };
    let (any, one) = (work(b'N'), work(b'A'));
    assert!(any.cpu.cost_cells > 50 * one.cpu.cost_cells, "{any:?} {one:?}");
    for task in Task::SEARCHES {
        let pair = Pair::parse(&b"ACGTN"[..], b.clone(), &AMBIGUOUS.reading()).unwrap();
        let work = solver(task).work_for(&pair, &AMBIGUOUS);
        assert!(work.cuda.overhead_ns > 0 && work.cuda.cost_cells == 0, "{task:?}: {work:?}");
    }
}

#[test]
fn gaps_stand_where_the_options_say() {
    let options = JobOptions { max_distance: Some(2), local_minima: true, ..AMBIGUOUS };
    let pair = read("GRRRC", "TTGAGCTT", &options);
    let solution = processors()[0].run(Task::ApproximateSearch, &options, &pair, &Run::new(&NoObserver)).unwrap();
    let TaskAnswer::ApproximateSearch { hits, .. } = solution.answer else { panic!("no approximate search") };
    for (gaps, cigar) in [(GapPlacement::Leftmost, "1D4="), (GapPlacement::Rightmost, "3=1D1=")] {
        let cpu = kernels::engine::Cpu::SINGLE;
        let search = searcher(Task::ApproximateSearch).unwrap();
        let hit = hits.iter().find(|hit| hit.end == 6).unwrap();
        let alignment = search.align(&pair, *hit, gaps, &cpu, &Run::new(&NoObserver)).unwrap();
        assert_eq!(alignment.to_string(), cigar, "{hit:?}");
    }
}

/// A border between two records matches no letter, not even N.
#[test]
fn hits_lie_in_one_record() {
    let file = ">one\nACGT\n>two\nGGGA\n";
    for task in Task::SEARCHES {
        let limit = |of| (task == of).then_some(0);
        let (max_distance, max_mismatches) = (limit(Task::ApproximateSearch), limit(Task::MatchCount));
        let options = JobOptions { max_distance, max_mismatches, ..AMBIGUOUS };
        let choices = PairRecordChoices::of(task, Default::default(), Default::default());
        let pair = Pair::parse_records(&b"NNN"[..], file.as_bytes(), &options.reading(), &choices).unwrap();
        for engine in processors() {
            let total = match engine.run(task, &options, &pair, &Run::new(&NoObserver)).unwrap().answer {
                TaskAnswer::ExactSearch { total, .. } | TaskAnswer::ApproximateSearch { total, .. } => total,
                TaskAnswer::MatchCount { within: Some(within), .. } => within,
                other => panic!("{other:?}"),
            };
            assert_eq!(total, 4, "{task:?}");
        }
    }
}

#[test]
fn symbol_that_is_no_code_is_rejected_with_its_place() {
    let failure = |a: &str, b: &str, options: &JobOptions| Pair::parse(a.as_bytes(), b.as_bytes(), &options.reading()).unwrap_err();
    for (a, b, text, at, symbol) in
        [("ACGX", "ACGT", "a", 3, "X"), ("ACG", "AC GT", "b", 2, " "), ("ACG", "ACé", "b", 2, "é"), ("ACG", "ACG\n", "b", 3, "\n")]
    {
        let options = JobOptions { unit: Unit::Chars, ..AMBIGUOUS };
        let JobFailure::BadInput { message, wrong: Some(wrong) } = failure(a, b, &options) else { panic!("no bad input") };
        assert_eq!(wrong, InputError::NoBaseCode { text: text.into(), at, symbol: symbol.into() });
        assert!(message.starts_with(&format!("Symbol {at} of {text}, counted from 0, is {symbol:?}")), "{message}");
    }
    let words = JobOptions { unit: Unit::Words, ..AMBIGUOUS };
    assert!(matches!(failure("ACG", "A", &words), JobFailure::BadInput { .. }));
    let ignored = JobOptions { ignore_whitespace: true, ..AMBIGUOUS };
    assert_eq!(read("A CG", "AC\nGT", &ignored).b.len(), 4);
}

#[test]
fn ambiguity_is_an_option_of_searches_without_a_method() {
    let message = |options: &JobOptions, task| options.check(task).unwrap_err().to_string();
    assert_eq!(message(&AMBIGUOUS, Task::Lcs), "lcs has no option ambiguity. approximate-search, match-count, exact-search have it.");
    let kmp = JobOptions { method: Some(PaperMethod::Kmp), ..AMBIGUOUS };
    assert_eq!(message(&kmp, Task::ExactSearch), "The methods of the papers match equal symbols only. Leave out ambiguity or method.");
}
