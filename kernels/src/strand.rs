//! Strand: the two strands of DNA or RNA that a search covers, and the letters that pair with each other.
//!
//! The reverse strand of a text, read in its own direction, is the text reversed with every letter complemented. A
//! pattern occurs on it where the pattern's reverse complement occurs in the text. A search on both strands therefore
//! has two patterns and one text.

use serde::{Deserialize, Serialize};

use crate::cbor_enum;

/// The strands of `b` that a search covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schema(as = Strands))]
pub enum SearchStrands {
    /// The text as it stands.
    #[default]
    Forward,
    /// The text as it stands, and its reverse complement. `a` must consist of nucleotide letters.
    Both,
}

cbor_enum!(SearchStrands { 0 Forward, 1 Both });

impl SearchStrands {
    /// Both values, with the default first.
    pub const ALL: [Self; 2] = [Self::Forward, Self::Both];

    /// Returns the name in JSON: `forward` or `both`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Both => "both",
        }
    }

    /// Returns whether only the text as it stands is searched, which is the default.
    pub fn is_forward(&self) -> bool {
        *self == Self::Forward
    }
}

/// The strand that a hit lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Strand {
    /// `a` occurs in the text as it stands.
    #[serde(rename = "+")]
    Forward,
    /// The reverse complement of `a` occurs in the text.
    #[serde(rename = "-")]
    Reverse,
}

cbor_enum!(Strand { 0 Forward, 1 Reverse });

impl Strand {
    /// Returns the sign that file formats such as BED use for the strand: `+` or `-`.
    pub fn sign(self) -> char {
        match self {
            Self::Forward => '+',
            Self::Reverse => '-',
        }
    }

    /// Returns one number for `position` in a text and this strand, by which hits are ordered: first by position, then
    /// the forward strand before the reverse one. Searches on both strands store hits as these numbers.
    ///
    /// ```
    /// use kernels::strand::Strand;
    ///
    /// assert_eq!((Strand::Forward.at(3), Strand::Reverse.at(3)), (6, 7));
    /// assert_eq!(Strand::of(7), (3, Strand::Reverse));
    /// ```
    pub fn encode_position(self, position: u64) -> u64 {
        2 * position + self as u64
    }

    /// Splits a number that [`encode_position`](Self::encode_position) has returned into the position and the strand.
    pub fn decode_position(number: u64) -> (u64, Self) {
        (number / 2, if number.is_multiple_of(2) { Self::Forward } else { Self::Reverse })
    }
}

/// Returns the letter that pairs with `letter`, or `None` if `letter` is not one of the letters for nucleotides that
/// IUPAC defines.
///
/// `U` pairs with `A`, and `A` with `T`; use [`reverse_complement`] for RNA. Lower case stays lower case.
///
/// ```
/// use kernels::strand::complement;
///
/// assert_eq!((complement(b'a'), complement(b'R'), complement(b'N'), complement(b'x')), (Some(b't'), Some(b'Y'), Some(b'N'), None));
/// ```
pub fn complement(letter: u8) -> Option<u8> {
    const PAIRS: [(u8, u8); 6] = [(b'A', b'T'), (b'C', b'G'), (b'R', b'Y'), (b'K', b'M'), (b'B', b'V'), (b'D', b'H')];
    // Letters that are their own complement.
    const SELF_COMPLEMENTARY: [u8; 3] = [b'S', b'W', b'N'];
    let capital = letter.to_ascii_uppercase();
    let paired = PAIRS.iter().find_map(|&(one, other)| match capital {
        letter if letter == one => Some(other),
        letter if letter == other => Some(one),
        _ => None,
    });
    let own = || SELF_COMPLEMENTARY.contains(&capital).then_some(capital);
    let paired = paired.or_else(own).or_else(|| (capital == b'U').then_some(b'A'))?;
    Some(if letter.is_ascii_lowercase() { paired.to_ascii_lowercase() } else { paired })
}

/// The kind of a nucleic acid, which decides the letter that pairs with `A`: `T` in DNA, `U` in RNA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NucleicAcid {
    /// `A` pairs with `T`.
    Dna,
    /// `A` pairs with `U`.
    Rna,
}

impl NucleicAcid {
    /// Detects the kind of nucleic acid of the text that `pieces` contain: RNA if the letters include `U` and no `T`,
    /// in either case, otherwise DNA. Takes O(letters) time.
    ///
    /// ```
    /// use kernels::strand::NucleicAcid;
    ///
    /// assert_eq!(NucleicAcid::of([&b"AGGAGG"[..], b"GAUCACCUCCUUA"]), NucleicAcid::Rna);
    /// assert_eq!(NucleicAcid::of([&b"AGGAGG"[..], b"GATCACCTCCTTA"]), NucleicAcid::Dna);
    /// ```
    pub fn detect<'t>(pieces: impl IntoIterator<Item = &'t [u8]>) -> Self {
        let mut has_u = false;
        for piece in pieces {
            if memchr::memchr2(b'T', b't', piece).is_some() {
                return Self::Dna;
            }
            has_u = has_u || memchr::memchr2(b'U', b'u', piece).is_some();
        }
        if has_u { Self::Rna } else { Self::Dna }
    }
}

/// Returns the letters in reverse order, each replaced by its complement in `acid`.
///
/// # Errors
/// Returns the position of the first byte that is not a nucleotide letter.
///
/// ```
/// use kernels::strand::{NucleicAcid, reverse_complement};
///
/// assert_eq!(reverse_complement(b"GATTACA", NucleicAcid::Dna).as_deref(), Ok(&b"TGTAATC"[..]));
/// assert_eq!(reverse_complement(b"GAUUACA", NucleicAcid::Rna).as_deref(), Ok(&b"UGUAAUC"[..]));
/// assert_eq!(reverse_complement(b"GATE", NucleicAcid::Dna), Err(3));
/// ```
pub fn reverse_complement(letters: &[u8], acid: NucleicAcid) -> Result<Vec<u8>, usize> {
    let paired = |(at, &letter): (usize, &u8)| match (complement(letter).ok_or(at)?, acid) {
        (b'T', NucleicAcid::Rna) => Ok(b'U'),
        (b't', NucleicAcid::Rna) => Ok(b'u'),
        (paired, _) => Ok(paired),
    };
    let mut letters = letters.iter().enumerate().map(paired).collect::<Result<Vec<u8>, usize>>()?;
    letters.reverse();
    Ok(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nucleotides that each letter of IUPAC stands for.
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
    fn complement_of_an_ambiguity_code_is_the_code_of_the_complements() {
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
    fn reverse_complement_of_a_reverse_complement_is_the_text() {
        for text in ["", "A", "GATTACA", "acgtRYSWKMBDHVN", "GAUUACA"] {
            let acid = NucleicAcid::detect([text.as_bytes()]);
            let other = reverse_complement(text.as_bytes(), acid).unwrap();
            assert_eq!(reverse_complement(&other, acid).unwrap(), text.as_bytes(), "{text}");
        }
        // A text with both letters is regarded as DNA.
        assert_eq!(NucleicAcid::detect([&b"UTA"[..]]), NucleicAcid::Dna);
        assert_eq!(reverse_complement(b"UTA", NucleicAcid::Dna).unwrap(), b"TAA");
    }

    #[test]
    fn nucleic_acid_is_detected_over_all_pieces() {
        let rows: [(&[&[u8]], NucleicAcid); 7] = [
            (&[], NucleicAcid::Dna),
            (&[b"ACG", b"GCA"], NucleicAcid::Dna),
            (&[b"ACG", b"GCu"], NucleicAcid::Rna),
            (&[b"UCG", b"GC"], NucleicAcid::Rna),
            (&[b"UCG", b"GCt"], NucleicAcid::Dna),
            (&[b"ACT", b"GCU"], NucleicAcid::Dna),
            (&[b"", b"GG", b"AU"], NucleicAcid::Rna),
        ];
        rows.iter().for_each(|(pieces, acid)| assert_eq!(NucleicAcid::detect(pieces.iter().copied()), *acid, "{pieces:?}"));
    }
}
