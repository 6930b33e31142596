//! Limits and fairness of clients.
//!
//! - [`budgets`]: hourly and daily budgets of a client; [`shares`]: the maximum share of a client in a pool of slots
//! - [`fair_semaphore`]: permits that are granted to clients in turn
//! - [`requests`]: detection of repeated requests
//! - [`tokens`]: tokens that permit deletion
//! - [`identify`]: adds the [`ClientIdentity`] to a request's extensions

use std::net::IpAddr;

use axum::extract::{Request, State as In};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use self::budgets::RequestPayer;
use crate::ServerState;
use crate::config::Config;
use crate::identity::ClientIdentity;

pub mod budgets;
pub mod fair_semaphore;
pub mod requests;
pub mod shares;
pub mod tokens;

/// Minimum average speed of uploads and downloads, in bytes per second.
pub(crate) const MIN_BYTES_PER_SECOND: u64 = 4096;

/// Name of the request header with the token of a school class.
const CLASS_HEADER: HeaderName = HeaderName::from_static("editscope-class");

/// Name of the query parameter with the token of a school class, and of the cookie that stores the token.
const CLASS_PARAMETER: &str = "class";

/// The network address from which a connection comes: that of a client or of a proxy.
#[derive(Clone, Copy)]
pub struct PeerAddress(pub IpAddr);

impl ClientIdentity {
    /// Returns the client of a request: the school class with the token in `headers`, or otherwise the network address.
    /// `peer` is the address of the connection, and `None` if the request did not come over a network connection.
    pub fn from_headers(headers: &HeaderMap, peer: Option<PeerAddress>, config: &Config) -> Self {
        let class = class_token(headers).and_then(|token| config.class_tokens.number(token));
        match (class, peer) {
            (Some(number), _) => Self::Class(number),
            // A request without a network connection, as in tests.
            (None, None) => Self::Local,
            (None, Some(PeerAddress(peer))) => {
                config.proxies.network(peer, headers, config.proxy_header).map_or(Self::Local, Self::Network)
            }
        }
    }
}

impl ClientIdentity {
    /// Returns bytes that identify the client in every process and after restarts. A class is identified by the hash of
    /// its token, because its number depends on the list of classes in the settings.
    pub(crate) fn identity(self, config: &Config) -> Vec<u8> {
        match self {
            Self::Local => vec![0],
            Self::Network(network) => [&[1][..], &network.bits().to_le_bytes()].concat(),
            Self::Class(number) => [&[2][..], config.class_tokens.hash(number)].concat(),
        }
    }
}

/// Adds the [`ClientIdentity`] to the request's extensions, and makes this client the payer of the cells that the
/// request computes.
///
/// If the address of a page has a valid class token in `?class=`, stores the token in a cookie and redirects to the
/// address without the token. Thus a teacher can share one address with a class, and nobody copies the token with a
/// link or sees it on a projector.
pub async fn identify(In(state): In<ServerState>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<PeerAddress>().copied();
    let client = ClientIdentity::from_headers(request.headers(), peer, &state.config);
    request.extensions_mut().insert(client);
    if let Some([location, cookie]) = enter_class(&request, &state.config) {
        let headers = [(header::LOCATION, location), (header::SET_COOKIE, cookie)];
        return (StatusCode::SEE_OTHER, headers).into_response();
    }
    RequestPayer::run_as_payer(state.budgets.clone(), client, next.run(request)).await
}

/// Returns the address to redirect to and the value of the cookie, for a page with a valid class token in `?class=`.
/// Returns `None` for other requests, and for pages in frames of other sites, which must not set cookies.
fn enter_class(request: &Request, config: &Config) -> Option<[HeaderValue; 2]> {
    let (path, query) = (request.uri().path(), request.uri().query()?);
    if !request.method().is_safe() || path.starts_with("/api/") || path.starts_with("/embed/") {
        return None;
    }
    let (classes, rest): (Vec<&str>, Vec<&str>) = query.split('&').partition(|pair| is_class(pair));
    let token = classes.first()?.strip_prefix(CLASS_PARAMETER)?.strip_prefix('=')?;
    config.class_tokens.number(token)?;
    // The path begins with exactly one slash, because with two slashes it would redirect to another host.
    let path = format!("/{}", path.trim_start_matches('/'));
    let location = if rest.is_empty() { path } else { format!("{path}?{}", rest.join("&")) };
    let cookie = format!("{CLASS_PARAMETER}={token}; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax");
    Some([HeaderValue::from_str(&location).ok()?, HeaderValue::from_str(&cookie).ok()?])
}

fn is_class(pair: &str) -> bool {
    pair.strip_prefix(CLASS_PARAMETER).is_some_and(|rest| rest.starts_with('='))
}

fn class_token(headers: &HeaderMap) -> Option<&str> {
    if let Some(token) = headers.get(CLASS_HEADER) {
        return token.to_str().ok().map(str::trim);
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|value| value.split(';')).find_map(|pair| pair.trim().strip_prefix(CLASS_PARAMETER)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "a-token-of-a-class";

    fn config() -> Config {
        Config::read(|name| (name == "EDITSCOPE_CLASS_TOKENS").then(|| format!("another-token-here,{TOKEN}"))).unwrap()
    }

    fn client(name: &'static str, value: &str) -> ClientIdentity {
        let headers = HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())]);
        ClientIdentity::from_headers(&headers, Some(PeerAddress([198, 51, 100, 7].into())), &config())
    }

    #[test]
    fn class_token_identifies_a_class_instead_of_the_address() {
        assert_eq!(client("editscope-class", TOKEN), ClientIdentity::Class(1));
        assert_eq!(client("cookie", &format!("theme=dark; class={TOKEN}")), ClientIdentity::Class(1));
        let address = client("accept", "*/*");
        assert!(matches!(address, ClientIdentity::Network(_)));
        for (name, value) in
            [("editscope-class", "a-token-of-a-clasS"), ("editscope-class", ""), ("cookie", "class=x"), ("cookie", "aclass=")]
        {
            assert_eq!(client(name, value), address, "{name}: {value}");
        }
    }

    #[test]
    fn valid_class_token_moves_from_the_address_to_a_cookie() {
        let enter = |path: &str| {
            let request = Request::builder().uri(path).body(axum::body::Body::empty()).unwrap();
            enter_class(&request, &config()).map(|both| both.map(|value| value.to_str().unwrap().to_owned()))
        };
        for (query, location) in [
            (format!("/edit-distance?a=1&class={TOKEN}&b=%26"), "/edit-distance?a=1&b=%26"),
            (format!("/?class={TOKEN}"), "/"),
            (format!("/?class={TOKEN}&class=other"), "/"),
            (format!("//elsewhere.example/?class={TOKEN}"), "/elsewhere.example/"),
        ] {
            let [to, cookie] = enter(&query).unwrap();
            assert_eq!(to, location, "{query}");
            assert!(cookie.starts_with(&format!("class={TOKEN}; ")) && cookie.contains("HttpOnly"), "{cookie}");
        }
        for path in ["/", "/?class=wrong", "/?aclass=1", &format!("/embed/lcs?class={TOKEN}"), &format!("/api/v1/engines?class={TOKEN}")] {
            assert_eq!(enter(path), None, "{path}");
        }
    }

    #[test]
    fn debug_output_hides_the_client() {
        let text = format!("{:?}", client("accept", "*/*"));
        assert_eq!(text, "Network");
    }
}
