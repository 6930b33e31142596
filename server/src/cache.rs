//! Caches by size: what was used last, up to so many bytes. Whoever asks for what somebody else is making waits for that one, so that a large text
//! that many look at is read once.
//!
//! All caches of one kind are the same machine code, which names what it keeps by a hash of the key and does not know what it is: compiled for each kind
//! of key and value, it would be a quarter of the server.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use moka::policy::EvictionPolicy;

use crate::error::Problem;

/// BLAKE3 of what a key says.
type Name = [u8; 32];

/// A value.
type Kept = Arc<dyn Any + Send + Sync>;

/// What is made on threads that may block.
pub struct Blocking<K, V> {
    kept: moka::sync::Cache<Name, Kept>,
    of: PhantomData<fn(&K) -> V>,
}

/// What is made by looks, which may be given up: then the next one who waits makes it.
pub struct Looked<K, V> {
    kept: moka::future::Cache<Name, Kept>,
    of: PhantomData<fn(&K) -> V>,
}

// What is derived would ask the same of keys and values.
impl<K, V> Clone for Blocking<K, V> {
    fn clone(&self) -> Self {
        Self { kept: self.kept.clone(), of: PhantomData }
    }
}

impl<K, V> Clone for Looked<K, V> {
    fn clone(&self) -> Self {
        Self { kept: self.kept.clone(), of: PhantomData }
    }
}

impl<K, V> fmt::Debug for Blocking<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocking").field("values", &self.kept.entry_count()).finish()
    }
}

impl<K, V> fmt::Debug for Looked<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Looked").field("values", &self.kept.entry_count()).finish()
    }
}

/// Weights are in units of so many bytes, and every value weighs one at least, so that there are never very many.
const UNIT: u64 = 64 << 10;

impl<K: Hash, V: Send + Sync + 'static> Blocking<K, V> {
    /// A cache for values of `bytes` bytes together, each as large as `size` says. A value larger than all of it is not kept.
    pub fn of_bytes(bytes: u64, size: fn(&V) -> u64) -> Self {
        let cache = moka::sync::Cache::builder().eviction_policy(EvictionPolicy::lru()).max_capacity(bytes / UNIT);
        Self { kept: cache.weigher(move |_, kept| weight(kept, size)).build(), of: PhantomData }
    }

    /// A cache for so many values, each for so long.
    pub fn of_count(most: u64, kept_for: Duration) -> Self {
        Self { kept: moka::sync::Cache::builder().max_capacity(most).time_to_live(kept_for).build(), of: PhantomData }
    }

    /// What is kept.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        self.kept.get(&name(key)).map(value)
    }

    /// Whether something is kept.
    pub fn contains(&self, key: &K) -> bool {
        self.kept.contains_key(&name(key))
    }

    /// Keeps this.
    pub fn insert(&self, key: &K, value: Arc<V>) {
        self.kept.insert(name(key), value);
    }

    /// Keeps nothing of this key any more.
    pub fn forget(&self, key: &K) {
        self.kept.invalidate(&name(key));
    }

    /// What is kept, or else what `make` makes, once for all who ask meanwhile. Blocks on whoever makes it.
    ///
    /// # Errors
    /// Those of `make`, for each who has waited.
    pub fn get_or_make(&self, key: &K, make: impl FnOnce() -> Result<Arc<V>, Problem>) -> Result<Arc<V>, Problem> {
        let make: Box<dyn FnOnce() -> Result<Kept, Problem> + '_> = Box::new(|| Ok(make()?));
        self.kept.try_get_with(name(key), make).map(value).map_err(Arc::unwrap_or_clone)
    }
}

impl<K: Hash, V: Send + Sync + 'static> Looked<K, V> {
    /// As [`Blocking::of_bytes`].
    pub fn of_bytes(bytes: u64, size: fn(&V) -> u64) -> Self {
        let cache = moka::future::Cache::builder().eviction_policy(EvictionPolicy::lru()).max_capacity(bytes / UNIT);
        Self { kept: cache.weigher(move |_, kept| weight(kept, size)).build(), of: PhantomData }
    }

    /// What is kept.
    pub async fn get(&self, key: &K) -> Option<Arc<V>> {
        self.kept.get(&name(key)).await.map(value)
    }

    /// What is kept, or else what `make` makes, once for all who ask meanwhile.
    ///
    /// # Errors
    /// Those of `make`, for each who has waited.
    pub async fn get_or_make(&self, key: &K, make: impl Future<Output = Result<Arc<V>, Problem>> + Send) -> Result<Arc<V>, Problem> {
        let make: Pin<Box<dyn Future<Output = Result<Kept, Problem>> + Send + '_>> = Box::pin(async { Ok(make.await? as Kept) });
        self.kept.try_get_with(name(key), make).await.map(value).map_err(Arc::unwrap_or_clone)
    }
}

/// The name of what this key says. Keys that differ write other bytes, none of which begin with those of another: that is what [`Hash`] asks of them.
fn name(key: &impl Hash) -> Name {
    struct Said(blake3::Hasher);
    impl Hasher for Said {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut said = Said(blake3::Hasher::new());
    key.hash(&mut said);
    said.0.finalize().into()
}

fn value<V: Send + Sync + 'static>(kept: Kept) -> Arc<V> {
    kept.downcast().expect("a cache keeps values of one type")
}

fn weight<V: 'static>(kept: &Kept, size: fn(&V) -> u64) -> u32 {
    units(kept.downcast_ref().map_or(0, size))
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT).max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_goes_first() {
        let cache = Blocking::of_bytes(10 * UNIT, |units: &u64| units * UNIT);
        let put = |key, units| {
            cache.insert(&key, Arc::new(units));
            cache.kept.run_pending_tasks();
        };
        put('a', 4);
        put('b', 4);
        assert!(cache.get(&'a').is_some());
        cache.kept.run_pending_tasks();
        put('c', 4);
        assert_eq!(['a', 'b', 'c'].map(|key| cache.contains(&key)), [true, false, true]);
        put('d', 11);
        assert_eq!(['a', 'c', 'd'].map(|key| cache.contains(&key)), [true, true, false]);
    }

    #[test]
    fn everything_weighs_something() {
        assert_eq!([0, 1, UNIT, UNIT + 1, u64::MAX].map(units), [1, 1, 1, 2, u32::MAX]);
    }

    #[test]
    fn keys_that_say_something_else_have_other_names() {
        let names = [name(&("ab", "c")), name(&("a", "bc")), name(&("abc", "")), name(&(1_u64, 2_u32)), name(&(2_u64, 1_u32))];
        for (number, one) in names.iter().enumerate() {
            assert!(!names[..number].contains(one));
        }
        assert_eq!(name(&String::from("ab")), name(&String::from("ab")));
    }

    #[test]
    fn those_who_ask_meanwhile_wait_for_the_one_who_makes_it_and_a_failure_is_not_kept() {
        let cache = Blocking::<u64, u64>::of_bytes(10 * UNIT, |_| 0);
        let failed = cache.get_or_make(&1, || Err(Problem::not_found("thing")));
        assert!(failed.is_err() && !cache.contains(&1));
        let made = std::sync::atomic::AtomicU64::new(0);
        let barrier = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    let make = || Ok(Arc::new(7 + made.fetch_add(1, std::sync::atomic::Ordering::Relaxed)));
                    assert_eq!(*cache.get_or_make(&1, make).unwrap(), 7);
                });
            }
        });
    }
}
