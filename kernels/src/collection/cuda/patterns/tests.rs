//! Hits on a GPU against a matrix of numbers: lengths around those of words, alphabets, sets of bases, records, borders of
//! chunks, pieces and parts, full buffers and stops.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::*;
use crate::cpu::Cpu;
use crate::event::RunSignal;
use crate::gpu::Gpu;
use crate::gpu::testing::gpu;
use crate::run::{Halt, NoObserver, Observer, Run};

const FOR_ALL: SearchSettings = SearchSettings { is_for_all: true, ..SearchSettings::DEVICE };

fn hits(gpu: &Gpu, text: &SearchedText, patterns: &[ShortPattern], settings: &SearchSettings) -> Vec<Option<Vec<ShortHit>>> {
    find(gpu, text, (patterns, &vec![1; patterns.len()]), settings, &Cpu::all_cores(), &Run::new(&NoObserver)).unwrap()
}

/// Finds the hits of `pattern` with the matrix of numbers of each record.
pub(crate) fn expected(text: &SearchedText, pattern: &ShortPattern) -> Vec<ShortHit> {
    let matches = |x: u8, y: u8| text.symbol_match.matches(x.into(), y.into());
    let rows = pattern.symbols.len();
    let mut hits = Vec::new();
    let mut start = 0;
    for record in text.symbols.split(|symbol| Some(*symbol) == text.border) {
        // Distances and greatest starts.
        let mut column: Vec<(usize, isize)> = (0..=rows).map(|row| (row, 0)).collect();
        for (at, symbol) in record.iter().enumerate() {
            let mut diagonal = column[0];
            column[0] = (0, -(at as isize + 1));
            for row in 1..=rows {
                let cost = usize::from(!matches(pattern.symbols[row - 1], *symbol));
                let plus = |(distance, start): (usize, isize), cost| (distance + cost, start);
                let next = plus(diagonal, cost).min(plus(column[row], 1)).min(plus(column[row - 1], 1));
                diagonal = std::mem::replace(&mut column[row], next);
            }
            let (distance, from) = column[rows];
            if distance <= pattern.limit as usize {
                let length = (at as isize + 1 + from) as u8;
                hits.push(ShortHit { end: (start + at + 1) as u64, length, distance: distance as u8 });
            }
        }
        start += record.len() + 1;
    }
    hits
}

#[track_caller]
fn check(gpu: &Gpu, text: &SearchedText, patterns: &[ShortPattern], settings: &SearchSettings) {
    let found = hits(gpu, text, patterns, settings);
    assert_eq!(found.len(), patterns.len());
    for (pattern, found) in patterns.iter().zip(found) {
        let expected = expected(text, pattern);
        let found = found.unwrap_or_else(|| panic!("{pattern:?} is left"));
        let wrong = (0..found.len().max(expected.len())).find(|at| found.get(*at) != expected.get(*at));
        let what = wrong.map(|at| (at, found.get(at).copied(), expected.get(at).copied()));
        assert_eq!(what, None, "{pattern:?} in {} symbols by {settings:?}", text.symbols.len());
    }
}

/// Draws a text and patterns. Most patterns are parts of the text with some changes.
struct Drawn {
    rng: fastrand::Rng,
    alphabet: u8,
    symbols: Vec<u8>,
}

impl Drawn {
    fn new(len: usize, alphabet: u8, seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let symbols = (0..len).map(|_| rng.u8(..alphabet)).collect();
        Self { rng, alphabet, symbols }
    }

    fn pattern(&mut self, len: usize, limit: u32) -> ShortPattern {
        let Self { rng, alphabet, symbols } = self;
        let start = rng.usize(..=symbols.len());
        let mut own: Vec<u8> = symbols[start..].iter().copied().take(len).collect();
        for _ in 0..rng.u32(..=limit) {
            match (rng.u8(..3), own.len()) {
                (0, count) if count > 1 => drop(own.remove(rng.usize(..count))),
                (1, count) => own.insert(rng.usize(..=count), rng.u8(..*alphabet)),
                (_, 0) => {}
                (_, count) => own[rng.usize(..count)] = rng.u8(..*alphabet),
            }
        }
        own.truncate(len);
        own.resize_with(len, || rng.u8(..*alphabet));
        ShortPattern { symbols: own, limit: limit.min(len as u32 - 1) }
    }

    fn text(&self) -> SearchedText<'_> {
        SearchedText { symbols: &self.symbols, alphabet: self.alphabet.into(), symbol_match: SymbolMatch::Equal, border: None }
    }
}

/// Limits from 0 to the length of a pattern.
fn limits(len: usize) -> Vec<u32> {
    let mut limits = vec![0, 1, 2, 3, 5, len / 4, len / 2, len - 1];
    limits.retain(|limit| *limit < len);
    limits.sort_unstable();
    limits.dedup();
    limits.into_iter().map(|limit| limit as u32).collect()
}

#[test]
fn patterns_of_all_lengths_have_the_hits_of_the_matrix() {
    let Some(gpu) = gpu() else { return };
    for (alphabet, seed) in [(2, 1), (4, 2), (20, 3)] {
        let mut drawn = Drawn::new(3000, alphabet, seed);
        let mut patterns: Vec<ShortPattern> = Vec::new();
        for len in 1..=64 {
            patterns.extend(limits(len).into_iter().map(|limit| drawn.pattern(len, limit)));
        }
        check(&gpu, &drawn.text(), &patterns, &FOR_ALL);
    }
}

#[test]
fn texts_of_all_lengths_have_the_hits_of_the_matrix() {
    let Some(gpu) = gpu() else { return };
    for len in (0..70).chain([127, 128, 129, 255, 256, 257, 4095, 4096, 4097, 20_000]) {
        let mut drawn = Drawn::new(len, 4, len as u64);
        let patterns: Vec<ShortPattern> = [1, 15, 16, 17, 23, 31, 32, 33, 63, 64].map(|len| drawn.pattern(len, 3)).into();
        check(&gpu, &drawn.text(), &patterns, &FOR_ALL);
    }
}

#[test]
fn every_number_of_patterns_has_the_hits_of_the_matrix() {
    let Some(gpu) = gpu() else { return };
    let mut drawn = Drawn::new(2000, 4, 5);
    for count in [1, 2, 31, 32, 33, 64, 65, 128, 129, 190, 250, 320, 321, 640, 1300] {
        let patterns: Vec<ShortPattern> = (0..count).map(|at| drawn.pattern(10 + at % 30, 2 + at as u32 % 3)).collect();
        check(&gpu, &drawn.text(), &patterns, &FOR_ALL);
        check(&gpu, &drawn.text(), &patterns, &SearchSettings { masks: 8 * 70, ..FOR_ALL });
    }
}

#[test]
fn hits_at_borders_of_chunks_and_parts_are_found_once() {
    let Some(gpu) = gpu() else { return };
    let mut drawn = Drawn::new(4000, 3, 6);
    let mut patterns: Vec<ShortPattern> = Vec::new();
    for len in [1, 8, 16, 23, 32, 33, 40, 64] {
        patterns.extend(limits(len).into_iter().map(|limit| drawn.pattern(len, limit)));
    }
    for (chunk, part) in [(16, 1 << 31), (48, 1 << 31), (16, 16), (16, 100), (256, 333), (64, 1000)] {
        check(&gpu, &drawn.text(), &patterns, &SearchSettings { chunk, part, ..FOR_ALL });
    }
}

#[test]
fn sets_of_bases_have_the_hits_of_the_matrix() {
    let Some(gpu) = gpu() else { return };
    let mut drawn = Drawn::new(3000, 4, 7);
    let mut patterns: Vec<ShortPattern> = (0..100).map(|at| drawn.pattern(1 + at % 64, at as u32 % 7)).collect();
    let mut rng = fastrand::Rng::with_seed(8);
    let mut set = |symbol: &mut u8| *symbol = if rng.u8(..8) == 0 { rng.u8(1..16) } else { 1 << *symbol };
    drawn.symbols.iter_mut().chain(patterns.iter_mut().flat_map(|pattern| &mut pattern.symbols)).for_each(&mut set);
    for border in [None, Some(0)] {
        if border.is_some() {
            [0, 1, 700, 705, 2999].into_iter().for_each(|at| drawn.symbols[at] = 0);
        }
        let text = SearchedText { alphabet: 16, symbol_match: SymbolMatch::Overlap, border, ..drawn.text() };
        check(&gpu, &text, &patterns, &FOR_ALL);
    }
}

#[test]
fn hits_lie_within_records() {
    let Some(gpu) = gpu() else { return };
    let mut drawn = Drawn::new(5000, 4, 9);
    let mut patterns: Vec<ShortPattern> = Vec::new();
    for len in [1, 5, 16, 23, 32, 33, 64] {
        patterns.extend(limits(len).into_iter().map(|limit| drawn.pattern(len, limit)));
    }
    for records in [1, 3, 50, 1000] {
        for _ in 0..records {
            let at = drawn.rng.usize(..drawn.symbols.len());
            drawn.symbols[at] = 4;
        }
        let text = SearchedText { alphabet: 5, border: Some(4), ..drawn.text() };
        check(&gpu, &text, &patterns, &FOR_ALL);
        check(&gpu, &text, &patterns, &SearchSettings { chunk: 16, part: 160, ..FOR_ALL });
    }
}

#[test]
fn large_alphabets_and_repetitions_have_the_hits_of_the_matrix() {
    let Some(gpu) = gpu() else { return };
    for alphabet in [64, 200, 255] {
        let mut drawn = Drawn::new(3000, alphabet, 10);
        let patterns: Vec<ShortPattern> = (0..150).map(|at| drawn.pattern(1 + at % 64, at as u32 % 9)).collect();
        check(&gpu, &drawn.text(), &patterns, &FOR_ALL);
    }
    let mut drawn = Drawn::new(20_000, 4, 11);
    drawn.symbols[2000..12_000].iter_mut().enumerate().for_each(|(at, symbol)| *symbol = (at / 5000 * at % 2) as u8);
    let patterns: Vec<ShortPattern> = (0..200).map(|at| drawn.pattern(1 + at % 64, at as u32 % 5)).collect();
    check(&gpu, &drawn.text(), &patterns, &FOR_ALL);
}

#[test]
fn full_buffer_repeats_smaller_pieces() {
    let Some(gpu) = gpu() else { return };
    let mut drawn = Drawn::new(3000, 2, 12);
    let patterns: Vec<ShortPattern> = [(8, 3), (20, 9), (40, 30)].map(|(len, limit)| drawn.pattern(len, limit)).into();
    for capacity in [48, 100, 1000] {
        check(&gpu, &drawn.text(), &patterns, &SearchSettings { capacity, ..FOR_ALL });
        check(&gpu, &drawn.text(), &patterns, &SearchSettings { capacity, chunk: 16, part: 500, ..FOR_ALL });
    }
    let left = |settings| hits(&gpu, &drawn.text(), &patterns, &settings) == [None, None, None];
    assert!(left(SearchSettings { capacity: 4, ..FOR_ALL }), "a piece of 16 columns has more hits");
    let total = patterns.iter().map(|pattern| expected(&drawn.text(), pattern).len() as u64).sum::<u64>();
    let found = hits(&gpu, &drawn.text(), &patterns, &SearchSettings { max_hits: total - 1, ..FOR_ALL });
    let lists: Vec<_> = patterns.iter().map(|pattern| expected(&drawn.text(), pattern)).collect();
    let longest = lists.iter().map(Vec::len).max();
    for (found, expected) in found.into_iter().zip(lists) {
        assert_eq!(found, (Some(expected.len()) != longest).then_some(expected));
    }
    check(&gpu, &drawn.text(), &patterns, &SearchSettings { max_hits: total, ..FOR_ALL });
}

#[test]
fn patterns_with_many_hits_are_left_to_the_caller() {
    let Some(gpu) = gpu() else { return };
    let mut drawn = Drawn::new(100_000, 4, 13);
    let patterns = [drawn.pattern(23, 3), drawn.pattern(6, 3), drawn.pattern(12, 1), drawn.pattern(64, 40)];
    let found = hits(&gpu, &drawn.text(), &patterns, &SearchSettings::DEVICE);
    assert_eq!(
        [&found[0], &found[2]].map(|list| list.as_ref()),
        [0, 2].map(|at| expected(&drawn.text(), &patterns[at])).each_ref().map(Some)
    );
    assert_eq!((&found[1], &found[3]), (&None, &None));
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
fn long_search_stops_within_a_quarter_of_a_second() {
    let Some(gpu) = gpu() else { return };
    let mut drawn = Drawn::new(1 << 27, 4, 14);
    let patterns: Vec<ShortPattern> = (0..6400).map(|_| drawn.pattern(23, 3)).collect();
    let stopper = Stopper(Mutex::default());
    let run = Run::new(&stopper);
    let cells = vec![1 << 20; patterns.len()];
    let halt = find(&gpu, &drawn.text(), (&patterns, &cells), &SearchSettings::DEVICE, &Cpu::all_cores(), &run).unwrap_err();
    assert_eq!(halt, Halt::Stopped);
    let since = stopper.0.lock().unwrap().expect("the run was stopped").elapsed();
    assert!(since < Duration::from_millis(250), "{since:?}");
}

/// The large search yields to brief ones, and then continues with the items that are left.
#[test]
fn large_search_yields_to_brief_searches() {
    let Some(gpu) = gpu() else { return };
    let (mut large, mut small) = (Drawn::new(1 << 26, 4, 15), Drawn::new(1 << 16, 4, 16));
    let many: Vec<ShortPattern> = (0..6400).map(|_| large.pattern(23, 3)).collect();
    let few: Vec<ShortPattern> = (0..10).map(|_| small.pattern(23, 3)).collect();
    let (of_large, of_small) =
        (|| hits(&gpu, &large.text(), &many, &SearchSettings::DEVICE), || hits(&gpu, &small.text(), &few, &SearchSettings::DEVICE));
    let alone = (of_large(), of_small());
    std::thread::scope(|scope| {
        let sweep = scope.spawn(of_large);
        while !sweep.is_finished() {
            assert!(of_small() == alone.1, "a brief search differs");
        }
        assert!(sweep.join().unwrap() == alone.0, "the large search differs");
    });
}
