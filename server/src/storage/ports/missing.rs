//! Stand-in for the addresses of services ([`MissingService`]) in a program without the feature `cluster`, which has no
//! clients of PostgreSQL, S3 and NATS.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The reason why a service cannot be used.
pub const MISSING_SERVICE: &str = "this server was built without PostgreSQL, S3 and NATS: use a release, or build it with \
                                   `cargo build --release -p server`";

/// The address of a service that the program has no client for. The type has no values, so that the compiler knows that
/// code for such an address never runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum MissingService {}

impl FromStr for MissingService {
    type Err = &'static str;

    fn from_str(_: &str) -> Result<Self, &'static str> {
        Err(MISSING_SERVICE)
    }
}

impl fmt::Display for MissingService {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_of_a_missing_service_is_refused() {
        for url in ["postgres://db/rows", "s3://texts", "nats://broker"] {
            assert!(url.parse::<MissingService>().unwrap_err().contains("without PostgreSQL, S3 and NATS"));
        }
    }
}
