//! Percent-encoding of texts and names after the `#` of the page's addresses: [`encode`] and [`decode`].

/// Encodes a text for an address. Letters, digits and a few signs stay as they are; a space becomes `+`; every other
/// byte becomes `%` and two hexadecimal digits.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b',' | b'_' | b'~' => out.push(byte.into()),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Decodes a text from an address. A `%` without two hexadecimal digits stays as it is; invalid UTF-8 becomes U+FFFD.
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = |pair: &&str| pair.bytes().all(|digit| digit.is_ascii_hexdigit());
        let pair = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten().filter(digits);
        let hex = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (bytes[at], hex) {
            (_, Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_restored_and_invalid_codes_are_kept() {
        for text in ["", "kitten", "a b+c&d=e#f%g", "naïve 👍🏽", "line\nline"] {
            assert_eq!(decode(&encode(text)), text);
        }
        assert_eq!(encode("a b/é"), "a+b%2F%C3%A9");
        assert_eq!(decode("100% %+F %zz%4"), "100% % F %zz%4");
    }
}
