//! Terms of the field in sentences of the page, with their meanings. Views mark the terms, so that visitors can look
//! them up.

use crate::tr::t;

/// A term that can be looked up.
#[derive(Debug)]
pub struct GlossaryTerm {
    /// Function that returns the grammatical forms of the term in the page's language, longest first, separated by `|`.
    pub forms: fn() -> &'static str,
    /// Function that returns the meaning of the term in the page's language.
    pub meaning: fn() -> &'static str,
}

/// Terms in the sentences about an answer.
pub static OF_ANSWERS: [GlossaryTerm; 4] = [
    GlossaryTerm {
        forms: || t("similar"),
        meaning: || t("Similarity is 1 minus the number of edits divided by the length of the longer text. Equal texts are 100% similar."),
    },
    GlossaryTerm {
        forms: || t("columns|column"),
        meaning: || {
            t("A column of the alignment is a symbol of a beside the symbol of b that it is compared with, or a gap in one of them.")
        },
    },
    GlossaryTerm {
        forms: || t("end positions|end position"),
        meaning: || t("The position in b where a match ends. A match with a few edits often has several ends beside each other."),
    },
    GlossaryTerm { forms: || t("offsets|offset"), meaning: || t("The number of symbols of b before a, while a slides along b.") },
];

/// A piece of a text: a term, or the text before, between or after terms.
#[derive(Clone, Copy, Debug)]
pub enum GlossaryPiece<'t> {
    /// Text without a term.
    Text(&'t str),
    /// A term, in the form that the text uses.
    Term(&'t str, &'static GlossaryTerm),
}

/// Splits `text` around the first use of each of the `terms`. Takes time linear in the length of the text, times the
/// number of forms of all terms.
pub fn pieces<'t>(text: &'t str, terms: &'static [GlossaryTerm]) -> Vec<GlossaryPiece<'t>> {
    let mut found: Vec<(usize, usize, &GlossaryTerm)> = Vec::new();
    for term in terms {
        let places = (term.forms)().split('|').filter_map(|form| Some((place(text, form)?, form.len())));
        let first = places.min_by_key(|(at, len)| (*at, usize::MAX - len));
        found.extend(first.map(|(at, len)| (at, at + len, term)));
    }
    found.sort_by_key(|(from, ..)| *from);
    let (mut pieces, mut at) = (Vec::new(), 0);
    for (from, to, term) in found.into_iter() {
        if from < at {
            continue;
        }
        pieces.extend((from > at).then(|| GlossaryPiece::Text(&text[at..from])));
        pieces.push(GlossaryPiece::Term(&text[from..to], term));
        at = to;
    }
    pieces.extend((at < text.len()).then(|| GlossaryPiece::Text(&text[at..])));
    pieces
}

/// Returns the first byte position in `text` at which `form` is a whole word, or `None` if there is none. Han and Kana
/// have no spaces between words, so that any position is accepted between such characters.
fn place(text: &str, form: &str) -> Option<usize> {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphabetic() && (letter as u32) < 0x2e80);
    let mut places = text.match_indices(form).map(|(at, _)| at);
    places.find(|at| !is_part(text[..*at].chars().next_back()) && !is_part(text[at + form.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tr::{Language, speaking};

    fn marked(text: &str) -> String {
        let piece = |piece: GlossaryPiece<'_>| match piece {
            GlossaryPiece::Text(text) => text.to_owned(),
            GlossaryPiece::Term(term, _) => format!("[{term}]"),
        };
        pieces(text, &OF_ANSWERS).into_iter().map(piece).collect()
    }

    #[test]
    fn first_whole_word_of_each_term_is_marked() {
        assert_eq!(marked("57.1% similar (1 − 3/7)"), "57.1% [similar] (1 − 3/7)");
        assert_eq!(marked("one edit every 101 columns, 2 columns"), "one edit every 101 [columns], 2 columns");
        assert_eq!(marked("dissimilar similarity"), "dissimilar similarity");
        assert_eq!(marked(""), "");
    }

    #[test]
    fn terms_occur_in_the_sentences_of_every_language() {
        for language in Language::ALL {
            speaking(language, || {
                let similar = crate::tr!("{share} similar", share = "57%");
                assert!(marked(&similar).contains('['), "{language:?}: {similar}");
                let columns = crate::tr!("one edit every {n} columns", n = 9);
                assert!(marked(&columns).contains('['), "{language:?}: {columns}");
                let ends = crate::model::text::humanize::count(11, "end position", "end positions");
                assert!(marked(&ends).contains('['), "{language:?}: {ends}");
                let offsets = crate::model::text::humanize::count(11, "offset", "offsets");
                assert!(marked(&offsets).contains('['), "{language:?}: {offsets}");
            });
        }
    }
}
