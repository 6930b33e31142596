//! Terms in the sentences of lenses (views that show an algorithm step by step), with their meanings: [`OF_METHODS`].

use crate::model::glossary::GlossaryTerm;
use crate::tr::t;

/// Terms about machine models and algorithms.
pub static OF_METHODS: [GlossaryTerm; 8] = [
    GlossaryTerm {
        forms: || t("DMMs|DMM"),
        meaning: || t("Discrete Memory Machine: a model of a GPU’s shared memory. Requests to the same bank wait for each other."),
    },
    GlossaryTerm {
        forms: || t("UMM"),
        meaning: || t("Unified Memory Machine: a model of a GPU’s global memory. Requests to addresses of one group are served together."),
    },
    GlossaryTerm {
        forms: || t("HMM"),
        meaning: || t("Hierarchical Memory Machine: several DMMs that share one UMM, as the processors of a GPU do."),
    },
    GlossaryTerm {
        forms: || t("warps|Warps|warp|Warp"),
        meaning: || t("A group of threads that execute the same instruction at the same time."),
    },
    GlossaryTerm {
        forms: || t("banks|bank"),
        meaning: || t("A part of a memory that serves one request at a time. Address i is in bank i mod w."),
    },
    GlossaryTerm { forms: || t("latency"), meaning: || t("The time from a request to its answer.") },
    GlossaryTerm { forms: || t("carries|carry"), meaning: || t("The 1 that an addition passes on to the next higher bit.") },
    GlossaryTerm {
        forms: || t("failure table|Failure table"),
        meaning: || t("For each number of matching symbols: how many of them still match after the pattern has moved on."),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::glossary::{GlossaryPiece, pieces};
    use crate::model::lens::lens_keys;
    use crate::tr::{Language, speaking};

    /// Keys of sentences that contain the terms, in the order of the terms.
    const KEYS: [&str; 8] = [
        "carry-time.begin",
        "umm.counted",
        "hmm.counted",
        "machine.begin",
        "question.bank",
        "question.dmm-time",
        "bit-vectors.carry",
        "kmp.table-why",
    ];

    #[test]
    fn terms_occur_in_the_sentences_of_every_language() {
        for language in Language::ALL {
            speaking(language, || {
                for (key, term) in KEYS.iter().zip(&OF_METHODS) {
                    let sentence = lens_keys::sentence(key);
                    let found = pieces(sentence, &OF_METHODS)
                        .into_iter()
                        .any(|piece| matches!(piece, GlossaryPiece::Term(_, one) if std::ptr::eq(one, term)));
                    assert!(found, "{language:?}: {} in {sentence}", (term.forms)());
                }
            });
        }
    }
}
