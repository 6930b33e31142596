//! Copies: an index of the local copies with their last reads, which decides which copies are evicted (`CopyIndex`). It
//! does no input or output: the caller passes the time and removes the files.
//!
//! Every copy has a new name, so that removing the file of a copy never removes a younger copy of the same content.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::storage::ports::files::{ContentHash, HashPrefix};

/// A copy of a content in the cache folder: the number that is its file name, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalCopy {
    pub(super) name: u64,
    pub(super) bytes: u64,
}

/// The index of all copies in the cache folder.
#[derive(Debug)]
pub(super) struct CopyIndex {
    capacity: u64,
    /// Size of all copies in bytes, including those that are being written.
    total_bytes: u64,
    /// Size of the copies that are being written, in bytes.
    reserved: u64,
    /// Last number that was given to a copy as its name, or to a read as its number.
    given: u64,
    entries: HashMap<ContentHash, CopyEntry>,
    /// Copied contents by the number of their last read, the oldest read first.
    by_reading: BTreeMap<u64, ContentHash>,
}

#[derive(Debug)]
struct CopyEntry {
    copied: LocalCopy,
    /// Number of the last read of the copy.
    reading: u64,
    read_at: Duration,
}

impl CopyIndex {
    /// Creates an empty index with room for `capacity` bytes.
    pub(super) fn new(capacity: u64) -> Self {
        Self { capacity, total_bytes: 0, reserved: 0, given: 0, entries: HashMap::new(), by_reading: BTreeMap::new() }
    }

    /// Returns the size of the complete copies in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.total_bytes - self.reserved
    }

    /// Returns the copy of the content `key`, and records a read at the time `now`. Returns `None` if there is no copy.
    pub(super) fn read(&mut self, key: &ContentHash, now: Duration) -> Option<LocalCopy> {
        let reading = self.number();
        let entry = self.entries.get_mut(key)?;
        self.by_reading.remove(&entry.reading);
        self.by_reading.insert(reading, *key);
        (entry.reading, entry.read_at) = (reading, now);
        Some(entry.copied)
    }

    /// Reserves room for a copy of `bytes` bytes. Returns the name for the new copy, and the names of the copies that
    /// were evicted for it, which were not read for longest. Returns `None` if copies that are being written take the
    /// room.
    pub(super) fn reserve(&mut self, bytes: u64) -> Option<(u64, Vec<u64>)> {
        if self.reserved.saturating_add(bytes) > self.capacity {
            return None;
        }
        let mut gone = Vec::new();
        while self.total_bytes + bytes > self.capacity {
            gone.extend(self.remove_first());
        }
        self.total_bytes += bytes;
        self.reserved += bytes;
        Some((self.number(), gone))
    }

    /// Releases the room of `bytes` bytes that was reserved for a copy, because the copy was not written.
    pub(super) fn release(&mut self, bytes: u64) {
        self.total_bytes -= bytes;
        self.reserved -= bytes;
    }

    /// Inserts the written copy `copied` of the content `key`, whose room was reserved, and records a read at the time
    /// `now`. Returns the name of the previous copy of the same content, if there was one.
    pub(super) fn insert(&mut self, key: &ContentHash, copied: LocalCopy, now: Duration) -> Option<u64> {
        let other = self.remove(key, None);
        self.reserved -= copied.bytes;
        let reading = self.number();
        self.entries.insert(*key, CopyEntry { copied, reading, read_at: now });
        self.by_reading.insert(reading, *key);
        other
    }

    /// Removes the copy of the content `key` from the index. If `only` is given, removes only this copy, and no newer
    /// copy of the content. Returns the name of the removed copy, or `None` if no copy was removed.
    pub(super) fn remove(&mut self, key: &ContentHash, only: Option<LocalCopy>) -> Option<u64> {
        let entry = self.entries.get(key).filter(|entry| only.is_none_or(|only| only == entry.copied))?;
        let (reading, LocalCopy { name, bytes }) = (entry.reading, entry.copied);
        self.entries.remove(key);
        self.by_reading.remove(&reading);
        self.total_bytes -= bytes;
        Some(name)
    }

    /// Removes the copies whose last read was at the time `before` or earlier from the index. Returns their names.
    pub(super) fn expired(&mut self, before: Duration) -> Vec<u64> {
        let mut names = Vec::new();
        while self.by_reading.first_key_value().is_some_and(|(_, key)| self.entries.get(key).is_none_or(|entry| entry.read_at <= before)) {
            names.extend(self.remove_first());
        }
        names
    }

    /// Removes all complete copies from the index. Returns their names.
    pub(super) fn clear(&mut self) -> Vec<u64> {
        self.total_bytes = self.reserved;
        self.by_reading.clear();
        self.entries.drain().map(|(_, entry)| entry.copied.name).collect()
    }

    /// Returns the hash prefixes of at most `most` copied contents of at least `bytes` bytes, the last read one first.
    pub(super) fn recently_read(&self, bytes: u64, most: usize) -> Vec<HashPrefix> {
        let long = |key: &&ContentHash| self.entries.get(key).is_some_and(|entry| entry.copied.bytes >= bytes);
        self.by_reading.values().rev().filter(long).take(most).map(ContentHash::prefix).collect()
    }

    /// Returns whether the index has copies of all of `contents`.
    pub(super) fn has_all(&self, contents: &[HashPrefix]) -> bool {
        contents.iter().all(|content| self.entries.keys().any(|key| key.prefix() == *content))
    }

    /// Removes the copy that was not read for longest from the index, and returns its name.
    fn remove_first(&mut self) -> Option<u64> {
        let (_, key) = self.by_reading.first_key_value()?;
        self.remove(&key.clone(), None)
    }

    fn number(&mut self) -> u64 {
        self.given += 1;
        self.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn key(number: u8) -> ContentHash {
        ContentHash::from_content(&[number])
    }

    /// Inserts a copy and returns the names of the evicted ones.
    fn insert(copies: &mut CopyIndex, number: u8, bytes: u64, now: u64) -> Option<Vec<u64>> {
        let (name, gone) = copies.reserve(bytes)?;
        assert_eq!(copies.insert(&key(number), LocalCopy { name, bytes }, at(now)), None);
        Some(gone)
    }

    #[test]
    fn least_recently_read_copies_are_evicted_first() {
        let mut copies = CopyIndex::new(100);
        for number in 0..4 {
            assert_eq!(insert(&mut copies, number, 25, 0), Some(Vec::new()));
        }
        let [first, second, third, _] = [0, 1, 2, 3].map(|number| copies.entries[&key(number)].copied.name);
        assert_eq!(copies.read(&key(0), at(1)).map(|copied| copied.name), Some(first));
        assert_eq!(insert(&mut copies, 4, 30, 2), Some(vec![second, third]), "only as many copies as needed are evicted");
        assert_eq!(copies.bytes(), 80);
        assert_eq!(copies.recently_read(26, 9), [key(4).prefix()]);
        assert_eq!(copies.recently_read(0, 2), [key(4).prefix(), key(0).prefix()]);
        assert!(copies.has_all(&[key(3).prefix(), key(4).prefix()]) && !copies.has_all(&[key(0).prefix(), key(1).prefix()]));
        assert_eq!((copies.read(&key(1), at(3)), copies.clear().len(), copies.bytes()), (None, 3, 0));
        assert!(copies.by_reading.is_empty());
    }

    #[test]
    fn copy_being_written_has_reserved_space_and_is_not_evicted() {
        let mut copies = CopyIndex::new(100);
        let (name, _) = copies.reserve(60).unwrap();
        assert_eq!((copies.bytes(), copies.reserve(41)), (0, None));
        insert(&mut copies, 1, 40, 0).unwrap();
        copies.release(60);
        assert_eq!(copies.bytes(), 40);
        let (other, gone) = copies.reserve(60).unwrap();
        assert!(other != name && gone.is_empty());
        // A new copy of the same content replaces the old one.
        let replaced = copies.insert(&key(1), LocalCopy { name: other, bytes: 60 }, at(0));
        assert!(replaced.is_some() && copies.bytes() == 60);
        assert_eq!(copies.remove(&key(1), Some(LocalCopy { name, bytes: 60 })), None, "another copy is not removed");
        assert_eq!(copies.remove(&key(1), Some(LocalCopy { name: other, bytes: 60 })), Some(other));
        assert_eq!(copies.bytes(), 0);
    }

    #[test]
    fn unread_copies_expire() {
        let mut copies = CopyIndex::new(100);
        insert(&mut copies, 1, 10, 0).unwrap();
        insert(&mut copies, 2, 10, 5).unwrap();
        copies.read(&key(1), at(8));
        assert!(copies.expired(at(4)).is_empty());
        assert_eq!(copies.expired(at(5)).len(), 1, "the copy read at 5 expires");
        assert_eq!((copies.expired(at(7)).len(), copies.bytes()), (0, 10));
        assert_eq!((copies.expired(at(8)).len(), copies.bytes()), (1, 0));
    }
}
