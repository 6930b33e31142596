//! How each task is solved, a paragraph each, with the papers that it comes from.

use leptos::prelude::*;

use super::{Frame, document};

/// A task, how it is solved, and by whom it was found out.
struct Method {
    id: &'static str,
    title: &'static str,
    what: &'static str,
    papers: &'static [&'static str],
}

const METHODS: [Method; 6] = [
    Method {
        id: "edit-distance",
        title: "Edit distance",
        what: "The matrix D has a row for every symbol of a and a column for every symbol of b; D[i, j] is the distance of the first i and the \
               first j symbols, and each cell follows from the three above it, to its left and at its corner. Neighbours differ by \
               one at most, so that 64 cells fit into two words of bits and are filled at once by a dozen operations. Vector registers \
               hold several such words, cores share the strips of the matrix, and a GPU sweeps it as bands of one wave. What cannot be \
               on an optimal path is never filled: a narrow band gives a bound, and a band as wide as the bound proves it.",
        papers: &[
            "G. Myers: A fast bit-vector algorithm for approximate string matching based on dynamic programming. Journal of the ACM, 1999.",
            "H. Hyyrö: A bit-vector algorithm for computing Levenshtein and Damerau edit distances. Nordic Journal of Computing, 2003.",
            "E. Ukkonen: Algorithms for approximate string matching. Information and Control, 1985.",
            "R. Groot Koerkamp, P. Ivanov: Exact global alignment using A* with chaining seed heuristic and match pruning. Bioinformatics, 2024.",
        ],
    },
    Method {
        id: "alignment",
        title: "The alignment",
        what: "An alignment is a path through the matrix, which has far too many cells to be kept. Only the borders of strips are; then the \
               tiles that the path crosses, and no others, are filled once more from the end to the beginning. Memory grows with the \
               length of the texts and not with their product. Whatever comes out is walked through column by column before it is shown.",
        papers: &["D. S. Hirschberg: A linear space algorithm for computing maximal common subsequences. Communications of the ACM, 1975."],
    },
    Method {
        id: "approximate-search",
        title: "Approximate search",
        what: "The same matrix with zeros in its first row, so that a match may begin anywhere in b; the last row holds the distance at every \
               end. Rows are given up where all their values are over the bound. When few edits are allowed, a piece of the pattern must \
               occur as it is, and only the places of such pieces are looked at.",
        papers: &[
            "P. H. Sellers: The theory and computation of evolutionary distances: pattern recognition. Journal of Algorithms, 1980.",
            "S. Wu, U. Manber: Fast text searching allowing errors. Communications of the ACM, 1992.",
            "G. Myers: A fast bit-vector algorithm for approximate string matching based on dynamic programming. Journal of the ACM, 1999.",
        ],
    },
    Method {
        id: "lcs",
        title: "Longest common subsequence",
        what: "The lengths in a column of the matrix grow by zero or one from row to row: a bit each. An addition, whose carry runs down the \
               column, and three logical operations make the next column of 64 rows. Texts that are nearly equal are compared along \
               the diagonals that their few differences reach.",
        papers: &[
            "H. Hyyrö: Bit-parallel LCS-length computation revisited. Australasian Workshop on Combinatorial Algorithms, 2004.",
            "M. Crochemore, C. S. Iliopoulos, Y. J. Pinzon, J. F. Reid: A fast and practical bit-vector algorithm for the longest common subsequence problem. Information Processing Letters, 2001.",
            "E. W. Myers: An O(ND) difference algorithm and its variations. Algorithmica, 1986.",
        ],
    },
    Method {
        id: "match-count",
        title: "Match count",
        what: "For every offset of a in b the equal symbols are counted. Short patterns are compared row by row, with the bits of many offsets \
               added up side by side; long ones are multiplied as polynomials, by fast Fourier transforms; rare symbols are paired by \
               lists. Which of them costs least is found out before.",
        papers: &[
            "M. J. Fischer, M. S. Paterson: String-matching and other products. Complexity of Computation, 1974.",
            "K. Abrahamson: Generalized string matching. SIAM Journal on Computing, 1987.",
        ],
    },
    Method {
        id: "exact-search",
        title: "Exact search",
        what: "One comparison of vectors says at which of 64 places a symbol of the pattern agrees; a few of them, at its rarest symbols, leave \
               the answer or a few candidates. Long patterns that repeat themselves are compared by a critical factorisation, so that no \
               text takes longer than its length. On a GPU candidates are compared by fingerprints, and what is found is proven.",
        papers: &[
            "M. Crochemore, D. Perrin: Two-way string-matching. Journal of the ACM, 1991.",
            "R. M. Karp, M. O. Rabin: Efficient randomized pattern-matching algorithms. IBM Journal of Research and Development, 1987.",
        ],
    },
];

/// The page.
pub fn page(pkg: String, theme: Option<String>) -> String {
    let about = "Every answer is exact. Your browser, the server’s processor and its GPU solve a task by the same recurrence, and each is tested against the plainest program that computes it.";
    document(Frame { pkg, theme, title: "How it works", about }, || text().into_any())
}

fn text() -> impl IntoView {
    METHODS
        .map(|Method { id, title, what, papers }| {
            view! {
                <section class="section" aria-labelledby=id>
                    <h2 id=id>{title}</h2>
                    <p class="say">{what}</p>
                    <ul class="papers">{papers.iter().map(|paper| view! { <li>{*paper}</li> }).collect_view()}</ul>
                </section>
            }
        })
        .into_iter()
        .collect_view()
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;

    #[test]
    fn every_task_is_told_with_its_papers() {
        let html = page("/pkg/0".into(), None);
        for task in Task::ALL {
            assert!(html.contains(&format!("id=\"{}\"", task.name())), "{task:?}");
        }
        assert!(METHODS.iter().all(|method| !method.papers.is_empty()));
        assert!(!html.contains("<script"));
    }
}
