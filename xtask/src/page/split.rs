//! Splits the wasm of the page, so that a view is downloaded only when it is needed.
//!
//! A function marked `#[wasm_split(name)]` becomes an import of the main module. Code that only the functions of one
//! name need goes into `split_<name>.wasm`. Code that the functions of several names need, but not the main module,
//! goes into `chunk_<number>.wasm`. All modules share one memory and one function table. The splitter works on the
//! linker's output before wasm-bindgen does, and finds dependencies by the linker's relocations ([`LINKER_FLAG`]). A
//! script loads the modules when Rust requests them.

use std::{fs, path::Path};

use anyhow::anyhow;
use wasm_split_cli_support::{Options, transform};

use crate::page::stubs;

/// Flag for rustc by which the linker's output keeps the relocations that the splitter needs.
pub(crate) const LINKER_FLAG: &str = "-Clink-arg=--emit-relocs";

/// File names of the main module's script and of the loader script, which import each other.
pub(crate) struct ScriptNames<'a> {
    /// Script of the main module as written by wasm-bindgen, without the extension `.js`.
    pub(crate) script: &'a str,
    /// Script that loads the other modules, with its extension.
    pub(crate) loader: &'a str,
}

/// Functions that the page never runs, as the last two parts of their path. They are in the table of functions of each
/// view, but a page hydrated by `hydrate_body` does not call them.
const NEVER_RUN: [&str; 2] = ["into_any", "hydrate_async"];

/// Functions that hydrate a view from the server's HTML, as the last two parts of their path. Views that are loaded
/// later do not need them, because they are built in the browser.
const OF_THE_FIRST_VIEW: [&str; 2] = ["into_any", "hydrate_from_server"];

/// Prefix of exported functions for JavaScript streams. They belong to Leptos' server functions, which the page does
/// not use. The linker keeps them because they are exported.
const STREAMS: &str = "intounderlying";

/// Splits off the parts of `wasm` that are loaded later, and writes these parts and their loader script into `folder`.
/// Before, replaces functions that never run by stubs. Returns the main module for wasm-bindgen.
pub(crate) fn take_out_later_parts(wasm: &[u8], names: &ScriptNames, folder: &Path) -> anyhow::Result<Vec<u8>> {
    let (wasm, _) = stubs::insert_stubs(wasm, |name| stubs::ends_with(name, &NEVER_RUN) || name.starts_with(STREAMS))?;
    let first = split(&wasm, names, &folder.join("first"))?;
    fs::remove_dir_all(folder.join("first"))?;
    let first = stubs::names(&first)?;
    let (wasm, _) = stubs::insert_stubs(&wasm, |name| stubs::ends_with(name, &OF_THE_FIRST_VIEW) && !first.contains(name))?;
    split(&wasm, names, folder)
}

/// Splits the module like [`take_out_later_parts`], but without replacing functions that never run.
fn split(wasm: &[u8], names: &ScriptNames, folder: &Path) -> anyhow::Result<Vec<u8>> {
    fs::create_dir_all(folder)?;
    let main = folder.join("main.wasm");
    let script = format!("./{}.js", names.script);
    let loader = format!("./{}", names.loader);
    let mut options = Options::new(wasm);
    options.output_dir = folder;
    options.main_out_path = &main;
    options.main_module = &script;
    options.link_name = &loader;
    transform(options).map_err(|error| anyhow!("cannot split {}: {error:#}", names.script))?;
    let left = fs::read(&main)?;
    fs::remove_file(&main)?;
    Ok(left)
}
