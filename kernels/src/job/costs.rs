//! Costs of the single edits, whose least sum is the edit distance.

use serde::{Deserialize, Serialize};

use crate::alignment::AlignmentSummary;
use crate::cbor_struct;
use crate::failure::JobFailure;

/// The cost of each kind of edit in the task `edit-distance`, a whole number from 0 to [`EditCosts::MAX`]. Equal
/// symbols cost nothing. In JSON, a missing cost is 1, and a missing `transpose` means that exchanges are not counted
/// as one edit.
///
/// ```
/// use kernels::job::EditCosts;
///
/// let costs: EditCosts = serde_json::from_str(r#"{"substitute": 2}"#).unwrap();
/// assert_eq!(costs, EditCosts::INDEL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Costs))]
#[serde(default, deny_unknown_fields)]
pub struct EditCosts {
    /// Cost to replace a symbol of `a` by another symbol of `b`.
    pub substitute: u32,
    /// Cost to insert a symbol of `b`.
    pub insert: u32,
    /// Cost to delete a symbol of `a`.
    pub delete: u32,
    /// Cost to exchange two neighbouring symbols. No other edit may change the two symbols (optimal string alignment).
    /// Absent if an exchange is not one edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transpose: Option<u32>,
}

cbor_struct!(EditCosts { substitute, insert, delete, transpose });

impl Default for EditCosts {
    fn default() -> Self {
        Self::LEVENSHTEIN
    }
}

impl EditCosts {
    /// Maximum cost of one edit.
    pub const MAX: u32 = 1_000;

    /// Every substitution, insertion and deletion costs 1 (Levenshtein 1966).
    pub const LEVENSHTEIN: Self = Self { substitute: 1, insert: 1, delete: 1, transpose: None };

    /// A substitution costs as much as a deletion and an insertion.
    pub const INDEL: Self = Self { substitute: 2, ..Self::LEVENSHTEIN };

    /// As Levenshtein, and an exchange of neighbouring symbols costs 1 (Damerau 1964, as optimal string alignment).
    pub const OSA: Self = Self { transpose: Some(1), ..Self::LEVENSHTEIN };

    /// The costs that have a name, with the name in addresses and on the command line.
    pub const PRESETS: [(&'static str, Self); 3] = [("levenshtein", Self::LEVENSHTEIN), ("indel", Self::INDEL), ("osa", Self::OSA)];

    /// Returns whether these are the costs of Levenshtein, which is the default.
    pub fn is_levenshtein(&self) -> bool {
        *self == Self::LEVENSHTEIN
    }

    /// Checks that no cost exceeds [`Self::MAX`].
    ///
    /// # Errors
    /// Returns `BadInput` with the first cost that does.
    pub fn check(&self) -> Result<(), JobFailure> {
        let costs =
            [("substitute", self.substitute), ("insert", self.insert), ("delete", self.delete), ("transpose", self.transpose.unwrap_or(0))];
        match costs.into_iter().find(|(_, cost)| *cost > Self::MAX) {
            None => Ok(()),
            Some((name, cost)) => Err(JobFailure::bad_input(format!("costs.{name} is {cost}; it must be from 0 to {}.", Self::MAX))),
        }
    }

    /// Returns the sum of the costs of all edits that `summary` counts. A transposition without its own cost counts as
    /// two substitutions.
    pub fn sum(&self, summary: &AlignmentSummary) -> u64 {
        let AlignmentSummary { mismatches, insertions, deletions, transpositions, .. } = *summary;
        let transpose = self.transpose.unwrap_or(2 * self.substitute);
        u64::from(self.substitute) * mismatches
            + u64::from(self.insert) * insertions
            + u64::from(self.delete) * deletions
            + u64::from(transpose) * transpositions
    }

    /// Returns the largest distance of two texts of `m` and `n` symbols, which is that of texts without a common symbol.
    pub fn most_of_lengths(&self, m: usize, n: usize) -> u64 {
        let [m, n] = [m as u64, n as u64];
        let (shorter, delete, insert) = (m.min(n), u64::from(self.delete), u64::from(self.insert));
        let pair = u64::from(self.substitute).min(delete + insert);
        shorter * pair + (m - shorter) * delete + (n - shorter) * insert
    }

    /// Returns whether some edit costs nothing, so that different texts can have distance 0.
    pub fn has_free_edit(&self) -> bool {
        self.substitute.min(self.insert).min(self.delete) == 0 || self.transpose == Some(0)
    }

    /// Returns the costs of the same edits seen from `b`, so that insertions and deletions are exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { insert: self.delete, delete: self.insert, ..self }
    }

    /// Returns the cost of an exchange of two neighbouring symbols if it is less than that of all other ways to edit
    /// them. Otherwise an optimal alignment without exchanges exists.
    pub fn useful_transpose(&self) -> Option<u32> {
        self.transpose.filter(|cost| *cost < (2 * self.substitute).min(self.insert + self.delete))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_have_a_maximum() {
        let high = |change: fn(&mut EditCosts)| {
            let mut costs = EditCosts::OSA;
            change(&mut costs);
            costs.check().map_err(|failure| failure.to_string())
        };
        assert_eq!(high(|costs| costs.insert = EditCosts::MAX), Ok(()));
        assert_eq!(high(|costs| costs.delete = 1_001), Err("costs.delete is 1001; it must be from 0 to 1000.".into()));
        assert_eq!(high(|costs| costs.transpose = Some(u32::MAX)), Err("costs.transpose is 4294967295; it must be from 0 to 1000.".into()));
    }

    #[test]
    fn unknown_costs_are_errors() {
        assert!(serde_json::from_str::<EditCosts>(r#"{"match": 2}"#).is_err());
        assert_eq!(serde_json::to_string(&EditCosts::LEVENSHTEIN).unwrap(), r#"{"substitute":1,"insert":1,"delete":1}"#);
    }
}
