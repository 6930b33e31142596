//! Approximate search as in papers 000 and 003: `ASM(X, Y) = min{ED(X, Y′) | Y′ is a substring of Y}`, where ED is the
//! edit distance.
//!
//! - [`sequential`]: "Algorithm ASM", section 4
//! - [`diagonal`]: "Improved parallel ASM algorithm", section 5: m threads of one DMM
//! - [`slices`]: "Parallel ASM algorithm on the HMM", section 6: D blocks
//!
//! The papers compute the distance of the nearest substring of `Y`. `c[m][j]` is the distance of the nearest substring
//! that ends after j symbols. These methods return all `c[m][j]`, because these numbers show where near substrings end.
//!
//! Errors in the papers:
//!
//! - `c[i][j]` is defined as `min ED(x_1…x_i, y_j′…y_j)` over `1 ≤ j′ ≤ j`. The empty substring must be included: for
//!   `x_1…x_0` and any `y_j`, the definition gives 1, but row 0 holds 0. (003 has the minimum over prefixes of both
//!   texts, which is a different value.)
//! - For Figure 4, the text of section 4 has Y = aaabbbbaa, as far as it is legible, and 003 has aaabbb. The figure
//!   shows aaabbbaa, and only that text has the answer 1.
//! - 003 changes ababa into aaabbb in two operations by omitting the last one. It takes three, as in 000.
//! - Section 6 has `ASM(X, Y) = min ED(X, Y_i)` over the slices. The algorithm computes `min ASM(X, Y_i)`.
//! - The loop of 003 that sets `c[i][0]` begins at 1 and omits `c[0][0]`. Its diagonals begin at i = 1 and so never set
//!   `e[2][0]`.

pub mod diagonal;
pub mod sequential;
pub mod slices;

/// For each position in the text `Y`, the smallest distance between the pattern `X` and a substring of `Y` that ends
/// there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubstringDistances {
    /// For each number j = 0 … n of symbols of the text: the smallest distance of a substring that ends after j
    /// symbols. This is `c[m][j]` in papers 000 and 003.
    pub distances: Vec<u32>,
}

impl SubstringDistances {
    /// Returns the smallest distance between `X` and any substring of `Y`. This is `ASM(X, Y)`, the output of the
    /// pseudo-code in papers 000 and 003.
    pub fn least(&self) -> u32 {
        self.distances.iter().copied().min().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::diagonal::diagonal;
    use super::sequential::sequential;
    use super::slices::slices;
    use crate::methods::counted;
    use crate::methods::edit_distance::sequential::sequential as distance;

    fn ed(x: &[u8], y: &[u8]) -> u32 {
        counted(|tick| distance(x, y, tick)).0
    }

    fn asm(x: &[u8], y: &[u8]) -> u32 {
        counted(|tick| sequential(x, y, tick)).0.least()
    }

    /// Computes `ASM(X, Y)` by its definition.
    fn nearest(x: &[u8], y: &[u8]) -> u32 {
        let starts = 0..=y.len();
        starts.flat_map(|from| (from..=y.len()).map(move |to| (from, to))).map(|(from, to)| ed(x, &y[from..to])).min().unwrap_or_default()
    }

    #[test]
    fn figure_4_shows_the_matrix_of_aaabbbaa() {
        let (x, y) = (b"ababa", b"aaabbbaa");
        let figure = [
            [0, 0, 0, 0, 0, 0, 0, 0, 0],
            [1, 0, 0, 0, 1, 1, 1, 0, 0],
            [2, 1, 1, 1, 0, 1, 1, 1, 1],
            [3, 2, 1, 1, 1, 1, 2, 1, 1],
            [4, 3, 2, 2, 1, 1, 1, 2, 2],
            [5, 4, 3, 2, 2, 2, 2, 1, 2],
        ];
        for (i, row) in figure.iter().enumerate() {
            assert_eq!(counted(|tick| sequential(&x[..i], y, tick)).0.distances, row);
            assert_eq!(counted(|tick| diagonal(&x[..i], y, tick)).0.distances, row);
        }
        assert_eq!([&y[..], b"aaabbbbaa", b"aaabbb"].map(|y| asm(x, y)), [1, 2, 2]);
    }

    #[test]
    fn examples_of_section_4_are_right() {
        assert_eq!(ed(b"ababa", b"aaabbb"), 3);
        assert_eq!((ed(b"abc", b"defgh"), asm(b"abc", b"defgh")), (5, 3));
        assert_eq!((ed(b"abc", b"abcxy"), asm(b"abc", b"abcxy")), (2, 0));
    }

    #[test]
    fn distances_lie_within_the_bounds_of_sections_4_and_6() {
        let mut rng = fastrand::Rng::with_seed(6);
        for _ in 0..300 {
            let text = |rng: &mut fastrand::Rng, len| -> Vec<u8> { (0..len).map(|_| rng.u8(..2)).collect() };
            let m = rng.usize(1..6);
            let n = rng.usize(m..20);
            let (x, y) = (text(&mut rng, m), text(&mut rng, n));
            assert!((n - m..=n).contains(&(ed(&x, &y) as usize)));
            assert!(n <= 2 * m || ed(&x, &y) as usize > m);
            assert_eq!(asm(&x, &y), nearest(&x, &y));
            assert!(asm(&x, &y) as usize <= m);
        }
    }

    #[test]
    fn minimum_over_slices_is_an_asm_distance_not_an_edit_distance() {
        let (x, y) = (b"ab", b"ccccabcccc");
        let of_slices = counted(|tick| slices(x, y, 3, tick)).0;
        assert_eq!(of_slices.ends.least(), 0);
        assert_eq!(of_slices.slices.iter().map(|slice| ed(x, &y[slice.clone()])).min(), Some(4));
    }

    #[test]
    fn all_methods_agree_on_random_texts() {
        let mut rng = fastrand::Rng::with_seed(7);
        for round in 0..1000 {
            let letters = rng.u8(1..5);
            let (m, n) = if round % 2 == 0 { (rng.usize(0..8), rng.usize(0..12)) } else { (rng.usize(0..40), rng.usize(0..300)) };
            let text = |rng: &mut fastrand::Rng, len| -> Vec<u8> { (0..len).map(|_| rng.u8(..letters)).collect() };
            let (x, y) = (text(&mut rng, m), text(&mut rng, n));
            let (expected, cells) = counted(|tick| sequential(&x, &y, tick));
            assert_eq!(cells, (m * n) as u64);
            if round % 2 == 0 {
                assert_eq!(expected.least(), nearest(&x, &y));
            }
            assert_eq!(counted(|tick| diagonal(&x, &y, tick)), (expected.clone(), (m * n) as u64), "{x:?} {y:?}");
            let blocks = rng.usize(1..20);
            let (of_slices, cells) = counted(|tick| slices(&x, &y, blocks, tick));
            assert_eq!(of_slices.ends, expected, "{x:?} {y:?} {blocks}");
            assert_eq!(of_slices.minima.iter().min(), Some(&expected.least()));
            assert_eq!(cells, of_slices.slices.iter().map(|slice| (m * slice.len()) as u64).sum::<u64>());
        }
    }
}
