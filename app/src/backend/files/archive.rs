//! Files of archives and folders, by [`unzipped`], [`path_of`] and [`dropped`].

use explain::file_kind::{FileKind, FileNature};
use explain::zip_archive::{ArchiveError, ArchivedFile, ArchivedFileError, MAX_FILES, unzip};
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use leptos::wasm_split::wasm_split;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DataTransfer, File, FileList};

use super::unpack::MAX_CONTENT;
use super::{begin_of, read, unreadable};
use crate::model::problem::Problem;
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;

/// A file with its path within a folder or archive.
#[derive(Clone, Debug)]
pub struct PathFile {
    pub path: String,
    pub content: Blob,
}

/// A function that unpacks an archive up to a number of bytes.
type UnzipFunction = fn(&[u8], u64) -> Result<Vec<ArchivedFile>, ArchiveError>;

/// Returns the function that unpacks an archive. It is downloaded together with the decoders of other compressions.
#[inline(never)]
#[wasm_split(unpack, wasm_split_path = ::leptos::wasm_split, fallible)]
fn unzipper() -> Result<UnzipFunction, Problem> {
    Ok(unzip)
}

/// Unpacks a ZIP archive into its files, each with its content or the reason why it has none. Returns `None` for other
/// files.
///
/// # Errors
/// Returns a problem if the archive cannot be read, or is damaged or too large.
pub async fn unzipped(file: &Blob) -> Result<Option<Vec<(String, Result<Blob, String>)>>, Problem> {
    let kind = FileKind::detect(&begin_of(file).await?);
    if !kind.is_some_and(|kind| matches!(kind.nature, FileNature::Archive("unzip"))) {
        return Ok(None);
    }
    if file.size() as u64 > MAX_CONTENT {
        return Err(of_error(ArchiveError::TooLarge));
    }
    let unzip = unzipper().await?;
    let files = unzip(&read(file).await?.to_vec(), MAX_CONTENT).map_err(of_error)?;
    let of_file = |ArchivedFile { path, content }| {
        let blob = content.map_err(|error| reason(error).to_owned()).and_then(|bytes| {
            Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(&bytes[..]))).map_err(|error| unreadable(error).detail)
        });
        (path, blob)
    };
    Ok(Some(files.into_iter().map(of_file).collect()))
}

fn of_error(error: ArchiveError) -> Problem {
    let detail = match error {
        ArchiveError::Damaged => t("The archive is damaged. Get it again, or open its files.").into(),
        ArchiveError::TooManyFiles => tr!("It has more than {n} files. Open a part of them.", n = grouped(MAX_FILES as u64)),
        ArchiveError::TooLarge => tr!("Unpacked it has more than {most}. Open a shorter file.", most = humanize::bytes(MAX_CONTENT)),
    };
    Problem::new("bad-input", t("The file cannot be unpacked"), detail)
}

fn reason(error: ArchivedFileError) -> &'static str {
    match error {
        ArchivedFileError::Damaged => t("It is damaged."),
        ArchivedFileError::Encrypted => t("It has a password."),
        ArchivedFileError::OtherMethod => t("It was packed by an unusual method. Unpack the archive on your device."),
    }
}

/// Returns the path of a file that was chosen with its folder, or its name.
pub fn path_of(file: &File) -> String {
    let path = Reflect::get(file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
    path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name())
}

/// The files and folders that were dropped, or files that were chosen. Dropped ones must be taken while the event is handled.
#[derive(Clone, Debug)]
pub struct DroppedEntries {
    entries: Vec<JsValue>,
    files: Vec<File>,
}

/// Returns the files of a list.
pub fn listed(list: Option<FileList>) -> Vec<File> {
    list.iter().flat_map(|list| (0..list.length()).filter_map(|at| list.get(at))).collect()
}

/// Takes the files and folders of a drop.
pub fn dropped(transfer: &DataTransfer) -> DroppedEntries {
    let files = listed(transfer.files());
    let items = Reflect::get(transfer, &"items".into()).unwrap_or_default();
    let entry = |item: JsValue| call(&item, "webkitGetAsEntry").filter(|entry| !entry.is_null());
    let entries = Array::from(&items).iter().filter_map(entry).collect();
    DroppedEntries { entries, files }
}

impl DroppedEntries {
    /// Wraps files that were chosen.
    pub fn of_files(files: Vec<File>) -> Self {
        Self { entries: Vec::new(), files }
    }

    /// Returns the entries as the browser lists them: files, and folders without their files.
    pub fn listed(&self) -> &[File] {
        &self.files
    }

    /// Returns whether a folder is among the entries.
    pub fn has_folder(&self) -> bool {
        self.entries.iter().any(|entry| has(entry, "isDirectory"))
    }

    /// Returns all files, also those of folders, with their paths.
    pub async fn files(self) -> Vec<PathFile> {
        // Without a folder the browser has listed the files.
        if !self.has_folder() {
            return self.files.into_iter().map(|file| PathFile { path: file.name(), content: file.into() }).collect();
        }
        let mut found = Vec::new();
        let mut open: Vec<JsValue> = self.entries.into_iter().rev().collect();
        while let Some(entry) = open.pop() {
            if has(&entry, "isDirectory") {
                open.extend(children(&entry).await.into_iter().rev());
            } else if let Some(file) = promised(&entry, "file").await.and_then(|file| file.dyn_into::<File>().ok()) {
                let path = Reflect::get(&entry, &"fullPath".into()).ok().and_then(|path| path.as_string());
                let path = path.map(|path| path.trim_start_matches('/').to_owned()).unwrap_or_else(|| file.name());
                found.push(PathFile { path, content: file.into() });
            }
        }
        found
    }
}

/// Lists the entries of a folder, which the browser hands out in portions.
async fn children(folder: &JsValue) -> Vec<JsValue> {
    let mut all = Vec::new();
    let Some(reader) = call(folder, "createReader") else { return all };
    while let Some(portion) = promised(&reader, "readEntries").await {
        let portion = Array::from(&portion);
        if portion.length() == 0 {
            break;
        }
        all.extend(portion.iter());
    }
    all
}

fn has(object: &JsValue, flag: &str) -> bool {
    Reflect::get(object, &flag.into()).is_ok_and(|value| value.is_truthy())
}

fn call(object: &JsValue, method: &str) -> Option<JsValue> {
    let method: Function = Reflect::get(object, &method.into()).ok()?.dyn_into().ok()?;
    method.call0(object).ok()
}

/// Calls a method that takes a callback for its result and one for errors. Returns `None` if it fails.
async fn promised(object: &JsValue, method: &str) -> Option<JsValue> {
    let method: Function = Reflect::get(object, &method.into()).ok()?.dyn_into().ok()?;
    let promise = Promise::new(&mut |resolve, reject| {
        if method.call2(object, &resolve, &reject).is_err() {
            let _ = reject.call0(&JsValue::NULL);
        }
    });
    JsFuture::from(promise).await.ok()
}
