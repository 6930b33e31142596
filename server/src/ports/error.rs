//! What goes wrong with rows and files, as far as a caller acts differently.

use std::fmt::Display;
use std::io;

/// Rows or files did not do what they were asked.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct Error {
    /// What it means for whoever asked.
    pub trouble: Trouble,
    cause: String,
}

/// What it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// There is no room left.
    Full,
    /// They cannot be used now: somebody else has locked them, the disk fails or may not be written. Another time may do.
    Unavailable,
    /// What was asked for is not there any more.
    Missing,
    /// What is there cannot be understood, or this program asks for the impossible: another time will not do.
    Broken,
}

impl Error {
    /// An error of this kind and its cause, for the log.
    pub fn new(trouble: Trouble, cause: impl Display) -> Self {
        Self { trouble, cause: cause.to_string() }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::new(Trouble::of(error.kind()), error)
    }
}

impl From<Error> for io::Error {
    /// One that means the same.
    fn from(error: Error) -> Self {
        let kind = match error.trouble {
            Trouble::Full => io::ErrorKind::StorageFull,
            Trouble::Unavailable => io::ErrorKind::Other,
            Trouble::Missing => io::ErrorKind::NotFound,
            Trouble::Broken => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}

impl Trouble {
    /// What an error of the disk means. What is not there was removed under somebody: nobody asks for a file without a row.
    pub fn of(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Self::Full,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::OutOfMemory => Self::Broken,
            _ => Self::Unavailable,
        }
    }
}
