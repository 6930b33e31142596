//! Encoding of bytes in addresses: base64url (RFC 4648, section 5), without padding.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Encodes bytes, four letters for every three bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut letters = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        letters.extend((0..=chunk.len()).map(|place| char::from(LETTERS[(group >> (18 - 6 * place)) as usize & 63])));
    }
    letters
}

/// Decodes letters that [`encode`] wrote. Returns `None` if a letter is not in the alphabet or their number is
/// impossible.
pub fn decode(letters: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3 + 2);
    for chunk in letters.as_bytes().chunks(4) {
        let mut group = 0;
        for letter in chunk {
            group = group << 6 | u32::from(value(*letter)?);
        }
        let group = group << (6 * (4 - chunk.len()));
        // A single letter does not make a whole byte.
        let whole = chunk.len().checked_sub(1).filter(|whole| *whole > 0)?;
        bytes.extend(&group.to_be_bytes()[1..=whole]);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'-' => Some(62),
        b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_and_decoded_without_loss() {
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [&b""[..], b"f", b"fo", b"foo", b"foob", &[255; 32], &[0; 32], &all] {
            let letters = encode(bytes);
            assert!(letters.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-_".contains(&letter)));
            assert_eq!(decode(&letters).as_deref(), Some(bytes));
        }
        assert_eq!(encode(b"foobar"), "Zm9vYmFy");
        assert_eq!(encode(&[255; 32]).len(), 43);
        assert_eq!((decode("a"), decode("ab=="), decode("äb"), decode("a b")), (None, None, None, None));
    }
}
