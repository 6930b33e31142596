//! Results: queries of stored results, namely texts, alignments and found positions ([`ResultReader`]). These are read
//! from files, parsed and cached.
//!
//! - [`search`]: hits, scores and alignments of hits, from parsed texts in memory
//! - [`queries`]: windows and excerpts, which read only the shown part; [`windows`]: the same for pages of hits
//! - [`file`](mod@file): indexed file of found positions; `positions`: position lists within it
//! - [`aligned`], [`units`]: indexed files of alignments, and of the positions of a text's units
//! - [`source`], [`varint`]: reading of byte ranges and numbers from the indexed files
//! - [`collection`]: texts and answers of questions about collections
//! - `work`: limits of threads and time for queries
//! - [`memory`]: memory limit for parsing texts
//! - [`exporting`]: limit of simultaneous exports; [`spool`]: disk buffer of exports for slow clients
//! - [`query_observer`]: observer that stops a computation if no caller waits for the result

use std::hash::Hash as Hashed;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use explain::dots::{DotPlot, DotPlotFrame};
use explain::side_by_side::SideBySideLayout;
use explain::window::OverviewBin;
use kernels::alignment::{Alignment, GapPlacement};
use kernels::collection::ScoredPair;
use kernels::event::{LocalPiece, TaskAnswer};
use kernels::found::{ScoreSpan, SearchResult};
use kernels::job::{Points, Task};
use kernels::run::{NoObserver, Run};
use kernels::text::Pair;

use self::aligned::StoredAlignment;
use self::collection::{CollectionResult, CollectionTexts};
use self::exporting::ExportLimiter;
use self::file::StoredHits;
use self::memory::MemoryBudget;
use self::search::LoadedSearch;
use self::source::ByteSource;
use self::spool::SpoolFolder;
use self::work::QuerySlots;
use crate::cache::{AsyncCache, SyncCache};
use crate::clients::budgets::RequestPayer;
use crate::config::Config;
use crate::error::{ApiProblem, ProblemKind};
use crate::ops::priority;
use crate::storage::ports::files::ContentHash;
use crate::store::Store;
use crate::store::record::{PairKey, StoredResult};

pub mod aligned;
pub mod collection;
pub mod exporting;
pub mod file;
mod memory;
mod positions;
pub mod queries;
mod query_observer;
pub mod search;
pub mod source;
pub mod spool;
pub mod units;
pub mod varint;
pub mod windows;
mod work;

/// The key of an alignment in a cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum AlignmentKey {
    /// The alignment in the file with this hash, and the positions of its first column in `a` and in `b`. The file has no
    /// positions, so that equal alignments share it.
    File(ContentHash, (u64, u64)),
    /// The alignment of a hit or offset of a search. The fields are the two texts, the task with the places of gaps, the
    /// hash of the file of found positions, and the selected hit or offset.
    Hit(Box<PairKey>, (Task, GapPlacement), ContentHash, AlignmentSelector),
}

impl AlignmentKey {
    /// Creates the cache key of an alignment of `record`. For a search, `which` selects a hit or an offset; `None`
    /// selects the first hit.
    ///
    /// # Errors
    /// Returns `NoResult` if the record has no answer or no stored alignment or hits. Returns `NotFound` if `which` is
    /// given but the task is not a search.
    fn from_record(record: &StoredResult, which: Option<AlignmentSelector>) -> Result<Self, ApiProblem> {
        let Some(answer) = &record.snapshot.answer else { return Err(no_answer(record)) };
        if answer.hits().is_some() {
            let which = which.unwrap_or(AlignmentSelector::Hit(0));
            return Ok(Self::Hit(Box::new(record.texts()), (record.snapshot.task, record.snapshot.options.gaps), found_in(record)?, which));
        }
        if which.is_some() {
            let detail = format!("{} compares both whole texts and has no hits. Leave out hit and offset.", answer.task().name());
            return Err(ApiProblem::new(ProblemKind::NotFound, detail));
        }
        let scored_only = || {
            let only = || "This job computed only the score. Run it again with alignment=true.".to_owned();
            ApiProblem::new(ProblemKind::NoResult, answer.no_alignment_reason().unwrap_or_else(only))
        };
        record.alignment.map(|hash| Self::File(hash, answer.alignment_start())).ok_or_else(scored_only)
    }
}

/// The selection of one alignment of a search: that of a hit, or that at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlignmentSelector {
    /// The alignment of the hit with this number, counted from 0.
    Hit(u64),
    /// The alignment of the pattern `a` with the part of `b` that begins at this offset, without insertions and
    /// deletions.
    Offset(u64),
}

/// A reader of the results in a store, with caches of parsed texts, alignments, found positions and views computed from
/// them. Clones share the caches.
#[derive(Clone, Debug)]
pub struct ResultReader {
    store: Store,
    pairs: SyncCache<PairKey, Pair>,
    /// Opened alignment files, by their hashes and the positions of the first column. Their blocks are read from disk when
    /// needed.
    alignments: SyncCache<(ContentHash, (u64, u64)), StoredAlignment>,
    /// All found positions of a search in memory, by the hash of the file that has them.
    found: SyncCache<ContentHash, SearchResult>,
    /// Opened files of found positions, by their hashes. Their blocks are read from disk when needed. `None` for a file
    /// of an older format, which cannot be read in blocks.
    stored_hits: SyncCache<ContentHash, Option<Arc<StoredHits>>>,
    /// Computed alignments of searches. Each is the alignment of one hit or at one offset.
    of_hits: AsyncCache<AlignmentKey, StoredAlignment>,
    /// Alignments as whole lists of operations in memory, for exports.
    wholes: AsyncCache<AlignmentKey, Alignment>,
    /// Numbers of edits in each of n equal parts of an alignment. The key is the key of the alignment, and n.
    overviews: AsyncCache<(AlignmentKey, usize), Vec<OverviewBin>>,
    /// Histograms of distances in approximate searches (see the method `counts`), by the id of the job or link.
    counts: AsyncCache<String, Vec<u64>>,
    /// Scores of a range of offsets, summarized in spans. The key is the id of the job or link, the offsets, and the
    /// maximum number of spans.
    profiles: AsyncCache<(String, Range<u64>, usize), Vec<ScoreSpan>>,
    editions: AsyncCache<(PairKey, AlignmentKey), SideBySideLayout>,
    dots: AsyncCache<(PairKey, DotPlotFrame), DotPlot>,
    /// Parsed texts of collections, by the id of the job.
    collections: AsyncCache<String, CollectionTexts>,
    /// Answers about collections, by the id of the job.
    collection_results: AsyncCache<String, CollectionResult>,
    /// Kept pairs of members, by the id of the job.
    collection_pairs: AsyncCache<String, Vec<ScoredPair>>,
    /// Number of times that texts, alignments or hits were read from files instead of caches.
    reads: Arc<AtomicU64>,
    /// Memory limit for reading and parsing texts, common to all requests and jobs.
    reading: Arc<MemoryBudget>,
    /// Slots that limit concurrent queries.
    query_slots: Arc<QuerySlots>,
    exports: Arc<ExportLimiter>,
}

/// The two texts of a result and their alignment, for exports and for the view of both texts side by side.
#[derive(Clone, Debug)]
pub struct AlignedPair {
    /// The two texts as aligned. For a hit on the reverse strand, `a` is the reverse complement of the pattern.
    pub pair: Arc<Pair>,
    /// Alignment of the whole of `a` with the whole of `b`, or, for a hit, with the part of `b` that the hit covers. For
    /// `sequence-alignment`, of the pieces in the answer.
    pub alignment: Arc<Alignment>,
    /// Score of the alignment, if the task is `sequence-alignment`.
    pub score: Option<Points>,
    /// Further pieces of a local alignment.
    pub next: Vec<LocalPiece>,
}

impl ResultReader {
    /// Creates a reader with empty caches for the results in `store`. `config` has the limits of memory and time.
    pub fn new(store: Store, config: &Config) -> Self {
        let bytes = config.cache_bytes;
        Self {
            query_slots: Arc::new(QuerySlots::new(Duration::from_secs(config.look_seconds))),
            exports: Arc::new(ExportLimiter::new(
                Duration::from_secs(config.client_seconds),
                SpoolFolder::new(config.data.clone(), config.min_free_bytes),
            )),
            store,
            pairs: SyncCache::of_bytes(bytes / 2, size_of_pair),
            alignments: SyncCache::of_bytes(bytes / 16, StoredAlignment::memory_bytes),
            found: SyncCache::of_bytes(bytes / 8, size_of_found),
            stored_hits: SyncCache::of_bytes(bytes / 16, |indexed| indexed.as_ref().map_or(0, |found| found.memory_bytes())),
            of_hits: AsyncCache::of_bytes(bytes / 16, StoredAlignment::memory_bytes),
            wholes: AsyncCache::of_bytes(bytes / 16, size_of_alignment),
            overviews: AsyncCache::of_bytes(bytes / 32, |bins| size_of_val(bins.as_slice()) as u64),
            counts: AsyncCache::of_bytes(bytes / 64, |counts| size_of_val(counts.as_slice()) as u64),
            profiles: AsyncCache::of_bytes(bytes / 64, |spans| size_of_val(spans.as_slice()) as u64),
            editions: AsyncCache::of_bytes(bytes / 16, SideBySideLayout::bytes),
            dots: AsyncCache::of_bytes(bytes / 16, |dots| 4 * (dots.counts.len() + dots.inverted_counts.len()) as u64),
            collections: AsyncCache::of_bytes(bytes / 8, CollectionTexts::memory_bytes),
            collection_results: AsyncCache::of_bytes(bytes / 8, CollectionResult::memory_bytes),
            collection_pairs: AsyncCache::of_bytes(bytes / 16, |pairs| size_of_val(pairs.as_slice()) as u64),
            reads: Arc::default(),
            reading: Arc::new(MemoryBudget::new(config.read_bytes)),
        }
    }

    /// Returns the number of times that texts, alignments or hits were read from files instead of caches.
    pub fn reads(&self) -> u64 {
        self.reads.load(Relaxed)
    }

    /// Returns the two parsed texts with the key `texts`, from the cache or from their files. Blocks until they are
    /// read and parsed, whether by this call or by a concurrent one.
    ///
    /// # Errors
    /// Returns the errors of [`Pair::parse_records`], and `Internal` if a file cannot be read.
    pub fn pair(&self, texts: PairKey) -> Result<Arc<Pair>, ApiProblem> {
        self.pair_for(None, texts)
    }

    /// Returns the texts like [`pair`](Self::pair). If they are read from files, charges their bytes to the byte budget
    /// of `payer`.
    fn pair_for(&self, payer: Option<&RequestPayer>, texts: PairKey) -> Result<Arc<Pair>, ApiProblem> {
        let read = |hash: &ContentHash| self.store.files.read(hash).map_err(ApiProblem::disk_failure);
        let parse = || {
            self.reads.fetch_add(1, Relaxed);
            // The reservation ends after parsing: the cache accounts for the memory of cached texts, and the queue for
            // that of running jobs.
            let bytes = self.bytes(&texts)?;
            if let Some(payer) = payer {
                payer.charge_bytes(bytes);
            }
            let _memory = (bytes > memory::MAX_UNRESERVED_BYTES).then(|| self.reading.reserve(memory::to_read(bytes, &texts.reading)));
            Ok(Arc::new(Pair::parse_records(read(&texts.a)?, read(&texts.b)?, &texts.reading, &texts.choices)?))
        };
        self.pairs.get_or_make(&texts, parse)
    }

    /// Returns the total size of both text files, in bytes.
    fn bytes(&self, PairKey { a, b, .. }: &PairKey) -> Result<u64, ApiProblem> {
        let bytes = |hash: &ContentHash| self.store.files.bytes(hash).map_err(ApiProblem::disk_failure);
        Ok(bytes(a)? + bytes(b)?)
    }

    /// Returns the two parsed texts with the key `texts`, for a client's query.
    ///
    /// # Errors
    /// Returns the errors of [`pair`](Self::pair) and [`work`](Self::work). Returns `RateLimited` if the texts are not
    /// cached and the client has used up its hourly budget of bytes.
    pub async fn texts(&self, texts: PairKey) -> Result<Arc<Pair>, ApiProblem> {
        self.may_read(&texts)?;
        self.texts_for_all(texts).await
    }

    /// Checks that the client of the current request may read the texts with the key `texts`: they are cached, or its
    /// byte budget is not used up.
    fn may_read(&self, texts: &PairKey) -> Result<(), ApiProblem> {
        if self.pairs.contains(texts) { Ok(()) } else { RequestPayer::current().map_or(Ok(()), |payer| payer.check_bytes()) }
    }

    /// Returns the texts like [`texts`](Self::texts), but does not check the client's byte budget. Used to compute
    /// values for [`cached`]: several clients may wait for one value, and all would receive the error of one client.
    async fn texts_for_all(&self, texts: PairKey) -> Result<Arc<Pair>, ApiProblem> {
        if let Some(pair) = self.pairs.get(&texts) {
            return Ok(pair);
        }
        let (results, payer, is_small) = (self.clone(), RequestPayer::current(), self.are_small(&texts).await?);
        let read = move || results.pair_for(payer.as_ref(), texts);
        if is_small { run_blocking(read).await } else { self.work(move || priority::run_at_low_priority(read)).await }
    }

    /// Returns the two parsed texts with the key `texts`, for a new job. Large texts are read in slots separate from
    /// those for queries.
    ///
    /// # Errors
    /// Returns the errors of [`pair`](Self::pair).
    pub async fn texts_of_job(&self, texts: PairKey) -> Result<Arc<Pair>, ApiProblem> {
        if let Some(pair) = self.pairs.get(&texts) {
            return Ok(pair);
        }
        let (results, is_small) = (self.clone(), self.are_small(&texts).await?);
        let read = move || results.pair(texts);
        // Parsing may take seconds of CPU time, so it runs at low priority, behind requests and brief jobs.
        if is_small { run_blocking(read).await } else { self.admit(move || priority::run_at_low_priority(read)).await }
    }

    /// Returns whether the files of both texts together have at most [`memory::MAX_UNRESERVED_BYTES`], so that the
    /// limits for large texts do not apply.
    async fn are_small(&self, texts: &PairKey) -> Result<bool, ApiProblem> {
        let (results, texts) = (self.clone(), texts.clone());
        run_blocking(move || Ok(results.bytes(&texts)? <= memory::MAX_UNRESERVED_BYTES)).await
    }

    /// Returns the texts and the whole alignment of a record. For a search, `which` selects the alignment; `None`
    /// selects that of the first hit.
    ///
    /// # Errors
    /// Returns the errors of [`alignment`](Self::alignment) and [`texts`](Self::texts).
    pub async fn view(&self, record: &StoredResult, which: Option<AlignmentSelector>) -> Result<AlignedPair, ApiProblem> {
        let read = async {
            let stored = self.alignment(record, which).await?;
            self.work(move || stored.read_all(&Run::new(&NoObserver)).map(Arc::new)).await
        };
        let alignment = self.wholes.get_or_make(&AlignmentKey::from_record(record, which)?, read).await?;
        let pair = self.texts(record.texts()).await?;
        let pair = if alignment.strand().is_some() { Arc::new(pair.for_strand(alignment.strand())?) } else { pair };
        let answer = record.snapshot.answer.as_ref();
        let score = answer.and_then(TaskAnswer::alignment_score);
        let next = answer.map(|answer| answer.next_pieces().to_vec()).unwrap_or_default();
        Ok(AlignedPair { pair, alignment, score, next })
    }

    /// Lays out both texts of `record` side by side, with the differences marked. `view` has the texts and their
    /// alignment.
    ///
    /// # Errors
    /// Returns `BadInput` if the texts are compared in units other than words or lines.
    pub async fn editions(&self, record: &StoredResult, view: &AlignedPair) -> Result<Arc<SideBySideLayout>, ApiProblem> {
        // The alignment is a part of the key, because another method or engine may align the same texts in another way.
        let key = (record.texts(), AlignmentKey::from_record(record, None)?);
        let view = view.clone();
        let lay_out = self.compute(move |_| Ok(Arc::new(SideBySideLayout::new(&view.pair, &view.alignment)?)));
        cached(&self.editions, key, || Ok(()), lay_out).await
    }

    /// Computes the dot plot of both texts of a record, within the ranges of `frame`: the pairs of positions at which
    /// both texts have the same word.
    ///
    /// # Errors
    /// Returns the errors of [`explain::dots::count_dots`].
    pub async fn dots(&self, record: &StoredResult, frame: DotPlotFrame) -> Result<Arc<DotPlot>, ApiProblem> {
        let texts = record.texts();
        let count = async {
            let pair = self.texts_for_all(texts.clone()).await?;
            self.compute(move |run| Ok(Arc::new(explain::dots::count_dots(&pair, &frame, run)?))).await
        };
        cached(&self.dots, (texts.clone(), frame), || self.may_read(&texts), count).await
    }

    /// Opens the alignment of a record. For a search, `which` selects a hit or an offset, whose alignment is computed
    /// if it is not cached; `None` selects the first hit.
    ///
    /// # Errors
    /// Returns `NoResult` if the record has no alignment, and `NotFound` if it has no such hit or offset.
    pub async fn alignment(&self, record: &StoredResult, which: Option<AlignmentSelector>) -> Result<Arc<StoredAlignment>, ApiProblem> {
        match AlignmentKey::from_record(record, which)? {
            AlignmentKey::File(hash, start) => {
                let key = (hash, start);
                if let Some(alignment) = self.alignments.get(&key) {
                    return Ok(alignment);
                }
                let results = self.clone();
                self.work(move || results.alignments.get_or_make(&key, || results.open_alignment(hash, start))).await
            }
            key @ AlignmentKey::Hit(.., which) => {
                let align = async {
                    if let AlignmentSelector::Hit(number) = which
                        && let Some(windows) = self.windows(record).await?
                    {
                        let align = move |run: &Run<'_>| windows.align(number, run);
                        let stored = |alignment| StoredAlignment::from_alignment(&alignment).map(Arc::new).map_err(ApiProblem::internal);
                        if let Some(stored) = self.compute(move |run| align(run)?.map(stored).transpose()).await? {
                            return Ok(stored);
                        }
                    }
                    let search = self.search_for_all(record).await?;
                    let align = move |run: &Run<'_>| match which {
                        AlignmentSelector::Hit(number) => search.align(number, run),
                        AlignmentSelector::Offset(offset) => search.align_at_offset(offset, run),
                    };
                    let stored = move |run: &Run<'_>| StoredAlignment::from_alignment(&align(run)?).map_err(ApiProblem::internal);
                    self.compute(move |run| stored(run).map(Arc::new)).await
                };
                // Large texts have stored unit positions, so that only windows of them are read. Windows need no byte
                // budget.
                let may_read = || if record.units.is_some() { Ok(()) } else { self.may_read(&record.texts()) };
                cached(&self.of_hits, key, may_read, align).await
            }
        }
    }

    /// Returns all positions that the search of a record found, together with the parsed texts.
    ///
    /// # Errors
    /// Returns `NoResult` if the record is not a search, or if its hits were only counted. Also returns the errors of
    /// [`texts`](Self::texts).
    pub async fn search(&self, record: &StoredResult) -> Result<LoadedSearch, ApiProblem> {
        self.may_read(&record.texts())?;
        self.search_for_all(record).await
    }

    /// Returns the search like [`search`](Self::search), but does not check the client's byte budget, for the same
    /// reason as [`texts_for_all`](Self::texts_for_all).
    async fn search_for_all(&self, record: &StoredResult) -> Result<LoadedSearch, ApiProblem> {
        let hash = found_in(record)?;
        let found = match self.found.get(&hash) {
            Some(found) => found,
            None => {
                let results = self.clone();
                self.work(move || results.found.get_or_make(&hash, || results.read_found(hash))).await?
            }
        };
        let (task, options) = (record.snapshot.task, record.snapshot.options.clone());
        let pair = self.texts_for_all(record.texts()).await?;
        let answer = record.snapshot.answer.clone().ok_or_else(|| no_answer(record))?;
        Ok(LoadedSearch { pair, found, answer, task, options })
    }

    /// Returns a histogram of the distances in an approximate search. The element at index d is the number of positions
    /// in `b` at which a substring with the distance d to the pattern ends, but none with a smaller distance.
    ///
    /// # Errors
    /// Returns the errors of [`search`](Self::search) and [`LoadedSearch::counts`].
    pub async fn counts(&self, record: &StoredResult) -> Result<Arc<Vec<u64>>, ApiProblem> {
        let count = async {
            let search = self.search_for_all(record).await?;
            self.compute(move |run| search.counts(run).map(Arc::new)).await
        };
        cached(&self.counts, record.snapshot.id.clone(), || self.may_read(&record.texts()), count).await
    }

    /// Returns the scores of a search at `offsets` of `b`, summarized in at most `points` spans of adjacent offsets.
    ///
    /// # Errors
    /// Returns the errors of [`search`](Self::search) and [`LoadedSearch::profile`].
    pub async fn profile(&self, record: &StoredResult, offsets: Range<u64>, points: usize) -> Result<Arc<Vec<ScoreSpan>>, ApiProblem> {
        let key = (record.snapshot.id.clone(), offsets.clone(), points);
        let count = async {
            let search = self.search_for_all(record).await?;
            self.compute(move |run| search.profile(offsets, points, run).map(Arc::new)).await
        };
        cached(&self.profiles, key, || self.may_read(&record.texts()), count).await
    }

    /// Caches the found positions `found`, so that they need not be read from their file. `hash` is the hash of the
    /// file, which [`file::write`] has serialized.
    pub fn keep_found(&self, hash: ContentHash, found: SearchResult) {
        self.found.insert(&hash, Arc::new(found));
    }

    fn open_alignment(&self, hash: ContentHash, start: (u64, u64)) -> Result<Arc<StoredAlignment>, ApiProblem> {
        self.reads.fetch_add(1, Relaxed);
        StoredAlignment::open(self.source(hash)).map(|stored| Arc::new(stored.starting_at(start))).map_err(ApiProblem::unreadable_data)
    }

    fn read_found(&self, hash: ContentHash) -> Result<Arc<SearchResult>, ApiProblem> {
        self.reads.fetch_add(1, Relaxed);
        file::read(self.source(hash)).map(Arc::new).map_err(ApiProblem::unreadable_data)
    }

    fn open_found(&self, hash: ContentHash) -> Result<Arc<Option<Arc<StoredHits>>>, ApiProblem> {
        self.reads.fetch_add(1, Relaxed);
        let opened = StoredHits::open(self.source(hash)).map_err(ApiProblem::disk_failure)?;
        Ok(Arc::new(opened.map(Arc::new)))
    }

    fn source(&self, hash: ContentHash) -> ByteSource {
        ByteSource::File { files: self.store.files.clone(), hash }
    }
}

/// Runs `work` on a thread for blocking calls, without a limit on concurrent calls.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, ApiProblem> + Send + 'static) -> Result<T, ApiProblem> {
    tokio::task::spawn_blocking(work).await.map_err(ApiProblem::internal)?
}

/// Returns the value of `key` in `cache`. If it is missing, computes it with `make`, once for all concurrent callers. A
/// cached value costs the client nothing.
///
/// # Errors
/// Returns the error of `make`. Before a computation, returns an error if the client has used up its query budget, or
/// the error of `may_make`.
async fn cached<K: Hashed, V: Send + Sync + 'static>(
    cache: &AsyncCache<K, V>,
    key: K,
    may_make: impl FnOnce() -> Result<(), ApiProblem>,
    make: impl Future<Output = Result<Arc<V>, ApiProblem>> + Send,
) -> Result<Arc<V>, ApiProblem> {
    if let Some(made) = cache.get(&key).await {
        return Ok(made);
    }
    RequestPayer::current().map_or(Ok(()), |payer| payer.check())?;
    may_make()?;
    cache.get_or_make(&key, make).await
}

/// Returns the hash of the file with the positions that the search of `record` found.
///
/// # Errors
/// Returns `NoResult`, with the reason, if there is no such file.
fn found_in(record: &StoredResult) -> Result<ContentHash, ApiProblem> {
    let Some(answer) = &record.snapshot.answer else { return Err(no_answer(record)) };
    record.found.ok_or_else(|| {
        let searches = Task::SEARCHES.map(Task::name).join(", ");
        let detail = match answer.hits() {
            None => format!("{} compares both whole texts and has no hits. Tasks with hits: {searches}.", answer.task().name()),
            Some(_) => "This job only counted, and kept no places. Run it again without count_only.".into(),
        };
        ApiProblem::new(ProblemKind::NoResult, detail)
    })
}

/// Creates the error for a record without an answer. Its detail depends on whether the job failed or is still running.
pub(crate) fn no_answer(record: &StoredResult) -> ApiProblem {
    let ended = record.snapshot.state.is_final();
    let detail = if ended { "This job ended without an answer." } else { "This job has not ended yet. Wait for its answer." };
    ApiProblem::new(ProblemKind::NoResult, detail)
}

/// Estimates the memory of two parsed texts, in bytes: their original bytes, their symbols, 8 bytes for each unit
/// unless units are bytes, and 12 bytes for each record.
fn size_of_pair(pair: &Pair) -> u64 {
    let units = |text: &kernels::text::Text| if text.bytes().len() == text.len() { 0 } else { 8 * text.len() };
    let text = |text: &kernels::text::Text| text.bytes().len() + units(text) + 12 * text.read_as().records as usize;
    (text(&pair.a) + text(&pair.b) + pair.symbol_bytes()) as u64
}

fn size_of_alignment(alignment: &Alignment) -> u64 {
    size_of_val(alignment.cigar_ops()) as u64
}

fn size_of_found(found: &SearchResult) -> u64 {
    found.positions.bytes() + found.profile.as_ref().map_or(0, |profile| size_of_val(profile.spans.as_slice()) as u64)
}

#[cfg(test)]
mod tests;
