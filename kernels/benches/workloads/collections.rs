//! Collections: the workloads that compare many texts with many, each with a name that begins with `all` or `within`.
//!
//! The texts are random. Other programs receive them as two files with a text in each line. The number of a contender is
//! the sum of the scores of all pairs, or the number of pairs within the limit. *Ready* is the answer to the question about
//! a parsed collection. *From bytes* adds the time to parse the files.
//!
//! Plain code checks the scores of some pairs in advance. The sums of other programs are compared while they are timed.

use std::hint::black_box;

use anyhow::{anyhow, bail, ensure};
use kernels::collection::{
    AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, CollectionSide, KeptPairs, MemberSource, MemberSplit, RowSteps,
    SideSources,
};
use kernels::engine::Engine;
use kernels::job::{EditCosts, JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::text::Unit;

use crate::check;
use crate::table::WEIGHTS;
use crate::texts::{DNA, LOWER, members};

/// A workload: a question about random texts, and a name by which the command line selects it.
pub(crate) struct CollectionWorkload {
    pub(crate) name: &'static str,
    pub(crate) task: Task,
    costs: EditCosts,
    /// The greatest distance of a pair of one collection. If absent, every text of one collection is compared with every
    /// text of another one.
    pub(crate) within: Option<u32>,
    letters: &'static [u8],
    /// Least and greatest length of a text.
    lens: [usize; 2],
    /// Number of texts of a collection.
    count: usize,
}

const fn all(name: &'static str, letters: &'static [u8], lens: [usize; 2], count: usize) -> CollectionWorkload {
    CollectionWorkload { name, task: Task::EditDistance, costs: EditCosts::LEVENSHTEIN, within: None, letters, lens, count }
}

/// Barcodes: texts of 16 letters of DNA.
const fn barcodes(name: &'static str, count: usize, within: u32) -> CollectionWorkload {
    CollectionWorkload { within: Some(within), ..all(name, DNA, [16, 16], count) }
}

const fn with_costs(costs: EditCosts, workload: CollectionWorkload) -> CollectionWorkload {
    CollectionWorkload { costs, ..workload }
}

const WORDS: [usize; 2] = [3, 14];

/// The workloads in the order of the output.
pub(crate) const COLLECTIONS: &[CollectionWorkload] = &[
    all("all-words-4096", LOWER, WORDS, 4096),
    all("all-dna-32x4096", DNA, [32, 32], 4096),
    all("all-dna-100x2048", DNA, [100, 100], 2048),
    all("all-dna-1000x512", DNA, [1000, 1000], 512),
    all("all-lines-200", LOWER, [20, 4000], 200),
    CollectionWorkload { task: Task::Lcs, ..all("all-lcs-dna-100x2048", DNA, [100, 100], 2048) },
    with_costs(EditCosts::OSA, all("all-osa-words-4096", LOWER, WORDS, 4096)),
    with_costs(EditCosts::OSA, all("all-osa-dna-100x2048", DNA, [100, 100], 2048)),
    with_costs(WEIGHTS, all("all-weights-words-2048", LOWER, WORDS, 2048)),
    with_costs(WEIGHTS, all("all-weights-dna-100x1024", DNA, [100, 100], 1024)),
    barcodes("within-1-dna-16x100k", 100_000, 1),
    barcodes("within-2-dna-16x100k", 100_000, 2),
    barcodes("within-1-dna-16x1m", 1_000_000, 1),
];

/// Number of texts of each collection whose pairs are checked in advance. More second texts are checked if only pairs within a
/// limit are kept.
const MAX_CHECKED: [usize; 2] = [40, 10_000];

const SEED: u64 = 2026;

impl CollectionWorkload {
    /// Returns the two files of the workload, with a text in each line. The second one is empty if pairs of one collection are
    /// compared.
    pub(crate) fn files(&self) -> (Vec<u8>, Vec<u8>) {
        let file = |seed: u64| members(self.letters, self.lens, self.count, seed).join(&b'\n');
        (file(SEED), if self.within.is_some() { Vec::new() } else { file(SEED + 1) })
    }

    /// Returns the name of the problem for programs that compete.
    pub(crate) fn problem(&self) -> String {
        let EditCosts { substitute, insert, delete, .. } = self.costs;
        match (self.within, self.costs) {
            (Some(_), _) => format!("within-{}", self.task.name()),
            (None, EditCosts::LEVENSHTEIN) => format!("all-{}", self.task.name()),
            (None, EditCosts::OSA) => "all-osa".to_owned(),
            (None, _) => format!("all-weights-{substitute}-{insert}-{delete}"),
        }
    }

    /// Returns the number of cells in the matrices of all compared pairs, each pair once.
    pub(crate) fn cells(&self, (a, b): (&[u8], &[u8])) -> f64 {
        let letters = |file: &[u8]| file.iter().filter(|byte| **byte != b'\n').count() as f64;
        if b.is_empty() { letters(a) * letters(a) / 2.0 } else { letters(a) * letters(b) }
    }

    fn options(&self) -> JobOptions {
        JobOptions { unit: Unit::Bytes, alignment: false, costs: self.costs, ..JobOptions::DEFAULT }
    }

    /// Parses the files of [`files`](Self::files).
    ///
    /// # Errors
    /// Returns an error if the files are no collection.
    pub(crate) fn parse(&self, (a, b): (&[u8], &[u8])) -> anyhow::Result<Collection> {
        let side = |bytes: &[u8]| SideSources {
            sources: vec![MemberSource { name: "lines".into(), bytes: bytes.into() }],
            split: MemberSplit::Lines,
        };
        let other = if b.is_empty() { None } else { Some(side(b)) };
        Collection::parse(side(a), other, &self.options().reading()).map_err(|failure| anyhow!("{failure}"))
    }

    /// Returns the number that all contenders compute, from the answer of `engine`.
    ///
    /// # Errors
    /// Returns an error if the engine gives no answer.
    pub(crate) fn solve(&self, collection: &Collection, engine: &Engine) -> anyhow::Result<u64> {
        let counts = |side: &CollectionSide| {
            let mut counts = vec![0_u64; collection.corpus().len()];
            side.members().iter().for_each(|member| counts[member.text] += 1);
            counts
        };
        let (a, b) = (counts(collection.a()), counts(collection.columns()));
        Ok(match self.answer(collection, engine)? {
            CollectionAnswer::Scores(scores) => {
                let columns = collection.columns().distinct();
                let lines = scores.chunks(columns.len().max(1)).zip(collection.a().distinct());
                let sum = |(line, row): (&[i32], usize)| -> u64 {
                    a[row] * line.iter().zip(columns.clone()).map(|(&score, column)| score as u64 * b[column]).sum::<u64>()
                };
                lines.map(sum).sum()
            }
            CollectionAnswer::Pairs(pairs) => {
                let equal = a.iter().map(|count| count * count.saturating_sub(1) / 2).sum::<u64>();
                equal + pairs.iter().map(|pair| a[pair.a as usize] * a[pair.b as usize]).sum::<u64>()
            }
            CollectionAnswer::Nearest(_) => bail!("nearest texts were not requested"),
        })
    }

    fn answer(&self, collection: &Collection, engine: &Engine) -> anyhow::Result<CollectionAnswer> {
        let keep = self.within.map_or(KeptPairs::All, KeptPairs::Within);
        let question = CollectionQuestion::new(self.task, &self.options(), keep, collection).map_err(|failure| anyhow!("{failure}"))?;
        let limits = AnswerLimits { max_scores: 1 << 30, max_pairs: 1 << 30 };
        let answer = engine.compare(&question, black_box(collection), &limits, &mut RowSteps::none(), &Run::new(&NoObserver));
        black_box(answer).map_err(|halt| anyhow!("no answer: {halt:?}"))
    }

    /// Compares the scores of some pairs with those of plain code. Of kept pairs, those of the first texts are compared.
    ///
    /// # Errors
    /// Returns an error if a score differs.
    pub(crate) fn check(&self, collection: &Collection, engine: &Engine) -> anyhow::Result<()> {
        let plain = |a: usize, b: usize| {
            let (a, b) = (collection.a().member_text(a), collection.columns().member_text(b));
            match self.task {
                Task::Lcs => (a.len() as u64 + b.len() as u64 - check::least_sum(&a, &b, &EditCosts::INDEL)) / 2,
                _ => check::least_sum(&a, &b, &self.costs),
            }
        };
        let (a, b) = (collection.a().members(), collection.columns().members());
        let firsts = a.len().min(MAX_CHECKED[0]);
        let seconds = b.len().min(MAX_CHECKED[usize::from(self.within.is_some())]);
        let columns = collection.columns().distinct();
        let answer = self.answer(collection, engine)?;
        for (x, y) in (0..firsts).flat_map(|x| (0..seconds).map(move |y| (x, y))) {
            let (first, second) = (a[x].text, b[y].text);
            let found = match &answer {
                CollectionAnswer::Scores(scores) => Some(scores[first * columns.len() + second - columns.start]),
                CollectionAnswer::Pairs(pairs) if first < second => {
                    let at = pairs.binary_search_by_key(&(first as u32, second as u32), |pair| (pair.a, pair.b));
                    at.ok().map(|at| pairs[at].score)
                }
                CollectionAnswer::Pairs(_) => continue,
                CollectionAnswer::Nearest(_) => bail!("nearest texts were not requested"),
            };
            let expected = plain(x, y);
            let kept = self.within.is_none_or(|most| expected <= most.into());
            let expected = kept.then_some(expected as i32);
            ensure!(found == expected, "the engine's score of texts {x} and {y} is {found:?}, plain code's {expected:?}");
        }
        Ok(())
    }
}
