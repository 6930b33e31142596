use crate::text::{Pair, Text, TextSymbols};
use std::borrow::Cow;

use super::*;
use crate::failure::RecordFault;

fn pair(a: &str, b: &str, reading: ReadingOptions) -> Pair {
    Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap()
}

fn shown(text: &Text) -> Vec<String> {
    (0..text.len()).map(|at| text.display_unit(at)).collect()
}

fn unit(unit: Unit) -> ReadingOptions {
    ReadingOptions { unit, ..ReadingOptions::default() }
}

#[test]
fn equal_units_have_equal_numbers() {
    let pair = pair("abca", "cab", ReadingOptions::default());
    assert_eq!(*pair.a_symbols(), TextSymbols::Narrow(vec![0, 1, 2, 0]));
    assert_eq!(*pair.b_symbols(), TextSymbols::Narrow(vec![2, 0, 1]));
    assert_eq!(pair.alphabet(), 3);
}

#[test]
fn every_unit_has_its_own_count() {
    let text = "e\u{301}l👨‍👩‍👧\r\nx y";
    let lens: Vec<usize> = Unit::ALL.into_iter().map(|u| pair(text, "", unit(u)).a.len()).collect();
    assert_eq!(lens, [text.len(), 13, 7, 4, 2], "{:?}", shown(&pair(text, "", unit(Unit::Words)).a));
}

/// Computes Levenshtein's distance row by row.
fn distance(pair: &Pair) -> usize {
    let mut row: Vec<usize> = (0..=pair.b.len()).collect();
    for i in 0..pair.a.len() {
        let mut corner = row[0];
        row[0] = i + 1;
        for j in 0..pair.b.len() {
            let equal = pair.a_symbols().symbol_at(i) == pair.b_symbols().symbol_at(j);
            let least = (corner + usize::from(!equal)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = std::mem::replace(&mut row[j + 1], least);
        }
    }
    row[pair.b.len()]
}

fn formats(pair: &Pair) -> [ReadFormat; 2] {
    [&pair.a, &pair.b].map(|text| text.read_as().format)
}

#[test]
fn fasta_headers_are_dropped_and_letters_upper_cased() {
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        let pair = pair(">chr1 test\nAC\r\ngt\n", "ACGT", unit(u));
        assert_eq!(pair.a.name(), Some("chr1 test"));
        assert_eq!(pair.a_symbols(), pair.b_symbols(), "{u:?}");
        assert_eq!(pair.a.range(2), 15..16);
        assert_eq!(pair.a.display_unit(2), "G");
        assert_eq!((pair.b.name(), formats(&pair)), (None, [ReadFormat::Fasta, ReadFormat::Sequence]));
    }
    assert_eq!(pair("> not fasta", "", unit(Unit::Bytes)).a.len(), 11);
    assert_eq!(pair(">quoted\nmail", "", unit(Unit::Lines)).a.len(), 2);
}

#[test]
fn quoted_mail_is_read_as_text_with_all_symbols() {
    let (quoted, not) = ("> Hi Bob,\n> how are you\nFine, thanks.", "Hi Bob,\nhow are you\nFine, thanks.");
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        let pair = pair(quoted, not, unit(u));
        assert_eq!((distance(&pair), formats(&pair)), (4, [ReadFormat::Plain; 2]), "{u:?}");
    }
    let differ = pair("> quoted mail\nhello", "> quoted mail, other\nHELLO", unit(Unit::Chars));
    assert_eq!(distance(&differ), 11);
    // The first line may be a header, but the lines below are not a sequence, in either text.
    for (a, b) in [(">x\nACG ACG", "ACGT"), (">x\nACGT", "two words"), (">x\nACGT", "ACGT1"), ("@@ -1 +1 @@\n-a\n+b", "a")] {
        assert_eq!(formats(&pair(a, b, unit(Unit::Bytes))), [ReadFormat::Plain; 2], "{a:?} {b:?}");
    }
    // Headers alone may be quoted words.
    assert_eq!(distance(&pair(">yes\n>no\n", ">yes\n>not\n", unit(Unit::Bytes))), 1);
}

#[test]
fn plain_sequence_is_folded_like_the_file_on_the_other_side() {
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        for raw in ["acgt", "ACGT\n", "ac\r\ngt\n\n", "aC\rGt", "\u{feff}acgt"] {
            for [a, b] in [[">x\nACGT", raw], [raw, ">x\nACGT"], [raw, "@x\nACGT\n+\n@>+I"]] {
                let pair = pair(a, b, unit(u));
                assert_eq!((distance(&pair), pair.a.len()), (0, 4), "{a:?} {b:?} {u:?}");
                assert!(pair.a.is_upper() && pair.b.is_upper());
                assert_eq!(shown(&pair.a).concat(), "ACGT");
            }
        }
    }
    assert_eq!(distance(&pair(">x\nacgt", ">y\nACGT", unit(Unit::Bytes))), 0);
    assert_eq!(pair(">x\nACGT", "", unit(Unit::Bytes)).b.read_as().format, ReadFormat::Sequence);
}

#[test]
fn comments_blank_lines_and_line_ends_of_files_are_no_letters() {
    let files = [
        ">chr1\nACGT\nAC*-\n",
        "\u{feff}>chr1\nACGT\nAC*-",
        "\n\r\n>chr1\n\nACGT\n\nAC*-\n\n",
        ">chr1\rACGT\rAC*-\r",
        ">chr1\r\nACGT \t\r\nAC*-\r\n",
        "; a comment, with words\n>chr1\nACGT\n;and one\nAC*-",
        "@chr1\nACGTAC*-\n+\n@@@@++++\n",
        "@chr1\r\nACGT\r\nAC*-\r\n+chr1\r\n@+~!\r\n>IIJ\r\n",
    ];
    for file in files {
        for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
            let pair = pair(file, "acgtac*-", unit(u));
            assert_eq!(pair.a_symbols(), pair.b_symbols(), "{file:?} {u:?}");
            assert_eq!((pair.a.name(), pair.a.read_as().byte_order_mark), (Some("chr1"), file.starts_with('\u{feff}')), "{file:?}");
        }
    }
    // Nothing indicates that these are FASTQ.
    for file in ["@x\nACGT\n", "@x\n+\n", "@x\nACG\n+\nIII I", "@you\nhello\n+\nIII", "@x\nACGT\n+y\nIII"] {
        assert_eq!(formats(&pair(file, "ACGT", unit(Unit::Bytes))), [ReadFormat::Plain; 2], "{file:?}");
    }
}

#[test]
fn fasta_mode_never_reads_all_bytes_and_always_forces_fasta() {
    let reading = |fasta| ReadingOptions { fasta, ..unit(Unit::Bytes) };
    let never = pair(">x\nACGT\n", "acgt", reading(FastaMode::Never));
    assert_eq!((never.a.len(), never.a.read_as().clone(), distance(&never)), (8, ReadReport::default(), 8));
    let always = pair("> my name\nAC GT\n;no\n\tac1", "acg t", reading(FastaMode::Always));
    assert_eq!((shown(&always.a).concat().as_str(), shown(&always.b).concat().as_str()), ("ACGTAC1", "ACGT"));
    assert_eq!((always.a.name(), formats(&always)), (Some("my name"), [ReadFormat::Fasta, ReadFormat::Sequence]));
    assert_eq!(always.b.read_as().records, 1);
}

#[test]
fn byte_order_mark_is_no_symbol_but_three_bytes() {
    let marked = "\u{feff}one two";
    let read = |u| pair(marked, "one two", unit(u));
    assert_eq!(distance(&read(Unit::Bytes)), 3);
    assert!(!read(Unit::Bytes).a.read_as().byte_order_mark);
    for u in [Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines] {
        let pair = read(u);
        assert_eq!((distance(&pair), pair.a.range(0).start), (0, 3), "{u:?}");
        assert!(pair.a.read_as().byte_order_mark && !pair.b.read_as().byte_order_mark);
    }
    // Joined files may begin with several marks. A mark within a text is a symbol.
    for u in [Unit::Chars, Unit::Graphemes] {
        let joined = pair("\u{feff}\u{feff}one\u{feff}", "one", unit(u));
        assert_eq!((joined.a.len(), distance(&joined)), (4, 1), "{u:?}");
    }
}

/// Returns the kinds and lines of the warnings about two texts.
fn doubts(pair: &Pair) -> Vec<(WarningKind, Option<&str>, Option<u64>)> {
    pair.warnings().iter().map(|warning| (warning.kind, warning.text.as_deref(), warning.line)).collect()
}

/// Everyday FASTA is read as FASTA if nothing else resembles it, and warnings report dropped and unusual symbols.
#[test]
fn unusual_fasta_is_read_as_fasta_with_warnings() {
    use WarningKind::{GapsCount, NumbersSkipped};
    let clean = ">r2\nACGTACGTTTGGAC\n";
    /// A file, its distance to the clean one, and the warning with its line.
    type FileRow = (&'static str, usize, Option<(WarningKind, u64)>);
    let rows: [FileRow; 19] = [
        ("> r1 x\nACGTACGTTT\nGGAC\n", 0, None),
        (">_r1\nACGTACGTTT\nGGAC\n", 0, None),
        (">|gi|r1\nACGTACGTTT\nGGAC\n", 0, None),
        (">\nACGTACGTTTGGAC\n", 0, None),
        ("#made by x\n# and y\n>r1\nACGTACGTTTGGAC\n", 0, None),
        ("; made by x\n> r1\nacgtacgtttggac\n", 0, None),
        (">r1\nACGTACGTTT GGAC\n", 0, Some((NumbersSkipped, 2))),
        (">r1\r\n  ACGTACGTTT\r\n  GGAC\r\n", 0, Some((NumbersSkipped, 2))),
        (">r1\nACGTACGTTT\n11 GGAC\n", 0, Some((NumbersSkipped, 3))),
        (">r1\n1 ACGTACGTTT\n11 GGAC\n", 0, Some((NumbersSkipped, 2))),
        (">r1\nACGTACGTTT GGAC 14\n", 0, Some((NumbersSkipped, 2))),
        (">r1\n 1 acgtacgttt 10\n11 ggac 14\n", 0, Some((NumbersSkipped, 2))),
        (">r1\nACGTACG...TTTGGAC\n", 3, Some((GapsCount, 2))),
        (">r1\nACGTACG---TTTGGAC\n", 3, Some((GapsCount, 2))),
        (">r1 a-b\n;-.\nACGTACGTTT\nGGAC\n", 0, None),
        (">r1\nACGTACGTTT\n;-\n\n-GGAC\n", 1, Some((GapsCount, 5))),
        // Letters of a protein, in upper case and blocks.
        (">p\nMKVLATGGHS PPQWERTYAS\n", 17, Some((NumbersSkipped, 2))),
        ("> p\nMKVLATGGHSPPQWERTYAS\n", 17, None),
        // A sequence without a header may have blocks too.
        ("1 acgtacgttt\n11 ggac\n", 0, Some((NumbersSkipped, 1))),
    ];
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        for (file, distance_to_clean, told) in rows {
            let pair = pair(file, clean, unit(u));
            assert_ne!(formats(&pair)[0], ReadFormat::Plain, "{file:?}");
            assert_eq!(distance(&pair), distance_to_clean, "{file:?}");
            let told: Vec<_> = told.map(|(kind, line)| (kind, Some("a"), Some(line))).into_iter().collect();
            assert_eq!(doubts(&pair), told, "{file:?}");
        }
    }
    assert_eq!(pair("> r1 x\nACGTACGTTT", "ACGT", unit(Unit::Bytes)).a.name(), Some("r1 x"));
    // If the client requests FASTA, numbers at the ends of lines are dropped, and other numbers are not.
    let always = pair("#x\n>r1\n1 ac1gt\n5 ACGT 8\n40 40 30\n", "", ReadingOptions { fasta: FastaMode::Always, ..unit(Unit::Bytes) });
    assert_eq!(shown(&always.a).concat(), "1AC1GTACGT404030");
    assert_eq!((always.a.name(), doubts(&always)), (Some("r1"), vec![(NumbersSkipped, Some("a"), Some(4))]));
}

#[test]
fn gaps_in_every_format_have_a_warning() {
    let fastq = "@r\nACGTACG-TTGGAC\n+\nII-I.IIIIIIIII\n";
    let flat = [GENBANK, EMBL].map(|file| file.replace("acgtacgttt", "acgtacg-tt"));
    let wrapped = format!(">one\n{}\n>two\n{}A-C\n", "ACGT".repeat(40), "ACGTACGT\n".repeat(30));
    let files = [(fastq, 2), (flat[0].as_str(), 6), (&flat[1], 5), (&wrapped, 34), (">r\nAC.GTACG-TACGT\n", 2)];
    for (file, line) in files {
        for fasta in [FastaMode::Auto, FastaMode::Always] {
            let reading = ReadingOptions { fasta, ..unit(Unit::Bytes) };
            let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
            let pair = Pair::parse_records(&b"ACGT-A"[..], file.as_bytes(), &reading, &choices).unwrap();
            let expected = [("a", 1), ("b", line)].map(|(text, line)| (WarningKind::GapsCount, Some(text), Some(line)));
            assert_eq!(doubts(&pair), expected, "{file:?}");
            assert_eq!(pair.warnings()[1].message, format!("Gaps (- or .) in b, the first in line {line}, count as symbols."));
        }
    }
    // Qualities are no letters, and plain text has no gaps.
    let clean = "@r\nACGTACGTTTGGAC\n+\n--..IIIIIIIIII\n";
    assert_eq!((doubts(&pair(clean, "ACGT", unit(Unit::Bytes))), doubts(&pair("A-C.", "ACGT-", unit(Unit::Bytes)))), (vec![], vec![]));
    // A client that requests FASTA also has the warning if other symbols stand between the letters.
    let odd = pair(">r\nAC?G-T\n", "ACGT", ReadingOptions { fasta: FastaMode::Always, ..unit(Unit::Bytes) });
    assert_eq!(doubts(&odd), [(WarningKind::GapsCount, Some("a"), Some(2))]);
}

/// A warning with the line reports texts that resemble a sequence file but were read as text. Other texts have no
/// warning.
#[test]
fn text_that_resembles_a_sequence_file_has_a_warning() {
    use WarningKind::{OtherIsText, ReadAsText};
    let clean = ">r2\nACGTACGTTTGGAC\n";
    /// Both texts, and each warning with its text and line.
    type TextRow = (&'static str, &'static str, &'static [(WarningKind, &'static str, u64)]);
    let rows: [TextRow; 12] = [
        (">r1\nACGTACGTTT\nGG?AC\n", clean, &[(ReadAsText, "a", 3)]),
        (clean, ">r1\nACGT\n>\u{1f9ec}\nAC1GT\n", &[(ReadAsText, "b", 4)]),
        (">x\nACG ACG", "ACGT", &[(ReadAsText, "a", 2)]),
        ("> x\nACGT", "ACGT", &[(ReadAsText, "a", 1)]),
        (">q\n40 40 38 12\n", "40", &[]),
        (clean, "two words\nand more,", &[(OtherIsText, "a", 2)]),
        ("two words, and more", clean, &[(OtherIsText, "b", 1)]),
        ("# Heading\n\nSome, text.", clean, &[(OtherIsText, "b", 3)]),
        ("> Hi Bob,\n> how are you\nFine, thanks.", "Hi Bob", &[]),
        ("#!/bin/sh\necho yes\n", "; comment\n(define x 1)\n", &[]),
        ("ID   name\n1    x\n", "LOCUS is Latin", &[]),
        ("@you\nhello\n", "@me\nhello\n", &[]),
    ];
    for (a, b, told) in rows {
        let pair = pair(a, b, unit(Unit::Chars));
        assert_eq!(formats(&pair), [ReadFormat::Plain; 2], "{a:?} {b:?}");
        let told: Vec<_> = told.iter().map(|&(kind, text, line)| (kind, Some(text), Some(line))).collect();
        assert_eq!(doubts(&pair), told, "{a:?} {b:?}");
    }
    assert_eq!(doubts(&pair(">r1\nACGTACGTTT\nGG?AC\n", clean, unit(Unit::Lines))), []);
    let doubted = pair(">r1\nACGTACGTTT\nGG?AC\n", clean, unit(Unit::Bytes));
    let message = &doubted.warnings()[0].message;
    assert!(message.contains("in line 3") && message.contains("use `fasta=always`"), "{message}");
}

fn bad_record(a: &str, b: &str, reading: ReadingOptions) -> Option<(String, InputError)> {
    match Pair::parse(a.as_bytes(), b.as_bytes(), &reading) {
        Err(JobFailure::BadInput { message, wrong: Some(wrong) }) => Some((message, wrong)),
        other => panic!("{other:?}"),
    }
}

/// FASTQ with a bad record is read neither as text nor as FASTA.
#[test]
fn fastq_with_a_bad_record_is_refused_with_the_record() {
    use RecordFault::{BreaksOff, Line, Qualities};
    let one = "@r1 x\nGATTACAGG\n+\nIIIIIIIII\n";
    let rows = [
        ("@r2 y\nGATTACAGG\n+\nIII", 1, "r2", 5, BreaksOff),
        ("@r2\nGATTACAGG\n", 1, "r2", 5, BreaksOff),
        ("@r2\nGATTACAGG\n+\nIIIIIIIIIIII\n", 1, "r2", 5, Qualities),
        ("@r2\nGATTACAGG\n+\nIIII IIII\n", 1, "r2", 5, Line),
        ("@r2\nGATTA?AGG\n+\nIIIIIIIII\n", 1, "r2", 5, Line),
        ("\r\nGATTACAGG\n+\nIIIIIIIII\n", 1, "", 6, Line),
        ("@r2\nA\n+\nI\n@\nA\n+\nI\n", 2, "", 9, Line),
    ];
    for (rest, record, name, line, fault) in rows {
        let file = [one, rest].concat();
        let expected = |text: &str| InputError::BadRecord { text: text.into(), record: Some(record), name: name.into(), line, fault };
        for fasta in [FastaMode::Auto, FastaMode::Always] {
            for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
                let (message, wrong) = bad_record("gattaca", &file, ReadingOptions { fasta, ..unit(u) }).unwrap();
                assert_eq!(wrong, expected("b"), "{file:?}");
                assert!(message.starts_with("b is FASTQ, and its record") && message.contains(&format!("line {line}")), "{message}");
                assert!(message.ends_with("Repair the file, or use `fasta=never` to compare it as text."), "{message}");
                assert_eq!(bad_record(&file, one, ReadingOptions { fasta, ..unit(u) }).unwrap().1, expected("a"), "{file:?}");
            }
        }
        assert_eq!(pair(&file, "", ReadingOptions { fasta: FastaMode::Never, ..unit(Unit::Bytes) }).a.len(), file.len());
        assert_eq!(formats(&pair(&file, "", unit(Unit::Lines))), [ReadFormat::Plain; 2]);
    }
    // The first record suffices if its letters are those of nucleotides.
    for file in ["@x\nACGT\n+\nIII", "@x\nACGT\n+x\nIIIII", "@x\nACGT\n+\nII I"] {
        assert!(
            matches!(bad_record(file, "ACGT", unit(Unit::Bytes)), Some((_, InputError::BadRecord { record: Some(0), line: 1, .. }))),
            "{file:?}"
        );
    }
    assert!(bad_record("@x\nMKV\n+\nII", "", ReadingOptions { fasta: FastaMode::Always, ..unit(Unit::Bytes) }).is_some());
    // If the other text is not a sequence, both are plain text.
    assert_eq!(doubts(&pair(&[one, "@r2\n"].concat(), "two, words", unit(Unit::Bytes))), [(WarningKind::OtherIsText, Some("a"), Some(1))]);
}

const GENBANK: &str = "LOCUS       X1          14 bp    DNA     linear\nDEFINITION  A test.\nFEATURES             Location/Qualifiers\n     source          1..14\nORIGIN      \n        1 acgtacgttt ggac\n//\n";
const EMBL: &str = "ID   X2; SV 1; linear; mRNA; STD; PLN; 14 BP.\nXX\nDE   A test.\nSQ   Sequence 14 BP; 3 A; 3 C; 4 G; 4 T; 0 other;\n     acgtacgttt ggac                                                         14\n//\n";

#[test]
fn genbank_and_embl_are_read_as_records() {
    let clean = ">r2\nACGTACGTTTGGAC\n";
    for (file, name, format) in [(GENBANK, "X1", ReadFormat::Genbank), (EMBL, "X2", ReadFormat::Embl)] {
        for end in ["\n", "\r\n", "\r"] {
            let file = file.replace('\n', end);
            for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
                for other in [clean, "acgtacgtttggac", &file] {
                    let pair = pair(&file, other, unit(u));
                    assert_eq!((distance(&pair), pair.a.len(), pair.a.name(), formats(&pair)[0]), (0, 14, Some(name), format), "{file:?}");
                    assert_eq!((doubts(&pair), pair.a.is_upper()), (vec![], true));
                }
            }
        }
        let several = [file, "\n", file].concat();
        let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
        let pair = Pair::parse_records(&b"GGAC"[..], several.as_bytes(), &unit(Unit::Bytes), &choices).unwrap();
        assert_eq!(
            ((pair.b.read_as().records, pair.b.record_count(), pair.b.record_range(1)), pair.b.record_word(1).as_str()),
            ((2, 2, 15..29), name)
        );
        assert!(
            (0..pair.a.len()).all(|at| pair.a_symbols().symbol_at(at) != pair.b_symbols().symbol_at(14)),
            "a record border equals no letter"
        );
        let short = file.trim_end().trim_end_matches('/');
        let cut_off = Pair::parse(short.as_bytes(), clean.as_bytes(), &unit(Unit::Bytes)).unwrap();
        assert_eq!((distance(&cut_off), doubts(&cut_off)), (0, vec![(WarningKind::BreaksOff, Some("a"), None)]));
        let bad = file.replace("acgtacgttt ggac", "acgtacgttt g?ac");
        let line = 1 + bad[..bad.find('?').unwrap()].matches('\n').count() as u64;
        assert_eq!(doubts(&pair_of(&bad, clean).unwrap()), [(WarningKind::ReadAsText, Some("a"), Some(line))]);
        let always = bad_record(&bad, clean, ReadingOptions { fasta: FastaMode::Always, ..unit(Unit::Bytes) }).unwrap().1;
        assert_eq!(always, InputError::BadRecord { text: "a".into(), record: None, name: String::new(), line, fault: RecordFault::Line });
    }
}

#[test]
fn flat_records_without_a_sequence_are_named() {
    let genbank = "LOCUS       X3  14 bp\nFEATURES             Location/Qualifiers\n     source          1..14\n//\n";
    let contig = "LOCUS       X3  14 bp\nCONTIG      join(A1.1:1..14)\n//\n";
    let no_letters = "LOCUS       X3  14 bp\nORIGIN\n//\n";
    let embl = "ID   X3; SV 1; linear; mRNA; STD; PLN; 14 BP.\nCO   join(A1.1:1..14)\n//\n";
    let protein = "ID   X3   Reviewed;   14 AA.\nAC   P1;\n//\n";
    for (empty, whole) in [(genbank, GENBANK), (contig, GENBANK), (no_letters, GENBANK), (embl, EMBL), (protein, EMBL)] {
        let wrong = |text: &str, record, line| InputError::BadRecord {
            text: text.into(),
            record: Some(record),
            name: "X3".into(),
            line,
            fault: RecordFault::NoSequence,
        };
        for fasta in [FastaMode::Auto, FastaMode::Always] {
            let reading = ReadingOptions { fasta, ..unit(Unit::Bytes) };
            let (message, fault) = bad_record(empty, "ACGT", reading).unwrap();
            assert_eq!((fault, bad_record(whole, empty, reading).unwrap().1), (wrong("a", 0, 1), wrong("b", 0, 1)), "{empty:?}");
            let expected = "a is a sequence file, and its record 0 (X3), counted from 0, which begins in line 1, has no sequence.";
            assert!(message.starts_with(expected), "{message}");
            assert_eq!(bad_record(&[empty, empty].concat(), "ACGT", reading).unwrap().1, wrong("a", 0, 1));
            // Another record has a sequence.
            let both = [whole, empty].concat();
            let line = 1 + whole.matches('\n').count() as u64;
            let many = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
            let found = Pair::parse_records(&b"GGAC"[..], both.as_bytes(), &reading, &many).unwrap();
            assert_eq!((found.b.record_count(), doubts(&found)), (2, vec![(WarningKind::NoSequence, Some("b"), Some(line))]));
            let warning = &found.warnings()[0];
            assert_eq!(warning.message, format!("Records of b without a sequence, the first in line {line} (X3), are empty."));
            assert_eq!(warning.record.as_deref(), Some("X3"));
            let choose = |number| {
                let b = RecordChoice { record: Some(ChosenRecord::Number(number)), joined: false };
                Pair::parse_records(&b"GGAC"[..], both.as_bytes(), &reading, &PairRecordChoices { b, ..PairRecordChoices::default() })
            };
            assert_eq!(choose(0).unwrap().b.len(), 14);
            assert!(matches!(choose(1), Err(JobFailure::BadInput { wrong: Some(fault), .. }) if fault == wrong("b", 1, line)));
        }
        // Without an end, it may be another text, and the other text decides too.
        let cut_off = empty.trim_end_matches("//\n");
        assert_eq!(doubts(&pair_of(cut_off, "ACGT").unwrap()), [(WarningKind::ReadAsText, Some("a"), Some(1))]);
        assert!(bad_record(cut_off, "", ReadingOptions { fasta: FastaMode::Always, ..unit(Unit::Bytes) }).is_some());
        assert_eq!(doubts(&pair_of(empty, "two, words").unwrap()), [(WarningKind::OtherIsText, Some("a"), Some(1))]);
        assert_eq!(pair(empty, "", ReadingOptions { fasta: FastaMode::Never, ..unit(Unit::Bytes) }).a.len(), empty.len());
    }
    // Records of FASTA may be empty.
    let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
    let fasta = Pair::parse_records(&b"ACGT"[..], &b">x\n>y\nACGT\n"[..], &unit(Unit::Bytes), &choices).unwrap();
    assert_eq!(doubts(&fasta), []);
}

fn utf16(text: &str, is_little: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

#[test]
fn utf16_with_a_byte_order_mark_is_decoded() {
    let (text, other) = ("\u{feff}Name;Betrag\r\nMüller;12,50\r\n", "Name;Betrag\r\nMüller;12,80\r\n");
    for (is_little, encoding) in [(true, TextEncoding::Utf16Le), (false, TextEncoding::Utf16Be)] {
        for (u, edits) in [(Unit::Chars, 1), (Unit::Graphemes, 1), (Unit::Words, 1), (Unit::Lines, 1)] {
            let pair = Pair::parse(utf16(text, is_little), other.as_bytes(), &unit(u)).unwrap();
            assert_eq!((distance(&pair), doubts(&pair)), (edits, vec![]), "{u:?}");
            let told = pair.a.read_as();
            assert_eq!((told.encoding, told.byte_order_mark, pair.b.read_as().encoding), (Some(encoding), true, None));
            assert_eq!((pair.a.bytes(), pair.a.original_bytes()), (text.as_bytes(), utf16(text, is_little).len() as u64));
        }
        let bytes = Pair::parse(utf16(text, is_little), other.as_bytes(), &unit(Unit::Bytes)).unwrap();
        assert_eq!((bytes.a.bytes(), bytes.a.read_as().encoding), (&*utf16(text, is_little), None));
        assert_eq!(doubts(&bytes), [(WarningKind::Utf16AsBytes, Some("a"), None)]);
        let fasta = Pair::parse(utf16("\u{feff}>x\nACGT\n", is_little), &b"acgt"[..], &unit(Unit::Chars)).unwrap();
        assert_eq!((distance(&fasta), formats(&fasta)), (0, [ReadFormat::Fasta, ReadFormat::Sequence]));
        // Without a mark, the NUL bytes indicate UTF-16, if the text is valid UTF-8 at all.
        let plain = Pair::parse(&b"one"[..], utf16("one\r\ntwo", is_little), &unit(Unit::Lines)).unwrap();
        assert_eq!(doubts(&plain), [(WarningKind::LooksLikeUtf16, Some("b"), None)]);
        let error = Pair::parse(utf16("Grüße aus Köln", is_little), &b""[..], &unit(Unit::Words)).unwrap_err();
        assert!(error.to_string().contains("It looks like UTF-16 without a byte order mark."), "{error}");
        assert!(matches!(error, JobFailure::BadInput { wrong: Some(InputError::NotUtf8 { utf16: true, .. }), .. }));
    }
}

#[test]
fn line_ends_are_equal_and_only_line_ends_differing_has_a_warning() {
    let mac = pair("one\rtwo\rthree\r", "one\n2\nthree\n", unit(Unit::Lines));
    assert_eq!((distance(&mac), mac.a.len(), doubts(&mac)), (1, 3, vec![]));
    assert_eq!(pair("a\r\rb\r\r\nc\n\r", "", unit(Unit::Lines)).a.len(), 6);
    let told = |a: &str, b: &str, reading: ReadingOptions| doubts(&pair(a, b, reading)).len();
    for (a, b) in [("one\r\ntwo\r\n", "one\ntwo"), ("one\rtwo", "one\ntwo"), ("one\n", "one"), ("\n", "\r\n")] {
        let pair = pair(a, b, unit(Unit::Lines));
        assert_eq!((distance(&pair), doubts(&pair)), (0, vec![(WarningKind::OnlyLineEnds, None, None)]), "{a:?} {b:?}");
        assert_eq!(told(a, b, unit(Unit::Chars)) + told(a, a, unit(Unit::Lines)), 0);
    }
    let lines = unit(Unit::Lines);
    for (a, b, reading) in [
        ("\u{feff}one\n", "one\n", lines),
        ("One\n", "one", ReadingOptions { case_insensitive: true, ..lines }),
        ("a b\n", "a  b", ReadingOptions { ignore_whitespace: true, ..lines }),
        ("one\n", "two\r\n", lines),
    ] {
        assert_eq!(told(a, b, reading), 0, "{a:?} {b:?}");
    }
}

/// A long header is cut to the same number of characters, however many bytes they have.
#[test]
fn headers_of_megabytes_are_truncated() {
    let name = |header: &[u8]| {
        let file = [b">", header, b"\nACGT\n"].concat();
        let pair = Pair::parse(file, &b"A"[..], &ReadingOptions { fasta: FastaMode::Always, ..unit(Unit::Bytes) }).unwrap();
        assert_eq!(pair.a.name().map(str::to_owned), pair.a.record_name(0).map(Cow::into_owned));
        pair.a.name().unwrap().to_owned()
    };
    for letter in ["x", "é", "…", "\u{1f9ec}"] {
        let whole = letter.repeat(1000);
        assert_eq!(name(whole.as_bytes()), whole);
        for more in [1, 2, 500_000] {
            assert_eq!(name(letter.repeat(1000 + more).as_bytes()), format!("{whole}…"), "{letter} and {more} more");
        }
        // The cut may be inside a letter at any byte.
        for before in 1..4 {
            let shifted = format!("{}{}", "x".repeat(before), letter.repeat(2000));
            assert_eq!(name(shifted.as_bytes()), format!("{}{}…", "x".repeat(before), letter.repeat(1000 - before)));
        }
    }
    let long = format!("x{}", " ".repeat(1_000_000));
    let many = format!(">{long}\nA\n>{}\nC\n", "y".repeat(1_000_000));
    let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
    let pair = Pair::parse_records(&b"A"[..], many.into_bytes(), &unit(Unit::Bytes), &choices).unwrap();
    assert_eq!(pair.b.record_word(0), "x");
    assert_eq!(pair.b.record_word(1), format!("{}…", "y".repeat(1000)));
}

#[test]
fn number_and_length_of_reported_names_are_bounded() {
    let long = "é".repeat(1000);
    let file: String = (0..500).map(|at| format!(">{at}{long}\nA\n")).collect();
    let choices = PairRecordChoices { a: RecordChoice { joined: true, ..RecordChoice::default() }, ..PairRecordChoices::default() };
    let told = Pair::parse_records(file.into_bytes(), &b"A"[..], &unit(Unit::Bytes), &choices).unwrap().a.read_as().clone();
    assert_eq!(
        (told.records, told.names.len(), told.names[99].chars().count()),
        (500, ReadReport::MAX_REPORTED_NAMES, ReadReport::MAX_REPORTED_NAME_CHARS)
    );
    assert!(told.names[99].starts_with("99éé") && told.names[99].ends_with('é'));
}

/// Texts with equal normal forms are equal in every unit that supports normalisation.
#[test]
fn texts_are_equal_if_their_normalized_forms_are() {
    let cases = [
        ("\u{958}\u{932}\u{92e}", "\u{915}\u{93c}\u{932}\u{92e}"),
        ("\u{fb2a}", "\u{5e9}\u{5c1}"),
        ("q\u{307}\u{323}", "q\u{323}\u{307}"),
        ("\u{1100}\u{1161}\u{11a8}", "각"),
        ("a\u{300}\u{301}x", "à\u{301}x"),
    ];
    for (a, b) in cases {
        for u in [Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines] {
            let pair = pair(a, b, ReadingOptions { normalize: true, ..unit(u) });
            assert_eq!(distance(&pair), 0, "{a:?} {b:?} {u:?}");
            assert_eq!(shown(&pair.a), shown(&pair.b));
            let written = |text: &Text| (0..text.len()).map(|at| text.display_with_ignored(at)).collect::<String>();
            assert_eq!(written(&pair.a), written(&pair.b), "no character is written twice");
        }
    }
    let pair = pair("x\u{958}e\u{301}", "", ReadingOptions { normalize: true, ..unit(Unit::Chars) });
    let ranges: Vec<_> = (0..pair.a.len()).map(|at| pair.a.range(at)).collect();
    assert_eq!(ranges, [0..1, 1..4, 1..4, 4..7]);
}

#[test]
fn case_is_folded_with_full_unicode_folding() {
    let same = |a: &str, b: &str, u, normalize| distance(&pair(a, b, ReadingOptions { case_insensitive: true, normalize, ..unit(u) })) == 0;
    for u in [Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines] {
        for (a, b) in [("ΟΔΟΣ", "οδος"), ("Ǆ", "ǅ"), ("ẞ", "ß"), ("ſ", "S"), ("\u{212a}", "k")] {
            assert!(same(a, b, u, false), "{a} {b} {u:?}");
        }
        assert!(!same("ı", "i", u, false));
        // Texts that are equal only after folding and normalising.
        assert!(same("Å\u{323}", "\u{1ea1}\u{30a}", u, true) && !same("Å\u{323}", "\u{1ea1}\u{30a}", u, false), "{u:?}");
    }
    // Folding is unit by unit: one letter has the key of two.
    assert!(same("Straße", "STRASSE", Unit::Words, false) && !same("Straße", "STRASSE", Unit::Chars, false));
}

#[test]
fn invalid_utf8_is_refused_with_text_and_byte() {
    let error = Pair::parse(&b"ok"[..], &b"abc\xff"[..], &unit(Unit::Chars)).unwrap_err();
    assert!(error.to_string().starts_with("b is not valid UTF-8 at byte 3."), "{error}");
    assert_eq!(Pair::parse(&b"\xff"[..], &b""[..], &unit(Unit::Bytes)).unwrap().a.display_unit(0), "\\xFF");
}

#[test]
fn reading_options_decide_which_symbols_are_equal() {
    let same = |a: &str, b: &str, reading| {
        let pair = pair(a, b, reading);
        pair.a_symbols() == pair.b_symbols()
    };
    let chars = unit(Unit::Chars);
    assert!(!same("Straße", "strasse", chars));
    assert!(same("ÄRGER", "ärger", ReadingOptions { case_insensitive: true, ..chars }));
    assert!(same("a b\tc\n", "abc", ReadingOptions { ignore_whitespace: true, ..chars }));
    assert!(same("e\u{301}", "é", ReadingOptions { normalize: true, ..chars }));
    assert!(!same("e\u{301}", "é", chars));
    assert!(same("e\u{301}", "é", ReadingOptions { normalize: true, ..unit(Unit::Graphemes) }));
    assert!(same("one\r\ntwo\rthree", "one\ntwo\nthree\n", unit(Unit::Lines)));
    assert!(same("a  b", "a b", ReadingOptions { ignore_whitespace: true, ..unit(Unit::Lines) }));
    assert!(same("a\u{a0}b", "ab", ReadingOptions { ignore_whitespace: true, ..chars }));
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        assert!(same("a\u{b}b\u{c}", "ab", ReadingOptions { ignore_whitespace: true, ..unit(u) }), "{u:?}");
    }
    assert!(Pair::parse(&b""[..], &b""[..], &ReadingOptions { normalize: true, ..ReadingOptions::default() }).is_err());
}

#[test]
fn line_ends_punctuation_digits_and_accents_are_ignored_in_every_unit() {
    let same = |a: &str, b: &str, reading| {
        let pair = pair(a, b, reading);
        pair.a_symbols() == pair.b_symbols()
    };
    for u in Unit::ALL {
        let line_ends = ReadingOptions { ignore_line_ends: true, ..unit(u) };
        assert!(same("one  \r\n\r\n two\rthree", "\n\none\n two\nthree\n \n", line_ends), "{u:?}");
        assert!(!same("one two", "one\ntwo", line_ends) || u == Unit::Words, "a line end between two lines counts: {u:?}");
        assert!(!same("a\n b", "a\nb", line_ends) || u == Unit::Words, "white space at the begin of a line counts: {u:?}");
        let punctuation = ReadingOptions { ignore_punctuation: true, ..unit(u) };
        assert!(same("Don't, he said.", "Dont he said", punctuation), "{u:?}");
        assert!(!same("a+b", "ab", punctuation), "a sign of mathematics is no punctuation: {u:?}");
        let digits = ReadingOptions { ignore_digits: true, ..unit(u) };
        assert!(same("page 12a", "page 7a", digits), "{u:?}");
        assert!(same("line1\n", "line20\n", digits) && !same("a½", "a", digits), "{u:?}");
        assert!(same("a٣", "a०", digits) == (u != Unit::Bytes), "only bytes have no digits beyond ASCII: {u:?}");
        let both = ReadingOptions { ignore_line_ends: true, ..punctuation };
        assert!(same("one\n---\ntwo.  \n", "one\ntwo", both), "a line of punctuation is blank: {u:?}");
    }
    for u in [Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines] {
        let accents = ReadingOptions { ignore_accents: true, ..unit(u) };
        assert!(same("Crème brûlée", "Creme brulee", accents), "{u:?}");
        assert!(same("e\u{301}te\u{301}", "été", accents) && same("\u{5e9}\u{5c1}\u{5b8}", "\u{5e9}", accents), "{u:?}");
        assert!(!same("ø", "o", accents) && !same("が", "か", accents) && !same("क", "कि", accents), "{u:?}");
        assert!(same(
            "« ’Été »",
            "ete",
            ReadingOptions { ignore_punctuation: true, ignore_whitespace: true, case_insensitive: true, ..accents }
        ));
    }
    let bytes = Pair::parse(&b""[..], &b""[..], &ReadingOptions { ignore_accents: true, ..ReadingOptions::default() });
    assert_eq!(
        bytes.unwrap_err().to_string(),
        "Accents of bytes cannot be ignored. Count in chars or graphemes, or leave out `ignore_accents`."
    );
    let fasta = ">x\nAC-GT*\n\n";
    let options = ReadingOptions { ignore_punctuation: true, ignore_digits: true, ignore_line_ends: true, ..unit(Unit::Graphemes) };
    let sequence = pair(fasta, fasta, options);
    assert_eq!(sequence.a.len(), 6, "gaps of a sequence are no punctuation");
}

#[test]
fn more_than_256_symbols_are_wide() {
    let many: String = (0..300u32).filter_map(|i| char::from_u32(0x4e00 + i)).collect();
    let pair = pair(&many, &many, unit(Unit::Chars));
    assert_eq!(pair.alphabet(), 300);
    assert!(matches!(*pair.a_symbols(), TextSymbols::Wide(_)));
    assert_eq!(pair.a_symbols().symbol_at(299), 299);
    assert_eq!(pair.a.range(299), 897..900);
}

#[test]
fn empty_texts_have_no_units() {
    for u in Unit::ALL {
        let pair = pair("", "", unit(u));
        assert!(pair.a.is_empty() && pair.a_symbols().is_empty() && pair.alphabet() == 0);
    }
}

const THREE: &str = ">chr1 the first\nACGT\nAC\n>chr2\nTTT\n>chr3\nGATTACA\n";

fn choice(record: ChosenRecord) -> RecordChoice {
    RecordChoice { record: Some(record), joined: false }
}

fn of_b(a: &str, b: &str, b_choice: RecordChoice, many: bool) -> Result<Pair, JobFailure> {
    let choices = PairRecordChoices { b: b_choice, allows_many: many, ..PairRecordChoices::default() };
    Pair::parse_records(a.as_bytes(), b.as_bytes(), &ReadingOptions::default(), &choices)
}

#[test]
fn several_records_are_refused_without_a_choice() {
    let refused = pair_of(THREE, "ACGT").unwrap_err();
    let names = ["chr1 the first", "chr2", "chr3"].map(str::to_owned).to_vec();
    let JobFailure::BadInput { message, wrong } = refused else { panic!("{refused:?}") };
    assert!(message.starts_with("a holds 3 records: chr1 the first, chr2, chr3. Choose one by `a.record`"), "{message}");
    assert_eq!(wrong, Some(InputError::SeveralRecords { text: "a".into(), records: 3, names: names.clone() }));
    let missing = of_b("ACGT", THREE, choice(ChosenRecord::Name("chr9".into())), true).unwrap_err();
    let JobFailure::BadInput { message, wrong } = missing else { panic!("{missing:?}") };
    assert_eq!(message, "b has no such record. It holds 3 records: chr1 the first, chr2, chr3.");
    assert_eq!(wrong, Some(InputError::NoRecord { text: "b".into(), records: 3, names }));
    assert!(of_b("ACGT", THREE, choice(ChosenRecord::Number(3)), true).is_err());
    assert!(of_b("two words", "more words", choice(ChosenRecord::Number(0)), true).is_err(), "plain text has no records");
    assert!(of_b("ACGT", THREE, RecordChoice { record: Some(ChosenRecord::Number(0)), joined: true }, true).is_err());
}

fn pair_of(a: &str, b: &str) -> Result<Pair, JobFailure> {
    Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default())
}

/// Chromosomes are often named by numbers. A name is chosen before the record with this number.
#[test]
fn digits_choose_a_name_before_a_number() {
    let file = ">1 dna\nACGT\n>2 dna\nTTT\n>3\nCC\n";
    let letters = |name: &str| of_b("ACGT", file, choice(ChosenRecord::Name(name.into())), true).map(|pair| shown(&pair.b).concat());
    for (name, expected) in [("1", "ACGT"), ("3", "CC"), ("0", "ACGT")] {
        assert_eq!(letters(name).unwrap(), expected, "{name}");
    }
    assert!(letters("4").is_err());
}

#[test]
fn a_record_is_chosen_by_number_or_name() {
    for record in [ChosenRecord::Number(1), ChosenRecord::Name("chr2".into())] {
        let pair = of_b("ttt", THREE, choice(record), false).unwrap();
        assert_eq!((shown(&pair.b).concat().as_str(), pair.b.name()), ("TTT", Some("chr2")));
        assert_eq!(pair.b.read_as().record, Some(1));
        assert_eq!(pair.a_symbols(), pair.b_symbols());
    }
    for name in ["chr1", "chr1 the first"] {
        let pair = of_b("ttt", THREE, choice(ChosenRecord::Name(name.into())), true).unwrap();
        assert_eq!((shown(&pair.b).concat().as_str(), pair.b.has_separate_records()), ("ACGTAC", false));
    }
}

#[test]
fn records_are_joined_or_separate() {
    let joined = of_b("TTTGAT", THREE, RecordChoice { joined: true, ..RecordChoice::default() }, true).unwrap();
    assert_eq!((shown(&joined.b).concat().as_str(), joined.b.name(), joined.b.has_separate_records()), ("ACGTACTTTGATTACA", None, false));
    assert!(joined.b.read_as().joined);
    for (a, reading) in [("TTTGAT", ReadingOptions::default()), ("A", unit(Unit::Graphemes)), (">é\nAN", unit(Unit::Chars))] {
        let three = THREE.replace("the first", "the first é");
        let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
        let apart = Pair::parse_records(a.as_bytes(), three.into_bytes(), &reading, &choices).unwrap();
        assert_eq!((0..apart.b.record_count()).map(|record| apart.b.record_range(record)).collect::<Vec<_>>(), [0..6, 7..10, 11..18]);
        assert_eq!([0, 5, 6, 7, 10, 11, 18].map(|at| apart.b.record_at(at)), [0, 0, 0, 1, 1, 2, 2]);
        let border = apart.b_symbols().symbol_at(6);
        assert_eq!(apart.b_symbols().symbol_at(10), border);
        let mut letters =
            (0..apart.a.len()).map(|at| apart.a_symbols().symbol_at(at)).chain([0, 5, 7, 11, 17].map(|at| apart.b_symbols().symbol_at(at)));
        assert!(letters.all(|letter| letter != border), "a record border equals no letter");
        assert_eq!(apart.b.display_unit(11), "G");
    }
    // If the client requests FASTA, the byte before a header may be a letter.
    let reading = ReadingOptions { fasta: FastaMode::Always, ..ReadingOptions::default() };
    let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
    let pair = Pair::parse_records(&b"C>G"[..], &b">1\nAC\n>2\nG"[..], &reading, &choices).unwrap();
    assert_ne!(pair.a_symbols().symbol_at(1), pair.b_symbols().symbol_at(2));
    assert_eq!(
        [pair.a_symbols().symbol_at(0), pair.a_symbols().symbol_at(2)],
        [pair.b_symbols().symbol_at(1), pair.b_symbols().symbol_at(3)]
    );
}
