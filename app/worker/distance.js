// Edit distance of two JavaScript strings in UTF-16 code units, for callers with many short ones: no message, no encoding.
//
//   import init from "./solver.js";
//   import { distances } from "./distance.js";
//   const distance = await distances(await init({ module_or_path: new URL("solver_bg.wasm", import.meta.url) }));
//   distance("kitten", "sitting") === 3;
//
// Up to 32 code units in the shorter string the same columns of one word are computed here: reading a string's code units is
// most of the work, and they would be read no faster for being handed over. Up to 64 the units are written straight into the
// solver's memory, whose words are twice as wide; longer strings take the solver's full path, which is fetched before.
import { fetch_long_distance, long_distance, short_distance, short_pattern, short_text } from "./solver.js";

const HERE = 32;
const PATTERN = 64;
const TEXT = 1024;

/** Which rows of the shorter string have a code unit. Clean between two calls. */
const masks = new Int32Array(0x10000);

function bits(word) {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function units(string) {
  const all = new Uint16Array(string.length);
  for (let i = 0; i < string.length; i++) all[i] = string.charCodeAt(i);
  return all;
}

/** The function of two strings, given what the solver exports once it is started. */
export async function distances({ memory }) {
  await fetch_long_distance();
  const there = inSolver(memory);
  return (a, b) => {
    if (a.length > b.length) {
      const longer = a;
      a = b;
      b = longer;
    }
    const m = a.length;
    const n = b.length;
    if (m > HERE) return there(a, b);
    if (m === 0) return n;
    for (let i = 0; i < m; i++) masks[a.charCodeAt(i)] |= 1 << i;
    let plus = -1;
    let minus = 0;
    for (let j = 0; j < n; j++) {
      const eq = masks[b.charCodeAt(j)];
      const free = ((((eq & plus) + plus) | 0) ^ plus) | (eq | minus);
      const above = ((free | plus) & ~minus) << 1;
      plus = ((free & plus) << 1) | (above & ~free);
      minus = free & ~above;
    }
    for (let i = 0; i < m; i++) masks[a.charCodeAt(i)] = 0;
    // The distance is read off the last column: n + the sum of its vertical differences.
    const rows = -1 >>> (32 - m);
    return n + bits(plus & rows) - bits(minus & rows);
  };
}

/** The same for strings of which the second is not the shorter one, by the solver. */
function inSolver(memory) {
  const [pattern, text] = [short_pattern(), short_text()];
  let shorter = new Uint16Array(0);
  let longer = shorter;
  return (a, b) => {
    const m = a.length;
    const n = b.length;
    if (m > PATTERN || n > TEXT) return long_distance(units(a), units(b));
    // Memory that has grown leaves its old views without length.
    if (longer.length === 0) {
      shorter = new Uint16Array(memory.buffer, pattern, PATTERN);
      longer = new Uint16Array(memory.buffer, text, TEXT);
    }
    for (let i = 0; i < m; i++) shorter[i] = a.charCodeAt(i);
    for (let j = 0; j < n; j++) longer[j] = b.charCodeAt(j);
    return short_distance(m, n);
  };
}
