//! The table of workloads: a name, a task, and how its texts are made.

use kernels::job::{Options, Task};
use kernels::text::Pair;
use oracle::{mutated, random};

/// A text pair with a name.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) task: Task,
    /// `max_distance`, where it is given.
    k: Option<u64>,
    texts: Texts,
    /// Most calls in one round.
    pub(crate) calls: u64,
    /// Pairs that both texts are cut into: with a single one the processor would learn short texts by heart.
    pub(crate) pieces: usize,
}

#[derive(Clone, Copy)]
enum Texts {
    /// Random DNA of a length, with random edits at a rate.
    Dna { len: usize, rate: f64 },
    /// Two unrelated texts.
    Random { letters: &'static [u8], m: usize, n: usize },
    /// Letters as frequent as in English, with edits.
    Prose { len: usize },
    /// A pattern of these letters that is a piece of the text.
    Piece { letters: &'static [u8], m: usize, n: usize },
    /// `a^m` in `a^n`.
    Periodic { m: usize, n: usize },
    /// `a^m b` in `a^n`.
    Almost { m: usize, n: usize },
}

/// Pairs of short texts.
const PAIRS: usize = 200;

const MI: usize = 1 << 20;
const BINARY: &[u8] = b"01";
const DNA: &[u8] = b"ACGT";
const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const ALNUM: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PROSE: &[u8] = b"      eeeeeettttaaaooonnniiissshhhrrrddllccuummwwffggyyppbbvvkkEATSO.,;:'!?-0123456789jxqzMWIBCDFG\n";
/// Letters that do not fit a byte.
const WIDE: std::ops::Range<char> = '\u{4e00}'..'\u{51e8}';
const ALL_BYTES: [u8; 256] = {
    let mut all = [0; 256];
    let mut at = 0;
    while at < 256 {
        all[at] = at as u8;
        at += 1;
    }
    all
};

const fn edits(name: &'static str, len: usize, rate: f64) -> Workload {
    Workload {
        name,
        task: Task::EditDistance,
        k: None,
        texts: Texts::Dna { len, rate },
        calls: if len <= 10_000 { 1000 } else { 1 },
        pieces: 1,
    }
}

const fn short(name: &'static str, len: usize) -> Workload {
    Workload {
        name,
        task: Task::EditDistance,
        k: None,
        texts: Texts::Random { letters: LOWER, m: len * PAIRS, n: len * PAIRS },
        calls: 1_000_000,
        pieces: PAIRS,
    }
}

const fn search(name: &'static str, m: usize) -> Workload {
    Workload { name, task: Task::ApproximateSearch, k: None, texts: Texts::Random { letters: BINARY, m, n: 4 * MI }, calls: 1, pieces: 1 }
}

const fn within(name: &'static str, m: usize, k: u64) -> Workload {
    Workload {
        name,
        task: Task::ApproximateSearch,
        k: Some(k),
        texts: Texts::Random { letters: DNA, m, n: 32_000_000 },
        calls: 1,
        pieces: 1,
    }
}

const fn lcs(name: &'static str, len: usize) -> Workload {
    Workload {
        name,
        task: Task::Lcs,
        k: None,
        texts: Texts::Dna { len, rate: 0.3 },
        calls: if len <= 10_000 { 1000 } else { 1 },
        pieces: 1,
    }
}

const fn unrelated(name: &'static str, len: usize) -> Workload {
    Workload { name, task: Task::Lcs, k: None, texts: Texts::Random { letters: DNA, m: len, n: len }, calls: 1, pieces: 1 }
}

const fn count(name: &'static str, letters: &'static [u8], m: usize, n: usize) -> Workload {
    Workload { name, task: Task::MatchCount, k: None, texts: Texts::Random { letters, m, n }, calls: 1, pieces: 1 }
}

const fn exact(name: &'static str, texts: Texts) -> Workload {
    Workload { name, task: Task::ExactSearch, k: None, texts, calls: 1, pieces: 1 }
}

const fn alnum(m: usize) -> Texts {
    Texts::Piece { letters: ALNUM, m, n: 38_000_000 }
}

pub(crate) const WORKLOADS: &[Workload] = &[
    edits("ed-dna-1k-5", 1_000, 0.05),
    edits("ed-dna-1k-30", 1_000, 0.3),
    edits("ed-dna-10k-5", 10_000, 0.05),
    edits("ed-dna-10k-30", 10_000, 0.3),
    edits("ed-dna-100k-5", 100_000, 0.05),
    edits("ed-dna-100k-30", 100_000, 0.3),
    edits("ed-dna-1m-5", MI, 0.05),
    edits("ed-dna-1m-30", MI, 0.3),
    edits("ed-dna-4m-1", 4 * MI, 0.01),
    edits("ed-dna-4m-30", 4 * MI, 0.3),
    edits("ed-dna-16m-1", 16 * MI, 0.01),
    edits("ed-dna-16m-30", 16 * MI, 0.3),
    short("ed-short-5", 5),
    short("ed-short-10", 10),
    short("ed-short-20", 20),
    short("ed-short-64", 64),
    Workload { name: "ed-text-100k", task: Task::EditDistance, k: None, texts: Texts::Prose { len: 100_000 }, calls: 1, pieces: 1 },
    Workload {
        name: "ed-random-1m",
        task: Task::EditDistance,
        k: None,
        texts: Texts::Random { letters: &ALL_BYTES, m: MI, n: MI },
        calls: 1,
        pieces: 1,
    },
    search("asm-binary-32x4Mi", 32),
    search("asm-binary-64x4Mi", 64),
    search("asm-binary-128x4Mi", 128),
    search("asm-binary-256x4Mi", 256),
    search("asm-binary-512x4Mi", 512),
    search("asm-binary-1024x4Mi", 1024),
    within("asm-dna-20-k1x32M", 20, 1),
    within("asm-dna-100-k3x32M", 100, 3),
    within("asm-dna-1000-k50x32M", 1000, 50),
    lcs("lcs-dna-1k", 1_000),
    lcs("lcs-dna-10k", 10_000),
    lcs("lcs-dna-100k", 100_000),
    lcs("lcs-dna-1m", MI),
    lcs("lcs-dna-16m", 16 * MI),
    unrelated("lcs-mb-2", 2 * MI),
    unrelated("lcs-mb-4", 4 * MI),
    unrelated("lcs-mb-8", 8 * MI),
    unrelated("lcs-mb-16", 16 * MI),
    count("match-binary-64x4Mi", BINARY, 64, 4 * MI),
    count("match-binary-1024x4Mi", BINARY, 1024, 4 * MI),
    count("match-dna-1024x40M", DNA, 1024, 40_000_000),
    count("match-alnum-32x38M", ALNUM, 32, 38_000_000),
    exact("exact-alnum-1x38M", alnum(1)),
    exact("exact-alnum-2x38M", alnum(2)),
    exact("exact-alnum-3x38M", alnum(3)),
    exact("exact-alnum-8x38M", alnum(8)),
    exact("exact-alnum-64x38M", alnum(64)),
    exact("exact-alnum-1024x38M", alnum(1024)),
    exact("exact-aab", Texts::Almost { m: 1023, n: 4 * MI }),
    exact("exact-periodic-64", Texts::Periodic { m: 64, n: 4 * MI }),
    exact("exact-periodic", Texts::Periodic { m: 4096, n: 4 * MI }),
];

impl Workload {
    /// What the task is asked, with the alignment where it has one.
    pub(crate) fn options(&self) -> Options {
        Options { max_distance: self.k, ..Options::default() }
    }

    /// Whether it has more cells than this, and a task that looks at them one by one.
    pub(crate) fn is_large(&self, pair: &Pair, cells: u64) -> bool {
        matches!(self.task, Task::EditDistance | Task::Lcs) && pair.cells() > cells
    }

    /// One of the two texts, cut into its pieces. All symbols are as long as each other.
    pub(crate) fn cut<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        text.chunks((text.len() / self.pieces).max(1)).take(self.pieces)
    }

    /// The two texts, always the same.
    pub(crate) fn texts(&self) -> (Vec<u8>, Vec<u8>) {
        self.of(|letters| letters.to_vec())
    }

    /// Texts of the same lengths over all bytes, and over [`WIDE`] letters, which are chars of three bytes each; none where the
    /// letters are what the workload is about.
    #[expect(clippy::type_complexity, reason = "two pairs of texts")]
    pub(crate) fn wide_texts(&self) -> Option<((Vec<u8>, Vec<u8>), (Vec<u8>, Vec<u8>))> {
        let has_letters = !matches!(self.texts, Texts::Periodic { .. } | Texts::Almost { .. });
        let bytes = |text: Vec<char>| text.into_iter().collect::<String>().into_bytes();
        let wide = || self.of(|_| WIDE.collect());
        has_letters.then(|| (self.of(|_| ALL_BYTES.to_vec()), wide())).map(|(all, (a, b))| (all, (bytes(a), bytes(b))))
    }

    fn of<T: Copy>(&self, letters_for: impl Fn(&[u8]) -> Vec<T>) -> (Vec<T>, Vec<T>) {
        let seed = 2026;
        let edited = |letters: Vec<T>, len, rate| {
            let a = random(&letters, len, seed);
            let b = mutated(&a, &letters, rate, seed + 1);
            (a, b)
        };
        match self.texts {
            Texts::Dna { len, rate } => edited(letters_for(DNA), len, rate),
            Texts::Prose { len } => edited(letters_for(PROSE), len, 0.1),
            Texts::Random { letters, m, n } => {
                let letters = letters_for(letters);
                (random(&letters, m, seed), random(&letters, n, seed + 1))
            }
            Texts::Piece { letters, m, n } => {
                let b = random(&letters_for(letters), n, seed);
                (b[n / 2..n / 2 + m].to_vec(), b)
            }
            Texts::Periodic { m, n } => {
                let a = letters_for(b"a")[0];
                (vec![a; m], vec![a; n])
            }
            Texts::Almost { m, n } => {
                let letters = letters_for(b"ab");
                ([vec![letters[0]; m], vec![letters[1]]].concat(), vec![letters[0]; n])
            }
        }
    }
}
