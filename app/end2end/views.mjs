// Addresses of every view with something in it: for pictures (pictures.mjs) and for the test of accessibility.

const sonnet = "Shall I compare thee to a Summers day?\nThou art more louely and more temperate:\nRough windes do shake the darling buds of Maie,\nAnd Sommers lease hath all too short a date:";
const editions = [
  "I wandered lonely as a Cloud\nThat floats on high o'er Vales and Hills,\nWhen all at once I saw a crowd\nA host of dancing Daffodils;\nAlong the Lake, beneath the trees,\nTen thousand dancing in the breeze.",
  "I wandered lonely as a cloud\nThat floats on high o'er vales and hills,\nWhen all at once I saw a crowd,\nA host, of golden daffodils;\nBeside the lake, beneath the trees,\nFluttering and dancing in the breeze.",
];
const part = (name, text) => `${name}=${encodeURIComponent(text)}`;
export const views = {
  alignment: `/#${part("a", "intention of the many")}&${part("b", "execution by the few")}`,
  "side-by-side": `/#${part("a", editions[0])}&${part("b", editions[1])}&unit=lines`,
  matrix: "/#a=SUNDAY&b=SATURDAY&view=matrix",
  "matrix-diagonals": "/#a=SUNDAY&b=SATURDAY&view=matrix&order=diag&step=8",
  subsequence: "/lcs#a=nematode+knowledge&b=empty+bottle",
  "subsequence-matrix": "/lcs#a=nematode&b=empty+bottle&view=matrix",
  "approximate-search": `/approximate-search#a=summer&${part("b", sonnet)}&max_distance=2&case_insensitive`,
  "match-count": `/match-count#a=abba&${part("b", "acbabaccb".repeat(12))}&max_mismatches=1`,
  "exact-search": `/exact-search#a=aba&${part("b", "ababababa cababa ".repeat(6))}`,
  metrics: "/#a=kitten&b=sitting&view=metrics",
};
