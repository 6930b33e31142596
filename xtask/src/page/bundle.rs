//! Bundles the shared modules of the splitter ([`split`](super::split)) into two. The splitter writes one module for
//! each set of parts that share functions. There are hundreds of these modules, mostly of a kilobyte. To request them
//! one by one costs more than their bytes, small files compress badly, and each module has its own shims for the
//! functions of others.
//!
//! The first bundle, [`FIRST_BUNDLE`], has the code that the part loaded first shares with others. The second,
//! [`OTHER_BUNDLE`], has the code that only other parts share. The script that loads the parts is changed accordingly.

use std::{collections::HashMap, fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, ensure};

use crate::page::merge::merge_modules;

/// Name of the bundle with code for the part that is loaded first.
const FIRST_BUNDLE: &str = "first";

/// Name of the bundle with code that only the other parts share.
const OTHER_BUNDLE: &str = "more";

/// Texts in the splitter's script before and after the number of a shared module, in the line that begins its loader.
const LOADS: [&str; 2] = ["const __chunk_", " = makeLoad("];

/// Line in the splitter's script that ends the loader of a shared module.
const LOADED: &str = ", []);";

/// Texts in the splitter's script before and after the list of the shared modules that a part needs.
const NEEDS: [&str; 2] = [", [", "]));"];

/// Replaces the shared modules `chunk_….wasm` in `folder` by at most two bundles. Their names begin with the name of
/// the script `loader`, which is changed to load them. `first` is the name of the part that is loaded first.
pub(crate) fn bundle(folder: &Path, loader: &str, first: &str) -> anyhow::Result<()> {
    let script = fs::read_to_string(folder.join(loader))?;
    let stem = loader.trim_end_matches(".js");
    let (mut bundles, mut bundle_of) = ([FIRST_BUNDLE, OTHER_BUNDLE].map(|name| (name, Vec::new())), HashMap::new());
    let (mut told, mut lines) = (String::new(), script.lines());
    while let Some(line) = lines.next() {
        // A comment before each shared module lists the parts that use it.
        if let Some(parts) = line.strip_prefix("/* ").and_then(|rest| rest.strip_suffix(" */")) {
            let (bundle, modules) = &mut bundles[usize::from(!parts.split(", ").any(|part| part == first))];
            let load: Vec<&str> = lines.by_ref().take_while(|line| *line != LOADED).collect();
            let chunk = load.first().and_then(|line| line.strip_prefix(LOADS[0])?.split_once(LOADS[1]));
            let (number, _) = chunk.with_context(|| format!("{loader} does not load what {parts} share"))?;
            let path = folder.join(format!("chunk_{number}.wasm"));
            modules.push(fs::read(&path)?);
            fs::remove_file(path)?;
            if modules.len() == 1 {
                let load = load.join("\n");
                let load = load.replace(&format!("__chunk_{number} "), &format!("__{bundle} "));
                writeln!(told, "{}\n{LOADED}", load.replace(&format!("chunk_{number}.wasm"), &format!("{stem}-{bundle}.wasm")))?;
            }
            bundle_of.insert(format!("__chunk_{number}"), *bundle);
        } else if let Some(needs) = line.strip_prefix(NEEDS[0]).and_then(|rest| rest.strip_suffix(NEEDS[1])) {
            let mut needed: Vec<&str> = needs.split(", ").filter_map(|chunk| bundle_of.get(chunk).copied()).collect();
            needed.sort_unstable();
            needed.dedup();
            let needed: Vec<String> = needed.into_iter().map(|bundle| format!("__{bundle}")).collect();
            writeln!(told, "{}{}{}", NEEDS[0], needed.join(", "), NEEDS[1])?;
        } else {
            writeln!(told, "{line}")?;
        }
    }
    ensure!(!told.contains("chunk_"), "{loader} names a module that is in no bundle");
    for (bundle, modules) in bundles.iter().filter(|(_, modules)| !modules.is_empty()) {
        fs::write(folder.join(format!("{stem}-{bundle}.wasm")), merge_modules(modules)?)?;
    }
    fs::write(folder.join(loader), told)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::stubs::tests::section;

    #[test]
    fn script_loads_one_merged_module_of_shared_parts_and_one_of_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let fetch = |name: &str| format!("    const src = fetch(new URL(\"./{name}.wasm\", import.meta.url));\n}}\n");
        let mut script = String::from("import { initSync } from \"./app.js\";\n");
        let empty = [b"\0asm\x01\0\0\0".to_vec(), section(1, &[1, 0x60, 0, 0])].concat();
        for (number, parts) in [(1, "dots, matrix"), (2, "dots, result"), (13, "matrix, result, watch")] {
            script +=
                &format!("/* {parts} */\nconst __chunk_{number} = makeLoad(() => {{\n{}{LOADED}\n", fetch(&format!("chunk_{number}")));
            fs::write(folder.join(format!("chunk_{number}.wasm")), &empty).unwrap();
        }
        for (part, needs) in [("dots", "__chunk_1, __chunk_2"), ("result", "__chunk_2, __chunk_13"), ("alone", "")] {
            script += &format!(
                "export const __wasm_split_load_{part} = wrapAsyncCb(makeLoad(() => {{\n{}, [{needs}]));\n",
                fetch(&format!("split_{part}"))
            );
        }
        fs::write(folder.join("later.js"), script).unwrap();
        bundle(folder, "later.js", "result").unwrap();

        let told = fs::read_to_string(folder.join("later.js")).unwrap();
        let lines: Vec<&str> = told.lines().map(str::trim).filter(|line| *line != "}").collect();
        let src = |name: &str| format!("const src = fetch(new URL(\"./{name}.wasm\", import.meta.url));");
        let load = |part: &str| format!("export const __wasm_split_load_{part} = wrapAsyncCb(makeLoad(() => {{");
        let expected = [
            "import { initSync } from \"./app.js\";",
            "const __more = makeLoad(() => {",
            &src("later-more"),
            LOADED,
            "const __first = makeLoad(() => {",
            &src("later-first"),
            LOADED,
            &load("dots"),
            &src("split_dots"),
            ", [__first, __more]));",
            &load("result"),
            &src("split_result"),
            ", [__first]));",
            &load("alone"),
            &src("split_alone"),
            ", []));",
        ];
        assert_eq!(lines, expected, "{told}");
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["later-first.wasm", "later-more.wasm", "later.js"]);
    }
}
