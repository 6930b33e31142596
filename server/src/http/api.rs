//! API, version 1. A handler parses its request, calls one function and answers.
//!
//! - [`engines`]: engines and limits of this server
//! - uploads: [`mod@texts`]; decompression of uploads: [`unpack`]
//! - [`mod@jobs`], [`events`]: jobs and their event streams; `job_body`: the request body of a job
//! - [`collections`]: many texts compared with many
//! - [`results`]: windows into the result of a job or a link
//! - [`matrix`]: every cell of a small result
//! - [`dots`]: common words of both texts, for results of any size
//! - [`export`]: a result as a file
//! - [`links`]: shared results
//! - [`picture`](mod@picture): a shared result as a picture
//! - [`sealed`]: shared results that the server cannot read
//! - [`oembed`](mod@oembed): frame descriptions for sites that embed results
//! - [`health`]: checks for operators and load balancers
//! - [`document`]: the OpenAPI document of all routes
//! - [`extract`]: path and query extractors that answer with problem documents

use axum::Router;
use axum::routing::{any, get};
use explain::collection::request::CollectionRequest;
use explain::collection::snapshot::{CollectionSnapshot, CollectionTile, StartedCollection};
use explain::difference_filter::DifferencePosition;
use explain::dots::DotPlot;
use explain::export::document as export_document;
use explain::matrix::document::{MatrixDocument, MatrixSymbols};
use explain::points::{PointsSummary, PointsWindow};
use explain::snapshot::JobSnapshot;
use explain::window::AlignmentWindow;
use explain::wire::{
    AlignmentOverview, AnsweredJob, ColumnNumber, CreatedLink, DistanceCounts, HitPageResponse, JobReceipt, NewLink, OffsetScores,
    OriginalTextPiece, RecordPage, SharedResult, SideBySide, StoredUpload,
};
use kernels::event::JobEvent;
use kernels::job::JobRequest;
use serde_json::Value;

use self::results::{HitQuery, PointsQuery, RangeQuery, ResultHolder};
use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};
use crate::http::wire::operation::ApiOperation;
use crate::http::wire::routes::ApiRoutes;

pub mod class_codes;
pub mod collections;
pub mod document;
pub mod dots;
pub mod engines;
pub mod events;
pub mod export;
pub mod extract;
pub mod health;
mod job_body;
pub mod jobs;
pub mod links;
pub mod matrix;
pub mod oembed;
pub mod picture;
pub mod results;
pub mod sealed;
pub mod texts;
pub mod unpack;

/// HTTP statuses of the problems that any query into a result can cause.
const QUERY_STATUSES: [u16; 6] = [400, 404, 409, 410, 422, 503];

/// Builds the routes of the API and of the health checks. Returns their router and their OpenAPI document.
pub fn described() -> (Router<ServerState>, Value) {
    let routes = ApiRoutes::default().tag("Server").get(
        "/api/v1/engines",
        engines::engines,
        ApiOperation::new("What this server can do")
            .answer::<engines::EnginesAnswer>(200, "Its engines with their measured rates, and what it takes."),
    );
    let routes = compared_collections(shared(jobs(texts(routes))));
    routes
        .tag("Server")
        .get(
            "/api/v1/openapi.json",
            document::document,
            ApiOperation::new("This document").file(200, &["application/json"], "OpenAPI 3.1."),
        )
        .get("/livez", health::livez, ApiOperation::new("Whether the process answers").file(200, &["text/plain"], "It does."))
        .get(
            "/readyz",
            health::readyz,
            ApiOperation::new("Whether the store can be written and an engine is there")
                .answer::<health::ReadyReport>(200, "They are, and what each part says.")
                .problems(&[503]),
        )
        .finish()
}

/// Builds the routes of the health checks `/livez` and `/readyz` alone.
pub fn health_routes() -> Router<ServerState> {
    let routes = Router::new().route("/livez", get(health::livez)).route("/readyz", get(health::readyz));
    routes.fallback(nothing).method_not_allowed_fallback(wrong_method)
}

/// Builds the routes of the API and of the health checks. Unknown addresses and methods are answered with problem
/// documents.
pub fn routes() -> Router<ServerState> {
    described()
        .0
        .route("/api", any(nothing))
        .route("/api/", any(nothing))
        .route("/livez/", any(nothing))
        .route("/readyz/", any(nothing))
        .route("/api/{*rest}", any(nothing))
        .method_not_allowed_fallback(wrong_method)
}

fn texts(routes: ApiRoutes) -> ApiRoutes {
    let upload = ApiOperation::new("Uploads a text")
        .about(
            "The body is the text. gzip and zstd are unpacked, whether the file is such or it was sent with that `Content-Encoding`; \
             `?unpack=never` stores any file as it is; without it, one of a format that holds no plain text is refused. An upload may be used by any number of jobs until its time is over.",
        )
        .query::<texts::UploadQuery>()
        .header("Content-Encoding", "`gzip` or `zstd`.")
        .bytes("The text.")
        .answer::<StoredUpload>(201, "It is stored.")
        .problems(&[400, 403, 413, 415, 422, 429, 503, 507]);
    let remove = ApiOperation::new("Deletes an upload")
        .about("Jobs and links that use the text keep it; its file goes once none does.")
        .bearer()
        .nothing(204, "It is deleted.")
        .problems(&[403, 404, 503]);
    routes.tag("Texts").put("/api/v1/texts", texts::upload, upload).delete("/api/v1/texts/{id}", texts::remove, remove)
}

fn jobs(routes: ApiRoutes) -> ApiRoutes {
    let submit = ApiOperation::new("Starts a job")
        .about("With `wait` the answer is the snapshot of a job that ends in time. What the same client was answered lately is answered again, and \
             said to be `reused`.")
        .query::<jobs::SubmitQuery>()
        .header("Idempotency-Key", "Up to 255 bytes. The same key and body lead to the same job; another body is refused (`key-reused`).")
        .json::<JobRequest>()
        .answer::<AnsweredJob>(200, "It has ended; see `answer` or `failure`.")
        .answer::<JobReceipt>(202, "It is taken; here it can be followed.")
        .located(200)
        .located(202)
        .problems(&[400, 403, 404, 413, 415, 422, 429, 503, 507]);
    let cancel = ApiOperation::new("Cancels a job")
        .about("With its token as `Authorization: Bearer …` it is deleted too, with its result.")
        .header("Authorization", "`Bearer` and the `delete_token` that was shown when the job was started.")
        .nothing(204, "It has ended.")
        .nothing(202, "It ends in a moment.")
        .problems(&[403, 404, 410]);
    let events = ApiOperation::new("Follows a job")
        .about(
            "Server-sent events, each with its number as `id` and the schema `Event` as `data`, from the first one that is not known; the \
             stream closes after the last. `event: resync` says that events were missed.",
        )
        .query::<events::EventsQuery>()
        .header("Last-Event-ID", "Number of the last event that is known; it counts more than `after`.")
        .file(200, &["text/event-stream"], "The events.")
        .schema::<JobEvent>()
        .nothing(204, "The last event is known already.")
        .problems(&[400, 404, 410, 429]);
    let routes = routes
        .tag("Jobs")
        .post("/api/v1/jobs", jobs::submit, submit)
        .get(
            "/api/v1/jobs/{id}",
            jobs::snapshot,
            ApiOperation::new("Where a job stands").answer::<JobSnapshot>(200, "The sum of its events.").problems(&[404, 410]),
        )
        .delete("/api/v1/jobs/{id}", jobs::cancel, cancel)
        .get("/api/v1/jobs/{id}/events", events::events, events);
    add_result_queries::<results::JobHolder>(routes.tag("Results of jobs"), "/api/v1/jobs/{id}")
}

fn compared_collections(routes: ApiRoutes) -> ApiRoutes {
    let files = ["application/json", "text/csv", "text/plain", "application/octet-stream"];
    let compare = ApiOperation::new("Compares many texts")
        .about(
            "Every text of `a` with every other one, or with every text of `b`. The tasks `exact-search` and `approximate-search` find \
             every pattern of `a` in the text `b`. Without `wait`, the answer is the file in the requested `format`. Nothing is \
             stored, and the computation stops if the client disconnects. With `wait`, the comparison is a job of its own, and the \
             answer is its state. Numbers of texts count from 0.",
        )
        .query::<collections::CollectionQuery>()
        .header(
            "Idempotency-Key",
            "With `wait`: up to 255 bytes. The same key and body lead to the same comparison; another body is refused (`key-reused`).",
        )
        .json::<CollectionRequest>()
        .file(200, &files, "The scores, or the kept pairs. With `wait`, the state of the comparison, which has ended.")
        .answer::<StartedCollection>(202, "The comparison is taken; here it can be followed.")
        .located(202)
        .problems(&[400, 404, 413, 415, 422, 429, 503, 507]);
    let cancel = ApiOperation::new("Cancels a comparison")
        .about("With its token as `Authorization: Bearer …` it is deleted too, with its answer.")
        .header("Authorization", "`Bearer` and the `delete_token` that was shown when the comparison was started.")
        .nothing(204, "It has ended.")
        .nothing(202, "It ends in a moment.")
        .problems(&[403, 404, 410]);
    let events = ApiOperation::new("Follows a comparison")
        .about("Server-sent events, as those of a job. The last event of a comparison that succeeds is `compared`.")
        .query::<events::EventsQuery>()
        .header("Last-Event-ID", "Number of the last event that is known; it counts more than `after`.")
        .file(200, &["text/event-stream"], "The events.")
        .nothing(204, "The last event is known already.")
        .problems(&[400, 404, 410, 429]);
    routes
        .tag("Collections")
        .post("/api/v1/collections", collections::compare, compare)
        .get(
            "/api/v1/collections/{id}",
            collections::jobs::snapshot,
            ApiOperation::new("Where a comparison stands")
                .answer::<CollectionSnapshot>(200, "The sum of its events.")
                .problems(&[404, 410]),
        )
        .delete("/api/v1/collections/{id}", collections::jobs::cancel, cancel)
        .get("/api/v1/collections/{id}/events", collections::jobs::events, events)
        .get(
            "/api/v1/collections/{id}/export",
            collections::answers::export,
            ApiOperation::new("The answer of a comparison as a file")
                .query::<collections::answers::CollectionExportQuery>()
                .file(200, &files, "The file, written while it is sent.")
                .problems(&[400, 404, 409, 410, 422, 429, 503]),
        )
        .get(
            "/api/v1/collections/{id}/tiles",
            collections::answers::tiles,
            ApiOperation::new("A rectangle of the answer of a comparison")
                .about("For a map. If there are more pairs than cells, a cell has the most similar pair.")
                .query::<collections::answers::TileQuery>()
                .answer::<CollectionTile>(200, "The cells, row by row.")
                .problems(&[400, 404, 409, 410, 422, 429, 503]),
        )
}

fn shared(routes: ApiRoutes) -> ApiRoutes {
    let remove = |what| ApiOperation::new(what).bearer().nothing(204, "It is deleted.").problems(&[403, 404, 410]);
    let create = ApiOperation::new("Shares the result of a job")
        .json::<NewLink>()
        .answer::<CreatedLink>(201, "The link, and the token that deletes it, which is shown this once.")
        .located(201)
        .problems(&[400, 403, 404, 409, 410, 413, 415, 422, 503, 507]);
    let routes = routes
        .tag("Links")
        .post("/api/v1/links", links::create, create)
        .get(
            "/api/v1/links/{id}",
            links::show,
            ApiOperation::new("A shared result").answer::<SharedResult>(200, "The job as it ended.").problems(&[404, 409, 410]),
        )
        .delete("/api/v1/links/{id}", links::remove, remove("Deletes a shared result"))
        .get(
            "/api/v1/links/{id}/picture",
            picture::picture,
            ApiOperation::new("A shared result as a picture")
                .query::<picture::PictureQuery>()
                .file(200, &["image/svg+xml"], "SVG.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            "/api/v1/links/{id}/card",
            picture::card,
            ApiOperation::new("A shared result as a picture of 1200 × 630 pixels")
                .query::<picture::PictureQuery>()
                .file(200, &["image/png"], "PNG.")
                .problems(&QUERY_STATUSES),
        );
    let seal = ApiOperation::new("Stores what only the sender can read")
        .about("The body is kept as it is.")
        .query::<sealed::SealedLinkQuery>()
        .bytes("Encrypted bytes.")
        .answer::<CreatedLink>(201, "The link, and the token that deletes it, which is shown this once.")
        .located(201)
        .problems(&[400, 403, 413, 415, 503, 507]);
    let routes = add_result_queries::<results::LinkHolder>(routes.tag("Results of links"), "/api/v1/links/{id}")
        .tag("Sealed results")
        .post("/api/v1/sealed", sealed::create, seal)
        .get(
            "/api/v1/sealed/{id}",
            sealed::show,
            ApiOperation::new("The bytes that were stored")
                .file(200, &["application/octet-stream"], "As they came.")
                .problems(&[404, 410, 503]),
        )
        .delete("/api/v1/sealed/{id}", links::remove, remove("Deletes what was stored"));
    let frame = ApiOperation::new("The frame for an address of this server")
        .about("[oEmbed](https://oembed.com), for sites that show results in frames.")
        .query::<oembed::OembedQuery>()
        .answer::<oembed::OembedAnswer>(200, "The frame.")
        .problems(&[400, 404, 409, 410]);
    routes.tag("Links").get("/api/v1/oembed", oembed::oembed, frame)
}

/// Adds to `routes` the queries into the result of a job or of a link, which is the kind `H`. `at` is the path of the
/// job or link, such as `/api/v1/jobs/{id}`.
fn add_result_queries<H: ResultHolder>(routes: ApiRoutes, at: &str) -> ApiRoutes {
    let path = |rest: &str| format!("{at}/{rest}");
    let files = ["text/plain", "application/json", "text/csv", "image/svg+xml", "text/html"];
    routes
        .get(
            &path("alignment"),
            results::alignment::<H>,
            ApiOperation::new("Columns of the alignment")
                .about("At most 20,000.")
                .query::<RangeQuery>()
                .query::<HitQuery>()
                .answer::<AlignmentWindow>(200, "The columns, with the texts under them.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("overview"),
            results::overview::<H>,
            ApiOperation::new("Edits in equal parts of the alignment")
                .query::<PointsQuery>()
                .query::<HitQuery>()
                .answer::<AlignmentOverview>(200, "The parts.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("differences"),
            results::nearest::<H>,
            ApiOperation::new("The difference at a column")
                .query::<results::ColumnQuery>()
                .query::<results::EditKindsQuery>()
                .query::<HitQuery>()
                .answer::<DifferencePosition>(200, "A run of columns that are not equal.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("differences/{number}"),
            results::difference::<H>,
            ApiOperation::new("The difference of a number")
                .query::<results::EditKindsQuery>()
                .query::<HitQuery>()
                .answer::<DifferencePosition>(200, "A run of columns that are not equal.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("column"),
            results::column::<H>,
            ApiOperation::new("The column of a symbol")
                .query::<results::PositionQuery>()
                .query::<HitQuery>()
                .answer::<ColumnNumber>(200, "The column.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("points"),
            results::points::<H>,
            ApiOperation::new("Points of the columns of an alignment")
                .about("Of `sequence-alignment`. At most 20,000 columns.")
                .query::<RangeQuery>()
                .answer::<PointsWindow>(200, "The points, and their sum before the first of these columns.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("sums"),
            results::sums::<H>,
            ApiOperation::new("Sums of the points of an alignment")
                .about("Of `sequence-alignment`, for each kind of column and, with a matrix, for each pair of letters.")
                .answer::<PointsSummary>(200, "The sums, which add up to the score.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("editions"),
            results::editions::<H>,
            ApiOperation::new("Both texts side by side")
                .about("Of `words` and `lines`. Without `len` the runs of rows that differ, else rows.")
                .query::<RangeQuery>()
                .answer::<SideBySide>(200, "The rows.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("hits"),
            results::hits::<H>,
            ApiOperation::new("Hits of a search")
                .about("100 where `len` is left out, at most 1,000.")
                .query::<RangeQuery>()
                .query::<results::ContextQuery>()
                .answer::<HitPageResponse>(200, "The hits.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("profile"),
            results::profile::<H>,
            ApiOperation::new("Scores of a search over its offsets")
                .query::<RangeQuery>()
                .query::<PointsQuery>()
                .answer::<OffsetScores>(200, "The scores, down-sampled.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("counts"),
            results::counts::<H>,
            ApiOperation::new("How many ends have each distance")
                .about("Of `approximate-search`.")
                .answer::<DistanceCounts>(200, "From distance 0 on.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("matrix"),
            matrix::matrix::<H>,
            ApiOperation::new("Every cell of the matrix")
                .about("Of texts with at most 500 symbols. With `only=symbols`, of at most 2,000, the fields of `MatrixSymbols` alone.")
                .query::<matrix::MatrixQuery>()
                .either::<MatrixDocument, MatrixSymbols>(200, "The matrix, or its symbols.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("dots"),
            dots::dots::<H>,
            ApiOperation::new("Where both texts have a word in common")
                .query::<dots::DotPlotQuery>()
                .answer::<DotPlot>(200, "How many dots each part has.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("texts/{side}"),
            results::text::<H>,
            ApiOperation::new("A piece of a text")
                .about("At most 100,000 bytes.")
                .query::<RangeQuery>()
                .answer::<OriginalTextPiece>(200, "The piece as it was given.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("texts/{side}/file"),
            results::whole::<H>,
            ApiOperation::new("A whole text")
                .file(200, &["application/octet-stream"], "Byte for byte as it was given.")
                .problems(&[404, 410, 503]),
        )
        .get(
            &path("records"),
            results::records::<H>,
            ApiOperation::new("Records of a file")
                .about("100 where `len` is left out, at most 1,000.")
                .query::<RangeQuery>()
                .query::<results::RecordsQuery>()
                .answer::<RecordPage>(200, "The records.")
                .problems(&QUERY_STATUSES),
        )
        .get(
            &path("export"),
            results::export::<H>,
            ApiOperation::new("The result as a file")
                .about("`from` and `len` are the columns of an `svg`. The schema of `json` is `ResultDocument`.")
                .query::<results::ExportQuery>()
                .query::<RangeQuery>()
                .query::<HitQuery>()
                .file(200, &files, "The file, written while it is sent.")
                .schema::<export_document::ResultDocument<'static>>()
                .problems(&QUERY_STATUSES),
        )
}

async fn nothing() -> ApiProblem {
    ApiProblem::not_found("address")
}

async fn wrong_method(method: axum::http::Method) -> ApiProblem {
    ApiProblem::new(ProblemKind::MethodNotAllowed, format!("{method} is not allowed here. The Allow header lists the methods that are."))
}
