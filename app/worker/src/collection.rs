//! Comparison of all texts of a collection, and files of the answer: [`answer`].

use std::any::Any;

use explain::collection::tree::{leaf_links, leaf_order, single_linkage};
use explain::collection::write::WriteError;
use explain::collection::{AnsweredCollection, CollectionFormat};
use explain::worker_protocol::collection::{CollectionAsk, CollectionReport, CollectionRequest, LinkedOrder, MAX_TEXTS, MemberInfo, TEXTS};
use kernels::cbor::from_bytes;
use kernels::collection::question::similarity;
use kernels::collection::{AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, Corpus, KeptPairs};
use kernels::engine::Cpu;
use kernels::failure::{JobFailure, large};
use kernels::job::Task;
use kernels::run::{Halt, Run};

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
    answer: CollectionAnswer,
}

/// Maximum number of pairs in a file: all pairs of [`MAX_TEXTS`].
const MAX_PAIRS: u64 = MAX_TEXTS * MAX_TEXTS;

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
        CollectionAsk::Export { format } => {
            let compared = last.as_ref().and_then(|last| last.downcast_ref::<ComparedCollection>());
            let ComparedCollection { collection, task, answer } =
                compared.ok_or_else(|| JobFailure::engine("There is no result here any more. Run it again."))?;
            let written = AnsweredCollection { collection, task: *task, keep: KeptPairs::All, answer, max_pairs: MAX_PAIRS };
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

/// Computes the scores of all pairs of a collection, and its trees.
fn compare(request: &CollectionRequest, bytes: &[u8], now: fn() -> f64, run: &Run) -> Result<(ComparedCollection, Vec<u8>), Halt> {
    let collection = Collection::parse(request.sources_of(bytes).ok_or_else(malformed)?, None, &request.options.reading())?;
    let members = collection.a().members();
    let question = CollectionQuestion::new(request.task, &request.options, KeptPairs::All, &collection)?;
    let cells = cells_of_pairs(collection.corpus());
    for (what, got, limit) in [(TEXTS, members.len() as u64, MAX_TEXTS), (large::CELLS, cells, request.max_cells)] {
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
    let corpus = collection.corpus();
    let texts: Vec<(usize, usize)> = members.iter().map(|member| (member.text, corpus.member_len(member.text))).collect();
    let score = |a: usize, b: usize| scores[texts[a].0 * corpus.len() + texts[b].0];
    let by_similarity = linked(members.len(), 1.0, |a, b| similarity(request.task, score(a, b), texts[a].1, texts[b].1).unwrap_or(0.0));
    let by_edits = (request.task == Task::EditDistance).then(|| linked(members.len(), 0.0, |a, b| -f64::from(score(a, b))));
    let info = |(number, member): (usize, &kernels::collection::Member)| {
        let (source, bytes) = collection.a().member_place(number);
        MemberInfo {
            name: member.name.clone(),
            symbols: texts[number].1 as u64,
            text: member.text as u32,
            source: source as u32,
            start: bytes.start as u64,
            end: bytes.end as u64,
        }
    };
    let report = CollectionReport {
        members: members.iter().enumerate().map(info).collect(),
        distinct: corpus.len() as u64,
        cells,
        took_ms,
        by_similarity,
        by_edits,
    };
    let reply = report.encode(scores);
    Ok((ComparedCollection { collection, task: request.task, answer }, reply))
}

/// Returns the number of cells in the matrices of all pairs of different texts.
fn cells_of_pairs(corpus: &Corpus) -> u64 {
    let lens = || (0..corpus.len()).map(|text| corpus.member_len(text) as u64);
    let (sum, squares) = lens().fold((0_u64, 0_u64), |(sum, squares), len| (sum + len, squares.saturating_add(len * len)));
    (sum.saturating_mul(sum).max(squares) - squares) / 2
}

/// Builds the tree of `texts` texts. `nearness` is largest, `most`, for equal texts.
fn linked(texts: usize, most: f64, nearness: impl Fn(usize, usize) -> f64) -> LinkedOrder {
    let tree = single_linkage(texts, |a, b| most - nearness(a, b));
    let order = leaf_order(texts, &tree).into_iter().map(|text| text as u32).collect();
    LinkedOrder { order, links: leaf_links(texts, &tree).into_iter().map(|distance| most - distance).collect() }
}
