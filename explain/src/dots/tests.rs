use std::ops::ControlFlow;

use kernels::event::RunSignal;
use kernels::run::{NoObserver, Observer};
use kernels::text::{ReadingOptions, Unit};
use oracle::{bytes, mutated, random};
use proptest::prelude::*;

use super::*;

/// Counts the dots of every pair of positions, one by one.
fn oracle(pair: &Pair, frame: &DotPlotFrame, word: u64, every: [u64; 2]) -> Vec<u32> {
    let (a, b) = (pair.a_symbols(), pair.b_symbols());
    let (rows, columns) = (frame.to_a - frame.from_a, frame.to_b - frame.from_b);
    let mut counts = vec![0; (frame.width * frame.height) as usize];
    for i in (frame.from_a..frame.to_a).filter(|i| i % every[0] == 0 && i + word <= a.len() as u64) {
        for j in (frame.from_b..frame.to_b).filter(|j| j % every[1] == 0 && j + word <= b.len() as u64) {
            if (0..word).all(|at| a.symbol_at((i + at) as usize) == b.symbol_at((j + at) as usize)) {
                let (y, x) = ((i - frame.from_a) * frame.height / rows, (j - frame.from_b) * frame.width / columns);
                counts[(y * frame.width + x) as usize] += 1;
            }
        }
    }
    counts
}

fn drawn(pair: &Pair, frame: &DotPlotFrame, limits: &SampleLimits) -> DotPlot {
    count_dots_within_limits(pair, frame, limits, &Run::new(&NoObserver)).unwrap()
}

const ALL: SampleLimits = SampleLimits { a: MAX_SAMPLED_A, b: MAX_SAMPLED_B };

#[test]
fn counts_agree_with_all_pairs_of_positions() {
    for (seed, letters) in [(1, &b"ab"[..]), (2, b"ACGT"), (3, b"abcdefghijklmnopqrstuvwxyz")] {
        for (m, n) in [(1, 1), (3, 70), (64, 65), (257, 130)] {
            let a = random(letters, m, seed);
            let b = if m < 100 { random(letters, n, seed + 9) } else { mutated(&a, letters, 0.1, seed) };
            let pair = bytes(&a, &b);
            for word in [None, Some(1), Some(2), Some(5)] {
                for (from_a, to_a, from_b, to_b) in [(0, 999, 0, 999), (1, 60, 7, 50), (2, 3, 0, 64)] {
                    for (width, height) in [(1, 1), (7, 3), (1000, 1000)] {
                        let dots = drawn(
                            &pair,
                            &DotPlotFrame { from_a, to_a, from_b, to_b, width, height, word, ..DotPlotFrame::default() },
                            &ALL,
                        );
                        let used = dots.frame.word.unwrap();
                        assert!(word.is_none_or(|word| word == used));
                        assert_eq!(dots.counts, oracle(&pair, &dots.frame, used.into(), [1, 1]), "{seed} {m} {n} {:?}", dots.frame);
                        assert_eq!(dots.one_in, 1);
                    }
                }
            }
        }
    }
}

#[test]
fn sampled_plot_counts_sampled_positions_and_keeps_every_diagonal() {
    let a = random(b"ACGT", 500, 4);
    let pair = bytes(&a, &mutated(&a, b"ACGT", 0.05, 5));
    for (limits, every_a) in [(SampleLimits { a: 100, b: 200 }, 8), (SampleLimits { a: 400, b: 60 }, 2), (SampleLimits { a: 1, b: 1 }, 512)]
    {
        let whole = DotPlotFrame { to_a: 500, to_b: pair.b.len() as u64, width: 40, height: 30, word: Some(3), ..DotPlotFrame::default() };
        let dots = drawn(&pair, &whole, &limits);
        let every_b = (pair.b.len() as u64).div_ceil(limits.b) | 1;
        assert_eq!(dots.one_in, every_a * every_b);
        assert_eq!(dots.counts, oracle(&pair, &dots.frame, 3, [every_a, every_b]));
    }
    let same = bytes(&a, &a);
    let near =
        DotPlotFrame { from_a: 100, to_a: 400, from_b: 113, to_b: 413, width: 1, height: 1, word: Some(1), ..DotPlotFrame::default() };
    let [all, sampled] = [ALL, SampleLimits { a: 75, b: 100 }].map(|limits| f64::from(drawn(&same, &near, &limits).counts[0]));
    assert!((sampled * 12.0 - all).abs() < 0.2 * all, "{sampled} of {all}");
}

#[test]
fn word_length_keeps_random_dots_rare() {
    let word = |letters: &[u8], len: usize, parts: u64| {
        let pair = bytes(&random(letters, len, 6), &random(letters, len, 7));
        let whole = DotPlotFrame { to_a: len as u64, to_b: len as u64, width: parts, height: parts, ..DotPlotFrame::default() };
        let dots = drawn(&pair, &whole, &ALL);
        let filled = dots.counts.iter().filter(|count| **count > 0).count();
        (dots.frame.word.unwrap(), filled as f64 / dots.counts.len() as f64)
    };
    assert_eq!(word(b"ACGT", 50, 100).0, 1);
    for (letters, len) in [(&b"ACGT"[..], 20_000), (b"abcdefghijklmnopqrstuvwxyz", 20_000), (b"ab", 3_000)] {
        let (word, filled) = word(letters, len, 200);
        assert!(word > 1 && filled < 1.5 / PARTS_PER_CHANCE_DOT, "{word} {filled}");
    }
}

#[test]
fn repetitive_texts_are_counted_without_visiting_every_pair() {
    let pair = bytes(&[b'x'; 30_000], &[b'x'; 40_000]);
    let whole = DotPlotFrame { to_a: 30_000, to_b: 40_000, width: 4, height: 3, word: Some(1), ..DotPlotFrame::default() };
    assert_eq!(drawn(&pair, &whole, &ALL).counts, [100_000_000; 12]);
    let one = DotPlotFrame { width: 1, height: 1, ..whole };
    assert_eq!(drawn(&pair, &one, &ALL).counts, [1_200_000_000]);
    // No word length keeps random dots few here, so the longest one that fits is used.
    assert_eq!(drawn(&pair, &DotPlotFrame { word: None, ..whole }, &ALL).frame.word, Some(64));
}

#[test]
fn empty_texts_and_invalid_frames_give_empty_plots() {
    for (a, b) in [("", ""), ("", "abc"), ("abc", "")] {
        let dots = drawn(
            &bytes(a.as_bytes(), b.as_bytes()),
            &DotPlotFrame { to_a: 9, to_b: 9, width: 0, height: 0, ..DotPlotFrame::default() },
            &ALL,
        );
        assert!(dots.counts.iter().all(|count| *count == 0), "{dots:?}");
    }
    let dots = drawn(
        &bytes(b"abc", b"abc"),
        &DotPlotFrame { from_a: 7, to_a: 2, from_b: u64::MAX, to_b: 3, width: 9, height: 9, word: Some(0), ..DotPlotFrame::default() },
        &ALL,
    );
    assert_eq!((dots.counts, dots.frame.word, dots.longest), (vec![0], Some(1), 32));
    let long = drawn(
        &bytes(b"abc", b"abc"),
        &DotPlotFrame { to_a: 3, to_b: 3, width: 3, height: 3, word: Some(9), ..DotPlotFrame::default() },
        &ALL,
    );
    assert_eq!(long.counts, [0; 9]);
}

#[test]
fn wide_symbols_form_words() {
    let lines = |from: u32, to: u32| (from..to).map(|n| format!("{n}\n")).collect::<String>();
    let reading = ReadingOptions { unit: Unit::Lines, ..ReadingOptions::default() };
    let pair = Pair::parse(lines(0, 700).into_bytes(), lines(300, 900).into_bytes(), &reading).unwrap();
    let whole = DotPlotFrame { to_a: 700, to_b: 600, width: 6, height: 7, word: Some(2), ..DotPlotFrame::default() };
    let dots = drawn(&pair, &whole, &ALL);
    assert_eq!(dots.counts, oracle(&pair, &dots.frame, 2, [1, 1]));
    assert_eq!(dots.counts.iter().sum::<u32>(), 399);
}

#[test]
fn frame_that_cannot_be_drawn_is_refused() {
    let pair = bytes(b"abc", b"abc");
    let refused = |frame: DotPlotFrame| match count_dots(&pair, &frame, &Run::new(&NoObserver)) {
        Err(Halt::Failed(failure)) => failure.kind(),
        drawn => panic!("{drawn:?}"),
    };
    let whole = DotPlotFrame { to_a: 3, to_b: 3, width: 3, height: 3, ..DotPlotFrame::default() };
    assert_eq!(refused(DotPlotFrame { width: MAX_PLOT_PARTS + 1, ..whole }), "too-large");
    assert_eq!(refused(DotPlotFrame { height: u64::MAX, ..whole }), "too-large");
    for frame in [DotPlotFrame { height: 0, ..whole }, DotPlotFrame { word: Some(0), ..whole }, DotPlotFrame { from_a: 4, ..whole }] {
        assert_eq!(refused(frame), "bad-input");
    }
}

#[test]
fn stopped_run_draws_no_further_column() {
    struct Gone;
    impl Observer for Gone {
        fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }
    let whole = DotPlotFrame { to_a: 3, to_b: 3, width: 3, height: 3, ..DotPlotFrame::default() };
    assert_eq!(count_dots(&bytes(b"abc", b"abc"), &whole, &Run::new(&Gone)), Err(Halt::Stopped));
}

proptest! {
    #[test]
    fn any_frame_of_any_texts_agrees_with_the_oracle(
        a in "[abc]{0,90}",
        b in "[abc]{0,90}",
        window in (0u64..100, 0u64..100, 0u64..100, 0u64..100),
        parts in (1u64..60, 1u64..60),
        word in 1u32..40,
        most in (1u64..100, 1u64..100),
    ) {
        let pair = bytes(a.as_bytes(), b.as_bytes());
        let (from_a, to_a, from_b, to_b) = window;
        let frame = DotPlotFrame { from_a, to_a, from_b, to_b, width: parts.0, height: parts.1, word: Some(word), ..DotPlotFrame::default() };
        let dots = drawn(&pair, &frame, &SampleLimits { a: most.0, b: most.1 });
        let least = |symbols: u64, most: u64| symbols.div_ceil(most).max(1);
        let every = [
            least(dots.frame.to_a - dots.frame.from_a, most.0).next_power_of_two(),
            least(dots.frame.to_b - dots.frame.from_b, most.1) | 1,
        ];
        prop_assert_eq!(dots.one_in, every[0] * every[1]);
        prop_assert_eq!(&dots.counts, &oracle(&pair, &dots.frame, word.into(), every));
    }
}

/// Checks that a piece on the other strand is a line of inverted words, and that only DNA and RNA have such words.
#[test]
fn inverted_words_equal_a_reverse_complement() {
    for (seed, word) in [(1, 1), (2, 2), (3, 5), (4, 9)] {
        let a = random(b"ACGTN", 120, seed);
        let text = String::from_utf8(mutated(&a, b"ACGT", 0.05, seed)).unwrap();
        let b = [text[..40].to_owned(), oracle::serial::strands::reversed(&text[40..80]), text[80..].to_owned()].concat();
        let pair = bytes(&a, b.as_bytes());
        let frame = DotPlotFrame { from_a: 3, to_a: 110, from_b: 1, to_b: 200, width: 13, height: 9, word: Some(word), inverted: true };
        let dots = drawn(&pair, &frame, &ALL);
        assert_eq!(dots.counts, drawn(&pair, &DotPlotFrame { inverted: false, ..frame }, &ALL).counts);
        let (rows, columns) = (dots.frame.to_a - dots.frame.from_a, dots.frame.to_b - dots.frame.from_b);
        let mut expected = vec![0; dots.inverted_counts.len()];
        let text = std::str::from_utf8(&a).unwrap();
        let len = word as usize;
        for i in (3..110).filter(|i| i + len <= a.len()) {
            for j in (1..dots.frame.to_b as usize).filter(|j| j + len <= b.len()) {
                if oracle::serial::strands::reversed(&b[j..j + len]) == text[i..i + len] {
                    let (y, x) = ((i as u64 - 3) * dots.frame.height / rows, (j as u64 - 1) * dots.frame.width / columns);
                    expected[(y * dots.frame.width + x) as usize] += 1;
                }
            }
        }
        assert_eq!((dots.inverted_counts.len(), &dots.inverted_counts), (dots.counts.len(), &expected), "{seed}");
        assert!(expected.iter().any(|count| *count > 0), "{seed}");
    }
    let all = |text: &str| DotPlotFrame {
        to_a: text.len() as u64,
        to_b: 99,
        width: 3,
        height: 3,
        word: Some(1),
        inverted: true,
        ..DotPlotFrame::default()
    };
    assert!(drawn(&bytes(b"kitten", b"sitting"), &all("kitten"), &ALL).inverted_counts.is_empty());
    assert_eq!(drawn(&bytes(b"GAU", b"AUC"), &all("GAU"), &ALL).inverted_counts, [0, 0, 1, 0, 1, 0, 1, 0, 0]);
}
