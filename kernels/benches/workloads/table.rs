//! Table: the workloads, each with a name, a task and texts.

use kernels::job::{EditCosts, GapPoints, JobOptions, Points, Task};
use kernels::text::Pair;

use crate::texts::{ALL_BYTES, ALNUM, BINARY, DNA, LOWER, TextRecipe};

/// A workload: a task with two texts, and a name by which the command line selects it.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) task: Task,
    /// Maximum distance of an approximate search (option `max_distance`), if set.
    k: Option<u64>,
    /// Cost of each kind of edit.
    costs: EditCosts,
    pub(crate) texts: TextRecipe,
    /// Maximum number of calls in one round.
    pub(crate) calls: u64,
    /// Number of pairs of short texts into which both texts are cut. With a single short pair, branch prediction would
    /// adapt to this pair.
    pub(crate) pieces: usize,
}

/// Number of pairs into which the texts of a workload with short texts are cut.
const PAIRS: usize = 200;

/// Maximum number of bytes of both texts together that are compared from bytes by [`kernels::distance()`].
const MAX_FUNCTION_BYTES: usize = 1 << 12;

const MI: usize = 1 << 20;

/// File with a megabase of a chromosome.
const CHROMOSOME: &str = "chromosome_1m.fasta";
/// File with a copy of the megabase with 1 edit per hundred letters.
const MUTATED_1: &str = "chromosome_1m_99.fasta";
/// File with a copy of the megabase with 3 edits per hundred letters.
const MUTATED_3: &str = "chromosome_1m_97.fasta";
/// File with a copy of the megabase with 6 edits per hundred letters.
const MUTATED_6: &str = "chromosome_1m_94.fasta";

const fn edits(name: &'static str, len: usize, rate: f64) -> Workload {
    Workload {
        name,
        task: Task::EditDistance,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::Dna { len, rate },
        calls: if len <= 10_000 { 1000 } else { 1 },
        pieces: 1,
    }
}

const fn short(name: &'static str, len: usize) -> Workload {
    Workload {
        name,
        task: Task::EditDistance,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::Random { letters: LOWER, m: len * PAIRS, n: len * PAIRS },
        calls: 1_000_000,
        pieces: PAIRS,
    }
}

const fn with_costs(costs: EditCosts, workload: Workload) -> Workload {
    Workload { costs, ..workload }
}

/// Costs for which neither the alignments of Levenshtein nor those of a common subsequence are optimal.
pub(crate) const WEIGHTS: EditCosts = EditCosts { substitute: 3, insert: 2, delete: 2, transpose: None };

/// Points and costs of gaps of the workloads of sequence alignment, those of minimap2 for DNA.
const ALIGNED: JobOptions =
    JobOptions { equal: Points::whole(2), different: Points::whole(-4), gap: GapPoints::whole(4, 2), ..JobOptions::DEFAULT };

const fn aligned(workload: Workload) -> Workload {
    Workload { task: Task::SequenceAlignment, ..workload }
}

const fn search(name: &'static str, m: usize) -> Workload {
    Workload {
        name,
        task: Task::ApproximateSearch,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::Random { letters: BINARY, m, n: 4 * MI },
        calls: 1,
        pieces: 1,
    }
}

const fn within(name: &'static str, k: u64, texts: TextRecipe) -> Workload {
    Workload { name, task: Task::ApproximateSearch, k: Some(k), costs: EditCosts::LEVENSHTEIN, texts, calls: 1, pieces: 1 }
}

const fn dna(m: usize) -> TextRecipe {
    TextRecipe::Random { letters: DNA, m, n: 32_000_000 }
}

const fn planted(m: usize, k: usize) -> TextRecipe {
    TextRecipe::Planted { m, n: 32_000_000, k }
}

const fn repeats(m: usize, k: usize) -> TextRecipe {
    TextRecipe::Repeats { m, n: 32_000_000, k }
}

const fn lcs(name: &'static str, len: usize) -> Workload {
    Workload {
        name,
        task: Task::Lcs,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::Dna { len, rate: 0.3 },
        calls: if len <= 10_000 { 1000 } else { 1 },
        pieces: 1,
    }
}

const fn unrelated(name: &'static str, len: usize) -> Workload {
    Workload {
        name,
        task: Task::Lcs,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::Random { letters: DNA, m: len, n: len },
        calls: 1,
        pieces: 1,
    }
}

const fn real(name: &'static str, task: Task, b: &'static str) -> Workload {
    Workload { name, task, k: None, costs: EditCosts::LEVENSHTEIN, texts: TextRecipe::Real { a: CHROMOSOME, b }, calls: 1, pieces: 1 }
}

const fn count(name: &'static str, letters: &'static [u8], m: usize, n: usize) -> Workload {
    Workload {
        name,
        task: Task::MatchCount,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::Random { letters, m, n },
        calls: 1,
        pieces: 1,
    }
}

const fn exact(name: &'static str, texts: TextRecipe) -> Workload {
    Workload { name, task: Task::ExactSearch, k: None, costs: EditCosts::LEVENSHTEIN, texts, calls: 1, pieces: 1 }
}

const fn alnum(m: usize) -> TextRecipe {
    TextRecipe::Piece { letters: ALNUM, m, n: 38_000_000 }
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
    Workload {
        name: "ed-text-100k",
        task: Task::EditDistance,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::Prose { len: 100_000 },
        calls: 1,
        pieces: 1,
    },
    Workload {
        name: "ed-random-1m",
        task: Task::EditDistance,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::Random { letters: &ALL_BYTES, m: MI, n: MI },
        calls: 1,
        pieces: 1,
    },
    real("ed-chromosome-1m-1", Task::EditDistance, MUTATED_1),
    real("ed-chromosome-1m-6", Task::EditDistance, MUTATED_6),
    with_costs(EditCosts::OSA, short("osa-short-64", 64)),
    with_costs(EditCosts::OSA, edits("osa-dna-1k-30", 1_000, 0.3)),
    with_costs(EditCosts::OSA, edits("osa-dna-100k-5", 100_000, 0.05)),
    with_costs(EditCosts::OSA, edits("osa-dna-100k-30", 100_000, 0.3)),
    with_costs(EditCosts::OSA, edits("osa-dna-1m-30", MI, 0.3)),
    with_costs(WEIGHTS, short("weights-short-64", 64)),
    with_costs(WEIGHTS, edits("weights-dna-1k-30", 1_000, 0.3)),
    with_costs(WEIGHTS, edits("weights-dna-100k-30", 100_000, 0.3)),
    with_costs(WEIGHTS, edits("weights-dna-1m-30", MI, 0.3)),
    aligned(edits("align-dna-150-5", 150, 0.05)),
    aligned(edits("align-dna-5k-30", 5_000, 0.3)),
    aligned(edits("align-dna-100k-30", 100_000, 0.3)),
    search("asm-binary-32x4Mi", 32),
    search("asm-binary-64x4Mi", 64),
    search("asm-binary-128x4Mi", 128),
    search("asm-binary-256x4Mi", 256),
    search("asm-binary-512x4Mi", 512),
    search("asm-binary-1024x4Mi", 1024),
    within("asm-dna-20-k1x32M", 1, dna(20)),
    within("asm-dna-20-k1x32M-planted", 1, planted(20, 1)),
    within("asm-dna-20-k1x32M-repeats", 1, repeats(20, 1)),
    within("asm-dna-100-k3x32M", 3, dna(100)),
    within("asm-dna-100-k3x32M-planted", 3, planted(100, 3)),
    within("asm-dna-100-k3x32M-repeats", 3, repeats(100, 3)),
    within("asm-dna-1000-k50x32M", 50, dna(1000)),
    within("asm-dna-1000-k50x32M-planted", 50, planted(1000, 50)),
    within("asm-dna-1000-k50x32M-repeats", 50, repeats(1000, 50)),
    within("asm-chromosome-100-k3x1M", 3, TextRecipe::RealPiece { a: MUTATED_3, m: 100, b: CHROMOSOME }),
    lcs("lcs-dna-1k", 1_000),
    lcs("lcs-dna-10k", 10_000),
    lcs("lcs-dna-100k", 100_000),
    lcs("lcs-dna-1m", MI),
    lcs("lcs-dna-16m", 16 * MI),
    real("lcs-chromosome-1m-6", Task::Lcs, MUTATED_6),
    unrelated("lcs-mb-2", 2 * MI),
    unrelated("lcs-mb-4", 4 * MI),
    unrelated("lcs-mb-8", 8 * MI),
    unrelated("lcs-mb-16", 16 * MI),
    count("match-binary-64x4Mi", BINARY, 64, 4 * MI),
    count("match-binary-1024x4Mi", BINARY, 1024, 4 * MI),
    count("match-dna-1024x40M", DNA, 1024, 40_000_000),
    Workload {
        name: "match-chromosome-1024x1M",
        task: Task::MatchCount,
        k: None,
        costs: EditCosts::LEVENSHTEIN,
        texts: TextRecipe::RealPiece { a: MUTATED_1, m: 1024, b: CHROMOSOME },
        calls: 1,
        pieces: 1,
    },
    count("match-alnum-32x38M", ALNUM, 32, 38_000_000),
    exact("exact-alnum-1x38M", alnum(1)),
    exact("exact-alnum-2x38M", alnum(2)),
    exact("exact-alnum-3x38M", alnum(3)),
    exact("exact-alnum-8x38M", alnum(8)),
    exact("exact-alnum-64x38M", alnum(64)),
    exact("exact-alnum-1024x38M", alnum(1024)),
    exact("exact-dna-20x32M-repeats", repeats(20, 0)),
    exact("exact-chromosome-12x1M", TextRecipe::RealPiece { a: CHROMOSOME, m: 12, b: CHROMOSOME }),
    exact("exact-aab", TextRecipe::Almost { m: 1023, n: 4 * MI }),
    exact("exact-periodic-64", TextRecipe::Periodic { m: 64, n: 4 * MI }),
    exact("exact-periodic", TextRecipe::Periodic { m: 4096, n: 4 * MI }),
];

impl Workload {
    /// Returns the options of the task.
    pub(crate) fn options(&self) -> JobOptions {
        let plain = if self.task == Task::SequenceAlignment { ALIGNED } else { JobOptions::DEFAULT };
        JobOptions { max_distance: self.k, costs: self.costs, ..plain }
    }

    /// Returns the name of the problem for programs that compete: that of the task, or the costs, such as `osa` or
    /// `weights-3-2-2` for those of a substitution, an insertion and a deletion.
    pub(crate) fn problem(&self) -> String {
        match self.costs {
            EditCosts::LEVENSHTEIN => self.task.name().to_owned(),
            EditCosts::OSA => "osa".to_owned(),
            EditCosts { substitute, insert, delete, .. } => format!("weights-{substitute}-{insert}-{delete}"),
        }
    }

    /// Returns whether a caller with the bytes of `pair` would use [`kernels::distance()`]. It computes the edit distance on
    /// one core.
    pub(crate) fn suits_distance_function(&self, pair: &Pair) -> bool {
        let is_short = pair.a.len() + pair.b.len() <= MAX_FUNCTION_BYTES;
        is_short && self.task == Task::EditDistance && self.costs.is_levenshtein() && self.options().max_distance.is_none()
    }

    /// Returns whether `pair` has more than `cells` cells and the task computes a matrix (edit distance, longest common
    /// subsequence or sequence alignment).
    pub(crate) fn is_large(&self, pair: &Pair, cells: u64) -> bool {
        matches!(self.task, Task::EditDistance | Task::Lcs | Task::SequenceAlignment) && pair.cells() > cells
    }

    /// Divides `text`, one of the two texts of this workload, into its pieces. All symbols must have as many bytes.
    pub(crate) fn cut<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        text.chunks((text.len() / self.pieces).max(1)).take(self.pieces)
    }
}
