//! Texts: random and edited texts, each determined by a seed, and pairs of byte texts.

use kernels::text::{Pair, ReadingOptions};

/// Returns a random text of `len` symbols from `letters`, determined by `seed`.
pub fn random<T: Copy>(letters: &[T], len: usize, seed: u64) -> Vec<T> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..len).map(|_| letters[rng.usize(..letters.len())]).collect()
}

/// Returns `text` with `round(n · rate)` random edits at positions determined by `seed`, where n is the length of
/// `text`: about a third each of substitutions, insertions and deletions. New symbols are from `letters`.
pub fn mutated<T: Copy>(text: &[T], letters: &[T], rate: f64, seed: u64) -> Vec<T> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let edits = (text.len() as f64 * rate).round() as usize;
    let mut at: Vec<usize> = (0..edits).map(|_| rng.usize(..text.len())).collect();
    at.sort_unstable();
    let mut out = Vec::with_capacity(text.len() + edits);
    let mut from = 0;
    for at in at {
        out.extend_from_slice(&text[from.min(at)..at]);
        from = from.max(at);
        match rng.u8(..3) {
            0 => {
                out.push(letters[rng.usize(..letters.len())]);
                from = from.max(at + 1);
            }
            1 => out.push(letters[rng.usize(..letters.len())]),
            _ => from = from.max(at + 1),
        }
    }
    out.extend_from_slice(&text[from.min(text.len())..]);
    out
}

/// Parses two byte texts with default options.
///
/// # Panics
/// Panics if the texts cannot be read, which does not happen for texts below 4 GiB.
pub fn bytes(a: &[u8], b: &[u8]) -> Pair {
    Pair::parse(a, b, &ReadingOptions::default()).expect("any bytes are a text")
}
