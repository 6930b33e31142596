use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn alignment(cigar: &str) -> Alignment {
    cigar.parse().unwrap()
}

#[test]
fn cigar_is_parsed_and_printed_without_loss() {
    for cigar in ["", "1X3=1X1=1I", "5000000000=", "3D2I", "1=4T2X"] {
        assert_eq!(alignment(cigar).to_string().replace("4294967294=705032706=", "5000000000="), cigar);
    }
    assert_eq!(alignment("2=0X3="), alignment("5="));
    for bad in ["3", "=", "3M", "3=x", "3T", "99999999999999999999999=", "18446744073709551615=", "8589934590=1D"] {
        assert!(bad.parse::<Alignment>().is_err(), "{bad}");
    }
}

proptest! {
    #[test]
    fn alignment_joined_from_pieces_equals_the_whole(stretches in vec((0..5usize, 1..9u32), 0..1200), cuts in vec(0..1200usize, 0..5)) {
        let kinds = [EditKind::Equal, EditKind::Substitute, EditKind::Insert, EditKind::Delete, EditKind::Transpose];
        let op = |(kind, len)| CigarOp { edit: kinds[kind], len: if kind == 4 { 2 * len } else { len } };
        let stretches: Vec<CigarOp> = stretches.into_iter().map(op).collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stretches.len())).chain([0, stretches.len()]).collect();
        cuts.sort_unstable();
        let mut whole = Alignment::default();
        for cut in cuts.windows(2) {
            whole.extend(&Alignment::new(stretches[cut[0]..cut[1]].iter().copied()));
        }
        prop_assert_eq!(whole, Alignment::new(stretches));
    }
}

#[test]
fn check_reports_a_cigar_that_does_not_fit_the_texts() {
    let (a, b) = (b"kitten", b"sitting");
    assert_eq!(alignment("1X3=1X1=1I").check(a, b), Ok(()));
    assert_eq!(alignment("1=3=1X1=1I").check(a, b).unwrap_err().column, 0);
    assert_eq!(alignment("1X3=1X1=").check(a, b).unwrap_err().what, "symbols are left over");
    assert_eq!(alignment("1X3=1X1=2I").check(a, b).unwrap_err().what, "no symbol is left");
    assert_eq!(alignment("1X3X1X1=1I").check(a, b).unwrap_err().what, "X on equal symbols");
    assert_eq!(alignment("1=2T1=").check(b"cafe", b"cfae"), Ok(()));
    let wrong = AlignmentError { column: 3, what: "T on symbols that are not exchanged" };
    assert_eq!(alignment("1=4T").check(b"cafee", b"cfaee"), Err(wrong));
}

fn edits() -> impl Strategy<Value = Vec<CigarOp>> {
    let edit = prop_oneof![Just(EditKind::Equal), Just(EditKind::Substitute), Just(EditKind::Insert), Just(EditKind::Delete)];
    proptest::collection::vec((edit, 1u32..4).prop_map(|(edit, len)| CigarOp { edit, len }), 0..900)
}

proptest! {
    #[test]
    fn differences_are_counted_and_found(stretches in edits(), from in 0u64..2000) {
        let alignment = Alignment::new(stretches);
        let flat: Vec<EditKind> = alignment.cigar_ops().iter().flat_map(|s| std::iter::repeat_n(s.edit, s.len as usize)).collect();
        let starts: Vec<u64> = (0..flat.len()).filter(|&c| flat[c] != EditKind::Equal && (c == 0 || flat[c - 1] == EditKind::Equal)).map(|c| c as u64).collect();
        let summary = alignment.summary();
        prop_assert_eq!(summary.columns, flat.len() as u64);
        prop_assert_eq!(summary.differences, starts.len() as u64);
        for (number, &start) in starts.iter().enumerate() {
            prop_assert_eq!(alignment.difference(number as u64), Some(start));
        }
        prop_assert_eq!(alignment.difference(starts.len() as u64), None);

        let from = from.min(summary.columns);
        prop_assert_eq!(alignment.difference_before(from), starts.iter().copied().rfind(|&s| s < from));
        prop_assert_eq!(alignment.difference_from(from), starts.iter().copied().find(|&s| s >= from));
        let swapped = alignment.cigar_ops().iter().map(|stretch| CigarOp { edit: stretch.edit.swapped(), len: stretch.len });
        prop_assert_eq!(alignment.clone().swapped(), Alignment::new(swapped));
        prop_assert_eq!(alignment.reversed().reversed(), alignment);
    }
}
