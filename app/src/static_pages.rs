//! Static pages: the server renders them whole, and no script runs in them.
//!
//! - [`article`]: a shared result, for readers without scripts
//! - [`class_code`]: the form for a class code
//! - [`docs`]: the API documentation, which is HTML already, in English
//! - [`hand_ins`]: scores of links that a class handed in
//! - [`how`]: the algorithm of each task, with the papers
//! - [`learn`]: a lesson of five stations
//! - [`limits`]: the limits of this server
//! - [`papers`]: the five papers, their methods and their figures

use kernels::job::Task;
use leptos::prelude::*;

use crate::model::text::markup::escape;
use crate::model::visit::task_path;
use crate::tr::{Language, speaking, t};
use crate::view::header::brand;
use crate::view::{places, stored};

/// Returns the texts of a page in `language`. They are the static `TOLD` of the module that is named after the
/// language.
macro_rules! told_in {
    ($language:expr) => {
        match $language {
            Language::English => &english::TOLD,
            Language::German => &german::TOLD,
            Language::Spanish => &spanish::TOLD,
            Language::French => &french::TOLD,
            Language::Japanese => &japanese::TOLD,
            Language::Chinese => &chinese::TOLD,
        }
    };
}

pub mod article;
pub mod class_code;
pub mod docs;
pub mod hand_ins;
pub mod how;
pub mod learn;
pub mod limits;
pub mod papers;

/// The properties of a request for a static page: style sheets, theme, language and origin.
#[derive(Clone, Debug, Default)]
pub struct StaticPageRequest {
    /// Address of the folder with the style sheets of this build.
    pub pkg: String,
    /// The theme that the visitor chose; `None` follows the system.
    pub theme: Option<String>,
    /// Language in which the page is rendered.
    pub language: Language,
    /// Scheme and host of the requested address; empty if unknown.
    pub origin: String,
}

/// The title, the description and the links around the content of a static page.
#[derive(Clone, Debug)]
pub struct StaticPageFrame {
    pub reader: StaticPageRequest,
    /// A function that returns the title of the page in the current language.
    pub title: fn() -> &'static str,
    /// Description of the page in one sentence.
    pub about: &'static str,
    /// Path of the page, for links to the page in other languages; `None` if there is only one language.
    pub languages_of: Option<&'static str>,
    /// Names of style sheets that this page needs in addition to the common ones.
    pub styles: &'static [&'static str],
}

/// Returns the HTML document of a static page. `text` draws the content of the page and is called in the language of
/// the request.
pub fn document(frame: StaticPageFrame, text: impl FnOnce() -> AnyView) -> String {
    let StaticPageFrame { reader: StaticPageRequest { pkg, theme, language, origin }, title, about, languages_of, styles } = frame;
    let html = speaking(language, || {
        let title = title();
        plain_html(view! {
            <html lang=language.tag() data-theme=theme>
                <head>
                    <meta charset="utf-8" />
                    <meta name="viewport" content="width=device-width, initial-scale=1" />
                    <title inner_html=escape(&format!("{title} · Editscope"))></title>
                    <meta name="description" content=about />
                    {languages_of.map(|path| alternates(&origin, path))}
                    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                    <link rel="stylesheet" href=format!("{pkg}/style.css") />
                    <link rel="stylesheet" href=format!("{pkg}/share.css") />
                    {styles.iter().map(|file| view! { <link rel="stylesheet" href=format!("{pkg}/{file}") /> }).collect_view()}
                </head>
                <body>
                    <a class="skip" href="#main">{t("Skip to content")}</a>
                    <header class="top plain">
                        <div class="in">
                            {brand()}
                            <div class="prefs">
                                <a class="btn" href=task_path(Task::ALL[0])>{t("Compare two texts")}</a>
                            </div>
                        </div>
                    </header>
                    <main id="main" class="still">
                        <div class="lead">
                            <h1>{title}</h1>
                            <p class="say wide">{about}</p>
                            {languages_of.map(|path| languages(path, language))}
                        </div>
                        {text()}
                    </main>
                    <footer class="foot">
                        <div class="in">
                            {places()} <span>{stored()}</span>
                        </div>
                    </footer>
                </body>
            </html>
        })
    });
    format!("<!DOCTYPE html>{html}")
}

/// Returns the address of the page `path` in `language`. The server remembers a language that was chosen by an address
/// like this.
fn address(path: &str, language: Language) -> String {
    format!("{path}?language={}", language.tag())
}

/// Renders links to the page `path` in all languages for search engines. These need absolute addresses, which begin
/// with `origin`.
fn alternates(origin: &str, path: &'static str) -> impl IntoView + use<> {
    let whole = |language| format!("{origin}{}", address(path, language));
    Language::ALL.map(|language| view! { <link rel="alternate" hreflang=language.tag() href=whole(language) /> }).collect_view()
}

/// Renders links to the page `path` in all languages for readers, because a menu would need a script. `spoken` is the
/// language of this page.
fn languages(path: &'static str, spoken: Language) -> impl IntoView {
    let links = Language::ALL.map(|language| {
        let (tag, current) = (language.tag(), (language == spoken).then_some("true"));
        view! {
            <li>
                <a href=address(path, language) lang=tag hreflang=tag aria-current=current>
                    {language.name()}
                </a>
            </li>
        }
    });
    view! {
        <nav class="languages" aria-label=t("Language")>
            <ul>{links.collect_view()}</ul>
        </nav>
    }
}

/// Returns the HTML of a view without the marker comments that hydration needs. The texts of a view contain no such
/// marker, because they are escaped.
fn plain_html(view: impl RenderHtml) -> String {
    view.to_html().replace("<!>", "")
}
