//! Checks that every query of a stored alignment agrees with the alignment in memory, at all block borders.

use explain::window;
use kernels::run::NoObserver;
use kernels::text::{Pair, ReadingOptions};
use proptest::prelude::*;

use super::*;

const KINDS: [EditKind; 5] = [EditKind::Equal, EditKind::Substitute, EditKind::Insert, EditKind::Delete, EditKind::Transpose];

/// Generates alignments of a few blocks. Operations repeat, so that failures stay small.
fn alignments() -> impl Strategy<Value = Alignment> {
    let stretch = (0usize..5, prop_oneof![1u32..4, 1u32..300]).prop_map(|(kind, len)| {
        let edit = KINDS[kind];
        CigarOp { edit, len: if edit == EditKind::Transpose { 2 * len } else { len } }
    });
    (prop::collection::vec(stretch, 0..40), 1usize..900, 0u64..50)
        .prop_map(|(some, times, start)| Alignment::new(some.repeat(times)).starting_at(start / 2, start))
}

fn run_it<T>(look: impl FnOnce(&Run<'_>) -> Result<T, ApiProblem>) -> T {
    look(&Run::new(&NoObserver)).unwrap()
}

/// Returns the expected window without letters.
fn expected(alignment: &Alignment, from: u64, len: u64) -> AlignmentWindow {
    let summary = alignment.summary();
    let text = |symbols: u64| vec![b'a'; symbols as usize];
    let (a, b) =
        (text(alignment.a_start() + summary.columns - summary.insertions), text(alignment.b_start() + summary.columns - summary.deletions));
    let pair = Pair::parse(a, b, &ReadingOptions::default()).unwrap();
    AlignmentWindow { a: Vec::new(), b: Vec::new(), ..AlignmentWindow::new(alignment, &pair, from, len) }
}

fn check(alignment: &Alignment, at: u64, len: u64) {
    let stored = StoredAlignment::from_alignment(alignment).unwrap();
    let summary = alignment.summary();
    assert_eq!((stored.columns(), stored.differences()), (summary.columns, summary.differences));
    assert_eq!(run_it(|run| stored.read_all(run)), *alignment);
    let at = at % (summary.columns + 3);
    assert_eq!(stored.window(at, len).unwrap(), expected(alignment, at, len), "{len} columns from {at}");
    for side in [PairSide::A, PairSide::B] {
        assert_eq!(stored.column_of(side, at).unwrap(), alignment.column_of(side, at), "symbol {at} of {side:?}");
    }
    assert_eq!(stored.difference(at).unwrap(), alignment.difference(at));
    for kinds in ["XID", "X", "ID", ""] {
        let kinds: EditKinds = kinds.parse().unwrap();
        for which in [difference_filter::DifferenceQuery::At(at), difference_filter::DifferenceQuery::Number(at / 7)] {
            let place = run_it(|run| stored.find_difference(kinds, which, run));
            assert_eq!(place, difference_filter::find_difference(alignment, kinds, which), "{kinds} {which:?}");
        }
    }
    let points = len as usize % 50 + 1;
    assert_eq!(run_it(|run| stored.overview(points, run)), window::overview(alignment, points));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn queries_agree_with_the_alignment_in_memory(alignment in alignments(), at in any::<u64>(), len in 0u64..30_000) {
        check(&alignment, at, len);
        check(&alignment, alignment.summary().columns, len);
    }

    /// Checks that truncated, changed and random bytes give an error or the alignment that they encode, and never a
    /// panic.
    #[test]
    fn damaged_files_cause_errors_and_no_panic(
        alignment in alignments(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut bytes = write(&alignment);
        let at = at.index(bytes.len());
        let was = bytes[at];
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        let is_same = !cut && was == byte;
        let run = Run::new(&NoObserver);
        let opened = StoredAlignment::open(ByteSource::Memory(bytes.into()));
        match opened.map_err(|_| ()).and_then(|stored| {
            let _ = (stored.window(0, 100), stored.window(u64::MAX, 1), stored.column_of(PairSide::A, 5), stored.difference(3));
            stored.read_all(&run).map_err(|_| ())
        }) {
            Ok(read) if is_same => prop_assert_eq!(read, alignment.starting_at(0, 0)),
            // Within a block, different bytes may encode the same columns and symbols. A file cut to nothing has no
            // columns.
            Ok(read) => prop_assert!(read.summary().columns == alignment.summary().columns || cut),
            Err(()) => prop_assert!(!is_same),
        }
    }

    #[test]
    fn random_bytes_cause_errors_and_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let named = [b"ESA1", &bytes[..], b"ESA1"].concat();
        for bytes in [bytes, named] {
            if let Ok(stored) = StoredAlignment::open(ByteSource::Memory(bytes.into())) {
                let _ = stored.window(0, 100);
            }
        }
    }
}

#[test]
fn files_with_a_cigar_are_read() {
    for cigar in ["", "5=", "2X3=1I1D4=1D2=1X1I1="] {
        let stored = StoredAlignment::open(ByteSource::Memory(cigar.as_bytes().into())).unwrap();
        assert_eq!(run_it(|run| stored.read_all(run)).to_string(), cigar);
    }
    assert!(StoredAlignment::open(ByteSource::Memory(b"5M"[..].into())).is_err());
}

#[test]
fn operations_beyond_32_bits_of_columns_are_stored() {
    let long = CigarOp { edit: EditKind::Substitute, len: u32::MAX };
    let alignment = Alignment::new([long, CigarOp { edit: EditKind::Substitute, len: 7 }, CigarOp { edit: EditKind::Equal, len: 1 }]);
    let stored = StoredAlignment::from_alignment(&alignment).unwrap();
    assert_eq!(run_it(|run| stored.read_all(run)), alignment);
    let window = stored.window(u64::from(u32::MAX) - 1, 20).unwrap();
    let lens: Vec<u32> = window.stretches.iter().map(|stretch| stretch.len).collect();
    assert_eq!((lens, window.differences_before, window.previous_difference), (vec![8, 1], 1, Some(0)));
}

#[test]
fn operation_takes_one_or_two_bytes() {
    let alignment = Alignment::new((0..1 << 16).map(|at| CigarOp { edit: KINDS[at as usize % 4], len: 1 + at % 31 }));
    assert!(write(&alignment).len() < (1 << 16) + 20 * 40, "{} bytes", write(&alignment).len());
}
