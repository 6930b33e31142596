//! Texts: the texts of the workloads: reproducible random texts, and real ones from files.

use std::path::Path;

use anyhow::Context;
use oracle::{mutated, random};

/// The construction of the two texts `a` and `b` of a workload.
#[derive(Clone, Copy)]
pub(crate) enum TextRecipe {
    /// Random DNA of `len` letters, and a copy of it with `rate` random edits per letter.
    Dna { len: usize, rate: f64 },
    /// Two unrelated random texts of `m` and `n` letters.
    Random { letters: &'static [u8], m: usize, n: usize },
    /// Random text of `len` letters that are as frequent as in English, and a copy of it with 10 % random edits.
    Prose { len: usize },
    /// A random text of `n` letters, and a pattern of `m` letters that is a piece of this text.
    Piece { letters: &'static [u8], m: usize, n: usize },
    /// A random pattern of `m` letters of DNA, and random DNA of `n` letters with copies of the pattern. The copies
    /// have up to `k` and up to `k + 1` edits, alternately.
    Planted { m: usize, n: usize, k: usize },
    /// Texts like `Planted`, but the second half of the pattern repeats four letters, and so does one part in
    /// thirty-two of the text.
    Repeats { m: usize, n: usize, k: usize },
    /// `m` times the letter `a`, and `n` times the letter `a`.
    Periodic { m: usize, n: usize },
    /// `m` times the letter `a` and one letter `b`, and `n` times the letter `a`.
    Almost { m: usize, n: usize },
    /// The letters of two FASTA files.
    Real { a: &'static str, b: &'static str },
    /// A pattern of `m` letters from the middle of the first FASTA file, and the letters of the second file.
    RealPiece { a: &'static str, m: usize, b: &'static str },
}

const SEED: u64 = 2026;

/// Number of copies of the pattern in the texts of `Planted` and `Repeats`.
const COPIES: usize = 2_000;

/// The letters that the texts of `Repeats` repeat.
const REPEAT: &[u8] = b"ACAG";
/// Length of each repetition of [`REPEAT`] in the text, in letters.
const REPEAT_LEN: usize = 128;
/// Number of letters from the start of a repetition to the start of the next one.
const REPEAT_PERIOD: usize = 4_096;

pub(crate) const BINARY: &[u8] = b"01";
pub(crate) const DNA: &[u8] = b"ACGT";
pub(crate) const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const ALNUM: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PROSE: &[u8] = b"      eeeeeettttaaaooonnniiissshhhrrrddllccuummwwffggyyppbbvvkkEATSO.,;:'!?-0123456789jxqzMWIBCDFG\n";
/// Letters that do not fit into a byte, for variants of workloads with symbols of 32 bits.
const WIDE: std::ops::Range<char> = '\u{4e00}'..'\u{51e8}';
pub(crate) const ALL_BYTES: [u8; 256] = {
    let mut all = [0; 256];
    let mut at = 0;
    while at < 256 {
        all[at] = at as u8;
        at += 1;
    }
    all
};

/// Returns `count` random texts of `letters` whose lengths are from `lens[0]` to `lens[1]`.
pub(crate) fn members(letters: &[u8], lens: [usize; 2], count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random(letters, rng.usize(lens[0]..=lens[1]), rng.u64(..))).collect()
}

impl TextRecipe {
    /// Returns the two texts as bytes. Repeated calls return equal texts. Real texts are read from `folder`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub(crate) fn bytes(&self, folder: &Path) -> anyhow::Result<(Vec<u8>, Vec<u8>)> {
        match *self {
            Self::Real { a, b } => Ok((fasta(folder, a)?, fasta(folder, b)?)),
            Self::RealPiece { a, m, b } => {
                let a = fasta(folder, a)?;
                let from = a.len() / 2;
                Ok((a[from..from + m].to_vec(), fasta(folder, b)?))
            }
            Self::Planted { m, n, k } => Ok(planted(random(DNA, m, SEED), random(DNA, n, SEED + 1), k)),
            Self::Repeats { m, n, k } => {
                let half = random(DNA, m / 2, SEED);
                let pattern: Vec<u8> = half.into_iter().chain(REPEAT.iter().copied().cycle()).take(m).collect();
                let mut text = random(DNA, n, SEED + 1);
                for part in text.chunks_mut(REPEAT_PERIOD) {
                    let repeat = REPEAT.iter().cycle().take(REPEAT_LEN);
                    part.iter_mut().zip(repeat).for_each(|(symbol, &repeated)| *symbol = repeated);
                }
                Ok(planted(pattern, text, k))
            }
            _ => Ok(self.of(|letters| letters.to_vec())),
        }
    }

    /// Returns two variants of the texts with equal lengths in letters: over all bytes, and over the letters [`WIDE`],
    /// which are characters of three bytes in UTF-8. Returns `None` if the workload depends on its letters.
    #[expect(clippy::type_complexity, reason = "two pairs of texts")]
    pub(crate) fn wide(&self) -> Option<((Vec<u8>, Vec<u8>), (Vec<u8>, Vec<u8>))> {
        let has_letters = matches!(self, Self::Dna { .. } | Self::Random { .. } | Self::Prose { .. } | Self::Piece { .. });
        let bytes = |text: Vec<char>| text.into_iter().collect::<String>().into_bytes();
        let wide = || self.of(|_| WIDE.collect());
        has_letters.then(|| (self.of(|_| ALL_BYTES.to_vec()), wide())).map(|(all, (a, b))| (all, (bytes(a), bytes(b))))
    }

    /// Returns the two texts with other letters: `letters_for` receives the letters of the workload, and returns those
    /// that replace them. The texts are empty if the recipe is `Planted`, `Repeats`, `Real` or `RealPiece`.
    fn of<T: Copy>(&self, letters_for: impl Fn(&[u8]) -> Vec<T>) -> (Vec<T>, Vec<T>) {
        let edited = |letters: Vec<T>, len, rate| {
            let a = random(&letters, len, SEED);
            let b = mutated(&a, &letters, rate, SEED + 1);
            (a, b)
        };
        match *self {
            Self::Dna { len, rate } => edited(letters_for(DNA), len, rate),
            Self::Prose { len } => edited(letters_for(PROSE), len, 0.1),
            Self::Random { letters, m, n } => {
                let letters = letters_for(letters);
                (random(&letters, m, SEED), random(&letters, n, SEED + 1))
            }
            Self::Piece { letters, m, n } => {
                let b = random(&letters_for(letters), n, SEED);
                (b[n / 2..n / 2 + m].to_vec(), b)
            }
            Self::Periodic { m, n } => {
                let a = letters_for(b"a")[0];
                (vec![a; m], vec![a; n])
            }
            Self::Almost { m, n } => {
                let letters = letters_for(b"ab");
                ([vec![letters[0]; m], vec![letters[1]]].concat(), vec![letters[0]; n])
            }
            Self::Planted { .. } | Self::Repeats { .. } | Self::Real { .. } | Self::RealPiece { .. } => (Vec::new(), Vec::new()),
        }
    }
}

/// Writes [`COPIES`] copies of `pattern` into `text`, alternately with up to `k` and up to `k + 1` edits. An edit may
/// replace a letter by itself. Returns the pattern and the text.
fn planted(pattern: Vec<u8>, mut text: Vec<u8>, k: usize) -> (Vec<u8>, Vec<u8>) {
    let apart = text.len() / COPIES;
    for number in 0..COPIES {
        let edits = k + number % 2;
        let copy = mutated(&pattern, DNA, edits as f64 / pattern.len() as f64, SEED + 2 + number as u64);
        // Varies the position relative to the repeats of the text, if any.
        let from = number * apart + number * 37 % (apart / 2);
        text[from..from + copy.len()].copy_from_slice(&copy);
    }
    (pattern, text)
}

/// Reads the letters of the FASTA file `name` in `folder`, without its headers and line ends.
fn fasta(folder: &Path, name: &str) -> anyhow::Result<Vec<u8>> {
    let path = folder.join(name);
    let file = std::fs::read(&path).with_context(|| format!("{}: --data or EDITSCOPE_TEST_DATA names the folder", path.display()))?;
    let lines = file.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b">"));
    Ok(lines.flat_map(|line| line.trim_ascii().iter().copied()).collect())
}
