//! Texts of one side of a comparison, as they were typed or opened ([`TextSide`]).

use std::sync::Arc;

use explain::worker_protocol::collection::{SideInfo, SourceInfo};
use kernels::collection::MemberSplit;

use super::hand_in::HandInTime;
use super::table::{self, ColumnChoice};
use crate::model::form::TYPED_BYTES;

/// A text or file of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSource {
    /// Name of the file. Empty if the text was typed.
    pub name: Arc<str>,
    pub bytes: Arc<[u8]>,
    pub about: SourceDetails,
}

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
        Self { name: name.into(), bytes: bytes.into(), about: SourceDetails::default() }
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
}

impl Default for TextSide {
    fn default() -> Self {
        Self { sources: Vec::new(), split: MemberSplit::Lines, column: None }
    }
}

impl TextSide {
    /// Returns whether there are no texts.
    pub fn is_blank(&self) -> bool {
        self.sources.iter().all(|source| source.bytes.is_empty() && source.name.is_empty())
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
        self.sources = if text.is_empty() { Vec::new() } else { vec![TextSource::typed(text)] };
        self.column = self.column.filter(|_| !text.is_empty());
        if self.split == MemberSplit::Files {
            self.split = split_of(text.as_bytes());
        }
    }

    /// Replaces the texts by opened files. A single file is divided, because it is a collection only if it has several
    /// texts. A table has them in a column.
    pub fn open(&mut self, files: Vec<TextSource>) {
        match &files[..] {
            [] => return,
            [only] => {
                self.split = split_of(&only.bytes);
                let is_table = TABLE_ENDINGS.iter().any(|ending| only.name.to_ascii_lowercase().ends_with(ending));
                self.column = if is_table { ColumnChoice::guess(&table::rows(&only.bytes)) } else { None };
            }
            _ => (self.split, self.column) = (MemberSplit::Files, None),
        }
        self.sources = files;
    }

    /// Reads the rows of all sources as a table. Takes O(bytes) time.
    pub fn rows(&self) -> Vec<Vec<String>> {
        self.rows_of_sources().into_iter().flatten().collect()
    }

    fn rows_of_sources(&self) -> Vec<Vec<Vec<String>>> {
        self.sources.iter().map(|source| table::rows(&source.bytes)).collect()
    }

    /// Returns the rule that divides the sources of [`Self::texts`].
    pub fn split(&self) -> MemberSplit {
        if self.column.is_some() { MemberSplit::Files } else { self.split }
    }

    /// Returns the sources of a request: the cells of the column, or the sources as they are.
    pub fn texts(&self) -> Vec<TextSource> {
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
            let name = if source.title().is_empty() { format!("text {}", number + 1) } else { source.title().to_string() };
            SourceInfo { name, bytes: source.bytes.len() as u64 }
        };
        SideInfo { split: self.split(), sources: texts.iter().enumerate().map(source).collect() }
    }
}

/// Returns the rule by which a single file or typed text is divided.
fn split_of(text: &[u8]) -> MemberSplit {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if matches!(text.first(), Some(b'>' | b'@')) { MemberSplit::Records } else { MemberSplit::Lines }
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
    use super::*;

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
