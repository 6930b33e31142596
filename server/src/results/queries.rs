//! Queries that read only the shown part of a result: the columns of a window with their letters, or an excerpt of a
//! text ([`LetterSource`], and methods of [`ResultReader`]). For a large result, these are a few ranged reads. Texts
//! without stored unit positions, because they are small or were stored by an older version, are parsed once and
//! cached.

use std::ops::Range;
use std::sync::Arc;

use explain::difference_filter::{self, DifferencePosition, EditKinds};
use explain::excerpt;
use explain::hit_page::HitPage;
use explain::window::{AlignmentWindow, OverviewBin};
use explain::wire::OriginalTextPiece;
use kernels::alignment::PairSide;
use kernels::job::ReadingOptions;
use kernels::run::Run;
use kernels::strand::{NucleicAcid, Strand, reverse_complement};
use kernels::text::{Pair, Text};

use super::units::{self, StoredText};
use super::windows::WindowedSearch;
use super::{AlignmentKey, AlignmentSelector, ResultReader, cached, found_in};
use crate::error::ApiProblem;
use crate::store::record::StoredResult;
use crate::store::record::units::UnitPositions;

/// Total size of both texts, in bytes, from which the positions of their units are stored, so that queries need not
/// parse them.
const MIN_UNPARSED_BYTES: usize = 1 << 20;

/// A source of the letters of both texts of a record, in memory or on disk.
#[derive(Clone, Debug)]
pub enum LetterSource {
    /// Parsed texts in memory.
    Parsed(Arc<Pair>),
    /// Stored texts, read on demand.
    Stored(Box<[StoredText; 2]>),
}

impl LetterSource {
    /// Returns the units with the numbers `units` of the text `side`, each in display form.
    fn displayed_units(&self, side: PairSide, units: Range<u64>) -> Result<Vec<String>, ApiProblem> {
        match self {
            Self::Parsed(pair) => Ok(excerpt::display_units(text(pair, side), units)),
            Self::Stored(texts) => texts[side as usize].displayed_units(units).map_err(ApiProblem::internal),
        }
    }

    /// Returns the units with the numbers `units` of the reverse complement of the pattern `a`, each in display form.
    fn reversed(&self, units: Range<u64>) -> Result<Vec<String>, ApiProblem> {
        let (all, acid) = match self {
            Self::Parsed(pair) => (pair.a.len() as u64, Some(pair.nucleic_acid())),
            Self::Stored(texts) => (texts[PairSide::A as usize].units.len, texts[PairSide::A as usize].units.nucleic_acid()),
        };
        let letters = self.displayed_units(PairSide::A, all - units.end..all - units.start)?.concat();
        let acid = acid.unwrap_or_else(|| NucleicAcid::detect([letters.as_bytes()]));
        let broken = |_| ApiProblem::internal("a text that was searched on both strands has no other strand");
        Ok(reverse_complement(letters.as_bytes(), acid).map_err(broken)?.into_iter().map(|letter| char::from(letter).to_string()).collect())
    }

    /// Returns the units `from..from + len` of the text `side` in their original form. The excerpt is cut to a maximum
    /// number of bytes. May block on the disk.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn piece(&self, side: PairSide, from: u64, len: u64) -> Result<OriginalTextPiece, ApiProblem> {
        match self {
            Self::Parsed(pair) => Ok(units::piece(text(pair, side), from, len)),
            Self::Stored(texts) => texts[side as usize].piece(from, len).map_err(ApiProblem::internal),
        }
    }
}

fn text(pair: &Pair, side: PairSide) -> &Text {
    match side {
        PairSide::A => &pair.a,
        PairSide::B => &pair.b,
    }
}

impl ResultReader {
    /// Returns a source of the letters of a record's texts. Texts without stored unit positions, such as small ones,
    /// are parsed by this call; others are read later, on demand.
    ///
    /// # Errors
    /// Returns the errors of [`texts`](Self::texts).
    pub async fn letters(&self, record: &StoredResult) -> Result<LetterSource, ApiProblem> {
        let files = &self.store.files;
        match record.units {
            Some([a, b]) => Ok(LetterSource::Stored(Box::new([StoredText::new(files, record.a, a), StoredText::new(files, record.b, b)]))),
            None => self.texts(record.texts()).await.map(LetterSource::Parsed),
        }
    }

    /// Returns the columns `from..from + len`, cut to the existing ones, of an alignment of `record`, with their
    /// letters. For a search, `which` selects the hit or offset; `None` selects the first hit.
    ///
    /// # Errors
    /// Returns the errors of [`alignment`](Self::alignment), [`letters`](Self::letters) and
    /// [`run_query`](Self::run_query).
    pub async fn window(
        &self,
        record: &StoredResult,
        which: Option<AlignmentSelector>,
        from: u64,
        len: u64,
    ) -> Result<AlignmentWindow, ApiProblem> {
        self.window_as(record, which, (from, len), |window| window).await
    }

    /// Returns the result of `then` for the window that [`window`](Self::window) returns. Calls `then` on a thread for
    /// blocking calls, because serializing a window may take long.
    ///
    /// # Errors
    /// Returns the errors of [`window`](Self::window).
    pub async fn window_as<T: Send + 'static>(
        &self,
        record: &StoredResult,
        which: Option<AlignmentSelector>,
        (from, len): (u64, u64),
        then: impl FnOnce(AlignmentWindow) -> T + Send + 'static,
    ) -> Result<T, ApiProblem> {
        let alignment = self.alignment(record, which).await?;
        let letters = self.letters(record).await?;
        let look = move || {
            let mut window = alignment.window(from, len).map_err(ApiProblem::internal)?;
            let taken = |side: usize| {
                let of = |(a, b): (u64, u64)| [a, b][side];
                window.stretches.iter().map(|stretch| of(stretch.edit.consumed_symbols()) * u64::from(stretch.len)).sum::<u64>()
            };
            let (a, b) = (window.a_start..window.a_start + taken(0), window.b_start..window.b_start + taken(1));
            let shown_of_a = match alignment.strand() {
                Some(Strand::Reverse) => letters.reversed(a)?,
                Some(Strand::Forward) | None => letters.displayed_units(PairSide::A, a)?,
            };
            (window.a, window.b) = (shown_of_a, letters.displayed_units(PairSide::B, b)?);
            Ok(then(window))
        };
        self.run_query(move |_| look()).await
    }

    /// Divides the columns of the alignment that `which` selects into `points` equal parts, or fewer if there are fewer
    /// columns. Returns the number of all columns, and the numbers of edits in each part.
    ///
    /// # Errors
    /// Returns the errors of [`alignment`](Self::alignment) and of [`run_query`](Self::run_query), except
    /// `RateLimited`.
    pub async fn overview(
        &self,
        record: &StoredResult,
        which: Option<AlignmentSelector>,
        points: usize,
    ) -> Result<(u64, Arc<Vec<OverviewBin>>), ApiProblem> {
        let alignment = self.alignment(record, which).await?;
        let columns = alignment.columns();
        let count = self.compute(move |run| alignment.overview(points, run).map(Arc::new));
        let bins = cached(&self.overviews, (AlignmentKey::from_record(record, which)?, points), || Ok(()), count).await?;
        Ok((columns, bins))
    }

    /// Finds a difference in the alignment that `which` selects. Only differences with an edit of `kinds` are numbered,
    /// and `at` selects one of them, by its number or by a column. If there is no such difference, the inner result is
    /// the error `Err(n)`, where n is the number of differences that are numbered.
    ///
    /// # Errors
    /// Returns the errors of [`alignment`](Self::alignment) and of [`run_query`](Self::run_query).
    pub async fn find_difference(
        &self,
        record: &StoredResult,
        which: Option<AlignmentSelector>,
        (kinds, at): (EditKinds, difference_filter::DifferenceQuery),
    ) -> Result<Result<DifferencePosition, u64>, ApiProblem> {
        let alignment = self.alignment(record, which).await?;
        self.run_query(move |run| {
            let found = alignment.find_difference(kinds, at, run)?;
            let all = |first: Option<DifferencePosition>| first.map_or(0, |place| place.of);
            Ok(match found {
                Some(place) => Ok(place),
                None => Err(all(alignment.find_difference(kinds, difference_filter::DifferenceQuery::At(0), run)?)),
            })
        })
        .await
    }

    /// Returns the column of the symbol at `position` of the text `side`, in the alignment that `which` selects. A
    /// symbol before the aligned part of the text has column 0, and one after it the number of columns.
    ///
    /// # Errors
    /// Returns the errors of [`alignment`](Self::alignment) and of [`run_query`](Self::run_query).
    pub async fn column_of(
        &self,
        record: &StoredResult,
        which: Option<AlignmentSelector>,
        side: PairSide,
        position: u64,
    ) -> Result<u64, ApiProblem> {
        let alignment = self.alignment(record, which).await?;
        self.run_query(move |_| alignment.column_of(side, position).map_err(ApiProblem::internal)).await
    }

    /// Opens the search of `record` so that pages of hits can be made without reading the whole texts. Returns `None`
    /// if the record has no stored unit positions, if the file of hits has no index, or if both the texts and the hits
    /// are cached.
    ///
    /// # Errors
    /// Returns `NoResult` like [`search`](Self::search), or an error if the file of hits cannot be read.
    pub(super) async fn windows(&self, record: &StoredResult) -> Result<Option<WindowedSearch>, ApiProblem> {
        let hash = found_in(record)?;
        let (Some(_), Some(answer)) = (record.units, record.snapshot.answer.clone()) else { return Ok(None) };
        if self.pairs.contains(&record.texts()) && self.found.contains(&hash) {
            return Ok(None);
        }
        let found = match self.stored_hits.get(&hash) {
            Some(found) => found,
            None => {
                let results = self.clone();
                self.work(move || results.stored_hits.get_or_make(&hash, || results.open_found(hash))).await?
            }
        };
        let (Some(found), LetterSource::Stored(texts)) = (found.as_ref().clone(), self.letters(record).await?) else { return Ok(None) };
        Ok(Some(WindowedSearch::new(texts, found, answer, record.snapshot.task, record.snapshot.options.clone())))
    }

    /// Returns the total number of hits of a search, and a page of at most `len` hits that begins with hit `from`. If
    /// `context` is given, the page contains this number of symbols on either side of each hit, and otherwise only the
    /// hits.
    ///
    /// # Errors
    /// Returns the errors of [`search`](Self::search) and of [`run_query`](Self::run_query).
    pub async fn hits(&self, record: &StoredResult, from: u64, len: u64, context: Option<u64>) -> Result<(u64, HitPage), ApiProblem> {
        self.hits_as(record, (from, len), context, |total, seen| (total, seen)).await
    }

    /// Returns the result of `then` for the total number of hits and the page that [`hits`](Self::hits) returns. Calls
    /// `then` on a thread for blocking calls, because serializing a page may take long.
    ///
    /// # Errors
    /// Returns the errors of [`hits`](Self::hits).
    pub async fn hits_as<T: Send + 'static>(
        &self,
        record: &StoredResult,
        (from, len): (u64, u64),
        context: Option<u64>,
        then: impl Fn(u64, HitPage) -> T + Clone + Send + 'static,
    ) -> Result<T, ApiProblem> {
        let numbers = from..from.saturating_add(len);
        if let Some(windows) = self.windows(record).await? {
            let (total, numbers, then) = (windows.found.total(), numbers.clone(), then.clone());
            if let Some(made) = self.run_query(move |run| Ok(windows.page(numbers, context, run)?.map(|seen| then(total, seen)))).await? {
                return Ok(made);
            }
        }
        let search = self.search(record).await?;
        let total = search.total();
        let look = move |run: &Run<'_>| match context {
            Some(context) => search.hit_page(numbers, context, run),
            None => search.hits(from, len, run).map(|hits| HitPage { hits, ..HitPage::default() }),
        };
        self.run_query(move |run| Ok(then(total, look(run)?))).await
    }

    /// Stores the positions of the units of both texts of a finished job, for later queries. `reading` has the options
    /// with which the texts were parsed. Returns `None` for small texts, because parsing them again is as fast. Blocks
    /// on the disk.
    ///
    /// # Errors
    /// Returns an error if an index file cannot be written.
    pub fn store_units(&self, pair: &Pair, reading: &ReadingOptions) -> std::io::Result<Option<[UnitPositions; 2]>> {
        if pair.a.bytes().len() + pair.b.bytes().len() < MIN_UNPARSED_BYTES {
            return Ok(None);
        }
        let of = |text: &Text| units::store(text, reading, &*self.store.files);
        let rna = (!reading.strands.is_forward()).then(|| pair.nucleic_acid() == NucleicAcid::Rna);
        Ok(Some([UnitPositions { rna, ..of(&pair.a)? }, of(&pair.b)?]))
    }
}
