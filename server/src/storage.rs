//! Persistent data: rows, files named by content, and the ports to databases, buckets and message brokers.
//!
//! - [`ports`]: interfaces to services of the machine and their implementations; [`tls`]: encrypted connections to them
//! - [`store`]: uploads, jobs and links with their lifetimes; [`record`]: a stored result
//! - [`class_codes`]: short codes of links

pub mod class_codes;
pub mod ports;
pub mod record;
pub mod store;
pub mod tls;
