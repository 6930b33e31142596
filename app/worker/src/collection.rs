//! Comparison of all texts of a collection, or of two collections, and files of the answer: [`answer`].

use std::any::Any;
use std::collections::HashMap;

use explain::collection::template::TextTemplate;
use explain::collection::tree::{leaf_links, leaf_order, single_linkage};
use explain::collection::write::WriteError;
use explain::collection::{AnsweredCollection, CollectionFormat};
use explain::worker_protocol::collection::{
    CollectionAsk, CollectionReport, CollectionRequest, LinkedOrder, MAX_PAIRS, MAX_TEXTS, MemberInfo, PAIRS, RequestTexts, TEXTS,
};
use kernels::cbor::from_bytes;
use kernels::collection::question::similarity;
use kernels::collection::{AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, CollectionSide, Corpus, KeptPairs, Member};
use kernels::engine::Cpu;
use kernels::failure::{JobFailure, large};
use kernels::job::{EditCosts, Task};
use kernels::reading::ReadingOptions;
use kernels::run::{Halt, Run};
use kernels::with_corpus_symbols;

/// A function that answers a request about a collection. It receives the request in CBOR, the bytes of all texts, a clock
/// in milliseconds, the run, and the last answer. It returns the encoded [`CollectionReport`] with the scores, or the bytes
/// of a file.
pub(crate) type CollectionFn = fn([&[u8]; 2], fn() -> f64, &Run, &mut LastAnswer) -> Result<Vec<u8>, Halt>;

/// The last answer about a collection, if there is one. Only this module knows its type, so that the code for it is part
/// of this module.
pub(crate) type LastAnswer = Option<Box<dyn Any>>;

/// A compared collection.
struct ComparedCollection {
    collection: Collection,
    task: Task,
    costs: EditCosts,
    answer: CollectionAnswer,
}

/// Answers a request about a collection.
///
/// # Errors
/// Returns `BadInput` if a text cannot be read, and `TooLarge` if there are too many texts or cells.
pub(crate) fn answer([ask, bytes]: [&[u8]; 2], now: fn() -> f64, run: &Run, last: &mut LastAnswer) -> Result<Vec<u8>, Halt> {
    let ask: CollectionAsk = from_bytes(ask).ok_or_else(malformed)?;
    match ask {
        CollectionAsk::Compare(request) => {
            *last = None;
            let (compared, reply) = compare(&request, bytes, now, run)?;
            *last = Some(Box::new(compared));
            Ok(reply)
        }
        CollectionAsk::Export { format, has_names } => {
            let compared = last.as_ref().and_then(|last| last.downcast_ref::<ComparedCollection>());
            let ComparedCollection { collection, task, costs, answer } =
                compared.ok_or_else(|| JobFailure::engine("There is no result here any more. Run it again."))?;
            let written = AnsweredCollection {
                collection,
                task: *task,
                costs: *costs,
                keep: KeptPairs::All,
                answer,
                max_pairs: MAX_PAIRS,
                has_names,
            };
            let format: CollectionFormat = format.parse().map_err(|_| malformed())?;
            let mut file = Vec::new();
            match written.write(format, &mut file) {
                Ok(()) => Ok(file),
                Err(WriteError::Answer(failure)) => Err(failure.into()),
                Err(WriteError::Output(_)) => Err(JobFailure::engine("The file was not written.").into()),
            }
        }
    }
}

fn malformed() -> JobFailure {
    JobFailure::engine("The request for a collection is malformed.")
}

/// Computes the scores of all pairs of one or two collections, and the trees of a single one.
fn compare(request: &CollectionRequest, bytes: &[u8], now: fn() -> f64, run: &Run) -> Result<(ComparedCollection, Vec<u8>), Halt> {
    let texts = request.texts_of(bytes).ok_or_else(malformed)?;
    let reading = request.options.reading();
    let whole = Collection::parse(texts.a.clone(), texts.b.clone(), &reading)?;
    let collection = match texts.template.is_empty() {
        true => whole.clone(),
        false => without_template(texts, &whole, &reading)?,
    };
    let question = CollectionQuestion::new(request.task, &request.options, KeptPairs::All, &collection)?;
    let (corpus, columns) = (collection.corpus(), collection.columns());
    let rows = collection.a().members();
    let cells = cells_of_pairs(&collection);
    let (texts, pairs) = match collection.b() {
        None => (rows.len() as u64, 0),
        Some(_) => (0, collection.pairs()),
    };
    for (what, got, limit) in [(TEXTS, texts, MAX_TEXTS), (PAIRS, pairs, MAX_PAIRS), (large::CELLS, cells, request.max_cells)] {
        if got > limit {
            return Err(JobFailure::TooLarge { what: what.into(), got, limit }.into());
        }
    }
    let started = now();
    let limits = AnswerLimits { max_scores: MAX_PAIRS, max_pairs: 0 };
    let answer = question.solve(&collection, &limits, &Cpu::SINGLE, run)?;
    let took_ms = now() - started;
    let CollectionAnswer::Scores(scores) = &answer else {
        return Err(JobFailure::engine("A collection has no scores.").into());
    };
    let (mut by_similarity, mut by_edits) = (LinkedOrder::default(), None);
    if collection.b().is_none() {
        let texts: Vec<(usize, usize)> = rows.iter().map(|member| (member.text, corpus.member_len(member.text))).collect();
        // The first text given is `a`, because the order may matter.
        let score = |a: usize, b: usize| scores[texts[a.min(b)].0 * corpus.len() + texts[a.max(b)].0];
        let share =
            |a: usize, b: usize| similarity(request.task, &request.options.costs, score(a, b), texts[a.min(b)].1, texts[a.max(b)].1);
        let most = if request.task == Task::SequenceAlignment { scores.iter().copied().max().unwrap_or(0).into() } else { 1.0 };
        by_similarity = linked(texts.len(), most, |a, b| share(a, b).unwrap_or_else(|| score(a, b).into()));
        by_edits = (request.task == Task::EditDistance).then(|| linked(texts.len(), 0.0, |a, b| -f64::from(score(a, b))));
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
    Ok((ComparedCollection { collection, task: request.task, costs: request.options.costs, answer }, reply))
}

/// Reads the texts again without what stems from the template.
fn without_template(texts: RequestTexts, whole: &Collection, reading: &ReadingOptions) -> Result<Collection, JobFailure> {
    let template = TextTemplate::of_sources(&texts.template)?;
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
