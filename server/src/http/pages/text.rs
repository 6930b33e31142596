//! Text: the static pages of the server, which need no scripts ([`routes`]).

use std::sync::Arc;

use app::model::visit::CLASS_SCORES;
use app::static_pages::class_code::{self, ClassCodeError};
use app::static_pages::hand_ins::links::{HandInRefusal, LinkTarget, PastedLink, PastedLinks};
use app::static_pages::hand_ins::score::HandInScore;
use app::static_pages::hand_ins::{self, HandIns};
use app::static_pages::learn::Lesson;
use app::static_pages::learn::collections::{self as class_sentences, TreeLesson};
use app::static_pages::learn::costs::{self, CostsLesson};
use app::static_pages::limits::{ListedEngine, PublishedLimits};
use app::static_pages::{StaticPageRequest, docs, how, learn, limits, papers};
use app::tr::Language;
use axum::extract::rejection::FormRejection;
use axum::extract::{DefaultBodyLimit, Form, RawQuery, State as In};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use explain::matrix::MAX_GRID_SYMBOLS;
use kernels::job::{JobOptions, Task};
use kernels::plan::PlannerOffer;
use kernels::text::Pair;
use pulldown_cmark::{Options, Parser, html};
use serde::Deserialize;
use tower_http::compression::CompressionLayer;

use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};
use crate::http::api::class_codes::resolve;
use crate::http::api::document::written;
use crate::http::api::extract::{PathParams, QueryParams};
use crate::http::api::links;
use crate::http::page_assets::{PageAssets, language, origin, policy, theme};
use crate::http::wire::reference;
use crate::identity::ClientIdentity;
use crate::storage::ports::offers::{WorkerAvailability, WorkerOffer};

/// The guide to the API in Markdown, from the folder `docs` of the repository.
const API_GUIDE: &str = include_str!("../../../../docs/api.md");

/// Creates the routes of the static pages `/c`, `/hand-ins`, `/how`, `/learn`, `/learn/costs`,
/// `/learn/collections`, `/limits`, `/papers` and `/api/docs`. `site` is the folder of the built page, which has their style sheets.
pub fn routes(site: &PageAssets) -> Router<ServerState> {
    let pkg = format!("/{}", site.pkg);
    let [of_how, of_learn, of_costs, of_sentences, of_limits, of_papers, of_codes, of_code_form, of_hand_ins, of_scores] =
        std::array::from_fn(|_| pkg.clone());
    let of_docs = pkg;
    Router::new()
        .route(
            "/c/{code}",
            get(
                async move |In(state): In<ServerState>,
                            Extension(client): Extension<ClientIdentity>,
                            PathParams(code): PathParams<String>,
                            headers: HeaderMap| {
                    by_code(&state, client, Some(&code), LanguageQuery::default().reader(of_codes, &headers)).await
                },
            ),
        )
        .route(
            class_code::PATH,
            get(
                async move |In(state): In<ServerState>,
                            Extension(client): Extension<ClientIdentity>,
                            QueryParams(typed): QueryParams<ClassCodeForm>,
                            headers: HeaderMap| {
                    by_code(&state, client, typed.code.as_deref(), LanguageQuery::default().reader(of_code_form, &headers)).await
                },
            ),
        )
        .route(
            how::PATH,
            get(async move |QueryParams(asked): QueryParams<LanguageQuery>, headers: HeaderMap| {
                let page = how::page(asked.reader(of_how, &headers));
                (asked.remembered(), answer(page))
            }),
        )
        .route(
            limits::PATH,
            get(async move |In(state): In<ServerState>, QueryParams(asked): QueryParams<LanguageQuery>, headers: HeaderMap| {
                let page = limits::page(asked.reader(of_limits, &headers), &published_limits(&state));
                (asked.remembered(), answer(page))
            }),
        )
        .route(
            learn::PATH,
            get(async move |QueryParams(asked): QueryParams<LanguageQuery>, RawQuery(query): RawQuery, headers: HeaderMap| {
                let lesson = Lesson::read(query.as_deref().unwrap_or_default());
                let page = learn::page(asked.reader(of_learn, &headers), lesson);
                (asked.remembered(), answer(page))
            }),
        )
        .route(
            costs::PATH,
            get(async move |QueryParams(asked): QueryParams<LanguageQuery>, RawQuery(query): RawQuery, headers: HeaderMap| {
                let lesson = CostsLesson::read(query.as_deref().unwrap_or_default());
                let page = costs::page(asked.reader(of_costs, &headers), lesson);
                (asked.remembered(), answer(page))
            }),
        )
        .route(
            class_sentences::PATH,
            get(async move |QueryParams(asked): QueryParams<LanguageQuery>, RawQuery(query): RawQuery, headers: HeaderMap| {
                let lesson = TreeLesson::read(query.as_deref().unwrap_or_default());
                let page = class_sentences::page(asked.reader(of_sentences, &headers), lesson);
                (asked.remembered(), answer(page))
            }),
        )
        .route(
            CLASS_SCORES,
            get(async move |QueryParams(asked): QueryParams<LanguageQuery>, headers: HeaderMap| {
                let page = hand_ins::page(asked.reader(of_hand_ins, &headers), None::<fn() -> HandIns>);
                (asked.remembered(), answer(page))
            })
            .post(async move |In(state): In<ServerState>, headers: HeaderMap, sent: Result<Form<HandInForm>, FormRejection>| match sent {
                Ok(Form(sent)) => scores(&state, sent, LanguageQuery::default().reader(of_scores, &headers)).await,
                Err(_) => unread().into_response(),
            })
            .layer(DefaultBodyLimit::max(MAX_PASTED_BYTES)),
        )
        .route(
            papers::PATH,
            get(async move |QueryParams(asked): QueryParams<LanguageQuery>, headers: HeaderMap| {
                let page = papers::page(asked.reader(of_papers, &headers));
                (asked.remembered(), answer(page))
            }),
        )
        .route("/api/docs", get(async move |headers: HeaderMap| answer(documentation(LanguageQuery::default().reader(of_docs, &headers)))))
        .layer(CompressionLayer::new())
}

/// The form on the page `/c`, into which a user types a class code.
#[derive(Debug, Default, Deserialize)]
struct ClassCodeForm {
    code: Option<String>,
}

/// Redirects to the result with the class code `typed`. Without a code or with a wrong one, shows the form for a code.
/// The number of wrong codes that `client` may try is limited. `reader` has the language and the theme of the visitor.
async fn by_code(state: &ServerState, client: ClientIdentity, typed: Option<&str>, reader: StaticPageRequest) -> Response {
    let Some(typed) = typed.map(str::trim).filter(|typed| !typed.is_empty()) else {
        return answer(class_code::page(reader, None));
    };
    let problem = match resolve(state, client, typed).await {
        Ok(link) => {
            // If the link does not exist, the page to which this redirects says so.
            let view = links::find(state, link).await.ok().and_then(|shared| shared.record.view);
            let view = view.map_or_else(String::new, |view| format!("#{view}"));
            return ([(header::CACHE_CONTROL, "no-store")], Redirect::to(&format!("/r/{link}{view}"))).into_response();
        }
        Err(problem) => problem,
    };
    let refused = match problem.kind {
        ProblemKind::NotFound => ClassCodeError::Unknown { typed: typed.to_owned() },
        ProblemKind::RateLimited => ClassCodeError::TooMany { minutes: problem.seconds().unwrap_or_default().div_ceil(60) },
        _ => ClassCodeError::Failed,
    };
    let mut response = answer(class_code::page(reader, Some(refused)));
    *response.status_mut() = StatusCode::from_u16(problem.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = problem.seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Maximum size of the form with pasted links, in bytes: 300 long links, encoded in a form.
const MAX_PASTED_BYTES: usize = 2 << 20;

/// The form into which a teacher pastes the links of a class.
#[derive(Debug, Default, Deserialize)]
struct HandInForm {
    links: String,
    format: Option<String>,
}

/// Creates the problem of a sent form that cannot be parsed.
fn unread() -> ApiProblem {
    let detail = format!("The links could not be read. Send them as the field links of a form, with at most {MAX_PASTED_BYTES} bytes.");
    ApiProblem::new(ProblemKind::Malformed, detail).limit(MAX_PASTED_BYTES as u64, None)
}

/// Answers with the scores of the answers to questions that the links in `sent`, pasted by a teacher, contain. Takes
/// milliseconds, because questions are about short texts.
async fn scores(state: &ServerState, sent: HandInForm, reader: StaticPageRequest) -> Response {
    let pasted = PastedLinks::read(&sent.links);
    let mut pairs = Vec::with_capacity(pasted.links.len());
    for link in &pasted.links {
        pairs.push(match &link.target {
            LinkTarget::Stored { id, .. } => Some(stored(state, id).await),
            _ => None,
        });
    }
    let is_csv = sent.format.as_deref() == Some("csv");
    let language = reader.language;
    let scored = move || {
        let score = |(link, pair): (&PastedLink, Option<StoredTexts>)| match (&link.target, pair) {
            (LinkTarget::Texts { form, link_view: look }, _) => HandInScore::of_form(form, look),
            (LinkTarget::Lesson(lesson), _) => Ok(HandInScore::of_lesson(lesson)),
            (LinkTarget::Stored { link_view: look, .. }, Some(Ok((task, options, pair)))) => {
                HandInScore::of_pair(task, &options, &pair, look)
            }
            (LinkTarget::Stored { .. }, Some(Err(refusal))) => Err(refusal),
            (LinkTarget::Stored { .. }, None) => Err(HandInRefusal::Gone),
            (LinkTarget::Refused(refusal), _) => Err(*refusal),
        };
        let scores = pasted.links.iter().zip(pairs).map(score).collect();
        HandIns::new(sent.links, pasted, scores)
    };
    let write = move || match is_csv {
        true => hand_ins::csv(language, scored),
        false => hand_ins::page(reader, Some(scored)),
    };
    match state.results.run_query(move |_| Ok(write())).await {
        Ok(csv) if is_csv => {
            let rows = [
                (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
                (header::CONTENT_DISPOSITION, "attachment; filename=\"scores.csv\""),
                (header::CACHE_CONTROL, "no-store"),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            (rows, csv).into_response()
        }
        Ok(page) => ([(header::CACHE_CONTROL, "no-store")], answer(page)).into_response(),
        Err(problem) => problem.into_response(),
    }
}

/// The task, the options and the parsed texts of a stored result, or the reason why answers about the result
/// cannot be scored.
type StoredTexts = Result<(Task, JobOptions, Arc<Pair>), HandInRefusal>;

/// Returns the task, the options and the parsed texts of the stored result `id`.
///
/// # Errors
/// Returns an error if the result cannot be read, or if its texts are too long for questions about them.
async fn stored(state: &ServerState, id: &str) -> StoredTexts {
    let id = id.parse().map_err(|_| HandInRefusal::Gone)?;
    let record = links::find(state, id).await.map_err(|_| HandInRefusal::Gone)?.record;
    let snapshot = &record.snapshot;
    if snapshot.a.symbols.max(snapshot.b.symbols) > MAX_GRID_SYMBOLS as u64 {
        return Err(HandInRefusal::TooLong);
    }
    let pair = state.results.texts(record.texts()).await.map_err(|_| HandInRefusal::Gone)?;
    Ok((snapshot.task, snapshot.options.clone(), pair))
}

/// The query of a static page: `?language=`. This language takes precedence over the cookie and the browser's
/// preference.
#[derive(Debug, Default, Deserialize)]
struct LanguageQuery {
    language: Option<String>,
}

impl LanguageQuery {
    fn chosen(&self) -> Option<Language> {
        self.language.as_deref().and_then(Language::of_tag)
    }

    fn language(&self, headers: &HeaderMap) -> Language {
        self.chosen().unwrap_or_else(|| language(headers))
    }

    fn reader(&self, pkg: String, headers: &HeaderMap) -> StaticPageRequest {
        StaticPageRequest { pkg, theme: theme(headers), language: self.language(headers), origin: origin(headers).unwrap_or_default() }
    }

    /// Returns the header with a cookie that stores the chosen language for other pages, or `None` if the query has no
    /// language. The language menu sets the same cookie.
    fn remembered(&self) -> Option<[(HeaderName, HeaderValue); 1]> {
        let cookie = format!("language={}; path=/; max-age=31536000; samesite=lax", self.chosen()?.tag());
        Some([(header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?)])
    }
}

fn published_limits(state: &ServerState) -> PublishedLimits {
    let config = &state.config;
    PublishedLimits {
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

/// Returns the engines with their devices, for the list on a page. In a cluster of several hosts, each host has entries
/// of its own.
fn engines(state: &ServerState) -> Vec<ListedEngine> {
    let workers: Vec<WorkerOffer> = state.jobs.workers().into_iter().filter(|worker| worker.takes == WorkerAvailability::Jobs).collect();
    let is_many = workers.iter().any(|worker| worker.host != workers[0].host);
    if !is_many {
        // Several workers of one host may use the same device.
        let of_workers = |offer: &PlannerOffer| {
            let same = workers.iter().flat_map(|worker| &worker.engines).filter(|own| own.offered.offer.engine == offer.engine);
            same.map(|own| own.devices).max()
        };
        let devices = |offer: &PlannerOffer| of_workers(offer).unwrap_or_else(|| state.engines.device_count(offer.engine));
        return state.jobs.offers().into_iter().map(|offer| ListedEngine { host: None, devices: devices(&offer), offer }).collect();
    }
    let all = workers.iter().flat_map(|worker| worker.engines.iter().map(|own| (worker.host.clone(), own)));
    all.map(|(host, own)| ListedEngine { host: Some(host), devices: own.devices, offer: own.offered.offer.clone() }).collect()
}

/// Returns the page with the guide to the API and the reference. The HTML of the guide is not escaped, because it comes
/// from the repository.
fn documentation(reader: StaticPageRequest) -> String {
    let text = API_GUIDE.split_once('\n').map_or(API_GUIDE, |(_, text)| text);
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(text, Options::ENABLE_TABLES));
    // A Markdown table always has a head, which may be empty.
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
