//! Address: the URL of the database ([`PostgresAddress`]), which may contain a password. The password is not displayed.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use sqlx::postgres::PgConnectOptions;

#[derive(Clone)]
pub struct PostgresAddress(Box<PgConnectOptions>);

/// The error for a text that is not the address of a database. It does not repeat the text, which may contain a
/// password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be an address, such as postgres://user:password@host/database")]
pub struct PostgresAddressError;

impl PostgresAddress {
    /// Returns the options for connections to the database.
    pub(super) fn options(&self) -> &PgConnectOptions {
        &self.0
    }
}

impl FromStr for PostgresAddress {
    type Err = PostgresAddressError;

    fn from_str(url: &str) -> Result<Self, PostgresAddressError> {
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(PostgresAddressError);
        }
        url.parse().map(|options| Self(Box::new(options))).map_err(|_| PostgresAddressError)
    }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(options) = self;
        let database = options.get_database().unwrap_or(options.get_username());
        match options.get_socket() {
            Some(folder) => write!(f, "postgres:///{database}?host={}", folder.display()),
            None => write!(f, "postgres://{}:{}/{database}", options.get_host(), options.get_port()),
        }
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for PostgresAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgres_address_is_printed_without_its_password() {
        for (url, shown) in [
            ("postgres://me:kitten@db.example/rows?sslmode=require", "postgres://db.example:5432/rows"),
            ("postgresql://me:kitten@db.example:5433", "postgres://db.example:5433/me"),
            ("postgres:///rows?host=/run/postgresql&user=me&password=kitten", "postgres:///rows?host=/run/postgresql"),
        ] {
            let address: PostgresAddress = url.parse().unwrap();
            assert_eq!((address.to_string(), format!("{address:?}")), (shown.into(), shown.into()));
            assert_eq!(serde_json::to_value(&address).unwrap(), shown);
        }
        for wrong in ["", "mysql://me:kitten@db/rows", "postgres://me:kitten@db:port/rows", "rows.sqlite"] {
            assert!(!wrong.parse::<PostgresAddress>().unwrap_err().to_string().contains("kitten"));
        }
    }
}
