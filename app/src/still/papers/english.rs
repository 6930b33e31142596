//! English.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "Each method of these papers runs here as it was published, step by step on a small text. Its published figures stand beside what was measured here.",
    asks: [
        "How fast can a pattern be searched with errors on a GPU, and can one prove that it goes no faster?",
        "Can a GPU give the subsequence itself, not its length alone, in linear memory?",
        "Can equal symbols be counted at every offset of a stream, by many processors at once?",
        "Can a model with two kinds of memory price a GPU program before it is written?",
        "Does exact search by Knuth, Morris and Pratt gain from a thread for every piece of the text?",
    ],
    ideas: [
        "The text is cut into *D* slices that overlap by 2*m* symbols; *m* threads fill each along its anti-diagonals, in three rows of shared memory.",
        "Hirschberg’s recursion cuts the rectangle where the rows from above and from below have the greatest sum; bit vectors fill the rows.",
        "Counters in fields of ⌈log₂(*m* + 1)⌉ bits move on by one field for each symbol; the parallel form has a stream of bits for each symbol of the pattern.",
        "Banks of shared memory serve distinct addresses, global memory serves neighbours; every round of requests is counted in time units.",
        "A table says how much of the pattern is known to fit after a difference; each thread reads its piece and one pattern length beyond its end.",
    ],
    watch: ["Watch the slices", "Watch Hirschberg", "Watch Shift-Add", "Watch banks and groups", "Watch Knuth, Morris and Pratt"],
    no_times: "The paper has no table of times.",
    whole: "Open in full",
    searches: "Approximate search: times of both papers",
    searches_note: "Milliseconds for a text of *n* = 4,194,304 random symbols 0 and 1. Of the published times the best one, with its number *D* of blocks. The machine model has one factor for all published times. Ours are medians, with the text in memory.",
    subsequences: "Longest common subsequence: times of the paper",
    subsequences_note: "Seconds for two unrelated texts of so many megabytes, with the subsequence itself. Ours are medians of texts of as many random letters.",
    published: "Published",
    model: "Machine model",
    method: "This method here",
    ours: "Ours",
    speed_up: "speed-up",
    core: "one core",
    chart: "What the model predicts, and what the clock said",
    chart_says: "The machine model prices each of the {n} published times. If it were exact, every point would lie on the line; none is further from it than {share}.",
    chart_note: "Both axes are logarithmic. The GeForce GTX 580 is taken for 16 multiprocessors with warps of 32 threads that hold at most 8 blocks and 1,536 threads each, with a latency of 16 time units for shared and 400 for global memory. The papers’ own formula leaves the limit of blocks out, and promises too much of many short blocks.",
    here: "What the model predicts of an H200, and what was measured",
    here_says: "The dashed lines are what the formula says with w, d, l and L as measured on the device; the dots are measured times. Up to D = 128, where each block has a multiprocessor of its own, every time is {near} times what is predicted: the shape is right, and one factor is missing. Where several blocks share a multiprocessor, it is {far} times.",
    here_note: "Both axes are logarithmic. The text has 4M symbols; *D* is the number of blocks, *m* the length of the pattern. The formula counts accesses to memory and their latency, and none of the instructions between them.",
    time_units: "time units that the model counts",
    as_predicted: "as predicted",
};
