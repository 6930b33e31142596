//! Longest common subsequences that are too large for the oracle.

use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task};
use kernels::text::{Pair, ReadingOptions, Unit};
use oracle::{bytes, mutated, random, solve_and_verify};

const DNA: &[u8] = b"ACGT";

/// Computes the length by whole columns of bits (Hyyrö 2004), independently of the engine.
fn length(a: &[u8], b: &[u8]) -> u64 {
    let words = a.len().div_ceil(64);
    let mut masks = vec![vec![0u64; words]; 256];
    a.iter().enumerate().for_each(|(i, &symbol)| masks[symbol as usize][i / 64] |= 1 << (i % 64));
    let mut column = vec![!0u64; words];
    for &symbol in b {
        let mut carry = false;
        for (v, &equal) in column.iter_mut().zip(&masks[symbol as usize]) {
            let (sum, over) = v.overflowing_add(*v & equal);
            let (sum, over_again) = sum.overflowing_add(carry.into());
            carry = over | over_again;
            *v = sum | (*v & !equal);
        }
    }
    column.iter().map(|v| u64::from(v.count_zeros())).sum()
}

fn check(a: &[u8], b: &[u8]) {
    let expected = length(a, b);
    for threads in [1, 2, 5] {
        let solution = solve_and_verify(&Engine::Cpu(Cpu { threads }), Task::Lcs, &bytes(a, b), &JobOptions::default());
        assert!(matches!(solution.answer, TaskAnswer::Lcs { length, .. } if length == expected), "{:?}, not {expected}", solution.answer);
    }
}

#[test]
fn edited_texts_agree_with_the_oracle_at_every_rate() {
    let a = random(DNA, 40_000, 1);
    for rate in [0.0, 0.0005, 0.002, 0.01, 0.05, 0.3, 0.8] {
        check(&a, &mutated(&a, DNA, rate, 2));
    }
}

#[test]
fn texts_with_little_in_common_agree_with_the_oracle() {
    let a = random(DNA, 20_000, 1);
    check(&a, &random(DNA, 17_000, 2));
    check(&a, &a.to_ascii_lowercase());
    check(&a, &[&a[9000..], &a[..9000]].concat());
    check(&a, &random(b"AB", 300, 3));
    check(&random(DNA, 70, 4), &random(DNA, 200_000, 5));
    check(&random(DNA, 64, 6), &random(DNA, 1_200_000, 7));
}

#[test]
fn wide_symbols_have_the_length_of_bytes() {
    let letters: Vec<u8> = (0..200).collect();
    let a = random(&letters, 9000, 1);
    let b = mutated(&a, &letters, 0.2, 2);
    // Each byte becomes a distinct character. Two thousand other characters at the ends make the symbols wide.
    let others = |from: u32| (from..from + 1000).filter_map(char::from_u32);
    let chars = |text: &[u8], from| {
        let text = text.iter().filter_map(|&byte| char::from_u32(0x4e00 + u32::from(byte)));
        others(from).chain(text).chain(others(from + 0x1000)).collect::<String>().into_bytes()
    };
    let pair =
        Pair::parse(chars(&a, 0x6000), chars(&b, 0x6800), &ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() }).unwrap();
    let solution = solve_and_verify(&Engine::Cpu(Cpu { threads: 2 }), Task::Lcs, &pair, &JobOptions::default());
    let expected = length(&a, &b);
    assert!(matches!(solution.answer, TaskAnswer::Lcs { length, .. } if length == expected), "{:?}, not {expected}", solution.answer);
}
