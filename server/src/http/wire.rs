//! Description of the API: every route is added together with its operation, so that router and OpenAPI document cannot
//! differ.
//!
//! Bodies are types of [`explain::wire`] and of the kernels. Their schemas and the parameters are derived by utoipa.
//!
//! - [`operation`]: the description of one route
//! - [`routes`]: routes with their operations, and the resulting document
//! - [`mod@reference`]: the document as a page

pub mod operation;
pub mod reference;
pub mod routes;
