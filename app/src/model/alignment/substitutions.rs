//! The substitution matrix of a job as a grid: order of its letters, meaning of its points ([`SubstitutionGrid`]), and
//! pairs of letters that add or cost the most points in an alignment.

use explain::points::{LetterPair, PointsSummary};
use kernels::job::{Points, ScoringMatrix};

/// Amino acids, ordered so that similar ones are neighbours.
const RESIDUES: &str = "CSTPAGNDEQHRKMILVFYW";

/// Bases.
const BASES: &str = "ACGT";

/// Maximum number of letters of a matrix that are all in the grid.
const MAX_SMALL: usize = 26;

/// The letters of a substitution matrix, and the pairs that an alignment uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubstitutionGrid {
    /// The matrix with the points.
    pub matrix: ScoringMatrix,
    /// Letters of rows and columns, in order.
    pub letters: Vec<char>,
}

impl SubstitutionGrid {
    /// Creates the grid for an alignment with the sums `summary`. Letters beside amino acids and bases have a row only if
    /// the alignment uses them. All letters of a small matrix of other letters have rows.
    pub fn new(matrix: ScoringMatrix, summary: &PointsSummary) -> Self {
        let has_all = |letters: &&str| letters.chars().all(|letter| matrix.letters().contains(letter));
        let small = Some(matrix.letters()).filter(|letters| letters.len() <= MAX_SMALL);
        let usual = [RESIDUES, BASES].into_iter().find(has_all).or(small).unwrap_or_default();
        let is_used = |letter: &char| summary.pairs.iter().any(|pair| pair.a.starts_with(*letter) || pair.b.starts_with(*letter));
        let others = matrix.letters().chars().filter(|letter| !usual.contains(*letter)).filter(is_used);
        let letters = usual.chars().chain(others).collect();
        Self { matrix, letters }
    }

    /// Returns the points of the letters of a row and a column.
    pub fn points(&self, (row, column): (usize, usize)) -> Points {
        self.matrix.points(self.letters[row], self.letters[column])
    }

    /// Returns the row and the column of two letters of an alignment.
    pub fn cell(&self, pair: &LetterPair) -> Option<(usize, usize)> {
        let at = |name: &str| self.letters.iter().position(|letter| name.starts_with(*letter));
        Some((at(&pair.a)?, at(&pair.b)?))
    }

    /// Returns how many points double the frequency of a pair, compared to chance, or `None` if the publication of the
    /// matrix does not say so. These are the scales in the headers of the files of NCBI.
    pub fn doubling_points(&self) -> Option<u32> {
        match self.matrix.name().as_deref().unwrap_or_default() {
            "BLOSUM62" | "BLOSUM90" | "PAM30" | "PAM70" | "PAM120" => Some(2),
            "BLOSUM45" | "BLOSUM50" | "BLOSUM80" | "PAM250" => Some(3),
            _ => None,
        }
    }
}

/// Returns the CSS class of points in the grid. Points of 12 and more look alike, and so do those of −4 and fewer. Points with
/// a decimal have the class of the nearest whole number away from 0, so that positive and negative points differ from 0.
pub fn points_class(points: Points) -> String {
    let size = points.abs().rounded_up();
    if points < Points::ZERO { format!("sm{}", size.min(4)) } else { format!("s{}", size.min(12)) }
}

/// Returns the pairs that earn the most points in sum, and those that lose the most, at most `most` and `least`.
pub fn ranked_pairs(summary: &PointsSummary, most: usize, least: usize) -> [Vec<&LetterPair>; 2] {
    let sum = |pair: &&LetterPair| pair.points.times(pair.count);
    let mut pairs: Vec<&LetterPair> = summary.pairs.iter().collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(sum(pair)));
    let earned = pairs.iter().filter(|pair| sum(pair) > Points::ZERO).take(most).copied().collect();
    let lost = pairs.iter().rev().filter(|pair| sum(pair) < Points::ZERO).take(least).copied().collect();
    [earned, lost]
}

#[cfg(test)]
mod tests {
    use kernels::job::CustomMatrix;

    use super::*;

    fn pair(a: &str, b: &str, points: i32, count: u64) -> LetterPair {
        LetterPair { a: a.into(), b: b.into(), points: points.into(), count, columns: vec![0] }
    }

    fn summary() -> PointsSummary {
        let pairs = vec![pair("A", "L", -1, 3), pair("K", "K", 5, 8), pair("L", "L", 4, 10), pair("X", "V", -1, 1), pair("V", "T", 0, 9)];
        PointsSummary { pairs, ..PointsSummary::default() }
    }

    #[test]
    fn grid_has_used_letters_beside_amino_acids() {
        let grid = SubstitutionGrid::new(ScoringMatrix::BLOSUM62, &summary());
        assert_eq!(grid.letters.iter().collect::<String>(), "CSTPAGNDEQHRKMILVFYWX");
        assert_eq!((grid.cell(&pair("X", "V", 0, 1)), grid.points((16, 15))), (Some((20, 16)), Points::whole(1)));
        let bases = SubstitutionGrid::new(ScoringMatrix::NUC_4_4, &PointsSummary::default());
        assert_eq!((bases.letters.len(), bases.points((0, 0)), bases.cell(&pair("N", "A", 0, 1))), (4, Points::whole(5), None));
        assert_eq!((grid.doubling_points(), bases.doubling_points()), (Some(2), None));
        let of_own_letters = |letters: &str| {
            let matrix = CustomMatrix::new(letters.into(), vec![0; letters.len() * letters.len()]).unwrap();
            SubstitutionGrid::new(matrix.into(), &summary()).letters.iter().collect::<String>()
        };
        let many: String = ('!'..='~').filter(|letter| !"#C".contains(*letter)).collect();
        assert_eq!([of_own_letters("XYZ"), of_own_letters("TGCAN"), of_own_letters(&many)], ["XYZ", "ACGT", "AKLTVX"]);
    }

    #[test]
    fn pairs_are_ranked_by_their_sums() {
        let summary = summary();
        let names = ranked_pairs(&summary, 5, 1).map(|pairs| pairs.iter().map(|pair| format!("{}{}", pair.a, pair.b)).collect::<Vec<_>>());
        assert_eq!(names[0], ["KK", "LL"]);
        assert_eq!(names[1], ["AL"]);
    }

    #[test]
    fn classes_of_points_end_at_the_extremes() {
        assert_eq!(
            [-170, -40, -10, -1, 0, 1, 10, 112, 170].map(Points::from_tenths).map(points_class),
            ["sm4", "sm4", "sm1", "sm1", "s0", "s1", "s1", "s12", "s12"]
        );
    }
}
