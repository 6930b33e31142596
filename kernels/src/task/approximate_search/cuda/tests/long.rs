//! Patterns of more than a warp's rows: every variant, in few slices and many, in parts of a text, in a ring of border
//! rows, and with other jobs on the GPU. A border row is the last row of a band.

use std::time::{Duration, Instant};

use super::super::super::cpu;
use super::*;
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::found::CHUNK;
use crate::symbol::Symbol;

/// Computes the expected hits on the processor, because the oracle is too slow.
fn expected<T: Symbol>(texts: SearchTexts<T>, options: &JobOptions) -> ApproximateHits {
    let hits =
        cpu::solve(texts.a, texts.b, (texts.alphabet, SymbolMatch::Equal), options, &Cpu::all_cores(), &Run::new(&NoObserver)).unwrap();
    ApproximateHits { distance: hits.distance, total: hits.total, positions: hits.positions }
}

/// Lists options for a pattern of `m` symbols with the least distance `least`: maximum distances around `least`, and
/// options that find nothing or everything.
fn choices(m: u64, least: u64) -> Vec<JobOptions> {
    let bounds = [None, Some(0), Some(least.saturating_sub(1)), Some(least), Some(least + least / 16), Some(m - 1), Some(m)];
    let both = |max_distance| [false, true].map(|local_minima| JobOptions { max_distance, local_minima, ..JobOptions::default() });
    bounds.into_iter().flat_map(both).collect()
}

/// Checks the hits in each of the layouts `cuts`, searched in parts of each size in `parts`. `None` stands for the
/// layout of normal jobs.
#[track_caller]
fn check_in<T: DeviceSymbol>(gpu: &Gpu, texts: SearchTexts<T>, cuts: &[Option<FixedLayout>], parts: &[u64]) {
    let (m, n) = (texts.a.len() as u64, texts.b.len() as u64);
    let least = expected(texts, &JobOptions::default()).distance.unwrap();
    for options in choices(m, least) {
        let expected = expected(texts, &options);
        for &fixed in cuts {
            for &most in parts {
                let run = Run::new(&NoObserver);
                let mut long = BandSweep::new(gpu, &run, texts).unwrap();
                long.search.fixed = fixed;
                let part = long.part(n, most).unwrap();
                assert!(part <= most.next_multiple_of(CHUNK as u64));
                let found = search_by(&mut long, texts, &options, &run, part).unwrap();
                assert_eq!(found, expected, "{m} in {n} of {} in {fixed:?}, parts of {most}, {options:?}", texts.alphabet);
                assert!(run.cells() >= m * n && (run.cells() == m * n || options.max_distance.is_none()), "{}", run.cells());
            }
        }
    }
}

/// Generates a pattern of `m` symbols below `alphabet` and a text of `n`. The text begins with the end of the pattern,
/// contains the whole pattern in the middle and at the end, and is random elsewhere.
fn texts(m: usize, n: usize, alphabet: u32) -> [Vec<u32>; 2] {
    let letters: Vec<u32> = (0..alphabet).collect();
    let a = random(&letters, m, 1);
    let mut b = random(&letters, n, 2);
    let front = (m / 2).min(n);
    b[..front].copy_from_slice(&a[m - front..]);
    let planted = mutated(&a, &letters, 0.1, 3);
    for end in [n / 2, n] {
        let len = planted.len().min(end);
        b[end - len..end].copy_from_slice(&planted[planted.len() - len..]);
    }
    [a, b]
}

fn check_all(gpu: &Gpu, [m, n]: [usize; 2], alphabet: u32, cuts: &[Option<FixedLayout>], parts: &[u64]) {
    let [a, b] = texts(m, n, alphabet);
    check_in(gpu, SearchTexts { a: &a, b: &b, alphabet }, cuts, parts);
    if alphabet <= 256 {
        let [a, b] = [a, b].map(|text| text.iter().map(|&symbol| symbol as u8).collect::<Vec<_>>());
        check_in(gpu, SearchTexts { a: &a, b: &b, alphabet }, cuts, parts);
    }
}

#[test]
fn patterns_around_the_rows_of_a_warp_agree_with_the_oracle() {
    let Some(gpu) = gpu() else { return };
    for m in [8193, 10_000, 16_384, 16_385] {
        for n in [1, 31, 32, 33, 1000, m - 1, m, m + 1, 3 * m + 77] {
            for alphabet in [2, 4] {
                check_all(&gpu, [m, n], alphabet, &[None], &[part::MAX_PART_OFFSETS]);
            }
        }
    }
    // Uses the engine, which takes one method up to a warp's rows and the other beyond.
    for m in [8191, 8192, 8193] {
        let [a, b] = texts(m, 40_000, 4);
        let texts = SearchTexts { a: &a, b: &b, alphabet: 4 };
        for options in [JobOptions::default(), JobOptions { max_distance: Some(m as u64 / 5), ..JobOptions::default() }] {
            assert_eq!(search(&gpu, texts, &options, &Run::new(&NoObserver)).unwrap(), expected(texts, &options), "{m}");
        }
    }
}

#[test]
fn every_variant_agrees_in_few_slices_and_in_many() {
    let Some(gpu) = gpu() else { return };
    for alphabet in [1, 2, 4, 5, 16, 17, 200, 256, 70_000] {
        for [m, n] in [[8193, 60_000], [33_000, 90_000]] {
            let [a, b] = texts(m, 64, alphabet);
            let run = Run::new(&NoObserver);
            let words = BandSweep::new(&gpu, &run, SearchTexts { a: &a, b: &b, alphabet }).unwrap().search.words();
            let cut = |words| [1, 2, 3, 50].map(|slices| Some(FixedLayout { words, slices, multiprocessors: gpu.multiprocessors() }));
            let cuts: Vec<Option<FixedLayout>> = words.into_iter().flat_map(cut).chain([None]).collect();
            check_all(&gpu, [m, n], alphabet, &cuts, &[part::MAX_PART_OFFSETS]);
        }
    }
}

#[test]
fn long_patterns_in_longer_texts_agree_with_the_oracle() {
    let Some(gpu) = gpu() else { return };
    for ([m, n], alphabet) in [([100_000, 90_000], 4), ([100_000, 400_000], 2), ([33_000, 1_000_000], 200), ([12_345, 3_000_000], 4)] {
        check_all(&gpu, [m, n], alphabet, &[None], &[part::MAX_PART_OFFSETS]);
    }
}

#[test]
fn text_in_parts_has_all_hits() {
    let Some(gpu) = gpu() else { return };
    let many = FixedLayout { words: 2, slices: 7, multiprocessors: 3 };
    for ([m, n], alphabet) in [([8193, 300_000], 4), ([40_000, 200_000], 2), ([10_000, 65_536 * 3], 16)] {
        check_all(&gpu, [m, n], alphabet, &[None, Some(many)], &[65_536, 131_072, part::MAX_PART_OFFSETS]);
    }
    // Equal distances across the borders of parts, and everywhere.
    let [a, mut b] = texts(9000, 280_000, 4);
    b[60_000..215_000].fill(4);
    check_in(&gpu, SearchTexts { a: &a, b: &b, alphabet: 5 }, &[None], &[65_536, part::MAX_PART_OFFSETS]);
    check_in(
        &gpu,
        SearchTexts { a: &vec![0u32; 9000], b: &vec![0u32; 140_000], alphabet: 1 },
        &[None, Some(many)],
        &[65_536, part::MAX_PART_OFFSETS],
    );
}

/// The text contains nothing of the pattern for long, so that the first guess is too small.
#[test]
fn guess_that_is_too_small_is_raised() {
    let Some(gpu) = gpu() else { return };
    let many = FixedLayout { words: 2, slices: 40, multiprocessors: 100 };
    let a = [vec![0u32; 9000], random(&[0, 1], 500, 1)].concat();
    let b = [vec![1; 40_000], random(&[0, 1], 600, 2), vec![1; 70_000]].concat();
    check_in(&gpu, SearchTexts { a: &a, b: &b, alphabet: 2 }, &[None, Some(many)], &[65_536, part::MAX_PART_OFFSETS]);
    check_in(
        &gpu,
        SearchTexts { a: &vec![0u32; 9000], b: &vec![1u32; 50_000], alphabet: 2 },
        &[None, Some(many)],
        &[part::MAX_PART_OFFSETS],
    );
}

#[test]
fn border_rows_in_a_ring_are_read_before_they_are_overwritten() {
    let Some(gpu) = gpu() else { return };
    // 49 bands on 8 or 16 warps.
    for multiprocessors in [1, 2] {
        let cuts = [1, 2, 5].map(|slices| Some(FixedLayout { words: 2, slices, multiprocessors }));
        check_all(&gpu, [100_000, 150_000], 4, &cuts, &[part::MAX_PART_OFFSETS]);
    }
}

#[test]
fn search_that_yields_resumes_at_the_same_cell() {
    let Some(gpu) = gpu() else { return };
    let [a, b] = texts(50_000, 8_000_000, 4);
    let texts = SearchTexts { a: &a, b: &b, alphabet: 4 };
    let options = JobOptions { max_distance: Some(6000), ..JobOptions::default() };
    let expected = expected(texts, &options);
    let mut left = 0;
    for (words, slices) in [(2, 1), (4, 2), (8, 3)] {
        let run = Run::new(&NoObserver);
        let mut long = BandSweep::new(&gpu, &run, texts).unwrap();
        long.search.fixed = Some(FixedLayout { words, slices, multiprocessors: 4 });
        long.search.yield_to_brief_jobs();
        let (found, times) = gpu.disturbed(|| search_by(&mut long, texts, &options, &run, b.len() as u64));
        assert_eq!(found.unwrap(), expected, "{words} words, {slices} slices");
        left += times;
        assert_eq!(run.cells(), (a.len() * b.len()) as u64);
    }
    assert!(left > 3, "the search yielded only {left} times");
}

/// Prints the time of whole searches on the device: `cargo test -p kernels --release
/// approximate_search::cuda::tests::long -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "it is what it is for")]
fn prints_rates_of_searches() {
    let Some(gpu) = gpu() else { return };
    for (letters, n) in [(4, 1 << 20), (4, 16 << 20), (4, 128 << 20), (200, 16 << 20)] {
        let all: Vec<u8> = (0..letters).collect();
        let b = random(&all, n, 2);
        for m in [8_193, 10_000, 16_384, 33_000, 100_000, 1_000_000] {
            if m > n / 2 || m * n > 1 << 46 {
                continue;
            }
            let a = mutated(&b[n / 3..n / 3 + m], &all, 0.1, 3);
            let texts = SearchTexts { a: &a, b: &b, alphabet: letters.into() };
            for max_distance in [None, Some(m as u64 / 8)] {
                let options = JobOptions { max_distance, ..JobOptions::default() };
                let mut times: Vec<(Duration, u64)> = (0..5)
                    .map(|_| {
                        let run = Run::new(&NoObserver);
                        let start = Instant::now();
                        let hits = search(&gpu, texts, &options, &run).unwrap();
                        assert!(hits.distance.is_some_and(|distance| distance <= m as u64 / 8));
                        (start.elapsed(), run.cells())
                    })
                    .collect();
                times.sort_unstable();
                let (took, cells) = times[2];
                let tcups = m as f64 * n as f64 / took.as_secs_f64() / 1e12;
                let sweeps = cells as f64 / (a.len() as f64 * n as f64);
                println!("{letters} letters, {m:7} x {n:9}, within {max_distance:?}: {took:9.3?}, {tcups:5.1} TCUPS, {sweeps:.1} sweeps");
            }
        }
    }
}
