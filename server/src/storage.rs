//! Storage and messages: rows, files named by content, and the ports to databases, buckets and message brokers.
//!
//! - [`ports`]: interfaces to services of the machine and their implementations; [`tls`]: encrypted connections to them

pub mod ports;
pub mod tls;
