//! Exact search beyond the tables of all tasks: borders of slices, chunks, words and vectors, and periodic texts.

use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::task::Solution;
use kernels::text::{Pair, ReadingOptions, Unit};
use oracle::{agree, bytes, random};
use proptest::prelude::*;

const CPU: Engine = Engine::Cpu(Cpu::SINGLE);

/// Returns the same symbols as characters. Further characters in `b` make the alphabet too large for symbols of one
/// byte.
fn wide(a: &[u8], b: &[u8]) -> Pair {
    let text = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect::<String>();
    let others: String = (0..300).filter_map(|at| char::from_u32(0x4e00 + at)).collect();
    let reading = ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() };
    Pair::parse(text(a).into_bytes(), (text(b) + &others).into_bytes(), &reading).unwrap()
}

fn check(a: &[u8], b: &[u8]) {
    for pair in [bytes(a, b), wide(a, b)] {
        agree(&CPU, Task::ExactSearch, &pair, &JobOptions::default());
    }
}

fn solve(threads: usize, pair: &Pair, count_only: bool) -> Solution {
    let options = JobOptions { count_only, ..JobOptions::default() };
    Engine::Cpu(Cpu { threads }).run(Task::ExactSearch, &options, pair, &Run::new(&NoObserver)).unwrap()
}

/// Finds positions by the table of Knuth, Morris and Pratt, for texts that are too large for the oracle.
fn expected(a: &[u8], b: &[u8]) -> Vec<u64> {
    let mut next = vec![0; a.len() + 1];
    let mut same = 0;
    for at in 1..a.len() {
        while same > 0 && a[at] != a[same] {
            same = next[same];
        }
        same += usize::from(a[at] == a[same]);
        next[at + 1] = same;
    }
    let (mut same, mut found) = (0, Vec::new());
    for (at, &byte) in b.iter().enumerate() {
        while same > 0 && (same == a.len() || byte != a[same]) {
            same = next[same];
        }
        same += usize::from(byte == a[same]);
        if same == a.len() {
            found.push((at + 1 - same) as u64);
        }
    }
    found
}

fn check_large(a: &[u8], b: &[u8]) {
    let expected = expected(a, b);
    for pair in [bytes(a, b), wide(a, b)] {
        for threads in [1, 2, 7] {
            let found = solve(threads, &pair, false).found.unwrap().positions;
            assert_eq!(found.len() as usize, expected.len());
            assert!(found.iter().eq(expected.iter().copied()), "{threads} threads, m = {}", a.len());
            let TaskAnswer::ExactSearch { total, positions, .. } = solve(threads, &pair, true).answer else { panic!() };
            assert_eq!((total as usize, positions), (expected.len(), vec![]));
        }
    }
}

fn fibonacci(len: usize) -> Vec<u8> {
    let (mut one, mut two) = (b"a".to_vec(), b"ab".to_vec());
    while two.len() < len {
        (one, two) = (two.clone(), [two, one].concat());
    }
    two.truncate(len);
    two
}

#[test]
fn every_length_at_every_alignment_is_found() {
    for m in 1..=70 {
        let a = random(b"ab", m, m as u64);
        for at in 0..66 {
            let mut b = random(b"ab", at, 1);
            b.extend(&a);
            b.extend(random(b"ab", (at * 7 + m) % 90, 2));
            check(&a, &b);
        }
    }
}

#[test]
fn mismatch_anywhere_in_a_repetition_is_noticed() {
    for m in [1, 2, 31, 32, 33, 34, 63, 64, 65, 100] {
        for at in 0..m {
            let mut a = vec![b'a'; m];
            a[at] = b'b';
            check(&a, &[vec![b'a'; 150], a.clone(), vec![b'a'; 140], a.clone(), a.clone()].concat());
            check(&vec![b'a'; m], &[vec![b'a'; at], b"b".to_vec(), vec![b'a'; 3 * m + at], b"b".to_vec(), vec![b'a'; m]].concat());
        }
    }
}

/// The search compares the pattern directly at first, so that only longer texts reach the factorization.
#[test]
fn repetitions_of_any_period_with_mismatches_agree_with_the_oracle() {
    for (seed, period) in (1..=9).chain([21, 33, 40, 64, 70]).enumerate() {
        let mut rng = fastrand::Rng::with_seed(seed as u64);
        let root = random(b"ab", period, 3);
        let mut b = root.repeat(20_000 / period);
        for _ in 0..12 {
            let at = rng.usize(..b.len());
            b[at] = b'c';
        }
        for m in [33, 34, 65, 129, 200] {
            for from in [0, 1, period / 2] {
                let a: Vec<u8> = root.iter().cycle().skip(from).take(m).copied().collect();
                check_large(&a, &b);
                let mut broken = a.clone();
                broken[rng.usize(..m)] = b'c';
                check_large(&broken, &b);
            }
        }
    }
}

#[test]
fn fibonacci_strings_agree_with_the_oracle() {
    let b = fibonacci(30_000);
    for (m, from) in [(13, 0), (34, 0), (55, 21), (89, 0), (90, 7), (233, 100), (987, 13)] {
        check_large(&b[from..from + m], &b);
    }
}

/// Slices end at multiples of 2^20 positions, chunks at multiples of 2^16.
#[test]
fn occurrences_across_slices_and_chunks_are_found() {
    const SLICE: usize = 1 << 20;
    let mut b = random(b"ab", 3 * SLICE + 12_345, 1);
    let long = random(b"ab", 300, 2);
    for at in [0, SLICE - 299, SLICE - 1, SLICE + 300, 2 * SLICE - 150, 2 * SLICE + 65_535, 3 * SLICE - 300, b.len() - 300] {
        b[at..at + 300].copy_from_slice(&long);
    }
    for m in [1, 5, 30, 300] {
        check_large(&long[..m], &b);
    }
    let mut b = vec![b'a'; 2 * SLICE + 777];
    for m in [1, 32, 100, SLICE - 1, SLICE + 100_000, b.len() - 1, b.len()] {
        check_large(&vec![b'a'; m], &b);
    }
    b[SLICE + 50] = b'b';
    for m in [1, 40, 100, 70_000, SLICE] {
        check_large(&vec![b'a'; m], &b);
        check_large(&[vec![b'a'; m], b"b".to_vec()].concat(), &b);
        check_large(&[vec![b'a'; m / 2], b"b".to_vec(), vec![b'a'; m / 2]].concat(), &b);
    }
}

#[test]
fn alternating_dense_and_sparse_parts_agree_with_the_oracle() {
    let b: Vec<u8> = (0..40).flat_map(|at| if at % 2 == 0 { vec![b'a'; 30_000] } else { random(b"abcd", 30_000, at) }).collect();
    for m in [1, 3, 16, 64, 500] {
        check_large(&vec![b'a'; m], &b);
    }
    for m in [2, 9, 40, 400] {
        check_large(&b[45_000..45_000 + m], &b);
        check_large(&b[60_000 - m / 2..60_000 - m / 2 + m], &b);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn small_alphabets_agree_with_the_oracle(a in "[ab]{0,6}", tail in "[ab]{0,40}", b in "[ab]{0,400}", repeat in 1usize..9) {
        check(&[a.repeat(repeat), tail.clone()].concat().into_bytes(), &[b, a.repeat(12), tail].concat().into_bytes());
    }

    #[test]
    fn pieces_of_the_text_are_found(b in "[abc]{1,600}", from in 0usize..600, m in 0usize..200, repeat in 1usize..4) {
        let b = b.repeat(repeat).into_bytes();
        let from = from % b.len();
        check(&b[from..b.len().min(from + m)], &b);
    }
}

/// A pattern that is rare in a sample but frequent in several later chunks, and one that is always rare.
#[test]
fn symbols_that_are_first_rare_and_then_frequent_are_found() {
    let letters: Vec<u8> = (b'0'..=b'z').collect();
    let mut text = random(&letters, 400_000, 1);
    for (pattern, stretch) in [(&b"{}{}"[..], 130_000..200_000), (b"{|}", 262_140..262_150), (b"}", 0..0)] {
        let len = stretch.len();
        text[stretch].copy_from_slice(&pattern.repeat(len)[..len]);
        check_large(pattern, &text);
    }
    for at in [0, 65_534, 65_535, 65_536, 131_071, 399_997] {
        text[at..at + 3].copy_from_slice(b"~~~");
    }
    for pattern in [&b"~~~"[..], b"~~", &text[65_500..65_600], &text[131_000..180_000]] {
        check_large(pattern, &text);
    }
}
