//! Looks at a result that need no more of it than what is shown: the columns of a window with the letters under them, a piece of a text.
//! Of a large result these are a few ranged reads; of one whose texts are small, or were stored before there were index files, the texts
//! are parsed once and kept at hand.

use std::ops::Range;
use std::sync::Arc;

use explain::excerpt;
use explain::kinds::{self, Kinds, Place};
use explain::seen::Seen;
use explain::window::{Bin, Window};
use explain::wire::TextPiece;
use kernels::alignment::Side;
use kernels::job::Reading;
use kernels::run::Run;
use kernels::strand::{NucleicAcid, Strand, reverse_complement};
use kernels::text::{Pair, Text};

use super::units::{self, StoredText, Units};
use super::windows::Windows;
use super::{AlignmentKey, Results, Which, cached, found_in};
use crate::error::Problem;
use crate::record::Record;

/// Bytes of both texts from which on they are not parsed to be looked at.
const LARGE: usize = 1 << 20;

/// The letters of both texts.
#[derive(Clone, Debug)]
pub enum Letters {
    /// Parsed.
    Parsed(Arc<Pair>),
    /// Read where they are looked at.
    Stored(Box<[StoredText; 2]>),
}

impl Letters {
    /// These units of a text as they are shown.
    fn shown(&self, side: Side, units: Range<u64>) -> Result<Vec<String>, Problem> {
        match self {
            Self::Parsed(pair) => Ok(excerpt::shown(text(pair, side), units)),
            Self::Stored(texts) => texts[side as usize].shown(units).map_err(Problem::internal),
        }
    }

    /// These units of the reverse complement of `a`.
    fn reversed(&self, units: Range<u64>) -> Result<Vec<String>, Problem> {
        let (all, acid) = match self {
            Self::Parsed(pair) => (pair.a.len() as u64, Some(pair.nucleic_acid())),
            Self::Stored(texts) => (texts[Side::A as usize].units.len, texts[Side::A as usize].units.nucleic_acid()),
        };
        let letters = self.shown(Side::A, all - units.end..all - units.start)?.concat();
        let acid = acid.unwrap_or_else(|| NucleicAcid::of([letters.as_bytes()]));
        let broken = |_| Problem::internal("a text that was searched on both strands has no other strand");
        Ok(reverse_complement(letters.as_bytes(), acid).map_err(broken)?.into_iter().map(|letter| char::from(letter).to_string()).collect())
    }

    /// The units `from..from + len` of a text as they stand in the original, so many bytes at most. May block on the disk.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn piece(&self, side: Side, from: u64, len: u64) -> Result<TextPiece, Problem> {
        match self {
            Self::Parsed(pair) => Ok(units::piece(text(pair, side), from, len)),
            Self::Stored(texts) => texts[side as usize].piece(from, len).map_err(Problem::internal),
        }
    }
}

fn text(pair: &Pair, side: Side) -> &Text {
    match side {
        Side::A => &pair.a,
        Side::B => &pair.b,
    }
}

impl Results {
    /// The letters of a record's texts. Nothing is read of large ones.
    ///
    /// # Errors
    /// As [`texts`](Self::texts).
    pub async fn letters(&self, record: &Record) -> Result<Letters, Problem> {
        let files = &self.store.files;
        match record.units {
            Some([a, b]) => Ok(Letters::Stored(Box::new([StoredText::new(files, record.a, a), StoredText::new(files, record.b, b)]))),
            None => self.texts(record.texts()).await.map(Letters::Parsed),
        }
    }

    /// The columns `from..from + len` of an alignment, with the texts under them.
    ///
    /// # Errors
    /// As [`alignment`](Self::alignment).
    pub async fn window(&self, record: &Record, which: Option<Which>, from: u64, len: u64) -> Result<Window, Problem> {
        self.window_as(record, which, (from, len), |window| window).await
    }

    /// What `then` makes of the columns `from..from + len` of an alignment and the texts under them, on a thread that may take its time.
    ///
    /// # Errors
    /// As [`alignment`](Self::alignment).
    pub async fn window_as<T: Send + 'static>(
        &self,
        record: &Record,
        which: Option<Which>,
        (from, len): (u64, u64),
        then: impl FnOnce(Window) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let alignment = self.alignment(record, which).await?;
        let letters = self.letters(record).await?;
        let look = move || {
            let mut window = alignment.window(from, len).map_err(Problem::internal)?;
            let taken = |side: usize| {
                let of = |(a, b): (u64, u64)| [a, b][side];
                window.stretches.iter().map(|stretch| of(stretch.edit.takes()) * u64::from(stretch.len)).sum::<u64>()
            };
            let (a, b) = (window.a_start..window.a_start + taken(0), window.b_start..window.b_start + taken(1));
            let shown_of_a = match alignment.strand() {
                Some(Strand::Reverse) => letters.reversed(a)?,
                Some(Strand::Forward) | None => letters.shown(Side::A, a)?,
            };
            (window.a, window.b) = (shown_of_a, letters.shown(Side::B, b)?);
            Ok(then(window))
        };
        self.look(move |_| look()).await
    }

    /// Edits in each of so many equal parts of an alignment's columns, and how many columns there are.
    ///
    /// # Errors
    /// As [`alignment`](Self::alignment).
    pub async fn overview(&self, record: &Record, which: Option<Which>, points: usize) -> Result<(u64, Arc<Vec<Bin>>), Problem> {
        let alignment = self.alignment(record, which).await?;
        let columns = alignment.columns();
        let count = self.compute(move |run| alignment.overview(points, run).map(Arc::new));
        let bins = cached(&self.overviews, (AlignmentKey::of(record, which)?, points), || Ok(()), count).await?;
        Ok((columns, bins))
    }

    /// A difference of an alignment among those of these kinds, or how many there are.
    ///
    /// # Errors
    /// As [`alignment`](Self::alignment).
    pub async fn place(
        &self,
        record: &Record,
        which: Option<Which>,
        (kinds, at): (Kinds, kinds::Which),
    ) -> Result<Result<Place, u64>, Problem> {
        let alignment = self.alignment(record, which).await?;
        self.look(move |run| {
            let found = alignment.place(kinds, at, run)?;
            let all = |first: Option<Place>| first.map_or(0, |place| place.of);
            Ok(match found {
                Some(place) => Ok(place),
                None => Err(all(alignment.place(kinds, kinds::Which::At(0), run)?)),
            })
        })
        .await
    }

    /// The column that holds a symbol of one text.
    ///
    /// # Errors
    /// As [`alignment`](Self::alignment).
    pub async fn column_of(&self, record: &Record, which: Option<Which>, side: Side, position: u64) -> Result<u64, Problem> {
        let alignment = self.alignment(record, which).await?;
        self.look(move |_| alignment.column_of(side, position).map_err(Problem::internal)).await
    }

    /// What pages of hits of a search are made of without its texts being read whole: where its texts are large, what was found has an index, and
    /// not all of it is at hand as it is.
    ///
    /// # Errors
    /// `NoResult` as for [`search`](Self::search); when the file of hits cannot be read.
    pub(super) async fn windows(&self, record: &Record) -> Result<Option<Windows>, Problem> {
        let hash = found_in(record)?;
        let (Some(_), Some(answer)) = (record.units, record.snapshot.answer.clone()) else { return Ok(None) };
        if self.pairs.contains(&record.texts()) && self.found.contains(&hash) {
            return Ok(None);
        }
        let found = match self.indexed.get(&hash) {
            Some(found) => found,
            None => {
                let results = self.clone();
                self.work(move || results.indexed.get_or_make(&hash, || results.open_found(hash))).await?
            }
        };
        let (Some(found), Letters::Stored(texts)) = (found.as_ref().clone(), self.letters(record).await?) else { return Ok(None) };
        Ok(Some(Windows::new(texts, found, answer, record.snapshot.task, record.snapshot.options)))
    }

    /// How many hits a search has, and those from number `from` on, `len` of them at most, each with `context` symbols around it where that is said.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub async fn hits(&self, record: &Record, from: u64, len: u64, context: Option<u64>) -> Result<(u64, Seen), Problem> {
        self.hits_as(record, (from, len), context, |total, seen| (total, seen)).await
    }

    /// What `then` makes of the number of hits and of those that [`hits`](Self::hits) returns, on a thread that may take its time.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub async fn hits_as<T: Send + 'static>(
        &self,
        record: &Record,
        (from, len): (u64, u64),
        context: Option<u64>,
        then: impl Fn(u64, Seen) -> T + Clone + Send + 'static,
    ) -> Result<T, Problem> {
        let numbers = from..from.saturating_add(len);
        if let Some(windows) = self.windows(record).await? {
            let (total, numbers, then) = (windows.found.total(), numbers.clone(), then.clone());
            if let Some(made) = self.look(move |run| Ok(windows.page(numbers, context, run)?.map(|seen| then(total, seen)))).await? {
                return Ok(made);
            }
        }
        let search = self.search(record).await?;
        let total = search.total();
        let look = move |run: &Run<'_>| match context {
            Some(context) => search.seen(numbers, context, run),
            None => search.hits(from, len, run).map(|hits| Seen { hits, ..Seen::default() }),
        };
        self.look(move |run| Ok(then(total, look(run)?))).await
    }

    /// Where the units of large texts lie, for who looks at them later; none of small ones, which are parsed as quickly. Blocks on the disk.
    ///
    /// # Errors
    /// When an index cannot be written.
    pub fn store_units(&self, pair: &Pair, reading: &Reading) -> std::io::Result<Option<[Units; 2]>> {
        if pair.a.bytes().len() + pair.b.bytes().len() < LARGE {
            return Ok(None);
        }
        let of = |text: &Text| units::store(text, reading, &*self.store.files);
        let rna = (!reading.strands.is_forward()).then(|| pair.nucleic_acid() == NucleicAcid::Rna);
        Ok(Some([Units { rna, ..of(&pair.a)? }, of(&pair.b)?]))
    }
}
