//! Texts of bytes, which engines read where they lie, agree with the oracle and with numbered texts.

use kernels::engine::{Cpu, Engine};
use kernels::job::{JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::text::{Pair, ReadingOptions, SymbolSlices, Unit};
use oracle::{agree, bytes, mutated, random};

/// Lengths from 0 to 200 around the borders of registers of 8 to 64 symbols.
const LENS: [usize; 29] =
    [0, 1, 2, 5, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129, 191, 192, 200];

/// Returns alphabets of 1 to 256 letters: of nucleotides, with equal lower halves, with equal upper halves, and beyond ASCII.
fn alphabets() -> Vec<Vec<u8>> {
    let first = |letters: usize| (0..letters).map(|letter| letter as u8).collect();
    let halves = |step: usize| (0..16).map(|letter| (letter * step) as u8 | 1).collect();
    let mut all: Vec<Vec<u8>> =
        [&b"a"[..], b"01", b"ACGT", b"ACGTN\n", b"acgtACGT", b"\x00\x80\xff", b"\xc3\xa4\xb6"].map(<[u8]>::to_vec).into();
    all.extend([halves(16), halves(2), first(16), first(17), first(64), first(65), first(255), first(256)]);
    all.push((0..=255).rev().collect());
    all
}

/// Returns the Levenshtein distance by its definition, one row after another.
fn distance(a: &[u8], b: &[u8]) -> u64 {
    let mut row: Vec<u64> = (0..=b.len() as u64).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i as u64 + 1);
        for (j, y) in b.iter().enumerate() {
            let value = (corner + u64::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = std::mem::replace(&mut row[j + 1], value);
        }
    }
    row[b.len()]
}

/// Returns the answers of the tasks of words for `pair`, as JSON.
fn answer(task: Task, pair: &Pair, options: &JobOptions) -> String {
    let solution = Engine::Cpu(Cpu::SINGLE).run(task, options, pair, &Run::new(&NoObserver)).unwrap();
    serde_json::to_string(&solution.answer).unwrap()
}

#[test]
fn words_of_any_length_and_alphabet_have_their_distance() {
    for (seed, letters) in (0..).zip(alphabets()) {
        for m in LENS {
            for n in LENS {
                let a = random(&letters, m, seed + 1000 * m as u64);
                let other = random(&letters, n, seed + n as u64);
                let near: Vec<u8> = mutated(&a, &letters, 0.2, seed).into_iter().chain(other.iter().copied()).take(n).collect();
                for b in [&other, &near] {
                    let expected = distance(&a, b);
                    assert_eq!(kernels::distance(&a, b), expected, "{a:?}, {b:?}");
                    assert_eq!(kernels::DistanceSolver::new().distance(b, &a), expected, "{a:?}, {b:?}");
                }
            }
        }
    }
}

#[test]
fn short_words_agree_with_long_texts() {
    let letters: Vec<u8> = (b'a'..=b'z').collect();
    for m in [1, 5, 16, 17, 64] {
        for n in [1000, 1023, 1024, 1025, 3000] {
            let (a, b) = (random(&letters, m, n as u64), random(&letters, n, m as u64));
            assert_eq!(kernels::distance(&a, &b), distance(&a, &b), "{m}, {n}");
        }
    }
}

#[test]
fn jobs_on_words_of_bytes_and_of_wide_chars_agree_with_the_oracle() {
    let engine = Engine::Cpu(Cpu::SINGLE);
    let reading = ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() };
    let chars: Vec<char> = ('\u{4e00}'..).take(600).collect();
    for (seed, m) in (0..).zip(LENS) {
        for n in [0, 1, 7, 16, 17, 64, 65, 200] {
            let letters = &alphabets()[seed as usize % alphabets().len()];
            agree(&engine, Task::EditDistance, &bytes(&random(letters, m, seed), &random(letters, n, seed + 7)), &JobOptions::default());
            let text = |len, seed| random(&chars, len, seed).into_iter().collect::<String>();
            let pair = Pair::parse(text(m, seed).into_bytes(), text(n + 300, seed + 7).into_bytes(), &reading).unwrap();
            agree(&engine, Task::EditDistance, &pair, &JobOptions { alignment: false, ..JobOptions::default() });
        }
    }
}

#[test]
fn searches_in_bytes_agree_with_the_oracle_and_with_numbered_texts() {
    let folded = ReadingOptions { case_insensitive: true, ..ReadingOptions::default() };
    let has_lower = |text: &[u8]| text.iter().any(u8::is_ascii_lowercase);
    for (seed, letters) in (0..).zip(alphabets()) {
        for (m, n) in
            [(0, 70), (1, 64), (3, 4200), (8, 5000), (20, 4096), (33, 6000), (64, 300), (65, 65), (100, 9000), (200, 5000), (9, 3)]
        {
            let mut text = random(&letters, n, seed);
            let pattern = random(&letters, m, seed + 50);
            let planted = mutated(&pattern, &letters, 0.05, seed);
            for at in [0, n / 3, n - n.min(planted.len())] {
                let end = (at + planted.len()).min(n);
                text[at..end].copy_from_slice(&planted[..end - at]);
            }
            let pair = bytes(&pattern, &text);
            let numbered = Pair::parse(&pattern[..], &text[..], &folded).unwrap();
            for threads in [1, 3] {
                let engine = Engine::Cpu(Cpu { threads });
                agree(&engine, Task::ExactSearch, &pair, &JobOptions::default());
                agree(&engine, Task::MatchCount, &pair, &JobOptions::default());
                agree(&engine, Task::MatchCount, &pair, &JobOptions { max_mismatches: Some(m as u64 / 10), ..JobOptions::default() });
                for max_distance in [None, Some(0), Some(1), Some(3), Some(m as u64 / 8)] {
                    let options = JobOptions { max_distance, ..JobOptions::default() };
                    agree(&engine, Task::ApproximateSearch, &pair, &options);
                    if !has_lower(&pattern) && !has_lower(&text) {
                        for task in [Task::ExactSearch, Task::MatchCount, Task::ApproximateSearch] {
                            assert_eq!(answer(task, &pair, &options), answer(task, &numbered, &options), "{task:?}, {letters:?}, {m}, {n}");
                        }
                    }
                }
            }
        }
    }
}

/// Symbols of the text that only share a half with those of the pattern are no occurrences.
#[test]
fn bytes_with_equal_halves_are_distinguished() {
    let engine = Engine::Cpu(Cpu::SINGLE);
    let options = JobOptions { max_distance: Some(1), ..JobOptions::default() };
    let pattern = b"ACGTTGCAACGGTTAACCGT";
    let mut text = random(b"ACGT", 20_000, 1);
    text[7000..7020].copy_from_slice(pattern);
    for (at, other) in [(2000, 0x10), (3000, 0x80), (4000, 0xc0), (5000, 0x02)] {
        text[at..at + 20].copy_from_slice(&pattern.map(|letter| letter ^ other));
    }
    agree(&engine, Task::ApproximateSearch, &bytes(pattern, &text), &options);
    agree(&engine, Task::ExactSearch, &bytes(pattern, &text), &JobOptions::default());
    agree(&engine, Task::MatchCount, &bytes(pattern, &text), &JobOptions::default());
}

#[test]
fn plain_bytes_are_neither_copied_nor_numbered() {
    let text = "GATTACA, gattaca\n".repeat(100);
    let plain = ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() };
    for reading in [ReadingOptions::default(), plain] {
        let vector = text.clone().into_bytes();
        let at = vector.as_ptr();
        let pair = Pair::parse(vector, &b"TACA"[..], &reading).unwrap();
        let SymbolSlices::Narrow(a, b) = pair.unit_slices().unwrap() else { panic!("the units are wide") };
        assert_eq!((a, b, pair.unit_bound()), (text.as_bytes(), &b"TACA"[..], 256));
        assert_eq!((a.as_ptr(), pair.a.bytes().as_ptr()), (at, at), "{reading:?}");
        assert_eq!((pair.alphabet(), pair.a_symbols().len(), pair.symbol_bytes()), (11, a.len(), a.len() + 4));
    }
    for reading in [
        ReadingOptions { case_insensitive: true, ..ReadingOptions::default() },
        ReadingOptions { ignore_whitespace: true, ..ReadingOptions::default() },
        ReadingOptions { ignore_digits: true, ..ReadingOptions::default() },
        ReadingOptions { unit: Unit::Words, ..ReadingOptions::default() },
    ] {
        let pair = Pair::parse(text.as_bytes(), &b"TACA"[..], &reading).unwrap();
        assert!(pair.unit_bound() < 256, "{reading:?}");
    }
}

#[test]
fn alphabets_of_bytes_are_counted_exactly() {
    for letters in alphabets() {
        for len in [0, 1, 255, 256, 257, 5000, 40_000] {
            let (a, b) = (random(&letters, len, 1), random(&letters, len / 3, 2));
            let mut used = [false; 256];
            a.iter().chain(&b).for_each(|&byte| used[usize::from(byte)] = true);
            let expected = used.iter().filter(|used| **used).count() as u32;
            let counted = bytes(&a, &b);
            let numbered = bytes(&a, &b);
            let symbols = (0..numbered.a.len()).map(|at| numbered.a_symbols().symbol_at(at)).max();
            assert_eq!((counted.alphabet(), numbered.alphabet()), (expected, expected), "{letters:?}, {len}");
            assert!(symbols.is_none_or(|highest| highest < expected));
        }
    }
}
