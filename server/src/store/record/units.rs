//! Locations of the units of a stored text ([`UnitPositions`]). Units are what a job compares: bytes, characters, words
//! or lines.

use kernels::strand::NucleicAcid;
use serde::{Deserialize, Serialize};

use crate::storage::ports::files::ContentHash;

/// The stored form of the positions of all units of one text: directly, or as the hash of an index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitPositions {
    pub len: u64,
    /// Whether letters of the text are shown in upper case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
    /// Whether the reverse complement of a pattern has the letters of RNA rather than DNA. `None` if one strand was
    /// searched, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rna: Option<bool>,
    /// Hash of the file with the text in UTF-8, if the text was decoded from another encoding. Positions refer to this
    /// file.
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

    /// Returns the hash of the index file with the positions of the units, or `None` if there is no such file.
    pub fn index(&self) -> Option<ContentHash> {
        if let UnitLayout::Index(hash) = self.place { Some(hash) } else { None }
    }

    /// Returns the hashes of the files that must exist as long as these positions are used.
    pub fn files(&self) -> impl Iterator<Item = ContentHash> {
        self.index().into_iter().chain(self.decoded)
    }
}

/// The way in which the positions of units are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitLayout {
    /// Every unit is one byte, without gaps. The field is the byte offset of the first unit.
    Bytes(u64),
    /// The positions are in the index file with this hash.
    Index(ContentHash),
}
