// The solver's `distance` under node: reads pairs of lists of code units by lines, writes a distance a line.
import { readFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);

// Parts of the solver lie beside it.
globalThis.fetch = async (part) => new Response(await readFile(part), { headers: { "content-type": "application/wasm" } });

const load = (name) => import(pathToFileURL(join(folder, name)));
const { default: init } = await load("solver.js");
const { distances } = await load("distance.js");
const distance = await distances(await init({ module_or_path: readFileSync(join(folder, "solver_bg.wasm")) }));
const found = readFileSync(0, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line).map((units) => String.fromCharCode(...units)))
  .map(([a, b]) => distance(a, b));
writeSync(1, found.join("\n"));
