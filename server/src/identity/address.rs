//! Client addresses behind proxies ([`TrustedProxies`], [`ClientNetwork`]). Any client can send the headers in which
//! proxies name their clients. So only the last entries of a header are trusted, which the configured proxies have
//! appended.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Once;

use anyhow::Context as _;
use axum::http::header::{FORWARDED, HeaderMap, HeaderName};
use ipnet::IpNet;
use serde::{Serialize, Serializer};
use tracing::warn;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Number of leading bits of an IPv6 address that identify a client. A household or school has at least a network of
/// this size, and may change addresses inside it.
const IPV6_BITS: u32 = 56;

/// The part of an address that identifies a client: the whole IPv4 address, or the first 56 bits of an IPv6 address.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientNetwork(u128);

impl ClientNetwork {
    pub(crate) const fn bits(self) -> u128 {
        self.0
    }

    /// Creates a network from its bits, for tests.
    #[cfg(test)]
    pub(crate) const fn of_bits(bits: u128) -> Self {
        Self(bits)
    }
}

impl From<IpAddr> for ClientNetwork {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits() >> (128 - IPV6_BITS) << (128 - IPV6_BITS),
        })
    }
}

/// Parses a block of addresses with a common prefix, such as `10.0.0.0/8` or `2001:db8::/32`, or a single address.
fn block(text: &str) -> anyhow::Result<IpNet> {
    text.parse().or_else(|_| text.parse().map(IpAddr::into)).with_context(|| format!("{text} is no address"))
}

/// Returns whether one of `blocks` contains `address`. A block of IPv6 addresses also contains IPv4 addresses in their
/// IPv4-mapped form.
fn is_in(blocks: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    let mapped = match address {
        IpAddr::V4(address) => IpAddr::V6(address.to_ipv6_mapped()),
        IpAddr::V6(_) => address,
    };
    blocks.iter().any(|block| block.contains(&address) || block.contains(&mapped))
}

/// The header in which proxies name their clients. Only the configured header is read, because a proxy that sets one of
/// the two headers passes on the second as the client sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProxyHeader {
    /// `X-Forwarded-For`.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// The trusted proxies in front of this server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustedProxies {
    /// Number of proxies in a chain, of which the one nearest to this server has an address of a private network.
    Number(usize),
    /// Addresses of all trusted proxies.
    Blocks(Vec<IpNet>),
}

impl FromStr for TrustedProxies {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        if let Ok(number) = text.trim().parse() {
            return Ok(Self::Number(number));
        }
        text.split(',').map(|part| block(part.trim())).collect::<anyhow::Result<_>>().map(Self::Blocks)
    }
}

impl Serialize for TrustedProxies {
    /// Serializes the setting in the form of a configuration file.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => number.serialize(serializer),
            Self::Blocks(blocks) => serializer.collect_seq(blocks.iter().map(IpNet::to_string)),
        }
    }
}

impl TrustedProxies {
    /// Returns the network of the client that sent a request with `headers` over a connection from `peer`. `header` is
    /// the header that proxies set. Returns `None` for a client on this machine without a proxy.
    pub fn network(&self, peer: IpAddr, headers: &HeaderMap, header: ProxyHeader) -> Option<ClientNetwork> {
        let is_here = is_this_machine(peer);
        let is_forwarded = headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(FORWARDED);
        if is_here && !is_forwarded {
            return None;
        }
        if is_here && *self == Self::Number(0) {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| {
                warn!("requests come through a proxy that EDITSCOPE_PROXIES does not name; all visitors count as one client")
            });
        }
        Some(self.address(peer, headers, header).into())
    }

    /// Returns the network of the client with a connection from `peer`, before any header is read. Returns `None` for
    /// this machine, and for a proxy, because its connections belong to many clients.
    pub fn network_of_connection(&self, peer: IpAddr) -> Option<ClientNetwork> {
        (!is_this_machine(peer) && !self.trusts(peer)).then(|| peer.into())
    }

    /// Returns whether `peer` is one of the trusted proxies.
    fn trusts(&self, peer: IpAddr) -> bool {
        match self {
            Self::Number(number) => *number > 0 && is_private(peer),
            Self::Blocks(blocks) => is_in(blocks, peer),
        }
    }

    fn address(&self, peer: IpAddr, headers: &HeaderMap, header: ProxyHeader) -> IpAddr {
        if !self.trusts(peer) {
            return peer;
        }
        let mut named = header.named(headers);
        match self {
            Self::Number(number) => {
                // A list shorter than the chain means that the client bypassed outer proxies. The entries of the
                // remaining proxies are still valid.
                let at = named.len().saturating_sub(*number);
                named.get(at).copied().flatten().unwrap_or(peer)
            }
            Self::Blocks(blocks) => {
                let mut last = peer;
                while let Some(Some(address)) = named.pop() {
                    last = address;
                    if !is_in(blocks, address) {
                        break;
                    }
                }
                last
            }
        }
    }
}

impl ProxyHeader {
    /// Parses the addresses in this header, in their order: the last was appended by the nearest proxy. An element is
    /// `None` if it is not an address.
    fn named(self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let name = if self == Self::Forwarded { FORWARDED } else { X_FORWARDED_FOR };
        let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
        let elements = lines.flat_map(|line| line.split(',')).map(str::trim).filter(|element| !element.is_empty());
        if self == Self::XForwardedFor {
            return elements.map(address).collect();
        }
        let of = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            name.trim().eq_ignore_ascii_case("for").then(|| address(value.trim().trim_matches('"')))?
        };
        elements.map(|element| element.split(';').find_map(of)).collect()
    }
}

/// Returns whether `peer` is this machine with its default address, 127.0.0.1 or ::1. Other addresses of 127.0.0.0/8
/// count as separate clients.
fn is_this_machine(peer: IpAddr) -> bool {
    [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].contains(&peer.to_canonical())
}

/// Returns whether `address` is of this machine or of a private or local network.
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local(),
    }
}

/// Parses an address with or without a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    if let Some(rest) = text.strip_prefix('[') {
        return rest.split_once(']')?.0.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    }
    text.parse().ok().or_else(|| text.rsplit_once(':')?.0.parse::<std::net::Ipv4Addr>().ok().map(IpAddr::V4))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Returns the address that identifies the client of a request from `peer` with these header lines.
    fn asked(proxies: &str, peer: &str, lines: &[&str]) -> IpAddr {
        let headers = lines.iter().map(|line| (X_FORWARDED_FOR, HeaderValue::from_str(line).unwrap())).collect();
        proxies.parse::<TrustedProxies>().unwrap().address(ip(peer), &headers, ProxyHeader::default())
    }

    #[test]
    fn only_configured_proxies_are_trusted() {
        let rows: [(&str, &str, &[&str], &str); 14] = [
            ("0", "198.51.100.7", &["203.0.113.9"], "198.51.100.7"),
            ("0", "127.0.0.1", &["203.0.113.9"], "127.0.0.1"),
            ("1", "10.0.0.2", &["203.0.113.9"], "203.0.113.9"),
            ("1", "10.0.0.2", &["1.2.3.4, 5.6.7.8", "203.0.113.9"], "203.0.113.9"),
            ("2", "10.0.0.2", &["1.2.3.4, 203.0.113.9, 10.0.0.1"], "203.0.113.9"),
            // The request bypassed the outer proxy.
            ("2", "10.0.0.2", &["203.0.113.9"], "203.0.113.9"),
            ("1", "10.0.0.2", &["1.2.3.4, unknown"], "10.0.0.2"),
            ("1", "10.0.0.2", &[], "10.0.0.2"),
            // A peer with a public address is no proxy.
            ("1", "198.51.100.7", &["203.0.113.9"], "198.51.100.7"),
            ("10.0.0.0/8", "10.1.2.3", &["1.2.3.4, 203.0.113.9, 10.9.9.9"], "203.0.113.9"),
            ("10.0.0.0/8", "198.51.100.7", &["203.0.113.9"], "198.51.100.7"),
            ("10.0.0.0/8,2001:db8::/32", "2001:db8::1", &["203.0.113.9:4711"], "203.0.113.9"),
            ("198.51.100.7", "198.51.100.7", &["[2001:db8::9]:80"], "2001:db8::9"),
            ("198.51.100.7", "198.51.100.8", &["203.0.113.9"], "198.51.100.8"),
        ];
        for (proxies, peer, lines, expected) in rows {
            assert_eq!(asked(proxies, peer, lines), ip(expected), "{proxies} {peer} {lines:?}");
        }
    }

    #[test]
    fn only_the_configured_proxy_header_is_read() {
        let headers: HeaderMap = HeaderMap::from_iter([
            (FORWARDED, HeaderValue::from_static("for=1.2.3.4, for=\"[2001:db8::9]:4711\";proto=https;by=10.0.0.2")),
            (X_FORWARDED_FOR, HeaderValue::from_static("203.0.113.9")),
        ]);
        for (header, expected) in [(ProxyHeader::Forwarded, "2001:db8::9"), (ProxyHeader::XForwardedFor, "203.0.113.9")] {
            assert_eq!(TrustedProxies::Number(1).address(ip("10.0.0.2"), &headers, header), ip(expected), "{header:?}");
        }
    }

    #[test]
    fn ipv6_network_is_one_client_and_loopback_is_none() {
        let network = |text: &str| ClientNetwork::from(ip(text));
        assert!(network("2001:db8:0:12ff::1") == network("2001:db8:0:1200:1::2"));
        assert!(network("2001:db8:0:1200::1") != network("2001:db8:0:1300::1"));
        assert!(network("::ffff:192.0.2.1") == network("192.0.2.1") && network("192.0.2.1") != network("192.0.2.2"));
        let none = HeaderMap::new();
        let client = |address, headers: &HeaderMap| TrustedProxies::Number(0).network(ip(address), headers, ProxyHeader::default());
        assert!(client("127.0.0.1", &none).is_none() && client("::1", &none).is_none());
        assert!(client("192.0.2.1", &none).is_some());
        assert!(client("127.0.0.2", &none).is_some(), "another loopback address is a client");
        let forwarded = HeaderMap::from_iter([(X_FORWARDED_FOR, HeaderValue::from_static("127.0.0.1"))]);
        assert!(client("127.0.0.1", &forwarded).is_some(), "an unconfigured local proxy is a client");
    }

    #[test]
    fn connection_belongs_to_its_peer_unless_the_peer_is_a_proxy() {
        let rows = [
            ("0", "198.51.100.7", true),
            ("0", "10.0.0.2", true),
            ("0", "127.0.0.1", false),
            ("0", "::ffff:127.0.0.1", false),
            ("0", "::1", false),
            ("0", "127.0.0.2", true),
            ("1", "10.0.0.2", false),
            ("1", "198.51.100.7", true),
            ("192.0.2.0/24", "192.0.2.9", false),
            ("192.0.2.0/24", "10.0.0.2", true),
            ("192.0.2.9", "::ffff:192.0.2.9", false),
            ("::ffff:192.0.2.0/120", "192.0.2.9", false),
            ("2001:db8::/32", "192.0.2.9", true),
        ];
        for (proxies, peer, counts) in rows {
            let network = proxies.parse::<TrustedProxies>().unwrap().network_of_connection(ip(peer));
            assert!(network == counts.then(|| ip(peer).into()), "{proxies} {peer}");
        }
    }

    #[test]
    fn invalid_proxy_setting_is_refused() {
        for known in ["many", "10.0.0.0/33", "10.0.0.0/", "-1", "10.0.0.0/8,,"] {
            assert!(known.parse::<TrustedProxies>().is_err(), "{known}");
        }
    }
}
