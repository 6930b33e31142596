//! The CUDA engine against the CPU engine: every layout, lengths around its borders, alphabets, stops and shared devices.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::classes::{LAYOUTS, classes};
use super::*;
use crate::base_set::SymbolMatch;
use crate::collection::tile::BoundedValue;
use crate::event::RunSignal;
use crate::gpu::GpuError;
use crate::gpu::compile::{ComputeCapability, is_present, machine_code, spilled_bytes};
use crate::gpu::testing::{SHARED_BYTES, gpu, gpu_with_shared};
use crate::job::{AlignmentMode, EditCosts, FreeEnds, GapCosts, GapPoints};
use crate::run::{NoObserver, Observer};
use crate::task::cost_model::CostPoints;
use crate::task::sequence_alignment::engine::{AlignmentModel, SymbolPoints};
use crate::text::TextSymbols;

const DISTANCE: PairScore = PairScore::EditDistance { within: None };

/// Creates a corpus of members with the lengths `lens` and symbols below `alphabet`. Every second member is a copy of the one
/// before it with some changed and exchanged symbols.
fn corpus(lens: &[usize], alphabet: u32, seed: u64) -> Corpus {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut symbols, mut ends, mut last): (Vec<u32>, Vec<usize>, Vec<u32>) = (Vec::new(), Vec::new(), Vec::new());
    for (number, &len) in lens.iter().enumerate() {
        let shift = rng.usize(..3);
        let like = |rng: &mut fastrand::Rng, at: usize| match last.get(at + shift) {
            Some(symbol) if number % 2 == 1 && rng.u32(..8) > 0 => *symbol,
            _ => rng.u32(..alphabet),
        };
        let mut member: Vec<u32> = (0..len).map(|at| like(&mut rng, at)).collect();
        (1..len).filter(|at| at % 9 == 8 || at % 32 == 0).for_each(|at| member.swap(at - 1, at));
        symbols.extend(&member);
        ends.push(symbols.len());
        last = member;
    }
    let symbols = if alphabet <= 256 {
        TextSymbols::Narrow(symbols.into_iter().map(|symbol| symbol as u8).collect())
    } else {
        TextSymbols::Wide(symbols)
    };
    Corpus::new(symbols, ends, alphabet)
}

/// Checks that the GPU finds the scores that the CPU finds.
#[track_caller]
fn check(gpu: &Gpu, corpus: &Corpus, tile: &Tile, score: &PairScore) {
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    assert!(takes(gpu, corpus, score), "{score:?} of {} symbols", corpus.alphabet());
    let computed = scores(gpu, corpus, tile, score, &host, &run).unwrap();
    let expected = cpu::scores(corpus, tile, score, &host, &run).unwrap();
    assert_eq!(computed.len(), expected.len());
    let wrong = computed.iter().zip(&expected).enumerate().find(|(_, (computed, expected))| computed != expected);
    let pair = |at: usize| (tile.rows.start + at / tile.columns.len(), tile.columns.start + at % tile.columns.len());
    let what = wrong.map(|(at, (computed, expected))| {
        let (row, column) = pair(at);
        let lens = [row, column].map(|member| corpus.member_len(member));
        format!("{score:?} of members {row} and {column} of lengths {lens:?} below {}: {computed}, not {expected}", corpus.alphabet())
    });
    assert_eq!(what, None);
}

/// Checks the scores whose cells are bits.
fn check_bits(gpu: &Gpu, corpus: &Corpus, tile: &Tile) {
    for score in [DISTANCE, PairScore::StringAlignment, PairScore::Lcs] {
        check(gpu, corpus, tile, &score);
    }
}

/// Computes the scores of one tile.
fn scores(gpu: &Gpu, corpus: &Corpus, tile: &Tile, score: &PairScore, host: &Cpu, run: &Run) -> Result<Vec<i32>, Halt> {
    DeviceCorpus::new(gpu, corpus, run)?.scores(tile, score, host, run)
}

fn whole(corpus: &Corpus) -> Tile {
    Tile { rows: 0..corpus.len(), columns: 0..corpus.len() }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn every_variant_compiles_without_spilling_registers() {
    if !is_present() {
        eprintln!("skipped: no NVRTC");
        return;
    }
    for source in variants() {
        let what = format!("{} {:?}", source.name, source.defines);
        match spilled_bytes(&source, ComputeCapability::HOPPER) {
            Ok(spilled) => assert_eq!(spilled, 0, "{what}"),
            // NVRTC 13.0 has no figures of the assembler.
            Err(GpuError::Compile { log, .. }) if log.is_empty() => {}
            Err(error) => panic!("{what}: {error}"),
        }
        for arch in [ComputeCapability::TURING, ComputeCapability::HOPPER] {
            machine_code(&source, arch).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
    }
}

#[test]
fn each_layout_is_exact_at_its_borders() {
    let Some(gpu) = gpu() else { return };
    for layout in LAYOUTS {
        let (room, rows) = (layout.symbols() as usize, layout.rows());
        let lens: Vec<usize> = (0..rows).map(|at| room - at % 4.min(room)).collect();
        let sorted: Vec<u32> = lens.iter().map(|len| *len as u32).collect();
        assert!(classes(&sorted, 4, 227 << 10).iter().any(|class| class.layout == layout), "{layout:?} is never used");
        let columns = [0, 1, 2, 3, 31, 32, 33, room - 1, room, room + 1];
        let corpus = corpus(&[&lens[..], &columns].concat(), 4, 1);
        check_bits(&gpu, &corpus, &Tile { rows: 0..rows, columns: rows..corpus.len() });
    }
}

#[test]
fn strips_of_long_members_are_exact() {
    let Some(gpu) = gpu() else { return };
    let lens = [1025, 2048, 2049, 3000, 4000, 4096, 8191, 8192, 0, 1, 700];
    let corpus = corpus(&lens, 4, 2);
    check_bits(&gpu, &corpus, &whole(&corpus));
}

#[test]
fn longer_members_are_computed_on_the_host() {
    let Some(gpu) = gpu() else { return };
    let corpus = corpus(&[8193, 20, 8192, 9000, 0, 40], 4, 3);
    check_bits(&gpu, &corpus, &whole(&corpus));
    check_bits(&gpu, &corpus, &Tile { rows: 1..3, columns: 0..6 });
}

#[test]
fn every_alphabet_is_exact() {
    for shared in SHARED_BYTES {
        for alphabet in [1, 2, 5, 26, 96, 256, 257, 380, 1700] {
            let Some(gpu) = gpu_with_shared(shared) else { return };
            let corpus = corpus(&(0..70).map(|at| at * 13 % 400).collect::<Vec<_>>(), alphabet, alphabet.into());
            if takes(&gpu, &corpus, &DISTANCE) {
                check_bits(&gpu, &corpus, &whole(&corpus));
            } else {
                assert!(shared < 227 << 10 && alphabet > 256);
            }
        }
    }
}

#[test]
fn tiles_of_any_shape_are_exact() {
    let Some(gpu) = gpu() else { return };
    let corpus = corpus(&(0..300).map(|at| at * at % 211).collect::<Vec<_>>(), 20, 5);
    for [rows, columns] in [[0..300, 7..8], [3..4, 0..300], [0..129, 100..300], [40..300, 0..33], [0..0, 0..5], [0..5, 9..9], [8..9, 8..9]]
    {
        check_bits(&gpu, &corpus, &Tile { rows, columns });
    }
}

#[test]
fn scores_of_empty_members_are_exact() {
    let Some(gpu) = gpu() else { return };
    let corpus = Corpus::new(TextSymbols::Narrow(Vec::new()), vec![0; 40], 0);
    check_bits(&gpu, &corpus, &whole(&corpus));
    for mode in MODES {
        check(&gpu, &corpus, &whole(&corpus), &PairScore::Alignment(equality(mode, [2, -1], [4, 1])));
    }
}

#[test]
fn corpus_stays_on_the_device_between_tiles() {
    let Some(gpu) = gpu() else { return };
    let corpus = corpus(&[60; 90], 4, 6);
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    let device = DeviceCorpus::new(&gpu, &corpus, &run).unwrap();
    let all = cpu::scores(&corpus, &whole(&corpus), &DISTANCE, &host, &run).unwrap();
    let tiles =
        (0..3).flat_map(|part| device.scores(&Tile { rows: part * 30..part * 30 + 30, columns: 0..90 }, &DISTANCE, &host, &run).unwrap());
    let before = run.cells();
    assert_eq!(tiles.collect::<Vec<_>>(), all);
    assert_eq!(run.cells() - before, 90 * 60 * 90 * 60);
}

/// Checks that the GPU selects every score of `tile` that reaches `bounds`, and no wrong score.
#[track_caller]
fn check_bounds(device: &DeviceCorpus, tile: &Tile, score: &PairScore, bounds: &ScoreBounds) {
    let (corpus, host, run) = (device.corpus, Cpu::all_cores(), Run::new(&NoObserver));
    let all = cpu::scores(corpus, tile, score, &host, &run).unwrap();
    let width = tile.columns.len();
    let pairs = (0..all.len()).map(|at| TileScore { row: (at / width) as u32, column: (at % width) as u32, score: all[at] });
    let lens = |pair: &TileScore| {
        [corpus.member_len(tile.rows.start + pair.row as usize), corpus.member_len(tile.columns.start + pair.column as usize)]
    };
    let is_long = |pair: &TileScore| lens(pair).into_iter().any(|len| len > max_len(score));
    let mut expected: Vec<TileScore> = pairs.filter(|pair| is_long(pair) || bounds.reaches(*pair, lens(pair))).collect();
    match device.scores_within(tile, score, bounds, &host, &run).unwrap() {
        TileScores::All(scores) => {
            assert!(expected.len() > all.len() / 20, "{} of {} scores are too few to copy all", expected.len(), all.len());
            assert!(scores == all);
        }
        TileScores::Reaching(mut found) => {
            found.sort_unstable();
            expected.sort_unstable();
            assert!(found == expected, "{} of {} scores", found.len(), expected.len());
        }
    }
}

#[test]
fn scores_that_reach_their_bounds_are_selected() {
    let Some(gpu) = gpu() else { return };
    let run = Run::new(&NoObserver);
    let lens: Vec<usize> = (0..700).map(|at| at * at % 211).chain([8193, 0]).collect();
    let corpus = corpus(&lens, 4, 11);
    let device = DeviceCorpus::new(&gpu, &corpus, &run).unwrap();
    let mut rng = fastrand::Rng::with_seed(12);
    let alignment = PairScore::Alignment(equality(AlignmentMode::Local, [2, -1], [4, 1]));
    for tile in [whole(&corpus), Tile { rows: 0..600, columns: 650..702 }, Tile { rows: 690..702, columns: 0..500 }] {
        for (score, value, bound) in [
            (&DISTANCE, BoundedValue::Edits, -20..1),
            (&PairScore::Lcs, BoundedValue::Share, 7 << 29..1 << 32),
            (&alignment, BoundedValue::Points, 150..500),
        ] {
            let mut bounds = |members: usize| (0..members).map(|_| rng.i64(bound.clone())).collect::<Vec<i64>>();
            let mut drawn = ScoreBounds { value, rows: bounds(tile.rows.len()), columns: bounds(tile.columns.len()), wanted: None };
            check_bounds(&device, &tile, score, &drawn);
            drawn.columns.fill(i64::MAX >> 16);
            check_bounds(&device, &tile, score, &drawn);
            drawn.rows[3] = ScoreBounds::NONE;
            check_bounds(&device, &tile, score, &drawn);
            drawn.rows.fill(ScoreBounds::NONE);
            check_bounds(&device, &tile, score, &drawn);
        }
    }
}

#[test]
fn nearest_texts_of_several_tiles_are_those_of_the_cpu() {
    use crate::collection::question::TileSize;
    use crate::collection::{AnswerLimits, Collection, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, RowSteps, SideSources};
    use crate::job::{JobOptions, Unit};

    let Some(gpu) = gpu() else { return };
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    let limits = AnswerLimits { max_scores: 1 << 30, max_pairs: 1 << 26 };
    // The tiles of tests on the CPU are too small for thousands of texts.
    let size = TileSize { members: 4096, row_cells: u64::MAX };
    let options = JobOptions { unit: Unit::Bytes, alignment: false, ..JobOptions::default() };
    let mut rng = fastrand::Rng::with_seed(13);
    let mut side = |members: usize, letters: &[u8]| {
        let mut line = |_| (0..rng.usize(20..40)).map(|_| letters[rng.usize(..letters.len())]).chain([b'\n']).collect::<Vec<u8>>();
        let text: Vec<u8> = (0..members).flat_map(&mut line).collect();
        SideSources { sources: vec![MemberSource { name: "lines".into(), bytes: text.into() }], split: MemberSplit::Lines }
    };
    for letters in [&b"ACGT"[..], b"ab"] {
        for sides in [(side(9000, letters), None), (side(500, letters), Some(side(9000, letters)))] {
            let collection = Collection::parse(sides.0, sides.1, &options.reading()).unwrap();
            for task in CollectionQuestion::TASKS {
                for count in [1, 3, 1000] {
                    let question = CollectionQuestion::new(task, &options, KeptPairs::Nearest(count), &collection).unwrap();
                    let found = question.solve_on(&gpu, &collection, &limits, &host, &mut RowSteps::none(), &run).unwrap();
                    let corpus = collection.corpus();
                    let scores = |tile: &Tile, score: &PairScore, _: Option<&ScoreBounds>| {
                        cpu::scores(corpus, tile, score, &host, &run).map(TileScores::All)
                    };
                    let expected = question.solve_by_tiles(&size, &collection, &limits, &host, &mut RowSteps::none(), &run, scores);
                    assert!(found == expected.unwrap(), "{count} nearest by {task:?}");
                }
            }
        }
    }
}

#[test]
fn costs_and_points_of_collections_are_those_of_the_cpu() {
    use crate::collection::{AnswerLimits, Collection, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, RowSteps, SideSources};
    use crate::job::{EditCosts, JobOptions, ScoringMatrix, Task, Unit};

    let Some(gpu) = gpu() else { return };
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    let limits = AnswerLimits { max_scores: 1 << 30, max_pairs: 1 << 26 };
    let options = JobOptions { unit: Unit::Bytes, alignment: false, ..JobOptions::default() };
    let mut rng = fastrand::Rng::with_seed(14);
    let mut side = |members: usize, letters: &[u8]| {
        let mut line = |_| (0..rng.usize(0..90)).map(|_| letters[rng.usize(..letters.len())]).chain([b'\n']).collect::<Vec<u8>>();
        let text: Vec<u8> = (0..members).flat_map(&mut line).collect();
        SideSources { sources: vec![MemberSource { name: "lines".into(), bytes: text.into() }], split: MemberSplit::Lines }
    };
    let costs = |substitute, insert, delete, transpose| JobOptions {
        costs: EditCosts { substitute, insert, delete, transpose },
        ..options.clone()
    };
    let points = |mode, equal: i32, different: i32, [open, extend]: [i32; 2]| JobOptions {
        mode,
        equal: equal.into(),
        different: different.into(),
        gap: GapPoints::whole(open, extend),
        ..options.clone()
    };
    let blosum = |mode| JobOptions { matrix: Some(ScoringMatrix::BLOSUM62), ..points(mode, 1, -1, [11, 1]) };
    let edits = [(1, 1, 1, None), (2, 1, 1, None), (1, 1, 1, Some(1)), (3, 2, 2, Some(2)), (1, 2, 0, None), (900, 1000, 700, None)];
    let edits = edits.map(|(substitute, insert, delete, transpose)| (Task::EditDistance, costs(substitute, insert, delete, transpose)));
    let modes = [AlignmentMode::Global, AlignmentMode::Local, AlignmentMode::SemiGlobal];
    let scored = modes.into_iter().flat_map(|mode| [points(mode, 2, -1, [4, 1]), points(mode, 500, -700, [900, 1000]), blosum(mode)]);
    let questions: Vec<(Task, JobOptions)> = edits.into_iter().chain(scored.map(|options| (Task::SequenceAlignment, options))).collect();
    for sides in [(side(120, b"ACGT"), None), (side(70, b"ACDEFGHIKLMNPQRSTVWY"), Some(side(90, b"ACDEFGHIKLMNPQRSTVWY")))] {
        for (task, options) in &questions {
            let collection = Collection::parse(sides.0.clone(), sides.1.clone(), &options.reading()).unwrap();
            for keep in [KeptPairs::All, KeptPairs::Nearest(3)] {
                let question = CollectionQuestion::new(*task, options, keep, &collection).unwrap();
                let found = question.solve_on(&gpu, &collection, &limits, &host, &mut RowSteps::none(), &run);
                assert!(found == question.solve(&collection, &limits, &host, &run), "{keep:?} by {task:?} with {options:?}");
            }
        }
    }
}

fn equality(mode: AlignmentMode, [equal, different]: [i32; 2], [open, extend]: [u32; 2]) -> AlignmentModel {
    AlignmentModel {
        symbol_match: SymbolMatch::Equal,
        points: SymbolPoints::Equality { equal, different },
        gap: GapCosts { open, extend },
        mode,
        free_ends: FreeEnds::NONE,
    }
}

/// Creates a model with a table of points from −5 to 11, or asymmetric ones, for classes of `alphabet` symbols.
fn table(mode: AlignmentMode, size: usize, alphabet: u32, gap: [u32; 2]) -> AlignmentModel {
    let mut rng = fastrand::Rng::with_seed(size as u64);
    let points = (0..size * size).map(|at| if at / size == at % size { rng.i32(4..=11) } else { rng.i32(-5..=3) }).collect();
    let classes = (0..alphabet).map(|symbol| (symbol as usize % size) as u8).collect();
    AlignmentModel {
        symbol_match: SymbolMatch::Equal,
        points: SymbolPoints::Table { classes, size, points },
        ..equality(mode, [0, 0], gap)
    }
}

const MODES: [AlignmentMode; 2] = [AlignmentMode::Global, AlignmentMode::Local];

#[test]
fn alignments_of_dna_are_exact() {
    let Some(gpu) = gpu() else { return };
    let lens: Vec<usize> = (0..90).map(|at| at * at % 230).chain([0, 1, 2, 31, 32, 33, 99, 100, 101, 152, 153, 400, 401]).collect();
    for alphabet in [1, 4, 5, 9, 80] {
        let corpus = corpus(&lens, alphabet, 11);
        for mode in MODES {
            for (points, gap) in [([2, -1], [4, 1]), ([1, -1], [0, 1]), ([5, -4], [10, 0]), ([3, 1], [0, 0]), ([-1, -3], [2, 3])] {
                let score = PairScore::Alignment(equality(mode, points, gap));
                check(&gpu, &corpus, &whole(&corpus), &score);
                check(&gpu, &corpus, &Tile { rows: 3..20, columns: 0..lens.len() }, &score);
                check(&gpu, &corpus, &Tile { rows: 0..lens.len(), columns: 40..61 }, &score);
            }
        }
    }
}

/// Returns the score of global alignments from which edit distances with these costs follow.
fn of_costs(substitute: u32, insert: u32, delete: u32) -> PairScore {
    let costs = EditCosts { substitute, insert, delete, transpose: None };
    PairScore::Alignment(AlignmentModel::of_costs(&CostPoints::new(&costs)))
}

#[test]
fn edit_distances_with_costs_are_exact() {
    let Some(gpu) = gpu() else { return };
    let lens: Vec<usize> = (0..150).map(|number| [0, 1, 7, 31, 32, 33, 100, 150, 400, 2100][number % 10] + number / 30).collect();
    for alphabet in [2, 4, 24, 64] {
        let corpus = corpus(&lens, alphabet, 3);
        // Points of the last costs exceed 8 bits, and its values exceed 16 bits beyond seven symbols.
        let scores = [of_costs(3, 2, 2), of_costs(7, 5, 4), of_costs(0, 1, 2), of_costs(999, 1_000, 997)];
        for score in scores.iter().filter(|score| takes(&gpu, &corpus, score)) {
            check(&gpu, &corpus, &whole(&corpus), score);
        }
        assert!(takes(&gpu, &corpus, &scores[0]), "{alphabet} symbols");
    }
}

#[test]
fn alignments_of_every_plan_are_exact() {
    let Some(gpu) = gpu() else { return };
    let lens: Vec<usize> = (0..60).map(|at| (1.136f64.powi(at) as usize).min(2016)).chain([2016, 2015, 2017]).collect();
    for alphabet in [4, 24] {
        let corpus = corpus(&lens, alphabet, 12);
        for mode in MODES {
            check(&gpu, &corpus, &whole(&corpus), &PairScore::Alignment(equality(mode, [2, -1], [4, 1])));
        }
    }
}

#[test]
fn alignments_by_tables_are_exact() {
    for shared in SHARED_BYTES {
        let Some(gpu) = gpu_with_shared(shared) else { return };
        for (size, alphabet) in [(3, 8), (24, 24), (40, 256), (120, 300)] {
            let corpus = corpus(&(0..70).map(|at| at * 13 % 301).collect::<Vec<_>>(), alphabet, 13);
            for mode in MODES {
                let score = PairScore::Alignment(table(mode, size, alphabet, [11, 1]));
                if takes(&gpu, &corpus, &score) {
                    check(&gpu, &corpus, &whole(&corpus), &score);
                    check(&gpu, &corpus, &Tile { rows: 0..70, columns: 0..9 }, &score);
                } else {
                    assert!(shared < 227 << 10 || size > 24, "{size}");
                }
            }
        }
    }
}

#[test]
fn alignments_with_large_points_are_exact() {
    let Some(gpu) = gpu() else { return };
    let corpus = corpus(&(0..50).map(|at| at * 7 % 90).collect::<Vec<_>>(), 4, 14);
    for mode in MODES {
        for (points, gap) in [([1000, -1000], [1000, 1000]), ([300, -300], [20, 40]), ([100, 0], [1000, 1]), ([20, -1000], [5, 5])] {
            let score = PairScore::Alignment(equality(mode, points, gap));
            if takes(&gpu, &corpus, &score) {
                check(&gpu, &corpus, &whole(&corpus), &score);
            }
        }
    }
    assert!(!takes(&gpu, &corpus, &PairScore::Alignment(equality(AlignmentMode::SemiGlobal, [1, -1], [1, 1]))));
}

/// An observer that stops the run at the first progress and remembers the time.
struct Stopper(Mutex<Option<Instant>>);

impl Observer for Stopper {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        match signal {
            RunSignal::Progress { done, .. } if done > 0 => {
                self.0.lock().unwrap().get_or_insert_with(Instant::now);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn long_tile_stops_within_a_quarter_of_a_second() {
    let Some(gpu) = gpu() else { return };
    for len in [1000, 8192] {
        let corpus = corpus(&vec![len; (1 << 24) / len], 4, 7);
        let stopper = Stopper(Mutex::default());
        let run = Run::new(&stopper);
        let halt = scores(&gpu, &corpus, &whole(&corpus), &DISTANCE, &Cpu::all_cores(), &run).unwrap_err();
        assert_eq!(halt, Halt::Stopped);
        let since = stopper.0.lock().unwrap().expect("the run was stopped").elapsed();
        assert!(since < Duration::from_millis(250), "{since:?}");
    }
}

/// The large tile yields to brief ones, and then continues with the items that are left.
#[test]
fn large_tile_yields_to_brief_tiles() {
    let Some(gpu) = gpu() else { return };
    let (large, small) = (corpus(&[1000; 4000], 4, 8), corpus(&[100; 40], 4, 9));
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    let of = |corpus: &Corpus| scores(&gpu, corpus, &whole(corpus), &DISTANCE, &host, &run).unwrap();
    let alone = [of(&large), of(&small)];
    std::thread::scope(|scope| {
        let sweep = scope.spawn(|| of(&large));
        while !sweep.is_finished() {
            assert!(of(&small) == alone[1], "a brief tile differs");
        }
        assert!(sweep.join().unwrap() == alone[0], "the large tile differs");
    });
}

/// Prints the rate of a job, and checks one of its scores.
#[expect(clippy::print_stdout, reason = "a measurement")]
fn measure(device: &DeviceCorpus, name: &str, score: &PairScore) {
    let (host, run, corpus) = (Cpu::all_cores(), Run::new(&NoObserver), device.corpus);
    let (tile, members) = (whole(corpus), corpus.len());
    let cells = (corpus.range(members - 1).end as f64).powi(2);
    let seconds = (0..3).map(|_| {
        let start = Instant::now();
        let scores = device.scores(&tile, score, &host, &run).unwrap();
        let took = start.elapsed().as_secs_f64();
        let at = scores.len() / 2 + 77;
        let pair = Tile { rows: at / members..at / members + 1, columns: at % members..at % members + 1 };
        assert_eq!(scores[at], cpu::scores(corpus, &pair, score, &host, &run).unwrap()[0]);
        took
    });
    let seconds = seconds.min_by(f64::total_cmp).unwrap();
    println!("{name}: {:.2} T cells/s ({:.2} ms)", cells / seconds / 1e12, seconds * 1e3);
}

/// Prints the cells of a second with all scores on the host: `cargo test … speed_of_collections -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn speed_of_collections() {
    let Some(gpu) = gpu() else { return };
    let run = Run::new(&NoObserver);
    let mut rng = fastrand::Rng::with_seed(1);
    let mut uniform = |count: usize, from: usize, to: usize| -> Vec<usize> { (0..count).map(|_| rng.usize(from..=to)).collect() };
    let jobs = [
        ("32 letters", vec![32; 16_384], 4),
        ("100 letters", vec![100; 16_384], 4),
        ("150 letters", vec![150; 16_384], 4),
        ("1,000 letters", vec![1000; 8192], 4),
        ("8,000 letters", vec![8000; 2048], 4),
        ("words of 3 to 14 letters", uniform(16_384, 3, 14), 26),
        ("lines of 20 to 4,000 letters", uniform(8192, 20, 4000), 4),
        ("lines of 20 to 4,000 letters of text", uniform(8192, 20, 4000), 64),
        ("150 letters of protein", vec![150; 16_384], 24),
    ];
    for (name, lens, alphabet) in jobs {
        let corpus = corpus(&lens, alphabet, 1);
        let device = DeviceCorpus::new(&gpu, &corpus, &run).unwrap();
        measure(&device, &format!("edit distance, {name}"), &DISTANCE);
        measure(&device, &format!("with exchanges, {name}"), &PairScore::StringAlignment);
        measure(&device, &format!("lcs, {name}"), &PairScore::Lcs);
    }
    let jobs = [
        ("100 letters", vec![100; 8192], 4),
        ("150 letters", vec![150; 8192], 4),
        ("400 letters", vec![400; 2048], 4),
        ("1,000 letters", vec![1000; 2048], 4),
        ("lines of 20 to 1,000 letters", uniform(4096, 20, 1000), 4),
        ("150 letters of protein", vec![150; 8192], 24),
        ("400 letters of protein", vec![400; 2048], 24),
        ("1,000 letters of protein", vec![1000; 2048], 24),
        ("lines of 20 to 1,000 letters of protein", uniform(4096, 20, 1000), 24),
    ];
    for (name, lens, alphabet) in jobs {
        let corpus = corpus(&lens, alphabet, 1);
        let device = DeviceCorpus::new(&gpu, &corpus, &run).unwrap();
        for mode in MODES {
            let model = if alphabet == 4 { equality(mode, [2, -1], [4, 1]) } else { table(mode, 24, 24, [11, 1]) };
            measure(&device, &format!("{mode:?} alignment, {name}"), &PairScore::Alignment(model));
        }
        measure(&device, &format!("costs of 3, 2 and 2, {name}"), &of_costs(3, 2, 2));
    }
}

/// Prints the time of questions from the collection to the answer: `cargo test … speed_of_questions -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
#[expect(clippy::print_stdout, reason = "a measurement")]
fn speed_of_questions() {
    use crate::collection::{AnswerLimits, Collection, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, RowSteps, SideSources};
    use crate::job::{JobOptions, Task, Unit};

    let Some(gpu) = gpu() else { return };
    let (host, run) = (Cpu::all_cores(), Run::new(&NoObserver));
    let limits = AnswerLimits { max_scores: 1 << 30, max_pairs: 1 << 26 };
    let options = JobOptions { unit: Unit::Bytes, alignment: false, ..JobOptions::default() };
    for (members, len) in [(16_384, 32), (16_384, 150), (65_536, 32), (65_536, 150)] {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut letters = |len: usize| (0..len).map(|_| b"ACGT"[rng.usize(..4)]).chain([b'\n']).collect::<Vec<u8>>();
        let text: Vec<u8> = (0..members).flat_map(|_| letters(len)).collect();
        let sources = SideSources { sources: vec![MemberSource { name: "lines".into(), bytes: text.into() }], split: MemberSplit::Lines };
        let collection = Collection::parse(sources, None, &options.reading()).unwrap();
        for (task, keep) in [
            (Task::EditDistance, KeptPairs::All),
            (Task::EditDistance, KeptPairs::Within(8)),
            (Task::EditDistance, KeptPairs::Nearest(3)),
            (Task::Lcs, KeptPairs::Similarity(0.85)),
        ] {
            let question = CollectionQuestion::new(task, &options, keep, &collection).unwrap();
            if question.check_limits(&collection, &limits).is_err() {
                continue;
            }
            let seconds = (0..3).map(|_| {
                let start = Instant::now();
                question.solve_on(&gpu, &collection, &limits, &host, &mut RowSteps::none(), &run).unwrap();
                start.elapsed().as_secs_f64()
            });
            let cells = (members as f64 * len as f64).powi(2) / 2.0;
            let seconds = seconds.min_by(f64::total_cmp).unwrap();
            println!("{members} of {len}, {task:?} {keep:?}: {:.1} ms, {:.2} T cells/s", seconds * 1e3, cells / seconds / 1e12);
        }
    }
}
