//! Failure: why there is no answer. Split only where somebody acts differently on it.

use serde::{Deserialize, Serialize};

/// Why a job has no answer. The text is a sentence for the visitor; it never quotes what the visitor typed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Failure {
    /// The texts or the options cannot be used: the visitor changes them.
    #[error("{message}")]
    BadInput {
        /// What is wrong and where.
        message: String,
    },
    /// A limit was hit: the visitor asks for less or goes to another engine.
    #[error("{what} is {got}, and the limit here is {limit}.")]
    TooLarge {
        /// What was too large, as the subject of a sentence: "The number of cells".
        what: String,
        /// How large it is.
        got: u64,
        /// How large it may be.
        limit: u64,
    },
    /// The engine failed: the same job may work again or elsewhere.
    #[error("{message}")]
    Engine {
        /// What failed while doing what.
        message: String,
    },
    /// The server stopped before the run ended.
    #[error("The server stopped before this job was done. Run it again.")]
    Interrupted,
    /// The job ran longer than this server allows.
    #[error("The job was stopped after {seconds} s, the longest that a job may run here.")]
    OutOfTime {
        /// The limit in seconds.
        seconds: u64,
    },
}

impl Failure {
    /// Bad input with this sentence.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::BadInput { message: message.into() }
    }

    /// The engine failed with this sentence.
    pub fn engine(message: impl Into<String>) -> Self {
        Self::Engine { message: message.into() }
    }

    /// Stable name of the kind, the same as on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::BadInput { .. } => "bad-input",
            Self::TooLarge { .. } => "too-large",
            Self::Engine { .. } => "engine",
            Self::Interrupted => "interrupted",
            Self::OutOfTime { .. } => "out-of-time",
        }
    }
}
