//! Class: secret tokens of school classes ([`ClassTokens`]). A request with such a token belongs to the client of this
//! class, whatever its address is.

use serde::{Serialize, Serializer};

/// The hashes of the secret tokens of all classes. The tokens are not stored, so that none can be printed by mistake.
#[derive(Clone, Debug, Default)]
pub struct ClassTokens(Vec<blake3::Hash>);

impl ClassTokens {
    /// Creates the list of hashes from the secret tokens `tokens`.
    pub fn from_tokens(tokens: &[&str]) -> Self {
        Self(tokens.iter().map(|token| blake3::hash(token.as_bytes())).collect())
    }

    /// Returns the number of the class with the secret token `token`, from 0, or `None` if no class has this token. The
    /// time to compare two hashes does not depend on them.
    pub fn number(&self, token: &str) -> Option<usize> {
        let asked = blake3::hash(token.as_bytes());
        self.0.iter().position(|known| *known == asked)
    }

    /// Returns the hash of the token of the class with the number `number`, or an empty slice if there is no such
    /// class.
    pub fn hash(&self, number: usize) -> &[u8] {
        self.0.get(number).map_or(&[], |hash| hash.as_bytes())
    }
}

impl Serialize for ClassTokens {
    /// Serializes the number of tokens, and an empty list as the value `off`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.len() {
            0 => serializer.serialize_none(),
            1 => serializer.serialize_str("1 secret"),
            number => serializer.collect_str(&format_args!("{number} secrets")),
        }
    }
}
