//! Pages of the application ([`routes`]). The data of a result is read before its page is rendered. The page of an
//! expired result answers 410, and that of an unknown result 404.
//!
//! - [`text`](mod@text): static pages: limits, how it works, the API

use app::model::visit::{LinkPreview, is_embed};
use app::tr::{Language, speaking};
use axum::Router;
use axum::extract::{Request, State as In};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};
use crate::http::api::links;
use crate::http::article;
use crate::http::page_assets::{PageAssets, ResultPageData, language};
use crate::id::Id;

pub mod text;

/// Creates the routes of the rendered pages and of their files. `site` is the folder of the built page.
pub fn routes(state: ServerState, site: &PageAssets) -> Router {
    let texts = text::routes(site).with_state(state.clone());
    let pages = site.router().layer(from_fn_with_state(state, load_result_data));
    texts.merge(pages)
}

/// Reads the data of a shared result before its page is rendered, and passes the data to the renderer. Sets the status
/// of the page if there is no such result, and excludes pages of results from search engines.
async fn load_result_data(In(state): In<ServerState>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let place = &parts[usize::from(is_embed(&path))..];
    let status = match *place {
        ["r", id] => {
            let asked = (is_embed(&path), language(request.headers()));
            status(shared(&state, id, asked).await.map(|known| {
                request.extensions_mut().insert(known);
            }))
        }
        ["s", id] => status(sealed(&state, id, language(request.headers())).await.map(|preview| {
            request.extensions_mut().insert(ResultPageData { preview, article: None });
        })),
        ["j", id] => status(job(&state, id).await),
        _ => StatusCode::OK,
    };
    let mut response = next.run(request).await;
    if status != StatusCode::OK {
        *response.status_mut() = status;
    }
    if matches!(place, ["r" | "s" | "j", ..]) || is_embed(&path) {
        response.headers_mut().insert("x-robots-tag", HeaderValue::from_static("noindex"));
    }
    response
}

/// Returns the link preview and the article of the shared result `id`, in `language`. `embed` tells whether the page is
/// shown in a frame of another site.
async fn shared(state: &ServerState, id: &str, (embed, language): (bool, Language)) -> Result<ResultPageData, ApiProblem> {
    let shared = links::find(state, parse(id, "shared result")?).await?;
    let article = article::read_article(state, shared, embed.then(|| format!("/r/{id}"))).await;
    let preview = speaking(language, || article.preview());
    Ok(ResultPageData { preview, article: Some(article.html(language)) })
}

async fn sealed(state: &ServerState, id: &str, language: Language) -> Result<LinkPreview, ApiProblem> {
    links::is_sealed(state, parse(id, "private link")?).await.map(|()| speaking(language, LinkPreview::of_sealed))
}

fn parse(id: &str, what: &str) -> Result<Id, ApiProblem> {
    id.parse().map_err(|_| ApiProblem::not_found(what))
}

async fn job(state: &ServerState, id: &str) -> Result<(), ApiProblem> {
    let id = parse(id, "job")?;
    state.jobs.find(id).await.map(drop)
}

fn status(found: Result<(), ApiProblem>) -> StatusCode {
    match found.map_err(|problem| problem.kind) {
        Ok(()) => StatusCode::OK,
        Err(ProblemKind::Gone) => StatusCode::GONE,
        Err(ProblemKind::NotFound) => StatusCode::NOT_FOUND,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
