//! Unpacker: what is in a gzip or Zstandard file, piece by piece. Server, command line and page use this one decoder, so that each file
//! is unpacked alike everywhere.
//!
//! - [`gzip`]: members, zero bytes after them, and bytes that are no gzip
//! - [`zstd`]: frames, skippable frames, windows

use self::gzip::GzipMembers;
use self::zstd::ZstdFrames;
use crate::wire::Packed;

mod gzip;
#[cfg(test)]
mod tests;
mod zstd;

/// Largest window of a Zstandard frame that is unpacked, in bytes: what `zstd -d` takes without an option.
pub const MAX_WINDOW: u64 = 128 << 20;

/// Largest window that needs no leave of the caller, in bytes: what RFC 9659 lets a sender ask for.
pub const FREE_WINDOW: u64 = 8 << 20;

/// Bytes of content after which [`Unpacker::push`] returns: little that is packed can be much that is unpacked.
pub const STEP_BYTES: usize = 1 << 20;

/// Reason why a file cannot be unpacked. Each is a clause whose subject is the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// The file is of another format.
    #[error("it does not begin as such a file does")]
    OtherFormat,
    /// The file ends inside of a member or frame.
    #[error("it ends before it is whole")]
    CutOff,
    /// The content does not have the checksum or length that the file states.
    #[error("its checksum does not match, so it is damaged")]
    WrongChecksum,
    /// The file contradicts its format.
    #[error("it is damaged")]
    Damaged,
    /// A frame needs a larger window than [`MAX_WINDOW`].
    #[error("it was packed with a window of {} MiB, and the limit is {} MiB", .needed.div_ceil(1 << 20), MAX_WINDOW >> 20)]
    LargeWindow {
        /// Bytes of the window.
        needed: u64,
    },
    /// A frame needs a dictionary.
    #[error("it was packed with a dictionary, which it does not contain")]
    NeedsDictionary,
    /// Other bytes follow the last frame.
    #[error("bytes that are no zstd follow its last frame")]
    TrailingBytes,
    /// The caller has no memory for a large window.
    #[error("the memory for its large window is in use")]
    NoMemory,
}

/// Leave for a window of so many bytes, which is asked for once a frame has more content than [`FREE_WINDOW`].
pub type WindowLeave = Box<dyn FnMut(u64) -> bool + Send + Sync>;

/// A decoder of one packed file.
pub struct Unpacker(Format);

enum Format {
    Gzip(GzipMembers),
    Zstd(ZstdFrames),
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Unpacker")
    }
}

impl Packed {
    /// Recognises a packed file by its first four bytes.
    pub fn of_begin(begin: &[u8]) -> Option<Self> {
        match begin {
            // The third byte is the only method of gzip.
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

impl Unpacker {
    /// Creates a decoder that asks `leave` for large windows.
    pub fn new(packed: Packed, leave: WindowLeave) -> Self {
        Self(match packed {
            Packed::Gzip => Format::Gzip(GzipMembers::default()),
            Packed::Zstd => Format::Zstd(ZstdFrames::new(leave)),
        })
    }

    /// Unpacks the next bytes of the file until `content` has [`STEP_BYTES`]; returns how many of `bytes` were taken. If `content` is
    /// shorter afterwards, all were: else the caller empties it and calls again, with no bytes if none are left.
    ///
    /// # Errors
    /// Returns an error if the file cannot be unpacked; the decoder is of no use then.
    pub fn push(&mut self, bytes: &[u8], content: &mut Vec<u8>) -> Result<usize, UnpackError> {
        match &mut self.0 {
            Format::Gzip(members) => members.push(bytes, content),
            Format::Zstd(frames) => frames.push(bytes, content),
        }
    }

    /// Unpacks what is left at the end of the file; returns `None` if `content` has [`STEP_BYTES`] and there is more. Else returns how many
    /// bytes at the end were ignored, because they are no gzip: gzip(1) ignores them too, with a warning.
    ///
    /// # Errors
    /// Returns an error if the file is not whole.
    pub fn finish(&mut self, content: &mut Vec<u8>) -> Result<Option<u64>, UnpackError> {
        match &mut self.0 {
            Format::Gzip(members) => members.finish(content).map(Some),
            Format::Zstd(frames) => Ok(frames.finish(content)?.then_some(0)),
        }
    }
}

/// Unpacks a whole file. Returns its content and how many bytes at its end were ignored.
///
/// # Errors
/// Returns an error if the file cannot be unpacked.
pub fn unpack_all(packed: Packed, mut file: &[u8]) -> Result<(Vec<u8>, u64), UnpackError> {
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
