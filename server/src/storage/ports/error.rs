//! Errors of the row store and the file store: [`StorageError`], with as many kinds ([`StorageErrorKind`]) as callers
//! distinguish.

use std::fmt::Display;
use std::io;

/// An error of the row store or the file store.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{cause}")]
pub struct StorageError {
    pub kind: StorageErrorKind,
    cause: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageErrorKind {
    /// No storage room is left.
    Full,
    /// Rows or files cannot be used now: they are locked, or the disk fails or is read-only. A retry may succeed.
    Unavailable,
    /// The requested object no longer exists.
    Missing,
    /// The stored data is invalid, or the request is impossible. A retry cannot succeed.
    Broken,
}

impl StorageError {
    /// Creates an error of kind `trouble` with the message `cause`.
    pub fn new(trouble: StorageErrorKind, cause: impl Display) -> Self {
        Self { kind: trouble, cause: cause.to_string() }
    }
}

impl From<io::Error> for StorageError {
    fn from(error: io::Error) -> Self {
        Self::new(StorageErrorKind::from_io_kind(error.kind()), error)
    }
}

impl From<StorageError> for io::Error {
    /// Converts a storage error to an I/O error with the same meaning.
    fn from(error: StorageError) -> Self {
        let kind = match error.kind {
            StorageErrorKind::Full => io::ErrorKind::StorageFull,
            StorageErrorKind::Unavailable => io::ErrorKind::Other,
            StorageErrorKind::Missing => io::ErrorKind::NotFound,
            StorageErrorKind::Broken => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}

impl StorageErrorKind {
    /// Converts the kind of an I/O error. A missing file is `Unavailable`: it was removed during its use, because only
    /// files with a row are opened.
    pub fn from_io_kind(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Self::Full,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::OutOfMemory => Self::Broken,
            _ => Self::Unavailable,
        }
    }
}
