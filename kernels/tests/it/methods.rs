//! The papers' methods against the oracle of their tasks.

use kernels::methods::{approximate_search, edit_distance, exact_search, lcs, match_count};
use kernels::run::Halt;
use kernels::text::Pair;
use oracle::{bytes, random, serial};

/// Random texts of lengths up to these, over few letters and many.
fn pairs(seed: u64, m: usize, n: usize) -> impl Iterator<Item = (Vec<u8>, Vec<u8>, Pair)> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..1000).map(move |_| {
        let letters = &b"ACGTMRWSYKVHDBN*"[..rng.usize(1..=16)];
        let (a, b) = (random(letters, rng.usize(..m), rng.u64(..)), random(letters, rng.usize(..n), rng.u64(..)));
        let pair = bytes(&a, &b);
        (a, b, pair)
    })
}

fn go_on(_: u64) -> Result<(), Halt> {
    Ok(())
}

#[test]
fn edit_distances_are_the_oracles() {
    for (a, b, pair) in pairs(1, 80, 80) {
        let (distance, _) = serial::edit_distance::align(&pair);
        assert_eq!(u64::from(edit_distance::sequential::sequential(&a, &b, &mut go_on).unwrap()), distance, "{a:?} {b:?}");
        assert_eq!(u64::from(edit_distance::diagonal::diagonal(&a, &b, &mut go_on).unwrap()), distance, "{a:?} {b:?}");
    }
}

#[test]
fn distances_at_all_ends_are_the_oracles() {
    for (at, (a, b, pair)) in pairs(2, 30, 200).enumerate() {
        let expected: Vec<u32> = serial::approximate_search::ends(&pair).iter().map(|hit| hit.distance as u32).collect();
        assert_eq!(approximate_search::sequential::sequential(&a, &b, &mut go_on).unwrap().distances, expected, "{a:?} {b:?}");
        assert_eq!(approximate_search::diagonal::diagonal(&a, &b, &mut go_on).unwrap().distances, expected, "{a:?} {b:?}");
        let slices = approximate_search::slices::slices(&a, &b, 1 + at % 20, &mut go_on).unwrap();
        assert_eq!(slices.ends.distances, expected, "{a:?} {b:?} {}", 1 + at % 20);
    }
}

#[test]
fn lengths_of_subsequences_are_the_oracles() {
    for (a, b, pair) in pairs(3, 150, 150) {
        let (length, _) = serial::lcs::align(&pair);
        let length = usize::try_from(length).unwrap();
        assert_eq!(lcs::hirschberg::hirschberg(&a, &b, &mut go_on).unwrap().len(), length, "{a:?} {b:?}");
        assert_eq!(lcs::bit_parallel::bit_parallel(&a, &b, &mut go_on).unwrap().len(), length, "{a:?} {b:?}");
        assert_eq!(lcs::bit_parallel_blocks::bit_parallel_blocks(&a, &b, 0, &mut go_on).unwrap().len(), length, "{a:?} {b:?}");
        assert_eq!(lcs::bit_parallel_blocks::length(&a, &b, &mut go_on).unwrap() as usize, length, "{a:?} {b:?}");
    }
}

#[test]
fn scores_are_the_oracles() {
    for (a, b, pair) in pairs(4, 140, 300) {
        let expected: Vec<u32> = serial::match_count::scores(&pair).iter().map(|score| *score as u32).collect();
        assert_eq!(match_count::naive::naive(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
        assert_eq!(match_count::shift_add::shift_add(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
        assert_eq!(match_count::parallel_shift_add::parallel_shift_add(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
    }
}

#[test]
fn positions_are_the_oracles() {
    for (a, b, pair) in pairs(5, 6, 300) {
        let expected: Vec<usize> = serial::exact_search::positions(&pair).iter().map(|at| *at as usize).collect();
        assert_eq!(exact_search::naive::naive(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
        assert_eq!(exact_search::kmp::kmp(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
        assert_eq!(exact_search::kmp_blocks::kmp_blocks(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
    }
}

#[test]
fn a_method_that_is_stopped_ends_at_once() {
    let text = random(b"ACGT", 10_000, 6);
    let mut ticks = 0;
    let stopped = lcs::hirschberg::hirschberg(&text, &text, &mut |_| {
        ticks += 1;
        if ticks == 3 { Err(Halt::Stopped) } else { Ok(()) }
    });
    assert_eq!((stopped, ticks), (Err(Halt::Stopped), 3));
}
