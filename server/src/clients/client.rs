//! A client: the unit of limits and turns.

use std::fmt;

use super::address::ClientNetwork;

/// The sender of a request, as limits count it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClientIdentity {
    /// A process on this machine without a proxy. Only the limits of the machine apply to it.
    #[default]
    Local,
    /// An address, or the network of one household.
    Network(ClientNetwork),
    /// The class with this token number.
    Class(usize),
}

impl fmt::Debug for ClientIdentity {
    /// Formats the kind alone, because addresses must not get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "Local",
            Self::Network(_) => "Network",
            Self::Class(_) => "Class",
        })
    }
}
