//! HTTP: everything from network connections to the handlers of requests.
//!
//! - [`api`]: the routes; [`wire`]: their description as an OpenAPI document
//! - [`pages`], [`page_assets`]: rendered pages, and the files of the application's page
//! - [`preview_image`], [`article`]: a result as a PNG image, and as an article for readers without scripts
//! - [`middleware`], [`connections`]: checks of all requests, and limits of network connections
//! - [`metrics`]: the listener for operators

pub mod api;
pub mod article;
pub mod connections;
pub mod metrics;
pub mod middleware;
pub mod page_assets;
pub mod pages;
pub mod preview_image;
pub mod wire;
