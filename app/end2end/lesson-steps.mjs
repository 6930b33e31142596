// The steps of the lesson in docs/lesson.md: what stands on the wall, and on a phone beside it where that is another address. The test of the
// lesson (tests/lesson.spec.ts) goes through the same ones. `at` is what a phone has scrolled to.

const sonnet =
  "Shall I compare thee to a Summers day?\nThou art more louely and more temperate:\nRough windes do shake the darling buds of Maie,\nAnd Sommers lease hath all too short a date:";
const matrix = "/#a=kitten&b=sitting&view=matrix";
const cell = ".lens-pic td, .lens-pic [role=gridcell]";

export const lesson = [
  { name: "question", address: "/#a=kitten&b=sitting", at: "[data-part=answer]" },
  { name: "empty-matrix", address: `${matrix}&step=0`, waits: cell },
  { name: "three-sums", address: `${matrix}&step=9`, waits: cell },
  { name: "predict", address: `${matrix}&ask=on`, waits: cell },
  { name: "whole-matrix", address: matrix, waits: cell },
  { name: "anti-diagonals", address: `${matrix}&order=diag&step=6`, waits: cell },
  { name: "near-enough", address: `/approximate-search#a=summer&b=${encodeURIComponent(sonnet)}&max_distance=2&case_insensitive`, at: "[data-part=answer]" },
  { name: "subsequence", address: "/lcs#a=nematode+knowledge&b=empty+bottle", at: "[data-part=answer]" },
  { name: "genes", address: `/#a=${"ACGTTGCAAGGCTTACCGATGGATCCTTAGACTGAACTCG"}&b=${"GGATCCTTAGACTGAACTCGACGTTGCAAGGCTTACCGAT"}&view=dots&word=4`, waits: ".dots-view canvas", at: ".dots-view" },
  {
    name: "share",
    address: "/#a=kitten&b=sitting",
    acts: async (page) => {
      // In projector mode the key opens what the button opens elsewhere.
      await page.locator("output.big").waitFor();
      await page.keyboard.press("s");
      await page.getByRole("dialog").getByRole("img", { name: "QR code of the link" }).waitFor();
    },
    actsOnPhone: async () => undefined,
  },
  { name: "paper", address: "/print#a=kitten&b=sitting", waits: ".a4" },
];

const sentences = [
  "The old man walked slowly to the sea",
  "The old man walked quickly to the sea",
  "An old man walked slowly to the market",
  "My little sister sings in the kitchen",
  "My brother sings loudly in the garden",
  "Nobody saw the rain that night",
];
const encoded = (text) => encodeURIComponent(text).replaceAll("%20", "+");
const ofClass = `/collections#unit=words&measure=edits&a=${encoded(sentences.join("\n"))}`;

/** The steps of docs/lesson-collections.md. */
export const collections = [
  { name: "one-distance", address: `/#a=${encoded(sentences[0])}&b=${encoded(sentences[2])}&unit=words`, at: "[data-part=answer]" },
  { name: "nearest", address: `${ofClass}&view=pairs`, waits: ".figures.pairs tbody tr", at: "[data-part=answer]" },
  { name: "next-cell", address: `${ofClass}&alike-within=1`, waits: ".map canvas", at: "[data-part=answer]" },
  { name: "tree", address: `${ofClass}&alike-within=4`, waits: ".map canvas", at: ".map" },
  { name: "alike", address: `${ofClass.replace("&measure=edits", "")}&alike=60`, waits: ".map canvas", at: "[data-part=answer]" },
];
