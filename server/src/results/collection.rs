//! Collection: the texts of a question about a collection, and the parts of its answer, read from their files.
//!
//! - [`part`]: a file with the answer for some rows
//! - [`tiles`]: a rectangle of the answer as a map

use std::sync::Arc;

use explain::collection::request::GivenText;
use kernels::cbor::from_bytes;
use kernels::collection::{
    AnsweredRows, Collection, CollectionAnswer, CollectionQuestion, MemberSource, PatternCollection, PatternHits, SideSources,
};
use kernels::failure::JobFailure;
use kernels::reading::ReadingOptions;

use super::{ResultReader, cached, memory, run_blocking};
use crate::clients::budgets::RequestPayer;
use crate::error::ApiProblem;
use crate::ops::priority;
use crate::storage::ports::files::ContentHash;
use crate::store::record::StoredResult;
use crate::store::record::collection::{StoredCollection, StoredSide};

pub mod part;
pub mod tiles;

/// The parsed texts of a question about a collection.
#[derive(Clone, Debug)]
pub enum CollectionTexts {
    /// Texts of which pairs are compared.
    Pairs(Collection),
    /// Patterns and a text.
    Patterns(PatternCollection),
}

/// The whole answer to a question about a collection.
#[derive(Clone, Debug)]
pub enum CollectionResult {
    /// Scores or kept pairs.
    Pairs(CollectionAnswer),
    /// The hits of each pattern.
    Hits(Vec<PatternHits>),
}

/// Names the texts of a side that were sent without a name, and returns the sources of members. `side` is `a` or `b`.
pub fn named_sources(side: &str, texts: Vec<GivenText>) -> Vec<MemberSource> {
    let name = |number: usize| if side == "a" { format!("text {}", number + 1) } else { format!("text {} of {side}", number + 1) };
    let source = |(number, text)| match text {
        GivenText::Named(named) => MemberSource { name: named.name, bytes: named.text.into_bytes().into() },
        GivenText::Text(text) => MemberSource { name: name(number), bytes: text.into_bytes().into() },
    };
    texts.into_iter().enumerate().map(source).collect()
}

/// Returns the question that `stored` asks about `record`.
///
/// # Errors
/// Returns `BadInput` if options do not fit the task.
pub fn question(record: &StoredResult, stored: &StoredCollection, collection: &Collection) -> Result<CollectionQuestion, JobFailure> {
    CollectionQuestion::new(record.snapshot.task, &record.snapshot.options, stored.keep, collection)
}

impl CollectionTexts {
    /// Returns the number of rows of the answer: distinct texts of `a`, or patterns.
    pub fn rows(&self) -> u64 {
        match self {
            Self::Pairs(collection) => collection.a().distinct().len() as u64,
            Self::Patterns(patterns) => patterns.pairs().len() as u64,
        }
    }

    /// Estimates the memory of the texts in bytes.
    pub(super) fn memory_bytes(&self) -> u64 {
        match self {
            Self::Pairs(collection) => {
                let corpus = collection.corpus();
                let symbols: usize = (0..corpus.len()).map(|text| corpus.member_len(text)).sum();
                let members = collection.a().members().len() + collection.b().map_or(0, |b| b.members().len());
                (14 * symbols + 128 * members) as u64
            }
            Self::Patterns(patterns) => {
                let lengths = patterns.pairs().iter().map(|pair| pair.a.len() + 256).sum::<usize>();
                let searched = patterns.searched_len();
                (14 * (searched + patterns.sources() * lengths)) as u64
            }
        }
    }
}

impl CollectionResult {
    /// Returns the memory of the answer in bytes.
    pub(super) fn memory_bytes(&self) -> u64 {
        let bytes = match self {
            Self::Pairs(CollectionAnswer::Scores(scores)) => size_of_val(scores.as_slice()),
            Self::Pairs(CollectionAnswer::Pairs(pairs) | CollectionAnswer::Nearest(pairs)) => size_of_val(pairs.as_slice()),
            Self::Hits(hits) => hits.iter().map(|found| 64 + size_of_val(found.hits.as_slice())).sum(),
        };
        bytes as u64
    }
}

impl ResultReader {
    /// Reads and parses the texts of the question `stored` of `record`. Blocks, and reserves memory for large texts.
    ///
    /// # Errors
    /// Returns the errors of the readers, and `Internal` if a file cannot be read.
    pub fn read_collection(&self, record: &StoredResult, stored: &StoredCollection) -> Result<CollectionTexts, ApiProblem> {
        let bytes = self.collection_bytes(record, stored)?;
        let options = &record.snapshot.options;
        let _memory = (bytes > memory::MAX_UNRESERVED_BYTES).then(|| self.reading.reserve(memory::to_read(bytes, &options.reading())));
        let a = self.side("a", &record.a, &stored.a)?;
        let b = stored.b.as_ref().map(|b| self.side("b", &record.b, b)).transpose()?;
        let task = record.snapshot.task;
        if PatternCollection::TASKS.contains(&task) {
            let b = b.ok_or_else(|| JobFailure::bad_input("A search needs b, the text with the hits. a has the patterns."))?;
            return Ok(CollectionTexts::Patterns(PatternCollection::parse(a, b, task, options)?));
        }
        Ok(CollectionTexts::Pairs(Collection::parse(a, b, &options.reading())?))
    }

    /// Reads the texts of a new job, like [`read_collection`](Self::read_collection). Large texts are read in slots separate
    /// from those for queries.
    ///
    /// # Errors
    /// Returns the errors of [`read_collection`](Self::read_collection), and those of `look`, which receives the texts.
    pub async fn admit_collection<T: Send + 'static>(
        &self,
        record: StoredResult,
        stored: StoredCollection,
        look: impl FnOnce(CollectionTexts) -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        let (results, measured) = (self.clone(), (self.clone(), record.clone(), stored.clone()));
        let size = move || measured.0.collection_bytes(&measured.1, &measured.2);
        let is_small = run_blocking(size).await? <= memory::MAX_UNRESERVED_BYTES;
        let read = move || look(results.read_collection(&record, &stored)?);
        if is_small { run_blocking(read).await } else { self.admit(move || priority::run_at_low_priority(read)).await }
    }

    /// Runs `read` for a new job, which reads files of `bytes` bytes. Large files are read in slots separate from those for
    /// queries, and their memory is reserved.
    ///
    /// # Errors
    /// Returns the errors of `read`.
    pub async fn read_for_job<T: Send + 'static>(
        &self,
        bytes: u64,
        reading: ReadingOptions,
        read: impl FnOnce() -> Result<T, ApiProblem> + Send + 'static,
    ) -> Result<T, ApiProblem> {
        if bytes <= memory::MAX_UNRESERVED_BYTES {
            return run_blocking(read).await;
        }
        let results = self.clone();
        let reserved = move || {
            let _memory = results.reading.reserve(memory::to_read(bytes, &reading));
            read()
        };
        self.admit(move || priority::run_at_low_priority(reserved)).await
    }

    /// Returns the texts of the question of `record`, for a query of a client. The client pays for texts that are not cached.
    ///
    /// # Errors
    /// Returns the errors of [`read_collection`](Self::read_collection). Returns `RateLimited` if the client has used up its
    /// hourly budget of bytes, and `NotReady` if too many queries read texts.
    pub async fn collection_texts(&self, record: &StoredResult, stored: &StoredCollection) -> Result<Arc<CollectionTexts>, ApiProblem> {
        let payer = RequestPayer::current();
        let may_read = || payer.as_ref().map_or(Ok(()), RequestPayer::check_bytes);
        let (results, record, stored, paying) = (self.clone(), record.clone(), stored.clone(), payer.clone());
        let id = record.snapshot.id.clone();
        let read = self.work(move || {
            if let Some(payer) = paying {
                payer.charge_bytes(results.collection_bytes(&record, &stored)?);
            }
            priority::run_at_low_priority(|| results.read_collection(&record, &stored)).map(Arc::new)
        });
        cached(&self.collections, id, may_read, read).await
    }

    /// Returns the whole answer to the question of `record`, for a query of a client.
    ///
    /// # Errors
    /// Returns `Internal` if a file cannot be read, and `NotReady` if too many queries read results.
    pub async fn collection_result(&self, record: &StoredResult, stored: &StoredCollection) -> Result<Arc<CollectionResult>, ApiProblem> {
        let (results, stored) = (self.clone(), stored.clone());
        let is_search = PatternCollection::TASKS.contains(&record.snapshot.task);
        let read = self.work(move || {
            if is_search {
                return results.pattern_hits(&stored).map(CollectionResult::Hits).map(Arc::new);
            }
            let parts = results.collection_parts(&stored)?;
            Ok(Arc::new(CollectionResult::Pairs(joined(parts).ok_or_else(|| ApiProblem::internal("an answer has no part"))?)))
        });
        cached(&self.collection_results, record.snapshot.id.clone(), || Ok(()), read).await
    }

    /// Reads the parts of the answer that are stored. Blocks.
    ///
    /// # Errors
    /// Returns `Internal` if a file cannot be read.
    pub fn collection_parts(&self, stored: &StoredCollection) -> Result<Vec<AnsweredRows>, ApiProblem> {
        let read = |file: &ContentHash| self.store.files.read(file).map_err(ApiProblem::disk_failure);
        stored.parts.iter().map(|part| part::read(&read(&part.file)?).map_err(ApiProblem::unreadable_data)).collect()
    }

    fn pattern_hits(&self, stored: &StoredCollection) -> Result<Vec<PatternHits>, ApiProblem> {
        let mut all = Vec::new();
        for part in &stored.parts {
            let file = self.store.files.read(&part.file).map_err(ApiProblem::disk_failure)?;
            let hits: Option<Vec<PatternHits>> = from_bytes(&file);
            all.extend(hits.ok_or_else(|| ApiProblem::unreadable_data(anyhow::anyhow!("the file of hits is damaged")))?);
        }
        Ok(all)
    }

    /// Returns the size of the files of all sides, in bytes.
    fn collection_bytes(&self, record: &StoredResult, stored: &StoredCollection) -> Result<u64, ApiProblem> {
        let bytes = |hash: &ContentHash| self.store.files.bytes(hash).map_err(ApiProblem::disk_failure);
        Ok(bytes(&record.a)? + if stored.b.is_some() { bytes(&record.b)? } else { 0 })
    }

    fn side(&self, side: &str, file: &ContentHash, stored: &StoredSide) -> Result<SideSources, ApiProblem> {
        let bytes = self.store.files.read(file).map_err(ApiProblem::disk_failure)?;
        let sources = if stored.is_list {
            let texts: Vec<GivenText> = serde_json::from_slice(&bytes).map_err(|cause| ApiProblem::unreadable_data(cause.into()))?;
            named_sources(side, texts)
        } else {
            vec![MemberSource { name: format!("the upload of {side}"), bytes: bytes.into() }]
        };
        Ok(SideSources { sources, split: stored.split })
    }
}

/// Joins the parts of an answer. Returns `None` if there is none.
fn joined(parts: Vec<AnsweredRows>) -> Option<CollectionAnswer> {
    parts.into_iter().map(|part| part.answer).reduce(|mut all, next| {
        match (&mut all, next) {
            (CollectionAnswer::Scores(all), CollectionAnswer::Scores(next)) => all.extend(next),
            (CollectionAnswer::Pairs(all), CollectionAnswer::Pairs(next)) => all.extend(next),
            // The nearest texts are one part.
            (all, next) => *all = next,
        }
        all
    })
}
