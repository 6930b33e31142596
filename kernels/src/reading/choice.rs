//! Which records of two files are compared.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::records::{File, Record};
use crate::cbor_struct;
use crate::failure::{Failure, Wrong};

/// Which records of a file a text consists of: `"record": 2`, `"record": "chr3"` or `"joined": true` beside the text. Without a choice
/// the only one, or all of them apart from each other where a search looks through them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Choice {
    /// This one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// All of them, one after the other without a border.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joined: bool,
}

cbor_struct!(Choice { record, joined });

/// What is chosen of both texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Choices {
    /// Of the first.
    pub a: Choice,
    /// Of the second.
    pub b: Choice,
    /// The second may be several records apart: it is searched.
    pub many: bool,
}

/// Records that a text consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// One of them.
    One(u32),
    /// All, one after the other.
    Joined,
    /// All, with a border between two.
    Apart,
}

/// Names that a message holds.
const NAMED: usize = 100;

/// Those that its sentence names.
const SAID: usize = 10;

/// Characters of each.
const NAME: usize = 60;

impl Choice {
    /// What this is of a file's records, or of a plain text.
    ///
    /// # Errors
    /// `BadInput` that names the first records: when there is none like this, or several and no choice where one is asked for.
    pub(super) fn of(&self, who: &str, text: &[u8], file: Option<&File>, many: bool) -> Result<Chosen, Failure> {
        let Self { record, joined } = self;
        if *joined && record.is_some() {
            return Err(Failure::bad_input(format!("{who} is either one record or all of them joined. Leave record or joined out.")));
        }
        let Some(file) = file else {
            return match record {
                None => Ok(Chosen::Joined),
                Some(_) => {
                    let message = format!("{who} is plain text and has no records. Leave record out, or ask for FASTA: always.");
                    Err(Failure::wrong(message, Wrong::NoRecord { text: who.into(), records: 0, names: Vec::new() }))
                }
            };
        };
        let records = file.records.len();
        let names = || -> Vec<String> { (0..records.min(NAMED)).map(|number| file.name(text, number, NAME)).collect() };
        let named = || {
            if file.has_names() {
                format!(": {}{}", names()[..records.min(SAID)].join(", "), if records > SAID { ", …" } else { "" })
            } else {
                String::new()
            }
        };
        let holds = || format!("{} {}", crate::words::grouped(records as u64), if records == 1 { "record" } else { "records" });
        match record {
            Some(record) => file.find(text, record).map(|number| Chosen::One(number as u32)).ok_or_else(|| {
                let message = format!("{who} has no such record. It holds {}{}.", holds(), named());
                Failure::wrong(message, Wrong::NoRecord { text: who.into(), records: records as u64, names: names() })
            }),
            None if records == 1 => Ok(Chosen::One(0)),
            None if *joined => Ok(Chosen::Joined),
            None if many => Ok(Chosen::Apart),
            None => {
                let message = format!(
                    "{who} holds {}{}. Choose one by record, which is its number from 0 or its name, or take all of them as one text by joined.",
                    holds(),
                    named()
                );
                Err(Failure::wrong(message, Wrong::SeveralRecords { text: who.into(), records: records as u64, names: names() }))
            }
        }
    }
}

impl Chosen {
    /// The records of so many.
    pub(super) fn range(&self, records: usize) -> Range<usize> {
        match self {
            Self::One(number) => *number as usize..*number as usize + 1,
            Self::Joined | Self::Apart => 0..records,
        }
    }
}
