//! English texts of the page that explains the algorithms.

use super::HowTexts;

pub(super) const TOLD: HowTexts = HowTexts {
    about: "Every answer is exact. Your browser, the server’s processor and its GPU solve a task by the same recurrence, and each is tested against the plainest program that computes it.",
    edit_distance: "The matrix *D* has a row for every symbol of *a* and a column for every symbol of *b*; *D*[*i*, *j*] is the distance of the first *i* and the first *j* symbols, and each cell follows from the three above it, to its left and at its corner. Neighbours differ by one at most, so 64 cells fit into two words of bits and are filled at once by a dozen operations. Vector registers have room for several such words, cores share the strips of the matrix, and a GPU sweeps it as bands of one wave. What cannot be on an optimal path is never filled: a narrow band gives a bound, and a band as wide as the bound proves it.",
    alignment_title: "The alignment",
    alignment: "An alignment is a path through the matrix, which has far too many cells to store. Only the borders of strips are stored; then the tiles that the path crosses, and no others, are filled once more from the end to the beginning. Memory grows with the length of the texts and not with their product. The result is checked column by column before it is shown.",
    approximate_search: "The same matrix with zeros in its first row, so that a match may begin anywhere in *b*; the last row has the distance at every end. Rows are dropped where all their values are above the bound. When few edits are allowed, a part of the pattern must occur unchanged, and only the places of such parts are searched.",
    lcs: "The lengths in a column of the matrix grow by zero or one from row to row: a bit each. An addition, whose carry runs down the column, and three logical operations make the next column of 64 rows. Texts that are nearly equal are compared along the diagonals that their few differences reach.",
    match_count: "For every offset of *a* in *b* the equal symbols are counted. Short patterns are compared row by row, with the bits of many offsets added up side by side; long ones are multiplied as polynomials, by fast Fourier transforms; rare symbols are paired by lists. The cheapest of them is chosen beforehand.",
    exact_search: "One comparison of vectors says at which of 64 places a symbol of the pattern agrees; a few of them, at its rarest symbols, leave the answer or a few candidates. Long patterns that repeat themselves are compared by a critical factorisation, so the time stays linear for any text. On a GPU candidates are compared by fingerprints, and what is found is proven.",
};
