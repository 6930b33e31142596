//! Routes of the API ([`ApiRoutes`]). The router and the OpenAPI document are built from one list, so that they cannot
//! differ.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::{HeaderMap, header};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use axum::routing::{self, MethodRouter};
use serde_json::{Map, Value, json};

use super::operation::{ApiOperation, SchemaMap};
use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};

/// Maximum number of characters of an unknown parameter's name that an error repeats.
const MAX_PARAMETER_LETTERS: usize = 40;

/// A builder of the router and the OpenAPI document. It collects routes together with their descriptions.
#[derive(Debug, Default)]
pub struct ApiRoutes {
    router: Router<ServerState>,
    paths: BTreeMap<String, Map<String, Value>>,
    schemas: SchemaMap,
    /// Heading in the OpenAPI document under which routes are being added.
    tag: &'static str,
}

impl ApiRoutes {
    /// Sets the heading in the OpenAPI document for the routes that are added next.
    #[must_use]
    pub fn tag(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    /// Adds a `GET` route at `path`, which also answers `HEAD`.
    #[must_use]
    pub fn get<H: Handler<T, ServerState>, T: 'static>(self, path: &str, handler: H, operation: ApiOperation) -> Self {
        self.add(("get", path), routing::get(handler), operation)
    }

    /// Adds a `POST` route at `path`.
    #[must_use]
    pub fn post<H: Handler<T, ServerState>, T: 'static>(self, path: &str, handler: H, operation: ApiOperation) -> Self {
        self.add(("post", path), routing::post(handler), operation)
    }

    /// Adds a `PUT` route at `path`.
    #[must_use]
    pub fn put<H: Handler<T, ServerState>, T: 'static>(self, path: &str, handler: H, operation: ApiOperation) -> Self {
        self.add(("put", path), routing::put(handler), operation)
    }

    /// Adds a `DELETE` route at `path`.
    #[must_use]
    pub fn delete<H: Handler<T, ServerState>, T: 'static>(self, path: &str, handler: H, operation: ApiOperation) -> Self {
        self.add(("delete", path), routing::delete(handler), operation)
    }

    fn add(mut self, (method, path): (&str, &str), handler: MethodRouter<ServerState>, operation: ApiOperation) -> Self {
        let (known, takes_json): (Arc<[String]>, _) = (operation.in_query().collect(), operation.takes_json());
        let handler = handler.layer(from_fn(move |request: Request, next: Next| {
            let unknown = unknown_parameter(&known, request.uri().query().unwrap_or_default());
            let refused = unknown.or_else(|| if takes_json { no_json(request.headers()) } else { None });
            async move { if let Some(problem) = refused { problem.into_response() } else { next.run(request).await } }
        }));
        let (operation, schemas) = operation.into_openapi(self.tag, method, path);
        self.router = self.router.route(path, handler);
        self.paths.entry(path.to_owned()).or_default().insert(method.to_owned(), operation);
        self.schemas.extend(schemas);
        self
    }

    /// Returns the router with all routes, and their OpenAPI document.
    pub fn finish(mut self) -> (Router<ServerState>, Value) {
        refine(&mut self.schemas);
        let info = json!({
            "title": "Editscope",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Exact comparison of two strings: edit distance, LCS and searches, with alignments. Everything that the page \
                does, and what it cannot do, by HTTP. Nobody needs an account.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        });
        let token = json!({ "type": "http", "scheme": "bearer", "description": "The token that was shown when a link, an upload or a job was made." });
        let components = json!({ "schemas": self.schemas, "securitySchemes": { "delete_token": token } });
        let document = json!({ "openapi": "3.1.0", "info": info, "paths": self.paths, "components": components });
        (self.router, document)
    }
}

/// Returns the problem of a request body whose content type is not JSON, or `None` if the type is JSON or missing.
fn no_json(headers: &HeaderMap) -> Option<ApiProblem> {
    let said = headers.get(header::CONTENT_TYPE)?.to_str().unwrap_or_default();
    let essence = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json = essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    let detail = "The body must be JSON. Send it with Content-Type: application/json, or without that header.";
    (!is_json).then(|| ApiProblem::new(ProblemKind::UnsupportedType, detail))
}

/// Returns the problem of the query `query` if it has a parameter that is not in `known`, and otherwise `None`. Without
/// this check, a misspelled name would be ignored silently.
fn unknown_parameter(known: &[String], query: &str) -> Option<ApiProblem> {
    let mut names = query.split('&').map(|part| part.split_once('=').map_or(part, |(name, _)| name)).filter(|name| !name.is_empty());
    let unknown = names.find(|name| known.iter().all(|known| known != name))?;
    let unknown: String = unknown.chars().take(MAX_PARAMETER_LETTERS).collect();
    let there =
        if known.is_empty() { "This address has no parameters".to_owned() } else { format!("Valid parameters: {}", known.join(", ")) };
    Some(ApiProblem::new(ProblemKind::Malformed, format!("There is no parameter “{unknown}” here. {there}.")))
}

/// Adds rules that Rust types do not express to the schemas.
fn refine(schemas: &mut SchemaMap) {
    // The server refuses a job with an unknown option.
    if let Some(options) = schemas.get_mut("Options") {
        options["additionalProperties"] = false.into();
    }
    if let Some(source) = schemas.get_mut("Source") {
        source["oneOf"] = json!([{ "required": ["text"] }, { "required": ["upload"] }]);
    }
}
