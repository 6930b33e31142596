//! Which copies there are, when each was read, and which ones go when another comes. Pure: it is told what time it is, and removes no file itself.
//!
//! A copy has a name that no other one has had, so that whoever removes its file removes no younger copy of the same content.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::ports::files::{Hash, HashPrefix};

/// A copy: its name, and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) name: u64,
    pub(super) bytes: u64,
}

/// All copies.
#[derive(Debug)]
pub(super) struct Copies {
    capacity: u64,
    /// Bytes of all copies, those that are being written too.
    taken: u64,
    /// Of those that are being written.
    reserved: u64,
    /// Names and readings that were given so far.
    given: u64,
    of: HashMap<Hash, Entry>,
    /// The contents in the order in which they were read last.
    by_reading: BTreeMap<u64, Hash>,
}

#[derive(Debug)]
struct Entry {
    copied: Copied,
    /// Which reading of all was its last one, and when that was.
    reading: u64,
    read_at: Duration,
}

impl Copies {
    /// None yet, and room for so many bytes.
    pub(super) fn new(capacity: u64) -> Self {
        Self { capacity, taken: 0, reserved: 0, given: 0, of: HashMap::new(), by_reading: BTreeMap::new() }
    }

    /// Bytes of those that can be read.
    pub(super) fn bytes(&self) -> u64 {
        self.taken - self.reserved
    }

    /// The copy of a content that is read now.
    pub(super) fn read(&mut self, key: &Hash, now: Duration) -> Option<Copied> {
        let reading = self.number();
        let entry = self.of.get_mut(key)?;
        self.by_reading.remove(&entry.reading);
        self.by_reading.insert(reading, *key);
        (entry.reading, entry.read_at) = (reading, now);
        Some(entry.copied)
    }

    /// A name for a copy of so many bytes, for which there is room from now on, and the names of those that have gone for it: the ones that were
    /// not read for longest. None where others that are being written take that room.
    pub(super) fn reserve(&mut self, bytes: u64) -> Option<(u64, Vec<u64>)> {
        if self.reserved.saturating_add(bytes) > self.capacity {
            return None;
        }
        let mut gone = Vec::new();
        while self.taken + bytes > self.capacity {
            gone.extend(self.remove_first());
        }
        self.taken += bytes;
        self.reserved += bytes;
        Some((self.number(), gone))
    }

    /// Gives the room of a copy back that was not written.
    pub(super) fn release(&mut self, bytes: u64) {
        self.taken -= bytes;
        self.reserved -= bytes;
    }

    /// A copy was written for which room was reserved, and its content is read now. The name of another one of it, which it replaces.
    pub(super) fn insert(&mut self, key: &Hash, copied: Copied, now: Duration) -> Option<u64> {
        let other = self.remove(key, None);
        self.reserved -= copied.bytes;
        let reading = self.number();
        self.of.insert(*key, Entry { copied, reading, read_at: now });
        self.by_reading.insert(reading, *key);
        other
    }

    /// Forgets the copy of a content, or that one alone where it is `only`. Its name, if it was there.
    pub(super) fn remove(&mut self, key: &Hash, only: Option<Copied>) -> Option<u64> {
        let entry = self.of.get(key).filter(|entry| only.is_none_or(|only| only == entry.copied))?;
        let (reading, Copied { name, bytes }) = (entry.reading, entry.copied);
        self.of.remove(key);
        self.by_reading.remove(&reading);
        self.taken -= bytes;
        Some(name)
    }

    /// Forgets those that were read at this time or before for the last time. Their names.
    pub(super) fn expired(&mut self, before: Duration) -> Vec<u64> {
        let mut names = Vec::new();
        while self.by_reading.first_key_value().is_some_and(|(_, key)| self.of.get(key).is_none_or(|entry| entry.read_at <= before)) {
            names.extend(self.remove_first());
        }
        names
    }

    /// Forgets all. Their names.
    pub(super) fn clear(&mut self) -> Vec<u64> {
        self.taken = self.reserved;
        self.by_reading.clear();
        self.of.drain().map(|(_, entry)| entry.copied.name).collect()
    }

    /// Those of so many bytes or more that were read last, the last one first, at most `most` of them.
    pub(super) fn lately(&self, bytes: u64, most: usize) -> Vec<HashPrefix> {
        let long = |key: &&Hash| self.of.get(key).is_some_and(|entry| entry.copied.bytes >= bytes);
        self.by_reading.values().rev().filter(long).take(most).map(Hash::prefix).collect()
    }

    /// Whether there are copies of all of these.
    pub(super) fn has_all(&self, contents: &[HashPrefix]) -> bool {
        contents.iter().all(|content| self.of.keys().any(|key| key.prefix() == *content))
    }

    /// Forgets the one that was not read for longest.
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

    fn key(number: u8) -> Hash {
        Hash::of(&[number])
    }

    /// Those that went for it.
    fn insert(copies: &mut Copies, number: u8, bytes: u64, now: u64) -> Option<Vec<u64>> {
        let (name, gone) = copies.reserve(bytes)?;
        assert_eq!(copies.insert(&key(number), Copied { name, bytes }, at(now)), None);
        Some(gone)
    }

    #[test]
    fn what_was_not_read_for_longest_goes_first() {
        let mut copies = Copies::new(100);
        for number in 0..4 {
            assert_eq!(insert(&mut copies, number, 25, 0), Some(Vec::new()));
        }
        let [first, second, third, _] = [0, 1, 2, 3].map(|number| copies.of[&key(number)].copied.name);
        assert_eq!(copies.read(&key(0), at(1)).map(|copied| copied.name), Some(first));
        assert_eq!(insert(&mut copies, 4, 30, 2), Some(vec![second, third]), "as many as it needs");
        assert_eq!(copies.bytes(), 80);
        assert_eq!(copies.lately(26, 9), [key(4).prefix()]);
        assert_eq!(copies.lately(0, 2), [key(4).prefix(), key(0).prefix()]);
        assert!(copies.has_all(&[key(3).prefix(), key(4).prefix()]) && !copies.has_all(&[key(0).prefix(), key(1).prefix()]));
        assert_eq!((copies.read(&key(1), at(3)), copies.clear().len(), copies.bytes()), (None, 3, 0));
        assert!(copies.by_reading.is_empty());
    }

    #[test]
    fn what_is_being_written_has_its_room_and_is_driven_out_by_nobody() {
        let mut copies = Copies::new(100);
        let (name, _) = copies.reserve(60).unwrap();
        assert_eq!((copies.bytes(), copies.reserve(41)), (0, None));
        insert(&mut copies, 1, 40, 0).unwrap();
        copies.release(60);
        assert_eq!(copies.bytes(), 40);
        let (other, gone) = copies.reserve(60).unwrap();
        assert!(other != name && gone.is_empty());
        // Another copy of the same content takes its place.
        let replaced = copies.insert(&key(1), Copied { name: other, bytes: 60 }, at(0));
        assert!(replaced.is_some() && copies.bytes() == 60);
        assert_eq!(copies.remove(&key(1), Some(Copied { name, bytes: 60 })), None, "that is another one");
        assert_eq!(copies.remove(&key(1), Some(Copied { name: other, bytes: 60 })), Some(other));
        assert_eq!(copies.bytes(), 0);
    }

    #[test]
    fn what_nobody_reads_is_over() {
        let mut copies = Copies::new(100);
        insert(&mut copies, 1, 10, 0).unwrap();
        insert(&mut copies, 2, 10, 5).unwrap();
        copies.read(&key(1), at(8));
        assert!(copies.expired(at(4)).is_empty());
        assert_eq!(copies.expired(at(5)).len(), 1, "that was read at 5");
        assert_eq!((copies.expired(at(7)).len(), copies.bytes()), (0, 10));
        assert_eq!((copies.expired(at(8)).len(), copies.bytes()), (1, 0));
    }
}
