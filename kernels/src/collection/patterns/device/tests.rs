//! Searches on a GPU against those on the processor, with all options, and their speed.

use std::time::Instant;

use super::*;
use crate::collection::cuda::patterns::tests::expected;
use crate::collection::{MemberSource, MemberSplit, PatternLabel, SideSources};
use crate::failure::{JobFailure, large};
use crate::gpu::testing::gpu;
use crate::job::{JobOptions, Unit};
use crate::run::NoObserver;
use crate::strand::SearchStrands;

/// Settings with which all patterns of at most 64 symbols are searched on the GPU.
const FOR_ALL: SearchSettings = SearchSettings { is_for_all: true, chunk: 64, ..SearchSettings::DEVICE };

fn sources(texts: &[Vec<u8>], split: MemberSplit) -> SideSources {
    let source = |text: &Vec<u8>| MemberSource { name: "text".into(), bytes: text.clone().into() };
    SideSources { sources: texts.iter().map(source).collect(), split }
}

fn collection(patterns: &[Vec<u8>], texts: &[Vec<u8>], task: Task, options: &JobOptions) -> PatternCollection {
    let patterns = sources(&[patterns.join(&b'\n')], MemberSplit::Lines);
    PatternCollection::parse(patterns, sources(texts, MemberSplit::Files), task, options).unwrap()
}

fn letters(rng: &mut fastrand::Rng, of: &[u8], len: usize) -> Vec<u8> {
    (0..len).map(|_| of[rng.usize(..of.len())]).collect()
}

/// Searches with matrices of numbers, in place of a GPU. Leaves every seventh pattern to the caller.
fn by_matrix(text: &SearchedText, short: &[ShortPattern], _: &[u64], _: u64, _: &Run) -> Result<HitLists, Halt> {
    Ok((0..).zip(short).map(|(number, pattern)| (number % 7 != 6).then(|| expected(text, pattern))).collect())
}

#[track_caller]
fn check(find: &Finder, collection: &PatternCollection, what: &str) {
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    for max_hits in [u64::MAX, 1000, 3] {
        let expected = collection.solve(max_hits, &host, &run);
        let found = collection.solve_by(find, 0, max_hits, &host, &run);
        if let (Ok(found), Ok(expected)) = (&found, &expected) {
            let wrong = found.iter().zip(expected).position(|(found, expected)| found != expected);
            assert_eq!(wrong, None, "{what}, at most {max_hits}");
        }
        assert_eq!(found.err(), expected.err(), "{what}, at most {max_hits}");
    }
}

/// Checks the hits of `find` with all options, for patterns of every `apart`-th length.
fn check_options(find: &Finder, apart: usize) {
    let mut rng = fastrand::Rng::with_seed(1);
    for task in PatternCollection::TASKS {
        for strands in [SearchStrands::Forward, SearchStrands::Both] {
            for ambiguity in [false, true] {
                let of: &[u8] = if ambiguity { b"ACGTACGTACGTACGTACGTRYN" } else { b"ACGT" };
                let texts = [letters(&mut rng, of, 500), letters(&mut rng, of, 200)];
                let mut patterns: Vec<Vec<u8>> =
                    (1..=64).step_by(apart).map(|len| texts[len % 2][7 * len % 130..][..len].to_vec()).collect();
                patterns.extend([Vec::new(), letters(&mut rng, of, 65), letters(&mut rng, of, 300), patterns[3].clone()]);
                let is_exact = task == Task::ExactSearch;
                for max_distance in if is_exact { vec![None] } else { vec![Some(0), Some(2), Some(9), Some(64), None] } {
                    for (local_minima, count_only) in [(false, false), (true, false), (false, true)] {
                        let local_minima = local_minima && !is_exact;
                        let options = JobOptions { strands, ambiguity, max_distance, local_minima, count_only, ..JobOptions::default() };
                        let what = format!("{task:?} by {options:?}");
                        check(find, &collection(&patterns, &texts, task, &options), &what);
                        let records = [b">one\n", &texts[0][..], b"\n>two\n\n>three\n", &texts[1]].concat();
                        check(find, &collection(&patterns, &[records], task, &options), &format!("{what}, records"));
                    }
                }
            }
        }
    }
}

#[test]
fn hits_of_a_device_are_those_of_the_processor() {
    check_options(&by_matrix, 7);
}

#[test]
fn hits_on_a_gpu_are_those_of_the_processor() {
    let Some(gpu) = gpu() else { return };
    check_options(&*finder(&gpu, &FOR_ALL, &Cpu::all_cores()), 1);
}

#[test]
fn no_hit_of_a_device_crosses_a_border() {
    // The byte before the name of a record stands for a border.
    let genbank = b"LOCUS       ONE 8 bp\nORIGIN\n        1 ttttacgt\n//\nLOCUS \tTWO 8 bp\nORIGIN\n        1 gtacaaaa\n//\nLOCUS       THREE 8 bp\nORIGIN\n        1 acgtacgt\n//\n";
    let fasta = b">one\nttttA\n>two\nCtttt\n>three\nA\n";
    let patterns: Vec<Vec<u8>> = [&b"ACGTGTAC"[..], b"ACGTTGTAC", b"A>C", b"A C", b"aacgt", b">", b"a\tc"].map(<[u8]>::to_vec).into();
    for text in [&genbank[..], fasta] {
        for (task, max_distance) in [(Task::ExactSearch, None), (Task::ApproximateSearch, Some(0)), (Task::ApproximateSearch, Some(1))] {
            let options = JobOptions { max_distance, ..JobOptions::default() };
            let found = collection(&patterns, &[text.to_vec()], task, &options);
            check(&by_matrix, &found, &format!("{task:?} within {max_distance:?}"));
            let hits = found.solve(u64::MAX, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
            let exact = |pattern: usize| hits[pattern].hits.iter().filter(|hit| hit.distance == 0).count();
            assert_eq!([2, 3, 5].map(exact), [0, 0, 0], "{task:?}");
            assert!(hits.iter().flat_map(|hits| &hits.hits).all(|hit| hit.record.is_some_and(|record| record.start <= record.end)));
        }
    }
}

#[test]
fn patterns_have_limits_of_their_own_on_a_gpu() {
    let Some(gpu) = gpu() else { return };
    let mut rng = fastrand::Rng::with_seed(2);
    let text = letters(&mut rng, b"ACGT", 2000);
    let patterns: Vec<Vec<u8>> = (0..50).map(|at| text[30 * at..][..20].to_vec()).collect();
    let options = JobOptions { strands: SearchStrands::Both, local_minima: true, max_distance: Some(1), ..JobOptions::default() };
    let label = |at: u64| PatternLabel { name: None, max_distance: (!at.is_multiple_of(7)).then_some(at % 22) };
    let labels: Vec<PatternLabel> = (0..50).map(label).collect();
    let found = collection(&patterns, &[text], Task::ApproximateSearch, &options).with_labels(&labels).unwrap();
    check(&*finder(&gpu, &FOR_ALL, &Cpu::all_cores()), &found, "limits");
}

#[test]
fn words_of_a_text_are_found_on_a_gpu() {
    let Some(gpu) = gpu() else { return };
    let mut rng = fastrand::Rng::with_seed(3);
    let text: Vec<u8> = (0..3000).flat_map(|_| [letters(&mut rng, b"etaoinshrdlu", 3), b" ".to_vec()].concat()).collect();
    let patterns: Vec<Vec<u8>> = (0..40).map(|at| text[50 * at..][..1 + at].to_vec()).collect();
    let options = JobOptions { max_distance: Some(1), ..JobOptions::default() };
    let found = collection(&patterns, &[text], Task::ApproximateSearch, &options);
    check(&*finder(&gpu, &FOR_ALL, &Cpu::all_cores()), &found, "words");
}

#[test]
fn small_searches_and_dense_patterns_stay_on_the_host() {
    let Some(gpu) = gpu() else { return };
    let mut rng = fastrand::Rng::with_seed(4);
    let text = letters(&mut rng, b"ACGT", 40_000);
    let patterns: Vec<Vec<u8>> = [4, 8, 12, 23, 40].map(|len| text[100..][..len].to_vec()).into();
    let options = JobOptions { max_distance: Some(3), ..JobOptions::default() };
    let found = collection(&patterns, &[text], Task::ApproximateSearch, &options);
    let few = SearchSettings { max_hits: 10, ..FOR_ALL };
    for settings in [SearchSettings::DEVICE, few] {
        check(&*finder(&gpu, &settings, &Cpu::all_cores()), &found, &format!("{settings:?}"));
    }
}

#[test]
fn small_searches_use_no_gpu() {
    let text = letters(&mut fastrand::Rng::with_seed(4), b"ACGT", 40_000);
    let options = JobOptions { max_distance: Some(3), ..JobOptions::default() };
    let found = collection(&[text[100..][..23].to_vec()], &[text], Task::ApproximateSearch, &options);
    let run = Run::new(&NoObserver);
    let never = |_: &SearchedText, _: &[ShortPattern], _: &[u64], _: u64, _: &Run| -> Result<HitLists, Halt> { panic!("the GPU searches") };
    let hits = found.solve_by(&never, MIN_DEVICE_COLUMNS, u64::MAX, &Cpu::SINGLE, &run);
    assert_eq!(hits, found.solve(u64::MAX, &Cpu::SINGLE, &run));
    assert!(!found.is_for_gpu());
    let work = found.work().unwrap();
    assert_eq!((work.cpu.cost_cells > 0, work.cuda.cost_cells), (true, 0));
}

/// The sizes of a device, without settings for a test.
#[test]
fn large_searches_use_a_gpu() {
    let Some(gpu) = gpu() else { return };
    let text = dna(4 << 20);
    let patterns: Vec<Vec<u8>> = (0..10).map(|number| text[number * 300_000..][..23].to_vec()).collect();
    let options = JobOptions { max_distance: Some(3), strands: SearchStrands::Both, ..JobOptions::default() };
    let found = collection(&patterns, &[text], Task::ApproximateSearch, &options);
    assert!(found.is_for_gpu());
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    let hits = found.solve_on(&gpu, u64::MAX, &host, &run).unwrap();
    assert!(hits.iter().all(|hits| hits.total > 0));
    assert_eq!(hits, found.solve(u64::MAX, &host, &run).unwrap());
}

#[test]
fn local_minima_are_those_of_all_distances() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..2000 {
        let mut distances = vec![5_u8];
        for _ in 0..30 {
            let last = distances[distances.len() - 1];
            distances.push((last + rng.u8(..3)).saturating_sub(1).clamp(0, 7));
        }
        let limit = rng.u8(1..5);
        let ends: Vec<ShortHit> = (0..)
            .zip(&distances)
            .filter(|(_, distance)| **distance <= limit)
            .map(|(end, distance)| ShortHit { end, length: 1, distance: *distance })
            .collect();
        let found: Vec<u64> = (0..ends.len()).filter(|at| is_minimum(&ends, *at)).map(|at| ends[at].end).collect();
        let is_expected = |at: &usize| {
            let own = distances[*at];
            let left = distances[..*at].iter().rev().find(|distance| **distance != own);
            let right = distances.get(at + 1);
            own <= limit && left.is_none_or(|left| *left > own) && right.is_none_or(|right| *right > own)
        };
        let expected: Vec<u64> = (0..distances.len()).filter(is_expected).map(|at| at as u64).collect();
        assert_eq!(found, expected, "{distances:?} within {limit}");
    }
}

#[test]
fn work_of_short_patterns_is_less_on_a_gpu() {
    // Twice as many columns as the least number on a GPU.
    let text = letters(&mut fastrand::Rng::with_seed(6), b"ACGT", 1 << 20);
    let work = |len: usize, limit: Option<u64>| {
        let options = JobOptions { max_distance: limit, ..JobOptions::default() };
        let patterns = (0..128).map(|at| text[50 + at..][..len].to_vec()).collect::<Vec<_>>();
        collection(&patterns, std::slice::from_ref(&text), Task::ApproximateSearch, &options).work().unwrap()
    };
    let (short, long, best) = (work(23, Some(3)), work(65, Some(3)), work(23, None));
    assert_eq!((short.cells, short.cuda.cost_cells), ((128 * 23) << 20, (128 * 16) << 20));
    // Other patterns take time on the host.
    assert!(long.cuda.cost_cells == 0 && best.cuda.cost_cells == 0);
    assert!(long.cuda.overhead_ns > short.cuda.overhead_ns && best.cuda.overhead_ns > short.cuda.overhead_ns);
}

#[test]
fn hits_beyond_the_limit_are_an_error() {
    let text = b"ACGT".repeat(10);
    let found = collection(&[b"ACG".to_vec()], &[text], Task::ExactSearch, &JobOptions::default());
    let halt = found.solve(9, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap_err();
    assert_eq!(halt, JobFailure::TooLarge { what: large::HITS.into(), got: 10, limit: 9 }.into());
}

/// Draws `len` letters of DNA, with 32 letters of each random number.
fn dna(len: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut text = Vec::with_capacity(len + 32);
    while text.len() < len {
        let number = rng.u64(..);
        text.extend((0..32).map(|at| b"ACGT"[(number >> (2 * at) & 3) as usize]));
    }
    text.truncate(len);
    text
}

/// Prints the time of searches from the numbered texts to all hits, and checks some patterns:
/// `… speed_of_patterns --ignored --nocapture`. The first time includes the copy of the text to the GPU.
#[test]
#[ignore = "measures"]
#[expect(clippy::print_stdout, reason = "a measurement")]
fn speed_of_patterns() {
    let Some(gpu) = gpu() else { return };
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    for (letters, count, len, task, max_distance) in [
        (1 << 26, 312, 23, Task::ApproximateSearch, Some(3)),
        (1 << 29, 312, 23, Task::ApproximateSearch, Some(3)),
        (1 << 29, 312, 20, Task::ApproximateSearch, Some(4)),
        (1 << 29, 312, 32, Task::ApproximateSearch, Some(5)),
        (1 << 29, 312, 60, Task::ApproximateSearch, Some(6)),
        (1 << 29, 10_000, 23, Task::ApproximateSearch, Some(3)),
        (1 << 29, 10_000, 23, Task::ExactSearch, None),
        (3_100_000_000, 312, 23, Task::ExactSearch, None),
        (3_100_000_000, 312, 23, Task::ApproximateSearch, Some(3)),
    ] {
        let text = dna(letters);
        let mut rng = fastrand::Rng::with_seed(8);
        let patterns: Vec<Vec<u8>> = (0..count).map(|_| text[rng.usize(..letters - len)..][..len].to_vec()).collect();
        let options = JobOptions { unit: Unit::Bytes, strands: SearchStrands::Both, max_distance, ..JobOptions::default() };
        let patterns = sources(&[patterns.join(&b'\n')], MemberSplit::Lines);
        let texts = SideSources { sources: vec![MemberSource { name: "text".into(), bytes: text.into() }], split: MemberSplit::Files };
        let found = PatternCollection::parse(patterns, texts, task, &options).unwrap();
        let mut times = Vec::new();
        let mut hits = Vec::new();
        for _ in 0..3 {
            let start = Instant::now();
            hits = found.solve_on(&gpu, u64::MAX, &host, &run).unwrap();
            times.push(start.elapsed().as_secs_f64());
        }
        let start = Instant::now();
        let sample = 0..3;
        let expected = found.solve_some(sample.clone(), u64::MAX, &host, &run).unwrap();
        let on_host = start.elapsed().as_secs_f64() / sample.len() as f64 * f64::from(count);
        assert!(hits[sample] == expected, "the hits differ");
        let total: u64 = hits.iter().map(|hits| hits.total).sum();
        let columns = letters as f64 * f64::from(count) * 2.0;
        let best = times.iter().copied().fold(f64::MAX, f64::min);
        println!(
            "{task:?}, {count} of {len} letters within {max_distance:?} in {letters}, both strands: {total} hits, {:.3} s, then {best:.3} s, \
             {:.2} T columns/s, on {} threads {on_host:.1} s",
            times[0],
            columns / best / 1e12,
            host.threads
        );
    }
}
