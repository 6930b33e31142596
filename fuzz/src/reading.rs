//! Reading: parses the bytes of a fuzzer as two texts, in every unit, and checks invariants of the results.
//!
//! Units lie in order and cover the text except white space and headers. Equal units have equal numbers. An error names
//! the position of the unreadable byte.

use std::collections::HashMap;
use std::ops::Range;

use kernels::alignment::Alignment;
use kernels::failure::{InputError, JobFailure};
use kernels::humanize::grouped;
use kernels::reading::{FastaMode, PairRecordChoices, ReadFormat, ReadingOptions, RecordChoice, TextEncoding, Unit};
use kernels::text::{Pair, Text, TextSymbols};

use super::bytes::Bytes;

/// Parses two texts from `data` in every unit, and the first one as a CIGAR. Panics if an invariant is violated.
pub(crate) fn check(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let flags = bytes.byte();
    let at = bytes.byte();
    let rest = bytes.rest();
    let (a, b) = rest.split_at(rest.len().min(at.into()));
    for unit in Unit::ALL {
        let has = |flag: u32| flags >> flag & 1 == 1;
        let fasta = [FastaMode::Auto, FastaMode::Auto, FastaMode::Never, FastaMode::Always][usize::from(flags >> 3 & 3)];
        let reading = ReadingOptions {
            unit,
            fasta,
            case_insensitive: has(0),
            ignore_whitespace: has(1),
            normalize: has(2),
            ignore_line_ends: has(5),
            ignore_punctuation: has(6),
            ignore_accents: has(7) && unit != Unit::Bytes,
            ignore_digits: has(1) && has(6),
            ..ReadingOptions::default()
        };
        both(a, b, &reading);
        the_rest_changes_nothing(a, &reading);
    }
    if let Ok(text) = std::str::from_utf8(a) {
        cigar(text);
    }
}

fn both(a: &[u8], b: &[u8], reading: &ReadingOptions) {
    // Records of the first text are joined, those of the second are separate.
    let joined = RecordChoice { record: None, joined: true };
    let choices = PairRecordChoices { a: joined, b: RecordChoice::default(), allows_many: true };
    let pair = match Pair::parse_records(a, b, reading, &choices) {
        Ok(pair) => pair,
        Err(JobFailure::BadInput { wrong: Some(InputError::BadRecord { .. }), .. }) => {
            assert!(matches!(reading.unit, Unit::Bytes | Unit::Chars | Unit::Graphemes) && reading.fasta != FastaMode::Never);
            return;
        }
        Err(failure) => return assert_eq!(failure.to_string().split_inclusive('.').next(), refusal(a, b, reading).as_deref()),
    };
    assert_eq!(refusal(a, b, reading), None);
    assert_eq!(pair.a.is_upper(), pair.b.is_upper(), "one decision for both");
    let texts = [(&pair.a, pair.a_symbols(), a), (&pair.b, pair.b_symbols(), b)];
    let mut used = vec![false; pair.alphabet() as usize];
    for (text, symbols, original) in texts {
        assert_eq!((text.unit(), symbols.len(), text.original_bytes()), (reading.unit, text.len(), original.len() as u64));
        assert_eq!(text.read_as().encoding, TextEncoding::marked(original).filter(|_| reading.unit != Unit::Bytes));
        assert!(text.bytes() == original || text.read_as().encoding.is_some());
        assert_eq!(matches!(symbols, TextSymbols::Narrow(_)), pair.alphabet() <= 256);
        is_told(text, reading);
        in_order(text, reading);
        let numbers: Vec<u32> = (0..symbols.len()).map(|at| symbols.symbol_at(at)).collect();
        numbers.iter().for_each(|&number| used[number as usize] = true);
        equal_units(text, &numbers, reading);
    }
    assert!(used.iter().all(|used| *used), "a number of {} is not used", pair.alphabet());
}

/// Returns the first sentence of the expected error if `a` and `b` are read with `reading`, or `None` if both are
/// readable.
fn refusal(a: &[u8], b: &[u8], reading: &ReadingOptions) -> Option<String> {
    if reading.unit == Unit::Bytes {
        return reading.normalize.then(|| "Bytes cannot be normalised.".into());
    }
    let texts = [("a", a), ("b", b)];
    let is_utf16 = |text: &[u8]| TextEncoding::marked(text).is_some();
    let units = |text: &[u8]| -> Vec<u16> {
        let is_little = text.starts_with(&[0xff]);
        text.as_chunks::<2>().0.iter().map(|pair| if is_little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) }).collect()
    };
    let broken = |text: &[u8]| text.len() % 2 == 1 || String::from_utf16(&units(text)).is_err();
    if let Some((who, text)) = texts.into_iter().find(|(_, text)| is_utf16(text) && broken(text)) {
        let whole: u64 = char::decode_utf16(units(text)).map_while(Result::ok).map(|char| 2 * char.len_utf16() as u64).sum();
        return Some(format!("{who} begins with the byte order mark of UTF-16, but is not valid UTF-16 at byte {}.", grouped(whole)));
    }
    let mut errors =
        texts.into_iter().filter(|(_, text)| !is_utf16(text)).filter_map(|(who, text)| Some((who, std::str::from_utf8(text).err()?)));
    let (who, error) = errors.next()?;
    Some(format!("{who} is not valid UTF-8 at byte {}.", grouped(error.valid_up_to() as u64)))
}

/// Checks that the format that `text` was read as agrees with the options `reading`.
fn is_told(text: &Text, reading: &ReadingOptions) {
    let told = text.read_as();
    let may_be_file = matches!(reading.unit, Unit::Bytes | Unit::Chars | Unit::Graphemes) && reading.fasta != FastaMode::Never;
    assert!(may_be_file || told.format == ReadFormat::Plain);
    assert!(!may_be_file || reading.fasta != FastaMode::Always || told.format != ReadFormat::Plain);
    assert_eq!((told.folded, told.records > 0), (told.format != ReadFormat::Plain, told.format != ReadFormat::Plain));
    assert!(!told.byte_order_mark || text.bytes().starts_with(MARK.as_bytes()));
}

const MARK: &str = "\u{feff}";

/// Checks that the units of `text` follow each other, with only ignored text between them. Units of a normalised text
/// may share their bytes.
fn in_order(text: &Text, reading: &ReadingOptions) {
    let mut last = 0..0;
    for at in 0..text.len() {
        let range = text.range(at);
        let is_next = range.start >= last.end || reading.normalize && range.start >= last.start && range.end >= last.end;
        assert!(is_next && range.end > range.start, "unit {at} at {range:?} follows {last:?}");
        not_counted(text, last.end..range.start.max(last.end), reading);
        assert!(!text.display_unit(at).is_empty());
        last = range;
    }
    not_counted(text, last.end..text.bytes().len(), reading);
}

fn not_counted(text: &Text, between: Range<usize>, reading: &ReadingOptions) {
    let gap = String::from_utf8_lossy(&text.bytes()[between.clone()]).replace('\r', "\n");
    let gap = if between.start == 0 && text.read_as().byte_order_mark { gap.trim_start_matches(MARK) } else { &gap };
    // A border between records is the first byte of a header.
    let is_header = text.has_separate_records() && between.start > 0 && text.bytes()[between.start - 1] == b'>';
    let gap = if is_header { gap.split_once('\n').map_or("", |(_, rest)| rest) } else { gap };
    let counts_in_text = |char: char| {
        let is_accent = reading.ignore_accents && !char.is_ascii();
        let is_punctuation = reading.ignore_punctuation && !char.is_alphanumeric();
        let is_digit = reading.ignore_digits && char.is_numeric();
        !(char.is_whitespace() || is_accent || is_punctuation || is_digit)
    };
    let counts = |line: &str| match text.read_as().format {
        ReadFormat::Fastq | ReadFormat::Genbank | ReadFormat::Embl => false,
        ReadFormat::Fasta | ReadFormat::Sequence => {
            let is_number = line.chars().all(|char| char.is_ascii_digit() || char.is_whitespace());
            !(is_number || line.starts_with(['>', ';', '#']))
        }
        ReadFormat::Plain => line.chars().any(counts_in_text),
    };
    assert!(!gap.lines().any(counts), "{between:?} is left out: {gap:?}");
    assert!(
        gap.is_empty() || text.is_upper() || reading.ignore_whitespace || ignores(reading) || reading.unit == Unit::Words,
        "{between:?} is left out: {gap:?}"
    );
}

fn ignores(reading: &ReadingOptions) -> bool {
    reading.ignore_line_ends || reading.ignore_punctuation || reading.ignore_accents || reading.ignore_digits
}

/// Checks that equal units of `text` have equal `numbers`. If the options `reading` fold nothing, different units must
/// have different numbers.
fn equal_units(text: &Text, numbers: &[u32], reading: &ReadingOptions) {
    let folded = reading.case_insensitive || reading.ignore_whitespace || reading.normalize || ignores(reading);
    let exact = !folded && !text.is_upper() && reading.unit != Unit::Lines;
    let (mut by_unit, mut by_number) = (HashMap::new(), HashMap::new());
    for (at, number) in (0..text.record_count()).flat_map(|part| text.record_range(part)).map(|at| (at, numbers[at])) {
        let shown = text.display_unit(at);
        assert_eq!(*by_unit.entry(shown.clone()).or_insert(number), number, "{shown:?}");
        let first = by_number.entry(number).or_insert(shown.clone());
        assert!(!exact || *first == shown, "{first:?} and {shown:?} have the number {number}");
    }
}

/// Checks that the ASCII text `text` is cut in the same way if a line with other characters follows, because pure ASCII
/// takes a separate code path.
fn the_rest_changes_nothing(text: &[u8], reading: &ReadingOptions) {
    let longer = [text, "\né".as_bytes()].concat();
    if !matches!(reading.unit, Unit::Chars | Unit::Graphemes) || text.ends_with(b"\r") || reading.fasta == FastaMode::Always {
        return;
    }
    let Ok(pair) = Pair::parse(text, longer, reading) else { return };
    let cut = |text: &Text| (0..text.len()).map(|at| text.range(at)).collect::<Vec<_>>();
    assert!(cut(&pair.b).starts_with(&cut(&pair.a)), "{text:?} is cut in another way with other letters after it");
}

fn cigar(text: &str) {
    if let Ok(alignment) = text.parse::<Alignment>() {
        assert_eq!(alignment.to_string().parse(), Ok(alignment));
    }
}
