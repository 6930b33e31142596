//! Address: URLs of the NATS servers, separated by commas ([`NatsAddress`]). The first URL with a user name and a
//! password provides them for all servers. The user name and the password are not displayed.

use std::fmt;
use std::str::FromStr;

use async_nats::ServerAddr;
use percent_encoding::percent_decode_str;
use serde::{Serialize, Serializer};

#[derive(Clone)]
pub struct NatsAddress(Vec<ServerAddr>);

/// The error for a text that is not an address of NATS servers. It does not repeat the text, which may contain a
/// password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be off, or addresses with commas between them, such as nats://user:password@host:4222; tls:// encrypts all traffic")]
pub struct NatsAddressError;

impl NatsAddress {
    pub(super) fn servers(&self) -> Vec<ServerAddr> {
        self.0.clone()
    }

    /// Returns the user name and the password, or `None` if no URL has them.
    pub(super) fn credentials(&self) -> Option<(String, String)> {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        self.0.iter().find_map(|server| Some((decoded(server.username()?), decoded(server.password()?))))
    }
}

impl FromStr for NatsAddress {
    type Err = NatsAddressError;

    fn from_str(text: &str) -> Result<Self, NatsAddressError> {
        let server = |url: &str| {
            let server: ServerAddr = url.trim().parse().ok()?;
            let is_whole = !server.host().is_empty() && server.username().is_some() == server.password().is_some();
            (is_whole && ["nats", "tls"].contains(&server.scheme()) && url.contains("://")).then_some(server)
        };
        text.split(',').map(server).collect::<Option<_>>().map(Self).ok_or(NatsAddressError)
    }
}

impl fmt::Display for NatsAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, server) in self.0.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let brackets = if server.host().contains(':') { ["[", "]"] } else { [""; 2] };
            write!(f, "{comma}{}://{}{}{}:{}", server.scheme(), brackets[0], server.host(), brackets[1], server.port())?;
        }
        Ok(())
    }
}

impl fmt::Debug for NatsAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for NatsAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nats_address_is_printed_without_its_password() {
        for (given, shown) in [
            ("nats://me:kitten@nats.example", "nats://nats.example:4222"),
            ("tls://me:kitten@a.example:7,tls://b.example:8", "tls://a.example:7,tls://b.example:8"),
            ("nats://[::1]:4222", "nats://[::1]:4222"),
        ] {
            let address: NatsAddress = given.parse().unwrap();
            assert_eq!((address.to_string(), format!("{address:?}")), (shown.into(), shown.into()));
            assert_eq!(serde_json::to_value(&address).unwrap(), shown);
        }
        for wrong in
            ["", "me:kitten@nats.example", "http://me:kitten@nats.example", "nats://kitten@nats.example", "nats://a,,nats://kitten"]
        {
            assert!(!wrong.parse::<NatsAddress>().expect_err(wrong).to_string().contains("kitten"));
        }
    }

    #[test]
    fn first_password_applies_to_all_servers() {
        let address: NatsAddress = "nats://a.example,nats://me:kit%40ten@b.example,nats://you:mitten@c.example".parse().unwrap();
        assert_eq!(address.credentials(), Some(("me".into(), "kit@ten".into())));
        assert_eq!(address.servers().len(), 3);
        assert_eq!("nats://a.example".parse::<NatsAddress>().unwrap().credentials(), None);
    }
}
