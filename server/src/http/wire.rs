//! Wire: the description of the API. Every route is added together with its description, so that the router and the
//! OpenAPI document cannot differ.
//!
//! Bodies are types of [`explain::wire`] and of the crate `kernels`. The crate utoipa derives their schemas and the
//! descriptions of parameters.
//!
//! - [`operation`]: the description of one route ([`ApiOperation`](operation::ApiOperation))
//! - [`routes`]: routes with their descriptions, and the document built from them ([`ApiRoutes`](routes::ApiRoutes))
//! - [`mod@reference`]: the document as a page

pub mod operation;
pub mod reference;
pub mod routes;
