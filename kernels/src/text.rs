//! Text: what was typed or uploaded, parsed once into dense symbol numbers.
//!
//! Below [`Pair`] no code sees Unicode: it works on numbers `0..alphabet`, the same number for equal units of both texts.
//! Every position that comes back is in units; [`Text::range`] maps it to bytes of the original.
//!
//! How bytes become units is said in [`reading`](crate::reading); [`number`] gives them their numbers. [`known`]: some units of a text,
//! without the others.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::failure::{Failure, Wrong};
use crate::found::InRecord;
use crate::reading::{Choices, Cut, Layout, Normal, ReadAs, Spans, Warning, WarningKind, read, without_end};
pub use crate::reading::{Reading, Unit};
use crate::strand::{NucleicAcid, Strand, reverse_complement};
pub use known::KnownUnit;

mod known;
mod number;

/// One text, cut into units. Positions are unit numbers from 0.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: Arc<[u8]>,
    unit: Unit,
    spans: Arc<Spans>,
    /// What the units were cut from, where that is not the bytes themselves.
    normal: Option<Arc<Normal>>,
    layout: Arc<Layout>,
    /// Header of its only record.
    name: Option<String>,
    /// No letter of its records is what stands for a border between them.
    is_strict: bool,
    read_as: ReadAs,
    /// Bytes of the text before it was decoded.
    original: usize,
}

/// Characters of a header that are shown at most: a file may be all header, and who reads it goes by its first words.
const LONGEST_NAME: usize = 1000;

/// A header, so many characters of it at most, with an ellipsis where there are more. Cost O(what is shown).
fn shown_name(header: &[u8]) -> Cow<'_, str> {
    // A character has four bytes at most. One that is cut in the middle is not among those that are shown.
    let begin = String::from_utf8_lossy(&header[..header.len().min(4 * LONGEST_NAME + 4)]);
    match begin.char_indices().nth(LONGEST_NAME) {
        None => begin,
        Some((end, _)) => Cow::Owned(format!("{}…", &begin[..end])),
    }
}

impl From<Cut> for Text {
    fn from(cut: Cut) -> Self {
        let Cut { bytes, unit, spans, normal, layout, is_strict, read_as, original } = cut;
        let header = layout.only().and_then(|number| layout.header(number));
        let name = header.map(|header| shown_name(&bytes[header]).into_owned());
        let (spans, normal, layout) = (spans.into(), normal.map(Arc::new), layout.into());
        Self { bytes, unit, spans, normal, layout, name, is_strict, read_as, original }
    }
}

/// Dense symbol numbers of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbols {
    /// At most 256 distinct symbols in both texts together.
    Narrow(Vec<u8>),
    /// More.
    Wide(Vec<u32>),
}

impl Symbols {
    /// Number of symbols.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(symbols) => symbols.len(),
            Self::Wide(symbols) => symbols.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lowest bytes of wide symbols; empty of narrow ones. Time and memory O(symbols).
    fn lowest(&self) -> Vec<u8> {
        match self {
            Self::Narrow(_) => Vec::new(),
            Self::Wide(symbols) => symbols.iter().map(|&symbol| symbol as u8).collect(),
        }
    }

    /// The symbol at a position.
    ///
    /// # Panics
    /// When `at` is not below `len`.
    pub fn at(&self, at: usize) -> u32 {
        match self {
            Self::Narrow(symbols) => symbols[at].into(),
            Self::Wide(symbols) => symbols[at],
        }
    }
}

/// Both texts of a job, and their symbols numbered together. A copy shares what it consists of.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The first text.
    pub a: Text,
    /// The second text.
    pub b: Text,
    /// Symbols of `a`.
    pub a_symbols: Arc<Symbols>,
    /// Symbols of `b`.
    pub b_symbols: Arc<Symbols>,
    /// Lowest bytes of `b`'s symbols where they are wide, else none: searches that look at these first read a fourth as much.
    pub b_lowest: Arc<Vec<u8>>,
    /// Number of distinct symbols in both together; symbols are below it.
    pub alphabet: u32,
    /// The reverse complement of `a` with its symbols, where it was read.
    other: Option<(Text, Arc<Symbols>)>,
    /// Doubts about how the texts were read.
    warnings: Arc<[Warning]>,
}

/// Symbols of `a` and of `b`.
#[derive(Clone, Copy, Debug)]
pub enum Both<'p> {
    /// At most 256 distinct symbols in both texts together.
    Narrow(&'p [u8], &'p [u8]),
    /// More.
    Wide(&'p [u32], &'p [u32]),
}

impl Text {
    /// Number of units.
    pub fn len(&self) -> usize {
        match &*self.spans {
            Spans::Pieces { len, .. } => *len,
            Spans::Ranges(ranges) => ranges.len(),
        }
    }

    /// Whether there is no unit.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Header of the record that the text is, without its `>`; none of several. Of a long one the first 1,000 characters and `…`.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Header of a record of the file, by its number from 0, cut as [`name`](Self::name).
    pub fn record_name(&self, number: u64) -> Option<Cow<'_, str>> {
        self.layout.header(number).map(|header| shown_name(&self.bytes[header]))
    }

    /// What programs call a record: the first word of its header, cut as [`name`](Self::name), or its number from 0 where it has none.
    pub fn record_word(&self, number: u64) -> String {
        let name = self.record_name(number);
        let word = name.as_deref().and_then(|name| name.split_whitespace().next());
        word.map_or_else(|| number.to_string(), str::to_owned)
    }

    /// Whether it is several records with borders between them.
    pub fn is_apart(&self) -> bool {
        !self.layout.starts().is_empty()
    }

    /// Number of records that are kept apart, or 1.
    pub fn parts(&self) -> usize {
        self.layout.starts().len().max(1)
    }

    /// The units of a record among those that are kept apart, or all.
    ///
    /// # Panics
    /// When there is no such record.
    pub fn part(&self, record: usize) -> Range<usize> {
        match self.layout.starts() {
            [] => 0..self.len(),
            // The border before the next one is no unit of this one.
            starts => starts[record] as usize..starts.get(record + 1).map_or(self.len(), |next| *next as usize - 1),
        }
    }

    /// The record that a position lies in; its end belongs to it. Cost O(log of their number).
    pub fn part_at(&self, at: usize) -> usize {
        self.layout.starts().partition_point(|start| *start as usize <= at).saturating_sub(1)
    }

    /// Where a piece of the text lies in its record, where several are kept apart.
    pub fn in_record(&self, start: u64, end: u64) -> Option<InRecord> {
        let number = self.is_apart().then(|| self.part_at(start as usize))?;
        let from = self.part(number).start as u64;
        Some(InRecord { number: number as u64, start: start - from, end: end - from })
    }

    /// The records that a range of positions touches.
    pub(crate) fn parts_within(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() { 0..0 } else { self.part_at(range.start)..self.part_at(range.end - 1) + 1 }
    }

    /// So many units without their bytes.
    fn of_len(&self, len: usize) -> Self {
        Self {
            bytes: Arc::from([]),
            unit: self.unit,
            spans: Spans::Pieces { starts: Vec::new(), len }.into(),
            normal: None,
            layout: Arc::default(),
            name: None,
            is_strict: self.is_strict,
            read_as: ReadAs::default(),
            original: 0,
        }
    }

    /// Bytes of the units, in pieces. Borders between records are among them.
    fn pieces(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        match &*self.spans {
            Spans::Pieces { starts, len } => {
                let ends = starts.iter().skip(1).map(|(unit, _)| *unit as usize).chain(std::iter::once(*len));
                Box::new(
                    starts.iter().zip(ends).map(|(&(unit, byte), end)| &self.bytes[byte as usize..byte as usize + end - unit as usize]),
                )
            }
            Spans::Ranges(ranges) => Box::new(ranges.iter().map(|&(start, end)| &self.bytes[start as usize..end as usize])),
        }
    }

    /// Returns the text of the other strand: the units backwards, each as the letter that it pairs with.
    ///
    /// # Errors
    /// `BadInput` when a unit is no letter of a nucleotide.
    fn reversed(&self, acid: NucleicAcid) -> Result<Self, Failure> {
        let letter = |at: usize| <[u8; 1]>::try_from(self.show(at).as_bytes()).map_or(0, |[letter]| letter);
        let letters: Vec<u8> = (0..self.len()).map(letter).collect();
        let bytes = reverse_complement(&letters, acid).map_err(|at| {
            let message = format!(
                "Both strands are searched for DNA and RNA only, and symbol {at} of a, counted from 0, is no letter of a nucleotide. Search one strand."
            );
            Failure::wrong(message, Wrong::NoNucleotide { at: at as u64 })
        })?;
        let pieces = if bytes.is_empty() { Vec::new() } else { vec![(0, 0)] };
        Ok(Self {
            spans: Spans::Pieces { starts: pieces, len: bytes.len() }.into(),
            bytes: bytes.into(),
            unit: self.unit,
            normal: None,
            layout: Arc::default(),
            name: self.name.clone(),
            is_strict: true,
            read_as: self.read_as.clone(),
            original: self.original,
        })
    }

    /// What it was taken for.
    pub fn read_as(&self) -> &ReadAs {
        &self.read_as
    }

    /// Whether its letters are folded to upper case, as those of a sequence are.
    pub fn is_upper(&self) -> bool {
        self.read_as.folded
    }

    /// What counts as one unit.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The original, headers and white space included; in UTF-8 if it was decoded.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of bytes of the original, before it was decoded.
    pub fn original_bytes(&self) -> u64 {
        self.original as u64
    }

    /// Bytes of the original that the unit at `at` stands for. Units of a normalised text share the bytes of what became them together.
    /// Cost O(log of the number of lines).
    ///
    /// # Panics
    /// When `at` is not below `len`.
    pub fn range(&self, at: usize) -> Range<usize> {
        match &*self.spans {
            Spans::Pieces { starts, len } => {
                assert!(at < *len, "unit {at} of {len}");
                let piece = starts.partition_point(|&(unit, _)| unit as usize <= at) - 1;
                let (unit, byte) = starts[piece];
                let start = byte as usize + at - unit as usize;
                start..start + 1
            }
            Spans::Ranges(ranges) => ranges[at].0 as usize..ranges[at].1 as usize,
        }
    }

    /// The unit at `at`, ready to show: text where it is text, normalised where it is compared so, else `\xHH` for each byte; letters of
    /// a sequence in upper case.
    ///
    /// # Panics
    /// When `at` is not below `len`.
    pub fn show(&self, at: usize) -> String {
        let mut shown = match &self.normal {
            Some(normal) => normal.unit(at).to_owned(),
            None => {
                let bytes = &self.bytes[self.range(at)];
                match std::str::from_utf8(bytes) {
                    Ok(text) => text.to_owned(),
                    Err(_) => bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect(),
                }
            }
        };
        if self.is_upper() {
            shown.make_ascii_uppercase();
        }
        shown
    }

    /// As [`show`](Self::show), with what stands between this unit and the next: white space that is no symbol, ends of lines. What
    /// stands between letters of a sequence is left out.
    ///
    /// # Panics
    /// When `at` is not below `len`.
    pub fn written(&self, at: usize) -> String {
        let mut written = self.show(at);
        if !self.is_upper() && at + 1 < self.len() {
            // Units that share their bytes have nothing between them.
            let gap = self.bytes.get(self.range(at).end..self.range(at + 1).start).unwrap_or_default();
            written.push_str(&String::from_utf8_lossy(gap));
        }
        written
    }
}

impl Pair {
    /// Reads both texts; of a file of records, its only one. Time and memory O(bytes of both).
    ///
    /// # Errors
    /// `BadInput` when a text is not UTF-8 (it names the text and the byte) and the unit is not bytes, when bytes are to be normalised,
    /// or when a file has several records; `TooLarge` when a text has 4 GiB or more.
    ///
    /// ```
    /// use kernels::text::{Pair, Reading, Unit};
    ///
    /// let pair = Pair::parse("naïve 👍🏽".as_bytes(), &b"naive"[..], &Reading { unit: Unit::Graphemes, ..Reading::default() }).unwrap();
    /// assert_eq!((pair.a.len(), pair.b.len()), (7, 5));
    /// assert_eq!(pair.a.show(6), "👍🏽");
    /// ```
    pub fn parse(a: impl Into<Arc<[u8]>>, b: impl Into<Arc<[u8]>>, reading: &Reading) -> Result<Self, Failure> {
        Self::of_records(a, b, reading, &Choices::default())
    }

    /// As [`parse`](Self::parse), of files with several records.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); `BadInput` when the choice of records is none, or when both strands are wanted of an `a` that has none.
    pub fn of_records(a: impl Into<Arc<[u8]>>, b: impl Into<Arc<[u8]>>, reading: &Reading, choices: &Choices) -> Result<Self, Failure> {
        let (cuts, mut warnings) = read(a.into(), b.into(), reading, choices)?;
        let [a, b] = cuts.map(Text::from);
        // The byte that stands for a border is a letter of neither text.
        let has_own_border = !b.is_apart() || a.is_strict && b.is_strict;
        let folds = [&a, &b].map(|text| reading.case_insensitive || text.is_upper());
        // The alphabet of both decides: a pattern without T and U says nothing of the text that it is looked for in.
        let acid = || NucleicAcid::of(a.pieces().chain(b.pieces()));
        let other = if reading.strands.is_forward() { None } else { Some(a.reversed(acid())?) };
        let texts = number::Texts { a: &a, other: other.as_ref(), b: &b };
        let of_bytes = has_own_border.then(|| number::of_bytes(&texts, folds)).flatten();
        let numbered = of_bytes.unwrap_or_else(|| number::of_units(&texts, reading));
        let pair = numbered.pair(a, other, b);
        if reading.unit == Unit::Lines && pair.differs_in_line_ends_only() {
            warnings.push(Warning::new(WarningKind::OnlyLineEnds, None, None));
        }
        Ok(Self { warnings: warnings.into(), ..pair })
    }

    /// The doubts about how the texts were read.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Whether two texts of equal lines, which are not the same, have other ends of lines and nothing else. Time O(bytes).
    fn differs_in_line_ends_only(&self) -> bool {
        if self.a.bytes == self.b.bytes || self.a_symbols != self.b_symbols {
            return false;
        }
        let mut is_other = false;
        (0..self.a.len()).all(|at| {
            let [one, other] = [&self.a, &self.b].map(|text| &text.bytes[text.range(at)]);
            is_other |= one != other;
            without_end(one) == without_end(other)
        }) && is_other
    }

    /// The symbols of both texts, in the width that they share.
    ///
    /// # Errors
    /// `Engine` when the texts were numbered apart from each other, which [`parse`](Self::parse) never does.
    pub fn both(&self) -> Result<Both<'_>, Failure> {
        match (&*self.a_symbols, &*self.b_symbols) {
            (Symbols::Narrow(a), Symbols::Narrow(b)) => Ok(Both::Narrow(a, b)),
            (Symbols::Wide(a), Symbols::Wide(b)) => Ok(Both::Wide(a, b)),
            _ => Err(Failure::engine("The two texts were numbered apart from each other.")),
        }
    }

    /// The pair of the other strand: the reverse complement of `a`, and `b`, with the same numbers for symbols. Its own other strand is `a`.
    ///
    /// # Errors
    /// `Engine` when the texts were read for one strand.
    ///
    /// ```
    /// use kernels::strand::Strands;
    /// use kernels::text::{Pair, Reading};
    ///
    /// let pair = Pair::parse(&b"GATTACA"[..], &b"TGTAATC"[..], &Reading { strands: Strands::Both, ..Reading::default() }).unwrap();
    /// assert_eq!(pair.reversed().unwrap().a.bytes(), b"TGTAATC");
    /// assert_eq!(pair.reversed().unwrap().a_symbols, pair.b_symbols);
    /// ```
    pub fn reversed(&self) -> Result<Self, Failure> {
        let Some((a, a_symbols)) = self.other.clone() else {
            return Err(Failure::engine("These texts were read for one strand."));
        };
        Ok(Self { a, a_symbols, other: Some((self.a.clone(), self.a_symbols.clone())), ..self.clone() })
    }

    /// What the reverse complement of `a` is written in; DNA if it was not read.
    pub fn nucleic_acid(&self) -> NucleicAcid {
        match &self.other {
            Some((other, _)) if memchr::memchr2(b'U', b'u', other.bytes()).is_some() => NucleicAcid::Rna,
            _ => NucleicAcid::Dna,
        }
    }

    /// The pair that a hit is aligned in: this one, or that of the other strand.
    ///
    /// # Errors
    /// As [`reversed`](Self::reversed).
    pub fn on(&self, strand: Option<Strand>) -> Result<Self, Failure> {
        match strand {
            Some(Strand::Reverse) => self.reversed(),
            Some(Strand::Forward) | None => Ok(self.clone()),
        }
    }

    /// A pair for one record of `b` after another, each by [`turn_to`](Self::turn_to). It has no bytes to show.
    pub(crate) fn of_record(&self) -> Self {
        let b_symbols = match *self.b_symbols {
            Symbols::Narrow(_) => Symbols::Narrow(Vec::new()),
            Symbols::Wide(_) => Symbols::Wide(Vec::new()),
        };
        let (a, b) = (self.a.of_len(self.a.len()), self.b.of_len(0));
        // No record has the symbol of borders, which mostly is the last one: fewer symbols take less work.
        let border = self.b.layout.starts().get(1).map(|next| self.b_symbols.at(*next as usize - 1));
        let alphabet = if border.is_some_and(|border| border + 1 == self.alphabet) { self.alphabet - 1 } else { self.alphabet };
        Self {
            a,
            b,
            a_symbols: self.a_symbols.clone(),
            b_symbols: b_symbols.into(),
            b_lowest: Arc::default(),
            alphabet,
            other: None,
            warnings: Arc::default(),
        }
    }

    /// Makes this the pair of `a` and one record of another pair's `b`. Time O(its symbols).
    pub(crate) fn turn_to(&mut self, whole: &Self, record: usize) {
        let part = whole.b.part(record);
        self.b = whole.b.of_len(part.len());
        match (Arc::make_mut(&mut self.b_symbols), &*whole.b_symbols) {
            (Symbols::Narrow(to), Symbols::Narrow(from)) => {
                to.clear();
                to.extend_from_slice(&from[part]);
            }
            (Symbols::Wide(to), Symbols::Wide(from)) => {
                to.clear();
                to.extend_from_slice(&from[part]);
                let lowest = Arc::make_mut(&mut self.b_lowest);
                lowest.clear();
                lowest.extend(to.iter().map(|&symbol| symbol as u8));
            }
            // A pair of a record has the width of its whole.
            _ => {}
        }
    }

    /// |a|·|b|.
    pub fn cells(&self) -> u64 {
        (self.a.len() as u64).saturating_mul(self.b.len() as u64)
    }
}
