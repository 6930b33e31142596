//! Text cache: texts that stay on the GPU between jobs, so that a second search in the same text copies nothing.
//!
//! A text is identified by its length, a hash of samples, and a 128-bit hash of all of it. The full hash is computed
//! only while a new text is copied, or if length and samples match a cached text. Texts are never compared symbol by
//! symbol, so two different texts are confused if their lengths and both hashes are equal. By accident this requires a
//! collision of 128 bits. XXH3 is fast, but not a cryptographic hash, so collisions may be constructible. An attacker
//! would have to construct one without knowing the secret of 1,536 bits. The secret is drawn when the GPU is opened,
//! never leaves the process, and is in no answer.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_secret};

/// Number of bytes of the pieces in which a text is hashed and copied.
pub(crate) const HASH_PIECE_BYTES: usize = 1 << 19;

/// Number of samples of a text that a [`TextSketch`] covers.
const SKETCH_SAMPLES: usize = 64;
/// Number of bytes of each sample of a text.
const SKETCH_SAMPLE_BYTES: usize = 64;

/// Length of the secret that the hash of a text depends on, in bytes.
const SECRET_BYTES: usize = 192;

/// A quick summary of a text: its length, and a hash of samples. Different texts may have equal sketches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextSketch {
    bytes: usize,
    samples: u64,
}

/// A cache of the texts that stay on the GPU between jobs, ordered by their last use, the most recent last.
#[derive(Debug)]
pub(crate) struct TextCache<T> {
    seed: u64,
    secret: [u8; SECRET_BYTES],
    /// Maximum total size of the cached texts, in bytes.
    limit: usize,
    texts: Mutex<Vec<CachedText<T>>>,
}

#[derive(Debug)]
struct CachedText<T> {
    sketch: TextSketch,
    hash: u128,
    text: T,
}

impl<T: Clone> TextCache<T> {
    /// Creates an empty cache that holds at most `limit` bytes. `seed` is the seed of the sample hashes.
    pub(crate) fn new(seed: u64, limit: usize) -> Self {
        let mut secret = [0; SECRET_BYTES];
        for (number, word) in secret.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            *word = RandomState::new().hash_one(number).to_le_bytes();
        }
        Self { seed, secret, limit, texts: Mutex::default() }
    }

    /// Returns the sketch of `text`: its length, and a hash of samples. Takes O(1) time.
    pub(crate) fn sketch_text(&self, text: &[u8]) -> TextSketch {
        let step = (text.len() / SKETCH_SAMPLES).max(1);
        let sample = |hash: u64, at: usize| xxh3_64_with_seed(&text[at..(at + SKETCH_SAMPLE_BYTES).min(text.len())], hash);
        TextSketch { bytes: text.len(), samples: (0..text.len()).step_by(step).fold(self.seed, sample) }
    }

    /// Returns the hash of one piece of a text, of up to [`HASH_PIECE_BYTES`] bytes.
    pub(crate) fn piece(&self, piece: &[u8]) -> u128 {
        xxh3_128_with_secret(piece, &self.secret)
    }

    /// Combines `pieces`, the hashes of a text's pieces in order, to the hash of the text.
    pub(crate) fn whole(&self, pieces: &[u128]) -> u128 {
        let bytes: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_le_bytes()).collect();
        xxh3_128_with_secret(&bytes, &self.secret)
    }

    /// Returns whether a cached text has the sketch `look` (length and hash of samples).
    pub(crate) fn may_hold(&self, look: TextSketch) -> bool {
        self.lock().iter().any(|kept| kept.sketch == look)
    }

    /// Returns the cached text with the sketch `look` (length and hash of samples) and the full hash `hash`, if
    /// present, and marks it as most recently used.
    pub(crate) fn get(&self, look: TextSketch, hash: u128) -> Option<T> {
        let mut kept = self.lock();
        let at = kept.iter().position(|kept| kept.sketch == look && kept.hash == hash)?;
        let found = kept.remove(at);
        let text = found.text.clone();
        kept.push(found);
        Some(text)
    }

    /// Caches `text`, which has the sketch `look` (length and hash of samples) and the full hash `hash`. Evicts the
    /// least recently used texts until the rest fits. Ignores a text that is larger than the limit.
    pub(crate) fn insert(&self, look: TextSketch, hash: u128, text: T) {
        if look.bytes > self.limit {
            return;
        }
        let mut kept = self.lock();
        kept.retain(|kept| kept.sketch != look || kept.hash != hash);
        kept.push(CachedText { sketch: look, hash, text });
        let mut bytes: usize = kept.iter().map(|kept| kept.sketch.bytes).sum();
        let old = kept.iter().take_while(|kept| {
            let too_many = bytes > self.limit;
            bytes -= kept.sketch.bytes;
            too_many
        });
        let old = old.count();
        kept.drain(..old);
    }

    /// Removes all texts from the cache and returns them, because a job needs their memory.
    pub(crate) fn take_all(&self) -> Vec<T> {
        self.lock().drain(..).map(|kept| kept.text).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<CachedText<T>>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    fn hash(text_cache: &TextCache<u32>, text: &[u8]) -> u128 {
        text_cache.whole(&text.chunks(HASH_PIECE_BYTES).map(|piece| text_cache.piece(piece)).collect::<Vec<_>>())
    }

    #[test]
    fn least_recently_used_texts_are_evicted_first() {
        let text_cache = TextCache::new(7, 2500);
        let texts: Vec<Vec<u8>> = (0..3).map(|seed| random(b"ACGT", 1000, seed)).collect();
        let keys: Vec<_> = texts.iter().map(|text| (text_cache.sketch_text(text), hash(&text_cache, text))).collect();
        text_cache.insert(keys[0].0, keys[0].1, 0);
        text_cache.insert(keys[1].0, keys[1].1, 1);
        assert_eq!(text_cache.get(keys[0].0, keys[0].1), Some(0));
        text_cache.insert(keys[2].0, keys[2].1, 2);
        assert_eq!(keys.iter().map(|&(look, hash)| text_cache.get(look, hash)).collect::<Vec<_>>(), [Some(0), None, Some(2)]);
        assert_eq!(text_cache.take_all(), [0, 2]);
        assert!(!text_cache.may_hold(keys[0].0));
    }

    #[test]
    fn each_cache_draws_its_own_secret() {
        let text = random(b"ACGT", 1000, 1);
        let [one, other] = [(), ()].map(|()| TextCache::new(7, 1 << 20));
        assert_eq!(one.sketch_text(&text), other.sketch_text(&text));
        assert_ne!(hash(&one, &text), hash(&other, &text));
    }

    #[test]
    fn text_larger_than_the_cache_evicts_nothing() {
        let text_cache = TextCache::new(7, 100);
        let (small, large) = (random(b"ACGT", 90, 1), random(b"ACGT", 101, 1));
        text_cache.insert(text_cache.sketch_text(&small), hash(&text_cache, &small), 0);
        text_cache.insert(text_cache.sketch_text(&large), hash(&text_cache, &large), 1);
        assert!(text_cache.may_hold(text_cache.sketch_text(&small)) && !text_cache.may_hold(text_cache.sketch_text(&large)));
    }

    /// The hashes differ even if the samples are equal.
    #[test]
    fn texts_that_differ_in_one_symbol_have_different_hashes() {
        let text_cache = TextCache::new(7, 1 << 30);
        let text = random(b"ACGT", 3 * HASH_PIECE_BYTES + 17, 1);
        text_cache.insert(text_cache.sketch_text(&text), hash(&text_cache, &text), 0);
        for at in [0, HASH_PIECE_BYTES - 1, HASH_PIECE_BYTES, text.len() - 1] {
            let mut other = text.clone();
            other[at] = b'-';
            assert_eq!(text_cache.get(text_cache.sketch_text(&other), hash(&text_cache, &other)), None, "{at}");
        }
        assert_eq!(text_cache.get(text_cache.sketch_text(&text), hash(&text_cache, &text)), Some(0));
    }
}
