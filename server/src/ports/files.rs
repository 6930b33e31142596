//! Files: contents named by the hash of what is in them, so that the same text is stored once. They are written as a stream and read
//! whole, as a stream, or in ranges.
//!
//! - [`bucket`]: a bucket of an S3 server
//! - [`folder`]: a folder of the machine, brought to disk before anything is answered; short ones share a file
//! - [`disk_cache`]: copies of what lies far away, in a folder of the machine
//! - [`short`]: short ones as rows of PostgreSQL, beside others that keep long ones
//! - `held`: bytes that are counted
//!
//! Every call blocks on the disk or on the network: it belongs on a thread that may.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, Stream};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::id::Id;

pub mod bucket;
#[cfg(test)]
pub(crate) mod conformance;
#[cfg(test)]
pub(crate) mod counted;
pub mod disk_cache;
pub mod folder;
mod held;
pub mod short;

/// Bytes of the file that is written to see whether files can be: a block of the disk.
const PROBE: usize = 4096;

/// A short one begins so. Each is another one: what is here already is not written again.
const SHORT_PROBE: &str = "probe ";

/// BLAKE3 of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hash(blake3::Hash);

/// The beginning of a [hash](struct@Hash): enough to tell the contents of a site apart where nothing but time depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HashPrefix(u64);

/// A file that is being written.
pub type Unfinished = Box<dyn NewFile>;

/// Where contents are kept. A file is whole or not there, and never changes.
pub trait Files: fmt::Debug + Send + Sync + 'static {
    /// Begins a file.
    ///
    /// # Errors
    /// When none can be made.
    fn create(&self) -> io::Result<Unfinished>;

    /// The size of a file in bytes.
    ///
    /// # Errors
    /// `NotFound` when it is not there.
    fn bytes(&self, key: &Hash) -> io::Result<u64>;

    /// `len` bytes of a file from byte `from` on; fewer only where the file ends. Costs memory for these bytes alone.
    ///
    /// # Errors
    /// `NotFound` when it is not there.
    fn range(&self, key: &Hash, from: u64, len: u64) -> io::Result<Vec<u8>>;

    /// A file to be read from its beginning. It can be read to its end, though it be removed meanwhile.
    ///
    /// # Errors
    /// `NotFound` when it is not there.
    fn open(&self, key: &Hash) -> io::Result<Opened>;

    /// Whether the file is there; if so, it is young again: whoever asks has as long as [`remove_old`](Self::remove_old) is patient to
    /// write the row that uses it.
    ///
    /// # Errors
    /// When it cannot be told.
    fn renew(&self, key: &Hash) -> io::Result<bool>;

    /// Removes a file that was written or renewed longer than `grace` ago. Whether it is gone now: it stays where it is younger.
    ///
    /// # Errors
    /// When it cannot be removed.
    fn remove_old(&self, key: &Hash, grace: Duration) -> io::Result<bool>;

    /// All files that [`remove_old`](Self::remove_old) would remove. Looks at every file: for the start of a server.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn old(&self, grace: Duration) -> io::Result<Vec<Hash>>;

    /// How many bytes there are and how many there may be, those that are being written too.
    fn room(&self) -> Room;

    /// Stores `bytes`. They cost nothing where they are stored already.
    ///
    /// # Errors
    /// As [`NewFile::write`].
    fn put(&self, bytes: &[u8]) -> io::Result<Hash> {
        let key = Hash::of(bytes);
        if self.renew(&key)? {
            return Ok(key);
        }
        let mut file = self.create()?;
        file.write(bytes)?;
        file.finish()
    }

    /// Stores contents as [`put`](Self::put) does, for a task that must not block. Short ones are brought to the disk together.
    ///
    /// # Errors
    /// As [`NewFile::write`].
    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<Hash>>> {
        put_each(self, contents)
    }

    /// Writes a file and a short one as jobs have it, wherever either lies, to see whether files can be written. Nothing uses them: the collector takes away in time
    /// what was finished of them.
    ///
    /// # Errors
    /// When one cannot be written.
    fn probe(self: Arc<Self>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(async move {
            let files = self.clone();
            // Not finished, it leaves nothing behind.
            tokio::task::spawn_blocking(move || files.create()?.write(&[0; PROBE])).await.map_err(io::Error::other)??;
            probe_short(self).await
        })
    }

    /// The whole content of a file.
    ///
    /// # Errors
    /// `NotFound` when it is not there.
    fn read(&self, key: &Hash) -> io::Result<Vec<u8>> {
        self.range(key, 0, u64::MAX)
    }
}

/// Stores one after the other, on a thread that may block.
fn put_each(files: Arc<impl Files + ?Sized>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<Hash>>> {
    let put = tokio::task::spawn_blocking(move || contents.iter().map(|content| files.put(content)).collect());
    Box::pin(async move { put.await.map_err(io::Error::other)? })
}

/// Stores a short one that nothing uses.
async fn probe_short(files: Arc<impl Files + ?Sized>) -> io::Result<()> {
    files.put_soon(vec![format!("{SHORT_PROBE}{}", Id::random()).into_bytes()]).await.map(drop)
}

/// A file that is being written. Dropped without [`finish`](Self::finish) it leaves nothing behind.
pub trait NewFile: Send {
    /// Appends bytes.
    ///
    /// # Errors
    /// `StorageFull` when all files together would have more bytes than they may, or when the disk says so.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Gives the file its name. When this returns, it outlives a power cut.
    ///
    /// # Errors
    /// When it cannot be brought to disk.
    fn finish(self: Box<Self>) -> io::Result<Hash>;
}

/// A file that is being read.
pub struct Opened {
    /// Its size.
    pub bytes: u64,
    /// What is in it.
    pub content: Box<dyn Read + Send>,
}

/// How much is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes that are taken.
    pub held: u64,
    /// Bytes that may be.
    pub capacity: u64,
}

impl Opened {
    /// Its content in pieces of at most `piece` bytes, each read when it is asked for. Memory for one piece.
    pub fn into_stream(self, piece: usize) -> impl Stream<Item = io::Result<Vec<u8>>> + Send {
        stream::try_unfold(self.content, move |mut content| async move {
            let read = tokio::task::spawn_blocking(move || {
                let mut bytes = Vec::with_capacity(piece);
                (&mut content).take(piece as u64).read_to_end(&mut bytes).map(|_| (bytes, content))
            });
            let (bytes, content) = read.await.map_err(io::Error::other)??;
            Ok((!bytes.is_empty()).then_some((bytes, content)))
        })
    }
}

impl Hash {
    /// The hash of these bytes. Comparing hashes takes the same time wherever they differ.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }

    /// Its 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The first of its bytes.
    pub fn prefix(&self) -> HashPrefix {
        let [a, b, c, d, e, f, g, h, ..] = *self.as_bytes();
        HashPrefix(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }
}

impl From<blake3::Hash> for Hash {
    fn from(hash: blake3::Hash) -> Self {
        Self(hash)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl FromStr for Hash {
    type Err = blake3::HexError;

    fn from_str(hex: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(hex).map(Self)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl fmt::Display for HashPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for HashPrefix {
    type Err = std::num::ParseIntError;

    fn from_str(hex: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(hex, 16).map(Self)
    }
}

impl Serialize for HashPrefix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HashPrefix {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
