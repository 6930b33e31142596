//! Escaping of visitors' texts in HTML ([`escape`]) and XML ([`escape_xml`]).

/// Appends `text` to `out`, escaped for HTML content and attributes.
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

/// Escapes a text for HTML content and attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

/// Escapes a text for XML, such as an SVG file. Removes characters that XML forbids.
pub fn escape_xml(text: &str) -> String {
    let holds = |letter: &char| !matches!(letter, '\u{fffe}' | '\u{ffff}') && (!letter.is_control() || matches!(letter, '\n' | '\t'));
    escape(&text.chars().filter(holds).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_characters_are_escaped() {
        assert_eq!(escape("<b a=\"'\">&\u{0}"), "&lt;b a=&quot;&#39;&quot;&gt;&amp;\u{0}");
        assert_eq!(escape_xml("a\u{0}\n<\u{ffff}"), "a\n&lt;");
    }
}
