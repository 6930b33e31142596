//! Where the bytes of an indexed file are: on the disk, of which only what is asked for is read, or in memory.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::ports::files::{Files, Hash};

/// Bytes that are read in ranges.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file of the store.
    File {
        /// Where it is.
        files: Arc<dyn Files>,
        /// Its name.
        hash: Hash,
    },
    /// Bytes at hand.
    Memory(Arc<[u8]>),
}

impl Source {
    /// How many bytes there are. May block on the disk.
    ///
    /// # Errors
    /// When the file is not there.
    pub fn size(&self) -> io::Result<u64> {
        match self {
            Self::File { files, hash } => files.bytes(hash),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// These bytes. May block on the disk.
    ///
    /// # Errors
    /// `UnexpectedEof` when there are not so many; when the file is not there.
    pub fn range(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let len = range.end.checked_sub(range.start).ok_or(io::ErrorKind::UnexpectedEof)?;
        match self {
            Self::File { files, hash } => {
                let bytes = files.range(hash, range.start, len)?;
                if bytes.len() as u64 == len { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
            }
            Self::Memory(bytes) => {
                let part = bytes.get(range.start as usize..range.end as usize).ok_or(io::ErrorKind::UnexpectedEof)?;
                Ok(part.to_vec())
            }
        }
    }

    /// Memory that it takes, in bytes.
    pub fn held(&self) -> u64 {
        if let Self::Memory(bytes) = self { bytes.len() as u64 } else { 0 }
    }
}
