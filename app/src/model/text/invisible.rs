//! Names of invisible characters, for screen readers, sentences and tooltips: [`name`], and [`parts`] to draw them
//! within a text.

use std::fmt::Write as _;

use explain::invisible::{is_hidden, is_mark, is_shaping, is_space, visible_unit};

use crate::model::text::markup::escape;
use crate::tr;
use crate::tr::t;

/// Returns the name of an invisible symbol, such as "tab", "zero-width joiner" or "U+202E right-to-left override".
/// Returns `None` if the symbol is visible.
pub fn name(unit: &str) -> Option<String> {
    if unit == " " {
        return Some(t("space").into());
    }
    visible_unit(unit)?;
    let char = unit.chars().next()?;
    let code = format!("U+{:04X}", u32::from(char));
    Some(match char {
        '\r' if unit.len() > 1 => t("carriage return and line feed").into(),
        '\u{0}' => t("null character").into(),
        '\u{7}' => t("bell").into(),
        '\u{8}' => t("backspace").into(),
        '\t' => t("tab").into(),
        '\n' => t("line feed").into(),
        '\u{b}' => t("vertical tab").into(),
        '\u{c}' => t("form feed").into(),
        '\r' => t("carriage return").into(),
        '\u{1b}' => t("escape character").into(),
        '\u{7f}' => t("delete character").into(),
        '\u{0}'..='\u{1f}' | '\u{80}'..='\u{9f}' => tr!("control character {code}", code = code),
        '\u{a0}' => t("no-break space").into(),
        '\u{ad}' => t("soft hyphen").into(),
        '\u{200b}' => t("zero-width space").into(),
        '\u{200c}' => t("zero-width non-joiner").into(),
        '\u{200d}' => t("zero-width joiner").into(),
        '\u{2028}' => t("line separator").into(),
        '\u{2029}' => t("paragraph separator").into(),
        '\u{202f}' => t("narrow no-break space").into(),
        '\u{2060}' => t("word joiner").into(),
        '\u{3000}' => t("ideographic space").into(),
        '\u{feff}' => t("byte order mark").into(),
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => tr!("variation selector {code}", code = code),
        _ => match turns(char) {
            Some(said) => format!("{code} {said}"),
            None if is_space(char) => tr!("space {code}", code = code),
            None if is_mark(char) => tr!("combining mark {code}", code = code),
            None => tr!("invisible character {code}", code = code),
        },
    })
}

/// Returns the name of `char` if it is a character that controls the text direction, else `None`.
fn turns(char: char) -> Option<&'static str> {
    Some(match char {
        '\u{200e}' => t("left-to-right mark"),
        '\u{200f}' => t("right-to-left mark"),
        '\u{61c}' => t("Arabic letter mark"),
        '\u{202a}' => t("left-to-right embedding"),
        '\u{202b}' => t("right-to-left embedding"),
        '\u{202c}' => t("end of embedding or override"),
        '\u{202d}' => t("left-to-right override"),
        '\u{202e}' => t("right-to-left override"),
        '\u{2066}' => t("left-to-right isolate"),
        '\u{2067}' => t("right-to-left isolate"),
        '\u{2068}' => t("first strong isolate"),
        '\u{2069}' => t("end of isolate"),
        _ => return None,
    })
}

/// A piece of a text for drawing: visible characters, or an invisible one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawnTextPart {
    /// Visible characters.
    Plain(String),
    /// An invisible character.
    Invisible {
        /// The character.
        symbol: String,
        /// The short name that is drawn in place of the character.
        short: String,
        /// The full name.
        name: String,
    },
}

/// Splits a text into runs of visible characters and single invisible ones.
///
/// In edited texts (`is_edited`) more characters are treated as invisible. These are special spaces, all white space if
/// the text has nothing else, and joiners and variation selectors that do not shape an emoji.
pub fn parts(text: &str, is_edited: bool) -> Vec<DrawnTextPart> {
    let is_blank = is_edited && text.chars().all(char::is_whitespace);
    let mut parts = Vec::new();
    let (mut chars, mut before) = (text.chars().peekable(), None);
    while let Some(char) = chars.next() {
        let symbol = char.to_string();
        let shapes = is_shaping(char) && !is_of_emoji(before, char, chars.peek().copied());
        let short = match char {
            ' ' if is_blank => Some("·".into()),
            '\t' if is_blank => visible_unit(&symbol),
            '\t' | '\n' => None,
            _ if char.is_control() || is_hidden(char) || (is_edited && (is_space(char) || shapes)) => visible_unit(&symbol),
            _ => None,
        };
        before = Some(char);
        match (short, parts.last_mut()) {
            (Some(short), _) => {
                let name = name(&symbol).unwrap_or_default();
                parts.push(DrawnTextPart::Invisible { symbol, short: short.into_owned(), name });
            }
            (None, Some(DrawnTextPart::Plain(plain))) => plain.push(char),
            (None, _) => parts.push(DrawnTextPart::Plain(symbol)),
        }
    }
    parts
}

/// Returns whether `char`, a joiner, a variation selector or a tag, is part of an emoji, a flag or a keycap. `before`
/// and `after` are the adjacent characters.
fn is_of_emoji(before: Option<char>, char: char, after: Option<char>) -> bool {
    let is_emoji = |char: char| ('\u{2190}'..='\u{2bff}').contains(&char) || char >= '\u{1f000}';
    match char {
        '\u{200d}' => after.is_some_and(is_emoji),
        '\u{fe00}'..='\u{fe0f}' => matches!(after, Some('\u{200d}' | '\u{20e3}')),
        _ => char >= '\u{e0020}' && before.is_some_and(is_emoji),
    }
}

/// Lists the invisible characters that occur in the texts `old` and `new` with different frequency. Each has its name
/// and, outside of ASCII, its code point: "U+200B zero-width space".
pub fn differing_names(old: &str, new: &str) -> Vec<String> {
    let [in_old, in_new] = [old, new].map(|text| {
        let invisible = parts(text, true).into_iter().filter_map(|part| match part {
            DrawnTextPart::Invisible { symbol, name, .. } => Some((symbol, name)),
            DrawnTextPart::Plain(_) => None,
        });
        invisible.collect::<Vec<_>>()
    });
    let mut names = Vec::new();
    for named in in_old.iter().chain(&in_new) {
        let count = |all: &[(String, String)]| all.iter().filter(|other| *other == named).count();
        let code = named.0.chars().next().map_or(0, u32::from);
        let name = match named.1.starts_with("U+") || code < 0x80 {
            true => named.1.clone(),
            false => format!("U+{code:04X} {}", named.1),
        };
        if count(&in_old) != count(&in_new) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the HTML attributes that give an element the name of the invisible symbol `unit`, or an empty string if the
/// symbol is visible.
pub fn attributes(unit: &str) -> String {
    let mut out = String::new();
    if let Some(name) = name(unit) {
        let name = escape(&name);
        let _ = write!(out, " role=\"img\" aria-label=\"{name}\" title=\"{name}\"");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invisible_character_has_a_name() {
        let names = [
            ("\t", "tab"),
            ("\n", "line feed"),
            ("\r\n", "carriage return and line feed"),
            ("\0", "null character"),
            ("\u{1}", "control character U+0001"),
            ("\u{85}", "control character U+0085"),
            (" ", "space"),
            ("\u{a0}", "no-break space"),
            ("\u{2003}", "space U+2003"),
            ("\u{200d}", "zero-width joiner"),
            ("\u{202e}", "U+202E right-to-left override"),
            ("\u{301}", "combining mark U+0301"),
            ("\u{fe0f}", "variation selector U+FE0F"),
            ("\u{2063}", "invisible character U+2063"),
        ];
        for (unit, said) in names {
            assert_eq!(name(unit).as_deref(), Some(said), "{unit:?}");
        }
        assert_eq!(["a", "é", "e\u{301}", "👩‍🚀", "", "ab"].map(name), [const { None }; 6]);
        assert_eq!(attributes("\t"), " role=\"img\" aria-label=\"tab\" title=\"tab\"");
    }

    #[test]
    fn texts_are_divided_into_visible_and_invisible_parts() {
        let drawn = |text: &str, is_edited: bool| -> String {
            let part = |part| match part {
                DrawnTextPart::Plain(text) => text,
                DrawnTextPart::Invisible { short, .. } => format!("[{short}]"),
            };
            parts(text, is_edited).into_iter().map(part).collect()
        };
        let cases = [
            ("pass\u{200b}word", true, "pass[ZWSP]word"),
            ("if {\u{202e} }\u{2066}", false, "if {[RLO] }[LRI]"),
            ("10\u{a0}000", true, "10[NBSP]000"),
            ("10\u{a0}000", false, "10\u{a0}000"),
            ("  \t", true, "[·][·][→]"),
            ("  \t", false, "  \t"),
            ("a b", true, "a b"),
            ("x\u{fe0f}", true, "x[FE0F]"),
            ("👩‍🚀", true, "👩‍🚀"),
            ("1\u{fe0f}\u{20e3}", true, "1\u{fe0f}\u{20e3}"),
            ("", true, ""),
        ];
        for (text, is_edited, expected) in cases {
            assert_eq!(drawn(text, is_edited), expected, "{text:?}");
        }
    }

    #[test]
    fn invisible_differences_are_named() {
        assert_eq!(differing_names("pass\u{200b}word", "password"), ["U+200B zero-width space"]);
        assert_eq!(differing_names("\u{202e}a", "\u{202e}b"), [""; 0]);
        assert_eq!(differing_names(" ", "\t\u{a0}"), ["space", "tab", "U+00A0 no-break space"]);
    }

    #[cfg(feature = "ssr")]
    #[test]
    fn names_are_translated_into_every_language() {
        use crate::tr::{Language, speaking};
        let said = Language::ALL.map(|language| speaking(language, || name("\u{202e}").unwrap()));
        let expected = [
            "U+202E right-to-left override",
            "U+202E erzwungene Richtung rechts nach links",
            "U+202E anulación de derecha a izquierda",
            "U+202E forçage droite à gauche",
            "U+202E 右から左上書き",
            "U+202E 从右至左覆盖",
        ];
        assert_eq!(said, expected);
    }
}
