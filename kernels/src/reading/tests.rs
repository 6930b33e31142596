use crate::text::{Pair, Symbols, Text};
use std::borrow::Cow;

use super::*;

fn pair(a: &str, b: &str, reading: Reading) -> Pair {
    Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap()
}

fn shown(text: &Text) -> Vec<String> {
    (0..text.len()).map(|at| text.show(at)).collect()
}

fn unit(unit: Unit) -> Reading {
    Reading { unit, ..Reading::default() }
}

#[test]
fn equal_units_have_equal_numbers() {
    let pair = pair("abca", "cab", Reading::default());
    assert_eq!(*pair.a_symbols, Symbols::Narrow(vec![0, 1, 2, 0]));
    assert_eq!(*pair.b_symbols, Symbols::Narrow(vec![2, 0, 1]));
    assert_eq!(pair.alphabet, 3);
}

#[test]
fn every_unit_counts_its_own_thing() {
    let text = "e\u{301}l👨‍👩‍👧\r\nx y";
    let lens: Vec<usize> = Unit::ALL.into_iter().map(|u| pair(text, "", unit(u)).a.len()).collect();
    assert_eq!(lens, [text.len(), 13, 7, 4, 2], "{:?}", shown(&pair(text, "", unit(Unit::Words)).a));
}

/// Levenshtein's distance, row by row.
fn distance(pair: &Pair) -> usize {
    let mut row: Vec<usize> = (0..=pair.b.len()).collect();
    for i in 0..pair.a.len() {
        let mut corner = row[0];
        row[0] = i + 1;
        for j in 0..pair.b.len() {
            let equal = pair.a_symbols.at(i) == pair.b_symbols.at(j);
            let least = (corner + usize::from(!equal)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = std::mem::replace(&mut row[j + 1], least);
        }
    }
    row[pair.b.len()]
}

fn formats(pair: &Pair) -> [Format; 2] {
    [&pair.a, &pair.b].map(|text| text.read_as().format)
}

#[test]
fn fasta_headers_are_dropped_and_letters_upper_cased() {
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        let pair = pair(">chr1 test\nAC\r\ngt\n", "ACGT", unit(u));
        assert_eq!(pair.a.name(), Some("chr1 test"));
        assert_eq!(pair.a_symbols, pair.b_symbols, "{u:?}");
        assert_eq!(pair.a.range(2), 15..16);
        assert_eq!(pair.a.show(2), "G");
        assert_eq!((pair.b.name(), formats(&pair)), (None, [Format::Fasta, Format::Sequence]));
    }
    assert_eq!(pair("> not fasta", "", unit(Unit::Bytes)).a.len(), 11);
    assert_eq!(pair(">quoted\nmail", "", unit(Unit::Lines)).a.len(), 2);
}

#[test]
fn quoted_mail_keeps_every_symbol() {
    let (quoted, not) = ("> Hi Bob,\n> how are you\nFine, thanks.", "Hi Bob,\nhow are you\nFine, thanks.");
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        let pair = pair(quoted, not, unit(u));
        assert_eq!((distance(&pair), formats(&pair)), (4, [Format::Plain; 2]), "{u:?}");
    }
    let differ = pair("> quoted mail\nhello", "> quoted mail, other\nHELLO", unit(Unit::Chars));
    assert_eq!(distance(&differ), 11);
    // The header is one, but what is below is no sequence: in either text.
    for (a, b) in [(">x\nACGT ACGT", "ACGT"), (">x\nACGT", "two words"), (">x\nACGT", "ACGT1"), ("@@ -1 +1 @@\n-a\n+b", "a")] {
        assert_eq!(formats(&pair(a, b, unit(Unit::Bytes))), [Format::Plain; 2], "{a:?} {b:?}");
    }
    // Headers alone may be quoted words.
    assert_eq!(distance(&pair(">yes\n>no\n", ">yes\n>not\n", unit(Unit::Bytes))), 1);
}

#[test]
fn a_sequence_is_folded_as_the_file_that_it_is_compared_with() {
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
    assert_eq!(pair(">x\nACGT", "", unit(Unit::Bytes)).b.read_as().format, Format::Sequence);
}

#[test]
fn marks_empty_lines_ends_of_lines_and_comments_are_no_letters() {
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
            assert_eq!(pair.a_symbols, pair.b_symbols, "{file:?} {u:?}");
            assert_eq!((pair.a.name(), pair.a.read_as().byte_order_mark), (Some("chr1"), file.starts_with('\u{feff}')), "{file:?}");
        }
    }
    // Qualities of another length, and a record that breaks off, are no FASTQ.
    for file in ["@x\nACGT\n+\nIII", "@x\nACGT\n+\nIIIII", "@x\nACGT\n", "@x\nACGT\n+\nII I", "@x\n+\n"] {
        assert_eq!(formats(&pair(file, "ACGT", unit(Unit::Bytes))), [Format::Plain; 2], "{file:?}");
    }
}

#[test]
fn never_keeps_every_byte_and_always_asks_no_question() {
    let reading = |fasta| Reading { fasta, ..unit(Unit::Bytes) };
    let never = pair(">x\nACGT\n", "acgt", reading(Fasta::Never));
    assert_eq!((never.a.len(), never.a.read_as().clone(), distance(&never)), (8, ReadAs::default(), 8));
    let always = pair("> my name\nAC GT\n;no\n\tac1", "acg t", reading(Fasta::Always));
    assert_eq!((shown(&always.a).concat().as_str(), shown(&always.b).concat().as_str()), ("ACGTAC1", "ACGT"));
    assert_eq!((always.a.name(), formats(&always)), (Some("my name"), [Format::Fasta, Format::Sequence]));
    assert_eq!(always.b.read_as().records, 1);
}

#[test]
fn a_byte_order_mark_is_no_symbol_but_three_bytes() {
    let marked = "\u{feff}one two";
    let read = |u| pair(marked, "one two", unit(u));
    assert_eq!(distance(&read(Unit::Bytes)), 3);
    assert!(!read(Unit::Bytes).a.read_as().byte_order_mark);
    for u in [Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines] {
        let pair = read(u);
        assert_eq!((distance(&pair), pair.a.range(0).start), (0, 3), "{u:?}");
        assert!(pair.a.read_as().byte_order_mark && !pair.b.read_as().byte_order_mark);
    }
}

/// As many characters as are shown anywhere, whatever they are made of.
#[test]
fn headers_of_megabytes_are_cut() {
    let name = |header: &[u8]| {
        let file = [b">", header, b"\nACGT\n"].concat();
        let pair = Pair::parse(file, &b"A"[..], &Reading { fasta: Fasta::Always, ..unit(Unit::Bytes) }).unwrap();
        assert_eq!(pair.a.name().map(str::to_owned), pair.a.record_name(0).map(Cow::into_owned));
        pair.a.name().unwrap().to_owned()
    };
    for letter in ["x", "é", "…", "\u{1f9ec}"] {
        let whole = letter.repeat(1000);
        assert_eq!(name(whole.as_bytes()), whole);
        for more in [1, 2, 500_000] {
            assert_eq!(name(letter.repeat(1000 + more).as_bytes()), format!("{whole}…"), "{letter} and {more} more");
        }
        // Cut in the middle of a letter, wherever that lies.
        for before in 1..4 {
            let shifted = format!("{}{}", "x".repeat(before), letter.repeat(2000));
            assert_eq!(name(shifted.as_bytes()), format!("{}{}…", "x".repeat(before), letter.repeat(1000 - before)));
        }
    }
    let long = format!("x{}", " ".repeat(1_000_000));
    let many = format!(">{long}\nA\n>{}\nC\n", "y".repeat(1_000_000));
    let choices = Choices { many: true, ..Choices::default() };
    let pair = Pair::of_records(&b"A"[..], many.into_bytes(), &unit(Unit::Bytes), &choices).unwrap();
    assert_eq!(pair.b.record_word(0), "x");
    assert_eq!(pair.b.record_word(1), format!("{}…", "y".repeat(1000)));
}

#[test]
fn names_are_told_within_bounds() {
    let long = "é".repeat(1000);
    let file: String = (0..500).map(|at| format!(">{at}{long}\nA\n")).collect();
    let choices = Choices { a: Choice { joined: true, ..Choice::default() }, ..Choices::default() };
    let told = Pair::of_records(file.into_bytes(), &b"A"[..], &unit(Unit::Bytes), &choices).unwrap().a.read_as().clone();
    assert_eq!((told.records, told.names.len(), told.names[99].chars().count()), (500, ReadAs::NAMES, ReadAs::NAME));
    assert!(told.names[99].starts_with("99éé") && told.names[99].ends_with('é'));
}

/// Equal after normalisation, whatever it leaves: in every unit that has it.
#[test]
fn normalised_texts_are_equal_when_their_forms_are() {
    let cases = [
        ("\u{958}\u{932}\u{92e}", "\u{915}\u{93c}\u{932}\u{92e}"),
        ("\u{fb2a}", "\u{5e9}\u{5c1}"),
        ("q\u{307}\u{323}", "q\u{323}\u{307}"),
        ("\u{1100}\u{1161}\u{11a8}", "각"),
        ("a\u{300}\u{301}x", "à\u{301}x"),
    ];
    for (a, b) in cases {
        for u in [Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines] {
            let pair = pair(a, b, Reading { normalize: true, ..unit(u) });
            assert_eq!(distance(&pair), 0, "{a:?} {b:?} {u:?}");
            assert_eq!(shown(&pair.a), shown(&pair.b));
            let written = |text: &Text| (0..text.len()).map(|at| text.written(at)).collect::<String>();
            assert_eq!(written(&pair.a), written(&pair.b), "nothing is written twice");
        }
    }
    let pair = pair("x\u{958}e\u{301}", "", Reading { normalize: true, ..unit(Unit::Chars) });
    let ranges: Vec<_> = (0..pair.a.len()).map(|at| pair.a.range(at)).collect();
    assert_eq!(ranges, [0..1, 1..4, 1..4, 4..7]);
}

#[test]
fn case_is_folded_in_full() {
    let same = |a: &str, b: &str, u, normalize| distance(&pair(a, b, Reading { case_insensitive: true, normalize, ..unit(u) })) == 0;
    for u in [Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines] {
        for (a, b) in [("ΟΔΟΣ", "οδος"), ("Ǆ", "ǅ"), ("ẞ", "ß"), ("ſ", "S"), ("\u{212a}", "k")] {
            assert!(same(a, b, u, false), "{a} {b} {u:?}");
        }
        assert!(!same("ı", "i", u, false));
        // What is equal only after both.
        assert!(same("Å\u{323}", "\u{1ea1}\u{30a}", u, true) && !same("Å\u{323}", "\u{1ea1}\u{30a}", u, false), "{u:?}");
    }
    // Unit by unit: one letter has the key of two.
    assert!(same("Straße", "STRASSE", Unit::Words, false) && !same("Straße", "STRASSE", Unit::Chars, false));
}

#[test]
fn invalid_utf8_is_named_by_text_and_byte() {
    let error = Pair::parse(&b"ok"[..], &b"abc\xff"[..], &unit(Unit::Chars)).unwrap_err();
    assert!(error.to_string().starts_with("b is not valid UTF-8 at byte 3."), "{error}");
    assert_eq!(Pair::parse(&b"\xff"[..], &b""[..], &unit(Unit::Bytes)).unwrap().a.show(0), "\\xFF");
}

#[test]
fn options_decide_what_is_equal() {
    let same = |a: &str, b: &str, reading| {
        let pair = pair(a, b, reading);
        pair.a_symbols == pair.b_symbols
    };
    let chars = unit(Unit::Chars);
    assert!(!same("Straße", "strasse", chars));
    assert!(same("ÄRGER", "ärger", Reading { case_insensitive: true, ..chars }));
    assert!(same("a b\tc\n", "abc", Reading { ignore_whitespace: true, ..chars }));
    assert!(same("e\u{301}", "é", Reading { normalize: true, ..chars }));
    assert!(!same("e\u{301}", "é", chars));
    assert!(same("e\u{301}", "é", Reading { normalize: true, ..unit(Unit::Graphemes) }));
    assert!(same("one\r\ntwo", "one\ntwo\n", unit(Unit::Lines)));
    assert!(same("a  b", "a b", Reading { ignore_whitespace: true, ..unit(Unit::Lines) }));
    assert!(same("a\u{a0}b", "ab", Reading { ignore_whitespace: true, ..chars }));
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        assert!(same("a\u{b}b\u{c}", "ab", Reading { ignore_whitespace: true, ..unit(u) }), "{u:?}");
    }
    assert!(Pair::parse(&b""[..], &b""[..], &Reading { normalize: true, ..Reading::default() }).is_err());
}

#[test]
fn more_than_256_symbols_are_wide() {
    let many: String = (0..300u32).filter_map(|i| char::from_u32(0x4e00 + i)).collect();
    let pair = pair(&many, &many, unit(Unit::Chars));
    assert_eq!(pair.alphabet, 300);
    assert!(matches!(*pair.a_symbols, Symbols::Wide(_)));
    assert_eq!(pair.a_symbols.at(299), 299);
    assert_eq!(pair.a.range(299), 897..900);
}

#[test]
fn empty_texts_have_no_units() {
    for u in Unit::ALL {
        let pair = pair("", "", unit(u));
        assert!(pair.a.is_empty() && pair.a_symbols.is_empty() && pair.alphabet == 0);
    }
}

const THREE: &str = ">chr1 the first\nACGT\nAC\n>chr2\nTTT\n>chr3\nGATTACA\n";

fn choice(record: Record) -> Choice {
    Choice { record: Some(record), joined: false }
}

fn of_b(a: &str, b: &str, b_choice: Choice, many: bool) -> Result<Pair, Failure> {
    let choices = Choices { b: b_choice, many, ..Choices::default() };
    Pair::of_records(a.as_bytes(), b.as_bytes(), &Reading::default(), &choices)
}

#[test]
fn several_records_are_refused_without_a_choice() {
    let refused = pair_of(THREE, "ACGT").unwrap_err();
    let names = ["chr1 the first", "chr2", "chr3"].map(str::to_owned).to_vec();
    let Failure::BadInput { message, wrong } = refused else { panic!("{refused:?}") };
    assert!(message.starts_with("a holds 3 records: chr1 the first, chr2, chr3. Choose one by record"), "{message}");
    assert_eq!(wrong, Some(Wrong::SeveralRecords { text: "a".into(), records: 3, names: names.clone() }));
    let missing = of_b("ACGT", THREE, choice(Record::Name("chr9".into())), true).unwrap_err();
    let Failure::BadInput { message, wrong } = missing else { panic!("{missing:?}") };
    assert_eq!(message, "b has no such record. It holds 3 records: chr1 the first, chr2, chr3.");
    assert_eq!(wrong, Some(Wrong::NoRecord { text: "b".into(), records: 3, names }));
    assert!(of_b("ACGT", THREE, choice(Record::Number(3)), true).is_err());
    assert!(of_b("two words", "more words", choice(Record::Number(0)), true).is_err(), "plain text has no records");
    assert!(of_b("ACGT", THREE, Choice { record: Some(Record::Number(0)), joined: true }, true).is_err());
}

fn pair_of(a: &str, b: &str) -> Result<Pair, Failure> {
    Pair::parse(a.as_bytes(), b.as_bytes(), &Reading::default())
}

#[test]
fn a_record_is_chosen_by_number_or_name() {
    for record in [Record::Number(1), Record::Name("chr2".into())] {
        let pair = of_b("ttt", THREE, choice(record), false).unwrap();
        assert_eq!((shown(&pair.b).concat().as_str(), pair.b.name()), ("TTT", Some("chr2")));
        assert_eq!(pair.b.read_as().record, Some(1));
        assert_eq!(pair.a_symbols, pair.b_symbols);
    }
    for name in ["chr1", "chr1 the first"] {
        let pair = of_b("ttt", THREE, choice(Record::Name(name.into())), true).unwrap();
        assert_eq!((shown(&pair.b).concat().as_str(), pair.b.is_apart()), ("ACGTAC", false));
    }
}

#[test]
fn records_are_joined_or_kept_apart() {
    let joined = of_b("TTTGAT", THREE, Choice { joined: true, ..Choice::default() }, true).unwrap();
    assert_eq!((shown(&joined.b).concat().as_str(), joined.b.name(), joined.b.is_apart()), ("ACGTACTTTGATTACA", None, false));
    assert!(joined.b.read_as().joined);
    for (a, reading) in [("TTTGAT", Reading::default()), ("A", unit(Unit::Graphemes)), (">é\nAN", unit(Unit::Chars))] {
        let three = THREE.replace("the first", "the first é");
        let choices = Choices { many: true, ..Choices::default() };
        let apart = Pair::of_records(a.as_bytes(), three.into_bytes(), &reading, &choices).unwrap();
        assert_eq!((0..apart.b.parts()).map(|record| apart.b.part(record)).collect::<Vec<_>>(), [0..6, 7..10, 11..18]);
        assert_eq!([0, 5, 6, 7, 10, 11, 18].map(|at| apart.b.part_at(at)), [0, 0, 0, 1, 1, 2, 2]);
        let border = apart.b_symbols.at(6);
        assert_eq!(apart.b_symbols.at(10), border);
        let mut letters = (0..apart.a.len()).map(|at| apart.a_symbols.at(at)).chain([0, 5, 7, 11, 17].map(|at| apart.b_symbols.at(at)));
        assert!(letters.all(|letter| letter != border), "a border is no letter");
        assert_eq!(apart.b.show(11), "G");
    }
    // Where somebody says that it is FASTA, a letter may be what stands before a header.
    let reading = Reading { fasta: Fasta::Always, ..Reading::default() };
    let choices = Choices { many: true, ..Choices::default() };
    let pair = Pair::of_records(&b"C>G"[..], &b">1\nAC\n>2\nG"[..], &reading, &choices).unwrap();
    assert_ne!(pair.a_symbols.at(1), pair.b_symbols.at(2));
    assert_eq!([pair.a_symbols.at(0), pair.a_symbols.at(2)], [pair.b_symbols.at(1), pair.b_symbols.at(3)]);
}
