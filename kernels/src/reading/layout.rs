//! Layout: the records of a text, and their positions among its units.

use std::ops::Range;

use super::choice::ResolvedChoice;
use super::records::RecordFile;

/// The records of a file, and the number of the unit at which each begins. One unit between two separate records stands
/// for the border.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordLayout {
    /// Byte ranges of the headers of all records of the file, including those that are not compared.
    headers: Vec<(u32, u32)>,
    /// Whether the records have headers.
    has_names: bool,
    /// Number of the record that is the whole text, if only one is compared.
    chosen: Option<u32>,
    /// Number of the first unit of each record, if records are searched separately. Otherwise empty.
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

    /// Returns the byte range of the header of the record with the number `number`. Returns `None` if the record does
    /// not exist or has no header.
    pub(crate) fn header(&self, number: u64) -> Option<Range<usize>> {
        let (start, end) = self.headers.get(usize::try_from(number).ok()?).filter(|_| self.has_names)?;
        Some(*start as usize..*end as usize)
    }

    /// Returns the number of the only record that is compared, or `None` for several records and plain text.
    pub(crate) fn only(&self) -> Option<u64> {
        self.chosen.map(u64::from)
    }

    /// Returns the number of the first unit of each record that is searched separately. The slice is empty if the text
    /// is not divided into such records.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }
}
