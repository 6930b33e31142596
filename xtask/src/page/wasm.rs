//! Prepares a wasm module for the browser: splits off parts that are loaded later, generates JavaScript with
//! wasm-bindgen, and shrinks all parts with Binaryen.

use std::{
    fs,
    path::{Path, PathBuf},
};

use wasm_bindgen_cli_support::Bindgen;

use crate::{
    page::{bundle, panics, split},
    shell::{command, outputs, root, run, target},
};

/// The build settings of one wasm module: the page or the solver.
pub(crate) struct ModuleBuild {
    /// Base name of the files `<name>.js` and `<name>_bg.wasm`.
    pub(crate) name: &'static str,
    /// Crate that is compiled.
    pub(crate) crate_name: &'static str,
    pub(crate) profile: &'static str,
    /// Overrides of the profile for this module, in the syntax of cargo's `--config`.
    pub(crate) settings: &'static [&'static str],
    pub(crate) features: &'static str,
    /// Additional flag for rustc.
    pub(crate) rust_flag: &'static str,
    /// Binaryen passes that shrink the module, separated by spaces, or `-O3`.
    pub(crate) passes: &'static str,
    /// Whether a panic prints its message and position to the browser's console before it traps.
    pub(crate) has_panics: bool,
    /// Script that loads the parts that are split off. `None` if the module is not split.
    pub(crate) loader: Option<&'static str>,
    /// Name of the split-off part that most visitors load first. Code that it shares with other parts gets a file of
    /// its own.
    pub(crate) first: &'static str,
}

/// Script that runs Binaryen under node.
const SHRINK: &str = "xtask/src/page/shrink.mjs";

impl ModuleBuild {
    /// Returns a folder with the files of the module. Builds the files only if the wasm, the optimizer or the bundling
    /// has changed.
    ///
    /// `binaryen` is the script of the optimizer's npm package. If it is `None`, the files are not shrunk.
    pub(crate) fn prepare(&self, binaryen: Option<&Path>) -> anyhow::Result<PathBuf> {
        let built = target()?.join("wasm32-unknown-unknown").join(self.profile).join(format!("{}.wasm", self.crate_name));
        let wasm = fs::read(&built)?;
        let mut key = blake3::Hasher::new();
        key.update(&wasm).update(self.passes.as_bytes()).update(self.first.as_bytes()).update(&[u8::from(self.has_panics)]);
        for way in [
            include_bytes!("bundle.rs").as_slice(),
            include_bytes!("merge.rs"),
            include_bytes!("panics.rs"),
            include_bytes!("split.rs"),
            include_bytes!("stubs.rs"),
        ] {
            key.update(way);
        }
        if let Some(binaryen) = binaryen {
            key.update(binaryen.as_os_str().as_encoded_bytes()).update(include_bytes!("shrink.mjs"));
        }
        let key = key.finalize().to_hex();
        let modules = outputs()?.join("page");
        let ready = modules.join(format!("{}-{}", self.name, &key[..16]));
        if ready.is_dir() {
            return Ok(ready);
        }

        for old in fs::read_dir(&modules).into_iter().flatten().flatten() {
            if old.file_name().to_string_lossy().starts_with(&format!("{}-", self.name)) {
                fs::remove_dir_all(old.path())?;
            }
        }
        let work = modules.join(format!("{}-unfinished", self.name));
        if work.exists() {
            fs::remove_dir_all(&work)?;
        }
        fs::create_dir_all(&work)?;
        let wasm = if self.has_panics { wasm } else { panics::insert_traps(&wasm)?.0 };
        let wasm = match self.loader {
            Some(loader) => split::take_out_later_parts(&wasm, &split::ScriptNames { script: self.name, loader }, &work)?,
            None => wasm,
        };
        Bindgen::new()
            .input_bytes(self.name, wasm)
            .web(true)?
            .typescript(false)
            .omit_default_module_path(true)
            .keep_lld_exports(self.loader.is_some())
            .demangle(false)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(&work)?;
        if let Some(loader) = self.loader {
            bundle::bundle(&work, loader, self.first)?;
        }
        if let Some(binaryen) = binaryen {
            self.shrink(&work, binaryen);
        }
        fs::rename(&work, &ready)?;
        Ok(ready)
    }

    /// Shrinks all modules in `folder`. If this fails, the modules are larger, but still work.
    fn shrink(&self, folder: &Path, binaryen: &Path) {
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
        let modules = files.filter(|path| path.extension().is_some_and(|extension| extension == "wasm"));
        let mut shrink = command("node");
        shrink.arg(root().join(SHRINK)).arg(binaryen).arg(self.passes).args(modules);
        if let Err(error) = run(&mut shrink) {
            println!("  {}: left as it was, {error:#}", self.name);
        }
    }
}
