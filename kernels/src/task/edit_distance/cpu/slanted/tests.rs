use super::*;
use crate::alignment::EditKind;
use crate::event::PartialAnswer;
use crate::oracle::{bytes, mutated, random, serial};
use crate::pair::cpu::KnownDistance;
use crate::pair::cpu::grid::StripGrid;
use crate::pair::cpu::tiling::Tiling;
use crate::run::NoObserver;

/// Checks the value and the alignment of every band for `a` and `b`. Returns how many bands proved their value.
fn check<T: Symbol>(a: &[T], b: &[T], alphabet: u32, expected: u64) -> usize {
    let run = Run::new(&NoObserver);
    let bands = VECTORS.into_iter().filter_map(|vectors| SlantedBand::new(vectors, a.len(), b.len()));
    bands
        .map(|band| {
            let solved = band.expecting(expected).solve([a, b], alphabet, PairOutput::Alignment, &run).unwrap();
            assert!(solved.value >= expected, "{band:?}: {} for {expected}", solved.value);
            let distance = band.solve([a, b], alphabet, PairOutput::Distance, &run).unwrap();
            assert_eq!(distance.value, solved.value);
            assert_eq!(distance.alignment([a, b], &run), Ok(None));
            if solved.value > band.proven() {
                return 0;
            }
            assert_eq!(solved.value, expected, "{band:?}, {a:?}, {b:?}");
            let alignment = solved.alignment([a, b], &run).unwrap().unwrap();
            assert_eq!((alignment.check(a, b), alignment.summary().distance()), (Ok(()), expected), "{band:?}, {a:?}, {b:?}");
            1
        })
        .sum()
}

fn check_bytes(a: &[u8], b: &[u8], alphabet: u32) -> usize {
    let (expected, _) = serial::edit_distance::align(&bytes(a, b));
    let wide = [a, b].map(|text| text.iter().map(|&symbol| u32::from(symbol)).collect::<Vec<_>>());
    check(&wide[0], &wide[1], alphabet, expected) + check(a, b, alphabet, expected)
}

#[test]
fn bands_agree_with_the_oracle_at_the_borders_of_words() {
    let lens = [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 511, 512, 513, 575, 576, 577];
    for (seed, m) in (0..).zip(lens) {
        for n in [1, 8, 63, 64, 65, 80, 81, 160, 520, 600] {
            for letters in [2, 4, 5, 200] {
                let all: Vec<u8> = (0..letters).collect();
                let (a, b) = (random(&all, m, seed), random(&all, n, seed + 100));
                assert!(check_bytes(&a, &b, letters.into()) >= 2);
            }
        }
    }
}

#[test]
fn bands_agree_with_the_oracle_for_similar_texts() {
    let mut proven = 0;
    for seed in 0..60 {
        let letters: &[u8] = if seed % 3 == 0 { &[0, 1] } else { &[0, 1, 2, 3] };
        let a = random(letters, 500 + 40 * seed as usize, seed);
        let mut b = mutated(&a, letters, [0.0, 0.01, 0.05, 0.2, 0.5][seed as usize % 5], seed + 1);
        // Long gaps at both ends and inside.
        match seed % 4 {
            0 => drop(b.drain(..100)),
            1 => b.extend(random(letters, 300, seed + 2)),
            2 => drop(b.splice(200..210, random(letters, 400, seed + 3))),
            _ => drop(b.drain(60..360)),
        }
        proven += check_bytes(&a, &b, 4) + check_bytes(&b, &a, 4);
    }
    assert!(proven > 400, "{proven}");
}

#[test]
fn bands_agree_with_the_oracle_for_equal_and_periodic_texts() {
    let periodic: Vec<u8> = [0, 1, 1, 2].into_iter().cycle().take(1500).collect();
    let same = vec![3; 1400];
    for (a, b) in [(&periodic[..], &periodic[..]), (&periodic, &periodic[3..1200]), (&same, &same[..700]), (&same, &periodic)] {
        assert!(check_bytes(a, b, 4) >= 2);
    }
}

#[test]
fn bands_prove_alignments_along_their_outermost_diagonals() {
    let mut seed = 0;
    for vectors in VECTORS {
        let most = max_edits(vectors) as usize;
        for edits in most - 1..=most + 1 {
            // All deletions come first and all insertions last, so that the best alignment lies on an outermost diagonal.
            for deletions in [0, 1, edits / 2, edits - 1, edits] {
                for (letters, [deleted, inserted]) in [(&[0, 1][..], [2, 3]), (&[0, 1, 2, 3], [4, 5])] {
                    seed += 1;
                    let m = (5 * most + deletions).next_multiple_of(WORD) + [0, 1, WORD - 1][seed % 3];
                    let same = random(letters, m - deletions, seed as u64);
                    let a = [vec![deleted; deletions], same.clone()].concat();
                    let b = [same, vec![inserted; edits - deletions]].concat();
                    let (expected, _) = by_tiles(&a, &b);
                    assert_eq!(expected, edits as u64, "{vectors} vectors, {deletions} deletions");
                    let proving = VECTORS.into_iter().filter(|vectors| max_edits(*vectors) >= expected).count();
                    assert_eq!(check(&a, &b, u32::from(inserted) + 1, expected), proving, "{vectors} vectors, {deletions} deletions");
                }
            }
        }
    }
}

#[test]
fn bands_are_as_wide_as_their_edits() {
    for (edits, vectors) in [(0, 1), (456, 1), (457, 2), (976, 2), (977, 4), (2016, 4)] {
        assert_eq!(SlantedBand::for_edits(edits, 100_000, 100_000).map(|band| band.vectors), Some(vectors), "{edits}");
    }
    assert_eq!(SlantedBand::for_edits(2017, 100_000, 100_000), None);
    // The last cell lies outside of every band.
    assert_eq!(SlantedBand::for_edits(0, 100_000, 103_000), None);
    assert!(SlantedBand::for_edits(u64::MAX, 512, 100_000).is_some_and(|band| band.is_whole()));
}

#[test]
fn stop_ends_the_sweep() {
    struct Stopping;
    impl crate::run::Observer for Stopping {
        fn on_signal(&self, _: crate::event::RunSignal) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Break(())
        }
    }
    let a = vec![1u8; 10_000];
    let band = SlantedBand::for_edits(10, a.len(), a.len()).unwrap();
    assert!(band.solve([&a, &a], 4, PairOutput::Distance, &Run::new(&Stopping)).is_err_and(|halt| halt == Halt::Stopped));
}

/// Computes the distance and an alignment of `a` and `b` by bands of tiles.
fn by_tiles(a: &[u8], b: &[u8]) -> (u64, Alignment) {
    let grid = StripGrid::<u8, MyersRecurrence, 2>::new(a, b, Tiling::LOW, 1);
    let bounds = |at_least, at_most| PartialAnswer::Bounds { at_least, at_most };
    let (distance, alignment) = grid.solve(PairOutput::Alignment, KnownDistance::default(), &bounds, &Run::new(&NoObserver)).unwrap();
    (distance, alignment.unwrap())
}

#[test]
fn proof_accepts_only_the_distance() {
    let run = Run::new(&NoObserver);
    let letters = [0, 1, 2, 3];
    let random = |len, seed| random(&letters, len, seed);
    let a = random(80_000, 1);
    let similar = mutated(&a, &letters, 0.04, 2);
    let tandem: Vec<u8> = random(700, 3).into_iter().cycle().take(80_000).collect();
    let changed = mutated(&tandem, &letters, 0.04, 4);
    // Both texts have a piece of their own, so that the best alignment lies outside of the band between them.
    let shifted = [&similar[..20_000], &random(1500, 5), &similar[20_000..60_000], &similar[61_500..]].concat();
    let gap = [&similar[..30_000], &random(60, 6), &similar[30_000..]].concat();
    let turned = [&similar[..40_000], &similar[42_000..], &random(2000, 7)].concat();
    let cases = [
        (&a, &similar, true),
        (&similar, &a, true),
        (&tandem, &changed, false),
        (&a, &shifted, false),
        (&a, &gap, true),
        (&a, &turned, false),
    ];
    for (number, (a, b, is_easy)) in cases.into_iter().enumerate() {
        let band = SlantedBand::for_proof(a.len(), b.len()).unwrap();
        let solved = band.solve([a, b], 4, PairOutput::Alignment, &run).unwrap();
        let (distance, _) = by_tiles(a, b);
        assert!(distance > band.proven(), "{number}: {distance}");
        let is_proven = band.is_distance(&solved, [a, b], 4, &run).unwrap();
        assert!(is_proven || !is_easy, "{number}: {} is not proven", solved.value);
        if is_proven {
            assert_eq!(solved.value, distance, "{number}");
            let alignment = solved.alignment([a, b], &run).unwrap().unwrap();
            assert_eq!((alignment.check(a, b), alignment.summary().distance()), (Ok(()), distance));
        }
    }
}

#[test]
fn local_costs_are_below_the_edits_of_their_strips() {
    let letters = [0, 1, 2, 3, 4];
    let a = random(&letters, 20_000, 1);
    for (rate, strip_words) in [(0.0, 16), (0.05, 16), (0.2, 32)] {
        let b = mutated(&a, &letters, rate, 2);
        let band = SlantedBand::for_proof(a.len(), b.len()).unwrap();
        let costs = band.local_costs([&a, &b], 5, strip_words, &Run::new(&NoObserver)).unwrap();
        let (distance, alignment) = by_tiles(&a, &b);
        let mut edits = vec![0; a.len() / (strip_words * WORD) + 1];
        let mut row = 0;
        for run in alignment.cigar_ops() {
            for _ in 0..run.len {
                let (rows, _) = run.edit.consumed_symbols();
                // Insertions between two strips belong to neither.
                let is_between = rows == 0 && row % (strip_words * WORD) == 0;
                edits[row / (strip_words * WORD)] += u32::from(run.edit != EditKind::Equal && !is_between);
                row += rows as usize;
            }
        }
        assert_eq!(costs.len(), a.len() / (strip_words * WORD));
        assert!(costs.iter().zip(&edits).all(|(cost, edits)| cost <= edits), "{costs:?} above {edits:?}");
        let sum: u64 = costs.iter().map(|cost| u64::from(*cost)).sum();
        assert!(10 * sum >= 8 * distance, "{sum} of {distance}");
    }
}
