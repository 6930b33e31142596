//! Texts out of bytes, in every unit, and what must hold of them: units lie in order and cover the text but for white space and
//! headers, equal units have equal numbers, and what cannot be read is named with its place.

use std::collections::HashMap;
use std::ops::Range;

use kernels::alignment::Alignment;
use kernels::text::{Pair, Reading, Symbols, Text, Unit};
use kernels::words::grouped;

use super::bytes::Bytes;

/// Reads two texts in every unit, and the first one as a CIGAR.
pub(crate) fn check(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let flags = bytes.byte();
    let at = bytes.byte();
    let rest = bytes.rest();
    let (a, b) = rest.split_at(rest.len().min(at.into()));
    for unit in Unit::ALL {
        let has = |flag: u32| flags >> flag & 1 == 1;
        let reading = Reading { unit, case_insensitive: has(0), ignore_whitespace: has(1), normalize: has(2) };
        both(a, b, &reading);
        the_rest_changes_nothing(a, &reading);
    }
    if let Ok(text) = std::str::from_utf8(a) {
        cigar(text);
    }
}

fn both(a: &[u8], b: &[u8], reading: &Reading) {
    let pair = match Pair::parse(a, b, reading) {
        Ok(pair) => pair,
        Err(failure) => return assert_eq!(failure.to_string().split_inclusive('.').next(), refusal(a, b, reading).as_deref()),
    };
    assert_eq!(refusal(a, b, reading), None);
    let texts = [(&pair.a, &pair.a_symbols, a), (&pair.b, &pair.b_symbols, b)];
    let mut used = vec![false; pair.alphabet as usize];
    for (text, symbols, original) in texts {
        assert_eq!((text.bytes(), text.unit(), symbols.len()), (original, reading.unit, text.len()));
        assert_eq!(matches!(symbols, Symbols::Narrow(_)), pair.alphabet <= 256);
        assert_eq!(text.name().is_some(), is_fasta(original, reading.unit));
        in_order(text, reading);
        let numbers: Vec<u32> = (0..symbols.len()).map(|at| symbols.at(at)).collect();
        numbers.iter().for_each(|&number| used[number as usize] = true);
        equal_units(text, &numbers, reading);
    }
    assert!(used.iter().all(|used| *used), "a number of {} is not used", pair.alphabet);
}

/// First sentence of why the texts cannot be read.
fn refusal(a: &[u8], b: &[u8], reading: &Reading) -> Option<String> {
    if reading.unit == Unit::Bytes {
        return reading.normalize.then(|| "Bytes cannot be normalised.".into());
    }
    let mut errors = [("a", a), ("b", b)].into_iter().filter_map(|(who, text)| Some((who, std::str::from_utf8(text).err()?)));
    let (who, error) = errors.next()?;
    Some(format!("{who} is not valid UTF-8 at byte {}.", grouped(error.valid_up_to() as u64)))
}

fn is_fasta(text: &[u8], unit: Unit) -> bool {
    matches!(unit, Unit::Bytes | Unit::Chars | Unit::Graphemes) && text.starts_with(b">") && text.contains(&b'\n')
}

/// Units follow each other; between them is nothing, or what does not count.
fn in_order(text: &Text, reading: &Reading) {
    let mut end = 0;
    for at in 0..text.len() {
        let range = text.range(at);
        assert!(range.start >= end && range.end > range.start, "unit {at} at {range:?} follows {end}");
        not_counted(text, end..range.start, reading);
        assert!(!text.show(at).is_empty());
        end = range.end;
    }
    not_counted(text, end..text.bytes().len(), reading);
}

fn not_counted(text: &Text, between: Range<usize>, reading: &Reading) {
    let gap = String::from_utf8_lossy(&text.bytes()[between.clone()]);
    let fasta = text.name().is_some();
    let counts = |line: &str| !(line.chars().all(char::is_whitespace) || fasta && line.starts_with('>'));
    assert!(!gap.lines().any(counts), "{between:?} is left out: {gap:?}");
    assert!(gap.is_empty() || fasta || reading.ignore_whitespace || reading.unit == Unit::Words, "{between:?} is left out: {gap:?}");
}

/// Equal bytes have equal numbers, and other bytes other numbers where nothing is folded.
fn equal_units(text: &Text, numbers: &[u32], reading: &Reading) {
    let folded = reading.case_insensitive || reading.ignore_whitespace || reading.normalize;
    let exact = !folded && text.name().is_none() && reading.unit != Unit::Lines;
    let (mut by_bytes, mut by_number) = (HashMap::new(), HashMap::new());
    for (at, &number) in numbers.iter().enumerate() {
        let bytes = &text.bytes()[text.range(at)];
        assert_eq!(*by_bytes.entry(bytes).or_insert(number), number, "{bytes:?}");
        let first = *by_number.entry(number).or_insert(bytes);
        assert!(!exact || first == bytes, "{first:?} and {bytes:?} have the number {number}");
    }
}

/// Texts of ASCII take a way of their own: a line of others after it does not change how it is cut.
fn the_rest_changes_nothing(text: &[u8], reading: &Reading) {
    let longer = [text, "\né".as_bytes()].concat();
    if !matches!(reading.unit, Unit::Chars | Unit::Graphemes)
        || text.ends_with(b"\r")
        || is_fasta(text, reading.unit) != is_fasta(&longer, reading.unit)
    {
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
