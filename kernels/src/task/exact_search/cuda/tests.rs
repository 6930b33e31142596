//! Tests of internals: parts of a text, and the time of the kernels.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::*;
use crate::failure::JobFailure;
use crate::gpu::testing::{TestGpu, gpu, gpu_alone};
use crate::oracle::random;
use crate::pair::cpu::PairOutput;
use crate::run::NoObserver;
use crate::task::lcs::cuda::DeviceLcs;

fn expected<T: Eq>(a: &[T], b: &[T]) -> Vec<u64> {
    b.windows(a.len()).zip(0..).filter(|(window, _)| *window == a).map(|(_, at)| at).collect()
}

fn check<T: DeviceSymbol>(gpu: &Gpu, texts: SearchTexts<T>, limit: u64) {
    let expected = expected(texts.a, texts.b);
    let run = Run::new(&NoObserver);
    let (total, positions) = search_within(gpu, texts, false, &run, limit).unwrap();
    assert!(positions.iter().eq(expected.iter().copied()), "{} of {} in {}, limit {limit}", total, texts.a.len(), texts.b.len());
    assert_eq!(total, expected.len() as u64);
    assert_eq!(search_within(gpu, texts, true, &run, limit).unwrap().0, total);
    assert_eq!(run.cells(), 2 * (texts.a.len() + texts.b.len()) as u64);
}

#[test]
fn text_in_parts_has_all_occurrences() {
    let Some(gpu) = gpu() else { return };
    let b = [random(b"\0\x01", 150_000, 1), vec![0; 150_000], random(b"\0\x01\x02", 100_000, 2)].concat();
    let wide: Vec<u32> = b.iter().map(|&symbol| 1000 * u32::from(symbol)).collect();
    for m in [1, 3, 8, 31, 32, 33, 100, 20_000] {
        for from in [0, 65_530, 160_000, b.len() - m] {
            let all = (b.len() - m + 1) as u64;
            for part in [all, 200_000, 65_536] {
                check(&gpu, SearchTexts { a: &b[from..from + m], b: &b, alphabet: 3 }, bytes::<u8>(part, m as u64));
                check(&gpu, SearchTexts { a: &wide[from..from + m], b: &wide, alphabet: 2001 }, bytes::<u32>(part, m as u64));
            }
        }
    }
    let limit = bytes::<u8>(65_536, 20_000) - 1;
    let refused = search_within(&gpu, SearchTexts { a: &b[..20_000], b: &b, alphabet: 3 }, false, &Run::new(&NoObserver), limit);
    assert!(matches!(refused, Err(Halt::Failed(JobFailure::TooLarge { .. }))), "{refused:?}");
}

/// Prints the time of the passes on the device alone: `cargo test -p kernels --release exact_search::cuda -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "it is what it is for")]
fn prints_rates_of_passes() {
    let Some(gpu) = gpu() else { return };
    let alnum = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let text = random(alnum, 38_000_000, 1);
    let zeros = vec![0u8; 4 << 20];
    let almost = [vec![0u8; 4095], vec![1]].concat();
    let rows: [(&str, &[u8], &[u8]); 7] = [
        ("aab in 38M", b"aab", &text),
        ("8 symbols in 38M", &text[37_000_000..][..8], &text),
        ("1024 symbols in 38M", &text[37_000_000..][..1024], &text),
        ("4000 symbols in 38M", &text[37_000_000..][..4000], &text),
        ("a^4096 in a^4Mi", &zeros[..4096], &zeros),
        ("a^4095 b in a^4Mi", &almost, &zeros),
        ("one symbol of 62 in 38M", b"7", &text),
    ];
    for (name, a, b) in rows {
        let run = Run::new(&NoObserver);
        let session = GpuSession::new(&gpu, &run).unwrap();
        let searcher = ExactSearcher::new(&gpu, session, SearchTexts { a, b, alphabet: 256 }).unwrap();
        let offsets = (b.len() - a.len() + 1) as u64;
        let address = searcher.session.text_address(b).unwrap();
        let mut times: Vec<[f32; 3]> = (0..21)
            .map(|_| {
                let pass = searcher.session.device_time(|| searcher.find(address, offsets, None).unwrap()).0;
                let marks = DeviceBitSet::new(&searcher.session, offsets).unwrap();
                let marked = searcher.session.device_time(|| searcher.find(address, offsets, Some(&marks)).unwrap()).0;
                [pass, marked, searcher.session.device_time(|| searcher.part(b, offsets, false).unwrap()).0]
            })
            .collect();
        let median = |which: usize, times: &mut Vec<[f32; 3]>| {
            times.sort_by(|one, other| one[which].total_cmp(&other[which]));
            1e3 * times[times.len() / 2][which]
        };
        let [pass, marked, all] = [0, 1, 2].map(|which| median(which, &mut times));
        println!("{name:26} list {pass:8.1} µs, bits {marked:8.1} µs; with looking the text up, waiting and fetching {all:9.1} µs");
    }
}

/// Generates a text of `count` equal blocks of 2^20 symbols of four bytes each, and a pattern that occurs once in each
/// block.
fn blocks(count: usize) -> [Vec<u32>; 2] {
    let letters: Vec<u32> = (0..1000).collect();
    let block = random(&letters, 1 << 20, 1);
    [block[1000..1040].to_vec(), block.repeat(count)]
}

/// Finished parts are freed, so that only the current part has to fit in memory.
#[test]
fn text_larger_than_the_device_memory_is_searched_in_parts() {
    let Some(mut gpu) = gpu_alone() else { return };
    let [a, b] = blocks(96);
    let texts = SearchTexts { a: &a, b: &b, alphabet: 1000 };
    let expected = PositionSet::from_list((0..96).map(|number| 1000 + (number << 20)).collect());
    for megabytes in [600, 200, 100] {
        gpu.leave_free_bytes(megabytes << 20);
        let (total, positions) =
            search(&gpu, texts, false, &Run::new(&NoObserver)).unwrap_or_else(|halt| panic!("{halt:?} in {megabytes} MiB"));
        assert_eq!((total, positions), (96, expected.clone()), "in {megabytes} MiB");
    }
}

/// Runs `done` while a large sweep is on the GPU, with 1 GiB free and 1 GiB of cached memory. Returns whether the sweep
/// was still running afterwards.
fn beside_a_sweep(gpu: &mut TestGpu, done: impl FnOnce(&TestGpu)) -> bool {
    let [x, y] = [1 << 20, 160 << 20].map(|len| random(b"ACGT", len, len as u64));
    let [x, y] = [x, y].map(|text| text.iter().map(|letter| letter >> 1 & 3).collect::<Vec<u8>>());
    gpu.leave_free_bytes(2 << 30);
    let kept = random(b"ACGT", 1 << 30, 3);
    GpuSession::new(gpu, &Run::new(&NoObserver)).unwrap().text_address(&kept).unwrap();
    let swept = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (swept, gpu) = (&swept, &*gpu);
        let sweep = || crate::pair::cuda::solve::<DeviceLcs, u8>(gpu, [&x, &y], 4, PairOutput::Distance, &Run::new(&NoObserver)).unwrap();
        let sweeping = scope.spawn(move || {
            sweep();
            swept.store(true, Relaxed);
        });
        while !gpu.is_swept() && !sweeping.is_finished() {
            std::thread::yield_now();
        }
        done(gpu);
        !swept.load(Relaxed)
    })
}

/// A search that must free memory and load a kernel does not wait for the end of a large sweep.
#[test]
fn search_that_waits_for_memory_counts_as_brief() {
    let Some(mut gpu) = gpu_alone() else { return };
    let [a, b] = blocks(64);
    // Compiles the kernels first.
    let texts = SearchTexts { a: &a, b: &b, alphabet: 1000 };
    assert_eq!(search(&gpu, texts, false, &Run::new(&NoObserver)).unwrap().0, 64);
    let unloaded = fingerprint::source(1);
    gpu.compile(&unloaded, &Run::new(&NoObserver)).unwrap();
    let in_between = beside_a_sweep(&mut gpu, |gpu| {
        assert_eq!(search(gpu, texts, false, &Run::new(&NoObserver)).unwrap().0, 64);
        GpuSession::new(gpu, &Run::new(&NoObserver)).unwrap().kernel(&unloaded, "tiles").unwrap();
    });
    assert!(in_between, "the job waited for the end of the sweep");
}

/// A large job that yields to brief jobs does not wait either.
#[test]
fn yielding_job_gets_memory_during_a_sweep() {
    let Some(mut gpu) = gpu_alone() else { return };
    let run = Run::new(&NoObserver);
    let in_between = beside_a_sweep(&mut gpu, |gpu| {
        let mut session = GpuSession::new(gpu, &run).unwrap();
        session.yield_to_brief_jobs();
        let more = gpu.free_bytes().unwrap() + (1 << 28);
        let _room = session.allocate_uninit::<u8>(more as usize).unwrap();
    });
    assert!(in_between, "the job waited for the end of the sweep");
}

/// Searches 4 GiB and a few bytes, with a pattern around each power of two and at both ends.
#[test]
#[ignore = "slow: five gigabytes and some seconds"]
fn offsets_beyond_32_bits_are_found() {
    let a = [1u8, 2, 3, 1, 2];
    let mut b = vec![0u8; (1 << 32) + 5000];
    let last = b.len() - a.len();
    let starts = [0, (1 << 31) - 3, (1 << 31) + 40, (1 << 32) - 2, (1 << 32) + 7, last];
    starts.iter().for_each(|&start| b[start..start + a.len()].copy_from_slice(&a));
    let expected = PositionSet::from_list(starts.iter().map(|&start| start as u64).collect());
    let threads = crate::cpu::Cpu::all_cores().threads;
    for threads in [1, threads] {
        let texts = super::super::cpu::ScanTexts { a: &a, b: &b, lowest: &b, symbol_match: crate::base_set::SymbolMatch::Equal };
        let found = super::super::cpu::search(texts, threads, false, &Run::new(&NoObserver)).unwrap();
        assert_eq!((found.total, found.positions), (6, expected.clone()), "{threads} threads");
    }
    let Some(gpu) = gpu() else { return };
    let found = search(&gpu, SearchTexts { a: &a, b: &b, alphabet: 4 }, false, &Run::new(&NoObserver)).unwrap();
    assert_eq!(found, (6, expected));
}
