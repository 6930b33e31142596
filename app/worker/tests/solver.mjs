// The page's side of the solver, under node: reads `[ask, a, b]` by lines, each in hexadecimal, writes `[replies, beside]`.
import { readFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (text) => new Uint8Array(Buffer.from(text, "hex"));

globalThis.postMessage = (message) => writeSync(1, `${JSON.stringify(message.map(hex))}\n`);

// Parts of the solver lie beside it.
globalThis.fetch = async (part) => new Response(await readFile(part), { headers: { "content-type": "application/wasm" } });

const { default: init, open, receive } = await import(pathToFileURL(join(folder, "solver.js")));
await init({ module_or_path: readFileSync(join(folder, "solver_bg.wasm")) });
open();
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [ask, a, b] = JSON.parse(line);
  await receive(bytes(ask), bytes(a), bytes(b));
}
