//! Texts of one side of a comparison, as they were typed or opened ([`TextSide`]).

use std::ops::Range;
use std::sync::Arc;

use explain::worker_protocol::collection::{SideInfo, SourceInfo};
use kernels::collection::{Collection, MemberSplit, part_name};
use kernels::reading::mark_len;

use super::hand_in::HandInTime;
use super::member_edits::{DroppedEdits, MemberEdits};
use super::table::{self, ColumnChoice};
use crate::model::form::TYPED_BYTES;

/// A text or file of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSource {
    /// Name of the file. Empty if the text was typed.
    pub name: Arc<str>,
    pub bytes: Arc<[u8]>,
    pub about: SourceDetails,
    /// Edits of the texts into which the source is divided.
    pub edits: MemberEdits,
}

/// The identity of the bytes of a source. Other bytes of the same content differ from them.
#[derive(Clone, Debug)]
pub struct SourceIdentity(Arc<[u8]>);

impl PartialEq for SourceIdentity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SourceIdentity {}

/// The identity of the texts into which a side is divided. Edits of these texts do not change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideIdentity {
    sources: Vec<SourceIdentity>,
    split: MemberSplit,
    column: Option<ColumnChoice>,
}

/// Rules by which a visitor can divide texts.
pub const SPLITS: [MemberSplit; 4] = [MemberSplit::Files, MemberSplit::Lines, MemberSplit::Records, MemberSplit::Blank];

/// Endings of names of files with a table.
const TABLE_ENDINGS: [&str; 2] = [".csv", ".tsv"];

/// The details of a hand-in, as a list such as `info.csv` has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceDetails {
    /// Name of the author. Empty if it is unknown.
    pub full_name: Arc<str>,
    /// Label, such as that of a class. Empty if there is none.
    pub label: Arc<str>,
    pub handed_in: Option<HandInTime>,
}

impl TextSource {
    pub fn typed(text: &str) -> Self {
        Self::file("", text.as_bytes())
    }

    pub fn file(name: &str, bytes: &[u8]) -> Self {
        Self { name: name.into(), bytes: bytes.into(), ..Self::default() }
    }

    /// Returns whether this source has the name, the details and the content of `other`.
    pub fn is_same_file(&self, other: &Self) -> bool {
        self.name == other.name && self.about == other.about && self.bytes == other.bytes
    }

    /// Returns the identity of the content. Names and details do not change it.
    pub fn identity(&self) -> SourceIdentity {
        SourceIdentity(self.bytes.clone())
    }

    /// Returns the name of the author, or of the file if the author is unknown.
    pub fn title(&self) -> &Arc<str> {
        if self.about.full_name.is_empty() { &self.name } else { &self.about.full_name }
    }

    /// Changes the name that [`Self::title`] returns. Ignores an empty name.
    pub fn rename(&mut self, name: &str) {
        let name = name.trim();
        if name.is_empty() {
            return;
        }
        let own = if self.about.full_name.is_empty() { &mut self.name } else { &mut self.about.full_name };
        *own = name.into();
    }

    /// Returns the text, if a text area can show it unchanged.
    pub fn text(&self) -> Option<&str> {
        // A text area replaces CR by LF.
        let fits = self.bytes.len() as u64 <= TYPED_BYTES && !self.bytes.contains(&b'\r') && !self.bytes.contains(&0);
        std::str::from_utf8(&self.bytes).ok().filter(|_| fits)
    }
}

/// The texts of one side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSide {
    pub sources: Vec<TextSource>,
    /// Rule by which each source is divided into texts.
    pub split: MemberSplit,
    /// The column of each source that has the texts, instead of `split`.
    pub column: Option<ColumnChoice>,
    /// Edits of typed texts that were removed since the side was blank.
    pub dropped: DroppedEdits<Arc<[u8]>>,
}

impl Default for TextSide {
    fn default() -> Self {
        Self { sources: Vec::new(), split: MemberSplit::Lines, column: None, dropped: DroppedEdits::default() }
    }
}

impl TextSide {
    /// Returns whether there are no texts.
    pub fn is_blank(&self) -> bool {
        self.sources.iter().all(|source| source.bytes.is_empty() && source.name.is_empty())
    }

    /// Returns the identity of the texts.
    pub fn identity(&self) -> SideIdentity {
        let sources = self.sources.iter().map(TextSource::identity).collect();
        SideIdentity { sources, split: self.split, column: self.column }
    }

    /// Returns the text of the text area, or `None` if the texts are files that it cannot show.
    pub fn typed(&self) -> Option<&str> {
        match &self.sources[..] {
            [] => Some(""),
            [only] => only.text(),
            _ => None,
        }
    }

    /// Replaces the texts by the content of the text area.
    pub fn retype(&mut self, text: &str) {
        let edits = self.edits().cloned().unwrap_or_default();
        let has_edits = !edits.is_empty() || !self.dropped.is_empty();
        let bytes = |side: &Self| side.parts().into_iter().flatten().map(|part| part.bytes).collect::<Vec<_>>();
        let before = has_edits.then(|| bytes(self));
        self.sources = if text.is_empty() { Vec::new() } else { vec![TextSource::typed(text)] };
        self.column = self.column.filter(|_| !text.is_empty());
        if self.split == MemberSplit::Files {
            self.split = split_of(text.as_bytes());
        }
        if let Some(before) = before {
            let after = bytes(self);
            let edits = edits.followed(&before, &after, &mut self.dropped);
            self.set_edits(edits);
        }
    }

    /// Returns the edits of the texts, if there are any.
    pub fn edits(&self) -> Option<&MemberEdits> {
        let [only] = &self.sources[..] else { return None };
        Some(&only.edits).filter(|edits| !edits.is_empty() && self.has_parts())
    }

    /// Replaces the edits of the texts of a single source. Other sources have none.
    pub fn set_edits(&mut self, edits: MemberEdits) {
        if let [only] = &mut self.sources[..] {
            only.edits = edits;
        }
    }

    /// Returns whether the side has more texts than can be edited, because edited texts are sent apart. Takes O(bytes) time.
    pub fn has_too_many_parts(&self) -> bool {
        self.parts().is_some_and(|parts| parts.len() > Collection::MAX_SOURCES)
    }

    /// Changes the edits of the texts of a single source.
    pub fn edit_members(&mut self, change: impl FnOnce(&mut MemberEdits)) {
        let mut edits = self.edits().cloned().unwrap_or_default();
        change(&mut edits);
        self.set_edits(edits);
    }

    /// Returns whether [`Self::parts`] divides the source.
    pub fn has_parts(&self) -> bool {
        self.sources.len() == 1 && (self.column.is_some() || matches!(self.split, MemberSplit::Lines | MemberSplit::Blank))
    }

    /// Divides a single source into its texts, with their names, as the solver does. Returns `None` for several sources, and
    /// for records, which only the solver reads. Takes O(bytes) time.
    pub fn parts(&self) -> Option<Vec<TextSource>> {
        let [only] = &self.sources[..] else { return None };
        if let Some(column) = self.column {
            let cell = |(name, cell): (String, &str)| TextSource::file(&name, cell.as_bytes());
            return Some(column.texts(&table::rows(&only.bytes)).into_iter().map(cell).collect());
        }
        let ranges = self.split.parts(&only.bytes)?;
        let part = |range: Range<usize>| TextSource::file(&part_name(&only.bytes[range.clone()]), &only.bytes[range]);
        Some(ranges.into_iter().map(part).collect())
    }

    /// Replaces the texts by opened files. A single file is divided, because it is a collection only if it has several
    /// texts. A table has them in a column.
    pub fn open(&mut self, files: Vec<TextSource>) {
        match &files[..] {
            [] => return,
            [only] => self.split = split_of(&only.bytes),
            _ => self.split = MemberSplit::Files,
        }
        self.sources = files;
        self.guess_column();
        self.dropped = DroppedEdits::default();
    }

    /// Chooses the column of the texts, if there is a single file with a table.
    pub fn guess_column(&mut self) {
        self.column = match &self.sources[..] {
            [only] if TABLE_ENDINGS.iter().any(|ending| only.name.to_ascii_lowercase().ends_with(ending)) => {
                ColumnChoice::guess(&table::rows(&only.bytes))
            }
            _ => None,
        };
    }

    /// Reads the rows of all sources as a table. Takes O(bytes) time.
    pub fn rows(&self) -> Vec<Vec<String>> {
        self.rows_of_sources().into_iter().flatten().collect()
    }

    fn rows_of_sources(&self) -> Vec<Vec<Vec<String>>> {
        self.sources.iter().map(|source| table::rows(&source.bytes)).collect()
    }

    /// Returns the rule that divides the sources of [`Self::texts`]. Edited lines are sent apart with their names, and are no
    /// files of records.
    pub fn split(&self) -> MemberSplit {
        match self.column {
            Some(_) => MemberSplit::Files,
            None if self.edits().is_some() => MemberSplit::Plain,
            None => self.split,
        }
    }

    /// Returns the sources of a request: the texts that take part if some are edited, the cells of the column, or the sources as
    /// they are.
    pub fn texts(&self) -> Vec<TextSource> {
        if let (Some(edits), Some(parts)) = (self.edits(), self.parts()) {
            let edited = |(number, part): (usize, TextSource)| match edits.get(number) {
                Some(edit) if edit.is_left_out => None,
                Some(edit) => Some(TextSource { name: edit.name.clone(), ..part }),
                None => Some(part),
            };
            return parts.into_iter().enumerate().filter_map(edited).collect();
        }
        match self.column {
            Some(column) => {
                let rows = self.rows_of_sources();
                let cells = rows.iter().flat_map(|rows| column.texts(rows));
                cells.map(|(name, cell)| TextSource::file(&name, cell.as_bytes())).collect()
            }
            None => self.sources.clone(),
        }
    }

    /// Describes the sources `texts` for a request.
    pub fn info(&self, texts: &[TextSource]) -> SideInfo {
        let source = |(number, source): (usize, &TextSource)| {
            // A part without a name is an empty text.
            let is_unnamed = source.title().is_empty() && self.edits().is_none();
            let name = if is_unnamed { format!("text {}", number + 1) } else { source.title().to_string() };
            SourceInfo { name, bytes: source.bytes.len() as u64 }
        };
        SideInfo { split: self.split(), sources: texts.iter().enumerate().map(source).collect() }
    }
}

/// Returns the rule by which a single file or typed text is divided.
fn split_of(text: &[u8]) -> MemberSplit {
    if matches!(text[mark_len(text)..].first(), Some(b'>' | b'@')) { MemberSplit::Records } else { MemberSplit::Lines }
}

/// Number of bytes at the beginning of a file in which [`is_prose`] looks for white space.
const PROSE_SAMPLE_BYTES: usize = 400;

/// Minimum size of prose, in bytes.
const MIN_PROSE_BYTES: usize = 100;

/// Returns whether a file has words: white space at usual distances.
pub fn is_prose(text: &[u8]) -> bool {
    let begin = &text[..text.len().min(PROSE_SAMPLE_BYTES)];
    let spaces = begin.iter().filter(|byte| byte.is_ascii_whitespace()).count();
    begin.len() >= MIN_PROSE_BYTES && spaces * 12 >= begin.len()
}

#[cfg(test)]
mod tests {
    use kernels::collection::{MemberSource, SideSources};
    use kernels::job::JobOptions;

    use super::*;

    #[test]
    fn parts_are_those_of_the_solver() {
        let long = "ä".repeat(70);
        let texts = [
            "",
            "a",
            "a\n",
            "a\n\nb",
            "\n\na\r\nb\rc\n",
            " \n\t\n x \n y\n\n\n z",
            "\u{feff}a\nb",
            "a\n\u{feff}b\n\n\u{feff}\u{feff}c\n\u{feff}",
            &long,
            "\n",
        ];
        for (split, text) in [MemberSplit::Lines, MemberSplit::Blank].into_iter().flat_map(|split| texts.map(|text| (split, text))) {
            let side = TextSide { sources: vec![TextSource::file("", text.as_bytes())], split, ..TextSide::default() };
            let source = MemberSource { name: String::new(), bytes: text.as_bytes().into() };
            let read = Collection::parse(SideSources { sources: vec![source], split }, None, &JobOptions::default().reading());
            let expected: Vec<(String, Vec<u8>)> = read.map_or_else(
                |_| Vec::new(),
                |read| {
                    (0..read.a().members().len())
                        .map(|member| (read.a().members()[member].name.clone(), read.a().member_text(member)))
                        .collect()
                },
            );
            let parts = side.parts().unwrap_or_default();
            let parts: Vec<_> = parts.iter().map(|part| (part.name.to_string(), part.bytes.to_vec())).collect();
            assert_eq!(parts, expected, "{split:?} {text:?}");
        }
    }

    #[test]
    fn names_and_left_out_texts_follow_the_typed_text() {
        let mut side = TextSide::default();
        side.retype("kitten\nsitting\nmitten");
        side.edit_members(|edits| {
            edits.rename(0, "Mia");
            edits.leave_out(1, true);
        });
        side.retype("kit\nkitten\nsitting\nmitten");
        let shown: Vec<_> = side.texts().iter().map(|text| (text.name.to_string(), text.bytes.to_vec())).collect();
        assert_eq!(shown, [("kit".into(), b"kit".to_vec()), ("Mia".into(), b"kitten".to_vec()), ("mitten".into(), b"mitten".to_vec())]);
        assert_eq!((side.split(), side.edits().map(MemberEdits::left_out)), (MemberSplit::Plain, Some(1)));
        // Cutting all and pasting it again restores the edits.
        let whole = side.texts();
        side.retype("");
        side.retype("kit\nkitten\nsitting\nmitten");
        assert_eq!(side.texts(), whole);
        // Records are not divided here.
        side.split = MemberSplit::Records;
        assert_eq!((side.edits(), side.parts(), side.texts().len()), (None, None, 1));
        side.retype("");
        assert!(side.is_blank() && side.edits().is_none());
    }

    #[test]
    fn cells_of_a_column_are_edited() {
        let column = Some(ColumnChoice { text: 1, name: Some(0), has_headings: true });
        let mut side = TextSide { sources: vec![TextSource::typed("name,text\nMia,a\nTom,b")], column, ..TextSide::default() };
        side.edit_members(|edits| {
            edits.leave_out(0, true);
            edits.rename(1, "T.");
        });
        let shown: Vec<_> = side.texts().iter().map(|text| (text.name.to_string(), text.bytes.to_vec())).collect();
        assert_eq!(shown, [("T.".to_owned(), b"b".to_vec())]);
    }

    #[test]
    fn edited_cells_return_after_a_quote_was_closed() {
        let column = Some(ColumnChoice { text: 0, name: None, has_headings: false });
        let mut side = TextSide { sources: vec![TextSource::typed("x,1\ny,2\nz,3")], column, ..TextSide::default() };
        side.edit_members(|edits| edits.rename(1, "Mia"));
        let whole = side.texts();
        side.retype("\"x,1\ny,2\nz,3");
        assert!(side.edits().is_none());
        side.retype("x,1\ny,2\nz,3");
        assert_eq!(side.texts(), whole);
    }

    #[test]
    fn texts_beyond_the_limit_of_sources_cannot_be_edited() {
        let mut side = TextSide::default();
        side.retype(&"a\n".repeat(Collection::MAX_SOURCES));
        assert!(!side.has_too_many_parts());
        side.retype(&"a\n".repeat(Collection::MAX_SOURCES + 1));
        assert!(side.has_too_many_parts());
    }

    #[test]
    fn equal_content_of_another_file_has_another_identity() {
        let [mut one, other] = ["a.txt", "a.txt"].map(|name| TextSource::file(name, b"x"));
        assert_eq!(one, other);
        assert_ne!(one.identity(), other.identity());
        let before = one.identity();
        one.rename("Mia");
        assert_eq!(one.clone().identity(), before);
        let mut side = TextSide { sources: vec![one], ..TextSide::default() };
        let before = side.identity();
        side.edit_members(|edits| edits.rename(0, "Tom"));
        assert_eq!(side.identity(), before);
        side.split = MemberSplit::Blank;
        assert_ne!(side.identity(), before);
        side.split = MemberSplit::Lines;
        side.sources = vec![other];
        assert_ne!(side.identity(), before);
    }

    #[test]
    fn renamed_text_has_another_title() {
        let mut source = TextSource::file("a.txt", b"x");
        source.rename(" Mia ");
        assert_eq!((source.title().as_ref(), source.name.as_ref()), ("Mia", "Mia"));
        source.rename("  ");
        assert_eq!(source.title().as_ref(), "Mia");
        source.about.full_name = "Bauer, Mia".into();
        source.rename("Bauer, M.");
        assert_eq!((source.title().as_ref(), source.name.as_ref()), ("Bauer, M.", "Mia"));
    }
}
