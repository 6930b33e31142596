use kernels::text::Reading;
use oracle::{mutated, random, serial};

use super::*;

fn laid_out(a: &str, b: &str, unit: Unit) -> (Editions, Vec<Twin>) {
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &Reading { unit, ..Reading::default() }).unwrap();
    let alignment = serial::edit_distance::align(&pair).1;
    let editions = Editions::new(&pair, &alignment).unwrap();
    let twins = editions.twins(&pair, &alignment, (0, 1_000));
    (editions, twins)
}

/// A side as a text: lines without a mark as they are, marked pieces in brackets with their letters.
fn drawn(marked: Option<&Marked>) -> String {
    let Some(marked) = marked else { return "–".into() };
    let piece = |(edit, text): &(Edit, String)| match edit {
        Edit::Equal => text.clone(),
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
fn changed_lines_stand_beside_what_they_came_from() {
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
    assert_eq!(laid_out(a, b, Unit::Lines).0.outline(), Outline { rows: 6, changes: vec![(1, 3), (4, 5)] });
}

#[test]
fn lines_that_have_nothing_in_common_are_marked_as_a_whole() {
    assert_eq!(rows("alpha beta", "gamma delta", Unit::Lines), [row("[Xalpha beta]", "[Xgamma delta]", true)]);
    assert_eq!(rows("a  b", "a b", Unit::Lines), [row("[Xa  b]", "[Xa b]", true)], "white space only");
    assert!(rows("", "", Unit::Lines).is_empty());
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
fn letters_have_no_editions() {
    let pair = oracle::bytes(b"a", b"b");
    assert!(matches!(Editions::new(&pair, &"1X".parse().unwrap()), Err(Failure::BadInput { .. })));
}

/// Every line of both texts stands in one row, in order, with all its letters; rows that differ are those of the alignment's edits.
fn check(a: &str, b: &str, unit: Unit) {
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &Reading { unit, ..Reading::default() }).unwrap();
    for alignment in [serial::edit_distance::align(&pair).1, serial::lcs::align(&pair).1] {
        let editions = Editions::new(&pair, &alignment).unwrap();
        let rows = editions.outline().rows;
        let twins: Vec<Twin> = (0..rows).flat_map(|at| editions.twins(&pair, &alignment, (at, 1))).collect();
        for (text, side) in [(a, 0), (b, 1)] {
            let lines: Vec<&Marked> = twins.iter().filter_map(|twin| if side == 0 { twin.a.as_ref() } else { twin.b.as_ref() }).collect();
            assert!((0u64..).zip(&lines).all(|(at, line)| line.line == at), "{a:?} {b:?}");
            let again: Vec<String> =
                lines.iter().map(|line| line.pieces.iter().map(|piece| piece.1.as_str()).collect::<String>()).collect();
            assert_eq!(again, text.lines().collect::<Vec<_>>(), "{a:?} {b:?}");
        }
        let edited =
            |twin: &Twin| [&twin.a, &twin.b].into_iter().flatten().any(|side| side.pieces.iter().any(|piece| piece.0 != Edit::Equal));
        for twin in &twins {
            let alone = twin.a.is_none() || twin.b.is_none();
            assert_eq!(twin.changed, alone || edited(twin), "{twin:?}");
        }
        let changed: u64 = editions.outline().changes.iter().map(|change| change.1 - change.0).sum();
        assert_eq!(changed, twins.iter().filter(|twin| twin.changed).count() as u64);
    }
}

#[test]
fn no_line_is_lost_whatever_the_texts() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    for seed in 0..60 {
        let a = random(b"ab c\n\n", (seed * 3) as usize, seed);
        let b = if seed % 4 == 0 { random(b"ab c\n", 80, seed + 9) } else { mutated(&a, b"abc \n", 0.2, seed) };
        for unit in [Unit::Lines, Unit::Words] {
            check(&text(a.clone()), &text(b.clone()), unit);
        }
    }
}
