//! Operations: measurements for operators, and the resources of the machine.
//!
//! - [`metrics`], [`log`], [`request`]: measurements, messages, ids and logs of requests
//! - [`disk`], [`host`](mod@host), [`memory`], [`priority`]: free space, the machine, its memory, priorities of threads

pub mod disk;
pub mod host;
pub mod log;
pub mod memory;
pub mod metrics;
pub mod priority;
pub mod request;
