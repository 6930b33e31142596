//! Choice: the records that are chosen for comparison from each of two files.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::records::{ChosenRecord, RecordFile};
use crate::cbor_struct;
use crate::failure::{InputError, JobFailure};

/// The records of a file that a text consists of, given as a field beside the text: `"joined": true`, `"record": 2` or
/// `"record": "chr3"`. Without a choice, the text is the only record of the file, or all records separately if a search
/// can cover several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
#[cfg_attr(feature = "schema", schema(as = Choice))]
pub struct RecordChoice {
    /// The selected record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<ChosenRecord>,
    /// Whether all records are joined, one after the other without a border.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joined: bool,
}

cbor_struct!(RecordChoice { record, joined });

/// The choices of records for both texts of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PairRecordChoices {
    /// Records chosen from `a`.
    pub a: RecordChoice,
    /// Records chosen from `b`.
    pub b: RecordChoice,
    /// Whether the task searches, so that it can search several records of `b` separately.
    pub allows_many: bool,
}

/// The records of a file that are compared, after a [`RecordChoice`] was applied to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResolvedChoice {
    /// A single record, given by its number.
    One(u32),
    /// All records, joined to one text without a border between them.
    Joined,
    /// All records, searched separately. One unit between two records stands for the border and equals no other unit.
    Apart,
}

/// Maximum number of records that a failure names in its structured form.
const MAX_FAILURE_NAMES: usize = 100;

/// Maximum number of records that a failure names in its message.
const MAX_MESSAGE_NAMES: usize = 10;

/// Maximum number of characters of each name in a failure.
const MAX_FAILURE_NAME_CHARS: usize = 60;

impl RecordChoice {
    /// Returns the records of `file` that this choice selects. `text` is the content of the file, and `file` is `None`
    /// for plain text. `many` allows several separate records. `who` names the text in errors.
    ///
    /// # Errors
    /// Returns `BadInput` in these cases:
    ///
    /// - no record matches, or a record is chosen from plain text
    /// - there are several records, none is chosen, they are not joined, and `many` is not set
    /// - a record is chosen, and all records are joined
    pub(super) fn resolve(&self, who: &str, text: &[u8], file: Option<&RecordFile>, many: bool) -> Result<ResolvedChoice, JobFailure> {
        let Self { record, joined } = self;
        if *joined && record.is_some() {
            return Err(JobFailure::bad_input(format!(
                "{who} is either one record or all of them joined. Leave out `{who}.record` or `{who}.joined`."
            )));
        }
        let Some(file) = file else {
            return match record {
                None => Ok(ResolvedChoice::Joined),
                Some(_) => {
                    let message = format!("{who} is plain text and has no records. Leave out `{who}.record`, or use `fasta=always`.");
                    Err(JobFailure::wrong(message, InputError::NoRecord { text: who.into(), records: 0, names: Vec::new() }))
                }
            };
        };
        let records = file.records.len();
        let names = || -> Vec<String> {
            (0..records.min(MAX_FAILURE_NAMES)).map(|number| file.name(text, number, MAX_FAILURE_NAME_CHARS)).collect()
        };
        let named = || {
            if file.has_names() {
                format!(
                    ": {}{}",
                    names()[..records.min(MAX_MESSAGE_NAMES)].join(", "),
                    if records > MAX_MESSAGE_NAMES { ", …" } else { "" }
                )
            } else {
                String::new()
            }
        };
        let holds = || format!("{} {}", crate::humanize::grouped(records as u64), if records == 1 { "record" } else { "records" });
        match record {
            Some(record) => file.find(text, record).map(|number| ResolvedChoice::One(number as u32)).ok_or_else(|| {
                let message = format!("{who} has no such record. It holds {}{}.", holds(), named());
                JobFailure::wrong(message, InputError::NoRecord { text: who.into(), records: records as u64, names: names() })
            }),
            None if records == 1 => Ok(ResolvedChoice::One(0)),
            None if *joined => Ok(ResolvedChoice::Joined),
            None if many => Ok(ResolvedChoice::Apart),
            None => {
                let message = format!(
                    "{who} holds {}{}. Choose one by `{who}.record`, which is its number from 0 or its name, or take all of them as one text by `{who}.joined`.",
                    holds(),
                    named()
                );
                Err(JobFailure::wrong(message, InputError::SeveralRecords { text: who.into(), records: records as u64, names: names() }))
            }
        }
    }
}

impl ResolvedChoice {
    /// Returns the range of the numbers of the chosen records, in a file of `records` records.
    pub(super) fn range(&self, records: usize) -> Range<usize> {
        match self {
            Self::One(number) => *number as usize..*number as usize + 1,
            Self::Joined | Self::Apart => 0..records,
        }
    }
}
