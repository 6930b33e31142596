//! A column of a matrix as the words (of 64 bits) of a bit-parallel algorithm, which fills the matrix column by column.
//! [`column()`] computes the words; bit `i` is row `i + 1`.
//!
//! - `edit-distance`, `approximate-search`: Myers 1999 in the form of Hyyrö. Ones of `VP` and `VN` mark the rows in
//!   which the column rises and falls downwards.
//! - `lcs`: Hyyrö 2004. Zeros of `V` mark the rows in which the length rises; the carries of one addition move them
//!   upwards.
//! - `exact-search`: Shift-And (Baeza-Yates and Gonnet 1992). A one in bit `i` says that the first `i + 1` symbols of
//!   `a` end at this column.

use kernels::job::Task;

use super::{DpMatrix, MAX_GRID_SYMBOLS, MatrixCell};

/// A machine word that a bit-parallel algorithm computes for one column of the matrix, with its name and formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnWord {
    /// Name of the word in the publication of the algorithm, for example `VP`.
    pub name: &'static str,
    /// Formula by which the word is computed. A name with a prime (`VP′`) means the word of the previous column with
    /// this name.
    pub formula: &'static str,
    /// The bits of the word. The lowest bit is row 1.
    pub bits: u64,
}

/// Returns the words of column `j` in the order of their computation; the last one or two are the words that the next
/// column needs. Returns no words for column 0 and after the last column. Also returns none for `match-count`, for
/// other costs than those of Levenshtein, and for patterns that are empty or have more than [`MAX_GRID_SYMBOLS`]
/// symbols. Takes O(|a| · j) time.
///
/// ```
/// use kernels::job::{EditCosts, Task};
/// use explain::matrix::{DpMatrix, bits};
///
/// let numbers = |text: &str| text.chars().map(u32::from).collect();
/// let matrix = DpMatrix::new(Task::EditDistance, EditCosts::LEVENSHTEIN, numbers("SUNDAY"), numbers("SATURDAY")).unwrap();
/// let words = bits::column(&matrix, 5);
/// let word = |name| words.iter().find(|word| word.name == name).unwrap().bits;
/// assert_eq!((word("VP"), word("VN")), (0b101000, 0b000011));
/// ```
pub fn column(matrix: &DpMatrix, j: usize) -> Vec<ColumnWord> {
    let MatrixCell { i: rows, j: columns } = matrix.last();
    if rows == 0 || rows > MAX_GRID_SYMBOLS || j == 0 || j > columns || !matrix.costs().is_levenshtein() {
        return Vec::new();
    }
    let rows_mask = u64::MAX >> (64 - rows);
    let equal = |j: usize| (1..=rows).fold(0u64, |word, i| word | u64::from(matrix.equal(MatrixCell { i, j })) << (i - 1));
    let words = match matrix.task() {
        Task::EditDistance => myers(&equal, j, MyersInput { first_row: 1, rows_mask }),
        Task::ApproximateSearch => myers(&equal, j, MyersInput { first_row: 0, rows_mask }),
        Task::Lcs => hyyro(&equal, j),
        Task::ExactSearch => shift_and(&equal, j),
        Task::MatchCount | Task::SequenceAlignment => Vec::new(),
    };
    words.into_iter().map(|(name, made, bits)| ColumnWord { name, formula: made, bits: bits & rows_mask }).collect()
}

/// The name, the formula and the bits of a word.
type NamedWord = (&'static str, &'static str, u64);

/// The inputs of Myers's algorithm that depend on the task or on the length of `a`.
struct MyersInput {
    /// Increase of row 0 from column to column, 0 or 1.
    first_row: u64,
    /// Mask with a one for each row of the matrix.
    rows_mask: u64,
}

fn myers(equal: &dyn Fn(usize) -> u64, last: usize, given: MyersInput) -> Vec<NamedWord> {
    let (mut vp, mut vn) = (given.rows_mask, 0u64);
    let mut words = Vec::new();
    for j in 1..=last {
        let eq = equal(j);
        let d0 = ((eq & vp).wrapping_add(vp) ^ vp) | eq | vn;
        let hp = vn | !(d0 | vp);
        let hn = d0 & vp;
        let shifted = hp << 1 | given.first_row;
        vp = hn << 1 | !(d0 | shifted);
        vn = d0 & shifted;
        let made = if given.first_row == 1 { "(HN << 1) | ~(D0 | (HP << 1 | 1))" } else { "(HN << 1) | ~(D0 | (HP << 1))" };
        let falls = if given.first_row == 1 { "D0 & (HP << 1 | 1)" } else { "D0 & (HP << 1)" };
        words = vec![
            ("EQ", "rows whose symbol is the column’s", eq),
            ("D0", "(((EQ & VP′) + VP′) ^ VP′) | EQ | VN′", d0),
            ("HP", "VN′ | ~(D0 | VP′)", hp),
            ("HN", "D0 & VP′", hn),
            ("VP", made, vp),
            ("VN", falls, vn),
        ];
    }
    words
}

fn hyyro(equal: &dyn Fn(usize) -> u64, last: usize) -> Vec<NamedWord> {
    let mut v = u64::MAX;
    let mut words = Vec::new();
    for j in 1..=last {
        let eq = equal(j);
        let u = v & eq;
        let sum = v.wrapping_add(u);
        // The carries into each bit of the addition.
        let carries = sum ^ v ^ u;
        let next = sum | (v & !eq);
        words = vec![
            ("EQ", "rows whose symbol is the column’s", eq),
            ("U", "V′ & EQ", u),
            ("carries", "of V′ + U", carries),
            ("V", "(V′ + U) | (V′ & ~EQ)", next),
        ];
        v = next;
    }
    words
}

fn shift_and(equal: &dyn Fn(usize) -> u64, last: usize) -> Vec<NamedWord> {
    let mut d = 0u64;
    let mut words = Vec::new();
    for j in 1..=last {
        let eq = equal(j);
        d = (d << 1 | 1) & eq;
        words = vec![("EQ", "rows whose symbol is the column’s", eq), ("D", "(D′ << 1 | 1) & EQ", d)];
    }
    words
}
