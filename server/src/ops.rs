//! Operations: measurements for operators, and the resources of the machine.
//!
//! - [`metrics`], [`log`]: measurements and messages
//! - [`disk`], [`host`](mod@host), [`priority`]: free space, the machine, priorities of threads

pub mod disk;
pub mod host;
pub mod log;
pub mod metrics;
pub mod priority;
