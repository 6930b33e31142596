//! The comparisons that this browser remembers, [`RecentComparisons`]: addresses with a description and a time.
//! Comparisons whose texts are too long for an address are not remembered.

use kernels::cbor::{from_bytes, to_bytes};
use kernels::cbor_struct;

use super::link::base64url;

/// Maximum number of remembered comparisons.
pub const MAX_COMPARISONS: usize = 20;

/// Maximum size of all addresses and descriptions together, in bytes.
pub const MAX_BYTES: usize = 200_000;

/// A comparison that the visitor can open again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentComparison {
    /// Time at which the visitor began to edit this comparison, in milliseconds since 1970. It identifies the editing
    /// period: a later comparison with the same time replaces this one.
    pub stretch: u64,
    /// Time of the last answer to this comparison, in seconds since 1970.
    pub at: u64,
    /// Path and fragment of the address that opens the comparison.
    pub address: String,
    /// Short description: the answer and the names of both texts.
    pub about: String,
}

cbor_struct!(RecentComparison { stretch, at, address, about });

impl RecentComparison {
    fn bytes(&self) -> usize {
        self.address.len() + self.about.len()
    }
}

/// The remembered comparisons, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentComparisons(Vec<RecentComparison>);

impl RecentComparisons {
    /// Parses a list that [`RecentComparisons::write`] wrote. Returns an empty list if it is malformed.
    pub fn read(written: &str) -> Self {
        Self(base64url::decode(written).and_then(|bytes| from_bytes(&bytes)).unwrap_or_default())
    }

    /// Writes the list as CBOR in base64url, for [`RecentComparisons::read`]. CBOR keeps the JSON code out of the first
    /// download.
    pub fn write(&self) -> String {
        base64url::encode(&to_bytes(&self.0))
    }

    /// Returns the comparisons, newest first.
    pub fn comparisons(&self) -> &[RecentComparison] {
        &self.0
    }

    /// Adds a comparison at the front. It replaces comparisons from the same editing period
    /// ([`RecentComparison::stretch`]) or with the same address. The oldest ones are removed if a limit is exceeded.
    pub fn add(&mut self, added: RecentComparison) {
        self.0.retain(|known| known.stretch != added.stretch && known.address != added.address);
        self.0.insert(0, added);
        let mut bytes = 0;
        let fits = |known: &RecentComparison| {
            bytes += known.bytes();
            bytes <= MAX_BYTES
        };
        let kept = self.0.iter().take(MAX_COMPARISONS).map(fits).take_while(|fits| *fits).count();
        self.0.truncate(kept);
    }

    /// Removes the comparison with this `address`.
    pub fn remove(&mut self, address: &str) {
        self.0.retain(|known| known.address != address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stretch: u64, address: &str) -> RecentComparison {
        RecentComparison { stretch, at: stretch, address: address.into(), about: "3 edits: x and y".into() }
    }

    fn addresses(recent: &RecentComparisons) -> Vec<&str> {
        recent.comparisons().iter().map(|known| known.address.as_str()).collect()
    }

    #[test]
    fn consecutive_typing_is_one_comparison_and_addresses_are_unique() {
        let mut recent = RecentComparisons::default();
        for (stretch, address) in [(1, "/#a=k&b=s"), (1, "/#a=ki&b=s"), (2, "/lcs#a=ki&b=s"), (3, "/#a=x&b=y"), (4, "/lcs#a=ki&b=s")] {
            recent.add(of(stretch, address));
        }
        assert_eq!(addresses(&recent), ["/lcs#a=ki&b=s", "/#a=x&b=y", "/#a=ki&b=s"]);
        assert_eq!(RecentComparisons::read(&recent.write()), recent);
        recent.remove("/#a=x&b=y");
        assert_eq!(addresses(&recent), ["/lcs#a=ki&b=s", "/#a=ki&b=s"]);
    }

    #[test]
    fn number_and_size_of_comparisons_are_bounded() {
        let mut recent = RecentComparisons::default();
        (0..100).for_each(|stretch| recent.add(of(stretch, &format!("/#a={stretch}"))));
        assert_eq!((addresses(&recent).len(), addresses(&recent)[0]), (MAX_COMPARISONS, "/#a=99"));
        (0..20).for_each(|stretch| recent.add(of(200 + stretch, &format!("/#a={stretch}{}", "x".repeat(30_000)))));
        assert_eq!(addresses(&recent).len(), 6);
        assert!(recent.write().len() < MAX_BYTES * 4 / 3 + 2_000);
    }

    #[test]
    fn unreadable_storage_is_an_empty_list() {
        for written in ["", "{}", "[1]", "gQ", "_____w"] {
            assert_eq!(RecentComparisons::read(written), RecentComparisons::default(), "{written}");
        }
    }
}
