//! Keys of all lenses that are no sentences, for the catalogue: each is used by some frame or question.

/// Headings of panels.
pub const TITLES: &[&str] = &[
    "matrix",
    "which-sum",
    "alignment-backwards",
    "cells-by-level",
    "subsequence",
    "text",
    "failure-table",
    "pattern-on-itself",
    "comparisons",
    "slices",
    "pieces",
    "block",
    "threads",
    "three-rows",
    "minima",
    "hmm",
    "words",
    "groups",
    "occurrences",
    "match-counts",
    "streams",
    "requests",
    "dmm",
    "umm",
    "dmm-pipeline",
    "umm-pipeline",
];

/// What is counted.
pub const COUNTS: &[&str] = &[
    "values-read",
    "words-kept",
    "words-of-table",
    "words-computed",
    "cells-computed",
    "cells-of-matrix",
    "cells-at-once",
    "comparisons",
    "comparisons-naive",
    "symbols-found",
    "edits-found",
    "found",
    "threads-at-work",
    "rounds",
    "turns-of-threads",
    "entries-made",
    "bits-of-d",
    "bits-kept",
    "masks-kept",
    "shifts-and-additions",
    "processors",
    "steps-of-threads",
    "steps-word-by-word",
    "additions",
    "selections",
    "symbols-taken",
    "carries",
    "dmm-time-units",
    "umm-time-units",
    "time-units",
    "dmm-answered",
    "umm-answered",
];

/// Names of rows, bars and sums that are no names from the code.
pub const LABELS: &[&str] = &[
    "depth",
    "text",
    "pattern",
    "slide-by",
    "block",
    "thread",
    "aid-thread",
    "group",
    "lens.kmp",
    "lens.naive",
    "hmm.1",
    "hmm.2",
    "hmm.3",
    "hmm.4",
    "hmm.counted",
    "hmm.formula",
    "input.corner",
    "input.above",
    "input.left",
];

/// What the axis of lanes counts.
pub const AXES: &[&str] = &["positions", "rounds", "time-units", "words"];

/// Answers that are words.
pub const REPLIES: &[&str] = &["reply.yes", "reply.no", "reply.zero", "reply.one", "reply.with", "reply.without", "reply.both"];
