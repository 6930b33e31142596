//! Page assets: the rendered page and its files ([`PageAssets`]). Finds the folder of the built page, renders pages on
//! the server, and sets caching headers.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use app::model::visit::{COLLECTIONS, LinkPreview, PageVisit, is_embed, print_of_cookies, task_path};
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
    /// Path of the folder. Visitors can read every file in it.
    pub root: PathBuf,
    /// Path of the folder with scripts and styles, relative to `root`: `pkg/` and a hash of their content.
    pub pkg: String,
}

impl PageAssets {
    /// Opens the built page in the folder `root`.
    ///
    /// # Errors
    /// Returns an error if the folder contains no built page.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        let release = root.join("release.txt");
        let hash = std::fs::read_to_string(&release)
            .with_context(|| format!("there is no built page in {}; build it with `cargo xtask page`", root.display()))?;
        Ok(Self { root: root.to_owned(), pkg: format!("pkg/{}", hash.trim()) })
    }

    /// Builds the routes of rendered pages and of the files in this folder.
    pub fn router(&self) -> Router {
        let options = self.options();
        // Rendering starts tasks on the async runtime. The call fails without harm if another router was created
        // before.
        let _ = any_spawner::Executor::init_tokio();
        let page = get(render_app_to_stream_with_context(prepare, move || app::shell(&options)));
        let forms = Task::ALL.map(task_path);
        // The first task has pages under its own name, in addition to `/` and `/embed`.
        let first = format!("/{}", Task::ALL[0].name());
        let frames: Vec<String> = Task::ALL.iter().map(|task| format!("/embed/{}", task.name())).collect();
        let pages = [first.as_str(), "/j/{id}", "/r/{id}", "/s/{id}", "/embed/r/{id}", "/print", COLLECTIONS]
            .into_iter()
            .chain(forms.iter().chain(&frames).map(String::as_str))
            .fold(Router::new(), |pages, path| pages.route(path, page.clone()))
            .layer(CompressionLayer::new());
        // A file under `pkg` never changes, because each build has a folder of its own.
        let pkg = Router::new().fallback_service(files(&self.root.join(&self.pkg))).layer(cache("public, max-age=31536000, immutable"));
        pages
            .nest(&format!("/{}", self.pkg), pkg)
            // Requested by browsers and crawlers that do not read the page's head.
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

/// The data of a shared result that its rendered page contains, before any script runs.
#[derive(Clone, Debug)]
pub struct ResultPageData {
    /// Title and description of the result, for programs that show previews of links.
    pub preview: LinkPreview,
    /// Article about the result as HTML, for readers without scripts.
    pub article: Option<String>,
}

/// Provides the theme, the language and other data of the current request to the page that is being rendered, and sets
/// the security policy of the page.
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

/// Returns the name of the theme in the visitor's cookie, or `None` if there is no such cookie.
pub fn theme(headers: &HeaderMap) -> Option<String> {
    PageVisit::theme_of_cookies(cookies(headers))
}

fn cookies(headers: &HeaderMap) -> &str {
    headers.get(header::COOKIE).and_then(|cookies| cookies.to_str().ok()).unwrap_or_default()
}

/// Returns the language in the visitor's cookie or, without one, the language that the browser prefers.
pub fn language(headers: &HeaderMap) -> Language {
    let said = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    PageVisit::language_of(said(header::COOKIE), said(header::ACCEPT_LANGUAGE))
}

/// Returns the scheme and the host of the address that the visitor used, such as `https://example.org`. Behind a proxy
/// that terminates TLS, the scheme is that of the proxy's header. Returns `None` if the request names no valid host.
pub fn origin(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST.as_str())?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-:[]".contains(letter);
    let scheme = if text("x-forwarded-proto") == Some("https") { "https" } else { "http" };
    (!host.is_empty() && host.chars().all(plain)).then(|| format!("{scheme}://{host}"))
}

/// Sets the content security policy of the page that is rendered at `path`. The policy allows only scripts of this
/// build and the page's own inline scripts. Only pages under `/embed` may be shown in frames of other sites.
fn protect(path: &str) {
    let Some(nonce) = use_nonce() else { return };
    let policy = policy(&format!("script-src 'self' 'wasm-unsafe-eval' 'nonce-{nonce}'; img-src 'self' data: blob:"), is_embed(path));
    if let Some(policy) = policy {
        expect_context::<ResponseOptions>().insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Creates the content security policy of a page. `loads` are the policy directives for scripts and images, and
/// `in_frames` allows other sites to show the page in frames. Returns `None` if the policy is not a valid header value.
pub fn policy(loads: &str, in_frames: bool) -> Option<HeaderValue> {
    let frames = if in_frames { "*" } else { "'none'" };
    let rest = "object-src 'none'; base-uri 'none'; form-action 'self'";
    HeaderValue::from_str(&format!("default-src 'self'; {loads}; {rest}; frame-ancestors {frames}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_valid_host_becomes_an_origin() {
        let of = |rows: &[(&'static str, &'static str)]| {
            origin(&rows.iter().map(|&(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect())
        };
        assert_eq!(of(&[("host", "e.example:3000")]).as_deref(), Some("http://e.example:3000"));
        assert_eq!(of(&[("host", "[::1]:3000"), ("x-forwarded-proto", "https")]).as_deref(), Some("https://[::1]:3000"));
        assert_eq!(of(&[("host", "e.example/\"><script>")]), None);
        assert_eq!(of(&[("host", "")]), None);
    }
}
