//! Cache: what was used last, up to so many bytes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values by key, the one used last at the end. A search looks at all of them: few large values are meant.
#[derive(Debug)]
pub struct Cache<K, V> {
    entries: Mutex<Vec<Entry<K, V>>>,
    capacity: u64,
}

#[derive(Debug)]
struct Entry<K, V> {
    key: K,
    value: Arc<V>,
    bytes: u64,
}

impl<K: PartialEq, V> Cache<K, V> {
    /// An empty cache for values of `capacity` bytes together.
    pub fn new(capacity: u64) -> Self {
        Self { entries: Mutex::default(), capacity }
    }

    /// The value, if it is there.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut entries = self.lock();
        let at = entries.iter().position(|entry| entry.key == *key)?;
        entries[at..].rotate_left(1);
        entries.last().map(|entry| entry.value.clone())
    }

    /// Keeps a value of `bytes` bytes and lets go what was not used for the longest time. A value larger than the whole cache
    /// is not kept.
    pub fn put(&self, key: K, value: Arc<V>, bytes: u64) {
        let mut entries = self.lock();
        entries.retain(|entry| entry.key != key);
        if bytes > self.capacity {
            return;
        }
        let mut held = bytes + entries.iter().map(|entry| entry.bytes).sum::<u64>();
        while held > self.capacity && !entries.is_empty() {
            held -= entries.remove(0).bytes;
        }
        entries.push(Entry { key, value, bytes });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry<K, V>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_goes_first() {
        let cache = Cache::new(10);
        let value = || Arc::new(());
        cache.put('a', value(), 4);
        cache.put('b', value(), 4);
        assert!(cache.get(&'a').is_some());
        cache.put('c', value(), 4);
        assert_eq!(['a', 'b', 'c'].map(|key| cache.get(&key).is_some()), [true, false, true]);
        cache.put('d', value(), 11);
        assert_eq!(['a', 'c', 'd'].map(|key| cache.get(&key).is_some()), [true, true, false]);
    }
}
