//! Colours of amino acids by their properties: [`ResidueColours`] and its groups of letters ([`ResidueGroup`]).

use crate::tr::t;

/// The meaning of colours in the rows of an alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResidueColours {
    /// Kinds of edits.
    #[default]
    Edits,
    /// Properties of amino acids, in the groups of Zappo. All residues are coloured.
    Zappo,
    /// Properties of amino acids, in the groups of Clustal X. Equal and similar columns are coloured.
    Clustal,
    /// No colours.
    None,
}

/// Amino acids with a common property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidueGroup {
    /// CSS class of the colour.
    pub class: &'static str,
    /// Letters of the amino acids.
    pub letters: &'static str,
}

/// The groups of Zappo.
const ZAPPO: [ResidueGroup; 7] = [
    ResidueGroup { class: "aliphatic", letters: "ILVAM" },
    ResidueGroup { class: "aromatic", letters: "FWY" },
    ResidueGroup { class: "positive", letters: "KRH" },
    ResidueGroup { class: "negative", letters: "DE" },
    ResidueGroup { class: "polar", letters: "STNQ" },
    ResidueGroup { class: "bend", letters: "PG" },
    ResidueGroup { class: "cysteine", letters: "C" },
];

/// The groups of Clustal X. Each has the colour nearest to the blue, red, magenta, green, pink, orange, yellow and cyan
/// of that program.
const CLUSTAL: [ResidueGroup; 8] = [
    ResidueGroup { class: "positive", letters: "AILMFWV" },
    ResidueGroup { class: "negative", letters: "KR" },
    ResidueGroup { class: "bend", letters: "DE" },
    ResidueGroup { class: "polar", letters: "NQST" },
    ResidueGroup { class: "aliphatic", letters: "C" },
    ResidueGroup { class: "aromatic", letters: "G" },
    ResidueGroup { class: "cysteine", letters: "P" },
    ResidueGroup { class: "ring", letters: "HY" },
];

impl ResidueColours {
    /// All meanings, in the order in which the page offers them.
    pub const ALL: [Self; 4] = [Self::Edits, Self::Zappo, Self::Clustal, Self::None];

    /// Returns the name in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Edits => "edits",
            Self::Zappo => "zappo",
            Self::Clustal => "clustal",
            Self::None => "none",
        }
    }

    /// Returns the meaning with this name in addresses, or `None` for an unknown name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|colours| colours.name() == name)
    }

    /// Returns the label of the meaning on the page.
    pub fn title(self) -> &'static str {
        match self {
            Self::Edits => t("Edits"),
            Self::Zappo => "Zappo",
            Self::Clustal => "Clustal",
            Self::None => t("None"),
        }
    }

    /// Returns the groups of amino acids, which are empty unless colours mean properties.
    pub fn groups(self) -> &'static [ResidueGroup] {
        match self {
            Self::Zappo => &ZAPPO,
            Self::Clustal => &CLUSTAL,
            Self::Edits | Self::None => &[],
        }
    }

    /// Returns the group of an amino acid, of which small letters are allowed. `is_alike` tells whether its column has
    /// equal or similar letters.
    pub fn group_of(self, letter: &str, is_alike: bool) -> Option<&'static ResidueGroup> {
        if self == Self::Clustal && !is_alike {
            return None;
        }
        let [byte] = letter.as_bytes() else { return None };
        let letter = char::from(byte.to_ascii_uppercase());
        self.groups().iter().find(|group| group.letters.contains(letter))
    }

    /// Returns the common property of a group.
    pub fn property(self, group: &ResidueGroup) -> &'static str {
        match (self, group.class) {
            (Self::Clustal, "positive") => t("hydrophobic"),
            (Self::Clustal, "negative") => t("positive charge"),
            (Self::Clustal, "bend") => t("negative charge"),
            (Self::Clustal, "aliphatic") => t("cysteine"),
            (Self::Clustal, "aromatic") => t("glycine"),
            (Self::Clustal, "cysteine") => t("proline"),
            (_, "aliphatic") => t("aliphatic"),
            (_, "aromatic" | "ring") => t("aromatic"),
            (_, "positive") => t("positive charge"),
            (_, "negative") => t("negative charge"),
            (_, "bend") => t("bends the chain"),
            (_, "cysteine") => t("cysteine"),
            (_, _) => t("polar"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_amino_acid_has_one_group_and_a_property() {
        for colours in [ResidueColours::Zappo, ResidueColours::Clustal] {
            let mut letters: Vec<char> = colours.groups().iter().flat_map(|group| group.letters.chars()).collect();
            letters.sort_unstable();
            assert_eq!(letters.into_iter().collect::<String>(), "ACDEFGHIKLMNPQRSTVWY", "{colours:?}");
            let properties: std::collections::BTreeSet<_> = colours.groups().iter().map(|group| colours.property(group)).collect();
            assert_eq!(properties.len(), colours.groups().len(), "{colours:?}");
        }
    }

    #[test]
    fn clustal_colours_equal_and_similar_columns_only() {
        let class = |colours: ResidueColours, letter, is_alike| colours.group_of(letter, is_alike).map(|group| group.class);
        assert_eq!(class(ResidueColours::Zappo, "w", false), Some("aromatic"));
        assert_eq!((class(ResidueColours::Clustal, "W", false), class(ResidueColours::Clustal, "W", true)), (None, Some("positive")));
        assert_eq!((class(ResidueColours::Edits, "W", true), class(ResidueColours::Zappo, "WW", true)), (None, None));
        assert_eq!(ResidueColours::ALL.map(|colours| ResidueColours::of_name(colours.name())), ResidueColours::ALL.map(Some));
    }
}
