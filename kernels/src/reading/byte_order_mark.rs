//! Byte order marks of UTF-8, which are no symbols at the start of a text.

/// The UTF-8 byte order mark.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the length in bytes of the byte order mark at the start of `text`, or 0 if there is none. Files that a program has
/// joined may begin with several marks.
///
/// Takes O(marks) time.
pub fn mark_len(text: &[u8]) -> usize {
    let mut len = 0;
    while text[len..].starts_with(BYTE_ORDER_MARK) {
        len += BYTE_ORDER_MARK.len();
    }
    len
}
