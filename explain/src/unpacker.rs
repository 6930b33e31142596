//! A decoder of gzip and Zstandard files, [`Unpacker`], which takes a file in pieces. Server, command line and page
//! share it, so that they unpack every file alike.
//!
//! - [`gzip`]: members, zero bytes after them, and trailing bytes that are not gzip
//! - [`zstd`]: frames, skippable frames, windows

use self::gzip::GzipFileDecoder;
use self::zstd::ZstdFileDecoder;
use crate::wire::PackedFormat;

mod gzip;
#[cfg(test)]
mod tests;
mod zstd;

/// Maximum window (the content that a decoder must keep in memory) of a Zstandard frame, in bytes. `zstd -d` has this
/// limit too.
pub const MAX_WINDOW: u64 = 128 << 20;

/// Maximum window of a Zstandard frame that needs no permission of the caller, in bytes. RFC 9659 limits senders to
/// this size.
pub const FREE_WINDOW: u64 = 8 << 20;

/// Number of unpacked bytes after which [`Unpacker::push`] returns. The limit bounds the memory, because a few packed
/// bytes can unpack to very many.
pub const STEP_BYTES: usize = 1 << 20;

/// The reason why a file cannot be unpacked. Its message is a clause that continues a sentence whose subject is the
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// The file does not begin with the signature of the expected format.
    #[error("it does not begin as such a file does")]
    OtherFormat,
    /// The file ends inside a gzip member or Zstandard frame.
    #[error("it ends before it is whole")]
    CutOff,
    /// The unpacked content does not have the checksum or length that the file states.
    #[error("its checksum does not match, so it is damaged")]
    WrongChecksum,
    /// The bytes of the file violate its format.
    #[error("it is damaged")]
    Damaged,
    /// A Zstandard frame needs a larger window than [`MAX_WINDOW`].
    #[error("it was packed with a window of {} MiB, and the limit is {} MiB", .needed.div_ceil(1 << 20), MAX_WINDOW >> 20)]
    LargeWindow {
        /// Size of the window, in bytes.
        needed: u64,
    },
    /// A Zstandard frame needs a dictionary, which the file does not contain.
    #[error("it was packed with a dictionary, which it does not contain")]
    NeedsDictionary,
    /// Bytes that are not a Zstandard frame follow the last frame.
    #[error("bytes that are no zstd follow its last frame")]
    TrailingBytes,
    /// The caller refused memory for a large window.
    #[error("the memory for its large window is in use")]
    NoMemory,
}

/// A callback that decides whether a decoder may use a window of the given number of bytes. It is called once for each
/// Zstandard frame with a window larger than [`FREE_WINDOW`], when the content decoded from the frame approaches
/// [`FREE_WINDOW`].
pub type WindowPermission = Box<dyn FnMut(u64) -> bool + Send + Sync>;

/// A decoder of one gzip or Zstandard file.
pub struct Unpacker(PackedDecoder);

enum PackedDecoder {
    Gzip(GzipFileDecoder),
    Zstd(ZstdFileDecoder),
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Unpacker")
    }
}

impl PackedFormat {
    /// Returns the compression format of a file, given its first four bytes, or `None` for other files.
    pub fn detect(begin: &[u8]) -> Option<Self> {
        match begin {
            // The third byte is the compression method, and 8 is the only one of gzip.
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

impl Unpacker {
    /// Creates a decoder of a file with the compression `packed`. The decoder asks `leave` for permission before a
    /// Zstandard frame takes more memory than [`FREE_WINDOW`] for its window.
    pub fn new(packed: PackedFormat, leave: WindowPermission) -> Self {
        Self(match packed {
            PackedFormat::Gzip => PackedDecoder::Gzip(GzipFileDecoder::default()),
            PackedFormat::Zstd => PackedDecoder::Zstd(ZstdFileDecoder::new(leave)),
        })
    }

    /// Unpacks the next bytes of the file, `bytes`, and appends to `content` until it has [`STEP_BYTES`] bytes. Returns
    /// the number of bytes taken from `bytes`.
    ///
    /// If `content` is shorter than [`STEP_BYTES`] afterwards, all `bytes` were taken. Otherwise the caller empties
    /// `content` and calls again with the remaining bytes, even if none remain.
    ///
    /// # Errors
    /// Returns an error if the file cannot be unpacked. The decoder cannot be used afterwards.
    pub fn push(&mut self, bytes: &[u8], content: &mut Vec<u8>) -> Result<usize, UnpackError> {
        match &mut self.0 {
            PackedDecoder::Gzip(members) => members.push(bytes, content),
            PackedDecoder::Zstd(frames) => frames.push(bytes, content),
        }
    }

    /// Unpacks the rest of the content after the last byte of the file was pushed, and appends it to `content`. Returns
    /// `None` if `content` has reached [`STEP_BYTES`] bytes and there is more; then the caller empties it and calls
    /// again.
    ///
    /// Otherwise returns the number of trailing bytes of the file that were ignored because they are not gzip. The
    /// program gzip ignores them too, with a warning.
    ///
    /// # Errors
    /// Returns an error if the file is incomplete or damaged.
    pub fn finish(&mut self, content: &mut Vec<u8>) -> Result<Option<u64>, UnpackError> {
        match &mut self.0 {
            PackedDecoder::Gzip(members) => members.finish(content).map(Some),
            PackedDecoder::Zstd(frames) => Ok(frames.finish(content)?.then_some(0)),
        }
    }
}

/// Unpacks a whole file with the compression `packed`. Returns its content, and the number of trailing bytes that were
/// ignored because they are not gzip.
///
/// # Errors
/// Returns an error if the file cannot be unpacked.
pub fn unpack_all(packed: PackedFormat, mut file: &[u8]) -> Result<(Vec<u8>, u64), UnpackError> {
    let (mut unpacker, mut content, mut step) = (Unpacker::new(packed, Box::new(|_| true)), Vec::new(), Vec::new());
    while !file.is_empty() {
        file = &file[unpacker.push(file, &mut step)?..];
        content.append(&mut step);
    }
    loop {
        let ignored = unpacker.finish(&mut step)?;
        content.append(&mut step);
        if let Some(ignored) = ignored {
            return Ok((content, ignored));
        }
    }
}
