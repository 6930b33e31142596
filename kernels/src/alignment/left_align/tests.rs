use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::cpu::Cpu;
use crate::job::{JobOptions, PaperMethod, Task};
use crate::oracle::{bytes, mutated, random};
use crate::run::{NoObserver, Run};
use crate::task::solver;

fn flat(alignment: &Alignment) -> Vec<EditKind> {
    alignment.cigar_ops().iter().flat_map(|stretch| std::iter::repeat_n(stretch.edit, stretch.len as usize)).collect()
}

/// Moves the last movable gap over one column, by the definition. Returns `None` if no gap can move.
fn moved_once(columns: &[EditKind], a: &[u8], b: &[u8]) -> Option<Vec<EditKind>> {
    let (mut i, mut j) = (a.len(), b.len());
    for (at, edit) in columns.iter().enumerate().rev() {
        let (di, dj) = edit.consumed_symbols();
        // `i` and `j` are the ends of this column in `a` and `b`.
        let (i, j) = {
            let ends = (i, j);
            (i, j) = (i - di as usize, j - dj as usize);
            ends
        };
        if di + dj < 2 {
            continue;
        }
        let gap: Vec<EditKind> =
            columns[at + 1..].iter().copied().take_while(|edit| matches!(edit, EditKind::Insert | EditKind::Delete)).collect();
        for kind in [EditKind::Delete, EditKind::Insert] {
            let len = gap.iter().filter(|&&edit| edit == kind).count();
            let (x, y) = if kind == EditKind::Delete { (i - 1 + len, j - 1) } else { (i - 1, j - 1 + len) };
            if len > 0 && (a[x] == b[y]) == (*edit == EditKind::Equal) {
                let others = gap.iter().copied().filter(|&edit| edit != kind);
                let middle = std::iter::repeat_n(kind, len).chain([*edit]).chain(others);
                let rest = &columns[at + 1 + gap.len()..];
                return Some(columns[..at].iter().copied().chain(middle).chain(rest.iter().copied()).collect());
            }
        }
    }
    None
}

/// Moves gaps until none can be moved, and puts insertions first.
fn brute_force(alignment: &Alignment, a: &[u8], b: &[u8]) -> Alignment {
    let mut columns = flat(alignment);
    while let Some(moved) = moved_once(&columns, a, b) {
        columns = moved;
    }
    let is_gap = |edit: &EditKind| matches!(edit, EditKind::Insert | EditKind::Delete);
    for block in columns.chunk_by_mut(|one, next| is_gap(one) && is_gap(next)) {
        block.sort_by_key(|&edit| edit == EditKind::Delete);
    }
    Alignment::new(columns.into_iter().map(|edit| CigarOp { edit, len: 1 }))
}

/// Returns an optimal alignment. `choices` selects one of the optimal steps at every cell of the traceback.
fn optimal(a: &[u8], b: &[u8], substitutes: bool, choices: &[u8]) -> Alignment {
    let (m, n) = (a.len(), b.len());
    let corner = |i: usize, j: usize| match (a[i - 1] == b[j - 1], substitutes) {
        (true, _) => Some(0),
        (false, true) => Some(1),
        (false, false) => None,
    };
    let mut d = vec![vec![0usize; n + 1]; m + 1];
    for i in 0..=m {
        for j in 0..=n {
            d[i][j] = match (i, j) {
                (0, length) | (length, 0) => length,
                (i, j) => corner(i, j).map_or(usize::MAX, |cost| d[i - 1][j - 1] + cost).min(d[i - 1][j] + 1).min(d[i][j - 1] + 1),
            };
        }
    }
    let (mut i, mut j, mut backwards) = (m, n, Alignment::default());
    let mut choices = choices.iter().cycle();
    while i > 0 || j > 0 {
        let mut ways = Vec::new();
        if i > 0 && j > 0 && corner(i, j).is_some_and(|cost| d[i - 1][j - 1] + cost == d[i][j]) {
            ways.push(if a[i - 1] == b[j - 1] { EditKind::Equal } else { EditKind::Substitute });
        }
        if i > 0 && d[i - 1][j] + 1 == d[i][j] {
            ways.push(EditKind::Delete);
        }
        if j > 0 && d[i][j - 1] + 1 == d[i][j] {
            ways.push(EditKind::Insert);
        }
        let edit = ways[usize::from(*choices.next().unwrap()) % ways.len()];
        backwards.push(edit, 1);
        let (di, dj) = edit.consumed_symbols();
        (i, j) = (i - di as usize, j - dj as usize);
    }
    backwards.reversed()
}

proptest! {
    #[test]
    fn gaps_stop_where_no_step_to_the_left_is_possible(
        a in vec(prop::sample::select(b"ab".to_vec()), 0..14),
        b in vec(prop::sample::select(b"abc".to_vec()), 0..14),
        choices in vec(any::<u8>(), 1..30),
        substitutes: bool,
    ) {
        let found = optimal(&a, &b, substitutes, &choices);
        let shown = found.clone().left_aligned(&a, &b);
        prop_assert_eq!(&shown, &brute_force(&found, &a, &b));
        prop_assert_eq!(shown.check(&a, &b), Ok(()));
        prop_assert_eq!(shown.summary().distance(), found.summary().distance());
        prop_assert_eq!(shown.summary().matches, found.summary().matches);
        prop_assert_eq!(moved_once(&flat(&shown), &a, &b), None);
        prop_assert_eq!(&shown.clone().left_aligned(&a, &b), &shown);
        let [backwards_a, backwards_b] = [&a, &b].map(|text| text.iter().rev().copied().collect::<Vec<u8>>());
        let right = found.clone().with_gaps(GapPlacement::Rightmost, &a, &b);
        prop_assert_eq!(&right, &brute_force(&found.reversed(), &backwards_a, &backwards_b).reversed());
        prop_assert_eq!(right.check(&a, &b), Ok(()));
        prop_assert_eq!(right.summary().distance(), found.summary().distance());
        // A traceback in the order corner, above, left is already left-aligned, unless insertions and deletions are
        // adjacent.
        let first = optimal(&a, &b, true, &[0]);
        prop_assert_eq!(&first.clone().left_aligned(&a, &b), &first);
    }
}

#[test]
fn gaps_at_the_right_mirror_those_at_the_left() {
    let of = |cigar: &str, a: &[u8], b: &[u8]| cigar.parse::<Alignment>().unwrap().with_gaps(GapPlacement::Rightmost, a, b).to_string();
    assert_eq!(of("1=2D2=", b"GAAAC", b"GAC"), "2=2D1=");
    assert_eq!(of("1=1I1D1=", b"AGA", b"ATA"), "1=1D1I1=");
    assert_eq!(of("1D2T1=", b"aabc", b"bac"), "1D2T1=", "no gap moves over a transposition");
    let hit = "1D2=".parse::<Alignment>().unwrap().starting_at(0, 7).with_gaps(GapPlacement::Rightmost, b"AAG", b"AG");
    assert_eq!((hit.to_string(), hit.b_start()), ("1=1D1=".to_owned(), 7));
}

#[test]
fn gaps_that_meet_are_merged() {
    let of = |cigar: &str, a: &[u8], b: &[u8]| cigar.parse::<Alignment>().unwrap().left_aligned(a, b).to_string();
    assert_eq!(of("2=2D4=1D1=", b"GAAAAAAAAC", b"GAAAAAC"), "1=3D6=");
    assert_eq!(of("2=1X1D1=", b"ACGTA", b"ACCA"), "2=1D1X1=");
    assert_eq!(of("1=1D1I1=", b"AGA", b"ATA"), "1=1I1D1=");
    assert_eq!(of("2=1D2=", b"CGGTA", b"CGTA"), "1=1D3=");
    assert_eq!(of("1D1=1D1=1D2=", b"abbaaaa", b"baaa"), "1D1=2D3=", "the last gap moves first");
    assert_eq!(of("3=2I", b"ACC", b"ACCCC"), "1=2I2=");
    let hit = "2=1D".parse::<Alignment>().unwrap().starting_at(0, 7).left_aligned(b"GAA", b"GA");
    assert_eq!((hit.to_string(), hit.b_start()), ("1=1D1=".to_owned(), 7));
}

/// Every algorithm of the engine, from a single word to the diagonals and the papers' methods, returns the same
/// alignment.
#[test]
fn left_alignment_is_the_same_for_every_length_and_method() {
    let run = Run::new(&NoObserver);
    for n in [4, 12, 50, 62, 65, 66, 70, 83, 130, 300, 2000] {
        let text = |repeats: usize| [&b"G"[..], &b"A".repeat(repeats), b"C"].concat();
        let pair = bytes(&text(n), &text(n - 3));
        for (task, methods) in [
            (Task::EditDistance, &[None, Some(PaperMethod::Sequential), Some(PaperMethod::Diagonal)][..]),
            (Task::Lcs, &[None, Some(PaperMethod::Hirschberg), Some(PaperMethod::BitParallel), Some(PaperMethod::BitParallelBlocks)]),
        ] {
            for &method in methods {
                let options = JobOptions { method, ..JobOptions::default() };
                let solution = solver(task).cpu(&Cpu { threads: 2 }, &pair, &options, &run).unwrap();
                let shown = solution.alignment.unwrap();
                assert_eq!(shown.to_string(), format!("1=3D{}=", n - 2), "{n}, {task:?} by {method:?}");
                assert_eq!(solution.answer.alignment(), Some(shown.summary()));
            }
        }
        let hit = crate::found::Hit::new(0, pair.b_symbols().len() as u64, 3);
        let aligned =
            crate::task::searcher(Task::ApproximateSearch).unwrap().align(&pair, hit, GapPlacement::Leftmost, &Cpu::SINGLE, &run).unwrap();
        assert_eq!(aligned.to_string(), format!("1=3D{}=", n - 2));
    }
}

#[test]
fn no_gap_of_a_long_alignment_can_move_further_left() {
    let run = Run::new(&NoObserver);
    for (seed, letters) in [(1, &b"ACGT"[..]), (2, b"ab"), (3, b"ACGT")] {
        let a = random(letters, 3000, seed);
        let b = mutated(&a, letters, if seed == 3 { 0.01 } else { 0.2 }, seed + 10);
        for task in [Task::EditDistance, Task::Lcs] {
            let shown = solver(task).cpu(&Cpu { threads: 2 }, &bytes(&a, &b), &JobOptions::default(), &run).unwrap().alignment.unwrap();
            assert_eq!(moved_once(&flat(&shown), &a, &b), None, "{task:?}, seed {seed}");
        }
    }
}
