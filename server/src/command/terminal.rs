//! Terminal: functions that escape texts for terminals ([`visible`]) and cut them to a width ([`cut`]).

use std::borrow::Cow;

use console::measure_text_width;
use explain::invisible;

/// Returns `text` with every character escaped that could control a terminal or be invisible: control characters,
/// direction marks, and characters of width zero. Joiners and variation selectors after letters beyond ASCII are kept,
/// because emoji and some scripts need them.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = None;
    for char in text.chars() {
        match invisible::visible_char(char) {
            Some(picture) => out.push_str(&picture),
            None if is_stray(char, before) => out.push_str(&format!("⟨{:04X}⟩", u32::from(char))),
            None => out.push(char),
        }
        before = Some(char);
    }
    Cow::Owned(out)
}

/// Returns whether `char` is a joiner, a variation selector or a tag without a letter before it that it can change.
/// `before` is the character before `char`.
fn is_stray(char: char, before: Option<char>) -> bool {
    let shapes = matches!(char, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{200c}' | '\u{200d}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}');
    let follows_emoji = before.is_some_and(|before| matches!(before, '🏴' | '\u{e0020}'..='\u{e007e}'));
    match char {
        '\u{e0000}'..='\u{e007f}' => !follows_emoji,
        _ => shapes && before.is_none_or(|before| before.is_ascii()),
    }
}

/// Escapes a text of several lines like [`visible`], but keeps the line feeds.
pub fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Escapes one symbol of a text like [`visible`], to be shown alone. An invisible symbol is replaced by its name.
pub fn cell(unit: &str) -> Cow<'_, str> {
    match invisible::visible_unit(unit) {
        Some(name) => Cow::Owned(name.into_owned()),
        None => visible(unit),
    }
}

/// Returns the number of columns that `text` takes on a terminal.
pub fn width(text: &str) -> usize {
    measure_text_width(text)
}

/// Returns `text` cut to a width of `room` columns of the terminal. If anything is cut, the result ends with an
/// ellipsis.
pub fn cut(text: &str, room: usize) -> Cow<'_, str> {
    if width(text) <= room {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut taken = 0;
    for char in text.chars() {
        let wide = width(char.encode_utf8(&mut [0; 4]));
        if taken + wide + 1 > room {
            break;
        }
        taken += wide;
        out.push(char);
    }
    out.push('…');
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_hidden_characters_are_escaped() {
        for (text, shown) in [
            ("\u{1b}[31mred\u{7}", "␛[31mred␇"),
            ("a\u{9b}2Jb", "a⟨009B⟩2Jb"),
            ("a\u{202e}b\u{200b}c", "a⟨RLO⟩b⟨ZWSP⟩c"),
            ("a\u{200d}b", "a⟨200D⟩b"),
            ("x\u{e0041}", "x⟨E0041⟩"),
            ("👩\u{200d}🚀 é", "👩\u{200d}🚀 é"),
            ("line\r\n", "line␍↵"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
        assert_eq!(visible_lines("one\ntwo\u{1b}"), "one\ntwo␛");
        for byte in (0..0x20).chain(0x7f..0xa0) {
            let char = char::from(byte);
            assert!(visible(&char.to_string()).chars().all(|char| !char.is_control()), "{byte:#x}");
        }
    }

    #[test]
    fn truncated_text_keeps_whole_wide_letters() {
        assert_eq!(cut("kitten", 6), "kitten");
        assert_eq!(cut("kitten", 4), "kit…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
    }
}
