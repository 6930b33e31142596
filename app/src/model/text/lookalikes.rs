//! Letters of different scripts that look alike, such as the Cyrillic and the Latin a: [`skeleton`] and [`named`].

use crate::tr;
use crate::tr::t;

/// Pairs of letters: a letter of the Cyrillic or Greek script, and the Latin letter that it looks like.
const LOOKALIKES: &str = "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwӏlАAВBЕEКKМMНHОOРPСCТTУYХXЅSІIЈJοoνvιiρpκkυuΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX";

/// Returns the Latin letter that `letter` looks like, or `letter` itself if there is none. Takes time linear in the
/// size of the table.
pub fn skeleton(letter: char) -> char {
    let mut pairs = LOOKALIKES.chars();
    while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
        if from == letter {
            return to;
        }
    }
    letter
}

/// Formats a letter with its code point and script, for example "а U+0430 Cyrillic".
fn described(letter: char) -> String {
    let script = match letter {
        '\u{370}'..='\u{3ff}' => t("Greek"),
        '\u{400}'..='\u{52f}' => t("Cyrillic"),
        _ => t("Latin"),
    };
    format!("{letter} U+{:04X} {script}", u32::from(letter))
}

/// Formats a sentence about the first pair of different letters in the texts `old` and `new`, with their code points.
/// Returns `None` if the texts are equal, or differ in letters that do not look alike.
pub fn named(old: &str, new: &str) -> Option<String> {
    let mut first = None;
    let (mut a, mut b) = (old.chars(), new.chars());
    loop {
        match (a.next(), b.next()) {
            (None, None) => break,
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) if skeleton(x) == skeleton(y) => first = first.or(Some((x, y))),
            _ => return None,
        }
    }
    let (x, y) = first?;
    Some(tr!("{x} and {y} look alike", x = described(x), y = described(y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_look_alike_are_named_with_their_scripts() {
        let said = named("p\u{430}ypal.com", "paypal.com");
        assert_eq!(said.as_deref(), Some("\u{430} U+0430 Cyrillic and a U+0061 Latin look alike"));
        assert_eq!(named("\u{39f}", "\u{41e}").as_deref(), Some("\u{39f} U+039F Greek and \u{41e} U+041E Cyrillic look alike"));
        for (old, new) in [("a", "a"), ("kitten", "sitting"), ("\u{430}b", "ac"), ("", "\u{430}")] {
            assert_eq!(named(old, new), None);
        }
    }

    #[test]
    fn table_pairs_foreign_letters_with_latin_letters() {
        let letters: Vec<char> = LOOKALIKES.chars().collect();
        assert!(letters.chunks(2).all(|pair| !pair[0].is_ascii() && pair[1].is_ascii_alphabetic()));
    }
}
