//! Builds what the browser loads into `site` in the target folder, where the server finds it.
//!
//! Cargo builds two wasm modules, [`wasm`] makes each ready for the browser, and all their files go into one folder whose
//! name is a hash of them, `pkg/<hash>`, so that browsers may keep them for ever and modules can import each other by
//! plain relative names. `release.txt` tells the server that name; it is written last, so it never names a half-written
//! folder. What did not change is not made again.

mod bundle;
mod files;
mod merge;
mod panics;
mod split;
mod stubs;
mod wasm;

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{anyhow, bail};

use crate::{
    needs::{self, Need},
    page::{files::Files, wasm::Module},
    shell::{cargo, outputs, root, run},
    tools,
};

/// What the page may cost a first visitor: JavaScript, wasm and style of its first view, compressed by brotli.
const FIRST_VIEW_BYTES: u64 = 190_000;

/// What the document of a first view loads. The views of results and the solver follow when somebody is about to type.
const FIRST_VIEW: [&str; 7] = ["alignment.css", "app.js", "app_bg.wasm", LOADER, "searches.css", "share.css", "style.css"];

/// What the first view and the first answer may cost together: two short texts whose edit distance is asked for.
const FIRST_ANSWER_BYTES: u64 = 480_000;

/// What a first answer loads beside the first view: the views of a result, and the solver.
const FIRST_ANSWER: [&str; 6] = ["later-first.wasm", "split_result.wasm", "worker.js", "solver.js", "solver-later.js", "solver_bg.wasm"];

/// Loads the page's later parts. The page's script imports it.
const LOADER: &str = "later.js";

/// What the build needs of the machine. With npm the page is smaller, see [`tools::binaryen`].
pub(crate) const NEEDS: [Need; 3] = [needs::WASM_TARGET, needs::C_COMPILER, needs::ROOM_TO_SERVE];

/// A page that is ready to be served.
pub(crate) struct Page {
    /// The folder that the server is to serve.
    pub(crate) site: PathBuf,
    /// What the first view loads besides the document, compressed by brotli.
    pub(crate) first_view_bytes: u64,
    /// The same with what the first answer loads.
    pub(crate) first_answer_bytes: u64,
}

impl Page {
    /// Fails when the page has become too heavy.
    pub(crate) fn check_size(&self) -> anyhow::Result<()> {
        for (what, bytes, limit) in
            [("view", self.first_view_bytes, FIRST_VIEW_BYTES), ("answer", self.first_answer_bytes, FIRST_ANSWER_BYTES)]
        {
            if bytes > limit {
                bail!("the first {what} is {} bytes over its limit of {limit}", bytes - limit);
            }
        }
        Ok(())
    }
}

/// The cargo profile of what the browser loads. Page and solver share it: macros are compiled once for both.
const PROFILE: &str = "page";

/// The page: the fewer bytes travel, the sooner it answers. Of Binaryen's passes it takes those that remove what is unused or there twice, no more: brotli
/// packs the regular code of rustc better than what `-Oz` makes of it.
const APP: Module = Module {
    name: "app",
    crate_name: "app",
    profile: PROFILE,
    setting: "",
    features: "--features hydrate",
    // The page that the server renders is the one that comes alive in the browser only if both were compiled with erased views or both without.
    rust_flag: if cfg!(erase_components) { "--cfg=erase_components" } else { "" },
    passes: "duplicate-function-elimination remove-unused-module-elements dce precompute vacuum optimize-instructions \
             merge-blocks duplicate-function-elimination remove-unused-module-elements",
    has_panics: false,
    loader: Some(LOADER),
    first: "result",
};

/// The solver: the faster, the larger the inputs that need no server. It is fetched once the page is alive.
const SOLVER: Module = Module {
    name: "solver",
    crate_name: "worker",
    profile: PROFILE,
    setting: "profile.page.package.kernels.opt-level=3",
    features: "",
    rust_flag: "-Ctarget-feature=+simd128",
    passes: "-O3",
    has_panics: false,
    loader: Some("solver-later.js"),
    first: "edit_distance",
};

/// What a build is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Care {
    /// To be sent to visitors: optimized and compressed.
    #[default]
    Release,
    /// To be looked at here while it is written: neither, but ready in seconds.
    Quick,
}

impl Care {
    /// The flag that asks for [`Care::Quick`].
    pub(crate) const QUICK: &str = "quick";
}

/// Builds the page and prints what it weighs.
pub(crate) fn build(care: Care) -> anyhow::Result<Page> {
    let binaryen = if care == Care::Quick { None } else { tools::binaryen() };
    let mut pkg = Files::default();
    let mut modules = [APP, SOLVER];
    if care == Care::Quick {
        for module in &mut modules {
            (module.profile, module.has_panics) = ("quick", true);
        }
    }
    for ready in compiled(&modules, binaryen.as_deref())? {
        pkg.add_folder(&ready)?;
    }
    pkg.add("worker.js", &root().join("app/worker/loader.js"))?;
    pkg.add("distance.js", &root().join("app/worker/distance.js"))?;
    pkg.add_folder(&root().join("style"))?;
    pkg.add_folder_as("words/", &root().join("app/words"))?;
    // For `public/offline.js`, which keeps them all.
    pkg.add_names("files.json")?;

    let site = outputs()?.join("site");
    let hash = pkg.hash();
    let sizes = pkg.publish(&site.join("pkg").join(&hash), care)?;
    let mut public = Files::default();
    public.add_folder(&root().join("public"))?;
    public.publish(&site, care)?;
    fs::write(site.join("release.txt"), &hash)?;
    files::remove_others(&site.join("pkg"), &hash)?;

    for size in &sizes {
        println!("  {:18} {:>9} bytes, {:>7} brotli", size.name, size.plain, size.brotli);
    }
    let bytes_of = |names: &[&str]| sizes.iter().filter(|size| names.contains(&size.name.as_str())).map(|size| size.brotli).sum::<u64>();
    let first_view_bytes = bytes_of(&FIRST_VIEW);
    let first_answer_bytes = first_view_bytes + bytes_of(&FIRST_ANSWER);
    println!("  first view: {first_view_bytes} bytes, limit {FIRST_VIEW_BYTES}");
    println!("  first answer: {first_answer_bytes} bytes, limit {FIRST_ANSWER_BYTES}");
    Ok(Page { site, first_view_bytes, first_answer_bytes })
}

/// The folder of each module. One is made ready while cargo compiles the next.
fn compiled(modules: &[Module], binaryen: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    thread::scope(|scope| {
        let mut preparing = Vec::new();
        for module in modules {
            compile(module)?;
            preparing.push(scope.spawn(|| module.prepare(binaryen)));
        }
        preparing.into_iter().map(|prepared| prepared.join().map_err(|_| anyhow!("a thread panicked"))?).collect()
    })
}

fn compile(module: &Module) -> anyhow::Result<()> {
    let Module { crate_name, profile, setting, features, rust_flag, loader, .. } = module;
    let mut build = cargo("rustc --locked --lib --crate-type cdylib --target wasm32-unknown-unknown --no-default-features");
    build.args(["--package", crate_name, "--profile", profile]);
    if !setting.is_empty() {
        build.args(["--config", setting]);
    }
    build.args(features.split_whitespace());
    if loader.is_some() {
        build.args(["--", split::LINKER_FLAG]);
    }
    build.env("CARGO_ENCODED_RUSTFLAGS", rust_flag);
    run(&mut build)
}
