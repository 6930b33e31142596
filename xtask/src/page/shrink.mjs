// Shrinks wasm modules with Binaryen. One process handles all of them, because starting it takes longer than most modules.
//
//     node shrink.mjs BINARYEN PASSES FILE…
//
// BINARYEN is the script of the npm package. PASSES are names of passes, or `-O3` for those of `wasm-opt -O3`. A module that
// Binaryen cannot read stays unchanged and is reported.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [script, passes, ...files] = process.argv.slice(2);
// Hides the warning about ignored data names, which would appear for hundreds of modules.
const said = console.error;
console.error = console.warn = (...line) => /unknown name subsection/.test(line.join(" ")) || said(...line);
const { default: binaryen } = await import(pathToFileURL(script).href);

// Wasm features that rustc and wasm-bindgen use. All current browsers support them.
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
