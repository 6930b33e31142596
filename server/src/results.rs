//! Results: from a record to the parsed texts, the alignment and what was found, read from files and kept while they are looked at.
//!
//! - [`search`]: pages of hits and scores, and the alignment of a hit
//! - [`asked`]: a run that stops when nobody waits for it
//! - [`file`](mod@file): what was found, as a file

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use explain::dots::{Dots, Frame};
use explain::editions::Editions;
use kernels::alignment::Alignment;
use kernels::found::Found;
use kernels::job::{Choices, Reading, Task};
use kernels::run::Run;
use kernels::text::{Pair, Symbols};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use self::asked::Asked;
use self::search::Search;
use crate::cache::Cache;
use crate::config::Config;
use crate::error::{Kind, Problem};
use crate::record::Record;
use crate::store::Store;
use crate::store::blobs::Hash;

mod asked;
pub mod file;
pub mod search;

/// Requests that read, parse or compute at the same time, at most: each takes several times the size of the texts in memory.
const READERS: usize = 2;

/// Looks at results that compute at the same time, at most, and files that are being written.
const LOOKS: usize = 2;
const EXPORTS: usize = 32;

/// A cached value counts at least so many bytes, so that the cache stays short.
const LEAST_WEIGHT: u64 = 64 << 10;

/// Which texts, read how.
#[derive(Clone, Debug, PartialEq)]
pub struct Texts {
    /// File of the first.
    pub a: Hash,
    /// File of the second.
    pub b: Hash,
    /// How both are read.
    pub reading: Reading,
    /// Which records of them are compared.
    pub choices: Choices,
}

/// Which alignment.
#[derive(Clone, Debug, PartialEq)]
enum AlignmentKey {
    /// The one in this file.
    File(Hash),
    /// That of a hit of what is in the file.
    Hit(Texts, Task, Hash, Which),
}

/// Which alignment of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// That of the hit with this number.
    Hit(u64),
    /// `a` laid over `b` at this offset.
    Offset(u64),
}

/// Parsed texts, alignments and findings of the results that are looked at.
#[derive(Clone, Debug)]
pub struct Results {
    store: Store,
    pairs: Arc<Cache<Texts, Pair>>,
    alignments: Arc<Cache<AlignmentKey, Alignment>>,
    found: Arc<Cache<Hash, Found>>,
    editions: Arc<Cache<(Texts, Task), Editions>>,
    dots: Arc<Cache<(Texts, Frame), Dots>>,
    readers: Arc<Semaphore>,
    looks: Arc<Semaphore>,
    exports: Arc<Semaphore>,
    /// How long a look may compute or wait for others, and a client take nothing.
    look_for: Duration,
    client_for: Duration,
}

/// A place among the files that are being written.
#[derive(Debug)]
pub struct Exporting {
    _place: OwnedSemaphorePermit,
    /// How long a client may take nothing.
    pub client_for: Duration,
}

/// Everything a window needs.
#[derive(Clone, Debug)]
pub struct View {
    /// The texts.
    pub pair: Arc<Pair>,
    /// The alignment of `a` to `b`, or to the part of it under a hit.
    pub alignment: Arc<Alignment>,
}

impl Results {
    /// Results of this store, with as much memory and time for looking at them as the configuration says.
    pub fn new(store: Store, config: &Config) -> Self {
        let bytes = config.cache_bytes;
        Self {
            looks: Arc::new(Semaphore::new(LOOKS)),
            exports: Arc::new(Semaphore::new(EXPORTS)),
            look_for: Duration::from_secs(config.look_seconds),
            client_for: Duration::from_secs(config.client_seconds),
            store,
            pairs: Arc::new(Cache::new(bytes / 2)),
            alignments: Arc::new(Cache::new(bytes / 4)),
            found: Arc::new(Cache::new(bytes / 8)),
            editions: Arc::new(Cache::new(bytes / 16)),
            dots: Arc::new(Cache::new(bytes / 16)),
            readers: Arc::new(Semaphore::new(READERS)),
        }
    }

    /// The texts of these two files. Blocks on the disk and on parsing.
    ///
    /// # Errors
    /// As [`Pair::of_records`]; `Internal` when a file is not there.
    pub fn pair(&self, texts: Texts) -> Result<Arc<Pair>, Problem> {
        if let Some(pair) = self.pairs.get(&texts) {
            return Ok(pair);
        }
        let read = |hash: &Hash| self.store.blobs.read(hash).map_err(Problem::internal);
        let Texts { a, b, reading, choices } = &texts;
        let pair = Arc::new(Pair::of_records(read(a)?, read(b)?, reading, choices)?);
        let weight = weight(&pair);
        self.pairs.put(texts, pair.clone(), weight);
        Ok(pair)
    }

    /// The texts of a record.
    ///
    /// # Errors
    /// As [`pair`](Self::pair).
    pub async fn texts(&self, texts: Texts) -> Result<Arc<Pair>, Problem> {
        if let Some(pair) = self.pairs.get(&texts) {
            return Ok(pair);
        }
        let results = self.clone();
        self.work(move || results.pair(texts)).await
    }

    /// The texts and the alignment of a record; for a search the one that is named, or that of the first hit.
    ///
    /// # Errors
    /// As [`alignment`](Self::alignment).
    pub async fn view(&self, record: &Record, which: Option<Which>) -> Result<View, Problem> {
        let alignment = self.alignment(record, which).await?;
        let pair = self.texts(record.texts()).await?;
        Ok(View { pair, alignment })
    }

    /// Both texts of a record side by side.
    ///
    /// # Errors
    /// `BadInput` where neither words nor lines are counted.
    pub async fn editions(&self, record: &Record, view: &View) -> Result<Arc<Editions>, Problem> {
        let snapshot = &record.snapshot;
        let key = (record.texts(), snapshot.task);
        if let Some(editions) = self.editions.get(&key) {
            return Ok(editions);
        }
        let view = view.clone();
        let editions = Arc::new(self.look(move |_| Ok(Editions::new(&view.pair, &view.alignment)?)).await?);
        let bytes = LEAST_WEIGHT.max(16 * editions.outline().rows);
        self.editions.put(key, editions.clone(), bytes);
        Ok(editions)
    }

    /// Where the texts of a record have a word in common.
    ///
    /// # Errors
    /// As [`explain::dots::dots`].
    pub async fn dots(&self, record: &Record, frame: Frame) -> Result<Arc<Dots>, Problem> {
        let key = (record.texts(), frame);
        if let Some(dots) = self.dots.get(&key) {
            return Ok(dots);
        }
        let pair = self.texts(record.texts()).await?;
        let dots = Arc::new(self.look(move |run| Ok(explain::dots::dots(&pair, &frame, run)?)).await?);
        self.dots.put(key, dots.clone(), LEAST_WEIGHT.max(4 * dots.counts.len() as u64));
        Ok(dots)
    }

    /// The alignment of a record; for a search the one that is named, or that of the first hit.
    ///
    /// # Errors
    /// `NoResult` when the record has none; `NotFound` when it has no such hit or offset.
    pub async fn alignment(&self, record: &Record, which: Option<Which>) -> Result<Arc<Alignment>, Problem> {
        let Some(answer) = &record.snapshot.answer else { return Err(no_answer(record)) };
        if answer.hits().is_some() {
            return self.of_search(record, which.unwrap_or(Which::Hit(0))).await;
        }
        if which.is_some() {
            let detail = format!("{} aligns both whole texts and has no hits. Leave hit and offset out.", answer.task().name());
            return Err(Problem::new(Kind::NotFound, detail));
        }
        let scored_only = || Problem::new(Kind::NoResult, "This job was asked for the score only. Run it again with the alignment.");
        let hash = record.alignment.ok_or_else(scored_only)?;
        let key = AlignmentKey::File(hash);
        if let Some(alignment) = self.alignments.get(&key) {
            return Ok(alignment);
        }
        let results = self.clone();
        let read = move || -> anyhow::Result<Arc<Alignment>> {
            let cigar = String::from_utf8(results.store.blobs.read(&hash).context("an alignment's file")?)?;
            Ok(results.keep(key, cigar.parse()?))
        };
        self.work(|| read().map_err(Problem::internal)).await
    }

    async fn of_search(&self, record: &Record, which: Which) -> Result<Arc<Alignment>, Problem> {
        let hash = found_in(record)?;
        let key = AlignmentKey::Hit(record.texts(), record.snapshot.task, hash, which);
        if let Some(alignment) = self.alignments.get(&key) {
            return Ok(alignment);
        }
        let (results, search) = (self.clone(), self.search(record).await?);
        let align = move |run: &Run<'_>| match which {
            Which::Hit(number) => search.align(number, run),
            Which::Offset(offset) => search.lay(offset, run),
        };
        self.look(move |run| align(run).map(|alignment| results.keep(key, alignment))).await
    }

    /// What the search of a record has found.
    ///
    /// # Errors
    /// `NoResult` when the record is of no search, or does not know where it has found what it counted.
    pub async fn search(&self, record: &Record) -> Result<Search, Problem> {
        let hash = found_in(record)?;
        let found = match self.found.get(&hash) {
            Some(found) => found,
            None => {
                let results = self.clone();
                self.work(move || results.read_found(hash).map_err(Problem::internal)).await?
            }
        };
        let (task, options) = (record.snapshot.task, record.snapshot.options);
        let pair = self.texts(record.texts()).await?;
        let answer = record.snapshot.answer.clone().ok_or_else(|| no_answer(record))?;
        Ok(Search { pair, found, answer, task, options })
    }

    /// Runs `work` on a thread that may block, a few at a time.
    ///
    /// # Errors
    /// Those of `work`; `Internal` when it panics.
    pub async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
        let permit = self.readers.clone().acquire_owned().await.map_err(Problem::internal)?;
        // The permit goes with the work, which goes on when whoever asked has gone away.
        let work = move || {
            let _permit = permit;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?
    }

    /// As [`work`](Self::work), for what only whoever asks needs, apart from what jobs wait for: the run is stopped when this future is
    /// dropped, and when it takes longer than a look may.
    ///
    /// # Errors
    /// Those of `look`; `NotReady` when others look for too long, `OutOfTime` when this one does; `Internal` when it panics.
    pub async fn look<T: Send + 'static>(&self, look: impl FnOnce(&Run<'_>) -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
        let place = timeout(self.look_for, self.looks.clone().acquire_owned()).await.map_err(|_| Problem::busy("looks at results"))?;
        let place = place.map_err(Problem::internal)?;
        let (asker, asked) = Asked::until(Instant::now() + self.look_for);
        let seconds = self.look_for.as_secs();
        let work = move || {
            let _place = place;
            let looked = look(&Run::new(&asked));
            if looked.is_err() && asked.is_late() { Err(too_long(seconds)) } else { looked }
        };
        let looked = tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?;
        drop(asker);
        looked
    }

    /// A place among the files that are being written, as long as it is held.
    ///
    /// # Errors
    /// `NotReady` when as many as may be are.
    pub fn exporting(&self) -> Result<Exporting, Problem> {
        let place = self.exports.clone().try_acquire_owned().map_err(|_| Problem::busy("files"))?;
        Ok(Exporting { _place: place, client_for: self.client_for })
    }

    /// Runs `work` on this thread, which may block, when not too many others work.
    ///
    /// # Errors
    /// Those of `work`.
    ///
    /// # Panics
    /// On a thread that answers requests.
    pub fn work_here<T>(&self, work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
        let _permit = tokio::runtime::Handle::current().block_on(self.readers.acquire()).map_err(Problem::internal)?;
        work()
    }

    /// Stores a new alignment as a CIGAR and keeps it at hand. Blocks on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn store(&self, alignment: Alignment) -> std::io::Result<Hash> {
        let hash = self.store.blobs.put(alignment.to_string().as_bytes())?;
        self.keep(AlignmentKey::File(hash), alignment);
        Ok(hash)
    }

    /// Stores what a search has found and keeps it at hand. Blocks on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn store_found(&self, found: Found) -> anyhow::Result<Hash> {
        let hash = self.store.blobs.put(&file::write(&found)?)?;
        self.keep_found(hash, found);
        Ok(hash)
    }

    fn read_found(&self, hash: Hash) -> anyhow::Result<Arc<Found>> {
        let found = file::read(&self.store.blobs.read(&hash).context("a file of hits")?)?;
        Ok(self.keep_found(hash, found))
    }

    fn keep(&self, key: AlignmentKey, alignment: Alignment) -> Arc<Alignment> {
        let (bytes, alignment) = (size_of_val(alignment.stretches()) as u64, Arc::new(alignment));
        self.alignments.put(key, alignment.clone(), bytes.max(LEAST_WEIGHT));
        alignment
    }

    fn keep_found(&self, hash: Hash, found: Found) -> Arc<Found> {
        let spans = found.profile.as_ref().map_or(0, |profile| size_of_val(profile.spans.as_slice()) as u64);
        let (bytes, found) = (found.positions.bytes() + spans, Arc::new(found));
        self.found.put(hash, found.clone(), bytes.max(LEAST_WEIGHT));
        found
    }
}

/// A look took longer than it may.
fn too_long(seconds: u64) -> Problem {
    let detail =
        format!("This takes longer than the {seconds} seconds that looking at a result may take here. Ask for a smaller part of it.");
    Problem::new(Kind::OutOfTime, detail).limit(seconds, None)
}

/// The file of what a record's search has found.
fn found_in(record: &Record) -> Result<Hash, Problem> {
    let Some(answer) = &record.snapshot.answer else { return Err(no_answer(record)) };
    record.found.ok_or_else(|| {
        let searches = Task::SEARCHES.map(Task::name).join(", ");
        let detail = match answer.hits() {
            None => format!("{} compares both whole texts and has no hits. Tasks with hits: {searches}.", answer.task().name()),
            Some(_) => "This job was asked how many there are and not where. Run it again without count_only.".into(),
        };
        Problem::new(Kind::NoResult, detail)
    })
}

/// Why a record has no answer.
pub(crate) fn no_answer(record: &Record) -> Problem {
    let ended = record.snapshot.state.is_final();
    let detail = if ended { "This job ended without an answer." } else { "This job has not ended yet. Wait for its answer." };
    Problem::new(Kind::NoResult, detail)
}

/// Memory of parsed texts, roughly: the original, the symbols, and 8 bytes for a unit that is not one byte.
fn weight(pair: &Pair) -> u64 {
    let symbols = |symbols: &Symbols| match symbols {
        Symbols::Narrow(symbols) => symbols.len(),
        Symbols::Wide(symbols) => 4 * symbols.len(),
    };
    let text = |text: &kernels::text::Text| text.bytes().len() + if text.bytes().len() == text.len() { 0 } else { 8 * text.len() };
    let bytes = text(&pair.a) + text(&pair.b) + symbols(&pair.a_symbols) + symbols(&pair.b_symbols) + pair.b_lowest.len();
    (bytes as u64).max(LEAST_WEIGHT)
}
