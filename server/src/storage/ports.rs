//! Ports: traits for the services that the server needs from its host, such as a database and file storage. Other hosts
//! and failing tests implement them too. The embedded implementations need only a folder.
//!
//! - `batches`: joint writes of items that arrive together
//! - [`bus`]: events of jobs and requests to stop them; embedded: in the memory of the process
//! - [`clock`]: time of day and elapsed time
//! - [`files`]: contents named by their hash; embedded: a folder
//! - [`offers`]: tasks and engines that the workers of a cluster offer; a single process has only its own engines
//! - [`queue`]: jobs that any worker of a cluster may take; a single process has only its own queue
//! - [`rows`]: uploads, jobs and links; embedded: SQLite
//! - [`nats`]: connection to NATS, shared by the ports with a NATS implementation
//! - `missing`: stand-in for addresses of services, in a program without clients of them
//! - [`hash`](mod@hash): names of files
//! - `sqlite`: connections to databases of SQLite
//! - [`faults`]: wrappers that fail on demand, for tests
//!
//! The conformance suite of a port is a function over its trait, in the tests beside it. Every implementation passes
//! it.

mod batches;
pub mod bus;
pub mod clock;
pub mod faults;
pub mod files;
pub mod hash;
#[cfg(any(test, not(feature = "cluster")))]
pub mod missing;
#[cfg(feature = "cluster")]
pub mod nats;
pub mod offers;
pub mod queue;
pub mod rows;
mod sqlite;

mod error;

pub use self::error::{StorageError, StorageErrorKind};
#[cfg(not(feature = "cluster"))]
pub use self::missing::{MissingService as BucketAddress, MissingService as NatsAddress, MissingService as PostgresAddress};
#[cfg(feature = "cluster")]
pub use self::{files::bucket::BucketAddress, nats::NatsAddress, rows::postgres::PostgresAddress};
