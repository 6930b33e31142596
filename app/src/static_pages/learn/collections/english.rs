//! English texts of the lesson about collections.

use super::super::LessonStation;
use super::TreeTexts;

pub(super) const TOLD: TreeTexts = TreeTexts {
    title: "From one distance to a tree",
    about: "Five sentences of a class become a tree, in three questions. The answers stay in the link.",
    stations: [
        LessonStation {
            title: "The nearest two",
            text: "The distance of two sentences is the fewest words to replace, put in or take out. Five sentences have ten pairs, so that ten distances say who is near to whom.",
            asks: "Which two of these sentences are nearest?",
            hint: "Count the words that differ. A word that is moved counts twice: it is taken out and put in.",
            why: "{answer} have a distance of {d}, and every other pair has a larger one.",
        },
        LessonStation {
            title: "Which cell joins next",
            text: "The nearest two, {a} and {b}, are one group now: their cell is marked. The distance of a group to a sentence is the least distance of its members (single linkage). So the next group is made at the smallest of the other cells.",
            asks: "Which cell joins next?",
            hint: "Look for the smallest number that is not marked. Each number stands twice, because the distance is the same in both directions.",
            why: "The cell of {answer} has {d}, the smallest number that is left.",
        },
        LessonStation {
            title: "Where the tree is cut",
            text: "A threshold cuts the tree: sentences are alike if their distance is at most {d}. A group is a chain of alike pairs.",
            asks: "The threshold is {d} edits. How many of the {n} sentences are alike to another one?",
            hint: "Go through the rows. A row counts if one of its numbers, besides its own, is at most {d}.",
            why: "Each of these sentences has a number of at most {d} in its row.",
        },
    ],
    pair: "{a} and {b}",
    table: "Words to change between every two sentences",
    open: "Open these sentences on the page",
    back: "The lesson of five stations",
};
