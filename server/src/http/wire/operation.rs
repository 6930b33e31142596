//! Operation: the parameters, bodies and answers of one route in OpenAPI 3.1 ([`ApiOperation`]).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::openapi::path::ParameterIn;
use utoipa::{IntoParams, ToSchema};

use crate::error::ProblemKind;

/// Media type of a problem document.
const PROBLEM_MEDIA_TYPE: &str = "application/problem+json";

/// JSON schemas by the names of their types.
pub(super) type SchemaMap = BTreeMap<String, Value>;

/// The description of one route in the OpenAPI document: summary, parameters, bodies and answers. Built by its chained
/// methods when the route is added.
#[derive(Debug)]
pub struct ApiOperation {
    summary: &'static str,
    description: &'static str,
    parameters: Vec<Value>,
    bearer: bool,
    body: Option<Value>,
    responses: BTreeMap<String, Value>,
    schemas: SchemaMap,
}

impl ApiOperation {
    /// Creates an operation with a short summary, which has no full stop.
    pub fn new(summary: &'static str) -> Self {
        let (parameters, responses) = (Vec::new(), BTreeMap::new());
        Self { summary, description: "", parameters, bearer: false, body: None, responses, schemas: SchemaMap::new() }.default_problem()
    }

    /// Adds a description in whole sentences.
    #[must_use]
    pub fn about(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    /// Adds the fields of the type `P` as query parameters.
    #[must_use]
    pub fn query<P: IntoParams>(mut self) -> Self {
        self.parameters.extend(P::into_params(|| Some(ParameterIn::Query)).iter().map(written));
        self
    }

    /// Adds an optional request header with the name `name`.
    #[must_use]
    pub fn header(mut self, name: &str, description: &str) -> Self {
        self.parameters.push(json!({ "name": name, "in": "header", "description": description, "schema": { "type": "string" } }));
        self
    }

    /// Adds the requirement of a bearer token. A client receives the token when it creates an object such as a job or a
    /// link.
    #[must_use]
    pub fn bearer(self) -> Self {
        Self { bearer: true, ..self }
    }

    /// Sets a JSON request body of type `T`.
    #[must_use]
    pub fn json<T: ToSchema>(mut self) -> Self {
        let schema = self.reference::<T>();
        self.body = Some(json!({ "required": true, "content": { "application/json": { "schema": schema } } }));
        self
    }

    /// Sets a binary request body.
    #[must_use]
    pub fn bytes(mut self, description: &str) -> Self {
        let content = json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } });
        self.body = Some(json!({ "required": true, "description": description, "content": content }));
        self
    }

    /// Adds an answer with the status `status` and a JSON body of type `T`. `description` says when this answer is
    /// sent.
    #[must_use]
    pub fn answer<T: ToSchema>(mut self, status: u16, description: &str) -> Self {
        let schema = self.reference::<T>();
        self.responses
            .insert(status.to_string(), json!({ "description": description, "content": { "application/json": { "schema": schema } } }));
        self
    }

    /// Adds an answer with the status `status` and a text or binary body of one of the media types `media_types`.
    #[must_use]
    pub fn file(mut self, status: u16, media_types: &[&str], description: &str) -> Self {
        let schema = |media_type: &str| match media_type {
            "application/json" => json!({}),
            "application/octet-stream" | "image/png" => json!({ "type": "string", "format": "binary" }),
            _ => json!({ "type": "string" }),
        };
        let content: serde_json::Map<String, Value> =
            media_types.iter().map(|media_type| ((*media_type).to_owned(), json!({ "schema": schema(media_type) }))).collect();
        self.responses.insert(status.to_string(), json!({ "description": description, "content": content }));
        self
    }

    /// Adds an answer with the status `status` and without a body.
    #[must_use]
    pub fn nothing(mut self, status: u16, description: &str) -> Self {
        self.responses.insert(status.to_string(), json!({ "description": description }));
        self
    }

    /// Adds a `Location` header, with the address of the created object, to the answer with the status `status`. This
    /// answer must have been added before.
    #[must_use]
    pub fn located(mut self, status: u16) -> Self {
        if let Some(response) = self.responses.get_mut(&status.to_string()) {
            response["headers"]["Location"] = json!({ "schema": { "type": "string" } });
        }
        self
    }

    /// Adds an answer with a problem document for each of the HTTP statuses `statuses`.
    #[must_use]
    pub fn problems(mut self, statuses: &[u16]) -> Self {
        for status in statuses {
            let kinds: Vec<String> =
                ProblemKind::ALL.into_iter().filter(|kind| kind.status() == *status).map(|kind| format!("`{}`", kind.slug())).collect();
            let mut response = problem(&format!("A problem: {}.", kinds.join(", ")));
            if matches!(status, 429 | 503 | 507) {
                response["headers"]["Retry-After"] = json!({ "description": "Seconds after which to try again, where that is known.", "schema": { "type": "integer", "minimum": 0 } });
            }
            self.responses.insert(status.to_string(), response);
        }
        self
    }

    /// Adds an answer with the status `status` and a JSON body that is of the type `T` or of the type `U`.
    #[must_use]
    pub fn either<T: ToSchema, U: ToSchema>(mut self, status: u16, description: &str) -> Self {
        let schema = json!({ "anyOf": [self.reference::<T>(), self.reference::<U>()] });
        self.responses
            .insert(status.to_string(), json!({ "description": description, "content": { "application/json": { "schema": schema } } }));
        self
    }

    /// Adds the schema of the type `T` to the document. Used for a type that occurs inside a text body, such as an
    /// event stream.
    #[must_use]
    pub fn schema<T: ToSchema>(mut self) -> Self {
        self.reference::<T>();
        self
    }

    /// Adds an answer with a problem document for all statuses that have no answer of their own.
    fn default_problem(mut self) -> Self {
        self.reference::<explain::wire::ProblemDetails>();
        self.responses.insert("default".to_owned(), problem("A problem."));
        self
    }

    /// Returns a JSON reference to the schema of `T`. Adds this schema and all schemas that it refers to.
    fn reference<T: ToSchema>(&mut self) -> Value {
        let mut schemas = Vec::new();
        T::schemas(&mut schemas);
        schemas.push((T::name().into_owned(), T::schema()));
        self.schemas.extend(schemas.iter().map(|(name, schema)| (name.clone(), written(schema))));
        json!({ "$ref": format!("#/components/schemas/{}", T::name()) })
    }

    /// Returns whether the operation has a JSON request body.
    pub(super) fn takes_json(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body["content"].get("application/json").is_some())
    }

    /// Returns the names of the query parameters of the operation.
    pub(super) fn in_query(&self) -> impl Iterator<Item = String> {
        let query = self.parameters.iter().filter(|parameter| parameter["in"] == "query");
        query.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned))
    }

    /// Returns the operation as a JSON object of the OpenAPI document, and the schemas that it refers to. `tag` is the
    /// heading of the operation, and `method` and `path` are those of its route.
    pub(super) fn into_openapi(self, tag: &str, method: &str, path: &str) -> (Value, SchemaMap) {
        let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let parameters: Vec<Value> = names.map(in_path).chain(self.parameters).collect();
        let mut operation = json!({ "tags": [tag], "summary": self.summary, "operationId": id(method, path), "responses": self.responses });
        if !self.description.is_empty() {
            operation["description"] = self.description.into();
        }
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if self.bearer {
            operation["security"] = json!([{ "delete_token": [] }]);
        }
        if let Some(body) = self.body {
            operation["requestBody"] = body;
        }
        (operation, self.schemas)
    }
}

fn written<T: serde::Serialize>(part: &T) -> Value {
    serde_json::to_value(part).expect("a schema has string keys and finite numbers")
}

fn problem(description: &str) -> Value {
    json!({ "description": description, "content": { PROBLEM_MEDIA_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } } })
}

/// Returns the description of the path parameter `name`. A value that does not match its schema is answered like an
/// unknown address, with status 404.
fn in_path(name: &str) -> Value {
    let (description, schema) = match name {
        "side" => ("Which text.", json!({ "type": "string", "enum": ["a", "b"] })),
        "number" => ("Its number, from 0.", json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX })),
        _ => ("26 letters and digits.", json!({ "type": "string", "pattern": "^[0-7][0-9a-hjkmnp-tv-z]{25}$" })),
    };
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}

/// Creates an operation id from the method and the path of a route, such as `get_jobs_alignment`.
fn id(method: &str, path: &str) -> String {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "api" | "v1"));
    let parts = parts.map(|part| part.trim_matches(['{', '}']).replace('.', "_"));
    std::iter::once(method.to_owned()).chain(parts).collect::<Vec<_>>().join("_")
}
