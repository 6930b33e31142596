use super::*;
use crate::oracle::{bytes, mutated, random, serial};
use crate::run::NoObserver;

/// Returns costs for the case `seed`: the presets, and random costs of several sizes, with and without transpositions.
fn costs(seed: u64) -> EditCosts {
    let presets = [EditCosts::LEVENSHTEIN, EditCosts::INDEL, EditCosts::OSA];
    if let Some(preset) = presets.get(seed as usize % 16) {
        return *preset;
    }
    let most = [2, 3, 10, 60, 1000][seed as usize % 5];
    let numbers = random(&(0..=most).collect::<Vec<u32>>(), 4, seed);
    let transpose = seed.is_multiple_of(2).then_some(numbers[3]);
    EditCosts { substitute: numbers[0], insert: numbers[1], delete: numbers[2], transpose }
}

/// Solves `a` and `b` with `costs` in all ways, and compares the results with those of the oracle.
fn check<T: Symbol>(a: &[T], b: &[T], alphabet: u32, costs: EditCosts, expected: u64) {
    let run = Run::new(&NoObserver);
    for threads in [1, 3] {
        let cpu = Cpu { threads };
        let (distance, alignment) = solve(a, b, alphabet, &costs, PairOutput::Alignment.into(), &cpu, &run).unwrap();
        let alignment = alignment.unwrap();
        let who = format!("{a:?}, {b:?}, {costs:?}, {threads} threads: {alignment}");
        assert_eq!(distance, expected, "{who}");
        assert_eq!(alignment.check(a, b), Ok(()), "{who}");
        assert_eq!(costs.sum(&alignment.summary()), expected, "{who}");
        let (distance, _) = solve(a, b, alphabet, &costs, PairOutput::Distance.into(), &cpu, &run).unwrap();
        assert_eq!(distance, expected, "{who}");
        let left = alignment.left_aligned(a, b);
        assert_eq!((left.check(a, b), costs.sum(&left.summary())), (Ok(()), expected), "{who}");
    }
}

/// Checks texts of bytes, and the same texts with symbols of 32 bits and other numbers.
fn check_bytes(a: &[u8], b: &[u8], costs: EditCosts) {
    let pair = bytes(a, b);
    let (expected, _) = serial::edit_distance::align_with_costs(&pair, costs);
    check(a, b, 256, costs, expected);
    for factor in [200, 70_000] {
        let wide = |text: &[u8]| text.iter().map(|byte| u32::from(*byte) * factor).collect::<Vec<u32>>();
        check(&wide(a), &wide(b), 256 * factor, costs, expected);
    }
}

#[test]
fn sums_and_alignments_agree_with_the_oracle() {
    for seed in 0..1_200 {
        let letters = [&b"ab"[..], b"ACGT", b"abcdefghijklmnopqrstuvwxyz"][seed as usize % 3];
        let len = |at: u64| [0, 1, 2, 3, 7, 8, 9, 15, 17, 31, 33][(seed / 3 + at * at) as usize % 11];
        let a = random(letters, len(0), seed);
        let b = if seed % 4 == 0 { mutated(&a, letters, 0.3, seed) } else { random(letters, len(seed), seed + 1) };
        check_bytes(&a, &b, costs(seed));
    }
}

#[test]
fn borders_of_lanes_and_tiles_change_no_sum() {
    for (seed, (m, n)) in (0..).zip([(63, 64), (65, 127), (128, 128), (129, 130), (1, 700), (700, 2), (255, 500), (513, 380)]) {
        for kind in [seed, seed + 2, 18 + seed, 40 + seed] {
            let (a, b) = (random(b"ACGT", m, seed), random(b"ACGT", n, seed + 50));
            check_bytes(&a, &b, costs(kind));
        }
    }
}

/// A corridor must contain the optimal alignment, and skipped tiles must not change its sum.
#[test]
fn corridors_change_no_sum() {
    for seed in 0..6 {
        let a = random(b"ACGT", 2_300 + 400 * seed as usize, seed);
        let mut b = mutated(&a, b"ACGT", 0.04, seed + 9);
        b.splice(700..700, random(b"ACGT", 150 * (seed as usize % 3), seed));
        let kind = costs([2, 22, 33, 44, 57, 98][seed as usize]);
        let (expected, _) = serial::edit_distance::align_with_costs(&bytes(&a, &b), kind);
        check(&a, &b, 256, kind, expected);
    }
}

#[test]
fn bit_masks_of_long_texts_stay_within_their_memory() {
    assert!(osa::suits(0, 256) && osa::suits(16_000_000, 256) && osa::suits(1 << 30, 3));
    assert!(!osa::suits(100_000_000, 256) && !osa::suits(1 << 32, 4) && !osa::suits(64, 257));
}

/// Strips of bit vectors hand bits to the next strip in parts of some thousand columns.
#[test]
fn bit_vectors_of_long_texts_agree_with_the_oracle() {
    for (seed, (m, n)) in (0..).zip([(64, 300), (65, 4_095), (511, 4_096), (512, 4_103), (1_025, 4_097), (1_100, 8_200)]) {
        let (a, b) = (random(b"AC", m, seed), random(b"AC", n, seed + 70));
        let twice = EditCosts { substitute: 2, insert: 3, delete: 1, transpose: Some(2) };
        for costs in [EditCosts::OSA, twice] {
            let (expected, _) = serial::edit_distance::align_with_costs(&bytes(&a, &b), costs);
            check(&a, &b, 256, costs, expected);
            check(&b, &a, 256, costs.swapped(), expected);
        }
    }
}

#[test]
fn cheaper_models_are_used_where_they_are_exact() {
    let model = |substitute, insert, delete, transpose| CostModel::of(&EditCosts { substitute, insert, delete, transpose });
    assert_eq!(model(1, 1, 1, None), CostModel::Levenshtein);
    assert_eq!(model(2, 3, 1, Some(4)), CostModel::Levenshtein);
    assert_eq!(model(2, 1, 1, None), CostModel::Subsequence);
    assert_eq!(model(900, 0, 3, Some(3)), CostModel::Subsequence);
    assert_eq!(model(0, 0, 0, Some(0)), CostModel::Subsequence);
    let osa = CellCosts { substitute: 1, gap: 2, transpose: Some(1), divisor: 1 };
    assert_eq!(model(1, 1, 1, Some(1)), CostModel::Weighted(osa));
    assert_eq!(model(500, 700, 300, Some(500)), CostModel::Weighted(CellCosts { divisor: 500, ..osa }));
    assert_eq!(model(1, 500, 500, None), CostModel::Weighted(CellCosts { substitute: 1, gap: 1000, transpose: None, divisor: 1 }));
}

/// The restriction of optimal string alignment: no edit changes symbols that were exchanged.
#[test]
fn exchanged_symbols_are_not_edited_again() {
    check_bytes(b"CA", b"ABC", EditCosts::OSA);
    let (distance, _) = serial::edit_distance::align_with_costs(&bytes(b"CA", b"ABC"), EditCosts::OSA);
    assert_eq!(distance, 3);
}
