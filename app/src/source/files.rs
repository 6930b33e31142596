//! Files of this device. They stay with the browser and are read when they are needed, so that a large one costs no memory and
//! one that is not text is not damaged. What is in a file of gzip is opened instead of the file.
//!
//! - [`unpack`]: what is in a compressed file

use js_sys::Uint8Array;
use kernels::reading::Encoding;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, HtmlAnchorElement, Url};

use crate::model::form::local_file::LocalFile;
use crate::model::form::{Content, Side, TYPED_BYTES, two_lines};
use crate::model::problem::Problem;
use crate::tr::t;

mod unpack;

/// Bytes of a file's beginning that are shown.
const HEAD_BYTES: f64 = 4_000.0;

/// A side of the form that holds these bytes, as if a file was opened.
pub async fn of_bytes(name: Option<String>, bytes: &[u8]) -> Result<Side, Problem> {
    let parts = js_sys::Array::of1(&Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence(&parts).map_err(unreadable)?;
    of_blob(name, blob).await
}

/// Hands the browser a file.
pub fn save(blob: &Blob, name: &str) {
    let link = leptos::prelude::document().create_element("a").ok().and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok());
    if let (Some(link), Ok(address)) = (link, Url::create_object_url_with_blob(blob)) {
        link.set_href(&address);
        link.set_download(name);
        link.click();
        let _ = Url::revoke_object_url(&address);
    }
}

/// Hands the browser a file of these bytes.
pub fn save_bytes(bytes: &[u8], name: &str) {
    if let Ok(blob) = Blob::new_with_u8_array_sequence(&js_sys::Array::of1(&Uint8Array::from(bytes))) {
        save(&blob, name);
    }
}

/// A side of the form that holds this file, or what is compressed in it: its text, when it is text and short enough to edit, else the file itself.
pub async fn open(file: File) -> Result<Side, Problem> {
    match unpack::unpacked(&file).await? {
        Some(inside) => of_blob(Some(unpack::name_inside(file.name())), inside).await,
        None => of_blob(Some(file.name()), file.into()).await,
    }
}

/// Both lines of a text that has two and nothing else, each a side of its own under the name of the file. Reads all of it.
///
/// # Errors
/// When it cannot be read, or has other lines.
pub async fn lines_of(side: &Side) -> Result<[Side; 2], Problem> {
    let Content::File { file, .. } = &side.content else {
        let lines = side.text().and_then(two_lines).ok_or_else(other_lines)?;
        return Ok([lines.0, lines.1].map(|line| Side { name: side.name.clone(), ..Side::typed(line) }));
    };
    let (bytes, blob) = (bytes(side).await?, file.blob().ok_or_else(|| unreadable(JsValue::NULL))?);
    let len = bytes.length();
    let newline = |from: u32| u32::try_from(bytes.index_of(b'\n', from as i32)).ok();
    // Where a line ends that a newline, or the end of the file, follows.
    let end = |start: u32, at: u32| if at > start && bytes.get_index(at - 1) == b'\r' { at - 1 } else { at };
    let first = newline(0).ok_or_else(other_lines)?;
    let second = newline(first + 1).unwrap_or(len);
    let lines = [(0, end(0, first)), (first + 1, end(first + 1, second))];
    if second + 1 < len || lines.iter().any(|(start, end)| start == end) {
        return Err(other_lines());
    }
    let [text, pattern] = lines.map(|(start, end)| blob.slice_with_f64_and_f64(start.into(), end.into()).map_err(unreadable));
    Ok([of_blob(side.name.clone(), text?).await?, of_blob(side.name.clone(), pattern?).await?])
}

fn other_lines() -> Problem {
    Problem::new("bad-input", t("The file does not have two lines"), t("Its first line is searched for its second, and it has no others."))
}

async fn of_blob(name: Option<String>, file: Blob) -> Result<Side, Problem> {
    let bytes = file.size() as u64;
    // An empty file of its own is something else than a field that was left empty.
    if (bytes > 0 || name.is_none()) && bytes <= TYPED_BYTES {
        let content = read(&file).await?.to_vec();
        if let Ok(text) = String::from_utf8(content) {
            // A text area turns every line end into a line feed, so that text with others stays a file.
            if !text.contains('\r') {
                return Ok(Side { name, ..Side::typed(text) });
            }
        }
    }
    let start = file.slice_with_f64_and_f64(0.0, HEAD_BYTES).map_err(unreadable)?;
    let start = read(&start).await?.to_vec();
    let head = match Encoding::marked(&start) {
        Some(encoding) => encoding.decode_lossy(&start),
        None => String::from_utf8_lossy(&start).into_owned(),
    };
    let head = head.trim_end_matches('\u{fffd}').to_owned();
    Ok(Side { name, content: Content::File { file: LocalFile::new(file), bytes, head }, ..Side::default() })
}

/// All bytes of a side; those of the server are fetched.
pub async fn bytes(side: &Side) -> Result<Uint8Array, Problem> {
    match &side.content {
        Content::Typed(text) => Ok(Uint8Array::from(text.as_bytes())),
        Content::File { file, .. } => read(&file.blob().ok_or_else(|| unreadable(JsValue::NULL))?).await,
        Content::Stored { file, .. } => super::http::get_bytes(file).await,
    }
}

pub(super) async fn read(blob: &Blob) -> Result<Uint8Array, Problem> {
    let buffer = JsFuture::from(blob.array_buffer()).await.map_err(unreadable)?;
    Ok(Uint8Array::new(&buffer))
}

fn unreadable(_: JsValue) -> Problem {
    Problem::new(
        "bad-input",
        t("The file cannot be read"),
        t("It was moved or changed since it was opened, or is a folder. Open it again."),
    )
}
