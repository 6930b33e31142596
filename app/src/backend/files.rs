//! Files on the visitor's computer. [`open`] turns a file into a text of the form. The page holds only a handle of a
//! file and reads the file when needed, so that a large file costs no memory and a binary file is not damaged. A
//! compressed file is replaced by its content.
//!
//! - [`archive`]: the files of archives and folders
//! - [`unpack`]: the content of a compressed file

use std::sync::Arc;

use explain::file_kind::{BEGIN_BYTES, FileKind};
use explain::wire::PackedFormat;
use js_sys::Uint8Array;
use kernels::job::Unit;
use kernels::reading::TextEncoding;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, HtmlAnchorElement, TextDecoder, Url};

use crate::model::form::local_file::LocalFile;
use crate::model::form::replacement::{Charset, with_line_feeds};
use crate::model::form::{FormText, TYPED_BYTES, TextContent, two_lines};
use crate::model::problem::Problem;
use crate::model::problem::foreign::not_text;
use crate::tr::t;

pub mod archive;
mod unpack;

/// Number of bytes at the beginning of a file that are shown if the file is not editable.
const HEAD_BYTES: f64 = 4_000.0;

/// Creates a [`FormText`] from `bytes`, as if a file called `name` with this content was opened.
pub async fn text_from_bytes(name: Option<String>, bytes: &[u8]) -> Result<FormText, Problem> {
    let parts = js_sys::Array::of1(&Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence(&parts).map_err(unreadable)?;
    of_blob(name, blob).await
}

/// Saves `blob` as a file called `name` by the browser's download.
pub fn save(blob: &Blob, name: &str) {
    let link = leptos::prelude::document().create_element("a").ok().and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok());
    if let (Some(link), Ok(address)) = (link, Url::create_object_url_with_blob(blob)) {
        link.set_href(&address);
        link.set_download(name);
        link.click();
        let _ = Url::revoke_object_url(&address);
    }
}

/// Saves `bytes` as a file called `name` by the browser's download.
pub fn save_bytes(bytes: &[u8], name: &str) {
    if let Ok(blob) = Blob::new_with_u8_array_sequence(&js_sys::Array::of1(&Uint8Array::from(bytes))) {
        save(&blob, name);
    }
}

/// The outcome of opening a file.
#[derive(Debug)]
pub struct OpenedFile {
    /// The resulting form text: the file's text, the file itself, or the problem that makes the file unusable.
    pub side: FormText,
    /// A remark about the file to show to the visitor, if any.
    pub remark: Option<&'static str>,
    /// Whether the file is a ZIP archive, whose files can be opened.
    pub is_zip: bool,
}

/// Opens a file, or the content of a compressed file. The resulting form text is editable if the file is text and short
/// enough, and otherwise holds the file itself. Binary files other than archives are accepted if `unit` is bytes.
pub async fn open(file: File, unit: Unit) -> OpenedFile {
    let name = file.name();
    match open_blob(&name, file.into(), unit).await {
        Ok(opened) => opened,
        Err(problem) => OpenedFile { side: FormText::failed(name, problem), remark: None, is_zip: false },
    }
}

/// Opens a file as [`open`] does.
///
/// # Errors
/// Returns the problem that makes the file unusable.
pub async fn open_blob(name: &str, file: Blob, unit: Unit) -> Result<OpenedFile, Problem> {
    let mut begin = begin_of(&file).await?;
    let (mut name_inside, mut inside, mut remark) = (name, file, None);
    if let Some(packed) = PackedFormat::detect(&begin) {
        let unpacked = unpack::unpacked(&inside, packed, &begin).await?;
        remark = unpacked.has_ignored.then(|| t("Bytes behind the gzip data were ignored."));
        (name_inside, inside) = (unpack::name_inside(name), unpacked.content);
        begin = begin_of(&inside).await?;
    }
    let Some(kind) = FileKind::detect(&begin) else {
        return Ok(OpenedFile { side: of_blob(Some(name_inside.to_owned()), inside).await?, remark, is_zip: false });
    };
    let problem = not_text(name, kind);
    if !kind.has_comparable_bytes() {
        return Ok(OpenedFile { side: FormText::failed(name.to_owned(), problem), remark, is_zip: kind.format == "ZIP" });
    }
    let failure = (unit != Unit::Bytes).then(|| Arc::new(problem));
    let side = text_from_file(Some(name_inside.to_owned()), inside).await?;
    Ok(OpenedFile { side: FormText { failure, ..side }, remark, is_zip: false })
}

async fn begin_of(file: &Blob) -> Result<Vec<u8>, Problem> {
    let begin = file.slice_with_f64_and_f64(0.0, BEGIN_BYTES as f64).map_err(unreadable)?;
    Ok(read(&begin).await?.to_vec())
}

/// Splits the form text `side`, which must have exactly two lines, into two form texts: the first line and the second.
/// Both have the name of the file. Reads the whole text.
///
/// # Errors
/// Returns an error if the text cannot be read, or does not have exactly two lines that are not empty.
pub async fn lines_of(side: &FormText) -> Result<[FormText; 2], Problem> {
    let TextContent::File { file, .. } = &side.content else {
        let lines = side.text().and_then(two_lines).ok_or_else(other_lines)?;
        return Ok([lines.0, lines.1].map(|line| FormText { name: side.name.clone(), ..FormText::typed(line) }));
    };
    let (bytes, blob) = (bytes(side).await?, file.blob().ok_or_else(|| unreadable(JsValue::NULL))?);
    let len = bytes.length();
    let newline = |from: u32| u32::try_from(bytes.index_of(b'\n', from as i32)).ok();
    // Returns the end of the line that begins at `start`. `at` is the position of its line feed, or the end of the
    // file. A carriage return before `at` is left out.
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
    Problem::new(
        "bad-input",
        t("The file does not have two lines"),
        t("The first line is searched for the second; the file must have no other lines."),
    )
}

async fn of_blob(name: Option<String>, file: Blob) -> Result<FormText, Problem> {
    let bytes = file.size() as u64;
    // An empty file with a name differs from an empty field, and is therefore not converted to an empty text.
    if (bytes > 0 || name.is_none()) && bytes <= TYPED_BYTES {
        let content = read(&file).await?.to_vec();
        if let Ok(text) = String::from_utf8(content) {
            // A text area turns every line end into a line feed. Therefore text with other line ends is not made
            // editable, and neither is UTF-16 without a byte order mark, which may be valid UTF-8 by chance.
            if !text.contains('\r') && TextEncoding::unmarked(text.as_bytes()).is_none() {
                return Ok(FormText { name, ..FormText::typed(text) });
            }
        }
    }
    text_from_file(name, file).await
}

/// Creates a form text that holds the file itself, with only the file's beginning loaded.
async fn text_from_file(name: Option<String>, file: Blob) -> Result<FormText, Problem> {
    let bytes = file.size() as u64;
    let start = file.slice_with_f64_and_f64(0.0, HEAD_BYTES).map_err(unreadable)?;
    let start = read(&start).await?.to_vec();
    let head = match TextEncoding::marked(&start) {
        Some(encoding) => encoding.decode_lossy(&start),
        None => String::from_utf8_lossy(&start).into_owned(),
    };
    let head = head.trim_end_matches('\u{fffd}').to_owned();
    Ok(FormText { name, content: TextContent::File { file: LocalFile::new(file), bytes, head }, ..FormText::default() })
}

/// Decodes the whole form text `side` by its detected encoding, and converts its line ends to line feeds. Returns the
/// text and the encoding.
///
/// # Errors
/// Returns an error if the file cannot be read or decoded.
pub async fn decoded(side: &FormText) -> Result<(String, Charset), Problem> {
    let (text, charset) = decode(&bytes(side).await?.to_vec()).ok_or_else(|| unreadable(JsValue::NULL))?;
    Ok((with_line_feeds(&text), charset))
}

/// Decodes a whole file by its detected encoding. Returns the text and the encoding, or `None` if this browser cannot decode it.
pub fn decode(bytes: &[u8]) -> Option<(String, Charset)> {
    let charset = Charset::detect(bytes);
    let text = TextDecoder::new_with_label(charset.label()).ok()?.decode_with_u8_array(bytes).ok()?;
    Some((text, charset))
}

/// Returns all bytes of the form text `side`. Fetches them if the text is stored on the server.
pub async fn bytes(side: &FormText) -> Result<Uint8Array, Problem> {
    match &side.content {
        TextContent::Typed(text) => Ok(Uint8Array::from(text.as_bytes())),
        TextContent::File { file, .. } => read(&file.blob().ok_or_else(|| unreadable(JsValue::NULL))?).await,
        TextContent::Stored { file, .. } => super::http::get_bytes(file).await,
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
