use kernels::text::ReadingOptions;
use proptest::prelude::*;

use super::*;
use crate::export::blocks;

#[test]
fn part_of_b_has_its_positions_in_the_text() {
    let pair = Pair::parse(&b"abc"[..], &b"xxabdxx"[..], &ReadingOptions::default()).unwrap();
    let alignment = "2=1X".parse::<Alignment>().unwrap().starting_at(0, 2);
    let window = AlignmentWindow::new(&alignment, &pair, 1, 5);
    assert_eq!((window.a_start, window.b_start, window.b.concat()), (1, 3, "bd".into()));
    let mut out = String::new();
    blocks(&mut out, &pair, &alignment, None).unwrap();
    assert!(out.ends_with("\na 1 abc 3\n    ||.\nb 3 abd 5\n"), "{out}");
}

/// Checks positions behind the last column, and those of an empty alignment.
#[test]
fn window_after_the_last_column_is_empty() {
    let pair = Pair::parse(&b"abc"[..], &b"xxabdxx"[..], &ReadingOptions::default()).unwrap();
    let alignment = "2=1X".parse::<Alignment>().unwrap().starting_at(0, 2);
    for (from, len) in [(3, 1), (3, 0), (900, 5)] {
        let window = AlignmentWindow::new(&alignment, &pair, from, len);
        assert_eq!((window.from, window.len, window.a_start, window.b_start), (3, 0, 3, 5));
        assert_eq!((window.differences_before, window.previous_difference, window.next_difference), (1, Some(2), None));
    }
    let empty = AlignmentWindow::new(&Alignment::default().starting_at(0, 4), &pair, 0, 10);
    assert_eq!((empty.columns, empty.a_start, empty.b_start, empty.previous_difference), (0, 0, 4, None));
}

fn edits() -> impl Strategy<Value = Vec<CigarOp>> {
    let edit = prop_oneof![Just(EditKind::Equal), Just(EditKind::Substitute), Just(EditKind::Insert), Just(EditKind::Delete)];
    proptest::collection::vec((edit, 1u32..4).prop_map(|(edit, len)| CigarOp { edit, len }), 0..900)
}

proptest! {
    #[test]
    fn windows_agree_with_the_alignment(stretches in edits(), from in 0u64..2000, len in 0u64..50, points in 1usize..70) {
        let alignment = Alignment::new(stretches);
        let flat: Vec<EditKind> = alignment.cigar_ops().iter().flat_map(|s| std::iter::repeat_n(s.edit, s.len as usize)).collect();
        let starts: Vec<u64> = (0..flat.len()).filter(|&c| flat[c] != EditKind::Equal && (c == 0 || flat[c - 1] == EditKind::Equal)).map(|c| c as u64).collect();
        let summary = alignment.summary();
        let a = "a".repeat((summary.columns - summary.insertions) as usize);
        let b = "b".repeat((summary.columns - summary.deletions) as usize);
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        let window = AlignmentWindow::new(&alignment, &pair, from, len);
        let start = from.min(summary.columns);
        let end = (start + len).min(summary.columns);
        let shown: Vec<EditKind> = window.stretches.iter().flat_map(|s| std::iter::repeat_n(s.edit, s.len as usize)).collect();
        prop_assert_eq!(&shown[..], &flat[start as usize..end as usize]);
        let takes = |edits: &[EditKind]| edits.iter().fold((0, 0), |(i, j), e| (i + e.consumed_symbols().0, j + e.consumed_symbols().1));
        prop_assert_eq!((window.a_start, window.b_start), takes(&flat[..start as usize]));
        prop_assert_eq!(window.differences_before, starts.iter().filter(|&&s| s < start).count() as u64);
        prop_assert_eq!((window.a.len() as u64, window.b.len() as u64), takes(&shown));
        prop_assert_eq!(window.previous_difference, starts.iter().copied().rfind(|&s| s < start));
        prop_assert_eq!(window.next_difference, starts.iter().copied().find(|&s| s >= end));

        let bins = overview(&alignment, points);
        prop_assert_eq!(bins.iter().map(|bin| bin.mismatches + bin.insertions + bin.deletions).sum::<u64>(), summary.distance());
    }
}

#[test]
fn overview_counts_each_transposition_once() {
    let alignment: Alignment = "1=6T1=2T1X".parse().unwrap();
    for points in 1..20 {
        let bins = overview(&alignment, points);
        assert_eq!(bins.iter().map(|bin| bin.mismatches).sum::<u64>(), alignment.summary().distance(), "{points} points");
    }
    let each: Vec<u64> = overview(&alignment, 11).iter().map(|bin| bin.mismatches).collect();
    assert_eq!(each, [0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1]);
}
