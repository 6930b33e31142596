// Scores an alignment from its CIGAR and both texts only. Shares no code with the program under test.

/** Returns the number of edits. Throws if the CIGAR does not fit the texts. */
export function score(cigar: string, a: string, b: string): number {
  let [i, j, edits] = [0, 0, 0];
  for (const [, digits, kind] of cigar.matchAll(/(\d+)(\D)/g)) {
    for (let left = Number(digits); left > 0; left--) {
      if (kind === "=") {
        if (a[i] !== b[j]) throw new Error(`= on ${a[i]} and ${b[j]} at ${i}, ${j}`);
      } else if (kind === "X") {
        if (a[i] === b[j]) throw new Error(`X on ${a[i]} twice at ${i}, ${j}`);
      } else if (kind !== "I" && kind !== "D") {
        throw new Error(`unknown kind ${kind}`);
      }
      if (kind !== "I") i++;
      if (kind !== "D") j++;
      if (kind !== "=") edits++;
    }
  }
  if (i !== a.length || j !== b.length) throw new Error(`ends at ${i} of ${a.length} and ${j} of ${b.length}`);
  return edits;
}

/** Returns the letters of a FASTA file. */
export function letters(fasta: string): string {
  return fasta.split("\n").filter((line) => !line.startsWith(">")).join("").replaceAll(/\s/g, "").toUpperCase();
}
