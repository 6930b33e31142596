//! Names of files: the BLAKE3 hash of the content ([`ContentHash`](struct@ContentHash)), and its first bytes
//! ([`HashPrefix`]).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The BLAKE3 hash of a file's content, which is the name of the file. Hashes are compared in constant time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentHash(blake3::Hash);

/// The first 8 bytes of a [hash](struct@ContentHash), which name a text in messages between processes. Two contents may
/// have the same prefix, so it is used only where a mistake costs no more than time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HashPrefix(u64);

impl ContentHash {
    /// Returns the hash of `bytes`.
    pub fn from_content(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }

    /// Returns the 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Returns the first 8 bytes of the hash.
    pub fn prefix(&self) -> HashPrefix {
        let [a, b, c, d, e, f, g, h, ..] = *self.as_bytes();
        HashPrefix(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }
}

impl From<blake3::Hash> for ContentHash {
    fn from(hash: blake3::Hash) -> Self {
        Self(hash)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl FromStr for ContentHash {
    type Err = blake3::HexError;

    fn from_str(hex: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(hex).map(Self)
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
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
