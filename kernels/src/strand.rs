//! Strands: which of the two strands of DNA or RNA a pattern is looked for on, and the letters that pair with each other.
//!
//! The other strand of a text, read in its own direction, is the text reversed with every letter complemented. A pattern lies on it where
//! the pattern's own reverse complement lies in the text, so that both strands are two patterns and one text.

use serde::{Deserialize, Serialize};

use crate::cbor_enum;

/// Which strands of `b` a search looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Strands {
    /// The text as it stands.
    #[default]
    Forward,
    /// The text as it stands, and its reverse complement: `a` must consist of letters of nucleotides.
    Both,
}

cbor_enum!(Strands { 0 Forward, 1 Both });

impl Strands {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Forward, Self::Both];

    /// Name, as on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Both => "both",
        }
    }

    /// Whether the text is searched as it stands, which is what is done unless somebody says otherwise.
    pub fn is_forward(&self) -> bool {
        *self == Self::Forward
    }
}

/// The strand that a hit lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Strand {
    /// `a` lies in the text as it stands.
    #[serde(rename = "+")]
    Forward,
    /// The reverse complement of `a` does.
    #[serde(rename = "-")]
    Reverse,
}

cbor_enum!(Strand { 0 Forward, 1 Reverse });

impl Strand {
    /// The sign that stands for it in the formats of the field.
    pub fn sign(self) -> char {
        match self {
            Self::Forward => '+',
            Self::Reverse => '-',
        }
    }

    /// One number for a position and a strand, in the order of positions: at one position the strand of the text comes first. Hits of a
    /// search on both strands are kept so.
    ///
    /// ```
    /// use kernels::strand::Strand;
    ///
    /// assert_eq!((Strand::Forward.at(3), Strand::Reverse.at(3)), (6, 7));
    /// assert_eq!(Strand::of(7), (3, Strand::Reverse));
    /// ```
    pub fn at(self, position: u64) -> u64 {
        2 * position + self as u64
    }

    /// The position and the strand that a number stands for.
    pub fn of(number: u64) -> (u64, Self) {
        (number / 2, if number.is_multiple_of(2) { Self::Forward } else { Self::Reverse })
    }
}

/// The letter of a nucleotide that pairs with another, of IUPAC's; none of what is no such letter. A `U` pairs with `A`, and `A` with `T`:
/// [`reverse_complement`] knows RNA. Small letters stay small.
///
/// ```
/// use kernels::strand::complement;
///
/// assert_eq!((complement(b'a'), complement(b'R'), complement(b'N'), complement(b'x')), (Some(b't'), Some(b'Y'), Some(b'N'), None));
/// ```
pub fn complement(letter: u8) -> Option<u8> {
    const PAIRS: [(u8, u8); 6] = [(b'A', b'T'), (b'C', b'G'), (b'R', b'Y'), (b'K', b'M'), (b'B', b'V'), (b'D', b'H')];
    // Those that stand for a letter and the one that it pairs with.
    const OWN: [u8; 3] = [b'S', b'W', b'N'];
    let capital = letter.to_ascii_uppercase();
    let paired = PAIRS.iter().find_map(|&(one, other)| match capital {
        letter if letter == one => Some(other),
        letter if letter == other => Some(one),
        _ => None,
    });
    let own = || OWN.contains(&capital).then_some(capital);
    let paired = paired.or_else(own).or_else(|| (capital == b'U').then_some(b'A'))?;
    Some(if letter.is_ascii_lowercase() { paired.to_ascii_lowercase() } else { paired })
}

/// The letters backwards, each as the one that it pairs with. In a text with `U` and without `T` an `A` pairs with `U`.
///
/// # Errors
/// The first position of what is no letter of a nucleotide.
///
/// ```
/// use kernels::strand::reverse_complement;
///
/// assert_eq!(reverse_complement(b"GATTACA").as_deref(), Ok(&b"TGTAATC"[..]));
/// assert_eq!(reverse_complement(b"GAUUACA").as_deref(), Ok(&b"UGUAAUC"[..]));
/// assert_eq!(reverse_complement(b"GATE"), Err(3));
/// ```
pub fn reverse_complement(letters: &[u8]) -> Result<Vec<u8>, usize> {
    let has = |letter: u8| letters.iter().any(|other| other.eq_ignore_ascii_case(&letter));
    let is_rna = has(b'U') && !has(b'T');
    let paired = |(at, &letter): (usize, &u8)| match complement(letter).ok_or(at)? {
        b'T' if is_rna => Ok(b'U'),
        b't' if is_rna => Ok(b'u'),
        paired => Ok(paired),
    };
    let mut letters = letters.iter().enumerate().map(paired).collect::<Result<Vec<u8>, usize>>()?;
    letters.reverse();
    Ok(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each letter of IUPAC's stands for.
    const SETS: [(u8, &[u8]); 15] = [
        (b'A', b"A"),
        (b'C', b"C"),
        (b'G', b"G"),
        (b'T', b"T"),
        (b'R', b"AG"),
        (b'Y', b"CT"),
        (b'S', b"CG"),
        (b'W', b"AT"),
        (b'K', b"GT"),
        (b'M', b"AC"),
        (b'B', b"CGT"),
        (b'D', b"AGT"),
        (b'H', b"ACT"),
        (b'V', b"ACG"),
        (b'N', b"ACGT"),
    ];

    #[test]
    fn a_letter_pairs_with_the_one_that_stands_for_what_its_letters_pair_with() {
        for (letter, set) in SETS {
            let mut paired: Vec<u8> = set.iter().filter_map(|&letter| complement(letter)).collect();
            paired.sort_unstable();
            let expected = SETS.iter().find(|(_, set)| *set == paired).map(|(letter, _)| *letter);
            assert_eq!(complement(letter), expected, "{}", char::from(letter));
            assert_eq!(complement(letter.to_ascii_lowercase()), expected.map(|letter| letter.to_ascii_lowercase()));
        }
        let others = (0..=u8::MAX).filter(|byte| !b"ACGTURYSWKMBDHVN".contains(&byte.to_ascii_uppercase()));
        assert!(others.into_iter().all(|byte| complement(byte).is_none()));
    }

    #[test]
    fn the_reverse_complement_of_it_is_the_text_again() {
        for text in ["", "A", "GATTACA", "acgtRYSWKMBDHVN", "GAUUACA"] {
            let other = reverse_complement(text.as_bytes()).unwrap();
            assert_eq!(reverse_complement(&other).unwrap(), text.as_bytes(), "{text}");
        }
        // Who writes both letters means the one of DNA.
        assert_eq!(reverse_complement(b"UTA").unwrap(), b"TAA");
    }
}
