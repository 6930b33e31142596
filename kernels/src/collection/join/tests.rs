//! Joins against the distances of all pairs.

use std::ops::ControlFlow;

use super::*;
use crate::collection::cpu::tests::{corpus_of, edit_distance_of, thread_seconds};
use crate::event::RunSignal;
use crate::oracle::{mutated, random};
use crate::run::{NoObserver, Observer};

fn expected(members: &[Vec<u32>], rows: &Range<usize>, columns: &Range<usize>, k: u32) -> Vec<NearPair> {
    let pairs = rows.clone().flat_map(|row| columns.clone().map(move |column| (row, column)));
    let pairs = pairs.filter(|(row, column)| rows != columns || row < column);
    let near = pairs.map(|(row, column)| (row as u32, column as u32, edit_distance_of(&members[row], &members[column]) as u32));
    near.filter(|(_, _, distance)| *distance <= k).collect()
}

/// Returns members of lengths in `lens`, many of them with a few edits of another one.
fn related(count: usize, lens: Range<usize>, alphabet: u32, seed: u64) -> Vec<Vec<u32>> {
    let letters: Vec<u32> = (0..alphabet).collect();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut members: Vec<Vec<u32>> = Vec::new();
    for number in 0..count {
        let new = random(&letters, rng.usize(lens.clone()), rng.u64(..));
        members.push(match number % 4 {
            1 => mutated(&members[rng.usize(..number)], &letters, 0.08, rng.u64(..)),
            2 => mutated(&members[rng.usize(..number)], &letters, 0.2, rng.u64(..)),
            3 if number % 12 == 3 => members[rng.usize(..number)].clone(),
            _ => new,
        });
    }
    members
}

/// Checks that all methods find the pairs of the definition.
fn check(members: &[Vec<u32>], alphabet: u32, rows: Range<usize>, columns: Range<usize>, k: u32, threads: usize) {
    let corpus = &corpus_of(members, alphabet);
    let (cpu, run) = (&Cpu { threads }, &Run::new(&NoObserver));
    let expected = expected(members, &rows, &columns, k);
    let case = format!("{rows:?} and {columns:?} within {k}, {alphabet} symbols");
    assert_eq!(within(corpus, rows.clone(), columns.clone(), k, u64::MAX >> 8, cpu, run).as_ref(), Ok(&expected), "{case}");
    with_corpus_symbols!(corpus, |symbols| {
        let join = Join { corpus, symbols, rows, columns, k: k as usize, max_pairs: u64::MAX >> 8, cpu, run };
        assert_eq!(join.solve_by_pieces(u64::MAX).as_ref(), Ok(&Some(expected.clone())), "pieces, {case}");
        assert_eq!(join.solve_by_lanes().as_ref(), Ok(&expected), "lanes, {case}");
        if join.deletions_ns().is_some() {
            assert_eq!(join.solve_by_deletions().as_ref(), Ok(&expected), "deletions, {case}");
        }
    });
}

#[test]
fn join_finds_all_near_pairs_of_short_members() {
    for (seed, alphabet) in [1, 2, 4, 26, 300].into_iter().enumerate() {
        for k in 0..=4 {
            let members = related(120, 0..20, alphabet, seed as u64 * 10 + u64::from(k));
            check(&members, alphabet, 0..120, 0..120, k, 1);
            check(&members, alphabet, 0..50, 50..120, k, 3);
            check(&members, alphabet, 30..90, 20..80, k, 2);
        }
    }
}

#[test]
fn join_finds_all_near_pairs_of_barcodes() {
    for k in 0..=3 {
        let members = related(300, 12..13, 4, u64::from(k));
        check(&members, 4, 0..300, 0..300, k, 1);
        check(&members, 4, 0..300, 0..300, k, 3);
    }
}

#[test]
fn join_finds_all_near_pairs_of_longer_members() {
    for (seed, (alphabet, k)) in [(4, 1), (4, 7), (26, 10), (300, 3), (2, 5), (4, 60), (26, 500)].into_iter().enumerate() {
        let members = related(80, 20..140, alphabet, seed as u64);
        check(&members, alphabet, 0..80, 0..80, k, 1);
        check(&members, alphabet, 0..30, 30..80, k, 2);
    }
}

#[test]
fn join_finds_all_near_pairs_with_a_common_start() {
    let mut members = related(200, 10..14, 4, 9);
    members.iter_mut().for_each(|member| {
        member.splice(0..0, [0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3]);
    });
    for k in 0..=3 {
        check(&members, 4, 0..200, 0..200, k, 1);
    }
}

#[test]
fn join_of_no_members_finds_nothing() {
    check(&[], 1, 0..0, 0..0, 2, 1);
    check(&related(5, 3..9, 4, 1), 4, 0..0, 0..5, 2, 1);
    check(&vec![Vec::new(); 5], 1, 0..5, 0..5, 0, 1);
}

#[test]
fn pieces_are_given_up_beyond_the_budget() {
    let members = vec![vec![1, 2, 3]; 100];
    let corpus = &corpus_of(&members, 4);
    let run = &Run::new(&NoObserver);
    with_corpus_symbols!(corpus, |symbols| {
        let join = Join { corpus, symbols, rows: 0..100, columns: 0..100, k: 1, max_pairs: 10_000, cpu: &Cpu::SINGLE, run };
        assert_eq!(join.solve_by_pieces(1000), Ok(None));
    });
}

/// An observer that stops a run at its first signal.
struct StopAtOnce;

impl Observer for StopAtOnce {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn join_stops_when_the_observer_stops_it() {
    let members = related(3000, 10..20, 4, 3);
    let corpus = &corpus_of(&members, 4);
    let run = &Run::new(&StopAtOnce);
    for threads in [1, 2] {
        let cpu = &Cpu { threads };
        assert_eq!(within(corpus, 0..3000, 0..3000, 2, 1 << 30, cpu, run), Err(Halt::Stopped));
        with_corpus_symbols!(corpus, |symbols| {
            let join = Join { corpus, symbols, rows: 0..3000, columns: 0..3000, k: 2, max_pairs: 1 << 30, cpu, run };
            assert_eq!(join.solve_by_pieces(u64::MAX), Err(Halt::Stopped));
            assert_eq!(join.solve_by_deletions(), Err(Halt::Stopped));
            assert_eq!(join.solve_by_lanes(), Err(Halt::Stopped));
        });
    }
}

/// Prints the time of joins of random barcodes.
#[test]
#[ignore = "measures time"]
#[expect(clippy::print_stdout, reason = "a measurement")]
fn measure_joins() {
    for (count, len, k) in
        [(100_000, 16, 1), (100_000, 16, 2), (100_000, 16, 3), (1_000_000, 16, 1), (1_000_000, 16, 2), (100_000, 150, 5), (10_000, 150, 15)]
    {
        let corpus = &corpus_of(&(0..count).map(|seed| random(&[0, 1, 2, 3], len, seed)).collect::<Vec<_>>(), 4);
        let members = 0..corpus.len();
        let run = &Run::new(&NoObserver);
        with_corpus_symbols!(corpus, |symbols| {
            let join = Join { corpus, symbols, rows: members.clone(), columns: members, k, max_pairs: 1 << 30, cpu: &Cpu::SINGLE, run };
            let time = |find: &dyn Fn() -> Vec<NearPair>| {
                let start = thread_seconds();
                let found = find().len();
                format!("{:.3} s, {found} pairs", thread_seconds() - start)
            };
            println!("{count} of {len} within {k}: {}", time(&|| join.solve().unwrap()));
            if join.deletions_ns().is_some_and(|ns| ns < 1e10) {
                println!("  by deletions: {}", time(&|| join.solve_by_deletions().unwrap()));
            }
            println!("  by pieces: {}", time(&|| join.solve_by_pieces(1 << 32).unwrap().unwrap_or_default()));
        });
    }
}

#[test]
fn too_many_near_pairs_are_refused() {
    let members = related(300, 20..21, 4, 7);
    let corpus = &corpus_of(&members, 4);
    let run = &Run::new(&NoObserver);
    let found = within(corpus, 0..300, 0..300, 20, 1 << 20, &Cpu::SINGLE, run).unwrap().len() as u64;
    assert_eq!(found, 300 * 299 / 2);
    for (max_pairs, k) in [(100, 20), (found - 1, 20)] {
        let refused = within(corpus, 0..300, 0..300, k, max_pairs, &Cpu { threads: 2 }, run).unwrap_err().failure().to_string();
        assert!(
            refused.starts_with("The number of kept pairs is ") && refused.ends_with(&format!("the limit here is {max_pairs}.")),
            "{refused}"
        );
    }
}
