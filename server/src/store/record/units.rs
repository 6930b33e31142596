//! Locations of the units of a stored text.

use kernels::strand::NucleicAcid;
use serde::{Deserialize, Serialize};

use crate::storage::ports::files::ContentHash;

/// The positions of all units of one text, or where they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitPositions {
    pub len: u64,
    /// Whether letters are shown in upper case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
    /// Whether the reverse complement of a pattern has the letters of RNA. Unknown if one strand was searched, and for
    /// older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rna: Option<bool>,
    /// File of the text in UTF-8, if it was decoded. Positions refer to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoded: Option<ContentHash>,
    #[serde(flatten)]
    pub place: UnitLayout,
}

impl UnitPositions {
    /// Returns the alphabet of the pattern's reverse complement, if it is known.
    pub fn nucleic_acid(&self) -> Option<NucleicAcid> {
        self.rna.map(|rna| if rna { NucleicAcid::Rna } else { NucleicAcid::Dna })
    }

    /// Returns the index file with the positions of the units, if there is one.
    pub fn index(&self) -> Option<ContentHash> {
        if let UnitLayout::Index(hash) = self.place { Some(hash) } else { None }
    }

    /// Returns the files that must exist as long as these units are used.
    pub fn files(&self) -> impl Iterator<Item = ContentHash> {
        self.index().into_iter().chain(self.decoded)
    }
}

/// The way in which the positions of units are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitLayout {
    /// Every unit is one byte. The field is the offset of the first one.
    Bytes(u64),
    /// The positions are in this index file.
    Index(ContentHash),
}
