//! Checks that slices lose no result, against a model of the GPU. The model evaluates the recurrence cell by cell, from
//! the same top rows, left edges and words.

use super::*;
use crate::gpu::testing::SHARED_BYTES;
use crate::oracle::{bytes, mutated, random, serial};
use crate::pair::cuda::recurrence::carried::searches;

const TEST_KERNEL_SPEC: KernelSpec = KernelSpec { layouts: searches, pads_columns: false, rises: true };
const H200: DeviceLimits = DeviceLimits { multiprocessors: 132, shared_bytes: 227 << 10, bytes: u64::MAX };

/// Returns the words of the text whose results `slice` provides, as the kernel `row` computes them.
fn owned(cut: &SearchLayout, slice: u32, stretch: SearchSection) -> std::ops::Range<u32> {
    let start = cut.begin + slice * cut.own;
    let first = if slice == 0 { stretch.skip as u32 } else { start + cut.lead };
    first..(start + cut.lead + cut.own).min(stretch.words as u32)
}

#[track_caller]
fn check(cut: &SearchLayout, stretch: SearchSection) {
    let what = format!("{cut:?} of {stretch:?}");
    assert_eq!(u64::from(cut.bands) * height(cut.layout), stretch.rows + u64::from(cut.before), "{what}");
    assert!(u64::from(cut.before) < height(cut.layout), "{what}");
    let mut next = stretch.skip as u32;
    for slice in 0..cut.slices {
        let (start, own) = (cut.begin + slice * cut.own, owned(cut, slice, stretch));
        assert_eq!(own.start, next, "{what}");
        assert!(own.start < own.end, "slice {slice} of {what}");
        // Either all words that matter lie before, or the text begins there.
        assert!(start == 0 || u64::from(own.start - start) >= stretch.lead, "slice {slice} of {what}");
        next = own.end;
    }
    assert_eq!(u64::from(next), stretch.words, "{what}");
    assert!(u64::from(cut.begin + cut.text_words()) >= stretch.words, "{what}");
    assert!(cut.warps <= cut.layout.warps && cut.blocks <= 132 && cut.blocks > 0, "{what}");
    assert!(cut.slots == cut.bands || cut.slots == cut.warps * cut.blocks + 1, "{what}");
}

#[test]
fn every_word_belongs_to_one_slice_that_has_its_lead() {
    for layout in searches() {
        for rows in [1, 8193, 10_000, 16_384, 16_385, 100_000, 5_000_000] {
            for (words, skip) in [(1, 0), (2, 1), (3, 0), (100, 0), (100, 99), (700, 600), (5000, 0), (5000, 1300), (1 << 20, 0)] {
                for lead in [rows / 32 + 1, 2 * rows / 32 + 2] {
                    let stretch = SearchSection { rows, words, skip, lead };
                    for slices in [1, 2, 3, 7, 1000] {
                        let cut = SearchLayout::new(layout, stretch, slices, H200);
                        check(&cut, stretch);
                        assert!(cut.slices <= slices);
                    }
                    SearchLayout::all(layout, stretch, H200).for_each(|cut| check(&cut, stretch));
                }
            }
        }
    }
}

fn chosen(planes: u32, rows: u64, columns: u64) -> SearchLayout {
    let stretch = SearchSection { rows, words: columns.div_ceil(32), skip: 0, lead: rows / 16 };
    SearchLayout::choose(&TEST_KERNEL_SPEC, planes, stretch, H200).unwrap()
}

#[test]
fn short_patterns_get_many_slices_and_long_ones_many_bands() {
    // Two bands of 8 words are half empty, but five of 2 words are not.
    let short = chosen(2, 10_000, 100_000_000);
    assert!(short.bands <= 5 && short.tickets() > 500, "{short:?}");
    // All warps work at once, or nearly all.
    assert!(short.tickets() <= 1056 || short.tickets() % 1056 > 900 || short.tickets().is_multiple_of(1056), "{short:?}");
    let long = chosen(2, 10_000_000, 20_000_000);
    assert!(long.slices <= 2 && long.layout.words > 2, "{long:?}");
    // A text no longer than the lead is one slice.
    assert_eq!(chosen(2, 100_000, 100_000).slices, 1);
}

#[test]
fn estimated_clocks_match_a_full_device_on_long_texts() {
    for (rows, least) in [(8_193, 30.0), (10_000, 35.0), (33_000, 45.0), (100_000, 50.0), (1_000_000, 50.0)] {
        let columns = 200_000_000;
        let cut = chosen(2, rows, columns);
        let tcups = rows as f64 * columns as f64 / cut.clocks() * 1.98e9 / 1e12;
        assert!(tcups > least && tcups < 65.0, "{tcups} of {cut:?}");
    }
}

#[test]
fn little_memory_reduces_border_rows_or_is_refused() {
    for rows in [10_000, 10_000_000] {
        let stretch = SearchSection { rows, words: 1 << 20, skip: 1 << 10, lead: rows / 16 };
        let choose = |bytes| SearchLayout::choose(&TEST_KERNEL_SPEC, 2, stretch, DeviceLimits { bytes, ..H200 });
        let fastest = choose(u64::MAX).unwrap();
        assert!(choose(fastest.bytes() - 1).is_ok_and(|cut| cut.bytes() < fastest.bytes()), "{fastest:?}");
        let least = choose(0).unwrap_err();
        assert_eq!(choose(least).unwrap().bytes(), least);
        assert_eq!(choose(least - 1), Err(least));
        // A shorter part needs no more memory.
        let shorter = SearchSection { words: stretch.words - 1000, skip: 0, ..stretch };
        assert!(SearchLayout::choose(&TEST_KERNEL_SPEC, 2, shorter, DeviceLimits { bytes: least, ..H200 }).is_ok());
    }
}

/// Computes by how much the last row of the matrix grows in each column of each slice, band by band.
fn model(cut: &SearchLayout, [a, b]: [&[u8]; 2]) -> Vec<Vec<i32>> {
    let rows = cut.bands as usize * height(cut.layout) as usize;
    let row = |at: usize| at.checked_sub(cut.before as usize).map(|at| a[at]);
    let slice = |slice: u32| {
        let start = 32 * (cut.begin + slice * cut.own) as usize;
        let mut vertical = vec![1i32; rows];
        let grown = |column: usize| {
            let symbol = b.get(start + column).copied().unwrap_or(0);
            let step = |across: i32, (at, down): (usize, &mut i32)| {
                let unequal = row(at) != Some(symbol);
                let diagonal = i32::from(unequal && *down >= 0 && across >= 0);
                let below = diagonal - *down;
                *down = diagonal - across;
                below
            };
            vertical.iter_mut().enumerate().fold(0, step)
        };
        (0..32 * cut.width() as usize).map(grown).collect()
    };
    (0..cut.slices).map(slice).collect()
}

/// Returns the value at each requested end, given the growth of each slice's last row. Joins slices like the kernel
/// `row`.
fn values(cut: &SearchLayout, stretch: SearchSection, grown: &[Vec<i32>], m: usize, columns: usize) -> Vec<u64> {
    let mut values = Vec::new();
    for slice in 0..cut.slices {
        let start = cut.begin + slice * cut.own;
        let mut value = m as i32;
        for word in start..owned(cut, slice, stretch).end {
            for column in 0..32 {
                let at = (word * 32 + column) as usize;
                if owned(cut, slice, stretch).contains(&word) && at <= columns {
                    values.push(value as u64);
                }
                value += grown[slice as usize][at - 32 * start as usize];
            }
            if word + 1 == stretch.words as u32 && columns.is_multiple_of(32) {
                values.push(value as u64);
            }
        }
    }
    values
}

#[test]
fn values_up_to_the_guess_are_exact_in_all_slices() {
    let layout = searches()[0];
    for (m, n, letters) in
        [(40, 1500, &b"ACGT"[..]), (2048, 96, b"ab"), (90, 1024, b"ab"), (2100, 333, b"ACGT"), (33, 700, b"ACDEFGHIKLMN")]
    {
        let a = random(letters, m, 1);
        let mut b = random(letters, n, 2);
        let planted = mutated(&a[..m.min(n / 3)], letters, 0.1, 3);
        for at in [0, n / 2, n - planted.len()] {
            let to = (at + planted.len()).min(n);
            b.splice(at..to, planted[..to - at].iter().copied());
        }
        let expected: Vec<u64> = serial::approximate_search::ends(&bytes(&a, &b)).iter().map(|hit| hit.distance).collect();
        for guess in [0, m / 10, m] {
            let lead = ((m + guess) as u64).div_ceil(32);
            for (skip, slices) in [(0, 1), (0, 2), (0, 5), (0, 100), (lead.min(n as u64 / 64), 3)] {
                // A part in the middle has its whole lead before it, or is the whole text.
                let stretch = SearchSection { rows: m as u64, words: (n as u64).div_ceil(32), skip, lead };
                let cut = SearchLayout::new(layout, stretch, slices, H200);
                let found = values(&cut, stretch, &model(&cut, [&a, &b]), m, n);
                let expected = &expected[32 * skip as usize..];
                assert_eq!(found.len(), expected.len());
                let what = format!("{m} in {n}, {slices} slices, guess {guess}");
                for (found, expected) in found.iter().zip(expected) {
                    assert_eq!((*found).min(guess as u64 + 1), (*expected).min(guess as u64 + 1), "{what}");
                }
            }
        }
    }
}

#[test]
fn no_block_exceeds_the_shared_memory_of_the_device() {
    for shared_bytes in SHARED_BYTES {
        for planes in [1, 2, 4, 5, 8, 16, 24] {
            let stretch = SearchSection { rows: 1 << 20, words: 1 << 20, skip: 0, lead: 1 << 16 };
            let cut = SearchLayout::choose(&TEST_KERNEL_SPEC, planes, stretch, DeviceLimits { shared_bytes, ..H200 }).unwrap();
            assert!(cut.warps > 0 && cut.warps * cut.layout.shared <= shared_bytes, "{cut:?} in {shared_bytes}");
            for layout in TEST_KERNEL_SPEC.fitting(planes) {
                let cut = SearchLayout::new(layout, stretch, 40, DeviceLimits { shared_bytes, ..H200 });
                assert!(cut.warps * cut.layout.shared <= shared_bytes, "{cut:?} in {shared_bytes}");
            }
        }
    }
}
