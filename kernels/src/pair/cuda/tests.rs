//! What only shows from inside: every variant against the CPU, corridors, the ring of border rows, chains of points, and cutting a
//! pair that does not fit.

use super::shape::{Corridor, Plan, Shape};
use super::*;
use crate::oracle::{mutated, random};
use crate::run::Silent;
use crate::task::edit_distance::cuda::Levenshtein;
use crate::task::lcs::cuda::Subsequence;

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn gpu() -> Option<Gpu> {
    Gpu::open(0, None).inspect_err(|error| eprintln!("skipped: no CUDA device ({error})")).ok()
}

const NO_ENDS: Ends = Ends { prefix: 0, suffix: 0 };

fn machine_of(multiprocessors: u32) -> Machine {
    Machine { multiprocessors, bytes: 1 << 34 }
}

/// Numbers below `alphabet`: a text of `rows`, and an edited one cut or filled up to `columns`.
fn texts(rows: usize, columns: usize, alphabet: u32) -> [Vec<u32>; 2] {
    let letters: Vec<u32> = (0..alphabet).collect();
    let a = random(&letters, rows, 1);
    let mut b = mutated(&a, &letters, 0.2, 2);
    b.extend(random(&letters, columns, 3));
    b.truncate(columns);
    [a, b]
}

fn cost_of<R: Rule>(a: &[u32], b: &[u32]) -> i64 {
    R::solve(a, b, alphabet(a, b), Want::Distance, &Run::new(&Silent)).unwrap().0
}

/// Sweeps in this shape; checks the cost, and with all border rows kept that their points lie on an optimal path.
#[track_caller]
fn check_sweep<R: Rule>(gpu: &Gpu, [a, b]: [&[u32]; 2], shape: &Shape, keeps: bool) {
    let run = Run::new(&Silent);
    let mut grid = Grid::new(gpu, &run, R::FORM, a, b).unwrap();
    grid.sweep(0..a.len() as u64, 0..b.len() as u64, shape).unwrap();
    let expected = cost_of::<R>(a, b);
    let front = |text: &[u32]| text[..text.len().min(40)].to_vec();
    let what = format!("{shape:?}, {} by {}, {:?} by {:?}", a.len(), b.len(), front(a), front(b));
    assert_eq!(grid.middle().unwrap().cost, expected, "{what}");
    if keeps && shape.bands > 1 {
        let links = path_points::links(&mut grid).unwrap();
        // With a record that is too small for some bands, these are the host's.
        for bytes in [1 << 33, 2 * shape.record_bytes(40)] {
            let parts = trace::parts(&mut grid, &links, bytes).unwrap();
            assert_eq!(parts.len(), shape.bands as usize, "{what}");
            let texts = Texts { rows: a, columns: b, alphabet: alphabet(a, b), swapped: false, ends: NO_ENDS };
            let (cost, alignment) = pieces::align::<R, u32>(texts, &parts, &run).unwrap_or_else(|halt| panic!("{halt:?}: {what}"));
            assert_eq!((cost, alignment.check(a, b)), (expected, Ok(())), "{what}");
        }
    }
}

fn alphabet(a: &[u32], b: &[u32]) -> u32 {
    a.iter().chain(b).max().map_or(1, |most| most + 1)
}

fn check_every_variant<R: Rule>(gpu: &Gpu) {
    for layout in (R::FORM.layouts)() {
        let height = shape::height(layout) as usize;
        let least = if layout.planes > 1 { (1u32 << (layout.planes - 1)) + 1 } else { 1 };
        for (bands, alphabet) in [(2, least), (5, 1 << layout.planes.min(12))] {
            let rows = bands * height + 37 * layout.words as usize + bands;
            for columns in [700 + bands, rows - 5] {
                if rows * columns > 1 << 31 {
                    continue;
                }
                let [a, b] = texts(rows, columns, alphabet);
                let size = Size { rows: rows as u64, columns: columns as u64 };
                let distance = R::FORM.distance(cost_of::<R>(&a, &b), size);
                for (corridor, keeps) in [(Corridor::Whole, false), (Corridor::Whole, true), (Corridor::proving(distance, size), true)] {
                    let shape = Shape::new(&R::FORM, layout, Plan { size, corridor, keeps }, machine_of(132));
                    check_sweep::<R>(gpu, [&a, &b], &shape, keeps);
                }
            }
        }
    }
}

#[test]
fn every_variant_of_edit_distance() {
    let Some(gpu) = gpu() else { return };
    check_every_variant::<Levenshtein>(&gpu);
}

#[test]
fn every_variant_of_subsequences() {
    let Some(gpu) = gpu() else { return };
    check_every_variant::<Subsequence>(&gpu);
}

fn check_borders<R: Rule>(gpu: &Gpu) {
    let layout = (R::FORM.layouts)()[0];
    let height = shape::height(layout) as usize;
    for rows in [1, 31, 32, 33, height - 1, height, height + 1, 2 * height - 1, 2 * height, 4 * height + 1] {
        for columns in [1, 31, 32, 33, 64, 1024, 1025] {
            let [a, b] = texts(rows, columns, 2);
            let size = Size { rows: rows as u64, columns: columns as u64 };
            for corridor in [Corridor::Whole, Corridor::proving(R::FORM.distance(cost_of::<R>(&a, &b), size), size)] {
                let shape = Shape::new(&R::FORM, layout, Plan { size, corridor, keeps: true }, machine_of(132));
                check_sweep::<R>(gpu, [&a, &b], &shape, true);
            }
        }
    }
}

#[test]
fn band_and_word_borders_are_exact() {
    let Some(gpu) = gpu() else { return };
    check_borders::<Levenshtein>(&gpu);
    check_borders::<Subsequence>(&gpu);
}

fn check_ring<R: Rule>(gpu: &Gpu) {
    let layout = (R::FORM.layouts)()[0];
    let [a, b] = texts(60 * shape::height(layout) as usize - 17, 3000, 2);
    let size = Size { rows: a.len() as u64, columns: b.len() as u64 };
    for multiprocessors in [1, 2] {
        let shape = Shape::new(&R::FORM, layout, Plan { size, corridor: Corridor::Whole, keeps: false }, machine_of(multiprocessors));
        assert!(shape.slots < shape.passes()[0], "{shape:?}");
        check_sweep::<R>(gpu, [&a, &b], &shape, false);
    }
}

#[test]
fn border_rows_in_a_ring_are_never_read_late() {
    let Some(gpu) = gpu() else { return };
    check_ring::<Levenshtein>(&gpu);
    check_ring::<Subsequence>(&gpu);
}

/// Sweeps while brief jobs come and go, on few multiprocessors so that it takes long enough. Returns how often it has left.
fn check_giving_way<R: Rule>(gpu: &Gpu, layout: Layout, keeps: bool) -> u32 {
    let rows = 5 * shape::height(layout) as usize * 7 + 11;
    let [a, b] = texts(rows, 30_000_000_000 / rows / if layout.words > 4 { 1 } else { 4 }, 1 << layout.planes.min(8));
    let size = Size { rows: a.len() as u64, columns: b.len() as u64 };
    let shape = Shape::new(&R::FORM, layout, Plan { size, corridor: Corridor::Whole, keeps }, machine_of(2));
    let run = Run::new(&Silent);
    let mut grid = Grid::new(gpu, &run, R::FORM, &a, &b).unwrap();
    grid.session.give_way();
    let (swept, left) = gpu.disturbed(|| grid.sweep(0..size.rows, 0..size.columns, &shape));
    swept.unwrap();
    assert_eq!(grid.middle().unwrap().cost, cost_of::<R>(&a, &b), "{shape:?}");
    left
}

#[test]
fn a_sweep_that_gives_way_goes_on_where_it_was() {
    let Some(gpu) = gpu() else { return };
    let mut left = 0;
    for layout in Levenshtein::FORM.fitting(2).chain(Levenshtein::FORM.fitting(8)) {
        left += check_giving_way::<Levenshtein>(&gpu, layout, layout.words > 2);
    }
    for layout in Subsequence::FORM.fitting(2).chain(Subsequence::FORM.fitting(8)) {
        left += check_giving_way::<Subsequence>(&gpu, layout, layout.words > 8);
    }
    assert!(left > 20, "it has left the device {left} times");
}

fn check_limited<R: Rule>(gpu: &Gpu) {
    let [a, b] = texts(400_000, 20_000, 4);
    let texts = Texts { rows: &a, columns: &b, alphabet: 4, swapped: false, ends: NO_ENDS };
    let expected = cost_of::<R>(&a, &b);
    let run = Run::new(&Silent);
    let size = Size { rows: a.len() as u64, columns: b.len() as u64 };
    let bytes = |keeps| {
        let plan = Plan { size, corridor: Corridor::Whole, keeps };
        R::FORM.fitting(2).map(|layout| Shape::new(&R::FORM, layout, plan, machine_of(1)).bytes()).min().unwrap()
    };
    let [least, kept] = [false, true].map(bytes);
    assert!(least < kept);
    for bytes in [1 << 34, kept, kept - 1, least] {
        let (cost, alignment) = middle::<R, u32>(gpu, texts, Machine { multiprocessors: 1, bytes }, Want::Alignment, &run).unwrap();
        let alignment = alignment.unwrap();
        assert_eq!(alignment.check(&a, &b), Ok(()), "in {bytes}");
        assert_eq!((cost, R::FORM.distance(cost, size)), (expected, alignment.summary().distance()), "in {bytes}");
    }
    let halt = middle::<R, u32>(gpu, texts, Machine { multiprocessors: 1, bytes: 1000 }, Want::Alignment, &run).unwrap_err();
    assert!(matches!(halt, Halt::Failed(Failure::TooLarge { limit: 1000, .. })), "{halt:?}");
}

#[test]
fn a_pair_that_does_not_fit_is_cut_first() {
    let Some(gpu) = gpu() else { return };
    check_limited::<Levenshtein>(&gpu);
    check_limited::<Subsequence>(&gpu);
}

/// The sample at the front says that the texts are equal, and the rest is not; and the other way round.
#[test]
fn a_corridor_that_is_too_narrow_is_widened() {
    let Some(gpu) = gpu() else { return };
    let letters = [0u32, 1, 2, 3];
    let front = random(&letters, 5000, 1);
    let [c, d] = [random(&letters, 60_000, 2), random(&letters, 52_000, 3)];
    let moved = [&c[30_000..], &c[..30_000]].concat();
    for (x, y) in [(&c, &d), (&c, &moved), (&c, &mutated(&c, &letters, 0.02, 4))] {
        for (a, b) in [([&front, &x[..]].concat(), [&front, &y[..]].concat()), ([x, &front[..]].concat(), [y, &front[..]].concat())] {
            for want in [Want::Distance, Want::Alignment] {
                let solved = |(cost, alignment): (i64, Option<Alignment>)| {
                    alignment.iter().for_each(|alignment| assert_eq!(alignment.check(&a, &b), Ok(())));
                    cost
                };
                let run = Run::new(&Silent);
                let distance = solved(solve::<Levenshtein, u32>(&gpu, [&a, &b], 4, want, &run).unwrap());
                assert_eq!(distance, cost_of::<Levenshtein>(&a, &b));
                let length = solved(solve::<Subsequence, u32>(&gpu, [&a, &b], 4, want, &run).unwrap());
                assert_eq!(length, cost_of::<Subsequence>(&a, &b));
            }
        }
    }
}

mod shapes {
    use super::*;

    const H200: Machine = Machine { multiprocessors: 132, bytes: 140 << 30 };

    fn plan(rows: u64, columns: u64) -> Plan {
        Plan { size: Size { rows, columns }, corridor: Corridor::Whole, keeps: false }
    }

    #[test]
    fn bands_cover_the_rows_and_both_sides_are_padded_alike() {
        for rows in [1u64, 31, 1024, 1025, 16384, 16385, 1 << 20, (1 << 24) + 1] {
            let shape = Shape::choose(&Levenshtein::FORM, 2, plan(rows, 1000), H200).unwrap();
            assert_eq!(u64::from(shape.bands) * shape.height(), shape.rows);
            assert_eq!(shape.columns - 1000, shape.rows - rows);
            assert!(shape.rows - rows < shape.height());
            assert!(shape.warps <= shape.layout.warps && shape.blocks <= 132 && shape.slots <= shape.bands);
        }
    }

    #[test]
    fn bands_of_a_corridor_hold_its_diagonals_in_both_directions() {
        for form in [&Levenshtein::FORM, &Subsequence::FORM] {
            for (rows, columns) in [(70_000u64, 69_000u64), (69_000, 70_000), (100_000, 100)] {
                let size = Size { rows, columns };
                let plan = Plan { size, corridor: Corridor::Of(500), keeps: true };
                let shape = Shape::new(form, form.fitting(2).next().unwrap(), plan, H200);
                let shift = columns as i64 - rows as i64;
                let inside = |i: u64, j: i64| {
                    shape.covered((i / shape.height()) as u32).0 as i64 * 32 <= j
                        && j <= shape.covered((i / shape.height()) as u32).1 as i64 * 32
                };
                for i in (0..rows).step_by(97) {
                    for diagonal in [shift.min(0) - 500, shift.max(0) + 500] {
                        let j = (i as i64 + diagonal).clamp(0, columns as i64);
                        assert!(inside(i, j), "{i}, {j} of {shape:?}");
                        let from_end = shape.columns as i64 - j;
                        assert!(inside(shape.rows - 1 - i, from_end), "{i}, {j} of {shape:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn long_pairs_take_many_words_and_short_ones_few() {
        let layout = |planes, length| {
            let layout = Shape::choose(&Levenshtein::FORM, planes, plan(length, length), H200).unwrap().layout;
            (layout.kernel.name, layout.words)
        };
        let (skewed, carried) = ("edit-distance", "edit-distance-carried");
        assert_eq!([14, 20, 24].map(|log| layout(2, 1 << log)), [(carried, 1), (carried, 2), (skewed, 16)]);
        // Many planes are dear for rows that are skewed.
        assert_eq!([14, 20, 24].map(|log| layout(8, 1 << log).0), [carried; 3]);
    }

    #[test]
    fn each_kernel_offers_its_variants_with_the_fewest_planes() {
        let planes = |wanted| {
            let mut planes: Vec<_> = Levenshtein::FORM.fitting(wanted).map(|layout| (layout.kernel.name, layout.planes)).collect();
            planes.dedup();
            planes
        };
        assert_eq!(planes(3), [("edit-distance", 3), ("edit-distance-carried", 4)]);
        assert_eq!(planes(9), [("edit-distance", 12), ("edit-distance-carried", 12)]);
        assert_eq!(planes(24), [("edit-distance", 24), ("edit-distance-carried", 24)]);
    }

    #[test]
    fn little_memory_takes_more_words_or_is_refused() {
        let choose =
            |bytes| Shape::choose(&Levenshtein::FORM, 2, Plan { keeps: true, ..plan(1 << 20, 1 << 20) }, Machine { bytes, ..H200 });
        let fastest = choose(u64::MAX).unwrap();
        let smaller = choose(fastest.bytes() - 1).unwrap();
        assert!(smaller.layout.words > fastest.layout.words);
        let least = choose(0).unwrap_err();
        assert_eq!(choose(least).unwrap().layout.words, 16);
        assert_eq!(choose(least - 1), Err(least));
    }

    #[test]
    fn similar_pairs_are_swept_in_a_corridor() {
        let size = Size { rows: 1 << 24, columns: 1 << 24 };
        let clocks = |corridor| Shape::choose(&Levenshtein::FORM, 2, Plan { size, corridor, keeps: true }, H200).unwrap().clocks(H200);
        assert!(clocks(Corridor::Of(1 << 19)) < 0.3 * clocks(Corridor::Whole));
    }

    #[test]
    fn corridors_prove_what_cannot_leave_them() {
        let size = Size { rows: 100, columns: 90 };
        for distance in 10..80 {
            let corridor = Corridor::proving(distance, size);
            assert!(corridor.proves(distance, size));
            if let Corridor::Of(beside @ 1..) = corridor {
                assert!(!Corridor::Of(beside - 1).proves(distance, size), "{distance}");
            }
        }
    }

    #[test]
    fn planes_tell_symbols_apart() {
        assert_eq!([0, 1, 2, 3, 4, 5, 16, 17, 255, 256, 257].map(planes), [1, 1, 1, 2, 2, 3, 4, 5, 8, 8, 9]);
    }
}
