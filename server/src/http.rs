//! HTTP: everything from network connections to the handlers of requests.
//!
//! - [`api`]: the routes; [`wire`]: their description as an OpenAPI document; [`error`]: problem documents
//! - [`pages`], [`site`]: rendered pages and the files of the page; [`preview_image`]: a result as a PNG
//! - [`middleware`], [`connections`], [`request`]: checks of all requests, network connections, logs of requests

pub mod api;
pub mod connections;
pub mod error;
pub mod middleware;
pub mod pages;
pub mod preview_image;
pub mod request;
pub mod site;
pub mod wire;
