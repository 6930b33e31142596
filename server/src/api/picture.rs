//! `GET /api/v1/links/{id}/picture`: a shared result as an SVG picture, for documents and slides; `GET …/card`: in pixels, for previews
//! of links.

use app::model::result::meaning::meaning;
use app::model::result::picture::{MOST_COLUMNS, Picture};
use app::still::article::{Found, title};
use app::tr::{Language, speaking};
use axum::extract::State as In;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{Path, Query};
use super::links;
use crate::State;
use crate::card;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::pages::article::{found, names};

/// Hits in a picture, at most.
const HITS: u64 = 12;

/// `?language=`
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Asked {
    /// Tag of the language of what is said, such as `fr`. English where it is left out, or is none that the page has.
    language: Option<String>,
}

impl Asked {
    fn language(&self) -> Language {
        self.language.as_deref().and_then(Language::of_tag).unwrap_or_default()
    }
}

/// The picture.
pub async fn picture(In(state): In<State>, Path(id): Path<Id>, Query(asked): Query<Asked>) -> Result<Response, Problem> {
    let language = asked.language();
    let picture = drawn(&state, id, language).await?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], speaking(language, || picture.svg())).into_response())
}

/// The same in pixels, for programs that show a link before it is opened.
pub async fn card(In(state): In<State>, Path(id): Path<Id>, Query(asked): Query<Asked>) -> Result<Response, Problem> {
    let picture = drawn(&state, id, asked.language()).await?;
    let png = tokio::task::spawn_blocking(move || card::png(&picture)).await.map_err(Problem::internal)?;
    Ok(([(header::CONTENT_TYPE, "image/png")], png.map_err(Problem::internal)?).into_response())
}

async fn drawn(state: &State, id: Id, language: Language) -> Result<Picture, Problem> {
    let record = links::find(state, id).await?.record;
    let snapshot = &record.snapshot;
    let answer = snapshot.answer.as_ref().ok_or_else(|| Problem::new(Kind::NoResult, "There is no answer to draw."))?;
    let mut picture = Picture {
        title: speaking(language, || title(snapshot, &names(&record))),
        meaning: speaking(language, || {
            meaning(answer, (snapshot.a.symbols, snapshot.b.symbols), &snapshot.options).apart_from(answer, &snapshot.warnings)
        }),
        summary: answer.alignment(),
        unit: snapshot.options.unit,
        source: format!("/r/{id}"),
        ..Picture::default()
    };
    if answer.hits().is_some() {
        // What was only counted has no places.
        let hits = match found(&state.results, &record, HITS).await {
            Err(problem) if problem.kind == Kind::NoResult => Vec::new(),
            hits => hits?,
        };
        let place = |found: Found| found.hit.map(|hit| (format!("{}–{}", hit.start, hit.end), found.text.concat()));
        picture.hits = hits.into_iter().filter_map(place).collect();
    } else if answer.alignment().is_some() {
        picture.window = Some(state.results.window(&record, None, 0, MOST_COLUMNS).await?);
    }
    Ok(picture)
}
