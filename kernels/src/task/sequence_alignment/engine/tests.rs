use super::coded::Direction;
use super::differences::FreeEdges;
use super::*;
use crate::alignment::EditKind;
use crate::job::Scoring;
use crate::oracle::serial::sequence_alignment::{AlignedPieces, align};
use crate::oracle::{mutated, random};
use crate::run::NoObserver;

/// Returns the sum of points of the columns of `alignment`, which must align `a` to `b`.
fn score(alignment: &Alignment, a: &[u32], b: &[u32], model: &AlignmentModel) -> i64 {
    let (mut i, mut j, mut sum) = (0, 0, 0i64);
    for op in alignment.cigar_ops() {
        let len = op.len as usize;
        match op.edit {
            EditKind::Equal | EditKind::Substitute => {
                sum += a[i..i + len].iter().zip(&b[j..]).map(|(x, y)| i64::from(model.points.of(*x, *y))).sum::<i64>();
                (i, j) = (i + len, j + len);
            }
            EditKind::Delete => (i, sum) = (i + len, sum - model.gap.of(len as u64) as i64),
            EditKind::Insert => (j, sum) = (j + len, sum - model.gap.of(len as u64) as i64),
            EditKind::Transpose => panic!("{alignment} has a transposition"),
        }
    }
    sum
}

/// Solves `a` and `b` in all ways, and compares the results with those of the oracle.
fn check(a: &[u32], b: &[u32], model: &AlignmentModel) {
    let AlignmentModel { points, gap, mode, free_ends, .. } = model;
    let scoring = Scoring { mode: *mode, free_ends: *free_ends, gap: *gap, ..Scoring::default() };
    let expected = align(a, b, &|x, y| points.of(x, y).into(), &scoring);
    let narrow = a.iter().chain(b).all(|symbol| *symbol < 256);
    for threads in [1, 3] {
        check_symbols(a, b, a, b, model, threads, &expected);
        if narrow {
            let [x, y] = [a, b].map(|text| text.iter().map(|symbol| *symbol as u8).collect::<Vec<u8>>());
            check_symbols(&x, &y, a, b, model, threads, &expected);
        }
    }
}

fn check_symbols<T: Symbol>(x: &[T], y: &[T], a: &[u32], b: &[u32], model: &AlignmentModel, threads: usize, expected: &AlignedPieces) {
    let (run, cpu) = (Run::new(&NoObserver), Cpu { threads });
    check_answers(|want| solve(x, y, model, want, &cpu, &run).unwrap(), [a, b], model, threads, expected);
}

/// Checks the results of `solve` with and without an alignment.
fn check_answers(
    solve: impl Fn(PairOutput) -> BestAlignment,
    [a, b]: [&[u32]; 2],
    model: &AlignmentModel,
    threads: usize,
    expected: &AlignedPieces,
) {
    let who = format!("{} {:?}, {} {:?}, {model:?}, {threads} threads", a.len(), head(a), b.len(), head(b));
    let best = solve(PairOutput::Alignment);
    let alignment = best.alignment.as_ref().unwrap();
    assert_eq!((best.score, &best.a, &best.b), (expected.score, &expected.a, &expected.b), "{who}: {alignment}");
    let pieces = (&a[best.a.start as usize..best.a.end as usize], &b[best.b.start as usize..best.b.end as usize]);
    assert_eq!(alignment.check_match(pieces.0, pieces.1, model.symbol_match), Ok(()), "{who}: {alignment}");
    assert_eq!(score(alignment, pieces.0, pieces.1, model), best.score, "{who}: {alignment}");
    let only = solve(PairOutput::Distance);
    assert_eq!(only, BestAlignment { alignment: None, ..best.clone() }, "{who}");
}

/// Returns the first symbols of `text`.
fn head(text: &[u32]) -> &[u32] {
    &text[..text.len().min(300)]
}

/// Returns the model of the case `seed`: all modes and free ends, equality and tables, small and large costs.
fn model(seed: u64, alphabet: u32) -> AlignmentModel {
    let mut rng = fastrand::Rng::with_seed(seed);
    let most = [2, 5, 12, 60, 1000][rng.usize(..5)];
    let mode = [AlignmentMode::Global, AlignmentMode::Local, AlignmentMode::SemiGlobal][seed as usize % 3];
    let free_ends = FreeEnds { a_start: rng.bool(), a_end: rng.bool(), b_start: rng.bool(), b_end: rng.bool() };
    let gap = GapCosts { open: [0, rng.u32(0..=most)][rng.usize(..2)], extend: [0, 1, rng.u32(0..=most)][rng.usize(..3)] };
    let number = most as i32;
    let points = match rng.u8(..4) {
        0 => SymbolPoints::Equality { equal: 2, different: -1 },
        // Also negative points of equal symbols, and positive points of different ones.
        1 => SymbolPoints::Equality { equal: rng.i32(-number..=number), different: rng.i32(-number..=number) },
        _ => {
            let size = [1, 2, 4, 5, 16, 24, 33, 70][rng.usize(..8)];
            let classes = (0..alphabet).map(|_| rng.u8(..size)).collect();
            let size = usize::from(size);
            // Tables need not be symmetrical.
            let points = (0..size * size).map(|_| rng.i32(-number..=number)).collect();
            SymbolPoints::Table { classes, size, points }
        }
    };
    AlignmentModel { points, symbol_match: SymbolMatch::Equal, gap, mode, free_ends }
}

fn check_case(seed: u64, m: usize, n: usize) {
    let alphabet = [1, 2, 4, 20, 256, 1000][seed as usize / 3 % 6];
    let letters: Vec<u32> = (0..alphabet).collect();
    let a = random(&letters, m, seed);
    let b = if seed % 5 < 2 && m > 0 { mutated(&a, &letters, 0.2, seed) } else { random(&letters, n, seed + 1) };
    check(&a, &b, &model(seed, alphabet));
}

#[test]
fn scores_and_ranges_agree_with_the_oracle() {
    for seed in 0..2_000 {
        let len = |at: u64| [0, 1, 2, 3, 7, 8, 9, 15, 17, 31, 33, 63, 65, 70][(seed / 7 + at * 5) as usize % 14];
        check_case(seed, len(0), len(seed % 11));
    }
}

/// Sets of bases match if they overlap.
#[test]
fn points_of_sets_agree_with_the_oracle() {
    let sets: Vec<u32> = (1..16).collect();
    for seed in 0..300 {
        let mut model = model(seed, 16);
        let mut rng = fastrand::Rng::with_seed(seed);
        let [equal, different] = [[1, -1], [0, -3], [2, 2], [-1, 3], [5, -100]][rng.usize(..5)];
        let points = (0..256u32).map(|at| if (at / 16) & (at % 16) != 0 { equal } else { different }).collect();
        model.points = SymbolPoints::Table { classes: (0..16).collect(), size: 16, points };
        model.symbol_match = SymbolMatch::Overlap;
        // A few sets take fewer selections than many.
        let letters = if seed % 2 == 0 { &sets[..] } else { &[1, 2, 4, 8, 5, 15] };
        let a = random(letters, rng.usize(..90), seed);
        let b = if seed % 3 == 0 { mutated(&a, letters, 0.2, seed) } else { random(letters, rng.usize(..90), seed + 1) };
        check(&a, &b, &model);
    }
}

#[test]
fn borders_of_lanes_and_tiles_change_no_score() {
    for (seed, (m, n)) in (0..).zip([(63, 64), (65, 127), (128, 128), (129, 130), (1, 700), (700, 2), (255, 500), (513, 380), (1_030, 260)])
    {
        for kind in 0..12 {
            check_case(seed + 9 * kind, m, n);
        }
    }
}

/// Matrices of many tiles, whose edges are kept, and whose best cells are located in smaller tiles.
#[test]
fn edges_of_tiles_change_no_score() {
    for seed in 0..9 {
        let letters = [&[0, 1, 2, 3][..], &[5, 6], &[7]][seed as usize / 3];
        let a = random(letters, 900 + 100 * seed as usize, seed);
        let mut b = mutated(&a, letters, 0.1, seed + 9);
        b.splice(400..400, random(letters, 150 * (seed as usize % 3), seed));
        let points = SymbolPoints::Equality { equal: 2, different: -3 };
        let mode = [AlignmentMode::Global, AlignmentMode::Local, AlignmentMode::SemiGlobal][seed as usize % 3];
        let gap = GapCosts { open: [5, 0, 50][seed as usize / 3], extend: 1 };
        check(&a, &b, &AlignmentModel { points, symbol_match: SymbolMatch::Equal, gap, mode, free_ends: FreeEnds::OVERLAP });
    }
}

/// A corridor must contain the optimal alignment, and skipped tiles must not change its score.
#[test]
fn corridors_change_no_score() {
    let run = Run::new(&NoObserver);
    for seed in 0..12 {
        let a = random(b"ACGT", 2_300 + 300 * seed as usize, seed);
        let mut b = mutated(&a, b"ACGT", 0.02, seed + 9);
        b.splice(700..700, random(b"ACGT", 150 * (seed as usize % 3), seed));
        let points = SymbolPoints::Equality { equal: [2, 1, 0][seed as usize % 3], different: -1 };
        let gap = GapCosts { open: [4, 0, 1][seed as usize / 3 % 3], extend: 1 };
        let mode = if seed % 2 == 0 { AlignmentMode::Global } else { AlignmentMode::SemiGlobal };
        let model = AlignmentModel { points, symbol_match: SymbolMatch::Equal, gap, mode, free_ends: FreeEnds::FIT };
        let free = FreeEdges { rows: false, columns: mode == AlignmentMode::SemiGlobal };
        let expected = differences::Matrix::<i16>::new(&a, &b, &model, Direction::Forwards).best_end(free, free, 1, &run).unwrap().score;
        for threads in [1, 3] {
            let best = solve(&a, &b, &model, PairOutput::Alignment, &Cpu { threads }, &run).unwrap();
            let wide = |text: &[u8], range: &Range<u64>| -> Vec<u32> {
                text[range.start as usize..range.end as usize].iter().map(|symbol| u32::from(*symbol)).collect()
            };
            let (x, y) = (wide(&a, &best.a), wide(&b, &best.b));
            let alignment = best.alignment.unwrap();
            assert_eq!((best.score, alignment.check(&x, &y)), (expected, Ok(())), "{seed}");
            assert_eq!(score(&alignment, &x, &y, &model), expected, "{seed}");
            let only = solve(&a, &b, &model, PairOutput::Distance, &Cpu { threads }, &run).unwrap();
            assert_eq!((only.score, only.a, only.b), (expected, best.a, best.b), "{seed}");
        }
    }
}

/// The start of a local alignment may lie outside of a square window, if gaps of any length cost the same.
#[test]
fn starts_beyond_long_gaps_are_found() {
    let [x, y] = [random(&[0, 1, 2, 3], 90, 1), random(&[0, 1, 2, 3], 90, 2)];
    let a = [&x[..], &vec![9; 700], &y].concat();
    let b = [&x[..], &y].concat();
    for (open, extend) in [(30, 0), (0, 0), (1, 0)] {
        let points = SymbolPoints::Equality { equal: 1, different: -4 };
        let model = AlignmentModel {
            points,
            symbol_match: SymbolMatch::Equal,
            gap: GapCosts { open, extend },
            mode: AlignmentMode::Local,
            free_ends: FreeEnds::NONE,
        };
        check(&a, &b, &model);
        check(&b, &a, &model);
    }
}

/// In a window, the first start has more symbols of `b` than one beyond the window.
#[test]
fn starts_beyond_a_window_are_preferred() {
    let letters = [0, 1, 2, 3];
    let [p, j, q] = [random(&letters, 50, 3), random(&letters, 20, 4), random(&letters, 20, 5)];
    let a = [&j[..], &vec![9; 700], &q, &p].concat();
    let b = [&q[..], &j, &p].concat();
    let points = SymbolPoints::Equality { equal: 1, different: -4 };
    let gap = GapCosts { open: 5, extend: 0 };
    check(&a, &b, &AlignmentModel { points, symbol_match: SymbolMatch::Equal, gap, mode: AlignmentMode::Local, free_ends: FreeEnds::NONE });
}

/// The largest points and costs, for which 16 bits hold the values of small tiles only.
#[test]
fn extreme_points_do_not_overflow() {
    let run = Run::new(&NoObserver);
    let a = vec![1u8; 9_000];
    let b = vec![2u8; 7_000];
    let most = Scoring::MAX as i32;
    for (equal, different) in [(most, -most), (most, most), (-most, -most)] {
        let gap = GapCosts { open: Scoring::MAX, extend: Scoring::MAX };
        let points = SymbolPoints::Equality { equal, different };
        for mode in [AlignmentMode::Global, AlignmentMode::Local] {
            let model = AlignmentModel { points: points.clone(), symbol_match: SymbolMatch::Equal, gap, mode, free_ends: FreeEnds::NONE };
            let score = |a: &[u8], b: &[u8]| solve(a, b, &model, PairOutput::Distance, &Cpu { threads: 2 }, &run).unwrap().score;
            let pairs = |points: i32| if mode == AlignmentMode::Local { points.max(0) } else { points };
            assert_eq!(score(&a, &a), 9_000 * i64::from(pairs(equal)), "{model:?}");
            let gaps = if mode == AlignmentMode::Local { 0 } else { gap.of(2_000) as i64 };
            assert_eq!(score(&a, &b), 7_000 * i64::from(pairs(different)) - gaps, "{model:?}");
        }
    }
}

/// Solves `a` and `b` on a GPU in all ways, and compares the results with those of the oracle, or of the processor.
#[cfg(not(target_family = "wasm"))]
fn check_on_device(gpu: &crate::gpu::Gpu, a: &[u32], b: &[u32], model: &AlignmentModel) {
    let AlignmentModel { points, gap, mode, free_ends, .. } = model;
    let (run, cpu) = (Run::new(&NoObserver), Cpu { threads: 2 });
    let expected = if a.len() * b.len() < 1 << 22 {
        let scoring = Scoring { mode: *mode, free_ends: *free_ends, gap: *gap, ..Scoring::default() };
        align(a, b, &|x, y| points.of(x, y).into(), &scoring)
    } else {
        let best = solve(a, b, model, PairOutput::Distance, &cpu, &run).unwrap();
        AlignedPieces { score: best.score, a: best.a, b: best.b, alignment: Alignment::default() }
    };
    let device = DevicePasses::for_all(gpu);
    check_answers(|want| solve_on(device, [a, b], model, want, &cpu, &run).unwrap(), [a, b], model, 2, &expected);
    if a.iter().chain(b).all(|symbol| *symbol < 256) {
        let [x, y] = [a, b].map(|text| text.iter().map(|symbol| *symbol as u8).collect::<Vec<u8>>());
        check_answers(|want| solve_on(device, [&x[..], &y], model, want, &cpu, &run).unwrap(), [a, b], model, 2, &expected);
    }
}

#[cfg(not(target_family = "wasm"))]
fn check_case_on_device(gpu: &crate::gpu::Gpu, seed: u64, m: usize, n: usize) {
    let alphabet = [1, 2, 4, 20, 256, 1000][seed as usize / 3 % 6];
    let letters: Vec<u32> = (0..alphabet).collect();
    let a = random(&letters, m, seed);
    let b = if seed % 5 < 2 && m > 0 { mutated(&a, &letters, 0.2, seed) } else { random(&letters, n, seed + 1) };
    check_on_device(gpu, &a, &b, &model(seed, alphabet));
}

#[test]
#[cfg(not(target_family = "wasm"))]
fn gpu_agrees_with_the_oracle() {
    let Some(gpu) = crate::gpu::testing::gpu() else { return };
    for seed in 0..600 {
        let len = |at: u64| [1, 2, 31, 32, 33, 63, 64, 65, 100, 129, 255, 257][(seed / 7 + at * 5) as usize % 12];
        check_case_on_device(&gpu, seed, len(0), len(seed % 11));
    }
    for (seed, (m, n)) in (0..).zip([(513, 1_100), (1_024, 1_025), (2_049, 500), (300, 2_100), (1_023, 97), (1, 2_000), (2_000, 1)]) {
        for kind in 0..18 {
            check_case_on_device(&gpu, seed + 18 * kind, m, n);
        }
    }
}

/// The limits of points and costs below which the values of two cells share a register, and those above.
#[test]
#[cfg(not(target_family = "wasm"))]
fn gpu_agrees_with_the_oracle_at_the_limits_of_half_registers() {
    let Some(gpu) = crate::gpu::testing::gpu() else { return };
    let letters: Vec<u32> = (0..4).collect();
    let a = random(&letters, 1_500, 5);
    let b = [mutated(&a, &letters, 0.3, 6), random(&letters, 700, 7)].concat();
    for (equal, different) in [(63, -64), (64, -64), (63, -65)] {
        for (open, extend) in [(250, 0), (240, 10), (0, 250), (241, 10)] {
            let points = SymbolPoints::Equality { equal, different };
            let gap = GapCosts { open, extend };
            let model =
                AlignmentModel { points, symbol_match: SymbolMatch::Equal, gap, mode: AlignmentMode::Local, free_ends: FreeEnds::NONE };
            check_on_device(&gpu, &a, &b, &model);
            check_on_device(&gpu, &b, &a, &model);
        }
    }
}

/// Matrices of many bands, whose edges are kept in many tiles.
#[test]
#[cfg(not(target_family = "wasm"))]
fn gpu_agrees_with_the_processor_on_long_texts() {
    let Some(gpu) = crate::gpu::testing::gpu() else { return };
    for (seed, (m, n)) in (0..).zip([(20_000, 30_011), (70_000, 9_000), (9_000, 70_000)]) {
        for kind in 0..12 {
            check_case_on_device(&gpu, seed + 4 * kind, m, n);
        }
    }
}

/// Prints the time of a score and of an alignment by length, mode and points.
#[test]
#[cfg(not(target_family = "wasm"))]
#[ignore = "a measurement"]
#[expect(clippy::print_stderr, reason = "a measurement says what it has measured")]
fn speed_on_a_gpu() {
    let Some(gpu) = crate::gpu::testing::gpu() else { return };
    let (run, cpu) = (Run::new(&NoObserver), Cpu { threads: 16 });
    let equality = SymbolPoints::Equality { equal: 2, different: -1 };
    let letters: Vec<u8> = (0..4).collect();
    for len in [1 << 16, 1 << 18, 1 << 20, 1 << 21] {
        let a = random(&letters, len, 1);
        let mut b = mutated(&a, &letters, 0.1, 2);
        b.truncate(len - 5);
        for (mode, open) in
            [(AlignmentMode::Global, 0), (AlignmentMode::Global, 3), (AlignmentMode::SemiGlobal, 3), (AlignmentMode::Local, 3)]
        {
            let model = AlignmentModel {
                points: equality.clone(),
                symbol_match: SymbolMatch::Equal,
                gap: GapCosts { open, extend: 1 },
                mode,
                free_ends: FreeEnds::FIT,
            };
            for want in [PairOutput::Distance, PairOutput::Alignment] {
                let ms = (0..3).map(|_| {
                    let start = std::time::Instant::now();
                    solve_on(DevicePasses::new(&gpu), [&a[..], &b], &model, want, &cpu, &run).unwrap();
                    start.elapsed().as_secs_f64() * 1e3
                });
                let ms = ms.fold(f64::MAX, f64::min);
                let rate = a.len() as f64 * b.len() as f64 / ms / 1e9;
                eprintln!("{len} {mode:?}, open {open}, {want:?}: {ms:.2} ms, {rate:.2} T cells/s");
            }
        }
    }
}
