//! Picture: a shared result as an image. `GET /api/v1/links/{id}/picture` returns SVG for documents and slides, and
//! `GET …/card` returns PNG for previews of links.

use app::model::result::meaning::meaning;
use app::model::result::picture::{MAX_RESULT_COLUMNS, ResultPicture};
use app::static_pages::article::{ArticleHit, title};
use app::tr::{Language, speaking};
use axum::extract::State as In;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{PathParams, QueryParams};
use super::links;
use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};
use crate::http::article::{first_hits, names};
use crate::http::preview_image;
use crate::id::Id;

/// Maximum number of hits that a picture of a search shows.
const MAX_PICTURE_HITS: u64 = 12;

/// Query of a picture: `?language=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PictureQuery {
    /// Language tag of the captions, such as `fr`. English if missing or unsupported.
    language: Option<String>,
}

impl PictureQuery {
    fn language(&self) -> Language {
        self.language.as_deref().and_then(Language::of_tag).unwrap_or_default()
    }
}

/// Handles `GET /api/v1/links/{id}/picture`: draws a shared result as an SVG image.
pub async fn picture(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(asked): QueryParams<PictureQuery>,
) -> Result<Response, ApiProblem> {
    let language = asked.language();
    let picture = drawn(&state, id, language).await?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], speaking(language, || picture.svg())).into_response())
}

/// Handles `GET /api/v1/links/{id}/card`: draws a shared result as a PNG image, for programs that show previews of
/// links.
pub async fn card(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(asked): QueryParams<PictureQuery>,
) -> Result<Response, ApiProblem> {
    let picture = drawn(&state, id, asked.language()).await?;
    let png = tokio::task::spawn_blocking(move || preview_image::png(&picture)).await.map_err(ApiProblem::internal)?;
    Ok(([(header::CONTENT_TYPE, "image/png")], png.map_err(ApiProblem::internal)?).into_response())
}

async fn drawn(state: &ServerState, id: Id, language: Language) -> Result<ResultPicture, ApiProblem> {
    let record = links::find(state, id).await?.record;
    let snapshot = &record.snapshot;
    let answer = snapshot.answer.as_ref().ok_or_else(|| ApiProblem::new(ProblemKind::NoResult, "There is no answer to draw."))?;
    let mut picture = ResultPicture {
        title: speaking(language, || title(snapshot, &names(&record))),
        meaning: speaking(language, || {
            meaning(answer, (snapshot.a.symbols, snapshot.b.symbols), &snapshot.options).with_line_ends_note(answer, &snapshot.warnings)
        }),
        summary: answer.alignment(),
        unit: snapshot.options.unit,
        source: format!("/r/{id}"),
        ..ResultPicture::default()
    };
    if answer.hits().is_some() {
        // There are no positions if the hits of the search were only counted.
        let hits = match first_hits(&state.results, &record, MAX_PICTURE_HITS).await {
            Err(problem) if problem.kind == ProblemKind::NoResult => Vec::new(),
            hits => hits?,
        };
        let place = |found: ArticleHit| found.hit.map(|hit| (format!("{}–{}", hit.start, hit.end), found.text.concat()));
        picture.hits = hits.into_iter().filter_map(place).collect();
    } else if answer.alignment().is_some() {
        picture.window = Some(state.results.window(&record, None, 0, MAX_RESULT_COLUMNS).await?);
    }
    Ok(picture)
}
