//! Search for the differences of an alignment that have an edit of chosen kinds. A difference is a run of columns that
//! are not equal. [`EditKinds`] is the set of chosen kinds, and [`find_difference`] searches. The buttons "next" and
//! "previous" of the page visit only the differences found by this search.

use std::fmt;
use std::str::FromStr;

use kernels::alignment::{Alignment, EditKind};
use kernels::cbor::Cbor;
use kernels::{cbor_enum, cbor_struct};
use serde::{Deserialize, Serialize};

/// A set of edit kinds other than `Equal`. Encoded as the letters of its members, for example `XID`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct EditKinds(u8);

/// Error for letters that do not name an edit kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kinds are written as the letters X, I and D")]
pub struct EditKindsError;

const MEMBERS: [EditKind; 3] = [EditKind::Substitute, EditKind::Insert, EditKind::Delete];

fn bit(edit: EditKind) -> u8 {
    match edit {
        EditKind::Equal => 0,
        EditKind::Substitute | EditKind::Transpose => 1,
        EditKind::Insert => 2,
        EditKind::Delete => 4,
    }
}

impl EditKinds {
    /// The set of all edit kinds except `Equal`.
    pub const ALL: Self = Self(7);

    /// Returns whether `edit` is a member. `Equal` is never a member. Transpositions belong to the substitutions.
    pub fn has(self, edit: EditKind) -> bool {
        self.0 & bit(edit) != 0
    }

    /// Returns this set with `edit` added, or without `edit` if it is a member.
    #[must_use]
    pub fn toggled(self, edit: EditKind) -> Self {
        Self(self.0 ^ bit(edit))
    }
}

impl Cbor for EditKinds {
    fn write(&self, out: &mut Vec<u8>) {
        u64::from(self.0).write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        u8::try_from(u64::read(from)?).ok().map(Self).filter(|kinds| kinds.0 <= Self::ALL.0)
    }
}

impl Default for EditKinds {
    fn default() -> Self {
        Self::ALL
    }
}

impl fmt::Display for EditKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MEMBERS.into_iter().filter(|edit| self.has(*edit)).try_for_each(|edit| write!(f, "{}", edit.letter()))
    }
}

impl FromStr for EditKinds {
    type Err = EditKindsError;

    fn from_str(letters: &str) -> Result<Self, EditKindsError> {
        letters.chars().try_fold(Self(0), |kinds, letter| {
            let edit = MEMBERS.into_iter().find(|edit| edit.letter() == letter).ok_or(EditKindsError)?;
            Ok(Self(kinds.0 | bit(edit)))
        })
    }
}

impl TryFrom<String> for EditKinds {
    type Error = EditKindsError;

    fn try_from(letters: String) -> Result<Self, EditKindsError> {
        letters.parse()
    }
}

impl From<EditKinds> for String {
    fn from(kinds: EditKinds) -> Self {
        kinds.to_string()
    }
}

/// A difference (a run of columns of an alignment that are not equal): its first column, and its number among the
/// differences that have an edit of the requested kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Difference))]
pub struct DifferencePosition {
    /// Number of the difference among those with an edit of the requested kinds, from 0.
    pub number: u64,
    /// First column of the difference.
    pub column: u64,
    /// Number of differences with an edit of the requested kinds.
    pub of: u64,
}

cbor_struct!(DifferencePosition { number, column, of });

/// A query for one of the differences that [`find_difference`] considers, by number or by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceQuery {
    /// The difference with this number, counted from 0.
    Number(u64),
    /// The last difference that begins at or before this column of the alignment. If there is none, the first
    /// difference.
    At(u64),
}

cbor_enum!(DifferenceQuery { 0 Number(number), 1 At(column) });

/// Finds a difference, that is, a run of columns that are not equal, in `alignment`. Only differences with an edit of
/// `kinds` are considered and numbered; `which` selects one of them, by its number or by a column.
///
/// Returns `None` if no difference is considered, or if there is no such number. For an alignment of s runs of equal
/// edits, takes O(log s + 256) time if `kinds` has all kinds and `which` is a number, otherwise O(s).
pub fn find_difference(alignment: &Alignment, kinds: EditKinds, which: DifferenceQuery) -> Option<DifferencePosition> {
    if let (EditKinds::ALL, DifferenceQuery::Number(number)) = (kinds, which) {
        return alignment.difference(number).map(|column| DifferencePosition { number, column, of: alignment.summary().differences });
    }
    let mut found: Option<DifferencePosition> = None;
    let mut of = 0;
    let mut visit = |column: u64| {
        let wanted = match which {
            DifferenceQuery::Number(number) => of == number,
            DifferenceQuery::At(at) => column <= at || found.is_none(),
        };
        if wanted {
            found = Some(DifferencePosition { number: of, column, of: 0 });
        }
        of += 1;
    };
    let (mut column, mut begins, mut counts) = (0u64, 0u64, false);
    for stretch in alignment.cigar_ops() {
        if stretch.edit == EditKind::Equal {
            if counts {
                visit(begins);
            }
            counts = false;
            begins = column + u64::from(stretch.len);
        }
        counts |= kinds.has(stretch.edit);
        column += u64::from(stretch.len);
    }
    if counts {
        visit(begins);
    }
    found.map(|place| DifferencePosition { of, ..place })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alignment(cigar: &str) -> Alignment {
        cigar.parse().unwrap()
    }

    #[test]
    fn edit_kinds_are_parsed_and_printed_without_loss() {
        assert_eq!("DX".parse::<EditKinds>().unwrap().to_string(), "XD");
        assert_eq!(EditKinds::ALL.to_string().parse(), Ok(EditKinds::ALL));
        assert_eq!("M".parse::<EditKinds>(), Err(EditKindsError));
        assert!(!EditKinds::ALL.toggled(EditKind::Insert).has(EditKind::Insert) && !EditKinds::ALL.has(EditKind::Equal));
    }

    #[test]
    fn only_differences_of_the_chosen_kinds_are_visited() {
        let alignment = alignment("2X3=1I1D4=1D2=1X1I1=");
        let place = |kinds: &str, which| {
            super::find_difference(&alignment, kinds.parse().unwrap(), which).map(|place| (place.number, place.column, place.of))
        };
        assert_eq!(place("XID", DifferenceQuery::Number(2)), Some((2, 11, 4)));
        assert_eq!(place("D", DifferenceQuery::Number(0)), Some((0, 5, 2)));
        assert_eq!(place("D", DifferenceQuery::Number(1)), Some((1, 11, 2)));
        assert_eq!(place("X", DifferenceQuery::Number(1)), Some((1, 14, 2)));
        assert_eq!(place("X", DifferenceQuery::Number(2)), None);
        assert_eq!(place("", DifferenceQuery::Number(0)), None);
        assert_eq!(place("I", DifferenceQuery::At(6)), Some((0, 5, 2)), "inside a difference");
        assert_eq!(place("D", DifferenceQuery::At(2)), Some((0, 5, 2)), "before the first difference");
        assert_eq!(place("XID", DifferenceQuery::At(100)), Some((3, 14, 4)));
        assert_eq!(super::find_difference(&Alignment::default(), EditKinds::ALL, DifferenceQuery::At(0)), None);
    }
}
