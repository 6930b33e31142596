//! Hint: the announcement of a new job ([`JobHint`]), so that idle workers poll its shard immediately. It is advice: if
//! it is lost, workers find the job within seconds by polling.
//!
//! A hint has the number of the shard, and the texts of the job that some worker has in its cache, for example `7
//! 5891b5b522d5df08 e3b0c44298fc1c14`. Workers without all of these texts leave the job to that worker first. A version
//! that expects the number alone cannot parse the hint and polls all shards.

use std::fmt;

use super::SHARDS;
use crate::storage::ports::files::HashPrefix;

/// The announcement of a new job to the workers with its engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobHint {
    /// Number of the shard (part of the queue) in which the job waits.
    pub shard: u8,
    /// Hash prefixes of the job's texts that some worker with a free slot has in its cache.
    pub cached: Vec<HashPrefix>,
}

impl JobHint {
    /// Parses a hint. Returns `None` if it has no valid shard. If one of the texts cannot be parsed, drops all texts,
    /// so that no worker waits because of another version's format.
    pub fn read(said: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(said).ok()?.split(' ');
        let shard = words.next()?.parse().ok().filter(|shard| *shard < SHARDS)?;
        Some(Self { shard, cached: words.map(str::parse).collect::<Result<_, _>>().unwrap_or_default() })
    }
}

impl fmt::Display for JobHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shard)?;
        self.cached.iter().try_for_each(|text| write!(f, " {text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::ports::files::ContentHash;

    #[test]
    fn hint_is_decoded_as_encoded_also_from_an_older_version() {
        let cached: Vec<HashPrefix> = [b"kitten", &b"sitting"[..]].map(|text| ContentHash::from_content(text).prefix()).to_vec();
        for hint in [
            JobHint { shard: 15, cached: cached.clone() },
            JobHint { shard: 0, cached: cached[..1].to_vec() },
            JobHint { shard: 7, cached: Vec::new() },
        ] {
            assert_eq!(JobHint::read(hint.to_string().as_bytes()), Some(hint));
        }
        assert_eq!(JobHint { shard: 7, cached: Vec::new() }.to_string(), "7", "every version can read the hint");
        let said = JobHint { shard: 7, cached }.to_string();
        assert!(said.parse::<u8>().is_err(), "an older version would take the hint for a shard: {said}");
        for (said, of) in [("7", Some(7)), ("16", None), ("", None), ("7x", None), ("{}", None), ("-1", None)] {
            assert_eq!(JobHint::read(said.as_bytes()), of.map(|shard| JobHint { shard, cached: Vec::new() }), "{said}");
        }
        for later in ["7 in 50 ms", "7 ", "7 5891b5b522d5df08 later"] {
            assert_eq!(JobHint::read(later.as_bytes()), Some(JobHint { shard: 7, cached: Vec::new() }), "{later}");
        }
        assert_eq!(JobHint::read(b"\xff"), None);
    }
}
