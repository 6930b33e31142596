//! Ids: 128 random bits ([`Id`]). An id never depends on a text. Otherwise, anyone could guess a text, derive its id,
//! and find out whether the text was shared.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The digits of an id, by value: Crockford's base 32 in lower case, which leaves out letters that look like digits.
const ID_ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Number of digits of an id. A digit has 5 bits, so that 26 digits have room for 128 bits.
const LEN: usize = 26;

/// A random id of a job, an upload, a link or a request, written as 26 letters and digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Id(u128);

impl Id {
    /// Creates an id from the random source of the operating system.
    ///
    /// # Panics
    /// Panics if the operating system has no random bytes.
    pub fn random() -> Self {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        Self(u128::from_le_bytes(bytes))
    }

    /// Returns the 128 random bits of the id, for other uses of randomness.
    pub(crate) fn random_bits(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters: String = (0..LEN).rev().map(|place| char::from(ID_ALPHABET[(self.0 >> (5 * place)) as usize & 31])).collect();
        f.write_str(&letters)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error for a text that is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an id is {LEN} letters and digits")]
pub struct ParseIdError;

impl FromStr for Id {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let digit = |byte: u8| ID_ALPHABET.iter().position(|&letter| letter == byte).map(|digit| digit as u128);
        if text.len() != LEN {
            return Err(ParseIdError);
        }
        let mut bytes = text.bytes();
        // The first digit has only the 3 highest bits, because 26 digits have room for 130 bits.
        let first = bytes.next().and_then(digit).filter(|&digit| digit < 8).ok_or(ParseIdError)?;
        bytes.try_fold(first, |number, byte| Ok(number << 5 | digit(byte).ok_or(ParseIdError)?)).map(Self)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_parsed_and_printed_without_loss() {
        for id in [Id(0), Id(u128::MAX), Id(1 << 127), Id::random()] {
            assert_eq!(id.to_string().parse(), Ok(id));
            assert_eq!(id.to_string().len(), LEN);
        }
        for bad in ["", "0", "../../../../../etc/passwd00", "80000000000000000000000000", "0000000000000000000000000u"] {
            assert_eq!(bad.parse::<Id>(), Err(ParseIdError), "{bad}");
        }
        assert_ne!(Id::random(), Id::random());
    }
}
