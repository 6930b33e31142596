//! `GET /api/v1/openapi.json`: the OpenAPI document of every route.

use std::sync::OnceLock;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

/// The OpenAPI document as it is served, with its entity tag.
#[derive(Debug)]
pub struct OpenApiDocument {
    pub value: Value,
    /// The document as JSON text.
    pub json: String,
    tag: HeaderValue,
}

/// Returns the OpenAPI document. The first call builds it, and later calls return the cached document.
pub fn written() -> &'static OpenApiDocument {
    static WRITTEN: OnceLock<OpenApiDocument> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let value = super::described().1;
        let json = format!("{value:#}\n");
        let tag = format!("\"{}\"", &blake3::hash(json.as_bytes()).to_hex()[..16]);
        OpenApiDocument { value, json, tag: HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"0\"")) }
    })
}

/// Serves the OpenAPI document. Answers 304 without the document if the header `If-None-Match` has the current entity
/// tag.
pub async fn document(headers: HeaderMap) -> Response {
    let OpenApiDocument { json, tag, .. } = written();
    let head = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    let known = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let is_known =
        known.is_some_and(|tags| tags.split(',').any(|known| known.trim().trim_start_matches("W/").as_bytes() == tag.as_bytes()));
    if is_known { (StatusCode::NOT_MODIFIED, head).into_response() } else { (head, json.as_str()).into_response() }
}
