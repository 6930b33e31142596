//! Splits the page's wasm, so that a visitor downloads a view when it is to be seen.
//!
//! A function marked `#[wasm_split(name)]` is an import in the main module; what only functions of that name need goes into
//! `split_<name>.wasm`, what several names need and the main module does not, into `chunk_<number>.wasm`. All modules share one
//! memory and one table of functions. The splitter works on the linker's output, before wasm-bindgen sees it, and wants the
//! linker's relocations ([`LINKER_FLAG`]) to know what needs what. A script loads the modules when Rust asks for them.

use std::{fs, path::Path};

use anyhow::anyhow;
use wasm_split_cli_support::{Options, transform};

use crate::page::stubs;

/// Keeps in the linker's output what the splitter reads.
pub(crate) const LINKER_FLAG: &str = "-Clink-arg=--emit-relocs";

/// Names of scripts, which import each other.
pub(crate) struct Names<'a> {
    /// What wasm-bindgen will write for the main module, without `.js`.
    pub(crate) script: &'a str,
    /// The script that loads the other modules.
    pub(crate) loader: &'a str,
}

/// What an `AnyView` points to of each view, and no page runs that comes alive by `hydrate_body`.
const NEVER_RUN: [&str; 2] = ["into_any", "hydrate_async"];

/// What makes a view of the server's HTML. What is loaded later is built in the browser.
const OF_THE_FIRST_VIEW: [&str; 2] = ["into_any", "hydrate_from_server"];

/// Streams of JavaScript that are fed by Rust: Leptos' server functions bring them along, of which the page has none. They are exported, so that
/// no linker leaves them out.
const STREAMS: &str = "intounderlying";

/// Writes the later parts of `wasm` and the script that loads them into `folder`. Returns the main module, for wasm-bindgen.
pub(crate) fn take_out_later_parts(wasm: &[u8], names: &Names, folder: &Path) -> anyhow::Result<Vec<u8>> {
    let (wasm, _) = stubs::stubbed(wasm, |name| stubs::ends_with(name, &NEVER_RUN) || name.starts_with(STREAMS))?;
    let first = split(&wasm, names, &folder.join("first"))?;
    fs::remove_dir_all(folder.join("first"))?;
    let first = stubs::names(&first)?;
    let (wasm, _) = stubs::stubbed(&wasm, |name| stubs::ends_with(name, &OF_THE_FIRST_VIEW) && !first.contains(name))?;
    split(&wasm, names, folder)
}

/// As [`take_out_later_parts`], of all that can be reached.
fn split(wasm: &[u8], names: &Names, folder: &Path) -> anyhow::Result<Vec<u8>> {
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
