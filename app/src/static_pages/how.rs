//! The page that explains the algorithm of each task in one paragraph, with the papers in which the algorithm was
//! published.
//!
//! - `english`, `german`, `spanish`, `french`, `japanese`, `chinese`: the paragraphs

use kernels::job::Task;
use leptos::prelude::*;

use super::{StaticPageFrame, StaticPageRequest, document};
use crate::model::task::TaskDescription;
use crate::tr::{Language, t};
use crate::view::widgets::prose::prose;

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
mod spanish;

/// Path of the page.
pub const PATH: &str = "/how";

/// Texts of the page in one language. In them `*a*` and `*D*` are names in italics, see [`prose`]. They are in no
/// catalogue (translations that the page in the browser loads), because only this page, which runs no script, uses
/// them.
struct HowTexts {
    about: &'static str,
    edit_distance: &'static str,
    alignment_title: &'static str,
    alignment: &'static str,
    approximate_search: &'static str,
    lcs: &'static str,
    sequence_alignment: &'static str,
    match_count: &'static str,
    exact_search: &'static str,
}

fn page_texts(language: Language) -> &'static HowTexts {
    told_in!(language)
}

/// A task, or the computation of alignments, together with the papers in which its algorithm was published.
struct CitedMethod {
    id: &'static str,
    title: fn(&HowTexts) -> &'static str,
    what: fn(&HowTexts) -> &'static str,
    papers: &'static [&'static str],
}

const METHODS: [CitedMethod; 7] = [
    CitedMethod {
        id: "edit-distance",
        title: |_| TaskDescription::of(Task::EditDistance).title(),
        what: |told| told.edit_distance,
        papers: &[
            "G. Myers: A fast bit-vector algorithm for approximate string matching based on dynamic programming. Journal of the ACM, 1999.",
            "H. Hyyrö: A bit-vector algorithm for computing Levenshtein and Damerau edit distances. Nordic Journal of Computing, 2003.",
            "E. Ukkonen: Algorithms for approximate string matching. Information and Control, 1985.",
            "F. J. Damerau: A technique for computer detection and correction of spelling errors. Communications of the ACM, 1964.",
            "R. Lowrance, R. A. Wagner: An extension of the string-to-string correction problem. Journal of the ACM, 1975.",
            "R. Groot Koerkamp, P. Ivanov: Exact global alignment using A* with chaining seed heuristic and match pruning. Bioinformatics, 2024.",
        ],
    },
    CitedMethod {
        id: "alignment",
        title: |told| told.alignment_title,
        what: |told| told.alignment,
        papers: &["D. S. Hirschberg: A linear space algorithm for computing maximal common subsequences. Communications of the ACM, 1975."],
    },
    CitedMethod {
        id: "approximate-search",
        title: |_| TaskDescription::of(Task::ApproximateSearch).title(),
        what: |told| told.approximate_search,
        papers: &[
            "P. H. Sellers: The theory and computation of evolutionary distances: pattern recognition. Journal of Algorithms, 1980.",
            "S. Wu, U. Manber: Fast text searching allowing errors. Communications of the ACM, 1992.",
            "G. Myers: A fast bit-vector algorithm for approximate string matching based on dynamic programming. Journal of the ACM, 1999.",
        ],
    },
    CitedMethod {
        id: "lcs",
        title: |_| TaskDescription::of(Task::Lcs).title(),
        what: |told| told.lcs,
        papers: &[
            "H. Hyyrö: Bit-parallel LCS-length computation revisited. Australasian Workshop on Combinatorial Algorithms, 2004.",
            "M. Crochemore, C. S. Iliopoulos, Y. J. Pinzon, J. F. Reid: A fast and practical bit-vector algorithm for the longest common subsequence problem. Information Processing Letters, 2001.",
            "E. W. Myers: An O(ND) difference algorithm and its variations. Algorithmica, 1986.",
        ],
    },
    CitedMethod {
        id: "sequence-alignment",
        title: |_| TaskDescription::of(Task::SequenceAlignment).title(),
        what: |told| told.sequence_alignment,
        papers: &[
            "S. B. Needleman, C. D. Wunsch: A general method applicable to the search for similarities in the amino acid sequence of two proteins. Journal of Molecular Biology, 1970.",
            "T. F. Smith, M. S. Waterman: Identification of common molecular subsequences. Journal of Molecular Biology, 1981.",
            "O. Gotoh: An improved algorithm for matching biological sequences. Journal of Molecular Biology, 1982.",
        ],
    },
    CitedMethod {
        id: "match-count",
        title: |_| TaskDescription::of(Task::MatchCount).title(),
        what: |told| told.match_count,
        papers: &[
            "M. J. Fischer, M. S. Paterson: String-matching and other products. Complexity of Computation, 1974.",
            "K. Abrahamson: Generalized string matching. SIAM Journal on Computing, 1987.",
        ],
    },
    CitedMethod {
        id: "exact-search",
        title: |_| TaskDescription::of(Task::ExactSearch).title(),
        what: |told| told.exact_search,
        papers: &[
            "M. Crochemore, D. Perrin: Two-way string-matching. Journal of the ACM, 1991.",
            "R. M. Karp, M. O. Rabin: Efficient randomized pattern-matching algorithms. IBM Journal of Research and Development, 1987.",
        ],
    },
];

/// Returns the HTML of the page that explains the algorithms.
pub fn page(reader: StaticPageRequest) -> String {
    let told = page_texts(reader.language);
    document(StaticPageFrame { reader, title: || t("How it works"), about: told.about, languages_of: Some(PATH), styles: &[] }, || {
        text(told).into_any()
    })
}

fn text(told: &'static HowTexts) -> impl IntoView {
    METHODS
        .map(|CitedMethod { id, title, what, papers }| {
            view! {
                <section class="section" aria-labelledby=id>
                    <h2 id=id>{title(told)}</h2>
                    <p class="say">{prose(what(told))}</p>
                    <ul class="papers" lang="en">
                        {papers.iter().map(|paper| view! { <li>{*paper}</li> }).collect_view()}
                    </ul>
                </section>
            }
        })
        .into_iter()
        .collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_explained_with_its_papers_in_every_language() {
        for language in Language::ALL {
            let html = page(StaticPageRequest { pkg: "/pkg/0".into(), language, ..StaticPageRequest::default() });
            for task in Task::ALL {
                assert!(html.contains(&format!("id=\"{}\"", task.name())), "{task:?}");
            }
            assert!(html.contains(&format!("<html lang=\"{}\"", language.tag())), "{html}");
            assert!(html.contains("Hirschberg") && html.contains("<var>D</var>[<var>i</var>, <var>j</var>]"), "{html}");
            assert!(!html.contains("<script") && !html.contains("*<"), "{html}");
        }
        assert!(METHODS.iter().all(|method| !method.papers.is_empty()));
    }

    /// Checks that every language has every paragraph in a similar length, so that nothing was left out.
    #[test]
    fn texts_of_all_languages_have_similar_length() {
        let lengths = |language| {
            let told = page_texts(language);
            METHODS.map(|method| (method.what)(told).chars().count())
        };
        let english = lengths(Language::English);
        for (language, least) in
            [(Language::German, 80), (Language::Spanish, 80), (Language::French, 80), (Language::Japanese, 30), (Language::Chinese, 20)]
        {
            for (here, there) in english.into_iter().zip(lengths(language)) {
                assert!(there * 100 >= here * least, "{language:?}: {there} of {here}");
            }
        }
    }
}
