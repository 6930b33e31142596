//! Builds the page for browsers into the folder `site` of the target folder, where the server finds it.
//!
//! Cargo builds two wasm modules, and [`wasm`] prepares each for the browser. All files go into one folder with a hash
//! as its name, `pkg/<hash>`. So browsers may cache them forever, and modules can import each other by relative names.
//! The file `release.txt` names this folder. It is written last, so that it never names an incomplete folder. Unchanged
//! parts are not built again.

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
    page::{files::PageFiles, wasm::ModuleBuild},
    prerequisites::{self, Prerequisite},
    shell::{cargo, outputs, root, run},
    tools,
};

/// Maximum size of the files that the first view of the page (the form without a result) loads, in bytes: JavaScript,
/// wasm and style, compressed by brotli.
const MAX_FIRST_VIEW_BYTES: u64 = 191_500;

/// Files that the first view of the page (the form without a result) loads. The views of results and the solver are
/// loaded later, shortly before the user types.
const FIRST_VIEW: [&str; 7] = ["alignment.css", "app.js", "app_bg.wasm", LOADER, "searches.css", "share.css", "style.css"];

/// Maximum size of the files for the first view and the first answer together, in bytes, compressed by brotli. The
/// first answer is the edit distance of two short texts.
const MAX_FIRST_ANSWER_BYTES: u64 = 531_000;

/// Files that the first answer loads in addition to those of the first view: the views of a result, and the solver.
const FIRST_ANSWER: [&str; 6] = ["later-first.wasm", "split_result.wasm", "worker.js", "solver.js", "solver-later.js", "solver_bg.wasm"];

/// Script that loads the parts of the page's wasm that are split off.
const LOADER: &str = "later.js";

/// Prerequisites of the build. If npm is present too, the page gets smaller, see [`tools::binaryen`].
pub(crate) const PAGE_PREREQUISITES: [Prerequisite; 3] =
    [prerequisites::WASM_TARGET, prerequisites::C_COMPILER, prerequisites::SERVE_DISK_SPACE];

/// A built page that is ready to be served, with the sizes of what a visitor loads first.
pub(crate) struct BuiltPage {
    /// Folder that the server serves.
    pub(crate) site: PathBuf,
    /// Size of the files that the first view loads, in bytes, compressed by brotli. The HTML document is not included.
    pub(crate) first_view_bytes: u64,
    /// Size of the files that the first view and the first answer load, in bytes, compressed by brotli.
    pub(crate) first_answer_bytes: u64,
}

impl BuiltPage {
    /// Checks that the first view and the first answer do not exceed their size limits.
    ///
    /// # Errors
    /// Returns an error if one of them does.
    pub(crate) fn check_size(&self) -> anyhow::Result<()> {
        for (what, bytes, limit) in
            [("view", self.first_view_bytes, MAX_FIRST_VIEW_BYTES), ("answer", self.first_answer_bytes, MAX_FIRST_ANSWER_BYTES)]
        {
            if bytes > limit {
                bail!("the first {what} is {} bytes over its limit of {limit}", bytes - limit);
            }
        }
        Ok(())
    }
}

/// Cargo profile of both wasm modules. They share it, so that macros are compiled once for both.
const PROFILE: &str = "page";

/// Build settings of the page's module, which is optimized for size. Only Binaryen passes that remove unused or
/// duplicate code are used, because brotli compresses rustc's regular code better than the output of `-Oz`.
const APP: ModuleBuild = ModuleBuild {
    name: "app",
    crate_name: "app",
    profile: PROFILE,
    settings: &[],
    features: "--features hydrate",
    // The page is hydrated only if the server's views and the browser's are both compiled as erased, or both not.
    rust_flag: if cfg!(erase_components) { "--cfg=erase_components" } else { "" },
    passes: "duplicate-function-elimination remove-unused-module-elements dce precompute vacuum optimize-instructions \
             merge-blocks duplicate-function-elimination remove-unused-module-elements",
    has_panics: false,
    loader: Some(LOADER),
    first: "result",
};

/// Overrides of the profile for the page's module in [`BuildMode::Local`]. Each crate is compiled to machine code of its
/// own, on several cores, instead of all together.
const LOCAL_SETTINGS: &[&str] = &["profile.page.lto='off'", "profile.page.codegen-units=16", "profile.page.opt-level=1"];

/// Build settings of the solver's module, which is optimized for speed. The page loads it after its hydration.
const SOLVER: ModuleBuild = ModuleBuild {
    name: "solver",
    crate_name: "worker",
    profile: PROFILE,
    settings: &["profile.page.package.kernels.opt-level=3"],
    features: "",
    rust_flag: "-Ctarget-feature=+simd128",
    passes: "-O3",
    has_panics: false,
    loader: Some("solver-later.js"),
    first: "edit_distance",
};

/// The mode of a build: whether the page becomes small or is quickly built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BuildMode {
    /// For visitors of a site: optimized for size and compressed.
    Release,
    /// For visitors on this machine: the solver is as fast as in a release, but the page is larger, because it is
    /// compiled in half the time.
    #[default]
    Local,
    /// For development: neither optimized nor compressed, but built in seconds.
    Quick,
}

impl BuildMode {
    /// Name of the flag that selects [`BuildMode::Quick`].
    pub(crate) const QUICK_FLAG: &str = "quick";

    /// Name of the flag that selects [`BuildMode::Release`].
    pub(crate) const RELEASE_FLAG: &str = "release";
}

/// Builds the page in `mode`, and prints the size of each file.
pub(crate) fn build(mode: BuildMode) -> anyhow::Result<BuiltPage> {
    let binaryen = if mode == BuildMode::Release { tools::binaryen() } else { None };
    let mut pkg = PageFiles::default();
    let mut modules = [APP, SOLVER];
    match mode {
        BuildMode::Release => {}
        BuildMode::Local => modules[0].settings = LOCAL_SETTINGS,
        BuildMode::Quick => {
            for module in &mut modules {
                (module.profile, module.has_panics) = ("quick", true);
            }
        }
    }
    for ready in compiled(&modules, binaryen.as_deref())? {
        pkg.add_folder(&ready)?;
    }
    pkg.add("worker.js", &root().join("app/worker/loader.js"))?;
    pkg.add("helpers.js", &root().join("app/worker/helpers.js"))?;
    pkg.add("distance.js", &root().join("app/worker/distance.js"))?;
    pkg.add_folder(&root().join("style"))?;
    pkg.add_folder_as("words/", &root().join("app/words"))?;
    // The script `public/offline.js` caches all files of this list.
    pkg.add_names("files.json")?;

    let site = outputs()?.join("site");
    let hash = pkg.hash();
    let sizes = pkg.publish(&site.join("pkg").join(&hash), mode)?;
    let mut public = PageFiles::default();
    public.add_folder(&root().join("public"))?;
    public.publish(&site, mode)?;
    fs::write(site.join("release.txt"), &hash)?;
    files::remove_others(&site.join("pkg"), &hash)?;

    for size in &sizes {
        println!("  {:18} {:>9} bytes, {:>7} brotli", size.name, size.plain, size.brotli);
    }
    let bytes_of = |names: &[&str]| sizes.iter().filter(|size| names.contains(&size.name.as_str())).map(|size| size.brotli).sum::<u64>();
    let first_view_bytes = bytes_of(&FIRST_VIEW);
    let first_answer_bytes = first_view_bytes + bytes_of(&FIRST_ANSWER);
    if mode == BuildMode::Release {
        println!("  first view: {first_view_bytes} bytes, limit {MAX_FIRST_VIEW_BYTES}");
        println!("  first answer: {first_answer_bytes} bytes, limit {MAX_FIRST_ANSWER_BYTES}");
    }
    Ok(BuiltPage { site, first_view_bytes, first_answer_bytes })
}

/// Builds `modules` and returns the folder of each, in the same order. A module is prepared for the browser while cargo
/// compiles the next one. `binaryen` is the script of the wasm optimizer, if it is installed.
fn compiled(modules: &[ModuleBuild], binaryen: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    thread::scope(|scope| {
        let mut preparing = Vec::new();
        for module in modules {
            compile(module)?;
            preparing.push(scope.spawn(|| module.prepare(binaryen)));
        }
        preparing.into_iter().map(|prepared| prepared.join().map_err(|_| anyhow!("a thread panicked"))?).collect()
    })
}

fn compile(module: &ModuleBuild) -> anyhow::Result<()> {
    let ModuleBuild { crate_name, profile, settings, features, rust_flag, loader, .. } = module;
    let mut build = cargo("rustc --locked --lib --crate-type cdylib --target wasm32-unknown-unknown --no-default-features");
    build.args(["--package", crate_name, "--profile", profile]);
    for setting in *settings {
        build.args(["--config", setting]);
    }
    build.args(features.split_whitespace());
    if loader.is_some() {
        build.args(["--", split::LINKER_FLAG]);
    }
    build.env("CARGO_ENCODED_RUSTFLAGS", rust_flag);
    run(&mut build)
}
