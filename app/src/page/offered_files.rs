//! Several files that were opened for one text: their list ([`read_offer`]), the choice of one ([`choose`]), and the way to the
//! page that compares all ([`compare_all`]).

use js_sys::Reflect;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::Blob;

use super::Page;
use crate::backend::files::archive::{DroppedEntries, PathFile, unzipped};
use crate::backend::handed_files;
use crate::model::collection::hand_in_list::base_name;
use crate::model::collection::link::handed_fragment;
use crate::model::collection::opened::is_of_system;
use crate::model::form::FormSide;
use crate::model::problem::Problem;
use crate::model::visit::COLLECTIONS;
use crate::tr::t;

/// A file that the visitor can choose.
#[derive(Clone, Debug)]
pub struct OfferedFile {
    pub path: String,
    /// The content, or the reason why it cannot be read.
    pub content: Result<Blob, String>,
}

/// Files that were opened for one text.
#[derive(Clone, Debug)]
pub struct FileOffer {
    /// Name of the archive that has the files, if it was opened alone.
    pub archive: Option<String>,
    pub files: Vec<OfferedFile>,
    /// The files as they were opened.
    given: Vec<PathFile>,
}

/// Lists the files that were opened, or those of an archive. Leaves out files that an operating system has added.
///
/// # Errors
/// Returns the problem of an archive that cannot be unpacked.
pub async fn read_offer(entries: DroppedEntries) -> Result<FileOffer, Problem> {
    let given = entries.files().await;
    let inside = match &given[..] {
        [only] => unzipped(&only.content).await?,
        _ => None,
    };
    let archive = inside.is_some().then(|| given[0].path.clone());
    let as_given = || given.iter().map(|file| (file.path.clone(), Ok(file.content.clone()))).collect();
    let files = inside.unwrap_or_else(as_given).into_iter().filter(|(path, _)| !is_of_system(path));
    let files = files.map(|(path, content)| OfferedFile { path, content }).collect();
    Ok(FileOffer { archive, files, given })
}

/// Opens a file for text `which`.
pub fn choose(page: Page, which: FormSide, file: &OfferedFile) {
    let Ok(content) = &file.content else { return };
    // A blob with a name is a file for all readers of the page.
    let _ = Reflect::set(content, &"name".into(), &base_name(&file.path).into());
    page.open_file(which, content.clone().unchecked_into());
}

/// Opens the page that compares many texts with all files.
///
/// # Errors
/// Returns a problem if this browser cannot hand the files over.
pub async fn compare_all(page: Page, offer: FileOffer) -> Result<(), Problem> {
    let key = handed_files::leave(&offer.given).await.ok_or_else(|| {
        Problem::new("storage", t("The files were not handed over"), t("This browser stores no files. Open them on the page “Many texts”."))
    })?;
    let fragment = handed_fragment(&key, page.form.with_untracked(|form| form.task));
    let _ = window().location().set_href(&format!("{COLLECTIONS}#{fragment}"));
    Ok(())
}
