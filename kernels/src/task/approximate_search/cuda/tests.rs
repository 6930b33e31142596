//! Tests of internals: parts of a text, guesses that are too small, every shape, and the time of the kernels.

use super::*;
use crate::found::PositionSet;
use crate::gpu::compaction::{DeviceHitList, HIT_LIST_CAPACITY};
use crate::gpu::testing::gpu;
use crate::oracle::{bytes, mutated, random, serial};
use crate::pair::cuda::FixedLayout;
use crate::run::NoObserver;
use crate::text::SymbolSlices;

mod long;

/// Checks the hits of `a` in `b`, searched in parts of each size in `parts`. Compares them with the oracle, or with a
/// search in a single part if the oracle is too slow.
#[track_caller]
fn check(gpu: &Gpu, a: &[u8], b: &[u8], parts: &[u64]) {
    let pair = bytes(a, b);
    let SymbolSlices::Narrow(a, b) = pair.symbol_slices().unwrap() else { panic!("the symbols are wide") };
    let texts = SearchTexts { a, b, alphabet: pair.alphabet() };
    let wide: [Vec<u32>; 2] = [a, b].map(|text| text.iter().map(|&symbol| symbol.into()).collect());
    for max_distance in [None, Some(0), Some(a.len() as u64 / 5), Some(a.len() as u64)] {
        for local_minima in [false, true] {
            let options = JobOptions { max_distance, local_minima, ..JobOptions::default() };
            let expected = if a.len() * b.len() < 1 << 24 {
                let hits = serial::approximate_search::hits(&pair, &options);
                let positions = PositionSet::from_list(hits.iter().map(|hit| hit.end).collect());
                ApproximateHits { distance: hits.iter().map(|hit| hit.distance).min(), total: hits.len() as u64, positions }
            } else {
                search(gpu, texts, &options, &Run::new(&NoObserver)).unwrap()
            };
            for &part in parts {
                let run = Run::new(&NoObserver);
                let found = search_in_parts(gpu, texts, &options, &run, part).unwrap();
                assert_eq!(found, expected, "{} in {} in parts of {part} with {options:?}", a.len(), b.len());
                assert_eq!(run.cells(), (a.len() * b.len()) as u64);
                let wide = SearchTexts { a: &wide[0], b: &wide[1], alphabet: texts.alphabet };
                assert_eq!(search_in_parts(gpu, wide, &options, &run, part).unwrap(), expected, "wide");
            }
        }
    }
}

#[test]
fn every_number_of_lanes_and_words_agrees_with_the_oracle() {
    let Some(gpu) = gpu() else { return };
    for m in [1, 31, 32, 33, 64, 90, 96, 100, 128, 150, 192, 200, 256, 384, 500, 512, 700, 768, 1024, 1500, 1536, 2048, 3072, 4000] {
        for letters in [&b"01"[..], b"ACGT", b"ACDEFGHIKLMNPQRSTVWY"] {
            let a = random(letters, m, 1);
            let b = [random(letters, 500, 2), mutated(&a, letters, 0.1, 3), random(letters, 800, 4)].concat();
            check(&gpu, &a, &b, &[part::MAX_PART_OFFSETS]);
        }
    }
    let all: Vec<u8> = (0..=255).collect();
    for m in [40, 300, 5000, 6144, 8192] {
        let a = random(&all, m, 1);
        check(&gpu, &a, &[&a[10..], &a[5..m / 2], &a].concat(), &[part::MAX_PART_OFFSETS]);
    }
}

#[test]
fn text_in_parts_has_all_hits() {
    let Some(gpu) = gpu() else { return };
    for (m, letters) in [(7, &b"ab"[..]), (50, b"ACGT"), (300, b"01")] {
        let a = random(letters, m, 1);
        let mut b = random(letters, 300_000, 2);
        for at in [0, 65_536 - m / 2, 131_072 - m, 196_608, 300_000 - m] {
            b.splice(at..at + m, a.iter().copied());
        }
        check(&gpu, &a, &b, &[65_536, 131_072, part::MAX_PART_OFFSETS]);
        // Long runs of equal distances, across the borders of parts.
        b[65_000..140_000].fill(b'-');
        check(&gpu, &a, &b, &[65_536, part::MAX_PART_OFFSETS]);
    }
    check(&gpu, b"aaaa", &[b'a'; 140_000], &[65_536, part::MAX_PART_OFFSETS]);
    check(&gpu, b"abc", &[b'-'; 65_536 * 2], &[65_536, part::MAX_PART_OFFSETS]);
}

/// The text contains nothing of the pattern, so that the first guess is too small.
#[test]
fn guess_that_is_too_small_is_raised() {
    let Some(gpu) = gpu() else { return };
    let a = [vec![b'0'; 200], random(b"01", 100, 1)].concat();
    let b = [vec![b'1'; 4000], random(b"01", 600, 2), vec![b'1'; 70_000]].concat();
    check(&gpu, &a, &b, &[part::MAX_PART_OFFSETS]);
    check(&gpu, &[b'0'; 300], &[b'1'; 5000], &[part::MAX_PART_OFFSETS]);
}

/// Prints the time of the launches: `cargo test -p kernels --release approximate_search::cuda -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "it is what it is for")]
fn prints_rates_of_launches() {
    let Some(gpu) = gpu() else { return };
    let rows = [
        (&[0u8, 1][..], &[32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 1000][..], 4 << 20),
        (&[0, 1, 2, 3], &[20, 100, 1000, 1024], 32 << 20),
    ];
    for (letters, lengths, n) in rows {
        let b = random(letters, n, 2);
        for &m in lengths {
            let a = random(letters, m, 1);
            let run = Run::new(&NoObserver);
            let shape = PatternShape::new(&a, letters.len() as u32);
            let (lanes, words) = (shape.lanes, shape.words);
            let sweep = SliceSweep::new(&gpu, &run, shape, 1).unwrap();
            let (session, finder) = (sweep.session(), EndFinder::new(&sweep, 1).unwrap());
            let place = PartPlacement { number: 0, text: session.text_address(&b).unwrap(), columns: n as u64, skip: 0, is_last: true };
            let guess = DistanceGuess::first(m as u64, letters.len() as u32);
            let mut best = 0;
            let mut times: Vec<[f32; 2]> = (0..11)
                .map(|_| {
                    let found = DeviceHitList::new(session, HIT_LIST_CAPACITY).unwrap();
                    let (sweep, row) = session.device_time(|| {
                        let planes = sweep.pack(&place).unwrap();
                        sweep.slices(&place, &planes, guess, &found).unwrap()
                    });
                    let (ends, _marks) = session.device_time(|| finder.ends(session, &place, &row, &found, None, false).unwrap());
                    best = m as u64 - u64::from(found.fetch(session).unwrap().1);
                    [sweep, ends]
                })
                .collect();
            times.sort_by(|one, other| one[0].total_cmp(&other[0]));
            let [sweep, ends] = times[times.len() / 2].map(|ms| 1e3 * ms);
            println!(
                "{} letters, {m:5} x {n:9}: packing and slices {sweep:8.1} µs ({:5.2} TCUPS), ends {ends:5.1} µs; best {best}, guess {}, {} lanes of {} words",
                letters.len(),
                m as f64 * n as f64 / f64::from(sweep) / 1e6,
                guess.most,
                lanes,
                words
            );
        }
    }
}
