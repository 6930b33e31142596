//! Searches on both strands agree with the oracle on every engine. Patterns without a reverse strand are rejected.

use kernels::engine::Engine;
use kernels::event::TaskAnswer;
use kernels::failure::{InputError, JobFailure};
use kernels::found::{Hit, RecordRange};
use kernels::job::{JobOptions, PairRecordChoices, SearchStrands, Task, Unit};
use kernels::run::{NoObserver, Run};
use kernels::strand::Strand;
use kernels::task::{FinishedSearch, searcher};
use kernels::text::Pair;
use oracle::serial::strands::reversed;
use oracle::{agree, mutated, processors, random};
use proptest::prelude::*;

use crate::device::cuda;

const BOTH: JobOptions = JobOptions { strands: SearchStrands::Both, ..JobOptions::DEFAULT };

fn choices(task: Task) -> Vec<JobOptions> {
    let with = |max_distance| JobOptions { max_distance: Some(max_distance), ..BOTH };
    match task {
        Task::ApproximateSearch => {
            vec![BOTH, with(0), with(2), JobOptions { local_minima: true, ..with(5) }, JobOptions { count_only: true, ..with(3) }]
        }
        _ => vec![BOTH, JobOptions { count_only: true, ..BOTH }],
    }
}

fn read(a: &str, b: &str, options: &JobOptions) -> Pair {
    Pair::parse(a.as_bytes(), b.as_bytes(), &options.reading()).unwrap()
}

fn check(engine: &Engine, a: &str, b: &str) {
    for task in Task::STRANDED {
        choices(task).iter().for_each(|options| drop(agree(engine, task, &read(a, b, options), options)));
    }
}

/// Patterns with letters that `b` lacks, letters that are their own complement, letters of RNA, and an empty pattern.
const EDGES: [(&str, &str); 12] = [
    ("", "ACGT"),
    ("", ""),
    ("A", ""),
    ("AAAA", "AAATTTTAAAA"),
    ("GATC", "GATCTTGATCGATC"),
    ("GATTACA", "TTTGTAATCTTTGATTACATTTGTTATC"),
    ("GAUUACA", "UUUGUAAUCUUUGAUUACA"),
    ("ACRYSWKMBDHVN", "NBDHVKMWSRYGTTTACRYSWKMBDHVNACGT"),
    ("acgN", "Ncgtacg"),
    ("AGGAGG", "GAUCACCUCCUUA"),
    ("AGGAGG", "GATCACCTCCTTACCUCCU"),
    ("aggagg", ">rRNA with T\ngaucaccuccuua\n"),
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

/// A pattern without T and U is complemented according to the nucleic acid of the text.
#[test]
fn pattern_without_t_and_u_is_found_on_the_reverse_strand_of_rna() {
    for (b, places) in [(">rRNA_3end\nGAUCACCUCCUUA\n", 1), ("GATCACCTCCTTA", 1), ("GATCACCTCCTTA CCUCCU", 1), ("GAUCACGUCGUUA", 0)] {
        let pair = read("AGGAGG", b, &BOTH);
        for engine in processors().iter().chain(cuda()) {
            let TaskAnswer::ExactSearch { total, positions, strands, .. } = agree(engine, Task::ExactSearch, &pair, &BOTH).answer else {
                panic!()
            };
            assert_eq!(total, places, "{b}");
            if places > 0 {
                assert_eq!((positions, strands), (vec![5], vec![Strand::Reverse]), "{b}");
            }
            let near = JobOptions { max_distance: Some(1), ..BOTH };
            agree(engine, Task::ApproximateSearch, &read("AGGAGG", b, &near), &near);
        }
    }
}

/// Returns a pattern and a text with mutated copies of it on both strands.
fn planted(letters: &[u8], m: usize, seed: u64) -> (String, String) {
    let a = random(letters, m, seed);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let pieces = [
        text(random(letters, 70, seed + 1)),
        text(mutated(&a, letters, 0.05, seed + 2)),
        text(random(letters, 40, seed + 3)),
        reversed(&text(mutated(&a, letters, 0.05, seed + 4))),
        text(random(letters, 30, seed + 5)),
    ];
    (text(a), pieces.concat())
}

#[test]
fn lengths_around_words_agree_with_the_oracle() {
    for (seed, m) in (0..).zip([1, 2, 15, 31, 32, 33, 63, 64, 65, 130]) {
        for letters in [&b"ACGT"[..], b"ACGTRYSWKMBDHVN", b"AC"] {
            let (a, b) = planted(letters, m, seed);
            processors().iter().for_each(|engine| check(engine, &a, &b));
        }
    }
}

#[test]
fn lengths_around_words_agree_with_the_oracle_on_a_device() {
    let Some(engine) = cuda() else { return };
    for (seed, m) in (0..).zip([1, 8, 31, 32, 33, 64, 65, 256, 600]) {
        let (a, b) = planted(b"ACGTN", m, seed);
        check(engine, &a, &b);
    }
}

#[test]
fn letters_have_complements_in_every_unit_and_case() {
    for unit in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        for case_insensitive in [false, true] {
            for options in choices(Task::ApproximateSearch) {
                let options = JobOptions { unit, case_insensitive, ..options };
                let pair = read("gaTTaca", "xxTGTAATCxxtgtAAtcxxgattaca", &options);
                agree(&processors()[0], Task::ApproximateSearch, &pair, &options);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_pattern_agrees_with_the_oracle(
        a in "[ACGTN]{0,40}", b in "[ACGTN]{0,300}", k in prop::option::of(0u64..6), local_minima: bool, threads in 1usize..4,
    ) {
        let options = JobOptions { max_distance: k, local_minima, ..BOTH };
        let engine = Engine::Cpu(kernels::engine::Cpu { threads });
        agree(&engine, Task::ApproximateSearch, &read(&a, &b, &options), &options);
        agree(&engine, Task::ExactSearch, &read(&a, &b, &BOTH), &BOTH);
    }
}

/// Hits of both strands are within their records, in the order of the file.
#[test]
fn hits_of_both_strands_lie_within_their_records() {
    let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
    let b = b">one\nTTGATTACATT\n>two\nTGTAATC\n>three\nACGT\n>four\nGATTACATGTAATC\n";
    let place = |number, start| Some(RecordRange { number, start, end: start + 7 });
    let hit = |at: u64, record, strand| Hit { record, strand: Some(strand), ..Hit::new(at, at + 7, 0) };
    let expected = [
        hit(2, place(0, 2), Strand::Forward),
        hit(12, place(1, 0), Strand::Reverse),
        hit(25, place(3, 0), Strand::Forward),
        hit(32, place(3, 7), Strand::Reverse),
    ];
    let processors = processors();
    for engine in processors.iter().chain(cuda()) {
        for task in Task::STRANDED {
            let pair = Pair::parse_records(&b"GATTACA"[..], &b[..], &BOTH.reading(), &choices).unwrap();
            let run = Run::new(&NoObserver);
            let solution = engine.run(task, &BOTH, &pair, &run).unwrap();
            let (answer, found) = (solution.answer, solution.found.unwrap());
            let searched = FinishedSearch { pair: &pair, options: &BOTH, answer: &answer, found: &found };
            let hits = searcher(task).unwrap().hits(&searched, 0..9, &kernels::engine::Cpu::SINGLE, &run).unwrap();
            assert_eq!(hits, expected, "{}", task.name());
            match answer {
                TaskAnswer::ApproximateSearch { hits, reverse, .. } => assert_eq!((&hits[..], reverse), (&expected[..], Some(2))),
                TaskAnswer::ExactSearch { total, records, strands, reverse, .. } => {
                    assert_eq!((total, reverse, records), (4, Some(2), expected.iter().filter_map(|hit| hit.record).collect()));
                    assert_eq!(strands, expected.iter().filter_map(|hit| hit.strand).collect::<Vec<_>>());
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn text_without_a_reverse_complement_is_refused() {
    for (a, at) in [("GATE", 3), ("hello", 1), ("ACGT\n", 4), ("GAT-C", 3)] {
        let refused = Pair::parse(a.as_bytes(), &b"ACGT"[..], &BOTH.reading()).unwrap_err();
        let JobFailure::BadInput { message, wrong } = refused else { panic!("{refused:?}") };
        assert_eq!(wrong, Some(InputError::NoNucleotide { text: "a".into(), at }));
        assert!(message.contains(&format!("Symbol {at} of a, counted from 0, is ")), "{message}");
    }
    let lines = JobOptions { unit: Unit::Lines, ..BOTH };
    assert!(Pair::parse(&b"GATTACA\n"[..], &b"GATTACA\n"[..], &lines.reading()).is_err());
    let reads = JobOptions { ignore_whitespace: true, ..BOTH };
    assert!(Pair::parse(&b"GAT TACA\n"[..], &b"GATTACA\n"[..], &reads.reading()).is_ok());
    assert_eq!(BOTH.check(Task::Lcs).unwrap_err().to_string(), "lcs has no option strands. approximate-search, exact-search have it.");
}
