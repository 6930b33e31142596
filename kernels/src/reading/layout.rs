//! Layout: the records of a text, and their positions among its units.

use std::ops::Range;

use super::choice::ResolvedChoice;
use super::records::RecordFile;

/// The records of a text. Between two separate records, one unit stands for the border.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordLayout {
    /// Byte ranges of all headers of the file.
    headers: Vec<(u32, u32)>,
    has_names: bool,
    chosen: Option<u32>,
    /// First unit of each record, if there are several separate records.
    starts: Vec<u32>,
}

impl RecordLayout {
    pub(super) fn new(file: Option<RecordFile>, chosen: &ResolvedChoice, starts: Vec<u32>) -> Self {
        let Some(file) = file else { return Self::default() };
        let (chosen, starts) = match chosen {
            ResolvedChoice::One(number) => (Some(*number), Vec::new()),
            ResolvedChoice::Joined => (None, Vec::new()),
            ResolvedChoice::Apart => (None, starts),
        };
        Self { has_names: file.has_names(), headers: file.headers(), chosen, starts }
    }

    /// Returns the byte range of a record's header.
    pub(crate) fn header(&self, number: u64) -> Option<Range<usize>> {
        let (start, end) = self.headers.get(usize::try_from(number).ok()?).filter(|_| self.has_names)?;
        Some(*start as usize..*end as usize)
    }

    /// Returns the number of the record that is the whole text.
    pub(crate) fn only(&self) -> Option<u64> {
        self.chosen.map(u64::from)
    }

    /// Returns the first units of separate records, or an empty slice for a text without borders.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }
}
