//! Custom matrices of points.

use std::fmt::{self, Display, Formatter};

use super::{Points, Scoring};

/// A matrix of points that a client has written, in the format of the files that NCBI distributes.
///
/// The first line names the letters. Each further line has a letter and its points with each letter of the first line.
/// The letter of a line belongs to `a`, and those of the first line to `b`. Empty lines, and lines that begin with `#`, are
/// ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomMatrix {
    /// The letters: printable ASCII characters except `#`.
    letters: String,
    /// The points of each letter of `a` with each letter of `b`, in the order of the letters.
    points: Vec<Points>,
}

/// An error in the text of a matrix, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column} of the matrix: {kind}")]
pub struct MatrixFault {
    /// Number of the line, from 1.
    pub line: usize,
    /// Number of the character in the line, from 1.
    pub column: usize,
    /// The fault.
    pub kind: MatrixFaultKind,
}

/// The kinds of [`MatrixFault`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixFaultKind {
    /// The text has more than [`CustomMatrix::MAX_BYTES`] bytes. The place is that of the last allowed byte, or before it.
    #[error("the text is longer than 65,536 bytes")]
    TooLong,
    /// No line has letters.
    #[error("a line with the letters is missing")]
    Empty,
    /// A field is no letter.
    #[error("{0} is not a single ASCII letter, digit or sign other than #")]
    NoLetter(String),
    /// The first line has a letter twice, or two rows have the same letter.
    #[error("the letter {0} occurs twice")]
    Twice(char),
    /// A row is about a letter that the first line does not have.
    #[error("the first line does not have the letter {0}")]
    UnknownLetter(char),
    /// A letter of the first line has no row.
    #[error("the letter {0} has no row")]
    NoRow(char),
    /// A row has fewer or more numbers than the first line has letters.
    #[error("numbers in the row of {letter}: {numbers} instead of {letters}")]
    WrongLength {
        /// The letter of the row.
        letter: char,
        /// Number of numbers in the row.
        numbers: usize,
        /// Number of letters in the first line.
        letters: usize,
    },
    /// A field is no number with at most one digit after the point, or is out of its range.
    #[error("{0} is not a number from -1,000 to 1,000 with at most one decimal")]
    NoPoints(String),
}

/// A part of a line between white space, and its place.
#[derive(Clone, Copy)]
struct Field<'t> {
    text: &'t str,
    /// Number of the line, from 1.
    line: usize,
    /// Number of the first character in the line, from 1.
    column: usize,
}

impl CustomMatrix {
    /// Maximum size of the text of a matrix, in bytes.
    pub const MAX_BYTES: usize = 1 << 16;

    /// Creates a matrix of `letters`, printable ASCII characters that differ and are not `#`. `points` has the points of
    /// each letter of `a` with each letter of `b`. Returns `None` if a letter or the number of points is wrong, or if
    /// points are out of their range.
    pub fn new(letters: String, points: impl IntoIterator<Item: Into<Points>>) -> Option<Self> {
        let points: Vec<Points> = points.into_iter().map(Into::into).collect();
        let is_valid = |(at, letter): (usize, u8)| Self::is_letter(letter.into()) && !letters.as_bytes()[..at].contains(&letter);
        let has_letters = !letters.is_empty() && letters.bytes().enumerate().all(is_valid);
        let are_small = points.iter().all(|points| is_in_range(*points));
        (has_letters && are_small && points.len() == letters.len() * letters.len()).then_some(Self { letters, points })
    }

    /// Parses a matrix in the format of NCBI. Takes O(length) time.
    ///
    /// # Errors
    /// Returns the first fault and its place if `text` is no matrix.
    ///
    /// ```
    /// use kernels::job::CustomMatrix;
    ///
    /// let matrix = CustomMatrix::parse("# Transitions cost less.\n  A G\nA 2 -1\nG -1 2").unwrap();
    /// assert_eq!((matrix.letters(), matrix.to_string().as_str()), ("AG", "   A  G\nA  2 -1\nG -1  2\n"));
    /// let fault = CustomMatrix::parse("  A G\nA 2 -1\nG -1 x").unwrap_err();
    /// assert_eq!(fault.to_string(), "line 3, column 6 of the matrix: x is not a number from -1,000 to 1,000 with at most one decimal");
    /// ```
    pub fn parse(text: &str) -> Result<Self, MatrixFault> {
        if text.len() > Self::MAX_BYTES {
            let allowed = text[..text.floor_char_boundary(Self::MAX_BYTES)].lines();
            let (line, last) = (allowed.clone().count(), allowed.last().unwrap_or_default());
            return Err(MatrixFault { line, column: last.chars().count(), kind: MatrixFaultKind::TooLong });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        let mut lines = text.lines().zip(1..).filter(|(line, _)| !is_comment(line)).map(|(text, line)| fields(text, line));
        let header = lines.next().ok_or(MatrixFault { line: 1, column: 1, kind: MatrixFaultKind::Empty })?;
        let mut letters = String::new();
        for field in &header {
            let letter = field.letter()?;
            if letters.contains(letter) {
                return Err(field.fault(MatrixFaultKind::Twice(letter)));
            }
            letters.push(letter);
        }
        let size = letters.len();
        let mut rows: Vec<Option<Vec<Points>>> = vec![None; size];
        for row in lines {
            let [first, numbers @ ..] = row.as_slice() else { continue };
            let letter = first.letter()?;
            let at = letters.find(letter).ok_or_else(|| first.fault(MatrixFaultKind::UnknownLetter(letter)))?;
            if rows[at].is_some() {
                return Err(first.fault(MatrixFaultKind::Twice(letter)));
            }
            if numbers.len() != size {
                let kind = MatrixFaultKind::WrongLength { letter, numbers: numbers.len(), letters: size };
                return Err(numbers.get(size).or(numbers.last()).unwrap_or(first).fault(kind));
            }
            rows[at] = Some(numbers.iter().map(Field::points).collect::<Result<_, _>>()?);
        }
        if let Some(field) = rows.iter().zip(&header).find_map(|(row, field)| row.is_none().then_some(field)) {
            return Err(field.fault(MatrixFaultKind::NoRow(field.letter()?)));
        }
        Ok(Self { letters, points: rows.into_iter().flatten().flatten().collect() })
    }

    /// Returns whether a character may be a letter of a matrix. A line that begins with `#` is a comment.
    pub fn is_letter(char: char) -> bool {
        char.is_ascii_graphic() && char != '#'
    }

    /// Returns the letters that have rows, in the order of the rows.
    pub fn letters(&self) -> &str {
        &self.letters
    }

    /// Returns the points of each letter of `a` with each letter of `b`, in the order of the letters.
    pub fn points(&self) -> &[Points] {
        &self.points
    }
}

fn is_in_range(points: Points) -> bool {
    points.abs() <= Points::from(Scoring::MAX)
}

/// Cuts a line into its fields.
fn fields(line: &str, number: usize) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    let mut start = None;
    for (column, (at, char)) in (1..).zip(line.char_indices().chain([(line.len(), ' ')])) {
        match (char.is_whitespace(), start) {
            (false, None) => start = Some((at, column)),
            (true, Some((from, column))) => {
                fields.push(Field { text: &line[from..at], line: number, column });
                start = None;
            }
            (true, None) | (false, Some(_)) => {}
        }
    }
    fields
}

impl Field<'_> {
    fn letter(&self) -> Result<char, MatrixFault> {
        match *self.text.as_bytes() {
            [letter] if CustomMatrix::is_letter(letter.into()) => Ok(letter.into()),
            _ => Err(self.fault(MatrixFaultKind::NoLetter(self.short()))),
        }
    }

    fn points(&self) -> Result<Points, MatrixFault> {
        let number = self.text.replace('−', "-").parse().ok().filter(|points| is_in_range(*points));
        number.ok_or_else(|| self.fault(MatrixFaultKind::NoPoints(self.short())))
    }

    /// Returns the text without its end if it is long.
    fn short(&self) -> String {
        const MAX_SHOWN: usize = 20;
        if self.text.chars().count() <= MAX_SHOWN {
            return self.text.to_owned();
        }
        self.text.chars().take(MAX_SHOWN).chain(['…']).collect()
    }

    fn fault(&self, kind: MatrixFaultKind) -> MatrixFault {
        MatrixFault { line: self.line, column: self.column, kind }
    }
}

impl Display for CustomMatrix {
    /// Writes the matrix in the format of NCBI, with columns of equal width.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = self.points.iter().map(|points| points.to_string().len()).max().unwrap_or(1);
        f.write_str(" ")?;
        for letter in self.letters.chars() {
            write!(f, " {letter:>width$}")?;
        }
        writeln!(f)?;
        for (letter, row) in self.letters.chars().zip(self.points.chunks_exact(self.letters.len())) {
            write!(f, "{letter}")?;
            for points in row {
                write!(f, " {:>width$}", points.to_string())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_have_any_order_and_spacing() {
        let matrix = CustomMatrix::parse("# comment\r\n\r\n\tA\tC  *\r\n*  -4 −5 +1\r\nA 4\t0 -4 \r\n  C 1 9 -1000\r\n# end").unwrap();
        assert_eq!((matrix.letters(), matrix.points()), ("AC*", [4, 0, -4, 1, 9, -1_000, -4, -5, 1].map(Points::whole).as_slice()));
        assert_eq!(CustomMatrix::parse(&matrix.to_string()), Ok(matrix.clone()));
        assert_eq!(CustomMatrix::new(matrix.letters().into(), matrix.points().iter().copied()), Some(matrix));
    }

    /// The Gonnet matrix of 1992 is published with one decimal.
    #[test]
    fn points_may_have_one_decimal() {
        let matrix = CustomMatrix::parse("C S\nC 11.5 .1\nS −0.5 2.20").unwrap();
        assert_eq!(matrix.points(), [115, 1, -5, 22].map(Points::from_tenths));
        assert_eq!(matrix.to_string(), "     C    S\nC 11.5  0.1\nS -0.5  2.2\n");
        assert_eq!(CustomMatrix::parse(&matrix.to_string()), Ok(matrix));
    }

    #[test]
    fn faults_are_reported_with_their_place() {
        for (text, message) in [
            ("", "line 1, column 1 of the matrix: a line with the letters is missing"),
            ("# only\n", "line 1, column 1 of the matrix: a line with the letters is missing"),
            ("A C A\n", "line 1, column 5 of the matrix: the letter A occurs twice"),
            ("A é\n", "line 1, column 3 of the matrix: é is not a single ASCII letter, digit or sign other than #"),
            ("A Cys\n", "line 1, column 3 of the matrix: Cys is not a single ASCII letter, digit or sign other than #"),
            ("A C\nA 1 2\nG 1 2", "line 3, column 1 of the matrix: the first line does not have the letter G"),
            ("A C\nA 1 2\n A 1 2", "line 3, column 2 of the matrix: the letter A occurs twice"),
            ("A C\nA 1\nC 1 2", "line 2, column 3 of the matrix: numbers in the row of A: 1 instead of 2"),
            ("A C\nA 1 2 3\nC 1 2", "line 2, column 7 of the matrix: numbers in the row of A: 3 instead of 2"),
            ("A C\nA\nC 1 2", "line 2, column 1 of the matrix: numbers in the row of A: 0 instead of 2"),
            (
                "A C\n\nA 1 2.55\nC 1 2",
                "line 3, column 5 of the matrix: 2.55 is not a number from -1,000 to 1,000 with at most one decimal",
            ),
            ("A C\nA 1 1001\nC 1 2", "line 2, column 5 of the matrix: 1001 is not a number from -1,000 to 1,000 with at most one decimal"),
            ("A C\nC 1 2", "line 1, column 1 of the matrix: the letter A has no row"),
        ] {
            assert_eq!(CustomMatrix::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
        let long = format!("A\nA {}", "9".repeat(40));
        assert_eq!(
            CustomMatrix::parse(&long).unwrap_err().to_string(),
            "line 2, column 3 of the matrix: 99999999999999999999… is not a number from -1,000 to 1,000 with at most one decimal"
        );
        assert!(
            CustomMatrix::parse(&" ".repeat(CustomMatrix::MAX_BYTES + 1)).unwrap_err().to_string().ends_with("longer than 65,536 bytes")
        );
    }

    /// Otherwise, options could be sent but not read again.
    #[test]
    fn every_letter_is_read_without_loss() {
        let letters: String = ('!'..='~').filter(|letter| CustomMatrix::is_letter(*letter)).collect();
        let points = (0..letters.len() * letters.len()).map(|at| (at % 2_001) as i32 - 1_000);
        let matrix = CustomMatrix::new(letters.clone(), points).unwrap();
        assert_eq!((letters.len(), CustomMatrix::parse(&matrix.to_string())), (93, Ok(matrix)));
        assert_eq!(CustomMatrix::parse("\u{feff}# saved by an editor\nA\nA 1").unwrap().letters(), "A");
    }

    #[test]
    fn matrices_are_created_from_valid_parts_only() {
        let new = |letters: &str, points: &[i32]| CustomMatrix::new(letters.into(), points.iter().copied()).is_some();
        assert!(new("AC", &[1, 2, 3, -1_000]) && new("*", &[0]));
        assert!(!new("", &[]) && !new("AA", &[1; 4]) && !new("AC", &[1; 3]) && !new("é", &[1]) && !new("A C", &[1; 9]) && !new("#", &[1]));
        assert!(!new("A", &[1_001]) && !new("A", &[i32::MIN]));
    }
}
