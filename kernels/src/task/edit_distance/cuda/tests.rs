//! What only shows from inside: every variant against plain rows of the matrix, the ring of border rows, and cutting a pair that
//! does not fit.

use super::*;
use crate::run::Silent;
use crate::testing::{mutated, random};
use shape::{WORDS, planes};

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn gpu() -> Option<Gpu> {
    Gpu::open(0, None).inspect_err(|error| eprintln!("skipped: no CUDA device ({error})")).ok()
}

fn letters(alphabet: u32) -> Vec<u8> {
    (0..alphabet).map(|letter| letter as u8).collect()
}

/// A text over `alphabet` symbols and an edited one, cut or filled up to these lengths.
fn texts(rows: usize, columns: usize, alphabet: u32) -> [Vec<u8>; 2] {
    let letters = letters(alphabet);
    let a = random(&letters, rows, 1);
    let mut b = mutated(&a, &letters, 0.2, 2);
    b.extend(random(&letters, columns, 3));
    b.truncate(columns);
    [a, b]
}

/// Rows `0, height, 2·height, …` of the matrix of `a` and `b`.
fn matrix_rows(a: &[u8], b: &[u8], wanted: impl Fn(usize) -> bool) -> Vec<(usize, Vec<u64>)> {
    let mut row: Vec<u64> = (0..=b.len() as u64).collect();
    let mut rows = vec![(0, row.clone())];
    for (i, symbol) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u64 + 1;
        for j in 1..=b.len() {
            let above = row[j];
            row[j] = (diagonal + u64::from(symbol != &b[j - 1])).min(above + 1).min(row[j - 1] + 1);
            diagonal = above;
        }
        if wanted(i + 1) {
            rows.push((i + 1, row.clone()));
        }
    }
    rows
}

/// Leftmost crossings of optimal paths with every border below the first row.
fn crossings(a: &[u8], b: &[u8], height: usize) -> Vec<Crossing> {
    let reversed = |text: &[u8]| text.iter().rev().copied().collect::<Vec<u8>>();
    let (m, n) = (a.len(), b.len());
    let forward = matrix_rows(a, b, |row| row % height == 0 && row < m);
    let backward = matrix_rows(&reversed(a), &reversed(b), |row| (m - row) % height == 0 && row < m);
    let pairs = forward[1..].iter().zip(backward[1..].iter().rev());
    pairs
        .map(|((row, f), (_, back))| {
            let (distance, column) = (0..=n).map(|c| (f[c] + back[n - c], c as u64)).min().unwrap();
            Crossing { row: *row as u64, column, distance }
        })
        .collect()
}

fn machine_of(multiprocessors: u32) -> Machine {
    Machine { multiprocessors, host_cells: 50.0 }
}

#[track_caller]
fn check_sweep(gpu: &Gpu, a: &[u8], b: &[u8], shape: &Shape) {
    let run = Run::new(&Silent);
    let (m, n) = (a.len() as u64, b.len() as u64);
    let found = Grid::new(gpu, &run, a, b).unwrap().sweep(0..m, 0..n, shape).unwrap();
    let expected = crossings(a, b, shape.height() as usize);
    let what = format!("{shape:?}, {m} x {n}");
    match shape.goal {
        Goal::Borders => assert_eq!(found, expected, "{what}"),
        Goal::Middle if shape.bands == 1 => {
            assert_eq!(found[0].distance, matrix_rows(a, b, |row| row == a.len()).last().unwrap().1[b.len()], "{what}")
        }
        Goal::Middle => assert_eq!(found, [expected[shape.passes()[0] as usize - 1]], "{what}"),
    }
    assert_eq!(run.cells(), shape.times() * m * n, "{what}");
}

#[test]
fn every_variant_finds_the_leftmost_crossings() {
    let Some(gpu) = gpu() else { return };
    for words in WORDS {
        let height = 1024 * words as usize;
        for alphabet in [1, 2, 4, 5, 16, 17, 64, 128, 256] {
            let rows = 2 * height + 37 * words as usize + alphabet as usize;
            let [a, b] = texts(rows, if alphabet % 2 == 0 { 760 } else { 2001 }, alphabet);
            for goal in [Goal::Middle, Goal::Borders] {
                let shape = Shape::new(goal, Size::of(&a, &b), planes(alphabet), words, machine_of(132));
                check_sweep(&gpu, &a, &b, &shape);
            }
        }
    }
}

#[test]
fn band_and_word_borders_are_exact() {
    let Some(gpu) = gpu() else { return };
    for words in [1, 2] {
        for rows in [1, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4097] {
            for columns in [1, 31, 32, 33, 64, 1024, 1025] {
                let [a, b] = texts(rows, columns, 4);
                for goal in [Goal::Middle, Goal::Borders] {
                    let shape = Shape::new(goal, Size::of(&a, &b), 2, words, machine_of(132));
                    if goal == Goal::Middle || shape.bands > 1 {
                        check_sweep(&gpu, &a, &b, &shape);
                    }
                }
            }
        }
    }
}

#[test]
fn border_rows_in_a_ring_are_never_read_late() {
    let Some(gpu) = gpu() else { return };
    let [a, b] = texts(60 * 1024 - 17, 3000, 4);
    for multiprocessors in [1, 2] {
        let shape = Shape::new(Goal::Middle, Size::of(&a, &b), 2, 1, machine_of(multiprocessors));
        assert!(shape.slots() < shape.passes()[0], "{shape:?}");
        check_sweep(&gpu, &a, &b, &shape);
    }
}

#[test]
fn a_pair_that_does_not_fit_is_cut_first() {
    let Some(gpu) = gpu() else { return };
    let [a, b] = texts(50_000, 49_000, 4);
    let size = Size::of(&a, &b);
    let least = |goal| WORDS.map(|words| Shape::new(goal, size, 2, words, machine(&gpu)).bytes()).into_iter().min().unwrap();
    let run = Run::new(&Silent);
    for (a, b) in [(&a, &b), (&b, &a)] {
        let texts = Texts { a, b, alphabet: 4 };
        let whole = distance(&gpu, texts, &run).unwrap();
        for limit in [u64::MAX, least(Goal::Borders), least(Goal::Borders) - 1, least(Goal::Middle)] {
            let (distance, alignment) = align_within(&gpu, texts, &run, limit).unwrap();
            assert_eq!((distance, alignment.summary().distance()), (whole, whole), "limit {limit}");
            alignment.check(a, b).unwrap();
        }
        let got = least(Goal::Middle);
        let limit = got - 1;
        let what = "The GPU memory that texts of this length need, in bytes,".into();
        assert_eq!(align_within(&gpu, texts, &run, limit), Err(Failure::TooLarge { what, got, limit }.into()));
    }
}
