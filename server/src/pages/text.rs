//! Pages that are only read: no script runs in them.

use app::still::class_code::{self, Refused};
use app::still::learn::Lesson;
use app::still::learn::texts::Given;
use app::still::limits::{Limits, Listed};
use app::still::{Reader, docs, how, learn, limits, papers};
use app::tr::Language;
use axum::extract::State as In;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use kernels::plan::Offer;
use pulldown_cmark::{Options, Parser, html};
use serde::Deserialize;
use tower_http::compression::CompressionLayer;

use crate::State;
use crate::api::class_codes::resolve;
use crate::api::document::written;
use crate::api::extract::{Path, Query};
use crate::clients::Client;
use crate::error::Kind;
use crate::ports::offers::{Takes, WorkerOffer};
use crate::site::{Site, language, origin, policy, theme};
use crate::wire::reference;

/// The documentation of the API, as it is in the repository.
const API: &str = include_str!("../../../docs/api.md");

/// `/c`, `/how`, `/learn`, `/limits`, `/papers`, `/api/docs`.
pub fn routes(site: &Site) -> Router<State> {
    let pkg = format!("/{}", site.pkg);
    let [of_how, of_learn, of_limits, of_papers, of_codes, of_code_form] = std::array::from_fn(|_| pkg.clone());
    let of_docs = pkg;
    Router::new()
        .route(
            "/c/{code}",
            get(async move |In(state): In<State>, Extension(client): Extension<Client>, Path(code): Path<String>, headers: HeaderMap| {
                by_code(&state, client, Some(&code), Asked::default().reader(of_codes, &headers)).await
            }),
        )
        .route(
            class_code::PATH,
            get(async move |In(state): In<State>, Extension(client): Extension<Client>, Query(typed): Query<Typed>, headers: HeaderMap| {
                by_code(&state, client, typed.code.as_deref(), Asked::default().reader(of_code_form, &headers)).await
            }),
        )
        .route(
            how::PATH,
            get(async move |Query(asked): Query<Asked>, headers: HeaderMap| {
                let page = how::page(asked.reader(of_how, &headers));
                (asked.remembered(), answer(page))
            }),
        )
        .route(
            limits::PATH,
            get(async move |In(state): In<State>, Query(asked): Query<Asked>, headers: HeaderMap| {
                let page = limits::page(asked.reader(of_limits, &headers), &told(&state));
                (asked.remembered(), answer(page))
            }),
        )
        .route(
            learn::PATH,
            get(async move |Query(asked): Query<Asked>, Query(answered): Query<Answered>, headers: HeaderMap| {
                let page = learn::page(asked.reader(of_learn, &headers), answered.into());
                (asked.remembered(), answer(page))
            }),
        )
        .route(
            papers::PATH,
            get(async move |Query(asked): Query<Asked>, headers: HeaderMap| {
                let page = papers::page(asked.reader(of_papers, &headers));
                (asked.remembered(), answer(page))
            }),
        )
        .route("/api/docs", get(async move |headers: HeaderMap| answer(documentation(Asked::default().reader(of_docs, &headers)))))
        .layer(CompressionLayer::new())
}

/// A class code as the form sends it.
#[derive(Debug, Default, Deserialize)]
struct Typed {
    code: Option<String>,
}

/// Leads to the result of a class code, of which the visitor's page makes a copy; else shows the form for one.
async fn by_code(state: &State, client: Client, typed: Option<&str>, reader: Reader) -> Response {
    let Some(typed) = typed.map(str::trim).filter(|typed| !typed.is_empty()) else {
        return answer(class_code::page(reader, None));
    };
    let problem = match resolve(state, client, typed).await {
        Ok(link) => return ([(header::CACHE_CONTROL, "no-store")], Redirect::to(&format!("/r/{link}"))).into_response(),
        Err(problem) => problem,
    };
    let refused = match problem.kind {
        Kind::NotFound => Refused::Unknown { typed: typed.to_owned() },
        Kind::RateLimited => Refused::TooMany { minutes: problem.seconds().unwrap_or_default().div_ceil(60) },
        _ => Refused::Failed,
    };
    let mut response = answer(class_code::page(reader, Some(refused)));
    *response.status_mut() = StatusCode::from_u16(problem.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = problem.seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// What an address asks for. It counts more than what was chosen before and what the browser prefers.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    language: Option<String>,
}

impl Asked {
    fn chosen(&self) -> Option<Language> {
        self.language.as_deref().and_then(Language::of_tag)
    }

    fn language(&self, headers: &HeaderMap) -> Language {
        self.chosen().unwrap_or_else(|| language(headers))
    }

    fn reader(&self, pkg: String, headers: &HeaderMap) -> Reader {
        Reader { pkg, theme: theme(headers), language: self.language(headers), origin: origin(headers).unwrap_or_default() }
    }

    /// A cookie, so that the rest of the page speaks that language too: the same that the choice in the form's header leaves.
    fn remembered(&self) -> Option<[(HeaderName, HeaderValue); 1]> {
        let cookie = format!("language={}; path=/; max-age=31536000; samesite=lax", self.chosen()?.tag());
        Some([(header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?)])
    }
}

/// A lesson as its form sends it. What is left open is sent as nothing, and what is no number counts as that: a link that was cut off or
/// typed from a projector shows the lesson all the same.
#[derive(Debug, Default, Deserialize)]
struct Answered {
    seed: Option<String>,
    a: Option<String>,
    b: Option<String>,
    q1: Option<String>,
    q2: Option<String>,
    q3: Option<String>,
    q4: Option<String>,
    q5: Option<String>,
}

impl From<Answered> for Lesson {
    fn from(Answered { seed, a, b, q1, q2, q3, q4, q5 }: Answered) -> Self {
        let number = |said: Option<String>| said.and_then(|said| said.trim().parse::<u64>().ok());
        let seed = number(seed).and_then(|seed| u16::try_from(seed).ok()).unwrap_or_default();
        Self { seed: seed.into(), given: Given::read(a.as_deref(), b.as_deref()), answers: [q1, q2, q3, q4, q5].map(number) }
    }
}

fn told(state: &State) -> Limits {
    let config = &state.config;
    Limits {
        engines: engines(state),
        upload_bytes: config.max_upload_bytes,
        body_bytes: config.max_body_bytes,
        sealed_bytes: config.max_sealed_bytes.min(config.max_body_bytes),
        queue_seconds: config.queue_seconds,
        client_cells: config.client_cells,
        client_bytes: config.client_bytes,
        client_stored_bytes: config.client_stored_bytes,
        job_seconds: config.job_seconds,
        job_keep_seconds: config.job_keep_seconds,
        upload_keep_seconds: config.upload_keep_seconds,
    }
}

/// What jobs are computed with: of several hosts what each has.
fn engines(state: &State) -> Vec<Listed> {
    let workers: Vec<WorkerOffer> = state.jobs.workers().into_iter().filter(|worker| worker.takes == Takes::Jobs).collect();
    let is_many = workers.iter().any(|worker| worker.host != workers[0].host);
    if !is_many {
        // Workers of one host may share a device.
        let of_workers = |offer: &Offer| {
            let same = workers.iter().flat_map(|worker| &worker.engines).filter(|own| own.offered.offer.engine == offer.engine);
            same.map(|own| own.devices).max()
        };
        let devices = |offer: &Offer| of_workers(offer).unwrap_or_else(|| state.engines.device_count(offer.engine));
        return state.jobs.offers().into_iter().map(|offer| Listed { host: None, devices: devices(&offer), offer }).collect();
    }
    let all = workers.iter().flat_map(|worker| worker.engines.iter().map(|own| (worker.host.clone(), own)));
    all.map(|(host, own)| Listed { host: Some(host), devices: own.devices, offer: own.offered.offer.clone() }).collect()
}

/// The text is our own, so that its markup is trusted.
fn documentation(reader: Reader) -> String {
    let text = API.split_once('\n').map_or(API, |(_, text)| text);
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(text, Options::ENABLE_TABLES));
    // Markdown has no tables without a head.
    let body = body.replace("<th></th>", "<td></td>");
    let reference = reference::html(&written().value);
    let links = "<p>Every route, as <a href=\"/api/v1/openapi.json\">OpenAPI 3.1</a> says it.</p>";
    docs::page(reader, format!("{body}<h2 id=\"reference\">Reference</h2>{links}{reference}"))
}

fn answer(html: String) -> Response {
    let mut headers = HeaderMap::new();
    let rows = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-language, cookie"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    headers.extend(rows.map(|(name, value)| (name, HeaderValue::from_static(value))));
    headers.extend(policy("script-src 'none'", false).map(|policy| (header::CONTENT_SECURITY_POLICY, policy)));
    (headers, html).into_response()
}
