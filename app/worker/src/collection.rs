//! Comparison of all texts of a collection, or of two collections, and files of the answer.

use std::collections::HashMap;

use explain::collection::template::TextTemplate;
use explain::collection::tree::{leaf_links, leaf_order, single_linkage};
use explain::collection::write::WriteError;
use explain::collection::{AnsweredCollection, CollectionFormat};
use explain::worker_protocol::collection::{
    CollectionAsk, CollectionReport, CollectionRequest, LinkedOrder, MAX_PAIRS, MAX_TEXTS, MemberInfo, PAIRS, RequestTexts, TEXTS,
};
use kernels::cbor::from_bytes;
use kernels::collection::{
    AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, CollectionSide, Corpus, KeptPairs, Member, ScoreRule, Tile,
};
use kernels::engine::Cpu;
use kernels::failure::{JobFailure, large};
use kernels::job::Task;
use kernels::reading::ReadingOptions;
use kernels::run::{Halt, NoObserver, Run};
use kernels::with_corpus_symbols;

use crate::session::{LastAnswer, lost};
use crate::shares::{ManyTexts, RequestParts};

/// Minimum number of cells of a comparison that is divided among several workers. Fewer cells take about as long as the
/// start of the workers.
const MIN_DIVIDED_CELLS: u64 = if cfg!(test) { 1 } else { 400_000_000 };

/// A compared collection.
struct ComparedCollection {
    collection: Collection,
    rule: ScoreRule,
    answer: CollectionAnswer,
}

/// The texts of a request, with the question about them.
pub(crate) struct ReadCollection {
    /// The texts with what stems from the template.
    whole: Collection,
    collection: Collection,
    question: CollectionQuestion,
    cells: u64,
    /// The shares, or nothing.
    tiles: Vec<Tile>,
}

impl ManyTexts for ReadCollection {
    fn read([ask, bytes]: RequestParts, shares: usize) -> Result<Option<Self>, JobFailure> {
        match from_bytes(ask).ok_or_else(malformed)? {
            CollectionAsk::Compare(request) => Self::new(&request, bytes, shares).map(Some),
            CollectionAsk::Export { .. } => Ok(None),
        }
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn shares(&self) -> usize {
        self.tiles.len()
    }

    /// Returns the scores of the tile, 4 bytes each.
    fn solve_share(&self, share: usize) -> Result<Vec<u8>, Halt> {
        let tile = self.tiles.get(share).ok_or_else(malformed)?;
        let scores = self.question.tile_scores(tile, &self.collection, &Cpu::SINGLE, &Run::new(&NoObserver))?;
        Ok(scores.into_iter().flat_map(i32::to_le_bytes).collect())
    }

    fn solve(self, took_ms: impl FnOnce() -> f64, run: &Run, last: &mut LastAnswer) -> Result<Vec<u8>, Halt> {
        let answer = self.question.solve(&self.collection, &LIMITS, &Cpu::SINGLE, run)?;
        self.finish(answer, took_ms(), last)
    }

    fn join(self, results: Vec<Vec<u8>>, took_ms: impl FnOnce() -> f64, last: &mut LastAnswer) -> Result<Vec<u8>, Halt> {
        let scores = |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|score| i32::from_le_bytes(*score)).collect();
        let tiles = self.tiles.iter().cloned().zip(results.into_iter().map(scores));
        let answer = self.question.answer_of_tiles(&self.collection, &LIMITS, tiles)?;
        self.finish(answer, took_ms(), last)
    }

    fn answer_last([ask, _]: RequestParts, _: &Run, last: &LastAnswer) -> Result<Vec<u8>, Halt> {
        let Some(CollectionAsk::Export { format, has_names }) = from_bytes(ask) else { return Err(malformed().into()) };
        let compared = last.as_ref().and_then(|last| last.downcast_ref::<ComparedCollection>());
        let ComparedCollection { collection, rule, answer } = compared.ok_or_else(lost)?;
        let written = AnsweredCollection { collection, rule: *rule, keep: KeptPairs::All, answer, max_pairs: MAX_PAIRS, has_names };
        let format: CollectionFormat = format.parse().map_err(|_| malformed())?;
        let mut file = Vec::new();
        match written.write(format, &mut file) {
            Ok(()) => Ok(file),
            Err(WriteError::Answer(failure)) => Err(failure.into()),
            Err(WriteError::Output(_)) => Err(JobFailure::engine("The file was not written.").into()),
        }
    }
}

fn malformed() -> JobFailure {
    JobFailure::engine("The request for a collection is malformed.")
}

const LIMITS: AnswerLimits = AnswerLimits { max_scores: MAX_PAIRS, max_pairs: 0 };

impl ReadCollection {
    /// Reads the texts of a request, and divides a long comparison into about `shares` tiles.
    ///
    /// # Errors
    /// Returns `BadInput` if a text cannot be read, and `TooLarge` if there are too many texts or cells.
    fn new(request: &CollectionRequest, bytes: &[u8], shares: usize) -> Result<Self, JobFailure> {
        let texts = request.texts_of(bytes).ok_or_else(malformed)?;
        let reading = request.options.reading();
        let whole = Collection::parse(texts.a.clone(), texts.b.clone(), &reading)?;
        let collection = match texts.template.is_empty() {
            true => whole.clone(),
            false => without_template(texts, &whole, &reading)?,
        };
        let question = CollectionQuestion::new(request.task, &request.options, KeptPairs::All, &collection)?;
        let cells = cells_of_pairs(&collection);
        let (texts, pairs) = match collection.b() {
            None => (collection.a().members().len() as u64, 0),
            Some(_) => (0, collection.pairs()),
        };
        for (what, got, limit) in [(TEXTS, texts, MAX_TEXTS), (PAIRS, pairs, MAX_PAIRS), (large::CELLS, cells, request.max_cells)] {
            if got > limit {
                return Err(JobFailure::TooLarge { what: what.into(), got, limit });
            }
        }
        let tiles = if shares > 0 && cells >= MIN_DIVIDED_CELLS { question.tiles(&collection, shares) } else { Vec::new() };
        let tiles = if tiles.len() > 1 { tiles } else { Vec::new() };
        Ok(Self { whole, collection, question, cells, tiles })
    }

    /// Returns the report on the scores of all pairs with the trees of a single collection, and stores the answer.
    fn finish(self, answer: CollectionAnswer, took_ms: f64, last: &mut LastAnswer) -> Result<Vec<u8>, Halt> {
        let Self { whole, collection, question, cells, .. } = self;
        let rule = question.rule();
        let (corpus, columns) = (collection.corpus(), collection.columns());
        let rows = collection.a().members();
        let CollectionAnswer::Scores(scores) = &answer else {
            return Err(JobFailure::engine("A collection has no scores.").into());
        };
        let (mut by_similarity, mut by_edits) = (LinkedOrder::default(), None);
        if collection.b().is_none() {
            let texts: Vec<(usize, usize)> = rows.iter().map(|member| (member.text, corpus.member_len(member.text))).collect();
            // The first text given is `a`, because the order may matter.
            let score = |a: usize, b: usize| scores[texts[a.min(b)].0 * corpus.len() + texts[a.max(b)].0];
            let share = |a: usize, b: usize| rule.similarity(score(a, b), texts[a.min(b)].1, texts[a.max(b)].1);
            let points = |score: i32| rule.number(score).approximate();
            let most = if rule.task == Task::SequenceAlignment { points(scores.iter().copied().max().unwrap_or(0)) } else { 1.0 };
            by_similarity = linked(texts.len(), most, |a, b| share(a, b).unwrap_or_else(|| points(score(a, b))));
            by_edits = (rule.task == Task::EditDistance).then(|| linked(texts.len(), 0.0, |a, b| -f64::from(score(a, b))));
        }
        let report = CollectionReport {
            members: sides_of(&whole).zip(sides_of(&collection)).flat_map(|(whole, side)| infos(whole, side, corpus)).collect(),
            first: collection.b().map(|_| rows.len() as u64),
            distinct: [collection.a().distinct().len() as u64, columns.distinct().len() as u64],
            cells,
            took_ms,
            twins: twins(&collection),
            by_similarity,
            by_edits,
        };
        let reply = report.encode(scores);
        *last = Some(Box::new(ComparedCollection { collection, rule, answer }));
        Ok(reply)
    }
}

/// Reads the texts again without what stems from the template.
fn without_template(texts: RequestTexts, whole: &Collection, reading: &ReadingOptions) -> Result<Collection, JobFailure> {
    let template = TextTemplate::of_sources(&texts.template, reading.unit)?;
    let b = texts.b.map(|b| template.remove_from_side(b)).transpose()?;
    let rest = Collection::parse(template.remove_from_side(texts.a)?, b, reading)?;
    let members = |collection: &Collection| sides_of(collection).map(|side| side.members().len()).collect::<Vec<_>>();
    if members(&rest) != members(whole) {
        return Err(JobFailure::engine("The template has changed the number of texts."));
    }
    Ok(rest)
}

fn sides_of(collection: &Collection) -> impl Iterator<Item = &CollectionSide> {
    [Some(collection.a()), collection.b()].into_iter().flatten()
}

/// Describes the members of a side. `whole` is the side with what stems from the template.
fn infos(whole: &CollectionSide, side: &CollectionSide, corpus: &Corpus) -> Vec<MemberInfo> {
    let info = |(number, member): (usize, &Member)| {
        let (source, bytes) = whole.member_place(number);
        let symbols = corpus.member_len(member.text);
        MemberInfo {
            name: whole.members()[number].name.clone(),
            symbols: symbols as u64,
            left_out: whole.member_len(number).saturating_sub(symbols) as u64,
            text: (member.text - side.distinct().start) as u32,
            source: source as u32,
            start: bytes.start as u64,
            end: bytes.end as u64,
        }
    };
    side.members().iter().enumerate().map(info).collect()
}

/// Returns the number of cells in the matrices of all pairs: of different texts of one collection, or of each text of `a`
/// with each text of `b`.
fn cells_of_pairs(collection: &Collection) -> u64 {
    let corpus = collection.corpus();
    let sums = |side: &CollectionSide| {
        let lens = side.distinct().map(|text| corpus.member_len(text) as u64);
        lens.fold((0_u64, 0_u64), |(sum, squares), len| (sum + len, squares.saturating_add(len * len)))
    };
    let (sum, squares) = sums(collection.a());
    match collection.b() {
        Some(b) => sum.saturating_mul(sums(b).0),
        None => (sum.saturating_mul(sum).max(squares) - squares) / 2,
    }
}

/// Lists, for each distinct text of the second collection, the number of the text of the first one with the same symbols.
fn twins(collection: &Collection) -> Vec<Option<u32>> {
    let Some(b) = collection.b() else { return Vec::new() };
    let corpus = collection.corpus();
    with_corpus_symbols!(corpus, |symbols| {
        let of = |text: usize| &symbols[corpus.range(text)];
        let first = collection.a().distinct().start;
        let rows: HashMap<_, u32> = collection.a().distinct().map(|text| (of(text), (text - first) as u32)).collect();
        b.distinct().map(|text| rows.get(of(text)).copied()).collect()
    })
}

/// Builds the tree of `texts` texts. `nearness` is largest, `most`, for equal texts.
fn linked(texts: usize, most: f64, nearness: impl Fn(usize, usize) -> f64) -> LinkedOrder {
    let tree = single_linkage(texts, |a, b| most - nearness(a, b));
    let order = leaf_order(texts, &tree).into_iter().map(|text| text as u32).collect();
    LinkedOrder { order, links: leaf_links(texts, &tree).into_iter().map(|distance| most - distance).collect() }
}
