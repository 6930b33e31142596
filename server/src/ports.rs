//! Ports: what the server asks of the machine that it runs on, each as a trait, so that another host of it can answer and tests can make
//! it fail. What is embedded needs nothing but a folder.
//!
//! - [`bus`]: events of jobs and stops; embedded: in the memory of the process
//! - [`clock`]: what time it is
//! - [`files`]: contents named by their hash; embedded: a folder
//! - [`offers`]: what the workers of a site offer; a process that is alone has its own engines only
//! - [`queue`]: jobs that wait, and places to run; embedded: in the memory of the process
//! - [`rows`]: uploads, jobs and links; embedded: SQLite
//! - [`nats`]: a connection to NATS, for those ports that have an implementation there
//! - [`faults`]: the same, failing when a test says so
//!
//! A port's conformance suite is a function over its trait, in the tests beside it: every implementation passes it.

pub mod bus;
pub mod clock;
pub mod faults;
pub mod files;
pub mod nats;
pub mod offers;
pub mod queue;
pub mod rows;

mod error;
#[cfg(test)]
#[cfg(unix)]
#[expect(dead_code, reason = "tests of the whole program use the rest of it")]
pub(crate) mod services;

pub use self::error::{Error, Trouble};
