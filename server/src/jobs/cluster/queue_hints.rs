//! Queue hints: `HintedShards` chooses the shards (parts) of the cluster's queue that a worker polls, and when. A hint
//! is a message about a new job. The code is pure: the time is a parameter.
//!
//! A worker polls immediately if it has a new job's texts in its cache, or if no worker has them. If another worker has
//! them, this worker polls [`HINT_DELAY`] later, so that the worker with the texts gets the job. So no job waits longer
//! than [`HINT_DELAY`] for a worker with cached texts.

use std::time::{Duration, Instant};

use crate::storage::ports::files::HashPrefix;
use crate::storage::ports::queue::nats::JobHint;

/// Delay that gives a worker with a job's texts in its cache the time to take the job first. That worker needs a few
/// milliseconds to request the job and a few more to receive it. Fetching the smallest text for which workers are
/// preferred, of one mebibyte, from a bucket takes about ten milliseconds.
pub(super) const HINT_DELAY: Duration = Duration::from_millis(50);

/// The numbers of the queue shards that have new jobs, each with the time at which this worker polls it.
#[derive(Debug, Default)]
pub(super) struct HintedShards(Vec<(u8, Instant)>);

impl HintedShards {
    /// Adds the hint that a new job is in `shard`, received at the time `now`. `cached` names the job's texts that some
    /// worker has cached, by prefixes of their hashes. `has_all` returns whether this worker has all of them in its
    /// cache.
    pub(super) fn add_hint(&mut self, JobHint { shard, cached }: &JobHint, has_all: impl FnOnce(&[HashPrefix]) -> bool, now: Instant) {
        let at = if cached.is_empty() || has_all(cached) { now } else { now + HINT_DELAY };
        match self.0.iter_mut().find(|(known, _)| known == shard) {
            Some((_, known)) => *known = at.min(*known),
            None => self.0.push((*shard, at)),
        }
    }

    /// Returns the time of the earliest poll, or `None` if there is no hint.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.iter().map(|(_, at)| *at).min()
    }

    /// Removes and returns the shard with the earliest poll, or returns `None` if that poll is not due at `now`.
    pub(super) fn take(&mut self, now: Instant) -> Option<u8> {
        let (place, (shard, at)) = self.0.iter().copied().enumerate().min_by_key(|(_, (_, at))| *at)?;
        (at <= now).then(|| {
            self.0.remove(place);
            shard
        })
    }

    /// Removes all hints, because the worker polls all shards now.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::ports::files::ContentHash;

    #[test]
    fn worker_without_the_cached_texts_polls_a_little_later() {
        let (mut hinted, begin) = (HintedShards::default(), Instant::now());
        let (text, at) = (ContentHash::from_content(b"kitten").prefix(), |ms| begin + Duration::from_millis(ms));
        let (plain, named) = (|shard| JobHint { shard, cached: Vec::new() }, |shard| JobHint { shard, cached: vec![text] });
        hinted.add_hint(&named(3), |cached| cached != [text], at(0));
        assert_eq!((hinted.take(at(49)), hinted.next()), (None, Some(at(50))));
        hinted.add_hint(&named(4), |cached| cached == [text], at(10));
        hinted.add_hint(&plain(5), |_| panic!("no text is cached"), at(11));
        assert_eq!([12, 12, 12].map(|ms| hinted.take(at(ms))), [Some(4), Some(5), None]);
        // A hint without cached texts sets the shard to now, and a later hint with cached texts does not delay it.
        hinted.add_hint(&plain(3), |_| false, at(20));
        hinted.add_hint(&named(3), |_| false, at(21));
        assert_eq!((hinted.take(at(21)), hinted.take(at(99)), hinted.next()), (Some(3), None, None));
        hinted.add_hint(&named(3), |_| false, at(100));
        assert_eq!(hinted.take(at(150)), Some(3), "a later hint does not delay the poll");
        hinted.add_hint(&plain(1), |_| false, at(200));
        hinted.clear();
        assert_eq!(hinted.take(at(300)), None);
    }
}
