//! Members: reads the texts of one or two collections and divides them into members.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Corpus;
use crate::failure::JobFailure;
use crate::reading::{FastaMode, ReadWarning, ReadingOptions, SourceRecords, SourceText, Unit, common_fasta_mode, mark_len};
use crate::text::number::number_all;
use crate::text::{Text, TextSymbols};
use crate::{cbor_enum, with_corpus_symbols};

/// The rule by which the given texts are divided into members of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MemberSplit {
    /// Each text is a member. A file of records must have a single record.
    #[default]
    Files,
    /// Each line of a text is a member. An empty line is an empty member.
    Lines,
    /// Each record of a file (FASTA, FASTQ, GenBank or EMBL) is a member.
    Records,
    /// Each group of lines between blank lines is a member.
    Blank,
    /// Each text is a member, also if it looks like a file of records.
    Plain,
}

cbor_enum!(MemberSplit { 0 Files, 1 Lines, 2 Records, 3 Blank, 4 Plain });

impl MemberSplit {
    /// All rules, with the default first.
    pub const ALL: [Self; 5] = [Self::Files, Self::Lines, Self::Records, Self::Blank, Self::Plain];

    /// Returns the name of the rule in JSON, such as `lines`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Lines => "lines",
            Self::Records => "records",
            Self::Blank => "blank",
            Self::Plain => "plain",
        }
    }

    /// Divides `text` into lines or groups of lines, as ranges of bytes without the line ends around them. Returns `None` if
    /// the rule does not divide plain text. Takes O(bytes) time.
    pub fn parts(self, text: &[u8]) -> Option<Vec<Range<usize>>> {
        match self {
            Self::Lines => Some(lines(text).collect()),
            Self::Blank => Some(paragraphs(text)),
            Self::Files | Self::Records | Self::Plain => None,
        }
    }
}

/// A text or file from which members are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSource {
    /// Name of the file, or of the text in errors.
    pub name: String,
    /// Contents.
    pub bytes: Arc<[u8]>,
}

/// The texts of one side of a question, and the rule by which they are divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideSources {
    /// Texts, in order.
    pub sources: Vec<MemberSource>,
    /// Rule by which each text is divided.
    pub split: MemberSplit,
}

/// A text of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name of the file, first word of the record's header, or first characters of the line. May be empty, and several
    /// members may have the same name.
    pub name: String,
    /// Number of the member in the [`Corpus`]. Members with equal symbols share one.
    pub text: usize,
    /// Number of the text that was read for the member, among those of its side.
    source: usize,
    /// Units of the member in its source.
    units: Range<usize>,
}

/// The members of one side of a question.
#[derive(Clone, Debug)]
pub struct CollectionSide {
    texts: Vec<Text>,
    /// For each text, the number of the given text, and the position of its first byte there.
    origins: Vec<(usize, usize)>,
    members: Vec<Member>,
    /// Numbers in the corpus of the distinct members of this side.
    distinct: Range<usize>,
}

/// One or two collections, whose symbols are numbered together. Equal members of a side are stored once.
#[derive(Clone, Debug)]
pub struct Collection {
    corpus: Corpus,
    a: CollectionSide,
    b: Option<CollectionSide>,
    warnings: Vec<ReadWarning>,
}

/// Maximum number of characters of a line that become the name of a member.
const MAX_NAME_CHARS: usize = 60;

/// Maximum number of characters of a name. Longer names are shortened in the middle.
const MAX_MEMBER_NAME_CHARS: usize = 200;

impl CollectionSide {
    /// Returns the members, in the order of the texts.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the numbers in the corpus of the distinct members of this side.
    pub fn distinct(&self) -> Range<usize> {
        self.distinct.clone()
    }

    /// Returns the number of units of the member `member`.
    ///
    /// # Panics
    /// Panics if the member does not exist.
    pub fn member_len(&self, member: usize) -> usize {
        self.members[member].units.len()
    }

    /// Returns the bytes of the member `member` as a text of its own. A sequence has its name as a FASTA header.
    ///
    /// # Panics
    /// Panics if the member does not exist.
    pub fn member_text(&self, member: usize) -> Vec<u8> {
        let Member { name, source, units, .. } = &self.members[member];
        // A header alone would be read as plain text.
        if units.is_empty() {
            return Vec::new();
        }
        let text = &self.texts[*source];
        let header = if text.is_upper() { format!(">{name}\n") } else { String::new() };
        [header.as_bytes(), &text.bytes()[self.bytes_of(member)]].concat()
    }

    /// Returns the place of the member `member`: the number of the given text, and the bytes of the member in that text
    /// after decoding to UTF-8.
    ///
    /// # Panics
    /// Panics if the member does not exist.
    pub fn member_place(&self, member: usize) -> (usize, Range<usize>) {
        let (given, offset) = self.origins[self.members[member].source];
        let bytes = self.bytes_of(member);
        (given, bytes.start + offset..bytes.end + offset)
    }

    /// Returns the bytes of a member in the text that was read for it.
    fn bytes_of(&self, member: usize) -> Range<usize> {
        let Member { source, units, .. } = &self.members[member];
        let text = &self.texts[*source];
        if units.is_empty() { 0..0 } else { text.range(units.start).start..text.range(units.end - 1).end }
    }

    /// Reads each member as a text of its own, with its name. A record is a file of one record.
    ///
    /// # Errors
    /// Returns `BadInput` if a member cannot be read. This has happened before for every member that cannot.
    pub(super) fn member_texts(&self, reading: &ReadingOptions) -> Result<Vec<Text>, JobFailure> {
        let text = |(number, member): (usize, &Member)| {
            let fasta = if self.texts[member.source].is_upper() { FastaMode::Always } else { FastaMode::Never };
            let own = ReadingOptions { fasta, ..*reading };
            let text = SourceText::decode(member.name.clone(), self.member_text(number).into(), &own, &mut Vec::new())?;
            Ok(Text::from(text.cut(&own, SourceRecords::Single, &mut Vec::new())?).named(&member.name))
        };
        self.members.iter().enumerate().map(text).collect()
    }

    /// Finds the units of the members of one side. `side` names the side in errors.
    fn read(side: &str, given: DecodedSide, reading: &ReadingOptions, warnings: &mut Vec<ReadWarning>) -> Result<Self, JobFailure> {
        let DecodedSide { texts: sources, split } = given;
        let (texts, origins) = (Vec::with_capacity(sources.len()), Vec::with_capacity(sources.len()));
        let mut read = Self { texts, origins, members: Vec::new(), distinct: 0..0 };
        for (given, source) in sources.into_iter().enumerate() {
            match split {
                MemberSplit::Files | MemberSplit::Plain => {
                    let name = source.name.clone();
                    let text = Text::from(source.cut(reading, SourceRecords::Single, warnings)?);
                    read.add(side, name.into(), 0..text.len())?;
                    read.push(text, (given, 0));
                }
                MemberSplit::Records => {
                    let text = Text::from(source.cut(reading, SourceRecords::Separate, warnings)?);
                    for record in 0..text.record_count() {
                        read.add(side, text.record_word(record as u64).into(), text.record_range(record))?;
                    }
                    read.push(text, (given, 0));
                }
                MemberSplit::Lines | MemberSplit::Blank => {
                    let parts = split.parts(&source.bytes).unwrap_or_default();
                    read.divide(side, (given, source), &parts, reading, warnings)?;
                }
            }
        }
        if read.members.is_empty() {
            return Err(JobFailure::bad_input(format!("`{side}` has no texts to compare.")));
        }
        Ok(read)
    }

    /// Adds a member for each of `parts`, which are ranges of bytes of a plain text.
    fn divide(
        &mut self,
        side: &str,
        (given, source): (usize, SourceText),
        parts: &[Range<usize>],
        reading: &ReadingOptions,
        warnings: &mut Vec<ReadWarning>,
    ) -> Result<(), JobFailure> {
        let plain = ReadingOptions { fasta: FastaMode::Never, ..*reading };
        let bytes = source.bytes.clone();
        let is_ascii = bytes.is_ascii();
        // Normalization may combine a mark at the start of a line with the line end before it.
        let is_normalized = reading.normalize && !is_ascii;
        // A word or line may begin with the byte order mark before a part. Units of the text begin after its own mark. A text that
        // is not UTF-8 is read as a whole, because its error then has the position in the whole text.
        let has_long_units = !is_ascii && matches!(reading.unit, Unit::Words | Unit::Lines) && str::from_utf8(&bytes).is_ok();
        let own_mark = mark_len(&bytes);
        let is_marked = |part: &Range<usize>| part.start > own_mark && mark_len(&bytes[part.start.saturating_sub(3)..part.start]) > 0;
        let begins_text = |part: &Range<usize>| is_normalized || has_long_units && is_marked(part);
        if !parts.iter().any(begins_text) {
            let text = Text::from(source.cut(&plain, SourceRecords::Single, warnings)?);
            return self.add_parts(side, text, (given, 0), &bytes, parts);
        }
        for parts in parts.chunk_by(|_, next| !begins_text(next)) {
            let (start, end) = (parts[0].start, parts[parts.len() - 1].end);
            let own = SourceText::decode(source.name.clone(), bytes[start..end].into(), &plain, warnings)?;
            let text = Text::from(own.cut(&plain, SourceRecords::Single, warnings)?);
            self.add_parts(side, text, (given, start), &bytes, parts)?;
        }
        Ok(())
    }

    /// Adds a text, which begins at the byte `origin.1` of the given text, and a member for each of `parts`, which are ranges of
    /// bytes of the given text `bytes`.
    fn add_parts(
        &mut self,
        side: &str,
        text: Text,
        origin: (usize, usize),
        bytes: &[u8],
        parts: &[Range<usize>],
    ) -> Result<(), JobFailure> {
        for part in parts {
            let units = text.units_within(part.start - origin.1..part.end - origin.1);
            self.add(side, part_name(&bytes[part.clone()]), units)?;
        }
        self.push(text, origin);
        Ok(())
    }

    /// Adds a text, which begins at the byte `origin.1` of the given text with the number `origin.0`.
    fn push(&mut self, text: Text, origin: (usize, usize)) {
        self.texts.push(text);
        self.origins.push(origin);
    }

    /// Adds a member with the units `units` of the text that is read next.
    fn add(&mut self, side: &str, name: Cow<str>, units: Range<usize>) -> Result<(), JobFailure> {
        if self.members.len() == Collection::MAX_MEMBERS {
            let (what, limit) = (format!("The number of texts in {side}"), Collection::MAX_MEMBERS as u64);
            return Err(JobFailure::TooLarge { what, got: limit + 1, limit });
        }
        let name = shortened_name(name);
        if units.len() > Corpus::MAX_MEMBER {
            let what = format!("The length of {} in symbols", if name.is_empty() { side } else { &name });
            return Err(JobFailure::TooLarge { what, got: units.len() as u64, limit: Corpus::MAX_MEMBER as u64 });
        }
        self.members.push(Member { name: name.into_owned(), text: 0, source: self.texts.len(), units });
        Ok(())
    }
}

/// The decoded texts of one side, and the rule by which they are divided.
struct DecodedSide {
    texts: Vec<SourceText>,
    split: MemberSplit,
}

/// Decodes the texts of all sides, and reads their members. All texts of [`MemberSplit::Files`] are read as files of records,
/// or none. Returns the sides and the doubts about them.
///
/// # Errors
/// Returns the errors of [`Collection::parse`].
pub(super) fn read_sides(
    sides: Vec<(&str, SideSources)>,
    reading: &ReadingOptions,
) -> Result<(Vec<CollectionSide>, Vec<ReadWarning>), JobFailure> {
    let mut warnings = Vec::new();
    let mut decoded = Vec::with_capacity(sides.len());
    for (name, SideSources { sources, split }) in sides {
        if sources.len() > Collection::MAX_SOURCES {
            let what = format!("The number of texts in {name} that are sent apart");
            return Err(JobFailure::TooLarge { what, got: sources.len() as u64, limit: Collection::MAX_SOURCES as u64 });
        }
        let decode = |MemberSource { name, bytes }: MemberSource| SourceText::decode(name, bytes.into(), reading, &mut warnings);
        decoded.push((name, DecodedSide { texts: sources.into_iter().map(decode).collect::<Result<_, JobFailure>>()?, split }));
    }
    let of_split = |split: MemberSplit| decoded.iter().filter(move |(_, side)| side.split == split);
    let files: Vec<&SourceText> = of_split(MemberSplit::Files).flat_map(|(_, side)| &side.texts).collect();
    let fasta = common_fasta_mode(&files, reading, of_split(MemberSplit::Records).next().is_some())?;
    let of_side = |split: MemberSplit| match split {
        MemberSplit::Files => ReadingOptions { fasta, ..*reading },
        MemberSplit::Plain => ReadingOptions { fasta: FastaMode::Never, ..*reading },
        MemberSplit::Lines | MemberSplit::Records | MemberSplit::Blank => *reading,
    };
    let mut read = Vec::with_capacity(decoded.len());
    for (name, side) in decoded {
        let reading = of_side(side.split);
        read.push(CollectionSide::read(name, side, &reading, &mut warnings)?);
    }
    Ok((read, warnings))
}

impl Collection {
    /// Maximum number of members of a side.
    pub const MAX_MEMBERS: usize = 4_000_000;

    /// Maximum number of texts of a side, before they are divided.
    pub const MAX_SOURCES: usize = 100_000;

    /// Reads the texts of one collection, or of two if `b` is given. Takes O(bytes) time and memory.
    ///
    /// # Errors
    /// Returns `BadInput` in these cases. Each names the text and the place.
    ///
    /// - a text is not UTF-8, and units are not bytes
    /// - a file has several records, and its side is not divided into records
    /// - a file has a bad record
    /// - a side has no members
    ///
    /// Returns `TooLarge` if a text has 4 GiB or more, if a member is longer than [`Corpus::MAX_MEMBER`], or if a side has
    /// more than [`Self::MAX_SOURCES`] texts or [`Self::MAX_MEMBERS`] members.
    pub fn parse(a: SideSources, b: Option<SideSources>, reading: &ReadingOptions) -> Result<Self, JobFailure> {
        let given = std::iter::once(("a", a)).chain(b.map(|b| ("b", b))).collect();
        let (mut sides, warnings) = read_sides(given, reading)?;
        let texts: Vec<&Text> = sides.iter().flat_map(|side| &side.texts).collect();
        let (symbols, alphabet) = number_all(&texts, reading);
        let corpus = if symbols.iter().all(|symbols| matches!(symbols, TextSymbols::Narrow(_))) {
            let symbols: Vec<&[u8]> =
                symbols.iter().map(|text| if let TextSymbols::Narrow(text) = text { &text[..] } else { &[] }).collect();
            let (symbols, ends) = distinct_members(&mut sides, &symbols);
            let (symbols, alphabet) = renumbered(symbols, alphabet);
            Corpus::new(TextSymbols::Narrow(symbols), ends, alphabet)
        } else {
            let symbols: Vec<&[u32]> =
                symbols.iter().map(|text| if let TextSymbols::Wide(text) = text { &text[..] } else { &[] }).collect();
            let (symbols, ends) = distinct_members(&mut sides, &symbols);
            Corpus::new(TextSymbols::Wide(symbols), ends, alphabet)
        };
        let mut sides = sides.into_iter();
        match (sides.next(), sides.next()) {
            (Some(a), b) => Ok(Self { corpus, a, b, warnings }),
            (None, _) => Err(JobFailure::engine("A collection has no side.")),
        }
    }

    /// Returns the doubts about how the texts were read. Each names its text.
    pub fn warnings(&self) -> &[ReadWarning] {
        &self.warnings
    }

    /// Returns the symbols of the distinct members of both sides.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Returns the first collection.
    pub fn a(&self) -> &CollectionSide {
        &self.a
    }

    /// Returns the second collection, or `None` if all pairs of the first one are compared.
    pub fn b(&self) -> Option<&CollectionSide> {
        self.b.as_ref()
    }

    /// Returns the members of the columns: those of `b`, or of `a` if there is one collection.
    pub fn columns(&self) -> &CollectionSide {
        self.b.as_ref().unwrap_or(&self.a)
    }

    /// Returns the number of pairs of members that are compared: all pairs of two sides, or all pairs of different members
    /// of one collection.
    pub fn pairs(&self) -> u64 {
        let rows = self.a.members.len() as u64;
        match &self.b {
            Some(b) => rows * b.members.len() as u64,
            None => rows * rows.saturating_sub(1) / 2,
        }
    }

    /// Returns the unit of each symbol for display, and the name of a member that has it, by the number of the symbol. Takes
    /// O(symbols) time.
    pub(crate) fn units(&self) -> Vec<(String, &str)> {
        let mut units = vec![(String::new(), ""); self.corpus.alphabet() as usize];
        let mut is_known = vec![false; units.len()];
        for side in [Some(&self.a), self.b.as_ref()].into_iter().flatten() {
            for member in &side.members {
                let range = self.corpus.range(member.text);
                with_corpus_symbols!(self.corpus, |symbols| for (&symbol, at) in symbols[range].iter().zip(member.units.clone()) {
                    let symbol = symbol as usize;
                    if !is_known[symbol] {
                        is_known[symbol] = true;
                        units[symbol] = (side.texts[member.source].display_unit(at), &member.name[..]);
                    }
                });
            }
        }
        units
    }
}

/// Lists the symbols of all distinct members, one after another, and the end of each. Sets the numbers of all members.
fn distinct_members<T: Copy + Eq + std::hash::Hash>(sides: &mut [CollectionSide], texts: &[&[T]]) -> (Vec<T>, Vec<usize>) {
    let (mut symbols, mut ends) = (Vec::new(), Vec::new());
    let mut first = 0;
    for side in sides {
        // The hasher of the standard library would take longer for short members.
        let mut numbers: HashMap<&[T], usize, _> =
            HashMap::with_capacity_and_hasher(side.members.len(), foldhash::fast::RandomState::default());
        let start = ends.len();
        for member in &mut side.members {
            let own = &texts[first + member.source][member.units.clone()];
            member.text = *numbers.entry(own).or_insert_with(|| {
                symbols.extend_from_slice(own);
                ends.push(symbols.len());
                ends.len() - 1
            });
        }
        side.distinct = start..ends.len();
        first += side.texts.len();
    }
    (symbols, ends)
}

/// Replaces symbols by their numbers among those that occur, because borders and line ends have numbers too. Returns the
/// symbols and their number.
fn renumbered(mut symbols: Vec<u8>, alphabet: u32) -> (Vec<u8>, u32) {
    let mut occurs = [false; 256];
    symbols.iter().for_each(|&symbol| occurs[usize::from(symbol)] = true);
    let (mut numbers, mut next) = ([0; 256], 0);
    for (number, _) in numbers.iter_mut().zip(occurs).filter(|(_, occurs)| *occurs) {
        *number = next as u8;
        next += 1;
    }
    if next < alphabet {
        symbols.iter_mut().for_each(|symbol| *symbol = numbers[usize::from(*symbol)]);
    }
    (symbols, next)
}

/// Iterates over the lines of a text, as ranges of bytes without line ends and without byte order marks at their starts. LF, CR LF
/// or CR ends a line. The end of the last line may be missing.
fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        start += mark_len(text.get(start..)?);
        if start >= text.len() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', &text[start..]).map_or(text.len(), |at| start + at);
        let line = start..end;
        start = if text[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        Some(line)
    })
}

/// Returns the groups of lines between blank lines, as ranges of bytes.
fn paragraphs(text: &[u8]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    for line in lines(text) {
        let is_blank = text[line.clone()].iter().all(u8::is_ascii_whitespace);
        match groups.last_mut() {
            _ if is_blank => {}
            Some(last) if is_open => last.end = line.end,
            _ => groups.push(line),
        }
        is_open = !is_blank;
    }
    groups
}

/// Shortens a name to [`MAX_MEMBER_NAME_CHARS`] characters. An ellipsis replaces the middle of a longer name, because paths often
/// differ at their ends only.
fn shortened_name(name: Cow<str>) -> Cow<str> {
    let (begin, end) = (MAX_MEMBER_NAME_CHARS / 2, MAX_MEMBER_NAME_CHARS - MAX_MEMBER_NAME_CHARS / 2 - 1);
    if name.len() <= MAX_MEMBER_NAME_CHARS || name.chars().nth(MAX_MEMBER_NAME_CHARS).is_none() {
        return name;
    }
    let before: String = name.chars().take(begin).collect();
    let after = name.char_indices().rev().nth(end - 1).map_or(0, |(at, _)| at);
    format!("{before}…{}", &name[after..]).into()
}

/// Returns the name of a part of a divided text: the first characters of the first line that is not blank.
pub fn part_name(text: &[u8]) -> Cow<'static, str> {
    let line = lines(text).map(|line| &text[line]).find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let shown = String::from_utf8_lossy(&line[..line.len().min(4 * MAX_NAME_CHARS + 4)]);
    let shown = shown.trim();
    match shown.char_indices().nth(MAX_NAME_CHARS) {
        None => shown.to_owned().into(),
        Some((end, _)) => format!("{}…", &shown[..end]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of texts that are read for the lines of `text`.
    fn texts_read(text: &str, unit: Unit, normalize: bool) -> usize {
        let source = MemberSource { name: "lines".into(), bytes: text.as_bytes().into() };
        let side = SideSources { sources: vec![source], split: MemberSplit::Lines };
        Collection::parse(side, None, &ReadingOptions { unit, normalize, ..ReadingOptions::default() }).unwrap().a().texts.len()
    }

    #[test]
    fn byte_order_marks_divide_a_text_only_where_units_begin_with_them() {
        let text = format!("{}\u{feff}x y\nz\n", "one two\n".repeat(100));
        for (unit, expected) in [(Unit::Bytes, 1), (Unit::Chars, 1), (Unit::Graphemes, 1), (Unit::Words, 2), (Unit::Lines, 2)] {
            assert_eq!(texts_read(&text, unit, false), expected, "{unit:?}");
        }
        assert_eq!(texts_read(&text, Unit::Words, true), 102, "normalised lines");
    }

    #[test]
    fn error_of_a_marked_text_has_the_byte_of_the_whole_text() {
        let source = MemberSource { name: "lines".into(), bytes: b"one\n\xef\xbb\xbftwo\ncaf\xe9\n"[..].into() };
        let side = SideSources { sources: vec![source], split: MemberSplit::Lines };
        let error = Collection::parse(side, None, &ReadingOptions { unit: Unit::Words, ..ReadingOptions::default() }).unwrap_err();
        assert!(error.to_string().contains("not valid UTF-8 at byte 14"), "{error}");
    }
}
