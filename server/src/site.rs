//! The files of the page: where they are, how the browser may keep them, and the server's rendering of each page.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use app::visit::{Preview, Visit, print_of_cookies, task_path};
use axum::{
    Router,
    http::{HeaderValue, header, request::Parts},
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

/// The folder that `cargo xtask page` fills.
#[derive(Clone, Debug)]
pub struct Site {
    /// The folder itself; everything in it is public.
    pub root: PathBuf,
    /// Where scripts and styles are, as an address without its first slash: `pkg/` and a hash of their content.
    pub pkg: String,
}

impl Site {
    /// Reads which build is in `root`. Fails when no page was built there.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        let release = root.join("release.txt");
        let hash = std::fs::read_to_string(&release)
            .with_context(|| format!("no page in {}: build it with `cargo xtask page`", root.display()))?;
        Ok(Self { root: root.to_owned(), pkg: format!("pkg/{}", hash.trim()) })
    }

    /// Where the page is when nobody says: in `site` next to the program, or one folder up, which is where a build puts it.
    pub fn default_root() -> PathBuf {
        let program = std::env::current_exe().unwrap_or_default();
        let near = program.with_file_name("site");
        if near.is_dir() {
            return near;
        }
        program.parent().and_then(Path::parent).map_or(near, |up| up.join("site"))
    }

    /// Pages rendered by the server, and the files beside them.
    pub fn router(&self) -> Router {
        let options = self.options();
        // Rendering spawns onto whatever runs the server; a second router finds that done.
        let _ = any_spawner::Executor::init_tokio();
        let page = get(render_app_to_stream_with_context(prepare, move || app::shell(options.clone())));
        let forms = Task::ALL.map(task_path);
        let pages = ["/j/{id}", "/r/{id}"]
            .into_iter()
            .chain(forms.iter().map(String::as_str))
            .fold(Router::new(), |pages, path| pages.route(path, page.clone()))
            .layer(CompressionLayer::new());
        // A file under `pkg` never changes: another build has another folder.
        let pkg = Router::new().fallback_service(files(&self.root.join(&self.pkg))).layer(cache("public, max-age=31536000, immutable"));
        pages
            .nest(&format!("/{}", self.pkg), pkg)
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

/// Tells the page what its visit begins with, and the browser what the page may do.
fn prepare() {
    let parts = use_context::<Parts>();
    let visit = parts.map(|parts| {
        let said = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let cookies = said(header::COOKIE);
        let language = Visit::language_of(cookies, said(header::ACCEPT_LANGUAGE));
        let preview = parts.extensions.get::<Preview>().cloned();
        let (theme, print) = (Visit::theme_of_cookies(cookies), print_of_cookies(cookies));
        Visit { path: parts.uri.path().to_owned(), language, theme, print, preview }
    });
    provide_context(visit.unwrap_or_default());
    protect();
}

/// Lets a page run this build's scripts and its own inline ones, and nothing else. Framing is allowed: teachers embed it.
fn protect() {
    let Some(nonce) = use_nonce() else { return };
    let policy = format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'nonce-{nonce}'; img-src 'self' data: blob:; \
         object-src 'none'; base-uri 'none'; form-action 'self'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        expect_context::<ResponseOptions>().insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}
