//! A client: whom limits and turns are counted for.

use std::fmt;

use super::address::Network;

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Client {
    /// Somebody on this machine, without a proxy between: its limits are those of the machine.
    #[default]
    Local,
    /// An address, or as much of the network as one household has.
    Network(Network),
    /// A class, by the number of its token.
    Class(usize),
}

impl fmt::Debug for Client {
    /// Which kind; an address would get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "Local",
            Self::Network(_) => "Network",
            Self::Class(_) => "Class",
        })
    }
}
