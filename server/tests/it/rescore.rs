//! Scores a CIGAR string independently of the aligner, with its own parsers of FASTA and CIGAR.

/// Returns the letters of a FASTA file.
pub(crate) fn letters(fasta: &str) -> Vec<u8> {
    fasta.lines().filter(|line| !line.starts_with('>')).flat_map(str::bytes).map(|byte| byte.to_ascii_uppercase()).collect()
}

/// Counts the edits of an alignment. Panics if the alignment does not fit the texts.
pub(crate) fn score(cigar: &str, a: &[u8], b: &[u8]) -> u64 {
    let (mut i, mut j, mut edits, mut len) = (0, 0, 0u64, 0usize);
    for byte in cigar.trim().bytes() {
        if byte.is_ascii_digit() {
            len = 10 * len + usize::from(byte - b'0');
            continue;
        }
        assert!(len > 0, "no number before {}", char::from(byte));
        match byte {
            b'=' => assert_eq!(a[i..i + len], b[j..j + len], "= at {i}, {j}"),
            b'X' => (0..len).for_each(|at| assert_ne!(a[i + at], b[j + at], "X at {}, {}", i + at, j + at)),
            b'I' | b'D' => {}
            other => panic!("unknown letter {}", char::from(other)),
        }
        edits += if byte == b'=' { 0 } else { len as u64 };
        i += if byte == b'I' { 0 } else { len };
        j += if byte == b'D' { 0 } else { len };
        len = 0;
    }
    assert_eq!((i, j), (a.len(), b.len()), "both texts are used up");
    edits
}

#[test]
fn wrong_cigar_is_detected() {
    assert_eq!(score("1X3=1X1=1I", b"kitten", b"sitting"), 3);
    for wrong in ["2X2=1X1=1I", "1X3=1X1=", "6=1I", "1X3=1X2="] {
        assert!(std::panic::catch_unwind(|| score(wrong, b"kitten", b"sitting")).is_err(), "{wrong}");
    }
}
