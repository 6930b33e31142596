//! The files of the page: location, caching by browsers, and rendering on the server.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use app::model::visit::{LinkPreview, PageVisit, is_embed, print_of_cookies, task_path};
use app::tr::Language;
use axum::{
    Router,
    http::{HeaderMap, HeaderValue, header, request::Parts},
    response::Redirect,
    routing::get,
};
use kernels::job::Task;
use leptos::{
    config::LeptosOptions,
    nonce::use_nonce,
    prelude::{expect_context, provide_context, use_context},
};
use leptos_axum::{ResponseOptions, render_app_to_stream_with_context};
use tower_http::{compression::CompressionLayer, services::ServeDir, set_header::SetResponseHeaderLayer};

/// The folder of the built page, as created by `cargo xtask page`.
#[derive(Clone, Debug)]
pub struct PageAssets {
    /// Path of the folder. Every file in it is served to visitors.
    pub root: PathBuf,
    /// Relative path of the folder of scripts and styles: `pkg/` and a hash of their content.
    pub pkg: String,
}

impl PageAssets {
    /// Opens the page that was built in the folder `root`.
    ///
    /// # Errors
    /// Returns an error if no page was built there.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        let release = root.join("release.txt");
        let hash = std::fs::read_to_string(&release)
            .with_context(|| format!("there is no built page in {}; build it with `cargo xtask page`", root.display()))?;
        Ok(Self { root: root.to_owned(), pkg: format!("pkg/{}", hash.trim()) })
    }

    /// Builds the routes of rendered pages and of the page's files.
    pub fn router(&self) -> Router {
        let options = self.options();
        // Rendering starts tasks on the async runtime. The call fails harmlessly if a router was built before.
        let _ = any_spawner::Executor::init_tokio();
        let page = get(render_app_to_stream_with_context(prepare, move || app::shell(&options)));
        let forms = Task::ALL.map(task_path);
        // The first task has a frame under its own name in addition to `/embed`.
        let frames: Vec<String> = Task::ALL.iter().map(|task| format!("/embed/{}", task.name())).collect();
        let pages = ["/j/{id}", "/r/{id}", "/s/{id}", "/embed/r/{id}", "/print"]
            .into_iter()
            .chain(forms.iter().chain(&frames).map(String::as_str))
            .fold(Router::new(), |pages, path| pages.route(path, page.clone()))
            .layer(CompressionLayer::new());
        // A file under `pkg` never changes, because each build has its own folder.
        let pkg = Router::new().fallback_service(files(&self.root.join(&self.pkg))).layer(cache("public, max-age=31536000, immutable"));
        pages
            .nest(&format!("/{}", self.pkg), pkg)
            // Browsers and crawlers that do not read the page's head request this file.
            .route("/favicon.ico", get(|| async { Redirect::permanent("/favicon.svg") }))
            .fallback_service(files(&self.root).not_found_service(page))
            .layer(SetResponseHeaderLayer::if_not_present(header::CACHE_CONTROL, HeaderValue::from_static("no-cache")))
            .layer(SetResponseHeaderLayer::if_not_present(
                header::VARY,
                HeaderValue::from_static("accept-encoding, accept-language, cookie"),
            ))
            .layer(SetResponseHeaderLayer::if_not_present(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
            .layer(SetResponseHeaderLayer::if_not_present(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")))
    }

    fn options(&self) -> LeptosOptions {
        LeptosOptions::builder()
            .output_name("app")
            .site_root(self.root.to_string_lossy().into_owned())
            .site_pkg_dir(self.pkg.as_str())
            .build()
    }
}

fn files(root: &Path) -> ServeDir {
    ServeDir::new(root).precompressed_br().precompressed_gzip().append_index_html_on_directories(false)
}

fn cache(value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, HeaderValue::from_static(value))
}

/// The data of a shared result that its page shows before any script runs.
#[derive(Clone, Debug)]
pub struct ResultPageData {
    /// Title and description for programs that show previews of links.
    pub preview: LinkPreview,
    /// Article about the result as HTML, for readers without scripts.
    pub article: Option<String>,
}

/// Provides the page that is being rendered with the data of its request, and sets its security policy.
fn prepare() {
    let parts = use_context::<Parts>();
    let visit = parts.as_ref().map(visit).unwrap_or_default();
    protect(&visit.path);
    provide_context(visit);
}

fn visit(parts: &Parts) -> PageVisit {
    let known = parts.extensions.get::<ResultPageData>().cloned();
    let (preview, article) = known.map(|ResultPageData { preview, article }| (preview, article)).unzip();
    PageVisit {
        path: parts.uri.path().to_owned(),
        language: language(&parts.headers),
        theme: theme(&parts.headers),
        print: print_of_cookies(cookies(&parts.headers)),
        preview,
        article: article.flatten(),
        origin: origin(&parts.headers),
    }
}

/// Returns the name of the theme from the visitor's cookie.
pub fn theme(headers: &HeaderMap) -> Option<String> {
    PageVisit::theme_of_cookies(cookies(headers))
}

fn cookies(headers: &HeaderMap) -> &str {
    headers.get(header::COOKIE).and_then(|cookies| cookies.to_str().ok()).unwrap_or_default()
}

/// Returns the language from the visitor's cookie, or else the browser's preferred one.
pub fn language(headers: &HeaderMap) -> Language {
    let said = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    PageVisit::language_of(said(header::COOKIE), said(header::ACCEPT_LANGUAGE))
}

/// Returns scheme and host of the address that the visitor used. Behind a proxy that terminates TLS, the scheme comes
/// from the proxy's header.
pub fn origin(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST.as_str())?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-:[]".contains(letter);
    let scheme = if text("x-forwarded-proto") == Some("https") { "https" } else { "http" };
    (!host.is_empty() && host.chars().all(plain)).then(|| format!("{scheme}://{host}"))
}

/// Sets the security policy of the page at `path`. It allows only this build's scripts and the page's own inline
/// scripts. Only pages under `/embed` may be shown in frames of other sites.
fn protect(path: &str) {
    let Some(nonce) = use_nonce() else { return };
    let policy = policy(&format!("script-src 'self' 'wasm-unsafe-eval' 'nonce-{nonce}'; img-src 'self' data: blob:"), is_embed(path));
    if let Some(policy) = policy {
        expect_context::<ResponseOptions>().insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Creates the content security policy of a page. `loads` are the rules for scripts and images, and `in_frames` allows
/// frames on other sites.
pub fn policy(loads: &str, in_frames: bool) -> Option<HeaderValue> {
    let frames = if in_frames { "*" } else { "'none'" };
    let rest = "object-src 'none'; base-uri 'none'; form-action 'self'";
    HeaderValue::from_str(&format!("default-src 'self'; {loads}; {rest}; frame-ancestors {frames}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_host_becomes_an_origin() {
        let of = |rows: &[(&'static str, &'static str)]| {
            origin(&rows.iter().map(|&(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect())
        };
        assert_eq!(of(&[("host", "e.example:3000")]).as_deref(), Some("http://e.example:3000"));
        assert_eq!(of(&[("host", "[::1]:3000"), ("x-forwarded-proto", "https")]).as_deref(), Some("https://[::1]:3000"));
        assert_eq!(of(&[("host", "e.example/\"><script>")]), None);
        assert_eq!(of(&[("host", "")]), None);
    }
}
