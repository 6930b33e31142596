//! Parts of the fields of both sides: ids ([`id_of`]) and chosen files ([`picked_files`]).

use web_sys::HtmlInputElement;

use crate::backend::files::archive::{self, PathFile};
use crate::model::form::FormSide;

/// Returns an id of an element of a side.
pub fn id_of(name: &str, side: FormSide) -> String {
    match side {
        FormSide::A => name.to_owned(),
        FormSide::B => format!("{name}-b"),
    }
}

/// Returns the files that were chosen, with their paths.
pub fn picked_files(input: &HtmlInputElement) -> Vec<PathFile> {
    let path_file = |file: web_sys::File| PathFile { path: archive::path_of(&file), content: file.into() };
    input.files().iter().flat_map(|list| (0..list.length()).filter_map(|at| list.get(at))).map(path_file).collect()
}
