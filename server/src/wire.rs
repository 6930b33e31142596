//! The API, described: every route is added together with its operation, so that the router and the OpenAPI document cannot differ.
//! Bodies are the types of [`explain::wire`] and of the kernels; their schemas are derived (utoipa), and so are the parameters.
//!
//! - [`operation`]: what one route takes and answers
//! - [`routes`]: routes with their operations, and the document that comes of them
//! - [`mod@reference`]: the document as a page

pub mod operation;
pub mod reference;
pub mod routes;
