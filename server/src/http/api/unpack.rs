//! Unpack: decompression of uploads, according to their `Content-Encoding` or to their file format (`.gz` or `.zst`).
//!
//! The content is decompressed piece by piece, so that the reader can stop at a limit. Thus, a small upload that would
//! expand to a huge text fills neither the disk nor the memory. Uploads in file formats other than plain text are
//! refused.

use std::fmt;
use std::io::{self, Cursor};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use axum::http::{HeaderMap, header};
use explain::file_kind::{BEGIN_BYTES, FileKind, FileNature};
use explain::unpacker::{UnpackError, Unpacker, WindowPermission};
use explain::wire::PackedFormat;
use serde::Deserialize;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt as _, BufReader, ReadBuf};
use tokio::sync::Semaphore;

use crate::clients::shares::ClientSlotTable;
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;

/// Supported content codings of an upload, in the form of the header `Accept-Encoding`.
const SUPPORTED_CODINGS: &str = "gzip, zstd";

/// Maximum number of compressed bytes that are decoded in one step.
const MAX_INPUT_BYTES: usize = 16 << 10;

/// Maximum number of large decompression windows that one client may use at the same time.
const MAX_WINDOWS_OF_CLIENT: usize = 2;

/// Ratio of the memory for a decompression window to the window's size. The decoder uses a buffer of the next power of
/// two.
const WINDOW_MEMORY_FACTOR: u64 = 2;

/// The memory budget for large decompression windows of Zstandard files, shared by all clients. A window is the part of
/// the decompressed content that the decoder must remember. It is large if it has more than
/// [`explain::unpacker::FREE_WINDOW`] bytes.
#[derive(Debug)]
pub struct ZstdWindowMemory {
    mebibytes: Arc<Semaphore>,
    shares: Arc<ClientSlotTable>,
}

impl ZstdWindowMemory {
    /// Creates a budget of `bytes` bytes, or more if one window of the maximum size needs more.
    pub fn new(bytes: u64) -> Self {
        let mebibytes = (bytes >> 20).max((explain::unpacker::MAX_WINDOW * WINDOW_MEMORY_FACTOR) >> 20);
        let permits = usize::try_from(mebibytes).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self { mebibytes: Arc::new(Semaphore::new(permits)), shares: Arc::default() }
    }

    /// Returns the function that the decoder of an upload of `client` calls to reserve memory for a large window.
    /// Dropping the function releases the memory.
    fn new_permission(&self, client: ClientIdentity) -> WindowPermission {
        let (mebibytes, shares, mut held) = (self.mebibytes.clone(), self.shares.clone(), None);
        Box::new(move |bytes| {
            // Releases the window of the previous frame. Frames are independent parts of a file.
            drop(held.take());
            let wanted = u32::try_from((bytes * WINDOW_MEMORY_FACTOR).div_ceil(1 << 20)).unwrap_or(u32::MAX);
            held = shares.take(client, MAX_WINDOWS_OF_CLIENT).zip(mebibytes.clone().try_acquire_many_owned(wanted).ok());
            held.is_some()
        })
    }
}

/// Whether an uploaded gzip or Zstandard file is decompressed. A `Content-Encoding` is always decoded, because it is
/// not a part of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnpackMode {
    /// Decompress a gzip or Zstandard file, so that the text is its content.
    #[default]
    Auto,
    /// Do not decompress a gzip or Zstandard file: the text consists of its compressed bytes.
    Never,
}

/// A reader of the bytes of an upload.
pub(super) type UploadReader = Box<dyn AsyncBufRead + Send + Unpin>;

/// Returns the content coding of a request, from the header `Content-Encoding`. Returns `None` if the body is not
/// encoded.
///
/// # Errors
/// Returns `UnsupportedCoding` if the coding is unknown, or if there are several.
pub(super) fn of_request(headers: &HeaderMap) -> Result<Option<PackedFormat>, ApiProblem> {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let coding = codings.next().map_or(Ok("identity"), |coding| coding.to_str().map(str::trim));
    match (coding, codings.next()) {
        (Ok(coding), None) if is_identity(coding) => Ok(None),
        (Ok(coding), None) if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") => Ok(Some(PackedFormat::Gzip)),
        (Ok(coding), None) if coding.eq_ignore_ascii_case("zstd") => Ok(Some(PackedFormat::Zstd)),
        _ => Err(ApiProblem::coding(SUPPORTED_CODINGS)),
    }
}

/// Returns whether `coding` is a content coding that leaves the bytes unchanged.
pub(crate) fn is_identity(coding: &str) -> bool {
    coding.is_empty() || coding.eq_ignore_ascii_case("identity")
}

/// The text in a request body, which is decompressed while it is read.
pub(super) struct OpenedText {
    /// Reader of the decompressed text.
    pub(super) reader: UploadReader,
    /// Content coding or file format from which the text is decompressed. `None` if it was not compressed.
    pub(super) unpacked_from: Option<PackedFormat>,
    /// Number of bytes after the end of the compressed data, which are ignored. The number is final when the whole text
    /// has been read.
    pub(super) ignored: Arc<AtomicU64>,
}

/// Opens the text in `body`. Decodes the content coding `coding`, and then decompresses a gzip or Zstandard file unless
/// `unpack` forbids it. The decoder reserves memory for large windows in `windows`, for `client`. If the body cannot be
/// decompressed, reading the text fails later.
///
/// # Errors
/// Returns an error if the beginning of the body cannot be read or decompressed. Also returns an error if it is not
/// plain text, unless `unpack` is `Never`.
pub(super) async fn open(
    body: UploadReader,
    coding: Option<PackedFormat>,
    unpack: UnpackMode,
    windows: &ZstdWindowMemory,
    client: ClientIdentity,
) -> io::Result<OpenedText> {
    let ignored = Arc::new(AtomicU64::new(0));
    let unpacked = |packed, is_content, reader| -> UploadReader {
        let unpacker = Unpacker::new(packed, windows.new_permission(client));
        let (ignored, content) = (ignored.clone(), Vec::new());
        Box::new(BufReader::new(UnpackingReader {
            reader,
            packed,
            is_content,
            unpacker,
            content,
            at: 0,
            place: PackedPosition::Inside,
            ignored,
        }))
    };
    let mut opened = OpenedText { reader: body, unpacked_from: coding, ignored: ignored.clone() };
    if let Some(coding) = coding {
        opened.reader = unpacked(coding, false, opened.reader);
    }
    if unpack == UnpackMode::Never {
        return Ok(opened);
    }
    let (mut begin, whole) = peek(opened.reader).await?;
    opened.reader = whole;
    let packed = PackedFormat::detect(&begin);
    if let Some(packed) = packed {
        (begin, opened.reader) = peek(unpacked(packed, true, opened.reader)).await?;
        opened.unpacked_from = Some(packed);
    }
    match FileKind::detect(&begin) {
        Some(kind) => Err(UploadRefusal::Foreign { kind, inside: packed }.into()),
        None => Ok(opened),
    }
}

/// Returns the first bytes of the text in `reader`, and a reader of the whole text, including these bytes.
async fn peek(mut reader: UploadReader) -> io::Result<(Vec<u8>, UploadReader)> {
    let mut begin = Vec::with_capacity(BEGIN_BYTES);
    (&mut reader).take(BEGIN_BYTES as u64).read_to_end(&mut begin).await?;
    Ok((begin.clone(), Box::new(Cursor::new(begin).chain(reader))))
}

/// A reader that decompresses the bytes of another reader while it is read.
struct UnpackingReader {
    reader: UploadReader,
    packed: PackedFormat,
    /// Whether the uploaded file itself is compressed. If not, only its transfer is compressed.
    is_content: bool,
    unpacker: Unpacker,
    /// Decompressed bytes. Those from index `at` on have not been read.
    content: Vec<u8>,
    at: usize,
    place: PackedPosition,
    ignored: Arc<AtomicU64>,
}

/// The state of reading the compressed bytes of an upload.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PackedPosition {
    Inside,
    AtEnd,
    Behind,
}

impl AsyncRead for UnpackingReader {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.at == this.content.len() && this.place != PackedPosition::Behind {
            this.content.clear();
            this.at = 0;
            let refusal = |error| UploadRefusal::Unpacking { packed: this.packed, error, is_content: this.is_content };
            if this.place == PackedPosition::Inside {
                let bytes = ready!(Pin::new(&mut this.reader).poll_fill_buf(context))?;
                if bytes.is_empty() {
                    this.place = PackedPosition::AtEnd;
                } else {
                    let bytes = &bytes[..bytes.len().min(MAX_INPUT_BYTES)];
                    let taken = this.unpacker.push(bytes, &mut this.content).map_err(refusal)?;
                    Pin::new(&mut this.reader).consume(taken);
                }
            } else if let Some(ignored) = this.unpacker.finish(&mut this.content).map_err(refusal)? {
                this.ignored.fetch_add(ignored, Ordering::Relaxed);
                this.place = PackedPosition::Behind;
            }
        }
        let bytes = (this.content.len() - this.at).min(buffer.remaining());
        buffer.put_slice(&this.content[this.at..this.at + bytes]);
        this.at += bytes;
        Poll::Ready(Ok(()))
    }
}

/// The reason why an upload is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UploadRefusal {
    /// The upload cannot be decompressed from the format `packed`. `is_content` tells whether the uploaded file itself
    /// is compressed; if not, only its transfer is.
    Unpacking { packed: PackedFormat, error: UnpackError, is_content: bool },
    /// The upload is a file of the kind `kind` instead of plain text. If the file was inside a compressed one, `inside`
    /// is the format of the compression.
    Foreign { kind: FileKind, inside: Option<PackedFormat> },
}

impl fmt::Display for UploadRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.problem().detail)
    }
}

impl std::error::Error for UploadRefusal {}

impl From<UploadRefusal> for io::Error {
    fn from(refusal: UploadRefusal) -> Self {
        Self::new(io::ErrorKind::InvalidData, refusal)
    }
}

impl UploadRefusal {
    /// Returns the refusal that caused the read error `error`, or `None` if the error has another cause.
    pub(super) fn from_io_error(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }

    /// Converts the refusal to a problem that states the cause and the remedy.
    pub(super) fn problem(self) -> ApiProblem {
        const AS_IT_IS: &str = " To compare its bytes as they are, add ?unpack=never.";
        match self {
            Self::Unpacking { packed, error, is_content } => {
                let advice = match error {
                    UnpackError::NoMemory => return ApiProblem::busy("uploads with large windows"),
                    UnpackError::OtherFormat => " Leave the Content-Encoding header out.",
                    UnpackError::CutOff => " Send all of it.",
                    UnpackError::WrongChecksum | UnpackError::Damaged => " Pack the original again.",
                    UnpackError::LargeWindow { .. } => " Pack it without --long and --ultra.",
                    UnpackError::NeedsDictionary => " Pack it without a dictionary.",
                    UnpackError::TrailingBytes => " Remove them.",
                };
                let otherwise = if is_content { AS_IT_IS } else { "" };
                let name = packed.name();
                ApiProblem::new(ProblemKind::BadInput, format!("The upload is {name} and cannot be unpacked: {error}.{advice}{otherwise}"))
            }
            Self::Foreign { kind, inside } => {
                let subject = match inside {
                    Some(packed) => format!("The upload is {}, and its content is", packed.name()),
                    None => "The upload is".into(),
                };
                let advice = match kind.nature {
                    FileNature::Archive(command) => format!("Unpack it first, as with {command}, and send the text that is in it."),
                    FileNature::Document => "Open it in its program, copy the text, and send that.".into(),
                    FileNature::Image | FileNature::Recording | FileNature::Data => "Send a text.".into(),
                };
                ApiProblem::new(ProblemKind::NotText, format!("{subject} {} and not a plain text. {advice}{AS_IT_IS}", kind.description()))
            }
        }
    }
}
