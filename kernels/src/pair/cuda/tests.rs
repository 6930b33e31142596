//! Tests of internals: every variant against the CPU, corridors, the ring of border rows, chains of points, and pairs
//! that are cut because they do not fit.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

use super::shape::{DiagonalCorridor, SweepShape, SweepSpec};
use super::single_band::BandStep;
use super::*;
use crate::event::RunSignal;
use crate::gpu::session::GpuSession;
use crate::gpu::testing::{SHARED_BYTES, TestGpu, gpu, gpu_alone, gpu_with_shared};
use crate::oracle::{mutated, random};
use crate::run::{NoObserver, Observer};
use crate::task::edit_distance::cuda::DeviceEditDistance;
use crate::task::lcs::cuda::DeviceLcs;

const NO_ENDS: CommonAffix = CommonAffix { prefix: 0, suffix: 0 };

fn device_of(multiprocessors: u32) -> DeviceLimits {
    DeviceLimits { multiprocessors, shared_bytes: 227 << 10, bytes: 1 << 34 }
}

/// Generates two texts of numbers below `alphabet`: one of `rows` symbols, and an edited copy that is cut or extended
/// to `columns`.
fn texts(rows: usize, columns: usize, alphabet: u32) -> [Vec<u32>; 2] {
    let letters: Vec<u32> = (0..alphabet).collect();
    let a = random(&letters, rows, 1);
    let mut b = mutated(&a, &letters, 0.2, 2);
    b.extend(random(&letters, columns, 3));
    b.truncate(columns);
    [a, b]
}

fn cost_of<R: DeviceRecurrence>(a: &[u32], b: &[u32]) -> i64 {
    R::solve(a, b, alphabet(a, b), PairOutput::Distance, &Run::new(&NoObserver)).unwrap().0
}

/// Sweeps in `shape` and checks the cost. With `keeps`, also checks that the points lie on an optimal path.
#[track_caller]
fn check_sweep<R: DeviceRecurrence>(gpu: &Gpu, [a, b]: [&[u32]; 2], shape: &SweepShape, keeps: bool) {
    let run = Run::new(&NoObserver);
    let mut grid = DeviceGrid::new(gpu, &run, R::KERNEL_SPEC, a, b).unwrap();
    grid.sweep(0..a.len() as u64, 0..b.len() as u64, shape).unwrap();
    let expected = cost_of::<R>(a, b);
    let front = |text: &[u32]| text[..text.len().min(40)].to_vec();
    let what = format!("{shape:?}, {} by {}, {:?} by {:?}", a.len(), b.len(), front(a), front(b));
    assert_eq!(grid.middle().unwrap().cost, expected, "{what}");
    if keeps && shape.bands > 1 {
        let links = path_points::links(&mut grid, 1 << 33).unwrap();
        // If the record is too small for some bands, the host aligns them.
        for bytes in [1 << 33, 2 * shape.step_bytes(40, true)] {
            let parts = trace::parts(&mut grid, &links, bytes).unwrap();
            assert_eq!(parts.len(), shape.bands as usize, "{what}");
            let texts = RowsAndColumns { rows: a, columns: b, alphabet: alphabet(a, b), swapped: false, ends: NO_ENDS };
            let (cost, alignment) = pieces::align::<R, u32>(texts, &parts, &run).unwrap_or_else(|halt| panic!("{halt:?}: {what}"));
            assert_eq!((cost, alignment.check(a, b)), (expected, Ok(())), "{what}");
        }
    }
}

fn alphabet(a: &[u32], b: &[u32]) -> u32 {
    a.iter().chain(b).max().map_or(1, |most| most + 1)
}

fn check_every_variant<R: DeviceRecurrence>(gpu: &Gpu) {
    for layout in (R::KERNEL_SPEC.layouts)() {
        let height = shape::height(layout) as usize;
        let least = if layout.planes > 1 { (1u32 << (layout.planes - 1)) + 1 } else { 1 };
        for (bands, alphabet) in [(2, least), (5, 1 << layout.planes.min(12))] {
            let rows = bands * height + 37 * layout.words as usize + bands;
            for columns in [700 + bands, rows - 5] {
                if rows * columns > 1 << 31 {
                    continue;
                }
                let [a, b] = texts(rows, columns, alphabet);
                let size = PairSize { rows: rows as u64, columns: columns as u64 };
                let distance = R::KERNEL_SPEC.distance(cost_of::<R>(&a, &b), size);
                for (corridor, keeps) in
                    [(DiagonalCorridor::Whole, false), (DiagonalCorridor::Whole, true), (DiagonalCorridor::proving(distance, size), true)]
                {
                    let shape = SweepShape::new(&R::KERNEL_SPEC, layout, SweepSpec { size, corridor, keeps }, device_of(132));
                    check_sweep::<R>(gpu, [&a, &b], &shape, keeps);
                }
            }
        }
    }
}

#[test]
fn every_variant_of_edit_distance_agrees_with_the_oracle() {
    let Some(gpu) = gpu() else { return };
    check_every_variant::<DeviceEditDistance>(&gpu);
}

#[test]
fn every_variant_of_lcs_agrees_with_the_oracle() {
    let Some(gpu) = gpu() else { return };
    check_every_variant::<DeviceLcs>(&gpu);
}

fn check_borders<R: DeviceRecurrence>(gpu: &Gpu) {
    let layout = (R::KERNEL_SPEC.layouts)()[0];
    let height = shape::height(layout) as usize;
    for rows in [1, 31, 32, 33, height - 1, height, height + 1, 2 * height - 1, 2 * height, 4 * height + 1] {
        for columns in [1, 31, 32, 33, 64, 1024, 1025] {
            let [a, b] = texts(rows, columns, 2);
            let size = PairSize { rows: rows as u64, columns: columns as u64 };
            for corridor in [DiagonalCorridor::Whole, DiagonalCorridor::proving(R::KERNEL_SPEC.distance(cost_of::<R>(&a, &b), size), size)]
            {
                let shape = SweepShape::new(&R::KERNEL_SPEC, layout, SweepSpec { size, corridor, keeps: true }, device_of(132));
                check_sweep::<R>(gpu, [&a, &b], &shape, true);
            }
        }
    }
}

#[test]
fn band_and_word_borders_are_exact() {
    let Some(gpu) = gpu() else { return };
    check_borders::<DeviceEditDistance>(&gpu);
    check_borders::<DeviceLcs>(&gpu);
}

fn check_ring<R: DeviceRecurrence>(gpu: &Gpu) {
    let layout = (R::KERNEL_SPEC.layouts)()[0];
    let [a, b] = texts(60 * shape::height(layout) as usize - 17, 3000, 2);
    let size = PairSize { rows: a.len() as u64, columns: b.len() as u64 };
    for multiprocessors in [1, 2] {
        let shape = SweepShape::new(
            &R::KERNEL_SPEC,
            layout,
            SweepSpec { size, corridor: DiagonalCorridor::Whole, keeps: false },
            device_of(multiprocessors),
        );
        assert!(shape.slots < shape.passes()[0], "{shape:?}");
        check_sweep::<R>(gpu, [&a, &b], &shape, false);
    }
}

#[test]
fn border_rows_in_a_ring_are_read_before_they_are_overwritten() {
    let Some(gpu) = gpu() else { return };
    check_ring::<DeviceEditDistance>(&gpu);
    check_ring::<DeviceLcs>(&gpu);
}

/// Sweeps while brief jobs come and go, on few multiprocessors so that the sweep takes long enough. Returns how often
/// it has yielded.
fn check_giving_way<R: DeviceRecurrence>(gpu: &Gpu, layout: KernelVariant, keeps: bool) -> u32 {
    let rows = 5 * shape::height(layout) as usize * 7 + 11;
    let [a, b] = texts(rows, 30_000_000_000 / rows / if layout.words > 4 { 1 } else { 4 }, 1 << layout.planes.min(8));
    let size = PairSize { rows: a.len() as u64, columns: b.len() as u64 };
    let shape = SweepShape::new(&R::KERNEL_SPEC, layout, SweepSpec { size, corridor: DiagonalCorridor::Whole, keeps }, device_of(2));
    let run = Run::new(&NoObserver);
    let mut grid = DeviceGrid::new(gpu, &run, R::KERNEL_SPEC, &a, &b).unwrap();
    grid.session.yield_to_brief_jobs();
    let (swept, left) = gpu.disturbed(|| grid.sweep(0..size.rows, 0..size.columns, &shape));
    swept.unwrap();
    assert_eq!(grid.middle().unwrap().cost, cost_of::<R>(&a, &b), "{shape:?}");
    left
}

#[test]
fn sweep_that_yields_resumes_at_the_same_cell() {
    let Some(gpu) = gpu() else { return };
    let mut left = 0;
    for layout in DeviceEditDistance::KERNEL_SPEC.fitting(2).chain(DeviceEditDistance::KERNEL_SPEC.fitting(8)) {
        left += check_giving_way::<DeviceEditDistance>(&gpu, layout, layout.words > 2);
    }
    for layout in DeviceLcs::KERNEL_SPEC.fitting(2).chain(DeviceLcs::KERNEL_SPEC.fitting(8)) {
        left += check_giving_way::<DeviceLcs>(&gpu, layout, layout.words > 8);
    }
    assert!(left > 20, "the sweep yielded only {left} times");
}

/// Tests layouts whose blocks share more memory than some GPUs have, with each limit. Few multiprocessors ensure that
/// every block is full.
fn check_shared<R: DeviceRecurrence>() {
    for shared_bytes in SHARED_BYTES {
        let Some(gpu) = gpu_with_shared(shared_bytes) else { return };
        for layout in (R::KERNEL_SPEC.layouts)().into_iter().filter(|layout| layout.warps * layout.shared > shared_bytes) {
            let rows = 20 * shape::height(layout) as usize - 5;
            let [a, b] = texts(rows, 2000, 1 << layout.planes.min(8));
            let size = PairSize { rows: a.len() as u64, columns: b.len() as u64 };
            for keeps in [false, true] {
                let device = DeviceLimits { multiprocessors: 1, bytes: 1 << 34, ..DeviceLimits::from_gpu(&gpu) };
                let shape = SweepShape::new(&R::KERNEL_SPEC, layout, SweepSpec { size, corridor: DiagonalCorridor::Whole, keeps }, device);
                assert!(shape.warps * layout.shared <= shared_bytes);
                check_sweep::<R>(&gpu, [&a, &b], &shape, keeps);
            }
        }
    }
}

#[test]
fn devices_with_less_shared_memory_give_the_same_result() {
    check_shared::<DeviceEditDistance>();
    check_shared::<DeviceLcs>();
}

/// One thread per window in the second dimension of the grid would exceed its limit.
#[test]
fn more_windows_than_the_grid_height_are_processed() {
    let Some(gpu) = gpu() else { return };
    let [a, b] = texts(5000, 40_000, 4);
    let layout = DeviceEditDistance::KERNEL_SPEC.fitting(2).next().unwrap();
    let spec = SweepSpec { size: PairSize { rows: 5000, columns: 40_000 }, corridor: DiagonalCorridor::Whole, keeps: false };
    let shape = SweepShape::new(&DeviceEditDistance::KERNEL_SPEC, layout, spec, device_of(132));
    let run = Run::new(&NoObserver);
    let grid = DeviceGrid::new(&gpu, &run, DeviceEditDistance::KERNEL_SPEC, &a, &b).unwrap();
    let packed = |starts: &[i64]| -> Vec<u32> {
        let planes = grid.session().allocate_uninit::<u32>(starts.len() * 3 * layout.text_words as usize).unwrap();
        grid.pack_windows(&shape, &[0..5000, 0..40_000], 0, starts, 3, grid.session().address(&planes)).unwrap();
        grid.session().download(&planes).unwrap()
    };
    let starts: Vec<i64> = (0..70_000).map(|number| number * 7919 % 39_000).collect();
    let (front, back) = starts.split_at(30_000);
    assert_eq!(packed(&starts), [packed(front), back.chunks(20_000).flat_map(packed).collect()].concat());
}

/// An observer that stops everything from the second tick on.
struct ImpatientObserver(AtomicU32);

impl Observer for ImpatientObserver {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        if self.0.fetch_add(1, Relaxed) > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A path that leans far makes a band cover most of the columns.
#[test]
fn sweep_of_a_single_band_can_be_stopped() {
    let Some(gpu) = gpu() else { return };
    let [a, b] = texts(3000, 32 << 20, 4);
    let size = PairSize { rows: 3000, columns: 32 << 20 };
    let layout = DeviceLcs::KERNEL_SPEC.fitting(2).next().unwrap();
    let shape = SweepShape::new(
        &DeviceLcs::KERNEL_SPEC,
        layout,
        SweepSpec { size, corridor: DiagonalCorridor::Whole, keeps: true },
        device_of(132),
    );
    let impatient = ImpatientObserver(AtomicU32::new(0));
    let (calm, run) = (Run::new(&NoObserver), Run::new(&impatient));
    let mut grid = DeviceGrid::new(&gpu, &calm, DeviceLcs::KERNEL_SPEC, &a, &b).unwrap();
    grid.sweep(0..size.rows, 0..size.columns, &shape).unwrap();
    let width = (size.columns / 32) as u32;
    let step = BandStep { pass: 0, band: 0, column: size.columns };
    let start = Instant::now();
    grid.sweep_single(&[step], width, None).unwrap();
    grid.session().synchronize().unwrap();
    let whole = start.elapsed();
    grid.listen_to(&run);
    let start = Instant::now();
    let halted = grid.sweep_single(&[step], width, None).unwrap_err();
    assert!(matches!(halted, DeviceWorkError::Halted(Halt::Stopped)), "{halted:?}");
    assert!(start.elapsed() < whole / 2, "{:?} of {whole:?}", start.elapsed());
}

fn check_limited<R: DeviceRecurrence>(gpu: &Gpu) {
    let [a, b] = texts(400_000, 20_000, 4);
    let texts = RowsAndColumns { rows: &a, columns: &b, alphabet: 4, swapped: false, ends: NO_ENDS };
    let expected = cost_of::<R>(&a, &b);
    let run = Run::new(&NoObserver);
    let size = PairSize { rows: a.len() as u64, columns: b.len() as u64 };
    let bytes = |keeps| {
        let spec = SweepSpec { size, corridor: DiagonalCorridor::Whole, keeps };
        R::KERNEL_SPEC.fitting(2).map(|layout| SweepShape::new(&R::KERNEL_SPEC, layout, spec, device_of(1)).bytes()).min().unwrap()
    };
    let [least, kept] = [false, true].map(bytes);
    assert!(least < kept);
    for bytes in [1 << 34, kept, kept - 1, least] {
        let (cost, alignment) =
            solve_middle::<R, u32>(gpu, texts, DeviceLimits { bytes, ..device_of(1) }, PairOutput::Alignment, &run).unwrap();
        let alignment = alignment.unwrap();
        assert_eq!(alignment.check(&a, &b), Ok(()), "in {bytes}");
        assert_eq!((cost, R::KERNEL_SPEC.distance(cost, size)), (expected, alignment.summary().distance()), "in {bytes}");
    }
    let halt = solve_middle::<R, u32>(gpu, texts, DeviceLimits { bytes: 1000, ..device_of(1) }, PairOutput::Alignment, &run).unwrap_err();
    assert!(matches!(halt, Halt::Failed(JobFailure::TooLarge { limit: 1000, .. })), "{halt:?}");
}

#[test]
fn pair_that_does_not_fit_is_divided_first() {
    let Some(gpu) = gpu() else { return };
    check_limited::<DeviceEditDistance>(&gpu);
    check_limited::<DeviceLcs>(&gpu);
}

/// Aligns a pair on a GPU with `bytes` bytes of memory, and returns the cost, checked against the alignment.
fn aligned_in<R: DeviceRecurrence>(gpu: &mut TestGpu, [a, b]: [&[u8]; 2], bytes: Option<u64>) -> i64 {
    if let Some(bytes) = bytes {
        gpu.leave_free_bytes(bytes);
    }
    let run = Run::new(&NoObserver);
    let solved = solve::<R, u8>(gpu, [a, b], 26, PairOutput::Alignment, &run);
    let (cost, alignment) = solved.unwrap_or_else(|halt| panic!("in {bytes:?} bytes: {halt:?}"));
    let alignment = alignment.unwrap();
    assert_eq!(alignment.check(a, b), Ok(()), "in {bytes:?} bytes");
    let summary = alignment.summary();
    let of_path = if R::KERNEL_SPEC.rises { summary.distance() as i64 } else { -(summary.matches as i64) };
    assert_eq!(of_path, cost, "in {bytes:?} bytes");
    cost
}

/// Aligns unrelated texts on GPUs of different memory. Some have room for all border rows of one layout but little for
/// the traceback, and some for none.
fn check_every_memory<R: DeviceRecurrence>() {
    let Some(mut gpu) = gpu_alone() else { return };
    let letters: Vec<u8> = (0..26).collect();
    let [a, b] = [3 << 20, 3 << 20].map(|len| random(&letters, len, 7)).map(|text| text.to_vec());
    let b: Vec<u8> = b.iter().map(|letter| (letter * 7 + 3) % 26).rev().collect();
    let expected = aligned_in::<R>(&mut gpu, [&a, &b], None);
    for megabytes in (300..1000).step_by(50).chain((1000..1900).step_by(300)) {
        assert_eq!(aligned_in::<R>(&mut gpu, [&a, &b], Some(megabytes << 20)), expected, "{megabytes} MiB");
    }
}

#[test]
fn lcs_is_the_same_for_every_memory_size() {
    check_every_memory::<DeviceLcs>();
}

#[test]
fn edit_distance_is_the_same_for_every_memory_size() {
    check_every_memory::<DeviceEditDistance>();
}

/// Cached texts of other jobs are evicted for a pair.
#[test]
fn cached_texts_are_evicted_for_a_pair() {
    let Some(mut gpu) = gpu_alone() else { return };
    let letters: Vec<u8> = (0..26).collect();
    let [a, b] = [1, 2].map(|seed| random(&letters, 2 << 20, seed));
    let expected = aligned_in::<DeviceLcs>(&mut gpu, [&a, &b], Some(1 << 30));
    let kept = random(&letters, 800 << 20, 3);
    GpuSession::new(&gpu, &Run::new(&NoObserver)).unwrap().text_address(&kept).unwrap();
    let before = gpu.free_bytes().unwrap();
    assert!(before < 250 << 20, "{before} bytes");
    assert_eq!(aligned_in::<DeviceLcs>(&mut gpu, [&a, &b], None), expected);
    assert!(gpu.free_bytes().unwrap() > 900 << 20, "cached texts were not evicted");
}

/// A job whose device is idle, during compilation or work on the processor, does not make other jobs yield.
#[test]
fn job_with_an_idle_device_does_not_make_others_yield() {
    let Some(gpu) = gpu() else { return };
    let run = Run::new(&NoObserver);
    let session = GpuSession::new(&gpu, &run).unwrap();
    assert_eq!(gpu.brief_jobs(), 1);
    assert_eq!(session.run_paused(|| gpu.brief_jobs()), 0);
    assert_eq!(gpu.brief_jobs(), 1);
    drop(session);
    assert_eq!(gpu.brief_jobs(), 0);
}

/// The sweep of another job yields to the many small steps of a large job's traceback, which would otherwise wait for
/// its end.
#[test]
fn large_job_counts_as_brief_between_its_sweeps() {
    let Some(gpu) = gpu() else { return };
    let run = Run::new(&NoObserver);
    let [a, b] = texts(3000, 40_000, 4);
    let size = PairSize { rows: 3000, columns: 40_000 };
    let layout = DeviceLcs::KERNEL_SPEC.fitting(2).next().unwrap();
    let shape = SweepShape::new(
        &DeviceLcs::KERNEL_SPEC,
        layout,
        SweepSpec { size, corridor: DiagonalCorridor::Whole, keeps: true },
        device_of(132),
    );
    let mut grid = DeviceGrid::new(&gpu, &run, DeviceLcs::KERNEL_SPEC, &a, &b).unwrap();
    grid.session.yield_to_brief_jobs();
    grid.sweep(0..size.rows, 0..size.columns, &shape).unwrap();
    assert_eq!(gpu.brief_jobs(), 0);
    for _ in 0..2 {
        grid.sweep_single(&[BandStep { pass: 0, band: 0, column: 2000 }], 50, None).unwrap();
        assert_eq!(gpu.brief_jobs(), 1);
    }
    grid.sweep(0..size.rows, 0..size.columns, &shape).unwrap();
    assert_eq!(gpu.brief_jobs(), 0);
    drop(grid);
    assert_eq!(gpu.brief_jobs(), 0);
}

/// Tests a sample that suggests equal texts although the rest differs, and the reverse.
#[test]
fn corridor_that_is_too_narrow_is_widened() {
    let Some(gpu) = gpu() else { return };
    let letters = [0u32, 1, 2, 3];
    let front = random(&letters, 5000, 1);
    let [c, d] = [random(&letters, 60_000, 2), random(&letters, 52_000, 3)];
    let moved = [&c[30_000..], &c[..30_000]].concat();
    for (x, y) in [(&c, &d), (&c, &moved), (&c, &mutated(&c, &letters, 0.02, 4))] {
        for (a, b) in [([&front, &x[..]].concat(), [&front, &y[..]].concat()), ([x, &front[..]].concat(), [y, &front[..]].concat())] {
            for want in [PairOutput::Distance, PairOutput::Alignment] {
                let solved = |(cost, alignment): (i64, Option<Alignment>)| {
                    alignment.iter().for_each(|alignment| assert_eq!(alignment.check(&a, &b), Ok(())));
                    cost
                };
                let run = Run::new(&NoObserver);
                let distance = solved(solve::<DeviceEditDistance, u32>(&gpu, [&a, &b], 4, want, &run).unwrap());
                assert_eq!(distance, cost_of::<DeviceEditDistance>(&a, &b));
                let length = solved(solve::<DeviceLcs, u32>(&gpu, [&a, &b], 4, want, &run).unwrap());
                assert_eq!(length, cost_of::<DeviceLcs>(&a, &b));
            }
        }
    }
}

mod shapes {
    use super::*;

    const H200: DeviceLimits = DeviceLimits { multiprocessors: 132, shared_bytes: 227 << 10, bytes: 140 << 30 };

    fn spec(rows: u64, columns: u64) -> SweepSpec {
        SweepSpec { size: PairSize { rows, columns }, corridor: DiagonalCorridor::Whole, keeps: false }
    }

    #[test]
    fn bands_cover_all_rows_and_both_texts_get_equal_padding() {
        for rows in [1u64, 31, 1024, 1025, 16384, 16385, 1 << 20, (1 << 24) + 1] {
            let shape = SweepShape::choose(&DeviceEditDistance::KERNEL_SPEC, 2, spec(rows, 1000), H200).unwrap();
            assert_eq!(u64::from(shape.bands) * shape.height(), shape.rows);
            assert_eq!(shape.columns - 1000, shape.rows - rows);
            assert!(shape.rows - rows < shape.height());
            assert!(shape.warps <= shape.layout.warps && shape.blocks <= 132 && shape.slots <= shape.bands);
        }
    }

    #[test]
    fn bands_of_a_corridor_contain_its_diagonals_in_both_directions() {
        for form in [&DeviceEditDistance::KERNEL_SPEC, &DeviceLcs::KERNEL_SPEC] {
            for (rows, columns) in [(70_000u64, 69_000u64), (69_000, 70_000), (100_000, 100)] {
                let size = PairSize { rows, columns };
                let spec = SweepSpec { size, corridor: DiagonalCorridor::Of(500), keeps: true };
                let shape = SweepShape::new(form, form.fitting(2).next().unwrap(), spec, H200);
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
    fn long_pairs_get_many_words_and_short_ones_few() {
        let layout = |planes, length| {
            let layout = SweepShape::choose(&DeviceEditDistance::KERNEL_SPEC, planes, spec(length, length), H200).unwrap().layout;
            (layout.kernel.name, layout.words)
        };
        let (skewed, carried) = ("edit-distance", "edit-distance-carried");
        assert_eq!([14, 20, 24].map(|log| layout(2, 1 << log)), [(carried, 1), (carried, 2), (skewed, 16)]);
        // Many planes are slow for skewed rows.
        assert_eq!([14, 20, 24].map(|log| layout(8, 1 << log).0), [carried; 3]);
    }

    #[test]
    fn each_kernel_offers_the_variants_with_the_fewest_planes() {
        let planes = |wanted| {
            let mut planes: Vec<_> =
                DeviceEditDistance::KERNEL_SPEC.fitting(wanted).map(|layout| (layout.kernel.name, layout.planes)).collect();
            planes.dedup();
            planes
        };
        assert_eq!(planes(3), [("edit-distance", 3), ("edit-distance-carried", 4)]);
        assert_eq!(planes(9), [("edit-distance", 12), ("edit-distance-carried", 12)]);
        assert_eq!(planes(24), [("edit-distance", 24), ("edit-distance-carried", 24)]);
    }

    #[test]
    fn little_memory_needs_more_words_or_is_refused() {
        let choose = |bytes| {
            SweepShape::choose(
                &DeviceEditDistance::KERNEL_SPEC,
                2,
                SweepSpec { keeps: true, ..spec(1 << 20, 1 << 20) },
                DeviceLimits { bytes, ..H200 },
            )
        };
        let fastest = choose(u64::MAX).unwrap();
        let smaller = choose(fastest.bytes() - 1).unwrap();
        assert!(smaller.layout.words > fastest.layout.words);
        let least = choose(0).unwrap_err();
        assert!(choose(least).unwrap().layout.words > smaller.layout.words);
        assert_eq!(choose(least - 1), Err(least));
    }

    #[test]
    fn similar_pairs_are_swept_in_a_corridor() {
        let size = PairSize { rows: 1 << 24, columns: 1 << 24 };
        let clocks = |corridor| {
            SweepShape::choose(&DeviceEditDistance::KERNEL_SPEC, 2, SweepSpec { size, corridor, keeps: true }, H200).unwrap().clocks(H200)
        };
        assert!(clocks(DiagonalCorridor::Of(1 << 19)) < 0.3 * clocks(DiagonalCorridor::Whole));
    }

    #[test]
    fn corridor_is_the_narrowest_that_proves_the_distance() {
        let size = PairSize { rows: 100, columns: 90 };
        for distance in 10..80 {
            let corridor = DiagonalCorridor::proving(distance, size);
            assert!(corridor.proves(distance, size));
            if let DiagonalCorridor::Of(beside @ 1..) = corridor {
                assert!(!DiagonalCorridor::Of(beside - 1).proves(distance, size), "{distance}");
            }
        }
    }

    #[test]
    fn no_block_exceeds_the_shared_memory_of_the_device() {
        for form in [&DeviceEditDistance::KERNEL_SPEC, &DeviceLcs::KERNEL_SPEC] {
            for shared_bytes in SHARED_BYTES {
                for layout in (form.layouts)() {
                    let shape = SweepShape::new(form, layout, spec(1 << 24, 1 << 24), DeviceLimits { shared_bytes, ..H200 });
                    assert!(shape.warps > 0 && shape.warps * layout.shared <= shared_bytes, "{shape:?} in {shared_bytes}");
                }
            }
        }
    }

    /// Rings of border rows for all warps of a device take 24 GB.
    #[test]
    fn long_pairs_fit_in_small_devices() {
        for form in [&DeviceEditDistance::KERNEL_SPEC, &DeviceLcs::KERNEL_SPEC] {
            for (megabytes, length) in [(6000, 46 << 20), (16_000, 256 << 20), (24_000, 512 << 20)] {
                let device = DeviceLimits { bytes: megabytes << 20, ..H200 };
                let shape = SweepShape::choose(form, 5, spec(length, length), device).unwrap();
                assert!(shape.bytes() <= device.bytes && shape.slots > shape.warps * shape.blocks, "{shape:?}");
            }
        }
    }

    /// Any memory limit leaves some room for the traceback beside the border rows.
    #[test]
    fn border_rows_leave_memory_for_the_traceback() {
        for form in [&DeviceEditDistance::KERNEL_SPEC, &DeviceLcs::KERNEL_SPEC] {
            for bytes in [16, 24, 40, 80, 140].map(|gigabytes| gigabytes << 30) {
                for planes in [2, 5, 11] {
                    for length in (1..70).map(|length| length << 20) {
                        let keeping = SweepSpec { keeps: true, ..spec(length, length) };
                        let Ok(shape) = SweepShape::choose(form, planes, keeping, DeviceLimits { bytes, ..H200 }) else { continue };
                        let left = bytes - shape.sweep_bytes();
                        assert!(left >= shape.step_bytes(shape.usual_width(), true), "{length}: {shape:?} in {bytes}");
                    }
                }
            }
        }
    }

    #[test]
    fn number_of_planes_distinguishes_all_symbols() {
        assert_eq!([0, 1, 2, 3, 4, 5, 16, 17, 255, 256, 257].map(planes), [1, 1, 1, 2, 2, 3, 4, 5, 8, 8, 9]);
    }
}
