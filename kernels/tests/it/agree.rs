//! Every engine agrees with the oracle.

use kernels::engine::{Cpu, Engine};
use kernels::job::JobOptions;
use kernels::text::{Pair, ReadingOptions, Unit};
use oracle::{bytes, check, mutated, processors, random, solve_edit_distance};
use proptest::prelude::*;

const DNA: &[u8] = b"ACGT";

fn check_all(pair: &Pair) {
    processors().iter().for_each(|engine| check(engine, pair));
}

#[test]
fn kitten_and_sitting_have_distance_3() {
    for engine in processors() {
        let (distance, alignment) = solve_edit_distance(&engine, &bytes(b"kitten", b"sitting"), &JobOptions::default());
        assert_eq!(distance, 3);
        assert_eq!(alignment.map(|alignment| alignment.to_string()).as_deref(), Some("1X3=1X1=1I"));
    }
}

#[test]
fn empty_equal_and_disjoint_texts_agree_with_the_oracle() {
    let long = random(DNA, 700, 1);
    for (a, b) in [(&b""[..], &b""[..]), (b"", b"a"), (b"a", b""), (b"", &long), (&long, b""), (&long, &long), (b"a", b"b")] {
        check_all(&bytes(a, b));
    }
    check_all(&bytes(&[b'x'; 600], &[b'y'; 900]));
    check_all(&bytes(&[b'x'; 600], &[b'x'; 900]));
}

#[test]
fn lengths_around_words_and_tiles_agree_with_the_oracle() {
    let lens = [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025];
    for (seed, &m) in lens.iter().enumerate() {
        for &n in &lens {
            let a = random(DNA, m, seed as u64);
            let engine = Engine::Cpu(Cpu::SINGLE);
            check(&engine, &bytes(&a, &random(DNA, n, 100 + seed as u64)));
            check(&engine, &bytes(&a, &mutated(&a, DNA, 0.2, n as u64)));
        }
    }
}

#[test]
fn alphabets_of_every_number_of_planes_agree_with_the_oracle() {
    for symbols in [1usize, 2, 3, 4, 5, 8, 9, 16, 17, 100, 128, 129, 255, 256] {
        let letters: Vec<u8> = (0..symbols).map(|symbol| symbol as u8).collect();
        let a = random(&letters, 1300, symbols as u64);
        check_all(&bytes(&a, &mutated(&a, &letters, 0.3, 7)));
        check_all(&bytes(&a, &random(&letters, 1100, 8)));
    }
}

#[test]
fn wide_symbols_agree_with_the_oracle() {
    let letters: Vec<char> = ('\u{4e00}'..).take(5000).collect();
    let text = |len: usize, seed: u64| -> String { random(&letters, len, seed).into_iter().collect() };
    let a = text(1500, 1);
    let b: String = a.chars().enumerate().filter(|(i, _)| i % 11 != 3).map(|(_, c)| c).chain(text(40, 2).chars()).collect();
    for (a, b) in [(&a, &b), (&b, &a), (&a, &text(30, 3))] {
        check_all(&Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() }).unwrap());
    }
}

#[test]
fn all_tilings_agree_with_the_oracle() {
    for (seed, m, rate) in [(1, 4200, 0.01), (2, 4500, 0.1), (3, 4097, 0.3), (4, 6200, 0.6)] {
        let a = random(DNA, m, seed);
        check_all(&bytes(&a, &mutated(&a, DNA, rate, seed)));
    }
    let a = random(DNA, 5000, 9);
    // A moved block makes the first bound poor, so that the band must grow.
    let moved: Vec<u8> = [&a[2000..], &a[..2000]].concat();
    check_all(&bytes(&a, &moved));
    check_all(&bytes(&a, &random(DNA, 5100, 10)));
    check_all(&bytes(&a, &a[1500..1700]));
    check_all(&bytes(&random(DNA, 90, 11), &a));
}

#[test]
fn periodic_texts_agree_with_the_oracle() {
    let a: Vec<u8> = b"ab".iter().copied().cycle().take(1500).collect();
    let b: Vec<u8> = b"abb".iter().copied().cycle().take(1400).collect();
    check_all(&bytes(&a, &b));
    check_all(&bytes(&a, &a[1..]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_agree_with_the_oracle(
        a in proptest::collection::vec(any::<u8>(), 0..200), b in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        check_all(&bytes(&a, &b));
    }

    #[test]
    fn few_letters_agree_with_the_oracle(
        a in proptest::collection::vec(b'a'..b'd', 0..700), b in proptest::collection::vec(b'a'..b'd', 0..700),
    ) {
        check_all(&bytes(&a, &b));
    }

    #[test]
    fn edited_texts_agree_with_the_oracle(seed in any::<u64>(), len in 1usize..1500, rate in 0.0f64..0.8) {
        let a = random(DNA, len, seed);
        check_all(&bytes(&a, &mutated(&a, DNA, rate, seed ^ 1)));
    }

    #[test]
    fn every_unit_of_unicode_texts_agrees_with_the_oracle(a in ".{0,120}", b in ".{0,120}", unit in 1usize..5) {
        let reading = ReadingOptions { unit: Unit::ALL[unit], ..ReadingOptions::default() };
        check_all(&Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap());
    }
}
