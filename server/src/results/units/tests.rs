//! Checks that a stored text shows the same as the parsed text, however it is read.

use explain::window::AlignmentWindow;
use kernels::alignment::Alignment;
use kernels::reading::FastaMode;
use kernels::text::Pair;
use proptest::prelude::*;

use crate::storage::ports::clock::SystemClock;
use crate::storage::ports::files::folder::FolderFiles;

use super::*;

const PARTS: [&str; 16] = [
    "a",
    "e\u{301}",
    "é",
    "\u{958}",
    "\u{FB2C}",
    "漢字",
    "👍🏽",
    " ",
    "\r\n",
    "\n",
    "ACGT",
    "acgt\n",
    "two words",
    ">h e\n",
    "\u{212B}",
    "ß\t",
];

pub(in crate::results) fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![8 => (0usize..PARTS.len()).prop_map(|at| PARTS[at].to_owned()), 1 => Just("é".repeat(700)), 1 => Just("x".repeat(1500))];
    (prop::collection::vec(part, 0..30), 1usize..120, prop::sample::select(vec!["", ">one\n", "\u{FEFF}", "@r\n"]))
        .prop_map(|(parts, times, begin)| format!("{begin}{}", parts.concat().repeat(times)))
}

pub(in crate::results) fn readings() -> impl Strategy<Value = ReadingOptions> {
    let (units, files) = (prop::sample::select(Unit::ALL.to_vec()), prop::sample::select(FastaMode::ALL.to_vec()));
    (units, files, any::<bool>(), any::<bool>()).prop_map(|(unit, fasta, ignore_whitespace, normalize)| ReadingOptions {
        unit,
        fasta,
        ignore_whitespace,
        normalize: normalize && unit != Unit::Bytes,
        ..ReadingOptions::default()
    })
}

/// Stores a text with its index in memory.
pub(in crate::results) fn stored(text: &Text, reading: &ReadingOptions) -> StoredText {
    let index = form::write(text, reading);
    let (place, index) = match contiguous_start(text, reading) {
        Some(first) => (UnitLayout::Bytes(first), None),
        None => (UnitLayout::Index(ContentHash::from_content(&index)), Some(ByteSource::Memory(index.into()))),
    };
    let units = UnitPositions { len: text.len() as u64, folded: text.is_upper(), rna: None, decoded: None, place };
    StoredText { bytes: ByteSource::Memory(text.bytes().into()), units, index }
}

/// Returns the units as a window shows them.
fn expected(pair: &Pair, units: Range<u64>) -> Vec<String> {
    let all = Alignment::new([kernels::alignment::CigarOp { edit: kernels::alignment::EditKind::Delete, len: pair.a.len() as u32 }]);
    AlignmentWindow::new(&all, pair, units.start, units.end - units.start).a
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn units_agree_with_the_parsed_text(text in texts(), reading in readings(), from in any::<prop::sample::Index>(), len in 0u64..5000) {
        let Ok(pair) = Pair::parse(text.as_bytes(), &b"ACGT"[..], &reading) else { return Ok(()) };
        let text = stored(&pair.a, &reading);
        let from = from.index(pair.a.len() + 1) as u64;
        let units = from..(from + len).min(pair.a.len() as u64);
        prop_assert_eq!(text.displayed_units(units.clone()).unwrap(), expected(&pair, units), "{:?}", text.units);
        prop_assert!(text.displayed_units(0..pair.a.len() as u64 + 1).is_err());
        for len in [len, 0, u64::MAX] {
            prop_assert_eq!(text.piece(from, len).unwrap(), piece(&pair.a, from, len));
        }
    }

    #[test]
    fn damaged_files_cause_errors_and_no_panic(
        text in texts(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(), len in 1u64..5000,
    ) {
        let reading = ReadingOptions { unit: Unit::Words, ..ReadingOptions::default() };
        let Ok(pair) = Pair::parse(text.as_bytes(), &b"ACGT"[..], &reading) else { return Ok(()) };
        let mut text = stored(&pair.a, &reading);
        let mut bytes = form::write(&pair.a, &reading);
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        text.index = text.index.map(|_| ByteSource::Memory(bytes.into()));
        let _ = (text.displayed_units(0..len), text.displayed_units(0..text.units.len), text.piece(len, u64::MAX));
    }
}

#[test]
fn index_of_sequence_lines_is_small() {
    let lines: String = (0..10_000).map(|_| "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT\n").collect();
    let reading = ReadingOptions { fasta: FastaMode::Always, ..ReadingOptions::default() };
    let pair = Pair::parse(format!(">one\n{lines}").as_bytes(), &b"ACGT"[..], &reading).unwrap();
    let text = stored(&pair.a, &reading);
    assert_eq!(text.displayed_units(67..70).unwrap(), ["T", "A", "C"]);
    let bytes = form::write(&pair.a, &reading).len();
    assert!(bytes < 70_000, "{bytes} bytes for 10,000 lines");
}

#[test]
fn plain_letters_need_no_index_file() {
    let folder = tempfile::tempdir().unwrap();
    let files: Arc<dyn FileStore> = Arc::new(FolderFiles::open(folder.path(), 1000, Arc::new(SystemClock::default())).unwrap());
    for (text, unit, place) in [
        ("abc", Unit::Chars, UnitLayout::Bytes(0)),
        ("\u{FEFF}abc", Unit::Graphemes, UnitLayout::Bytes(3)),
        ("é", Unit::Bytes, UnitLayout::Bytes(0)),
    ] {
        for normalize in [false, unit != Unit::Bytes] {
            let reading = ReadingOptions { unit, normalize, ..ReadingOptions::default() };
            let pair = Pair::parse(text.as_bytes(), &b"abc"[..], &reading).unwrap();
            let units = store(&pair.a, &reading, &*files).unwrap();
            // With normalization, a text beyond ASCII may need an index nevertheless.
            assert!(units.place == place || normalize && !text.is_ascii(), "{text} {unit:?}: {units:?}");
            assert_eq!(
                StoredText::new(&files, files.put(text.as_bytes()).unwrap(), units).displayed_units(0..2).unwrap(),
                expected(&pair, 0..2)
            );
        }
    }
}
