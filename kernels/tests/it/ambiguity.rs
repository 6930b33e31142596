//! Tasks with ambiguity codes agree with the oracle on every engine. Texts with other symbols are rejected.

use kernels::engine::Engine;
use kernels::event::TaskAnswer;
use kernels::failure::{InputError, JobFailure, large};
use kernels::job::{
    AlignmentMode, EditCosts, FreeEnds, GapPlacement, GapPoints, JobOptions, PairRecordChoices, PaperMethod, Points, ScoringMatrix,
    SearchStrands, Task, Unit,
};
use kernels::run::{NoObserver, Run};
use kernels::task::{searcher, solver};
use kernels::text::Pair;
use oracle::{agree, mutated, processors, random, solve_and_verify};
use proptest::prelude::*;

use crate::device::cuda;

const AMBIGUOUS: JobOptions = JobOptions { ambiguity: true, ..JobOptions::DEFAULT };

/// Letters of texts: mostly bases, and all other codes.
const LETTERS: &[u8] = b"ACGTACGTACGTACGTUacgtRYSWKMBDHVNnr";

/// Returns the options of a task that compares whole texts, with and without an alignment.
fn choices_of_pairs(task: Task) -> Vec<JobOptions> {
    let rightmost = JobOptions { gaps: GapPlacement::Rightmost, ..AMBIGUOUS };
    let costs = |substitute, insert, delete| EditCosts { substitute, insert, delete, transpose: None };
    let all = match task {
        Task::EditDistance => {
            let all_costs = [
                costs(2, 1, 1),
                costs(1, 2, 3),
                costs(3, 1, 4),
                costs(9, 1, 1),
                costs(0, 1, 1),
                costs(1, 0, 0),
                costs(1, 0, 5),
                costs(0, 0, 0),
                costs(1_000, 1_000, 999),
            ];
            let weighted = all_costs.into_iter().map(|costs| JobOptions { costs, ..AMBIGUOUS });
            let limited = [0, 3, 40].map(|limit| JobOptions { max_distance: Some(limit), ..AMBIGUOUS });
            let weighted_limit = JobOptions { max_distance: Some(30), costs: costs(1, 2, 3), ..AMBIGUOUS };
            weighted.chain(limited).chain([AMBIGUOUS, rightmost, weighted_limit]).collect()
        }
        Task::Lcs => vec![AMBIGUOUS, rightmost],
        _ => {
            let points = |equal: i32, different: i32, open: i32, extend: i32| JobOptions {
                equal: equal.into(),
                different: different.into(),
                gap: GapPoints { open: open.into(), extend: extend.into() },
                ..AMBIGUOUS
            };
            let semi_global = |free_ends| JobOptions { mode: AlignmentMode::SemiGlobal, free_ends, ..points(2, -1, 2, 1) };
            let local = JobOptions { mode: AlignmentMode::Local, ..points(2, -3, 5, 2) };
            let high = JobOptions { mode: AlignmentMode::Local, ..points(1_000, -1_000, 900, 100) };
            let scores = [points(5, -4, 10, 1), points(-1, 2, 0, 1), points(1, -1, 0, 0), points(100, -100, 50, 40)];
            let others = [semi_global(FreeEnds::FIT), semi_global(FreeEnds::OVERLAP), local, high, AMBIGUOUS, rightmost];
            scores.into_iter().chain(others).collect::<Vec<_>>()
        }
    };
    all.iter().flat_map(|options| [true, false].map(|alignment| JobOptions { alignment, ..options.clone() })).collect()
}

fn choices(task: Task) -> Vec<JobOptions> {
    if !Task::SEARCHES.contains(&task) {
        return choices_of_pairs(task);
    }
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
    for task in Task::ALL {
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

/// Returns a distance or a length by the recurrence of `step`, which receives the values of the cells at the corner, above
/// and to the left, and whether the letters match. `border` returns the values of the first row and column.
fn last_value(pair: &Pair, border: impl Fn(u64) -> u64, step: impl Fn([u64; 3], bool) -> u64) -> u64 {
    let mut row: Vec<u64> = (0..=pair.b.len() as u64).map(&border).collect();
    for i in 0..pair.a.len() {
        let set = pair.a_symbols().symbol_at(i);
        let mut corner = std::mem::replace(&mut row[0], border(i as u64 + 1));
        for j in 0..pair.b.len() {
            let value = step([corner, row[j + 1], row[j]], set & pair.b_symbols().symbol_at(j) != 0);
            corner = std::mem::replace(&mut row[j + 1], value);
        }
    }
    row[pair.b.len()]
}

/// A corridor of diagonals contains an optimal alignment of long texts. Codes match where letters are not equal, so that the
/// distance is less than that of different letters.
#[test]
fn corridor_of_long_texts_has_an_optimal_alignment() {
    let a = random(b"ACGT", 2_300, 1);
    let edited = mutated(&a, b"ACGTRYN", 0.1, 2);
    let coded: Vec<u8> = a.iter().zip(random(b"--N", 2_300, 3)).map(|(base, code)| if code == b'N' { b'N' } else { *base }).collect();
    for b in [edited, coded, random(b"ACGTWSN", 2_200, 4)] {
        let pair = Pair::parse(&a[..], &b[..], &AMBIGUOUS.reading()).unwrap();
        let distance =
            last_value(&pair, |len| len, |[corner, above, left], is_match| (corner + u64::from(!is_match)).min(above.min(left) + 1));
        let length = last_value(&pair, |_| 0, |[corner, above, left], is_match| (corner + u64::from(is_match)).max(above).max(left));
        for engine in processors() {
            for alignment in [true, false] {
                let options = JobOptions { alignment, ..AMBIGUOUS };
                let solve = |task, options: &JobOptions| engine.run(task, options, &pair, &Run::new(&NoObserver)).unwrap().answer;
                let TaskAnswer::EditDistance { distance: found, .. } = solve(Task::EditDistance, &options) else { panic!("no distance") };
                assert_eq!(found, Some(distance));
                let TaskAnswer::Lcs { length: found, .. } = solve(Task::Lcs, &options) else { panic!("no length") };
                assert_eq!(found, length);
                let affine = JobOptions { gap: GapPoints::whole(3, 1), ..options };
                let free = JobOptions { mode: AlignmentMode::SemiGlobal, ..affine.clone() };
                let TaskAnswer::SequenceAlignment { score, .. } = solve(Task::SequenceAlignment, &affine) else { panic!("no score") };
                // Without a free end, a semi-global alignment is a global one, whose score is computed without a corridor.
                let TaskAnswer::SequenceAlignment { score: expected, .. } = solve(Task::SequenceAlignment, &free) else {
                    panic!("no score")
                };
                assert_eq!(score, expected);
            }
        }
    }
}

/// A greatest distance is a limit for texts with codes, too: the answer is right, and fewer cells are computed. Costs that follow
/// from the number of edits have their own limit.
#[test]
fn limit_of_texts_with_codes_excludes_cells() {
    let a = random(b"ACGTACGTACGTACGTRYN", 9_000, 1);
    for b in [mutated(&a, b"ACGTACGTACGTSW", 0.2, 2), random(b"ACGTWSN", 8_000, 3)] {
        let pair = Pair::parse(&a[..], &b[..], &AMBIGUOUS.reading()).unwrap();
        let distance =
            last_value(&pair, |len| len, |[corner, above, left], is_match| (corner + u64::from(!is_match)).min(above.min(left) + 1));
        let length = last_value(&pair, |_| 0, |[corner, above, left], is_match| (corner + u64::from(is_match)).max(above).max(left));
        let edits = (a.len() + b.len()) as u64 - 2 * length;
        let insertions = b.len() as u64 - length;
        let costs = |substitute, insert, delete| EditCosts { substitute, insert, delete, transpose: None };
        for (costs, expected) in
            [(costs(1, 1, 1), distance), (costs(2, 1, 1), edits), (costs(5, 1, 3), insertions + 3 * (a.len() as u64 - length))]
        {
            for engine in processors() {
                let solve = |alignment, max_distance| {
                    let run = Run::new(&NoObserver);
                    let options = JobOptions { alignment, max_distance, costs, ..AMBIGUOUS };
                    let solution = engine.run(Task::EditDistance, &options, &pair, &run).unwrap();
                    let TaskAnswer::EditDistance { distance, .. } = solution.answer else { panic!("no distance") };
                    (distance, solution.alignment, run.cells())
                };
                let (found, alignment, whole) = solve(true, None);
                assert_eq!(found, Some(expected));
                assert_eq!(alignment.map(|alignment| costs.sum(&alignment.summary())), found);
                for limit in [0, 20, expected - 1] {
                    let (found, alignment, cells) = solve(limit % 2 == 0, Some(limit));
                    assert_eq!((found, alignment), (None, None), "within {limit} of {expected}");
                    assert!(limit > 20 || cells < whole / 4, "{cells} of {whole} cells within {limit}");
                }
                // A limit above the costs of the longer text alone ends the sweep early.
                let longer = a.len().abs_diff(b.len()) as u64 * u64::from(costs.insert.max(costs.delete)) + 400;
                assert_eq!(solve(false, Some(longer.min(expected - 1))).0, None, "within {longer}");
                for limit in [expected, expected + 1, 2 * expected, u64::MAX] {
                    assert_eq!(solve(true, Some(limit)).0, Some(expected), "within {limit}");
                    assert_eq!(solve(false, Some(limit)).0, Some(expected), "within {limit}");
                }
            }
        }
    }
}

/// Matrices of more than 2²³ cells are computed on the GPU.
#[test]
fn long_pairs_agree_with_the_processor_on_a_device() {
    let Some(engine) = cuda() else { return };
    let a = random(LETTERS, 3_100, 1);
    for b in [mutated(&a, b"ACGTRYN", 0.2, 2), random(b"ACGTN", 2_900, 3)] {
        let pair = Pair::parse(&a[..], &b[..], &AMBIGUOUS.reading()).unwrap();
        for task in [Task::EditDistance, Task::Lcs, Task::SequenceAlignment] {
            choices(task).iter().for_each(|options| drop(solve_and_verify(engine, task, &pair, options)));
        }
    }
}

/// Pieces of a local alignment have no pair in common, and each matches by its codes.
#[test]
fn pieces_of_codes_are_aligned() {
    let options = JobOptions {
        mode: AlignmentMode::Local,
        pieces: 3,
        equal: Points::whole(2),
        different: Points::whole(-3),
        gap: GapPoints::whole(5, 3),
        ..AMBIGUOUS
    };
    let pair = read("GATTACAGATTACA", "CCCGRTTNCACCCCGANTAYACCC", &options);
    for engine in processors() {
        let solution = engine.run(Task::SequenceAlignment, &options, &pair, &Run::new(&NoObserver)).unwrap();
        let TaskAnswer::SequenceAlignment { score, alignment: Some(first), ref next, .. } = solution.answer else { panic!("no pieces") };
        assert_eq!((score, first.matches, first.mismatches), (Points::from(14), 7, 0), "{solution:?}");
        assert_eq!(next.len(), 2, "{next:?}");
        assert!(next.iter().all(|piece| piece.score == Points::from(14) && piece.cigar.as_deref() == Some("7=")), "{next:?}");
    }
}

/// Similarity and error rate count letters that match as equal.
#[test]
fn rates_count_letters_that_match() {
    let pair = read("GATTACA", "GRTTNC", &AMBIGUOUS);
    let solution = processors()[0].run(Task::EditDistance, &AMBIGUOUS, &pair, &Run::new(&NoObserver)).unwrap();
    let TaskAnswer::EditDistance { distance, similarity, error_rate, alignment: Some(summary), .. } = solution.answer else {
        panic!("no distance")
    };
    assert_eq!((distance, summary.matches, summary.deletions), (Some(1), 6, 1));
    assert_eq!((similarity, error_rate), (Some(6.0 / 7.0), Some(1.0 / 7.0)));
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
    let parse = |task: Task, len: usize| {
        let choices = PairRecordChoices::of(task, Default::default(), Default::default());
        Pair::parse_records(vec![b'N'; len], &b"ACGT"[..], &AMBIGUOUS.reading(), &choices)
    };
    for task in Task::ALL {
        assert_eq!(parse(task, 1 << 16).unwrap().a.len(), 1 << 16);
        let longer = parse(task, (1 << 16) + 1);
        if !Task::SEARCHES.contains(&task) {
            assert!(longer.is_ok(), "{task:?}");
            continue;
        }
        let JobFailure::TooLarge { what, got, limit } = longer.unwrap_err() else { panic!("the pattern is not too long") };
        assert_eq!((what.as_str(), got, limit), (large::AMBIGUOUS_PATTERN, 65_537, 65_536));
    }
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

/// Codes take longer than equal symbols, for which there are faster engines.
#[test]
fn work_of_pairs_grows_with_codes() {
    let (a, b) = (random(b"ACGT", 3_000, 1), random(b"ACGT", 3_000, 2));
    for task in [Task::EditDistance, Task::Lcs, Task::SequenceAlignment] {
        let work = |options: &JobOptions| solver(task).work_for(&Pair::parse(&a[..], &b[..], &options.reading()).unwrap(), options);
        let (plain, coded) = (work(&JobOptions::DEFAULT), work(&AMBIGUOUS));
        assert!(coded.cpu.cost_cells > plain.cpu.cost_cells, "{task:?}: {coded:?} {plain:?}");
        assert_eq!((coded.task, coded.is_known), (task, true));
    }
}

/// Symbols that match may differ, so that no text is cut and no symbol counted.
#[test]
fn work_of_pairs_without_equal_symbols_has_all_cells() {
    let size = 20_000;
    for (a, b) in [(b'A', b'T'), (b'R', b'Y'), (b'N', b'N')] {
        let pair = Pair::parse(vec![a; size], vec![b; size], &AMBIGUOUS.reading()).unwrap();
        for task in [Task::EditDistance, Task::Lcs] {
            let work = solver(task).work_for(&pair, &AMBIGUOUS);
            let run = Run::new(&NoObserver);
            processors()[0].run(task, &AMBIGUOUS, &pair, &run).unwrap();
            assert!(work.cpu.cells > run.cells() / 2, "{task:?} of {}: {work:?}, {} cells", a as char, run.cells());
        }
    }
}

/// Bands of texts with codes widen without a bound and without seeds.
#[test]
fn work_of_similar_pairs_with_codes_is_close_to_the_filled_cells() {
    let a = random(b"ACGT", 50_000, 1);
    for (rate, limit) in [(0.0, Some(0)), (0.0, None), (0.03, None), (0.1, None)] {
        let pair = Pair::parse(&a[..], mutated(&a, b"ACGT", rate, 2), &AMBIGUOUS.reading()).unwrap();
        let options = JobOptions { alignment: false, max_distance: limit, ..AMBIGUOUS };
        let expected = solver(Task::EditDistance).work_for(&pair, &options).cpu;
        let run = Run::new(&NoObserver);
        processors()[0].run(Task::EditDistance, &options, &pair, &run).unwrap();
        let filled = run.cells() as f64;
        let is_close = (filled / 3.0..filled * 3.0).contains(&(expected.cells as f64));
        assert!(is_close, "{rate} within {limit:?}: {expected:?} for {filled:e} cells");
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

/// The deletion moves over letters that match as long as they match at its other end.
#[test]
fn gaps_of_pairs_stand_where_the_options_say() {
    for task in [Task::EditDistance, Task::Lcs, Task::SequenceAlignment] {
        for (gaps, cigar) in [(GapPlacement::Leftmost, "1=1D3="), (GapPlacement::Rightmost, "4=1D")] {
            let options = JobOptions { gaps, ..AMBIGUOUS };
            let pair = read("GARRR", "GRAG", &options);
            let solution = processors()[0].run(task, &options, &pair, &Run::new(&NoObserver)).unwrap();
            assert_eq!(solution.alignment.unwrap().to_string(), cigar, "{task:?}");
        }
    }
}

#[test]
fn ambiguity_excludes_matrix_exchanges_and_methods() {
    let message = |options: &JobOptions, task| options.check(task).unwrap_err().to_string();
    assert!(Task::ALL.into_iter().all(|task| AMBIGUOUS.check(task).is_ok()));
    let matrix = JobOptions { matrix: Some(ScoringMatrix::NUC_4_4), ..AMBIGUOUS };
    assert_eq!(message(&matrix, Task::SequenceAlignment), "The matrix has the points of all letters. Leave out ambiguity or matrix.");
    let exchanges = JobOptions { costs: EditCosts::OSA, ..AMBIGUOUS };
    assert_eq!(message(&exchanges, Task::EditDistance), "Only equal symbols are exchanged. Leave out ambiguity or costs.transpose.");
    let diagonal = JobOptions { method: Some(PaperMethod::Diagonal), ..AMBIGUOUS };
    assert_eq!(
        message(&diagonal, Task::EditDistance),
        "The methods of the papers match equal symbols only. Leave out ambiguity or method."
    );
    let kmp = JobOptions { method: Some(PaperMethod::Kmp), ..AMBIGUOUS };
    assert_eq!(message(&kmp, Task::ExactSearch), "The methods of the papers match equal symbols only. Leave out ambiguity or method.");
}
