// Makes wasm modules smaller with Binaryen, all in one process: to start it takes longer than most of them.
//
//     node shrink.mjs BINARYEN PASSES FILE…
//
// BINARYEN is the script of the npm package. PASSES are names of passes, or `-O3` for those of `wasm-opt -O3`. A module that Binaryen cannot
// read stays as it is, and is named.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [script, passes, ...files] = process.argv.slice(2);
// It says of each module that it passes over the names of data, of which there are hundreds.
const said = console.error;
console.error = console.warn = (...line) => /unknown name subsection/.test(line.join(" ")) || said(...line);
const { default: binaryen } = await import(pathToFileURL(script).href);

// What rustc and wasm-bindgen use of wasm. All current browsers have it.
const USED = [
  "BulkMemory",
  "BulkMemoryOpt",
  "ExtendedConst",
  "Multivalue",
  "MutableGlobals",
  "NontrappingFPToInt",
  "ReferenceTypes",
  "SIMD128",
  "SignExt",
];
const features = USED.reduce((all, name) => all | binaryen.Features[name], 0);

const everything = passes === "-O3";
binaryen.setOptimizeLevel(everything ? 3 : 0);
binaryen.setShrinkLevel(0);
binaryen.setOptimizeStackIR(everything);
for (const file of files) {
  try {
    const module = binaryen.readBinary(readFileSync(file), features);
    if (everything) module.optimize();
    else module.runPasses(passes.split(" "));
    writeFileSync(file, module.emitBinary());
    module.dispose();
  } catch (error) {
    console.log(`  ${file}: left as it was, ${error}`);
  }
}
