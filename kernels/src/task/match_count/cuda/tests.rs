//! Tests of internals: parts of a text, patterns of several groups, and the time of the kernels.

use super::*;
use crate::failure::JobFailure;
use crate::gpu::testing::gpu;
use crate::oracle::{bytes as pair_of, random, serial};
use crate::run::NoObserver;
use crate::text::SymbolSlices;

#[test]
fn text_in_parts_has_all_scores() {
    let Some(gpu) = gpu() else { return };
    for (m, n, letters) in [(5, 300_000, &b"ab"[..]), (2500, 140_000, b"ACGT")] {
        let (a, b) = (random(letters, m, 1), random(letters, n, 2));
        let pair = pair_of(&a, &b);
        let SymbolSlices::Narrow(a, b) = pair.symbol_slices().unwrap() else { panic!("the symbols are wide") };
        let alphabet = pair.alphabet();
        let all = (n - m + 1) as u64;
        let scores = serial::match_count::scores(&pair);
        let best = scores.iter().copied().max().unwrap();
        for most in [None, Some(m as u64 / 2)] {
            let wanted = ScoreRequest { m: m as u64, width: ScoreProfile::width_for(all), max_mismatches: most, count_only: false };
            let expected: Vec<u64> = (0..)
                .zip(&scores)
                .filter(|(_, score)| most.map_or(**score == best, |k| **score + k >= m as u64))
                .map(|(at, _)| at)
                .collect();
            let run = Run::new(&NoObserver);
            let mut first: Option<DeviceMatchCount> = None;
            for part in [all, 131_072, 65_536] {
                let counted = count_within(&gpu, SearchTexts { a, b, alphabet }, wanted, &run, bytes::<u8>(part, m as u64)).unwrap();
                assert_eq!((counted.best, counted.profile.spans.len()), (best, all.div_ceil(wanted.width) as usize), "{part}");
                assert!(counted.positions.iter().eq(expected.iter().copied()), "{part} of {all}, {most:?}");
                assert_eq!(counted.profile.spans.iter().map(|span| span.sum).sum::<u64>(), scores.iter().sum::<u64>());
                if let Some(first) = &first {
                    assert_eq!((&counted.top, counted.total_best, counted.within), (&first.top, first.total_best, first.within));
                    assert_eq!(counted.profile, first.profile);
                }
                first.get_or_insert(counted);
            }
            assert_eq!(run.cells(), 3 * m as u64 * all);
        }
        let wanted = ScoreRequest { m: m as u64, width: 64, max_mismatches: None, count_only: true };
        let refused = count_within(&gpu, SearchTexts { a, b, alphabet }, wanted, &Run::new(&NoObserver), bytes::<u8>(65_536, m as u64) - 1);
        assert!(matches!(refused, Err(Halt::Failed(JobFailure::TooLarge { .. }))));
    }
}

#[test]
fn only_very_long_patterns_of_few_letters_use_transforms() {
    assert!(!is_for_transforms(100_000, 4, 16) && is_for_transforms(1_000_000, 4, 16));
    assert!(!is_for_transforms(1_000_000, 4, 2) && !is_for_transforms(1_000_000, 256, 16));
}

/// So many offsets have the same score that the best ones cannot be listed.
#[test]
fn first_of_equal_offsets_are_the_best() {
    let Some(gpu) = gpu() else { return };
    let mut b = vec![0u8; 400_000];
    b[300_000] = 1;
    let wanted = ScoreRequest { m: 3, width: 32, max_mismatches: None, count_only: false };
    let count = |a: &[u8]| count(&gpu, SearchTexts { a, b: &b, alphabet: 2 }, wanted, &Run::new(&NoObserver)).unwrap();
    let same = count(&[0, 0, 0]);
    assert_eq!((same.best, same.total_best, same.top), (3, 399_995, (0..100).map(|at| (0, at)).collect()));
    let one = count(&[0, 1, 0]);
    let first: Vec<(u64, u64)> = [(0, 299_999)].into_iter().chain((0..99).map(|at| (1, at))).collect();
    assert_eq!((one.best, one.total_best, one.top), (3, 1, first));
}

/// Prints the time of the launches: `cargo test -p kernels --release match_count::cuda -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "it is what it is for")]
fn prints_rates_of_launches() {
    let Some(gpu) = gpu() else { return };
    let letters: Vec<u8> = (0..=255).collect();
    let rows =
        [(4, 1024, 40_000_000), (4, 64, 40_000_000), (62, 32, 38_000_000), (2, 64, 4 << 20), (2, 1024, 4 << 20), (256, 1024, 40_000_000)];
    for (alphabet, m, n) in rows {
        let (a, b) = (random(&letters[..alphabet], m, 1), random(&letters[..alphabet], n, 2));
        let run = Run::new(&NoObserver);
        let session = GpuSession::new(&gpu, &run).unwrap();
        let offsets = (n - m + 1) as u64;
        let text = session.text_address(&b).unwrap();
        let wanted = ScoreRequest { m: m as u64, width: ScoreProfile::width_for(offsets), max_mismatches: None, count_only: false };
        for shape in TileShape::all(&gpu, offsets, m as u64) {
            let scores = DeviceScores::new(&session, &shape).unwrap();
            let groups: Vec<_> = rows::groups(&a, alphabet as u32, &shape).collect();
            let median = |mut times: Vec<f32>| {
                times.sort_by(f32::total_cmp);
                1e3 * times[times.len() / 2]
            };
            let counted = median(
                (0..11).map(|_| session.device_time(|| groups.iter().for_each(|group| scores.add(text, 1, group).unwrap())).0).collect(),
            );
            let spans = median((0..11).map(|_| session.device_time(|| scores.spans(wanted.width).unwrap()).0).collect());
            let kept = median(
                (0..11).map(|_| session.device_time(|| part_summary::summarize_part(&session, &scores, wanted).unwrap()).0).collect(),
            );
            let rate = m as f64 * offsets as f64 / f64::from(counted) / 1e6;
            println!(
                "{alphabet:3} letters, {m:5} x {n:9}, tile {:4}: planes and counting {counted:8.1} µs ({rate:5.1} T/s), spans {spans:6.1} µs; kept with fetching {kept:7.1} µs",
                shape.tile
            );
        }
    }
}

/// Searches 4 GiB and a few bytes, with the pattern around each power of two and at both ends.
#[test]
#[ignore = "slow: ten gigabytes and a minute"]
fn offsets_beyond_32_bits_are_scored() {
    let a = [1u8, 2, 3, 1, 2];
    let mut b = vec![0u8; (1 << 32) + 5000];
    let last = b.len() - a.len();
    let starts = [0, (1 << 31) - 3, (1 << 31) + 40, (1 << 32) - 2, (1 << 32) + 7, last];
    starts.iter().for_each(|&start| b[start..start + a.len()].copy_from_slice(&a));
    let expected = PositionSet::from_list(starts.iter().map(|&start| start as u64).collect());
    let options = crate::job::JobOptions { max_mismatches: Some(0), ..crate::job::JobOptions::default() };
    let solution = super::super::cpu::solve(
        &a,
        &b,
        (4, crate::base_set::SymbolMatch::Equal),
        &crate::cpu::Cpu::all_cores(),
        &options,
        &Run::new(&NoObserver),
    )
    .unwrap();
    assert_eq!(solution.found.unwrap().positions, expected);
    let Some(gpu) = gpu() else { return };
    let wanted = ScoreRequest { m: 5, width: ScoreProfile::width_for(last as u64 + 1), max_mismatches: Some(0), count_only: false };
    let counted = count(&gpu, SearchTexts { a: &a, b: &b, alphabet: 4 }, wanted, &Run::new(&NoObserver)).unwrap();
    assert_eq!((counted.best, counted.total_best, counted.positions), (5, 6, expected));
    assert_eq!(counted.profile.spans.iter().map(|span| span.offsets).sum::<u64>(), last as u64 + 1);
}
