//! Sets of bases: the letters that IUPAC defines for DNA and RNA. Each stands for one base or several.
//!
//! [`SymbolMatch`] is the rule by which the symbols of two texts match.

use serde::{Deserialize, Serialize};

use crate::cbor_enum;

/// Number of sets of bases, one more than the greatest number of [`base_set`].
pub const BASE_SETS: u32 = 16;

/// The letters of IUPAC by their number as sets. The empty set has no letter.
const LETTERS: [u8; BASE_SETS as usize] = *b"?ACMGRSVTWYHKDBN";

/// Maximum number of letters of a pattern with ambiguity codes.
///
/// Searches with codes compare every letter, so that their time and memory grow with the length of the pattern.
pub const MAX_AMBIGUOUS_PATTERN: u64 = 1 << 16;

/// Returns the set of bases for which `letter` stands, in either case.
///
/// The set is a sum of numbers: 1 for A, 2 for C, 4 for G, 8 for T and U. Returns `None` if `letter` is
/// not one of the letters for nucleotides that IUPAC defines.
///
/// ```
/// use kernels::base_set::base_set;
///
/// assert_eq!((base_set(b'A'), base_set(b'u'), base_set(b'R'), base_set(b'N')), (Some(1), Some(8), Some(5), Some(15)));
/// assert_eq!((base_set(b'X'), base_set(b'?')), (None, None));
/// ```
pub fn base_set(letter: u8) -> Option<u8> {
    let capital = match letter.to_ascii_uppercase() {
        b'U' => b'T',
        capital => capital,
    };
    LETTERS.iter().skip(1).position(|other| *other == capital).map(|at| at as u8 + 1)
}

/// The rule by which two symbols of a pair match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SymbolMatch {
    /// Equal symbols match.
    #[default]
    Equal,
    /// Symbols are sets of bases ([`base_set`]). Two sets match if they have a base in common.
    Overlap,
}

cbor_enum!(SymbolMatch { 0 Equal, 1 Overlap });

impl SymbolMatch {
    /// Returns whether two symbols with these numbers match.
    #[inline]
    pub fn matches(self, x: u32, y: u32) -> bool {
        match self {
            Self::Equal => x == y,
            Self::Overlap => x & y != 0,
        }
    }

    /// Returns whether equal symbols match and no others, which is the default.
    pub fn is_equality(&self) -> bool {
        *self == Self::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strand::complement;

    /// The complement of a set has the complements of its bases.
    #[test]
    fn sets_of_letters_agree_with_their_complements() {
        for letter in (0..=u8::MAX).filter(|letter| base_set(*letter).is_some()) {
            let set = base_set(letter).unwrap();
            let other = base_set(complement(letter).unwrap()).unwrap();
            assert_eq!(set.reverse_bits() >> 4, other, "{}", letter as char);
        }
        assert!((0..=u8::MAX).all(|letter| base_set(letter).is_some() == complement(letter).is_some()));
    }
}
