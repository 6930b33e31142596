//! Comparison of all texts of a collection: [`solve`].

use explain::linkage::single_linkage;
use explain::worker_protocol::collection::{CollectionReport, CollectionRequest, MAX_TEXTS, MemberInfo, TEXTS};
use kernels::cbor::from_bytes;
use kernels::collection::question::similarity;
use kernels::collection::{AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, KeptPairs};
use kernels::engine::Cpu;
use kernels::failure::{JobFailure, large};
use kernels::job::Task;
use kernels::run::{Halt, Run};

/// A function that answers a request about a collection. It receives the request in CBOR, the bytes of all texts, a clock
/// in milliseconds and the run. It returns the encoded [`CollectionReport`] with the scores.
pub(crate) type CollectionFn = fn([&[u8]; 2], fn() -> f64, &Run) -> Result<Vec<u8>, Halt>;

/// Computes the scores of all pairs of a collection, and its trees.
///
/// # Errors
/// Returns `BadInput` if a text cannot be read, and `TooLarge` if there are too many texts or cells.
pub(crate) fn solve([request, bytes]: [&[u8]; 2], now: fn() -> f64, run: &Run) -> Result<Vec<u8>, Halt> {
    let malformed = || JobFailure::engine("The request for a collection is malformed.");
    let request: CollectionRequest = from_bytes(request).ok_or_else(malformed)?;
    let collection = Collection::parse(request.sources_of(bytes).ok_or_else(malformed)?, None, &request.options.reading())?;
    let members = collection.a().members();
    let question = CollectionQuestion::new(request.task, &request.options, KeptPairs::All, &collection)?;
    let cells = question.cells(&collection);
    for (what, got, limit) in [(TEXTS, members.len() as u64, MAX_TEXTS), (large::CELLS, cells, request.max_cells)] {
        if got > limit {
            return Err(JobFailure::TooLarge { what: what.into(), got, limit }.into());
        }
    }
    let started = now();
    let limits = AnswerLimits { max_scores: MAX_TEXTS * MAX_TEXTS, max_pairs: 0 };
    let CollectionAnswer::Scores(scores) = question.solve(&collection, &limits, &Cpu::SINGLE, run)? else {
        return Err(JobFailure::engine("A collection has no scores.").into());
    };
    let took_ms = now() - started;
    let corpus = collection.corpus();
    let texts: Vec<(usize, usize)> = members.iter().map(|member| (member.text, corpus.member_len(member.text))).collect();
    let score = |a: usize, b: usize| scores[texts[a].0 * corpus.len() + texts[b].0];
    let nearness = |a: usize, b: usize| {
        if texts[a].0 == texts[b].0 { 1.0 } else { similarity(request.task, score(a, b), texts[a].1, texts[b].1).unwrap_or(0.0) }
    };
    let by_edits = (request.task == Task::EditDistance).then(|| single_linkage(members.len(), |a, b| -f64::from(score(a, b))));
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
        by_similarity: single_linkage(members.len(), nearness),
        by_edits,
    };
    Ok(report.encode(&scores))
}
