//! API, version 1. Handlers parse, call one function, answer.
//!
//! - [`engines`]: what this server can do
//! - uploads: [`texts`]; those that are compressed: [`unpack`]
//! - [`jobs`], [`events`]: jobs and what they say
//! - [`results`]: windows into a result, of a job or of a link
//! - [`matrix`]: every cell of a small result
//! - [`dots`]: where both texts have a word in common, of a result of any size
//! - [`export`]: a result as a file
//! - [`links`]: results that are shared
//! - [`picture`](mod@picture): a shared result as a picture
//! - [`sealed`]: results that are shared and that the server cannot read
//! - [`oembed`](mod@oembed): what other sites ask before they show a result in a frame
//! - [`health`]: for whoever runs the server
//! - [`extract`]: path and query, with problem documents for what cannot be read

use axum::Router;
use axum::routing::{any, get, post, put};

use crate::State;
use crate::error::{Kind, Problem};

pub mod dots;
pub mod engines;
pub mod events;
pub mod export;
pub mod extract;
pub mod health;
pub mod jobs;
pub mod links;
pub mod matrix;
pub mod oembed;
pub mod picture;
pub mod results;
pub mod sealed;
pub mod texts;
pub mod unpack;

/// Every route of the API and of the health checks.
pub fn routes() -> Router<State> {
    let jobs = Router::new()
        .route("/", post(jobs::submit))
        .route("/{id}", get(jobs::snapshot).delete(jobs::cancel))
        .route("/{id}/events", get(events::events))
        .merge(results::routes::<results::OfJob>());
    let links = Router::new()
        .route("/", post(links::create))
        .route("/{id}", get(links::show).delete(links::remove))
        .route("/{id}/picture", get(picture::picture))
        .route("/{id}/card", get(picture::card))
        .merge(results::routes::<results::OfLink>());
    let sealed = Router::new().route("/", post(sealed::create)).route("/{id}", get(sealed::show).delete(links::remove));
    let version_1 = Router::new()
        .route("/engines", get(engines::engines))
        .route("/texts", put(texts::upload))
        .nest("/jobs", jobs)
        .nest("/links", links)
        .nest("/sealed", sealed)
        .route("/oembed", get(oembed::oembed));
    Router::new()
        .nest("/api/v1", version_1)
        .route("/api", any(nothing))
        .route("/api/{*rest}", any(nothing))
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .method_not_allowed_fallback(wrong_method)
}

async fn nothing() -> Problem {
    Problem::not_found("address")
}

async fn wrong_method(method: axum::http::Method) -> Problem {
    Problem::new(Kind::MethodNotAllowed, format!("{method} does not work here. See the Allow header or the documentation of the API."))
}
