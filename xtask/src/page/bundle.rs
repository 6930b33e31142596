//! Puts what parts of the page share into few files. The splitter writes a module for each set of parts that need the same functions, a hundred
//! of them, mostly of a kilobyte: as requests they cost more than their bytes, and apart they compress badly.
//!
//! A bundle is the modules one after the other. The script that loads parts is told where in it each one lies; it fetches a bundle once.
//! There are two: [`FIRST`] holds what the first part shares with others, [`MORE`] what only others share.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, bail};

/// What the first part shares.
const FIRST: &str = "first";

/// What only other parts share.
const MORE: &str = "more";

/// How the splitter's script fetches a module.
const FETCHES: [&str; 2] = ["fetch(new URL(\"./", "\", import.meta.url))"];

/// Reads a bundle at the first wish, and again after a failure. A piece of it is a module like one that came alone.
pub(crate) const PIECES: &str = r#"const bundles = new Map();
async function read(name) {
    const answer = await fetch(new URL(name, import.meta.url));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer.arrayBuffer();
}
async function piece(name, from, to) {
    if (!bundles.has(name)) bundles.set(name, read(name));
    try {
        const bytes = await bundles.get(name);
        return new Response(bytes.slice(from, to), { headers: { "content-type": "application/wasm" } });
    } catch (why) {
        bundles.delete(name);
        throw why;
    }
}
"#;

/// Replaces the modules that parts share, all `chunk_….wasm` of `folder`, by bundles named after `loader`, and has that script take them from there.
pub(crate) fn bundle(folder: &Path, loader: &str, first: &str) -> anyhow::Result<()> {
    let script = fs::read_to_string(folder.join(loader))?;
    let stem = loader.trim_end_matches(".js");
    let (mut bundles, mut told) = ([FIRST, MORE].map(|name| (format!("{stem}-{name}.bin"), Vec::new())), String::from(PIECES));
    let mut parts = "";
    for line in script.lines() {
        // A comment before each module says which parts share it.
        if let Some(comment) = line.strip_prefix("/* ").and_then(|rest| rest.strip_suffix(" */")) {
            parts = comment;
        }
        let Some((before, name, after)) = shared(line) else {
            writeln!(told, "{line}")?;
            continue;
        };
        if parts.is_empty() {
            bail!("{loader} does not say who shares {name}");
        }
        let module = fs::read(folder.join(name)).with_context(|| format!("{loader} names {name}"))?;
        let (bundle, content) = &mut bundles[usize::from(!parts.split(", ").any(|part| part == first))];
        let from = content.len();
        content.extend(module);
        writeln!(told, "{before}piece(\"./{bundle}\", {from}, {}){after}", content.len())?;
        fs::remove_file(folder.join(name))?;
    }
    for (name, content) in bundles.iter().filter(|(_, content)| !content.is_empty()) {
        fs::write(folder.join(name), content)?;
    }
    fs::write(folder.join(loader), told)?;
    Ok(())
}

/// Of a line that fetches a module which parts share: what stands before, the module's name, what stands after.
fn shared(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.split_once(FETCHES[0])?;
    let (name, after) = rest.split_once(FETCHES[1])?;
    name.starts_with("chunk_").then_some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_takes_each_shared_module_from_where_it_lies_in_its_bundle() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let line = |name: &str| format!("    const src = fetch(new URL(\"./{name}.wasm\", import.meta.url));\n");
        let mut script = String::from("import { initSync } from \"./app.js\";\n");
        for (name, parts) in [("chunk_1", "dots, matrix"), ("chunk_2", "dots, result"), ("chunk_3", "matrix, result, watch")] {
            script += &format!("/* {parts} */\nconst __{name} = makeLoad(() => {{\n{}}}\n, []);\n", line(name));
            fs::write(folder.join(format!("{name}.wasm")), name).unwrap();
        }
        fs::write(folder.join("later.js"), script + &line("split_result")).unwrap();
        bundle(folder, "later.js", "result").unwrap();
        let told = fs::read_to_string(folder.join("later.js")).unwrap();
        for piece in ["piece(\"./later-more.bin\", 0, 7)", "piece(\"./later-first.bin\", 0, 7)", "piece(\"./later-first.bin\", 7, 14)"] {
            assert!(told.contains(&format!("const src = {piece};")), "{told}");
        }
        assert!(told.contains("fetch(new URL(\"./split_result.wasm\", import.meta.url))"));
        assert_eq!(fs::read(folder.join("later-first.bin")).unwrap(), b"chunk_2chunk_3");
        assert_eq!(fs::read(folder.join("later-more.bin")).unwrap(), b"chunk_1");
        assert!(!folder.join("chunk_1.wasm").exists());
    }
}
