//! Secrets of classes: who has one is a client of a room of its own, whatever address it shares.

use serde::{Serialize, Serializer};

/// Secrets of classes. Only their hashes are held, so that nothing prints one by mistake.
#[derive(Clone, Debug, Default)]
pub struct ClassTokens(Vec<blake3::Hash>);

impl ClassTokens {
    /// Of these secrets.
    pub fn of(tokens: &[&str]) -> Self {
        Self(tokens.iter().map(|token| blake3::hash(token.as_bytes())).collect())
    }

    /// The number of a secret. Hashes are compared, and in constant time.
    pub fn number(&self, token: &str) -> Option<usize> {
        let asked = blake3::hash(token.as_bytes());
        self.0.iter().position(|known| *known == asked)
    }

    /// The hash of the secret with this number; empty without one.
    pub fn hash(&self, number: usize) -> &[u8] {
        self.0.get(number).map_or(&[], |hash| hash.as_bytes())
    }
}

impl Serialize for ClassTokens {
    /// How many there are; none is what is switched off.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.len() {
            0 => serializer.serialize_none(),
            1 => serializer.serialize_str("1 secret"),
            number => serializer.collect_str(&format_args!("{number} secrets")),
        }
    }
}
