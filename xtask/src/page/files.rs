//! The files of the page that are published ([`PageFiles`]), each also in compressed forms.

use std::{collections::BTreeMap, fs, io::Write as _, path::Path};

use anyhow::Context as _;
use flate2::{Compression, write::GzEncoder};
use rayon::prelude::*;

use crate::page::BuildMode;

/// The files to publish: the content of each by its name, sorted by name.
#[derive(Default)]
pub(crate) struct PageFiles(BTreeMap<String, Vec<u8>>);

/// The name of a published file, and its sizes in bytes.
pub(crate) struct FileSize {
    pub(crate) name: String,
    pub(crate) plain: u64,
    /// Size after compression by brotli. Equal to `plain` if brotli does not make the file smaller.
    pub(crate) brotli: u64,
}

impl PageFiles {
    pub(crate) fn add(&mut self, name: &str, path: &Path) -> anyhow::Result<()> {
        let content = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        self.0.insert(name.to_owned(), content);
        Ok(())
    }

    /// Adds every file in `folder` and its subfolders. The name of a file is its path relative to `folder`.
    pub(crate) fn add_folder(&mut self, folder: &Path) -> anyhow::Result<()> {
        self.add_tree(folder, "")
    }

    /// Adds files like [`PageFiles::add_folder`], but puts `prefix` before their names.
    pub(crate) fn add_folder_as(&mut self, prefix: &str, folder: &Path) -> anyhow::Result<()> {
        self.add_tree(folder, prefix)
    }

    fn add_tree(&mut self, folder: &Path, prefix: &str) -> anyhow::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.add_tree(&entry.path(), &format!("{name}/"))?;
            } else {
                self.add(&name, &entry.path())?;
            }
        }
        Ok(())
    }

    /// Adds a JSON file called `name` with the names of all files that were added before.
    pub(crate) fn add_names(&mut self, name: &str) -> anyhow::Result<()> {
        let names = serde_json::to_vec(&self.0.keys().collect::<Vec<_>>())?;
        self.0.insert(name.to_owned(), names);
        Ok(())
    }

    /// Returns a hash of all names and contents, as 16 hexadecimal digits.
    pub(crate) fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (name, content) in &self.0 {
            hasher.update(name.as_bytes()).update(&[0]);
            hasher.update(blake3::hash(content).as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// Writes the files into `folder` and returns their sizes. In [`BuildMode::Release`], adds the forms `.br` and `.gz` of
    /// each file if they are smaller. Skips files that exist with the same content.
    pub(crate) fn publish(&self, folder: &Path, mode: BuildMode) -> anyhow::Result<Vec<FileSize>> {
        self.0.par_iter().map(|(name, content)| publish(folder, name, content, mode)).collect()
    }
}

/// Removes everything in `folder` except `keep`.
pub(crate) fn remove_others(folder: &Path, keep: &str) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != keep {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn publish(folder: &Path, name: &str, content: &[u8], mode: BuildMode) -> anyhow::Result<FileSize> {
    let path = folder.join(name);
    let compressed = |extension| folder.join(format!("{name}.{extension}"));
    let plain = content.len() as u64;
    if fs::read(&path).is_ok_and(|there| there == content) {
        let brotli = fs::metadata(compressed("br")).map_or(plain, |file| file.len());
        return Ok(FileSize { name: name.to_owned(), plain, brotli });
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut brotli = plain;
    for (extension, compress) in [("br", to_brotli as fn(&[u8]) -> anyhow::Result<Vec<u8>>), ("gz", to_gzip)] {
        let place = compressed(extension);
        let small = if mode == BuildMode::Release { compress(content)? } else { content.to_vec() };
        if small.len() < content.len() {
            if extension == "br" {
                brotli = small.len() as u64;
            }
            fs::write(place, small)?;
        } else if place.exists() {
            fs::remove_file(place)?;
        }
    }
    // Written after the compressed forms, so that its presence means that they exist.
    fs::write(path, content)?;
    Ok(FileSize { name: name.to_owned(), plain, brotli })
}

fn to_brotli(content: &[u8]) -> anyhow::Result<Vec<u8>> {
    let best = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut &*content, &mut small, &best)?;
    Ok(small)
}

fn to_gzip(content: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(content)?;
    Ok(gzip.finish()?)
}
