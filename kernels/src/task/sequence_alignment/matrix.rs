//! Matrices of points for pairs of amino acids, bases or other letters.
//!
//! - [`data`]: the points of published matrices

use super::engine::{AlignmentModel, SymbolPoints};
use crate::base_set::SymbolMatch;
use crate::failure::JobFailure;
use crate::job::{Points, PublishedMatrix, Scoring, ScoringMatrix};
use crate::text::{Pair, Text, TextSymbols};

mod data;

/// The letters of amino acids, in the order of the rows of a matrix. B is N or D, Z is Q or E, X is unknown, and `*` is
/// the end of a protein.
const RESIDUES: &str = "ARNDCQEGHILKMFPSTWYVBZX*";

/// The letters of bases and of sets of bases, in the order of the rows of NUC.4.4.
const BASES: &str = "ATGCSWRYKMBVHDN";

impl PublishedMatrix {
    /// Returns the letters that have rows of their own, in the order of the rows.
    fn letters(self) -> &'static str {
        if self == Self::NUC_4_4 { BASES } else { RESIDUES }
    }

    /// Returns the points of the letters of two rows.
    fn of_rows(self, x: usize, y: usize) -> i32 {
        let (before, row) = (x.min(y), x.max(y));
        let at = row * (row + 1) / 2 + before;
        match data::RESIDUES[at].get(self.index()) {
            Some(points) => i32::from(*points) - i32::from(data::ZERO),
            None => data::BASES[at].into(),
        }
    }
}

impl ScoringMatrix {
    /// Returns the letters that have rows of their own, in the order of the rows.
    pub fn letters(&self) -> &str {
        match self {
            Self::Published(matrix) => matrix.letters(),
            Self::Custom(matrix) => matrix.letters(),
        }
    }

    /// Returns the points of a letter of `a` and a letter of `b`.
    ///
    /// A letter without a row scores as its other case. In a matrix of bases, U and T stand for each other. Every other letter
    /// scores as X, or as N in a matrix of bases, or else as `*`. Without any of these rows, no job can have the letter, and
    /// the lowest points are returned.
    pub fn points(&self, x: char, y: char) -> Points {
        match (self.row(x), self.row(y)) {
            (Some(x), Some(y)) => self.of_rows(x, y),
            _ => self.all_points().min().unwrap_or_default(),
        }
    }

    /// Returns the points of all ASCII characters: those of x in `a` and y in `b` are at 128 · x + y.
    pub fn ascii_points(&self) -> Vec<Points> {
        let rows: Vec<Option<usize>> = ('\0'..='\x7f').map(|letter| self.row(letter)).collect();
        let lowest = self.all_points().min().unwrap_or_default();
        let points = |x: &Option<usize>, y: &Option<usize>| x.zip(*y).map_or(lowest, |(x, y)| self.of_rows(x, y));
        rows.iter().flat_map(|x| rows.iter().map(move |y| points(x, y))).collect()
    }

    /// Returns the letter under which a symbol scores: a letter with a row of its own, or `\0` if the matrix has no such row. A
    /// symbol of several letters scores as an unknown one.
    pub fn letter_of(&self, symbol: &str) -> char {
        self.row_of(symbol).map_or('\0', |row| self.letters().as_bytes()[row].into())
    }

    /// Returns the most points of two letters.
    pub(super) fn max_points(&self) -> Points {
        self.all_points().max().unwrap_or_default()
    }

    /// Returns the greatest number of points of two letters without its sign.
    pub(crate) fn greatest_amount(&self) -> Points {
        self.all_points().map(Points::abs).max().unwrap_or_default()
    }

    /// Returns whether all letters stand for bases or for sets of bases.
    fn is_of_bases(&self) -> bool {
        self.letters().chars().all(|letter| BASES.contains(letter.to_ascii_uppercase()) || matches!(letter, 'U' | 'u' | '*'))
    }

    /// Returns the row of a letter, or `None` if no row stands for it.
    fn row(&self, letter: char) -> Option<usize> {
        let is_of_bases = self.is_of_bases();
        let other_case = if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
        let uracil = match letter {
            'T' | 't' if is_of_bases => "Uu",
            'U' | 'u' if is_of_bases => "Tt",
            _ => "",
        };
        let unknown = if is_of_bases { "N*" } else { "X*" };
        [letter, other_case].into_iter().chain(uracil.chars()).chain(unknown.chars()).find_map(|letter| self.letters().find(letter))
    }

    /// Returns the row of a symbol, or `None` if no row stands for it.
    fn row_of(&self, symbol: &str) -> Option<usize> {
        let mut letters = symbol.chars();
        let letter = letters.next().filter(|_| letters.next().is_none());
        self.row(letter.unwrap_or('\0'))
    }

    /// Returns the points of the letter of row `x` in `a` and the letter of row `y` in `b`.
    fn of_rows(&self, x: usize, y: usize) -> Points {
        match self {
            Self::Published(matrix) => matrix.of_rows(x, y).into(),
            Self::Custom(matrix) => matrix.points()[x * matrix.letters().len() + y],
        }
    }

    /// Lists the points of all pairs, row by row.
    fn all_points(&self) -> impl Iterator<Item = Points> {
        let size = self.letters().len();
        (0..size * size).map(move |at| self.of_rows(at / size, at % size))
    }

    /// Returns the points of the symbols of `pair`, in units of `scoring`.
    ///
    /// # Errors
    /// Returns `BadInput` with the first symbol for which no row stands.
    fn symbol_points(&self, pair: &Pair, scoring: &Scoring) -> Result<SymbolPoints, JobFailure> {
        let mut classes = vec![None; pair.alphabet() as usize];
        let mut missing = classes.len();
        for (name, text, symbols) in [("a", &pair.a, pair.a_symbols()), ("b", &pair.b, pair.b_symbols())] {
            self.find_classes(name, text, symbols, &mut classes, &mut missing)?;
        }
        Ok(SymbolPoints::Table {
            classes: classes.into_iter().map(Option::unwrap_or_default).collect(),
            size: self.letters().len(),
            points: self.all_points().map(|points| scoring.units(points)).collect(),
        })
    }

    /// Writes the row of each symbol of `text` to `classes`, until none is `missing`.
    ///
    /// # Errors
    /// Returns `BadInput` with the first symbol for which no row stands.
    fn find_classes(
        &self,
        name: &str,
        text: &Text,
        symbols: &TextSymbols,
        classes: &mut [Option<u8>],
        missing: &mut usize,
    ) -> Result<(), JobFailure> {
        for at in 0..symbols.len() {
            if *missing == 0 {
                break;
            }
            let class = &mut classes[symbols.symbol_at(at) as usize];
            if class.is_none() {
                let symbol = text.display_unit(at);
                let row = self.row_of(&symbol).ok_or_else(|| self.no_row(&symbol, at, name))?;
                *class = Some(row as u8);
                *missing -= 1;
            }
        }
        Ok(())
    }

    fn no_row(&self, symbol: &str, at: usize, name: &str) -> JobFailure {
        self.no_row_at(symbol, &format!("symbol {} of {name}", at + 1))
    }

    fn no_row_at(&self, symbol: &str, place: &str) -> JobFailure {
        let rest = if self.is_of_bases() { 'N' } else { 'X' };
        JobFailure::bad_input(format!(
            "The matrix has no row for {symbol:?}, {place}. Add a row and a column for this symbol, or {rest} for all other symbols."
        ))
    }

    /// Returns the points of symbols in units of `scoring`. Each symbol is given as its unit and the name of a text that has it.
    ///
    /// # Errors
    /// Returns `BadInput` with the first symbol for which no row stands.
    fn points_of_units(&self, units: &[(String, &str)], scoring: &Scoring) -> Result<SymbolPoints, JobFailure> {
        let class = |(unit, text): &(String, &str)| {
            let row = self.row_of(unit).ok_or_else(|| self.no_row_at(unit, &format!("a symbol of {text}")))?;
            Ok(row as u8)
        };
        Ok(SymbolPoints::Table {
            classes: units.iter().map(class).collect::<Result<_, JobFailure>>()?,
            size: self.letters().len(),
            points: self.all_points().map(|points| scoring.units(points)).collect(),
        })
    }
}

impl AlignmentModel {
    /// Creates the model of a job with the options `scoring`. With a matrix, takes O(|a| + |b|) time to find the letters of
    /// all symbols.
    ///
    /// # Errors
    /// Returns `BadInput` if the matrix of the job has no row for a symbol.
    pub(crate) fn new(scoring: &Scoring, pair: &Pair) -> Result<Self, JobFailure> {
        let points = match &scoring.matrix {
            None if pair.symbol_match.is_equality() => SymbolPoints::Equality { equal: scoring.equal, different: scoring.different },
            None => of_sets(scoring, pair),
            Some(matrix) => matrix.symbol_points(pair, scoring)?,
        };
        Ok(Self::with_points(points, pair.symbol_match, scoring))
    }

    /// Creates the model of the options `scoring` for texts whose symbols stand for `units`. Each unit is given with the name
    /// of a text that has it.
    ///
    /// # Errors
    /// Returns `BadInput` if the matrix has no row for a unit.
    pub(crate) fn of_units(scoring: &Scoring, units: &[(String, &str)]) -> Result<Self, JobFailure> {
        let points = match &scoring.matrix {
            None => SymbolPoints::Equality { equal: scoring.equal, different: scoring.different },
            Some(matrix) => matrix.points_of_units(units, scoring)?,
        };
        Ok(Self::with_points(points, SymbolMatch::Equal, scoring))
    }

    fn with_points(points: SymbolPoints, symbol_match: SymbolMatch, scoring: &Scoring) -> Self {
        Self { points, symbol_match, gap: scoring.gap, mode: scoring.mode, free_ends: scoring.free_ends }
    }
}

/// Returns the points of symbols that match by the rule of `pair`. Each symbol is a class.
fn of_sets(scoring: &Scoring, pair: &Pair) -> SymbolPoints {
    let symbols = || 0..pair.alphabet();
    let points = |x: u32, y: u32| if pair.symbol_match.matches(x, y) { scoring.equal } else { scoring.different };
    SymbolPoints::Table {
        classes: symbols().map(|symbol| symbol as u8).collect(),
        size: pair.alphabet() as usize,
        points: symbols().flat_map(|x| symbols().map(move |y| points(x, y))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::CustomMatrix;
    use crate::oracle::bytes;

    /// Hashes of the points in the tables of parasail 1.3.4, row by row. Biotite 1.6.0 and, except for BLOSUM100, EMBOSS 6.6 have
    /// the same points.
    #[test]
    fn matrices_have_the_points_of_other_programs() {
        #[rustfmt::skip]
        let hashes: [(&str, u32); 66] = [
            ("BLOSUM30", 0x8426be04), ("BLOSUM35", 0x02cd754e), ("BLOSUM40", 0x70c6bbfd), ("BLOSUM45", 0x0bc96796),
            ("BLOSUM50", 0xf68f7bc1), ("BLOSUM55", 0x6cd79afb), ("BLOSUM60", 0x446a589f), ("BLOSUM62", 0x7b244c8b),
            ("BLOSUM65", 0x9728e59a), ("BLOSUM70", 0x53ff3a7f), ("BLOSUM75", 0x8375e122), ("BLOSUM80", 0x0bca4781),
            ("BLOSUM85", 0x93f8b78a), ("BLOSUM90", 0x11d10da8), ("BLOSUM100", 0x0133e8cb), ("PAM10", 0xaaaed9b9),
            ("PAM20", 0x61b79fed), ("PAM30", 0x1d0b8837), ("PAM40", 0x72c20701), ("PAM50", 0xa0955d39),
            ("PAM60", 0x46a3be2b), ("PAM70", 0xb7d29651), ("PAM80", 0x62be4c35), ("PAM90", 0x0154b7f5),
            ("PAM100", 0x242cc260), ("PAM110", 0x6ec2325d), ("PAM120", 0x0de89d16), ("PAM130", 0xd9e95ab7),
            ("PAM140", 0xf493bc18), ("PAM150", 0x14072840), ("PAM160", 0x51a00492), ("PAM170", 0x4376f418),
            ("PAM180", 0x6767c522), ("PAM190", 0xb3feefcb), ("PAM200", 0x6c1d67c2), ("PAM210", 0x1ac54b95),
            ("PAM220", 0x03a6cf92), ("PAM230", 0xee184537), ("PAM240", 0x538e9db1), ("PAM250", 0x0257d843),
            ("PAM260", 0x9d8dd979), ("PAM270", 0xf6278e6b), ("PAM280", 0xb9387af4), ("PAM290", 0x5e543931),
            ("PAM300", 0x8047e8d5), ("PAM310", 0x88ace48a), ("PAM320", 0x3d3784a3), ("PAM330", 0x8372c331),
            ("PAM340", 0x268b0177), ("PAM350", 0xd55007c0), ("PAM360", 0xbadfe3f6), ("PAM370", 0xe7c35075),
            ("PAM380", 0xdc5ab4e7), ("PAM390", 0xa7d39367), ("PAM400", 0xc520e365), ("PAM410", 0x4a8fbf61),
            ("PAM420", 0x14c2e277), ("PAM430", 0x4e248c4b), ("PAM440", 0x71ef9a5d), ("PAM450", 0xf3ac488f),
            ("PAM460", 0x69b5b98a), ("PAM470", 0x50c101b8), ("PAM480", 0x16921a77), ("PAM490", 0xe49d04e0),
            ("PAM500", 0xb11b06ba), ("NUC.4.4", 0xc3ec7b7e),
        ];
        assert!(PublishedMatrix::all().map(PublishedMatrix::name).eq(hashes.map(|(name, _)| name.to_owned())));
        for (matrix, (name, expected)) in PublishedMatrix::all().map(ScoringMatrix::from).zip(hashes) {
            let letters = matrix.letters();
            let points = letters.chars().flat_map(|x| letters.chars().map(move |y| (x, y))).map(|(x, y)| matrix.points(x, y));
            // FNV-1a.
            let hash = points.fold(0x811c_9dc5u32, |hash, points| (hash ^ u32::from(points.rounded() as u8)).wrapping_mul(0x0100_0193));
            assert_eq!(hash, expected, "{name}");
        }
        assert_eq!([ScoringMatrix::BLOSUM62, ScoringMatrix::NUC_4_4].map(|matrix| matrix.max_points()), [11, 5].map(Points::whole));
    }

    #[test]
    fn letters_without_a_row_score_as_unknown() {
        let blosum = ScoringMatrix::BLOSUM62;
        assert_eq!([blosum.points('W', 'w'), blosum.points('L', 'i'), blosum.points('U', 'W')], [11, 2, -2].map(Points::whole));
        assert_eq!([blosum.points('é', 'A'), blosum.points('X', 'A')], [Points::ZERO; 2]);
        let bases = ScoringMatrix::NUC_4_4;
        assert_eq!([bases.points('u', 'T'), bases.points('A', 'r'), bases.points('A', '?')], [5, 1, -2].map(Points::whole));
    }

    #[test]
    fn classes_of_symbols_follow_the_numbers_of_a_pair() {
        let scoring = Scoring { matrix: Some(ScoringMatrix::BLOSUM62), ..Scoring::default() };
        let pair = bytes(b"MKWVu", b"MRwC");
        let model = AlignmentModel::new(&scoring, &pair).unwrap();
        let points = |i: usize, j: usize| model.points.of(pair.a_symbols().symbol_at(i), pair.b_symbols().symbol_at(j));
        assert_eq!([points(0, 0), points(1, 1), points(2, 2), points(3, 3), points(4, 3)], [5, 2, 11, -1, -2]);
    }

    #[test]
    fn letters_without_a_row_score_as_other_letters_of_custom_matrices() {
        let matrix = |letters: &str| {
            let points = 0..(letters.len() * letters.len()) as i32;
            ScoringMatrix::from(CustomMatrix::new(letters.into(), points).unwrap())
        };
        let row_of = |letters: &str, letter: char| matrix(letters).row(letter).map(|row| letters.chars().nth(row).unwrap());
        for (letters, letter, row) in [
            ("ACgt", 'a', Some('A')),
            ("ACgt", 'G', Some('g')),
            ("AaC", 'a', Some('a')),
            ("ACGT", 'u', Some('T')),
            ("ACGU", 'T', Some('U')),
            ("ACDEFT", 'U', None),
            ("ACGTN", 'X', Some('N')),
            ("ACDEFN", 'X', None),
            ("ACDEFX*", '?', Some('X')),
            ("ACDEF*", '?', Some('*')),
            ("ACGT", 'é', None),
        ] {
            assert_eq!(row_of(letters, letter), row, "{letters} {letter}");
        }
        // Rows belong to a, columns to b.
        let two = matrix("AC");
        assert_eq!([two.points('A', 'C'), two.points('C', 'A'), two.points('A', '?')], [1, 2, 0].map(Points::whole));
        let table = two.ascii_points();
        let ascii = || (0..128u8).map(char::from);
        assert!(ascii().flat_map(|x| ascii().map(move |y| (x, y))).zip(table).all(|((x, y), points)| two.points(x, y) == points));
        assert_eq!((two.letter_of("c"), two.letter_of("?"), two.letter_of("AC")), ('C', '\0', '\0'));
        let scoring = Scoring { matrix: Some(two), ..Scoring::default() };
        let failure = AlignmentModel::new(&scoring, &bytes(b"AC", b"CAN")).unwrap_err();
        let message = "The matrix has no row for \"N\", symbol 3 of b. Add a row and a column for this symbol, or N for all other symbols.";
        assert_eq!(failure.to_string(), message);
    }
}
