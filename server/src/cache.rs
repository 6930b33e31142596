//! Caches by size: what was used last, up to so many bytes. Whoever asks for what somebody else is making waits for that one
//! (`try_get_with`), so that a large text that many look at is read once.

use std::hash::Hash;
use std::sync::Arc;

use moka::policy::EvictionPolicy;

/// What is made on threads that may block.
pub type Blocking<K, V> = moka::sync::Cache<K, Arc<V>>;

/// What is made by looks, which may be given up: then the next one who waits makes it.
pub type Looked<K, V> = moka::future::Cache<K, Arc<V>>;

/// Weights are in units of so many bytes, and every value weighs one at least, so that there are never very many.
const UNIT: u64 = 64 << 10;

/// A cache for values of `bytes` bytes together, each as large as `size` says. A value larger than all of it is not kept.
pub fn blocking<K: Hash + Eq + Send + Sync + 'static, V: Send + Sync + 'static>(bytes: u64, size: fn(&V) -> u64) -> Blocking<K, V> {
    let weigh = move |_: &K, value: &Arc<V>| weight(size(value));
    Blocking::builder().eviction_policy(EvictionPolicy::lru()).max_capacity(bytes / UNIT).weigher(weigh).build()
}

/// As [`blocking`], of what looks make.
pub fn looked<K: Hash + Eq + Send + Sync + 'static, V: Send + Sync + 'static>(bytes: u64, size: fn(&V) -> u64) -> Looked<K, V> {
    let weigh = move |_: &K, value: &Arc<V>| weight(size(value));
    Looked::builder().eviction_policy(EvictionPolicy::lru()).max_capacity(bytes / UNIT).weigher(weigh).build()
}

fn weight(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT).max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_goes_first() {
        let cache = blocking(10 * UNIT, |units: &u64| units * UNIT);
        let put = |key, units| {
            cache.insert(key, Arc::new(units));
            cache.run_pending_tasks();
        };
        put('a', 4);
        put('b', 4);
        assert!(cache.get(&'a').is_some());
        cache.run_pending_tasks();
        put('c', 4);
        assert_eq!(['a', 'b', 'c'].map(|key| cache.contains_key(&key)), [true, false, true]);
        put('d', 11);
        assert_eq!(['a', 'c', 'd'].map(|key| cache.contains_key(&key)), [true, true, false]);
    }

    #[test]
    fn everything_weighs_something() {
        assert_eq!([0, 1, UNIT, UNIT + 1, u64::MAX].map(weight), [1, 1, 1, 2, u32::MAX]);
    }
}
