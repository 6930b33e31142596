//! Storage and messages: rows, files named by the hash of their content, and connections to databases, buckets and
//! message brokers.
//!
//! - [`ports`]: interfaces to services of the machine, and their implementations
//! - [`tls`]: encrypted connections to these services

pub mod ports;
#[cfg(feature = "cluster")]
pub mod tls;
