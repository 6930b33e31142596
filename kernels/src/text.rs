//! Text: a typed or uploaded text, parsed once into dense symbol numbers.
//!
//! Code that receives a [`Pair`] does not see Unicode. It works on numbers `0..alphabet`; equal units of both texts have
//! the same number. All returned positions are in units, and [`Text::range`] maps a unit to bytes of the original.
//!
//! [`reading`](crate::reading) cuts bytes into units, and [`number`] numbers them. [`pair_symbols`] holds the numbers of a
//! pair. [`known`] reads some units of a text without reading all of it.
//!
//! If the units of both texts are all their bytes, neither folded nor ignored, no byte of long texts is copied. Engines that need no
//! dense numbers then work on the bytes ([`Pair::unit_slices`]). The numbers are computed if an engine asks for them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::base_set::{MAX_AMBIGUOUS_PATTERN, SymbolMatch};
use crate::failure::{InputError, JobFailure, large};
use crate::found::RecordRange;
use crate::reading::{
    CutText, NormalizedText, PairRecordChoices, ReadReport, ReadWarning, RecordLayout, SharedBytes, UnitSpans, WarningKind, read,
    without_end,
};
pub use crate::reading::{ReadingOptions, Unit};
use crate::strand::{NucleicAcid, Strand, reverse_complement};
pub use known::KnownUnit;
use number::NumberedSymbols;
use pair_symbols::{ByteUnits, PairSymbols, UnitBytes};

mod known;
pub(crate) mod number;
mod pair_symbols;

/// One text, cut into units such as letters or words ([`Unit`]), each of which is regarded as one symbol. Positions are
/// counted in units, from 0.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: SharedBytes,
    unit: Unit,
    spans: Arc<UnitSpans>,
    /// Normalised text that the units were cut from, or `None` if they were cut from `bytes` directly.
    normalized: Option<Arc<NormalizedText>>,
    layout: Arc<RecordLayout>,
    /// Header of the record that is the whole text, or `None` for plain text and for several records.
    name: Option<String>,
    /// Whether the name was given, and is not the header of a record.
    is_named: bool,
    /// Whether no letter of the records equals the byte that stands for a border between two records.
    is_strict: bool,
    read_as: ReadReport,
    /// Number of bytes of the text before it was decoded to UTF-8.
    original: usize,
}

/// Minimum number of bytes in both texts together that are not copied. The numbers of fewer bytes take less time than the
/// way to the bytes in shared memory.
const MIN_SHARED_BYTES: usize = 1024;

/// Maximum number of characters of a header that are shown, because a file may consist of one long header.
const MAX_HEADER_CHARS: usize = 1000;

/// Returns the first [`MAX_HEADER_CHARS`] characters of `header`, and an ellipsis if the header is longer. Takes
/// O(shown characters) time.
fn shown_name(header: &[u8]) -> Cow<'_, str> {
    // A character has at most four bytes. If this prefix cuts off a character, it lies beyond the characters that are
    // shown.
    let begin = String::from_utf8_lossy(&header[..header.len().min(4 * MAX_HEADER_CHARS + 4)]);
    match begin.char_indices().nth(MAX_HEADER_CHARS) {
        None => begin,
        Some((end, _)) => Cow::Owned(format!("{}…", &begin[..end])),
    }
}

impl From<CutText> for Text {
    fn from(cut: CutText) -> Self {
        let CutText { bytes, unit, spans, normal, layout, is_strict, read_as, original } = cut;
        let header = layout.only().and_then(|number| layout.header(number));
        let name = header.map(|header| shown_name(&bytes[header]).into_owned());
        let (spans, normal, layout) = (spans.into(), normal.map(Arc::new), layout.into());
        Self { bytes, unit, spans, normalized: normal, layout, name, is_named: false, is_strict, read_as, original }
    }
}

/// The symbol numbers of one text, without gaps from 0, or its sets of bases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSymbols {
    /// Symbols of one byte, for at most 256 distinct symbols in both texts together.
    Narrow(Vec<u8>),
    /// Symbols of four bytes, for larger alphabets.
    Wide(Vec<u32>),
}

impl TextSymbols {
    /// Returns the number of symbols.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(symbols) => symbols.len(),
            Self::Wide(symbols) => symbols.len(),
        }
    }

    /// Returns whether there are no symbols.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the lowest byte of each symbol if symbols have four bytes, otherwise an empty vector. Takes O(symbols)
    /// time and memory.
    fn lowest(&self) -> Vec<u8> {
        match self {
            Self::Narrow(_) => Vec::new(),
            Self::Wide(symbols) => symbols.iter().map(|&symbol| symbol as u8).collect(),
        }
    }

    /// Returns the symbol at position `at`.
    ///
    /// # Panics
    /// Panics if `at` is not below `len`.
    pub fn symbol_at(&self, at: usize) -> u32 {
        match self {
            Self::Narrow(symbols) => symbols[at].into(),
            Self::Wide(symbols) => symbols[at],
        }
    }
}

/// Both texts of a job. Their symbols are numbered together, so that equal units have equal numbers. Clones share their
/// data.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The first text.
    pub a: Text,
    /// The second text.
    pub b: Text,
    symbols: PairSymbols,
    /// The rule by which symbols match.
    pub symbol_match: SymbolMatch,
    /// Reverse complement of `a` with its symbols. `None` if only the forward strand is searched.
    reverse: Option<(Text, Arc<TextSymbols>)>,
    /// Warnings about how the texts were read, if this is doubtful.
    warnings: Arc<[ReadWarning]>,
}

/// The symbols of `a` and of `b`, in their common width.
#[derive(Clone, Copy, Debug)]
pub enum SymbolSlices<'p> {
    /// Symbols of one byte, for at most 256 distinct symbols in both texts together.
    Narrow(&'p [u8], &'p [u8]),
    /// Symbols of four bytes, for larger alphabets.
    Wide(&'p [u32], &'p [u32]),
}

impl Text {
    /// Returns the number of units.
    pub fn len(&self) -> usize {
        match &*self.spans {
            UnitSpans::Pieces { len, .. } => *len,
            UnitSpans::Ranges(ranges) => ranges.len(),
        }
    }

    /// Returns whether the text has no units, either because it is empty or because all its characters are ignored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the header of the record that is the whole text, without its `>`. Returns `None` for plain text, and for
    /// a text of several records. Longer headers are cut to 1,000 characters and `…`.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Sets the name of the text, unless `name` is empty.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        if name.is_empty() { self } else { Self { name: Some(name.to_owned()), is_named: true, ..self } }
    }

    /// Returns whether the name was given by [`named`](Self::named), and is not the header of a record.
    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// Returns the header of the record with the number `number` in the file, from 0. A long header is cut like
    /// [`name`](Self::name). Returns `None` if the record does not exist or has no header.
    pub fn record_name(&self, number: u64) -> Option<Cow<'_, str>> {
        self.layout.header(number).map(|header| shown_name(&self.bytes[header]))
    }

    /// Returns the short name of the record with the number `number`, as other programs use it. This is the first word
    /// of its header, cut like [`name`](Self::name), or the number if the header is empty.
    pub fn record_word(&self, number: u64) -> String {
        let name = self.record_name(number);
        let word = name.as_deref().and_then(|name| name.split_whitespace().next());
        word.map_or_else(|| number.to_string(), str::to_owned)
    }

    /// Returns whether the text consists of several records that are searched separately. Between two records, one unit
    /// stands for their border and equals no symbol.
    pub fn has_separate_records(&self) -> bool {
        !self.layout.starts().is_empty()
    }

    /// Returns the number of records that are searched separately. Returns 1 if the text is one record, joined records
    /// or plain text.
    pub fn record_count(&self) -> usize {
        self.layout.starts().len().max(1)
    }

    /// Returns the range of units of the record with the number `record`, without the borders around it. Returns the
    /// range of all units if the text is not divided into separate records.
    ///
    /// # Panics
    /// Panics if the record does not exist.
    pub fn record_range(&self, record: usize) -> Range<usize> {
        match self.layout.starts() {
            [] => 0..self.len(),
            // The border before the next record does not belong to this record.
            starts => starts[record] as usize..starts.get(record + 1).map_or(self.len(), |next| *next as usize - 1),
        }
    }

    /// Returns the number of the record that contains the unit at position `at`. The border after a record belongs to
    /// this record. Takes O(log records) time.
    pub fn record_at(&self, at: usize) -> usize {
        self.layout.starts().partition_point(|start| *start as usize <= at).saturating_sub(1)
    }

    /// Returns the byte that stands for each border between records. Returns `None` if there is no border, or if borders have
    /// different bytes. Takes O(records · log lines) time.
    fn border_byte(&self) -> Option<u8> {
        let byte = |record: usize| self.bytes[self.range(self.record_range(record).end).start];
        let mut borders = (0..self.record_count() - 1).map(byte);
        borders.next().filter(|first| borders.all(|border| border == *first))
    }

    /// Converts the range `start..end` of units of the text to the range within the record that contains them. The
    /// range must not exceed one record. Returns `None` if the text is not divided into separate records.
    pub fn in_record(&self, start: u64, end: u64) -> Option<RecordRange> {
        let number = self.has_separate_records().then(|| self.record_at(start as usize))?;
        let from = self.record_range(number).start as u64;
        Some(RecordRange { number: number as u64, start: start - from, end: end - from })
    }

    /// Returns the range of the numbers of records that overlap the units in `range`.
    pub(crate) fn records_within(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() { 0..0 } else { self.record_at(range.start)..self.record_at(range.end - 1) + 1 }
    }

    /// Returns the range of the units that begin within `bytes`, a range of bytes of the text. Takes O(log units) time.
    pub(crate) fn units_within(&self, bytes: Range<usize>) -> Range<usize> {
        let before = |byte: usize| match &*self.spans {
            UnitSpans::Pieces { starts, len } => {
                // Each unit of a piece is a byte.
                let next = starts.partition_point(|&(_, start)| (start as usize) < byte);
                let end = starts.get(next).map_or(*len, |&(unit, _)| unit as usize);
                next.checked_sub(1).map_or(0, |piece| (starts[piece].0 as usize + byte - starts[piece].1 as usize).min(end))
            }
            UnitSpans::Ranges(ranges) => ranges.partition_point(|&(start, _)| (start as usize) < byte),
        };
        let start = before(bytes.start);
        start..before(bytes.end).max(start)
    }

    /// Creates a text of `len` units without contents, for a pair that has only symbols. It has the same kind of unit
    /// as `self`.
    fn of_len(&self, len: usize) -> Self {
        Self {
            bytes: Vec::new().into(),
            unit: self.unit,
            spans: UnitSpans::Pieces { starts: Vec::new(), len }.into(),
            normalized: None,
            layout: Arc::default(),
            name: None,
            is_named: false,
            is_strict: self.is_strict,
            read_as: ReadReport::default(),
            original: 0,
        }
    }

    /// Iterates over the bytes of the text's units, in order, with adjacent bytes in one piece. The bytes that stand
    /// for borders between records are included.
    fn pieces(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        match &*self.spans {
            UnitSpans::Pieces { starts, len } => {
                let ends = starts.iter().skip(1).map(|(unit, _)| *unit as usize).chain(std::iter::once(*len));
                Box::new(
                    starts.iter().zip(ends).map(|(&(unit, byte), end)| &self.bytes[byte as usize..byte as usize + end - unit as usize]),
                )
            }
            UnitSpans::Ranges(ranges) => Box::new(ranges.iter().map(|&(start, end)| &self.bytes[start as usize..end as usize])),
        }
    }

    /// Returns the adjacent bytes that are the units of the text. Returns `None` if bytes between them are ignored or units
    /// have several bytes.
    fn unit_bytes(&self) -> Option<UnitBytes> {
        let range = match &*self.spans {
            UnitSpans::Pieces { starts, len } => match starts.as_slice() {
                [] => 0..0,
                [(_, start)] => *start as usize..*start as usize + len,
                _ => return None,
            },
            UnitSpans::Ranges(_) => return None,
        };
        Some(UnitBytes { bytes: self.bytes.clone(), range })
    }

    /// Returns the reverse complement: the units in reverse order, each replaced by the letter that pairs with it in
    /// `acid`. The text is called `name` in errors.
    ///
    /// # Errors
    /// Returns `BadInput` if a unit is not a nucleotide letter.
    fn reversed(&self, name: &str, acid: NucleicAcid) -> Result<Self, JobFailure> {
        let letter = |at: usize| <[u8; 1]>::try_from(self.display_unit(at).as_bytes()).map_or(0, |[letter]| letter);
        let letters: Vec<u8> = (0..self.len()).map(letter).collect();
        let bytes = reverse_complement(&letters, acid).map_err(|at| {
            let symbol = self.display_unit(at);
            let message = format!(
                "Both strands are searched for DNA and RNA only. Symbol {at} of {name}, counted from 0, is {symbol:?}, which is no letter of \
                 a nucleotide. Search one strand."
            );
            JobFailure::wrong(message, InputError::NoNucleotide { text: name.to_owned(), at: at as u64 })
        })?;
        let pieces = if bytes.is_empty() { Vec::new() } else { vec![(0, 0)] };
        Ok(Self {
            spans: UnitSpans::Pieces { starts: pieces, len: bytes.len() }.into(),
            bytes: bytes.into(),
            unit: self.unit,
            normalized: None,
            layout: Arc::default(),
            name: self.name.clone(),
            is_named: self.is_named,
            is_strict: true,
            read_as: self.read_as.clone(),
            original: self.original,
        })
    }

    /// Returns the report on how the text was read: its format, and the parts that were dropped.
    pub fn read_as(&self) -> &ReadReport {
        &self.read_as
    }

    /// Returns whether lower-case ASCII letters are read as upper case, as in all sequences.
    pub fn is_upper(&self) -> bool {
        self.read_as.folded
    }

    /// Returns the kind of unit that the text was cut into.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns all bytes that the text was read from, including headers and white space. A text in another encoding is
    /// returned in UTF-8.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of bytes of the text as it was given, before it was decoded to UTF-8.
    pub fn original_bytes(&self) -> u64 {
        self.original as u64
    }

    /// Returns the range of [`bytes`](Self::bytes) that the unit at position `at` stands for. If normalisation combined
    /// bytes, all units that result from them have the same range.
    ///
    /// Takes O(log lines) time.
    ///
    /// # Panics
    /// Panics if `at` is not below `len`.
    pub fn range(&self, at: usize) -> Range<usize> {
        match &*self.spans {
            UnitSpans::Pieces { starts, len } => {
                assert!(at < *len, "unit {at} of {len}");
                let piece = starts.partition_point(|&(unit, _)| unit as usize <= at) - 1;
                let (unit, byte) = starts[piece];
                let start = byte as usize + at - unit as usize;
                start..start + 1
            }
            UnitSpans::Ranges(ranges) => ranges[at].0 as usize..ranges[at].1 as usize,
        }
    }

    /// Returns the unit at position `at` for display. A normalised text is shown normalised, and letters of a sequence
    /// are shown in upper case. Bytes that are not UTF-8 are shown as `\xHH`.
    ///
    /// # Panics
    /// Panics if `at` is not below `len`.
    pub fn display_unit(&self, at: usize) -> String {
        let mut shown = match &self.normalized {
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

    /// Returns the unit at position `at` for display, like [`display_unit`](Self::display_unit), followed by the ignored characters
    /// between this unit and the next one, such as white space and line ends. Characters between letters of a sequence
    /// are omitted.
    ///
    /// # Panics
    /// Panics if `at` is not below `len`.
    pub fn display_with_ignored(&self, at: usize) -> String {
        let mut written = self.display_unit(at);
        if !self.is_upper() && at + 1 < self.len() {
            // Units that share their bytes have no gap between them.
            let gap = self.bytes.get(self.range(at).end..self.range(at + 1).start).unwrap_or_default();
            written.push_str(&String::from_utf8_lossy(gap));
        }
        written
    }
}

/// Checks the length of the pattern of a search with ambiguity codes.
fn check_ambiguous_pattern(pattern: &Text) -> Result<(), JobFailure> {
    let (got, limit) = (pattern.len() as u64, MAX_AMBIGUOUS_PATTERN);
    if got > limit { Err(JobFailure::TooLarge { what: large::AMBIGUOUS_PATTERN.into(), got, limit }) } else { Ok(()) }
}

impl Pair {
    /// Reads both texts. A file of records must have exactly one record. Takes O(bytes of both) time and memory.
    ///
    /// # Errors
    /// Returns `BadInput` in these cases:
    ///
    /// - a text is not UTF-8 and the unit is not bytes (the error names the text and the byte)
    /// - bytes are to be normalised or compared without accents
    /// - a file has several records or a bad record
    /// - both strands are requested and `a` has a symbol that is not a nucleotide letter
    /// - ambiguity is requested and a text has a symbol that is not a nucleotide letter
    ///
    /// Returns `TooLarge` if a text has 4 GiB or more.
    ///
    /// ```
    /// use kernels::text::{Pair, ReadingOptions, Unit};
    ///
    /// let pair = Pair::parse("naïve 👍🏽".as_bytes(), &b"naive"[..], &ReadingOptions { unit: Unit::Graphemes, ..ReadingOptions::default() }).unwrap();
    /// assert_eq!((pair.a.len(), pair.b.len()), (7, 5));
    /// assert_eq!(pair.a.display_unit(6), "👍🏽");
    /// ```
    pub fn parse(a: impl Into<SharedBytes>, b: impl Into<SharedBytes>, reading: &ReadingOptions) -> Result<Self, JobFailure> {
        Self::parse_records(a, b, reading, &PairRecordChoices::default())
    }

    /// Reads both texts like [`parse`](Self::parse), but takes from each file only the records that `choices` selects.
    /// A file may therefore have several records.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse), but several records are an error only if `choices` selects none of
    /// them and the task needs a single one. Also returns `BadInput` if `choices` names a record that a file lacks. Returns
    /// `TooLarge` if ambiguity is requested, the task is a search, and `a` is longer than
    /// [`MAX_AMBIGUOUS_PATTERN`].
    pub fn parse_records(
        a: impl Into<SharedBytes>,
        b: impl Into<SharedBytes>,
        reading: &ReadingOptions,
        choices: &PairRecordChoices,
    ) -> Result<Self, JobFailure> {
        let (cuts, mut warnings) = read(a.into(), b.into(), reading, choices)?;
        let [a, b] = cuts.map(Text::from);
        // The byte that stands for a border must not be a letter of either text.
        let has_own_border = !b.has_separate_records() || a.is_strict && b.is_strict;
        let folds = [&a, &b].map(|text| reading.case_insensitive || text.is_upper());
        // The letters of both texts decide, because a pattern without T and U does not show whether the other text is
        // DNA or RNA.
        let acid = || NucleicAcid::detect(a.pieces().chain(b.pieces()));
        let other = if reading.strands.is_forward() { None } else { Some(a.reversed("a", acid())?) };
        let texts = number::TextsToNumber { a: &a, other: other.as_ref(), b: &b };
        let is_plain = folds == [false; 2] && other.is_none() && !reading.ambiguity && !b.has_separate_records();
        let is_shared = is_plain && a.len() + b.len() >= MIN_SHARED_BYTES;
        let byte_units = if is_shared { a.unit_bytes().zip(b.unit_bytes()) } else { None };
        let pair = if let Some((of_a, of_b)) = byte_units {
            let symbols = PairSymbols::Bytes(Arc::new(ByteUnits::new(of_a, of_b)));
            Self { a, b, symbols, symbol_match: SymbolMatch::Equal, reverse: None, warnings: Arc::default() }
        } else if reading.ambiguity {
            if choices.allows_many {
                check_ambiguous_pattern(&a)?;
            }
            Self::of_numbers(number::number_base_sets(&texts)?, a, other, b)
        } else {
            let of_bytes = has_own_border.then(|| number::number_bytes(&texts, folds)).flatten();
            Self::of_numbers(of_bytes.unwrap_or_else(|| number::number_units(&texts, reading)), a, other, b)
        };
        if reading.unit == Unit::Lines && pair.differs_in_line_ends_only() {
            warnings.push(ReadWarning::new(WarningKind::OnlyLineEnds, None, None));
        }
        Ok(Self { warnings: warnings.into(), ..pair })
    }

    /// Creates a pair of the texts `a` and `b` from their symbol numbers. `other` is the reverse complement of `a`, if
    /// requested.
    fn of_numbers(numbered: number::NumberedTexts, a: Text, other: Option<Text>, b: Text) -> Self {
        let reverse = other.zip(numbered.other.map(Arc::new));
        let symbols = PairSymbols::Numbered(NumberedSymbols::new(numbered.a.into(), numbered.b, numbered.alphabet));
        Self { a, b, symbols, symbol_match: numbered.symbol_match, reverse, warnings: Arc::default() }
    }

    /// Creates a pair of each of `patterns` with the text `b`. The symbols of all are numbered together, so that the symbols
    /// of `b` are shared. Takes O(bytes of all) time.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse) for both strands and for ambiguity.
    pub(crate) fn of_patterns(patterns: Vec<Text>, b: &Text, reading: &ReadingOptions) -> Result<Vec<Self>, JobFailure> {
        if reading.ambiguity {
            patterns.iter().try_for_each(check_ambiguous_pattern)?;
        }
        let acid = NucleicAcid::detect(patterns.iter().flat_map(Text::pieces).chain(b.pieces()));
        let reversed = |pattern: &Text| {
            if reading.strands.is_forward() { Ok(None) } else { pattern.reversed(pattern.name().unwrap_or("a"), acid).map(Some) }
        };
        let reverses = patterns.iter().map(reversed).collect::<Result<Vec<_>, JobFailure>>()?;
        let numbered = number::number_patterns(&patterns, &reverses, b, reading)?;
        let shared = NumberedSymbols::new(Arc::new(TextSymbols::Narrow(Vec::new())), numbered.b, numbered.alphabet);
        let pair = |((a, symbols), (other, other_symbols)): ((Text, TextSymbols), (Option<Text>, Option<TextSymbols>))| Self {
            a,
            b: b.clone(),
            symbols: PairSymbols::Numbered(NumberedSymbols { a: Arc::new(symbols), ..shared.clone() }),
            symbol_match: numbered.symbol_match,
            reverse: other.zip(other_symbols.map(Arc::new)),
            warnings: Arc::default(),
        };
        Ok(patterns.into_iter().zip(numbered.patterns).zip(reverses.into_iter().zip(numbered.reverses)).map(pair).collect())
    }

    /// Returns warnings about how the texts were read, for display with the answer.
    pub fn warnings(&self) -> &[ReadWarning] {
        &self.warnings
    }

    /// Returns whether the texts have equal lines, but different line ends. Takes O(bytes) time.
    fn differs_in_line_ends_only(&self) -> bool {
        if *self.a.bytes == *self.b.bytes || self.a_symbols() != self.b_symbols() {
            return false;
        }
        let mut is_other = false;
        (0..self.a.len()).all(|at| {
            let [one, other] = [&self.a, &self.b].map(|text| &text.bytes[text.range(at)]);
            is_other |= one != other;
            without_end(one) == without_end(other)
        }) && is_other
    }

    /// Returns the symbol numbers of `a`. The first call numbers texts of bytes, in O(bytes) time.
    pub fn a_symbols(&self) -> &TextSymbols {
        &self.symbols.numbers().a
    }

    /// Returns the symbol numbers of `b`. The first call numbers texts of bytes, in O(bytes) time.
    pub fn b_symbols(&self) -> &TextSymbols {
        &self.symbols.numbers().b
    }

    /// Returns the lowest byte of each symbol of `b` if symbols have four bytes, otherwise an empty vector. A search that
    /// scans these bytes first reads a quarter of the memory.
    pub fn b_lowest(&self) -> &[u8] {
        &self.symbols.numbers().b_lowest
    }

    /// Returns the number of distinct symbols in both texts, or of sets of bases. Every symbol number is less than this
    /// number. The first call takes O(bytes) time for texts of bytes.
    pub fn alphabet(&self) -> u32 {
        self.symbols.alphabet()
    }

    /// Returns the memory that the symbol numbers take at most, in bytes. Texts of bytes take none until they are numbered.
    pub fn symbol_bytes(&self) -> usize {
        self.symbols.bytes()
    }

    /// Returns the units of `a` and of `b` for an engine that needs no dense numbers. Units of both texts are equal exactly
    /// if their elements are equal. If each byte is a unit of long texts, these are the bytes of the texts, and otherwise the
    /// symbol numbers. All elements are below [`unit_bound`](Self::unit_bound).
    ///
    /// # Errors
    /// Returns `Engine` if the texts were numbered separately, which [`parse`](Self::parse) never does.
    pub fn unit_slices(&self) -> Result<SymbolSlices<'_>, JobFailure> {
        match &self.symbols {
            PairSymbols::Bytes(units) => {
                let [a, b] = units.slices();
                Ok(SymbolSlices::Narrow(a, b))
            }
            PairSymbols::Numbered(_) => self.symbol_slices(),
        }
    }

    /// Returns an exclusive upper bound of the elements of [`unit_slices`](Self::unit_slices).
    pub fn unit_bound(&self) -> u32 {
        match &self.symbols {
            PairSymbols::Numbered(numbers) => numbers.alphabet,
            PairSymbols::Bytes(_) => 1 << u8::BITS,
        }
    }

    /// Returns the symbols of `a` and of `b`, both as bytes or both as numbers of four bytes.
    ///
    /// # Errors
    /// Returns `Engine` if the texts were numbered separately, which [`parse`](Self::parse) never does.
    pub fn symbol_slices(&self) -> Result<SymbolSlices<'_>, JobFailure> {
        match (self.a_symbols(), self.b_symbols()) {
            (TextSymbols::Narrow(a), TextSymbols::Narrow(b)) => Ok(SymbolSlices::Narrow(a, b)),
            (TextSymbols::Wide(a), TextSymbols::Wide(b)) => Ok(SymbolSlices::Wide(a, b)),
            _ => Err(JobFailure::engine("The two texts were numbered apart from each other.")),
        }
    }

    /// Returns the pair for a search on the reverse strand: the reverse complement of `a`, and the unchanged `b`.
    /// Symbols keep their numbers. The reverse of the result is the original pair.
    ///
    /// # Errors
    /// Returns `Engine` if the texts were read for one strand only.
    ///
    /// ```
    /// use kernels::strand::SearchStrands;
    /// use kernels::text::{Pair, ReadingOptions};
    ///
    /// let pair = Pair::parse(&b"GATTACA"[..], &b"TGTAATC"[..], &ReadingOptions { strands: SearchStrands::Both, ..ReadingOptions::default() }).unwrap();
    /// assert_eq!(pair.reversed().unwrap().a.bytes(), b"TGTAATC");
    /// assert_eq!(pair.reversed().unwrap().a_symbols(), pair.b_symbols());
    /// ```
    pub fn reversed(&self) -> Result<Self, JobFailure> {
        let Some((a, a_symbols)) = self.reverse.clone() else {
            return Err(JobFailure::engine("These texts were read for one strand."));
        };
        let numbers = self.symbols.numbers();
        let symbols = PairSymbols::Numbered(NumberedSymbols { a: a_symbols, ..numbers.clone() });
        Ok(Self { a, symbols, reverse: Some((self.a.clone(), numbers.a.clone())), ..self.clone() })
    }

    /// Returns RNA if both strands were read and the reverse complement of `a` has a `U`, and DNA otherwise.
    pub fn nucleic_acid(&self) -> NucleicAcid {
        match &self.reverse {
            Some((other, _)) if memchr::memchr2(b'U', b'u', other.bytes()).is_some() => NucleicAcid::Rna,
            _ => NucleicAcid::Dna,
        }
    }

    /// Returns the pair whose texts are aligned for a hit on `strand`. For the reverse strand, this is the pair of
    /// [`reversed`](Self::reversed). For the forward strand, and for `None` if the search did not cover both strands,
    /// it is this pair.
    ///
    /// # Errors
    /// Returns `Engine` if the strand is the reverse one and the texts were read for one strand only.
    pub fn for_strand(&self, strand: Option<Strand>) -> Result<Self, JobFailure> {
        match strand {
            Some(Strand::Reverse) => self.reversed(),
            Some(Strand::Forward) | None => Ok(self.clone()),
        }
    }

    /// Creates a pair with the symbols of `a` and an empty `b`. [`select_record`](Self::select_record) then replaces
    /// `b` by one record at a time. The texts of the pair have lengths, but no bytes to show.
    pub(crate) fn of_record(&self) -> Self {
        let numbers = self.symbols.numbers();
        let b_symbols = match *numbers.b {
            TextSymbols::Narrow(_) => TextSymbols::Narrow(Vec::new()),
            TextSymbols::Wide(_) => TextSymbols::Wide(Vec::new()),
        };
        let (a, b) = (self.a.of_len(self.a.len()), self.b.of_len(0));
        // No record contains the border symbol, which is usually the last number. A smaller alphabet takes less work.
        let border = self.b.layout.starts().get(1).map(|next| numbers.b.symbol_at(*next as usize - 1));
        let is_last = border.is_some_and(|border| border + 1 == numbers.alphabet);
        let alphabet = if is_last { numbers.alphabet - 1 } else { numbers.alphabet };
        Self {
            a,
            b,
            symbols: PairSymbols::Numbered(NumberedSymbols::new(numbers.a.clone(), b_symbols, alphabet)),
            symbol_match: self.symbol_match,
            reverse: None,
            warnings: Arc::default(),
        }
    }

    /// Replaces `b` by the record with the number `record` of the text `b` of `whole`. Takes O(symbols of the record)
    /// time.
    pub(crate) fn select_record(&mut self, whole: &Self, record: usize) {
        let part = whole.b.record_range(record);
        self.b = whole.b.of_len(part.len());
        // The pair of a record is always numbered.
        let PairSymbols::Numbered(numbers) = &mut self.symbols else { return };
        match (Arc::make_mut(&mut numbers.b), whole.b_symbols()) {
            (TextSymbols::Narrow(to), TextSymbols::Narrow(from)) => {
                to.clear();
                to.extend_from_slice(&from[part]);
            }
            (TextSymbols::Wide(to), TextSymbols::Wide(from)) => {
                to.clear();
                to.extend_from_slice(&from[part]);
                let lowest = Arc::make_mut(&mut numbers.b_lowest);
                lowest.clear();
                lowest.extend(to.iter().map(|&symbol| symbol as u8));
            }
            // The pair of a record always has symbols of the same width as the whole pair.
            _ => {}
        }
    }

    /// Replaces the symbol numbers of both texts, for tests of engines on symbols that no text was read from.
    #[cfg(test)]
    pub(crate) fn with_symbols(self, a: TextSymbols, b: TextSymbols, alphabet: u32) -> Self {
        Self { symbols: PairSymbols::Numbered(NumberedSymbols::new(a.into(), b, alphabet)), ..self }
    }

    /// Returns |a|·|b|, the number of cells of the matrix that compares every symbol of `a` with every symbol of `b`.
    pub fn cells(&self) -> u64 {
        (self.a.len() as u64).saturating_mul(self.b.len() as u64)
    }
}
