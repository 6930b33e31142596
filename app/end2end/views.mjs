// Addresses of every view with something in it: for pictures (pictures.mjs) and for the test of accessibility.

const sonnet = "Shall I compare thee to a Summers day?\nThou art more louely and more temperate:\nRough windes do shake the darling buds of Maie,\nAnd Sommers lease hath all too short a date:";
const editions = [
  "I wandered lonely as a Cloud\nThat floats on high o'er Vales and Hills,\nWhen all at once I saw a crowd\nA host of dancing Daffodils;\nAlong the Lake, beneath the trees,\nTen thousand dancing in the breeze.",
  "I wandered lonely as a cloud\nThat floats on high o'er vales and hills,\nWhen all at once I saw a crowd,\nA host, of golden daffodils;\nBeside the lake, beneath the trees,\nFluttering and dancing in the breeze.",
];
// Two copies of a random sequence: in the second a piece has moved, one comes twice, and one letter in forty is another.
let state = 11;
const random = (below) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % 65_521 % below;
const dna = Array.from({ length: 900 }, () => "ACGT"[random(4)]).join("");
const moved = [dna.slice(0, 240), dna.slice(480, 660), dna.slice(240, 480), dna.slice(660), dna.slice(90, 270)].join("");
const changed = Array.from(moved, (letter) => (random(40) === 0 ? "ACGT"[random(4)] : letter)).join("");
const records = ["chr1 of a phage", "chr2", "plasmid"].map((name, at) => `>${name}\n${dna.slice(at * 200, at * 200 + 90)}GATTACA${dna.slice(at * 200 + 90, at * 200 + 150)}`).join("\n");
const part = (name, text) => `${name}=${encodeURIComponent(text)}`;
export const views = {
  alignment: `/#${part("a", "intention of the many")}&${part("b", "execution by the few")}`,
  "side-by-side": `/#${part("a", editions[0])}&${part("b", editions[1])}&unit=lines`,
  matrix: "/#a=SUNDAY&b=SATURDAY&view=matrix",
  "matrix-diagonals": "/#a=SUNDAY&b=SATURDAY&view=matrix&order=diag&step=8",
  subsequence: "/lcs#a=nematode+knowledge&b=empty+bottle",
  "subsequence-matrix": "/lcs#a=nematode&b=empty+bottle&view=matrix",
  "sequence-alignment": "/sequence-alignment#a=HEAGAWGHEE&b=PAWHEAE&costs=blosum62&mode=local",
  "approximate-search": `/approximate-search#a=summer&${part("b", sonnet)}&max_distance=2&case_insensitive`,
  "match-count": `/match-count#a=abba&${part("b", "acbabaccb".repeat(12))}&max_mismatches=1`,
  "exact-search": `/exact-search#a=aba&${part("b", "ababababa cababa ".repeat(6))}`,
  records: `/exact-search#a=GATTACA&${part("b", records)}`,
  dots: `/#a=${dna}&b=${changed}&view=dots`,
  metrics: "/#a=kitten&b=sitting&view=metrics",
};

/** Methods watched step by step, and the pages of the papers and of the lesson: for pictures. */
const watched = { slices: ["approximate-search", 2], hirschberg: ["lcs", 3], kmp: ["exact-search", 9], "bit-vectors": ["edit-distance", 2], machine: ["approximate-search", 4] };
const lensed = ([name, [task, step]]) => [`lens-${name}`, `/${task === "edit-distance" ? "" : task}#a=ACGTTGA&b=ACTTGACGTTGAACGT&view=matrix&lens=${name}&step=${step}`];
export const more = { ...Object.fromEntries(Object.entries(watched).map(lensed)), papers: "/papers", learn: "/learn" };
