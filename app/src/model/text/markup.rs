//! Escaping: texts of visitors in markup that is written by hand.

/// Appends a text that HTML takes for nothing but text, between tags and in attributes.
pub fn escape_into(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
}

/// The same as a text of its own.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

/// The same for XML, as of an SVG file. What XML cannot hold is left out.
pub fn escape_xml(text: &str) -> String {
    let holds = |letter: &char| !matches!(letter, '\u{fffe}' | '\u{ffff}') && (!letter.is_control() || matches!(letter, '\n' | '\t'));
    escape(&text.chars().filter(holds).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(escape("<b a=\"'\">&\u{0}"), "&lt;b a=&quot;&#39;&quot;&gt;&amp;\u{0}");
        assert_eq!(escape_xml("a\u{0}\n<\u{ffff}"), "a\n&lt;");
    }
}
