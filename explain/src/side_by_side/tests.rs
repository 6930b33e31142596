use kernels::text::ReadingOptions;
use oracle::{mutated, random, serial};

use super::*;

fn laid_out(a: &str, b: &str, unit: Unit) -> (SideBySideLayout, Vec<RowPair>) {
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
    let alignment = serial::edit_distance::align(&pair).1;
    let editions = SideBySideLayout::new(&pair, &alignment).unwrap();
    let twins = editions.row_pairs(&pair, &alignment, (0, 1_000));
    (editions, twins)
}

/// Writes one side as text, with marked pieces in brackets with their edit letters.
fn drawn(marked: Option<&MarkedLine>) -> String {
    let Some(marked) = marked else { return "–".into() };
    let piece = |(edit, text): &(EditKind, String)| match edit {
        EditKind::Equal => text.clone(),
        edit => format!("[{}{text}]", edit.letter()),
    };
    marked.pieces.iter().map(piece).collect()
}

fn rows(a: &str, b: &str, unit: Unit) -> Vec<(String, String, bool)> {
    laid_out(a, b, unit).1.iter().map(|twin| (drawn(twin.a.as_ref()), drawn(twin.b.as_ref()), twin.changed)).collect()
}

fn row(a: &str, b: &str, changed: bool) -> (String, String, bool) {
    (a.into(), b.into(), changed)
}

#[test]
fn changed_lines_are_paired_with_their_originals() {
    let a = "one\nport = 80\nhost = here\nlast\n";
    let b = "one\n# a new remark\nport = 8080\nhost = here\nmore\nlast\n";
    assert_eq!(
        rows(a, b, Unit::Lines),
        [
            row("one", "one", false),
            row("–", "[I# a new remark]", true),
            row("port = [X80]", "port = [X8080]", true),
            row("host = here", "host = here", false),
            row("–", "[Imore]", true),
            row("last", "last", false),
        ]
    );
    assert_eq!(
        laid_out(a, b, Unit::Lines).0.outline(),
        SideBySideOutline { rows: 6, changes: vec![(1, 3), (4, 5)], ..SideBySideOutline::default() }
    );
}

#[test]
fn lines_without_common_words_are_marked_as_a_whole() {
    assert_eq!(rows("alpha beta", "gamma delta", Unit::Lines), [row("[Xalpha beta]", "[Xgamma delta]", true)]);
    assert!(rows("", "", Unit::Lines).is_empty());
}

#[test]
fn lines_of_matching_codes_do_not_differ() {
    let reading = ReadingOptions { unit: Unit::Lines, ambiguity: true, ..ReadingOptions::default() };
    let pair = Pair::parse(&b"R"[..], &b"G"[..], &reading).unwrap();
    let alignment = "1=".parse().unwrap();
    let editions = SideBySideLayout::new(&pair, &alignment).unwrap();
    assert!(editions.outline().changes.is_empty());
    let twin = &editions.row_pairs(&pair, &alignment, (0, 1))[0];
    assert_eq!((drawn(twin.a.as_ref()), drawn(twin.b.as_ref()), twin.changed), row("R", "G", false));
}

#[test]
fn lines_that_differ_in_blanks_have_only_blanks_marked() {
    assert_eq!(rows("a  b", "a b", Unit::Lines), [row("a[D ] b", "a b", true)]);
    assert_eq!(rows("x = 1  \ny", "x = 1\ny", Unit::Lines)[0], row("x = 1[D  ]", "x = 1", true));
    assert_eq!(rows("\tx", "    x", Unit::Lines), [row("[X\t]x", "[X    ]x", true)]);
    assert_eq!(rows("10 000 km", "10\u{a0}000 km", Unit::Lines), [row("10[X ]000 km", "10[X\u{a0}]000 km", true)]);
}

/// Returns the marked pieces of one side.
fn edits(marked: Option<&MarkedLine>) -> Vec<(EditKind, String)> {
    marked.iter().flat_map(|side| &side.pieces).filter(|piece| piece.0 != EditKind::Equal).cloned().collect()
}

#[test]
fn long_lines_have_exactly_their_edits_marked() {
    let words: Vec<String> = (0..1000).map(|at| format!("w{at:04}")).collect();
    let a = words.join(" ");
    let one = |edit, text: &str| vec![(edit, text.to_owned())];
    for unit in [Unit::Lines, Unit::Words] {
        let (_, twins) = laid_out(&a, &format!("NEW {a}"), unit);
        assert_eq!((edits(twins[0].a.as_ref()), edits(twins[0].b.as_ref()).len()), (Vec::new(), 1), "{unit:?}");
        assert_eq!(edits(twins[0].b.as_ref())[0].1.trim(), "NEW");
        let (_, twins) = laid_out(&a, &a.replace("w0900", "other"), unit);
        assert_eq!(edits(twins[0].a.as_ref()), one(EditKind::Substitute, "w0900"), "{unit:?}");
        assert_eq!(edits(twins[0].b.as_ref()), one(EditKind::Substitute, "other"), "{unit:?}");
        assert!(!twins[0].coarse);
        let shown: usize = twins[0].a.iter().flat_map(|side| &side.pieces).map(|piece| piece.1.len()).sum();
        assert!(shown < 4_100, "{shown}");
    }
    // A paragraph of Chinese has no blanks.
    let han: String = (0..2000).map(|at| char::from_u32(0x4e00 + at).unwrap()).collect();
    let (_, twins) = laid_out(&han, &han.replace('\u{4e00}', "水"), Unit::Lines);
    assert_eq!(edits(twins[0].b.as_ref()), one(EditKind::Substitute, "水"));
}

#[test]
fn lines_with_too_many_edits_get_coarse_marks() {
    let (a, b): (String, String) =
        ((0..2_000).map(|at| format!("same x{at} ")).collect(), (0..2_000).map(|at| format!("same y{at} ")).collect());
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit: Unit::Words, ..ReadingOptions::default() }).unwrap();
    let alignment = "1=1X".repeat(2_000).parse().unwrap();
    let editions = SideBySideLayout::new(&pair, &alignment).unwrap();
    let row = pieces::pieces_of_words(&pair, &alignment, &editions.lines, editions.rows[0], 4_000);
    assert!(row.is_coarse);
    assert!(row.a.iter().map(|piece| piece.1.len()).sum::<usize>() < 4_010);
    assert!(!editions.row_pairs(&pair, &alignment, (0, 1))[0].coarse, "a single row shows all edits");
}

#[test]
fn letters_of_long_lines_are_not_split() {
    let family = "👩\u{200d}👩\u{200d}👧";
    let (_, twins) = laid_out(&family.repeat(600), &format!("{} x", family.repeat(600)), Unit::Lines);
    for (_, text) in twins[0].a.iter().flat_map(|side| &side.pieces) {
        assert!(text.replace(family, "").chars().all(|char| " …".contains(char)), "{text}");
    }
}

#[test]
fn two_editions_of_a_poem_keep_their_lines() {
    let a = "I saw a Cloud\nA host of dancing Daffodils;\n\nAlone\n";
    let b = "I saw a cloud\n\nA host, of golden daffodils;\n\nAlone";
    assert_eq!(
        rows(a, b, Unit::Words),
        [
            row("I saw a [XCloud]", "I saw a [Xcloud]", true),
            row("–", "", true),
            row("A host of [Xdancing Daffodils];", "A host[I,] of [Xgolden daffodils];", true),
            row("", "", false),
            row("Alone", "Alone", false),
        ]
    );
}

#[test]
fn letters_have_no_side_by_side_view() {
    let pair = oracle::bytes(b"a", b"b");
    assert!(matches!(SideBySideLayout::new(&pair, &"1X".parse().unwrap()), Err(JobFailure::BadInput { .. })));
}

/// Checks that every line of both texts is in one row, in order and complete, and that changed rows are those with
/// edits.
fn check(a: &str, b: &str, unit: Unit) {
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
    for alignment in [serial::edit_distance::align(&pair).1, serial::lcs::align(&pair).1] {
        let editions = SideBySideLayout::new(&pair, &alignment).unwrap();
        let rows = editions.outline().rows;
        let twins: Vec<RowPair> = (0..rows).flat_map(|at| editions.row_pairs(&pair, &alignment, (at, 1))).collect();
        for (text, side) in [(a, 0), (b, 1)] {
            let lines: Vec<&MarkedLine> =
                twins.iter().filter_map(|twin| if side == 0 { twin.a.as_ref() } else { twin.b.as_ref() }).collect();
            assert!((0u64..).zip(&lines).all(|(at, line)| line.line == at), "{a:?} {b:?}");
            let again: Vec<String> =
                lines.iter().map(|line| line.pieces.iter().map(|piece| piece.1.as_str()).collect::<String>()).collect();
            assert_eq!(again, text.lines().collect::<Vec<_>>(), "{a:?} {b:?}");
        }
        let edited = |twin: &RowPair| {
            [&twin.a, &twin.b].into_iter().flatten().any(|side| side.pieces.iter().any(|piece| piece.0 != EditKind::Equal))
        };
        for twin in &twins {
            let alone = twin.a.is_none() || twin.b.is_none();
            assert_eq!(twin.changed, alone || edited(twin), "{twin:?}");
        }
        let changed: u64 = editions.outline().changes.iter().map(|change| change.1 - change.0).sum();
        assert_eq!(changed, twins.iter().filter(|twin| twin.changed).count() as u64);
    }
}

#[test]
fn every_line_is_in_some_row() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    for seed in 0..60 {
        let a = random(b"ab c\n\n", (seed * 3) as usize, seed);
        let b = if seed % 4 == 0 { random(b"ab c\n", 80, seed + 9) } else { mutated(&a, b"abc \n", 0.2, seed) };
        for unit in [Unit::Lines, Unit::Words] {
            check(&text(a.clone()), &text(b.clone()), unit);
        }
    }
}

#[test]
fn gaps_move_to_sentence_borders_at_equal_cost() {
    for seed in 0..200 {
        let letters = random(b"ab.. ", 40, seed);
        let a = String::from_utf8(letters).unwrap();
        let b = String::from_utf8(mutated(a.as_bytes(), b"ab. ", 0.2, seed)).unwrap();
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit: Unit::Words, ..ReadingOptions::default() }).unwrap();
        let alignment = serial::edit_distance::align(&pair).1;
        let lines = [pieces::lines(&pair.a), pieces::lines(&pair.b)];
        let slid = sliding::gaps_at_sentences(&pair, &alignment, &lines);
        let symbols = |symbols: &kernels::text::TextSymbols| (0..symbols.len()).map(|at| symbols.symbol_at(at)).collect::<Vec<_>>();
        slid.check(&symbols(pair.a_symbols()), &symbols(pair.b_symbols())).unwrap_or_else(|wrong| panic!("{a:?} {b:?}: {wrong:?}"));
        assert_eq!(slid.summary().distance(), alignment.summary().distance(), "{a:?} {b:?}");
    }
}

#[test]
fn sentences_have_rows_and_know_their_line() {
    let a = "Once upon a time. A fox ran. It was quick.\nThe end.\n";
    let b = "Once upon a time. The moon rose. A fox ran. It was slow.\nThe end.\n";
    assert_eq!(
        rows(a, b, Unit::Words),
        [
            row("Once upon a time.", "Once upon a time.", false),
            row("–", "[IThe moon rose.]", true),
            row("A fox ran.", "A fox ran.", false),
            row("It was [Xquick].", "It was [Xslow].", true),
            row("The end.", "The end.", false),
        ]
    );
    let (editions, twins) = laid_out(a, b, Unit::Words);
    let lines: Vec<(u64, bool)> = twins.iter().filter_map(|twin| twin.b.as_ref()).map(|line| (line.line, line.continues)).collect();
    assert_eq!(lines, [(0, false), (0, true), (0, true), (0, true), (1, false)]);
    assert_eq!(editions.outline(), SideBySideOutline { rows: 5, changes: vec![(1, 2), (3, 4)], sentences: true, moves: Vec::new() });
    assert!(!laid_out("one\ntwo. x\n", "one\n", Unit::Words).0.outline().sentences);
}

#[test]
fn moved_blocks_are_found_with_their_rows() {
    let block = "The fox jumped over the lazy dog and ran into the dark forest. ";
    let others: Vec<String> = (0..8).map(|at| format!("Sentence number {at} has words of its own, such as w{at} and v{at}. ")).collect();
    let a = format!("{}{block}{}", others[..2].concat(), others[2..].concat());
    let b = format!("{}{block}{}", others[..6].concat(), others[6..].concat());
    let outline = laid_out(&a, &b, Unit::Words).0.outline();
    let expected = RowMove { symbols: 14, from_row: 2, from_line: 0, to_row: 7, to_line: 0 };
    assert_eq!(outline.moves, [expected]);
    let lines = |text: &str| text.replace(". ", ".\n");
    let (a, b) = (lines(&a).replace("lazy dog", "lazy\ndog"), lines(&b).replace("lazy dog", "lazy\ndog"));
    let outline = laid_out(&a, &b, Unit::Lines).0.outline();
    assert_eq!(outline.moves, [RowMove { symbols: 2, from_row: 2, from_line: 2, to_row: 8, to_line: 6 }]);
    assert!(laid_out("one two three", "one three two", Unit::Words).0.outline().moves.is_empty());
}
