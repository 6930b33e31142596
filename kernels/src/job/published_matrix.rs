//! Names of the published matrices of points that `sequence-alignment` knows.

/// A published matrix of points for pairs of amino acids or bases.
///
/// - BLOSUM30 to BLOSUM100: amino acids, from blocks of sequences that are at most this percentage identical (Henikoff and
///   Henikoff 1992)
/// - PAM10 to PAM500: amino acids, after this number of accepted mutations per 100 (Dayhoff 1978)
/// - NUC.4.4: DNA with ambiguity codes
///
/// All points are those of the files that NCBI distributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublishedMatrix(u8);

/// The number in the name of each BLOSUM matrix.
const BLOSUM_NUMBERS: [u8; 15] = [30, 35, 40, 45, 50, 55, 60, 62, 65, 70, 75, 80, 85, 90, 100];

/// Number of PAM matrices: PAM10, PAM20 and so on.
const PAM_MATRICES: usize = 50;

impl PublishedMatrix {
    /// BLOSUM62, the default of protein BLAST.
    pub const BLOSUM62: Self = Self(7);

    /// PAM30, for amino acids of similar sequences.
    pub const PAM30: Self = Self(17);

    /// PAM250, for amino acids of sequences that differ much.
    pub const PAM250: Self = Self(39);

    /// NUC.4.4, for bases.
    pub const NUC_4_4: Self = Self(Self::OF_RESIDUES as u8);

    /// Number of matrices of amino acids. They come before NUC.4.4.
    pub(crate) const OF_RESIDUES: usize = BLOSUM_NUMBERS.len() + PAM_MATRICES;

    /// Returns all matrices: BLOSUM by growing number, PAM by growing number, NUC.4.4.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=Self::NUC_4_4.0).map(Self)
    }

    /// Returns the position in [`all`](Self::all).
    pub(crate) fn index(self) -> usize {
        self.0.into()
    }

    /// Returns the name that NCBI gives to the matrix.
    pub fn name(self) -> String {
        match BLOSUM_NUMBERS.get(self.index()) {
            Some(number) => format!("BLOSUM{number}"),
            None if self == Self::NUC_4_4 => "NUC.4.4".into(),
            None => format!("PAM{}", 10 * (self.index() + 1 - BLOSUM_NUMBERS.len())),
        }
    }

    /// Returns the matrix called `name`, or `None` if no matrix has this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|matrix| matrix.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_files() {
        let names: Vec<String> = PublishedMatrix::all().map(PublishedMatrix::name).collect();
        assert_eq!((names.len(), names[0].as_str(), names[14].as_str()), (66, "BLOSUM30", "BLOSUM100"));
        assert_eq!((names[15].as_str(), names[64].as_str(), names[65].as_str()), ("PAM10", "PAM500", "NUC.4.4"));
        let constants = [PublishedMatrix::BLOSUM62, PublishedMatrix::PAM30, PublishedMatrix::PAM250, PublishedMatrix::NUC_4_4];
        assert_eq!(constants.map(PublishedMatrix::name), ["BLOSUM62", "PAM30", "PAM250", "NUC.4.4"]);
    }

    #[test]
    fn every_matrix_is_read_without_loss() {
        for matrix in PublishedMatrix::all() {
            assert_eq!(PublishedMatrix::from_name(&matrix.name()), Some(matrix));
        }
        assert!(["PAM0", "PAM15", "PAM510", "BLOSUM61", "blosum62", ""].into_iter().all(|name| PublishedMatrix::from_name(name).is_none()));
    }
}
