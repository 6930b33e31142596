//! Published matrices of points for pairs of amino acids or bases.
//!
//! - [`data`]: the points

use super::engine::{AlignmentModel, SymbolPoints};
use crate::job::{Scoring, ScoringMatrix};
use crate::text::{Pair, Text, TextSymbols};

mod data;

/// The letters of amino acids, in the order of the rows of a matrix. B is N or D, Z is Q or E, X is unknown, and `*` is
/// the end of a protein.
const RESIDUES: &str = "ARNDCQEGHILKMFPSTWYVBZX*";

/// The letters of bases and of sets of bases, in the order of the rows of NUC.4.4.
const BASES: &str = "ATGCSWRYKMBVHDN";

impl ScoringMatrix {
    /// Returns the name that NCBI gives to the matrix.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blosum45 => "BLOSUM45",
            Self::Blosum50 => "BLOSUM50",
            Self::Blosum62 => "BLOSUM62",
            Self::Blosum80 => "BLOSUM80",
            Self::Blosum90 => "BLOSUM90",
            Self::Pam30 => "PAM30",
            Self::Pam70 => "PAM70",
            Self::Pam120 => "PAM120",
            Self::Pam250 => "PAM250",
            Self::Nuc44 => "NUC.4.4",
        }
    }

    /// Returns the letters that have rows of their own, in the order of the rows.
    pub fn letters(self) -> &'static str {
        if self == Self::Nuc44 { BASES } else { RESIDUES }
    }

    /// Returns the points of two letters. Small letters score as capital ones. In NUC.4.4, U scores as T. Other letters
    /// without a row score as X in matrices of amino acids, and as N in NUC.4.4.
    pub fn points(self, x: char, y: char) -> i32 {
        self.of_rows(self.row(x), self.row(y))
    }

    /// Returns the most points of two letters.
    pub(super) fn max_points(self) -> i32 {
        self.triangle().iter().copied().max().unwrap_or(0).into()
    }

    /// Returns the row of a letter.
    fn row(self, letter: char) -> usize {
        let (letters, unknown) = (self.letters(), if self == Self::Nuc44 { 'N' } else { 'X' });
        let letter = match letter.to_ascii_uppercase() {
            'U' if self == Self::Nuc44 => 'T',
            letter => letter,
        };
        letters.find(letter).or_else(|| letters.find(unknown)).unwrap_or(0)
    }

    /// Returns the points of the letters of two rows.
    fn of_rows(self, x: usize, y: usize) -> i32 {
        let (before, row) = (x.min(y), x.max(y));
        self.triangle()[row * (row + 1) / 2 + before].into()
    }

    /// Returns the points of each letter with the letters before it and with itself.
    fn triangle(self) -> &'static [i8] {
        match self {
            Self::Blosum45 => &data::BLOSUM45,
            Self::Blosum50 => &data::BLOSUM50,
            Self::Blosum62 => &data::BLOSUM62,
            Self::Blosum80 => &data::BLOSUM80,
            Self::Blosum90 => &data::BLOSUM90,
            Self::Pam30 => &data::PAM30,
            Self::Pam70 => &data::PAM70,
            Self::Pam120 => &data::PAM120,
            Self::Pam250 => &data::PAM250,
            Self::Nuc44 => &data::NUC_4_4,
        }
    }

    /// Returns the points of the symbols of `pair`. A unit of several letters scores as an unknown one.
    fn symbol_points(self, pair: &Pair) -> SymbolPoints {
        let size = self.letters().len();
        let mut classes = vec![None; pair.alphabet as usize];
        let mut missing = classes.len();
        for (text, symbols) in [(&pair.a, &pair.a_symbols), (&pair.b, &pair.b_symbols)] {
            self.find_classes(text, symbols, &mut classes, &mut missing);
        }
        let unknown = self.row('\0') as u8;
        SymbolPoints::Table {
            classes: classes.into_iter().map(|class| class.unwrap_or(unknown)).collect(),
            size,
            points: (0..size * size).map(|at| self.of_rows(at / size, at % size)).collect(),
        }
    }

    /// Writes the row of each symbol of `text` to `classes`, until none is `missing`.
    fn find_classes(self, text: &Text, symbols: &TextSymbols, classes: &mut [Option<u8>], missing: &mut usize) {
        for at in 0..symbols.len() {
            if *missing == 0 {
                return;
            }
            let class = &mut classes[symbols.symbol_at(at) as usize];
            if class.is_none() {
                let unit = text.display_unit(at);
                let mut letters = unit.chars();
                let letter = letters.next().filter(|_| letters.next().is_none());
                *class = Some(self.row(letter.unwrap_or('\0')) as u8);
                *missing -= 1;
            }
        }
    }
}

impl AlignmentModel {
    /// Creates the model of a job with the options `scoring`. With a matrix, takes O(|a| + |b|) time to find the letters of
    /// all symbols.
    pub(crate) fn new(scoring: &Scoring, pair: &Pair) -> Self {
        let points = match scoring.matrix {
            None => SymbolPoints::Equality { equal: scoring.equal, different: scoring.different },
            Some(matrix) => matrix.symbol_points(pair),
        };
        Self { points, gap: scoring.gap, mode: scoring.mode, free_ends: scoring.free_ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::bytes;

    /// Sums that Biopython and parasail print for the same matrices.
    #[test]
    fn matrices_have_published_sums() {
        let sums = [
            (ScoringMatrix::Blosum45, -689, 15, -5),
            (ScoringMatrix::Blosum50, -814, 15, -5),
            (ScoringMatrix::Blosum62, -726, 11, -4),
            (ScoringMatrix::Blosum80, -1572, 16, -8),
            (ScoringMatrix::Blosum90, -1233, 11, -6),
            (ScoringMatrix::Pam30, -3678, 13, -17),
            (ScoringMatrix::Pam70, -2140, 13, -11),
            (ScoringMatrix::Pam120, -1361, 12, -8),
            (ScoringMatrix::Pam250, -932, 17, -8),
            (ScoringMatrix::Nuc44, -395, 5, -4),
        ];
        assert_eq!(sums.map(|(matrix, ..)| matrix), ScoringMatrix::ALL);
        for (matrix, sum, most, least) in sums {
            let pairs = matrix.letters().chars().flat_map(|x| matrix.letters().chars().map(move |y| matrix.points(x, y)));
            let points: Vec<i32> = pairs.collect();
            assert_eq!(points.iter().sum::<i32>(), sum, "{}", matrix.name());
            assert_eq!((points.iter().max(), points.iter().min()), (Some(&most), Some(&least)), "{}", matrix.name());
        }
    }

    #[test]
    fn letters_without_a_row_score_as_unknown() {
        let blosum = ScoringMatrix::Blosum62;
        assert_eq!((blosum.points('W', 'w'), blosum.points('L', 'i'), blosum.points('U', 'W')), (11, 2, -2));
        assert_eq!((blosum.points('é', 'A'), blosum.points('X', 'A')), (0, 0));
        let bases = ScoringMatrix::Nuc44;
        assert_eq!((bases.points('u', 'T'), bases.points('A', 'r'), bases.points('A', '?')), (5, 1, -2));
    }

    #[test]
    fn classes_of_symbols_follow_the_numbers_of_a_pair() {
        let scoring = Scoring { matrix: Some(ScoringMatrix::Blosum62), ..Scoring::default() };
        let pair = bytes(b"MKWVu", b"MRwC");
        let model = AlignmentModel::new(&scoring, &pair);
        let points = |i: usize, j: usize| model.points.of(pair.a_symbols.symbol_at(i), pair.b_symbols.symbol_at(j));
        assert_eq!([points(0, 0), points(1, 1), points(2, 2), points(3, 3), points(4, 3)], [5, 2, 11, -1, -2]);
    }
}
