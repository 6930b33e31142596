//! Source: the bytes of an indexed file, in the file store or in memory, read in ranges ([`ByteSource`]).

use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::storage::ports::files::{ContentHash, FileStore};

/// The bytes of an indexed file, which can be read in ranges: a file of the file store, or bytes in memory.
#[derive(Clone, Debug)]
pub enum ByteSource {
    File {
        files: Arc<dyn FileStore>,
        hash: ContentHash,
    },
    /// The bytes of a file that exists only in memory.
    Memory(Arc<[u8]>),
}

impl ByteSource {
    /// Returns the number of bytes. May block on the disk.
    ///
    /// # Errors
    /// Returns an error if the file does not exist.
    pub fn size(&self) -> io::Result<u64> {
        match self {
            Self::File { files, hash } => files.bytes(hash),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Returns the bytes at the offsets `range`, half-open. May block on the disk.
    ///
    /// # Errors
    /// Returns `UnexpectedEof` if the range is not within the file, or an error if the file does not exist.
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

    /// Returns the number of bytes of memory that this value uses: 0 for a file of the store.
    pub fn memory_bytes(&self) -> u64 {
        if let Self::Memory(bytes) = self { bytes.len() as u64 } else { 0 }
    }
}
