//! A hint: what workers are told when a job was added, so that those that have nothing to do look into its part of the queue at once. It is advice:
//! one that is lost costs the time until a worker's next look, which comes within seconds.
//!
//! It says the part and, where a worker has texts of the job in its cache, which texts these are: `7 5891b5b522d5df08 e3b0c44298fc1c14`. Whoever has not all
//! of them leaves that worker the first look. A version that knows the number alone reads nothing of this, and looks everywhere.

use std::fmt;

use super::SHARDS;
use crate::ports::files::HashPrefix;

/// What is told of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The part of the queue that it waits in.
    pub shard: u8,
    /// Of its texts, those that a worker with a free place has in its cache.
    pub cached: Vec<HashPrefix>,
}

impl Hint {
    /// Reads one. None where it names no part; texts that cannot be read are left out with all others, so that nobody waits for what another version says.
    pub fn read(said: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(said).ok()?.split(' ');
        let shard = words.next()?.parse().ok().filter(|shard| *shard < SHARDS)?;
        Some(Self { shard, cached: words.map(str::parse).collect::<Result<_, _>>().unwrap_or_default() })
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shard)?;
        self.cached.iter().try_for_each(|text| write!(f, " {text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::files::Hash;

    #[test]
    fn a_hint_is_read_as_it_was_said_and_so_is_one_of_an_older_version() {
        let cached: Vec<HashPrefix> = [b"kitten", &b"sitting"[..]].map(|text| Hash::of(text).prefix()).to_vec();
        for hint in [
            Hint { shard: 15, cached: cached.clone() },
            Hint { shard: 0, cached: cached[..1].to_vec() },
            Hint { shard: 7, cached: Vec::new() },
        ] {
            assert_eq!(Hint::read(hint.to_string().as_bytes()), Some(hint));
        }
        assert_eq!(Hint { shard: 7, cached: Vec::new() }.to_string(), "7", "as every version reads it");
        let said = Hint { shard: 7, cached }.to_string();
        assert!(said.parse::<u8>().is_err(), "a version that knows the number alone looks everywhere: {said}");
        for (said, of) in [("7", Some(7)), ("16", None), ("", None), ("7x", None), ("{}", None), ("-1", None)] {
            assert_eq!(Hint::read(said.as_bytes()), of.map(|shard| Hint { shard, cached: Vec::new() }), "{said}");
        }
        for later in ["7 in 50 ms", "7 ", "7 5891b5b522d5df08 later"] {
            assert_eq!(Hint::read(later.as_bytes()), Some(Hint { shard: 7, cached: Vec::new() }), "{later}");
        }
        assert_eq!(Hint::read(b"\xff"), None);
    }
}
