// Real and generated inputs.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const repository = resolve(import.meta.dirname, "../../..");
const megabases = process.env.EDITSCOPE_TEST_DATA ?? join(repository, "../shared/data");

/** Reads a file of the repository's test data. */
export function small(name: string): string {
  return readFileSync(join(repository, "kernels/tests/data", name), "utf8");
}

/** Reads a file that is too large for the repository. Returns undefined if it is missing. */
export function large(name: string): string | undefined {
  const path = join(megabases, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Generates random DNA of `length` letters. */
export function dna(length: number, seed: number): string {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 30;
  return Array.from({ length }, () => "ACGT"[next()]).join("");
}
