//! A wasm module on its way from cargo to the browser: what is not needed at once goes into modules of its own, wasm-bindgen
//! writes the JavaScript, `wasm-opt` shrinks each.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    page::{bundle, split},
    shell::{command, outputs, run_quietly, target},
};

/// How one module is built.
pub(crate) struct Module {
    /// Its files are `<name>.js` and `<name>_bg.wasm`.
    pub(crate) name: &'static str,
    /// The crate it comes from.
    pub(crate) crate_name: &'static str,
    /// The cargo profile.
    pub(crate) profile: &'static str,
    /// Cargo arguments that choose features.
    pub(crate) features: &'static str,
    /// A flag for rustc.
    pub(crate) rust_flag: &'static str,
    /// What `wasm-opt` does to it.
    pub(crate) passes: &'static str,
    /// The script that loads its later parts, where it has some.
    pub(crate) loader: Option<&'static str>,
    /// The part that nearly everybody loads, before any other.
    pub(crate) first: &'static str,
}

/// What rustc and wasm-bindgen use of wasm. All current browsers have it; `wasm-opt` wants to be told.
const WASM_FEATURES: [&str; 8] = [
    "--enable-bulk-memory",
    "--enable-extended-const",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];

impl Module {
    /// Returns a folder with the module's files, made anew only when its wasm, the optimizer or the way of bundling changed.
    pub(crate) fn prepare(&self, optimizer: Option<&Path>) -> anyhow::Result<PathBuf> {
        let built = target()?.join("wasm32-unknown-unknown").join(self.profile).join(format!("{}.wasm", self.crate_name));
        let wasm = fs::read(&built)?;
        let mut key = blake3::Hasher::new();
        key.update(&wasm).update(self.passes.as_bytes()).update(self.first.as_bytes()).update(bundle::PIECES.as_bytes());
        if let Some(optimizer) = optimizer {
            key.update(optimizer.as_os_str().as_encoded_bytes());
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
        let wasm = match self.loader {
            Some(loader) => split::take_out_later_parts(&wasm, &split::Names { script: self.name, loader }, &work)?,
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
        if let Some(optimizer) = optimizer {
            let files = fs::read_dir(&work)?.map(|file| Ok(file?.path())).collect::<anyhow::Result<Vec<PathBuf>>>()?;
            let modules = files.par_iter().filter(|path| path.extension().is_some_and(|extension| extension == "wasm"));
            modules.for_each(|module| self.shrink(module, optimizer));
        }
        if let Some(loader) = self.loader {
            bundle::bundle(&work, loader, self.first)?;
        }
        fs::rename(&work, &ready)?;
        Ok(ready)
    }
    /// A module that `wasm-opt` cannot read works as it is, and is larger.
    fn shrink(&self, wasm: &Path, optimizer: &Path) {
        let mut shrink = command(optimizer);
        shrink.args(WASM_FEATURES).args(self.passes.split_whitespace()).arg(wasm).arg("-o").arg(wasm);
        if let Err(error) = run_quietly(&mut shrink) {
            println!("  {}: left as it was, {error:#}", wasm.display());
        }
    }
}
