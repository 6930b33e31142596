//! English texts of the lesson about costs.

use super::{CostsTexts, ModelTexts};

pub(super) const TOLD: CostsTexts = CostsTexts {
    title: "The same two words, five costs",
    about: "Five ways to count what two words have in common. Watch how the sum and the columns change, although the words stay the same.",
    words: "The words are *{a}* and *{b}*.",
    models: [
        ModelTexts {
            title: "Levenshtein: every edit counts 1",
            text: "A letter is replaced, put in or taken out. Each edit counts 1, and the least sum wins.",
        },
        ModelTexts {
            title: "Indel: a replacement counts 2",
            text: "A replacement counts as much as taking one letter out and putting another one in. So only the letters that stay decide: the sum follows from a longest common subsequence.",
        },
        ModelTexts {
            title: "Damerau–Levenshtein: a swap counts 1",
            text: "People who type often exchange two neighbours. Here such an exchange is one edit. Other edits may not touch the two letters again (optimal string alignment).",
        },
        ModelTexts {
            title: "Needleman–Wunsch: points for what is equal",
            text: "Equal letters earn 1 point. Different letters cost 1, and a letter without a partner costs 1. The largest sum wins. It grows with the length of the words, so that it says little without the lengths.",
        },
        ModelTexts {
            title: "Smith–Waterman: the best pieces",
            text: "Equal letters earn 3 points, different ones cost 3, and a letter without a partner costs 2. The alignment may begin and end anywhere: letters outside the best pieces cost nothing.",
        },
    ],
    sum: "Sum: {sum}.",
    points: "Points: {points}.",
    pieces: "Letters {a1} to {a2} of *a*, letters {b1} to {b2} of *b*.",
    nothing: "No pieces earn a point.",
    same: "The columns are the same as with Levenshtein. Only their costs differ.",
    other: "The columns differ from those of Levenshtein.",
    open: "Open on the page",
    own_note: "Two short texts: *a* of up to {a} symbols, *b* of up to {b}. They stand in the link.",
    back: "The lesson of five stations",
};
