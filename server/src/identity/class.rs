//! Secrets of classes. A request with such a secret belongs to the client of that class, whatever its address.

use serde::{Serialize, Serializer};

/// The secrets of all classes, as hashes, so that no secret is printed by mistake.
#[derive(Clone, Debug, Default)]
pub struct ClassTokens(Vec<blake3::Hash>);

impl ClassTokens {
    /// Creates the list from the secrets, which it hashes.
    pub fn of(tokens: &[&str]) -> Self {
        Self(tokens.iter().map(|token| blake3::hash(token.as_bytes())).collect())
    }

    /// Returns the number of the class with the secret `token`, or `None` if no class has it. Hashes are compared in
    /// constant time.
    pub fn number(&self, token: &str) -> Option<usize> {
        let asked = blake3::hash(token.as_bytes());
        self.0.iter().position(|known| *known == asked)
    }

    /// Returns the hash of the secret of class `number`, or an empty slice if there is no such class.
    pub fn hash(&self, number: usize) -> &[u8] {
        self.0.get(number).map_or(&[], |hash| hash.as_bytes())
    }
}

impl Serialize for ClassTokens {
    /// Serializes the number of secrets. An empty list is written as `off`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.len() {
            0 => serializer.serialize_none(),
            1 => serializer.serialize_str("1 secret"),
            number => serializer.collect_str(&format_args!("{number} secrets")),
        }
    }
}
