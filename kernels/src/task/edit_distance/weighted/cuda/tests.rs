//! Tests of internals: the traceback from kept edges without a GPU, and every variant of the kernel against the oracle.

use std::ops::Range;

use super::*;
use crate::gpu::testing::{gpu, gpu_alone};
use crate::oracle::{bytes, mutated, random, serial};
use crate::pair::cells::cuda::kept_edges::{KeptBuffer, KeptWords};
use crate::pair::cells::cuda::shape::SweepRoom;
use crate::run::NoObserver;
use crate::symbol::Symbol;
use crate::task::edit_distance::weighted;

/// Costs that need all kinds of kernels: small and large ones, with and without transpositions.
const COSTS: [EditCosts; 7] = [
    EditCosts::OSA,
    EditCosts { substitute: 3, insert: 2, delete: 2, transpose: None },
    EditCosts { substitute: 1, insert: 1, delete: 4, transpose: Some(0) },
    EditCosts { substitute: 0, insert: 3, delete: 0, transpose: None },
    EditCosts { substitute: 1000, insert: 999, delete: 1000, transpose: Some(997) },
    EditCosts { substitute: 1000, insert: 999, delete: 1000, transpose: None },
    EditCosts { substitute: 500, insert: 7, delete: 900, transpose: Some(11) },
];

fn cells(costs: &EditCosts) -> CellCosts {
    match CostModel::of(costs) {
        CostModel::Weighted(cells) => cells,
        model => panic!("{costs:?}: {model:?}"),
    }
}

/// Generates two texts of symbols below `alphabet`, the second one with edits and exchanges of neighbours.
fn texts<T: Symbol>(rows: usize, columns: usize, alphabet: u32, number: impl Fn(u32) -> T) -> [Vec<T>; 2] {
    let letters: Vec<u32> = (0..alphabet).collect();
    let a = random(&letters, rows, u64::from(alphabet));
    let mut b = mutated(&a, &letters, 0.2, 2);
    b.extend(random(&letters, columns, 3));
    b.truncate(columns);
    (1..columns).step_by(7).for_each(|at| b.swap(at - 1, at));
    [a, b].map(|text| text.into_iter().map(&number).collect())
}

/// Returns the least sum of costs, computed on the CPU.
fn expected<T: Symbol>([a, b]: [&[T]; 2], alphabet: u32, costs: &EditCosts) -> u64 {
    let request = PairOutput::Distance.into();
    weighted::solve(a, b, alphabet, costs, request, &Cpu { threads: 2 }, &Run::new(&NoObserver)).unwrap().0
}

/// Returns the words that a sweep keeps, computed cell by cell.
fn kept_words(a: &[u8], b: &[u8], costs: &CellCosts, tiles: &KeptTiles) -> [Vec<u32>; 2] {
    let (m, n, gap) = (a.len(), b.len(), costs.gap as i32);
    let [mut rows, mut columns] = [KeptBuffer::Rows, KeptBuffer::Columns].map(|buffer| vec![u32::MAX; tiles.words(buffer)]);
    let (tile, padded) = (tiles.tile as usize, tiles.bands as usize * tiles.height as usize);
    let word = |one: i32, z: i32| (gap - one) as u32 | ((gap - z) as u32) << 16;
    let (mut h, mut z) = (vec![gap; n], vec![vec![0; n]; m]);
    for i in 0..m {
        let mut v = gap;
        for j in 0..n {
            let pair = if a[i] == b[j] { 0 } else { costs.substitute as i32 };
            let mut least = pair.min(v).min(h[j]);
            if let Some(transpose) = costs.transpose
                && i > 0
                && j > 0
                && a[i] == b[j - 1]
                && a[i - 1] == b[j]
            {
                least = least.min(transpose as i32 - z[i - 1][j - 1]);
            }
            z[i][j] = least;
            (v, h[j]) = (gap + least - h[j], gap + least - v);
            if (j + 1) % tile == 0 && j + 1 < n {
                columns[(j / tile) * padded + i] = word(v, least);
            }
            if (i + 1) % tile == 0 && i + 1 < m {
                rows[(i / tile) * tiles.stride as usize + j] = word(h[j], least);
            }
        }
    }
    [rows, columns]
}

#[test]
fn alignments_are_traced_from_kept_edges() {
    for (seed, costs) in COSTS.iter().enumerate() {
        for (m, n, tile) in [(40, 40, 64), (200, 150, 64), (64, 129, 64), (129, 64, 64), (300, 1, 64), (700, 650, 64), (700, 650, 256)] {
            let [a, b] = texts(m, n, 2 + seed as u32, |letter| letter as u8);
            let cells = cells(costs);
            let height = 32;
            let tiles = KeptTiles { tile, height, bands: (m as u32).div_ceil(height), stride: (n as u32).next_multiple_of(32) };
            let [rows, columns] = kept_words(&a, &b, &cells, &tiles);
            let fetch = |buffer: KeptBuffer, range: Range<usize>| {
                let words = if buffer == KeptBuffer::Rows { &rows } else { &columns };
                Ok(words[range].to_vec())
            };
            let matrix = Matrix::<i32>::new(&a, &b, cells);
            let words = KeptWords { tiles, lengths: [m, n], fetch };
            let edges = |strip, number| Ok(edges_of(&matrix, cells.gap, &tiles, [strip, number], &words.tile([strip, number])?));
            let alignment = trace::align_from_words(&matrix, &words, edges, 2, &Run::new(&NoObserver)).unwrap();
            let (distance, _) = serial::edit_distance::align_with_costs(&bytes(&a, &b), *costs);
            let what = format!("{costs:?}, {m} by {n}, tiles of {tile}: {alignment}");
            assert_eq!((alignment.check(&a[..], &b[..]), costs.sum(&alignment.summary())), (Ok(()), distance), "{what}");
        }
    }
}

/// Returns every layout of a pair on a GPU with `multiprocessors` multiprocessors.
fn shapes<T: DeviceSymbol>(gpu: &Gpu, pair: &WeightedPair<T>, multiprocessors: u32) -> Vec<SweepShape> {
    let (m, n, kind) = (pair.matrix.rows.len(), pair.matrix.columns.len(), pair.matrix.kind());
    let room = SweepRoom { multiprocessors, shared_bytes: gpu.shared_bytes() };
    kind.thread_rows().iter().map(|rows| SweepShape::with_rows(*rows, m, n, kind, room)).collect()
}

/// Solves a pair in all layouts of a GPU with `multiprocessors` multiprocessors, and compares the sums.
fn check_layouts<T: DeviceSymbol>(gpu: &Gpu, [a, b]: [&[T]; 2], alphabet: u32, costs: &EditCosts, multiprocessors: u32) {
    let expected = expected([a, b], alphabet, costs);
    let (cells, run) = (cells(costs), Run::new(&NoObserver));
    let pair = WeightedPair::new([a, b], alphabet, cells).unwrap();
    for shape in shapes(gpu, &pair, multiprocessors) {
        for max_kept_bytes in [None, Some(1 << 33), Some(1 << 17)] {
            let options = SweepOptions { max_kept_bytes, ..SweepOptions::default() };
            let what = format!("{shape:?}, {options:?}, {costs:?}, {} by {} of {alphabet}", a.len(), b.len());
            let (sum, alignment) =
                pair.solve_in(gpu, &Cpu { threads: 2 }, shape, options, &run).unwrap_or_else(|halt| panic!("{halt:?}: {what}"));
            let sum = costs.of_differences(sum * u64::from(cells.divisor), a.len(), b.len());
            assert_eq!(sum, expected, "{what}");
            if let Some(alignment) = alignment {
                assert_eq!((alignment.check(a, b), costs.sum(&alignment.summary())), (Ok(()), expected), "{what}");
            }
        }
    }
}

#[test]
fn every_variant_agrees_with_the_processor() {
    let Some(gpu) = gpu() else { return };
    for costs in &COSTS {
        for (m, n) in [(1, 1), (255, 33), (257, 64), (513, 700), (2049, 1500), (5000, 3001)] {
            for alphabet in [2, 5, 20, 200] {
                let [a, b] = texts(m, n, alphabet, |letter| letter as u8);
                check_layouts(&gpu, [&a, &b], alphabet, costs, 132);
            }
            for alphabet in [300, 20_000, 300_000] {
                let [a, b] = texts(m, n, alphabet, |letter| letter);
                check_layouts(&gpu, [&a, &b], alphabet, costs, 132);
            }
        }
    }
}

#[test]
fn columns_around_chunks_and_rows_around_bands_are_exact() {
    let Some(gpu) = gpu() else { return };
    for m in [1, 63, 64, 65, 255, 256, 257, 512, 1023, 1024, 1025, 2048] {
        for n in [1, 2, 31, 32, 33, 62, 63, 64, 65, 95, 96, 97, 256, 257, 1025] {
            let [a, b] = texts(m, n, 3, |letter| letter as u8);
            check_layouts(&gpu, [&a, &b], 3, &COSTS[(m + n) % COSTS.len()], 132);
        }
    }
}

#[test]
fn border_rows_in_a_ring_are_read_before_they_are_overwritten() {
    let Some(gpu) = gpu() else { return };
    let [a, b] = texts(100_000, 2_500, 4, |letter| letter as u8);
    for multiprocessors in [1, 2] {
        for costs in &COSTS[..2] {
            let shape = shapes(&gpu, &WeightedPair::new([&a[..], &b], 4, cells(costs)).unwrap(), multiprocessors)[0];
            assert!(shape.slots() < shape.bands(), "{shape:?}");
            check_layouts(&gpu, [&a, &b], 4, costs, multiprocessors);
        }
    }
}

#[test]
fn sweep_that_yields_resumes_at_the_same_cell() {
    let Some(gpu) = gpu() else { return };
    let mut left = 0;
    let [a, b] = texts(200_000, 60_000, 4, |letter| letter as u8);
    for costs in &COSTS[..2] {
        let (cells, run) = (cells(costs), Run::new(&NoObserver));
        let expected = expected([&a, &b], 4, costs);
        let pair = WeightedPair::new([&a[..], &b], 4, cells).unwrap();
        for shape in shapes(&gpu, &pair, 2) {
            for max_kept_bytes in [None, Some(1 << 33)] {
                let options = SweepOptions { max_kept_bytes, yields: true, ..SweepOptions::default() };
                let (solved, times) = gpu.disturbed(|| pair.solve_in(&gpu, &Cpu { threads: 2 }, shape, options, &run));
                let (sum, alignment) = solved.unwrap();
                assert_eq!(costs.of_differences(sum * u64::from(cells.divisor), a.len(), b.len()), expected, "{shape:?}");
                if let Some(alignment) = alignment {
                    assert_eq!((alignment.check(&a, &b), costs.sum(&alignment.summary())), (Ok(()), expected), "{shape:?}");
                }
                left += times;
            }
        }
    }
    assert!(left > 10, "the sweep yielded only {left} times");
}

#[test]
fn little_memory_reduces_warps_and_enlarges_tiles() {
    let Some(mut gpu) = gpu_alone() else { return };
    let [a, b] = texts(120_000, 100_000, 4, |letter| letter as u8);
    let (costs, run) = (COSTS[0], Run::new(&NoObserver));
    let expected = expected([&a, &b], 4, &costs);
    // Loads the kernels first.
    let [short_a, short_b] = [&a[..5_000], &b[..4_000]];
    let pair = WeightedPair::new([short_a, short_b], 4, cells(&costs)).unwrap();
    for shape in shapes(&gpu, &pair, 132) {
        pair.solve_in(&gpu, &Cpu { threads: 2 }, shape, SweepOptions::default(), &run).unwrap();
    }
    // The driver takes memory in parts of 32 MB.
    for megabytes in [100, 200, 1_000] {
        gpu.leave_free_bytes(megabytes << 20);
        let solved = solve(&gpu, &Cpu { threads: 2 }, [&a, &b], 4, &costs, PairOutput::Alignment, &run);
        let (sum, alignment) = solved.unwrap_or_else(|halt| panic!("{halt:?}: {megabytes} MB"));
        let alignment = alignment.unwrap();
        assert_eq!((sum, alignment.check(&a, &b), costs.sum(&alignment.summary())), (expected, Ok(()), expected), "{megabytes} MB");
    }
}

/// Prints the time of each layout, and of an alignment.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stderr, reason = "a measurement says what it has measured")]
fn speed_of_layouts() {
    let Some(gpu) = gpu() else { return };
    let run = Run::new(&NoObserver);
    for len in [1 << 16, 1 << 18, 1 << 20, 1 << 21] {
        let [a, b] = texts(len, len - 5, 4, |letter| letter as u8);
        for costs in &COSTS[..2] {
            let cells = cells(costs);
            let pair = WeightedPair::new([&a[..], &b], 4, cells).unwrap();
            let chosen = pair.matrix.shape(&gpu);
            for shape in shapes(&gpu, &pair, gpu.multiprocessors()) {
                for max_kept_bytes in [None, Some(MAX_KEPT_BYTES)] {
                    let ms = (0..3).map(|_| {
                        let start = std::time::Instant::now();
                        let options = SweepOptions { max_kept_bytes, ..SweepOptions::default() };
                        pair.solve_in(&gpu, &Cpu { threads: 16 }, shape, options, &run).unwrap();
                        start.elapsed().as_secs_f64() * 1e3
                    });
                    let ms = ms.fold(f64::MAX, f64::min);
                    let rate = a.len() as f64 * b.len() as f64 / ms / 1e9;
                    let (aligned, chosen) = (max_kept_bytes.is_some(), shape == chosen);
                    eprintln!(
                        "{len} {costs:?}, {} rows, chosen {chosen}, aligned {aligned}: {ms:.2} ms, {rate:.2} T cells/s",
                        shape.thread_rows
                    );
                }
            }
        }
    }
}
