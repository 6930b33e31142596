//! Pages that are only read: no script runs in them.

use app::still::limits::Limits;
use app::still::{Frame, docs, how, limits};
use axum::Router;
use axum::extract::State as In;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use pulldown_cmark::{Options, Parser, html};
use tower_http::compression::CompressionLayer;

use crate::State;
use crate::site::{Site, policy, theme};

/// The documentation of the API, as it is in the repository.
const API: &str = include_str!("../../../docs/api.md");

/// `/how`, `/limits`, `/api/docs`.
pub fn routes(site: &Site) -> Router<State> {
    let pkg = format!("/{}", site.pkg);
    let [of_how, of_limits, of_docs] = [pkg.clone(), pkg.clone(), pkg];
    Router::new()
        .route("/how", get(async move |headers: HeaderMap| page(how::page(of_how, theme(&headers)))))
        .route(
            "/limits",
            get(async move |In(state): In<State>, headers: HeaderMap| page(limits::page(of_limits, theme(&headers), &told(&state)))),
        )
        .route("/api/docs", get(async move |headers: HeaderMap| page(documentation(of_docs, theme(&headers)))))
        .layer(CompressionLayer::new())
}

fn told(state: &State) -> Limits {
    let config = &state.config;
    Limits {
        offers: state.engines.offers(),
        upload_bytes: config.max_upload_bytes,
        body_bytes: config.max_body_bytes,
        sealed_bytes: config.max_sealed_bytes.min(config.max_body_bytes),
        queue: config.queue as u64,
        job_seconds: config.job_seconds,
        job_keep_seconds: config.job_keep_seconds,
        upload_keep_seconds: config.upload_keep_seconds,
    }
}

/// The text is our own, so that its markup is trusted.
fn documentation(pkg: String, theme: Option<String>) -> String {
    let text = API.split_once('\n').map_or(API, |(_, text)| text);
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(text, Options::ENABLE_TABLES));
    // Markdown has no tables without a head.
    let body = body.replace("<th></th>", "<td></td>");
    let about = "Everything that the page does, and what it cannot do, by HTTP.";
    docs::page(Frame { pkg, theme, title: "The API", about }, body)
}

fn page(html: String) -> Response {
    let mut headers = HeaderMap::new();
    let rows = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    headers.extend(rows.map(|(name, value)| (name, HeaderValue::from_static(value))));
    headers.extend(policy("script-src 'none'", false).map(|policy| (header::CONTENT_SECURITY_POLICY, policy)));
    (headers, html).into_response()
}
