//! Caches of bounded size, which evict the least recently used values: [`SyncCache`] for blocking callers, and
//! [`AsyncCache`] for futures.
//!
//! Concurrent callers that need a missing value wait for one computation, so that a large text with many readers is
//! read once.
//!
//! Keys are stored as hashes and values as `Any`. Otherwise, the code compiled for each type of key and value would be
//! a quarter of the server.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use moka::policy::EvictionPolicy;

/// The BLAKE3 hash of a key, under which its value is stored.
type CacheKeyHash = [u8; 32];

/// A cached value of any type.
type CacheValue = Arc<dyn Any + Send + Sync>;

/// A cache whose values are computed on threads that may block.
pub struct SyncCache<K, V> {
    entries: moka::sync::Cache<CacheKeyHash, CacheValue>,
    of: PhantomData<fn(&K) -> V>,
}

/// A cache whose values are computed by futures. If the future of the computing caller is dropped, the next waiting
/// caller computes the value.
pub struct AsyncCache<K, V> {
    entries: moka::future::Cache<CacheKeyHash, CacheValue>,
    of: PhantomData<fn(&K) -> V>,
}

// `derive(Clone)` and `derive(Debug)` would require that `K` and `V` implement these traits too.
impl<K, V> Clone for SyncCache<K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), of: PhantomData }
    }
}

impl<K, V> Clone for AsyncCache<K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), of: PhantomData }
    }
}

impl<K, V> fmt::Debug for SyncCache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncCache").field("values", &self.entries.entry_count()).finish()
    }
}

impl<K, V> fmt::Debug for AsyncCache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncCache").field("values", &self.entries.entry_count()).finish()
    }
}

/// Number of bytes in one unit of weight. Every value weighs at least one unit, which limits the number of values.
const WEIGHT_UNIT_BYTES: u64 = 64 << 10;

impl<K: Hash, V: Send + Sync + 'static> SyncCache<K, V> {
    /// Creates a cache for values of at most `bytes` bytes in total. `size` returns the size of a value in bytes. A
    /// value that is larger than the whole cache is not stored.
    pub fn of_bytes(bytes: u64, size: fn(&V) -> u64) -> Self {
        let cache = moka::sync::Cache::builder().eviction_policy(EvictionPolicy::lru()).max_capacity(bytes / WEIGHT_UNIT_BYTES);
        Self { entries: cache.weigher(move |_, kept| weight(kept, size)).build(), of: PhantomData }
    }

    /// Creates a cache of at most `most` values. Each value expires `kept_for` after it was stored.
    pub fn of_count(most: u64, kept_for: Duration) -> Self {
        Self { entries: moka::sync::Cache::builder().max_capacity(most).time_to_live(kept_for).build(), of: PhantomData }
    }

    /// Returns the cached value of `key`, or `None` if there is none.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        self.entries.get(&name(key)).map(value)
    }

    /// Returns whether the cache has a value of `key`.
    pub fn contains(&self, key: &K) -> bool {
        self.entries.contains_key(&name(key))
    }

    /// Stores `value` as the value of `key`, replacing an older one.
    pub fn insert(&self, key: &K, value: Arc<V>) {
        self.entries.insert(name(key), value);
    }

    /// Removes the value of `key` from the cache, if there is one.
    pub fn forget(&self, key: &K) {
        self.entries.invalidate(&name(key));
    }

    /// Returns the value of `key` from the cache. If it is missing, computes it with `make`, once for all concurrent
    /// callers. Blocks.
    ///
    /// # Errors
    /// Returns the error of `make` to every waiting caller. Errors are not cached.
    pub fn get_or_make<E>(&self, key: &K, make: impl FnOnce() -> Result<Arc<V>, E>) -> Result<Arc<V>, E>
    where
        E: Clone + Send + Sync + 'static,
    {
        let make: Box<dyn FnOnce() -> Result<CacheValue, E> + '_> = Box::new(|| Ok(make()?));
        self.entries.try_get_with(name(key), make).map(value).map_err(Arc::unwrap_or_clone)
    }
}

impl<K: Hash, V: Send + Sync + 'static> AsyncCache<K, V> {
    /// Creates a cache for values of at most `bytes` bytes in total, like [`SyncCache::of_bytes`]. `size` returns the
    /// size of a value in bytes.
    pub fn of_bytes(bytes: u64, size: fn(&V) -> u64) -> Self {
        let cache = moka::future::Cache::builder().eviction_policy(EvictionPolicy::lru()).max_capacity(bytes / WEIGHT_UNIT_BYTES);
        Self { entries: cache.weigher(move |_, kept| weight(kept, size)).build(), of: PhantomData }
    }

    /// Returns the cached value of `key`, or `None` if there is none.
    pub async fn get(&self, key: &K) -> Option<Arc<V>> {
        self.entries.get(&name(key)).await.map(value)
    }

    /// Returns the value of `key` from the cache. If it is missing, computes it with `make`, once for all concurrent
    /// callers.
    ///
    /// # Errors
    /// Returns the error of `make` to every waiting caller. Errors are not cached.
    pub async fn get_or_make<E>(&self, key: &K, make: impl Future<Output = Result<Arc<V>, E>> + Send) -> Result<Arc<V>, E>
    where
        E: Clone + Send + Sync + 'static,
    {
        let make: Pin<Box<dyn Future<Output = Result<CacheValue, E>> + Send + '_>> = Box::pin(async { Ok(make.await? as CacheValue) });
        self.entries.try_get_with(name(key), make).await.map(value).map_err(Arc::unwrap_or_clone)
    }
}

/// Returns the BLAKE3 hash of the bytes that `key` passes to its hasher. The trait [`Hash`] requires that unequal keys
/// pass different bytes, none a prefix of the other.
fn name(key: &impl Hash) -> CacheKeyHash {
    struct Blake3Hasher(blake3::Hasher);
    impl Hasher for Blake3Hasher {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut said = Blake3Hasher(blake3::Hasher::new());
    key.hash(&mut said);
    said.0.finalize().into()
}

fn value<V: Send + Sync + 'static>(kept: CacheValue) -> Arc<V> {
    kept.downcast().expect("a cache keeps values of one type")
}

fn weight<V: 'static>(kept: &CacheValue, size: fn(&V) -> u64) -> u32 {
    units(kept.downcast_ref().map_or(0, size))
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(WEIGHT_UNIT_BYTES).max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_recently_used_entries_are_evicted_first() {
        let cache = SyncCache::of_bytes(10 * WEIGHT_UNIT_BYTES, |units: &u64| units * WEIGHT_UNIT_BYTES);
        let put = |key, units| {
            cache.insert(&key, Arc::new(units));
            cache.entries.run_pending_tasks();
        };
        put('a', 4);
        put('b', 4);
        assert!(cache.get(&'a').is_some());
        cache.entries.run_pending_tasks();
        put('c', 4);
        assert_eq!(['a', 'b', 'c'].map(|key| cache.contains(&key)), [true, false, true]);
        put('d', 11);
        assert_eq!(['a', 'c', 'd'].map(|key| cache.contains(&key)), [true, true, false]);
    }

    #[test]
    fn every_entry_weighs_at_least_one_unit() {
        assert_eq!([0, 1, WEIGHT_UNIT_BYTES, WEIGHT_UNIT_BYTES + 1, u64::MAX].map(units), [1, 1, 1, 2, u32::MAX]);
    }

    #[test]
    fn different_keys_have_different_names() {
        let names = [name(&("ab", "c")), name(&("a", "bc")), name(&("abc", "")), name(&(1_u64, 2_u32)), name(&(2_u64, 1_u32))];
        for (number, one) in names.iter().enumerate() {
            assert!(!names[..number].contains(one));
        }
        assert_eq!(name(&String::from("ab")), name(&String::from("ab")));
    }

    #[test]
    fn concurrent_callers_share_one_computation_and_errors_are_not_cached() {
        let cache = SyncCache::<u64, u64>::of_bytes(10 * WEIGHT_UNIT_BYTES, |_| 0);
        let failed = cache.get_or_make(&1, || Err("nothing"));
        assert!(failed.is_err() && !cache.contains(&1));
        let made = std::sync::atomic::AtomicU64::new(0);
        let barrier = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    let make = || Ok::<_, &str>(Arc::new(7 + made.fetch_add(1, std::sync::atomic::Ordering::Relaxed)));
                    assert_eq!(*cache.get_or_make(&1, make).unwrap(), 7);
                });
            }
        });
    }
}
