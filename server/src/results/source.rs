//! Where the bytes of an indexed file are: on the disk, of which only what is asked for is read, or in memory.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use crate::store::blobs::{Blobs, Hash};

/// Bytes that are read in ranges.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file of the store.
    File {
        /// Where it is.
        blobs: Blobs,
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
            Self::File { blobs, hash } => Ok(blobs.open_file(hash)?.metadata()?.len()),
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
            Self::File { blobs, hash } => {
                let mut file = blobs.open_file(hash)?;
                // Before memory is taken for bytes that are not there.
                if range.end > file.metadata()?.len() {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                let mut bytes = vec![0; len as usize];
                file.seek(SeekFrom::Start(range.start))?;
                file.read_exact(&mut bytes)?;
                Ok(bytes)
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
