// The page's solver under node, and packages of npm that compute the same: contenders of `cargo xtask bench --engine wasm`.
// Uses the protocol of src/turns.rs: node.mjs SOLVER peers|alone OPTIONS TASK A B K PIECES.
//
// OPTIONS and our answers are CBOR in hexadecimal, in the encoding of `cbor_struct!` and `cbor_enum!`. `editscope` is the time
// that the solver reports for solving, like an engine's time in the other benchmarks. `as the page asks` is the time of the whole
// message: texts copied in and read, planned, solved, checked, answered. For short strings, `editscope` is the exported function
// for them, including the call.
import { readFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { read, write } from "./cbor.mjs";

const [folder, peers, options, task, a, b, , count] = process.argv.slice(2);
const pieces = Number(count);
const say = (line) => writeSync(1, `${line}\n`);

function cut(name) {
  const text = readFileSync(name);
  const size = Math.floor(text.length / pieces);
  return Array.from({ length: pieces }, (_, at) => text.subarray(at * size, (at + 1) * size));
}

const bytes = [cut(a), cut(b)];
const [m, n] = [bytes[0][0].length, bytes[1][0].length];
/** By name: a function of rounds over all pieces that returns milliseconds, what is found, and the most memory if known. */
const contenders = new Map();

/**
 * Adds a contender that finds a number in two texts. Its loop is compiled for it alone: in one that all contenders share, V8
 * would know none of them well enough to inline it.
 */
function add(name, texts, solve) {
  const loop = new Function(
    "solve, as, bs, rounds",
    `// ${name}
    let found = 0;
    for (let round = 0; round < rounds; round++) {
      found = 0;
      for (let at = 0; at < as.length; at++) found += solve(as[at], bs[at]);
    }
    return found;`,
  );
  contenders.set(name, (rounds) => {
    const begun = performance.now();
    const found = loop(solve, texts[0], texts[1], rounds);
    return [performance.now() - begun, found];
  });
}

const TASKS = ["edit-distance", "approximate-search", "lcs", "match-count", "exact-search", "sequence-alignment"];
/** Numbers of variants, and of a field. */
const [SOLVE, ALWAYS, SAY_EVENT, METRIC, ANSWER, ALIGNMENT] = [0, 1, 2, 5, 7, 9];
const ANY_RECORD = [null, false];

let said = [];
globalThis.postMessage = ([replies]) => said.push(replies);
globalThis.fetch = async (part) => new Response(await readFile(part), { headers: { "content-type": "application/wasm" } });
const { default: init, open, receive } = await import(pathToFileURL(join(folder, "solver.js")));
const solver = await init({ module_or_path: readFileSync(join(folder, "solver_bg.wasm")) });
open();
const strings = bytes.map((texts) => texts.map((text) => text.toString("latin1")));

/** One job as the page sends it: milliseconds of solving and of everything, most memory, the answer. */
async function ask(at, alignment) {
  const asked = read(Buffer.from(options, "hex"));
  asked[ALIGNMENT] = alignment;
  const message = write([1, null, [SOLVE, TASKS.indexOf(task), asked, [ANY_RECORD, ANY_RECORD], "", ALWAYS]]);
  said = [];
  const begun = performance.now();
  await receive(message, bytes[0][at], bytes[1][at]);
  const whole = performance.now() - begun;
  const says = said.flatMap(read).map(([, say]) => say);
  const events = says.filter((say) => say[0] === SAY_EVENT).map(([, event]) => event);
  const metric = (wanted) => {
    const [, [, value]] = events.find(([kind, figure]) => kind === METRIC && figure[0] === wanted);
    return value;
  };
  const [kind, answer] = events.filter(Array.isArray).at(-1) ?? [];
  if (kind !== ANSWER) throw new Error(`not run: ${said.map((replies) => Buffer.from(replies).toString("hex"))}`);
  return { solving: metric("compute_ms") + metric("traceback_ms"), whole, peak: metric("peak_bytes"), answer };
}

function asks(name, alignment, time) {
  contenders.set(name, async (rounds) => {
    let [ms, peak, answers] = [0, 0, []];
    for (let round = 0; round < rounds; round++) {
      answers = [];
      for (let at = 0; at < pieces; at++) {
        const asked = await ask(at, alignment);
        ms += asked[time];
        peak = Math.max(peak, asked.peak);
        answers.push(asked.answer);
      }
    }
    return [ms, `cbor:${write(answers).toString("hex")}`, peak];
  });
}

for (const path of ["", "+path"]) {
  asks(`editscope${path}`, path !== "", "solving");
  asks(`as the page asks${path}`, path !== "", "whole");
}

if (task === "edit-distance" && pieces > 1) {
  const { distances } = await import(pathToFileURL(join(folder, "distance.js")));
  add("editscope", strings, await distances(solver));
}

/** Adds what a package has, if it is installed. */
async function from(name, use) {
  try {
    const module = await import(name);
    use(module.default ?? module, module);
  } catch (why) {
    if (why.code !== "ERR_MODULE_NOT_FOUND") throw why;
    say(`lacks ${name} (npm ci in kernels/benches/peers)`);
  }
}

if (peers === "peers") {
  // Above this number of cells, a call takes more than half a minute.
  if (task === "edit-distance" && m * n <= 2e10) {
    await from("fastest-levenshtein", ({ distance }) => add("fastest-levenshtein", strings, distance));
  }
  if (task === "edit-distance" && m * n <= 2e9) await from("js-levenshtein", (distance) => add("js-levenshtein", strings, distance));
  if (task === "lcs" && m * n <= 2e9) {
    await from("diff-match-patch", (DiffMatchPatch) => {
      const differ = new DiffMatchPatch();
      differ.Diff_Timeout = 0;
      const kept = (parts) => parts.reduce((sum, [edit, text]) => sum + (edit === 0 ? text.length : 0), 0);
      add("diff-match-patch+path", strings, (a, b) => kept(differ.diff_main(a, b, false)));
    });
  }
  if (task === "lcs" && m * n <= 2e6) {
    await from("diff", (_, { diffChars }) => {
      const kept = (parts) => parts.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length), 0);
      add("diff+path", strings, (a, b) => kept(diffChars(a, b)));
    });
  }
  if (task === "exact-search") {
    const positions = (a, b) => {
      const found = [];
      for (let at = b.indexOf(a); at >= 0; at = b.indexOf(a, at + 1)) found.push(at);
      return found.length;
    };
    add("String.indexOf", strings, positions);
    // Takes O(|a|·|b|) time on periodic texts.
    if (new Set(bytes[1][0]).size > 1) add("Buffer.indexOf", bytes, positions);
  }
}

for (const name of contenders.keys()) say(`has ${name}`);
say("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [name, calls] = line.split("\t");
  try {
    const [ms, found, ...rest] = await contenders.get(name)(Number(calls) / pieces);
    say([ms / 1000, found, ...rest].join("\t"));
  } catch (why) {
    say(why.message.split("\n")[0]);
  }
}
