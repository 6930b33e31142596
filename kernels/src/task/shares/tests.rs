use super::*;
use crate::cbor::{from_bytes, to_bytes};
use crate::cpu::Cpu;
use crate::event::TaskAnswer;
use crate::job::{SearchStrands, Task};
use crate::oracle::{mutated, random};
use crate::run::NoObserver;
use crate::task::solver;
use crate::text::{ReadingOptions, Unit};

/// Solves a job in shares for `engines` engines, or returns `None` if it is not divided.
fn divided(task: Task, pair: &Pair, options: &JobOptions, engines: usize) -> Option<(Solution, usize)> {
    let (task, run) = (solver(task).divisible().unwrap(), Run::new(&NoObserver));
    let mut shares = task.divide(pair, options, engines, &run).unwrap();
    let mut rounds = 0;
    while !shares.is_empty() {
        rounds += 1;
        let mut results: Vec<(JobShare, Vec<u8>)> = Vec::new();
        for share in &shares {
            let sent: JobShare = from_bytes(&to_bytes(share)).unwrap();
            results.push((*share, task.solve_share(&sent, pair, options, &Run::new(&NoObserver)).unwrap()));
        }
        match task.join(results, pair, options, &run).unwrap() {
            JoinedShares::Solved(solution) => return Some((solution, rounds)),
            JoinedShares::Further(further) => shares = further,
        }
    }
    None
}

/// Checks that a divided search has the solution of an undivided one. Returns whether it was divided.
fn check(task: Task, pair: &Pair, options: &JobOptions, engines: usize) -> bool {
    let expected = solver(task).cpu(&Cpu::SINGLE, pair, options, &Run::new(&NoObserver)).unwrap();
    let Some((found, _)) = divided(task, pair, options, engines) else { return false };
    let case = || format!("{task:?} of {:?} in {} symbols on {engines} engines, {options:?}", pair.a.len(), pair.b.len());
    assert_eq!(found.answer, expected.answer, "{}", case());
    assert_eq!(found.found, expected.found, "{}", case());
    true
}

fn letters(alphabet: usize) -> Vec<char> {
    (0..alphabet as u32).filter_map(|number| char::from_u32(u32::from('a') + number)).collect()
}

/// Creates a text of `len` symbols in which mutated copies of `pattern` lie, some of them across borders of shares.
fn text_with(pattern: &[char], letters: &[char], len: usize, seed: u64) -> String {
    let mut text = random(letters, len, seed);
    let mut rng = fastrand::Rng::with_seed(seed);
    for at in (0..len).step_by(64 + rng.usize(..100)) {
        let copy = mutated(pattern, letters, rng.f64() * 0.5, rng.u64(..));
        let from = (at + rng.usize(..3)).saturating_sub(copy.len() / 2).min(len);
        let end = (from + copy.len()).min(len);
        text[from..end].copy_from_slice(&copy[..end - from]);
    }
    text.into_iter().collect()
}

fn parse(a: &str, b: &str, options: &JobOptions) -> Pair {
    Pair::parse(a.as_bytes(), b.as_bytes(), &options.reading()).unwrap()
}

#[test]
fn divided_searches_have_the_solution_of_one_engine() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut numbers = [0; 3];
    for case in 0..1500 {
        let letters = letters([2, 2, 4, 26, 1000][case % 5]);
        let m = [0, 1, 2, 3, 7, 20, 63, 64, 65, 130][rng.usize(..10)];
        let pattern = random(&letters, m, case as u64);
        let len = [0, 1, 62, 63, 64, 65, 127, 128, 129, 500, 513, 1023, 2000][rng.usize(..13)];
        let b = text_with(&pattern, &letters, len, case as u64 + 7);
        let a: String = pattern.iter().collect();
        let limit = [None, Some(0), Some(1), Some(m as u64 / 3), Some(m as u64), Some(m as u64 + 9)][rng.usize(..6)];
        let options = JobOptions { unit: Unit::Chars, count_only: rng.u8(..4) == 0, ..JobOptions::default() };
        let engines = rng.usize(2..6);
        let approximate = JobOptions { max_distance: limit, local_minima: rng.bool(), ..options.clone() };
        let counted = JobOptions { max_mismatches: limit, ..options.clone() };
        let jobs = [(Task::ApproximateSearch, approximate), (Task::ExactSearch, options), (Task::MatchCount, counted)];
        for (number, (task, options)) in numbers.iter_mut().zip(jobs) {
            *number += usize::from(check(task, &parse(&a, &b, &options), &options, engines));
        }
    }
    assert!(numbers[0] > 500 && numbers[1] > 500, "{numbers:?}");
}

/// Equal distances over several shares: only the last end of such a plateau may be a local minimum.
#[test]
fn plateaus_across_shares_have_one_minimum() {
    for (a, b) in [("aaa", "a".repeat(700)), ("aaa", format!("b{}b", "a".repeat(400))), ("ab", "c".repeat(500)), ("abc", "abc".repeat(300))]
    {
        for max_distance in [None, Some(0), Some(1), Some(2)] {
            let options = JobOptions { max_distance, local_minima: true, ..JobOptions::default() };
            for engines in 2..5 {
                assert!(check(Task::ApproximateSearch, &parse(a, &b, &options), &options, engines));
            }
        }
    }
}

#[test]
fn options_of_reading_are_those_of_one_engine() {
    let dna: String = random(&['A', 'C', 'G', 'T', 'R', 'N'], 3000, 5).into_iter().collect();
    let pattern = &dna[900..940];
    for task in [Task::ApproximateSearch, Task::ExactSearch] {
        for (strands, ambiguity) in [(SearchStrands::Both, false), (SearchStrands::Forward, true), (SearchStrands::Both, true)] {
            for max_distance in [None, Some(3)] {
                let max_distance = max_distance.filter(|_| task == Task::ApproximateSearch);
                let options = JobOptions { strands, ambiguity, max_distance, ..JobOptions::default() };
                let pair = parse(&pattern.replace('R', "A"), &dna, &options);
                assert!(check(task, &pair, &options, 3), "{task:?}");
            }
        }
    }
    let options = JobOptions { case_insensitive: true, max_distance: Some(2), ..JobOptions::default() };
    assert!(check(Task::ApproximateSearch, &parse(&pattern.to_lowercase(), &dna, &options), &options, 4));
    let options = JobOptions { ambiguity: true, ..JobOptions::default() };
    assert!(check(Task::MatchCount, &parse(&pattern[..20], &dna.repeat(200), &options), &options, 2));
}

#[test]
fn records_are_divided_among_shares() {
    let dna = random(b"ACGT", 20_000, 3);
    let mut file = String::new();
    for (record, len) in [10, 900, 3, 5000, 64, 0, 1, 700, 3000].into_iter().enumerate() {
        file += &format!(">r{record}\n{}\n", String::from_utf8_lossy(&dna[record * 100..record * 100 + len]));
    }
    let pattern = String::from_utf8_lossy(&dna[650..670]).into_owned();
    for task in [Task::ApproximateSearch, Task::ExactSearch, Task::MatchCount] {
        for (count_only, limit) in [(false, None), (true, None), (false, Some(6))] {
            let of = |other: Task| limit.filter(|_| task == other);
            let options = JobOptions {
                count_only,
                max_distance: of(Task::ApproximateSearch),
                max_mismatches: of(Task::MatchCount),
                ..JobOptions::default()
            };
            let reading = options.reading();
            let choices = crate::job::PairRecordChoices { allows_many: true, ..Default::default() };
            let pair = Pair::parse_records(pattern.as_bytes(), file.as_bytes(), &reading, &choices).unwrap();
            assert!(pair.b.has_separate_records());
            assert!(check(task, &pair, &options, 2), "{task:?}");
        }
    }
}

/// A planted pattern gives a first bound, with which long patterns are searched.
#[test]
fn first_bound_belongs_to_every_share() {
    let text = random(b"ACGT", 200_000, 8);
    let pattern = mutated(&text[150_000..150_300], b"ACGT", 0.05, 2);
    let pair = |a: &[u8]| Pair::parse(a, &text[..], &ReadingOptions::default()).unwrap();
    for a in [&pattern[..], &random(b"ACGT", 300, 9)] {
        for local_minima in [false, true] {
            let options = JobOptions { local_minima, ..JobOptions::default() };
            assert!(check(Task::ApproximateSearch, &pair(a), &options, 4));
        }
    }
    let counted = JobOptions::default();
    assert!(check(Task::MatchCount, &pair(&pattern), &counted, 4));
}

/// Parts of the text for a pattern of more than 512 letters, with and without a limit.
#[test]
fn long_patterns_are_divided_as_wavefronts() {
    let text = random(b"ACGT", 9000, 8);
    let mut pattern = mutated(&text[4000..4600], b"ACGT", 0.1, 2);
    pattern.extend_from_slice(&text[100..130]);
    let pair = |a: &[u8], b: &[u8]| Pair::parse(a, b, &ReadingOptions::default()).unwrap();
    let mut wavefronts = 0;
    for (a, b) in
        [(&pattern[..], &text[..]), (&pattern[..513], &text[..]), (&pattern[..], &text[..8191]), (&text[..700], &vec![b'A'; 9000])]
    {
        for (max_distance, local_minima) in [(None, false), (None, true), (Some(650), true), (Some(320), true), (Some(60), false)] {
            let options = JobOptions { max_distance, local_minima, ..JobOptions::default() };
            for engines in [2, 3, 5] {
                check(Task::ApproximateSearch, &pair(a, b), &options, engines);
                let task = solver(Task::ApproximateSearch).divisible().unwrap();
                let shares = task.divide(&pair(a, b), &options, engines, &Run::new(&NoObserver)).unwrap();
                wavefronts += usize::from(shares.iter().any(|share| share.kind == ShareKind::LongPattern));
            }
        }
    }
    assert!(wavefronts > 5, "{wavefronts}");
}

#[test]
fn halved_pairs_have_the_distance_of_one_engine() {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut numbers = [0; 4];
    for case in 0..1200 {
        let letters = letters([2, 4, 26, 1000][case % 4]);
        let len = |rng: &mut fastrand::Rng| [0, 1, 2, 5, 63, 64, 65, 100, 127, 129, 511, 513, 700, 1100][rng.usize(..14)];
        let one = random(&letters, len(&mut rng), case as u64);
        let other = if rng.bool() { random(&letters, len(&mut rng), case as u64 + 9) } else { mutated(&one, &letters, rng.f64(), 1) };
        let [a, b] = [&one, &other].map(|text| text.iter().collect::<String>());
        let options = JobOptions { unit: Unit::Chars, alignment: rng.bool(), ..JobOptions::default() };
        let pair = parse(&a, &b, &options);
        let engines = [2, 3, 4, 8][rng.usize(..4)];
        for task in [Task::EditDistance, Task::Lcs] {
            let expected = solver(task).cpu(&Cpu::SINGLE, &pair, &options, &Run::new(&NoObserver)).unwrap();
            let Some((found, rounds)) = divided(task, &pair, &options, engines) else { continue };
            numbers[rounds - 1] += 1;
            let score = |solution: &Solution| match solution.answer {
                TaskAnswer::EditDistance { distance, .. } => distance,
                TaskAnswer::Lcs { length, .. } => Some(length),
                _ => None,
            };
            assert_eq!(score(&found), score(&expected), "{task:?} of {a:?} and {b:?} on {engines} engines");
            assert_eq!(found.alignment.is_some(), options.alignment);
            if let Some(alignment) = found.alignment {
                let symbols = |text: &str| text.chars().collect::<Vec<char>>();
                let numbers = |text: &str| symbols(text).into_iter().map(u32::from).collect::<Vec<u32>>();
                assert_eq!(alignment.check(&numbers(&a), &numbers(&b)), Ok(()), "{task:?} of {a:?} and {b:?}");
            }
        }
    }
    assert!(numbers.iter().all(|number| *number > 50), "{numbers:?}");
}

#[test]
fn jobs_of_methods_and_costs_are_not_divided() {
    let (a, b) = ("abcabcabcabc".repeat(20), "bcdbcdaabbcc".repeat(30));
    let run = Run::new(&NoObserver);
    let shares = |task: Task, options: JobOptions| {
        solver(task).divisible().unwrap().divide(&parse(&a, &b, &options), &options, 4, &run).unwrap().len()
    };
    let method = |method| JobOptions { method: Some(method), ..JobOptions::default() };
    assert_eq!(shares(Task::ExactSearch, method(crate::job::PaperMethod::Kmp)), 0);
    let costs = crate::job::EditCosts { substitute: 2, ..Default::default() };
    assert_eq!(shares(Task::EditDistance, JobOptions { costs, ..JobOptions::default() }), 0);
    assert_eq!(shares(Task::EditDistance, JobOptions { max_distance: Some(9), ..JobOptions::default() }), 0);
    assert!(shares(Task::EditDistance, JobOptions::default()) > 0);
    assert!(solver(Task::SequenceAlignment).divisible().is_none());
}
