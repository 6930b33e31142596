//! Observability and resources for operators.
//!
//! - [`metrics`], [`log`], [`request`]: measurements, messages, ids and logs of requests
//! - [`disk`], [`host`](mod@host), [`priority`]: free space, the machine, priorities of threads

pub mod disk;
pub mod host;
pub mod log;
pub mod metrics;
pub mod priority;
pub mod request;
