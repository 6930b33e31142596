//! Which parts of the queue a worker looks into, and when, by what it is told of jobs that were added. Pure: it is told what time it is.
//!
//! A worker that has the texts of a job in its cache looks at once, and so does every other where nobody has them. Where one has them it is left the first
//! look: whoever has them not looks [`DELAY`] later. So no job waits longer than that for it, and only where somebody has its texts.

use std::time::{Duration, Instant};

use crate::ports::files::HashPrefix;
use crate::ports::queue::nats::Hint;

/// How long others leave the first look to a worker that has the texts of a job in its cache. It asks within a few milliseconds and has the job in as many
/// again, with room for a machine that is busy. To fetch the mebibyte that this is done for at least takes some ten of them from a bucket, of texts
/// that are worth a folder many times that; and a job that is queued at all takes a hundred.
pub(super) const DELAY: Duration = Duration::from_millis(50);

/// The parts that somebody has said that work was added to, each with the time from which it is looked into.
#[derive(Debug, Default)]
pub(super) struct Hinted(Vec<(u8, Instant)>);

impl Hinted {
    /// Something was said, by a worker that has these texts in its cache or not.
    pub(super) fn hear(&mut self, Hint { shard, cached }: &Hint, has_all: impl FnOnce(&[HashPrefix]) -> bool, now: Instant) {
        let at = if cached.is_empty() || has_all(cached) { now } else { now + DELAY };
        match self.0.iter_mut().find(|(known, _)| known == shard) {
            Some((_, known)) => *known = at.min(*known),
            None => self.0.push((*shard, at)),
        }
    }

    /// When the next part is to be looked into.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.iter().map(|(_, at)| *at).min()
    }

    /// Takes out the part that is to be looked into now: of several, the one that was to be first.
    pub(super) fn take(&mut self, now: Instant) -> Option<u8> {
        let (place, (shard, at)) = self.0.iter().copied().enumerate().min_by_key(|(_, (_, at))| *at)?;
        (at <= now).then(|| {
            self.0.remove(place);
            shard
        })
    }

    /// All parts are looked into.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::files::Hash;

    #[test]
    fn who_has_not_the_texts_that_another_has_looks_a_little_later() {
        let (mut hinted, begin) = (Hinted::default(), Instant::now());
        let (text, at) = (Hash::of(b"kitten").prefix(), |ms| begin + Duration::from_millis(ms));
        let (plain, named) = (|shard| Hint { shard, cached: Vec::new() }, |shard| Hint { shard, cached: vec![text] });
        hinted.hear(&named(3), |cached| cached != [text], at(0));
        assert_eq!((hinted.take(at(49)), hinted.next()), (None, Some(at(50))));
        hinted.hear(&named(4), |cached| cached == [text], at(10));
        hinted.hear(&plain(5), |_| panic!("nobody has them"), at(11));
        assert_eq!([12, 12, 12].map(|ms| hinted.take(at(ms))), [Some(4), Some(5), None]);
        // Another job in the same part, for which nobody waits; and one for which somebody does puts nothing off.
        hinted.hear(&plain(3), |_| false, at(20));
        hinted.hear(&named(3), |_| false, at(21));
        assert_eq!((hinted.take(at(21)), hinted.take(at(99)), hinted.next()), (Some(3), None, None));
        hinted.hear(&named(3), |_| false, at(100));
        assert_eq!(hinted.take(at(150)), Some(3), "and no later");
        hinted.hear(&plain(1), |_| false, at(200));
        hinted.clear();
        assert_eq!(hinted.take(at(300)), None);
    }
}
