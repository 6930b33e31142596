//! Text cache: texts that stay on the device between jobs, so that a second search in the same text copies nothing.
//!
//! A text is known by its content: its length, a hash of samples of it, and a [`ContentHash`] of all of it, which is only computed
//! for a text that is new, while it is copied, or that looks like one that is kept. Texts are never compared symbol by symbol, so
//! two that differ are taken for each other when all their hashes agree. By accident that takes 192 bits. XXH3 is no
//! cryptographic hash: who knew its seed could make two such texts. SipHash is made against that: who does not know its key, which is
//! drawn when the device is opened, never leaves the process, and is in no answer, does no better than to guess, once in 2^64 a text.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};

/// Bytes that are hashed at a time, by one thread or another.
pub(crate) const PIECE: usize = 1 << 19;

/// Samples of a text, and bytes of each.
const SAMPLES: usize = 64;
const SAMPLE: usize = 64;

/// What a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    bytes: usize,
    samples: u64,
}

/// What a text or a piece of one is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentHash {
    /// XXH3 with a seed.
    mixed: u128,
    /// SipHash with a secret key.
    keyed: u64,
}

/// What is kept, the most recently used last.
#[derive(Debug)]
pub(crate) struct TextCache<T> {
    seed: u64,
    keys: RandomState,
    /// Most bytes that are kept.
    limit: usize,
    kept: Mutex<Vec<Kept<T>>>,
}

#[derive(Debug)]
struct Kept<T> {
    look: Look,
    hash: ContentHash,
    text: T,
}

impl<T: Clone> TextCache<T> {
    /// Nothing yet.
    pub(crate) fn new(seed: u64, limit: usize) -> Self {
        Self { seed, keys: RandomState::new(), limit, kept: Mutex::default() }
    }

    /// What a text looks like. Time O(1).
    pub(crate) fn look(&self, text: &[u8]) -> Look {
        let step = (text.len() / SAMPLES).max(1);
        let sample = |hash: u64, at: usize| xxh3_64_with_seed(&text[at..(at + SAMPLE).min(text.len())], hash);
        Look { bytes: text.len(), samples: (0..text.len()).step_by(step).fold(self.seed, sample) }
    }

    /// Hash of one piece of a text.
    pub(crate) fn piece(&self, piece: &[u8]) -> ContentHash {
        ContentHash { mixed: xxh3_128_with_seed(piece, self.seed), keyed: self.keys.hash_one(piece) }
    }

    /// Hash of a text by those of its pieces.
    pub(crate) fn whole(&self, pieces: &[ContentHash]) -> ContentHash {
        let mixed: Vec<u8> = pieces.iter().flat_map(|piece| piece.mixed.to_le_bytes()).collect();
        let keyed: Vec<u64> = pieces.iter().map(|piece| piece.keyed).collect();
        ContentHash { mixed: xxh3_128_with_seed(&mixed, !self.seed), keyed: self.keys.hash_one(keyed) }
    }

    /// Whether a text may be kept that looks like this.
    pub(crate) fn may_hold(&self, look: Look) -> bool {
        self.lock().iter().any(|kept| kept.look == look)
    }

    /// The text, if it is kept.
    pub(crate) fn get(&self, look: Look, hash: ContentHash) -> Option<T> {
        let mut kept = self.lock();
        let at = kept.iter().position(|kept| kept.look == look && kept.hash == hash)?;
        let found = kept.remove(at);
        let text = found.text.clone();
        kept.push(found);
        Some(text)
    }

    /// Keeps a text, and lets go of the ones that were not used for longest until it fits. One that never fits is not kept.
    pub(crate) fn keep(&self, look: Look, hash: ContentHash, text: T) {
        if look.bytes > self.limit {
            return;
        }
        let mut kept = self.lock();
        kept.retain(|kept| kept.look != look || kept.hash != hash);
        kept.push(Kept { look, hash, text });
        let mut bytes: usize = kept.iter().map(|kept| kept.look.bytes).sum();
        let old = kept.iter().take_while(|kept| {
            let too_many = bytes > self.limit;
            bytes -= kept.look.bytes;
            too_many
        });
        let old = old.count();
        kept.drain(..old);
    }

    /// Takes all of them out: whoever needs the memory comes first.
    pub(crate) fn take_all(&self) -> Vec<T> {
        self.lock().drain(..).map(|kept| kept.text).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept<T>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    fn hash(text_cache: &TextCache<u32>, text: &[u8]) -> ContentHash {
        text_cache.whole(&text.chunks(PIECE).map(|piece| text_cache.piece(piece)).collect::<Vec<_>>())
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let text_cache = TextCache::new(7, 2500);
        let texts: Vec<Vec<u8>> = (0..3).map(|seed| random(b"ACGT", 1000, seed)).collect();
        let keys: Vec<_> = texts.iter().map(|text| (text_cache.look(text), hash(&text_cache, text))).collect();
        text_cache.keep(keys[0].0, keys[0].1, 0);
        text_cache.keep(keys[1].0, keys[1].1, 1);
        assert_eq!(text_cache.get(keys[0].0, keys[0].1), Some(0));
        text_cache.keep(keys[2].0, keys[2].1, 2);
        assert_eq!(keys.iter().map(|&(look, hash)| text_cache.get(look, hash)).collect::<Vec<_>>(), [Some(0), None, Some(2)]);
        assert_eq!(text_cache.take_all(), [0, 2]);
        assert!(!text_cache.may_hold(keys[0].0));
    }

    /// Either hash alone keeps texts apart that the other one takes for equal.
    #[test]
    fn both_hashes_must_agree() {
        let text_cache = TextCache::new(7, 1 << 20);
        let text = random(b"ACGT", 1000, 1);
        let (look, hash) = (text_cache.look(&text), hash(&text_cache, &text));
        text_cache.keep(look, hash, 0);
        for other in [ContentHash { mixed: !hash.mixed, ..hash }, ContentHash { keyed: !hash.keyed, ..hash }] {
            assert_eq!(text_cache.get(look, other), None);
        }
        assert_ne!(hash, super::tests::hash(&TextCache::new(7, 1 << 20), &text), "keys are drawn anew");
    }

    #[test]
    fn a_text_that_never_fits_drives_nobody_out() {
        let text_cache = TextCache::new(7, 100);
        let (small, large) = (random(b"ACGT", 90, 1), random(b"ACGT", 101, 1));
        text_cache.keep(text_cache.look(&small), hash(&text_cache, &small), 0);
        text_cache.keep(text_cache.look(&large), hash(&text_cache, &large), 1);
        assert!(text_cache.may_hold(text_cache.look(&small)) && !text_cache.may_hold(text_cache.look(&large)));
    }

    /// Also where the samples are the same.
    #[test]
    fn one_symbol_makes_another_text() {
        let text_cache = TextCache::new(7, 1 << 30);
        let text = random(b"ACGT", 3 * PIECE + 17, 1);
        text_cache.keep(text_cache.look(&text), hash(&text_cache, &text), 0);
        for at in [0, PIECE - 1, PIECE, text.len() - 1] {
            let mut other = text.clone();
            other[at] = b'-';
            assert_eq!(text_cache.get(text_cache.look(&other), hash(&text_cache, &other)), None, "{at}");
        }
        assert_eq!(text_cache.get(text_cache.look(&text), hash(&text_cache, &text)), Some(0));
    }
}
