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
    assert_eq!(pair.a_symbols, Symbols::Narrow(vec![0, 1, 2, 0]));
    assert_eq!(pair.b_symbols, Symbols::Narrow(vec![2, 0, 1]));
    assert_eq!(pair.alphabet, 3);
}

#[test]
fn every_unit_counts_its_own_thing() {
    let text = "e\u{301}l👨‍👩‍👧\r\nx y";
    let lens: Vec<usize> = Unit::ALL.into_iter().map(|u| pair(text, "", unit(u)).a.len()).collect();
    assert_eq!(lens, [text.len(), 13, 7, 4, 2], "{:?}", shown(&pair(text, "", unit(Unit::Words)).a));
}

#[test]
fn fasta_headers_are_dropped_and_letters_upper_cased() {
    for u in [Unit::Bytes, Unit::Chars, Unit::Graphemes] {
        let pair = pair(">chr1 test\nAC\r\ngt\n>second\nA\n", "ACGTA", unit(u));
        assert_eq!(pair.a.name(), Some("chr1 test"));
        assert_eq!(pair.a_symbols, pair.b_symbols, "{u:?}");
        assert_eq!(pair.a.range(2), 15..16);
        assert_eq!(pair.a.show(2), "G");
        assert_eq!(pair.b.name(), None);
    }
    assert_eq!(pair("> not fasta", "", unit(Unit::Bytes)).a.len(), 11);
    assert_eq!(pair(">quoted\nmail", "", unit(Unit::Lines)).a.len(), 2);
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
    assert!(matches!(pair.a_symbols, Symbols::Wide(_)));
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
