//! English texts of the lesson page.

use super::{LearnTexts, LessonStation};

pub(super) const TOLD: LearnTexts = LearnTexts {
    about: "Five stations from the matrix to the GPU. Watch a method at each one and answer a question; the answers stay in the link.",
    stations: [
        LessonStation {
            title: "The matrix",
            text: "*D*[*i*, *j*] is the least number of edits that turn the first *i* symbols of *a* into the first *j* of *b*. A cell needs three others: above it, to its left, and at its corner. The last cell is the answer.",
            asks: "How many edits turn {a} into {b}?",
            hint: "Look at the last cell of the matrix, at the lower right.",
            why: "It is the last value of the matrix of {a} and {b}.",
        },
        LessonStation {
            title: "Its diagonals",
            text: "Cells of an anti-diagonal do not need each other. So they can all be filled at once, and the next diagonal after them: many threads have work at a time.",
            asks: "A matrix of {m} rows and {n} columns, without its borders, is filled a diagonal at a time. How many steps is that?",
            hint: "Each anti-diagonal begins in the first row or in the last column. Count these cells, the corner once.",
            why: "There are {m} + {n} − 1 anti-diagonals.",
        },
        LessonStation {
            title: "Words of bits",
            text: "Neighbours in a column differ by one at most, so one or two bits each are enough. A machine word has as many rows as it has bits, and an addition brings its carry down all of them.",
            asks: "A column of {m} rows is kept in words of {w} bits. How many words are computed for {n} columns?",
            hint: "Find how many words a column is: one that is not full is a word too. Each column needs as many.",
            why: "A column is {words} words, and there are {n} columns.",
        },
        LessonStation {
            title: "Slices of the text",
            text: "A text is cut into slices, one for each block of threads. No match may be lost at a border. A match within the distance *m* is at most twice as long as its pattern of *m* symbols.",
            asks: "By how many symbols do slices overlap for a pattern of {m} symbols?",
            hint: "A match may begin with the last symbol of a slice. So count how long a match can be.",
            why: "A match has at most 2 · {m} symbols.",
        },
        LessonStation {
            title: "Why a GPU",
            text: "Threads of a warp ask for memory at the same time. Shared memory has banks: addresses in different banks are answered together, those in one bank one after the other, and equal addresses only once. A stage enters the pipeline each time unit, and an answer comes after the latency.",
            asks: "A warp of 4 threads asks a memory of 4 banks with latency {l} for the addresses {addresses}. How many time units does that take?",
            hint: "Sort the addresses by their banks, *a* mod 4. The bank with the most distinct addresses says how many stages there are.",
            why: "Address *a* is in bank *a* mod 4, and equal addresses are served once. Number of stages: {stages}, so {stages} + {l} − 1.",
        },
    ],
    watch: "Watch it",
    check: "Check the answers",
    unanswered: "Nothing was checked, because no answer is chosen. Choose one at any station, then press *{check}*.",
    right: "Right.",
    again: "Not right yet.",
    second: "Right on the second try.",
    wrong: "Not right: it is {answer}.",
    open: "Open in full",
    score: "{right} of {all} right.",
    counted: "First answers count.",
    hand_in: "Your link to hand in:",
    share: "The link for a class:",
    others: "Other questions",
    own: "Texts of your own",
    own_note: "Two short texts, on which every method of the lesson is watched and which the questions are about: *a* of up to {a} symbols, *b* of up to {b}. They stand in the link.",
    own_use: "Use these texts",
    own_refused: "These texts do not fit: *a* has 1 to {a} symbols, *b* has 1 to {b}, and each is one line. The lesson shows its own.",
    own_without: "Without texts of your own",
};
