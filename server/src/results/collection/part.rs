//! Part: a file with the answer for some rows of a question about a collection. Numbers have a fixed size, so that the scores
//! of a row are read without the others.
//!
//! ```text
//! kind (8 bytes), first row (8), row after the last one (8), entries: scores of 4 bytes, or pairs of 3 × 4 bytes
//! ```

use std::ops::Range;

use anyhow::{Context as _, ensure};
use kernels::collection::{AnsweredRows, CollectionAnswer, ScoredPair};

/// Number of bytes before the first entry.
const HEADER_BYTES: usize = 24;

/// Number of bytes of a score.
const SCORE_BYTES: u64 = 4;

const SCORES: &[u8; 8] = b"scores 1";
const PAIRS: &[u8; 8] = b"pairs  1";
const NEAREST: &[u8; 8] = b"nearest1";

/// Writes `part` as the content of a file.
pub fn write(AnsweredRows { rows, answer }: &AnsweredRows) -> Vec<u8> {
    let (kind, entries) = match answer {
        CollectionAnswer::Scores(scores) => (SCORES, size_of_val(scores.as_slice())),
        CollectionAnswer::Pairs(pairs) => (PAIRS, size_of_val(pairs.as_slice())),
        CollectionAnswer::Nearest(pairs) => (NEAREST, size_of_val(pairs.as_slice())),
    };
    let mut file = Vec::with_capacity(HEADER_BYTES + entries);
    file.extend_from_slice(kind);
    for row in [rows.start, rows.end] {
        file.extend_from_slice(&(row as u64).to_le_bytes());
    }
    match answer {
        CollectionAnswer::Scores(scores) => scores.iter().for_each(|score| file.extend_from_slice(&score.to_le_bytes())),
        CollectionAnswer::Pairs(pairs) | CollectionAnswer::Nearest(pairs) => {
            for ScoredPair { a, b, score } in pairs {
                for bytes in [a.to_le_bytes(), b.to_le_bytes(), score.to_le_bytes()] {
                    file.extend_from_slice(&bytes);
                }
            }
        }
    }
    file
}

/// Reads the content of a file that [`write()`] has written.
///
/// # Errors
/// Returns an error if the file is damaged.
pub fn read(file: &[u8]) -> anyhow::Result<AnsweredRows> {
    let (header, entries) = file.split_at_checked(HEADER_BYTES).context("the file has no header")?;
    let (words, _) = header.as_chunks::<8>();
    let [kind, start, end] = words else { anyhow::bail!("the file has no header") };
    let [start, end] = [start, end].map(|row| u64::from_le_bytes(*row) as usize);
    let answer = match kind {
        SCORES => CollectionAnswer::Scores(scores(entries)),
        PAIRS => CollectionAnswer::Pairs(pairs(entries)?),
        NEAREST => CollectionAnswer::Nearest(pairs(entries)?),
        _ => anyhow::bail!("the file has an unknown kind"),
    };
    Ok(AnsweredRows { rows: start..end, answer })
}

/// Returns the bytes of a file that have the scores of `columns` in row `row`, counted from the first row of the file. A row
/// has `width` scores.
pub fn score_bytes(row: u64, columns: &Range<u64>, width: u64) -> Range<u64> {
    let at = |column: u64| HEADER_BYTES as u64 + SCORE_BYTES * (row * width + column);
    at(columns.start)..at(columns.end)
}

/// Converts bytes of a file to scores.
pub fn scores(bytes: &[u8]) -> Vec<i32> {
    bytes.as_chunks().0.iter().map(|score| i32::from_le_bytes(*score)).collect()
}

fn pairs(bytes: &[u8]) -> anyhow::Result<Vec<ScoredPair>> {
    let (entries, rest) = bytes.as_chunks::<12>();
    ensure!(rest.is_empty(), "the file ends within a pair");
    let number = |entry: &[u8; 12], at: usize| [entry[at], entry[at + 1], entry[at + 2], entry[at + 3]];
    let pair = |entry: &[u8; 12]| ScoredPair {
        a: u32::from_le_bytes(number(entry, 0)),
        b: u32::from_le_bytes(number(entry, 4)),
        score: i32::from_le_bytes(number(entry, 8)),
    };
    Ok(entries.iter().map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_written() {
        let pairs = vec![ScoredPair { a: 3, b: 700, score: -5 }, ScoredPair { a: u32::MAX, b: 0, score: i32::MAX }];
        let scores = vec![i32::MIN, -1, 0, 1, 1 << 20, 7];
        for answer in [CollectionAnswer::Scores(scores.clone()), CollectionAnswer::Pairs(pairs.clone()), CollectionAnswer::Nearest(pairs)] {
            let part = AnsweredRows { rows: 3..5, answer };
            assert_eq!(read(&write(&part)).unwrap(), part);
        }
        let file = write(&AnsweredRows { rows: 3..5, answer: CollectionAnswer::Scores(scores) });
        let bytes = score_bytes(1, &(1..3), 3);
        assert_eq!(super::scores(&file[bytes.start as usize..bytes.end as usize]), [1 << 20, 7]);
    }

    #[test]
    fn damaged_parts_are_refused() {
        let pair = CollectionAnswer::Pairs(vec![ScoredPair { a: 1, b: 2, score: 3 }]);
        let file = write(&AnsweredRows { rows: 0..1, answer: pair });
        for broken in [&file[..20], &file[..30], b"unknown.0123456789abcdef"] {
            assert!(read(broken).is_err());
        }
    }
}
