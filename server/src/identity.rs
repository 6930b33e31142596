//! Clients: the unit of limits and fairness ([`ClientIdentity`]). A client is a network address, or a school class with
//! a token of its own. A class is separate because 200 phones in one room may share an address.
//!
//! - [`address`]: client addresses, also behind proxies
//! - [`class`]: secret tokens of classes
//!
//! A client is never stored or logged: it has no serialization, and its `Debug` shows only its kind.

use std::fmt;

use self::address::ClientNetwork;

pub mod address;
pub mod class;

/// The identity of a client: of a sender of requests whose limits are counted together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClientIdentity {
    /// A process on this machine that connects without a proxy. Only limits of the whole server apply to it.
    #[default]
    Local,
    /// An IPv4 address, or the IPv6 network of one household.
    Network(ClientNetwork),
    /// A school class, by its number in the list of class tokens.
    Class(usize),
}

impl fmt::Debug for ClientIdentity {
    /// Formats only the kind of client, because addresses must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "Local",
            Self::Network(_) => "Network",
            Self::Class(_) => "Class",
        })
    }
}
