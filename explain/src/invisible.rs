//! Visible replacements of invisible characters, by [`visible_char`] inside a text and by [`visible_unit`] for a symbol of its own.
//! Invisible are controls, characters without width, characters that change the text direction, unusual spaces, and
//! marks without a letter. Drawn as they are, these show nothing or move their neighbours.

use std::borrow::Cow;

/// Returns a visible replacement (a picture or a short name) of an invisible character inside a text. Returns `None`
/// for visible characters, for spaces, and for characters that shape their neighbours (joiners, variation selectors,
/// marks).
pub fn visible_char(char: char) -> Option<Cow<'static, str>> {
    match char {
        '\n' => Some("↵".into()),
        '\t' => Some("→".into()),
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(char)).map(|picture| picture.to_string().into()),
        '\u{7f}' => Some("␡".into()),
        _ if is_hidden(char) => Some(format!("⟨{}⟩", short(char)).into()),
        _ => None,
    }
}

/// Returns a visible replacement of `unit`, a symbol that is shown alone, if it has no visible character. Returns
/// `None` if it has a visible character or is a plain space.
pub fn visible_unit(unit: &str) -> Option<Cow<'static, str>> {
    let mut chars = unit.chars();
    match (chars.next()?, chars.next()) {
        ('\r', Some('\n')) if unit.len() == 2 => Some("↵".into()),
        _ if unit.chars().all(is_mark) => Some(format!("◌{unit}").into()),
        (char, None) if is_hidden(char) || is_shaping(char) || is_space(char) => Some(short(char).into()),
        (char, None) => visible_char(char),
        _ => None,
    }
}

/// Returns `text` with each invisible character replaced by its [`visible_char`].
pub fn visible_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match visible_char(char) {
            Some(picture) => out.push_str(&picture),
            None => out.push(char),
        }
    }
    out
}

/// Returns `text`, a part of a line, with each invisible character replaced by its [`visible_char`]. Keeps tabs, and removes
/// carriage returns at the end.
pub fn visible_line(text: &str) -> String {
    let parts: Vec<String> = text.trim_end_matches('\r').split('\t').map(visible_text).collect();
    parts.join("\t")
}

/// Returns whether a character has no width and is not part of a letter, for example C1 controls, the soft hyphen, and
/// marks that change the text direction.
pub fn is_hidden(char: char) -> bool {
    matches!(
        char,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Returns whether a character only changes how its neighbours are drawn: a joiner, a variation selector or a filler.
pub fn is_shaping(char: char) -> bool {
    matches!(
        char,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{200c}' | '\u{200d}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}'
    )
}

/// Returns whether a character is a space other than U+0020.
pub fn is_space(char: char) -> bool {
    matches!(char, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Returns whether a character is a combining mark: a general one, or one of the Cyrillic, Hebrew, Arabic or Japanese
/// script.
pub fn is_mark(char: char) -> bool {
    matches!(
        char,
        '\u{300}'..='\u{34e}' | '\u{350}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{670}'
            | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}' | '\u{fe20}'..='\u{fe2f}'
    )
}

/// Returns a short name of an invisible character, at most five letters, or its hexadecimal number if it has no name.
fn short(char: char) -> String {
    let name = match char {
        '\u{a0}' => "NBSP",
        '\u{ad}' => "SHY",
        '\u{34f}' => "CGJ",
        '\u{61c}' => "ALM",
        '\u{200b}' => "ZWSP",
        '\u{200c}' => "ZWNJ",
        '\u{200d}' => "ZWJ",
        '\u{200e}' => "LRM",
        '\u{200f}' => "RLM",
        '\u{2028}' => "LSEP",
        '\u{2029}' => "PSEP",
        '\u{202a}' => "LRE",
        '\u{202b}' => "RLE",
        '\u{202c}' => "PDF",
        '\u{202d}' => "LRO",
        '\u{202e}' => "RLO",
        '\u{2060}' => "WJ",
        '\u{2066}' => "LRI",
        '\u{2067}' => "RLI",
        '\u{2068}' => "FSI",
        '\u{2069}' => "PDI",
        '\u{feff}' => "BOM",
        _ => return format!("{:04X}", u32::from(char)),
    };
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_invisible_characters_are_drawn_as_pictures() {
        let drawn = [("a\tb\n", "a→b↵"), ("\0\u{7}\u{1b}\u{7f}", "␀␇␛␡"), ("a\u{200b}b\u{202e}c", "a⟨ZWSP⟩b⟨RLO⟩c"), ("\u{85}", "⟨0085⟩")];
        for (text, shown) in drawn {
            assert_eq!(visible_text(text), shown);
        }
        assert_eq!(visible_line("a\tb\u{202e}c\r"), "a\tb⟨RLO⟩c");
        for text in ["kitten", "né e\u{301}", "👩‍🚀", "❤\u{fe0f}", "می\u{200c}خواهم", "a\u{a0}b", "日本語"] {
            assert_eq!(visible_text(text), text);
        }
    }

    #[test]
    fn single_invisible_symbol_has_a_short_name() {
        let alone = |unit| visible_unit(unit).map(Cow::into_owned);
        let drawn = [
            ("\r\n", "↵"),
            ("\r", "␍"),
            ("\n", "↵"),
            ("\u{200d}", "ZWJ"),
            ("\u{fe0f}", "FE0F"),
            ("\u{a0}", "NBSP"),
            ("\u{301}", "◌\u{301}"),
        ];
        for (unit, shown) in drawn {
            assert_eq!(alone(unit).as_deref(), Some(shown));
        }
        for unit in ["", " ", "a", "é", "e\u{301}", "\u{301}e", "👩‍🚀", "\n\n"] {
            assert_eq!(alone(unit), None, "{unit:?}");
        }
    }

    /// Checks that no picture contains a character that changes the text direction.
    #[test]
    fn pictures_do_not_change_the_text_direction() {
        for char in ('\u{2028}'..='\u{202e}').chain('\u{2066}'..='\u{2069}').chain(['\u{200e}', '\u{200f}', '\u{61c}']) {
            assert!(visible_text(&char.to_string()).chars().all(|char| matches!(char, '⟨' | '⟩' | 'A'..='Z')), "{char:?}");
        }
    }
}
