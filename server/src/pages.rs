//! Pages: what the server knows about a page before it renders it. A result that is gone answers 410 and one that never was
//! 404, with the page saying so.

use app::visit::Preview;
use axum::Router;
use axum::extract::{Request, State as In};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use crate::State;
use crate::api::links;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::site::Site;

/// The page and its files.
pub fn routes(state: State, site: &Site) -> Router {
    site.router().layer(from_fn_with_state(state, known))
}

/// Sets the status of a page that shows a result, and keeps results out of search engines.
async fn known(In(state): In<State>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let status = match path.split('/').collect::<Vec<_>>()[..] {
        ["", "r", id] => status(shared(&state, id).await.map(|preview| {
            request.extensions_mut().insert(preview);
        })),
        ["", "j", id] => status(job(&state, id).await),
        _ => StatusCode::OK,
    };
    let mut response = next.run(request).await;
    if status != StatusCode::OK {
        *response.status_mut() = status;
    }
    if path.starts_with("/r/") || path.starts_with("/j/") {
        response.headers_mut().insert("x-robots-tag", HeaderValue::from_static("noindex"));
    }
    response
}

/// What chats show of a shared result.
async fn shared(state: &State, id: &str) -> Result<Preview, Problem> {
    let id: Id = id.parse().map_err(|_| Problem::not_found("shared result"))?;
    Ok(Preview::of(&links::find(state, id).await?.record.snapshot))
}

async fn job(state: &State, id: &str) -> Result<(), Problem> {
    let id: Id = id.parse().map_err(|_| Problem::not_found("job"))?;
    state.jobs.find(id).await.map(drop)
}

fn status(found: Result<(), Problem>) -> StatusCode {
    match found.map_err(|problem| problem.kind) {
        Ok(()) => StatusCode::OK,
        Err(Kind::Gone) => StatusCode::GONE,
        Err(Kind::NotFound) => StatusCode::NOT_FOUND,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
