//! Description of the API. Every route is added together with its description, so that the router and the OpenAPI
//! document cannot differ.
//!
//! Bodies are types of [`explain::wire`] and of the kernels. Their schemas and the parameters are derived by the crate
//! utoipa.
//!
//! - [`operation`]: the description of one route
//! - [`routes`]: routes with their descriptions, and the resulting document
//! - [`mod@reference`]: the document as a page

pub mod operation;
pub mod reference;
pub mod routes;
